// SPDX-License-Identifier: Apache-2.0
// Binding stage by stage; see shape_binding.h.
#include "core/run/context/shape_binding.h"

#include <algorithm>
#include <limits>

#include "core/base/memory/fetch_ahead.h"
#include "core/run/context/device_context.h"

namespace anydim {

ShapeBinding::ShapeBinding(const Program& program, ArenaPlan plan, bool bounded, const Parallel& parallel, const CallerTensors& caller,
                           const std::vector<std::unique_ptr<ControlRun>>& controls)
    : slots(program, caller.source(), caller.is_body()),
      arena(program, std::move(plan), bounded, parallel),
      program_(program),
      bounded_(bounded),
      parallel_(parallel),
      caller_(caller),
      controls_(controls),
      steps_(program.steps.size()),
      stages_(program.stages.size()),
      buffer_data_(program.buffers.size(), nullptr),
      left_out_(program.edge_copies.size(), 0) {
  const auto ends = [](const Program::EdgeCopy& c) { return c.output; };
  if (std::any_of(program.edge_copies.begin(), program.edge_copies.end(), ends)) uncopied_.resize(program.outputs.size());
}

Status ShapeBinding::prepare(DeviceContext* devices, ReusePolicy policy, SideBySide side_by_side) {
  devices_ = devices;
  reusable_only_ = policy == ReusePolicy::reusable;
  ANYDIM_TRY(views_.prepare(program_));
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Program::Step& s = program_.steps[i];
    const OperandViews::Operands& operands = views_.step(i);
    BoundStep& b = steps_[i];
    b.primitive = program_.primitive(s);
    b.follows = operands.follows;
    b.args.in = operands.in;
    b.args.out = operands.out;
    b.args.post_in = operands.post_in;
    b.args.dim_attributes = slots.attributes(i);
    b.args.parallel = s.engine == 0 ? parallel_ : devices->parallel(s.engine);
    b.scratch = s.kernel() != nullptr && s.engine != 0 ? devices->scratch_bytes(i) : arena.scratch_bytes(i);
    if (b.primitive == nullptr) continue;
    b.primitive->fill_in(&b.args);
    const bool waits = devices != nullptr && devices->waits_before_step(i);
    b.here = s.engine == 0 && !waits && !s.overwrites;
    if (b.here) b.kernel = b.primitive->core()->host_kernel();
  }
  for (const Program::EdgeCopy& c : program_.edge_copies) steps_[static_cast<size_t>(c.step)].here = false;  // it asks leaves_out()
  if (const auto& grouped = arena.plan().grouped) {
    groups_ = std::make_unique<GroupRunner>(program_, *grouped, parallel_, side_by_side);
    groups_->choose(steps_, slots.values());  // with dims of 0, so that the first run finds the code in memory
    groups_->choose_none();
  }
  return {};
}

bool ShapeBinding::is_bound() const noexcept {
  return bound_ && bound_version_ == slots.version() && (reusable_only_ || bound_epoch_ == tier_epoch()) && slots.are_of(caller_.source());
}

Status ShapeBinding::bind() {
  if (slots.are_of(caller_.source())) slots.keep();
  else ANYDIM_TRY(slots.evaluate(caller_.source()));
  // What was bound last stays where these slots and tiers say the same.
  const uint32_t epoch = tier_epoch();
  const bool keep = bound_ && (reusable_only_ || bound_epoch_ == epoch);
  bound_ = false;
  if (!keep)
    for (Stage& s : stages_) s.bound = false;
  ANYDIM_TRY(bind_stage(0, keep));
  bound_epoch_ = epoch;
  bound_version_ = slots.version();
  bound_ = had_shape_ = true;
  return {};
}

std::span<BoundStep> ShapeBinding::steps_of(size_t stage) noexcept {
  const Program::Stage& s = program_.stages[stage];
  return std::span<BoundStep>(steps_.data() + s.first, steps_.data() + s.last);
}

Status ShapeBinding::plan_stage(size_t stage, bool keep, uint64_t changed) {
  const std::span<BoundStep> steps = steps_of(stage);
  for (BoundStep& s : steps) {
    if (&s + 3 < steps.data() + steps.size()) fetch_ahead(&s + 3, sizeof(BoundStep));  // last read a run ago
    if (s.primitive == nullptr) ANYDIM_TRY(plan_without_kernel(static_cast<size_t>(&s - steps_.data())));
    else if (!keep || s.replan || (s.follows & changed) != 0) s.primitive->plan(s.args, &s.plan, reusable_only_);
    s.replan = false;
    *s.scratch = std::max(*s.scratch, s.plan.scratch);
  }
  return {};
}

