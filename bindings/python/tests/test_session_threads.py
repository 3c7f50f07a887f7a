# SPDX-License-Identifier: Apache-2.0
"""A session's contexts under several threads: who waits is served in his turn, and neither an error nor a signal costs a
context. The order of service itself is tested where it is made, in core/base/threads/fair_pool_test.cpp."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anydim
import numpy as np
import pytest
from anydim import _capi
from anydim._enums import Dtype
from small_models import model, node, tensor, value

WIDTH = 2048


@pytest.fixture(scope="module")
def multiply() -> bytes:
    """y = x @ w: as slow as x is high."""
    weights = np.eye(WIDTH, dtype=np.float32)
    return model(
        [node("MatMul", ["x", "w"], ["y"])],
        inputs=[value("x", 1, ("n", WIDTH))],
        outputs=[value("y", 1, ("n", WIDTH))],
        constants=[tensor("w", weights)],
    )


ROW = np.arange(WIDTH, dtype=np.float32).reshape(1, WIDTH)


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.001)


def figures(session: anydim.InferenceSession) -> _capi.SessionInfo:
    return _capi.session_query(session._session)


@contextmanager
def running(session: anydim.InferenceSession, gemms: int = 2) -> Iterator[threading.Thread]:
    """Within it one context of the session is in a run of half a second or more."""
    image = np.ones((WIDTH * gemms, WIDTH), np.float32)
    before = figures(session)["in_use"]
    thread = threading.Thread(target=lambda: session.run(None, {"x": image}))
    thread.start()
    until(lambda: figures(session)["in_use"] == before + 1)
    try:
        yield thread
    finally:
        thread.join()


def works(session: anydim.InferenceSession) -> bool:
    return np.array_equal(session.run(None, {"x": ROW})[0], ROW)


def test_no_thread_starves(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1, threads=1)
    turns = [0] * 8
    standings: list[list[int]] = []

    def work(k: int) -> None:
        for _ in range(150):
            session.run(None, {"x": ROW})
            turns[k] += 1
        standings.append(list(turns))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(turns))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert min(standings[0]) > 75, f"when one had its 150 turns the others had {standings[0]}"


def test_as_many_contexts_as_cores_by_default(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply)
    cores = min(8, len(os.sched_getaffinity(0)))
    assert figures(session)["contexts"] == 1, "others are made when threads need them"
    threads = [threading.Thread(target=works, args=(session,)) for _ in range(3 * cores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= figures(session)["contexts"] <= cores
    assert (figures(session)["in_use"], figures(session)["waiting"]) == (0, 0)


@pytest.fixture
def interrupts() -> Iterator[None]:
    """SIGINT raises, also where the tests are a shell's background job, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_a_wait_and_costs_no_context(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1)

    def interrupt() -> None:
        until(lambda: figures(session)["waiting"] == 1)
        # One that comes before the thread sleeps is seen when it wakes, so they are sent until one is.
        while figures(session)["waiting"] == 1:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)

    with running(session, gemms=4) as other:
        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(None, {"x": ROW})
        assert other.is_alive(), "the wait ended before its turn came"
        interrupter.join()
    assert works(session) and figures(session)["contexts"] == 1


