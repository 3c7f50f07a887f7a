// SPDX-License-Identifier: Apache-2.0
// The functions of a definition as an engine of the core. What they return is checked; memory that queued work uses is
// kept until the queue was waited for. A function that writes where it must not, that ends the process or that never returns cannot be
// contained in it (docs/engines-from-outside.md).
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>

#include "capi/engine_graph_copy.h"
#include "capi/engine_plugin.h"
#include "capi/environment.h"
#include "capi/objects.h"
#include "capi/shim_support.h"
#include "core/base/clock.h"
#include "core/engines/device_id.h"
#include "core/engines/registry.h"
#include "core/ops/part.h"
#include "core/ops/quantization.h"
#include "core/tensor/dense_bytes.h"

namespace anydim::capi {

namespace {

class PluginKernel;

// A definition that was registered.
struct Plugin {
  Plugin(const anydim_engine_definition_t& d, std::shared_ptr<const void> from)
      : library(std::move(from)), environment(d.user, d.finalizer), calls(d), name(d.name), device(d.device), driver(d.driver) {}

  // A callback that failed, with what it says.
  Status failure(Code code, const char* what) const {
    const auto* const said = calls.last_error != nullptr ? static_cast<const char*>(calls.last_error(calls.user)) : nullptr;
    return error(code, "{} of engine {} failed: {}", what, name, said != nullptr ? said : "it gave no reason");
  }
  Status status_of(int32_t code, const char* what) const {
    if (code == ANYDIM_STATUS_OK) return {};
    return failure(code > 0 && code <= ANYDIM_STATUS_DEVICE_LOST ? static_cast<Code>(code) : Code::internal, what);
  }

  const std::shared_ptr<const void> library;  // the last to go
  const Environment environment;
  const anydim_engine_definition_t calls;
  const std::string name, device, driver;
  std::deque<PluginKernel> kernels;
  const PluginKernel* parts = nullptr;  // the last of them, where it takes parts; in no table
  KernelTable table;
};
using PluginPtr = std::shared_ptr<const Plugin>;

// What a callback returned; the last who holds it has it destroyed.
struct PluginObject {
  PluginObject(PluginPtr of, void* made, anydim_engine_object_callback_t by) : plugin(std::move(of)), object(made), destroy(by) {}
  ~PluginObject() {
    if (object != nullptr) destroy(plugin->calls.user, object);
  }
  const PluginPtr plugin;
  void* const object;
  const anydim_engine_object_callback_t destroy;
  std::shared_ptr<const void> needs;  // goes after it
};
using PluginObjectPtr = std::shared_ptr<const PluginObject>;

// -- kernels --------------------------------------------------------------------------------------------------------------------------

class PluginKernel final : public Kernel {
 public:
  PluginKernel(const Plugin& plugin, const anydim_engine_kernel_t& from, int number)
      : PluginKernel(plugin, from.name, static_cast<OpKind>(from.op), number) {}
  PluginKernel(const Plugin& plugin, std::string name, OpKind op, int number)
      : plugin_(plugin), name_(std::move(name)), key_{.op = op}, number_(number) {}
  const char* name() const noexcept override { return name_.c_str(); }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override try {
    if (number_ < 0) return yes();  // a part, which was claimed
    if (p.post_ops->count > 0) return no("an engine from outside takes no post-ops");
    if (p.quantization != nullptr) return no("an engine from outside takes no quantized problems");
    for (const Dim& d : p.op->dim_attributes())
      if (!d.is_number()) return no("attributes that only a run knows are not passed to an engine from outside");
    const OperatorCopy op(*p.op);
    PluginCall problem;
    problem.of(p, op, number_);
    const void* const reason = plugin_.calls.supports(plugin_.calls.user, &problem.call);
    // Reasons are held by what outlives the engine.
    return {reason != nullptr ? kept_string(static_cast<const char*>(reason)).data : nullptr};
  } catch (...) {
    return no("its function supports threw, or there is no memory to call it");
  }
  void plan(const Args&, Plan*) const noexcept override {}
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  int number() const noexcept { return number_; }

