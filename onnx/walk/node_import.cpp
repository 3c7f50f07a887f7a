// SPDX-License-Identifier: Apache-2.0
// Attributes, known inputs and small building blocks for the importer functions.
#include "onnx/walk/node_import.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/unary.h"
#include "core/ops/operators/where.h"
#include "core/base/text/utf8.h"
#include "core/tensor/readable_dim.h"
#include "onnx/operators/half.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {

std::string NodeImport::label(const NodeProto& node) { return formatted("{} ({})", shown(name_of(node)), shown(node.op_type)); }
std::string_view NodeImport::name_of(const NodeProto& node) {
  return node.name.empty() && !node.output.empty() ? std::string_view(node.output[0]) : std::string_view(node.name);
}

NodeImport::NodeImport(Graph& graph, const NodeProto& node, int64_t opset, std::vector<ValueId> inputs, const Bindings* bindings,
                       const Bytes& model, ExternalData* external)
    : graph_(graph),
      node_(node),
      opset_(opset),
      inputs_(std::move(inputs)),
      outputs_(node.output.size(), kNoValue),
      bindings_(bindings),
      model_(model),
      external_(external),
      onnx_type_(node.op_type) {
  while (!inputs_.empty() && inputs_.back() == kNoValue) inputs_.pop_back();
  name_ = name_of(node);
}

// --- failing -----------------------------------------------------------------------------------------------------

void NodeImport::fail_labelled(Status status) {
  if (!status_.ok() || status.ok()) return;
  // An argument that is wrong by itself came out of the file.
  if (status.code() == Code::invalid_argument) status = Status(Code::invalid_model, status.message());
  status_ = std::move(status);
}
void NodeImport::fail(Status status) { fail_labelled(std::move(status).at(label(node_))); }

// --- inputs and outputs ------------------------------------------------------------------------------------------

const Value& NodeImport::value(ValueId v) const {
  static const Value* const nothing = new Value;  // never destroyed: a program may end while its threads load models
  return v == kNoValue ? *nothing : graph_.value(v);
}

ValueId NodeImport::in(size_t i) {
  if (has(i)) return inputs_[i];
  wrong("input {} is absent; it is not optional", i);
  return kNoValue;
}

void NodeImport::out(size_t i, ValueId value) {
  if (!ok() || value == kNoValue || !wants(i)) return;
  outputs_[i] = value;
}

int NodeImport::axis(int64_t value, int rank) {
  int a = 0;
  Status s = normalise_axis(value, rank, "axis", &a);
  if (s.ok()) return a;
  fail(std::move(s));
  return 0;
}

std::vector<int64_t> NodeImport::distinct_axes(std::span<const int64_t> axes, int rank) {
  std::vector<int64_t> distinct;
  const auto from_first = [rank](int64_t a) { return a < 0 ? a + rank : a; };
  for (const int64_t a : axes)
    if (std::ranges::find(distinct, from_first(a), from_first) == distinct.end()) distinct.push_back(a);
  return distinct;
}

void NodeImport::out_strings(size_t i, ValueId value, bool known) {
  if (!ok() || value == kNoValue || !wants(i)) return;
  if (all_strings == nullptr || !all_strings->allowed())
    return unsupported("its output {} holds strings, which are known in whole models' files only", i);
  all_strings->mark(graph_, value, known ? ModelStrings::Known::all : ModelStrings::Known::some);
  out(i, value);
}
bool NodeImport::is_string(ValueId v) const { return all_strings != nullptr && all_strings->find(graph_, v).has_value(); }
bool NodeImport::holds_views(size_t i) const {
  return has(i) && all_strings != nullptr && all_strings->heap_of(graph_, inputs_[i]) != kNoValue;
}
int64_t NodeImport::string_number(std::string_view text) {
  if (all_strings == nullptr || !all_strings->allowed()) unsupported("it has strings, which are known in whole models' files only");
  else if (!valid_utf8(text)) unsupported("a string is not valid UTF-8: '{}'", shown(text));
  else return all_strings->number(text);
  return 0;
}

// --- attributes --------------------------------------------------------------------------------------------------

