// SPDX-License-Identifier: Apache-2.0
// What importers of quantized operators share: scales and zero points as a node's quantization, and the two conversions.
#pragma once

#include <vector>

#include "core/ops/quantization.h"
#include "onnx/walk/node_import.h"

namespace anydim::onnx {

// A node's quantization in the making. Factors are added in the order of operands, each scale before its zero point.
class QuantizationImport {
 public:
  explicit QuantizationImport(NodeImport& n) : n_(n) {}
  // Of operand 0, 1 or Quantization::kResult, whose type is `of`; absent ones are left out. A vector of several runs along `axis` of
  // the operand. False, with nothing added, for what a quantization cannot say: factors of a higher rank, or along no axis.
  bool scale(int operand, ValueId v, const TensorType& of, int axis = -1) { return add(operand, true, v, of, axis); }
  bool zero_point(int operand, ValueId v, const TensorType& of, int axis = -1) { return add(operand, false, v, of, axis); }

  Quantization quantization;
  std::vector<ValueId> tensors;  // those that come with each run

 private:
  bool add(int operand, bool is_scale, ValueId v, const TensorType& of, int axis);
  NodeImport& n_;
};

// round(x / scale) + zero point, saturated to `to`; and scale * (x - zero point) as f32 of quantized values of 8, 16 or 32 bits. A vector of scales runs
// along `axis`. With `block` each scale is for so many neighbours along it, and scales have x's rank. `zero` may be absent.
// `overflows`: to an 8-bit float, beyond its range lies infinity, or NaN where it has none.
ValueId quantize(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block, DType to, bool overflows = false);
ValueId dequantize(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block);
// The same for a whole tensor.
inline ValueId quantize(NodeImport& n, ValueId x, ValueId scale, ValueId zero, DType to) { return quantize(n, x, scale, zero, -1, 0, to); }
inline ValueId dequantize(NodeImport& n, ValueId x, ValueId scale, ValueId zero) { return dequantize(n, x, scale, zero, -1, 0); }

// ONNX's DynamicQuantizeLinear: u8 values, their scale and their zero point.
struct DynamicNumbers {
  ValueId values, scale, zero;
};
DynamicNumbers quantize_dynamically(NodeImport& n, ValueId x);

// Operators of both domains.
void quantize_linear(NodeImport& n);
void dequantize_linear(NodeImport& n);
void qlinear_conv(NodeImport& n);
void dynamic_quantize_lstm(NodeImport& n);  // of com.microsoft alone: recurrent.cpp

// Operators of feature maps whose attribute channels_last says that theirs end with the channels: the same between transpositions.
class ChannelsLast {
 public:
  explicit ChannelsLast(NodeImport& n) : n_(n), last_(n.integer("channels_last", 0) != 0) {}
  ValueId first(ValueId x) const { return turned(x, false); }
  ValueId back(ValueId y) const { return turned(y, true); }

 private:
  ValueId turned(ValueId x, bool back) const;
  NodeImport& n_;
  bool last_;
};

// A product of 8-bit operands; `to`: the dtype of its result.
ValueId product(NodeImport& n, Result<OperatorPtr> op, QuantizationImport& q, DType to, std::vector<ValueId> inputs);
// a * b of 8-bit values with their scales as f32, plus a bias or none: rows of `a` have one scale each, or all one.
struct ProductFactors {
  ValueId a_scale, b_scale, a_zero, b_zero;  // zero points may be absent
};
ValueId scaled_product(NodeImport& n, ValueId a, ValueId b, const ProductFactors& factors, ValueId bias);
// Fails the node for factors that a product cannot have.
void refuse_factors(NodeImport& n);
// Axes of the rows of a left side and of the columns of a right one; -1 for a vector.
int rows_of(NodeImport& n, ValueId a);
int columns_of(NodeImport& n, ValueId b);

// Numbers of 2 or 4 bits, several in a byte and the first in its low bits, as u4: rows of `dims` begin at whole rows of `bytes`, which
// may be longer. Of 8 bits without what rows are longer. Made when they are asked for first.
ConstantPtr values_in_rows(const ConstantPtr& bytes, const Dims& dims, int64_t bits);
// A dequantized matrix of constants in blocks along an axis; kNoValue where something is no constant. `zero` may be absent.
ValueId dequantized_constant(NodeImport& n, ValueId x, ValueId scale, ValueId zero, int axis, int64_t block);

// The elements of a constant of floats, or of integers that a float holds; false for others.
bool floats_of(const ConstantTensor& c, std::vector<float>* out);

// Fails the node unless input i has one of the dtypes.
void require_dtype(NodeImport& n, size_t i, std::initializer_list<DType> dtypes);

}  // namespace anydim::onnx
