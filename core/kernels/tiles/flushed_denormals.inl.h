// SPDX-License-Identifier: Apache-2.0
// While one lives, SSE and AVX operations of this thread read denormals as zeros and flush results to them. Include it INSIDE an anonymous
// namespace. Compilers move arithmetic across it: what is to be flushed is called, not inlined.
class FlushedDenormals {
 public:
  FlushedDenormals() noexcept : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }
  ~FlushedDenormals() { _mm_setcsr(saved_); }
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;

 private:
  unsigned saved_;
};
