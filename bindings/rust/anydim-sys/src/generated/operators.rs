// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Operators and their attributes. A struct of each follows from core/ops/described.

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// Most spatial dims of a convolution or pooling.
pub const ANYDIM_MAX_SPATIAL: usize = 3;

/// Operators; each has a struct of its attributes that begins with [`anydim_op_t`].
pub type anydim_op_kind_t = i32;
/// [`anydim_convolution_t`]
pub const ANYDIM_OP_CONVOLUTION: anydim_op_kind_t = 1;
/// [`anydim_conv_transpose_t`]
pub const ANYDIM_OP_CONV_TRANSPOSE: anydim_op_kind_t = 2;
/// [`anydim_matmul_t`]
pub const ANYDIM_OP_MATMUL: anydim_op_kind_t = 3;
/// [`anydim_pooling_t`]
pub const ANYDIM_OP_POOLING: anydim_op_kind_t = 4;
/// [`anydim_unary_t`]
pub const ANYDIM_OP_UNARY: anydim_op_kind_t = 5;
/// [`anydim_binary_t`]
pub const ANYDIM_OP_BINARY: anydim_op_kind_t = 6;
/// [`anydim_reduce_t`]
pub const ANYDIM_OP_REDUCE: anydim_op_kind_t = 7;
/// [`anydim_softmax_t`]
pub const ANYDIM_OP_SOFTMAX: anydim_op_kind_t = 8;
/// [`anydim_layer_norm_t`]
pub const ANYDIM_OP_LAYER_NORM: anydim_op_kind_t = 9;
/// [`anydim_resize_t`]
pub const ANYDIM_OP_RESIZE: anydim_op_kind_t = 10;
/// [`anydim_transpose_t`]
pub const ANYDIM_OP_TRANSPOSE: anydim_op_kind_t = 11;
/// [`anydim_cast_t`]
pub const ANYDIM_OP_CAST: anydim_op_kind_t = 12;
/// [`anydim_concat_t`]
pub const ANYDIM_OP_CONCAT: anydim_op_kind_t = 13;
/// [`anydim_where_t`]
pub const ANYDIM_OP_WHERE: anydim_op_kind_t = 14;
/// [`anydim_arg_reduce_t`]
pub const ANYDIM_OP_ARG_REDUCE: anydim_op_kind_t = 15;
/// [`anydim_cumsum_t`]
pub const ANYDIM_OP_CUMSUM: anydim_op_kind_t = 16;
/// [`anydim_reshape_t`]
pub const ANYDIM_OP_RESHAPE: anydim_op_kind_t = 17;
/// [`anydim_expand_t`]
pub const ANYDIM_OP_EXPAND: anydim_op_kind_t = 18;
/// [`anydim_slice_t`]
pub const ANYDIM_OP_SLICE: anydim_op_kind_t = 19;
/// [`anydim_pad_t`]
pub const ANYDIM_OP_PAD: anydim_op_kind_t = 20;
/// [`anydim_tile_t`]
pub const ANYDIM_OP_TILE: anydim_op_kind_t = 21;
/// [`anydim_depth_to_space_t`]
pub const ANYDIM_OP_DEPTH_TO_SPACE: anydim_op_kind_t = 22;
/// [`anydim_range_t`]
pub const ANYDIM_OP_RANGE: anydim_op_kind_t = 23;
/// [`anydim_shape_tensor_t`]
pub const ANYDIM_OP_SHAPE_TENSOR: anydim_op_kind_t = 24;
/// [`anydim_gather_t`]
pub const ANYDIM_OP_GATHER: anydim_op_kind_t = 25;
/// [`anydim_gather_elements_t`]
pub const ANYDIM_OP_GATHER_ELEMENTS: anydim_op_kind_t = 26;
/// [`anydim_gather_nd_t`]
pub const ANYDIM_OP_GATHER_ND: anydim_op_kind_t = 27;
/// [`anydim_scatter_elements_t`]
pub const ANYDIM_OP_SCATTER_ELEMENTS: anydim_op_kind_t = 28;
/// [`anydim_scatter_nd_t`]
pub const ANYDIM_OP_SCATTER_ND: anydim_op_kind_t = 29;
/// [`anydim_topk_t`]
pub const ANYDIM_OP_TOPK: anydim_op_kind_t = 30;
/// [`anydim_trilu_t`]
pub const ANYDIM_OP_TRILU: anydim_op_kind_t = 31;
/// [`anydim_eye_like_t`]
pub const ANYDIM_OP_EYE_LIKE: anydim_op_kind_t = 32;
/// [`anydim_one_hot_t`]
pub const ANYDIM_OP_ONE_HOT: anydim_op_kind_t = 33;
/// [`anydim_grid_sample_t`]
pub const ANYDIM_OP_GRID_SAMPLE: anydim_op_kind_t = 34;
/// [`anydim_count_non_zero_t`]
pub const ANYDIM_OP_COUNT_NON_ZERO: anydim_op_kind_t = 35;
/// [`anydim_non_zero_t`]
pub const ANYDIM_OP_NON_ZERO: anydim_op_kind_t = 36;
/// [`anydim_unique_t`]
pub const ANYDIM_OP_UNIQUE: anydim_op_kind_t = 37;
/// [`anydim_recurrent_t`]
pub const ANYDIM_OP_RECURRENT: anydim_op_kind_t = 38;
/// [`anydim_fold_t`]
pub const ANYDIM_OP_FOLD: anydim_op_kind_t = 39;
/// [`anydim_deform_columns_t`]
pub const ANYDIM_OP_DEFORM_COLUMNS: anydim_op_kind_t = 40;
/// [`anydim_roi_align_t`]
pub const ANYDIM_OP_ROI_ALIGN: anydim_op_kind_t = 41;
/// [`anydim_non_max_suppression_t`]
pub const ANYDIM_OP_NON_MAX_SUPPRESSION: anydim_op_kind_t = 42;
/// [`anydim_dft_t`]
pub const ANYDIM_OP_DFT: anydim_op_kind_t = 43;
/// [`anydim_det_t`]
pub const ANYDIM_OP_DET: anydim_op_kind_t = 44;
/// [`anydim_random_uniform_t`]
pub const ANYDIM_OP_RANDOM_UNIFORM: anydim_op_kind_t = 45;
/// [`anydim_bit_cast_t`]
pub const ANYDIM_OP_BIT_CAST: anydim_op_kind_t = 46;
/// [`anydim_attention_t`]
pub const ANYDIM_OP_ATTENTION: anydim_op_kind_t = 47;
/// [`anydim_compressed_matmul_t`]
pub const ANYDIM_OP_COMPRESSED_MATMUL: anydim_op_kind_t = 48;
/// [`anydim_append_t`]
pub const ANYDIM_OP_APPEND: anydim_op_kind_t = 49;
/// [`anydim_tree_ensemble_t`]
pub const ANYDIM_OP_TREE_ENSEMBLE: anydim_op_kind_t = 50;
/// [`anydim_couple_pairs_t`]
pub const ANYDIM_OP_COUPLE_PAIRS: anydim_op_kind_t = 51;
/// [`anydim_quantization_range_t`]
pub const ANYDIM_OP_QUANTIZATION_RANGE: anydim_op_kind_t = 52;
/// [`anydim_string_lookup_t`]
pub const ANYDIM_OP_STRING_LOOKUP: anydim_op_kind_t = 53;
/// [`anydim_string_equal_t`]
pub const ANYDIM_OP_STRING_EQUAL: anydim_op_kind_t = 54;
/// [`anydim_string_concat_t`]
pub const ANYDIM_OP_STRING_CONCAT: anydim_op_kind_t = 55;
/// [`anydim_string_case_t`]
pub const ANYDIM_OP_STRING_CASE: anydim_op_kind_t = 56;
/// [`anydim_string_match_t`]
pub const ANYDIM_OP_STRING_MATCH: anydim_op_kind_t = 57;
/// [`anydim_count_string_pieces_t`]
pub const ANYDIM_OP_COUNT_STRING_PIECES: anydim_op_kind_t = 58;
/// [`anydim_string_split_t`]
pub const ANYDIM_OP_STRING_SPLIT: anydim_op_kind_t = 59;
/// [`anydim_ngram_counts_t`]
pub const ANYDIM_OP_NGRAM_COUNTS: anydim_op_kind_t = 60;
/// [`anydim_string_parse_t`]
pub const ANYDIM_OP_STRING_PARSE: anydim_op_kind_t = 61;
/// [`anydim_string_format_t`]
pub const ANYDIM_OP_STRING_FORMAT: anydim_op_kind_t = 62;

/// What the pieces of a string are.
pub type anydim_string_rule_t = i32;
/// what lies between matches of the first automaton, each piece cut by the next one
pub const ANYDIM_STRING_RULE_SEPARATORS: anydim_string_rule_t = 0;
/// the matches of the automaton
pub const ANYDIM_STRING_RULE_TOKENS: anydim_string_rule_t = 1;
/// what lies between runs of whitespace, of which those at the ends separate nothing
pub const ANYDIM_STRING_RULE_WHITESPACE: anydim_string_rule_t = 2;
/// each character
pub const ANYDIM_STRING_RULE_CHARACTERS: anydim_string_rule_t = 3;

/// Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits.
pub type anydim_unary_function_t = i32;
/// x
pub const ANYDIM_UNARY_IDENTITY: anydim_unary_function_t = 0;
/// x \< 0 ? 0 : x
pub const ANYDIM_UNARY_RELU: anydim_unary_function_t = 1;
/// x \< 0 ? alpha \* x : x
pub const ANYDIM_UNARY_LEAKY_RELU: anydim_unary_function_t = 2;
/// min(max(x, alpha), beta)
pub const ANYDIM_UNARY_CLIP: anydim_unary_function_t = 3;
/// clip(alpha \* x + beta, 0, 1)
pub const ANYDIM_UNARY_HARD_SIGMOID: anydim_unary_function_t = 4;
/// x \* clip(x / 6 + 1/2, 0, 1)
pub const ANYDIM_UNARY_HARD_SWISH: anydim_unary_function_t = 5;
/// 1 / (1 + exp(-x))
pub const ANYDIM_UNARY_SIGMOID: anydim_unary_function_t = 6;
/// x \* sigmoid(x)
pub const ANYDIM_UNARY_SILU: anydim_unary_function_t = 7;
/// tanh(x)
pub const ANYDIM_UNARY_TANH: anydim_unary_function_t = 8;
/// exp(x)
pub const ANYDIM_UNARY_EXP: anydim_unary_function_t = 9;
/// natural log(x)
pub const ANYDIM_UNARY_LOG: anydim_unary_function_t = 10;
/// sqrt(x)
pub const ANYDIM_UNARY_SQRT: anydim_unary_function_t = 11;
/// 1 / x
pub const ANYDIM_UNARY_RECIPROCAL: anydim_unary_function_t = 12;
/// |x|
pub const ANYDIM_UNARY_ABS: anydim_unary_function_t = 13;
/// -x
pub const ANYDIM_UNARY_NEG: anydim_unary_function_t = 14;
/// x \* x
pub const ANYDIM_UNARY_SQUARE: anydim_unary_function_t = 15;
/// erf(x)
pub const ANYDIM_UNARY_ERF: anydim_unary_function_t = 16;
/// x \* (1 + erf(x / sqrt(2))) / 2
pub const ANYDIM_UNARY_GELU_ERF: anydim_unary_function_t = 17;
/// GELU by its tanh approximation
pub const ANYDIM_UNARY_GELU_TANH: anydim_unary_function_t = 18;
/// log(1 + exp(x))
pub const ANYDIM_UNARY_SOFTPLUS: anydim_unary_function_t = 19;
/// x / (1 + |x|)
pub const ANYDIM_UNARY_SOFTSIGN: anydim_unary_function_t = 20;
/// x \* tanh(softplus(x))
pub const ANYDIM_UNARY_MISH: anydim_unary_function_t = 21;
/// x \< 0 ? alpha \* (exp(x) - 1) : x
pub const ANYDIM_UNARY_ELU: anydim_unary_function_t = 22;
/// beta \* (x \< 0 ? alpha \* (exp(x) - 1) : x)
pub const ANYDIM_UNARY_SELU: anydim_unary_function_t = 23;
/// max(0, x) + min(0, alpha \* (exp(x / alpha) - 1))
pub const ANYDIM_UNARY_CELU: anydim_unary_function_t = 24;
/// x \> alpha ? x : 0
pub const ANYDIM_UNARY_THRESHOLDED_RELU: anydim_unary_function_t = 25;
/// x \< -alpha ? x + beta : x \> alpha ? x - beta : 0
pub const ANYDIM_UNARY_SHRINK: anydim_unary_function_t = 26;
/// largest integer not above x
pub const ANYDIM_UNARY_FLOOR: anydim_unary_function_t = 27;
/// smallest integer not below x
pub const ANYDIM_UNARY_CEIL: anydim_unary_function_t = 28;
/// nearest integer, ties to even
pub const ANYDIM_UNARY_ROUND_EVEN: anydim_unary_function_t = 29;
/// -1, 0 or 1
pub const ANYDIM_UNARY_SIGN: anydim_unary_function_t = 30;
/// sin(x)
pub const ANYDIM_UNARY_SIN: anydim_unary_function_t = 31;
/// cos(x)
pub const ANYDIM_UNARY_COS: anydim_unary_function_t = 32;
/// tan(x)
pub const ANYDIM_UNARY_TAN: anydim_unary_function_t = 33;
/// asin(x)
pub const ANYDIM_UNARY_ASIN: anydim_unary_function_t = 34;
/// acos(x)
pub const ANYDIM_UNARY_ACOS: anydim_unary_function_t = 35;
/// atan(x)
pub const ANYDIM_UNARY_ATAN: anydim_unary_function_t = 36;
/// sinh(x)
pub const ANYDIM_UNARY_SINH: anydim_unary_function_t = 37;
/// cosh(x)
pub const ANYDIM_UNARY_COSH: anydim_unary_function_t = 38;
/// asinh(x)
pub const ANYDIM_UNARY_ASINH: anydim_unary_function_t = 39;
/// acosh(x)
pub const ANYDIM_UNARY_ACOSH: anydim_unary_function_t = 40;
/// atanh(x)
pub const ANYDIM_UNARY_ATANH: anydim_unary_function_t = 41;
/// alpha \* x + beta, rounded once
pub const ANYDIM_UNARY_AFFINE: anydim_unary_function_t = 42;
/// not x (bool)
pub const ANYDIM_UNARY_LOGICAL_NOT: anydim_unary_function_t = 43;
/// all bits of x flipped (integers)
pub const ANYDIM_UNARY_BITWISE_NOT: anydim_unary_function_t = 44;
/// x is NaN (to bool)
pub const ANYDIM_UNARY_IS_NAN: anydim_unary_function_t = 45;
/// x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf
pub const ANYDIM_UNARY_IS_INF: anydim_unary_function_t = 46;
/// x \* sigmoid(alpha \* x)
pub const ANYDIM_UNARY_QUICK_GELU: anydim_unary_function_t = 47;
/// x rounded to the nearest float16, ties to even (no float64)
pub const ANYDIM_UNARY_ROUND_F16: anydim_unary_function_t = 48;
/// x rounded to the nearest bfloat16, ties to even (no float64)
pub const ANYDIM_UNARY_ROUND_BF16: anydim_unary_function_t = 49;
/// alpha \* tanh(beta \* x)
pub const ANYDIM_UNARY_SCALED_TANH: anydim_unary_function_t = 50;

/// Functions of two elements; shapes broadcast as in NumPy.
pub type anydim_binary_function_t = i32;
/// a + b
pub const ANYDIM_BINARY_ADD: anydim_binary_function_t = 0;
/// a - b
pub const ANYDIM_BINARY_SUB: anydim_binary_function_t = 1;
/// a \* b
pub const ANYDIM_BINARY_MUL: anydim_binary_function_t = 2;
/// a / b
pub const ANYDIM_BINARY_DIV: anydim_binary_function_t = 3;
/// the smaller; NaN if either is
pub const ANYDIM_BINARY_MIN: anydim_binary_function_t = 4;
/// the larger; NaN if either is
pub const ANYDIM_BINARY_MAX: anydim_binary_function_t = 5;
/// a to the power of b
pub const ANYDIM_BINARY_POW: anydim_binary_function_t = 6;
/// a \< 0 ? b \* a : a
pub const ANYDIM_BINARY_PRELU: anydim_binary_function_t = 7;
/// remainder with the sign of b
pub const ANYDIM_BINARY_MOD_FLOOR: anydim_binary_function_t = 8;
/// remainder with the sign of a
pub const ANYDIM_BINARY_MOD_TRUNC: anydim_binary_function_t = 9;
/// a == b (to bool)
pub const ANYDIM_BINARY_EQUAL: anydim_binary_function_t = 10;
/// a \< b (to bool)
pub const ANYDIM_BINARY_LESS: anydim_binary_function_t = 11;
/// a \<= b (to bool)
pub const ANYDIM_BINARY_LESS_EQUAL: anydim_binary_function_t = 12;
/// a \> b (to bool)
pub const ANYDIM_BINARY_GREATER: anydim_binary_function_t = 13;
/// a \>= b (to bool)
pub const ANYDIM_BINARY_GREATER_EQUAL: anydim_binary_function_t = 14;
/// a and b (bool)
pub const ANYDIM_BINARY_LOGICAL_AND: anydim_binary_function_t = 15;
/// a or b (bool)
pub const ANYDIM_BINARY_LOGICAL_OR: anydim_binary_function_t = 16;
/// a xor b (bool)
pub const ANYDIM_BINARY_LOGICAL_XOR: anydim_binary_function_t = 17;
/// a & b (integers)
pub const ANYDIM_BINARY_BITWISE_AND: anydim_binary_function_t = 18;
/// a | b (integers)
pub const ANYDIM_BINARY_BITWISE_OR: anydim_binary_function_t = 19;
/// a ^ b (integers)
pub const ANYDIM_BINARY_BITWISE_XOR: anydim_binary_function_t = 20;
/// a \<\< b (unsigned integers)
pub const ANYDIM_BINARY_SHIFT_LEFT: anydim_binary_function_t = 21;
/// a \>\> b (unsigned integers)
pub const ANYDIM_BINARY_SHIFT_RIGHT: anydim_binary_function_t = 22;

/// How the padding of a window is determined.
pub type anydim_auto_pad_t = i32;
/// By pads_begin and pads_end.
pub const ANYDIM_AUTO_PAD_EXPLICIT: anydim_auto_pad_t = 0;
/// As much as gives ceil(in / stride) positions (a transposed convolution: in \* stride); an odd one goes to the
/// end.
pub const ANYDIM_AUTO_PAD_SAME_UPPER: anydim_auto_pad_t = 1;
/// As same_upper, but an odd one goes to the beginning.
pub const ANYDIM_AUTO_PAD_SAME_LOWER: anydim_auto_pad_t = 2;
/// None.
pub const ANYDIM_AUTO_PAD_VALID: anydim_auto_pad_t = 3;

/// Kinds of pooling.
pub type anydim_pooling_kind_t = i32;
/// The largest element; NaN if any is.
pub const ANYDIM_POOLING_MAX: anydim_pooling_kind_t = 0;
/// The mean of the elements.
pub const ANYDIM_POOLING_AVERAGE: anydim_pooling_kind_t = 1;

