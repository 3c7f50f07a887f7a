// SPDX-License-Identifier: Apache-2.0
// Branches and loops in a graph, and operators of the host program's. The first two are nodes with graphs of their own, their bodies. A body has its own values and dims; what it takes from
// the graph around it crosses a border: constants stay constants, known sizes become parameters, anything else becomes an input.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/graph/ir.h"
#include "core/program/control.h"

namespace anydim {

// The operator of such a node. Its dim attributes are the sizes that its bodies' parameters come from.
class ControlFlow final : public Operator {
 public:
  static constexpr OpKind kKind = kControlFlow;

  ControlFlow(Control control, std::vector<std::shared_ptr<Graph>> bodies, std::vector<Dim> sizes, std::vector<TensorType> results)
      : control_(std::move(control)), bodies_(std::move(bodies)), sizes_(std::move(sizes)), results_(std::move(results)) {}

  OpKind kind() const noexcept override { return kKind; }
  int output_count() const noexcept override { return static_cast<int>(results_.size()); }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  std::span<const Dim> dim_attributes() const noexcept override { return sizes_; }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override;
  const void* attribute_data() const noexcept override { return nullptr; }

  const Control& control() const noexcept { return control_; }  // its bodies have no programs yet
  bool is_loop() const noexcept { return control_.kind == Control::Kind::loop; }
  const Graph& body(size_t i) const noexcept { return *bodies_[i]; }
  const std::vector<std::shared_ptr<Graph>>& bodies() const noexcept { return bodies_; }

 private:
  Control control_;
  std::vector<std::shared_ptr<Graph>> bodies_;
  std::vector<Dim> sizes_;
  std::vector<TensorType> results_;
};

// What a body has taken from the graph around it so far.
class Border {
 public:
  Border(Graph& outer, Graph& inner) : outer_(outer), inner_(inner) {}
  Border(const Border&) = delete;
  Border& operator=(const Border&) = delete;

  Graph& inner() noexcept { return inner_; }
  ValueId value(ValueId outer);
  Dim dim(Dim outer);
  // The other way, for what is made of parameters only; false for others.
  bool outside(Dim inner, Dim* outer);

  const std::vector<ValueId>& operands() const noexcept { return operands_; }  // by captured input, in their order
  const std::vector<int32_t>& inputs() const noexcept { return inputs_; }      // of the body, that they are
  const std::vector<Dim>& sizes() const noexcept { return sizes_; }            // by parameter

 private:
  bool from_data(Dim symbol) const;

  Graph& outer_;
  Graph& inner_;
  std::unordered_map<ValueId, ValueId> values_;
  std::unordered_map<int32_t, Dim> dims_, back_;
  std::vector<int32_t> open_;  // expressions whose operands are on their way in
  std::vector<ValueId> operands_;
  std::vector<int32_t> inputs_;
  std::vector<Dim> sizes_;
};

struct ControlName {
  std::string name, onnx_type;
};

// Writes what a branch gives, into the graph inside the border.
using WriteBranch = std::function<Status(Border& border, std::vector<ValueId>* results)>;
// `ranks_differ`, if there is one, says whether it failed because a result has one rank in one branch and another in the other.
Result<std::vector<ValueId>> add_branch(Graph& outer, ValueId condition, const WriteBranch& taken, const WriteBranch& otherwise,
                                        const ControlName& name, bool* ranks_differ = nullptr);

struct LoopParts {
  ValueId count = kNoValue, condition = kNoValue;  // i64 and boolean, of one element
  int iteration_rank = -1;                         // of the body's input that counts; -1: it has none
  std::vector<ValueId> initial;
  struct Slice {
    ValueId value = kNoValue;
    int axis = 0;
    bool reverse = false;
  };
  std::vector<Slice> slices;
  std::vector<Control::Stack> stacks;  // an axis may be negative, from the end; declared dims of another rank do not count
  bool has_condition = false;          // the body says whether to go on
  std::vector<std::string> names;      // of the body's inputs, if it is to have others than made-up ones
};

// Writes a loop's body. Inputs: the iteration, if there is one, the carried values, the slices. Results: whether to go on, if the loop
// asks, the carried values, what is stacked. It may be asked for several times, each time with a new border.
using WriteBody = std::function<Status(Border& border, std::span<const ValueId> inputs, std::vector<ValueId>* results)>;
Result<std::vector<ValueId>> add_loop(Graph& outer, const LoopParts& parts, const WriteBody& body, const ControlName& name);

// A node whose operator is the host program's, which its rule of shapes is asked of now.
Result<std::vector<ValueId>> add_host_node(Graph& graph, std::shared_ptr<const HostNode> host, std::span<const ValueId> inputs,
                                           size_t outputs, const ControlName& name);

}  // namespace anydim
