// SPDX-License-Identifier: Apache-2.0
// Products of matrices on devices that are like GPUs (groups.cl). Rows are batch axes and m, as in gemm.cl; the third id is an item of the
// batch.
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
#define ADD_C                                                             \
  {                                                                       \
    float t = c[(co EACH_ROW(C_TERM)) + column * cc];                     \
    if (beta != 1.f) t = beta * t;                                        \
    value = value + t;                                                    \
  }
#else
#define C_PARAMS
#define ADD_C
#endif

#define LEFT_STATE                     \
  global const float* xp = a + ao;     \
  long left_k = own_k;
#define LEFT_BEGIN xp = a + (ao + min(left_k, depth - 1) * ac);
#define LEFT_NEXT \
  left_k += STEP; \
  xp = a + (ao + min(left_k, depth - 1) * ac);
#define LEFT(row, value) value = xp[row_x[row]];

ENTRY(gemm_groups)
    global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,                       //
    global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,                 //
    global const float* right, const long right_o EACH_ROW(B_STRIDE), const long bc, const long bk,  //
    const long rows_of_item, const long columns, const long k_count, const float alpha EACH_ROW(ROW_DIM) C_PARAMS POST_PARAMS) {
  GROUP_MEMORY
  if (!live) return;
  const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * LOCAL_X + lx;
  const long item = G2, row0 = (G1 - ly) / LOCAL_Y * BM, column0 = (G0 - lx) / LOCAL_X * BN;
  const long depth = k_count;
  const int rows_here = (int)min(rows_of_item - row0, (long)BM), columns_here = (int)min(columns - column0, (long)BN);
  GROUP_ROWS
  for (int row = lid; row < BM; row += GROUP_ITEMS) {
    BEGIN_ROWS(item * rows_of_item + row0 + min(row, rows_here - 1))
    row_x[row] = (int)(0 EACH_ROW(A_TERM));
    row_y[row] = (int)(0 EACH_ROW(Y_TERM));
    EACH_ROW(KEEP_PLACE)
  }
#ifdef PACKED
  const long right_depth = (depth + STEP - 1) / STEP * STEP;
  const int blocks_here = (columns_here + 31) / 32;
#else
  const bool by_k = bk == 1 && bc != 1;
#endif
  global const RIGHT_TYPE* right_from;
  {
    BEGIN_ROWS(item * rows_of_item)
#ifdef PACKED
    right_from = (global const float4*)(right + (right_o EACH_ROW(B_TERM))) + column0 / 4 * right_depth;
#else
    right_from = right + (right_o EACH_ROW(B_TERM)) + column0 * bc;
#endif
  }
  SUM_PRODUCTS
  #pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = ROW_OF(i);
    if (row >= rows_here) continue;
    EACH_ROW(TAKE_PLACE)
    global float* yp = y + (yo + row_y[row]);
    POST_ROW
    #pragma unroll
    for (int j = 0; j < NB; ++j) {
      const float four[4] = {sums[i][j].x, sums[i][j].y, sums[i][j].z, sums[i][j].w};
      #pragma unroll
      for (int l = 0; l < 4; ++l) {
        if (COLUMN_OF(j) + l >= columns_here) continue;
        const long column = column0 + COLUMN_OF(j) + l;
        F value = four[l];
        if (alpha != 1.f) value = alpha * value;
        ADD_C
        POST(value, column, 1)
        yp[column * yc] = value;
      }
    }
  }
}
