// SPDX-License-Identifier: Apache-2.0
// The constants of a graph that is being compiled: weights are packed once for all the nodes that read them in one form, and
// what nobody reads any more goes at once, so that loading a model never holds two copies of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/compile_options.h"
#include "core/program/program.h"

namespace anydim {

class ConstantPacker {
  // All that a packed form is made of and depends on: where the constants lie, and as text the engine, operator, form, operands.
  struct WeightsKey {
    std::vector<const void*> constants;
    std::string form;
    friend auto operator<=>(const WeightsKey&, const WeightsKey&) = default;
  };
  struct Packed {
    WeightsPtr weights;
    // What held the constants' memory then: when it is gone, others may lie at the same addresses.
    std::vector<std::weak_ptr<const void>> memory;
    bool current() const;
  };

 public:
  // What is held once for a graph and all bodies in it.
  class SharedConstants {
    friend class ConstantPacker;
    std::map<WeightsKey, Packed> packed_;
    std::map<std::pair<const std::byte*, int64_t>, ConstantPtr> kept_;
  };
  ConstantPacker(Graph& graph, const CompileOptions& options, Program& program, SharedConstants& shared)
      : graph_(graph), options_(options), program_(program), shared_(shared) {}

  // Those that no node reads at all go.
  void drop_unused();
  // The packed weights of a node whose kernel was chosen, or null where that reads its operands as they are.
  Status weights_for(const Node& node, const Problem& problem, WeightsPtr* out);
  // Of the operands (inputs, outputs, post-op operands) of a step: those that all their nodes have packed go.
  void drop_packed(const Program::Step& step, std::span<const ValueId> operands);
  // The model file's bytes are not needed any more: what steps read as it is, or sizes are read from, gets a copy; packed weights have
  // theirs.
  void keep(std::span<const Program::Step> steps, std::span<const std::vector<ValueId>> operands);

 private:
  Status pack(const EnginePtr& engine, const Node& node, const Problem& problem, const Kernel& kernel, WeightsPtr* out);

  Graph& graph_;
  const CompileOptions& options_;
  Program& program_;
  SharedConstants& shared_;
  std::map<ValueId, int> unpacked_uses_;  // by nodes that have not packed them
};

}  // namespace anydim
