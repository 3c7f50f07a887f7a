// SPDX-License-Identifier: Apache-2.0
// Reads ONNX Runtime's graphs; see graph_reader.h.
#include "bindings/onnxruntime/graph_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace anydim::ort {
namespace {

constexpr std::array<std::pair<int, anydim_dtype_t>, 13> kTypes = {{{1, ANYDIM_F32},
                                                                    {2, ANYDIM_U8},
                                                                    {3, ANYDIM_I8},
                                                                    {4, ANYDIM_U16},
                                                                    {5, ANYDIM_I16},
                                                                    {6, ANYDIM_I32},
                                                                    {7, ANYDIM_I64},
                                                                    {9, ANYDIM_BOOL},
                                                                    {10, ANYDIM_F16},
                                                                    {11, ANYDIM_F64},
                                                                    {12, ANYDIM_U32},
                                                                    {13, ANYDIM_U64},
                                                                    {16, ANYDIM_BF16}}};

// The members of a list: first their number, then they themselves.
template <class Owner, class T>
std::vector<const T*> list(const Api& api, const Owner* owner, OrtStatus* (*count)(const Owner*, size_t*),
                           OrtStatus* (*read)(const Owner*, const T**, size_t)) {
  size_t size = 0;
  check(api, count(owner, &size));
  std::vector<const T*> out(size);
  if (size > 0) check(api, read(owner, out.data(), size));
  return out;
}

template <class Owner> std::string text(const Api& api, const Owner* owner, OrtStatus* (*read)(const Owner*, const char**)) {
  const char* found = nullptr;
  check(api, read(owner, &found));
  return found == nullptr ? std::string() : found;
}

// The bytes of an attribute.
std::vector<char> bytes_of(const Api& api, const OrtOpAttr* attribute, int type) {
  size_t needed = 0;
  std::vector<char> out(64);
  OrtStatus* status = api.attribute_read(attribute, type, out.data(), out.size(), &needed);
  if (status != nullptr && needed > out.size()) {
    api.release_status(status);
    out.resize(needed);
    status = api.attribute_read(attribute, type, out.data(), out.size(), &needed);
  }
  check(api, status);
  out.resize(needed);
  return out;
}

template <class T> std::vector<T> numbers_of(const Api& api, const OrtOpAttr* attribute, int type) {
  const std::vector<char> bytes = bytes_of(api, attribute, type);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

struct TensorInfo {
  TensorInfo(const Api& api, const OrtValue* value) : api(api) { check(api, api.get_tensor_type_and_shape(value, &info)); }
  ~TensorInfo() { api.release_tensor_type_and_shape_info(info); }
  const Api& api;
  OrtTensorTypeAndShapeInfo* info = nullptr;
};

}  // namespace

void check(const Api& api, OrtStatus* status) {
  if (status == nullptr) return;
  const Failure failure(api.get_error_code(status), api.get_error_message(status));
  api.release_status(status);
  throw failure;
}

Failure Failure::of_node(const std::string& node, const std::string& message) {
  Failure failure(kNotImplemented, "Anydim: " + message);
  failure.node = node;
  return failure;
}

void check(anydim_status_t status) {
  if (status == ANYDIM_STATUS_OK) return;
  int code = kEpFail;
  if (status == ANYDIM_STATUS_INVALID_ARGUMENT || status == ANYDIM_STATUS_OUT_OF_BOUNDS) code = kInvalidArgument;
  if (status == ANYDIM_STATUS_UNIMPLEMENTED) code = kNotImplemented;
  if (status == ANYDIM_STATUS_INVALID_MODEL) code = kInvalidGraph;
  if (status == ANYDIM_STATUS_INVALID_DATA) code = kInvalidArgument;
  Failure failure(code, std::string("Anydim: ") + anydim_last_error());
  anydim_error_info_t info = ANYDIM_ERROR_INFO_INIT;
  if (anydim_last_error_query(&info) == ANYDIM_STATUS_OK && info.node.data != nullptr) failure.node = info.node.data;
  throw failure;
}

bool dtype_of(int element_type, anydim_dtype_t* out) noexcept {
  for (const auto& [theirs, ours] : kTypes)
    if (theirs == element_type) {
      *out = ours;
      return true;
    }
  return false;
}

int element_type_of(anydim_dtype_t dtype) noexcept {
  for (const auto& [theirs, ours] : kTypes)
    if (ours == dtype) return theirs;
  return 0;
}

int64_t bytes_of(const anydim_view_t& view) noexcept {
  int64_t bytes = 1;
  for (int32_t d = 0; d < view.dims.rank; ++d) bytes *= view.dims.values[d];
  switch (view.dtype) {
    case ANYDIM_F64:
    case ANYDIM_I64:
    case ANYDIM_U64: return 8 * bytes;
    case ANYDIM_F32:
    case ANYDIM_I32:
    case ANYDIM_U32: return 4 * bytes;
    case ANYDIM_F16:
    case ANYDIM_BF16:
    case ANYDIM_I16:
    case ANYDIM_U16: return 2 * bytes;
    default: return bytes;
  }
}

anydim_view_t view_of(const Api& api, const OrtValue* value) {
  const TensorInfo info(api, value);
  anydim_view_t view{};
  int type = 0;
  size_t rank = 0;
  const void* data = nullptr;
  check(api, api.get_tensor_element_type(info.info, &type));
  check(api, api.get_dimensions_count(info.info, &rank));
  if (!dtype_of(type, &view.dtype)) throw Failure(kNotImplemented, "Anydim: a tensor has ONNX's element type " + std::to_string(type));
  if (rank > ANYDIM_MAX_RANK) throw Failure(kNotImplemented, "Anydim: a tensor has rank " + std::to_string(rank) + "; at most 8");
  check(api, api.get_dimensions(info.info, view.dims.values, rank));
  check(api, api.get_tensor_data(value, &data));
  view.dims.rank = static_cast<int32_t>(rank);
  view.data = const_cast<void*>(data);
  return view;
}

std::vector<const OrtNode*> nodes_with_bodies(const Api& api, const OrtGraph* graph) {
  std::vector<const OrtNode*> nodes = list(api, graph, api.graph_node_count, api.graph_nodes);
  std::erase_if(nodes, [&](const OrtNode* node) { return bodies_of(api, node).empty(); });
  return nodes;
}

std::vector<const OrtGraph*> bodies_of(const Api& api, const OrtNode* node, std::vector<const char*>* attributes) {
  size_t count = 0;
  check(api, api.node_body_count(node, &count));
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> names(count);
  if (count > 0) check(api, api.node_bodies(node, graphs.data(), count, names.data()));
  if (attributes != nullptr) *attributes = std::move(names);
  return graphs;
}

// --- reading -------------------------------------------------------------------------------------------------------

std::string GraphFacts::remember(const OrtValueInfo* info) {
  if (info == nullptr) return {};  // an optional one that is absent
  std::string name = text(api_, info, api_.value_name);
  if (name.empty() || values_.count(name) > 0) return name;
  ValueFacts& facts = values_[name];
  const OrtTypeInfo* type = nullptr;
  check(api_, api_.value_type(info, &type));
  int kind = 0, element = 0;
  if (type != nullptr) check(api_, api_.get_onnx_type(type, &kind));
  if (kind == kTensorType) {
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    check(api_, api_.cast_to_tensor_info(type, &tensor));
    size_t rank = 0;
    check(api_, api_.get_tensor_element_type(tensor, &element));
    check(api_, api_.get_dimensions_count(tensor, &rank));
    const bool has_shape = api_.has_shape != nullptr ? api_.has_shape(tensor) : rank > 0;
    facts.ranked = has_shape;
    facts.known = has_shape && rank <= ANYDIM_MAX_RANK && dtype_of(element, &facts.dtype);
    facts.dims.resize(rank);
    std::vector<const char*> symbols(rank);
    if (rank > 0) {
      check(api_, api_.get_dimensions(tensor, facts.dims.data(), rank));
      check(api_, api_.get_symbolic_dimensions(tensor, symbols.data(), rank));
    }
    for (const char* symbol : symbols) facts.symbols.emplace_back(symbol == nullptr ? "" : symbol);
  }
  bool constant = false, outside = false;
  check(api_, api_.value_is_from_outside(info, &outside));
  reads_outside_ = reads_outside_ || outside;
  check(api_, api_.value_is_constant(info, &constant));
  if (constant) check(api_, api_.value_initializer(info, &facts.constant));
  return name;
}

void GraphFacts::read_node(const OrtNode* node) {
  NodeFacts facts;
  facts.node = node;
  facts.name = text(api_, node, api_.node_name);
  size_t id = 0;
  check(api_, api_.node_id(node, &id));
  if (facts.name.empty()) facts.name = "node_" + std::to_string(id);
  while (!node_names_.insert(facts.name).second) facts.name += "_" + std::to_string(id);
  for (const OrtValueInfo* v : list(api_, node, api_.node_input_count, api_.node_inputs)) facts.inputs.push_back(remember(v));
  for (const OrtValueInfo* v : list(api_, node, api_.node_output_count, api_.node_outputs)) facts.outputs.push_back(remember(v));
  for (const std::string& name : facts.inputs)
    if (!name.empty()) facts.reads.push_back(name);
  for (const OrtValueInfo* v : list(api_, node, api_.node_implicit_input_count, api_.node_implicit_inputs))
    if (std::string name = remember(v); !name.empty()) facts.reads.push_back(std::move(name));
  facts.taken = !text(api_, node, api_.node_provider).empty();
  nodes_.push_back(std::move(facts));
}

GraphFacts::GraphFacts(const Api& api, const OrtGraph* opsets, const OrtNode* node) : api_(api), graph_(opsets) { read_node(node); }

GraphFacts::GraphFacts(const Api& api, const OrtGraph* graph) : api_(api), graph_(graph) {
  for (const OrtValueInfo* v : list(api, graph, api.graph_initializer_count, api.graph_initializers)) remember(v);
  for (const OrtValueInfo* v : list(api, graph, api.graph_input_count, api.graph_inputs))
    if (std::string name = remember(v); !name.empty() && !is_constant(name)) inputs_.push_back(std::move(name));
  for (const OrtNode* node : list(api, graph, api.graph_node_count, api.graph_nodes)) read_node(node);
  for (const OrtValueInfo* v : list(api, graph, api.graph_output_count, api.graph_outputs)) outputs_.push_back(remember(v));
}

const ValueFacts& GraphFacts::value(const std::string& name) const {
  static const auto* const nothing = new ValueFacts;
  const auto found = values_.find(name);
  return found == values_.end() ? *nothing : found->second;
}

// --- building ------------------------------------------------------------------------------------------------------

void GraphFacts::add_opsets(anydim_model_builder_t to) const {
  size_t count = 0;
  check(api_, api_.graph_opset_count(graph_, &count));
  std::vector<const char*> domains(count);
  std::vector<int64_t> versions(count);
  if (count > 0) check(api_, api_.graph_opsets(graph_, domains.data(), versions.data(), count));
  for (size_t i = 0; i < count; ++i) check(anydim_model_builder_set_opset(to, domains[i], versions[i]));
}

bool GraphFacts::add_input(const std::string& name, anydim_model_builder_t to) const {
  const ValueFacts& v = value(name);
  if (!v.known) return false;
  check(anydim_model_builder_add_input(to, name.c_str(), v.dtype, static_cast<int32_t>(v.dims.size()), v.dims.data()));
  for (size_t i = 0; i < v.dims.size(); ++i)
    if (v.dims[i] < 0 && !v.symbols[i].empty())
      check(anydim_model_builder_set_symbol(to, name.c_str(), static_cast<int32_t>(i), v.symbols[i].c_str()));
  return true;
}

int64_t GraphFacts::add_constant(const std::string& name, anydim_model_builder_t to) const {
  const anydim_view_t v = view_of(api_, value(name).constant);
  check(anydim_model_builder_add_constant(to, name.c_str(), v.dtype, v.dims.rank, v.dims.values, v.data, nullptr, nullptr));
  return bytes_of(v);
}

void GraphFacts::add_attribute(const OrtOpAttr* attribute, const std::string& name, anydim_model_builder_t to) const {
  int type = 0;
  check(api_, api_.attribute_type(attribute, &type));
  switch (type) {
    case kInt: {
      int64_t value = 0;
      size_t needed = 0;
      check(api_, api_.attribute_read(attribute, type, &value, sizeof(value), &needed));
      return check(anydim_model_builder_set_node_integer(to, name.c_str(), value));
    }
    case kFloat: {
      float value = 0;
      size_t needed = 0;
      check(api_, api_.attribute_read(attribute, type, &value, sizeof(value), &needed));
      return check(anydim_model_builder_set_node_real(to, name.c_str(), value));
    }
    case kInts: {
      const std::vector<int64_t> values = numbers_of<int64_t>(api_, attribute, type);
      return check(anydim_model_builder_set_node_integers(to, name.c_str(), values.data(), static_cast<int64_t>(values.size())));
    }
    case kFloats: {
      const std::vector<float> values = numbers_of<float>(api_, attribute, type);
      return check(anydim_model_builder_set_node_reals(to, name.c_str(), values.data(), static_cast<int64_t>(values.size())));
    }
    case kString: {
      std::vector<char> bytes = bytes_of(api_, attribute, type);
      bytes.push_back('\0');
      return check(anydim_model_builder_set_node_text(to, name.c_str(), bytes.data()));
    }
    case kStrings: {  // one behind the other, each with a zero
      std::vector<char> bytes = bytes_of(api_, attribute, type);
      for (size_t at = 0; at < bytes.size();) {
        const std::string part(&bytes[at], strnlen(&bytes[at], bytes.size() - at));
        check(anydim_model_builder_append_node_text(to, name.c_str(), part.c_str()));
        at += part.size() + 1;
      }
      return;
    }
    case kTensor: {
      OrtValue* tensor = nullptr;
      check(api_, api_.attribute_tensor(attribute, &tensor));
      const struct Release {
        const Api& api;
        OrtValue* value;
        ~Release() { api.release_value(value); }
      } release{api_, tensor};
      if (tensor == nullptr) throw Failure(kNotImplemented, "Anydim: attribute " + name + " is no dense tensor");
      const anydim_view_t v = view_of(api_, tensor);
      return check(anydim_model_builder_set_node_tensor(to, name.c_str(), v.dtype, v.dims.rank, v.dims.values, v.data));
    }
    default: throw Failure(kNotImplemented, "Anydim: attribute " + name + " is of a type that is not supported");
  }
}

void GraphFacts::add_body(const OrtGraph* body, const char* attribute, anydim_model_builder_t to) const {
  const GraphFacts facts(api_, body);
  const Builder made;
  for (const std::string& name : facts.inputs())
    if (!facts.add_input(name, made.get()))
      throw Failure(kNotImplemented, "Anydim: the type or rank of '" + name + "', an input of a body, is not known");
  // The body's own constants; those around it are the outer graph's.
  for (const OrtValueInfo* v : list(api_, body, api_.graph_initializer_count, api_.graph_initializers))
    if (const std::string name = text(api_, v, api_.value_name); facts.is_constant(name)) facts.add_constant(name, made.get());
  for (const NodeFacts& node : facts.nodes()) facts.add_node(node, made.get());
  for (const std::string& name : facts.outputs()) check(anydim_model_builder_add_output(made.get(), name.c_str()));
  check(anydim_model_builder_set_node_body(to, attribute, made.get()));
}

void GraphFacts::add_node(const NodeFacts& node, anydim_model_builder_t to) const {
  const std::string type = text(api_, node.node, api_.node_operator), domain = text(api_, node.node, api_.node_domain);
  check(anydim_model_builder_add_node(to, type.c_str(), domain.c_str(), node.name.c_str()));
  for (const std::string& name : node.inputs) check(anydim_model_builder_add_node_input(to, name.c_str()));
  for (const std::string& name : node.outputs) check(anydim_model_builder_add_node_output(to, name.c_str()));
  std::vector<const char*> attributes;
  const std::vector<const OrtGraph*> graphs = bodies_of(api_, node.node, &attributes);
  for (const OrtOpAttr* a : list(api_, node.node, api_.node_attribute_count, api_.node_attributes)) {
    const std::string name = text(api_, a, api_.attribute_name);
    // Asking for its type would make ONNX Runtime copy the body.
    if (std::find(attributes.begin(), attributes.end(), std::string_view(name)) == attributes.end()) add_attribute(a, name, to);
  }
  for (size_t i = 0; i < graphs.size(); ++i) add_body(graphs[i], attributes[i], to);
}

}  // namespace anydim::ort
