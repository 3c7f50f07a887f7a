// SPDX-License-Identifier: Apache-2.0
// An If whose branches give results of different ranks, which is how exporters write squeeze(dim), and a Squeeze without axes. A value of a graph has one rank. So
// the nodes that read such a result go into both branches, until what they give has one rank again
// (docs/decisions/044-branches-of-different-ranks.md). Where they are possible in one branch only, that branch is the model, and the
// run checks that the condition chooses it.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/ops/operators/cast.h"
#include "core/ops/operators/reshape.h"
#include "core/tensor/dim_rebuild.h"
#include "onnx/walk/model_import.h"
#include "onnx/walk/node_order.h"

namespace anydim::onnx {
namespace {

using Nodes = std::vector<const NodeProto*>;

bool reads_any(const NodeProto& node, const std::unordered_set<std::string_view>& names, NamesRead& all) {
  bool reads = false;
  all.each(node, [&](std::string_view name) { reads = reads || names.count(name) > 0; });
  return reads;
}

// Of these names those that are read by the nodes or wanted, each once.
std::vector<std::string_view> names_read(const std::unordered_set<std::string_view>& of, std::span<const NodeProto* const> nodes,
                                         const std::vector<std::string_view>& outputs, NamesRead& all) {
  std::vector<std::string_view> wanted;
  std::unordered_set<std::string_view> seen;
  const auto want = [&](std::string_view name) {
    if (of.count(name) > 0 && seen.insert(name).second) wanted.push_back(name);
  };
  for (const NodeProto* node : nodes) all.each(*node, want);
  for (const std::string_view name : outputs) want(name);
  return wanted;
}

// Each try imports the nodes again, so that after the first ones not every number of nodes is tried.
bool is_tried(size_t moved) {
  size_t tried = 1;
  while (tried < moved) tried += std::max<size_t>(1, tried / 4);
  return tried == moved;
}

// The value with axes of 1 before its own.
Status fill_rank(Graph& graph, int rank, const std::string& name, ValueId* value) {
  SymDims dims = graph.value(*value).type.dims;
  if (dims.rank >= rank) return {};
  while (dims.rank < rank) dims.insert(0, 1);
  auto op = Reshape::make(dims);
  if (!op.ok()) return op.take_status();
  auto made = graph.add(*op, {*value}, name, "Reshape");
  if (!made.ok()) return made.take_status();
  *value = *made;
  return {};
}

// Whether nodes behind an If mean the same among those of its branch: no name that they read, make or give is the branch's own.
bool may_stand_behind(const NodeProto& node, const GraphProto& branch, std::span<const NodeProto* const> behind,
                      const std::vector<std::string_view>& wanted, NamesRead& all) {
  std::unordered_set<std::string_view> own;
  for (const TensorProto& t : branch.initializer) own.insert(t.name);
  for (const NodeProto& n : branch.node) own.insert(n.output.begin(), n.output.end());
  for (size_t i = 0; i < node.output.size(); ++i)
    if (branch.output[i].name == node.output[i]) own.erase(node.output[i]);
  own.erase(std::string_view());
  bool free = true;
  const auto look = [&](std::string_view name) { free = free && own.count(name) == 0; };
  for (const NodeProto* n : behind) {
    all.each(*n, look);
    std::ranges::for_each(n->output, look);
  }
  std::ranges::for_each(wanted, look);
  std::ranges::for_each(node.output, look);
  return free;
}

}  // namespace

// A branch of an If and the nodes `behind` it. An If of two ranks in the branch takes these along, so they stand in one list with the
// branch's own.
Status ModelImport::import_branch_and(const NodeProto& node, bool taken, std::span<const NodeProto* const> behind,
                                      const std::vector<std::string_view>& wanted, Scope* scope) {
  BodyProto branch;
  ANYDIM_TRY(body_of(node, taken ? "then_branch" : "else_branch", &branch));
  if (branch->output.size() < node.output.size() || std::ranges::none_of(branch->node, is_if) ||
      !may_stand_behind(node, *branch, behind, wanted, names_read_)) {
    ANYDIM_TRY(import_known_if(node, taken, scope));
    return import_nodes(behind, wanted, scope);
  }
  const std::string where = NodeImport::label(node);
  if (++depth_ > kDeepestCall) return error(Code::invalid_model, "{}: branches are nested too deeply", where);
  ANYDIM_TRY(add_initializers(*branch, scope).at(where));
  std::vector<std::string_view> outputs = names_of(branch->output);
  outputs.resize(node.output.size());
  ANYDIM_TRY(check_supported(branch->node, wanted_nodes(branch->node, outputs)).at(where));
  std::vector<NodeProto> handed;  // gives the branch's results the names that they have behind it
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!node.output[i].empty() && outputs[i] != node.output[i])
      handed.push_back({node.name, "Identity", {}, {}, {outputs[i]}, {node.output[i]}, {}});
  Nodes all;
  ANYDIM_TRY(list_nodes(branch->node, outputs, *scope, &all).at(where));
  for (const NodeProto& n : handed) all.push_back(&n);
  all.insert(all.end(), behind.begin(), behind.end());
  ANYDIM_TRY(import_nodes(all, wanted, scope));
  --depth_;
  return {};
}

