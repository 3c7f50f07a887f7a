// SPDX-License-Identifier: Apache-2.0
// Running sums and products of lines side by side, some vectors of them at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/kernels/reduce/integer_steps.h"
#include "core/kernels/reduce/integer_steps.inl.h"
#include "core/kernels/reduce/running_rows.h"

namespace anydim::ANYDIM_ISA {
namespace {

// N vectors of kBytes bytes from `at` on.
template <class T, class Step, int kBytes, int N> __attribute__((always_inline)) inline void run_strip(const RunningRows& r, int64_t at) {
  using V = Vec<T, kBytes>;
  V sums[N];
  auto* kept = static_cast<unsigned char*>(r.sums) + at;
  const auto* in = static_cast<const unsigned char*>(r.in) + at;
  auto* out = static_cast<unsigned char*>(r.out) + at;
  std::memcpy(sums, kept, sizeof sums);
  for (int64_t k = 0; k < r.count; ++k, in += r.in_step, out += r.out_step) {
    V x[N];
    std::memcpy(x, in, sizeof x);
#pragma GCC unroll copies(4)
    for (int i = 0; i < N; ++i) {
      const V before = sums[i];
      sums[i] = Step::take(before, x[i]);
      x[i] = r.exclusive ? before : sums[i];
    }
    std::memcpy(out, x, sizeof x);
  }
  std::memcpy(kept, sums, sizeof sums);
}

template <class T, class Step> void run_rows(const RunningRows& r) noexcept {
  constexpr int64_t kMost = 4 * kStepBytes;
  int64_t at = 0;
  for (; at + kMost <= r.bytes; at += kMost) run_strip<T, Step, kStepBytes, 4>(r, at);
  for (; at + kStepBytes <= r.bytes; at += kStepBytes) run_strip<T, Step, kStepBytes, 1>(r, at);
  for (; at < r.bytes; at += kRunningColumns) run_strip<T, Step, kRunningColumns, 1>(r, at);
}

inline RunningFunction running_rows(bool product, DType t) noexcept {
  switch (t) {
    case DType::f32: return product ? run_rows<float, ProductStep> : run_rows<float, SumStep>;
    case DType::f64: return product ? run_rows<double, ProductStep> : run_rows<double, SumStep>;
    case DType::i32:
    case DType::u32: return product ? run_rows<uint32_t, ProductStep> : run_rows<uint32_t, SumStep>;
    case DType::i64:
    case DType::u64: return product ? run_rows<uint64_t, ProductStep> : run_rows<uint64_t, SumStep>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace anydim::ANYDIM_ISA
