// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the last axis (docs/numerics.md, section 3): rows are the other axes; a work-item has one row.
#define Y_STRIDE(k) , const long ys##k
#define X_STRIDE(k) , const long xs##k
#define Y_TERM(k) +i##k * ys##k
#define X_TERM(k) +i##k * xs##k

#ifdef HAS_GAMMA
#define GAMMA_PARAMS , global const float *gamma, const long gamma_o, const long gamma_step
#define GAMMA load_lanes(gamma + gamma_o + r * gamma_step, gamma_step, n)
#else
#define GAMMA_PARAMS
#endif
#ifdef HAS_BETA
#define BETA_PARAMS , global const float *beta, const long beta_o, const long beta_step
#define BETA load_lanes(beta + beta_o + r * beta_step, beta_step, n)
#else
#define BETA_PARAMS
#endif
#if defined(HAS_GAMMA) && defined(HAS_BETA)
#define SCALED(o) fma(o, GAMMA, BETA)
#elif defined(HAS_GAMMA)
#define SCALED(o) (o * GAMMA)
#elif defined(HAS_BETA)
#define SCALED(o) (o + BETA)
#else
#define SCALED(o) o
#endif

// The sum of what `take` makes of acc and v, elements in order, by 32 lanes in blocks of 4,096.
#if W == 16
#define LANES(total, take)                                                     \
  for (long b = 0; b < count; b += 4096) {                                     \
    const long end = min(count, b + 4096);                                     \
    F low = SET(0.f), high = SET(0.f);                                         \
    for (long r = b; r < end; r += 16) {                                       \
      const int n = (int)min(end - r, 16L);                                    \
      const bool second = (r & 16) != 0;                                       \
      const F v = load_lanes(xp + r * xc, xc, n), before = second ? high : low; \
      F acc = before;                                                          \
      take                                                                     \
      if (n < 16) {                                                            \
        float t[16], u[16];                                                    \
        vstore16(acc, 0, t);                                                   \
        vstore16(before, 0, u);                                                \
        for (int i = n; i < 16; ++i) t[i] = u[i];                              \
        acc = vload16(0, t);                                                   \
      }                                                                        \
      if (second) high = acc;                                                  \
      else low = acc;                                                          \
    }                                                                          \
    const float16 t16 = low + high;                                            \
    const float8 t8 = t16.lo + t16.hi;                                         \
    const float4 t4 = t8.lo + t8.hi;                                           \
    const float2 t2 = t4.lo + t4.hi;                                           \
    total = b == 0 ? t2.x + t2.y : total + (t2.x + t2.y);                      \
  }
#else
#define LANES(total, take) SUM_OF_LANES(total, 0.f, take, b_add, xp, xc)
#endif

ENTRY(layer_norm) global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,              //
                  global const float* x, const long xo EACH_ROW(X_STRIDE), const long xc,        //
                  const long count, const float epsilon EACH_ROW(ROW_DIM) GAMMA_PARAMS BETA_PARAMS POST_PARAMS) {
#if W == 1
  GROUP_MEMORY
#endif
  if (!live) return;
#if W == 1
  LANE_OF_ROW(ROW_COUNT)
  BEGIN_ROWS(own_row)
#else
  if (G0 >= ROW_COUNT) return;
  BEGIN_ROWS(G0)
  const int lane = 0;
#endif
  global const float* xp = x + (xo EACH_ROW(X_TERM));
  global float* yp = y + (yo EACH_ROW(Y_TERM));
  float sum = 0.f, squares = 0.f;
  LANES(sum, acc = acc + v;)
  const F mean = SET(sum / (float)count);
  LANES(squares, const F d = v - mean; acc = fma(d, d, acc);)
  const F rstd = SET(1.f / sqrt(squares / (float)count + epsilon));
  POST_ROW
#if W == 1
  if (!mine) return;
#endif
  for (long r = lane; r < count; r += W == 1 ? 32 : W) {
    const int n = (int)min(count - r, (long)W);
    const F o = (load_lanes(xp + r * xc, xc, n) - mean) * rstd;
    F value = SCALED(o);
    POST(value, r, n)
    store_lanes(value, yp + r * yc, yc, n);
  }
}
