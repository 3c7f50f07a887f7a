// SPDX-License-Identifier: Apache-2.0
// Where a work-item's output positions lie, for windows over three spatial axes: positions whose windows have the same taps inside the
// input make a class, and a work-item has up to R of one class. On an axis the inner positions, whose windows lie inside, are one set;
// each position before and behind them is a set of its own. The classes come in this order: first the inner ones of all three axes.

typedef struct {
  long out, in, size, stride, dilation, pad;
} Axis;
// The positions of one set: from `out` on, `count` of them; of each the taps from `tap` on, which begin at the input's place `in`.
typedef struct {
  long out, count, in, tap, taps;
} Run;

static inline long first_inner(const Axis a) { return min(a.out, (a.pad + a.stride - 1) / a.stride); }
static inline long end_of_inner(const Axis a) {
  const long room = a.in - 1 + a.pad - (a.size - 1) * a.dilation;
  return max(first_inner(a), room < 0 ? 0L : min(a.out, room / a.stride + 1));
}
static inline Run run_of(const Axis a, const long out, const long count) {
  const long begin = out * a.stride - a.pad;
  Run r;
  r.out = out;
  r.count = count;
  r.tap = begin < 0 ? min((-begin + a.dilation - 1) / a.dilation, a.size) : 0;
  const long end = begin >= a.in ? 0 : min((a.in - begin + a.dilation - 1) / a.dilation, a.size);
  r.taps = max(end - r.tap, 0L);
  r.in = begin + r.tap * a.dilation;
  return r;
}
// The inner positions, or the one of that number among the others.
static inline Run pick_run(const Axis a, const bool inner, const long which) {
  const long begin = first_inner(a), end = end_of_inner(a);
  if (inner) return run_of(a, begin, end - begin);
  return run_of(a, which < begin ? which : which - begin + end, 1);
}

// The class of tile `t` of `size` positions each and where the tile begins in it; false: there is no such tile. Not inlined, as it is much
// code for a compiler and called once. (What it finds is copied then: what a function has had the address of stays in memory.)
typedef struct {
  Run d, h, w;
  long first;
} Tile;
static NO_INLINE bool find_tile(const Axis d, const Axis h, const Axis w, const long batch, const long size, long t, private Tile* tile) {
  const long nd = end_of_inner(d) - first_inner(d), nh = end_of_inner(h) - first_inner(h), nw = end_of_inner(w) - first_inner(w);
  for (int outer = 0; outer < 8; ++outer) {
    const bool od = outer & 4, oh = outer & 2, ow = outer & 1;
    const long positions = batch * (od ? 1 : nd) * (oh ? 1 : nh) * (ow ? 1 : nw);
    const long classes = (od ? d.out - nd : 1) * (oh ? h.out - nh : 1) * (ow ? w.out - nw : 1);
    const long tiles = (positions + size - 1) / size;
    if (t >= tiles * classes) {
      t -= tiles * classes;
      continue;
    }
    long which = t / tiles;
    tile->first = (t - which * tiles) * size;
    const long cw = ow ? w.out - nw : 1, ch = oh ? h.out - nh : 1;
    tile->w = pick_run(w, !ow, which % cw);
    which /= cw;
    tile->h = pick_run(h, !oh, which % ch);
    tile->d = pick_run(d, !od, which / ch);
    return true;
  }
  return false;
}