/// Kinds of reduction. docs/numerics.md has the order of the sums.
pub type anydim_reduce_kind_t = i32;
/// sum of x
pub const ANYDIM_REDUCE_SUM: anydim_reduce_kind_t = 0;
/// mean of x
pub const ANYDIM_REDUCE_MEAN: anydim_reduce_kind_t = 1;
/// sum of x \* x
pub const ANYDIM_REDUCE_SUM_SQUARE: anydim_reduce_kind_t = 2;
/// sum of |x|
pub const ANYDIM_REDUCE_L1: anydim_reduce_kind_t = 3;
/// square root of the sum of squares
pub const ANYDIM_REDUCE_L2: anydim_reduce_kind_t = 4;
/// product of x
pub const ANYDIM_REDUCE_PROD: anydim_reduce_kind_t = 5;
/// log of the sum
pub const ANYDIM_REDUCE_LOG_SUM: anydim_reduce_kind_t = 6;
/// log of the sum of exp(x)
pub const ANYDIM_REDUCE_LOG_SUM_EXP: anydim_reduce_kind_t = 7;
/// largest x
pub const ANYDIM_REDUCE_MAX: anydim_reduce_kind_t = 8;
/// smallest x
pub const ANYDIM_REDUCE_MIN: anydim_reduce_kind_t = 9;

/// Which element an index is asked of.
pub type anydim_arg_reduce_kind_t = i32;
/// The largest; NaN counts as larger than any number.
pub const ANYDIM_ARG_REDUCE_MAX: anydim_arg_reduce_kind_t = 0;
/// The smallest; NaN counts as smaller than any number.
pub const ANYDIM_ARG_REDUCE_MIN: anydim_arg_reduce_kind_t = 1;

/// Interpolations of resize.
pub type anydim_resize_mode_t = i32;
/// The nearest element.
pub const ANYDIM_RESIZE_NEAREST: anydim_resize_mode_t = 0;
/// Linear in each axis.
pub const ANYDIM_RESIZE_LINEAR: anydim_resize_mode_t = 1;
/// Cubic in each axis, with coefficient cubic_coeff_a.
pub const ANYDIM_RESIZE_CUBIC: anydim_resize_mode_t = 2;

/// How a position of resize's output maps to its input (ONNX's names).
pub type anydim_resize_coordinates_t = i32;
/// (x + 0.5) / scale - 0.5
pub const ANYDIM_RESIZE_COORDINATES_HALF_PIXEL: anydim_resize_coordinates_t = 0;
/// as half_pixel, about the centre of what the scale makes of the input
pub const ANYDIM_RESIZE_COORDINATES_HALF_PIXEL_SYMMETRIC: anydim_resize_coordinates_t = 1;
/// as half_pixel, and 0 where the output has one element
pub const ANYDIM_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL: anydim_resize_coordinates_t = 2;
/// x \* (in - 1) / (out - 1)
pub const ANYDIM_RESIZE_COORDINATES_ALIGN_CORNERS: anydim_resize_coordinates_t = 3;
/// x / scale
pub const ANYDIM_RESIZE_COORDINATES_ASYMMETRIC: anydim_resize_coordinates_t = 4;
/// (x + 0.5) / scale
pub const ANYDIM_RESIZE_COORDINATES_TF_HALF_PIXEL_FOR_NN: anydim_resize_coordinates_t = 5;
/// from the beginning to the end of the region roi, in parts of the input
pub const ANYDIM_RESIZE_COORDINATES_TF_CROP_AND_RESIZE: anydim_resize_coordinates_t = 6;

/// Rounding of resize's nearest mode (ONNX's names).
pub type anydim_resize_nearest_t = i32;
/// to nearest, half down
pub const ANYDIM_RESIZE_NEAREST_ROUND_PREFER_FLOOR: anydim_resize_nearest_t = 0;
/// to nearest, half up
pub const ANYDIM_RESIZE_NEAREST_ROUND_PREFER_CEIL: anydim_resize_nearest_t = 1;
/// down
pub const ANYDIM_RESIZE_NEAREST_FLOOR: anydim_resize_nearest_t = 2;
/// up
pub const ANYDIM_RESIZE_NEAREST_CEIL: anydim_resize_nearest_t = 3;

/// What becomes of the ratio of sides where resize is given sizes.
pub type anydim_resize_policy_t = i32;
/// Each axis gets its size.
pub const ANYDIM_RESIZE_POLICY_STRETCH: anydim_resize_policy_t = 0;
/// One scale for all axes, so that none is larger than its size.
pub const ANYDIM_RESIZE_POLICY_NOT_LARGER: anydim_resize_policy_t = 1;
/// One scale for all axes, so that none is smaller than its size.
pub const ANYDIM_RESIZE_POLICY_NOT_SMALLER: anydim_resize_policy_t = 2;

/// What a bin of a region becomes.
pub type anydim_roi_mode_t = i32;
/// The average of its samples.
pub const ANYDIM_ROI_AVERAGE: anydim_roi_mode_t = 0;
/// The largest of its samples' four weighted elements.
pub const ANYDIM_ROI_MAXIMUM: anydim_roi_mode_t = 1;
/// The largest element in it, with the region's ends rounded to elements.
pub const ANYDIM_ROI_CELLS: anydim_roi_mode_t = 2;

/// Which power of two stands for a number between two.
pub type anydim_power_rounding_t = i32;
/// The larger one.
pub const ANYDIM_POWER_UP: anydim_power_rounding_t = 0;
/// The smaller one.
pub const ANYDIM_POWER_DOWN: anydim_power_rounding_t = 1;
/// The nearer one, from half way the larger one.
pub const ANYDIM_POWER_NEAREST: anydim_power_rounding_t = 2;

/// What is put where elements are added.
pub type anydim_pad_mode_t = i32;
/// The pad value.
pub const ANYDIM_PAD_CONSTANT: anydim_pad_mode_t = 0;
/// The elements mirrored about the edge element, which is not repeated.
pub const ANYDIM_PAD_REFLECT: anydim_pad_mode_t = 1;
/// The edge element.
pub const ANYDIM_PAD_EDGE: anydim_pad_mode_t = 2;
/// The elements of the other end.
pub const ANYDIM_PAD_WRAP: anydim_pad_mode_t = 3;

/// What the channels of depth_to_space are made of.
pub type anydim_depth_to_space_order_t = i32;
/// Block row, block column, depth (ONNX: DCR).
pub const ANYDIM_DEPTH_TO_SPACE_DEPTH_FIRST: anydim_depth_to_space_order_t = 0;
/// Depth, block row, block column (ONNX: CRD).
pub const ANYDIM_DEPTH_TO_SPACE_COLUMN_FIRST: anydim_depth_to_space_order_t = 1;

/// What an update does to the element that is there. Updates that meet at one element are applied in the order of
/// their logical index.
pub type anydim_scatter_reduction_t = i32;
/// It replaces it.
pub const ANYDIM_SCATTER_NONE: anydim_scatter_reduction_t = 0;
/// It is added.
pub const ANYDIM_SCATTER_ADD: anydim_scatter_reduction_t = 1;
/// It is multiplied.
pub const ANYDIM_SCATTER_MUL: anydim_scatter_reduction_t = 2;
/// The smaller stays.
pub const ANYDIM_SCATTER_MIN: anydim_scatter_reduction_t = 3;
/// The larger stays.
pub const ANYDIM_SCATTER_MAX: anydim_scatter_reduction_t = 4;

/// Interpolations of grid_sample.
pub type anydim_grid_sample_mode_t = i32;
/// The nearest element, ties to even positions.
pub const ANYDIM_GRID_SAMPLE_NEAREST: anydim_grid_sample_mode_t = 0;
/// Linear in each axis.
pub const ANYDIM_GRID_SAMPLE_LINEAR: anydim_grid_sample_mode_t = 1;
/// Cubic in each axis, with Keys' weights of -0.75.
pub const ANYDIM_GRID_SAMPLE_CUBIC: anydim_grid_sample_mode_t = 2;

/// What is read outside the input of grid_sample.
pub type anydim_grid_sample_padding_t = i32;
/// Zeros.
pub const ANYDIM_GRID_SAMPLE_PADDING_ZEROS: anydim_grid_sample_padding_t = 0;
/// The nearest element of the edge.
pub const ANYDIM_GRID_SAMPLE_PADDING_BORDER: anydim_grid_sample_padding_t = 1;
/// The input mirrored at its edges.
pub const ANYDIM_GRID_SAMPLE_PADDING_REFLECTION: anydim_grid_sample_padding_t = 2;

/// Cells of recurrent layers.
pub type anydim_recurrent_cell_t = i32;
/// The plain cell: one function of a sum.
pub const ANYDIM_RECURRENT_RNN: anydim_recurrent_cell_t = 0;
/// Long short-term memory: three gates and a cell state.
pub const ANYDIM_RECURRENT_LSTM: anydim_recurrent_cell_t = 1;
/// Gated recurrent unit: two gates.
pub const ANYDIM_RECURRENT_GRU: anydim_recurrent_cell_t = 2;

/// Which way a recurrent layer takes the steps of a sequence.
pub type anydim_recurrent_direction_t = i32;
/// From the first to the last.
pub const ANYDIM_RECURRENT_FORWARD: anydim_recurrent_direction_t = 0;
/// From the last to the first.
pub const ANYDIM_RECURRENT_REVERSE: anydim_recurrent_direction_t = 1;
/// Both: two cells with weights and states of their own.
pub const ANYDIM_RECURRENT_BIDIRECTIONAL: anydim_recurrent_direction_t = 2;

/// What the weights that trees give a target become.
pub type anydim_tree_aggregate_t = i32;
/// Their sum.
pub const ANYDIM_TREE_SUM: anydim_tree_aggregate_t = 0;
/// Their sum divided by the number of trees.
pub const ANYDIM_TREE_AVERAGE: anydim_tree_aggregate_t = 1;
/// The smallest; 0 where no tree has one.
pub const ANYDIM_TREE_MINIMUM: anydim_tree_aggregate_t = 2;
/// The largest; 0 where no tree has one.
pub const ANYDIM_TREE_MAXIMUM: anydim_tree_aggregate_t = 3;

