// SPDX-License-Identifier: Apache-2.0
// The graph's bookkeeping: use lists, order, verification. Building one, with what follows from shapes, is in ir_building.cpp.
#include "core/graph/ir.h"

#include <algorithm>
#include <utility>

namespace anydim {

// --- reading ------------------------------------------------------------------------------------------------------

bool Graph::is_output(ValueId id) const {
  return std::any_of(outputs_.begin(), outputs_.end(), [id](const GraphOutput& o) { return o.value == id; });
}

const Node* Graph::producer(ValueId id) const {
  if (id == kNoValue || value(id).producer == kNoNode) return nullptr;
  return &node(value(id).producer);
}

int Graph::uses(ValueId id) const {
  return static_cast<int>(value(id).users.size()) +
         static_cast<int>(std::count_if(outputs_.begin(), outputs_.end(), [id](const GraphOutput& o) { return o.value == id; })) +
         static_cast<int>(std::count_if(size_reads_.begin(), size_reads_.end(), [id](const SizeRead& r) { return r.value == id; }));
}

int32_t Graph::engine_of(ValueId id) const {
  const Value& v = value(id);
  if (v.producer != kNoNode) return node(v.producer).engine;
  return v.constant && !v.users.empty() ? node(v.users[0]).engine : 0;
}

bool Graph::is_transferred(ValueId id) const {
  const Value& v = value(id);
  return (v.producer != kNoNode && node(v.producer).transfer) ||
         std::any_of(v.users.begin(), v.users.end(), [this](NodeId user) { return node(user).transfer; });
}

// Not inline: there are a thousand calls, and each would be larger than a call.
const Value& Graph::value(ValueId id) const noexcept { return values_[static_cast<size_t>(id)]; }
Value& Graph::value(ValueId id) noexcept { return values_[static_cast<size_t>(id)]; }
const Node& Graph::node(NodeId id) const noexcept { return nodes_[static_cast<size_t>(id)]; }
Node& Graph::node(NodeId id) noexcept { return nodes_[static_cast<size_t>(id)]; }

std::vector<TensorType> Graph::input_types(const Node& n) const {
  std::vector<TensorType> types;
  for (ValueId v : n.inputs) types.push_back(v == kNoValue ? TensorType{} : value(v).type);
  return types;
}

std::string Graph::label(const Node& n) {
  const std::string type = !n.onnx_type.empty() ? n.onnx_type : n.op ? n.op->name() : "";
  return n.name.empty() ? type : formatted("{} ({})", n.name, type);
}

void Graph::settle_order() const {
  if (!inserted_.empty()) {
    // By node the last one that stands right before it, and before that one, in the order in which they were inserted.
    std::vector<NodeId> last_before(nodes_.size(), kNoNode), previous(nodes_.size(), kNoNode);
    for (const auto& [at, id] : inserted_) {
      previous[static_cast<size_t>(id)] = last_before[static_cast<size_t>(at)];
      last_before[static_cast<size_t>(at)] = id;
    }
    // From the end, so that a node comes after all that stand before it; they may have some before them, too.
    std::vector<NodeId> backwards, waiting;
    backwards.reserve(order_.size() + inserted_.size());
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      waiting.push_back(*at);
      while (!waiting.empty()) {
        const NodeId id = waiting.back();
        waiting.pop_back();
        backwards.push_back(id);
        if (const NodeId before = previous[static_cast<size_t>(id)]; before != kNoNode) waiting.push_back(before);
        if (const NodeId before = last_before[static_cast<size_t>(id)]; before != kNoNode) waiting.push_back(before);
      }
    }
    order_.assign(backwards.rbegin(), backwards.rend());
    inserted_.clear();
  }
  if (order_has_erased_) std::erase_if(order_, [this](NodeId id) { return !node(id).op; });
  order_has_erased_ = false;
}

std::span<const NodeId> Graph::order() const {
  settle_order();
  return order_;
}

