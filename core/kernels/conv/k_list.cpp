// SPDX-License-Identifier: Apache-2.0
// Runs of k; see k_list.h.
#include "core/kernels/conv/k_list.h"

#include <algorithm>

namespace anydim {

namespace {

struct Rows {
  int32_t first = 0, end = 0;
};

void append_segment(KList* list, int64_t src, int64_t k, int64_t count, int64_t k_step, Rows rows = {}) {
  while (count > 0) {
    const int64_t room = kSumBlock - k % kSumBlock;
    const int64_t part = std::min(count, room);
    KSegment* last = list->segment_count > 0 ? &list->segments[list->segment_count - 1] : nullptr;
    if (last && k % kSumBlock != 0 && last->k + last->count == k && last->src + last->count * k_step == src &&
        last->first_row == rows.first && last->end_row == rows.end) {
      last->count += static_cast<int32_t>(part);
    } else {
      if (last && last->k / kSumBlock != k / kSumBlock) last->ends_block = 1;
      list->segments[list->segment_count++] = {src, k, static_cast<int32_t>(part), 0, rows.first, rows.end};
    }
    src += part * k_step;
    k += part;
    count -= part;
  }
}

}  // namespace

void list_ragged_taps(const ConvGeometry& g, const SpatialStrides& s, const AxisRun& z, const AxisRun& y, int64_t first, int64_t count,
                      KList* list) noexcept {
  list->segment_count = list->element_blocks = 0;
  for (int64_t tz = 0; tz < z.taps; ++tz)
    for (int64_t ty = 0; ty < y.taps; ++ty)
      for (int64_t x = 0; x < g.kernel[2]; ++x) {
        const int64_t shift = x * g.dilation[2] - g.pad[2];  // position o reads o * stride + shift
        const int64_t lo = std::clamp<int64_t>(ceil_div(-shift, g.stride[2]) - first, 0, count);
        const int64_t hi = std::clamp<int64_t>(ceil_div(g.in[2] - shift, g.stride[2]) - first, 0, count);
        if (lo >= hi) continue;
        const int64_t tap = ((z.k + tz * z.k_step) * g.kernel[1] + y.k + ty * y.k_step) * g.kernel[2] + x;
        append_segment(list, tz * z.tap_step * s.s[0] + ty * y.tap_step * s.s[1] + shift * s.s[2], tap * g.in_channels, g.in_channels, s.c,
                       {static_cast<int32_t>(lo), static_cast<int32_t>(hi)});
      }
}

void list_taps(const ConvGeometry& g, const SpatialStrides& s, const AxisRun& z, const AxisRun& y, const AxisRun& x, KList* list) noexcept {
  list->segment_count = list->element_blocks = 0;
  for (int64_t tz = 0; tz < z.taps; ++tz)
    for (int64_t ty = 0; ty < y.taps; ++ty)
      for (int64_t tx = 0; tx < x.taps; ++tx) {
        const int64_t tap = ((z.k + tz * z.k_step) * g.kernel[1] + y.k + ty * y.k_step) * g.kernel[2] + x.k + tx * x.k_step;
        append_segment(list, tz * z.tap_step * s.s[0] + ty * y.tap_step * s.s[1] + tx * x.tap_step * s.s[2], tap * g.in_channels,
                       g.in_channels, s.c);
      }
  // Short runs (a first layer has 3 channels) would spend their time in loop overhead: one flat list instead.
  const int64_t count = z.taps * y.taps * x.taps * g.in_channels;
  if (g.k() <= kMostElements && list->segment_count > 2 && count < 17 * list->segment_count) {
    int32_t n = 0;
    for (int32_t i = 0; i < list->segment_count; ++i) {
      const KSegment& segment = list->segments[i];
      for (int32_t j = 0; j < segment.count; ++j) list->elements[n++] = {segment.src + j * s.c, segment.k + j};
      if (segment.ends_block || i + 1 == list->segment_count) list->element_ends[list->element_blocks++] = n;
    }
  }
}

}  // namespace anydim
