// SPDX-License-Identifier: Apache-2.0
// The f32 kernels for softmax and layer norm, one per instruction set, and the family's list.
#include "core/kernels/norm/norm.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/eltwise/row_chain.h"
#include "core/kernels/norm/rows.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/softmax.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

constexpr int64_t kElementsPerTask = 8 << 10;
constexpr int64_t kElementsPerPiece = 128 << 10;  // half of a second cache of 1 MB

void swap(int64_t& a, int64_t& b) noexcept {
  const int64_t t = a;
  a = b;
  b = t;
}

class SoftmaxKernel final : public HostKernel {
 public:
  constexpr SoftmaxKernel(const char* name, Isa isa, const NormFunctions& functions) noexcept
      : name_(name), key_{.op = OpKind::softmax, .isa = isa}, functions_(functions) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<Softmax>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("the input is not f32");
    if (p.post_ops->count != 0) return no("post-ops are not fused into softmax");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    const Softmax& op = *as<Softmax>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "softmax: axis", &axis));
    SplitAxes axes = split_axes(x.rank(), x.dims.values, x.strides.values, y.strides.values, 1u << axis);
    SoftmaxStrip whole{};
    whole.log = op.log();
    whole.lanes = axis == x.rank() - 1;
    whole.count = axes.reduced.count;
    whole.in_step = axes.reduced.in_strides[0];
    whole.out_step = axes.reduced.out_strides[0];
    whole.width = axes.width;
    whole.in_stride = axes.in_stride;
    whole.out_stride = axes.out_stride;
    // The innermost outer axis becomes the strip's second: short rows fill vectors across both. Where the output is
    // contiguous along it, it comes first.
    whole.height = 1;
    if (const int last = axes.outer_rank - 1; last >= 0) {
      whole.height = axes.outer_dims[last];
      whole.in_pitch = axes.outer_in[last];
      whole.out_pitch = axes.outer_out[last];
      --axes.outer_rank;
      axes.outer_count /= whole.height;
      if (whole.in_step == 1 && whole.out_pitch == 1) {
        swap(whole.width, whole.height);
        swap(whole.in_stride, whole.in_pitch);
        swap(whole.out_stride, whole.out_pitch);
      }
    }

    // Tasks cut the longer of the two axes.
    const bool by_height = whole.height > whole.width;
    const int64_t longer = by_height ? whole.height : whole.width, shorter = by_height ? whole.width : whole.height;
    int64_t chunk = longer, units_per_task = axes.outer_count;
    if (args.parallel.threads() > 1 && axes.outer_count * longer * shorter * whole.count > kElementsPerTask) {
      const int64_t wanted = ceil_div(4 * static_cast<int64_t>(args.parallel.threads()), axes.outer_count);
      chunk = round_up(ceil_div(longer, wanted), 16);
      units_per_task = ceil_div(kElementsPerTask, chunk * shorter * whole.count);
    }
    const int64_t chunks = ceil_div(longer, chunk), units = axes.outer_count * chunks;
    if (args.parallel.threads() == 1) units_per_task = units;
    auto task = [&](int64_t t, int) {
      const int64_t end = (t + 1) * units_per_task < units ? (t + 1) * units_per_task : units;
      for (int64_t u = t * units_per_task; u < end; ++u) {
        const int64_t i = u % chunks * chunk, n = longer - i < chunk ? longer - i : chunk;
        int64_t in, out;
        outer_offsets(axes, u / chunks, &in, &out);
        SoftmaxStrip strip = whole;
        (by_height ? strip.height : strip.width) = n;
        strip.in = x.as<float>() + in + i * (by_height ? whole.in_pitch : whole.in_stride);
        strip.out = y.as<float>() + out + i * (by_height ? whole.out_pitch : whole.out_stride);
        functions_.softmax(strip);
      }
    };
    args.parallel.run(ceil_div(units, units_per_task), task);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  const NormFunctions& functions_;
};

// Where the rows of layer norm lie: x, y and the post-ops' tensors over the same dims, repeating with stride 0. Kept axes that all of
// them walk as one are merged, those of size 1 are dropped.
struct RowViews {
  int kept = 0;  // axes before the normalised ones
  int count = 0;
  TensorView views[2 + kMaxPostOps];  // y, x, the post-ops'

