// SPDX-License-Identifier: Apache-2.0
// Rows of quantized values in vectors of real numbers, Reals of simd/bytes_avx2.h or bytes_avx512.h: runs whose factors are one number
// each. Files of sets include it by vectors_avx2.inl.h or vectors_avx512.inl.h, which have Reals and what is the set's own.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

// A factor that is one number for a whole run.
inline float one_of(const RowFactor& f, float absent) { return f.at == nullptr ? absent : *f.at; }

// A vector of real numbers of those that stand at `p`, f32 or of 8 bits.
struct VectorRead {
  Reals scale;
  int32_t zero;
  VectorRead(float s, float z) : scale(Reals::of(s)), zero(static_cast<int32_t>(z)) {}
  // The first n elements; the others are anything.
  Reals operator()(const float* p, int64_t n) const { return Reals::load(p, n); }
  template <class From> Reals operator()(const From* p, int64_t n) const { return Reals::of_quantized(p, n, zero) * scale; }
};
struct VectorWrite {
  bool divides;
  Reals scale, zero;
  VectorWrite(const float* s, const float* z)
      : divides(s != nullptr), scale(Reals::of(s == nullptr ? 1.f : *s)), zero(Reals::of(z == nullptr ? 0.f : *z)) {}
  template <class To> void operator()(Reals y, To* to, int64_t n) const {
    if (divides) y = y / scale;
    if constexpr (std::is_same_v<To, float>) y.store(to, n);
    else y.store_quantized(to, n, zero);
  }
};

// A run whose factors are one number each; false: nothing is done.
template <class From, class To> bool convert_vectors(const ConvertRow& r) {
  constexpr bool kReads = sizeof(From) == 1 || std::is_same_v<From, float>, kWrites = sizeof(To) == 1 || std::is_same_v<To, float>;
  if constexpr (kReads && kWrites) {
    const auto single = [](const RowFactor& f) { return f.at == nullptr || f.step == 0; };
    if (!single(r.in_scale) || !single(r.in_zero) || !single(r.out_scale) || !single(r.out_zero)) return false;
    const VectorRead read(one_of(r.in_scale, 1.f), one_of(r.in_zero, 0.f));
    const VectorWrite write(r.out_scale.at, r.out_zero.at);
    const auto* from = static_cast<const From*>(r.in);
    auto* to = static_cast<To*>(r.out);
    int64_t i = 0;
    if constexpr (std::is_same_v<From, float> && sizeof(To) == 1)
      if (r.out_scale.at != nullptr) i = quantize_many(from, *r.out_scale.at, one_of(r.out_zero, 0.f), r.n, to);
    for (; i + Reals::kLanes <= r.n; i += Reals::kLanes) write(read(from + i, Reals::kLanes), to + i, Reals::kLanes);
    if (i < r.n) write(read(from + i, r.n - i), to + i, r.n - i);
    return true;
  } else {
    return false;
  }
}

template <BinaryFunction F> inline Reals combined(Reals x, Reals y) {
  return F == BinaryFunction::add ? x + y : F == BinaryFunction::sub ? x - y : F == BinaryFunction::mul ? x * y : x / y;
}
// Columns of bytes. Values of i8 are read as those of u8 that are 128 more. B: what input 1 is of, bytes or real numbers; these are the
// same in all rows, and so is an addend.
template <class B> constexpr bool is_real = std::is_same_v<B, float>;

}  // namespace
}  // namespace anydim::ANYDIM_ISA
