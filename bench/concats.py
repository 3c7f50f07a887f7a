# SPDX-License-Identifier: Apache-2.0
"""Bytes that networks copy to join tensors, and to change orders within: DenseNet, Inception, U-Net, U-Net++, YOLO's necks and heads,
HRNet, made here with random weights and dynamic sizes, and any model files that are named.

    .venv/bin/python bench/concats.py
    .venv/bin/python bench/concats.py --side 320 build/models/yolo.onnx

Prints for each the concats of its file, the bytes that its run reads and writes to join (`concat_bytes` of explain), and the nodes that
copy. Exit status 1: a network made here copies."""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from made_models import Builder


IMAGE = {"x": ("n", 3, "h", "w")}


def enlarged(b: Builder, x: str, mode: str = "nearest", by: int = 2) -> str:
    where = "asymmetric" if mode == "nearest" else "half_pixel"
    scales = b.constant([1, 1, by, by])
    return b.node("Resize", x, "", scales, mode=mode, coordinate_transformation_mode=where, nearest_mode="floor")


def pooled(b: Builder, x: str, kernel: int = 2, stride: int = 2, kind: str = "MaxPool") -> str:
    pads = [(kernel - 1) // 2] * 4 if stride == 1 else [0] * 4
    return b.node(kind, x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads)


def silu(b: Builder, x: str, inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> str:
    y = b.conv(x, inputs, outputs, kernel, strides=[stride] * 2)
    return b.node("Mul", y, b.node("Sigmoid", y))


def normed(b: Builder, x: str, width: int) -> str:
    """A norm before the convolution, as DenseNet has it."""
    y = b.node("BatchNormalization", x, b.weight(width), b.weight(width), b.weight(width), b.constant([1.0] * width))
    return b.node("Relu", y)


def densenet(b: Builder) -> list[str]:
    """DenseNet-121: 58 layers that read all layers before them in their block."""
    x, width = pooled(b, b.conv_relu("x", 3, 64, 7, strides=[2, 2])), 64
    for block, layers in enumerate((6, 12, 24, 16)):
        parts = [x]
        for _ in range(layers):
            joined = b.node("Concat", *parts, axis=1) if len(parts) > 1 else x
            y = b.conv(normed(b, joined, width), width, 128, 1)
            parts.append(b.conv(normed(b, y, 128), 128, 32))
            width += 32
        x = b.node("Concat", *parts, axis=1)
        if block < 3:
            x = pooled(b, b.conv(normed(b, x, width), width, width // 2, 1), kind="AveragePool")
            width //= 2
    return [b.node("GlobalAveragePool", normed(b, x, width))]


def inception(b: Builder) -> list[str]:
    """Modules of Inception v1 and v3: branches of convolutions and pools, some of which split again, and one that shrinks by a pool."""
    x, width = pooled(b, b.conv_relu("x", 3, 32, strides=[2, 2])), 32
    for _ in range(3):
        one = b.conv_relu(x, width, 32, 1)
        three = b.conv_relu(b.conv_relu(x, width, 24, 1), 24, 48)
        five = b.conv_relu(b.conv_relu(b.conv_relu(x, width, 8, 1), 8, 16), 16, 16)
        pool = b.conv_relu(pooled(b, x, 3, 1), width, 16, 1)
        x, width = b.node("Concat", one, three, five, pool, axis=1), 112
    shrunk = [b.conv_relu(x, width, 64, strides=[2, 2], pads=[0] * 4), pooled(b, x, 3)]
    x, width = b.node("Concat", *shrunk, axis=1), 64 + width
    for _ in range(2):
        split = b.conv_relu(x, width, 48, 1)
        halves = [b.conv_relu(split, 48, 32), b.conv_relu(split, 48, 32, 1)]
        means = b.conv_relu(pooled(b, x, 3, 1, "AveragePool"), width, 32, 1)
        x, width = b.node("Concat", b.conv_relu(x, width, 40, 1), *halves, means, axis=1), 136
    return [b.node("GlobalAveragePool", x)]


def down_and_up(b: Builder, up: Callable[[Builder, str, int], str]) -> list[str]:
    x, width, levels = b.conv_relu("x", 3, 16), 16, []
    for _ in range(3):
        levels.append((x, width))
        x = b.conv_relu(b.conv_relu(pooled(b, x), width, 2 * width), 2 * width, 2 * width)
        width *= 2
    for level, narrow in reversed(levels):
        x = b.conv_relu(b.node("Concat", level, up(b, x, width), axis=1), 2 * narrow, narrow)
        width = narrow
    return [b.node("Sigmoid", b.conv(x, width, 1, 1))]


def unet(b: Builder) -> list[str]:
    """U-Net with transposed convolutions."""

    def up(b: Builder, x: str, width: int) -> str:
        return b.node("ConvTranspose", x, b.weight(width, width // 2, 2, 2), strides=[2, 2])

    return down_and_up(b, up)


def unet_of_resizes(b: Builder) -> list[str]:
    """U-Net that is enlarged between pixels, then convolved."""
    return down_and_up(b, lambda b, x, width: b.conv_relu(enlarged(b, x, "linear"), width, width // 2))


def unet_of_bare_resizes(b: Builder) -> list[str]:
    """U-Net whose enlarged maps are joined as they are."""
    x, widths, levels = b.conv_relu("x", 3, 16), (16, 24, 32), []
    for narrow, wide in itertools.pairwise(widths):
        levels.append((x, narrow))
        x = b.conv_relu(pooled(b, x), narrow, wide)
    wide = widths[-1]
    for level, narrow in reversed(levels):
        x, wide = b.conv_relu(b.node("Concat", enlarged(b, x), level, axis=1), narrow + wide, narrow), narrow
    return [b.conv(x, wide, 1, 1)]


def unet_plus_plus(b: Builder) -> list[str]:
    """Each layer of a row, two convolutions, reads all layers before it and an enlarged one of the next row."""
    widths = (16, 24, 32)
    rows = [[b.conv_relu("x", 3, widths[0])]]
    for before, width in itertools.pairwise(widths):
        rows.append([b.conv_relu(pooled(b, rows[-1][0]), before, width)])
    for step in range(1, len(widths)):
        for i in range(len(widths) - step):
            parts = [*rows[i], enlarged(b, rows[i + 1][step - 1])]
            inputs = len(rows[i]) * widths[i] + widths[i + 1]
            y = b.conv_relu(b.node("Concat", *parts, axis=1), inputs, widths[i])
            rows[i].append(b.conv_relu(y, widths[i], widths[i]))
    return [b.conv(rows[0][-1], widths[0], 1, 1)]


def c2f(b: Builder, x: str, inputs: int, outputs: int, repeats: int) -> str:
    half = outputs // 2
    parts = b.split(silu(b, x, inputs, outputs), 2, 1)
    for _ in range(repeats):
        y = silu(b, silu(b, parts[-1], half, half, 3), half, half, 3)
        parts.append(b.node("Add", parts[-1], y))
    return silu(b, b.node("Concat", *parts, axis=1), half * len(parts), outputs)


def yolo(b: Builder) -> list[str]:
    """A backbone of split blocks, pools of pools, a neck up and down, and heads of three levels."""
    x = silu(b, "x", 3, 16, 3, 2)
    maps = []
    for inputs, outputs in ((16, 32), (32, 64), (64, 128), (128, 128)):
        x = c2f(b, silu(b, x, inputs, outputs, 3, 2), outputs, outputs, 1)
        maps.append(x)
    y = silu(b, x, 128, 64)
    pools = [y]
    for _ in range(3):
        pools.append(pooled(b, pools[-1], 5, 1))
    deep = silu(b, b.node("Concat", *pools, axis=1), 256, 128)
    middle = c2f(b, b.node("Concat", enlarged(b, deep), maps[2], axis=1), 256, 128, 1)
    fine = c2f(b, b.node("Concat", enlarged(b, middle), maps[1], axis=1), 192, 64, 1)
    middle = c2f(b, b.node("Concat", silu(b, fine, 64, 64, 3, 2), middle, axis=1), 192, 128, 1)
    deep = c2f(b, b.node("Concat", silu(b, middle, 128, 128, 3, 2), deep, axis=1), 256, 128, 1)
    levels = []
    for level, width in ((fine, 64), (middle, 128), (deep, 128)):
        boxes = b.conv(silu(b, level, width, 64, 3), 64, 64, 1)
        classes = b.conv(silu(b, level, width, 64, 3), 64, 20, 1)
        joined = b.node("Concat", boxes, classes, axis=1)
        levels.append(b.node("Reshape", joined, b.constant([0, 84, -1], "int64")))
    return [b.node("Concat", *levels, axis=2)]


def hrnet(b: Builder) -> list[str]:
    """Three resolutions side by side that exchange their sums, joined at the end."""
    widths = (18, 36, 72)
    x = b.conv_relu(b.conv_relu("x", 3, 32, strides=[2, 2]), 32, widths[0], strides=[2, 2])
    branches = [x]
    for i in (1, 2):
        branches.append(b.conv_relu(branches[-1], widths[i - 1], widths[i], strides=[2, 2]))
        branches = [b.conv_relu(y, widths[k], widths[k]) for k, y in enumerate(branches)]
        fused = []
        for to in range(len(branches)):
            total = ""
            for source, y in enumerate(branches):
                part = y
                if source > to:
                    part = enlarged(b, b.conv(y, widths[source], widths[to], 1), by=2 ** (source - to))
                for step in range(source, to):
                    part = b.conv(part, widths[step], widths[step + 1], strides=[2, 2])
                total = b.node("Add", total, part) if total else part
            fused.append(b.node("Relu", total))
        branches = fused
    maps = [branches[0], enlarged(b, branches[1], "linear"), enlarged(b, branches[2], "linear", 4)]
    y = b.conv_relu(b.node("Concat", *maps, axis=1), sum(widths), 64, 1)
    return [b.conv(y, 64, 19, 1)]


NETWORKS = {
    "DenseNet-121": densenet,
    "Inception": inception,
    "U-Net": unet,
    "U-Net, resized and convolved": unet_of_resizes,
    "U-Net, resized": unet_of_bare_resizes,
    "U-Net++": unet_plus_plus,
    "YOLO": yolo,
    "HRNet": hrnet,
}


def counted(path: Path, side: int, batch: int) -> tuple[int, int, list[str]]:
    import anydim

    session = anydim.InferenceSession(path, threads=1)
    shapes = {
        i.name: [(batch, 3, side, side)[k] if not isinstance(dim, int) else dim for k, dim in enumerate(i.shape)]
        for i in session.get_inputs()
    }
    explained = session.explain(shapes)
    nodes = [n for n in explained["nodes"] if n.get("concat_bytes")]
    return (
        explained["concat_bytes"],
        explained["layout_bytes"],
        [f"{n['name']} {n['outputs'][0]['dims']}: {n['concat_bytes']:,}" for n in nodes],
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--batch", type=int, default=2)
    options = parser.parse_args()
    import onnx
    from made_models import Made

    copies = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, network in NETWORKS.items():
            paths[name] = Path(folder) / f"{network.__name__}.onnx"
            Made(network, IMAGE, (options.side,)).save(paths[name])
        for name, path in [*paths.items(), *((str(p), p) for p in options.models)]:
            concats = sum(n.op_type == "Concat" for n in onnx.load(path, load_external_data=False).graph.node)
            copied, moved, nodes = counted(path, options.side, options.batch)
            print(f"{name}: {concats} concats, {copied:,} bytes read and written to join, {moved:,} for layout")
            for node in nodes:
                print("   ", node)
            copies += copied if name in paths else 0
    return 1 if copies else 0


if __name__ == "__main__":
    raise SystemExit(main())