  RowViews(const Args& args, int axis) noexcept {
    const TensorView& y = args.out[0];
    Strides strides[2 + kMaxPostOps];
    const auto add = [&](const TensorView& t) {
      strides[count] = broadcast_strides(t, y.dims);
      views[count] = t;
      views[count].dims = {};
      views[count++].strides = {};
    };
    add(y);
    add(args.in[0]);
    for (const TensorView& t : args.post_in) add(t);
    for (int a = 0; a < y.rank(); ++a) {
      if (a < axis && y.dims[a] == 1) continue;
      bool merges = a < axis && kept > 0;
      for (int i = 0; merges && i < count; ++i) merges = views[i].strides[kept - 1] == strides[i][a] * y.dims[a];
      for (int i = 0; i < count; ++i) {
        if (merges) {
          views[i].dims[kept - 1] *= y.dims[a];
          views[i].strides[kept - 1] = strides[i][a];
        } else {
          views[i].dims.push_back(y.dims[a]);
          views[i].strides.push_back(strides[i][a]);
        }
      }
      if (a < axis && !merges) ++kept;
    }
  }
  const TensorView& y() const noexcept { return views[0]; }
  const TensorView& x() const noexcept { return views[1]; }
};

// Positions [first, first + count) of an axis.
TensorView narrow(TensorView t, int axis, int64_t first, int64_t count) noexcept {
  t.data = t.as<float>() + first * t.strides[axis];
  t.dims[axis] = count;
  return t;
}

// What a task normalises, and what its post-ops pass over while it is in the caches: `count` rows that lie along one kept axis, at a
// coordinate of the others.
struct Rows {
  int along = 0;
  Dims at;  // where they begin
  int64_t count = 1;
  int64_t first = 0, positions = -1;  // of the rows' first axis; -1: all of them

  float* begin(const TensorView& t) const noexcept {
    int64_t offset = 0;
    for (int a = 0; a < at.rank; ++a) offset += at[a] * t.strides[a];
    return t.as<float>() + offset;
  }
  TensorView of(const TensorView& t) const noexcept {
    TensorView part = t;
    part.data = begin(t);
    for (int a = 0; a < at.rank; ++a) part.dims[a] = a == along ? count : 1;
    return positions < 0 ? part : narrow(part, at.rank, first, positions);
  }
};

// Rows that do not lie densely are gathered into scratch, one per worker, but where neighbours lie side by side: those are
// computed a vector of rows at a time. Scale and bias are gathered, too, once.
class LayerNormKernel final : public HostKernel {
 public:
  constexpr LayerNormKernel(const char* name, Isa isa, const NormFunctions& functions, EltwiseRows::Function* chain) noexcept
      : name_(name), key_{.op = OpKind::layer_norm, .isa = isa}, functions_(functions), chain_(chain) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<LayerNorm>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("x is not f32");
    return supports_post_ops(p);
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch_bytes(*args.op, args.in[0].dims, args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return scratch_bytes(*p.op, in[0], threads);
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    int axis;
    ANYDIM_TRY(normalise_axis(as<LayerNorm>(*args.op)->axis(), x.rank(), "layer_norm: axis", &axis));
    const uint32_t mask = ((1u << x.rank()) - 1) & ~((1u << axis) - 1);
    const ReducedAxes row = split_axes(x.rank(), x.dims.values, x.strides.values, y.strides.values, mask).reduced;
    const RowViews views(args, axis);
    const bool dense = row.count == 1 || (row.rank == 1 && row.in_strides[0] == 1 && row.out_strides[0] == 1);
    for (int a = 0; a < views.kept && !dense && row.rank == 1; ++a)
      if (views.x().strides[a] == 1) {
        run_strips(args, views, row, a);
        return {};
      }
    run_rows(args, views, row, dense);
    return {};
  }

 private:
  void run_rows(const Args& args, const RowViews& views, const ReducedAxes& row, bool dense) const noexcept {
    const int64_t n = row.count, threads = args.parallel.threads();
    const int along = views.kept > 0 ? views.kept - 1 : 0;
    const int64_t rows = views.y().count() / n;
    int64_t each = rows;
    if (threads > 1) {
      each = ceil_div(rows, 4 * threads);
      if (each * n < kElementsPerTask) each = ceil_div(kElementsPerTask, n);
    }
    if (args.post_ops->count > 0 && each * n > kElementsPerTask) each = ceil_div(kElementsPerTask, n);
    const float epsilon = as<LayerNorm>(*args.op)->epsilon();
    const float *scale = parameter(args, 1, n), *bias = parameter(args, 2, n);
    RowChain posts;
    posts.append(*args.post_ops, 1);
    for_rows(args.parallel, views, along, each, [&](const Rows& part, int worker) {
      float* copy = static_cast<float*>(args.scratch) + (2 + worker) * row_floats(n);
      const float* from = part.begin(views.x());
      float* to = part.begin(views.y());
      const int64_t step = views.kept > 0 ? views.x().strides[along] : 0, out_step = views.kept > 0 ? views.y().strides[along] : 0;
      for (int64_t i = 0; i < part.count; ++i, from += step, to += out_step) {
        if (dense) {
          functions_.layer_norm({from, scale, bias, to, n, epsilon});
          continue;
        }
        ReducedCursor gather{row}, scatter{row};
        for (int64_t r = 0; r < n; ++r, gather.advance(1)) copy[r] = from[gather.in];
        functions_.layer_norm({copy, scale, bias, copy, n, epsilon});
        for (int64_t r = 0; r < n; ++r, scatter.advance(1)) to[scatter.out] = copy[r];
      }
      if (posts.count > 0) run_chain(posts, views, part, {}, Parallel(1));
    });
  }

