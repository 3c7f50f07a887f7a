# SPDX-License-Identifier: Apache-2.0
"""Operators of com.microsoft beside ONNX Runtime, and those of the oldest opsets, which ONNX withdrew, by their text."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

CONTRIB = "com.microsoft"


def model(
    op: str, feeds: dict[str, Any], domain: str = CONTRIB, opset: int = 17, dynamic: bool = False, **attributes: Any
) -> bytes:
    values = [
        helper.make_tensor_value_info(
            name, TensorProto.FLOAT, [f"{name}{d}" for d in range(x.ndim)] if dynamic and name == "x" else x.shape
        )
        for name, x in feeds.items()
        if x is not None
    ]
    node = helper.make_node(
        op, [name if x is not None else "" for name, x in feeds.items()], ["y"], domain=domain, **attributes
    )
    graph = helper.make_graph([node], "other", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    opsets = [helper.make_opsetid("", opset), *([helper.make_opsetid(domain, 1)] if domain else [])]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return made


def numbers(*dims: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(dims).astype(np.float32)


X, W, B = numbers(2, 3, 7, 8), numbers(4, 3, 3, 3, seed=1), numbers(4, seed=2)
ACTIVATIONS: list[dict[str, Any]] = [
    {},
    {"activation": "Relu"},
    {"activation": "Sigmoid"},
    {"activation": "Tanh"},
    {"activation": "LeakyRelu", "activation_params": [0.3]},
    {"activation": "Clip", "activation_params": [-0.5, 1.5]},
    {"activation": "HardSigmoid", "activation_params": [0.3, 0.4]},
]
A, C, D = numbers(5, 6), numbers(6, 4, seed=3), numbers(4, seed=4)
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *(("FusedConv", {"x": X, "w": W, "b": B}, {"pads": [1, 1, 0, 1], "strides": [1, 2], **a}) for a in ACTIVATIONS),
    ("FusedConv", {"x": X, "w": W, "b": B, "z": numbers(2, 4, 5, 6, seed=5)}, {"activation": "Relu"}),
    ("FusedConv", {"x": X, "w": W}, {"activation": "Relu"}),
    ("FusedGemm", {"x": A, "w": C, "b": D}, {"activation": "Relu", "alpha": 0.5, "beta": 2.0}),
    ("FusedGemm", {"x": A.T.copy(), "w": C}, {"transA": 1, "activation": "LeakyRelu", "activation_alpha": 0.2}),
]


@pytest.mark.parametrize(("op", "feeds", "attributes"), CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_a_joined_operator_is_what_onnx_runtime_computes(
    op: str, feeds: dict[str, Any], attributes: dict[str, Any]
) -> None:
    given = {k: v for k, v in feeds.items() if v is not None}
    expected = onnxruntime.InferenceSession(model(op, feeds, **attributes), providers=["CPUExecutionProvider"]).run(
        None, given
    )[0]
    for dynamic in (False, True):
        got = anydim.InferenceSession(model(op, feeds, dynamic=dynamic, **attributes)).run(None, given)[0]
        assert got.shape == expected.shape
        assert np.allclose(got, expected, atol=1e-5)


def test_a_convolution_of_channels_last_is_that_of_channels_first() -> None:
    serialised = model(
        "NhwcConv",
        {"x": X.transpose(0, 2, 3, 1).copy(), "w": W.transpose(0, 2, 3, 1).copy(), "b": B},
        pads=[1, 1, 1, 1],
    )
    got = anydim.InferenceSession(serialised).run(
        None, {"x": X.transpose(0, 2, 3, 1).copy(), "w": W.transpose(0, 2, 3, 1).copy(), "b": B}
    )[0]
    plain = anydim.InferenceSession(model("Conv", {"x": X, "w": W, "b": B}, domain="", pads=[1, 1, 1, 1]))
    assert np.array_equal(got.transpose(0, 3, 1, 2), plain.run(None, {"x": X, "w": W, "b": B})[0])


def test_what_is_not_known_of_a_joined_operator_is_refused() -> None:
    with pytest.raises(anydim.UnimplementedError, match=r"activation is 'Elu'; expected Relu, Sigmoid"):
        anydim.InferenceSession(model("FusedConv", {"x": X, "w": W}, activation="Elu"))
    with pytest.raises(anydim.UnimplementedError, match=r"com.microsoft.NoSuch \(1\)"):
        anydim.InferenceSession(model("NoSuch", {"x": A}))


def test_operators_that_onnx_withdrew_are_read() -> None:
    def run(op: str, x: Any, **attributes: Any) -> Any:
        return anydim.InferenceSession(model(op, {"x": x}, domain="", opset=1, **attributes)).run(None, {"x": x})[0]

    assert np.allclose(
        run("ImageScaler", X, scale=2.0, bias=[1.0, 0.0, -1.0]), X * 2 + np.array([1, 0, -1]).reshape(3, 1, 1)
    )
    assert np.array_equal(run("Crop", X, border=[1, 2, 3, 0]), X[:, :, 2:7, 1:5])
    assert np.array_equal(run("Crop", X, border=[1, 2, 0, 0], scale=[3, 4]), X[:, :, 2:5, 1:5])
    assert np.allclose(run("Affine", X, alpha=0.5, beta=3.0), X * 0.5 + 3)
    with pytest.raises(anydim.InvalidModelError, match="has 9 elements after the first"):
        run("Crop", X, border=[0, 0, 0, 0], scale=[9, 4])