// `nodes` begins with the If. What of them has been imported at the end is said in `imported`.
Status ModelImport::import_split_if(std::span<const NodeProto* const> nodes, const std::vector<std::string_view>& outputs, Scope* scope,
                                    size_t* imported) {
  const NodeProto& node = *nodes[0];
  const std::string where = NodeImport::label(node);
  ValueId condition = kNoValue;
  ANYDIM_TRY(find_value(node.input[0], scope, &condition).at(where));
  if (const ShapeValues& known = scope->graph->value(condition).shape_values;
      known.known && known.elements.size() == 1 && known.elements[0].is_number()) {
    Scope inner = scope->of_body(nullptr);
    ANYDIM_TRY(import_branch_and(node, known.elements[0].number() != 0, nodes.subspan(1), outputs, &inner));
    for (const std::string_view name : outputs) {
      ValueId made = kNoValue;
      ANYDIM_TRY(find_value(name, &inner, &made).at(where));
      scope->values[name] = made;
    }
    *imported = nodes.size();
    return {};
  }
  Nodes moved;
  std::unordered_set<std::string_view> inside;  // names made in the branches
  const auto make_inside = [&](const NodeProto& n) {
    for (const std::string_view name : n.output)
      if (!name.empty()) inside.insert(name);
  };
  make_inside(node);
  size_t next = 1;
  // Results that nobody reads may have any rank.
  bool alone = names_read(inside, nodes.subspan(next), outputs, names_read_).size() < inside.size() || nodes.size() == 1;
  for (Status last; alone || next < nodes.size();) {
    const bool without = std::exchange(alone, false);
    bool moves = false;
    if (!without) {
      const NodeProto& n = *nodes[next++];
      moves = reads_any(n, inside, names_read_);
      if (!moves) {  // it is as well before the If
        split_ = nullptr;
        Status s = import_node(n, scope);
        if (!s.ok() && split_ != &n) return std::move(s).in_node(NodeImport::name_of(n));
        moves = !s.ok();
      }
      if (moves) {
        moved.push_back(&n);
        make_inside(n);
      }
    }
    const bool end = next == nodes.size();
    const bool at_outputs = end && (scope == main_ || scope->ends);  // which may have two ranks, also if nothing but the If makes them
    if (!without && ((moved.empty() && !at_outputs) || (!end && (!moves || !is_tried(moved.size()))))) continue;

    const std::vector<std::string_view> wanted = names_read(inside, nodes.subspan(next), outputs, names_read_);
    const auto too_many = [&] {
      return unimplemented("{}: branches of different ranks follow one another; more than {} attempts to join them are not made", where,
                           kMostAttempts);
    };
    if (attempts_ >= kMostAttempts) return too_many();
    ++attempts_;
    const int depth = depth_;
    Status failed[2];
    bool open = false, ranks_differ = false;
    std::vector<ValueId> provided[2];   // by name; [0] of the branch that is taken
    std::vector<int> ranks[2], filled;  // by tensor that a result is made of; with `filled`, all of them get these
    std::vector<Dim> run_ranks[2];      // the same as a run finds them, for a branch that gives some of two ranks itself
    const auto write = [&](bool taken) -> WriteBranch {
      return [&, taken](Border& border, std::vector<ValueId>* results) -> Status {
        Scope inner = scope->of_body(&border);
        inner.ends = at_outputs;
        split_ = nullptr;
        const auto all = [&]() -> Status {
          ANYDIM_TRY(import_branch_and(node, taken, moved, wanted, &inner));
          std::vector<Dim>& of_run = run_ranks[taken ? 0 : 1];
          of_run.clear();
          for (const std::string_view name : wanted) {
            const auto found = output_ranks_.extract(name);
            if (Dim& rank = of_run.emplace_back(-1); !found.empty() && !border.outside(found.mapped(), &rank)) {
              split_ = &node;
              return unimplemented("{}: only its branch knows the rank of '{}'", where, shown(name));
            }
          }
          std::vector<ValueId>& mine = provided[taken ? 0 : 1];
          mine.clear();
          results->clear();
          for (const std::string_view name : wanted) ANYDIM_TRY(find_value(name, &inner, &mine.emplace_back(kNoValue)));
          ANYDIM_TRY(take_apart(mine, results).at(where));
          for (size_t i = 0; !taken && i < mine.size(); ++i)
            if (ranks_differ = !alike(provided[0][i], mine[i]); ranks_differ)
              return unimplemented("{}: '{}' is a sequence or optional of different length in the two branches, or only in one", where,
                                   shown(wanted[i]));
          ranks[taken ? 0 : 1].clear();
          for (size_t k = 0; k < results->size(); ++k) {
            ranks[taken ? 0 : 1].push_back(border.inner().value((*results)[k]).type.dims.rank);
            if (filled.empty()) continue;
            const ValueId whole = (*results)[k];
            ANYDIM_TRY(fill_rank(border.inner(), filled[k], "filled", &(*results)[k]));
            strings_.mark_like(border.inner(), whole, (*results)[k]);
          }
          return {};
        };
        Status s = all();
        open = open || (!s.ok() && split_ != nullptr);
        failed[taken ? 0 : 1] = s.copy();
        return s;
      };
    };
    auto made = add_string_branch(node, *scope, condition, write(true), write(false), &ranks_differ);
    // Outputs of the model have the rank of the branch that was taken.
    const bool tensors = std::ranges::none_of(provided[0], is_composite) && std::ranges::none_of(provided[1], is_composite);
    const auto rank_of = [&](int branch, size_t k) { return run_ranks[branch][k].is(-1) ? Dim(ranks[branch][k]) : run_ranks[branch][k]; };
    const auto fixed = [](const std::vector<Dim>& of_run) { return std::ranges::all_of(of_run, [](Dim d) { return d.is(-1); }); };
    const bool two_ranks = ranks_differ || (made.ok() && !(fixed(run_ranks[0]) && fixed(run_ranks[1])));
    if (at_outputs && two_ranks && !open && tensors) {
      depth_ = depth;
      Dim taken;
      ANYDIM_TRY(condition_number(node, condition, "since an output has the rank of the branch that is taken", scope, &taken));
      if (ranks_differ) {
        for (size_t k = 0; k < wanted.size(); ++k) filled.push_back(std::max(ranks[0][k], ranks[1][k]));
        made = add_string_branch(node, *scope, condition, write(true), write(false), &ranks_differ);
      }
      for (size_t k = 0; made.ok() && k < wanted.size(); ++k)
        if (const Dim a = rank_of(0, k), b = rank_of(1, k); !(a == b) || !a.is_number())
          output_ranks_[wanted[k]] = scope->graph->dims.select(taken, a, b);
    }
    depth_ = depth;
    if (made.ok()) {
      const std::vector<ValueId> values = put_together(provided[0], *made);
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (!is_composite(values[i])) scope->graph->value(values[i]).name = std::string(wanted[i]);
        scope->values[wanted[i]] = values[i];
      }
      *imported = next;
      return {};
    }
    last = made.take_status();
    // That a limit was reached says nothing about a branch.
    if (attempts_ >= kMostAttempts) return too_many();
    if (imported_ > kMostNodes || strings_.views_required()) return last;
    if (!open && !ranks_differ) {
      if (failed[0].ok() && failed[1].ok()) return last;
      ANYDIM_TRY(import_only_branch(node, condition, !failed[0].ok() ? false : true, last, scope));
      moved.insert(moved.end(), nodes.begin() + static_cast<std::ptrdiff_t>(next), nodes.end());
      *imported = nodes.size();
      return import_nodes(moved, outputs, scope);
    }
    if (end) {
      split_ = &node;
      return last;
    }
  }
  split_ = &node;
  return unimplemented("{}: its branches give different ranks, which reach a result of a body or function; one rank is expected", where);
}

