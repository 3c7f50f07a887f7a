// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about engines, their kernels and streams.
#include "anydim/anydim.h"
#include "capi/host_program.h"
#include "capi/objects.h"
#include "core/base/cpu.h"
#include "core/dispatch/observe.h"
#include "core/dispatch/plan_records.h"

namespace anydim::capi {

void tell_engine(const Engine& e, anydim_engine_info_t* info) noexcept {
  info->kind = e.is_host() ? ANYDIM_ENGINE_CPU : 0;  // of those that this build makes
  info->threads = e.threads();
  info->kernels = static_cast<int32_t>(e.kernels().all().size());
  info->device = string_of(e.identity().device);
  info->isa = string_of(e.identity().instruction_set);
}

namespace body {

Status engine_create(anydim_engine_kind_t kind, int32_t device, const anydim_engine_options_t& options,
                     std::unique_ptr<EngineObject>* out) {
  if (kind == ANYDIM_ENGINE_OPENCL) return unimplemented("kind is opencl; this build has the cpu engine only").about("kind");
  if (kind != ANYDIM_ENGINE_CPU) return invalid("kind is {}; expected ANYDIM_ENGINE_CPU ({})", kind, ANYDIM_ENGINE_CPU).about("kind");
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

Status engine_query(EngineObject& engine, anydim_engine_info_t* info) {
  tell_engine(*engine.engine, info);
  return {};
}

Status engine_kernel(EngineObject& engine, int32_t index, anydim_kernel_info_t* info) {
  const auto kernels = engine.engine->kernels().all();
  if (index < 0 || static_cast<size_t>(index) >= kernels.size())
    return error(Code::not_found, "index is {}; engine {} has {} kernels", index, engine.engine->kind(), kernels.size()).about("index");
  const Kernel& k = *kernels[static_cast<size_t>(index)];
  constexpr const char* layouts[] = {"strided", "channels_last", "row_major"};
  info->usable = engine.engine->lacks(k) == nullptr;
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
