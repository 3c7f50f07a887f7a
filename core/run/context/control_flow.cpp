// SPDX-License-Identifier: Apache-2.0
// See control_flow.h. A carried value whose dims stay alternates between two places, the step's result and a part of its scratch; one whose
// dims change is copied out of the body's memory, which the next iteration writes again.
#include "core/run/context/control_flow.h"

#include <algorithm>

#include "core/run/context/context.h"
#include "core/run/context/copy_elements.h"

namespace anydim {
namespace {

bool truth(const TensorView& t) noexcept { return t.data != nullptr && *t.as<uint8_t>() != 0; }

TensorView without_axis(const TensorView& t, int axis) noexcept {
  TensorView v{t.data, t.dtype, {}, {}};
  for (int a = 0; a < t.dims.rank; ++a) {
    if (a == axis) continue;
    v.dims.push_back(t.dims[a]);
    v.strides.push_back(t.strides[a]);
  }
  return v;
}

void move_by(TensorView* v, int64_t elements) noexcept { v->data = static_cast<std::byte*>(v->data) + elements * dtype_size(v->dtype); }

int64_t bytes_of(const Dims& dims, DType dtype) noexcept { return saturating_mul(element_count(dims), dtype_size(dtype)); }

}  // namespace

ControlRun::~ControlRun() = default;

ControlRun::ControlRun(const Program& program, const Program::Step& step, const Parallel& parallel)
    : program_(program), step_(step), control_(program.controls[static_cast<size_t>(step.control()->control)]), parallel_(parallel) {}

Status ControlRun::create(const Program& program, const Program::Step& step, const ContextOptions& options, ControlPlan* plan,
                          std::byte* memory, std::unique_ptr<ControlRun>* out) {
  std::unique_ptr<ControlRun> r(new ControlRun(program, step, options.parallel));
  size_t inputs = 0, outputs = 0, parameters = 0;
  for (size_t b = 0; b < r->control_.bodies.size(); ++b) {
    const Body& body = r->control_.bodies[b];
    inputs = std::max(inputs, body.inputs.size());
    outputs = std::max(outputs, body.program->outputs.size());
    parameters = std::max(parameters, body.parameters.size());
    BodyPlan* const planned = plan ? plan->bodies[b].get() : nullptr;
    ANYDIM_TRY(Context::create_body(body.program, options, planned, memory, &r->bodies_.emplace_back()).at(step.label));
  }
  r->in_.resize(std::max(inputs, r->control_.host_inputs.size()));
  r->out_.resize(r->control_.kind == Control::Kind::host ? static_cast<size_t>(step.outputs) : outputs);
  r->parameters_.resize(parameters);
  r->carried_.resize(r->control_.carried());
  r->results_.resize(static_cast<size_t>(step.outputs));
  r->stores_ = std::vector<Store>(static_cast<size_t>(step.outputs));
  if (plan) r->most_ = plan->most;
  for (size_t i = 0; plan && i < r->stores_.size(); ++i) r->stores_[i].arena.borrow(memory + plan->places[i], plan->stores[i]);
  r->run_time_axes_.assign(r->control_.stacks.size(), 0);
  r->host_run_time_axes_.assign(static_cast<size_t>(step.outputs), 0);
  for (const Program::Stage& stage : program.stages)
    for (const Program::SizeRead& read : stage.reads) {
      if (read.axis < 0 || &program.steps[static_cast<size_t>(read.step)] != &step) continue;
      r->host_run_time_axes_[static_cast<size_t>(read.output)] |= uint32_t{1} << read.axis;
      const auto s = static_cast<size_t>(read.output) - r->control_.carried();
      if (s < r->control_.stacks.size()) r->run_time_axes_[s] |= uint32_t{1} << read.axis;
    }
  *out = std::move(r);
  return {};
}

int64_t ControlRun::arena_bytes() const noexcept {
  int64_t sum = 0;
  for (const auto& b : bodies_) sum += b->binding().arena.borrowed() ? 0 : b->arena_bytes();
  for (const Store& s : stores_) sum += s.arena.borrowed() ? 0 : s.arena.size();
  return sum;
}

PageUse ControlRun::pages() const noexcept {
  PageUse sum;
  for (const auto& b : bodies_) sum += b->pages();
  for (const Store& s : stores_) sum += s.arena.pages();
  return sum;
}

int64_t ControlRun::growth_events() const noexcept {
  int64_t sum = 0;
  for (const auto& b : bodies_) sum += b->growth_events();
  for (const Store& s : stores_) sum += s.growths;
  return sum;
}

Status ControlRun::Store::fit(int64_t bytes, int64_t keep, const Parallel& parallel) {
  if (bytes <= arena.size()) return {};
  if (bytes >= kMaxSize) return error(Code::out_of_memory, "a result is larger than any address space");
  if (arena.borrowed()) return error(Code::internal, "a result needs {} bytes, more than the {} that were bounded", bytes, arena.size());
  ++growths;
  return arena.grow(std::max(bytes, keep > 0 ? 2 * arena.size() : bytes), parallel, keep);
}

Status ControlRun::run(const Call& call) {
  switch (control_.kind) {
    case Control::Kind::branch: return branch(call);
    case Control::Kind::loop: return loop(call);
    case Control::Kind::host: break;
  }
  return host(call).at(step_.label);
}

Status ControlRun::run_body(size_t b, const Call& call) {
  const Body& body = control_.bodies[b];
  for (size_t i = 0; i < body.parameters.size(); ++i) parameters_[i] = call.sizes[static_cast<size_t>(body.parameters[i])];
  return bodies_[b]->run_as_body({in_.data(), body.inputs.size()}, {out_.data(), body.program->outputs.size()},
                                 {parameters_.data(), body.parameters.size()}, call.stop, call.profile);
}

Status ControlRun::copy(size_t output, const TensorView& from, const TensorView& to) const {
  return copy_tensor(*control_.bodies[0].program->output_copies[output], from, to, parallel_);
}

// --- branches --------------------------------------------------------------------------------------------------------

Status ControlRun::branch(const Call& call) {
  if (call.in[0].count() != 1)
    return error(Code::invalid_argument, "{}: the condition has {} elements; expected 1", step_.label, call.in[0].count());
  const size_t b = truth(call.in[0]) ? 0 : 1;
  const Body& body = control_.bodies[b];
  bodies_[1 - b]->pass_by();
  for (size_t i = 0; i < body.inputs.size(); ++i) in_[i] = call.in[static_cast<size_t>(body.inputs[i].index)];
  for (size_t i = 0; i < results_.size(); ++i) {
    out_[i] = call.out[i];
    if (control_.sized_by_step[i] != 0) out_[i].data = nullptr;
  }
  ANYDIM_TRY(run_body(b, call));
  for (size_t i = 0; i < results_.size(); ++i) results_[i] = out_[i];
  return {};
}

// --- operators of the host program's -----------------------------------------------------------------------------------

// Dims of results that only now can be determined, and memory for these.
Status ControlRun::size_host_results(const Call& call) {
  out_.assign(results_.size(), {});
  ANYDIM_TRY(control_.host->infer({in_.data(), control_.host_inputs.size()}, out_));
  for (size_t i = 0; i < results_.size(); ++i) {
    const TensorView& expected = call.out[i];
    TensorView& found = out_[i];
    const std::string& name = program_.tensor(step_.operands[static_cast<size_t>(step_.inputs) + i]).name;
    if (found.dtype != expected.dtype || found.rank() != expected.rank())
      return error(Code::invalid_data, "its rule of shapes gives '{}' as {} of rank {}; when the model was loaded it was {} of rank {}",
                   name, dtype_name(found.dtype), found.rank(), dtype_name(expected.dtype), expected.rank());
    for (int a = 0; a < found.rank(); ++a) {
      if (found.dims[a] < 0) return error(Code::invalid_data, "its rule of shapes gives no dim {} of '{}' in a run", a, name);
      const bool run_time = control_.sized_by_step[i] != 0 && host_run_time_axes_[i] >> a & 1;
      if (!run_time && found.dims[a] != expected.dims[a])
        return error(Code::invalid_data, "its rule of shapes gives {} as dim {} of '{}'; when the model was loaded it was a dim that is {}",
                     found.dims[a], a, name, expected.dims[a]);
      if (run_time && !most_.empty() && found.dims[a] > most_[i][a].max)
        return error(Code::out_of_bounds,
                     "its rule of shapes gives {} as dim {} of '{}'; of the largest inputs within the bounds it was {}", found.dims[a], a,
                     name, most_[i][a].max);
    }
    found.strides = dense_strides(found.dims);
    if (control_.sized_by_step[i] == 0) continue;
    ANYDIM_TRY(stores_[i].fit(bytes_of(found.dims, found.dtype), 0, parallel_));
    found.data = stores_[i].arena.data();
  }
  return {};
}

Status ControlRun::host(const Call& call) {
  std::byte* scratch = call.scratch;
  const auto dense = [&](TensorView v) {
    v.data = scratch;
    v.strides = dense_strides(v.dims);
    scratch += round_up(bytes_of(v.dims, v.dtype), kBufferAlignment);
    return v;
  };
  for (size_t i = 0; i < control_.host_inputs.size(); ++i) {
    const int32_t operand = control_.host_inputs[i];
    in_[i] = operand >= 0 ? call.in[static_cast<size_t>(operand)] : TensorView{};
    if (is_row_major(in_[i])) continue;
    const TensorView copy = dense(in_[i]);
    copy_elements(in_[i], copy);
    in_[i] = copy;
  }
  const bool run_time = std::find(control_.sized_by_step.begin(), control_.sized_by_step.end(), 1) != control_.sized_by_step.end();
  if (run_time) ANYDIM_TRY(size_host_results(call));
  for (size_t i = 0; i < results_.size(); ++i)
    if (control_.sized_by_step[i] == 0) out_[i] = is_row_major(call.out[i]) ? call.out[i] : dense(call.out[i]);
  ANYDIM_TRY(control_.host->run({in_.data(), control_.host_inputs.size()}, out_));
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i] = out_[i];
    if (control_.sized_by_step[i] != 0 || out_[i].data == call.out[i].data) continue;
    copy_elements(out_[i], call.out[i]);
    results_[i] = call.out[i];
  }
  return {};
}

