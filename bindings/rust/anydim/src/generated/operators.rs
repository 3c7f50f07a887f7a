// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The operators, each with its attributes. A primitive is made of one by
//! [`Primitive::builder`](crate::Primitive::builder).

use anydim_sys as sys;

use crate::edge::Head;
use crate::operator::{list_of, reals_of, Operator, PerSpatial, Sealed};
use crate::generated::enums::*;

/// Convolution over 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end - dilation \* (kernel - 1) -
/// 1\) / stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first
/// `spatial` entries.
///
/// Inputs: src \[N, C, spatial...\] (floats), weights \[O, C / group, kernel...\] (the dtype of src; usually
/// constant), bias \[O\] (the dtype of src; may be left out; usually constant).
///
/// Output: \[N, O, out...\]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and
/// u8 with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.
#[derive(Clone, Copy, Debug)]
pub struct Convolution {
    raw: sys::anydim_convolution_t,
}
impl Convolution {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_convolution_t::INIT }
    }

    /// Number of spatial dims, 1 to 3. 2 unless it is said.
    #[must_use]
    pub fn spatial(mut self, spatial: i32) -> Self {
        self.raw.spatial = spatial;
        self
    }

    /// How the padding is determined.
    #[must_use]
    pub fn auto_pad(mut self, auto_pad: AutoPad) -> Self {
        self.raw.auto_pad = auto_pad as i32;
        self
    }

    /// Strides.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<PerSpatial>) -> Self {
        self.raw.strides = strides.into().0;
        self
    }

    /// Distances between taps.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn dilations(mut self, dilations: impl Into<PerSpatial>) -> Self {
        self.raw.dilations = dilations.into().0;
        self
    }

    /// Padding before, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_begin(mut self, pads_begin: impl Into<PerSpatial>) -> Self {
        self.raw.pads_begin = pads_begin.into().0;
        self
    }

    /// Padding before and after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads(mut self, pads: impl Into<PerSpatial>) -> Self {
        let pads = pads.into().0;
        self.raw.pads_begin = pads;
        self.raw.pads_end = pads;
        self
    }

    /// Padding after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_end(mut self, pads_end: impl Into<PerSpatial>) -> Self {
        self.raw.pads_end = pads_end.into().0;
        self
    }

    /// Number of groups.
    #[must_use]
    pub fn group(mut self, group: i64) -> Self {
        self.raw.group = group;
        self
    }
}

impl Default for Convolution {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Convolution {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Convolution {
    const KIND: &'static str = "convolution";

    fn outputs(&self) -> usize {
        1
    }
}

/// Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) \* stride - pads_begin - pads_end +
/// dilation \* (kernel - 1) + 1 + output_padding, or what output_shape says. Per spatial dim means the first
/// `spatial` entries.
///
/// Inputs: src \[N, C, spatial...\] (floats), weights \[C, O / group, kernel...\] (the dtype of src; usually
/// constant), bias \[O\] (the dtype of src; may be left out; usually constant).
///
/// Output: \[N, O, out...\]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and
/// u8 with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.
#[derive(Clone, Copy, Debug)]
pub struct ConvTranspose {
    raw: sys::anydim_conv_transpose_t,
}
impl ConvTranspose {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_conv_transpose_t::INIT }
    }

    /// Number of spatial dims, 1 to 3. 2 unless it is said.
    #[must_use]
    pub fn spatial(mut self, spatial: i32) -> Self {
        self.raw.spatial = spatial;
        self
    }

    /// How the padding is determined.
    #[must_use]
    pub fn auto_pad(mut self, auto_pad: AutoPad) -> Self {
        self.raw.auto_pad = auto_pad as i32;
        self
    }

    /// Strides.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<PerSpatial>) -> Self {
        self.raw.strides = strides.into().0;
        self
    }

    /// Distances between taps.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn dilations(mut self, dilations: impl Into<PerSpatial>) -> Self {
        self.raw.dilations = dilations.into().0;
        self
    }

    /// Cut off before, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_begin(mut self, pads_begin: impl Into<PerSpatial>) -> Self {
        self.raw.pads_begin = pads_begin.into().0;
        self
    }

    /// Cut off before and after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads(mut self, pads: impl Into<PerSpatial>) -> Self {
        let pads = pads.into().0;
        self.raw.pads_begin = pads;
        self.raw.pads_end = pads;
        self
    }

    /// Cut off after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_end(mut self, pads_end: impl Into<PerSpatial>) -> Self {
        self.raw.pads_end = pads_end.into().0;
        self
    }

    /// Added at the end, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn output_padding(mut self, output_padding: impl Into<PerSpatial>) -> Self {
        self.raw.output_padding = output_padding.into().0;
        self
    }

    /// Output dims, one per spatial dim; the padding follows from them. None: as the formula says.
    #[must_use]
    pub fn output_shape(mut self, output_shape: &[i64]) -> Self {
        self.raw.output_shape = list_of(output_shape);
        self
    }

    /// Number of groups.
    #[must_use]
    pub fn group(mut self, group: i64) -> Self {
        self.raw.group = group;
        self
    }
}

impl Default for ConvTranspose {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for ConvTranspose {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for ConvTranspose {
    const KIND: &'static str = "conv_transpose";

    fn outputs(&self) -> usize {
        1
    }
}

/// Product of matrices: alpha \* (a b) + beta \* c. Leading dims broadcast; an operand of rank 1 is a row (a) or a
/// column (b), as in NumPy. An alpha other than 1, and c, are for floats only.
///
/// Inputs: a \[..., M, K\] (numbers), b \[..., K, N\] (the dtype of a; usually constant), c, what broadcasts to the
/// output (the dtype of a; may be left out; usually constant).
///
/// Output: \[..., M, N\]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and u8
/// with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.
#[derive(Clone, Copy, Debug)]
pub struct Matmul {
    raw: sys::anydim_matmul_t,
}
impl Matmul {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_matmul_t::INIT }
    }

    /// a is given as \[..., K, M\].
    #[must_use]
    pub fn transpose_a(mut self, transpose_a: bool) -> Self {
        self.raw.transpose_a = i32::from(transpose_a);
        self
    }

    /// b is given as \[..., N, K\].
    #[must_use]
    pub fn transpose_b(mut self, transpose_b: bool) -> Self {
        self.raw.transpose_b = i32::from(transpose_b);
        self
    }

    /// Factor of the product.
    #[must_use]
    pub fn alpha(mut self, alpha: f32) -> Self {
        self.raw.alpha = alpha;
        self
    }

    /// Factor of c.
    #[must_use]
    pub fn beta(mut self, beta: f32) -> Self {
        self.raw.beta = beta;
        self
    }
}

impl Default for Matmul {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Matmul {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Matmul {
    const KIND: &'static str = "matmul";

    fn outputs(&self) -> usize {
        1
    }
}

/// The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end -
/// dilation \* (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceil_mode. Padding never wins a
/// maximum, and counts in an average with count_include_pad only. Per spatial dim means the first `spatial` entries.
///
/// Input: src \[N, C, spatial...\] (f32, f64, f16, bf16, i8, u8; i8 and u8 for the maximum only).
///
/// Outputs: \[N, C, out...\]; \[N, C, out...\], i64 (where each maximum stood), with indices.
#[derive(Clone, Copy, Debug)]
pub struct Pooling {
    raw: sys::anydim_pooling_t,
}
impl Pooling {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_pooling_t::INIT }
    }

    /// Which pooling.
    #[must_use]
    pub fn kind(mut self, kind: PoolingKind) -> Self {
        self.raw.kind = kind as i32;
        self
    }

    /// Number of spatial dims, 1 to 3. 2 unless it is said.
    #[must_use]
    pub fn spatial(mut self, spatial: i32) -> Self {
        self.raw.spatial = spatial;
        self
    }

    /// The window is the whole plane; the fields of windows do not count.
    #[must_use]
    pub fn global(mut self, global: bool) -> Self {
        self.raw.global = i32::from(global);
        self
    }

    /// How the padding is determined.
    #[must_use]
    pub fn auto_pad(mut self, auto_pad: AutoPad) -> Self {
        self.raw.auto_pad = auto_pad as i32;
        self
    }

