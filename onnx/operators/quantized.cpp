// SPDX-License-Identifier: Apache-2.0
// Quantized operators of ai.onnx: conversions, and products, which become products of 8-bit numbers with a quantization. Those of
// com.microsoft are in quantized.cpp.
#include <algorithm>

#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/quantized_nodes.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {
namespace {

constexpr int kOfResult = Quantization::kResult;

// The axis of a vector of scales, and the block size; -1 for a scale of the whole tensor.
int scale_axis(NodeImport& n, ValueId x, ValueId scale, int64_t* block) {
  *block = n.integer("block_size", 0);
  if (!n.ok()) return -1;
  if (*block < 0) n.wrong("block_size is {}; expected 0 or more", *block);
  if (*block == 0 && n.rank(scale) == 0) return -1;
  if (*block == 0 && n.rank(scale) > 1)
    n.wrong("input 1 has dims {}; without block_size expected one scale, or a vector of them", n.pool().text(n.dims(scale)));
  if (*block == 0 && n.dims(scale)[0].is(1)) return -1;
  return n.axis(n.integer("axis", 1), n.rank(x));
}

// A number that ONNX uses for a dtype; `fallback` for 0.
DType dtype_attribute(NodeImport& n, const char* name, DType fallback) {
  const int64_t number = n.integer(name, 0);
  if (number == 0 || !n.ok()) return fallback;
  Result<DType> t = dtype_of(number < 0 || number > INT32_MAX ? -1 : static_cast<int32_t>(number));
  if (t.ok()) return *t;
  n.fail(t.take_status());
  return fallback;
}

}  // namespace

void quantize_linear(NodeImport& n) {
  const ValueId x = n.in(0), scale = n.in(1), zero = n.optional_in(2);
  if (!n.ok()) return;
  const DType to = zero != kNoValue ? n.dtype(zero) : dtype_attribute(n, "output_dtype", DType::u8);
  if (n.ok() && to != DType::i8 && to != DType::u8 && to != DType::i16 && to != DType::u16 && !dtype_is_narrow(to))
    n.unsupported("it gives {}; expected i8, u8, i16, u16, or numbers of fewer bits", dtype_name(to));
  if (n.ok() && dtype_attribute(n, "output_dtype", to) != to)
    n.wrong("output_dtype is {}; the zero point has {}", dtype_name(dtype_attribute(n, "output_dtype", to)), dtype_name(to));
  if (const DType precision = dtype_attribute(n, "precision", DType::f32); precision != DType::f32)
    n.unsupported("precision is {}; expected float32", dtype_name(precision));
  int64_t block = 0;
  const int axis = scale_axis(n, x, scale, &block);
  n.out(0, quantize(n, x, scale, zero, axis, block, to, n.integer("saturate", 1) == 0 && dtype_is_narrow(to)));
}

void dequantize_linear(NodeImport& n) {
  const ValueId x = n.in(0), scale = n.in(1);
  if (!n.ok()) return;
  int64_t block = 0;
  const int axis = scale_axis(n, x, scale, &block);
  const DType to = dtype_attribute(n, "output_dtype", n.dtype(scale));
  n.out(0, n.cast(dequantize(n, x, scale, n.optional_in(2), axis, block), to));
}

// Factors that a product cannot have.
void refuse_factors(NodeImport& n) {
  n.unsupported("scales or zero points have other dims than expected: one number, or one for each row of input 0 or column of input 1");
}

ValueId product(NodeImport& n, Result<OperatorPtr> op, QuantizationImport& q, DType to, std::vector<ValueId> inputs) {
  q.quantization.result = to;
  return n.add_quantized(std::move(op), q.quantization, std::move(inputs), q.tensors);
}

ValueId scaled_product(NodeImport& n, ValueId a, ValueId b, const ProductFactors& f, ValueId bias) {
  if (!n.ok()) return kNoValue;
  QuantizationImport q(n);
  const int rows = rows_of(n, a), columns = columns_of(n, b);
  if (!q.scale(0, f.a_scale, n.type(a), rows) || !q.zero_point(0, f.a_zero, n.type(a), rows) ||
      !q.scale(1, f.b_scale, n.type(b), columns) || !q.zero_point(1, f.b_zero, n.type(b), columns)) {
    refuse_factors(n);
    return kNoValue;
  }
  std::vector<ValueId> inputs{a, b};
  if (bias != kNoValue) inputs.push_back(n.cast(bias, DType::f32));
  return product(n, Matmul::make({}), q, DType::f32, inputs);
}

// Axes of the rows of a left side and of the columns of a right one; -1 for a vector.
int rows_of(NodeImport& n, ValueId a) { return n.rank(a) > 1 ? n.rank(a) - 2 : -1; }
int columns_of(NodeImport& n, ValueId b) { return n.rank(b) > 1 ? n.rank(b) - 1 : -1; }

