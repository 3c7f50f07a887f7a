// SPDX-License-Identifier: Apache-2.0
// Sums of products on devices that are like GPUs: a group of work-items has BM rows (of a matrix, or positions of a convolution) by BN columns,
// and each work-item TM x TN of them, in the order of docs/numerics.md, section 1. K comes in steps of 16, which divide the blocks of 128:
// a step of both sides is brought into one of two pieces of local memory while the other is multiplied.
//
// What is included behind this says where the left side's elements lie:
//   LEFT_STATE           declares what a work-item keeps to find them
//   LEFT_BEGIN           sets it for the k that the work-item brings of the first step
//   LEFT_NEXT            moves it on by 16
//   LEFT(row, value)     the element of that row of the tile
// With WINDOWS, elements may be missing (padding): LEFT sets `there` to false for these. A missing element is skipped, not multiplied.
// ONE_TAP says that a row has all elements of a step or none.
// The right side is packed: block of 32 columns, k, column; of an item of the batch R_ITEM elements. Without PACKED it is read as it is.
#define STEP 16
#define GROUP_ITEMS (LOCAL_X * LOCAL_Y)
#define PITCH (BM + 4)
#define ROWS_OF_STEP (GROUP_ITEMS / STEP)
#define LOADS (BM / ROWS_OF_STEP)

// A group's memory, in numbers of 16 bytes: two pieces of both sides; of each row its offset in x and in y and, with WINDOWS, where its window
// begins on three axes; its place; what is missing. Offsets from a tensor's first element fit 32 bits (devices.cpp), and 64 would cost
// several instructions each.
#define GROUP_LEFT 0
#define GROUP_RIGHT (2 * STEP * PITCH / 4)
#define GROUP_OFFSETS (GROUP_RIGHT + 2 * STEP * BN / 4)
#ifdef WINDOWS
#define ROW_INTS 5
#else
#define ROW_INTS 2
#endif
#define GROUP_PLACES (GROUP_OFFSETS + ROW_INTS * BM / 4)
#define GROUP_THERE (GROUP_PLACES + ROWS * BM / 4)
#ifdef WINDOWS
#define GROUP_END (GROUP_THERE + 2 * STEP * BM / 16 + 1)
#else
#define GROUP_END GROUP_THERE
#endif

// Only a kernel can declare it, so entries that the engine writes pass it.
#undef GROUP_PARAMETER
#ifdef WRAPPED
#define GROUP_PARAMETER local float4 *group,
#define GROUP_MEMORY
#else
#define GROUP_PARAMETER
#define GROUP_MEMORY local float4 group[GROUP_END];
#endif

// The rows and columns of a work-item: fours, BM / 2 and BN / 2 apart where it has eight.
#define ROW_OF(i) (4 * ly + ((i) & 3) + ((i) >> 2) * (BM / 2))
#define COLUMN_OF(j) (4 * lx + (j) * (BN / 2))
#define NA (TM / 4)
#define NB (TN / 4)

#define MULTIPLY(i, part)                                     \
  for (int j = 0; j < NB; ++j) acc[i][j] = fma((float4)(part), b[j], acc[i][j]);
#define FOUR_ROWS(i, a)                                       \
  { _Pragma("unroll") MULTIPLY(i, (a).x) }                    \
  { _Pragma("unroll") MULTIPLY(i + 1, (a).y) }                \
  { _Pragma("unroll") MULTIPLY(i + 2, (a).z) }                \
  { _Pragma("unroll") MULTIPLY(i + 3, (a).w) }
#define FOUR_ROWS_THERE(i, a, t)                              \
  if ((t).x) { _Pragma("unroll") MULTIPLY(i, (a).x) }         \
  if ((t).y) { _Pragma("unroll") MULTIPLY(i + 1, (a).y) }     \
  if ((t).z) { _Pragma("unroll") MULTIPLY(i + 2, (a).z) }     \
  if ((t).w) { _Pragma("unroll") MULTIPLY(i + 3, (a).w) }