    /// Dims of the window.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn window(mut self, window: impl Into<PerSpatial>) -> Self {
        self.raw.window = window.into().0;
        self
    }

    /// Strides.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<PerSpatial>) -> Self {
        self.raw.strides = strides.into().0;
        self
    }

    /// Distances between taps.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn dilations(mut self, dilations: impl Into<PerSpatial>) -> Self {
        self.raw.dilations = dilations.into().0;
        self
    }

    /// Padding before, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_begin(mut self, pads_begin: impl Into<PerSpatial>) -> Self {
        self.raw.pads_begin = pads_begin.into().0;
        self
    }

    /// Padding before and after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads(mut self, pads: impl Into<PerSpatial>) -> Self {
        let pads = pads.into().0;
        self.raw.pads_begin = pads;
        self.raw.pads_end = pads;
        self
    }

    /// Padding after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_end(mut self, pads_end: impl Into<PerSpatial>) -> Self {
        self.raw.pads_end = pads_end.into().0;
        self
    }

    /// Output dims round up.
    #[must_use]
    pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
        self.raw.ceil_mode = i32::from(ceil_mode);
        self
    }

    /// An average counts padded positions.
    #[must_use]
    pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
        self.raw.count_include_pad = i32::from(count_include_pad);
        self
    }

    /// Of a maximum: the second output is made, the winners' positions in their plane.
    #[must_use]
    pub fn indices(mut self, indices: bool) -> Self {
        self.raw.indices = i32::from(indices);
        self
    }

    /// Positions are counted with the last dim outermost (ONNX: storage_order = 1).
    #[must_use]
    pub fn column_major_indices(mut self, column_major_indices: bool) -> Self {
        self.raw.column_major_indices = i32::from(column_major_indices);
        self
    }
}

impl Default for Pooling {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Pooling {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Pooling {
    const KIND: &'static str = "pooling";

    fn outputs(&self) -> usize {
        1 + usize::from(self.raw.indices != 0)
    }
}

/// A function of each element. The output has x's dtype, or bool for functions that return a truth value.
///
/// Input: x (any dtype; that the function is defined on).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct Unary {
    raw: sys::anydim_unary_t,
}
impl Unary {
    /// The operator with the defaults of its attributes.
    ///
    /// - `function`: The function.
    pub fn new(function: UnaryFunction) -> Self {
        let mut raw = sys::anydim_unary_t::INIT;
        raw.function = function as i32;
        Self { raw }
    }

    /// Its first parameter, for functions whose text names alpha.
    #[must_use]
    pub fn alpha(mut self, alpha: f32) -> Self {
        self.raw.alpha = alpha;
        self
    }

    /// Its second parameter, for functions whose text names beta.
    #[must_use]
    pub fn beta(mut self, beta: f32) -> Self {
        self.raw.beta = beta;
        self
    }
}

impl Sealed for Unary {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Unary {
    const KIND: &'static str = "unary";

    fn outputs(&self) -> usize {
        1
    }
}

/// A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
/// comparison.
///
/// Inputs: a (any dtype; that the function is defined on), b (the dtype of a; the exponent of pow may have another).
///
/// Output: broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    raw: sys::anydim_binary_t,
}
impl Binary {
    /// The operator with the defaults of its attributes.
    ///
    /// - `function`: The function.
    pub fn new(function: BinaryFunction) -> Self {
        let mut raw = sys::anydim_binary_t::INIT;
        raw.function = function as i32;
        Self { raw }
    }
}

impl Sealed for Binary {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Binary {
    const KIND: &'static str = "binary";

    fn outputs(&self) -> usize {
        1
    }
}

/// x with some axes reduced.
///
/// Input: x (any dtype; bool for the maximum and minimum only).
///
/// Output: x's, the reduced ones 1 or gone.
#[derive(Clone, Copy, Debug)]
pub struct Reduce {
    raw: sys::anydim_reduce_t,
}
impl Reduce {
    /// The operator with the defaults of its attributes.
    ///
    /// - `kind`: The reduction.
    pub fn new(kind: ReduceKind) -> Self {
        let mut raw = sys::anydim_reduce_t::INIT;
        raw.kind = kind as i32;
        Self { raw }
    }

    /// Reduced axes stay as dims of 1.
    #[must_use]
    pub fn keepdims(mut self, keepdims: bool) -> Self {
        self.raw.keepdims = i32::from(keepdims);
        self
    }

    /// Axes, negative ones counted from the end. None: all of them.
    #[must_use]
    pub fn axes(mut self, axes: &[i64]) -> Self {
        self.raw.axes = list_of(axes);
        self
    }
}

impl Sealed for Reduce {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Reduce {
    const KIND: &'static str = "reduce";

    fn outputs(&self) -> usize {
        1
    }
}

/// exp(x - max) / sum over an axis, or its logarithm.
///
/// Input: x (floats).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct Softmax {
    raw: sys::anydim_softmax_t,
}
impl Softmax {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_softmax_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// Log-softmax.
    #[must_use]
    pub fn log(mut self, log: bool) -> Self {
        self.raw.log = i32::from(log);
        self
    }
}

impl Default for Softmax {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Softmax {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Softmax {
    const KIND: &'static str = "softmax";

    fn outputs(&self) -> usize {
        1
    }
}

/// (x - mean) / sqrt(variance + epsilon) \* scale + bias, mean and variance over the axes from `axis` to the last.
///
/// Inputs: x (floats), scale, x's from the axis on (the dtype of x; may be left out; usually constant), bias, x's
/// from the axis on (the dtype of x; may be left out; usually constant).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct LayerNorm {
    raw: sys::anydim_layer_norm_t,
}
impl LayerNorm {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_layer_norm_t::INIT }
    }

    /// First axis of those normalised together; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// Added to the variance.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f32) -> Self {
        self.raw.epsilon = epsilon;
        self
    }
}

impl Default for LayerNorm {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for LayerNorm {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for LayerNorm {
    const KIND: &'static str = "layer_norm";

    fn outputs(&self) -> usize {
        1
    }
}

/// Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is given,
/// with one number per axis of `axes`. Axes that are not named are copied.
///
/// Input: x (any dtype).
///
/// Output: x's, resized.
#[derive(Clone, Copy, Debug)]
pub struct Resize {
    raw: sys::anydim_resize_t,
}
impl Resize {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_resize_t::INIT }
    }

    /// Interpolation.
    #[must_use]
    pub fn mode(mut self, mode: ResizeMode) -> Self {
        self.raw.mode = mode as i32;
        self
    }

    /// How positions map.
    #[must_use]
    pub fn coordinates(mut self, coordinates: ResizeCoordinates) -> Self {
        self.raw.coordinates = coordinates as i32;
        self
    }

    /// Rounding of the nearest mode.
    #[must_use]
    pub fn nearest(mut self, nearest: ResizeNearest) -> Self {
        self.raw.nearest = nearest as i32;
        self
    }

    /// Coefficient of the cubic mode.
    #[must_use]
    pub fn cubic_coeff_a(mut self, cubic_coeff_a: f32) -> Self {
        self.raw.cubic_coeff_a = cubic_coeff_a;
        self
    }

    /// What becomes of the ratio of sides, with sizes.
    #[must_use]
    pub fn policy(mut self, policy: ResizePolicy) -> Self {
        self.raw.policy = policy as i32;
        self
    }

    /// Result outside the input, for tf_crop_and_resize.
    #[must_use]
    pub fn extrapolation_value(mut self, extrapolation_value: f32) -> Self {
        self.raw.extrapolation_value = extrapolation_value;
        self
    }

    /// Taps outside the input get no weight.
    #[must_use]
    pub fn exclude_outside(mut self, exclude_outside: bool) -> Self {
        self.raw.exclude_outside = i32::from(exclude_outside);
        self
    }

    /// Linear and cubic: axes that shrink are read through a filter as much wider.
    #[must_use]
    pub fn antialias(mut self, antialias: bool) -> Self {
        self.raw.antialias = i32::from(antialias);
        self
    }

    /// The axes that scales, sizes and roi are about, from 0. None: all, in order.
    #[must_use]
    pub fn axes(mut self, axes: &[i64]) -> Self {
        self.raw.axes = list_of(axes);
        self
    }

    /// Output dims.
    #[must_use]
    pub fn sizes(mut self, sizes: &[i64]) -> Self {
        self.raw.sizes = list_of(sizes);
        self
    }

    /// Output dims over input dims.
    #[must_use]
    pub fn scales(mut self, scales: &[f32]) -> Self {
        self.raw.scales = reals_of(scales);
        self
    }

    /// For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis.
    #[must_use]
    pub fn roi(mut self, roi: &[f32]) -> Self {
        self.raw.roi = reals_of(roi);
        self
    }

    /// With sizes: scales that a node computes, as the bits of binary32 numbers; they map positions, and sizes are
    /// the output's dims.
    #[must_use]
    pub fn scale_bits(mut self, scale_bits: &[i64]) -> Self {
        self.raw.scale_bits = list_of(scale_bits);
        self
    }

