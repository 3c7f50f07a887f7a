# SPDX-License-Identifier: Apache-2.0
"""Damaged models and wrong arguments through Python: an exception of Anydim's that names what is wrong, never a crash.

The sanitizer runs of the same damage in C are tests/fuzz; here the Python layer is in between. Damaged models are
loaded in child processes, so that a crash is a failure of its case.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest

# Loads each damaged copy of a model; argv: path, kind, first, step or count, seed. Prints what became of them.
PROGRAM = """
import sys, random, numpy as np, anydim
data = open(sys.argv[1], "rb").read()
kind, first, number, seed = sys.argv[2], *map(int, sys.argv[3:6])
refused = ran = 0
def attempt(damaged):
    global refused, ran
    try:
        session = anydim.InferenceSession(damaged)
        feeds = {}
        for value in session.get_inputs():
            dims = [d if isinstance(d, int) and 0 <= d < 512 else s for d, s in zip(value.shape, (1, 3, 48, 64))]
            feeds[value.name] = np.zeros(dims, np.float32)
        session.run(None, feeds)
        ran += 1
    except anydim.Error as failure:
        assert str(failure).strip(), "an error without a message"
        refused += 1
if kind == "prefixes":
    for size in range(first, len(data), number):
        attempt(data[:size])
else:
    draws = random.Random(seed)
    for _ in range(number):
        damaged = bytearray(data)
        at = draws.randrange(len(data))
        damaged[at] ^= 1 << draws.randrange(8)
        attempt(bytes(damaged))
print(refused, ran)
"""


def damage(path: Path, kind: str, first: int, number: int, seed: int) -> tuple[int, int]:
    command = [sys.executable, "-c", PROGRAM, str(path), kind, str(first), str(number), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"seed {seed}, exit status {done.returncode}\n{done.stderr[-3000:]}"
    refused, ran = map(int, done.stdout.split())
    return refused, ran


def test_truncated_models_are_refused(folder: Path, seed: int) -> None:
    refused, ran = damage(folder / "cls.onnx", "prefixes", seed % 16_000, 16_000, seed)
    assert refused >= 36 and ran == 0


def test_models_with_a_flipped_bit_are_refused_or_run(folder: Path, seed: int) -> None:
    refused, ran = damage(folder / "cls.onnx", "flips", 0, 100, seed)
    assert refused + ran == 100


@pytest.mark.long
def test_every_prefix_at_kilobyte_steps_is_refused(folder: Path, seed: int) -> None:
    refused, ran = damage(folder / "cls.onnx", "prefixes", 0, 1000, seed)
    assert refused >= 585 and ran == 0


@pytest.mark.long
def test_two_thousand_flipped_bits_are_refused_or_run(folder: Path, seed: int) -> None:
    refused, ran = damage(folder / "cls.onnx", "flips", 0, 2000, seed)
    assert refused + ran == 2000


@pytest.fixture(scope="module")
def session(folder: Path) -> anydim.InferenceSession:
    return anydim.InferenceSession(str(folder / "cls.onnx"))


def image(*dims: int, dtype: type = np.float32) -> np.ndarray:
    return np.full(dims, 0.25, dtype)


# Feeds that are wrong in one way each, and words that the message must hold: the input, what was found.
WRONG_FEEDS: dict[str, tuple[Any, list[str]]] = {
    "no input": ({}, ["x"]),
    "unknown input": ({"y": image(1, 3, 48, 192)}, ["y"]),
    "surplus input": ({"x": image(1, 3, 48, 192), "y": image(1)}, ["y"]),
    "rank": ({"x": image(3, 48, 192)}, ["x", "3"]),
    "fixed dim": ({"x": image(1, 4, 48, 192)}, ["x", "4"]),
    "dtype": ({"x": image(1, 3, 48, 192, dtype=np.float64)}, ["x"]),
    "none": ({"x": None}, ["x"]),
    "object": ({"x": np.array([object()])}, ["x"]),
}


@pytest.mark.parametrize("what", WRONG_FEEDS)
def test_a_wrong_feed_is_named(what: str, session: anydim.InferenceSession) -> None:
    feeds, words = WRONG_FEEDS[what]
    with pytest.raises((anydim.Error, ValueError, TypeError)) as caught:
        session.run(None, feeds)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_an_unknown_output_is_named(session: anydim.InferenceSession) -> None:
    with pytest.raises((anydim.Error, ValueError), match="nowhere"):
        session.run(["nowhere"], {"x": image(1, 3, 48, 192)})


def test_a_side_that_the_model_cannot_take_names_the_node(folder: Path) -> None:
    """det adds planes that were halved to planes that were doubled: only multiples of 32 meet again."""
    det = anydim.InferenceSession(str(folder / "det.onnx"))
    with pytest.raises(anydim.Error, match="Add"):
        det.run(None, {"x": image(1, 3, 33, 40)})


def test_an_empty_batch_gives_an_empty_output(session: anydim.InferenceSession) -> None:
    (scores,) = session.run(None, {"x": image(0, 3, 48, 192)})
    assert scores.shape == (0, 2)


def test_a_session_works_after_failures(session: anydim.InferenceSession) -> None:
    before = session.run(None, {"x": image(2, 3, 48, 192)})[0]
    for feeds, _ in WRONG_FEEDS.values():
        with pytest.raises((anydim.Error, ValueError, TypeError)):
            session.run(None, feeds)
    after = session.run(None, {"x": image(2, 3, 48, 192)})[0]
    assert before.tobytes() == after.tobytes()


@pytest.mark.parametrize("model", [b"", b"\x00" * 64, b"not a model", b"\x3a\xff\xff\xff\xff\x0f"])
def test_what_is_no_model_is_refused(model: bytes) -> None:
    with pytest.raises(anydim.Error):
        anydim.InferenceSession(model)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises((anydim.Error, OSError), match="nothing_here"):
        anydim.InferenceSession(str(tmp_path / "nothing_here.onnx"))


@pytest.mark.parametrize(
    "bounds",
    [
        {"x": (1, 3, 48, (200, 100))},
        {"x": (1, 3, (-4, 48), 192)},
        {"x": (1, 3, 48)},
        {"y": (1, 3, 48, 192)},
        {"x": ((1, 2**62), 3, (1, 2**62), (1, 2**62))},
    ],
)
def test_bounds_that_cannot_be_kept_are_refused(bounds: dict[str, Any], folder: Path) -> None:
    with pytest.raises((anydim.Error, ValueError, MemoryError)):
        anydim.InferenceSession(str(folder / "cls.onnx"), bounds=bounds)


def test_a_shape_outside_the_bounds_is_refused(folder: Path) -> None:
    bounded = anydim.InferenceSession(str(folder / "cls.onnx"), bounds={"x": ((1, 2), 3, 48, 192)})
    assert bounded.run(None, {"x": image(2, 3, 48, 192)})[0].shape == (2, 2)
    with pytest.raises(anydim.Error, match="3"):
        bounded.run(None, {"x": image(3, 3, 48, 192)})
