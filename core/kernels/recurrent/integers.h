// SPDX-License-Identifier: Apache-2.0
// Recurrent layers with weights of 8 bits on the integer engine: their packed weights, and how a run divides its scratch. For the kernels
// of such layers alone.
#pragma once

#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/recurrent/states.h"

namespace anydim {

enum IntegerPiece : uint8_t { kInputBytes, kInputSums, kStateBytes, kStateSums };

// What an instruction set has for them.
struct IntegerFunctions {
  const IntEngine& engine;
  const CellFunctions& cells;
  RangeOfRows::Function* range;
  ConvertFunctions::Function* convert;
};

// Of one direction.
struct IntegerSizes {
  int64_t columns, padded;
  int64_t input_steps, state_steps;
  int64_t input_bytes, state_bytes;  // of panels
  IntegerSizes(const IntEngine& engine, const RecurrentSizes& n) noexcept
      : columns(saturating_mul(n.gates, n.hidden)),
        padded(IntEngine::padded(columns)),
        input_steps(engine.steps(n.inputs)),
        state_steps(engine.steps(n.hidden)),
        input_bytes(saturating_mul(engine.panel_bytes(n.inputs), IntEngine::panels(columns))),
        state_bytes(saturating_mul(engine.panel_bytes(n.hidden), IntEngine::panels(columns))) {}
};

// Arrays of one number per column, of each direction whole panels.
enum IntegerColumns : uint8_t {
  kInputOffset,  // what the zero point of x adds to sums
  kInputZero,    // zero points of the weights as packed
  kInputScale,   // of x and the weights
  kInputBias,    // both biases
  kStateSum,     // what a state's zero point is multiplied by
  kStateZero,
  kStateScale,
  kNoOffset,
  kColumnArrays
};

struct IntegerPlaces : StatePlaces {
  int64_t given = 0;                            // sums of the inputs, [direction][row][columns]
  int64_t sums = 0;                             // of the state, [direction][batch][columns]
  int64_t numbers = 0;                          // of the states, [direction][batch][steps]
  int64_t scales = 0, zeros = 0, row_sums = 0;  // of them, [direction][batch]
  int64_t columns = 0;                          // [array][direction][padded]
  int64_t workers = 0;                          // of each thread: rows of numbers, their sums, and a row in the making
  int64_t panels = 0;                           // where the weights are no constants: the pieces
  int64_t bytes = 0;
};

struct IntegerPlan {
  IntegerPlaces at;
  int64_t steps = 0;    // at a time
  int64_t parts = 0;    // of the batch, of each direction
  bool shared = false;  // threads share the columns of a step
  int64_t block_rows = 0, worker_bytes = 0;
};

// Bytes of a thread: `rows` rows of numbers; and those of a row in the making.
int64_t integer_row_bytes(const RecurrentSizes& n) noexcept;
IntegerPlaces integer_places(const IntEngine& engine, const RecurrentSizes& n, int64_t rows, int64_t worker_bytes, int threads,
                             bool packed) noexcept;
// Fills in the pieces of all directions.
void make_integer_panels(const IntEngine& engine, const RecurrentSizes& n, const TensorView& w, const TensorView& r,
                         const Parallel& parallel, std::span<std::byte* const> pieces) noexcept;
void run_integer_recurrent(const IntegerFunctions& functions, const IntegerPlan& plan, const Args& args) noexcept;  // integers_layer.cpp

}  // namespace anydim
