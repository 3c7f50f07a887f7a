// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/**
 * The operators, one method for each, which an {@link Engine} has. An operand is a {@link TensorDesc} of what comes
 * with each call, or constant: a {@link Tensor}, which is packed once, or {@link Weights} of another primitive. What
 * has a default is set on the builder; {@link OperatorBuilder#create()} makes the primitive.
 */
public abstract class Operators {
  Operators() {}

  abstract Engine engine();

  /**
   * Convolution over 1 to 3 spatial dims. An output dim is (in + padsBegin + padsEnd - dilation * (kernel - 1) - 1)
   * / stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first `spatial`
   * entries.
   *
   * <p>Inputs: src [N, C, spatial...] (floats), weights [O, C / group, kernel...] (the dtype of src; usually
   * constant), bias [O] (the dtype of src; may be left out; usually constant).
   *
   * <p>Output: [N, O, out...]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and
   * u8 with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.
   *
   * @param src [N, C, spatial...]
   * @param weights [O, C / group, kernel...]
   * @return a builder of the primitive
   */
  public Convolution convolution(Operand src, Operand weights) {
    return new Convolution(engine(), src, weights);
  }

  /**
   * Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) * stride - padsBegin - padsEnd +
   * dilation * (kernel - 1) + 1 + outputPadding, or what outputShape says. Per spatial dim means the first `spatial`
   * entries.
   *
   * <p>Inputs: src [N, C, spatial...] (floats), weights [C, O / group, kernel...] (the dtype of src; usually
   * constant), bias [O] (the dtype of src; may be left out; usually constant).
   *
   * <p>Output: [N, O, out...]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and
   * u8 with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.
   *
   * @param src [N, C, spatial...]
   * @param weights [C, O / group, kernel...]
   * @return a builder of the primitive
   */
  public ConvTranspose convTranspose(Operand src, Operand weights) {
    return new ConvTranspose(engine(), src, weights);
  }

  /**
   * Product of matrices: alpha * (a b) + beta * c. Leading dims broadcast; an operand of rank 1 is a row (a) or a
   * column (b), as in NumPy. An alpha other than 1, and c, are for floats only.
   *
   * <p>Inputs: a [..., M, K] (numbers), b [..., K, N] (the dtype of a; usually constant), c, what broadcasts to the
   * output (the dtype of a; may be left out; usually constant).
   *
   * <p>Output: [..., M, N]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and u8
   * with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.
   *
   * @param a [..., M, K]
   * @param b [..., K, N]
   * @return a builder of the primitive
   */
  public Matmul matmul(Operand a, Operand b) {
    return new Matmul(engine(), a, b);
  }

  /**
   * The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + padsBegin + padsEnd -
   * dilation * (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceilMode. Padding never wins a
   * maximum, and counts in an average with countIncludePad only. Per spatial dim means the first `spatial` entries.
   *
   * <p>Input: src [N, C, spatial...] (f32, f64, f16, bf16, i8, u8; i8 and u8 for the maximum only).
   *
   * <p>Outputs: [N, C, out...]; [N, C, out...], i64 (where each maximum stood), with indices.
   *
   * @param src [N, C, spatial...] i8 and u8 for the maximum only
   * @return a builder of the primitive
   */
  public Pooling pooling(Operand src) {
    return new Pooling(engine(), src);
  }

  /**
   * A function of each element. The output has x's dtype, or bool for functions that return a truth value.
   *
   * <p>Input: x (any dtype; that the function is defined on).
   *
   * <p>Output: x's.
   *
   * @param x that the function is defined on
   * @param function the function
   * @return a builder of the primitive
   */
  public Unary unary(Operand x, UnaryFunction function) {
    return new Unary(engine(), x, function);
  }

  /**
   * A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
   * comparison.
   *
   * <p>Inputs: a (any dtype; that the function is defined on), b (the dtype of a; the exponent of pow may have
   * another).
   *
   * <p>Output: broadcast.
   *
   * @param a that the function is defined on
   * @param b the exponent of pow may have another
   * @param function the function
   * @return a builder of the primitive
   */
  public Binary binary(Operand a, Operand b, BinaryFunction function) {
    return new Binary(engine(), a, b, function);
  }

  /**
   * x with some axes reduced.
   *
   * <p>Input: x (any dtype; bool for the maximum and minimum only).
   *
   * <p>Output: x's, the reduced ones 1 or gone.
   *
   * @param x bool for the maximum and minimum only
   * @param kind the reduction
   * @return a builder of the primitive
   */
  public Reduce reduce(Operand x, ReduceKind kind) {
    return new Reduce(engine(), x, kind);
  }

  /**
   * exp(x - max) / sum over an axis, or its logarithm.
   *
   * <p>Input: x (floats).
   *
   * <p>Output: x's.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Softmax softmax(Operand x) {
    return new Softmax(engine(), x);
  }

  /**
   * (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance over the axes from `axis` to the last.
   *
   * <p>Inputs: x (floats), scale, x's from the axis on (the dtype of x; may be left out; usually constant), bias,
   * x's from the axis on (the dtype of x; may be left out; usually constant).
   *
   * <p>Output: x's.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public LayerNorm layerNorm(Operand x) {
    return new LayerNorm(engine(), x);
  }

  /**
   * Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is given,
   * with one number per axis of `axes`. Axes that are not named are copied.
   *
   * <p>Input: x (any dtype).
   *
   * <p>Output: x's, resized.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Resize resize(Operand x) {
    return new Resize(engine(), x);
  }

  /**
   * The axes in another order; output axis i is input axis perm[i].
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: x's in the order of perm.
   *
   * @param x the operand
   * @param perm the axes of x in the output's order, each once, from 0
   * @return a builder of the primitive
   */
  public Transpose transpose(Operand x, long... perm) {
    return new Transpose(engine(), x, perm);
  }

  /**
   * The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x != 0;
   * to a narrower float rounded to nearest even. A number beyond the range of f8 or f4 becomes the largest one there
   * is; i4, u4, i2 and u2 keep the lowest bits of the whole number.
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: x's.
   *
   * @param x the operand
   * @param to the dtype
   * @return a builder of the primitive
   */
  public Cast cast(Operand x, DType to) {
    return new Cast(engine(), x, to);
  }

  /**
   * The inputs one after another along an axis.
   *
   * <p>Input: inputs, equal but along the axis (any dtype, narrow ones too; one dtype for all; one or more).
   *
   * <p>Output: theirs, added up along the axis.
   *
   * @param inputs the operands, one or more
   * @return a builder of the primitive
   */
  public Concat concat(Operand... inputs) {
    return new Concat(engine(), inputs);
  }

  /**
   * condition ? a : b, element by element; dims broadcast as in NumPy.
   *
   * <p>Inputs: condition (bool), a (any dtype, narrow ones too), b (the dtype of a).
   *
   * <p>Output: broadcast, the dtype of a.
   *
   * @param condition the operand
   * @param a the operand
   * @param b the operand
   * @return a builder of the primitive
   */
  public Where where(Operand condition, Operand a, Operand b) {
    return new Where(engine(), condition, a, b);
  }

  /**
   * The index of the largest or smallest element along an axis. +0 and -0 are equal.
   *
   * <p>Input: x (any dtype).
   *
   * <p>Output: x's, the axis 1 or gone, i64.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public ArgReduce argReduce(Operand x) {
    return new ArgReduce(engine(), x);
  }

  /**
   * Running sums or products along an axis, in the order of the index.
   *
   * <p>Inputs: x (numbers), axis, one element (i32 or i64; The axis, whose value may come from the data.).
   *
   * <p>Output: x's.
   *
   * @param x the operand
   * @param axis one element The axis, whose value may come from the data
   * @return a builder of the primitive
   */
  public Cumsum cumsum(Operand x, Operand axis) {
    return new Cumsum(engine(), x, axis);
  }

  /**
   * The same elements, in logical row-major order, under other dims.
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: those given.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Reshape reshape(Operand x) {
    return new Reshape(engine(), x);
  }

  /**
   * x repeated to the dims that it and those given broadcast to.
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: broadcast.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Expand expand(Operand x) {
    return new Expand(engine(), x);
  }

  /**
   * Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: the lengths.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Slice slice(Operand x) {
    return new Slice(engine(), x);
  }

  /**
   * Elements added, or with negative counts cut off, before and after each axis.
   *
   * <p>Inputs: x (any dtype), value, one element (the dtype of x; What is put in mode constant; absent: zero.; may
   * be left out).
   *
   * <p>Output: x's and what is added.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Pad pad(Operand x) {
    return new Pad(engine(), x);
  }

  /**
   * Each axis of x repeated a number of times.
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: x's times the repeats.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Tile tile(Operand x) {
    return new Tile(engine(), x);
  }

  /**
   * Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
   *
   * <p>Input: x [N, C, H, W] (any dtype).
   *
   * <p>Output: [N, C / block^2, H * block, W * block].
   *
   * @param x [N, C, H, W]
   * @return a builder of the primitive
   */
  public DepthToSpace depthToSpace(Operand x) {
    return new DepthToSpace(engine(), x);
  }

  /**
   * A vector of start, start + delta, ..., each element start + i * delta rounded in its dtype. Start and delta are
   * whole numbers, or reals with `real`.
   *
   * <p>Inputs: none.
   *
   * <p>Output: [count], of that dtype.
   *
   * @return a builder of the primitive
   */
  public Range range() {
    return new Range(engine());
  }

  /**
   * A scalar or a vector of whole numbers, converted as a cast from i64 does.
   *
   * <p>Inputs: none.
   *
   * <p>Output: [values] or [], of that dtype.
   *
   * @return a builder of the primitive
   */
  public ShapeTensor shapeTensor() {
    return new ShapeTensor(engine());
  }

  /**
   * Slices of the data along an axis, picked by the indices (negative ones from the end).
   *
   * <p>Inputs: data (any dtype, narrow ones too), indices (i32 or i64).
   *
   * <p>Output: the data's, the axis replaced by the dims of the indices, the dtype of data.
   *
   * @param data the operand
   * @param indices the operand
   * @return a builder of the primitive
   */
  public Gather gather(Operand data, Operand indices) {
    return new Gather(engine(), data, indices);
  }

  /**
   * One element of the data for each index, which replaces its coordinate on an axis.
   *
   * <p>Inputs: data (any dtype, narrow ones too), indices, no larger than the data's but along the axis (i32 or
   * i64).
   *
   * <p>Output: the indices', the dtype of data.
   *
   * @param data the operand
   * @param indices no larger than the data's but along the axis
   * @return a builder of the primitive
   */
  public GatherElements gatherElements(Operand data, Operand indices) {
    return new GatherElements(engine(), data, indices);
  }

  /**
   * Slices of the data at coordinates, which the last axis of the indices holds. The first batchDims axes of both go
   * together.
   *
   * <p>Inputs: data (any dtype, narrow ones too), indices [..., coordinates] (i32 or i64).
   *
   * <p>Output: the indices' but for the last, then the rest of the data's, the dtype of data.
   *
   * @param data the operand
   * @param indices [..., coordinates]
   * @return a builder of the primitive
   */
  public GatherNd gatherNd(Operand data, Operand indices) {
    return new GatherNd(engine(), data, indices);
  }

  /**
   * A copy of the data in which updates are stored, or combined, at the indices along an axis.
   *
   * <p>Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64), updates, the
   * indices' (the dtype of data).
   *
   * <p>Output: the data's, the dtype of data.
   *
   * @param data the operand
   * @param indices no larger than the data's but along the axis
   * @param updates the indices'
   * @return a builder of the primitive
   */
  public ScatterElements scatterElements(Operand data, Operand indices, Operand updates) {
    return new ScatterElements(engine(), data, indices, updates);
  }

  /**
   * A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis
   * of the indices holds.
   *
   * <p>Inputs: data (any dtype), indices [..., coordinates] (i32 or i64), updates, the indices' but for the last,
   * then the rest of the data's (the dtype of data).
   *
   * <p>Output: the data's, the dtype of data.
   *
   * @param data the operand
   * @param indices [..., coordinates]
   * @param updates the indices' but for the last, then the rest of the data's
   * @return a builder of the primitive
   */
  public ScatterNd scatterNd(Operand data, Operand indices, Operand updates) {
    return new ScatterNd(engine(), data, indices, updates);
  }

  /**
   * The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts as
   * larger than any number.
   *
   * <p>Input: x (any dtype).
   *
   * <p>Outputs: x's, the axis k; x's, the axis k, i64 (where each element stood).
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Topk topk(Operand x) {
    return new Topk(engine(), x);
  }

  /**
   * The upper or lower triangle of the last two axes, zero elsewhere.
   *
   * <p>Input: x [..., M, N] (any dtype).
   *
   * <p>Output: x's.
   *
   * @param x [..., M, N]
   * @return a builder of the primitive
   */
  public Trilu trilu(Operand x) {
    return new Trilu(engine(), x);
  }

  /**
   * Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.
   *
   * <p>Input: x [M, N] (any dtype).
   *
   * <p>Output: x's, of that dtype.
   *
   * @param x [M, N]
   * @return a builder of the primitive
   */
  public EyeLike eyeLike(Operand x) {
    return new EyeLike(engine(), x);
  }

  /**
   * A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
   * elsewhere and for indices out of range.
   *
   * <p>Inputs: indices (numbers), values [2] (any dtype; off and on).
   *
   * <p>Output: the indices' and the new axis, the dtype of values.
   *
   * @param indices the operand
   * @param values [2] off and on
   * @param depth its size
   * @return a builder of the primitive
   */
  public OneHot oneHot(Operand indices, Operand values, long depth) {
    return new OneHot(engine(), indices, values, depth);
  }

  /**
   * The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis
   * to the other, and interpolated.
   *
   * <p>Inputs: x [N, C, spatial...] (any dtype; floats, but for mode nearest), grid [N, out..., coordinates]
   * (floats; one coordinate per spatial dim, the last dim's first).
   *
   * <p>Output: [N, C, out...].
   *
   * @param x [N, C, spatial...] floats, but for mode nearest
   * @param grid [N, out..., coordinates] one coordinate per spatial dim, the last dim's first
   * @return a builder of the primitive
   */
  public GridSample gridSample(Operand x, Operand grid) {
    return new GridSample(engine(), x, grid);
  }

  /**
   * How many elements are not zero. NaN is not zero; -0 is.
   *
   * <p>Input: x (any dtype).
   *
   * <p>Output: [], i64.
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public CountNonZero countNonZero(Operand x) {
    return new CountNonZero(engine(), x);
  }

  /**
   * The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j
   * is at [i, j]. Fewer such elements are an error in the data.
   *
   * <p>Input: x (any dtype).
   *
   * <p>Output: [rank of x, count], i64.
   *
   * @param x the operand
   * @param count how many; count_non_zero counts them
   * @return a builder of the primitive
   */
  public NonZero nonZero(Operand x, long count) {
    return new NonZero(engine(), x, count);
  }

  /**
   * Which slices of x along an axis are equal: -0 and 0 are, and all NaN, which come after all numbers. Slices are
   * compared element by element, in row-major order. As many distinct ones as there are have places in the outputs
   * from the first on; what is behind them is 0.
   *
   * <p>Input: x (any dtype).
   *
   * <p>Outputs: [size of the axis], i64 (where each distinct slice stands first); [size of the axis], i64 (which
   * distinct slice each one is); [size of the axis], i64 (how many are equal to each distinct slice); [], i64 (how
   * many are distinct).
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public Unique unique(Operand x) {
    return new Unique(engine(), x);
  }

  /**
   * A recurrent layer: a cell that is applied to one step of a sequence after the other and carries a state.
   * docs/numerics.md, section 9, has the formulas. Gates follow each other as in ONNX: lstm input, output, forget,
   * candidate; gru update, reset, candidate. A sequence may be cut anywhere: with the states of one part as the
   * initial states of the next, the results have the same bits. With weights of 8 bits, of lstm on f32, x and the
   * hidden states become numbers of 8 bits by their ranges: x as a whole, so that a part has another range, and
   * hidden states row by row at each step.
   *
   * <p>Inputs: x [steps, batch, inputs] (floats), input_weights [directions, gates * hidden, inputs] (f32, f64, f16,
   * bf16, i8, u8; the dtype of x, or 8 bits; usually constant), recurrent_weights [directions, gates * hidden,
   * hidden] (f32, f64, f16, bf16, i8, u8; the dtype of x, or 8 bits; usually constant), bias [directions, 2 * gates
   * * hidden] (the dtype of x; that of the inputs, then that of the state; may be left out; usually constant),
   * lengths [batch] (i32; from 0 to steps; without it all steps count; may be left out), initial_hidden [directions,
   * batch, hidden] (the dtype of x; zeros without it; may be left out), initial_cell [directions, batch, hidden]
   * (the dtype of x; lstm only; zeros without it; may be left out), peepholes [directions, 3 * hidden] (the dtype of
   * x; lstm only: input, output, forget; may be left out; usually constant), input_scales [directions, gates *
   * hidden] (f32; of input_weights of 8 bits, which need them; may be left out; usually constant), input_zero_points
   * [directions, gates * hidden] (the dtype of input_weights; of input_weights of 8 bits; zeros without them; may be
   * left out; usually constant), recurrent_scales [directions, gates * hidden] (f32; of recurrent_weights of 8 bits,
   * which need them; may be left out; usually constant), recurrent_zero_points [directions, gates * hidden] (the
   * dtype of recurrent_weights; of recurrent_weights of 8 bits; zeros without them; may be left out; usually
   * constant).
   *
   * <p>Outputs: [steps, directions, batch, hidden] (the hidden state after each step, 0 beyond a sequence's length);
   * [directions, batch, hidden] (the last hidden state); [directions, batch, hidden] (the last cell state), with
   * cellState.
   *
   * @param x [steps, batch, inputs]
   * @param inputWeights [directions, gates * hidden, inputs] the dtype of x, or 8 bits
   * @param recurrentWeights [directions, gates * hidden, hidden] the dtype of x, or 8 bits
   * @param cell the cell
   * @return a builder of the primitive
   */
  public Recurrent recurrent(Operand x, Operand inputWeights, Operand recurrentWeights, RecurrentCell cell) {
    return new Recurrent(engine(), x, inputWeights, recurrentWeights, cell);
  }

  /**
   * The sum of columns at the windows that they were taken from (ONNX Col2Im). A column holds a window's elements,
   * channel by channel; windows follow each other in row-major order. Per spatial dim means the first `spatial`
   * entries.
   *
   * <p>Input: columns [N, C * block, windows] (numbers).
   *
   * <p>Output: [N, C, image...].
   *
   * @param columns [N, C * block, windows]
   * @param image dims of the image, one per spatial dim
   * @param window dims of a window, one per spatial dim
   * @return a builder of the primitive
   */
  public Fold fold(Operand columns, long[] image, long... window) {
    return new Fold(engine(), columns, image, window);
  }

  /**
   * The columns of a deformable convolution in two dims: for each output position and each tap the input at the
   * tap's place plus an offset, by linear interpolation, 0 outside, times the mask. A matmul with the weights makes
   * the convolution of them.
   *
   * <p>Inputs: x [N, C, H, W] (f32, f64, f16, bf16), offset [N, groups * KH * KW * 2, OH, OW] (the dtype of x; rows,
   * then columns, of each tap), mask [N, groups * KH * KW, OH, OW] (the dtype of x; may be left out).
   *
   * <p>Output: [N, C * KH * KW, OH * OW].
   *
   * @param x [N, C, H, W]
   * @param offset [N, groups * KH * KW * 2, OH, OW] rows, then columns, of each tap
   * @return a builder of the primitive
   */
  public DeformColumns deformColumns(Operand x, Operand offset) {
    return new DeformColumns(engine(), x, offset);
  }

  /**
   * Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples by
   * linear interpolation, or the maximum of the elements in it. Outside the input is 0.
   *
   * <p>Inputs: x [N, C, H, W] (f32, f64, f16, bf16), rois [regions, 4] (the dtype of x; x and y of where it begins,
   * then of where it ends), batch [regions] (i32 or i64; which of the N inputs a region is of).
   *
   * <p>Output: [regions, C, height, width].
   *
   * @param x [N, C, H, W]
   * @param rois [regions, 4] x and y of where it begins, then of where it ends
   * @param batch [regions] which of the N inputs a region is of
   * @return a builder of the primitive
   */
  public RoiAlign roiAlign(Operand x, Operand rois, Operand batch) {
    return new RoiAlign(engine(), x, rois, batch);
  }

  /**
   * For each batch and class the boxes with the highest scores, without those that overlap a better one. Equal
   * scores come in the order of their index. As many as there are have places in the first output, which is as long
   * as it could be; what is behind them is 0.
   *
   * <p>Inputs: boxes [N, boxes, 4] (f32; two opposite corners y, x, y, x in any order; or with centerPoint x, y,
   * width, height), scores [N, classes, boxes] (f32), most_boxes, one element (i64; the most boxes of a class; fewer
   * than `most` counts), iou_threshold, one element (f32; a larger intersection over union is an overlap; 0 without
   * it; may be left out), score_threshold, one element (f32; only scores above it count; may be left out).
   *
   * <p>Outputs: [N * classes * most, 3], i64 (batch, class and index of each box); [], i64 (how many there are).
   *
   * @param boxes [N, boxes, 4] two opposite corners y, x, y, x in any order; or with centerPoint x, y, width, height
   * @param scores [N, classes, boxes]
   * @param mostBoxes one element the most boxes of a class; fewer than `most` counts
   * @param most the most boxes of a class, at most the number of boxes
   * @return a builder of the primitive
   */
  public NonMaxSuppression nonMaxSuppression(Operand boxes, Operand scores, Operand mostBoxes, long most) {
    return new NonMaxSuppression(engine(), boxes, scores, mostBoxes, most);
  }

  /**
   * The discrete Fourier transform along an axis: sums of x[j] * exp(-2 pi i j k / length), with `inverse` of exp(+2
   * pi i j k / length), divided by length. The last axis holds one real number, or real and imaginary part. The axis
   * is cut to the length, or filled up with zeros.
   *
   * <p>Input: x [..., 1 or 2] (floats).
   *
   * <p>Output: x's, the axis the length, the last axis 2; with onesided length / 2 + 1 and 2; with both flags the
   * length and 1.
   *
   * @param x [..., 1 or 2]
   * @param length how long the transform is
   * @return a builder of the primitive
   */
  public Dft dft(Operand x, long length) {
    return new Dft(engine(), x, length);
  }

  /**
   * Determinants of the matrices in the last two axes.
   *
   * <p>Input: x [..., M, M] (floats).
   *
   * <p>Output: x's without the last two.
   *
   * @param x [..., M, M]
   * @return a builder of the primitive
   */
  public Det det(Operand x) {
    return new Det(engine(), x);
  }

  /**
   * Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows from
   * seed and stream alone. docs/numerics.md, section 10.
   *
   * <p>Inputs: none.
   *
   * <p>Output: [dims], of that dtype.
   *
   * @param seed the seed
   * @return a builder of the primitive
   */
  public RandomUniform randomUniform(long seed) {
    return new RandomUniform(engine(), seed);
  }

  /**
   * The same bits as elements of another dtype of the same size.
   *
   * <p>Input: x (any dtype, narrow ones too).
   *
   * <p>Output: x's.
   *
   * @param x the operand
   * @param to the dtype
   * @return a builder of the primitive
   */
  public BitCast bitCast(Operand x, DType to) {
    return new BitCast(engine(), x, to);
  }

  /**
   * softmax(q k^T * scale + bias) v for each head, without the scores ever lying in memory at once;
   * docs/numerics.md, section 11, has the order. Query heads are a multiple of the key heads: each key head serves
   * as many query heads in a row. A query stands at position first + its index; where causal is set it sees keys up
   * to its own position, and windows bound how far it sees. The bits of a row depend on the keys that it sees and on
   * nothing else, so a sequence may be cut anywhere, and come alone or in a batch. A row that sees no key is 0.
   * Where the keys are the later part of a longer sequence, origins say where it begins.
   *
   * <p>Inputs: q [batch, heads, queries, size] (floats), k [batch, key heads, keys, size] (the dtype of q), v
   * [batch, key heads, keys, value size] (the dtype of q), bias, what broadcasts to [batch, heads, queries, keys]
   * (the dtype of q; added to the scores; may be left out), mask, what broadcasts to [batch, heads, queries, keys]
   * (bool; which keys are seen; may be left out), starts [batch] (i64; the position of the first query; may be left
   * out), lengths [batch] (i64; how many keys there are; keys behind them are not read; may be left out), origins
   * [batch] (i64; the position of the first key, 0 or more; else it is 0; may be left out), sinks [heads] (the dtype
   * of q; a score of each head that takes its share of the weights, with no value; may be left out).
   *
   * <p>Output: [batch, heads, queries, value size].
   *
   * @param q [batch, heads, queries, size]
   * @param k [batch, key heads, keys, size]
   * @param v [batch, key heads, keys, value size]
   * @return a builder of the primitive
   */
  public Attention attention(Operand q, Operand k, Operand v) {
    return new Attention(engine(), q, k, v);
  }

  /**
   * Product of a matrix and one that is held as numbers of few bits: of i8, u8, i4 or u4, which stand for scale *
   * (number - zero point) with one scale for a block of adjacent elements along K, or of f16 or bf16. The bits are
   * those of a matmul with the real numbers in f32, but for roundedRows, whose sums are of whole numbers.
   *
   * <p>Inputs: a [..., M, K] (f32), b [K, N] (i8, u8, i4, u4, f16, bf16; usually constant), scales [blocks, N] or
   * [blocks, 1] (f32; for numbers, and for these only; may be left out; usually constant), zero_points [blocks, N]
   * or [blocks, 1] (f32; may be left out; usually constant).
   *
   * <p>Output: [..., M, N].
   *
   * @param a [..., M, K]
   * @param b [K, N]
   * @return a builder of the primitive
   */
  public CompressedMatmul compressedMatmul(Operand a, Operand b) {
    return new CompressedMatmul(engine(), a, b);
  }

  /**
   * The cache, in which the update is stored along an axis, from position starts[b] (or first) on in example b,
   * which the first axis counts. The result is `length` long; what neither holds is 0. It may lie in the cache's own
   * memory: what is old then stays where it is, and only the update and what is 0 are written.
   *
   * <p>A windowed cache holds the last part of a sequence and stays as long as it is. The first evicted[b] slices
   * leave it; those behind them move to its front (and stay behind it, as they are). Then the update is stored from
   * starts[b] on, as much of it as lies within. The second result is what the cache and the update hold together,
   * for who needs what has left: the cache with the update from starts[b] + evicted[b] on, if the update has more
   * than one slice, else nothing.
   *
   * <p>Inputs: cache (any dtype), update, the cache's but for the axis (the dtype of cache), starts [size of the
   * first axis] (i64; where the update of each example begins; may be left out), evicted [size of the first axis]
   * (i64; how many slices leave a windowed cache; may be left out).
   *
   * <p>Outputs: the cache's, the axis `length`, the dtype of cache; the cache's, the axis as long as the cache and
   * the update or 0, the dtype of cache (both, before any slice leaves), with windowed.
   *
   * @param cache the operand
   * @param update the cache's but for the axis
   * @param length the size of the result's axis, at least the cache's
   * @return a builder of the primitive
   */
  public Append append(Operand cache, Operand update, long length) {
    return new Append(engine(), cache, update, length);
  }

  /**
   * Decision trees over the features of each row. A tree is walked from its root: an inner node compares one feature
   * with its split and leads to one of two nodes, a leaf has weights for targets. The trees' weights for a target
   * become one number, to which its base is added. Nodes of all trees lie in one table, children behind their
   * parents.
   *
   * <p>Inputs: x [rows, features] (f32, f64), splits [nodes] (the dtype of x; what a node compares with; usually
   * constant), nodes [nodes, 4] (i32; mode, feature, the node if it holds, the node if not. Modes: 1 x &lt;= split,
   * 2 x &lt; split, 3 x &gt;= split, 4 x &gt; split, 5 x == split, 6 x != split; 8 more: it also holds for NaN. Mode
   * 0 is a leaf: 0, 0, its first weight, how many ; usually constant), roots [trees] (i32; the node that each tree
   * begins with; usually constant), targets [weights] (i32; the target of each weight; usually constant), weights
   * [weights] (the dtype of x; usually constant), base [outputs] (the dtype of x; added at the end; may be left
   * out).
   *
   * <p>Output: [rows, outputs].
   *
   * @param x [rows, features]
   * @param splits [nodes] what a node compares with
   * @param nodes [nodes, 4] mode, feature, the node if it holds, the node if not. Modes: 1 x &lt;= split, 2 x &lt;
   *     split, 3 x &gt;= split, 4 x &gt; split, 5 x == split, 6 x != split; 8 more: it also holds for NaN. Mode 0 is
   *     a leaf: 0, 0, its first weight, how many
   * @param roots [trees] the node that each tree begins with
   * @param targets [weights] the target of each weight
   * @param weights [weights]
   * @param outputs how many targets
   * @return a builder of the primitive
   */
  public TreeEnsemble treeEnsemble(
      Operand x, Operand splits, Operand nodes, Operand roots, Operand targets, Operand weights, long outputs) {
    return new TreeEnsemble(engine(), x, splits, nodes, roots, targets, weights, outputs);
  }

  /**
   * Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng (2004),
   * iterated until no error is above 0.005 / classes, as support vector machines have it.
   *
   * <p>Input: x [..., classes * (classes - 1) / 2] (f32, f64; of 0 against 1, 0 against 2, ..., 1 against 2, ...).
   *
   * <p>Output: [..., classes].
   *
   * @param x [..., classes * (classes - 1) / 2] of 0 against 1, 0 against 2, ..., 1 against 2,
   * @param classes how many classes
   * @return a builder of the primitive
   */
  public CouplePairs couplePairs(Operand x, long classes) {
    return new CouplePairs(engine(), x, classes);
  }

  /**
   * The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's
   * DynamicQuantizeLinear quantizes with. docs/numerics.md, section 1, has the bits.
   *
   * <p>Input: x (f32).
   *
   * <p>Outputs: [] (the scale); [], u8 (the zero point).
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public QuantizationRange quantizationRange(Operand x) {
    return new QuantizationRange(engine(), x);
  }

  /**
   * Where each string stands in a sorted table; -1 if it is not in it.
   *
   * <p>Inputs: x (i64; views), heap [bytes] (u8), table [strings] (i64; views of distinct strings, in the increasing
   * order of their bytes; usually constant), table_heap [bytes] (u8; usually constant).
   *
   * <p>Output: x's, i64.
   *
   * @param x views
   * @param heap [bytes]
   * @param table [strings] views of distinct strings, in the increasing order of their bytes
   * @param tableHeap [bytes]
   * @return a builder of the primitive
   */
  public StringLookup stringLookup(Operand x, Operand heap, Operand table, Operand tableHeap) {
    return new StringLookup(engine(), x, heap, table, tableHeap);
  }

  /**
   * Whether two strings have the same bytes; dims broadcast as in NumPy.
   *
   * <p>Inputs: a (i64; views), a_heap [bytes] (u8), b (i64; views), b_heap [bytes] (u8).
   *
   * <p>Output: broadcast, bool.
   *
   * @param a views
   * @param aHeap [bytes]
   * @param b views
   * @param bHeap [bytes]
   * @return a builder of the primitive
   */
  public StringEqual stringEqual(Operand a, Operand aHeap, Operand b, Operand bHeap) {
    return new StringEqual(engine(), a, aHeap, b, bHeap);
  }

  /**
   * The bytes of one string and then those of another; dims broadcast as in NumPy. The results lie in the new heap
   * one behind the other; its rest is zeros. Results that do not fit into it are an error in the data.
   *
   * <p>Inputs: a (i64; views), a_heap [bytes] (u8), b (i64; views), b_heap [bytes] (u8).
   *
   * <p>Outputs: broadcast, i64 (views); [bytes], u8 (their heap).
   *
   * @param a views
   * @param aHeap [bytes]
   * @param b views
   * @param bHeap [bytes]
   * @param bytes how large the new heap is
   * @return a builder of the primitive
   */
  public StringConcat stringConcat(Operand a, Operand aHeap, Operand b, Operand bHeap, long bytes) {
    return new StringConcat(engine(), a, aHeap, b, bHeap, bytes);
  }

  /**
   * Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent of
   * language). The results lie in the new heap one behind the other; its rest is zeros. Results that do not fit into
   * it are an error in the data.
   *
   * <p>Inputs: x (i64; views), heap [bytes] (u8).
   *
   * <p>Outputs: x's, i64 (views); [bytes], u8 (their heap).
   *
   * @param x views
   * @param heap [bytes]
   * @param bytes how large the new heap is
   * @return a builder of the primitive
   */
  public StringCase stringCase(Operand x, Operand heap, long bytes) {
    return new StringCase(engine(), x, heap, bytes);
  }

  /**
   * Whether an automaton accepts the whole string. Its classes give each byte a column of the transitions; the last
   * column is for the end. The entry at a state's row and a column is twice the next state, or -2 if there is none,
   * plus 1 if what was read before is accepted. It begins in row 0; rows 1 to 3 are for texts cut out of others,
   * behind a character of a word, a new line, and any other.
   *
   * <p>Inputs: x (i64; views), heap [bytes] (u8), classes [1, 256] (u8; usually constant), transitions [states,
   * columns] (i32; usually constant).
   *
   * <p>Output: x's, bool.
   *
   * @param x views
   * @param heap [bytes]
   * @param classes [1, 256]
   * @param transitions [states, columns]
   * @return a builder of the primitive
   */
  public StringMatch stringMatch(Operand x, Operand heap, Operand classes, Operand transitions) {
    return new StringMatch(engine(), x, heap, classes, transitions);
  }

  /**
   * How many pieces string_split cuts each string into.
   *
   * <p>Inputs: x (i64; views), heap [bytes] (u8), classes [automata, 256] (u8; see string_match; of separators and
   * tokens; may be left out), transitions [states, columns] (i32; rows 4 * k to 4 * k + 3 are where automaton k
   * begins; may be left out).
   *
   * <p>Outputs: x's, i64; [], i64 (the largest count).
   *
   * @param x views
   * @param heap [bytes]
   * @return a builder of the primitive
   */
  public CountStringPieces countStringPieces(Operand x, Operand heap) {
    return new CountStringPieces(engine(), x, heap);
  }

  /**
   * Strings cut into pieces, which lie where the strings lie: views into the same heap. Behind a string's last piece
   * stand empty ones. A match is the leftmost that there is, and of these the longest.
   *
   * <p>Inputs: x (i64; views), heap [bytes] (u8), classes [automata, 256] (u8; see string_match; of separators and
   * tokens; may be left out), transitions [states, columns] (i32; rows 4 * k to 4 * k + 3 are where automaton k
   * begins; may be left out).
   *
   * <p>Output: x's and most, i64 (views).
   *
   * @param x views
   * @param heap [bytes]
   * @param most how many pieces of each string are given; count_string_pieces counts them
   * @return a builder of the primitive
   */
  public StringSplit stringSplit(Operand x, Operand heap, long most) {
    return new StringSplit(engine(), x, heap, most);
  }

  /**
   * How often each n-gram of a pool occurs in a row: items that follow each other, or whose places are 1 + s apart
   * for each skip s up to maxSkip. One of a single item counts once at each place. The pool's rows are sorted by
   * length, then by their items.
   *
   * <p>Inputs: x [items] or [rows, items] (i64), pool [n-grams, longest] (i64; a row's items; behind them zeros;
   * usually constant), lengths [n-grams] (i64; how many items each row has; usually constant), columns [n-grams]
   * (i64; where each is counted; usually constant).
   *
   * <p>Output: [outputs] or [rows, outputs], f32.
   *
   * @param x [items] or [rows, items]
   * @param pool [n-grams, longest] a row's items; behind them zeros
   * @param lengths [n-grams] how many items each row has
   * @param columns [n-grams] where each is counted
   * @return a builder of the primitive
   */
  public NgramCounts ngramCounts(Operand x, Operand pool, Operand lengths, Operand columns) {
    return new NgramCounts(engine(), x, pool, lengths, columns);
  }

  /**
   * The numbers that strings spell: decimals, in plain or scientific form, with blanks around them; of an integer
   * without an exponent, and a fraction is cut off; of bool a whole number that is not 0. To floats inf and nan,
   * too, and beyond the largest lies infinity. Any other string, and one beyond the range of integers, is an error
   * in the data that names it.
   *
   * <p>Inputs: x (i64; views), heap [bytes] (u8).
   *
   * <p>Output: x's, of that dtype.
   *
   * @param x views
   * @param heap [bytes]
   * @param to the dtype: f32, f64, bool or integers of 8 to 64 bits
   * @return a builder of the primitive
   */
  public StringParse stringParse(Operand x, Operand heap, DType to) {
    return new StringParse(engine(), x, heap, to);
  }

  /**
   * Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end,
   * in scientific form where the exponent is below -4 or above 7; INF, -INF, NaN. Number i lies from 15 * i on in
   * the heap, of integers from 20 * i on.
   *
   * <p>Input: x (f32, f64, i64, u64).
   *
   * <p>Outputs: x's, i64 (views); [bytes], u8 (their heap).
   *
   * @param x the operand
   * @return a builder of the primitive
   */
  public StringFormat stringFormat(Operand x) {
    return new StringFormat(engine(), x);
  }

  /** Builds a primitive of convolution. */
  public static final class Convolution extends QuantizingBuilder<Convolution> {
    Convolution(Engine engine, Operand src, Operand weights) {
      super(engine, "convolution", new OperatorImage(1, 120), src, weights, null);
      this.image.putSpatial(8, src);
      this.image.putPerSpatial("strides", 16, 1);
      this.image.putPerSpatial("dilations", 40, 1);
      this.image.putLong(112, 1);
    }

    /**
     * Gives the operand bias [O], which may be left out.
     *
     * @param bias the operand
     * @return this builder
     */
    public Convolution bias(Operand bias) {
      operand(2, bias);
      return this;
    }

    /**
     * How the padding is determined.
     *
     * @param autoPad the value
     * @return this builder
     */
    public Convolution autoPad(AutoPad autoPad) {
      this.image.putInt(12, autoPad.number());
      return this;
    }

    /**
     * Strides.
     *
     * @param strides one number, or one per spatial dim
     * @return this builder
     */
    public Convolution strides(long... strides) {
      this.image.putPerSpatial("strides", 16, strides);
      return this;
    }

    /**
     * Distances between taps.
     *
     * @param dilations one number, or one per spatial dim
     * @return this builder
     */
    public Convolution dilations(long... dilations) {
      this.image.putPerSpatial("dilations", 40, dilations);
      return this;
    }

    /**
     * Padding before and after, per spatial dim.
     *
     * @param pads one number, one per dim, or beginnings and then ends
     * @return this builder
     */
    public Convolution pads(long... pads) {
      this.image.putBothEnds("pads", 64, 88, pads);
      return this;
    }

    /**
     * Padding before, per spatial dim.
     *
     * @param padsBegin one number, or one per spatial dim
     * @return this builder
     */
    public Convolution padsBegin(long... padsBegin) {
      this.image.putPerSpatial("padsBegin", 64, padsBegin);
      return this;
    }

    /**
     * Padding after, per spatial dim.
     *
     * @param padsEnd one number, or one per spatial dim
     * @return this builder
     */
    public Convolution padsEnd(long... padsEnd) {
      this.image.putPerSpatial("padsEnd", 88, padsEnd);
      return this;
    }

    /**
     * Number of groups.
     *
     * @param group the value
     * @return this builder
     */
    public Convolution group(long group) {
      this.image.putLong(112, group);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of conv_transpose. */
  public static final class ConvTranspose extends QuantizingBuilder<ConvTranspose> {
    ConvTranspose(Engine engine, Operand src, Operand weights) {
      super(engine, "conv_transpose", new OperatorImage(2, 216), src, weights, null);
      this.image.putSpatial(8, src);
      this.image.putPerSpatial("strides", 16, 1);
      this.image.putPerSpatial("dilations", 40, 1);
      this.image.putLong(208, 1);
    }

    /**
     * Gives the operand bias [O], which may be left out.
     *
     * @param bias the operand
     * @return this builder
     */
    public ConvTranspose bias(Operand bias) {
      operand(2, bias);
      return this;
    }

    /**
     * How the padding is determined.
     *
     * @param autoPad the value
     * @return this builder
     */
    public ConvTranspose autoPad(AutoPad autoPad) {
      this.image.putInt(12, autoPad.number());
      return this;
    }

    /**
     * Strides.
     *
     * @param strides one number, or one per spatial dim
     * @return this builder
     */
    public ConvTranspose strides(long... strides) {
      this.image.putPerSpatial("strides", 16, strides);
      return this;
    }

    /**
     * Distances between taps.
     *
     * @param dilations one number, or one per spatial dim
     * @return this builder
     */
    public ConvTranspose dilations(long... dilations) {
      this.image.putPerSpatial("dilations", 40, dilations);
      return this;
    }

    /**
     * Cut off before and after, per spatial dim.
     *
     * @param pads one number, one per dim, or beginnings and then ends
     * @return this builder
     */
    public ConvTranspose pads(long... pads) {
      this.image.putBothEnds("pads", 64, 88, pads);
      return this;
    }

    /**
     * Cut off before, per spatial dim.
     *
     * @param padsBegin one number, or one per spatial dim
     * @return this builder
     */
    public ConvTranspose padsBegin(long... padsBegin) {
      this.image.putPerSpatial("padsBegin", 64, padsBegin);
      return this;
    }

    /**
     * Cut off after, per spatial dim.
     *
     * @param padsEnd one number, or one per spatial dim
     * @return this builder
     */
    public ConvTranspose padsEnd(long... padsEnd) {
      this.image.putPerSpatial("padsEnd", 88, padsEnd);
      return this;
    }

    /**
     * Added at the end, per spatial dim.
     *
     * @param outputPadding one number, or one per spatial dim
     * @return this builder
     */
    public ConvTranspose outputPadding(long... outputPadding) {
      this.image.putPerSpatial("outputPadding", 112, outputPadding);
      return this;
    }

    /**
     * Output dims, one per spatial dim; the padding follows from them. None: as the formula says.
     *
     * @param outputShape the numbers
     * @return this builder
     */
    public ConvTranspose outputShape(long... outputShape) {
      this.image.putDims("outputShape", 136, outputShape);
      return this;
    }

    /**
     * Number of groups.
     *
     * @param group the value
     * @return this builder
     */
    public ConvTranspose group(long group) {
      this.image.putLong(208, group);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of matmul. */
  public static final class Matmul extends QuantizingBuilder<Matmul> {
    Matmul(Engine engine, Operand a, Operand b) {
      super(engine, "matmul", new OperatorImage(3, 24), a, b, null);
      this.image.putFloat(16, 1.0f);
      this.image.putFloat(20, 1.0f);
    }

    /**
     * Gives the operand c what broadcasts to the output, which may be left out.
     *
     * @param c the operand
     * @return this builder
     */
    public Matmul c(Operand c) {
      operand(2, c);
      return this;
    }

    /**
     * a is given as [..., K, M].
     *
     * @param transposeA the value
     * @return this builder
     */
    public Matmul transposeA(boolean transposeA) {
      this.image.putFlag(8, transposeA);
      return this;
    }

    /**
     * b is given as [..., N, K].
     *
     * @param transposeB the value
     * @return this builder
     */
    public Matmul transposeB(boolean transposeB) {
      this.image.putFlag(12, transposeB);
      return this;
    }

    /**
     * Factor of the product.
     *
     * @param alpha the value
     * @return this builder
     */
    public Matmul alpha(float alpha) {
      this.image.putFloat(16, alpha);
      return this;
    }

    /**
     * Factor of c.
     *
     * @param beta the value
     * @return this builder
     */
    public Matmul beta(float beta) {
      this.image.putFloat(20, beta);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of pooling. */
  public static final class Pooling extends OperatorBuilder<Pooling> {
    Pooling(Engine engine, Operand src) {
      super(engine, "pooling", new OperatorImage(4, 160), src);
      this.image.putSpatial(12, src);
      this.image.putPerSpatial("window", 24, 1);
      this.image.putPerSpatial("strides", 48, 1);
      this.image.putPerSpatial("dilations", 72, 1);
    }

    /**
     * Which pooling.
     *
     * @param kind the value
     * @return this builder
     */
    public Pooling kind(PoolingKind kind) {
      this.image.putInt(8, kind.number());
      return this;
    }

    /**
     * The window is the whole plane; the fields of windows do not count.
     *
     * @param global the value
     * @return this builder
     */
    public Pooling global(boolean global) {
      this.image.putFlag(16, global);
      return this;
    }

    /**
     * How the padding is determined.
     *
     * @param autoPad the value
     * @return this builder
     */
    public Pooling autoPad(AutoPad autoPad) {
      this.image.putInt(20, autoPad.number());
      return this;
    }

    /**
     * Dims of the window.
     *
     * @param window one number, or one per spatial dim
     * @return this builder
     */
    public Pooling window(long... window) {
      this.image.putPerSpatial("window", 24, window);
      return this;
    }

    /**
     * Strides.
     *
     * @param strides one number, or one per spatial dim
     * @return this builder
     */
    public Pooling strides(long... strides) {
      this.image.putPerSpatial("strides", 48, strides);
      return this;
    }

    /**
     * Distances between taps.
     *
     * @param dilations one number, or one per spatial dim
     * @return this builder
     */
    public Pooling dilations(long... dilations) {
      this.image.putPerSpatial("dilations", 72, dilations);
      return this;
    }

    /**
     * Padding before and after, per spatial dim.
     *
     * @param pads one number, one per dim, or beginnings and then ends
     * @return this builder
     */
    public Pooling pads(long... pads) {
      this.image.putBothEnds("pads", 96, 120, pads);
      return this;
    }

    /**
     * Padding before, per spatial dim.
     *
     * @param padsBegin one number, or one per spatial dim
     * @return this builder
     */
    public Pooling padsBegin(long... padsBegin) {
      this.image.putPerSpatial("padsBegin", 96, padsBegin);
      return this;
    }

    /**
     * Padding after, per spatial dim.
     *
     * @param padsEnd one number, or one per spatial dim
     * @return this builder
     */
    public Pooling padsEnd(long... padsEnd) {
      this.image.putPerSpatial("padsEnd", 120, padsEnd);
      return this;
    }

    /**
     * Output dims round up.
     *
     * @param ceilMode the value
     * @return this builder
     */
    public Pooling ceilMode(boolean ceilMode) {
      this.image.putFlag(144, ceilMode);
      return this;
    }

    /**
     * An average counts padded positions.
     *
     * @param countIncludePad the value
     * @return this builder
     */
    public Pooling countIncludePad(boolean countIncludePad) {
      this.image.putFlag(148, countIncludePad);
      return this;
    }

    /**
     * Of a maximum: the second output is made, the winners' positions in their plane.
     *
     * @param indices the value
     * @return this builder
     */
    public Pooling indices(boolean indices) {
      this.image.putFlag(152, indices);
      return this;
    }

    /**
     * Positions are counted with the last dim outermost (ONNX: storage_order = 1).
     *
     * @param columnMajorIndices the value
     * @return this builder
     */
    public Pooling columnMajorIndices(boolean columnMajorIndices) {
      this.image.putFlag(156, columnMajorIndices);
      return this;
    }

    @Override
    int outputs() {
      return this.image.flag(152) ? 2 : 1;
    }
  }

  /** Builds a primitive of unary. */
  public static final class Unary extends OperatorBuilder<Unary> {
    Unary(Engine engine, Operand x, UnaryFunction function) {
      super(engine, "unary", new OperatorImage(5, 24), x);
      this.image.putInt(8, function.number());
    }

    /**
     * Its first parameter, for functions whose text names alpha.
     *
     * @param alpha the value
     * @return this builder
     */
    public Unary alpha(float alpha) {
      this.image.putFloat(12, alpha);
      return this;
    }

    /**
     * Its second parameter, for functions whose text names beta.
     *
     * @param beta the value
     * @return this builder
     */
    public Unary beta(float beta) {
      this.image.putFloat(16, beta);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of binary. */
  public static final class Binary extends OperatorBuilder<Binary> {
    Binary(Engine engine, Operand a, Operand b, BinaryFunction function) {
      super(engine, "binary", new OperatorImage(6, 16), a, b);
      this.image.putInt(8, function.number());
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of reduce. */
  public static final class Reduce extends OperatorBuilder<Reduce> {
    Reduce(Engine engine, Operand x, ReduceKind kind) {
      super(engine, "reduce", new OperatorImage(7, 88), x);
      this.image.putInt(12, 1);
      this.image.putInt(8, kind.number());
    }

    /**
     * Reduced axes stay as dims of 1.
     *
     * @param keepdims the value
     * @return this builder
     */
    public Reduce keepdims(boolean keepdims) {
      this.image.putFlag(12, keepdims);
      return this;
    }

    /**
     * Axes, negative ones counted from the end. None: all of them.
     *
     * @param axes the numbers
     * @return this builder
     */
    public Reduce axes(long... axes) {
      this.image.putDims("axes", 16, axes);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of softmax. */
  public static final class Softmax extends OperatorBuilder<Softmax> {
    Softmax(Engine engine, Operand x) {
      super(engine, "softmax", new OperatorImage(8, 24), x);
      this.image.putLong(8, -1);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public Softmax axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * Log-softmax.
     *
     * @param log the value
     * @return this builder
     */
    public Softmax log(boolean log) {
      this.image.putFlag(16, log);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of layer_norm. */
  public static final class LayerNorm extends OperatorBuilder<LayerNorm> {
    LayerNorm(Engine engine, Operand x) {
      super(engine, "layer_norm", new OperatorImage(9, 24), x, null, null);
      this.image.putLong(8, -1);
      this.image.putFloat(16, 1e-05f);
    }

    /**
     * Gives the operand scale x's from the axis on, which may be left out.
     *
     * @param scale the operand
     * @return this builder
     */
    public LayerNorm scale(Operand scale) {
      operand(1, scale);
      return this;
    }

    /**
     * Gives the operand bias x's from the axis on, which may be left out.
     *
     * @param bias the operand
     * @return this builder
     */
    public LayerNorm bias(Operand bias) {
      operand(2, bias);
      return this;
    }

    /**
     * First axis of those normalised together; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public LayerNorm axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * Added to the variance.
     *
     * @param epsilon the value
     * @return this builder
     */
    public LayerNorm epsilon(float epsilon) {
      this.image.putFloat(16, epsilon);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of resize. */
  public static final class Resize extends OperatorBuilder<Resize> {
    Resize(Engine engine, Operand x) {
      super(engine, "resize", new OperatorImage(10, 472), x);
      this.image.putFloat(20, -0.75f);
    }

    /**
     * Interpolation.
     *
     * @param mode the value
     * @return this builder
     */
    public Resize mode(ResizeMode mode) {
      this.image.putInt(8, mode.number());
      return this;
    }

    /**
     * How positions map.
     *
     * @param coordinates the value
     * @return this builder
     */
    public Resize coordinates(ResizeCoordinates coordinates) {
      this.image.putInt(12, coordinates.number());
      return this;
    }

    /**
     * Rounding of the nearest mode.
     *
     * @param nearest the value
     * @return this builder
     */
    public Resize nearest(ResizeNearest nearest) {
      this.image.putInt(16, nearest.number());
      return this;
    }

    /**
     * Coefficient of the cubic mode.
     *
     * @param cubicCoeffA the value
     * @return this builder
     */
    public Resize cubicCoeffA(float cubicCoeffA) {
      this.image.putFloat(20, cubicCoeffA);
      return this;
    }

    /**
     * What becomes of the ratio of sides, with sizes.
     *
     * @param policy the value
     * @return this builder
     */
    public Resize policy(ResizePolicy policy) {
      this.image.putInt(24, policy.number());
      return this;
    }

    /**
     * Result outside the input, for tf_crop_and_resize.
     *
     * @param extrapolationValue the value
     * @return this builder
     */
    public Resize extrapolationValue(float extrapolationValue) {
      this.image.putFloat(28, extrapolationValue);
      return this;
    }

    /**
     * Taps outside the input get no weight.
     *
     * @param excludeOutside the value
     * @return this builder
     */
    public Resize excludeOutside(boolean excludeOutside) {
      this.image.putFlag(32, excludeOutside);
      return this;
    }

    /**
     * Linear and cubic: axes that shrink are read through a filter as much wider.
     *
     * @param antialias the value
     * @return this builder
     */
    public Resize antialias(boolean antialias) {
      this.image.putFlag(36, antialias);
      return this;
    }

    /**
     * The axes that scales, sizes and roi are about, from 0. None: all, in order.
     *
     * @param axes the numbers
     * @return this builder
     */
    public Resize axes(long... axes) {
      this.image.putDims("axes", 40, axes);
      return this;
    }

    /**
     * Output dims.
     *
     * @param sizes the numbers
     * @return this builder
     */
    public Resize sizes(long... sizes) {
      this.image.putDims("sizes", 112, sizes);
      return this;
    }

    /**
     * Output dims over input dims.
     *
     * @param scales the numbers
     * @return this builder
     */
    public Resize scales(float... scales) {
      this.image.putReals("scales", 184, scales);
      return this;
    }

    /**
     * For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis.
     *
     * @param roi the numbers
     * @return this builder
     */
    public Resize roi(float... roi) {
      this.image.putReals("roi", 256, roi);
      return this;
    }

    /**
     * With sizes: scales that a node computes, as the bits of binary32 numbers; they map positions, and sizes are
     * the output's dims.
     *
     * @param scaleBits the numbers
     * @return this builder
     */
    public Resize scaleBits(long... scaleBits) {
      this.image.putDims("scaleBits", 328, scaleBits);
      return this;
    }

    /**
     * In place of roi: what a node computes, as the bits of binary32 numbers.
     *
     * @param roiBits the numbers
     * @return this builder
     */
    public Resize roiBits(long... roiBits) {
      this.image.putDims("roiBits", 400, roiBits);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of transpose. */
  public static final class Transpose extends OperatorBuilder<Transpose> {
    Transpose(Engine engine, Operand x, long... perm) {
      super(engine, "transpose", new OperatorImage(11, 80), x);
      this.image.putDims("perm", 8, perm);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of cast. */
  public static final class Cast extends OperatorBuilder<Cast> {
    Cast(Engine engine, Operand x, DType to) {
      super(engine, "cast", new OperatorImage(12, 24), x);
      this.image.putInt(8, 1);
      this.image.putInt(8, to.number());
    }

    /**
     * To f8: beyond the range lies infinity, or NaN where the dtype has none.
     *
     * @param overflows the value
     * @return this builder
     */
    public Cast overflows(boolean overflows) {
      this.image.putFlag(12, overflows);
      return this;
    }

    /**
     * To f8e8m0: which power of two.
     *
     * @param rounding the value
     * @return this builder
     */
    public Cast rounding(PowerRounding rounding) {
      this.image.putInt(16, rounding.number());
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of concat. */
  public static final class Concat extends OperatorBuilder<Concat> {
    Concat(Engine engine, Operand... inputs) {
      super(engine, "concat", new OperatorImage(13, 16), inputs);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public Concat axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of where. */
  public static final class Where extends OperatorBuilder<Where> {
    Where(Engine engine, Operand condition, Operand a, Operand b) {
      super(engine, "where", new OperatorImage(14, 8), condition, a, b);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of arg_reduce. */
  public static final class ArgReduce extends OperatorBuilder<ArgReduce> {
    ArgReduce(Engine engine, Operand x) {
      super(engine, "arg_reduce", new OperatorImage(15, 32), x);
      this.image.putInt(12, 1);
    }

    /**
     * The largest or the smallest.
     *
     * @param kind the value
     * @return this builder
     */
    public ArgReduce kind(ArgReduceKind kind) {
      this.image.putInt(8, kind.number());
      return this;
    }

    /**
     * The axis stays as a dim of 1.
     *
     * @param keepdims the value
     * @return this builder
     */
    public ArgReduce keepdims(boolean keepdims) {
      this.image.putFlag(12, keepdims);
      return this;
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public ArgReduce axis(long axis) {
      this.image.putLong(16, axis);
      return this;
    }

    /**
     * Among equal elements the last is meant, else the first.
     *
     * @param selectLast the value
     * @return this builder
     */
    public ArgReduce selectLast(boolean selectLast) {
      this.image.putFlag(24, selectLast);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of cumsum. */
  public static final class Cumsum extends OperatorBuilder<Cumsum> {
    Cumsum(Engine engine, Operand x, Operand axis) {
      super(engine, "cumsum", new OperatorImage(16, 24), x, axis);
    }

    /**
     * A sum leaves its own element out.
     *
     * @param exclusive the value
     * @return this builder
     */
    public Cumsum exclusive(boolean exclusive) {
      this.image.putFlag(8, exclusive);
      return this;
    }

    /**
     * Sums begin at the end.
     *
     * @param reverse the value
     * @return this builder
     */
    public Cumsum reverse(boolean reverse) {
      this.image.putFlag(12, reverse);
      return this;
    }

    /**
     * Products in place of sums.
     *
     * @param product the value
     * @return this builder
     */
    public Cumsum product(boolean product) {
      this.image.putFlag(16, product);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of reshape. */
  public static final class Reshape extends OperatorBuilder<Reshape> {
    Reshape(Engine engine, Operand x) {
      super(engine, "reshape", new OperatorImage(17, 80), x);
    }

    /**
     * The dims; as many elements as x has.
     *
     * @param dims the numbers
     * @return this builder
     */
    public Reshape dims(long... dims) {
      this.image.putDims("dims", 8, dims);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of expand. */
  public static final class Expand extends OperatorBuilder<Expand> {
    Expand(Engine engine, Operand x) {
      super(engine, "expand", new OperatorImage(18, 80), x);
    }

    /**
     * The dims to broadcast with.
     *
     * @param dims the numbers
     * @return this builder
     */
    public Expand dims(long... dims) {
      this.image.putDims("dims", 8, dims);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of slice. */
  public static final class Slice extends OperatorBuilder<Slice> {
    Slice(Engine engine, Operand x) {
      super(engine, "slice", new OperatorImage(19, 224), x);
    }

    /**
     * First index, one per axis of x.
     *
     * @param starts the numbers
     * @return this builder
     */
    public Slice starts(long... starts) {
      this.image.putDims("starts", 8, starts);
      return this;
    }

    /**
     * Steps, not 0, one per axis of x. None: 1 everywhere.
     *
     * @param steps the numbers
     * @return this builder
     */
    public Slice steps(long... steps) {
      this.image.putDims("steps", 80, steps);
      return this;
    }

    /**
     * How many elements are taken, one per axis of x.
     *
     * @param lengths the numbers
     * @return this builder
     */
    public Slice lengths(long... lengths) {
      this.image.putDims("lengths", 152, lengths);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of pad. */
  public static final class Pad extends OperatorBuilder<Pad> {
    Pad(Engine engine, Operand x) {
      super(engine, "pad", new OperatorImage(20, 160), x, null);
    }

    /**
     * Gives the operand value one element, which may be left out.
     *
     * @param value the operand
     * @return this builder
     */
    public Pad value(Operand value) {
      operand(1, value);
      return this;
    }

    /**
     * What is put where elements are added.
     *
     * @param mode the value
     * @return this builder
     */
    public Pad mode(PadMode mode) {
      this.image.putInt(8, mode.number());
      return this;
    }

    /**
     * Counts before, one per axis of x.
     *
     * @param before the numbers
     * @return this builder
     */
    public Pad before(long... before) {
      this.image.putDims("before", 16, before);
      return this;
    }

    /**
     * Counts after, one per axis of x.
     *
     * @param after the numbers
     * @return this builder
     */
    public Pad after(long... after) {
      this.image.putDims("after", 88, after);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of tile. */
  public static final class Tile extends OperatorBuilder<Tile> {
    Tile(Engine engine, Operand x) {
      super(engine, "tile", new OperatorImage(21, 80), x);
    }

    /**
     * How often, one per axis of x.
     *
     * @param repeats the numbers
     * @return this builder
     */
    public Tile repeats(long... repeats) {
      this.image.putDims("repeats", 8, repeats);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of depth_to_space. */
  public static final class DepthToSpace extends OperatorBuilder<DepthToSpace> {
    DepthToSpace(Engine engine, Operand x) {
      super(engine, "depth_to_space", new OperatorImage(22, 24), x);
      this.image.putLong(8, 1);
    }

    /**
     * Side of a square.
     *
     * @param block the value
     * @return this builder
     */
    public DepthToSpace block(long block) {
      this.image.putLong(8, block);
      return this;
    }

    /**
     * What the channels are made of.
     *
     * @param order the value
     * @return this builder
     */
    public DepthToSpace order(DepthToSpaceOrder order) {
      this.image.putInt(16, order.number());
      return this;
    }

    /**
     * Squares become channels (depth first only).
     *
     * @param inverse the value
     * @return this builder
     */
    public DepthToSpace inverse(boolean inverse) {
      this.image.putFlag(20, inverse);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of range. */
  public static final class Range extends OperatorBuilder<Range> {
    Range(Engine engine) {
      super(engine, "range", new OperatorImage(23, 56));
      this.image.putInt(8, 11);
      this.image.putLong(24, 1);
    }

    /**
     * The dtype: numbers, not f16 or bf16; with `real` f32 or f64.
     *
     * @param dtype the value
     * @return this builder
     */
    public Range dtype(DType dtype) {
      this.image.putInt(8, dtype.number());
      return this;
    }

    /**
     * Start and delta are realStart and realDelta.
     *
     * @param real the value
     * @return this builder
     */
    public Range real(boolean real) {
      this.image.putFlag(12, real);
      return this;
    }

    /**
     * The first element.
     *
     * @param start the value
     * @return this builder
     */
    public Range start(long start) {
      this.image.putLong(16, start);
      return this;
    }

    /**
     * From one element to the next.
     *
     * @param delta the value
     * @return this builder
     */
    public Range delta(long delta) {
      this.image.putLong(24, delta);
      return this;
    }

    /**
     * How many elements.
     *
     * @param count the value
     * @return this builder
     */
    public Range count(long count) {
      this.image.putLong(32, count);
      return this;
    }

    /**
     * The first element.
     *
     * @param realStart the value
     * @return this builder
     */
    public Range realStart(double realStart) {
      this.image.putDouble(40, realStart);
      return this;
    }

    /**
     * From one element to the next.
     *
     * @param realDelta the value
     * @return this builder
     */
    public Range realDelta(double realDelta) {
      this.image.putDouble(48, realDelta);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of shape_tensor. */
  public static final class ShapeTensor extends OperatorBuilder<ShapeTensor> {
    ShapeTensor(Engine engine) {
      super(engine, "shape_tensor", new OperatorImage(24, 32));
      this.image.putInt(8, 11);
    }

    /**
     * The dtype.
     *
     * @param dtype the value
     * @return this builder
     */
    public ShapeTensor dtype(DType dtype) {
      this.image.putInt(8, dtype.number());
      return this;
    }

    /**
     * The one value is a scalar.
     *
     * @param scalar the value
     * @return this builder
     */
    public ShapeTensor scalar(boolean scalar) {
      this.image.putFlag(12, scalar);
      return this;
    }

    /**
     * The elements.
     *
     * @param values the numbers
     * @return this builder
     */
    public ShapeTensor values(long... values) {
      this.image.putList(16, values);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of gather. */
  public static final class Gather extends OperatorBuilder<Gather> {
    Gather(Engine engine, Operand data, Operand indices) {
      super(engine, "gather", new OperatorImage(25, 16), data, indices);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public Gather axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of gather_elements. */
  public static final class GatherElements extends OperatorBuilder<GatherElements> {
    GatherElements(Engine engine, Operand data, Operand indices) {
      super(engine, "gather_elements", new OperatorImage(26, 16), data, indices);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public GatherElements axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of gather_nd. */
  public static final class GatherNd extends OperatorBuilder<GatherNd> {
    GatherNd(Engine engine, Operand data, Operand indices) {
      super(engine, "gather_nd", new OperatorImage(27, 16), data, indices);
    }

    /**
     * How many axes go together.
     *
     * @param batchDims the value
     * @return this builder
     */
    public GatherNd batchDims(long batchDims) {
      this.image.putLong(8, batchDims);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of scatter_elements. */
  public static final class ScatterElements extends OperatorBuilder<ScatterElements> {
    ScatterElements(Engine engine, Operand data, Operand indices, Operand updates) {
      super(engine, "scatter_elements", new OperatorImage(28, 24), data, indices, updates);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public ScatterElements axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * How an update combines with the present value.
     *
     * @param reduction the value
     * @return this builder
     */
    public ScatterElements reduction(ScatterReduction reduction) {
      this.image.putInt(16, reduction.number());
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of scatter_nd. */
  public static final class ScatterNd extends OperatorBuilder<ScatterNd> {
    ScatterNd(Engine engine, Operand data, Operand indices, Operand updates) {
      super(engine, "scatter_nd", new OperatorImage(29, 16), data, indices, updates);
    }

    /**
     * How an update combines with the present value.
     *
     * @param reduction the value
     * @return this builder
     */
    public ScatterNd reduction(ScatterReduction reduction) {
      this.image.putInt(8, reduction.number());
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of topk. */
  public static final class Topk extends OperatorBuilder<Topk> {
    Topk(Engine engine, Operand x) {
      super(engine, "topk", new OperatorImage(30, 32), x);
      this.image.putLong(16, 1);
      this.image.putInt(24, 1);
      this.image.putInt(28, 1);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public Topk axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * How many, at most the size of the axis.
     *
     * @param k the value
     * @return this builder
     */
    public Topk k(long k) {
      this.image.putLong(16, k);
      return this;
    }

    /**
     * The largest, else the smallest.
     *
     * @param largest the value
     * @return this builder
     */
    public Topk largest(boolean largest) {
      this.image.putFlag(24, largest);
      return this;
    }

    /**
     * They come sorted. Without it any order would do; they are sorted all the same.
     *
     * @param sorted the value
     * @return this builder
     */
    public Topk sorted(boolean sorted) {
      this.image.putFlag(28, sorted);
      return this;
    }

    @Override
    int outputs() {
      return 2;
    }
  }

  /** Builds a primitive of trilu. */
  public static final class Trilu extends OperatorBuilder<Trilu> {
    Trilu(Engine engine, Operand x) {
      super(engine, "trilu", new OperatorImage(31, 24), x);
      this.image.putInt(8, 1);
    }

    /**
     * The upper triangle, else the lower.
     *
     * @param upper the value
     * @return this builder
     */
    public Trilu upper(boolean upper) {
      this.image.putFlag(8, upper);
      return this;
    }

    /**
     * Where the diagonal lies: above 0 it is moved up, below 0 down.
     *
     * @param k the value
     * @return this builder
     */
    public Trilu k(long k) {
      this.image.putLong(16, k);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of eye_like. */
  public static final class EyeLike extends OperatorBuilder<EyeLike> {
    EyeLike(Engine engine, Operand x) {
      super(engine, "eye_like", new OperatorImage(32, 24), x);
    }

    /**
     * The dtype; 0 is that of x.
     *
     * @param dtype the value
     * @return this builder
     */
    public EyeLike dtype(DType dtype) {
      this.image.putInt(8, dtype.number());
      return this;
    }

    /**
     * Which diagonal: above 0 upper ones, below 0 lower ones.
     *
     * @param k the value
     * @return this builder
     */
    public EyeLike k(long k) {
      this.image.putLong(16, k);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of one_hot. */
  public static final class OneHot extends OperatorBuilder<OneHot> {
    OneHot(Engine engine, Operand indices, Operand values, long depth) {
      super(engine, "one_hot", new OperatorImage(33, 24), indices, values);
      this.image.putLong(16, depth);
    }

    /**
     * Which axis of the output is new; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public OneHot axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of grid_sample. */
  public static final class GridSample extends OperatorBuilder<GridSample> {
    GridSample(Engine engine, Operand x, Operand grid) {
      super(engine, "grid_sample", new OperatorImage(34, 24), x, grid);
      this.image.putInt(8, 1);
    }

    /**
     * Interpolation.
     *
     * @param mode the value
     * @return this builder
     */
    public GridSample mode(GridSampleMode mode) {
      this.image.putInt(8, mode.number());
      return this;
    }

    /**
     * What is read outside the input.
     *
     * @param padding the value
     * @return this builder
     */
    public GridSample padding(GridSamplePadding padding) {
      this.image.putInt(12, padding.number());
      return this;
    }

    /**
     * -1 and 1 are the centres of the outermost elements, else their outer edges.
     *
     * @param alignCorners the value
     * @return this builder
     */
    public GridSample alignCorners(boolean alignCorners) {
      this.image.putFlag(16, alignCorners);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of count_non_zero. */
  public static final class CountNonZero extends OperatorBuilder<CountNonZero> {
    CountNonZero(Engine engine, Operand x) {
      super(engine, "count_non_zero", new OperatorImage(35, 8), x);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of non_zero. */
  public static final class NonZero extends OperatorBuilder<NonZero> {
    NonZero(Engine engine, Operand x, long count) {
      super(engine, "non_zero", new OperatorImage(36, 16), x);
      this.image.putLong(8, count);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of unique. */
  public static final class Unique extends OperatorBuilder<Unique> {
    Unique(Engine engine, Operand x) {
      super(engine, "unique", new OperatorImage(37, 24), x);
      this.image.putInt(16, 1);
    }

    /**
     * The axis; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public Unique axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * Distinct slices come in increasing order, else in that of their first places.
     *
     * @param sorted the value
     * @return this builder
     */
    public Unique sorted(boolean sorted) {
      this.image.putFlag(16, sorted);
      return this;
    }

    @Override
    int outputs() {
      return 4;
    }
  }

  /** Builds a primitive of recurrent. */
  public static final class Recurrent extends OperatorBuilder<Recurrent> {
    Recurrent(Engine engine, Operand x, Operand inputWeights, Operand recurrentWeights, RecurrentCell cell) {
      super(engine, "recurrent", new OperatorImage(38, 72), x, inputWeights, recurrentWeights, null, null, null, null, null, null, null, null, null);
      this.image.putInt(16, 6);
      this.image.putInt(28, 8);
      this.image.putInt(40, 8);
      this.image.putInt(8, cell.number());
    }

    /**
     * Gives the operand bias [directions, 2 * gates * hidden], which may be left out.
     *
     * @param bias the operand
     * @return this builder
     */
    public Recurrent bias(Operand bias) {
      operand(3, bias);
      return this;
    }

    /**
     * Gives the operand lengths [batch], which may be left out.
     *
     * @param lengths the operand
     * @return this builder
     */
    public Recurrent lengths(Operand lengths) {
      operand(4, lengths);
      return this;
    }

    /**
     * Gives the operand initialHidden [directions, batch, hidden], which may be left out.
     *
     * @param initialHidden the operand
     * @return this builder
     */
    public Recurrent initialHidden(Operand initialHidden) {
      operand(5, initialHidden);
      return this;
    }

    /**
     * Gives the operand initialCell [directions, batch, hidden], which may be left out.
     *
     * @param initialCell the operand
     * @return this builder
     */
    public Recurrent initialCell(Operand initialCell) {
      operand(6, initialCell);
      return this;
    }

    /**
     * Gives the operand peepholes [directions, 3 * hidden], which may be left out.
     *
     * @param peepholes the operand
     * @return this builder
     */
    public Recurrent peepholes(Operand peepholes) {
      operand(7, peepholes);
      return this;
    }

    /**
     * Gives the operand inputScales [directions, gates * hidden], which may be left out.
     *
     * @param inputScales the operand
     * @return this builder
     */
    public Recurrent inputScales(Operand inputScales) {
      operand(8, inputScales);
      return this;
    }

    /**
     * Gives the operand inputZeroPoints [directions, gates * hidden], which may be left out.
     *
     * @param inputZeroPoints the operand
     * @return this builder
     */
    public Recurrent inputZeroPoints(Operand inputZeroPoints) {
      operand(9, inputZeroPoints);
      return this;
    }

    /**
     * Gives the operand recurrentScales [directions, gates * hidden], which may be left out.
     *
     * @param recurrentScales the operand
     * @return this builder
     */
    public Recurrent recurrentScales(Operand recurrentScales) {
      operand(10, recurrentScales);
      return this;
    }

    /**
     * Gives the operand recurrentZeroPoints [directions, gates * hidden], which may be left out.
     *
     * @param recurrentZeroPoints the operand
     * @return this builder
     */
    public Recurrent recurrentZeroPoints(Operand recurrentZeroPoints) {
      operand(11, recurrentZeroPoints);
      return this;
    }

    /**
     * Which way the steps are taken.
     *
     * @param direction the value
     * @return this builder
     */
    public Recurrent direction(RecurrentDirection direction) {
      this.image.putInt(12, direction.number());
      return this;
    }

    /**
     * The function of the gates of lstm and gru.
     *
     * @param gates the value
     * @return this builder
     */
    public Recurrent gates(UnaryFunction gates) {
      this.image.putInt(16, gates.number());
      return this;
    }

    /**
     * Its first parameter, for functions whose text names alpha.
     *
     * @param gatesAlpha the value
     * @return this builder
     */
    public Recurrent gatesAlpha(float gatesAlpha) {
      this.image.putFloat(20, gatesAlpha);
      return this;
    }

    /**
     * Its second parameter, for functions whose text names beta.
     *
     * @param gatesBeta the value
     * @return this builder
     */
    public Recurrent gatesBeta(float gatesBeta) {
      this.image.putFloat(24, gatesBeta);
      return this;
    }

    /**
     * The function of the candidate state; the only one of rnn.
     *
     * @param candidate the value
     * @return this builder
     */
    public Recurrent candidate(UnaryFunction candidate) {
      this.image.putInt(28, candidate.number());
      return this;
    }

    /**
     * Its first parameter, for functions whose text names alpha.
     *
     * @param candidateAlpha the value
     * @return this builder
     */
    public Recurrent candidateAlpha(float candidateAlpha) {
      this.image.putFloat(32, candidateAlpha);
      return this;
    }

    /**
     * Its second parameter, for functions whose text names beta.
     *
     * @param candidateBeta the value
     * @return this builder
     */
    public Recurrent candidateBeta(float candidateBeta) {
      this.image.putFloat(36, candidateBeta);
      return this;
    }

    /**
     * The function of lstm's cell state, before the output gate.
     *
     * @param output the value
     * @return this builder
     */
    public Recurrent output(UnaryFunction output) {
      this.image.putInt(40, output.number());
      return this;
    }

    /**
     * Its first parameter, for functions whose text names alpha.
     *
     * @param outputAlpha the value
     * @return this builder
     */
    public Recurrent outputAlpha(float outputAlpha) {
      this.image.putFloat(44, outputAlpha);
      return this;
    }

    /**
     * Its second parameter, for functions whose text names beta.
     *
     * @param outputBeta the value
     * @return this builder
     */
    public Recurrent outputBeta(float outputBeta) {
      this.image.putFloat(48, outputBeta);
      return this;
    }

    /**
     * What the functions of gates and candidate are applied to is clipped to [-clip, clip]. 0: it is not.
     *
     * @param clip the value
     * @return this builder
     */
    public Recurrent clip(float clip) {
      this.image.putFloat(52, clip);
      return this;
    }

    /**
     * gru: the reset gate is applied to the product with the state and not to the state.
     *
     * @param linearBeforeReset the value
     * @return this builder
     */
    public Recurrent linearBeforeReset(boolean linearBeforeReset) {
      this.image.putFlag(56, linearBeforeReset);
      return this;
    }

    /**
     * lstm: the forget gate is 1 - the input gate.
     *
     * @param inputForget the value
     * @return this builder
     */
    public Recurrent inputForget(boolean inputForget) {
      this.image.putFlag(60, inputForget);
      return this;
    }

    /**
     * lstm: the last cell state is an output, too.
     *
     * @param cellState the value
     * @return this builder
     */
    public Recurrent cellState(boolean cellState) {
      this.image.putFlag(64, cellState);
      return this;
    }

    @Override
    int outputs() {
      return this.image.flag(64) ? 3 : 2;
    }
  }

  /** Builds a primitive of fold. */
  public static final class Fold extends OperatorBuilder<Fold> {
    Fold(Engine engine, Operand columns, long[] image, long... window) {
      super(engine, "fold", new OperatorImage(39, 256), columns);
      this.image.putSpatial(8, columns);
      this.image.putPerSpatial("strides", 160, 1);
      this.image.putPerSpatial("dilations", 184, 1);
      this.image.putDims("image", 16, image);
      this.image.putDims("window", 88, window);
    }

    /**
     * Strides.
     *
     * @param strides one number, or one per spatial dim
     * @return this builder
     */
    public Fold strides(long... strides) {
      this.image.putPerSpatial("strides", 160, strides);
      return this;
    }

    /**
     * Distances between taps.
     *
     * @param dilations one number, or one per spatial dim
     * @return this builder
     */
    public Fold dilations(long... dilations) {
      this.image.putPerSpatial("dilations", 184, dilations);
      return this;
    }

    /**
     * Padding before and after, per spatial dim.
     *
     * @param pads one number, one per dim, or beginnings and then ends
     * @return this builder
     */
    public Fold pads(long... pads) {
      this.image.putBothEnds("pads", 208, 232, pads);
      return this;
    }

    /**
     * Padding before, per spatial dim.
     *
     * @param padsBegin one number, or one per spatial dim
     * @return this builder
     */
    public Fold padsBegin(long... padsBegin) {
      this.image.putPerSpatial("padsBegin", 208, padsBegin);
      return this;
    }

    /**
     * Padding after, per spatial dim.
     *
     * @param padsEnd one number, or one per spatial dim
     * @return this builder
     */
    public Fold padsEnd(long... padsEnd) {
      this.image.putPerSpatial("padsEnd", 232, padsEnd);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of deform_columns. */
  public static final class DeformColumns extends OperatorBuilder<DeformColumns> {
    DeformColumns(Engine engine, Operand x, Operand offset) {
      super(engine, "deform_columns", new OperatorImage(40, 144), x, offset, null);
      this.image.putSpatial(8, x);
      this.image.putPerSpatial("window", 16, 1);
      this.image.putPerSpatial("strides", 40, 1);
      this.image.putPerSpatial("dilations", 64, 1);
      this.image.putLong(136, 1);
    }

    /**
     * Gives the operand mask [N, groups * KH * KW, OH, OW], which may be left out.
     *
     * @param mask the operand
     * @return this builder
     */
    public DeformColumns mask(Operand mask) {
      operand(2, mask);
      return this;
    }

    /**
     * KH and KW.
     *
     * @param window one number, or one per spatial dim
     * @return this builder
     */
    public DeformColumns window(long... window) {
      this.image.putPerSpatial("window", 16, window);
      return this;
    }

    /**
     * Strides.
     *
     * @param strides one number, or one per spatial dim
     * @return this builder
     */
    public DeformColumns strides(long... strides) {
      this.image.putPerSpatial("strides", 40, strides);
      return this;
    }

    /**
     * Distances between taps.
     *
     * @param dilations one number, or one per spatial dim
     * @return this builder
     */
    public DeformColumns dilations(long... dilations) {
      this.image.putPerSpatial("dilations", 64, dilations);
      return this;
    }

    /**
     * Padding before and after, per spatial dim.
     *
     * @param pads one number, one per dim, or beginnings and then ends
     * @return this builder
     */
    public DeformColumns pads(long... pads) {
      this.image.putBothEnds("pads", 88, 112, pads);
      return this;
    }

    /**
     * Padding before, per spatial dim.
     *
     * @param padsBegin one number, or one per spatial dim
     * @return this builder
     */
    public DeformColumns padsBegin(long... padsBegin) {
      this.image.putPerSpatial("padsBegin", 88, padsBegin);
      return this;
    }

    /**
     * Padding after, per spatial dim.
     *
     * @param padsEnd one number, or one per spatial dim
     * @return this builder
     */
    public DeformColumns padsEnd(long... padsEnd) {
      this.image.putPerSpatial("padsEnd", 112, padsEnd);
      return this;
    }

    /**
     * Channels are cut into so many groups, each with offsets of its own.
     *
     * @param groups the value
     * @return this builder
     */
    public DeformColumns groups(long groups) {
      this.image.putLong(136, groups);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of roi_align. */
  public static final class RoiAlign extends OperatorBuilder<RoiAlign> {
    RoiAlign(Engine engine, Operand x, Operand rois, Operand batch) {
      super(engine, "roi_align", new OperatorImage(41, 48), x, rois, batch);
      this.image.putLong(16, 1);
      this.image.putLong(24, 1);
      this.image.putFloat(40, 1.0f);
    }

    /**
     * What a bin becomes.
     *
     * @param mode the value
     * @return this builder
     */
    public RoiAlign mode(RoiMode mode) {
      this.image.putInt(8, mode.number());
      return this;
    }

    /**
     * Coordinates mean edges of elements, else centres. A region is at least 1 high and wide without it.
     *
     * @param halfPixel the value
     * @return this builder
     */
    public RoiAlign halfPixel(boolean halfPixel) {
      this.image.putFlag(12, halfPixel);
      return this;
    }

    /**
     * Bins from top to bottom.
     *
     * @param height the value
     * @return this builder
     */
    public RoiAlign height(long height) {
      this.image.putLong(16, height);
      return this;
    }

    /**
     * Bins from left to right.
     *
     * @param width the value
     * @return this builder
     */
    public RoiAlign width(long width) {
      this.image.putLong(24, width);
      return this;
    }

    /**
     * Samples of a bin along each side; 0: as many as elements it is long, rounded up.
     *
     * @param samples the value
     * @return this builder
     */
    public RoiAlign samples(long samples) {
      this.image.putLong(32, samples);
      return this;
    }

    /**
     * Factor of the coordinates.
     *
     * @param scale the value
     * @return this builder
     */
    public RoiAlign scale(float scale) {
      this.image.putFloat(40, scale);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of non_max_suppression. */
  public static final class NonMaxSuppression extends OperatorBuilder<NonMaxSuppression> {
    NonMaxSuppression(Engine engine, Operand boxes, Operand scores, Operand mostBoxes, long most) {
      super(engine, "non_max_suppression", new OperatorImage(42, 24), boxes, scores, mostBoxes, null, null);
      this.image.putLong(8, most);
    }

    /**
     * Gives the operand iouThreshold one element, which may be left out.
     *
     * @param iouThreshold the operand
     * @return this builder
     */
    public NonMaxSuppression iouThreshold(Operand iouThreshold) {
      operand(3, iouThreshold);
      return this;
    }

    /**
     * Gives the operand scoreThreshold one element, which may be left out.
     *
     * @param scoreThreshold the operand
     * @return this builder
     */
    public NonMaxSuppression scoreThreshold(Operand scoreThreshold) {
      operand(4, scoreThreshold);
      return this;
    }

    /**
     * Boxes are given as centre and size.
     *
     * @param centerPoint the value
     * @return this builder
     */
    public NonMaxSuppression centerPoint(boolean centerPoint) {
      this.image.putFlag(16, centerPoint);
      return this;
    }

    @Override
    int outputs() {
      return 2;
    }
  }

  /** Builds a primitive of dft. */
  public static final class Dft extends OperatorBuilder<Dft> {
    Dft(Engine engine, Operand x, long length) {
      super(engine, "dft", new OperatorImage(43, 32), x);
      this.image.putLong(16, length);
    }

    /**
     * The axis, not the last; negative counts from the end.
     *
     * @param axis the value
     * @return this builder
     */
    public Dft axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * The inverse transform.
     *
     * @param inverse the value
     * @return this builder
     */
    public Dft inverse(boolean inverse) {
      this.image.putFlag(24, inverse);
      return this;
    }

    /**
     * The first half is all there is of the result, or with inverse of x: the rest is its conjugate.
     *
     * @param onesided the value
     * @return this builder
     */
    public Dft onesided(boolean onesided) {
      this.image.putFlag(28, onesided);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of det. */
  public static final class Det extends OperatorBuilder<Det> {
    Det(Engine engine, Operand x) {
      super(engine, "det", new OperatorImage(44, 8), x);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of random_uniform. */
  public static final class RandomUniform extends OperatorBuilder<RandomUniform> {
    RandomUniform(Engine engine, long seed) {
      super(engine, "random_uniform", new OperatorImage(45, 104));
      this.image.putInt(8, 1);
      this.image.putLong(88, seed);
    }

    /**
     * The dtype: f32 or f64.
     *
     * @param dtype the value
     * @return this builder
     */
    public RandomUniform dtype(DType dtype) {
      this.image.putInt(8, dtype.number());
      return this;
    }

    /**
     * The output's dims.
     *
     * @param dims the numbers
     * @return this builder
     */
    public RandomUniform dims(long... dims) {
      this.image.putDims("dims", 16, dims);
      return this;
    }

    /**
     * Which of the independent sequences of a seed.
     *
     * @param stream the value
     * @return this builder
     */
    public RandomUniform stream(long stream) {
      this.image.putLong(96, stream);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of bit_cast. */
  public static final class BitCast extends OperatorBuilder<BitCast> {
    BitCast(Engine engine, Operand x, DType to) {
      super(engine, "bit_cast", new OperatorImage(46, 16), x);
      this.image.putInt(8, 9);
      this.image.putInt(8, to.number());
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of attention. */
  public static final class Attention extends OperatorBuilder<Attention> {
    Attention(Engine engine, Operand q, Operand k, Operand v) {
      super(engine, "attention", new OperatorImage(47, 48), q, k, v, null, null, null, null, null, null);
      this.image.putLong(8, -1);
      this.image.putLong(16, -1);
      this.image.putFloat(32, 1.0f);
    }

    /**
     * Gives the operand bias what broadcasts to [batch, heads, queries, keys], which may be left out.
     *
     * @param bias the operand
     * @return this builder
     */
    public Attention bias(Operand bias) {
      operand(3, bias);
      return this;
    }

    /**
     * Gives the operand mask what broadcasts to [batch, heads, queries, keys], which may be left out.
     *
     * @param mask the operand
     * @return this builder
     */
    public Attention mask(Operand mask) {
      operand(4, mask);
      return this;
    }

    /**
     * Gives the operand starts [batch], which may be left out.
     *
     * @param starts the operand
     * @return this builder
     */
    public Attention starts(Operand starts) {
      operand(5, starts);
      return this;
    }

    /**
     * Gives the operand lengths [batch], which may be left out.
     *
     * @param lengths the operand
     * @return this builder
     */
    public Attention lengths(Operand lengths) {
      operand(6, lengths);
      return this;
    }

    /**
     * Gives the operand origins [batch], which may be left out.
     *
     * @param origins the operand
     * @return this builder
     */
    public Attention origins(Operand origins) {
      operand(7, origins);
      return this;
    }

    /**
     * Gives the operand sinks [heads], which may be left out.
     *
     * @param sinks the operand
     * @return this builder
     */
    public Attention sinks(Operand sinks) {
      operand(8, sinks);
      return this;
    }

    /**
     * How many keys before its own position a query sees. -1: all.
     *
     * @param leftWindow the value
     * @return this builder
     */
    public Attention leftWindow(long leftWindow) {
      this.image.putLong(8, leftWindow);
      return this;
    }

    /**
     * How many keys behind its own position a query sees. -1: all.
     *
     * @param rightWindow the value
     * @return this builder
     */
    public Attention rightWindow(long rightWindow) {
      this.image.putLong(16, rightWindow);
      return this;
    }

    /**
     * The position of the first query; starts, where they are given, take its place.
     *
     * @param first the value
     * @return this builder
     */
    public Attention first(long first) {
      this.image.putLong(24, first);
      return this;
    }

    /**
     * Factor of the products.
     *
     * @param scale the value
     * @return this builder
     */
    public Attention scale(float scale) {
      this.image.putFloat(32, scale);
      return this;
    }

    /**
     * Scores become softcap * tanh(score / softcap). 0: they do not.
     *
     * @param softcap the value
     * @return this builder
     */
    public Attention softcap(float softcap) {
      this.image.putFloat(36, softcap);
      return this;
    }

    /**
     * A query sees no key behind its own position.
     *
     * @param causal the value
     * @return this builder
     */
    public Attention causal(boolean causal) {
      this.image.putFlag(40, causal);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of compressed_matmul. */
  public static final class CompressedMatmul extends OperatorBuilder<CompressedMatmul> {
    CompressedMatmul(Engine engine, Operand a, Operand b) {
      super(engine, "compressed_matmul", new OperatorImage(48, 32), a, b, null, null);
    }

    /**
     * Gives the operand scales [blocks, N] or [blocks, 1], which may be left out.
     *
     * @param scales the operand
     * @return this builder
     */
    public CompressedMatmul scales(Operand scales) {
      operand(2, scales);
      return this;
    }

    /**
     * Gives the operand zeroPoints [blocks, N] or [blocks, 1], which may be left out.
     *
     * @param zeroPoints the operand
     * @return this builder
     */
    public CompressedMatmul zeroPoints(Operand zeroPoints) {
      operand(3, zeroPoints);
      return this;
    }

    /**
     * b is given as [N, K], and what belongs to its blocks as [N, blocks].
     *
     * @param transposeB the value
     * @return this builder
     */
    public CompressedMatmul transposeB(boolean transposeB) {
      this.image.putFlag(8, transposeB);
      return this;
    }

    /**
     * Rows of a are rounded to 8 bits, each block of them by a scale of its own. For numbers in blocks of 8 to 256.
     *
     * @param roundedRows the value
     * @return this builder
     */
    public CompressedMatmul roundedRows(boolean roundedRows) {
      this.image.putFlag(12, roundedRows);
      return this;
    }

    /**
     * Numbers of a block; the last one may be shorter. 0: one block.
     *
     * @param block the value
     * @return this builder
     */
    public CompressedMatmul block(long block) {
      this.image.putLong(16, block);
      return this;
    }

    /**
     * What zero_points say where they are left out.
     *
     * @param zeroPoint the value
     * @return this builder
     */
    public CompressedMatmul zeroPoint(long zeroPoint) {
      this.image.putLong(24, zeroPoint);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of append. */
  public static final class Append extends OperatorBuilder<Append> {
    Append(Engine engine, Operand cache, Operand update, long length) {
      super(engine, "append", new OperatorImage(49, 40), cache, update, null, null);
      this.image.putLong(24, length);
    }

    /**
     * Gives the operand starts [size of the first axis], which may be left out.
     *
     * @param starts the operand
     * @return this builder
     */
    public Append starts(Operand starts) {
      operand(2, starts);
      return this;
    }

    /**
     * Gives the operand evicted [size of the first axis], which may be left out.
     *
     * @param evicted the operand
     * @return this builder
     */
    public Append evicted(Operand evicted) {
      operand(3, evicted);
      return this;
    }

    /**
     * The axis; negative counts from the end. With starts it is not the first.
     *
     * @param axis the value
     * @return this builder
     */
    public Append axis(long axis) {
      this.image.putLong(8, axis);
      return this;
    }

    /**
     * Where the update begins; starts, where they are given, take its place.
     *
     * @param first the value
     * @return this builder
     */
    public Append first(long first) {
      this.image.putLong(16, first);
      return this;
    }

    /**
     * Positions are taken modulo the length; else they lie within it.
     *
     * @param circular the value
     * @return this builder
     */
    public Append circular(boolean circular) {
      this.image.putFlag(32, circular);
      return this;
    }

    /**
     * The cache is windowed: starts and evicted are given, and the length is the cache's.
     *
     * @param windowed the value
     * @return this builder
     */
    public Append windowed(boolean windowed) {
      this.image.putFlag(36, windowed);
      return this;
    }

    @Override
    int outputs() {
      return this.image.flag(36) ? 2 : 1;
    }
  }

  /** Builds a primitive of tree_ensemble. */
  public static final class TreeEnsemble extends OperatorBuilder<TreeEnsemble> {
    TreeEnsemble(
        Engine engine, Operand x, Operand splits, Operand nodes, Operand roots, Operand targets, Operand weights,
        long outputs) {
      super(engine, "tree_ensemble", new OperatorImage(50, 24), x, splits, nodes, roots, targets, weights, null);
      this.image.putLong(8, outputs);
    }

    /**
     * Gives the operand base [outputs], which may be left out.
     *
     * @param base the operand
     * @return this builder
     */
    public TreeEnsemble base(Operand base) {
      operand(6, base);
      return this;
    }

    /**
     * What the trees' weights for a target become.
     *
     * @param aggregate the value
     * @return this builder
     */
    public TreeEnsemble aggregate(TreeAggregate aggregate) {
      this.image.putInt(16, aggregate.number());
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of couple_pairs. */
  public static final class CouplePairs extends OperatorBuilder<CouplePairs> {
    CouplePairs(Engine engine, Operand x, long classes) {
      super(engine, "couple_pairs", new OperatorImage(51, 16), x);
      this.image.putLong(8, classes);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of quantization_range. */
  public static final class QuantizationRange extends OperatorBuilder<QuantizationRange> {
    QuantizationRange(Engine engine, Operand x) {
      super(engine, "quantization_range", new OperatorImage(52, 8), x);
    }

    @Override
    int outputs() {
      return 2;
    }
  }

  /** Builds a primitive of string_lookup. */
  public static final class StringLookup extends OperatorBuilder<StringLookup> {
    StringLookup(Engine engine, Operand x, Operand heap, Operand table, Operand tableHeap) {
      super(engine, "string_lookup", new OperatorImage(53, 8), x, heap, table, tableHeap);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of string_equal. */
  public static final class StringEqual extends OperatorBuilder<StringEqual> {
    StringEqual(Engine engine, Operand a, Operand aHeap, Operand b, Operand bHeap) {
      super(engine, "string_equal", new OperatorImage(54, 8), a, aHeap, b, bHeap);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of string_concat. */
  public static final class StringConcat extends OperatorBuilder<StringConcat> {
    StringConcat(Engine engine, Operand a, Operand aHeap, Operand b, Operand bHeap, long bytes) {
      super(engine, "string_concat", new OperatorImage(55, 16), a, aHeap, b, bHeap);
      this.image.putLong(8, bytes);
    }

    @Override
    int outputs() {
      return 2;
    }
  }

  /** Builds a primitive of string_case. */
  public static final class StringCase extends OperatorBuilder<StringCase> {
    StringCase(Engine engine, Operand x, Operand heap, long bytes) {
      super(engine, "string_case", new OperatorImage(56, 24), x, heap);
      this.image.putLong(16, bytes);
    }

    /**
     * Upper case, else lower case.
     *
     * @param upper the value
     * @return this builder
     */
    public StringCase upper(boolean upper) {
      this.image.putFlag(8, upper);
      return this;
    }

    @Override
    int outputs() {
      return 2;
    }
  }

  /** Builds a primitive of string_match. */
  public static final class StringMatch extends OperatorBuilder<StringMatch> {
    StringMatch(Engine engine, Operand x, Operand heap, Operand classes, Operand transitions) {
      super(engine, "string_match", new OperatorImage(57, 8), x, heap, classes, transitions);
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of count_string_pieces. */
  public static final class CountStringPieces extends OperatorBuilder<CountStringPieces> {
    CountStringPieces(Engine engine, Operand x, Operand heap) {
      super(engine, "count_string_pieces", new OperatorImage(58, 32), x, heap, null, null);
      this.image.putLong(16, -1);
      this.image.putLong(24, 1);
    }

    /**
     * Gives the operand classes [automata, 256], which may be left out.
     *
     * @param classes the operand
     * @return this builder
     */
    public CountStringPieces classes(Operand classes) {
      operand(2, classes);
      return this;
    }

    /**
     * Gives the operand transitions [states, columns], which may be left out.
     *
     * @param transitions the operand
     * @return this builder
     */
    public CountStringPieces transitions(Operand transitions) {
      operand(3, transitions);
      return this;
    }

    /**
     * What the pieces are.
     *
     * @param rule the value
     * @return this builder
     */
    public CountStringPieces rule(StringRule rule) {
      this.image.putInt(8, rule.number());
      return this;
    }

    /**
     * How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and
     * whitespace.
     *
     * @param mostSplits the value
     * @return this builder
     */
    public CountStringPieces mostSplits(long mostSplits) {
      this.image.putLong(16, mostSplits);
      return this;
    }

    /**
     * Shorter pieces are left out. Of separators and tokens.
     *
     * @param minCharacters the value
     * @return this builder
     */
    public CountStringPieces minCharacters(long minCharacters) {
      this.image.putLong(24, minCharacters);
      return this;
    }

    @Override
    int outputs() {
      return 2;
    }
  }

  /** Builds a primitive of string_split. */
  public static final class StringSplit extends OperatorBuilder<StringSplit> {
    StringSplit(Engine engine, Operand x, Operand heap, long most) {
      super(engine, "string_split", new OperatorImage(59, 40), x, heap, null, null);
      this.image.putLong(16, -1);
      this.image.putLong(24, 1);
      this.image.putLong(32, most);
    }

    /**
     * Gives the operand classes [automata, 256], which may be left out.
     *
     * @param classes the operand
     * @return this builder
     */
    public StringSplit classes(Operand classes) {
      operand(2, classes);
      return this;
    }

    /**
     * Gives the operand transitions [states, columns], which may be left out.
     *
     * @param transitions the operand
     * @return this builder
     */
    public StringSplit transitions(Operand transitions) {
      operand(3, transitions);
      return this;
    }

    /**
     * What the pieces are.
     *
     * @param rule the value
     * @return this builder
     */
    public StringSplit rule(StringRule rule) {
      this.image.putInt(8, rule.number());
      return this;
    }

    /**
     * How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and
     * whitespace.
     *
     * @param mostSplits the value
     * @return this builder
     */
    public StringSplit mostSplits(long mostSplits) {
      this.image.putLong(16, mostSplits);
      return this;
    }

    /**
     * Shorter pieces are left out. Of separators and tokens.
     *
     * @param minCharacters the value
     * @return this builder
     */
    public StringSplit minCharacters(long minCharacters) {
      this.image.putLong(24, minCharacters);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of ngram_counts. */
  public static final class NgramCounts extends OperatorBuilder<NgramCounts> {
    NgramCounts(Engine engine, Operand x, Operand pool, Operand lengths, Operand columns) {
      super(engine, "ngram_counts", new OperatorImage(60, 24), x, pool, lengths, columns);
      this.image.putLong(8, 1);
    }

    /**
     * How many columns the result has.
     *
     * @param outputs the value
     * @return this builder
     */
    public NgramCounts outputs(long outputs) {
      this.image.putLong(8, outputs);
      return this;
    }

    /**
     * The most items between one of an n-gram and the next.
     *
     * @param maxSkip the value
     * @return this builder
     */
    public NgramCounts maxSkip(long maxSkip) {
      this.image.putLong(16, maxSkip);
      return this;
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of string_parse. */
  public static final class StringParse extends OperatorBuilder<StringParse> {
    StringParse(Engine engine, Operand x, Operand heap, DType to) {
      super(engine, "string_parse", new OperatorImage(61, 16), x, heap);
      this.image.putInt(8, 1);
      this.image.putInt(8, to.number());
    }

    @Override
    int outputs() {
      return 1;
    }
  }

  /** Builds a primitive of string_format. */
  public static final class StringFormat extends OperatorBuilder<StringFormat> {
    StringFormat(Engine engine, Operand x) {
      super(engine, "string_format", new OperatorImage(62, 8), x);
    }

    @Override
    int outputs() {
      return 2;
    }
  }
}
