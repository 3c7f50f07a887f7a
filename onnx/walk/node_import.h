// SPDX-License-Identifier: Apache-2.0
// What an importer function works with: one ONNX node, its attributes and inputs, and the graph that it adds to.
// Failures stick: the first one is kept, later calls do nothing harmful and give empty values, and the driver reports
// it with the node's name. So an importer reads as a formula and checks nothing by hand.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/ir.h"
#include "core/ops/scalar_functions.h"
#include "onnx/format/proto.h"
#include "onnx/format/tensor_data.h"

namespace anydim::onnx {

class ModelStrings;  // strings.h

// The attributes of the call of a function, by the function's name for them; a null value was not given.
using Bindings = std::unordered_map<std::string_view, const Attribute*>;

class NodeImport {
 public:
  NodeImport(Graph& graph, const NodeProto& node, int64_t opset, std::vector<ValueId> inputs, const Bindings* bindings, const Bytes& model,
             ExternalData* external);

  Graph& graph() noexcept { return graph_; }
  DimPool& pool() noexcept { return graph_.dims; }
  int64_t opset() const noexcept { return opset_; }  // of the node's domain, as the model imports it
  const NodeProto& proto() const noexcept { return node_; }
  bool in_loop = false;                 // the node is in a loop's body, at any depth
  ModelStrings* all_strings = nullptr;  // of the model; set by whoever walks it
  bool moves_strings = false;           // what is made of strings from now on is strings: every step moves elements

  // --- inputs and outputs ---------------------------------------------------------------------------------------
  size_t input_count() const noexcept { return inputs_.size(); }  // trailing absent ones are not counted
  bool has(size_t i) const noexcept { return i < inputs_.size() && inputs_[i] != kNoValue; }
  ValueId in(size_t i);  // fails if absent
  ValueId optional_in(size_t i) const noexcept { return has(i) ? inputs_[i] : kNoValue; }
  bool wants(size_t i) const noexcept { return i < node_.output.size() && !node_.output[i].empty(); }
  void out(size_t i, ValueId value);
  // An output of strings, as numbers of strings (strings.h); `known`: all of them are the model's.
  void out_strings(size_t i, ValueId value, bool known);
  bool is_string(ValueId v) const;
  bool holds_strings(size_t i) const { return has(i) && is_string(inputs_[i]); }
  // Strings as views and their heap (core/ops/string_views.h).
  struct Strings {
    ValueId views = kNoValue, heap = kNoValue;
  };
  Strings strings_in(size_t i);
  Strings strings_of(ValueId v);
  void out_strings(size_t i, const Strings& strings);
  bool holds_views(size_t i) const;
  Strings string_constant(const Dims& dims, std::span<const std::string_view> strings);
  // Their heaps become one, in which all of them are.
  void share_heap(std::span<Strings> strings);
  // The same of those of these values that hold strings, where one of them is views: the heap.
  ValueId share_heap_of(std::vector<ValueId>* values);
  ValueId share_heap_of_inputs() { return share_heap_of(&inputs_); }
  int64_t string_number(std::string_view text);
  const std::vector<ValueId>& outputs() const noexcept { return outputs_; }

  // Of kNoValue, which every value is after a failure: nothing known, of no dtype and rank 0. Importers ask here, never the graph.
  const Value& value(ValueId v) const;
  const TensorType& type(ValueId v) const { return value(v).type; }
  const SymDims& dims(ValueId v) const { return type(v).dims; }
  int rank(ValueId v) const { return type(v).dims.rank; }
  DType dtype(ValueId v) const { return type(v).dtype; }
  // Brings an axis (negative from the end) into 0..rank-1; 0 after a failure.
  int axis(int64_t value, int rank);
  // Axes that are reduced, each once: a list may name one twice. Those that are out of range stay, for the operator to refuse.
  static std::vector<int64_t> distinct_axes(std::span<const int64_t> axes, int rank);

  // --- attributes -------------------------------------------------------------------------------------------------
  bool has_attribute(std::string_view name) { return find(name) != nullptr; }
  int64_t integer(std::string_view name, int64_t fallback);
  int64_t integer(std::string_view name);  // fails if absent
  float real(std::string_view name, float fallback);
  std::string_view text(std::string_view name, std::string_view fallback);
  std::vector<int64_t> integers(std::string_view name);  // empty if absent
  std::vector<float> reals(std::string_view name);
  std::vector<std::string_view> strings(std::string_view name);
  const Attribute* find(std::string_view name);
  // The index of an attribute's text among `choices`; fails, naming them, if it is none of them.
  int choice(std::string_view name, std::string_view fallback, std::initializer_list<std::string_view> choices);

