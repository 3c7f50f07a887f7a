// SPDX-License-Identifier: Apache-2.0
// Of com.microsoft the quantized operators that ONNX Runtime's quantizer writes. Products become products of 8-bit values with a
// quantization; the others are written out: dequantize, compute, quantize.
#include "core/ops/operators/compressed_matmul.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/softmax.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/quantized_nodes.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {
namespace {

constexpr int kResult = Quantization::kResult;

void dynamic_quantize_matmul(NodeImport& n) {
  require_dtype(n, 0, {DType::f32});
  require_dtype(n, 1, {DType::i8, DType::u8});
  const ValueId x = n.in(0), b = n.in(1), b_scale = n.in(2);
  if (!n.ok()) return;
  const auto [a, scale, zero] = quantize_dynamically(n, x);
  n.out(0, scaled_product(n, a, b, {scale, b_scale, zero, n.optional_in(3)}, n.optional_in(4)));
}

void matmul_integer_to_float(NodeImport& n) {
  require_dtype(n, 0, {DType::i8, DType::u8});
  require_dtype(n, 1, {DType::i8, DType::u8});
  const ValueId a = n.in(0), b = n.in(1), a_scale = n.in(2), b_scale = n.in(3);
  if (n.ok() && n.dtype(a_scale) != DType::f32) n.unsupported("scales are {}; expected f32", dtype_name(n.dtype(a_scale)));
  n.out(0, scaled_product(n, a, b, {a_scale, b_scale, n.optional_in(4), n.optional_in(5)}, n.optional_in(6)));
}

void qgemm(NodeImport& n) {
  for (const size_t i : {size_t{0}, size_t{3}}) require_dtype(n, i, {DType::i8, DType::u8});
  require_dtype(n, 6, {DType::i32});
  require_dtype(n, 8, {DType::i8, DType::u8});
  const ValueId a = n.in(0), b = n.in(3);
  ValueId a_scale = n.in(1);
  const float alpha = n.real("alpha", 1.f);
  if (!n.ok()) return;
  if (n.rank(a) != 2 || n.rank(b) != 2) return n.wrong("inputs 0 and 3 have ranks {} and {}; expected 2", n.rank(a), n.rank(b));
  if (alpha != 1.f) a_scale = n.binary(BinaryFunction::mul, a_scale, n.scalar(DType::f32, static_cast<double>(alpha)));
  Matmul::Attributes at;
  at.transpose_a = n.integer("transA", 0) != 0;
  at.transpose_b = n.integer("transB", 0) != 0;
  const int rows = at.transpose_a ? 1 : 0, columns = at.transpose_b ? 0 : 1;
  QuantizationImport q(n);
  if (!q.scale(0, a_scale, n.type(a), rows) || !q.zero_point(0, n.in(2), n.type(a), rows) || !q.scale(1, n.in(4), n.type(b), columns) ||
      !q.zero_point(1, n.in(5), n.type(b), columns))
    return refuse_factors(n);
  DType to = DType::f32;
  if (n.has(7)) {
    to = n.has(8) ? n.dtype(n.in(8)) : n.dtype(a);
    const TensorType y{to, {n.dims(a)[rows], n.dims(b)[columns]}};
    if (!q.scale(kResult, n.in(7), y) || !q.zero_point(kResult, n.optional_in(8), y)) return refuse_factors(n);
  }
  std::vector<ValueId> inputs{a, b};
  if (n.has(6)) inputs.push_back(n.in(6));
  n.out(0, product(n, Matmul::make(at), q, to, inputs));
}

// --- weights in blocks -------------------------------------------------------------------------------------------------

// Rows of b are columns of the result, each in blocks of values with a scale and a zero point.
void matmul_n_bits(NodeImport& n) {
  require_dtype(n, 0, {DType::f32, DType::f16});
  require_dtype(n, 1, {DType::u8});
  require_dtype(n, 2, {DType::f32, DType::f16});
  require_dtype(n, 3, {DType::u8, DType::f32, DType::f16});
  const ValueId a = n.in(0);
  const int64_t k = n.integer("K"), columns = n.integer("N"), bits = n.integer("bits", 4), block = n.integer("block_size");
  if (n.integer("weight_prepacked", 0) != 0) n.unsupported("weight_prepacked is {}; expected 0", n.integer("weight_prepacked", 0));
  if (n.has(4)) n.unsupported("input 4 (g_idx) is given; expected none");
  if (n.ok() && bits != 2 && bits != 4 && bits != 8) n.unsupported("bits is {}; expected 2, 4 or 8", bits);
  if (n.ok() && (block < 16 || (block & (block - 1)) != 0)) n.wrong("block_size is {}; expected a power of two from 16 on", block);
  if (n.ok() && (k < 1 || columns < 1 || k > INT32_MAX || columns > INT32_MAX)) n.wrong("K is {} and N {}; expected 1 or more", k, columns);
  if (!n.ok()) return;
  const int64_t blocks = ceil_div(k, block), row_bytes = blocks * block * bits / 8, zero_bytes = (blocks * bits + 7) / 8;
  const auto constant = [&](size_t i, int64_t count) -> ConstantPtr {
    if (!n.ok() || !n.has(i)) return nullptr;
    ConstantPtr c = n.value(n.in(i)).constant;
    if (!c) n.unsupported("input {} is no constant; expected one", i);
    else if (c->count() != count) n.wrong("input {} has {} elements; K, N, bits and block_size make {}", i, c->count(), count);
    return c;
  };
  const ConstantPtr b = constant(1, columns * row_bytes), s = constant(2, columns * blocks);
  const bool real_zeros = n.has(3) && n.dtype(n.in(3)) != DType::u8;
  const ConstantPtr z = constant(3, real_zeros ? columns * blocks : columns * zero_bytes);
  if (!n.ok()) return;
  std::vector<float> scale, zero;
  if (!floats_of(*s, &scale) || (real_zeros && !floats_of(*z, &zero)))
    return n.unsupported("scales or zero points are {}; expected a float", dtype_name(s->dtype()));
  if (z && !real_zeros) {
    const ConstantPtr whole = values_in_rows(z, {columns, blocks}, bits);
    floats_of(*whole, &zero);
  }
  // Of level 4 ONNX Runtime rounds rows to 8 bits, block by block.
  if (n.integer("accuracy_level", 0) == 4 && block <= 256) {
    CompressedMatmul::Attributes rounded;
    rounded.transpose_b = rounded.rounded_rows = true;
    rounded.block = block;
    if (!z) rounded.zero_point = INT64_C(1) << (bits - 1);
    const std::string name(NodeImport::name_of(n.proto()));
    const auto factors = [&](const std::vector<float>& of, const char* what) {
      return n.graph().add_constant(name + what, ConstantTensor::of<float>(DType::f32, {columns, blocks}, of));
    };
    std::vector<ValueId> inputs{n.widened(a), n.graph().add_constant(name, values_in_rows(b, {columns, k}, bits)),
                                factors(scale, ".scales")};
    if (z) inputs.push_back(factors(zero, ".zero_points"));
    ValueId y = n.add(CompressedMatmul::make(rounded), inputs);
    if (n.has(5)) y = n.binary(BinaryFunction::add, y, n.widened(n.in(5)));
    return n.out(0, n.cast(y, n.dtype(a)));
  }
  Dequantized d;
  d.numbers = values_in_rows(b, {columns, k}, bits);
  d.axis = 1;
  d.block = block;
  d.scales = ConstantTensor::of<float>(DType::f32, {columns, blocks}, scale);
  if (z) d.zero_points = ConstantTensor::of<float>(DType::f32, {columns, blocks}, zero);
  else d.zero_point = static_cast<float>(1 << (bits - 1));
  Matmul::Attributes at;
  at.transpose_b = true;
  const ValueId w = n.graph().add_constant(std::string(NodeImport::name_of(n.proto())), ConstantTensor::dequantized(std::move(d)));
  ValueId y = n.add(Matmul::make(at), {n.widened(a), w});
  if (n.has(5)) y = n.binary(BinaryFunction::add, y, n.widened(n.in(5)));
  n.out(0, n.cast(y, n.dtype(a)));
}

// Slices are gathered quantized, with their scales and zero points, and dequantized then.
void gather_block_quantized(NodeImport& n) {
  require_dtype(n, 0, {DType::u8, DType::i4, DType::u4});
  require_dtype(n, 2, {DType::f32, DType::f16, DType::bf16});
  if (n.has(3)) require_dtype(n, 3, {n.dtype(n.in(0))});
  ValueId x = n.in(0), zero = n.optional_in(3);
  const ValueId indices = n.in(1), scale = n.in(2);
  const int64_t block = n.integer("block_size", 128), bits = n.integer("bits", 4);
  if (n.ok() && (block < 16 || (block & (block - 1)) != 0)) n.wrong("block_size is {}; expected a power of two from 16 on", block);
  if (n.ok() && bits != 2 && bits != 4 && bits != 8) n.unsupported("bits is {}; expected 2, 4 or 8", bits);
  if (!n.ok()) return;
  const int rank = n.rank(x), from = n.axis(n.integer("gather_axis", 0), rank), along = n.axis(n.integer("quantize_axis", 1), rank);
  if (n.ok() && from == along) n.wrong("gather_axis and quantize_axis are both {}", from);
  if (!n.ok()) return;
  const bool bytes = n.dtype(x) == DType::u8;
  if (bytes && bits != 8) {
    // Several values in a byte. The matrix may be that of the last product (MatMulNBits), reshaped.
    const auto apart = [&](ValueId v, Dim columns, const char* what) {
      ConstantPtr c = v == kNoValue ? nullptr : n.value(v).constant;
      const Node* const maker = n.graph().producer(v);
      if (!c && maker != nullptr && as<Reshape>(*maker->op) != nullptr) c = n.value(maker->inputs[0]).constant;
      if (!c || n.rank(v) != 2 || along != 1 || !columns.is_number() || !n.dims(v)[0].is_number()) {
        n.unsupported("{} are several in a byte; expected that of a constant of rank 2 that is quantized along axis 1 only", what);
        return v;
      }
      const int64_t rows = n.dims(v)[0].number(), count = rows * ceil_div(columns.number() * bits, 8);
      if (c->count() != count) {
        n.wrong("{} take {} bytes; {} rows of {} make {}", what, c->count(), rows, columns.number(), count);
        return v;
      }
      return n.graph().add_constant(n.value(v).name, values_in_rows(c, {rows, columns.number()}, bits));
    };
    x = apart(x, n.pool().mul(n.dims(x)[rank - 1], 8 / bits), "quantized values");
    if (n.ok() && zero != kNoValue) zero = apart(zero, n.dims(scale)[rank - 1], "zero points");
  }
  if (!n.ok()) return;
  if (bytes && zero == kNoValue) {
    const auto middle = static_cast<uint8_t>(1 << (bits - 1));
    zero = n.expand(n.constant(DType::u8, {}, &middle), n.dims(scale));
  }
  const auto gathered = [&](ValueId v) { return n.add(Gather::make(from), {v, indices}); };
  const int axis = along < from ? along : along - 1 + n.rank(indices);
  const ValueId of_zeros = zero == kNoValue ? kNoValue : gathered(zero);
  n.out(0, n.cast(dequantize(n, gathered(x), gathered(scale), of_zeros, axis, block), n.dtype(scale)));
}

// --- element by element, and along axes: from input `first` on number, scale, zero point ------------------------------

ValueId operand(NodeImport& n, size_t first) {
  require_dtype(n, first, {DType::i8, DType::u8});
  return dequantize(n, n.in(first), n.in(first + 1), n.optional_in(first + 2));
}
// The result's scale and zero point are inputs `first` and the next; quantized values have the dtype of input `like`.
void give(NodeImport& n, ValueId y, size_t first, size_t like) {
  if (n.ok()) n.out(0, quantize(n, y, n.in(first), n.optional_in(first + 1), n.dtype(n.in(like))));
}

template <BinaryFunction F> void qlinear_binary(NodeImport& n) { give(n, n.binary(F, operand(n, 0), operand(n, 3)), 6, 0); }
void qlinear_sigmoid(NodeImport& n) { give(n, n.unary(UnaryFunction::sigmoid, operand(n, 0)), 3, 0); }
void qlinear_leaky_relu(NodeImport& n) { give(n, n.unary(UnaryFunction::leaky_relu, operand(n, 0), n.real("alpha", 0.01f)), 3, 0); }

// Its attribute says whose Softmax it is: before opset 13 the axes from `axis` on are one.
void qlinear_softmax(NodeImport& n) {
  const ValueId x = operand(n, 0);
  const int64_t opset = n.integer("opset", 13);
  if (!n.ok()) return;
  const SymDims dims = n.dims(x);
  const int axis = n.axis(n.integer("axis", opset < 13 ? 1 : -1), dims.rank);
  if (opset >= 13 || axis == dims.rank - 1) return give(n, n.add(Softmax::make(axis, false), {x}), 3, 0);
  const ValueId flat = n.reshape(x, {n.product(dims, 0, axis), n.product(dims, axis, dims.rank)});
  give(n, n.reshape(n.add(Softmax::make(1, false), {flat}), dims), 3, 0);
}

// Pools of quantized values whose channels may come last. `operator_of` a value whose channels come second.
template <class Maker> void qlinear_pool(NodeImport& n, Maker operator_of) {
  const ChannelsLast last(n);
  const ValueId x = last.first(operand(n, 0));
  if (!n.ok()) return;
  const int rank = n.rank(x);
  if (rank < 3 || rank > 2 + kMaxSpatial) return n.unsupported("input 0 has rank {}; expected 3 to {}", rank, 2 + kMaxSpatial);
  give(n, last.back(n.add(operator_of(x), {x})), 3, 0);
}
void qlinear_average_pool(NodeImport& n) {
  qlinear_pool(n, [&](ValueId x) {
    Pooling::Attributes at = pooling_attributes(n, x, Pooling::Kind::average);
    at.count_include_pad = n.integer("count_include_pad", 0) != 0;
    return Pooling::make(at);
  });
}
// A mean over several axes has the bits of the pooling, and takes any layout; over the last axis alone it has not.
void qlinear_global_average_pool(NodeImport& n) {
  qlinear_pool(n, [&](ValueId x) -> Result<OperatorPtr> {
    std::vector<int64_t> axes;
    for (int i = 2; i < n.rank(x); ++i) axes.push_back(i);
    if (axes.size() > 1) return Reduce::make(ReduceKind::mean, axes, true);
    Pooling::Attributes at;
    at.kind = Pooling::Kind::average;
    at.global = true;
    at.spatial = n.rank(x) - 2;
    return Pooling::make(at);
  });
}

void qlinear_concat(NodeImport& n) {
  if (n.input_count() < 5 || (n.input_count() - 2) % 3 != 0)
    return n.wrong("{} inputs; expected a scale, a zero point, and three for each part", n.input_count());
  require_dtype(n, 1, {DType::i8, DType::u8});
  std::vector<ValueId> parts;
  for (size_t i = 2; i < n.input_count() && n.ok(); i += 3) parts.push_back(operand(n, i));
  if (!n.ok()) return;
  const int axis = n.axis(n.integer("axis"), n.rank(parts[0]));
  const DType to = n.has(1) ? n.dtype(n.in(1)) : n.dtype(n.in(2));
  if (n.ok()) n.out(0, quantize(n, n.add(Concat::make(axis), parts), n.in(0), n.optional_in(1), to));
}

void qlinear_where(NodeImport& n) {
  const ValueId condition = n.in(0);
  require_dtype(n, 0, {DType::boolean});
  give(n, n.where(condition, operand(n, 1), operand(n, 4)), 7, 1);
}

constexpr Importer kMicrosoftQuantizedOperators[] = {
    {"DequantizeLinear", 1, dequantize_linear},
    {"DynamicQuantizeLSTM", 1, dynamic_quantize_lstm},
    {"DynamicQuantizeMatMul", 1, dynamic_quantize_matmul},
    {"GatherBlockQuantized", 1, gather_block_quantized},
    {"MatMulIntegerToFloat", 1, matmul_integer_to_float},
    {"MatMulNBits", 1, matmul_n_bits},
    {"QGemm", 1, qgemm},
    {"QLinearAdd", 1, qlinear_binary<BinaryFunction::add>},
    {"QLinearAveragePool", 1, qlinear_average_pool},
    {"QLinearConcat", 1, qlinear_concat},
    {"QLinearConv", 1, qlinear_conv},
    {"QLinearGlobalAveragePool", 1, qlinear_global_average_pool},
    {"QLinearLeakyRelu", 1, qlinear_leaky_relu},
    {"QLinearMul", 1, qlinear_binary<BinaryFunction::mul>},
    {"QLinearSigmoid", 1, qlinear_sigmoid},
    {"QLinearSoftmax", 1, qlinear_softmax},
    {"QLinearWhere", 1, qlinear_where},
    {"QuantizeLinear", 1, quantize_linear},
};

}  // namespace

std::span<const Importer> microsoft_quantized_importers() { return kMicrosoftQuantizedOperators; }

}  // namespace anydim::onnx
