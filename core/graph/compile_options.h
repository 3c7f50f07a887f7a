// SPDX-License-Identifier: Apache-2.0
// What a graph is compiled with.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/dispatch/primitive/reuse_policy.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/engines/cpu/engine.h"
#include "core/graph/ir.h"
#include "core/graph/layer_modes.h"
#include "core/graph/passes/layout.h"
#include "core/graph/passes/partition.h"
#include "core/graph/passes/passes.h"

namespace anydim {

struct CompileOptions {
  MathMode mode = MathMode::inherit;  // of nodes that do not say otherwise; inherit: strict
  // Of single nodes of the model, by name: "conv_3", and of those in a body with its path, "loop_2/conv_3". All that the importer
  // makes of a node has its mode; what becomes a post-op of another node has that one's.
  std::vector<LayerMode> layer_modes;
  ReusePolicy reuse = ReusePolicy::inherit;
  // Stride orders of the edges; missing: row-major. An input may come in other strides (it is then read as it is, more
  // slowly); an output that the caller wants in other strides costs a copy.
  std::vector<EdgeLayout> input_layouts;
  std::vector<EdgeLayout> output_layouts;
  // A file that save_weights() wrote of this program's packed weights, or another's: those that it has are mapped instead of
  // packed. Or null.
  std::shared_ptr<const MappedWeights> packed;
  // No weights are packed: the program is for write_program() and is not run.
  bool unpacked = false;
  // Rewritings that the graph gets. With none, every value is row-major and in memory of its own, too.
  PassSet passes = PassSet::all;
  Parallel parallel{1};             // that weights are packed on
  EnginePtr engine = cpu_engine();  // the host's
  // Other engines, those first that are preferred over those behind them, and all of them over the host. Inputs, outputs and sizes
  // that data determines stay with the host.
  std::vector<EnginePtr> devices;
  int32_t devices_behind_host = 0;                                  // so many of the last: they get what the host has no kernel for
  int32_t smallest_island = 1;                                      // see PartitionOptions
  std::function<int32_t(const Graph&, const Node&)> choose_engine;  // 0 for the host, 1 for the first device, ...
};

}  // namespace anydim