namespace {

// A depthwise convolution with several output channels for each input channel is one with a channel for each, where each of x's stands so
// often: copies of bytes, and kernels with channels side by side.
ValueId repeated_channels(NodeImport& n, ValueId x, ValueId w, Convolution::Attributes* at) {
  if (!n.ok() || n.rank(x) < 3 || n.rank(x) >= kMaxRank || n.rank(w) != n.rank(x)) return x;
  SymDims dims = n.dims(x);
  const SymDims filters = n.dims(w);
  if (!dims[1].is_number() || !filters[0].is_number() || !filters[1].is(1)) return x;
  const int64_t channels = dims[1].number(), outputs = filters[0].number();
  if (channels < 2 || at->group != channels || outputs <= channels || outputs % channels != 0) return x;
  at->group = outputs;
  SymDims whole = dims;
  whole[1] = outputs;
  dims.insert(2, 1);
  const ValueId apart = n.reshape(x, dims);
  dims[2] = outputs / channels;
  return n.reshape(n.expand(apart, dims), whole);
}

}  // namespace

void qlinear_conv(NodeImport& n) {
  ValueId x = n.in(0);
  const ValueId w = n.in(3), zero = n.in(7);
  for (const size_t i : {size_t{0}, size_t{3}, size_t{7}}) require_dtype(n, i, {DType::i8, DType::u8});
  const ChannelsLast last(n);
  x = last.first(x);
  if (!n.ok()) return;
  Convolution::Attributes at = convolution_attributes(n, x, w);
  x = repeated_channels(n, x, w, &at);
  if (!n.ok()) return;
  QuantizationImport q(n);
  const TensorType y{n.dtype(zero), n.dims(x)};
  if (!q.scale(0, n.in(1), n.type(x)) || !q.zero_point(0, n.optional_in(2), n.type(x)) || !q.scale(1, n.in(4), n.type(w), 0) ||
      !q.zero_point(1, n.optional_in(5), n.type(w), 0) || !q.scale(kOfResult, n.in(6), y) || !q.zero_point(kOfResult, zero, y))
    return refuse_factors(n);
  std::vector<ValueId> inputs{x, w};
  if (n.has(8)) inputs.push_back(n.in(8));
  n.out(0, last.back(product(n, Convolution::make(at), q, y.dtype, inputs)));
}

namespace {

void dynamic_quantize_linear(NodeImport& n) {
  const auto [numbers, scale, zero] = quantize_dynamically(n, n.in(0));
  n.out(0, numbers);
  n.out(1, scale);
  n.out(2, zero);
}

// --- convolutions --------------------------------------------------------------------------------------------------

void conv_integer(NodeImport& n) {
  ValueId x = n.in(0);
  const ValueId w = n.in(1);
  if (!n.ok()) return;
  Convolution::Attributes at = convolution_attributes(n, x, w);
  x = repeated_channels(n, x, w, &at);
  if (!n.ok()) return;
  QuantizationImport q(n);
  if (!q.zero_point(0, n.optional_in(2), n.type(x)) || !q.zero_point(1, n.optional_in(3), n.type(w), 0)) return refuse_factors(n);
  n.out(0, product(n, Convolution::make(at), q, DType::i32, {x, w}));
}

// --- matrix products -----------------------------------------------------------------------------------------------

void qlinear_matmul(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(3), zero = n.in(7);
  if (!n.ok()) return;
  QuantizationImport q(n);
  const bool vector = n.rank(a) < 2 || n.rank(b) < 2;
  TensorType y{n.dtype(zero), n.dims(n.rank(a) >= n.rank(b) ? a : b)};
  const int rows = rows_of(n, a), columns = columns_of(n, b);
  if (!vector) y.dims[y.dims.rank - 2] = n.dims(a)[rows];
  const int row_of_result = vector ? -1 : y.dims.rank - 2;
  if (!q.scale(0, n.in(1), n.type(a), rows) || !q.zero_point(0, n.in(2), n.type(a), rows) || !q.scale(1, n.in(4), n.type(b), columns) ||
      !q.zero_point(1, n.in(5), n.type(b), columns) || !q.scale(kOfResult, n.in(6), y, row_of_result) ||
      !q.zero_point(kOfResult, zero, y, row_of_result))
    return refuse_factors(n);
  n.out(0, product(n, Matmul::make({}), q, y.dtype, {a, b}));
}

void matmul_integer(NodeImport& n) {
  const ValueId a = n.in(0), b = n.in(1);
  if (!n.ok()) return;
  QuantizationImport q(n);
  if (!q.zero_point(0, n.optional_in(2), n.type(a), rows_of(n, a)) || !q.zero_point(1, n.optional_in(3), n.type(b), columns_of(n, b)))
    return refuse_factors(n);
  n.out(0, product(n, Matmul::make({}), q, DType::i32, {a, b}));
}

constexpr Importer kQuantizedOperators[] = {
    {"ConvInteger", 10, conv_integer},
    {"DequantizeLinear", 10, dequantize_linear},
    {"DynamicQuantizeLinear", 11, dynamic_quantize_linear},
    {"MatMulInteger", 10, matmul_integer},
    {"QLinearConv", 10, qlinear_conv},
    {"QLinearMatMul", 10, qlinear_matmul},
    {"QuantizeLinear", 10, quantize_linear},
};

}  // namespace

std::span<const Importer> quantized_importers() { return kQuantizedOperators; }

}  // namespace anydim::onnx
