// SPDX-License-Identifier: Apache-2.0
// Makes expressions of dims again, in another pool or under new assumptions; see dim_rebuild.h.
#include "core/tensor/dim_rebuild.h"

#include <vector>

namespace anydim {

Dim rebuild(DimPool& pool, DimOp op, Dim a, Dim b, Dim c) {
  switch (op) {
    case DimOp::symbol: break;
    case DimOp::add: return pool.add(a, b);
    case DimOp::sub: return pool.sub(a, b);
    case DimOp::mul: return pool.mul(a, b);
    case DimOp::floor_div: return pool.floor_div(a, b);
    case DimOp::ceil_div: return pool.ceil_div(a, b);
    case DimOp::mod: return pool.mod(a, b);
    case DimOp::min: return pool.min(a, b);
    case DimOp::max: return pool.max(a, b);
    case DimOp::broadcast: return pool.broadcast(a, b);
    case DimOp::equal: return pool.equal(a, b);
    case DimOp::less: return pool.less(a, b);
    case DimOp::select: return pool.select(c, a, b);
    case DimOp::trunc_div: return pool.trunc_div(a, b);
  }
  return 0;
}

// Without recursion, which a hostile model could make deep.
Dim Rebuilding::operator()(Dim d) {
  if (d.is_number()) return d;
  std::vector<int32_t> open{d.expr()};
  while (!open.empty()) {
    const int32_t id = open.back();
    if (made_.count(id) > 0) {
      open.pop_back();
      continue;
    }
    const DimExpr e = pool_.expr(id);
    const size_t before = open.size();
    for (Dim x : {e.a, e.b, e.c})
      if (!x.is_number() && made_.count(x.expr()) == 0) open.push_back(x.expr());
    if (open.size() > before) continue;
    const auto made = [&](Dim x) { return x.is_number() ? x : made_.at(x.expr()); };
    made_.emplace(id, pool_.simplify(e.op == DimOp::symbol ? Dim::expression(id) : rebuild(pool_, e.op, made(e.a), made(e.b), made(e.c))));
  }
  return made_.at(d.expr());
}

}  // namespace anydim
