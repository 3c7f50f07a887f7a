// SPDX-License-Identifier: Apache-2.0
// Convolution with one channel a group, on devices that are like CPUs: a work-item has `columns_of_item` output positions of one row and
// `blocks_of_item` blocks of 16 channels of each, in tiles of MOST positions by one block, whose sums stay in registers. In tiles whose
// windows lie inside the row a tap has no test; in others each position tests it. Weights are packed: tap, channel (padded to 16).
// WIDTH: the window's width, for the usual ones. MANY_TAPS: there may be more than 128 taps.
#define POSITIONS(i) _Pragma("unroll") for (int i = 0; i < MOST; ++i)

// Sums of 128 taps are added to the total (docs/numerics.md). Tiles that test have one position then, so that a block without a tap
// inside is none.
#ifdef MANY_TAPS
#define NEXT_BLOCK(tap)                                                      \
  if ((tap) >> 7 != open) {                                                  \
    if (open >= 0) {                                                         \
      POSITIONS(i) total[i] = any ? total[i] + acc[i] : acc[i];              \
      POSITIONS(i) acc[i] = 0.f;                                             \
      any = true;                                                            \
    }                                                                        \
    open = (tap) >> 7;                                                       \
  }
#else
#define NEXT_BLOCK(tap)
#endif

// Rows of taps, with their first place in x and their weights.
#define EACH_ROW_OF_TAPS                                                                                     \
  for (long td = 0; td < rd.taps; ++td)                                                                      \
    for (long th = 0; th < rh.taps; ++th) {                                                                  \
      const long tap = ((rd.tap + td) * kernel_h + rh.tap + th) * kernel_w;                                  \
      global const float* xp = base + (td * dilation_d * xd + th * dilation_h * xh);                         \
      global const float* wp = weights + (tap * padded + column);
#define TAPS_INSIDE(LOAD)                                                                                    \
  EACH_ROW_OF_TAPS                                                                                           \
    for (long tw = 0; tw < kernel_w; ++tw, xp += step, wp += padded) {                                       \
      NEXT_BLOCK(tap + tw)                                                                                   \
      const float16 b = load_16(wp);                                                                      \
      POSITIONS(i) acc[i] = fma(LOAD(xp + i * next), b, acc[i]);                                             \
    }                                                                                                        \
  }
// Neighbouring positions are neighbouring taps: each place is loaded once.
#define TAPS_SHARED(LOAD)                                                                                    \
  EACH_ROW_OF_TAPS                                                                                           \
    float16 b[WIDTH];                                                                                        \
    _Pragma("unroll") for (int t = 0; t < WIDTH; ++t) b[t] = load_16(wp + t * padded);                    \
    _Pragma("unroll") for (int j = 0; j < MOST + WIDTH - 1; ++j, xp += next) {                               \
      const float16 v = LOAD(xp);                                                                            \
      _Pragma("unroll") for (int t = 0; t < WIDTH; ++t) if (j - t >= 0 && j - t < MOST) acc[j - t] = fma(v, b[t], acc[j - t]); \
    }                                                                                                        \
  }
// At a row's ends: a place outside is no tap, nor a zero, whose product with an infinite weight is none. So each place is tested, once.
#define TAPS_SHARED_TESTED(LOAD)                                                                             \
  EACH_ROW_OF_TAPS                                                                                           \
    float16 b[WIDTH];                                                                                        \
    _Pragma("unroll") for (int t = 0; t < WIDTH; ++t) b[t] = load_16(wp + t * padded);                       \
    _Pragma("unroll") for (int j = 0; j < MOST + WIDTH - 1; ++j, xp += next) {                               \
      if ((ulong)(at + j * stride_w) >= (ulong)in_w) continue;                                               \
      const float16 v = LOAD(xp);                                                                            \
      _Pragma("unroll") for (int t = 0; t < WIDTH; ++t) if (j - t >= 0 && j - t < MOST) acc[j - t] = fma(v, b[t], acc[j - t]); \
    }                                                                                                        \
  }
#define TAPS_TESTED(LOAD)                                                                                    \
  EACH_ROW_OF_TAPS                                                                                           \
    long place = at;                                                                                         \
    for (long tw = 0; tw < kernel_w; ++tw, xp += step, wp += padded, place += dilation_w) {                  \
      NEXT_TESTED_BLOCK                                                                                      \
      const float16 b = load_16(wp);                                                                      \
      POSITIONS(i) {                                                                                         \
        if (i < count && (ulong)(place + i * stride_w) < (ulong)in_w) acc[i] = fma(LOAD(xp + i * next), b, acc[i]); \
      }                                                                                                      \
    }                                                                                                        \
  }
