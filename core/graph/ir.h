// SPDX-License-Identifier: Apache-2.0
// The graph: values with symbolic dims, nodes that are operators with post-ops, in topological order; inputs, outputs,
// guards. It knows operators and dims; it knows no kernel, layout choice or memory plan (passes fill in the layout
// fields), and no ONNX beyond the names that errors mention.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/graph/stable_list.h"
#include "core/tensor/constant.h"
#include "core/ops/attributes.h"
#include "core/ops/quantization.h"
#include "core/ops/op.h"
#include "core/tensor/dim.h"
#include "core/tensor/dims.h"

namespace anydim {

class Executable;
class Kernel;

using ValueId = int32_t;
using NodeId = int32_t;
constexpr ValueId kNoValue = -1;  // an optional input that is absent
constexpr NodeId kNoNode = -1;

// The elements of a small tensor where they follow from shapes, constants and the values of small integer inputs:
// row-major and symbolic. Element i is elements[i] / denominator; the denominator is 1 but for floats (a power of two).
struct ShapeValues {
  bool known = false;
  int64_t denominator = 1;
  std::vector<Dim> elements;
};
constexpr int64_t kMaxShapeValues = 1024;  // elements; larger tensors are never tracked

class ConstantBudget;

// What passes ask of most values comes first, in one line of the cache.
struct Value {
  ValueId id = kNoValue;
  NodeId producer = kNoNode;  // none for inputs and constants
  int32_t input = -1;         // index among the graph's inputs
  ConstantPtr constant;       // or null
  std::vector<NodeId> users;  // one entry per use as an operand or post-op operand
  TensorType type;
  Perm order;         // memory order, outermost first; empty = row-major. The layout pass fills it in
  int32_t like = -1;  // the input as which it lies in each run, instead (passes/follow_inputs.h); -1: none
  ShapeValues shape_values;
  std::string name;  // ONNX's, or made up
  int64_t made = 0;  // bytes that a pass took of the budget for it (constant_budget.h)
};

// The kind of a branch or loop (control_flow.h), which is no operator of the tables: it has no traits and no kernels.
constexpr OpKind kControlFlow{};

struct Node {
  NodeId id = kNoNode;
  OperatorPtr op;
  std::vector<ValueId> inputs;  // kNoValue = absent
  std::vector<ValueId> outputs;
  std::string name;                                  // the ONNX node's
  std::string onnx_type;                             // "Conv"; for messages
  PostOps post_ops;                                  // applied to outputs[0]
  std::vector<ValueId> post_inputs;                  // one per post-op that takes a tensor, in chain order; then the quantization's tensors
  std::shared_ptr<const Quantization> quantization;  // scales and zero points of its operands (ops/quantization.h); or null
  MathMode mode = MathMode::inherit;                 // the model's; from the choice of layouts on what it came down to
  MathMode requested = MathMode::inherit;            // what `mode` was then
  int32_t engine = 0;                                // that runs it and has its outputs in its memory (passes/partition.h); 0: the host's
  bool transfer = false;                             // copies its input as it is from another engine's memory
  // Chosen once, when passes have ended (Compiler::choose_kernel): layouts, packed constants and the primitive follow it.
  const Kernel* kernel = nullptr;
  std::shared_ptr<const Executable> executable;
  int64_t prepare_nanoseconds = 0;  // that making it took
};

// An equality or range that only run-time dims settle. Checked at entry, before any kernel.
struct Guard {
  Dim condition;        // must be 1
  std::string node;     // where it comes from
  std::string message;  // what was expected: "dims 2 of its inputs, h // 16 and 2 * (h // 32), are equal"
  Dim allowed = 0;      // 1 where ONNX allows what the condition refuses: not wrong, but not there
};

// A dim as a model file declares it: a number, or a name (empty, "?" or a negative number: a symbol of its own).
struct DeclaredDim {
  int64_t value = -1;
  std::string name;
};

// A symbol whose value is an element of a small integer input, read at run entry.
struct InputElement {
  int32_t input = 0;    // index among inputs()
  int64_t element = 0;  // row-major
  Dim symbol;
};

// A symbol whose value is an element of a small integer tensor that a node computes, or a dim of what a branch or loop gives: only a
// run finds it, between the node and whatever has the symbol among its dims.
struct SizeRead {
  ValueId value = kNoValue;
  int64_t element = 0;  // row-major
  Dim symbol;
  Dim most;       // an expression that it never exceeds, made before it
  int axis = -1;  // the dim; -1: it is an element
};

// A symbol of a body (the graph inside a branch or loop) whose value the graph around it gives.
struct Parameter {
  Dim symbol;
  bool data = false;  // from the values of a tensor there
};

struct GraphOutput {
  ValueId value = kNoValue;
  std::string name;
  // So many of its last axes a run gives; those before them are of 1 element then. -1: all of them, always.
  Dim rank = -1;
  int32_t follows = -1;  // the input whose order says whether it is row-major (passes/layout.h); -1: none
};

class Graph {
 public:
  DimPool dims;
  std::string name;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Guard> guards;
  std::shared_ptr<ConstantBudget> constant_budget;  // the model's, one for all its graphs; null until a pass asks

