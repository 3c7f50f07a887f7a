# SPDX-License-Identifier: Apache-2.0
"""What each version of each operator means, as a table: a row is an operator with inputs and attributes.

A row becomes a model of one node for every form that the operator has had since opset 7 (opset_cases.py); what a version does
not know is left out by `since` and `until`. test_opsets.py runs them: `pytest tests/conformance/test_opsets.py -k Resize`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from opset_cases import OLDEST, Array, Case


def f(*dims: int, seed: int = 0, dtype: Any = np.float32) -> Array:
    """Numbers around 0 with ties, so that the first and the last of equal ones are told apart."""
    values = np.random.default_rng(seed + 17 * len(dims)).integers(-12, 13, dims) / 4
    return np.asarray(values, dtype=dtype)


def i(*values: Any, dtype: Any = np.int64) -> Array:
    return np.array(values, dtype=dtype)


def s(value: Any, dtype: Any = np.float32) -> Array:
    return np.array(value, dtype=dtype)


def grid(**choices: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def table() -> Iterator[Case]:
    yield from activations()
    yield from arithmetic()
    yield from axes()
    yield from movers()
    yield from indices()
    yield from windows()
    yield from norms()
    yield from resizes()
    yield from grid_samples()
    yield from found()
    yield from recurrent()


def activations() -> Iterator[Case]:
    edges = i(-np.inf, -100, -3, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 3, 100, np.inf, np.nan, dtype=np.float32)
    tame = f(3, 5)
    for name in ("Elu", "Celu", "ThresholdedRelu", "LeakyRelu"):
        for at in grid(alpha=(None, 0.3, 2.0)):
            yield Case(name, [tame], attributes=at)
    for at in grid(alpha=(None, 1.5), gamma=(None, 0.7)):
        yield Case("Selu", [tame], attributes=at)
    for at in grid(alpha=(None, 0.4), beta=(None, 0.1)):
        yield Case("HardSigmoid", [tame], attributes=at)
    for name in ("Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "HardSwish", "Mish", "Erf"):
        yield Case(name, [tame], tolerance=1e-5)
    for at in grid(approximate=(None, "none", "tanh")):
        yield Case("Gelu", [tame], attributes=at, tolerance=1e-5)
    for at in grid(alpha=(None, 1.0, 1.7)):
        yield Case("Swish", [tame], attributes=at, tolerance=1e-5)
    for at in grid(lambd=(None, 0.0, 1.5), bias=(None, 0.5, -1.0, 2.0)):
        yield Case("Shrink", [tame], attributes=at)
        yield Case("Shrink", [i(-5, -2, -1, 0, 1, 2, 5, dtype=np.int32)], attributes=at)
    for name in ("Abs", "Ceil", "Floor", "Neg", "Round", "Sign", "Sqrt", "Exp", "Log", "Reciprocal", "IsNaN"):
        yield Case(name, [edges])
    for at in grid(detect_positive=(None, 0, 1), detect_negative=(None, 0, 1)):
        yield Case("IsInf", [edges], attributes=at)
    yield Case("Round", [i(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1e9, dtype=np.float32)])
    for dtype in (np.float32, np.float64, np.float16):
        x = edges.astype(dtype)
        yield Case("Clip", [x], until=10 if dtype == np.float32 else 5)
        for at in grid(min=(None, -0.5), max=(None, 0.5)):
            yield Case("Clip", [x], attributes=at, until=10 if dtype == np.float32 else 5)
            bounds = [None if at[k] is None else s(at[k], dtype) for k in ("min", "max")]
            yield Case("Clip", [x], bounds, since=11 if dtype == np.float32 else 12)
    yield Case("Clip", [f(4)], [s(2), s(-1)], since=13)
    yield Case("Clip", [i(-5, 0, 5, dtype=np.int32)], [s(-1, np.int32), None], since=12)
    yield Case("Clip", [i(0, 5, 200, dtype=np.uint8)], [None, s(100, np.uint8)], since=12)
    for at in grid(ratio=(None, 0.3)):
        yield Case("Dropout", [tame], attributes=at, until=11)
        yield Case(
            "Dropout", [tame], attributes=at, outputs=2, since=10, until=11
        )  # before, no text says what the mask is
    for ratio, training in ((None, None), (0.3, None), (None, False), (0.5, False), (0.0, True)):
        given = [None if ratio is None else s(ratio), None if training is None else s(training, np.bool_)]
        yield Case("Dropout", [tame], given, outputs=2, since=12, expected=[tame, np.ones(tame.shape, np.bool_)])
    for name in ("Softmax", "LogSoftmax", "Hardmax"):
        for axis in (None, 0, 1, 2, -1, -2, -3):
            yield Case(name, [f(2, 3, 4)], attributes={"axis": axis})
            yield Case(name, [f(3, 4)], attributes={"axis": axis if axis in (None, 0, 1, -1) else None})
        yield Case(name, [f(5)], since=13)
        yield Case(name, [f(2, 0)])
        yield Case(name, [f(0, 3)])


def arithmetic() -> Iterator[Case]:
    a, b = f(2, 3, 4), f(3, 1, seed=1)
    for name in ("Add", "Sub", "Mul", "Div", "PRelu", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"):
        yield Case(name, [a, b])
    for name in ("Add", "Sub", "Mul", "Div", "Less", "Greater", "Equal"):
        yield Case(name, [i(7, -7, 6), i(2, 2, 3)])
    yield Case("Pow", [np.abs(a) + 1, b])
    yield Case("Pow", [np.abs(a) + 1, i(2, dtype=np.int64)], since=12)
    yield Case("Pow", [i(2, 3, 4, dtype=np.int32), s(2.5)], since=12)
    for name in ("Sum", "Max", "Min", "Mean"):
        yield Case(name, [a])
        yield Case(name, [a, a + 1])
        yield Case(name, [a, b, f(4, seed=2)], since=8)
    for at in grid(fmod=(None, 0, 1)):
        for dtype in (np.int32, np.int64, np.uint8, np.int8):
            x, y = i(7, -7, 7, -7, 0, 6).astype(dtype), i(3, 3, -3, -3, 5, 3).astype(dtype)
            yield Case("Mod", [x, y], attributes=at)
    yield Case(
        "Mod", [i(7.5, -7.5, 7.5, -7.5, dtype=np.float32), i(2, 2, -2, -2, dtype=np.float32)], attributes={"fmod": 1}
    )
    for at in grid(direction=("LEFT", "RIGHT")):
        yield Case("BitShift", [i(1, 255, 8, dtype=np.uint8), i(1, 3, 2, dtype=np.uint8)], attributes=at)
    for name in ("And", "Or", "Xor"):
        yield Case(name, [f(2, 3) > 0, f(3, seed=3) > 0])
    yield Case("Where", [f(2, 3) > 0, f(2, 1), f(3, seed=4)])
    for to, kind in ((1, np.float32), (6, np.int32), (7, np.int64), (9, np.bool_), (11, np.float64), (2, np.uint8)):
        yield Case(
            "Cast",
            [i(-1.5, -0.5, 0, 0.5, 1.5, 2.5, dtype=np.float32).clip(0 if to == 2 else -9)],
            attributes={"to": to},
        )
        yield Case("CastLike", [i(0, 1, 2)], [np.zeros(1, kind)])
    for at in grid(transA=(None, 1), transB=(None, 1), alpha=(None, 0.5), beta=(None, 2.0)):
        x, y = f(3, 4), f(4, 2, seed=5)
        x, y = (x.T.copy() if at["transA"] else x), (y.T.copy() if at["transB"] else y)
        for c in (s(1.5), f(2), f(3, 1), f(3, 2), f(1, 2)):
            yield Case("Gemm", [x, y, c], attributes=at)
        yield Case("Gemm", [x, y], attributes=at, since=11)
    for x, y in ((f(3), f(3)), (f(2, 3), f(3)), (f(3), f(3, 2)), (f(2, 1, 3, 4), f(5, 4, 2)), (f(2, 0), f(0, 3))):
        yield Case("MatMul", [x, y])
    for equation, *dims in (
        ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("ij->ji", (2, 3)),
        ("ij->", (2, 3)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)), ("i,j->ij", (2,), (3,)), ("ba,ca,da->bcd", (2, 3), (4, 3), (5, 3)),
        ("a b , b c -> c a", (2, 3), (3, 4)), ("Ab,bC", (2, 3), (3, 4)), ("...i->...", (2, 3)),
    ):  # fmt: skip
        yield Case("Einsum", [f(*d, seed=at) for at, d in enumerate(dims)], attributes={"equation": equation})


def axes() -> Iterator[Case]:
    x = np.abs(f(2, 3, 4)) + 0.5
    for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
        operator = f"Reduce{name}"
        moved = 13 if name == "Sum" else 18
        for at in grid(axes=(None, [0], [1, 2], [-1], [0, 1, 2]), keepdims=(None, 0, 1)):
            yield Case(operator, [x], attributes=at, until=moved - 1)
            given = [] if at["axes"] is None else [i(*at["axes"])]
            yield Case(operator, [x], given, attributes={"keepdims": at["keepdims"]}, since=moved)
        for given in ([], [np.zeros(0, np.int64)]):
            yield Case(operator, [x], given, attributes={"noop_with_empty_axes": 0}, since=moved)
        if name in ("Max", "Mean", "Min", "Prod", "Sum"):
            yield Case(operator, [x], [], attributes={"noop_with_empty_axes": 1}, since=moved)
        yield Case(operator, [i(1, 2, 3, dtype=np.int32)], until=moved - 1)
    for name in ("ArgMax", "ArgMin"):
        for at in grid(axis=(None, 0, 1, -1), keepdims=(None, 0)):
            yield Case(name, [f(3, 4, 5)], attributes=at)
        for at in grid(axis=(None, -1), select_last_index=(0, 1)):
            yield Case(name, [f(3, 7)], attributes=at, since=12)
    for at in grid(exclusive=(None, 1), reverse=(None, 1)):
        for along in (0, 1, -1, -2):
            yield Case("CumSum", [f(3, 4)], [s(along, np.int32)], attributes=at)
    ties = i([1, 3, 3, 2], [5, 5, 0, 5], dtype=np.float32)
    for axis in (None, 0, 1, -1, -2):
        yield Case("TopK", [ties], attributes={"axis": axis, "k": 2}, outputs=2, until=9)
        yield Case("TopK", [ties.astype(np.float16)], [i(2)], attributes={"axis": axis}, outputs=2, since=10)
        for k in (0, 1, 2):
            yield Case("TopK", [ties], [i(k)], attributes={"axis": axis}, outputs=2, since=10)
            for at in grid(largest=(0, 1), sorted=(None, 1)):
                yield Case("TopK", [ties], [i(k)], attributes={"axis": axis, **at}, outputs=2, since=11)
    for axis in (None, 0, 1, 2, 3, -1, -3):
        yield Case("Flatten", [f(2, 3, 4)], attributes={"axis": axis}, since=11 if (axis or 0) < 0 else OLDEST)
    for at in grid(start=(None, 0, 1, -1, -9, 9), end=(None, 0, 2, -1, 9, -9)):
        yield Case("Shape", [f(2, 3, 4)], attributes=at, since=15)
    yield Case("Shape", [f(2, 3)])
    yield Case("Size", [f(2, 3)])
    for perm in (None, [1, 0, 2], [2, 0, 1]):
        yield Case("Transpose", [f(2, 3, 4)], attributes={"perm": perm})
    for over in ([0], [2], [0, 2], [-1], [-2, 0]):
        one = f(1, 3, 1) if -2 not in over else f(1, 1, 3)
        yield Case("Squeeze", [one], attributes={"axes": over}, until=12)
        yield Case("Squeeze", [one], [i(*over)], since=13)
        yield Case("Unsqueeze", [f(2, 3)], attributes={"axes": over}, until=12)
        yield Case("Unsqueeze", [f(2, 3)], [i(*over)], since=13)
    yield Case("Squeeze", [f(1, 3, 1)])


def movers() -> Iterator[Case]:
    for shape in ([6, 4], [0, -1], [-1], [2, 0, 2, 2], [4, -1, 1], [1, 2, 3, 4]):
        yield Case("Reshape", [f(2, 3, 4)], [i(*shape)])
    yield Case("Reshape", [f(0, 3)], [i(3, 0)], attributes={"allowzero": 1}, since=14)
    yield Case("Reshape", [f(0, 3)], [i(0, 3)], attributes={"allowzero": 0}, since=14)
    for shape in ([2, 3, 4], [1], [5, 2, 3, 4], [3, 1]):
        yield Case("Expand", [f(2, 1, 4) if shape != [3, 1] else f(2, 3, 4)], [i(*shape)])
    yield Case("Tile", [f(2, 3)], [i(2, 1)])
    yield Case("Tile", [f(2, 3)], [i(0, 2)])
    for axis in (0, 1, -1, -2):
        yield Case(
            "Concat",
            [f(2, 3), f(2, 3, seed=1), f(2, 3, seed=2)],
            attributes={"axis": axis},
            since=11 if axis < 0 else OLDEST,
        )
    yield Case("Concat", [f(1, 2, seed=at) for at in range(150)], attributes={"axis": 0})
    for axis, sizes in ((0, [1, 3]), (1, [2, 4]), (-1, [5, 1])):
        yield Case("Split", [f(4, 6)], attributes={"axis": axis, "split": sizes}, outputs=2, until=12)
        yield Case("Split", [f(4, 6)], [i(*sizes)], attributes={"axis": axis}, outputs=2, since=13)
    yield Case("Split", [f(4, 6)], outputs=2)
    yield Case("Split", [f(4, 6)], attributes={"axis": 1, "num_outputs": 3}, outputs=3, since=18)
    yield Case("Split", [f(4, 7)], attributes={"axis": 1, "num_outputs": 3}, outputs=3, since=18)
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    for start, end in itertools.product((0, 3, -1, -5, -9, 9, low, high), (0, 2, -1, -6, 9, low, high)):
        if start not in (low, high):
            yield Case("Slice", [f(5, 2)], attributes={"starts": [start], "ends": [end], "axes": [0]}, until=9)
        for step in (1, 2, -1, -3, 9, -9, low, high):
            if step < 0 and not -5 <= start < 5:  # numpy and ONNX's text differ where a start lies before the axis
                continue
            # As numpy has it; runtimes overflow at the ends of the range.
            part = f(5, 2)[start : None if step < 0 and end < -5 else end : max(min(step, 99), -99)]
            yield Case("Slice", [f(5, 2)], [i(start), i(end), i(0), i(step)], since=10, expected=[part])
    yield Case("Slice", [f(4, 5, 6)], attributes={"starts": [1, 0], "ends": [3, -1]}, until=9)
    yield Case("Slice", [f(4, 5, 6)], [i(1, -4), i(3, -1), i(-1, 0, dtype=np.int64), i(2, 1)], since=10)
    for mode, pads in itertools.product(
        (None, "constant", "reflect", "edge"), ([0, 1, 0, 2], [1, 0, 2, 0], [1, 2, 0, 1], [0, -1, 0, 0])
    ):
        if mode == "reflect" and min(pads) < 0:
            continue
        yield Case("Pad", [f(3, 4)], attributes={"mode": mode, "pads": pads, "value": None}, until=10)
        yield Case("Pad", [f(3, 4)], [i(*pads)], attributes={"mode": mode}, since=11)
        if mode != "reflect":
            yield Case("Pad", [f(3, 4)], attributes={"mode": mode, "pads": pads, "value": 2.5}, until=10)
            yield Case("Pad", [f(3, 4)], [i(*pads), s(2.5)], attributes={"mode": mode}, since=11)
    for mode in (None, "reflect", "edge"):
        for axis in (0, 1, -1):
            yield Case("Pad", [f(3, 4)], [i(1, 2), None, i(axis)], attributes={"mode": mode}, since=18)
    yield Case("Pad", [f(3, 4)], [i(2, 1, 1, 3)], attributes={"mode": "wrap"}, since=19)
    yield Case("DepthToSpace", [f(2, 8, 2, 3)], attributes={"blocksize": 2})
    for mode in ("DCR", "CRD"):
        yield Case("DepthToSpace", [f(2, 8, 2, 3)], attributes={"blocksize": 2, "mode": mode}, since=11)
    yield Case("SpaceToDepth", [f(2, 2, 4, 6)], attributes={"blocksize": 2})
    for upper, k in itertools.product((None, 0, 1), (None, 0, 1, -1, 9, -9)):
        yield Case("Trilu", [f(3, 4)], [None if k is None else s(k, np.int64)], attributes={"upper": upper})
    for k in (None, 1, -2, 7):
        yield Case("EyeLike", [f(3, 4)], attributes={"k": k})
        yield Case("EyeLike", [f(3, 4)], attributes={"k": k, "dtype": 7})
    for args in ((0, 5, 1), (5, 0, -2), (0, 0, 1), (3, -1, 1)):
        yield Case("Range", [], [s(a, np.int64) for a in args])
    yield Case("Range", [], [s(a) for a in (0.5, 3.2, 0.7)])
    for value in (None, s([2.5]), i(7)):
        given = None if value is None else onnx.numpy_helper.from_array(value)
        yield Case("ConstantOfShape", [], [i(2, 3)], attributes={"value": given})


def indices() -> Iterator[Case]:
    for axis in (None, 0, 1, -1):
        yield Case("Gather", [f(3, 4)], [i([0, 2], [1, 0])], attributes={"axis": axis})
        yield Case("Gather", [f(3, 4)], [i([-1, 2], [1, -3])], attributes={"axis": axis}, since=11)
        yield Case(
            "GatherElements",
            [f(3, 4)],
            [i([0, 2, 1, -1], [1, 0, -3, 2])],
            attributes={"axis": 0 if axis is None else axis},
        )
    yield Case("Gather", [f(3, 4)], [s(1, np.int64)])
    yield Case("GatherND", [f(2, 3, 4)], [i([0, 1], [1, -1])])
    for batch in (0, 1):
        yield Case("GatherND", [f(2, 3, 4)], [i([1], [-1])], attributes={"batch_dims": batch}, since=12)
    for axis in (None, 0, 1, -1):
        for depth in (s(3, np.int64), s(3.0), i(3), s(3, np.int32)):
            yield Case("OneHot", [i([0, 2], [1, 5])], [depth, i(0.5, 2.5, dtype=np.float32)], attributes={"axis": axis})
        yield Case("OneHot", [i(-1, -3, -4, 2)], [s(3, np.int64), i(0, 1)], attributes={"axis": axis}, since=11)
    for axis in (None, 0, 1, -1):
        at = {"axis": axis}
        yield Case("Scatter", [f(3, 4)], [i([0, 2, 1, 0]), f(1, 4, seed=1)], attributes=at, until=10)
        yield Case("ScatterElements", [f(3, 4)], [i([0, 2, 1, 0]), f(1, 4, seed=1)] if axis != 0 else [i([0, -1, 1, 0]), f(1, 4)],
                   attributes={"axis": 0 if axis is None else axis} if axis != 1 else {"axis": 0})  # fmt: skip
        for reduction in ("none", "add", "mul", "min", "max"):
            first = 16 if reduction in ("none", "add", "mul") else 18
            yield Case("ScatterElements", [f(3, 4)], [i([0, 1, 2, 0], [2, 2, 1, 1]), f(2, 4, seed=1)],
                       attributes={"axis": 0, "reduction": reduction}, since=first)  # fmt: skip
            yield Case("ScatterND", [f(4, 2)], [i([0], [1] if reduction == "none" else [0], [-1]), f(3, 2, seed=1)],
                       attributes={"reduction": reduction}, since=first)  # fmt: skip
            half, one = f(4, 2).astype(np.float16), f(1, 2, seed=1).astype(np.float16)
            by = {"reduction": reduction}
            yield Case("ScatterND", [half], [i([2]), one], attributes=by, since=first)
            yield Case("ScatterElements", [half], [i([2, 0]), one], attributes={"axis": 0, **by}, since=first)
    yield Case("ScatterND", [f(4, 2)], [i([0], [2]), f(2, 2, seed=1)])


def windows() -> Iterator[Case]:
    x = f(1, 2, 7, 6)
    for at in grid(kernel_shape=([2, 2], [3, 2]), strides=(None, [2, 3]), pads=(None, [0, 1, 1, 0], [1, 1, 1, 1])):
        yield Case("MaxPool", [x], attributes=at)
        yield Case("MaxPool", [x], attributes=at, outputs=2, since=8)
        yield Case("MaxPool", [x], attributes={**at, "storage_order": 1}, outputs=2, since=8)
        yield Case("MaxPool", [x], attributes={**at, "ceil_mode": 1}, since=10)
        yield Case("MaxPool", [x], attributes={**at, "dilations": [2, 1]}, since=10)
        for included in (None, 0, 1):
            average = {**at, "count_include_pad": included}
            yield Case("AveragePool", [x], attributes=average)
            # ONNX Runtime and the reference took long to agree about the last window of ceil_mode: from 19 on.
            yield Case("AveragePool", [x], attributes={**average, "ceil_mode": 1}, since=19)
            yield Case("AveragePool", [x], attributes={**average, "dilations": [2, 1]}, since=19)
        for p in (None, 1, 3):
            yield Case("LpPool", [x], attributes={**at, "p": p}, tolerance=1e-5)
    for at in grid(
        kernel_shape=([2, 2], [3, 2]), strides=(None, [2, 2]), auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    ):
        yield Case("MaxPool", [x], attributes=at)
        for included in (None, 1):
            yield Case("AveragePool", [x], attributes={**at, "count_include_pad": included})
    for dims in ((2, 3, 5), (2, 3, 4, 5), (1, 2, 2, 3, 2), (1, 2, 2, 1, 2, 3)):
        y = f(*dims)
        over = tuple(range(2, y.ndim))
        yield Case("GlobalAveragePool", [y], tolerance=1e-5)
        yield Case(
            "GlobalMaxPool", [y], expected=[y.max(axis=over, keepdims=True)]
        )  # the reference keeps too many axes
    for at in grid(auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID"), strides=(None, [2, 2])):
        yield Case("LpPool", [x], attributes={**at, "kernel_shape": [3, 2]}, tolerance=1e-5)
    yield Case("LpPool", [x], attributes={"kernel_shape": [3, 2], "dilations": [2, 1]}, since=18, tolerance=1e-5)
    for p in (None, 1, 2):
        yield Case("GlobalLpPool", [x], attributes={"p": p}, tolerance=1e-5)
    w = f(4, 2, 3, 2, seed=1)
    for at in grid(strides=(None, [2, 1], [3, 2]), dilations=(None, [1, 2]), pads=(None, [1, 0, 2, 1])):
        yield Case("Conv", [x], [w, f(4)], attributes=at, tolerance=1e-5)
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1)], attributes=at, tolerance=1e-5)
    for at in grid(auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID"), strides=(None, [2, 1], [3, 2]), dilations=(None,)):
        yield Case("Conv", [x], [w], attributes=at, tolerance=1e-5)
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1)], attributes=at, tolerance=1e-5)
    yield Case("Conv", [x], [f(4, 1, 3, 2, seed=1)], attributes={"group": 2, "kernel_shape": [3, 2]}, tolerance=1e-5)
    for at in grid(output_padding=(None, [1, 0]), strides=([2, 2],), group=(1, 2), kernel_shape=(None, [3, 2])):
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1), f(3 * at["group"])], attributes=at, tolerance=1e-5)
    for at in grid(output_shape=([15, 13], [16, 12]), strides=([2, 2],), auto_pad=(None, "SAME_UPPER", "SAME_LOWER")):
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1)], attributes=at, tolerance=1e-5)


def lrn(x: Array, size: Any, alpha: Any, beta: Any, bias: Any) -> Array:
    """By ONNX's text; ONNX Runtime refuses even sizes, and the reference takes batches for channels."""
    alpha, beta, bias = 1e-4 if alpha is None else alpha, 0.75 if beta is None else beta, 1.0 if bias is None else bias
    square = np.square(x, dtype=np.float64)
    sums = np.zeros_like(square)
    for channel in range(x.shape[1]):
        first, last = channel - (size - 1) // 2, channel + size // 2
        sums[:, channel] = square[:, max(first, 0) : last + 1].sum(axis=1)
    return np.asarray(x / (bias + alpha / size * sums) ** beta, dtype=x.dtype)


