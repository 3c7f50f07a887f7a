# SPDX-License-Identifier: Apache-2.0
"""Networks whose activations are quantized to 16 bits and back, beside ONNX Runtime: between sums over weights they are held in their
range and not rounded (docs/numerics.md, section 8); what shows is rounded to the steps."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]


class Network:
    def __init__(self, seed: int) -> None:
        self.r = np.random.default_rng(seed)
        self.dtype: Any = (np.uint16, np.int16)[int(self.r.integers(2))]
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, op: str, inputs: list[str], **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def pair(self, x: str, most: float) -> str:
        """x through QuantizeLinear and DequantizeLinear, which hold it between about -most and most."""
        middle = 0 if self.dtype == np.int16 else 32768
        zero = int(middle + self.r.integers(-20000, 20000))
        self.step = np.float32(most / 32768)
        factors = [self.constant(self.step), self.constant(np.array(zero, self.dtype))]
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, *factors]), *factors])

    def held(self, x: str, low: float, high: float) -> str:
        """The same between about low and high, as a quantizer that saw these numbers has it."""
        self.step = np.float32((high - low) / 65535)
        lowest = np.iinfo(self.dtype).min
        zero = np.clip(lowest - np.round(low / self.step), lowest, np.iinfo(self.dtype).max)
        factors = [self.constant(self.step), self.constant(np.array(zero, self.dtype))]
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, *factors]), *factors])

    def number(self, value: float) -> str:
        return self.constant(np.float32(value))

    def hard_swish(self, x: str, low: float, high: float, share: float = 1.0) -> str:
        """Written out with pairs between, of x between low and high; of a share below 1 they cut what is larger."""
        moved = self.held(self.add("Add", [x, self.number(3)]), low + 3, share * (high + 3))
        gate = self.held(self.add("Clip", [moved, self.number(0), self.number(6)]), 0, share * min(6.0, high + 3))
        scaled = self.held(self.add("Mul", [x, gate]), -2.25, share * 6 * high)
        return self.held(self.add("Div", [scaled, self.number(6)]), -0.375, share * high)

    def gelu(self, x: str, low: float, high: float, share: float = 1.0) -> str:
        inner = self.held(self.add("Div", [x, self.number(np.sqrt(2))]), low / np.sqrt(2), share * high / np.sqrt(2))
        gate = self.held(self.add("Erf", [inner]), -1, share)
        gate = self.held(self.add("Add", [gate, self.number(1)]), 0, 2 * share)
        doubled = self.held(self.add("Mul", [x, gate]), -0.34, share * 2 * high)
        return self.held(self.add("Mul", [doubled, self.number(0.5)]), -0.17, share * high)

    def same_pair(self, x: str) -> str:
        """Once more with the factors of the pair before."""
        factors = list(self.nodes[-2].input[1:])
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, *factors]), *factors])

    def weights(self, *dims: int) -> str:
        return self.constant((self.r.uniform(-1, 1, dims) / np.sqrt(dims[1])).astype(np.float32))

    def model(self, dims: list[Any], y: str) -> bytes:
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)
        out = helper.make_tensor_value_info(y, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "steps", [x], [out], self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return bytes(made.SerializeToString())


def expected(model: bytes, x: Array) -> Array:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": x})[0])


def results(model: bytes, x: Array, passes: Any = "all") -> Array:
    return np.asarray(anydim.InferenceSession(model, passes=passes).run(None, {"x": x})[0])


@pytest.mark.parametrize("seed", range(12))
def test_what_shows_is_rounded_as_onnx_has_it(seed: int) -> None:
    n = Network(seed)
    y = n.pair("x", 2.0)
    if seed % 3 == 1:
        y = n.same_pair(n.add("Transpose", [y], perm=[1, 0]))
    if seed % 3 == 2:
        y = n.pair(n.add("Relu", [y]), 1.0)
    model = n.model(["a", "b"], y)
    x = n.r.normal(size=(7, 9)).astype(np.float32) * 2
    x.flat[:4] = [np.inf, -np.inf, 0.0, -0.0]
    want = expected(model, x)
    for passes in ("all", "exact", "none"):
        assert np.array_equal(results(model, x, passes), want), passes


@pytest.mark.parametrize("seed", range(24))
def test_between_sums_values_are_held_in_their_range(seed: int) -> None:
    n = Network(100 + seed)
    r = n.r
    channels = [3, *(int(c) for c in r.integers(2, 9, 3))]
    y = n.pair("x", 2.0)
    for before, after in pairwise(channels):
        y = n.pair(n.add("Conv", [y, n.weights(after, before, 3, 3)], pads=[1] * 4), 0.7)  # many are beyond it
        kind = int(r.integers(4))
        if kind == 0:
            y = n.same_pair(n.add("MaxPool", [y], kernel_shape=[2, 2], strides=[1, 1]))
        if kind == 1:
            y = n.pair(n.add("Mul", [y, n.constant(r.uniform(0.5, 2, (after, 1, 1)).astype(np.float32))]), 1.0)
        if kind == 2:
            y = n.pair(n.add("Add", [y, n.pair(n.add("Sigmoid", [y]), 1.0)]), 1.5)
    model = n.model([1, 3, "h", "w"], y)
    x = r.normal(size=(1, 3, 9, 11)).astype(np.float32)
    want, step = expected(model, x), float(n.step)
    assert np.abs(results(model, x) - want).max() <= 12 * step
    assert np.abs(results(model, x, "exact") - want).max() <= 6 * step
    assert (np.abs(want) > 0.3).any()


def test_a_pair_between_convolutions_is_one_post_op() -> None:
    n = Network(7)
    y = n.pair(n.add("Conv", ["x", n.weights(4, 3, 3, 3)]), 1.0)
    y = n.add("Conv", [y, n.weights(4, 4, 3, 3)])
    nodes = anydim.InferenceSession(n.model([1, 3, 9, 9], y)).explain({"x": [1, 3, 9, 9]})["nodes"]
    assert [node["type"] for node in nodes] == ["Conv", "Conv"]
    assert nodes[0]["post_ops"].startswith("clip(")


def test_whole_numbers_follow_from_rounded_values() -> None:
    """ArgMax of values that are one number in 16 bits takes the first."""
    n = Network(3)
    y = n.add("Cast", [n.add("ArgMax", [n.pair("x", 2.0)], axis=1, keepdims=0)], to=TensorProto.FLOAT)
    model = n.model([2, 4], y)
    x = np.array([[0.5, 0.500001, 0.1, 0.2], [0.3, 0.1, 0.300001, 0.0]], np.float32)
    assert results(model, x).tolist() == expected(model, x).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("function", ["hard_swish", "gelu"])
def test_functions_that_are_written_out_have_no_clips_between_their_steps(function: str) -> None:
    n = Network(5)
    y = n.held(n.add("Conv", ["x", n.weights(8, 3, 3, 3)]), -4, 5)
    y = getattr(n, function)(y, -4, 5)
    step = float(n.step)
    y = n.add("Conv", [y, n.weights(4, 8, 1, 1)])
    model = n.model([1, 3, "h", "w"], y)
    nodes = anydim.InferenceSession(model).explain({"x": [1, 3, 9, 9]})["nodes"]
    assert [node["type"] for node in nodes if node["type"]] == ["Conv", "Conv"]
    names = [post.split("(")[0] for post in nodes[0]["post_ops"].split()]
    assert names == ["clip", {"gelu": "gelu_erf"}.get(function, function)]
    x = n.r.normal(size=(1, 3, 9, 11)).astype(np.float32) * 4
    assert np.abs(results(model, x) - expected(model, x)).max() <= 40 * step


@pytest.mark.parametrize("seed", range(40))
def test_clips_that_cut_something_stay(seed: int) -> None:
    """Whatever share of the values the ranges let through, results are those of the operators."""
    n = Network(200 + seed)
    low, high = -float(n.r.uniform(0.5, 4)), float(n.r.uniform(0.5, 5))
    y = n.held(n.add("Conv", ["x", n.weights(8, 3, 3, 3)]), low, high)
    y = (n.hard_swish, n.gelu)[seed % 2](y, low, high, float(n.r.choice([1.0, 0.9999, 0.9, 0.5])))
    if seed % 4 > 1:  # a scale that turns them around, and a range behind it
        y = n.held(n.add("Mul", [y, n.number(-float(n.r.uniform(0.5, 3)))]), -float(n.r.uniform(0.1, 2)), 0.2)
    y = n.add("Conv", [y, n.weights(4, 8, 1, 1)])
    model = n.model([1, 3, "h", "w"], y)
    x = n.r.normal(size=(1, 3, 9, 11)).astype(np.float32) * 4
    want = expected(model, x)
    assert np.abs(results(model, x) - want).max() <= 1e-3 * (1 + np.abs(want).max())
    assert np.abs(results(model, x, "exact") - want).max() <= 1e-3 * (1 + np.abs(want).max())


def test_a_scale_and_a_shift_of_16_bits_go_into_the_weights() -> None:
    """As quantizers write them: both numbers quantized, too, and a pair behind each step."""
    n = Network(9)

    def quantized(value: float) -> str:
        factors = [n.number(value / 40000), n.constant(n.dtype(0))]
        return n.add("DequantizeLinear", [n.constant(n.dtype(20000)), *factors])

    y = n.held(n.add("Conv", ["x", n.weights(8, 3, 3, 3)]), -4, 5)
    y = n.held(n.add("Mul", [y, quantized(1.5)]), -3, 3.75)
    y = n.held(n.add("Add", [y, quantized(0.5)]), -2.75, 4)
    model = n.model([1, 3, "h", "w"], n.add("Conv", [y, n.weights(4, 8, 1, 1)]))
    nodes = anydim.InferenceSession(model).explain({"x": [1, 3, 9, 9]})["nodes"]
    assert [node["type"] for node in nodes if node["type"]] == ["Conv", "Conv"]
    assert nodes[0]["post_ops"].count("(") == 1 and nodes[0]["post_ops"].startswith("clip(")
    x = n.r.normal(size=(1, 3, 9, 11)).astype(np.float32) * 4
    want = expected(model, x)
    assert np.abs(results(model, x) - want).max() <= 1e-3 * (1 + np.abs(want).max())
