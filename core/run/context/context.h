// SPDX-License-Identifier: Apache-2.0
// One running inference: the arena, the slots, and every tensor and plan bound to the shape of the last run. A new shape
// costs an evaluation of the slots and a rebinding; nothing is allocated within the bounds (or after growth).
// One user at a time: a second caller gets `busy`.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/tuning/tuner.h"
#include "core/base/memory/arena.h"
#include "core/program/arena_plan.h"
#include "core/run/session/append_journal.h"
#include "core/run/context/control_flow.h"
#include "core/run/context/memory_ahead.h"
#include "core/run/context/operand_views.h"
#include "core/run/context/run_report.h"
#include "core/run/context/stop.h"

namespace anydim {

class DeviceContext;
struct DeviceEdges;

struct ContextOptions {
  const Bounds* bounds = nullptr;  // promises; within them nothing is allocated after creation
  void* buffer = nullptr;          // the caller's memory instead of an arena, aligned to 64; not freed
  int64_t buffer_size = 0;
  Parallel parallel{1};                      // threads are a cap
  ReusePolicy reuse = ReusePolicy::inherit;  // of steps that were not given one with the program
  // For `specialised`: at most so long is measured before create() returns.
  int64_t tuning_budget_ns = INT64_C(10) * 1000 * 1000 * 1000;
};

// Which inputs and outputs of a run lie in memory of the program's devices, by index; no memory: as the view says. Of those that do
// the views' data are numbers that nobody follows (Memory::address). What writes or reads them elsewhere is done when the run begins.
struct EdgePlaces {
  std::span<const BufferRef> in, out;
  bool empty() const noexcept { return in.empty() && out.empty(); }
};

// What measuring one node's plans gave.
struct NodeTuning {
  std::string name, op, kernel;
  bool known = false;  // measured before: left alone
  TuneOutcome outcome;
};

class Context {
 public:
  static Status create(ProgramPtr program, const ContextOptions& options, std::unique_ptr<Context>* out);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Program& program() const noexcept { return *program_; }

  // Dims that the outputs will have for these inputs (data counts only for integer inputs that shapes depend on); -1 for one
  // that only a run finds.
  Status output_dims(std::span<const TensorView> in, std::span<Dims> out, const EdgePlaces& places = {});

  // in, out: in the program's order. An output whose data is null is put into the context's memory, valid until the next
  // call, and described in out[i]; others must have the right dtype and dims and any strides. Outputs are untouched by
  // what is found before the first node. A run that fails later (invalid_data, cancelled, a device that fails, a size that its
  // data determined) may have written some. An output that is an input with something appended may lie in the input's own memory (Program::IoSpec):
  // what is old is not copied then, and is as it was after a run that fails.
  Status run(std::span<const TensorView> in, std::span<TensorView> out, const EdgePlaces& places = {});

  // Whether the last run appended to an input in place to make this output.
  bool appended_in_place(size_t output) const noexcept { return in_place_[output] != 0; }
  // Bytes of what was appended then.
  int64_t appended_bytes(size_t output) const noexcept;

  // Copies an output of the run before to memory of its dims.
  Status copy_output(size_t i, const TensorView& to);

  // Binds these inputs' shape without running: makes room for it now rather than at its first run. Data counts only as
  // in output_dims().
  Status reserve(std::span<const TensorView> in);

  // Measures the plans of every node at the shape of the last run, on this context's memory and threads, and publishes those
  // that are faster with confidence to the tiers of the program's primitives, for runs with `threads` threads: for this very
  // shape, or for its bucket. Takes seconds; outputs of the last run are lost. tuning.cpp
  struct TuneRequest {
    TuneOptions options;
    int threads = 1;
    bool bucket = false;
    bool record = true;               // in the persistent cache, too
    bool own_memory = false;          // leave out nodes on the caller's memory: how fast they are depends on where that lies
    int64_t confirm_interval_ns = 0;  // from one confirmation of a swap to the next; see tune()
    int64_t device_budget_ns = INT64_C(60) * 1000 * 1000 * 1000;  // for all nodes of devices, compiling included
    bool again = false;                                           // also what has been measured before, in this process or an earlier one
    std::function<void(int64_t done, int64_t nodes)> progress;    // called before each node, and at the end
  };
  Status tune(const TuneRequest& request, std::vector<NodeTuning>* report);

  // A node that has plans to choose from, bound to the shape of the last run.
  struct TunableNode {
    const std::string& name;
    const Primitive& primitive;
    const Args& args;
    int64_t scratch = 0;  // bytes there are at args.scratch
    bool outer = false;   // reads or writes memory of the caller
  };
  // Calls `use` with all of them. It may run their kernels with any of their plans, as tune() does and as bench/tuning.cpp does to
  // judge it; outputs of the last run are lost. tuning.cpp
  Status with_tunable(const std::function<void(std::span<const TunableNode>)>& use);
  ResolvedPolicy policy() const noexcept { return policy_; }

