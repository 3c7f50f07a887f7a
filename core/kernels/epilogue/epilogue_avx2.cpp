// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains in AVX2.
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/epilogue_tile.h"

#include <immintrin.h>

#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/avx2.h"

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"

}  // namespace

void run_epilogue_avx2(const EpilogueProgram& program, const EpilogueTile& tile) noexcept { run_epilogue(program, tile); }

}  // namespace anydim
