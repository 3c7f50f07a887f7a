// SPDX-License-Identifier: Apache-2.0
// Resize of up to three spatial axes (docs/numerics.md, section 6): a work-item has a row of output positions along w, by W channels.
// Coordinates are binary64. COORDINATES and NEAREST are the numbers of ResizeCoordinates and ResizeNearest; TAPS is 1 (nearest), 2 or 4.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define X_PARAMS const long xn, const long xc, const long xd, const long xh, const long xw
#define Y_PARAMS const long yn, const long yc, const long yd, const long yh, const long yw
#define AXIS_PARAMS(a) const long in_##a, const long out_##a, const long scale_##a, const int identity_##a

typedef struct {
  long index[TAPS];
  float weight[TAPS];
} Taps;

static inline double coordinate(const long in, const long out, const double scale, const long x) {
  const double at = (double)x;
#if COORDINATES == 0
  return (at + 0.5) / scale - 0.5;
#elif COORDINATES == 1
  const double exact_out = scale * (double)in, adjustment = (double)out / exact_out, centre = (double)in / 2;
  const double shift = centre * (1 - adjustment), half_pixel = (at + 0.5) / scale;
  return shift + half_pixel - 0.5;
#elif COORDINATES == 2
  return out <= 1 ? 0.0 : (at + 0.5) / scale - 0.5;
#elif COORDINATES == 3
  return out <= 1 ? 0.0 : at * ((double)in - 1) / ((double)out - 1);
#elif COORDINATES == 4
  return at / scale;
#else
  return (at + 0.5) / scale;
#endif
}

static inline long clamped(const double place, const long in) {
  const double last = (double)(in - 1), low = place < last ? place : last;
  return (long)(low > 0.0 ? low : 0.0);
}

static inline Taps taps_of(const long in, const long out, const long scale, const int identity, const long x, const double a) {
  Taps t;
  for (int i = 0; i < TAPS; ++i) {
    t.index[i] = x;
    t.weight[i] = 0.f;
  }
  if (identity) return t;
  const double c = coordinate(in, out, as_double(scale), x);
#if TAPS == 1
#if NEAREST == 0
  const double place = ceil(c - 0.5);
#elif NEAREST == 1
  const double place = floor(c + 0.5);
#elif NEAREST == 2
  const double place = floor(c);
#else
  const double place = ceil(c);
#endif
  t.index[0] = clamped(place, in);
#else
  const double base = floor(c), p = c - base;
  double w[TAPS];
#if TAPS == 2
  const double first = base;
  w[0] = 1 - p;
  w[1] = p;
#else
  const double first = base - 1, u = p + 1, v = 1 - p, z = v + 1;
  w[0] = ((a * u - 5 * a) * u + 8 * a) * u - 4 * a;
  w[1] = ((a + 2) * p - (a + 3)) * p * p + 1;
  w[2] = ((a + 2) * v - (a + 3)) * v * v + 1;
  w[3] = ((a * z - 5 * a) * z + 8 * a) * z - 4 * a;
#endif
  bool excluded = false;
  double sum = 0;
  for (int i = 0; i < TAPS; ++i) {
    const double place = first + i;
    t.index[i] = clamped(place, in);
#ifdef EXCLUDE_OUTSIDE
    if (place < 0 || place > (double)(in - 1)) {
      w[i] = 0;
      excluded = true;
    }
#endif
    sum += w[i];
  }
  for (int i = 0; i < TAPS; ++i) t.weight[i] = (float)(excluded ? w[i] / sum : w[i]);
#if TAPS == 2
  if (!excluded) t.weight[0] = 1.f - t.weight[1];
#endif
#endif
  return t;
}

// Along an axis: y = w[0] * x[0], then fma for the other taps.
static inline F along_w(global const float* p, const Taps* t, const int identity, const long step, const long xc, const int lanes) {
  F y = load_lanes(p + t->index[0] * step, xc, lanes);
#if TAPS > 1
  if (!identity) {
    y = SET(t->weight[0]) * y;
    for (int i = 1; i < TAPS; ++i) y = fma(SET(t->weight[i]), load_lanes(p + t->index[i] * step, xc, lanes), y);
  }
#endif
  return y;
}
static inline F along_h(global const float* p, const Taps* th, const int identity_h, const long step_h, const Taps* tw,  //
                        const int identity_w,
                        const long step_w, const long xc, const int lanes) {
  F y = along_w(p + th->index[0] * step_h, tw, identity_w, step_w, xc, lanes);
#if TAPS > 1
  if (!identity_h) {
    y = SET(th->weight[0]) * y;
    for (int i = 1; i < TAPS; ++i)
      y = fma(SET(th->weight[i]), along_w(p + th->index[i] * step_h, tw, identity_w, step_w, xc, lanes), y);
  }
#endif
  return y;
}

ENTRY(resize) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
              const long batch, const long channels, const long a_bits, AXIS_PARAMS(d), AXIS_PARAMS(h), AXIS_PARAMS(w)) {
  if (!live) return;
  const long column = G0 * W;
  const int lanes = (int)min(channels - column, (long)W);
  if (lanes <= 0 || G1 >= batch * out_d * out_h) return;
  const long oh = G1 % out_h, od = G1 / out_h % out_d, n = G1 / out_h / out_d;
  const double a = as_double(a_bits);
  const Taps td = taps_of(in_d, out_d, scale_d, identity_d, od, a), th = taps_of(in_h, out_h, scale_h, identity_h, oh, a);
  global const float* xp = x + (xo + n * xn + column * xc);
  for (long ow = 0; ow < out_w; ++ow) {
    const Taps tw = taps_of(in_w, out_w, scale_w, identity_w, ow, a);
    F v = along_h(xp + td.index[0] * xd, &th, identity_h, xh, &tw, identity_w, xw, xc, lanes);
#if TAPS > 1
    if (!identity_d) {
      v = SET(td.weight[0]) * v;
      for (int i = 1; i < TAPS; ++i)
        v = fma(SET(td.weight[i]), along_h(xp + td.index[i] * xd, &th, identity_h, xh, &tw, identity_w, xw, xc, lanes), v);
    }
#endif
    store_lanes(v, y + (yo + n * yn + od * yd + oh * yh + ow * yw + column * yc), yc, lanes);
  }
}