// Lanes that do not lie next to each other: one position after the other, as it is the loads that take the time, and not unrolled, as a
// compiler's time counts, too.
#define TAPS_OF_STRIDES(results)                                                                             \
  for (int i = 0; i < MOST; ++i) {                                                                           \
    float16 part = 0.f, whole = 0.f;                                                                         \
    long block = -1;                                                                                         \
    bool some = false;                                                                                       \
    if (i < count)                                                                                           \
      EACH_ROW_OF_TAPS                                                                                       \
        long place = at + i * stride_w;                                                                      \
        xp += i * next;                                                                                      \
        for (long tw = 0; tw < kernel_w; ++tw, xp += step, wp += padded, place += dilation_w) {              \
          if ((ulong)place >= (ulong)in_w) continue;                                                         \
          if ((tap + tw) >> 7 != block) {                                                                    \
            if (block >= 0) {                                                                                \
              whole = some ? whole + part : part;                                                            \
              part = 0.f;                                                                                    \
              some = true;                                                                                   \
            }                                                                                                \
            block = (tap + tw) >> 7;                                                                         \
          }                                                                                                  \
          part = fma(load_some_lanes(xp, xc, lanes), load_16(wp), part);                                     \
        }                                                                                                    \
      }                                                                                                      \
    results[i] = some ? whole + part : part;                                                                 \
  }
#ifdef MANY_TAPS
#define NEXT_TESTED_BLOCK                        \
  if ((ulong)place >= (ulong)in_w) continue;     \
  NEXT_BLOCK(tap + tw)
#else
#define NEXT_TESTED_BLOCK
#endif
#define LOAD_16(p) load_16(p)
#define LOAD_8(p) (float16)(load_8(p), (float8)(0.f))

ENTRY(depthwise) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,     //
                      global const float* weights_, const long weights_o, const long batch, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w),
                      const long channels, const long columns_of_item, const long blocks_of_item BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const Axis ad = {out_d, in_d, kernel_d, stride_d, dilation_d, pad_d}, ah = {out_h, in_h, kernel_h, stride_h, dilation_h, pad_h},
             aw = {out_w, in_w, kernel_w, stride_w, dilation_w, pad_w};
  const long strips = (out_w + columns_of_item - 1) / columns_of_item;
  long row = G0 / strips;
  const long begin = (G0 - row * strips) * columns_of_item, end = min(out_w, begin + columns_of_item);
  const long i2 = row % out_h;
  row /= out_h;
  const long i1 = row % out_d, i0 = row / out_d;
  if (i0 >= batch) return;
  const long padded = (channels + 15) / 16 * 16, first_column = G1 * blocks_of_item * 16;
  const long end_column = min(channels, first_column + blocks_of_item * 16);
  const Run rd = run_of(ad, i1, 1), rh = run_of(ah, i2, 1);
  const long inner = first_inner(aw), end_of_inner_w = min(end, end_of_inner(aw)), next = stride_w * xw, step = dilation_w * xw;
  global const float* weights = weights_ + weights_o;
  global const float* row_x = x + (xo + i0 * xn + rd.in * xd + rh.in * xh);
  global float* row_y = y + (yo + i0 * yn + i1 * yd + i2 * yh);
#ifdef MANY_TAPS
  const int most_tested = 1;
#else
  const int most_tested = MOST;
#endif
  for (long w = begin; w < end;) {
    const bool inside = w >= inner && w + MOST <= end_of_inner_w;
    const int count = inside ? MOST : (int)min((long)most_tested, end - w);
    const long at = w * stride_w - pad_w;
    for (long column = first_column; column < end_column; column += 16) {
      const int lanes = (int)min(channels - column, 16L);
      global const float* base = row_x + (at * xw + column * xc);
      float16 acc[MOST];
      POSITIONS(i) acc[i] = 0.f;
#ifdef MANY_TAPS
      float16 total[MOST];
      long open = -1;
      bool any = false;
#endif
      if (xc != 1 || (lanes != 16 && lanes != 8)) {
        float16 each[MOST];
        TAPS_OF_STRIDES(each)
        POSITIONS(i) acc[i] = each[i];
#ifdef WIDTH
      } else if (next == step) {
        if (!inside) {
          if (lanes == 16) {
            TAPS_SHARED_TESTED(LOAD_16)
          } else {
            TAPS_SHARED_TESTED(LOAD_8)
          }
        } else if (lanes == 16) {
          TAPS_SHARED(LOAD_16)
        } else {
          TAPS_SHARED(LOAD_8)
        }
#endif
      } else if (!inside) {
        if (lanes == 16) {
          TAPS_TESTED(LOAD_16)
        } else {
          TAPS_TESTED(LOAD_8)
        }
      } else if (lanes == 16) {
        TAPS_INSIDE(LOAD_16)
      } else {
        TAPS_INSIDE(LOAD_8)
      }
#ifdef MANY_TAPS
      if (any) POSITIONS(i) acc[i] = total[i] + acc[i];
#endif
      BIAS_LANES
      float16 sums[MOST];
      POSITIONS(i) sums[i] = acc[i];
      for (int i = 0; i < count; ++i) {
        const long i3 = w + i;
        F value = sums[i];
        BIAS
        POST_ROW
        POST(value, column, lanes)
        store_lanes(value, row_y + (i3 * yw + column * yc), yc, lanes);
      }
    }
    w += count;
  }
}
