# SPDX-License-Identifier: Apache-2.0
"""An axis that a node names twice. Reductions take axes as a set, as ONNX Runtime does (NumPy and onnx.reference refuse them; ONNX says
nothing); where each entry has numbers of its own, twice is refused, as ONNX's shape inference does."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

X = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
REDUCTIONS = [
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
    "ReduceSumSquare",
]  # fmt: skip


def model(operator: str, opset: int, constants: dict[str, NDArray[Any]], inputs: list[str], **attributes: Any) -> bytes:
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", *inputs], ["y"], **attributes)],
        "twice",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b", 4])],
        [helper.make_empty_tensor_value_info("y")],
        [onnx.numpy_helper.from_array(v, k) for k, v in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    serialised: bytes = made.SerializeToString()
    return serialised


@pytest.mark.parametrize("axes", ([1, 1], [0, 1, 1], [-1, 2], [2, 0, 2, -3]))
@pytest.mark.parametrize("operator", REDUCTIONS)
def test_reductions_take_axes_as_a_set(operator: str, axes: list[int]) -> None:
    for keepdims in (0, 1):
        for opset in (11, 18):
            as_input = opset == 18
            made = model(
                operator,
                opset,
                {"axes": np.array(axes)} if as_input or operator == "ReduceSum" else {},
                ["axes"] if as_input else [],
                keepdims=keepdims,
                **({} if as_input else {"axes": axes}),
            )
            got = anydim.InferenceSession(made).run(None, {"x": X})[0]
            want = onnxruntime.InferenceSession(made).run(None, {"x": X})[0]
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-5)


def test_so_does_mean_variance_normalization() -> None:
    once, twice = (
        anydim.InferenceSession(model("MeanVarianceNormalization", 13, {}, [], axes=axes)).run(None, {"x": X})[0]
        for axes in ([0, 2], [0, 2, 2])
    )
    assert np.array_equal(once, twice)


def test_axes_that_a_run_brings_differ() -> None:
    """Their number says the rank of the result, before a run knows their values."""
    graph = helper.make_graph(
        [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)],
        "twice",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b", 4]),
            helper.make_tensor_value_info("axes", TensorProto.INT64, [2]),
        ],
        [helper.make_empty_tensor_value_info("y")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = anydim.InferenceSession(made.SerializeToString())
    assert np.array_equal(session.run(None, {"x": X, "axes": np.array([0, 2])})[0], X.sum((0, 2)))
    with pytest.raises(anydim.InvalidArgumentError, match="differ"):
        session.run(None, {"x": X, "axes": np.array([1, -2])})


NUMBERS = {"n": np.array([2, 2]), "f": np.array([2, 2], np.float32), "p": np.array([0, 1, 0, 1]), "a": np.array([1, 1])}


@pytest.mark.parametrize(
    ("operator", "inputs", "attributes"),
    (
        ("Slice", ["a", "n", "a"], {}),
        ("Pad", ["p", "", "a"], {}),
        ("Unsqueeze", ["a"], {}),
        ("CenterCropPad", ["n"], {"axes": [1, 1]}),
        ("Resize", ["", "f"], {"axes": [1, -2]}),
    ),
)
def test_an_axis_with_numbers_of_its_own_stands_once(
    operator: str, inputs: list[str], attributes: dict[str, Any]
) -> None:
    with pytest.raises(anydim.InvalidModelError):
        anydim.InferenceSession(model(operator, 18, NUMBERS, inputs, **attributes))
