// SPDX-License-Identifier: Apache-2.0
// The questions that the passes on quantized tensors ask; see quantized.h.
#include "core/graph/passes/quantized.h"

#include "core/ops/operators/cast.h"

namespace anydim {

namespace {

bool by_attributes(const Quantization& q) { return q.tensor_count() == 0; }

}  // namespace

bool per_tensor(const Quantization& q, int operand) { return q.scale[operand].axis < 0 && q.zero_point[operand].axis < 0; }

const Node* dequantizes(const Graph& g, ValueId v) {
  const Node* n = v == kNoValue ? nullptr : g.producer(v);
  if (!n || !n->quantization || !as<Cast>(*n->op) || !n->quantization->table.empty()) return nullptr;
  if (dtype_of(g, v) != DType::f32 || !is_8_bit(dtype_of(g, n->inputs[0])) || !by_attributes(*n->quantization)) return nullptr;
  return n->quantization->scale[0].present() ? n : nullptr;
}

bool quantizes(const Graph& g, const Node& n) {
  return n.op && n.quantization && as<Cast>(*n.op) && n.quantization->table.empty() && is_8_bit(dtype_of(g, n.outputs[0])) &&
         dtype_of(g, n.inputs[0]) == DType::f32 && by_attributes(*n.quantization);
}

Result<ValueId> insert_quantized(Graph& g, const Node& at, Result<OperatorPtr> op, Quantization q, std::vector<ValueId> inputs,
                                 std::vector<ValueId> tensors) {
  if (!op.ok()) return op.take_status();
  auto made = g.insert_before(at.id, *op, std::move(inputs), at.name, at.onnx_type, std::make_shared<const Quantization>(std::move(q)),
                              std::move(tensors));
  if (!made.ok()) return made.take_status();
  return (*made)[0];
}

}  // namespace anydim
