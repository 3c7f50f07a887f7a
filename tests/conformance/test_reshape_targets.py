# SPDX-License-Identifier: Apache-2.0
"""Targets of Reshape that begin with the size of another tensor, which is 0 in some runs and then means "copy" (ONNX, allowzero 0):
beside ONNX Runtime, or refused as docs/decisions/149 says."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper


def model(dims: list[Any], behind: list[int]) -> bytes:
    nodes = [
        helper.make_node("Shape", ["k"], ["size"], start=0, end=1),
        helper.make_node("Concat", ["size", "behind"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)
    k = helper.make_tensor_value_info("k", TensorProto.FLOAT, ["K", "L"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    constant = helper.make_tensor("behind", TensorProto.INT64, [len(behind)], behind)
    graph = helper.make_graph(nodes, "targets", [x, k], [y], [constant])
    return bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9).SerializeToString()
    )


@pytest.mark.parametrize("behind", [[-1], [3], [1, -1], [-1, 1]])
@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("dims", [[2, 3], ["a", "b"], ["a", 3], [2, "b"]])
def test_a_size_of_0_copies_the_inputs_dim(dims: list[Any], size: int, behind: list[int]) -> None:
    file = model(dims, behind)
    feeds = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "k": np.zeros((size, 1), np.float32)}
    theirs: Any
    try:
        options = ort.SessionOptions()
        # Its rewritings take the size of another tensor for the input's own.
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        theirs = ort.InferenceSession(file, options, providers=["CPUExecutionProvider"]).run(None, feeds)[0]
    except Exception:
        theirs = None  # six elements do not fit
    try:
        ours = anydim.InferenceSession(file).run(None, feeds)[0]
    except anydim.UnimplementedError:
        assert dims != [2, 3], "the input's size is known"
        assert size == 0, "a size above 0 means itself"
        return
    except anydim.Error:
        assert theirs is None
        return
    assert theirs is not None
    assert ours.shape == theirs.shape
    assert np.array_equal(ours, theirs)
