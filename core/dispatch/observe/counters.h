// SPDX-License-Identifier: Apache-2.0
// What the library did in this process, as numbers with names: what anydim_counter_get and anydim.counters() list. They only
// grow, but for those marked as levels. Runs are not counted: a run shares no atomic with another (P1).
//
// To add one: an entry of Counter and a row of the table in counters.cpp, then count() where it happens; or a row alone
// that reads a number which a module keeps anyway. Rows are added at the end.
#pragma once

#include <cstdint>
#include <span>

namespace anydim {

// Counters that are kept here.
enum class Counter : int32_t {
  primitives_created,
  tier_changes,
  plans_tuned,
  tuning_nanoseconds,
  kernels_to_prepare,
  kernels_prepared,
  count_,  // number of counters
};
void count(Counter counter, int64_t n = 1) noexcept;

struct CounterRow {
  const char* name;  // as in Python's dict
  const char* doc;
  bool level;  // goes up and down: what exists now
  int64_t (*value)() noexcept;
};
std::span<const CounterRow> counters() noexcept;

}  // namespace anydim
