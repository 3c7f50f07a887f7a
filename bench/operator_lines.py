# SPDX-License-Identifier: Apache-2.0
"""Operators that work along axes: reductions, scans, softmax, the largest of a line, normalisations; as cases of bench/operators.py."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from kernel_case import Case, Drawn, numbers
from operator_elements import FLOATS, RANKS, dims_text, dtypes_of, uniform

REDUCTIONS = tuple(
    "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare".split()
)
# What people reduce: dims and axes.
LAYOUTS = {
    "NCHW planes": ((4, 64, 32, 32), (2, 3)),
    "NCHW channels": ((4, 64, 32, 32), (1,)),
    "NHWC planes": ((4, 32, 32, 64), (1, 2)),
    "NHWC 3 channels": ((1, 256, 256, 3), (3,)),
    "HWC planes": ((256, 256, 3), (0, 1)),
    "batch and planes": ((8, 64, 24, 24), (0, 2, 3)),
    "everything": ((512, 512), ()),
    "sequence first": ((128, 8, 256), (0,)),
    "sequence second": ((8, 128, 256), (1,)),
    "long line": ((1, 1000000), (1,)),
    "short lines": ((100000, 4), (1,)),
    "few columns": ((100000, 4), (0,)),
    "first and last": ((64, 64, 64), (0, 2)),
    "alternate": ((8, 16, 8, 16, 16), (1, 3)),
}


def reduced(op: str, dtype: str, dims: tuple[int, ...], axes: tuple[int, ...], note: str = "", keep: int = 1) -> Case:
    x = uniform(dtype, dims, 0.9, 1.1) if dtype in FLOATS else Drawn(dtype, dims, lambda r, d: r.integers(0, 3, d))
    name = f"{op} {dtype} {dims_text(dims)} axes {','.join(map(str, axes))}{note}"
    return Case(name, op, [x, numbers(*axes)] if axes else [x], [dtype], {} if keep else {"keepdims": 0})


def reductions() -> Iterator[Case]:
    for op in REDUCTIONS:
        for i, dtype in enumerate(dtypes_of(op)):
            for axes in (
                ((1,), (0,)) if op == "ReduceLogSum" or dtype == "bool" else ()
            ):  # others are in bench/kernels.py
                yield reduced(op, dtype, (512, 512), axes)
            if i == 0:
                for ranked in RANKS:
                    for axis in range(len(ranked)):
                        yield reduced(op, dtype, ranked, (axis,))
            if dtype in ("float32", "int64") or (dtype == "int32" and op == "ReduceMax"):
                for note, (dims, some) in LAYOUTS.items():
                    yield reduced(op, dtype, dims, some, " " + note, keep=0)
        yield reduced(op, "float32", (16384,), (0,), " size")
        yield reduced(op, "float32", (1024, 1024), (1,), " size")
    for ranked in RANKS[1:]:
        given = [("float32", ranked), Drawn("int64", (1,), lambda r, d: [1])]
        yield Case(f"ReduceSum float32 {dims_text(ranked)} axes of the run", "ReduceSum", given, ["float32"])
    vectors = [("float32", (512, 512)), ("float32", (512,)), ("float32", (512, 1))]
    yield Case("Mean float32 of vectors", "Mean", vectors, ["float32"])


LINES = ((65536,), (512, 512), (4, 21, 64, 64), (64, 1000), (128, 30, 30), (2, 8, 16, 32, 32))


def along(
    op: str, outputs: list[str], dtypes: tuple[str, ...], attributes: dict[str, Any] | None = None, note: str = ""
) -> Iterator[Case]:
    """`op` with an attribute axis: each axis of LINES in the first dtype, the first and the last axis in others."""
    for i, dtype in enumerate(dtypes):
        results = [dtype if o == "T" else o for o in outputs]
        x = uniform(dtype, (), -3, 3) if dtype in FLOATS else Drawn(dtype, (), lambda r, d: r.integers(0, 90, d))
        for dims in LINES if i == 0 else LINES[1:2]:
            for axis in range(len(dims)):
                own = {**(attributes or {}), "axis": axis}
                yield Case(
                    f"{op} {dtype} {dims_text(dims)} axis {axis}{note}", op, [Drawn(dtype, dims, x.draw)], results, own
                )


def softmaxes() -> Iterator[Case]:
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        yield from along(op, ["T"], dtypes_of(op))
    for p in (1, 2):
        yield from along(
            "LpNormalization", ["T"], dtypes_of("LpNormalization") if p == 2 else ("float32",), {"p": p}, f" p {p}"
        )


def largest() -> Iterator[Case]:
    for op in ("ArgMax", "ArgMin"):
        yield from along(op, ["int64"], dtypes_of(op), {"keepdims": 0})
    yield from along("ArgMax", ["int64"], ("float32",), {"select_last_index": 1}, " last")
    for i, dtype in enumerate(dtypes_of("TopK")):
        for dims in LINES if i == 0 else LINES[1:2]:
            for axis in range(len(dims)):
                for k in (1, 5, 100) if i == 0 else (5,):
                    if k > dims[axis]:
                        continue
                    x = Drawn(dtype, dims, lambda r, d: r.permutation(int(prod(d))).reshape(d) % 127)
                    if dtype in ("float32", "float64", "int32", "int64", "uint32", "uint64"):
                        x = Drawn(dtype, dims, lambda r, d: r.permutation(int(prod(d))).reshape(d))
                    name = f"TopK {dtype} {dims_text(dims)} axis {axis} k {k}"
                    yield Case(name, "TopK", [x, numbers(k)], [dtype, "int64"], {"axis": axis})
    for note, attributes in (("smallest", {"largest": 0}), ("unsorted", {"sorted": 0})):
        for k in (5, 300):
            unsorted = note == "unsorted"
            yield Case(
                f"TopK float32 {note} {k}",
                "TopK",
                [("float32", (64, 1000)), numbers(k)],
                ["float32", "int64"],
                attributes,
                random=unsorted,
            )
    for dtype in dtypes_of("Unique"):
        for count in (1000, 100000):
            x = Drawn(dtype, (count,), lambda r, d: r.integers(0, 100 if d[0] < 5000 else 120, d))
            yield Case(f"Unique {dtype} {count}", "Unique", [x], [dtype, "", "int64", "int64"])
    for axis in (0, 1):
        x = Drawn("float32", (500, 8) if axis == 0 else (8, 500), lambda r, d: r.integers(0, 2, d))
        yield Case(f"Unique float32 axis {axis}", "Unique", [x], ["float32"], {"axis": axis})
    yield Case(
        "Unique float32 unsorted",
        "Unique",
        [Drawn("float32", (100000,), lambda r, d: r.integers(0, 900, d))],
        ["float32"],
        {"sorted": 0},
    )


def scans() -> Iterator[Case]:
    import numpy as np

    for op in ("CumSum", "CumProd"):
        for i, dtype in enumerate(dtypes_of(op)):
            for dims in RANKS if i == 0 else RANKS[1:2]:
                for axis in range(len(dims)):
                    x = (
                        uniform(dtype, dims, 0.99, 1.01)
                        if dtype in FLOATS
                        else Drawn(dtype, dims, lambda r, d: r.integers(0, 2, d))
                    )
                    yield Case(f"{op} {dtype} {dims_text(dims)} axis {axis}", op, [x, np.int64(axis)], [dtype])
        for attributes in ({"reverse": 1}, {"exclusive": 1}, {"reverse": 1, "exclusive": 1}):
            for axis in (0, 1):
                x = uniform("float32", (512, 512), 0.99, 1.01)
                name = f"{op} float32 {' '.join(attributes)} axis {axis}"
                yield Case(name, op, [x, np.int64(axis)], ["float32"], attributes)


IMAGES = ((1, 64, 56, 56), (8, 32, 28, 28), (4, 64, 512), (1, 16, 8, 32, 32), (1, 256, 14, 14), (64, 256))


def image_norms() -> Iterator[Case]:
    for dtype in FLOATS:
        for dims in IMAGES if dtype == "float32" else IMAGES[:1]:
            c, text = dims[1], f"{dtype} {dims_text(dims)}"
            ones = [Drawn(dtype, (c,), lambda r, d: r.uniform(0.5, 1.5, d), True) for _ in range(4)]
            yield Case(f"BatchNormalization {text}", "BatchNormalization", [(dtype, dims), *ones], [dtype])
            if len(dims) > 2:
                run = [(dtype, (c,)), (dtype, (c,))]
                yield Case(
                    f"InstanceNormalization {text}", "InstanceNormalization", [(dtype, dims), *ones[:2]], [dtype]
                )
                yield Case(f"InstanceNormalization {text} run", "InstanceNormalization", [(dtype, dims), *run], [dtype])
                for groups in (1, 8, c):
                    own = {"num_groups": groups}
                    yield Case(
                        f"GroupNormalization {text} groups {groups}",
                        "GroupNormalization",
                        [(dtype, dims), *ones[:2]],
                        [dtype],
                        own,
                    )
                for size in (3, 5):
                    yield Case(f"LRN {text} size {size}", "LRN", [(dtype, dims)], [dtype], {"size": size})
            if len(dims) == 4:
                yield Case(f"MeanVarianceNormalization {text}", "MeanVarianceNormalization", [(dtype, dims)], [dtype])
                for axes in ([1, 2, 3], [2, 3], [1], [3]):
                    name = f"MeanVarianceNormalization {text} axes {axes}"
                    yield Case(name, "MeanVarianceNormalization", [(dtype, dims)], [dtype], {"axes": axes})
        training = [
            (dtype, (8, 32, 28, 28)),
            *[Drawn(dtype, (32,), lambda r, d: r.uniform(0.5, 1.5, d), True) for _ in range(4)],
        ]
        yield Case(
            f"BatchNormalization {dtype} training", "BatchNormalization", training, [dtype] * 3, {"training_mode": 1}
        )


def line_norms() -> Iterator[Case]:
    ms = "com.microsoft"
    for dtype in FLOATS:
        for dims in (
            ((128, 768), (4, 128, 256), (4, 56, 56, 96), (1, 1, 4096), (1024, 64))
            if dtype == "float32"
            else ((128, 768),)
        ):
            for axis in range(-1, -min(3, len(dims)) - 1, -1):
                part = dims[axis:]
                g = [Drawn(dtype, part, lambda r, d: r.uniform(0.5, 1.5, d), True) for _ in range(2)]
                text = f"{dtype} {dims_text(dims)} axis {axis}"
                yield Case(
                    f"LayerNormalization {text}", "LayerNormalization", [(dtype, dims), *g], [dtype], {"axis": axis}
                )
                yield Case(
                    f"LayerNormalization {text} no bias",
                    "LayerNormalization",
                    [(dtype, dims), g[0]],
                    [dtype],
                    {"axis": axis},
                )
                yield Case(
                    f"RMSNormalization {text}", "RMSNormalization", [(dtype, dims), g[0]], [dtype], {"axis": axis}
                )
                own = {"axis": axis, "epsilon": 1e-5}
                yield Case(
                    f"SimplifiedLayerNormalization {text}",
                    "SimplifiedLayerNormalization",
                    [(dtype, dims), g[0]],
                    [dtype],
                    own,
                    opset=17,
                )
        for dims in ((1, 128, 768), (4, 64, 256)):
            g = [Drawn(dtype, dims[-1:], lambda r, d: r.uniform(0.5, 1.5, d), True) for _ in range(3)]
            text = f"{dtype} {dims_text(dims)}"
            pair = [(dtype, dims), (dtype, dims)]
            yield Case(f"SkipLayerNormalization {text}", "SkipLayerNormalization", [*pair, *g], [dtype], {}, ms)
            yield Case(
                f"SkipLayerNormalization {text} sum",
                "SkipLayerNormalization",
                [*pair, *g],
                [dtype, "", "", dtype],
                {},
                ms,
            )
            simple = [*pair, g[0]]
            yield Case(
                f"SkipSimplifiedLayerNormalization {text}", "SkipSimplifiedLayerNormalization", simple, [dtype], {}, ms
            )


def losses() -> Iterator[Case]:
    for dtype in ("float32", "float64", "float16"):
        for dims in ((256, 1000), (8, 21, 64, 64)):
            target = Drawn("int64", (dims[0], *dims[2:]), lambda r, d, c=dims[1]: r.integers(0, c, d))
            for reduction in ("mean", "sum", "none"):
                text = f"{dtype} {dims_text(dims)} {reduction}"
                own = {"reduction": reduction}
                x = uniform(dtype, dims, -3, -0.1)
                yield Case(f"NegativeLogLikelihoodLoss {text}", "NegativeLogLikelihoodLoss", [x, target], [dtype], own)
                yield Case(f"SoftmaxCrossEntropyLoss {text}", "SoftmaxCrossEntropyLoss", [x, target], [dtype], own)
            weights = Drawn(dtype, (dims[1],), lambda r, d: r.uniform(0.5, 1.5, d), True)
            for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
                given = [uniform(dtype, dims, -3, -0.1), target, weights]
                yield Case(f"{op} {dtype} {dims_text(dims)} weights", op, given, [dtype])


FAMILIES = {
    "reductions": reductions, "softmax": softmaxes, "largest": largest, "scans": scans, "image norms": image_norms,
    "line norms": line_norms, "losses": losses,
}  # fmt: skip
