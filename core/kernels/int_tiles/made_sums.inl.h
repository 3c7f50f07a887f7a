// SPDX-License-Identifier: Apache-2.0
// For an engine that makes sums and leaves what follows them to another one.
#pragma once

#include <cstdint>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Of rows [at, at + rows) and one panel, by that engine's run(); `sums`: of row `at`.
inline void finish_sums(const IntBlock& b, void (*run)(const IntBlock&), int64_t panel, int32_t at, int32_t rows, int32_t* sums) {
  IntBlock part = b;
  part.from = IntSource::of_panel(sums);
  part.rows = rows;
  part.panel_begin = panel;
  part.panel_end = panel + 1;
  part.dst += at;
  if (b.row_sums != nullptr) part.row_sums += at;
  part.row = b.row.from(at);
  for (int o = 0; o < b.program->operand_count; ++o)
    if (b.program->walks[o].by_row) part.operands[o] += at;
  run(part);
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
