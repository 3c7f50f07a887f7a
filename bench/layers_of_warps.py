# SPDX-License-Identifier: Apache-2.0
"""Layers of what exporters write beside the usual: folds, sampling of next words, transposed, dilated and 1-D convolutions, warps,
doubles, an hourglass, a decoder whose cache is an input; for layers.py."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from layer import Layer

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np
    from made_models import Builder


def conv(dims: tuple[int, ...], outputs: int, *window: int, **attributes: Any) -> Layer:
    """Attributes are as ONNX has them; the result has the sides of x, if the stride is 1."""
    group, dilations = attributes.get("group", 1), attributes.get("dilations", [1] * len(window))
    reach = [(k - 1) * d for k, d in zip(window, dilations, strict=True)]
    pads = [r // 2 for r in reach] + [r - r // 2 for r in reach]

    def make(b: Builder, x: str) -> Any:
        weights = b.weight(outputs, dims[1] // group, *window)
        return b.node("Relu", b.node("Conv", x, weights, b.weight(outputs), pads=pads, **attributes))

    return Layer(make, dims)


def transposed(dims: tuple[int, ...], outputs: int, *window: int, stride: int = 2, group: int = 1) -> Layer:
    pads = [(k - stride) // 2 for k in window] * 2

    def make(b: Builder, x: str) -> Any:
        weights = b.weight(dims[1], outputs // group, *window)
        strides = [stride] * len(window)
        return b.node("ConvTranspose", x, weights, b.weight(outputs), strides=strides, pads=pads, group=group)

    return Layer(make, dims)


def unfold(channels: int, side: int, window: int) -> Layer:
    """As torch exports it: rows and columns of all windows are gathered."""

    def make(b: Builder, x: str) -> Any:
        import numpy as np

        half = window // 2
        padded = b.node("Pad", x, b.constant([0, 0, half, half] * 2, "int64"))
        places = b.constant(np.arange(window)[:, None] + np.arange(side), "int64")
        taken = b.node("Gather", b.node("Gather", padded, places, axis=2), places, axis=4)
        ordered = b.node("Transpose", taken, perm=[0, 1, 2, 4, 3, 5])
        return b.node("Reshape", ordered, b.constant([0, channels * window**2, -1], "int64"))

    return Layer(make, (1, channels, side, side), False)


def fold(channels: int, side: int, window: int, stride: int = 1) -> Layer:
    half = window // 2
    across = (side + 2 * half - window) // stride + 1

    def make(b: Builder, x: str) -> Any:
        shape = b.constant([side, side], "int64"), b.constant([window, window], "int64")
        return b.node("Col2Im", x, *shape, pads=[half] * 4, strides=[stride] * 2)

    return Layer(make, (1, channels * window**2, across**2), False)


def next_words(rows: int, words: int) -> Layer:
    """Scores of words outside of the most probable 0.9 become -inf: softmax, sort, running sum, scatter."""

    def make(b: Builder, x: str) -> Any:
        from onnx import helper

        scores, places = b.fresh("scores"), b.fresh("places")
        b.nodes.append(helper.make_node("TopK", [x, b.constant([words], "int64")], [scores, places], axis=-1))
        sums = b.node("CumSum", b.node("Softmax", scores, axis=-1), b.constant(1, "int64"), exclusive=1)
        kept = b.node("Where", b.node("Less", sums, b.constant(0.9)), scores, b.constant(-1e30))
        return b.node("ScatterElements", x, places, kept, axis=1)

    return Layer(make, (rows, words), False)


def neighbours(points: int, most: int) -> Layer:
    """The nearest of points in 16 dims, by distances to all of them."""

    def make(b: Builder, x: str) -> Any:
        from onnx import helper

        products = b.node("MatMul", x, b.node("Transpose", x, perm=[0, 2, 1]))
        squares = b.node("ReduceSum", b.node("Mul", x, x), b.constant([-1], "int64"))
        sums = b.node("Add", squares, b.node("Transpose", squares, perm=[0, 2, 1]))
        apart = b.node("Sub", sums, b.node("Add", products, products))
        values, places = b.fresh("values"), b.fresh("places")
        most_of = b.constant([most], "int64")
        b.nodes.append(helper.make_node("TopK", [apart, most_of], [values, places], axis=-1, largest=0))
        return values

    return Layer(make, (1, points, 16), False)


def warp(channels: int, side: int) -> Layer:
    """An image moved along a flow, as video networks do: neighbouring pixels come from neighbouring places."""

    def flow(random: np.random.Generator) -> np.ndarray:
        import numpy as np

        line = np.linspace(-1, 1, side)
        grid = np.stack(np.meshgrid(line, line), -1)[None] + random.normal(0, 0.02, (1, side, side, 2))
        return grid.astype("float32")

    return Layer(
        lambda b, x: b.node("GridSample", x, "flow", mode="bilinear", padding_mode="border", align_corners=1),
        (1, channels, side, side),
        False,
        {"flow": flow},
    )


def deformable(channels: int, side: int) -> Layer:
    """Deformable attention: 8 heads look at 4 places for each pixel, whose values are weighed and added."""
    heads = 8

    def make(b: Builder, x: str) -> Any:
        parted = b.node("Reshape", x, b.constant([heads, channels // heads, side, side], "int64"))
        taken = b.node("GridSample", parted, "places", mode="bilinear", padding_mode="zeros", align_corners=0)
        return b.node("ReduceSum", b.node("Mul", taken, "weights"), b.constant([-1], "int64"), keepdims=0)

    def places(random: np.random.Generator) -> np.ndarray:
        return (random.random((heads, side * side, 4, 2)) * 2 - 1).astype("float32")

    def weights(random: np.random.Generator) -> np.ndarray:
        return random.random((heads, 1, side * side, 4)).astype("float32")

    return Layer(make, (1, channels, side, side), False, {"places": places, "weights": weights})


def hourglass(channels: int, side: int, depth: int) -> Layer:
    """Bottleneck blocks down to a small plane and up again, each plane added to what comes back."""

    def block(b: Builder, x: str) -> str:
        y = b.conv_relu(x, channels, channels // 2, 1)
        y = b.conv_relu(y, channels // 2, channels // 2, 3)
        return b.node("Relu", b.node("Add", b.conv(y, channels // 2, channels, 1), x))

    def level(b: Builder, x: str, depth: int) -> str:
        low = block(b, b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]))
        low = level(b, low, depth - 1) if depth > 1 else block(b, low)
        low = block(b, low)
        scales = b.constant([1.0, 1.0, 2.0, 2.0])
        asked = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return b.node("Add", block(b, x), b.node("Resize", low, "", scales, **asked))

    return Layer(lambda b, x: level(b, x, depth), (1, channels, side, side))


def decoder_step(past: int, width: int, heads: int) -> Layer:
    """One token through a layer of OPT: keys and values of those before it come as inputs, joined ones go out as the next inputs."""
    size = width // heads

    def given(random: np.random.Generator) -> np.ndarray:
        return random.standard_normal((1, heads, past, size)).astype("float32")

    return Layer(
        lambda b, x: b.encoder_layer(x, width, heads, ("keys", "values")),
        (1, 1, width),
        False,
        {"keys": given, "values": given},
    )


def double(layer: Layer) -> Layer:
    return replace(layer, dtype="float64")


def product(rows: int, k: int, columns: int) -> Layer:
    return Layer(lambda b, x: b.linear(x, k, columns), (1, rows, k), False)


def one(kind: str, dims: tuple[int, ...], **attributes: Any) -> Layer:
    return Layer(lambda b, x: b.node(kind, x, **attributes), dims, False)


WARPS: dict[str, Layer] = {
    "odd conv 3x3 dilated 2 64 56": conv((1, 64, 56, 56), 64, 3, 3, dilations=[2, 2]),
    "odd conv 3x3 dilated 12 256-64 28": conv((1, 256, 28, 28), 64, 3, 3, dilations=[12, 12]),
    "odd conv 1x7 128 17": conv((1, 128, 17, 17), 128, 1, 7),
    "odd conv 7x1 128 17": conv((1, 128, 17, 17), 128, 7, 1),
    "odd conv 5x5 32-48 28": conv((1, 32, 28, 28), 48, 5, 5),
    "odd conv 3x3 4 groups 64 28": conv((1, 64, 28, 28), 64, 3, 3, group=4),
    "odd conv 3x3 5 groups 35 30": conv((1, 35, 30, 30), 35, 3, 3, group=5),
    "odd conv 3x3 3-12 32": conv((1, 3, 32, 32), 12, 3, 3),
    "odd conv 1d 3 128 400": conv((1, 128, 400), 128, 3),
    "odd conv 1d 3 dilated 8 64 1000": conv((1, 64, 1000), 64, 3, dilations=[8]),
    "odd conv 1d depthwise 31 144 200": conv((1, 144, 200), 144, 31, group=144),
    "odd conv 1d 10 /5 1-512 16000": Layer(
        lambda b, x: b.node("Conv", x, b.weight(512, 1, 10), strides=[5]), (1, 1, 16000), False
    ),
    "odd conv 3x3x3 /2 16-32": conv((1, 16, 8, 28, 28), 32, 3, 3, 3, strides=[2, 2, 2]),
    "odd conv 1x3x3 32 8x28": conv((1, 32, 8, 28, 28), 32, 1, 3, 3),
    "odd transposed 4x4 /2 256-128 14": transposed((1, 256, 14, 14), 128, 4, 4),
    "odd transposed 4x4 /2 64-3 56": transposed((1, 64, 56, 56), 3, 4, 4),
    "odd transposed 3x3 /1 32 28": transposed((1, 32, 28, 28), 32, 3, 3, stride=1),
    "odd transposed 4x4 /2 64 groups": transposed((1, 64, 28, 28), 64, 4, 4, group=64),
    "odd transposed 1d 16 /8 256-128 50": transposed((1, 256, 50), 128, 16, stride=8),
    "odd transposed 2x2x2 /2 32-16": transposed((1, 32, 8, 16, 16), 16, 2, 2, 2),
    "unfold 3x3 64 28": unfold(64, 28, 3),
    "unfold 7x7 16 28": unfold(16, 28, 7),
    "fold 3x3 64 28": fold(64, 28, 3),
    "fold 7x7 /4 16 56": fold(16, 56, 7, 4),
    "next words 1 32000": next_words(1, 32000),
    "next words 8 4096": next_words(8, 4096),
    "neighbours 20 of 500": neighbours(500, 20),
    "warp 3 224": warp(3, 224),
    "warp 64 56": warp(64, 56),
    "deformable attention 256 28": deformable(256, 28),
    "hourglass 64 64": hourglass(64, 64, 4),
    "decoder step 128 512": decoder_step(128, 512, 8),
    "decoder step 1000 512": decoder_step(1000, 512, 8),
    "float64 matmul 128x256x256": double(product(128, 256, 256)),
    "float64 matmul 1x512x512": double(product(1, 512, 512)),
    "float64 layer norm 196 384": double(Layer(lambda b, x: b.norm(x, 384), (1, 196, 384), False)),
    "float64 softmax 196": double(one("Softmax", (12, 196, 196), axis=-1)),
    "float64 sigmoid": double(one("Sigmoid", (256, 512))),
    "float64 tanh": double(one("Tanh", (256, 512))),
    "float64 exp": double(one("Exp", (256, 512))),
    "float64 max pool 3x3 /2 64 56": double(
        one("MaxPool", (1, 64, 56, 56), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    ),
    "float64 reduce mean rows 384": double(
        Layer(lambda b, x: b.node("ReduceMean", x, b.constant([-1], "int64")), (1, 196, 384), False)
    ),
}
