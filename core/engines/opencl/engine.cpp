// SPDX-License-Identifier: Apache-2.0
// Making OpenCL engines, their memory and their programs; see engine.h.
#include "core/engines/opencl/engine.h"

#include <algorithm>
#include <cstring>

#include "core/base/environment.h"
#include "core/base/clock.h"
#include "core/engines/device_id.h"
#include "core/engines/opencl/exit_gate.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/memory.h"
#include "core/engines/opencl/probe.h"
#include "core/engines/opencl/stream.h"
#include "core/engines/opencl/wrapped_source.h"
#include "core/tensor/dense_bytes.h"

namespace anydim::opencl {

namespace {

// Drivers on which the tests have found the processor's bits (docs/opencl.md): nobody gets another one without asking.
constexpr std::string_view kProven[] = {"Portable Computing Language", "Intel(R) OpenCL"};
bool is_proven(const DeviceFacts& d) noexcept {
  return d.traits.kind == DeviceKind::cpu && std::find(std::begin(kProven), std::end(kProven), d.platform_name) != std::end(kProven);
}
bool unproven_are_allowed() noexcept {
  static constexpr const char* kWords[] = {"proven", "all"};
  static const bool all = environment_word("ANYDIM_OPENCL_DRIVERS", kWords, 0) == 1;
  return all;
}

// By `anydim opencl warm`, whose process ends when they are stored.
bool binaries_are_wanted_now() noexcept {
  static constexpr const char* kWords[] = {"later", "now"};
  static const bool now = environment_word("ANYDIM_OPENCL_BINARIES", kWords, 0) == 1;
  return now;
}

// The engines of this process that somebody has.
struct Known {
  struct One {
    const Api* api;
    DeviceId device;
    ContextId context;
    bool flushed_denormals;
    BinaryStore* store;
    std::weak_ptr<const OpenclEngine> engine;
  };
  std::mutex mutex;
  std::vector<One> all;
};
Known& known() {
  static auto* const one = new Known();
  return *one;
}

bool has_device(const Api& api, ContextId context, DeviceId device) {
  size_t bytes = 0;
  if (api.get_context_info(context, cl::kContextDevices, 0, nullptr, &bytes) != cl::kSuccess) return false;
  std::vector<DeviceId> devices(bytes / sizeof(DeviceId));
  if (api.get_context_info(context, cl::kContextDevices, bytes, devices.data(), nullptr) != cl::kSuccess) return false;
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

// What the host program's object says of itself; false where it is none.
template <class Id, class T> bool object_says(Int (*info)(Id, Uint, size_t, void*, size_t*), Id object, Uint what, T* out) {
  return info(object, what, sizeof *out, out, nullptr) == cl::kSuccess;
}

}  // namespace

Status OpenclEngine::create(const Options& options, std::shared_ptr<const OpenclEngine>* out) {
  const Api* api = options.api;
  if (api == nullptr) ANYDIM_TRY(load_api(&api));
  std::vector<DeviceFacts> devices;
  ANYDIM_TRY(list_devices(*api, &devices));
  if (devices.empty()) return no_device(*api);
  size_t number = static_cast<size_t>(options.device);
  if (options.context != nullptr) {
    number = static_cast<size_t>(
        std::find_if(devices.begin(), devices.end(), [&](const DeviceFacts& d) { return d.id == options.device_id; }) - devices.begin());
    if (number == devices.size())
      return invalid("cl_device is {}, which is none of the {} OpenCL devices of this machine", static_cast<const void*>(options.device_id),
                     devices.size())
          .about("cl_device");
    if (!has_device(*api, options.context, options.device_id))
      return invalid("cl_context is no context of the device {}", devices[number].name).about("cl_context");
  } else if (options.device < 0 || number >= devices.size()) {
    return invalid("device is {}; this machine has OpenCL devices 0..{}", options.device, devices.size() - 1);
  }
  const DeviceFacts& device = devices[number];
  if (!device.available) return unimplemented("OpenCL device {} is not available, has no compiler, or is big-endian", device.name);
  Known& k = known();
  // No child comes here whose parent did: load_api() says no. Making one takes a while, and two threads that want the same wait for one.
  const std::lock_guard lock(k.mutex);
  std::erase_if(k.all, [](const Known::One& one) { return one.engine.expired(); });
  for (const Known::One& one : k.all)
    if (one.api == api && one.device == device.id && one.context == options.context && one.flushed_denormals == options.flushed_denormals &&
        one.store == options.store)
      if ((*out = one.engine.lock()) != nullptr) return {};
  ANYDIM_TRY(make(options, *api, device, out));
  k.all.push_back({api, device.id, options.context, options.flushed_denormals, options.store, *out});
  return {};
}

Status OpenclEngine::make(const Options& options, const Api& api, const DeviceFacts& device, std::shared_ptr<const OpenclEngine>* out) {
  if (!is_proven(device) && !unproven_are_allowed())
    return unimplemented(
        "OpenCL device {} is driven by {} ({}); kernels are proven on processors driven by {} or {} only "
        "(ANYDIM_OPENCL_DRIVERS=all allows others, whose results may be wrong)",
        device.name, device.platform_name, device.driver, kProven[0], kProven[1]);
  ExitGate::watch_this_thread();
  const DriverThreadsMark mark;
  const Property properties[] = {cl::kContextPlatform, reinterpret_cast<Property>(device.platform_id), 0};
  Int code = cl::kSuccess;
  if (options.context != nullptr) code = api.retain_context(options.context);
  OwnedContext context(
      api, options.context != nullptr ? options.context : api.create_context(properties, 1, &device.id, nullptr, nullptr, &code));
  if (code != cl::kSuccess) return failure(code, options.context != nullptr ? "retaining cl_context" : "creating a context");
  OwnedQueue queue(api, api.create_command_queue(context.get(), device.id, 0, &code));
  if (code != cl::kSuccess) return failure(code, "creating a queue");
  Facts facts;
  facts.identity.kind = "opencl";
  facts.identity.device = device.name;
  facts.identity.driver = formatted("{}, {}, {}, {}", device.driver, device.version, device.platform_name, device.platform_version);
  facts.identity.facts = {{"engine", "opencl"}, {"device", device.name}, {"driver", facts.identity.driver}};
  facts.device_id = next_device_id();
  facts.clocks = {wall_clock, wall_clock};
  facts.base_alignment = device.base_alignment;
  facts.largest_allocation = device.largest_allocation;
  std::shared_ptr<OpenclEngine> made(new OpenclEngine(std::move(facts), api, device, options, std::move(context), std::move(queue)));
  made->probed_.imports = true;  // while it is found out
  const bool shares_memory = device.is_cpu && device_number<Uint>(api, device.id, cl::kDeviceHostUnifiedMemory) != 0;
  Probed probed;
  ANYDIM_TRY(probe_arithmetic(*made, options.flushed_denormals, shares_memory, &probed));
  made->probed_ = probed;
  if (device.is_cpu) made->threads_.find();  // the probe has launched something
  ExitGate::before_what_was_registered();
  *out = std::move(made);
  return {};
}

OpenclEngine::OpenclEngine(Facts facts, const Api& api, DeviceFacts device, const Options& options, OwnedContext context, OwnedQueue queue)
    : CompilingEngine(std::move(facts), opencl_kernels(), device.traits, options.store),
      api_(api),
      device_(std::move(device)),
      context_(std::move(context)),
      queue_(std::move(queue)) {}

OpenclEngine::~OpenclEngine() = default;

// Estimates, not calibrated: of a few vectors per unit.
Rates OpenclEngine::rates(const Kernel&, bool products) const noexcept {
  Rates r;
  r.steps_per_nanosecond = static_cast<double>(device_.units * device_.traits.vector_floats) * (products ? 2 : 0.5);
  r.call_nanoseconds = 20000;
  return r;
}

Status OpenclEngine::allocate(int64_t bytes, MemoryPtr* out) const {
  ANYDIM_TRY(usable());
  if (bytes < 0) return invalid("{} bytes were asked for; expected 0 or more", bytes);
  if (bytes > largest_allocation())
    return error(Code::out_of_memory, "{} bytes were asked for; the largest allocation of device {} is {}", bytes, device_.name,
                 largest_allocation());
  Int code = cl::kSuccess;
  const int64_t whole = std::max<int64_t>(bytes, 1);  // no buffer is empty
  OwnedMem buffer(api_, api_.create_buffer(context_.get(), cl::kMemReadWrite, static_cast<size_t>(whole), nullptr, &code));
  if (code != cl::kSuccess) return failure(code, "allocating memory");
  *out = std::make_shared<OpenclMemory>(std::static_pointer_cast<const OpenclEngine>(shared_from_this()), std::move(buffer), bytes);
  return {};
}

Status OpenclEngine::import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const {
  ANYDIM_TRY(usable());
  if (bytes < 0 || (data == nullptr && bytes > 0)) return invalid("{} bytes at {} are no memory", bytes, data);
  if (!probed_.imports) return unimplemented("device {} cannot reach the memory of the host", device_.name);
  if (bytes == 0 || reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(base_alignment()) != 0)
    return unimplemented("{} bytes at {}; device {} reaches memory of the host that begins at a multiple of {} and is not empty", bytes,
                         data, device_.name, base_alignment());
  if (bytes > largest_allocation())
    return unimplemented("{} bytes; device {} reaches at most {} at once", bytes, device_.name, largest_allocation());
  Int code = cl::kSuccess;
  OwnedMem buffer(api_,
                  api_.create_buffer(context_.get(), cl::kMemReadWrite | cl::kMemUseHostPtr, static_cast<size_t>(bytes), data, &code));
  if (code != cl::kSuccess) return failure(code, "importing memory");
  if (owner != nullptr) {
    auto owned = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
    code = api_.set_mem_object_destructor_callback(
        buffer.get(), [](MemId, void* owned) { delete static_cast<std::shared_ptr<const void>*>(owned); }, owned.get());
    if (code != cl::kSuccess) return failure(code, "importing memory");
    owned.release();
  }
  *out = std::make_shared<OpenclMemory>(std::static_pointer_cast<const OpenclEngine>(shared_from_this()), std::move(buffer), bytes);
  return {};
}

Status OpenclEngine::upload(MemoryPtr* to, const void* from, int64_t bytes) const {
  ANYDIM_TRY(allocate(bytes, to));
  if (bytes == 0) return {};
  const std::lock_guard lock(queue_mutex_);
  EventId event = nullptr;
  const Int code = api_.enqueue_write_buffer(queue_.get(), static_cast<OpenclMemory&>(**to).id(), cl::kFalse, 0, static_cast<size_t>(bytes),
                                             from, 0, nullptr, &event);
  return finish_command(api_, code, event, "copying constants to the device");
}

Status OpenclEngine::pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                          WeightsValues* out) const {
  ANYDIM_TRY(usable());
  PackedWeights host;
  host.form = kernel.packed_form(problem);
  if (host.form.format != nullptr) {
    ANYDIM_TRY(pack_constants(static_cast<const DeviceKernel&>(kernel), problem, tensors, packing, &host));
    for (int i = 0; i < host.form.count; ++i) ANYDIM_TRY(upload(&out->pieces.emplace_back(), host.pieces[i], host.form.pieces[i].bytes()));
  }
  out->packed.form = host.form;
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorView view = tensors[i];
    view.data = nullptr;
    view.strides = dense_strides(view.dims);
    out->views.push_back(view);
    out->kept.emplace_back();
    if (view.dtype == DType::none || host.form.operands.has(i)) continue;
    const std::vector<std::byte> bytes = dense_bytes(tensors[i]);
    ANYDIM_TRY(upload(&out->kept.back(), bytes.data(), static_cast<int64_t>(bytes.size())));
  }
  return {};
}

