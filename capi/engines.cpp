// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about engines, their kernels and streams.
#include "anydim/anydim.h"
#include "capi/host_program.h"
#include "capi/log.h"
#include "capi/objects.h"
#include "core/base/cpu.h"
#include "core/dispatch/caches/persistent_binaries.h"
#include "core/dispatch/observe/observe.h"
#include "core/dispatch/tuning/plan_records.h"
#include "core/engines/kernel_cache.h"
#include "core/engines/registry.h"

#include <mutex>
#include <set>

namespace anydim::capi {

anydim_string_t kept_string(const std::string& s) {
  static auto* const mutex = new std::mutex();
  static auto* const all = new std::set<std::string>();
  const std::lock_guard lock(*mutex);
  return string_of(*all->insert(s).first);
}

namespace {

Status find_kind(anydim_engine_kind_t kind, EngineKindPtr* out) {
  *out = find_engine_kind(kind);
  if (*out != nullptr) return {};
  std::string all;
  for (const KnownKind& k : engine_kinds()) all += formatted("{}{} ({})", all.empty() ? "" : ", ", k.kind->name(), k.number);
  return invalid("kind is {}; expected one of {}", static_cast<int32_t>(kind), all).about("kind");
}

}  // namespace

void fill_engine_info(const Engine& e, anydim_engine_info_t* info) {
  info->kind = engine_kind_number(e.kind());
  info->threads = e.threads();
  info->kernels = static_cast<int32_t>(e.kernels().all().size());
  info->device = e.is_host() ? string_of(e.identity().device) : kept_string(e.identity().device);
  info->isa = string_of(e.identity().instruction_set);
}

Status read_request(const anydim_engine_options_t& options, EngineRequest* out) {
  ANYDIM_TRY(check_threads(options.threads, available_cores(), "options.threads", &out->threads));
  if (options.flushed_denormals != 0 && options.flushed_denormals != 1)
    return invalid("options.flushed_denormals is {}; expected 0 or 1", options.flushed_denormals).about("options.flushed_denormals");
  ANYDIM_TRY(read_host(options, &out->host));
  out->flushed_denormals = options.flushed_denormals == 1;
  out->store = &PersistentBinaries::process();
  return {};
}

std::unique_ptr<EngineObject> engine_object(EnginePtr engine) {
  auto e = std::make_unique<EngineObject>();
  e->engine = std::move(engine);
  use_plan_records();
  return e;
}

namespace body {

Status engine_create(anydim_engine_kind_t kind, int32_t device, const anydim_engine_options_t& options,
                     std::unique_ptr<EngineObject>* out) {
  EngineKindPtr found;
  ANYDIM_TRY(find_kind(kind, &found));
  EngineRequest request;
  request.device = device;
  ANYDIM_TRY(read_request(options, &request));
  ANYDIM_TRY(found->check(request));
  observe::start();
  KernelCache::announce_to([](const std::string& line) { log_line(ANYDIM_LOG_INFO, "{}", line); });
  EnginePtr engine;
  ANYDIM_TRY(found->create(request, &engine));
  *out = engine_object(std::move(engine));
  hand_over(request.host);
  return {};
}

Status engine_get_kind(int32_t index, anydim_engine_kind_info_t* info) {
  const auto kinds = engine_kinds();
  if (index < 0 || static_cast<size_t>(index) >= kinds.size())
    return error(Code::not_found, "index is {}; there are {} kinds of engines", index, kinds.size()).about("index");
  const KnownKind& kind = kinds[static_cast<size_t>(index)];
  info->kind = kind.number;
  info->name = kept_string(kind.kind->name());
  return {};
}

Status engine_get_device(anydim_engine_kind_t kind, int32_t index, anydim_device_info_t* info) {
  EngineKindPtr found;
  ANYDIM_TRY(find_kind(kind, &found));
  std::vector<DeviceSummary> devices;
  ANYDIM_TRY(found->devices(&devices));
  if (index < 0 || static_cast<size_t>(index) >= devices.size())
    return error(Code::not_found, "index is {}; there are {} devices of this kind", index, devices.size()).about("index");
  const DeviceSummary& d = devices[static_cast<size_t>(index)];
  info->platform = d.platform;
  info->device = d.device;
  info->usable = d.usable;
  info->units = d.units;
  info->like_gpu = d.like_gpu;
  info->memory_bytes = d.memory;
  info->largest_allocation_bytes = d.largest_allocation;
  info->name = kept_string(d.name);
  info->driver = kept_string(d.driver);
  info->platform_name = kept_string(d.platform_name);
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

Status stream_wait(StreamObject& stream) { return stream.stream->wait(); }

}  // namespace body
}  // namespace anydim::capi
