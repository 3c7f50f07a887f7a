// SPDX-License-Identifier: Apache-2.0
// Tiles of sums of products on devices that are like GPUs (source/groups.cl): which sizes there are, which one a call takes, and how weights
// are packed for all of them: block of 32 columns, k in multiples of 16, column; missing ones are zeros.
#pragma once

#include <span>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"

namespace anydim::opencl {

// Rows by columns of a group, and of a work-item.
struct GroupTile {
  int rows, columns, own_rows, own_columns;
  // What a unit of the device reaches with it beside the best one, in thousandths, and how many groups it then has at once. Estimates, until
  // tools/device_check has swept a GPU.
  int speed, at_once;
  int local_x() const noexcept { return columns / own_columns; }
  int local_y() const noexcept { return rows / own_rows; }
};
// A tile's number is the variant of a program's key.
inline constexpr GroupTile kGroupTiles[] = {
    {32, 32, 4, 4, 400, 8}, {64, 64, 8, 4, 750, 4}, {128, 64, 8, 8, 900, 3}, {128, 128, 8, 8, 1000, 1}};
inline constexpr int kMostGroupTiles = 4;
constexpr int kPackedColumns = 32, kPackedDepth = 16;

// The tiles that programs are made for: those with a use for so many columns (0: not known), of a set that fits the local memory.
struct GroupSet {
  int64_t local_memory;  // that it needs, bytes
  int largest;           // number of a tile
};
inline constexpr GroupSet kLargeGroups{46 << 10, 3}, kSmallGroups{24 << 10, 1};
int group_tiles(const GroupSet& set, int64_t columns, std::span<int, kMostGroupTiles> out) noexcept;

// The place in `tiles` of the one that should take least, for so many rows, columns and independent items.
int best_tile(std::span<const int> tiles, const DeviceTraits* device, int64_t rows, int64_t columns, int64_t items) noexcept;

// Instead: the tile of that number wherever there is a program of it; -1: as above. Also ANYDIM_OPENCL_TILE. For tests and measurements.
void want_group_tile(int number) noexcept;

DeviceNeeds group_needs(const GroupSet& set) noexcept;
// The groups of a launch.
std::array<int64_t, 3> groups_of(const GroupTile& tile, int64_t rows, int64_t columns, int64_t items) noexcept;
// Definitions of the tile, then of source/groups.cl.
void add_group_tile(ProgramText* text, const GroupTile& tile, bool packed, bool windows);

// Elements of the packed right side of one item, and its packing: element (k, column) of a block is from(k, column).
inline int64_t packed_right(int64_t k, int64_t columns) noexcept {
  return saturating_mul(saturating_mul(ceil_div(columns, kPackedColumns), kPackedColumns), round_up(k, kPackedDepth));
}
void pack_right(const float* from, int64_t k_count, int64_t k_step, int64_t columns, int64_t column_step, int64_t block, int64_t first_k,
                int64_t all_k, float* to) noexcept;

}  // namespace anydim::opencl
