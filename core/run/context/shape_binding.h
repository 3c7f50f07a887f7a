// SPDX-License-Identifier: Apache-2.0
// A program bound to the shape of a run: slots, the views that follow them, a plan for each kernel, and places in the arena. At a new
// shape what a changed slot concerns is computed again; within the memory that there is nothing is allocated. Runs no step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/run/context/caller_tensors.h"
#include "core/run/context/control_flow.h"
#include "core/run/context/host_arena.h"
#include "core/run/context/operand_views.h"
#include "core/run/context/shape_slots.h"
#include "core/run/context/side_by_side.h"

namespace anydim {

struct BoundStep {
  const Primitive* primitive = nullptr;  // null for a step that runs none
  bool replan = false;                   // it has another number of threads than its plan
  bool here = false;                     // its kernel is the host's, waits for nobody and overwrites nothing of the caller's
  const HostKernel* kernel = nullptr;    // of a step that is here: two reads less, which miss the caches behind large weights
  uint64_t follows = 0;                  // see OperandViews
  int64_t* scratch = nullptr;            // where the bytes of its scratch are asked for, here or of its device
  Args args;
  Plan plan;
};

class ShapeBinding {
 public:
  // `caller` and `controls` are the context's; the latter is filled in before the first shape.
  [[gnu::cold]] ShapeBinding(const Program& program, ArenaPlan plan, bool bounded, const Parallel& parallel, const CallerTensors& caller,
                             const std::vector<std::unique_ptr<ControlRun>>& controls);
  // `devices`: null for a program of the host alone.
  Status prepare(DeviceContext* devices, ReusePolicy policy, SideBySide side_by_side);

  // Is this the shape of the caller's inputs?
  bool is_bound() const noexcept;
  Status bind();
  void forget() noexcept { bound_ = false; }
  // Reads the sizes of a later stage and binds it.
  Status enter(size_t stage);
  // Points the views of a stage into memory.
  void bind_memory(size_t stage) noexcept;

  std::span<const BoundStep> steps() const noexcept { return steps_; }
  const OperandViews& views() const noexcept { return views_; }
  std::span<const TensorView> outputs() const noexcept { return views_.outputs(); }
  // By output, without the copy that ends it; see CallerTensors::Bound.
  std::span<const TensorView> uncopied() const noexcept { return uncopied_; }
  // Steps that run side by side at this shape; null: none at any.
  GroupRunner* groups() const noexcept { return groups_.get(); }
  // Whether the caller's tensor lies as this step would make it lie, or nobody needs what it makes.
  bool leaves_out(size_t step) const noexcept;
  // Steps that runs may leave out (output_aliases.h): before the first shape. And those that this run leaves out.
  void ask_before(size_t step) {
    steps_[step].here = false;
    not_needed_.reserve(not_needed_.capacity() + 1);
  }
  void need_all_steps() noexcept { not_needed_.clear(); }
  void leave_out(size_t step) noexcept { not_needed_.push_back(step); }
  // The copy that is left out, so that this buffer is the caller's memory; or null.
  const Program::EdgeCopy* left_out_at(int32_t buffer) const noexcept;
  // Whether a buffer is no part of the arena, or was none in the last run.
  bool is_callers(int32_t buffer) const noexcept {
    return program_.buffer(buffer).kind != Program::Buffer::Kind::arena || left_out_at(buffer) != nullptr;
  }

  ShapeSlots slots;
  HostArena arena;

 private:
  // A stage of the program. The first one is bound by the inputs, each other one by what the results before it say.
  struct Stage {
    uint64_t changed = 0;       // slots of earlier stages that changed since its steps were planned
    bool bound = false;         // its slots, dims and plans are those of its sizes but for `changed`
    bool placed = false;        // so are its buffers' places
    bool views_placed = false;  // and its views' pointers into the arena
  };
  std::span<BoundStep> steps_of(size_t stage) noexcept;
  // Dims, plans and places of a stage whose slots are there; `keep`: as the last time, but for what changed.
  Status bind_stage(size_t stage, bool keep);
  Status plan_stage(size_t stage, bool keep, uint64_t changed);
  [[gnu::cold]] Status plan_without_kernel(size_t step);
  void set_threads_of_groups() noexcept;
  Status read_sizes(size_t stage, bool* same);
  Status size_of(const Program::SizeRead& read, const TensorView& from, int64_t* size) const;
  void point_to_scratch(size_t stage) noexcept;
  void find_uncopied() noexcept;
  void leave_out_copies() noexcept;
  std::byte* result_data(const Program::Buffer& buffer) const noexcept;

  const Program& program_;
  const bool bounded_;
  const Parallel parallel_;
  const CallerTensors& caller_;
  const std::vector<std::unique_ptr<ControlRun>>& controls_;
  DeviceContext* devices_ = nullptr;
  bool reusable_only_ = false;  // plans of the tuner's are not asked for
  OperandViews views_;
  std::vector<BoundStep> steps_;
  std::unique_ptr<GroupRunner> groups_;
  std::vector<Stage> stages_;
  std::vector<std::byte*> buffer_data_;  // by buffer of the program
  std::vector<TensorView> uncopied_;
  std::vector<uint8_t> left_out_;   // by edge copy of the program, in this run
  std::vector<size_t> not_needed_;  // steps, in this run
  uint64_t bound_version_ = 0;      // of the slots
  uint32_t bound_epoch_ = 0;        // of the tiers, when the plans were made
  bool bound_ = false;              // views and plans belong to one shape
  bool had_shape_ = false;          // any
};

}  // namespace anydim
