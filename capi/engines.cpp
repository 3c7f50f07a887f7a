// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about engines, their kernels and streams.
#include "anydim/anydim.h"
#include "capi/host_program.h"
#include "capi/objects.h"
#include "core/base/cpu.h"
#include "core/dispatch/observe/observe.h"
#include "core/dispatch/caches/persistent_binaries.h"
#include "core/dispatch/tuning/plan_records.h"
#include "core/engines/opencl/engine.h"

#include <mutex>
#include <set>

namespace anydim::capi {

namespace {

// Strings of devices, which go with their engines: those that were returned stay. There are as many as names of devices.
anydim_string_t kept_string(const std::string& s) {
  static auto* const mutex = new std::mutex();
  static auto* const all = new std::set<std::string>();
  const std::lock_guard lock(*mutex);
  return string_of(*all->insert(s).first);
}

}  // namespace

void fill_engine_info(const Engine& e, anydim_engine_info_t* info) noexcept {
  const std::string_view kind = e.kind();
  info->kind = e.is_host() ? ANYDIM_ENGINE_CPU : kind == "opencl" ? ANYDIM_ENGINE_OPENCL : 0;  // of those that this build makes
  info->threads = e.threads();
  info->kernels = static_cast<int32_t>(e.kernels().all().size());
  info->device = e.is_host() ? string_of(e.identity().device) : kept_string(e.identity().device);
  info->isa = string_of(e.identity().instruction_set);
}

namespace body {

namespace {

Status check_kind(anydim_engine_kind_t kind) {
  if (kind == ANYDIM_ENGINE_CPU || kind == ANYDIM_ENGINE_OPENCL) return {};
  return invalid("kind is {}; expected ANYDIM_ENGINE_CPU ({}) or ANYDIM_ENGINE_OPENCL ({})", kind, ANYDIM_ENGINE_CPU, ANYDIM_ENGINE_OPENCL)
      .about("kind");
}

Status check_opencl(const anydim_engine_options_t& options) {
  if (options.parallel_for != nullptr)
    return invalid("options.parallel_for is set; an opencl engine runs no loop on the host").about("options.parallel_for");
  if (options.allocate != nullptr)
    return invalid("options.allocate is set; an opencl engine has its device's memory").about("options.allocate");
  if (options.flushed_denormals != 0 && options.flushed_denormals != 1)
    return invalid("options.flushed_denormals is {}; expected 0 or 1", options.flushed_denormals).about("options.flushed_denormals");
  int threads = 1;
  return check_threads(options.threads, available_cores(), "options.threads", &threads);
}

// `requested` has the device, or the host program's own objects.
Status create_opencl(opencl::OpenclEngine::Options requested, const anydim_engine_options_t& options, std::unique_ptr<EngineObject>* out) {
  ANYDIM_TRY(check_opencl(options));
  observe::start();
  requested.flushed_denormals = options.flushed_denormals == 1;
  requested.store = &PersistentBinaries::process();
  std::shared_ptr<const opencl::OpenclEngine> engine;
  ANYDIM_TRY(opencl::OpenclEngine::create(requested, &engine));
  auto e = std::make_unique<EngineObject>();
  e->engine = std::move(engine);
  use_plan_records();
  *out = std::move(e);
  return {};
}

// The engine as one of OpenCL, for objects of the host program's.
Status opencl_of(const EngineObject& engine, const opencl::OpenclEngine** out) {
  *out = dynamic_cast<const opencl::OpenclEngine*>(engine.engine.get());
  if (*out != nullptr) return {};
  return invalid("engine is of kind {}; expected an engine of opencl", engine.engine->kind()).about("engine");
}

}  // namespace

Status engine_create(anydim_engine_kind_t kind, int32_t device, const anydim_engine_options_t& options,
                     std::unique_ptr<EngineObject>* out) {
  ANYDIM_TRY(check_kind(kind));
  if (kind == ANYDIM_ENGINE_OPENCL) return create_opencl({.device = device}, options, out);
  if (device != 0) return invalid("device is {}; the cpu engine has device 0 only", device).about("device");
  int threads = 1;
  ANYDIM_TRY(check_threads(options.threads, available_cores(), "options.threads", &threads));
  Engine::Host host;
  ANYDIM_TRY(read_host(options, &host));
  observe::start();
  auto e = std::make_unique<EngineObject>();
  ANYDIM_TRY(CpuEngine::create(threads, &e->engine, host));
  use_plan_records();
  hand_over(host);
  *out = std::move(e);
  return {};
}

Status engine_get_device(anydim_engine_kind_t kind, int32_t index, anydim_device_info_t* info) {
  ANYDIM_TRY(check_kind(kind));
  const auto missing = [&](size_t count) {
    return error(Code::not_found, "index is {}; there are {} devices of this kind", index, count).about("index");
  };
  if (kind == ANYDIM_ENGINE_CPU) {
    if (index != 0) return missing(1);
    info->platform = info->device = 0;
    info->usable = 1;
    info->units = available_cores();
    info->memory_bytes = info->largest_allocation_bytes = 0;
    info->name = string_of(cpu().name);
    info->driver = info->platform_name = string_of("");
    info->like_gpu = 0;
    return {};
  }
  const opencl::Api* api = nullptr;
  ANYDIM_TRY(opencl::load_api(&api));
  std::vector<opencl::DeviceFacts> devices;
  ANYDIM_TRY(opencl::list_devices(*api, &devices));
  if (index < 0 || static_cast<size_t>(index) >= devices.size()) return missing(devices.size());
  const opencl::DeviceFacts& d = devices[static_cast<size_t>(index)];
  info->platform = d.platform;
  info->device = d.device;
  info->usable = d.available;
  info->units = static_cast<int32_t>(d.units);
  info->memory_bytes = d.global_memory;
  info->largest_allocation_bytes = d.largest_allocation;
  info->name = kept_string(d.name);
  info->driver = kept_string(d.driver);
  info->platform_name = kept_string(d.platform_name);
  info->like_gpu = d.traits.kind == DeviceKind::gpu;
  return {};
}

Status engine_query(EngineObject& engine, anydim_engine_info_t* info) {
  fill_engine_info(*engine.engine, info);
  return {};
}

Status engine_get_kernel(EngineObject& engine, int32_t index, anydim_kernel_info_t* info) {
  const auto kernels = engine.engine->kernels().all();
  if (index < 0 || static_cast<size_t>(index) >= kernels.size())
    return error(Code::not_found, "index is {}; engine {} has {} kernels", index, engine.engine->kind(), kernels.size()).about("index");
  const Kernel& k = *kernels[static_cast<size_t>(index)];
  constexpr const char* layouts[] = {"strided", "channels_last", "row_major"};
  info->usable = engine.engine->unsupported_reason(k) == nullptr;
  info->name = string_of(k.name());
  info->op = string_of(op_name(k.key().op));
  info->isa = string_of(isa_name(k.key().isa));
  info->layout = string_of(layouts[static_cast<int>(k.key().layout)]);
  info->src = static_cast<anydim_dtype_t>(k.key().src);
  info->dst = static_cast<anydim_dtype_t>(k.key().dst);
  return {};
}

Status stream_create(EngineObject& engine, const anydim_stream_options_t& options, std::unique_ptr<StreamObject>* out) {
  int threads = 1;
  ANYDIM_TRY(check_threads(options.threads, engine.engine->threads(), "options.threads", &threads));
  const MemorySourceScope memory(engine.engine->memory());
  auto s = std::make_unique<StreamObject>();
  s->engine = engine.engine;
  s->parallel = engine.engine->loop(threads);
  ANYDIM_TRY(engine.engine->create_stream(threads, &s->stream));
  *out = std::move(s);
  return {};
}

Status engine_create_in_opencl(void* cl_context, void* cl_device, const anydim_engine_options_t& options,
                               std::unique_ptr<EngineObject>* out) {
  if (cl_context == nullptr) return invalid("cl_context is null; expected the program's own cl_context").about("cl_context");
  if (cl_device == nullptr) return invalid("cl_device is null; expected a cl_device_id of the context").about("cl_device");
  opencl::OpenclEngine::Options requested;
  requested.context = static_cast<opencl::ContextId>(cl_context);
  requested.device_id = static_cast<opencl::DeviceId>(cl_device);
  return create_opencl(requested, options, out);
}

Status stream_create_in_opencl(EngineObject& engine, void* cl_queue, std::unique_ptr<StreamObject>* out) {
  const opencl::OpenclEngine* device = nullptr;
  ANYDIM_TRY(opencl_of(engine, &device));
  auto s = std::make_unique<StreamObject>();
  s->engine = engine.engine;
  s->parallel = engine.engine->loop(1);
  ANYDIM_TRY(device->create_stream_over(static_cast<opencl::QueueId>(cl_queue), &s->stream));
  *out = std::move(s);
  return {};
}

Status memory_import_opencl(EngineObject& engine, void* cl_buffer, std::unique_ptr<MemoryObject>* out) {
  const opencl::OpenclEngine* device = nullptr;
  ANYDIM_TRY(opencl_of(engine, &device));
  auto m = std::make_unique<MemoryObject>();
  ANYDIM_TRY(device->import_buffer(static_cast<opencl::MemId>(cl_buffer), &m->memory));
  m->imported = true;
  *out = std::move(m);
  return {};
}

Status stream_wait(StreamObject& stream) { return stream.stream->wait(); }

}  // namespace body
}  // namespace anydim::capi