// A Squeeze without axes, and a GatherND whose indices have a length that is not declared, give a rank that only a run knows. Where little
// is behind such a node in the model, it is an If; else nullptr.
const NodeProto* ModelImport::ranks_as_if(const NodeProto& node, size_t behind, Scope* scope) {
  constexpr size_t kMostBehind = 64;
  if (scope != main_ || behind > kMostBehind || !is_standard(node.domain) || node.output.size() != 1) return nullptr;
  if (node.op_type == "Squeeze") return squeeze_as_if(node, scope);
  return node.op_type == "GatherND" ? gather_as_if(node, scope) : nullptr;
}

// A condition of the run as a value of the graph; an empty name if the model has one of this name.
std::string_view ModelImport::made_condition(std::string_view output, const std::string& what, Dim condition, Scope* scope) {
  const std::string& name = made_names_.emplace_back(formatted("{}.{}", output, what));
  auto value = scope->graph->add_shape_values(DType::boolean, {}, {condition}, name);
  return value.ok() && scope->values.emplace(name, *value).second ? std::string_view(name) : std::string_view();
}

NodeProto ModelImport::made_if(const NodeProto& node, std::string_view condition, std::shared_ptr<GraphProto> then,
                               std::shared_ptr<GraphProto> otherwise) {
  NodeProto branch{node.name, "If", {}, {}, {condition}, node.output, {}};
  for (const bool taken : {true, false}) {
    std::shared_ptr<GraphProto>& body = taken ? then : otherwise;
    body->output.emplace_back().name = node.output[0];
    Attribute& a = branch.attribute.emplace_back();
    a.name = taken ? "then_branch" : "else_branch";
    a.type = Attribute::kGraph;
    a.graph = std::move(body);
  }
  return branch;
}

