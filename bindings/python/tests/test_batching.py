# SPDX-License-Identifier: Apache-2.0
"""Dynamic batching in Python: threads and an event loop, options, figures, time-outs, cancelled tasks. How requests join is tested in
tests/capi/batching_test.cpp."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import anydim
import numpy as np
import pytest
from small_models import model, node, tensor, value

WEIGHTS = np.random.default_rng(7).standard_normal((8, 5)).astype(np.float32)


@pytest.fixture(scope="module")
def layer() -> bytes:
    return model(
        [node("MatMul", ["x", "w"], ["p"]), node("Relu", ["p"], ["y"])],
        inputs=[value("x", 1, ("n", 8))],
        outputs=[value("y", 1, ("n", 5))],
        constants=[tensor("w", WEIGHTS)],
    )


def rows(count: int, seed: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)


def test_threads_get_the_bits_of_runs_alone(layer: bytes) -> None:
    alone = anydim.InferenceSession(layer)
    session = anydim.InferenceSession(layer, batching=anydim.Batching(rows=6, wait=0.002))
    wrong: list[int] = []

    def caller(number: int) -> None:
        for k in range(50):
            x = rows(1 + (number + k) % 3, 100 * number + k)
            if not np.array_equal(session.run(None, {"x": x})[0], alone.run(None, {"x": x})[0]):
                wrong.append(number)

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    figures = session.batching
    assert figures.started
    assert figures.requests == 300
    assert figures.rows == sum(1 + (number + k) % 3 for number in range(6) for k in range(50))
    assert figures.waiting == figures.running == 0
    assert 1 <= figures.rows_per_batch <= figures.largest_batch <= 6
    assert 0 < figures.p50_ns <= figures.p99_ns


def test_tasks_of_an_event_loop_are_joined(layer: bytes) -> None:
    alone = anydim.InferenceSession(layer)
    session = anydim.InferenceSession(layer, contexts=1, batching=8)

    async def caller(number: int) -> bool:
        right = True
        for k in range(20):
            x = rows(1, 100 * number + k)
            (y,) = await session.run_async(None, {"x": x})
            right = right and np.array_equal(y, alone.run(None, {"x": x})[0])
        return right

    async def main() -> list[bool]:
        return await asyncio.gather(*(caller(number) for number in range(8)))

    assert all(asyncio.run(main()))
    assert all(asyncio.run(main())), "in another loop"
    assert session.batching.largest_batch > 1
    assert session.batching.batches < 320


def test_failures_reach_the_task_that_has_them() -> None:
    made = model(
        [node("Gather", ["t", "i"], ["y"], "pick")],
        inputs=[value("i", 7, ("n",))],
        outputs=[value("y", 1, ("n", 5))],
        constants=[tensor("t", WEIGHTS)],
    )
    session = anydim.InferenceSession(made, batching=8)

    async def main() -> list[Any]:
        feeds = [{"i": np.array([k], np.int64)} for k in (3, 99, 5)]
        return await asyncio.gather(*(session.run_async(["y"], f) for f in feeds), return_exceptions=True)

    first, bad, third = asyncio.run(main())
    assert np.array_equal(first[0], WEIGHTS[[3]])
    assert np.array_equal(third[0], WEIGHTS[[5]])
    assert isinstance(bad, anydim.InvalidDataError)
    assert bad.node == "pick"
    with pytest.raises(anydim.InvalidArgumentError, match="no rows for a batch"):
        asyncio.run(session.run_async(None, {"i": np.array(3, np.int64)}))


def test_tasks_may_bring_more_rows_than_a_batch_or_none(layer: bytes) -> None:
    alone = anydim.InferenceSession(layer)
    session = anydim.InferenceSession(layer, batching=anydim.Batching(rows=2))
    feeds = [{"x": rows(count, count)} for count in (1, 5, 2, 0, 40)]

    async def main() -> list[Any]:
        return await asyncio.gather(*(session.run_async(None, f) for f in feeds))

    for (got,), f in zip(asyncio.run(main()), feeds, strict=True):
        assert np.array_equal(got, alone.run(None, f)[0]) and np.array_equal(got, session.run(None, f)[0])


def test_a_cancelled_task_leaves_the_queue_and_a_time_out_ends_a_call() -> None:
    made = model(
        [node("MatMul", ["x", "w"], ["y"])],
        inputs=[value("x", 1, ("n", 2048))],
        outputs=[value("y", 1, ("n", 2048))],
        constants=[tensor("w", np.eye(2048, dtype=np.float32))],
    )
    # An hour: what waits for a second request waits until it comes.
    session = anydim.InferenceSession(made, contexts=1, batching=anydim.Batching(wait=3600))
    x = np.random.default_rng(3).random((4, 2048), np.float32)

    def request(options: anydim.RunOptions | None = None) -> asyncio.Task[Any]:
        return asyncio.create_task(session.run_async(None, {"x": x}, options))

    async def main() -> None:
        while True:  # until the second came while the first ran: from then on two are expected
            first = request()
            while session.batching.running == 0 and not first.done():
                await asyncio.sleep(0)
            second = request()
            await first
            await asyncio.sleep(0.01)
            if session.batching.waiting == 1:
                break
            await second
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        (y,) = await request()  # with the one that was cancelled these are two
        assert np.array_equal(y, x)
        options = anydim.RunOptions()
        options.timeout = 0.005
        with pytest.raises(anydim.BusyError, match="did not begin in its time"):
            await request(options)
        with pytest.raises(anydim.BusyError, match="did not begin in 5 ms"):
            session.run(None, {"x": x}, options)

    asyncio.run(main())
    assert session.batching.cancelled == 1
    assert session.batching.late == 2


def test_a_full_queue_has_an_exception_of_its_own(layer: bytes) -> None:
    session = anydim.InferenceSession(layer, batching=anydim.Batching(rows=2, wait=0.05, waiting=1))
    x = rows(1, 1)

    async def main() -> list[Any]:
        return await asyncio.gather(*(session.run_async(None, {"x": x}) for _ in range(50)), return_exceptions=True)

    refused: list[BaseException] = []
    while not refused:  # until one came while another waited
        refused = [r for r in asyncio.run(main()) if isinstance(r, BaseException)]
    for error in refused:
        assert isinstance(error, anydim.QueueFullError) and isinstance(error, anydim.BusyError)
        assert error.status == anydim.Status.QUEUE_FULL and not isinstance(error, TimeoutError)
    assert session.batching.refused >= len(refused)


def test_stopping_ends_what_waits_and_runs_go_on_by_themselves(layer: bytes) -> None:
    session = anydim.InferenceSession(layer, batching=4)
    with pytest.raises(anydim.BusyError, match="stop it first"):
        session.start_batching(4)
    session.stop_batching()
    assert not session.batching.started
    x = rows(2, 1)
    assert np.array_equal(session.run(None, {"x": x})[0], anydim.InferenceSession(layer).run(None, {"x": x})[0])
    alone = asyncio.run(session.run_async(None, {"x": x}))  # a thread of the loop's executor runs it
    assert np.array_equal(alone[0], session.run(None, {"x": x})[0]) and session.batching.requests == 0
    session.start_batching(4)
    assert session.batching.started


def test_what_cannot_be_batched_is_refused(layer: bytes) -> None:
    fixed = model([node("Relu", ["x"], ["y"])], inputs=[value("x", 1, (1, 8))], outputs=[value("y", 1, (1, 8))])
    with pytest.raises(anydim.UnimplementedError, match="no input has a batch axis"):
        anydim.InferenceSession(fixed, batching=4)
    with pytest.raises(anydim.InvalidArgumentError, match="allow 3 at most"):
        anydim.InferenceSession(layer, bounds={"x": ((1, 3), 8)}, batching=4)
    with pytest.raises(anydim.InvalidArgumentError, match="wait is -1"):
        anydim.InferenceSession(layer, batching=anydim.Batching(wait=-1))
