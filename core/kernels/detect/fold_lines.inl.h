// SPDX-License-Identifier: Apache-2.0
// What one tap of Fold adds to lines of an image, over the vector type F32.
#pragma once

#include <cstdint>

#include "core/kernels/detect/fold_lines.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline void add_fold_lines(const FoldLines& l) noexcept {
  constexpr int64_t W = F32::kWidth;
  for (int64_t r = 0; r < l.rows; ++r) {
    float* to = l.to + r * l.to_row;
    const float* from = l.from + r * l.from_row;
    if (l.to_step == 1 && l.from_step == 1) {
      int64_t i = 0;
      for (; i + W <= l.n; i += W) (F32::load(to + i) + F32::load(from + i)).store(to + i);
      const int rest = static_cast<int>(l.n - i);
      if (rest > 0) (F32::load_partial(to + i, rest) + F32::load_partial(from + i, rest)).store_partial(to + i, rest);
    } else {
      for (int64_t i = 0; i < l.n; ++i) to[i * l.to_step] = to[i * l.to_step] + from[i * l.from_step];
    }
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
