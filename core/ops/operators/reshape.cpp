// SPDX-License-Identifier: Apache-2.0
// Reshape: checks, shape rule, and ONNX's way of writing the target dims.
#include "core/ops/operators/reshape.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

namespace {
Status check_target(const SymDims& dims) {
  for (int i = 0; i < dims.rank; ++i)
    if (dims[i].is_number() && dims[i].number() < 0) return invalid("target dim {} is {}; expected at least 0", i, dims[i].number());
  return {};
}
}  // namespace

Status Reshape::resolve(DimPool& pool, const SymDims& in, std::span<const Dim> target, bool allow_zero, SymDims* out) {
  if (target.size() > kMaxRank) return unimplemented("reshape to rank {}; expected at most {}", target.size(), kMaxRank);
  SymDims dims{target};
  int open = -1;
  bool zero = false;
  for (int i = 0; i < dims.rank; ++i) {
    if (dims[i].is(-1)) {
      if (open >= 0) return invalid("target dims {} and {} are both -1; expected one at most", open, i);
      open = i;
    } else if (dims[i].is(0)) {
      zero = true;
      if (allow_zero) continue;
      if (i >= in.rank) return invalid("target dim {} is 0 (copied), but the input has rank {}", i, in.rank);
      dims[i] = in[i];
    } else if (dims[i].is_number() && dims[i].number() < -1) {
      return invalid("target dim {} is {}; expected -1, 0 or more", i, dims[i].number());
    }
  }
  if (open >= 0) {
    if (zero && allow_zero) return invalid("target dim {} is -1 beside a 0 with allowzero", open);
    // Factors that stand on both sides are cancelled first: [n, c, h, w] to [n, c, -1] gives h * w, not a quotient.
    bool used[kMaxRank] = {};
    bool may_be_empty = false;
    Dim rest = 1, divisor = 1;
    for (int i = 0; i < dims.rank; ++i) {
      if (i == open) continue;
      bool cancelled = false;
      for (int j = 0; j < in.rank && !cancelled; ++j) {
        if (used[j] || !(in[j] == dims[i])) continue;
        // A dim that is or may be 0 cancels, too: 0 elements fit any rest, and a run answers as a load that knows the dims.
        cancelled = used[j] = true;
        may_be_empty = may_be_empty || (!allow_zero && !target[static_cast<size_t>(i)].is_number());
      }
      if (!cancelled) divisor = pool.mul(divisor, dims[i]);
    }
    for (int j = 0; j < in.rank; ++j)
      if (!used[j]) rest = pool.mul(rest, in[j]);
    if (divisor.is(0)) return invalid("target dim {} is -1 and the other target dims have product 0", open);
    if (!may_be_empty && rest.is_number() && divisor.is_number() && rest.number() % divisor.number() != 0)
      return invalid("target dim {} is -1, but {} elements do not divide by {}", open, rest.number(), divisor.number());
    dims[open] = divisor.is(1) ? rest : pool.floor_div(rest, divisor);
  }
  *out = dims;
  return {};
}

Status Reshape::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_target(at_.dims));
  if (all_numbers(in[0].dims) && all_numbers(at_.dims)) {
    int64_t have = 0, want = 0;
    if (!product(in[0].dims, &have) || !product(at_.dims, &want)) return invalid("the number of elements overflows");
    if (have != want) return invalid("input 0 has {} elements; the target dims have {}", have, want);
  }
  ANYDIM_TRY(require_count(pool, in[0].dims, at_.dims, "number of elements"));
  out[0] = {in[0].dtype, at_.dims};
  return {};
}

}  // namespace anydim
