// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions that take the host program's own OpenCL objects: its context, queues and buffers.
#include "anydim/anydim.h"
#include "capi/host_program.h"
#include "capi/objects.h"
#include "core/dispatch/observe/observe.h"
#include "core/engines/generated/kinds.h"
#include "core/engines/opencl/engine.h"

namespace anydim::capi::body {

namespace {

// The engine as one of OpenCL.
Status opencl_of(const EngineObject& engine, const opencl::OpenclEngine** out) {
  // No two kinds have one name (core/engines/registry.h).
  if (std::string_view(engine.engine->kind()) == opencl_engine_kind().name()) {
    *out = static_cast<const opencl::OpenclEngine*>(engine.engine.get());
    return {};
  }
  return invalid("engine is of kind {}; expected an engine of opencl", engine.engine->kind()).about("engine");
}

}  // namespace

Status engine_create_in_opencl(void* cl_context, void* cl_device, const anydim_engine_options_t& options,
                               std::unique_ptr<EngineObject>* out) {
  if (cl_context == nullptr) return invalid("cl_context is null; expected the program's own cl_context").about("cl_context");
  if (cl_device == nullptr) return invalid("cl_device is null; expected a cl_device_id of the context").about("cl_device");
  EngineRequest request;
  ANYDIM_TRY(read_request(options, &request));
  ANYDIM_TRY(opencl_engine_kind().check(request));
  observe::start();
  std::shared_ptr<const opencl::OpenclEngine> engine;
  ANYDIM_TRY(opencl::OpenclEngine::create({.flushed_denormals = request.flushed_denormals,
                                           .store = request.store,
                                           .context = static_cast<opencl::ContextId>(cl_context),
                                           .device_id = static_cast<opencl::DeviceId>(cl_device)},
                                          &engine));
  *out = engine_object(std::move(engine));
  return {};
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

}  // namespace anydim::capi::body
