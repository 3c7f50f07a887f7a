// SPDX-License-Identifier: Apache-2.0
// Evaluates a pool at its symbols' maxima or guesses; see reference_values.h.
#include "core/program/reference_values.h"

#include <algorithm>

namespace anydim {

std::vector<int64_t> reference_values(const DimPool& pool) {
  // 160 is a multiple of the strides of common networks, so that their guards hold at the guess.
  constexpr int64_t kGuess = 160, kLargestPromise = int64_t{1} << 20;
  std::vector<int64_t> values(static_cast<size_t>(pool.size()), 0);
  for (int32_t i = 0; i < pool.size(); ++i) {
    const DimExpr& e = pool.expr(i);
    if (e.op != DimOp::symbol) continue;
    const DimPromise& p = e.promise;
    values[static_cast<size_t>(i)] =
        p.max <= kLargestPromise ? p.max : std::max(p.min, round_up(kGuess, std::max<int64_t>(p.multiple_of, 1)));
  }
  SlotProgram(pool).run(values);
  return values;
}

}  // namespace anydim
