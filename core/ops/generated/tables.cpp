// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// What is known of each operator, as tables; core/ops/description.cpp reads them.
#include "core/ops/description_tables.h"

#include <cstddef>

#include "core/ops/operators/append.h"
#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/count_non_zero.h"
#include "core/ops/operators/count_string_pieces.h"
#include "core/ops/operators/couple_pairs.h"
#include "core/ops/operators/cumsum.h"
#include "core/ops/operators/deform_columns.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/det.h"
#include "core/ops/operators/dft.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/eye_like.h"
#include "core/ops/operators/fold.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/gather_nd.h"
#include "core/ops/operators/grid_sample.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/ngram_counts.h"
#include "core/ops/operators/non_max_suppression.h"
#include "core/ops/operators/non_zero.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/quantization_range.h"
#include "core/ops/operators/random_uniform.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/recurrent.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/roi_align.h"
#include "core/ops/operators/scatter_elements.h"
#include "core/ops/operators/scatter_nd.h"
#include "core/ops/operators/shape_tensor.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/string_case.h"
#include "core/ops/operators/string_concat.h"
#include "core/ops/operators/string_equal.h"
#include "core/ops/operators/string_format.h"
#include "core/ops/operators/string_lookup.h"
#include "core/ops/operators/string_match.h"
#include "core/ops/operators/string_parse.h"
#include "core/ops/operators/string_split.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/topk.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/tree_ensemble.h"
#include "core/ops/operators/trilu.h"
#include "core/ops/operators/unary.h"
#include "core/ops/operators/unique.h"
#include "core/ops/operators/where.h"
#include "core/ops/subset.h"