def norms() -> Iterator[Case]:
    x, one, two = f(2, 4, 3, 5), f(4) + 4, f(4, seed=2)
    for epsilon in (None, 0.1):
        yield Case("BatchNormalization", [x], [one, two, f(4, seed=3), one], attributes={"epsilon": epsilon})
        yield Case("BatchNormalization", [f(3, 4)], [one, two, f(4, seed=3), one], attributes={"epsilon": epsilon})
        for momentum in (None, 0.4):
            yield Case("BatchNormalization", [x], [one, two, f(4, seed=3), one], outputs=3, since=14, tolerance=1e-5,
                       attributes={"epsilon": epsilon, "momentum": momentum, "training_mode": 1})  # fmt: skip
            for outputs in (2, 3, 4):  # before opset 14 they say that it trains
                yield Case(
                    "BatchNormalization",
                    [x],
                    [one, two, f(4, seed=3), one],
                    outputs=outputs,
                    until=13,
                    tolerance=1e-5,
                    attributes={"epsilon": epsilon, "momentum": momentum},
                )
        yield Case("InstanceNormalization", [x], [one, two], attributes={"epsilon": epsilon}, tolerance=1e-5)
        for axis in (None, 1, 2, -1, -2):
            at = {"axis": axis, "epsilon": epsilon}
            full = x.shape[(axis if axis is not None else -1) :]
            yield Case("LayerNormalization", [x], [f(*full), f(*full, seed=1)], attributes=at, tolerance=1e-5)
            yield Case("LayerNormalization", [x], [f(*full)], attributes=at, outputs=3, tolerance=1e-5)
            yield Case("RMSNormalization", [x], [f(*full)], attributes=at, tolerance=1e-5)
        for groups in (1, 2, 4):
            at = {"num_groups": groups, "epsilon": epsilon}
            yield Case("GroupNormalization", [x], [one, two], attributes=at, since=21, tolerance=1e-5)
            yield Case("GroupNormalization", [x], [one[:groups], two[:groups]], attributes=at, until=20, tolerance=1e-5)
    for at in grid(size=(1, 2, 3, 4, 5), alpha=(None, 0.5), beta=(None, 0.5), bias=(None, 2.0)):
        yield Case("LRN", [x], attributes=at, tolerance=1e-5, expected=[lrn(x, **at)])
    for at in grid(axis=(None, 0, 1, -2), p=(None, 1, 2)):
        yield Case("LpNormalization", [f(3, 4)], attributes=at, tolerance=1e-5)
    yield Case("LpNormalization", [np.zeros((2, 3), np.float32)], since=22)
    for given in (None, [0, 2, 3], [1], [0, 1, 2, 3]):
        yield Case("MeanVarianceNormalization", [x], attributes={"axes": given}, tolerance=1e-5)