/// The head of every operator struct. Filled in by the _INIT values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_op_t {
    /// Size of the whole struct in bytes.
    pub size: u32,
    /// Which operator it is.
    pub kind: anydim_op_kind_t,
}

impl anydim_op_t {
    /// All zero.
    pub const INIT: Self = Self {
        size: 0,
        kind: 0,
    };
}

impl Default for anydim_op_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Convolution over 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end - dilation \* (kernel - 1) -
/// 1\) / stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first
/// `spatial` entries.
///
/// Inputs: src \[N, C, spatial...\] (floats), weights \[O, C / group, kernel...\] (the dtype of src; usually
/// constant), bias \[O\] (the dtype of src; may be left out; usually constant).
///
/// Output: \[N, O, out...\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_convolution_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Number of spatial dims, 1 to 3.
    pub spatial: i32,
    /// How the padding is determined.
    pub auto_pad: anydim_auto_pad_t,
    /// Strides.
    pub strides: [i64; 3],
    /// Distances between taps.
    pub dilations: [i64; 3],
    /// Padding before, per spatial dim.
    pub pads_begin: [i64; 3],
    /// Padding after, per spatial dim.
    pub pads_end: [i64; 3],
    /// Number of groups.
    pub group: i64,
}

impl anydim_convolution_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_CONVOLUTION },
        spatial: 2,
        auto_pad: 0,
        strides: [1; 3],
        dilations: [1; 3],
        pads_begin: [0; 3],
        pads_end: [0; 3],
        group: 1,
    };
}

impl Default for anydim_convolution_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) \* stride - pads_begin - pads_end +
/// dilation \* (kernel - 1) + 1 + output_padding, or what output_shape says. Per spatial dim means the first
/// `spatial` entries.
///
/// Inputs: src \[N, C, spatial...\] (floats), weights \[C, O / group, kernel...\] (the dtype of src; usually
/// constant), bias \[O\] (the dtype of src; may be left out; usually constant).
///
/// Output: \[N, O, out...\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_conv_transpose_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Number of spatial dims, 1 to 3.
    pub spatial: i32,
    /// How the padding is determined.
    pub auto_pad: anydim_auto_pad_t,
    /// Strides.
    pub strides: [i64; 3],
    /// Distances between taps.
    pub dilations: [i64; 3],
    /// Cut off before, per spatial dim.
    pub pads_begin: [i64; 3],
    /// Cut off after, per spatial dim.
    pub pads_end: [i64; 3],
    /// Added at the end, per spatial dim.
    pub output_padding: [i64; 3],
    /// Output dims, one per spatial dim; the padding follows from them. None: as the formula says.
    pub output_shape: anydim_dims_t,
    /// Number of groups.
    pub group: i64,
}

impl anydim_conv_transpose_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_CONV_TRANSPOSE },
        spatial: 2,
        auto_pad: 0,
        strides: [1; 3],
        dilations: [1; 3],
        pads_begin: [0; 3],
        pads_end: [0; 3],
        output_padding: [0; 3],
        output_shape: anydim_dims_t::INIT,
        group: 1,
    };
}

impl Default for anydim_conv_transpose_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Product of matrices: alpha \* (a b) + beta \* c. Leading dims broadcast; an operand of rank 1 is a row (a) or a
/// column (b), as in NumPy. An alpha other than 1, and c, are for floats only.
///
/// Inputs: a \[..., M, K\] (numbers), b \[..., K, N\] (the dtype of a; usually constant), c, what broadcasts to the
/// output (the dtype of a; may be left out; usually constant).
///
/// Output: \[..., M, N\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_matmul_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// 1: a is given as \[..., K, M\].
    pub transpose_a: i32,
    /// 1: b is given as \[..., N, K\].
    pub transpose_b: i32,
    /// Factor of the product.
    pub alpha: f32,
    /// Factor of c.
    pub beta: f32,
}

impl anydim_matmul_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_MATMUL },
        transpose_a: 0,
        transpose_b: 0,
        alpha: 1.0,
        beta: 1.0,
    };
}

impl Default for anydim_matmul_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end -
/// dilation \* (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceil_mode. Padding never wins a
/// maximum, and counts in an average with count_include_pad only. Per spatial dim means the first `spatial` entries.
///
/// Input: src \[N, C, spatial...\] (f32, f64, f16, bf16, i8, u8; i8 and u8 for the maximum only).
///
/// Outputs: \[N, C, out...\]; \[N, C, out...\], i64 (where each maximum stood), with indices.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_pooling_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Which pooling.
    pub kind: anydim_pooling_kind_t,
    /// Number of spatial dims, 1 to 3.
    pub spatial: i32,
    /// 1: the window is the whole plane; the fields of windows do not count.
    pub global: i32,
    /// How the padding is determined.
    pub auto_pad: anydim_auto_pad_t,
    /// Dims of the window.
    pub window: [i64; 3],
    /// Strides.
    pub strides: [i64; 3],
    /// Distances between taps.
    pub dilations: [i64; 3],
    /// Padding before, per spatial dim.
    pub pads_begin: [i64; 3],
    /// Padding after, per spatial dim.
    pub pads_end: [i64; 3],
    /// 1: output dims round up.
    pub ceil_mode: i32,
    /// 1: an average counts padded positions.
    pub count_include_pad: i32,
    /// 1: of a maximum: the second output is made, the winners' positions in their plane.
    pub indices: i32,
    /// 1: positions are counted with the last dim outermost (ONNX: storage_order = 1).
    pub column_major_indices: i32,
}

impl anydim_pooling_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_POOLING },
        kind: 0,
        spatial: 2,
        global: 0,
        auto_pad: 0,
        window: [1; 3],
        strides: [1; 3],
        dilations: [1; 3],
        pads_begin: [0; 3],
        pads_end: [0; 3],
        ceil_mode: 0,
        count_include_pad: 0,
        indices: 0,
        column_major_indices: 0,
    };
}

impl Default for anydim_pooling_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A function of each element. The output has x's dtype, or bool for functions that return a truth value.
///
/// Input: x (any dtype; that the function is defined on).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_unary_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The function.
    pub function: anydim_unary_function_t,
    /// Its first parameter, for functions whose text names alpha.
    pub alpha: f32,
    /// Its second parameter, for functions whose text names beta.
    pub beta: f32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_unary_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_UNARY },
        function: 0,
        alpha: 0.0,
        beta: 0.0,
        reserved: 0,
    };
}

impl Default for anydim_unary_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
/// comparison.
///
/// Inputs: a (any dtype; that the function is defined on), b (the dtype of a; the exponent of pow may have another).
///
/// Output: broadcast.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_binary_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The function.
    pub function: anydim_binary_function_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_binary_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_BINARY },
        function: 0,
        reserved: 0,
    };
}

impl Default for anydim_binary_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// x with some axes reduced.
///
/// Input: x (any dtype; bool for the maximum and minimum only).
///
/// Output: x's, the reduced ones 1 or gone.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_reduce_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The reduction.
    pub kind: anydim_reduce_kind_t,
    /// 1: reduced axes stay as dims of 1.
    pub keepdims: i32,
    /// Axes, negative ones counted from the end. None: all of them.
    pub axes: anydim_dims_t,
}

impl anydim_reduce_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_REDUCE },
        kind: 0,
        keepdims: 1,
        axes: anydim_dims_t::INIT,
    };
}

impl Default for anydim_reduce_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// exp(x - max) / sum over an axis, or its logarithm.
///
/// Input: x (floats).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_softmax_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
    /// 1: log-softmax.
    pub log: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_softmax_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_SOFTMAX },
        axis: -1,
        log: 0,
        reserved: 0,
    };
}

impl Default for anydim_softmax_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// (x - mean) / sqrt(variance + epsilon) \* scale + bias, mean and variance over the axes from `axis` to the last.
///
/// Inputs: x (floats), scale, x's from the axis on (the dtype of x; may be left out; usually constant), bias, x's
/// from the axis on (the dtype of x; may be left out; usually constant).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_layer_norm_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// First axis of those normalised together; negative counts from the end.
    pub axis: i64,
    /// Added to the variance.
    pub epsilon: f32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_layer_norm_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_LAYER_NORM },
        axis: -1,
        epsilon: 1e-05,
        reserved: 0,
    };
}

impl Default for anydim_layer_norm_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is given,
/// with one number per axis of `axes`. Axes that are not named are copied.
///
/// Input: x (any dtype).
///
/// Output: x's, resized.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_resize_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Interpolation.
    pub mode: anydim_resize_mode_t,
    /// How positions map.
    pub coordinates: anydim_resize_coordinates_t,
    /// Rounding of the nearest mode.
    pub nearest: anydim_resize_nearest_t,
    /// Coefficient of the cubic mode.
    pub cubic_coeff_a: f32,
    /// What becomes of the ratio of sides, with sizes.
    pub policy: anydim_resize_policy_t,
    /// Result outside the input, for tf_crop_and_resize.
    pub extrapolation_value: f32,
    /// 1: taps outside the input get no weight.
    pub exclude_outside: i32,
    /// 1: linear and cubic: axes that shrink are read through a filter as much wider.
    pub antialias: i32,
    /// The axes that scales, sizes and roi are about, from 0. None: all, in order.
    pub axes: anydim_dims_t,
    /// Output dims.
    pub sizes: anydim_dims_t,
    /// Output dims over input dims.
    pub scales: anydim_reals_t,
    /// For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis.
    pub roi: anydim_reals_t,
    /// With sizes: scales that a node computes, as the bits of binary32 numbers; they map positions, and sizes are
    /// the output's dims.
    pub scale_bits: anydim_dims_t,
    /// In place of roi: what a node computes, as the bits of binary32 numbers.
    pub roi_bits: anydim_dims_t,
}

