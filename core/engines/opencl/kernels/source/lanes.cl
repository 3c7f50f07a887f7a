// SPDX-License-Identifier: Apache-2.0
// Sums along a row on devices that are like GPUs: the 32 lanes of docs/numerics.md, section 2, are 32 work-items that lie next to each other,
// and a group has LOCAL_Y rows. All items of a group come to every barrier: those without a row do the last one again and store nothing.
#define GROUP_OF_LANES
#undef GROUP_PARAMETER
#ifdef WRAPPED
#define GROUP_PARAMETER local float4 *group,
#define GROUP_MEMORY
#else
#define GROUP_PARAMETER
#define GROUP_MEMORY local float4 group[8 * LOCAL_Y];
#endif

// Of `all` rows, the one of this item; `mine`: it is not there for the barriers alone.
#define LANE_OF_ROW(all)                                                                     \
  const int lane = get_local_id(0);                                                          \
  local float* const slots = (local float*)group + 32 * get_local_id(1);                     \
  const long wanted_row = G1, own_row = min(wanted_row, (all) - 1);                          \
  const bool mine = wanted_row == own_row;

// What all items of the row get of their `acc`: (0, 16), (1, 17), ... are joined first, then half of them again.
#define TREE_OF_LANES(out, acc, join)                                           \
  slots[lane] = acc;                                                            \
  barrier(CLK_LOCAL_MEM_FENCE);                                                 \
  for (int h = 16; h >= 1; h >>= 1) {                                           \
    if (lane < h) slots[lane] = join(slots[lane], slots[lane + h]);             \
    barrier(CLK_LOCAL_MEM_FENCE);                                               \
  }                                                                             \
  out = slots[0];                                                               \
  barrier(CLK_LOCAL_MEM_FENCE);

// The total of what `take` makes of acc and v, element r of the row at p[r * step], in blocks of 4,096.
#define SUM_OF_LANES(total, start, take, join, p, step)               \
  for (long b = 0; b < count; b += 4096) {                            \
    const long end = min(count, b + 4096);                            \
    float acc = start;                                                \
    for (long r = b + lane; r < end; r += 32) {                       \
      const float v = p[r * step];                                    \
      take                                                            \
    }                                                                 \
    float joined;                                                     \
    TREE_OF_LANES(joined, acc, join)                                  \
    if (b == 0) total = joined;                                       \
    else total = join(total, joined);                                 \
  }
