// SPDX-License-Identifier: Apache-2.0
// What convolutions on devices that are like CPUs share: their parameters, where the positions of a tile lie, the bias.
#define X_PARAMS const long xn, const long xc, const long xd, const long xh, const long xw
#define Y_PARAMS const long yn, const long yc, const long yd, const long yh, const long yw
#define AXIS_PARAMS(a) \
  const long in_##a, const long out_##a, const long kernel_##a, const long stride_##a, const long dilation_##a, const long pad_##a

// Positions first, first + 1, ... of a class (clamped to `count` of them): where they are.
static inline void places(const Run d, const Run h, const Run w, const long first, const int count,  //
                          long* n_, long* d_, long* h_, long* w_) {
  long pw = first % w.count, rest = first / w.count;
  long ph = rest % h.count;
  rest /= h.count;
  long pd = rest % d.count, pn = rest / d.count;
  for (int i = 0; i < MOST; ++i) {
    n_[i] = pn;
    d_[i] = pd;
    h_[i] = ph;
    w_[i] = pw;
    if (i + 1 >= count) continue;
    if (++pw < w.count) continue;
    pw = 0;
    if (++ph < h.count) continue;
    ph = 0;
    if (++pd < d.count) continue;
    pd = 0;
    ++pn;
  }
}

#ifdef HAS_BIAS
#define BIAS_PARAMS , global const float *bias, const long bias_o, const long bias_step
#define BIAS value = value + load_lanes(bias + bias_o + column * bias_step, bias_step, lanes);
#else
#define BIAS_PARAMS
#define BIAS
#endif
