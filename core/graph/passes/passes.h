// SPDX-License-Identifier: Apache-2.0
// The algebraic passes: rewritings of the graph that follow from the model alone, never from actual shapes, so that every
// shape of a model computes the same function with the same bits. Layout and memory come after them, in files of their own.
//
// First come neutral passes, which hold for all engines, choices of what the model means among them; then the partition
// (partition.h); then passes for each engine's part, which are exact, so that results do not depend on where a node runs.
//
// A rewriting is exact (bits cannot change) or a choice of what the model means, listed in docs/numerics.md, section 8.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "core/engines/engine.h"
#include "core/graph/ir.h"

namespace anydim {

// Which of them run: a means of finding out what a rewriting did. `none` and `exact` give the same bits.
enum class PassSet : uint8_t {
  all,
  exact,  // those that cannot change a bit: the model computes what its file spells out
  none,   // not even the freedoms of layout and memory: each node runs as it was imported
};

struct Pass {
  const char* name;
  const char* what;  // one line for people
  enum class Kind : uint8_t { exact, choice } kind;
  Status (*run)(Graph& graph);
  // Instead, of a pass for each engine's part.
  Status (*run_on)(Graph& graph, std::span<const EnginePtr> engines) = nullptr;
  // In the graph of a branch or loop, whose outputs go to nodes that it does not see; null: the same.
  Status (*run_in_body)(Graph& graph) = nullptr;
};

struct PassOptions {
  PassSet set = PassSet::all;
  enum class Phase : uint8_t { both, neutral, engines } phase = Phase::both;
  bool is_body = false;  // of a branch or loop
  // That the nodes' numbers mean; none: all are the host's. In the neutral phase: those that nodes may be placed on beside it.
  std::span<const EnginePtr> engines;
  // Called with the graph before the first pass (pass "import") and after each.
  std::function<void(std::string_view pass, const Graph& graph)> after;
};

// Runs those of the set and verifies the graph. Failures name the pass.
Status run_passes(Graph& graph, const PassOptions& options = {});

// One pass by its name, for tests.
Status run_pass(Graph& graph, std::string_view name);

// Each has the name that the list gives it, and is described in the file of this name; a variant lies in the file of its pass
// (`remaining_constants` in constants.cpp).
namespace passes {
Status dims(Graph& graph);
Status contents(Graph& graph);
Status dead_nodes(Graph& graph);
Status gather_first(Graph& graph);
Status steps_of_16_bits(Graph& graph);
Status quantized_products(Graph& graph);  // before the constants, which would make floats of the weights
Status dynamic_scales(Graph& graph);
Status constants(Graph& graph);  // before the movers: what they can make a matmul's flag is left to them
Status remaining_constants(Graph& graph);
Status quantized_movers(Graph& graph);
Status requantize(Graph& graph);
Status tables(Graph& graph);
Status quantized_binary(Graph& graph);
Status identities(Graph& graph);
Status equal_nodes(Graph& graph);
Status movers(Graph& graph);
Status activations(Graph& graph);
Status layer_norm(Graph& graph);
Status attention(Graph& graph, std::span<const EnginePtr> engines);
Status unrounded_wide_halves(Graph& graph, std::span<const EnginePtr> engines);  // behind those that know constants of 16 bits
Status early_tiny_parameters(Graph& graph);                                      // before the scales, which fold them into weights
Status scales(Graph& graph);
Status scales_in_body(Graph& graph);  // the same in a body
Status tiny_parameters(Graph& graph);
Status half_post_ops(Graph& graph);
Status appends(Graph& graph);
Status post_ops(Graph& graph, std::span<const EnginePtr> engines);  // where the engine has a kernel for the longer chain
Status quantized_results(Graph& graph, std::span<const EnginePtr> engines);
Status wide_halves(Graph& graph, std::span<const EnginePtr> engines);         // of the host's part
Status compressed_weights(Graph& graph, std::span<const EnginePtr> engines);  // behind it: 16-bit weights are among them
}  // namespace passes

}  // namespace anydim