// Brings the step's elements of both sides into registers.
#ifdef PACKED
#define BRING_RIGHT(k0)                                                                                      \
  for (int i = lid, n = 0; i < STEP * BN / 4; i += GROUP_ITEMS, ++n) { /* 8 times 4 columns of a block */    \
    const int block = i / (8 * STEP), rest = i % (8 * STEP);                                                 \
    if (block < blocks_here) right_next[n] = right_from[(long)block * 8 * right_depth + 8 * (k0) + rest];    \
  }
#define KEEP_RIGHT(to)                                                           \
  for (int i = lid, n = 0; i < STEP * BN / 4; i += GROUP_ITEMS, ++n) {           \
    const int block = i / (8 * STEP), rest = i % (8 * STEP);                     \
    (to)[rest / 8 * (BN / 4) + block * 8 + rest % 8] = right_next[n];            \
  }
#define RIGHT_LOADS ((STEP * BN / 4 + GROUP_ITEMS - 1) / GROUP_ITEMS)
#define RIGHT_TYPE float4
#else
// Neighbouring work-items read along the axis whose elements lie next to each other.
#define RIGHT_K(i) (by_k ? (i) % STEP : (i) / BN)
#define RIGHT_COLUMN(i) (by_k ? (i) / STEP : (i) % BN)
#define BRING_RIGHT(k0)                                                                                       \
  for (int i = lid, n = 0; i < STEP * BN; i += GROUP_ITEMS, ++n)                                              \
    right_next[n] = right_from[min(RIGHT_COLUMN(i), columns_here - 1) * bc + min((long)(k0) + RIGHT_K(i), depth - 1) * bk];
#define KEEP_RIGHT(to) \
  for (int i = lid, n = 0; i < STEP * BN; i += GROUP_ITEMS, ++n) ((local float*)(to))[RIGHT_K(i) * BN + RIGHT_COLUMN(i)] = right_next[n];
#define RIGHT_LOADS ((STEP * BN + GROUP_ITEMS - 1) / GROUP_ITEMS)
#define RIGHT_TYPE float
#endif

#ifdef WINDOWS
#define BRING_LEFT                                                            \
  for (int n = 0; n < LOADS; ++n) {                                           \
    bool there = true;                                                        \
    float value = 0.f;                                                        \
    LEFT(own_row + n * ROWS_OF_STEP, value)                                   \
    left_next[n] = value;                                                     \
    there_next[n] = there;                                                    \
  }
#define KEEP_LEFT(to, step)                                                                                  \
  {                                                                                                          \
    bool all = true;                                                                                         \
    for (int n = 0; n < LOADS; ++n) {                                                                        \
      ((local float*)(to))[own_k * PITCH + own_row + n * ROWS_OF_STEP] = left_next[n];                       \
      THERE(step)[own_k * BM + own_row + n * ROWS_OF_STEP] = there_next[n];                                  \
      all = all && there_next[n];                                                                            \
    }                                                                                                        \
    if (!all) missing[(step) % 3] = 1;                                                                       \
  }
#define THERE(step) ((local uchar*)(group + GROUP_THERE) + ((step) & 1) * STEP * BM)
#else
#define BRING_LEFT                                \
  for (int n = 0; n < LOADS; ++n) {               \
    float value = 0.f;                            \
    LEFT(own_row + n * ROWS_OF_STEP, value)       \
    left_next[n] = value;                         \
  }
#define KEEP_LEFT(to, step) \
  for (int n = 0; n < LOADS; ++n) ((local float*)(to))[own_k * PITCH + own_row + n * ROWS_OF_STEP] = left_next[n];
#endif
#define PIECE_LEFT(step) (group + GROUP_LEFT + ((step) & 1) * (STEP * PITCH / 4))
#define PIECE_RIGHT(step) (group + GROUP_RIGHT + ((step) & 1) * (STEP * BN / 4))

