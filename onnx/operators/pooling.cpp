// SPDX-License-Identifier: Apache-2.0
// Poolings, windowed and global. LpPool is written in terms of the average.
#include <algorithm>

#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reduce.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {

Pooling::Attributes pooling_attributes(NodeImport& n, ValueId x, Pooling::Kind kind) {
  const SpatialAttributes s = spatial_attributes(n, n.rank(x));
  if (n.ok() && !s.has_kernel) n.wrong("attribute kernel_shape is absent; it is required");
  Pooling::Attributes a;
  a.kind = kind;
  a.spatial = s.spatial;
  std::copy(s.kernel, s.kernel + kMaxSpatial, a.window);
  std::copy(s.strides, s.strides + kMaxSpatial, a.strides);
  std::copy(s.dilations, s.dilations + kMaxSpatial, a.dilations);
  std::copy(s.pads_begin, s.pads_begin + kMaxSpatial, a.pads_begin);
  std::copy(s.pads_end, s.pads_end + kMaxSpatial, a.pads_end);
  a.auto_pad = s.auto_pad;
  a.ceil_mode = n.integer("ceil_mode", 0) != 0;
  return a;
}

namespace {

void average_pool(NodeImport& n) {
  const ValueId x = n.in(0);
  Pooling::Attributes a = pooling_attributes(n, x, Pooling::Kind::average);
  a.count_include_pad = n.integer("count_include_pad", 0) != 0;
  n.out(0, n.add(Pooling::make(a), {x}));
}

void max_pool(NodeImport& n) {
  const ValueId x = n.in(0);
  Pooling::Attributes a = pooling_attributes(n, x, Pooling::Kind::max);
  a.indices = n.wants(1);
  a.column_major_indices = n.integer("storage_order", 0) != 0;
  const std::vector<ValueId> y = n.add_many(Pooling::make(a), {x}, 2);
  n.out(0, y[0]);
  n.out(1, y[1]);
}

template <Pooling::Kind K> void global_pool(NodeImport& n) {
  const ValueId x = n.in(0);
  Pooling::Attributes a;
  a.kind = K;
  a.global = true;
  a.spatial = std::clamp(n.rank(x) - 2, 1, kMaxSpatial);
  if (n.ok() && n.rank(x) < 3) n.wrong("input 0 has rank {}; expected 3 or more", n.rank(x));
  if (n.ok() && K == Pooling::Kind::max) {  // a maximum in any layout
    std::vector<int64_t> axes;
    for (int i = 2; i < n.rank(x); ++i) axes.push_back(i);
    return n.out(0, n.add(Reduce::make(ReduceKind::max, axes, true), {x}));
  }
  if (!n.ok() || n.rank(x) - 2 <= kMaxSpatial) return n.out(0, n.add(Pooling::make(a), {x}));
  // More axes than a pooling has are one axis: taps keep their order, and with it the sum its bits.
  const SymDims dims = n.dims(x);
  SymDims ones = SymDims::filled(dims.rank, 1);
  ones[0] = dims[0];
  ones[1] = dims[1];
  a.spatial = 1;
  const ValueId y = n.add(Pooling::make(a), {n.reshape(x, {dims[0], dims[1], n.product(dims, 2, dims.rank)})});
  n.out(0, n.reshape(y, ones));
}

// An integer since opset 2.
double power_of(NodeImport& n) { return n.opset() < 2 ? n.real("p", 2.f) : static_cast<double>(n.integer("p", 2)); }

// Zeros behind each axis, as many as the last window of ceil_mode lacks: then all windows have all their taps.
ValueId with_whole_windows(NodeImport& n, ValueId x, const Pooling::Attributes& a) {
  if (!n.ok()) return kNoValue;
  DimPool& pool = n.pool();
  const SymDims dims = n.dims(x);
  SymDims after = SymDims::filled(dims.rank, 0);
  for (int i = 0; i < dims.rank - 2; ++i) {
    const bool padded = a.auto_pad == AutoPad::explicit_;
    const int64_t begin = padded ? a.pads_begin[i] : 0, end = padded ? a.pads_end[i] : 0;
    const int64_t reach = (a.window[i] - 1) * a.dilations[i] + 1, stride = a.strides[i];
    const Dim have = pool.add(dims[2 + i], begin + end);
    Dim last = pool.mul(pool.ceil_div(pool.sub(have, reach), stride), stride);  // where the last window begins
    // One that would begin in the padding behind the input is dropped.
    last = pool.sub(last, pool.mul(pool.less(pool.add(dims[2 + i], begin - 1), last), stride));
    after[2 + i] = pool.max(pool.sub(pool.add(last, reach), have), 0);
  }
  return n.add(Pad::make(Pad::Mode::constant, SymDims::filled(dims.rank, 0), after), {x, n.scalar(n.dtype(x), 0)});
}

// (sum of |x|^p over the window)^(1/p); padding adds nothing to the sum, so the average counts it.
void lp_pool(NodeImport& n) {
  const ValueId x = n.in(0);
  Pooling::Attributes a = pooling_attributes(n, x, Pooling::Kind::average);
  a.count_include_pad = true;
  const double p = power_of(n);
  const DType t = NodeImport::computed_type(n.dtype(x));
  ValueId power = n.binary(BinaryFunction::pow, n.unary(UnaryFunction::abs, n.widened(x)), n.scalar(t, p));
  if (a.ceil_mode && a.auto_pad != AutoPad::same_upper && a.auto_pad != AutoPad::same_lower) power = with_whole_windows(n, power, a);
  a.ceil_mode = false;
  int64_t taps = 1;
  for (const int64_t k : a.window)
    if (!checked_mul(taps, k, &taps)) n.wrong("kernel_shape overflows");
  const ValueId average = n.add(Pooling::make(a), {power});
  const ValueId sum = n.binary(BinaryFunction::mul, average, n.scalar(t, static_cast<double>(taps)));
  n.out(0, n.cast(n.binary(BinaryFunction::pow, sum, n.scalar(t, 1.0 / p)), n.dtype(x)));
}
void global_lp_pool(NodeImport& n) {
  const ValueId x = n.in(0);
  const double p = power_of(n);
  std::vector<int64_t> axes;
  for (int i = 2; i < n.rank(x); ++i) axes.push_back(i);
  if (n.ok() && axes.empty()) n.wrong("input 0 has rank {}; expected 3 or more", n.rank(x));
  if (p == 2) return n.out(0, n.add(Reduce::make(ReduceKind::l2, axes, true), {x}));
  if (p == 1) return n.out(0, n.add(Reduce::make(ReduceKind::l1, axes, true), {x}));
  n.unsupported("p is {}; expected 1 or 2", p);
}

constexpr Importer kPoolingOperators[] = {
    {"AveragePool", 1, average_pool},
    {"GlobalAveragePool", 1, global_pool<Pooling::Kind::average>},
    {"GlobalLpPool", 1, global_lp_pool},
    {"GlobalMaxPool", 1, global_pool<Pooling::Kind::max>},
    {"LpPool", 1, lp_pool},
    {"MaxPool", 1, max_pool},
};

}  // namespace

std::span<const Importer> pooling_importers() { return kPoolingOperators; }

}  // namespace anydim::onnx