void Graph::refresh_positions() const {
  if (positions_fresh_) return;
  settle_order();
  position_.assign(nodes_.size(), -1);
  for (size_t i = 0; i < order_.size(); ++i) position_[static_cast<size_t>(order_[i])] = static_cast<int32_t>(i);
  positions_fresh_ = true;
}

bool Graph::available_before(ValueId id, NodeId at) const {
  const NodeId from = value(id).producer;
  if (from == kNoNode) return true;
  refresh_positions();
  return position_[static_cast<size_t>(from)] < position_[static_cast<size_t>(at)];
}

int32_t Graph::stage(Dim d) const {
  if (d.is_number()) return 0;
  for (int32_t i = static_cast<int32_t>(stages_of_dims_.size()); i < dims.size(); ++i) {
    const DimExpr& e = dims.expr(i);
    int32_t latest = 0;  // of its operands, which come before it
    for (Dim operand : {e.a, e.b, e.c})
      if (!operand.is_number()) latest = std::max(latest, stages_of_dims_[static_cast<size_t>(operand.expr())]);
    stages_of_dims_.push_back(latest);
  }
  return stages_of_dims_[static_cast<size_t>(d.expr())];
}

std::vector<int32_t> Graph::stages() const {
  std::vector<int32_t> of_node(nodes_.size(), 0);
  if (size_reads_.empty()) return of_node;
  for (NodeId id : order()) {
    const Node& n = node(id);
    int32_t stage = 0;
    const auto meet = [&](ValueId v) {
      if (v == kNoValue) return;
      const Value& x = value(v);
      for (Dim d : x.type.dims) stage = std::max(stage, this->stage(d));
      if (x.producer != kNoNode) stage = std::max(stage, of_node[static_cast<size_t>(x.producer)]);
    };
    std::for_each(n.inputs.begin(), n.inputs.end(), meet);
    std::for_each(n.post_inputs.begin(), n.post_inputs.end(), meet);
    if (n.op->kind() != kControlFlow) {
      std::for_each(n.outputs.begin(), n.outputs.end(), meet);
    } else {
      // What it finds itself it does not wait for.
      for (ValueId v : n.outputs)
        for (Dim d : value(v).type.dims)
          if (std::none_of(size_reads_.begin(), size_reads_.end(),
                           [&](const SizeRead& r) { return r.axis >= 0 && r.symbol == d && r.value == v; }))
            stage = std::max(stage, this->stage(d));
    }
    for (Dim d : n.op->dim_attributes()) stage = std::max(stage, this->stage(d));
    of_node[static_cast<size_t>(id)] = stage;
  }
  return of_node;
}

int32_t Graph::stage_after(ValueId id) const {
  const NodeId producer = value(id).producer;
  return producer == kNoNode ? 0 : stages()[static_cast<size_t>(producer)] + 1;
}

// --- changing -----------------------------------------------------------------------------------------------------

void Graph::drop_use(ValueId id, NodeId user) {
  if (id == kNoValue) return;
  std::vector<NodeId>& users = value(id).users;
  // From both ends: a value may have thousands of users, and passes walk over their nodes forwards or backwards.
  for (auto front = users.begin(), back = users.end(); front != back; ++front) {
    if (*front == user) return void(users.erase(front));
    if (*--back == user) return void(users.erase(back));
    if (front == back) return;
  }
}

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  Value& old = value(from);
  for (NodeId user : old.users) {
    Node& n = node(user);
    std::replace(n.inputs.begin(), n.inputs.end(), from, to);
    std::replace(n.post_inputs.begin(), n.post_inputs.end(), from, to);
    value(to).users.push_back(user);
  }
  old.users.clear();
  for (GraphOutput& o : outputs_)
    if (o.value == from) o.value = to;
  set_size_reads(from, to);
}

void Graph::set_size_reads(ValueId from, ValueId to) {
  for (SizeRead& r : size_reads_)
    if (r.value == from && r.axis < 0) r.value = to;
}

