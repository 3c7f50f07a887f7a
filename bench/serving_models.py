# SPDX-License-Identifier: Apache-2.0
"""Networks for bench/serving.py, written as ONNX files: two networks below a millisecond and a text encoder, with drawn weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Graph:
    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def weights(self, *dims: int) -> str:
        return self.constant((self.random.standard_normal(dims) / dims[0] ** 0.5).astype(np.float32))

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def dense(self, x: str, rows: int, columns: int) -> str:
        bias = self.constant(np.zeros(columns, np.float32))
        return self.node("Add", self.node("MatMul", x, self.weights(rows, columns)), bias)

    def norm(self, x: str, width: int) -> str:
        scale, bias = self.constant(np.ones(width, np.float32)), self.constant(np.zeros(width, np.float32))
        return self.node("LayerNormalization", x, scale, bias, axis=-1)

    def conv(self, x: str, rows: int, columns: int, stride: int = 1) -> str:
        kernel = (self.random.standard_normal((columns, rows, 3, 3)) / (9 * rows) ** 0.5).astype(np.float32)
        return self.node("Conv", x, self.constant(kernel), strides=[stride, stride], pads=[1, 1, 1, 1])

    def write(self, path: Path, inputs: list[Any], result: str, dims: list[Any]) -> None:
        self.nodes.append(helper.make_node("Identity", [result], ["y"]))
        outputs = [helper.make_tensor_value_info("y", FLOAT, dims)]
        graph = helper.make_graph(self.nodes, path.stem, inputs, outputs, self.constants)
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))


def small(path: Path) -> None:
    """Three layers over 256 features: weights of 2.4 MB, 0.6 million products a row."""
    g = Graph(1)
    x = "x"
    for rows, columns in ((256, 512), (512, 512), (512, 384)):
        x = g.node("Relu", g.dense(x, rows, columns))
    x = g.dense(x, 384, 16)
    g.write(path, [helper.make_tensor_value_info("x", FLOAT, ["n", 256])], x, ["n", 16])


def images(path: Path) -> None:
    """Residual blocks over images of 64 x 64: 25 million products a row, 0.3 ms of a core."""
    g = Graph(3)
    x = g.node("Relu", g.conv("x", 3, 16, 2))
    for width in (32, 64, 128):
        x = g.node("Relu", g.conv(x, width // 2, width, 2))
        x = g.node("Relu", g.node("Add", x, g.conv(g.node("Relu", g.conv(x, width, width)), width, width)))
    x = g.node("Flatten", g.node("GlobalAveragePool", x))
    g.write(path, [helper.make_tensor_value_info("x", FLOAT, ["n", 3, 64, 64])], g.dense(x, 128, 10), ["n", 10])


def empty(path: Path) -> None:
    """Next to nothing: what a request costs besides its model."""
    g = Graph(1)
    g.write(path, [helper.make_tensor_value_info("x", FLOAT, ["n", 16])], g.node("Relu", "x"), ["n", 16])


def encoder(path: Path, layers: int = 4, width: int = 256, heads: int = 4) -> None:
    """A text encoder of four layers: tokens to the mean of their vectors."""
    g = Graph(2)
    x = g.norm(g.node("Gather", g.weights(5000, width), "ids"), width)
    split = g.constant(np.array([0, 0, heads, width // heads], np.int64))
    joined = g.constant(np.array([0, 0, width], np.int64))
    root = g.constant(np.array((width // heads) ** -0.5, np.float32))
    for _ in range(layers):

        def part(perm: list[int], x: str = x) -> str:
            return g.node("Transpose", g.node("Reshape", g.dense(x, width, width), split), perm=perm)

        q, k, v = part([0, 2, 1, 3]), part([0, 2, 3, 1]), part([0, 2, 1, 3])
        scores = g.node("Softmax", g.node("Mul", g.node("MatMul", q, k), root), axis=-1)
        mixed = g.node("Reshape", g.node("Transpose", g.node("MatMul", scores, v), perm=[0, 2, 1, 3]), joined)
        x = g.norm(g.node("Add", x, g.dense(mixed, width, width)), width)
        inner = g.node("Relu", g.dense(x, width, 4 * width))
        x = g.norm(g.node("Add", x, g.dense(inner, 4 * width, width)), width)
    y = g.node("ReduceMean", x, axes=[1], keepdims=0)
    g.write(path, [helper.make_tensor_value_info("ids", INT64, ["n", "t"])], y, ["n", width])
