// SPDX-License-Identifier: Apache-2.0
// Packs the columns of a right side that comes with a call, as gemm.cl reads them. The third id is an item of B's own batch, whose axes are
// d0, d1, ... and 1.
ENTRY(gemm_pack) global uchar* out, const long out_o, global const float* b, const long bo EACH_ROW(B_STRIDE), const long bc, const long bk,
                      const long columns, const long k_count, const long k_step EACH_ROW(ROW_DIM)) {
  if (!live) return;
  const long block = G0, k0 = G1 * k_step, item = G2;
  const long k1 = min(k_count, k0 + k_step);
  BEGIN_ROWS(item)
  global const float* bp = b + (bo EACH_ROW(B_TERM));
  global float* to = (global float*)(out + out_o) + ((item * ((columns + COLUMNS - 1) / COLUMNS) + block) * k_count) * COLUMNS;
  for (long k = k0; k < k1; ++k)
    for (int v = 0; v < NV; ++v) {
      const long column = block * COLUMNS + v * 16;
      const int lanes = (int)clamp(columns - column, 0L, 16L);
      const F t = lanes > 0 ? load_lanes(bp + k * bk + column * bc, bc, lanes) : SET(0.f);
      store_16(t, to + k * COLUMNS + v * 16);
    }
}
