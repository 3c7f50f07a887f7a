// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// What is known of each operator, as tables; core/ops/description.cpp reads them.
#include "core/ops/description_tables.h"

#include <cstddef>

#include "core/ops/append.h"
#include "core/ops/arg_reduce.h"
#include "core/ops/attention.h"
#include "core/ops/binary.h"
#include "core/ops/bit_cast.h"
#include "core/ops/cast.h"
#include "core/ops/compressed_matmul.h"
#include "core/ops/concat.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/count_non_zero.h"
#include "core/ops/couple_pairs.h"
#include "core/ops/cumsum.h"
#include "core/ops/deform_columns.h"
#include "core/ops/depth_to_space.h"
#include "core/ops/det.h"
#include "core/ops/dft.h"
#include "core/ops/expand.h"
#include "core/ops/eye_like.h"
#include "core/ops/fold.h"
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/grid_sample.h"
#include "core/ops/layer_norm.h"
#include "core/ops/matmul.h"
#include "core/ops/non_max_suppression.h"
#include "core/ops/non_zero.h"
#include "core/ops/one_hot.h"
#include "core/ops/pad.h"
#include "core/ops/pooling.h"
#include "core/ops/quantization_range.h"
#include "core/ops/random_uniform.h"
#include "core/ops/range.h"
#include "core/ops/recurrent.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/ops/resize.h"
#include "core/ops/roi_align.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/scatter_nd.h"
#include "core/ops/shape_tensor.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/tile.h"
#include "core/ops/topk.h"
#include "core/ops/transpose.h"
#include "core/ops/tree_ensemble.h"
#include "core/ops/trilu.h"
#include "core/ops/unary.h"
#include "core/ops/unique.h"
#include "core/ops/where.h"

