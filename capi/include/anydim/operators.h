/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Operators and their attributes. A struct of each follows from core/ops/described. */
#ifndef ANYDIM_OPERATORS_H
#define ANYDIM_OPERATORS_H

#include "anydim/base.h"
#include "anydim/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most spatial dims of a convolution or pooling. */
#define ANYDIM_MAX_SPATIAL 3

/* Operators; each has a struct of its attributes that begins with anydim_op_t. */
typedef int32_t anydim_op_kind_t;
enum {
  ANYDIM_OP_CONVOLUTION = 1, /* anydim_convolution_t */
  ANYDIM_OP_CONV_TRANSPOSE = 2, /* anydim_conv_transpose_t */
  ANYDIM_OP_MATMUL = 3, /* anydim_matmul_t */
  ANYDIM_OP_POOLING = 4, /* anydim_pooling_t */
  ANYDIM_OP_UNARY = 5, /* anydim_unary_t */
  ANYDIM_OP_BINARY = 6, /* anydim_binary_t */
  ANYDIM_OP_REDUCE = 7, /* anydim_reduce_t */
  ANYDIM_OP_SOFTMAX = 8, /* anydim_softmax_t */
  ANYDIM_OP_LAYER_NORM = 9, /* anydim_layer_norm_t */
  ANYDIM_OP_RESIZE = 10, /* anydim_resize_t */
  ANYDIM_OP_TRANSPOSE = 11, /* anydim_transpose_t */
  ANYDIM_OP_CAST = 12, /* anydim_cast_t */
  ANYDIM_OP_CONCAT = 13, /* anydim_concat_t */
  ANYDIM_OP_WHERE = 14, /* anydim_where_t */
  ANYDIM_OP_ARG_REDUCE = 15, /* anydim_arg_reduce_t */
  ANYDIM_OP_CUMSUM = 16, /* anydim_cumsum_t */
  ANYDIM_OP_RESHAPE = 17, /* anydim_reshape_t */
  ANYDIM_OP_EXPAND = 18, /* anydim_expand_t */
  ANYDIM_OP_SLICE = 19, /* anydim_slice_t */
  ANYDIM_OP_PAD = 20, /* anydim_pad_t */
  ANYDIM_OP_TILE = 21, /* anydim_tile_t */
  ANYDIM_OP_DEPTH_TO_SPACE = 22, /* anydim_depth_to_space_t */
  ANYDIM_OP_RANGE = 23, /* anydim_range_t */
  ANYDIM_OP_SHAPE_TENSOR = 24, /* anydim_shape_tensor_t */
  ANYDIM_OP_GATHER = 25, /* anydim_gather_t */
  ANYDIM_OP_GATHER_ELEMENTS = 26, /* anydim_gather_elements_t */
  ANYDIM_OP_GATHER_ND = 27, /* anydim_gather_nd_t */
  ANYDIM_OP_SCATTER_ELEMENTS = 28, /* anydim_scatter_elements_t */
  ANYDIM_OP_SCATTER_ND = 29, /* anydim_scatter_nd_t */
  ANYDIM_OP_TOPK = 30, /* anydim_topk_t */
  ANYDIM_OP_TRILU = 31, /* anydim_trilu_t */
  ANYDIM_OP_EYE_LIKE = 32, /* anydim_eye_like_t */
  ANYDIM_OP_ONE_HOT = 33, /* anydim_one_hot_t */
  ANYDIM_OP_GRID_SAMPLE = 34, /* anydim_grid_sample_t */
  ANYDIM_OP_COUNT_NON_ZERO = 35, /* anydim_count_non_zero_t */
  ANYDIM_OP_NON_ZERO = 36, /* anydim_non_zero_t */
  ANYDIM_OP_UNIQUE = 37, /* anydim_unique_t */
  ANYDIM_OP_RECURRENT = 38, /* anydim_recurrent_t */
  ANYDIM_OP_FOLD = 39, /* anydim_fold_t */
  ANYDIM_OP_DEFORM_COLUMNS = 40, /* anydim_deform_columns_t */
  ANYDIM_OP_ROI_ALIGN = 41, /* anydim_roi_align_t */
  ANYDIM_OP_NON_MAX_SUPPRESSION = 42, /* anydim_non_max_suppression_t */
  ANYDIM_OP_DFT = 43, /* anydim_dft_t */
  ANYDIM_OP_DET = 44, /* anydim_det_t */
  ANYDIM_OP_RANDOM_UNIFORM = 45, /* anydim_random_uniform_t */
  ANYDIM_OP_BIT_CAST = 46, /* anydim_bit_cast_t */
  ANYDIM_OP_ATTENTION = 47, /* anydim_attention_t */
  ANYDIM_OP_COMPRESSED_MATMUL = 48, /* anydim_compressed_matmul_t */
  ANYDIM_OP_APPEND = 49, /* anydim_append_t */
  ANYDIM_OP_TREE_ENSEMBLE = 50, /* anydim_tree_ensemble_t */
  ANYDIM_OP_COUPLE_PAIRS = 51, /* anydim_couple_pairs_t */
  ANYDIM_OP_QUANTIZATION_RANGE = 52, /* anydim_quantization_range_t */
  ANYDIM_OP_STRING_LOOKUP = 53, /* anydim_string_lookup_t */
  ANYDIM_OP_STRING_EQUAL = 54, /* anydim_string_equal_t */
  ANYDIM_OP_STRING_CONCAT = 55, /* anydim_string_concat_t */
  ANYDIM_OP_STRING_CASE = 56, /* anydim_string_case_t */
  ANYDIM_OP_STRING_MATCH = 57, /* anydim_string_match_t */
  ANYDIM_OP_COUNT_STRING_PIECES = 58, /* anydim_count_string_pieces_t */
  ANYDIM_OP_STRING_SPLIT = 59, /* anydim_string_split_t */
  ANYDIM_OP_NGRAM_COUNTS = 60, /* anydim_ngram_counts_t */
  ANYDIM_OP_STRING_PARSE = 61, /* anydim_string_parse_t */
  ANYDIM_OP_STRING_FORMAT = 62 /* anydim_string_format_t */
};

/* What the pieces of a string are. */
typedef int32_t anydim_string_rule_t;
enum {
  /* what lies between matches of the first automaton, each piece cut by the next one */
  ANYDIM_STRING_RULE_SEPARATORS = 0,
  ANYDIM_STRING_RULE_TOKENS = 1, /* the matches of the automaton */
  /* what lies between runs of whitespace, of which those at the ends separate nothing */
  ANYDIM_STRING_RULE_WHITESPACE = 2,
  ANYDIM_STRING_RULE_CHARACTERS = 3 /* each character */
};

/* Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits. */
typedef int32_t anydim_unary_function_t;
enum {
  ANYDIM_UNARY_IDENTITY = 0, /* x */
  ANYDIM_UNARY_RELU = 1, /* x < 0 ? 0 : x */
  ANYDIM_UNARY_LEAKY_RELU = 2, /* x < 0 ? alpha * x : x */
  ANYDIM_UNARY_CLIP = 3, /* min(max(x, alpha), beta) */
  ANYDIM_UNARY_HARD_SIGMOID = 4, /* clip(alpha * x + beta, 0, 1) */
  ANYDIM_UNARY_HARD_SWISH = 5, /* x * clip(x / 6 + 1/2, 0, 1) */
  ANYDIM_UNARY_SIGMOID = 6, /* 1 / (1 + exp(-x)) */
  ANYDIM_UNARY_SILU = 7, /* x * sigmoid(x) */
  ANYDIM_UNARY_TANH = 8, /* tanh(x) */
  ANYDIM_UNARY_EXP = 9, /* exp(x) */
  ANYDIM_UNARY_LOG = 10, /* natural log(x) */
  ANYDIM_UNARY_SQRT = 11, /* sqrt(x) */
  ANYDIM_UNARY_RECIPROCAL = 12, /* 1 / x */
  ANYDIM_UNARY_ABS = 13, /* |x| */
  ANYDIM_UNARY_NEG = 14, /* -x */
  ANYDIM_UNARY_SQUARE = 15, /* x * x */
  ANYDIM_UNARY_ERF = 16, /* erf(x) */
  ANYDIM_UNARY_GELU_ERF = 17, /* x * (1 + erf(x / sqrt(2))) / 2 */
  ANYDIM_UNARY_GELU_TANH = 18, /* GELU by its tanh approximation */
  ANYDIM_UNARY_SOFTPLUS = 19, /* log(1 + exp(x)) */
  ANYDIM_UNARY_SOFTSIGN = 20, /* x / (1 + |x|) */
  ANYDIM_UNARY_MISH = 21, /* x * tanh(softplus(x)) */
  ANYDIM_UNARY_ELU = 22, /* x < 0 ? alpha * (exp(x) - 1) : x */
  ANYDIM_UNARY_SELU = 23, /* beta * (x < 0 ? alpha * (exp(x) - 1) : x) */
  ANYDIM_UNARY_CELU = 24, /* max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
  ANYDIM_UNARY_THRESHOLDED_RELU = 25, /* x > alpha ? x : 0 */
  ANYDIM_UNARY_SHRINK = 26, /* x < -alpha ? x + beta : x > alpha ? x - beta : 0 */
  ANYDIM_UNARY_FLOOR = 27, /* largest integer not above x */
  ANYDIM_UNARY_CEIL = 28, /* smallest integer not below x */
  ANYDIM_UNARY_ROUND_EVEN = 29, /* nearest integer, ties to even */
  ANYDIM_UNARY_SIGN = 30, /* -1, 0 or 1 */
  ANYDIM_UNARY_SIN = 31, /* sin(x) */
  ANYDIM_UNARY_COS = 32, /* cos(x) */
  ANYDIM_UNARY_TAN = 33, /* tan(x) */
  ANYDIM_UNARY_ASIN = 34, /* asin(x) */
  ANYDIM_UNARY_ACOS = 35, /* acos(x) */
  ANYDIM_UNARY_ATAN = 36, /* atan(x) */
  ANYDIM_UNARY_SINH = 37, /* sinh(x) */
  ANYDIM_UNARY_COSH = 38, /* cosh(x) */
  ANYDIM_UNARY_ASINH = 39, /* asinh(x) */
  ANYDIM_UNARY_ACOSH = 40, /* acosh(x) */
  ANYDIM_UNARY_ATANH = 41, /* atanh(x) */
  ANYDIM_UNARY_AFFINE = 42, /* alpha * x + beta, rounded once */
  ANYDIM_UNARY_LOGICAL_NOT = 43, /* not x (bool) */
  ANYDIM_UNARY_BITWISE_NOT = 44, /* all bits of x flipped (integers) */
  ANYDIM_UNARY_IS_NAN = 45, /* x is NaN (to bool) */
  ANYDIM_UNARY_IS_INF = 46, /* x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf */
  ANYDIM_UNARY_QUICK_GELU = 47, /* x * sigmoid(alpha * x) */
  ANYDIM_UNARY_ROUND_F16 = 48, /* x rounded to the nearest float16, ties to even (no float64) */
  ANYDIM_UNARY_ROUND_BF16 = 49, /* x rounded to the nearest bfloat16, ties to even (no float64) */
  ANYDIM_UNARY_SCALED_TANH = 50 /* alpha * tanh(beta * x) */
};

