# SPDX-License-Identifier: Apache-2.0
"""Models whose sizes, counts and places are numbers that come with a run, and runs in which those are special: 0, -1, 1, the ends of
64-bit integers. For test_special_numbers.py, which holds them against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

LEAST, MOST = -(2**63), 2**63 - 1
FEW = (-2, -1, 0, 1, 2, 3)
ENDS = (LEAST, LEAST + 1, *FEW, 4, MOST - 1, MOST)
DTYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64}

Arrays = dict[str, NDArray[Any]]


@dataclass
class Case:
    name: str
    model: onnx.ModelProto
    runs: list[Arrays]


def tensor(*dims: int) -> NDArray[Any]:
    return (np.arange(int(np.prod(dims)), dtype=np.float32) + 1).reshape(dims)


def numbers(*values: int) -> NDArray[Any]:
    return np.array(values, np.int64)


def model(
    inputs: dict[str, tuple[int, Sequence[int | str]]],
    nodes: Sequence[onnx.NodeProto],
    outputs: Sequence[str],
    opset: int = 17,
    **constants: Any,
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "numbers",
        [helper.make_tensor_value_info(name, dtype, dims) for name, (dtype, dims) in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(np.array(v, getattr(v, "dtype", np.int64)), k) for k, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


# How a list of numbers comes into a graph: as an input, out of arithmetic with inputs, from what nodes make of data.
SOURCES = ("input", "sum", "double", "less one", "at least zero", "data")


def source(
    how: str, count: int
) -> tuple[dict[str, tuple[int, Sequence[int | str]]], list[onnx.NodeProto], dict[str, Any]]:
    """Inputs, nodes and constants that make `n`; the inputs are fed by given()."""
    i64 = TensorProto.INT64
    if how == "input":
        return {"n": (i64, [count])}, [], {}
    if how == "sum":
        return {"p": (i64, [count]), "q": (i64, [count])}, [helper.make_node("Add", ["p", "q"], ["n"])], {}
    if how == "double":
        nodes = [helper.make_node("Mul", ["p", "two"], ["m"]), helper.make_node("Add", ["m", "q"], ["n"])]
        return {"p": (i64, [count]), "q": (i64, [count])}, nodes, {"two": [2]}
    if how == "less one":
        return {"p": (i64, [count])}, [helper.make_node("Sub", ["p", "one"], ["n"])], {"one": [1]}
    if how == "at least zero":
        return {"p": (i64, [count])}, [helper.make_node("Max", ["p", "none"], ["n"])], {"none": [0]}
    # a sum over data: no shape determines it
    return {"p": (i64, [count, "k"])}, [helper.make_node("ReduceSum", ["p", "axis"], ["n"], keepdims=0)], {"axis": [1]}


def given(how: str, values: Sequence[int]) -> Arrays | None:
    """What makes `n` these values; None: nothing does."""
    n = numbers(*values)
    if how == "input":
        return {"n": n}
    if how == "sum":
        return {"p": n // 2, "q": n - n // 2}
    if how == "double":
        return {"p": n // 2, "q": n - n // 2 * 2}
    if how == "less one":
        return None if MOST in values else {"p": n + 1}
    if how == "at least zero":
        return None if min(values) < 0 else {"p": np.where(n == 0, -7, n)}
    half = n // 2
    return {"p": np.stack([half, n - half], 1)}


def cases_of(
    name: str,
    node: onnx.NodeProto,
    count: int,
    values: Sequence[Sequence[int]],
    x: Sequence[NDArray[Any]],
    *,
    sources: Sequence[str] = SOURCES,
    opset: int = 17,
    outputs: Sequence[str] = ("y",),
    before: Sequence[onnx.NodeProto] = (),
    **constants: Any,
) -> Iterator[Case]:
    """The node reads `x` and `n`; nodes `before` may take n apart."""
    for how in sources:
        inputs, nodes, more = source(how, count)
        if x:
            dims = [f"d{i}" for i in range(x[0].ndim)]
            inputs = {"x": (DTYPES[x[0].dtype], dims), **inputs}
        made = model(inputs, [*nodes, *before, node], outputs, opset, **more, **constants)
        runs = []
        arrays: list[Any] = list(x) or [None]
        for numbers_, array in product(values, arrays):
            feed = given(how, numbers_)
            if feed is not None:
                runs.append(feed if array is None else {"x": array, **feed})
        yield Case(f"{name}, numbers by {how}", made, runs)


def reshapes() -> Iterator[Case]:
    xs = [tensor(2, 3), tensor(3, 0), tensor(0, 3), tensor(1, 1), tensor(0, 0)]
    pairs = list(product((-2, -1, 0, 1, 2, 3, 6), repeat=2))
    yield from cases_of("Reshape", helper.make_node("Reshape", ["x", "n"], ["y"]), 2, pairs, xs)
    # A 0 beside a -1 is no target then, and ONNX Runtime makes one of it.
    pairs = [pair for pair in pairs if sorted(pair) != [-1, 0]]
    yield from cases_of(
        "Reshape, zeros allowed", helper.make_node("Reshape", ["x", "n"], ["y"], allowzero=1), 2, pairs, xs
    )
    ones = [(v,) for v in (-2, -1, 0, 1, 6)]
    yield from cases_of("Reshape to one dim", helper.make_node("Reshape", ["x", "n"], ["y"]), 1, ones, xs)
    triples = list(product((-1, 0, 1, 2, 3), repeat=3))
    yield from cases_of("Reshape to three dims", helper.make_node("Reshape", ["x", "n"], ["y"]), 3, triples, xs[:3])

    # numbers beside constants
    for name, target in (
        ("before -1", ["n", "open"]),
        ("after -1", ["open", "n"]),
        ("before 0", ["n", "zero"]),
        ("after 0", ["zero", "n"]),
    ):
        join = helper.make_node("Concat", target, ["t"], axis=0)
        node = helper.make_node("Reshape", ["x", "t"], ["y"])
        yield from cases_of(
            f"Reshape, a number {name}", node, 1, [*ones, (2,), (3,)], xs, before=[join], open=[-1], zero=[0]
        )


def reshapes_of_shapes() -> Iterator[Case]:
    """Targets made of dims, which are 0 now and then."""
    f = TensorProto.FLOAT

    def shape_of(name: str, axis: int) -> list[onnx.NodeProto]:
        return [
            helper.make_node("Shape", ["x"], [f"{name}_s"]),
            helper.make_node("Slice", [f"{name}_s", f"c{axis}", f"c{axis + 1}"], [name]),
        ]

    c: dict[str, Any] = {f"c{i}": [i] for i in range(4)}

    def reshape(
        name: str,
        dims: Sequence[int | str],
        parts: Sequence[str],
        more: Sequence[onnx.NodeProto],
        xs: Sequence[NDArray[Any]],
        **constants: Any,
    ) -> Case:
        nodes = [*shape_of("a", 0), *shape_of("b", 1), *more]
        nodes += [helper.make_node("Concat", parts, ["t"], axis=0), helper.make_node("Reshape", ["x", "t"], ["y"])]
        return Case(name, model({"x": (f, dims)}, nodes, ["y"], **c, **constants), [{"x": x} for x in xs])

    yield reshape("[K, K] of [3, K]", [3, "K"], ["b", "b"], [], [tensor(3, k) for k in (0, 3, 1)])
    yield reshape("[K, K] of [N, K]", ["N", "K"], ["b", "b"], [], [tensor(n, k) for n in (0, 1, 3) for k in (0, 1, 3)])
    yield reshape("[K, N] of [N, K]", ["N", "K"], ["b", "a"], [], [tensor(n, k) for n in (0, 1, 3) for k in (0, 1, 2)])
    both = [helper.make_node("Mul", ["a", "b"], ["ab"])]
    rows = [tensor(n, k, 4) for n in (0, 1, 3) for k in (0, 1, 2)]
    yield reshape("[A*B, 4] of [A, B, 4]", ["A", "B", 4], ["ab", "four"], both, rows, four=[4])
    yield reshape("[A*B, -1] of [A, B, 4]", ["A", "B", 4], ["ab", "open"], both, rows, open=[-1])
    yield reshape("[-1, A*B] of [A, B, 4]", ["A", "B", 4], ["open", "ab"], both, rows, open=[-1])
    heads = [helper.make_node("Mul", ["a", "two"], ["h"])]
    yield reshape("[2*A, B, 2] of [A, B, 4]", ["A", "B", 4], ["h", "b", "two"], heads, rows, two=[2])
    yield reshape("[2*A, 2, B] of [A, B, 4]", ["A", "B", 4], ["h", "two", "b"], heads, rows, two=[2])
    less = [helper.make_node("Sub", ["b", "two"], ["m"])]
    yield reshape(
        "[A, B - 2] of [A, B]",
        ["A", "B"],
        ["a", "m"],
        less,
        [tensor(n, k) for n in (0, 1, 3) for k in (0, 1, 2, 3)],
        two=[2],
    )
    yield reshape(
        "[B - 2, A] of [A, B]",
        ["A", "B"],
        ["m", "a"],
        less,
        [tensor(n, k) for n in (0, 1, 3) for k in (0, 1, 2, 3)],
        two=[2],
    )


def movers() -> Iterator[Case]:
    xs = [tensor(4), tensor(1), tensor(0)]
    apart = [
        helper.make_node("Slice", ["n", "zero", "one_"], ["s"]),
        helper.make_node("Slice", ["n", "one_", "two_"], ["e"]),
    ]
    parts: dict[str, Any] = {"zero": [0], "one_": [1], "two_": [2]}
    for step in (1, 2, -1, -2, MOST, LEAST):
        node = helper.make_node("Slice", ["x", "s", "e", "zero", "step"], ["y"])
        # Backwards ONNX Runtime takes an end of INT64_MAX for "to the edge", which ONNX says of forward slices alone.
        # (Its sums of such data are not exact.)
        places = [(s, e) for s, e in product(ENDS, repeat=2) if step > 0 or e < MOST - 1]
        yield from cases_of(f"Slice by {step}", node, 2, places, xs, before=apart, **parts, step=[step])
    expand = helper.make_node("Expand", ["x", "n"], ["y"])
    yield from cases_of(
        "Expand", expand, 2, list(product(FEW, repeat=2)), [tensor(1, 3), tensor(3, 1), tensor(1, 1), tensor(0, 1)]
    )
    yield from cases_of("Expand to more", expand, 1, [(v,) for v in FEW], [tensor(1, 2), tensor(2, 1)])
    tile = helper.make_node("Tile", ["x", "n"], ["y"])
    yield from cases_of("Tile", tile, 2, list(product(FEW, repeat=2)), [tensor(2, 1), tensor(0, 2)])
    split = helper.make_node("Split", ["x", "n"], ["y", "z"], axis=0)
    yield from cases_of(
        "Split", split, 2, list(product(ENDS, repeat=2)), [tensor(4), tensor(3, 2), tensor(0)], outputs=("y", "z")
    )
    last = helper.make_node("Split", ["x", "n"], ["", "z"], axis=0)
    yield from cases_of(
        "Split for its last part", last, 2, [(-1, 5), (1, 3), (-2, 6), (5, -1)], [tensor(4)], outputs=("z",)
    )
    pad = helper.make_node("Pad", ["x", "n"], ["y"])
    yield from cases_of("Pad", pad, 2, list(product((LEAST, -5, *FEW), repeat=2)), xs)
    zeros = helper.make_node("ConstantOfShape", ["n"], ["y"])
    yield from cases_of("ConstantOfShape", zeros, 2, list(product(FEW, repeat=2)), [])
    trilu = helper.make_node("Trilu", ["x", "k"], ["y"])
    scalar = [helper.make_node("Squeeze", ["n"], ["k"])]
    yield from cases_of("Trilu", trilu, 1, [(v,) for v in ENDS], [tensor(3, 4), tensor(0, 2)], before=scalar)


def counts() -> Iterator[Case]:
    topk = helper.make_node("TopK", ["x", "n"], ["y", "z"], axis=0)
    yield from cases_of("TopK", topk, 1, [(v,) for v in ENDS], [tensor(3), tensor(1, 2), tensor(0)], outputs=("y", "z"))
    apart = [helper.make_node("Gather", ["n", f"c{i}"], [f"r{i}"]) for i in range(3)]
    scalars: dict[str, Any] = {f"c{i}": np.array(i, np.int64) for i in range(3)}
    values = [v for v in product((-2, -1, 0, 1, 3), repeat=3)]
    values += [
        (0, 5, MOST),
        (5, 0, LEAST),
        (5, 0, LEAST + 1),
        (MOST, LEAST, 1),
        (LEAST, LEAST, 1),
        (MOST, MOST, -1),
        (-3, 2, MOST),
    ]
    node = helper.make_node("Range", ["r0", "r1", "r2"], ["y"])
    yield from cases_of("Range", node, 3, values, [], before=apart, **scalars)
    hot = helper.make_node("OneHot", ["x", "n", "v"], ["y"])
    at = [np.array([0, 1, 2, -1, -3], np.int64)]
    yield from cases_of("OneHot", hot, 1, [(v,) for v in FEW], at, v=np.array([0, 1], np.float32))
    for mode in ("nearest", "linear"):
        resize = helper.make_node(
            "Resize",
            ["x", "", "", "n"],
            ["y"],
            mode=mode,
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
        yield from cases_of(
            f"Resize {mode}", resize, 2, list(product(FEW, repeat=2)), [tensor(2, 3), tensor(1, 1), tensor(0, 2)]
        )


def every_case() -> Iterator[Case]:
    yield from reshapes()
    yield from reshapes_of_shapes()
    yield from movers()
    yield from counts()
