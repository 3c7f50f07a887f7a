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
    "round_f16\0round_bf16\0add\0sub\0mul\0div\0min\0max\0pow\0prelu\0mod_floor\0mod_trunc\0equal\0less\0less_equal\0greater\0"
    "greater_equal\0logical_and\0logical_or\0logical_xor\0bitwise_and\0bitwise_or\0bitwise_xor\0shift_left\0shift_right\0"
    "explicit\0same_upper\0same_lower\0valid\0average\0sum\0mean\0sum_square\0l1\0l2\0prod\0log_sum\0log_sum_exp\0nearest\0linear\0"
    "cubic\0half_pixel\0half_pixel_symmetric\0pytorch_half_pixel\0align_corners\0asymmetric\0tf_half_pixel_for_nn\0"
    "tf_crop_and_resize\0round_prefer_floor\0round_prefer_ceil\0stretch\0not_larger\0not_smaller\0constant\0reflect\0edge\0"
    "wrap\0depth_first\0column_first\0none\0zeros\0border\0reflection\0spatial\0auto_pad\0strides\0dilations\0pads_begin\0"
    "pads_end\0group\0convolution\0output_padding\0output_shape\0conv_transpose\0transpose_a\0transpose_b\0alpha\0beta\0"
    "matmul\0kind\0global\0window\0ceil_mode\0count_include_pad\0indices\0column_major_indices\0pooling\0function\0unary\0"
    "binary\0keepdims\0axes\0reduce\0axis\0softmax\0epsilon\0layer_norm\0mode\0coordinates\0cubic_coeff_a\0policy\0"
    "extrapolation_value\0exclude_outside\0sizes\0scales\0roi\0resize\0perm\0transpose\0to\0cast\0concat\0where\0select_last\0"
    "arg_reduce\0exclusive\0reverse\0cumsum\0dims\0reshape\0expand\0starts\0steps\0lengths\0slice\0before\0after\0pad\0repeats\0"
    "tile\0block\0order\0inverse\0depth_to_space\0dtype\0real\0start\0delta\0count\0real_start\0real_delta\0range\0scalar\0values\0"
    "shape_tensor\0gather\0gather_elements\0batch_dims\0gather_nd\0reduction\0scatter_elements\0scatter_nd\0k\0largest\0"
    "sorted\0topk\0upper\0trilu\0eye_like\0depth\0one_hot\0padding\0grid_sample\0count_non_zero\0non_zero\0unique\0"
    ;

const uint16_t kWords[] = {
    // unary_function
    0, 9, 14, 25, 30, 43, 54, 62, 67, 72, 76, 80, 85, 96, 100, 104, 111, 115, 124, 134, 143, 152, 157, 161, 166, 171,
    188, 195, 201, 206, 217, 222, 226, 230, 234, 239, 244, 249, 254, 259, 265, 271, 277, 284, 296, 308, 315, 322, 333,
    343,
    // binary_function
    354, 358, 362, 366, 370, 374, 378, 382, 388, 398, 408, 414, 419, 430, 438, 452, 464, 475, 487, 499, 510, 522, 533,
    // auto_pad
    545, 554, 565, 576,
    // pooling_kind
    374, 582,
    // reduce_kind
    590, 594, 599, 610, 613, 616, 621, 629, 374, 370,
    // arg_reduce_kind
    374, 370,
    // resize_mode
    641, 649, 656,
    // resize_coordinates
    662, 673, 694, 713, 727, 738, 759,
    // resize_nearest
    778, 797, 195, 201,
    // resize_policy
    815, 823, 834,
    // pad_mode
    846, 855, 863, 868,
    // depth_to_space_order
    873, 885,
    // scatter_reduction
    898, 354, 362, 370, 374,
    // grid_sample_mode
    641, 649, 656,
    // grid_sample_padding
    903, 909, 916,
};

