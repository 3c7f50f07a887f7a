// SPDX-License-Identifier: Apache-2.0
// What a reduction kernel of an instruction set implements: outputs along one kept axis.
#pragma once

#include "core/kernels/reduce/axes.h"
#include "core/ops/generated/enums.h"

namespace anydim {

// `width` outputs; output i reduces the positions of `axes` from in + i * in_stride.
struct ReduceStrip {
  ReduceKind kind;
  bool lanes;  // the lane rule (the reduced axes are exactly the last) or the chain rule
  const float* in;
  float* out;
  int64_t width, in_stride, out_stride;
  const ReducedAxes* axes;
};

struct ReduceOfStrip {
  using Function = void(const ReduceStrip& strip) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
