// SPDX-License-Identifier: Apache-2.0
// Looking for the copies; see edge_copies.h. All that could see a difference is excluded: buffers that hold more than the copied value,
// that another step writes, or that belong to a cache.
#include "core/program/edge_copies.h"

#include <algorithm>

#include "core/ops/operators/reshape.h"
#include "core/ops/operators/transpose.h"

namespace anydim {

namespace {

using Kind = Program::Buffer::Kind;

class EdgeCopies {
 public:
  EdgeCopies(Program& program, std::span<const Perm> orders) : p_(program), orders_(orders) {}

  void find() {
    for (size_t i = 0; i < p_.steps.size(); ++i) {
      const Program::Step& s = p_.steps[i];
      const Primitive* const alone = of_one(s);
      if (alone == nullptr) continue;
      const Perm* const axes = moved_axes(*alone);
      if (axes == nullptr && !reshapes(*alone)) continue;
      const Program::Tensor &from = p_.tensor(s.operands[0]), &to = p_.tensor(s.operands[1]);
      if (!whole(from) || !whole(to) || from.dtype != to.dtype) continue;
      const Program::Buffer &read = p_.buffer(from.buffer), &written = p_.buffer(to.buffer);
      Program::EdgeCopy copy{static_cast<int32_t>(i), false, read.index, to.buffer, axes != nullptr ? *axes : Perm(), {}};
      if (read.kind == Kind::input && written.kind == Kind::arena) {
        if (writers(to.buffer) == 1 && !is_cache(read.index)) add(copy);
      } else if (read.kind == Kind::arena && written.kind == Kind::output && axes != nullptr) {
        copy.output = true;
        copy.edge = written.index;
        copy.buffer = from.buffer;
        const auto edge = static_cast<size_t>(copy.edge);
        copy.order = orders_[edge];
        if (!copy.order.empty() && p_.outputs[edge].cache < 0 && p_.results[edge] == s.operands[1]) add(copy);
      }
    }
  }

 private:
  // On the host, from one operand to one.
  const Primitive* of_one(const Program::Step& s) const {
    return s.engine == 0 && s.inputs == 1 && s.outputs == 1 && s.post == 0 ? p_.primitive(s) : nullptr;
  }
  bool whole(const Program::Tensor& t) const { return t.buffer >= 0 && t.offset.is(0) && p_.buffer(t.buffer).dtype == t.dtype; }
  bool is_cache(int32_t input) const {
    return std::any_of(p_.outputs.begin(), p_.outputs.end(), [&](const Program::IoSpec& e) { return e.cache == input; });
  }
  int writers(int32_t buffer) const {
    int count = 0;
    for (const Program::Step& s : p_.steps)
      for (int32_t k = s.inputs; k < s.inputs + s.outputs; ++k) {
        const int32_t t = s.operands[static_cast<size_t>(k)];
        count += t != Program::kNoTensor && p_.tensor(t).buffer == buffer ? 1 : 0;
      }
    return count;
  }
  // A buffer is the memory of one edge at most.
  void add(const Program::EdgeCopy& copy) {
    std::vector<Program::EdgeCopy>& all = p_.edge_copies;
    if (std::none_of(all.begin(), all.end(), [&](const Program::EdgeCopy& c) { return c.buffer == copy.buffer; })) all.push_back(copy);
  }

  Program& p_;
  const std::span<const Perm> orders_;
};

}  // namespace

namespace {

bool is_plain(const Primitive& primitive) noexcept {
  return primitive.attributes().post_ops.count == 0 && !primitive.attributes().quantization;
}

}  // namespace

const Perm* moved_axes(const Primitive& primitive) noexcept {
  const auto* const moves = as<Transpose>(primitive.op());
  return moves != nullptr && is_plain(primitive) ? &moves->perm() : nullptr;
}
bool reshapes(const Primitive& primitive) noexcept { return primitive.op().kind() == OpKind::reshape && is_plain(primitive); }

void find_edge_copies(Program* program, std::span<const Perm> orders) {
  if (!program->host_only() || program->stages.size() != 1 || !program->controls.empty()) return;
  EdgeCopies(*program, orders).find();
}

}  // namespace anydim
