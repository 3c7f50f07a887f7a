// SPDX-License-Identifier: Apache-2.0
// Types of a node for dispatch; see node_types.h.
#include "core/graph/node_types.h"

#include <algorithm>
#include <unordered_map>

namespace anydim {

NodeTypes types_of(const Graph& graph, const Node& n) {
  NodeTypes t;
  t.in = graph.input_types(n);
  for (ValueId v : n.outputs) t.out.push_back(v == kNoValue ? TensorType{} : graph.value(v).type);
  for (ValueId v : n.post_inputs) t.post_in.push_back(graph.value(v).type);
  for (size_t i = 0; i < n.inputs.size(); ++i)
    if (n.inputs[i] != kNoValue && graph.value(n.inputs[i]).constant) t.constant.add(i);
  return t;
}

LocalTypes localise(const Graph& graph, const Node& n) {
  LocalTypes local;
  std::unordered_map<int32_t, Dim> known;
  const auto symbol = [&](Dim d) {
    if (d.is_number()) return d;
    const auto [it, added] = known.try_emplace(d.expr());
    if (added) {
      const Interval range = graph.dims.interval(d);
      DimPromise p;
      p.min = range.min;
      p.max = range.max;
      it->second = local.pool.symbol(formatted("d{}", known.size() - 1), p);
    }
    return it->second;
  };
  const auto types = [&](const std::vector<ValueId>& values, std::vector<TensorType>* out) {
    for (ValueId v : values) {
      TensorType t;
      if (v != kNoValue) {
        t.dtype = graph.value(v).type.dtype;
        for (Dim d : graph.value(v).type.dims) t.dims.push_back(symbol(d));
      }
      out->push_back(t);
    }
  };
  types(n.inputs, &local.in);
  types(n.post_inputs, &local.post_in);
  local.op = n.op;
  const auto attributes = n.op->dim_attributes();
  if (std::any_of(attributes.begin(), attributes.end(), [](Dim d) { return !d.is_number(); })) {
    std::vector<Dim> dims;
    for (Dim d : attributes) dims.push_back(symbol(d));
    local.op = n.op->with_dim_attributes(dims);
  }
  return local;
}

}  // namespace anydim
