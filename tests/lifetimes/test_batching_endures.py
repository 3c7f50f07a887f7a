# SPDX-License-Identifier: Apache-2.0
"""100,000 requests through a session's batching queue leave nothing behind: callers in threads, tasks of an event loop, some of them
cancelled or too late. Takes a minute: for make test-all."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import anydim
import numpy as np
import pytest
from small_models import model, node, tensor, value

WEIGHTS = np.random.default_rng(7).standard_normal((64, 32)).astype(np.float32)
THREADS, REQUESTS = 8, 100_000
# Room for the allocator's lists. 40 bytes a request would be more.
MAY_GAIN = 3 << 20


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def serve(
    session: anydim.InferenceSession, requests: int, expected: list[np.ndarray], inputs: list[np.ndarray]
) -> None:
    """So many requests, half of threads, half of tasks; every hundredth task is cancelled."""
    wrong: list[int] = []

    def caller(number: int) -> None:
        for k in range(requests // 2 // THREADS):
            which = (number + k) % len(inputs)
            if not np.array_equal(session.run(None, {"x": inputs[which]})[0], expected[which]):
                wrong.append(which)

    async def task(number: int) -> None:
        which = number % len(inputs)
        run = asyncio.ensure_future(session.run_async(None, {"x": inputs[which]}))
        if number % 100 == 0:
            await asyncio.sleep(0)
            run.cancel()
        try:
            (y,) = await run
        except asyncio.CancelledError:
            return
        if not np.array_equal(y, expected[which]):
            wrong.append(which)

    async def tasks() -> None:
        for first in range(0, requests // 2, 16):
            await asyncio.gather(*(task(first + k) for k in range(16)))

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(tasks())
    assert not wrong, f"{len(wrong)} requests have other bits than alone"


@pytest.mark.long
def test_a_hundred_thousand_requests_leave_nothing() -> None:
    layer = model(
        [node("MatMul", ["x", "w"], ["p"]), node("Relu", ["p"], ["y"])],
        inputs=[value("x", 1, ("n", 64))],
        outputs=[value("y", 1, ("n", 32))],
        constants=[tensor("w", WEIGHTS)],
    )
    inputs = [np.random.default_rng(k).standard_normal((1 + k % 3, 64)).astype(np.float32) for k in range(12)]
    with anydim.InferenceSession(layer, threads=1) as alone:
        expected = [alone.run(None, {"x": x})[0] for x in inputs]
    session = anydim.InferenceSession(layer, batching=anydim.Batching(rows=8, wait=0.001, waiting=64))
    serve(session, REQUESTS // 4, expected, inputs)
    before = resident()
    serve(session, REQUESTS - REQUESTS // 4, expected, inputs)
    gained = resident() - before
    figures = session.batching
    print(f"{figures.requests} requests in {figures.batches} batches: {gained} bytes more of {before}")
    assert figures.requests > 0.95 * REQUESTS and figures.waiting == figures.running == 0
    assert gained < MAY_GAIN