def resizes() -> Iterator[Case]:
    x = f(1, 2, 4, 6)
    large: list[list[float]] = [[1, 1, 2, 2], [1, 1, 1.5, 3], [1, 1, 1, 2.5]]
    small: list[list[float]] = [[1, 1, 0.5, 0.5], [1, 1, 0.6, 0.6], [1, 1, 2, 0.5], [1, 1, 0.75, 1.5], [1, 1, 0.3, 1]]
    at: dict[str, Any]
    for scales, mode in itertools.product(large, (None, "nearest", "linear")):
        yield Case("Upsample", [x], attributes={"scales": [float(v) for v in scales], "mode": mode}, until=8)
        yield Case("Upsample", [x], [i(*scales, dtype=np.float32)], attributes={"mode": mode}, since=9, until=9)
    for scales, mode in itertools.product(small + large, (None, "nearest", "linear")):
        yield Case("Resize", [x], [i(*scales, dtype=np.float32)], attributes={"mode": mode}, until=10)
    modes = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
    nearest = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    none = np.zeros(0, np.float32)
    for coordinates, how, sizes in itertools.product(
        (None, *modes), (None, *nearest), ([1, 2, 8, 12], [1, 2, 3, 9], [1, 2, 2, 3])
    ):
        at = {"coordinate_transformation_mode": coordinates, "nearest_mode": how}
        yield Case("Resize", [x], [none, none, i(*sizes)], attributes=at, since=11)
    for coordinates, mode, sizes in itertools.product(
        (None, *modes), ("linear", "cubic"), ([1, 2, 8, 12], [1, 2, 3, 9], [1, 2, 2, 3])
    ):
        at = {"coordinate_transformation_mode": coordinates, "mode": mode}
        yield Case("Resize", [x], [none, none, i(*sizes)], attributes=at, since=11, tolerance=1e-5)
        if mode == "cubic":
            more = {**at, "exclude_outside": 1, "cubic_coeff_a": -0.5}
            yield Case("Resize", [x], [none, none, i(*sizes)], attributes=more, since=11, tolerance=1e-5)
    for few in ([1, 1, 2, 2], [1, 1, 0.5, 1.5]):
        for mode in ("nearest", "linear"):
            yield Case(
                "Resize", [x], [none, i(*few, dtype=np.float32)], attributes={"mode": mode}, since=11, tolerance=1e-5
            )
    yield Case("Resize", [x], [i(0, 0, 0.25, 0.1, 1, 1, 0.75, 1.2, dtype=np.float32), none, i(1, 2, 3, 5)], since=11, tolerance=1e-5,
               attributes={"coordinate_transformation_mode": "tf_crop_and_resize", "mode": "linear", "extrapolation_value": 9.5})  # fmt: skip
    # One element, of many or of one. For pytorch_half_pixel ONNX's text and ONNX Runtime take the first element, the reference
    # looks half an element before it.
    for coordinates, mode, out, inside in itertools.product(
        (*modes, "half_pixel_symmetric"),
        ("nearest", "linear", "cubic"),
        ([1, 1], [1, 3], [3, 1]),
        ((1, 1), (1, 5), (4, 3)),
    ):
        little = f(1, 2, *inside)
        first = coordinates == "pytorch_half_pixel" and out == [1, 1]
        for outside in (0, 1) if mode == "cubic" else (0,):
            at = {"coordinate_transformation_mode": coordinates, "mode": mode, "exclude_outside": outside}
            since = 19 if coordinates == "half_pixel_symmetric" else 11
            expected = [little[:, :, :1, :1]] if first else None
            yield Case(
                "Resize",
                [little],
                [none, none, i(1, 2, *out)],
                attributes=at,
                since=since,
                tolerance=1e-5,
                expected=expected,
            )
    for policy in ("stretch", "not_larger", "not_smaller"):
        at = {"keep_aspect_ratio_policy": policy, "axes": [2, 3]}
        yield Case("Resize", [x], [None, None, i(7, 8)], attributes=at, since=18)


