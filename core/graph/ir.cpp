// SPDX-License-Identifier: Apache-2.0
// The graph's bookkeeping: building, use lists, order, verification. What follows from shapes is in infer.cpp.
#include "core/graph/ir.h"

#include <algorithm>

#include "core/graph/infer.h"
#include "core/graph/size_range.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_tensor.h"

namespace anydim {

// --- building -----------------------------------------------------------------------------------------------------

ValueId Graph::new_value(std::string name, const TensorType& type) {
  const ValueId id = value_count();
  Value v;
  v.id = id;
  v.name = std::move(name);
  v.type = type;
  values_.push_back(std::move(v));
  return id;
}

Dim Graph::named_symbol(const std::string& name) {
  if (auto found = symbols_.find(name); found != symbols_.end()) return found->second;
  return symbols_.emplace(name, dims.symbol(name)).first->second;
}

Dim Graph::read_size(ValueId id, int64_t element, Dim most, std::string name) {
  const int32_t stage = stage_after(id);
  const Dim symbol = dims.symbol(std::move(name), {.min = 0, .max = std::max<int64_t>(dims.interval(most).max, 0)});
  add_size_read({id, element, symbol, most}, stage);
  return symbol;
}

void Graph::add_size_read(const SizeRead& read, int32_t found) {
  stage(read.symbol);  // all up to it are known
  stages_of_dims_[static_cast<size_t>(read.symbol.expr())] = found;
  size_reads_.push_back(read);
}

void Graph::read_dim(ValueId id, int axis, Dim symbol) {
  const int32_t stage = stage_after(id);
  add_size_read({id, 0, symbol, kMaxSize, axis}, stage);
}

bool Graph::has_run_time_dims(ValueId id) const {
  return std::any_of(size_reads_.begin(), size_reads_.end(), [id](const SizeRead& r) { return r.axis >= 0 && r.value == id; });
}

bool Graph::read_content(ValueId id) {
  constexpr int64_t kMaxElements = 64;
  Value& v = value(id);
  if (v.shape_values.known) return true;
  const TensorType& type = v.type;
  const bool integer = type.dtype == DType::i64 || type.dtype == DType::i32;
  if (!integer || v.producer == kNoNode || type.dims.rank > 1 || (type.dims.rank == 1 && !type.dims[0].is_number())) return false;
  const int64_t count = type.dims.rank == 0 ? 1 : type.dims[0].number();
  if (count > kMaxElements) return false;
  const int32_t stage = stage_after(id);
  std::vector<Dim> elements;
  for (int64_t i = 0; i < count; ++i) {
    if (const std::optional<Dim> known = known_element(*this, id, i)) {
      elements.push_back(*known);
      continue;
    }
    const SizeRange range = size_range(*this, id, i);
    const std::string label = type.dims.rank == 0 ? v.name : formatted("{}[{}]", v.name, i);
    elements.push_back(dims.symbol(label, {.min = range.least, .max = kMaxSize}));
    add_size_read({id, i, elements.back(), range.most}, stage);
  }
  v.shape_values = {true, 1, std::move(elements)};
  return true;
}

ValueId Graph::add_input(std::string name, DType dtype, std::span<const DeclaredDim> declared) {
  TensorType type{dtype, {}};
  for (size_t i = 0; i < declared.size(); ++i) {
    const DeclaredDim& d = declared[i];
    if (d.value >= 0) type.dims.push_back(d.value);
    else if (!d.name.empty() && d.name != "?") type.dims.push_back(named_symbol(d.name));
    else type.dims.push_back(dims.symbol(formatted("{}.{}", name, i)));
  }
  return add_input(std::move(name), type);
}

ValueId Graph::add_input(std::string name, const TensorType& type) {
  const ValueId id = new_value(std::move(name), type);
  Value& v = value(id);
  v.input = static_cast<int32_t>(inputs_.size());
  inputs_.push_back(id);
  // Small integer vectors may be shapes, slice ends or pads: their elements become symbols.
  constexpr int64_t kMaxElements = 64;
  const bool integer = type.dtype == DType::i64 || type.dtype == DType::i32;
  if (!integer || type.dims.rank > 1 || (type.dims.rank == 1 && !type.dims[0].is_number())) return id;
  const int64_t count = type.dims.rank == 0 ? 1 : type.dims[0].number();
  if (count > kMaxElements) return id;
  v.shape_values.known = true;
  for (int64_t i = 0; i < count; ++i) {
    const std::string label = type.dims.rank == 0 ? v.name : formatted("{}[{}]", v.name, i);
    const Dim symbol = dims.symbol(label, {.min = -kMaxSize, .max = kMaxSize});
    v.shape_values.elements.push_back(symbol);
    input_elements_.push_back({v.input, i, symbol});
  }
  return id;
}

ValueId Graph::add_constant(std::string name, ConstantPtr constant) {
  TensorType type{constant->dtype(), {}};
  for (int64_t d : constant->dims()) type.dims.push_back(d);
  const ValueId id = new_value(std::move(name), type);
  value(id).shape_values = shape_values_of(*constant);
  value(id).constant = std::move(constant);
  return id;
}

ValueId Graph::add_captured(std::string name, const TensorType& type, ShapeValues shape_values) {
  const ValueId id = new_value(std::move(name), type);
  value(id).input = static_cast<int32_t>(inputs_.size());
  value(id).shape_values = std::move(shape_values);
  inputs_.push_back(id);
  return id;
}

Dim Graph::add_parameter(std::string name, const DimPromise& promise, bool data) {
  const Dim symbol = dims.symbol(std::move(name), promise);
  parameters_.push_back({symbol, data});
  return symbol;
}

void Graph::fix_input(size_t index, ConstantPtr constant) {
  Value& v = value(inputs_[index]);
  if (!v.shape_values.known) v.shape_values = shape_values_of(*constant);
  v.constant = std::move(constant);
  v.input = -1;
  inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(index));
  for (size_t i = index; i < inputs_.size(); ++i) value(inputs_[i]).input = static_cast<int32_t>(i);
  for (InputElement& e : input_elements_)
    if (e.input > static_cast<int32_t>(index)) --e.input;
}