#define EACH_K _Pragma("unroll") for (int k = 0; k < STEP; ++k)
// One k of the step that lies in `left` and `right`.
#define LOAD_SIDES(k)                                                                                        \
  float4 a[NA], b[NB];                                                                                       \
  _Pragma("unroll") for (int i = 0; i < NA; ++i) a[i] = left[(k) * (PITCH / 4) + ly + i * (BM / 8)];         \
  _Pragma("unroll") for (int j = 0; j < NB; ++j) b[j] = right[(k) * (BN / 4) + lx + j * (BN / 8)];
#if TM == 8
#define MULTIPLY_ALL FOUR_ROWS(0, a[0]) FOUR_ROWS(4, a[1])
#define MULTIPLY_THERE FOUR_ROWS_THERE(0, a[0], t[0]) FOUR_ROWS_THERE(4, a[1], t[1])
#else
#define MULTIPLY_ALL FOUR_ROWS(0, a[0])
#define MULTIPLY_THERE FOUR_ROWS_THERE(0, a[0], t[0])
#endif

// A block of 128 is done: of the rows that had an element in it.
#define EACH_SUM _Pragma("unroll") for (int i = 0; i < TM; ++i) _Pragma("unroll") for (int j = 0; j < NB; ++j)
#ifdef WINDOWS
#define END_BLOCK()                                                                   \
  _Pragma("unroll") for (int i = 0; i < TM; ++i) {                                    \
    if (!(had >> i & 1)) continue;                                                    \
    _Pragma("unroll") for (int j = 0; j < NB; ++j) {                                  \
      sums[i][j] = any >> i & 1 ? sums[i][j] + acc[i][j] : acc[i][j];                 \
      acc[i][j] = (float4)(0.f);                                                      \
    }                                                                                 \
  }                                                                                   \
  any |= had;                                                                         \
  had = 0;
#else
#define END_BLOCK()                                       \
  EACH_SUM {                                              \
    sums[i][j] = any ? sums[i][j] + acc[i][j] : acc[i][j]; \
    acc[i][j] = (float4)(0.f);                            \
  }                                                       \
  any = 1;
#endif

// All of it: `sums` are then the totals of TM rows by NB fours of columns.
#ifdef WINDOWS
#define SUMS_STATE int had = 0; bool there_next[LOADS]; local int* const missing = (local int*)(group + GROUP_END - 1);
#define SUMS_BEGIN if (lid < 3) missing[lid] = 0;
#define STEP_ALL (!missing[step % 3])
#define NEXT_MISSING if (lid == 0) missing[(step + 2) % 3] = 0;
#define MULTIPLY_STEP                                                                                                   \
  if (STEP_ALL) {                                                                                                       \
    had = (1 << TM) - 1;                                                                                                \
    EACH_K { LOAD_SIDES(k) MULTIPLY_ALL }                                                                               \
  } else if (ONE_TAP) { /* a row has all of the step or none, and most work-items have rows of one kind */              \
    local const uchar4* const here = (local const uchar4*)THERE(step);                                                  \
    uchar4 t[NA];                                                                                                       \
    LOAD_THERE(0)                                                                                                       \
    if (ALL_THERE) {                                                                                                    \
      EACH_K { LOAD_SIDES(k) MULTIPLY_ALL }                                                                             \
    } else if (ANY_THERE) {                                                                                             \
      EACH_K { LOAD_SIDES(k) MULTIPLY_THERE }                                                                           \
    }                                                                                                                   \
  } else {                                                                                                              \
    MULTIPLY_REST(STEP)                                                                                                 \
  }
#define MULTIPLY_REST(count)                                                                                            \
  {                                                                                                                     \
    local const uchar4* const here = (local const uchar4*)THERE(step);                                                  \
    for (int k = 0; k < (count); ++k) {                                                                                 \
      uchar4 t[NA];                                                                                                     \
      LOAD_THERE(k)                                                                                                     \
      if (ALL_THERE) {                                                                                                  \
        LOAD_SIDES(k)                                                                                                   \
        MULTIPLY_ALL                                                                                                    \
      } else if (ANY_THERE) {                                                                                           \
        LOAD_SIDES(k)                                                                                                   \
        MULTIPLY_THERE                                                                                                  \
      }                                                                                                                 \
    }                                                                                                                   \
  }
