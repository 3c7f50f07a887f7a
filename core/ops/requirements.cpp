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

bool holds(Asked asked, int64_t a, int64_t b) noexcept {
  switch (asked) {
    case Asked::equal: return a == b;
    case Asked::fits: return a == 1 || a == b;
    case Asked::at_most: return a <= b;
    case Asked::multiple: return b > 0 && a % b == 0;
    case Asked::source: return a != 0 || b == 0;
  }
  return false;
}

Status refused(Asked asked, int64_t a, int64_t b, const std::string& what) {
  switch (asked) {
    case Asked::equal: return invalid("{}: found {}; expected {}", what, a, b);
    case Asked::fits: return invalid("{}: found {}; expected 1 or {}", what, a, b);
    case Asked::at_most: return invalid("{}: found {}; expected at most {}", what, a, b);
    case Asked::multiple: return invalid("{}: found {}; expected a multiple of {}", what, a, b);
    case Asked::source: return invalid("{}: found {}, of which {} cannot be made", what, a, b);
  }
  return {};
}

void tell(Requirements& to, Asked asked, Dim a, Dim b, std::string what) {
  switch (asked) {
    case Asked::equal: return to.equal(a, b, std::move(what));
    case Asked::fits: return to.fits(a, b, std::move(what));
    case Asked::at_most: return to.at_most(a, b, std::move(what));
    case Asked::multiple: return to.multiple(a, b.number(), std::move(what));
    case Asked::source: return to.source(a, b, std::move(what));
  }
}

void require_broadcast(const DimPool& pool, const SymDims& a, const SymDims& b, int behind) {
  Requirements* const to = Requirements::of(pool);
  if (to == nullptr) return;
  for (int i = 1; i <= std::min(a.rank, b.rank); ++i) {
    const Dim x = a[a.rank - i], y = b[b.rank - i];
    if (!x.is_number() || !y.is_number()) to->broadcast(x, y, formatted("sizes that meet in axis -{}", i + behind));
  }
}

// Products of numbers are made whoever asks; of others nothing is made in the pool where nobody does.
Status require_count(DimPool& pool, const SymDims& d, const SymDims& count, const char* what) {
  const auto numbers = [](const SymDims& dims) { return std::ranges::all_of(dims, [](Dim x) { return x.is_number(); }); };
  if (Requirements::of(pool) == nullptr && !(numbers(d) && numbers(count))) return {};
  return require_equal(pool, product(pool, d), product(pool, count), "{}", what);
}

}  // namespace anydim
