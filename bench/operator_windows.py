# SPDX-License-Identifier: Apache-2.0
"""Operators of images and signals with windows: pools, convolutions, resizing, sampling, boxes; as cases of bench/operators.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernel_case import Case, Drawn, constant, numbers
from operator_elements import FLOATS, dims_text, uniform

POOLED: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((1, 64, 512), {"kernel_shape": [2], "strides": [2]}),
    ((8, 64, 512), {"kernel_shape": [3], "pads": [1, 1]}),
    ((1, 64, 56, 56), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ((1, 64, 56, 56), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}),
    ((1, 64, 56, 56), {"kernel_shape": [3, 3], "pads": [1] * 4}),
    ((1, 64, 56, 56), {"kernel_shape": [5, 5], "pads": [2] * 4}),
    ((1, 64, 56, 56), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ((1, 64, 56, 56), {"kernel_shape": [3, 3], "dilations": [2, 2]}),
    ((1, 64, 56, 56), {"kernel_shape": [2, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ((1, 64, 56, 56), {"kernel_shape": [1, 7], "pads": [0, 3, 0, 3]}),
    ((1, 64, 56, 56), {"kernel_shape": [7, 1], "pads": [3, 0, 3, 0]}),
    ((1, 3, 224, 224), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ((1, 1, 512, 512), {"kernel_shape": [8, 8], "strides": [8, 8]}),
    ((64, 8, 14, 14), {"kernel_shape": [14, 14]}),
    ((1, 16, 16, 32, 32), {"kernel_shape": [2, 2, 2], "strides": [2, 2, 2]}),
    ((1, 16, 16, 32, 32), {"kernel_shape": [3, 3, 3], "pads": [1] * 6}),
)


def pooled_text(dims: tuple[int, ...], own: dict[str, Any]) -> str:
    text: str = dims_text(dims)
    for key, value in own.items():
        text += f" {key} {'x'.join(map(str, value)) if isinstance(value, list) else value}"
    return text


def pools() -> Iterator[Case]:
    for op in ("MaxPool", "AveragePool", "LpPool"):
        for dtype in (*FLOATS, "uint8", "int8") if op == "MaxPool" else FLOATS:
            for dims, own in POOLED if dtype == "float32" else (POOLED[1], POOLED[3], POOLED[4], POOLED[14]):
                if op == "LpPool" and "ceil_mode" in own:
                    continue
                yield Case(f"{op} {dtype} {pooled_text(dims, own)}", op, [(dtype, dims)], [dtype], own)
                if op == "MaxPool" and dtype == "float32":
                    yield Case(
                        f"{op} {dtype} {pooled_text(dims, own)} indices", op, [(dtype, dims)], [dtype, "int64"], own
                    )
                if op == "AveragePool" and dtype == "float32" and "pads" in own:
                    name = f"{op} {dtype} {pooled_text(dims, own)} counts pads"
                    yield Case(name, op, [(dtype, dims)], [dtype], {**own, "count_include_pad": 1})
    for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        for dtype in FLOATS:
            for dims in (
                ((1, 512, 7, 7), (4, 64, 56, 56), (1, 64, 512), (1, 16, 16, 32, 32))
                if dtype == "float32"
                else ((4, 64, 56, 56),)
            ):
                yield Case(f"{op} {dtype} {dims_text(dims)}", op, [(dtype, dims)], [dtype])
    for op in ("MaxPool", "AveragePool"):  # as converters from TensorFlow write it
        own = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}
        yield Case(
            f"{op} float32 of NHWC by Transpose",
            op,
            [("float32", (1, 56, 56, 64))],
            ["float32"],
            nodes=between_orders(op, own),
        )
    places = Drawn("int64", (1, 32, 28, 28), lambda r, d: r.permutation(32 * 56 * 56)[: 32 * 28 * 28].reshape(d))
    for dtype in ("float32", "float64", "float16"):
        own = {"kernel_shape": [2, 2], "strides": [2, 2]}
        yield Case(f"MaxUnpool {dtype}", "MaxUnpool", [(dtype, (1, 32, 28, 28)), places], [dtype], own)


def between_orders(op: str, own: dict[str, Any]) -> Any:
    from onnx import helper

    def nodes(names: list[str], results: list[str]) -> list[Any]:
        return [
            helper.make_node("Transpose", names[:1], ["a"], perm=[0, 3, 1, 2]),
            helper.make_node(op, ["a", *names[1:]], ["b"], **own),
            helper.make_node("Transpose", ["b"], results, perm=[0, 2, 3, 1]),
        ]

    return nodes


CONVOLVED: tuple[tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ("1-D 3", (1, 64, 512), (64, 64, 3), {"pads": [1, 1]}),
    ("1-D 1", (1, 128, 512), (256, 128, 1), {}),
    ("1-D 10/5", (1, 1, 16000), (64, 1, 10), {"strides": [5]}),
    ("1-D 7 dilated 4", (1, 64, 512), (64, 64, 7), {"pads": [12, 12], "dilations": [4]}),
    ("1-D depthwise 31", (1, 128, 512), (128, 1, 31), {"pads": [15, 15], "group": 128}),
    ("1x1", (1, 64, 56, 56), (64, 64, 1, 1), {}),
    ("1x1 wide", (1, 512, 14, 14), (512, 512, 1, 1), {}),
    ("1x1 batch", (8, 64, 14, 14), (128, 64, 1, 1), {}),
    ("1x1/2", (1, 64, 56, 56), (128, 64, 1, 1), {"strides": [2, 2]}),
    ("3x3", (1, 64, 28, 28), (64, 64, 3, 3), {"pads": [1] * 4}),
    ("3x3/2", (1, 64, 56, 56), (64, 64, 3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    ("3x3 dilated", (1, 64, 28, 28), (64, 64, 3, 3), {"pads": [2] * 4, "dilations": [2, 2]}),
    ("3x3 first", (1, 3, 224, 224), (16, 3, 3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    ("3x3 to one", (1, 32, 112, 112), (1, 32, 3, 3), {"pads": [1] * 4}),
    ("3x3 of one", (1, 1, 112, 112), (16, 1, 3, 3), {"pads": [1] * 4}),
    ("7x7 of pictures", (1, 3, 112, 112), (64, 3, 7, 7), {"pads": [3] * 4, "strides": [2, 2]}),
    ("16x16 patches", (1, 3, 224, 224), (192, 3, 16, 16), {"strides": [16, 16]}),
    ("1x7", (1, 64, 17, 17), (64, 64, 1, 7), {"pads": [0, 3, 0, 3]}),
    ("7x1", (1, 64, 17, 17), (64, 64, 7, 1), {"pads": [3, 0, 3, 0]}),
    ("4 groups", (1, 64, 28, 28), (64, 16, 3, 3), {"pads": [1] * 4, "group": 4}),
    ("32 groups", (1, 128, 28, 28), (128, 4, 3, 3), {"pads": [1] * 4, "group": 32}),
    ("depthwise 3x3", (1, 64, 56, 56), (64, 1, 3, 3), {"pads": [1] * 4, "group": 64}),
    ("depthwise 5x5/2", (1, 64, 56, 56), (64, 1, 5, 5), {"pads": [2] * 4, "group": 64, "strides": [2, 2]}),
    ("depthwise 7x7", (1, 96, 28, 28), (96, 1, 7, 7), {"pads": [3] * 4, "group": 96}),
    ("depthwise 13x13", (1, 64, 28, 28), (64, 1, 13, 13), {"pads": [6] * 4, "group": 64}),
    ("depthwise dilated", (1, 64, 28, 28), (64, 1, 3, 3), {"pads": [2] * 4, "group": 64, "dilations": [2, 2]}),
    ("depthwise times 2", (1, 32, 56, 56), (64, 1, 3, 3), {"pads": [1] * 4, "group": 32}),
    ("3-D 3", (1, 16, 8, 28, 28), (16, 16, 3, 3, 3), {"pads": [1] * 6}),
    ("3-D 1", (1, 32, 8, 28, 28), (32, 32, 1, 1, 1), {}),
    ("3-D 1x3x3", (1, 16, 8, 28, 28), (32, 16, 1, 3, 3), {"pads": [0, 1, 1, 0, 1, 1]}),
    ("3-D 3x1x1", (1, 16, 8, 28, 28), (32, 16, 3, 1, 1), {"pads": [1, 0, 0, 1, 0, 0]}),
    ("3-D depthwise", (1, 16, 8, 28, 28), (16, 1, 3, 3, 3), {"pads": [1] * 6, "group": 16}),
)  # fmt: skip


def weights_of(dtype: str, dims: tuple[int, ...]) -> Drawn:
    return Drawn(dtype, dims, lambda r, d: 0.1 * r.standard_normal(d), True)


def convolutions() -> Iterator[Case]:
    ms = "com.microsoft"
    for dtype in FLOATS:
        for what, x, w, own in CONVOLVED:
            given = [(dtype, x), weights_of(dtype, w)]
            yield Case(f"Conv {dtype} {what}", "Conv", given, [dtype], own)
            if dtype == "float32":
                yield Case(f"Conv {dtype} {what} bias", "Conv", [*given, weights_of(dtype, w[:1])], [dtype], own)
                yield Case(f"Conv {dtype} {what} run", "Conv", [(dtype, x), (dtype, w)], [dtype], own)
                if what in ("3x3", "1x1", "depthwise 3x3"):
                    for act in ("Relu", "Sigmoid", "Tanh"):
                        more = {**own, "activation": act}
                        yield Case(
                            f"FusedConv {what} {act}",
                            "FusedConv",
                            [*given, weights_of(dtype, w[:1])],
                            [dtype],
                            more,
                            ms,
                        )
                    nhwc = [(dtype, (x[0], *x[2:], x[1])), weights_of(dtype, (w[0], *w[2:], w[1]))]
                    yield Case(f"NhwcConv {what}", "NhwcConv", nhwc, [dtype], own, ms)
                    nodes = between_orders("Conv", own)
                    yield Case(f"Conv {what} of NHWC by Transpose", "Conv", [nhwc[0], given[1]], [dtype], nodes=nodes)
    for dtype in FLOATS:
        for what, x, w, own in (
            ("1-D 4/2", (1, 64, 256), (64, 32, 4), {"strides": [2], "pads": [1, 1]}),
            ("1-D 16/8", (1, 64, 128), (64, 32, 16), {"strides": [8], "pads": [4, 4]}),
            ("2x2/2", (1, 64, 28, 28), (64, 64, 2, 2), {"strides": [2, 2]}),
            ("4x4/2", (1, 64, 28, 28), (64, 32, 4, 4), {"strides": [2, 2], "pads": [1] * 4}),
            ("3x3/2", (1, 64, 28, 28), (64, 64, 3, 3), {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}),
            ("3x3", (1, 64, 28, 28), (64, 64, 3, 3), {"pads": [1] * 4}),
            ("depthwise 4x4/2", (1, 64, 28, 28), (64, 1, 4, 4), {"strides": [2, 2], "pads": [1] * 4, "group": 64}),
            ("4 groups", (1, 64, 28, 28), (64, 16, 4, 4), {"strides": [2, 2], "pads": [1] * 4, "group": 4}),
            ("3-D 2/2", (1, 16, 8, 14, 14), (16, 16, 2, 2, 2), {"strides": [2, 2, 2]}),
        ):
            yield Case(
                f"ConvTranspose {dtype} {what}", "ConvTranspose", [(dtype, x), weights_of(dtype, w)], [dtype], own
            )
    for dtype in FLOATS:
        for groups, offsets in ((1, 1), (1, 4), (4, 1)):
            places = uniform(dtype, (1, 18 * offsets, 28, 28), -2, 2)
            given = [(dtype, (1, 64, 28, 28)), weights_of(dtype, (64, 64 // groups, 3, 3)), places]
            own = {"pads": [1] * 4, "group": groups, "offset_group": offsets}
            yield Case(f"DeformConv {dtype} groups {groups} {offsets}", "DeformConv", given, [dtype], own)
        mask = [*given, constant(dtype, [0.0] * 64), (dtype, (1, 9, 28, 28))]
        yield Case(f"DeformConv {dtype} mask", "DeformConv", mask, [dtype], own)
    for act in ("none", "silu"):
        given = [
            ("float32", (2, 128, 256)),
            weights_of("float32", (128, 1, 4)),
            weights_of("float32", (128,)),
            ("float32", (2, 128, 3)),
        ]
        yield Case(f"CausalConvWithState {act}", "CausalConvWithState", given, ["float32"] * 2, {"activation": act})
    for dtype in FLOATS:
        for block, dims in (([3, 3], (2, 144, 900)), ([2, 2], (2, 64, 961))):
            given = [(dtype, dims), numbers(32, 32), numbers(*block)]
            yield Case(f"Col2Im {dtype} {block[0]}", "Col2Im", given, [dtype])


RESIZED = {  # dims and scales
    "NCHW": ((1, 16, 64, 64), (1, 1, 2, 2)),
    "NCHW 3 channels down": ((1, 3, 480, 640), (1, 1, 0.5, 0.5)),
    "NCHW uneven": ((1, 16, 64, 64), (1, 1, 1.7, 1.3)),
    "NHWC": ((1, 64, 64, 16), (1, 2, 2, 1)),
    "NHWC 3 channels down": ((1, 480, 640, 3), (1, 0.5, 0.5, 1)),
    "HWC": ((240, 320, 3), (0.7, 0.7, 1)),
    "HW": ((256, 256), (2, 2)),
    "CHW": ((3, 256, 256), (1, 0.5, 0.5)),
    "NCW": ((1, 64, 512), (1, 1, 2)),
    "NWC": ((1, 512, 64), (1, 2, 1)),
    "W": ((65536,), (2,)),
    "NCDHW": ((1, 8, 16, 32, 32), (1, 1, 2, 2, 2)),
    "rows only": ((1, 16, 64, 64), (1, 1, 2, 1)),
    "columns only": ((1, 16, 64, 64), (1, 1, 1, 2)),
}


def thumbnails() -> Iterator[Case]:
    """A photograph or a frame of a video made small, as before a classifier."""
    for what, dims in (("HWC", (1080, 1920, 3)), ("NHWC", (1, 720, 1280, 3)), ("NCHW", (1, 3, 1080, 1920))):
        for side in (224, 64):
            sizes = [side if d > 3 else d for d in dims]
            for dtype in ("uint8", "float32"):
                for mode, antialias in (("nearest", 0), ("linear", 0), ("linear", 1), ("cubic", 0), ("cubic", 1)):
                    own: dict[str, Any] = {"mode": mode} | ({"antialias": 1} if antialias else {})
                    name = f"Resize {dtype} {mode} thumbnail {what} {side}{' antialias' if antialias else ''}"
                    yield Case(name, "Resize", [(dtype, dims), None, None, numbers(*sizes)], [dtype], own)


def resizes() -> Iterator[Case]:
    for mode in ("nearest", "linear", "cubic"):
        for what, (dims, scales) in RESIZED.items():
            axes = sum(s != 1 for s in scales)
            for dtype in ("float32", "uint8", "float16", "float64", "int32", "int8"):
                if dtype in ("float16", "float64", "int32", "int8") and what not in ("NCHW", "NHWC"):
                    continue
                for antialias in (0, 1) if mode != "nearest" and dtype in ("float32", "uint8") else (0,):
                    own: dict[str, Any] = {"mode": mode} | ({"antialias": 1} if antialias else {})
                    name = f"Resize {dtype} {mode} {what}{' antialias' if antialias else ''}"
                    if mode == "cubic" and axes != 2:
                        continue
                    yield Case(name, "Resize", [(dtype, dims), None, constant("float32", scales)], [dtype], own)
    for how in (
        "half_pixel",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "half_pixel_symmetric",
        "tf_crop_and_resize",
    ):
        for mode in ("nearest", "linear"):
            own = {"mode": mode, "coordinate_transformation_mode": how}
            region = constant("float32", [0, 0, 0.1, 0.1, 1, 1, 0.9, 0.9]) if how == "tf_crop_and_resize" else None
            given = [("float32", (1, 16, 64, 64)), region, None, numbers(1, 16, 100, 150)]
            yield Case(f"Resize float32 {mode} {how}", "Resize", given, ["float32"], own)
    for nearest in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
        given = [("float32", (1, 16, 64, 64)), None, constant("float32", [1, 1, 1.5, 1.5])]
        yield Case(
            f"Resize float32 nearest {nearest}",
            "Resize",
            given,
            ["float32"],
            {"mode": "nearest", "nearest_mode": nearest},
        )
    yield from thumbnails()
    for mode in ("nearest", "linear"):
        given = [("float32", (1, 16, 64, 64)), constant("float32", [1, 1, 2, 2])]
        yield Case(f"Upsample float32 {mode}", "Upsample", given, ["float32"], {"mode": mode}, opset=9)


def boxes_of(count: int) -> Drawn:
    def draw(r: Any, d: tuple[int, ...]) -> Any:
        import numpy as np

        corner = r.uniform(0, 100, (*d[:-1], 2))
        return np.concatenate([corner, corner + r.uniform(5, 60, (*d[:-1], 2))], -1)

    return Drawn("float32", (1, count, 4), draw)


def sampling() -> Iterator[Case]:
    for dtype in ("float32", "float64", "float16"):
        for mode in ("linear", "nearest", "cubic"):
            for padding in ("zeros", "border", "reflection"):
                for dims in ((1, 16, 64, 64), (1, 4, 16, 32, 32)):
                    if (dtype != "float32" and (padding != "zeros" or len(dims) == 5)) or (
                        mode == "cubic" and len(dims) == 5
                    ):
                        continue
                    grid = uniform(dtype, (1, *dims[2:], len(dims) - 2), -1.1, 1.1)
                    name = f"GridSample {dtype} {mode} {padding} {dims_text(dims)}"
                    own = {"mode": mode, "padding_mode": padding}
                    yield Case(name, "GridSample", [(dtype, dims), grid], [dtype], own)
    for dtype in ("float32", "float64"):
        for size in ((1, 3, 128, 128), (1, 3, 16, 32, 32)):
            theta = (dtype, (1, len(size) - 2, len(size) - 1))
            for corners in (0, 1):
                name = f"AffineGrid {dtype} {dims_text(size)} {corners}"
                yield Case(name, "AffineGrid", [theta, numbers(*size)], [dtype], {"align_corners": corners}, fixed=True)
    for mode in ("avg", "max"):
        for dtype in ("float32", "float64", "float16"):
            for ratio in (0, 2):
                rois = Drawn(dtype, (64, 4), lambda r, d: boxes_of(64).draw(r, (64, 4)))
                which = Drawn("int64", (64,), lambda r, d: [0])
                roi: dict[str, Any] = {
                    "mode": mode,
                    "output_height": 7,
                    "output_width": 7,
                    "sampling_ratio": ratio,
                    "spatial_scale": 0.25,
                }
                given = [(dtype, (1, 64, 50, 50)), rois, which]
                yield Case(f"RoiAlign {dtype} {mode} ratio {ratio}", "RoiAlign", given, [dtype], roi)
    rois = Drawn("float32", (64, 5), lambda r, d: [[0, *box] for box in boxes_of(64).draw(r, (64, 4)).astype(int)])
    max_roi = {"pooled_shape": [7, 7], "spatial_scale": 0.25}
    yield Case("MaxRoiPool float32", "MaxRoiPool", [("float32", (1, 64, 50, 50)), rois], ["float32"], max_roi)
    for count, classes in ((100, 1), (1000, 1), (1000, 20), (5000, 4)):
        scores = uniform("float32", (1, classes, count), 0, 1)
        limits = [constant("int64", 100), constant("float32", 0.5), constant("float32", 0.3)]
        for center in (0, 1):
            name = f"NonMaxSuppression {count} boxes {classes} classes{' center' if center else ''}"
            yield Case(
                name, "NonMaxSuppression", [boxes_of(count), scores, *limits], ["int64"], {"center_point_box": center}
            )
    for n in (3, 16, 64):
        for dtype in ("float32", "float64"):
            yield Case(f"Det {dtype} {n}", "Det", [(dtype, (16, n, n))], [dtype])


FAMILIES = {"pools": pools, "convolutions": convolutions, "resize": resizes, "sampling": sampling}