  // Neighbours along a kept axis, a strip of them at a time. Where there are fewer strips than threads, these share each strip.
  void run_strips(const Args& args, const RowViews& views, const ReducedAxes& row, int along) const noexcept {
    const int64_t n = row.count, width = views.x().dims[along], others = views.y().count() / n / width;
    const int64_t threads = others * width * n > kElementsPerTask ? args.parallel.threads() : 1;
    const bool share = others * ceil_div(width, kStripWidth) < threads;
    const Parallel one(1), &inner = share ? args.parallel : one;
    const float epsilon = as<LayerNorm>(*args.op)->epsilon();
    const float *scale = parameter(args, 1, n), *bias = parameter(args, 2, n);
    // Without scale and bias the element-wise machine normalises, too, if it goes along both sides: y = (x - mean) * rstd.
    const bool plain = !scale && !bias && views.y().strides[along] == 1;
    RowChain chain;
    if (plain) {
      chain.append({PostOp::Kind::binary, UnaryFunction::identity, BinaryFunction::sub}, 1);
      chain.append({PostOp::Kind::binary, UnaryFunction::identity, BinaryFunction::mul}, 2);
    }
    chain.append(*args.post_ops, plain ? 3 : 1);
    for_rows(share || threads == 1 ? one : args.parallel, views, along, kStripWidth, [&](const Rows& part, int) {
      alignas(64) float mean[kStripWidth], rstd[kStripWidth];
      LaneSums sums{part.begin(views.x()), nullptr, part.count, row.in_strides[0]};
      // What was read last is still in the caches: each of the three passes begins where the one before it ended.
      sum_lanes(sums, n, inner, mean, Direction::backward);
      functions_.to_mean(mean, part.count, n);
      sums.mean = mean;
      sum_lanes(sums, n, inner, rstd, Direction::forward);
      functions_.to_rstd(rstd, part.count, n, epsilon);
      if (!plain) {
        const int64_t each = std::min(ceil_div(n, 2 * inner.threads()), kLaneBlock), pieces = ceil_div(n, each);
        inner.run(pieces, [&](int64_t t, int) {
          const int64_t at = (pieces - 1 - t) * each;
          functions_.layer_norm_across({sums.in + at * sums.step, mean, rstd, scale ? scale + at : nullptr, bias ? bias + at : nullptr,
                                        part.begin(views.y()) + at * row.out_strides[0], part.count, views.y().strides[along],
                                        n - at < each ? n - at : each, sums.step, row.out_strides[0]});
        });
        if (chain.count > 0) run_chain(chain, views, part, {}, inner);
        return;
      }
      TensorView operands[3];  // x, and the statistics along the kept axis
      for (TensorView& t : operands) t = part.of(views.x());
      for (int i = 1; i < 3; ++i) {
        operands[i].data = i == 1 ? mean : rstd;
        operands[i].strides = Strides::filled(operands[i].rank(), 0);
        operands[i].strides[along] = 1;
      }
      // Backward, in pieces along the first axis of the rows.
      const int cut = views.kept;
      const int64_t length = views.y().dims[cut], row_positions = n / length;
      const int64_t each = std::max<int64_t>(kElementsPerPiece * inner.threads() / (row_positions * part.count), 1);
      for (int64_t end = length; end > 0; end -= each) {
        const int64_t begin = std::max<int64_t>(end - each, 0);
        TensorView pieces[3];
        for (int i = 0; i < 3; ++i) pieces[i] = narrow(operands[i], cut, begin, end - begin);
        Rows piece = part;
        piece.first = begin;
        piece.positions = end - begin;
        run_chain(chain, views, piece, pieces, inner);
      }
    });
  }
  enum class Direction { forward, backward };
  // The lane rule over all n positions of a strip; threads share the lanes. Blocks may be met backward as long as their sums, which are
  // added in order, can be kept.
  void sum_lanes(const LaneSums& strip, int64_t n, const Parallel& parallel, float* total, Direction direction) const noexcept {
    constexpr int64_t kBlocksKept = 16;
    alignas(64) float lanes[kReductionLanes * kStripWidth], kept[kBlocksKept][kStripWidth];
    const int64_t blocks = ceil_div(n, kLaneBlock);
    const bool backward = direction == Direction::backward && blocks <= kBlocksKept;
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t block = backward ? blocks - 1 - b : b, begin = block * kLaneBlock;
      const int64_t groups = parallel.threads() < kReductionLanes ? parallel.threads() : kReductionLanes;
      const int64_t each = ceil_div(kReductionLanes, groups);
      parallel.run(ceil_div(kReductionLanes, each), [&](int64_t t, int) {
        LaneSums s = strip;
        s.begin = begin;
        s.end = n - begin < kLaneBlock ? n : begin + kLaneBlock;
        s.first_lane = static_cast<int>(t * each);
        s.last_lane = static_cast<int>(kReductionLanes - t * each < each ? kReductionLanes : (t + 1) * each);
        s.sums = lanes;
        std::memset(lanes + s.first_lane * kStripWidth, 0, static_cast<size_t>(s.last_lane - s.first_lane) * kStripWidth * sizeof(float));
        functions_.lane_sums(s);
      });
      if (backward) functions_.close_block(lanes, strip.width, true, kept[block]);
      else functions_.close_block(lanes, strip.width, block == 0, total);
    }
    if (!backward) return;
    std::memcpy(total, kept[0], sizeof kept[0]);
    for (int64_t block = 1; block < blocks; ++block)
      for (int64_t i = 0; i < strip.width; ++i) total[i] = total[i] + kept[block][i];
  }

  // f(rows, worker) for all rows, `each` along the axis at a time.
  template <class F> static void for_rows(const Parallel& parallel, const RowViews& views, int along, int64_t each, F f) noexcept {
    const int kept = views.kept;
    const Dims& dims = views.y().dims;
    const int64_t length = kept > 0 ? dims[along] : 1, chunks = ceil_div(length, each);
    int64_t others = 1;
    for (int a = 0; a < kept; ++a) others *= a == along ? 1 : dims[a];
    parallel.run(others * chunks, [&](int64_t t, int worker) {
      Rows rows{along, Dims::filled(kept, 0), 1};
      int64_t rest = t / chunks;
      for (int a = kept - 1; a >= 0; --a) {
        if (a == along) {
          rows.at[a] = t % chunks * each;
          rows.count = length - rows.at[a] < each ? length - rows.at[a] : each;
        } else {
          rows.at[a] = rest % dims[a];
          rest /= dims[a];
        }
      }
      f(static_cast<const Rows&>(rows), worker);
    });
  }
  // The chain from `in`, or else from y itself, into the rows of y.
  void run_chain(const RowChain& chain, const RowViews& views, const Rows& rows, std::span<const TensorView> in,
                 const Parallel& parallel) const noexcept {
    const TensorView y = rows.of(views.y());
    TensorView posts[kMaxPostOps];
    for (int i = 2; i < views.count; ++i) posts[i - 2] = rows.of(views.views[i]);
    run_row_chain(chain_, chain, y, in.empty() ? std::span<const TensorView>(&y, 1) : in, {posts, static_cast<size_t>(views.count - 2)},
                  parallel);
  }
  // Scale or bias, contiguous; null if it is not given.
  static const float* parameter(const Args& args, size_t i, int64_t n) noexcept {
    if (args.in.size() <= i || args.in[i].dtype == DType::none) return nullptr;
    const TensorView& t = args.in[i];
    if (is_row_major(t)) return t.as<float>();
    float* copy = static_cast<float*>(args.scratch) + static_cast<int64_t>(i - 1) * row_floats(n);
    const SplitAxes all = split_axes(t.rank(), t.dims.values, t.strides.values, t.strides.values, (1u << t.rank()) - 1);
    ReducedCursor c{all.reduced};
    for (int64_t r = 0; r < n; ++r, c.advance(1)) copy[r] = t.as<float>()[c.in];
    return copy;
  }

  // Rows in scratch begin at whole cache lines.
  static int64_t row_floats(int64_t n) noexcept { return round_up(n, 16); }
  static int64_t scratch_bytes(const Operator& op, const Dims& x, int threads) noexcept {
    int axis;
    if (!normalise_axis(as<LayerNorm>(op)->axis(), x.rank, "axis", &axis).ok()) return 0;
    int64_t n = 1;
    for (int a = axis; a < x.rank; ++a) n = saturating_mul(n, x[a]);
    return saturating_mul(row_floats(n), static_cast<int64_t>(sizeof(float)) * (2 + threads));
  }
  const char* name_;
  KernelKey key_;
  const NormFunctions& functions_;
  EltwiseRows::Function* chain_;
};

}  // namespace

KernelList norm_kernels() noexcept {
  static const KernelsOfSets<"softmax", SoftmaxKernel, NormFunctions> softmax;
  static const KernelsOfSets<"layer_norm", LayerNormKernel, NormFunctions, EltwiseRows> layer_norm;
  static const auto all =
      kernel_list(softmax, kept<"softmax.reference", kSoftmaxReference>(), layer_norm, kept<"layer_norm.reference", kLayerNormReference>());
  return all;
}

}  // namespace anydim
