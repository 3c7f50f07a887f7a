// SPDX-License-Identifier: Apache-2.0
// Checks of what a program says of its graph, and the structs that come of it; see model_builder.h.
#include "onnx/format/model_builder.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/base/text/utf8.h"
#include "core/tensor/dtype.h"
#include "onnx/format/tensor_data.h"

namespace anydim::onnx {
namespace {

// dtype_of() the other way round.
int32_t element_type_of(DType dtype) noexcept {
  for (int32_t type = kFloat; type <= kInt2; ++type)
    if (const Result<DType> found = dtype_of(type); found.ok() && *found == dtype) return type;
  return kUndefined;
}

Status check_text(std::string_view text, const char* what) {
  if (valid_utf8(text)) return {};
  return invalid("{} is '{}'; expected UTF-8", what, shown(text)).about(what);
}

Status check_rank(size_t rank) {
  if (rank <= static_cast<size_t>(kMaxRank)) return {};
  return invalid("rank is {}; expected 0..{}", rank, kMaxRank).about("rank");
}

}  // namespace

ModelBuilder::ModelBuilder() : texts_(std::make_shared<Texts>()) { model_.has_graph = true; }

std::string_view ModelBuilder::keep(std::string_view text) { return texts_->emplace_back(text); }

Status ModelBuilder::new_name(std::string_view name, const char* what) {
  if (name.empty()) return invalid("{} is empty", what).about(what);
  ANYDIM_TRY(check_text(name, what));
  if (names_.count(name) > 0)
    return invalid("{} is '{}', which an input, a constant or an output of a node is called already", what, shown(name)).about(what);
  return {};
}

Status ModelBuilder::set_opset(std::string_view domain, int64_t version) {
  if (version < 1) return invalid("version is {}; expected 1 or more", version).about("version");
  ANYDIM_TRY(check_text(domain, "domain"));
  for (OperatorSetId& o : model_.opset_import)
    if (o.domain == domain) {
      o.version = version;
      return {};
    }
  model_.opset_import.push_back({keep(domain), version});
  return {};
}

// --- values --------------------------------------------------------------------------------------------------------

Status ModelBuilder::type_of(DType dtype, std::span<const int64_t> dims, ValueInfo* out) {
  ANYDIM_TRY(check_rank(dims.size()));
  TypeProto& type = out->type;
  type.kind = TypeProto::Kind::tensor;
  type.element_type = element_type_of(dtype);
  type.has_shape = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < -1 || dims[i] >= kMaxSize)
      return invalid("dims[{}] is {}; expected -1 where it is dynamic, or a size", i, dims[i]).about("dims");
    Dimension d;
    d.has_value = dims[i] >= 0;
    d.value = dims[i];
    type.shape.push_back(d);
  }
  return {};
}

Status ModelBuilder::add_input(std::string_view name, DType dtype, std::span<const int64_t> dims) {
  ANYDIM_TRY(new_name(name, "name"));
  ValueInfo input;
  ANYDIM_TRY(type_of(dtype, dims, &input));
  input.name = keep(name);
  names_.insert(input.name);
  model_.graph.input.push_back(std::move(input));
  return {};
}

Status ModelBuilder::add_value_type(std::string_view name, DType dtype, std::span<const int64_t> dims) {
  if (name.empty()) return invalid("name is empty").about("name");
  ANYDIM_TRY(check_text(name, "name"));
  ValueInfo value;
  ANYDIM_TRY(type_of(dtype, dims, &value));
  value.name = keep(name);
  model_.graph.value_info.push_back(std::move(value));
  return {};
}

Status ModelBuilder::set_symbol(std::string_view input, int axis, std::string_view symbol) {
  const auto same = [&](const ValueInfo& v) { return v.name == input; };
  const auto found = std::find_if(model_.graph.input.begin(), model_.graph.input.end(), same);
  if (found == model_.graph.input.end())
    return error(Code::not_found, "input is '{}'; the graph has no input of that name", shown(input)).about("input");
  std::vector<Dimension>& shape = found->type.shape;
  if (axis < 0 || static_cast<size_t>(axis) >= shape.size())
    return invalid("axis is {}; input '{}' has rank {}", axis, shown(input), shape.size()).about("axis");
  Dimension& d = shape[static_cast<size_t>(axis)];
  if (d.has_value)
    return invalid("axis is {}; that dim of input '{}' is {}, and only a dynamic one has a name", axis, shown(input), d.value)
        .about("axis");
  ANYDIM_TRY(check_text(symbol, "symbol"));
  d.param = keep(symbol);
  return {};
}

Status ModelBuilder::add_output(std::string_view name) {
  if (name.empty()) return invalid("name is empty").about("name");
  ANYDIM_TRY(check_text(name, "name"));
  if (outputs_.count(name) > 0) return invalid("name is '{}', which is an output already", shown(name)).about("name");
  ValueInfo output;
  output.name = keep(name);
  outputs_.insert(output.name);
  model_.graph.output.push_back(std::move(output));
  return {};
}

// --- tensors -------------------------------------------------------------------------------------------------------