/* Functions of two elements; shapes broadcast as in NumPy. */
typedef int32_t anydim_binary_function_t;
enum {
  ANYDIM_BINARY_ADD = 0, /* a + b */
  ANYDIM_BINARY_SUB = 1, /* a - b */
  ANYDIM_BINARY_MUL = 2, /* a * b */
  ANYDIM_BINARY_DIV = 3, /* a / b */
  ANYDIM_BINARY_MIN = 4, /* the smaller; NaN if either is */
  ANYDIM_BINARY_MAX = 5, /* the larger; NaN if either is */
  ANYDIM_BINARY_POW = 6, /* a to the power of b */
  ANYDIM_BINARY_PRELU = 7, /* a < 0 ? b * a : a */
  ANYDIM_BINARY_MOD_FLOOR = 8, /* remainder with the sign of b */
  ANYDIM_BINARY_MOD_TRUNC = 9, /* remainder with the sign of a */
  ANYDIM_BINARY_EQUAL = 10, /* a == b (to bool) */
  ANYDIM_BINARY_LESS = 11, /* a < b (to bool) */
  ANYDIM_BINARY_LESS_EQUAL = 12, /* a <= b (to bool) */
  ANYDIM_BINARY_GREATER = 13, /* a > b (to bool) */
  ANYDIM_BINARY_GREATER_EQUAL = 14, /* a >= b (to bool) */
  ANYDIM_BINARY_LOGICAL_AND = 15, /* a and b (bool) */
  ANYDIM_BINARY_LOGICAL_OR = 16, /* a or b (bool) */
  ANYDIM_BINARY_LOGICAL_XOR = 17, /* a xor b (bool) */
  ANYDIM_BINARY_BITWISE_AND = 18, /* a & b (integers) */
  ANYDIM_BINARY_BITWISE_OR = 19, /* a | b (integers) */
  ANYDIM_BINARY_BITWISE_XOR = 20, /* a ^ b (integers) */
  ANYDIM_BINARY_SHIFT_LEFT = 21, /* a << b (unsigned integers) */
  ANYDIM_BINARY_SHIFT_RIGHT = 22 /* a >> b (unsigned integers) */
};

/* How the padding of a window is determined. */
typedef int32_t anydim_auto_pad_t;
enum {
  ANYDIM_AUTO_PAD_EXPLICIT = 0, /* By pads_begin and pads_end. */
  /*
   * As much as gives ceil(in / stride) positions (a transposed convolution: in * stride); an odd one goes to the
   * end.
   */
  ANYDIM_AUTO_PAD_SAME_UPPER = 1,
  ANYDIM_AUTO_PAD_SAME_LOWER = 2, /* As same_upper, but an odd one goes to the beginning. */
  ANYDIM_AUTO_PAD_VALID = 3 /* None. */
};

/* Kinds of pooling. */
typedef int32_t anydim_pooling_kind_t;
enum {
  ANYDIM_POOLING_MAX = 0, /* The largest element; NaN if any is. */
  ANYDIM_POOLING_AVERAGE = 1 /* The mean of the elements. */
};

/* Kinds of reduction. docs/numerics.md has the order of the sums. */
typedef int32_t anydim_reduce_kind_t;
enum {
  ANYDIM_REDUCE_SUM = 0, /* sum of x */
  ANYDIM_REDUCE_MEAN = 1, /* mean of x */
  ANYDIM_REDUCE_SUM_SQUARE = 2, /* sum of x * x */
  ANYDIM_REDUCE_L1 = 3, /* sum of |x| */
  ANYDIM_REDUCE_L2 = 4, /* square root of the sum of squares */
  ANYDIM_REDUCE_PROD = 5, /* product of x */
  ANYDIM_REDUCE_LOG_SUM = 6, /* log of the sum */
  ANYDIM_REDUCE_LOG_SUM_EXP = 7, /* log of the sum of exp(x) */
  ANYDIM_REDUCE_MAX = 8, /* largest x */
  ANYDIM_REDUCE_MIN = 9 /* smallest x */
};

/* Which element an index is asked of. */
typedef int32_t anydim_arg_reduce_kind_t;
enum {
  ANYDIM_ARG_REDUCE_MAX = 0, /* The largest; NaN counts as larger than any number. */
  ANYDIM_ARG_REDUCE_MIN = 1 /* The smallest; NaN counts as smaller than any number. */
};

/* Interpolations of resize. */
typedef int32_t anydim_resize_mode_t;
enum {
  ANYDIM_RESIZE_NEAREST = 0, /* The nearest element. */
  ANYDIM_RESIZE_LINEAR = 1, /* Linear in each axis. */
  ANYDIM_RESIZE_CUBIC = 2 /* Cubic in each axis, with coefficient cubic_coeff_a. */
};

/* How a position of resize's output maps to its input (ONNX's names). */
typedef int32_t anydim_resize_coordinates_t;
enum {
  ANYDIM_RESIZE_COORDINATES_HALF_PIXEL = 0, /* (x + 0.5) / scale - 0.5 */
  /* as half_pixel, about the centre of what the scale makes of the input */
  ANYDIM_RESIZE_COORDINATES_HALF_PIXEL_SYMMETRIC = 1,
  ANYDIM_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL = 2, /* as half_pixel, and 0 where the output has one element */
  ANYDIM_RESIZE_COORDINATES_ALIGN_CORNERS = 3, /* x * (in - 1) / (out - 1) */
  ANYDIM_RESIZE_COORDINATES_ASYMMETRIC = 4, /* x / scale */
  ANYDIM_RESIZE_COORDINATES_TF_HALF_PIXEL_FOR_NN = 5, /* (x + 0.5) / scale */
  /* from the beginning to the end of the region roi, in parts of the input */
  ANYDIM_RESIZE_COORDINATES_TF_CROP_AND_RESIZE = 6
};

/* Rounding of resize's nearest mode (ONNX's names). */
typedef int32_t anydim_resize_nearest_t;
enum {
  ANYDIM_RESIZE_NEAREST_ROUND_PREFER_FLOOR = 0, /* to nearest, half down */
  ANYDIM_RESIZE_NEAREST_ROUND_PREFER_CEIL = 1, /* to nearest, half up */
  ANYDIM_RESIZE_NEAREST_FLOOR = 2, /* down */
  ANYDIM_RESIZE_NEAREST_CEIL = 3 /* up */
};

/* What becomes of the ratio of sides where resize is given sizes. */
typedef int32_t anydim_resize_policy_t;
enum {
  ANYDIM_RESIZE_POLICY_STRETCH = 0, /* Each axis gets its size. */
  ANYDIM_RESIZE_POLICY_NOT_LARGER = 1, /* One scale for all axes, so that none is larger than its size. */
  ANYDIM_RESIZE_POLICY_NOT_SMALLER = 2 /* One scale for all axes, so that none is smaller than its size. */
};

