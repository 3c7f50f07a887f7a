// SPDX-License-Identifier: Apache-2.0
// A branch, loop or operator of the host program's in a context: the contexts of its bodies, what is carried from iteration to iteration, and results whose dims it
// finds itself. All of it was made when the context was made; within bounds a run allocates nothing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/memory/arena.h"
#include "core/program/arena_plan.h"
#include "core/run/context/stop.h"
#include "core/tensor/dims.h"

namespace anydim {

class Context;
struct ContextOptions;

class ControlRun {
 public:
  // `plan`: within bounds, and `memory` is that of the outer context's arena; null without bounds.
  static Status create(const Program& program, const Program::Step& step, const ContextOptions& options, ControlPlan* plan,
                       std::byte* memory, std::unique_ptr<ControlRun>* out);
  ~ControlRun();

  struct Call {
    std::span<const TensorView> in;
    std::span<const TensorView> out;  // where results lie whose dims are known; of the others nothing but the known dims counts
    std::span<const int64_t> sizes;   // dim attributes of the step
    std::byte* scratch = nullptr;     // control_scratch() bytes
    Stop* stop = nullptr;             // says whether to end with `cancelled`
    bool profile = false;
  };
  Status run(const Call& call);

  // Of the last run; those that it placed itself stay until its next one.
  std::span<const TensorView> results() const noexcept { return results_; }
  std::span<const std::unique_ptr<Context>> bodies() const noexcept { return bodies_; }
  // Of its own and its bodies', where they do not lie in the outer context's.
  int64_t arena_bytes() const noexcept;
  PageUse pages() const noexcept;
  int64_t growth_events() const noexcept;

 private:
  // Memory of a result: a part of the outer context's, or its own, which grows.
  struct Store {
    Arena arena;
    int64_t growths = 0;
    // Room for `bytes`, of which the first `keep` are there.
    Status fit(int64_t bytes, int64_t keep, const Parallel& parallel);
  };
  ControlRun(const Program& program, const Program::Step& step, const Parallel& parallel);

  Status branch(const Call& call);
  Status host(const Call& call);
  Status size_host_results(const Call& call);
  Status loop(const Call& call);
  Status count_iterations(const Call& call, int64_t* most) const;
  void feed(const Call& call, int64_t i) noexcept;
  void lay_outputs(const Call& call, int64_t i, int64_t trips) noexcept;
  Status run_body(size_t body, const Call& call);
  Status take_carried(size_t k);
  Status take_stacked(size_t s, int64_t i, int64_t trips);
  Status finish(const Call& call, int64_t iterations);
  Status copy(size_t output, const TensorView& from, const TensorView& to) const;
  bool has_run_time_element(size_t s) const noexcept { return (run_time_axes_[s] & ~(uint32_t{1} << control_.stacks[s].axis)) != 0; }
  Dims dims_of_none(const TensorView& result, size_t s) const noexcept;
  TensorView slot_of(const TensorView& stack, size_t s, int64_t i, int64_t trips) const noexcept;

  const Program& program_;
  const Program::Step& step_;
  const Control& control_;
  Parallel parallel_;
  std::vector<std::unique_ptr<Context>> bodies_;
  std::vector<TensorView> in_, out_;  // of the body that runs
  std::vector<int64_t> parameters_;
  std::vector<TensorView> carried_;  // as they are
  std::vector<TensorView> results_;
  std::vector<Store> stores_;                 // by result
  std::vector<uint32_t> run_time_axes_;       // by stack: the axes whose dims are found by iterations, as bits
  std::vector<uint32_t> host_run_time_axes_;  // by result: the axes whose dims the step finds, as bits
  std::vector<SymDimBounds> most_;            // of an operator of the host program's, within bounds
  int64_t iteration_ = 0;
  uint8_t again_ = 0;
};

}  // namespace anydim
