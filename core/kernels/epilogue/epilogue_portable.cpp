// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains in plain C++.
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"

namespace anydim {

void RunEpilogue::portable(const EpilogueProgram& program, const EpilogueTile& tile) noexcept { portable::run_epilogue(program, tile); }

}  // namespace anydim
