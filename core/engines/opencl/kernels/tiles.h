// SPDX-License-Identifier: Apache-2.0
// Tiles of sums of products on devices that are like CPUs (source/tile.cl): how many positions by how many vectors a work-item has, and
// how weights are packed for it: block of columns, k, column; missing columns are zeros.
#pragma once

#include <cstdint>

#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"

namespace anydim::opencl {

struct TileShape {
  int positions, vectors;
  int halves = 0;  // not 0: it has so many vectors of 8 lanes, which `vectors` of 16 have room for
  int columns() const noexcept { return halves > 0 ? kCpuLanes / 2 * halves : kCpuLanes * vectors; }
  int64_t blocks(int64_t columns_) const noexcept { return (columns_ + columns() - 1) / columns(); }
};
// The shapes of one kind of device: all sums have to fit into its registers. Which one is told by the number of columns alone, since
// packed weights depend on it: the second one is for `least` to `most` columns.
struct TileSet {
  int count;
  TileShape shapes[2];
  int64_t least = 0, most = 0;
  int number_for(int64_t columns) const noexcept { return count > 1 && columns >= least && columns <= most ? 1 : 0; }
  const TileShape& shape_for(int64_t columns) const noexcept { return shapes[number_for(columns)]; }
};
// 32 registers of 16 lanes; 16 registers of 8 lanes, of which a vector takes two. Products have one shape there: their right side may
// come with the call, and each shape is a program then.
inline constexpr TileSet kWideTiles{2, {{8, 2}, {12, 1}}, 1, kCpuLanes};
inline constexpr TileSet kNarrowTiles{2, {{6, 1}, {4, 2, 3}}, 17, 24};
inline constexpr TileSet kNarrowProducts{1, {{6, 1}, {}}};
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
