# SPDX-License-Identifier: Apache-2.0
"""CausalConvWithState and LinearAttention hand a state from one call to the next: cut anywhere, a sequence gives the bits that it gives as
a whole. Their values are those of onnx's node cases (test_node_cases.py)."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper

Array = npt.NDArray[np.float32]
HEADS, KEY, VALUE, CHANNELS, WIDTH = 2, 3, 4, 5, 4


def session_of(node: onnx.NodeProto, shapes: dict[str, list[Any]], opset: int = 28) -> anydim.InferenceSession:
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in shapes.items()]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in node.output]
    graph = helper.make_graph([node], "state", infos, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)
    return anydim.InferenceSession(model.SerializeToString(), threads=1)


def in_chunks(
    session: anydim.InferenceSession, feeds: dict[str, Array], axis: int, cuts: list[int], state: str
) -> list[Array]:
    """The whole output and the last state; inputs that have the steps along `axis` are those that are not constant over a run."""
    parts = []
    carried = feeds[state]
    length = feeds["x"].shape[axis]
    for begin, end in zip([0, *cuts], [*cuts, length], strict=True):
        given = {
            name: np.take(array, range(begin, end), axis) if array.ndim == 3 and array.shape[axis] == length else array
            for name, array in feeds.items()
        }
        y, carried = session.run(None, {**given, state: carried})
        parts.append(y)
    return [np.concatenate(parts, axis), carried]


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
def test_linear_attention_may_be_cut_anywhere(rule: str) -> None:
    gated, corrected = rule in ("gated", "gated_delta"), rule in ("delta", "gated_delta")
    inputs = ["x", "k", "v", "state", "decay" if gated else "", "beta" if corrected else ""]
    node = helper.make_node(
        "LinearAttention", inputs, ["y", "next"], q_num_heads=2 * HEADS, kv_num_heads=HEADS, update_rule=rule
    )
    random = np.random.default_rng(1)
    shapes: dict[str, list[Any]] = {
        "x": ["b", "t", 2 * HEADS * KEY],
        "k": ["b", "t", HEADS * KEY],
        "v": ["b", "t", HEADS * VALUE],
        "state": ["b", HEADS, KEY, VALUE],
        "decay": ["b", "t", HEADS],
        "beta": ["b", "t", HEADS],
    }
    shapes = {name: dims for name, dims in shapes.items() if name in inputs}
    sizes = {"b": 2, "t": 11}
    feeds = {
        name: random.standard_normal([sizes.get(dim, dim) for dim in dims]).astype(np.float32) / np.float32(2)
        for name, dims in shapes.items()
    }
    session = session_of(node, shapes)
    whole = session.run(None, feeds)
    assert whole[0].shape == (2, 11, 2 * HEADS * VALUE) and whole[1].shape == (2, HEADS, KEY, VALUE)
    for cuts in ([1], [10], [3, 4, 9], list(range(1, 11))):
        for got, wanted in zip(in_chunks(session, feeds, 1, cuts, "state"), whole, strict=True):
            assert np.array_equal(got, wanted)


@pytest.mark.parametrize("activation", ["none", "silu"])
def test_a_causal_convolution_may_be_cut_anywhere(activation: str) -> None:
    node = helper.make_node("CausalConvWithState", ["x", "w", "bias", "state"], ["y", "next"], activation=activation)
    shapes: dict[str, list[Any]] = {
        "x": ["b", CHANNELS, "t"],
        "w": [CHANNELS, 1, WIDTH],
        "bias": [CHANNELS],
        "state": ["b", CHANNELS, WIDTH - 1],
    }
    random = np.random.default_rng(2)
    sizes = {"b": 2, "t": 13}
    feeds = {
        name: random.standard_normal([sizes.get(str(dim), dim) for dim in dims]).astype(np.float32)
        for name, dims in shapes.items()
    }
    session = session_of(node, shapes)
    whole = session.run(None, feeds)
    assert whole[0].shape == (2, CHANNELS, 13)
    for cuts in ([1], [12], [2, 3, 8], list(range(1, 13))):
        for got, wanted in zip(in_chunks(session, feeds, 2, cuts, "state"), whole, strict=True):
            assert np.array_equal(got, wanted)
