// SPDX-License-Identifier: Apache-2.0
// Attributes of a primitive about the numbers of its operands: which real numbers 8-bit ones stand for, and in which dtype the
// result is stored. docs/numerics.md, section 1, says what is computed; kernels whose key says `quantized` do it.
//
//   real number = scale * (number - zero point)
//
// A scale or zero point is one for a whole tensor, or one for each index of an axis. It is given with the attributes, or comes with
// each execution: as tensors behind those of the post-ops, of input 0, input 1 and the result, the scale before the zero point.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class KeyBytes;

struct Quantization {
  // The scales or the zero points of one operand.
  struct Factors {
    enum class From : uint8_t { nowhere, attribute, operand };
    From from = From::nowhere;
    int32_t axis = -1;  // of the operand; -1: one for all of it
    // With From::attribute. Zero points are whole numbers of the operand's dtype.
    std::vector<float> values;
    friend bool operator==(const Factors&, const Factors&) = default;
    bool present() const noexcept { return from != From::nowhere; }
  };
  static constexpr int kResult = 2, kOperands = 3, kMostTensors = 2 * kOperands;
  Factors scale[kOperands], zero_point[kOperands];  // of input 0, input 1, the result
  DType result = DType::none;                       // none: see check()
  // Of a cast of i8 or u8, instead of scales and zero points: the result of each number, 256 of them, by its byte. Numbers of the
  // result's dtype, as f32. This is how a function of one quantized tensor is held.
  std::vector<float> table;
  static constexpr size_t kTable = 256;

  // Those that come with each execution, in order, with the operand that they are of.
  struct Tensor {
    const Factors* factors;
    int operand;
    bool is_scale;
  };
  int tensors(Tensor (&out)[kMostTensors]) const noexcept;
  int tensor_count() const noexcept {
    Tensor all[kMostTensors];
    return tensors(all);
  }

  // That it can be said of these inputs of the operator. `result` gets the dtype of the result: where none is asked for, that of
  // float inputs; of 8-bit ones i32, or f32 if an input has a scale or input 2 is f32.
  Status check(const Operator& op, std::span<const TensorType> in, DType* result) const;
  // Scales and zero points per axis are as many as the axis is long; once the result's dims are known, or before (rank of out -1).
  Status check_counts(std::span<const Dims> in, const Dims& out, std::span<const Dims> tensors) const;
  // The operand's axis as an axis of the result; -1 if the sum runs along it. Ranks of input 0, input 1 and the result.
  static int axis_of_result(const Operator& op, int operand, int axis, int a, int b, int rank) noexcept;

  void append_to(KeyBytes* key) const;
  friend bool operator==(const Quantization&, const Quantization&) = default;

 private:
  Status check_binary(const Operator& op, std::span<const TensorType> in, DType* result) const;
  Status check_conversion(const Operator& op, std::span<const TensorType> in, DType* result) const;
  Status check_all_factors(const Operator& op, std::span<const TensorType> in, std::span<const DType> dtypes) const;
};

// Tensors of a call that are not the operator's own, at most: the post-ops', then scales and zero points.
constexpr size_t kMaxPostTensors = kMaxPostOps + Quantization::kMostTensors;

// What the operator computes on instead: the real numbers.
constexpr DType real_dtype(DType t) noexcept {
  return t == DType::i8 || t == DType::u8 || t == DType::i16 || t == DType::u16 || t == DType::i32 ? DType::f32 : t;
}

// "result=u8 q0=0.02/128 q1=0.5;0.25@0/- q2=t/t": operands with scale / zero point, `-` for none, `t` for a tensor, `@` for an axis.
std::string describe(const Quantization& q);
Status parse_quantization(std::string_view words, Quantization* out);

}  // namespace anydim
