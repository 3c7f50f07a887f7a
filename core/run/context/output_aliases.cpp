// SPDX-License-Identifier: Apache-2.0
// Finding outputs that are views of inputs; see output_aliases.h.
#include "core/run/context/output_aliases.h"

#include <algorithm>

#include "core/program/moved_views.h"

namespace anydim {

namespace {

using Kind = Program::Buffer::Kind;

constexpr size_t kMostLinks = 4;

// The only step that writes to a buffer; -1: there are several, or none.
int32_t writer_of(const Program& p, int32_t buffer) {
  int32_t found = -1;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    const Program::Step& s = p.steps[i];
    for (int32_t k = s.inputs; k < s.inputs + s.outputs; ++k) {
      const int32_t t = s.operands[static_cast<size_t>(k)];
      if (t == Program::kNoTensor || p.tensor(t).buffer != buffer) continue;
      if (found >= 0) return -1;
      found = static_cast<int32_t>(i);
    }
  }
  return found;
}

// Does a step other than this one read it?
bool is_read(const Program& p, int32_t buffer, int32_t but) {
  for (size_t i = 0; i < p.steps.size(); ++i) {
    const Program::Step& s = p.steps[i];
    for (size_t k = 0; static_cast<int32_t>(i) != but && k < s.operands.size(); ++k) {
      const bool written = k >= static_cast<size_t>(s.inputs) && k < static_cast<size_t>(s.inputs + s.outputs);
      if (!written && s.operands[k] != Program::kNoTensor && p.tensor(s.operands[k]).buffer == buffer) return true;
    }
  }
  return false;
}

}  // namespace

OutputAliases::OutputAliases(const Program& program, bool body) : edges_(program.outputs.size()), views_(program.outputs.size()) {
  if (body || !program.host_only() || program.stages.size() != 1) return;
  for (size_t i = 0; i < edges_.size(); ++i) edges_[i] = edge_of(program, i);
}

// From the output back to an input, from step to step.
OutputAliases::Edge OutputAliases::edge_of(const Program& program, size_t output) {
  Edge edge;
  int32_t buffer = program.tensor(program.results[output]).buffer, made = -1, reader = -1;
  while (buffer >= 0 && edge.links.size() < kMostLinks) {
    const Program::Buffer& b = program.buffer(buffer);
    if (b.kind == Kind::input) {
      const auto cache = [&](const Program::IoSpec& e) { return e.cache == b.index; };
      if (edge.links.empty() || std::any_of(program.outputs.begin(), program.outputs.end(), cache)) return {};  // it may be overwritten
      edge.input = b.index;
      std::reverse(edge.links.begin(), edge.links.end());
      return edge;
    }
    const int32_t writer = writer_of(program, buffer);
    if (writer < 0) return {};
    const Program::Step& s = program.steps[static_cast<size_t>(writer)];
    const Primitive* const primitive = program.primitive(s);
    const auto first_output = static_cast<size_t>(s.inputs);
    if (primitive == nullptr || !may_make_views(*primitive) || s.inputs < 1 || s.outputs != 1 || program.is_packed(s, 0)) return {};
    if (made >= 0 && s.operands[first_output] != made) return {};  // another view of what it writes
    edge.links.push_back({static_cast<size_t>(writer), is_read(program, buffer, reader)});
    made = s.operands[0];
    reader = writer;
    buffer = program.tensor(made).buffer;
  }
  return {};
}

std::vector<size_t> OutputAliases::steps() const {
  std::vector<size_t> all;
  for (const Edge& e : edges_)
    for (const Link& link : e.links) all.push_back(link.step);
  return all;
}

bool OutputAliases::make_view(const Edge& edge, const ShapeBinding& binding, TensorView* view) const noexcept {
  *view = binding.steps()[edge.links.front().step].args.in[0];
  for (const Link& link : edge.links) {
    const Args& args = binding.steps()[link.step].args;
    TensorView moved;
    if (!view_of_moved(*args.op, *view, args.out[0], args.dim_attributes, &moved)) return false;
    *view = moved;
  }
  return true;
}

void OutputAliases::find(std::span<const TensorView> out, ShapeBinding& binding) noexcept {
  binding.need_all_steps();
  for (size_t i = 0; i < answers_.size() && i < out.size(); ++i) {
    if (!may_be(i) || out[i].data != nullptr) continue;
    const Edge& edge = edges_[i];
    TensorView moved;
    const TensorView &made = binding.steps()[edge.links.back().step].args.out[0], &mine = binding.outputs()[i];
    if (!make_view(edge, binding, &moved) || made.data != mine.data || made.count() != mine.count()) continue;
    // The output is what the last step makes, or its axes in another order.
    views_[i] = mine;
    views_[i].data = moved.data;
    bool same = true;
    for (int a = 0; a < mine.rank() && same; ++a) {
      if (mine.dims[a] == 1) continue;
      int b = 0;
      while (b < made.rank() && (made.dims[b] != mine.dims[a] || made.strides[b] != mine.strides[a])) ++b;
      same = b < made.rank();
      if (same) views_[i].strides[a] = moved.strides[b];
    }
    if (!same) continue;
    answers_[i] = edge.input;
    // Back from the output: what a step that runs all the same reads is made.
    for (auto link = edge.links.rbegin(); link != edge.links.rend() && !link->read_again; ++link) binding.leave_out(link->step);
  }
}

}  // namespace anydim
