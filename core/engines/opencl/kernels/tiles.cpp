// SPDX-License-Identifier: Apache-2.0
// Shapes of tiles on devices that are like CPUs, and weights packed for them; see tiles.h.
#include "core/engines/opencl/kernels/tiles.h"

#include <algorithm>

#include "core/base/text/format.h"

namespace anydim::opencl {

DeviceNeeds tile_needs(const TileSet& tiles) noexcept {
  DeviceNeeds needs;
  needs.kind = DeviceKind::cpu;
  needs.vector_floats = &tiles == &kWideTiles || &tiles == &kWideProducts ? kWideVector : 1;
  return needs;
}

TileShape tile_of(const TileSet& tiles, int number, const Plan& plan) noexcept {
  TileShape shape = tiles.shapes[number];
  const int32_t positions = DeviceKernel::choice_of(plan).value[1];
  if (positions > 0 && positions < shape.positions) shape.positions = positions;
  return shape;
}

uint8_t tile_variant(int number, const TileShape& shape, const TileShape& own) noexcept {
  return static_cast<uint8_t>(number + (shape.positions == own.positions ? 0 : shape.positions << 4));
}

TileShape tile_of_variant(const TileSet& tiles, uint8_t variant) noexcept {
  TileShape shape = tiles.shapes[variant & 15];
  if (variant >> 4 > 0) shape.positions = variant >> 4;
  return shape;
}

int tile_choices(const TileSet& tiles, int number, std::span<PlanChoice> out) noexcept {
  const int own = tiles.shapes[number].positions;
  int count = 0;
  for (const int positions : {0, own * 2 / 3})
    if (static_cast<size_t>(count) < out.size()) out[static_cast<size_t>(count++)] = {{0, positions}};
  return count;
}

void add_tiles(ProgramText* text, const TileShape& shape) {
  const int lanes = shape.lanes;
  text->define("NV", shape.vectors()).define("MOST", shape.positions).define("COLUMNS", shape.columns());
  text->define("TV", formatted("float{}", lanes)).define("TILE_LANES", lanes).define("NT", shape.columns() / lanes);
  if (shape.columns() % lanes != 0) text->define("EXTRA");
  text->define("TILE_LOAD", formatted("load_{}", lanes));
  std::string dispatch;
  for (int size = shape.positions; size >= 1; size /= 2) {
    text->define("R", size).add("tile").undefine("R");
    dispatch += size > 1 ? formatted("if (count > {}) tile_{} arguments_; else ", size / 2, size) : formatted("tile_{} arguments_;", size);
  }
  text->define("DISPATCH_TILE(count, arguments_)", dispatch);
}

void pack_columns(const TileShape& shape, const float* from, int64_t k_count, int64_t k_step, int64_t columns, int64_t column_step,
                  int64_t first, float* to) noexcept {
  const int64_t n = std::min<int64_t>(columns - first, shape.columns());
  for (int64_t k = 0; k < k_count; ++k)
    for (int64_t c = 0; c < n; ++c) to[k * shape.columns() + c] = read_unaligned(from + k * k_step + (first + c) * column_step);
}

}  // namespace anydim::opencl
