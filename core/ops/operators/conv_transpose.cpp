// SPDX-License-Identifier: Apache-2.0
// Attributes, shape rule and work of transposed convolution.
#include "core/ops/operators/conv_transpose.h"

#include "core/base/checked.h"
#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status ConvTranspose::normalize(Attributes* a) {
  if (!a->output_shape.empty() && a->output_shape.rank != a->spatial)
    return invalid("conv_transpose: output_shape has {} numbers; expected one per spatial dim, {}", a->output_shape.rank, a->spatial);
  for (int i = 0; i < kMaxSpatial; ++i) {
    if (i >= a->spatial) {
      a->strides[i] = a->dilations[i] = 1;
      a->output_padding[i] = 0;
    } else if (a->output_padding[i] >= a->strides[i] && a->output_padding[i] >= a->dilations[i]) {
      return invalid("conv_transpose: output_padding[{}] is {}; expected less than the stride {} or the dilation {}", i,
                     a->output_padding[i], a->strides[i], a->dilations[i]);
    }
    const bool pads_count = a->auto_pad == AutoPad::explicit_ && a->output_shape.empty();
    if (i >= a->spatial || !pads_count) a->pads_begin[i] = a->pads_end[i] = 0;
  }
  return {};
}

Status ConvTranspose::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 3).at("conv_transpose"));
  const TensorType &src = in[0], &weights = in[1];
  const int rank = at_.spatial + 2;
  ANYDIM_TRY(check_rank(src, 0, rank, rank).at("conv_transpose: src"));
  ANYDIM_TRY(check_rank(weights, 1, rank, rank).at("conv_transpose: weights"));
  if (!dtype_is_float(src.dtype)) return invalid("conv_transpose: src has dtype {}; expected a float", dtype_name(src.dtype));
  if (weights.dtype != src.dtype)
    return invalid("conv_transpose: weights have dtype {}; src has {}", dtype_name(weights.dtype), dtype_name(src.dtype));
  ANYDIM_TRY(check_same_dim(src.dims[1], weights.dims[0], 0, 1).at("conv_transpose: src and weights"));
  if (weights.dims[0].is_number() && weights.dims[0].number() % at_.group != 0)
    return invalid("conv_transpose: the weights take {} channels (dim 0); expected a multiple of group {}", weights.dims[0].number(),
                   at_.group);
  const Dim m = pool.mul(weights.dims[1], at_.group);
  ANYDIM_TRY(require_equal(pool, src.dims[1], weights.dims[0], "channels"));
  ANYDIM_TRY(require_multiple(pool, weights.dims[0], at_.group, "channels of the weights"));
  if (in.size() > 2 && in[2].dtype != DType::none) {
    if (in[2].dtype != src.dtype)
      return invalid("conv_transpose: bias has dtype {}; src has {}", dtype_name(in[2].dtype), dtype_name(src.dtype));
    ANYDIM_TRY(check_rank(in[2], 2, 1, 1).at("conv_transpose: bias"));
    ANYDIM_TRY(check_same_dim(in[2].dims[0], m, 2, 0).at("conv_transpose: bias"));
    ANYDIM_TRY(require_equal(pool, in[2].dims[0], m, "size of the bias"));
  }
  for (int i = 2; i < rank; ++i) {
    const Dim k = weights.dims[i];
    if (k.is(0)) return invalid("conv_transpose: weights dim {} is 0; a kernel has at least one position", i);
    ANYDIM_TRY(require_at_most(pool, 1, k, "kernel size"));
  }
  SymDims d{src.dims[0], m};
  for (int i = 0; i < at_.spatial; ++i) {
    const Dim x = src.dims[i + 2], k = weights.dims[i + 2];
    if (has_output_shape()) {
      d.push_back(at_.output_shape[i]);
    } else if (at_.auto_pad == AutoPad::same_upper || at_.auto_pad == AutoPad::same_lower) {
      d.push_back(pool.mul(x, at_.strides[i]));
    } else {
      // stride * (in - 1) + output_padding + (k - 1) * dilation + 1 - pads
      const Dim reach = pool.mul(pool.sub(x, 1), at_.strides[i]);
      const Dim extent = pool.mul(pool.sub(k, 1), at_.dilations[i]);
      const Dim n = pool.add(pool.add(reach, extent), at_.output_padding[i] + 1 - at_.pads_begin[i] - at_.pads_end[i]);
      d.push_back(pool.provably_at_least(n, 0) ? n : pool.max(n, 0));
    }
  }
  out[0].dtype = src.dtype;
  out[0].dims = d;
  return {};
}

int64_t ConvTranspose::pad_begin(int axis, int64_t in, int64_t kernel) const noexcept {
  const bool same = at_.auto_pad == AutoPad::same_upper || at_.auto_pad == AutoPad::same_lower;
  if (!has_output_shape() && !same) return at_.pads_begin[axis];
  const int64_t want = has_output_shape() ? at_.output_shape[axis] : in * at_.strides[axis];
  int64_t total = at_.strides[axis] * (in - 1) + at_.output_padding[axis] + (kernel - 1) * at_.dilations[axis] + 1 - want;
  if (total < 0) total = 0;
  // ONNX: same_upper cuts the smaller half at the beginning; everything else the larger.
  return at_.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
}

int64_t ConvTranspose::phases() const noexcept {
  int64_t n = 1;
  for (int i = 0; i < at_.spatial; ++i) n = saturating_mul(n, at_.strides[i]);
  return n;
}

// Each element of the input meets the weights [C, ...] of its channel.
Work ConvTranspose::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (in.size() < 2 || out.empty()) return work_per_element(in, out);
  const Dims& w = in[1];
  return work_of_products(count_of(in[0]), w.rank > 0 && w[0] > 0 ? count_of(w) / static_cast<double>(w[0]) : 0);
}

}  // namespace anydim
