# SPDX-License-Identifier: Apache-2.0
"""Networks that are run as streams, with random weights: a vocoder of HiFi-GAN's shape, a streaming speech encoder, a causal denoiser,
and a few layers along the rows of images. For bench/streaming.py and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper


@dataclass(frozen=True)
class Streamed:
    """A model, its one input, the axis of this that is streamed, and its other dims."""

    name: str
    data: bytes
    dims: tuple[int, ...]  # of the input; 0 along the axis
    axis: int
    multiple: int = 1  # of which lengths of the axis are

    def input(self, length: int, generator: np.random.Generator) -> Any:
        dims = tuple(length if i == self.axis else d for i, d in enumerate(self.dims))
        return generator.standard_normal(dims, np.float32)


class Builder:
    """Nodes and random weights, one after the other."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weights(self, *shape: int, scale: float = 1.0) -> str:
        return self.constant((self.generator.standard_normal(shape) * scale).astype(np.float32))

    def numbers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def add(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op.lower()}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def one(self, op: str, *inputs: str, **attributes: Any) -> str:
        return str(self.add(op, *inputs, **attributes))

    def conv(self, x: str, inputs: int, outputs: int, kernel: int, **how: Any) -> str:
        w = self.weights(outputs, inputs, kernel, scale=1 / np.sqrt(inputs * kernel))
        return self.one("Conv", x, w, self.weights(outputs, scale=0.1), **how)

    def gated(self, x: str, channels: int) -> str:
        a, b = self.add("Split", x, self.numbers(channels, channels), outputs=2, axis=1)
        return self.one("Mul", a, self.add("Sigmoid", b))

    def model(self, name: str, dims: list[int | str], output: str) -> bytes:
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
            self.constants,
        )
        opset = [helper.make_opsetid("", 18)]
        data: bytes = helper.make_model(graph, opset_imports=opset, ir_version=9).SerializeToString()
        return data


