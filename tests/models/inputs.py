# SPDX-License-Identifier: Apache-2.0
"""Inputs of the four models: random valid shapes, noise, and drawn images prepared as the models' own users do."""

from __future__ import annotations

import random

import cv2
import numpy as np
from pictures import draw

Shape = tuple[int, int, int, int]
MODELS = ("det", "rec", "cls", "yolo")
KINDS = ("rendered", "noise")


def random_shape(model: str, draws: random.Random, batch: int | None = None) -> Shape:
    """A valid shape, batch 1 to 4; det and YOLO take sides in multiples of 32 only (so does ONNX Runtime)."""
    n = batch or draws.randint(1, 4)
    if model == "det":
        return n, 3, 32 * draws.randint(1, 14), 32 * draws.randint(1, 14)
    if model == "yolo":
        return n, 3, 32 * draws.randint(1, 13), 32 * draws.randint(1, 13)
    if model == "rec":
        return n, 3, 48, draws.randint(32, 700)
    return n, 3, draws.randint(33, 96), draws.randint(16, 300)  # below 33 rows its last pooling has no window


def noise(shape: Shape, draws: random.Random) -> np.ndarray:
    return np.random.default_rng(draws.randrange(2**32)).uniform(-1.0, 1.0, shape).astype(np.float32)


def rendered(model: str, shape: Shape, draws: random.Random) -> np.ndarray:
    """One drawn picture an image of the batch; rec and cls get a single line of text."""
    images = []
    for _ in range(shape[0]):
        pixels = draw(draws, "").pixels
        if model in ("rec", "cls"):
            pixels = first_line(pixels)
        pixels = cv2.resize(pixels, (shape[3], shape[2]), interpolation=cv2.INTER_AREA).astype(np.float32) / 255.0
        if model == "yolo":
            pixels = pixels[:, :, ::-1]
        else:
            pixels = (pixels - 0.5) / 0.5
        images.append(pixels.transpose(2, 0, 1))
    return np.ascontiguousarray(np.stack(images))


def first_line(pixels: np.ndarray) -> np.ndarray:
    """The topmost text line, cut out at its ink."""
    ink = pixels.min(axis=2) < 128
    rows = np.flatnonzero(ink.any(axis=1))
    breaks = np.flatnonzero(np.diff(rows) > 8)
    bottom = rows[breaks[0]] if breaks.size else rows[-1]
    columns = np.flatnonzero(ink[rows[0] : bottom + 1].any(axis=0))
    margin = 4
    return pixels[max(rows[0] - margin, 0) : bottom + margin, max(columns[0] - margin, 0) : columns[-1] + margin]


def make(kind: str, model: str, shape: Shape, draws: random.Random) -> np.ndarray:
    return rendered(model, shape, draws) if kind == "rendered" else noise(shape, draws)
