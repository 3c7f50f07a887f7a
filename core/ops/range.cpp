// SPDX-License-Identifier: Apache-2.0
// Range: checks, shape rule, and the number of elements.
#include "core/ops/range.h"

#include <cmath>

#include "core/ops/check.h"

namespace anydim {

Result<OperatorPtr> Range::make(DType dtype, Dim start, Dim delta, Dim count) {
  if (dtype == DType::none || dtype == DType::boolean) return invalid("range of dtype {}", dtype_name(dtype));
  if (dtype == DType::f16 || dtype == DType::bf16) return unimplemented("range of dtype {}", dtype_name(dtype));
  if (count.is_number() && count.number() < 0) return invalid("range of {} elements", count.number());
  auto r = std::shared_ptr<Range>(new Range);
  r->dtype_ = dtype;
  r->dims_[0] = start;
  r->dims_[1] = delta;
  r->dims_[2] = count;
  return OperatorPtr(std::move(r));
}

Result<OperatorPtr> Range::make_real(DType dtype, double start, double limit, double delta) {
  if (dtype != DType::f32 && dtype != DType::f64) return unimplemented("range over reals of dtype {}", dtype_name(dtype));
  const double n = std::ceil((limit - start) / delta);
  if (!(n < 9e15)) return invalid("range from {} to {} by {} has no end", start, limit, delta);
  auto r = std::shared_ptr<Range>(new Range);
  r->dtype_ = dtype;
  r->real_ = true;
  r->real_start_ = start;
  r->real_delta_ = delta;
  r->dims_[2] = n > 0 ? static_cast<int64_t>(n) : 0;
  return OperatorPtr(std::move(r));
}

Result<Dim> Range::count_for(DimPool& pool, Dim start, Dim limit, Dim delta) {
  if (!delta.is_number()) return unimplemented("range by a dynamic delta; expected a number");
  if (delta.is(0) || delta.is(INT64_MIN)) return invalid("range by {}", delta.number());
  const Dim way = delta.number() > 0 ? pool.sub(limit, start) : pool.sub(start, limit);
  return pool.max(pool.ceil_div(way, delta.number() > 0 ? delta.number() : -delta.number()), 0);
}

OperatorPtr Range::with_dim_attributes(std::span<const Dim> dims) const {
  auto r = std::make_shared<Range>(*this);
  for (size_t i = 0; i < 3 && i < dims.size(); ++i) r->dims_[i] = dims[i];
  return r;
}

Status Range::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 0, 0));
  if (dims_[2].is_number() && dims_[2].number() < 0) return invalid("range of {} elements", dims_[2].number());
  out[0] = {dtype_, {dims_[2]}};
  return {};
}

void Range::attributes(AttributeSink& sink) const {
  sink.field("dtype", dtype_name(dtype_));
  if (real_) {
    sink.field("start", real_start_);
    sink.field("delta", real_delta_);
  }
  sink.field("dims", dim_attributes());
}

}  // namespace anydim