def grid_samples() -> Iterator[Case]:
    x, grid, volume, places = f(2, 3, 4, 6), f(2, 5, 3, 2, seed=1), f(1, 2, 3, 4, 5), f(1, 2, 3, 2, 3, seed=2)
    paddings = (None, "zeros", "border", "reflection")
    for padding, corners in itertools.product(paddings, (None, 0, 1)):
        at = {"padding_mode": padding, "align_corners": corners}
        cubic = padding != "border"  # with which the oracles differ: refused
        for mode in (None, "bilinear", "nearest", *["bicubic"] * cubic):
            yield Case("GridSample", [x, grid], attributes={**at, "mode": mode}, since=16, until=19, tolerance=1e-5)
        for mode in (None, "linear", "nearest", *["cubic"] * cubic):
            yield Case("GridSample", [x, grid], attributes={**at, "mode": mode}, since=20, tolerance=1e-5)
        for mode in ("linear", "nearest"):
            yield Case("GridSample", [volume, places], attributes={**at, "mode": mode}, since=20, tolerance=1e-5)


def recurrent() -> Iterator[Case]:
    steps, batch, inputs, hidden = 5, 3, 4, 6
    x = f(steps, batch, inputs)
    lengths = i(
        2, 5, 1, dtype=np.int32
    )  # not 0: the last state is then the initial one, which ONNX Runtime does not give
    others = {
        1: (["HardSigmoid", "Relu", "Softsign"], ["Affine"], [0.4, 0.5], [0.1, 0.25]),
        2: (["Sigmoid", "ScaledTanh", "Tanh"] * 2, ["LeakyRelu", "Elu"], [0.5, 0.75], [1.5, 0.5]),
    }
    for operator, gates, functions in (("RNN", 1, 1), ("GRU", 3, 2), ("LSTM", 4, 3)):
        lstm = operator == "LSTM"
        weights = [f(1, gates * hidden, inputs), f(1, gates * hidden, hidden, seed=1)]
        # onnx.reference alone takes batches first.
        batches = f(batch, steps, inputs)
        yield Case(operator, [batches], weights, attributes={"hidden_size": hidden, "layout": 1}, outputs=2, since=14)
        for direction, own in (("forward", 0), ("reverse", 1), ("bidirectional", 0), ("bidirectional", 1)):
            d = 2 if direction == "bidirectional" else 1
            w, r, b = (
                f(d, gates * hidden, inputs),
                f(d, gates * hidden, hidden, seed=1),
                f(d, 2 * gates * hidden, seed=2),
            )
            state, cell, peepholes = f(d, batch, hidden, seed=3), f(d, batch, hidden, seed=4), f(d, 3 * hidden, seed=5)
            at: dict[str, Any] = {"direction": direction, "hidden_size": hidden}
            if own:
                several, single, alphas, betas = others[d]
                names = several if functions == 3 else several[: functions * d] if functions == 2 else single[:1] * d
                at |= {"activations": names, "activation_alpha": alphas, "activation_beta": betas}
            everything: list[Array | None] = [w, r, b, lengths, state]
            if lstm:
                everything += [cell, peepholes]
            for constants in ([w, r], everything):
                outputs = 3 if lstm else 2
                yield Case(operator, [x], constants, attributes=at, outputs=outputs, tolerance=1e-5)
            yield Case(operator, [x], everything, attributes={**at, "clip": 0.75}, outputs=outputs, tolerance=1e-5)
            if operator == "GRU":
                at = {**at, "linear_before_reset": 1}
                yield Case(operator, [x], everything, attributes=at, outputs=2, tolerance=1e-5)
            if lstm:
                at = {**at, "input_forget": 1}
                yield Case(operator, [x], everything, attributes=at, outputs=3, tolerance=1e-5)


