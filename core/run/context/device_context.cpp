// SPDX-License-Identifier: Apache-2.0
// The part of a context that lies on devices; see device_context.h.
#include "core/run/context/device_context.h"

#include <algorithm>

#include "core/dispatch/primitive/checked_call.h"
#include "core/engines/cpu/engine.h"

namespace anydim {

namespace {

Status too_large(const Engine& engine, int64_t bytes) {
  return error(Code::out_of_memory, "engine {} needs {} bytes for a tensor or the scratch of a node; its largest allocation is {}",
               engine.kind(), bytes, engine.largest_allocation());
}

}  // namespace

Status DeviceContext::create(ProgramPtr program, const Bounds* bounds, int threads, std::unique_ptr<DeviceContext>* out) {
  const Program& p = *program;
  std::unique_ptr<DeviceContext> c(new DeviceContext(std::move(program)));
  c->waits_ = waits_of(p);
  c->events_.resize(p.steps.size());
  c->entries_.assign(p.buffers.size(), -1);
  for (size_t e = 1; e < p.engines.size(); ++e) {
    Device& d = c->devices_.emplace_back();
    d.engine = p.engines[e];
    if (Status made = d.engine->create_stream(threads, &d.stream); !made.ok())
      return std::move(made).at(formatted("a stream of engine {}", d.engine->kind()));
    ANYDIM_TRY(plan_arena(p, bounds, d.stream->parallel().threads(), &d.plan, static_cast<int32_t>(e)));
    for (size_t i = 0; i < d.plan.buffers.size(); ++i)
      if (d.plan.buffers[i] >= 0) c->entries_[static_cast<size_t>(d.plan.buffers[i])] = static_cast<int32_t>(i);
    d.bytes.assign(d.plan.buffers.size(), 0);
    d.places.resize(d.bytes.size());
    if (bounds && d.plan.largest > d.plan.slab) return too_large(*d.engine, d.plan.largest);
    if (bounds) ANYDIM_TRY(c->take_memory(d, d.plan.bytes, 0));
  }
  *out = std::move(c);
  return {};
}

DeviceContext::~DeviceContext() { abandon(); }

// --- places ------------------------------------------------------------------------------------------------------------------

Status DeviceContext::take_memory(Device& d, int64_t bytes, int64_t keep) {
  bytes = std::max(bytes, d.engine->base_alignment());
  const char* const kind = d.engine->kind();
  const int64_t slab = d.plan.slab;
  const auto count = static_cast<size_t>(ceil_div(bytes, slab));
  MemoryPtr old;
  if (!d.slabs.empty() && d.slabs.back()->bytes() < slab) {
    old = std::move(d.slabs.back());
    d.slabs.pop_back();
  }
  const int64_t kept = old ? std::clamp(keep - static_cast<int64_t>(d.slabs.size()) * slab, int64_t{0}, old->bytes()) : 0;
  if (kept == 0) old.reset();  // both may not fit
  while (d.slabs.size() < count) {
    const int64_t size = d.slabs.size() + 1 < count ? slab : bytes - static_cast<int64_t>(count - 1) * slab;
    MemoryPtr memory;
    if (Status taken = d.engine->allocate(size, &memory); !taken.ok())
      return std::move(taken).at(formatted("{} bytes for engine {}", size, kind));
    if (old && kept > 0) {
      d.pending = true;
      ANYDIM_TRY(d.stream->copy({memory.get(), 0}, {old.get(), 0}, kept));
      old.reset();  // the stream keeps it while it reads it
    }
    d.slabs.push_back(std::move(memory));
  }
  return {};
}

void DeviceContext::begin_stage(size_t stage) noexcept {
  for (Device& d : devices_) {
    const ArenaPlan::Entries& entries = d.plan.stages[stage];
    std::fill(d.bytes.begin() + static_cast<std::ptrdiff_t>(entries.scratch), d.bytes.begin() + static_cast<std::ptrdiff_t>(entries.last),
              0);
  }
}

int64_t* DeviceContext::scratch_bytes(size_t step) noexcept {
  Device& d = device_of(step);
  return &d.bytes[static_cast<size_t>(d.plan.scratch[step])];
}

Status DeviceContext::place_stage(size_t stage, std::span<const int64_t> slots) {
  for (Device& d : devices_) {
    const ArenaPlan::Entries& entries = d.plan.stages[stage];
    for (size_t i = entries.first; i < entries.scratch; ++i) {
      const Program::Buffer& b = program_->buffer(d.plan.buffers[i]);
      const int64_t n = value_of(b.elements, slots);
      if (n < 0)
        return error(Code::out_of_memory, "a tensor of {} elements is larger than any address space", program_->dims.text(b.elements));
      d.bytes[i] = saturating_mul(n, dtype_size(b.dtype));
    }
    for (size_t i = entries.first; i < entries.last; ++i)
      if (d.bytes[i] > d.plan.slab) return too_large(*d.engine, d.bytes[i]);
    const int64_t live = stage == 0 ? 0 : d.used, have = d.bytes_taken();
    d.used = std::max({live, d.plan.plan.place_stage(stage, d.bytes, d.places), int64_t{1}});
    if (d.used <= have) continue;
    // A device's memory does not grow where it is: half as much again, so that it rarely has to, but no slab for that alone.
    const int64_t wanted = std::min(std::max(d.used, have + have / 2), round_up(d.used, d.plan.slab));
    ANYDIM_TRY(take_memory(d, wanted, std::min(live, have)));
    if (have > 0) ++growth_events_;
  }
  return {};
}

int64_t DeviceContext::offset_of(int32_t tensor, std::span<const int64_t> slots) const noexcept {
  const Program::Tensor& t = program_->tensor(tensor);
  const Device& d = device(program_->buffer(t.buffer).engine);
  return d.places[static_cast<size_t>(entries_[static_cast<size_t>(t.buffer)])].offset + value_of(t.offset, slots) * dtype_size(t.dtype);
}

BufferRef DeviceContext::place_of(int32_t tensor, std::span<const int64_t> slots) const noexcept {
  if (tensor == Program::kNoTensor) return {};
  const Program::Tensor& t = program_->tensor(tensor);
  if (t.device_constant) return {t.device_constant.get(), 0};
  if (t.buffer < 0) return {};
  const Device& d = device(program_->buffer(t.buffer).engine);
  // A view may begin anywhere in its buffer, which lies in one slab.
  BufferRef place = d.place(d.places[static_cast<size_t>(entries_[static_cast<size_t>(t.buffer)])].offset);
  place.offset += value_of(t.offset, slots) * dtype_size(t.dtype);
  return place;
}

// --- running -----------------------------------------------------------------------------------------------------------------

void DeviceContext::give(size_t step) noexcept {
  Device& d = device_of(step);
  d.pending = true;
  d.last = static_cast<int32_t>(step);
  if (d.first < 0) d.first = d.last;
}

Status DeviceContext::refused(Status status, size_t step) const {
  if (status.ok()) return status;
  const Program::Step& s = program_->steps[step];
  return std::move(status).at(formatted("engine {}, {}", device(s.engine).engine->kind(), s.label)).in_node(s.name);
}

void DeviceContext::places_of(size_t step, std::span<const int64_t> slots, StepPlaces* out) noexcept {
  const Program::Step& s = program_->steps[step];
  Device& d = device_of(step);
  size_t next = 0;
  const auto place = [&](BufferRef* places, int32_t count) {
    for (int32_t i = 0; i < count; ++i, ++next) places[i] = program_->is_packed(s, next) ? BufferRef{} : place_of(s.operands[next], slots);
  };
  place(out->in, s.inputs);
  place(out->out, s.outputs);
  place(out->post, s.post);
  const auto region = static_cast<size_t>(d.plan.scratch[step]);
  out->scratch_bytes = d.bytes[region];
  if (out->scratch_bytes > 0) out->scratch = d.place(d.places[region].offset);
  out->stream = d.stream.get();
}

Status DeviceContext::launch(size_t step, const Plan& plan, const Args& args, std::span<const int64_t> slots) {
  const Program::Step& s = program_->steps[step];
  StepPlaces at;
  places_of(step, slots, &at);
  if (plan.scratch == 0) at.scratch = {};
  Args there = args;
  there.scratch = nullptr;  // the host's
  give(step);
  Status status =
      program_->primitive(s)->launch(*at.stream, plan, there, {at.in, static_cast<size_t>(s.inputs)},
                                     {at.out, static_cast<size_t>(s.outputs)}, {at.post, static_cast<size_t>(s.post)}, at.scratch);
  return refused(std::move(status), step);
}

Status DeviceContext::upload(size_t step, std::byte* from, int64_t bytes, std::span<const int64_t> slots) {
  const Program::Step& s = program_->steps[step];
  HostMemory host(from, bytes);
  give(step);
  Status status = device_of(step).stream->copy(place_of(s.operands[1], slots), {&host}, bytes);
  return refused(std::move(status), step);
}

Status DeviceContext::download(size_t step, std::byte* to, int64_t bytes, std::span<const int64_t> slots) {
  const Program::Step& s = program_->steps[step];
  Stream& stream = *device_of(step).stream;
  HostMemory host(to, bytes);
  give(step);
  Status status = stream.copy({&host}, place_of(s.operands[0], slots), bytes);
  if (status.ok()) status = stream.record(&events_[step]);
  return refused(std::move(status), step);
}

int32_t DeviceContext::engine_of(const Memory& memory) const noexcept {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (same_device(*devices_[i].engine, *memory.engine())) return static_cast<int32_t>(i) + 1;
  return 0;
}

Status DeviceContext::copy(size_t step, BufferRef from, int64_t bytes, std::span<const int64_t> slots) {
  give(step);
  Status status = device_of(step).stream->copy(place_of(program_->steps[step].operands[1], slots), from, bytes);
  return refused(std::move(status), step);
}

Status DeviceContext::fetch(int32_t engine, std::byte* to, BufferRef from, int64_t bytes) {
  Device& d = device(engine);
  HostMemory host(to, bytes);
  d.pending = true;
  Status status = d.stream->copy({&host}, from, bytes);
  Status done = finish(d, engine);  // in any case: the host's memory may go
  return status.ok() ? std::move(done) : std::move(status).at(formatted("engine {}", d.engine->kind()));
}

Status DeviceContext::store(int32_t engine, BufferRef to, std::byte* from, int64_t bytes) {
  Device& d = device(engine);
  HostMemory host(from, bytes);
  d.pending = true;
  return d.stream->copy(to, {&host}, bytes).at(formatted("engine {}", d.engine->kind()));
}

Status DeviceContext::copy_result(int32_t tensor, BufferRef to, int64_t bytes, std::span<const int64_t> slots) {
  Device& d = device(program_->buffer(program_->tensor(tensor).buffer).engine);
  d.pending = true;
  return d.stream->copy(to, place_of(tensor, slots), bytes).at(formatted("engine {}", d.engine->kind()));
}

Status DeviceContext::deferred_error(Status failed, int32_t engine, int32_t last) const {
  const Device& d = device(engine);
  const auto mine = [&](int32_t step) { return program_->steps[static_cast<size_t>(step)].engine == engine; };
  int32_t first = std::max(d.first, 0);
  while (first < last && !mine(first)) ++first;
  const Program::Step &from = program_->steps[static_cast<size_t>(first)], &to = program_->steps[static_cast<size_t>(last)];
  const char* const kind = d.engine->kind();
  if (first >= last) return std::move(failed).at(formatted("engine {}, {}", kind, to.label)).in_node(to.name);
  return std::move(failed).at(formatted("engine {}, among {} to {}", kind, from.label, to.label));
}

Status DeviceContext::wait_for(int32_t step) {
  const int32_t engine = program_->steps[static_cast<size_t>(step)].engine;
  Device& d = device(engine);
  if (Status done = events_[static_cast<size_t>(step)]->wait(); !done.ok()) return deferred_error(std::move(done), engine, step);
  d.first = d.last > step ? step + 1 : -1;
  return {};
}

Status DeviceContext::wait_before_step(size_t step) {
  const Program::Step& s = program_->steps[step];
  for (int32_t other : waits_.before_step[step]) {
    if (s.engine == 0) {
      ANYDIM_TRY(wait_for(other));
    } else {
      device_of(step).pending = true;
      if (Status waited = device_of(step).stream->wait_for(events_[static_cast<size_t>(other)]); !waited.ok())
        return refused(std::move(waited), step);
    }
  }
  return {};
}

Status DeviceContext::wait_before_stage(size_t stage) {
  for (int32_t step : waits_.before_stage[stage]) ANYDIM_TRY(wait_for(step));
  return {};
}

Status DeviceContext::finish(Device& d, int32_t engine) {
  if (!d.pending) return {};
  Status done = d.stream->wait();
  if (!done.ok()) return d.last < 0 ? std::move(done) : deferred_error(std::move(done), engine, d.last);
  d.pending = false;
  d.first = d.last = -1;
  return {};
}

Status DeviceContext::finish(int32_t engine) { return finish(device(engine), engine); }

Status DeviceContext::finish() {
  for (size_t i = 0; i < devices_.size(); ++i) ANYDIM_TRY(finish(devices_[i], static_cast<int32_t>(i) + 1));
  return {};
}

void DeviceContext::abandon() noexcept {
  for (Device& d : devices_) {
    if (d.pending) (void)d.stream->wait();
    d.pending = false;
    d.first = d.last = -1;
  }
  for (EventPtr& e : events_) e.reset();
}

}  // namespace anydim
