// SPDX-License-Identifier: Apache-2.0
// What an instruction set computes of attention: some rows that read one head of keys and values. Plain data between the kernel, which
// knows operators, and the functions, which know vectors.
#pragma once

#include <cstdint>

namespace anydim {

constexpr int64_t kAttentionBlock = 128;  // keys of a sum's block, docs/numerics.md, section 1
constexpr int kAttentionRows = 6;         // rows of a tile

struct AttentionJob {
  int64_t rows = 0, size = 0, value_size = 0;
  const float* q = nullptr;  // row r at q + r * size
  const float* k = nullptr;  // key t, element d at k + t * k_step + d * k_element
  int64_t k_step = 0, k_element = 1;
  const float* v = nullptr;  // key t, element j at v + t * v_step + j * v_element
  int64_t v_step = 0, v_element = 1;
  const int64_t *begin = nullptr, *end = nullptr;  // the keys that row r sees; some row sees one
  int64_t first = 0, last = 0;                     // the least begin and the largest end of rows that see a key
  int64_t shift = 0;                               // keys begin here: nothing lies before it
  float scale = 1.f, softcap = 0.f;
  // Of row r at bias + bias_row[r] + t * bias_key; null: none. The mask likewise.
  const float* bias = nullptr;
  const int64_t* bias_row = nullptr;
  int64_t bias_key = 0;
  const uint8_t* mask = nullptr;
  const int64_t* mask_row = nullptr;
  int64_t mask_key = 0;
  const float* sink = nullptr;       // the score of row r that has no key; null: none
  float* const* y = nullptr;         // the value_size elements of row r, side by side
  float* scores = nullptr;           // rows * score_step floats; key t of row r at scores + r * score_step + t - base
  int64_t score_step = 0, base = 0;  // base: a multiple of 32, at most the first panel's key
  float* panel = nullptr;            // size * panel_keys floats
};

struct AttentionFunctions {
  int panel_keys;  // keys that are multiplied together
  void (*run)(const AttentionJob& job) noexcept;
  // Sums of products at job.scores become weights; those of keys in [first, last) that a row does not see are +0. Says of each row whether
  // it sees a key.
  void (*weigh)(const AttentionJob& job, bool* sees) noexcept;
  bool (*has_nan)(const float* x, int64_t n) noexcept;
  static const AttentionFunctions avx512, avx2, portable;
};

}  // namespace anydim
