# SPDX-License-Identifier: Apache-2.0
"""Networks over images for bench/edge_layouts.py: what goes in and what comes out are maps or pixels, of which nobody can say beforehand
in which order a caller has them. Made here, with random weights and dynamic sizes, beside those of bench/made_models.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from made_models import (
    Builder,
    Dims,
    Made,
    digits,
    one_convolution,
    residual,
    segmentation,
    separable,
    style,
    super_resolution,
    unet,
)


def halved(b: Builder, x: str) -> str:
    return b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])


def doubled(b: Builder, x: str, mode: str = "nearest") -> str:
    where = "asymmetric" if mode == "nearest" else "half_pixel"
    return b.node(
        "Resize", x, "", b.constant([1, 1, 2, 2]), mode=mode, coordinate_transformation_mode=where, nearest_mode="floor"
    )


def pyramid(b: Builder) -> list[str]:
    """A feature pyramid: three maps come out."""
    levels, x = [], b.conv_relu("x", 3, 32, strides=[2, 2])
    for width in (32, 64, 128):
        x = b.conv_relu(x, width, 2 * width, strides=[2, 2])
        levels.append((x, 2 * width))
    outputs, top = [], ""
    for level, width in reversed(levels):
        side = b.conv(level, width, 48, 1)
        top = b.node("Add", side, doubled(b, top)) if top else side
        outputs.append(b.conv(top, 48, 48))
    return outputs


def detector(b: Builder) -> list[str]:
    """Boxes and scores as maps, for each of two levels."""
    x = b.conv_relu(b.conv_relu("x", 3, 24, strides=[2, 2]), 24, 48, strides=[2, 2])
    low = b.conv_relu(x, 48, 96, strides=[2, 2])
    outputs = []
    for level, width in ((x, 48), (low, 96)):
        head = b.conv_relu(level, width, 64)
        outputs += [b.conv(head, 64, 4, 1), b.node("Sigmoid", b.conv(head, 64, 20, 1))]
    return outputs


def features(b: Builder) -> list[str]:
    """The middle of a network: maps in, maps out."""
    y = b.conv(b.conv_relu("x", 64, 64), 64, 64)
    return [b.node("Relu", b.node("Add", y, "x"))]


def neck(b: Builder) -> list[str]:
    """Two maps of a backbone in, two out."""
    top = b.conv_relu("low", 96, 48, 1)
    joined = b.node("Concat", doubled(b, top), "high", axis=1)
    out = b.conv_relu(joined, 96, 48)
    return [out, b.conv_relu(b.node("Concat", b.conv_relu(out, 48, 48, strides=[2, 2]), top, axis=1), 96, 96)]


def squeezed(b: Builder) -> list[str]:
    x = b.conv("x", 32, 64)
    gate = b.node("Sigmoid", b.conv(b.conv_relu(b.node("GlobalAveragePool", x), 64, 16, 1), 16, 64, 1))
    return [b.conv(b.node("Mul", x, gate), 64, 40, 1)]


def dense(b: Builder) -> list[str]:
    x, width = b.conv_relu("x", 3, 24, strides=[2, 2]), 24
    for _ in range(4):
        x = b.node("Concat", x, b.conv_relu(b.conv_relu(x, width, 48, 1), 48, 12), axis=1)
        width += 12
    return [b.conv(x, width, 36, 1)]


def inception(b: Builder) -> list[str]:
    x = b.conv_relu("x", 3, 32, strides=[2, 2])
    for _ in range(2):
        parts = [b.conv_relu(x, 32, 8, 1), b.conv_relu(b.conv_relu(x, 32, 8, 1), 8, 8), b.conv_relu(x, 32, 8, 5)]
        pooled = b.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = b.node("Concat", *parts, b.conv_relu(pooled, 32, 8, 1), axis=1)
    return [x]


def pose(b: Builder) -> list[str]:
    x = b.conv_relu(b.conv_relu("x", 3, 32, strides=[2, 2]), 32, 64, strides=[2, 2])
    for width in (64, 32):
        weight = b.weight(width, width // 2, 4, 4)
        x = b.node("Relu", b.node("ConvTranspose", x, weight, strides=[2, 2], pads=[1, 1, 1, 1]))
    return [b.conv(x, 16, 17, 1)]


def denoiser(b: Builder) -> list[str]:
    """The noise, which is taken from the image."""
    x = b.conv_relu("x", 3, 32)
    for _ in range(4):
        x = b.conv_relu(x, 32, 32)
    return [b.node("Sub", "x", b.conv(x, 32, 3))]


def flow(b: Builder) -> list[str]:
    """Two images in, a map of movements out."""
    x = b.conv_relu(b.node("Concat", "x", "y", axis=1), 6, 32, strides=[2, 2])
    x = b.conv_relu(b.conv_relu(x, 32, 64, strides=[2, 2]), 64, 32)
    return [doubled(b, b.conv(x, 32, 2), "linear")]


def edges_of_pictures(b: Builder) -> list[str]:
    """Bytes of pixels scaled first, as in many exported preprocessings; an image comes out."""
    x = b.node(
        "Mul", b.node("Sub", "x", b.constant(np.full((1, 3, 1, 1), 0.5))), b.constant(np.full((1, 3, 1, 1), 4.0))
    )
    x = b.conv_relu(b.conv_relu(x, 3, 16, 5), 16, 16)
    return [b.node("Clip", b.conv(x, 16, 3, 1), b.constant(0.0), b.constant(1.0))]


def embedding(b: Builder) -> list[str]:
    x = b.conv_relu(b.conv_relu("x", 3, 32, strides=[2, 2]), 32, 128, strides=[2, 2])
    x = b.conv(b.conv_relu(x, 128, 128, 3, group=128), 128, 256, 1)
    norm = b.node("ReduceL2", x, axes=[1], keepdims=1)
    return [b.node("Div", x, b.node("Add", norm, b.constant(1e-6)))]


_IMAGE: dict[str, Dims] = {"x": ("n", 3, "h", "w")}


def over_images(network: Callable[[Builder], list[str]], *sizes: int, **inputs: Dims) -> Made:
    return Made(network, inputs or _IMAGE, sizes)


# The size of a side; inputs of half that side say so themselves (edge_layouts.py).
NETWORKS: dict[str, Made] = {
    "one convolution": over_images(one_convolution, 64, 160),
    "digits": over_images(digits, 28, x=("n", 1, 28, 28)),
    "residual": over_images(residual, 64, 160),
    "separable": over_images(separable, 64, 160),
    "U-Net": over_images(unet, 64, 128),
    "segmentation": over_images(segmentation, 64, 160),
    "super resolution": over_images(super_resolution, 48, 96, x=("n", 1, "h", "w")),
    "style": over_images(style, 64, 128),
    "pyramid": over_images(pyramid, 64, 192),
    "detector": over_images(detector, 64, 192),
    "features": over_images(features, 14, 56, x=("n", 64, "h", "w")),
    "neck": over_images(neck, 16, 40, low=("n", 96, "lh", "lw"), high=("n", 48, "h", "w")),
    "squeezed": over_images(squeezed, 16, 56, x=("n", 32, "h", "w")),
    "dense": over_images(dense, 64, 128),
    "inception": over_images(inception, 64, 128),
    "pose": over_images(pose, 64, 128),
    "denoiser": over_images(denoiser, 48, 96),
    "flow": over_images(flow, 64, 128, x=("n", 3, "h", "w"), y=("n", 3, "h", "w")),
    "edges of pictures": over_images(edges_of_pictures, 64, 160),
    "embedding": over_images(embedding, 64, 128),
}
