// SPDX-License-Identifier: Apache-2.0
// Operator structs of the C API as operators of the core. One reader per struct; what an attribute means and whether
// it is valid is the operator's own business (core/ops).
#include <cstring>

#include "capi/objects.h"
#include "capi/shim_support.h"
#include "core/ops/binary.h"
#include "core/ops/cast.h"
#include "core/ops/concat.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/layer_norm.h"
#include "core/ops/matmul.h"
#include "core/ops/pooling.h"
#include "core/ops/reduce.h"
#include "core/ops/resize.h"
#include "core/ops/softmax.h"
#include "core/ops/transpose.h"
#include "core/ops/unary.h"

namespace anydim::capi {

namespace {

template <size_t n> void copy(int64_t (&to)[n], const int64_t (&from)[n]) { std::copy(from, from + n, to); }

Status check_enum(int32_t value, int32_t count, const char* what) {
  if (value >= 0 && value < count) return {};
  return invalid("{} is {}; expected 0..{}", what, value, count - 1);
}

Status check_spatial(int32_t spatial) {
  if (spatial >= 1 && spatial <= ANYDIM_MAX_SPATIAL) return {};
  return invalid("spatial is {}; expected 1..{}", spatial, ANYDIM_MAX_SPATIAL);
}

Status check_list(const anydim_dims_t& d, const char* what) {
  if (d.rank >= 0 && d.rank <= kMaxRank) return {};
  return invalid("{}.rank is {}; expected 0..{}", what, d.rank, kMaxRank);
}

Result<OperatorPtr> make(const anydim_convolution_t& s) {
  if (Status bad = check_spatial(s.spatial); !bad.ok()) return bad;
  Convolution::Attributes a;
  a.spatial = s.spatial;
  copy(a.strides, s.strides);
  copy(a.dilations, s.dilations);
  copy(a.pads_begin, s.pads_begin);
  copy(a.pads_end, s.pads_end);
  a.group = s.groups;
  return Convolution::make(a);
}

Result<OperatorPtr> make(const anydim_conv_transpose_t& s) {
  if (Status bad = check_spatial(s.spatial); !bad.ok()) return bad;
  ConvTranspose::Attributes a;
  a.spatial = s.spatial;
  copy(a.strides, s.strides);
  copy(a.dilations, s.dilations);
  copy(a.pads_begin, s.pads_begin);
  copy(a.pads_end, s.pads_end);
  copy(a.output_padding, s.output_padding);
  a.group = s.groups;
  return ConvTranspose::make(a);
}

Result<OperatorPtr> make(const anydim_matmul_t& s) {
  Matmul::Attributes a;
  a.trans_a = s.transpose_a != 0;
  a.trans_b = s.transpose_b != 0;
  a.alpha = s.alpha;
  a.beta = s.beta;
  return Matmul::make(a);
}

Result<OperatorPtr> make(const anydim_pooling_t& s) {
  if (Status bad = check_enum(s.pooling, 2, "pooling"); !bad.ok()) return bad;
  if (Status bad = check_spatial(s.spatial); !bad.ok()) return bad;
  Pooling::Attributes a;
  a.kind = s.pooling == ANYDIM_POOLING_MAX ? Pooling::Kind::max : Pooling::Kind::average;
  a.global = s.global != 0;
  a.spatial = s.spatial;
  copy(a.kernel, s.kernel);
  copy(a.strides, s.strides);
  copy(a.dilations, s.dilations);
  copy(a.pads_begin, s.pads_begin);
  copy(a.pads_end, s.pads_end);
  a.ceil_mode = s.ceil_mode != 0;
  a.count_include_pad = s.count_include_pad != 0;
  return Pooling::make(a);
}

Result<OperatorPtr> make(const anydim_unary_t& s) {
  if (Status bad = check_enum(s.function, static_cast<int32_t>(UnaryFunction::count_), "function"); !bad.ok()) return bad;
  return Unary::make(static_cast<UnaryFunction>(s.function), s.alpha, s.beta);
}

Result<OperatorPtr> make(const anydim_binary_t& s) {
  if (Status bad = check_enum(s.function, static_cast<int32_t>(BinaryFunction::count_), "function"); !bad.ok()) return bad;
  return Binary::make(static_cast<BinaryFunction>(s.function));
}

Result<OperatorPtr> make(const anydim_reduce_t& s) {
  constexpr ReduceKind kinds[] = {ReduceKind::sum, ReduceKind::mean, ReduceKind::max,        ReduceKind::min,     ReduceKind::prod,
                                  ReduceKind::l1,  ReduceKind::l2,   ReduceKind::sum_square, ReduceKind::log_sum, ReduceKind::log_sum_exp};
  if (Status bad = check_enum(s.function, std::size(kinds), "function"); !bad.ok()) return bad;
  if (Status bad = check_list(s.axes, "axes"); !bad.ok()) return bad;
  return Reduce::make(kinds[s.function], {s.axes.values, static_cast<size_t>(s.axes.rank)}, s.keep_dims != 0);
}

Result<OperatorPtr> make(const anydim_softmax_t& s) { return Softmax::make(s.axis, s.log != 0); }

Result<OperatorPtr> make(const anydim_layer_norm_t& s) { return LayerNorm::make(s.axis, s.epsilon); }

Result<OperatorPtr> make(const anydim_resize_t& s) {
  constexpr Resize::Mode modes[] = {Resize::Mode::nearest, Resize::Mode::linear, Resize::Mode::cubic};
  constexpr Resize::Coordinates coordinates[] = {Resize::Coordinates::half_pixel, Resize::Coordinates::asymmetric,
                                                 Resize::Coordinates::align_corners, Resize::Coordinates::pytorch_half_pixel};
  constexpr Resize::Nearest nearest[] = {Resize::Nearest::round_prefer_floor, Resize::Nearest::round_prefer_ceil, Resize::Nearest::floor,
                                         Resize::Nearest::ceil};
  if (Status bad = check_enum(s.mode, std::size(modes), "mode"); !bad.ok()) return bad;
  if (Status bad = check_enum(s.coordinates, std::size(coordinates), "coordinates"); !bad.ok()) return bad;
  if (Status bad = check_enum(s.nearest, std::size(nearest), "nearest"); !bad.ok()) return bad;
  if (Status bad = check_list(s.sizes, "sizes"); !bad.ok()) return bad;
  if (s.scale_count < 0 || s.scale_count > kMaxRank) return invalid("scale_count is {}; expected 0..{}", s.scale_count, kMaxRank);
  Resize::Attributes a;
  a.mode = modes[s.mode];
  a.coordinates = coordinates[s.coordinates];
  a.nearest = nearest[s.nearest];
  a.cubic_coeff_a = s.cubic_a;
  if (s.sizes.rank > 0) a.sizes.assign(s.sizes.values, s.sizes.values + s.sizes.rank);
  else a.scales.assign(s.scales, s.scales + s.scale_count);
  return Resize::make(std::move(a));
}

Result<OperatorPtr> make(const anydim_transpose_t& s) {
  if (Status bad = check_list(s.order, "order"); !bad.ok()) return bad;
  Perm perm;
  for (int i = 0; i < s.order.rank; ++i) {
    if (s.order.values[i] < 0 || s.order.values[i] >= s.order.rank)
      return invalid("order[{}] is {}; expected 0..{}", i, s.order.values[i], s.order.rank - 1);
    perm.push_back(static_cast<int32_t>(s.order.values[i]));
  }
  return Transpose::make(perm);
}

Result<OperatorPtr> make(const anydim_cast_t& s) {
  DType to;
  if (Status bad = check_dtype(s.to, &to); !bad.ok()) return bad;
  return Cast::make(to);
}

Result<OperatorPtr> make(const anydim_concat_t& s) {
  if (s.axis < 0 || s.axis >= kMaxRank) return invalid("axis is {}; expected 0..{}", s.axis, kMaxRank - 1);
  return Concat::make(static_cast<int>(s.axis));
}

// Reads a struct as large as its caller knew it, over the defaults.
template <class T> Status read(const anydim_op_t* op, T defaults, const char* name, OperatorPtr* out) {
  ANYDIM_TRY(check_struct_size(op, op->size, sizeof(T), name));
  std::memcpy(&defaults, op, std::min<size_t>(op->size, sizeof(T)));
  Result<OperatorPtr> made = make(defaults);
  if (!made.ok()) return made.take_status().at(name);
  *out = std::move(*made);
  return {};
}

}  // namespace

Status read_operator(const anydim_op_t* op, OperatorPtr* out) {
  ANYDIM_TRY(require(op, "op"));
  switch (op->kind) {
    case ANYDIM_OP_CONVOLUTION: return read<anydim_convolution_t>(op, ANYDIM_CONVOLUTION_INIT, "convolution", out);
    case ANYDIM_OP_CONV_TRANSPOSE: return read<anydim_conv_transpose_t>(op, ANYDIM_CONV_TRANSPOSE_INIT, "conv_transpose", out);
    case ANYDIM_OP_MATMUL: return read<anydim_matmul_t>(op, ANYDIM_MATMUL_INIT, "matmul", out);
    case ANYDIM_OP_POOLING: return read<anydim_pooling_t>(op, ANYDIM_POOLING_INIT, "pooling", out);
    case ANYDIM_OP_UNARY: return read<anydim_unary_t>(op, ANYDIM_UNARY_INIT, "unary", out);
    case ANYDIM_OP_BINARY: return read<anydim_binary_t>(op, ANYDIM_BINARY_INIT, "binary", out);
    case ANYDIM_OP_REDUCE: return read<anydim_reduce_t>(op, ANYDIM_REDUCE_INIT, "reduce", out);
    case ANYDIM_OP_SOFTMAX: return read<anydim_softmax_t>(op, ANYDIM_SOFTMAX_INIT, "softmax", out);
    case ANYDIM_OP_LAYER_NORM: return read<anydim_layer_norm_t>(op, ANYDIM_LAYER_NORM_INIT, "layer_norm", out);
    case ANYDIM_OP_RESIZE: return read<anydim_resize_t>(op, ANYDIM_RESIZE_INIT, "resize", out);
    case ANYDIM_OP_TRANSPOSE: return read<anydim_transpose_t>(op, ANYDIM_TRANSPOSE_INIT, "transpose", out);
    case ANYDIM_OP_CAST: return read<anydim_cast_t>(op, ANYDIM_CAST_INIT, "cast", out);
    case ANYDIM_OP_CONCAT: return read<anydim_concat_t>(op, ANYDIM_CONCAT_INIT, "concat", out);
    default: return invalid("op.kind is {}; expected one of ANYDIM_OP_*, as an _INIT value sets it", op->kind);
  }
}

}  // namespace anydim::capi
