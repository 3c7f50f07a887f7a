// SPDX-License-Identifier: Apache-2.0
// RNN, LSTM and GRU, and DynamicQuantizeLSTM of com.microsoft. Each is one recurrent layer; one whose two directions have different
// functions becomes two.
#include <algorithm>
#include <cctype>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/recurrent.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/quantized_nodes.h"

namespace anydim::onnx {
namespace {

using Cell = RecurrentCell;
using Direction = RecurrentDirection;

// The functions that ONNX names for cells. Parameters that a node does not give have these values; NaN: it must give them.
struct Activation {
  std::string_view name;  // in small letters: ONNX Runtime reads them so
  UnaryFunction function;
  int parameters;
  float alpha, beta;
};
constexpr float kNone = __builtin_nanf("");
constexpr Activation kActivations[] = {
    {"affine", UnaryFunction::affine, 2, kNone, kNone},
    {"elu", UnaryFunction::elu, 1, 1.f, 0.f},
    {"hardsigmoid", UnaryFunction::hard_sigmoid, 2, 0.2f, 0.5f},
    {"leakyrelu", UnaryFunction::leaky_relu, 1, 0.01f, 0.f},
    {"relu", UnaryFunction::relu, 0, 0.f, 0.f},
    {"scaledtanh", UnaryFunction::scaled_tanh, 2, kNone, kNone},
    {"sigmoid", UnaryFunction::sigmoid, 0, 0.f, 0.f},
    {"softplus", UnaryFunction::softplus, 0, 0.f, 0.f},
    {"softsign", UnaryFunction::softsign, 0, 0.f, 0.f},
    {"tanh", UnaryFunction::tanh, 0, 0.f, 0.f},
    {"thresholdedrelu", UnaryFunction::thresholded_relu, 1, 1.f, 0.f},
};

struct Function {
  UnaryFunction function = UnaryFunction::tanh;
  float alpha = 0, beta = 0;
  friend bool operator==(const Function&, const Function&) = default;
};

// In the order of ONNX: the gates' (not of rnn), the candidate's, and lstm's of the cell state.
struct Functions {
  Function gates{UnaryFunction::sigmoid}, candidate, output;
  friend bool operator==(const Functions&, const Functions&) = default;
};

// Those of each direction. activation_alpha and activation_beta are used up in order, each by the functions that have such a parameter.
std::vector<Functions> functions_of(NodeImport& n, Cell cell, int64_t directions) {
  std::vector<Functions> all(static_cast<size_t>(directions));
  const std::vector<std::string_view> names = n.strings("activations");
  const std::vector<float> alphas = n.reals("activation_alpha"), betas = n.reals("activation_beta");
  if (names.empty()) return all;
  const size_t each = cell == Cell::rnn ? 1 : cell == Cell::lstm ? 3 : 2;
  if (names.size() != each * all.size()) {
    n.wrong("activations has {} names; expected {}", names.size(), each * all.size());
    return all;
  }
  size_t next_alpha = 0, next_beta = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name(names[i]);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = std::find_if(std::begin(kActivations), std::end(kActivations), [&](const Activation& a) { return a.name == name; });
    if (found == std::end(kActivations)) {
      n.wrong("activations[{}] is {}; ONNX has no such function of recurrent layers", i, names[i]);
      return all;
    }
    Function f{found->function, found->alpha, found->beta};
    if (found->parameters > 0 && next_alpha < alphas.size()) f.alpha = alphas[next_alpha++];
    if (found->parameters > 1 && next_beta < betas.size()) f.beta = betas[next_beta++];
    if (f.alpha != f.alpha || f.beta != f.beta)
      n.wrong("activations[{}] is {}, for which activation_alpha and activation_beta must be given", i, names[i]);
    Functions& of = all[i / each];
    (i % each == 2 ? of.output : cell == Cell::rnn || i % each == 1 ? of.candidate : of.gates) = f;
  }
  return all;
}

void take(const Functions& f, RecurrentAttributes* at) {
  at->gates = f.gates.function;
  at->gates_alpha = f.gates.alpha;
  at->gates_beta = f.gates.beta;
  at->candidate = f.candidate.function;
  at->candidate_alpha = f.candidate.alpha;
  at->candidate_beta = f.candidate.beta;
  at->output = f.output.function;
  at->output_alpha = f.output.alpha;
  at->output_beta = f.output.beta;
}

// The layer over the inputs that ONNX names: X, W, R, B, sequence_lens, initial_h, initial_c, P.
void layer(NodeImport& n, Cell cell, std::vector<ValueId> inputs) {
  const size_t outputs = cell == Cell::lstm ? 3 : 2;
  RecurrentAttributes at;
  at.cell = cell;
  at.direction = static_cast<Direction>(n.choice("direction", "forward", {"forward", "reverse", "bidirectional"}));
  at.clip = n.real("clip", 0.f);
  if (cell == Cell::gru) at.linear_before_reset = n.integer("linear_before_reset", 0) != 0;
  if (cell == Cell::lstm) at.input_forget = n.integer("input_forget", 0) != 0;
  at.cell_state = cell == Cell::lstm && n.wants(2);
  const int64_t directions = Recurrent::directions_of(at.direction);
  const std::vector<Functions> functions = functions_of(n, cell, directions);
  // Batches first: the same layer on turned tensors.
  const bool batch_first = n.integer("layout", 0) != 0;

  if (!n.ok()) return;
  if (n.rank(inputs[1]) == 3 && n.rank(inputs[2]) == 3 && n.has_attribute("hidden_size")) {
    const Dim hidden = n.dims(inputs[2])[2];
    const int64_t hidden_size = n.integer("hidden_size");
    if (hidden.is_number() && hidden.number() != hidden_size) n.wrong("hidden_size is {}; R has {}", hidden_size, hidden.number());
  }
  if (batch_first)
    for (const size_t i : {size_t{Recurrent::kX}, size_t{Recurrent::kInitialHidden}, size_t{Recurrent::kInitialCell}})
      if (inputs[i] != kNoValue && n.rank(inputs[i]) == 3) inputs[i] = n.transpose(inputs[i], {1, 0, 2});
  while (inputs.back() == kNoValue) inputs.pop_back();

  std::vector<ValueId> y;
  if (directions == 1 || functions[0] == functions[1]) {
    take(functions[0], &at);
    y = n.add_many(Recurrent::make(at), inputs, at.cell_state ? 3 : 2);
  } else {
    std::vector<ValueId> of[2];
    for (int d = 0; d < 2; ++d) {
      std::vector<ValueId> parts(inputs);
      for (size_t i = 1; i < parts.size(); ++i)
        if (parts[i] != kNoValue && i != Recurrent::kLengths && n.ok() && n.rank(parts[i]) > 0) parts[i] = n.slice(parts[i], 0, d, 1);
      RecurrentAttributes one = at;
      one.direction = d == 0 ? Direction::forward : Direction::reverse;
      take(functions[static_cast<size_t>(d)], &one);
      of[d] = n.add_many(Recurrent::make(one), parts, at.cell_state ? 3 : 2);
    }
    for (size_t o = 0; o < of[0].size(); ++o) y.push_back(n.add(Concat::make(o == 0 ? 1 : 0), {of[0][o], of[1][o]}));
  }
  for (size_t o = 0; o < outputs && o < y.size(); ++o) {
    if (!n.wants(o)) continue;
    const bool turned = batch_first && n.ok();
    n.out(o, !turned ? y[o] : o == 0 ? n.transpose(y[o], {2, 0, 1, 3}) : n.transpose(y[o], {1, 0, 2}));
  }
}

std::vector<ValueId> inputs_of(NodeImport& n) {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i <= Recurrent::kPeepholes; ++i) inputs.push_back(i < 3 ? n.in(i) : n.optional_in(i));
  return inputs;
}

