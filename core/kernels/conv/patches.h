// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions whose windows tile the output and whose whole patch fits one vector (a last layer of 1
// channel upsampled 2x2 has 4 columns): one product with a column for each (kernel position, channel), scattered into
// place. By phases such a layer would use one lane of a vector.
#pragma once

#include "core/kernels/conv/geometry.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"

namespace anydim {

// Follows from the operator and the weights' dims alone, since it decides the packed form. All sums are within one
// block, so that each column has the blocks of its own kernel position.
bool is_small_patch(const Operator& op, const Dims& weights, const TileEngine& engine) noexcept;

// `panel`: room for packed_columns(taps * out channels) * in channels floats, zeroed.
void pack_small_patch(const TileEngine& engine, const ConvGeometry& g, const TensorView& weights, float* panel) noexcept;

// `bias`: one per column, or null.
void run_small_patch(const TileEngine& engine, const ConvGeometry& g, const WorkSplit& split, const Args& args, const float* panel,
                     const float* bias, const Epilogue& epilogue) noexcept;

}  // namespace anydim
