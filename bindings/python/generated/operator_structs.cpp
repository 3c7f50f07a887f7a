// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// The structs of operators: their _INIT values and where attributes lie in them.
#include "bindings/python/operator_structs.h"

#include <cstddef>

namespace anydim_python {

namespace {

const anydim_convolution_t k_convolution = ANYDIM_CONVOLUTION_INIT;
const anydim_conv_transpose_t k_conv_transpose = ANYDIM_CONV_TRANSPOSE_INIT;
const anydim_matmul_t k_matmul = ANYDIM_MATMUL_INIT;
const anydim_pooling_t k_pooling = ANYDIM_POOLING_INIT;
const anydim_unary_t k_unary = ANYDIM_UNARY_INIT;
const anydim_binary_t k_binary = ANYDIM_BINARY_INIT;
const anydim_reduce_t k_reduce = ANYDIM_REDUCE_INIT;
const anydim_softmax_t k_softmax = ANYDIM_SOFTMAX_INIT;
const anydim_layer_norm_t k_layer_norm = ANYDIM_LAYER_NORM_INIT;
const anydim_resize_t k_resize = ANYDIM_RESIZE_INIT;
const anydim_transpose_t k_transpose = ANYDIM_TRANSPOSE_INIT;
const anydim_cast_t k_cast = ANYDIM_CAST_INIT;
const anydim_concat_t k_concat = ANYDIM_CONCAT_INIT;
const anydim_where_t k_where = ANYDIM_WHERE_INIT;
const anydim_arg_reduce_t k_arg_reduce = ANYDIM_ARG_REDUCE_INIT;
const anydim_cumsum_t k_cumsum = ANYDIM_CUMSUM_INIT;
const anydim_reshape_t k_reshape = ANYDIM_RESHAPE_INIT;
const anydim_expand_t k_expand = ANYDIM_EXPAND_INIT;
const anydim_slice_t k_slice = ANYDIM_SLICE_INIT;
const anydim_pad_t k_pad = ANYDIM_PAD_INIT;
const anydim_tile_t k_tile = ANYDIM_TILE_INIT;
const anydim_depth_to_space_t k_depth_to_space = ANYDIM_DEPTH_TO_SPACE_INIT;
const anydim_range_t k_range = ANYDIM_RANGE_INIT;
const anydim_shape_tensor_t k_shape_tensor = ANYDIM_SHAPE_TENSOR_INIT;
const anydim_gather_t k_gather = ANYDIM_GATHER_INIT;
const anydim_gather_elements_t k_gather_elements = ANYDIM_GATHER_ELEMENTS_INIT;
const anydim_gather_nd_t k_gather_nd = ANYDIM_GATHER_ND_INIT;
const anydim_scatter_elements_t k_scatter_elements = ANYDIM_SCATTER_ELEMENTS_INIT;
const anydim_scatter_nd_t k_scatter_nd = ANYDIM_SCATTER_ND_INIT;
const anydim_topk_t k_topk = ANYDIM_TOPK_INIT;
const anydim_trilu_t k_trilu = ANYDIM_TRILU_INIT;
const anydim_eye_like_t k_eye_like = ANYDIM_EYE_LIKE_INIT;
const anydim_one_hot_t k_one_hot = ANYDIM_ONE_HOT_INIT;
const anydim_grid_sample_t k_grid_sample = ANYDIM_GRID_SAMPLE_INIT;
const anydim_count_non_zero_t k_count_non_zero = ANYDIM_COUNT_NON_ZERO_INIT;
const anydim_non_zero_t k_non_zero = ANYDIM_NON_ZERO_INIT;
const anydim_unique_t k_unique = ANYDIM_UNIQUE_INIT;
const anydim_recurrent_t k_recurrent = ANYDIM_RECURRENT_INIT;
const anydim_fold_t k_fold = ANYDIM_FOLD_INIT;
const anydim_deform_columns_t k_deform_columns = ANYDIM_DEFORM_COLUMNS_INIT;
const anydim_roi_align_t k_roi_align = ANYDIM_ROI_ALIGN_INIT;
const anydim_non_max_suppression_t k_non_max_suppression = ANYDIM_NON_MAX_SUPPRESSION_INIT;
const anydim_dft_t k_dft = ANYDIM_DFT_INIT;
const anydim_det_t k_det = ANYDIM_DET_INIT;
const anydim_random_uniform_t k_random_uniform = ANYDIM_RANDOM_UNIFORM_INIT;
const anydim_bit_cast_t k_bit_cast = ANYDIM_BIT_CAST_INIT;
const anydim_attention_t k_attention = ANYDIM_ATTENTION_INIT;
const anydim_compressed_matmul_t k_compressed_matmul = ANYDIM_COMPRESSED_MATMUL_INIT;
const anydim_append_t k_append = ANYDIM_APPEND_INIT;
const anydim_tree_ensemble_t k_tree_ensemble = ANYDIM_TREE_ENSEMBLE_INIT;
const anydim_couple_pairs_t k_couple_pairs = ANYDIM_COUPLE_PAIRS_INIT;
const anydim_quantization_range_t k_quantization_range = ANYDIM_QUANTIZATION_RANGE_INIT;
const anydim_string_lookup_t k_string_lookup = ANYDIM_STRING_LOOKUP_INIT;
const anydim_string_equal_t k_string_equal = ANYDIM_STRING_EQUAL_INIT;
const anydim_string_concat_t k_string_concat = ANYDIM_STRING_CONCAT_INIT;
const anydim_string_case_t k_string_case = ANYDIM_STRING_CASE_INIT;
const anydim_string_match_t k_string_match = ANYDIM_STRING_MATCH_INIT;
const anydim_count_string_pieces_t k_count_string_pieces = ANYDIM_COUNT_STRING_PIECES_INIT;
const anydim_string_split_t k_string_split = ANYDIM_STRING_SPLIT_INIT;
const anydim_ngram_counts_t k_ngram_counts = ANYDIM_NGRAM_COUNTS_INIT;
const anydim_string_parse_t k_string_parse = ANYDIM_STRING_PARSE_INIT;
const anydim_string_format_t k_string_format = ANYDIM_STRING_FORMAT_INIT;

const StructField kFields[] = {
    {"spatial", offsetof(anydim_convolution_t, spatial), StructField::int32, 1},
    {"auto_pad", offsetof(anydim_convolution_t, auto_pad), StructField::int32, 1},
    {"strides", offsetof(anydim_convolution_t, strides), StructField::int64, 3},
    {"dilations", offsetof(anydim_convolution_t, dilations), StructField::int64, 3},
    {"pads_begin", offsetof(anydim_convolution_t, pads_begin), StructField::int64, 3},
    {"pads_end", offsetof(anydim_convolution_t, pads_end), StructField::int64, 3},
    {"group", offsetof(anydim_convolution_t, group), StructField::int64, 1},
    {"spatial", offsetof(anydim_conv_transpose_t, spatial), StructField::int32, 1},
    {"auto_pad", offsetof(anydim_conv_transpose_t, auto_pad), StructField::int32, 1},
    {"strides", offsetof(anydim_conv_transpose_t, strides), StructField::int64, 3},
    {"dilations", offsetof(anydim_conv_transpose_t, dilations), StructField::int64, 3},
    {"pads_begin", offsetof(anydim_conv_transpose_t, pads_begin), StructField::int64, 3},
    {"pads_end", offsetof(anydim_conv_transpose_t, pads_end), StructField::int64, 3},
    {"output_padding", offsetof(anydim_conv_transpose_t, output_padding), StructField::int64, 3},
    {"output_shape", offsetof(anydim_conv_transpose_t, output_shape), StructField::dims, 1},
    {"group", offsetof(anydim_conv_transpose_t, group), StructField::int64, 1},
    {"transpose_a", offsetof(anydim_matmul_t, transpose_a), StructField::int32, 1},
    {"transpose_b", offsetof(anydim_matmul_t, transpose_b), StructField::int32, 1},
    {"alpha", offsetof(anydim_matmul_t, alpha), StructField::real, 1},
    {"beta", offsetof(anydim_matmul_t, beta), StructField::real, 1},
    {"kind", offsetof(anydim_pooling_t, kind), StructField::int32, 1},
    {"spatial", offsetof(anydim_pooling_t, spatial), StructField::int32, 1},
    {"global", offsetof(anydim_pooling_t, global), StructField::int32, 1},
    {"auto_pad", offsetof(anydim_pooling_t, auto_pad), StructField::int32, 1},
    {"window", offsetof(anydim_pooling_t, window), StructField::int64, 3},
    {"strides", offsetof(anydim_pooling_t, strides), StructField::int64, 3},
    {"dilations", offsetof(anydim_pooling_t, dilations), StructField::int64, 3},
    {"pads_begin", offsetof(anydim_pooling_t, pads_begin), StructField::int64, 3},
    {"pads_end", offsetof(anydim_pooling_t, pads_end), StructField::int64, 3},
    {"ceil_mode", offsetof(anydim_pooling_t, ceil_mode), StructField::int32, 1},
    {"count_include_pad", offsetof(anydim_pooling_t, count_include_pad), StructField::int32, 1},
    {"indices", offsetof(anydim_pooling_t, indices), StructField::int32, 1},
    {"column_major_indices", offsetof(anydim_pooling_t, column_major_indices), StructField::int32, 1},
    {"function", offsetof(anydim_unary_t, function), StructField::int32, 1},
    {"alpha", offsetof(anydim_unary_t, alpha), StructField::real, 1},
    {"beta", offsetof(anydim_unary_t, beta), StructField::real, 1},
    {"function", offsetof(anydim_binary_t, function), StructField::int32, 1},
    {"kind", offsetof(anydim_reduce_t, kind), StructField::int32, 1},
    {"keepdims", offsetof(anydim_reduce_t, keepdims), StructField::int32, 1},
    {"axes", offsetof(anydim_reduce_t, axes), StructField::dims, 1},
    {"axis", offsetof(anydim_softmax_t, axis), StructField::int64, 1},
    {"log", offsetof(anydim_softmax_t, log), StructField::int32, 1},
    {"axis", offsetof(anydim_layer_norm_t, axis), StructField::int64, 1},
    {"epsilon", offsetof(anydim_layer_norm_t, epsilon), StructField::real, 1},
    {"mode", offsetof(anydim_resize_t, mode), StructField::int32, 1},
    {"coordinates", offsetof(anydim_resize_t, coordinates), StructField::int32, 1},
    {"nearest", offsetof(anydim_resize_t, nearest), StructField::int32, 1},
    {"cubic_coeff_a", offsetof(anydim_resize_t, cubic_coeff_a), StructField::real, 1},
    {"policy", offsetof(anydim_resize_t, policy), StructField::int32, 1},
    {"extrapolation_value", offsetof(anydim_resize_t, extrapolation_value), StructField::real, 1},
    {"exclude_outside", offsetof(anydim_resize_t, exclude_outside), StructField::int32, 1},
    {"antialias", offsetof(anydim_resize_t, antialias), StructField::int32, 1},
    {"axes", offsetof(anydim_resize_t, axes), StructField::dims, 1},
    {"sizes", offsetof(anydim_resize_t, sizes), StructField::dims, 1},
    {"scales", offsetof(anydim_resize_t, scales), StructField::reals, 1},
    {"roi", offsetof(anydim_resize_t, roi), StructField::reals, 1},
    {"scale_bits", offsetof(anydim_resize_t, scale_bits), StructField::dims, 1},
    {"roi_bits", offsetof(anydim_resize_t, roi_bits), StructField::dims, 1},
    {"perm", offsetof(anydim_transpose_t, perm), StructField::dims, 1},
    {"to", offsetof(anydim_cast_t, to), StructField::int32, 1},
    {"overflows", offsetof(anydim_cast_t, overflows), StructField::int32, 1},
    {"rounding", offsetof(anydim_cast_t, rounding), StructField::int32, 1},
    {"axis", offsetof(anydim_concat_t, axis), StructField::int64, 1},
    {"kind", offsetof(anydim_arg_reduce_t, kind), StructField::int32, 1},
    {"keepdims", offsetof(anydim_arg_reduce_t, keepdims), StructField::int32, 1},
    {"axis", offsetof(anydim_arg_reduce_t, axis), StructField::int64, 1},
    {"select_last", offsetof(anydim_arg_reduce_t, select_last), StructField::int32, 1},
    {"exclusive", offsetof(anydim_cumsum_t, exclusive), StructField::int32, 1},
    {"reverse", offsetof(anydim_cumsum_t, reverse), StructField::int32, 1},
    {"product", offsetof(anydim_cumsum_t, product), StructField::int32, 1},
    {"dims", offsetof(anydim_reshape_t, dims), StructField::dims, 1},
    {"dims", offsetof(anydim_expand_t, dims), StructField::dims, 1},
    {"starts", offsetof(anydim_slice_t, starts), StructField::dims, 1},
    {"steps", offsetof(anydim_slice_t, steps), StructField::dims, 1},
    {"lengths", offsetof(anydim_slice_t, lengths), StructField::dims, 1},
    {"mode", offsetof(anydim_pad_t, mode), StructField::int32, 1},
    {"before", offsetof(anydim_pad_t, before), StructField::dims, 1},
    {"after", offsetof(anydim_pad_t, after), StructField::dims, 1},
    {"repeats", offsetof(anydim_tile_t, repeats), StructField::dims, 1},
    {"block", offsetof(anydim_depth_to_space_t, block), StructField::int64, 1},
    {"order", offsetof(anydim_depth_to_space_t, order), StructField::int32, 1},
    {"inverse", offsetof(anydim_depth_to_space_t, inverse), StructField::int32, 1},
    {"dtype", offsetof(anydim_range_t, dtype), StructField::int32, 1},
    {"real", offsetof(anydim_range_t, real), StructField::int32, 1},
    {"start", offsetof(anydim_range_t, start), StructField::int64, 1},
    {"delta", offsetof(anydim_range_t, delta), StructField::int64, 1},
    {"count", offsetof(anydim_range_t, count), StructField::int64, 1},
    {"real_start", offsetof(anydim_range_t, real_start), StructField::wide, 1},
    {"real_delta", offsetof(anydim_range_t, real_delta), StructField::wide, 1},
    {"dtype", offsetof(anydim_shape_tensor_t, dtype), StructField::int32, 1},
    {"scalar", offsetof(anydim_shape_tensor_t, scalar), StructField::int32, 1},
    {"values", offsetof(anydim_shape_tensor_t, values), StructField::numbers, 1},
    {"axis", offsetof(anydim_gather_t, axis), StructField::int64, 1},
    {"axis", offsetof(anydim_gather_elements_t, axis), StructField::int64, 1},
    {"batch_dims", offsetof(anydim_gather_nd_t, batch_dims), StructField::int64, 1},
    {"axis", offsetof(anydim_scatter_elements_t, axis), StructField::int64, 1},
    {"reduction", offsetof(anydim_scatter_elements_t, reduction), StructField::int32, 1},
    {"reduction", offsetof(anydim_scatter_nd_t, reduction), StructField::int32, 1},
    {"axis", offsetof(anydim_topk_t, axis), StructField::int64, 1},
    {"k", offsetof(anydim_topk_t, k), StructField::int64, 1},
    {"largest", offsetof(anydim_topk_t, largest), StructField::int32, 1},
    {"sorted", offsetof(anydim_topk_t, sorted), StructField::int32, 1},
    {"upper", offsetof(anydim_trilu_t, upper), StructField::int32, 1},
    {"k", offsetof(anydim_trilu_t, k), StructField::int64, 1},
    {"dtype", offsetof(anydim_eye_like_t, dtype), StructField::int32, 1},
    {"k", offsetof(anydim_eye_like_t, k), StructField::int64, 1},
    {"axis", offsetof(anydim_one_hot_t, axis), StructField::int64, 1},
    {"depth", offsetof(anydim_one_hot_t, depth), StructField::int64, 1},
    {"mode", offsetof(anydim_grid_sample_t, mode), StructField::int32, 1},
    {"padding", offsetof(anydim_grid_sample_t, padding), StructField::int32, 1},
    {"align_corners", offsetof(anydim_grid_sample_t, align_corners), StructField::int32, 1},
    {"count", offsetof(anydim_non_zero_t, count), StructField::int64, 1},
    {"axis", offsetof(anydim_unique_t, axis), StructField::int64, 1},
    {"sorted", offsetof(anydim_unique_t, sorted), StructField::int32, 1},
    {"cell", offsetof(anydim_recurrent_t, cell), StructField::int32, 1},
    {"direction", offsetof(anydim_recurrent_t, direction), StructField::int32, 1},
    {"gates", offsetof(anydim_recurrent_t, gates), StructField::int32, 1},
    {"gates_alpha", offsetof(anydim_recurrent_t, gates_alpha), StructField::real, 1},
    {"gates_beta", offsetof(anydim_recurrent_t, gates_beta), StructField::real, 1},
    {"candidate", offsetof(anydim_recurrent_t, candidate), StructField::int32, 1},
    {"candidate_alpha", offsetof(anydim_recurrent_t, candidate_alpha), StructField::real, 1},
    {"candidate_beta", offsetof(anydim_recurrent_t, candidate_beta), StructField::real, 1},
    {"output", offsetof(anydim_recurrent_t, output), StructField::int32, 1},
    {"output_alpha", offsetof(anydim_recurrent_t, output_alpha), StructField::real, 1},
    {"output_beta", offsetof(anydim_recurrent_t, output_beta), StructField::real, 1},
    {"clip", offsetof(anydim_recurrent_t, clip), StructField::real, 1},
    {"linear_before_reset", offsetof(anydim_recurrent_t, linear_before_reset), StructField::int32, 1},
    {"input_forget", offsetof(anydim_recurrent_t, input_forget), StructField::int32, 1},
    {"cell_state", offsetof(anydim_recurrent_t, cell_state), StructField::int32, 1},
    {"spatial", offsetof(anydim_fold_t, spatial), StructField::int32, 1},
    {"image", offsetof(anydim_fold_t, image), StructField::dims, 1},
    {"window", offsetof(anydim_fold_t, window), StructField::dims, 1},
    {"strides", offsetof(anydim_fold_t, strides), StructField::int64, 3},
    {"dilations", offsetof(anydim_fold_t, dilations), StructField::int64, 3},
    {"pads_begin", offsetof(anydim_fold_t, pads_begin), StructField::int64, 3},
    {"pads_end", offsetof(anydim_fold_t, pads_end), StructField::int64, 3},
    {"spatial", offsetof(anydim_deform_columns_t, spatial), StructField::int32, 1},
    {"window", offsetof(anydim_deform_columns_t, window), StructField::int64, 3},
    {"strides", offsetof(anydim_deform_columns_t, strides), StructField::int64, 3},
    {"dilations", offsetof(anydim_deform_columns_t, dilations), StructField::int64, 3},
    {"pads_begin", offsetof(anydim_deform_columns_t, pads_begin), StructField::int64, 3},
    {"pads_end", offsetof(anydim_deform_columns_t, pads_end), StructField::int64, 3},
    {"groups", offsetof(anydim_deform_columns_t, groups), StructField::int64, 1},
    {"mode", offsetof(anydim_roi_align_t, mode), StructField::int32, 1},
    {"half_pixel", offsetof(anydim_roi_align_t, half_pixel), StructField::int32, 1},
    {"height", offsetof(anydim_roi_align_t, height), StructField::int64, 1},
    {"width", offsetof(anydim_roi_align_t, width), StructField::int64, 1},
    {"samples", offsetof(anydim_roi_align_t, samples), StructField::int64, 1},
    {"scale", offsetof(anydim_roi_align_t, scale), StructField::real, 1},
    {"most", offsetof(anydim_non_max_suppression_t, most), StructField::int64, 1},
    {"center_point", offsetof(anydim_non_max_suppression_t, center_point), StructField::int32, 1},
    {"axis", offsetof(anydim_dft_t, axis), StructField::int64, 1},
    {"length", offsetof(anydim_dft_t, length), StructField::int64, 1},
    {"inverse", offsetof(anydim_dft_t, inverse), StructField::int32, 1},
    {"onesided", offsetof(anydim_dft_t, onesided), StructField::int32, 1},
    {"dtype", offsetof(anydim_random_uniform_t, dtype), StructField::int32, 1},
    {"dims", offsetof(anydim_random_uniform_t, dims), StructField::dims, 1},
    {"seed", offsetof(anydim_random_uniform_t, seed), StructField::int64, 1},
    {"stream", offsetof(anydim_random_uniform_t, stream), StructField::int64, 1},
    {"to", offsetof(anydim_bit_cast_t, to), StructField::int32, 1},
    {"left_window", offsetof(anydim_attention_t, left_window), StructField::int64, 1},
    {"right_window", offsetof(anydim_attention_t, right_window), StructField::int64, 1},
    {"first", offsetof(anydim_attention_t, first), StructField::int64, 1},
    {"scale", offsetof(anydim_attention_t, scale), StructField::real, 1},
    {"softcap", offsetof(anydim_attention_t, softcap), StructField::real, 1},
    {"causal", offsetof(anydim_attention_t, causal), StructField::int32, 1},
    {"transpose_b", offsetof(anydim_compressed_matmul_t, transpose_b), StructField::int32, 1},
    {"rounded_rows", offsetof(anydim_compressed_matmul_t, rounded_rows), StructField::int32, 1},
    {"block", offsetof(anydim_compressed_matmul_t, block), StructField::int64, 1},
    {"zero_point", offsetof(anydim_compressed_matmul_t, zero_point), StructField::int64, 1},
    {"axis", offsetof(anydim_append_t, axis), StructField::int64, 1},
    {"first", offsetof(anydim_append_t, first), StructField::int64, 1},
    {"length", offsetof(anydim_append_t, length), StructField::int64, 1},
    {"circular", offsetof(anydim_append_t, circular), StructField::int32, 1},
    {"windowed", offsetof(anydim_append_t, windowed), StructField::int32, 1},
    {"outputs", offsetof(anydim_tree_ensemble_t, outputs), StructField::int64, 1},
    {"aggregate", offsetof(anydim_tree_ensemble_t, aggregate), StructField::int32, 1},
    {"classes", offsetof(anydim_couple_pairs_t, classes), StructField::int64, 1},
    {"bytes", offsetof(anydim_string_concat_t, bytes), StructField::int64, 1},
    {"upper", offsetof(anydim_string_case_t, upper), StructField::int32, 1},
    {"bytes", offsetof(anydim_string_case_t, bytes), StructField::int64, 1},
    {"rule", offsetof(anydim_count_string_pieces_t, rule), StructField::int32, 1},
    {"most_splits", offsetof(anydim_count_string_pieces_t, most_splits), StructField::int64, 1},
    {"min_characters", offsetof(anydim_count_string_pieces_t, min_characters), StructField::int64, 1},
    {"rule", offsetof(anydim_string_split_t, rule), StructField::int32, 1},
    {"most_splits", offsetof(anydim_string_split_t, most_splits), StructField::int64, 1},
    {"min_characters", offsetof(anydim_string_split_t, min_characters), StructField::int64, 1},
    {"most", offsetof(anydim_string_split_t, most), StructField::int64, 1},
    {"outputs", offsetof(anydim_ngram_counts_t, outputs), StructField::int64, 1},
    {"max_skip", offsetof(anydim_ngram_counts_t, max_skip), StructField::int64, 1},
    {"to", offsetof(anydim_string_parse_t, to), StructField::int32, 1},
};

}  // namespace

const size_t kStructCount = 62;
const StructLayout kStructs[] = {
    {"convolution", &k_convolution.op, kFields + 0, 7},
    {"conv_transpose", &k_conv_transpose.op, kFields + 7, 9},
    {"matmul", &k_matmul.op, kFields + 16, 4},
    {"pooling", &k_pooling.op, kFields + 20, 13},
    {"unary", &k_unary.op, kFields + 33, 3},
    {"binary", &k_binary.op, kFields + 36, 1},
    {"reduce", &k_reduce.op, kFields + 37, 3},
    {"softmax", &k_softmax.op, kFields + 40, 2},
    {"layer_norm", &k_layer_norm.op, kFields + 42, 2},
    {"resize", &k_resize.op, kFields + 44, 14},
    {"transpose", &k_transpose.op, kFields + 58, 1},
    {"cast", &k_cast.op, kFields + 59, 3},
    {"concat", &k_concat.op, kFields + 62, 1},
    {"where", &k_where.op, kFields + 63, 0},
    {"arg_reduce", &k_arg_reduce.op, kFields + 63, 4},
    {"cumsum", &k_cumsum.op, kFields + 67, 3},
    {"reshape", &k_reshape.op, kFields + 70, 1},
    {"expand", &k_expand.op, kFields + 71, 1},
    {"slice", &k_slice.op, kFields + 72, 3},
    {"pad", &k_pad.op, kFields + 75, 3},
    {"tile", &k_tile.op, kFields + 78, 1},
    {"depth_to_space", &k_depth_to_space.op, kFields + 79, 3},
    {"range", &k_range.op, kFields + 82, 7},
    {"shape_tensor", &k_shape_tensor.op, kFields + 89, 3},
    {"gather", &k_gather.op, kFields + 92, 1},
    {"gather_elements", &k_gather_elements.op, kFields + 93, 1},
    {"gather_nd", &k_gather_nd.op, kFields + 94, 1},
    {"scatter_elements", &k_scatter_elements.op, kFields + 95, 2},
    {"scatter_nd", &k_scatter_nd.op, kFields + 97, 1},
    {"topk", &k_topk.op, kFields + 98, 4},
    {"trilu", &k_trilu.op, kFields + 102, 2},
    {"eye_like", &k_eye_like.op, kFields + 104, 2},
    {"one_hot", &k_one_hot.op, kFields + 106, 2},
    {"grid_sample", &k_grid_sample.op, kFields + 108, 3},
    {"count_non_zero", &k_count_non_zero.op, kFields + 111, 0},
    {"non_zero", &k_non_zero.op, kFields + 111, 1},
    {"unique", &k_unique.op, kFields + 112, 2},
    {"recurrent", &k_recurrent.op, kFields + 114, 15},
    {"fold", &k_fold.op, kFields + 129, 7},
    {"deform_columns", &k_deform_columns.op, kFields + 136, 7},
    {"roi_align", &k_roi_align.op, kFields + 143, 6},
    {"non_max_suppression", &k_non_max_suppression.op, kFields + 149, 2},
    {"dft", &k_dft.op, kFields + 151, 4},
    {"det", &k_det.op, kFields + 155, 0},
    {"random_uniform", &k_random_uniform.op, kFields + 155, 4},
    {"bit_cast", &k_bit_cast.op, kFields + 159, 1},
    {"attention", &k_attention.op, kFields + 160, 6},
    {"compressed_matmul", &k_compressed_matmul.op, kFields + 166, 4},
    {"append", &k_append.op, kFields + 170, 5},
    {"tree_ensemble", &k_tree_ensemble.op, kFields + 175, 2},
    {"couple_pairs", &k_couple_pairs.op, kFields + 177, 1},
    {"quantization_range", &k_quantization_range.op, kFields + 178, 0},
    {"string_lookup", &k_string_lookup.op, kFields + 178, 0},
    {"string_equal", &k_string_equal.op, kFields + 178, 0},
    {"string_concat", &k_string_concat.op, kFields + 178, 1},
    {"string_case", &k_string_case.op, kFields + 179, 2},
    {"string_match", &k_string_match.op, kFields + 181, 0},
    {"count_string_pieces", &k_count_string_pieces.op, kFields + 181, 3},
    {"string_split", &k_string_split.op, kFields + 184, 4},
    {"ngram_counts", &k_ngram_counts.op, kFields + 188, 2},
    {"string_parse", &k_string_parse.op, kFields + 190, 1},
    {"string_format", &k_string_format.op, kFields + 191, 0},
};

}  // namespace anydim_python
