// SPDX-License-Identifier: Apache-2.0
// What is saved of a program, struct by struct: one function visit() for each says its fields in their order, for who writes and who reads
// alike. What they do with a field is an Archive's business.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/program/model_facts.h"
#include "core/program/program.h"

namespace anydim::saved {

// --- parts of the description that are no part of a program ----------------------------------------------------------

// Bytes of a constant or of a piece of packed weights, behind the description.
struct Block {
  int64_t offset = 0, bytes = 0;
};

struct SavedPiece {
  std::string name;
  DType dtype = DType::none;
  int32_t operand = -1;  // of a constant that is read as it is; -1: a piece of the packed form
  int64_t count = 0;
  int32_t block = 0;
};

// Weights in the form that a kernel reads, made for the first primitive that has them.
struct SavedWeightsForm {
  std::string name;  // form_name()
  std::vector<SavedPiece> pieces;
};

// What stands before the program.
struct SavedFile {
  std::string version, isa;  // of the library and the CPU that saved it
  DigestValue operators{};   // of their descriptions
  ModelFacts facts;
  std::vector<Block> blocks;
  std::vector<SavedWeightsForm> weights;
};

// A primitive without its parts that are shared. Dims are numbers or the symbols of a pool of its own, by their index.
struct SavedPrimitive {
  std::vector<DimPromise> symbols;
  OperatorPtr op;
  std::vector<TensorType> in, post_in;
  OperandSet constant;
  PostOps post_ops;
  ReusePolicy reuse = ReusePolicy::inherit;
  bool quantized = false;
  Quantization quantization;
  std::string kernel;
  int32_t weights = -1;
};

// Who writes or reads.
class Archive {
 public:
  const bool loads;

  virtual void raw(void* bytes, size_t count) = 0;
  // A number of elements, none of which takes no bytes.
  virtual uint32_t count(size_t n) = 0;
  virtual void text(std::string& v) = 0;
  // Of who reads: for a value that cannot be. Whatever is read afterwards is zeros.
  virtual void fail() = 0;
  virtual bool good() const = 0;
  // Dims of what follows name so many expressions; how many they named before.
  virtual size_t begin_dims(size_t expressions) = 0;
  virtual bool has_expression(int32_t e) const = 0;
  // What is no plain data.
  virtual bool is_of_this_library(const SavedFile& file) = 0;
  virtual void expressions(DimPool& pool) = 0;
  virtual void constant(ConstantPtr& v) = 0;
  virtual void make_operator(OpKind kind, const std::function<void(void*)>& attributes, OperatorPtr* out) = 0;
  virtual void primitive(PrimitivePtr& v) = 0;
  virtual void packed(SavedWeights& v) = 0;
  virtual void body(std::shared_ptr<const Program>& v) = 0;

 protected:
  explicit Archive(bool reads) : loads(reads) {}
  ~Archive() = default;
};

// --- values ----------------------------------------------------------------------------------------------------------

constexpr int64_t last_of(DType) { return kLastDType; }
constexpr int64_t last_of(MathMode) { return static_cast<int64_t>(MathMode::reduced); }
constexpr int64_t last_of(ReusePolicy) { return static_cast<int64_t>(ReusePolicy::reusable_first); }
constexpr int64_t last_of(DimOp) { return static_cast<int64_t>(DimOp::trunc_div); }
constexpr int64_t last_of(OpKind) { return static_cast<int64_t>(OpKind::count_) - 1; }
constexpr int64_t last_of(PostOp::Kind) { return static_cast<int64_t>(PostOp::Kind::binary_reversed); }
constexpr int64_t last_of(UnaryFunction) { return static_cast<int64_t>(UnaryFunction::count_) - 1; }
constexpr int64_t last_of(BinaryFunction) { return static_cast<int64_t>(BinaryFunction::count_) - 1; }
constexpr int64_t last_of(Quantization::Factors::From) { return static_cast<int64_t>(Quantization::Factors::From::operand); }
constexpr int64_t last_of(Program::Buffer::Kind) { return static_cast<int64_t>(Program::Buffer::Kind::result); }
constexpr int64_t last_of(BodyInput::From) { return static_cast<int64_t>(BodyInput::From::slice); }
constexpr int64_t last_of(Control::Kind) { return static_cast<int64_t>(Control::Kind::loop); }

template <class T>
requires std::is_arithmetic_v<T>
void visit(Archive& a, T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    uint8_t byte = v;
    a.raw(&byte, 1);
    v = byte != 0;
  } else {
    a.raw(&v, sizeof v);
  }
}

template <class T>
requires std::is_enum_v<T>
void visit(Archive& a, T& v) {
  a.raw(&v, sizeof v);
  if (const auto n = static_cast<int64_t>(v); n < 0 || n > last_of(v)) {
    v = {};
    a.fail();
  }
}

inline void visit(Archive& a, DigestValue& v) { a.raw(v.data(), v.size()); }
inline void visit(Archive& a, std::string& v) { a.text(v); }