/* What a bin of a region becomes. */
typedef int32_t anydim_roi_mode_t;
enum {
  ANYDIM_ROI_AVERAGE = 0, /* The average of its samples. */
  ANYDIM_ROI_MAXIMUM = 1, /* The largest of its samples' four weighted elements. */
  ANYDIM_ROI_CELLS = 2 /* The largest element in it, with the region's ends rounded to elements. */
};

/* Which power of two stands for a number between two. */
typedef int32_t anydim_power_rounding_t;
enum {
  ANYDIM_POWER_UP = 0, /* The larger one. */
  ANYDIM_POWER_DOWN = 1, /* The smaller one. */
  ANYDIM_POWER_NEAREST = 2 /* The nearer one, from half way the larger one. */
};

/* What is put where elements are added. */
typedef int32_t anydim_pad_mode_t;
enum {
  ANYDIM_PAD_CONSTANT = 0, /* The pad value. */
  ANYDIM_PAD_REFLECT = 1, /* The elements mirrored about the edge element, which is not repeated. */
  ANYDIM_PAD_EDGE = 2, /* The edge element. */
  ANYDIM_PAD_WRAP = 3 /* The elements of the other end. */
};

/* What the channels of depth_to_space are made of. */
typedef int32_t anydim_depth_to_space_order_t;
enum {
  ANYDIM_DEPTH_TO_SPACE_DEPTH_FIRST = 0, /* Block row, block column, depth (ONNX: DCR). */
  ANYDIM_DEPTH_TO_SPACE_COLUMN_FIRST = 1 /* Depth, block row, block column (ONNX: CRD). */
};

/*
 * What an update does to the element that is there. Updates that meet at one element are applied in the order of
 * their logical index.
 */
typedef int32_t anydim_scatter_reduction_t;
enum {
  ANYDIM_SCATTER_NONE = 0, /* It replaces it. */
  ANYDIM_SCATTER_ADD = 1, /* It is added. */
  ANYDIM_SCATTER_MUL = 2, /* It is multiplied. */
  ANYDIM_SCATTER_MIN = 3, /* The smaller stays. */
  ANYDIM_SCATTER_MAX = 4 /* The larger stays. */
};

/* Interpolations of grid_sample. */
typedef int32_t anydim_grid_sample_mode_t;
enum {
  ANYDIM_GRID_SAMPLE_NEAREST = 0, /* The nearest element, ties to even positions. */
  ANYDIM_GRID_SAMPLE_LINEAR = 1, /* Linear in each axis. */
  ANYDIM_GRID_SAMPLE_CUBIC = 2 /* Cubic in each axis, with Keys' weights of -0.75. */
};

/* What is read outside the input of grid_sample. */
typedef int32_t anydim_grid_sample_padding_t;
enum {
  ANYDIM_GRID_SAMPLE_PADDING_ZEROS = 0, /* Zeros. */
  ANYDIM_GRID_SAMPLE_PADDING_BORDER = 1, /* The nearest element of the edge. */
  ANYDIM_GRID_SAMPLE_PADDING_REFLECTION = 2 /* The input mirrored at its edges. */
};

/* Cells of recurrent layers. */
typedef int32_t anydim_recurrent_cell_t;
enum {
  ANYDIM_RECURRENT_RNN = 0, /* The plain cell: one function of a sum. */
  ANYDIM_RECURRENT_LSTM = 1, /* Long short-term memory: three gates and a cell state. */
  ANYDIM_RECURRENT_GRU = 2 /* Gated recurrent unit: two gates. */
};

/* Which way a recurrent layer takes the steps of a sequence. */
typedef int32_t anydim_recurrent_direction_t;
enum {
  ANYDIM_RECURRENT_FORWARD = 0, /* From the first to the last. */
  ANYDIM_RECURRENT_REVERSE = 1, /* From the last to the first. */
  ANYDIM_RECURRENT_BIDIRECTIONAL = 2 /* Both: two cells with weights and states of their own. */
};

/* What the weights that trees give a target become. */
typedef int32_t anydim_tree_aggregate_t;
enum {
  ANYDIM_TREE_SUM = 0, /* Their sum. */
  ANYDIM_TREE_AVERAGE = 1, /* Their sum divided by the number of trees. */
  ANYDIM_TREE_MINIMUM = 2, /* The smallest; 0 where no tree has one. */
  ANYDIM_TREE_MAXIMUM = 3 /* The largest; 0 where no tree has one. */
};

/* The head of every operator struct. Filled in by the _INIT values. */
typedef struct anydim_op_t {
  uint32_t size; /* Size of the whole struct in bytes. */
  anydim_op_kind_t kind; /* Which operator it is. */
} anydim_op_t;

/*
 * Convolution over 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end - dilation * (kernel - 1) - 1)
 * / stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first `spatial`
 * entries.
 *
 * Inputs: src [N, C, spatial...] (floats), weights [O, C / group, kernel...] (the dtype of src; usually constant),
 * bias [O] (the dtype of src; may be left out; usually constant).
 *
 * Output: [N, O, out...].
 */
typedef struct anydim_convolution_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  anydim_auto_pad_t auto_pad; /* How the padding is determined. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Padding before, per spatial dim. */
  int64_t pads_end[3]; /* Padding after, per spatial dim. */
  int64_t group; /* Number of groups. */
} anydim_convolution_t;
#define ANYDIM_CONVOLUTION_INIT {{sizeof(anydim_convolution_t), ANYDIM_OP_CONVOLUTION}, 2, 0, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 1}

/*
 * Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) * stride - pads_begin - pads_end +
 * dilation * (kernel - 1) + 1 + output_padding, or what output_shape says. Per spatial dim means the first `spatial`
 * entries.
 *
 * Inputs: src [N, C, spatial...] (floats), weights [C, O / group, kernel...] (the dtype of src; usually constant),
 * bias [O] (the dtype of src; may be left out; usually constant).
 *
 * Output: [N, O, out...].
 */
typedef struct anydim_conv_transpose_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  anydim_auto_pad_t auto_pad; /* How the padding is determined. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Cut off before, per spatial dim. */
  int64_t pads_end[3]; /* Cut off after, per spatial dim. */
  int64_t output_padding[3]; /* Added at the end, per spatial dim. */
  /* Output dims, one per spatial dim; the padding follows from them. None: as the formula says. */
  anydim_dims_t output_shape;
  int64_t group; /* Number of groups. */
} anydim_conv_transpose_t;
#define ANYDIM_CONV_TRANSPOSE_INIT {{sizeof(anydim_conv_transpose_t), ANYDIM_OP_CONV_TRANSPOSE}, 2, 0, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, {0}}, 1}

/*
 * Product of matrices: alpha * (a b) + beta * c. Leading dims broadcast; an operand of rank 1 is a row (a) or a
 * column (b), as in NumPy. An alpha other than 1, and c, are for floats only.
 *
 * Inputs: a [..., M, K] (numbers), b [..., K, N] (the dtype of a; usually constant), c, what broadcasts to the
 * output (the dtype of a; may be left out; usually constant).
 *
 * Output: [..., M, N].
 */
typedef struct anydim_matmul_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t transpose_a; /* 1: a is given as [..., K, M]. */
  int32_t transpose_b; /* 1: b is given as [..., N, K]. */
  float alpha; /* Factor of the product. */
  float beta; /* Factor of c. */
} anydim_matmul_t;
#define ANYDIM_MATMUL_INIT {{sizeof(anydim_matmul_t), ANYDIM_OP_MATMUL}, 0, 0, 1.0f, 1.0f}

/*
 * The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end -
 * dilation * (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceil_mode. Padding never wins a
 * maximum, and counts in an average with count_include_pad only. Per spatial dim means the first `spatial` entries.
 *
 * Input: src [N, C, spatial...] (f32, f64, f16, bf16, i8, u8; i8 and u8 for the maximum only).
 *
 * Outputs: [N, C, out...]; [N, C, out...], i64 (where each maximum stood), with indices.
 */
typedef struct anydim_pooling_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_pooling_kind_t kind; /* Which pooling. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  int32_t global; /* 1: the window is the whole plane; the fields of windows do not count. */
  anydim_auto_pad_t auto_pad; /* How the padding is determined. */
  int64_t window[3]; /* Dims of the window. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Padding before, per spatial dim. */
  int64_t pads_end[3]; /* Padding after, per spatial dim. */
  int32_t ceil_mode; /* 1: output dims round up. */
  int32_t count_include_pad; /* 1: an average counts padded positions. */
  int32_t indices; /* 1: of a maximum: the second output is made, the winners' positions in their plane. */
  int32_t column_major_indices; /* 1: positions are counted with the last dim outermost (ONNX: storage_order = 1). */
} anydim_pooling_t;
#define ANYDIM_POOLING_INIT {{sizeof(anydim_pooling_t), ANYDIM_OP_POOLING}, 0, 2, 0, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0}

/*
 * A function of each element. The output has x's dtype, or bool for functions that return a truth value.
 *
 * Input: x (any dtype; that the function is defined on).
 *
 * Output: x's.
 */