const Attribute* NodeImport::find(std::string_view name) {
  for (const Attribute& a : node_.attribute) {
    if (a.name != name) continue;
    if (a.reference.empty()) return &a;
    if (bindings_ == nullptr) {
      wrong("attribute {} refers to an attribute of a function, but the node is in none", shown(name));
      return nullptr;
    }
    const auto found = bindings_->find(a.reference);
    return found == bindings_->end() ? nullptr : found->second;
  }
  return nullptr;
}

namespace {
// Old writers leave the type out; then the field that is read decides.
bool has_type(const Attribute& a, int32_t type) { return a.type == type || a.type == Attribute::kNone; }
}  // namespace

int64_t NodeImport::integer(std::string_view name, int64_t fallback) {
  const Attribute* a = find(name);
  if (a == nullptr) return fallback;
  if (!has_type(*a, Attribute::kInt)) wrong("attribute {} is not an integer", name);
  return a->i;
}
int64_t NodeImport::integer(std::string_view name) {
  if (ok() && find(name) == nullptr) wrong("attribute {} is absent; it is required", name);
  return integer(name, 0);
}
float NodeImport::real(std::string_view name, float fallback) {
  const Attribute* a = find(name);
  if (a == nullptr) return fallback;
  if (!has_type(*a, Attribute::kFloatValue)) wrong("attribute {} is not a float", name);
  return a->f;
}
std::string_view NodeImport::text(std::string_view name, std::string_view fallback) {
  const Attribute* a = find(name);
  if (a == nullptr) return fallback;
  if (!has_type(*a, Attribute::kStringValue)) wrong("attribute {} is not a string", name);
  return a->s;
}
std::vector<int64_t> NodeImport::integers(std::string_view name) {
  const Attribute* a = find(name);
  if (a == nullptr) return {};
  if (!has_type(*a, Attribute::kInts)) wrong("attribute {} is not a list of integers", name);
  return a->ints;
}
std::vector<float> NodeImport::reals(std::string_view name) {
  const Attribute* a = find(name);
  if (a == nullptr) return {};
  if (!has_type(*a, Attribute::kFloats)) wrong("attribute {} is not a list of floats", name);
  return a->floats;
}
std::vector<std::string_view> NodeImport::strings(std::string_view name) {
  const Attribute* a = find(name);
  if (a == nullptr) return {};
  if (!has_type(*a, Attribute::kStrings)) wrong("attribute {} is not a list of strings", name);
  return {a->strings.begin(), a->strings.end()};
}
int NodeImport::choice(std::string_view name, std::string_view fallback, std::initializer_list<std::string_view> choices) {
  const std::string_view value = text(name, fallback);
  int i = 0;
  std::string list;
  for (const std::string_view c : choices) {
    if (c == value) return i;
    list += formatted("{}{}", i++ == 0 ? "" : ", ", c);
  }
  unsupported("attribute {} is '{}'; expected one of {}", name, shown(value), list);
  return 0;
}

// --- known inputs ------------------------------------------------------------------------------------------------

std::string NodeImport::input_label(size_t i, const char* what) const {
  return formatted("input {} ({}, '{}')", i, what, i < node_.input.size() ? shown(node_.input[i]) : std::string("absent"));
}

std::vector<Dim> NodeImport::elements(size_t i, const char* what) {
  if (has(i)) graph_.read_content(inputs_[i]);
  return known_elements(i, what);
}

std::vector<Dim> NodeImport::elements(size_t i, const char* what, int64_t count) {
  declare_length(i, count);
  return elements(i, what);
}

void NodeImport::declare_length(size_t i, int64_t count) {
  if (has(i) && count >= 0 && rank(inputs_[i]) == 1 && !dims(inputs_[i])[0].is_number()) inputs_[i] = reshape(inputs_[i], {count});
}

int64_t NodeImport::declared_length(size_t i) const {
  const SymDims& d = dims(optional_in(i));
  return d.rank == 1 && d[0].is_number() ? d[0].number() : -1;
}

std::vector<Dim> NodeImport::known_elements(size_t i, const char* what) {
  const ValueId v = in(i);
  if (v == kNoValue) return {};
  const Value& value = graph_.value(v);
  if (value.shape_values.known && value.shape_values.denominator == 1) return value.shape_values.elements;
  if (value.shape_values.known || dtype_is_float(value.type.dtype)) wrong("{} does not hold integers", input_label(i, what));
  else
    unsupported("{} is computed or comes with the run, and its number of elements is large or unknown; expected a constant, or sizes",
                input_label(i, what));
  return {};
}