template <Cell kCell> void recurrent(NodeImport& n) { layer(n, kCell, inputs_of(n)); }

// Scales or zero points: one for each direction or for each column, as LSTM has them; [directions, columns].
ValueId factor_of_columns(NodeImport& n, ValueId v, const SymDims& weights, const char* what) {
  if (!n.ok()) return v;
  const SymDims of = n.dims(v);
  if (of.rank != 1 && of.rank != 2) n.wrong("{} have rank {}; expected 1 or 2", what, of.rank);
  if (!n.ok()) return v;
  n.require_equal(of[0], weights[0], formatted("dim 0 of {}", what));
  if (of.rank == 2 && !of[1].is(1)) {
    n.require_equal(of[1], weights[2], formatted("dim 1 of {}", what));
    return v;
  }
  return n.expand(of.rank == 2 ? v : n.reshape(v, {of[0], 1}), {weights[0], weights[2]});
}

// Weights [directions, inputs, columns] of 8 bits become operand `input` of the layer, their scales and zero points operands behind it.
void take_numbers(NodeImport& n, Recurrent::Input input, Recurrent::Input factors, size_t first, std::vector<ValueId>* inputs) {
  require_dtype(n, first, {DType::f32});
  if (!n.ok()) return;
  const ValueId w = (*inputs)[input], scale = n.in(first), zero = n.optional_in(first + 1);
  if (!n.ok()) return;
  (*inputs)[factors] = factor_of_columns(n, scale, n.dims(w), "scales");
  if (zero != kNoValue) {
    if (n.dtype(zero) != n.dtype(w))
      n.wrong("input {} has dtype {}; expected that of the weights, {}", first + 1, dtype_name(n.dtype(zero)), dtype_name(n.dtype(w)));
    (*inputs)[factors + size_t{1}] = factor_of_columns(n, zero, n.dims(w), "zero points");
  }
  if (n.ok()) (*inputs)[input] = n.transpose(w, {0, 2, 1});
}

constexpr Importer kRecurrentOperators[] = {
    {"GRU", 1, recurrent<Cell::gru>},
    {"LSTM", 1, recurrent<Cell::lstm>},
    {"RNN", 1, recurrent<Cell::rnn>},
};

}  // namespace

// The layer quantizes X, by one scale for all of it, and the hidden states at each step (docs/numerics.md).
void dynamic_quantize_lstm(NodeImport& n) {
  require_dtype(n, 0, {DType::f32});
  for (const size_t i : {size_t{1}, size_t{2}}) require_dtype(n, i, {DType::i8, DType::u8});
  if (!n.ok()) return;
  std::vector<ValueId> inputs(Recurrent::kInputs, kNoValue);
  for (size_t i = 0; i <= Recurrent::kPeepholes; ++i) inputs[i] = i < 3 ? n.in(i) : n.optional_in(i);
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}})
    if (n.ok() && n.rank(inputs[i]) != 3) n.wrong("input {} has rank {}; expected 3", i, n.rank(inputs[i]));
  take_numbers(n, Recurrent::kInputWeights, Recurrent::kInputScales, 8, &inputs);
  take_numbers(n, Recurrent::kRecurrentWeights, Recurrent::kRecurrentScales, 10, &inputs);
  if (n.ok()) layer(n, Cell::lstm, std::move(inputs));
}

std::span<const Importer> recurrent_importers() { return kRecurrentOperators; }

}  // namespace anydim::onnx
