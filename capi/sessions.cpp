// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about sessions, cancellations, and memory that results were placed in.
#include <algorithm>

#include "anydim/anydim.h"
#include "capi/explain.h"
#include "capi/model_objects.h"
#include "capi/views.h"
#include "core/base/result_memory.h"

namespace anydim::capi::body {

Status session_create(ModelObject& model, BoundsObject* bounds, const anydim_context_options_t& options, int32_t contexts,
                      std::unique_ptr<SessionObject>* out) {
  if (contexts < 0) return invalid("contexts is {}; expected 0 (the default) or more", contexts).about("contexts");
  auto s = std::make_unique<SessionObject>();
  Bounds b;
  ContextOptions o;
  ANYDIM_TRY(read_context_options(model, bounds, options, &b, &o));
  const MemorySourceScope memory(model.engine->memory());
  const int limit = contexts > 0 ? contexts : std::min(8, model.engine->threads());
  ANYDIM_TRY(Session::create(model.program, o, limit, options.profile != 0, &s->session));
  s->engine = model.engine;
  *out = std::move(s);
  return {};
}

Status session_run(SessionObject& session, InputViews inputs, OutputViews outputs, const anydim_run_options_t& options) {
  Pin<CancellationObject> cancellation;
  ANYDIM_TRY(cancellation.take(options.cancellation, "options.cancellation", true));
  SessionCall call;
  call.timeout_ms = options.timeout_ms;
  if (cancellation.get() != nullptr) call.stop = cancellation.get()->flag.get();
  call.interrupted = options.interrupted;
  call.user = options.user;
  call.places = {inputs.places, outputs.places};
  return session.session->run(inputs.views, outputs.views, call);
}

Status session_query(SessionObject& session, anydim_session_info_t* info) {
  const SessionFigures f = session.session->figures();
  info->contexts = f.contexts;
  info->limit = f.limit;
  info->in_use = f.in_use;
  info->waiting = f.waiting;
  info->growths = f.growths;
  info->arena_bytes = f.arena_bytes;
  return {};
}

Status session_explain(SessionObject& session, std::span<const TensorView> inputs, std::unique_ptr<TextObject>* text) {
  RunReport report;
  ANYDIM_TRY(session.session->explain(inputs, &report));
  std::string json;
  ANYDIM_TRY(explain_run(report, &json));
  return make_text(std::move(json), text);
}

Status cancellation_create(std::unique_ptr<CancellationObject>* out) {
  *out = std::make_unique<CancellationObject>();
  return {};
}

Status cancellation_set(CancellationObject& cancellation, int32_t cancelled) {
  __atomic_store_n(cancellation.flag.get(), cancelled != 0 ? 1 : 0, __ATOMIC_RELAXED);
  return {};
}

void result_release(void* data) noexcept {
  if (data != nullptr) ResultMemory::instance().give_back(data);
}

}  // namespace anydim::capi::body
