// SPDX-License-Identifier: Apache-2.0
// Products with few rows on devices that are like GPUs: a group has LINES rows by 32 columns, and each of its 8 times 32 work-items sums every
// eighth block of 128 k of one column (docs/numerics.md, section 1). The blocks of eight such items are then added in order.
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
#define ADD_C                                         \
  {                                                   \
    float t = c[(co EACH_ROW(C_TERM)) + column * cc]; \
    if (beta != 1.f) t = beta * t;                    \
    value = value + t;                                \
  }
#else
#define C_PARAMS
#define ADD_C
#endif

// The sums of the items' blocks, then the rows' offsets.
#define LINES_END (8 * LINES * 32 / 4 + (LINES + 1) / 2)
#undef GROUP_PARAMETER
#ifdef WRAPPED
#define GROUP_PARAMETER local float4 *group,
#define GROUP_MEMORY
#else
#define GROUP_PARAMETER
#define GROUP_MEMORY local float4 group[LINES_END];
#endif

ENTRY(gemm_lines)
    global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,                       //
    global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,                 //
    global const float* right, const long right_o EACH_ROW(B_STRIDE), const long bc, const long bk,  //
    const long rows_of_item, const long columns, const long k_count, const float alpha EACH_ROW(ROW_DIM) C_PARAMS POST_PARAMS) {
  GROUP_MEMORY
  if (!live) return;
  const int lx = get_local_id(0), ly = get_local_id(1);
  const long item = G2, row0 = (G1 - ly) / LOCAL_Y * LINES, column = G0, from = min(column, columns - 1);
  const int rows_here = (int)min(rows_of_item - row0, (long)LINES);
  local float* const parts = (local float*)group;
  local long* const row_x = (local long*)(group + 8 * LINES * 32 / 4);
  if (lx == 0 && ly < LINES) {
    BEGIN_ROWS(item * rows_of_item + row0 + min(ly, rows_here - 1))
    row_x[ly] = ao EACH_ROW(A_TERM);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  global const float* w;
  {
    BEGIN_ROWS(item * rows_of_item)
    w = right + (right_o EACH_ROW(B_TERM));
  }
#ifdef PACKED
  w += from / 32 * 32 * ((k_count + 15) / 16 * 16) + from % 32;
  const long w_step = 32;
#else
  w += from * bc;
  const long w_step = bk;
#endif
  float total = 0.f;
  bool any = false;
  for (long k0 = 0; k0 < k_count; k0 += 8 * 128) {
    const long begin = k0 + ly * 128, end = min(begin + 128, k_count);
    float acc[LINES];
    #pragma unroll
    for (int r = 0; r < LINES; ++r) acc[r] = 0.f;
    for (long k = begin; k < end; ++k) {
      const float b = w[k * w_step];
      #pragma unroll
      for (int r = 0; r < LINES; ++r) acc[r] = fma(a[row_x[r] + k * ac], b, acc[r]);
    }
    #pragma unroll
    for (int r = 0; r < LINES; ++r) parts[(ly * LINES + r) * 32 + lx] = acc[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ly < LINES)
      for (int s = 0; s < 8 && k0 + s * 128 < k_count; ++s) {
        const float part = parts[(s * LINES + ly) * 32 + lx];
        total = any ? total + part : part;
        any = true;
      }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (ly >= rows_here || column >= columns) return;
  BEGIN_ROWS(item * rows_of_item + row0 + ly)
  POST_ROW
  F value = total;
  if (alpha != 1.f) value = alpha * value;
  ADD_C
  POST(value, column, 1)
  y[(yo EACH_ROW(Y_TERM)) + column * yc] = value;
}
