// SPDX-License-Identifier: Apache-2.0
// Dtypes and shape rule of the element-wise operator of two inputs.
#include "core/ops/operators/binary.h"

#include "core/ops/requirements.h"

namespace anydim {

DType binary_dtype(BinaryFunction f, DType a, DType b) noexcept {
  if (a == DType::none || b == DType::none) return DType::none;
  const bool a_bool = a == DType::boolean, b_bool = b == DType::boolean;
  if (f == BinaryFunction::pow) return a_bool || b_bool ? DType::none : a;
  if (a != b) return DType::none;
  switch (f) {
    case BinaryFunction::equal: return DType::boolean;
    case BinaryFunction::less:
    case BinaryFunction::less_equal:
    case BinaryFunction::greater:
    case BinaryFunction::greater_equal: return a_bool ? DType::none : DType::boolean;
    case BinaryFunction::logical_and:
    case BinaryFunction::logical_or:
    case BinaryFunction::logical_xor: return a_bool ? a : DType::none;
    case BinaryFunction::bitwise_and:
    case BinaryFunction::bitwise_or:
    case BinaryFunction::bitwise_xor:
    case BinaryFunction::shift_left:
    case BinaryFunction::shift_right: return a_bool || dtype_is_float(a) ? DType::none : a;
    default: return a_bool ? DType::none : a;
  }
}

Status Binary::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  const char* name = function_name(at_.function);
  if (in.size() != 2 || in[0].dtype == DType::none || in[1].dtype == DType::none)
    return invalid("{}: {} inputs given; expected 2", name, in.size());
  const DType dtype = binary_dtype(at_.function, in[0].dtype, in[1].dtype);
  if (dtype == DType::none)
    return invalid("{}: inputs have dtypes {} and {}; the function is not defined on them", name, dtype_name(in[0].dtype),
                   dtype_name(in[1].dtype));
  out[0].dtype = dtype;
  require_broadcast(pool, in[0].dims, in[1].dims);
  return broadcast_dims(pool, in[0].dims, in[1].dims, &out[0].dims).at(name);
}

// Divisors, exponents and shifts.
ValueRange Binary::sensible_values(std::span<const Dims>, size_t input) const noexcept {
  if (input != 1) return {};
  switch (function()) {
    case BinaryFunction::div:
    case BinaryFunction::mod_floor:
    case BinaryFunction::mod_trunc: return {1, 99};
    case BinaryFunction::pow: return {0, 3};
    case BinaryFunction::shift_left:
    case BinaryFunction::shift_right: return {0, 7};
    default: return {};
  }
}

}  // namespace anydim
