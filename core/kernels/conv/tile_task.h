// SPDX-License-Identifier: Apache-2.0
// One task of a convolution on the tile engine: a part of the positions and panels of one group. What all tasks of a run share, and how
// a run is cut into them, is tiles.cpp's.
#pragma once

#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/k_list.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"

namespace anydim {

struct ConvPlan {
  ConvGeometry geometry;
  WorkSplit split;
  bool small_patch = false;
  int64_t row_bytes = 0;  // that a further position brings in: neighbours share taps
  int64_t panels_at = 0;  // offsets into scratch, in bytes
  int64_t workers_at = 0;
  int64_t tiles_at = 0;  // of a worker's, what its tiles need
  int64_t worker_bytes = 0;
  bool rounds = false;  // the whole input is rounded before, into scratch
  int64_t rounded_at = 0;
  bool pads = false;  // with zeros around it, if the weights are finite
};

// Where weights and bias come from, and what all tasks of a run share.
struct ConvExecution {
  const TileEngine& engine;
  const ConvPlan& plan;
  const float* src;
  float* dst;
  SpatialStrides src_strides, dst_strides;
  const float* panels;
  const float* bias;
  const Epilogue& epilogue;
  EpilogueProgram program;
  const AxisRun* runs[3];
  int64_t run_count[3];
  bool rounded;  // src is the rounded input: strides count its numbers, a multiple of 32 each
};

// One task: of group `group`, the `row_part`th part of the work along positions and a range of panels. `scratch` is the engine's.
void run_conv_task(const ConvExecution& e, int64_t group, int64_t row_part, int64_t column_part, KList list, void* scratch);

}  // namespace anydim
