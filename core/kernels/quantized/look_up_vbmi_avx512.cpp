// SPDX-License-Identifier: Apache-2.0
// Tables of 256 bytes with AVX-512 VBMI: four registers hold one, and two permutations look 64 bytes up.
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/quantized/convert_rows.h"

namespace anydim {

void LookUp::avx512_vbmi(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t n) noexcept {
  const __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 64);
  const __m512i t2 = _mm512_loadu_si512(table + 128), t3 = _mm512_loadu_si512(table + 192);
  const auto look_up = [&](__m512i x) {
    // Seven bits choose in a half of the table, the eighth chooses the half.
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), _mm512_permutex2var_epi8(t0, x, t1), _mm512_permutex2var_epi8(t2, x, t3));
  };
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) _mm512_storeu_si512(to + i, look_up(_mm512_loadu_si512(from + i)));
  if (i == n) return;
  const __mmask64 left = (UINT64_C(1) << (n - i)) - 1;
  _mm512_mask_storeu_epi8(to + i, left, look_up(_mm512_maskz_loadu_epi8(left, from + i)));
}

}  // namespace anydim