 private:
  const Plugin& plugin_;
  const std::string name_;
  const KernelKey key_;
  const int number_;
};

// -- engine ---------------------------------------------------------------------------------------------------------------------------

// Numbers that no process has mapped, as the OpenCL engine's.
uintptr_t next_plugin_address(int64_t bytes) noexcept {
  static std::atomic<uintptr_t> next{uintptr_t{3} << 61};
  constexpr uintptr_t kPage = 65536;
  return next.fetch_add((static_cast<uintptr_t>(std::max<int64_t>(bytes, 1)) + 2 * kPage - 1) / kPage * kPage);
}

class PluginStream;

class PluginEngine final : public Engine {
 public:
  static Status create(const PluginPtr& plugin, EnginePtr* out) {
    const anydim_engine_definition_t& d = plugin->calls;
    void* const made = d.create(d.user);
    if (made == nullptr) return plugin->failure(Code::not_found, "create");
    auto object = std::make_shared<const PluginObject>(plugin, made, d.destroy);
    Facts facts;
    facts.identity.kind = plugin->name.c_str();
    facts.identity.device = plugin->device;
    facts.identity.driver = plugin->driver;
    constexpr const char* kFacts[] = {"engine", "device", "driver"};
    const std::string* const values[] = {&plugin->name, &plugin->device, &plugin->driver};
    for (int i = 0; i < 3; ++i) facts.identity.facts.emplace_back(kFacts[i], *values[i]);
    facts.device_id = next_device_id();
    facts.clocks = {wall_clock, wall_clock};
    facts.base_alignment = d.base_alignment;
    if (d.largest_allocation > 0) facts.largest_allocation = d.largest_allocation;
    *out = std::make_shared<const PluginEngine>(std::move(facts), std::move(object));
    return {};
  }
  PluginEngine(Facts facts, PluginObjectPtr object) : Engine(std::move(facts), object->plugin->table), object_(std::move(object)) {}

  const char* unsupported_reason(const Kernel&) const noexcept override { return nullptr; }
  Rates rates(const Kernel&, bool) const noexcept override { return {}; }
  Status prepare(const Kernel& kernel, const Problem& problem, ExecutablePtr* out) const override;
  Status allocate(int64_t bytes, MemoryPtr* out) const override;
  Status import(void*, int64_t, std::shared_ptr<const void>, MemoryPtr*) const override {
    return unimplemented("an engine from outside uses no memory of the host's");
  }
  Status pack(const Kernel&, const Problem&, std::span<const TensorView> tensors, const Packing&, WeightsValues* out) const override;
  Status create_stream(int, StreamPtr* out) const override;
  bool claims() const noexcept override { return plugin().parts != nullptr; }
  Status claim(const EngineGraph& graph, std::span<int32_t> parts) const override {
    const GraphCopy copy(graph);
    return plugin().status_of(calls().claim(calls().user, object_->object, copy.get(), parts.data(), static_cast<int64_t>(parts.size())),
                              "claim");
  }
  Status compile(const EngineGraph& part, const Kernel** kernel, ExecutablePtr* out) const override;

  const Plugin& plugin() const noexcept { return *object_->plugin; }
  const anydim_engine_definition_t& calls() const noexcept { return plugin().calls; }
  // An object of this engine's; null: `what` failed.
  Status hold(void* made, anydim_engine_object_callback_t destroy, Code code, const char* what, PluginObjectPtr* out) const {
    if (made == nullptr) return plugin().failure(code, what);
    auto object = std::make_shared<PluginObject>(object_->plugin, made, destroy);
    object->needs = object_;
    *out = std::move(object);
    return {};
  }
  // Bytes between the host and a memory, done when it returns.
  Status transfer(void* memory, int64_t offset, void* host, int64_t bytes, bool to_host) const;
  void finish_all() const;

