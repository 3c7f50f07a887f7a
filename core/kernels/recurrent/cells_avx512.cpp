// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent layers on f32, avx512.
#include <immintrin.h>

#include <cstdint>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/recurrent/cells.h"

namespace anydim {
namespace {
#include "core/kernels/simd/avx512.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/recurrent/cells.inl.h"

void rnn(const CellRows& c) noexcept { rnn_cell(c); }
void lstm(const CellRows& c) noexcept { lstm_cell(c); }
void gru_gates(const CellRows& c) noexcept { gru_gates_of(c); }
void gru_state(const CellRows& c) noexcept { gru_state_of(c); }
void real_sums(const NumberRows& n) noexcept { real_rows(n); }
}  // namespace

constinit const CellFunctions kCellsAvx512 = {rnn, lstm, gru_gates, gru_state, real_sums, &kTypedRowsAvx512};

}  // namespace anydim
