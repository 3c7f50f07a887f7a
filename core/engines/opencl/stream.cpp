// SPDX-License-Identifier: Apache-2.0
// Launching, copying, waiting; see stream.h.
#include "core/engines/opencl/stream.h"

#include <algorithm>
#include <cstring>

#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/memory.h"

namespace anydim::opencl {

namespace {

// PoCL compiles a program again for more groups than that along an axis. Kernels loop instead.
constexpr int64_t kMostGroups = 65535;
constexpr size_t kMostUnseen = 256;  // events that are kept before those that are done are looked at

MemId buffer_of(const Memory* memory) noexcept { return memory != nullptr ? static_cast<const OpenclMemory*>(memory)->id() : nullptr; }

// Its own for the whole process; a driver's handle may come again for another memory.
int64_t number_of(const Memory* memory) noexcept { return memory != nullptr ? static_cast<int64_t>(memory->address()) : 0; }

struct Placed {
  const Memory* memory = nullptr;
  int64_t offset = 0;  // elements
};

// Where the tensor of an argument lies.
Status place_of(const Launch& l, const DeviceArgument& a, Placed* out) {
  const auto i = static_cast<size_t>(a.index);
  BufferRef place;
  int64_t size = 1;
  const auto of = [&](std::span<const BufferRef> places, std::span<const TensorView> tensors) {
    place = places[i];
    size = dtype_size(tensors[i].dtype);
  };
  switch (a.of) {
    case DeviceArgument::Of::in: of(l.in, l.args.in); break;
    case DeviceArgument::Of::out: of(l.out, l.args.out); break;
    case DeviceArgument::Of::post_in: of(l.post_in, l.args.post_in); break;
    case DeviceArgument::Of::piece: place = {l.weights->pieces[i].get(), 0}; break;
    case DeviceArgument::Of::scratch: place = l.scratch; break;
    case DeviceArgument::Of::none: break;
  }
  if (place.offset % size != 0)
    return error(Code::internal, "kernel {}: a tensor begins at byte {} of its memory", l.kernel.name(), place.offset);
  *out = {place.memory, place.offset / size};
  return {};
}

ArgumentType type_of(DeviceArgument::Kind kind) noexcept {
  switch (kind) {
    case DeviceArgument::Kind::memory: return ArgumentType::memory;
    case DeviceArgument::Kind::local: return ArgumentType::local;
    case DeviceArgument::Kind::i32: return ArgumentType::i32;
    case DeviceArgument::Kind::f32: return ArgumentType::f32;
    case DeviceArgument::Kind::offset:
    case DeviceArgument::Kind::i64: break;
  }
  return ArgumentType::i64;
}

}  // namespace

// -- commands -------------------------------------------------------------------------------------------------------------------------

uint64_t Commands::add(OwnedEvent event) {
  const std::lock_guard lock(mutex_);
  unseen_.push_back(std::move(event));
  ++submitted_;
  if (unseen_.size() > kMostUnseen) look(submitted_);
  return submitted_;
}

uint64_t Commands::submitted() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

void Commands::look(uint64_t until) {
  while (!unseen_.empty()) {
    const uint64_t number = submitted_ - unseen_.size() + 1;
    if (number > until) return;
    Int status = cl::kSuccess;
    const Int result = api_.get_event_info(unseen_.front().get(), cl::kEventCommandExecutionStatus, sizeof status, &status, nullptr);
    if (result != cl::kSuccess) status = result;
    if (status > 0) return;  // not done
    if (status < 0 && failed_ == cl::kSuccess) {
      failed_ = status;
      failed_at_ = number;
    }
    unseen_.pop_front();
  }
}

Status Commands::failure_until(uint64_t number) {
  const std::lock_guard lock(mutex_);
  look(number);
  return failed_ != cl::kSuccess && failed_at_ <= number ? failure(failed_, "running what the device was given") : Status();
}

Status Commands::take_failure() {
  const std::lock_guard lock(mutex_);
  look(submitted_);
  const Int failed = std::exchange(failed_, cl::kSuccess);
  return failed == cl::kSuccess ? Status() : failure(failed, "running what the device was given");
}

// -- events ---------------------------------------------------------------------------------------------------------------------------

Status OpenclEvent::wait() {
  ANYDIM_TRY(device_->usable());
  if (const EventId event = id(); event != nullptr) {
    device_->driver_threads().leave_core_to_caller();
    const Int code = device_->api().wait_for_events(1, &event);
    // A wait fails where an event among them did, too; the command's own failure says more.
    ANYDIM_TRY(commands_->failure_until(after_));
    if (code != cl::kSuccess) return failure(code, "waiting for the device");
  }
  return {};
}

Status OpenclEvent::time(int64_t* nanoseconds) const {
  ANYDIM_TRY(device_->usable());
  Ulong time = 0;
  const Int code = device_->api().get_event_profiling_info(id(), cl::kProfilingCommandEnd, sizeof time, &time, nullptr);
  if (code != cl::kSuccess) return unimplemented("this device reports no times ({})", code);
  *nanoseconds = static_cast<int64_t>(time);
  return {};
}

// -- stream ---------------------------------------------------------------------------------------------------------------------------

OpenclStream::OpenclStream(std::shared_ptr<const OpenclEngine> engine, OwnedQueue queue)
    : Stream(engine, Parallel(1)),
      device_(std::move(engine)),
      api_(device_->api()),
      queue_(std::move(queue)),
      commands_(std::make_shared<Commands>(api_)) {
  const std::lock_guard lock(device_->streams_mutex_);
  device_->streams_.push_back(this);
}

OpenclStream::~OpenclStream() {
  if (!device_->usable().ok()) return;
  {
    const std::lock_guard lock(device_->streams_mutex_);
    std::erase(device_->streams_, this);
  }
  // Memory of the host that it reads may go afterwards.
  (void)finish_queue(api_, queue_.get());
}

Status OpenclStream::check(Int code, EventId event, const char* what) {
  OwnedEvent owned(api_, event);
  if (code != cl::kSuccess) return failure(code, what);
  commands_->add(std::move(owned));
  return {};
}

Status OpenclStream::submit(const Launch& l) {
  ANYDIM_TRY(device_->usable());
  if (l.executable == nullptr) return error(Code::internal, "kernel {} was launched without an executable", l.kernel.name());
  const CompiledKernel& compiled = CompiledKernel::of(l);
  SpecialisedKernel::Programs specialised;
  const bool special = SpecialisedKernel::programs_of(l, &specialised);
  if (l.plan.specialised && !special) {  // a plan for programs that are gone, or of another call
    Args args = l.args;
    args.choice = nullptr;
    Plan plan;
    compiled.kernel->plan(args, &plan);
    return submit({l.kernel, plan, args, l.in, l.out, l.post_in, l.weights, l.scratch, l.executable, l.keep});
  }
  const DeviceWork empty{.device = &device_->traits()};
  DeviceWork work = empty;
  for (int index = 0; compiled.kernel->work(l.plan, l.args, index, &work); ++index, work = empty) {
    const void* const object =
        special ? specialised[static_cast<size_t>(index)].get() : compiled.programs[static_cast<size_t>(work.program)].made.object.get();
    Entry& entry = *static_cast<const Program*>(object)->entries[special ? 0 : static_cast<size_t>(work.entry)];
    bool empty = false;
    for (size_t a = 0; a < 3; ++a) empty |= work.global[a] == 0;
    if (empty) continue;
    ANYDIM_TRY(launch(l, work, entry));
  }
  return {};
}

Status OpenclStream::launch(const Launch& l, const DeviceWork& work, Entry& entry) {
  const auto wrong = [&](const char* what) {
    return error(Code::internal, "kernel {}, function {}: {}", l.kernel.name(), entry.facts.name, what);
  };
  if (static_cast<size_t>(work.count) + 1 != entry.facts.arguments.size()) return wrong("the number of its arguments is another one");
  size_t global[3], local[3];
  for (size_t a = 0; a < 3; ++a) {
    if (work.local[a] != entry.facts.local[a]) return wrong("its local size is not its program's");
    if (work.global[a] < 0 || work.global[a] % work.local[a] != 0) return wrong("its work-items are no multiple of a group's");
    if (work.global[a] / work.local[a] > kMostGroups) return wrong("it has more than 65,535 groups along an axis");
    global[a] = static_cast<size_t>(work.global[a]);
    local[a] = static_cast<size_t>(work.local[a]);
  }
  int64_t local_memory = entry.local_memory;
  // All arguments; of memory, its number.
  int64_t held[DeviceWork::kMostArguments];
  MemId memories[DeviceWork::kMostArguments];
  size_t count = 0;
  for (int i = 0; i < work.count; ++i) {
    const DeviceArgument& a = work.arguments[static_cast<size_t>(i)];
    if (type_of(a.kind) != entry.facts.arguments[static_cast<size_t>(i) + 1]) return wrong("an argument has another type");
    int64_t& to = held[count];
    switch (a.kind) {
      case DeviceArgument::Kind::memory:
      case DeviceArgument::Kind::offset: {
        Placed placed;
        ANYDIM_TRY(place_of(l, a, &placed));
        memories[count] = buffer_of(placed.memory);
        to = a.kind == DeviceArgument::Kind::offset ? placed.offset : number_of(placed.memory);
        break;
      }
      case DeviceArgument::Kind::i64: to = a.number; break;
      case DeviceArgument::Kind::i32:
      case DeviceArgument::Kind::f32: to = static_cast<int64_t>(static_cast<uint32_t>(a.number)); break;
      case DeviceArgument::Kind::local: local_memory += to = a.number; break;
    }
    ++count;
  }
  if (local_memory > device_->traits().local_memory) return wrong("a group takes more local memory than the device has");
  HeldKernel kernel;
  ANYDIM_TRY(entry.acquire({held, count}, &kernel));
  Status set;
  if (!kernel.holds({held, count})) set = set_arguments(entry, memories, {held, count}, &kernel);
  EventId event = nullptr;
  Int code = cl::kSuccess;
  if (set.ok()) code = api_.enqueue_nd_range_kernel(queue_.get(), kernel.kernel.get(), 3, nullptr, global, local, 0, nullptr, &event);
  entry.release(std::move(kernel));
  ANYDIM_TRY(std::move(set));
  return check(code, event, l.kernel.name());
}

Status OpenclStream::set_arguments(const Entry& entry, const MemId* memories, std::span<const int64_t> values, HeldKernel* kernel) {
  kernel->arguments.clear();
  int64_t numbers[DeviceWork::kMostArguments];
  size_t packed = 0;
  Uint index = 1;
  Int code = cl::kSuccess;
  const auto set = [&](size_t bytes, const void* value) { code = api_.set_kernel_arg(kernel->kernel.get(), index++, bytes, value); };
  for (size_t i = 0; i < values.size() && code == cl::kSuccess; ++i) {
    const ArgumentType type = entry.facts.arguments[i + 1];
    if (type == ArgumentType::memory) set(sizeof memories[i], &memories[i]);
    else if (type == ArgumentType::local) set(static_cast<size_t>(values[i]), nullptr);
    else if (entry.facts.numbers_in_one) numbers[packed++] = values[i];
    else set(type == ArgumentType::i64 ? 8 : 4, &values[i]);
  }
  if (packed > 0 && code == cl::kSuccess) set(8 * packed, numbers);
  if (code != cl::kSuccess) return failure(code, "setting an argument");
  kernel->arguments.assign(values.begin(), values.end());
  return {};
}

Status OpenclStream::copy(BufferRef to, BufferRef from, int64_t bytes) {
  ANYDIM_TRY(device_->usable());
  for (const BufferRef& p : {to, from}) {
    const Engine& of = *p.memory->engine();
    if (!of.is_host() && !same_device(of, *device_))
      return invalid("a copy is between this device and the host; one place is of engine {}", of.kind());
    if (p.offset < 0 || bytes < 0 || bytes > p.memory->bytes() - p.offset)
      return invalid("{} bytes at {} are to be copied; the memory has {}", bytes, p.offset, p.memory->bytes());
  }
  if (bytes == 0) return {};
  const bool from_host = from.memory->engine()->is_host(), to_host = to.memory->engine()->is_host();
  const auto size = static_cast<size_t>(bytes), at = static_cast<size_t>(from.offset), there = static_cast<size_t>(to.offset);
  if (from_host && to_host) {
    ANYDIM_TRY(wait());
    std::memmove(pointer_to(to), pointer_to(from), size);
    return {};
  }
  const MemId source = from_host ? nullptr : buffer_of(from.memory), target = to_host ? nullptr : buffer_of(to.memory);
  EventId event = nullptr;
  Int code = cl::kSuccess;
  if (from_host) {
    code = api_.enqueue_write_buffer(queue_.get(), target, cl::kFalse, there, size, pointer_to(from), 0, nullptr, &event);
  } else if (to_host) {
    code = api_.enqueue_read_buffer(queue_.get(), source, cl::kFalse, at, size, pointer_to(to), 0, nullptr, &event);
  } else if (source == target && std::max(at, there) - std::min(at, there) < size) {
    if (at == there) return {};
    MemoryPtr between;
    ANYDIM_TRY(device_->allocate(bytes, &between));
    ANYDIM_TRY(copy({between.get(), 0}, from, bytes));
    return copy(to, {between.get(), 0}, bytes);
  } else {
    code = api_.enqueue_copy_buffer(queue_.get(), source, target, at, there, size, 0, nullptr, &event);
  }
  return check(code, event, "copying");
}

Status OpenclStream::record(EventPtr* out) {
  ANYDIM_TRY(device_->usable());
  const auto* mine = event_as<OpenclEvent>(*out);
  if (mine == nullptr || !mine->is_of(commands_.get()) || out->use_count() > 1) *out = std::make_shared<OpenclEvent>(device_, commands_);
  EventId event = nullptr;
  const Int code = api_.enqueue_marker_with_wait_list(queue_.get(), 0, nullptr, &event);
  if (code != cl::kSuccess) return failure(code, "recording an event");
  static_cast<OpenclEvent&>(**out).record(OwnedEvent(api_, event), commands_->submitted());
  // Another queue may wait for it, which begins nothing by itself.
  const Int flushed = api_.flush(queue_.get());
  return flushed == cl::kSuccess ? Status() : failure(flushed, "recording an event");
}

Status OpenclStream::wait_for(const EventPtr& event) {
  ANYDIM_TRY(device_->usable());
  const auto* theirs = event_as<OpenclEvent>(event);
  if (theirs == nullptr || !same_device(theirs->device(), *device_)) return event->wait();
  if (theirs->id() == nullptr) return {};
  const EventId other = theirs->id();
  EventId mine = nullptr;
  const Int code = api_.enqueue_barrier_with_wait_list(queue_.get(), 1, &other, &mine);
  return check(code, mine, "waiting for another stream");
}

Status OpenclStream::wait() {
  ANYDIM_TRY(device_->usable());
  device_->driver_threads().leave_core_to_caller();
  Status done = finish_queue(api_, queue_.get());
  ANYDIM_TRY(commands_->take_failure());
  return done;
}

}  // namespace anydim::opencl
