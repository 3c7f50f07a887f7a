// SPDX-License-Identifier: Apache-2.0
// What the layers of both kinds of weights share: the order of the steps, the states in scratch, and how a step's rows become outputs.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/kernels/recurrent/cells.h"
#include "core/kernels/recurrent/recurrent.h"
#include "core/ops/operators/recurrent.h"

namespace anydim {

// Where states lie in scratch, in bytes.
struct StatePlaces {
  int64_t h = 0, c = 0;
  int64_t peepholes = 0;
  int64_t active = 0;
};

class RecurrentStates {
 protected:
  RecurrentStates(const CellFunctions& cells, const StatePlaces& places, const Args& args) noexcept
      : cells_(cells), places_(places), args_(args), at_(as<Recurrent>(*args.op)->get()), scratch_(static_cast<std::byte*>(args.scratch)) {
    const Dims dims[] = {args.in[0].dims, args.in[1].dims, args.in[2].dims};
    n_ = recurrent_sizes(*args.op, dims);
  }

  struct Rows {
    int64_t begin, end;
  };
  // Step t of a direction, for some rows of the batch.
  struct Step {
    int64_t d, t;
    Rows rows;
    const float* given;  // sums of the inputs, of the first of the rows
    const uint8_t* active;
  };

  bool gru() const noexcept { return at_.cell == RecurrentCell::gru; }
  bool has(size_t i) const noexcept { return i < args_.in.size() && args_.in[i].dtype != DType::none; }
  float* floats(int64_t place) const noexcept { return reinterpret_cast<float*>(scratch_ + place); }
  bool reverse(int64_t d) const noexcept { return d == 1 || at_.direction == RecurrentDirection::reverse; }
  // The first of the steps [first, first + count) in the order of the direction.
  int64_t first_step(int64_t d, int64_t first, int64_t count) const noexcept { return reverse(d) ? n_.steps - first - count : first; }
  int64_t state_at(int64_t d, int64_t row) const noexcept { return (d * n_.batch + row) * n_.hidden; }

  void prepare_states() noexcept {
    load_state(Recurrent::kInitialHidden, floats(places_.h));
    if (at_.cell != RecurrentCell::lstm) return;
    load_state(Recurrent::kInitialCell, floats(places_.c));
    if (!has(Recurrent::kPeepholes)) return;
    const TensorView& p = args_.in[Recurrent::kPeepholes];
    for (int64_t d = 0; d < n_.directions; ++d)
      for (int64_t i = 0; i < 3 * n_.hidden; ++i)
        floats(places_.peepholes)[d * 3 * n_.hidden + i] = p.as<const float>()[d * p.strides[0] + i * p.strides[1]];
  }
  void load_state(Recurrent::Input input, float* to) noexcept {
    if (!has(input)) return void(std::fill_n(to, n_.directions * n_.batch * n_.hidden, 0.f));
    const TensorView& s = args_.in[input];
    for (int64_t d = 0; d < n_.directions; ++d)
      for (int64_t b = 0; b < n_.batch; ++b)
        for (int64_t j = 0; j < n_.hidden; ++j)
          to[state_at(d, b) + j] = s.as<const float>()[d * s.strides[0] + b * s.strides[1] + j * s.strides[2]];
  }
  void store_states() noexcept {
    for (size_t o = 1; o < args_.out.size(); ++o) {
      const TensorView& y = args_.out[o];
      const float* const from = floats(o == 1 ? places_.h : places_.c);
      for (int64_t d = 0; d < n_.directions; ++d)
        for (int64_t b = 0; b < n_.batch; ++b) store_row(y, d * y.strides[0] + b * y.strides[1], y.strides[2], from + state_at(d, b));
    }
  }
  // The row of `y` from the element `at` on; null: zeros.
  void store_row(const TensorView& y, int64_t at, int64_t step, const float* from) const noexcept {
    if (dtype_is_half(y.dtype)) {
      auto* const to = y.as<uint16_t>() + at;
      each_piece(from, y.dtype, [&](int64_t first, int64_t n, const uint16_t* rounded) {
        for (int64_t j = 0; j < n; ++j) to[(first + j) * step] = rounded[j];
      });
      return;
    }
    float* const to = y.as<float>() + at;
    if (from != nullptr && step == 1) return void(std::memcpy(to, from, static_cast<size_t>(n_.hidden) * sizeof(float)));
    for (int64_t j = 0; j < n_.hidden; ++j) to[j * step] = from != nullptr ? from[j] : 0.f;
  }
  // f(first, n, 16-bit floats) for the pieces of a row of states.
  template <class F> void each_piece(const float* from, DType half, F&& f) const noexcept {
    uint16_t piece[256] = {};
    const TypedRowFunction narrow = cells_.casts->cast(DType::f32, half);
    for (int64_t j = 0; j < n_.hidden; j += 256) {
      const int64_t n = std::min<int64_t>(256, n_.hidden - j);
      if (from != nullptr) narrow({piece, {from + j}, n});
      f(j, n, piece);
    }
  }
  // What the next step reads is what is stored.
  void round_row(float* state) const noexcept {
    const DType half = args_.out[0].dtype;
    if (!dtype_is_half(half)) return;
    const TypedRowFunction widen = cells_.casts->cast(half, DType::f32);
    each_piece(state, half, [&](int64_t first, int64_t n, const uint16_t* rounded) { widen({state + first, {rounded}, n}); });
  }

