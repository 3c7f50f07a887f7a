# SPDX-License-Identifier: Apache-2.0
"""Layers alone beside ONNX Runtime and OpenVINO: what networks lean on that was slow once, or is not measured well by whole networks.

  bench/layers.py                           all of them with one thread, the worst first
  bench/layers.py --only pool norm          those whose names hold one of these words
  bench/layers.py --only large --threads 1 2    weights beyond the caches; what a second thread brings
  bench/layers.py --models DIR              keeps the models there, for the next time

A layer of images stands between a convolution of 4 channels and a global pool, so that it gets and gives the layout that each engine
would have chosen; the time is that of all three. Profiles would show the layer's own, but one that writes between the
nodes leaves nothing of a tensor in the caches. Each engine has a process of its own, and they run one after the other: threads of one
that wait for work in a loop would take half of the cores from another (ONNX Runtime's did). Of all calls the fastest tenth counts, with
one thread of its CPU time.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines import ENGINES
from layer import Layer, Other
from layers_of_heads import OTHERS
from layers_of_warps import WARPS

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np
    from made_models import Builder


def conv(dims: tuple[int, ...], outputs: int, kernel: int = 1, stride: int = 1, group: int = 1, act: str = "") -> Layer:
    rank = len(dims) - 2

    def make(b: Builder, x: str) -> Any:
        y = b.conv(x, dims[1], outputs, kernel, rank, strides=[stride] * rank, group=group)
        if act == "HardSwish":
            return b.node("HardSwish", y)
        if act == "Residual":
            return b.node("Add", y, x)
        return b.node(act, y) if act else y

    return Layer(make, dims)


def pool(dims: tuple[int, ...], kernel: int, stride: int, kind: str = "MaxPool") -> Layer:
    rank = len(dims) - 2
    pads = [(kernel - 1) // 2] * 2 * rank
    return Layer(lambda b, x: b.node(kind, x, kernel_shape=[kernel] * rank, strides=[stride] * rank, pads=pads), dims)


def one(kind: str, dims: tuple[int, ...], between: bool = False, **attributes: Any) -> Layer:
    return Layer(lambda b, x: b.node(kind, x, **attributes), dims, between)


def instance_norm(dims: tuple[int, ...], act: str = "") -> Layer:
    def make(b: Builder, x: str) -> Any:
        y = b.node("InstanceNormalization", x, b.weight(dims[1]), b.weight(dims[1]))
        return b.node(act, y) if act else y

    return Layer(make, dims)


def group_norm(dims: tuple[int, ...], groups: int, silu: bool = False) -> Layer:
    """As torch exports it."""

    def make(b: Builder, x: str) -> Any:
        parted = b.node("Reshape", x, b.constant([0, groups, -1], "int64"))
        normal = b.node("InstanceNormalization", parted, b.constant([1.0] * groups), b.constant([0.0] * groups))
        whole = b.node("Reshape", normal, b.node("Shape", x))
        ones = [1] * (len(dims) - 2)
        y = b.node("Add", b.node("Mul", whole, b.weight(dims[1], *ones)), b.weight(dims[1], *ones))
        return b.node("Mul", y, b.node("Sigmoid", y)) if silu else y

    return Layer(make, dims)


def matmul(rows: int, k: int, columns: int, act: str = "", batch: int = 1) -> Layer:
    def make(b: Builder, x: str) -> Any:
        y = b.linear(x, k, columns)
        if act == "gelu":
            return b.gelu(y)
        return b.node(act, y) if act else y

    return Layer(make, (batch, rows, k), False)


def layer_norm(rows: int, width: int) -> Layer:
    return Layer(lambda b, x: b.norm(x, width), (1, rows, width), False)


def by_index(
    kind: str, dims: tuple[int, ...], indices: tuple[int, ...], bound: int, *more: str, **attributes: Any
) -> Layer:
    """An operator that reads x, indices below `bound`, and inputs named in `more` of the dims of x."""
    others: dict[str, Other] = {"i": lambda random: random.integers(0, bound, indices)}
    for name in more:
        others[name] = lambda random: random.standard_normal(dims).astype("float32")
    return Layer(lambda b, x: b.node(kind, x, *others, **attributes), dims, False, others)


def one_hot(indices: tuple[int, ...], depth: int) -> Layer:
    """As an embedding is looked up by some exporters: rows of ones and zeros by a table, which is x."""

    def make(b: Builder, x: str) -> Any:
        rows = b.node("OneHot", "i", b.constant([depth], "int64"), b.constant([0.0, 1.0]))
        return b.node("Mul", rows, x)

    return Layer(make, (depth,), False, {"i": lambda random: random.integers(0, depth, indices)})


def windowed_attention(windows: int, heads: int, tokens: int, width: int) -> Layer:
    """Scores (x) with a mask of 0 and -100, as Swin's, up to the projection: exp(-100) would be denormal."""

    def make(b: Builder, x: str) -> Any:
        import numpy as np

        mask = np.where(np.random.default_rng(1).random((windows, 1, tokens, tokens)) < 0.5, -100.0, 0.0)
        parts = b.node("Softmax", b.node("Add", x, b.constant(mask)), axis=-1)
        mixed = b.node("Transpose", b.node("MatMul", parts, "v"), perm=[0, 2, 1, 3])
        return b.linear(b.node("Reshape", mixed, b.constant([0, 0, width], "int64")), width, width)

    values = (windows, heads, tokens, width // heads)
    others: dict[str, Other] = {"v": lambda random: random.standard_normal(values).astype("float32")}
    return Layer(make, (windows, heads, tokens, tokens), False, others)


def half(layer: Layer) -> Layer:
    return replace(layer, dtype="float16")


def pairs(b: Builder, x: str, scale: float = 0.03) -> str:
    """x as 8-bit numbers and back: what ONNX Runtime's quantizer puts between two operators (QDQ, u8 with one scale)."""
    factors = b.constant(scale), b.constant(128, "uint8")
    return str(b.node("DequantizeLinear", b.node("QuantizeLinear", x, *factors), *factors))


def integer_weights(b: Builder, axis: int, *dims: int) -> str:
    """Numbers of 7 bits, since ONNX Runtime's sums of 8 saturate on processors without VNNI, with a scale per output channel."""
    import numpy as np

    numbers = b.constant(b.random.integers(-64, 64, dims), "int8")
    inputs = float(np.prod(dims)) / dims[axis]
    scales = b.random.uniform(0.5, 1.5, dims[axis]) / (37 * inputs**0.5)
    return str(b.node("DequantizeLinear", numbers, b.constant(scales), b.constant([0] * dims[axis], "int8"), axis=axis))


def integer_conv(dims: tuple[int, ...], outputs: int, kernel: int = 1, stride: int = 1, group: int = 1) -> Layer:
    """A convolution of 8-bit numbers. The one before it is, too, so that numbers are what it reads."""

    def make(b: Builder, x: str) -> Any:
        b.nodes.pop()  # the convolution before
        b.constants.pop()
        before = b.node("Conv", pairs(b, "x"), integer_weights(b, 0, dims[1], 4, 1, 1))
        weights = integer_weights(b, 0, outputs, dims[1] // group, kernel, kernel)
        at = {"strides": [stride] * 2, "pads": [(kernel - 1) // 2] * 4, "group": group}
        return pairs(b, b.node("Conv", pairs(b, before), weights, **at))

    return Layer(make, dims)


def integer_matmul(rows: int, k: int, columns: int) -> Layer:
    """A product of 8-bit numbers, as a quantized encoder has it: numbers are made of floats, and floats of the result."""

    def make(b: Builder, x: str) -> Any:
        return pairs(b, b.node("MatMul", pairs(b, x), integer_weights(b, 1, k, columns)))

    return Layer(make, (1, rows, k), False)


def integer_layers() -> dict[str, Layer]:
    """Networks of 8-bit numbers: ResNet-50's distinct layers, depthwise ones, BERT's products at several lengths."""
    convolutions = (
        (64, 64, 56), (64, 256, 56), (256, 64, 56), (256, 128, 56), (256, 512, 56, 1, 2), (128, 512, 28), (512, 128, 28),
        (512, 256, 28), (512, 1024, 28, 1, 2), (256, 1024, 14), (1024, 256, 14), (1024, 512, 14), (1024, 2048, 14, 1, 2),
        (512, 2048, 7), (2048, 512, 7), (64, 64, 56, 3), (128, 128, 56, 3, 2), (128, 128, 28, 3), (256, 256, 28, 3, 2),
        (256, 256, 14, 3), (512, 512, 14, 3, 2), (512, 512, 7, 3),
    )  # fmt: skip
    depthwise = ((32, 112), (96, 112, 3, 2), (144, 56), (192, 28), (384, 14), (960, 7), (72, 56, 5, 2), (240, 14, 5))
    layers = {}
    for inputs, outputs, size, *window in convolutions:
        kernel, stride = (*window, *(1, 1)[len(window) :])
        name = f"int8 conv {kernel}x{kernel} {'/2 ' if stride == 2 else ''}{inputs}-{outputs} {size}"
        layers[name] = integer_conv((1, inputs, size, size), outputs, kernel, stride)
    for channels, size, *window in depthwise:
        kernel, stride = (*window, *(3, 1)[len(window) :])
        name = f"int8 depthwise {kernel}x{kernel} {'/2 ' if stride == 2 else ''}{channels} {size}"
        layers[name] = integer_conv((1, channels, size, size), channels, kernel, stride, channels)
    for rows in (1, 8, 32, 128, 512):
        for k, columns in ((768, 768), (768, 3072), (3072, 768)):
            layers[f"int8 matmul {rows}x{k}x{columns}"] = integer_matmul(rows, k, columns)
    return layers


def gelu(dims: tuple[int, ...]) -> Layer:
    return Layer(lambda b, x: b.gelu(x), dims, False)


LAYERS: dict[str, Layer] = {
    # MobileNet-like first layers: few channels on large planes.
    "conv 1x1 8-16 112": conv((1, 8, 112, 112), 16),
    "conv 1x1 16-8 112": conv((1, 16, 112, 112), 8),
    "conv 1x1 16-16 112": conv((1, 16, 112, 112), 16, act="HardSwish"),
    "conv 1x1 16-64 112": conv((1, 16, 112, 112), 64, act="Relu"),
    "conv 1x1 16-96 112": conv((1, 16, 112, 112), 96, act="Relu"),
    "conv 1x1 64-24 56": conv((1, 64, 56, 56), 24),
    "conv 1x1 72-24 56 add": conv((1, 24, 56, 56), 24, act="Residual"),
    "conv 1x1 24-72 56": conv((1, 24, 56, 56), 72, act="Relu"),
    "conv 1x1 256-1024 14": conv((1, 256, 14, 14), 1024),
    "conv 1x1 64-256 56": conv((1, 64, 56, 56), 256),
    "conv 1x1 2048-512 7": conv((1, 2048, 7, 7), 512),
    "conv 3x3 64 56": conv((1, 64, 56, 56), 64, 3),
    "conv 3x3 256 14": conv((1, 256, 14, 14), 256, 3),
    "conv 3x3 512 7": conv((1, 512, 7, 7), 512, 3),
    "conv 3x3 2048-512 33": conv((1, 2048, 33, 33), 512, 3),
    "conv 3x3 /2 64-128 56": conv((1, 64, 56, 56), 128, 3, 2),
    "conv 3x3 16 112": conv((1, 16, 112, 112), 16, 3, act="Relu"),
    "conv 3x3 32 groups 256 28": conv((1, 256, 28, 28), 256, 3, group=32),
    "conv 3x3 32 groups 128 56": conv((1, 128, 56, 56), 128, 3, group=32),
    "conv 3x3 32 groups 1024 7": conv((1, 1024, 7, 7), 1024, 3, group=32),
    "conv 1d 128 taps 16 groups": Layer(
        lambda b, x: b.conv(x, 768, 768, 128, 1, group=16, pads=[64, 64]), (1, 768, 100)
    ),
    "conv 7x7 /2 3-64 224": Layer(
        lambda b, x: b.conv(x, 3, 64, 7, strides=[2, 2], pads=[3, 3, 3, 3]), (1, 3, 224, 224), False
    ),
    "conv 3x3 /2 3-16 224": Layer(
        lambda b, x: b.node("HardSwish", b.conv(x, 3, 16, 3, strides=[2, 2])), (1, 3, 224, 224), False
    ),
    "conv 4x4 /4 3-96 224": Layer(
        lambda b, x: b.conv(x, 3, 96, 4, strides=[4, 4], pads=[0] * 4), (1, 3, 224, 224), False
    ),
    "conv 3x3x3 1-8 24x48": conv((1, 1, 24, 48, 40), 8, 3),
    "conv 3x3x3 8 24x48": conv((1, 8, 24, 48, 40), 8, 3),
    "conv 3x3x3 16-8 24x48": conv((1, 16, 24, 48, 40), 8, 3),
    "conv 3x3x3 16 12x24": conv((1, 16, 12, 24, 20), 16, 3),
    "conv 3x3x3 32-16 12x24": conv((1, 32, 12, 24, 20), 16, 3),
    "conv 3x3x3 32 6x12": conv((1, 32, 6, 12, 10), 32, 3),
    "conv 3x3x3 16 16x56": conv((1, 16, 8, 56, 56), 16, 3),
    "depthwise 3x3 16 112": conv((1, 16, 112, 112), 16, 3, group=16, act="Relu"),
    "depthwise 3x3 /2 64 112": conv((1, 64, 112, 112), 64, 3, 2, group=64, act="Relu"),
    "depthwise 3x3 /2 96 112": conv((1, 96, 112, 112), 96, 3, 2, group=96),
    "depthwise 3x3 72 56": conv((1, 72, 56, 56), 72, 3, group=72, act="Relu"),
    "depthwise 5x5 /2 72 56": conv((1, 72, 56, 56), 72, 5, 2, group=72),
    "depthwise 5x5 240 14": conv((1, 240, 14, 14), 240, 5, group=240, act="HardSwish"),
    "depthwise 3x3 384 14": conv((1, 384, 14, 14), 384, 3, group=384),
    "depthwise 7x7 96 56": conv((1, 96, 56, 56), 96, 7, group=96),
    "depthwise 3x3x3 54 16x28": conv((1, 54, 16, 28, 28), 54, 3, group=54),
    "depthwise 3x3x3 108 16x14": conv((1, 108, 16, 14, 14), 108, 3, group=108),
    "depthwise 3x3x3 24 16x80": conv((1, 24, 4, 80, 80), 24, 3, group=24),
    "conv transpose 4x4 /2 64": Layer(
        lambda b, x: b.node("ConvTranspose", x, b.weight(64, 32, 4, 4), strides=[2, 2], pads=[1] * 4), (1, 64, 56, 56)
    ),
    "conv transpose 2x2 /2 24": Layer(
        lambda b, x: b.node("ConvTranspose", x, b.weight(24, 24, 2, 2), strides=[2, 2]), (1, 24, 112, 112)
    ),
    "max pool 3x3 /2 64 112": pool((1, 64, 112, 112), 3, 2),
    "max pool 3x3 /2 16 112": pool((1, 16, 112, 112), 3, 2),
    "max pool 3x3 /1 256 28": pool((1, 256, 28, 28), 3, 1),
    "max pool 2x2 /2 64 112": pool((1, 64, 112, 112), 2, 2),
    "max pool 2x2x2 /2 16": pool((1, 16, 32, 32, 32), 2, 2),
    "average pool 3x3 /1 192 28": pool((1, 192, 28, 28), 3, 1, "AveragePool"),
    "average pool 2x2 /2 64 56": pool((1, 64, 56, 56), 2, 2, "AveragePool"),
    "global average 960 7": one("GlobalAveragePool", (1, 960, 7, 7), True),
    "global average 64 112": one("GlobalAveragePool", (1, 64, 112, 112), True),
    "instance norm 64 64": instance_norm((1, 64, 64, 64)),
    "instance norm 32 128 relu": instance_norm((1, 32, 128, 128), "Relu"),
    "group norm 128 32": group_norm((1, 128, 32, 32), 32),
    "group norm 64 64 silu": group_norm((1, 64, 64, 64), 32, True),
    "group norm 320 32 silu": group_norm((1, 320, 32, 32), 32, True),
    "layer norm 196 384": layer_norm(196, 384),
    "layer norm 128 768": layer_norm(128, 768),
    "layer norm 3136 64": layer_norm(3136, 64),
    "softmax 196": one("Softmax", (1, 12, 196, 196), axis=-1),
    "softmax 49": one("Softmax", (64, 3, 49, 49), axis=-1),
    "softmax 128": one("Softmax", (1, 12, 128, 128), axis=-1),
    "softmax 1000": one("Softmax", (64, 1000), axis=-1),
    "softmax over channels 21": one("Softmax", (1, 21, 128, 128), axis=1),
    "log softmax 500": one("LogSoftmax", (64, 500), axis=-1),
    "arg max 17 64": one("ArgMax", (1, 17, 4096), axis=-1, keepdims=0),
    "arg max channels 21": one("ArgMax", (1, 21, 128, 128), axis=1, keepdims=0),
    "reduce mean rows 384": Layer(lambda b, x: b.node("ReduceMean", x, b.constant([-1], "int64")), (1, 196, 384), False),
    "reduce mean middle": Layer(lambda b, x: b.node("ReduceMean", x, b.constant([1], "int64")), (1, 196, 384), False),
    "sigmoid": one("Sigmoid", (1, 512, 1024)),
    "tanh": one("Tanh", (1, 512, 1024)),
    "erf": one("Erf", (1, 512, 1024)),
    "exp": one("Exp", (1, 512, 1024)),
    "gelu 512 1024": gelu((1, 512, 1024)),
    "leaky relu": one("LeakyRelu", (1, 64, 64, 64), True, alpha=0.1),
    "hard swish": one("HardSwish", (1, 64, 64, 64), True),
    "matmul 384x768x3072": matmul(384, 768, 3072),
    "matmul 196x384x1536 gelu": matmul(196, 384, 1536, "gelu"),
    "matmul 128x256x1024 relu": matmul(128, 256, 1024, "Relu"),
    "matmul 1x768x3072": matmul(1, 768, 3072),
    "matmul 1x256x256": matmul(1, 256, 256),
    "matmul 8x512x512": matmul(8, 512, 512),
    "matmul 1024x64x1": matmul(1024, 64, 1),
    "matmul 4096x16x1": matmul(4096, 16, 1),
    "matmul 1024^3": matmul(1024, 1024, 1024),
    # Weights of 4 to 64 MB, which caches do not hold: what language models and the last stages of large networks are made of.
    "large matmul 1x1024x4096": matmul(1, 1024, 4096),
    "large matmul 1x4096x4096": matmul(1, 4096, 4096),
    "large matmul 16x1024x1024": matmul(16, 1024, 1024),
    "large matmul 16x4096x4096": matmul(16, 4096, 4096),
    "large matmul 16x8192x2048": matmul(16, 8192, 2048),
    "large matmul 64x1024x1024": matmul(64, 1024, 1024),
    "large matmul 64x2048x2048": matmul(64, 2048, 2048),
    "large matmul 64x4096x4096": matmul(64, 4096, 4096),
    "large matmul 64x8192x2048": matmul(64, 8192, 2048),
    "large matmul 64x2048x8192": matmul(64, 2048, 8192),
    "large matmul 256x1024x4096": matmul(256, 1024, 4096),
    "large matmul 256x4096x4096": matmul(256, 4096, 4096),
    "large matmul 512x4096x1024": matmul(512, 4096, 1024),
    "large matmul 512x2048x2048": matmul(512, 2048, 2048),
    "large conv 3x3 512 14": conv((1, 512, 14, 14), 512, 3),
    "large conv 3x3 1024 14": conv((1, 1024, 14, 14), 1024, 3),
    "large conv 3x3 1024 7": conv((1, 1024, 7, 7), 1024, 3),
    "large conv 3x3 /2 512-1024 14": conv((1, 512, 14, 14), 1024, 3, 2),
    "large conv 1x1 2048 7": conv((1, 2048, 7, 7), 2048),
    "large conv 1x1 1024-2048 14": conv((1, 1024, 14, 14), 2048),
    "large conv 1x1 2048-512 14": conv((1, 2048, 14, 14), 512),
    "transpose heads": Layer(
        lambda b, x: b.node("Transpose", x, perm=[0, 2, 1, 3]), (1, 196, 12, 32), False
    ),
    "transpose last": Layer(lambda b, x: b.node("Transpose", x, perm=[0, 2, 1]), (1, 784, 192), False),
    "concat channels": Layer(lambda b, x: b.node("Concat", x, x, axis=1), (1, 32, 56, 56)),
    "gather slices rows": by_index("Gather", (512, 768), (1, 512), 512, axis=0),
    "gather slices unfold": by_index("Gather", (1, 64, 56, 56), (3, 54), 56, axis=2),
    "gather elements 128": by_index("GatherElements", (1, 12, 128, 128), (1, 12, 128, 128), 128, axis=3),
    "gather elements rows": by_index("GatherElements", (1, 512, 64), (1, 512, 64), 512, axis=1),
    "scatter nd rows": by_index("ScatterND", (512, 256), (512, 1), 512, "updates"),
    "one hot 1024 512": one_hot((8, 128), 512),
    "windowed attention masked": windowed_attention(9, 12, 49, 384),
    "float16 conv 3x3 64 56": half(conv((1, 64, 56, 56), 64, 3)),
    "float16 matmul 196x384x1536 gelu": half(matmul(196, 384, 1536, "gelu")),
    "float16 layer norm 196 384": half(layer_norm(196, 384)),
    "float16 softmax 196": half(one("Softmax", (1, 12, 196, 196), axis=-1)),
    "float16 depthwise 3x3 96 56": half(conv((1, 96, 56, 56), 96, 3, group=96, act="Relu")),
    **integer_layers(),
    "resize nearest x2": Layer(
        lambda b, x: b.node("Resize", x, "", b.constant([1.0, 1.0, 2.0, 2.0]), mode="nearest",
                            coordinate_transformation_mode="asymmetric", nearest_mode="floor"), (1, 64, 40, 40)
    ),
    "resize linear x2": Layer(
        lambda b, x: b.node("Resize", x, "", b.constant([1.0, 1.0, 2.0, 2.0]), mode="linear"), (1, 64, 40, 40)
    ),
    **OTHERS,
    **WARPS,
}  # fmt: skip


@dataclass
class Task:
    """What a process of one engine measures."""

    engine: str
    model: str  # path
    inputs: str  # path of an .npz
    threads: int
    seconds: float


def execute(task: Task) -> list[float]:
    """Microseconds of calls."""
    import numpy as np

    session = ENGINES[task.engine](Path(task.model), task.threads)
    with np.load(task.inputs) as file:
        feeds = {name: file[name] for name in file.files}
    clock = (
        time.process_time if task.threads == 1 else time.perf_counter
    )  # what else runs on the machine does not count
    for _ in range(2):  # they find other memory in the caches
        session.call(feeds)
    times: list[float] = []
    end = time.perf_counter() + task.seconds
    while len(times) < 3 or time.perf_counter() < end:
        begin = clock()
        session.call(feeds)
        times.append((clock() - begin) * 1e6)
    return times


def measure(task: Task) -> list[float]:
    """Runs `task` in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, "--task", json.dumps(vars(task))], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{task.engine} on {Path(task.model).name} failed:\n{done.stderr[-2000:]}")
    times: list[float] = json.loads(done.stdout.splitlines()[-1])
    return times


def kernels_of(path: Path, threads: int, x: dict[str, np.ndarray]) -> str:
    import anydim

    session = anydim.InferenceSession(str(path), threads=threads)
    session.run(None, x)
    named = [node["kernel"] for node in session.explain()["nodes"]]
    return ", ".join(named)


@dataclass
class Row:
    name: str
    us: dict[int, dict[str, float]]  # by threads and engine
    kernels: str

    def share(self, threads: int) -> float:
        """Our time over the faster peer's."""
        us = self.us[threads]
        return us["anydim"] / min(time for engine, time in us.items() if engine != "anydim")

    def gain(self, engine: str) -> float:
        """What the most threads bring, beside the fewest."""
        return self.us[min(self.us)][engine] / self.us[max(self.us)][engine]


def print_table(rows: list[Row], threads: list[int]) -> None:
    rows.sort(key=lambda row: -max(row.share(n) for n in threads))
    heads = [f"{engine} {n}" for n in threads for engine in ENGINES]
    gains = [f"{engine[:6]} x" for engine in ENGINES] if len(threads) > 1 else []
    shares = [f"share {n}" for n in threads]
    print(f"{'layer':30s}" + "".join(f"{head:>15s}" for head in heads) + "".join(f"{g:>9s}" for g in shares + gains))
    for row in rows:
        us = "".join(f"{row.us[n][engine]:15.1f}" for n in threads for engine in ENGINES)
        figures = [row.share(n) for n in threads] + ([row.gain(engine) for engine in ENGINES] if gains else [])
        print(f"{row.name:30s}{us}" + "".join(f"{figure:9.2f}" for figure in figures) + f"  {row.kernels}")
    for n in threads:
        mean = math.exp(sum(math.log(row.share(n)) for row in rows) / len(rows))
        worst = max(row.share(n) for row in rows)
        print(
            f"threads {n}: our time over the faster peer's {mean:.3f} in geometric mean, {worst:.2f} at worst, {len(rows)} layers"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument(
        "--rounds", type=int, default=3, help="turns of each engine, each in a process of its own (default 3)"
    )
    parser.add_argument("--seconds", type=float, default=0.1, help="of calls in a turn (default 0.1)")
    parser.add_argument("--models", type=Path, metavar="DIR", help="where to keep the models (default: nowhere)")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        print(json.dumps(execute(Task(**json.loads(options.task)))))
        return 0

    import numpy as np

    rows = []
    with tempfile.TemporaryDirectory() as place:
        kept = options.models or Path(place)
        kept.mkdir(parents=True, exist_ok=True)
        for name, layer in LAYERS.items():
            if options.only and not any(word in name for word in options.only):
                continue
            path = kept / (name.replace(" ", "_").replace(os.sep, "d") + ".onnx")
            inputs, x = path.with_suffix(".npz"), layer.feeds()
            if not path.exists():
                layer.save(path)
            if not inputs.exists():
                np.savez(inputs, **x)  # type: ignore[arg-type]
            us: dict[int, dict[str, float]] = {}
            for threads in options.threads:
                times: dict[str, list[float]] = {engine: [] for engine in ENGINES}
                for _ in range(options.rounds):
                    for engine, found in times.items():
                        if engine == "openvino" and layer.dtype == "float64":
                            continue  # it computes in float32
                        found += measure(Task(engine, str(path), str(inputs), threads, options.seconds))
                us[threads] = {e: float(np.quantile(found, 0.1)) if found else math.inf for e, found in times.items()}
            rows.append(Row(name, us, kernels_of(path, max(options.threads), x)))
    print_table(rows, options.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
