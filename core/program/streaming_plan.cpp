// SPDX-License-Identifier: Apache-2.0
// What follows from the number of elements that have come; see streaming_plan.h.
#include "core/program/streaming_plan.h"

#include <algorithm>

#include "core/base/checked.h"

namespace anydim {

int64_t TimeLine::at_end(std::span<const int64_t> lengths) const noexcept {
  const int64_t from = lengths[static_cast<size_t>(sources[0])];
  switch (kind) {
    case Kind::input: return from;
    case Kind::window: {
      const int64_t room = from + before + after - extent;
      int64_t n = (round_up ? ceil_div(room, stride) : floor_div(room, stride)) + 1;
      if (round_up && from + before - 1 < (n - 1) * stride) --n;
      return std::max<int64_t>(n, 0);
    }
    case Kind::transposed: return std::max<int64_t>((from - 1) * stride + extent - before - after, 0);
    case Kind::padded: return from + before + after;
    case Kind::cut: return std::max<int64_t>(from - before - after, 0);
    case Kind::resized: return from * stride;
    case Kind::joined:
    case Kind::attended: return from;
  }
  return 0;
}

int64_t TimeLine::so_far(std::span<const int64_t> lengths) const noexcept {
  const int64_t from = lengths[static_cast<size_t>(sources[0])];
  switch (kind) {
    case Kind::input: return from;
    // Elements that a longer sequence does not have are not given.
    case Kind::window: return std::clamp<int64_t>(floor_div(from + before - extent, stride) + 1, 0, at_end(lengths));
    case Kind::transposed: return from == 0 ? 0 : std::clamp<int64_t>(from * stride - before, 0, at_end(lengths));
    case Kind::padded: return from < least ? 0 : from + before;
    case Kind::cut: return at_end(lengths);
    case Kind::resized: return std::max<int64_t>(from - reach, 0) * stride;
    case Kind::attended: return std::max<int64_t>(from - reach, 0);
    case Kind::joined: break;
  }
  int64_t least = from;
  for (const int32_t s : sources) least = std::min(least, lengths[static_cast<size_t>(s)]);
  return least;
}

int64_t TimeLine::needed(int64_t made) const noexcept {
  switch (kind) {
    case Kind::window:
      if (before < 0) return needed_between(made);  // elements that are picked
      return stride * std::max<int64_t>(made - ceil_div(before, stride), 0);
    case Kind::transposed: return std::max<int64_t>(ceil_div(made + before - extent + 1, stride), 0);
    case Kind::padded: return made == 0 ? 0 : std::max<int64_t>(made - before - reach, 0);
    case Kind::cut: return made + before;
    case Kind::resized: return std::max<int64_t>(made / stride - reach, 0);
    case Kind::attended: return before < 0 ? 0 : std::max<int64_t>(made - before, 0);
    case Kind::input:
    case Kind::joined: break;
  }
  return made;
}

int64_t TimeLine::needed_between(int64_t made) const noexcept { return kind == Kind::window ? made * stride - before : needed(made); }

StreamingPlan::Progress StreamingPlan::start() const {
  Progress p;
  p.made.assign(lines.size(), 0);
  p.base.assign(carries.size(), 0);
  return p;
}

void StreamingPlan::advance(Progress* p, int64_t count, bool ends) const {
  p->received += count;
  p->begun = true;
  p->ended = ends;
  p->made[0] = p->received;
  for (size_t l = 1; l < lines.size(); ++l) p->made[l] = ends ? lines[l].at_end(p->made) : lines[l].so_far(p->made);
  for (size_t c = 0; c < carries.size(); ++c) {
    int64_t first = p->made[static_cast<size_t>(carries[c].line)];
    for (const int32_t r : carries[c].readers) {
      if (ends) break;  // nothing is read again
      const Reader& reader = readers[static_cast<size_t>(r)];
      const int64_t made = p->made[static_cast<size_t>(reader.line)];
      first = std::min(first, reader.plain ? made : lines[static_cast<size_t>(reader.line)].needed(made));
    }
    p->base[c] = first;
  }
}

Status StreamingPlan::check_end(const Progress& p) const {
  for (const TimeLine& l : lines) {
    if (l.kind != TimeLine::Kind::joined) continue;
    const int64_t length = p.made[static_cast<size_t>(l.sources[0])];
    for (const int32_t s : l.sources)
      if (p.made[static_cast<size_t>(s)] != length)
        return invalid("node '{}' joins {} and {} elements at the end of a stream of {}; expected as many of each", l.node, length,
                       p.made[static_cast<size_t>(s)], p.received);
  }
  return {};
}

int64_t StreamingPlan::value(const Number& n, const Progress& before, const Progress& after, bool at_edges) const noexcept {
  using What = Number::What;
  const auto of = static_cast<size_t>(n.of);
  const auto made = [&](int32_t line) { return after.made[static_cast<size_t>(line)] - before.made[static_cast<size_t>(line)]; };
  switch (n.what) {
    case What::made: return made(n.of);
    case What::kept: return after.made[static_cast<size_t>(carries[of].line)] - after.base[of];
    case What::fresh: return before.begun ? 0 : 1;
    case What::position: return before.made[of];
    case What::pad_before: return before.made[of] == 0 && after.made[of] > 0 ? lines[of].before : 0;
    case What::pad_after: return after.ended ? lines[of].after : 0;
    case What::first:
    case What::rest:
    case What::origin:
    case What::skip: break;
  }
  const Reader& r = readers[of];
  const TimeLine& line = lines[static_cast<size_t>(r.line)];
  const auto source = static_cast<size_t>(r.source);
  const int64_t done = before.made[static_cast<size_t>(r.line)];
  const int64_t base = r.carry >= 0 ? before.base[static_cast<size_t>(r.carry)] : before.made[source];
  // Keys and values may be ahead of each other.
  const int64_t end = after.made[line.kind == TimeLine::Kind::attended && !r.plain ? static_cast<size_t>(line.sources[0]) : source];
  const int64_t first = std::clamp(r.plain ? done : at_edges ? line.needed(done) : line.needed_between(done), base, end);
  if (n.what == What::origin) return first;
  if (n.what == What::first) return first - base;
  if (n.what == What::rest) return end - first;
  if (made(r.line) == 0) return 0;
  switch (line.kind) {  // skip: the results that begin at `first` and were there before
    case TimeLine::Kind::window: return done - first / line.stride;
    case TimeLine::Kind::transposed: return done + line.before - first * line.stride;
    case TimeLine::Kind::resized: return done - first * line.stride;
    case TimeLine::Kind::padded: return done == 0 ? 0 : done - line.before - first;
    default: return 0;
  }
}

}  // namespace anydim
