// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about sessions and their states, cancellations, and memory that results were placed in.
#include <algorithm>

#include "anydim/anydim.h"
#include "capi/explain.h"
#include "capi/input_parts.h"
#include "capi/model_objects.h"
#include "capi/views.h"
#include "core/base/memory/result_memory.h"

namespace anydim::capi::body {

Status session_create(ModelObject& model, BoundsObject* bounds, const anydim_context_options_t& options, int32_t contexts,
                      std::unique_ptr<SessionObject>* out) {
  if (contexts < 0) return invalid("contexts is {}; expected 0 (the default) or more", contexts).about("contexts");
  if (options.buffer != nullptr || options.buffer_bytes != 0)
    return invalid("options.buffer is for a context; expected null, because a session makes several contexts").about("options.buffer");
  auto s = std::make_unique<SessionObject>();
  Bounds b;
  ContextOptions o;
  ANYDIM_TRY(read_context_options(model, bounds, options, &b, &o));
  const MemorySourceScope memory(model.engine->memory());
  const int limit = contexts > 0 ? contexts : std::min(8, model.engine->threads());
  std::unique_ptr<Session> made;
  ANYDIM_TRY(model.with_memory([&](const ProgramPtr& p) { return Session::create(p, o, limit, options.profile != 0, &made); }));
  s->session = std::move(made);
  s->engine = model.engine;
  s->model = model;
  s->options = {o, bounds != nullptr ? std::optional<Bounds>(std::move(b)) : std::nullopt, limit, options.profile != 0};
  *out = std::move(s);
  return {};
}

}  // namespace anydim::capi::body

namespace anydim::capi {

Status read_run_options(const anydim_run_options_t& options, Pin<CancellationObject>* cancellation, RunCall* call) {
  ANYDIM_TRY(cancellation->acquire(options.cancellation, "options.cancellation", true));
  call->timeout_ms = options.timeout_ms;
  if (cancellation->get() != nullptr) call->stop = cancellation->get()->flag.get();
  call->interrupted = options.interrupted;
  call->user = options.user;
  return {};
}

Status read_aliases(const anydim_run_options_t& options, size_t outputs, std::span<int32_t>* aliases) {
  const auto count = options.aliases != nullptr ? static_cast<int64_t>(outputs) : 0;
  if (options.alias_count != count)
    return invalid("options.alias_count is {}; expected {}{}", options.alias_count, count,
                   count > 0 ? ", one for each output" : " without options.aliases")
        .about("options.alias_count");
  *aliases = {static_cast<int32_t*>(options.aliases), static_cast<size_t>(count)};
  std::fill(aliases->begin(), aliases->end(), -1);
  return {};
}

Status refuse_edges(const anydim_run_options_t& options) {
  if (options.parts != nullptr || options.part_count != 0)
    return invalid("options.parts was given; expected null: inputs of this call come as one").about("options.parts");
  if (options.aliases == nullptr && options.alias_count == 0) return {};
  return invalid("options.aliases was given; expected null: this call's outputs have memory of their own").about("options.aliases");
}

}  // namespace anydim::capi

namespace anydim::capi::body {

Status session_run(SessionObject& session, InputViews inputs, OutputViews outputs, const anydim_run_options_t& options) {
  Pin<CancellationObject> cancellation;
  RunCall call;
  ANYDIM_TRY(read_run_options(options, &cancellation, &call));
  JoinedInputs joined;
  ANYDIM_TRY(joined.join(inputs, options));
  call.places = {joined.inputs().places, outputs.places};
  call.gathered_bytes = joined.gathered_bytes();
  ANYDIM_TRY(read_aliases(options, session.session->program().outputs.size(), &call.aliases));
  if (call.gathered_bytes > 0) call.aliases = {};  // those inputs are gone when the call returns
  Status status = session.session->run(joined.inputs().views, outputs.views, call);
  if (!status.ok()) std::fill(call.aliases.begin(), call.aliases.end(), -1);
  return status;
}

Status session_acquire_model(SessionObject& session, std::unique_ptr<ModelObject>* model) {
  *model = std::make_unique<ModelObject>(session.model);
  return {};
}

Status session_query(SessionObject& session, anydim_session_info_t* info) {
  const PoolFigures f = session.session->figures();
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

Status state_create(SessionObject& session, int64_t limit, std::unique_ptr<StateObject>* out) {
  if (limit < 0) return invalid("limit is {}; expected 0 (none of its own) or more", limit).about("limit");
  auto s = std::make_unique<StateObject>();
  s->engine = session.engine;
  s->session = session.session;
  s->state = std::make_unique<State>(session.session, limit);
  *out = std::move(s);
  return {};
}

Status state_add(StateObject& state, std::string_view input, std::string_view output, int32_t axis) {
  return state.state->add(input, output, axis);
}

Status state_use_pages(StateObject& state, int64_t page, int64_t pool_limit) { return state.state->use_pages(page, pool_limit); }

Status state_step(StateObject& state, std::span<const TensorView> inputs, std::span<TensorView> outputs,
                  const anydim_run_options_t& options) {
  Pin<CancellationObject> cancellation;
  RunCall call;
  ANYDIM_TRY(read_run_options(options, &cancellation, &call));
  ANYDIM_TRY(refuse_edges(options));
  return state.state->step(inputs, outputs, call);
}

Status state_reset(StateObject& state) { return state.state->reset(); }

Status state_truncate(StateObject& state, int64_t length) { return state.state->truncate(length); }

Status state_fork(StateObject& state, std::unique_ptr<StateObject>* copy) {
  auto s = std::make_unique<StateObject>();
  s->engine = state.engine;
  s->session = state.session;
  ANYDIM_TRY(state.state->fork(&s->state));
  *copy = std::move(s);
  return {};
}

Status state_read(StateObject& state, int32_t part, TensorView* view) { return state.state->read(part, view); }

Status state_write(StateObject& state, std::span<const TensorView> values) { return state.state->write(values); }

Status state_query(StateObject& state, anydim_state_info_t* info) {
  const StateFigures f = state.state->figures();
  info->parts = f.parts;
  info->in_place = f.in_place;
  info->length = f.length;
  info->limit = f.limit;
  info->steps = f.steps;
  info->bytes = f.bytes;
  info->appended_bytes = f.appended;
  info->copied_bytes = f.copied;
  info->growths = f.growths;
  info->page = f.page;
  info->pages = f.pages;
  info->shared_pages = f.shared_pages;
  info->pool_bytes = f.pool_bytes;
  info->pool_limit = f.pool_limit;
  return {};
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
  if (data != nullptr) ResultMemory::instance().free(data);
}

}  // namespace anydim::capi::body