// One branch for each length that the indices may have.
const NodeProto* ModelImport::gather_as_if(const NodeProto& node, Scope* scope) {
  ValueId x = kNoValue, indices = kNoValue;
  if (node.input.size() != 2 || !find_value(node.input[0], scope, &x).ok() || !find_value(node.input[1], scope, &indices).ok() ||
      x == kNoValue || indices == kNoValue || is_composite(x) || is_composite(indices))
    return nullptr;
  Graph& graph = *scope->graph;
  const SymDims dims = graph.value(indices).type.dims;
  const int rank = graph.value(x).type.dims.rank;
  int64_t batch = 0;  // nothing has been checked of it
  for (const Attribute& a : node.attribute)
    if (a.name == "batch_dims") batch = a.i;
  if (batch < 0 || batch > rank) return nullptr;
  const int64_t most = rank - batch;
  if (dims.rank == 0 || dims[dims.rank - 1].is_number() || most < 2 || most > kMaxRank) return nullptr;
  const auto name = [&](const char* what, int64_t length) -> std::string_view {
    return made_names_.emplace_back(formatted("{}.{}{}", node.output[0], what, length));
  };
  const auto gather = [&](int64_t length) {
    auto body = std::make_shared<GraphProto>();
    TensorProto& target = body->initializer.emplace_back();
    target.name = name("target", length);
    target.dims = {dims.rank};
    target.data_type = kInt64;
    target.int64_data.assign(static_cast<size_t>(dims.rank), 0);  // 0: as they are
    target.int64_data.back() = length;
    NodeProto last = node;
    last.input[1] = name("indices", length);
    body->node = {{NodeImport::name_of(node), "Reshape", {}, {}, {node.input[1], target.name}, {last.input[1]}, {}}, std::move(last)};
    return body;
  };
  std::shared_ptr<GraphProto> otherwise = gather(most);
  for (int64_t length = most - 1; length > 0; --length) {
    const Dim is_it = graph.dims.equal(dims[dims.rank - 1], length);
    const std::string_view condition = made_condition(node.output[0], formatted("length{}", length), is_it, scope);
    if (condition.empty()) return nullptr;
    NodeProto branch = made_if(node, condition, gather(length), std::move(otherwise));
    if (length == 1) return &made_nodes_.emplace_back(std::move(branch));
    otherwise = std::make_shared<GraphProto>();
    otherwise->node = {std::move(branch)};
  }
  return nullptr;
}

