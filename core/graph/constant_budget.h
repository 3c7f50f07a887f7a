// SPDX-License-Identifier: Apache-2.0
// How many bytes of constants passes may make of one model, its bodies included, so that a small file stays a small program: a constant
// that is joined with itself thirty times is a thousand million of them. What is beyond is computed in each run. Not a limit of what a
// single node makes: constants.cpp has that one.
#pragma once

#include <cstdint>

#include "core/graph/ir.h"

namespace anydim {

class ConstantBudget {
 public:
  explicit ConstantBudget(int64_t own_bytes) noexcept;
  // Takes the bytes, or none and says no.
  bool take(int64_t bytes) noexcept;
  void give_back(int64_t bytes) noexcept { held_ -= bytes; }  // what took them is gone
  int64_t held() const noexcept { return held_; }
  int64_t most() const noexcept { return most_; }

 private:
  int64_t most_;  // at one time
  int64_t all_;   // that may be made at all, which bounds the time
  int64_t held_ = 0;
};

// That of the graph and its bodies. A graph that has none gets one by its constants.
ConstantBudget& budget_of(Graph& graph);

// A constant that a pass makes: `make` is called if the budget has its bytes. kNoValue if not.
template <class Make> ValueId add_made(Graph& graph, const std::string& name, int64_t bytes, Make&& make) {
  if (!budget_of(graph).take(bytes)) return kNoValue;
  const ValueId v = graph.add_constant(name, make());
  graph.value(v).made = bytes;
  return v;
}
// A constant that a pass made goes when nothing reads it any more.
void drop_unread(Graph& graph, ValueId v);

}  // namespace anydim
