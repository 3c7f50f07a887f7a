// SPDX-License-Identifier: Apache-2.0
// Attributes, shape rule and work of convolution.
#include "core/ops/operators/convolution.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status Convolution::normalize(Attributes* a) {
  for (int i = 0; i < kMaxSpatial; ++i) {
    if (i >= a->spatial) a->strides[i] = a->dilations[i] = 1;
    if (i >= a->spatial || a->auto_pad != AutoPad::explicit_) a->pads_begin[i] = a->pads_end[i] = 0;
  }
  return {};
}

Status Convolution::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 3).at("convolution"));
  const TensorType &src = in[0], &weights = in[1];
  const int rank = at_.spatial + 2;
  ANYDIM_TRY(check_rank(src, 0, rank, rank).at("convolution: src"));
  ANYDIM_TRY(check_rank(weights, 1, rank, rank).at("convolution: weights"));
  if (!dtype_is_float(src.dtype)) return invalid("convolution: src has dtype {}; expected a float", dtype_name(src.dtype));
  if (weights.dtype != src.dtype)
    return invalid("convolution: weights have dtype {}; src has {}", dtype_name(weights.dtype), dtype_name(src.dtype));
  const Dim channels = pool.mul(weights.dims[1], at_.group);
  if (channels.is_number() && src.dims[1].is_number() && !(channels == src.dims[1]))
    return invalid("convolution: src has {} channels (dim 1); the weights {} in {} groups take {}", src.dims[1].number(),
                   pool.text(weights.dims), at_.group, channels.number());
  const Dim m = weights.dims[0];
  if (m.is_number() && m.number() % at_.group != 0)
    return invalid("convolution: the weights make {} channels (dim 0); expected a multiple of group {}", m.number(), at_.group);
  ANYDIM_TRY(require_equal(pool, src.dims[1], channels, "channels"));
  ANYDIM_TRY(require_multiple(pool, weights.dims[0], at_.group, "channels of the weights"));
  if (in.size() > 2 && in[2].dtype != DType::none) {
    if (in[2].dtype != src.dtype)
      return invalid("convolution: bias has dtype {}; src has {}", dtype_name(in[2].dtype), dtype_name(src.dtype));
    ANYDIM_TRY(check_rank(in[2], 2, 1, 1).at("convolution: bias"));
    ANYDIM_TRY(check_same_dim(in[2].dims[0], m, 2, 0).at("convolution: bias"));
    ANYDIM_TRY(require_equal(pool, in[2].dims[0], m, "size of the bias"));
  }
  for (int i = 2; i < rank; ++i) {
    const Dim k = weights.dims[i];
    if (k.is(0)) return invalid("convolution: weights dim {} is 0; a kernel has at least one position", i);
    ANYDIM_TRY(require_at_most(pool, 1, k, "kernel size"));
  }
  SymDims d{src.dims[0], m};
  for (int i = 0; i < at_.spatial; ++i) {
    const Dim x = src.dims[i + 2], k = weights.dims[i + 2];
    if (at_.auto_pad == AutoPad::same_upper || at_.auto_pad == AutoPad::same_lower) {
      d.push_back(pool.ceil_div(x, at_.strides[i]));
      continue;
    }
    const Dim extent = pool.add(pool.mul(pool.sub(k, 1), at_.dilations[i]), 1);
    const Dim room = pool.sub(pool.add(x, at_.pads_begin[i] + at_.pads_end[i]), extent);
    const Dim n = pool.add(pool.floor_div(room, at_.strides[i]), 1);
    // A window larger than the padded input fits nowhere.
    d.push_back(pool.provably_at_least(n, 0) ? n : pool.max(n, 0));
  }
  out[0].dtype = src.dtype;
  out[0].dims = d;
  return {};
}

int64_t Convolution::pad_begin(int axis, int64_t in, int64_t kernel) const noexcept {
  if (at_.auto_pad == AutoPad::explicit_) return at_.pads_begin[axis];
  if (at_.auto_pad == AutoPad::valid) return 0;
  const int64_t out = ceil_div(in, at_.strides[axis]);
  int64_t total = (out - 1) * at_.strides[axis] + (kernel - 1) * at_.dilations[axis] + 1 - in;
  if (total < 0) total = 0;
  return at_.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
}

// Of the weights [M, ...] all products of one channel.
Work Convolution::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (in.size() < 2 || out.empty()) return work_per_element(in, out);
  const Dims& w = in[1];
  return work_of_products(count_of(out[0]), w.rank > 0 && w[0] > 0 ? count_of(w) / static_cast<double>(w[0]) : 0);
}

}  // namespace anydim