// What is done with a list whose elements have some type.
struct ListType {
  size_t (*size)(const void* list);
  void (*resize)(void* list, size_t size);
  void (*visit)(Archive& a, void* list, size_t index);
};
void visit_list(Archive& a, void* list, const ListType& type);

template <class T> void visit(Archive& a, std::vector<T>& v) {
  using List = std::vector<T>;
  static constexpr ListType kType{[](const void* list) { return static_cast<const List*>(list)->size(); },
                                  [](void* list, size_t size) { static_cast<List*>(list)->resize(size); },
                                  [](Archive& archive, void* list, size_t index) { visit(archive, (*static_cast<List*>(list))[index]); }};
  visit_list(a, &v, kType);
}

template <class T> void visit(Archive& a, RankArray<T>& v) {
  auto rank = static_cast<uint8_t>(v.rank);
  a.raw(&rank, 1);
  if (rank > kMaxRank) a.fail(), rank = 0;
  v.rank = rank;
  for (T& value : v) visit(a, value);
}

template <class T, class U> void visit(Archive& a, std::pair<T, U>& v) {
  visit(a, v.first);
  visit(a, v.second);
}

template <class T> void visit(Archive& a, std::map<std::string, T>& v) {
  std::vector<std::pair<std::string, T>> all(v.begin(), v.end());
  visit(a, all);
  if (a.loads) v.insert(all.begin(), all.end());
}

inline void visit(Archive& a, Dim& v) {
  int32_t expr = v.expr();
  int64_t number = v.number();
  a.raw(&expr, sizeof expr);
  if (expr < 0) a.raw(&number, sizeof number);
  else if (!a.has_expression(expr)) a.fail(), expr = -1;
  v = expr < 0 ? Dim(number) : Dim::expression(expr);
}

inline void visit(Archive& a, OperandSet& v) {
  uint64_t bits = 0;
  for (size_t i = 0; i < v.end(); ++i) bits |= uint64_t{v.has(i)} << i;
  a.raw(&bits, sizeof bits);
  v = {};
  for (size_t i = 0; i < 64; ++i)
    if (bits >> i & 1) v.add(i);
}

template <class... T> [[gnu::always_inline]] inline void fields(Archive& a, T&... v) { (visit(a, v), ...); }

// --- structs ---------------------------------------------------------------------------------------------------------

inline void visit(Archive& a, Interval& v) { fields(a, v.min, v.max); }
inline void visit(Archive& a, DimPromise& v) { fields(a, v.min, v.max, v.hint, v.multiple_of); }
inline void visit(Archive& a, TensorType& v) { fields(a, v.dtype, v.dims); }
inline void visit(Archive& a, PostOp& v) { fields(a, v.kind, v.unary, v.binary, v.alpha, v.beta); }
inline void visit(Archive& a, Quantization::Factors& v) { fields(a, v.from, v.axis, v.values); }

inline void visit(Archive& a, PostOps& v) {
  auto count = static_cast<uint8_t>(v.count);
  a.raw(&count, 1);
  if (count > kMaxPostOps) a.fail(), count = 0;
  v.count = count;
  for (int i = 0; i < v.count; ++i) visit(a, v.steps[i]);
}

inline void visit(Archive& a, Quantization& v) {
  for (Quantization::Factors& f : v.scale) visit(a, f);
  for (Quantization::Factors& f : v.zero_point) visit(a, f);
  fields(a, v.result, v.table);
  if (!v.table.empty() && v.table.size() != Quantization::kTable) a.fail();
}

// An expression, of those before it.
inline void visit(Archive& a, DimExpr& v) {
  visit(a, v.op);
  if (v.op == DimOp::symbol) fields(a, v.name, v.promise);
  else fields(a, v.a, v.b, v.c);
  fields(a, v.range, v.divisor);
}

// Attributes of an operator as they are described.
inline void visit_attribute(Archive& a, const AttributeField& f, void* at) {
  switch (f.type) {
    case AttributeType::flag: return visit(a, f.in<bool>(at));
    case AttributeType::integer: return visit(a, f.in<int64_t>(at));
    case AttributeType::real: return visit(a, f.in<float>(at));
    case AttributeType::wide: return visit(a, f.in<double>(at));
    case AttributeType::dtype: return visit(a, f.in<DType>(at));
    case AttributeType::word: return visit(a, f.in<uint8_t>(at));  // its range is checked with all others'
    case AttributeType::spatial: return visit(a, f.in<int32_t>(at));
    case AttributeType::per_spatial: return a.raw(&f.in<int64_t>(at), 3 * sizeof(int64_t));
    case AttributeType::integers: return visit(a, f.in<RankArray<int64_t>>(at));
    case AttributeType::perm: return visit(a, f.in<Perm>(at));
    case AttributeType::reals: return visit(a, f.in<std::vector<float>>(at));
    case AttributeType::dim: return visit(a, f.in<Dim>(at));
    case AttributeType::dims: return visit(a, f.in<SymDims>(at));
    case AttributeType::dim_list: return visit(a, f.in<std::vector<Dim>>(at));
  }
}