const WordList kWordLists[] = {
    {0, 50}, {50, 23}, {73, 4}, {77, 2}, {79, 10}, {89, 2}, {91, 3}, {94, 7}, {101, 4}, {105, 3}, {108, 4}, {112, 2},
    {114, 5}, {119, 3}, {122, 3}
};

const AttributeField kFields[] = {
    {927, offsetof(ConvolutionAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // convolution spatial
    {935, offsetof(ConvolutionAttributes, auto_pad), AttributeType::word, 2, false, 0, 0, 0, 3},  // convolution auto_pad
    {944, offsetof(ConvolutionAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution strides
    {952, offsetof(ConvolutionAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // convolution dilations
    {962, offsetof(ConvolutionAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_begin
    {973, offsetof(ConvolutionAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // convolution pads_end
    {982, offsetof(ConvolutionAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // convolution group
    {927, offsetof(ConvTransposeAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // conv_transpose spatial
    {935, offsetof(ConvTransposeAttributes, auto_pad), AttributeType::word, 2, false, 0, 0, 0, 3},  // conv_transpose auto_pad
    {944, offsetof(ConvTransposeAttributes, strides), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose strides
    {952, offsetof(ConvTransposeAttributes, dilations), AttributeType::per_spatial, 0, false, 0, 0, 1, 2147483648},  // conv_transpose dilations
    {962, offsetof(ConvTransposeAttributes, pads_begin), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_begin
    {973, offsetof(ConvTransposeAttributes, pads_end), AttributeType::per_spatial, 0, false, 0, 0, 0, 2147483648},  // conv_transpose pads_end
    {1000, offsetof(ConvTransposeAttributes, output_padding), AttributeType::per_spatial, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_padding
    {1015, offsetof(ConvTransposeAttributes, output_shape), AttributeType::integers, 0, false, 0, 0, 0, INT64_MAX},  // conv_transpose output_shape
    {982, offsetof(ConvTransposeAttributes, group), AttributeType::integer, 0, false, 0, 0, 1, INT64_MAX},  // conv_transpose group
    {1043, offsetof(MatmulAttributes, transpose_a), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_a
    {1055, offsetof(MatmulAttributes, transpose_b), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul transpose_b
    {1067, offsetof(MatmulAttributes, alpha), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul alpha
    {1073, offsetof(MatmulAttributes, beta), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // matmul beta
    {1085, offsetof(PoolingAttributes, kind), AttributeType::word, 3, false, 0, 0, 0, 1},  // pooling kind
    {927, offsetof(PoolingAttributes, spatial), AttributeType::spatial, 0, false, 0, 0, 1, 3},  // pooling spatial
    {1090, offsetof(PoolingAttributes, global), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling global
    {935, offsetof(PoolingAttributes, auto_pad), AttributeType::word, 2, false, 3, 0x1, 0, 3},  // pooling auto_pad
    {1097, offsetof(PoolingAttributes, window), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling window
    {944, offsetof(PoolingAttributes, strides), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling strides
    {952, offsetof(PoolingAttributes, dilations), AttributeType::per_spatial, 1, false, 3, 0x1, 1, 2147483648},  // pooling dilations
    {962, offsetof(PoolingAttributes, pads_begin), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_begin
    {973, offsetof(PoolingAttributes, pads_end), AttributeType::per_spatial, 1, false, 3, 0x1, 0, 2147483648},  // pooling pads_end
    {1104, offsetof(PoolingAttributes, ceil_mode), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling ceil_mode
    {1114, offsetof(PoolingAttributes, count_include_pad), AttributeType::flag, 0, false, 3, 0x1, INT64_MIN, INT64_MAX},  // pooling count_include_pad
    {1132, offsetof(PoolingAttributes, indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling indices
    {1140, offsetof(PoolingAttributes, column_major_indices), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pooling column_major_indices
    {1169, offsetof(UnaryAttributes, function), AttributeType::word, 0, true, 0, 0, 0, 49},  // unary function
    {1067, offsetof(UnaryAttributes, alpha), AttributeType::real, 0, false, 1, 0xc40007c0001c, INT64_MIN, INT64_MAX},  // unary alpha
    {1073, offsetof(UnaryAttributes, beta), AttributeType::real, 0, false, 1, 0x440004800018, INT64_MIN, INT64_MAX},  // unary beta
    {1169, offsetof(BinaryAttributes, function), AttributeType::word, 1, true, 0, 0, 0, 22},  // binary function
    {1085, offsetof(ReduceAttributes, kind), AttributeType::word, 4, true, 0, 0, 0, 9},  // reduce kind
    {1191, offsetof(ReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce keepdims
    {1200, offsetof(ReduceAttributes, axes), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // reduce axes
    {1212, offsetof(SoftmaxAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax axis
    {76, offsetof(SoftmaxAttributes, log), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // softmax log
    {1212, offsetof(LayerNormAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // layer_norm axis
    {1225, offsetof(LayerNormAttributes, epsilon), AttributeType::real, 0, false, 0, 0, 0, INT64_MAX},  // layer_norm epsilon
    {1244, offsetof(ResizeAttributes, mode), AttributeType::word, 6, false, 0, 0, 0, 2},  // resize mode
    {1249, offsetof(ResizeAttributes, coordinates), AttributeType::word, 7, false, 0, 0, 0, 6},  // resize coordinates
    {641, offsetof(ResizeAttributes, nearest), AttributeType::word, 8, false, 1, 0x1, 0, 3},  // resize nearest
    {1261, offsetof(ResizeAttributes, cubic_coeff_a), AttributeType::real, 0, false, 1, 0x4, INT64_MIN, INT64_MAX},  // resize cubic_coeff_a
    {1275, offsetof(ResizeAttributes, policy), AttributeType::word, 9, false, 0, 0, 0, 2},  // resize policy
    {1282, offsetof(ResizeAttributes, extrapolation_value), AttributeType::real, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize extrapolation_value
    {1302, offsetof(ResizeAttributes, exclude_outside), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // resize exclude_outside
    {1200, offsetof(ResizeAttributes, axes), AttributeType::integers, 0, false, 0, 0, 0, 7},  // resize axes
    {1318, offsetof(ResizeAttributes, sizes), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // resize sizes
    {1324, offsetof(ResizeAttributes, scales), AttributeType::reals, 8, false, 0, 0, INT64_MIN, INT64_MAX},  // resize scales
    {1331, offsetof(ResizeAttributes, roi), AttributeType::reals, 16, false, 2, 0x40, INT64_MIN, INT64_MAX},  // resize roi
    {1342, offsetof(TransposeAttributes, perm), AttributeType::perm, 0, true, 0, 0, INT64_MIN, INT64_MAX},  // transpose perm
    {1357, offsetof(CastAttributes, to), AttributeType::dtype, 0, true, 0, 0, 1, 13},  // cast to
    {1212, offsetof(ConcatAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // concat axis
    {1085, offsetof(ArgReduceAttributes, kind), AttributeType::word, 5, false, 0, 0, 0, 1},  // arg_reduce kind
    {1191, offsetof(ArgReduceAttributes, keepdims), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce keepdims
    {1212, offsetof(ArgReduceAttributes, axis), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce axis
    {1378, offsetof(ArgReduceAttributes, select_last), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // arg_reduce select_last
    {1401, offsetof(CumSumAttributes, exclusive), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum exclusive
    {1411, offsetof(CumSumAttributes, reverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // cumsum reverse
    {1426, offsetof(ReshapeAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // reshape dims
    {1426, offsetof(ExpandAttributes, dims), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // expand dims
    {1446, offsetof(SliceAttributes, starts), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice starts
    {1453, offsetof(SliceAttributes, steps), AttributeType::integers, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice steps
    {1459, offsetof(SliceAttributes, lengths), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // slice lengths
    {1244, offsetof(PadAttributes, mode), AttributeType::word, 10, false, 0, 0, 0, 3},  // pad mode
    {1473, offsetof(PadAttributes, before), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad before
    {1480, offsetof(PadAttributes, after), AttributeType::dims, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // pad after
    {1490, offsetof(TileAttributes, repeats), AttributeType::dims, 0, false, 0, 0, 0, INT64_MAX},  // tile repeats
    {1503, offsetof(DepthToSpaceAttributes, block), AttributeType::integer, 0, false, 0, 0, 1, 1048576},  // depth_to_space block
    {1509, offsetof(DepthToSpaceAttributes, order), AttributeType::word, 11, false, 0, 0, 0, 1},  // depth_to_space order
    {1515, offsetof(DepthToSpaceAttributes, inverse), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // depth_to_space inverse
    {1538, offsetof(RangeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // range dtype
    {1544, offsetof(RangeAttributes, real), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // range real
    {1549, offsetof(RangeAttributes, start), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range start
    {1555, offsetof(RangeAttributes, delta), AttributeType::dim, 0, false, 2, 0x1, INT64_MIN, INT64_MAX},  // range delta
    {1561, offsetof(RangeAttributes, count), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // range count
    {1567, offsetof(RangeAttributes, real_start), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_start
    {1578, offsetof(RangeAttributes, real_delta), AttributeType::wide, 0, false, 2, 0x2, INT64_MIN, INT64_MAX},  // range real_delta
    {1538, offsetof(ShapeTensorAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 1, 13},  // shape_tensor dtype
    {1595, offsetof(ShapeTensorAttributes, scalar), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor scalar
    {1602, offsetof(ShapeTensorAttributes, values), AttributeType::dim_list, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // shape_tensor values
    {1212, offsetof(GatherAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather axis
    {1212, offsetof(GatherElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_elements axis
    {1645, offsetof(GatherNdAttributes, batch_dims), AttributeType::integer, 0, false, 0, 0, 0, 7},  // gather_nd batch_dims
    {1212, offsetof(ScatterElementsAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // scatter_elements axis
    {1666, offsetof(ScatterElementsAttributes, reduction), AttributeType::word, 12, false, 0, 0, 0, 4},  // scatter_elements reduction
    {1666, offsetof(ScatterNdAttributes, reduction), AttributeType::word, 12, false, 0, 0, 0, 4},  // scatter_nd reduction
    {1212, offsetof(TopKAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // topk axis
    {1704, offsetof(TopKAttributes, k), AttributeType::dim, 0, false, 0, 0, 0, INT64_MAX},  // topk k
    {1706, offsetof(TopKAttributes, largest), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk largest
    {1714, offsetof(TopKAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // topk sorted
    {1726, offsetof(TriluAttributes, upper), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu upper
    {1704, offsetof(TriluAttributes, k), AttributeType::dim, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // trilu k
    {1538, offsetof(EyeLikeAttributes, dtype), AttributeType::dtype, 0, false, 0, 0, 0, 13},  // eye_like dtype
    {1704, offsetof(EyeLikeAttributes, k), AttributeType::integer, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // eye_like k
    {1212, offsetof(OneHotAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // one_hot axis
    {1747, offsetof(OneHotAttributes, depth), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // one_hot depth
    {1244, offsetof(GridSampleAttributes, mode), AttributeType::word, 13, false, 0, 0, 0, 2},  // grid_sample mode
    {1761, offsetof(GridSampleAttributes, padding), AttributeType::word, 14, false, 0, 0, 0, 2},  // grid_sample padding
    {713, offsetof(GridSampleAttributes, align_corners), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // grid_sample align_corners
    {1561, offsetof(NonZeroAttributes, count), AttributeType::dim, 0, true, 0, 0, 0, INT64_MAX},  // non_zero count
    {1212, offsetof(UniqueAttributes, axis), AttributeType::integer, 0, false, 0, 0, 0, 7},  // unique axis
    {1714, offsetof(UniqueAttributes, sorted), AttributeType::flag, 0, false, 0, 0, INT64_MIN, INT64_MAX},  // unique sorted
};

const OperatorEntry kOperators[] = {
    {988, 0, 7, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<Convolution>},
    {1028, 7, 9, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<ConvTranspose>},
    {1078, 16, 4, bit(Trait::products) | bit(Trait::quantizes) | bit(Trait::parameters) | bit(Trait::post_ops), 0x4, make_as<Matmul>},
    {1161, 20, 13, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Pooling>},
    {1178, 33, 3, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, make_as<Unary>},
    {1184, 36, 1, bit(Trait::elementwise) | bit(Trait::keeps_order) | bit(Trait::in_place) | bit(Trait::feature_maps) | bit(Trait::post_ops), 0x0, make_as<Binary>},
    {1205, 37, 3, bit(Trait::keeps_order), 0x0, make_as<Reduce>},
    {1217, 40, 2, bit(Trait::keeps_order), 0x0, make_as<Softmax>},
    {1233, 42, 2, bit(Trait::keeps_order) | bit(Trait::parameters) | bit(Trait::post_ops), 0x6, make_as<LayerNorm>},
    {1335, 44, 11, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Resize>},
    {1347, 55, 1, bit(Trait::view), 0x0, make_as<Transpose>},
    {1360, 56, 1, bit(Trait::keeps_order), 0x0, make_as<Cast>},
    {1365, 57, 1, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x0, make_as<Concat>},
    {1372, 58, 0, bit(Trait::elementwise) | bit(Trait::keeps_order), 0x0, make_as<Where>},
    {1390, 58, 4, 0, 0x0, make_as<ArgReduce>},
    {1419, 62, 2, bit(Trait::keeps_order), 0x0, make_as<CumSum>},
    {1431, 64, 1, bit(Trait::view), 0x0, make_as<Reshape>},
    {1439, 65, 1, bit(Trait::keeps_order) | bit(Trait::view), 0x0, make_as<Expand>},
    {1467, 66, 3, bit(Trait::keeps_order) | bit(Trait::view), 0x0, make_as<Slice>},
    {1486, 69, 3, bit(Trait::keeps_order) | bit(Trait::feature_maps), 0x2, make_as<Pad>},
    {1498, 72, 1, bit(Trait::keeps_order), 0x0, make_as<Tile>},
    {1523, 73, 3, bit(Trait::feature_maps), 0x0, make_as<DepthToSpace>},
    {1589, 76, 7, 0, 0x0, make_as<Range>},
    {1609, 83, 3, 0, 0x0, make_as<ShapeTensor>},
    {1622, 86, 1, 0, 0x0, make_as<Gather>},
    {1629, 87, 1, bit(Trait::repeated_indices), 0x0, make_as<GatherElements>},
    {1656, 88, 1, 0, 0x0, make_as<GatherNd>},
    {1676, 89, 2, bit(Trait::repeated_indices), 0x0, make_as<ScatterElements>},
    {1693, 91, 1, 0, 0x0, make_as<ScatterNd>},
    {1721, 92, 4, 0, 0x0, make_as<TopK>},
    {1732, 96, 2, bit(Trait::keeps_order), 0x0, make_as<Trilu>},
    {1738, 98, 2, 0, 0x0, make_as<EyeLike>},
    {1753, 100, 2, 0, 0x0, make_as<OneHot>},
    {1769, 102, 3, 0, 0x0, make_as<GridSample>},
    {1781, 105, 0, 0, 0x0, make_as<CountNonZero>},
    {1796, 105, 1, 0, 0x0, make_as<NonZero>},
    {1805, 106, 2, 0, 0x0, make_as<Unique>},
};

// How many of alpha and beta a function reads.
const uint8_t kParameters[] = {
    0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0
};

}  // namespace anydim::described
