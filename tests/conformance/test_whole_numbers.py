# SPDX-License-Identifier: Apache-2.0
"""Whole numbers that are made of chains of float scales are those of ONNX Runtime, whatever passes run: a chain that is multiplied out
rounds otherwise, and floor() of it is another number now and then."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), output.split(), **attributes)


# w - (w - 400) / 0.75: at 160 it is 480 step by step, and a little less multiplied out.
CHAIN = [
    node("Sub", "x c400", "a"),
    node("Div", "a c075", "b"),
    node("Sub", "x b", "u"),
    node("Mul", "u c3", "v"),
    node("Sub", "v c1", "w"),
]
ENDS: dict[str, list[onnx.NodeProto]] = {
    "floor": [node("Floor", "u", "y")],
    "a cast": [node("Cast", "w", "y", to=INT64)],
    "round": [node("Round", "w", "y")],
    "a comparison": [node("Less", "w x", "y")],
    "positions": [node("TopK", "w c7", "values y", axis=0)],
    "a loop": [
        helper.make_node("Loop", ["two", "yes", "u"], ["last"], body=helper.make_graph(
            [node("Mul", "h c3", "p"), node("Div", "p c075", "q"), node("Sub", "q c400", "next"), node("Identity", "go", "on")],
            "body",
            [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("go", BOOL, []),
             helper.make_tensor_value_info("h", FLOAT, ["n"])],
            [helper.make_tensor_value_info("on", BOOL, []), helper.make_tensor_value_info("next", FLOAT, ["n"])],
        )),
        node("Floor", "last", "y"),
    ],
}  # fmt: skip
NUMBERS = {"c400": 400.0, "c075": 0.75, "c3": 1 / 3, "c1": 0.1}


def model_of(end: str) -> bytes:
    constants = [numpy_helper.from_array(np.array(number, np.float32), name) for name, number in NUMBERS.items()]
    constants.append(numpy_helper.from_array(np.array([7], np.int64), "c7"))
    constants.append(numpy_helper.from_array(np.array(2, np.int64), "two"))
    constants.append(numpy_helper.from_array(np.array(True), "yes"))
    graph = helper.make_graph(
        [*CHAIN, *ENDS[end]],
        "chain",
        [helper.make_tensor_value_info("x", FLOAT, ["n"])],
        [helper.make_empty_tensor_value_info("y")],
        constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    made = onnx.shape_inference.infer_shapes(made)
    data: bytes = made.SerializeToString()
    return data


@pytest.mark.parametrize("end", ENDS)
def test_a_chain_of_scales_keeps_the_whole_numbers_that_follow(end: str) -> None:
    model = model_of(end)
    x = np.arange(0, 2000, 0.25, dtype=np.float32)
    wanted = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    for passes in ("all", "exact", "none"):
        got = anydim.InferenceSession(model, passes=passes).run(None, {"x": x})
        assert np.array_equal(got[0], wanted[0]), f"{passes}: {(got[0] != wanted[0]).sum()} of {x.size} differ"
