// SPDX-License-Identifier: Apache-2.0
// Which nodes of a body (a graph, a branch, a function) are needed for its outputs, and in which order. ONNX asks for
// topological order in the file; files that break it are sorted, cycles are refused.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "onnx/format/proto.h"

namespace anydim::onnx {

// Indices into `nodes`, in file order as far as data allows. Names that no node makes are left to the caller.
Result<std::vector<size_t>> needed_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs);

// Every name that a node reads, those included that its bodies read from around them.
void each_name_read(const NodeProto& node, const std::function<void(std::string_view)>& use);

}  // namespace anydim::onnx
