// SPDX-License-Identifier: Apache-2.0
// Trees packed for walking: a step is one node of 16 bytes (24 of binary64), one feature, one comparison and no branch, and eight walks
// go at a time, so that none waits for the other's memory: of eight rows through one tree, or where rows are few of one row through
// eight trees. (Gathers into vectors were slower: a step needs four of them.) A leaf leads to itself. Rows are taken in blocks whose
// features and sums stay in the cache, and a block goes through one tree after the other.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/kernels/tree_ensemble/tree_ensemble.h"
#include "core/kernels/tree_ensemble/trees.h"

namespace anydim {
namespace {

using Op = TreeEnsemble;

// From here to `next`, and where the comparison does not hold `skip` nodes further.
template <class T> struct Node;
template <> struct Node<float> {
  float split;      // of a leaf: its weight, or where its weights begin (Leaves)
  int32_t feature;  // with several modes: which outcomes hold above it (Compared)
  int32_t next, skip;
};
template <> struct Node<double> {
  double split;
  int32_t feature, next, skip, unused;
};
static_assert(sizeof(Node<float>) == 16 && sizeof(Node<double>) == 24);

enum class Leaves : int32_t {
  one,    // each has one weight, for the only target
  dense,  // each has one weight per target, in their order
  list,   // any; the last of a leaf's targets is ~target
};
enum Piece { kMeta, kPackedNodes, kPackedRoots, kPackedDepths, kPackedTargets, kPackedWeights };
// What all nodes compare.
enum class Compared : int32_t {
  less_equal,  // x <= split, and none holds for NaN
  or_nan,      // x <= split, and some hold for NaN, which the sign of their feature says
  any,
};
struct Meta {
  Leaves leaves;
  Compared compared;
  int32_t feature;  // the last that a walk reads; leaves read the first one
  int32_t depth;    // of the deepest tree: a bound of a walk's steps
};
constexpr int64_t kMetaInts = sizeof(Meta) / 4;

template <class T> using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
template <class T> T from_index(int64_t i) noexcept { return std::bit_cast<T>(static_cast<Bits<T>>(i)); }
template <class T> int64_t to_index(T v) noexcept { return std::bit_cast<Bits<T>>(v); }

// Outcomes of a comparison as bits: x is less, equal, greater, or one is NaN.
constexpr int32_t kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;
int32_t outcomes(int32_t mode) noexcept {
  constexpr int32_t kOf[Op::kModes] = {0, kLess | kEqual, kLess, kEqual | kGreater, kGreater, kEqual, kLess | kGreater | kUnordered};
  return kOf[mode & ~Op::kNanIsTrue] | ((mode & Op::kNanIsTrue) != 0 ? kUnordered : 0);
}

// --- packing -----------------------------------------------------------------------------------------------------------

// Steps from a tree's root to its deepest leaf. Children lie behind their parents, so what is below a node is known from the back.
int32_t take_depths(const TensorView& nodes, int64_t count, int64_t trees, const int32_t* roots, int32_t* depths) {
  std::vector<int32_t> below(static_cast<size_t>(count));
  for (int64_t i = count - 1; i >= 0; --i) {
    const TreeNode n = tree_node(nodes, i);
    if (n.mode == Op::kLeaf) continue;
    below[static_cast<size_t>(i)] = 1 + std::max(below[static_cast<size_t>(n.when_true)], below[static_cast<size_t>(n.when_false)]);
  }
  int32_t most = 0;
  for (int64_t t = 0; t < trees; ++t) most = std::max(most, depths[t] = below[static_cast<size_t>(roots[t])]);
  return most;
}

template <class T> Status pack_trees(const Op& op, std::span<const TensorView> in, std::span<std::byte* const> pieces) {
  const TensorView &splits = in[Op::kSplits], &nodes = in[Op::kNodes], &roots = in[Op::kRoots], &targets = in[Op::kTargets],
                   &weights = in[Op::kWeights];
  const int64_t outputs = op.get().outputs;
  const TreeSizes sizes{splits.dims[0], weights.dims[0], int64_t{1} << kFeatureBits};
  if (sizes.nodes > INT32_MAX || sizes.weights > INT32_MAX)
    return error(Code::unimplemented, "tree_ensemble: {} nodes and {} weights; expected fewer than 2^31", sizes.nodes, sizes.weights);
  for (int64_t w = 0; w < sizes.weights; ++w) ANYDIM_TRY(check_target(element<int32_t>(targets, w), w, outputs));
  for (int64_t t = 0; t < roots.dims[0]; ++t) {
    const int32_t root = element<int32_t>(roots, t);
    ANYDIM_TRY(check_root(root, t, sizes.nodes));
    reinterpret_cast<int32_t*>(pieces[kPackedRoots])[t] = root;
  }
  bool one = outputs == 1, dense = true;
  Compared compared = Compared::less_equal;
  int32_t feature = 0;
  for (int64_t i = 0; i < sizes.nodes; ++i) {
    const TreeNode n = tree_node(nodes, i);
    ANYDIM_TRY(check_node(n, i, sizes));
    if (n.mode != Op::kLeaf) {
      if ((n.mode & ~Op::kNanIsTrue) != Op::kLessEqual) compared = Compared::any;
      else if (n.mode != Op::kLessEqual) compared = std::max(compared, Compared::or_nan);
      feature = std::max(feature, n.feature);
      continue;
    }
    one = one && n.when_false == 1;
    dense = dense && n.when_false == outputs;
    for (int64_t j = 0; dense && j < outputs; ++j) dense = element<int32_t>(targets, n.when_true + j) == j;
  }
  const Leaves leaves = one ? Leaves::one : dense ? Leaves::dense : Leaves::list;
  auto* const to = reinterpret_cast<Node<T>*>(pieces[kPackedNodes]);
  auto* const last = reinterpret_cast<int32_t*>(pieces[kPackedTargets]);
  auto* const values = reinterpret_cast<T*>(pieces[kPackedWeights]);
  for (int64_t w = 0; w < sizes.weights; ++w) last[w] = element<int32_t>(targets, w), values[w] = element<T>(weights, w);
  for (int64_t i = 0; i < sizes.nodes; ++i) {
    const TreeNode n = tree_node(nodes, i);
    if (n.mode != Op::kLeaf) {
      to[i].split = element<T>(splits, i);
      to[i].feature = n.feature;
      if (compared == Compared::any) to[i].feature |= static_cast<int32_t>(static_cast<uint32_t>(outcomes(n.mode)) << kFeatureBits);
      if (compared == Compared::or_nan && n.mode != Op::kLessEqual) to[i].feature |= INT32_MIN;
      to[i].next = n.when_true;
      to[i].skip = n.when_false - n.when_true;
      continue;
    }
    to[i].next = static_cast<int32_t>(i);
    if (leaves == Leaves::one) to[i].split = values[n.when_true];
    else to[i].split = from_index<T>(n.when_false > 0 ? n.when_true : -1);
    if (leaves == Leaves::list && n.when_false > 0) {
      int32_t& end = last[n.when_true + n.when_false - 1];
      // Leaves may share weights only where they end together.
      if (end >= 0) end = ~end;
    }
  }
  if (leaves == Leaves::list)
    for (int64_t i = 0; i < sizes.nodes; ++i) {
      const TreeNode n = tree_node(nodes, i);
      if (n.mode != Op::kLeaf) continue;
      for (int64_t w = n.when_true; w + 1 < int64_t{n.when_true} + n.when_false; ++w)
        if (last[w] < 0) return error(Code::unimplemented, "tree_ensemble: leaf {} has weights in which those of another end", i);
    }
  const int32_t depth = take_depths(nodes, sizes.nodes, roots.dims[0], reinterpret_cast<const int32_t*>(pieces[kPackedRoots]),
                                    reinterpret_cast<int32_t*>(pieces[kPackedDepths]));
  const Meta meta{leaves, compared, feature, depth};
  std::memcpy(pieces[kMeta], &meta, sizeof meta);
  return {};
}

// --- walking -----------------------------------------------------------------------------------------------------------

constexpr int kWalks = 8;

template <class T, Compared kCompared> int32_t step(const Node<T>& n, const T* row, int64_t stride) noexcept {
  if constexpr (kCompared == Compared::less_equal) {
    const T x = row[n.feature * stride];
    return n.next + (n.skip & -static_cast<int32_t>(!(x <= n.split)));
  } else if constexpr (kCompared == Compared::or_nan) {
    const T x = row[(n.feature & INT32_MAX) * stride];
    const uint32_t nan = static_cast<uint32_t>(x != x) & static_cast<uint32_t>(n.feature) >> 31;
    return n.next + (n.skip & (static_cast<int32_t>(static_cast<uint32_t>(x <= n.split) | nan) - 1));
  } else {
    const auto word = static_cast<uint32_t>(n.feature);
    const T x = row[static_cast<int64_t>(word & ((1U << kFeatureBits) - 1)) * stride];
    const int outcome =
        static_cast<int>(x >= n.split) + static_cast<int>(x > n.split) + 3 * static_cast<int>(!(x >= n.split) & !(x < n.split));
    return n.next + (n.skip & (static_cast<int32_t>(word >> (kFeatureBits + outcome) & 1) - 1));
  }
}

// Eight walks from `at` to their leaves, of at most `depth` steps. Deep trees are looked at whether all walks have ended.
template <class T, Compared kCompared>
void walk(const Node<T>* nodes, const T* const* rows, int64_t stride, int32_t depth, int32_t* at) noexcept {
  int32_t now[kWalks];
  const T* row[kWalks];
  for (int i = 0; i < kWalks; ++i) now[i] = at[i], row[i] = rows[i];
  const auto all = [&] {
    int32_t moved = 0;
#pragma GCC unroll 8
    for (int i = 0; i < kWalks; ++i) {
      const int32_t next = step<T, kCompared>(nodes[now[i]], row[i], stride);
      moved |= next ^ now[i];
      now[i] = next;
    }
    return moved;
  };
  constexpr int32_t kUnlooked = 4, kLooked = 3;
  int32_t left = depth;
  while (left > kUnlooked + kLooked) {
    for (int s = 0; s < kLooked; ++s) (void)all();
    if (all() == 0) left = 0;
    left -= kLooked + 1;
  }
  for (; left > 0; --left) (void)all();
  for (int i = 0; i < kWalks; ++i) at[i] = now[i];
}

struct Cut {
  int64_t rows;       // of a block; 0: few rows, each through eight trees at a time
  int64_t row_bytes;  // sums of a row and which targets have any
};
constexpr int64_t kFewRows = kWalks, kMostRows = 512, kBlockBytes = 64 << 10;

class PackedTrees final : public HostKernel {
 public:
  const char* name() const noexcept override { return "tree_ensemble.packed"; }
  const KernelKey& key() const noexcept override {
    static constexpr KernelKey kKey{.op = OpKind::tree_ensemble, .src = DType::none, .dst = DType::none, .isa = Isa::portable};
    return kKey;
  }
  Support supports(const Problem& p) const noexcept override {
    if (p.post_ops->count != 0) return no("post-ops are not fused into this operator");
    for (size_t i = Op::kSplits; i <= Op::kWeights; ++i)
      if (!p.is_constant(i)) return no("the trees are not constant");
    return yes();
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    for (size_t i = Op::kSplits; i <= Op::kWeights; ++i)
      if (!p.is_constant(i)) return form;
    const bool wide = p.in[Op::kSplits].dtype == DType::f64;
    const int64_t nodes = p.in[Op::kSplits].dims[0].number(), weights = p.in[Op::kWeights].dims[0].number();
    form.format = wide ? "trees.nodes24.depths" : "trees.nodes16.depths";
    form.operands = {Op::kSplits, Op::kNodes, Op::kRoots, Op::kTargets, Op::kWeights};
    form.add("meta", DType::i32, kMetaInts);
    form.add("nodes", DType::i32, saturating_mul(nodes, wide ? 6 : 4));
    form.add("roots", DType::i32, p.in[Op::kRoots].dims[0].number());
    form.add("depths", DType::i32, p.in[Op::kRoots].dims[0].number());
    form.add("targets", DType::i32, weights);
    form.add("weights", p.in[Op::kWeights].dtype, weights);
    return form;
  }
  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing&,
              std::span<std::byte* const> pieces) const override {
    const Op& op = *as<Op>(*problem.op);
    return tensors[Op::kSplits].dtype == DType::f64 ? pack_trees<double>(op, tensors, pieces) : pack_trees<float>(op, tensors, pieces);
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const TensorView& x = args.in[Op::kX];
    const int64_t rows = x.dims[0], trees = args.in[Op::kRoots].dims[0], size = dtype_size(x.dtype);
    Cut& cut = plan->as<Cut>();
    cut = {0, row_bytes(*args.op, size)};
    plan->scratch = round_up(trees_bytes(rows, trees), 64) + cut.row_bytes;
    if (rows < kFewRows) return;
    cut.rows = block_rows(x.dims[1] * size + cut.row_bytes);
    const int64_t each = ceil_div(rows, args.parallel.threads());
    cut.rows = std::min(cut.rows, round_up(each, kWalks));
    plan->scratch = saturating_mul(round_up(cut.rows * cut.row_bytes, 64), args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const int64_t row = row_bytes(*p.op, dtype_size(p.in[Op::kX].dtype));
    const int64_t few = round_up(trees_bytes(std::min(in[Op::kX][0], kFewRows - 1), in[Op::kRoots][0]), 64);
    return std::max(few + row, saturating_mul(round_up(saturating_mul(block_rows(row), row), 64), threads));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    const Meta& meta = *args.weights->piece<Meta>(kMeta);
    const int64_t features = args.in[Op::kX].dims[1];
    if (args.in[Op::kX].dims[0] == 0) return {};
    if (meta.feature >= features)
      return error(Code::invalid_data, "tree_ensemble: a node has feature {}; there are {}", meta.feature, features);
    const Cut& cut = plan.as<Cut>();
    if (args.in[Op::kX].dtype == DType::f64) Run<double>(args, cut)();
    else Run<float>(args, cut)();
    return {};
  }

 private:
  static int64_t row_bytes(const Operator& op, int64_t size) noexcept { return round_up(as<Op>(op)->get().outputs * (size + 1), 8); }
  static int64_t trees_bytes(int64_t rows, int64_t trees) noexcept {
    return saturating_mul(rows, saturating_mul(round_up(trees, kWalks), 4)) + 64;
  }
  static int64_t block_rows(int64_t bytes) noexcept {
    return std::clamp(kBlockBytes / std::max<int64_t>(bytes, 1) / kWalks * kWalks, int64_t{kWalks}, kMostRows);
  }

  template <class T> class Run {
   public:
    Run(const Args& args, const Cut& cut) noexcept
        : args_(args),
          cut_(cut),
          op_(as<Op>(*args.op)->get()),
          meta_(*args.weights->piece<Meta>(kMeta)),
          nodes_(args.weights->piece<Node<T>>(kPackedNodes)),
          roots_(args.weights->piece<int32_t>(kPackedRoots)),
          depths_(args.weights->piece<int32_t>(kPackedDepths)),
          targets_(args.weights->piece<int32_t>(kPackedTargets)),
          weights_(args.weights->piece<T>(kPackedWeights)),
          x_(args.in[Op::kX]),
          y_(args.out[0]),
          walk_(meta_.compared == Compared::less_equal ? walk<T, Compared::less_equal>
                : meta_.compared == Compared::or_nan   ? walk<T, Compared::or_nan>
                                                       : walk<T, Compared::any>),
          trees_(args.in[Op::kRoots].dims[0]),
          base_(args.in.size() > Op::kBase && args.in[Op::kBase].dtype != DType::none ? &args.in[Op::kBase] : nullptr) {}

    void operator()() const noexcept {
      const int64_t rows = x_.dims[0];
      // Beside so little work a second thread costs more than it does.
      const bool alone = rows * trees_ * (meta_.depth + 1) < 20'000;
      const Parallel parallel = alone ? args_.parallel.with(1) : args_.parallel;
      if (cut_.rows == 0) return few_rows(parallel);
      parallel.run(ceil_div(rows, cut_.rows), [&](int64_t task, int worker) {
        const int64_t first = task * cut_.rows;
        block(first, std::min(cut_.rows, rows - first),
              static_cast<std::byte*>(args_.scratch) + worker * round_up(cut_.rows * cut_.row_bytes, 64));
      });
    }

   private:
    const T* row(int64_t i) const noexcept { return x_.template as<const T>() + i * x_.strides[0]; }

    void few_rows(const Parallel& parallel) const noexcept {
      constexpr int64_t kTogether = 8 * kWalks;
      const int64_t rows = x_.dims[0], each = round_up(trees_, kWalks), tasks = ceil_div(trees_, kTogether);
      auto* const leaves = static_cast<int32_t*>(args_.scratch);
      parallel.run(rows * tasks, [&](int64_t task, int) {
        int32_t* const to = leaves + task / tasks * each;
        for (int64_t tree = task % tasks * kTogether; tree < std::min(trees_, (task % tasks + 1) * kTogether); tree += kWalks)
          through_trees(row(task / tasks), tree, to + tree);
      });
      // The trees' weights in their order, on one thread.
      auto* const room = static_cast<std::byte*>(args_.scratch) + round_up(trees_bytes(rows, trees_), 64);
      for (int64_t r = 0; r < rows; ++r) {
        const int32_t* const own = leaves + r * each;
        if (meta_.leaves == Leaves::one) {
          T value = 0;
          uint8_t seen = 0;
          for (int64_t tree = 0; tree < trees_; ++tree) take_weight(op_.aggregate, nodes_[own[tree]].split, &value, &seen);
          *(y_.template as<T>() + r * y_.strides[0]) = finish(value, 0);
          continue;
        }
        T* const sums = reinterpret_cast<T*>(room);
        auto* const seen = reinterpret_cast<uint8_t*>(sums + op_.outputs);
        clear(sums, seen, op_.outputs);
        for (int64_t tree = 0; tree < trees_; ++tree) add(nodes_[own[tree]], sums, seen);
        write(sums, r);
      }
    }

    // A row's leaves of eight trees; behind the last tree it is repeated.
    void through_trees(const T* x, int64_t tree, int32_t* at) const noexcept {
      const T* all[kWalks];
      int32_t depth = 0;
      for (int64_t i = 0; i < kWalks; ++i) {
        const int64_t t = std::min(tree + i, trees_ - 1);
        all[i] = x, at[i] = roots_[t], depth = std::max(depth, depths_[t]);
      }
      walk_(nodes_, all, x_.strides[1], depth, at);
    }

    void block(int64_t first, int64_t count, std::byte* scratch) const noexcept {
      const int64_t outputs = op_.outputs;
      T* const sums = reinterpret_cast<T*>(scratch);
      auto* const seen = reinterpret_cast<uint8_t*>(sums + cut_.rows * outputs);
      clear(sums, seen, count * outputs);
      // Rows that are left over go through eight trees at a time.
      const int64_t whole = count / kWalks * kWalks;
      for (int64_t eight = 0; eight < trees_; eight += kWalks) {
        const int64_t end = std::min(eight + kWalks, trees_);
        for (int64_t tree = eight; tree < end; ++tree)
          for (int64_t r = 0; r < whole; r += kWalks) {
            const T* rows[kWalks];
            int32_t at[kWalks];
            for (int64_t i = 0; i < kWalks; ++i) rows[i] = row(first + r + i), at[i] = roots_[tree];
            walk_(nodes_, rows, x_.strides[1], depths_[tree], at);
            for (int64_t i = 0; i < kWalks; ++i) add(nodes_[at[i]], sums + (r + i) * outputs, seen + (r + i) * outputs);
          }
        for (int64_t r = whole; r < count; ++r) {
          int32_t at[kWalks];
          through_trees(row(first + r), eight, at);
          for (int64_t tree = eight; tree < end; ++tree) add(nodes_[at[tree - eight]], sums + r * outputs, seen + r * outputs);
        }
      }
      for (int64_t r = 0; r < count; ++r) write(sums + r * outputs, first + r);
    }

    static void clear(T* sums, uint8_t* seen, int64_t count) noexcept {
      std::fill_n(sums, count, T{0});
      std::fill_n(seen, count, uint8_t{0});
    }
    void write(const T* sums, int64_t to) const noexcept {
      T* const out = y_.template as<T>() + to * y_.strides[0];
      for (int64_t j = 0; j < op_.outputs; ++j) out[j * y_.strides[1]] = finish(sums[j], j);
    }

    void add(const Node<T>& leaf, T* sums, uint8_t* seen) const noexcept {
      if (meta_.leaves == Leaves::one) {
        if (op_.aggregate <= TreeAggregate::average) *sums += leaf.split;
        else take_weight(op_.aggregate, leaf.split, sums, seen);
        return;
      }
      const int64_t first = to_index(leaf.split);
      if (meta_.leaves == Leaves::dense) {
        if (op_.aggregate <= TreeAggregate::average)
          for (int64_t j = 0; j < op_.outputs; ++j) sums[j] += weights_[first + j];
        else
          for (int64_t j = 0; j < op_.outputs; ++j) take_weight(op_.aggregate, weights_[first + j], &sums[j], &seen[j]);
        return;
      }
      for (int64_t w = first; w >= 0;) {
        const bool last = targets_[w] < 0;
        const int32_t target = last ? ~targets_[w] : targets_[w];
        take_weight(op_.aggregate, weights_[w], &sums[target], &seen[target]);
        w = last ? -1 : w + 1;
      }
    }

    T finish(T value, int64_t j) const noexcept {
      const T own = base_ != nullptr ? element<T>(*base_, j) : T{0};
      return finished(op_.aggregate, value, trees_, base_ != nullptr ? &own : nullptr);
    }

    const Args& args_;
    const Cut& cut_;
    const TreeEnsembleAttributes& op_;
    const Meta& meta_;
    const Node<T>* nodes_;
    const int32_t *roots_, *depths_, *targets_;
    const T* weights_;
    const TensorView &x_, &y_;
    void (*const walk_)(const Node<T>*, const T* const*, int64_t, int32_t, int32_t*) noexcept;
    const int64_t trees_;
    const TensorView* base_;
  };
};

const PackedTrees kernel;

}  // namespace

constinit const HostKernel* const kPackedTrees = &kernel;

KernelList ensemble_kernels() noexcept {
  static const HostKernel* const list[] = {kPackedTrees, kReferenceTrees, kCouplePairs};
  return list;
}

}  // namespace anydim
