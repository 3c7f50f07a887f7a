// SPDX-License-Identifier: Apache-2.0
// The null engine: kernels, memory, stream, engine, kind, in this order; see engine.h.
#include "core/engines/null/engine.h"

#include <cstring>

#include "core/base/clock.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/device_id.h"
#include "core/engines/testing/generated/kinds.h"  // of an engine of the library: core/engines/generated/kinds.h
#include "core/tensor/dense_bytes.h"

namespace anydim::null {

// -- kernels --------------------------------------------------------------------------------------------------------------------------

NullKernel::NullKernel(const HostKernel& reference)
    : reference_(reference), name_(std::string("null.") + reference.name()), key_(reference.key()) {}

// It packs nothing, so constants are tensors like all others.
Support NullKernel::supports(const Problem& problem) const noexcept {
  Problem without_constants = problem;
  without_constants.constant = {};
  return reference_.supports(without_constants);
}

namespace {

// DEVICE: the list of the device's kernels, best first for each operator; static objects.
const KernelTable& null_kernels() {
  static const KernelTable& table = *[] {
    auto* const all = new std::deque<NullKernel>();
    auto* const made = new KernelTable();
    for (const Kernel* k : cpu_kernels().all())
      if (std::strstr(k->name(), "reference") != nullptr) made->add(all->emplace_back(static_cast<const HostKernel&>(*k)));
    return made;
  }();
  return table;
}

Status outside(const Memory& memory, int64_t offset, int64_t bytes) {
  return invalid("{} bytes at {} were asked for; the memory has {}", bytes, offset, memory.bytes());
}
bool is_inside(const Memory& memory, int64_t offset, int64_t bytes) noexcept {
  return offset >= 0 && bytes >= 0 && offset <= memory.bytes() && bytes <= memory.bytes() - offset;
}

// -- memory ---------------------------------------------------------------------------------------------------------------------------

// DEVICE: a buffer of the device. address() is a number of the engine's choice; map() makes bytes visible to the host.
class NullMemory final : public Memory {
 public:
  NullMemory(EnginePtr engine, std::shared_ptr<AlignedBuffer> buffer)
      : Memory(std::move(engine), reinterpret_cast<uintptr_t>(buffer->data()), buffer->size()), buffer_(std::move(buffer)) {}
  Status map(int64_t offset, int64_t bytes, std::byte** out) override {
    if (!is_inside(*this, offset, bytes)) return outside(*this, offset, bytes);
    *out = buffer_->data() + offset;
    return {};
  }
  Status unmap(int64_t, int64_t) override { return {}; }

 private:
  // A device that works later holds this until its work is done, so that a Memory may be destroyed at any time.
  const std::shared_ptr<AlignedBuffer> buffer_;
};

// -- streams and events ---------------------------------------------------------------------------------------------------------------

// DEVICE: a point in a queue. Everything before it is done here when submit() returns.
class NullEvent final : public Event {
 public:
  static constexpr char kClass = 0;
  NullEvent() noexcept : Event(&kClass) {}
  Status wait() override { return {}; }
  Status time(int64_t* nanoseconds) const override {
    *nanoseconds = recorded_;
    return {};
  }
  void record() noexcept { recorded_ = wall_clock(); }

 private:
  int64_t recorded_ = 0;
};

// DEVICE: a queue. Errors of work that runs later are reported by wait(), the first one, once.
class NullStream final : public Stream {
 public:
  explicit NullStream(EnginePtr engine) : Stream(std::move(engine), Parallel(1)) {}

  // The tensors of args have no data: where they lie is in launch.in, out and post_in, one place for each; a constant has its place, too.
  Status submit(const Launch& launch) override {
    Args args = launch.args;
    const std::vector<TensorView> in = placed(args.in, launch.in), out = placed(args.out, launch.out);
    const std::vector<TensorView> post_in = placed(args.post_in, launch.post_in);
    args.in = in;
    args.out = out;
    args.post_in = post_in;
    args.weights = nullptr;
    args.scratch = pointer_to(launch.scratch);
    args.parallel = parallel();
    const FloatingPointScope floating_point;
    return static_cast<const NullKernel&>(launch.kernel).run(launch.plan, args);
  }
  Status copy(BufferRef to, BufferRef from, int64_t bytes) override {
    for (const BufferRef& place : {to, from}) {
      const Engine& of = *place.memory->engine();
      if (!of.is_host() && !same_device(of, *engine()))
        return invalid("a copy is between this device and the host; one place is of engine {}", of.kind());
      if (!is_inside(*place.memory, place.offset, bytes)) return outside(*place.memory, place.offset, bytes);
    }
    if (bytes > 0) std::memmove(pointer_to(to), pointer_to(from), static_cast<size_t>(bytes));
    return {};
  }
  Status record(EventPtr* out) override {
    if (event_as<NullEvent>(*out) == nullptr || out->use_count() > 1) *out = std::make_shared<NullEvent>();
    static_cast<NullEvent&>(**out).record();
    return {};
  }
  Status wait_for(const EventPtr& event) override { return event->wait(); }
  Status wait() override { return {}; }

