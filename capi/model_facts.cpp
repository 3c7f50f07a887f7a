// SPDX-License-Identifier: Apache-2.0
// Reads a model's facts; see model_facts.h.
#include "capi/model_facts.h"

namespace anydim::capi {

void read_facts(const onnx::ModelProto& m, ModelFacts* out) {
  out->producer_name = m.producer_name;
  out->producer_version = m.producer_version;
  out->graph_name = m.graph.name;
  out->domain = m.domain;
  out->description = m.doc_string;
  out->version = m.model_version;
  for (const onnx::OperatorSetId& set : m.opset_import)
    if (set.domain.empty() || set.domain == "ai.onnx") out->opset = set.version;
  out->nodes = static_cast<int32_t>(m.graph.node.size());
  for (const onnx::NodeProto& n : m.graph.node) {
    const std::string name(n.op_type);
    ++out->operators[n.domain.empty() || n.domain == "ai.onnx" ? name : std::string(n.domain) + "." + name];
  }
}

}  // namespace anydim::capi