// By the first dim that may be 1.
const NodeProto* ModelImport::squeeze_as_if(const NodeProto& node, Scope* scope) {
  if (node.input.empty() || !node.attribute.empty() || (node.input.size() > 1 && !node.input[1].empty())) return nullptr;
  ValueId x = kNoValue;
  if (!find_value(node.input[0], scope, &x).ok() || x == kNoValue || is_composite(x)) return nullptr;
  Graph& graph = *scope->graph;
  const SymDims dims = graph.value(x).type.dims;
  Rebuilding now(graph.dims);
  int axis = 0;
  Dim is_one = 0;
  for (; axis < dims.rank; ++axis)
    if (is_one = now(graph.dims.equal(dims[axis], 1)); !is_one.is_number()) break;
  int64_t opset = 0;
  if (axis == dims.rank || !opset_of(*scope, node.domain, &opset).ok()) return nullptr;
  const auto name = [&](const char* what) -> std::string_view {
    return made_names_.emplace_back(formatted("{}.{}", node.output[0], what));
  };
  const std::string_view condition = made_condition(node.output[0], "is_one", is_one, scope);
  if (condition.empty()) return nullptr;
  const auto axes_of = [&](std::string_view attribute) {
    Attribute a;
    a.name = attribute;
    a.type = Attribute::kInts;
    a.ints = {axis};
    return a;
  };
  NodeProto first{node.name, "Squeeze", {}, {}, {node.input[0]}, {name("first")}, {}}, rest = node;
  rest.input = first.output;
  auto squeezed = std::make_shared<GraphProto>(), as_it_is = std::make_shared<GraphProto>();
  as_it_is->node = {node};
  if (opset < 13) {
    first.attribute = {axes_of("axes")};
    squeezed->node = {first, rest};
  } else {
    first.input.push_back(name("axes"));
    squeezed->node = {{node.name, "Constant", {}, {}, {}, {first.input[1]}, {axes_of("value_ints")}}, first, rest};
  }
  return &made_nodes_.emplace_back(made_if(node, condition, std::move(squeezed), std::move(as_it_is)));
}

Status ModelImport::condition_number(const NodeProto& node, ValueId condition, std::string_view why, Scope* scope, Dim* number) {
  Graph& graph = *scope->graph;
  const std::string where = NodeImport::label(node);
  if (!graph.value(condition).shape_values.known) {
    auto as_integer = graph.add(*Cast::make(DType::i64), {condition}, formatted("{}.condition", control_name(node).name), "Cast");
    if (!as_integer.ok()) return as_integer.take_status();
    condition = *as_integer;
    if (!graph.read_content(condition))
      return unimplemented("{}: its condition has dims {}; expected one element, {}", where,
                           graph.dims.text(graph.value(condition).type.dims), why);
  }
  const ShapeValues& content = graph.value(condition).shape_values;
  if (content.elements.size() != 1) return error(Code::invalid_model, "{}: its condition has {} elements", where, content.elements.size());
  *number = content.elements[0];
  return {};
}

// What is behind the If is possible after one of its branches only: `why` it is not after the other.
Status ModelImport::import_only_branch(const NodeProto& node, ValueId condition, bool taken, const Status& why, Scope* scope) {
  Graph& graph = *scope->graph;
  Dim number;
  ANYDIM_TRY(condition_number(node, condition,
                              formatted("since only its {} is possible: {}", taken ? "then_branch" : "else_branch", why.message()), scope,
                              &number));
  const Dim chosen = graph.dims.equal(number, taken ? 1 : 0);
  const Dim allowed = why.code() == Code::unimplemented ? 1 : 0;
  graph.add_guard(chosen, control_name(node).name,
                  formatted("its condition is {}, and with the {} the model fails: {}", taken ? "false" : "true",
                            taken ? "else_branch" : "then_branch", why.message()),
                  allowed);
  return import_known_if(node, taken, scope);
}

}  // namespace anydim::onnx
