// SPDX-License-Identifier: Apache-2.0
// Attention: shape rule and work.
#include "core/ops/operators/attention.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

namespace {

constexpr const char* kNames[Attention::kInputs] = {"q", "k", "v", "bias", "mask", "starts", "lengths", "origins", "sinks"};

}  // namespace

Status Attention::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, kInputs).at("attention"));
  const TensorType &q = in[kQ], &k = in[kK], &v = in[kV];
  if (!dtype_is_float(q.dtype)) return invalid("attention: q has dtype {}; expected a float", dtype_name(q.dtype));
  const auto present = [&](size_t i) { return i < in.size() && in[i].dtype != DType::none; };
  const auto same = [&](Dim found, Dim expected, size_t input, int axis) -> Status {
    if (found.is_number() && expected.is_number() && !(found == expected))
      return invalid("attention: {} has dims {}; expected {} at axis {}", kNames[input], pool.text(in[input].dims), expected.number(),
                     axis);
    ANYDIM_TRY(require_equal(pool, expected, found, "axis {} of {}", axis, kNames[input]));
    return {};
  };
  for (const size_t i : {kQ, kK, kV}) {
    if (in[i].dtype != q.dtype)
      return invalid("attention: {} has dtype {}; expected that of q, {}", kNames[i], dtype_name(in[i].dtype), dtype_name(q.dtype));
    if (in[i].dims.rank != 4) return invalid("attention: {} has rank {}; expected 4", kNames[i], in[i].dims.rank);
  }
  const Dim heads = q.dims[1], key_heads = k.dims[1];
  ANYDIM_TRY(same(k.dims[0], q.dims[0], kK, 0));
  ANYDIM_TRY(same(v.dims[0], q.dims[0], kV, 0));
  if (!key_heads.is_number()) {
    ANYDIM_TRY(require_equal(pool, heads, key_heads, "the heads of q and k"));
  } else {
    if (key_heads.number() < 1 || (heads.is_number() && heads.number() % key_heads.number() != 0))
      return invalid("attention: q has {} heads and k {}; expected a multiple", pool.text(heads), key_heads.number());
    ANYDIM_TRY(require_multiple(pool, heads, key_heads.number(), "the heads of q"));
  }
  ANYDIM_TRY(same(v.dims[1], key_heads, kV, 1));
  ANYDIM_TRY(same(k.dims[3], q.dims[3], kK, 3));
  ANYDIM_TRY(same(v.dims[2], k.dims[2], kV, 2));
  const SymDims scores{q.dims[0], heads, q.dims[2], k.dims[2]};
  for (const size_t i : {kBias, kMask}) {
    if (!present(i)) continue;
    const DType expected = i == kBias ? q.dtype : DType::boolean;
    if (in[i].dtype != expected)
      return invalid("attention: {} has dtype {}; expected {}", kNames[i], dtype_name(in[i].dtype), dtype_name(expected));
    const SymDims& d = in[i].dims;
    if (d.rank > 4) return invalid("attention: {} has rank {}; expected 4 at most", kNames[i], d.rank);
    for (int a = 1; a <= d.rank; ++a) {
      const Dim part = d[d.rank - a], whole = scores[4 - a];
      if (part.is_number() && whole.is_number() && !part.is(1) && !(part == whole))
        return invalid("attention: {} has dims {}; expected dims that broadcast to {}", kNames[i], pool.text(d), pool.text(scores));
      ANYDIM_TRY(require_fits(pool, part, whole, "axis -{} of {}", a, kNames[i]));
    }
  }
  for (const size_t i : {kStarts, kLengths, kOrigins}) {
    if (!present(i)) continue;
    if (in[i].dtype != DType::i64) return invalid("attention: {} has dtype {}; expected i64", kNames[i], dtype_name(in[i].dtype));
    if (in[i].dims.rank != 1) return invalid("attention: {} has rank {}; expected 1", kNames[i], in[i].dims.rank);
    ANYDIM_TRY(same(in[i].dims[0], q.dims[0], i, 0));
  }
  if (present(kSinks)) {
    if (in[kSinks].dtype != q.dtype)
      return invalid("attention: sinks has dtype {}; expected that of q, {}", dtype_name(in[kSinks].dtype), dtype_name(q.dtype));
    if (in[kSinks].dims.rank != 1) return invalid("attention: sinks has rank {}; expected 1", in[kSinks].dims.rank);
    ANYDIM_TRY(same(in[kSinks].dims[0], heads, kSinks, 0));
  }
  out[0] = {q.dtype, {q.dims[0], heads, q.dims[2], v.dims[3]}};
  return {};
}

// Two products; keys that are not seen are counted.
Work Attention::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (in.size() < 3 || out.empty() || in[kK].rank != 4 || in[kQ].rank != 4) return work_per_element(in, out);
  const double rows = static_cast<double>(in[kQ][0]) * static_cast<double>(in[kQ][1]) * static_cast<double>(in[kQ][2]);
  return work_of_products(rows * static_cast<double>(in[kK][2]), static_cast<double>(in[kQ][3] + in[kV][3]));
}

ValueRange Attention::sensible_values(std::span<const Dims> in, size_t) const noexcept {
  return {0, in.size() > kK && in[kK].rank == 4 ? in[kK][2] : 0};
}

}  // namespace anydim
