// SPDX-License-Identifier: Apache-2.0
// Structs for engines from outside; see engine_graph_copy.h.
#include "capi/engine_graph_copy.h"

#include <algorithm>

#include "capi/objects.h"

namespace anydim::capi {

void PluginCall::add(const TensorView& tensor) {
  anydim_view_t& v = views.emplace_back();
  v.dtype = static_cast<anydim_dtype_t>(tensor.dtype);
  v.dims = dims_of(tensor.dims);
  v.strides = dims_of(tensor.strides);
}

void PluginCall::add(const TensorType& type) {
  anydim_view_t& v = views.emplace_back();
  v.dtype = static_cast<anydim_dtype_t>(type.dtype);
  v.dims.rank = type.dims.size();
  for (int i = 0; i < type.dims.size(); ++i) v.dims.values[i] = type.dims[i].is_number() ? type.dims[i].number() : -1;
}

void PluginCall::finish(const OperatorCopy* op, size_t inputs, int kernel) noexcept {
  call.op = op != nullptr ? const_cast<anydim_op_t*>(op->get()) : nullptr;
  call.inputs = views.data();
  call.outputs = views.data() + inputs;
  call.input_count = static_cast<int32_t>(inputs);
  call.output_count = static_cast<int32_t>(views.size() - inputs);
  call.kernel = kernel;
}

void PluginCall::of(const Problem& p, const OperatorCopy& op, int kernel) {
  for (const TensorType& t : p.in) add(t);
  for (const TensorType& t : p.out) add(t);
  finish(&op, p.in.size(), kernel);
  for (size_t i = 0; i < std::min<size_t>(p.in.size(), 63); ++i)
    if (p.is_constant(i)) call.constants |= int64_t{1} << i;
}

GraphCopy::GraphCopy(const EngineGraph& graph) {
  for (const EngineGraph::Tensor& value : graph.values) {
    anydim_view_t& v = values_.emplace_back();
    v.dtype = static_cast<anydim_dtype_t>(value.type.dtype);
    v.dims.rank = value.type.dims.size();
    for (int i = 0; i < v.dims.rank; ++i) {
      const Dim d = value.type.dims[i];
      v.dims.values[i] = d.is_number() ? d.number() : -1 - int64_t{d.expr()};
    }
    v.data = const_cast<std::byte*>(value.data);
    constants_.push_back(value.constant ? 1 : 0);
  }
  for (const EngineGraph::Operation& node : graph.nodes) {
    anydim_engine_node_t& n = nodes_.emplace_back();
    n.name = node.name.c_str();
    if (node.op != nullptr) n.op = const_cast<anydim_op_t*>(ops_.emplace_back(std::make_unique<OperatorCopy>(*node.op))->get());
    n.inputs = const_cast<int32_t*>(node.in.data());
    n.outputs = const_cast<int32_t*>(node.out.data());
    n.input_count = static_cast<int32_t>(node.in.size());
    n.output_count = static_cast<int32_t>(node.out.size());
    n.offered = node.offered ? 1 : 0;
  }
  graph_.values = values_.data();
  graph_.constants = constants_.data();
  graph_.nodes = nodes_.data();
  graph_.inputs = const_cast<int32_t*>(graph.inputs.data());
  graph_.outputs = const_cast<int32_t*>(graph.outputs.data());
  graph_.value_count = static_cast<int64_t>(values_.size());
  graph_.node_count = static_cast<int64_t>(nodes_.size());
  graph_.input_count = static_cast<int64_t>(graph.inputs.size());
  graph_.output_count = static_cast<int64_t>(graph.outputs.size());
}

}  // namespace anydim::capi
