// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! One call or more of every operator, each at two shapes, for tests/operators.rs.

use anydim::operators::*;
use anydim::*;

/// An input: its dims in two calls, and the smallest and largest number that make sense in it where it is of integers.
pub struct Input {
    pub dtype: Dtype,
    pub dims: [&'static [i64]; 2],
    pub limits: (i64, i64),
}

/// What is done with each example.
pub trait Visitor {
    /// Gets an operator, its inputs, and how many outputs the description says it has.
    fn visit<O: Operator + Clone>(&mut self, operator: O, inputs: &[Input], outputs: usize);
}

/// How many operators are described.
pub const DESCRIBED: usize = 62;

/// Shows every example.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit(
        Convolution::new().spatial(2).strides([2, 1, 0]).pads_begin([1, 0, 0]).pads_end([1, 2, 0]).dilations([1, 2, 0]).group(2),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 4, 9, 11], &[3, 4, 6, 8]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[6, 2, 3, 3], &[6, 2, 3, 3]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[6], &[6]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Convolution::new().spatial(1).auto_pad(AutoPad::SameLower),
        &[
            Input { dtype: Dtype::F64, dims: [&[2, 3, 8], &[1, 3, 5]], limits: (0, 7) },
            Input { dtype: Dtype::F64, dims: [&[4, 3, 2], &[4, 3, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        ConvTranspose::new().spatial(2).strides([2, 3, 0]).pads_begin([1, 0, 0]).output_padding([1, 0, 0]).group(2),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 4, 5, 6], &[2, 4, 3, 4]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[4, 3, 3, 2], &[4, 3, 3, 2]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[6], &[6]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        ConvTranspose::new().spatial(2).strides([2, 2, 0]).output_shape(&[9, 8]),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 2, 4, 4], &[3, 2, 4, 4]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 2, 3, 3], &[2, 2, 3, 3]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Matmul::new().transpose_b(true).alpha(0.5).beta(2.0),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 7, 33], &[1, 3, 33]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[20, 33], &[20, 33]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[20], &[20]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Matmul::new().transpose_a(true),
        &[
            Input { dtype: Dtype::I32, dims: [&[9, 4], &[6, 4]], limits: (0, 9) },
            Input { dtype: Dtype::I32, dims: [&[9, 5], &[6, 5]], limits: (0, 9) },
        ],
        1,
    );
    visitor.visit(
        Pooling::new().spatial(2).kind(PoolingKind::Average).window([3, 2, 0]).strides([2, 2, 0]).pads_begin([1, 0, 0]).count_include_pad(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 3, 9, 8], &[2, 3, 6, 11]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Pooling::new().spatial(2).kind(PoolingKind::Max).window([2, 2, 0]).strides([2, 2, 0]).indices(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 2, 6, 8], &[2, 2, 5, 7]], limits: (0, 7) },
        ],
        2,
    );
    visitor.visit(
        Pooling::new().spatial(2).kind(PoolingKind::Average).global(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 3, 9, 8], &[2, 3, 1, 11]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Unary::new(UnaryFunction::Clip).alpha(-0.5).beta(0.75),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 50], &[7, 1]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Binary::new(BinaryFunction::Sub),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 1, 50], &[7, 1, 2]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[4, 50], &[4, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Reduce::new(ReduceKind::Sum).axes(&[-1, 1]).keepdims(false),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 20, 7], &[2, 300, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Softmax::new().axis(1).log(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 20, 7], &[2, 30, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        LayerNorm::new().epsilon(0.001),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 4, 40], &[2, 1, 40]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[40], &[40]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[40], &[40]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Resize::new().mode(ResizeMode::Linear).scales(&[1.0, 1.0, 2.0, 1.5]),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 3, 5, 8], &[2, 3, 4, 6]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Resize::new().mode(ResizeMode::Cubic).axes(&[2, 3]).sizes(&[7, 9]).coordinates(ResizeCoordinates::AlignCorners),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 2, 5, 8], &[2, 2, 4, 6]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Transpose::new(&[2, 0, 1]),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 4, 20], &[2, 1, 7]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Cast::new(Dtype::I32),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 40], &[5, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Concat::new().axis(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 4, 20], &[2, 1, 7]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[3, 5, 20], &[2, 5, 7]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[3, 1, 20], &[2, 1, 7]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Where::new(),
        &[
            Input { dtype: Dtype::Bool, dims: [&[3, 40], &[5, 2]], limits: (0, 1) },
            Input { dtype: Dtype::F32, dims: [&[3, 40], &[5, 2]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[40], &[2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        ArgReduce::new().kind(ArgReduceKind::Min).axis(1).keepdims(false).select_last(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 20, 7], &[2, 30, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Cumsum::new().exclusive(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 20, 7], &[2, 30, 5]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[1], &[1]], limits: (1, 1) },
        ],
        1,
    );
    visitor.visit(
        Reshape::new().dims(&[4, 6]),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 8], &[2, 12]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Expand::new().dims(&[3, 1, 7]),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 1], &[2, 7]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Slice::new().starts(&[1, 5]).steps(&[1, -2]).lengths(&[2, 3]),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 9], &[3, 6]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Pad::new().mode(PadMode::Reflect).before(&[0, 2]).after(&[1, -1]),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 9], &[3, 6]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Pad::new().before(&[1, 0]).after(&[0, 3]),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 9], &[3, 6]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1], &[1]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Tile::new().repeats(&[2, 3]),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 9], &[3, 1]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        DepthToSpace::new().block(2).order(DepthToSpaceOrder::ColumnFirst),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 8, 3, 5], &[2, 12, 4, 1]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Range::new().dtype(Dtype::I32).start(10).delta(-3).count(6),
        &[
        ],
        1,
    );
    visitor.visit(
        Range::new().dtype(Dtype::F32).real(true).real_start(0.25).real_delta(0.1).count(37),
        &[
        ],
        1,
    );
    visitor.visit(
        ShapeTensor::new([3, -1, 4, 1, 5, 9, 2, 6, 5, 3]).dtype(Dtype::F32),
        &[
        ],
        1,
    );
    visitor.visit(
        Gather::new().axis(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 8, 5], &[2, 8, 1]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[2, 3], &[4, 1]], limits: (-8, 7) },
        ],
        1,
    );
    visitor.visit(
        GatherElements::new().axis(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 8], &[2, 8]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 11]], limits: (-8, 7) },
        ],
        1,
    );
    visitor.visit(
        GatherNd::new(),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 8, 5], &[3, 8, 2]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[4, 2], &[7, 2]], limits: (0, 2) },
        ],
        1,
    );
    visitor.visit(
        ScatterElements::new().axis(1).reduction(ScatterReduction::Add),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 8], &[2, 8]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 11]], limits: (-8, 7) },
            Input { dtype: Dtype::F32, dims: [&[3, 4], &[2, 11]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        ScatterNd::new().reduction(ScatterReduction::Max),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 5], &[3, 2]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[4, 1], &[7, 1]], limits: (0, 2) },
            Input { dtype: Dtype::F32, dims: [&[4, 5], &[7, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Topk::new().axis(1).k(3),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 9], &[2, 30]], limits: (0, 7) },
        ],
        2,
    );
    visitor.visit(
        Trilu::new().upper(false).k(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 4, 9], &[3, 5, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        EyeLike::new().dtype(Dtype::F64).k(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 9], &[3, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        OneHot::new(6).axis(1),
        &[
            Input { dtype: Dtype::I64, dims: [&[4, 3], &[2, 9]], limits: (-6, 7) },
            Input { dtype: Dtype::F32, dims: [&[2], &[2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        GridSample::new().padding(GridSamplePadding::Reflection),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 3, 5, 6], &[2, 3, 4, 1]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 7, 3, 2], &[2, 1, 9, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        GridSample::new().mode(GridSampleMode::Cubic).align_corners(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 2, 3, 4, 5], &[1, 2, 2, 6, 3]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 2, 3, 4, 3], &[1, 4, 1, 2, 3]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        GridSample::new().mode(GridSampleMode::Nearest).padding(GridSamplePadding::Border),
        &[
            Input { dtype: Dtype::I32, dims: [&[1, 2, 5, 6], &[1, 2, 4, 3]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 7, 3, 2], &[1, 7, 3, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        CountNonZero::new(),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 8, 5], &[2, 300, 1]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        NonZero::new(24),
        &[
            Input { dtype: Dtype::I32, dims: [&[3, 8], &[4, 6]], limits: (1, 9) },
        ],
        1,
    );
    visitor.visit(
        Unique::new().axis(1),
        &[
            Input { dtype: Dtype::I32, dims: [&[2, 9], &[1, 40]], limits: (0, 2) },
        ],
        4,
    );
    visitor.visit(
        Unique::new().axis(0).sorted(false),
        &[
            Input { dtype: Dtype::F32, dims: [&[30], &[7]], limits: (0, 7) },
        ],
        4,
    );
    visitor.visit(
        Recurrent::new(RecurrentCell::Lstm).direction(RecurrentDirection::Bidirectional).cell_state(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[5, 3, 20], &[7, 1, 20]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 64, 20], &[2, 64, 20]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 64, 16], &[2, 64, 16]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 128], &[2, 128]], limits: (0, 7) },
        ],
        3,
    );
    visitor.visit(
        Recurrent::new(RecurrentCell::Gru).clip(3.0),
        &[
            Input { dtype: Dtype::F32, dims: [&[5, 3, 20], &[7, 1, 20]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 48, 20], &[1, 48, 20]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 48, 16], &[1, 48, 16]], limits: (0, 7) },
        ],
        2,
    );
    visitor.visit(
        Fold::new(&[11], &[3]).spatial(1).strides([2, 0, 0]).pads_begin([1, 0, 0]),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 6, 5], &[1, 6, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        DeformColumns::new().spatial(2).window([3, 2, 0]).pads_begin([1, 0, 0]).pads_end([1, 0, 0]).groups(2),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 4, 5, 6], &[1, 4, 5, 6]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 24, 5, 5], &[1, 24, 5, 5]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 12, 5, 5], &[1, 12, 5, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        RoiAlign::new().height(3).width(2).samples(2).scale(0.0625),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 3, 9, 8], &[1, 2, 9, 8]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[5, 4], &[3, 4]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[5], &[3]], limits: (0, 0) },
        ],
        1,
    );
    visitor.visit(
        NonMaxSuppression::new(5),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 20, 4], &[1, 20, 4]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 3, 20], &[1, 2, 20]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[1], &[1]], limits: (4, 4) },
            Input { dtype: Dtype::F32, dims: [&[1], &[1]], limits: (0, 7) },
        ],
        2,
    );
    visitor.visit(
        Dft::new(12).axis(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 12, 3, 1], &[1, 12, 2, 1]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Dft::new(10).axis(0).inverse(true).onesided(true),
        &[
            Input { dtype: Dtype::F64, dims: [&[6, 3, 2], &[6, 1, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Det::new(),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 4, 4], &[2, 4, 4]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        RandomUniform::new(7).dims(&[3, 50]).stream(2),
        &[
        ],
        1,
    );
    visitor.visit(
        BitCast::new(Dtype::I32),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 40], &[5, 2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Attention::new().scale(0.25).causal(true).first(3),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 6, 5, 16], &[2, 6, 5, 16]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 2, 8, 16], &[2, 2, 8, 16]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 2, 8, 12], &[2, 2, 8, 12]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Attention::new().scale(0.5).softcap(3.0).left_window(2).right_window(1),
        &[
            Input { dtype: Dtype::F32, dims: [&[1, 2, 9, 8], &[1, 2, 9, 8]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 2, 9, 8], &[1, 2, 9, 8]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 2, 9, 8], &[1, 2, 9, 8]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 1, 9, 9], &[1, 1, 9, 9]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        CompressedMatmul::new().transpose_b(true).block(16).zero_point(100),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 7, 33], &[1, 3, 33]], limits: (0, 7) },
            Input { dtype: Dtype::U8, dims: [&[20, 33], &[20, 33]], limits: (0, 255) },
            Input { dtype: Dtype::F32, dims: [&[20, 3], &[20, 3]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        CompressedMatmul::new().rounded_rows(true).block(16).zero_point(128),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 40], &[3, 40]], limits: (0, 7) },
            Input { dtype: Dtype::U8, dims: [&[40, 24], &[40, 24]], limits: (0, 255) },
            Input { dtype: Dtype::F32, dims: [&[3, 24], &[3, 24]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        CompressedMatmul::new(),
        &[
            Input { dtype: Dtype::F32, dims: [&[9, 20], &[9, 20]], limits: (0, 7) },
            Input { dtype: Dtype::I8, dims: [&[20, 12], &[20, 12]], limits: (-128, 127) },
            Input { dtype: Dtype::F32, dims: [&[1, 12], &[1, 12]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[1, 12], &[1, 12]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Append::new(7).axis(2).first(4),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 3, 4, 5], &[2, 3, 4, 5]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 3, 3, 5], &[2, 3, 3, 5]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        Append::new(6).axis(1).circular(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 6, 3], &[2, 6, 3]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 2, 3], &[2, 2, 3]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[2], &[2]], limits: (0, 9) },
        ],
        1,
    );
    visitor.visit(
        Append::new(6).axis(1).windowed(true),
        &[
            Input { dtype: Dtype::F32, dims: [&[2, 6, 3], &[2, 6, 3]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2, 2, 3], &[2, 2, 3]], limits: (0, 7) },
            Input { dtype: Dtype::I64, dims: [&[2], &[2]], limits: (0, 1) },
            Input { dtype: Dtype::I64, dims: [&[2], &[2]], limits: (0, 5) },
        ],
        2,
    );
    visitor.visit(
        TreeEnsemble::new(2).aggregate(TreeAggregate::Average),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 4], &[2, 4]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[5], &[5]], limits: (0, 7) },
            Input { dtype: Dtype::I32, dims: [&[5, 4], &[5, 4]], limits: (0, 0) },
            Input { dtype: Dtype::I32, dims: [&[2], &[2]], limits: (0, 4) },
            Input { dtype: Dtype::I32, dims: [&[3], &[3]], limits: (0, 1) },
            Input { dtype: Dtype::F32, dims: [&[3], &[3]], limits: (0, 7) },
            Input { dtype: Dtype::F32, dims: [&[2], &[2]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        CouplePairs::new(3),
        &[
            Input { dtype: Dtype::F32, dims: [&[4, 3], &[2, 3]], limits: (0, 7) },
        ],
        1,
    );
    visitor.visit(
        QuantizationRange::new(),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 20, 7], &[2, 300, 5]], limits: (0, 7) },
        ],
        2,
    );
    visitor.visit(
        StringLookup::new(),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 98) },
            Input { dtype: Dtype::I64, dims: [&[1], &[1]], limits: (1, 5) },
            Input { dtype: Dtype::U8, dims: [&[6], &[6]], limits: (97, 98) },
        ],
        1,
    );
    visitor.visit(
        StringEqual::new(),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 2) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 98) },
            Input { dtype: Dtype::I64, dims: [&[4], &[30]], limits: (0, 2) },
            Input { dtype: Dtype::U8, dims: [&[6], &[6]], limits: (97, 98) },
        ],
        1,
    );
    visitor.visit(
        StringConcat::new(720),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 122) },
            Input { dtype: Dtype::I64, dims: [&[4], &[30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[6]], limits: (97, 122) },
        ],
        2,
    );
    visitor.visit(
        StringCase::new(360).upper(true),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 122) },
        ],
        2,
    );
    visitor.visit(
        StringMatch::new(),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 122) },
            Input { dtype: Dtype::U8, dims: [&[1, 256], &[1, 256]], limits: (0, 1) },
            Input { dtype: Dtype::I32, dims: [&[5, 3], &[4, 3]], limits: (-2, 7) },
        ],
        1,
    );
    visitor.visit(
        CountStringPieces::new().rule(StringRule::Characters),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 122) },
        ],
        2,
    );
    visitor.visit(
        StringSplit::new(6).rule(StringRule::Characters),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (0, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (97, 122) },
        ],
        1,
    );
    visitor.visit(
        NgramCounts::new().outputs(3).max_skip(1),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 8], &[2, 30]], limits: (0, 1) },
            Input { dtype: Dtype::I64, dims: [&[1, 1], &[1, 1]], limits: (1, 1) },
            Input { dtype: Dtype::I64, dims: [&[1], &[1]], limits: (1, 1) },
            Input { dtype: Dtype::I64, dims: [&[1], &[1]], limits: (0, 2) },
        ],
        1,
    );
    visitor.visit(
        StringParse::new(Dtype::F64),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (1, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (48, 57) },
        ],
        1,
    );
    visitor.visit(
        StringParse::new(Dtype::I32),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (1, 6) },
            Input { dtype: Dtype::U8, dims: [&[6], &[9]], limits: (48, 57) },
        ],
        1,
    );
    visitor.visit(
        StringFormat::new(),
        &[
            Input { dtype: Dtype::F32, dims: [&[3, 4], &[2, 30]], limits: (0, 7) },
        ],
        2,
    );
    visitor.visit(
        StringFormat::new(),
        &[
            Input { dtype: Dtype::I64, dims: [&[3, 4], &[2, 30]], limits: (-9, 9) },
        ],
        2,
    );
}
