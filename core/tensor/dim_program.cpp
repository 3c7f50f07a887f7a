// SPDX-License-Identifier: Apache-2.0
// Evaluation of dims with numbers: one operation, and a whole pool as straight-line code.
#include "core/tensor/dim.h"

namespace anydim {

bool evaluate(DimOp op, int64_t a, int64_t b, int64_t c, int64_t* out) noexcept {
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

void SlotProgram::run(std::span<int64_t> values) const noexcept {
  for (const Step& s : steps_) {
    const int64_t a = value_of(s.a, values), b = value_of(s.b, values), c = value_of(s.c, values);
    int64_t& out = values[static_cast<size_t>(s.slot)];
    // The branch of a select that is not taken may be poisoned.
    const bool poisoned = s.op == DimOp::select ? c == kBadSlot || (c != 0 ? a : b) == kBadSlot
                                                : a == kBadSlot || b == kBadSlot;
    if (poisoned || !evaluate(s.op, a, b, c, &out)) out = kBadSlot;
  }
}

}  // namespace anydim
