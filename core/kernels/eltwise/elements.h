// SPDX-License-Identifier: Apache-2.0
// For reference kernels: C++ types for dtypes, and a walk over the logical elements of several tensors with any
// strides. Plain and general; optimised kernels use neither.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/kernels/eltwise/scalar.inl.h"
#include "core/kernels/kernel.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {
template <class T> typename ComputeType<T>::type load_element(const void* p) {
  if constexpr (std::is_same_v<T, F16>) return f16_to_f32(static_cast<const F16*>(p)->bits);
  else if constexpr (std::is_same_v<T, BF16>) return bf16_to_f32(static_cast<const BF16*>(p)->bits);
  else if constexpr (std::is_same_v<T, bool>) return *static_cast<const uint8_t*>(p) != 0;
  else return *static_cast<const T*>(p);
}
template <class T> void store_element(void* p, typename ComputeType<T>::type v) {
  if constexpr (std::is_same_v<T, F16>) static_cast<F16*>(p)->bits = f32_to_f16(v);
  else if constexpr (std::is_same_v<T, BF16>) static_cast<BF16*>(p)->bits = f32_to_bf16(v);
  else *static_cast<T*>(p) = v;
}

// Calls f(T{}) for the C++ type of a dtype.
template <class F> void visit_dtype(DType t, F&& f) {
  switch (t) {
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::f16: return f(F16{});
    case DType::bf16: return f(BF16{});
    case DType::i8: return f(int8_t{});
    case DType::u8: return f(uint8_t{});
    case DType::i16: return f(int16_t{});
    case DType::u16: return f(uint16_t{});
    case DType::i32: return f(int32_t{});
    case DType::u32: return f(uint32_t{});
    case DType::i64: return f(int64_t{});
    case DType::u64: return f(uint64_t{});
    case DType::boolean: return f(bool{});
    default: return;  // narrow dtypes are not computed with
  }
}
// One operand of a walk: where it begins, and its byte strides along the walk's dims.
struct Walker {
  std::byte* at = nullptr;
  int64_t steps[kMaxRank] = {};
};
inline Walker walker(const TensorView& t, const Dims& dims) {
  Walker w;
  w.at = static_cast<std::byte*>(t.data);
  const Strides s = broadcast_strides(t, dims);
  for (int i = 0; i < dims.rank; ++i) w.steps[i] = s[i] * dtype_size(t.dtype);
  return w;
}

// Calls f() for each element in row-major logical order; the walkers point at the operands' elements meanwhile.
template <int N, class F> void for_each_element(const Dims& dims, Walker (&w)[N], F&& f) {
  if (element_count(dims) == 0) return;
  int64_t at[kMaxRank] = {};
  for (;;) {
    f();
    int a = dims.rank - 1;
    for (; a >= 0; --a) {
      for (Walker& o : w) o.at += o.steps[a];
      if (++at[a] < dims[a]) break;
      for (Walker& o : w) o.at -= o.steps[a] * dims[a];
      at[a] = 0;
    }
    if (a < 0) return;
  }
}

}  // namespace
}  // namespace anydim