typedef struct anydim_unary_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_unary_function_t function; /* The function. */
  float alpha; /* Its first parameter, for functions whose text names alpha. */
  float beta; /* Its second parameter, for functions whose text names beta. */
  int32_t reserved; /* Zero. */
} anydim_unary_t;
#define ANYDIM_UNARY_INIT {{sizeof(anydim_unary_t), ANYDIM_OP_UNARY}, 0, 0.0f, 0.0f, 0}

/*
 * A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
 * comparison.
 *
 * Inputs: a (any dtype; that the function is defined on), b (the dtype of a; the exponent of pow may have another).
 *
 * Output: broadcast.
 */
typedef struct anydim_binary_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_binary_function_t function; /* The function. */
  int32_t reserved; /* Zero. */
} anydim_binary_t;
#define ANYDIM_BINARY_INIT {{sizeof(anydim_binary_t), ANYDIM_OP_BINARY}, 0, 0}

/*
 * x with some axes reduced.
 *
 * Input: x (any dtype; bool for the maximum and minimum only).
 *
 * Output: x's, the reduced ones 1 or gone.
 */
typedef struct anydim_reduce_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_reduce_kind_t kind; /* The reduction. */
  int32_t keepdims; /* 1: reduced axes stay as dims of 1. */
  anydim_dims_t axes; /* Axes, negative ones counted from the end. None: all of them. */
} anydim_reduce_t;
#define ANYDIM_REDUCE_INIT {{sizeof(anydim_reduce_t), ANYDIM_OP_REDUCE}, 0, 1, {0, 0, {0}}}

/*
 * exp(x - max) / sum over an axis, or its logarithm.
 *
 * Input: x (floats).
 *
 * Output: x's.
 */
typedef struct anydim_softmax_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
  int32_t log; /* 1: log-softmax. */
  int32_t reserved; /* Zero. */
} anydim_softmax_t;
#define ANYDIM_SOFTMAX_INIT {{sizeof(anydim_softmax_t), ANYDIM_OP_SOFTMAX}, -1, 0, 0}

/*
 * (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance over the axes from `axis` to the last.
 *
 * Inputs: x (floats), scale, x's from the axis on (the dtype of x; may be left out; usually constant), bias, x's
 * from the axis on (the dtype of x; may be left out; usually constant).
 *
 * Output: x's.
 */
typedef struct anydim_layer_norm_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* First axis of those normalised together; negative counts from the end. */
  float epsilon; /* Added to the variance. */
  int32_t reserved; /* Zero. */
} anydim_layer_norm_t;
#define ANYDIM_LAYER_NORM_INIT {{sizeof(anydim_layer_norm_t), ANYDIM_OP_LAYER_NORM}, -1, 1e-05f, 0}

/*
 * Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is given,
 * with one number per axis of `axes`. Axes that are not named are copied.
 *
 * Input: x (any dtype).
 *
 * Output: x's, resized.
 */
typedef struct anydim_resize_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_resize_mode_t mode; /* Interpolation. */
  anydim_resize_coordinates_t coordinates; /* How positions map. */
  anydim_resize_nearest_t nearest; /* Rounding of the nearest mode. */
  float cubic_coeff_a; /* Coefficient of the cubic mode. */
  anydim_resize_policy_t policy; /* What becomes of the ratio of sides, with sizes. */
  float extrapolation_value; /* Result outside the input, for tf_crop_and_resize. */
  int32_t exclude_outside; /* 1: taps outside the input get no weight. */
  int32_t antialias; /* 1: linear and cubic: axes that shrink are read through a filter as much wider. */
  anydim_dims_t axes; /* The axes that scales, sizes and roi are about, from 0. None: all, in order. */
  anydim_dims_t sizes; /* Output dims. */
  anydim_reals_t scales; /* Output dims over input dims. */
  /* For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis. */
  anydim_reals_t roi;
  /*
   * With sizes: scales that a node computes, as the bits of binary32 numbers; they map positions, and sizes are the
   * output's dims.
   */
  anydim_dims_t scale_bits;
  anydim_dims_t roi_bits; /* In place of roi: what a node computes, as the bits of binary32 numbers. */
} anydim_resize_t;
#define ANYDIM_RESIZE_INIT {{sizeof(anydim_resize_t), ANYDIM_OP_RESIZE}, 0, 0, 0, -0.75f, 0, 0.0f, 0, 0, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}}

/*
 * The axes in another order; output axis i is input axis perm[i].
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: x's in the order of perm.
 */
typedef struct anydim_transpose_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t perm; /* The axes of x in the output's order, each once, from 0. */
} anydim_transpose_t;
#define ANYDIM_TRANSPOSE_INIT {{sizeof(anydim_transpose_t), ANYDIM_OP_TRANSPOSE}, {0, 0, {0}}}

/*
 * The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x != 0;
 * to a narrower float rounded to nearest even. A number beyond the range of f8 or f4 becomes the largest one there
 * is; i4, u4, i2 and u2 keep the lowest bits of the whole number.
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: x's.
 */
typedef struct anydim_cast_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t to; /* The dtype. */
  int32_t overflows; /* 1: to f8: beyond the range lies infinity, or NaN where the dtype has none. */
  anydim_power_rounding_t rounding; /* To f8e8m0: which power of two. */
  int32_t reserved; /* Zero. */
} anydim_cast_t;
#define ANYDIM_CAST_INIT {{sizeof(anydim_cast_t), ANYDIM_OP_CAST}, 1, 0, 0, 0}

/*
 * The inputs one after another along an axis.
 *
 * Input: inputs, equal but along the axis (any dtype, narrow ones too; one dtype for all; one or more).
 *
 * Output: theirs, added up along the axis.
 */
typedef struct anydim_concat_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
} anydim_concat_t;
#define ANYDIM_CONCAT_INIT {{sizeof(anydim_concat_t), ANYDIM_OP_CONCAT}, 0}

/*
 * condition ? a : b, element by element; dims broadcast as in NumPy.
 *
 * Inputs: condition (bool), a (any dtype, narrow ones too), b (the dtype of a).
 *
 * Output: broadcast, the dtype of a.
 */
typedef struct anydim_where_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_where_t;
#define ANYDIM_WHERE_INIT {{sizeof(anydim_where_t), ANYDIM_OP_WHERE}}

/*
 * The index of the largest or smallest element along an axis. +0 and -0 are equal.
 *
 * Input: x (any dtype).
 *
 * Output: x's, the axis 1 or gone, i64.
 */
typedef struct anydim_arg_reduce_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_arg_reduce_kind_t kind; /* The largest or the smallest. */
  int32_t keepdims; /* 1: the axis stays as a dim of 1. */
  int64_t axis; /* The axis; negative counts from the end. */
  int32_t select_last; /* 1: among equal elements the last is meant, else the first. */
  int32_t reserved; /* Zero. */
} anydim_arg_reduce_t;
#define ANYDIM_ARG_REDUCE_INIT {{sizeof(anydim_arg_reduce_t), ANYDIM_OP_ARG_REDUCE}, 0, 1, 0, 0, 0}

/*
 * Running sums or products along an axis, in the order of the index.
 *
 * Inputs: x (numbers), axis, one element (i32 or i64; The axis, whose value may come from the data.).
 *
 * Output: x's.
 */
typedef struct anydim_cumsum_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t exclusive; /* 1: a sum leaves its own element out. */
  int32_t reverse; /* 1: sums begin at the end. */
  int32_t product; /* 1: products in place of sums. */
  int32_t reserved; /* Zero. */
} anydim_cumsum_t;
#define ANYDIM_CUMSUM_INIT {{sizeof(anydim_cumsum_t), ANYDIM_OP_CUMSUM}, 0, 0, 0, 0}

/*
 * The same elements, in logical row-major order, under other dims.
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: those given.
 */
typedef struct anydim_reshape_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t dims; /* The dims; as many elements as x has. */
} anydim_reshape_t;
#define ANYDIM_RESHAPE_INIT {{sizeof(anydim_reshape_t), ANYDIM_OP_RESHAPE}, {0, 0, {0}}}

/*
 * x repeated to the dims that it and those given broadcast to.
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: broadcast.
 */
typedef struct anydim_expand_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t dims; /* The dims to broadcast with. */
} anydim_expand_t;
#define ANYDIM_EXPAND_INIT {{sizeof(anydim_expand_t), ANYDIM_OP_EXPAND}, {0, 0, {0}}}

/*
 * Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: the lengths.
 */
typedef struct anydim_slice_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t starts; /* First index, one per axis of x. */
  anydim_dims_t steps; /* Steps, not 0, one per axis of x. None: 1 everywhere. */
  anydim_dims_t lengths; /* How many elements are taken, one per axis of x. */
} anydim_slice_t;
#define ANYDIM_SLICE_INIT {{sizeof(anydim_slice_t), ANYDIM_OP_SLICE}, {0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}}

/*
 * Elements added, or with negative counts cut off, before and after each axis.
 *
 * Inputs: x (any dtype), value, one element (the dtype of x; What is put in mode constant; absent: zero.; may be
 * left out).
 *
 * Output: x's and what is added.
 */
typedef struct anydim_pad_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_pad_mode_t mode; /* What is put where elements are added. */
  int32_t reserved; /* Zero. */
  anydim_dims_t before; /* Counts before, one per axis of x. */
  anydim_dims_t after; /* Counts after, one per axis of x. */
} anydim_pad_t;
#define ANYDIM_PAD_INIT {{sizeof(anydim_pad_t), ANYDIM_OP_PAD}, 0, 0, {0, 0, {0}}, {0, 0, {0}}}

