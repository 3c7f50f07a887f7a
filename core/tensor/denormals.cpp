// SPDX-License-Identifier: Apache-2.0
// Denormals by their bits, line by line; see denormals.h.
#include "core/tensor/denormals.h"

namespace anydim {

namespace {

// Bits without the sign that are not 0 and less than the smallest normal number's.
template <class Bits> bool is_denormal(Bits bits, Bits least) noexcept {
  return Bits(bits << 1) != 0 && Bits(bits << 1) < Bits(least << 1);
}

template <class Bits> int64_t count(const TensorView& t, Bits least) noexcept {
  const int last = t.rank() - 1;
  const int64_t line = last < 0 ? 1 : t.dims[last], step = last < 0 ? 0 : t.strides[last];
  int64_t found = 0;
  Dims at = Dims::filled(t.rank(), 0);
  for (int64_t lines = t.count() / line; lines > 0; --lines) {
    const Bits* p = t.as<const Bits>();
    for (int i = 0; i < last; ++i) p += at[i] * t.strides[i];
    for (int64_t i = 0; i < line; ++i) found += is_denormal(p[i * step], least);
    for (int i = last - 1; i >= 0 && ++at[i] == t.dims[i]; --i) at[i] = 0;
  }
  return found;
}

}  // namespace

int64_t count_denormals(const TensorView& t) noexcept {
  if (t.data == nullptr || t.count() == 0) return 0;
  if (t.dtype == DType::f32) return count<uint32_t>(t, UINT32_C(1) << 23);
  if (t.dtype == DType::f64) return count<uint64_t>(t, UINT64_C(1) << 52);
  return 0;
}

}  // namespace anydim
