// SPDX-License-Identifier: Apache-2.0
// What an operator is: its kind, its attributes and its shape rule. Kinds and attributes are described in core/ops/described and read
// through description.h; one file per operator beside this one has its shape rule.
// Nothing here knows kernels, layouts in memory, or primitives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/status.h"
#include "core/ops/description.h"
#include "core/ops/work.h"
#include "core/tensor/dim.h"

namespace anydim {

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

  // Attributes that may be symbolic (a reshape's dims, a slice's starts), in the order of the description. A run evaluates
  // them and hands the numbers to the kernel in the same order.
  virtual std::span<const Dim> dim_attributes() const noexcept = 0;
  // The same operator with other values for dim_attributes(); null if it has none.
  virtual std::shared_ptr<const Operator> with_dim_attributes(std::span<const Dim> dims) const = 0;

  // The operator's Attributes, as attributes_of(kind()) describes them.
  virtual const void* attribute_data() const noexcept = 0;

  // What it computes at these dims: of all inputs (weights included) and outputs that are there; absent ones have rank 0.
  virtual Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept;
  // Integers that make sense as data of one of the inputs, at these dims of all of them.
  virtual ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept;

  const char* name() const noexcept { return op_name(kind()); }
};

// Operator T with attributes A: all of it but the shape rule and checks that are more than ranges.
template <class T, class A> class Described : public Operator {
 public:
  using Attributes = A;
  static constexpr OpKind kKind = A::kKind;

  explicit Described(A&& at) : at_(std::move(at)) {
    if constexpr (A::kDimLists > 1) joined_count_ = collect_dims(kKind, &at_, joined_, kMostDims);
  }
  // Attributes are a hundred bytes and more, and primitives are made often: they are copied once.
  static Result<OperatorPtr> make(A&& attributes) {
    ANYDIM_TRY(check_attributes(kKind, &attributes));
    ANYDIM_TRY(T::normalize(&attributes));
    return OperatorPtr(std::make_shared<T>(std::move(attributes)));
  }
  static Result<OperatorPtr> make(const A& attributes) { return make(A(attributes)); }
  // Checks that are more than ranges. It may bring what does not count to its default.
  static Status normalize(A*) { return {}; }

  const A& get() const noexcept { return at_; }
  OpKind kind() const noexcept override { return kKind; }
  const void* attribute_data() const noexcept override { return &at_; }
  std::span<const Dim> dim_attributes() const noexcept override {
    if constexpr (A::kDimLists > 1) return {joined_, static_cast<size_t>(joined_count_)};
    else if constexpr (A::kDimLists == 1) return at_.dims_in_place();
    else return {};
  }
  OperatorPtr with_dim_attributes(std::span<const Dim> dims) const override {
    if (dim_attributes().empty()) return nullptr;
    A other = at_;
    assign_dims(kKind, &other, dims);
    return std::make_shared<T>(std::move(other));
  }

 protected:
  A at_;

 private:
  // Several lists one after another, since dim_attributes() are one.
  static constexpr int kMostDims = 3 * kMaxRank;
  struct None {};
  [[no_unique_address]] std::conditional_t<(A::kDimLists > 1), Dim[kMostDims], None> joined_;
  int joined_count_ = 0;
};

// "convolution strides=2,2 pads=1,1,1,1 group=1"
std::string describe(const Operator& op);
// Its attributes, each with a blank before it; `write_dims` writes those that may be symbolic. Empty lists are left out.
using WriteDims = void (*)(const void* context, std::span<const Dim> dims, std::string* text);
void append_attributes(std::string* text, const Operator& op, WriteDims write_dims, const void* context);

// Operators are equal when kind and attributes are.
bool same_operator(const Operator& a, const Operator& b);

// Checked downcast for kernels and passes: `if (auto* conv = as<Convolution>(op))`. T::kKind names its kind.
template <class T> const T* as(const Operator& op) noexcept { return op.kind() == T::kKind ? static_cast<const T*>(&op) : nullptr; }

// Broadcasting of two or more shapes by NumPy's rule (trailing dims aligned; 1 stretches). Dims that cannot be shown
// equal become broadcast(a, b): kernels settle it at run time.
Status broadcast_dims(DimPool& pool, const SymDims& a, const SymDims& b, SymDims* out);

// Narrow dtypes are refused as inputs of operators that do not move or cast them. Whoever asks for a shape rule asks this first.
Status check_narrow(const Operator& op, std::span<const TensorType> in);

// Brings an axis into 0..rank-1; the message names `what`.
Status normalise_axis(int64_t axis, int rank, const char* what, int* out);

}  // namespace anydim
