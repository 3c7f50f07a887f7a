// SPDX-License-Identifier: Apache-2.0
// One step of a cell, for one vector type. The formulas are those of docs/numerics.md, section 9. Cells with the usual functions, sigmoid
// and tanh, have loops of their own: a call per function and vector costs a third more.
#pragma once

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/strip_functions.h"
#include "core/kernels/recurrent/cells.h"
#include "core/kernels/simd/set.h"

namespace anydim::ANYDIM_ISA {
namespace {

inline F32 load_some(const float* p, int n) { return n == F32::kWidth ? F32::load(p) : F32::load_partial(p, n); }
inline void store_some(F32 v, float* p, int n) {
  if (n == F32::kWidth) v.store(p);
  else v.store_partial(p, n);
}

// Calls f(row, first, n) for each vector of each row that is active.
template <class F> inline __attribute__((always_inline)) void each_vector(const CellRows& c, F&& f) {
  for (int64_t row = 0; row < c.rows; ++row) {
    if (c.active != nullptr && c.active[row] == 0) continue;
    for (int64_t j = 0; j < c.hidden; j += F32::kWidth) {
      const int64_t rest = c.hidden - j;
      f(row, j, rest < F32::kWidth ? static_cast<int>(rest) : F32::kWidth);
    }
  }
}

// Clipped, then the function. `usual` is the function where kUsual says that it is this one.
template <bool kUsual, class Usual>
inline __attribute__((always_inline)) F32 value(const CellFunction& f, float clipped, F32 x, Usual usual) {
  if (clipped != 0.f) x = clip(x, F32::set(-clipped), F32::set(clipped));
  if constexpr (kUsual) return usual(x);
  StripUnary::ANYDIM_ISA(f.function, f.alpha, f.beta, &x, 1);
  return x;
}
template <bool kUsual> inline __attribute__((always_inline)) F32 gate(const CellRows& c, F32 x) {
  return value<kUsual>(c.gates, c.clip, x, [](F32 v) { return sigmoid(v); });
}
template <bool kUsual> inline __attribute__((always_inline)) F32 new_state(const CellRows& c, F32 x) {
  return value<kUsual>(c.new_state, c.clip, x, [](F32 v) { return tanh(v); });
}
template <bool kUsual> inline __attribute__((always_inline)) F32 of_cell_state(const CellRows& c, F32 x) {
  return value<kUsual>(c.output, 0.f, x, [](F32 v) { return tanh(v); });
}

inline bool usual_gates(const CellRows& c) { return c.gates.function == UnaryFunction::sigmoid; }
inline bool usual_state(const CellRows& c) { return c.new_state.function == UnaryFunction::tanh; }

template <bool kUsual> void run_rnn_cell(const CellRows& c) {
  each_vector(c, [&](int64_t row, int64_t j, int n) {
    store_some(new_state<kUsual>(c, load_some(c.sums + row * c.sums_step + j, n)), c.h + row * c.hidden + j, n);
  });
}
inline void rnn_cell(const CellRows& c) { usual_state(c) ? run_rnn_cell<true>(c) : run_rnn_cell<false>(c); }

template <bool kUsual> void run_lstm_cell(const CellRows& c) {
  const int64_t hidden = c.hidden;
  each_vector(c, [&](int64_t row, int64_t j, int n) {
    const float* const sums = c.sums + row * c.sums_step + j;
    F32 cell = load_some(c.c + row * hidden + j, n);
    const auto sum = [&](int64_t gate_index, int64_t peephole) {
      const F32 s = load_some(sums + gate_index * hidden, n);
      return c.peepholes == nullptr || peephole < 0 ? s : fma(load_some(c.peepholes + peephole * hidden + j, n), cell, s);
    };
    const F32 input = gate<kUsual>(c, sum(0, 0));
    const F32 forget = c.input_forget ? F32::set(1.f) - input : gate<kUsual>(c, sum(2, 2));
    const F32 fresh = new_state<kUsual>(c, sum(3, -1));
    cell = fma(forget, cell, input * fresh);
    store_some(cell, c.c + row * hidden + j, n);
    const F32 output = gate<kUsual>(c, sum(1, 1));
    store_some(output * of_cell_state<kUsual>(c, cell), c.h + row * hidden + j, n);
  });
}
inline void lstm_cell(const CellRows& c) {
  const bool usual = usual_gates(c) && usual_state(c) && c.output.function == UnaryFunction::tanh;
  usual ? run_lstm_cell<true>(c) : run_lstm_cell<false>(c);
}

template <bool kUsual> void run_gru_gates(const CellRows& c) {
  const int64_t hidden = c.hidden;
  each_vector(c, [&](int64_t row, int64_t j, int n) {
    float* const sums = c.sums + row * c.sums_step + j;
    store_some(gate<kUsual>(c, load_some(sums, n)), sums, n);
    const F32 reset = gate<kUsual>(c, load_some(sums + hidden, n));
    store_some(reset, sums + hidden, n);
    if (!c.linear_before_reset) store_some(reset * load_some(c.h + row * hidden + j, n), c.kept + row * hidden + j, n);
  });
}
inline void gru_gates_of(const CellRows& c) { usual_gates(c) ? run_gru_gates<true>(c) : run_gru_gates<false>(c); }

template <bool kUsual> void run_gru_state(const CellRows& c) {
  const int64_t hidden = c.hidden;
  each_vector(c, [&](int64_t row, int64_t j, int n) {
    const float* const sums = c.sums + row * c.sums_step + j;
    const F32 update = load_some(sums, n);
    F32 s = load_some(c.candidate + row * c.candidate_step + j, n);
    if (c.linear_before_reset) s = fma(load_some(sums + hidden, n), s, load_some(c.given + row * c.given_step + j, n));
    const F32 fresh = new_state<kUsual>(c, s);
    float* const h = c.h + row * hidden + j;
    store_some(fma(update, load_some(h, n), (F32::set(1.f) - update) * fresh), h, n);
  });
}
inline void gru_state_of(const CellRows& c) { usual_state(c) ? run_gru_state<true>(c) : run_gru_state<false>(c); }

// float(sum of (a - za) * (w - zw)) * (sa * sw) + given, from the sum of a * w.
template <bool kZero> inline void real_row(const NumberRows& n, int64_t row, float* __restrict sums) {
  const uint32_t zero = static_cast<uint32_t>(n.zero[row]), row_sum = kZero ? static_cast<uint32_t>(n.row_sums[row]) : 0;
  const float scale = n.scale[row];
  const float* __restrict const given = n.given + row * n.given_step;
  const int32_t* __restrict const column_sum = n.column_sum;
  const int32_t* __restrict const column_zero = n.column_zero;
  const float* __restrict const column_scale = n.column_scale;
  for (int64_t j = 0; j < n.columns; ++j) {
    uint32_t sum;
    __builtin_memcpy(&sum, sums + j, sizeof sum);
    sum -= zero * static_cast<uint32_t>(column_sum[j]);
    if constexpr (kZero) sum -= row_sum * static_cast<uint32_t>(column_zero[j]);
    sums[j] = static_cast<float>(static_cast<int32_t>(sum)) * (scale * column_scale[j]) + given[j];
  }
}
inline void real_rows(const NumberRows& n) {
  for (int64_t row = 0; row < n.rows; ++row)
    n.column_zero != nullptr ? real_row<true>(n, row, n.sums + row * n.sums_step) : real_row<false>(n, row, n.sums + row * n.sums_step);
}

void rnn(const CellRows& c) noexcept { rnn_cell(c); }
void lstm(const CellRows& c) noexcept { lstm_cell(c); }
void gru_gates(const CellRows& c) noexcept { gru_gates_of(c); }
void gru_state(const CellRows& c) noexcept { gru_state_of(c); }
void real_sums(const NumberRows& n) noexcept { real_rows(n); }

constexpr CellFunctions kCellFunctions = {rnn, lstm, gru_gates, gru_state, real_sums, &TypedRows::ANYDIM_ISA};

}  // namespace
}  // namespace anydim::ANYDIM_ISA