Status OpenclEngine::create_stream(int, StreamPtr* out) const {
  ANYDIM_TRY(usable());
  ExitGate::watch_this_thread();
  Int code = cl::kSuccess;
  OwnedQueue queue(api_, api_.create_command_queue(context_.get(), device_.id, cl::kQueueProfilingEnable, &code));
  if (code != cl::kSuccess) return failure(code, "creating a queue");
  *out = std::make_unique<OpenclStream>(std::static_pointer_cast<const OpenclEngine>(shared_from_this()), std::move(queue));
  return {};
}

Status OpenclEngine::create_stream_over(QueueId queue, StreamPtr* out) const {
  ANYDIM_TRY(usable());
  ContextId context = nullptr;
  DeviceId device = nullptr;
  Bits properties = 0;
  if (queue == nullptr || !object_says(api_.get_command_queue_info, queue, cl::kQueueContext, &context) ||
      !object_says(api_.get_command_queue_info, queue, cl::kQueueDevice, &device) ||
      !object_says(api_.get_command_queue_info, queue, cl::kQueueProperties, &properties))
    return invalid("cl_queue {} is no command queue", static_cast<const void*>(queue)).about("cl_queue");
  if (context != context_.get() || device != device_.id)
    return invalid("cl_queue is of another context or device than the engine (device {}); make the engine with its context", device_.name)
        .about("cl_queue");
  if ((properties & cl::kQueueOutOfOrder) != 0)
    return invalid("cl_queue runs its commands out of order; expected a queue that runs them in order").about("cl_queue");
  if (const Int code = api_.retain_command_queue(queue); code != cl::kSuccess) return failure(code, "retaining cl_queue");
  *out = std::make_unique<OpenclStream>(std::static_pointer_cast<const OpenclEngine>(shared_from_this()), OwnedQueue(api_, queue));
  return {};
}

