// SPDX-License-Identifier: Apache-2.0
// How rows x columns x k of sums are cut into tasks for threads and blocks for caches: a few divisions, no tables.
#pragma once

#include "core/kernels/gemm/tile_engine.h"
#include "core/kernels/kernel.h"

namespace anydim {

struct WorkSplit {
  int64_t row_tasks = 1, column_tasks = 1;  // of each independent product
  int32_t tile_rows = 1;
  int64_t row_block = 0;
  bool panels_outer = false;
};

// `products`: independent products (groups, batch items) that are tasks by themselves. `row_bytes`: bytes of
// activation that one more row brings into the cache; `row_stride`: floats from row to row.
WorkSplit split_work(const TileEngine& engine, int64_t rows, int64_t columns, int64_t k, int64_t row_bytes, int64_t row_stride,
                     int64_t products, int threads, const PlanChoice* choice = nullptr) noexcept;

// Other splits of the same work, for a tuner: written as choices that split_work() takes. Changes of meaning change the
// revision. `split` is the cost model's.
constexpr int kSplitRevision = 1;
int split_choices(const TileEngine& engine, const WorkSplit& split, int64_t rows, int64_t columns, int threads,
                  std::span<PlanChoice> out) noexcept;

// Bounds of part `i` of `parts` of [0, n).
constexpr int64_t part_begin(int64_t n, int64_t parts, int64_t i) noexcept { return n / parts * i + (n % parts * i) / parts; }

}  // namespace anydim
