// SPDX-License-Identifier: Apache-2.0
// Recurrent layers (ONNX RNN, LSTM, GRU): a cell applied step by step along a sequence, in one direction or both.
// Inputs: x, input_weights, recurrent_weights, then bias, lengths, initial_hidden, initial_cell and peepholes, all optional.
// Outputs: the hidden states of all steps, the last one, and for lstm the last cell state if it is asked for.
// An lstm on f32 may have weights of 8 bits, with scales and perhaps zero points, one for each gate and unit: what they are multiplied
// by becomes numbers of 8 bits by its range, x once and the hidden states at each step (docs/numerics.md, section 9).
#pragma once

#include "core/ops/generated/attributes.h"
#include "core/ops/op.h"

namespace anydim {

class Recurrent final : public Described<Recurrent, RecurrentAttributes> {
 public:
  using Described::Described;
  using Cell = RecurrentCell;
  using Direction = RecurrentDirection;
  enum Input : uint8_t {
    kX,
    kInputWeights,
    kRecurrentWeights,
    kBias,
    kLengths,
    kInitialHidden,
    kInitialCell,
    kPeepholes,
    kInputScales,
    kInputZeros,
    kRecurrentScales,
    kRecurrentZeros,
    kInputs
  };

  static constexpr int64_t gates_of(Cell cell) noexcept { return cell == Cell::rnn ? 1 : cell == Cell::lstm ? 4 : 3; }
  static constexpr int64_t directions_of(Direction d) noexcept { return d == Direction::bidirectional ? 2 : 1; }

  // Weights of 8 bits.
  static bool of_numbers(DType recurrent_weights) noexcept { return recurrent_weights == DType::i8 || recurrent_weights == DType::u8; }

  int output_count() const noexcept override { return at_.cell_state ? 3 : 2; }
  static Status normalize(Attributes* a);
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  Work work(std::span<const Dims> in, std::span<const Dims> out) const noexcept override;
  ValueRange sensible_values(std::span<const Dims> in, size_t input) const noexcept override;
};

}  // namespace anydim
