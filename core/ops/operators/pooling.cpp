// SPDX-License-Identifier: Apache-2.0
// Pooling: checks of its attributes, its shape rule and work, and the window for actual dims.
#include "core/ops/operators/pooling.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/ops/check.h"

namespace anydim {

Status Pooling::normalize(Attributes* a) {
  if (a->indices && a->kind != Kind::max) return invalid("indices were asked of an average pooling; only max has them");
  if (a->count_include_pad && a->kind != Kind::average) return invalid("count_include_pad belongs to average pooling");
  int64_t taps = 1;
  for (int i = 0; i < a->spatial && !a->global; ++i) taps = saturating_mul(taps, a->window[i]);
  // They are numbered.
  if (taps >= kMaxSize) return unimplemented("the window has 2^62 positions or more; expected fewer");
  return {};
}

Status Pooling::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  if (at_.global) ANYDIM_TRY(check_rank(in[0], 0, 2, 2 + kMaxSpatial));
  else ANYDIM_TRY(check_rank(in[0], 0, 2 + at_.spatial, 2 + at_.spatial));
  SymDims dims = in[0].dims;
  for (int i = 0; i < dims.rank - 2; ++i) {
    Dim& d = dims[2 + i];
    if (at_.global) {
      d = 1;
      continue;
    }
    const int64_t reach = (at_.window[i] - 1) * at_.dilations[i] + 1, stride = at_.strides[i];
    if (at_.auto_pad == AutoPad::same_upper || at_.auto_pad == AutoPad::same_lower) {
      d = pool.ceil_div(d, stride);
      continue;
    }
    const int64_t begin = at_.auto_pad == AutoPad::valid ? 0 : at_.pads_begin[i];
    const int64_t end = at_.auto_pad == AutoPad::valid ? 0 : at_.pads_end[i];
    // A window larger than the padded axis fits nowhere: no output, as for convolution.
    const Dim room = pool.sub(pool.add(d, begin + end), reach);
    Dim n = pool.add(at_.ceil_mode ? pool.ceil_div(room, stride) : pool.floor_div(room, stride), 1);
    // With ceil_mode a last window that would begin in the padding after the input is dropped.
    if (at_.ceil_mode) n = pool.sub(n, pool.less(pool.add(d, begin - 1), pool.mul(pool.sub(n, 1), stride)));
    d = pool.provably_at_least(n, 0) ? n : pool.max(n, 0);
  }
  out[0] = {in[0].dtype, dims};
  if (at_.indices) out[1] = {DType::i64, dims};
  return {};
}

Pooling::Window Pooling::window(const Dims& in, const Dims& out) const noexcept {
  Window w;
  const int spatial = in.rank - 2, missing = kMaxSpatial - spatial;
  for (int j = 0; j < kMaxSpatial; ++j) {
    w.in[j] = w.out[j] = w.kernel[j] = w.stride[j] = w.dilation[j] = 1;
    w.pad_begin[j] = w.pad_end[j] = 0;
    const int i = j - missing;
    if (i < 0) continue;
    w.in[j] = in[2 + i];
    w.out[j] = out[2 + i];
    if (at_.global) {
      w.kernel[j] = in[2 + i];
      continue;
    }
    w.kernel[j] = at_.window[i];
    w.stride[j] = at_.strides[i];
    w.dilation[j] = at_.dilations[i];
    if (at_.auto_pad == AutoPad::explicit_) {
      w.pad_begin[j] = at_.pads_begin[i];
      w.pad_end[j] = at_.pads_end[i];
    } else if (at_.auto_pad != AutoPad::valid) {
      const int64_t reach = (w.kernel[j] - 1) * w.dilation[j] + 1;
      const int64_t total = std::max<int64_t>((w.out[j] - 1) * w.stride[j] + reach - w.in[j], 0);
      const int64_t less = total / 2, more = total - less;
      w.pad_begin[j] = at_.auto_pad == AutoPad::same_upper ? less : more;
      w.pad_end[j] = total - w.pad_begin[j];
    }
  }
  return w;
}

Work Pooling::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (at_.global || out.empty()) return work_per_element(in, out);
  double window = 1;
  for (int i = 0; i < at_.spatial; ++i) window *= static_cast<double>(at_.window[i]);
  return {-1, count_of(out[0]) * window};
}

}  // namespace anydim
