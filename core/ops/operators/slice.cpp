// SPDX-License-Identifier: Apache-2.0
// Slice: checks, shape rule, and ONNX's starts and ends made plain.
#include "core/ops/operators/slice.h"

#include <algorithm>

#include "core/ops/check.h"

namespace anydim {

namespace {

// Numbers beyond any dim mean "to the edge", and a step beyond it takes one element; they are brought into a range in
// which no later sum can overflow.
int64_t bounded(int64_t v) noexcept { return std::clamp(v, -kMaxSize, kMaxSize); }

}  // namespace

Status Slice::normalize(Attributes* a) {
  if (a->steps.empty()) a->steps = RankArray<int64_t>::filled(a->starts.rank, 1);
  if (a->starts.rank != a->steps.rank || a->starts.rank != a->lengths.rank)
    return invalid("slice has {} starts, {} steps and {} lengths; expected one of each per axis", a->starts.rank, a->steps.rank,
                   a->lengths.rank);
  for (int i = 0; i < a->steps.rank; ++i) {
    if (a->steps[i] == 0) return invalid("step of axis {} is 0; expected another number", i);
    a->steps[i] = bounded(a->steps[i]);
  }
  return {};
}

Status Slice::normalise(DimPool& pool, Dim dim, Dim start, Dim end, int64_t step, Dim* first, Dim* length) {
  if (step == 0) return invalid("slice step is 0; expected another number");
  step = bounded(step);
  const auto clamped = [](Dim d) { return d.is_number() ? Dim(bounded(d.number())) : d; };
  start = clamped(start);
  end = clamped(end);
  auto from_end = [&](Dim d) {  // d < 0 ? d + dim : d
    if (d.is_number()) return d.number() < 0 ? pool.add(d, dim) : d;
    if (pool.provably_at_least(d, 0)) return d;
    // What lies far before the first element counts as just before it: a sum with an end of int64 has no value.
    const Dim near = pool.provably_at_least(d, 1 - kMaxSize) ? d : pool.max(d, pool.sub(-1, dim));
    return pool.select(pool.less(d, 0), pool.add(near, dim), d);
  };
  // ceil(way / |step|) elements, or none; a step beyond any dim takes one at most.
  const auto count = [&](Dim way) {
    const int64_t stride = step < 0 ? -step : step;
    return stride == kMaxSize ? pool.min(pool.max(way, 0), 1) : pool.max(pool.ceil_div(way, stride), 0);
  };
  const Dim s = from_end(start), e = from_end(end);
  if (step > 0) {
    *first = pool.min(pool.max(s, 0), dim);
    const Dim stop = end.is(kMaxSize) ? dim : pool.min(pool.max(e, 0), dim);
    // The last k of an axis, as x[-k:]: as plain as the first k, so that the two meet.
    const bool last = step == 1 && end.is(kMaxSize) && start.is_number() && start.number() < 0 && start.number() > -kMaxSize;
    *length = last ? pool.min(dim, -start.number()) : count(pool.sub(stop, *first));
  } else {
    const Dim top = pool.sub(dim, 1);
    // -1 and "from the edge" are the last element, whatever the dim is.
    *first = start.is(-1) || start.is(kMaxSize) ? top : pool.min(pool.max(s, 0), top);
    const Dim stop = end.is(-kMaxSize) ? Dim(-1) : pool.max(pool.min(e, top), -1);
    *length = count(pool.sub(*first, stop));
  }
  return {};
}

Status Slice::infer(DimPool&, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  ANYDIM_TRY(check_rank(in[0], 0, rank(), rank()));
  SymDims dims;
  for (int i = 0; i < rank(); ++i) {
    const Dim d = in[0].dims[i], s = start(i), n = length(i);
    dims.push_back(n);
    if (n.is_number() && n.number() < 0) return invalid("length of axis {} is {}; expected at least 0", i, n.number());
    if (!d.is_number() || !s.is_number() || !n.is_number() || n.number() == 0) continue;
    int64_t last = 0;
    if (!checked_mul(n.number() - 1, at_.steps[i], &last) || !checked_add(last, s.number(), &last) || s.number() < 0 ||
        s.number() >= d.number() || last < 0 || last >= d.number())
      return invalid("slice of axis {} takes {} elements from {} by {}; the dim is {}", i, n.number(), s.number(), at_.steps[i],
                     d.number());
  }
  out[0] = {in[0].dtype, dims};
  return {};
}

}  // namespace anydim
