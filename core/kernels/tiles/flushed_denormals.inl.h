// SPDX-License-Identifier: Apache-2.0
// While one lives, SSE and AVX operations of this thread read denormals as zeros and flush results to them. Compilers move arithmetic
// across it: what is to be flushed is called, not inlined.
#pragma once

#include <immintrin.h>

#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

class FlushedDenormals {
 public:
  FlushedDenormals() noexcept : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }
  ~FlushedDenormals() { _mm_setcsr(saved_); }
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
