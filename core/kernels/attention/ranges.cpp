// SPDX-License-Identifier: Apache-2.0
// Which keys a query sees: positions, windows and lengths (docs/numerics.md, section 11).
#include <algorithm>

#include "core/kernels/attention/attention.h"

namespace anydim {

AttentionSizes attention_sizes(std::span<const Dims> in) noexcept {
  const Dims &q = in[Attention::kQ], &k = in[Attention::kK], &v = in[Attention::kV];
  return {q[0], q[1], q[2], q[3], k[1], k[2], v[3]};
}

KeyRanges::KeyRanges(const Args& args, const AttentionSizes& sizes) noexcept
    : at_(as<Attention>(*args.op)->get()), first_(args.dim_attributes[0]), keys_(sizes.keys) {
  const auto present = [&](size_t i) { return i < args.in.size() && args.in[i].dtype != DType::none ? &args.in[i] : nullptr; };
  starts_ = present(Attention::kStarts);
  lengths_ = present(Attention::kLengths);
  origins_ = present(Attention::kOrigins);
}

int64_t KeyRanges::origin_of(int64_t example) const noexcept {
  return origins_ == nullptr ? 0 : std::clamp<int64_t>(origins_->as<const int64_t>()[example * origins_->strides[0]], 0, kMaxSize);
}

KeyRange KeyRanges::of(int64_t example, int64_t query) const noexcept {
  const auto number = [&](const TensorView& t) { return std::clamp(t.as<const int64_t>()[example * t.strides[0]], -kMaxSize, kMaxSize); };
  const int64_t origin = origin_of(example), position = (starts_ != nullptr ? number(*starts_) : first_) + query - origin;
  int64_t begin = 0, end = lengths_ != nullptr ? std::min(number(*lengths_) - origin, keys_) : keys_;
  if (at_.causal) end = std::min(end, position + 1);
  if (at_.right_window >= 0) end = std::min(end, position + std::min(at_.right_window, kMaxSize) + 1);
  if (at_.left_window >= 0) begin = std::max(begin, position - std::min(at_.left_window, kMaxSize));
  return {std::min(begin, keys_), std::max(std::min(begin, keys_), end)};
}

}  // namespace anydim