// Of a branch, a loop or an operator of the host program's, and of a transfer.
Status ShapeBinding::plan_without_kernel(size_t i) {
  const Program::Step& step = program_.steps[i];
  BoundStep& s = steps_[i];
  const auto bytes = [](const TensorView& v) { return saturating_mul(v.count(), dtype_size(v.dtype)); };
  if (const auto* const transfer = step.transfer(); transfer != nullptr) {
    // Bytes go as they are, but for an input in strides that its caller chose.
    s.plan.scratch = same_strides(s.args.in[0], s.args.out[0]) ? 0 : bytes(s.args.in[0]);
    return s.plan.scratch == 0 || transfer->dense >= 0 ? Status()
                                                       : error(Code::internal, "{}: the two sides have other strides", step.label);
  }
  const size_t inputs = s.args.in.size();
  const auto copied = [&](const TensorView& v) { return is_row_major(v) ? 0 : bytes(v); };
  const Control& control = program_.controls[static_cast<size_t>(step.control()->control)];
  s.plan.scratch = control_scratch(
      control, [&](size_t k) { return bytes(s.args.out[k]); },
      [&](size_t k) {
        if (k < inputs) return copied(s.args.in[k]);
        return control.sized_by_step[k - inputs] != 0 ? 0 : copied(s.args.out[k - inputs]);
      });
  return {};
}

// A step of a group that is chosen runs on one thread, with the scratch of its segment.
void ShapeBinding::set_threads_of_groups() noexcept {
  for (size_t g = 0; g < groups_->size(); ++g) {
    const std::vector<StepGroup::Segment>& segments = groups_->group(g).segments;
    const Parallel parallel = groups_->is_chosen(g) ? parallel_.with(1) : parallel_;
    for (size_t k = 0; k < segments.size(); ++k)
      for (const int32_t step : segments[k].steps) {
        BoundStep& s = steps_[static_cast<size_t>(step)];
        if (s.args.parallel.threads() == parallel.threads()) continue;
        s.args.parallel = parallel;
        s.plan.kept = false;
        s.replan = true;
        arena.set_segment(static_cast<size_t>(step), g, groups_->is_chosen(g) ? static_cast<int32_t>(k) : -1);
        s.scratch = arena.scratch_bytes(static_cast<size_t>(step));
      }
  }
}

Status ShapeBinding::bind_stage(size_t stage, bool keep) {
  Stage& mine = stages_[stage];
  const uint64_t changed = views_.follow(stage, slots.values(), !keep) | mine.changed;
  slots.set_attributes(stage);
  ANYDIM_TRY(arena.size_stage(stage, slots.values()));
  if (devices_ != nullptr) devices_->begin_stage(stage);
  if (groups_ != nullptr) {
    groups_->choose(steps_, slots.values());
    set_threads_of_groups();
  }
  ANYDIM_TRY(plan_stage(stage, keep, changed));
  if (groups_ != nullptr && groups_->any() && !arena.has_room_for_groups()) {
    groups_->choose_none();
    set_threads_of_groups();
    ANYDIM_TRY(arena.size_stage(stage, slots.values()));
    ANYDIM_TRY(plan_stage(stage, true, 0));
  }
  if (devices_ != nullptr) ANYDIM_TRY(devices_->place_stage(stage, slots.values()));
  const std::byte* const lay = arena.data();
  ANYDIM_TRY(arena.place_stage(stage, !had_shape_, devices_, groups_ != nullptr && groups_->any()));
  point_to_scratch(stage);
  find_uncopied();
  mine.changed = 0;
  mine.bound = mine.placed = true;
  mine.views_placed = false;
  for (size_t later = stage + 1; later < stages_.size(); ++later) {
    stages_[later].changed |= changed;
    stages_[later].placed = false;
  }
  // What moved is what earlier stages wrote, too.
  for (size_t earlier = 0; earlier < stage && arena.data() != lay; ++earlier) {
    point_to_scratch(earlier);
    stages_[earlier].views_placed = false;
    bind_memory(earlier);
  }
  return {};
}

void ShapeBinding::point_to_scratch(size_t stage) noexcept {
  for (BoundStep& s : steps_of(stage))
    s.args.scratch = s.plan.scratch > 0 ? arena.scratch(static_cast<size_t>(&s - steps_.data())) : nullptr;
}

std::byte* ShapeBinding::result_data(const Program::Buffer& buffer) const noexcept {
  const auto control = static_cast<size_t>(program_.steps[static_cast<size_t>(buffer.index)].control()->control);
  return static_cast<std::byte*>(controls_[control]->results()[static_cast<size_t>(buffer.output)].data);
}

void ShapeBinding::bind_memory(size_t stage) noexcept {
  arena.point_buffers(stage, buffer_data_);
  const std::vector<Program::Buffer>& buffers = program_.buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    using Kind = Program::Buffer::Kind;
    const auto index = static_cast<size_t>(buffers[b].index);
    if (buffers[b].kind == Kind::input) buffer_data_[b] = static_cast<std::byte*>(caller_.input(index).data);
    else if (buffers[b].kind == Kind::output && caller_.is_direct(index)) buffer_data_[b] = caller_.direct_data(index);
    else if (buffers[b].kind == Kind::result) buffer_data_[b] = result_data(buffers[b]);
  }
  leave_out_copies();
  views_.place(stage, buffer_data_, slots.values(), !stages_[stage].views_placed);
  stages_[stage].views_placed = true;
}

