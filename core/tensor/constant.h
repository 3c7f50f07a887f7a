// SPDX-License-Identifier: Apache-2.0
// A constant: immutable elements, dense and row-major, in memory of its own or where somebody provides them, so that
// a model's weights are held once from the file to the packed form.
#pragma once

#include <memory>
#include <span>

#include "core/base/memory/lender.h"
#include "core/base/status.h"
#include "core/base/threads/threads.h"
#include "core/tensor/dims.h"

namespace anydim {

struct Dequantized;

class ConstantTensor {
 public:
  using Ptr = std::shared_ptr<const ConstantTensor>;

  // Memory that is aligned for the type. `owner` keeps `data` alive; null if who has it promises to outlive the graph.
  ConstantTensor(DType dtype, const Dims& dims, const void* data, std::shared_ptr<const void> owner);
  // A copy of `bytes` (exactly element_count * dtype_size of them).
  static Ptr copy(DType dtype, const Dims& dims, const void* bytes);
  template <class T> static Ptr of(DType dtype, const Dims& dims, std::span<const T> values) { return copy(dtype, dims, values.data()); }
  // Elements that `write` writes into the memory that it is given.
  template <class T, class F> static Ptr written(DType dtype, const Dims& dims, F&& write) {
    std::shared_ptr<std::byte> memory = memory_for(element_count(dims) * dtype_size(dtype));
    write(reinterpret_cast<T*>(memory.get()));
    const void* data = memory.get();
    return std::make_shared<const ConstantTensor>(dtype, dims, data, std::move(memory));
  }
  // Elements where they lie, at any address.
  static Ptr lent(DType dtype, const Dims& dims, const void* bytes, std::shared_ptr<const Lender> lender);
  // Elements that are made of those of `of` when they are asked for first: `make` gives dense, aligned memory for `to`. (Not for
  // several threads: what a model keeps is made.)
  using Making = std::shared_ptr<const void> (*)(const ConstantTensor& of, const ConstantTensor& to);
  static Ptr later(DType dtype, const Dims& dims, const Ptr& of, Making make);
  // What they are made of; null for others.
  const Ptr& made_of() const noexcept { return of_; }
  // Real numbers, f32, that numbers of 8 bits and less stand for, made as well when they are asked for.
  static Ptr dequantized(Dequantized from);
  // Where they come from; null for others.
  const Dequantized* dequantized_from() const noexcept { return from_.get(); }
  // The same elements with other dims.
  static Ptr reshaped(const ConstantTensor& from, const Dims& dims);
  // What a model keeps of `c`: its elements where they lie, if they stay there, or a copy, made on these threads.
  static Ptr kept(const Ptr& c, Parallel parallel);

  DType dtype() const noexcept { return dtype_; }
  const Dims& dims() const noexcept { return dims_; }
  int64_t count() const noexcept { return element_count(dims_); }
  int64_t bytes() const noexcept { return count() * dtype_size(dtype_); }
  // Where the elements lie, at any address.
  const std::byte* address() const {
    if (bytes_ == nullptr && of_) make_now();
    return static_cast<const std::byte*>(bytes_);
  }
  TensorView view_of_address() const { return {const_cast<std::byte*>(address()), dtype_, dims_, dense_strides(dims_)}; }

  // Where the elements come from: whoever has the same origin, dtype and dims has the same elements while somebody holds the memory.
  struct Origin {
    const void* address = nullptr;
    std::shared_ptr<const void> memory;  // null: it outlives the graph
  };
  Origin origin() const;

  // Aligned elements: those at address(), or a copy of them that the first call makes. (Not for several threads: what a model
  // keeps is aligned where it lies.)
  const void* data() const;
  template <class T> std::span<const T> as() const { return {static_cast<const T*>(data()), static_cast<size_t>(count())}; }
  TensorView view() const {  // read-only whatever the type says
    return {const_cast<void*>(data()), dtype_, dims_, dense_strides(dims_)};
  }

  // Hints that these bytes at address() are rarely read again, since packed weights hold them now.
  void discard(const void* begin, int64_t bytes) const noexcept {
    if (lender_) lender_->discard(begin, static_cast<size_t>(bytes));
  }
  // Reads elements that are borrowed, so that a run finds them in memory: one of each page.
  void touch() const noexcept;

 private:
  // Throws bad_alloc: there is no status to say that there is none, and who loads a model catches it.
  static std::shared_ptr<std::byte> memory_for(int64_t bytes);
  void make_now() const;

  DType dtype_;
  Dims dims_;
  mutable const void* bytes_;  // null: they are made later, if there are any
  mutable std::shared_ptr<const void> owner_;
  std::shared_ptr<const Lender> lender_;      // instead of the owner
  mutable std::shared_ptr<const void> copy_;  // aligned, where the lender's bytes are not
  Ptr of_;                                    // what they are made of
  Making make_ = nullptr;
  std::shared_ptr<const Dequantized> from_;
};
using ConstantPtr = ConstantTensor::Ptr;

// A matrix of real numbers as numbers of few bits: element = scale * (number - zero point), docs/numerics.md, section 1.
struct Dequantized {
  ConstantPtr numbers;      // i8, u8, i4 or u4, of rank 2
  ConstantPtr scales;       // f32, one for `block` neighbours along `axis`, and along the other axis as many as there are, or one
  ConstantPtr zero_points;  // f32, of the same dims; null: zero_point for all
  float zero_point = 0;
  int axis = 0;
  int64_t block = 1;
};

}  // namespace anydim
