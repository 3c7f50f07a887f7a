# SPDX-License-Identifier: Apache-2.0
"""What is held against a peer is so, and no more: where an entry of KNOWN answers no, the peer has to be right."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import pytest
from known import KNOWN
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from peers import judge_node

SHAPES = ((0, 3), (2, 0), (0, 0), (2, 3), (1,), (0,))


def compress(x: Any, condition: Any, axis: int | None) -> tuple[onnx.NodeProto, Any]:
    """The node, and what onnx.reference makes of it; nothing if it refuses."""
    named: dict[str, Any] = {} if axis is None else {"axis": axis}
    node = helper.make_node("Compress", ["x", "c"], ["y"], **named)
    values = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape)),
        helper.make_tensor_value_info("c", TensorProto.BOOL, [len(condition)]),
    ]
    graph = helper.make_graph([node], "one", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    try:
        (y,) = ReferenceEvaluator(model).run(None, {"x": x, "c": condition})
        return node, y
    except IndexError:
        return node, None


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_compress_is_left_to_us_only_where_the_reference_is_wrong(shape: tuple[int, ...]) -> None:
    ((peer, known, _),) = KNOWN["Compress"]
    assert peer == "onnx.reference"
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    seen = set()
    for axis in (None, *range(-len(shape), len(shape))):
        length = x.size if axis is None else shape[axis]
        for bits in itertools.product((False, True), repeat=min(length + 1, 5)):
            condition = np.array(bits, np.bool_)
            node, got = compress(x, condition, axis)
            right = np.compress(condition[:length], x, axis)  # a condition counts as far as the axis reaches
            wrong = got is not None and (got.shape != right.shape or not np.array_equal(got, right))
            listed = known(node, 17, [x, condition])
            assert listed == wrong, f"{condition} along {axis}: {got}"
            seen.add(wrong)
    assert False in seen
    assert (True in seen) == (shape in ((0, 3), (0, 0)))


@pytest.mark.parametrize(("off", "right"), [(0, True), (1e-6, True), (1e-4, False)])
def test_an_interpolation_may_be_off_by_the_rounding_of_its_coordinates_only(off: float, right: bool) -> None:
    x = np.array([[1, -1, 1, 0, 0, 1, 0, 0]], np.float32)
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear", coordinate_transformation_mode="asymmetric")
    at = np.arange(4) / np.float32(0.6)  # the last one is 5, or next to it
    y = np.interp(at, np.arange(8), x[0])[None].astype(np.float32)
    y[0, 3] += np.float32(off)
    found = judge_node(node, 13, [x, None, np.array([1, 0.6], np.float32)], [y])
    assert (found == "") == right, found
