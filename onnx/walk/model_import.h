// SPDX-License-Identifier: Apache-2.0
// The walk over a model while it is imported: names in sight, bodies in bodies. import.cpp has the walk, missing.cpp what has no
// importer, values.cpp what names stand for, control_flow.cpp and scan.cpp the operators with bodies, split_if.cpp an If whose
// branches give different ranks, composite.cpp what sequences and optionals mean to all of these, composite_loop.cpp loops over them,
// composite_edges.cpp those among inputs and outputs.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/control_flow.h"
#include "onnx/walk/composite.h"
#include "onnx/walk/import.h"
#include "onnx/walk/node_import.h"
#include "onnx/walk/node_order.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {

struct HostAttribute;

// Functions can call functions; a small file must not unfold into a huge graph.
constexpr int kDeepestCall = 32;
constexpr size_t kMostNodes = 200'000;
// How often branches may be imported again because of their ranks: a row of them of which none ends before the last doubles the bodies
// with each.
constexpr size_t kMostAttempts = 2'000;

// Names in sight: a body's own and, for a branch or loop, those around it.
struct Scope {
  bool has_initializer(std::string_view name) const { return initializers.count(name) > 0 || sparse.count(name) > 0; }

  Scope* outer = nullptr;
  Graph* graph = nullptr;
  Border* border = nullptr;                              // between this graph and that of the names around it, where they are two
  std::unordered_map<std::string_view, ValueId> values;  // kNoValue: an optional input that was not given
  std::unordered_map<std::string_view, const TensorProto*> initializers;  // not yet constants of the graph
  std::unordered_map<std::string_view, const SparseTensorProto*> sparse;  // the same
  std::unordered_map<std::string_view, std::string> unsupported;          // outputs that no importer makes, and what to say
  const std::vector<OperatorSetId>* opsets = nullptr;
  const Bindings* bindings = nullptr;
  bool repeats = false;  // of a loop's body, or in one
  bool ends = false;     // of a branch whose results are the model's outputs, which may have a rank of the run

  // The names of a body in this one. Its nodes go into the graph behind `to`, or into this graph where there is none.
  Scope of_body(Border* to) {
    Scope body;
    body.outer = this;
    body.graph = to != nullptr ? &to->inner() : graph;
    body.border = to;
    body.opsets = opsets;
    body.bindings = bindings;
    body.repeats = repeats;
    return body;
  }
};

inline bool is_standard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }
inline bool is_if(const NodeProto& node) { return is_standard(node.domain) && node.op_type == "If"; }
// Of an operator with bodies.
inline bool is_control(const NodeProto& node) {
  return is_if(node) || (is_standard(node.domain) && (node.op_type == "Loop" || node.op_type == "Scan" || node.op_type == "SequenceMap"));
}

// What a node with bodies is called in a graph.
ControlName control_name(const NodeProto& node);

// What a body declares of an output, for where nothing runs.
Dims declared_dims(const ValueInfo& v);

// Which outputs of a body from `first` on are declared to be strings.
std::vector<bool> strings_declared(const GraphProto& body, size_t first);

std::vector<std::string_view> names_of(const std::vector<ValueInfo>& values);

using BodyProto = std::shared_ptr<const GraphProto>;

class ModelImport {
 public:
  // `whole`: a model's file, whose strings are translated at its border.
  // `views`: those that come with a run are views of bytes.
  ModelImport(const ModelProto& model, const Bytes& bytes, const ImportOptions& options, bool whole, bool views = false)
      : model_(model),
        bytes_(bytes),
        lists_(whole),
        strings_(whole, views),
        sequences_(options.sequences),
        host_operators_(options.host_operators),
        external_(options.folder.empty() ? ExternalData() : ExternalData(options.folder, options.real_folder)) {}

  // A model that is refused is so with all its inputs and nodes that have something unsupported, but for those whose operands have no known
  // type for such a reason.
  Status run();
  Status probe(std::vector<std::string>* refusals);
  Graph take() { return std::move(graph_); }
  // After run() failed: an import with views would not fail for the same reason.
  bool views_required() const noexcept { return strings_.views_required(); }

 private:
  using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;
  // Operators without an importer, over a body and all bodies in it.
  struct Missing {
    std::map<std::string, size_t> counts;
    std::string first;                    // the first node that needs one
    std::set<const FunctionProto*> seen;  // each function's body counts once
    std::string list() const;
  };