  // Where it says so, runs end with `cancelled` before their next node.
  void set_stop(const Stop& stop) noexcept {
    own_stop_ = stop;
    stop_ = stop.any() ? &own_stop_ : nullptr;
  }
  // Times each node of the runs to come.
  void set_profiling(bool on) noexcept { profiling_ = on; }
  // After a run.
  Status explain(RunReport* out);

  int64_t arena_bytes() const noexcept;                        // those of bodies included
  int64_t used_bytes() const noexcept { return used_bytes_; }  // of the arena, at the shape bound last
  int64_t arena_bytes(int32_t engine) const noexcept;          // of the program's
  int64_t used_bytes(int32_t engine) const noexcept;
  int64_t growth_events() const noexcept;
  PageUse pages() const noexcept;  // that the system gave, those of bodies included
  int threads() const noexcept { return parallel_.threads(); }
  const Parallel& parallel() const noexcept { return parallel_; }

 private:
  friend class ControlRun;
  Context() = default;

  // The context of a body. `plan`: within bounds, in its place above `memory`; null without bounds.
  static Status create_body(ProgramPtr program, const ContextOptions& options, BodyPlan* plan, std::byte* memory,
                            std::unique_ptr<Context>* out);
  static Status make(ProgramPtr program, const ContextOptions& options, ArenaPlan plan, bool body, std::unique_ptr<Context>* out);
  // run() of a body: within the floating-point state and the loop over workers of the run around it.
  Status run_as_body(std::span<const TensorView> in, std::span<TensorView> out, std::span<const int64_t> parameters, Stop* stop,
                     bool profile);

  struct BoundStep {
    const Primitive* primitive = nullptr;  // null for a step that runs none
    bool here = false;                     // its kernel is the host's, waits for nobody and overwrites nothing of the caller's
    const HostKernel* kernel = nullptr;    // of a step that is here: two reads less, which miss the caches behind large weights
    uint64_t follows = 0;                  // see OperandViews
    size_t region = 0;                     // of its scratch, among bytes_
    int64_t* scratch = nullptr;            // bytes of its region, here or of its device
    Args args;
    Plan plan;
  };
  // Bytes of a buffer of the arena plan.
  struct Extent {
    Dim elements;
    int64_t element = 0;  // bytes of one
  };
  // A stage of the program. The first one is bound by the inputs, each other one by what the results before it say.
  struct BoundStage {
    size_t attributes = 0;              // end of its part of attribute_dims_
    std::vector<int32_t> checked_dims;  // slots that must not be negative
    std::vector<int64_t> sizes;         // that were read
    uint64_t changed = 0;               // slots of earlier stages that changed since its steps were planned
    bool bound = false;                 // its slots, dims and plans are those of `sizes` but for `changed`
    bool placed = false;                // so are its buffers' places
    bool views_placed = false;          // and its views' pointers into the arena
    bool refuses = false;               // a branch or loop of it may find something wrong in the middle
  };
  Status prepare();
  Status prepare_controls(const ContextOptions& options);
  bool bind_the_only_shape();
  Status take_inputs(std::span<const TensorView> in);
  // Those whose dims this stage finds.
  Status check_outputs(size_t stage, std::span<const TensorView> out);
  Status check_output(size_t i, std::span<const TensorView> out);
  // Outputs that lie in the memory of an input, or have room behind their ends.
  void take_rooms(std::span<const TensorView> out) noexcept;
  void take_room(size_t i, const TensorView& t) noexcept;
  bool is_written_at_once(size_t output) const noexcept;
  // What slots were evaluated from.
  struct SlotOrigin {
    std::vector<TensorView> in;  // dims and strides
    std::vector<int64_t> content, parameters, rooms;
  };
  bool is_origin(const SlotOrigin& origin) const noexcept;
  void set_origin(SlotOrigin* origin) const;  // allocates nothing
  bool same_as_bound() const noexcept;
  void request_tuning() const noexcept;
  Status tunable() const;  // ok, or that the engines of all steps have nothing to tune
  Status specialise(const ContextOptions& options);
  // Fills the first stage's slots from input dims, strides and integer contents; checks guards and dims.
  Status evaluate(std::vector<int64_t>& slots);
  std::string inputs_text() const;  // names and dims, for messages
  // Checks guards and dims of a stage whose slots are filled.
  Status check_stage(size_t stage, std::span<const int64_t> slots) const;
  Status bind_shape();
  // Dims, plans and places of a stage whose slots are filled; `keep`: where they are those of the last time, but for what changed.
  Status bind_stage(size_t stage, bool keep);
  void bind_memory(size_t stage) noexcept;
  void point_to_scratch(size_t stage) noexcept;
  // Reads the sizes of a stage and binds it.
  Status enter(size_t stage, std::span<const TensorView> out);
  Status read_sizes(size_t stage, bool* same);
  Status execute(std::span<const TensorView> out);
  Status execute_stages(std::span<const TensorView> out, bool observed);
  void plan_control_step(size_t step) noexcept;
  std::byte* result_data(const Program::Buffer& buffer) const noexcept;
  Status run_control(size_t step);
  Status hand_over(std::span<TensorView> out);
  // Axes of an output that come first and that a run leaves out: they are of 1 element then.
  static int left_out_axes(const Program::IoSpec& e, std::span<const int64_t> slots) noexcept {
    return e.optional == 0 ? 0 : e.dims.rank - static_cast<int>(value_of(e.rank, slots));
  }
  TensorView shown(size_t output, TensorView view) const noexcept;  // without these
  void explain_nodes(int depth, RunReport* out);
  NodeReport explain_step(size_t step, int depth) const;
  NodeReport::Operand explain_operand(const TensorView& view, int32_t tensor, bool weights) const;
  // `first_nodes`: of each step, and one more than the last.
  std::vector<StageReport> explain_stages(int depth, std::span<const int32_t> first_nodes) const;
  void collect_tunable(std::vector<TunableNode>* nodes);
  std::vector<size_t> tunable_on_devices() const;
  void tune_on_devices(const TuneRequest& request, int64_t before, int64_t all, std::vector<NodeTuning>* report);
  void forget_outputs() noexcept;
  // A run last read a step a whole run ago, and megabytes of weights have passed through the caches since. So the step after the next
  // one, and what the next one points to, are fetched while a step computes.
  static void fetch_parts(const BoundStep& s) noexcept;
  Status execute_steps(size_t first, size_t last, bool observed);
  // Steps that are no kernel of the host's: context_engines.cpp.
  Status prepare_devices();
  Status plan_without_kernel(size_t step);
  Status run_elsewhere(size_t step);
  Status transfer(size_t step);
  Status finish_on_engines(Status done);
  Status finish_step(size_t i, int64_t start, bool observed);  // timing and reports
  // Inputs and outputs in memory of devices: context_places.cpp.
  Status bind_places(std::span<const TensorView> in, const EdgePlaces& places, bool dims_only, std::span<const TensorView>* here);
  Status bind_place(size_t input, const BufferRef& place, bool dims_only, TensorView* view);
  Status transfer_place(size_t step, const TensorView& to, TensorView* from, bool* done);
  const BufferRef* device_output(size_t i) const noexcept;
  bool stays_on_device(size_t i) const noexcept;
  bool leave_out(size_t step) noexcept;
  Status bring_output(size_t i);
  Status store_output(size_t i, const TensorView& to, const BufferRef& place);