/*
 * Each axis of x repeated a number of times.
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: x's times the repeats.
 */
typedef struct anydim_tile_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dims_t repeats; /* How often, one per axis of x. */
} anydim_tile_t;
#define ANYDIM_TILE_INIT {{sizeof(anydim_tile_t), ANYDIM_OP_TILE}, {0, 0, {0}}}

/*
 * Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
 *
 * Input: x [N, C, H, W] (any dtype).
 *
 * Output: [N, C / block^2, H * block, W * block].
 */
typedef struct anydim_depth_to_space_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t block; /* Side of a square. */
  anydim_depth_to_space_order_t order; /* What the channels are made of. */
  int32_t inverse; /* 1: squares become channels (depth first only). */
} anydim_depth_to_space_t;
#define ANYDIM_DEPTH_TO_SPACE_INIT {{sizeof(anydim_depth_to_space_t), ANYDIM_OP_DEPTH_TO_SPACE}, 1, 0, 0}

/*
 * A vector of start, start + delta, ..., each element start + i * delta rounded in its dtype. Start and delta are
 * whole numbers, or reals with `real`.
 *
 * Inputs: none.
 *
 * Output: [count], of that dtype.
 */
typedef struct anydim_range_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype: numbers, not f16 or bf16; with `real` f32 or f64. */
  int32_t real; /* 1: start and delta are real_start and real_delta. */
  int64_t start; /* The first element. */
  int64_t delta; /* From one element to the next. */
  int64_t count; /* How many elements. */
  double real_start; /* The first element. */
  double real_delta; /* From one element to the next. */
} anydim_range_t;
#define ANYDIM_RANGE_INIT {{sizeof(anydim_range_t), ANYDIM_OP_RANGE}, 11, 0, 0, 1, 0, 0.0, 0.0}

/*
 * A scalar or a vector of whole numbers, converted as a cast from i64 does.
 *
 * Inputs: none.
 *
 * Output: [values] or [], of that dtype.
 */
typedef struct anydim_shape_tensor_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype. */
  int32_t scalar; /* 1: the one value is a scalar. */
  const int64_t* values; /* The elements. */
  int64_t values_count; /* Their number. */
} anydim_shape_tensor_t;
#define ANYDIM_SHAPE_TENSOR_INIT {{sizeof(anydim_shape_tensor_t), ANYDIM_OP_SHAPE_TENSOR}, 11, 0, ANYDIM_NULL, 0}

/*
 * Slices of the data along an axis, picked by the indices (negative ones from the end).
 *
 * Inputs: data (any dtype, narrow ones too), indices (i32 or i64).
 *
 * Output: the data's, the axis replaced by the dims of the indices, the dtype of data.
 */
typedef struct anydim_gather_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
} anydim_gather_t;
#define ANYDIM_GATHER_INIT {{sizeof(anydim_gather_t), ANYDIM_OP_GATHER}, 0}

/*
 * One element of the data for each index, which replaces its coordinate on an axis.
 *
 * Inputs: data (any dtype, narrow ones too), indices, no larger than the data's but along the axis (i32 or i64).
 *
 * Output: the indices', the dtype of data.
 */
typedef struct anydim_gather_elements_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
} anydim_gather_elements_t;
#define ANYDIM_GATHER_ELEMENTS_INIT {{sizeof(anydim_gather_elements_t), ANYDIM_OP_GATHER_ELEMENTS}, 0}

/*
 * Slices of the data at coordinates, which the last axis of the indices holds. The first batch_dims axes of both go
 * together.
 *
 * Inputs: data (any dtype, narrow ones too), indices [..., coordinates] (i32 or i64).
 *
 * Output: the indices' but for the last, then the rest of the data's, the dtype of data.
 */
typedef struct anydim_gather_nd_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t batch_dims; /* How many axes go together. */
} anydim_gather_nd_t;
#define ANYDIM_GATHER_ND_INIT {{sizeof(anydim_gather_nd_t), ANYDIM_OP_GATHER_ND}, 0}

/*
 * A copy of the data in which updates are stored, or combined, at the indices along an axis.
 *
 * Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64), updates, the
 * indices' (the dtype of data).
 *
 * Output: the data's, the dtype of data.
 */
typedef struct anydim_scatter_elements_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
  anydim_scatter_reduction_t reduction; /* How an update combines with the present value. */
  int32_t reserved; /* Zero. */
} anydim_scatter_elements_t;
#define ANYDIM_SCATTER_ELEMENTS_INIT {{sizeof(anydim_scatter_elements_t), ANYDIM_OP_SCATTER_ELEMENTS}, 0, 0, 0}

/*
 * A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis of
 * the indices holds.
 *
 * Inputs: data (any dtype), indices [..., coordinates] (i32 or i64), updates, the indices' but for the last, then
 * the rest of the data's (the dtype of data).
 *
 * Output: the data's, the dtype of data.
 */
typedef struct anydim_scatter_nd_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_scatter_reduction_t reduction; /* How an update combines with the present value. */
  int32_t reserved; /* Zero. */
} anydim_scatter_nd_t;
#define ANYDIM_SCATTER_ND_INIT {{sizeof(anydim_scatter_nd_t), ANYDIM_OP_SCATTER_ND}, 0, 0}

/*
 * The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts as
 * larger than any number.
 *
 * Input: x (any dtype).
 *
 * Outputs: x's, the axis k; x's, the axis k, i64 (where each element stood).
 */
typedef struct anydim_topk_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
  int64_t k; /* How many, at most the size of the axis. */
  int32_t largest; /* 1: the largest, else the smallest. */
  int32_t sorted; /* 1: they come sorted. Without it any order would do; they are sorted all the same. */
} anydim_topk_t;
#define ANYDIM_TOPK_INIT {{sizeof(anydim_topk_t), ANYDIM_OP_TOPK}, 0, 1, 1, 1}

/*
 * The upper or lower triangle of the last two axes, zero elsewhere.
 *
 * Input: x [..., M, N] (any dtype).
 *
 * Output: x's.
 */
typedef struct anydim_trilu_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t upper; /* 1: the upper triangle, else the lower. */
  int32_t reserved; /* Zero. */
  int64_t k; /* Where the diagonal lies: above 0 it is moved up, below 0 down. */
} anydim_trilu_t;
#define ANYDIM_TRILU_INIT {{sizeof(anydim_trilu_t), ANYDIM_OP_TRILU}, 1, 0, 0}

/*
 * Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.
 *
 * Input: x [M, N] (any dtype).
 *
 * Output: x's, of that dtype.
 */
typedef struct anydim_eye_like_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype; 0 is that of x. */
  int32_t reserved; /* Zero. */
  int64_t k; /* Which diagonal: above 0 upper ones, below 0 lower ones. */
} anydim_eye_like_t;
#define ANYDIM_EYE_LIKE_INIT {{sizeof(anydim_eye_like_t), ANYDIM_OP_EYE_LIKE}, 0, 0, 0}

/*
 * A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
 * elsewhere and for indices out of range.
 *
 * Inputs: indices (numbers), values [2] (any dtype; off and on).
 *
 * Output: the indices' and the new axis, the dtype of values.
 */
typedef struct anydim_one_hot_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* Which axis of the output is new; negative counts from the end. */
  int64_t depth; /* Its size. */
} anydim_one_hot_t;
#define ANYDIM_ONE_HOT_INIT {{sizeof(anydim_one_hot_t), ANYDIM_OP_ONE_HOT}, 0, 0}

/*
 * The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis to
 * the other, and interpolated.
 *
 * Inputs: x [N, C, spatial...] (any dtype; floats, but for mode nearest), grid [N, out..., coordinates] (floats; one
 * coordinate per spatial dim, the last dim's first).
 *
 * Output: [N, C, out...].
 */
typedef struct anydim_grid_sample_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_grid_sample_mode_t mode; /* Interpolation. */
  anydim_grid_sample_padding_t padding; /* What is read outside the input. */
  int32_t align_corners; /* 1: -1 and 1 are the centres of the outermost elements, else their outer edges. */
  int32_t reserved; /* Zero. */
} anydim_grid_sample_t;
#define ANYDIM_GRID_SAMPLE_INIT {{sizeof(anydim_grid_sample_t), ANYDIM_OP_GRID_SAMPLE}, 1, 0, 0, 0}

/*
 * How many elements are not zero. NaN is not zero; -0 is.
 *
 * Input: x (any dtype).
 *
 * Output: [], i64.
 */
typedef struct anydim_count_non_zero_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_count_non_zero_t;
#define ANYDIM_COUNT_NON_ZERO_INIT {{sizeof(anydim_count_non_zero_t), ANYDIM_OP_COUNT_NON_ZERO}}

/*
 * The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j is
 * at [i, j]. Fewer such elements are an error in the data.
 *
 * Input: x (any dtype).
 *
 * Output: [rank of x, count], i64.
 */
