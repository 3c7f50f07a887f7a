// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// The kinds of operators and the words that their attributes can have. Nothing heavier: files of one
// instruction set include it.
#pragma once

#include <cstdint>

namespace anydim {

// The numbers are those of the C API. Names are what people read in logs and `explain`.
enum class OpKind : uint16_t {
  convolution = 1,
  conv_transpose = 2,
  matmul = 3,
  pooling = 4,
  unary = 5,
  binary = 6,
  reduce = 7,
  softmax = 8,
  layer_norm = 9,
  resize = 10,
  transpose = 11,
  cast = 12,
  concat = 13,
  where = 14,
  arg_reduce = 15,
  cumsum = 16,
  reshape = 17,
  expand = 18,
  slice = 19,
  pad = 20,
  tile = 21,
  depth_to_space = 22,
  range = 23,
  shape_tensor = 24,
  gather = 25,
  gather_elements = 26,
  gather_nd = 27,
  scatter_elements = 28,
  scatter_nd = 29,
  topk = 30,
  trilu = 31,
  eye_like = 32,
  one_hot = 33,
  grid_sample = 34,
  count_non_zero = 35,
  non_zero = 36,
  unique = 37,
  recurrent = 38,
  fold = 39,
  deform_columns = 40,
  roi_align = 41,
  non_max_suppression = 42,
  dft = 43,
  det = 44,
  random_uniform = 45,
  bit_cast = 46,
  attention = 47,
  compressed_matmul = 48,
  append = 49,
  tree_ensemble = 50,
  couple_pairs = 51,
  quantization_range = 52,
  string_lookup = 53,
  string_equal = 54,
  string_concat = 55,
  string_case = 56,
  string_match = 57,
  count_string_pieces = 58,
  string_split = 59,
  ngram_counts = 60,
  string_parse = 61,
  string_format = 62,
  count_ = 63,  // one past the last; 0 is none
};

// What the pieces of a string are.
enum class StringRule : uint8_t {
  separators = 0,  // what lies between matches of the first automaton, each piece cut by the next one
  tokens = 1,  // the matches of the automaton
  whitespace = 2,  // what lies between runs of whitespace, of which those at the ends separate nothing
  characters = 3,  // each character
};
constexpr uint8_t word_list(StringRule) noexcept { return 0; }

// Functions of one element; alpha and beta are parameters where the text names them. docs/numerics.md has the bits.
enum class UnaryFunction : uint8_t {
  identity = 0,  // x
  relu = 1,  // x < 0 ? 0 : x
  leaky_relu = 2,  // x < 0 ? alpha * x : x
  clip = 3,  // min(max(x, alpha), beta)
  hard_sigmoid = 4,  // clip(alpha * x + beta, 0, 1)
  hard_swish = 5,  // x * clip(x / 6 + 1/2, 0, 1)
  sigmoid = 6,  // 1 / (1 + exp(-x))
  silu = 7,  // x * sigmoid(x)
  tanh = 8,  // tanh(x)
  exp = 9,  // exp(x)
  log = 10,  // natural log(x)
  sqrt = 11,  // sqrt(x)
  reciprocal = 12,  // 1 / x
  abs = 13,  // |x|
  neg = 14,  // -x
  square = 15,  // x * x
  erf = 16,  // erf(x)
  gelu_erf = 17,  // x * (1 + erf(x / sqrt(2))) / 2
  gelu_tanh = 18,  // GELU by its tanh approximation
  softplus = 19,  // log(1 + exp(x))
  softsign = 20,  // x / (1 + |x|)
  mish = 21,  // x * tanh(softplus(x))
  elu = 22,  // x < 0 ? alpha * (exp(x) - 1) : x
  selu = 23,  // beta * (x < 0 ? alpha * (exp(x) - 1) : x)
  celu = 24,  // max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
  thresholded_relu = 25,  // x > alpha ? x : 0
  shrink = 26,  // x < -alpha ? x + beta : x > alpha ? x - beta : 0
  floor = 27,  // largest integer not above x
  ceil = 28,  // smallest integer not below x
  round_even = 29,  // nearest integer, ties to even
  sign = 30,  // -1, 0 or 1
  sin = 31,  // sin(x)
  cos = 32,  // cos(x)
  tan = 33,  // tan(x)
  asin = 34,  // asin(x)
  acos = 35,  // acos(x)
  atan = 36,  // atan(x)
  sinh = 37,  // sinh(x)
  cosh = 38,  // cosh(x)
  asinh = 39,  // asinh(x)
  acosh = 40,  // acosh(x)
  atanh = 41,  // atanh(x)
  affine = 42,  // alpha * x + beta, rounded once
  logical_not = 43,  // not x (bool)
  bitwise_not = 44,  // all bits of x flipped (integers)
  is_nan = 45,  // x is NaN (to bool)
  is_inf = 46,  // x is infinite (to bool); alpha != 0 finds +inf, beta != 0 finds -inf
  quick_gelu = 47,  // x * sigmoid(alpha * x)
  round_f16 = 48,  // x rounded to the nearest float16, ties to even (no float64)
  round_bf16 = 49,  // x rounded to the nearest bfloat16, ties to even (no float64)
  scaled_tanh = 50,  // alpha * tanh(beta * x)
  count_ = 51,
};
constexpr uint8_t word_list(UnaryFunction) noexcept { return 1; }

// Functions of two elements; shapes broadcast as in NumPy.
enum class BinaryFunction : uint8_t {
  add = 0,  // a + b
  sub = 1,  // a - b
  mul = 2,  // a * b
  div = 3,  // a / b
  min = 4,  // the smaller; NaN if either is
  max = 5,  // the larger; NaN if either is
  pow = 6,  // a to the power of b
  prelu = 7,  // a < 0 ? b * a : a
  mod_floor = 8,  // remainder with the sign of b
  mod_trunc = 9,  // remainder with the sign of a
  equal = 10,  // a == b (to bool)
  less = 11,  // a < b (to bool)
  less_equal = 12,  // a <= b (to bool)
  greater = 13,  // a > b (to bool)
  greater_equal = 14,  // a >= b (to bool)
  logical_and = 15,  // a and b (bool)
  logical_or = 16,  // a or b (bool)
  logical_xor = 17,  // a xor b (bool)
  bitwise_and = 18,  // a & b (integers)
  bitwise_or = 19,  // a | b (integers)
  bitwise_xor = 20,  // a ^ b (integers)
  shift_left = 21,  // a << b (unsigned integers)
  shift_right = 22,  // a >> b (unsigned integers)
  count_ = 23,
};
constexpr uint8_t word_list(BinaryFunction) noexcept { return 2; }
// The result is bool, whatever the operands' dtype.
constexpr bool is_comparison(BinaryFunction w) noexcept { return (UINT64_C(0x7c00) >> static_cast<unsigned>(w) & 1) != 0; }
// Its operands may change places.
constexpr bool is_commutative(BinaryFunction w) noexcept { return (UINT64_C(0x1f8435) >> static_cast<unsigned>(w) & 1) != 0; }
// Linear in each operand, so that a constant one is a parameter.
constexpr bool is_scale_or_shift(BinaryFunction w) noexcept { return (UINT64_C(0x7) >> static_cast<unsigned>(w) & 1) != 0; }

// How the padding of a window is determined.
enum class AutoPad : uint8_t {
  explicit_ = 0,  // By pads_begin and pads_end.
  same_upper = 1,  // As much as gives ceil(in / stride) positions (a transposed convolution: in * stride); an odd one goes to the end.
  same_lower = 2,  // As same_upper, but an odd one goes to the beginning.
  valid = 3,  // None.
};
constexpr uint8_t word_list(AutoPad) noexcept { return 3; }

// Kinds of pooling.
enum class PoolingKind : uint8_t {
  max = 0,  // The largest element; NaN if any is.
  average = 1,  // The mean of the elements.
};
constexpr uint8_t word_list(PoolingKind) noexcept { return 4; }

// Kinds of reduction. docs/numerics.md has the order of the sums.
enum class ReduceKind : uint8_t {
  sum = 0,  // sum of x
  mean = 1,  // mean of x
  sum_square = 2,  // sum of x * x
  l1 = 3,  // sum of |x|
  l2 = 4,  // square root of the sum of squares
  prod = 5,  // product of x
  log_sum = 6,  // log of the sum
  log_sum_exp = 7,  // log of the sum of exp(x)
  max = 8,  // largest x
  min = 9,  // smallest x
};
constexpr uint8_t word_list(ReduceKind) noexcept { return 5; }

// Which element an index is asked of.
enum class ArgReduceKind : uint8_t {
  max = 0,  // The largest; NaN counts as larger than any number.
  min = 1,  // The smallest; NaN counts as smaller than any number.
};
constexpr uint8_t word_list(ArgReduceKind) noexcept { return 6; }

// Interpolations of resize.
enum class ResizeMode : uint8_t {
  nearest = 0,  // The nearest element.
  linear = 1,  // Linear in each axis.
  cubic = 2,  // Cubic in each axis, with coefficient cubic_coeff_a.
};
constexpr uint8_t word_list(ResizeMode) noexcept { return 7; }

// How a position of resize's output maps to its input (ONNX's names).
enum class ResizeCoordinates : uint8_t {
  half_pixel = 0,  // (x + 0.5) / scale - 0.5
  half_pixel_symmetric = 1,  // as half_pixel, about the centre of what the scale makes of the input
  pytorch_half_pixel = 2,  // as half_pixel, and 0 where the output has one element
  align_corners = 3,  // x * (in - 1) / (out - 1)
  asymmetric = 4,  // x / scale
  tf_half_pixel_for_nn = 5,  // (x + 0.5) / scale
  tf_crop_and_resize = 6,  // from the beginning to the end of the region roi, in parts of the input
};
constexpr uint8_t word_list(ResizeCoordinates) noexcept { return 8; }

// Rounding of resize's nearest mode (ONNX's names).
enum class ResizeNearest : uint8_t {
  round_prefer_floor = 0,  // to nearest, half down
  round_prefer_ceil = 1,  // to nearest, half up
  floor = 2,  // down
  ceil = 3,  // up
};
constexpr uint8_t word_list(ResizeNearest) noexcept { return 9; }

// What becomes of the ratio of sides where resize is given sizes.
enum class ResizePolicy : uint8_t {
  stretch = 0,  // Each axis gets its size.
  not_larger = 1,  // One scale for all axes, so that none is larger than its size.
  not_smaller = 2,  // One scale for all axes, so that none is smaller than its size.
};
constexpr uint8_t word_list(ResizePolicy) noexcept { return 10; }

// What a bin of a region becomes.
enum class RoiMode : uint8_t {
  average = 0,  // The average of its samples.
  maximum = 1,  // The largest of its samples' four weighted elements.
  cells = 2,  // The largest element in it, with the region's ends rounded to elements.
};
constexpr uint8_t word_list(RoiMode) noexcept { return 11; }

// Which power of two stands for a number between two.
enum class PowerRounding : uint8_t {
  up = 0,  // The larger one.
  down = 1,  // The smaller one.
  nearest = 2,  // The nearer one, from half way the larger one.
};
constexpr uint8_t word_list(PowerRounding) noexcept { return 12; }

// What is put where elements are added.
enum class PadMode : uint8_t {
  constant = 0,  // The pad value.
  reflect = 1,  // The elements mirrored about the edge element, which is not repeated.
  edge = 2,  // The edge element.
  wrap = 3,  // The elements of the other end.
};
constexpr uint8_t word_list(PadMode) noexcept { return 13; }

// What the channels of depth_to_space are made of.
enum class DepthToSpaceOrder : uint8_t {
  depth_first = 0,  // Block row, block column, depth (ONNX: DCR).
  column_first = 1,  // Depth, block row, block column (ONNX: CRD).
};
constexpr uint8_t word_list(DepthToSpaceOrder) noexcept { return 14; }

// What an update does to the element that is there. Updates that meet at one element are applied in the order of their
// logical index.
enum class ScatterReduction : uint8_t {
  none = 0,  // It replaces it.
  add = 1,  // It is added.
  mul = 2,  // It is multiplied.
  min = 3,  // The smaller stays.
  max = 4,  // The larger stays.
};
constexpr uint8_t word_list(ScatterReduction) noexcept { return 15; }

// Interpolations of grid_sample.
enum class GridSampleMode : uint8_t {
  nearest = 0,  // The nearest element, ties to even positions.
  linear = 1,  // Linear in each axis.
  cubic = 2,  // Cubic in each axis, with Keys' weights of -0.75.
};
constexpr uint8_t word_list(GridSampleMode) noexcept { return 16; }

// What is read outside the input of grid_sample.
enum class GridSamplePadding : uint8_t {
  zeros = 0,  // Zeros.
  border = 1,  // The nearest element of the edge.
  reflection = 2,  // The input mirrored at its edges.
};
constexpr uint8_t word_list(GridSamplePadding) noexcept { return 17; }

// Cells of recurrent layers.
enum class RecurrentCell : uint8_t {
  rnn = 0,  // The plain cell: one function of a sum.
  lstm = 1,  // Long short-term memory: three gates and a cell state.
  gru = 2,  // Gated recurrent unit: two gates.
};
constexpr uint8_t word_list(RecurrentCell) noexcept { return 18; }

// Which way a recurrent layer takes the steps of a sequence.
enum class RecurrentDirection : uint8_t {
  forward = 0,  // From the first to the last.
  reverse = 1,  // From the last to the first.
  bidirectional = 2,  // Both: two cells with weights and states of their own.
};
constexpr uint8_t word_list(RecurrentDirection) noexcept { return 19; }

// What the weights that trees give a target become.
enum class TreeAggregate : uint8_t {
  sum = 0,  // Their sum.
  average = 1,  // Their sum divided by the number of trees.
  minimum = 2,  // The smallest; 0 where no tree has one.
  maximum = 3,  // The largest; 0 where no tree has one.
};
constexpr uint8_t word_list(TreeAggregate) noexcept { return 20; }

// What is asked of operators without knowing them (has_trait(), core/ops/description.h).
enum class Trait : uint8_t {
  elementwise,  // kernels read element i of the inputs before they write element i of the output, and no other
  keeps_order,  // the output lies in memory as inputs of its rank do, unless the kernel says otherwise
  in_place,  // the output may take the memory of its first input
  view,  // the output can be the input's memory under other dims and strides
  products,  // sums of products of the first two operands
  quantizes,  // it takes scales, zero points and a dtype of the result as attributes (quantization.h)
  converts,  // it takes scales and zero points of its operand and of its result as attributes, as the graph makes them
  feature_maps,  // what is made of maps of convolutions and products is such a map
  parameters,  // its constants are parameters: beside their large numbers tiny ones are nothing
  post_ops,  // element-wise operators that follow become its post-ops
  stores,  // its data may be of narrow dtypes, which are moved and cast and never computed with
  repeated_indices,  // indices, its second operand, may lie with strides of 0: kernels move whole slices at each
  dequantizes,  // operands behind the first may be numbers that stand for real ones, of narrow dtypes too
};

}  // namespace anydim
