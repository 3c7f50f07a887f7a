# SPDX-License-Identifier: Apache-2.0
"""Networks that the discussion of reusable kernels names, with the real layers' sizes and random weights: ResNet-50, blocks of
Stable Diffusion's U-Net, HiFi-GAN's first generator, products of a language model. Each has one input `x`; bench/reproduce.py
calls them with fixed and with dynamic dims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from made_models import Builder
from onnx import TensorProto, helper

Shape = tuple[int, ...]


def resnet50(b: Builder) -> list[str]:
    x = b.conv_relu("x", 3, 64, 7, strides=[2, 2])
    x = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    inputs = 64
    for stage, count in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(count):
            strides = [2, 2] if block == 0 and stage > 0 else [1, 1]
            y = b.conv_relu(x, inputs, width, 1)
            y = b.conv(b.conv_relu(y, width, width, 3, strides=strides), width, 4 * width, 1)
            short = x if block > 0 else b.conv(x, inputs, 4 * width, 1, strides=strides)
            x, inputs = b.node("Relu", b.node("Add", y, short)), 4 * width
    return [b.linear(b.node("Flatten", b.node("GlobalAveragePool", x)), inputs, 1000)]


def silu(b: Builder, x: str) -> str:
    return b.node("Mul", x, b.node("Sigmoid", x))


def group_norm(b: Builder, x: str, width: int) -> str:
    """As exporters write it in opset 17: an InstanceNormalization over 32 groups."""
    groups = b.node("Reshape", x, b.constant([0, 32, -1], np.int64))
    one = b.node("InstanceNormalization", groups, b.constant(np.ones(32)), b.constant(np.zeros(32)), epsilon=1e-5)
    back = b.node("Reshape", one, b.node("Shape", x))
    scale, shift = b.constant(np.ones((width, 1, 1))), b.constant(np.zeros((width, 1, 1)))
    return b.node("Add", b.node("Mul", back, scale), shift)


def diffusion_block(width: int) -> Callable[[Builder], list[str]]:
    """A residual block and a transformer block with self attention, attention over 77 words, and a gated projection."""

    def network(b: Builder) -> list[str]:
        x = "x"
        y = b.conv(silu(b, group_norm(b, x, width)), width, width, 3)
        x = b.node("Add", x, b.conv(silu(b, group_norm(b, y, width)), width, width, 3))
        tokens = b.node(
            "Reshape", b.conv(group_norm(b, x, width), width, width, 1), b.constant([0, width, -1], np.int64)
        )
        t = b.node("Transpose", tokens, perm=[0, 2, 1])
        words = b.constant(b.random.normal(0, 1, (1, 77, 768)))
        for source, depth in ((None, width), (words, 768)):
            normed = b.norm(t, width)
            q = b.heads(b.linear(normed, width, width), 8, width // 8)
            k = b.heads(b.linear(source or normed, depth, width), 8, width // 8, transposed=True)
            v = b.heads(b.linear(source or normed, depth, width), 8, width // 8)
            scores = b.node("Mul", b.node("MatMul", q, k), b.constant((width // 8) ** -0.5))
            mixed = b.node("Transpose", b.node("MatMul", b.node("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
            mixed = b.node("Reshape", mixed, b.constant([0, -1, width], np.int64))
            t = b.node("Add", t, b.linear(mixed, width, width))
        value, gate = b.split(b.linear(b.norm(t, width), width, 8 * width), 2, 2)
        t = b.node("Add", t, b.linear(b.node("Mul", value, b.gelu(gate)), 4 * width, width))
        image = b.node("Reshape", b.node("Transpose", t, perm=[0, 2, 1]), b.node("Shape", x))
        return [b.node("Add", x, b.conv(image, width, width, 1))]

    return network


def hifigan(b: Builder) -> list[str]:
    x, width = b.conv("x", 80, 512, 7, rank=1), 512
    for rate, kernel in ((8, 16), (8, 16), (2, 4), (2, 4)):
        w, edge = b.weight(width, width // 2, kernel), (kernel - rate) // 2
        x = b.node("LeakyRelu", x, alpha=0.1)
        x, width = b.node("ConvTranspose", x, w, strides=[rate], pads=[edge, edge]), width // 2
        sums = []
        for taps in (3, 7, 11):
            y = x
            for dilation in (1, 3, 5):
                z = b.conv(b.node("LeakyRelu", y, alpha=0.1), width, width, taps, rank=1, dilations=[dilation])
                z = b.conv(b.node("LeakyRelu", z, alpha=0.1), width, width, taps, rank=1)
                y = b.node("Add", y, z)
            sums.append(y)
        x = b.node("Mul", b.node("Sum", *sums), b.constant(1 / 3))
    return [b.node("Tanh", b.conv(b.node("LeakyRelu", x, alpha=0.01), width, 1, 7, rank=1))]


def language_products(b: Builder) -> list[str]:
    """The products of one layer of a model with 2,048 channels: query, key, value and output, and the gated pair."""
    x = "x"
    for _ in range(4):
        x = b.node("MatMul", x, b.weight(2048, 2048))
    gated = b.node("Mul", silu(b, b.node("MatMul", x, b.weight(2048, 5504))), b.node("MatMul", x, b.weight(2048, 5504)))
    return [b.node("MatMul", gated, b.weight(5504, 2048))]


@dataclass(frozen=True)
class Reproduced:
    what: str
    network: Callable[[Builder], list[str]]
    dims: tuple[int | str, ...]  # of the input, a text where a user's varies
    shapes: tuple[Shape, ...]  # the first is the one for fixed dims

    def save(self, path: Path, shape: Shape | None = None) -> Path:
        """With the dims of `shape`, or dynamic ones."""
        builder = Builder()
        outputs = self.network(builder)
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape or self.dims))
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(builder.nodes, path.stem, [x], results, builder.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(model.SerializeToString())
        return path


def block(width: int, side: int) -> Reproduced:
    dims = (1, width, "h", "w")
    what = f"Stable Diffusion's block of {width} channels, {side} x {side}"
    return Reproduced(what, diffusion_block(width), dims, ((1, width, side, side),))


# Lengths in an order that grows and shrinks, none of them twice.
_FRAMES = (20, 13, 27, 16, 31, 11, 24, 18, 29)
_ROWS = (32, 1, 77, 5, 128, 19, 50, 2, 100, 9)

STATIC = {
    "resnet50": Reproduced("ResNet-50, 224 x 224", resnet50, ("n", 3, "h", "w"), ((1, 3, 224, 224),)),
    "diffusion_320": block(320, 64),
    "diffusion_640": block(640, 32),
    "diffusion_1280": block(1280, 16),
}
CHANGING = {
    "hifigan": Reproduced("HiFi-GAN, 11 to 31 frames", hifigan, (1, 80, "t"), tuple((1, 80, n) for n in _FRAMES)),
    "products": Reproduced(
        "products of a language model, 1 to 128 rows", language_products, ("m", 2048), tuple((m, 2048) for m in _ROWS)
    ),
}