typedef struct anydim_non_zero_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t count; /* How many; count_non_zero counts them. */
} anydim_non_zero_t;
#define ANYDIM_NON_ZERO_INIT {{sizeof(anydim_non_zero_t), ANYDIM_OP_NON_ZERO}, 0}

/*
 * Which slices of x along an axis are equal: -0 and 0 are, and all NaN, which come after all numbers. Slices are
 * compared element by element, in row-major order. As many distinct ones as there are have places in the outputs
 * from the first on; what is behind them is 0.
 *
 * Input: x (any dtype).
 *
 * Outputs: [size of the axis], i64 (where each distinct slice stands first); [size of the axis], i64 (which distinct
 * slice each one is); [size of the axis], i64 (how many are equal to each distinct slice); [], i64 (how many are
 * distinct).
 */
typedef struct anydim_unique_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. */
  int32_t sorted; /* 1: distinct slices come in increasing order, else in that of their first places. */
  int32_t reserved; /* Zero. */
} anydim_unique_t;
#define ANYDIM_UNIQUE_INIT {{sizeof(anydim_unique_t), ANYDIM_OP_UNIQUE}, 0, 1, 0}

/*
 * A recurrent layer: a cell that is applied to one step of a sequence after the other and carries a state.
 * docs/numerics.md, section 9, has the formulas. Gates follow each other as in ONNX: lstm input, output, forget,
 * candidate; gru update, reset, candidate. A sequence may be cut anywhere: with the states of one part as the
 * initial states of the next, the results have the same bits. With weights of 8 bits, of lstm on f32, x and the
 * hidden states become numbers of 8 bits by their ranges: x as a whole, so that a part has another range, and hidden
 * states row by row at each step.
 *
 * Inputs: x [steps, batch, inputs] (floats), input_weights [directions, gates * hidden, inputs] (f32, f64, f16,
 * bf16, i8, u8; the dtype of x, or 8 bits; usually constant), recurrent_weights [directions, gates * hidden, hidden]
 * (f32, f64, f16, bf16, i8, u8; the dtype of x, or 8 bits; usually constant), bias [directions, 2 * gates * hidden]
 * (the dtype of x; that of the inputs, then that of the state; may be left out; usually constant), lengths [batch]
 * (i32; from 0 to steps; without it all steps count; may be left out), initial_hidden [directions, batch, hidden]
 * (the dtype of x; zeros without it; may be left out), initial_cell [directions, batch, hidden] (the dtype of x;
 * lstm only; zeros without it; may be left out), peepholes [directions, 3 * hidden] (the dtype of x; lstm only:
 * input, output, forget; may be left out; usually constant), input_scales [directions, gates * hidden] (f32; of
 * input_weights of 8 bits, which need them; may be left out; usually constant), input_zero_points [directions, gates
 * * hidden] (the dtype of input_weights; of input_weights of 8 bits; zeros without them; may be left out; usually
 * constant), recurrent_scales [directions, gates * hidden] (f32; of recurrent_weights of 8 bits, which need them;
 * may be left out; usually constant), recurrent_zero_points [directions, gates * hidden] (the dtype of
 * recurrent_weights; of recurrent_weights of 8 bits; zeros without them; may be left out; usually constant).
 *
 * Outputs: [steps, directions, batch, hidden] (the hidden state after each step, 0 beyond a sequence's length);
 * [directions, batch, hidden] (the last hidden state); [directions, batch, hidden] (the last cell state), with
 * cell_state.
 */
typedef struct anydim_recurrent_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_recurrent_cell_t cell; /* The cell. */
  anydim_recurrent_direction_t direction; /* Which way the steps are taken. */
  anydim_unary_function_t gates; /* The function of the gates of lstm and gru. */
  float gates_alpha; /* Its first parameter, for functions whose text names alpha. */
  float gates_beta; /* Its second parameter, for functions whose text names beta. */
  anydim_unary_function_t candidate; /* The function of the candidate state; the only one of rnn. */
  float candidate_alpha; /* Its first parameter, for functions whose text names alpha. */
  float candidate_beta; /* Its second parameter, for functions whose text names beta. */
  anydim_unary_function_t output; /* The function of lstm's cell state, before the output gate. */
  float output_alpha; /* Its first parameter, for functions whose text names alpha. */
  float output_beta; /* Its second parameter, for functions whose text names beta. */
  /* What the functions of gates and candidate are applied to is clipped to [-clip, clip]. 0: it is not. */
  float clip;
  /* 1: gru: the reset gate is applied to the product with the state and not to the state. */
  int32_t linear_before_reset;
  int32_t input_forget; /* 1: lstm: the forget gate is 1 - the input gate. */
  int32_t cell_state; /* 1: lstm: the last cell state is an output, too. */
  int32_t reserved; /* Zero. */
} anydim_recurrent_t;
#define ANYDIM_RECURRENT_INIT {{sizeof(anydim_recurrent_t), ANYDIM_OP_RECURRENT}, 0, 0, 6, 0.0f, 0.0f, 8, 0.0f, 0.0f, 8, 0.0f, 0.0f, 0.0f, 0, 0, 0, 0}

/*
 * The sum of columns at the windows that they were taken from (ONNX Col2Im). A column holds a window's elements,
 * channel by channel; windows follow each other in row-major order. Per spatial dim means the first `spatial`
 * entries.
 *
 * Input: columns [N, C * block, windows] (numbers).
 *
 * Output: [N, C, image...].
 */
typedef struct anydim_fold_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t spatial; /* Number of spatial dims, 1 to 3. */
  int32_t reserved; /* Zero. */
  anydim_dims_t image; /* Dims of the image, one per spatial dim. */
  anydim_dims_t window; /* Dims of a window, one per spatial dim. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Padding before, per spatial dim. */
  int64_t pads_end[3]; /* Padding after, per spatial dim. */
} anydim_fold_t;
#define ANYDIM_FOLD_INIT {{sizeof(anydim_fold_t), ANYDIM_OP_FOLD}, 2, 0, {0, 0, {0}}, {0, 0, {0}}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}}

/*
 * The columns of a deformable convolution in two dims: for each output position and each tap the input at the tap's
 * place plus an offset, by linear interpolation, 0 outside, times the mask. A matmul with the weights makes the
 * convolution of them.
 *
 * Inputs: x [N, C, H, W] (f32, f64, f16, bf16), offset [N, groups * KH * KW * 2, OH, OW] (the dtype of x; rows, then
 * columns, of each tap), mask [N, groups * KH * KW, OH, OW] (the dtype of x; may be left out).
 *
 * Output: [N, C * KH * KW, OH * OW].
 */
typedef struct anydim_deform_columns_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t spatial; /* 2. */
  int32_t reserved; /* Zero. */
  int64_t window[3]; /* KH and KW. */
  int64_t strides[3]; /* Strides. */
  int64_t dilations[3]; /* Distances between taps. */
  int64_t pads_begin[3]; /* Padding before, per spatial dim. */
  int64_t pads_end[3]; /* Padding after, per spatial dim. */
  int64_t groups; /* Channels are cut into so many groups, each with offsets of its own. */
} anydim_deform_columns_t;
#define ANYDIM_DEFORM_COLUMNS_INIT {{sizeof(anydim_deform_columns_t), ANYDIM_OP_DEFORM_COLUMNS}, 2, 0, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 1}

/*
 * Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples by
 * linear interpolation, or the maximum of the elements in it. Outside the input is 0.
 *
 * Inputs: x [N, C, H, W] (f32, f64, f16, bf16), rois [regions, 4] (the dtype of x; x and y of where it begins, then
 * of where it ends), batch [regions] (i32 or i64; which of the N inputs a region is of).
 *
 * Output: [regions, C, height, width].
 */
typedef struct anydim_roi_align_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_roi_mode_t mode; /* What a bin becomes. */
  /* 1: coordinates mean edges of elements, else centres. A region is at least 1 high and wide without it. */
  int32_t half_pixel;
  int64_t height; /* Bins from top to bottom. */
  int64_t width; /* Bins from left to right. */
  int64_t samples; /* Samples of a bin along each side; 0: as many as elements it is long, rounded up. */
  float scale; /* Factor of the coordinates. */
  int32_t reserved; /* Zero. */
} anydim_roi_align_t;
#define ANYDIM_ROI_ALIGN_INIT {{sizeof(anydim_roi_align_t), ANYDIM_OP_ROI_ALIGN}, 0, 0, 1, 1, 0, 1.0f, 0}

/*
 * For each batch and class the boxes with the highest scores, without those that overlap a better one. Equal scores
 * come in the order of their index. As many as there are have places in the first output, which is as long as it
 * could be; what is behind them is 0.
 *
 * Inputs: boxes [N, boxes, 4] (f32; two opposite corners y, x, y, x in any order; or with center_point x, y, width,
 * height), scores [N, classes, boxes] (f32), most_boxes, one element (i64; the most boxes of a class; fewer than
 * `most` counts), iou_threshold, one element (f32; a larger intersection over union is an overlap; 0 without it; may
 * be left out), score_threshold, one element (f32; only scores above it count; may be left out).
 *
 * Outputs: [N * classes * most, 3], i64 (batch, class and index of each box); [], i64 (how many there are).
 */
