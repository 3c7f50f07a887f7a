// SPDX-License-Identifier: Apache-2.0
// What the CPU is to the layers above; see engine.h.
#include "core/engines/cpu/engine.h"

#include <algorithm>
#include <cstring>

#include "core/base/cpu.h"
#include "core/base/clock.h"

namespace anydim {

namespace {

constexpr size_t kMostTensors = 96;  // of a primitive: inputs, outputs, post-ops

EngineIdentity identity_of(const CpuFeatures& here) {
  EngineIdentity i;
  i.kind = "cpu";
  i.device = here.name;
  i.instruction_set = isa_name(here.usable);
  const std::pair<const char*, int64_t> caches[] = {{"l1d", here.l1d}, {"l2", here.l2}, {"l3", here.l3}};
  for (const auto& [name, bytes] : caches) i.facts.emplace_back(name, std::to_string(bytes));
  i.facts.emplace_back("cpu", here.name);
  return i;
}

// For each set of features that kernels need and that is not available: what is missing of it.
std::vector<std::pair<Isa, std::string>> missing_instructions(const CpuFeatures& here) {
  std::vector<std::pair<Isa, std::string>> all;
  for (const Kernel* k : cpu_kernels().all()) {
    const Isa needed = k->key().isa, lacking = needed.without(here.hardware), excluded = needed.without(here.usable);
    if (excluded == Isa{} || std::any_of(all.begin(), all.end(), [&](const auto& known) { return known.first == needed; })) continue;
    all.emplace_back(needed,
                     lacking == Isa{} ? "ANYDIM_MAX_ISA excludes " + features_text(excluded) : "this CPU lacks " + features_text(lacking));
  }
  return all;
}

Status out_of_range(const Memory& memory, int64_t offset, int64_t bytes) {
  return invalid("{} bytes at {} were asked for; the memory has {}", bytes, offset, memory.bytes());
}

class OwnMemory final : public Memory {
 public:
  OwnMemory(EnginePtr engine, AlignedBuffer buffer)
      : Memory(std::move(engine), reinterpret_cast<uintptr_t>(buffer.data()), buffer.size()), buffer_(std::move(buffer)) {}
  Status map(int64_t offset, int64_t bytes, std::byte** out) override {
    if (offset < 0 || bytes < 0 || bytes > this->bytes() - offset) return out_of_range(*this, offset, bytes);
    *out = buffer_.data() + offset;
    return {};
  }
  Status unmap(int64_t, int64_t) override { return {}; }

 private:
  const AlignedBuffer buffer_;
};

// What is given to it is done when the call returns.
class CpuEvent final : public Event {
 public:
  static constexpr char kClass = 0;
  CpuEvent() noexcept : Event(&kClass) {}
  Status wait() override { return {}; }
  Status time(int64_t* nanoseconds) const override {
    *nanoseconds = recorded_;
    return {};
  }
  void record() noexcept { recorded_ = wall_clock(); }

 private:
  int64_t recorded_ = 0;
};

class CpuStream final : public Stream {
 public:
  CpuStream(EnginePtr engine, const Parallel& parallel) : Stream(std::move(engine), parallel) {}

  Status submit(const Launch& launch) override {
    if (launch.in.size() + launch.out.size() + launch.post_in.size() > kMostTensors)
      return unimplemented("{} tensors in one call; at most {} are supported", launch.in.size() + launch.out.size() + launch.post_in.size(),
                           kMostTensors);
    TensorView views[kMostTensors];
    size_t count = 0;
    const auto place = [&](std::span<const TensorView> tensors, std::span<const BufferRef> places) {
      TensorView* const first = views + count;
      for (size_t i = 0; i < tensors.size(); ++i) {
        views[count] = tensors[i];
        if (places[i].memory != nullptr) views[count].data = pointer_to(places[i]);
        ++count;
      }
      return std::span<const TensorView>(first, tensors.size());
    };
    Args args = launch.args;
    args.in = place(launch.args.in, launch.in);
    args.out = place(launch.args.out, launch.out);
    args.post_in = place(launch.args.post_in, launch.post_in);
    args.scratch = pointer_to(launch.scratch);
    const FloatingPointScope floating_point;
    return static_cast<const HostKernel&>(launch.kernel).run(launch.plan, args);
  }
  Status copy(BufferRef to, BufferRef from, int64_t bytes) override {
    if (!to.memory->engine()->is_host() || !from.memory->engine()->is_host())
      return invalid("a copy from engine {} to engine {} was given to a stream of the cpu engine; expected one of the device's",
                     from.memory->engine()->kind(), to.memory->engine()->kind());
    for (const BufferRef& place : {to, from})
      if (place.offset < 0 || bytes < 0 || bytes > place.memory->bytes() - place.offset)
        return out_of_range(*place.memory, place.offset, bytes);
    if (bytes > 0) std::memmove(pointer_to(to), pointer_to(from), static_cast<size_t>(bytes));
    return {};
  }
  Status record(EventPtr* out) override {
    if (event_as<CpuEvent>(*out) == nullptr || out->use_count() > 1) *out = std::make_shared<CpuEvent>();
    static_cast<CpuEvent&>(**out).record();
    return {};
  }
  Status wait_for(const EventPtr& event) override { return event->wait(); }
  Status wait() override { return {}; }
};

// A dense row-major copy of `from`.
Status copy_dense(const TensorView& from, AlignedBuffer* memory, TensorView* to) {
  const int64_t size = dtype_size(from.dtype), count = from.count();
  auto buffer = AlignedBuffer::allocate_pages(saturating_mul(count, size));
  if (!buffer.ok()) return buffer.take_status();
  *to = from;
  to->strides = dense_strides(from.dims);
  to->data = buffer->data();
  if (is_row_major(from)) {
    if (count > 0) std::memcpy(to->data, from.data, static_cast<size_t>(count * size));
  } else {
    Dims at = Dims::filled(from.dims.rank, 0);
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (int a = 0; a < at.rank; ++a) offset += at[a] * from.strides[a];
      std::memcpy(buffer->data() + i * size, static_cast<const std::byte*>(from.data) + offset * size, static_cast<size_t>(size));
      for (int a = at.rank - 1; a >= 0 && ++at[a] == from.dims[a]; --a) at[a] = 0;
    }
  }
  *memory = std::move(*buffer);
  return {};
}

}  // namespace

