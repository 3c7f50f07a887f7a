// SPDX-License-Identifier: Apache-2.0
// Where the taps of a convolution or transposed convolution lie, for actual dims: three spatial axes always, and each
// axis cut into runs of output positions with one set of valid taps. Plain numbers; no memory, no vectors.
#pragma once

#include "core/kernels/conv/phase_taps.h"
#include "core/kernels/kernel.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim {

// Missing leading axes are 1 wide. Index 0..2 is d, h, w.
struct ConvGeometry {
  bool transposed = false;
  int spatial = 2;
  int64_t batch = 0, groups = 1;
  int64_t in_channels = 0, out_channels = 0;  // of one group
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  bool pads_follow = false;  // pads depend on dims (auto_pad, output_shape)

  int64_t taps() const noexcept { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t k() const noexcept { return taps() * in_channels; }
  int64_t positions() const noexcept { return batch * out[0] * out[1] * out[2]; }
  int64_t in_positions() const noexcept { return batch * in[0] * in[1] * in[2]; }
  // A transposed convolution whose windows tile the output: each input position makes one patch of it, alone.
  bool patches() const noexcept;
};
ConvGeometry conv_geometry(const Operator& op, const Dims& src, const Dims& weights, const Dims& dst) noexcept;
// The same geometry for other activations under the same operator and weights.
void set_activations(const Operator& op, const Dims& src, const Dims& dst, ConvGeometry* g) noexcept;

// Strides of a tensor as (n, channel, d, h, w); missing axes get 0.
struct SpatialStrides {
  int64_t n, c, s[3];
};
inline SpatialStrides spatial_strides(const Strides& t, int spatial) noexcept {
  SpatialStrides r{t[0], t[1], {0, 0, 0}};
  for (int i = 0; i < spatial; ++i) r.s[3 - spatial + i] = t[2 + i];
  return r;
}

// Phases of an axis: one for each residue of the output position modulo a transposed convolution's stride. An ordinary convolution is
// asked here with the stride 1 only: it has one.
PhaseTaps phase_taps(const ConvGeometry& g, int axis, int64_t phase) noexcept;
// Output positions of the phase that has most.
inline int64_t phase_positions(const ConvGeometry& g, int axis) noexcept { return ceil_div(g.out[axis], g.stride[axis]); }

// Output positions out + j * out_step (j < count) of an axis. Their valid taps are kernel positions k + t * k_step
// (t < taps, increasing), which read input position in + j * in_step + t * tap_step.
struct AxisRun {
  int64_t out, out_step, count;
  int64_t in, in_step;
  int64_t k, k_step, taps, tap_step;
};

// At most this many runs for an axis.
int64_t axis_run_bound(const ConvGeometry& g, int axis) noexcept;
// Fills `runs` and returns how many there are. Every output position is in exactly one.
int64_t axis_runs(const ConvGeometry& g, int axis, AxisRun* runs) noexcept;

}  // namespace anydim