@pytest.fixture(scope="module")
def many_products() -> bytes:
    """200 products, one after the other: half a second for an x of 64 rows."""
    names = [*(f"t{i}" for i in range(199)), "y"]
    return model(
        [node("MatMul", [a, "w"], [b]) for a, b in zip(["x", *names], names, strict=False)],
        inputs=[value("x", 1, ("n", WIDTH))],
        outputs=[value("y", 1, ("n", WIDTH))],
        constants=[tensor("w", np.eye(WIDTH, dtype=np.float32))],
    )


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_a_run_in_the_main_thread(many_products: bytes) -> None:
    session = anydim.InferenceSession(many_products, contexts=1)
    image = np.ones((64, WIDTH), np.float32)
    assert np.array_equal(session.run(None, {"x": image})[0], image)

    def interrupt() -> None:
        until(lambda: figures(session)["in_use"] == 1)
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(None, {"x": image})
    interrupter.join()
    with pytest.raises(anydim.NotFoundError, match="has not run"):  # the run did not come to its end
        session.explain()
    assert works(session) and figures(session)["contexts"] == 1


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_a_run_that_a_thread_of_the_pool_does_for_the_caller(many_products: bytes) -> None:
    session = anydim.InferenceSession(many_products, contexts=1)
    image = np.ones((64, WIDTH), np.float32)
    assert np.array_equal(session.run(None, {"x": image})[0], image)
    first = threading.Thread(target=lambda: session.run(None, {"x": image[:16]}))

    def interrupt() -> None:
        first.join()  # the call in the main thread has waited for this one
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    first.start()
    until(lambda: figures(session)["in_use"] == 1)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(None, {"x": image})
    interrupter.join()
    with pytest.raises(anydim.NotFoundError, match="has not run"):
        session.explain()
    assert works(session) and figures(session)["contexts"] == 1


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_a_request_that_runs_by_itself_out_of_a_queue() -> None:
    """Its batch reads the caller's memory, so the call ends after the run, which is stopped."""
    names = [*(f"t{i}" for i in range(199)), "y"]
    made = model(
        [node("MatMul", [a, "w"], [b]) for a, b in zip(["x", *names], names, strict=False)],
        inputs=[value("x", 1, ("n", "t", WIDTH))],
        outputs=[value("y", 1, ("n", "t", WIDTH))],
        constants=[tensor("w", np.eye(WIDTH, dtype=np.float32))],
    )
    session = anydim.InferenceSession(made, contexts=2, batching=anydim.Batching(wait=3600))
    image = np.ones((1, 64, WIDTH), np.float32)
    # Two requests of other dims, which cannot join, run in both contexts; the main thread's waits and then runs on the queue's thread.
    others = [threading.Thread(target=session.run, args=(None, {"x": image[:, : 16 + k]})) for k in range(2)]
    for other in others:
        other.start()
    until(lambda: session.batching.running == 2)
    ended: list[int] = []

    def interrupt() -> None:
        for other in others:
            other.join()
        until(lambda: session.batching.running == 1)
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(None, {"x": image})
    ended.append(session.batching.running)
    interrupter.join()
    assert ended == [0], "the run reads the caller's memory, so it has ended"
    assert session.batching.cancelled == 1
    assert np.array_equal(session.run(None, {"x": image})[0], image)


def test_a_handler_that_raises_nothing_ends_no_run(many_products: bytes) -> None:
    session = anydim.InferenceSession(many_products, contexts=1)
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))

    def tell() -> None:
        until(lambda: figures(session)["in_use"] == 1)
        os.kill(os.getpid(), signal.SIGUSR1)
        until(lambda: seen == [signal.SIGUSR1])  # while the run goes on
        seen.append(figures(session)["in_use"])

    try:
        teller = threading.Thread(target=tell)
        teller.start()
        image = np.ones((64, WIDTH), np.float32)
        assert np.array_equal(session.run(None, {"x": image})[0], image)
        teller.join()
        assert seen == [signal.SIGUSR1, 1], "the handler ran within the run"
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_signal_that_raises_nothing_ends_no_wait(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1)
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))

    def tell() -> None:
        until(lambda: figures(session)["waiting"] == 1)
        os.kill(os.getpid(), signal.SIGUSR1)

    try:
        with running(session):
            teller = threading.Thread(target=tell)
            teller.start()
            assert works(session)
            teller.join()
        assert seen == [signal.SIGUSR1]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_wait_can_have_an_end_and_a_run_without_arrays_places_its_result(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1)
    x = (Dtype.F32, ROW.shape, None, ROW.ctypes.data)
    asked = (Dtype.F32, [], None, 0)
    with running(session), pytest.raises(anydim.BusyError, match="no context came free in 10 ms"):
        _capi.session_run(session._session, [x], [asked], {"timeout_ms": 10})
    until(lambda: figures(session)["in_use"] == 0)
    [(dtype, dims, strides, address)] = _capi.session_run(session._session, [x], [asked], {"timeout_ms": 0})
    assert (dtype, dims, strides) == (Dtype.F32, [1, WIDTH], [WIDTH, 1])
    assert np.array_equal(np.ctypeslib.as_array((ctypes.c_float * WIDTH).from_address(address)), ROW[0])
    _capi.result_release(address)


def test_a_cancellation_ends_a_run_and_the_next_one_works(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1)
    options = anydim.RunOptions()
    options.terminate = True
    with pytest.raises(anydim.CancelledError):
        session.run(None, {"x": ROW}, options)
    options.terminate = False
    assert np.array_equal(session.run(None, {"x": ROW}, options)[0], ROW)


def test_memory_is_reported_without_waiting_for_a_run(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1)
    assert works(session)
    before = session.arena_bytes
    with running(session) as other:
        assert session.arena_bytes == before and session.growths >= 0
        assert other.is_alive()