Status OpenclEngine::import_buffer(MemId buffer, MemoryPtr* out) const {
  ANYDIM_TRY(usable());
  Uint type = 0;
  Bits flags = 0;
  size_t bytes = 0;
  ContextId context = nullptr;
  if (buffer == nullptr || !object_says(api_.get_mem_object_info, buffer, cl::kMemType, &type) ||
      !object_says(api_.get_mem_object_info, buffer, cl::kMemFlags, &flags) ||
      !object_says(api_.get_mem_object_info, buffer, cl::kMemSize, &bytes) ||
      !object_says(api_.get_mem_object_info, buffer, cl::kMemContext, &context))
    return invalid("cl_buffer {} is no memory object", static_cast<const void*>(buffer)).about("cl_buffer");
  if (type != cl::kMemObjectBuffer)
    return invalid("cl_buffer is of type {:#x}; expected a buffer ({:#x})", type, cl::kMemObjectBuffer).about("cl_buffer");
  // Kernels find places with numbers of 32 bits.
  if (static_cast<int64_t>(bytes) > largest_allocation())
    return unimplemented("cl_buffer has {} bytes; the largest allocation of device {} is {}", bytes, device_.name, largest_allocation())
        .about("cl_buffer");
  if (context != context_.get())
    return invalid("cl_buffer is of another context than the engine; make the engine with its context").about("cl_buffer");
  if ((flags & (cl::kMemReadOnly | cl::kMemWriteOnly)) != 0)
    return invalid("cl_buffer has the flags {:#x}; expected a buffer that kernels read and write (CL_MEM_READ_WRITE)", flags)
        .about("cl_buffer");
  if (const Int code = api_.retain_mem_object(buffer); code != cl::kSuccess) return failure(code, "retaining cl_buffer");
  *out = std::make_shared<OpenclMemory>(std::static_pointer_cast<const OpenclEngine>(shared_from_this()), OwnedMem(api_, buffer),
                                        static_cast<int64_t>(bytes));
  return {};
}

