// SPDX-License-Identifier: Apache-2.0
// Where the windows lie whose columns Fold sums to an image: for its kernels.
#pragma once

#include <algorithm>
#include <span>

#include "core/ops/operators/fold.h"

namespace anydim {

constexpr int kFoldAxes = 3;

// Windows as three axes; missing leading ones are 1 wide.
struct FoldWindows {
  int64_t image[kFoldAxes], window[kFoldAxes], stride[kFoldAxes], dilation[kFoldAxes], pad[kFoldAxes], places[kFoldAxes];

  // given: the image's dims, then the window's.
  FoldWindows(const FoldAttributes& at, const Dims& out, std::span<const int64_t> given) noexcept {
    const int missing = kFoldAxes - at.spatial;
    for (int j = 0; j < kFoldAxes; ++j) {
      image[j] = window[j] = stride[j] = dilation[j] = places[j] = 1;
      pad[j] = 0;
      const int i = j - missing;
      if (i < 0) continue;
      image[j] = out[2 + i];
      window[j] = given[static_cast<size_t>(at.spatial + i)];
      stride[j] = at.strides[i];
      dilation[j] = at.dilations[i];
      pad[j] = at.pads_begin[i];
      const int64_t room = image[j] + at.pads_begin[i] + at.pads_end[i] - (window[j] - 1) * dilation[j] - 1;
      places[j] = room < 0 ? 0 : room / stride[j] + 1;
    }
  }
  // Which window's tap k lies at position x of the image; -1: none.
  int64_t place(int j, int64_t x, int64_t k) const noexcept {
    const int64_t v = x + pad[j] - k * dilation[j];
    return v >= 0 && v % stride[j] == 0 && v / stride[j] < places[j] ? v / stride[j] : -1;
  }
  int64_t shift(int j, int64_t k) const noexcept { return k * dilation[j] - pad[j]; }  // where tap k of window 0 lies
  // The first window whose tap k lies at x or behind it; at most the number of windows.
  int64_t first_place(int j, int64_t x, int64_t k) const noexcept {
    const int64_t v = x - shift(j, k);
    return v <= 0 ? 0 : std::min((v + stride[j] - 1) / stride[j], places[j]);
  }
};

}  // namespace anydim
