// SPDX-License-Identifier: Apache-2.0
// Binding a context to a shape: dims, guards, plans and places of each stage; see context.h.
#include <algorithm>

#include "core/base/memory/fetch_ahead.h"
#include "core/dispatch/observe/observe.h"
#include "core/program/accepted_sizes.h"
#include "core/run/context/context.h"
#include "core/run/context/device_context.h"

namespace anydim {

Status Context::evaluate(std::vector<int64_t>& slots) {
  const Program& p = *program_;
  std::fill(assigned_.begin(), assigned_.end(), 0);
  const std::vector<Program::IoSpec>& inputs = p.inputs;
  for (size_t k = 0; k < parameters_.size(); ++k) {
    const auto s = static_cast<size_t>(p.parameters[k].expr());
    slots[s] = parameters_[k];
    assigned_[s] = 1;
  }
  for (size_t i = 0; i < in_.size(); ++i)
    for (int d = 0; d < in_[i].dims.rank; ++d) {
      const auto stride = static_cast<size_t>(inputs[i].strides[d].expr());
      slots[stride] = in_[i].strides[d];
      const Dim dim = inputs[i].dims[d];
      if (dim.is_number() || p.dims.expr(dim.expr()).op != DimOp::symbol) continue;
      const auto s = static_cast<size_t>(dim.expr());
      if (assigned_[s] && slots[s] != in_[i].dims[d])
        return invalid("input '{}' dim {} ({}) is {}; an earlier dim of that name is {}", inputs[i].name, d,
                       inputs[i].dim_text[static_cast<size_t>(d)], in_[i].dims[d], slots[s]);
      slots[s] = in_[i].dims[d];
      assigned_[s] = 1;
    }
  for (size_t k = 0; k < content_.size(); ++k) slots[static_cast<size_t>(p.input_elements[k].symbol.expr())] = content_[k];
  for (const size_t i : cache_outputs_) slots[static_cast<size_t>(p.outputs[i].room.expr())] = rooms_[i];
  p.stages[0].code.run(slots);
  for (size_t i = 0; i < in_.size(); ++i)
    for (int d = 0; d < in_[i].dims.rank; ++d)
      if (value_of(inputs[i].dims[d], slots) != in_[i].dims[d])
        return invalid("input '{}' dim {} is {}; {} gives {}", inputs[i].name, d, in_[i].dims[d],
                       inputs[i].dim_text[static_cast<size_t>(d)], value_of(inputs[i].dims[d], slots));
  return check_stage(0, slots);
}

// "'a' 2x3, 'b' 2x4"; of a model of many inputs the first few.
std::string Context::inputs_text() const {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < in_.size() && i < kMost; ++i)
    text += formatted("{}'{}' {}", i > 0 ? ", " : "", program_->inputs[i].name, to_string(in_[i].dims));
  return in_.empty() ? "none" : in_.size() > kMost ? text + ", ..." : text;
}

Status Context::check_stage(size_t stage, std::span<const int64_t> slots) const {
  const Program& p = *program_;
  // What a caller can change: sizes of a body, and those that a run finds, are no caller's.
  const auto instead = [&](Dim refused) {
    return stage > 0 || body_ ? std::string() : accepted_sizes(p, slots, refused, stages_[0].checked_dims);
  };
  for (const Program::Guard& guard : p.stages[stage].guards) {
    if (value_of(guard.condition, slots) == 1) continue;
    // Whether the format allows it is no part of the code, which every new shape pays for.
    std::vector<int64_t> values(slots.begin(), slots.end());
    values.resize(static_cast<size_t>(p.dims.size()), kBadSlot);
    SlotProgram(p.dims, {&guard.allowed, 1}).run(values);
    const Code code = value_of(guard.allowed, values) == 1 ? Code::unimplemented : Code::invalid_argument;
    // With its type, if it is more than a view.
    const auto step = std::find_if(p.steps.begin(), p.steps.end(), [&](const Program::Step& s) { return s.name == guard.step; });
    return error(code, "{}node '{}' cannot run at these dims: {}; the inputs are {}", instead(guard.condition),
                 step != p.steps.end() ? step->label : guard.step, guard.message, inputs_text())
        .in_node(guard.step);
  }
  for (int32_t s : stages_[stage].checked_dims) {
    if (slots[static_cast<size_t>(s)] >= 0) continue;
    for (const Program::Step& step : p.steps)
      for (int32_t t : step.operands) {
        if (t == Program::kNoTensor) continue;
        for (Dim d : p.tensor(t).dims)
          if (!d.is_number() && d.expr() == s)
            return invalid("{}node '{}' cannot run at these dims: '{}' would have a dim {} of {}", instead(d), step.label, p.tensor(t).name,
                           p.dims.text(d),
                           slots[static_cast<size_t>(s)] == kBadSlot ? "no value" : std::to_string(slots[static_cast<size_t>(s)]))
                .in_node(step.name);
      }
    return invalid("a dim {} has no value at these dims", p.dims.text(Dim::expression(s)));
  }
  const auto no_value = [&](Dim d) { return value_of(d, slots) == kBadSlot; };
  const auto attributes = attribute_dims_.begin();
  const size_t before = stage == 0 ? 0 : stages_[stage - 1].attributes;
  if (std::any_of(attributes + static_cast<std::ptrdiff_t>(before), attributes + static_cast<std::ptrdiff_t>(stages_[stage].attributes),
                  no_value))
    for (const Program::Step& step : p.steps)
      if (const auto d = std::find_if(step.dim_attributes.begin(), step.dim_attributes.end(), no_value); d != step.dim_attributes.end())
        return error(Code::unimplemented, "node '{}' cannot run at these dims: {} leaves the 64-bit integers", step.label, p.dims.text(*d))
            .in_node(step.name);
  return {};
}

