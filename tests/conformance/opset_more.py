# SPDX-License-Identifier: Apache-2.0
"""Rows of opset_table.py's kind for detectors, signals, losses, images and grids."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from opset_cases import Array, Case
from opset_inputs import f, grid, i, s


def rows() -> Iterator[Case]:
    yield from detection()
    yield from losses()
    yield from signals()
    yield from images()
    yield from movers()


def boxes(batches: int, count: int) -> Array:
    corner = np.abs(f(batches, count, 2)) * 3
    return np.concatenate([corner, corner + np.abs(f(batches, count, 2, seed=1)) + 0.5], axis=-1).astype(np.float32)


def detection() -> Iterator[Case]:
    scores = np.random.default_rng(5).permutation(2 * 3 * 9).reshape(2, 3, 9).astype(np.float32) / 54
    for at, most, iou, least in itertools.product(
        grid(center_point_box=(None, 0, 1)), (None, 0, 2, 100), (None, 0.4), (None, 0.3)
    ):
        bounds = [
            None if v is None else i(v, dtype=t) for v, t in ((most, np.int64), (iou, np.float32), (least, np.float32))
        ]
        yield Case("NonMaxSuppression", [boxes(2, 9), scores], bounds, attributes=at, since=10)
    x, regions, batch = f(2, 3, 7, 8), np.abs(f(5, 4)).astype(np.float32), i(0, 1, 1, 0, 1)
    regions[:, 2:] += regions[:, :2] + 0.5
    for at in grid(mode=(None, "avg", "max"), sampling_ratio=(None, 0, 2), spatial_scale=(None, 0.5)):
        more = {"output_height": 3, "output_width": 2} if at["mode"] != "max" else {}
        yield Case("RoiAlign", [x, regions, batch], attributes={**at, **more}, since=10, until=15, tolerance=1e-5)
        for mode in (None, "half_pixel", "output_half_pixel"):
            both = {**at, **more, "coordinate_transformation_mode": mode}
            yield Case("RoiAlign", [x, regions, batch], attributes=both, since=16, tolerance=1e-5)
    pooled = np.concatenate([batch[:, None].astype(np.float32), np.round(regions)], axis=1)
    for scale in (None, 0.5):
        yield Case("MaxRoiPool", [x, pooled], attributes={"pooled_shape": [2, 3], "spatial_scale": scale})
    image = f(2, 4, 6, 7)
    for group, offsets in ((None, None), (1, 2), (2, 1), (2, 2)):
        for at in grid(strides=(None, [2, 1]), dilations=(None, [1, 2]), pads=(None, [1, 0, 1, 2])):
            kernel = (2, 3)
            d, p, t = at["dilations"] or [1, 1], at["pads"] or [0, 0, 0, 0], at["strides"] or [1, 1]
            out = [(image.shape[2 + k] + p[k] + p[2 + k] - (kernel[k] - 1) * d[k] - 1) // t[k] + 1 for k in range(2)]
            count = (offsets or 1) * 6
            weights, offset = f(4, 4 // (group or 1), *kernel, seed=1), f(2, 2 * count, *out, seed=2) / 2
            named = {**at, "group": group, "offset_group": offsets, "kernel_shape": None if group is None else [2, 3]}
            yield Case("DeformConv", [image, weights, offset], attributes=named, since=19, tolerance=1e-5)
            rest = [f(4, seed=3), np.abs(f(2, count, *out, seed=4))]
            yield Case("DeformConv", [image, weights, offset], rest, attributes=named, since=19, tolerance=1e-5)


def losses() -> Iterator[Case]:
    for dims in ((3, 5), (3, 5, 2), (2, 5, 3, 2)):
        x = f(*dims)
        target = np.random.default_rng(3).integers(0, 5, (dims[0], *dims[2:]))
        for at in grid(reduction=(None, "none", "sum", "mean"), ignore_index=(None, 2)):
            for weights in ([], [np.abs(f(5, seed=1)) + 0.25]):
                for operator, outputs in (("NegativeLogLikelihoodLoss", 1), ("SoftmaxCrossEntropyLoss", 2)):
                    every = [x, target, *[w.astype(np.float32) for w in weights]]
                    yield Case(operator, every, attributes=at, outputs=outputs, since=12, tolerance=1e-5)


def signals() -> Iterator[Case]:
    for dims in ((3, 4, 4), (2, 3, 3), (0, 2, 2)):
        yield Case("Det", [f(*dims)], tolerance=1e-5)
    x, z = f(2, 12, 3, 1), f(2, 7, 3, 2)
    for at in grid(axis=(None, 1, 2, -2), inverse=(None, 0, 1), onesided=(None, 0, 1)):
        for length in ([], [i(8)[0]], [i(15)[0]]):
            if at["inverse"] and at["onesided"]:
                continue  # irfft: the onnx package's own cases
            real = [x] if not at["inverse"] else []
            for signal in (*real, *([z] if not at["onesided"] else [])):
                more = [np.array(v, np.int64) for v in length]
                yield Case("DFT", [signal], more, attributes=at, since=17, until=19, tolerance=1e-5)
                named = {k: v for k, v in at.items() if k != "axis"}
                axis = [] if at["axis"] is None else [np.array(at["axis"], np.int64)]
                none: list[Any] = [None] * bool(axis)
                constants: list[Any] = [*(more or none), *axis]
                yield Case("DFT", [signal], constants, attributes=named, since=20, tolerance=1e-5)
    wave = f(2, 40, 1)
    for at in grid(onesided=(None, 0, 1)):
        step, size = np.array(5, np.int64), np.array(12, np.int64)
        yield Case("STFT", [wave], [step, f(12, seed=1)], attributes=at, since=17, tolerance=1e-5)
        yield Case("STFT", [wave], [step, None, size], attributes=at, since=17, tolerance=1e-5)
        yield Case("STFT", [wave], [step, f(12, seed=1), size], attributes=at, since=17, tolerance=1e-5)
    for window in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for at in grid(periodic=(None, 0, 1), output_datatype=(None, 1, 11)):
            for points in (2, 3, 10, 37):
                yield Case(window, [np.array(points, np.int64)], attributes=at, since=17, tolerance=1e-5)
    for kind in (None, 1, 11):
        sizes = [np.array(v, np.int64) for v in (8, 64, 8192)]
        edges = [s(100.0), s(4000.0)]
        at = {"output_datatype": kind}
        yield Case("MelWeightMatrix", [*sizes, *edges], attributes=at, since=17, tolerance=1e-5)
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        for at in grid(exclusive=(None, 0, 1), reverse=(None, 0, 1)):
            for along in (0, 1, -1):
                y = f(3, 4).astype(dtype)
                yield Case("CumProd", [y], [np.array(along, np.int64)], attributes=at, since=26, tolerance=1e-5)


def images() -> Iterator[Case]:
    x = f(6, 7, 3)
    for axes, target in ((None, (4, 9, 3)), (None, (9, 2, 3)), ([0, 1], (3, 10)), ([-2, -1], (1, 8)), ([1], (0,))):
        yield Case("CenterCropPad", [x], [i(*target)], attributes={"axes": axes}, since=18)
    for at in grid(dilations=(None, [1, 2]), pads=(None, [1, 0, 0, 2]), strides=(None, [2, 1])):
        image, block = (6, 7), (2, 3)
        d, p, t = at["dilations"] or [1, 1], at["pads"] or [0, 0, 0, 0], at["strides"] or [1, 1]
        places = [(image[k] + p[k] + p[2 + k] - (block[k] - 1) * d[k] - 1) // t[k] + 1 for k in range(2)]
        columns = f(2, 3 * 6, places[0] * places[1])
        yield Case("Col2Im", [columns], [i(*image), i(*block)], attributes=at, since=18, tolerance=1e-5)
    for corners in (None, 0, 1):
        at = {"align_corners": corners}
        yield Case("AffineGrid", [f(2, 2, 3)], [i(2, 3, 4, 5)], attributes=at, since=20, tolerance=1e-5)
        yield Case("AffineGrid", [f(2, 3, 4)], [i(2, 3, 4, 5, 2)], attributes=at, since=20, tolerance=1e-5)
    for at in grid(strides=([2, 2], [2, 3]), pads=(None, [0, 0, 0, 0])):
        pooled, indices = f(1, 2, 2, 3), np.arange(12).reshape(1, 2, 2, 3) * 3 + 1
        yield Case("MaxUnpool", [pooled, indices], attributes={**at, "kernel_shape": [2, 2]}, since=9)
    yield Case(
        "MaxUnpool", [pooled, indices], [i(1, 2, 7, 9)], attributes={"kernel_shape": [2, 2], "strides": [2, 2]}, since=9
    )
    for name in ("linear", "cubic"):
        for antialias, exclude in itertools.product((0, 1), (None, 1)):
            named = {"mode": name, "antialias": antialias, "exclude_outside": exclude}
            for scale in (0.5, 0.75, 1.5):
                scales = i(1, 1, scale, scale, dtype=np.float32)
                # onnx.reference alone: ONNX Runtime leaves out what lies outside without being asked.
                at = {**named, "coordinate_transformation_mode": "half_pixel"}
                yield Case("Resize", [f(1, 2, 8, 12)], [None, scales], attributes=at, since=18, tolerance=1e-5)


def movers() -> Iterator[Case]:
    for batch, time in ((None, None), (1, 0), (0, 1)):
        x, at = f(4, 3, 2), {"batch_axis": batch, "time_axis": time}
        lengths = i(1, 3, 2) if batch == 0 else i(4, 1, 2)
        if batch == 0:
            lengths = i(1, 3, 2, 3)
        yield Case("ReverseSequence", [x, lengths], attributes=at, since=10)
    yield Case("BitCast", [f(3, 4)], attributes={"to": 6}, since=26)
    yield Case("BitCast", [f(3, 4, dtype=np.float64)], attributes={"to": 7}, since=26)
    for mode in (None, "DCR", "CRD"):
        yield Case("SpaceToDepth", [f(1, 2, 4, 6)], attributes={"blocksize": 2, "mode": mode}, since=28 if mode else 1)


MORE: tuple[Case, ...] = tuple(rows())
