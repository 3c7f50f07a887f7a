// SPDX-License-Identifier: Apache-2.0
// The contexts that any number of streams of one model share: those of the program of the edges and those of the one for all between.
#pragma once

#include <memory>

#include "core/program/streaming_plan.h"
#include "core/run/session/session.h"

namespace anydim {

class StreamingSession {
 public:
  // `options`: bounds are those of the whole model's inputs; along streamed axes the plan's largest chunk stands in their place.
  static Status create(StreamingProgramPtr program, const ContextOptions& options, int limit, bool profile,
                       std::unique_ptr<StreamingSession>* out);

  const StreamingProgram& program() const noexcept { return *program_; }
  const StreamingPlan& plan() const noexcept { return program_->plan; }
  Session& session(bool edges) noexcept { return edges ? *edges_ : *between_; }
  PoolFigures figures() const;

  // Bytes that one context of each program and one stream need; fails where a dim has no bound.
  Status bytes_needed(int threads, int64_t* bytes) const;

 private:
  bool bounds_of(const Program& program, const Bounds* whole, Bounds* out) const;

  StreamingProgramPtr program_;
  Bounds edges_bounds_, between_bounds_;
  bool bounded_ = false;
  std::unique_ptr<Session> edges_, between_;
};

}  // namespace anydim