  // Step t of a direction, but for the sums of its inputs.
  Step step_at(int64_t d, int64_t t, Rows rows) noexcept {
    Step s{d, t, rows, nullptr, nullptr};
    if (has(Recurrent::kLengths)) {
      const TensorView& lengths = args_.in[Recurrent::kLengths];
      auto* const active = reinterpret_cast<uint8_t*>(scratch_ + places_.active) + d * n_.batch + rows.begin;
      for (int64_t b = rows.begin; b < rows.end; ++b)
        active[b - rows.begin] = s.t < lengths.as<const int32_t>()[b * lengths.strides[0]] ? 1 : 0;
      s.active = active;
    }
    return s;
  }

  // All but what is gru's alone.
  CellRows cell_rows(const Step& s, float* sums, int64_t sums_step) const noexcept {
    CellRows c{};
    c.rows = s.rows.end - s.rows.begin;
    c.hidden = n_.hidden;
    c.sums = sums;
    c.sums_step = sums_step;
    const int64_t state = state_at(s.d, s.rows.begin);
    c.h = floats(places_.h) + state;
    if (at_.cell == RecurrentCell::lstm) {
      c.c = floats(places_.c) + state;
      if (has(Recurrent::kPeepholes)) c.peepholes = floats(places_.peepholes) + s.d * 3 * n_.hidden;
    }
    c.active = s.active;
    c.gates = {at_.gates, at_.gates_alpha, at_.gates_beta};
    c.new_state = {at_.candidate, at_.candidate_alpha, at_.candidate_beta};
    c.output = {at_.output, at_.output_alpha, at_.output_beta};
    c.clip = at_.clip;
    c.input_forget = at_.input_forget;
    c.linear_before_reset = at_.linear_before_reset;
    return c;
  }

  // From the step's sums to its states and output.
  void finish(const Step& s, const CellRows& c) const noexcept {
    (at_.cell == RecurrentCell::rnn ? cells_.rnn : gru() ? cells_.gru_state : cells_.lstm)(c);
    const TensorView& y = args_.out[0];
    for (int64_t b = s.rows.begin; b < s.rows.end; ++b) {
      const int64_t row = (b - s.rows.begin) * n_.hidden;
      const bool active = s.active == nullptr || s.active[b - s.rows.begin] != 0;
      round_row(c.h + row);
      if (c.c != nullptr) round_row(c.c + row);
      store_row(y, s.t * y.strides[0] + s.d * y.strides[1] + b * y.strides[2], y.strides[3], active ? c.h + row : nullptr);
    }
  }

  const CellFunctions& cells_;
  const StatePlaces& places_;
  const Args& args_;
  const RecurrentAttributes& at_;
  std::byte* const scratch_;
  RecurrentSizes n_{};
};

}  // namespace anydim