// Messages speak of what a step of this node finds by what it is, not by the step's number.
void NodeImport::name_found(ValueId v, std::string_view what) {
  Value& value = graph_.value(v);
  const Node* step = graph_.producer(v);
  if (step != nullptr && step->name == value.name && (step->name == name_ || step->name.starts_with(name_ + "/")))
    value.name = formatted("{} of {}", what, name_);
}

Dim NodeImport::element_of(ValueId v, const char* what) {
  if (ok() && v != kNoValue && !product(dims(v), 0, rank(v)).is_number()) v = reshape(v, {});  // a run finds one, or is refused
  if (!ok() || v == kNoValue) return 0;
  name_found(v, what);
  graph_.read_content(v);
  const Value& value = graph_.value(v);
  if (!value.shape_values.known) unsupported("{} has an unknown number of elements; expected one", what);
  else if (value.shape_values.denominator != 1) wrong("{} is no integer", what);
  else if (value.shape_values.elements.size() != 1) wrong("{} has {} elements; expected 1", what, value.shape_values.elements.size());
  else return value.shape_values.elements[0];
  return 0;
}

Dim NodeImport::size_of(ValueId count, Dim most) {
  if (!ok() || count == kNoValue) return 0;
  name_found(count, "the count");
  const Value& value = graph_.value(count);
  if (value.shape_values.known && value.shape_values.elements.size() == 1) return value.shape_values.elements[0];
  return graph_.read_size(count, 0, most, value.name);
}

std::vector<int64_t> NodeImport::numbers(size_t i, const char* what) {
  std::vector<int64_t> out;
  for (const Dim d : known_elements(i, what)) {
    if (!d.is_number()) {
      unsupported("{} depends on run-time dims ({}); expected a constant", input_label(i, what), pool().text(d));
      return {};
    }
    out.push_back(d.number());
  }
  return out;
}

bool NodeImport::is_known_number(size_t i) const {
  if (!has(i)) return false;
  const Value& v = graph_.value(inputs_[i]);
  if (v.constant != nullptr && v.constant->count() == 1) return true;
  return v.shape_values.known && v.shape_values.elements.size() == 1 && v.shape_values.elements[0].is_number();
}

std::vector<double> NodeImport::real_numbers(size_t i, const char* what) {
  const ValueId v = in(i);
  if (v == kNoValue) return {};
  const Value& value = graph_.value(v);
  std::vector<double> out;
  if (value.constant != nullptr) {
    const ConstantTensor& c = *value.constant;
    const auto append = [&](auto list) { out.assign(list.begin(), list.end()); };
    switch (c.dtype()) {
      case DType::f32: append(c.as<float>()); break;
      case DType::f64: append(c.as<double>()); break;
      case DType::f16:
        for (const uint16_t h : c.as<uint16_t>()) out.push_back(half_to_float(h));
        break;
      case DType::bf16:
        for (const uint16_t h : c.as<uint16_t>()) out.push_back(bfloat16_to_float(h));
        break;
      case DType::i64: append(c.as<int64_t>()); break;
      case DType::u64: append(c.as<uint64_t>()); break;
      case DType::i32: append(c.as<int32_t>()); break;
      case DType::u32: append(c.as<uint32_t>()); break;
      case DType::i16: append(c.as<int16_t>()); break;
      case DType::u16: append(c.as<uint16_t>()); break;
      case DType::i8: append(c.as<int8_t>()); break;
      case DType::u8:
      case DType::boolean: append(c.as<uint8_t>()); break;
      default: break;
    }
    return out;
  }
  if (value.shape_values.known) {
    for (const Dim d : value.shape_values.elements) {
      if (!d.is_number()) break;
      out.push_back(static_cast<double>(d.number()) / static_cast<double>(value.shape_values.denominator));
    }
    if (out.size() == value.shape_values.elements.size()) return out;
  }
  unsupported("{} is computed by nodes or comes with the run; expected a constant", input_label(i, what));
  return {};
}

// --- sizes that must agree ---------------------------------------------------------------------------------------

