# SPDX-License-Identifier: Apache-2.0
"""What a session from before a fork is in the child: os.fork as servers with preloading call it, and multiprocessing's pools."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import anydim
import anydim.compat.onnxruntime as compat
import numpy as np
import pytest
from small_models import model, node, tensor, value

WIDTH = 512
ROW = np.arange(WIDTH, dtype=np.float32).reshape(1, WIDTH)


@pytest.fixture(scope="module")
def multiply() -> bytes:
    """y = x @ w: as slow as x is high."""
    return model(
        [node("MatMul", ["x", "w"], ["y"])],
        inputs=[value("x", 1, ("n", WIDTH))],
        outputs=[value("y", 1, ("n", WIDTH))],
        constants=[tensor("w", np.eye(WIDTH, dtype=np.float32)[::-1].copy())],
    )


def works(session: anydim.InferenceSession, rows: int = 1) -> bool:
    x = np.repeat(ROW, rows, axis=0)
    return np.array_equal(session.run(None, {"x": x})[0], x[:, ::-1])


def in_child(work: Callable[[], bool]) -> bool:
    """What `work` says in a child, which is ended if it hangs."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(120)
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_forked_child_runs_its_parents_session_and_makes_others(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply)
    assert works(session)
    assert in_child(lambda: works(session) and works(session, 300) and works(anydim.InferenceSession(multiply)))
    assert in_child(lambda: works(session) and in_child(lambda: works(session, 7) and in_child(lambda: works(session))))
    assert works(session, 300)


def test_a_child_that_is_forked_during_runs_has_contexts_of_its_own(multiply: bytes) -> None:
    session = anydim.InferenceSession(multiply, contexts=1)
    image = np.ones((20 * WIDTH, WIDTH), np.float32)
    stop = threading.Event()

    def keep_running() -> None:
        while not stop.is_set():
            session.run(None, {"x": image})

    threads = [threading.Thread(target=keep_running) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert in_child(lambda: works(session) and session.growths >= 0 and bool(session.explain()["nodes"]))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert works(session)


_session: anydim.InferenceSession


def _answer(rows: int) -> bool:
    return works(_session, rows)


def test_a_pool_of_processes_uses_the_session_of_a_global(multiply: bytes) -> None:
    global _session
    _session = anydim.InferenceSession(multiply)
    assert works(_session)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert all(pool.map(_answer, range(1, 60), chunksize=1))


SERVER = """
import os, signal, socket, sys
import numpy as np
import anydim.compat.onnxruntime as ort

# As a preloading server: the application is loaded once, then each worker is forked and answers from the listening socket.
session = ort.InferenceSession(sys.argv[1])
session.run(None, {"x": np.ones((2, 3), np.float32)})
listener = socket.create_server(("127.0.0.1", 0))
workers = []
for _ in range(3):
    worker = os.fork()
    if worker == 0:
        signal.alarm(120)
        for _ in range(5):
            connection, _ = listener.accept()
            with connection:
                x = np.frombuffer(connection.recv(12), np.float32).reshape(1, 3)
                connection.sendall(session.run(None, {"x": x})[0].tobytes())
        sys.exit(0)  # as a worker ends: with its atexit handlers
    workers.append(worker)
for i in range(15):
    with socket.create_connection(listener.getsockname()) as connection:
        connection.sendall(np.array([i, -i, 1], np.float32).tobytes())
        answer = np.frombuffer(connection.recv(12), np.float32).tolist()
        assert answer == [i, 0, 1], answer
print([os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) for worker in workers])
"""


def test_workers_of_a_preloading_server_answer_and_end(tmp_path: Any) -> None:
    relu = model([node("Relu", ["x"], ["y"])], inputs=[value("x", 1, ("n", 3))], outputs=[value("y", 1, ("n", 3))])
    (tmp_path / "relu.onnx").write_bytes(relu)
    done = subprocess.run(
        [sys.executable, "-c", SERVER, str(tmp_path / "relu.onnx")], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "[0, 0, 0]\n"), done.stderr


def test_run_async_works_in_a_child_whose_parent_used_it(multiply: bytes) -> None:
    session = compat.InferenceSession(multiply)
    told: list[bool] = []

    def once() -> bool:
        done = threading.Event()
        told.clear()

        def callback(results: Any, _: Any, error: str) -> None:
            told.append(error == "" and np.array_equal(results[0], ROW[:, ::-1]))
            done.set()

        session.run_async(None, {"x": ROW}, callback, None)
        return done.wait(60) and told == [True]

    assert once()
    time.sleep(0.05)
    assert in_child(once)
    assert once()
