// SPDX-License-Identifier: Apache-2.0
// Following time lines; see time_lines.h.
#include "core/graph/streaming/time_lines.h"

#include <algorithm>
#include <numeric>

#include "core/base/checked.h"

namespace anydim {

namespace {

constexpr int64_t kMostPeriod = 1 << 16;         // elements of the input
constexpr int64_t kMostFollowed = 1 << 20;       // the same
constexpr int64_t kMostWork = INT64_C(1) << 21;  // of these, times lines

}  // namespace

TimeLines::TimeLines() {
  lines_.push_back({.sources = {0}});
  rates_.push_back({});
}

int32_t TimeLines::add(TimeLine line) {
  for (size_t l = 1; l < lines_.size(); ++l) {
    TimeLine other = lines_[l];
    other.node = line.node;
    if (other == line) return static_cast<int32_t>(l);
  }
  Rate rate = rates_[static_cast<size_t>(line.sources[0])];
  if (line.kind == TimeLine::Kind::window) rate.down = saturating_mul(rate.down, line.stride);
  if (line.kind == TimeLine::Kind::transposed || line.kind == TimeLine::Kind::resized) rate.up = saturating_mul(rate.up, line.stride);
  const int64_t common = std::gcd(rate.up, rate.down);
  rates_.push_back({rate.up / common, rate.down / common});
  lines_.push_back(std::move(line));
  return static_cast<int32_t>(lines_.size()) - 1;
}

int64_t TimeLines::at(int32_t line, int64_t received) {
  while (static_cast<int64_t>(columns_.size()) <= received) columns_.emplace_back();
  std::vector<int64_t>& column = columns_[static_cast<size_t>(received)];
  while (column.size() <= static_cast<size_t>(line)) {
    const TimeLine& l = lines_[column.size()];
    if (column.empty()) {
      column.push_back(received);
      continue;
    }
    column.push_back(l.so_far(column));
  }
  return column[static_cast<size_t>(line)];
}

int64_t TimeLines::period(std::span<const int32_t> lines) const {
  int64_t period = 1;
  for (const int32_t l : lines) {
    const int64_t down = rates_[static_cast<size_t>(l)].down;
    if (down > kMostPeriod) return 0;
    period = std::lcm(period, down);
    if (period > kMostPeriod) return 0;
  }
  return period;
}

int64_t TimeLines::per_period(int32_t line, int64_t period) const noexcept {
  const Rate& r = rates_[static_cast<size_t>(line)];
  return period / r.down * r.up;
}

std::vector<int32_t> TimeLines::with_sources(std::span<const int32_t> lines) const {
  std::vector<uint8_t> wanted(lines_.size(), 0);
  for (const int32_t l : lines) wanted[static_cast<size_t>(l)] = 1;
  for (size_t l = lines_.size(); l-- > 1;)
    if (wanted[l] != 0)
      for (const int32_t s : lines_[l].sources) wanted[static_cast<size_t>(s)] = 1;
  std::vector<int32_t> all;
  for (size_t l = 0; l < wanted.size(); ++l)
    if (wanted[l] != 0) all.push_back(static_cast<int32_t>(l));
  return all;
}

// Once a line has begun it is a quotient of its source, rounded, and no longer held at 0: from the first period in which all lines have
// grown by what their rates say, they always do.
int64_t TimeLines::settled(std::span<const int32_t> lines) {
  const std::vector<int32_t> all = with_sources(lines);
  const int64_t p = period(all);
  if (p == 0) return -1;
  int64_t good = 0;  // positions in a row
  for (int64_t i = 0; i < kMostFollowed && i * static_cast<int64_t>(all.size()) < kMostWork; ++i) {
    const bool grows = std::all_of(all.begin(), all.end(), [&](int32_t l) {
      const int64_t now = at(l, i);
      return now > 0 && at(l, i + p) - now == per_period(l, p);
    });
    good = grows ? good + 1 : 0;
    if (good > p) return i - p;
  }
  return -1;
}

bool TimeLines::ahead(int32_t a, int32_t b, int64_t until) {
  for (int64_t i = 0; i <= until; ++i)
    if (at(a, i) < at(b, i)) return false;
  return true;
}

bool TimeLines::same(int32_t a, int32_t b) {
  if (a == b) return true;
  const int32_t both[] = {a, b};
  const int64_t p = period(with_sources(both)), from = settled(both);
  return from >= 0 && per_period(a, p) == per_period(b, p) && ahead(a, b, from + p) && ahead(b, a, from + p);
}

int32_t TimeLines::join(std::vector<int32_t> lines, const std::string& node, bool* ok) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  *ok = true;
  if (lines.size() == 1) return lines[0];
  const Rate& rate = rates_[static_cast<size_t>(lines[0])];
  for (const int32_t l : lines) *ok &= rates_[static_cast<size_t>(l)].up == rate.up && rates_[static_cast<size_t>(l)].down == rate.down;
  const int64_t from = settled(lines), p = period(with_sources(lines));
  *ok &= from >= 0;
  if (!*ok) return lines[0];
  // It stays in any case: at the end all are as long.
  const int32_t joined = add({.kind = TimeLine::Kind::joined, .sources = lines, .node = node});
  for (const int32_t l : lines)
    if (ahead(joined, l, from + p)) return l;
  return joined;
}

}  // namespace anydim