 private:
  friend class PluginStream;
  const PluginObjectPtr object_;
  mutable std::mutex own_mutex_, streams_mutex_;
  mutable PluginObjectPtr own_stream_;  // of what is no stream's
  mutable std::vector<PluginStream*> streams_;
};

struct PluginExecutable final : Executable {
  std::optional<OperatorCopy> op;  // none: it is a part
  PluginObjectPtr object;          // null: nothing had to be prepared
};

class PluginMemory final : public Memory {
 public:
  PluginMemory(std::shared_ptr<const PluginEngine> engine, PluginObjectPtr object, int64_t bytes)
      : Memory(engine, next_plugin_address(bytes), bytes), engine_(*engine), object_(std::move(object)) {}
  // The host sees a copy, which goes back when it is unmapped.
  Status map(int64_t offset, int64_t bytes, std::byte** out) override {
    ANYDIM_TRY(check_range(*this, offset, bytes));
    engine_.finish_all();
    auto view = AlignedBuffer::allocate(bytes);
    if (!view.ok()) return view.take_status();
    ANYDIM_TRY(engine_.transfer(object_->object, offset, view->data(), bytes, true));
    const std::lock_guard lock(mutex_);
    *out = view->data();
    mapped_.emplace_back(offset, std::move(*view));
    return {};
  }
  Status unmap(int64_t offset, int64_t bytes) override {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(mapped_.begin(), mapped_.end(), [&](const auto& m) { return m.first == offset && m.second.size() == bytes; });
    if (found == mapped_.end()) return invalid("{} bytes at {} are not mapped", bytes, offset);
    Status s = engine_.transfer(object_->object, offset, found->second.data(), bytes, false);
    mapped_.erase(found);
    return s;
  }
  static Status check_range(const Memory& memory, int64_t offset, int64_t bytes) {
    if (offset >= 0 && bytes >= 0 && bytes <= memory.bytes() - offset) return {};
    return invalid("{} bytes at {} were asked for; the memory has {}", bytes, offset, memory.bytes());
  }
  const PluginObjectPtr& object() const noexcept { return object_; }

 private:
  const PluginEngine& engine_;  // Memory holds it
  const PluginObjectPtr object_;
  std::mutex mutex_;
  std::vector<std::pair<int64_t, AlignedBuffer>> mapped_;
};

// -- streams and events ---------------------------------------------------------------------------------------------------------------

class PluginEvent final : public Event {
 public:
  static constexpr char kClass = 0;
  explicit PluginEvent(PluginObjectPtr o) : Event(&kClass), object(std::move(o)) {}
  Status wait() override {
    if (object == nullptr) return {};  // the stream was waited for when it was recorded
    const anydim_engine_definition_t& calls = object->plugin->calls;
    return object->plugin->status_of(calls.event_wait(calls.user, object->object), "event_wait");
  }
  Status time(int64_t*) const override { return unimplemented("an engine from outside measures no times"); }
  const PluginObjectPtr object;
};

class PluginStream final : public Stream {
 public:
  PluginStream(std::shared_ptr<const PluginEngine> engine, PluginObjectPtr object)
      : Stream(engine, Parallel(1)), of_(*engine), object_(std::move(object)) {
    const std::lock_guard lock(of_.streams_mutex_);
    of_.streams_.push_back(this);
  }
  ~PluginStream() override {
    {
      const std::lock_guard lock(of_.streams_mutex_);
      std::erase(of_.streams_, this);
    }
    drain();
  }

