# SPDX-License-Identifier: Apache-2.0
"""Random networks with a pair of conversions behind every operator, as ONNX Runtime's quantizer writes them: convolutions of every kind,
products, functions of one and of two, pools, joins and movers, with zero points at the ends, odd scales and saturation; rows with scales
and zero points of their own, and weights that the network computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]
STEP = 0.05  # of the last output


class Network:
    """A model in the making; values are f32, each behind a DequantizeLinear."""

    def __init__(self, seed: int) -> None:
        self.r = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.count = 0
        self.scales: dict[str, tuple[str, str]] = {}
        self.dims: dict[str, tuple[int, ...]] = {}
        self.dtype = np.uint8 if self.r.integers(2) else np.int8

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def constant(self, value: Array | np.generic) -> str:
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, op: str, inputs: list[str], **attributes: Any) -> str:
        name = self.name()
        self.nodes.append(helper.make_node(op, inputs, [name], name=f"{op}_{name}", **attributes))
        return name

    def some(self, *choices: Any) -> Any:
        return choices[int(self.r.integers(len(choices)))]

    def numbers(self, x: str, dims: tuple[int, ...], like: str | None = None, spread: float = 3.0) -> str:
        """x through a pair of conversions, with the scale of `like` or one of its own."""
        if like is None:
            info = np.iinfo(self.dtype)
            scale = np.float32(self.some(1, 1, 1, 3) * spread * self.r.uniform(0.5, 1.5) / 128)
            zero = self.some(
                info.min, info.max, 128 + info.min, int(self.r.integers(info.min, info.max)), 128 + info.min
            )
            pair = self.constant(np.array(scale)), self.constant(np.array(zero, self.dtype))
        else:
            pair = self.scales[like]
        y = self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, *pair]), *pair])
        self.scales[y], self.dims[y] = pair, dims
        return y

    def rows(self, x: str, dims: tuple[int, ...], spread: float = 3.0) -> str:
        """x through a pair of conversions with a scale and a zero point for each row, the axis before the last."""
        info, count = np.iinfo(self.dtype), dims[-2]
        scale = (spread * self.r.uniform(0.5, 1.5, count) / 128).astype(np.float32)
        zero = self.r.integers(info.min, info.max + 1, count).astype(self.dtype)
        pair, axis = [self.constant(scale), self.constant(zero)], len(dims) - 2
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, *pair], axis=axis), *pair], axis=axis)

    def weights(self, dims: tuple[int, ...], axis: int) -> tuple[str, Array]:
        value = self.r.integers(-127, 128, dims).astype(np.int8)
        scale = self.r.uniform(0.5, 2, dims[axis]).astype(np.float32) / np.float32(
            127 * np.sqrt(np.prod(dims) / dims[axis]) * 0.4
        )
        zero = np.zeros(dims[axis], np.int8)
        return self.add(
            "DequantizeLinear", [self.constant(value), self.constant(scale), self.constant(zero)], axis=axis
        ), scale

    # --- layers: a value to a value ---------------------------------------------------------------------------------

    def convolution(self, x: str) -> str:
        n, c, h, w = self.dims[x]
        kind = self.some("full", "full", "depthwise", "groups", "point")
        out = c if kind == "depthwise" else int(self.some(4, 8, 12, 40))
        group = c if kind == "depthwise" else 2 if kind == "groups" and c % 2 == 0 else 1
        k = 1 if kind == "point" else 3
        weights, scale = self.weights((out, c // group, k, k), 0)
        inputs = [x, weights]
        if self.r.integers(2):
            bias = self.r.integers(-2000, 2000, out).astype(np.int32)
            inputs.append(
                self.add(
                    "DequantizeLinear",
                    [
                        self.constant(bias),
                        self.constant(scale * np.float32(0.01)),
                        self.constant(np.zeros(out, np.int32)),
                    ],
                    axis=0,
                )
            )
        stride = int(self.some(1, 1, 2)) if min(h, w) > 4 else 1
        pad = k // 2
        y = self.add("Conv", inputs, group=group, kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4)
        if self.r.integers(2):
            y = self.add(self.some("Relu", "Sigmoid"), [y])
        dims = (n, out, (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1)
        return self.numbers(y, dims)

    def transposed(self, x: str) -> str:
        """Windows that tile the result, or overlap, or leave gaps; with scales that do not fold, too."""
        n, c, h, w = self.dims[x]
        if h * w > 400:
            return x
        group = 2 if c % 2 == 0 and self.r.integers(4) == 0 else 1
        out = int(self.some(1, 2, 3, 8, 24, 40)) * group
        k = [int(self.r.integers(1, 5)) for _ in range(2)]
        strides = list(k) if self.r.integers(2) else [int(self.r.integers(1, 4)) for _ in range(2)]
        dilations = [1, 1] if strides == k else [int(self.some(1, 1, 2)) for _ in range(2)]
        reach = [d * (size - 1) for d, size in zip(dilations, k, strict=True)]
        pads = [0] * 4 if strides == k else [int(self.r.integers(0, reach[i % 2] + 1)) for i in range(4)]
        beyond = [int(self.r.integers(0, s)) if strides != k else 0 for s in strides]  # ONNX Runtime refuses more
        size = [(d - 1) * s + r + 1 + b for d, s, r, b in zip((h, w), strides, reach, beyond, strict=True)]
        high, wide = size[0] - pads[0] - pads[2], size[1] - pads[1] - pads[3]
        if min(high, wide) < 1:
            return x
        weights, scale = self.weights((c, out // group, *k), int(self.some(1, 1, 1, 1, 0)))
        inputs = [x, weights]
        if self.r.integers(2):
            inputs.append(self.constant(self.r.normal(size=out).astype(np.float32)))
        y = self.add(
            "ConvTranspose",
            inputs,
            group=group,
            kernel_shape=k,
            strides=strides,
            dilations=dilations,
            pads=pads,
            output_padding=beyond,
        )
        if self.r.integers(3) == 0:
            y = self.add(self.some("Relu", "Sigmoid"), [y])
        return self.numbers(y, (n, out, high, wide))

    def affine(self, x: str) -> str:
        """A number per channel times and plus, as a batch normalisation or two operators; and what is near it: a product that is
        used twice, a sum that has more elements than the product, terms that are numbers themselves."""
        n, c, h, w = self.dims[x]
        scale, shift = (self.r.normal(size=(c, 1, 1)).astype(np.float32) for _ in range(2))
        form = self.some("norm", "norm", "both", "both", "shift", "turned", "scalar", "used", "grows", "numbers", "full")
        dims = (n, c, h, w)
        if form == "norm":
            rest = [self.constant(v.astype(np.float32)) for v in (self.r.normal(size=c), self.r.uniform(0.1, 2, c))]
            parts = [self.constant(v.reshape(-1)) for v in (scale, shift)]
            y = self.add("BatchNormalization", [x, *parts, *rest])
        elif form == "shift":
            y = self.add("Add", [x, self.constant(shift)])
        elif form == "turned":
            y = self.add("Add", [self.constant(shift), self.add("Mul", [self.constant(scale), x])])
        else:
            if form == "scalar":
                scale = scale[:1].reshape(())
            if form == "grows" and n == 1:
                shift = self.r.normal(size=(2, c, 1, 1)).astype(np.float32)
                dims = (2, c, h, w)
            if form == "full":
                scale = self.r.normal(size=(c, h, w)).astype(np.float32)
                shift = self.r.normal(size=(h, w)).astype(np.float32)
            product = self.add("Mul", [x, self.constant(scale)])
            y = self.add("Add", [product, self.silu(x) if form == "numbers" else self.constant(shift)])
            if form == "used":
                first = self.numbers(y, dims)
                y = self.add("Add", [first, self.numbers(product, dims)])
        if self.r.integers(3) == 0:
            y = self.add(self.some("Relu", "Sigmoid"), [y])
        return self.numbers(y, dims)

    def silu(self, x: str) -> str:
        s = self.numbers(self.add("Sigmoid", [x]), self.dims[x], spread=0.7)
        return self.numbers(self.add("Mul", [x, s]), self.dims[x])

    def hard_swish(self, x: str) -> str:
        three, six = self.constant(np.float32(3).reshape(())), self.constant(np.float32(6).reshape(()))
        y = self.numbers(self.add("Add", [x, three]), self.dims[x], spread=6)
        y = self.numbers(self.add("Clip", [y, self.constant(np.float32(0).reshape(())), six]), self.dims[x], spread=6)
        y = self.numbers(self.add("Mul", [x, y]), self.dims[x], spread=18)
        return self.numbers(self.add("Div", [y, six]), self.dims[x])

    def residual(self, x: str) -> str:
        return self.numbers(self.add(self.some("Add", "Mul"), [x, self.silu(x)]), self.dims[x])

    def branches(self, x: str) -> str:
        n, c, h, w = self.dims[x]
        other = self.silu(x)
        return self.numbers(self.add("Concat", [x, other], axis=1), (n, 2 * c, h, w))

    def pool(self, x: str) -> str:
        return self.numbers(
            self.add("MaxPool", [x], kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4),
            self.dims[x],
            like=self.some(x, None),
        )

    def gate(self, x: str) -> str:
        n, c, _, _ = self.dims[x]
        g = self.numbers(self.add("GlobalAveragePool", [x]), (n, c, 1, 1))
        g = self.numbers(self.add("HardSigmoid", [g]), (n, c, 1, 1), spread=0.7)
        return self.numbers(self.add("Mul", [x, g]), self.dims[x])

    def product(self, x: str) -> str:
        n, c, h, w = self.dims[x]
        flat = self.numbers(self.add("Reshape", [x, self.constant(np.array([0, c, -1]))]), (n, c, h * w), like=x)
        turned = self.numbers(self.add("Transpose", [flat], perm=[0, 2, 1]), (n, h * w, c), like=x)
        if self.r.integers(2):
            left = self.rows(turned, (n, h * w, c)) if self.r.integers(2) else turned
            y = self.add("MatMul", [left, self.weights((c, c), 1)[0]])
        else:
            scores = self.numbers(self.add("MatMul", [flat, turned]), (n, c, c), spread=3.0 * h * w)
            y = self.add(
                "MatMul", [turned, self.numbers(self.add("Softmax", [scores], axis=-1), (n, c, c), spread=0.7)]
            )
        y = self.numbers(self.add("Transpose", [self.numbers(y, (n, h * w, c))], perm=[0, 2, 1]), (n, c, h * w))
        return self.numbers(self.add("Reshape", [y, self.constant(np.array([0, c, h, w]))]), self.dims[x])

    def computed_weights(self, x: str) -> str:
        """A convolution whose weights follow from x: of one tap, over all channels or each by itself."""
        n, c, _, _ = self.dims[x]
        if n != 1:
            return x
        g = self.add("Reshape", [self.add("GlobalAveragePool", [x]), self.constant(np.array([c, 1]))])
        g = self.numbers(g, (c, 1), spread=1.0)
        if self.r.integers(2):
            w = self.numbers(self.add("Reshape", [g, self.constant(np.array([c, 1, 1, 1]))]), (c, 1, 1, 1), like=g)
            return self.numbers(self.add("Conv", [x, w], group=c), self.dims[x])
        w = self.numbers(self.add("MatMul", [g, self.add("Transpose", [g], perm=[1, 0])]), (c, c), spread=1.0)
        w = self.numbers(self.add("Reshape", [w, self.constant(np.array([c, c, 1, 1]))]), (c, c, 1, 1), like=w)
        return self.numbers(self.add("Conv", [x, w]), self.dims[x])

    def larger(self, x: str) -> str:
        n, c, h, w = self.dims[x]
        if h * w > 100:
            return x
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        y = self.add(
            "Resize", [x, "", scales], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"
        )
        return self.numbers(y, (n, c, 2 * h, 2 * w), like=x)

    def model(self) -> tuple[bytes, Array]:
        dims = (
            int(self.r.integers(1, 3)),
            int(self.some(3, 4, 8)),
            int(self.r.integers(5, 12)),
            int(self.r.integers(5, 12)),
        )
        x = self.numbers("x", dims)
        layers = [
            self.convolution,
            self.transposed,
            self.affine,
            self.silu,
            self.hard_swish,
            self.residual,
            self.branches,
            self.pool,
            self.gate,
            self.product,
            self.computed_weights,
            self.larger,
        ]
        for _ in range(int(self.r.integers(2, 7))):
            x = self.some(self.convolution, self.transposed, *layers)(x)
        free = [f"d{i}" for i in range(4)]
        free[1] = dims[1]  # type: ignore[call-overload]
        if any(node.op_type == "Reshape" for node in self.nodes):
            free = list(dims)  # type: ignore[arg-type]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, free)]
        graph = helper.make_graph(self.nodes, "drawn", inputs, [onnx.ValueInfoProto(name=x)], self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return made.SerializeToString(), self.r.normal(size=dims).astype(np.float32) * np.float32(self.some(1, 1, 4))