def vocoder(
    channels: int = 128, mel: int = 80, ups: Any = ((8, 16), (8, 16), (2, 4), (2, 4)), kernels: Any = (3, 7, 11)
) -> Streamed:
    """HiFi-GAN's generator: transposed convolutions, each before residual blocks of several widths that are averaged."""
    b, c = Builder(1), channels
    x = b.conv("x", mel, c, 7, pads=[3, 3])
    for stride, kernel in ups:
        w = b.weights(c, c // 2, kernel, scale=1 / np.sqrt(c * kernel / stride))
        pad = (kernel - stride) // 2
        x = b.add("ConvTranspose", b.add("LeakyRelu", x, alpha=0.1), w, strides=[stride], pads=[pad, pad])
        c //= 2
        blocks = []
        for k in kernels:
            y = x
            for d in (1, 3, 5):
                z = b.conv(b.add("LeakyRelu", y, alpha=0.1), c, c, k, dilations=[d], pads=[(k - 1) * d // 2] * 2)
                z = b.conv(b.add("LeakyRelu", z, alpha=0.1), c, c, k, pads=[(k - 1) // 2] * 2)
                y = b.add("Add", z, y)
            blocks.append(y)
        x = blocks[0]
        for y in blocks[1:]:
            x = b.add("Add", x, y)
        x = b.add("Div", x, b.constant(np.float32(len(kernels))))
    x = b.add("Tanh", b.conv(b.add("LeakyRelu", x, alpha=0.01), c, 1, 7, pads=[3, 3]))
    return Streamed("vocoder", b.model("vocoder", ["batch", mel, "frames"], x), (1, mel, 0), 2)


def encoder(hidden: int = 256, features: int = 80, layers: int = 3, cell: str = "LSTM") -> Streamed:
    """Two convolutions with a stride over frames and features, a projection, recurrent layers with norms, letters."""
    b, inputs, maps, size = Builder(2), 1, 32, features
    x = b.add("Unsqueeze", "x", b.numbers(1))
    for _ in range(2):
        w = b.weights(maps, inputs, 3, 3, scale=1 / np.sqrt(inputs * 9))
        x = b.add("Relu", b.add("Conv", x, w, b.weights(maps), strides=[2, 2], pads=[1, 1, 1, 1]))
        inputs, size = maps, (size + 1) // 2
    x = b.add("Reshape", b.add("Transpose", x, perm=[0, 2, 1, 3]), b.numbers(0, 0, maps * size))
    x = b.add(
        "Add", b.add("MatMul", x, b.weights(maps * size, hidden, scale=1 / np.sqrt(maps * size))), b.weights(hidden)
    )
    x = b.add("Transpose", x, perm=[1, 0, 2])
    gates = {"LSTM": 4, "GRU": 3}[cell]
    scale = 1 / np.sqrt(hidden)
    for _ in range(layers):
        w, r = b.weights(1, gates * hidden, hidden, scale=scale), b.weights(1, gates * hidden, hidden, scale=scale)
        how = {"linear_before_reset": 1} if cell == "GRU" else {}
        y = b.add(cell, x, w, r, b.weights(1, 2 * gates * hidden, scale=0.1), hidden_size=hidden, **how)
        y = b.add("Squeeze", y, b.numbers(1))
        x = b.add("LayerNormalization", y, b.weights(hidden), b.weights(hidden), axis=-1)
    x = b.add("MatMul", b.add("Transpose", x, perm=[1, 0, 2]), b.weights(hidden, 64, scale=scale))
    x = b.add("LogSoftmax", x, axis=-1)
    return Streamed(f"encoder of {cell}", b.model("encoder", ["batch", "frames", features], x), (1, 0, features), 1)


def denoiser(channels: int = 48, depth: int = 3, kernel: int = 8, stride: int = 4) -> Streamed:
    """Demucs' causal form: strided convolutions with gates, a GRU, transposed convolutions, with sums across."""
    b, x, c, to = Builder(3), "x", 1, channels
    skips = []
    for _ in range(depth):
        x = b.add("Pad", x, b.numbers(0, 0, kernel - stride, 0, 0, 0))
        x = b.add("Relu", b.conv(x, c, to, kernel, strides=[stride]))
        x = b.gated(b.conv(x, to, 2 * to, 1), to)
        skips.append(x)
        c, to = to, 2 * to
    w, r = b.weights(1, 3 * c, c, scale=1 / np.sqrt(c)), b.weights(1, 3 * c, c, scale=1 / np.sqrt(c))
    y = b.add("GRU", b.add("Transpose", x, perm=[2, 0, 1]), w, r, hidden_size=c, linear_before_reset=1)
    x = b.add("Transpose", b.add("Squeeze", y, b.numbers(1)), perm=[1, 2, 0])
    for i in reversed(range(depth)):
        x = b.gated(b.conv(b.add("Add", x, skips[i]), c, 2 * c, 1), c)
        to = c // 2 if i else 1
        x = b.add(
            "ConvTranspose", x, b.weights(c, to, kernel, scale=1 / np.sqrt(2 * c)), b.weights(to), strides=[stride]
        )
        x = b.add("Slice", x, b.numbers(0), b.numbers(stride - kernel), b.numbers(2))
        x = b.add("Relu", x) if i else x
        c = to
    multiple = stride**depth
    return Streamed("denoiser", b.model("denoiser", ["batch", 1, "samples"], x), (1, 1, 0), 2, multiple)


def rows(width: int = 40) -> Streamed:
    """Layers of images, row by row: strides, depthwise, pooling, interpolation, a softmax over channels."""
    b, x, c = Builder(4), "x", 3
    for to, kernel, stride in ((8, 3, 2), (16, 3, 1), (16, 3, 2)):
        w = b.weights(to, c, kernel, kernel, scale=1 / np.sqrt(c * kernel * kernel))
        x = b.add("Relu", b.add("Conv", x, w, b.weights(to), strides=[stride, stride], pads=[1, 1, 1, 1]))
        c = to
    x = b.add("Conv", x, b.weights(c, 1, 5, 3, scale=0.3), pads=[2, 1, 2, 1], group=c)
    x = b.add("MaxPool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    x = b.add("Resize", x, "", b.constant(np.array([1, 1, 2, 2], np.float32)), mode="linear")
    x = b.add("Softmax", b.add("Conv", x, b.weights(4, c, 3, 3, scale=0.1), b.weights(4), pads=[1, 1, 1, 1]), axis=1)
    return Streamed("rows", b.model("rows", ["batch", 3, "height", width], x), (1, 3, 0, width), 2)


def small() -> list[Streamed]:
    """The same shapes with few channels: what runs many times in a test."""
    return [
        vocoder(16, 8, ((4, 8), (2, 4)), (3, 5)),
        encoder(24, 20, 2),
        encoder(24, 20, 2, "GRU"),
        denoiser(6),
        rows(),
    ]