namespace anydim::described {

namespace {

constexpr uint32_t bit(Trait t) { return 1u << static_cast<unsigned>(t); }

template <class T> Result<OperatorPtr> make_as(FillAttributes fill, void* context) {
  typename T::Attributes attributes;
  ANYDIM_TRY(fill(context, &attributes));
  return T::make(std::move(attributes));
}

}  // namespace

const char kTexts[] =
    "identity\0relu\0leaky_relu\0clip\0hard_sigmoid\0hard_swish\0sigmoid\0silu\0tanh\0exp\0log\0sqrt\0reciprocal\0abs\0neg\0square\0"
    "erf\0gelu_erf\0gelu_tanh\0softplus\0softsign\0mish\0elu\0selu\0celu\0thresholded_relu\0shrink\0floor\0ceil\0round_even\0sign\0"
    "sin\0cos\0tan\0asin\0acos\0atan\0sinh\0cosh\0asinh\0acosh\0atanh\0affine\0logical_not\0bitwise_not\0is_nan\0is_inf\0quick_gelu\0"
    "round_f16\0round_bf16\0scaled_tanh\0add\0sub\0mul\0div\0min\0max\0pow\0prelu\0mod_floor\0mod_trunc\0equal\0less\0less_equal\0"
    "greater\0greater_equal\0logical_and\0logical_or\0logical_xor\0bitwise_and\0bitwise_or\0bitwise_xor\0shift_left\0"
    "shift_right\0explicit\0same_upper\0same_lower\0valid\0average\0sum\0mean\0sum_square\0l1\0l2\0prod\0log_sum\0log_sum_exp\0"
    "nearest\0linear\0cubic\0half_pixel\0half_pixel_symmetric\0pytorch_half_pixel\0align_corners\0asymmetric\0"
    "tf_half_pixel_for_nn\0tf_crop_and_resize\0round_prefer_floor\0round_prefer_ceil\0stretch\0not_larger\0not_smaller\0"
    "maximum\0cells\0up\0down\0constant\0reflect\0edge\0wrap\0depth_first\0column_first\0none\0zeros\0border\0reflection\0rnn\0"
    "lstm\0gru\0forward\0reverse\0bidirectional\0minimum\0spatial\0auto_pad\0strides\0dilations\0pads_begin\0pads_end\0group\0"
    "convolution\0output_padding\0output_shape\0conv_transpose\0transpose_a\0transpose_b\0alpha\0beta\0matmul\0kind\0global\0"
    "window\0ceil_mode\0count_include_pad\0indices\0column_major_indices\0pooling\0function\0unary\0binary\0keepdims\0axes\0"
    "reduce\0axis\0softmax\0epsilon\0layer_norm\0mode\0coordinates\0cubic_coeff_a\0policy\0extrapolation_value\0"
    "exclude_outside\0antialias\0sizes\0scales\0roi\0scale_bits\0roi_bits\0resize\0perm\0transpose\0to\0overflows\0rounding\0"
    "cast\0concat\0where\0select_last\0arg_reduce\0exclusive\0product\0cumsum\0dims\0reshape\0expand\0starts\0steps\0lengths\0"
    "slice\0before\0after\0pad\0repeats\0tile\0block\0order\0inverse\0depth_to_space\0dtype\0real\0start\0delta\0count\0real_start\0"
    "real_delta\0range\0scalar\0values\0shape_tensor\0gather\0gather_elements\0batch_dims\0gather_nd\0reduction\0"
    "scatter_elements\0scatter_nd\0k\0largest\0sorted\0topk\0upper\0trilu\0eye_like\0depth\0one_hot\0padding\0grid_sample\0"
    "count_non_zero\0non_zero\0unique\0cell\0direction\0gates\0gates_alpha\0gates_beta\0candidate\0candidate_alpha\0"
    "candidate_beta\0output\0output_alpha\0output_beta\0linear_before_reset\0input_forget\0cell_state\0recurrent\0image\0"
    "fold\0groups\0deform_columns\0height\0width\0samples\0scale\0roi_align\0most\0center_point\0non_max_suppression\0length\0"
    "onesided\0dft\0det\0seed\0stream\0random_uniform\0bit_cast\0left_window\0right_window\0first\0softcap\0causal\0attention\0"
    "zero_point\0compressed_matmul\0circular\0append\0outputs\0aggregate\0tree_ensemble\0classes\0couple_pairs\0"
    "quantization_range\0"
    ;

const uint16_t kWords[] = {
    // unary_function
    0, 9, 14, 25, 30, 43, 54, 62, 67, 72, 76, 80, 85, 96, 100, 104, 111, 115, 124, 134, 143, 152, 157, 161, 166, 171,
    188, 195, 201, 206, 217, 222, 226, 230, 234, 239, 244, 249, 254, 259, 265, 271, 277, 284, 296, 308, 315, 322, 333,
    343, 354,
    // binary_function
    366, 370, 374, 378, 382, 386, 390, 394, 400, 410, 420, 426, 431, 442, 450, 464, 476, 487, 499, 511, 522, 534, 545,
    // auto_pad
    557, 566, 577, 588,
    // pooling_kind
    386, 594,
    // reduce_kind
    602, 606, 611, 622, 625, 628, 633, 641, 386, 382,
    // arg_reduce_kind
    386, 382,
    // resize_mode
    653, 661, 668,
    // resize_coordinates
    674, 685, 706, 725, 739, 750, 771,
    // resize_nearest
    790, 809, 195, 201,
    // resize_policy
    827, 835, 846,
    // roi_mode
    594, 858, 866,
    // power_rounding
    872, 875, 653,
    // pad_mode
    880, 889, 897, 902,
    // depth_to_space_order
    907, 919,
    // scatter_reduction
    932, 366, 374, 382, 386,
    // grid_sample_mode
    653, 661, 668,
    // grid_sample_padding
    937, 943, 950,
    // recurrent_cell
    961, 965, 970,
    // recurrent_direction
    974, 982, 990,
    // tree_aggregate
    602, 594, 1004, 858,
};

const WordList kWordLists[] = {
    {0, 51}, {51, 23}, {74, 4}, {78, 2}, {80, 10}, {90, 2}, {92, 3}, {95, 7}, {102, 4}, {106, 3}, {109, 3}, {112, 3},
    {115, 4}, {119, 2}, {121, 5}, {126, 3}, {129, 3}, {132, 3}, {135, 3}, {138, 4}
};

const AttributeField kFields[] = {
    {1012, offsetof(ConvolutionAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // convolution spatial
    {1020, offsetof(ConvolutionAttributes, auto_pad), AttributeType::word, 2, false, 0, 0, 0, 3},  // convolution auto_pad
    {1029, offsetof(ConvolutionAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution strides
    {1037, offsetof(ConvolutionAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution dilations
    {1047, offsetof(ConvolutionAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_begin
    {1058, offsetof(ConvolutionAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_end
    {1067, offsetof(ConvolutionAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // convolution group
    {1012, offsetof(ConvTransposeAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // conv_transpose spatial
    {1020, offsetof(ConvTransposeAttributes, auto_pad), AttributeType::word, 2, false, 0, 0, 0, 3},  // conv_transpose auto_pad
    {1029, offsetof(ConvTransposeAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose strides
    {1037, offsetof(ConvTransposeAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose dilations
    {1047, offsetof(ConvTransposeAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_begin
    {1058, offsetof(ConvTransposeAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_end
    {1085, offsetof(ConvTransposeAttributes, output_padding), AttributeType::per_spatial, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_padding
    {1100, offsetof(ConvTransposeAttributes, output_shape), AttributeType::integers, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_shape
    {1067, offsetof(ConvTransposeAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // conv_transpose group
    {1128, offsetof(MatmulAttributes, transpose_a), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_a
    {1140, offsetof(MatmulAttributes, transpose_b), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_b
    {1152, offsetof(MatmulAttributes, alpha), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul alpha
    {1158, offsetof(MatmulAttributes, beta), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul beta
    {1170, offsetof(PoolingAttributes, kind), AttributeType::word, 3, false, 0, 0, 0, 1},  // pooling kind
    {1012, offsetof(PoolingAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // pooling spatial
    {1175, offsetof(PoolingAttributes, global), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling global
    {1020, offsetof(PoolingAttributes, auto_pad), AttributeType::word, 2, false, 3, 0x1, 0, 3},  // pooling auto_pad
    {1182, offsetof(PoolingAttributes, window), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling window
    {1029, offsetof(PoolingAttributes, strides), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling strides
    {1037, offsetof(PoolingAttributes, dilations), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling dilations
    {1047, offsetof(PoolingAttributes, pads_begin), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_begin
    {1058, offsetof(PoolingAttributes, pads_end), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_end
    {1189, offsetof(PoolingAttributes, ceil_mode), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling ceil_mode
    {1199, offsetof(PoolingAttributes, count_include_pad), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling count_include_pad
    {1217, offsetof(PoolingAttributes, indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling indices
    {1225, offsetof(PoolingAttributes, column_major_indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling column_major_indices
    {1254, offsetof(UnaryAttributes, function), AttributeType::word, 0, true, 0, 0, 0, 50},  // unary function
    {1152, offsetof(UnaryAttributes, alpha), AttributeType::real, 0, false, 1, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // unary alpha
    {1158, offsetof(UnaryAttributes, beta), AttributeType::real, 0, false, 1, 0x4440004800018, INT64_MIN, INT64_MAX},  // unary beta
    {1254, offsetof(BinaryAttributes, function), AttributeType::word, 1, true, 0, 0, 0, 22},  // binary function
    {1170, offsetof(ReduceAttributes, kind), AttributeType::word, 4, true, 0, 0, 0, 9},  // reduce kind
    {1276, offsetof(ReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce keepdims
    {1285, offsetof(ReduceAttributes, axes), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce axes
    {1297, offsetof(SoftmaxAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax axis
    {76, offsetof(SoftmaxAttributes, log), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax log
    {1297, offsetof(LayerNormAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // layer_norm axis
    {1310, offsetof(LayerNormAttributes, epsilon), AttributeType::real, 0, false, 0, 0, 0, INT64_MAX},  // layer_norm epsilon
    {1329, offsetof(ResizeAttributes, mode), AttributeType::word, 6, false, 0, 0, 0, 2},  // resize mode
    {1334, offsetof(ResizeAttributes, coordinates), AttributeType::word, 7, false, 0, 0, 0, 6},  // resize coordinates
    {653, offsetof(ResizeAttributes, nearest), AttributeType::word, 8, false, 1, 0x1, 0, 3},  // resize nearest
    {1346, offsetof(ResizeAttributes, cubic_coeff_a), AttributeType::real, 0, false, 1, 0x4, INT64_MIN, INT64_MAX},  // resize cubic_coeff_a
    {1360, offsetof(ResizeAttributes, policy), AttributeType::word, 9, false, 0, 0, 0, 2},  // resize policy
    {1367, offsetof(ResizeAttributes, extrapolation_value), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize extrapolation_value
    {1387, offsetof(ResizeAttributes, exclude_outside), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize exclude_outside
    {1403, offsetof(ResizeAttributes, antialias), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize antialias
    {1285, offsetof(ResizeAttributes, axes), AttributeType::integers, 0, false, 0, 0, 0, 7},  // resize axes
    {1413, offsetof(ResizeAttributes, sizes), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // resize sizes
    {1419, offsetof(ResizeAttributes, scales), AttributeType::reals, 8, false, 0, 0, INT64_MIN, INT64_MAX},  // resize scales
    {1426, offsetof(ResizeAttributes, roi), AttributeType::reals, 16, false, 2, 0x40, INT64_MIN, INT64_MAX},  // resize roi
    {1430, offsetof(ResizeAttributes, scale_bits), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize scale_bits
    {1441, offsetof(ResizeAttributes, roi_bits), AttributeType::dims, 0, false, 2, 0x40, INT64_MIN, INT64_MAX},  // resize roi_bits
    {1457, offsetof(TransposeAttributes, perm), AttributeType::perm, 0, true, 0, 0, INT64_MIN, INT64_MAX},  // transpose perm
    {1472, offsetof(CastAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 23},  // cast to
    {1475, offsetof(CastAttributes, overflows), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cast overflows
    {1485, offsetof(CastAttributes, rounding), AttributeType::word, 11, false, 0, 0, 0, 2},  // cast rounding
    {1297, offsetof(ConcatAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // concat axis
    {1170, offsetof(ArgReduceAttributes, kind), AttributeType::word, 5, false, 0, 0, 0, 1},  // arg_reduce kind
    {1276, offsetof(ArgReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce keepdims
    {1297, offsetof(ArgReduceAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce axis
    {1512, offsetof(ArgReduceAttributes, select_last), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce select_last
    {1535, offsetof(CumSumAttributes, exclusive), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum exclusive
    {982, offsetof(CumSumAttributes, reverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum reverse
    {1545, offsetof(CumSumAttributes, product), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum product
    {1560, offsetof(ReshapeAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // reshape dims
    {1560, offsetof(ExpandAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // expand dims
    {1580, offsetof(SliceAttributes, starts), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice starts
    {1587, offsetof(SliceAttributes, steps), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice steps
    {1593, offsetof(SliceAttributes, lengths), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice lengths
    {1329, offsetof(PadAttributes, mode), AttributeType::word, 12, false, 0, 0, 0, 3},  // pad mode
    {1607, offsetof(PadAttributes, before), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad before
    {1614, offsetof(PadAttributes, after), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad after
    {1624, offsetof(TileAttributes, repeats), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // tile repeats
    {1637, offsetof(DepthToSpaceAttributes, block), AttributeType::integer, 0, false, 0, 0, 1, 1048576},  // depth_to_space block
    {1643, offsetof(DepthToSpaceAttributes, order), AttributeType::word, 13, false, 0, 0, 0, 1},  // depth_to_space order
    {1649, offsetof(DepthToSpaceAttributes, inverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // depth_to_space inverse
    {1672, offsetof(RangeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // range dtype
    {1678, offsetof(RangeAttributes, real), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // range real
    {1683, offsetof(RangeAttributes, start), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range start
    {1689, offsetof(RangeAttributes, delta), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range delta
    {1695, offsetof(RangeAttributes, count), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // range count
    {1701, offsetof(RangeAttributes, real_start), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_start
    {1712, offsetof(RangeAttributes, real_delta), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_delta
    {1672, offsetof(ShapeTensorAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // shape_tensor dtype
    {1729, offsetof(ShapeTensorAttributes, scalar), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor scalar
    {1736, offsetof(ShapeTensorAttributes, values), AttributeType::dim_list, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor values
    {1297, offsetof(GatherAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather axis
    {1297, offsetof(GatherElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_elements axis
    {1779, offsetof(GatherNdAttributes, batch_dims), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_nd batch_dims
    {1297, offsetof(ScatterElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // scatter_elements axis
    {1800, offsetof(ScatterElementsAttributes, reduction), AttributeType::word, 14, false, 0, 0, 0, 4},  // scatter_elements reduction
    {1800, offsetof(ScatterNdAttributes, reduction), AttributeType::word, 14, false, 0, 0, 0, 4},  // scatter_nd reduction
    {1297, offsetof(TopKAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // topk axis
    {1838, offsetof(TopKAttributes, k), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // topk k
    {1840, offsetof(TopKAttributes, largest), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk largest
    {1848, offsetof(TopKAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk sorted
    {1860, offsetof(TriluAttributes, upper), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu upper
    {1838, offsetof(TriluAttributes, k), AttributeType::dim, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu k
    {1672, offsetof(EyeLikeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 0, 13},  // eye_like dtype
    {1838, offsetof(EyeLikeAttributes, k), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // eye_like k
    {1297, offsetof(OneHotAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // one_hot axis
    {1881, offsetof(OneHotAttributes, depth), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // one_hot depth
    {1329, offsetof(GridSampleAttributes, mode), AttributeType::word, 15, false, 0, 0, 0, 2},  // grid_sample mode
    {1895, offsetof(GridSampleAttributes, padding), AttributeType::word, 16, false, 0, 0, 0, 2},  // grid_sample padding
    {725, offsetof(GridSampleAttributes, align_corners), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // grid_sample align_corners
    {1695, offsetof(NonZeroAttributes, count), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // non_zero count
    {1297, offsetof(UniqueAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // unique axis
    {1848, offsetof(UniqueAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // unique sorted
    {1946, offsetof(RecurrentAttributes, cell), AttributeType::word, 17, true, 0, 0, 0, 2},  // recurrent cell
    {1951, offsetof(RecurrentAttributes, direction), AttributeType::word, 18, false, 0, 0, 0, 2},  // recurrent direction
    {1961, offsetof(RecurrentAttributes, gates), AttributeType::word, 0, false, 0, 0, 0, 50},  // recurrent gates
    {1967, offsetof(RecurrentAttributes, gates_alpha), AttributeType::real, 0, false, 3, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // recurrent gates_alpha
    {1979, offsetof(RecurrentAttributes, gates_beta), AttributeType::real, 0, false, 3, 0x4440004800018, INT64_MIN, INT64_MAX},  // recurrent gates_beta
    {1990, offsetof(RecurrentAttributes, candidate), AttributeType::word, 0, false, 0, 0, 0, 50},  // recurrent candidate
    {2000, offsetof(RecurrentAttributes, candidate_alpha), AttributeType::real, 0, false, 6, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // recurrent candidate_alpha
    {2016, offsetof(RecurrentAttributes, candidate_beta), AttributeType::real, 0, false, 6, 0x4440004800018, INT64_MIN, INT64_MAX},  // recurrent candidate_beta
    {2031, offsetof(RecurrentAttributes, output), AttributeType::word, 0, false, 0, 0, 0, 50},  // recurrent output
    {2038, offsetof(RecurrentAttributes, output_alpha), AttributeType::real, 0, false, 9, 0x4c40007c0001c, INT64_MIN, INT64_MAX},  // recurrent output_alpha
    {2051, offsetof(RecurrentAttributes, output_beta), AttributeType::real, 0, false, 9, 0x4440004800018, INT64_MIN, INT64_MAX},  // recurrent output_beta
    {25, offsetof(RecurrentAttributes, clip), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent clip
    {2063, offsetof(RecurrentAttributes, linear_before_reset), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent linear_before_reset
    {2083, offsetof(RecurrentAttributes, input_forget), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent input_forget
    {2096, offsetof(RecurrentAttributes, cell_state), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // recurrent cell_state
    {1012, offsetof(FoldAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // fold spatial
    {2117, offsetof(FoldAttributes, image), AttributeType::dims, 0, true, 0, 0, 0, INT64_MAX},  // fold image
    {1182, offsetof(FoldAttributes, window), AttributeType::dims, 0, true, 0, 0, 1, INT64_MAX},  // fold window
    {1029, offsetof(FoldAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // fold strides
    {1037, offsetof(FoldAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // fold dilations
    {1047, offsetof(FoldAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // fold pads_begin
    {1058, offsetof(FoldAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // fold pads_end
    {1012, offsetof(DeformColumnsAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // deform_columns spatial
    {1182, offsetof(DeformColumnsAttributes, window), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // deform_columns window
    {1029, offsetof(DeformColumnsAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // deform_columns strides
    {1037, offsetof(DeformColumnsAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // deform_columns dilations
    {1047, offsetof(DeformColumnsAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // deform_columns pads_begin
    {1058, offsetof(DeformColumnsAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // deform_columns pads_end
    {2128, offsetof(DeformColumnsAttributes, groups), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // deform_columns groups
    {1329, offsetof(RoiAlignAttributes, mode), AttributeType::word, 10, false, 0, 0, 0, 2},  // roi_align mode
    {674, offsetof(RoiAlignAttributes, half_pixel), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // roi_align half_pixel
    {2150, offsetof(RoiAlignAttributes, height), AttributeType::integer, 0, false, 0, 0, 1, 2147483648},  // roi_align height
    {2157, offsetof(RoiAlignAttributes, width), AttributeType::integer, 0, false, 0, 0, 1, 2147483648},  // roi_align width
    {2163, offsetof(RoiAlignAttributes, samples), AttributeType::integer, 0, false, 0, 0, 0, 2147483648},  // roi_align samples
    {2171, offsetof(RoiAlignAttributes, scale), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // roi_align scale
    {2187, offsetof(NonMaxSuppressionAttributes, most), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // non_max_suppression most
    {2192, offsetof(NonMaxSuppressionAttributes, center_point), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // non_max_suppression center_point
    {1297, offsetof(DftAttributes, axis), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // dft axis
    {2225, offsetof(DftAttributes, length), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // dft length
    {1649, offsetof(DftAttributes, inverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // dft inverse
    {2232, offsetof(DftAttributes, onesided), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // dft onesided
    {1672, offsetof(RandomUniformAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // random_uniform dtype
    {1560, offsetof(RandomUniformAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // random_uniform dims
    {2249, offsetof(RandomUniformAttributes, seed), AttributeType::integer, 0, true, 0, 0, INT64_MIN, INT64_MAX},  // random_uniform seed
    {2254, offsetof(RandomUniformAttributes, stream), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // random_uniform stream
    {1472, offsetof(BitCastAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 23},  // bit_cast to
    {2285, offsetof(AttentionAttributes, left_window), AttributeType::integer, 0, false, 0, 0, -1, INT64_MAX},  // attention left_window
    {2297, offsetof(AttentionAttributes, right_window), AttributeType::integer, 0, false, 0, 0, -1, INT64_MAX},  // attention right_window
    {2310, offsetof(AttentionAttributes, first), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // attention first
    {2171, offsetof(AttentionAttributes, scale), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // attention scale
    {2316, offsetof(AttentionAttributes, softcap), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // attention softcap
    {2324, offsetof(AttentionAttributes, causal), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // attention causal
    {1140, offsetof(CompressedMatmulAttributes, transpose_b), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // compressed_matmul transpose_b
    {1637, offsetof(CompressedMatmulAttributes, block), AttributeType::integer, 0, false, 0, 0, 0, INT64_MAX},  // compressed_matmul block
    {2341, offsetof(CompressedMatmulAttributes, zero_point), AttributeType::integer, 0, false, 0, 0, -128, 255},  // compressed_matmul zero_point
    {1297, offsetof(AppendAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // append axis
    {2310, offsetof(AppendAttributes, first), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // append first
    {2225, offsetof(AppendAttributes, length), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // append length
    {2370, offsetof(AppendAttributes, circular), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // append circular
    {2386, offsetof(TreeEnsembleAttributes, outputs), AttributeType::integer, 0, true, 0, 0, 1, 65536},  // tree_ensemble outputs
    {2394, offsetof(TreeEnsembleAttributes, aggregate), AttributeType::word, 19, false, 0, 0, 0, 3},  // tree_ensemble aggregate
    {2418, offsetof(CouplePairsAttributes, classes), AttributeType::integer, 0, true, 0, 0, 2, 1024},  // couple_pairs classes
};

const OperatorEntry kOperators[] = {
    {1073, 0, 7, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<Convolution>},
    {1113, 7, 9, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<ConvTranspose>},
    {1163, 16, 4, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<Matmul>},
    {1246, 20, 13, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Pooling>},
    {1263, 33, 3, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, make_as<Unary>},
    {1269, 36, 1, bit(Trait::converts) | bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, make_as<Binary>},
    {1290, 37, 3, bit(Trait::keeps_order), 0x0, make_as<Reduce>},
    {1302, 40, 2, bit(Trait::keeps_order), 0x0, make_as<Softmax>},
    {1318, 42, 2, bit(Trait::keeps_order) | bit(Trait::parameters) | bit(Trait::post_ops), 0x6, make_as<LayerNorm>},
    {1450, 44, 14, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Resize>},
    {1462, 58, 1, bit(Trait::view) | bit(Trait::stores), 0x0, make_as<Transpose>},
    {1494, 59, 3, bit(Trait::keeps_order) | bit(Trait::stores) | bit(Trait::converts), 0x0, make_as<Cast>},
    {1499, 62, 1, bit(Trait::keeps_order) | bit(Trait::feature_maps) | bit(Trait::stores), 0x0, make_as<Concat>},
    {1506, 63, 0, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::stores), 0x0, make_as<Where>},
    {1524, 63, 4, 0, 0x0, make_as<ArgReduce>},
    {1553, 67, 3, bit(Trait::keeps_order), 0x0, make_as<CumSum>},
    {1565, 70, 1, bit(Trait::view) | bit(Trait::stores), 0x0, make_as<Reshape>},
    {1573, 71, 1, bit(Trait::keeps_order) | bit(Trait::view) | bit(Trait::stores), 0x0, make_as<Expand>},
    {1601, 72, 3, bit(Trait::keeps_order) | bit(Trait::view) | bit(Trait::stores), 0x0, make_as<Slice>},
    {1620, 75, 3, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x2, make_as<Pad>},
    {1632, 78, 1, bit(Trait::keeps_order) | bit(Trait::stores), 0x0, make_as<Tile>},
    {1657, 79, 3, bit(Trait::feature_maps), 0x0, make_as<DepthToSpace>},
    {1723, 82, 7, 0, 0x0, make_as<Range>},
    {1743, 89, 3, 0, 0x0, make_as<ShapeTensor>},
    {1756, 92, 1, bit(Trait::stores), 0x0, make_as<Gather>},
    {1763, 93, 1, bit(Trait::repeated_indices) | bit(Trait::stores), 0x0, make_as<GatherElements>},
    {1790, 94, 1, bit(Trait::stores), 0x0, make_as<GatherNd>},
    {1810, 95, 2, bit(Trait::repeated_indices), 0x0, make_as<ScatterElements>},
    {1827, 97, 1, 0, 0x0, make_as<ScatterNd>},
    {1855, 98, 4, 0, 0x0, make_as<TopK>},
    {1866, 102, 2, bit(Trait::keeps_order), 0x0, make_as<Trilu>},
    {1872, 104, 2, 0, 0x0, make_as<EyeLike>},
    {1887, 106, 2, 0, 0x0, make_as<OneHot>},
    {1903, 108, 3, 0, 0x0, make_as<GridSample>},
    {1915, 111, 0, 0, 0x0, make_as<CountNonZero>},
    {1930, 111, 1, 0, 0x0, make_as<NonZero>},
    {1939, 112, 2, 0, 0x0, make_as<Unique>},
    {2107, 114, 15, 0, 0xf8, make_as<Recurrent>},
    {2123, 129, 7, 0, 0x0, make_as<Fold>},
    {2135, 136, 7, 0, 0x4, make_as<DeformColumns>},
    {2177, 143, 6, 0, 0x0, make_as<RoiAlign>},
    {2205, 149, 2, 0, 0x18, make_as<NonMaxSuppression>},
    {2241, 151, 4, 0, 0x0, make_as<Dft>},
    {2245, 155, 0, 0, 0x0, make_as<Det>},
    {2261, 155, 4, 0, 0x0, make_as<RandomUniform>},
    {2276, 159, 1, bit(Trait::stores), 0x0, make_as<BitCast>},
    {2331, 160, 6, 0, 0x78, make_as<Attention>},
    {2352, 166, 3, bit(Trait::dequantizes) | bit(Trait::products) | bit(Trait::post_ops), 0xc, make_as<CompressedMatmul>},
    {2379, 169, 4, 0, 0x4, make_as<Append>},
    {2404, 173, 2, 0, 0x40, make_as<TreeEnsemble>},
    {2426, 175, 1, 0, 0x0, make_as<CouplePairs>},
    {2439, 176, 0, 0, 0x0, make_as<QuantizationRange>},
};

// How many of alpha and beta a function reads.
const uint8_t kParameters[] = {
    0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 2
};

}  // namespace anydim::described