  ProgramPtr program_;
  Parallel parallel_;
  bool bounded_ = false;
  bool body_ = false;  // of a branch or loop
  Bounds bounds_;
  ArenaPlan arena_plan_;
  MemoryAhead ahead_;
  Arena arena_;

  // Fixed at creation.
  std::vector<Extent> extents_;
  std::vector<Dim> attribute_dims_;
  std::vector<int32_t> output_stages_;  // that find their dims
  // Bound to a shape.
  std::vector<int64_t> slots_, probe_slots_;
  SlotOrigin slots_of_, probe_slots_of_;
  std::vector<uint8_t> assigned_;  // of symbols, while they are filled in
  OperandViews views_;
  std::vector<int64_t> attributes_;
  std::vector<BoundStep> steps_;
  std::vector<BoundStage> stages_;
  std::vector<std::unique_ptr<ControlRun>> controls_;  // by branch or loop of the program
  std::vector<int64_t> bytes_;                         // of the arena plan's buffers, then its regions of scratch
  std::vector<BufferPlace> places_;                    // of the same
  std::vector<std::byte*> buffer_data_;                // by buffer of the program
  std::vector<TensorView> in_;
  std::vector<int64_t> content_;
  std::vector<int64_t> parameters_;  // of a body
  std::vector<uint8_t> output_direct_;
  std::vector<std::byte*> output_data_;  // of direct outputs
  std::vector<size_t> cache_outputs_;    // that are an input with something appended
  std::vector<size_t> cache_steps_;      // of these: who appends
  std::vector<int64_t> rooms_;           // by output: along its cache's axis; 0: no more than its dim
  std::vector<uint8_t> in_place_;        // by output
  AppendJournal journal_;
  std::vector<int64_t> nanoseconds_;
  int64_t used_bytes_ = 0, growth_events_ = 0, bind_nanoseconds_ = -1;
  ResolvedPolicy policy_;
  uint32_t bound_epoch_ = 0;  // of the tiers, when the plans were made
  bool bound_ = false;        // slots, dims and plans of the first stage belong to slots_of_
  bool probed_ = false;       // probe_slots_ belong to probe_slots_of_
  bool had_shape_ = false;    // any
  bool ran_ = false;          // all stages belong to the last run
  bool profiling_ = false;
  Stop own_stop_, *stop_ = nullptr;         // a body has that of the run around it
  std::unique_ptr<DeviceContext> devices_;  // null: all steps are the host's
  std::unique_ptr<DeviceEdges> edges_;      // once a run was given places
  std::atomic<bool> busy_{false};
};

}  // namespace anydim
