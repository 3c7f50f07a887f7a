// SPDX-License-Identifier: Apache-2.0
// Steps of a context that are no kernel of the host's alone: branches and loops, transfers, and what is given to devices
// (device_context.h).
#include "core/kernels/append/append.h"
#include "core/run/context/context.h"
#include "core/run/context/device_context.h"
#include "core/run/context/device_edges.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

int64_t bytes_of(const TensorView& t) noexcept { return t.count() * dtype_size(t.dtype); }

}  // namespace

Context::~Context() = default;

Status Context::prepare_devices() {
  if (program_->host_only()) return {};
  return DeviceContext::create(program_, bounded_ ? &bounds_ : nullptr, parallel_.threads(), &devices_);
}

Status Context::plan_without_kernel(size_t i) {
  const Program::Step& step = program_->steps[i];
  BoundStep& s = steps_[i];
  const auto* const transfer = step.transfer();
  if (transfer == nullptr) {
    plan_control_step(i);
    return {};
  }
  // Bytes go as they are, but for an input in strides that its caller chose.
  s.plan.scratch = same_strides(s.args.in[0], s.args.out[0]) ? 0 : bytes_of(s.args.in[0]);
  return s.plan.scratch == 0 || transfer->dense >= 0 ? Status() : error(Code::internal, "{}: the two sides have other strides", step.label);
}

Status Context::transfer(size_t i) {
  const Program::Step& step = program_->steps[i];
  const BoundStep& s = steps_[i];
  TensorView from = s.args.in[0], to = s.args.out[0];
  if (program_->buffer(program_->tensor(step.operands[0]).buffer).engine != 0)
    return edges_ != nullptr && leave_out(i) ? Status() : devices_->download(i, static_cast<std::byte*>(to.data), bytes_of(to), slots_);
  if (edges_ != nullptr) {
    bool done = false;
    ANYDIM_TRY(transfer_place(i, to, &from, &done));
    if (done) return {};
  }
  if (!same_strides(from, to)) {
    to.data = arena_.data() + places_[s.region].offset;
    ANYDIM_TRY(copy_tensor(*program_->primitives[static_cast<size_t>(step.transfer()->dense)], from, to, parallel_));
    from = to;
  }
  return devices_->upload(i, static_cast<std::byte*>(from.data), bytes_of(from), slots_);
}

Status Context::run_elsewhere(size_t i) {
  const Program::Step& step = program_->steps[i];
  const BoundStep& s = steps_[i];
  if (devices_ != nullptr) ANYDIM_TRY(devices_->wait_before_step(i));
  if (step.control() != nullptr) return run_control(i).in_node(step.name);
  if (step.transfer() != nullptr) return transfer(i);
  if (step.engine != 0) return devices_->launch(i, s.plan, s.args, slots_);
  if (as<Append>(*s.args.op)) journal_.save(s.args);
  return s.primitive->run(s.plan, s.args).at(step.label).in_node(step.name);
}

// What devices have not done yet uses memory of this run's.
Status Context::finish_on_engines(Status done) {
  if (done.ok()) done = devices_->finish();
  if (!done.ok()) devices_->abandon();
  return done;
}

int64_t Context::arena_bytes(int32_t engine) const noexcept { return engine == 0 ? arena_bytes() : devices_->arena_bytes(engine); }
int64_t Context::used_bytes(int32_t engine) const noexcept { return engine == 0 ? used_bytes_ : devices_->used_bytes(engine); }

}  // namespace anydim