// Each is a byte that is 0 or 1.
#if TM == 8
#define ALL_THERE ((as_uint(t[0]) & as_uint(t[1])) == 0x01010101u)
#define ANY_THERE ((as_uint(t[0]) | as_uint(t[1])) != 0)
#else
#define ALL_THERE (as_uint(t[0]) == 0x01010101u)
#define ANY_THERE (as_uint(t[0]) != 0)
#endif
#define LOAD_THERE(k)                                                              \
  _Pragma("unroll") for (int i = 0; i < NA; ++i) {                                 \
    t[i] = here[(k) * (BM / 4) + ly + i * (BM / 8)];                               \
    had |= (t[i].x | t[i].y << 1 | t[i].z << 2 | t[i].w << 3) << 4 * i;            \
  }
#else
#define SUMS_STATE
#define SUMS_BEGIN
#define NEXT_MISSING
#define MULTIPLY_STEP EACH_K { LOAD_SIDES(k) MULTIPLY_ALL }
#define MULTIPLY_REST(count) for (int k = 0; k < (count); ++k) { LOAD_SIDES(k) MULTIPLY_ALL }
#endif

#define SUM_PRODUCTS                                                              \
  float4 acc[TM][NB], sums[TM][NB];                                               \
  EACH_SUM { acc[i][j] = (float4)(0.f); sums[i][j] = (float4)(0.f); }             \
  int any = 0;                                                                    \
  SUMS_STATE                                                                      \
  const int own_k = lid % STEP, own_row = lid / STEP;                             \
  float left_next[LOADS];                                                         \
  RIGHT_TYPE right_next[RIGHT_LOADS];                                             \
  LEFT_STATE                                                                      \
  SUMS_BEGIN                                                                      \
  barrier(CLK_LOCAL_MEM_FENCE); /* of the rows' offsets */                        \
  if (depth > 0) {                                                                \
    LEFT_BEGIN                                                                    \
    BRING_LEFT                                                                    \
    BRING_RIGHT(0)                                                                \
    KEEP_LEFT(PIECE_LEFT(0), 0)                                                   \
    KEEP_RIGHT(PIECE_RIGHT(0))                                                    \
  }                                                                               \
  barrier(CLK_LOCAL_MEM_FENCE);                                                   \
  int step = 0;                                                                   \
  for (long k0 = 0; k0 < depth; k0 += STEP, ++step) {                             \
    const bool more = k0 + STEP < depth;                                          \
    if (more) {                                                                   \
      LEFT_NEXT                                                                   \
      BRING_LEFT                                                                  \
      BRING_RIGHT(k0 + STEP)                                                      \
    }                                                                             \
    local const float4* const left = PIECE_LEFT(step);                            \
    local const float4* const right = PIECE_RIGHT(step);                          \
    if (k0 + STEP <= depth) {                                                     \
      MULTIPLY_STEP                                                               \
    } else {                                                                      \
      MULTIPLY_REST((int)(depth - k0))                                            \
    }                                                                             \
    NEXT_MISSING                                                                  \
    if (more) {                                                                   \
      KEEP_LEFT(PIECE_LEFT(step + 1), step + 1)                                   \
      KEEP_RIGHT(PIECE_RIGHT(step + 1))                                           \
    }                                                                             \
    if (!more || (k0 + STEP) % 128 == 0) { END_BLOCK() }                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                 \
  }

// Where rows lie: written by one work-item each, in `row_x`, `row_y`, `row_place`.
#define GROUP_ROWS                                                                                  \
  local int* const row_x = (local int*)(group + GROUP_OFFSETS);                                     \
  local int* const row_y = row_x + BM;                                                              \
  local int* const row_place = (local int*)(group + GROUP_PLACES);
#define KEEP_PLACE(k) row_place[k * BM + row] = (int)i##k;
#define TAKE_PLACE(k) const long i##k = row_place[k * BM + row];
