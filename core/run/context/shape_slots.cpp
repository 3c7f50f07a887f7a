// SPDX-License-Identifier: Apache-2.0
// Evaluating slots, and the guards that hold of them; see shape_slots.h.
#include "core/run/context/shape_slots.h"

#include <algorithm>

#include "core/program/accepted_sizes.h"
#include "core/tensor/memory_order.h"

namespace anydim {

ShapeSlots::ShapeSlots(const Program& p, const ShapeSource& source, bool body)
    : program_(p), body_(body), stages_(p.stages.size()), source_(source), of_last_run_(source) {
  const auto check_dims_of = [&](int32_t tensor) {
    if (tensor == Program::kNoTensor) return;
    for (Dim d : p.tensor(tensor).dims)
      if (!d.is_number()) stages_[static_cast<size_t>(p.stage_of(d))].checked_dims.push_back(d.expr());
  };
  for (const Program::Step& s : p.steps) {
    first_attributes_.push_back(attribute_dims_.size());
    attribute_dims_.insert(attribute_dims_.end(), s.dim_attributes.begin(), s.dim_attributes.end());
    std::for_each(s.operands.begin(), s.operands.end(), check_dims_of);
  }
  first_attributes_.push_back(attribute_dims_.size());
  std::for_each(p.results.begin(), p.results.end(), check_dims_of);
  attributes_.resize(attribute_dims_.size());
  for (size_t s = 0; s < stages_.size(); ++s) {
    std::vector<int32_t>& dims = stages_[s].checked_dims;
    std::sort(dims.begin(), dims.end());
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
    stages_[s].sizes.assign(p.stages[s].reads.size(), kBadSlot);
  }
  // A slot that the code does not fill has no value, for whoever should read it.
  values_.assign(static_cast<size_t>(p.slots()), kBadSlot);
  assigned_.assign(values_.size(), 0);
}

Status ShapeSlots::evaluate(const ShapeSource& source) {
  std::copy(source.in.begin(), source.in.end(), source_.in.begin());
  source_.content = source.content;
  source_.parameters = source.parameters;
  source_.rooms = source.rooms;
  ++version_;
  valid_ = between_runs_ = false;
  ANYDIM_TRY(evaluate_inputs());
  ANYDIM_TRY(check(0));
  valid_ = true;
  return {};
}

Status ShapeSlots::evaluate_between_runs(const ShapeSource& source) {
  if (!between_runs_) std::swap(source_, of_last_run_);
  Status status = evaluate(source);
  between_runs_ = true;
  return status;
}

void ShapeSlots::restore() noexcept {
  if (!between_runs_) return;
  std::swap(source_, of_last_run_);
  between_runs_ = false;
  valid_ = evaluate_inputs().ok();  // it was so before
  for (size_t s = 1; s < stages_.size(); ++s) {
    const Program::Stage& stage = program_.stages[s];
    for (size_t k = 0; k < stage.reads.size(); ++k) values_[static_cast<size_t>(stage.reads[k].symbol.expr())] = stages_[s].sizes[k];
    stage.code.run(values_);
  }
}

bool ShapeSlots::set_size(size_t stage, size_t read, int64_t size) noexcept {
  const bool same = stages_[stage].sizes[read] == size;
  stages_[stage].sizes[read] = values_[static_cast<size_t>(program_.stages[stage].reads[read].symbol.expr())] = size;
  return same;
}

Status ShapeSlots::evaluate_stage(size_t stage) {
  program_.stages[stage].code.run(values_);
  return check(stage);
}

std::span<const Dim> ShapeSlots::attribute_dims(size_t stage) const noexcept {
  const auto of_step = [&](int32_t step) { return first_attributes_[static_cast<size_t>(step)]; };
  const size_t first = of_step(program_.stages[stage].first), last = of_step(program_.stages[stage].last);
  return std::span<const Dim>(attribute_dims_).subspan(first, last - first);
}

void ShapeSlots::set_attributes(size_t stage) noexcept {
  const std::span<const Dim> dims = attribute_dims(stage);
  int64_t* to = attributes_.data() + (dims.data() - attribute_dims_.data());
  for (const Dim d : dims) *to++ = value_of(d, values_);
}

Status ShapeSlots::evaluate_inputs() {
  const Program& p = program_;
  const std::vector<TensorView>& in = source_.in;
  std::vector<int64_t>& slots = values_;
  std::fill(assigned_.begin(), assigned_.end(), 0);
  const std::vector<Program::IoSpec>& inputs = p.inputs;
  for (size_t k = 0; k < source_.parameters.size(); ++k) {
    const auto s = static_cast<size_t>(p.parameters[k].expr());
    slots[s] = source_.parameters[k];
    assigned_[s] = 1;
  }
  for (size_t i = 0; i < in.size(); ++i)
    for (int d = 0; d < in[i].dims.rank; ++d) {
      const auto stride = static_cast<size_t>(inputs[i].strides[d].expr());
      slots[stride] = in[i].strides[d];
      const Dim dim = inputs[i].dims[d];
      if (dim.is_number() || p.dims.expr(dim.expr()).op != DimOp::symbol) continue;
      const auto s = static_cast<size_t>(dim.expr());
      if (assigned_[s] && slots[s] != in[i].dims[d])
        return invalid("input '{}' dim {} ({}) is {}; an earlier dim of that name is {}", inputs[i].name, d,
                       inputs[i].dim_text[static_cast<size_t>(d)], in[i].dims[d], slots[s]);
      slots[s] = in[i].dims[d];
      assigned_[s] = 1;
    }
  for (size_t i = 0; i < in.size(); ++i) {
    if (inputs[i].dense_strides.empty()) continue;
    const Strides dense = dense_strides(in[i].dims, order_in_memory(in[i]));
    for (int d = 0; d < dense.rank; ++d) slots[static_cast<size_t>(inputs[i].dense_strides[d].expr())] = dense[d];
  }
  for (size_t k = 0; k < source_.content.size(); ++k) slots[static_cast<size_t>(p.input_elements[k].symbol.expr())] = source_.content[k];
  for (size_t i = 0; i < p.outputs.size(); ++i)
    if (p.outputs[i].cache >= 0) slots[static_cast<size_t>(p.outputs[i].room.expr())] = source_.rooms[i];
  p.stages[0].code.run(slots);
  for (size_t i = 0; i < in.size(); ++i)
    for (int d = 0; d < in[i].dims.rank; ++d)
      if (value_of(inputs[i].dims[d], slots) != in[i].dims[d])
        return invalid("input '{}' dim {} is {}; {} gives {}", inputs[i].name, d, in[i].dims[d], inputs[i].dim_text[static_cast<size_t>(d)],
                       value_of(inputs[i].dims[d], slots));
  return {};
}

// "'a' 2x3, 'b' 2x4"; of a model of many inputs the first few.
std::string ShapeSlots::inputs_text() const {
  constexpr size_t kMost = 8;
  const std::vector<TensorView>& in = source_.in;
  std::string text;
  for (size_t i = 0; i < in.size() && i < kMost; ++i)
    text += formatted("{}'{}' {}", i > 0 ? ", " : "", program_.inputs[i].name, to_string(in[i].dims));
  return in.empty() ? "none" : in.size() > kMost ? text + ", ..." : text;
}

std::string ShapeSlots::instead(size_t stage, Dim refused) const {
  return stage > 0 || body_ ? std::string() : accepted_sizes(program_, values_, refused, stages_[0].checked_dims);
}

Status ShapeSlots::refused(size_t stage, const Program::Guard& guard) const {
  const Program& p = program_;
  // Whether the format allows it is no part of the code, which every new shape pays for.
  std::vector<int64_t> values = values_;
  values.resize(static_cast<size_t>(p.dims.size()), kBadSlot);
  SlotProgram(p.dims, {&guard.allowed, 1}).run(values);
  const Code code = value_of(guard.allowed, values) == 1 ? Code::unimplemented : Code::invalid_argument;
  // With its type, if it is more than a view.
  const auto step = std::find_if(p.steps.begin(), p.steps.end(), [&](const Program::Step& s) { return s.name == guard.step; });
  return error(code, "{}node '{}' cannot run at these dims: {}; the inputs are {}", instead(stage, guard.condition),
               step != p.steps.end() ? step->label : guard.step, guard.message, inputs_text())
      .in_node(guard.step);
}

Status ShapeSlots::negative(size_t stage, int32_t slot) const {
  const Program& p = program_;
  const int64_t value = values_[static_cast<size_t>(slot)];
  for (const Program::Step& step : p.steps)
    for (int32_t t : step.operands) {
      if (t == Program::kNoTensor) continue;
      for (Dim d : p.tensor(t).dims)
        if (!d.is_number() && d.expr() == slot)
          return invalid("{}node '{}' cannot run at these dims: '{}' would have a dim {} of {}", instead(stage, d), step.label,
                         p.tensor(t).name, p.dims.text(d), value == kBadSlot ? "no value" : std::to_string(value))
              .in_node(step.name);
    }
  return invalid("a dim {} has no value at these dims", p.dims.text(Dim::expression(slot)));
}

Status ShapeSlots::check(size_t stage) const {
  const Program& p = program_;
  for (const Program::Guard& guard : p.stages[stage].guards)
    if (value_of(guard.condition, values_) != 1) return refused(stage, guard);
  for (int32_t s : stages_[stage].checked_dims)
    if (values_[static_cast<size_t>(s)] < 0) return negative(stage, s);
  const auto no_value = [&](Dim d) { return value_of(d, values_) == kBadSlot; };
  const std::span<const Dim> attributes = attribute_dims(stage);
  if (std::none_of(attributes.begin(), attributes.end(), no_value)) return {};
  for (const Program::Step& step : p.steps)
    if (const auto d = std::find_if(step.dim_attributes.begin(), step.dim_attributes.end(), no_value); d != step.dim_attributes.end())
      return error(Code::unimplemented, "node '{}' cannot run at these dims: {} leaves the 64-bit integers", step.label, p.dims.text(*d))
          .in_node(step.name);
  return {};
}

}  // namespace anydim
