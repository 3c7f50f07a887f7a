// SPDX-License-Identifier: Apache-2.0
// Tiles of sums of products on devices that are like CPUs (source/tile.cl): how many positions by how many vectors a work-item has, and
// how weights are packed for it: block of columns, k, column; missing columns are zeros.
#pragma once

#include <cstdint>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"

namespace anydim::opencl {

// Positions by columns; sums in vectors of 16 or 8 lanes, and in one of 8 behind those of 16 if columns are left.
struct TileShape {
  int positions, columns_, lanes, cost;  // the last one: what a column costs beside the others', in thousandths
  int columns() const noexcept { return columns_; }
  int vectors() const noexcept { return (columns_ + kCpuLanes - 1) / kCpuLanes; }  // of 16 lanes, as the sums lie in memory
  int64_t blocks(int64_t all) const noexcept { return (all + columns_ - 1) / columns_; }
};
// The shapes of one kind of device: all sums have to fit into its registers. Which one depends on the number of columns alone, since
// packed weights depend on it: the one that wastes least.
struct TileSet {
  int count;
  TileShape shapes[4];
  int number_for(int64_t columns) const noexcept {
    int best = 0;
    for (int i = 1; i < count; ++i)
      if (cost_of(i, columns) < cost_of(best, columns)) best = i;
    return best;
  }
  const TileShape& shape_for(int64_t columns) const noexcept { return shapes[number_for(columns)]; }

 private:
  int64_t cost_of(int number, int64_t columns) const noexcept {
    const TileShape& s = shapes[number];
    return saturating_mul(s.blocks(columns), s.columns_ * s.cost);
  }
};
// 32 registers of 16 lanes; 16 registers of 8 lanes, of which a vector of 16 takes two. Products have fewer shapes: their right side may
// come with the call, and each shape is a program then.
inline constexpr TileSet kWideTiles{4, {{8, 32, 16, 1000}, {12, 16, 16, 1080}, {8, 24, 16, 1070}, {12, 8, 8, 1200}}};
inline constexpr TileSet kWideProducts{2, {{8, 32, 16, 1000}, {12, 16, 16, 1080}}};
inline constexpr TileSet kNarrowTiles{2, {{6, 16, 16, 1000}, {4, 24, 8, 1000}}};
inline constexpr TileSet kNarrowProducts{1, {{6, 16, 16, 1000}}};
constexpr int kWideVector = 16;  // floats that such a device adds in one instruction

// Tiles of a plan for single calls may have fewer positions: the choice's second number, 0 for the set's own.
constexpr int kTileRevision = 1;
TileShape tile_of(const TileSet& tiles, int number, const Plan& plan) noexcept;
uint8_t tile_variant(int number, const TileShape& shape, const TileShape& own) noexcept;  // of a program's key
TileShape tile_of_variant(const TileSet& tiles, uint8_t variant) noexcept;
// The choices that are worth a program: the set's own tile, and two thirds of it.
int tile_choices(const TileSet& tiles, int number, std::span<PlanChoice> out) noexcept;

DeviceNeeds tile_needs(const TileSet& tiles) noexcept;

// How many tiles a work-item has one after the other, of `tiles` by `others` that there are: several where sums are short, so that what
// a work-item costs does not count, but as many work-items as keep several cores busy.
inline int64_t tiles_of_item(int64_t tiles, int64_t others, int64_t k_count) noexcept {
  constexpr int64_t kLongSum = 1024, kMostTiles = 16, kBusy = 64;
  const int64_t wanted = kLongSum / (k_count > 0 ? k_count : 1), possible = tiles * others / kBusy;
  const int64_t n = wanted < possible ? wanted : possible;
  return n < 1 ? 1 : n > kMostTiles ? kMostTiles : n;
}

// Whether neighbouring work-items have the blocks of columns for one tile, and not the tiles of one block: the left side is then read
// once, and the weights, which a cache of the second level holds, over and over.
inline bool blocks_first(int64_t blocks, int64_t weights_bytes, int64_t left_bytes) noexcept {
  constexpr int64_t kSecondLevel = 256 << 10;
  return blocks > 1 && weights_bytes <= kSecondLevel && left_bytes > weights_bytes;
}

// Adds the tile functions and DISPATCH_TILE(count, arguments), which calls the smallest that has so many positions.
void add_tiles(ProgramText* text, const TileShape& shape);

// One block's columns from `first` on, of element (k, column) at from[k * k_step + column * column_step], k_count of them; to `to`.
void pack_columns(const TileShape& shape, const float* from, int64_t k_count, int64_t k_step, int64_t columns, int64_t column_step,
                  int64_t first, float* to) noexcept;

}  // namespace anydim::opencl
