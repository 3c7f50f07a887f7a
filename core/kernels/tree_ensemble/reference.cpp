// SPDX-License-Identifier: Apache-2.0
// Trees as they are described: row by row, tree by tree, on the operator's own tables, each node checked when a walk comes to it. The
// packed kernel is compared with it; it also runs where the tables come with each call.
#include <algorithm>

#include "core/kernels/tree_ensemble/tree_ensemble.h"
#include "core/kernels/tree_ensemble/trees.h"
#include "core/kernels/plain_kernel.h"

namespace anydim {

Status check_node(const TreeNode& node, int64_t index, const TreeSizes& sizes) noexcept {
  using Op = TreeEnsemble;
  if (!Op::is_mode(node.mode)) return error(Code::invalid_data, "tree_ensemble: node {} has mode {}", index, node.mode);
  if (node.mode == Op::kLeaf) {
    if (node.feature != 0) return error(Code::invalid_data, "tree_ensemble: leaf {} has feature {}; expected 0", index, node.feature);
    if (node.when_true < 0 || node.when_false < 0 || int64_t{node.when_true} + node.when_false > sizes.weights)
      return error(Code::invalid_data, "tree_ensemble: leaf {} has {} weights from {} on; there are {}", index, node.when_false,
                   node.when_true, sizes.weights);
    return {};
  }
  if (node.feature < 0 || node.feature >= sizes.features)
    return error(Code::invalid_data, "tree_ensemble: node {} has feature {}; there are {}", index, node.feature, sizes.features);
  for (const int32_t child : {node.when_true, node.when_false})
    if (child <= index || child >= sizes.nodes)
      return error(Code::invalid_data, "tree_ensemble: node {} leads to node {}; expected one behind it and below {}", index, child,
                   sizes.nodes);
  return {};
}

Status check_root(int64_t root, int64_t tree, int64_t nodes) noexcept {
  if (root >= 0 && root < nodes) return {};
  return error(Code::invalid_data, "tree_ensemble: tree {} begins with node {}; there are {}", tree, root, nodes);
}

Status check_target(int64_t target, int64_t weight, int64_t outputs) noexcept {
  if (target >= 0 && target < outputs) return {};
  return error(Code::invalid_data, "tree_ensemble: weight {} is of target {}; there are {}", weight, target, outputs);
}

namespace {

using Op = TreeEnsemble;

template <class T> bool holds(int32_t mode, T x, T split) noexcept {
  if (x != x && (mode & Op::kNanIsTrue) != 0) return true;
  switch (mode & ~Op::kNanIsTrue) {
    case Op::kLessEqual: return x <= split;
    case Op::kLess: return x < split;
    case Op::kGreaterEqual: return x >= split;
    case Op::kGreater: return x > split;
    case Op::kEqual: return x == split;
    default: return x != split;
  }
}

template <class T> Status run_rows(const Args& args) noexcept {
  const auto& at = as<Op>(*args.op)->get();
  const TensorView &x = args.in[Op::kX], &splits = args.in[Op::kSplits], &nodes = args.in[Op::kNodes], &roots = args.in[Op::kRoots],
                   &targets = args.in[Op::kTargets], &weights = args.in[Op::kWeights], &y = args.out[0];
  const TensorView* const base = args.in.size() > Op::kBase && args.in[Op::kBase].dtype != DType::none ? &args.in[Op::kBase] : nullptr;
  const int64_t rows = x.dims[0], trees = roots.dims[0];
  const TreeSizes sizes{splits.dims[0], weights.dims[0], std::min(x.dims[1], int64_t{1} << kFeatureBits)};
  auto* const seen = static_cast<uint8_t*>(args.scratch);
  for (int64_t row = 0; row < rows; ++row) {
    const T* const features = x.as<const T>() + row * x.strides[0];
    T* const out = y.as<T>() + row * y.strides[0];
    for (int64_t j = 0; j < at.outputs; ++j) out[j * y.strides[1]] = 0, seen[j] = 0;
    for (int64_t tree = 0; tree < trees; ++tree) {
      int64_t i = element<int32_t>(roots, tree);
      ANYDIM_TRY(check_root(i, tree, sizes.nodes));
      TreeNode node = tree_node(nodes, i);
      ANYDIM_TRY(check_node(node, i, sizes));
      while (node.mode != Op::kLeaf) {
        i = holds(node.mode, features[node.feature * x.strides[1]], element<T>(splits, i)) ? node.when_true : node.when_false;
        node = tree_node(nodes, i);
        ANYDIM_TRY(check_node(node, i, sizes));
      }
      for (int64_t w = node.when_true; w < int64_t{node.when_true} + node.when_false; ++w) {
        const int64_t target = element<int32_t>(targets, w);
        ANYDIM_TRY(check_target(target, w, at.outputs));
        take_weight(at.aggregate, element<T>(weights, w), &out[target * y.strides[1]], &seen[target]);
      }
    }
    for (int64_t j = 0; j < at.outputs; ++j) {
      const T own = base != nullptr ? element<T>(*base, j) : T{0};
      out[j * y.strides[1]] = finished(at.aggregate, out[j * y.strides[1]], trees, base != nullptr ? &own : nullptr);
    }
  }
  return {};
}

class ReferenceTrees final : public PlainKernel {
 public:
  constexpr ReferenceTrees() noexcept : PlainKernel("tree_ensemble.reference", OpKind::tree_ensemble) {}
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = as<Op>(*args.op)->get().outputs; }
  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims>, int) const noexcept override {
    return as<Op>(*p.op)->get().outputs;
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    return args.in[Op::kX].dtype == DType::f64 ? run_rows<double>(args) : run_rows<float>(args);
  }
};

const ReferenceTrees kernel;

}  // namespace

constinit const HostKernel* const kReferenceTrees = &kernel;

}  // namespace anydim
