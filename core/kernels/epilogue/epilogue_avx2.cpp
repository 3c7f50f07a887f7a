// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains in AVX2.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"

namespace anydim {

void RunEpilogue::avx2(const EpilogueProgram& program, const EpilogueTile& tile) noexcept { avx2::run_epilogue(program, tile); }

}  // namespace anydim
