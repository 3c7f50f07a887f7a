# SPDX-License-Identifier: Apache-2.0
"""Sessions as Python objects: closed, copied, shown, awaited, tuned; errors that are Python's own kinds, too; log lines as records."""

from __future__ import annotations

import array
import asyncio
import logging
import mmap
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import anydim
import numpy as np
import pytest
import small_models
from anydim import _capi


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "relu.onnx"
    dims: list[int | str] = ["n", 4]
    path.write_bytes(
        small_models.model(
            [small_models.node("Relu", ["x"], ["y"])],
            inputs=[small_models.value("x", 1, dims)],
            outputs=[small_models.value("y", 1, dims)],
        )
    )
    return path


X = np.array([[-1, 2, -3, 4]], np.float32)


def test_a_with_block_closes_and_a_closed_session_says_so(file: Path) -> None:
    with anydim.InferenceSession(file) as session:
        assert session.run(None, {"x": X})[0].tolist() == [[0, 2, 0, 4]]
        assert (
            repr(session) == f"<anydim.InferenceSession '{file}', x: tensor(float)['n', 4] -> y: tensor(float)['n', 4]>"
        )
    assert repr(session) == f"<anydim.InferenceSession '{file}', closed>"
    binding = session.io_binding()
    binding.bind_input("x", X)
    calls = [
        lambda: session.run(None, {"x": X}),
        lambda: asyncio.run(session.run_async(None, {"x": X})),
        lambda: session.growths,
        lambda: session.describe(),
        lambda: session.explain({"x": (1, 4)}),
        lambda: session.tune([{"x": (1, 4)}]),
        binding.run,
    ]
    for call in calls:
        with pytest.raises(anydim.ClosedError, match=r"the (session|model) is closed"):
            call()
    session.close()


def test_a_session_of_a_file_is_pickled_with_its_options(file: Path) -> None:
    os.chdir(file.parent)
    session = anydim.InferenceSession("relu.onnx", threads=1, contexts=2, bounds={"x": ((1, 8), 4)}, batching=4)
    copy = pickle.loads(pickle.dumps(session))
    os.chdir("/")
    copy = pickle.loads(pickle.dumps(copy))
    assert copy.bytes_needed == session.bytes_needed and copy.batching.started
    assert copy.run(None, {"x": X})[0].tobytes() == session.run(None, {"x": X})[0].tobytes()
    with pytest.raises(ValueError, match="9"):
        copy.run(None, {"x": np.zeros((9, 4), np.float32)})
    with pytest.raises(TypeError, match="in memory cannot be pickled"):
        pickle.dumps(anydim.InferenceSession(file.read_bytes()))


def test_a_session_reads_what_has_a_file_s_bytes(file: Path) -> None:
    class Proto:
        def SerializeToString(self) -> bytes:
            return file.read_bytes()

    for source in (
        file,
        str(file),
        file.read_bytes(),
        bytearray(file.read_bytes()),
        memoryview(file.read_bytes()),
        array.array("B", file.read_bytes()),
        Proto(),
    ):
        assert anydim.InferenceSession(source).run(None, {"x": X})[0].tolist() == [[0, 2, 0, 4]]


