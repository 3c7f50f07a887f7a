// SPDX-License-Identifier: Apache-2.0
// Pass compressed_weights: matmuls whose weights were quantized to few bits, or 16-bit floats, read them as such and not as f32. Exact: they
// are dequantized in registers with the operations that would have done it in memory.
//
// The rule, and there is no other: weights stay compressed in a model where together, as f32, they would not stay in the last cache from
// one call to the next. It is then memory that bounds products of few rows, and reading an eighth or a quarter of the bytes is that much
// faster; products of many rows widen a few panels at a time, which costs them a few percent. Weights that caches hold are packed wide.
#include "core/graph/passes/compressed_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/memory/out_of_memory.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/graph/passes/match.h"
#include "core/graph/passes/passes.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

// Bytes of f32 weights that a last cache may hold. A number for all machines: what a model is made of does not depend on them.
constexpr int64_t kCached = INT64_C(16) << 20;

bool is_number(DType t) { return t == DType::i8 || t == DType::u8 || t == DType::i4 || t == DType::u4; }

// A vector, scalar or matrix that broadcasts over a matrix, as rank 2: [1 or rows, 1 or columns].
bool as_factors(const ConstantTensor& c, const Dims& whole, Dims* dims) {
  if (c.dtype() != DType::f32 || c.dims().rank > 2) return false;
  *dims = {1, 1};
  for (int i = 1; i <= c.dims().rank; ++i) (*dims)[2 - i] = c.dims()[c.dims().rank - i];
  return ((*dims)[0] == 1 || (*dims)[0] == whole[0]) && ((*dims)[1] == 1 || (*dims)[1] == whole[1]);
}

// Factors that do not run along `axis` may be said to be one block along it.
bool lay(const Dims& factors, const Dims& whole, int* axis, int64_t* block) {
  for (int a = 1; a >= 0; --a)
    if (factors[a] == 1) {
      *axis = a;
      *block = std::max<int64_t>(whole[a], 1);
      return true;
    }
  return false;
}

ConstantPtr ones() {
  static constexpr float kOne = 1.f;
  return ConstantTensor::copy(DType::f32, {1, 1}, &kOne);
}

bool is_one(const ConstantTensor& c) { return c.count() == 1 && c.as<float>()[0] == 1.f; }

std::shared_ptr<const void> as_f32(const ConstantTensor& half, const ConstantTensor&) {
  std::vector<HostTensor> result;
  const TensorView view = half.view();
  const Status s = execute_once(*Cast::make(DType::f32), {&view, 1}, {}, {}, &result);
  if (!s.ok()) throw OutOfMemory(half.count() * 4);  // nothing else can go wrong with a cast
  half.discard(half.address(), half.bytes());
  return {result[0].memory, result[0].view.data};
}

// A cast of quantized values, with scales and zero points or without.
ConstantPtr of_cast(const Graph& g, const Node& n) {
  const ConstantPtr& x = g.value(n.inputs[0]).constant;
  if (as<Cast>(*n.op)->to() != DType::f32 || x->dims().rank != 2) return nullptr;
  if (dtype_is_half(x->dtype())) return n.quantization ? nullptr : widened_later(x);
  if (!is_number(x->dtype())) return nullptr;
  Dequantized d;
  d.numbers = x;
  if (!n.quantization) {
    d.scales = ones();
    d.block = std::max<int64_t>(x->dims()[0], 1);
    return ConstantTensor::dequantized(std::move(d));
  }
  const Quantization& q = *n.quantization;
  if (q.tensor_count() > 0 || !q.table.empty() || !q.scale[0].present() || q.scale[Quantization::kResult].present()) return nullptr;
  const auto tensor = [&](const Quantization::Factors& f) {
    Dims dims{1, 1};
    if (f.axis >= 0) dims[f.axis] = static_cast<int64_t>(f.values.size());
    return ConstantTensor::of<float>(DType::f32, dims, f.values);
  };
  const Quantization::Factors &scale = q.scale[0], &zero = q.zero_point[0];
  d.axis = scale.axis == 1 ? 0 : 1;
  d.block = std::max<int64_t>(x->dims()[d.axis], 1);
  if (zero.present() && zero.axis < 0) {
    d.zero_point = zero.values[0];
  } else if (zero.present()) {
    if (zero.axis != scale.axis) return nullptr;
    d.zero_points = tensor(zero);
  }
  d.scales = tensor(scale);
  return ConstantTensor::dequantized(std::move(d));
}