// --- loops -----------------------------------------------------------------------------------------------------------

Status ControlRun::count_iterations(const Call& call, int64_t* most) const {
  *most = kMaxSize;
  if (control_.count >= 0) {
    const TensorView& count = call.in[static_cast<size_t>(control_.count)];
    if (count.count() != 1)
      return error(Code::invalid_argument, "{}: the trip count has {} elements; expected 1", step_.label, count.count());
    *most = std::max<int64_t>(*count.as<int64_t>(), 0);
  }
  for (size_t k = 0; k < control_.slices.size(); ++k) {
    const Control::Slice& s = control_.slices[k];
    const int64_t length = call.in[static_cast<size_t>(s.operand)].dims[s.axis];
    if (k > 0 && length != *most)
      return error(Code::invalid_argument, "{}: input {} has {} elements along its axis {}, the one before {}; expected as many",
                   step_.label, s.operand, length, s.axis, *most);
    *most = length;
  }
  if (control_.condition >= 0) {
    const TensorView& first = call.in[static_cast<size_t>(control_.condition)];
    if (first.count() != 1)
      return error(Code::invalid_argument, "{}: the condition has {} elements; expected 1", step_.label, first.count());
    if (!truth(first)) *most = 0;
  }
  return {};
}

void ControlRun::feed(const Call& call, int64_t i) noexcept {
  const Body& body = control_.bodies[0];
  for (size_t k = 0; k < body.inputs.size(); ++k) {
    const auto index = static_cast<size_t>(body.inputs[k].index);
    switch (body.inputs[k].from) {
      case BodyInput::From::operand: in_[k] = call.in[index]; break;
      case BodyInput::From::carried: in_[k] = carried_[index]; break;
      case BodyInput::From::iteration: {
        const int rank = body.program->inputs[k].dims.rank;
        in_[k] = {&iteration_, DType::i64, Dims::filled(rank, 1), Strides::filled(rank, 1)};
        break;
      }
      case BodyInput::From::slice: {
        const Control::Slice& s = control_.slices[index];
        const TensorView& whole = call.in[static_cast<size_t>(s.operand)];
        in_[k] = without_axis(whole, s.axis);
        move_by(&in_[k], (s.reverse ? whole.dims[s.axis] - 1 - i : i) * whole.strides[s.axis]);
        break;
      }
    }
  }
}

