// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in AVX2.
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "core/kernels/compressed/numbers_engine.h"

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

constexpr int kTileOfRows = 4;  // sums and what they are made of stay in registers
constexpr int kAhead = 512;     // bytes that are fetched before they are read

#include "core/kernels/compressed/numbers.inl.h"

constexpr NumbersEngine kEngine{"avx2", Isa::avx2, tile_engine_avx2, few_rows, widen};

}  // namespace

const NumbersEngine& numbers_engine_avx2() noexcept { return kEngine; }

}  // namespace anydim