    /// In place of roi: what a node computes, as the bits of binary32 numbers.
    #[must_use]
    pub fn roi_bits(mut self, roi_bits: &[i64]) -> Self {
        self.raw.roi_bits = list_of(roi_bits);
        self
    }
}

impl Default for Resize {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Resize {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Resize {
    const KIND: &'static str = "resize";

    fn outputs(&self) -> usize {
        1
    }
}

/// The axes in another order; output axis i is input axis perm\[i\].
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's in the order of perm.
#[derive(Clone, Copy, Debug)]
pub struct Transpose {
    raw: sys::anydim_transpose_t,
}
impl Transpose {
    /// The operator with the defaults of its attributes.
    ///
    /// - `perm`: The axes of x in the output's order, each once, from 0.
    pub fn new(perm: &[i64]) -> Self {
        let mut raw = sys::anydim_transpose_t::INIT;
        raw.perm = list_of(perm);
        Self { raw }
    }
}

impl Sealed for Transpose {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Transpose {
    const KIND: &'static str = "transpose";

    fn outputs(&self) -> usize {
        1
    }
}

/// The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x != 0;
/// to a narrower float rounded to nearest even. A number beyond the range of f8 or f4 becomes the largest one there
/// is; i4, u4, i2 and u2 keep the lowest bits of the whole number.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct Cast {
    raw: sys::anydim_cast_t,
}
impl Cast {
    /// The operator with the defaults of its attributes.
    ///
    /// - `to`: The dtype.
    pub fn new(to: Dtype) -> Self {
        let mut raw = sys::anydim_cast_t::INIT;
        raw.to = to as i32;
        Self { raw }
    }

    /// To f8: beyond the range lies infinity, or NaN where the dtype has none.
    #[must_use]
    pub fn overflows(mut self, overflows: bool) -> Self {
        self.raw.overflows = i32::from(overflows);
        self
    }

    /// To f8e8m0: which power of two.
    #[must_use]
    pub fn rounding(mut self, rounding: PowerRounding) -> Self {
        self.raw.rounding = rounding as i32;
        self
    }
}

impl Sealed for Cast {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Cast {
    const KIND: &'static str = "cast";

    fn outputs(&self) -> usize {
        1
    }
}

/// The inputs one after another along an axis.
///
/// Input: inputs, equal but along the axis (any dtype, narrow ones too; one dtype for all; one or more).
///
/// Output: theirs, added up along the axis.
#[derive(Clone, Copy, Debug)]
pub struct Concat {
    raw: sys::anydim_concat_t,
}
impl Concat {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_concat_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }
}

impl Default for Concat {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Concat {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Concat {
    const KIND: &'static str = "concat";

    fn outputs(&self) -> usize {
        1
    }
}

/// condition ? a : b, element by element; dims broadcast as in NumPy.
///
/// Inputs: condition (bool), a (any dtype, narrow ones too), b (the dtype of a).
///
/// Output: broadcast, the dtype of a.
#[derive(Clone, Copy, Debug)]
pub struct Where {
    raw: sys::anydim_where_t,
}
impl Where {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_where_t::INIT }
    }
}

impl Default for Where {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Where {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Where {
    const KIND: &'static str = "where";

    fn outputs(&self) -> usize {
        1
    }
}

/// The index of the largest or smallest element along an axis. +0 and -0 are equal.
///
/// Input: x (any dtype).
///
/// Output: x's, the axis 1 or gone, i64.
#[derive(Clone, Copy, Debug)]
pub struct ArgReduce {
    raw: sys::anydim_arg_reduce_t,
}
impl ArgReduce {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_arg_reduce_t::INIT }
    }

    /// The largest or the smallest.
    #[must_use]
    pub fn kind(mut self, kind: ArgReduceKind) -> Self {
        self.raw.kind = kind as i32;
        self
    }

    /// The axis stays as a dim of 1.
    #[must_use]
    pub fn keepdims(mut self, keepdims: bool) -> Self {
        self.raw.keepdims = i32::from(keepdims);
        self
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// Among equal elements the last is meant, else the first.
    #[must_use]
    pub fn select_last(mut self, select_last: bool) -> Self {
        self.raw.select_last = i32::from(select_last);
        self
    }
}

impl Default for ArgReduce {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for ArgReduce {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for ArgReduce {
    const KIND: &'static str = "arg_reduce";

    fn outputs(&self) -> usize {
        1
    }
}

/// Running sums or products along an axis, in the order of the index.
///
/// Inputs: x (numbers), axis, one element (i32 or i64; The axis, whose value may come from the data.).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct Cumsum {
    raw: sys::anydim_cumsum_t,
}
impl Cumsum {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_cumsum_t::INIT }
    }

    /// A sum leaves its own element out.
    #[must_use]
    pub fn exclusive(mut self, exclusive: bool) -> Self {
        self.raw.exclusive = i32::from(exclusive);
        self
    }

    /// Sums begin at the end.
    #[must_use]
    pub fn reverse(mut self, reverse: bool) -> Self {
        self.raw.reverse = i32::from(reverse);
        self
    }

    /// Products in place of sums.
    #[must_use]
    pub fn product(mut self, product: bool) -> Self {
        self.raw.product = i32::from(product);
        self
    }
}

impl Default for Cumsum {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Cumsum {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Cumsum {
    const KIND: &'static str = "cumsum";

    fn outputs(&self) -> usize {
        1
    }
}

/// The same elements, in logical row-major order, under other dims.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: those given.
#[derive(Clone, Copy, Debug)]
pub struct Reshape {
    raw: sys::anydim_reshape_t,
}
impl Reshape {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_reshape_t::INIT }
    }

    /// The dims; as many elements as x has.
    #[must_use]
    pub fn dims(mut self, dims: &[i64]) -> Self {
        self.raw.dims = list_of(dims);
        self
    }
}

impl Default for Reshape {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Reshape {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Reshape {
    const KIND: &'static str = "reshape";

    fn outputs(&self) -> usize {
        1
    }
}

/// x repeated to the dims that it and those given broadcast to.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Expand {
    raw: sys::anydim_expand_t,
}
impl Expand {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_expand_t::INIT }
    }

    /// The dims to broadcast with.
    #[must_use]
    pub fn dims(mut self, dims: &[i64]) -> Self {
        self.raw.dims = list_of(dims);
        self
    }
}

impl Default for Expand {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Expand {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Expand {
    const KIND: &'static str = "expand";

    fn outputs(&self) -> usize {
        1
    }
}

/// Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: the lengths.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    raw: sys::anydim_slice_t,
}
impl Slice {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_slice_t::INIT }
    }

    /// First index, one per axis of x.
    #[must_use]
    pub fn starts(mut self, starts: &[i64]) -> Self {
        self.raw.starts = list_of(starts);
        self
    }

    /// Steps, not 0, one per axis of x. None: 1 everywhere.
    #[must_use]
    pub fn steps(mut self, steps: &[i64]) -> Self {
        self.raw.steps = list_of(steps);
        self
    }

    /// How many elements are taken, one per axis of x.
    #[must_use]
    pub fn lengths(mut self, lengths: &[i64]) -> Self {
        self.raw.lengths = list_of(lengths);
        self
    }
}

impl Default for Slice {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Slice {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Slice {
    const KIND: &'static str = "slice";

    fn outputs(&self) -> usize {
        1
    }
}

/// Elements added, or with negative counts cut off, before and after each axis.
///
/// Inputs: x (any dtype), value, one element (the dtype of x; What is put in mode constant; absent: zero.; may be
/// left out).
///
/// Output: x's and what is added.
#[derive(Clone, Copy, Debug)]
pub struct Pad {
    raw: sys::anydim_pad_t,
}
impl Pad {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_pad_t::INIT }
    }

    /// What is put where elements are added.
    #[must_use]
    pub fn mode(mut self, mode: PadMode) -> Self {
        self.raw.mode = mode as i32;
        self
    }

    /// Counts before, one per axis of x.
    #[must_use]
    pub fn before(mut self, before: &[i64]) -> Self {
        self.raw.before = list_of(before);
        self
    }

    /// Counts after, one per axis of x.
    #[must_use]
    pub fn after(mut self, after: &[i64]) -> Self {
        self.raw.after = list_of(after);
        self
    }
}

impl Default for Pad {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Pad {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Pad {
    const KIND: &'static str = "pad";

    fn outputs(&self) -> usize {
        1
    }
}

/// Each axis of x repeated a number of times.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's times the repeats.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    raw: sys::anydim_tile_t,
}
impl Tile {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_tile_t::INIT }
    }

    /// How often, one per axis of x.
    #[must_use]
    pub fn repeats(mut self, repeats: &[i64]) -> Self {
        self.raw.repeats = list_of(repeats);
        self
    }
}

