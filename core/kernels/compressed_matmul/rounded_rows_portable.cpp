// SPDX-License-Identifier: Apache-2.0
// Products of rounded rows in plain C++.
#include <cstdint>

#include "core/kernels/compressed_matmul/rounded_rows.h"
#include "core/kernels/simd/portable.h"

namespace anydim::portable {
namespace {

constexpr int kTileRows = 1;

template <int kBits> struct BlockSum {
  using Parts = F32::Int;
  F32::Int v = set_int(F32(), 0);
  static Parts parts(F32::Int word) { return word; }
  void add(Parts word, const int8_t* a) {
    constexpr NumberForm kForm = kBits == 4 ? NumberForm::bits4 : NumberForm::bits8;
    for (int i = 0; i < 32 / kBits; ++i) {
      v = v + (word & set_int(F32(), (1 << kBits) - 1)) * set_int(F32(), a[place_in_word(kForm, i)]);
      word = shift_right<kBits>(word);
    }
  }
  void flush() {}
  F32::Int total() const { return v; }
};

}  // namespace
}  // namespace anydim::portable

#include "core/kernels/compressed_matmul/rounded_rows.inl.h"

namespace anydim {

constinit const RoundedRows RoundedRows::portable = {&TileEngine::portable, portable::kTileRows, portable::round, portable::tile};

}  // namespace anydim