impl anydim_resize_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_RESIZE },
        mode: 0,
        coordinates: 0,
        nearest: 0,
        cubic_coeff_a: -0.75,
        policy: 0,
        extrapolation_value: 0.0,
        exclude_outside: 0,
        antialias: 0,
        axes: anydim_dims_t::INIT,
        sizes: anydim_dims_t::INIT,
        scales: anydim_reals_t::INIT,
        roi: anydim_reals_t::INIT,
        scale_bits: anydim_dims_t::INIT,
        roi_bits: anydim_dims_t::INIT,
    };
}

impl Default for anydim_resize_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The axes in another order; output axis i is input axis perm\[i\].
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's in the order of perm.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_transpose_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axes of x in the output's order, each once, from 0.
    pub perm: anydim_dims_t,
}

impl anydim_transpose_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_TRANSPOSE },
        perm: anydim_dims_t::INIT,
    };
}

impl Default for anydim_transpose_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x != 0;
/// to a narrower float rounded to nearest even. A number beyond the range of f8 or f4 becomes the largest one there
/// is; i4, u4, i2 and u2 keep the lowest bits of the whole number.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_cast_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype.
    pub to: anydim_dtype_t,
    /// 1: to f8: beyond the range lies infinity, or NaN where the dtype has none.
    pub overflows: i32,
    /// To f8e8m0: which power of two.
    pub rounding: anydim_power_rounding_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_cast_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_CAST },
        to: 1,
        overflows: 0,
        rounding: 0,
        reserved: 0,
    };
}

impl Default for anydim_cast_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The inputs one after another along an axis.
///
/// Input: inputs, equal but along the axis (any dtype, narrow ones too; one dtype for all; one or more).
///
/// Output: theirs, added up along the axis.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_concat_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
}

impl anydim_concat_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_CONCAT },
        axis: 0,
    };
}

impl Default for anydim_concat_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// condition ? a : b, element by element; dims broadcast as in NumPy.
///
/// Inputs: condition (bool), a (any dtype, narrow ones too), b (the dtype of a).
///
/// Output: broadcast, the dtype of a.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_where_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_where_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_WHERE },
    };
}

impl Default for anydim_where_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The index of the largest or smallest element along an axis. +0 and -0 are equal.
///
/// Input: x (any dtype).
///
/// Output: x's, the axis 1 or gone, i64.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_arg_reduce_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The largest or the smallest.
    pub kind: anydim_arg_reduce_kind_t,
    /// 1: the axis stays as a dim of 1.
    pub keepdims: i32,
    /// The axis; negative counts from the end.
    pub axis: i64,
    /// 1: among equal elements the last is meant, else the first.
    pub select_last: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_arg_reduce_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_ARG_REDUCE },
        kind: 0,
        keepdims: 1,
        axis: 0,
        select_last: 0,
        reserved: 0,
    };
}

impl Default for anydim_arg_reduce_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Running sums or products along an axis, in the order of the index.
///
/// Inputs: x (numbers), axis, one element (i32 or i64; The axis, whose value may come from the data.).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_cumsum_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// 1: a sum leaves its own element out.
    pub exclusive: i32,
    /// 1: sums begin at the end.
    pub reverse: i32,
    /// 1: products in place of sums.
    pub product: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_cumsum_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_CUMSUM },
        exclusive: 0,
        reverse: 0,
        product: 0,
        reserved: 0,
    };
}

impl Default for anydim_cumsum_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The same elements, in logical row-major order, under other dims.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: those given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_reshape_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dims; as many elements as x has.
    pub dims: anydim_dims_t,
}

impl anydim_reshape_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_RESHAPE },
        dims: anydim_dims_t::INIT,
    };
}

impl Default for anydim_reshape_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// x repeated to the dims that it and those given broadcast to.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: broadcast.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_expand_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dims to broadcast with.
    pub dims: anydim_dims_t,
}

impl anydim_expand_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_EXPAND },
        dims: anydim_dims_t::INIT,
    };
}

impl Default for anydim_expand_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: the lengths.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_slice_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// First index, one per axis of x.
    pub starts: anydim_dims_t,
    /// Steps, not 0, one per axis of x. None: 1 everywhere.
    pub steps: anydim_dims_t,
    /// How many elements are taken, one per axis of x.
    pub lengths: anydim_dims_t,
}

impl anydim_slice_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_SLICE },
        starts: anydim_dims_t::INIT,
        steps: anydim_dims_t::INIT,
        lengths: anydim_dims_t::INIT,
    };
}

impl Default for anydim_slice_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Elements added, or with negative counts cut off, before and after each axis.
///
/// Inputs: x (any dtype), value, one element (the dtype of x; What is put in mode constant; absent: zero.; may be
/// left out).
///
/// Output: x's and what is added.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_pad_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// What is put where elements are added.
    pub mode: anydim_pad_mode_t,
    /// Zero.
    pub reserved: i32,
    /// Counts before, one per axis of x.
    pub before: anydim_dims_t,
    /// Counts after, one per axis of x.
    pub after: anydim_dims_t,
}

impl anydim_pad_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_PAD },
        mode: 0,
        reserved: 0,
        before: anydim_dims_t::INIT,
        after: anydim_dims_t::INIT,
    };
}

impl Default for anydim_pad_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Each axis of x repeated a number of times.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's times the repeats.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_tile_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How often, one per axis of x.
    pub repeats: anydim_dims_t,
}

impl anydim_tile_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_TILE },
        repeats: anydim_dims_t::INIT,
    };
}

impl Default for anydim_tile_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
///
/// Input: x \[N, C, H, W\] (any dtype).
///
/// Output: \[N, C / block^2, H \* block, W \* block\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_depth_to_space_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Side of a square.
    pub block: i64,
    /// What the channels are made of.
    pub order: anydim_depth_to_space_order_t,
    /// 1: squares become channels (depth first only).
    pub inverse: i32,
}

impl anydim_depth_to_space_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_DEPTH_TO_SPACE },
        block: 1,
        order: 0,
        inverse: 0,
    };
}

impl Default for anydim_depth_to_space_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A vector of start, start + delta, ..., each element start + i \* delta rounded in its dtype. Start and delta are
/// whole numbers, or reals with `real`.
///
/// Inputs: none.
///
/// Output: \[count\], of that dtype.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_range_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype: numbers, not f16 or bf16; with `real` f32 or f64.
    pub dtype: anydim_dtype_t,
    /// 1: start and delta are real_start and real_delta.
    pub real: i32,
    /// The first element.
    pub start: i64,
    /// From one element to the next.
    pub delta: i64,
    /// How many elements.
    pub count: i64,
    /// The first element.
    pub real_start: f64,
    /// From one element to the next.
    pub real_delta: f64,
}

impl anydim_range_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_RANGE },
        dtype: 11,
        real: 0,
        start: 0,
        delta: 1,
        count: 0,
        real_start: 0.0,
        real_delta: 0.0,
    };
}

impl Default for anydim_range_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A scalar or a vector of whole numbers, converted as a cast from i64 does.
///
/// Inputs: none.
///
/// Output: \[values\] or \[\], of that dtype.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_shape_tensor_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype.
    pub dtype: anydim_dtype_t,
    /// 1: the one value is a scalar.
    pub scalar: i32,
    /// The elements.
    pub values: *const i64,
    /// Their number.
    pub values_count: i64,
}

impl anydim_shape_tensor_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_SHAPE_TENSOR },
        dtype: 11,
        scalar: 0,
        values: std::ptr::null(),
        values_count: 0,
    };
}

impl Default for anydim_shape_tensor_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Slices of the data along an axis, picked by the indices (negative ones from the end).
///
/// Inputs: data (any dtype, narrow ones too), indices (i32 or i64).
///
/// Output: the data's, the axis replaced by the dims of the indices, the dtype of data.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_gather_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
}

impl anydim_gather_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_GATHER },
        axis: 0,
    };
}

impl Default for anydim_gather_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// One element of the data for each index, which replaces its coordinate on an axis.
///
/// Inputs: data (any dtype, narrow ones too), indices, no larger than the data's but along the axis (i32 or i64).
///
/// Output: the indices', the dtype of data.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_gather_elements_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
}

impl anydim_gather_elements_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_GATHER_ELEMENTS },
        axis: 0,
    };
}

impl Default for anydim_gather_elements_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Slices of the data at coordinates, which the last axis of the indices holds. The first batch_dims axes of both go
/// together.
///
/// Inputs: data (any dtype, narrow ones too), indices \[..., coordinates\] (i32 or i64).
///
/// Output: the indices' but for the last, then the rest of the data's, the dtype of data.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_gather_nd_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How many axes go together.
    pub batch_dims: i64,
}

impl anydim_gather_nd_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_GATHER_ND },
        batch_dims: 0,
    };
}

impl Default for anydim_gather_nd_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A copy of the data in which updates are stored, or combined, at the indices along an axis.
///
/// Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64), updates, the
/// indices' (the dtype of data).
///
/// Output: the data's, the dtype of data.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_scatter_elements_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
    /// How an update combines with the present value.
    pub reduction: anydim_scatter_reduction_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_scatter_elements_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_SCATTER_ELEMENTS },
        axis: 0,
        reduction: 0,
        reserved: 0,
    };
}

impl Default for anydim_scatter_elements_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis of
/// the indices holds.
///
/// Inputs: data (any dtype), indices \[..., coordinates\] (i32 or i64), updates, the indices' but for the last, then
/// the rest of the data's (the dtype of data).
///
/// Output: the data's, the dtype of data.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_scatter_nd_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How an update combines with the present value.
    pub reduction: anydim_scatter_reduction_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_scatter_nd_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_SCATTER_ND },
        reduction: 0,
        reserved: 0,
    };
}

