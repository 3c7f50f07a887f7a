# SPDX-License-Identifier: Apache-2.0
"""Rows of opset_table.py's kind whose values are sequences and optionals, or whose nodes have bodies. What goes in and comes out
of a row is a list or an optional where the operator has one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from opset_cases import Array, Case, Maybe, type_of
from opset_inputs import f, grid, i, s

NUMBER = np.int64


def rows() -> Iterator[Case]:
    yield from sequences()
    yield from optionals()
    yield from bodies()
    yield from constants()


def at(position: int, dtype: Any = NUMBER) -> Array:
    return np.array(position, dtype)


def sequences() -> Iterator[Case]:
    alike = [f(2, 3, seed=k) for k in range(3)]
    ragged = [f(2, 3), f(4, 3, seed=1), f(1, 3, seed=2)]
    kinds = [[x.astype(kind) for x in alike] for kind in (np.float64, np.float16, np.int64, np.uint8, np.bool_)]
    for given in (alike, ragged, alike[:1], *kinds):
        yield Case("SequenceLength", [given], since=11)
        yield Case("SequenceErase", [given], since=11)
        yield Case("SequenceInsert", [given, given[0]], since=11)
        for k in range(-len(given), len(given)):
            yield Case("SequenceAt", [given], [at(k)], since=11)
            yield Case("SequenceErase", [given], [at(k)], since=11)
        for k in range(-len(given), len(given) + 1):
            yield Case("SequenceInsert", [given, given[0]], [at(k)], since=11)
        yield Case("ConcatFromSequence", [given], attributes={"axis": 0}, since=11)
        yield Case("SequenceConstruct", given, since=11)
    yield Case("SequenceAt", [alike], [at(1, np.int32)], since=11)
    along: int | None
    for along in (0, 1, -1, -2):
        yield Case("ConcatFromSequence", [alike], attributes={"axis": along}, since=11)
    for along in (0, 1, 2, -1, -3):
        yield Case("ConcatFromSequence", [alike], attributes={"axis": along, "new_axis": 1}, since=11)
    kind: Any
    for dtype in (None, 1, 7):
        kind = np.int64 if dtype == 7 else np.float32
        empty = helper.make_node("SequenceEmpty", [], ["empty"], dtype=dtype)
        more = helper.make_node("SequenceInsert", ["empty", "x0"], ["one"])
        length = helper.make_node("SequenceLength", ["empty"], ["length"])
        nodes, results = [empty, more, length], ["one", "length"]
        yield Case("SequenceEmpty", [f(2, 3).astype(kind)], since=11, nodes=nodes, results=results)
    x = f(5, 6, 2)
    for along, keep in itertools.product((None, 0, 1, -1, -3), (None, 0, 1)):
        named = {"axis": along, "keepdims": keep}
        yield Case("SplitToSequence", [x], attributes=named, since=11)
        length = x.shape[along or 0]
        yield Case("SplitToSequence", [x], [at(2)], attributes=named, since=11)
        yield Case("SplitToSequence", [x], [i(1, length - 1)], attributes=named, since=11)
    for kind in (np.float64, np.int32, np.uint8, np.bool_):
        yield Case("SplitToSequence", [x.astype(kind)], [at(4)], since=11)


def optionals() -> Iterator[Case]:
    x, several = f(2, 3), [f(2, 3), f(2, 3, seed=1)]
    for value in (x, x.astype(np.int64), several):
        for held in (value, None):
            there = Maybe(held, value)
            yield Case("OptionalHasElement", [there], since=15)
        yield Case("OptionalGetElement", [Maybe(value, value)], since=15)
        yield Case("OptionalHasElement", [value], since=18)  # from 18 on it takes what is no optional, too, and nothing
        yield Case("OptionalGetElement", [value], since=18)
        has = helper.make_node("OptionalHasElement", ["o"], ["has"])
        get = helper.make_node("OptionalGetElement", ["o"], ["got"])
        make = helper.make_node("Optional", ["x0"], ["o"])
        expected = [np.array(True), value]
        yield Case("Optional", [value], since=15, nodes=[make, has, get], results=["has", "got"], expected=expected)
        nothing = helper.make_node("Optional", [], ["o"], type=type_of(value))
        yield Case("Optional", [x], since=15, nodes=[nothing, has], results=["has"], expected=[np.array(False)])
    yield Case("OptionalHasElement", [], since=18)


# -- bodies --------------------------------------------------------------------------------------------------------------------


def value(name: str, element: int = TensorProto.FLOAT, dims: Any = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element, dims)


def graph(nodes: list[onnx.NodeProto], inputs: list[Any], outputs: list[Any]) -> onnx.GraphProto:
    return helper.make_graph(nodes, "body", inputs, outputs)


def of(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), output.split(), **attributes)


def bodies() -> Iterator[Case]:
    x = f(2, 3)
    then = graph([of("Neg", "x1", "p")], [], [value("p")])
    other = graph([of("Abs", "x1", "q")], [], [value("q")])
    branches = {"then_branch": then, "else_branch": other}
    for yes in (True, False):
        node = helper.make_node("If", ["x0"], ["y"], **branches)
        yield Case("If", [np.array(yes), x], nodes=[node], results=["y"], since=1)
        wider = helper.make_node("If", ["x0"], ["y"], then_branch=then, else_branch=graph(
            [of("Concat", "x1 x1", "q", axis=0)], [], [value("q")]))  # fmt: skip
        yield Case("If", [np.array(yes), x], nodes=[wider], results=["y"], since=11)
    for stop, trips in itertools.product((False, True), (None, 0, 1, 3)):
        step = [of("Add", "state x1", "next"), of("Mul", "next next", "row")]
        step += (
            [of("ReduceSum", "next", "sum", keepdims=0), of("Less", "sum most", "on")]
            if stop
            else [of("Identity", "go", "on")]
        )
        body = graph(
            step,
            [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("state", dims=[2, 3])],
            [value("on", TensorProto.BOOL, []), value("next", dims=[2, 3]), value("row", dims=[2, 3])],
        )
        if trips is None and not stop:
            continue
        before = [helper.make_node("Constant", [], ["most"], value=onnx.numpy_helper.from_array(s(40.0)))]
        if trips is not None:
            before.append(helper.make_node("Constant", [], ["trips"], value=onnx.numpy_helper.from_array(at(trips))))
        before.append(helper.make_node("Constant", [], ["yes"], value=onnx.numpy_helper.from_array(np.array(True))))
        begin = ["" if trips is None else "trips", "yes" if stop else "", "x0"]
        node = helper.make_node("Loop", begin, ["last", "rows"], body=body)
        given = [x, np.abs(f(2, 3, seed=1)) + 1]
        yield Case("Loop", given, nodes=[*before, node], results=["last", "rows"], since=8)
    summed = graph([of("Add", "state x", "next"), of("Identity", "next", "y")],
                   [value("state", dims=[3]), value("x", dims=[3])], [value("next", dims=[3]), value("y", dims=[3])])  # fmt: skip
    for directions in (None, [0], [1]):
        old = helper.make_node(
            "Scan", ["", "x0", "x1"], ["last", "y"], body=summed, num_scan_inputs=1, directions=directions
        )
        yield Case("Scan", [f(2, 3), f(2, 5, 3)], nodes=[old], results=["last", "y"], since=8, until=8)
    for named in grid(
        scan_input_directions=(None, [1]), scan_output_directions=(None, [1]), scan_input_axes=(None, [1]), scan_output_axes=(None, [1])
    ):  # fmt: skip
        node = helper.make_node("Scan", ["x0", "x1"], ["last", "y"], body=summed, num_scan_inputs=1, **named)
        rolled = f(5, 3) if named["scan_input_axes"] is None else f(3, 5)
        yield Case("Scan", [f(3), rolled], nodes=[node], results=["last", "y"], since=9)
    double = graph([of("Add", "e e", "d")], [value("e", dims=["r", 3])], [value("d", dims=["r", 3])])
    both = graph([of("Add", "e a", "d"), of("Neg", "e", "n")], [value("e", dims=["r", 3]), value("a", dims=[3])],
                 [value("d", dims=["r", 3]), value("n", dims=["r", 3])])  # fmt: skip
    for given in ([f(2, 3), f(2, 3, seed=1)], [f(2, 3), f(4, 3)]):
        yield Case("SequenceMap", [given], attributes={"body": double}, since=17)
        yield Case("SequenceMap", [given, f(3)], attributes={"body": both}, outputs=2, since=17)


def constants() -> Iterator[Case]:
    for tensor in (f(2, 3), i(1, 2), s(2.5), np.array([True, False]), f(2).astype(np.float16), f(2, dtype=np.float64)):
        yield Case("Constant", [], attributes={"value": onnx.numpy_helper.from_array(tensor)}, since=1)
    sparse = helper.make_sparse_tensor(
        onnx.numpy_helper.from_array(f(2), "v"), onnx.numpy_helper.from_array(i(1, 5), "i"), [2, 3]
    )
    dense = np.zeros((2, 3), np.float32)
    dense.ravel()[[1, 5]] = f(2)
    yield Case("Constant", [], attributes={"sparse_value": sparse}, since=11, expected=[dense])
    for name, given in (
        ("value_float", 2.5),
        ("value_floats", [1.5, -2.0]),
        ("value_int", -7),
        ("value_ints", [2**40, 3]),
    ):
        yield Case("Constant", [], attributes={name: given}, since=12)


VALUES: tuple[Case, ...] = tuple(rows())
