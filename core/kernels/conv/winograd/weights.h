// SPDX-License-Identifier: Apache-2.0
// Weights of 3x3 transformed for Winograd's form: for each group and each of the (tile + 2)^2 elements the panels of a matrix, channels x
// outputs, as the tile engine reads them.
#pragma once

#include <cstdint>

#include "core/base/checked.h"
#include "core/base/threads/threads.h"
#include "core/tensor/dims.h"
#include "core/tensor/views.h"

namespace anydim {

// Floats of an element's panels: whole cache lines.
inline int64_t winograd_plane(int64_t packed_outputs, int64_t channels) noexcept {
  return round_up(saturating_mul(packed_outputs, channels), 16);
}

struct WinogradPanels {
  int64_t groups = 1, channels = 0, outputs = 0;  // of one group
  int tile = 0;
  int64_t panel = 0;           // outputs of a whole panel
  int64_t packed_outputs = 0;  // of all panels
  int64_t group() const noexcept { return saturating_mul((tile + 2) * (tile + 2), winograd_plane(packed_outputs, channels)); }
  int64_t count() const noexcept { return saturating_mul(groups, group()); }
};

// `weights`: outputs of all groups, channels, 3, 3, at any address and with any strides.
void pack_winograd_weights(const WinogradPanels& panels, const TensorView& weights, const Parallel& parallel, float* to) noexcept;

}  // namespace anydim
