# SPDX-License-Identifier: Apache-2.0
"""The persistent cache from Python: where it is, what an empty one says, what is refused. Each case has a process of its own,
since the place is read once. Records, damage and many processes: tests/persistent_cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anydim
import pytest

pytestmark = pytest.mark.skipif(
    not anydim.cache.info()["enabled"] and "ANYDIM_CACHE" not in os.environ,
    reason="this build has no persistent cache",
)


def run(folder: Path, code: str, **more: str) -> str:
    environment = (
        os.environ | {"ANYDIM_CACHE": "on", "ANYDIM_CACHE_DIR": str(folder), "ANYDIM_CACHE_SYSTEM_DIR": ""} | more
    )
    done = subprocess.run(
        [sys.executable, "-c", "import anydim\n" + code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_empty_cache_reports_its_path_and_creates_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    code = "anydim.Engine(); print(anydim.cache.path(), anydim.cache.records(), anydim.cache.clear(), bool(anydim.cache.verify()))"
    assert run(folder, code) == f"{folder / 'cache-1.sqlite'} [] 0 True"
    assert not folder.exists()


def test_the_xdg_folder_is_the_default(tmp_path: Path) -> None:
    code = "print(anydim.cache.path())"
    assert run(tmp_path, code, ANYDIM_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path)) == str(
        tmp_path / "anydim" / "cache-1.sqlite"
    )
    assert run(tmp_path, code, ANYDIM_CACHE_DIR="", XDG_CACHE_HOME="", HOME=str(tmp_path)) == str(
        tmp_path / ".cache" / "anydim" / "cache-1.sqlite"
    )


def test_what_is_wrong_is_an_exception_that_says_so(tmp_path: Path) -> None:
    code = """
for call, kind in ((lambda: anydim.cache.import_from("/there/is/none"), anydim.NotFoundError),
                   (lambda: anydim.cache.export_to("out"), anydim.NotFoundError),
                   (lambda: anydim.cache.clear("plans"), anydim.InvalidArgumentError)):
    try:
        call()
    except kind as error:
        print(str(error)[:20])
"""
    assert len(run(tmp_path, code).splitlines()) == 3


def test_off_is_off(tmp_path: Path) -> None:
    code = """
print(anydim.cache.info()["enabled"], anydim.cache.describe()["off_because"], anydim.cache.records())
try:
    anydim.cache.path()
except anydim.UnimplementedError as error:
    print(error)
"""
    shown = run(tmp_path, code, ANYDIM_CACHE="off")
    assert shown == "0 ANYDIM_CACHE is off []\nthe persistent cache is off: ANYDIM_CACHE is off"


def test_counters_report_what_was_stored_and_found_and_reading_them_reads_no_file(tmp_path: Path) -> None:
    code = """
assert not any(value for name, value in anydim.counters().items() if name.startswith("persistent_cache_"))
import numpy
# On a busy machine a shape may be measured without a verdict, and nothing is stored for it: then the next one is.
for rows in range(60, 100):
    product = anydim.Engine().matmul(anydim.f32(rows, 64), numpy.ones((64, 80), numpy.float32), reuse="reusable_first")
    product(numpy.ones((rows, 64), numpy.float32))
    assert anydim.worker.drain(60)
    if anydim.counters()["persistent_cache_stores"]:
        break
told, told_by_the_cache = anydim.counters(), anydim.cache.info()
for name in ("hits", "misses", "stores", "store_failures", "damaged_records", "damaged_files", "load_failures", "entries"):
    assert told["persistent_cache_" + name] == told_by_the_cache[name], name
assert told["persistent_cache_evictions"] == told_by_the_cache["evicted"]
print(told["persistent_cache_stores"], told["persistent_cache_entries"], told["persistent_cache_store_failures"])
"""
    assert run(tmp_path, code) == "1 1 0"