typedef struct anydim_non_max_suppression_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t most; /* The most boxes of a class, at most the number of boxes. */
  int32_t center_point; /* 1: boxes are given as centre and size. */
  int32_t reserved; /* Zero. */
} anydim_non_max_suppression_t;
#define ANYDIM_NON_MAX_SUPPRESSION_INIT {{sizeof(anydim_non_max_suppression_t), ANYDIM_OP_NON_MAX_SUPPRESSION}, 0, 0, 0}

/*
 * The discrete Fourier transform along an axis: sums of x[j] * exp(-2 pi i j k / length), with `inverse` of exp(+2
 * pi i j k / length), divided by length. The last axis holds one real number, or real and imaginary part. The axis
 * is cut to the length, or filled up with zeros.
 *
 * Input: x [..., 1 or 2] (floats).
 *
 * Output: x's, the axis the length, the last axis 2; with onesided length / 2 + 1 and 2; with both flags the length
 * and 1.
 */
typedef struct anydim_dft_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis, not the last; negative counts from the end. */
  int64_t length; /* How long the transform is. */
  int32_t inverse; /* 1: the inverse transform. */
  /* 1: the first half is all there is of the result, or with inverse of x: the rest is its conjugate. */
  int32_t onesided;
} anydim_dft_t;
#define ANYDIM_DFT_INIT {{sizeof(anydim_dft_t), ANYDIM_OP_DFT}, 0, 0, 0, 0}

/*
 * Determinants of the matrices in the last two axes.
 *
 * Input: x [..., M, M] (floats).
 *
 * Output: x's without the last two.
 */
typedef struct anydim_det_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_det_t;
#define ANYDIM_DET_INIT {{sizeof(anydim_det_t), ANYDIM_OP_DET}}

/*
 * Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows from
 * seed and stream alone. docs/numerics.md, section 10.
 *
 * Inputs: none.
 *
 * Output: [dims], of that dtype.
 */
typedef struct anydim_random_uniform_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t dtype; /* The dtype: f32 or f64. */
  int32_t reserved; /* Zero. */
  anydim_dims_t dims; /* The output's dims. */
  int64_t seed; /* The seed. */
  int64_t stream; /* Which of the independent sequences of a seed. */
} anydim_random_uniform_t;
#define ANYDIM_RANDOM_UNIFORM_INIT {{sizeof(anydim_random_uniform_t), ANYDIM_OP_RANDOM_UNIFORM}, 1, 0, {0, 0, {0}}, 0, 0}

/*
 * The same bits as elements of another dtype of the same size.
 *
 * Input: x (any dtype, narrow ones too).
 *
 * Output: x's.
 */
typedef struct anydim_bit_cast_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t to; /* The dtype. */
  int32_t reserved; /* Zero. */
} anydim_bit_cast_t;
#define ANYDIM_BIT_CAST_INIT {{sizeof(anydim_bit_cast_t), ANYDIM_OP_BIT_CAST}, 9, 0}

/*
 * softmax(q k^T * scale + bias) v for each head, without the scores ever lying in memory at once; docs/numerics.md,
 * section 11, has the order. Query heads are a multiple of the key heads: each key head serves as many query heads
 * in a row. A query stands at position first + its index; where causal is set it sees keys up to its own position,
 * and windows bound how far it sees. The bits of a row depend on the keys that it sees and on nothing else, so a
 * sequence may be cut anywhere, and come alone or in a batch. A row that sees no key is 0. Where the keys are the
 * later part of a longer sequence, origins say where it begins.
 *
 * Inputs: q [batch, heads, queries, size] (floats), k [batch, key heads, keys, size] (the dtype of q), v [batch, key
 * heads, keys, value size] (the dtype of q), bias, what broadcasts to [batch, heads, queries, keys] (the dtype of q;
 * added to the scores; may be left out), mask, what broadcasts to [batch, heads, queries, keys] (bool; which keys
 * are seen; may be left out), starts [batch] (i64; the position of the first query; may be left out), lengths
 * [batch] (i64; how many keys there are; keys behind them are not read; may be left out), origins [batch] (i64; the
 * position of the first key, 0 or more; else it is 0; may be left out), sinks [heads] (the dtype of q; a score of
 * each head that takes its share of the weights, with no value; may be left out).
 *
 * Output: [batch, heads, queries, value size].
 */
typedef struct anydim_attention_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t left_window; /* How many keys before its own position a query sees. -1: all. */
  int64_t right_window; /* How many keys behind its own position a query sees. -1: all. */
  int64_t first; /* The position of the first query; starts, where they are given, take its place. */
  float scale; /* Factor of the products. */
  float softcap; /* Scores become softcap * tanh(score / softcap). 0: they do not. */
  int32_t causal; /* 1: a query sees no key behind its own position. */
  int32_t reserved; /* Zero. */
} anydim_attention_t;
#define ANYDIM_ATTENTION_INIT {{sizeof(anydim_attention_t), ANYDIM_OP_ATTENTION}, -1, -1, 0, 1.0f, 0.0f, 0, 0}

/*
 * Product of a matrix and one that is held as numbers of few bits: of i8, u8, i4 or u4, which stand for scale *
 * (number - zero point) with one scale for a block of adjacent elements along K, or of f16 or bf16. The bits are
 * those of a matmul with the real numbers in f32, but for rounded_rows, whose sums are of whole numbers.
 *
 * Inputs: a [..., M, K] (f32), b [K, N] (i8, u8, i4, u4, f16, bf16; usually constant), scales [blocks, N] or
 * [blocks, 1] (f32; for numbers, and for these only; may be left out; usually constant), zero_points [blocks, N] or
 * [blocks, 1] (f32; may be left out; usually constant).
 *
 * Output: [..., M, N].
 */
typedef struct anydim_compressed_matmul_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t transpose_b; /* 1: b is given as [N, K], and what belongs to its blocks as [N, blocks]. */
  /* 1: rows of a are rounded to 8 bits, each block of them by a scale of its own. For numbers in blocks of 8 to 256. */
  int32_t rounded_rows;
  int64_t block; /* Numbers of a block; the last one may be shorter. 0: one block. */
  int64_t zero_point; /* What zero_points say where they are left out. */
} anydim_compressed_matmul_t;
#define ANYDIM_COMPRESSED_MATMUL_INIT {{sizeof(anydim_compressed_matmul_t), ANYDIM_OP_COMPRESSED_MATMUL}, 0, 0, 0, 0}

/*
 * The cache, in which the update is stored along an axis, from position starts[b] (or first) on in example b, which
 * the first axis counts. The result is `length` long; what neither holds is 0. It may lie in the cache's own memory:
 * what is old then stays where it is, and only the update and what is 0 are written.
 *
 * A windowed cache holds the last part of a sequence and stays as long as it is. The first evicted[b] slices leave
 * it; those behind them move to its front (and stay behind it, as they are). Then the update is stored from
 * starts[b] on, as much of it as lies within. The second result is what the cache and the update hold together, for
 * who needs what has left: the cache with the update from starts[b] + evicted[b] on, if the update has more than one
 * slice, else nothing.
 *
 * Inputs: cache (any dtype), update, the cache's but for the axis (the dtype of cache), starts [size of the first
 * axis] (i64; where the update of each example begins; may be left out), evicted [size of the first axis] (i64; how
 * many slices leave a windowed cache; may be left out).
 *
 * Outputs: the cache's, the axis `length`, the dtype of cache; the cache's, the axis as long as the cache and the
 * update or 0, the dtype of cache (both, before any slice leaves), with windowed.
 */
typedef struct anydim_append_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t axis; /* The axis; negative counts from the end. With starts it is not the first. */
  int64_t first; /* Where the update begins; starts, where they are given, take its place. */
  int64_t length; /* The size of the result's axis, at least the cache's. */
  int32_t circular; /* 1: positions are taken modulo the length; else they lie within it. */
  int32_t windowed; /* 1: the cache is windowed: starts and evicted are given, and the length is the cache's. */
} anydim_append_t;
#define ANYDIM_APPEND_INIT {{sizeof(anydim_append_t), ANYDIM_OP_APPEND}, 0, 0, 0, 0, 0}

/*
 * Decision trees over the features of each row. A tree is walked from its root: an inner node compares one feature
 * with its split and leads to one of two nodes, a leaf has weights for targets. The trees' weights for a target
 * become one number, to which its base is added. Nodes of all trees lie in one table, children behind their parents.
 *
 * Inputs: x [rows, features] (f32, f64), splits [nodes] (the dtype of x; what a node compares with; usually
 * constant), nodes [nodes, 4] (i32; mode, feature, the node if it holds, the node if not. Modes: 1 x <= split, 2 x <
 * split, 3 x >= split, 4 x > split, 5 x == split, 6 x != split; 8 more: it also holds for NaN. Mode 0 is a leaf: 0,
 * 0, its first weight, how many ; usually constant), roots [trees] (i32; the node that each tree begins with;
 * usually constant), targets [weights] (i32; the target of each weight; usually constant), weights [weights] (the
 * dtype of x; usually constant), base [outputs] (the dtype of x; added at the end; may be left out).
 *
 * Output: [rows, outputs].
 */