impl Default for anydim_scatter_nd_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts as
/// larger than any number.
///
/// Input: x (any dtype).
///
/// Outputs: x's, the axis k; x's, the axis k, i64 (where each element stood).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_topk_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
    /// How many, at most the size of the axis.
    pub k: i64,
    /// 1: the largest, else the smallest.
    pub largest: i32,
    /// 1: they come sorted. Without it any order would do; they are sorted all the same.
    pub sorted: i32,
}

impl anydim_topk_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_TOPK },
        axis: 0,
        k: 1,
        largest: 1,
        sorted: 1,
    };
}

impl Default for anydim_topk_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The upper or lower triangle of the last two axes, zero elsewhere.
///
/// Input: x \[..., M, N\] (any dtype).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_trilu_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// 1: the upper triangle, else the lower.
    pub upper: i32,
    /// Zero.
    pub reserved: i32,
    /// Where the diagonal lies: above 0 it is moved up, below 0 down.
    pub k: i64,
}

impl anydim_trilu_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_TRILU },
        upper: 1,
        reserved: 0,
        k: 0,
    };
}

impl Default for anydim_trilu_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.
///
/// Input: x \[M, N\] (any dtype).
///
/// Output: x's, of that dtype.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_eye_like_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype; 0 is that of x.
    pub dtype: anydim_dtype_t,
    /// Zero.
    pub reserved: i32,
    /// Which diagonal: above 0 upper ones, below 0 lower ones.
    pub k: i64,
}

impl anydim_eye_like_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_EYE_LIKE },
        dtype: 0,
        reserved: 0,
        k: 0,
    };
}

impl Default for anydim_eye_like_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
/// elsewhere and for indices out of range.
///
/// Inputs: indices (numbers), values \[2\] (any dtype; off and on).
///
/// Output: the indices' and the new axis, the dtype of values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_one_hot_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Which axis of the output is new; negative counts from the end.
    pub axis: i64,
    /// Its size.
    pub depth: i64,
}

impl anydim_one_hot_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_ONE_HOT },
        axis: 0,
        depth: 0,
    };
}

impl Default for anydim_one_hot_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis
/// to the other, and interpolated.
///
/// Inputs: x \[N, C, spatial...\] (any dtype; floats, but for mode nearest), grid \[N, out..., coordinates\]
/// (floats; one coordinate per spatial dim, the last dim's first).
///
/// Output: \[N, C, out...\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_grid_sample_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Interpolation.
    pub mode: anydim_grid_sample_mode_t,
    /// What is read outside the input.
    pub padding: anydim_grid_sample_padding_t,
    /// 1: -1 and 1 are the centres of the outermost elements, else their outer edges.
    pub align_corners: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_grid_sample_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_GRID_SAMPLE },
        mode: 1,
        padding: 0,
        align_corners: 0,
        reserved: 0,
    };
}

impl Default for anydim_grid_sample_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// How many elements are not zero. NaN is not zero; -0 is.
///
/// Input: x (any dtype).
///
/// Output: \[\], i64.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_count_non_zero_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_count_non_zero_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_COUNT_NON_ZERO },
    };
}

impl Default for anydim_count_non_zero_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j is
/// at \[i, j\]. Fewer such elements are an error in the data.
///
/// Input: x (any dtype).
///
/// Output: \[rank of x, count\], i64.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_non_zero_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How many; count_non_zero counts them.
    pub count: i64,
}

impl anydim_non_zero_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_NON_ZERO },
        count: 0,
    };
}

impl Default for anydim_non_zero_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Which slices of x along an axis are equal: -0 and 0 are, and all NaN, which come after all numbers. Slices are
/// compared element by element, in row-major order. As many distinct ones as there are have places in the outputs
/// from the first on; what is behind them is 0.
///
/// Input: x (any dtype).
///
/// Outputs: \[size of the axis\], i64 (where each distinct slice stands first); \[size of the axis\], i64 (which
/// distinct slice each one is); \[size of the axis\], i64 (how many are equal to each distinct slice); \[\], i64
/// (how many are distinct).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_unique_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end.
    pub axis: i64,
    /// 1: distinct slices come in increasing order, else in that of their first places.
    pub sorted: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_unique_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_UNIQUE },
        axis: 0,
        sorted: 1,
        reserved: 0,
    };
}

impl Default for anydim_unique_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// A recurrent layer: a cell that is applied to one step of a sequence after the other and carries a state.
/// docs/numerics.md, section 9, has the formulas. Gates follow each other as in ONNX: lstm input, output, forget,
/// candidate; gru update, reset, candidate. A sequence may be cut anywhere: with the states of one part as the
/// initial states of the next, the results have the same bits. With weights of 8 bits, of lstm on f32, x and the
/// hidden states become numbers of 8 bits by their ranges: x as a whole, so that a part has another range, and
/// hidden states row by row at each step.
///
/// Inputs: x \[steps, batch, inputs\] (floats), input_weights \[directions, gates \* hidden, inputs\] (f32, f64,
/// f16, bf16, i8, u8; the dtype of x, or 8 bits; usually constant), recurrent_weights \[directions, gates \* hidden,
/// hidden\] (f32, f64, f16, bf16, i8, u8; the dtype of x, or 8 bits; usually constant), bias \[directions, 2 \*
/// gates \* hidden\] (the dtype of x; that of the inputs, then that of the state; may be left out; usually
/// constant), lengths \[batch\] (i32; from 0 to steps; without it all steps count; may be left out), initial_hidden
/// \[directions, batch, hidden\] (the dtype of x; zeros without it; may be left out), initial_cell \[directions,
/// batch, hidden\] (the dtype of x; lstm only; zeros without it; may be left out), peepholes \[directions, 3 \*
/// hidden\] (the dtype of x; lstm only: input, output, forget; may be left out; usually constant), input_scales
/// \[directions, gates \* hidden\] (f32; of input_weights of 8 bits, which need them; may be left out; usually
/// constant), input_zero_points \[directions, gates \* hidden\] (the dtype of input_weights; of input_weights of 8
/// bits; zeros without them; may be left out; usually constant), recurrent_scales \[directions, gates \* hidden\]
/// (f32; of recurrent_weights of 8 bits, which need them; may be left out; usually constant), recurrent_zero_points
/// \[directions, gates \* hidden\] (the dtype of recurrent_weights; of recurrent_weights of 8 bits; zeros without
/// them; may be left out; usually constant).
///
/// Outputs: \[steps, directions, batch, hidden\] (the hidden state after each step, 0 beyond a sequence's length);
/// \[directions, batch, hidden\] (the last hidden state); \[directions, batch, hidden\] (the last cell state), with
/// cell_state.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_recurrent_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The cell.
    pub cell: anydim_recurrent_cell_t,
    /// Which way the steps are taken.
    pub direction: anydim_recurrent_direction_t,
    /// The function of the gates of lstm and gru.
    pub gates: anydim_unary_function_t,
    /// Its first parameter, for functions whose text names alpha.
    pub gates_alpha: f32,
    /// Its second parameter, for functions whose text names beta.
    pub gates_beta: f32,
    /// The function of the candidate state; the only one of rnn.
    pub candidate: anydim_unary_function_t,
    /// Its first parameter, for functions whose text names alpha.
    pub candidate_alpha: f32,
    /// Its second parameter, for functions whose text names beta.
    pub candidate_beta: f32,
    /// The function of lstm's cell state, before the output gate.
    pub output: anydim_unary_function_t,
    /// Its first parameter, for functions whose text names alpha.
    pub output_alpha: f32,
    /// Its second parameter, for functions whose text names beta.
    pub output_beta: f32,
    /// What the functions of gates and candidate are applied to is clipped to \[-clip, clip\]. 0: it is not.
    pub clip: f32,
    /// 1: gru: the reset gate is applied to the product with the state and not to the state.
    pub linear_before_reset: i32,
    /// 1: lstm: the forget gate is 1 - the input gate.
    pub input_forget: i32,
    /// 1: lstm: the last cell state is an output, too.
    pub cell_state: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_recurrent_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_RECURRENT },
        cell: 0,
        direction: 0,
        gates: 6,
        gates_alpha: 0.0,
        gates_beta: 0.0,
        candidate: 8,
        candidate_alpha: 0.0,
        candidate_beta: 0.0,
        output: 8,
        output_alpha: 0.0,
        output_beta: 0.0,
        clip: 0.0,
        linear_before_reset: 0,
        input_forget: 0,
        cell_state: 0,
        reserved: 0,
    };
}

impl Default for anydim_recurrent_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The sum of columns at the windows that they were taken from (ONNX Col2Im). A column holds a window's elements,
/// channel by channel; windows follow each other in row-major order. Per spatial dim means the first `spatial`
/// entries.
///
/// Input: columns \[N, C \* block, windows\] (numbers).
///
/// Output: \[N, C, image...\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_fold_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// Number of spatial dims, 1 to 3.
    pub spatial: i32,
    /// Zero.
    pub reserved: i32,
    /// Dims of the image, one per spatial dim.
    pub image: anydim_dims_t,
    /// Dims of a window, one per spatial dim.
    pub window: anydim_dims_t,
    /// Strides.
    pub strides: [i64; 3],
    /// Distances between taps.
    pub dilations: [i64; 3],
    /// Padding before, per spatial dim.
    pub pads_begin: [i64; 3],
    /// Padding after, per spatial dim.
    pub pads_end: [i64; 3],
}

impl anydim_fold_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_FOLD },
        spatial: 2,
        reserved: 0,
        image: anydim_dims_t::INIT,
        window: anydim_dims_t::INIT,
        strides: [1; 3],
        dilations: [1; 3],
        pads_begin: [0; 3],
        pads_end: [0; 3],
    };
}

