// SPDX-License-Identifier: Apache-2.0
// A set's vector type F32 as functions over arrays, for simd_test.cpp. One source, vector_type.inl.h, is compiled for each set.
#pragma once

#include <cstdint>

namespace anydim::testing {

// y = f(a, b, c), a vector each.
struct VectorOperation {
  const char* name;
  void (*run)(const float* a, const float* b, const float* c, float* y);
};

struct VectorType {
  int width;
  const VectorOperation* operations;
  int count;
  void (*load_partial)(const float* p, int n, float* y);
  void (*load_strided)(const float* p, int64_t stride, int n, float* y);
  void (*store_partial)(const float* a, int n, float* p);
  void (*load_f16)(const uint16_t* p, float* y);
  void (*store_f16)(const float* a, uint16_t* p);
  void (*load_bf16)(const uint16_t* p, float* y);
  void (*store_bf16)(const float* a, uint16_t* p);
  uint32_t (*first_lanes)(int n);                    // as mask_bits() has them
  uint32_t (*less)(const float* a, const float* b);  // likewise, of a < b
  bool (*any_less)(const float* a, const float* b);
  float (*first)(const float* a);
  void (*upper)(const float* a, int h, float* y);   // h: 1, 2, ... width / 2
  void (*transpose)(const float* from, float* to);  // width x width
  static const VectorType avx512, avx2, portable;
};

}  // namespace anydim::testing
