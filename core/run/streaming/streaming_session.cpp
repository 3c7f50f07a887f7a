// SPDX-License-Identifier: Apache-2.0
// Contexts for streams; see streaming_session.h.
#include "core/run/streaming/streaming_session.h"

#include <algorithm>

#include "core/program/arena_plan.h"

namespace anydim {

// True if all dims have a bound.
bool StreamingSession::bounds_of(const Program& p, const Bounds* whole, Bounds* out) const {
  const StreamingPlan& plan = program_->plan;
  DimPool pool = p.dims;
  out->assign(p.inputs.size(), {});
  const auto streamed = [&](size_t input, int axis) {
    return std::any_of(plan.inputs.begin(), plan.inputs.end(),
                       [&](const StreamingPlan::Edge& e) { return static_cast<size_t>(e.index) == input && e.axis == axis; });
  };
  // What the caller promises of symbols holds where they are parts of other dims, too.
  for (size_t i = 0; i < plan.model_inputs && whole != nullptr; ++i)
    for (int a = 0; a < p.inputs[i].dims.rank; ++a) {
      const Dim d = p.inputs[i].dims[a];
      if (d.is_number() || streamed(i, a) || pool.expr(d.expr()).op != DimOp::symbol) continue;
      DimPromise promise = pool.expr(d.expr()).promise;
      promise.min = std::max(promise.min, (*whole)[i].dims[a].min);
      promise.max = std::min(promise.max, (*whole)[i].dims[a].max);
      if (promise.min <= promise.max) pool.set_promise(d.expr(), promise);
    }
  bool all = true;
  for (size_t i = 0; i < p.inputs.size(); ++i)
    for (const Dim d : p.inputs[i].dims) {
      Interval range = pool.interval(d);
      range.min = std::max<int64_t>(range.min, 0);
      (*out)[i].dims.push_back(range);
      all &= range.max < kMaxSize;
    }
  return all;
}

Status StreamingSession::create(StreamingProgramPtr program, const ContextOptions& options, int limit, bool profile,
                                std::unique_ptr<StreamingSession>* out) {
  std::unique_ptr<StreamingSession> s(new StreamingSession);
  s->program_ = std::move(program);
  if (options.bounds != nullptr && options.bounds->size() != s->plan().model_inputs)
    return invalid("bounds for {} inputs; the model has {}", options.bounds->size(), s->plan().model_inputs);
  const bool edges = s->bounds_of(*s->program_->edges, options.bounds, &s->edges_bounds_);
  const bool between = s->bounds_of(*s->program_->between, options.bounds, &s->between_bounds_);
  s->bounded_ = edges && between;
  for (const bool at_edges : {true, false}) {
    ContextOptions mine = options;
    mine.bounds = !s->bounded_ ? nullptr : at_edges ? &s->edges_bounds_ : &s->between_bounds_;
    ANYDIM_TRY(
        Session::create(at_edges ? s->program_->edges : s->program_->between, mine, limit, profile, at_edges ? &s->edges_ : &s->between_));
  }
  *out = std::move(s);
  return {};
}

PoolFigures StreamingSession::figures() const {
  PoolFigures f = edges_->figures();
  const PoolFigures g = between_->figures();
  f.contexts += g.contexts;
  f.in_use += g.in_use;
  f.waiting += g.waiting;
  f.growths += g.growths;
  f.arena_bytes += g.arena_bytes;
  return f;
}

Status StreamingSession::bytes_needed(int threads, int64_t* bytes) const {
  if (!bounded_)
    return invalid("the memory of a stream has no bound: {}", plan().most_chunk > 0
                                                                  ? "dims of the inputs have none; expected bounds of the session"
                                                                  : "chunks may have any size; expected a largest one");
  int64_t sum = 0;
  ANYDIM_TRY(anydim::bytes_needed(*program_->edges, edges_bounds_, threads, &sum));
  ANYDIM_TRY(anydim::bytes_needed(*program_->between, between_bounds_, threads, bytes));
  *bytes = saturating_add(*bytes, sum);
  // What is carried lies in memory of the stream's own, twice: a run writes beside what it reads.
  const auto add = [&](int32_t input) {
    const Program::IoSpec& in = program_->edges->inputs[static_cast<size_t>(input)];
    int64_t size = dtype_size(in.dtype);
    for (const Interval& d : edges_bounds_[static_cast<size_t>(input)].dims) size = saturating_mul(size, d.max);
    *bytes = saturating_add(*bytes, saturating_mul(2, size));
  };
  for (const StreamingPlan::Carry& c : plan().carries) add(c.edges_input);
  for (const StreamingPlan::State& s : plan().states) add(s.edges_input);
  return {};
}

}  // namespace anydim
