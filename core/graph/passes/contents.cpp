// SPDX-License-Identifier: Apache-2.0
// Pass contents: an integer tensor whose elements follow from shapes alone is computed from the dims (a constant if they
// are all numbers, a shape_tensor node otherwise) instead of by the operators that the model wrote down for it.
// Contents that come from the values of a graph input or of a node are left to their operators: the data is there anyway. Exact.
#include <unordered_map>
#include <unordered_set>

#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

template <class T> ConstantPtr constant_of(DType dtype, const Dims& dims, const std::vector<Dim>& elements) {
  std::vector<T> values;
  for (Dim d : elements) values.push_back(static_cast<T>(d.number()));
  return ConstantTensor::copy(dtype, dims, values.data());
}

}  // namespace

Status passes::contents(Graph& graph) {
  std::unordered_set<int32_t> from_data;
  for (const InputElement& e : graph.input_elements()) from_data.insert(e.symbol.expr());
  for (const SizeRead& r : graph.size_reads())
    if (r.axis < 0) from_data.insert(r.symbol.expr());
  for (const Parameter& p : graph.parameters())
    if (p.data) from_data.insert(p.symbol.expr());

  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  std::unordered_map<NodeId, NodeId> made_for;  // by the node that it stands for
  for (NodeId id : order) {
    const Node& n = graph.node(id);
    if (n.outputs.size() != 1 || graph.uses(n.outputs[0]) == 0) continue;
    const Value& v = graph.value(n.outputs[0]);
    const DType t = v.type.dtype;
    if (!v.shape_values.known || v.shape_values.denominator != 1 || (t != DType::i64 && t != DType::i32 && t != DType::boolean)) continue;
    Dims dims;
    for (Dim d : v.type.dims) dims.push_back(d.number());
    bool numbers = true, data = false;
    for (Dim e : v.shape_values.elements) {
      numbers = numbers && e.is_number();
      for (int32_t s : graph.dims.symbols(e)) data = data || from_data.count(s) > 0;
    }
    ValueId to = kNoValue;
    if (numbers) {
      to = graph.add_constant(v.name, t == DType::i64   ? constant_of<int64_t>(t, dims, v.shape_values.elements)
                                      : t == DType::i32 ? constant_of<int32_t>(t, dims, v.shape_values.elements)
                                                        : constant_of<uint8_t>(t, dims, v.shape_values.elements));
    } else {
      if (data || n.op->kind() == OpKind::shape_tensor || t == DType::boolean) continue;
      if (dims.rank > 1) continue;
      auto made = graph.add_shape_values(t, dims, v.shape_values.elements, v.name);
      if (!made.ok()) return made.take_status();
      to = *made;
      made_for[id] = graph.value(to).producer;
    }
    graph.replace_uses(n.outputs[0], to);
  }
  // They have no inputs, so each may come as early as the node that it stands for: one new order for all of them.
  if (made_for.empty()) return {};
  std::vector<NodeId> next;
  next.reserve(graph.order().size());
  for (NodeId id : order) {
    if (const auto made = made_for.find(id); made != made_for.end()) next.push_back(made->second);
    next.push_back(id);
  }
  graph.set_order(std::move(next));
  return {};
}

}  // namespace anydim
