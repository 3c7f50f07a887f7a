// SPDX-License-Identifier: Apache-2.0
// The integer engine with AVX-VNNI, which CPUs have that lack AVX-512: four products of u8 and i8 per lane and instruction, which wraps
// and does not saturate. Rows and panels are those of AVX-512 VNNI. The AVX2 engine does what follows the sums.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/simd/avx2.h"

namespace anydim::avx2 {
namespace {

struct Sums {
  static constexpr int kVectors = 2, kWidth = 8, kRows = 6;
  using Value = uint8_t;
  using Packed = int8_t;
  static constexpr int32_t kShift = 128, kPackedShift = 128;
  __m256i v;
  static Sums zero() { return {_mm256_setzero_si256()}; }
  static Sums load(const std::byte* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
  static Sums broadcast(const std::byte* p) {
    int32_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return {_mm256_set1_epi32(x)};
  }
  void dot(Sums a, Sums w) { v = _mm256_dpbusd_avx_epi32(v, a.v, w.v); }
  void store(int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static int32_t of_values(const uint8_t* p, int64_t n) {
    __m256i sum = _mm256_setzero_si256();
    for (; n >= 32; p += 32, n -= 32)
      sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)), _mm256_setzero_si256()));
    alignas(32) uint64_t parts[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum);
    uint64_t total = parts[0] + parts[1] + parts[2] + parts[3];
    for (int64_t i = 0; i < n; ++i) total += p[i];
    return static_cast<int32_t>(static_cast<uint32_t>(total));
  }
};

}  // namespace
}  // namespace anydim::avx2

#include "core/kernels/int_tiles/made_sums.inl.h"
#include "core/kernels/int_tiles/rows.inl.h"
#include "core/kernels/int_tiles/sums.inl.h"

namespace anydim::avx2 {
namespace {

constexpr int32_t kTogether = 4 * Sums::kRows;  // rows whose sums are finished together

void run_block(const IntBlock& b) {
  const auto next = IntEngine::avx2.run;
  if (b.from.kind != IntSource::Kind::rows) return next(b);
  alignas(64) int32_t sums[kTogether * kIntColumns];
  if (b.columns % kIntColumns != 0) __builtin_memset(sums, 0, sizeof sums);  // what follows reads whole vectors
  const int32_t tiles = (b.rows + Sums::kRows - 1) / Sums::kRows;
  const int32_t low = b.rows / tiles, high = b.rows % tiles;  // the first `high` tiles have one row more
  for (int64_t panel = b.panel_begin; panel < b.panel_end; ++panel) {
    const int64_t left = b.columns - panel * kIntColumns, columns = left < kIntColumns ? left : kIntColumns;
    const std::byte* const from = b.panels + panel * b.steps * kIntColumns * kIntStepBytes;
    int32_t at = 0, made = 0;
    for (int32_t t = 0; t < tiles; ++t) {
      const int32_t rows = low + (t < high);
      sums_of_panel(b, at + made, rows, from, columns, sums + made * kIntColumns);
      made += rows;
      if (t + 1 < tiles && made + Sums::kRows <= kTogether) continue;
      finish_sums(b, next, panel, at, made, sums);
      at += made;
      made = 0;
    }
  }
}

}  // namespace
}  // namespace anydim::avx2

namespace anydim {

constinit const IntEngine IntEngine::avx2_vnni = {avx2::kPerStep,   avx2::Sums::kShift, avx2::Sums::kPackedShift, avx2::run_block,
                                                  avx2::gather_row, avx2::gather_lines, avx2::sum_rows,           avx2::pack_panels};

}  // namespace anydim
