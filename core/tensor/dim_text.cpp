// SPDX-License-Identifier: Apache-2.0
// Symbolic dims as people read them: "(h + 1) // 2", "[n, 3, h, w]".
#include "core/tensor/readable_dim.h"

namespace anydim {

namespace {

// An expression shares its parts, so its text can be exponentially longer: it is cut off.
constexpr size_t kMaxText = 1000;
constexpr int kMaxDepth = 100;

class Writer {
 public:
  Writer(const DimPool& pool, std::string* out) : pool_(pool), out_(out) {}
  // precedence: 0 comparison, 1 sum, 2 product, 3 operand of a product's right side
  void write(Dim d, int precedence, int depth);

 private:
  const DimPool& pool_;
  std::string* out_;
};

void Writer::write(Dim d, int precedence, int depth) {
  if (out_->size() > kMaxText) return;
  if (depth > kMaxDepth) {
    *out_ += "...";
    return;
  }
  ++depth;
  if (d.is_number()) {
    *out_ += std::to_string(d.number());
    return;
  }
  const DimExpr& e = pool_.expr(d.expr());
  const auto infix = [&](const char* sign, int own, int right) {
    if (own < precedence) *out_ += '(';
    write(e.a, own, depth);
    *out_ += sign;
    write(e.b, right, depth);
    if (own < precedence) *out_ += ')';
  };
  const auto call = [&](const char* name) {
    *out_ += name;
    *out_ += '(';
    write(e.a, 0, depth);
    *out_ += ", ";
    write(e.b, 0, depth);
    *out_ += ')';
  };
  switch (e.op) {
    case DimOp::symbol: *out_ += e.name.empty() ? "?" + std::to_string(d.expr()) : e.name; return;
    case DimOp::add: return infix(" + ", 1, 1);
    case DimOp::sub: return infix(" - ", 1, 2);
    case DimOp::mul: {
      const bool product = e.a.is_number() || pool_.expr(e.a.expr()).op == DimOp::mul;
      if (2 < precedence) *out_ += '(';
      write(e.a, product ? 2 : 3, depth);
      *out_ += '*';
      write(e.b, e.b.is_number() || pool_.expr(e.b.expr()).op != DimOp::mul ? 3 : 2, depth);
      if (2 < precedence) *out_ += ')';
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
      *out_ += "select(";
      write(e.c, 0, depth);
      *out_ += ", ";
      write(e.a, 0, depth);
      *out_ += ", ";
      write(e.b, 0, depth);
      *out_ += ')';
      return;
  }
}

}  // namespace

void DimPool::write(std::string* out, Dim d, int precedence) const { Writer(*this, out).write(d, precedence, 0); }

std::string DimPool::text(Dim d) const {
  std::string s;
  write(&s, d, 0);
  if (s.size() > kMaxText) s = s.substr(0, kMaxText) + "...";
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

std::string readable(const DimPool& pool, Dim d) {
  constexpr size_t kReadable = 80;
  std::string text = pool.text(d);
  if (text.size() <= kReadable && text.find("select(") == std::string::npos) return text;
  std::string names;
  for (const int32_t s : pool.symbols(d)) {
    if (names.size() > kReadable) return "a size that follows from " + names + ", ...";
    names += (names.empty() ? "" : ", ") + pool.text(Dim::expression(s));
  }
  return "a size that follows from " + names;
}

}  // namespace anydim
