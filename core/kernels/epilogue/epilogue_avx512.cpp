// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains in AVX-512.
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/epilogue_tile.h"

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/avx512.h"

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"

}  // namespace

void run_epilogue_avx512(const EpilogueProgram& program, const EpilogueTile& tile) noexcept { run_epilogue(program, tile); }

}  // namespace anydim