// --- copies at the edges ------------------------------------------------------------------------------------------------

void ShapeBinding::find_uncopied() noexcept {
  for (const Program::EdgeCopy& c : program_.edge_copies) {
    if (!c.output) continue;
    const Args& args = steps_[static_cast<size_t>(c.step)].args;
    TensorView& mine = uncopied_[static_cast<size_t>(c.edge)] = args.out[0];
    for (int i = 0; i < mine.rank(); ++i) mine.strides[i] = args.in[0].strides[c.axes[i]];
    if (value_of(program_.buffer(c.buffer).elements, slots.values()) != mine.count()) mine.dtype = DType::none;
  }
}

// Are the elements of an input where their copy would have them, seen from the first one?
static bool lies_as_copied(const Program::EdgeCopy& c, const TensorView& from, const TensorView& to) noexcept {
  if (c.axes.empty()) return is_row_major(from) && is_row_major(to);
  for (int i = 0; i < to.rank(); ++i)
    if (to.dims[i] != 1 && from.strides[c.axes[i]] != to.strides[i]) return false;
  return true;
}

void ShapeBinding::leave_out_copies() noexcept {
  for (size_t k = 0; k < left_out_.size(); ++k) {
    const Program::EdgeCopy& c = program_.edge_copies[k];
    const auto edge = static_cast<size_t>(c.edge), buffer = static_cast<size_t>(c.buffer);
    if (c.output) {
      left_out_[k] = caller_.is_uncopied(edge) ? 1 : 0;
      if (left_out_[k] != 0) buffer_data_[buffer] = caller_.direct_data(edge);
      continue;
    }
    const Args& args = steps_[static_cast<size_t>(c.step)].args;
    const bool same = args.out[0].count() > 0 && lies_as_copied(c, args.in[0], args.out[0]);
    left_out_[k] = same ? 1 : 0;
    if (same) buffer_data_[buffer] = static_cast<std::byte*>(caller_.input(edge).data);
  }
}

bool ShapeBinding::leaves_out(size_t step) const noexcept {
  if (std::find(not_needed_.begin(), not_needed_.end(), step) != not_needed_.end()) return true;
  for (size_t k = 0; k < left_out_.size(); ++k)
    if (left_out_[k] != 0 && static_cast<size_t>(program_.edge_copies[k].step) == step) return true;
  return false;
}

const Program::EdgeCopy* ShapeBinding::left_out_at(int32_t buffer) const noexcept {
  for (size_t k = 0; k < left_out_.size(); ++k)
    if (left_out_[k] != 0 && program_.edge_copies[k].buffer == buffer) return &program_.edge_copies[k];
  return nullptr;
}

// --- later stages ------------------------------------------------------------------------------------------------------

Status ShapeBinding::enter(size_t stage) {
  Stage& mine = stages_[stage];
  bool same = mine.bound && mine.placed && mine.changed == 0;
  const bool keep = mine.bound;
  mine.bound = false;
  if (devices_ != nullptr) ANYDIM_TRY(devices_->wait_before_stage(stage));
  ANYDIM_TRY(read_sizes(stage, &same));
  if (same) {
    mine.bound = true;
    return {};
  }
  ANYDIM_TRY(slots.evaluate_stage(stage));
  return bind_stage(stage, keep);
}

Status ShapeBinding::read_sizes(size_t stage, bool* same) {
  const std::vector<Program::SizeRead>& reads = program_.stages[stage].reads;
  for (size_t k = 0; k < reads.size(); ++k) {
    int64_t size = 0;
    ANYDIM_TRY(size_of(reads[k], views_.reads(stage)[k], &size));
    *same = slots.set_size(stage, k, size) && *same;
  }
  return {};
}

// What a result says: a dim of it, or an element.
Status ShapeBinding::size_of(const Program::SizeRead& read, const TensorView& from, int64_t* size) const {
  if (read.axis >= 0) {
    const auto control = static_cast<size_t>(program_.steps[static_cast<size_t>(read.step)].control()->control);
    *size = controls_[control]->results()[static_cast<size_t>(read.output)].dims[read.axis];
    return {};
  }
  const std::string& name = program_.tensor(read.tensor).name;
  if (read.element >= from.count())
    return error(Code::internal, "'{}' has {} elements; a size is element {}", name, from.count(), read.element);
  *size = integer_at(from, read.element);
  int64_t least = program_.dims.interval(read.symbol).min, most = value_of(read.most, slots.values());
  // A number without bounds may lie beyond every size: a slice's end that means "to the end", as an input may hold it too.
  if (least == -kMaxSize) least = std::numeric_limits<int64_t>::min();
  if (most == kMaxSize || (most == kBadSlot && !bounded_)) most = std::numeric_limits<int64_t>::max();
  if (*size >= least && *size <= most && *size != kBadSlot) return {};
  return error(Code::invalid_data, "element {} of '{}' is {}; as a size it is {} to {}", read.element, name, *size, least, most);
}

}  // namespace anydim
