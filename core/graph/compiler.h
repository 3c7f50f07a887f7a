// SPDX-License-Identifier: Apache-2.0
// From one graph to a program, step by step: compile.cpp makes the steps, write_program.cpp writes down what they run on. A body of a
// branch or loop is compiled by a compiler of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/compile_options.h"
#include "core/graph/constant_packer.h"
#include "core/graph/node_types.h"
#include "core/graph/plan/storage.h"
#include "core/program/program.h"

namespace anydim {

// What a graph and the bodies in it share, and where in them one is: "loop_2/", or nothing.
struct CompileScope {
  ConstantPacker::SharedConstants& shared;
  std::string path;
  bool is_body = false;
};

Status compile_within(Graph graph, const CompileOptions& options, const CompileScope& scope, ProgramPtr* out);

// What passes and graphs freed, 5 MB of a 10 MB model, goes back to the system.
void give_back_freed_memory() noexcept;

class Compiler {
 public:
  Compiler(Graph graph, const CompileOptions& options, const CompileScope& scope)
      : graph_(std::move(graph)), options_(options), passes_(options.passes), scope_(scope) {}

  Status run();
  Program& program() { return program_; }

 private:
  Status resolve_passes();
  Status place_nodes();
  void drop_idle_engines();
  Status choose_kernel(const NodeTypes& types, Node* node);
  Status choose_layouts();
  void order_by_stages();
  Status make_steps();
  Status make_step(Node& node, Program::Step* step, std::vector<ValueId>* operands);
  Status make_control(const Node& node, Program::Step* step, std::vector<ValueId>* operands);
  Status compile_body(const Node& node, size_t body, Control* control);
  Status make_copy(const TensorType& type, PrimitivePtr* copy);
  Status make_output_copies();
  Status make_transfer(const Node& node, Program::Step* step, std::vector<ValueId>* operands);
  int32_t add_primitive(PrimitivePtr p) {
    program_.primitives.push_back(std::move(p));
    return static_cast<int32_t>(program_.primitives.size()) - 1;
  }
  const Engine& engine_of(const Node& n) const { return *program_.engines[static_cast<size_t>(n.engine)]; }
  std::vector<Perm> orders_without_copies() const;
  void write_edges();
  void write_buffers();
  void write_tensors();
  void write_stages();
  void write_input_elements();
  std::string in_path(const std::string& label) const { return scope_.path + label; }

  Graph graph_;
  const CompileOptions& options_;
  PassSet passes_;
  Storage storage_;
  Program program_;
  const CompileScope& scope_;
  ConstantPacker constants_{graph_, options_, program_, scope_.shared};
  std::vector<std::vector<ValueId>> operands_;  // by step
  std::vector<int32_t> stages_;                 // by node
  std::vector<int32_t> tensor_of_;              // by value
  std::map<NodeId, int32_t> controls_;          // the steps of branches and loops
};

}  // namespace anydim
