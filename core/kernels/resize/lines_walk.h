// SPDX-License-Identifier: Apache-2.0
// One worker's way through a resize: which lines are made when, and where results go. See lines.h.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/resize/lines_shape.h"
#include "core/kernels/resize/places.h"

namespace anydim {

// What all workers read.
template <class E> struct LinesTask {
  const LinesShape* shape;
  const ResizeLines<E>* set;
  ResizeTable<E> table[kMaxRank];
  TypedRowFunction load = nullptr, save = nullptr;  // between memory's dtype and E, where they differ
  int64_t size = sizeof(E);                         // bytes of an element in memory
  const std::byte* src;
  std::byte* dst;
  E beyond;  // what lies outside
};

template <class E> class LinesWalk {
 public:
  LinesWalk(const LinesTask<E>& task, E* memory) noexcept : t_(task), s_(*task.shape), z_(task.table[s_.count - 1]) {
    const auto take = [&](int64_t room) {
      E* at = memory;
      memory += (room + kMostResizeLanes) / kMostResizeLanes * kMostResizeLanes;
      return at;
    };
    rings_ = take(s_.ring_room);
    columns_ = take(s_.column_room);
    fetched_ = take(s_.fetched_room);
    results_ = take(s_.result_room);
  }

  // One axis: positions [begin, end) of n planes, at most shape's lanes.
  void stretch_planes(int64_t first, int n, int64_t begin, int64_t end) noexcept {
    const std::byte* src[kMostResizeLanes];
    std::byte* dst[kMostResizeLanes];
    for (int i = 0; i < n; ++i) enter(first + i, &src[i], &dst[i]);
    chunks(begin, end, [&] {
      E* to[kMostResizeLanes];
      const int64_t step = s_.writes && s_.wide ? s_.last().dst : run_;
      for (int i = 0; i < n; ++i)
        to[i] = s_.writes ? reinterpret_cast<E*>(dst[i]) + from_ * s_.last().dst : results_ + i * (s_.result_room / s_.lanes);
      stretch(src, n, to, step);
      for (int i = 0; i < n; ++i) finish(to[i], step, dst[i]);
    });
  }

  // Several axes: positions [begin, end) of the first one, of one plane, or of those that lie aside.
  void blend_planes(int64_t group, int64_t begin, int64_t end) noexcept {
    const int64_t each = std::max<int64_t>(s_.aside, 1), first = group * each;
    members_ = static_cast<int>(std::min(each, s_.planes - first));
    for (int i = 0; i < members_; ++i) enter(first + i, &member_src_[i], &member_dst_[i]);
    const std::byte* const src = member_src_[0];
    std::byte* const dst = member_dst_[0];
    chunks(0, z_.out, [&] {
      for (int j = 1; j < s_.count - 1; ++j) tile(j, 0);
      do {
        place_rings();
        blocks(0, src, begin, end, [&](int64_t x, const ResizeRing<E>* ring) { write_lines(x, ring, dst + bytes(x * s_.along[0].dst)); });
      } while (next_tile());
    });
  }

 private:
  int64_t bytes(int64_t elements) const noexcept { return elements * t_.size; }

  void enter(int64_t plane, const std::byte** src, std::byte** dst) noexcept {
    int64_t from = 0, to = 0, part = 0;
    for (int i = s_.copied_count - 1; i >= 0; --i) {
      const LinesShape::Copied& c = s_.copied[i];
      const int64_t x = plane % c.dim;
      plane /= c.dim;
      from += x * c.src;
      to += x * c.dst;
      if (i == s_.copied_count - 1) part = x;
    }
    run_ = s_.aside > 0 ? s_.aside : s_.piece < s_.run ? std::min(s_.piece, s_.run - part * s_.piece) : s_.run;
    *src = t_.src + bytes(from);
    *dst = t_.dst + bytes(to);
  }

  // Positions of the last axis, as many at a time as there is room for.
  template <class F> void chunks(int64_t begin, int64_t end, const F& f) noexcept {
    for (from_ = begin; from_ < end; from_ = to_) {
      int64_t low = kMaxSize, high = -1;
      for (to_ = from_; to_ < end; ++to_) {
        const bool none = z_.empty(to_);
        const int64_t l = none ? low : std::min(low, z_.first(to_)), h = none ? high : std::max(high, z_.last(to_));
        if (to_ > from_ && ((to_ - from_ + 1) * run_ > s_.most_results || (h - l + 1) * run_ > s_.most_columns)) break;
        low = l;
        high = h;
      }
      base_ = high < 0 ? 0 : low;
      count_ = high < 0 ? 0 : high - low + 1;
      row_ = (to_ - from_) * run_;
      f();
    }
  }

  // --- tiles of the axes between the first and the last ---------------------------------------------------------------

  void tile(int j, int64_t begin) noexcept {
    tile_begin_[j] = begin;
    tile_end_[j] = std::min(begin + s_.along[j].tile, s_.along[j].map.out);
  }
  bool next_tile() noexcept {
    for (int j = s_.count - 2; j >= 1; --j) {
      if (tile_end_[j] < s_.along[j].map.out) return tile(j, tile_end_[j]), true;
      tile(j, 0);
    }
    return false;
  }
  void place_rings() noexcept {
    E* at = rings_;
    int64_t line = row_;
    for (int j = s_.count - 2; j >= 0; --j) {
      line_[j] = line;
      ring_[j] = at;
      at += line * s_.along[j].ring;
      if (j > 0) line *= tile_end_[j] - tile_begin_[j];
    }
  }

  // --- lines ----------------------------------------------------------------------------------------------------------

  // Calls f(x, ring) for positions [begin, end) of axis j, with all lines of x in the ring; without one where x lies outside.
  template <class F> void blocks(int j, const std::byte* src, int64_t begin, int64_t end, const F& f) noexcept {
    const ResizeTable<E>& t = t_.table[j];
    const int64_t room = s_.along[j].ring;
    int64_t kept = 0, made = 0;  // places [kept, made) are in the ring
    for (int64_t x = begin; x < end;) {
      if (t.empty(x)) {
        f(x++, nullptr);
        continue;
      }
      int64_t low = t.first(x), high = t.last(x), next = x + 1;
      for (; next < end && !t.empty(next); ++next) {
        const int64_t l = std::min(low, t.first(next)), h = std::max(high, t.last(next));
        if (h - l >= room) break;
        low = l;
        high = h;
      }
      if (low < kept || low > made) kept = made = low;
      if (high >= made) {
        make_lines(j, src, made, high + 1);
        made = high + 1;
        kept = std::max(kept, made - room);
      }
      const ResizeRing<E> ring{ring_[j], line_[j], room, low, low % room};
      for (; x < next; ++x) f(x, &ring);
    }
  }

  void make_lines(int j, const std::byte* src, int64_t begin, int64_t end) noexcept {
    const LinesShape::Along& a = s_.along[j];
    const auto slot = [&](int64_t p) { return ring_[j] + p % a.ring * line_[j]; };
    const auto source = [&](int64_t p) { return src + bytes(t_.table[j].element(p) * a.src); };
    if (j + 2 < s_.count) {
      for (int64_t p = begin; p < end; ++p) blend_tile(j + 1, source(p), slot(p));
      return;
    }
    for (int64_t p = begin; p < end; p += s_.lanes) {
      const int n = static_cast<int>(std::min(s_.lanes, end - p));
      const std::byte* from[kMostResizeLanes];
      E* to[kMostResizeLanes];
      for (int i = 0; i < n; ++i) from[i] = source(p + i), to[i] = slot(p + i);
      stretch(from, n, to, run_);
    }
  }

  void blend_tile(int j, const std::byte* src, E* to) noexcept {
    blocks(j, src, tile_begin_[j], tile_end_[j], [&](int64_t x, const ResizeRing<E>* ring) {
      if (ring) blend(j, x, *ring, line_[j], to + (x - tile_begin_[j]) * line_[j]);
    });
  }

  void blend(int j, int64_t x, const ResizeRing<E>& ring, int64_t n, E* to) const noexcept {
    const ResizeTable<E>& t = t_.table[j];
    const int64_t begin = t.begin[x];
    t_.set->blend({ring, t.place + begin, t.weight + begin, t.begin[x + 1] - begin, n, to});
  }

  void stretch(const std::byte* const* src, int n, E* const* to, int64_t dst_step) noexcept {
    const bool here = s_.reads && z_.source == nullptr;
    ResizeStretch<E> j;
    j.begin = z_.begin, j.place = z_.place, j.weight = z_.weight;
    j.from = from_, j.to = to_, j.base = base_, j.columns = count_;
    j.run = run_, j.src_step = here && s_.wide ? s_.last().src : run_, j.dst_step = dst_step;
    j.taps = z_.taps;
    j.single = alone(n);
    j.lines = n;
    for (int i = 0; i < n; ++i) {
      j.dst[i] = to[i];
      if (s_.aside > 0) {
        fetch_aside(src[i] - member_src_[0]);
        j.src[i] = columns_;
      } else if (here) {
        j.src[i] = reinterpret_cast<const E*>(src[i]) + base_ * s_.last().src;
      } else {
        E* const line = fetched_ + i * s_.most_columns;
        fetch(src[i], run_, line);
        j.src[i] = line;
      }
    }
    j.room = columns_;
    t_.set->stretch(j);
  }

  // Whether n lines are stretched faster one by one: in the time of a multiplication, about 6 for each column that becomes a vector or
  // comes of one, 6 for each that is computed, and 1 for each of its taps.
  bool alone(int n) const noexcept {
    const int64_t taps = (z_.begin[to_] - z_.begin[from_]) * run_;
    return n == 1 || 3 * n * taps / 2 < 6 * count_ * run_ + 12 * row_ + taps;
  }

  // --- memory in other dtypes and steps -------------------------------------------------------------------------------

  void load(const std::byte* from, int64_t n, E* to) const noexcept {
    if (t_.load) t_.load({to, {from}, n});
    else std::memcpy(to, from, static_cast<size_t>(n) * sizeof(E));
  }
  void save(const E* from, int64_t n, std::byte* to) const noexcept {
    if (t_.save) t_.save({to, {from}, n});
    else std::memcpy(to, from, static_cast<size_t>(n) * sizeof(E));
  }

  static constexpr int64_t kPicked = 512;

  // A line of each plane aside, turned.
  void fetch_aside(int64_t offset) noexcept {
    const bool here = s_.native && z_.source == nullptr && (s_.last().src == 1 || count_ == 1);
    const E* lines[kMostResizeLanes];
    for (int i = 0; i < members_; ++i) {
      const std::byte* const src = member_src_[i] + offset;
      E* const line = fetched_ + i * count_;
      if (!here) fetch(src, 1, line);
      lines[i] = here ? reinterpret_cast<const E*>(src) + base_ * s_.last().src : line;
    }
    t_.set->turn_in(lines, members_, count_, columns_);
  }
  void write_aside(const E* row, int64_t offset) noexcept {
    const int64_t places = to_ - from_;
    const bool here = s_.native && (s_.last().dst == 1 || places == 1);
    E* lines[kMostResizeLanes];
    for (int i = 0; i < members_; ++i)
      lines[i] = here ? reinterpret_cast<E*>(member_dst_[i] + offset) + from_ * s_.last().dst : results_ + row_ + i * places;
    t_.set->turn_out(row, members_, places, lines);
    for (int i = 0; i < members_ && !here; ++i) write(lines[i], 1, member_dst_[i] + offset);
  }

  // The chunk's places of a source line, `run` elements each.
  void fetch(const std::byte* src, int64_t run, E* to) const noexcept {
    const int64_t step = s_.last().src;
    if (z_.source == nullptr && (step == run || count_ == 1)) return load(src + bytes(base_ * step), count_ * run, to);
    if (run >= kResizeRun) {
      for (int64_t p = 0; p < count_; ++p) load(src + bytes(z_.element(base_ + p) * step), run, to + p * run);
      return;
    }
    const int64_t* const elements = z_.source == nullptr ? nullptr : z_.source + base_;
    if (elements == nullptr) src += bytes(base_ * step);
    if (s_.native) return pick_places({t_.size, run, step, count_, elements}, src, reinterpret_cast<std::byte*>(to));
    alignas(64) std::byte picked[kPicked * sizeof(E)];
    const int64_t each = kPicked / run;
    for (int64_t p = 0; p < count_; p += each) {
      const int64_t n = std::min(each, count_ - p);
      pick_places({t_.size, run, step, n, elements ? elements + p : nullptr}, elements ? src : src + bytes(p * step), picked);
      load(picked, n * run, to + p * run);
    }
  }

  // A chunk of results at their places, those outside filled in.
  void finish(E* row, int64_t step, std::byte* dst) noexcept {
    if (z_.outside != nullptr)
      for (int64_t x = from_; x < to_; ++x)
        if (z_.outside[x] != 0) std::fill_n(row + (x - from_) * step, run_, t_.beyond);
    if (s_.aside > 0) write_aside(row, dst - member_dst_[0]);
    else if (!s_.writes) write(row, run_, dst);
  }
  void write(const E* row, int64_t run, std::byte* dst) const noexcept {
    const int64_t to_step = s_.last().dst;
    dst += bytes(from_ * to_step);
    if (to_step == run) return save(row, (to_ - from_) * run, dst);
    if (run >= kResizeRun) {
      for (int64_t x = 0; x < to_ - from_; ++x) save(row + x * run, run, dst + bytes(x * to_step));
      return;
    }
    alignas(64) std::byte picked[kPicked * sizeof(E)];
    const int64_t each = kPicked / run;
    for (int64_t x = 0; x < to_ - from_; x += each) {
      const int64_t n = std::min(each, to_ - from_ - x);
      save(row + x * run, n * run, picked);
      put_places({t_.size, run, to_step, n, nullptr}, picked, dst + bytes(x * to_step));
    }
  }

  // The tile's lines of position x of the first axis.
  void write_lines(int64_t x, const ResizeRing<E>* ring, std::byte* dst) noexcept {
    int64_t at[kMaxRank] = {}, lines = 1;
    for (int j = 1; j < s_.count - 1; ++j) {
      at[j] = tile_begin_[j];
      lines *= tile_end_[j] - tile_begin_[j];
    }
    for (int64_t i = 0; i < lines; ++i) {
      std::byte* to = dst;
      bool outside = ring == nullptr;
      for (int j = 1; j < s_.count - 1; ++j) {
        to += bytes(at[j] * s_.along[j].dst);
        outside |= t_.table[j].outside != nullptr && t_.table[j].outside[at[j]] != 0;
      }
      E* const row = s_.writes ? reinterpret_cast<E*>(to) + from_ * s_.last().dst : results_;
      if (outside) {
        std::fill_n(row, row_, t_.beyond);
      } else {
        ResizeRing<E> part = *ring;
        part.lines += i * row_;
        blend(0, x, part, row_, row);
      }
      finish(row, run_, to);
      for (int j = s_.count - 2; j >= 1; --j) {
        if (++at[j] < tile_end_[j]) break;
        at[j] = tile_begin_[j];
      }
    }
  }

  const LinesTask<E>& t_;
  const LinesShape& s_;
  const ResizeTable<E>& z_;  // the last axis
  E *rings_, *columns_, *fetched_, *results_;
  const std::byte* member_src_[kMostResizeLanes];  // planes that are computed at once
  std::byte* member_dst_[kMostResizeLanes];
  int members_ = 1;
  int64_t run_ = 1;               // of this plane
  int64_t from_ = 0, to_ = 0;     // positions of the chunk
  int64_t base_ = 0, count_ = 0;  // places that they read
  int64_t row_ = 0;               // elements of a chunk of results
  int64_t tile_begin_[kMaxRank], tile_end_[kMaxRank];
  E* ring_[kMaxRank];
  int64_t line_[kMaxRank];  // elements of a line in each ring
};

}  // namespace anydim
