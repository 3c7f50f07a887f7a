// SPDX-License-Identifier: Apache-2.0
// Range: checks, shape rule, and the number of elements.
#include "core/ops/operators/range.h"

#include <cmath>

#include "core/ops/check.h"

namespace anydim {

Status Range::normalize(Attributes* a) {
  if (a->dtype == DType::boolean) return invalid("range of dtype {}", dtype_name(a->dtype));
  if (a->dtype == DType::f16 || a->dtype == DType::bf16) return unimplemented("range of dtype {}", dtype_name(a->dtype));
  if (a->real && a->dtype != DType::f32 && a->dtype != DType::f64)
    return unimplemented("range over reals of dtype {}", dtype_name(a->dtype));
  if (a->real) a->start = a->delta = 0;
  return {};
}

Result<OperatorPtr> Range::make_real(DType dtype, double start, double limit, double delta) {
  const double n = std::ceil((limit - start) / delta);
  if (!(n < 9e15)) return invalid("range from {} to {} by {} has no end", start, limit, delta);
  return make(Attributes{dtype, true, 0, 0, n > 0 ? static_cast<int64_t>(n) : 0, start, delta});
}

Result<Dim> Range::count_for(DimPool& pool, Dim start, Dim limit, Dim delta) {
  if (delta.is(0) || delta.is(INT64_MIN)) return invalid("range by {}", delta.number());
  Dim up = pool.sub(limit, start), down = pool.sub(start, limit);
  const Dim falls = pool.less(delta, 0);
  // Numbers of the data may lie as far apart as no 64-bit integer says, and be in the wrong order: then there is nothing.
  if (pool.interval(start).min <= -kMaxSize || pool.interval(limit).min <= -kMaxSize) {
    up = pool.select(pool.less(start, limit), up, 0);
    down = pool.select(pool.less(limit, start), down, 0);
  }
  const Dim step = pool.select(falls, pool.sub(0, pool.max(delta, -kMaxSize)), delta);  // any one far below 0 takes one element
  return pool.max(pool.ceil_div(pool.select(falls, down, up), delta.is_number() ? step : pool.max(step, 1)), 0);
}

Status Range::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 0, 0));
  if (at_.count.is_number() && at_.count.number() < 0) return invalid("range of {} elements", at_.count.number());
  out[0] = {at_.dtype, {at_.count}};
  return {};
}

}  // namespace anydim
