# SPDX-License-Identifier: Apache-2.0
"""P3 on whole models: no shape within the bounds needs more than bytes_needed said, its interior included, and a
session with bounds never grows.
"""

from __future__ import annotations

import random
from pathlib import Path

import anydim
import numpy as np
import pytest
from anydim import _capi

SHAPES = 500
RUNS = 20
# Per model: lowest and highest dims.
RANGES = {
    "det": ((1, 3, 32, 32), (2, 3, 736, 736)),
    "rec": ((1, 3, 48, 8), (4, 3, 48, 1200)),
    "cls": ((1, 3, 48, 192), (12, 3, 48, 192)),
    "yolo": ((1, 3, 32, 32), (2, 3, 480, 480)),
}


def within(model: str, draws: random.Random) -> tuple[int, ...]:
    low, high = RANGES[model]
    step = 32 if model in ("det", "yolo") else 1
    dims = [draws.randint(a, b) for a, b in zip(low, high, strict=True)]
    for axis in (2, 3):
        dims[axis] = max(low[axis], dims[axis] // step * step)
    return tuple(dims)


def dims_between(low: tuple[int, ...], high: tuple[int, ...]) -> list[tuple[int, int, int, int, int]]:
    return [_capi.dim_fixed(a) if a == b else _capi.dim_dynamic(a, b) for a, b in zip(low, high, strict=True)]


@pytest.mark.parametrize("model", RANGES)
def test_no_interior_shape_needs_more_than_the_bounds_say(model: str, seed: int, folder: Path) -> None:
    engine = _capi.engine_create(1, 0)
    loaded = _capi.model_load_file(engine, str(folder / f"{model}.onnx"))
    name = _capi.model_get_input(loaded, 0)["name"]

    def needed(low: tuple[int, ...], high: tuple[int, ...]) -> int:
        bounds = _capi.bounds_create()
        _capi.bounds_set(bounds, name, dims_between(low, high))
        return _capi.model_get_bytes_needed(loaded, bounds, None, 0)

    low, high = RANGES[model]
    most = needed(low, high)
    assert most > 0
    draws = random.Random(f"{seed}/{model}")
    sizes = {shape: needed(shape, shape) for shape in (within(model, draws) for _ in range(SHAPES))}
    over = {shape: size for shape, size in sizes.items() if size > most}
    assert not over, f"bytes_needed says {most}, but shapes inside need more: {over}"


@pytest.mark.parametrize("model", RANGES)
def test_a_session_with_bounds_never_grows(model: str, seed: int, folder: Path) -> None:
    low, high = RANGES[model]
    bounds = tuple(a if a == b else (a, b) for a, b in zip(low, high, strict=True))
    path = str(folder / f"{model}.onnx")
    name = anydim.InferenceSession(path).get_inputs()[0].name
    bounded = anydim.InferenceSession(path, bounds={name: bounds})
    free = anydim.InferenceSession(path)
    draws = random.Random(f"{seed}/{model}/runs")
    for _ in range(RUNS):
        x = np.random.default_rng(draws.randrange(2**32)).uniform(-1, 1, within(model, draws)).astype(np.float32)
        got = bounded.run(None, {name: x})
        expected = free.run(None, {name: x})
        assert all(a.tobytes() == b.tobytes() for a, b in zip(got, expected, strict=True))
    assert bounded.growths == 0
