// SPDX-License-Identifier: Apache-2.0
// Symbolic dims as people read them: "(h + 1) // 2", "[n, 3, h, w]".
#include "core/tensor/dim.h"

namespace anydim {

// precedence: 0 comparison, 1 sum, 2 product, 3 operand of a product's right side
void DimPool::write(std::string* out, Dim d, int precedence) const {
  if (d.is_number()) {
    *out += std::to_string(d.number());
    return;
  }
  const DimExpr& e = expr(d.expr());
  const auto infix = [&](const char* sign, int own, int right) {
    if (own < precedence) *out += '(';
    write(out, e.a, own);
    *out += sign;
    write(out, e.b, right);
    if (own < precedence) *out += ')';
  };
  const auto call = [&](const char* name) {
    *out += name;
    *out += '(';
    write(out, e.a, 0);
    *out += ", ";
    write(out, e.b, 0);
    *out += ')';
  };
  switch (e.op) {
    case DimOp::symbol: *out += e.name.empty() ? "?" + std::to_string(d.expr()) : e.name; return;
    case DimOp::add: return infix(" + ", 1, 1);
    case DimOp::sub: return infix(" - ", 1, 2);
    case DimOp::mul: {
      const bool product = e.a.is_number() || expr(e.a.expr()).op == DimOp::mul;
      if (2 < precedence) *out += '(';
      write(out, e.a, product ? 2 : 3);
      *out += '*';
      write(out, e.b, e.b.is_number() || expr(e.b.expr()).op != DimOp::mul ? 3 : 2);
      if (2 < precedence) *out += ')';
      return;
    }
    case DimOp::floor_div: return infix(" // ", 2, 3);
    case DimOp::mod: return infix(" % ", 2, 3);
    case DimOp::equal: return infix(" == ", 0, 1);
    case DimOp::less: return infix(" < ", 0, 1);
    case DimOp::ceil_div: return call("ceil_div");
    case DimOp::min: return call("min");
    case DimOp::max: return call("max");
    case DimOp::broadcast: return call("broadcast");
    case DimOp::trunc_div: return call("trunc_div");
    case DimOp::select:
      *out += "select(";
      write(out, e.c, 0);
      *out += ", ";
      write(out, e.a, 0);
      *out += ", ";
      write(out, e.b, 0);
      *out += ')';
      return;
  }
}

std::string DimPool::text(Dim d) const {
  std::string s;
  write(&s, d, 0);
  return s;
}

std::string DimPool::text(const SymDims& d) const {
  std::string s = "[";
  for (int i = 0; i < d.rank; ++i) {
    if (i) s += ", ";
    s += text(d[i]);
  }
  return s + "]";
}

}  // namespace anydim