void NodeImport::require(Dim condition, std::string expected) {
  if (!ok() || condition.is(1)) return;
  if (condition.is(0)) return wrong("expected: {}", expected);
  graph_.add_guard(condition, std::string(name_of(node_)), std::move(expected));
}

void NodeImport::require_equal(Dim found, Dim expected, std::string_view what) {
  if (!ok() || pool().provably_equal(found, expected)) return;
  const Dim condition = pool().equal(found, expected);
  if (condition.is(0)) return wrong("{} is {}; expected {}", what, readable(pool(), found), readable(pool(), expected));
  require(condition, formatted("{}, {}, is equal to {}", what, readable(pool(), found), readable(pool(), expected)));
  // What only results determine is checked after steps have run whose sizes must not rest on it.
  if (graph_.stage(found) == 0 && graph_.stage(expected) == 0) pool().assume_equal(found, expected);
}

void NodeImport::require_fits(ValueId part, const SymDims& whole, std::string_view what) {
  if (!ok()) return;
  const SymDims d = dims(part);
  if (d.rank > whole.rank) return wrong("{} has dims {}; expected no more axes than {}", what, pool().text(d), pool().text(whole));
  for (int i = 1; i <= d.rank && ok(); ++i) {
    const Dim x = d[d.rank - i], y = whole[whole.rank - i];
    if (x.is(1) || pool().provably_equal(x, y)) continue;
    const Dim condition = pool().select(pool().equal(x, 1), 1, pool().equal(x, y));
    if (condition.is(0)) return wrong("{} has dims {}; expected dims that broadcast to {}", what, pool().text(d), pool().text(whole));
    require(condition, formatted("axis -{} of {}, {}, is 1 or equal to {}", i, what, pool().text(x), pool().text(y)));
  }
}

void NodeImport::require_single(ValueId v, std::string_view what) {
  for (const Dim d : dims(v)) {
    if (d.is_number() && !d.is(1)) return wrong("{} has dims {}; expected one element", what, pool().text(dims(v)));
    if (!d.is_number()) require_equal(d, 1, formatted("a dim of {}", what));
  }
}

// --- building ----------------------------------------------------------------------------------------------------

// The first node has the ONNX node's name, further ones of a decomposition a number behind it.
std::string NodeImport::step_name() {
  ++steps_;
  return steps_ == 1 ? name_ : formatted("{}/{}", name_, steps_);
}

std::vector<ValueId> NodeImport::add_many(Result<OperatorPtr> op, std::vector<ValueId> inputs, size_t outputs) {
  std::vector<ValueId> none(outputs, kNoValue);
  if (!ok()) return none;
  if (moves_strings) return add_moved(std::move(op), std::move(inputs), outputs);
  if (!op.ok()) {
    fail(op.take_status());
    return none;
  }
  Result<std::vector<ValueId>> r = graph_.add_node(*std::move(op), std::move(inputs), step_name(), onnx_type_);
  if (!r.ok()) {
    fail_labelled(r.take_status());
    return none;
  }
  std::vector<ValueId> values = *std::move(r);
  values.resize(outputs, kNoValue);
  return values;
}
ValueId NodeImport::add(Result<OperatorPtr> op, std::vector<ValueId> inputs) { return add_many(std::move(op), std::move(inputs), 1)[0]; }

ValueId NodeImport::add_quantized(Result<OperatorPtr> op, Quantization quantization, std::vector<ValueId> inputs,
                                  std::vector<ValueId> tensors) {
  if (!ok()) return kNoValue;
  if (!op.ok()) {
    fail(op.take_status());
    return kNoValue;
  }
  Result<ValueId> r =
      graph_.add_quantized(*std::move(op), std::move(quantization), std::move(inputs), std::move(tensors), step_name(), onnx_type_);
  if (r.ok()) return *r;
  fail_labelled(r.take_status());
  return kNoValue;
}

