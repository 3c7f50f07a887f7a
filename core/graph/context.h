// SPDX-License-Identifier: Apache-2.0
// One running inference: the arena, the slots, and every tensor and plan bound to the shape of the last run. A new shape
// costs an evaluation of the slots and a rebinding; nothing is allocated within the bounds (or after growth).
// One user at a time: a second caller gets `busy`.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/graph/arena.h"
#include "core/graph/model.h"

namespace anydim {

struct ContextOptions {
  const Bounds* bounds = nullptr;  // promises; within them nothing is allocated after creation
  void* buffer = nullptr;          // the caller's memory instead of an arena, aligned to 64; not freed
  int64_t buffer_size = 0;
  Parallel parallel{1};            // threads are a cap
};

struct KernelRefusal {
  std::string kernel, because;  // empty: the chosen one
};

// What one node did at the shape of the last run.
struct NodeReport {
  std::string name;        // of the node in the model file
  std::string onnx_type;
  std::string op;          // operator with its attributes
  std::string kernel;
  std::string tier;
  std::string post_ops;    // fused; empty: none
  struct Operand {
    std::string name;
    DType dtype = DType::none;
    Dims dims;
    Strides strides;
    std::string place;     // "arena+4096", "input 0", "output 0", "weights", "constant"
  };
  std::vector<Operand> inputs, outputs, post_inputs;
  int64_t bytes = 0;       // read and written, once each
  int64_t scratch = 0;
  int64_t nanoseconds = -1;  // of the last run that was profiled; -1: none
  std::vector<KernelRefusal> candidates;
};

struct RunReport {
  std::vector<NodeReport> nodes;
  int64_t arena_bytes = 0, used_bytes = 0, weight_bytes = 0, growth_events = 0;
  int64_t bind_nanoseconds = -1;
  int views = 0;  // nodes that cost nothing
};

class Context {
 public:
  static Status create(ModelPtr model, const ContextOptions& options, std::unique_ptr<Context>* out);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Model& model() const noexcept { return *model_; }

  // Dims that the outputs will have for these inputs (data counts only for integer inputs that shapes depend on).
  Status output_dims(std::span<const TensorView> in, std::span<Dims> out);

  // in, out: in the model's order. An output whose data is null is put into the context's memory, valid until the next
  // call, and described in out[i]; others must have the right dtype and dims and any strides. Outputs are untouched on
  // failure, but for invalid_data.
  Status run(std::span<const TensorView> in, std::span<TensorView> out);

  // Times each node of the runs to come.
  void set_profiling(bool on) noexcept { profiling_ = on; }
  // After a run.
  Status explain(RunReport* out);

  int64_t arena_bytes() const noexcept { return arena_.size(); }
  int64_t growth_events() const noexcept { return growth_events_; }
  int threads() const noexcept { return parallel_.threads(); }

 private:
  Context() = default;
  class Use;  // takes the context for one call

  // An operand of a node whose memory is the caller's, or an output's in either place.
  struct Patch {
    int32_t view = 0;    // index in views_
    int32_t buffer = 0;  // of the storage
  };
  struct BoundNode {
    const Primitive* primitive = nullptr;
    Args args;
    Plan plan;
  };

  Status prepare();
  Status check_inputs(std::span<const TensorView> in) const;
  bool same_shape(std::span<const TensorView> in) const noexcept;
  Status bind_shape(std::span<const TensorView> in);
  Status evaluate(std::span<const TensorView> in);
  Status check_outputs(std::span<TensorView> out) const;
  void bind_pointers(std::span<const TensorView> in, std::span<TensorView> out);
  Status execute();
  Status copy_outputs(std::span<TensorView> out);

  ModelPtr model_;
  Parallel parallel_;
  bool bounded_ = false;
  ArenaPlan arena_plan_;
  Arena arena_;
  Bounds bounds_;

  std::vector<int64_t> slots_;
  std::vector<TensorView> views_;       // operands of all nodes, node after node
  std::vector<ValueId> view_values_;    // which value each is
  std::vector<int64_t> attributes_;     // dim attributes of all nodes, node after node
  std::vector<Dim> attribute_dims_;
  std::vector<BoundNode> nodes_;
  std::vector<Patch> patches_;
  std::vector<TensorView> output_views_;  // the outputs as the graph writes them
  std::vector<std::byte*> buffer_data_;   // by storage buffer, for the run
  std::vector<int64_t> bytes_, offsets_;  // of the arena plan's buffers, then scratch
  std::vector<TensorView> last_in_;       // dims and strides of the last bound shape
  std::vector<int64_t> last_content_;
  std::vector<int64_t> nanoseconds_;
  std::vector<bool> output_direct_;
  int64_t used_bytes_ = 0, growth_events_ = 0, bind_nanoseconds_ = -1;
  bool bound_ = false, profiling_ = false;
  std::atomic<bool> busy_{false};
};

}  // namespace anydim
