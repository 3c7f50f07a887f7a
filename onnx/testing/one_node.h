// SPDX-License-Identifier: Apache-2.0
// Models of one node, loaded: what the importer's tests share.
#pragma once

#include "onnx/walk/import.h"
#include "onnx/testing/model_builder.h"

namespace anydim::onnx::testing {

inline Result<Graph> load(const ModelBuilder& m) {
  const std::string bytes = m.model_bytes();
  return import_model(Bytes{nullptr, bytes});
}
inline Status failure(const ModelBuilder& m) { return load(m).take_status(); }

// A model of one node between input x and output y, with initializers as its further inputs.
inline ModelBuilder one_node(int64_t opset, const std::string& op, std::vector<DeclaredDim> dims,
                             const std::vector<std::string>& attributes = {}, const std::vector<std::string>& initializers = {},
                             const std::vector<std::string>& names = {}) {
  ModelBuilder m;
  m.opsets = {{"", opset}};
  m.inputs = {value_info("x", kFloat, dims)};
  m.outputs = {value_info("y", kUndefined, {})};
  m.initializers = initializers;
  std::vector<std::string> in{"x"};
  in.insert(in.end(), names.begin(), names.end());
  m.nodes = {node(op, in, {"y"}, attributes, "the_node")};
  return m;
}

inline std::string dims_text(const Graph& g, size_t output = 0) { return g.dims.text(g.value(g.outputs()[output].value).type.dims); }
inline std::string result_dims(const ModelBuilder& m) {
  Result<Graph> g = load(m);
  return g.ok() ? dims_text(*g) : g.status().message();
}
// The operator of a kind that the graph ends up with; null if there is none.
template <class T> const T* find(const Graph& g) {
  for (const NodeId id : g.order())
    if (const T* op = as<T>(*g.node(id).op)) return op;
  return nullptr;
}

}  // namespace anydim::onnx::testing
