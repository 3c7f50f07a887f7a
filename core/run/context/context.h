// SPDX-License-Identifier: Apache-2.0
// What one running inference needs, bound to the shape of its last run. A new shape costs an evaluation of the slots and a rebinding;
// nothing is allocated within the bounds (or after growth). One user at a time: a second caller gets `busy`. Its parts are
//
//   caller_tensors.h  the caller's inputs and outputs        step_runner.h     running the steps
//   shape_binding.h   slots, plans and places of a shape     device_places.h   inputs and outputs on devices
//
// explain.h and tuning.h are functions over them.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "core/program/arena_plan.h"
#include "core/run/context/caller_tensors.h"
#include "core/run/context/context_use.h"
#include "core/run/context/device_context.h"
#include "core/run/context/device_places.h"
#include "core/run/context/output_aliases.h"
#include "core/run/context/output_placer.h"
#include "core/run/context/shape_binding.h"
#include "core/run/context/step_runner.h"

namespace anydim {

struct ContextOptions {
  const Bounds* bounds = nullptr;  // promises; within them nothing is allocated after creation
  void* buffer = nullptr;          // the caller's memory instead of an arena, aligned to 64; not freed
  int64_t buffer_size = 0;
  Parallel parallel{1};  // threads are a cap
  SideBySide side_by_side = SideBySide::where_it_gains;
  ReusePolicy reuse = ReusePolicy::inherit;  // of steps that were not given one with the program
  // For `specialised`: at most so long is measured before create() returns.
  int64_t tuning_budget_ns = INT64_C(10) * 1000 * 1000 * 1000;
};

class Context {
 public:
  static Status create(ProgramPtr program, const ContextOptions& options, std::unique_ptr<Context>* out);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Program& program() const noexcept { return *program_; }
  const ProgramPtr& shared_program() const noexcept { return program_; }

  // Dims that the outputs will have for these inputs (data counts only for integer inputs that shapes depend on); -1 for one
  // that only a run finds.
  Status output_dims(std::span<const TensorView> in, std::span<Dims> out, const EdgePlaces& places = {});

  // in, out: in the program's order. An output whose data is null is placed by `placer`, or is put into the context's memory, valid
  // until the next call, and described in out[i]; others must have the right dtype and dims and any strides. Outputs are untouched by
  // what is found before the first node. A run that fails later (invalid_data, cancelled, a device that fails, a size that its
  // data determined) may have written some. An output that is an input with something appended may lie in the input's own memory
  // (Program::IoSpec): what is old is not copied then, and is as it was after a run that fails.
  Status run(std::span<const TensorView> in, std::span<TensorView> out, const EdgePlaces& places = {}, OutputPlacer* placer = nullptr);

  // Whether the last run appended to an input in place to make this output.
  bool appended_in_place(size_t output) const noexcept { return caller_.is_in_place(output); }
  // Bytes of what was appended then.
  int64_t appended_bytes(size_t output) const noexcept;

  // Binds these inputs' shape without running: makes room for it now rather than at its first run. Data counts only as
  // in output_dims().
  Status reserve(std::span<const TensorView> in);

  // Where it says so, runs end with `cancelled` before their next node.
  void set_stop(const Stop& stop) noexcept {
    stop_ = stop;
    runner_.stop = stop.any() ? &stop_ : nullptr;
  }
  // Of the runs to come, until it is called again: outputs that nobody places may lie in the memory of an input, which is written here by
  // output; -1: it does not. Empty: none may.
  void set_aliases(std::span<int32_t> inputs) noexcept { aliases_.ask(inputs); }
  const OutputAliases& aliases() const noexcept { return aliases_; }
  // What its caller read and wrote to have the inputs of the next run side by side.
  void note_gathered(int64_t bytes) noexcept { gathered_bytes_ = bytes; }
  int64_t gathered_bytes() const noexcept { return gathered_bytes_; }
  // Times each node of the runs to come.
  void set_profiling(bool on) noexcept { runner_.profiling = on; }

