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
  maker.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const std::string_view name : nodes[i].output) {
      if (name.empty()) continue;
      const auto [at, fresh] = maker.emplace(name, i);
      if (!fresh)
        return error(Code::invalid_model, "'{}' is an output of two nodes, {} and {}", shown(name), NodeImport::label(nodes[at->second]),
                     NodeImport::label(nodes[i]));
    }

  // Of each needed node the nodes that it reads, one after the other; a node is looked through once.
  struct Reads {
    size_t begin = 0, end = 0;
  };
  std::vector<Reads> reads(nodes.size());
  std::vector<size_t> read, open;
  std::vector<char> needed(nodes.size(), 0);
  const auto maker_of = [&](std::string_view name) {
    const auto found = maker.find(name);
    return found == maker.end() ? nodes.size() : found->second;
  };
  const auto need = [&](size_t i) {
    if (i == nodes.size() || needed[i]) return;
    needed[i] = 1;
    open.push_back(i);
  };
  for (const std::string_view name : outputs) need(maker_of(name));
  size_t count = 0;
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    ++count;
    reads[i].begin = read.size();
    names.each(nodes[i], [&](std::string_view name) {
      const size_t made_by = maker_of(name);
      if (made_by == nodes.size()) return;
      read.push_back(made_by);
      need(made_by);
    });
    reads[i].end = read.size();
  }

  // And the other way round: the nodes that read each node.
  std::vector<size_t> first_reader(nodes.size() + 2, 0), readers(read.size()), waits(nodes.size(), 0);
  for (const size_t made_by : read) ++first_reader[made_by + 2];
  for (size_t i = 2; i < first_reader.size(); ++i) first_reader[i] += first_reader[i - 1];
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    waits[i] = reads[i].end - reads[i].begin;
    for (size_t k = reads[i].begin; k < reads[i].end; ++k) readers[first_reader[read[k] + 1]++] = i;
    if (waits[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (size_t k = first_reader[i]; k < first_reader[i + 1]; ++k)
      if (--waits[readers[k]] == 0) ready.push(readers[k]);
  }
  if (order.size() != count)
    for (size_t i = 0; i < nodes.size(); ++i)
      if (needed[i] && waits[i] > 0)
        return error(Code::invalid_model, "node {} needs its own output: the graph has a cycle", NodeImport::label(nodes[i]));
  return order;
}

}  // namespace anydim::onnx
