// SPDX-License-Identifier: Apache-2.0
// The attributes that convolutions and poolings share: strides, dilations, pads, auto_pad, kernel_shape.
#pragma once

#include "core/ops/operators/convolution.h"
#include "core/ops/operators/pooling.h"
#include "onnx/walk/node_import.h"

namespace anydim::onnx {

struct SpatialAttributes {
  int32_t spatial = 0;
  int64_t kernel[kMaxSpatial] = {1, 1, 1};
  int64_t strides[kMaxSpatial] = {1, 1, 1};
  int64_t dilations[kMaxSpatial] = {1, 1, 1};
  int64_t pads_begin[kMaxSpatial] = {};
  int64_t pads_end[kMaxSpatial] = {};
  AutoPad auto_pad = AutoPad::explicit_;
  bool has_kernel = false;
};

// For an input of `rank` N, C, spatial...; ranks other than 3 to 5 are unsupported.
SpatialAttributes spatial_attributes(NodeImport& n, int rank);
// Those of a convolution of x by the weights w, and of a pooling with a window.
Convolution::Attributes convolution_attributes(NodeImport& n, ValueId x, ValueId w);
Pooling::Attributes pooling_attributes(NodeImport& n, ValueId x, Pooling::Kind kind);

}  // namespace anydim::onnx
