// SPDX-License-Identifier: Apache-2.0
// What an operator is: its kind, its attributes and its shape rule. One file per operator lives beside this one.
// Nothing here knows kernels, layouts in memory, or primitives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/status.h"
#include "core/tensor/dim.h"

namespace anydim {

// One entry per file in core/ops/. Order is free; names are what people read in logs and `explain`.
enum class OpKind : uint16_t {
  convolution,
  conv_transpose,
  matmul,
  pooling,
  unary,
  binary,
  where,
  cast,
  reduce,
  arg_reduce,
  softmax,
  layer_norm,
  cumsum,
  resize,
  transpose,
  reshape,
  expand,
  slice,
  concat,
  pad,
  tile,
  depth_to_space,
  gather,
  gather_elements,
  gather_nd,
  scatter_elements,
  scatter_nd,
  range,
  shape_tensor,
  topk,
  one_hot,
  trilu,
  eye_like,
  count_,  // number of kinds
};
const char* op_name(OpKind kind) noexcept;

// Receives an operator's attributes in a fixed order: for text, keys, logs and comparison.
class AttributeSink {
 public:
  virtual ~AttributeSink() = default;
  virtual void field(const char* name, int64_t value) = 0;
  virtual void field(const char* name, double value) = 0;
  virtual void field(const char* name, const char* value) = 0;
  virtual void field(const char* name, std::span<const int64_t> values) = 0;
  virtual void field(const char* name, std::span<const Dim> values) = 0;
};

// An operator with its attributes: immutable after it was checked, shared by primitives and graphs.
class Operator {
 public:
  virtual ~Operator() = default;
  virtual OpKind kind() const noexcept = 0;
  virtual int output_count() const noexcept { return 1; }

  // The shape rule: fills `out` (output_count() entries) from `in`. An optional input that is absent has
  // DType::none. With numbers for dims it computes and allocates nothing on success; with symbols it builds
  // expressions in `pool`. Failures name the input, the value found and what was expected.
  virtual Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const = 0;

  // Attributes that may be symbolic (a reshape's dims, a slice's starts), in a fixed order. A run evaluates them
  // and hands the numbers to the kernel in the same order.
  virtual std::span<const Dim> dim_attributes() const noexcept { return {}; }
  // The same operator with other values for dim_attributes(); null if it has none.
  virtual std::shared_ptr<const Operator> with_dim_attributes(std::span<const Dim>) const { return nullptr; }

  virtual void attributes(AttributeSink& sink) const = 0;
  const char* name() const noexcept { return op_name(kind()); }
};
using OperatorPtr = std::shared_ptr<const Operator>;

// "convolution strides=2,2 pads=1,1,1,1 group=1"
std::string describe(const Operator& op);

// Operators are equal when kind and attributes are.
bool same_operator(const Operator& a, const Operator& b);

// Checked downcast for kernels and passes: `if (auto* conv = as<Convolution>(op))`. T::kKind names its kind.
template <class T> const T* as(const Operator& op) noexcept { return op.kind() == T::kKind ? static_cast<const T*>(&op) : nullptr; }

// Broadcasting of two or more shapes by NumPy's rule (trailing dims aligned; 1 stretches). Dims that cannot be shown
// equal become broadcast(a, b): kernels settle it at run time.
Status broadcast_dims(DimPool& pool, const SymDims& a, const SymDims& b, SymDims* out);

// Brings an axis into 0..rank-1; the message names `what`.
Status normalise_axis(int64_t axis, int rank, const char* what, int* out);

}  // namespace anydim
