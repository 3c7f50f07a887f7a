// SPDX-License-Identifier: Apache-2.0
// What every program begins with: the vector type F of W lanes, its masks and bits, loads and stores of n lanes with any stride, and the
// macros that repeat a piece of text for each axis. W is 16 on devices that are like CPUs, where a work-item has vectors of its own, and
// 1 on those that are like GPUs, where neighbouring work-items are the lanes; 4 there where it loads and stores as many at once.
#pragma OPENCL FP_CONTRACT OFF

// Of functions with much code. Compilers that inline them into each other take a minute for a convolution (docs/opencl.md).
#define NO_INLINE __attribute__((noinline))

#if W == 16
typedef float16 F;
typedef int16 I;
#define AS_F as_float16
#define AS_I as_int16
#define TO_F convert_float16
#define TO_I convert_int16
#define STORE_ARRAY(v, t) vstore16(v, 0, t);
#define LOAD_ARRAY(t) vload16(0, t)
#elif W == 4
typedef float4 F;
typedef int4 I;
#define AS_F as_float4
#define AS_I as_int4
#define TO_F convert_float4
#define TO_I convert_int4
#define STORE_ARRAY(v, t) vstore4(v, 0, t);
#define LOAD_ARRAY(t) vload4(0, t)
#else
typedef float F;
typedef int I;
#define AS_F as_float
#define AS_I as_int
#define TO_F convert_float
#define TO_I convert_int
#define STORE_ARRAY(v, t) t[0] = v;
#define LOAD_ARRAY(t) t[0]
#endif
// A function that is launched. `live` is 0 once, when a program is made: drivers that compile late do it then. A launch has at most 65,535
// groups along an axis, so a longer range comes in parts, which begin at the shifts. G0, G1, G2 are the places in the whole range.
// In programs whose entries the engine writes it is a plain function, which those call (wrapped_source.h).
#define GROUP_PARAMETER
#ifdef WRAPPED
#define ENTRY(name) static inline void body_##name(GROUP_PARAMETER const int live, const long shift_0, const long shift_1, const long shift_2,
#else
#define ENTRY(name)                                                          \
  kernel __attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1))) void name( \
      const int live, const long shift_0, const long shift_1, const long shift_2,
#endif
#define G0 ((long)get_global_id(0) + shift_0)
#define G1 ((long)get_global_id(1) + shift_1)
#define G2 ((long)get_global_id(2) + shift_2)

#define SET(x) ((F)(x))
#define SET_I(x) ((I)(x))
// m ? a : b of each lane, m a comparison of two F.
#define SELECT(m, a, b) select((b), (a), (m))
// The second for NaN and for equal zeros.
#define PICK_GREATER(a, b) SELECT((a) > (b), (a), (b))
#define PICK_LESS(a, b) SELECT((a) < (b), (a), (b))

// On the sign bit alone.
static inline F f_neg(F a) { return AS_F(AS_I(a) ^ SET_I((int)0x80000000)); }
static inline F f_abs(F a) { return AS_F(AS_I(a) & SET_I(0x7fffffff)); }
static inline F f_copysign(F magnitude, F sign) {
  return AS_F((AS_I(magnitude) & SET_I(0x7fffffff)) | (AS_I(sign) & SET_I((int)0x80000000)));
}

#if W == 16
// One instruction where vload16 and vstore16, of a driver's library, are several.
typedef float16 __attribute__((aligned(4))) AnyF16;
typedef float8 __attribute__((aligned(4))) AnyF8;
static inline float16 load_16(global const float* p) { return *(global const AnyF16*)p; }
static inline float8 load_8(global const float* p) { return *(global const AnyF8*)p; }
static inline void store_16(float16 v, global float* p) { *(global AnyF16*)p = v; }
static inline void store_8(float8 v, global float* p) { *(global AnyF8*)p = v; }
#endif
// n lanes, neighbours `stride` elements apart; the others are 0.
#if W == 16
static NO_INLINE F load_some_lanes(global const float* p, const long stride, const int n) {
  float t[16];
  for (int i = 0; i < 16; ++i) t[i] = i < n ? p[i * stride] : 0.f;
  return vload16(0, t);
}
static NO_INLINE void store_some_lanes(F v, global float* p, const long stride, const int n) {
  float t[16];
  vstore16(v, 0, t);
  for (int i = 0; i < n; ++i) p[i * stride] = t[i];
}
static inline F load_lanes(global const float* p, const long stride, const int n) {
  if (stride == 0) return SET(*p);
  if (stride == 1 && n == 16) return load_16(p);
  if (stride == 1 && n == 8) return (float16)(load_8(p), (float8)(0.f));
  return load_some_lanes(p, stride, n);
}
static inline void store_lanes(F v, global float* p, const long stride, const int n) {
  if (stride == 1 && n == 16) store_16(v, p);
  else if (stride == 1 && n == 8) store_8(v.lo, p);
  else store_some_lanes(v, p, stride, n);
}
#elif W == 4
#define ALIGNED(p) (((uint)(ulong)(p) & 15) == 0)
static inline F load_lanes(global const float* p, const long stride, const int n) {
  if (stride == 1 && n == 4 && ALIGNED(p)) return *(global const float4*)p;
  const int s = (int)stride;
  return (float4)(p[0], n > 1 ? p[s] : 0.f, n > 2 ? p[2 * s] : 0.f, n > 3 ? p[3 * s] : 0.f);
}
static inline void store_lanes(F v, global float* p, const long stride, const int n) {
  if (stride == 1 && n == 4 && ALIGNED(p)) {
    *(global float4*)p = v;
    return;
  }
  const int s = (int)stride;
  p[0] = v.x;
  if (n > 1) p[s] = v.y;
  if (n > 2) p[2 * s] = v.z;
  if (n > 3) p[3 * s] = v.w;
}
#else
static inline F load_lanes(global const float* p, const long stride, const int n) { return *p; }
static inline void store_lanes(F v, global float* p, const long stride, const int n) { *p = v; }
#endif

// m(0) m(1) ... for the axes of rows, outermost first, and the other way round. ROWS is how many there are.
#define ROWS_0(m)
#define ROWS_1(m) m(0)
#define ROWS_2(m) ROWS_1(m) m(1)
#define ROWS_3(m) ROWS_2(m) m(2)
#define ROWS_4(m) ROWS_3(m) m(3)
#define ROWS_5(m) ROWS_4(m) m(4)
#define ROWS_6(m) ROWS_5(m) m(5)
#define ROWS_7(m) ROWS_6(m) m(6)
#define ROWS_8(m) ROWS_7(m) m(7)
#define BACK_0(m)
#define BACK_1(m) m(0)
#define BACK_2(m) m(1) BACK_1(m)
#define BACK_3(m) m(2) BACK_2(m)
#define BACK_4(m) m(3) BACK_3(m)
#define BACK_5(m) m(4) BACK_4(m)
#define BACK_6(m) m(5) BACK_5(m)
#define BACK_7(m) m(6) BACK_6(m)
#define BACK_8(m) m(7) BACK_7(m)
#define JOIN_2(a, b) a##b
#define JOIN(a, b) JOIN_2(a, b)
#define EACH_ROW JOIN(ROWS_, ROWS)
#define EACH_ROW_BACK JOIN(BACK_, ROWS)

// A walk over rows: i0, i1, ... are the place of row `first`, then of the next one.
#define ROW_DIM(k) , const long d##k
#if W == 16
#define ROW_REST long
#define ROW_PLACE(k)       \
  long i##k = rest % d##k; \
  rest /= d##k;
#else
// Of many work-items that each decode one row: places fit 32 bits (devices.cpp), and most axes have been collapsed to 1.
#define ROW_REST uint
#define ROW_PLACE(k)               \
  long i##k = 0;                   \
  if (d##k != 1) {                 \
    i##k = rest % (uint)d##k;      \
    rest /= (uint)d##k;            \
  }
#endif
#define ROW_NEXT(k)            \
  i##k += carry;               \
  carry = i##k == d##k ? 1 : 0; \
  i##k = carry ? 0 : i##k;
#define BEGIN_ROWS(first)    \
  ROW_REST rest = (ROW_REST)(first); \
  long carry;                 \
  EACH_ROW_BACK(ROW_PLACE)
#define NEXT_ROW() \
  carry = 1;       \
  EACH_ROW_BACK(ROW_NEXT)
#define ROW_COUNT_TERM(k) *d##k
#define ROW_COUNT (1 EACH_ROW(ROW_COUNT_TERM))

// The columns c0 to c1, by `next`, and the rows r0 to r1 of a work-item, of numbers INDEX, as RowRange says (opencl_kernel.h). A device like a
// GPU has 32 bits for each: a place is at most that (devices.cpp).
#if LOCAL_X == 1
#define INDEX long
#define NEXT_COLUMN(c) (c + next)
#define RANGE_OF_ITEM(lanes)                                                                                    \
  const long c0 = G0 * column_step, c1 = min(columns, c0 + column_step), r0 = G1 * row_step, r1 = min(ROW_COUNT, r0 + row_step); \
  const int next = lanes;                                                                                       \
  if (c0 >= c1 || r0 >= r1) return;
#else
#define INDEX uint
#define NEXT_COLUMN(c) (c1 - c > next ? c + next : c1) /* c + next may be more than 32 bits hold */
#define TIMES_ROWS(k) *(uint)d##k
#define RANGE_OF_ITEM(lanes)                                                            \
  uint part_of_row = (uint)G0, r0 = 0;                                                  \
  if (row_step != 0) {                                                                  \
    r0 = part_of_row / (uint)row_step;                                                  \
    part_of_row -= r0 * (uint)row_step;                                                 \
    if (r0 >= (1 EACH_ROW(TIMES_ROWS))) return;                                         \
  }                                                                                     \
  const uint c0 = lanes * part_of_row, c1 = (uint)columns, next = (uint)column_step, r1 = r0 + 1;
#endif
