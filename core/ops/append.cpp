// SPDX-License-Identifier: Apache-2.0
// Append: checks and shape rule.
#include "core/ops/append.h"

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

Status Append::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, kInputs).at("append"));
  const SymDims &cache = in[kCache].dims, &update = in[kUpdate].dims;
  const bool starts = in.size() > kStarts && in[kStarts].dtype != DType::none;
  if (axis() >= cache.rank) return invalid("append: input 0 has rank {}; axis is {}", cache.rank, axis());
  if (in[kUpdate].dtype != in[kCache].dtype)
    return invalid("append: input 1 has dtype {}; expected the cache's, {}", dtype_name(in[kUpdate].dtype), dtype_name(in[kCache].dtype));
  ANYDIM_TRY(check_rank(in[kUpdate], kUpdate, cache.rank, cache.rank).at("append"));
  for (int i = 0; i < cache.rank; ++i) {
    if (i == axis()) continue;
    ANYDIM_TRY(check_same_dim(update[i], cache[i], kUpdate, i).at("append"));
    require_equal(pool, cache[i], update[i], "axis {} of the cache and the update", i);
  }
  if (starts) {
    if (axis() == 0) return invalid("append: axis is 0; with starts for each example of the batch it is 1 or more");
    if (in[kStarts].dtype != DType::i64) return invalid("append: input 2 has dtype {}; expected i64", dtype_name(in[kStarts].dtype));
    ANYDIM_TRY(check_rank(in[kStarts], kStarts, 1, 1).at("append"));
    ANYDIM_TRY(check_same_dim(in[kStarts].dims[0], cache[0], kStarts, 0).at("append"));
    require_equal(pool, cache[0], in[kStarts].dims[0], "the batch of the cache and of starts");
  }
  const auto at_most = [&](Dim a, Dim b, const char* what) -> Status {
    if (a.is_number() && b.is_number() && a.number() > b.number())
      return invalid("append: {} is {}; expected at most the length {}", what, a.number(), b.number());
    require_at_most(pool, a, b, "{}", what);
    return {};
  };
  ANYDIM_TRY(at_most(cache[axis()], at_.length, "the cache's size along the axis"));
  const bool anywhere = starts || at_.circular;
  ANYDIM_TRY(at_most(anywhere ? update[axis()] : pool.add(at_.first, update[axis()]), at_.length, "the end of the update"));
  out[0] = in[kCache];
  for (int i = 0; i < cache.rank; ++i)  // a number lets more follow than a dim that is equal to it
    if (!cache[i].is_number() && update[i].is_number()) out[0].dims[i] = update[i];
  out[0].dims[axis()] = at_.length;
  return {};
}

// Within the cache as it is: the update then fits wherever the length is the cache's and its own.
ValueRange Append::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  const bool known = input == kStarts && in[kCache].rank > axis() && in[kUpdate].rank > axis();
  if (!known) return {};
  const int64_t room = (at_.length.is_number() ? at_.length.number() : in[kCache][axis()]) - in[kUpdate][axis()];
  return {0, room > 0 ? room : 0};
}

}  // namespace anydim
