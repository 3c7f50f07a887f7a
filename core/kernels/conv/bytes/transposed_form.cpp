// SPDX-License-Identifier: Apache-2.0
// Phases of a transposed convolution of quantized values; see transposed_form.h.
#include "core/kernels/conv/bytes/transposed_form.h"

#include "core/ops/operators/conv_transpose.h"

namespace anydim {

namespace {

constexpr int64_t kMostJointColumns = 256;  // of a row in a worker's memory

// Follows from the operator and the weights' dims alone, since it decides the packed form.
bool has_joint_phase(const Operator& op, const Dims& w) noexcept {
  const auto* t = as<ConvTranspose>(op);
  const auto& at = t->get();
  if (at.group != 1 || w[1] % kIntColumns == 0 || !at.output_shape.empty() ||
      (at.auto_pad != AutoPad::explicit_ && at.auto_pad != AutoPad::valid))
    return false;
  for (int i = 0; i < at.spatial; ++i)
    if (w[i + 2] != at.strides[i] || at.dilations[i] != 1 || at.pads_begin[i] != 0 || at.pads_end[i] != 0 || at.output_padding[i] != 0)
      return false;
  return saturating_mul(t->phases(), w[1]) <= kMostJointColumns;
}

int64_t phase_columns(const ConvGeometry& g, bool joint) noexcept { return joint ? g.taps() * g.out_channels : g.out_channels; }

}  // namespace

IntTransposedForm::IntTransposedForm(const Operator& op, const Dims& w) noexcept : joint(has_joint_phase(op, w)) {
  Dims src = w, dst = w;
  src[0] = dst[0] = 1;
  src[1] = w[0];
  dst[1] = w[1] * as<ConvTranspose>(op)->get().group;
  geometry = conv_geometry(op, src, w, dst);
  phases = joint ? 1 : geometry.stride[0] * geometry.stride[1] * geometry.stride[2];
  columns = phase_columns(geometry, joint);
}

// Which taps phase `index` has depends on the residues that it stands for, and on no pad: those change with dims.
void IntTransposedForm::set_phase(const ConvGeometry& whole, int64_t index, IntPhase* p) const noexcept {
  ConvGeometry& g = p->g;
  g = whole;
  g.transposed = false;
  g.out_channels = phase_columns(whole, joint);
  for (int a = 2; a >= 0; --a) {
    const int64_t stride = whole.stride[a];
    g.stride[a] = g.dilation[a] = 1;
    g.pad[a] = 0;
    p->step[a] = stride;
    p->first[a] = p->k[a] = p->k_step[a] = 0;
    if (joint) {
      g.kernel[a] = 1;
      g.out[a] = whole.in[a];
      continue;
    }
    const int64_t residue = index % stride;
    index /= stride;
    const int64_t first = p->first[a] = floor_mod(residue - whole.pad[a], stride);
    g.out[a] = first < whole.out[a] ? ceil_div(whole.out[a] - first, stride) : 0;
    const PhaseTaps t = phase_taps(whole, a, first);
    g.kernel[a] = t.count;
    if (t.count == 0) continue;
    g.dilation[a] = -t.shift_step;
    g.pad[a] = -(t.shift + (t.count - 1) * t.shift_step);
    p->k[a] = t.k + (t.count - 1) * t.k_step;
    p->k_step[a] = -t.k_step;
  }
}

}  // namespace anydim
