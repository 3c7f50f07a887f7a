# SPDX-License-Identifier: Apache-2.0
"""The arrays that runs return: theirs alone, whatever happens to the session, and of memory that is used again."""

from __future__ import annotations

import gc
import itertools
import pickle
import threading
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest
from small_models import model, node, value

MEGABYTE = 1 << 20


def doubled() -> anydim.InferenceSession:
    return anydim.InferenceSession(
        model([node("Add", ["x", "x"], ["y"])], inputs=[value("x", 1, ("n",))], outputs=[value("y", 1, ("n",))])
    )


def address(array: np.ndarray[Any, Any]) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


# Around the sizes where blocks begin, where small pages end, and where one huge page ends.
SIZES = [1, 32_767, 32_768, 32_769, 131_072, 131_073, 655_360, 655_361, 3_000_000]


@pytest.mark.parametrize("elements", SIZES)
def test_an_array_is_writeable_aligned_and_pickles(elements: int) -> None:
    session = doubled()
    x = np.arange(elements, dtype=np.float32)
    (y,) = session.run(None, {"x": x})
    assert np.array_equal(y, x + x)
    assert y.flags.writeable and y.flags.c_contiguous and y.flags.aligned
    y += 1
    assert np.array_equal(pickle.loads(pickle.dumps(y)), x + x + 1)


def test_arrays_that_are_kept_share_no_byte_and_outlive_their_session() -> None:
    session = doubled()
    draw = np.random.default_rng(3)
    kept = []
    for _ in range(60):
        x = draw.integers(0, 1000, draw.choice(SIZES)).astype(np.float32)
        kept.append((x, session.run(None, {"x": x})[0]))
        if draw.random() < 0.4:
            kept.pop(draw.integers(len(kept)))
    del session
    gc.collect()
    ranges = sorted((address(y), address(y) + y.nbytes) for _, y in kept)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(ranges))
    assert all(np.array_equal(y, x + x) for x, y in kept)


def test_memory_of_an_array_that_is_gone_serves_the_next_one() -> None:
    session = doubled()
    x = np.ones(500_000, np.float32)
    (y,) = session.run(None, {"x": x})
    first = address(y)
    view = y[10:]
    del y
    (z,) = session.run(None, {"x": x})
    assert address(z) != first, "a view keeps its array's memory"
    del view, z
    (y,) = session.run(None, {"x": x})
    assert address(y) == first


def test_large_memory_goes_back_to_the_system() -> None:
    session = doubled()
    x = np.ones(60_000_000, np.float32)
    session.run(None, {"x": x})  # the context's own memory
    before = resident()
    outputs = [session.run(None, {"x": x})[0] for _ in range(3)]
    assert resident() - before > 400 * MEGABYTE
    del outputs
    assert resident() - before < 200 * MEGABYTE


def test_many_threads_get_arrays_of_their_own() -> None:
    session = doubled()
    wrong: list[int] = []

    def work(seed: int) -> None:
        draw = np.random.default_rng(seed)
        held: list[tuple[np.ndarray[Any, Any], float]] = []
        for _ in range(60):
            number = float(draw.integers(1, 1000))
            (y,) = session.run(None, {"x": np.full(draw.choice(SIZES[:-1]), number, np.float32)})
            held.append((y, 2 * number))
            if len(held) > 5:
                array, expected = held.pop(draw.integers(len(held)))
                if not (array == expected).all():
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
