// SPDX-License-Identifier: Apache-2.0
// Evaluation of dims with numbers: one operation, and a whole pool as straight-line code.
#include "core/tensor/dim.h"

#include <algorithm>

namespace anydim {

namespace {

// Inlined into the loop below, which a new shape goes through for each expression of a model.
inline bool evaluate_one(DimOp op, int64_t a, int64_t b, int64_t c, int64_t* out) noexcept {
  switch (op) {
    case DimOp::symbol: return false;
    case DimOp::add: return checked_add(a, b, out);
    case DimOp::sub: return checked_sub(a, b, out);
    case DimOp::mul: return checked_mul(a, b, out);
    case DimOp::floor_div:
      if (b <= 0) return false;
      *out = floor_div(a, b);
      return true;
    case DimOp::ceil_div:
      if (b <= 0) return false;
      *out = a / b + (a % b > 0 ? 1 : 0);
      return true;
    case DimOp::mod:
      if (b <= 0) return false;
      *out = a % b < 0 ? a % b + b : a % b;
      return true;
    case DimOp::min: *out = a < b ? a : b; return true;
    case DimOp::max: *out = a > b ? a : b; return true;
    case DimOp::broadcast: *out = a == 1 ? b : a; return true;
    case DimOp::equal: *out = a == b; return true;
    case DimOp::less: *out = a < b; return true;
    case DimOp::select: *out = c != 0 ? a : b; return true;
    case DimOp::trunc_div:
      if (b == 0 || (a == INT64_MIN && b == -1)) return false;
      *out = a / b;
      return true;
  }
  return false;
}

}  // namespace

bool evaluate(DimOp op, int64_t a, int64_t b, int64_t c, int64_t* out) noexcept { return evaluate_one(op, a, b, c, out); }

SlotProgram::SlotProgram(const DimPool& pool) : pool_size_(pool.size()) {
  steps_.reserve(static_cast<size_t>(pool.size()));
  for (int32_t i = 0; i < pool.size(); ++i) {
    const DimExpr& e = pool.expr(i);
    if (e.op != DimOp::symbol) steps_.push_back({e.op, i, e.a, e.b, e.c});
  }
}

SlotProgram::SlotProgram(const DimPool& pool, std::span<const Dim> roots) : SlotProgram(pool) {
  std::vector<bool> wanted(static_cast<size_t>(pool_size_), false);
  const auto want = [&](Dim d) {
    if (!d.is_number()) wanted[static_cast<size_t>(d.expr())] = true;
  };
  std::for_each(roots.begin(), roots.end(), want);
  // An expression is made of earlier ones.
  for (size_t i = steps_.size(); i-- > 0;) {
    const Step& s = steps_[i];
    if (!wanted[static_cast<size_t>(s.slot)]) continue;
    want(s.a), want(s.b), want(s.c);
  }
  std::erase_if(steps_, [&](const Step& s) { return !wanted[static_cast<size_t>(s.slot)]; });
}

void SlotProgram::run(std::span<int64_t> values) const noexcept {
  for (const Step& s : steps_) {
    const int64_t a = value_of(s.a, values), b = value_of(s.b, values);
    int64_t c = 0;
    bool poisoned = a == kBadSlot || b == kBadSlot;
    if (s.op == DimOp::select) {  // the branch that is not taken may be poisoned
      c = value_of(s.c, values);
      poisoned = c == kBadSlot || (c != 0 ? a : b) == kBadSlot;
    }
    int64_t& out = values[static_cast<size_t>(s.slot)];
    if (poisoned || !evaluate_one(s.op, a, b, c, &out)) out = kBadSlot;
  }
}

}  // namespace anydim
