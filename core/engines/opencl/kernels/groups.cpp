// SPDX-License-Identifier: Apache-2.0
// Tiles of groups: which one, and packing for them; see groups.h.
#include "core/engines/opencl/kernels/groups.h"

#include <algorithm>
#include <atomic>

#include "core/base/environment.h"

namespace anydim::opencl {

namespace {

// For measuring and testing a tile: the number of the one that calls take where they may.
std::atomic<int> wanted{-2};  // -2: the environment was not read
int wanted_tile() noexcept {
  int number = wanted.load(std::memory_order_relaxed);
  if (number == -2) {
    number = static_cast<int>(environment_number("ANYDIM_OPENCL_TILE", -1, 0, kMostGroupTiles - 1));
    wanted.store(number, std::memory_order_relaxed);
  }
  return number;
}

}  // namespace

void want_group_tile(int number) noexcept { wanted.store(number, std::memory_order_relaxed); }

int group_tiles(const GroupSet& set, int64_t columns, std::span<int, kMostGroupTiles> out) noexcept {
  int count = 0;
  for (int i = 0; i <= set.largest; ++i) {
    // A wider tile than the columns ask for only wastes work-items.
    if (i > 0 && columns > 0 && columns <= kGroupTiles[i].columns / 2) continue;
    out[static_cast<size_t>(count++)] = i;
  }
  return count;
}

int best_tile(std::span<const int> tiles, const DeviceTraits* device, int64_t rows, int64_t columns, int64_t items) noexcept {
  const int64_t units = device != nullptr ? std::max<int64_t>(device->units, 1) : 1;
  int best = 0;
  double least = 0;
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i] == wanted_tile()) return static_cast<int>(i);
    const GroupTile& t = kGroupTiles[tiles[i]];
    const std::array<int64_t, 3> g = groups_of(t, rows, columns, items);
    const double groups = static_cast<double>(g[0]) * static_cast<double>(g[1]) * static_cast<double>(g[2]);
    // All units are busy, or some wait for the last groups.
    const double waves = std::max(groups / static_cast<double>(units * t.at_once), 1.);
    const double whole = waves < 4 ? static_cast<double>(ceil_div(static_cast<int64_t>(groups), units * t.at_once)) : waves;
    const double time = whole * t.rows * t.columns * t.at_once / t.speed;
    if (i == 0 || time < least) {
      least = time;
      best = static_cast<int>(i);
    }
  }
  return best;
}

DeviceNeeds group_needs(const GroupSet& set) noexcept {
  DeviceNeeds needs;
  needs.kind = DeviceKind::gpu;
  needs.local_memory = set.local_memory;
  needs.most_items = 256;
  return needs;
}

std::array<int64_t, 3> groups_of(const GroupTile& tile, int64_t rows, int64_t columns, int64_t items) noexcept {
  return {ceil_div(columns, tile.columns), ceil_div(rows, tile.rows), items};
}

void add_group_tile(ProgramText* text, const GroupTile& tile, bool packed, bool windows) {
  text->define("BM", tile.rows).define("BN", tile.columns).define("TM", tile.own_rows).define("TN", tile.own_columns);
  if (packed) text->define("PACKED");
  if (windows) text->define("WINDOWS");
  text->add("groups");
}

void pack_right(const float* from, int64_t k_count, int64_t k_step, int64_t columns, int64_t column_step, int64_t block, int64_t first_k,
                int64_t all_k, float* to) noexcept {
  const int64_t first = block * kPackedColumns, n = std::min<int64_t>(columns - first, kPackedColumns);
  to += (block * round_up(all_k, kPackedDepth) + first_k) * kPackedColumns;
  for (int64_t k = 0; k < k_count; ++k)
    for (int64_t c = 0; c < n; ++c) to[k * kPackedColumns + c] = read_unaligned(from + k * k_step + (first + c) * column_step);
}

}  // namespace anydim::opencl
