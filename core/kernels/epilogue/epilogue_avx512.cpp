// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains in AVX-512.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"

namespace anydim {

void RunEpilogue::avx512(const EpilogueProgram& program, const EpilogueTile& tile) noexcept { avx512::run_epilogue(program, tile); }

}  // namespace anydim
