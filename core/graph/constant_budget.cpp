// SPDX-License-Identifier: Apache-2.0
// See constant_budget.h. A model's own constants are counted once each, wherever they are read.
#include "core/graph/constant_budget.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/graph/control_flow.h"

namespace anydim {

namespace {

constexpr int64_t kLeast = INT64_C(64) << 20;  // for models that compute tables and masks of a few numbers
// Numbers of 4 bits become f32, and a few steps of such a chain are there at a time.
constexpr int64_t kTimesOwn = 16;
constexpr int64_t kTimesAtAll = 16;

// Of what a constant is made of, which lies somewhere.
const ConstantTensor& source_of(const ConstantTensor& c) {
  const ConstantTensor* at = &c;
  while (at->made_of() || at->dequantized_from() != nullptr)
    at = at->dequantized_from() != nullptr ? at->dequantized_from()->numbers.get() : at->made_of().get();
  return *at;
}

void collect(const Graph& graph, std::vector<std::pair<const std::byte*, int64_t>>* bytes) {
  for (ValueId v = 0; v < graph.value_count(); ++v) {
    if (!graph.value(v).constant) continue;
    const ConstantTensor& c = source_of(*graph.value(v).constant);
    bytes->emplace_back(c.address(), c.bytes());
  }
  for (NodeId id : graph.order()) {
    const Node& n = graph.node(id);
    if (n.op->kind() != kControlFlow) continue;
    const auto& flow = static_cast<const ControlFlow&>(*n.op);
    for (size_t b = 0; b < flow.control().bodies.size(); ++b) collect(flow.body(b), bytes);
  }
}

}  // namespace

ConstantBudget::ConstantBudget(int64_t own_bytes) noexcept
    : most_(saturating_add(kLeast, saturating_mul(own_bytes, kTimesOwn))), all_(saturating_mul(most_, kTimesAtAll)) {}

bool ConstantBudget::take(int64_t bytes) noexcept {
  if (bytes > most_ - held_ || bytes > all_) return false;
  held_ += bytes;
  all_ -= bytes;
  return true;
}

ConstantBudget& budget_of(Graph& graph) {
  if (!graph.constant_budget) {
    std::vector<std::pair<const std::byte*, int64_t>> bytes;
    collect(graph, &bytes);
    std::sort(bytes.begin(), bytes.end());
    int64_t own = 0;
    for (size_t i = 0; i < bytes.size(); ++i)  // the largest at each address
      if (i + 1 == bytes.size() || bytes[i + 1].first != bytes[i].first) own = saturating_add(own, bytes[i].second);
    graph.constant_budget = std::make_shared<ConstantBudget>(own);
  }
  return *graph.constant_budget;
}

void drop_unread(Graph& graph, ValueId v) {
  if (v == kNoValue || graph.value(v).made == 0 || graph.uses(v) > 0) return;
  budget_of(graph).give_back(graph.value(v).made);
  graph.value(v).made = 0;
  graph.value(v).constant = nullptr;
}

}  // namespace anydim
