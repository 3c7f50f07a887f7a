// SPDX-License-Identifier: Apache-2.0
// The valid taps of a class of output positions as the tile engine reads them: runs of k, merged where memory is
// contiguous (kernel column and channel of one kernel row, when channels are last) and cut at blocks of 128.
#pragma once

#include "core/kernels/conv/geometry.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim {

// In a worker's scratch: room for taps + k / kSumBlock + 2 segments and kMostElements elements.
struct KList {
  KSegment* segments = nullptr;
  KElement* elements = nullptr;
  int32_t segment_count = 0;
  int32_t element_blocks = 0;  // not 0: elements are to be used instead of the segments
  int32_t element_ends[kMostElementBlocks] = {};
};

// Fills `list` with the taps of `count` positions along x from `first`, of classes z and y: each with the rows (counted from
// the first position) that it is valid for, as offsets from where position 0's first tap would be without padding.
void list_ragged_taps(const ConvGeometry& g, const SpatialStrides& src, const AxisRun& z, const AxisRun& y, int64_t first, int64_t count,
                      KList* list) noexcept;

// Fills `list` with the taps of the class (z, y, x), as offsets from the class's first position.
void list_taps(const ConvGeometry& g, const SpatialStrides& src, const AxisRun& z, const AxisRun& y, const AxisRun& x,
               KList* list) noexcept;

}  // namespace anydim
