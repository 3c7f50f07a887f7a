// SPDX-License-Identifier: Apache-2.0
// Tables of axes; see tables.h.
#include "core/kernels/resize/tables.h"

#include <algorithm>

#include "core/base/checked.h"

namespace anydim {

namespace {

int64_t most_taps(const Resize& op, int64_t in, int64_t out) noexcept {
  return op.get().antialias ? smooth_capacity(in, out) : saturating_mul(out, taps_per_axis(op.get().mode));
}

// A table while it is made.
template <class E> struct Columns {
  int64_t *begin, *place, *source, *high;  // high: the last element that is looked at for a position, also with weight 0
  E* weight;
  uint8_t* outside;
  int64_t taps = 0;
  bool any_outside = false;

  void add(int64_t p, E w) noexcept {
    place[taps] = p;
    weight[taps++] = w;
  }
  void start(int64_t x, bool out) noexcept {
    begin[x] = taps;
    outside[x] = out ? 1 : 0;
    any_outside |= out;
  }
};

// As add_taps(), in half the time: long lines that are read once spend it here.
template <class E> void add_linear_taps(const Resize& op, const Resize::Axis& axis, Columns<E>* c) noexcept {
  const auto last = static_cast<double>(axis.in - 1);
  for (int64_t x = 0; x < axis.out; ++x) {
    bool out = false;
    const double at = op.coordinate(axis, x, &out), base = floor_below(at);
    c->start(x, out);
    const auto low = static_cast<int64_t>(std::max(0.0, std::min(base, last)));
    const auto high = static_cast<int64_t>(std::max(0.0, std::min(base + 1, last)));
    const E w = static_cast<E>(at - base);
    c->high[x] = high;
    if (out) continue;
    c->add(low, E{1} - w);
    c->add(high, w);
  }
}

template <class E> void add_taps(const Resize& op, const Resize::Axis& axis, Columns<E>* c) noexcept {
  const int taps = taps_per_axis(op.get().mode);
  if (op.get().mode == Resize::Mode::linear && !op.get().exclude_outside) return add_linear_taps(op, axis, c);
  for (int64_t x = 0; x < axis.out; ++x) {
    const ResizeTaps<E> t = resize_taps<E>(op, axis, x);
    c->start(x, t.outside);
    for (int i = 0; i < taps && !t.outside; ++i) c->add(t.index[i], t.weight[i]);
    c->high[x] = t.index[taps - 1];
  }
}

// Taps of weight 0 are skipped, but for the first.
template <class E> void add_smooth_taps(const Resize& op, const Resize::Axis& axis, double* weights, Columns<E>* c) noexcept {
  const SmoothTaps taps = smooth_taps(op, axis);
  for (int64_t x = 0; x < axis.out; ++x) {
    bool out = false;
    const int64_t first = smooth_weights(op, axis, taps, x, weights, &out);
    c->start(x, out);
    const auto inside = [&](int64_t i) { return std::clamp<int64_t>(first + i, 0, axis.in - 1); };
    for (int64_t i = 0; i < taps.count && !out; ++i)
      if (const E w = static_cast<E>(weights[i]); i == 0 || w != E{0}) c->add(inside(i), w);
    c->high[x] = inside(taps.count - 1);
  }
}

// Numbers the elements that are looked at, in their order. Those of a position lie side by side, and positions go on in one direction.
template <class E> int64_t number_places(Columns<E>* c, int64_t out) noexcept {
  int64_t begin = 0, end = out, count = 0;
  const auto empty = [&](int64_t x) { return c->begin[x] == c->begin[x + 1]; };
  while (begin < end && empty(begin)) ++begin;
  while (begin < end && empty(end - 1)) --end;
  if (begin == end) return 0;
  const auto low = [&](int64_t x) { return c->place[c->begin[x]]; };
  const bool falls = low(begin) > low(end - 1) || c->high[begin] > c->high[end - 1];
  for (int64_t i = begin; i < end; ++i) {
    const int64_t x = falls ? begin + end - 1 - i : i;
    if (empty(x)) continue;
    const int64_t first = low(x);
    for (int64_t p = count > 0 ? std::max(first, c->source[count - 1] + 1) : first; p <= c->high[x]; ++p) c->source[count++] = p;
    const int64_t number = count - 1 - (c->source[count - 1] - first);
    for (int64_t t = c->begin[x]; t < c->begin[x + 1]; ++t) c->place[t] += number - first;
  }
  return count;
}

}  // namespace

int64_t resize_reach(const Resize& op, const Resize::Axis& axis) noexcept {
  if (axis.identity) return 1;
  return op.get().antialias ? smooth_taps(op, axis).count : taps_per_axis(op.get().mode);
}

Status too_many_taps(const Resize::Axis& axis) {
  return error(Code::invalid_data, "resize: an axis of {} elements becomes {} by scale {}; a position would read too many", axis.in,
               axis.out, axis.scale);
}

int64_t resize_table_bytes(const Resize& op, int64_t in, int64_t out) noexcept {
  const int64_t taps = std::max(most_taps(op, in, out), out);
  int64_t bytes = saturating_mul(taps, 8 + 8);                                       // place, weight
  bytes = saturating_add(bytes, saturating_mul(saturating_add(out, 1), 8 + 8 + 1));  // begin, high, outside
  bytes = saturating_add(bytes, saturating_mul(std::min(in, taps), 8));              // source
  return saturating_add(bytes, 64) / 64 * 64;
}
int64_t resize_table_room(const Resize& op, int64_t in, int64_t out) noexcept {
  return op.get().antialias ? saturating_add(saturating_mul(smooth_capacity(in, out), 8), 64) / 64 * 64 : 0;
}

template <class E>
ResizeTable<E> resize_table(const Resize& op, const Resize::Axis& axis, ResizePlaces places, std::byte* memory, double* room) noexcept {
  const int64_t most = std::max(most_taps(op, axis.in, axis.out), axis.out);
  Columns<E> c;
  c.begin = reinterpret_cast<int64_t*>(memory);
  c.place = c.begin + axis.out + 1;
  c.source = c.place + most;
  c.high = c.source + std::min(axis.in, most);
  c.weight = reinterpret_cast<E*>(c.high + axis.out);
  c.outside = reinterpret_cast<uint8_t*>(c.weight + most);
  if (axis.identity) {
    for (int64_t x = 0; x < axis.out; ++x) {
      c.start(x, false);
      c.add(x, E{1});
      c.high[x] = x;
    }
  } else if (op.get().antialias) {
    add_smooth_taps(op, axis, room, &c);
  } else {
    add_taps(op, axis, &c);
  }
  c.begin[axis.out] = c.taps;
  ResizeTable<E> t{axis.out, c.begin, c.place, c.weight, c.any_outside ? c.outside : nullptr, nullptr, axis.in};
  if (!op.get().antialias && !c.any_outside) t.taps = axis.identity ? 1 : taps_per_axis(op.get().mode);
  if (places == ResizePlaces::elements) return t;
  if (places == ResizePlaces::dense && c.taps > 0) {
    const int64_t ends[] = {c.place[0], c.place[c.taps - 1]}, span = std::max(ends[0], ends[1]) - std::min(ends[0], ends[1]);
    if (span < 2 * c.taps) return t;
  }
  t.places = number_places(&c, axis.out);
  t.source = c.source;
  return t;
}
template ResizeTable<float> resize_table<float>(const Resize&, const Resize::Axis&, ResizePlaces, std::byte*, double*) noexcept;
template ResizeTable<double> resize_table<double>(const Resize&, const Resize::Axis&, ResizePlaces, std::byte*, double*) noexcept;

}  // namespace anydim
