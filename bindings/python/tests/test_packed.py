# SPDX-License-Identifier: Apache-2.0
"""anydim.packed: one file of packed weights for all processes, made by the first of them; one session of a process for one model."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import anydim
import numpy as np
import pytest
import small_models
from anydim import _capi, packed

# A process that opens a session with the default file, and prints how many weights it mapped, and what its rows come to.
OPEN = """
import logging, sys
import numpy as np
import anydim
from anydim import _capi, packed
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
session = packed.shared_session(sys.argv[1], threads=1)
counts = _capi.model_query(session._model)
print(counts["mapped_weights"], counts["packed_weights"], session.run(None, {"x": np.ones((1, 8), np.float32)})[0].sum())
"""


def product(weights: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> bytes:
    return small_models.model(
        [small_models.node("MatMul", ["x", "w"], ["y"])],
        inputs=[small_models.value("x", 1, ["n", weights.shape[0]])],
        outputs=[small_models.value("y", 1, ["n", weights.shape[1]])],
        constants=[small_models.tensor("w", weights)],
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "product.onnx"
    path.write_bytes(product(np.arange(8 * 16, dtype=np.float32).reshape(8, 16)))
    return path


def counts_of(session: anydim.InferenceSession) -> tuple[int, int]:
    counts = _capi.model_query(session._model)
    return counts["mapped_weights"], counts["packed_weights"]


def opened(model: Path, cache: Path | str, count: int = 1, **variables: str) -> list[tuple[str, str]]:
    """Standard output and error of processes that open it at the same time."""
    environment = os.environ | {"ANYDIM_CACHE": "on", "ANYDIM_CACHE_DIR": str(cache)} | variables
    command = [sys.executable, "-c", OPEN, str(model)]
    pipes = subprocess.PIPE
    started = [subprocess.Popen(command, env=environment, stdout=pipes, stderr=pipes, text=True) for _ in range(count)]
    ended = [process.communicate(timeout=300) for process in started]
    assert all(process.returncode == 0 for process in started), ended
    return ended


def test_a_file_that_is_not_there_is_made_and_mapped(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "product.packed"
    session = packed.shared_session(model, path, threads=1)
    assert counts_of(session) == (1, 1)
    made = path.stat()
    del session
    gc.collect()
    assert counts_of(packed.shared_session(model, path, threads=1)) == (1, 1)
    assert path.stat() == made, "it was written again"
    assert sorted(os.listdir(tmp_path)) == ["product.onnx", "product.packed"], "something lies beside it"


def test_processes_that_come_at_once_make_the_default_file_once_and_all_map_it(model: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    ended = opened(model, cache, count=6)
    assert {out for out, _ in ended} == {ended[0][0]} and ended[0][0].startswith("1 1 ")
    assert sum(log.count("packed in") for _, log in ended) == 1
    (made,) = (cache / "packed").iterdir()
    assert made.name.startswith("product-") and made.suffix == ".packed"


def test_the_default_file_is_that_of_equal_bytes_and_equal_packing(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "product.onnx"
    copy.parent.mkdir()
    shutil.copy(model, copy)
    path = packed.default_file(model)
    assert packed.default_file(copy) == path
    assert packed.default_file(model, threads=3, bounds={"x": ((1, 4), 8)}, reuse="auto", contexts=2) == path
    others = {path, packed.default_file(model, math="fast"), packed.default_file(model, passes="none")}
    copy.write_bytes(product(np.ones((8, 16), np.float32)))
    others.add(packed.default_file(copy))
    assert len(others) == 4


@pytest.mark.parametrize("how", ["off", "no folder"])
def test_without_a_place_for_the_default_file_the_session_packs_for_itself_and_says_so(
    model: Path, tmp_path: Path, how: str
) -> None:
    (tmp_path / "file").touch()
    variables = {"ANYDIM_CACHE": "off"} if how == "off" else {}
    ((out, log),) = opened(model, tmp_path / "file" / "folder", **variables)
    assert out.startswith("0 1 ") and "WARNING" in log and "of its own" in log


def test_a_damaged_default_file_is_written_again(model: Path, tmp_path: Path) -> None:
    ((out, _),) = opened(model, tmp_path / "cache")
    (path,) = (tmp_path / "cache" / "packed").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    ((again, log),) = opened(model, tmp_path / "cache")
    assert again == out and "made anew" in log and path.read_bytes() == whole


def test_a_damaged_file_that_was_named_is_an_error_and_stays(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "product.packed"
    path.write_bytes(b"no packed weights")
    with pytest.raises(anydim.FileError):
        packed.shared_session(model, path)
    assert path.read_bytes() == b"no packed weights"


def test_a_file_of_another_model_changes_no_result_and_is_reported(
    model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other, path = tmp_path / "other.onnx", tmp_path / "other.packed"
    other.write_bytes(product(np.ones((8, 16), np.float32)))
    packed.make_file(other, path)
    x = np.ones((2, 8), np.float32)
    with caplog.at_level(logging.WARNING, "anydim.packed"):
        found = packed.shared_session(model, path, threads=1).run(None, {"x": x})[0]
    assert "has 0 of the 1 packed weights" in caplog.text
    assert np.array_equal(found, anydim.InferenceSession(model).run(None, {"x": x})[0])


def test_a_file_that_cannot_be_made_where_it_was_asked_for_is_an_error(model: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        packed.shared_session(model, tmp_path / "nowhere" / "product.packed")


def test_one_session_serves_a_process_while_it_is_used_and_the_file_stays_the_same(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "product.packed"
    one = packed.shared_session(model, path, threads=1)
    assert packed.shared_session(model, path, threads=1) is one
    assert packed.shared_session(model, path, threads=2) is not one
    replaced = tmp_path / "new.onnx"
    replaced.write_bytes(product(np.ones((8, 16), np.float32)))
    os.replace(replaced, model)
    other = packed.shared_session(model, tmp_path / "new.packed", threads=1)
    assert other is not one and other.run(None, {"x": np.ones((1, 8), np.float32)})[0][0, 0] == 8


def test_a_forked_child_has_the_session_of_its_parent(model: Path, tmp_path: Path) -> None:
    code = (
        "import os, sys, numpy as np\nfrom anydim import packed\n"
        "open_ = lambda: packed.shared_session(sys.argv[1], sys.argv[2], threads=1)\n"
        "held = open_()\nif os.fork() == 0:\n"
        "    y = open_().run(None, {'x': np.ones((1, 8), np.float32)})[0]\n"
        "    os._exit(0 if y.shape == (1, 16) and open_() is held else 3)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(model), str(tmp_path / "p.packed")], check=True, timeout=300)


def test_what_is_no_path_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="expected a path"):
        packed.shared_session(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(anydim.FileError, match=r"nothing\.onnx"):
        packed.shared_session(tmp_path / "nothing.onnx")
