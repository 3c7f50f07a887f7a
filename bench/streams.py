# SPDX-License-Identifier: Apache-2.0
"""Streams of distinct input shapes, as applications meet them: one model, a size that changes from call to call.

growing: each shape larger than all before it (the worst case for memory); mixed: the same shapes shuffled. A stream
follows from its seed, which the driver draws; the process that is measured gets shapes only.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

Shape = tuple[int, ...]
ORDERS = ("growing", "mixed")


@dataclass(frozen=True)
class Family:
    """What sizes a model sees: `count` distinct shapes, drawn from steps of `step` between `low` and `high`."""

    count: int
    low: int
    high: int
    step: int
    what: str

    def sizes(self) -> range:
        return range(self.low, self.high + 1, self.step)


FAMILIES = {
    "det": Family(16, 320, 736, 32, "sides in multiples of 32, batch 1"),
    "rec": Family(24, 48, 960, 1, "widths at height 48, batch 1"),
    "cls": Family(12, 1, 12, 1, "batches of 48x192"),
    "yolo": Family(16, 192, 480, 32, "sides in multiples of 32, batch 1"),
}


def shapes(model: str, order: str, seed: int, count: int | None = None) -> list[Shape]:
    """Distinct shapes of `model` in the given order; the same seed gives the same set in both orders."""
    family = FAMILIES[model]
    draw = random.Random(f"{model}/{seed}")
    count = count or family.count
    plane: list[Shape]
    if model in ("det", "yolo"):
        plane = [(1, 3, h, w) for h in family.sizes() for w in family.sizes()]
    elif model == "rec":
        plane = [(1, 3, 48, w) for w in family.sizes()]
    else:
        plane = [(n, 3, 48, 192) for n in family.sizes()]
    chosen = draw.sample(plane, min(count, len(plane)))
    if order == "growing":
        chosen.sort(key=volume)
    return chosen


def warmup(model: str) -> Shape:
    """A shape outside every stream, for each engine's first call ever, which nobody's figures contain."""
    return {"det": (1, 3, 288, 288), "rec": (1, 3, 48, 40), "cls": (1, 3, 48, 160), "yolo": (1, 3, 160, 160)}[model]


def volume(shape: Shape) -> int:
    product = 1
    for dim in shape:
        product *= dim
    return product


def visits(count: int, later: int = 1) -> list[int]:
    """Order of calls over `count` >= 2 shapes, so that each is called first, and twice again, each time right after another
    one: 0 1 0 2 1 0 3 2 1 4 3 2 ...; each of `later` - 1 further passes goes through all of them in order.

    Twice, since the first time again is not yet the steady state of every engine: ONNX Runtime lays its memory out for a
    shape when it meets it again, and maps new memory for it.
    """
    order = [0, 1, 0]
    for index in range(2, count):
        order += [index, index - 1, index - 2]
    order += [count - 2, count - 1, 0, count - 1] if count > 2 else [1, 0, 1]
    return order + list(range(count)) * (later - 1)
