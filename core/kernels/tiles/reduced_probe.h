// SPDX-License-Identifier: Apache-2.0
// Whether this processor's instructions have the bits of math mode reduced (docs/numerics.md, section 1). No machine with AMX was there to
// try it on: so each process tries it, once, before it uses AMX.
#pragma once

#include "core/kernels/tiles/tile_engine.h"

namespace anydim {

// A product whose chains, order and flushing count, beside plain loops. True of engines that need no trying, or cannot run here.
bool has_reduced_bits(const TileEngine& engine) noexcept;

}  // namespace anydim
