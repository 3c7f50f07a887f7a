// SPDX-License-Identifier: Apache-2.0
// Transposed convolution whose windows tile the output (stride = kernel, no padding), on devices that are like CPUs: each input position
// makes one patch, so it is a product with a column for each tap and output channel, and one launch. A work-item has `many` tiles of
// MOST input positions by one block of columns. Weights are packed: block of COLUMNS columns (tap, channel), input channel, column. A sum
// has no cut that would lie elsewhere than in the operator's order (conv.cpp). Post-ops have no tensors.
ENTRY(conv_patches) global float* y, const long yo, Y_PARAMS, global const float* x, const long xo, X_PARAMS,  //
                         global const float* weights, const long weights_o, const long batch, const long in_d, const long in_h,
                         const long in_w, const long kernel_d, const long kernel_h, const long kernel_w, const long in_channels,
                         const long out_channels, const long many BIAS_PARAMS POST_PARAMS) {
  if (!live) return;
  const long block = G1, all = batch * in_d * in_h * in_w;
  long first = G0 * MOST * many;
  if (first >= all) return;
  const long end = min(all, first + MOST * many), columns = kernel_d * kernel_h * kernel_w * out_channels;
  global const float* base = x + xo;
  global const float* packed = weights + weights_o + block * in_channels * COLUMNS;
  const Run rd = {0, in_d, 0, 0, 1}, rh = {0, in_h, 0, 0, 1}, rw = {0, in_w, 0, 0, 1};
  const Steps xs = {0, xn, xd, xh, xw}, ys = {yo, yn, kernel_d * yd, kernel_h * yh, kernel_w * yw};
  // Where the block's columns lie in a patch, and their bias.
  long lies[COLUMNS];
#ifdef HAS_BIAS
  float of_columns[NV * 16];
#endif
  for (int c = 0; c < COLUMNS; ++c) {
    const long column = min(block * COLUMNS + c, columns - 1), tap = column / out_channels, channel = column - tap * out_channels;
    const long line = tap / kernel_w, plane = line / kernel_h;
    lies[c] = plane * yd + (line - plane * kernel_h) * yh + (tap - line * kernel_w) * yw + channel * yc;
#ifdef HAS_BIAS
    of_columns[c] = bias[bias_o + channel * bias_step];
#endif
  }
#ifdef HAS_BIAS
  for (int c = COLUMNS; c < NV * 16; ++c) of_columns[c] = 0.f;
#endif
  const bool by_eights = out_channels % 8 == 0 && yc == 1;
  Place at = place_of(rd, rh, rw, first);
  for (; first < end; first += MOST) {
    const int count = (int)min((long)MOST, end - first);
    Place each[MOST];
    long in_x[MOST], in_y[MOST];
    places(rd, rh, rw, xs, ys, count, &at, each, in_x, in_y);
    float16 sums[MOST * NV];
    DISPATCH_TILE(count, (base, in_x, packed, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, in_channels, xc, sums))
    for (int i = 0; i < count; ++i)
      for (int v = 0; v < NV; ++v) {
        const int lanes = (int)min(columns - block * COLUMNS - v * 16, (long)min(16, COLUMNS - v * 16));
        if (lanes <= 0) break;
        F value = sums[i * NV + v];
#ifdef HAS_BIAS
        value = value + vload16(0, of_columns + v * 16);
#endif
        POST(value, 0, lanes)
        global float* yp = y + in_y[i];
        if (by_eights) {
          store_8(value.lo, yp + lies[v * 16]);
          if (lanes > 8) store_8(value.hi, yp + lies[v * 16 + 8]);
        } else {
          float t[16];
          vstore16(value, 0, t);
          for (int l = 0; l < lanes; ++l) yp[lies[v * 16 + l]] = t[l];
        }
      }
  }
}
