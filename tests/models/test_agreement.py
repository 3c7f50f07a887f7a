# SPDX-License-Identifier: Apache-2.0
"""Whole models against ONNX Runtime, at random valid shapes, on drawn images and on noise.

Each output, and each tensor before a last sigmoid or softmax, agrees per channel within 1e-4 of that channel's scale.
Where it does not, doubles decide: first the last operator alone in float64 on our logits (ONNX Runtime's sigmoid has an
absolute error, which is large beside a channel whose scores are all 1e-5), then the whole model in float64. From that
we may be no farther than the tolerance, or than ONNX Runtime is, or than 4 times what a perfect fp32 engine is (weights
half a unit off, each operator exact and rounded once to fp32; no engine is perfect inside its sums): a few inputs are that
ill-conditioned (a plane of 3 by 4 under layer norm; attention between nearly equal columns).
"""

from __future__ import annotations

import random
import zlib

import float64
import numpy as np
import pytest
from conftest import Pair
from inputs import KINDS, MODELS, make, random_shape

SHAPES = 40
QUICK = 16  # the long stage has the others: one that doubles decide takes a minute
TOLERANCE = 1e-4
CONDITION = 4  # a perfect engine rounds once per operator; a real one also inside its sums
CHANNEL_AXIS = {"det": 1, "rec": 2, "cls": 1, "yolo": 1}
SMALLEST = float(np.finfo(np.float32).tiny)  # below it fp32 has no relative precision left


def draws_of(seed: int, *what: object) -> random.Random:
    return random.Random(zlib.crc32(repr((seed, what)).encode()))


def scale(values: np.ndarray, axis: int) -> np.ndarray:
    others = tuple(i for i in range(values.ndim) if i != axis)
    most: np.ndarray = np.maximum(np.abs(values).max(axis=others, keepdims=True), SMALLEST / TOLERANCE)
    return most


def far(got: np.ndarray, reference: np.ndarray, axis: int) -> np.ndarray:
    """Deviation in units of the tolerance, per element; 1 is the most that is allowed. NaN is infinitely far."""
    deviation = np.abs(got.astype(np.float64) - reference) / (TOLERANCE * scale(reference, axis))
    return np.where(np.isnan(deviation), np.inf, deviation)


def exact_end(model: str, logits: list[np.ndarray], output: np.ndarray) -> np.ndarray:
    """The model's last sigmoid or softmax in float64 on given logits; NaN where it ends otherwise (YOLO's boxes)."""
    x = logits[0].astype(np.float64)
    if model in ("rec", "cls"):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        shares: np.ndarray = e / e.sum(axis=-1, keepdims=True)
        return shares
    sigmoid: np.ndarray = 1.0 / (1.0 + np.exp(-x))
    if model == "det":
        return sigmoid
    whole = np.full(output.shape, np.nan)
    whole[:, 4:] = sigmoid
    return whole