def test_a_session_reads_a_mapped_file_that_may_be_closed_then(file: Path) -> None:
    with open(file, "rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        session = anydim.InferenceSession(mapped)
    assert session.run(None, {"x": X})[0].tolist() == [[0, 2, 0, 4]]


def test_errors_are_python_s_own_kinds_too(file: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        anydim.InferenceSession(tmp_path / "none.onnx")
    assert isinstance(missing.value, anydim.NotFoundError) and missing.value.errno == 2
    assert str(missing.value) == f"{tmp_path}/none.onnx: No such file or directory"
    assert str(pickle.loads(pickle.dumps(missing.value))) == str(missing.value)
    with pytest.raises(OSError, match=str(tmp_path)):
        anydim.InferenceSession(tmp_path)
    with pytest.raises(ValueError) as invalid:
        anydim.InferenceSession(b"no model")
    assert isinstance(invalid.value, anydim.InvalidModelError)
    assert not issubclass(anydim.NotFoundError, OSError)


def _busy(session: anydim.InferenceSession, feeds: dict[str, np.ndarray], stop: threading.Event) -> None:
    while not stop.is_set():
        session.run(None, feeds)


def test_a_run_that_waits_too_long_is_a_timeout(file: Path) -> None:
    session = anydim.InferenceSession(file, contexts=1, threads=1)
    large = {"x": np.zeros((3_000_000, 4), np.float32)}
    stop = threading.Event()
    threads = [threading.Thread(target=_busy, args=(session, large, stop)) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        with pytest.raises(TimeoutError) as late:
            for _ in range(1000):
                session.run(None, {"x": X}, timeout=0.0)
        assert isinstance(late.value, anydim.BusyError)
        with pytest.raises(TimeoutError):
            for _ in range(1000):
                asyncio.run(session.run_async(None, {"x": X}, timeout=0.0))
        assert session.run(None, {"x": X}, timeout=60)[0].tolist() == [[0, 2, 0, 4]]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    with pytest.raises(anydim.InvalidArgumentError, match="timeout is -1"):
        session.run(None, {"x": X}, timeout=-1)


def test_run_async_without_batching_does_not_block_the_loop(file: Path) -> None:
    session = anydim.InferenceSession(file, contexts=2)

    async def many() -> list[list[np.ndarray]]:
        return await asyncio.gather(*(session.run_async(["y"], {"x": X + i}) for i in range(20)))

    for i, (y,) in enumerate(asyncio.run(many())):
        assert y.tobytes() == np.maximum(X + i, 0).tobytes()

    async def cancelled() -> None:
        task = asyncio.ensure_future(session.run_async(None, {"x": X}))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_tune_reports_each_shape_and_its_progress(file: Path) -> None:
    session = anydim.InferenceSession(file)
    seen: list[tuple[int, int]] = []
    reports = session.tune(
        [{"x": (1, 4)}, {"x": (700, 4)}], node_ms=1, record=False, progress=lambda a, b: seen.append((a, b))
    )
    assert seen == [(0, 2), (1, 2), (2, 2)] and len(reports) == 2 and all("nodes" in r for r in reports)

    def end(done: int, shapes: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.tune([{"x": (1, 4)}], progress=end)
    for wrong in ([{"z": (1, 4)}], [{}], {"x": (1, 4)}):
        with pytest.raises(anydim.InvalidArgumentError):
            session.tune(wrong)  # type: ignore[arg-type]


LOGGING = """
import logging, os, sys, anydim
from anydim import _capi
seen = []
class Keep(logging.Handler):
    def emit(self, record):
        seen.append((record.levelname, record.name, record.getMessage()))
logging.getLogger("anydim").addHandler(Keep())
logging.getLogger("anydim").setLevel(logging.DEBUG)
anydim.log.to_logging("debug")
def fail():
    try:
        anydim.InferenceSession("/none.onnx")
    except FileNotFoundError:
        pass
fail()
anydim.log.flush()
assert any(level == "DEBUG" and name == "anydim" and "/none.onnx" in text for level, name, text in seen), seen
count = len(seen)
child = os.fork()
fail()
anydim.log.flush()
assert len(seen) > count, seen
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
anydim.log.to_stderr("none")
count = len(seen)
fail()
anydim.log.flush()
assert len(seen) == count
try:
    anydim.log.to_logging("loud")
except ValueError as error:
    assert "loud" in str(error)
"""


def test_log_lines_become_records_also_in_a_forked_child() -> None:
    done = subprocess.run([sys.executable, "-c", LOGGING], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "none.onnx" not in done.stderr


def test_a_log_line_wakes_the_thread_that_passes_it_on() -> None:
    records: list[logging.LogRecord] = []
    logger = logging.Logger("own")
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    anydim.log.to_logging("debug", logger)
    try:
        with pytest.raises(FileNotFoundError):
            anydim.InferenceSession("/none.onnx")
        end = time.monotonic() + 20
        while not records and time.monotonic() < end:
            time.sleep(0.01)
    finally:
        anydim.log.to_stderr("warning")
    assert records and records[0].name == "own" and _capi.log_wait(0.0) is False


def test_a_process_ends_in_order_while_log_lines_are_passed_on() -> None:
    """A thread that waits in the library when the interpreter ends would end the whole process by `terminate`."""
    for last in (
        "",
        "anydim.log.to_stderr('warning')",
        "anydim.log.to_stderr('warning'); anydim.log.to_logging('info')",
    ):
        code = f"import anydim, logging\nlogging.basicConfig()\nanydim.log.to_logging('info')\n{last}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (last, done.returncode, done.stderr)