// Quantized values as they are minus constants; quantized values, perhaps moved so, times constants.
ConstantPtr of_binary(const Graph& g, const Node& n) {
  const BinaryFunction f = as<Binary>(*n.op)->function();
  if (f != BinaryFunction::sub && f != BinaryFunction::mul) return nullptr;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (i == 1 && f == BinaryFunction::sub) break;
    const Dequantized* from = g.value(n.inputs[i]).constant->dequantized_from();
    const ConstantPtr& by = g.value(n.inputs[1 - i]).constant;
    if (!from || !is_one(*from->scales) || by->dequantized_from()) continue;
    Dims dims;
    const Dims& whole = from->numbers->dims();
    if (g.value(n.inputs[i]).constant->dims().rank != 2 || !as_factors(*by, whole, &dims)) continue;
    Dequantized d = *from;
    const ConstantPtr factors = ConstantTensor::reshaped(*by, dims);
    if (f == BinaryFunction::sub) {
      if (d.zero_points || d.zero_point != 0 || !lay(dims, whole, &d.axis, &d.block)) continue;
      if (factors->count() == 1) d.zero_point = factors->as<float>()[0];
      else
        d.zero_points = factors,
        d.scales = ConstantTensor::written<float>(DType::f32, dims, [&](float* to) { std::fill_n(to, factors->count(), 1.f); });
    } else {
      // With zero points of their own, scales must be as many.
      if (d.zero_points && !(d.zero_points->dims() == dims)) continue;
      if (!d.zero_points && !lay(dims, whole, &d.axis, &d.block)) continue;
      d.scales = factors;
    }
    return ConstantTensor::dequantized(std::move(d));
  }
  return nullptr;
}

// Decided by scales and zero points alone.
bool surely_not_tiny(const Dequantized& d) {
  const auto whole = [](float z) { return std::nearbyint(z) == z && std::abs(z) < 0x1p20f; };
  if (d.zero_points) {
    const std::span<const float> zeros = d.zero_points->as<float>();
    if (!std::all_of(zeros.begin(), zeros.end(), whole)) return false;
  } else if (!whole(d.zero_point)) {
    return false;
  }
  const std::span<const float> scales = d.scales->as<float>();
  return std::all_of(scales.begin(), scales.end(), [](float s) { return s == 0 || !(std::abs(s) < 0x1p-90f); });
}

}  // namespace

ConstantPtr as_dequantized(const Graph& g, const Node& n) {
  if (n.post_ops.count > 0 || n.outputs.size() != 1 || g.value(n.outputs[0]).type.dtype != DType::f32) return nullptr;
  int64_t count = 1;
  for (const Dim d : g.value(n.outputs[0]).type.dims) count = saturating_mul(count, d.number());
  if (count < kLeastCompressed) return nullptr;
  if (as<Cast>(*n.op)) return of_cast(g, n);
  if (as<Binary>(*n.op) && !n.quantization) return of_binary(g, n);
  return nullptr;
}

ConstantPtr widened_later(const ConstantPtr& half) { return ConstantTensor::later(DType::f32, half->dims(), half, as_f32); }

bool surely_not_tiny(const ConstantTensor& c) {
  if (c.dequantized_from()) return surely_not_tiny(*c.dequantized_from());
  return c.made_of() && c.made_of()->dtype() == DType::f16;
}

namespace {

// What a matmul reads instead of its weights.
struct Compressed {
  ConstantPtr numbers, scales, zero_points;
  CompressedMatmul::Attributes attributes;
};

// Unsigned values: 128 or 8 more.
std::shared_ptr<const void> lifted(const ConstantTensor& of, const ConstantTensor& to) {
  const uint8_t flip = of.dtype() == DType::i8 ? 0x80 : 0x08;
  auto memory = std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(to.count()));
  std::transform(of.address(), of.address() + of.count(), memory->begin(), [&](std::byte b) { return static_cast<uint8_t>(b) ^ flip; });
  return {memory, memory->data()};
}