impl Default for anydim_fold_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The columns of a deformable convolution in two dims: for each output position and each tap the input at the tap's
/// place plus an offset, by linear interpolation, 0 outside, times the mask. A matmul with the weights makes the
/// convolution of them.
///
/// Inputs: x \[N, C, H, W\] (f32, f64, f16, bf16), offset \[N, groups \* KH \* KW \* 2, OH, OW\] (the dtype of x;
/// rows, then columns, of each tap), mask \[N, groups \* KH \* KW, OH, OW\] (the dtype of x; may be left out).
///
/// Output: \[N, C \* KH \* KW, OH \* OW\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_deform_columns_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// 2.
    pub spatial: i32,
    /// Zero.
    pub reserved: i32,
    /// KH and KW.
    pub window: [i64; 3],
    /// Strides.
    pub strides: [i64; 3],
    /// Distances between taps.
    pub dilations: [i64; 3],
    /// Padding before, per spatial dim.
    pub pads_begin: [i64; 3],
    /// Padding after, per spatial dim.
    pub pads_end: [i64; 3],
    /// Channels are cut into so many groups, each with offsets of its own.
    pub groups: i64,
}

impl anydim_deform_columns_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_DEFORM_COLUMNS },
        spatial: 2,
        reserved: 0,
        window: [1; 3],
        strides: [1; 3],
        dilations: [1; 3],
        pads_begin: [0; 3],
        pads_end: [0; 3],
        groups: 1,
    };
}

impl Default for anydim_deform_columns_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples by
/// linear interpolation, or the maximum of the elements in it. Outside the input is 0.
///
/// Inputs: x \[N, C, H, W\] (f32, f64, f16, bf16), rois \[regions, 4\] (the dtype of x; x and y of where it begins,
/// then of where it ends), batch \[regions\] (i32 or i64; which of the N inputs a region is of).
///
/// Output: \[regions, C, height, width\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_roi_align_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// What a bin becomes.
    pub mode: anydim_roi_mode_t,
    /// 1: coordinates mean edges of elements, else centres. A region is at least 1 high and wide without it.
    pub half_pixel: i32,
    /// Bins from top to bottom.
    pub height: i64,
    /// Bins from left to right.
    pub width: i64,
    /// Samples of a bin along each side; 0: as many as elements it is long, rounded up.
    pub samples: i64,
    /// Factor of the coordinates.
    pub scale: f32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_roi_align_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_ROI_ALIGN },
        mode: 0,
        half_pixel: 0,
        height: 1,
        width: 1,
        samples: 0,
        scale: 1.0,
        reserved: 0,
    };
}

impl Default for anydim_roi_align_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// For each batch and class the boxes with the highest scores, without those that overlap a better one. Equal scores
/// come in the order of their index. As many as there are have places in the first output, which is as long as it
/// could be; what is behind them is 0.
///
/// Inputs: boxes \[N, boxes, 4\] (f32; two opposite corners y, x, y, x in any order; or with center_point x, y,
/// width, height), scores \[N, classes, boxes\] (f32), most_boxes, one element (i64; the most boxes of a class;
/// fewer than `most` counts), iou_threshold, one element (f32; a larger intersection over union is an overlap; 0
/// without it; may be left out), score_threshold, one element (f32; only scores above it count; may be left out).
///
/// Outputs: \[N \* classes \* most, 3\], i64 (batch, class and index of each box); \[\], i64 (how many there are).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_non_max_suppression_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The most boxes of a class, at most the number of boxes.
    pub most: i64,
    /// 1: boxes are given as centre and size.
    pub center_point: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_non_max_suppression_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_NON_MAX_SUPPRESSION },
        most: 0,
        center_point: 0,
        reserved: 0,
    };
}

impl Default for anydim_non_max_suppression_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The discrete Fourier transform along an axis: sums of x\[j\] \* exp(-2 pi i j k / length), with `inverse` of
/// exp(+2 pi i j k / length), divided by length. The last axis holds one real number, or real and imaginary part.
/// The axis is cut to the length, or filled up with zeros.
///
/// Input: x \[..., 1 or 2\] (floats).
///
/// Output: x's, the axis the length, the last axis 2; with onesided length / 2 + 1 and 2; with both flags the length
/// and 1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_dft_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis, not the last; negative counts from the end.
    pub axis: i64,
    /// How long the transform is.
    pub length: i64,
    /// 1: the inverse transform.
    pub inverse: i32,
    /// 1: the first half is all there is of the result, or with inverse of x: the rest is its conjugate.
    pub onesided: i32,
}

impl anydim_dft_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_DFT },
        axis: 0,
        length: 0,
        inverse: 0,
        onesided: 0,
    };
}

impl Default for anydim_dft_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Determinants of the matrices in the last two axes.
///
/// Input: x \[..., M, M\] (floats).
///
/// Output: x's without the last two.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_det_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_det_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_DET },
    };
}

impl Default for anydim_det_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows from
/// seed and stream alone. docs/numerics.md, section 10.
///
/// Inputs: none.
///
/// Output: \[dims\], of that dtype.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_random_uniform_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype: f32 or f64.
    pub dtype: anydim_dtype_t,
    /// Zero.
    pub reserved: i32,
    /// The output's dims.
    pub dims: anydim_dims_t,
    /// The seed.
    pub seed: i64,
    /// Which of the independent sequences of a seed.
    pub stream: i64,
}

impl anydim_random_uniform_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_RANDOM_UNIFORM },
        dtype: 1,
        reserved: 0,
        dims: anydim_dims_t::INIT,
        seed: 0,
        stream: 0,
    };
}

impl Default for anydim_random_uniform_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The same bits as elements of another dtype of the same size.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_bit_cast_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype.
    pub to: anydim_dtype_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_bit_cast_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_BIT_CAST },
        to: 9,
        reserved: 0,
    };
}

impl Default for anydim_bit_cast_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// softmax(q k^T \* scale + bias) v for each head, without the scores ever lying in memory at once;
/// docs/numerics.md, section 11, has the order. Query heads are a multiple of the key heads: each key head serves as
/// many query heads in a row. A query stands at position first + its index; where causal is set it sees keys up to
/// its own position, and windows bound how far it sees. The bits of a row depend on the keys that it sees and on
/// nothing else, so a sequence may be cut anywhere, and come alone or in a batch. A row that sees no key is 0. Where
/// the keys are the later part of a longer sequence, origins say where it begins.
///
/// Inputs: q \[batch, heads, queries, size\] (floats), k \[batch, key heads, keys, size\] (the dtype of q), v
/// \[batch, key heads, keys, value size\] (the dtype of q), bias, what broadcasts to \[batch, heads, queries, keys\]
/// (the dtype of q; added to the scores; may be left out), mask, what broadcasts to \[batch, heads, queries, keys\]
/// (bool; which keys are seen; may be left out), starts \[batch\] (i64; the position of the first query; may be left
/// out), lengths \[batch\] (i64; how many keys there are; keys behind them are not read; may be left out), origins
/// \[batch\] (i64; the position of the first key, 0 or more; else it is 0; may be left out), sinks \[heads\] (the
/// dtype of q; a score of each head that takes its share of the weights, with no value; may be left out).
///
/// Output: \[batch, heads, queries, value size\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_attention_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How many keys before its own position a query sees. -1: all.
    pub left_window: i64,
    /// How many keys behind its own position a query sees. -1: all.
    pub right_window: i64,
    /// The position of the first query; starts, where they are given, take its place.
    pub first: i64,
    /// Factor of the products.
    pub scale: f32,
    /// Scores become softcap \* tanh(score / softcap). 0: they do not.
    pub softcap: f32,
    /// 1: a query sees no key behind its own position.
    pub causal: i32,
    /// Zero.
    pub reserved: i32,
}

impl anydim_attention_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_ATTENTION },
        left_window: -1,
        right_window: -1,
        first: 0,
        scale: 1.0,
        softcap: 0.0,
        causal: 0,
        reserved: 0,
    };
}

impl Default for anydim_attention_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Product of a matrix and one that is held as numbers of few bits: of i8, u8, i4 or u4, which stand for scale \*
/// (number - zero point) with one scale for a block of adjacent elements along K, or of f16 or bf16. The bits are
/// those of a matmul with the real numbers in f32, but for rounded_rows, whose sums are of whole numbers.
///
/// Inputs: a \[..., M, K\] (f32), b \[K, N\] (i8, u8, i4, u4, f16, bf16; usually constant), scales \[blocks, N\] or
/// \[blocks, 1\] (f32; for numbers, and for these only; may be left out; usually constant), zero_points \[blocks,
/// N\] or \[blocks, 1\] (f32; may be left out; usually constant).
///
/// Output: \[..., M, N\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_compressed_matmul_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// 1: b is given as \[N, K\], and what belongs to its blocks as \[N, blocks\].
    pub transpose_b: i32,
    /// 1: rows of a are rounded to 8 bits, each block of them by a scale of its own. For numbers in blocks of 8 to
    /// 256.
    pub rounded_rows: i32,
    /// Numbers of a block; the last one may be shorter. 0: one block.
    pub block: i64,
    /// What zero_points say where they are left out.
    pub zero_point: i64,
}

impl anydim_compressed_matmul_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_COMPRESSED_MATMUL },
        transpose_b: 0,
        rounded_rows: 0,
        block: 0,
        zero_point: 0,
    };
}

