// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits, widened in registers, in AVX-512.
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "core/kernels/compressed/numbers_engine.h"

namespace anydim {
namespace {

#include "core/kernels/simd/avx512.h"

constexpr int kTileOfRows = 6;  // sums and what they are made of stay in registers
constexpr int kAhead = 1024;    // bytes that are fetched before they are read

#include "core/kernels/compressed/numbers.inl.h"

constexpr NumbersEngine kEngine{"avx512", Isa::avx512, tile_engine_avx512, few_rows, widen};

}  // namespace

const NumbersEngine& numbers_engine_avx512() noexcept { return kEngine; }

}  // namespace anydim