  // --- building -------------------------------------------------------------------------------------------------
  // The same non-empty dim name (but "?") is the same symbol throughout the graph.
  ValueId add_input(std::string name, DType dtype, std::span<const DeclaredDim> declared);
  ValueId add_input(std::string name, const TensorType& type);
  ValueId add_constant(std::string name, ConstantPtr constant);
  // Of a body: a tensor of the graph around it, and what is known of its elements there.
  ValueId add_captured(std::string name, const TensorType& type, ShapeValues shape_values);
  Dim add_parameter(std::string name, const DimPromise& promise, bool data);
  // An input is a constant after all, and no input any more.
  void fix_input(size_t index, ConstantPtr constant);
  // A small integer tensor of known, symbolic elements (what ONNX's Shape gives): a shape_tensor node, row-major.
  Result<ValueId> add_shape_values(DType dtype, const Dims& dims, std::vector<Dim> elements, std::string name);
  // Appends a node; infers dtypes and dims, adds guards for what they leave open, and follows content. Errors begin
  // with the node's name and its ONNX type.
  Result<std::vector<ValueId>> add_node(OperatorPtr op, std::vector<ValueId> inputs, std::string name, std::string onnx_type = {});
  // The same of 8-bit operands. `tensors`: those scales and zero points that come with each run, of one element each.
  Result<ValueId> add_quantized(OperatorPtr op, Quantization quantization, std::vector<ValueId> inputs, std::vector<ValueId> tensors,
                                std::string name, std::string onnx_type = {});
  // As add_node, for operators with one output.
  Result<ValueId> add(OperatorPtr op, std::vector<ValueId> inputs, std::string name, std::string onnx_type = {});
  // As add_node, before node `at` in the order (kNoNode: at the end), on its engine and in its math mode.
  Result<std::vector<ValueId>> insert_before(NodeId at, OperatorPtr op, std::vector<ValueId> inputs, std::string name,
                                             std::string onnx_type = {}, std::shared_ptr<const Quantization> quantization = nullptr,
                                             std::vector<ValueId> tensors = {});
  void add_output(ValueId value, std::string name, Dim rank = -1);
  Dim named_symbol(const std::string& name);
  // The size that element `element` of an integer tensor will have: from 0 to `most`, as whoever computes it promises.
  Dim read_size(ValueId value, int64_t element, Dim most, std::string name);
  // `symbol` is a dim of what a branch or loop gives, which it finds.
  void read_dim(ValueId value, int axis, Dim symbol);
  // The elements of a small integer tensor that a node computes, which becomes its content. False for what is not small, not
  // integers, or of dims that are not numbers.
  bool read_content(ValueId value);
  void add_guard(Dim condition, std::string node, std::string message, Dim allowed = 0);