  Status import_all();
  // May the import go on behind this error, to list what else is unsupported? Then it keeps those that are to be listed.
  bool refuse(Status* status);
  // Does a node that was refused before, or an operator that is missing, leave nothing to find out of this one?
  bool cannot_be_asked(const NodeProto& node, const Scope& scope);
  Status listed();
  Status begin(Scope* scope);
  Status add_inputs(Scope* scope);
  // Makes a value that comes from outside.
  Status add_input(const ValueInfo& input, Scope* scope);
  // Makes one of a model's input of this type, with an axis before the declared ones where `slices`; `rank` stands for one that is not
  // declared.
  Status add_tensor_input(std::string_view name, const TypeProto& type, bool slices, int rank, Scope* scope, ValueId* out);
  // What a refused node makes, for those behind it.
  void stand_in(const NodeProto& node, const std::string& why, Scope* scope);
  Status add_initializers(const GraphProto& graph, Scope* scope);
  // Those of a body that are needed for its outputs, in an order in which they can be imported.
  Status list_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, const Scope& scope,
                    std::vector<const NodeProto*>* list, const std::vector<size_t>* known = nullptr);
  // `order`: which nodes are needed, in which order, where that is known.
  Status import_body(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs, Scope* scope,
                     const std::vector<size_t>* order = nullptr);
  // The nodes of a body, in this order, of which the named outputs are wanted.
  Status import_nodes(std::span<const NodeProto* const> nodes, const std::vector<std::string_view>& outputs, Scope* scope);
  Status import_node(const NodeProto& node, Scope* scope);
  Status import_operator(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  // The names that a node gives to its results; kNoValue: one that its importer does not make.
  Status name_results(const NodeProto& node, std::span<const ValueId> results, Scope* scope);
  Status import_control(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  Status import_if(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  Status import_split_if(std::span<const NodeProto* const> nodes, const std::vector<std::string_view>& outputs, Scope* scope,
                         size_t* imported);
  const NodeProto* ranks_as_if(const NodeProto& node, size_t behind, Scope* scope);
  const NodeProto* squeeze_as_if(const NodeProto& node, Scope* scope);
  const NodeProto* gather_as_if(const NodeProto& node, Scope* scope);
  std::string_view made_condition(std::string_view output, const std::string& what, Dim condition, Scope* scope);
  static NodeProto made_if(const NodeProto& node, std::string_view condition, std::shared_ptr<GraphProto> then,
                           std::shared_ptr<GraphProto> otherwise);
  // The condition of an If as a number that a run knows: 1 or 0. `why` it must be known is for the message.
  Status condition_number(const NodeProto& node, ValueId condition, std::string_view why, Scope* scope, Dim* number);
  Status import_only_branch(const NodeProto& node, ValueId condition, bool taken, const Status& why, Scope* scope);
  // `why` its body cannot run: it has no iteration, in this model or in the runs that do not fail.
  Status import_idle_loop(const NodeProto& node, const BodyProto& body, const std::vector<ValueId>& inputs, Status why, Scope* scope);
  // The same of a Scan, of which these are parts.
  Status import_idle_scan(NodeImport& n, const GraphProto& body, const LoopParts& parts, const std::vector<Dim>& lengths,
                          const std::vector<ValueId>& inputs, Status why, Scope* scope);
  // A guard that a loop does not run; `runs` is 1 where it does.
  static void require_idle(Dim runs, const NodeProto& node, const Status& why, Graph* graph);
  Status import_known_if(const NodeProto& node, bool taken, Scope* scope);
  Status import_taken_if(const NodeProto& node, bool taken, Scope* scope);
  Status import_branch_and(const NodeProto& node, bool taken, std::span<const NodeProto* const> behind,
                           const std::vector<std::string_view>& wanted, Scope* scope);
  Status import_loop(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  Status read_loop(const GraphProto& body, const std::vector<ValueId>& inputs, size_t outputs, const std::string& where, const Graph& graph,
                   LoopParts* to) const;
  // A loop that carries sequences or optionals.
  Status import_composite_loop(const NodeProto& node, const BodyProto& body, const std::vector<ValueId>& inputs, Scope* scope);
  class CompositeLoop;
  Status unroll_loop(const NodeProto& node, const BodyProto& body, int64_t count, const std::vector<ValueId>& inputs, Scope* scope);
  Status empty_stack(const ValueInfo& output, Graph* graph, ValueId* to);
  Status import_sequence_map(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope);
  Status map_one_by_one(const NodeProto& node, const GraphProto& body, const std::vector<ValueId>& inputs, size_t count, Scope* scope);
  Status map_by_loop(NodeImport& n, const GraphProto& body, const std::vector<ValueId>& inputs, Scope* scope);
  Status import_scan(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope);
  Status import_batched_scan(NodeImport& n, const std::vector<ValueId>& inputs, Scope* scope);
  // The body's nodes, with `values` for its inputs; its outputs.
  Status import_inside(const GraphProto& body, std::span<const ValueId> values, Scope* scope, std::vector<ValueId>* results);
  // --- strings across the borders of bodies (bodies.cpp) ---
  bool holds_strings(const Graph& graph, ValueId value) const { return strings_.find(graph, value).has_value(); }
  // Whether a value or what it is made of holds strings, and whether all of these are known.
  std::optional<ModelStrings::Known> strings_in(const Graph& graph, ValueId value) const;
  // `inside` stands in the body of this scope for a value of the graph around it.
  void bring_strings_inside(const Scope& body, ValueId outside, ValueId inside);
  // What stands for a value where bodies give or are given it: itself or, where strings are views, views and their heap.
  Status string_tensors(const NodeProto& node, const Scope& scope, ValueId value, std::vector<ValueId>* tensors);
  // add_branch and add_loop, of values that may be strings. `string_stacks` says which stacks are declared as strings.
  Result<std::vector<ValueId>> add_string_branch(const NodeProto& node, const Scope& scope, ValueId condition, const WriteBranch& taken,
                                                 const WriteBranch& otherwise, bool* ranks_differ);
  Result<std::vector<ValueId>> add_string_loop(const NodeProto& node, const Scope& scope, const LoopParts& parts,
                                               const std::vector<bool>& string_stacks, const WriteBody& write);
  Status take_results(const NodeProto& node, const std::vector<ValueId>& inputs, const std::vector<ValueId>& made, Scope* scope);
  Status body_of(const NodeProto& node, std::string_view name, BodyProto* out) const;
  Status declared_type(const GraphProto& body, size_t input, DType provided, bool text = false) const;
  // --- sequences and optionals (composite.cpp) ---
  Status import_composite(const CompositeOperator& op, const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  Status tensors_only(const NodeProto& node, const std::vector<ValueId>& inputs) const;
  // What a value of the graph around the border of this body's names is inside.
  ValueId bring_inside(const Scope& body, ValueId value);
  // The tensors that values are made of, one behind the other, and the way back: values like `model`, made of tensors from `from` on.
  Status take_apart(const std::vector<ValueId>& values, std::vector<ValueId>* tensors) const;
  std::vector<ValueId> put_together(const std::vector<ValueId>& model, const std::vector<ValueId>& tensors);
  // An input or output of the model that is one (composite_edges.cpp).
  Status read_sequences();
  Status add_composite_input(const ValueInfo& input, Scope* scope);
  // One that is a map: a row of numbers, by the keys of the DictVectorizer that reads it (walk.cpp).
  Status add_map_input(const ValueInfo& input, Scope* scope);
  // `value` is a new input of strings of this name.
  Status add_string_input(std::string_view name, ValueId value, Scope* scope);
  // An output of the graph and, where it holds views, their heap. `rank`: see Graph::add_output.
  Status add_tensor_output(ValueId value, std::string name, Dim rank = -1);
  Status add_composite_output(const ValueInfo& output, ValueId value, const std::set<std::string_view>& names);
  bool alike(ValueId a, ValueId b) const;
  bool is_sequence(ValueId v) const { return is_composite(v) && composites_.at(v).kind == Composite::Kind::sequence; }
  Status call(const FunctionProto& function, const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  // host.cpp: nodes whose operator is the host program's.
  bool is_host(const NodeProto& node) const;
  Status host_attribute(const Attribute& a, HostAttribute* out);
  Status import_host(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope);
  // Which nodes are needed for these outputs.
  std::vector<size_t> wanted_nodes(const std::vector<NodeProto>& nodes, const std::vector<std::string_view>& outputs);
  Status check_supported(const std::vector<NodeProto>& nodes, std::span<const size_t> which);
  void collect_missing(const std::vector<NodeProto>& nodes, std::span<const size_t> which, bool branches, Missing* missing);
  Status find_value(std::string_view name, Scope* scope, ValueId* out);
  // What a graph's or body's output is has the element type that it is declared with.
  Status check_declared(const ValueInfo& output, ValueId value, const Graph& graph);
  // Refuses what a node cannot do with strings and maps among its inputs; which of its outputs hold strings then.
  Status check_strings(const NodeProto& node, std::span<const ValueId> inputs, const Scope& scope);
  void mark_strings(const NodeProto& node, std::span<const ValueId> inputs, std::span<const ValueId> outputs, const Scope& scope);
  Status opset_of(const Scope& scope, std::string_view domain, int64_t* version) const;
  const FunctionProto* function_of(const NodeProto& node) const;

  const ModelProto& model_;
  const Bytes& bytes_;
  const bool lists_;
  std::vector<Status> refusals_;
  bool misses_operators_ = false;
  ModelStrings strings_;
  // What callers said of inputs that are composites, by name: the ranks of a sequence's elements; nothing for an absent optional.
  struct SequenceOption {
    std::optional<std::vector<int>> ranks;
    bool used = false;
  };
  bool impossible_ = false;  // the last error is of a node that fits its schema, and whose sizes or attributes let it never run
  const std::string sequences_;
  const std::shared_ptr<const HostOperators> host_operators_;
  std::map<std::string, SequenceOption, std::less<>> sequence_options_;
  ExternalData external_;
  Graph graph_;
  Composites composites_;
  std::map<FunctionKey, const FunctionProto*> functions_;
  NamesRead names_read_;
  const Scope* main_ = nullptr;  // the names of the model's own graph
  // Of outputs that have one rank in one branch of an If and another in the other: the rank of a run.
  std::unordered_map<std::string_view, Dim> output_ranks_;
  // The If whose branches gave results of different ranks, when an import failed because of that, or one around it.
  const NodeProto* split_ = nullptr;
  std::deque<NodeProto> made_nodes_;  // that stand for one of the model's
  std::deque<std::string> made_names_;
  size_t attempts_ = 0;
  int depth_ = 0;
  size_t imported_ = 0;
};

}  // namespace anydim::onnx
