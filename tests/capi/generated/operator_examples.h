// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// One call or more of every operator, each at two shapes.
#pragma once

#include "tests/capi/operator_example.h"

constexpr int kDescribedOperators = 62;

inline const std::vector<OperatorExample>& operator_examples() {
  static const std::vector<OperatorExample> examples = {
      {"convolution",
       [](void* room) {
         anydim_convolution_t s = ANYDIM_CONVOLUTION_INIT;
         s.spatial = 2;
         s.strides[0] = 2;
         s.strides[1] = 1;
         s.pads_begin[0] = 1;
         s.pads_begin[1] = 0;
         s.pads_end[0] = 1;
         s.pads_end[1] = 2;
         s.dilations[0] = 1;
         s.dilations[1] = 2;
         s.group = 2;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 4, 9, 11}, {3, 4, 6, 8}}, 0, 7},
           {ANYDIM_F32, {{6, 2, 3, 3}, {6, 2, 3, 3}}, 0, 7},
           {ANYDIM_F32, {{6}, {6}}, 0, 7},
       },
       1},
      {"convolution",
       [](void* room) {
         anydim_convolution_t s = ANYDIM_CONVOLUTION_INIT;
         s.spatial = 1;
         s.auto_pad = ANYDIM_AUTO_PAD_SAME_LOWER;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F64, {{2, 3, 8}, {1, 3, 5}}, 0, 7},
           {ANYDIM_F64, {{4, 3, 2}, {4, 3, 2}}, 0, 7},
       },
       1},
      {"conv_transpose",
       [](void* room) {
         anydim_conv_transpose_t s = ANYDIM_CONV_TRANSPOSE_INIT;
         s.spatial = 2;
         s.strides[0] = 2;
         s.strides[1] = 3;
         s.pads_begin[0] = 1;
         s.pads_begin[1] = 0;
         s.output_padding[0] = 1;
         s.output_padding[1] = 0;
         s.group = 2;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 4, 5, 6}, {2, 4, 3, 4}}, 0, 7},
           {ANYDIM_F32, {{4, 3, 3, 2}, {4, 3, 3, 2}}, 0, 7},
           {ANYDIM_F32, {{6}, {6}}, 0, 7},
       },
       1},
      {"conv_transpose",
       [](void* room) {
         anydim_conv_transpose_t s = ANYDIM_CONV_TRANSPOSE_INIT;
         s.spatial = 2;
         s.strides[0] = 2;
         s.strides[1] = 2;
         s.output_shape.rank = 2;
         s.output_shape.values[0] = 9;
         s.output_shape.values[1] = 8;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 2, 4, 4}, {3, 2, 4, 4}}, 0, 7},
           {ANYDIM_F32, {{2, 2, 3, 3}, {2, 2, 3, 3}}, 0, 7},
       },
       1},
      {"matmul",
       [](void* room) {
         anydim_matmul_t s = ANYDIM_MATMUL_INIT;
         s.transpose_b = 1;
         s.alpha = 0.5f;
         s.beta = 2.0f;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 7, 33}, {1, 3, 33}}, 0, 7},
           {ANYDIM_F32, {{20, 33}, {20, 33}}, 0, 7},
           {ANYDIM_F32, {{20}, {20}}, 0, 7},
       },
       1},
      {"matmul",
       [](void* room) {
         anydim_matmul_t s = ANYDIM_MATMUL_INIT;
         s.transpose_a = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I32, {{9, 4}, {6, 4}}, 0, 9},
           {ANYDIM_I32, {{9, 5}, {6, 5}}, 0, 9},
       },
       1},
      {"pooling",
       [](void* room) {
         anydim_pooling_t s = ANYDIM_POOLING_INIT;
         s.spatial = 2;
         s.kind = ANYDIM_POOLING_AVERAGE;
         s.window[0] = 3;
         s.window[1] = 2;
         s.strides[0] = 2;
         s.strides[1] = 2;
         s.pads_begin[0] = 1;
         s.pads_begin[1] = 0;
         s.count_include_pad = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 3, 9, 8}, {2, 3, 6, 11}}, 0, 7},
       },
       1},
      {"pooling",
       [](void* room) {
         anydim_pooling_t s = ANYDIM_POOLING_INIT;
         s.spatial = 2;
         s.kind = ANYDIM_POOLING_MAX;
         s.window[0] = 2;
         s.window[1] = 2;
         s.strides[0] = 2;
         s.strides[1] = 2;
         s.indices = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 2, 6, 8}, {2, 2, 5, 7}}, 0, 7},
       },
       2},
      {"pooling",
       [](void* room) {
         anydim_pooling_t s = ANYDIM_POOLING_INIT;
         s.spatial = 2;
         s.kind = ANYDIM_POOLING_AVERAGE;
         s.global = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 3, 9, 8}, {2, 3, 1, 11}}, 0, 7},
       },
       1},
      {"unary",
       [](void* room) {
         anydim_unary_t s = ANYDIM_UNARY_INIT;
         s.function = ANYDIM_UNARY_CLIP;
         s.alpha = -0.5f;
         s.beta = 0.75f;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 50}, {7, 1}}, 0, 7},
       },
       1},
      {"binary",
       [](void* room) {
         anydim_binary_t s = ANYDIM_BINARY_INIT;
         s.function = ANYDIM_BINARY_SUB;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 1, 50}, {7, 1, 2}}, 0, 7},
           {ANYDIM_F32, {{4, 50}, {4, 2}}, 0, 7},
       },
       1},
      {"reduce",
       [](void* room) {
         anydim_reduce_t s = ANYDIM_REDUCE_INIT;
         s.kind = ANYDIM_REDUCE_SUM;
         s.axes.rank = 2;
         s.axes.values[0] = -1;
         s.axes.values[1] = 1;
         s.keepdims = 0;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 20, 7}, {2, 300, 5}}, 0, 7},
       },
       1},
      {"softmax",
       [](void* room) {
         anydim_softmax_t s = ANYDIM_SOFTMAX_INIT;
         s.axis = 1;
         s.log = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 20, 7}, {2, 30, 5}}, 0, 7},
       },
       1},
      {"layer_norm",
       [](void* room) {
         anydim_layer_norm_t s = ANYDIM_LAYER_NORM_INIT;
         s.epsilon = 0.001f;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 4, 40}, {2, 1, 40}}, 0, 7},
           {ANYDIM_F32, {{40}, {40}}, 0, 7},
           {ANYDIM_F32, {{40}, {40}}, 0, 7},
       },
       1},
      {"resize",
       [](void* room) {
         anydim_resize_t s = ANYDIM_RESIZE_INIT;
         s.mode = ANYDIM_RESIZE_LINEAR;
         s.scales.count = 4;
         s.scales.values[0] = 1.0f;
         s.scales.values[1] = 1.0f;
         s.scales.values[2] = 2.0f;
         s.scales.values[3] = 1.5f;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 3, 5, 8}, {2, 3, 4, 6}}, 0, 7},
       },
       1},
      {"resize",
       [](void* room) {
         anydim_resize_t s = ANYDIM_RESIZE_INIT;
         s.mode = ANYDIM_RESIZE_CUBIC;
         s.axes.rank = 2;
         s.axes.values[0] = 2;
         s.axes.values[1] = 3;
         s.sizes.rank = 2;
         s.sizes.values[0] = 7;
         s.sizes.values[1] = 9;
         s.coordinates = ANYDIM_RESIZE_COORDINATES_ALIGN_CORNERS;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 2, 5, 8}, {2, 2, 4, 6}}, 0, 7},
       },
       1},
      {"transpose",
       [](void* room) {
         anydim_transpose_t s = ANYDIM_TRANSPOSE_INIT;
         s.perm.rank = 3;
         s.perm.values[0] = 2;
         s.perm.values[1] = 0;
         s.perm.values[2] = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 4, 20}, {2, 1, 7}}, 0, 7},
       },
       1},
      {"cast",
       [](void* room) {
         anydim_cast_t s = ANYDIM_CAST_INIT;
         s.to = ANYDIM_I32;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 40}, {5, 2}}, 0, 7},
       },
       1},
      {"concat",
       [](void* room) {
         anydim_concat_t s = ANYDIM_CONCAT_INIT;
         s.axis = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 4, 20}, {2, 1, 7}}, 0, 7},
           {ANYDIM_F32, {{3, 5, 20}, {2, 5, 7}}, 0, 7},
           {ANYDIM_F32, {{3, 1, 20}, {2, 1, 7}}, 0, 7},
       },
       1},
      {"where",
       [](void* room) {
         anydim_where_t s = ANYDIM_WHERE_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_BOOL, {{3, 40}, {5, 2}}, 0, 1},
           {ANYDIM_F32, {{3, 40}, {5, 2}}, 0, 7},
           {ANYDIM_F32, {{40}, {2}}, 0, 7},
       },
       1},
      {"arg_reduce",
       [](void* room) {
         anydim_arg_reduce_t s = ANYDIM_ARG_REDUCE_INIT;
         s.kind = ANYDIM_ARG_REDUCE_MIN;
         s.axis = 1;
         s.keepdims = 0;
         s.select_last = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 20, 7}, {2, 30, 5}}, 0, 7},
       },
       1},
      {"cumsum",
       [](void* room) {
         anydim_cumsum_t s = ANYDIM_CUMSUM_INIT;
         s.exclusive = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 20, 7}, {2, 30, 5}}, 0, 7},
           {ANYDIM_I64, {{1}, {1}}, 1, 1},
       },
       1},
      {"reshape",
       [](void* room) {
         anydim_reshape_t s = ANYDIM_RESHAPE_INIT;
         s.dims.rank = 2;
         s.dims.values[0] = 4;
         s.dims.values[1] = 6;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 8}, {2, 12}}, 0, 7},
       },
       1},
      {"expand",
       [](void* room) {
         anydim_expand_t s = ANYDIM_EXPAND_INIT;
         s.dims.rank = 3;
         s.dims.values[0] = 3;
         s.dims.values[1] = 1;
         s.dims.values[2] = 7;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 1}, {2, 7}}, 0, 7},
       },
       1},
      {"slice",
       [](void* room) {
         anydim_slice_t s = ANYDIM_SLICE_INIT;
         s.starts.rank = 2;
         s.starts.values[0] = 1;
         s.starts.values[1] = 5;
         s.steps.rank = 2;
         s.steps.values[0] = 1;
         s.steps.values[1] = -2;
         s.lengths.rank = 2;
         s.lengths.values[0] = 2;
         s.lengths.values[1] = 3;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 9}, {3, 6}}, 0, 7},
       },
       1},
      {"pad",
       [](void* room) {
         anydim_pad_t s = ANYDIM_PAD_INIT;
         s.mode = ANYDIM_PAD_REFLECT;
         s.before.rank = 2;
         s.before.values[0] = 0;
         s.before.values[1] = 2;
         s.after.rank = 2;
         s.after.values[0] = 1;
         s.after.values[1] = -1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 9}, {3, 6}}, 0, 7},
       },
       1},
      {"pad",
       [](void* room) {
         anydim_pad_t s = ANYDIM_PAD_INIT;
         s.before.rank = 2;
         s.before.values[0] = 1;
         s.before.values[1] = 0;
         s.after.rank = 2;
         s.after.values[0] = 0;
         s.after.values[1] = 3;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 9}, {3, 6}}, 0, 7},
           {ANYDIM_F32, {{1}, {1}}, 0, 7},
       },
       1},
      {"tile",
       [](void* room) {
         anydim_tile_t s = ANYDIM_TILE_INIT;
         s.repeats.rank = 2;
         s.repeats.values[0] = 2;
         s.repeats.values[1] = 3;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 9}, {3, 1}}, 0, 7},
       },
       1},
      {"depth_to_space",
       [](void* room) {
         anydim_depth_to_space_t s = ANYDIM_DEPTH_TO_SPACE_INIT;
         s.block = 2;
         s.order = ANYDIM_DEPTH_TO_SPACE_COLUMN_FIRST;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 8, 3, 5}, {2, 12, 4, 1}}, 0, 7},
       },
       1},
      {"range",
       [](void* room) {
         anydim_range_t s = ANYDIM_RANGE_INIT;
         s.dtype = ANYDIM_I32;
         s.start = 10;
         s.delta = -3;
         s.count = 6;
         std::memcpy(room, &s, sizeof(s));
       },
       {
       },
       1},
      {"range",
       [](void* room) {
         anydim_range_t s = ANYDIM_RANGE_INIT;
         s.dtype = ANYDIM_F32;
         s.real = 1;
         s.real_start = 0.25;
         s.real_delta = 0.1;
         s.count = 37;
         std::memcpy(room, &s, sizeof(s));
       },
       {
       },
       1},
      {"shape_tensor",
       [](void* room) {
         anydim_shape_tensor_t s = ANYDIM_SHAPE_TENSOR_INIT;
         s.dtype = ANYDIM_F32;
         static const int64_t values[] = {3, -1, 4, 1, 5, 9, 2, 6, 5, 3};
         s.values = values;
         s.values_count = 10;
         std::memcpy(room, &s, sizeof(s));
       },
       {
       },
       1},
      {"gather",
       [](void* room) {
         anydim_gather_t s = ANYDIM_GATHER_INIT;
         s.axis = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 8, 5}, {2, 8, 1}}, 0, 7},
           {ANYDIM_I64, {{2, 3}, {4, 1}}, -8, 7},
       },
       1},
      {"gather_elements",
       [](void* room) {
         anydim_gather_elements_t s = ANYDIM_GATHER_ELEMENTS_INIT;
         s.axis = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 8}, {2, 8}}, 0, 7},
           {ANYDIM_I64, {{3, 4}, {2, 11}}, -8, 7},
       },
       1},
      {"gather_nd",
       [](void* room) {
         anydim_gather_nd_t s = ANYDIM_GATHER_ND_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 8, 5}, {3, 8, 2}}, 0, 7},
           {ANYDIM_I64, {{4, 2}, {7, 2}}, 0, 2},
       },
       1},
      {"scatter_elements",
       [](void* room) {
         anydim_scatter_elements_t s = ANYDIM_SCATTER_ELEMENTS_INIT;
         s.axis = 1;
         s.reduction = ANYDIM_SCATTER_ADD;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 8}, {2, 8}}, 0, 7},
           {ANYDIM_I64, {{3, 4}, {2, 11}}, -8, 7},
           {ANYDIM_F32, {{3, 4}, {2, 11}}, 0, 7},
       },
       1},
      {"scatter_nd",
       [](void* room) {
         anydim_scatter_nd_t s = ANYDIM_SCATTER_ND_INIT;
         s.reduction = ANYDIM_SCATTER_MAX;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 5}, {3, 2}}, 0, 7},
           {ANYDIM_I64, {{4, 1}, {7, 1}}, 0, 2},
           {ANYDIM_F32, {{4, 5}, {7, 2}}, 0, 7},
       },
       1},
      {"topk",
       [](void* room) {
         anydim_topk_t s = ANYDIM_TOPK_INIT;
         s.axis = 1;
         s.k = 3;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 9}, {2, 30}}, 0, 7},
       },
       2},
      {"trilu",
       [](void* room) {
         anydim_trilu_t s = ANYDIM_TRILU_INIT;
         s.upper = 0;
         s.k = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 4, 9}, {3, 5, 5}}, 0, 7},
       },
       1},
      {"eye_like",
       [](void* room) {
         anydim_eye_like_t s = ANYDIM_EYE_LIKE_INIT;
         s.dtype = ANYDIM_F64;
         s.k = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 9}, {3, 5}}, 0, 7},
       },
       1},
      {"one_hot",
       [](void* room) {
         anydim_one_hot_t s = ANYDIM_ONE_HOT_INIT;
         s.axis = 1;
         s.depth = 6;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{4, 3}, {2, 9}}, -6, 7},
           {ANYDIM_F32, {{2}, {2}}, 0, 7},
       },
       1},
      {"grid_sample",
       [](void* room) {
         anydim_grid_sample_t s = ANYDIM_GRID_SAMPLE_INIT;
         s.padding = ANYDIM_GRID_SAMPLE_PADDING_REFLECTION;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 3, 5, 6}, {2, 3, 4, 1}}, 0, 7},
           {ANYDIM_F32, {{2, 7, 3, 2}, {2, 1, 9, 2}}, 0, 7},
       },
       1},
      {"grid_sample",
       [](void* room) {
         anydim_grid_sample_t s = ANYDIM_GRID_SAMPLE_INIT;
         s.mode = ANYDIM_GRID_SAMPLE_CUBIC;
         s.align_corners = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 2, 3, 4, 5}, {1, 2, 2, 6, 3}}, 0, 7},
           {ANYDIM_F32, {{1, 2, 3, 4, 3}, {1, 4, 1, 2, 3}}, 0, 7},
       },
       1},
      {"grid_sample",
       [](void* room) {
         anydim_grid_sample_t s = ANYDIM_GRID_SAMPLE_INIT;
         s.mode = ANYDIM_GRID_SAMPLE_NEAREST;
         s.padding = ANYDIM_GRID_SAMPLE_PADDING_BORDER;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I32, {{1, 2, 5, 6}, {1, 2, 4, 3}}, 0, 7},
           {ANYDIM_F32, {{1, 7, 3, 2}, {1, 7, 3, 2}}, 0, 7},
       },
       1},
      {"count_non_zero",
       [](void* room) {
         anydim_count_non_zero_t s = ANYDIM_COUNT_NON_ZERO_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 8, 5}, {2, 300, 1}}, 0, 7},
       },
       1},
      {"non_zero",
       [](void* room) {
         anydim_non_zero_t s = ANYDIM_NON_ZERO_INIT;
         s.count = 24;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I32, {{3, 8}, {4, 6}}, 1, 9},
       },
       1},
      {"unique",
       [](void* room) {
         anydim_unique_t s = ANYDIM_UNIQUE_INIT;
         s.axis = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I32, {{2, 9}, {1, 40}}, 0, 2},
       },
       4},
      {"unique",
       [](void* room) {
         anydim_unique_t s = ANYDIM_UNIQUE_INIT;
         s.axis = 0;
         s.sorted = 0;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{30}, {7}}, 0, 7},
       },
       4},
      {"recurrent",
       [](void* room) {
         anydim_recurrent_t s = ANYDIM_RECURRENT_INIT;
         s.cell = ANYDIM_RECURRENT_LSTM;
         s.direction = ANYDIM_RECURRENT_BIDIRECTIONAL;
         s.cell_state = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{5, 3, 20}, {7, 1, 20}}, 0, 7},
           {ANYDIM_F32, {{2, 64, 20}, {2, 64, 20}}, 0, 7},
           {ANYDIM_F32, {{2, 64, 16}, {2, 64, 16}}, 0, 7},
           {ANYDIM_F32, {{2, 128}, {2, 128}}, 0, 7},
       },
       3},
      {"recurrent",
       [](void* room) {
         anydim_recurrent_t s = ANYDIM_RECURRENT_INIT;
         s.cell = ANYDIM_RECURRENT_GRU;
         s.clip = 3.0f;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{5, 3, 20}, {7, 1, 20}}, 0, 7},
           {ANYDIM_F32, {{1, 48, 20}, {1, 48, 20}}, 0, 7},
           {ANYDIM_F32, {{1, 48, 16}, {1, 48, 16}}, 0, 7},
       },
       2},
      {"fold",
       [](void* room) {
         anydim_fold_t s = ANYDIM_FOLD_INIT;
         s.spatial = 1;
         s.image.rank = 1;
         s.image.values[0] = 11;
         s.window.rank = 1;
         s.window.values[0] = 3;
         s.strides[0] = 2;
         s.pads_begin[0] = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 6, 5}, {1, 6, 5}}, 0, 7},
       },
       1},
      {"deform_columns",
       [](void* room) {
         anydim_deform_columns_t s = ANYDIM_DEFORM_COLUMNS_INIT;
         s.spatial = 2;
         s.window[0] = 3;
         s.window[1] = 2;
         s.pads_begin[0] = 1;
         s.pads_begin[1] = 0;
         s.pads_end[0] = 1;
         s.pads_end[1] = 0;
         s.groups = 2;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 4, 5, 6}, {1, 4, 5, 6}}, 0, 7},
           {ANYDIM_F32, {{2, 24, 5, 5}, {1, 24, 5, 5}}, 0, 7},
           {ANYDIM_F32, {{2, 12, 5, 5}, {1, 12, 5, 5}}, 0, 7},
       },
       1},
      {"roi_align",
       [](void* room) {
         anydim_roi_align_t s = ANYDIM_ROI_ALIGN_INIT;
         s.height = 3;
         s.width = 2;
         s.samples = 2;
         s.scale = 0.0625f;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 3, 9, 8}, {1, 2, 9, 8}}, 0, 7},
           {ANYDIM_F32, {{5, 4}, {3, 4}}, 0, 7},
           {ANYDIM_I64, {{5}, {3}}, 0, 0},
       },
       1},
      {"non_max_suppression",
       [](void* room) {
         anydim_non_max_suppression_t s = ANYDIM_NON_MAX_SUPPRESSION_INIT;
         s.most = 5;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 20, 4}, {1, 20, 4}}, 0, 7},
           {ANYDIM_F32, {{2, 3, 20}, {1, 2, 20}}, 0, 7},
           {ANYDIM_I64, {{1}, {1}}, 4, 4},
           {ANYDIM_F32, {{1}, {1}}, 0, 7},
       },
       2},
      {"dft",
       [](void* room) {
         anydim_dft_t s = ANYDIM_DFT_INIT;
         s.axis = 1;
         s.length = 12;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 12, 3, 1}, {1, 12, 2, 1}}, 0, 7},
       },
       1},
      {"dft",
       [](void* room) {
         anydim_dft_t s = ANYDIM_DFT_INIT;
         s.axis = 0;
         s.length = 10;
         s.inverse = 1;
         s.onesided = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F64, {{6, 3, 2}, {6, 1, 2}}, 0, 7},
       },
       1},
      {"det",
       [](void* room) {
         anydim_det_t s = ANYDIM_DET_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 4, 4}, {2, 4, 4}}, 0, 7},
       },
       1},
      {"random_uniform",
       [](void* room) {
         anydim_random_uniform_t s = ANYDIM_RANDOM_UNIFORM_INIT;
         s.dims.rank = 2;
         s.dims.values[0] = 3;
         s.dims.values[1] = 50;
         s.seed = 7;
         s.stream = 2;
         std::memcpy(room, &s, sizeof(s));
       },
       {
       },
       1},
      {"bit_cast",
       [](void* room) {
         anydim_bit_cast_t s = ANYDIM_BIT_CAST_INIT;
         s.to = ANYDIM_I32;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 40}, {5, 2}}, 0, 7},
       },
       1},
      {"attention",
       [](void* room) {
         anydim_attention_t s = ANYDIM_ATTENTION_INIT;
         s.scale = 0.25f;
         s.causal = 1;
         s.first = 3;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 6, 5, 16}, {2, 6, 5, 16}}, 0, 7},
           {ANYDIM_F32, {{2, 2, 8, 16}, {2, 2, 8, 16}}, 0, 7},
           {ANYDIM_F32, {{2, 2, 8, 12}, {2, 2, 8, 12}}, 0, 7},
       },
       1},
      {"attention",
       [](void* room) {
         anydim_attention_t s = ANYDIM_ATTENTION_INIT;
         s.scale = 0.5f;
         s.softcap = 3.0f;
         s.left_window = 2;
         s.right_window = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{1, 2, 9, 8}, {1, 2, 9, 8}}, 0, 7},
           {ANYDIM_F32, {{1, 2, 9, 8}, {1, 2, 9, 8}}, 0, 7},
           {ANYDIM_F32, {{1, 2, 9, 8}, {1, 2, 9, 8}}, 0, 7},
           {ANYDIM_F32, {{1, 1, 9, 9}, {1, 1, 9, 9}}, 0, 7},
       },
       1},
      {"compressed_matmul",
       [](void* room) {
         anydim_compressed_matmul_t s = ANYDIM_COMPRESSED_MATMUL_INIT;
         s.transpose_b = 1;
         s.block = 16;
         s.zero_point = 100;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 7, 33}, {1, 3, 33}}, 0, 7},
           {ANYDIM_U8, {{20, 33}, {20, 33}}, 0, 255},
           {ANYDIM_F32, {{20, 3}, {20, 3}}, 0, 7},
       },
       1},
      {"compressed_matmul",
       [](void* room) {
         anydim_compressed_matmul_t s = ANYDIM_COMPRESSED_MATMUL_INIT;
         s.rounded_rows = 1;
         s.block = 16;
         s.zero_point = 128;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 40}, {3, 40}}, 0, 7},
           {ANYDIM_U8, {{40, 24}, {40, 24}}, 0, 255},
           {ANYDIM_F32, {{3, 24}, {3, 24}}, 0, 7},
       },
       1},
      {"compressed_matmul",
       [](void* room) {
         anydim_compressed_matmul_t s = ANYDIM_COMPRESSED_MATMUL_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{9, 20}, {9, 20}}, 0, 7},
           {ANYDIM_I8, {{20, 12}, {20, 12}}, -128, 127},
           {ANYDIM_F32, {{1, 12}, {1, 12}}, 0, 7},
           {ANYDIM_F32, {{1, 12}, {1, 12}}, 0, 7},
       },
       1},
      {"append",
       [](void* room) {
         anydim_append_t s = ANYDIM_APPEND_INIT;
         s.axis = 2;
         s.first = 4;
         s.length = 7;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 3, 4, 5}, {2, 3, 4, 5}}, 0, 7},
           {ANYDIM_F32, {{2, 3, 3, 5}, {2, 3, 3, 5}}, 0, 7},
       },
       1},
      {"append",
       [](void* room) {
         anydim_append_t s = ANYDIM_APPEND_INIT;
         s.axis = 1;
         s.length = 6;
         s.circular = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 6, 3}, {2, 6, 3}}, 0, 7},
           {ANYDIM_F32, {{2, 2, 3}, {2, 2, 3}}, 0, 7},
           {ANYDIM_I64, {{2}, {2}}, 0, 9},
       },
       1},
      {"append",
       [](void* room) {
         anydim_append_t s = ANYDIM_APPEND_INIT;
         s.axis = 1;
         s.length = 6;
         s.windowed = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{2, 6, 3}, {2, 6, 3}}, 0, 7},
           {ANYDIM_F32, {{2, 2, 3}, {2, 2, 3}}, 0, 7},
           {ANYDIM_I64, {{2}, {2}}, 0, 1},
           {ANYDIM_I64, {{2}, {2}}, 0, 5},
       },
       2},
      {"tree_ensemble",
       [](void* room) {
         anydim_tree_ensemble_t s = ANYDIM_TREE_ENSEMBLE_INIT;
         s.outputs = 2;
         s.aggregate = ANYDIM_TREE_AVERAGE;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 4}, {2, 4}}, 0, 7},
           {ANYDIM_F32, {{5}, {5}}, 0, 7},
           {ANYDIM_I32, {{5, 4}, {5, 4}}, 0, 0},
           {ANYDIM_I32, {{2}, {2}}, 0, 4},
           {ANYDIM_I32, {{3}, {3}}, 0, 1},
           {ANYDIM_F32, {{3}, {3}}, 0, 7},
           {ANYDIM_F32, {{2}, {2}}, 0, 7},
       },
       1},
      {"couple_pairs",
       [](void* room) {
         anydim_couple_pairs_t s = ANYDIM_COUPLE_PAIRS_INIT;
         s.classes = 3;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{4, 3}, {2, 3}}, 0, 7},
       },
       1},
      {"quantization_range",
       [](void* room) {
         anydim_quantization_range_t s = ANYDIM_QUANTIZATION_RANGE_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 20, 7}, {2, 300, 5}}, 0, 7},
       },
       2},
      {"string_lookup",
       [](void* room) {
         anydim_string_lookup_t s = ANYDIM_STRING_LOOKUP_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 6},
           {ANYDIM_U8, {{6}, {9}}, 97, 98},
           {ANYDIM_I64, {{1}, {1}}, 1, 5},
           {ANYDIM_U8, {{6}, {6}}, 97, 98},
       },
       1},
      {"string_equal",
       [](void* room) {
         anydim_string_equal_t s = ANYDIM_STRING_EQUAL_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 2},
           {ANYDIM_U8, {{6}, {9}}, 97, 98},
           {ANYDIM_I64, {{4}, {30}}, 0, 2},
           {ANYDIM_U8, {{6}, {6}}, 97, 98},
       },
       1},
      {"string_concat",
       [](void* room) {
         anydim_string_concat_t s = ANYDIM_STRING_CONCAT_INIT;
         s.bytes = 720;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 6},
           {ANYDIM_U8, {{6}, {9}}, 97, 122},
           {ANYDIM_I64, {{4}, {30}}, 0, 6},
           {ANYDIM_U8, {{6}, {6}}, 97, 122},
       },
       2},
      {"string_case",
       [](void* room) {
         anydim_string_case_t s = ANYDIM_STRING_CASE_INIT;
         s.bytes = 360;
         s.upper = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 6},
           {ANYDIM_U8, {{6}, {9}}, 97, 122},
       },
       2},
      {"string_match",
       [](void* room) {
         anydim_string_match_t s = ANYDIM_STRING_MATCH_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 6},
           {ANYDIM_U8, {{6}, {9}}, 97, 122},
           {ANYDIM_U8, {{1, 256}, {1, 256}}, 0, 1},
           {ANYDIM_I32, {{5, 3}, {4, 3}}, -2, 7},
       },
       1},
      {"count_string_pieces",
       [](void* room) {
         anydim_count_string_pieces_t s = ANYDIM_COUNT_STRING_PIECES_INIT;
         s.rule = ANYDIM_STRING_RULE_CHARACTERS;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 6},
           {ANYDIM_U8, {{6}, {9}}, 97, 122},
       },
       2},
      {"string_split",
       [](void* room) {
         anydim_string_split_t s = ANYDIM_STRING_SPLIT_INIT;
         s.most = 6;
         s.rule = ANYDIM_STRING_RULE_CHARACTERS;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 0, 6},
           {ANYDIM_U8, {{6}, {9}}, 97, 122},
       },
       1},
      {"ngram_counts",
       [](void* room) {
         anydim_ngram_counts_t s = ANYDIM_NGRAM_COUNTS_INIT;
         s.outputs = 3;
         s.max_skip = 1;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 8}, {2, 30}}, 0, 1},
           {ANYDIM_I64, {{1, 1}, {1, 1}}, 1, 1},
           {ANYDIM_I64, {{1}, {1}}, 1, 1},
           {ANYDIM_I64, {{1}, {1}}, 0, 2},
       },
       1},
      {"string_parse",
       [](void* room) {
         anydim_string_parse_t s = ANYDIM_STRING_PARSE_INIT;
         s.to = ANYDIM_F64;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 1, 6},
           {ANYDIM_U8, {{6}, {9}}, 48, 57},
       },
       1},
      {"string_parse",
       [](void* room) {
         anydim_string_parse_t s = ANYDIM_STRING_PARSE_INIT;
         s.to = ANYDIM_I32;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, 1, 6},
           {ANYDIM_U8, {{6}, {9}}, 48, 57},
       },
       1},
      {"string_format",
       [](void* room) {
         anydim_string_format_t s = ANYDIM_STRING_FORMAT_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_F32, {{3, 4}, {2, 30}}, 0, 7},
       },
       2},
      {"string_format",
       [](void* room) {
         anydim_string_format_t s = ANYDIM_STRING_FORMAT_INIT;
         std::memcpy(room, &s, sizeof(s));
       },
       {
           {ANYDIM_I64, {{3, 4}, {2, 30}}, -9, 9},
       },
       2},
  };
  return examples;
}