typedef struct anydim_tree_ensemble_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t outputs; /* How many targets. */
  anydim_tree_aggregate_t aggregate; /* What the trees' weights for a target become. */
  int32_t reserved; /* Zero. */
} anydim_tree_ensemble_t;
#define ANYDIM_TREE_ENSEMBLE_INIT {{sizeof(anydim_tree_ensemble_t), ANYDIM_OP_TREE_ENSEMBLE}, 0, 0, 0}

/*
 * Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng (2004),
 * iterated until no error is above 0.005 / classes, as support vector machines have it.
 *
 * Input: x [..., classes * (classes - 1) / 2] (f32, f64; of 0 against 1, 0 against 2, ..., 1 against 2, ...).
 *
 * Output: [..., classes].
 */
typedef struct anydim_couple_pairs_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t classes; /* How many classes. */
} anydim_couple_pairs_t;
#define ANYDIM_COUPLE_PAIRS_INIT {{sizeof(anydim_couple_pairs_t), ANYDIM_OP_COUPLE_PAIRS}, 0}

/*
 * The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's
 * DynamicQuantizeLinear quantizes with. docs/numerics.md, section 1, has the bits.
 *
 * Input: x (f32).
 *
 * Outputs: [] (the scale); [], u8 (the zero point).
 */
typedef struct anydim_quantization_range_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_quantization_range_t;
#define ANYDIM_QUANTIZATION_RANGE_INIT {{sizeof(anydim_quantization_range_t), ANYDIM_OP_QUANTIZATION_RANGE}}

/*
 * Where each string stands in a sorted table; -1 if it is not in it.
 *
 * Inputs: x (i64; views), heap [bytes] (u8), table [strings] (i64; views of distinct strings, in the increasing
 * order of their bytes; usually constant), table_heap [bytes] (u8; usually constant).
 *
 * Output: x's, i64.
 */
typedef struct anydim_string_lookup_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_string_lookup_t;
#define ANYDIM_STRING_LOOKUP_INIT {{sizeof(anydim_string_lookup_t), ANYDIM_OP_STRING_LOOKUP}}

/*
 * Whether two strings have the same bytes; dims broadcast as in NumPy.
 *
 * Inputs: a (i64; views), a_heap [bytes] (u8), b (i64; views), b_heap [bytes] (u8).
 *
 * Output: broadcast, bool.
 */
typedef struct anydim_string_equal_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_string_equal_t;
#define ANYDIM_STRING_EQUAL_INIT {{sizeof(anydim_string_equal_t), ANYDIM_OP_STRING_EQUAL}}

/*
 * The bytes of one string and then those of another; dims broadcast as in NumPy. The results lie in the new heap one
 * behind the other; its rest is zeros. Results that do not fit into it are an error in the data.
 *
 * Inputs: a (i64; views), a_heap [bytes] (u8), b (i64; views), b_heap [bytes] (u8).
 *
 * Outputs: broadcast, i64 (views); [bytes], u8 (their heap).
 */
typedef struct anydim_string_concat_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t bytes; /* How large the new heap is. */
} anydim_string_concat_t;
#define ANYDIM_STRING_CONCAT_INIT {{sizeof(anydim_string_concat_t), ANYDIM_OP_STRING_CONCAT}, 0}

/*
 * Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent of
 * language). The results lie in the new heap one behind the other; its rest is zeros. Results that do not fit into
 * it are an error in the data.
 *
 * Inputs: x (i64; views), heap [bytes] (u8).
 *
 * Outputs: x's, i64 (views); [bytes], u8 (their heap).
 */
typedef struct anydim_string_case_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int32_t upper; /* 1: upper case, else lower case. */
  int32_t reserved; /* Zero. */
  int64_t bytes; /* How large the new heap is. */
} anydim_string_case_t;
#define ANYDIM_STRING_CASE_INIT {{sizeof(anydim_string_case_t), ANYDIM_OP_STRING_CASE}, 0, 0, 0}

/*
 * Whether an automaton accepts the whole string. Its classes give each byte a column of the transitions; the last
 * column is for the end. The entry at a state's row and a column is twice the next state, or -2 if there is none,
 * plus 1 if what was read before is accepted. It begins in row 0; rows 1 to 3 are for texts cut out of others,
 * behind a character of a word, a new line, and any other.
 *
 * Inputs: x (i64; views), heap [bytes] (u8), classes [1, 256] (u8; usually constant), transitions [states, columns]
 * (i32; usually constant).
 *
 * Output: x's, bool.
 */
typedef struct anydim_string_match_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_string_match_t;
#define ANYDIM_STRING_MATCH_INIT {{sizeof(anydim_string_match_t), ANYDIM_OP_STRING_MATCH}}

/*
 * How many pieces string_split cuts each string into.
 *
 * Inputs: x (i64; views), heap [bytes] (u8), classes [automata, 256] (u8; see string_match; of separators and
 * tokens; may be left out), transitions [states, columns] (i32; rows 4 * k to 4 * k + 3 are where automaton k
 * begins; may be left out).
 *
 * Outputs: x's, i64; [], i64 (the largest count).
 */
typedef struct anydim_count_string_pieces_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_string_rule_t rule; /* What the pieces are. */
  int32_t reserved; /* Zero. */
  /* How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and whitespace. */
  int64_t most_splits;
  int64_t min_characters; /* Shorter pieces are left out. Of separators and tokens. */
} anydim_count_string_pieces_t;
#define ANYDIM_COUNT_STRING_PIECES_INIT {{sizeof(anydim_count_string_pieces_t), ANYDIM_OP_COUNT_STRING_PIECES}, 0, 0, -1, 1}

/*
 * Strings cut into pieces, which lie where the strings lie: views into the same heap. Behind a string's last piece
 * stand empty ones. A match is the leftmost that there is, and of these the longest.
 *
 * Inputs: x (i64; views), heap [bytes] (u8), classes [automata, 256] (u8; see string_match; of separators and
 * tokens; may be left out), transitions [states, columns] (i32; rows 4 * k to 4 * k + 3 are where automaton k
 * begins; may be left out).
 *
 * Output: x's and most, i64 (views).
 */
typedef struct anydim_string_split_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_string_rule_t rule; /* What the pieces are. */
  int32_t reserved; /* Zero. */
  /* How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and whitespace. */
  int64_t most_splits;
  int64_t min_characters; /* Shorter pieces are left out. Of separators and tokens. */
  int64_t most; /* How many pieces of each string are given; count_string_pieces counts them. */
} anydim_string_split_t;
#define ANYDIM_STRING_SPLIT_INIT {{sizeof(anydim_string_split_t), ANYDIM_OP_STRING_SPLIT}, 0, 0, -1, 1, 0}

/*
 * How often each n-gram of a pool occurs in a row: items that follow each other, or whose places are 1 + s apart for
 * each skip s up to max_skip. One of a single item counts once at each place. The pool's rows are sorted by length,
 * then by their items.
 *
 * Inputs: x [items] or [rows, items] (i64), pool [n-grams, longest] (i64; a row's items; behind them zeros; usually
 * constant), lengths [n-grams] (i64; how many items each row has; usually constant), columns [n-grams] (i64; where
 * each is counted; usually constant).
 *
 * Output: [outputs] or [rows, outputs], f32.
 */
typedef struct anydim_ngram_counts_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  int64_t outputs; /* How many columns the result has. */
  int64_t max_skip; /* The most items between one of an n-gram and the next. */
} anydim_ngram_counts_t;
#define ANYDIM_NGRAM_COUNTS_INIT {{sizeof(anydim_ngram_counts_t), ANYDIM_OP_NGRAM_COUNTS}, 1, 0}

/*
 * The numbers that strings spell: decimals, in plain or scientific form, with blanks around them; of an integer
 * without an exponent, and a fraction is cut off; of bool a whole number that is not 0. To floats inf and nan, too,
 * and beyond the largest lies infinity. Any other string, and one beyond the range of integers, is an error in the
 * data that names it.
 *
 * Inputs: x (i64; views), heap [bytes] (u8).
 *
 * Output: x's, of that dtype.
 */
typedef struct anydim_string_parse_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
  anydim_dtype_t to; /* The dtype: f32, f64, bool or integers of 8 to 64 bits. */
  int32_t reserved; /* Zero. */
} anydim_string_parse_t;
#define ANYDIM_STRING_PARSE_INIT {{sizeof(anydim_string_parse_t), ANYDIM_OP_STRING_PARSE}, 1, 0}

/*
 * Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end, in
 * scientific form where the exponent is below -4 or above 7; INF, -INF, NaN. Number i lies from 15 * i on in the
 * heap, of integers from 20 * i on.
 *
 * Input: x (f32, f64, i64, u64).
 *
 * Outputs: x's, i64 (views); [bytes], u8 (their heap).
 */
typedef struct anydim_string_format_t {
  anydim_op_t op; /* Size and kind: from the _INIT value. */
} anydim_string_format_t;
#define ANYDIM_STRING_FORMAT_INIT {{sizeof(anydim_string_format_t), ANYDIM_OP_STRING_FORMAT}}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_OPERATORS_H */