  // --- reading --------------------------------------------------------------------------------------------------
  // References stay valid while the graph grows.
  const Value& value(ValueId id) const noexcept;
  Value& value(ValueId id) noexcept;
  const Node& node(NodeId id) const noexcept;
  Node& node(NodeId id) noexcept;
  int32_t value_count() const { return static_cast<int32_t>(values_.size()); }
  int32_t node_capacity() const { return static_cast<int32_t>(nodes_.size()); }  // ids are below this; some are erased
  std::span<const NodeId> order() const;                                         // topological
  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const GraphOutput> outputs() const { return outputs_; }
  std::span<const InputElement> input_elements() const { return input_elements_; }
  std::span<const SizeRead> size_reads() const { return size_reads_; }
  std::span<const Parameter> parameters() const { return parameters_; }
  // Does the branch or loop that gives it find some of its dims?
  bool has_run_time_dims(ValueId id) const;
  // The first stage of a run that finds a dim: 0 where it follows from the inputs.
  int32_t stage(Dim d) const;
  // By node: the first stage of a run in which its operands are there and all sizes of what it reads and writes are known.
  std::vector<int32_t> stages() const;
  // The first stage that can read a value that a node computes; 0 for others.
  int32_t stage_after(ValueId value) const;
  bool is_output(ValueId id) const;
  const Node* producer(ValueId id) const;  // null for inputs, constants and kNoValue
  // Uses by nodes, by graph outputs and by sizes that are read.
  int uses(ValueId id) const;
  // Whose memory a value lies in. One engine alone reads it, but for transfers; a constant lies in its readers'.
  int32_t engine_of(ValueId id) const;
  // Is it copied to another engine's memory, or does it come from there? It is then dense, in memory of its own.
  bool is_transferred(ValueId id) const;
  // Types of a node's inputs (DType::none where absent).
  std::vector<TensorType> input_types(const Node& node) const;
  // The name and ONNX type that messages begin with: "conv_3 (Conv)".
  static std::string label(const Node& node);

  // --- changing; use lists stay right ------------------------------------------------------------------------------
  void replace_uses(ValueId from, ValueId to);  // graph outputs included
  void set_input(NodeId node, size_t index, ValueId value);
  void replace_operand(NodeId node, ValueId from, ValueId to);  // of inputs and post-op operands, wherever it stands
  void set_inputs(NodeId node, std::vector<ValueId> inputs);
  void set_size_reads(ValueId from, ValueId to);  // sizes that are read from a value are read from another, which is there as early
  void set_output(size_t index, ValueId value) { outputs_[index].value = value; }
  void set_followed(size_t index, int32_t input) { outputs_[index].follows = input; }
  // Other factors or another dtype of the result, which its output gets. As many tensors come with a run as before.
  void set_quantization(NodeId node, Quantization quantization);
  bool append_post_op(NodeId node, const PostOp& step, ValueId operand = kNoValue);  // false if the chain is full
  void erase_node(NodeId node);                                                      // its outputs must be unused
  void erase_unused_nodes();                                                         // all at once, in one walk from the end
  // What is no longer read or in the order goes, if it is a good part of the graph: passes then walk over less memory. Ids change.
  void drop_dead();
  // Puts the nodes into a new topological order (every living node exactly once).
  void set_order(std::vector<NodeId> order);
  // True if `value` is there before `node` runs: a constant, an input, or produced earlier in the order.
  bool available_before(ValueId value, NodeId node) const;

  // Everything that must hold between passes: order, use lists, types, one producer each.
  Status verify() const;

 private:
  ValueId new_value(std::string name, const TensorType& type);
  void add_size_read(const SizeRead& read, int32_t stage);
  void drop_use(ValueId value, NodeId user);
  void clear_node(NodeId node);  // it stays in the order
  void refresh_positions() const;
  void settle_order() const;

  StableList<Value> values_;
  StableList<Node> nodes_;
  // Nodes are put into the order, and taken out, all at once when somebody asks for it: one by one each would move half of the list.
  mutable std::vector<NodeId> order_;
  mutable std::vector<std::pair<NodeId, NodeId>> inserted_;  // before which node, and the new one
  mutable bool order_has_erased_ = false;
  std::vector<ValueId> inputs_;
  std::vector<GraphOutput> outputs_;
  std::vector<InputElement> input_elements_;
  std::vector<SizeRead> size_reads_;
  std::vector<Parameter> parameters_;
  mutable std::vector<int32_t> stages_of_dims_;  // by expression, of those that there were when it was asked last
  std::unordered_map<std::string, Dim> symbols_;
  mutable std::vector<int32_t> position_;  // of each node in order_; -1 = erased
  mutable bool positions_fresh_ = false;
};

}  // namespace anydim
