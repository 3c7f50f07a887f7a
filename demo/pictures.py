# SPDX-License-Identifier: Apache-2.0
"""Draws images with text, so that the words in them are known. Sizes, words and places follow from a seed.

Each picture holds a few lines, one word a line, in DejaVu Sans of different heights, on light ground with faint noise.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
# Words whose letters look like no others': a capital I beside a small l would test the font, not the engine.
WORDS = (
    "AMBER", "BRIDGE", "CANDLE", "DESERT", "ENGINE", "FOREST", "GARDEN", "HARBOUR", "JOURNEY", "KERNEL",
    "LANTERN", "MEADOW", "NUMBER", "ORCHARD", "PLANET", "QUARTER", "RAINBOW", "SUMMER", "THUNDER", "UMBRELLA",
    "VELVET", "WEATHER", "YESTERDAY", "ZEPHYR", "MARKET", "PEPPER", "SHADOW", "TENSOR", "WINTER", "NORTHERN",
)  # fmt: skip


@dataclass(frozen=True)
class Picture:
    name: str
    pixels: np.ndarray  # height x width x 3, BGR as OpenCV has it
    words: tuple[str, ...]  # top to bottom


def draw(draws: random.Random, name: str) -> Picture:
    words = draws.sample(WORDS, draws.randint(2, 5))
    heights = [draws.randint(30, 72) for _ in words]
    fonts = [ImageFont.truetype(str(FONT), height) for height in heights]
    boxes = [font.getbbox(word) for font, word in zip(fonts, words, strict=True)]
    margin = draws.randint(30, 60)
    width = max(int(box[2]) for box in boxes) + 2 * margin + draws.randint(0, 240)
    height = sum(int(box[3]) for box in boxes) + margin * (len(words) + 1)
    ground = tuple(draws.randint(225, 255) for _ in range(3))
    image = Image.new("RGB", (width, height), ground)
    pen = ImageDraw.Draw(image)
    top = margin
    for word, font, box in zip(words, fonts, boxes, strict=True):
        left = draws.randint(margin, width - margin - int(box[2]))
        ink = tuple(draws.randint(0, 70) for _ in range(3))
        pen.text((left, top), word, font=font, fill=ink)
        top += int(box[3]) + margin
    noise = np.random.default_rng(draws.randrange(2**32)).normal(0.0, 3.0, (image.height, image.width, 3))
    pixels = np.clip(np.asarray(image, dtype=np.float32) + noise, 0, 255).astype(np.uint8)
    return Picture(name, np.ascontiguousarray(pixels[:, :, ::-1]), tuple(words))


def album(seed: int, count: int) -> list[Picture]:
    """`count` pictures, no two of the same size."""
    draws = random.Random(seed)
    pictures: list[Picture] = []
    sizes: set[tuple[int, ...]] = set()
    while len(pictures) < count:
        picture = draw(draws, f"picture-{len(pictures) + 1}")
        if picture.pixels.shape not in sizes:
            sizes.add(picture.pixels.shape)
            pictures.append(picture)
    return pictures
