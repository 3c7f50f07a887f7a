// SPDX-License-Identifier: Apache-2.0
// Products with few rows on devices that are like GPUs: a group has LINES rows by 32 columns, and each of its 8 times 8 work-items sums every
// eighth block of 128 k of four columns (docs/numerics.md, section 1). The blocks of eight such items are then added in order. The left side
// comes through local memory, 32 k of each block at a time.
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

// The sums of the items' blocks; 32 k of the left side of eight blocks; the rows' offsets.
#define LINES_LEFT (8 * LINES * 8)
#define LINES_END (2 * LINES_LEFT + (LINES + 3) / 4)
#undef GROUP_PARAMETER
#ifdef WRAPPED
#define GROUP_PARAMETER local float4 *group,
#define GROUP_MEMORY
#else
#define GROUP_PARAMETER
#define GROUP_MEMORY local float4 group[LINES_END];
#endif

// Four columns of the right side at k.
#ifdef PACKED
#define RIGHT(k) w[(k) * 8]
#else
#define RIGHT(k) (float4)(w[(k) * bk + by.x], w[(k) * bk + by.y], w[(k) * bk + by.z], w[(k) * bk + by.w])
#endif

ENTRY(gemm_lines)
    global float* y, const long yo EACH_ROW(Y_STRIDE), const long yc,                       //
    global const float* a, const long ao EACH_ROW(A_STRIDE), const long ac,                 //
    global const float* right, const long right_o EACH_ROW(B_STRIDE), const long bc, const long bk,  //
    const long rows_of_item, const long columns, const long k_count, const float alpha EACH_ROW(ROW_DIM) C_PARAMS POST_PARAMS) {
  GROUP_MEMORY
  if (!live) return;
  const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * LOCAL_X + lx, depth = (int)k_count;
  const long item = G2, row0 = (G1 - ly) / LOCAL_Y * LINES, first = 4 * G0;
  const int rows_here = (int)min(rows_of_item - row0, (long)LINES);
  local float4* const parts = group;
  local float4* const left = group + LINES_LEFT;
  local int* const row_x = (local int*)(group + 2 * LINES_LEFT);
  if (lid < LINES) {
    BEGIN_ROWS(item * rows_of_item + row0 + min(lid, rows_here - 1))
    row_x[lid] = (int)(0 EACH_ROW(A_TERM));
  }
  global const float* const xp = a + ao;
#ifdef PACKED
  global const float4* w;
  {
    BEGIN_ROWS(item * rows_of_item)
    w = (global const float4*)(right + (right_o EACH_ROW(B_TERM))) + (G0 - lx) * ((depth + 15) / 16 * 16) + lx;
  }
#else
  global const float* w;
  {
    BEGIN_ROWS(item * rows_of_item)
    w = right + (right_o EACH_ROW(B_TERM));
  }
  const long end = columns - 1;
  const long4 by = (long4)(min(first, end), min(first + 1, end), min(first + 2, end), min(first + 3, end)) * bc;
#endif
  float4 total = (float4)(0.f);
  bool any = false;
  for (int k0 = 0; k0 < depth; k0 += 8 * 128) {
    float4 acc[LINES];
    #pragma unroll
    for (int r = 0; r < LINES; ++r) acc[r] = (float4)(0.f);
    for (int part = 0; part < 128 && k0 + part < depth; part += 32) {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = lid; i < 8 * LINES * 32; i += LOCAL_X * LOCAL_Y) {
        const int k = k0 + i / (32 * LINES) * 128 + part + i % 32;
        ((local float*)left)[i] = k < depth ? xp[(int)(row_x[i / 32 % LINES] + k * (int)ac)] : 0.f;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const int begin = k0 + ly * 128 + part, count = min(depth - begin, 32);
      local const float4* const own = left + ly * LINES * 8;
      int k = 0;
      for (; k + 4 <= count; k += 4) {
        const float4 b0 = RIGHT(begin + k), b1 = RIGHT(begin + k + 1), b2 = RIGHT(begin + k + 2), b3 = RIGHT(begin + k + 3);
        #pragma unroll
        for (int r = 0; r < LINES; ++r) {
          const float4 four = own[r * 8 + k / 4];
          acc[r] = fma((float4)(four.x), b0, acc[r]);
          acc[r] = fma((float4)(four.y), b1, acc[r]);
          acc[r] = fma((float4)(four.z), b2, acc[r]);
          acc[r] = fma((float4)(four.w), b3, acc[r]);
        }
      }
      for (; k < count; ++k) {
        const float4 b = RIGHT(begin + k);
        #pragma unroll
        for (int r = 0; r < LINES; ++r) acc[r] = fma((float4)(((local const float*)own)[r * 32 + k]), b, acc[r]);
      }
    }
    #pragma unroll
    for (int r = 0; r < LINES; ++r) parts[(ly * LINES + r) * 8 + lx] = acc[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ly < LINES)
      for (int s = 0; s < 8 && k0 + s * 128 < depth; ++s) {
        const float4 of_block = parts[(s * LINES + ly) * 8 + lx];
        total = any ? total + of_block : of_block;
        any = true;
      }
  }
  if (ly >= rows_here) return;
  BEGIN_ROWS(item * rows_of_item + row0 + ly)
  POST_ROW
  const float four[4] = {total.x, total.y, total.z, total.w};
  #pragma unroll
  for (int l = 0; l < 4; ++l) {
    const long column = first + l;
    if (column >= columns) continue;
    F value = four[l];
    if (alpha != 1.f) value = alpha * value;
    ADD_C
    POST(value, column, 1)
    y[(yo EACH_ROW(Y_TERM)) + column * yc] = value;
  }
}
