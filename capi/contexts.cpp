// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about contexts.
#include <algorithm>
#include <atomic>

#include "anydim/anydim.h"
#include "capi/explain.h"
#include "capi/input_parts.h"
#include "capi/model_objects.h"
#include "capi/views.h"
#include "core/dispatch/tuning/worker.h"
#include "core/run/context/explain.h"
#include "core/run/context/requested_outputs.h"
#include "core/run/context/tuning.h"

namespace anydim::capi {

namespace {

// The report of the last run, made when somebody asks.
Status report_of(ContextObject& c) {
  if (!c.has_run) return error(Code::not_found, "the context has not run yet");
  if (c.report_is_fresh) return {};
  ANYDIM_TRY(explain(*c.context, &c.report));
  c.report_is_fresh = true;
  return {};
}

// What ends a run, for its length.
class StopScope {
 public:
  StopScope(Context& context, const CancellationObject* cancellation, const anydim_run_options_t& options) : context_(context) {
    Stop stop(cancellation != nullptr ? cancellation->flag.get() : nullptr);
    if (options.interrupted != nullptr) stop.set_question(options.interrupted, options.user);
    context_.set_stop(stop);
  }
  ~StopScope() { context_.set_stop({}); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Context& context_;
};

}  // namespace

Status read_context_options(const ModelObject& model, const BoundsObject* bounds, const anydim_context_options_t& options, Bounds* b,
                            ContextOptions* to) {
  int threads = 1;
  ANYDIM_TRY(check_threads(options.threads, model.engine->threads(), "options.threads", &threads));
  if (bounds != nullptr) {
    ANYDIM_TRY(read_bounds(*model.program, *bounds, b));
    to->bounds = b;
  }
  to->parallel = model.engine->loop(threads);
  if (options.reuse < ANYDIM_REUSE_INHERIT || options.reuse > ANYDIM_REUSE_REUSABLE_FIRST)
    return invalid("options.reuse is {}; expected {}..{}", options.reuse, ANYDIM_REUSE_INHERIT, ANYDIM_REUSE_REUSABLE_FIRST)
        .about("options.reuse");
  to->reuse = static_cast<ReusePolicy>(options.reuse);
  if (options.tuning_ms < 0) return invalid("options.tuning_ms is {}; expected 0 or more", options.tuning_ms).about("options.tuning_ms");
  if (options.tuning_ms > 0) to->tuning_budget_ns = int64_t{options.tuning_ms} * 1000000;
  return {};
}

namespace body {

Status model_get_bytes_needed(ModelObject& model, BoundsObject& bounds, const anydim_context_options_t& options, int32_t engine,
                              int64_t* bytes) {
  const auto engines = static_cast<int32_t>(model.program->engines.size());
  if (engine < 0 || engine >= engines)
    return error(Code::not_found, "engine is {}; the model runs on {} engine{}", engine, engines, engines == 1 ? "" : "s").about("engine");
  int threads = 1;
  ANYDIM_TRY(check_threads(options.threads, model.engine->threads(), "options.threads", &threads));
  Bounds b;
  ANYDIM_TRY(read_bounds(*model.program, bounds, &b));
  return bytes_needed(*model.program, b, threads, bytes, engine);
}

Status context_create(ModelObject& model, BoundsObject* bounds, const anydim_context_options_t& options,
                      std::unique_ptr<ContextObject>* out) {
  const MemorySourceScope memory(model.engine->memory());
  auto c = std::make_unique<ContextObject>();
  Bounds b;
  ContextOptions o;
  ANYDIM_TRY(read_context_options(model, bounds, options, &b, &o));
  if (void* const buffer = options.buffer; buffer != nullptr) {
    if (bounds == nullptr)
      return invalid("options.buffer was given without bounds; expected bounds, which determine its size").about("bounds");
    if (reinterpret_cast<uintptr_t>(buffer) % 64 != 0) return invalid("options.buffer is not aligned to 64 bytes").about("options.buffer");
    int64_t needed = 0;
    ANYDIM_TRY(bytes_needed(*model.program, b, o.parallel.threads(), &needed));
    if (options.buffer_bytes < needed)
      return invalid("options.buffer_bytes is {}; these bounds need {}", options.buffer_bytes, needed).about("options.buffer_bytes");
    o.buffer = buffer;
    o.buffer_size = options.buffer_bytes;
  } else if (options.buffer_bytes != 0) {
    return invalid("options.buffer is null but options.buffer_bytes is {}; expected 0", options.buffer_bytes).about("options.buffer");
  }
  ANYDIM_TRY(model.with_memory([&](const ProgramPtr& p) { return Context::create(p, o, &c->context); }));
  c->engine = model.engine;
  c->bounded = bounds != nullptr;
  c->profile = options.profile != 0;
  c->context->set_profiling(c->profile);
  c->outputs.resize(model.program->outputs.size());
  *out = std::move(c);
  return {};
}

Status context_run(ContextObject& context, InputViews inputs, OutputViews output_views, const anydim_run_options_t& options) {
  const std::span<TensorView> outputs = output_views.views;
  ANYDIM_TRY(check_requested_outputs(context.context->program(), outputs));
  for (size_t i = 0; i < context.outputs.size(); ++i)
    context.outputs[i] = i < outputs.size() && outputs[i].data != nullptr ? outputs[i] : TensorView{};
  context.report_is_fresh = context.has_run = false;
  Pin<CancellationObject> cancellation;
  ANYDIM_TRY(cancellation.acquire(options.cancellation, "options.cancellation", true));
  const StopScope stop(*context.context, cancellation.get(), options);
  std::span<int32_t> aliases;
  ANYDIM_TRY(read_aliases(options, context.outputs.size(), &aliases));
  JoinedInputs joined;
  ANYDIM_TRY(joined.join(inputs, options));
  if (joined.gathered_bytes() > 0) aliases = {};  // those inputs are gone when the call returns
  context.context->set_aliases(aliases);
  context.context->note_gathered(joined.gathered_bytes());
  Status status = context.context->run(joined.inputs().views, context.outputs, {joined.inputs().places, output_views.places});
  context.context->set_aliases({});
  for (size_t i = 0; i < aliases.size(); ++i)
    if (!status.ok() || i >= outputs.size() || !is_requested(outputs[i])) aliases[i] = -1;
  if (!status.ok()) return status;
  context.has_run = true;
  ++context.runs;
  std::copy_n(context.outputs.begin(), outputs.size(), outputs.begin());
  return {};
}

// Contexts run on host engines so far, whose streams have done everything when a call on them returns.
Status context_submit(ContextObject& context, StreamObject& stream, InputViews inputs, OutputViews outputs,
                      const anydim_run_options_t& options) {
  if (!same_device(*stream.engine, *context.engine))
    return invalid("stream is of engine {}; the context is of engine {}", stream.engine->kind(), context.engine->kind()).about("stream");
  return context_run(context, inputs, outputs, options);
}

Status context_get_output_dims(ContextObject& context, InputViews inputs, int32_t index, anydim_dims_t* dims) {
  const auto count = static_cast<int32_t>(context.outputs.size());
  if (index < 0 || index >= count) return error(Code::not_found, "index is {}; the model has {} outputs", index, count).about("index");
  Dims in_place[16];
  std::vector<Dims> more(context.outputs.size() > std::size(in_place) ? context.outputs.size() : 0);
  Dims* all = more.empty() ? in_place : more.data();
  ANYDIM_TRY(context.context->output_dims(inputs.views, {all, context.outputs.size()}, {inputs.places, {}}));
  const Program::IoSpec& output = context.context->program().outputs[static_cast<size_t>(index)];
  const int left_out = output.dims.rank - all[index].rank;
  for (int d = 0; d < all[index].rank; ++d)
    if (all[index][d] < 0)
      return unimplemented("output '{}' dim {} ({}) follows from data: only a run finds it", output.name, d,
                           output.dim_text[static_cast<size_t>(d + left_out)]);
  *dims = dims_of(all[index]);
  return {};
}

Status context_query(ContextObject& context, anydim_context_info_t* info) {
  info->bounded = context.bounded ? 1 : 0;
  info->arena_bytes = context.context->arena_bytes();
  info->growths = context.context->growth_events();
  info->runs = context.runs;
  info->threads = context.context->threads();
  return {};
}

Status context_explain(ContextObject& context, std::span<const TensorView> inputs, const anydim_run_options_t& options,
                       std::unique_ptr<TextObject>* text) {
  if (!inputs.empty()) {
    // The shapes' own run; outputs go to the context's memory.
    ANYDIM_TRY(context_run(context, {inputs, {}}, {}, options));
  }
  ANYDIM_TRY(report_of(context));
  std::string json;
  ANYDIM_TRY(explain_run(context.report, &json));
  return make_text(std::move(json), text);
}

Status context_tune(ContextObject& context, std::span<const TensorView> inputs, const anydim_tune_options_t& options,
                    std::unique_ptr<TextObject>* text) {
  if (options.node_ms < 0) return invalid("options.node_ms is {}; expected 0 or more", options.node_ms).about("options.node_ms");
  Pin<CancellationObject> cancellation;
  ANYDIM_TRY(cancellation.acquire(options.cancellation, "options.cancellation", true));
  anydim_run_options_t of_run = ANYDIM_RUN_OPTIONS_INIT;
  of_run.cancellation = options.cancellation;
  ANYDIM_TRY(context_run(context, {inputs, {}}, {}, of_run));
  TuneRequest request;
  if (options.node_ms > 0) request.options.budget_ns = int64_t{options.node_ms} * 1000000;
  request.record = options.record != 0;
  request.again = options.again != 0;
  std::atomic<bool> stop{false};
  const int32_t* const watched = cancellation.get() != nullptr ? cancellation.get()->flag.get() : nullptr;
  if (watched != nullptr || options.progress != nullptr) {
    request.options.stop = &stop;
    request.options.rest = [&]() -> int64_t {
      if (watched != nullptr && __atomic_load_n(watched, __ATOMIC_RELAXED) != 0) stop = true;
      return 0;
    };
    request.progress = [&](int64_t done, int64_t nodes) {
      request.options.rest();
      if (options.progress != nullptr && options.progress(options.user, done, nodes) != 0 && done < nodes) stop = true;
    };
  }
  std::vector<NodeTuning> report;
  context.report_is_fresh = context.has_run = false;
  const MemorySourceScope memory(context.engine->memory());
  ANYDIM_TRY(tune(*context.context, request, &report));
  if (stop) return error(Code::cancelled, "the tuning was ended before all nodes were measured");
  std::string json;
  explain_tuning(report, &json);
  return make_text(std::move(json), text);
}

Status worker_control(anydim_worker_action_t action) {
  switch (action) {
    case ANYDIM_WORKER_PAUSE: Worker::instance().pause(); return {};
    case ANYDIM_WORKER_RESUME: Worker::instance().resume(); return {};
    case ANYDIM_WORKER_TURN_OFF: Worker::instance().turn_off(); return {};
    default: return invalid("action is {}; expected {}..{}", action, ANYDIM_WORKER_PAUSE, ANYDIM_WORKER_TURN_OFF).about("action");
  }
}

Status worker_drain(int64_t milliseconds) {
  if (Worker::instance().drain(milliseconds)) return {};
  return error(Code::timed_out, "the worker did not finish in {} ms, is paused, or is off", milliseconds);
}

Status worker_query(anydim_worker_info_t* info) {
  const WorkerStatistics s = Worker::instance().statistics();
  info->running = s.running;
  info->paused = s.paused;
  info->turned_off = s.off;
  info->queued = s.queued;
  info->requested = s.requested;
  info->dropped = s.dropped;
  info->repeated = s.repeated;
  info->served = s.served;
  info->failed = s.failed;
  info->busy_ns = s.nanoseconds;
  return {};
}

Status context_get_node_count(ContextObject& context, int32_t* count) {
  *count = count_steps(context.context->program());
  return {};
}

Status context_get_node(ContextObject& context, int32_t index, anydim_node_info_t* info) {
  ANYDIM_TRY(report_of(context));
  const auto count = static_cast<int32_t>(context.report.nodes.size());
  if (index < 0 || index >= count) return error(Code::not_found, "index is {}; the last run had {} nodes", index, count).about("index");
  const NodeReport& n = context.report.nodes[static_cast<size_t>(index)];
  info->name = string_of(n.name);
  info->op = string_of(n.op);
  info->kernel = string_of(n.kernel);
  info->tier = string_of(n.tier);
  info->post_ops = string_of(n.post_ops);
  info->scratch_bytes = n.scratch;
  info->output_bytes = 0;
  for (const NodeReport::Operand& o : n.outputs) info->output_bytes += element_count(o.dims) * dtype_size(o.dtype);
  info->time_ns = n.nanoseconds;
  return {};
}

}  // namespace body
}  // namespace anydim::capi
