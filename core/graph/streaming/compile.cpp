// SPDX-License-Identifier: Apache-2.0
// From a graph to the programs of a stream; see streaming.h.
#include <algorithm>

#include "core/graph/compiler.h"
#include "core/graph/constant_budget.h"
#include "core/graph/possible.h"
#include "core/graph/streaming/axis_walk.h"
#include "core/graph/streaming/chunk_graph.h"
#include "core/graph/streaming/followed.h"
#include "core/graph/streaming/streaming.h"

namespace anydim {

namespace {

// Carries, and who reads what of them.
void plan_carries(AxisWalk& walk, StreamingPlan* plan) {
  std::map<ValueId, int32_t> carries;
  for (const AxisWalk::Reader& r : walk.readers()) {
    StreamingPlan::Reader reader{-1, walk.time(r.value).line, r.line, r.plain};
    if (r.carried) {
      const auto [found, fresh] = carries.try_emplace(r.value, static_cast<int32_t>(plan->carries.size()));
      if (fresh) plan->carries.emplace_back().line = reader.source;
      reader.carry = found->second;
      plan->carries[static_cast<size_t>(reader.carry)].readers.push_back(static_cast<int32_t>(plan->readers.size()));
    }
    plan->readers.push_back(reader);
  }
}

Status write(Graph& whole, const CompileOptions& options, const StreamingOptions& streams, const CompileScope& scope,
             StreamingProgram* out) {
  AxisWalk walk(whole, streams);
  ANYDIM_TRY(walk.run());
  StreamingPlan& plan = out->plan;
  plan.lines = walk.lines().all();
  plan.most_chunk = streams.most_chunk;
  plan_carries(walk, &plan);
  Followed followed(plan);
  ANYDIM_TRY(followed.follow(walk.lines()));
  plan.settled = followed.settled();
  for (size_t c = 0; c < plan.carries.size(); ++c) plan.carries[c].most = followed.most_held(c);
  for (const bool edges : {true, false}) {
    ChunkGraph chunk(whole, walk, followed, plan, edges);
    ANYDIM_TRY(chunk.write());
    // What is carried lies as its readers want it; for translators row-major.
    CompileOptions mine = options;
    const EdgeLayout::Rule carried = options.unpacked ? EdgeLayout().rule : EdgeLayout::Rule::fastest;
    mine.input_layouts.assign(chunk.graph().inputs().size(), {});
    mine.output_layouts.assign(chunk.graph().outputs().size(), {});
    std::fill(mine.input_layouts.begin() + static_cast<std::ptrdiff_t>(plan.model_inputs), mine.input_layouts.end(), carried);
    std::fill(mine.output_layouts.begin() + static_cast<std::ptrdiff_t>(plan.outputs.size()), mine.output_layouts.end(), carried);
    ANYDIM_TRY(compile_within(std::move(chunk.graph()), mine, scope, edges ? &out->edges : &out->between));
  }
  plan.first_after = followed.first_after();
  return {};
}

}  // namespace

Status compile_with_streams(Graph graph, const CompileOptions& options, const StreamingOptions& streams, ProgramPtr* whole,
                            StreamingProgramPtr* out) {
  if (streams.most_chunk < 0 || streams.most_chunk > kMaxSize)
    return invalid("most elements of a chunk are {}; expected 0 (any number) or more", streams.most_chunk);
  ANYDIM_TRY(check_layers(graph, options.layer_modes));
  budget_of(graph);
  ConstantPacker::SharedConstants shared;
  CompileScope scope{shared, {}};
  // What the model means is settled once, before there are chunks: passes that could find more in these are left out.
  ANYDIM_TRY(check_possible(graph));
  set_modes(graph, {}, options.layer_modes, options.mode);
  ANYDIM_TRY(run_passes(graph, {.set = options.passes, .phase = PassOptions::Phase::neutral, .engines = options.devices}));
  CompileOptions once = options;
  if (once.passes == PassSet::all) once.passes = PassSet::exact;
  ANYDIM_TRY(compile_within(graph, once, scope, whole));
  CompileOptions host = std::move(once);  // chunks are small: they stay with the host
  host.devices.clear();
  host.devices_behind_host = 0;
  host.choose_engine = nullptr;
  host.input_layouts.clear();
  host.output_layouts.clear();
  auto made = std::make_shared<StreamingProgram>();
  ANYDIM_TRY(write(graph, host, streams, scope, made.get()));
  *out = std::move(made);
  give_back_freed_memory();
  return {};
}

}  // namespace anydim
