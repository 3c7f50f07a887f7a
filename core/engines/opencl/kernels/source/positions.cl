// SPDX-License-Identifier: Apache-2.0
// What convolutions on devices that are like CPUs share: their parameters, where the positions of a tile lie, the bias.
#define X_PARAMS const long xn, const long xc, const long xd, const long xh, const long xw
#define Y_PARAMS const long yn, const long yc, const long yd, const long yh, const long yw
#define AXIS_PARAMS(a) \
  const long in_##a, const long out_##a, const long kernel_##a, const long stride_##a, const long dilation_##a, const long pad_##a

// A position of a class, and how far apart neighbours lie in a tensor: `first` is where the class begins.
typedef struct {
  long n, d, h, w;
} Place;
typedef struct {
  long first, n, d, h, w;
} Steps;

static inline long offset_of(const Steps s, const Place p) { return s.first + p.n * s.n + p.d * s.d + p.h * s.h + p.w * s.w; }
static inline Place place_of(const Run d, const Run h, const Run w, const long number) {
  Place p;
  p.w = number % w.count;
  long rest = number / w.count;
  p.h = rest % h.count;
  rest /= h.count;
  p.d = rest % d.count;
  p.n = rest / d.count;
  return p;
}
// `count` positions from *at on, and where they lie in both tensors; the last one stands for those that are missing to MOST. *at goes on
// to the position behind them.
// Where they are in several rows, it is not inlined: it is much code for a compiler beside what a tile costs.
typedef struct {
  Run d, h, w;
  Steps x, y;
  Place at;
} Walk;
static NO_INLINE void places_of_rows(private Walk* walk, const int count, private Place* each, private long* in_x, private long* in_y) {
  Place p = walk->at;
  const long x_step = walk->x.w, y_step = walk->y.w, row = walk->w.count;
  long xo = offset_of(walk->x, p), yo = offset_of(walk->y, p);
  for (int i = 0; i < MOST; ++i) {
    each[i] = p;
    in_x[i] = xo;
    in_y[i] = yo;
    if (i >= count - 1 && i < MOST - 1) continue;
    ++p.w;
    xo += x_step;
    yo += y_step;
    if (p.w < row) continue;
    p.w = 0;
    if (++p.h >= walk->h.count) {
      p.h = 0;
      if (++p.d >= walk->d.count) {
        p.d = 0;
        ++p.n;
      }
    }
    xo = offset_of(walk->x, p);
    yo = offset_of(walk->y, p);
  }
  walk->at = p;
}
static inline void places(const Run d, const Run h, const Run w, const Steps x, const Steps y, const int count,  //
                          Place* at, Place* each, long* in_x, long* in_y) {
  Place p = *at;
  long xo = offset_of(x, p), yo = offset_of(y, p);
  if (p.w + count < w.count) {  // all in one row
    #pragma unroll
    for (int i = 0; i < MOST; ++i) {
      const long n = min(i, count - 1);
      each[i] = p;
      each[i].w += n;
      in_x[i] = xo + n * x.w;
      in_y[i] = yo + n * y.w;
    }
    at->w += count;
    return;
  }
  Walk walk = {d, h, w, x, y, p};
  places_of_rows(&walk, count, each, in_x, in_y);
  *at = walk.at;
}

#ifdef HAS_BIAS
#define BIAS_PARAMS , global const float *bias, const long bias_o, const long bias_step
#define BIAS_LANES const F bias_lanes = load_lanes(bias + bias_o + column * bias_step, bias_step, lanes);
#define BIAS value = value + bias_lanes;
#else
#define BIAS_PARAMS
#define BIAS_LANES
#define BIAS
#endif