TensorView ControlRun::slot_of(const TensorView& stack, size_t s, int64_t i, int64_t trips) const noexcept {
  const Control::Stack& how = control_.stacks[s];
  TensorView v = without_axis(stack, how.axis);
  move_by(&v, (how.reverse ? trips - 1 - i : i) * stack.strides[how.axis]);
  return v;
}

// Where iteration `i` writes: directly to where it is to be, where that is known. `trips` are all there will be, if nothing is asked.
void ControlRun::lay_outputs(const Call& call, int64_t i, int64_t trips) noexcept {
  size_t next = 0;
  if (control_.has_condition) {
    const int rank = control_.bodies[0].program->outputs[0].dims.rank;
    out_[next++] = {&again_, DType::boolean, Dims::filled(rank, 1), Strides::filled(rank, 1)};
  }
  std::byte* scratch = call.scratch;
  for (size_t k = 0; k < control_.carried(); ++k) {
    TensorView& out = out_[next++] = call.out[k];
    if (control_.sized_by_step[k] != 0) {
      out.data = nullptr;
      continue;
    }
    // The last iteration writes the result, if it can be determined; else the first.
    const bool in_own_storage = (control_.has_condition ? i : trips - 1 - i) % 2 == 0;
    if (!in_own_storage) {
      out.data = scratch;
      out.strides = dense_strides(out.dims);
    }
    scratch += round_up(bytes_of(out.dims, out.dtype), kBufferAlignment);
  }
  for (size_t s = 0; s < control_.stacks.size(); ++s) {
    const size_t r = control_.carried() + s;
    const TensorView& stack = control_.sized_by_step[r] != 0 ? results_[r] : call.out[r];
    TensorView& out = out_[next++];
    out = slot_of(stack, s, i, trips);
    if (control_.sized_by_step[r] != 0 && (has_run_time_element(s) || i == 0)) out.data = nullptr;
  }
}

