# SPDX-License-Identifier: Apache-2.0
# Generated from core/ops/described by capi/generator; do not edit.
# ruff: noqa
"""The operators, as methods that make primitives of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import anydim

from ._operator_enums import (
    ArgReduceKind,
    AutoPad,
    BinaryFunction,
    DepthToSpaceOrder,
    GridSampleMode,
    GridSamplePadding,
    PadMode,
    PoolingKind,
    PowerRounding,
    RecurrentCell,
    RecurrentDirection,
    ReduceKind,
    ResizeCoordinates,
    ResizeMode,
    ResizeNearest,
    ResizePolicy,
    RoiMode,
    ScatterReduction,
    StringRule,
    TreeAggregate,
    UnaryFunction,
)
from .operator_arguments import Ints, Operand, both_ends, by_name, dtype_number, per_spatial, rank_of
from .option_words import MathWord, ReuseWord
from .post_ops import PostOp
from .quantization import Quantized

ArgReduceKindWord = Literal[
    "max", "min"
]
AutoPadWord = Literal[
    "explicit", "same_upper", "same_lower", "valid"
]
BinaryFunctionWord = Literal[
    "add", "sub", "mul", "div", "min", "max", "pow", "prelu", "mod_floor", "mod_trunc", "equal", "less", "less_equal",
    "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or",
    "bitwise_xor", "shift_left", "shift_right"
]
DepthToSpaceOrderWord = Literal[
    "depth_first", "column_first"
]
GridSampleModeWord = Literal[
    "nearest", "linear", "cubic"
]
GridSamplePaddingWord = Literal[
    "zeros", "border", "reflection"
]
PadModeWord = Literal[
    "constant", "reflect", "edge", "wrap"
]
PoolingKindWord = Literal[
    "max", "average"
]
PowerRoundingWord = Literal[
    "up", "down", "nearest"
]
RecurrentCellWord = Literal[
    "rnn", "lstm", "gru"
]
RecurrentDirectionWord = Literal[
    "forward", "reverse", "bidirectional"
]
ReduceKindWord = Literal[
    "sum", "mean", "sum_square", "l1", "l2", "prod", "log_sum", "log_sum_exp", "max", "min"
]
ResizeCoordinatesWord = Literal[
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
    "tf_crop_and_resize"
]
ResizeModeWord = Literal[
    "nearest", "linear", "cubic"
]
ResizeNearestWord = Literal[
    "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
]
ResizePolicyWord = Literal[
    "stretch", "not_larger", "not_smaller"
]
RoiModeWord = Literal[
    "average", "maximum", "cells"
]
ScatterReductionWord = Literal[
    "none", "add", "mul", "min", "max"
]
StringRuleWord = Literal[
    "separators", "tokens", "whitespace", "characters"
]
TreeAggregateWord = Literal[
    "sum", "average", "minimum", "maximum"
]
UnaryFunctionWord = Literal[
    "identity", "relu", "leaky_relu", "clip", "hard_sigmoid", "hard_swish", "sigmoid", "silu", "tanh", "exp", "log",
    "sqrt", "reciprocal", "abs", "neg", "square", "erf", "gelu_erf", "gelu_tanh", "softplus", "softsign", "mish",
    "elu", "selu", "celu", "thresholded_relu", "shrink", "floor", "ceil", "round_even", "sign", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "affine", "logical_not", "bitwise_not",
    "is_nan", "is_inf", "quick_gelu", "round_f16", "round_bf16", "scaled_tanh"
]

class Operators:
    """One method per operator; an engine has them. An operand is a descriptor of what comes with each call, or a
    constant: an array, packed once, the weights of another primitive, or a pathlib.Path of a file of them."""

    def _operate(
        self,
        op: dict[str, Any],
        operands: Sequence[Any],
        outputs: int,
        post_ops: Sequence[PostOp],
        kernel: str | None,
        reuse: ReuseWord | None,
        math: MathWord | None,
        quantized: Sequence[Quantized] = (),
        result_dtype: str | None = None,
    ) -> anydim.Primitive:
        raise NotImplementedError

    def convolution(
        self,
        src: Operand,
        weights: Operand,
        bias: Operand | None = None,
        *,
        auto_pad: AutoPadWord = "explicit",
        strides: Ints = 1,
        dilations: Ints = 1,
        pads: Ints = 0,
        group: int = 1,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
        quantized: Sequence[Quantized] = (),
        result_dtype: str | None = None,
    ) -> anydim.Primitive:
        """Convolution over 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end - dilation * (kernel - 1) -
        1) / stride + 1, the quotient rounded down. Padding contributes nothing. Per spatial dim means the first
        `spatial` entries.

        Inputs: src [N, C, spatial...] (floats), weights [O, C / group, kernel...] (the dtype of src; usually
        constant), bias [O] (the dtype of src; may be left out; usually constant).

        Output: [N, O, out...]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and
        u8 with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.

        auto_pad: How the padding is determined.
        strides: Strides.
        dilations: Distances between taps.
        pads: Padding before and after, per spatial dim; one number, one per dim, or beginnings and then ends.
        group: Number of groups.
        """
        spatial = rank_of(src) - 2
        op = {
            "op": "convolution",
            "spatial": spatial,
            "auto_pad": by_name(AutoPad, auto_pad, "auto_pad"),
            "strides": per_spatial(strides, spatial, "strides"),
            "dilations": per_spatial(dilations, spatial, "dilations"),
            **both_ends(pads, spatial, "pads"),
            "group": group,
        }
        return self._operate(op, [src, weights, bias], 1, post_ops, kernel, reuse, math, quantized, result_dtype)

    def conv_transpose(
        self,
        src: Operand,
        weights: Operand,
        bias: Operand | None = None,
        *,
        auto_pad: AutoPadWord = "explicit",
        strides: Ints = 1,
        dilations: Ints = 1,
        pads: Ints = 0,
        output_padding: Ints = 0,
        output_shape: Sequence[int] = (),
        group: int = 1,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
        quantized: Sequence[Quantized] = (),
        result_dtype: str | None = None,
    ) -> anydim.Primitive:
        """Transposed convolution over 1 to 3 spatial dims. An output dim is (in - 1) * stride - pads_begin - pads_end +
        dilation * (kernel - 1) + 1 + output_padding, or what output_shape says. Per spatial dim means the first
        `spatial` entries.

        Inputs: src [N, C, spatial...] (floats), weights [C, O / group, kernel...] (the dtype of src; usually
        constant), bias [O] (the dtype of src; may be left out; usually constant).

        Output: [N, O, out...]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and
        u8 with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.

        auto_pad: How the padding is determined.
        strides: Strides.
        dilations: Distances between taps.
        pads: Cut off before and after, per spatial dim; one number, one per dim, or beginnings and then ends.
        output_padding: Added at the end, per spatial dim.
        output_shape: Output dims, one per spatial dim; the padding follows from them. None: as the formula says.
        group: Number of groups.
        """
        spatial = rank_of(src) - 2
        op = {
            "op": "conv_transpose",
            "spatial": spatial,
            "auto_pad": by_name(AutoPad, auto_pad, "auto_pad"),
            "strides": per_spatial(strides, spatial, "strides"),
            "dilations": per_spatial(dilations, spatial, "dilations"),
            **both_ends(pads, spatial, "pads"),
            "output_padding": per_spatial(output_padding, spatial, "output_padding"),
            "output_shape": list(output_shape),
            "group": group,
        }
        return self._operate(op, [src, weights, bias], 1, post_ops, kernel, reuse, math, quantized, result_dtype)

    def matmul(
        self,
        a: Operand,
        b: Operand,
        c: Operand | None = None,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        alpha: float = 1.0,
        beta: float = 1.0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
        quantized: Sequence[Quantized] = (),
        result_dtype: str | None = None,
    ) -> anydim.Primitive:
        """Product of matrices: alpha * (a b) + beta * c. Leading dims broadcast; an operand of rank 1 is a row (a) or a
        column (b), as in NumPy. An alpha other than 1, and c, are for floats only.

        Inputs: a [..., M, K] (numbers), b [..., K, N] (the dtype of a; usually constant), c, what broadcasts to the
        output (the dtype of a; may be left out; usually constant).

        Output: [..., M, N]. With scales, zero points or a dtype of the result as attributes, inputs may be i8 and u8
        with a bias of i32 or f32, and the result f32, f16, bf16, i8, u8 or i32.

        transpose_a: a is given as [..., K, M].
        transpose_b: b is given as [..., N, K].
        alpha: Factor of the product.
        beta: Factor of c.
        """
        op = {
            "op": "matmul",
            "transpose_a": int(transpose_a),
            "transpose_b": int(transpose_b),
            "alpha": alpha,
            "beta": beta,
        }
        return self._operate(op, [a, b, c], 1, post_ops, kernel, reuse, math, quantized, result_dtype)

    def pooling(
        self,
        src: Operand,
        kind: PoolingKindWord = "max",
        *,
        global_: bool = False,
        auto_pad: AutoPadWord = "explicit",
        window: Ints = 1,
        strides: Ints = 1,
        dilations: Ints = 1,
        pads: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        indices: bool = False,
        column_major_indices: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The maximum or the average over windows of 1 to 3 spatial dims. An output dim is (in + pads_begin + pads_end -
        dilation * (window - 1) - 1) / stride + 1, the quotient rounded down, or up with ceil_mode. Padding never wins
        a maximum, and counts in an average with count_include_pad only. Per spatial dim means the first `spatial`
        entries.

        Input: src [N, C, spatial...] (f32, f64, f16, bf16, i8, u8; i8 and u8 for the maximum only).

        Outputs: [N, C, out...]; [N, C, out...], i64 (where each maximum stood), with indices.

        kind: Which pooling.
        global_: The window is the whole plane; the fields of windows do not count.
        auto_pad: How the padding is determined.
        window: Dims of the window.
        strides: Strides.
        dilations: Distances between taps.
        pads: Padding before and after, per spatial dim; one number, one per dim, or beginnings and then ends.
        ceil_mode: Output dims round up.
        count_include_pad: An average counts padded positions.
        indices: Of a maximum: the second output is made, the winners' positions in their plane.
        column_major_indices: Positions are counted with the last dim outermost (ONNX: storage_order = 1).
        """
        spatial = rank_of(src) - 2
        op = {
            "op": "pooling",
            "kind": by_name(PoolingKind, kind, "kind"),
            "spatial": spatial,
            "global": int(global_),
            "auto_pad": by_name(AutoPad, auto_pad, "auto_pad"),
            "window": per_spatial(window, spatial, "window"),
            "strides": per_spatial(strides, spatial, "strides"),
            "dilations": per_spatial(dilations, spatial, "dilations"),
            **both_ends(pads, spatial, "pads"),
            "ceil_mode": int(ceil_mode),
            "count_include_pad": int(count_include_pad),
            "indices": int(indices),
            "column_major_indices": int(column_major_indices),
        }
        return self._operate(op, [src], 2 if indices else 1, post_ops, kernel, reuse, math)

    def unary(
        self,
        x: Operand,
        function: UnaryFunctionWord,
        alpha: float = 0.0,
        beta: float = 0.0,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A function of each element. The output has x's dtype, or bool for functions that return a truth value.

        Input: x (any dtype; that the function is defined on).

        Output: x's.

        function: The function.
        alpha: Its first parameter, for functions whose text names alpha.
        beta: Its second parameter, for functions whose text names beta.
        """
        op = {
            "op": "unary",
            "function": by_name(UnaryFunction, function, "function"),
            "alpha": alpha,
            "beta": beta,
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def binary(
        self,
        a: Operand,
        b: Operand,
        function: BinaryFunctionWord,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A function of two elements; dims broadcast as in NumPy. The output has the operands' dtype, or bool from a
        comparison.

        Inputs: a (any dtype; that the function is defined on), b (the dtype of a; the exponent of pow may have
        another).

        Output: broadcast.

        function: The function.
        """
        op = {
            "op": "binary",
            "function": by_name(BinaryFunction, function, "function"),
        }
        return self._operate(op, [a, b], 1, post_ops, kernel, reuse, math)

    def reduce(
        self,
        x: Operand,
        kind: ReduceKindWord,
        axes: Sequence[int] = (),
        *,
        keepdims: bool = True,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """x with some axes reduced.

        Input: x (any dtype; bool for the maximum and minimum only).

        Output: x's, the reduced ones 1 or gone.

        kind: The reduction.
        keepdims: Reduced axes stay as dims of 1.
        axes: Axes, negative ones counted from the end. None: all of them.
        """
        op = {
            "op": "reduce",
            "kind": by_name(ReduceKind, kind, "kind"),
            "keepdims": int(keepdims),
            "axes": list(axes),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def softmax(
        self,
        x: Operand,
        axis: int = -1,
        *,
        log: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """exp(x - max) / sum over an axis, or its logarithm.

        Input: x (floats).

        Output: x's.

        axis: The axis; negative counts from the end.
        log: Log-softmax.
        """
        op = {
            "op": "softmax",
            "axis": axis,
            "log": int(log),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def layer_norm(
        self,
        x: Operand,
        scale: Operand | None = None,
        bias: Operand | None = None,
        *,
        axis: int = -1,
        epsilon: float = 1e-05,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """(x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance over the axes from `axis` to the last.

        Inputs: x (floats), scale, x's from the axis on (the dtype of x; may be left out; usually constant), bias, x's
        from the axis on (the dtype of x; may be left out; usually constant).

        Output: x's.

        axis: First axis of those normalised together; negative counts from the end.
        epsilon: Added to the variance.
        """
        op = {
            "op": "layer_norm",
            "axis": axis,
            "epsilon": epsilon,
        }
        return self._operate(op, [x, scale, bias], 1, post_ops, kernel, reuse, math)

    def resize(
        self,
        x: Operand,
        *,
        mode: ResizeModeWord = "nearest",
        coordinates: ResizeCoordinatesWord = "half_pixel",
        nearest: ResizeNearestWord = "round_prefer_floor",
        cubic_coeff_a: float = -0.75,
        policy: ResizePolicyWord = "stretch",
        extrapolation_value: float = 0.0,
        exclude_outside: bool = False,
        antialias: bool = False,
        axes: Sequence[int] = (),
        sizes: Sequence[int] = (),
        scales: Sequence[float] = (),
        roi: Sequence[float] = (),
        scale_bits: Sequence[int] = (),
        roi_bits: Sequence[int] = (),
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Interpolation to other dims: those in sizes, or the input's times scales, rounded down. One of the two is
        given, with one number per axis of `axes`. Axes that are not named are copied.

        Input: x (any dtype).

        Output: x's, resized.

        mode: Interpolation.
        coordinates: How positions map.
        nearest: Rounding of the nearest mode.
        cubic_coeff_a: Coefficient of the cubic mode.
        policy: What becomes of the ratio of sides, with sizes.
        extrapolation_value: Result outside the input, for tf_crop_and_resize.
        exclude_outside: Taps outside the input get no weight.
        antialias: Linear and cubic: axes that shrink are read through a filter as much wider.
        axes: The axes that scales, sizes and roi are about, from 0. None: all, in order.
        sizes: Output dims.
        scales: Output dims over input dims.
        roi: For tf_crop_and_resize: where the region begins in each axis, then where it ends, in parts of the axis.
        scale_bits: With sizes: scales that a node computes, as the bits of binary32 numbers; they map positions, and
            sizes are the output's dims.
        roi_bits: In place of roi: what a node computes, as the bits of binary32 numbers.
        """
        op = {
            "op": "resize",
            "mode": by_name(ResizeMode, mode, "mode"),
            "coordinates": by_name(ResizeCoordinates, coordinates, "coordinates"),
            "nearest": by_name(ResizeNearest, nearest, "nearest"),
            "cubic_coeff_a": cubic_coeff_a,
            "policy": by_name(ResizePolicy, policy, "policy"),
            "extrapolation_value": extrapolation_value,
            "exclude_outside": int(exclude_outside),
            "antialias": int(antialias),
            "axes": list(axes),
            "sizes": list(sizes),
            "scales": list(scales),
            "roi": list(roi),
            "scale_bits": list(scale_bits),
            "roi_bits": list(roi_bits),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def transpose(
        self,
        x: Operand,
        perm: Sequence[int],
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The axes in another order; output axis i is input axis perm[i].

        Input: x (any dtype, narrow ones too).

        Output: x's in the order of perm.

        perm: The axes of x in the output's order, each once, from 0.
        """
        op = {
            "op": "transpose",
            "perm": list(perm),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def cast(
        self,
        x: Operand,
        to: str | int,
        *,
        overflows: bool = False,
        rounding: PowerRoundingWord = "up",
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The same elements in another dtype. Floats become integers toward zero, saturated (NaN gives 0); to bool x !=
        0; to a narrower float rounded to nearest even. A number beyond the range of f8 or f4 becomes the largest one
        there is; i4, u4, i2 and u2 keep the lowest bits of the whole number.

        Input: x (any dtype, narrow ones too).

        Output: x's.

        to: The dtype.
        overflows: To f8: beyond the range lies infinity, or NaN where the dtype has none.
        rounding: To f8e8m0: which power of two.
        """
        op = {
            "op": "cast",
            "to": dtype_number(to, "to"),
            "overflows": int(overflows),
            "rounding": by_name(PowerRounding, rounding, "rounding"),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def concat(
        self,
        inputs: Sequence[Operand],
        axis: int = 0,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The inputs one after another along an axis.

        Input: inputs, equal but along the axis (any dtype, narrow ones too; one dtype for all; one or more).

        Output: theirs, added up along the axis.

        axis: The axis; negative counts from the end.
        """
        op = {
            "op": "concat",
            "axis": axis,
        }
        return self._operate(op, [*inputs], 1, post_ops, kernel, reuse, math)

    def where(
        self,
        condition: Operand,
        a: Operand,
        b: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """condition ? a : b, element by element; dims broadcast as in NumPy.

        Inputs: condition (bool), a (any dtype, narrow ones too), b (the dtype of a).

        Output: broadcast, the dtype of a.
        """
        op = {
            "op": "where",
        }
        return self._operate(op, [condition, a, b], 1, post_ops, kernel, reuse, math)

    def arg_reduce(
        self,
        x: Operand,
        kind: ArgReduceKindWord = "max",
        *,
        keepdims: bool = True,
        axis: int = 0,
        select_last: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The index of the largest or smallest element along an axis. +0 and -0 are equal.

        Input: x (any dtype).

        Output: x's, the axis 1 or gone, i64.

        kind: The largest or the smallest.
        keepdims: The axis stays as a dim of 1.
        axis: The axis; negative counts from the end.
        select_last: Among equal elements the last is meant, else the first.
        """
        op = {
            "op": "arg_reduce",
            "kind": by_name(ArgReduceKind, kind, "kind"),
            "keepdims": int(keepdims),
            "axis": axis,
            "select_last": int(select_last),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def cumsum(
        self,
        x: Operand,
        axis: Operand,
        *,
        exclusive: bool = False,
        reverse: bool = False,
        product: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Running sums or products along an axis, in the order of the index.

        Inputs: x (numbers), axis, one element (i32 or i64; The axis, whose value may come from the data.).

        Output: x's.

        exclusive: A sum leaves its own element out.
        reverse: Sums begin at the end.
        product: Products in place of sums.
        """
        op = {
            "op": "cumsum",
            "exclusive": int(exclusive),
            "reverse": int(reverse),
            "product": int(product),
        }
        return self._operate(op, [x, axis], 1, post_ops, kernel, reuse, math)

    def reshape(
        self,
        x: Operand,
        dims: Sequence[int] = (),
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The same elements, in logical row-major order, under other dims.

        Input: x (any dtype, narrow ones too).

        Output: those given.

        dims: The dims; as many elements as x has.
        """
        op = {
            "op": "reshape",
            "dims": list(dims),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def expand(
        self,
        x: Operand,
        dims: Sequence[int] = (),
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """x repeated to the dims that it and those given broadcast to.

        Input: x (any dtype, narrow ones too).

        Output: broadcast.

        dims: The dims to broadcast with.
        """
        op = {
            "op": "expand",
            "dims": list(dims),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def slice(
        self,
        x: Operand,
        *,
        starts: Sequence[int] = (),
        steps: Sequence[int] = (),
        lengths: Sequence[int] = (),
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Per axis of x a first index, a length and a step. Nothing is left to clamp: all that is taken lies inside.

        Input: x (any dtype, narrow ones too).

        Output: the lengths.

        starts: First index, one per axis of x.
        steps: Steps, not 0, one per axis of x. None: 1 everywhere.
        lengths: How many elements are taken, one per axis of x.
        """
        op = {
            "op": "slice",
            "starts": list(starts),
            "steps": list(steps),
            "lengths": list(lengths),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def pad(
        self,
        x: Operand,
        value: Operand | None = None,
        *,
        mode: PadModeWord = "constant",
        before: Sequence[int] = (),
        after: Sequence[int] = (),
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Elements added, or with negative counts cut off, before and after each axis.

        Inputs: x (any dtype), value, one element (the dtype of x; What is put in mode constant; absent: zero.; may be
        left out).

        Output: x's and what is added.

        mode: What is put where elements are added.
        before: Counts before, one per axis of x.
        after: Counts after, one per axis of x.
        """
        op = {
            "op": "pad",
            "mode": by_name(PadMode, mode, "mode"),
            "before": list(before),
            "after": list(after),
        }
        return self._operate(op, [x, value], 1, post_ops, kernel, reuse, math)

    def tile(
        self,
        x: Operand,
        repeats: Sequence[int] = (),
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Each axis of x repeated a number of times.

        Input: x (any dtype, narrow ones too).

        Output: x's times the repeats.

        repeats: How often, one per axis of x.
        """
        op = {
            "op": "tile",
            "repeats": list(repeats),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def depth_to_space(
        self,
        x: Operand,
        *,
        block: int = 1,
        order: DepthToSpaceOrderWord = "depth_first",
        inverse: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Blocks of channels laid out as squares of pixels, or squares of pixels as blocks of channels.

        Input: x [N, C, H, W] (any dtype).

        Output: [N, C / block^2, H * block, W * block].

        block: Side of a square.
        order: What the channels are made of.
        inverse: Squares become channels (depth first only).
        """
        op = {
            "op": "depth_to_space",
            "block": block,
            "order": by_name(DepthToSpaceOrder, order, "order"),
            "inverse": int(inverse),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def range(
        self,
        *,
        dtype: str | int = "i64",
        real: bool = False,
        start: int = 0,
        delta: int = 1,
        count: int = 0,
        real_start: float = 0.0,
        real_delta: float = 0.0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A vector of start, start + delta, ..., each element start + i * delta rounded in its dtype. Start and delta
        are whole numbers, or reals with `real`.

        Inputs: none.

        Output: [count], of that dtype.

        dtype: The dtype: numbers, not f16 or bf16; with `real` f32 or f64.
        real: Start and delta are real_start and real_delta.
        start: The first element.
        delta: From one element to the next.
        count: How many elements.
        real_start: The first element.
        real_delta: From one element to the next.
        """
        op = {
            "op": "range",
            "dtype": dtype_number(dtype, "dtype"),
            "real": int(real),
            "start": start,
            "delta": delta,
            "count": count,
            "real_start": real_start,
            "real_delta": real_delta,
        }
        return self._operate(op, [], 1, post_ops, kernel, reuse, math)

    def shape_tensor(
        self,
        values: Sequence[int] = (),
        *,
        dtype: str | int = "i64",
        scalar: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A scalar or a vector of whole numbers, converted as a cast from i64 does.

        Inputs: none.

        Output: [values] or [], of that dtype.

        dtype: The dtype.
        scalar: The one value is a scalar.
        values: The elements.
        """
        op = {
            "op": "shape_tensor",
            "dtype": dtype_number(dtype, "dtype"),
            "scalar": int(scalar),
            "values": list(values),
        }
        return self._operate(op, [], 1, post_ops, kernel, reuse, math)

    def gather(
        self,
        data: Operand,
        indices: Operand,
        axis: int = 0,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Slices of the data along an axis, picked by the indices (negative ones from the end).

        Inputs: data (any dtype, narrow ones too), indices (i32 or i64).

        Output: the data's, the axis replaced by the dims of the indices, the dtype of data.

        axis: The axis; negative counts from the end.
        """
        op = {
            "op": "gather",
            "axis": axis,
        }
        return self._operate(op, [data, indices], 1, post_ops, kernel, reuse, math)

    def gather_elements(
        self,
        data: Operand,
        indices: Operand,
        axis: int = 0,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """One element of the data for each index, which replaces its coordinate on an axis.

        Inputs: data (any dtype, narrow ones too), indices, no larger than the data's but along the axis (i32 or i64).

        Output: the indices', the dtype of data.

        axis: The axis; negative counts from the end.
        """
        op = {
            "op": "gather_elements",
            "axis": axis,
        }
        return self._operate(op, [data, indices], 1, post_ops, kernel, reuse, math)

    def gather_nd(
        self,
        data: Operand,
        indices: Operand,
        *,
        batch_dims: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Slices of the data at coordinates, which the last axis of the indices holds. The first batch_dims axes of both
        go together.

        Inputs: data (any dtype, narrow ones too), indices [..., coordinates] (i32 or i64).

        Output: the indices' but for the last, then the rest of the data's, the dtype of data.

        batch_dims: How many axes go together.
        """
        op = {
            "op": "gather_nd",
            "batch_dims": batch_dims,
        }
        return self._operate(op, [data, indices], 1, post_ops, kernel, reuse, math)

    def scatter_elements(
        self,
        data: Operand,
        indices: Operand,
        updates: Operand,
        axis: int = 0,
        *,
        reduction: ScatterReductionWord = "none",
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A copy of the data in which updates are stored, or combined, at the indices along an axis.

        Inputs: data (any dtype), indices, no larger than the data's but along the axis (i32 or i64), updates, the
        indices' (the dtype of data).

        Output: the data's, the dtype of data.

        axis: The axis; negative counts from the end.
        reduction: How an update combines with the present value.
        """
        op = {
            "op": "scatter_elements",
            "axis": axis,
            "reduction": by_name(ScatterReduction, reduction, "reduction"),
        }
        return self._operate(op, [data, indices, updates], 1, post_ops, kernel, reuse, math)

    def scatter_nd(
        self,
        data: Operand,
        indices: Operand,
        updates: Operand,
        *,
        reduction: ScatterReductionWord = "none",
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A copy of the data in which slices of the updates are stored, or combined, at coordinates, which the last axis
        of the indices holds.

        Inputs: data (any dtype), indices [..., coordinates] (i32 or i64), updates, the indices' but for the last,
        then the rest of the data's (the dtype of data).

        Output: the data's, the dtype of data.

        reduction: How an update combines with the present value.
        """
        op = {
            "op": "scatter_nd",
            "reduction": by_name(ScatterReduction, reduction, "reduction"),
        }
        return self._operate(op, [data, indices, updates], 1, post_ops, kernel, reuse, math)

    def topk(
        self,
        x: Operand,
        k: int = 1,
        *,
        axis: int = 0,
        largest: bool = True,
        sorted: bool = True,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The k largest or smallest elements along an axis. Equal elements come in the order of their index; NaN counts
        as larger than any number.

        Input: x (any dtype).

        Outputs: x's, the axis k; x's, the axis k, i64 (where each element stood).

        axis: The axis; negative counts from the end.
        k: How many, at most the size of the axis.
        largest: The largest, else the smallest.
        sorted: They come sorted. Without it any order would do; they are sorted all the same.
        """
        op = {
            "op": "topk",
            "axis": axis,
            "k": k,
            "largest": int(largest),
            "sorted": int(sorted),
        }
        return self._operate(op, [x], 2, post_ops, kernel, reuse, math)

    def trilu(
        self,
        x: Operand,
        *,
        upper: bool = True,
        k: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The upper or lower triangle of the last two axes, zero elsewhere.

        Input: x [..., M, N] (any dtype).

        Output: x's.

        upper: The upper triangle, else the lower.
        k: Where the diagonal lies: above 0 it is moved up, below 0 down.
        """
        op = {
            "op": "trilu",
            "upper": int(upper),
            "k": k,
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def eye_like(
        self,
        x: Operand,
        *,
        dtype: str | int = "none",
        k: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Ones on a diagonal of a matrix with x's dims, zeros elsewhere. The values of x are not read.

        Input: x [M, N] (any dtype).

        Output: x's, of that dtype.

        dtype: The dtype; 0 is that of x.
        k: Which diagonal: above 0 upper ones, below 0 lower ones.
        """
        op = {
            "op": "eye_like",
            "dtype": dtype_number(dtype, "dtype"),
            "k": k,
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def one_hot(
        self,
        indices: Operand,
        values: Operand,
        depth: int,
        *,
        axis: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A new axis of `depth` elements: "on" where its position equals the index (negative ones from the end), "off"
        elsewhere and for indices out of range.

        Inputs: indices (numbers), values [2] (any dtype; off and on).

        Output: the indices' and the new axis, the dtype of values.

        axis: Which axis of the output is new; negative counts from the end.
        depth: Its size.
        """
        op = {
            "op": "one_hot",
            "axis": axis,
            "depth": depth,
        }
        return self._operate(op, [indices, values], 1, post_ops, kernel, reuse, math)

    def grid_sample(
        self,
        x: Operand,
        grid: Operand,
        *,
        mode: GridSampleModeWord = "linear",
        padding: GridSamplePaddingWord = "zeros",
        align_corners: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The input read at positions that the grid gives for each element of the output, -1 to 1 from one end of an
        axis to the other, and interpolated.

        Inputs: x [N, C, spatial...] (any dtype; floats, but for mode nearest), grid [N, out..., coordinates] (floats;
        one coordinate per spatial dim, the last dim's first).

        Output: [N, C, out...].

        mode: Interpolation.
        padding: What is read outside the input.
        align_corners: -1 and 1 are the centres of the outermost elements, else their outer edges.
        """
        op = {
            "op": "grid_sample",
            "mode": by_name(GridSampleMode, mode, "mode"),
            "padding": by_name(GridSamplePadding, padding, "padding"),
            "align_corners": int(align_corners),
        }
        return self._operate(op, [x, grid], 1, post_ops, kernel, reuse, math)

    def count_non_zero(
        self,
        x: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """How many elements are not zero. NaN is not zero; -0 is.

        Input: x (any dtype).

        Output: [], i64.
        """
        op = {
            "op": "count_non_zero",
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def non_zero(
        self,
        x: Operand,
        count: int,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The coordinates of the first `count` elements that are not zero, in row-major order; coordinate i of element j
        is at [i, j]. Fewer such elements are an error in the data.

        Input: x (any dtype).

        Output: [rank of x, count], i64.

        count: How many; count_non_zero counts them.
        """
        op = {
            "op": "non_zero",
            "count": count,
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def unique(
        self,
        x: Operand,
        axis: int = 0,
        *,
        sorted: bool = True,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Which slices of x along an axis are equal: -0 and 0 are, and all NaN, which come after all numbers. Slices are
        compared element by element, in row-major order. As many distinct ones as there are have places in the outputs
        from the first on; what is behind them is 0.

        Input: x (any dtype).

        Outputs: [size of the axis], i64 (where each distinct slice stands first); [size of the axis], i64 (which
        distinct slice each one is); [size of the axis], i64 (how many are equal to each distinct slice); [], i64 (how
        many are distinct).

        axis: The axis; negative counts from the end.
        sorted: Distinct slices come in increasing order, else in that of their first places.
        """
        op = {
            "op": "unique",
            "axis": axis,
            "sorted": int(sorted),
        }
        return self._operate(op, [x], 4, post_ops, kernel, reuse, math)

    def recurrent(
        self,
        x: Operand,
        input_weights: Operand,
        recurrent_weights: Operand,
        bias: Operand | None = None,
        lengths: Operand | None = None,
        initial_hidden: Operand | None = None,
        initial_cell: Operand | None = None,
        peepholes: Operand | None = None,
        input_scales: Operand | None = None,
        input_zero_points: Operand | None = None,
        recurrent_scales: Operand | None = None,
        recurrent_zero_points: Operand | None = None,
        *,
        cell: RecurrentCellWord,
        direction: RecurrentDirectionWord = "forward",
        gates: UnaryFunctionWord = "sigmoid",
        gates_alpha: float = 0.0,
        gates_beta: float = 0.0,
        candidate: UnaryFunctionWord = "tanh",
        candidate_alpha: float = 0.0,
        candidate_beta: float = 0.0,
        output: UnaryFunctionWord = "tanh",
        output_alpha: float = 0.0,
        output_beta: float = 0.0,
        clip: float = 0.0,
        linear_before_reset: bool = False,
        input_forget: bool = False,
        cell_state: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """A recurrent layer: a cell that is applied to one step of a sequence after the other and carries a state.
        docs/numerics.md, section 9, has the formulas. Gates follow each other as in ONNX: lstm input, output, forget,
        candidate; gru update, reset, candidate. A sequence may be cut anywhere: with the states of one part as the
        initial states of the next, the results have the same bits. With weights of 8 bits, of lstm on f32, x and the
        hidden states become numbers of 8 bits by their ranges: x as a whole, so that a part has another range, and
        hidden states row by row at each step.

        Inputs: x [steps, batch, inputs] (floats), input_weights [directions, gates * hidden, inputs] (f32, f64, f16,
        bf16, i8, u8; the dtype of x, or 8 bits; usually constant), recurrent_weights [directions, gates * hidden,
        hidden] (f32, f64, f16, bf16, i8, u8; the dtype of x, or 8 bits; usually constant), bias [directions, 2 *
        gates * hidden] (the dtype of x; that of the inputs, then that of the state; may be left out; usually
        constant), lengths [batch] (i32; from 0 to steps; without it all steps count; may be left out), initial_hidden
        [directions, batch, hidden] (the dtype of x; zeros without it; may be left out), initial_cell [directions,
        batch, hidden] (the dtype of x; lstm only; zeros without it; may be left out), peepholes [directions, 3 *
        hidden] (the dtype of x; lstm only: input, output, forget; may be left out; usually constant), input_scales
        [directions, gates * hidden] (f32; of input_weights of 8 bits, which need them; may be left out; usually
        constant), input_zero_points [directions, gates * hidden] (the dtype of input_weights; of input_weights of 8
        bits; zeros without them; may be left out; usually constant), recurrent_scales [directions, gates * hidden]
        (f32; of recurrent_weights of 8 bits, which need them; may be left out; usually constant),
        recurrent_zero_points [directions, gates * hidden] (the dtype of recurrent_weights; of recurrent_weights of 8
        bits; zeros without them; may be left out; usually constant).

        Outputs: [steps, directions, batch, hidden] (the hidden state after each step, 0 beyond a sequence's length);
        [directions, batch, hidden] (the last hidden state); [directions, batch, hidden] (the last cell state), with
        cell_state.

        cell: The cell.
        direction: Which way the steps are taken.
        gates: The function of the gates of lstm and gru.
        gates_alpha: Its first parameter, for functions whose text names alpha.
        gates_beta: Its second parameter, for functions whose text names beta.
        candidate: The function of the candidate state; the only one of rnn.
        candidate_alpha: Its first parameter, for functions whose text names alpha.
        candidate_beta: Its second parameter, for functions whose text names beta.
        output: The function of lstm's cell state, before the output gate.
        output_alpha: Its first parameter, for functions whose text names alpha.
        output_beta: Its second parameter, for functions whose text names beta.
        clip: What the functions of gates and candidate are applied to is clipped to [-clip, clip]. 0: it is not.
        linear_before_reset: gru: the reset gate is applied to the product with the state and not to the state.
        input_forget: lstm: the forget gate is 1 - the input gate.
        cell_state: lstm: the last cell state is an output, too.
        """
        op = {
            "op": "recurrent",
            "cell": by_name(RecurrentCell, cell, "cell"),
            "direction": by_name(RecurrentDirection, direction, "direction"),
            "gates": by_name(UnaryFunction, gates, "gates"),
            "gates_alpha": gates_alpha,
            "gates_beta": gates_beta,
            "candidate": by_name(UnaryFunction, candidate, "candidate"),
            "candidate_alpha": candidate_alpha,
            "candidate_beta": candidate_beta,
            "output": by_name(UnaryFunction, output, "output"),
            "output_alpha": output_alpha,
            "output_beta": output_beta,
            "clip": clip,
            "linear_before_reset": int(linear_before_reset),
            "input_forget": int(input_forget),
            "cell_state": int(cell_state),
        }
        return self._operate(op, [x, input_weights, recurrent_weights, bias, lengths, initial_hidden, initial_cell, peepholes, input_scales, input_zero_points, recurrent_scales, recurrent_zero_points], 3 if cell_state else 2, post_ops, kernel, reuse, math)

    def fold(
        self,
        columns: Operand,
        *,
        image: Sequence[int],
        window: Sequence[int],
        strides: Ints = 1,
        dilations: Ints = 1,
        pads: Ints = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The sum of columns at the windows that they were taken from (ONNX Col2Im). A column holds a window's elements,
        channel by channel; windows follow each other in row-major order. Per spatial dim means the first `spatial`
        entries.

        Input: columns [N, C * block, windows] (numbers).

        Output: [N, C, image...].

        image: Dims of the image, one per spatial dim.
        window: Dims of a window, one per spatial dim.
        strides: Strides.
        dilations: Distances between taps.
        pads: Padding before and after, per spatial dim; one number, one per dim, or beginnings and then ends.
        """
        spatial = rank_of(columns) - 2
        op = {
            "op": "fold",
            "spatial": spatial,
            "image": list(image),
            "window": list(window),
            "strides": per_spatial(strides, spatial, "strides"),
            "dilations": per_spatial(dilations, spatial, "dilations"),
            **both_ends(pads, spatial, "pads"),
        }
        return self._operate(op, [columns], 1, post_ops, kernel, reuse, math)

    def deform_columns(
        self,
        x: Operand,
        offset: Operand,
        mask: Operand | None = None,
        *,
        window: Ints = 1,
        strides: Ints = 1,
        dilations: Ints = 1,
        pads: Ints = 0,
        groups: int = 1,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The columns of a deformable convolution in two dims: for each output position and each tap the input at the
        tap's place plus an offset, by linear interpolation, 0 outside, times the mask. A matmul with the weights
        makes the convolution of them.

        Inputs: x [N, C, H, W] (f32, f64, f16, bf16), offset [N, groups * KH * KW * 2, OH, OW] (the dtype of x; rows,
        then columns, of each tap), mask [N, groups * KH * KW, OH, OW] (the dtype of x; may be left out).

        Output: [N, C * KH * KW, OH * OW].

        window: KH and KW.
        strides: Strides.
        dilations: Distances between taps.
        pads: Padding before and after, per spatial dim; one number, one per dim, or beginnings and then ends.
        groups: Channels are cut into so many groups, each with offsets of its own.
        """
        spatial = rank_of(x) - 2
        op = {
            "op": "deform_columns",
            "spatial": spatial,
            "window": per_spatial(window, spatial, "window"),
            "strides": per_spatial(strides, spatial, "strides"),
            "dilations": per_spatial(dilations, spatial, "dilations"),
            **both_ends(pads, spatial, "pads"),
            "groups": groups,
        }
        return self._operate(op, [x, offset, mask], 1, post_ops, kernel, reuse, math)

    def roi_align(
        self,
        x: Operand,
        rois: Operand,
        batch: Operand,
        *,
        mode: RoiModeWord = "average",
        half_pixel: bool = False,
        height: int = 1,
        width: int = 1,
        samples: int = 0,
        scale: float = 1.0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Each region of a list, cut into bins of which each becomes one number: the average or the maximum of samples
        by linear interpolation, or the maximum of the elements in it. Outside the input is 0.

        Inputs: x [N, C, H, W] (f32, f64, f16, bf16), rois [regions, 4] (the dtype of x; x and y of where it begins,
        then of where it ends), batch [regions] (i32 or i64; which of the N inputs a region is of).

        Output: [regions, C, height, width].

        mode: What a bin becomes.
        half_pixel: Coordinates mean edges of elements, else centres. A region is at least 1 high and wide without it.
        height: Bins from top to bottom.
        width: Bins from left to right.
        samples: Samples of a bin along each side; 0: as many as elements it is long, rounded up.
        scale: Factor of the coordinates.
        """
        op = {
            "op": "roi_align",
            "mode": by_name(RoiMode, mode, "mode"),
            "half_pixel": int(half_pixel),
            "height": height,
            "width": width,
            "samples": samples,
            "scale": scale,
        }
        return self._operate(op, [x, rois, batch], 1, post_ops, kernel, reuse, math)

    def non_max_suppression(
        self,
        boxes: Operand,
        scores: Operand,
        most_boxes: Operand,
        iou_threshold: Operand | None = None,
        score_threshold: Operand | None = None,
        *,
        most: int,
        center_point: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """For each batch and class the boxes with the highest scores, without those that overlap a better one. Equal
        scores come in the order of their index. As many as there are have places in the first output, which is as
        long as it could be; what is behind them is 0.

        Inputs: boxes [N, boxes, 4] (f32; two opposite corners y, x, y, x in any order; or with center_point x, y,
        width, height), scores [N, classes, boxes] (f32), most_boxes, one element (i64; the most boxes of a class;
        fewer than `most` counts), iou_threshold, one element (f32; a larger intersection over union is an overlap; 0
        without it; may be left out), score_threshold, one element (f32; only scores above it count; may be left out).

        Outputs: [N * classes * most, 3], i64 (batch, class and index of each box); [], i64 (how many there are).

        most: The most boxes of a class, at most the number of boxes.
        center_point: Boxes are given as centre and size.
        """
        op = {
            "op": "non_max_suppression",
            "most": most,
            "center_point": int(center_point),
        }
        return self._operate(op, [boxes, scores, most_boxes, iou_threshold, score_threshold], 2, post_ops, kernel, reuse, math)

    def dft(
        self,
        x: Operand,
        length: int,
        axis: int = 0,
        *,
        inverse: bool = False,
        onesided: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The discrete Fourier transform along an axis: sums of x[j] * exp(-2 pi i j k / length), with `inverse` of
        exp(+2 pi i j k / length), divided by length. The last axis holds one real number, or real and imaginary part.
        The axis is cut to the length, or filled up with zeros.

        Input: x [..., 1 or 2] (floats).

        Output: x's, the axis the length, the last axis 2; with onesided length / 2 + 1 and 2; with both flags the
        length and 1.

        axis: The axis, not the last; negative counts from the end.
        length: How long the transform is.
        inverse: The inverse transform.
        onesided: The first half is all there is of the result, or with inverse of x: the rest is its conjugate.
        """
        op = {
            "op": "dft",
            "axis": axis,
            "length": length,
            "inverse": int(inverse),
            "onesided": int(onesided),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def det(
        self,
        x: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Determinants of the matrices in the last two axes.

        Input: x [..., M, M] (floats).

        Output: x's without the last two.
        """
        op = {
            "op": "det",
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def random_uniform(
        self,
        seed: int,
        *,
        dtype: str | int = "f32",
        dims: Sequence[int] = (),
        stream: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Random numbers from 0 (included) to 1 (not included), by a counter (Philox 4x32-10): which numbers follows
        from seed and stream alone. docs/numerics.md, section 10.

        Inputs: none.

        Output: [dims], of that dtype.

        dtype: The dtype: f32 or f64.
        dims: The output's dims.
        seed: The seed.
        stream: Which of the independent sequences of a seed.
        """
        op = {
            "op": "random_uniform",
            "dtype": dtype_number(dtype, "dtype"),
            "dims": list(dims),
            "seed": seed,
            "stream": stream,
        }
        return self._operate(op, [], 1, post_ops, kernel, reuse, math)

    def bit_cast(
        self,
        x: Operand,
        to: str | int,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The same bits as elements of another dtype of the same size.

        Input: x (any dtype, narrow ones too).

        Output: x's.

        to: The dtype.
        """
        op = {
            "op": "bit_cast",
            "to": dtype_number(to, "to"),
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def attention(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        bias: Operand | None = None,
        mask: Operand | None = None,
        starts: Operand | None = None,
        lengths: Operand | None = None,
        origins: Operand | None = None,
        sinks: Operand | None = None,
        *,
        left_window: int = -1,
        right_window: int = -1,
        first: int = 0,
        scale: float = 1.0,
        softcap: float = 0.0,
        causal: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """softmax(q k^T * scale + bias) v for each head, without the scores ever lying in memory at once;
        docs/numerics.md, section 11, has the order. Query heads are a multiple of the key heads: each key head serves
        as many query heads in a row. A query stands at position first + its index; where causal is set it sees keys
        up to its own position, and windows bound how far it sees. The bits of a row depend on the keys that it sees
        and on nothing else, so a sequence may be cut anywhere, and come alone or in a batch. A row that sees no key
        is 0. Where the keys are the later part of a longer sequence, origins say where it begins.

        Inputs: q [batch, heads, queries, size] (floats), k [batch, key heads, keys, size] (the dtype of q), v [batch,
        key heads, keys, value size] (the dtype of q), bias, what broadcasts to [batch, heads, queries, keys] (the
        dtype of q; added to the scores; may be left out), mask, what broadcasts to [batch, heads, queries, keys]
        (bool; which keys are seen; may be left out), starts [batch] (i64; the position of the first query; may be
        left out), lengths [batch] (i64; how many keys there are; keys behind them are not read; may be left out),
        origins [batch] (i64; the position of the first key, 0 or more; else it is 0; may be left out), sinks [heads]
        (the dtype of q; a score of each head that takes its share of the weights, with no value; may be left out).

        Output: [batch, heads, queries, value size].

        left_window: How many keys before its own position a query sees. -1: all.
        right_window: How many keys behind its own position a query sees. -1: all.
        first: The position of the first query; starts, where they are given, take its place.
        scale: Factor of the products.
        softcap: Scores become softcap * tanh(score / softcap). 0: they do not.
        causal: A query sees no key behind its own position.
        """
        op = {
            "op": "attention",
            "left_window": left_window,
            "right_window": right_window,
            "first": first,
            "scale": scale,
            "softcap": softcap,
            "causal": int(causal),
        }
        return self._operate(op, [q, k, v, bias, mask, starts, lengths, origins, sinks], 1, post_ops, kernel, reuse, math)

    def compressed_matmul(
        self,
        a: Operand,
        b: Operand,
        scales: Operand | None = None,
        zero_points: Operand | None = None,
        *,
        transpose_b: bool = False,
        rounded_rows: bool = False,
        block: int = 0,
        zero_point: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Product of a matrix and one that is held as numbers of few bits: of i8, u8, i4 or u4, which stand for scale *
        (number - zero point) with one scale for a block of adjacent elements along K, or of f16 or bf16. The bits are
        those of a matmul with the real numbers in f32, but for rounded_rows, whose sums are of whole numbers.

        Inputs: a [..., M, K] (f32), b [K, N] (i8, u8, i4, u4, f16, bf16; usually constant), scales [blocks, N] or
        [blocks, 1] (f32; for numbers, and for these only; may be left out; usually constant), zero_points [blocks, N]
        or [blocks, 1] (f32; may be left out; usually constant).

        Output: [..., M, N].

        transpose_b: b is given as [N, K], and what belongs to its blocks as [N, blocks].
        rounded_rows: Rows of a are rounded to 8 bits, each block of them by a scale of its own. For numbers in blocks
            of 8 to 256.
        block: Numbers of a block; the last one may be shorter. 0: one block.
        zero_point: What zero_points say where they are left out.
        """
        op = {
            "op": "compressed_matmul",
            "transpose_b": int(transpose_b),
            "rounded_rows": int(rounded_rows),
            "block": block,
            "zero_point": zero_point,
        }
        return self._operate(op, [a, b, scales, zero_points], 1, post_ops, kernel, reuse, math)

    def append(
        self,
        cache: Operand,
        update: Operand,
        starts: Operand | None = None,
        evicted: Operand | None = None,
        axis: int = 0,
        *,
        first: int = 0,
        length: int,
        circular: bool = False,
        windowed: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The cache, in which the update is stored along an axis, from position starts[b] (or first) on in example b,
        which the first axis counts. The result is `length` long; what neither holds is 0. It may lie in the cache's
        own memory: what is old then stays where it is, and only the update and what is 0 are written. A windowed
        cache holds the last part of a sequence and stays as long as it is. The first evicted[b] slices leave it;
        those behind them move to its front (and stay behind it, as they are). Then the update is stored from
        starts[b] on, as much of it as lies within. The second result is what the cache and the update hold together,
        for who needs what has left: the cache with the update from starts[b] + evicted[b] on, if the update has more
        than one slice, else nothing.

        Inputs: cache (any dtype), update, the cache's but for the axis (the dtype of cache), starts [size of the
        first axis] (i64; where the update of each example begins; may be left out), evicted [size of the first axis]
        (i64; how many slices leave a windowed cache; may be left out).

        Outputs: the cache's, the axis `length`, the dtype of cache; the cache's, the axis as long as the cache and
        the update or 0, the dtype of cache (both, before any slice leaves), with windowed.

        axis: The axis; negative counts from the end. With starts it is not the first.
        first: Where the update begins; starts, where they are given, take its place.
        length: The size of the result's axis, at least the cache's.
        circular: Positions are taken modulo the length; else they lie within it.
        windowed: The cache is windowed: starts and evicted are given, and the length is the cache's.
        """
        op = {
            "op": "append",
            "axis": axis,
            "first": first,
            "length": length,
            "circular": int(circular),
            "windowed": int(windowed),
        }
        return self._operate(op, [cache, update, starts, evicted], 2 if windowed else 1, post_ops, kernel, reuse, math)

    def tree_ensemble(
        self,
        x: Operand,
        splits: Operand,
        nodes: Operand,
        roots: Operand,
        targets: Operand,
        weights: Operand,
        base: Operand | None = None,
        *,
        outputs: int,
        aggregate: TreeAggregateWord = "sum",
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Decision trees over the features of each row. A tree is walked from its root: an inner node compares one
        feature with its split and leads to one of two nodes, a leaf has weights for targets. The trees' weights for a
        target become one number, to which its base is added. Nodes of all trees lie in one table, children behind
        their parents.

        Inputs: x [rows, features] (f32, f64), splits [nodes] (the dtype of x; what a node compares with; usually
        constant), nodes [nodes, 4] (i32; mode, feature, the node if it holds, the node if not. Modes: 1 x <= split, 2
        x < split, 3 x >= split, 4 x > split, 5 x == split, 6 x != split; 8 more: it also holds for NaN. Mode 0 is a
        leaf: 0, 0, its first weight, how many ; usually constant), roots [trees] (i32; the node that each tree begins
        with; usually constant), targets [weights] (i32; the target of each weight; usually constant), weights
        [weights] (the dtype of x; usually constant), base [outputs] (the dtype of x; added at the end; may be left
        out).

        Output: [rows, outputs].

        outputs: How many targets.
        aggregate: What the trees' weights for a target become.
        """
        op = {
            "op": "tree_ensemble",
            "outputs": outputs,
            "aggregate": by_name(TreeAggregate, aggregate, "aggregate"),
        }
        return self._operate(op, [x, splits, nodes, roots, targets, weights, base], 1, post_ops, kernel, reuse, math)

    def couple_pairs(
        self,
        x: Operand,
        classes: int,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Probabilities of classes from those of each class against each other: the second way of Wu, Lin and Weng
        (2004), iterated until no error is above 0.005 / classes, as support vector machines have it.

        Input: x [..., classes * (classes - 1) / 2] (f32, f64; of 0 against 1, 0 against 2, ..., 1 against 2, ...).

        Output: [..., classes].

        classes: How many classes.
        """
        op = {
            "op": "couple_pairs",
            "classes": classes,
        }
        return self._operate(op, [x], 1, post_ops, kernel, reuse, math)

    def quantization_range(
        self,
        x: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The scale and the zero point with which u8 numbers cover all elements of x and 0: what ONNX's
        DynamicQuantizeLinear quantizes with. docs/numerics.md, section 1, has the bits.

        Input: x (f32).

        Outputs: [] (the scale); [], u8 (the zero point).
        """
        op = {
            "op": "quantization_range",
        }
        return self._operate(op, [x], 2, post_ops, kernel, reuse, math)

    def string_lookup(
        self,
        x: Operand,
        heap: Operand,
        table: Operand,
        table_heap: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Where each string stands in a sorted table; -1 if it is not in it.

        Inputs: x (i64; views), heap [bytes] (u8), table [strings] (i64; views of distinct strings, in the increasing
        order of their bytes; usually constant), table_heap [bytes] (u8; usually constant).

        Output: x's, i64.
        """
        op = {
            "op": "string_lookup",
        }
        return self._operate(op, [x, heap, table, table_heap], 1, post_ops, kernel, reuse, math)

    def string_equal(
        self,
        a: Operand,
        a_heap: Operand,
        b: Operand,
        b_heap: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Whether two strings have the same bytes; dims broadcast as in NumPy.

        Inputs: a (i64; views), a_heap [bytes] (u8), b (i64; views), b_heap [bytes] (u8).

        Output: broadcast, bool.
        """
        op = {
            "op": "string_equal",
        }
        return self._operate(op, [a, a_heap, b, b_heap], 1, post_ops, kernel, reuse, math)

    def string_concat(
        self,
        a: Operand,
        a_heap: Operand,
        b: Operand,
        b_heap: Operand,
        bytes: int,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The bytes of one string and then those of another; dims broadcast as in NumPy. The results lie in the new heap
        one behind the other; its rest is zeros. Results that do not fit into it are an error in the data.

        Inputs: a (i64; views), a_heap [bytes] (u8), b (i64; views), b_heap [bytes] (u8).

        Outputs: broadcast, i64 (views); [bytes], u8 (their heap).

        bytes: How large the new heap is.
        """
        op = {
            "op": "string_concat",
            "bytes": bytes,
        }
        return self._operate(op, [a, a_heap, b, b_heap], 2, post_ops, kernel, reuse, math)

    def string_case(
        self,
        x: Operand,
        heap: Operand,
        bytes: int,
        *,
        upper: bool = False,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Strings with each character in lower or upper case, where one character becomes one (Unicode 14, independent
        of language). The results lie in the new heap one behind the other; its rest is zeros. Results that do not fit
        into it are an error in the data.

        Inputs: x (i64; views), heap [bytes] (u8).

        Outputs: x's, i64 (views); [bytes], u8 (their heap).

        upper: Upper case, else lower case.
        bytes: How large the new heap is.
        """
        op = {
            "op": "string_case",
            "upper": int(upper),
            "bytes": bytes,
        }
        return self._operate(op, [x, heap], 2, post_ops, kernel, reuse, math)

    def string_match(
        self,
        x: Operand,
        heap: Operand,
        classes: Operand,
        transitions: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Whether an automaton accepts the whole string. Its classes give each byte a column of the transitions; the
        last column is for the end. The entry at a state's row and a column is twice the next state, or -2 if there is
        none, plus 1 if what was read before is accepted. It begins in row 0; rows 1 to 3 are for texts cut out of
        others, behind a character of a word, a new line, and any other.

        Inputs: x (i64; views), heap [bytes] (u8), classes [1, 256] (u8; usually constant), transitions [states,
        columns] (i32; usually constant).

        Output: x's, bool.
        """
        op = {
            "op": "string_match",
        }
        return self._operate(op, [x, heap, classes, transitions], 1, post_ops, kernel, reuse, math)

    def count_string_pieces(
        self,
        x: Operand,
        heap: Operand,
        classes: Operand | None = None,
        transitions: Operand | None = None,
        *,
        rule: StringRuleWord = "separators",
        most_splits: int = -1,
        min_characters: int = 1,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """How many pieces string_split cuts each string into.

        Inputs: x (i64; views), heap [bytes] (u8), classes [automata, 256] (u8; see string_match; of separators and
        tokens; may be left out), transitions [states, columns] (i32; rows 4 * k to 4 * k + 3 are where automaton k
        begins; may be left out).

        Outputs: x's, i64; [], i64 (the largest count).

        rule: What the pieces are.
        most_splits: How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators
            and whitespace.
        min_characters: Shorter pieces are left out. Of separators and tokens.
        """
        op = {
            "op": "count_string_pieces",
            "rule": by_name(StringRule, rule, "rule"),
            "most_splits": most_splits,
            "min_characters": min_characters,
        }
        return self._operate(op, [x, heap, classes, transitions], 2, post_ops, kernel, reuse, math)

    def string_split(
        self,
        x: Operand,
        heap: Operand,
        classes: Operand | None = None,
        transitions: Operand | None = None,
        *,
        rule: StringRuleWord = "separators",
        most_splits: int = -1,
        min_characters: int = 1,
        most: int,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Strings cut into pieces, which lie where the strings lie: views into the same heap. Behind a string's last
        piece stand empty ones. A match is the leftmost that there is, and of these the longest.

        Inputs: x (i64; views), heap [bytes] (u8), classes [automata, 256] (u8; see string_match; of separators and
        tokens; may be left out), transitions [states, columns] (i32; rows 4 * k to 4 * k + 3 are where automaton k
        begins; may be left out).

        Output: x's and most, i64 (views).

        rule: What the pieces are.
        most_splits: How often a string is cut at most, from its beginning; -1: as often as it can be. Of separators
            and whitespace.
        min_characters: Shorter pieces are left out. Of separators and tokens.
        most: How many pieces of each string are given; count_string_pieces counts them.
        """
        op = {
            "op": "string_split",
            "rule": by_name(StringRule, rule, "rule"),
            "most_splits": most_splits,
            "min_characters": min_characters,
            "most": most,
        }
        return self._operate(op, [x, heap, classes, transitions], 1, post_ops, kernel, reuse, math)

    def ngram_counts(
        self,
        x: Operand,
        pool: Operand,
        lengths: Operand,
        columns: Operand,
        *,
        outputs: int = 1,
        max_skip: int = 0,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """How often each n-gram of a pool occurs in a row: items that follow each other, or whose places are 1 + s apart
        for each skip s up to max_skip. One of a single item counts once at each place. The pool's rows are sorted by
        length, then by their items.

        Inputs: x [items] or [rows, items] (i64), pool [n-grams, longest] (i64; a row's items; behind them zeros;
        usually constant), lengths [n-grams] (i64; how many items each row has; usually constant), columns [n-grams]
        (i64; where each is counted; usually constant).

        Output: [outputs] or [rows, outputs], f32.

        outputs: How many columns the result has.
        max_skip: The most items between one of an n-gram and the next.
        """
        op = {
            "op": "ngram_counts",
            "outputs": outputs,
            "max_skip": max_skip,
        }
        return self._operate(op, [x, pool, lengths, columns], 1, post_ops, kernel, reuse, math)

    def string_parse(
        self,
        x: Operand,
        heap: Operand,
        to: str | int,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """The numbers that strings spell: decimals, in plain or scientific form, with blanks around them; of an integer
        without an exponent, and a fraction is cut off; of bool a whole number that is not 0. To floats inf and nan,
        too, and beyond the largest lies infinity. Any other string, and one beyond the range of integers, is an error
        in the data that names it.

        Inputs: x (i64; views), heap [bytes] (u8).

        Output: x's, of that dtype.

        to: The dtype: f32, f64, bool or integers of 8 to 64 bits.
        """
        op = {
            "op": "string_parse",
            "to": dtype_number(to, "to"),
        }
        return self._operate(op, [x, heap], 1, post_ops, kernel, reuse, math)

    def string_format(
        self,
        x: Operand,
        *,
        post_ops: Sequence[PostOp] = (),
        kernel: str | None = None,
        reuse: ReuseWord | None = None,
        math: MathWord | None = None,
    ) -> anydim.Primitive:
        """Numbers as strings: integers with all digits, floats with eight significant ones and without zeros at the end,
        in scientific form where the exponent is below -4 or above 7; INF, -INF, NaN. Number i lies from 15 * i on in
        the heap, of integers from 20 * i on.

        Input: x (f32, f64, i64, u64).

        Outputs: x's, i64 (views); [bytes], u8 (their heap).
        """
        op = {
            "op": "string_format",
        }
        return self._operate(op, [x], 2, post_ops, kernel, reuse, math)
