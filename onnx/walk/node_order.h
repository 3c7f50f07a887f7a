// SPDX-License-Identifier: Apache-2.0
// Which nodes of a body (a graph, a branch, a function) are needed for its outputs, and in which order. ONNX asks for
// topological order in the file; files that break it are sorted, cycles are refused.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/status.h"
#include "onnx/format/proto.h"

namespace anydim::onnx {

// What nodes read, those names included that their bodies read from around them. Each body is looked through once, however often and
// from whichever depth it is asked for.
class NamesRead {
 public:
  void each(const NodeProto& node, const std::function<void(std::string_view)>& use);

 private:
  struct Body {
    std::shared_ptr<const GraphProto> graph;  // kept, so that its address stays its own
    std::vector<std::string_view> outer;      // names that it takes from around it, each once
  };
  const std::vector<std::string_view>& outer_names(const std::shared_ptr<const GraphProto>& graph);

  std::unordered_map<const GraphProto*, Body> bodies_;
};

// Indices into `nodes`, in file order as far as data allows. Names that no node makes are left to the caller.
Result<std::vector<size_t>> needed_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs,
                                         NamesRead& names);

}  // namespace anydim::onnx