 private:
  static std::vector<TensorView> placed(std::span<const TensorView> tensors, std::span<const BufferRef> places) {
    std::vector<TensorView> all(tensors.begin(), tensors.end());
    for (size_t i = 0; i < all.size(); ++i)
      if (places[i].memory != nullptr) all[i].data = pointer_to(places[i]);
    return all;
  }
};

}  // namespace

// -- engine ---------------------------------------------------------------------------------------------------------------------------

NullEngine::NullEngine(Facts facts) : Engine(std::move(facts), null_kernels()) {}

EnginePtr NullEngine::create() {
  Facts facts;
  // DEVICE: its name, its driver with the version, and as facts whatever the worth of a measured plan depends on.
  facts.identity = {"null", "no device", "1.0", "", {{"engine", "null"}, {"driver", "1.0"}}};
  facts.device_id = next_device_id();
  facts.clocks = {wall_clock, wall_clock};
  facts.base_alignment = 64;  // DEVICE: where buffers begin in a memory, and below the largest allocation
  facts.largest_allocation = kMaxSize;
  return std::shared_ptr<const NullEngine>(new NullEngine(std::move(facts)));
}

// DEVICE: what the cost model expects, in steps and bytes of a nanosecond, and nanoseconds of a call. It orders choices and promises no time.
Rates NullEngine::rates(const Kernel&, bool products) const noexcept { return {products ? 0.3 : 0.1, 8, 1000}; }

Status NullEngine::allocate(int64_t bytes, MemoryPtr* out) const {
  auto buffer = AlignedBuffer::allocate(bytes);
  if (!buffer.ok()) return buffer.take_status();
  *out = std::make_shared<NullMemory>(shared_from_this(), std::make_shared<AlignedBuffer>(std::move(*buffer)));
  return {};
}

// DEVICE: one that can read and write the host's memory returns it as its own here, without a copy, and holds `owner`.
Status NullEngine::import(void*, int64_t, std::shared_ptr<const void>, MemoryPtr*) const {
  return unimplemented("the null engine uses no memory of the host's");
}

// Its kernels name no packed form: each constant goes to the engine's memory as it is, dense and row-major.
Status NullEngine::pack(const Kernel&, const Problem&, std::span<const TensorView> tensors, const Packing&, WeightsValues* out) const {
  for (const TensorView& tensor : tensors) {
    TensorView view = tensor;
    view.data = nullptr;
    view.strides = dense_strides(tensor.dims);
    out->views.push_back(view);
    out->kept.emplace_back();
    if (tensor.dtype == DType::none) continue;
    const std::vector<std::byte> bytes = dense_bytes(tensor);
    ANYDIM_TRY(allocate(static_cast<int64_t>(bytes.size()), &out->kept.back()));
    if (!bytes.empty()) std::memcpy(pointer_to({out->kept.back().get(), 0}), bytes.data(), bytes.size());
  }
  return {};
}

Status NullEngine::create_stream(int, StreamPtr* out) const {
  *out = std::make_unique<NullStream>(shared_from_this());
  return {};
}

}  // namespace anydim::null

// -- the kind -------------------------------------------------------------------------------------------------------------------------

namespace anydim {

namespace {

class NullKind final : public EngineKind {
 public:
  const char* name() const noexcept override { return "null"; }
  // DEVICE: those that the driver lists; not_found where there is no driver.
  Status devices(std::vector<DeviceSummary>* out) const override {
    out->push_back({.name = "no device"});
    return {};
  }
  Status create(const EngineRequest& request, EnginePtr* out) const override {
    if (request.device != 0) return invalid("device is {}; there is device 0 only", request.device).about("device");
    *out = null::NullEngine::create();
    return {};
  }
};

}  // namespace

const EngineKind& null_engine_kind() noexcept {
  static constinit const NullKind kind;
  return kind;
}

}  // namespace anydim