bool compressed(const ConstantTensor& w, bool transposed, Compressed* out) {
  out->attributes = {};
  out->attributes.transpose_b = transposed;
  const Dequantized* d = w.dequantized_from();
  if (!d) {
    const ConstantPtr& half = w.made_of();
    if (!half || !dtype_is_half(half->dtype()) || !(half->dims() == w.dims())) return false;
    out->numbers = half;
    return true;
  }
  if (!(d->numbers->dims() == w.dims())) return false;  // reshaped since
  const int of_k = transposed ? 1 : 0, of_n = 1 - of_k;
  const Dims &scales = d->scales->dims(), &dims = w.dims();
  if (scales[of_n] != 1 && scales[of_n] != dims[of_n]) return false;
  if (scales[of_k] != 1) {
    if (d->axis != of_k || d->block % 8 != 0) return false;
    out->attributes.block = d->block;
  }
  out->numbers = d->numbers;
  out->scales = d->scales;
  if (!d->zero_points) {
    if (std::nearbyint(d->zero_point) != d->zero_point || d->zero_point < -128 || d->zero_point > 255) return false;
    out->attributes.zero_point = static_cast<int64_t>(d->zero_point);
    return true;
  }
  out->zero_points = d->zero_points;
  const DType t = d->numbers->dtype();
  if (t != DType::i8 && t != DType::i4) return true;
  const std::span<const float> zeros = d->zero_points->as<float>();
  const float shift = t == DType::i8 ? 128.f : 8.f;
  if (!std::all_of(zeros.begin(), zeros.end(), [](float z) { return std::nearbyint(z) == z && std::abs(z) <= 1024; })) return false;
  out->numbers = ConstantTensor::later(t == DType::i8 ? DType::u8 : DType::u4, dims, d->numbers, lifted);
  out->zero_points = ConstantTensor::written<float>(DType::f32, d->zero_points->dims(), [&](float* to) {
    std::transform(zeros.begin(), zeros.end(), to, [&](float z) { return z + shift; });
  });
  return true;
}

// The weights of a matmul that could be read compressed; null for others.
const ConstantTensor* weights_of(const Graph& g, const Node& n) {
  const auto* m = n.op ? as<Matmul>(*n.op) : nullptr;
  if (!m || n.engine != 0 || n.transfer || n.quantization) return nullptr;
  const Matmul::Attributes& at = m->get();
  if (at.transpose_a || at.alpha != 1.f || n.inputs[0] == n.inputs[1]) return nullptr;
  if (n.inputs.size() > 2 && n.inputs[2] != kNoValue && (at.beta != 1.f || n.post_ops.count == kMaxPostOps)) return nullptr;
  const Value &a = g.value(n.inputs[0]), &w = g.value(n.inputs[1]);
  if (!w.constant || w.type.dtype != DType::f32 || w.type.dims.rank != 2 || a.type.dims.rank < 1) return nullptr;
  return w.constant->count() >= kLeastCompressed ? w.constant.get() : nullptr;
}

}  // namespace

Status passes::compressed_weights(Graph& graph, std::span<const EnginePtr>) {
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  std::vector<NodeId> able;
  std::vector<const ConstantTensor*> counted;
  int64_t wide = 0;
  for (const NodeId id : order) {
    const Node& n = graph.node(id);
    Compressed c;
    const ConstantTensor* w = weights_of(graph, n);
    if (!w || !compressed(*w, as<Matmul>(*n.op)->get().transpose_b, &c)) continue;
    able.push_back(id);
    if (std::find(counted.begin(), counted.end(), w) != counted.end()) continue;
    counted.push_back(w);
    wide = saturating_add(wide, w->bytes());
  }
  if (wide <= kCached) return {};
  std::map<ValueId, std::array<ValueId, 3>> values;  // of weights that several read, too
  for (const NodeId id : able) {
    const Node& n = graph.node(id);
    const ValueId w = n.inputs[1];
    Compressed c;
    compressed(*graph.value(w).constant, as<Matmul>(*n.op)->get().transpose_b, &c);
    const auto [known, first] = values.try_emplace(w);
    if (first) {
      const std::string name = graph.value(w).name;
      const auto constant = [&](const ConstantPtr& of, const char* what) { return of ? graph.add_constant(name + what, of) : kNoValue; };
      known->second = {constant(c.numbers, ""), constant(c.scales, ".scales"), constant(c.zero_points, ".zero_points")};
    }
    std::vector<ValueId> inputs{n.inputs[0], known->second[0]};
    if (known->second[1] != kNoValue) inputs.push_back(known->second[1]);
    if (known->second[2] != kNoValue) inputs.push_back(known->second[2]);
    const ValueId addend = n.inputs.size() > 2 ? n.inputs[2] : kNoValue;
    const PostOps chain = n.post_ops;
    const std::vector<ValueId> operands = n.post_inputs;
    auto op = CompressedMatmul::make(c.attributes);
    if (!op.ok()) return op.take_status();
    auto y = insert(graph, n, std::move(op), std::move(inputs));
    if (!y.ok()) return y.take_status();
    const NodeId to = graph.value(*y).producer;
    if (addend != kNoValue) graph.append_post_op(to, {PostOp::Kind::binary, {}, BinaryFunction::add}, addend);
    size_t next = 0;
    for (const PostOp& p : chain) graph.append_post_op(to, p, p.takes_tensor() ? operands[next++] : kNoValue);
    graph.replace_uses(graph.node(id).outputs[0], *y);
    graph.erase_node(id);
  }
  return {};
}

}  // namespace anydim
