// SPDX-License-Identifier: Apache-2.0
// A plan followed element by element until everything repeats itself: from where on it does, what stays the same from then on, and the most
// that each number can be.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/streaming/time_lines.h"
#include "core/program/streaming_plan.h"

namespace anydim {

class Followed {
 public:
  explicit Followed(const StreamingPlan& plan) : plan_(plan) {}
  // Fails where it takes too many elements.
  Status follow(TimeLines& lines);

  int64_t settled() const noexcept { return settled_; }  // elements of the input
  // The number of each run of the program of the middle.
  bool constant(const StreamingPlan::Number& n, int64_t* value) const;
  // Does `line` grow by so many times as many elements as `other`, in each such run?
  bool multiple(int32_t line, int32_t other, int64_t* times) const;
  // Of all runs with chunks of the plan's most elements; kMaxSize where these have no bound.
  int64_t most(const StreamingPlan::Number& n, bool edges) const;
  int64_t most_held(size_t carry) const;
  int64_t first_after() const;  // elements of the input with which all outputs along the axis have begun

 private:
  const StreamingPlan& plan_;
  int64_t settled_ = 0, period_ = 1;
  std::vector<StreamingPlan::Progress> states_;                // by elements that have come
  std::vector<StreamingPlan::Progress> after_chunk_, at_end_;  // of these after the largest chunk
};

}  // namespace anydim
