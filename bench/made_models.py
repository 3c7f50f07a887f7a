# SPDX-License-Identifier: Apache-2.0
"""Small networks of many kinds with random weights and dynamic dims, made here: from graphs that take 30 us up to some that
take tens of milliseconds. bench/growth.py calls them at shapes that grow, shrink and mix.

Each entry of MODELS makes the ONNX file and says what its inputs are at a size: a number that an application would vary
(elements, rows, pixels of a side, tokens, frames). Nothing here was tuned for; what the weights are does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Feeds = dict[str, np.ndarray]


class Builder:
    """Appends nodes to a graph; every method returns the name of its result."""

    def __init__(self, seed: int = 0) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.random = np.random.default_rng(seed)
        self.count = 0

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}_{self.count}"

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        name = self.fresh("c")
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, *dims: int) -> str:
        fan_in = int(np.prod(dims[1:])) if len(dims) > 2 else dims[0]
        return self.constant(self.random.normal(0, fan_in**-0.5, dims))

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = self.fresh(kind.lower())
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def split(self, x: str, parts: int, axis: int) -> list[str]:
        names = [self.fresh("part") for _ in range(parts)]
        self.nodes.append(helper.make_node("Split", [x], names, axis=axis))
        return names

    def conv(self, x: str, inputs: int, outputs: int, kernel: int = 3, rank: int = 2, **attributes: Any) -> str:
        group = attributes.get("group", 1)
        dilation = attributes.get("dilations", [1])[0]
        pads = [(kernel - 1) * dilation // 2] * 2 * rank
        w = self.weight(outputs, inputs // group, *[kernel] * rank)
        return self.node("Conv", x, w, self.weight(outputs), pads=attributes.pop("pads", pads), **attributes)

    def conv_relu(self, x: str, inputs: int, outputs: int, kernel: int = 3, rank: int = 2, **attributes: Any) -> str:
        return self.node("Relu", self.conv(x, inputs, outputs, kernel, rank, **attributes))

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        return self.node("Add", self.node("MatMul", x, self.weight(inputs, outputs)), self.weight(outputs))

    def norm(self, x: str, width: int) -> str:
        return self.node("LayerNormalization", x, self.weight(width), self.weight(width), axis=-1)

    def gelu(self, x: str) -> str:
        erf = self.node("Erf", self.node("Mul", x, self.constant(0.5**0.5)))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, self.constant(1.0))), self.constant(0.5))

    def heads(self, x: str, count: int, size: int, transposed: bool = False) -> str:
        parted = self.node("Reshape", x, self.constant([0, -1, count, size], np.int64))
        return self.node("Transpose", parted, perm=[0, 2, 3, 1] if transposed else [0, 2, 1, 3])

    def attention(self, x: str, width: int, count: int, past: tuple[str, str] | None = None) -> str:
        size = width // count
        query = self.heads(self.linear(x, width, width), count, size)
        keys = self.heads(self.linear(x, width, width), count, size)
        values = self.heads(self.linear(x, width, width), count, size)
        if past:
            keys = self.node("Concat", past[0], keys, axis=2)
            values = self.node("Concat", past[1], values, axis=2)
        scores = self.node("MatMul", query, self.node("Transpose", keys, perm=[0, 1, 3, 2]))
        weights = self.node("Softmax", self.node("Mul", scores, self.constant(size**-0.5)), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", weights, values), perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", mixed, self.constant([0, -1, width], np.int64)), width, width)

    def encoder_layer(self, x: str, width: int, count: int, past: tuple[str, str] | None = None) -> str:
        x = self.node("Add", x, self.attention(self.norm(x, width), width, count, past))
        hidden = self.gelu(self.linear(self.norm(x, width), width, 4 * width))
        return self.node("Add", x, self.linear(hidden, 4 * width, width))


# What a network is: it appends to a builder and returns the names of its outputs.
Network = Callable[[Builder], list[str]]
# The dims of an input, a text per dynamic one.
Dims = tuple[int | str, ...]


@dataclass(frozen=True)
class Made:
    """A network, its inputs (int64 inputs are indices below `rows`) and the sizes that it is called at."""

    network: Network
    inputs: dict[str, Dims]
    sizes: tuple[int, ...]
    integers: dict[str, int] | None = None  # input -> rows of what it looks up

    def save(self, path: Path) -> None:
        builder = Builder()
        outputs = self.network(builder)
        integers = self.integers or {}
        inputs = [
            helper.make_tensor_value_info(
                name, TensorProto.INT64 if name in integers else TensorProto.FLOAT, list(dims)
            )
            for name, dims in self.inputs.items()
        ]
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(builder.nodes, path.stem, inputs, results, builder.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        path.write_bytes(model.SerializeToString())

    def feeds(self, size: int) -> Feeds:
        random = np.random.default_rng(size)
        made: Feeds = {}
        for name, dims in self.inputs.items():
            actual = tuple(size if isinstance(dim, str) else dim for dim in dims)
            if self.integers and name in self.integers:
                made[name] = random.integers(0, self.integers[name], actual)
            else:
                made[name] = random.uniform(-1, 1, actual).astype(np.float32)
        return made


# --- tiny ------------------------------------------------------------------------------------------------------------


def elementwise(b: Builder) -> list[str]:
    y = b.node("Sigmoid", b.node("Add", b.node("Mul", "x", b.constant(1.5)), b.constant(0.25)))
    return [b.node("Sub", b.node("Tanh", y), "x")]


def row_softmax(b: Builder) -> list[str]:
    return [b.node("Softmax", b.node("Mul", "x", b.constant(0.125)), axis=-1)]


def normalise_rows(b: Builder) -> list[str]:
    norm = b.node("ReduceL2", "x", axes=[-1], keepdims=1)
    return [b.node("Div", "x", b.node("Add", norm, b.constant(1e-6)))]


def perceptron(b: Builder) -> list[str]:
    hidden = b.node("Relu", b.linear("x", 32, 64))
    return [b.node("Sigmoid", b.linear(hidden, 64, 8))]


def one_convolution(b: Builder) -> list[str]:
    return [b.conv_relu("x", 3, 8)]


def digits(b: Builder) -> list[str]:
    x = b.node("MaxPool", b.conv_relu("x", 1, 8), kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("MaxPool", b.conv_relu(x, 8, 16), kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Flatten", b.node("GlobalAveragePool", x))
    return [b.node("Softmax", b.linear(x, 16, 10), axis=-1)]


# --- vision ----------------------------------------------------------------------------------------------------------


def residual(b: Builder) -> list[str]:
    x = b.conv_relu("x", 3, 32, 3, strides=[2, 2])
    for width in (32, 64, 128):
        if width > 32:
            x = b.conv_relu(x, width // 2, width, 3, strides=[2, 2])
        for _ in range(2):
            x = b.node("Relu", b.node("Add", x, b.conv(b.conv_relu(x, width, width), width, width)))
    return [b.linear(b.node("Flatten", b.node("GlobalAveragePool", x)), 128, 100)]


def separable(b: Builder) -> list[str]:
    x = b.conv_relu("x", 3, 16, 3, strides=[2, 2])
    for width in (16, 32, 64):
        x = b.conv_relu(b.conv(x, width, width, 5, group=width), width, 4 * width, 1)
        x = b.node("HardSwish", b.conv(x, 4 * width, 2 * width, 1))
        x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    return [b.linear(b.node("Flatten", b.node("GlobalAveragePool", x)), 128, 100)]


def unet(b: Builder) -> list[str]:
    kept, x, width = [], b.conv_relu("x", 3, 16), 16
    for _ in range(3):
        kept.append((x, width))
        x = b.conv_relu(b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), width, 2 * width)
        width *= 2
    for skip, narrow in reversed(kept):
        w = b.weight(width, narrow, 2, 2)
        x = b.node("Concat", b.node("ConvTranspose", x, w, strides=[2, 2]), skip, axis=1)
        x, width = b.conv_relu(x, 2 * narrow, narrow), narrow
    return [b.node("Sigmoid", b.conv(x, 16, 1, 1))]


def segmentation(b: Builder) -> list[str]:
    x = b.conv_relu(b.conv_relu("x", 3, 16, 3, strides=[2, 2]), 16, 32, 3, strides=[2, 2])
    x = b.conv_relu(b.conv_relu(x, 32, 32, 3, dilations=[2, 2]), 32, 8, 1)
    scales = b.constant([1, 1, 4, 4])
    return [b.node("Resize", x, "", scales, mode="linear", coordinate_transformation_mode="half_pixel")]


def super_resolution(b: Builder) -> list[str]:
    x = b.conv_relu(b.conv_relu("x", 1, 32, 5), 32, 32)
    return [b.node("DepthToSpace", b.conv(x, 32, 9), blocksize=3)]


def style(b: Builder) -> list[str]:
    x = b.conv("x", 3, 16, 9)
    for _ in range(3):
        x = b.node("Relu", b.node("InstanceNormalization", x, b.weight(16), b.weight(16)))
        x = b.conv(x, 16, 16)
    return [b.node("Tanh", b.conv(x, 16, 3, 9))]


def generator(b: Builder) -> list[str]:
    x = b.node("Reshape", b.linear("x", 32, 64 * 16), b.constant([-1, 64, 4, 4], np.int64))
    for width in (64, 32, 16):
        w = b.weight(width, width // 2, 4, 4)
        x = b.node("LeakyRelu", b.node("ConvTranspose", x, w, strides=[2, 2], pads=[1, 1, 1, 1]), alpha=0.2)
    return [b.node("Tanh", b.conv(x, 8, 3))]


# --- speech, text, tables --------------------------------------------------------------------------------------------


def speech(b: Builder) -> list[str]:
    x = b.conv_relu("x", 40, 64, 5, rank=1, strides=[2])
    for dilation in (1, 2, 4, 8):
        deep = b.conv(x, 64, 64, 3, rank=1, dilations=[dilation], group=64)
        x = b.node("Add", x, b.conv_relu(deep, 64, 64, 1, rank=1))
    return [b.node("LogSoftmax", b.node("Transpose", b.conv(x, 64, 32, 1, rank=1), perm=[0, 2, 1]), axis=-1)]


def waves(b: Builder) -> list[str]:
    x = b.conv("x", 1, 16, 7, rank=1)
    for dilation in (1, 3, 9):
        gate, value = b.split(b.conv(x, 16, 32, 3, rank=1, dilations=[dilation]), 2, 1)
        x = b.node("Add", x, b.conv(b.node("Mul", b.node("Tanh", value), b.node("Sigmoid", gate)), 16, 16, 1, rank=1))
    return [b.conv(x, 16, 1, 1, rank=1)]


def tiny_transformer(b: Builder) -> list[str]:
    return [b.encoder_layer("x", 32, 2)]


def small_transformer(b: Builder) -> list[str]:
    x = b.node("Gather", b.weight(500, 64), "ids", axis=0)
    for _ in range(4):
        x = b.encoder_layer(x, 64, 4)
    return [b.linear(b.node("ReduceMean", x, axes=[1], keepdims=0), 64, 10)]


def transformer(b: Builder) -> list[str]:
    x = b.node("Gather", b.weight(500, 256), "ids", axis=0)
    for _ in range(4):
        x = b.encoder_layer(x, 256, 8)
    return [b.norm(x, 256)]


def decoder(b: Builder) -> list[str]:
    x = "x"
    for _ in range(2):
        x = b.encoder_layer(x, 128, 4, ("past_keys", "past_values"))
    return [b.linear(x, 128, 500)]


def text_convolutions(b: Builder) -> list[str]:
    x = b.node("Transpose", b.node("Gather", b.weight(500, 32), "ids", axis=0), perm=[0, 2, 1])
    parts = [b.node("ReduceMax", b.conv_relu(x, 32, 16, k, rank=1), axes=[2], keepdims=0) for k in (3, 5, 7)]
    return [b.linear(b.node("Concat", *parts, axis=1), 48, 4)]


def recommender(b: Builder) -> list[str]:
    looked_up = b.node("Gather", b.weight(1000, 16), "ids", axis=0)
    dense = b.node("Relu", b.linear("x", 13, 16))
    rows = b.node("Concat", looked_up, b.node("Unsqueeze", dense, b.constant([1], np.int64)), axis=1)
    products = b.node("MatMul", rows, b.node("Transpose", rows, perm=[0, 2, 1]))
    flat = b.node("Concat", dense, b.node("Reshape", products, b.constant([-1, 81], np.int64)), axis=1)
    return [b.node("Sigmoid", b.linear(b.node("Relu", b.linear(flat, 97, 64)), 64, 1))]


def mixer(b: Builder) -> list[str]:
    x = b.linear("x", 48, 64)
    for _ in range(3):
        x = b.node("Add", x, b.linear(b.gelu(b.linear(b.norm(x, 64), 64, 128)), 128, 64))
    return [b.node("ReduceMean", x, axes=[1], keepdims=0)]


def messages(b: Builder) -> list[str]:
    x = "nodes"
    for _ in range(2):
        sent = b.linear(b.node("Gather", x, "sources", axis=0), 16, 16)
        x = b.node("Relu", b.node("Add", b.linear(x, 16, 16), b.node("MatMul", "incidence", sent)))
    return [x]


_SIDES = (32, 48, 64, 96, 112, 128, 160, 192, 224, 256)
_ROWS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)
_TOKENS = (4, 7, 12, 19, 28, 40, 64, 90, 128)
_FRAMES = (50, 80, 130, 200, 310, 480, 760, 1200)

MODELS: dict[str, Made] = {
    "elementwise": Made(elementwise, {"x": ("n",)}, (100, 900, 3000, 9000, 20000, 45000, 70000, 120000)),
    "row_softmax": Made(row_softmax, {"x": ("n", 64)}, (1, 7, 30, 80, 200, 500, 900, 1600)),
    "normalise_rows": Made(normalise_rows, {"x": ("n", 128)}, (1, 5, 20, 60, 150, 400, 800)),
    "perceptron": Made(perceptron, {"x": ("n", 32)}, (*_ROWS, 300, 700)),
    "one_convolution": Made(one_convolution, {"x": (1, 3, "h", "w")}, (8, 16, 24, 32, 48, 64, 96, 128)),
    "digits": Made(digits, {"x": ("n", 1, 28, 28)}, _ROWS[:-2]),
    "tiny_transformer": Made(tiny_transformer, {"x": (1, "t", 32)}, _TOKENS),
    "text_convolutions": Made(text_convolutions, {"ids": (1, "t")}, _TOKENS, {"ids": 500}),
    "recommender": Made(recommender, {"ids": ("n", 8), "x": ("n", 13)}, _ROWS, {"ids": 1000}),
    "mixer": Made(mixer, {"x": (1, "t", 48)}, _TOKENS),
    "messages": Made(
        messages,
        {"nodes": ("n", 16), "sources": ("n",), "incidence": ("n", "n")},
        (4, 4, 10, 20, 45, 90, 150)[1:],
        {"sources": 4},
    ),
    "speech": Made(speech, {"x": (1, 40, "t")}, _FRAMES),
    "waves": Made(waves, {"x": (1, 1, "t")}, tuple(8 * frames for frames in _FRAMES)),
    "small_transformer": Made(small_transformer, {"ids": (1, "t")}, _TOKENS, {"ids": 500}),
    "decoder": Made(
        decoder, {"x": (1, 1, 128), "past_keys": (1, 4, "t", 32), "past_values": (1, 4, "t", 32)}, (*_TOKENS, 200, 300)
    ),
    "transformer": Made(transformer, {"ids": (1, "t")}, _TOKENS, {"ids": 500}),
    "separable": Made(separable, {"x": (1, 3, "h", "w")}, _SIDES),
    "residual": Made(residual, {"x": (1, 3, "h", "w")}, _SIDES[:-2]),
    "unet": Made(unet, {"x": (1, 3, "h", "w")}, _SIDES[:-1]),
    "segmentation": Made(segmentation, {"x": (1, 3, "h", "w")}, _SIDES),
    "super_resolution": Made(super_resolution, {"x": (1, 1, "h", "w")}, _SIDES[:-3]),
    "style": Made(style, {"x": (1, 3, "h", "w")}, _SIDES[:-1]),
    "generator": Made(generator, {"x": ("n", 32)}, _ROWS[:-2]),
}


def make_all(folder: Path) -> dict[str, Path]:
    """Writes those that are not there; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name}.onnx" for name in MODELS}
    for name, path in paths.items():
        if not path.exists():
            MODELS[name].save(path)
    return paths
