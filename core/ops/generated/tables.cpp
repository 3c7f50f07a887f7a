// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// What is known of each operator, as tables; core/ops/description.cpp reads them.
#include "core/ops/description_tables.h"

#include <cstddef>

#include "core/ops/arg_reduce.h"
#include "core/ops/binary.h"
#include "core/ops/cast.h"
#include "core/ops/concat.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/count_non_zero.h"
#include "core/ops/cumsum.h"
#include "core/ops/depth_to_space.h"
#include "core/ops/expand.h"
#include "core/ops/eye_like.h"
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/grid_sample.h"
#include "core/ops/layer_norm.h"
#include "core/ops/matmul.h"
#include "core/ops/non_zero.h"
#include "core/ops/one_hot.h"
#include "core/ops/pad.h"
#include "core/ops/pooling.h"
#include "core/ops/range.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/ops/resize.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/scatter_nd.h"
#include "core/ops/shape_tensor.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/tile.h"
#include "core/ops/topk.h"
#include "core/ops/transpose.h"
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
    "add\0sub\0mul\0div\0min\0max\0pow\0prelu\0mod_floor\0mod_trunc\0equal\0less\0less_equal\0greater\0greater_equal\0logical_and\0"
    "logical_or\0logical_xor\0bitwise_and\0bitwise_or\0bitwise_xor\0shift_left\0shift_right\0explicit\0same_upper\0"
    "same_lower\0valid\0average\0sum\0mean\0sum_square\0l1\0l2\0prod\0log_sum\0log_sum_exp\0nearest\0linear\0cubic\0half_pixel\0"
    "half_pixel_symmetric\0pytorch_half_pixel\0align_corners\0asymmetric\0tf_half_pixel_for_nn\0tf_crop_and_resize\0"
    "round_prefer_floor\0round_prefer_ceil\0stretch\0not_larger\0not_smaller\0constant\0reflect\0edge\0wrap\0depth_first\0"
    "column_first\0none\0zeros\0border\0reflection\0spatial\0auto_pad\0strides\0dilations\0pads_begin\0pads_end\0group\0"
    "convolution\0output_padding\0output_shape\0conv_transpose\0transpose_a\0transpose_b\0alpha\0beta\0matmul\0kind\0global\0"
    "window\0ceil_mode\0count_include_pad\0indices\0column_major_indices\0pooling\0function\0unary\0binary\0keepdims\0axes\0"
    "reduce\0axis\0softmax\0epsilon\0layer_norm\0mode\0coordinates\0cubic_coeff_a\0policy\0extrapolation_value\0"
    "exclude_outside\0sizes\0scales\0roi\0resize\0perm\0transpose\0to\0cast\0concat\0where\0select_last\0arg_reduce\0exclusive\0"
    "reverse\0cumsum\0dims\0reshape\0expand\0starts\0steps\0lengths\0slice\0before\0after\0pad\0repeats\0tile\0block\0order\0"
    "inverse\0depth_to_space\0dtype\0real\0start\0delta\0count\0real_start\0real_delta\0range\0scalar\0values\0shape_tensor\0"
    "gather\0gather_elements\0batch_dims\0gather_nd\0reduction\0scatter_elements\0scatter_nd\0k\0largest\0sorted\0topk\0upper\0"
    "trilu\0eye_like\0depth\0one_hot\0padding\0grid_sample\0count_non_zero\0non_zero\0unique\0"
    ;

const uint16_t kWords[] = {
    // unary_function
    0, 9, 14, 25, 30, 43, 54, 62, 67, 72, 76, 80, 85, 96, 100, 104, 111, 115, 124, 134, 143, 152, 157, 161, 166, 171,
    188, 195, 201, 206, 217, 222, 226, 230, 234, 239, 244, 249, 254, 259, 265, 271, 277, 284, 296, 308, 315, 322,
    // binary_function
    333, 337, 341, 345, 349, 353, 357, 361, 367, 377, 387, 393, 398, 409, 417, 431, 443, 454, 466, 478, 489, 501, 512,
    // auto_pad
    524, 533, 544, 555,
    // pooling_kind
    353, 561,
    // reduce_kind
    569, 573, 578, 589, 592, 595, 600, 608, 353, 349,
    // arg_reduce_kind
    353, 349,
    // resize_mode
    620, 628, 635,
    // resize_coordinates
    641, 652, 673, 692, 706, 717, 738,
    // resize_nearest
    757, 776, 195, 201,
    // resize_policy
    794, 802, 813,
    // pad_mode
    825, 834, 842, 847,
    // depth_to_space_order
    852, 864,
    // scatter_reduction
    877, 333, 341, 349, 353,
    // grid_sample_mode
    620, 628, 635,
    // grid_sample_padding
    882, 888, 895,
};

