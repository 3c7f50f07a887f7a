// SPDX-License-Identifier: Apache-2.0
// Softmax, LogSoftmax and Hardmax. Before opset 13 they flatten their input to two axes at `axis` (default 1) and work
// on the second; since then they work on `axis` (default -1) alone.
#include <cmath>

#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/softmax.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

// Calls f(x, axis), around it the flattening if the opset asks for one.
template <class F> void over_axis(NodeImport& n, const F& f) {
  const ValueId x = n.in(0);
  const SymDims dims = n.dims(x);
  if (n.opset() >= 13) return n.out(0, f(x, n.axis(n.integer("axis", -1), dims.rank)));
  // Here axis == rank would be allowed for Flatten, but not for softmax.
  const int axis = n.axis(n.integer("axis", 1), dims.rank);
  if (axis == dims.rank - 1) return n.out(0, f(x, axis));
  const ValueId flat = n.reshape(x, {n.product(dims, 0, axis), n.product(dims, axis, dims.rank)});
  n.out(0, n.reshape(f(flat, 1), dims));
}

template <bool Log> void softmax(NodeImport& n) {
  over_axis(n, [&](ValueId x, int axis) { return n.add(Softmax::make(axis, Log), {x}); });
}

// One where the (first) largest element is, zero elsewhere.
void hardmax(NodeImport& n) {
  over_axis(n, [&](ValueId x, int axis) {
    const Dim length = n.dims(x)[axis];
    if (!n.ok() || length.is(0)) return x;  // no elements, so none is the largest
    // An axis that may turn out empty gets a last element that never wins: the index is there, and nothing at it.
    ValueId from = x;
    if (!n.pool().provably_at_least(length, 1)) {
      SymDims after = SymDims::filled(n.rank(x), 0);
      after[axis] = 1;
      from = n.add(Pad::make(Pad::Mode::constant, SymDims::filled(n.rank(x), 0), after), {x, n.scalar(n.dtype(x), -INFINITY)});
    }
    const ValueId at = n.add(ArgReduce::make(ArgReduceKind::max, axis, false, false), {from});
    const float off_on[] = {0.f, 1.f};
    const ValueId values = n.cast(n.constant(DType::f32, {2}, off_on), n.dtype(x));
    return n.add(OneHot::make(axis, length), {at, values});
  });
}

constexpr Importer kSoftmaxOperators[] = {
    {"Hardmax", 1, hardmax},
    {"LogSoftmax", 1, softmax<true>},
    {"Softmax", 1, softmax<false>},
};

}  // namespace

std::span<const Importer> softmax_importers() { return kSoftmaxOperators; }

}  // namespace anydim::onnx
