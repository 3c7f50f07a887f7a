// SPDX-License-Identifier: Apache-2.0
// What a recurrent kernel of an instruction set implements: one step of a cell on rows of sums. Files of one instruction set
// include this header: plain data only.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/typed_rows.h"
#include "core/ops/attributes.h"

namespace anydim {

struct CellFunction {
  UnaryFunction function;
  float alpha, beta;
};

// Rows of a batch at one step. The sums of a gate are `hidden` neighbours; gates follow each other in ONNX's order.
struct CellRows {
  int64_t rows, hidden;
  float* sums;  // what the gates' functions are applied to; gru: update and reset alone. Overwritten
  int64_t sums_step;
  float* candidate;  // gru: the product of the candidate
  int64_t candidate_step;
  const float* given;  // gru with linear_before_reset: the inputs' part of the candidate, which `candidate` is then without
  int64_t given_step;
  float *h, *c;                           // states, dense rows, in place; c of lstm
  float* kept;                            // gru without linear_before_reset: what the reset gate leaves of h, dense rows
  const float* peepholes;                 // lstm: input, output, forget; or null
  const uint8_t* active;                  // per row: 0 leaves its state alone; null: all are
  CellFunction gates, new_state, output;  // new_state: of the candidate
  float clip;                             // 0: none
  bool input_forget, linear_before_reset;
};

// Sums of products of 8-bit numbers, which become what they stand for, plus the inputs' part; in place.
struct NumberRows {
  int64_t rows, columns;
  float* sums;  // of i32, then f32
  int64_t sums_step;
  const int32_t *zero, *row_sums;  // per row: the left side's zero point, and the sum of its numbers where `column_zero` is given
  const float* scale;              // per row
  const int32_t *column_sum, *column_zero;
  const float* column_scale;
  const float* given;
  int64_t given_step;
};

struct CellFunctions {
  void (*rnn)(const CellRows&) noexcept;
  void (*lstm)(const CellRows&) noexcept;
  // Update and reset become gates, and `kept` is made of h.
  void (*gru_gates)(const CellRows&) noexcept;
  // From the gates and the candidate's product to the next state.
  void (*gru_state)(const CellRows&) noexcept;
  void (*real_sums)(const NumberRows&) noexcept;
  const TypedRows* casts;  // of states that are stored as 16-bit floats
  static const CellFunctions avx512, avx2, portable;
};

}  // namespace anydim