  Status submit(const Launch& launch) override {
    const std::lock_guard lock(mutex_);
    const auto& executable = static_cast<const PluginExecutable&>(*launch.executable);
    call_.views.clear();
    add(launch.args.in, launch.in);
    add(launch.args.out, launch.out);
    const OperatorCopy* const op = executable.op ? &*executable.op : nullptr;
    call_.finish(op, launch.args.in.size(), static_cast<const PluginKernel&>(launch.kernel).number());
    held_.push_back(launch.keep);
    void* const prepared = executable.object != nullptr ? executable.object->object : nullptr;
    const auto function = op != nullptr ? calls().launch : calls().part_launch;
    return given(function(calls().user, object_->object, prepared, &call_.call), op != nullptr ? "launch" : "part_launch");
  }
  Status copy(BufferRef to, BufferRef from, int64_t bytes) override {
    void* places[2];
    int64_t offsets[2];
    bool hosts[2];
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < 2; ++i) {
      const BufferRef& p = i == 0 ? to : from;
      const Engine& of = *p.memory->engine();
      hosts[i] = of.is_host();
      if (!hosts[i] && !same_device(of, of_))
        return invalid("a copy is between this device and the host; one place is of engine {}", of.kind());
      ANYDIM_TRY(PluginMemory::check_range(*p.memory, p.offset, bytes));
      places[i] = hosts[i] ? pointer_to(p) : static_cast<PluginMemory*>(p.memory)->object()->object;
      offsets[i] = hosts[i] ? 0 : p.offset;
      if (!hosts[i]) held_.push_back(static_cast<PluginMemory*>(p.memory)->object());
    }
    if (bytes == 0) return {};
    if (hosts[0] && hosts[1]) return std::memmove(places[0], places[1], static_cast<size_t>(bytes)), Status();
    const auto function = hosts[0] ? calls().download : hosts[1] ? calls().upload : calls().copy;
    return given(function(calls().user, object_->object, places[0], offsets[0], places[1], offsets[1], bytes), hosts[0]   ? "download"
                                                                                                               : hosts[1] ? "upload"
                                                                                                                          : "copy");
  }
  Status record(EventPtr* out) override {
    const std::lock_guard lock(mutex_);
    PluginObjectPtr event;
    if (calls().event_record == nullptr) ANYDIM_TRY(wait_locked());
    else
      ANYDIM_TRY(of_.hold(calls().event_record(calls().user, object_->object), calls().event_destroy, Code::out_of_memory, "event_record",
                          &event));
    *out = std::make_shared<PluginEvent>(std::move(event));
    return {};
  }
  Status wait_for(const EventPtr& event) override {
    const auto* const theirs = event_as<PluginEvent>(event);
    if (theirs == nullptr || theirs->object == nullptr || theirs->object->plugin != object_->plugin) return event->wait();
    const std::lock_guard lock(mutex_);
    held_.push_back(theirs->object);
    return given(calls().event_order(calls().user, object_->object, theirs->object->object), "event_order");
  }
  Status wait() override {
    const std::lock_guard lock(mutex_);
    return wait_locked();
  }
  // What goes wrong is reported by the next wait().
  void drain() {
    const std::lock_guard lock(mutex_);
    late_ = wait_locked();
  }

 private:
  static constexpr size_t kMostHeld = 8192;
  const anydim_engine_definition_t& calls() const noexcept { return of_.calls(); }
  void add(std::span<const TensorView> tensors, std::span<const BufferRef> places) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      call_.add(tensors[i]);
      if (places[i].memory == nullptr) continue;
      held_.push_back(static_cast<PluginMemory*>(places[i].memory)->object());
      call_.views.back().data = static_cast<PluginMemory*>(places[i].memory)->object()->object;
      call_.views.back().offset = places[i].offset;
    }
  }
  Status given(int32_t code, const char* what) {
    Status s = of_.plugin().status_of(code, what);
    if (s.ok() && held_.size() > kMostHeld) s = wait_locked();
    return s;
  }
  Status wait_locked() {
    Status s = of_.plugin().status_of(calls().stream_wait(calls().user, object_->object), "stream_wait");
    held_.clear();
    if (!late_.ok()) s = std::exchange(late_, Status());
    return s;
  }

  const PluginEngine& of_;  // Stream holds it
  const PluginObjectPtr object_;
  std::mutex mutex_;
  PluginCall call_;
  std::vector<std::shared_ptr<const void>> held_;  // by work that may still run
  Status late_;
};

std::shared_ptr<const PluginEngine> plugin_engine(const Engine& engine) {
  return std::static_pointer_cast<const PluginEngine>(engine.shared_from_this());
}

Status PluginEngine::prepare(const Kernel& kernel, const Problem& problem, ExecutablePtr* out) const {
  auto made = std::make_shared<PluginExecutable>();
  made->op.emplace(*problem.op);
  if (calls().prepare != nullptr) {
    PluginCall call;
    call.of(problem, *made->op, static_cast<const PluginKernel&>(kernel).number());
    ANYDIM_TRY(
        hold(calls().prepare(calls().user, object_->object, &call.call), calls().release, Code::unimplemented, "prepare", &made->object));
  }
  *out = std::move(made);
  return {};
}

Status PluginEngine::compile(const EngineGraph& part, const Kernel** kernel, ExecutablePtr* out) const {
  const GraphCopy copy(part);
  auto made = std::make_shared<PluginExecutable>();
  ANYDIM_TRY(hold(calls().part_compile(calls().user, object_->object, copy.get()), calls().part_release, Code::unimplemented,
                  "part_compile", &made->object));
  *kernel = plugin().parts;
  *out = std::move(made);
  return {};
}