impl Default for Tile {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Tile {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Tile {
    const KIND: &'static str = "tile";

    fn outputs(&self) -> usize {
        1
    }
}

/// Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.
///
/// Input: x \[N, C, H, W\] (any dtype).
///
/// Output: \[N, C / block^2, H \* block, W \* block\].
#[derive(Clone, Copy, Debug)]
pub struct DepthToSpace {
    raw: sys::anydim_depth_to_space_t,
}
impl DepthToSpace {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_depth_to_space_t::INIT }
    }

    /// Side of a square.
    #[must_use]
    pub fn block(mut self, block: i64) -> Self {
        self.raw.block = block;
        self
    }

    /// What the channels are made of.
    #[must_use]
    pub fn order(mut self, order: DepthToSpaceOrder) -> Self {
        self.raw.order = order as i32;
        self
    }

    /// Squares become channels (depth first only).
    #[must_use]
    pub fn inverse(mut self, inverse: bool) -> Self {
        self.raw.inverse = i32::from(inverse);
        self
    }
}

impl Default for DepthToSpace {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for DepthToSpace {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for DepthToSpace {
    const KIND: &'static str = "depth_to_space";

    fn outputs(&self) -> usize {
        1
    }
}

/// A vector of start, start + delta, ..., each element start + i \* delta rounded in its dtype. Start and delta are
/// whole numbers, or reals with `real`.
///
/// Inputs: none.
///
/// Output: \[count\], of that dtype.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    raw: sys::anydim_range_t,
}
impl Range {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_range_t::INIT }
    }

    /// The dtype: numbers, not f16 or bf16; with `real` f32 or f64.
    #[must_use]
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.raw.dtype = dtype as i32;
        self
    }

    /// Start and delta are real_start and real_delta.
    #[must_use]
    pub fn real(mut self, real: bool) -> Self {
        self.raw.real = i32::from(real);
        self
    }

    /// The first element.
    #[must_use]
    pub fn start(mut self, start: i64) -> Self {
        self.raw.start = start;
        self
    }

    /// From one element to the next.
    #[must_use]
    pub fn delta(mut self, delta: i64) -> Self {
        self.raw.delta = delta;
        self
    }

    /// How many elements.
    #[must_use]
    pub fn count(mut self, count: i64) -> Self {
        self.raw.count = count;
        self
    }

    /// The first element.
    #[must_use]
    pub fn real_start(mut self, real_start: f64) -> Self {
        self.raw.real_start = real_start;
        self
    }

    /// From one element to the next.
    #[must_use]
    pub fn real_delta(mut self, real_delta: f64) -> Self {
        self.raw.real_delta = real_delta;
        self
    }
}

impl Default for Range {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Range {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Range {
    const KIND: &'static str = "range";

    fn outputs(&self) -> usize {
        1
    }
}

/// A scalar or a vector of whole numbers, converted as a cast from i64 does.
///
/// Inputs: none.
///
/// Output: \[values\] or \[\], of that dtype.
#[derive(Clone, Debug)]
pub struct ShapeTensor {
    dtype: i32,
    scalar: i32,
    values: Vec<i64>,
}

impl ShapeTensor {
    /// The operator with the defaults of its other attributes.
    ///
    /// - `values`: The elements.
    pub fn new(values: impl Into<Vec<i64>>) -> Self {
        let from = sys::anydim_shape_tensor_t::INIT;
        Self {
            dtype: from.dtype,
            scalar: from.scalar,
            values: values.into(),
        }
    }

    /// The dtype.
    #[must_use]
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.dtype = dtype as i32;
        self
    }

    /// The one value is a scalar.
    #[must_use]
    pub fn scalar(mut self, scalar: bool) -> Self {
        self.scalar = i32::from(scalar);
        self
    }
}

impl Sealed for ShapeTensor {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        let mut raw = sys::anydim_shape_tensor_t::INIT;
        raw.dtype = self.dtype;
        raw.scalar = self.scalar;
        raw.values = self.values.as_ptr();
        raw.values_count = self.values.len() as i64;
        call(Head::new(&raw, &raw.op))
    }
}

impl Operator for ShapeTensor {
    const KIND: &'static str = "shape_tensor";

    fn outputs(&self) -> usize {
        1
    }
}

/// Slices of the data along an axis, picked by the indices (negative ones from the end).
///
/// Inputs: data (any dtype, narrow ones too), indices (i32 or i64).
///
/// Output: the data's, the axis replaced by the dims of the indices, the dtype of data.
#[derive(Clone, Copy, Debug)]
pub struct Gather {
    raw: sys::anydim_gather_t,
}
impl Gather {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_gather_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }
}

impl Default for Gather {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Gather {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Gather {
    const KIND: &'static str = "gather";

    fn outputs(&self) -> usize {
        1
    }
}

/// One element of the data for each index, which replaces its coordinate on an axis.
///
/// Inputs: data (any dtype, narrow ones too), indices, no larger than the data's but along the axis (i32 or i64).
///
/// Output: the indices', the dtype of data.
#[derive(Clone, Copy, Debug)]
pub struct GatherElements {
    raw: sys::anydim_gather_elements_t,
}
impl GatherElements {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_gather_elements_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }
}

impl Default for GatherElements {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for GatherElements {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for GatherElements {
    const KIND: &'static str = "gather_elements";

    fn outputs(&self) -> usize {
        1
    }
}

/// Slices of the data at coordinates, which the last axis of the indices holds. The first batch_dims axes of both go
/// together.
///
/// Inputs: data (any dtype, narrow ones too), indices \[..., coordinates\] (i32 or i64).
///
/// Output: the indices' but for the last, then the rest of the data's, the dtype of data.
#[derive(Clone, Copy, Debug)]
pub struct GatherNd {
    raw: sys::anydim_gather_nd_t,
}
impl GatherNd {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_gather_nd_t::INIT }
    }

    /// How many axes go together.
    #[must_use]
    pub fn batch_dims(mut self, batch_dims: i64) -> Self {
        self.raw.batch_dims = batch_dims;
        self
    }
}

impl Default for GatherNd {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for GatherNd {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for GatherNd {
    const KIND: &'static str = "gather_nd";

    fn outputs(&self) -> usize {
        1
    }
}

/// A copy of the data in which updates are stored, or combined, at the indices along an axis.
///
/// Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64), updates, the
/// indices' (the dtype of data).
///
/// Output: the data's, the dtype of data.
#[derive(Clone, Copy, Debug)]
pub struct ScatterElements {
    raw: sys::anydim_scatter_elements_t,
}
impl ScatterElements {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_scatter_elements_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// How an update combines with the present value.
    #[must_use]
    pub fn reduction(mut self, reduction: ScatterReduction) -> Self {
        self.raw.reduction = reduction as i32;
        self
    }
}

impl Default for ScatterElements {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for ScatterElements {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for ScatterElements {
    const KIND: &'static str = "scatter_elements";

    fn outputs(&self) -> usize {
        1
    }
}

/// A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis of
/// the indices holds.
///
/// Inputs: data (any dtype), indices \[..., coordinates\] (i32 or i64), updates, the indices' but for the last, then
/// the rest of the data's (the dtype of data).
///
/// Output: the data's, the dtype of data.
#[derive(Clone, Copy, Debug)]
pub struct ScatterNd {
    raw: sys::anydim_scatter_nd_t,
}
impl ScatterNd {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_scatter_nd_t::INIT }
    }

    /// How an update combines with the present value.
    #[must_use]
    pub fn reduction(mut self, reduction: ScatterReduction) -> Self {
        self.raw.reduction = reduction as i32;
        self
    }
}

impl Default for ScatterNd {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for ScatterNd {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for ScatterNd {
    const KIND: &'static str = "scatter_nd";

    fn outputs(&self) -> usize {
        1
    }
}

/// The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts as
/// larger than any number.
///
/// Input: x (any dtype).
///
/// Outputs: x's, the axis k; x's, the axis k, i64 (where each element stood).
#[derive(Clone, Copy, Debug)]
pub struct Topk {
    raw: sys::anydim_topk_t,
}
impl Topk {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_topk_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// How many, at most the size of the axis.
    #[must_use]
    pub fn k(mut self, k: i64) -> Self {
        self.raw.k = k;
        self
    }

    /// The largest, else the smallest.
    #[must_use]
    pub fn largest(mut self, largest: bool) -> Self {
        self.raw.largest = i32::from(largest);
        self
    }

