// SPDX-License-Identifier: Apache-2.0
// The constants of a graph that is being compiled: weights are packed once for all the nodes that read them in one form, and
// what nobody reads any more goes at once, so that loading a model never holds two copies of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/compile.h"

namespace anydim {

class ConstantPacker {
 public:
  ConstantPacker(Graph& graph, const CompileOptions& options, Program& program) : graph_(graph), options_(options), program_(program) {}

  // Those that no node reads at all go.
  void drop_unused();
  // The packed weights of a node, or null where its kernel reads its operands as they are.
  Status weights_for(const Node& node, WeightsPtr* out);
  // Of the operands (inputs, outputs, post-op operands) of a step: those that all their nodes have packed go.
  void drop_packed(const Program::Step& step, std::span<const ValueId> operands);
  // The model file's bytes are not needed any more: what steps read as it is gets a copy, packed weights have theirs.
  void keep(std::span<const Program::Step> steps, std::span<const std::vector<ValueId>> operands);

 private:
  Status pack(const Node& node, bool has_bias, WeightsPtr* out);

  struct WeightsKey {
    const void *weights, *bias;
    std::string op;
    friend auto operator<=>(const WeightsKey&, const WeightsKey&) = default;
  };
  Graph& graph_;
  const CompileOptions& options_;
  Program& program_;
  std::map<WeightsKey, WeightsPtr> packed_;
  std::map<ValueId, int> unpacked_uses_;  // by nodes that have not packed them
};

}  // namespace anydim
