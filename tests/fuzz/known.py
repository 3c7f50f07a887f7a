# SPDX-License-Identifier: Apache-2.0
"""Where other engines are known to be wrong or vague (KNOWN), and the questions about a node and its operands that decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from cases import Array, is_float

Operands = list[Array | None]


# Peers that are known to be wrong or vague, by operator: the peer, when, and why. They are not asked then.
KnownBug = tuple[str, Callable[[onnx.NodeProto, int, Operands], bool], str]
KNOWN: dict[str, list[KnownBug]] = {
    "GlobalMaxPool": [("onnx.reference", lambda n, o, x: _rank(x) != 4, "its axes are those of rank 4")],
    "ReduceMean": [
        (peer, lambda n, o, x: _kind(x) != "f" and x[0] is not None and x[0].size == 0, "the mean of no integers")
        for peer in ("onnxruntime", "onnx.reference")
    ]
    + [("onnx.reference", lambda n, o, x: _kind(x) in "iu" and sum_may_wrap(x[0]), "a sum that wraps is divided")],
    "RMSNormalization": [
        (
            "onnx.reference",
            lambda n, o, x: x[0] is not None and x[1] is not None and x[0].dtype != x[1].dtype,
            "its result has the type of x, where the text says that of the scale",
        )
    ],
    "PRelu": [
        (
            "onnx.reference",
            lambda n, o, x: x[1] is not None and not all_finite(x[1]),
            "multiplies a 0, which is not negative, by an infinite slope",
        )
    ],
    "Mish": [("onnx.reference", lambda n, o, x: True, "exp overflows for large magnitudes")],
    **{
        op: [
            (
                "onnx.reference",
                lambda n, o, x: x[0] is not None and x[0].dtype == np.float64,
                "computes the error function in single precision",
            )
        ]
        for op in ("Erf", "Gelu")
    },
    "HardSwish": [
        ("onnx.reference", lambda n, o, x: True, "1/6 is no float32 there, as the operator's definition says")
    ],
    "Einsum": [
        ("onnxruntime", lambda n, o, x: any(a is not None and a.size == 0 for a in x), "divides by zero, and is killed")
    ],
    "MatMul": [
        (
            "onnxruntime",
            lambda n, o, x: any(a is not None and a.size == 0 for a in x),
            "leaves the memory of sums of nothing as it was",
        )
    ],
    "OneHot": [
        (
            "onnx.reference",
            lambda n, o, x: x[2] is not None and (not all_finite(x[2]) or rounds_a_difference(x[2])),
            "multiplies the difference of the two values",
        )
    ],
    "Gemm": [
        (
            "onnx.reference",
            lambda n, o, x: (
                _kind(x) in "iu" and (any(a is not None and beyond_float64(a) for a in x) or product_may_wrap(x))
            ),
            "multiplies by alpha, a float, which does not wrap",
        )
    ],
    "LRN": [
        ("onnx.reference", lambda n, o, x: attribute(n, "size") % 2 == 0, "an even window is shifted"),
        (
            "onnx.reference",
            lambda n, o, x: x[0] is not None and x[0].shape[0] < x[0].shape[1],
            "does as many channels as the batch has images",
        ),
    ],
    "ReduceLogSumExp": [
        (
            "onnx.reference",
            lambda n, o, x: x[0] is not None and not all_finite(x[0]),
            "subtracts an infinity from itself",
        ),
        ("onnxruntime", lambda n, o, x: any_nan(x[0]), "its maximum passes a NaN by"),
    ],
    "Compress": [
        (
            "onnx.reference",
            lambda n, o, x: takes_nothing_beyond_the_axis(n, x),
            "takes elements behind the end of an axis, of no rows",
        )
    ],
    "Attention": [
        (
            "onnx.reference",
            lambda n, o, x: attribute(n, "is_causal") != 0 and len(x) > 3,
            "a mask of one row with is_causal",
        )
    ],
    "MaxPool": [
        (
            "onnx.reference",
            lambda n, o, x: pads_of_one_axis_are_not_neighbours(n),
            "adds up the first two pads, and the next two, as those of one axis",
        ),
        (
            "onnx.reference",
            lambda n, o, x: same_padding(n) and strides_beyond_windows(n),
            "counts windows as if padding could be negative",
        ),
    ],
    "Resize": [
        ("onnx.reference", lambda n, o, x: half_pixel_to_one(n, x), "takes the length times the scale, or -0.5 for 0"),
        (
            "onnxruntime",
            lambda n, o, x: o == 10 and x[1] is not None and not binary_fractions(x[1]),
            "divides in float32 and then rounds upwards",
        ),
    ],
    "Hardmax": [("onnx.reference", lambda n, o, x: o < 13, "does not flatten before opset 13")],
    "Softmax": [("onnx.reference", lambda n, o, x: o < 13, "does not flatten before opset 13")],
    "LogSoftmax": [
        ("onnx.reference", lambda n, o, x: o < 13, "does not flatten before opset 13"),
        (
            "onnx.reference",
            lambda n, o, x: x[0] is not None and squares_overflow(x[0]),
            "the logarithm of a softmax of 0",
        ),
        ("onnxruntime", lambda n, o, x: any_nan(x[0]), "its maximum passes a NaN by"),
    ],
}


# Whose numbers are ours alone.
DRAW_NUMBERS = frozenset({"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"})  # fmt: skip
for _op in DRAW_NUMBERS:
    KNOWN[_op] = [(peer, lambda n, o, x: True, "draws other numbers") for peer in ("onnxruntime", "onnx.reference")]


def rounds_a_difference(values: Array) -> bool:
    """Whether off + (on - off) is another number than on."""
    if not is_float(values.dtype) or values.size != 2:
        return False
    off, on = values.ravel()
    return bool(off + (on - off) != on)


def all_finite(array: Array) -> bool:
    return not is_float(array.dtype) or bool(np.isfinite(array.astype(np.float64)).all())


def any_nan(array: Array | None) -> bool:
    return array is not None and is_float(array.dtype) and bool(np.isnan(array.astype(np.float64)).any())


def squares_overflow(array: Array) -> bool:
    if not is_float(array.dtype) or not array.size:
        return False
    return not np.abs(array.astype(np.float64)).max() < float(finfo(array.dtype).max) ** 0.45


def product_may_wrap(x: Operands) -> bool:
    """Of Gemm: a sum of products or the addend may be beyond the integers of its dtype."""
    a, b = x[0], x[1]
    if a is None or b is None:
        return False
    largest = [max((abs(int(e)) for e in np.unique(v)), default=0) if v is not None else 0 for v in x]
    addend = largest[2] if len(largest) > 2 else 0
    return largest[0] * largest[1] * max(*a.shape, 1) + addend > np.iinfo(a.dtype).max


def sum_may_wrap(array: Array | None) -> bool:
    return array is not None and float(np.abs(array.astype(np.float64)).sum()) > float(np.iinfo(array.dtype).max)


def attribute(node: onnx.NodeProto, name: str) -> int:
    return next((a.i for a in node.attribute if a.name == name), 0)


def ints(node: onnx.NodeProto, name: str) -> list[int]:
    return next((list(a.ints) for a in node.attribute if a.name == name), [])


def text(node: onnx.NodeProto, name: str) -> str:
    return next((a.s.decode() for a in node.attribute if a.name == name), "")


def same_padding(node: onnx.NodeProto) -> bool:
    return text(node, "auto_pad").startswith("SAME")


def beyond_float64(integers: Array) -> bool:
    return integers.size > 0 and max(abs(int(integers.min())), abs(int(integers.max()))) > 2**40


def pads_of_one_axis_are_not_neighbours(node: onnx.NodeProto) -> bool:
    pads = ints(node, "pads")
    axes = len(pads) // 2
    return any(pads[i] + pads[i + axes] != pads[2 * i] + pads[2 * i + 1] for i in range(axes))


def strides_beyond_windows(node: onnx.NodeProto) -> bool:
    return any(
        stride > window for stride, window in zip(ints(node, "strides"), ints(node, "kernel_shape"), strict=False)
    )


def takes_nothing_beyond_the_axis(node: onnx.NodeProto, operands: Operands) -> bool:
    """A condition longer than the axis that is true behind its end, where an axis before it is empty: numpy looks at no index then."""
    x, condition = operands[0], operands[1]
    if x is None or condition is None or all(a.name != "axis" for a in node.attribute):
        return False
    axis = attribute(node, "axis") % x.ndim
    return 0 in x.shape[:axis] and bool(condition[x.shape[axis] :].any())


def binary_fractions(scales: Array) -> bool:
    return all(np.frexp(scale)[0] == 0.5 for scale in scales.ravel())


def half_pixel_to_one(node: onnx.NodeProto, operands: Operands) -> bool:
    """Resizes a dim to length 1, which pytorch_half_pixel has a rule for: by a scale that gives a fraction more, or cubic."""
    x = operands[0]
    if text(node, "coordinate_transformation_mode") != "pytorch_half_pixel" or x is None:
        return False
    cubic = text(node, "mode") == "cubic"
    scales, sizes = (operands[at] if len(operands) > at else None for at in (2, 3))
    axes = ints(node, "axes") or range(x.ndim)
    if sizes is not None and sizes.size:
        return cubic and 1 in sizes
    if scales is None:
        return False
    lengths = [x.shape[axis] * float(scale) for axis, scale in zip(axes, scales, strict=False)]
    return any((cubic and length == 1) or 1 < length < 2 for length in lengths)


def _kind(operands: Operands) -> str:
    return operands[0].dtype.kind if operands and operands[0] is not None else ""


def _rank(operands: Operands) -> int:
    return operands[0].ndim if operands and operands[0] is not None else 0


def epsilon(dtype: np.dtype[Any]) -> float:
    return float(finfo(dtype).eps)


def finfo(dtype: np.dtype[Any]) -> Any:
    return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