void Graph::set_input(NodeId id, size_t index, ValueId v) {
  Node& n = node(id);
  if (index >= n.inputs.size()) n.inputs.resize(index + 1, kNoValue);
  drop_use(n.inputs[index], id);
  n.inputs[index] = v;
  if (v != kNoValue) value(v).users.push_back(id);
}

void Graph::replace_operand(NodeId id, ValueId from, ValueId to) {
  Node& n = node(id);
  for (std::vector<ValueId>* list : {&n.inputs, &n.post_inputs})
    for (ValueId& v : *list) {
      if (v != from) continue;
      drop_use(from, id);
      v = to;
      value(to).users.push_back(id);
    }
}

void Graph::set_inputs(NodeId id, std::vector<ValueId> in) {
  Node& n = node(id);
  for (ValueId v : n.inputs) drop_use(v, id);
  n.inputs = std::move(in);
  for (ValueId v : n.inputs)
    if (v != kNoValue) value(v).users.push_back(id);
}

void Graph::set_quantization(NodeId id, Quantization quantization) {
  Node& n = node(id);
  if (quantization.result != DType::none) value(n.outputs[0]).type.dtype = quantization.result;
  n.quantization = std::make_shared<const Quantization>(std::move(quantization));
}

bool Graph::append_post_op(NodeId id, const PostOp& step, ValueId operand) {
  Node& n = node(id);
  if (!n.post_ops.append(step)) return false;
  if (step.takes_tensor()) {
    n.post_inputs.insert(n.post_inputs.begin() + n.post_ops.operands() - 1, operand);  // before the quantization's tensors
    value(operand).users.push_back(id);
  }
  return true;
}

void Graph::clear_node(NodeId id) {
  Node& n = node(id);
  for (ValueId v : n.inputs) drop_use(v, id);
  for (ValueId v : n.post_inputs) drop_use(v, id);
  for (ValueId v : n.outputs) value(v).producer = kNoNode;
  n.op = nullptr;
  n.quantization = nullptr;
  n.inputs.clear();
  n.post_inputs.clear();
  n.outputs.clear();
  positions_fresh_ = false;
}

void Graph::erase_node(NodeId id) {
  clear_node(id);
  order_has_erased_ = true;
}

void Graph::erase_unused_nodes() {
  settle_order();
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    const std::vector<ValueId>& outputs = node(*at).outputs;
    if (std::none_of(outputs.begin(), outputs.end(), [this](ValueId v) { return uses(v) > 0; })) clear_node(*at);
  }
  order_has_erased_ = true;
}

void Graph::drop_dead() {
  settle_order();
  std::vector<char> lives(values_.size(), 0);
  for (const GraphOutput& o : outputs_) lives[static_cast<size_t>(o.value)] = 1;
  for (const SizeRead& r : size_reads_) lives[static_cast<size_t>(r.value)] = 1;
  size_t living = 0;
  for (size_t i = 0; i < values_.size(); ++i) {
    const Value& v = values_[i];
    if (v.producer != kNoNode || v.input >= 0 || !v.users.empty()) lives[i] = 1;
    living += lives[i] != 0;
  }
  if (4 * living > 3 * values_.size()) return;

  std::vector<ValueId> value_now(values_.size(), kNoValue);
  std::vector<NodeId> node_now(nodes_.size(), kNoNode);
  StableList<Value> values;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (!lives[i]) continue;
    value_now[i] = values_[i].id = static_cast<ValueId>(values.size());
    values.push_back(std::move(values_[i]));
  }
  StableList<Node> nodes;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].op) continue;
    node_now[i] = nodes_[i].id = static_cast<NodeId>(nodes.size());
    nodes.push_back(std::move(nodes_[i]));
  }
  const auto renumber = [](auto& ids, const auto& now) {
    for (auto& id : ids)
      if (id >= 0) id = now[static_cast<size_t>(id)];
  };
  for (size_t i = 0; i < values.size(); ++i) {
    renumber(values[i].users, node_now);
    if (values[i].producer != kNoNode) values[i].producer = node_now[static_cast<size_t>(values[i].producer)];
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    for (std::vector<ValueId>* list : {&nodes[i].inputs, &nodes[i].outputs, &nodes[i].post_inputs}) renumber(*list, value_now);
  renumber(order_, node_now);
  renumber(inputs_, value_now);
  for (GraphOutput& o : outputs_) o.value = value_now[static_cast<size_t>(o.value)];
  for (SizeRead& r : size_reads_) r.value = value_now[static_cast<size_t>(r.value)];
  values_ = std::move(values);
  nodes_ = std::move(nodes);
  positions_fresh_ = false;
}

