// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: which functions a cell may have, shape rule and work.
#include "core/ops/operators/recurrent.h"

#include <algorithm>
#include <cmath>

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

namespace {

constexpr const char* kNames[Recurrent::kInputs] = {"x",
                                                    "input_weights",
                                                    "recurrent_weights",
                                                    "bias",
                                                    "lengths",
                                                    "initial_hidden",
                                                    "initial_cell",
                                                    "peepholes",
                                                    "input_scales",
                                                    "input_zero_points",
                                                    "recurrent_scales",
                                                    "recurrent_zero_points"};

// Of weights of 8 bits: their scales are there, and belong to no others.
Status check_numbers(const RecurrentAttributes& at, std::span<const TensorType> in) {
  const DType w = in[Recurrent::kInputWeights].dtype, r = in[Recurrent::kRecurrentWeights].dtype;
  const auto has = [&](size_t i) { return i < in.size() && in[i].dtype != DType::none; };
  if (!Recurrent::of_numbers(w) && !Recurrent::of_numbers(r)) {
    for (size_t i = Recurrent::kInputScales; i < Recurrent::kInputs; ++i)
      if (has(i)) return invalid("recurrent: {} is given; expected it with weights of i8 or u8 alone", kNames[i]);
    return {};
  }
  if (!Recurrent::of_numbers(w) || !Recurrent::of_numbers(r))
    return invalid("recurrent: input_weights have dtype {} and recurrent_weights {}; expected both of 8 bits or none", dtype_name(w),
                   dtype_name(r));
  if (at.cell != RecurrentCell::lstm || in[Recurrent::kX].dtype != DType::f32)
    return unimplemented("recurrent: weights of 8 bits; expected floats, or lstm with x of f32");
  for (const size_t i : {size_t{Recurrent::kInputScales}, size_t{Recurrent::kRecurrentScales}})
    if (!has(i)) return invalid("recurrent: {} is absent; expected it with weights of 8 bits", kNames[i]);
  return {};
}

// Those that ONNX names for recurrent layers, and the identity.
constexpr UnaryFunction kFunctions[] = {
    UnaryFunction::identity, UnaryFunction::sigmoid,          UnaryFunction::tanh,         UnaryFunction::relu,
    UnaryFunction::affine,   UnaryFunction::leaky_relu,       UnaryFunction::elu,          UnaryFunction::softsign,
    UnaryFunction::softplus, UnaryFunction::thresholded_relu, UnaryFunction::hard_sigmoid, UnaryFunction::scaled_tanh};

}  // namespace

Status Recurrent::normalize(Attributes* a) {
  const bool lstm = a->cell == Cell::lstm, gru = a->cell == Cell::gru;
  if (!(a->clip >= 0) || !std::isfinite(a->clip)) return invalid("recurrent: clip is {}; expected a number from 0", a->clip);
  if (a->linear_before_reset && !gru) return invalid("recurrent: linear_before_reset belongs to gru");
  if (a->input_forget && !lstm) return invalid("recurrent: input_forget belongs to lstm");
  if (a->cell_state && !lstm) return invalid("recurrent: cell_state belongs to lstm");
  // What does not count is brought to its default, so that equal layers are equal.
  if (!lstm && !gru) a->gates = UnaryFunction::sigmoid, a->gates_alpha = a->gates_beta = 0;
  if (!lstm) a->output = UnaryFunction::tanh, a->output_alpha = a->output_beta = 0;
  for (const UnaryFunction f : {a->gates, a->candidate, a->output})
    if (std::find(std::begin(kFunctions), std::end(kFunctions), f) == std::end(kFunctions))
      return unimplemented("recurrent: {} is no function of gates and states", word_of(f));
  return {};
}

Status Recurrent::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 3, kInputs).at("recurrent"));
  const bool lstm = at_.cell == Cell::lstm;
  if (!dtype_is_float(in[kX].dtype)) return invalid("recurrent: x has dtype {}; expected a float", dtype_name(in[kX].dtype));
  for (size_t i = 0; i < 3; ++i) ANYDIM_TRY(check_rank(in[i], static_cast<int>(i), 3, 3).at("recurrent"));
  const Dim steps = in[kX].dims[0], batch = in[kX].dims[1], inputs = in[kX].dims[2];
  const Dim hidden = in[kRecurrentWeights].dims[2], directions = directions_of(at_.direction);
  const Dim columns = pool.mul(gates_of(at_.cell), hidden);
  const SymDims of_columns{directions, columns};
  const SymDims expected[kInputs] = {{steps, batch, inputs},
                                     {directions, columns, inputs},
                                     {directions, columns, hidden},
                                     {directions, pool.mul(2, columns)},
                                     {batch},
                                     {directions, batch, hidden},
                                     {directions, batch, hidden},
                                     {directions, pool.mul(3, hidden)},
                                     of_columns,
                                     of_columns,
                                     of_columns,
                                     of_columns};
  ANYDIM_TRY(check_numbers(at_, in));
  const auto dtype_of = [&](size_t i) {
    if (i == kLengths) return DType::i32;
    if (!of_numbers(in[kRecurrentWeights].dtype)) return in[kX].dtype;
    if (i == kInputWeights || i == kInputZeros) return in[kInputWeights].dtype;
    return i == kRecurrentWeights || i == kRecurrentZeros ? in[kRecurrentWeights].dtype : DType::f32;
  };
  for (size_t i = 1; i < in.size(); ++i) {
    const TensorType& t = in[i];
    if (t.dtype == DType::none) continue;
    const DType dtype = dtype_of(i);
    if (t.dtype != dtype) return invalid("recurrent: {} has dtype {}; expected {}", kNames[i], dtype_name(t.dtype), dtype_name(dtype));
    if (!lstm && (i == kInitialCell || i == kPeepholes)) return invalid("recurrent: {} is given; only lstm has one", kNames[i]);
    const SymDims& dims = expected[i];
    bool fits = t.dims.rank == dims.rank;
    for (int a = 0; fits && a < dims.rank; ++a) fits = !t.dims[a].is_number() || !dims[a].is_number() || t.dims[a] == dims[a];
    if (!fits) return invalid("recurrent: {} has dims {}; expected {}", kNames[i], pool.text(t.dims), pool.text(dims));
    for (int a = 0; a < dims.rank; ++a)
      ANYDIM_TRY(require_equal(pool, t.dims[a], dims[a], "axis {} of {} and what x and the weights say", a, kNames[i]));
  }
  out[0] = {in[kX].dtype, {steps, directions, batch, hidden}};
  for (size_t i = 1; i < out.size(); ++i) out[i] = {in[kX].dtype, {directions, batch, hidden}};
  return {};
}

Work Recurrent::work(std::span<const Dims> in, std::span<const Dims> out) const noexcept {
  if (in.size() < 3 || in[kX].rank != 3 || in[kRecurrentWeights].rank != 3) return work_per_element(in, out);
  const double rows = static_cast<double>(in[kX][0]) * static_cast<double>(in[kX][1]);
  return {-1, rows * (count_of(in[kInputWeights]) + count_of(in[kRecurrentWeights]))};
}

ValueRange Recurrent::sensible_values(std::span<const Dims> in, size_t input) const noexcept {
  return input == kLengths && !in.empty() && in[kX].rank == 3 ? ValueRange{0, in[kX][0]} : ValueRange{};
}

}  // namespace anydim