Status ModelBuilder::tensor_of(DType dtype, std::span<const int64_t> dims, const void* data, TensorProto* out) {
  ANYDIM_TRY(check_rank(dims.size()));
  // Tensors of ONNX pack such elements, those of this library have a byte for each.
  if (dtype_is_narrow(dtype) && narrow_bits(dtype) < 8)
    return unimplemented("dtype is {}; expected one of 8 bits or more", dtype_name(dtype)).about("dtype");
  int64_t count = 1;
  bool overflow = false, empty = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) return invalid("dims[{}] is {}; expected 0 or more", i, dims[i]).about("dims");
    empty |= dims[i] == 0;
    overflow |= !checked_mul(count, dims[i], &count);
  }
  int64_t bytes = 0;
  if (empty) count = 0;
  else if (overflow || !checked_mul(count, dtype_size(dtype), &bytes) || bytes >= kMaxSize)
    return invalid("dims multiply to more than the address space").about("dims");
  if (data == nullptr && count > 0) return invalid("data is null; expected {} elements", count).about("data");
  out->dims.assign(dims.begin(), dims.end());
  out->data_type = element_type_of(dtype);
  out->has_raw_data = true;
  out->raw_data = {static_cast<const char*>(data), static_cast<size_t>(bytes)};
  return {};
}

Status ModelBuilder::add_constant(std::string_view name, DType dtype, std::span<const int64_t> dims, const void* data,
                                  std::shared_ptr<const Lender> lender) {
  ANYDIM_TRY(new_name(name, "name"));
  TensorProto tensor;
  ANYDIM_TRY(tensor_of(dtype, dims, data, &tensor));
  tensor.name = keep(name);
  tensor.lender = std::move(lender);
  names_.insert(tensor.name);
  model_.graph.initializer.push_back(std::move(tensor));
  return {};
}

// --- nodes ---------------------------------------------------------------------------------------------------------

Status ModelBuilder::add_node(std::string_view op_type, std::string_view domain, std::string_view name) {
  if (op_type.empty()) return invalid("op_type is empty").about("op_type");
  ANYDIM_TRY(check_text(op_type, "op_type"));
  ANYDIM_TRY(check_text(domain, "domain"));
  ANYDIM_TRY(check_text(name, "name"));
  NodeProto node;
  node.op_type = keep(op_type);
  node.domain = keep(domain);
  node.name = keep(name);
  model_.graph.node.push_back(std::move(node));
  return {};
}

Status ModelBuilder::node_input(std::string_view value) {
  if (model_.graph.node.empty()) return invalid("the graph has no node yet").about("builder");
  ANYDIM_TRY(check_text(value, "value"));
  model_.graph.node.back().input.push_back(keep(value));
  return {};
}

Status ModelBuilder::node_output(std::string_view value) {
  if (model_.graph.node.empty()) return invalid("the graph has no node yet").about("builder");
  if (!value.empty()) ANYDIM_TRY(new_name(value, "value"));
  const std::string_view kept = keep(value);
  if (!value.empty()) names_.insert(kept);
  model_.graph.node.back().output.push_back(kept);
  return {};
}

Status ModelBuilder::new_attribute(std::string_view name, int32_t type, Attribute** out) {
  if (model_.graph.node.empty()) return invalid("the graph has no node yet").about("builder");
  if (name.empty()) return invalid("attribute is empty").about("attribute");
  ANYDIM_TRY(check_text(name, "attribute"));
  std::vector<Attribute>& all = model_.graph.node.back().attribute;
  for (const Attribute& a : all)
    if (a.name == name) return invalid("attribute is '{}', which the node has already", shown(name)).about("attribute");
  Attribute& made = all.emplace_back();
  made.name = keep(name);
  made.type = type;
  *out = &made;
  return {};
}

Status ModelBuilder::node_integer(std::string_view attribute, int64_t value) {
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kInt, &a));
  a->i = value;
  return {};
}

Status ModelBuilder::node_integers(std::string_view attribute, std::span<const int64_t> values) {
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kInts, &a));
  a->ints.assign(values.begin(), values.end());
  return {};
}

Status ModelBuilder::node_real(std::string_view attribute, float value) {
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kFloatValue, &a));
  a->f = value;
  return {};
}

Status ModelBuilder::node_reals(std::string_view attribute, std::span<const float> values) {
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kFloats, &a));
  a->floats.assign(values.begin(), values.end());
  return {};
}

Status ModelBuilder::node_text(std::string_view attribute, std::string_view value) {
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kStringValue, &a));
  a->s = keep(value);
  return {};
}

Status ModelBuilder::node_append_text(std::string_view attribute, std::string_view value) {
  if (!model_.graph.node.empty())
    for (Attribute& a : model_.graph.node.back().attribute)
      if (a.name == attribute && a.type == Attribute::kStrings) {
        a.strings.push_back(keep(value));
        return {};
      }
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kStrings, &a));
  a->strings.push_back(keep(value));
  return {};
}

Status ModelBuilder::node_tensor(std::string_view attribute, DType dtype, std::span<const int64_t> dims, const void* data) {
  auto tensor = std::make_shared<TensorProto>();
  ANYDIM_TRY(tensor_of(dtype, dims, data, tensor.get()));
  tensor->raw_data = keep(tensor->raw_data);
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kTensor, &a));
  a->tensor = std::move(tensor);
  return {};
}

Status ModelBuilder::node_body(std::string_view attribute, const ModelBuilder& body) {
  if (body.depth_ + 1 > kDeepestBody)
    return invalid("body has bodies in bodies, {} deep; at most {} are read", body.depth_ + 1, kDeepestBody).about("body");
  Attribute* a = nullptr;
  ANYDIM_TRY(new_attribute(attribute, Attribute::kGraph, &a));
  a->graph = std::make_shared<const GraphProto>(body.model_.graph);
  depth_ = std::max(depth_, body.depth_ + 1);
  texts_of_bodies_.push_back(body.texts_);
  texts_of_bodies_.insert(texts_of_bodies_.end(), body.texts_of_bodies_.begin(), body.texts_of_bodies_.end());
  return {};
}

}  // namespace anydim::onnx
