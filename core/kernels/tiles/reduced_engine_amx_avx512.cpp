// SPDX-License-Identifier: Apache-2.0
// The tile engine of math mode reduced with AMX: TDPBF16PS adds 16 rows times 16 columns of a block of k, two chains each, as the mode's
// order has it. Numbers lie as they are counted: two neighbours of k in a word, the earlier one in its lower half. Rows are always gathered,
// which puts them at even distances.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/simd/avx512.h"
#include "core/kernels/tiles/bf16.h"
#include "core/kernels/tiles/tile_engine.h"

namespace anydim::avx512 {
namespace {

constexpr int kReducedRows = 16;
constexpr bool kWholeTiles = true;
constexpr int kPlace[4] = {0, 1, 2, 3};

using LeftNumber = uint16_t;
void put_left(uint16_t* row, int64_t at, const float* src, int64_t step, int64_t count) {
  alignas(64) float together[kSumBlock];  // no segment is longer
  if (step != 1) {
    for (int64_t k = 0; k < count; ++k) together[k] = src[k * step];
    src = together;
  }
  int64_t i = 0;
  for (; i + 32 <= count; i += 32)
    _mm512_storeu_si512(row + at + i, (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(src + i + 16), _mm512_loadu_ps(src + i)));
  for (int64_t n; (n = count - i < 16 ? count - i : 16) > 0; i += n) {
    const auto lanes = static_cast<__mmask16>((1u << n) - 1);
    _mm256_mask_storeu_epi16(row + at + i, lanes, (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, src + i)));
  }
}

// Words of n neighbours, at any address.
void put_pairs(const float* upper, const float* lower, int64_t n, float* to) {
  for (int64_t i = 0; i < n; i += 16) {
    const auto lanes = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
    const __m512i high = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, upper + i)));
    const __m512i low = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, lower + i)));
    _mm512_mask_storeu_epi32(to + i, lanes, _mm512_or_si512(_mm512_slli_epi32(high, 16), low));
  }
}

// Words of columns are made, and turned.
void pack_turned_block(const float* from, int64_t column_stride, int64_t n, int64_t width, float* to) {
  F32 x[16];
  for (int c = 0; c < 16; ++c) {
    x[c] = F32::zero();
    if (c >= n) continue;
    const float* const p = from + c * column_stride;
    x[c] = {_mm512_castsi512_ps((__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(p + 16), _mm512_loadu_ps(p)))};
  }
  transpose(x);
  for (int i = 0; i < 16; ++i) x[i].store(to + i * width);
}

// The compiler does not know what tiles read and write.
inline void memory_is_read(const void* p = nullptr) { asm volatile("" ::"r"(p) : "memory"); }

struct FlushedDenormals {};  // the instruction does so

// Tiles 0 and 1 are sums, 2 rows, 3 and 4 the columns of a panel. They are released at the end of a job: no other code of the thread meets
// their state.
class JobState {
 public:
  JobState() noexcept {
    struct alignas(64) Shapes {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t bytes[16] = {64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16};
    } shapes;
    memory_is_read(&shapes);
    _tile_loadconfig(&shapes);
  }
  ~JobState() { _tile_release(); }
  JobState(const JobState&) = delete;
  JobState& operator=(const JobState&) = delete;
};

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/tiles/reduced_call.inl.h"

namespace anydim::avx512 {
namespace {

// All of a tile's rows, be they there or not.
template <int NV> __attribute__((noinline)) void sum_whole_tile(const SumCall& c) {
  constexpr int64_t kStep = NV * 64;  // bytes from row to row of sums, and of a panel's words
  const int64_t apart = c.apart * static_cast<int64_t>(sizeof(LeftNumber));
  memory_is_read();
  if (c.first) {
    _tile_zero(0);
    if constexpr (NV == 2) _tile_zero(1);
  } else {
    _tile_loadd(0, c.sums, kStep);
    if constexpr (NV == 2) _tile_loadd(1, c.sums + 16, kStep);
  }
  for (int32_t n = 0; n < c.count; ++n) {
    const uint32_t* const b = c.panel + c.blocks[n].id * (kReducedBlock / 2) * NV * 16;
    _tile_loadd(3, b, kStep);
    _tile_loadd(2, c.rows[0] + c.blocks[n].at, apart);
    _tile_dpbf16ps(0, 2, 3);
    if constexpr (NV == 2) {
      _tile_loadd(4, b + 16, kStep);
      _tile_dpbf16ps(1, 2, 4);
    }
  }
  _tile_stored(0, c.sums, kStep);
  if constexpr (NV == 2) _tile_stored(1, c.sums + 16, kStep);
  memory_is_read();
}
inline SumFunction tile_function(int vectors, int) { return vectors == 1 ? sum_whole_tile<1> : sum_whole_tile<2>; }

}  // namespace
}  // namespace anydim::avx512

#include "core/kernels/tiles/reduced_engine.inl.h"

namespace anydim {

constinit const TileEngine ReducedTileEngine::amx = {avx512::kW,
                                                     avx512::kW,
                                                     avx512::kReducedRows,
                                                     avx512::kReducedRows,
                                                     avx512::kReducedRows,
                                                     avx512::run_reduced,
                                                     avx512::pack_reduced,
                                                     avx512::run_epilogue,
                                                     MathMode::reduced,
                                                     avx512::scratch_bytes,
                                                     nullptr,
                                                     sizeof(avx512::LeftNumber),
                                                     true};

}  // namespace anydim
