// SPDX-License-Identifier: Apache-2.0
// Needed nodes by a walk back from the outputs; their order by counting unmet inputs, the earliest in the file first.
#include "onnx/walk/node_order.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "onnx/walk/node_import.h"

namespace anydim::onnx {

// What a body (a branch, a loop's body) defines itself (inputs, initializers, outputs of its nodes) hides outer values of the same name,
// wherever in the body it is defined.
const std::vector<std::string_view>& NamesRead::outer_names(const std::shared_ptr<const GraphProto>& graph) {
  if (const auto found = bodies_.find(graph.get()); found != bodies_.end()) return found->second.outer;
  std::unordered_set<std::string_view> done;
  for (const ValueInfo& input : graph->input) done.insert(input.name);
  for (const TensorProto& initializer : graph->initializer) done.insert(initializer.name);
  for (const NodeProto& node : graph->node) done.insert(node.output.begin(), node.output.end());
  std::vector<std::string_view> outer;
  const auto use = [&](std::string_view name) {
    if (done.insert(name).second) outer.push_back(name);
  };
  for (const NodeProto& node : graph->node) each(node, use);
  for (const ValueInfo& output : graph->output) use(output.name);
  return bodies_.emplace(graph.get(), Body{graph, std::move(outer)}).first->second.outer;
}

void NamesRead::each(const NodeProto& node, const std::function<void(std::string_view)>& use) {
  for (const std::string_view name : node.input)
    if (!name.empty()) use(name);
  for (const Attribute& a : node.attribute)
    if (a.graph != nullptr) std::ranges::for_each(outer_names(a.graph), use);
}

Result<std::vector<size_t>> needed_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs,
                                         NamesRead& names) {
  std::unordered_map<std::string_view, size_t> maker;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const std::string_view name : nodes[i].output) {
      if (name.empty()) continue;
      const auto [at, fresh] = maker.emplace(name, i);
      if (!fresh)
        return error(Code::invalid_model, "'{}' is an output of two nodes, {} and {}", shown(name), NodeImport::label(nodes[at->second]),
                     NodeImport::label(nodes[i]));
    }

  std::vector<char> needed(nodes.size(), 0);
  std::vector<size_t> open;
  const auto need = [&](std::string_view name) {
    const auto found = maker.find(name);
    if (found == maker.end() || needed[found->second]) return;
    needed[found->second] = 1;
    open.push_back(found->second);
  };
  for (const std::string_view name : outputs) need(name);
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    names.each(nodes[i], need);
  }

  std::vector<size_t> waits(nodes.size(), 0);
  std::vector<std::vector<size_t>> readers(nodes.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  size_t count = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    ++count;
    names.each(nodes[i], [&](std::string_view name) {
      const auto found = maker.find(name);
      if (found == maker.end()) return;
      ++waits[i];
      readers[found->second].push_back(i);
    });
    if (waits[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const size_t r : readers[i])
      if (--waits[r] == 0) ready.push(r);
  }
  if (order.size() != count)
    for (size_t i = 0; i < nodes.size(); ++i)
      if (needed[i] && waits[i] > 0)
        return error(Code::invalid_model, "node {} needs its own output: the graph has a cycle", NodeImport::label(nodes[i]));
  return order;
}

}  // namespace anydim::onnx
