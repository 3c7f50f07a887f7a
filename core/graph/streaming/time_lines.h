// SPDX-License-Identifier: Apache-2.0
// The time lines of a graph while it is walked: how many elements each has, by how many of the input have come. Each is followed element by
// element until all of them repeat themselves, so what is found holds for any number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/program/streaming_plan.h"

namespace anydim {

class TimeLines {
 public:
  TimeLines();  // with the input's line, 0

  // A line that is there already where it is the same.
  int32_t add(TimeLine line);
  // The line of what reads one element of each: the one that is never ahead of the others, or a new one. `ok`: false where they have
  // different rates, so that no number of them meets.
  int32_t join(std::vector<int32_t> lines, const std::string& node, bool* ok);
  bool same(int32_t a, int32_t b);  // whatever has come

  const std::vector<TimeLine>& all() const noexcept { return lines_; }
  const TimeLine& operator[](int32_t l) const noexcept { return lines_[static_cast<size_t>(l)]; }
  // Elements of a line when so many of the input have come.
  int64_t at(int32_t line, int64_t received);
  // Elements of the input after which each of these lines grows by the same with each period; -1: there are too many.
  int64_t settled(std::span<const int32_t> lines);
  int64_t period(std::span<const int32_t> lines) const;  // 0: too long
  int64_t per_period(int32_t line, int64_t period) const noexcept;

 private:
  struct Rate {
    int64_t up = 1, down = 1;  // elements by elements of the input
  };
  bool ahead(int32_t a, int32_t b, int64_t until);  // never fewer than b
  std::vector<int32_t> with_sources(std::span<const int32_t> lines) const;

  std::vector<TimeLine> lines_;
  std::vector<Rate> rates_;
  std::vector<std::vector<int64_t>> columns_;  // by elements of the input, by line
};

}  // namespace anydim
