// SPDX-License-Identifier: Apache-2.0
// A compiled model: the final graph with one primitive per node, packed weights, where every value lies, and the slot
// program that turns input dims into everything a run needs. Immutable after compile(); shared by any number of contexts.
// Running is context.h's business; reading files is the importer's.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/primitive.h"
#include "core/dispatch/weights_file.h"
#include "core/graph/ir.h"
#include "core/graph/passes/elision.h"
#include "core/graph/passes/layout.h"
#include "core/graph/passes/passes.h"
#include "core/graph/plan/lifetimes.h"
#include "core/graph/plan/memory_plan.h"

namespace anydim {

struct ModelOptions {
  MathMode mode = MathMode::strict;  // of nodes that do not say otherwise
  ReusePolicy reuse = ReusePolicy::inherit;
  // Stride orders of the edges; missing: row-major. An input may come in other strides (it is then read as it is, more
  // slowly); an output that the caller wants in other strides costs a copy.
  std::vector<EdgeLayout> input_layouts;
  std::vector<EdgeLayout> output_layouts;
  // A file that save_packed() wrote, of this model or another: weights that it has are mapped instead of packed. Or null.
  std::shared_ptr<const MappedWeights> packed;
  // Rewritings that the graph gets. With none, every value is row-major and in memory of its own, too.
  PassSet passes = PassSet::all;
  Parallel parallel{1};  // that weights are packed on
};

// How many weights are packed, each counted once however many nodes read it, and what of them is mapped from a file.
struct PackedCounts {
  int32_t weights = 0, mapped = 0;
  int64_t mapped_bytes = 0;
};

struct EdgeInfo {
  std::string name;
  DType dtype = DType::none;
  SymDims dims;                       // in Model::pool()
  std::vector<std::string> dim_text;  // "3", "height", "(w + 1) // 2"
  Perm order;                         // in memory: read fastest, or written without a copy
};

// What a caller promises about the dims of an input: one interval per dim.
struct InputBounds {
  RankArray<Interval> dims;
};
using Bounds = std::vector<InputBounds>;  // one per input of the model

// One executing node.
struct ModelNode {
  NodeId id = kNoNode;
  std::string label;  // "conv_3 (Conv)"
  PrimitivePtr primitive;
  std::vector<ValueId> operands;  // inputs, then outputs, then post-op operands; kNoValue = absent
  int32_t inputs = 0, outputs = 0, post = 0;
  std::vector<Dim> dim_attributes;  // in the model's pool
};

// Arena layout for one set of bounds (or for none): buffers that need memory, then regions of scratch. Nodes with little
// share one region, which is as large as the largest of them wants; a region that lives for one step only would save less
// than it costs to place at each new shape.
struct ArenaPlan {
  std::vector<int32_t> buffers;  // storage buffers in the order of the plan's first entries
  std::vector<int32_t> scratch;  // by node: its region, among those after the buffers
  MemoryPlan plan;
  int64_t bytes = 0;  // at the bounds; without any, at the guessed dims
};

class Model {
 public:
  // Runs the passes on `graph` and compiles it. Errors name the node.
  static Status compile(Graph graph, const ModelOptions& options, std::shared_ptr<const Model>* out);

  std::span<const EdgeInfo> inputs() const noexcept { return inputs_; }
  std::span<const EdgeInfo> outputs() const noexcept { return outputs_; }
  std::span<const std::pair<std::string, std::string>> metadata() const noexcept { return graph_.metadata; }
  const DimPool& pool() const noexcept { return graph_.dims; }
  ReusePolicy reuse() const noexcept { return reuse_; }            // as asked for with the model, or inherit
  int64_t weight_bytes() const noexcept { return weight_bytes_; }  // packed and as they are
  PackedCounts packed_counts() const noexcept { return packed_counts_; }
  // Writes the packed weights to a file for ModelOptions::packed; see save_weights().
  Status save_packed(const std::string& path) const { return save_weights(saved_, path); }
  std::span<const ModelNode> nodes() const noexcept { return nodes_; }

  // Arena bytes that suffice for every shape within `bounds`. Fails if something has no bound, naming it.
  Status bytes_needed(const Bounds& bounds, int threads, int64_t* bytes) const;
  // The arena's layout within bounds; null bounds: an orientation for guessed dims and no bound.
  Status plan_arena(const Bounds* bounds, int threads, ArenaPlan* out) const;
  // Intervals of the dims of inputs, checked against what the model itself promises.
  Status check_bounds(const Bounds& bounds) const;

  // What contexts read.
  const Graph& graph() const noexcept { return graph_; }
  const Storage& storage() const noexcept { return storage_; }
  const Lifetimes& lifetimes() const noexcept { return lifetimes_; }
  const SlotProgram& program() const noexcept { return program_; }
  std::span<const PrimitivePtr> output_copies() const noexcept { return output_copies_; }

 private:
  // Every dim that a run reads: those the program has to give.
  std::vector<Dim> dims_of_runs() const;
  Status choose_layouts(const ModelOptions& options);
  Status make_primitives(const ModelOptions& options);
  Status make_node(const Node& node, const ModelOptions& options, ModelNode* out);
  Status weights_for(const Node& node, const ModelOptions& options, WeightsPtr* out);
  Status pack(const Node& node, bool has_bias, const ModelOptions& options, WeightsPtr* out);
  Status make_output_copies();
  void describe_edges(const ModelOptions& options);
  // Constants that no node reads any more go: those that no node reads at all, then those that all their nodes have packed.
  void drop_unused_constants();
  void drop_packed_constants(const ModelNode& node);
  void keep_constants(const ModelOptions& options);

  struct WeightsKey {
    const void *weights, *bias;
    std::string op;
    friend auto operator<=>(const WeightsKey&, const WeightsKey&) = default;
  };
  Graph graph_;
  Storage storage_;
  Lifetimes lifetimes_;
  SlotProgram program_;
  std::vector<ModelNode> nodes_;
  std::map<WeightsKey, WeightsPtr> packed_;
  std::map<ValueId, int> unpacked_uses_;  // of constants, by nodes that have not packed them; while primitives are made
  std::vector<SavedWeights> saved_;       // those in packed_, in the order of the nodes
  PackedCounts packed_counts_;
  std::vector<PrimitivePtr> output_copies_;  // per output: to strides other than its own
  std::vector<EdgeInfo> inputs_, outputs_;
  int64_t weight_bytes_ = 0;
  ReusePolicy reuse_ = ReusePolicy::inherit;
};
using ModelPtr = std::shared_ptr<const Model>;

}  // namespace anydim
