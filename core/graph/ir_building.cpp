// SPDX-License-Identifier: Apache-2.0
// Building a graph: values, nodes, guards and sizes that are read; types and contents follow by infer.h.
#include <algorithm>

#include "core/graph/infer.h"
#include "core/graph/ir.h"
#include "core/graph/size_range.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/shape_tensor.h"

namespace anydim {

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
  // The limit is known before the size is read, also where it follows from a size that the value does not need.
  const int32_t limit = this->stage(most);
  const int32_t stage = std::max(stage_after(id), limit > 0 ? limit + 1 : 0);
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
  if (at == kNoNode || !this->node(at).op) order_.push_back(node.id);
  else inserted_.emplace_back(at, node.id);
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

}  // namespace anydim
