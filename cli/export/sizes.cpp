// SPDX-License-Identifier: Apache-2.0
// See sizes.h.
#include "cli/export/sizes.h"

#include <algorithm>

#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

int SizeCode::reference(Dim d) {
  d = p_.folded(d);
  if (d.is_number() && d.number >= 0 && d.number < INT32_MAX) return static_cast<int>(d.number);
  return -1 - slot(d);
}

int SizeCode::slot(Dim d) {
  if (d.is_number()) {
    const auto [at, first] = literal_slots_.try_emplace(d.number, slots_);
    if (first) code_[0] += formatted("  s[{}] = {};\n", slots_++, literal(d.number));
    return at->second;
  }
  if (const auto known = size_slots_.find(d.size); known != size_slots_.end()) return known->second;
  const Size s = p_.sizes[static_cast<size_t>(d.size)];
  if (s.block > 0 && std::max(s.max, -s.min) >= int64_t{1} << 60)
    throw Unsupported(
        formatted("a size{} that data in a branch or loop determines has no bound", s.name.empty() ? "" : " (" + s.name + ")"));
  if (std::max(s.max, -s.min) >= int64_t{1} << 60)
    throw Unsupported(formatted("a size ({}) has no bound; give bounds for every dynamic dim", s.name.empty() ? "of its steps" : s.name));
  const std::string text = expression(s, d.size);
  code_[s.block] += formatted("  s[{}] = {};{}\n", slots_, text, s.name.empty() ? "" : " /* " + comment(s.name) + " */");
  return size_slots_[d.size] = slots_++;
}

std::string SizeCode::value(Dim d) {
  d = p_.folded(d);
  return d.is_number() ? literal(d.number) : formatted("s[{}]", slot(d));
}

std::string SizeCode::expression(const Size& s, int number) {
  if (s.op == SizeOp::symbol) return symbol(s, number);
  const std::string a = value(s.of[0]), b = value(s.of[1]);
  switch (s.op) {
    case SizeOp::add: return formatted("{} + {}", a, b);
    case SizeOp::sub: return formatted("{} - {}", a, b);
    case SizeOp::mul: return formatted("{} * {}", a, b);
    case SizeOp::min: return formatted("{} < {} ? {} : {}", a, b, a, b);
    case SizeOp::max: return formatted("{} > {} ? {} : {}", a, b, a, b);
    case SizeOp::broadcast: return formatted("{} == 1 ? {} : {}", a, b, a);
    case SizeOp::equal: return formatted("{} == {}", a, b);
    case SizeOp::less: return formatted("{} < {}", a, b);
    case SizeOp::select: return formatted("{} != 0 ? {} : {}", value(s.of[2]), a, b);
    default: return quotient(s, a, b);
  }
}

// Of numbers that are not negative C's own division is right.
std::string SizeCode::quotient(const Size& s, const std::string& a, const std::string& b) {
  const bool plain = p_.least(s.of[0]) >= 0 && p_.least(s.of[1]) > 0;
  divides_ = divides_ || (!plain && s.op != SizeOp::trunc_div);
  switch (s.op) {
    case SizeOp::floor_div: return plain ? formatted("{} / {}", a, b) : formatted("floor_div({}, {})", a, b);
    case SizeOp::ceil_div: return plain ? formatted("({} + {} - 1) / {}", a, b, b) : formatted("-floor_div(-{}, {})", a, b);
    case SizeOp::mod: return plain ? formatted("{} % {}", a, b) : formatted("{} - floor_div({}, {}) * {}", a, a, b, b);
    case SizeOp::trunc_div: return plain ? formatted("{} / {}", a, b) : formatted("{} > 0 ? {} / {} : 0", b, a, b);
    default: return "0";
  }
}

std::string SizeCode::symbol(const Size& s, int number) {
  if (s.min == s.max) return literal(s.min);
  if (s.block > 0) {
    elements_.insert(number);
    return formatted("e{}", number);
  }
  for (const Field& f : fields())
    if (f.size == number) return "d->" + f.name;
  throw Unsupported(formatted("the size {} follows from no dim of an input", s.name));
}

const std::vector<SizeCode::Field>& SizeCode::fields() {
  if (fields_known_) return fields_;
  fields_known_ = true;
  for (const Edge& e : p_.inputs)
    for (size_t i = 0; i < e.dims.size(); ++i) {
      const Dim d = p_.folded(e.dims[i]);
      if (d.is_number() || p_.sizes[static_cast<size_t>(d.size)].op != SizeOp::symbol) continue;
      if (std::any_of(fields_.begin(), fields_.end(), [&](const Field& f) { return f.size == d.size; })) continue;
      std::string name = identifier(p_.sizes[static_cast<size_t>(d.size)].name);
      while (std::any_of(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; })) name += '_';
      fields_.push_back({name, formatted("dim {} of {}", i, e.name), d.size});
    }
  return fields_;
}

}  // namespace anydim_cli::exporting
