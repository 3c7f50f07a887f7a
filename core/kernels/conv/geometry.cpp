// SPDX-License-Identifier: Apache-2.0
// Runs of output positions with one set of valid taps; see geometry.h.
#include "core/kernels/conv/geometry.h"

#include <algorithm>
#include <numeric>

namespace anydim {

ConvGeometry conv_geometry(const Operator& op, const Dims& src, const Dims& weights, const Dims& dst) noexcept {
  ConvGeometry g;
  const auto* conv = as<Convolution>(op);
  const auto* transposed = as<ConvTranspose>(op);
  g.transposed = conv == nullptr;
  g.spatial = conv ? conv->get().spatial : transposed->get().spatial;
  g.groups = conv ? conv->get().group : transposed->get().group;
  g.in_channels = src[1] / g.groups;
  g.out_channels = dst[1] / g.groups;
  for (int i = 0; i < 3; ++i) {
    const int a = i - (3 - g.spatial);  // spatial axis of the operator
    g.in[i] = g.out[i] = g.kernel[i] = g.stride[i] = g.dilation[i] = 1;
    g.pad[i] = 0;
    if (a < 0) continue;
    g.kernel[i] = weights[a + 2];
    g.stride[i] = conv ? conv->get().strides[a] : transposed->get().strides[a];
    g.dilation[i] = conv ? conv->get().dilations[a] : transposed->get().dilations[a];
  }
  // Weights without elements make no sum, however long their kernel is: one tap of no channels stands for all.
  if (g.in_channels == 0 || g.out_channels == 0) std::fill_n(g.kernel, 3, 1);
  g.pads_follow = true;  // to set them once
  set_activations(op, src, dst, &g);
  const AutoPad auto_pad = conv ? conv->get().auto_pad : transposed->get().auto_pad;
  g.pads_follow = auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower || (transposed && transposed->has_output_shape());
  return g;
}

void set_activations(const Operator& op, const Dims& src, const Dims& dst, ConvGeometry* g) noexcept {
  g->batch = src[0];
  for (int a = 0; a < g->spatial; ++a) {
    const int i = a + 3 - g->spatial;
    g->in[i] = src[a + 2];
    g->out[i] = dst[a + 2];
  }
  if (!g->pads_follow) return;
  for (int a = 0; a < g->spatial; ++a) {
    const int i = a + 3 - g->spatial;
    g->pad[i] = g->transposed ? as<ConvTranspose>(op)->pad_begin(a, g->in[i], g->kernel[i])
                              : as<Convolution>(op)->pad_begin(a, g->in[i], g->kernel[i]);
  }
}

bool ConvGeometry::patches() const noexcept {
  if (!transposed) return false;
  for (int a = 0; a < 3; ++a)
    if (kernel[a] != stride[a] || dilation[a] != 1 || pad[a] != 0 || out[a] != in[a] * stride[a]) return false;
  return true;
}

// Position o of a transposed one is reached from input i through k where o + pad = i * stride + k * dilation.
PhaseTaps phase_taps(const ConvGeometry& g, int a, int64_t phase) noexcept {
  const int64_t kernel = g.kernel[a], stride = g.stride[a], dilation = g.dilation[a], pad = g.pad[a];
  if (!g.transposed) return {0, 1, kernel, -pad, dilation};
  const int64_t common = std::gcd(stride, dilation);
  PhaseTaps t{0, stride / common, 0, 0, -dilation / common};
  while (t.k < t.k_step && t.k < kernel && (phase + pad - t.k * dilation) % stride != 0) ++t.k;
  if (t.k == t.k_step || t.k >= kernel) return {};
  t.count = ceil_div(kernel - t.k, t.k_step);
  t.shift = floor_div(phase + pad - t.k * dilation, stride);  // of tap 0 for j = 0
  return t;
}

int64_t axis_run_bound(const ConvGeometry& g, int axis) noexcept {
  const int64_t phases = !g.transposed ? 1 : g.stride[axis] < g.out[axis] ? g.stride[axis] : g.out[axis];
  return 2 * g.kernel[axis] + phases + 1;
}

namespace {

int64_t clamp(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : v > hi ? hi : v; }

// Position o reads o * stride - pad + k * dilation: valid k are [lo, hi), both falling as o grows.
int64_t conv_runs(const ConvGeometry& g, int a, AxisRun* runs) {
  const int64_t in = g.in[a], kernel = g.kernel[a], stride = g.stride[a], dilation = g.dilation[a], pad = g.pad[a];
  int64_t n = 0;
  for (int64_t o = 0; o < g.out[a];) {
    const int64_t lo = clamp(ceil_div(pad - o * stride, dilation), 0, kernel);
    const int64_t hi = clamp(ceil_div(in + pad - o * stride, dilation), 0, kernel);
    int64_t next = g.out[a];
    if (lo > 0) next = std::min(next, ceil_div(pad - (lo - 1) * dilation, stride));
    if (hi > 0) next = std::min(next, ceil_div(in + pad - (hi - 1) * dilation, stride));
    if (next <= o) next = o + 1;
    runs[n++] = {o, 1, next - o, o * stride - pad + lo * dilation, stride, lo, 1, hi > lo ? hi - lo : 0, dilation};
    o = next;
  }
  return n;
}

// Of the taps of a phase [lo, hi) are valid, both rising with o.
int64_t transposed_runs(const ConvGeometry& g, int a, AxisRun* runs) {
  const int64_t in = g.in[a], stride = g.stride[a];
  int64_t n = 0;
  for (int64_t phase = 0; phase < stride && phase < g.out[a]; ++phase) {
    const int64_t count = ceil_div(g.out[a] - phase, stride);
    const PhaseTaps t = phase_taps(g, a, phase);
    const int64_t taps = t.count, base = t.shift, fall = -t.shift_step;
    if (taps == 0) {
      runs[n++] = {phase, stride, count, 0, 1, 0, 1, 0, 0};
      continue;
    }
    for (int64_t j = 0; j < count;) {
      const int64_t hi = clamp(floor_div(j + base, fall) + 1, 0, taps);
      const int64_t lo = clamp(floor_div(j + base - in, fall) + 1, 0, taps);
      int64_t next = count;
      if (hi < taps) next = std::min(next, hi * fall - base);
      if (lo < taps) next = std::min(next, lo * fall + in - base);
      if (next <= j) next = j + 1;
      runs[n++] = {phase + j * stride,    stride, next - j, j + base - lo * fall, 1, t.k + lo * t.k_step, t.k_step,
                   hi > lo ? hi - lo : 0, -fall};
      j = next;
    }
  }
  return n;
}

}  // namespace

int64_t axis_runs(const ConvGeometry& g, int axis, AxisRun* runs) noexcept {
  return g.transposed ? transposed_runs(g, axis, runs) : conv_runs(g, axis, runs);
}

}  // namespace anydim
