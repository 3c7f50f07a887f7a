// SPDX-License-Identifier: Apache-2.0
// Steps that may run side by side: stretches of a program within which some steps touch nothing that is written by the rest. Found from
// the program and the numbers of one shape; no file of a program holds them, and whoever runs at another shape asks again whether they
// are apart.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/program/program.h"

namespace anydim {

// A stretch of steps of which one thread need not run all in their order.
struct StepGroup {
  // Steps that one thread runs one after the other, since each needs the one before and nothing else needs that.
  struct Segment {
    std::vector<int32_t> steps;
    std::vector<int32_t> after;  // segments that must have run, all of them earlier ones
  };
  static constexpr int32_t kMostSteps = 48;

  int32_t first = 0, last = 0;  // steps, both inclusive
  std::vector<Segment> segments;
  // Tensors of one buffer, of which the group assumes that they share no byte.
  std::vector<std::pair<int32_t, int32_t>> apart;
};

// Whether two tensors of one buffer share no byte where the program's dims have these values. False if that is not certain.
bool are_apart(const Program& program, int32_t a, int32_t b, std::span<const int64_t> values) noexcept;

// In the order of their steps; none of two shares a step. Only of programs of the host alone and of one stage.
std::vector<StepGroup> find_groups(const Program& program, std::span<const int64_t> values);

}  // namespace anydim
