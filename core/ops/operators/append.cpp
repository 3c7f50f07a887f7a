// SPDX-License-Identifier: Apache-2.0
// Append: checks and shape rule.
#include "core/ops/operators/append.h"

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
    ANYDIM_TRY(require_equal(pool, cache[i], update[i], "axis {} of the cache and the update", i));
  }
  const bool evicted = in.size() > kEvicted && in[kEvicted].dtype != DType::none;
  if (at_.windowed != evicted || (evicted && (!starts || at_.circular)))
    return invalid("append: a windowed cache, and no other, has starts and evicted slices, and is not circular");
  for (const size_t i : {kStarts, kEvicted}) {
    if (!(i == kStarts ? starts : evicted)) continue;
    if (axis() == 0) return invalid("append: axis is 0; with starts for each example of the batch it is 1 or more");
    if (in[i].dtype != DType::i64) return invalid("append: input {} has dtype {}; expected i64", i, dtype_name(in[i].dtype));
    ANYDIM_TRY(check_rank(in[i], i, 1, 1).at("append"));
    ANYDIM_TRY(check_same_dim(in[i].dims[0], cache[0], i, 0).at("append"));
    ANYDIM_TRY(require_equal(pool, cache[0], in[i].dims[0], "the batch of the cache and of input {}", i));
  }
  const auto at_most = [&](Dim a, Dim b, const char* what) -> Status {
    if (a.is_number() && b.is_number() && a.number() > b.number())
      return invalid("append: {} is {}; expected at most the length {}", what, a.number(), b.number());
    ANYDIM_TRY(require_at_most(pool, a, b, "{}", what));
    return {};
  };
  if (at_.windowed) {
    ANYDIM_TRY(check_same_dim(at_.length, cache[axis()], kCache, axis()).at("append"));
    ANYDIM_TRY(require_equal(pool, cache[axis()], at_.length, "the length of a windowed cache"));
  }
  ANYDIM_TRY(at_most(cache[axis()], at_.length, "the cache's size along the axis"));
  const bool anywhere = starts || at_.circular;
  if (!at_.windowed)
    ANYDIM_TRY(at_most(anywhere ? update[axis()] : pool.add(at_.first, update[axis()]), at_.length, "the end of the update"));
  out[0] = in[kCache];
  for (int i = 0; i < cache.rank; ++i)  // a number lets more follow than a dim that is equal to it
    if (!cache[i].is_number() && update[i].is_number()) out[0].dims[i] = update[i];
  out[0].dims[axis()] = at_.length;
  if (!at_.windowed) return {};
  out[1] = out[0];
  out[1].dims[axis()] = pool.mul(pool.sub(1, pool.equal(update[axis()], 1)), pool.add(at_.length, update[axis()]));
  return {};
}

// Within the cache as it is: the update then fits wherever the length is the cache's and its own. What leaves a windowed cache was in it.
ValueRange Append::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  const bool known = input == kStarts && in[kCache].rank > axis() && in[kUpdate].rank > axis();
  if (at_.windowed && input >= kStarts) return {0, input == kEvicted && in[kCache].rank > axis() ? in[kCache][axis()] : 0};
  if (!known) return {};
  const int64_t room = (at_.length.is_number() ? at_.length.number() : in[kCache][axis()]) - in[kUpdate][axis()];
  return {0, room > 0 ? room : 0};
}

}  // namespace anydim
