// SPDX-License-Identifier: Apache-2.0
// Reports what a shape rule assumes of dims that only a run determines; see requirements.h.
#include "core/ops/requirements.h"

#include <algorithm>

namespace anydim {

namespace {

thread_local const DimPool* pool_of_scope = nullptr;
thread_local Requirements* asking = nullptr;

Dim product(DimPool& pool, const SymDims& d) {
  Dim p = 1;
  for (Dim x : d) p = pool.mul(p, x);
  return p;
}

}  // namespace

Requirements::Scope::Scope(const DimPool& pool, Requirements* to) noexcept : pool_before_(pool_of_scope), before_(asking) {
  pool_of_scope = &pool;
  asking = to;
}

Requirements::Scope::~Scope() {
  pool_of_scope = pool_before_;
  asking = before_;
}

Requirements* Requirements::of(const DimPool& pool) noexcept { return pool_of_scope == &pool ? asking : nullptr; }

void require_broadcast(const DimPool& pool, const SymDims& a, const SymDims& b, int behind) {
  for (int i = 1; i <= std::min(a.rank, b.rank); ++i) {
    const Dim x = a[a.rank - i], y = b[b.rank - i];
    report(pool, x, y, [&](Requirements& to) { to.broadcast(x, y, formatted("sizes that meet in axis -{}", i + behind)); });
  }
}

void require_count(DimPool& pool, const SymDims& d, const SymDims& count, const char* what) {
  if (Requirements::of(pool) == nullptr) return;
  const Dim have = product(pool, d), want = product(pool, count);
  report(pool, have, want, [&](Requirements& to) { to.equal(have, want, what); });
}

}  // namespace anydim