Status PluginEngine::allocate(int64_t bytes, MemoryPtr* out) const {
  if (bytes < 0 || bytes > largest_allocation() || bytes >= kMaxSize)
    return error(Code::out_of_memory, "{} bytes were asked for; the largest allocation of engine {} is {}", bytes, kind(),
                 largest_allocation());
  PluginObjectPtr object;
  ANYDIM_TRY(hold(calls().allocate(calls().user, object_->object, std::max<int64_t>(bytes, 1)), calls().free, Code::out_of_memory,
                  "allocate", &object));
  *out = std::make_shared<PluginMemory>(plugin_engine(*this), std::move(object), bytes);
  return {};
}

Status PluginEngine::pack(const Kernel&, const Problem&, std::span<const TensorView> tensors, const Packing&, WeightsValues* out) const {
  for (const TensorView& tensor : tensors) {
    TensorView view = tensor;
    view.data = nullptr;
    view.strides = dense_strides(tensor.dims);
    out->views.push_back(view);
    out->kept.emplace_back();
    if (tensor.dtype == DType::none) continue;
    std::vector<std::byte> bytes = dense_bytes(tensor);
    const auto size = static_cast<int64_t>(bytes.size());
    ANYDIM_TRY(allocate(size, &out->kept.back()));
    ANYDIM_TRY(transfer(static_cast<PluginMemory&>(*out->kept.back()).object()->object, 0, bytes.data(), size, false));
  }
  return {};
}

Status PluginEngine::transfer(void* memory, int64_t offset, void* host, int64_t bytes, bool to_host) const {
  if (bytes == 0) return {};
  const std::lock_guard lock(own_mutex_);
  const anydim_engine_definition_t& c = calls();
  if (own_stream_ == nullptr)
    ANYDIM_TRY(hold(c.stream_create(c.user, object_->object), c.stream_destroy, Code::out_of_memory, "stream_create", &own_stream_));
  void* const stream = own_stream_->object;
  const int32_t code =
      to_host ? c.download(c.user, stream, host, 0, memory, offset, bytes) : c.upload(c.user, stream, memory, offset, host, 0, bytes);
  Status begun = plugin().status_of(code, to_host ? "download" : "upload");
  Status done = plugin().status_of(c.stream_wait(c.user, stream), "stream_wait");
  return begun.ok() ? std::move(done) : std::move(begun);
}

void PluginEngine::finish_all() const {
  const std::lock_guard lock(streams_mutex_);
  for (PluginStream* s : streams_) s->drain();
}

Status PluginEngine::create_stream(int, StreamPtr* out) const {
  PluginObjectPtr object;
  ANYDIM_TRY(
      hold(calls().stream_create(calls().user, object_->object), calls().stream_destroy, Code::out_of_memory, "stream_create", &object));
  *out = std::make_unique<PluginStream>(plugin_engine(*this), std::move(object));
  return {};
}

// -- kind -----------------------------------------------------------------------------------------------------------------------------

class PluginKind final : public EngineKind {
 public:
  explicit PluginKind(PluginPtr plugin) : plugin_(std::move(plugin)) {}
  const char* name() const noexcept override { return plugin_->name.c_str(); }
  Status devices(std::vector<DeviceSummary>* out) const override {
    out->push_back({.largest_allocation = plugin_->calls.largest_allocation, .name = plugin_->device, .driver = plugin_->driver});
    return {};
  }
  Status create(const EngineRequest& request, EnginePtr* out) const override {
    if (request.device != 0) return invalid("device is {}; engine {} has device 0 only", request.device, name()).about("device");
    return PluginEngine::create(plugin_, out);
  }

 private:
  const PluginPtr plugin_;
};

}  // namespace

Status register_plugin(const anydim_engine_definition_t& definition, std::shared_ptr<const void> library, int32_t* kind) {
  auto plugin = std::make_shared<Plugin>(definition, std::move(library));
  for (int i = 0; i < definition.kernel_count; ++i)
    plugin->table.add(plugin->kernels.emplace_back(*plugin, static_cast<const anydim_engine_kernel_t*>(definition.kernels)[i], i));
  if (definition.claim != nullptr) plugin->parts = &plugin->kernels.emplace_back(*plugin, plugin->name + ".part", kPart, -1);
  ANYDIM_TRY(add_engine_kind(std::make_shared<const PluginKind>(plugin), kind).about("definition.name"));
  plugin->environment.hand_over();
  return {};
}

}  // namespace anydim::capi