Status OpenclEngine::finish_all() const {
  std::vector<OwnedQueue> queues;
  {
    const std::lock_guard lock(streams_mutex_);
    for (const OpenclStream* s : streams_)
      if (api_.retain_command_queue(s->queue()) == cl::kSuccess) queues.emplace_back(api_, s->queue());
  }
  for (const OwnedQueue& q : queues) ANYDIM_TRY(finish_queue(api_, q.get()));
  return {};
}

std::string OpenclEngine::binary_key(const CompileKey& key, const DeviceSource& source) const {
  return formatted("{}\n{}\n{}\n{}\n{}", identity().device, identity().driver, key.text(), source.options, source.text);
}

Status OpenclEngine::compile(const CompileKey& key, const DeviceSource& source, DeviceProgram* out, std::string* binary) const {
  ANYDIM_TRY(usable());
  std::shared_ptr<Program> program;
  const int64_t begun = wall_clock();
  ANYDIM_TRY(builder().compile(source, &program));
  if (const Binaries when = binaries_.load(std::memory_order_relaxed); when != Binaries::later) {
    const int64_t compiled = wall_clock();
    *binary = builder().binary_of(*program, binary_key(key, source));
    const int64_t asked = wall_clock() - compiled;
    // The first program's compilation has the driver's own beginning in it (PoCL: half a second), so nothing is held against it.
    constexpr int64_t kLong = 5000000;  // ns
    const bool costs = asked > kLong && (when == Binaries::unknown || asked > (compiled - begun) / 8);
    binaries_.store(costs && !binaries_are_wanted_now() ? Binaries::later : Binaries::now, std::memory_order_relaxed);
  }
  // What a driver keeps of a program is not known: its binary's size stands for it.
  *out = {std::move(program), static_cast<int64_t>(source.text.size() + binary->size())};
  return {};
}

ProgramMaker::LateBinary OpenclEngine::late_binary(const CompileKey& key, const DeviceSource& source, const DeviceProgram& program) const {
  if (binaries_.load(std::memory_order_relaxed) != Binaries::later) return {};
  // The engine is there: it is what asks.
  return [this, key = binary_key(key, source), object = std::static_pointer_cast<const Program>(program.object)] {
    return builder().binary_of(*object, key);
  };
}

Status OpenclEngine::load(const CompileKey& key, const DeviceSource& source, const std::string& binary, DeviceProgram* out) const {
  ANYDIM_TRY(usable());
  std::shared_ptr<Program> program;
  ANYDIM_TRY(builder().load(source, binary_key(key, source), binary, &program));
  *out = {std::move(program), static_cast<int64_t>(source.text.size() + binary.size())};
  return {};
}

bool OpenclEngine::specialised_source(const DeviceSource& source, const DeviceWork& work, DeviceSource* out) const {
  return with_constants(source, work, out);
}

}  // namespace anydim::opencl