Result<ValueId> Graph::add_shape_values(DType dtype, const Dims& shape, std::vector<Dim> elements, std::string name) {
  auto op = ShapeTensor::make(std::move(elements), shape.rank == 0, dtype);
  if (!op.ok()) return op.take_status();
  auto made = add(*op, {}, name);
  if (!made.ok() || shape.rank <= 1) return made;
  auto reshape = Reshape::make([&] {
    SymDims d;
    for (int64_t v : shape) d.push_back(v);
    return d;
  }());
  if (!reshape.ok()) return reshape.take_status();
  return add(*reshape, {*made}, std::move(name));
}

Result<std::vector<ValueId>> Graph::add_node(OperatorPtr op, std::vector<ValueId> in, std::string node_name, std::string onnx_type) {
  return insert_before(kNoNode, std::move(op), std::move(in), std::move(node_name), std::move(onnx_type));
}

Result<ValueId> Graph::add_quantized(OperatorPtr op, Quantization quantization, std::vector<ValueId> in, std::vector<ValueId> tensors,
                                     std::string node_name, std::string onnx_type) {
  auto made = insert_before(kNoNode, std::move(op), std::move(in), std::move(node_name), std::move(onnx_type),
                            std::make_shared<const Quantization>(std::move(quantization)), std::move(tensors));
  if (!made.ok()) return made.take_status();
  return (*made)[0];
}

Result<ValueId> Graph::add(OperatorPtr op, std::vector<ValueId> in, std::string node_name, std::string onnx_type) {
  auto made = add_node(std::move(op), std::move(in), std::move(node_name), std::move(onnx_type));
  if (!made.ok()) return made.take_status();
  return (*made)[0];
}

