# SPDX-License-Identifier: Apache-2.0
"""Memory orders at the edges of whole models: whatever is asked of inputs and outputs, and in whatever strides an input
then comes, the bits are the same; outputs lie as asked.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest

# Small planes: ten sessions of each model.
PLANES = {"rec": (48, 32, 60), "cls": (48, 64, 120), "det": (32, 32, 96), "yolo": (32, 32, 96)}


def stored(x: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """The same elements, with axes in memory in this order."""
    return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))


def odd_strides(x: np.ndarray) -> np.ndarray:
    """The same elements: backwards along H, and with a gap behind each pixel."""
    wide = np.full((*x.shape[:3], 2 * x.shape[3]), np.nan, x.dtype)
    view = wide[:, :, ::-1, ::2]
    view[:] = x
    return view


@pytest.mark.parametrize("model", PLANES)
def test_no_layout_changes_the_bits(model: str, seed: int, folder: Path) -> None:
    draws = random.Random(f"{seed}/{model}")
    height, low, high = PLANES[model]
    width = draws.randrange(low, high + 1, 32 if model in ("det", "yolo") else 1)
    x = np.random.default_rng(seed).uniform(-1, 1, (draws.randint(1, 3), 3, height, width)).astype(np.float32)
    path = folder / f"{model}.onnx"
    plain = anydim.InferenceSession(path)
    (source,), outputs = plain.get_inputs(), plain.get_outputs()
    expected = plain.run(None, {source.name: x})

    def permutation(rank: int) -> tuple[int, ...]:
        return tuple(draws.sample(range(rank), rank))

    wishes: list[dict[str, Any]] = [
        {source.name: "channels_last"},
        {source.name: "fastest", **{y.name: "fastest" for y in outputs}},
        {source.name: "channels_last", **{y.name: "follow" for y in outputs}},
    ]
    for _ in range(5):
        wishes.append({source.name: permutation(4), **{y.name: permutation(len(y.shape)) for y in outputs}})
    for layouts in wishes:
        session = anydim.InferenceSession(path, layouts=layouts, threads=draws.randint(1, 2))
        (taken,) = session.get_inputs()
        asked = layouts[source.name]
        assert asked == "fastest" or taken.order == {"channels_last": (0, 2, 3, 1)}.get(str(asked), asked)
        for way, image in (("as asked", stored(x, taken.order)), ("row-major", x), ("odd strides", odd_strides(x))):
            results = session.run(None, {source.name: image})
            for want, got, y in zip(expected, results, session.get_outputs(), strict=True):
                told = f"{model} {x.shape} {layouts}, input {way}, output {y.name!r}"
                assert np.array_equal(want.view(np.uint32), np.ascontiguousarray(got).view(np.uint32)), told
                wanted = layouts.get(y.name)
                if isinstance(wanted, tuple):
                    assert y.order == wanted, told
                elif wanted == "follow":
                    assert len(y.order) != 4 or y.order == taken.order, told
                assert got.transpose(y.order).flags.c_contiguous, told