def uniques(x: Array, axis: int | None, in_order: bool) -> list[Array]:
    """The outputs of Unique: NumPy's, put into the order in which values are met."""
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    order = np.arange(len(first)) if in_order else np.argsort(first)
    place = np.argsort(order)
    return [np.take(values, order, axis=axis or 0), first[order], place[inverse.reshape(-1)], counts[order]]


def found() -> Iterator[Case]:
    """Operators whose result is as large as the data says. Inputs are float32 where NumPy and ONNX Runtime agree on ties."""
    for dtype in (np.float32, np.int32, np.int64, np.uint8, np.bool_):
        x = (np.abs(f(3, 4, 2)) > 1).astype(dtype)
        yield Case("NonZero", [x])
        yield Case("NonZero", [x[:, 0, 0]])
        yield Case("NonZero", [np.zeros_like(x)])
        yield Case("NonZero", [x[:0]])
    yield Case("NonZero", [i(0, -0.0, np.nan, 1e-45, np.inf, dtype=np.float32)])
    x = f(4, 6)
    for length in (0, 2, 4, 6, 9, 24, 30):
        condition = np.arange(length) % 3 != 1
        yield Case("Compress", [x, condition], attributes={"axis": None})
        for axis in (0, 1):
            yield Case("Compress", [x, condition], attributes={"axis": axis})
        yield Case("Compress", [x, condition], attributes={"axis": -1}, since=11)
    table = np.repeat(i([2, 0, 1], [1, 1, 0], [2, 0, 1], [0, 5, 5], dtype=np.float32), [1, 2, 1, 1], axis=0)
    for number in (np.float32, np.float64, np.int64):
        for at in grid(axis=(None, 0, 1, -1), sorted=(None, 0, 1)):
            every = uniques(table.astype(number), at["axis"], at["sorted"] != 0)
            for outputs in (1, 2, 4):  # onnx.reference knows no order but the sorted one
                expected = every[:outputs] if at["sorted"] == 0 else None
                yield Case("Unique", [table.astype(number)], attributes=at, outputs=outputs, expected=expected)
        yield Case("Unique", [table[:, 0].astype(number)], outputs=4)
        yield Case("Unique", [table[:0].astype(number)], outputs=4)


CASES: tuple[Case, ...] = tuple(table())
