// SPDX-License-Identifier: Apache-2.0
// Typed rows as plain loops over one or two inputs, which the compiler turns into vectors.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// Booleans are bytes in memory; any but 0 is true.
template <class T> struct InMemory { using type = T; };
template <> struct InMemory<bool> { using type = uint8_t; };
template <class T> inline T value_of_memory(typename InMemory<T>::type v) {
  if constexpr (std::is_same_v<T, bool>) return v != 0;
  else return v;
}

// The output may be an input in place: no element is read after another was written over it.
template <class To, class A, class F> void row_of_one(const TypedRow& row, F f) noexcept {
  auto* out = static_cast<typename InMemory<To>::type*>(row.out);
  const auto* a = static_cast<const typename InMemory<A>::type*>(row.in[0]);
  const int64_t n = row.n;  // which a byte of `out` might be, as the compiler sees it
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(value_of_memory<A>(a[i]));
}
template <class To, class A, class F> void row_of_two(const TypedRow& row, F f) noexcept {
  auto* out = static_cast<typename InMemory<To>::type*>(row.out);
  const auto* a = static_cast<const typename InMemory<A>::type*>(row.in[0]);
  const auto* b = static_cast<const typename InMemory<A>::type*>(row.in[1]);
  const int64_t n = row.n;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(value_of_memory<A>(a[i]), value_of_memory<A>(b[i]));
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
