// SPDX-License-Identifier: Apache-2.0
// Elements as bits, portable.
#include "core/kernels/non_zero/bits.h"

namespace anydim::portable {
namespace {

template <class T, bool kSigned> inline uint64_t word(const T* x) {
  constexpr T kDropped = kSigned ? 1 : 0;  // the sign falls off at the top
  uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) bits |= static_cast<uint64_t>(static_cast<T>(x[i] << kDropped) != 0) << i;
  return bits;
}

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/non_zero/bits.inl.h"

namespace anydim {

constinit const BitFunctions BitFunctions::portable = portable::kBitFunctions;

}  // namespace anydim
