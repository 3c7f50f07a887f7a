// SPDX-License-Identifier: Apache-2.0
// Which keys a query sees: positions, windows and lengths (docs/numerics.md, section 11).
#include <algorithm>

#include "core/kernels/attention/attention.h"
#include "core/tensor/views.h"

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

void AttentionRows::fill(const Args& args, const AttentionSizes& n, const KeyRanges& ranges, int64_t example, int64_t key_head,
                         int64_t first, int64_t count, AttentionJob* job) noexcept {
  AttentionJob& j = *job;
  const auto present = [&](size_t i) { return i < args.in.size() && args.in[i].dtype != DType::none; };
  const Dims scores{n.batch, n.heads, n.queries, n.keys};
  const AttentionAttributes& attributes = as<Attention>(*args.op)->get();
  j.rows = count;
  j.size = n.size;
  j.value_size = n.value_size;
  j.shift = ranges.shift_of(example);
  j.scale = attributes.scale;
  j.softcap = attributes.softcap;
  Strides bias, mask;
  if (present(Attention::kBias)) {
    bias = broadcast_strides(args.in[Attention::kBias], scores);
    j.bias = args.in[Attention::kBias].as<const float>();
    j.bias_key = bias[3];
  }
  if (present(Attention::kMask)) {
    mask = broadcast_strides(args.in[Attention::kMask], scores);
    j.mask = args.in[Attention::kMask].as<const uint8_t>();
    j.mask_key = mask[3];
  }
  if (present(Attention::kSinks)) j.sink = sinks;
  j.first = n.keys + j.shift;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t query = (first + i) / n.group(), head = key_head * n.group() + (first + i) % n.group();
    KeyRange seen = ranges.of(example, query);
    seen.begin += j.shift;
    seen.end += j.shift;
    begin[i] = seen.begin;
    end[i] = seen.end;
    if (seen.begin < seen.end) {
      j.first = std::min(j.first, seen.begin);
      j.last = std::max(j.last, seen.end);
    }
    if (j.bias != nullptr) bias_row[i] = example * bias[0] + head * bias[1] + query * bias[2] - j.shift * bias[3];
    if (j.mask != nullptr) mask_row[i] = example * mask[0] + head * mask[1] + query * mask[2] - j.shift * mask[3];
    if (j.sink != nullptr) sinks[i] = args.in[Attention::kSinks].as<const float>()[head * args.in[Attention::kSinks].strides[0]];
  }
  j.begin = begin;
  j.end = end;
  j.bias_row = bias_row;
  j.mask_row = mask_row;
}

}  // namespace anydim
