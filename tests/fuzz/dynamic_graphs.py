# SPDX-License-Identifier: Apache-2.0
"""Dynamically quantized layers as ONNX Runtime's quantizer writes them, a product of integers, a cast, and a product with the scale of the
input times that of the weights, and what is near them: scales along an axis, at or below 0, alone or from outside, sums that others
read, other casts, sums that are added to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]


class Layer:
    """One layer, its model and its inputs."""

    def __init__(self, seed: int) -> None:
        self.r = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.outputs = ["y"]
        self.feeds: dict[str, Array] = {}
        self.inputs: list[onnx.ValueInfoProto] = []
        self.count = 0

    def odd(self, chance: float = 0.12) -> bool:
        return bool(self.r.random() < chance)

    def constant(self, value: Array | np.generic) -> str:
        self.count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(value), f"c{self.count}"))
        return f"c{self.count}"

    def add(self, op: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> list[str]:
        self.count += 1
        names = [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{self.count}", **attributes))
        return names

    def one(self, op: str, inputs: list[str], **attributes: Any) -> str:
        return self.add(op, inputs, **attributes)[0]

    def given(self, name: str, value: Array) -> str:
        self.feeds[name] = value
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape))
        return name

    def weights(self, dims: tuple[int, ...]) -> tuple[str, str]:
        """And their zero point, or no name."""
        dtype = np.uint8 if self.r.integers(2) else np.int8
        info = np.iinfo(dtype)
        zero = "" if self.odd(0.3) else self.constant(np.array(self.r.integers(info.min, info.max + 1), dtype))
        return self.constant(self.r.integers(info.min, info.max + 1, dims).astype(dtype)), zero

    def scale_of_weights(self, columns: tuple[int, ...]) -> str:
        value = np.float32(self.r.uniform(0.001, 0.1))
        if self.odd():
            value = np.float32([0, -0.5, np.inf, np.nan, 1e-42, 3e38][self.r.integers(6)])
        dims: tuple[int, ...] = ((), (1,))[self.r.integers(2)]
        if self.odd():
            dims = ((1, 1), (1, 1, 1, 1, 1), columns)[self.r.integers(3)]
        return self.constant(np.full(dims, value, np.float32) * self.r.uniform(0.5, 1, dims).astype(np.float32))

    def model(self) -> tuple[bytes, dict[str, Array]]:
        convolution = bool(self.r.integers(3))
        if convolution:
            groups = int(self.r.choice([1, 1, 2, 12, 40]))
            depthwise = groups > 2
            channels, outputs = (groups, groups) if depthwise else (groups * int(self.r.integers(1, 9)), groups * 10)
            dims: tuple[int, ...] = (
                int(self.r.integers(1, 3)),
                channels,
                int(self.r.integers(3, 9)),
                int(self.r.integers(3, 40)),
            )
            weights, zero = self.weights((outputs, channels // groups, 3, 3))
            columns: tuple[int, ...] = (outputs, 1, 1)
        else:
            k, outputs = int(self.r.integers(1, 70)), int(self.r.integers(1, 70))
            dims = (int(self.r.integers(1, 20)), k)
            weights, zero = self.weights((k, outputs))
            columns = (outputs,)
        x = self.r.normal(size=dims).astype(np.float32) * np.float32(self.r.choice([1, 1, 0, 1e-30, 1e30]))
        if self.odd(0.08):
            x.flat[int(self.r.integers(x.size))] = [np.nan, np.inf][self.r.integers(2)]
        numbers, scale, zero_of_x = self.add("DynamicQuantizeLinear", [self.given("x", x)], 3)
        inputs = [numbers, weights, "" if self.odd(0.1) else zero_of_x, zero]
        if convolution:
            sums = self.one("ConvInteger", inputs, group=groups, kernel_shape=[3, 3], pads=[1] * 4)
        else:
            sums = self.one("MatMulInteger", inputs)
        real = self.one("Cast", [sums], to=TensorProto.FLOAT)
        if self.odd():
            self.outputs.append(self.one("Identity", [self.r.choice([sums, real])]))
        if self.odd():
            scale = self.given("scale", np.full(((), (1,), (1, 1))[self.r.integers(3)], 0.02, np.float32))
        scales = scale if self.odd() else self.one("Mul", self.turned([scale, self.scale_of_weights(columns)]))
        if self.odd():
            self.outputs.append(self.one("Identity", [scales]))
        y = self.one("Add" if self.odd(0.06) else "Mul", self.turned([real, scales]))
        if self.r.integers(2):
            y = self.one("Add", [y, self.constant(self.r.normal(size=columns).astype(np.float32))])
        if self.r.integers(2):
            y = self.one(str(self.r.choice(["Relu", "HardSigmoid", "Sigmoid", "Tanh"])), [y])
        if self.r.integers(2):
            y = self.one("Add", [y, self.one("Mul", [real, self.constant(np.float32(0.5))])])
        self.nodes.append(helper.make_node("Identity", [y], ["y"]))
        outputs_of = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "drawn", self.inputs, outputs_of, self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return made.SerializeToString(), self.feeds

    def turned(self, pair: list[str]) -> list[str]:
        return pair[::-1] if self.r.integers(2) else pair