ValueId NodeImport::constant(const TensorProto& tensor) {
  if (!ok()) return kNoValue;
  if (tensor.data_type == kString && all_strings != nullptr) {
    Result<ConstantPtr> numbers = all_strings->constant(tensor);
    if (!numbers.ok()) {
      fail(numbers.take_status());
      return kNoValue;
    }
    const ValueId v = graph_.add_constant(step_name(), *std::move(numbers));
    all_strings->mark(graph_, v, ModelStrings::Known::all);
    return v;
  }
  Result<TensorValue> v = read_tensor(tensor, model_, external_);
  if (!v.ok()) {
    fail(v.take_status());
    return kNoValue;
  }
  return graph_.add_constant(step_name(), v->constant());
}
ValueId NodeImport::constant(const SparseTensorProto& tensor) {
  if (!ok()) return kNoValue;
  Result<ConstantPtr> c = read_sparse_tensor(tensor, model_, external_);
  if (c.ok()) return graph_.add_constant(step_name(), *std::move(c));
  fail(c.take_status());
  return kNoValue;
}
ValueId NodeImport::constant(DType dtype, const Dims& dims, const void* bytes) {
  if (!ok()) return kNoValue;
  return graph_.add_constant(name_, ConstantTensor::copy(dtype, dims, bytes));
}

ValueId NodeImport::numbered_strings(std::span<const std::string_view> strings) {
  std::vector<int64_t> numbers;
  for (const std::string_view text : strings) numbers.push_back(string_number(text));
  return constant(DType::i64, {static_cast<int64_t>(numbers.size())}, numbers.data());
}

ValueId NodeImport::scalar(DType dtype, double value) {
  char bytes[8] = {};
  const auto put = [&](auto v) { std::memcpy(bytes, &v, sizeof(v)); };
  const auto whole = static_cast<int64_t>(dtype_is_float(dtype) ? 0.0 : value);
  switch (dtype) {
    case DType::f32: put(static_cast<float>(value)); break;
    case DType::f64: put(value); break;
    case DType::f16: put(float_to_half(static_cast<float>(value))); break;
    case DType::bf16: put(float_to_bfloat16(static_cast<float>(value))); break;
    case DType::i64:
    case DType::u64: put(whole); break;
    case DType::i32:
    case DType::u32: put(static_cast<int32_t>(whole)); break;
    case DType::i16:
    case DType::u16: put(static_cast<int16_t>(whole)); break;
    case DType::i8:
    case DType::u8: put(static_cast<int8_t>(whole)); break;
    case DType::boolean: put(static_cast<uint8_t>(whole != 0)); break;
    default: break;  // narrow: the byte of a zero
  }
  return constant(dtype, {}, bytes);
}

ValueId NodeImport::shape(DType dtype, const Dims& dims, std::vector<Dim> elements) {
  if (!ok()) return kNoValue;
  Result<ValueId> r = graph_.add_shape_values(dtype, dims, std::move(elements), step_name());
  if (r.ok()) return *r;
  fail(r.take_status());
  return kNoValue;
}

ValueId NodeImport::unary(UnaryFunction f, ValueId x, float alpha, float beta) { return add(Unary::make(f, alpha, beta), {x}); }
ValueId NodeImport::binary(BinaryFunction f, ValueId a, ValueId b) { return add(Binary::make(f), {a, b}); }
ValueId NodeImport::cast(ValueId x, DType to) { return dtype(x) == to ? x : add(Cast::make(to), {x}); }
ValueId NodeImport::reshape(ValueId x, const SymDims& d) { return dims(x) == d ? x : add(Reshape::make(d), {x}); }
ValueId NodeImport::transpose(ValueId x, const Perm& perm) { return add(Transpose::make(perm), {x}); }
ValueId NodeImport::expand(ValueId x, const SymDims& d) { return dims(x) == d ? x : add(Expand::make(d), {x}); }
ValueId NodeImport::where(ValueId condition, ValueId a, ValueId b) { return add(Where::make(), {condition, a, b}); }

ValueId NodeImport::slice(ValueId x, int axis, Dim first, Dim length, int64_t step) {
  if (!ok()) return kNoValue;
  SymDims starts, lengths = dims(x);
  RankArray<int64_t> steps;
  for (int i = 0; i < lengths.rank; ++i) {
    starts.push_back(i == axis ? first : Dim(0));
    steps.push_back(i == axis ? step : 1);
  }
  lengths[axis] = length;
  return add(Slice::make(starts, steps, lengths), {x});
}

Dim NodeImport::product(const SymDims& d, int from, int to) {
  Dim p = 1;
  for (int i = from; i < to; ++i) p = pool().mul(p, d[i]);
  return p;
}

}  // namespace anydim::onnx