    /// They come sorted. Without it any order would do; they are sorted all the same.
    #[must_use]
    pub fn sorted(mut self, sorted: bool) -> Self {
        self.raw.sorted = i32::from(sorted);
        self
    }
}

impl Default for Topk {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Topk {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Topk {
    const KIND: &'static str = "topk";

    fn outputs(&self) -> usize {
        2
    }
}

/// The upper or lower triangle of the last two axes, zero elsewhere.
///
/// Input: x \[..., M, N\] (any dtype).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct Trilu {
    raw: sys::anydim_trilu_t,
}
impl Trilu {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_trilu_t::INIT }
    }

    /// The upper triangle, else the lower.
    #[must_use]
    pub fn upper(mut self, upper: bool) -> Self {
        self.raw.upper = i32::from(upper);
        self
    }

    /// Where the diagonal lies: above 0 it is moved up, below 0 down.
    #[must_use]
    pub fn k(mut self, k: i64) -> Self {
        self.raw.k = k;
        self
    }
}

impl Default for Trilu {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Trilu {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Trilu {
    const KIND: &'static str = "trilu";

    fn outputs(&self) -> usize {
        1
    }
}

/// Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.
///
/// Input: x \[M, N\] (any dtype).
///
/// Output: x's, of that dtype.
#[derive(Clone, Copy, Debug)]
pub struct EyeLike {
    raw: sys::anydim_eye_like_t,
}
impl EyeLike {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_eye_like_t::INIT }
    }

    /// The dtype; 0 is that of x.
    #[must_use]
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.raw.dtype = dtype as i32;
        self
    }

    /// Which diagonal: above 0 upper ones, below 0 lower ones.
    #[must_use]
    pub fn k(mut self, k: i64) -> Self {
        self.raw.k = k;
        self
    }
}

impl Default for EyeLike {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for EyeLike {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for EyeLike {
    const KIND: &'static str = "eye_like";

    fn outputs(&self) -> usize {
        1
    }
}

/// A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
/// elsewhere and for indices out of range.
///
/// Inputs: indices (numbers), values \[2\] (any dtype; off and on).
///
/// Output: the indices' and the new axis, the dtype of values.
#[derive(Clone, Copy, Debug)]
pub struct OneHot {
    raw: sys::anydim_one_hot_t,
}
impl OneHot {
    /// The operator with the defaults of its attributes.
    ///
    /// - `depth`: Its size.
    pub fn new(depth: i64) -> Self {
        let mut raw = sys::anydim_one_hot_t::INIT;
        raw.depth = depth;
        Self { raw }
    }

    /// Which axis of the output is new; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }
}

impl Sealed for OneHot {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for OneHot {
    const KIND: &'static str = "one_hot";

    fn outputs(&self) -> usize {
        1
    }
}

/// The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an axis
/// to the other, and interpolated.
///
/// Inputs: x \[N, C, spatial...\] (any dtype; floats, but for mode nearest), grid \[N, out..., coordinates\]
/// (floats; one coordinate per spatial dim, the last dim's first).
///
/// Output: \[N, C, out...\].
#[derive(Clone, Copy, Debug)]
pub struct GridSample {
    raw: sys::anydim_grid_sample_t,
}
impl GridSample {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_grid_sample_t::INIT }
    }

    /// Interpolation.
    #[must_use]
    pub fn mode(mut self, mode: GridSampleMode) -> Self {
        self.raw.mode = mode as i32;
        self
    }

    /// What is read outside the input.
    #[must_use]
    pub fn padding(mut self, padding: GridSamplePadding) -> Self {
        self.raw.padding = padding as i32;
        self
    }

    /// -1 and 1 are the centres of the outermost elements, else their outer edges.
    #[must_use]
    pub fn align_corners(mut self, align_corners: bool) -> Self {
        self.raw.align_corners = i32::from(align_corners);
        self
    }
}

impl Default for GridSample {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for GridSample {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for GridSample {
    const KIND: &'static str = "grid_sample";

    fn outputs(&self) -> usize {
        1
    }
}

/// How many elements are not zero. NaN is not zero; -0 is.
///
/// Input: x (any dtype).
///
/// Output: \[\], i64.
#[derive(Clone, Copy, Debug)]
pub struct CountNonZero {
    raw: sys::anydim_count_non_zero_t,
}
impl CountNonZero {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_count_non_zero_t::INIT }
    }
}

impl Default for CountNonZero {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for CountNonZero {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for CountNonZero {
    const KIND: &'static str = "count_non_zero";

    fn outputs(&self) -> usize {
        1
    }
}

/// The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j is
/// at \[i, j\]. Fewer such elements are an error in the data.
///
/// Input: x (any dtype).
///
/// Output: \[rank of x, count\], i64.
#[derive(Clone, Copy, Debug)]
pub struct NonZero {
    raw: sys::anydim_non_zero_t,
}
impl NonZero {
    /// The operator with the defaults of its attributes.
    ///
    /// - `count`: How many; count_non_zero counts them.
    pub fn new(count: i64) -> Self {
        let mut raw = sys::anydim_non_zero_t::INIT;
        raw.count = count;
        Self { raw }
    }
}

impl Sealed for NonZero {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for NonZero {
    const KIND: &'static str = "non_zero";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct Unique {
    raw: sys::anydim_unique_t,
}
impl Unique {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_unique_t::INIT }
    }

    /// The axis; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// Distinct slices come in increasing order, else in that of their first places.
    #[must_use]
    pub fn sorted(mut self, sorted: bool) -> Self {
        self.raw.sorted = i32::from(sorted);
        self
    }
}

impl Default for Unique {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Unique {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Unique {
    const KIND: &'static str = "unique";

    fn outputs(&self) -> usize {
        4
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
#[derive(Clone, Copy, Debug)]
pub struct Recurrent {
    raw: sys::anydim_recurrent_t,
}
impl Recurrent {
    /// The operator with the defaults of its attributes.
    ///
    /// - `cell`: The cell.
    pub fn new(cell: RecurrentCell) -> Self {
        let mut raw = sys::anydim_recurrent_t::INIT;
        raw.cell = cell as i32;
        Self { raw }
    }

    /// Which way the steps are taken.
    #[must_use]
    pub fn direction(mut self, direction: RecurrentDirection) -> Self {
        self.raw.direction = direction as i32;
        self
    }

    /// The function of the gates of lstm and gru.
    #[must_use]
    pub fn gates(mut self, gates: UnaryFunction) -> Self {
        self.raw.gates = gates as i32;
        self
    }

    /// Its first parameter, for functions whose text names alpha.
    #[must_use]
    pub fn gates_alpha(mut self, gates_alpha: f32) -> Self {
        self.raw.gates_alpha = gates_alpha;
        self
    }

    /// Its second parameter, for functions whose text names beta.
    #[must_use]
    pub fn gates_beta(mut self, gates_beta: f32) -> Self {
        self.raw.gates_beta = gates_beta;
        self
    }

    /// The function of the candidate state; the only one of rnn.
    #[must_use]
    pub fn candidate(mut self, candidate: UnaryFunction) -> Self {
        self.raw.candidate = candidate as i32;
        self
    }

    /// Its first parameter, for functions whose text names alpha.
    #[must_use]
    pub fn candidate_alpha(mut self, candidate_alpha: f32) -> Self {
        self.raw.candidate_alpha = candidate_alpha;
        self
    }

    /// Its second parameter, for functions whose text names beta.
    #[must_use]
    pub fn candidate_beta(mut self, candidate_beta: f32) -> Self {
        self.raw.candidate_beta = candidate_beta;
        self
    }

    /// The function of lstm's cell state, before the output gate.
    #[must_use]
    pub fn output(mut self, output: UnaryFunction) -> Self {
        self.raw.output = output as i32;
        self
    }

    /// Its first parameter, for functions whose text names alpha.
    #[must_use]
    pub fn output_alpha(mut self, output_alpha: f32) -> Self {
        self.raw.output_alpha = output_alpha;
        self
    }

    /// Its second parameter, for functions whose text names beta.
    #[must_use]
    pub fn output_beta(mut self, output_beta: f32) -> Self {
        self.raw.output_beta = output_beta;
        self
    }

    /// What the functions of gates and candidate are applied to is clipped to \[-clip, clip\]. 0: it is not.
    #[must_use]
    pub fn clip(mut self, clip: f32) -> Self {
        self.raw.clip = clip;
        self
    }

    /// gru: the reset gate is applied to the product with the state and not to the state.
    #[must_use]
    pub fn linear_before_reset(mut self, linear_before_reset: bool) -> Self {
        self.raw.linear_before_reset = i32::from(linear_before_reset);
        self
    }

    /// lstm: the forget gate is 1 - the input gate.
    #[must_use]
    pub fn input_forget(mut self, input_forget: bool) -> Self {
        self.raw.input_forget = i32::from(input_forget);
        self
    }

    /// lstm: the last cell state is an output, too.
    #[must_use]
    pub fn cell_state(mut self, cell_state: bool) -> Self {
        self.raw.cell_state = i32::from(cell_state);
        self
    }
}

impl Sealed for Recurrent {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Recurrent {
    const KIND: &'static str = "recurrent";

    fn outputs(&self) -> usize {
        2 + usize::from(self.raw.cell_state != 0)
    }
}

/// The sum of columns at the windows that they were taken from (ONNX Col2Im). A column holds a window's elements,
/// channel by channel; windows follow each other in row-major order. Per spatial dim means the first `spatial`
/// entries.
///
/// Input: columns \[N, C \* block, windows\] (numbers).
///
/// Output: \[N, C, image...\].
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    raw: sys::anydim_fold_t,
}
impl Fold {
    /// The operator with the defaults of its attributes.
    ///
    /// - `image`: Dims of the image, one per spatial dim.
    /// - `window`: Dims of a window, one per spatial dim.
    pub fn new(image: &[i64], window: &[i64]) -> Self {
        let mut raw = sys::anydim_fold_t::INIT;
        raw.image = list_of(image);
        raw.window = list_of(window);
        Self { raw }
    }

    /// Number of spatial dims, 1 to 3. 2 unless it is said.
    #[must_use]
    pub fn spatial(mut self, spatial: i32) -> Self {
        self.raw.spatial = spatial;
        self
    }

    /// Strides.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<PerSpatial>) -> Self {
        self.raw.strides = strides.into().0;
        self
    }

    /// Distances between taps.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn dilations(mut self, dilations: impl Into<PerSpatial>) -> Self {
        self.raw.dilations = dilations.into().0;
        self
    }