Status ControlRun::take_carried(size_t k) {
  const TensorView& made = out_[k + (control_.has_condition ? 1 : 0)];
  if (control_.sized_by_step[k] == 0) {
    carried_[k] = made;
    return {};
  }
  // What the body reads and writes is in its own memory; only this copy is kept.
  ANYDIM_TRY(stores_[k].fit(bytes_of(made.dims, made.dtype), 0, parallel_));
  carried_[k] = {stores_[k].arena.data(), made.dtype, made.dims, dense_strides(made.dims)};
  return copy(k + (control_.has_condition ? 1 : 0), made, carried_[k]);
}

Status ControlRun::take_stacked(size_t s, int64_t i, int64_t trips) {
  const size_t r = control_.carried() + s, output = r + (control_.has_condition ? 1 : 0);
  if (control_.sized_by_step[r] == 0) return {};
  const int axis = control_.stacks[s].axis;
  const TensorView made = out_[output];
  TensorView& stack = results_[r];
  if (i == 0) {
    stack = {nullptr, made.dtype, {}, {}};
    for (int a = 0; a <= made.dims.rank; ++a) {
      if (a == axis) stack.dims.push_back(control_.has_condition ? 1 : trips);
      if (a < made.dims.rank) stack.dims.push_back(made.dims[a]);
    }
    stack.strides = dense_strides(stack.dims);
  } else if (!(without_axis(stack, axis).dims == made.dims)) {
    return error(control_.stacks[s].of_sequence ? Code::unimplemented : Code::invalid_data,
                 "{}: '{}' has dims {} after iteration {} and had {} before; what is stacked keeps its dims", step_.label,
                 program_.tensor(step_.operands[static_cast<size_t>(step_.inputs) + r]).name, to_string(made.dims), i,
                 to_string(without_axis(stack, axis).dims));
  }
  // Room for the next one, too, where one may follow, since that is written in place.
  const int64_t each = bytes_of(made.dims, made.dtype);
  const int64_t room = control_.has_condition ? std::min(i + 2, std::max<int64_t>(trips, 1)) : trips;
  ANYDIM_TRY(stores_[r].fit(saturating_mul(each, room), i == 0 ? 0 : each * (i + 1), parallel_));
  const bool in_place = i > 0 && !has_run_time_element(s);
  stack.data = stores_[r].arena.data();
  if (control_.has_condition) stack.dims[axis] = i + 1;
  return in_place ? Status() : copy(output, made, slot_of(stack, s, i, trips));
}

