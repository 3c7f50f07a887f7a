# SPDX-License-Identifier: Apache-2.0
"""Models whose sizes follow from data: shapes that nodes compute, read by the run between its stages."""

from __future__ import annotations

import anydim
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


def kept_rows() -> bytes:
    """x [n, 3]: as many rows as have a positive first element, and a table of them turned around by a computed shape."""
    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["mask"]),
        helper.make_node("Cast", ["mask"], ["ones"], to=TensorProto.INT64),
        helper.make_node("ReduceSum", ["ones", "rows"], ["counts"], keepdims=0),
        helper.make_node("Gather", ["counts", "first"], ["count"]),
        helper.make_node("Slice", ["x", "start", "count"], ["kept"]),
        helper.make_node("Mul", ["kept", "two"], ["doubled"]),
        helper.make_node("Concat", ["three", "count"], ["shape"], axis=0),
        helper.make_node("Reshape", ["doubled", "shape"], ["turned"], allowzero=1),
    ]
    constants = [
        helper.make_tensor("zero", TensorProto.FLOAT, [], [0.0]),
        helper.make_tensor("two", TensorProto.FLOAT, [], [2.0]),
        helper.make_tensor("rows", TensorProto.INT64, [1], [0]),
        helper.make_tensor("first", TensorProto.INT64, [1], [0]),
        helper.make_tensor("start", TensorProto.INT64, [1], [0]),
        helper.make_tensor("three", TensorProto.INT64, [1], [3]),
    ]
    graph = helper.make_graph(
        nodes,
        "kept_rows",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
        [
            helper.make_tensor_value_info("doubled", TensorProto.FLOAT, ["k", 3]),
            helper.make_tensor_value_info("turned", TensorProto.FLOAT, [3, "k"]),
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def expected(x: np.ndarray) -> list[np.ndarray]:
    doubled = x[: int((x[:, 0] > 0).sum())] * np.float32(2)
    return [doubled, doubled.reshape(3, -1) if len(doubled) else doubled.reshape(3, 0)]


@pytest.mark.parametrize("bounded", [False, True])
def test_sizes_that_depend_on_data_are_those_of_numpy(bounded: bool) -> None:
    session = anydim.InferenceSession(kept_rows(), bounds={"x": [(0, 40), 3]} if bounded else None)
    random = np.random.default_rng()
    for n in [5, 5, 1, 40, 17, 17, 0, 33]:
        x = random.normal(size=(n, 3)).astype(np.float32)
        got = session.run(None, {"x": x})
        for mine, wanted in zip(got, expected(x), strict=True):
            assert mine.shape == wanted.shape
            assert np.array_equal(mine, wanted)


def computed_end(inputs: int) -> bytes:
    """x [n], parts [inputs]: x from its third element to an end that is the sum of the parts."""
    nodes = [
        helper.make_node("ReduceSum", ["parts"], ["end"], keepdims=1),
        helper.make_node("Slice", ["x", "start", "end"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "computed_end",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]),
            helper.make_tensor_value_info("parts", TensorProto.INT64, [inputs]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["k"])],
        [helper.make_tensor("start", TensorProto.INT64, [1], [2])],
    )
    return bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    )


@pytest.mark.parametrize("end", [3, -1, 0, 2**62, 2**62 + 1, 2**63 - 1, -(2**62) - 1, -(2**63) + 1])
def test_a_slice_end_that_a_node_computes_may_lie_beyond_every_size(end: int) -> None:
    session = anydim.InferenceSession(computed_end(2))
    x = np.arange(7, dtype=np.float32)
    parts = np.array([end // 2, end - end // 2], np.int64)
    (y,) = session.run(None, {"x": x, "parts": parts})
    assert np.array_equal(y, x[2:end])


def rest_beside_a_copied_dim(allowzero: int, columns: int = 8) -> bytes:
    """[n, 8] as [3, n, -1], which fits no n but 0: there a 0 copies the 8, unless allowzero keeps it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("Concat", ["three", "n", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["y"], allowzero=allowzero),
    ]
    constants = [helper.make_tensor("three", TensorProto.INT64, [1], [3])]
    constants.append(helper.make_tensor("rest", TensorProto.INT64, [1], [-1]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", columns])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * 3)
    graph = helper.make_graph(nodes, "rest", [x], [y], constants)
    data: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    return data


def test_what_is_left_of_no_elements_is_known_beside_a_copied_dim_only() -> None:
    (y,) = anydim.InferenceSession(rest_beside_a_copied_dim(0)).run(None, {"x": np.zeros((0, 8), np.float32)})
    assert y.shape == (3, 8, 0)
    with pytest.raises(anydim.InvalidModelError, match="do not divide by 3"):
        anydim.InferenceSession(rest_beside_a_copied_dim(1))
    session = anydim.InferenceSession(rest_beside_a_copied_dim(1, 12))
    (y,) = session.run(None, {"x": np.zeros((5, 12), np.float32)})
    assert y.shape == (3, 5, 4)
    with pytest.raises(anydim.InvalidArgumentError, match="no 0 beside their -1"):
        session.run(None, {"x": np.zeros((0, 12), np.float32)})