  int64_t arena_bytes() const noexcept;                                        // those of bodies included
  int64_t used_bytes() const noexcept { return binding_.arena.used_bytes(); }  // of the arena, at the shape bound last
  int64_t arena_bytes(int32_t engine) const noexcept;                          // of the program's
  int64_t used_bytes(int32_t engine) const noexcept;
  int64_t growth_events() const noexcept;
  PageUse pages() const noexcept;  // that the system gave, those of bodies included
  int threads() const noexcept { return parallel_.threads(); }
  const Parallel& parallel() const noexcept { return parallel_; }
  ResolvedPolicy policy() const noexcept { return policy_; }

  // The context of a body. `plan`: within bounds, in its place above `memory`; null without bounds.
  static Status create_body(ProgramPtr program, const ContextOptions& options, BodyPlan* plan, std::byte* memory,
                            std::unique_ptr<Context>* out);
  // run() of a body: within the floating-point state and the loop over workers of the run around it.
  Status run_as_body(std::span<const TensorView> in, std::span<TensorView> out, std::span<const int64_t> parameters, Stop* stop,
                     bool profile);
  // The run around it does not come to this body.
  void pass_by() noexcept { ran_ = false; }

  // For explain.h and tuning.h, which hold the right to use the context meanwhile.
  ContextUse use() noexcept { return ContextUse(busy_); }
  bool ran() const noexcept { return ran_; }  // all stages belong to the last run
  const CallerTensors& caller() const noexcept { return caller_; }
  const ShapeBinding& binding() const noexcept { return binding_; }
  const StepRunner& runner() const noexcept { return runner_; }
  DeviceContext* devices() const noexcept { return devices_.get(); }
  std::span<const std::unique_ptr<ControlRun>> controls() const noexcept { return controls_; }
  const Bounds* bounds() const noexcept { return bounded_ ? &bounds_ : nullptr; }
  int64_t bind_nanoseconds() const noexcept { return bind_nanoseconds_; }
  // Read and written by the last run to give outputs the strides that its caller wanted.
  int64_t copied_output_bytes() const noexcept { return copied_output_bytes_; }
  // The slots are those of the last run again, where other dims were asked for since.
  void restore_slots() noexcept { binding_.slots.restore(); }
  // Outputs of the last run were overwritten.
  [[gnu::cold]] void forget_outputs() noexcept;

 private:
  [[gnu::cold]] Context(ProgramPtr program, const ContextOptions& options, ArenaPlan plan, bool body);
  static Status make(ProgramPtr program, const ContextOptions& options, ArenaPlan plan, bool body, std::unique_ptr<Context>* out);
  Status prepare_controls(const ContextOptions& options);
  bool bind_only_shape();
  Status set_places(std::span<const TensorView> in, const EdgePlaces& places, bool dims_only, std::span<const TensorView>* here);
  Status place_outputs(std::span<const TensorView> in, std::span<TensorView> out, OutputPlacer& placer);
  void read_output_dims(std::span<Dims> out) const noexcept;
  Status bind();
  Status bind_outputs(size_t stage, std::span<const TensorView> out);
  Status run_stages(std::span<const TensorView> out);
  Status return_outputs(std::span<TensorView> out, OutputPlacer* placer);
  // What devices have not done yet uses memory of this run's.
  Status finish_on_devices(Status done);

  const ProgramPtr program_;
  const Parallel parallel_;
  const bool bounded_, body_;
  const Bounds bounds_;
  ResolvedPolicy policy_;
  std::vector<std::unique_ptr<ControlRun>> controls_;  // by branch or loop of the program
  CallerTensors caller_;
  ShapeBinding binding_;
  OutputAliases aliases_;
  StepRunner runner_;
  std::unique_ptr<DeviceContext> devices_;  // null: all steps are the host's
  std::unique_ptr<DevicePlaces> places_;    // once a run was given places
  std::vector<Dims> output_dims_;           // for whoever places them
  Stop stop_;
  int64_t bind_nanoseconds_ = -1, copied_output_bytes_ = 0, gathered_bytes_ = 0;
  bool ran_ = false;
  std::atomic<bool> busy_{false};
};

}  // namespace anydim
