// SPDX-License-Identifier: Apache-2.0
// See weights.h. The order of operations is that of docs/numerics.md (section 1, mode fast), in binary64.
#include "core/kernels/conv/winograd/weights.h"

#include <algorithm>

#include "core/kernels/kernel.h"

namespace anydim {

namespace {

constexpr int64_t kMostOutputs = 32;  // of a panel
using Lanes = double[kMostOutputs];

// Three weights of an axis become tile + 2 numbers, for each of some outputs.
void transform(int tile, const Lanes& g0, const Lanes& g1, const Lanes& g2, Lanes* const* u) {
  if (tile == 2) {
    for (int64_t j = 0; j < kMostOutputs; ++j) {
      const double s = g0[j] + g2[j];
      (*u[0])[j] = g0[j];
      (*u[1])[j] = (s + g1[j]) * 0.5;
      (*u[2])[j] = (s - g1[j]) * 0.5;
      (*u[3])[j] = g2[j];
    }
    return;
  }
  constexpr double kSqrtTwo = 0x1.6a09e667f3bcdp+0;
  for (int64_t j = 0; j < kMostOutputs; ++j) {
    const double p = 2 * g0[j] + g2[j], q = g0[j] + 2 * g2[j], r = kSqrtTwo * g1[j];
    (*u[0])[j] = g0[j];
    (*u[1])[j] = (p + r) * (-1.0 / 3.0);
    (*u[2])[j] = (p - r) * (-1.0 / 3.0);
    (*u[3])[j] = (q + r) * (1.0 / 6.0);
    (*u[4])[j] = (q - r) * (1.0 / 6.0);
    (*u[5])[j] = g2[j];
  }
}

// The transformed weights of a panel: `width` outputs of which n are there.
void pack_panel(const WinogradPanels& p, const TensorView& w, int64_t group, int64_t first, int64_t width, int64_t n, float* to) {
  const int64_t plane = winograd_plane(p.packed_outputs, p.channels);
  Lanes g[3][3] = {}, t[6][3], u[6];
  const float* const from = w.as<const float>() + (group * p.outputs + first) * w.strides[0];
  for (int64_t c = 0; c < p.channels; ++c) {
    for (int64_t j = 0; j < n; ++j)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
          g[y][x][j] = read_unaligned(from + j * w.strides[0] + c * w.strides[1] + y * w.strides[2] + x * w.strides[3]);
    for (int x = 0; x < 3; ++x) {
      Lanes* const lines[6] = {&t[0][x], &t[1][x], &t[2][x], &t[3][x], &t[4][x], &t[5][x]};
      transform(p.tile, g[0][x], g[1][x], g[2][x], lines);
    }
    Lanes* const lines[6] = {&u[0], &u[1], &u[2], &u[3], &u[4], &u[5]};
    for (int y = 0; y < p.tile + 2; ++y) {
      transform(p.tile, t[y][0], t[y][1], t[y][2], lines);
      for (int x = 0; x < p.tile + 2; ++x) {
        float* const row = to + (y * (p.tile + 2) + x) * plane + first * p.channels + c * width;
        for (int64_t j = 0; j < width; ++j) row[j] = static_cast<float>(u[x][j]);
      }
    }
  }
}

}  // namespace

void pack_winograd_weights(const WinogradPanels& p, const TensorView& weights, const Parallel& parallel, float* to) noexcept {
  const int64_t panels = ceil_div(p.outputs, p.panel);
  parallel.run(p.groups * panels, [&](int64_t task, int) {
    const int64_t group = task / panels, first = task % panels * p.panel;
    pack_panel(p, weights, group, first, std::min(p.panel, p.packed_outputs - first), std::min(p.panel, p.outputs - first),
               to + group * p.group());
  });
}

}  // namespace anydim
