// SPDX-License-Identifier: Apache-2.0
// Products of matrices on devices that are like CPUs: a work-item has `many` tiles of up to MOST rows by COLUMNS, over packed
// columns: item of the batch, block of COLUMNS columns, k, column. The offset of scratch is in bytes: b_unit of them are an element. Rows
// of the result are its batch axes and m; the last of these ROWS axes is m.
#define Y_STRIDE(k) , const long ys##k
#define A_STRIDE(k) , const long as##k
#define B_STRIDE(k) , const long bs##k
#define C_STRIDE(k) , const long cs##k
#define Y_TERM(k) +i##k * ys##k
#define A_TERM(k) +i##k * as##k
#define B_TERM(k) +i##k * bs##k
#define C_TERM(k) +i##k * cs##k

#ifdef HAS_C
#define C_PARAMS , global const float *c, const long co EACH_ROW(C_STRIDE), const long cc, const float beta
#define ADD_C                                                                         \
  {                                                                                   \
    F t = load_lanes(c + (co EACH_ROW(C_TERM)) + column * cc, cc, lanes);             \
    if (beta != 1.f) t = SET(beta) * t;                                               \
    value = value + t;                                                                \
  }
#else
#define C_PARAMS
#define ADD_C
#endif

// Rows of the launch are rows_of_item of one item of B (its number is the third id), or all of them where all share it.
ENTRY(gemm) global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,                             //
                 global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,                       //
                 global const float* b, const long bo, const long b_unit EACH_ROW(B_STRIDE),                   //
                 const long rows_of_item, const long columns, const long k_count, const long many, const int blocks_first,
                 const float alpha EACH_ROW(ROW_DIM) C_PARAMS POST_PARAMS) {
  if (!live) return;
  // Not by `?:`, which PoCL 3.1 makes a choice of the ids' addresses of, and cannot link.
  const long swap = (G0 - G1) * blocks_first, block = G1 + swap, tile = G0 - swap, item = G2;
  const long end = min(rows_of_item, (tile + 1) * many * MOST);
  global const float* base = a + ao;
  for (long begin = tile * many * MOST; begin < end; begin += MOST) {
    const int count = (int)min((long)MOST, end - begin);
    const long first = item * rows_of_item + begin;
    long o[MOST];
    global const float* packed;
    {
      BEGIN_ROWS(first)
      packed = b + (bo / b_unit EACH_ROW(B_TERM)) + block * k_count * COLUMNS;
      for (int i = 0; i < MOST; ++i) {
        o[i] = 0 EACH_ROW(A_TERM);
        if (i + 1 < count) {
          NEXT_ROW()
        }
      }
    }
    float16 sums[MOST * NV];
    DISPATCH_TILE(count, (base, o, packed, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, k_count, ac, sums))
    BEGIN_ROWS(first)
    for (int i = 0; i < count; ++i) {
      global float* yp = y + (yo EACH_ROW(Y_TERM));
      POST_ROW
      for (int v = 0; v < NV; ++v) {
        const long column = block * COLUMNS + v * 16;
        const int lanes = (int)min(columns - column, (long)min(16, COLUMNS - v * 16));
        if (lanes <= 0) break;
        F value = sums[i * NV + v];
        if (alpha != 1.f) value = SET(alpha) * value;
        ADD_C
        POST(value, column, lanes)
        store_lanes(value, yp + column * yc, yc, lanes);
      }
      NEXT_ROW()
    }
  }
}