Status Context::bind_shape() {
  // What was bound last stays where these slots and tiers say the same.
  const uint32_t epoch = tier_epoch();
  const bool keep = bound_ && (policy_.policy == ReusePolicy::reusable || bound_epoch_ == epoch);
  bound_ = ran_ = false;
  bound_epoch_ = epoch;
  if (!keep)
    for (BoundStage& s : stages_) s.bound = false;
  // Who asked for the dims of the outputs just now had these slots evaluated. Sizes that a run reads are in slots_ alone.
  if (probed_ && stages_.size() == 1 && is_origin(probe_slots_of_)) std::copy(probe_slots_.begin(), probe_slots_.end(), slots_.begin());
  else ANYDIM_TRY(evaluate(slots_));
  ANYDIM_TRY(bind_stage(0, keep));
  set_origin(&slots_of_);
  bound_ = had_shape_ = true;
  return {};
}

Status Context::bind_stage(size_t stage, bool keep) {
  const Program::Stage& here = program_->stages[stage];
  const ArenaPlan::Entries& entries = arena_plan_.stages[stage];
  const bool reusable_only = policy_.policy == ReusePolicy::reusable;
  const std::span<const int64_t> slots(slots_);
  const uint64_t changed = views_.follow(stage, slots, !keep) | stages_[stage].changed;
  for (size_t i = stage == 0 ? 0 : stages_[stage - 1].attributes; i < stages_[stage].attributes; ++i)
    attributes_[i] = value_of(attribute_dims_[i], slots);
  for (size_t i = entries.first; i < entries.scratch; ++i) {
    const int64_t n = value_of(extents_[i].elements, slots);
    if (n < 0)
      return error(Code::out_of_memory, "a tensor of {} elements is larger than any address space",
                   program_->dims.text(extents_[i].elements));
    bytes_[i] = saturating_mul(n, extents_[i].element);
  }
  std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(entries.scratch), bytes_.begin() + static_cast<std::ptrdiff_t>(entries.last), 0);
  const std::span<BoundStep> steps(steps_.data() + here.first, steps_.data() + here.last);
  if (devices_ != nullptr) devices_->begin_stage(stage);
  for (BoundStep& s : steps) {
    if (&s + 3 < steps.data() + steps.size()) fetch_ahead(&s + 3, sizeof(BoundStep));  // last read a run ago
    if (s.primitive == nullptr) ANYDIM_TRY(plan_without_kernel(static_cast<size_t>(&s - steps_.data())));
    else if (!keep || (s.follows & changed) != 0) s.primitive->plan(s.args, &s.plan, reusable_only);
    *s.scratch = std::max(*s.scratch, s.plan.scratch);
  }
  if (devices_ != nullptr) ANYDIM_TRY(devices_->place_stage(stage, slots_));
  const int64_t live = stage == 0 ? 0 : std::min(used_bytes_, arena_.size());
  const int64_t used = arena_plan_.plan.place_stage(stage, bytes_, places_);
  used_bytes_ = std::max(live, used);
  const std::byte* const lay = arena_.data();
  if (const int64_t room = bounded_ ? arena_plan_.bytes : arena_.size(); used_bytes_ > room) {
    if (bounded_) return error(Code::internal, "this shape needs {} bytes, more than the {} that were bounded", used_bytes_, room);
    const int64_t before = arena_.size();
    if (devices_ != nullptr && stage > 0) ANYDIM_TRY(devices_->finish());  // transfers know where it is
    // Many contexts meet one shape only, or the largest one first.
    ANYDIM_TRY(had_shape_ || stage > 0 ? arena_.grow(used_bytes_, parallel_, live) : arena_.fit(used_bytes_, parallel_));
    ++growth_events_;
    if (observe::wants(observe::kTrace)) observe::grew("a context", before, arena_.size());
  }
  point_to_scratch(stage);
  stages_[stage].changed = 0;
  stages_[stage].bound = stages_[stage].placed = true;
  stages_[stage].views_placed = false;
  for (size_t later = stage + 1; later < stages_.size(); ++later) {
    stages_[later].changed |= changed;
    stages_[later].placed = false;
  }
  // What moved is what earlier stages wrote, too.
  for (size_t earlier = 0; earlier < stage && arena_.data() != lay; ++earlier) {
    point_to_scratch(earlier);
    stages_[earlier].views_placed = false;
    bind_memory(earlier);
  }
  return {};
}

void Context::point_to_scratch(size_t stage) noexcept {
  const Program::Stage& here = program_->stages[stage];
  for (BoundStep& s : std::span<BoundStep>(steps_.data() + here.first, steps_.data() + here.last))
    s.args.scratch = s.plan.scratch > 0 ? arena_.data() + places_[s.region].offset : nullptr;
}

void Context::bind_memory(size_t stage) noexcept {
  const ArenaPlan::Entries& entries = arena_plan_.stages[stage];
  for (size_t i = entries.first; i < entries.scratch; ++i)
    buffer_data_[static_cast<size_t>(arena_plan_.buffers[i])] = arena_.data() + places_[i].offset;
  const std::vector<Program::Buffer>& buffers = program_->buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const auto index = static_cast<size_t>(buffers[b].index);
    if (buffers[b].kind == Program::Buffer::Kind::input) buffer_data_[b] = static_cast<std::byte*>(in_[index].data);
    else if (buffers[b].kind == Program::Buffer::Kind::output && output_direct_[index]) buffer_data_[b] = output_data_[index];
    else if (buffers[b].kind == Program::Buffer::Kind::result) buffer_data_[b] = result_data(buffers[b]);
  }
  views_.place(stage, buffer_data_, slots_, !stages_[stage].views_placed);
  stages_[stage].views_placed = true;
}

}  // namespace anydim