CpuEngine::CpuEngine(int threads, Host host)
    : Engine({.identity = identity_of(cpu()),
              .device_id = 0,
              .is_host = true,
              .threads = threads,
              .clocks = {wall_clock, thread_clock},
              .host = std::move(host)},
             cpu_kernels()) {}

Status CpuEngine::create(int threads, EnginePtr* out, Host host) {
  if (threads < 0 || threads > kMaxThreads)
    return invalid("threads is {}; expected 0 (every core this process may use) to {}", threads, kMaxThreads);
  if (host.loop || host.memory) host.device = cpu_engine();
  *out = std::make_shared<const CpuEngine>(threads == 0 ? std::min(available_cores(), kMaxThreads) : threads, std::move(host));
  return {};
}

const EnginePtr& cpu_engine() {
  static const auto* const engine = new EnginePtr(std::make_shared<const CpuEngine>(std::min(available_cores(), kMaxThreads)));
  return *engine;
}

const char* CpuEngine::unsupported_reason(const Kernel& k) const noexcept {
  static const CpuFeatures& here = cpu();  // asked for each kernel of a list: saves the call
  const Isa needed = k.key().isa;
  if (here.usable.includes(needed)) return nullptr;
  static const auto& sentences = *new std::vector<std::pair<Isa, std::string>>(missing_instructions(here));
  for (const auto& [set, sentence] : sentences)
    if (set == needed) return sentence.c_str();
  return "this CPU lacks features that it needs";  // no kernel of the list
}

// Products: the peak of one AMD Zen 4 class core at 3.6 GHz is 58 multiply-adds a nanosecond with AVX-512 (117 GFLOP/s, shared by
// our facts), half with AVX2; plain code does one, the scalar reference with its fma calls 0.3. Other steps are bound by their
// functions: estimates, not calibrated. Memory: one core's; caches are faster.
Rates CpuEngine::rates(const Kernel& k, bool products) const noexcept {
  Rates r;
  if (std::strstr(k.name(), "reference") != nullptr) r.steps_per_nanosecond = products ? 0.3 : 0.1;
  else if (k.key().isa.includes(Isa::avx512)) r.steps_per_nanosecond = products ? 58 : 8;
  else if (k.key().isa.includes(Isa::avx2)) r.steps_per_nanosecond = products ? 29 : 4;
  else r.steps_per_nanosecond = products ? 1 : 0.5;
  return r;
}

Status CpuEngine::allocate(int64_t bytes, MemoryPtr* out) const {
  const MemorySourceScope scope(memory());
  auto buffer = AlignedBuffer::allocate(bytes);
  if (!buffer.ok()) return buffer.take_status();
  *out = std::make_shared<OwnMemory>(shared_from_this(), std::move(*buffer));
  return {};
}

Status CpuEngine::import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const {
  if (bytes < 0 || (data == nullptr && bytes > 0)) return invalid("{} bytes at {} are no memory", bytes, data);
  *out = std::make_shared<HostMemory>(data, bytes, std::move(owner));
  return {};
}

Status CpuEngine::pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                       WeightsValues* out) const {
  const MemorySourceScope scope(memory());
  if (kernel.packed_form(problem).format != nullptr)
    ANYDIM_TRY(pack_constants(static_cast<const HostKernel&>(kernel), problem, tensors, packing, &out->packed));
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorView view = tensors[i];
    if (out->packed.form.operands.has(i)) {
      view.data = nullptr;
    } else if (view.data != nullptr) {
      out->copies.emplace_back();
      ANYDIM_TRY(copy_dense(tensors[i], &out->copies.back(), &view));
    }
    out->views.push_back(view);
  }
  return {};
}

Status CpuEngine::create_stream(int threads, StreamPtr* out) const {
  *out = std::make_unique<CpuStream>(shared_from_this(), parallel(threads));
  return {};
}

Status HostMemory::map(int64_t offset, int64_t bytes, std::byte** out) {
  if (offset < 0 || bytes < 0 || bytes > this->bytes() - offset) return out_of_range(*this, offset, bytes);
  *out = reinterpret_cast<std::byte*>(address()) + offset;
  return {};
}

int64_t WeightsValues::bytes() const noexcept {
  int64_t n = 0;
  for (int i = 0; i < packed.form.count; ++i) n += packed.form.pieces[i].bytes();
  for (const AlignedBuffer& b : copies) n += b.size();
  for (const MemoryPtr& m : pieces) n += m->bytes();
  for (const MemoryPtr& m : kept) n += m != nullptr ? m->bytes() : 0;
  return n;
}

}  // namespace anydim
