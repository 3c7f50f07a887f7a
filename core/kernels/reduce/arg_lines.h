// SPDX-License-Identifier: Apache-2.0
// What an arg_reduce kernel of an instruction set implements: outputs along one kept axis.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace anydim {

// `width` outputs; output i is the place of the largest (smallest) of the `count` elements in + i * in_stride + k * step.
// count: 1 to INT32_MAX. Strides in elements. Any dtype but booleans and 16-bit floats.
struct ArgStrip {
  DType dtype;
  bool max, last;
  const void* in;
  int64_t* out;
  int64_t width, in_stride, out_stride;
  int64_t count, step;
};

struct ArgOfStrip {
  using Function = void(const ArgStrip& strip) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
