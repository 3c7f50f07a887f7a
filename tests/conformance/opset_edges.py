# SPDX-License-Identifier: Apache-2.0
"""Rows of opset_table.py's kind at the edges: tensors without elements, scalars, all integer types, double precision, pads that
cut off, windows that hang over."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from opset_cases import OLDEST, Array, Case, takes_type
from opset_inputs import f, i, s
from opset_table import CASES

SIGNED: tuple[Any, ...] = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED: tuple[Any, ...] = (np.uint8, np.uint16, np.uint32, np.uint64)
NONE = np.zeros(0, np.int64)


def rows() -> Iterator[Case]:
    yield from reductions()
    yield from without_elements()
    yield from scalars()
    yield from integers()
    yield from pads()
    yield from windows()
    yield from equations()
    yield from doubles()


def reductions() -> Iterator[Case]:
    for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
        moved = 13 if name == "Sum" else 18
        for axes, keepdims, dims in itertools.product(([0], [1], [0, 1], [-1]), (0, 1), ((0, 3), (2, 0), (2, 0, 3))):
            x, at = f(*dims), {"keepdims": keepdims}
            yield Case(f"Reduce{name}", [x], attributes={"axes": axes, **at}, until=moved - 1)
            yield Case(f"Reduce{name}", [x], [i(*axes)], attributes=at, since=moved)
        yield Case(f"Reduce{name}", [s(-2.5)])
        for dtype in (np.int32, np.int64):
            x = i([1, 2, 3], [4, 5, 6]).astype(dtype)
            yield Case(f"Reduce{name}", [x], attributes={"keepdims": 0})
            yield Case(f"Reduce{name}", [x], attributes={"noop_with_empty_axes": 1}, since=moved)


def without_elements() -> Iterator[Case]:
    for name in ("Add", "Mul", "Div", "Max", "Min", "Sum", "Mean", "Pow", "Equal"):
        for a, b in (((2, 0), (1,)), ((0,), ()), ((2, 1), (2, 0))):
            yield Case(name, [f(*a), f(*b)], since=8)
    images = f(0, 2, 5, 5)
    yield Case("Conv", [images], [f(3, 2, 3, 3)])
    yield Case("ConvTranspose", [images], [f(2, 3, 3, 3)])
    for name in ("MaxPool", "AveragePool"):
        yield Case(name, [images], attributes={"kernel_shape": [2, 2]})
    yield Case("GlobalAveragePool", [f(2, 3, 0)])
    yield Case("GlobalMaxPool", [f(0, 3, 2)], expected=[f(0, 3, 1)])
    yield Case("BatchNormalization", [f(0, 2, 3)], [f(2), f(2), f(2), f(2) + 4])
    yield Case("InstanceNormalization", [f(0, 2, 3)], [f(2), f(2)])
    yield Case("LayerNormalization", [f(0, 3)], [f(3)])
    yield Case("LRN", [f(0, 3, 2, 2)], attributes={"size": 3})
    for a, b, c in (((0, 3), (3, 2), (2,)), ((2, 0), (0, 3), (3,))):
        yield Case("Gemm", [f(*a), f(*b), f(*c)])
        yield Case("MatMul", [f(*a), f(*b)])
        yield Case("Einsum", [f(*a), f(*b)], attributes={"equation": "ij,jk->ik"})
    yield Case("MatMul", [f(2, 0, 3), f(3, 2)])
    yield Case("Concat", [f(2, 0), f(2, 3)], attributes={"axis": 1})
    yield Case("Concat", [f(0), f(0)], attributes={"axis": 0})
    yield Case("Split", [f(0, 4)], outputs=2)
    yield Case("Gather", [f(3, 0)], [i(1, 2)])
    yield Case("Gather", [f(3, 2)], [NONE])
    yield Case("GatherElements", [f(3, 2)], [np.zeros((0, 2), np.int64)])
    yield Case("GatherND", [f(3, 2)], [np.zeros((0, 1), np.int64)])
    yield Case("ScatterND", [f(3, 2)], [np.zeros((0, 1), np.int64), f(0, 2)])
    yield Case("ScatterElements", [f(3, 2)], [np.zeros((0, 2), np.int64), f(0, 2)])
    yield Case("OneHot", [NONE], [s(3, np.int64), i(0, 1)])
    yield Case("TopK", [f(2, 0)], [i(0)], outputs=2, since=11)
    yield Case("CumSum", [f(0, 3)], [s(0, np.int64)])
    yield Case("CumSum", [f(3, 0)], [s(1, np.int64)])
    yield Case("Tile", [f(0, 2)], [i(2, 2)])
    yield Case("Expand", [f(1, 3)], [i(0, 1)])
    yield Case("Reshape", [f(0, 3)], [i(-1, 3)])
    yield Case("Flatten", [f(2, 0, 3)], attributes={"axis": 0})
    yield Case("Flatten", [f(2, 0, 3)], attributes={"axis": 2})
    yield Case("DepthToSpace", [f(0, 4, 2, 2)], attributes={"blocksize": 2})
    yield Case("Resize", [f(0, 1, 4)], [None, i(1, 1, 2, dtype=np.float32)], since=13)
    yield Case("Range", [], [s(5, np.int64), s(0, np.int64), s(1, np.int64)])
    yield Case("ConstantOfShape", [], [i(0, 2)])


def scalars() -> Iterator[Case]:
    two = s(2.0)
    for name in ("Add", "Max", "Pow", "Equal"):
        yield Case(name, [two, f(3)], since=8)
        yield Case(name, [two, two], since=8)
    for name in ("Transpose", "Squeeze", "Shape", "Size", "Relu", "Identity"):
        yield Case(name, [two])
    yield Case("Flatten", [two], attributes={"axis": 0})
    yield Case("Unsqueeze", [two], [i(0)], since=13)
    yield Case("Tile", [two], [NONE])
    yield Case("Expand", [two], [i(2, 3)])
    yield Case("Expand", [f(2, 3)], [NONE])
    yield Case("Reshape", [two], [i(1, 1)])
    yield Case("Reshape", [f(1, 1)], [NONE])
    yield Case("ConstantOfShape", [], [NONE])
    yield Case("OneHot", [s(1, np.int64)], [s(3, np.int64), i(0, 1)])
    yield Case("Einsum", [two, f(3)], attributes={"equation": ",a->a"})
    # A single axis is the batch, and there is one channel.
    one = [s([v]) for v in (2.0, 1.0, 0.5, 3.0)]
    yield Case(
        "BatchNormalization", [f(5)], one, expected=[((f(5) - 0.5) / np.sqrt(s(3.00001)) * 2 + 1).astype(np.float32)]
    )


def integers() -> Iterator[Case]:
    for dtype in (*SIGNED, *UNSIGNED):
        a, b = i(7, 100, 3, 9, 0).astype(dtype), i(2, 100, 9, 3, 1).astype(dtype)
        for name in (
            "Add",
            "Sub",
            "Mul",
            "Div",
            "Max",
            "Min",
            "Sum",
            "Equal",
            "Less",
            "Greater",
            "LessOrEqual",
            "GreaterOrEqual",
            "Mod",
        ):
            yield Case(name, [a, b])
        for name in ("Abs", "Neg", "Sign", "Relu", "Identity", "Shrink"):
            yield Case(name, [a])
        if dtype in SIGNED:
            for name in ("Abs", "Neg", "Sign", "Relu", "Shrink"):
                yield Case(name, [-a])
            for name in ("Div", "Mod"):
                yield Case(name, [-a, b])
        for name in ("ArgMax", "ArgMin", "ReduceMax", "ReduceMin"):
            yield Case(name, [a])
        yield Case("TopK", [a], [i(2)], outputs=2, since=11)
        yield Case("CumSum", [a], [s(0, np.int64)])
        yield Case("MatMul", [a.reshape(1, 5), b.reshape(5, 1)])
        yield Case("Range", [], [s(v, dtype) for v in (2, 9, 3)])
        yield Case("Resize", [a.reshape(1, 1, 5)], [None, i(1, 1, 2, dtype=np.float32)], since=13)
        yield Case("ScatterElements", [a], [i(1, 1), b[:2]], attributes={"reduction": "add"}, since=18)
        for to in (1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13):
            yield Case("Cast", [a], attributes={"to": to})

    large = i(2**60 + 1, -(2**60) - 1, 0)
    for bias in (-1.0, 1.0):
        moved = i(2**60 + 1 - int(bias), -(2**60) - 1 + int(bias), 0)
        yield Case("Shrink", [large], attributes={"bias": bias, "lambd": 1.0}, expected=[moved])


def pads() -> Iterator[Case]:
    for mode, ends in itertools.product(
        ("reflect", "edge", "wrap"), ([3, 0], [0, 4], [5, 7], [-1, 2], [2, -1], [7, 0])
    ):
        yield Case("Pad", [f(4)], [i(*ends)], attributes={"mode": mode}, since=19 if mode == "wrap" else 11)
    # The pads that cut off come first: what is wrapped is what they leave.
    x = i(10, 11, 12, 13, dtype=np.float32)
    yield Case("Pad", [x], [i(-2, 5)], attributes={"mode": "wrap"}, since=19, expected=[x[[2, 3, 2, 3, 2, 3, 2]]])
    yield Case("Pad", [x], [i(4, -1)], attributes={"mode": "reflect"}, since=19, expected=[x[[0, 1, 2, 1, 0, 1, 2]]])
    for ends in ([-1, -1], [-2, 2], [-4, 1]):
        yield Case("Pad", [f(4)], [i(*ends)], since=11)


def windows() -> Iterator[Case]:
    x = f(1, 1, 6)
    for kernel, stride, at, up in itertools.product((2, 3), (1, 2, 3, 4), ([0, 0], [1, 1], [0, 1]), (0, 1)):
        window = {"kernel_shape": [kernel], "strides": [stride], "pads": at, "ceil_mode": up}
        yield Case("MaxPool", [x], attributes=window, since=10)
        for included in (0, 1):
            yield Case("AveragePool", [x], attributes={**window, "count_include_pad": included}, since=10)


def equations() -> Iterator[Case]:
    for equation, *dims in (
        ("ij->j", (2, 3)), ("i,i->", (3,), (3,)), ("i,i", (3,), (3,)), ("ij,ij->ij", (2, 3), (1, 3)),
        ("...jk,jk->...", (2, 3, 4), (3, 4)), ("...k,...k->...k", (2, 3, 4), (1, 3, 4)), ("ab,cd->", (2, 3), (4, 5)),
        # An axis of 1 fits any other.
        ("ij,jk->ik", (2, 1), (3, 4)), ("ij,jk->ik", (2, 3), (1, 4)), ("i,i->", (1,), (3,)), ("ij,ij->", (2, 1), (1, 3)),
        ("bij,bjk->bik", (1, 2, 1), (3, 4, 5)), ("bij,bjk->bik", (3, 2, 4), (1, 1, 5)), ("...ij,...jk->...ik", (1, 2, 1), (3, 4, 5)),
        ("ij,ij->i", (2, 1), (2, 3)), ("ij,jk,kl->il", (2, 1), (3, 1), (4, 5)), ("ij,ij,ij->", (1, 3), (2, 1), (2, 3)),
        ("...ij,...ij->", (1, 2, 3), (4, 2, 1)),
    ):  # fmt: skip
        yield Case("Einsum", [f(*d, seed=at) for at, d in enumerate(dims)], attributes={"equation": equation})


def doubles() -> Iterator[Case]:
    """Rows of the table in double precision, but for what its oracles compute in single."""
    left_out = {
        "Cast",
        "CastLike",
        "Dropout",
        "Erf",
        "GRU",
        "Gelu",
        "GroupNormalization",
        "HardSwish",
        "Hardmax",
        "LRN",
        "LSTM",
        "RNN",
        "Resize",
        "Upsample",
    }

    def wide(x: Array | None) -> Array | None:
        return x if x is None or x.dtype != np.float32 else x.astype(np.float64)

    for case in CASES:
        inputs, constants = (
            [x.astype(np.float64) if x.dtype == np.float32 else x for x in case.inputs],
            map(wide, case.constants),
        )
        given = [*case.inputs, *case.constants]
        if case.operator in left_out or not any(x is not None and x.dtype == np.float32 for x in given):
            continue
        if case.operator in ("MaxPool", "ConvTranspose") and not {"auto_pad", "output_shape"}.isdisjoint(
            case.attributes
        ):
            continue  # the reference alone computes these in double precision, and it has its own idea of them
        if case.operator == "Clip" and case.since < 12:
            continue
        expected = None if case.expected is None else [np.asarray(wide(x)) for x in case.expected]
        yield replace(case, inputs=inputs, constants=list(constants), expected=expected, since=max(case.since, OLDEST))


# Element types that no version takes are refused (test_schemas.py).
EDGES: tuple[Case, ...] = tuple(case for case in rows() if takes_type(case))