inline void visit(Archive& a, OperatorPtr& v) {
  OpKind kind = v != nullptr ? v->kind() : OpKind{};
  visit(a, kind);
  const auto all = [&](void* attributes) {
    for (const AttributeField& f : attributes_of(kind)) visit_attribute(a, f, attributes);
  };
  if (a.loads) a.make_operator(kind, all, &v);
  else all(const_cast<void*>(v->attribute_data()));
}

inline void visit(Archive& a, SavedPrimitive& v) {
  visit(a, v.symbols);
  const auto around = a.begin_dims(v.symbols.size());
  fields(a, v.op, v.in, v.post_in, v.constant, v.post_ops, v.reuse, v.quantized);
  if (v.quantized) visit(a, v.quantization);
  fields(a, v.kernel, v.weights);
  a.begin_dims(around);
}

inline void visit(Archive& a, Block& v) { fields(a, v.offset, v.bytes); }
inline void visit(Archive& a, SavedPiece& v) { fields(a, v.name, v.dtype, v.operand, v.count, v.block); }
inline void visit(Archive& a, SavedWeightsForm& v) { fields(a, v.name, v.pieces); }
inline void visit(Archive& a, ModelFacts& v) {
  fields(a, v.producer_name, v.producer_version, v.graph_name, v.domain, v.description, v.version, v.opset, v.nodes, v.operators);
}
// `version` comes first: what stands behind it may differ between versions.
inline void visit(Archive& a, SavedFile& v) {
  fields(a, v.version, v.isa, v.operators);
  if (a.is_of_this_library(v)) fields(a, v.facts, v.blocks, v.weights);
}

inline void visit(Archive& a, Program::IoSpec& v) {
  fields(a, v.name, v.dtype, v.dims, v.dim_text, v.order, v.strides, v.rank, v.optional, v.cache, v.cache_axis, v.room, v.behind,
         v.appended_by, v.follows, v.like, v.dense_strides);
}
// The rest follows from the steps.
inline void visit(Archive& a, Program::EdgeCopy& v) { fields(a, v.output, v.edge, v.order); }
inline void visit(Archive& a, Program::InputElement& v) { fields(a, v.input, v.element, v.symbol); }
inline void visit(Archive& a, Program::Guard& v) { fields(a, v.condition, v.step, v.message, v.allowed); }
inline void visit(Archive& a, BufferLifetime& v) { fields(a, v.first, v.last); }
inline void visit(Archive& a, Program::Buffer& v) { fields(a, v.kind, v.index, v.output, v.dtype, v.elements, v.lifetime, v.stage); }
inline void visit(Archive& a, ConstantPtr& v) { a.constant(v); }
inline void visit(Archive& a, Program::Tensor& v) { fields(a, v.name, v.dtype, v.dims, v.buffer, v.offset, v.strides, v.constant); }
inline void visit(Archive& a, Program::Step& v) {
  int32_t primitive = v.kernel() != nullptr ? v.kernel()->primitive : -1, control = v.control() != nullptr ? v.control()->control : -1;
  fields(a, primitive, control);
  if (a.loads) {
    if (primitive >= 0) v.work = KernelStep{primitive};
    else v.work = ControlStep{control};
  }
  fields(a, v.name, v.type, v.label, v.math, v.operands, v.inputs, v.outputs, v.post, v.dim_attributes, v.overwrites);
}
inline void visit(Archive& a, Program::SizeRead& v) { fields(a, v.tensor, v.element, v.symbol, v.most, v.axis, v.step, v.output); }
// Its code follows from the expressions.
inline void visit(Archive& a, Program::Stage& v) { fields(a, v.reads, v.guards, v.first, v.last); }

inline void visit(Archive& a, BodyInput& v) { fields(a, v.from, v.index); }
inline void visit(Archive& a, std::shared_ptr<const Program>& v) { a.body(v); }
inline void visit(Archive& a, Body& v) { fields(a, v.program, v.inputs, v.parameters); }
inline void visit(Archive& a, Control::Slice& v) { fields(a, v.operand, v.axis, v.reverse); }
inline void visit(Archive& a, Control::Stack& v) { fields(a, v.axis, v.reverse, v.declared, v.of_sequence); }
inline void visit(Archive& a, Control& v) {
  fields(a, v.kind, v.bodies, v.sized_by_step, v.count, v.condition, v.has_condition, v.initial, v.slices, v.stacks, v.most_iterations);
}
inline void visit(Archive& a, PrimitivePtr& v) { a.primitive(v); }
inline void visit(Archive& a, SavedWeights& v) { a.packed(v); }

// Of a program on the host alone; its engine, and what follows from the rest, are not among the fields.
inline void visit(Archive& a, Program& v) {
  a.expressions(v.dims);
  const auto around = a.begin_dims(static_cast<size_t>(v.dims.size()));
  fields(a, v.inputs, v.outputs, v.input_elements, v.parameters, v.controls, v.stages, v.slot_stages, v.buffers, v.tensors, v.results,
         v.steps, v.primitives, v.output_copies, v.edge_copies, v.packed, v.weight_bytes, v.views, v.reuse, v.metadata);
  a.begin_dims(around);
}

}  // namespace anydim::saved
