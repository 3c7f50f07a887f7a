// SPDX-License-Identifier: Apache-2.0
// The objects behind model and context handles. Apart from objects.h so that what only needs primitives does not
// see the graph.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capi/objects.h"
#include "core/base/threads/fork_lock.h"
#include "core/graph/compile.h"
#include "core/graph/ir.h"
#include "core/graph/streaming/streaming.h"
#include "core/program/model_facts.h"
#include "core/program/program.h"
#include "core/run/context/context.h"
#include "core/run/session/session.h"
#include "core/run/session/state.h"
#include "core/run/streaming/streaming_context.h"
#include "onnx/format/model_builder.h"

namespace anydim::capi {

// Whether any part of it runs on something else than the CPU.
bool on_device(const Program& program) noexcept;

// The same model for the host alone: what contexts are made of when a device has no memory for them. Made when it is first needed.
class HostAlternative {
 public:
  virtual ~HostAlternative() = default;
  virtual Status get(ProgramPtr* out) = 0;
};

// What a model is made of: handles of one model have the same.
struct ModelParts {
  EnginePtr engine;
  ProgramPtr program;
  StreamingProgramPtr streaming;  // where its options name inputs that come in chunks
  std::shared_ptr<const ModelFacts> facts;
  std::shared_ptr<HostAlternative> alternative;  // of a model on devices whose caller named the host's engine, too

  // make(program), and where a device has no memory for that, once more with the program of the host alone.
  template <class Make> Status with_memory(const Make& make) const {
    Status s = make(program);
    if (s.code() != Code::out_of_memory || alternative == nullptr) return s;
    log_alternative(s);
    ProgramPtr host;
    ANYDIM_TRY(alternative->get(&host));
    return make(host);
  }
  static void log_alternative(const Status& status) noexcept;
};

struct ModelObject final : Object, ModelParts {
  ModelObject() = default;
  explicit ModelObject(const ModelParts& parts) : ModelParts(parts) {}
  bool on_device() const noexcept override { return capi::on_device(*program); }
};

struct ModelBuilderObject final : Object {
  onnx::ModelBuilder builder;
  std::vector<std::string> refusals;  // by node
  bool inferred = false;              // whether they are of the graph as it is
};

struct ContextObject final : Object {
  EnginePtr engine;
  std::unique_ptr<Context> context;
  std::vector<TensorView> outputs;  // of a run: where they are written, and then where they lie
  RunReport report;                 // what anydim_context_get_node answers from; made again after each run
  bool report_is_fresh = false, has_run = false, bounded = false, profile = false;
  int64_t runs = 0;
  bool on_device() const noexcept override { return capi::on_device(context->program()); }
};

struct SessionObject final : Object {
  EnginePtr engine;
  ModelParts model;
  std::shared_ptr<Session> session;
  // What contexts for chunks are made with, and those that were: by the first sequence.
  struct Options {
    ContextOptions context;
    std::optional<Bounds> bounds;
    int limit = 1;
    bool profile = false;
  } options;
  ForkLock mutex;
  std::shared_ptr<StreamingSession> streaming;
  bool on_device() const noexcept override { return capi::on_device(session->program()); }
};

struct StateObject final : Object {
  EnginePtr engine;
  std::shared_ptr<Session> session;
  std::unique_ptr<State> state;
  bool on_device() const noexcept override { return capi::on_device(session->program()); }
};

struct StreamingObject final : Object {
  EnginePtr engine;
  std::unique_ptr<StreamingContext> context;
  int threads = 1;
};

// Devices in the caller's order; those that stand behind the host's engine get what that cannot run.
Status read_engines(const Engine& host, const anydim_model_options_t& options, CompileOptions* to, bool* names_host);

// Gives the graph that a model is made of, and what the source says of itself.
using ModelSource = std::function<Result<Graph>(ModelFacts*)>;
Status load_model(EngineObject& engine, const ModelSource& source, const anydim_model_options_t& options, std::unique_ptr<ModelObject>* out,
                  bool unpacked = false);

// Options of contexts, without a buffer; `to` refers to `b`, where the bounds go. Fails for what context_create refuses.
Status read_context_options(const ModelObject& model, const BoundsObject* bounds, const anydim_context_options_t& options, Bounds* b,
                            ContextOptions* to);

// A call with what the options say; `cancellation` keeps theirs. Outputs that lie in inputs and inputs in parts are read apart.
Status read_run_options(const anydim_run_options_t& options, Pin<CancellationObject>* cancellation, RunCall* call);
// options.aliases for a model of so many outputs, all -1.
Status read_aliases(const anydim_run_options_t& options, size_t outputs, std::span<int32_t>* aliases);
// Of calls that know neither.
Status refuse_edges(const anydim_run_options_t& options);

// "audio=2;mask=1" as inputs and axes.
Status read_streaming(const anydim_model_options_t& options, StreamingOptions* out);

// Bounds by name as the program's intervals. Fails for an input that it lacks or another rank.
Status read_bounds(const Program& program, const BoundsObject& from, Bounds* out);

// What the options ask of the memory orders of a graph's edges. Fails for a name that the graph lacks and for what does not
// fit its rank.
Status read_layouts(const Graph& graph, const anydim_model_options_t& options, CompileOptions* out);

}  // namespace anydim::capi