const WordList kWordLists[] = {
    {0, 48}, {48, 23}, {71, 4}, {75, 2}, {77, 10}, {87, 2}, {89, 3}, {92, 7}, {99, 4}, {103, 3}, {106, 4}, {110, 2},
    {112, 5}, {117, 3}, {120, 3}
};

const AttributeField kFields[] = {
    {906, offsetof(ConvolutionAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // convolution spatial
    {914, offsetof(ConvolutionAttributes, auto_pad), AttributeType::word, 2, false, 0, 0, 0, 3},  // convolution auto_pad
    {923, offsetof(ConvolutionAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution strides
    {931, offsetof(ConvolutionAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution dilations
    {941, offsetof(ConvolutionAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_begin
    {952, offsetof(ConvolutionAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_end
    {961, offsetof(ConvolutionAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // convolution group
    {906, offsetof(ConvTransposeAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // conv_transpose spatial
    {914, offsetof(ConvTransposeAttributes, auto_pad), AttributeType::word, 2, false, 0, 0, 0, 3},  // conv_transpose auto_pad
    {923, offsetof(ConvTransposeAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose strides
    {931, offsetof(ConvTransposeAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose dilations
    {941, offsetof(ConvTransposeAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_begin
    {952, offsetof(ConvTransposeAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_end
    {979, offsetof(ConvTransposeAttributes, output_padding), AttributeType::per_spatial, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_padding
    {994, offsetof(ConvTransposeAttributes, output_shape), AttributeType::integers, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_shape
    {961, offsetof(ConvTransposeAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // conv_transpose group
    {1022, offsetof(MatmulAttributes, transpose_a), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_a
    {1034, offsetof(MatmulAttributes, transpose_b), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_b
    {1046, offsetof(MatmulAttributes, alpha), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul alpha
    {1052, offsetof(MatmulAttributes, beta), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul beta
    {1064, offsetof(PoolingAttributes, kind), AttributeType::word, 3, false, 0, 0, 0, 1},  // pooling kind
    {906, offsetof(PoolingAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // pooling spatial
    {1069, offsetof(PoolingAttributes, global), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling global
    {914, offsetof(PoolingAttributes, auto_pad), AttributeType::word, 2, false, 3, 0x1, 0, 3},  // pooling auto_pad
    {1076, offsetof(PoolingAttributes, window), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling window
    {923, offsetof(PoolingAttributes, strides), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling strides
    {931, offsetof(PoolingAttributes, dilations), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling dilations
    {941, offsetof(PoolingAttributes, pads_begin), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_begin
    {952, offsetof(PoolingAttributes, pads_end), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_end
    {1083, offsetof(PoolingAttributes, ceil_mode), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling ceil_mode
    {1093, offsetof(PoolingAttributes, count_include_pad), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling count_include_pad
    {1111, offsetof(PoolingAttributes, indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling indices
    {1119, offsetof(PoolingAttributes, column_major_indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling column_major_indices
    {1148, offsetof(UnaryAttributes, function), AttributeType::word, 0, true, 0, 0, 0, 47},  // unary function
    {1046, offsetof(UnaryAttributes, alpha), AttributeType::real, 0, false, 1, 0xc40007c0001c, INT64_MIN, INT64_MAX},  // unary alpha
    {1052, offsetof(UnaryAttributes, beta), AttributeType::real, 0, false, 1, 0x440004800018, INT64_MIN, INT64_MAX},  // unary beta
    {1148, offsetof(BinaryAttributes, function), AttributeType::word, 1, true, 0, 0, 0, 22},  // binary function
    {1064, offsetof(ReduceAttributes, kind), AttributeType::word, 4, true, 0, 0, 0, 9},  // reduce kind
    {1170, offsetof(ReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce keepdims
    {1179, offsetof(ReduceAttributes, axes), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce axes
    {1191, offsetof(SoftmaxAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax axis
    {76, offsetof(SoftmaxAttributes, log), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax log
    {1191, offsetof(LayerNormAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // layer_norm axis
    {1204, offsetof(LayerNormAttributes, epsilon), AttributeType::real, 0, false, 0, 0, 0, INT64_MAX},  // layer_norm epsilon
    {1223, offsetof(ResizeAttributes, mode), AttributeType::word, 6, false, 0, 0, 0, 2},  // resize mode
    {1228, offsetof(ResizeAttributes, coordinates), AttributeType::word, 7, false, 0, 0, 0, 6},  // resize coordinates
    {620, offsetof(ResizeAttributes, nearest), AttributeType::word, 8, false, 1, 0x1, 0, 3},  // resize nearest
    {1240, offsetof(ResizeAttributes, cubic_coeff_a), AttributeType::real, 0, false, 1, 0x4, INT64_MIN, INT64_MAX},  // resize cubic_coeff_a
    {1254, offsetof(ResizeAttributes, policy), AttributeType::word, 9, false, 0, 0, 0, 2},  // resize policy
    {1261, offsetof(ResizeAttributes, extrapolation_value), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize extrapolation_value
    {1281, offsetof(ResizeAttributes, exclude_outside), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize exclude_outside
    {1179, offsetof(ResizeAttributes, axes), AttributeType::integers, 0, false, 0, 0, 0, 7},  // resize axes
    {1297, offsetof(ResizeAttributes, sizes), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // resize sizes
    {1303, offsetof(ResizeAttributes, scales), AttributeType::reals, 8, false, 0, 0, INT64_MIN, INT64_MAX},  // resize scales
    {1310, offsetof(ResizeAttributes, roi), AttributeType::reals, 16, false, 2, 0x40, INT64_MIN, INT64_MAX},  // resize roi
    {1321, offsetof(TransposeAttributes, perm), AttributeType::perm, 0, true, 0, 0, INT64_MIN, INT64_MAX},  // transpose perm
    {1336, offsetof(CastAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 13},  // cast to
    {1191, offsetof(ConcatAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // concat axis
    {1064, offsetof(ArgReduceAttributes, kind), AttributeType::word, 5, false, 0, 0, 0, 1},  // arg_reduce kind
    {1170, offsetof(ArgReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce keepdims
    {1191, offsetof(ArgReduceAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce axis
    {1357, offsetof(ArgReduceAttributes, select_last), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce select_last
    {1380, offsetof(CumSumAttributes, exclusive), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum exclusive
    {1390, offsetof(CumSumAttributes, reverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum reverse
    {1405, offsetof(ReshapeAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // reshape dims
    {1405, offsetof(ExpandAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // expand dims
    {1425, offsetof(SliceAttributes, starts), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice starts
    {1432, offsetof(SliceAttributes, steps), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice steps
    {1438, offsetof(SliceAttributes, lengths), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice lengths
    {1223, offsetof(PadAttributes, mode), AttributeType::word, 10, false, 0, 0, 0, 3},  // pad mode
    {1452, offsetof(PadAttributes, before), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad before
    {1459, offsetof(PadAttributes, after), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad after
    {1469, offsetof(TileAttributes, repeats), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // tile repeats
    {1482, offsetof(DepthToSpaceAttributes, block), AttributeType::integer, 0, false, 0, 0, 1, 1048576},  // depth_to_space block
    {1488, offsetof(DepthToSpaceAttributes, order), AttributeType::word, 11, false, 0, 0, 0, 1},  // depth_to_space order
    {1494, offsetof(DepthToSpaceAttributes, inverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // depth_to_space inverse
    {1517, offsetof(RangeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // range dtype
    {1523, offsetof(RangeAttributes, real), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // range real
    {1528, offsetof(RangeAttributes, start), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range start
    {1534, offsetof(RangeAttributes, delta), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range delta
    {1540, offsetof(RangeAttributes, count), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // range count
    {1546, offsetof(RangeAttributes, real_start), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_start
    {1557, offsetof(RangeAttributes, real_delta), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_delta
    {1517, offsetof(ShapeTensorAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // shape_tensor dtype
    {1574, offsetof(ShapeTensorAttributes, scalar), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor scalar
    {1581, offsetof(ShapeTensorAttributes, values), AttributeType::dim_list, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor values
    {1191, offsetof(GatherAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather axis
    {1191, offsetof(GatherElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_elements axis
    {1624, offsetof(GatherNdAttributes, batch_dims), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_nd batch_dims
    {1191, offsetof(ScatterElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // scatter_elements axis
    {1645, offsetof(ScatterElementsAttributes, reduction), AttributeType::word, 12, false, 0, 0, 0, 4},  // scatter_elements reduction
    {1645, offsetof(ScatterNdAttributes, reduction), AttributeType::word, 12, false, 0, 0, 0, 4},  // scatter_nd reduction
    {1191, offsetof(TopKAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // topk axis
    {1683, offsetof(TopKAttributes, k), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // topk k
    {1685, offsetof(TopKAttributes, largest), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk largest
    {1693, offsetof(TopKAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk sorted
    {1705, offsetof(TriluAttributes, upper), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu upper
    {1683, offsetof(TriluAttributes, k), AttributeType::dim, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu k
    {1517, offsetof(EyeLikeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 0, 13},  // eye_like dtype
    {1683, offsetof(EyeLikeAttributes, k), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // eye_like k
    {1191, offsetof(OneHotAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // one_hot axis
    {1726, offsetof(OneHotAttributes, depth), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // one_hot depth
    {1223, offsetof(GridSampleAttributes, mode), AttributeType::word, 13, false, 0, 0, 0, 2},  // grid_sample mode
    {1740, offsetof(GridSampleAttributes, padding), AttributeType::word, 14, false, 0, 0, 0, 2},  // grid_sample padding
    {692, offsetof(GridSampleAttributes, align_corners), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // grid_sample align_corners
    {1540, offsetof(NonZeroAttributes, count), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // non_zero count
    {1191, offsetof(UniqueAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // unique axis
    {1693, offsetof(UniqueAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // unique sorted
};

const OperatorEntry kOperators[] = {
    {967, 0, 7, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<Convolution>},
    {1007, 7, 9, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<ConvTranspose>},
    {1057, 16, 4, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<Matmul>},
    {1140, 20, 13, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Pooling>},
    {1157, 33, 3, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, make_as<Unary>},
    {1163, 36, 1, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, make_as<Binary>},
    {1184, 37, 3, bit(Trait::keeps_order), 0x0, make_as<Reduce>},
    {1196, 40, 2, bit(Trait::keeps_order), 0x0, make_as<Softmax>},
    {1212, 42, 2, bit(Trait::keeps_order) | bit(Trait::parameters) | bit(Trait::post_ops), 0x6, make_as<LayerNorm>},
    {1314, 44, 11, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Resize>},
    {1326, 55, 1, bit(Trait::view), 0x0, make_as<Transpose>},
    {1339, 56, 1, bit(Trait::keeps_order), 0x0, make_as<Cast>},
    {1344, 57, 1, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Concat>},
    {1351, 58, 0, bit(Trait::elementwise) | bit(Trait::keeps_order), 0x0, make_as<Where>},
    {1369, 58, 4, 0, 0x0, make_as<ArgReduce>},
    {1398, 62, 2, bit(Trait::keeps_order), 0x0, make_as<CumSum>},
    {1410, 64, 1, bit(Trait::view), 0x0, make_as<Reshape>},
    {1418, 65, 1, bit(Trait::keeps_order) | bit(Trait::view), 0x0, make_as<Expand>},
    {1446, 66, 3, bit(Trait::keeps_order) | bit(Trait::view), 0x0, make_as<Slice>},
    {1465, 69, 3, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x2, make_as<Pad>},
    {1477, 72, 1, bit(Trait::keeps_order), 0x0, make_as<Tile>},
    {1502, 73, 3, bit(Trait::feature_maps), 0x0, make_as<DepthToSpace>},
    {1568, 76, 7, 0, 0x0, make_as<Range>},
    {1588, 83, 3, 0, 0x0, make_as<ShapeTensor>},
    {1601, 86, 1, 0, 0x0, make_as<Gather>},
    {1608, 87, 1, bit(Trait::repeated_indices), 0x0, make_as<GatherElements>},
    {1635, 88, 1, 0, 0x0, make_as<GatherNd>},
    {1655, 89, 2, bit(Trait::repeated_indices), 0x0, make_as<ScatterElements>},
    {1672, 91, 1, 0, 0x0, make_as<ScatterNd>},
    {1700, 92, 4, 0, 0x0, make_as<TopK>},
    {1711, 96, 2, bit(Trait::keeps_order), 0x0, make_as<Trilu>},
    {1717, 98, 2, 0, 0x0, make_as<EyeLike>},
    {1732, 100, 2, 0, 0x0, make_as<OneHot>},
    {1748, 102, 3, 0, 0x0, make_as<GridSample>},
    {1760, 105, 0, 0, 0x0, make_as<CountNonZero>},
    {1775, 105, 1, 0, 0x0, make_as<NonZero>},
    {1784, 106, 2, 0, 0x0, make_as<Unique>},
};

// How many of alpha and beta a function reads.
const uint8_t kParameters[] = {
    0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2, 0, 0, 0, 2, 1
};

}  // namespace anydim::described