    /// Padding before, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_begin(mut self, pads_begin: impl Into<PerSpatial>) -> Self {
        self.raw.pads_begin = pads_begin.into().0;
        self
    }

    /// Padding before and after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads(mut self, pads: impl Into<PerSpatial>) -> Self {
        let pads = pads.into().0;
        self.raw.pads_begin = pads;
        self.raw.pads_end = pads;
        self
    }

    /// Padding after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_end(mut self, pads_end: impl Into<PerSpatial>) -> Self {
        self.raw.pads_end = pads_end.into().0;
        self
    }
}

impl Sealed for Fold {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Fold {
    const KIND: &'static str = "fold";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct DeformColumns {
    raw: sys::anydim_deform_columns_t,
}
impl DeformColumns {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_deform_columns_t::INIT }
    }

    /// 2. 2 unless it is said.
    #[must_use]
    pub fn spatial(mut self, spatial: i32) -> Self {
        self.raw.spatial = spatial;
        self
    }

    /// KH and KW.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn window(mut self, window: impl Into<PerSpatial>) -> Self {
        self.raw.window = window.into().0;
        self
    }

    /// Strides.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn strides(mut self, strides: impl Into<PerSpatial>) -> Self {
        self.raw.strides = strides.into().0;
        self
    }

    /// Distances between taps.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn dilations(mut self, dilations: impl Into<PerSpatial>) -> Self {
        self.raw.dilations = dilations.into().0;
        self
    }

    /// Padding before, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_begin(mut self, pads_begin: impl Into<PerSpatial>) -> Self {
        self.raw.pads_begin = pads_begin.into().0;
        self
    }

    /// Padding before and after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads(mut self, pads: impl Into<PerSpatial>) -> Self {
        let pads = pads.into().0;
        self.raw.pads_begin = pads;
        self.raw.pads_end = pads;
        self
    }

    /// Padding after, per spatial dim.
    ///
    /// One number for all spatial dims, or an array of one for each.
    #[must_use]
    pub fn pads_end(mut self, pads_end: impl Into<PerSpatial>) -> Self {
        self.raw.pads_end = pads_end.into().0;
        self
    }

    /// Channels are cut into so many groups, each with offsets of its own.
    #[must_use]
    pub fn groups(mut self, groups: i64) -> Self {
        self.raw.groups = groups;
        self
    }
}

impl Default for DeformColumns {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for DeformColumns {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for DeformColumns {
    const KIND: &'static str = "deform_columns";

    fn outputs(&self) -> usize {
        1
    }
}

/// Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples by
/// linear interpolation, or the maximum of the elements in it. Outside the input is 0.
///
/// Inputs: x \[N, C, H, W\] (f32, f64, f16, bf16), rois \[regions, 4\] (the dtype of x; x and y of where it begins,
/// then of where it ends), batch \[regions\] (i32 or i64; which of the N inputs a region is of).
///
/// Output: \[regions, C, height, width\].
#[derive(Clone, Copy, Debug)]
pub struct RoiAlign {
    raw: sys::anydim_roi_align_t,
}
impl RoiAlign {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_roi_align_t::INIT }
    }

    /// What a bin becomes.
    #[must_use]
    pub fn mode(mut self, mode: RoiMode) -> Self {
        self.raw.mode = mode as i32;
        self
    }

    /// Coordinates mean edges of elements, else centres. A region is at least 1 high and wide without it.
    #[must_use]
    pub fn half_pixel(mut self, half_pixel: bool) -> Self {
        self.raw.half_pixel = i32::from(half_pixel);
        self
    }

    /// Bins from top to bottom.
    #[must_use]
    pub fn height(mut self, height: i64) -> Self {
        self.raw.height = height;
        self
    }

    /// Bins from left to right.
    #[must_use]
    pub fn width(mut self, width: i64) -> Self {
        self.raw.width = width;
        self
    }

    /// Samples of a bin along each side; 0: as many as elements it is long, rounded up.
    #[must_use]
    pub fn samples(mut self, samples: i64) -> Self {
        self.raw.samples = samples;
        self
    }

    /// Factor of the coordinates.
    #[must_use]
    pub fn scale(mut self, scale: f32) -> Self {
        self.raw.scale = scale;
        self
    }
}

impl Default for RoiAlign {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for RoiAlign {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for RoiAlign {
    const KIND: &'static str = "roi_align";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct NonMaxSuppression {
    raw: sys::anydim_non_max_suppression_t,
}
impl NonMaxSuppression {
    /// The operator with the defaults of its attributes.
    ///
    /// - `most`: The most boxes of a class, at most the number of boxes.
    pub fn new(most: i64) -> Self {
        let mut raw = sys::anydim_non_max_suppression_t::INIT;
        raw.most = most;
        Self { raw }
    }

    /// Boxes are given as centre and size.
    #[must_use]
    pub fn center_point(mut self, center_point: bool) -> Self {
        self.raw.center_point = i32::from(center_point);
        self
    }
}

impl Sealed for NonMaxSuppression {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for NonMaxSuppression {
    const KIND: &'static str = "non_max_suppression";

    fn outputs(&self) -> usize {
        2
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
#[derive(Clone, Copy, Debug)]
pub struct Dft {
    raw: sys::anydim_dft_t,
}
impl Dft {
    /// The operator with the defaults of its attributes.
    ///
    /// - `length`: How long the transform is.
    pub fn new(length: i64) -> Self {
        let mut raw = sys::anydim_dft_t::INIT;
        raw.length = length;
        Self { raw }
    }

    /// The axis, not the last; negative counts from the end.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// The inverse transform.
    #[must_use]
    pub fn inverse(mut self, inverse: bool) -> Self {
        self.raw.inverse = i32::from(inverse);
        self
    }

    /// The first half is all there is of the result, or with inverse of x: the rest is its conjugate.
    #[must_use]
    pub fn onesided(mut self, onesided: bool) -> Self {
        self.raw.onesided = i32::from(onesided);
        self
    }
}

impl Sealed for Dft {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Dft {
    const KIND: &'static str = "dft";

    fn outputs(&self) -> usize {
        1
    }
}

/// Determinants of the matrices in the last two axes.
///
/// Input: x \[..., M, M\] (floats).
///
/// Output: x's without the last two.
#[derive(Clone, Copy, Debug)]
pub struct Det {
    raw: sys::anydim_det_t,
}
impl Det {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_det_t::INIT }
    }
}

impl Default for Det {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Det {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Det {
    const KIND: &'static str = "det";

