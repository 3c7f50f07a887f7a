// SPDX-License-Identifier: Apache-2.0
// Reductions, indices of extremes, running sums, and the k largest.
#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/cumsum.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/topk.h"
#include "onnx/walk/operators.h"
#include "onnx/walk/run_time_axes.h"

namespace anydim::onnx {
namespace {

// A sum over exactly the last axis has another order than all others (docs/numerics.md, section 2), and only the run knows which it is.
// Both are there, and one of them is of no elements: a slice of the first axis, which copies nothing. Their results in a row:
// [number of kept elements].
ValueId reduce_last_or_other(NodeImport& n, ReduceKind kind, ValueId x, const RunTimeAxes& reduced) {
  DimPool& pool = n.pool();
  const SymDims dims = n.dims(x);
  const Dim is_last = reduced.listed(dims.rank - 1);
  const int64_t last = dims.rank - 1;
  const ValueId lines = n.slice(x, 0, 0, pool.select(is_last, dims[0], 0));
  const ValueId of_last = n.add(Reduce::make(kind, std::span(&last, 1), false), {lines});
  const ValueId others = n.slice(x, 0, 0, pool.select(is_last, 0, dims[0]));
  if (!n.ok()) return kNoValue;
  std::vector<int64_t> places;
  const SymDims apart = reduced.apart(n.dims(others), &places);
  const ValueId of_others = n.add(Reduce::make(kind, places, true), {n.reshape(others, apart)});
  if (!n.ok()) return kNoValue;
  const auto in_a_row = [&](ValueId y) { return n.reshape(y, {n.product(n.dims(y), 0, n.rank(y))}); };
  return n.add(Concat::make(0), {in_a_row(of_last), in_a_row(of_others)});
}

// Axes that a run brings: they are moved to fixed places by a reshape, which costs nothing, and the result's dims are chosen.
void reduce_at_run_time(NodeImport& n, ReduceKind kind, ValueId x, const std::vector<Dim>& axes, bool keepdims) {
  const SymDims dims = n.dims(x);
  if (axes.size() > static_cast<size_t>(dims.rank)) return n.wrong("{} axes are given; input 0 has rank {}", axes.size(), dims.rank);
  const RunTimeAxes reduced(n, axes, dims.rank);
  std::vector<int64_t> places;
  const SymDims apart = reduced.apart(dims, &places);
  if (n.ok() && places.empty())
    n.unsupported("{} axes of an input of rank {} are only known at run time; expected fewer axes, or constants", axes.size(), dims.rank);
  if (!n.ok()) return;
  const bool ordered = dtype_is_float(n.dtype(x)) && kind != ReduceKind::max && kind != ReduceKind::min;
  const ValueId y = ordered && axes.size() == 1 && dims.rank > 1 ? reduce_last_or_other(n, kind, x, reduced)
                                                                 : n.add(Reduce::make(kind, places, true), {n.reshape(x, apart)});
  n.out(0, n.reshape(y, keepdims ? reduced.with_ones_at(dims) : reduced.others(dims)));
}

// Axes are an attribute, then an optional input: ReduceSum since opset 13, the others since 18.
template <ReduceKind K> void reduce(NodeImport& n) {
  const bool input_axes = n.opset() >= (K == ReduceKind::sum ? 13 : 18);
  const ValueId x = n.in(0);
  const bool keepdims = n.integer("keepdims", 1) != 0;
  std::vector<int64_t> axes;
  if (!input_axes) axes = n.integers("axes");
  else if (n.has(1)) {
    const std::vector<Dim> axis_dims = n.elements(1, "axes");
    if (!n.ok()) return;
    if (!all_numbers(axis_dims)) return reduce_at_run_time(n, K, x, axis_dims, keepdims);
    for (const Dim axis : axis_dims) axes.push_back(axis.number());
  }
  if (axes.empty() && input_axes && n.integer("noop_with_empty_axes", 0) != 0) {
    // Nothing is reduced, but the element's own step is done: |x|, x * x, log(x), ...
    switch (K) {
      case ReduceKind::l1: return n.out(0, n.unary(UnaryFunction::abs, x));
      case ReduceKind::l2: return n.out(0, n.unary(UnaryFunction::abs, x));
      case ReduceKind::sum_square: return n.out(0, n.binary(BinaryFunction::mul, x, x));
      case ReduceKind::log_sum:
        if (n.ok() && !dtype_is_float(n.dtype(x))) n.unsupported("input 0 has dtype {}; expected a float", dtype_name(n.dtype(x)));
        return n.out(0, n.unary(UnaryFunction::log, x));
      default: return n.out(0, x);
    }
  }
  n.out(0, n.add(Reduce::make(K, n.distinct_axes(axes, n.rank(x)), keepdims), {x}));
}

template <ArgReduceKind K> void arg_reduce(NodeImport& n) {
  const ValueId x = n.in(0);
  n.out(0, n.add(ArgReduce::make(K, n.integer("axis", 0), n.integer("keepdims", 1) != 0, n.integer("select_last_index", 0) != 0), {x}));
}

template <bool Product> void cumsum(NodeImport& n) {
  const ValueId x = n.in(0), axis = n.in(1);
  CumSum::Attributes a;
  a.exclusive = n.integer("exclusive", 0) != 0;
  a.reverse = n.integer("reverse", 0) != 0;
  a.product = Product;
  n.out(0, n.add(CumSum::make(a), {x, axis}));
}

// k is an attribute before opset 10; largest and sorted exist since 11.
void topk(NodeImport& n) {
  const ValueId x = n.in(0);
  TopK::Attributes a;
  a.axis = n.axis(n.integer("axis", -1), n.rank(x));
  if (n.opset() < 10) {
    a.k = n.integer("k");
  } else {
    ValueId k = n.in(1);
    n.require_single(k, "k");
    if (n.ok() && !n.product(n.dims(k), 0, n.rank(k)).is(1)) k = n.reshape(k, {});  // only a run knows its dims
    // One that a node computes is at most the size of the axis, which bounds the outputs.
    if (n.ok()) a.k = n.size_of(k, n.rank(x) > 0 ? n.dims(x)[a.axis] : Dim(0));
  }
  a.largest = n.integer("largest", 1) != 0;
  a.sorted = n.integer("sorted", 1) != 0;
  const std::vector<ValueId> y = n.add_many(TopK::make(a), {x}, 2);
  n.out(0, y[0]);
  n.out(1, y[1]);
}

constexpr Importer kReductionOperators[] = {
    {"ArgMax", 1, arg_reduce<ArgReduceKind::max>},
    {"ArgMin", 1, arg_reduce<ArgReduceKind::min>},
    {"CumProd", 26, cumsum<true>},
    {"CumSum", 11, cumsum<false>},
    {"ReduceL1", 1, reduce<ReduceKind::l1>},
    {"ReduceL2", 1, reduce<ReduceKind::l2>},
    {"ReduceLogSum", 1, reduce<ReduceKind::log_sum>},
    {"ReduceLogSumExp", 1, reduce<ReduceKind::log_sum_exp>},
    {"ReduceMax", 1, reduce<ReduceKind::max>},
    {"ReduceMean", 1, reduce<ReduceKind::mean>},
    {"ReduceMin", 1, reduce<ReduceKind::min>},
    {"ReduceProd", 1, reduce<ReduceKind::prod>},
    {"ReduceSum", 1, reduce<ReduceKind::sum>},
    {"ReduceSumSquare", 1, reduce<ReduceKind::sum_square>},
    {"TopK", 1, topk},
};

}  // namespace

std::span<const Importer> reduction_importers() { return kReductionOperators; }

}  // namespace anydim::onnx
