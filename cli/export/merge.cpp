// SPDX-License-Identifier: Apache-2.0
// See merge.h.
#include "cli/export/merge.h"

#include <algorithm>
#include <cctype>

#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

Merge::Merge(Program& outer, const Program& inner, int block)
    : outer_(outer), inner_(inner), block_(block), map_(inner.sizes.size()), known_(inner.sizes.size(), 0) {}

bool Merge::give(Dim inner, Dim outer) {
  if (inner.is_number()) return false;
  const auto i = static_cast<size_t>(inner.size);
  if (inner_.sizes[i].op != SizeOp::symbol || known_[i] != 0) return false;
  map_[i] = outer_.folded(outer);
  known_[i] = 1;
  return true;
}

Dim Merge::found(Dim inner, int64_t least, int64_t most) {
  const Size& s = inner_.sizes[static_cast<size_t>(inner.size)];
  outer_.sizes.push_back({SizeOp::symbol, {}, std::max(s.min, least), std::min(s.max, most), s.name, s.multiple_of, true, block_});
  const Dim made{0, static_cast<int>(outer_.sizes.size()) - 1};
  give(inner, made);
  return made;
}

Dim Merge::dim(Dim inner) {
  if (inner.is_number()) return inner;
  const auto i = static_cast<size_t>(inner.size);
  if (known_[i] != 0) return map_[i];
  const Size& s = inner_.sizes[i];
  if (s.op == SizeOp::symbol) {
    if (s.min == s.max) return {s.min, -1};
    throw Unsupported(formatted("the size {} of a body follows from nothing around it", s.name));
  }
  const Dim made = outer_.make(s.op, dim(s.of[0]), dim(s.of[1]), dim(s.of[2]));
  map_[i] = made;
  known_[i] = 1;
  return made;
}

std::vector<Dim> Merge::dims(const std::vector<Dim>& inner) {
  std::vector<Dim> made;
  for (const Dim d : inner) made.push_back(dim(d));
  return made;
}

int Merge::add_buffers() {
  first_buffer_ = static_cast<int>(outer_.buffers.size());
  for (const Buffer& b : inner_.buffers) {
    const bool edge = b.kind == Buffer::Kind::input || b.kind == Buffer::Kind::output;
    outer_.buffers.push_back({edge ? Buffer::Kind::inner : b.kind, b.index, b.dtype, dim(b.elements)});
  }
  return first_buffer_;
}

void Merge::add_tensors() {
  first_tensor_ = static_cast<int>(outer_.tensors.size());
  for (const Tensor& t : inner_.tensors)
    outer_.tensors.push_back(
        {t.name, t.dtype, dims(t.dims), dims(t.strides), t.buffer < 0 ? -1 : t.buffer + first_buffer_, dim(t.offset), t.constant});
}

// Sizes among attributes are "#12".
std::string Merge::text(const std::string& attributes) {
  std::string made;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i] != '#') {
      made += attributes[i];
      continue;
    }
    size_t end = i + 1;
    while (end < attributes.size() && std::isdigit(static_cast<unsigned char>(attributes[end])) != 0) ++end;
    const Dim d = dim({0, std::stoi(attributes.substr(i + 1, end - i - 1))});
    made += d.is_number() ? formatted("{}", d.number) : formatted("#{}", d.size);
    i = end - 1;
  }
  return made;
}

std::vector<Step> Merge::steps() {
  std::vector<Step> made;
  for (Step s : inner_.steps) {
    s.op = text(s.op);
    for (int& o : s.operands)
      if (o >= 0) o += first_tensor_;
    s.parameters = dims(s.parameters);
    if (s.control != nullptr) {
      s.control = std::make_shared<Control>(*s.control);
      s.control->most_iterations = dim(s.control->most_iterations);
    }
    made.push_back(std::move(s));
  }
  return made;
}

}  // namespace anydim_cli::exporting
