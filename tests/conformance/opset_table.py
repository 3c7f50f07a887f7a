# SPDX-License-Identifier: Apache-2.0
"""What each version of each operator means, as a table: a row is an operator with inputs and attributes.

A row becomes a model of one node for every form that the operator has had since opset 7 (opset_cases.py); what a version does
not know is left out by `since` and `until`. test_opsets.py runs them: `pytest tests/conformance/test_opsets.py -k Resize`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import onnx
from opset_cases import OLDEST, Array, Case
from opset_inputs import f, grid, i, s
from opset_layers import grid_samples, norms, recurrent, resizes, windows


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
    finite = f(3, 5)
    for name in ("Elu", "Celu", "ThresholdedRelu", "LeakyRelu"):
        for at in grid(alpha=(None, 0.3, 2.0)):
            yield Case(name, [finite], attributes=at)
    for at in grid(alpha=(None, 1.5), gamma=(None, 0.7)):
        yield Case("Selu", [finite], attributes=at)
    for at in grid(alpha=(None, 0.4), beta=(None, 0.1)):
        yield Case("HardSigmoid", [finite], attributes=at)
    for name in ("Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "HardSwish", "Mish", "Erf"):
        yield Case(name, [finite], tolerance=1e-5)
    for at in grid(approximate=(None, "none", "tanh")):
        yield Case("Gelu", [finite], attributes=at, tolerance=1e-5)
    for at in grid(alpha=(None, 1.0, 1.7)):
        yield Case("Swish", [finite], attributes=at, tolerance=1e-5)
    for at in grid(lambd=(None, 0.0, 1.5), bias=(None, 0.5, -1.0, 2.0)):
        yield Case("Shrink", [finite], attributes=at)
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
    for whole in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        for low, high in ((3, 90), (90, 3)):
            yield Case("Clip", [i(0, 5, 89, 100, dtype=whole)], [s(low, whole), s(high, whole)], since=12)
    yield Case("Clip", [i(-5, 2**40, dtype=np.int64)], [s(-(2**24) - 1, np.int64), s(2**33 + 1, np.int64)], since=12)
    for at in grid(ratio=(None, 0.3)):
        yield Case("Dropout", [finite], attributes=at, until=11)
        yield Case(
            "Dropout", [finite], attributes=at, outputs=2, since=10, until=11
        )  # before, no text says what the mask is
    for ratio, training in ((None, None), (0.3, None), (None, False), (0.5, False), (0.0, True)):
        given = [None if ratio is None else s(ratio), None if training is None else s(training, np.bool_)]
        yield Case("Dropout", [finite], given, outputs=2, since=12, expected=[finite, np.ones(finite.shape, np.bool_)])
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
