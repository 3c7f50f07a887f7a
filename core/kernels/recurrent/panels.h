// SPDX-License-Identifier: Apache-2.0
// The weights of recurrent layers as panels of the tile engine, and how a run divides its scratch. For the tiled kernel alone.
#pragma once

#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/recurrent/states.h"
#include "core/ops/operators/recurrent.h"

namespace anydim {

enum RecurrentPiece : uint8_t { kInputPanels, kStatePanels };

// Panels of one direction, in floats. Of gru the candidate's columns stand apart, since their product may come later.
struct PanelSizes {
  int64_t columns;        // of the inputs' product
  int64_t first_columns;  // of the state's: all gates, of gru without the candidate
  int64_t last_columns;   // the candidate of gru; else 0
  int64_t input, first, last;

  PanelSizes(const TileEngine& engine, RecurrentCell cell, int64_t inputs, int64_t hidden) noexcept
      : columns(saturating_mul(Recurrent::gates_of(cell), hidden)),
        first_columns(cell == RecurrentCell::gru ? saturating_mul(2, hidden) : columns),
        last_columns(cell == RecurrentCell::gru ? hidden : 0),
        input(engine.panel_floats(columns, inputs)),
        first(engine.panel_floats(first_columns, hidden)),
        last(engine.panel_floats(last_columns, hidden)) {}
  int64_t state() const noexcept { return saturating_add(first, last); }
};

// Where the parts of scratch begin, in bytes.
struct RecurrentPlaces : StatePlaces {
  int64_t given = 0;                 // sums of the inputs, [direction][row][columns]
  int64_t sums = 0;                  // of the state, [direction][batch][first columns]
  int64_t candidate = 0;             // [direction][batch][hidden], of gru
  int64_t kept = 0;                  // of gru
  int64_t bias = 0, state_bias = 0;  // per direction, whole panels; the latter of gru with linear_before_reset
  int64_t segments = 0, state_segments = 0;
  int64_t panels = 0, state_panels = 0;  // where the weights are no constants
  int64_t tiles = 0, tile_bytes = 0;     // what the engine needs, for each worker
  int64_t bytes = 0;
};

struct RecurrentPlan {
  RecurrentPlaces at;
  int64_t steps = 0;    // at a time
  int64_t parts = 0;    // of the batch, of each direction
  bool shared = false;  // threads share the columns of a step
};

RecurrentPlaces recurrent_places(const TileEngine& engine, const RecurrentAttributes& at, const RecurrentSizes& n, int64_t rows,
                                 bool packed, int threads) noexcept;

// How many floats a value per column needs, in whole panels.
int64_t padded_columns(const TileEngine& engine, int64_t columns) noexcept;
// Fills in the panels of all directions: those of the inputs, and those of the state.
void make_panels(const TileEngine& engine, RecurrentCell cell, const TensorView& w, const TensorView& r, const Parallel& parallel,
                 float* input, float* state) noexcept;

struct CellFunctions;
void run_recurrent(const TileEngine& engine, const CellFunctions& cells, const RecurrentPlan& plan,
                   const Args& args) noexcept;  // layer.cpp

}  // namespace anydim