impl Default for anydim_compressed_matmul_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The cache, in which the update is stored along an axis, from position starts\[b\] (or first) on in example b,
/// which the first axis counts. The result is `length` long; what neither holds is 0. It may lie in the cache's own
/// memory: what is old then stays where it is, and only the update and what is 0 are written.
///
/// A windowed cache holds the last part of a sequence and stays as long as it is. The first evicted\[b\] slices
/// leave it; those behind them move to its front (and stay behind it, as they are). Then the update is stored from
/// starts\[b\] on, as much of it as lies within. The second result is what the cache and the update hold together,
/// for who needs what has left: the cache with the update from starts\[b\] + evicted\[b\] on, if the update has more
/// than one slice, else nothing.
///
/// Inputs: cache (any dtype), update, the cache's but for the axis (the dtype of cache), starts \[size of the first
/// axis\] (i64; where the update of each example begins; may be left out), evicted \[size of the first axis\] (i64;
/// how many slices leave a windowed cache; may be left out).
///
/// Outputs: the cache's, the axis `length`, the dtype of cache; the cache's, the axis as long as the cache and the
/// update or 0, the dtype of cache (both, before any slice leaves), with windowed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_append_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The axis; negative counts from the end. With starts it is not the first.
    pub axis: i64,
    /// Where the update begins; starts, where they are given, take its place.
    pub first: i64,
    /// The size of the result's axis, at least the cache's.
    pub length: i64,
    /// 1: positions are taken modulo the length; else they lie within it.
    pub circular: i32,
    /// 1: the cache is windowed: starts and evicted are given, and the length is the cache's.
    pub windowed: i32,
}

impl anydim_append_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_APPEND },
        axis: 0,
        first: 0,
        length: 0,
        circular: 0,
        windowed: 0,
    };
}

impl Default for anydim_append_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Decision trees over the features of each row. A tree is walked from its root: an inner node compares one feature
/// with its split and leads to one of two nodes, a leaf has weights for targets. The trees' weights for a target
/// become one number, to which its base is added. Nodes of all trees lie in one table, children behind their
/// parents.
///
/// Inputs: x \[rows, features\] (f32, f64), splits \[nodes\] (the dtype of x; what a node compares with; usually
/// constant), nodes \[nodes, 4\] (i32; mode, feature, the node if it holds, the node if not. Modes: 1 x \<= split, 2
/// x \< split, 3 x \>= split, 4 x \> split, 5 x == split, 6 x != split; 8 more: it also holds for NaN. Mode 0 is a
/// leaf: 0, 0, its first weight, how many ; usually constant), roots \[trees\] (i32; the node that each tree begins
/// with; usually constant), targets \[weights\] (i32; the target of each weight; usually constant), weights
/// \[weights\] (the dtype of x; usually constant), base \[outputs\] (the dtype of x; added at the end; may be left
/// out).
///
/// Output: \[rows, outputs\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_tree_ensemble_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How many targets.
    pub outputs: i64,
    /// What the trees' weights for a target become.
    pub aggregate: anydim_tree_aggregate_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_tree_ensemble_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_TREE_ENSEMBLE },
        outputs: 0,
        aggregate: 0,
        reserved: 0,
    };
}

impl Default for anydim_tree_ensemble_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng (2004),
/// iterated until no error is above 0.005 / classes, as support vector machines have it.
///
/// Input: x \[..., classes \* (classes - 1) / 2\] (f32, f64; of 0 against 1, 0 against 2, ..., 1 against 2, ...).
///
/// Output: \[..., classes\].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_couple_pairs_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How many classes.
    pub classes: i64,
}

impl anydim_couple_pairs_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_COUPLE_PAIRS },
        classes: 0,
    };
}

impl Default for anydim_couple_pairs_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's
/// DynamicQuantizeLinear quantizes with. docs/numerics.md, section 1, has the bits.
///
/// Input: x (f32).
///
/// Outputs: \[\] (the scale); \[\], u8 (the zero point).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_quantization_range_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_quantization_range_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_QUANTIZATION_RANGE },
    };
}

impl Default for anydim_quantization_range_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Where each string stands in a sorted table; -1 if it is not in it.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8), table \[strings\] (i64; views of distinct strings, in the increasing
/// order of their bytes; usually constant), table_heap \[bytes\] (u8; usually constant).
///
/// Output: x's, i64.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_lookup_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_string_lookup_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_LOOKUP },
    };
}

impl Default for anydim_string_lookup_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Whether two strings have the same bytes; dims broadcast as in NumPy.
///
/// Inputs: a (i64; views), a_heap \[bytes\] (u8), b (i64; views), b_heap \[bytes\] (u8).
///
/// Output: broadcast, bool.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_equal_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_string_equal_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_EQUAL },
    };
}

impl Default for anydim_string_equal_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The bytes of one string and then those of another; dims broadcast as in NumPy. The results lie in the new heap
/// one behind the other; its rest is zeros. Results that do not fit into it are an error in the data.
///
/// Inputs: a (i64; views), a_heap \[bytes\] (u8), b (i64; views), b_heap \[bytes\] (u8).
///
/// Outputs: broadcast, i64 (views); \[bytes\], u8 (their heap).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_concat_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How large the new heap is.
    pub bytes: i64,
}

impl anydim_string_concat_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_CONCAT },
        bytes: 0,
    };
}

impl Default for anydim_string_concat_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent of
/// language). The results lie in the new heap one behind the other; its rest is zeros. Results that do not fit into
/// it are an error in the data.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8).
///
/// Outputs: x's, i64 (views); \[bytes\], u8 (their heap).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_case_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// 1: upper case, else lower case.
    pub upper: i32,
    /// Zero.
    pub reserved: i32,
    /// How large the new heap is.
    pub bytes: i64,
}

impl anydim_string_case_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_CASE },
        upper: 0,
        reserved: 0,
        bytes: 0,
    };
}

impl Default for anydim_string_case_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Whether an automaton accepts the whole string. Its classes give each byte a column of the transitions; the last
/// column is for the end. The entry at a state's row and a column is twice the next state, or -2 if there is none,
/// plus 1 if what was read before is accepted. It begins in row 0; rows 1 to 3 are for texts cut out of others,
/// behind a character of a word, a new line, and any other.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8), classes \[1, 256\] (u8; usually constant), transitions \[states,
/// columns\] (i32; usually constant).
///
/// Output: x's, bool.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_match_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_string_match_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_MATCH },
    };
}

impl Default for anydim_string_match_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// How many pieces string_split cuts each string into.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8), classes \[automata, 256\] (u8; see string_match; of separators and
/// tokens; may be left out), transitions \[states, columns\] (i32; rows 4 \* k to 4 \* k + 3 are where automaton k
/// begins; may be left out).
///
/// Outputs: x's, i64; \[\], i64 (the largest count).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_count_string_pieces_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// What the pieces are.
    pub rule: anydim_string_rule_t,
    /// Zero.
    pub reserved: i32,
    /// How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and
    /// whitespace.
    pub most_splits: i64,
    /// Shorter pieces are left out. Of separators and tokens.
    pub min_characters: i64,
}

impl anydim_count_string_pieces_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_COUNT_STRING_PIECES },
        rule: 0,
        reserved: 0,
        most_splits: -1,
        min_characters: 1,
    };
}

impl Default for anydim_count_string_pieces_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Strings cut into pieces, which lie where the strings lie: views into the same heap. Behind a string's last piece
/// stand empty ones. A match is the leftmost that there is, and of these the longest.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8), classes \[automata, 256\] (u8; see string_match; of separators and
/// tokens; may be left out), transitions \[states, columns\] (i32; rows 4 \* k to 4 \* k + 3 are where automaton k
/// begins; may be left out).
///
/// Output: x's and most, i64 (views).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_split_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// What the pieces are.
    pub rule: anydim_string_rule_t,
    /// Zero.
    pub reserved: i32,
    /// How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and
    /// whitespace.
    pub most_splits: i64,
    /// Shorter pieces are left out. Of separators and tokens.
    pub min_characters: i64,
    /// How many pieces of each string are given; count_string_pieces counts them.
    pub most: i64,
}

impl anydim_string_split_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_SPLIT },
        rule: 0,
        reserved: 0,
        most_splits: -1,
        min_characters: 1,
        most: 0,
    };
}

impl Default for anydim_string_split_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// How often each n-gram of a pool occurs in a row: items that follow each other, or whose places are 1 + s apart
/// for each skip s up to max_skip. One of a single item counts once at each place. The pool's rows are sorted by
/// length, then by their items.
///
/// Inputs: x \[items\] or \[rows, items\] (i64), pool \[n-grams, longest\] (i64; a row's items; behind them zeros;
/// usually constant), lengths \[n-grams\] (i64; how many items each row has; usually constant), columns \[n-grams\]
/// (i64; where each is counted; usually constant).
///
/// Output: \[outputs\] or \[rows, outputs\], f32.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_ngram_counts_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// How many columns the result has.
    pub outputs: i64,
    /// The most items between one of an n-gram and the next.
    pub max_skip: i64,
}

impl anydim_ngram_counts_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_NGRAM_COUNTS },
        outputs: 1,
        max_skip: 0,
    };
}

impl Default for anydim_ngram_counts_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The numbers that strings spell: decimals, in plain or scientific form, with blanks around them; of an integer
/// without an exponent, and a fraction is cut off; of bool a whole number that is not 0. To floats inf and nan, too,
/// and beyond the largest lies infinity. Any other string, and one beyond the range of integers, is an error in the
/// data that names it.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8).
///
/// Output: x's, of that dtype.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_parse_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
    /// The dtype: f32, f64, bool or integers of 8 to 64 bits.
    pub to: anydim_dtype_t,
    /// Zero.
    pub reserved: i32,
}

impl anydim_string_parse_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_PARSE },
        to: 1,
        reserved: 0,
    };
}

impl Default for anydim_string_parse_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end, in
/// scientific form where the exponent is below -4 or above 7; INF, -INF, NaN. Number i lies from 15 \* i on in the
/// heap, of integers from 20 \* i on.
///
/// Input: x (f32, f64, i64, u64).
///
/// Outputs: x's, i64 (views); \[bytes\], u8 (their heap).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_format_t {
    /// Size and kind: from `INIT`.
    pub op: anydim_op_t,
}

impl anydim_string_format_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        op: anydim_op_t { size: std::mem::size_of::<Self>() as u32, kind: ANYDIM_OP_STRING_FORMAT },
    };
}

impl Default for anydim_string_format_t {
    fn default() -> Self {
        Self::INIT
    }
}