namespace anydim::described {

namespace {

constexpr uint32_t bit(Trait t) { return 1u << static_cast<unsigned>(t); }

template <class T> Result<OperatorPtr> make_as(FillAttributes fill, void* context) {
  typename T::Attributes attributes;
  ANYDIM_TRY(fill(context, &attributes));
  return T::make(std::move(attributes));
}

// Null where a subset build leaves the operator out.
template <class T> constexpr auto maker() {
  if constexpr (subset::keeps(T::kKind)) return make_as<T>;
  else return nullptr;
}

}  // namespace

const char kTexts[] =
    "separators\0tokens\0whitespace\0characters\0identity\0relu\0leaky_relu\0clip\0hard_sigmoid\0hard_swish\0sigmoid\0silu\0"
    "tanh\0exp\0log\0sqrt\0reciprocal\0abs\0neg\0square\0erf\0gelu_erf\0gelu_tanh\0softplus\0softsign\0mish\0elu\0selu\0celu\0"
    "thresholded_relu\0shrink\0floor\0ceil\0round_even\0sign\0sin\0cos\0tan\0asin\0acos\0atan\0sinh\0cosh\0asinh\0acosh\0atanh\0"
    "affine\0logical_not\0bitwise_not\0is_nan\0is_inf\0quick_gelu\0round_f16\0round_bf16\0scaled_tanh\0add\0sub\0mul\0div\0min\0"
    "max\0pow\0prelu\0mod_floor\0mod_trunc\0equal\0less\0less_equal\0greater\0greater_equal\0logical_and\0logical_or\0"
    "logical_xor\0bitwise_and\0bitwise_or\0bitwise_xor\0shift_left\0shift_right\0explicit\0same_upper\0same_lower\0valid\0"
    "average\0sum\0mean\0sum_square\0l1\0l2\0prod\0log_sum\0log_sum_exp\0nearest\0linear\0cubic\0half_pixel\0"
    "half_pixel_symmetric\0pytorch_half_pixel\0align_corners\0asymmetric\0tf_half_pixel_for_nn\0tf_crop_and_resize\0"
    "round_prefer_floor\0round_prefer_ceil\0stretch\0not_larger\0not_smaller\0maximum\0cells\0up\0down\0constant\0reflect\0"
    "edge\0wrap\0depth_first\0column_first\0none\0zeros\0border\0reflection\0rnn\0lstm\0gru\0forward\0reverse\0bidirectional\0"
    "minimum\0spatial\0auto_pad\0strides\0dilations\0pads_begin\0pads_end\0group\0convolution\0output_padding\0output_shape\0"
    "conv_transpose\0transpose_a\0transpose_b\0alpha\0beta\0matmul\0kind\0global\0window\0ceil_mode\0count_include_pad\0"
    "indices\0column_major_indices\0pooling\0function\0unary\0binary\0keepdims\0axes\0reduce\0axis\0softmax\0epsilon\0"
    "layer_norm\0mode\0coordinates\0cubic_coeff_a\0policy\0extrapolation_value\0exclude_outside\0antialias\0sizes\0scales\0"
    "roi\0scale_bits\0roi_bits\0resize\0perm\0transpose\0to\0overflows\0rounding\0cast\0concat\0where\0select_last\0arg_reduce\0"
    "exclusive\0product\0cumsum\0dims\0reshape\0expand\0starts\0steps\0lengths\0slice\0before\0after\0pad\0repeats\0tile\0block\0"
    "order\0inverse\0depth_to_space\0dtype\0real\0start\0delta\0count\0real_start\0real_delta\0range\0scalar\0values\0"
    "shape_tensor\0gather\0gather_elements\0batch_dims\0gather_nd\0reduction\0scatter_elements\0scatter_nd\0k\0largest\0"
    "sorted\0topk\0upper\0trilu\0eye_like\0depth\0one_hot\0padding\0grid_sample\0count_non_zero\0non_zero\0unique\0cell\0"
    "direction\0gates\0gates_alpha\0gates_beta\0candidate\0candidate_alpha\0candidate_beta\0output\0output_alpha\0"
    "output_beta\0linear_before_reset\0input_forget\0cell_state\0recurrent\0image\0fold\0groups\0deform_columns\0height\0"
    "width\0samples\0scale\0roi_align\0most\0center_point\0non_max_suppression\0length\0onesided\0dft\0det\0seed\0stream\0"
    "random_uniform\0bit_cast\0left_window\0right_window\0first\0softcap\0causal\0attention\0rounded_rows\0zero_point\0"
    "compressed_matmul\0circular\0windowed\0append\0outputs\0aggregate\0tree_ensemble\0classes\0couple_pairs\0"
    "quantization_range\0string_lookup\0string_equal\0bytes\0string_concat\0string_case\0string_match\0rule\0most_splits\0"
    "min_characters\0count_string_pieces\0string_split\0max_skip\0ngram_counts\0string_parse\0string_format\0"
    ;

const uint16_t kWords[] = {
    // string_rule
    0, 11, 18, 29,
    // unary_function
    40, 49, 54, 65, 70, 83, 94, 102, 107, 112, 116, 120, 125, 136, 140, 144, 151, 155, 164, 174, 183, 192, 197, 201,
    206, 211, 228, 235, 241, 246, 257, 262, 266, 270, 274, 279, 284, 289, 294, 299, 305, 311, 317, 324, 336, 348, 355,
    362, 373, 383, 394,
    // binary_function
    406, 410, 414, 418, 422, 426, 430, 434, 440, 450, 460, 466, 471, 482, 490, 504, 516, 527, 539, 551, 562, 574, 585,
    // auto_pad
    597, 606, 617, 628,
    // pooling_kind
    426, 634,
    // reduce_kind
    642, 646, 651, 662, 665, 668, 673, 681, 426, 422,
    // arg_reduce_kind
    426, 422,
    // resize_mode
    693, 701, 708,
    // resize_coordinates
    714, 725, 746, 765, 779, 790, 811,
    // resize_nearest
    830, 849, 235, 241,
    // resize_policy
    867, 875, 886,
    // roi_mode
    634, 898, 906,
    // power_rounding
    912, 915, 693,
    // pad_mode
    920, 929, 937, 942,
    // depth_to_space_order
    947, 959,
    // scatter_reduction
    972, 406, 414, 422, 426,
    // grid_sample_mode
    693, 701, 708,
    // grid_sample_padding
    977, 983, 990,
    // recurrent_cell
    1001, 1005, 1010,
    // recurrent_direction
    1014, 1022, 1030,
    // tree_aggregate
    642, 634, 1044, 898,
};

const WordList kWordLists[] = {
    {0, 4}, {4, 51}, {55, 23}, {78, 4}, {82, 2}, {84, 10}, {94, 2}, {96, 3}, {99, 7}, {106, 4}, {110, 3}, {113, 3},
    {116, 3}, {119, 4}, {123, 2}, {125, 5}, {130, 3}, {133, 3}, {136, 3}, {139, 3}, {142, 4}
};

const AttributeField kFields[] = {
    {1052, offsetof(ConvolutionAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // convolution spatial
    {1060, offsetof(ConvolutionAttributes, auto_pad), AttributeType::word, 3, false, 0, 0, 0, 3},  // convolution auto_pad
    {1069, offsetof(ConvolutionAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution strides
    {1077, offsetof(ConvolutionAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution dilations
    {1087, offsetof(ConvolutionAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_begin
    {1098, offsetof(ConvolutionAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_end
    {1107, offsetof(ConvolutionAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // convolution group
    {1052, offsetof(ConvTransposeAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // conv_transpose spatial
    {1060, offsetof(ConvTransposeAttributes, auto_pad), AttributeType::word, 3, false, 0, 0, 0, 3},  // conv_transpose auto_pad
    {1069, offsetof(ConvTransposeAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose strides
    {1077, offsetof(ConvTransposeAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose dilations
    {1087, offsetof(ConvTransposeAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_begin
    {1098, offsetof(ConvTransposeAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_end
    {1125, offsetof(ConvTransposeAttributes, output_padding), AttributeType::per_spatial, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_padding
    {1140, offsetof(ConvTransposeAttributes, output_shape), AttributeType::integers, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_shape
    {1107, offsetof(ConvTransposeAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // conv_transpose group
    {1168, offsetof(MatmulAttributes, transpose_a), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_a
    {1180, offsetof(MatmulAttributes, transpose_b), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_b
    {1192, offsetof(MatmulAttributes, alpha), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul alpha
    {1198, offsetof(MatmulAttributes, beta), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul beta
    {1210, offsetof(PoolingAttributes, kind), AttributeType::word, 4, false, 0, 0, 0, 1},  // pooling kind
    {1052, offsetof(PoolingAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // pooling spatial
    {1215, offsetof(PoolingAttributes, global), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling global
    {1060, offsetof(PoolingAttributes, auto_pad), AttributeType::word, 3, false, 3, 0x1, 0, 3},  // pooling auto_pad
    {1222, offsetof(PoolingAttributes, window), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling window
    {1069, offsetof(PoolingAttributes, strides), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling strides
    {1077, offsetof(PoolingAttributes, dilations), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling dilations
    {1087, offsetof(PoolingAttributes, pads_begin), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_begin
    {1098, offsetof(PoolingAttributes, pads_end), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_end
    {1229, offsetof(PoolingAttributes, ceil_mode), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling ceil_mode
    {1239, offsetof(PoolingAttributes, count_include_pad), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling count_include_pad
    {1257, offsetof(PoolingAttributes, indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling indices
    {1265, offsetof(PoolingAttributes, column_major_indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling column_major_indices
    {1294, offsetof(UnaryAttributes, function), AttributeType::word, 1, true, 0, 0, 0, 50},  // unary function
    {1192, offsetof(UnaryAttributes, alpha), AttributeType::real, 0, false, 1, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // unary alpha
    {1198, offsetof(UnaryAttributes, beta), AttributeType::real, 0, false, 1, 0x4440004800018, INT64_MIN, INT64_MAX},  // unary beta
    {1294, offsetof(BinaryAttributes, function), AttributeType::word, 2, true, 0, 0, 0, 22},  // binary function
    {1210, offsetof(ReduceAttributes, kind), AttributeType::word, 5, true, 0, 0, 0, 9},  // reduce kind
    {1316, offsetof(ReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce keepdims
    {1325, offsetof(ReduceAttributes, axes), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce axes
    {1337, offsetof(SoftmaxAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax axis
    {116, offsetof(SoftmaxAttributes, log), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax log
    {1337, offsetof(LayerNormAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // layer_norm axis
    {1350, offsetof(LayerNormAttributes, epsilon), AttributeType::real, 0, false, 0, 0, 0, INT64_MAX},  // layer_norm epsilon
    {1369, offsetof(ResizeAttributes, mode), AttributeType::word, 7, false, 0, 0, 0, 2},  // resize mode
    {1374, offsetof(ResizeAttributes, coordinates), AttributeType::word, 8, false, 0, 0, 0, 6},  // resize coordinates
    {693, offsetof(ResizeAttributes, nearest), AttributeType::word, 9, false, 1, 0x1, 0, 3},  // resize nearest
    {1386, offsetof(ResizeAttributes, cubic_coeff_a), AttributeType::real, 0, false, 1, 0x4, INT64_MIN, INT64_MAX},  // resize cubic_coeff_a
    {1400, offsetof(ResizeAttributes, policy), AttributeType::word, 10, false, 0, 0, 0, 2},  // resize policy
    {1407, offsetof(ResizeAttributes, extrapolation_value), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize extrapolation_value
    {1427, offsetof(ResizeAttributes, exclude_outside), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize exclude_outside
    {1443, offsetof(ResizeAttributes, antialias), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize antialias
    {1325, offsetof(ResizeAttributes, axes), AttributeType::integers, 0, false, 0, 0, 0, 7},  // resize axes
    {1453, offsetof(ResizeAttributes, sizes), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // resize sizes
    {1459, offsetof(ResizeAttributes, scales), AttributeType::reals, 8, false, 0, 0, INT64_MIN, INT64_MAX},  // resize scales
    {1466, offsetof(ResizeAttributes, roi), AttributeType::reals, 16, false, 2, 0x40, INT64_MIN, INT64_MAX},  // resize roi
    {1470, offsetof(ResizeAttributes, scale_bits), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize scale_bits
    {1481, offsetof(ResizeAttributes, roi_bits), AttributeType::dims, 0, false, 2, 0x40, INT64_MIN, INT64_MAX},  // resize roi_bits
    {1497, offsetof(TransposeAttributes, perm), AttributeType::perm, 0, true, 0, 0, INT64_MIN, INT64_MAX},  // transpose perm
    {1512, offsetof(CastAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 23},  // cast to
    {1515, offsetof(CastAttributes, overflows), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cast overflows
    {1525, offsetof(CastAttributes, rounding), AttributeType::word, 12, false, 0, 0, 0, 2},  // cast rounding
    {1337, offsetof(ConcatAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // concat axis
    {1210, offsetof(ArgReduceAttributes, kind), AttributeType::word, 6, false, 0, 0, 0, 1},  // arg_reduce kind
    {1316, offsetof(ArgReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce keepdims
    {1337, offsetof(ArgReduceAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce axis
    {1552, offsetof(ArgReduceAttributes, select_last), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce select_last
    {1575, offsetof(CumSumAttributes, exclusive), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum exclusive
    {1022, offsetof(CumSumAttributes, reverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum reverse
    {1585, offsetof(CumSumAttributes, product), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum product
    {1600, offsetof(ReshapeAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // reshape dims
    {1600, offsetof(ExpandAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // expand dims
    {1620, offsetof(SliceAttributes, starts), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice starts
    {1627, offsetof(SliceAttributes, steps), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice steps
    {1633, offsetof(SliceAttributes, lengths), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice lengths
    {1369, offsetof(PadAttributes, mode), AttributeType::word, 13, false, 0, 0, 0, 3},  // pad mode
    {1647, offsetof(PadAttributes, before), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad before
    {1654, offsetof(PadAttributes, after), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad after
    {1664, offsetof(TileAttributes, repeats), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // tile repeats
    {1677, offsetof(DepthToSpaceAttributes, block), AttributeType::integer, 0, false, 0, 0, 1, 1048576},  // depth_to_space block
    {1683, offsetof(DepthToSpaceAttributes, order), AttributeType::word, 14, false, 0, 0, 0, 1},  // depth_to_space order
    {1689, offsetof(DepthToSpaceAttributes, inverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // depth_to_space inverse
    {1712, offsetof(RangeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // range dtype
    {1718, offsetof(RangeAttributes, real), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // range real
    {1723, offsetof(RangeAttributes, start), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range start
    {1729, offsetof(RangeAttributes, delta), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range delta
    {1735, offsetof(RangeAttributes, count), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // range count
    {1741, offsetof(RangeAttributes, real_start), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_start
    {1752, offsetof(RangeAttributes, real_delta), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_delta
    {1712, offsetof(ShapeTensorAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // shape_tensor dtype
    {1769, offsetof(ShapeTensorAttributes, scalar), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor scalar
    {1776, offsetof(ShapeTensorAttributes, values), AttributeType::dim_list, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor values
    {1337, offsetof(GatherAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather axis
    {1337, offsetof(GatherElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_elements axis
    {1819, offsetof(GatherNdAttributes, batch_dims), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_nd batch_dims
    {1337, offsetof(ScatterElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // scatter_elements axis
    {1840, offsetof(ScatterElementsAttributes, reduction), AttributeType::word, 15, false, 0, 0, 0, 4},  // scatter_elements reduction
    {1840, offsetof(ScatterNdAttributes, reduction), AttributeType::word, 15, false, 0, 0, 0, 4},  // scatter_nd reduction
    {1337, offsetof(TopKAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // topk axis
    {1878, offsetof(TopKAttributes, k), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // topk k
    {1880, offsetof(TopKAttributes, largest), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk largest
    {1888, offsetof(TopKAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk sorted
    {1900, offsetof(TriluAttributes, upper), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu upper
    {1878, offsetof(TriluAttributes, k), AttributeType::dim, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu k
    {1712, offsetof(EyeLikeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 0, 13},  // eye_like dtype
    {1878, offsetof(EyeLikeAttributes, k), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // eye_like k
    {1337, offsetof(OneHotAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // one_hot axis
    {1921, offsetof(OneHotAttributes, depth), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // one_hot depth
    {1369, offsetof(GridSampleAttributes, mode), AttributeType::word, 16, false, 0, 0, 0, 2},  // grid_sample mode
    {1935, offsetof(GridSampleAttributes, padding), AttributeType::word, 17, false, 0, 0, 0, 2},  // grid_sample padding
    {765, offsetof(GridSampleAttributes, align_corners), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // grid_sample align_corners
    {1735, offsetof(NonZeroAttributes, count), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // non_zero count
    {1337, offsetof(UniqueAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // unique axis
    {1888, offsetof(UniqueAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // unique sorted
    {1986, offsetof(RecurrentAttributes, cell), AttributeType::word, 18, true, 0, 0, 0, 2},  // recurrent cell
    {1991, offsetof(RecurrentAttributes, direction), AttributeType::word, 19, false, 0, 0, 0, 2},  // recurrent direction
    {2001, offsetof(RecurrentAttributes, gates), AttributeType::word, 1, false, 0, 0, 0, 50},  // recurrent gates
    {2007, offsetof(RecurrentAttributes, gates_alpha), AttributeType::real, 0, false, 3, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // recurrent gates_alpha
    {2019, offsetof(RecurrentAttributes, gates_beta), AttributeType::real, 0, false, 3, 0x4440004800018, INT64_MIN, INT64_MAX},  // recurrent gates_beta
    {2030, offsetof(RecurrentAttributes, candidate), AttributeType::word, 1, false, 0, 0, 0, 50},  // recurrent candidate
    {2040, offsetof(RecurrentAttributes, candidate_alpha), AttributeType::real, 0, false, 6, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // recurrent candidate_alpha
    {2056, offsetof(RecurrentAttributes, candidate_beta), AttributeType::real, 0, false, 6, 0x4440004800018, INT64_MIN, INT64_MAX},  // recurrent candidate_beta
    {2071, offsetof(RecurrentAttributes, output), AttributeType::word, 1, false, 0, 0, 0, 50},  // recurrent output
    {2078, offsetof(RecurrentAttributes, output_alpha), AttributeType::real, 0, false, 9, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // recurrent output_alpha
    {2091, offsetof(RecurrentAttributes, output_beta), AttributeType::real, 0, false, 9, 0x4440004800018, INT64_MIN, INT64_MAX},  // recurrent output_beta
    {65, offsetof(RecurrentAttributes, clip), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent clip
    {2103, offsetof(RecurrentAttributes, linear_before_reset), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent linear_before_reset
    {2123, offsetof(RecurrentAttributes, input_forget), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent input_forget
    {2136, offsetof(RecurrentAttributes, cell_state), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent cell_state
    {1052, offsetof(FoldAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // fold spatial
    {2157, offsetof(FoldAttributes, image), AttributeType::dims, 0, true, 0, 0, 0, INT64_MAX},  // fold image
    {1222, offsetof(FoldAttributes, window), AttributeType::dims, 0, true, 0, 0, 1, INT64_MAX},  // fold window
    {1069, offsetof(FoldAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // fold strides
    {1077, offsetof(FoldAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // fold dilations
    {1087, offsetof(FoldAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // fold pads_begin
    {1098, offsetof(FoldAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // fold pads_end
    {1052, offsetof(DeformColumnsAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // deform_columns spatial
    {1222, offsetof(DeformColumnsAttributes, window), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // deform_columns window
    {1069, offsetof(DeformColumnsAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // deform_columns strides
    {1077, offsetof(DeformColumnsAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // deform_columns dilations
    {1087, offsetof(DeformColumnsAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // deform_columns pads_begin
    {1098, offsetof(DeformColumnsAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // deform_columns pads_end
    {2168, offsetof(DeformColumnsAttributes, groups), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // deform_columns groups
    {1369, offsetof(RoiAlignAttributes, mode), AttributeType::word, 11, false, 0, 0, 0, 2},  // roi_align mode
    {714, offsetof(RoiAlignAttributes, half_pixel), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // roi_align half_pixel
    {2190, offsetof(RoiAlignAttributes, height), AttributeType::integer, 0, false, 0, 0, 1, 2147483648},  // roi_align height
    {2197, offsetof(RoiAlignAttributes, width), AttributeType::integer, 0, false, 0, 0, 1, 2147483648},  // roi_align width
    {2203, offsetof(RoiAlignAttributes, samples), AttributeType::integer, 0, false, 0, 0, 0, 2147483648},  // roi_align samples
    {2211, offsetof(RoiAlignAttributes, scale), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // roi_align scale
    {2227, offsetof(NonMaxSuppressionAttributes, most), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // non_max_suppression most
    {2232, offsetof(NonMaxSuppressionAttributes, center_point), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // non_max_suppression center_point
    {1337, offsetof(DftAttributes, axis), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // dft axis
    {2265, offsetof(DftAttributes, length), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // dft length
    {1689, offsetof(DftAttributes, inverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // dft inverse
    {2272, offsetof(DftAttributes, onesided), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // dft onesided
    {1712, offsetof(RandomUniformAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // random_uniform dtype
    {1600, offsetof(RandomUniformAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // random_uniform dims
    {2289, offsetof(RandomUniformAttributes, seed), AttributeType::integer, 0, true, 0, 0, INT64_MIN, INT64_MAX},  // random_uniform seed
    {2294, offsetof(RandomUniformAttributes, stream), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // random_uniform stream
    {1512, offsetof(BitCastAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 23},  // bit_cast to
    {2325, offsetof(AttentionAttributes, left_window), AttributeType::integer, 0, false, 0, 0, -1, INT64_MAX},  // attention left_window
    {2337, offsetof(AttentionAttributes, right_window), AttributeType::integer, 0, false, 0, 0, -1, INT64_MAX},  // attention right_window
    {2350, offsetof(AttentionAttributes, first), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // attention first
    {2211, offsetof(AttentionAttributes, scale), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // attention scale
    {2356, offsetof(AttentionAttributes, softcap), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // attention softcap
    {2364, offsetof(AttentionAttributes, causal), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // attention causal
    {1180, offsetof(CompressedMatmulAttributes, transpose_b), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // compressed_matmul transpose_b
    {2381, offsetof(CompressedMatmulAttributes, rounded_rows), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // compressed_matmul rounded_rows
    {1677, offsetof(CompressedMatmulAttributes, block), AttributeType::integer, 0, false, 0, 0, 0, INT64_MAX},  // compressed_matmul block
    {2394, offsetof(CompressedMatmulAttributes, zero_point), AttributeType::integer, 0, false, 0, 0, -128, 255},  // compressed_matmul zero_point
    {1337, offsetof(AppendAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // append axis
    {2350, offsetof(AppendAttributes, first), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // append first
    {2265, offsetof(AppendAttributes, length), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // append length
    {2423, offsetof(AppendAttributes, circular), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // append circular
    {2432, offsetof(AppendAttributes, windowed), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // append windowed
    {2448, offsetof(TreeEnsembleAttributes, outputs), AttributeType::integer, 0, true, 0, 0, 1, 65536},  // tree_ensemble outputs
    {2456, offsetof(TreeEnsembleAttributes, aggregate), AttributeType::word, 20, false, 0, 0, 0, 3},  // tree_ensemble aggregate
    {2480, offsetof(CouplePairsAttributes, classes), AttributeType::integer, 0, true, 0, 0, 2, 1024},  // couple_pairs classes
    {2547, offsetof(StringConcatAttributes, bytes), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // string_concat bytes
    {1900, offsetof(StringCaseAttributes, upper), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // string_case upper
    {2547, offsetof(StringCaseAttributes, bytes), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // string_case bytes
    {2592, offsetof(CountStringPiecesAttributes, rule), AttributeType::word, 0, false, 0, 0, 0, 3},  // count_string_pieces rule
    {2597, offsetof(CountStringPiecesAttributes, most_splits), AttributeType::integer, 0, false, 0, 0, -1, INT64_MAX},  // count_string_pieces most_splits
    {2609, offsetof(CountStringPiecesAttributes, min_characters), AttributeType::integer, 0, false, 0, 0, 0, INT64_MAX},  // count_string_pieces min_characters
    {2592, offsetof(StringSplitAttributes, rule), AttributeType::word, 0, false, 0, 0, 0, 3},  // string_split rule
    {2597, offsetof(StringSplitAttributes, most_splits), AttributeType::integer, 0, false, 0, 0, -1, INT64_MAX},  // string_split most_splits
    {2609, offsetof(StringSplitAttributes, min_characters), AttributeType::integer, 0, false, 0, 0, 0, INT64_MAX},  // string_split min_characters
    {2227, offsetof(StringSplitAttributes, most), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // string_split most
    {2448, offsetof(NgramCountsAttributes, outputs), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // ngram_counts outputs
    {2657, offsetof(NgramCountsAttributes, max_skip), AttributeType::integer, 0, false, 0, 0, 0, INT64_MAX},  // ngram_counts max_skip
    {1512, offsetof(StringParseAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 13},  // string_parse to
};

const OperatorEntry kOperators[] = {
    {1113, 0, 7, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, maker<Convolution>()},
    {1153, 7, 9, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, maker<ConvTranspose>()},
    {1203, 16, 4, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, maker<Matmul>()},
    {1286, 20, 13, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, maker<Pooling>()},
    {1303, 33, 3, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, maker<Unary>()},
    {1309, 36, 1, bit(Trait::converts) | bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, maker<Binary>()},
    {1330, 37, 3, bit(Trait::keeps_order), 0x0, maker<Reduce>()},
    {1342, 40, 2, bit(Trait::keeps_order), 0x0, maker<Softmax>()},
    {1358, 42, 2, bit(Trait::keeps_order) | bit(Trait::parameters) | bit(Trait::post_ops), 0x6, maker<LayerNorm>()},
    {1490, 44, 14, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, maker<Resize>()},
    {1502, 58, 1, bit(Trait::view) | bit(Trait::stores), 0x0, maker<Transpose>()},
    {1534, 59, 3, bit(Trait::keeps_order) | bit(Trait::stores) | bit(Trait::converts), 0x0, maker<Cast>()},
    {1539, 62, 1, bit(Trait::keeps_order) | bit(Trait::feature_maps) | bit(Trait::stores), 0x0, maker<Concat>()},
    {1546, 63, 0, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::stores), 0x0, maker<Where>()},
    {1564, 63, 4, 0, 0x0, maker<ArgReduce>()},
    {1593, 67, 3, bit(Trait::keeps_order), 0x0, maker<CumSum>()},
    {1605, 70, 1, bit(Trait::view) | bit(Trait::stores), 0x0, maker<Reshape>()},
    {1613, 71, 1, bit(Trait::keeps_order) | bit(Trait::view) | bit(Trait::stores), 0x0, maker<Expand>()},
    {1641, 72, 3, bit(Trait::keeps_order) | bit(Trait::view) | bit(Trait::stores), 0x0, maker<Slice>()},
    {1660, 75, 3, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x2, maker<Pad>()},
    {1672, 78, 1, bit(Trait::keeps_order) | bit(Trait::stores), 0x0, maker<Tile>()},
    {1697, 79, 3, bit(Trait::feature_maps), 0x0, maker<DepthToSpace>()},
    {1763, 82, 7, 0, 0x0, maker<Range>()},
    {1783, 89, 3, 0, 0x0, maker<ShapeTensor>()},
    {1796, 92, 1, bit(Trait::stores), 0x0, maker<Gather>()},
    {1803, 93, 1, bit(Trait::repeated_indices) | bit(Trait::stores), 0x0, maker<GatherElements>()},
    {1830, 94, 1, bit(Trait::stores), 0x0, maker<GatherNd>()},
    {1850, 95, 2, bit(Trait::repeated_indices), 0x0, maker<ScatterElements>()},
    {1867, 97, 1, 0, 0x0, maker<ScatterNd>()},
    {1895, 98, 4, 0, 0x0, maker<TopK>()},
    {1906, 102, 2, bit(Trait::keeps_order), 0x0, maker<Trilu>()},
    {1912, 104, 2, 0, 0x0, maker<EyeLike>()},
    {1927, 106, 2, 0, 0x0, maker<OneHot>()},
    {1943, 108, 3, 0, 0x0, maker<GridSample>()},
    {1955, 111, 0, 0, 0x0, maker<CountNonZero>()},
    {1970, 111, 1, 0, 0x0, maker<NonZero>()},
    {1979, 112, 2, 0, 0x0, maker<Unique>()},
    {2147, 114, 15, 0, 0xff8, maker<Recurrent>()},
    {2163, 129, 7, 0, 0x0, maker<Fold>()},
    {2175, 136, 7, 0, 0x4, maker<DeformColumns>()},
    {2217, 143, 6, 0, 0x0, maker<RoiAlign>()},
    {2245, 149, 2, 0, 0x18, maker<NonMaxSuppression>()},
    {2281, 151, 4, 0, 0x0, maker<Dft>()},
    {2285, 155, 0, 0, 0x0, maker<Det>()},
    {2301, 155, 4, 0, 0x0, maker<RandomUniform>()},
    {2316, 159, 1, bit(Trait::stores), 0x0, maker<BitCast>()},
    {2371, 160, 6, 0, 0x1f8, maker<Attention>()},
    {2405, 166, 4, bit(Trait::dequantizes) | bit(Trait::products) | bit(Trait::post_ops), 0xc, maker<CompressedMatmul>()},
    {2441, 170, 5, 0, 0xc, maker<Append>()},
    {2466, 175, 2, 0, 0x40, maker<TreeEnsemble>()},
    {2488, 177, 1, 0, 0x0, maker<CouplePairs>()},
    {2501, 178, 0, 0, 0x0, maker<QuantizationRange>()},
    {2520, 178, 0, 0, 0x0, maker<StringLookup>()},
    {2534, 178, 0, 0, 0x0, maker<StringEqual>()},
    {2553, 178, 1, 0, 0x0, maker<StringConcat>()},
    {2567, 179, 2, 0, 0x0, maker<StringCase>()},
    {2579, 181, 0, 0, 0x0, maker<StringMatch>()},
    {2624, 181, 3, 0, 0xc, maker<CountStringPieces>()},
    {2644, 184, 4, 0, 0xc, maker<StringSplit>()},
    {2666, 188, 2, 0, 0x0, maker<NgramCounts>()},
    {2679, 190, 1, 0, 0x0, maker<StringParse>()},
    {2692, 191, 0, 0, 0x0, maker<StringFormat>()},
};

// How many of alpha and beta a function reads.
const uint8_t kParameters[] = {
    0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 2
};

}  // namespace anydim::described