  // --- inputs whose values must be known at load time ----------------------------------------------------------------
  // As symbols: constants, what follows from shapes, and small integer tensors that a node computes, which a run reads.
  std::vector<Dim> elements(size_t i, const char* what);
  // Of a vector that has so many (-1: not known): a length that is not declared is that, or a run is refused.
  std::vector<Dim> elements(size_t i, const char* what, int64_t count);
  int64_t declared_length(size_t i) const;  // of a vector; -1: it is not declared
  // An input that is a vector of so many: the same with that length, if none is declared.
  void declare_length(size_t i, int64_t count);
  // As numbers.
  std::vector<int64_t> numbers(size_t i, const char* what);
  std::vector<double> real_numbers(size_t i, const char* what);
  bool is_known_number(size_t i) const;  // a single element that is a number
  // The only element of an integer value, as a symbol that a run reads where nodes compute it.
  Dim element_of(ValueId v, const char* what);
  // A size that a node computes, its only element: known at load time, or a symbol that a run gives a value from 0 to `most`.
  Dim size_of(ValueId count, Dim most);

  // --- sizes that must agree: two numbers are checked now, what only a run knows is a guard of it ---------------------
  void require_equal(Dim found, Dim expected, std::string_view what);
  // `part` broadcasts to `whole` and not the other way round: each of its dims is 1 or equal to that of `whole`, counted from the last.
  void require_fits(ValueId part, const SymDims& whole, std::string_view what);
  // One element, whatever the rank.
  void require_single(ValueId v, std::string_view what);
  // A guard of the run: `condition` is 1. `expected` says what it means.
  void require(Dim condition, std::string expected);

  // --- building ---------------------------------------------------------------------------------------------------
  ValueId add(Result<OperatorPtr> op, std::vector<ValueId> inputs);
  // Of operands with scales and zero points; `tensors` are those that come with each run.
  ValueId add_quantized(Result<OperatorPtr> op, Quantization quantization, std::vector<ValueId> inputs, std::vector<ValueId> tensors);
  std::vector<ValueId> add_many(Result<OperatorPtr> op, std::vector<ValueId> inputs, size_t outputs);
  ValueId constant(const TensorProto& tensor);
  ValueId constant(const SparseTensorProto& tensor);
  ValueId constant(DType dtype, const Dims& dims, const void* bytes);
  ValueId numbered_strings(std::span<const std::string_view> strings);  // their numbers, [count]
  ValueId scalar(DType dtype, double value);                            // rank 0
  ValueId shape(DType dtype, const Dims& dims, std::vector<Dim> elements);
  ValueId unary(UnaryFunction f, ValueId x, float alpha = 0.f, float beta = 0.f);
  ValueId binary(BinaryFunction f, ValueId a, ValueId b);
  ValueId cast(ValueId x, DType to);
  // 16-bit floats are storage (docs/numerics.md, section 4): an operator that is written out computes on widened()
  // values and casts its result back, so that only that is rounded.
  ValueId widened(ValueId x) { return cast(x, computed_type(dtype(x))); }
  static DType computed_type(DType t) noexcept { return t == DType::f16 || t == DType::bf16 ? DType::f32 : t; }
  ValueId reshape(ValueId x, const SymDims& dims);
  ValueId transpose(ValueId x, const Perm& perm);
  ValueId expand(ValueId x, const SymDims& dims);
  ValueId where(ValueId condition, ValueId a, ValueId b);
  ValueId slice(ValueId x, int axis, Dim first, Dim length, int64_t step = 1);
  Dim product(const SymDims& d, int from, int to);  // of dims[from..to)

  // --- failing ------------------------------------------------------------------------------------------------------
  bool ok() const noexcept { return status_.ok(); }
  void fail(Status status);
  template <class... A> void unsupported(fmt::format_string<A...> format, A&&... args) {
    fail(Status(Code::unimplemented, formatted(format, std::forward<A>(args)...)));
  }
  template <class... A> void wrong(fmt::format_string<A...> format, A&&... args) {
    fail(Status(Code::invalid_model, formatted(format, std::forward<A>(args)...)));
  }
  Status take_status() noexcept { return std::move(status_); }

  // "conv_3 (Conv)"; a node without a name is called by its first output.
  static std::string label(const NodeProto& node);
  static std::string_view name_of(const NodeProto& node);

 private:
  std::string step_name();
  std::vector<ValueId> add_moved(Result<OperatorPtr> op, std::vector<ValueId> inputs, size_t outputs);
  void fail_labelled(Status status);
  void name_found(ValueId v, std::string_view what);
  std::string input_label(size_t i, const char* what) const;
  std::vector<Dim> known_elements(size_t i, const char* what);

  Graph& graph_;
  const NodeProto& node_;
  int64_t opset_;
  std::vector<ValueId> inputs_, outputs_;
  const Bindings* bindings_;
  const Bytes& model_;
  ExternalData* external_;
  std::string name_, onnx_type_;
  int steps_ = 0;
  Status status_;
};

using ImportFunction = void (*)(NodeImport&);

// One operator of a domain. `since` is the opset in which it appeared; what changed later is the function's business.
struct Importer {
  std::string_view op_type;
  int64_t since;
  ImportFunction function;
};

}  // namespace anydim::onnx
