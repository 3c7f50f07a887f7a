// SPDX-License-Identifier: Apache-2.0
// Needed nodes by a walk back from the outputs; their order by counting unmet inputs, the earliest in the file first.
#include "onnx/walk/node_order.h"

#include <functional>
#include <queue>
#include <unordered_set>

#include "onnx/walk/node_import.h"

namespace anydim::onnx {
namespace {

template <class F> void each_name(const NodeProto& node, const F& use);

// The names that a body (a branch, a loop's body) takes from around it. What it defines itself (inputs, initializers,
// outputs of its nodes) hides outer values of the same name, wherever in the body it is defined.
template <class F> void each_outer_name(const GraphProto& body, const F& use) {
  std::unordered_set<std::string_view> own;
  for (const ValueInfo& input : body.input) own.insert(input.name);
  for (const TensorProto& initializer : body.initializer) own.insert(initializer.name);
  for (const NodeProto& node : body.node) own.insert(node.output.begin(), node.output.end());
  const std::function<void(std::string_view)> outer = [&](std::string_view name) {
    if (own.count(name) == 0) use(name);
  };
  for (const NodeProto& node : body.node) each_name(node, outer);
  for (const ValueInfo& output : body.output) outer(output.name);
}

// Every name that a node reads, names that its bodies read from around them included.
template <class F> void each_name(const NodeProto& node, const F& use) {
  for (const std::string_view name : node.input)
    if (!name.empty()) use(name);
  for (const Attribute& a : node.attribute)
    if (a.graph != nullptr) each_outer_name(*a.graph, use);
}

}  // namespace

void each_name_read(const NodeProto& node, const std::function<void(std::string_view)>& use) { each_name(node, use); }

Result<std::vector<size_t>> needed_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs) {
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
    each_name(nodes[i], need);
  }

  std::vector<size_t> waits(nodes.size(), 0);
  std::vector<std::vector<size_t>> readers(nodes.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  size_t count = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    ++count;
    each_name(nodes[i], [&](std::string_view name) {
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