    fn outputs(&self) -> usize {
        1
    }
}

/// Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows from
/// seed and stream alone. docs/numerics.md, section 10.
///
/// Inputs: none.
///
/// Output: \[dims\], of that dtype.
#[derive(Clone, Copy, Debug)]
pub struct RandomUniform {
    raw: sys::anydim_random_uniform_t,
}
impl RandomUniform {
    /// The operator with the defaults of its attributes.
    ///
    /// - `seed`: The seed.
    pub fn new(seed: i64) -> Self {
        let mut raw = sys::anydim_random_uniform_t::INIT;
        raw.seed = seed;
        Self { raw }
    }

    /// The dtype: f32 or f64.
    #[must_use]
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.raw.dtype = dtype as i32;
        self
    }

    /// The output's dims.
    #[must_use]
    pub fn dims(mut self, dims: &[i64]) -> Self {
        self.raw.dims = list_of(dims);
        self
    }

    /// Which of the independent sequences of a seed.
    #[must_use]
    pub fn stream(mut self, stream: i64) -> Self {
        self.raw.stream = stream;
        self
    }
}

impl Sealed for RandomUniform {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for RandomUniform {
    const KIND: &'static str = "random_uniform";

    fn outputs(&self) -> usize {
        1
    }
}

/// The same bits as elements of another dtype of the same size.
///
/// Input: x (any dtype, narrow ones too).
///
/// Output: x's.
#[derive(Clone, Copy, Debug)]
pub struct BitCast {
    raw: sys::anydim_bit_cast_t,
}
impl BitCast {
    /// The operator with the defaults of its attributes.
    ///
    /// - `to`: The dtype.
    pub fn new(to: Dtype) -> Self {
        let mut raw = sys::anydim_bit_cast_t::INIT;
        raw.to = to as i32;
        Self { raw }
    }
}

impl Sealed for BitCast {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for BitCast {
    const KIND: &'static str = "bit_cast";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    raw: sys::anydim_attention_t,
}
impl Attention {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_attention_t::INIT }
    }

    /// How many keys before its own position a query sees. -1: all.
    #[must_use]
    pub fn left_window(mut self, left_window: i64) -> Self {
        self.raw.left_window = left_window;
        self
    }

    /// How many keys behind its own position a query sees. -1: all.
    #[must_use]
    pub fn right_window(mut self, right_window: i64) -> Self {
        self.raw.right_window = right_window;
        self
    }

    /// The position of the first query; starts, where they are given, take its place.
    #[must_use]
    pub fn first(mut self, first: i64) -> Self {
        self.raw.first = first;
        self
    }

    /// Factor of the products.
    #[must_use]
    pub fn scale(mut self, scale: f32) -> Self {
        self.raw.scale = scale;
        self
    }

    /// Scores become softcap \* tanh(score / softcap). 0: they do not.
    #[must_use]
    pub fn softcap(mut self, softcap: f32) -> Self {
        self.raw.softcap = softcap;
        self
    }

    /// A query sees no key behind its own position.
    #[must_use]
    pub fn causal(mut self, causal: bool) -> Self {
        self.raw.causal = i32::from(causal);
        self
    }
}

impl Default for Attention {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Attention {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Attention {
    const KIND: &'static str = "attention";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct CompressedMatmul {
    raw: sys::anydim_compressed_matmul_t,
}
impl CompressedMatmul {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_compressed_matmul_t::INIT }
    }

    /// b is given as \[N, K\], and what belongs to its blocks as \[N, blocks\].
    #[must_use]
    pub fn transpose_b(mut self, transpose_b: bool) -> Self {
        self.raw.transpose_b = i32::from(transpose_b);
        self
    }

    /// Rows of a are rounded to 8 bits, each block of them by a scale of its own. For numbers in blocks of 8 to 256.
    #[must_use]
    pub fn rounded_rows(mut self, rounded_rows: bool) -> Self {
        self.raw.rounded_rows = i32::from(rounded_rows);
        self
    }

    /// Numbers of a block; the last one may be shorter. 0: one block.
    #[must_use]
    pub fn block(mut self, block: i64) -> Self {
        self.raw.block = block;
        self
    }

    /// What zero_points say where they are left out.
    #[must_use]
    pub fn zero_point(mut self, zero_point: i64) -> Self {
        self.raw.zero_point = zero_point;
        self
    }
}

impl Default for CompressedMatmul {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for CompressedMatmul {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for CompressedMatmul {
    const KIND: &'static str = "compressed_matmul";

    fn outputs(&self) -> usize {
        1
    }
}

/// The cache, in which the update is stored along an axis, from position starts\[b\] (or first) on in example b,
/// which the first axis counts. The result is `length` long; what neither holds is 0. It may lie in the cache's own
/// memory: what is old then stays where it is, and only the update and what is 0 are written. A windowed cache holds
/// the last part of a sequence and stays as long as it is. The first evicted\[b\] slices leave it; those behind them
/// move to its front (and stay behind it, as they are). Then the update is stored from starts\[b\] on, as much of it
/// as lies within. The second result is what the cache and the update hold together, for who needs what has left:
/// the cache with the update from starts\[b\] + evicted\[b\] on, if the update has more than one slice, else
/// nothing.
///
/// Inputs: cache (any dtype), update, the cache's but for the axis (the dtype of cache), starts \[size of the first
/// axis\] (i64; where the update of each example begins; may be left out), evicted \[size of the first axis\] (i64;
/// how many slices leave a windowed cache; may be left out).
///
/// Outputs: the cache's, the axis `length`, the dtype of cache; the cache's, the axis as long as the cache and the
/// update or 0, the dtype of cache (both, before any slice leaves), with windowed.
#[derive(Clone, Copy, Debug)]
pub struct Append {
    raw: sys::anydim_append_t,
}
impl Append {
    /// The operator with the defaults of its attributes.
    ///
    /// - `length`: The size of the result's axis, at least the cache's.
    pub fn new(length: i64) -> Self {
        let mut raw = sys::anydim_append_t::INIT;
        raw.length = length;
        Self { raw }
    }

    /// The axis; negative counts from the end. With starts it is not the first.
    #[must_use]
    pub fn axis(mut self, axis: i64) -> Self {
        self.raw.axis = axis;
        self
    }

    /// Where the update begins; starts, where they are given, take its place.
    #[must_use]
    pub fn first(mut self, first: i64) -> Self {
        self.raw.first = first;
        self
    }

    /// Positions are taken modulo the length; else they lie within it.
    #[must_use]
    pub fn circular(mut self, circular: bool) -> Self {
        self.raw.circular = i32::from(circular);
        self
    }

    /// The cache is windowed: starts and evicted are given, and the length is the cache's.
    #[must_use]
    pub fn windowed(mut self, windowed: bool) -> Self {
        self.raw.windowed = i32::from(windowed);
        self
    }
}

impl Sealed for Append {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for Append {
    const KIND: &'static str = "append";

