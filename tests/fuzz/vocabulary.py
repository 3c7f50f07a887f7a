# SPDX-License-Identifier: Apache-2.0
"""The table of the operators that the fuzz can draw, and what their drawing has in common. Files operators_*.py fill it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from growing import Dim, Growing, Shape, Value

Draw = Callable[[Growing, str], None]
TABLE: dict[str, Draw] = {}


def draws(*names: str) -> Callable[[Draw], Draw]:
    def add(draw: Draw) -> Draw:
        for name in names:
            TABLE[name] = draw
        return draw

    return add


def some(g: Growing, chance: float = 0.5) -> bool:
    return g.random.random() < chance


def replaced(shape: Shape, axis: int, dim: Dim) -> Shape:
    return (*shape[:axis], dim, *shape[axis + 1 :])


def signed_axis(g: Growing, axis: int, rank: int, negative_since: int = 11) -> int:
    """The axis, or the same one from the end where the opset allows that."""
    return axis - rank if g.opset >= negative_since and some(g, 0.4) else axis


def without_zero(v: Value) -> bool:
    return all(min(d) > 0 for d in v.shape)


def attributes(g: Growing, **chances: tuple[float, Any]) -> dict[str, Any]:
    """Each with its chance to be there."""
    return {name: value for name, (chance, value) in chances.items() if some(g, chance)}


def product(g: Growing, dims: Shape) -> Dim:
    return g.all_runs(lambda run: int(np.prod([d[run] for d in dims], dtype=np.int64)))
