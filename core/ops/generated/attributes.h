// SPDX-License-Identifier: Apache-2.0
// Generated from core/ops/described by capi/generator; do not edit.
// The attributes of each operator as a plain struct: what make() takes, kernels read, and texts and keys contain.
#pragma once

#include <vector>

#include "core/ops/generated/enums.h"
#include "core/tensor/dim.h"
#include "core/tensor/dims.h"
#include "core/tensor/dtype.h"

namespace anydim {

// Convolution over 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end - dilation * (kernel - 1) - 1) /
// stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first `spatial`
// entries.
struct ConvolutionAttributes {
  static constexpr OpKind kKind = OpKind::convolution;
  static constexpr int kDimLists = 0;
  int32_t spatial = 2;  // Number of spatial dims, 1 to 3.
  AutoPad auto_pad = AutoPad::explicit_;  // How the padding is determined.
  int64_t strides[3] = {1, 1, 1};  // Strides.
  int64_t dilations[3] = {1, 1, 1};  // Distances between taps.
  int64_t pads_begin[3] = {};  // Padding before, per spatial dim.
  int64_t pads_end[3] = {};  // Padding after, per spatial dim.
  int64_t group = 1;  // Number of groups.
};

// Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) * stride - pads_begin - pads_end +
// dilation * (kernel - 1) + 1 + output_padding, or what output_shape says. Per spatial dim means the first `spatial`
// entries.
struct ConvTransposeAttributes {
  static constexpr OpKind kKind = OpKind::conv_transpose;
  static constexpr int kDimLists = 0;
  int32_t spatial = 2;  // Number of spatial dims, 1 to 3.
  AutoPad auto_pad = AutoPad::explicit_;  // How the padding is determined.
  int64_t strides[3] = {1, 1, 1};  // Strides.
  int64_t dilations[3] = {1, 1, 1};  // Distances between taps.
  int64_t pads_begin[3] = {};  // Cut off before, per spatial dim.
  int64_t pads_end[3] = {};  // Cut off after, per spatial dim.
  int64_t output_padding[3] = {};  // Added at the end, per spatial dim.
  RankArray<int64_t> output_shape;  // Output dims, one per spatial dim; the padding follows from them. None: as the formula says.
  int64_t group = 1;  // Number of groups.
};

// Product of matrices: alpha * (a b) + beta * c. Leading dims broadcast; an operand of rank 1 is a row (a) or a column
// (b), as in NumPy. An alpha other than 1, and c, are for floats only.
struct MatmulAttributes {
  static constexpr OpKind kKind = OpKind::matmul;
  static constexpr int kDimLists = 0;
  bool transpose_a = false;  // a is given as [..., K, M].
  bool transpose_b = false;  // b is given as [..., N, K].
  float alpha = 1.0f;  // Factor of the product.
  float beta = 1.0f;  // Factor of c.
};

// The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end -
// dilation * (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceil_mode. Padding never wins a
// maximum, and counts in an average with count_include_pad only. Per spatial dim means the first `spatial` entries.
struct PoolingAttributes {
  static constexpr OpKind kKind = OpKind::pooling;
  static constexpr int kDimLists = 0;
  PoolingKind kind = PoolingKind::max;  // Which pooling.
  int32_t spatial = 2;  // Number of spatial dims, 1 to 3.
  bool global = false;  // The window is the whole plane; the fields of windows do not count.
  AutoPad auto_pad = AutoPad::explicit_;  // How the padding is determined.
  int64_t window[3] = {1, 1, 1};  // Dims of the window.
  int64_t strides[3] = {1, 1, 1};  // Strides.
  int64_t dilations[3] = {1, 1, 1};  // Distances between taps.
  int64_t pads_begin[3] = {};  // Padding before, per spatial dim.
  int64_t pads_end[3] = {};  // Padding after, per spatial dim.
  bool ceil_mode = false;  // Output dims round up.
  bool count_include_pad = false;  // An average counts padded positions.
  bool indices = false;  // Of a maximum: the second output is made, the winners' positions in their plane.
  bool column_major_indices = false;  // Positions are counted with the last dim outermost (ONNX: storage_order = 1).
};

// A function of each element. The output has x's dtype, or bool for functions that return a truth value.
struct UnaryAttributes {
  static constexpr OpKind kKind = OpKind::unary;
  static constexpr int kDimLists = 0;
  UnaryFunction function = UnaryFunction::identity;  // The function.
  float alpha = 0.0f;  // Its first parameter, for functions whose text names alpha.
  float beta = 0.0f;  // Its second parameter, for functions whose text names beta.
};

// A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
// comparison.
struct BinaryAttributes {
  static constexpr OpKind kKind = OpKind::binary;
  static constexpr int kDimLists = 0;
  BinaryFunction function = BinaryFunction::add;  // The function.
};

// x with some axes reduced.
struct ReduceAttributes {
  static constexpr OpKind kKind = OpKind::reduce;
  static constexpr int kDimLists = 0;
  ReduceKind kind = ReduceKind::sum;  // The reduction.
  bool keepdims = true;  // Reduced axes stay as dims of 1.
  RankArray<int64_t> axes;  // Axes, negative ones counted from the end. None: all of them.
};

// exp(x - max) / sum over an axis, or its logarithm.
struct SoftmaxAttributes {
  static constexpr OpKind kKind = OpKind::softmax;
  static constexpr int kDimLists = 0;
  int64_t axis = -1;  // The axis; negative counts from the end.
  bool log = false;  // Log-softmax.
};

// (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance over the axes from `axis` to the last.
struct LayerNormAttributes {
  static constexpr OpKind kKind = OpKind::layer_norm;
  static constexpr int kDimLists = 0;
  int64_t axis = -1;  // First axis of those normalised together; negative counts from the end.
  float epsilon = 1e-05f;  // Added to the variance.
};

// Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is given, with
// one number per axis of `axes`. Axes that are not named are copied.
struct ResizeAttributes {
  static constexpr OpKind kKind = OpKind::resize;
  static constexpr int kDimLists = 3;
  ResizeMode mode = ResizeMode::nearest;  // Interpolation.
  ResizeCoordinates coordinates = ResizeCoordinates::half_pixel;  // How positions map.
  ResizeNearest nearest = ResizeNearest::round_prefer_floor;  // Rounding of the nearest mode.
  float cubic_coeff_a = -0.75f;  // Coefficient of the cubic mode.
  ResizePolicy policy = ResizePolicy::stretch;  // What becomes of the ratio of sides, with sizes.
  float extrapolation_value = 0.0f;  // Result outside the input, for tf_crop_and_resize.
  bool exclude_outside = false;  // Taps outside the input get no weight.
  bool antialias = false;  // Linear and cubic: axes that shrink are read through a filter as much wider.
  RankArray<int64_t> axes;  // The axes that scales, sizes and roi are about, from 0. None: all, in order.
  SymDims sizes;  // Output dims.
  std::vector<float> scales;  // Output dims over input dims.
  std::vector<float> roi;  // For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis.
  // With sizes: scales that a node computes, as the bits of binary32 numbers; they map positions, and sizes are the
  // output's dims.
  SymDims scale_bits;
  SymDims roi_bits;  // In place of roi: what a node computes, as the bits of binary32 numbers.
};

// The axes in another order; output axis i is input axis perm[i].
struct TransposeAttributes {
  static constexpr OpKind kKind = OpKind::transpose;
  static constexpr int kDimLists = 0;
  Perm perm;  // The axes of x in the output's order, each once, from 0.
};

// The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x != 0; to a
// narrower float rounded to nearest even. A number beyond the range of f8 or f4 becomes the largest one there is; i4,
// u4, i2 and u2 keep the lowest bits of the whole number.
struct CastAttributes {
  static constexpr OpKind kKind = OpKind::cast;
  static constexpr int kDimLists = 0;
  DType to = DType::f32;  // The dtype.
  bool overflows = false;  // To f8: beyond the range lies infinity, or NaN where the dtype has none.
  PowerRounding rounding = PowerRounding::up;  // To f8e8m0: which power of two.
};

// The inputs one after another along an axis.
struct ConcatAttributes {
  static constexpr OpKind kKind = OpKind::concat;
  static constexpr int kDimLists = 0;
  int64_t axis = 0;  // The axis; negative counts from the end.
};

// condition ? a : b, element by element; dims broadcast as in NumPy.
struct WhereAttributes {
  static constexpr OpKind kKind = OpKind::where;
  static constexpr int kDimLists = 0;
};

// The index of the largest or smallest element along an axis. +0 and -0 are equal.
struct ArgReduceAttributes {
  static constexpr OpKind kKind = OpKind::arg_reduce;
  static constexpr int kDimLists = 0;
  ArgReduceKind kind = ArgReduceKind::max;  // The largest or the smallest.
  bool keepdims = true;  // The axis stays as a dim of 1.
  int64_t axis = 0;  // The axis; negative counts from the end.
  bool select_last = false;  // Among equal elements the last is meant, else the first.
};

// Running sums or products along an axis, in the order of the index.
struct CumSumAttributes {
  static constexpr OpKind kKind = OpKind::cumsum;
  static constexpr int kDimLists = 0;
  bool exclusive = false;  // A sum leaves its own element out.
  bool reverse = false;  // Sums begin at the end.
  bool product = false;  // Products in place of sums.
};

// The same elements, in logical row-major order, under other dims.
struct ReshapeAttributes {
  static constexpr OpKind kKind = OpKind::reshape;
  static constexpr int kDimLists = 1;
  SymDims dims;  // The dims; as many elements as x has.
  std::span<const Dim> dims_in_place() const noexcept { return {dims.begin(), dims.end()}; }
};

// x repeated to the dims that it and those given broadcast to.
struct ExpandAttributes {
  static constexpr OpKind kKind = OpKind::expand;
  static constexpr int kDimLists = 1;
  SymDims dims;  // The dims to broadcast with.
  std::span<const Dim> dims_in_place() const noexcept { return {dims.begin(), dims.end()}; }
};

// Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.
struct SliceAttributes {
  static constexpr OpKind kKind = OpKind::slice;
  static constexpr int kDimLists = 2;
  SymDims starts;  // First index, one per axis of x.
  RankArray<int64_t> steps;  // Steps, not 0, one per axis of x. None: 1 everywhere.
  SymDims lengths;  // How many elements are taken, one per axis of x.
};

// Elements added, or with negative counts cut off, before and after each axis.
struct PadAttributes {
  static constexpr OpKind kKind = OpKind::pad;
  static constexpr int kDimLists = 2;
  PadMode mode = PadMode::constant;  // What is put where elements are added.
  SymDims before;  // Counts before, one per axis of x.
  SymDims after;  // Counts after, one per axis of x.
};

// Each axis of x repeated a number of times.
struct TileAttributes {
  static constexpr OpKind kKind = OpKind::tile;
  static constexpr int kDimLists = 1;
  SymDims repeats;  // How often, one per axis of x.
  std::span<const Dim> dims_in_place() const noexcept { return {repeats.begin(), repeats.end()}; }
};

// Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
struct DepthToSpaceAttributes {
  static constexpr OpKind kKind = OpKind::depth_to_space;
  static constexpr int kDimLists = 0;
  int64_t block = 1;  // Side of a square.
  DepthToSpaceOrder order = DepthToSpaceOrder::depth_first;  // What the channels are made of.
  bool inverse = false;  // Squares become channels (depth first only).
};

// A vector of start, start + delta, ..., each element start + i * delta rounded in its dtype. Start and delta are whole
// numbers, or reals with `real`.
struct RangeAttributes {
  static constexpr OpKind kKind = OpKind::range;
  static constexpr int kDimLists = 3;
  DType dtype = DType::i64;  // The dtype: numbers, not f16 or bf16; with `real` f32 or f64.
  bool real = false;  // Start and delta are real_start and real_delta.
  Dim start = 0;  // The first element.
  Dim delta = 1;  // From one element to the next.
  Dim count = 0;  // How many elements.
  double real_start = 0.0;  // The first element.
  double real_delta = 0.0;  // From one element to the next.
};

// A scalar or a vector of whole numbers, converted as a cast from i64 does.
struct ShapeTensorAttributes {
  static constexpr OpKind kKind = OpKind::shape_tensor;
  static constexpr int kDimLists = 1;
  DType dtype = DType::i64;  // The dtype.
  bool scalar = false;  // The one value is a scalar.
  std::vector<Dim> values;  // The elements.
  std::span<const Dim> dims_in_place() const noexcept { return {values}; }
};

// Slices of the data along an axis, picked by the indices (negative ones from the end).
struct GatherAttributes {
  static constexpr OpKind kKind = OpKind::gather;
  static constexpr int kDimLists = 0;
  int64_t axis = 0;  // The axis; negative counts from the end.
};

// One element of the data for each index, which replaces its coordinate on an axis.
struct GatherElementsAttributes {
  static constexpr OpKind kKind = OpKind::gather_elements;
  static constexpr int kDimLists = 0;
  int64_t axis = 0;  // The axis; negative counts from the end.
};

// Slices of the data at coordinates, which the last axis of the indices holds. The first batch_dims axes of both go
// together.
struct GatherNdAttributes {
  static constexpr OpKind kKind = OpKind::gather_nd;
  static constexpr int kDimLists = 0;
  int64_t batch_dims = 0;  // How many axes go together.
};

// A copy of the data in which updates are stored, or combined, at the indices along an axis.
struct ScatterElementsAttributes {
  static constexpr OpKind kKind = OpKind::scatter_elements;
  static constexpr int kDimLists = 0;
  int64_t axis = 0;  // The axis; negative counts from the end.
  ScatterReduction reduction = ScatterReduction::none;  // How an update combines with the present value.
};

// A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis of the
// indices holds.
struct ScatterNdAttributes {
  static constexpr OpKind kKind = OpKind::scatter_nd;
  static constexpr int kDimLists = 0;
  ScatterReduction reduction = ScatterReduction::none;  // How an update combines with the present value.
};

// The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts as
// larger than any number.
struct TopKAttributes {
  static constexpr OpKind kKind = OpKind::topk;
  static constexpr int kDimLists = 1;
  int64_t axis = 0;  // The axis; negative counts from the end.
  Dim k = 1;  // How many, at most the size of the axis.
  bool largest = true;  // The largest, else the smallest.
  bool sorted = true;  // They come sorted. Without it any order would do; they are sorted all the same.
  std::span<const Dim> dims_in_place() const noexcept { return {&k, 1}; }
};

// The upper or lower triangle of the last two axes, zero elsewhere.
struct TriluAttributes {
  static constexpr OpKind kKind = OpKind::trilu;
  static constexpr int kDimLists = 1;
  bool upper = true;  // The upper triangle, else the lower.
  Dim k = 0;  // Where the diagonal lies: above 0 it is moved up, below 0 down.
  std::span<const Dim> dims_in_place() const noexcept { return {&k, 1}; }
};

// Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.
struct EyeLikeAttributes {
  static constexpr OpKind kKind = OpKind::eye_like;
  static constexpr int kDimLists = 0;
  DType dtype = DType::none;  // The dtype; 0 is that of x.
  int64_t k = 0;  // Which diagonal: above 0 upper ones, below 0 lower ones.
};

// A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
// elsewhere and for indices out of range.
struct OneHotAttributes {
  static constexpr OpKind kKind = OpKind::one_hot;
  static constexpr int kDimLists = 1;
  int64_t axis = 0;  // Which axis of the output is new; negative counts from the end.
  Dim depth = 0;  // Its size.
  std::span<const Dim> dims_in_place() const noexcept { return {&depth, 1}; }
};

// The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis to
// the other, and interpolated.
struct GridSampleAttributes {
  static constexpr OpKind kKind = OpKind::grid_sample;
  static constexpr int kDimLists = 0;
  GridSampleMode mode = GridSampleMode::linear;  // Interpolation.
  GridSamplePadding padding = GridSamplePadding::zeros;  // What is read outside the input.
  bool align_corners = false;  // -1 and 1 are the centres of the outermost elements, else their outer edges.
};

// How many elements are not zero. NaN is not zero; -0 is.
struct CountNonZeroAttributes {
  static constexpr OpKind kKind = OpKind::count_non_zero;
  static constexpr int kDimLists = 0;
};

// The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j is at
// [i, j]. Fewer such elements are an error in the data.
struct NonZeroAttributes {
  static constexpr OpKind kKind = OpKind::non_zero;
  static constexpr int kDimLists = 1;
  Dim count = 0;  // How many; count_non_zero counts them.
  std::span<const Dim> dims_in_place() const noexcept { return {&count, 1}; }
};

// Which slices of x along an axis are equal: -0 and 0 are, and all NaN, which come after all numbers. Slices are
// compared element by element, in row-major order. As many distinct ones as there are have places in the outputs from
// the first on; what is behind them is 0.
struct UniqueAttributes {
  static constexpr OpKind kKind = OpKind::unique;
  static constexpr int kDimLists = 0;
  int64_t axis = 0;  // The axis; negative counts from the end.
  bool sorted = true;  // Distinct slices come in increasing order, else in that of their first places.
};

// A recurrent layer: a cell that is applied to one step of a sequence after the other and carries a state.
// docs/numerics.md, section 9, has the formulas. Gates follow each other as in ONNX: lstm input, output, forget,
// candidate; gru update, reset, candidate. A sequence may be cut anywhere: with the states of one part as the initial
// states of the next, the results have the same bits. With weights of 8 bits, of lstm on f32, x and the hidden states
// become numbers of 8 bits by their ranges: x as a whole, so that a part has another range, and hidden states row by
// row at each step.
struct RecurrentAttributes {
  static constexpr OpKind kKind = OpKind::recurrent;
  static constexpr int kDimLists = 0;
  RecurrentCell cell = RecurrentCell::rnn;  // The cell.
  RecurrentDirection direction = RecurrentDirection::forward;  // Which way the steps are taken.
  UnaryFunction gates = UnaryFunction::sigmoid;  // The function of the gates of lstm and gru.
  float gates_alpha = 0.0f;  // Its first parameter, for functions whose text names alpha.
  float gates_beta = 0.0f;  // Its second parameter, for functions whose text names beta.
  UnaryFunction candidate = UnaryFunction::tanh;  // The function of the candidate state; the only one of rnn.
  float candidate_alpha = 0.0f;  // Its first parameter, for functions whose text names alpha.
  float candidate_beta = 0.0f;  // Its second parameter, for functions whose text names beta.
  UnaryFunction output = UnaryFunction::tanh;  // The function of lstm's cell state, before the output gate.
  float output_alpha = 0.0f;  // Its first parameter, for functions whose text names alpha.
  float output_beta = 0.0f;  // Its second parameter, for functions whose text names beta.
  float clip = 0.0f;  // What the functions of gates and candidate are applied to is clipped to [-clip, clip]. 0: it is not.
  bool linear_before_reset = false;  // gru: the reset gate is applied to the product with the state and not to the state.
  bool input_forget = false;  // lstm: the forget gate is 1 - the input gate.
  bool cell_state = false;  // lstm: the last cell state is an output, too.
};

// The sum of columns at the windows that they were taken from (ONNX Col2Im). A column holds a window's elements,
// channel by channel; windows follow each other in row-major order. Per spatial dim means the first `spatial` entries.
struct FoldAttributes {
  static constexpr OpKind kKind = OpKind::fold;
  static constexpr int kDimLists = 2;
  int32_t spatial = 2;  // Number of spatial dims, 1 to 3.
  SymDims image;  // Dims of the image, one per spatial dim.
  SymDims window;  // Dims of a window, one per spatial dim.
  int64_t strides[3] = {1, 1, 1};  // Strides.
  int64_t dilations[3] = {1, 1, 1};  // Distances between taps.
  int64_t pads_begin[3] = {};  // Padding before, per spatial dim.
  int64_t pads_end[3] = {};  // Padding after, per spatial dim.
};

// The columns of a deformable convolution in two dims: for each output position and each tap the input at the tap's
// place plus an offset, by linear interpolation, 0 outside, times the mask. A matmul with the weights makes the
// convolution of them.
struct DeformColumnsAttributes {
  static constexpr OpKind kKind = OpKind::deform_columns;
  static constexpr int kDimLists = 0;
  int32_t spatial = 2;  // 2.
  int64_t window[3] = {1, 1, 1};  // KH and KW.
  int64_t strides[3] = {1, 1, 1};  // Strides.
  int64_t dilations[3] = {1, 1, 1};  // Distances between taps.
  int64_t pads_begin[3] = {};  // Padding before, per spatial dim.
  int64_t pads_end[3] = {};  // Padding after, per spatial dim.
  int64_t groups = 1;  // Channels are cut into so many groups, each with offsets of its own.
};

// Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples by
// linear interpolation, or the maximum of the elements in it. Outside the input is 0.
struct RoiAlignAttributes {
  static constexpr OpKind kKind = OpKind::roi_align;
  static constexpr int kDimLists = 0;
  RoiMode mode = RoiMode::average;  // What a bin becomes.
  bool half_pixel = false;  // Coordinates mean edges of elements, else centres. A region is at least 1 high and wide without it.
  int64_t height = 1;  // Bins from top to bottom.
  int64_t width = 1;  // Bins from left to right.
  int64_t samples = 0;  // Samples of a bin along each side; 0: as many as elements it is long, rounded up.
  float scale = 1.0f;  // Factor of the coordinates.
};

// For each batch and class the boxes with the highest scores, without those that overlap a better one. Equal scores
// come in the order of their index. As many as there are have places in the first output, which is as long as it could
// be; what is behind them is 0.
struct NonMaxSuppressionAttributes {
  static constexpr OpKind kKind = OpKind::non_max_suppression;
  static constexpr int kDimLists = 1;
  Dim most = 0;  // The most boxes of a class, at most the number of boxes.
  bool center_point = false;  // Boxes are given as centre and size.
  std::span<const Dim> dims_in_place() const noexcept { return {&most, 1}; }
};

// The discrete Fourier transform along an axis: sums of x[j] * exp(-2 pi i j k / length), with `inverse` of exp(+2 pi i
// j k / length), divided by length. The last axis holds one real number, or real and imaginary part. The axis is cut to
// the length, or filled up with zeros.
struct DftAttributes {
  static constexpr OpKind kKind = OpKind::dft;
  static constexpr int kDimLists = 2;
  Dim axis = 0;  // The axis, not the last; negative counts from the end.
  Dim length = 0;  // How long the transform is.
  bool inverse = false;  // The inverse transform.
  bool onesided = false;  // The first half is all there is of the result, or with inverse of x: the rest is its conjugate.
};

// Determinants of the matrices in the last two axes.
struct DetAttributes {
  static constexpr OpKind kKind = OpKind::det;
  static constexpr int kDimLists = 0;
};

// Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows from seed
// and stream alone. docs/numerics.md, section 10.
struct RandomUniformAttributes {
  static constexpr OpKind kKind = OpKind::random_uniform;
  static constexpr int kDimLists = 1;
  DType dtype = DType::f32;  // The dtype: f32 or f64.
  SymDims dims;  // The output's dims.
  int64_t seed = 0;  // The seed.
  int64_t stream = 0;  // Which of the independent sequences of a seed.
  std::span<const Dim> dims_in_place() const noexcept { return {dims.begin(), dims.end()}; }
};

// The same bits as elements of another dtype of the same size.
struct BitCastAttributes {
  static constexpr OpKind kKind = OpKind::bit_cast;
  static constexpr int kDimLists = 0;
  DType to = DType::i32;  // The dtype.
};

// softmax(q k^T * scale + bias) v for each head, without the scores ever lying in memory at once; docs/numerics.md,
// section 11, has the order. Query heads are a multiple of the key heads: each key head serves as many query heads in a
// row. A query stands at position first + its index; where causal is set it sees keys up to its own position, and
// windows bound how far it sees. The bits of a row depend on the keys that it sees and on nothing else, so a sequence
// may be cut anywhere, and come alone or in a batch. A row that sees no key is 0. Where the keys are the later part of
// a longer sequence, origins say where it begins.
struct AttentionAttributes {
  static constexpr OpKind kKind = OpKind::attention;
  static constexpr int kDimLists = 1;
  int64_t left_window = -1;  // How many keys before its own position a query sees. -1: all.
  int64_t right_window = -1;  // How many keys behind its own position a query sees. -1: all.
  Dim first = 0;  // The position of the first query; starts, where they are given, take its place.
  float scale = 1.0f;  // Factor of the products.
  float softcap = 0.0f;  // Scores become softcap * tanh(score / softcap). 0: they do not.
  bool causal = false;  // A query sees no key behind its own position.
  std::span<const Dim> dims_in_place() const noexcept { return {&first, 1}; }
};

// Product of a matrix and one that is held as numbers of few bits: of i8, u8, i4 or u4, which stand for scale * (number
// - zero point) with one scale for a block of adjacent elements along K, or of f16 or bf16. The bits are those of a
// matmul with the real numbers in f32, but for rounded_rows, whose sums are of whole numbers.
struct CompressedMatmulAttributes {
  static constexpr OpKind kKind = OpKind::compressed_matmul;
  static constexpr int kDimLists = 0;
  bool transpose_b = false;  // b is given as [N, K], and what belongs to its blocks as [N, blocks].
  // Rows of a are rounded to 8 bits, each block of them by a scale of its own. For numbers in blocks of 8 to 256.
  bool rounded_rows = false;
  int64_t block = 0;  // Numbers of a block; the last one may be shorter. 0: one block.
  int64_t zero_point = 0;  // What zero_points say where they are left out.
};

// The cache, in which the update is stored along an axis, from position starts[b] (or first) on in example b, which the
// first axis counts. The result is `length` long; what neither holds is 0. It may lie in the cache's own memory: what
// is old then stays where it is, and only the update and what is 0 are written. A windowed cache holds the last part of
// a sequence and stays as long as it is. The first evicted[b] slices leave it; those behind them move to its front (and
// stay behind it, as they are). Then the update is stored from starts[b] on, as much of it as lies within. The second
// result is what the cache and the update hold together, for who needs what has left: the cache with the update from
// starts[b] + evicted[b] on, if the update has more than one slice, else nothing.
struct AppendAttributes {
  static constexpr OpKind kKind = OpKind::append;
  static constexpr int kDimLists = 2;
  int64_t axis = 0;  // The axis; negative counts from the end. With starts it is not the first.
  Dim first = 0;  // Where the update begins; starts, where they are given, take its place.
  Dim length = 0;  // The size of the result's axis, at least the cache's.
  bool circular = false;  // Positions are taken modulo the length; else they lie within it.
  bool windowed = false;  // The cache is windowed: starts and evicted are given, and the length is the cache's.
};

// Decision trees over the features of each row. A tree is walked from its root: an inner node compares one feature with
// its split and leads to one of two nodes, a leaf has weights for targets. The trees' weights for a target become one
// number, to which its base is added. Nodes of all trees lie in one table, children behind their parents.
struct TreeEnsembleAttributes {
  static constexpr OpKind kKind = OpKind::tree_ensemble;
  static constexpr int kDimLists = 0;
  int64_t outputs = 0;  // How many targets.
  TreeAggregate aggregate = TreeAggregate::sum;  // What the trees' weights for a target become.
};

// Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng (2004),
// iterated until no error is above 0.005 / classes, as support vector machines have it.
struct CouplePairsAttributes {
  static constexpr OpKind kKind = OpKind::couple_pairs;
  static constexpr int kDimLists = 0;
  int64_t classes = 0;  // How many classes.
};

// The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's DynamicQuantizeLinear
// quantizes with. docs/numerics.md, section 1, has the bits.
struct QuantizationRangeAttributes {
  static constexpr OpKind kKind = OpKind::quantization_range;
  static constexpr int kDimLists = 0;
};

// Where each string stands in a sorted table; -1 if it is not in it.
struct StringLookupAttributes {
  static constexpr OpKind kKind = OpKind::string_lookup;
  static constexpr int kDimLists = 0;
};

// Whether two strings have the same bytes; dims broadcast as in NumPy.
struct StringEqualAttributes {
  static constexpr OpKind kKind = OpKind::string_equal;
  static constexpr int kDimLists = 0;
};

// The bytes of one string and then those of another; dims broadcast as in NumPy. The results lie in the new heap one
// behind the other; its rest is zeros. Results that do not fit into it are an error in the data.
struct StringConcatAttributes {
  static constexpr OpKind kKind = OpKind::string_concat;
  static constexpr int kDimLists = 1;
  Dim bytes = 0;  // How large the new heap is.
  std::span<const Dim> dims_in_place() const noexcept { return {&bytes, 1}; }
};

// Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent of
// language). The results lie in the new heap one behind the other; its rest is zeros. Results that do not fit into it
// are an error in the data.
struct StringCaseAttributes {
  static constexpr OpKind kKind = OpKind::string_case;
  static constexpr int kDimLists = 1;
  bool upper = false;  // Upper case, else lower case.
  Dim bytes = 0;  // How large the new heap is.
  std::span<const Dim> dims_in_place() const noexcept { return {&bytes, 1}; }
};

// Whether an automaton accepts the whole string. Its classes give each byte a column of the transitions; the last
// column is for the end. The entry at a state's row and a column is twice the next state, or -2 if there is none, plus
// 1 if what was read before is accepted. It begins in row 0; rows 1 to 3 are for texts cut out of others, behind a
// character of a word, a new line, and any other.
struct StringMatchAttributes {
  static constexpr OpKind kKind = OpKind::string_match;
  static constexpr int kDimLists = 0;
};

// How many pieces string_split cuts each string into.
struct CountStringPiecesAttributes {
  static constexpr OpKind kKind = OpKind::count_string_pieces;
  static constexpr int kDimLists = 0;
  StringRule rule = StringRule::separators;  // What the pieces are.
  // How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and whitespace.
  int64_t most_splits = -1;
  int64_t min_characters = 1;  // Shorter pieces are left out. Of separators and tokens.
};

// Strings cut into pieces, which lie where the strings lie: views into the same heap. Behind a string's last piece
// stand empty ones. A match is the leftmost that there is, and of these the longest.
struct StringSplitAttributes {
  static constexpr OpKind kKind = OpKind::string_split;
  static constexpr int kDimLists = 1;
  StringRule rule = StringRule::separators;  // What the pieces are.
  // How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and whitespace.
  int64_t most_splits = -1;
  int64_t min_characters = 1;  // Shorter pieces are left out. Of separators and tokens.
  Dim most = 0;  // How many pieces of each string are given; count_string_pieces counts them.
  std::span<const Dim> dims_in_place() const noexcept { return {&most, 1}; }
};

// How often each n-gram of a pool occurs in a row: items that follow each other, or whose places are 1 + s apart for
// each skip s up to max_skip. One of a single item counts once at each place. The pool's rows are sorted by length,
// then by their items.
struct NgramCountsAttributes {
  static constexpr OpKind kKind = OpKind::ngram_counts;
  static constexpr int kDimLists = 0;
  int64_t outputs = 1;  // How many columns the result has.
  int64_t max_skip = 0;  // The most items between one of an n-gram and the next.
};

// The numbers that strings spell: decimals, in plain or scientific form, with blanks around them; of an integer without
// an exponent, and a fraction is cut off; of bool a whole number that is not 0. To floats inf and nan, too, and beyond
// the largest lies infinity. Any other string, and one beyond the range of integers, is an error in the data that names
// it.
struct StringParseAttributes {
  static constexpr OpKind kKind = OpKind::string_parse;
  static constexpr int kDimLists = 0;
  DType to = DType::f32;  // The dtype: f32, f64, bool or integers of 8 to 64 bits.
};

// Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end, in
// scientific form where the exponent is below -4 or above 7; INF, -INF, NaN. Number i lies from 15 * i on in the heap,
// of integers from 20 * i on.
struct StringFormatAttributes {
  static constexpr OpKind kKind = OpKind::string_format;
  static constexpr int kDimLists = 0;
};

}  // namespace anydim