def check(model: str, pair: Pair, x: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    ours, theirs = pair.run(x)
    axis = CHANNEL_AXIS[model]
    decided: list[np.ndarray] = []
    for i, (name, got, reference) in enumerate(zip(pair.names, ours, theirs, strict=True)):
        assert got.dtype == reference.dtype and got.shape == reference.shape
        if got.size == 0:
            continue
        distance = far(got, reference, axis)
        if i == 0 and distance.max() > 1:
            distance = np.minimum(distance, far(got, exact_end(model, ours[1:], got), axis))
        if distance.max() <= 1:
            continue
        decided = decided or float64.evaluate(pair.model, pair.names, x)
        ours_off, theirs_off = far(got, decided[i], axis).max(), far(reference, decided[i], axis).max()
        # The largest of a few shakes says little of the largest that may be: more of them where it matters.
        condition = 0.0
        for seed in range(1, 9):
            shaken = float64.evaluate(pair.model, [name], x, shaken=seed)[0]
            condition = max(condition, far(shaken, decided[i], axis).max())
            if seed >= 3 and ours_off <= max(1.0, theirs_off, CONDITION * condition):
                break
        verdict = (
            f"{name}: {distance.max():.2f} tolerances from ONNX Runtime at {x.shape}; from float64 Anydim is "
            f"{ours_off:.2f} off, ONNX Runtime {theirs_off:.2f}, a perfect fp32 engine {condition:.2f}"
        )
        print(verdict)
        assert ours_off <= max(1.0, theirs_off, CONDITION * condition), verdict
    return ours, theirs


def check_argmax(ours: list[np.ndarray], theirs: list[np.ndarray]) -> None:
    """Equal classes; where they differ, ONNX Runtime's own logits of the two must be a tie within the tolerance."""
    mine, other = ours[0].argmax(axis=-1), theirs[0].argmax(axis=-1)
    if np.array_equal(mine, other):
        return
    logits = theirs[1].astype(np.float64)
    here = np.take_along_axis(logits, mine[..., None], -1)
    there = np.take_along_axis(logits, other[..., None], -1)
    assert np.abs(here - there).max() <= TOLERANCE * np.abs(logits).max(), "argmax differs beyond a tie"


def boxes(output: np.ndarray, scores: np.ndarray, threshold: float) -> list[tuple[int, int]]:
    """YOLO's (anchor, class) pairs that non-maximum suppression keeps; output is [22, anchors], scores the
    [18, anchors] that decide the order."""
    classes = scores.argmax(axis=0)
    scores = scores.max(axis=0)
    x, y, w, h = output[:4]
    left, right, top, bottom = x - w / 2, x + w / 2, y - h / 2, y + h / 2
    kept: list[int] = []
    for i in sorted(np.flatnonzero(scores > threshold), key=lambda i: -scores[i]):
        for j in kept:
            wide = min(right[i], right[j]) - max(left[i], left[j])
            high = min(bottom[i], bottom[j]) - max(top[i], top[j])
            common = max(wide, 0.0) * max(high, 0.0)
            if common > 0.45 * (w[i] * h[i] + w[j] * h[j] - common):
                break
        else:
            kept.append(int(i))
    return [(i, int(classes[i])) for i in kept]


def check_boxes(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Equal boxes after suppression. The threshold sits in the widest gap among the hundred best scores: on drawn
    images nothing reaches the detector's usual 0.25, and no score may lie on the edge."""
    for mine, other in zip(ours, theirs, strict=True):
        best = np.sort(other[4:].max(axis=0))[::-1][:100]
        gaps = best[:-1] / best[1:]
        cut = int(gaps[4:].argmax()) + 4 if gaps.size > 4 else gaps.size - 1
        threshold = float(np.sqrt(best[cut] * best[cut + 1]))
        got, expected = boxes(mine, mine[4:], threshold), boxes(other, other[4:], threshold)
        if sorted(got) != sorted(expected):
            # Of two anchors whose scores tie within the tolerance either may come first: then by ONNX Runtime's order.
            got = boxes(mine, other[4:], threshold)
        assert sorted(got) == sorted(expected)
        anchors = [i for i, _ in expected]
        assert np.allclose(mine[:4, anchors], other[:4, anchors], rtol=0, atol=0.01)  # pixels


@pytest.mark.parametrize("index", [i if i < QUICK else pytest.param(i, marks=pytest.mark.long) for i in range(SHAPES)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_outputs_agree_with_onnxruntime(model: str, kind: str, index: int, seed: int, pairs: dict[str, Pair]) -> None:
    draws = draws_of(seed, model, index)
    shape = random_shape(model, draws)
    x = make(kind, model, shape, draws)
    ours, theirs = check(model, pairs[model], x)
    if model in ("rec", "cls"):
        check_argmax(ours, theirs)
    if model == "yolo":
        check_boxes(ours[0], theirs[0])


def test_the_check_notices_a_small_error(pairs: dict[str, Pair], seed: int) -> None:
    """A control: outputs that are off by a little more than allowed are far, and boxes that moved are noticed."""
    draws = draws_of(seed, "control")
    _, theirs = pairs["yolo"].run(make("noise", "yolo", (1, 3, 96, 128), draws))
    moved = theirs[0].copy()
    moved[:, 2] *= 1 + 2 * TOLERANCE
    assert far(moved, theirs[0], 1).max() > 1
    moved[:, 0] += 1.0
    with pytest.raises(AssertionError):
        check_boxes(moved, theirs[0])
