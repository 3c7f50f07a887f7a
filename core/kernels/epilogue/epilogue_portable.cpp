// SPDX-License-Identifier: Apache-2.0
// The interpreter of post-op chains in plain C++.
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/epilogue_tile.h"

#include <cmath>
#include <cstdint>

namespace anydim {
namespace {

#include "core/kernels/simd/portable.h"

#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_steps.inl.h"
#include "core/kernels/epilogue/epilogue.inl.h"

}  // namespace

void run_epilogue_portable(const EpilogueProgram& program, const EpilogueTile& tile) noexcept { run_epilogue(program, tile); }

}  // namespace anydim
