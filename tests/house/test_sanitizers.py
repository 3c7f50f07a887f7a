# SPDX-License-Identifier: Apache-2.0
"""The sanitizers' lists of test programs leave none out: a folder that gets its first test is on them, or this says so."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FULL: dict[str, list[str]] = runpy.run_path(str(ROOT / "tests" / "sanitizers" / "run.py"))["FULL"]


# Rooms of these folders have one program (CMakeLists.txt).
ROOM = re.compile(r"^(core/(?:base|ops|dispatch|run)|core/kernels/[a-z_]+|onnx)/.*$")


def programs(words: tuple[str, ...] = ("",)) -> set[str]:
    """The unit tests' programs, one per folder or family as CMakeLists.txt makes them, that have one of the words in their sources."""
    return {
        ROOM.sub(r"\1", path.parent.relative_to(ROOT).as_posix()).replace("/", "_") + "_test"
        for layer in ("core", "onnx", "bindings/python")
        for path in (ROOT / layer).rglob("*_test.cpp")
        if any(word in path.read_text(encoding="utf-8") for word in words)
    }


def test_every_program_of_unit_tests_runs_under_address_sanitizer() -> None:
    assert len(programs()) > 15
    assert programs() - set(FULL["address"]) == set()


@pytest.mark.parametrize("kind", ["address", "thread"])
def test_programs_that_start_threads_run_under_both_kinds(kind: str) -> None:
    threaded = programs(("std::thread", "pthread_create", "Parallel("))
    assert "core_base_test" in threaded
    assert threaded - set(FULL[kind]) == set()