    fn outputs(&self) -> usize {
        1 + usize::from(self.raw.windowed != 0)
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
#[derive(Clone, Copy, Debug)]
pub struct TreeEnsemble {
    raw: sys::anydim_tree_ensemble_t,
}
impl TreeEnsemble {
    /// The operator with the defaults of its attributes.
    ///
    /// - `outputs`: How many targets.
    pub fn new(outputs: i64) -> Self {
        let mut raw = sys::anydim_tree_ensemble_t::INIT;
        raw.outputs = outputs;
        Self { raw }
    }

    /// What the trees' weights for a target become.
    #[must_use]
    pub fn aggregate(mut self, aggregate: TreeAggregate) -> Self {
        self.raw.aggregate = aggregate as i32;
        self
    }
}

impl Sealed for TreeEnsemble {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for TreeEnsemble {
    const KIND: &'static str = "tree_ensemble";

    fn outputs(&self) -> usize {
        1
    }
}

/// Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng (2004),
/// iterated until no error is above 0.005 / classes, as support vector machines have it.
///
/// Input: x \[..., classes \* (classes - 1) / 2\] (f32, f64; of 0 against 1, 0 against 2, ..., 1 against 2, ...).
///
/// Output: \[..., classes\].
#[derive(Clone, Copy, Debug)]
pub struct CouplePairs {
    raw: sys::anydim_couple_pairs_t,
}
impl CouplePairs {
    /// The operator with the defaults of its attributes.
    ///
    /// - `classes`: How many classes.
    pub fn new(classes: i64) -> Self {
        let mut raw = sys::anydim_couple_pairs_t::INIT;
        raw.classes = classes;
        Self { raw }
    }
}

impl Sealed for CouplePairs {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for CouplePairs {
    const KIND: &'static str = "couple_pairs";

    fn outputs(&self) -> usize {
        1
    }
}

/// The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's
/// DynamicQuantizeLinear quantizes with. docs/numerics.md, section 1, has the bits.
///
/// Input: x (f32).
///
/// Outputs: \[\] (the scale); \[\], u8 (the zero point).
#[derive(Clone, Copy, Debug)]
pub struct QuantizationRange {
    raw: sys::anydim_quantization_range_t,
}
impl QuantizationRange {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_quantization_range_t::INIT }
    }
}

impl Default for QuantizationRange {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for QuantizationRange {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for QuantizationRange {
    const KIND: &'static str = "quantization_range";

    fn outputs(&self) -> usize {
        2
    }
}

/// Where each string stands in a sorted table; -1 if it is not in it.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8), table \[strings\] (i64; views of distinct strings, in the increasing
/// order of their bytes; usually constant), table_heap \[bytes\] (u8; usually constant).
///
/// Output: x's, i64.
#[derive(Clone, Copy, Debug)]
pub struct StringLookup {
    raw: sys::anydim_string_lookup_t,
}
impl StringLookup {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_string_lookup_t::INIT }
    }
}

impl Default for StringLookup {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for StringLookup {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringLookup {
    const KIND: &'static str = "string_lookup";

    fn outputs(&self) -> usize {
        1
    }
}

/// Whether two strings have the same bytes; dims broadcast as in NumPy.
///
/// Inputs: a (i64; views), a_heap \[bytes\] (u8), b (i64; views), b_heap \[bytes\] (u8).
///
/// Output: broadcast, bool.
#[derive(Clone, Copy, Debug)]
pub struct StringEqual {
    raw: sys::anydim_string_equal_t,
}
impl StringEqual {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_string_equal_t::INIT }
    }
}

impl Default for StringEqual {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for StringEqual {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringEqual {
    const KIND: &'static str = "string_equal";

    fn outputs(&self) -> usize {
        1
    }
}

/// The bytes of one string and then those of another; dims broadcast as in NumPy. The results lie in the new heap
/// one behind the other; its rest is zeros. Results that do not fit into it are an error in the data.
///
/// Inputs: a (i64; views), a_heap \[bytes\] (u8), b (i64; views), b_heap \[bytes\] (u8).
///
/// Outputs: broadcast, i64 (views); \[bytes\], u8 (their heap).
#[derive(Clone, Copy, Debug)]
pub struct StringConcat {
    raw: sys::anydim_string_concat_t,
}
impl StringConcat {
    /// The operator with the defaults of its attributes.
    ///
    /// - `bytes`: How large the new heap is.
    pub fn new(bytes: i64) -> Self {
        let mut raw = sys::anydim_string_concat_t::INIT;
        raw.bytes = bytes;
        Self { raw }
    }
}

impl Sealed for StringConcat {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringConcat {
    const KIND: &'static str = "string_concat";

    fn outputs(&self) -> usize {
        2
    }
}

/// Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent of
/// language). The results lie in the new heap one behind the other; its rest is zeros. Results that do not fit into
/// it are an error in the data.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8).
///
/// Outputs: x's, i64 (views); \[bytes\], u8 (their heap).
#[derive(Clone, Copy, Debug)]
pub struct StringCase {
    raw: sys::anydim_string_case_t,
}
impl StringCase {
    /// The operator with the defaults of its attributes.
    ///
    /// - `bytes`: How large the new heap is.
    pub fn new(bytes: i64) -> Self {
        let mut raw = sys::anydim_string_case_t::INIT;
        raw.bytes = bytes;
        Self { raw }
    }

    /// Upper case, else lower case.
    #[must_use]
    pub fn upper(mut self, upper: bool) -> Self {
        self.raw.upper = i32::from(upper);
        self
    }
}

impl Sealed for StringCase {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringCase {
    const KIND: &'static str = "string_case";

    fn outputs(&self) -> usize {
        2
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
#[derive(Clone, Copy, Debug)]
pub struct StringMatch {
    raw: sys::anydim_string_match_t,
}
impl StringMatch {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_string_match_t::INIT }
    }
}

impl Default for StringMatch {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for StringMatch {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringMatch {
    const KIND: &'static str = "string_match";

    fn outputs(&self) -> usize {
        1
    }
}

/// How many pieces string_split cuts each string into.
///
/// Inputs: x (i64; views), heap \[bytes\] (u8), classes \[automata, 256\] (u8; see string_match; of separators and
/// tokens; may be left out), transitions \[states, columns\] (i32; rows 4 \* k to 4 \* k + 3 are where automaton k
/// begins; may be left out).
///
/// Outputs: x's, i64; \[\], i64 (the largest count).
#[derive(Clone, Copy, Debug)]
pub struct CountStringPieces {
    raw: sys::anydim_count_string_pieces_t,
}
impl CountStringPieces {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_count_string_pieces_t::INIT }
    }

    /// What the pieces are.
    #[must_use]
    pub fn rule(mut self, rule: StringRule) -> Self {
        self.raw.rule = rule as i32;
        self
    }

    /// How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and
    /// whitespace.
    #[must_use]
    pub fn most_splits(mut self, most_splits: i64) -> Self {
        self.raw.most_splits = most_splits;
        self
    }

    /// Shorter pieces are left out. Of separators and tokens.
    #[must_use]
    pub fn min_characters(mut self, min_characters: i64) -> Self {
        self.raw.min_characters = min_characters;
        self
    }
}

impl Default for CountStringPieces {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for CountStringPieces {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for CountStringPieces {
    const KIND: &'static str = "count_string_pieces";

    fn outputs(&self) -> usize {
        2
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
#[derive(Clone, Copy, Debug)]
pub struct StringSplit {
    raw: sys::anydim_string_split_t,
}
impl StringSplit {
    /// The operator with the defaults of its attributes.
    ///
    /// - `most`: How many pieces of each string are given; count_string_pieces counts them.
    pub fn new(most: i64) -> Self {
        let mut raw = sys::anydim_string_split_t::INIT;
        raw.most = most;
        Self { raw }
    }

    /// What the pieces are.
    #[must_use]
    pub fn rule(mut self, rule: StringRule) -> Self {
        self.raw.rule = rule as i32;
        self
    }

    /// How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators and
    /// whitespace.
    #[must_use]
    pub fn most_splits(mut self, most_splits: i64) -> Self {
        self.raw.most_splits = most_splits;
        self
    }

    /// Shorter pieces are left out. Of separators and tokens.
    #[must_use]
    pub fn min_characters(mut self, min_characters: i64) -> Self {
        self.raw.min_characters = min_characters;
        self
    }
}

impl Sealed for StringSplit {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringSplit {
    const KIND: &'static str = "string_split";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct NgramCounts {
    raw: sys::anydim_ngram_counts_t,
}
impl NgramCounts {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_ngram_counts_t::INIT }
    }

    /// How many columns the result has.
    #[must_use]
    pub fn outputs(mut self, outputs: i64) -> Self {
        self.raw.outputs = outputs;
        self
    }

    /// The most items between one of an n-gram and the next.
    #[must_use]
    pub fn max_skip(mut self, max_skip: i64) -> Self {
        self.raw.max_skip = max_skip;
        self
    }
}

impl Default for NgramCounts {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for NgramCounts {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for NgramCounts {
    const KIND: &'static str = "ngram_counts";

    fn outputs(&self) -> usize {
        1
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
#[derive(Clone, Copy, Debug)]
pub struct StringParse {
    raw: sys::anydim_string_parse_t,
}
impl StringParse {
    /// The operator with the defaults of its attributes.
    ///
    /// - `to`: The dtype: f32, f64, bool or integers of 8 to 64 bits.
    pub fn new(to: Dtype) -> Self {
        let mut raw = sys::anydim_string_parse_t::INIT;
        raw.to = to as i32;
        Self { raw }
    }
}

impl Sealed for StringParse {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringParse {
    const KIND: &'static str = "string_parse";

    fn outputs(&self) -> usize {
        1
    }
}

/// Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end, in
/// scientific form where the exponent is below -4 or above 7; INF, -INF, NaN. Number i lies from 15 \* i on in the
/// heap, of integers from 20 \* i on.
///
/// Input: x (f32, f64, i64, u64).
///
/// Outputs: x's, i64 (views); \[bytes\], u8 (their heap).
#[derive(Clone, Copy, Debug)]
pub struct StringFormat {
    raw: sys::anydim_string_format_t,
}
impl StringFormat {
    /// The operator with the defaults of its attributes.
    pub fn new() -> Self {
        Self { raw: sys::anydim_string_format_t::INIT }
    }
}

impl Default for StringFormat {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for StringFormat {
    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {
        call(Head::new(&self.raw, &self.raw.op))
    }
}

impl Operator for StringFormat {
    const KIND: &'static str = "string_format";

    fn outputs(&self) -> usize {
        2
    }
}