void Graph::set_order(std::vector<NodeId> order) {
  order_ = std::move(order);
  inserted_.clear();
  positions_fresh_ = false;
}

Status Graph::verify() const {
  refresh_positions();
  std::vector<int> seen(nodes_.size());
  std::vector<std::pair<ValueId, NodeId>> reads;
  for (NodeId id : order_) {
    const Node& n = node(id);
    if (!n.op) return error(Code::internal, "the order holds erased node {}", id);
    if (++seen[static_cast<size_t>(id)] > 1) return error(Code::internal, "{} is twice in the order", label(n));
    if (const int takes = n.post_ops.operands() + (n.quantization ? n.quantization->tensor_count() : 0);
        takes != static_cast<int>(n.post_inputs.size()))
      return error(Code::internal, "{}: post-ops take {} tensors; there are {}", label(n), takes, n.post_inputs.size());
    for (const std::vector<ValueId>* list : {&n.inputs, &n.post_inputs})
      for (ValueId v : *list) {
        if (v == kNoValue) continue;
        if (v < 0 || v >= value_count()) return error(Code::internal, "{}: there is no value {}", label(n), v);
        reads.emplace_back(v, id);
        const Value& x = value(v);
        if (x.producer == kNoNode && !x.constant && x.input < 0)
          return error(Code::internal, "{} reads {}, which nothing produces", label(n), x.name);
        if (x.producer != kNoNode && !available_before(v, id))
          return error(Code::internal, "{} reads {} before it is produced", label(n), x.name);
      }
    if (static_cast<int>(n.outputs.size()) != n.op->output_count())
      return error(Code::internal, "{} has {} outputs; expected {}", label(n), n.outputs.size(), n.op->output_count());
    for (ValueId v : n.outputs)
      if (value(v).producer != id) return error(Code::internal, "{} does not know its producer {}", value(v).name, label(n));
  }
  for (const SizeRead& r : size_reads_)
    if (stage_after(r.value) > stage(r.symbol))
      return error(Code::internal, "{} is read for stage {}; it is there in stage {}", value(r.value).name, stage(r.symbol),
                   stage_after(r.value));
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].op && seen[i] == 0) return error(Code::internal, "{} is not in the order", label(nodes_[i]));
  // Sorted pairs, since a value may have thousands of users and a node thousands of operands.
  std::vector<std::pair<ValueId, NodeId>> listed;
  listed.reserve(reads.size());
  for (size_t i = 0; i < values_.size(); ++i)
    for (NodeId user : values_[i].users) listed.emplace_back(static_cast<ValueId>(i), user);
  std::sort(reads.begin(), reads.end());
  std::sort(listed.begin(), listed.end());
  if (reads != listed) {
    const auto [read, user] = std::mismatch(reads.begin(), reads.end(), listed.begin(), listed.end());
    if (user == listed.end() || (read != reads.end() && *read < *user))
      return error(Code::internal, "{} is not among the users of {}, which it reads", label(node(read->second)), value(read->first).name);
    return error(Code::internal, "node {} is among the users of {}, which it does not read", user->second, value(user->first).name);
  }
  for (const GraphOutput& o : outputs_) {
    const Value& v = value(o.value);
    if (v.producer == kNoNode && !v.constant && v.input < 0)
      return error(Code::internal, "output {} is {}, which nothing produces", o.name, v.name);
  }
  return {};
}

}  // namespace anydim
