// SPDX-License-Identifier: Apache-2.0
// Problems, calls and graphs as the functions of an engine from outside see them.
#pragma once

#include <memory>
#include <vector>

#include "anydim/anydim.h"
#include "capi/operator_structs.h"
#include "core/engines/engine_graph.h"
#include "core/kernels/kernel.h"

namespace anydim::capi {

// A call of a kernel or part.
struct PluginCall {
  std::vector<anydim_view_t> views;
  anydim_engine_call_t call{};

  void add(const TensorView& tensor);
  void add(const TensorType& type);  // a dim that is not known is -1
  // `op`: null of a part.
  void finish(const OperatorCopy* op, size_t inputs, int kernel) noexcept;
  void of(const Problem& p, const OperatorCopy& op, int kernel);
};

// A graph; it holds what its struct points to, but for names and elements of constants.
class GraphCopy {
 public:
  explicit GraphCopy(const EngineGraph& graph);
  const anydim_engine_graph_t* get() const noexcept { return &graph_; }

 private:
  std::vector<anydim_view_t> values_;
  std::vector<int32_t> constants_;
  std::vector<anydim_engine_node_t> nodes_;
  std::vector<std::unique_ptr<OperatorCopy>> ops_;
  anydim_engine_graph_t graph_{};
};

}  // namespace anydim::capi