Result<std::vector<ValueId>> Graph::insert_before(NodeId at, OperatorPtr op, std::vector<ValueId> in, std::string node_name,
                                                  std::string onnx_type, std::shared_ptr<const Quantization> quantization,
                                                  std::vector<ValueId> tensors) {
  if (!op) return error(Code::internal, "{}: a node without an operator", node_name);
  while (!in.empty() && in.back() == kNoValue) in.pop_back();
  Node node;
  node.id = node_capacity();
  node.name = std::move(node_name);
  node.onnx_type = std::move(onnx_type);
  node.op = std::move(op);
  node.inputs = std::move(in);
  node.quantization = std::move(quantization);
  node.post_inputs = std::move(tensors);
  if (at != kNoNode) node.engine = this->node(at).engine, node.mode = this->node(at).mode;
  for (ValueId v : node.inputs)
    if (v != kNoValue && (v < 0 || v >= value_count())) return error(Code::internal, "{}: there is no value {}", label(node), v);

  std::vector<TensorType> types;
  if (Status s = infer_types(*this, node, &types); !s.ok()) return std::move(s).at(label(node)).in_node(node.name);
  for (size_t i = 0; i < types.size(); ++i) {
    const ValueId v = new_value(i == 0 ? node.name : formatted("{}:{}", node.name, i), types[i]);
    value(v).producer = node.id;
    node.outputs.push_back(v);
  }
  for (ValueId v : node.inputs)
    if (v != kNoValue) value(v).users.push_back(node.id);
  for (ValueId v : node.post_inputs) value(v).users.push_back(node.id);
  if (at == kNoNode) {
    order_.push_back(node.id);
  } else {
    order_.insert(std::find(order_.begin(), order_.end(), at), node.id);
  }
  positions_fresh_ = false;
  nodes_.push_back(std::move(node));
  const Node& stored = nodes_.back();
  add_output_guards(*this, stored);
  infer_content(*this, stored);
  return stored.outputs;
}

void Graph::add_output(ValueId id, std::string output_name, Dim rank) { outputs_.push_back({id, std::move(output_name), rank}); }

void Graph::add_guard(Dim condition, std::string node_name, std::string message, Dim allowed) {
  if (condition.is_number() && condition.number() == 1) return;
  for (const Guard& g : guards)
    if (g.condition == condition) return;
  guards.push_back({condition, std::move(node_name), std::move(message), allowed});
}

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

std::vector<TensorType> Graph::input_types(const Node& n) const {
  std::vector<TensorType> types;
  for (ValueId v : n.inputs) types.push_back(v == kNoValue ? TensorType{} : value(v).type);
  return types;
}

std::string Graph::label(const Node& n) {
  const std::string type = !n.onnx_type.empty() ? n.onnx_type : n.op ? n.op->name() : "";
  return n.name.empty() ? type : formatted("{} ({})", n.name, type);
}

void Graph::refresh_positions() const {
  if (positions_fresh_) return;
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
  for (NodeId id : order_) {
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
  if (auto at = std::find(users.begin(), users.end(), user); at != users.end()) users.erase(at);
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

void Graph::erase_node(NodeId id) {
  Node& n = node(id);
  for (ValueId v : n.inputs) drop_use(v, id);
  for (ValueId v : n.post_inputs) drop_use(v, id);
  for (ValueId v : n.outputs) value(v).producer = kNoNode;
  n.op = nullptr;
  n.quantization = nullptr;
  n.inputs.clear();
  n.post_inputs.clear();
  n.outputs.clear();
  order_.erase(std::find(order_.begin(), order_.end(), id));
  positions_fresh_ = false;
}

void Graph::set_order(std::vector<NodeId> order) {
  order_ = std::move(order);
  positions_fresh_ = false;
}

Status Graph::verify() const {
  refresh_positions();
  std::vector<int> seen(nodes_.size()), uses(values_.size());
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
        ++uses[static_cast<size_t>(v)];
        const Value& x = value(v);
        if (x.producer == kNoNode && !x.constant && x.input < 0)
          return error(Code::internal, "{} reads {}, which nothing produces", label(n), x.name);
        if (x.producer != kNoNode && !available_before(v, id))
          return error(Code::internal, "{} reads {} before it is produced", label(n), x.name);
        if (std::find(x.users.begin(), x.users.end(), id) == x.users.end())
          return error(Code::internal, "{} is not among the users of {}", label(n), x.name);
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
  for (size_t i = 0; i < values_.size(); ++i)
    if (static_cast<int>(values_[i].users.size()) != uses[i])
      return error(Code::internal, "{} has {} listed uses; found {}", values_[i].name, values_[i].users.size(), uses[i]);
  for (const GraphOutput& o : outputs_) {
    const Value& v = value(o.value);
    if (v.producer == kNoNode && !v.constant && v.input < 0)
      return error(Code::internal, "output {} is {}, which nothing produces", o.name, v.name);
  }
  return {};
}

}  // namespace anydim
