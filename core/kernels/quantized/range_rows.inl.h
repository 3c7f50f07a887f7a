// SPDX-License-Identifier: Apache-2.0
// The range of a tensor (convert_rows.h). Include it INSIDE an anonymous namespace in a file of one instruction set, after <cstdint>,
// <limits> and, where that set has AVX2, <immintrin.h>.

Extremes range_of_rows(const RangeJob& job) noexcept {
  Extremes e;
  bool number = true;
  const auto count = [&](float x) {
    e.low = x < e.low ? x : e.low;
    e.high = x > e.high ? x : e.high;
    number = number && x == x;
  };
  int64_t done = 0;  // columns of each row
#ifdef __AVX2__
  if (job.column_step == 1 && job.columns >= 8) {
    constexpr int kAtOnce = 4;
    __m256 low[kAtOnce], high[kAtOnce], none[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) low[i] = high[i] = none[i] = _mm256_setzero_ps();
    const auto eight = [&](const float* p, int i) {
      const __m256 x = _mm256_loadu_ps(p);
      low[i] = _mm256_min_ps(x, low[i]);  // NaN of x is passed over
      high[i] = _mm256_max_ps(x, high[i]);
      none[i] = _mm256_or_ps(none[i], _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    };
    done = job.columns & ~INT64_C(7);
    for (int64_t r = 0; r < job.rows; ++r) {
      const float* const row = job.x + r * job.row_step;
      int64_t c = 0;
      for (; c + 8 * kAtOnce <= done; c += 8 * kAtOnce)
#pragma GCC unroll 4
        for (int i = 0; i < kAtOnce; ++i) eight(row + c + 8 * i, i);
      for (; c < done; c += 8) eight(row + c, 0);
    }
    alignas(32) float ends[2][8];
    for (int i = 1; i < kAtOnce; ++i) {
      low[0] = _mm256_min_ps(low[0], low[i]);
      high[0] = _mm256_max_ps(high[0], high[i]);
      none[0] = _mm256_or_ps(none[0], none[i]);
    }
    _mm256_store_ps(ends[0], low[0]);
    _mm256_store_ps(ends[1], high[0]);
    for (const auto& end : ends)
      for (const float x : end) count(x);
    number = number && _mm256_movemask_ps(none[0]) == 0;
  }
#endif
  for (int64_t r = 0; done < job.columns && r < job.rows; ++r)
    for (int64_t c = done; c < job.columns; ++c) count(job.x[r * job.row_step + c * job.column_step]);
  if (!number) e.low = e.high = std::numeric_limits<float>::quiet_NaN();
  return e;
}
