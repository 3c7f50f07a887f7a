# SPDX-License-Identifier: Apache-2.0
"""Vectors whose length no model declares, though the node fixes it: read as if they had it, and checked in each run."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

Array = NDArray[Any]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def numbers(*values: Any) -> Array:
    return np.array(values, np.int64)


# operator, its inputs behind x ("" for an absent one), their declared dims, attributes, the right length and one more, result.
ROWS: dict[str, tuple[list[str], dict[str, list[str]], dict[str, Any], dict[str, Array], dict[str, Array], Array]] = {
    "Tile": (["r"], {"r": ["k"]}, {}, {"r": numbers(2, 1)}, {"r": numbers(2, 1, 1)}, np.tile(X, (2, 1))),
    "Pad": (["p"], {"p": ["k"]}, {}, {"p": numbers(1, 0, 0, 2)}, {"p": numbers(1, 0)}, np.pad(X, ((1, 0), (0, 2)))),
    "CenterCropPad": (["s"], {"s": ["k"]}, {}, {"s": numbers(2, 1)}, {"s": numbers(2)}, X[:, 1:2]),
    "Resize": (
        ["", "", "s"],
        {"s": ["k"]},
        {"mode": "nearest"},
        {"s": numbers(4, 3)},
        {"s": numbers(4)},
        np.repeat(X, 2, axis=0),
    ),
    "ScatterND": (
        ["i", "u"],
        {"i": ["n", "k"], "u": ["n", "m"]},
        {},
        {"i": numbers([1]), "u": np.ones((1, 3), np.float32)},
        {"i": numbers([1, 1]), "u": np.ones((1, 3), np.float32)},
        np.array([X[0], [1, 1, 1]], np.float32),
    ),
    "GatherND": (
        ["i"],
        {"i": ["n", "m", "k"]},
        {"batch_dims": 1},
        {"i": numbers([[1]], [[2]])},
        {"i": numbers([[1, 1]], [[2, 2]])},
        np.array([[1], [5]], np.float32),
    ),
    "SplitToSequence": (["s"], {"s": ["k"]}, {"axis": 1}, {"s": numbers(1, 1, 1)}, {"s": numbers(1, 1)}, X[:, 1:2]),
}


@pytest.mark.parametrize("dims", ([2, 3], ["a", "b"]), ids=("numbers", "dynamic"))
@pytest.mark.parametrize("operator", ROWS)
def test_an_undeclared_length_is_the_one_that_the_node_needs(operator: str, dims: list[int | str]) -> None:
    names, declared, attributes, feeds, wrong, expected = ROWS[operator]
    split = operator == "SplitToSequence"
    nodes = [helper.make_node(operator, ["x", *names], ["q" if split else "y"], **attributes)]
    if split:
        nodes.append(helper.make_node("SequenceAt", ["q", "one"], ["y"]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)]
    for name, shape in declared.items():
        kind = helper.np_dtype_to_tensor_dtype(feeds[name].dtype)
        inputs.append(helper.make_tensor_value_info(name, kind, shape))
    graph = helper.make_graph(
        nodes,
        "undeclared",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(np.array(1), "one")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = anydim.InferenceSession(made.SerializeToString())
    assert np.array_equal(session.run(None, {"x": X, **feeds})[0], expected)
    with pytest.raises(anydim.InvalidArgumentError, match="cannot run at these dims"):
        session.run(None, {"x": X, **wrong})


def split_by(sizes: list[onnx.NodeProto], inputs: dict[str, int]) -> anydim.InferenceSession:
    graph = helper.make_graph(
        [
            *sizes,
            helper.make_node("SplitToSequence", ["x", "s"], ["q"], axis=0),
            helper.make_node("ConcatFromSequence", ["q"], ["y"], axis=1),
        ],
        "split",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])]
        + [helper.make_tensor_value_info(name, kind, ["k"]) for name, kind in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return anydim.InferenceSession(made.SerializeToString())


def test_a_sequence_is_split_by_one_number_that_is_repeated_as_often_as_a_run_says() -> None:
    """As torch exports repeat_interleave."""
    one = onnx.numpy_helper.from_array(np.array([1]))
    sizes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("ConstantOfShape", ["n"], ["s"], value=one),
    ]
    session = split_by(sizes, {})
    for n in (1, 2, 5):
        x = np.arange(3 * n, dtype=np.float32).reshape(n, 3)
        assert np.array_equal(session.run(None, {"x": x})[0], x.reshape(1, -1))


def test_sizes_of_unknown_number_are_equal_or_the_run_says_so() -> None:
    session = split_by([], {"s": TensorProto.INT64})
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert np.array_equal(session.run(None, {"x": x, "s": numbers(2, 2)})[0], np.concatenate([x[:2], x[2:]], axis=1))
    with pytest.raises(anydim.UnimplementedError, match="of which only a run knows the number, are equal"):
        session.run(None, {"x": x, "s": numbers(1, 3)})


def test_messages_name_what_the_model_has_and_not_the_steps_of_a_node() -> None:
    """NonZero is counted by a step of its own; a slice's size is an expression over all that it follows from."""

    def refusal(nodes: list[onnx.NodeProto], feeds: dict[str, Array]) -> str:
        inputs = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(v.dtype), ["a", 3] if v.ndim == 2 else [1]
            )
            for name, v in feeds.items()
        ]
        target = onnx.numpy_helper.from_array(numbers(2, 4), "target")
        graph = helper.make_graph(
            [*nodes, helper.make_node("Reshape", ["q", "target"], ["y"])],
            "named",
            inputs,
            [helper.make_empty_tensor_value_info("y")],
            [target],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        with pytest.raises(anydim.InvalidArgumentError) as caught:
            anydim.InferenceSession(made.SerializeToString()).run(None, feeds)
        return str(caught.value)

    assert "2*the count of q is equal to 8" in refusal([helper.make_node("NonZero", ["x"], ["q"])], {"x": X})
    told = refusal([helper.make_node("Slice", ["x", "s", "e"], ["q"])], {"x": X, "s": numbers(0), "e": numbers(1)})
    assert "a size that follows from a, s[0], e[0] is equal to 8" in told and "select" not in told