// Of a stack without iterations. A dim that only an iteration finds is what the model declares, or 0.
Dims ControlRun::dims_of_none(const TensorView& result, size_t s) const noexcept {
  const Control::Stack& stack = control_.stacks[s];
  const SymDims& element = control_.bodies[0].program->outputs[(control_.has_condition ? 1 : 0) + control_.carried() + s].dims;
  Dims dims = Dims::filled(result.dims.rank, 0);
  for (int a = 0, e = 0; a < dims.rank; ++a) {
    if (a == stack.axis) continue;
    if ((run_time_axes_[s] >> a & 1) == 0) dims[a] = result.dims[a];
    else if (element[e].is_number()) dims[a] = element[e].number();
    else if (e < stack.declared.rank) dims[a] = std::max<int64_t>(stack.declared[e], 0);
    ++e;
  }
  return dims;
}

Status ControlRun::finish(const Call& call, int64_t iterations) {
  const size_t first = control_.has_condition ? 1 : 0;
  for (size_t k = 0; k < control_.carried(); ++k) {
    if (control_.sized_by_step[k] == 0) {
      results_[k] = call.out[k];
      if (carried_[k].data != call.out[k].data) ANYDIM_TRY(copy(first + k, carried_[k], call.out[k]));
      continue;
    }
    if (iterations == 0) {
      const TensorView initial = carried_[k];
      ANYDIM_TRY(stores_[k].fit(bytes_of(initial.dims, initial.dtype), 0, parallel_));
      carried_[k] = {stores_[k].arena.data(), initial.dtype, initial.dims, dense_strides(initial.dims)};
      ANYDIM_TRY(copy(first + k, initial, carried_[k]));
    }
    results_[k] = carried_[k];
  }
  for (size_t s = 0; s < control_.stacks.size(); ++s) {
    const size_t r = control_.carried() + s;
    if (control_.sized_by_step[r] == 0) {
      results_[r] = call.out[r];
    } else if (iterations == 0) {
      const Dims dims = dims_of_none(call.out[r], s);
      results_[r] = {stores_[r].arena.data(), call.out[r].dtype, dims, dense_strides(dims)};
    }
  }
  return {};
}

Status ControlRun::loop(const Call& call) {
  int64_t trips = 0;
  ANYDIM_TRY(count_iterations(call, &trips));
  for (size_t k = 0; k < control_.carried(); ++k) carried_[k] = call.in[static_cast<size_t>(control_.initial[k])];
  bodies_[0]->pass_by();
  int64_t i = 0;
  for (again_ = 1; again_ != 0 && i < trips; ++i) {
    if (call.stop != nullptr && call.stop->ended())
      return error(Code::cancelled, "the run was cancelled before iteration {} of node '{}'", i, step_.label);
    iteration_ = i;
    feed(call, i);
    lay_outputs(call, i, trips);
    ANYDIM_TRY(run_body(0, call));
    for (size_t k = 0; k < control_.carried(); ++k) ANYDIM_TRY(take_carried(k));
    for (size_t s = 0; s < control_.stacks.size(); ++s) ANYDIM_TRY(take_stacked(s, i, trips));
  }
  return finish(call, i);
}

}  // namespace anydim
