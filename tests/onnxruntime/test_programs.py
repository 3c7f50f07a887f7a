# SPDX-License-Identifier: Apache-2.0
"""Public programs of the package index that carry their ONNX models give the same results with the provider, and
with the module in ONNX Runtime's place; programs.py has the list."""

from __future__ import annotations

import subprocess

import pytest
from programs import PROGRAMS, ROOT, Program, compare, differ, environment


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_public_program_finds_the_same_three_ways(program: Program) -> None:
    outcome = compare(program, rounds=1, threads=1)
    assert not outcome.difference, outcome.difference
    assert outcome.with_provider == outcome.sessions > 0
    assert outcome.shapes > 0


def test_the_comparison_sees_differences() -> None:
    assert differ({"a": [1.0, "x"]}, {"a": [1.0001, "x"]}) == ""
    for other in (
        {"a": [1.1, "x"]},
        {"a": [1.0, "y"]},
        {"a": [1.0]},
        {"b": [1.0, "x"]},
        {"a": [float("nan"), "x"]},
        {"a": [None, "x"]},
    ):
        assert differ({"a": [1.0, "x"]}, other), other


@pytest.mark.long
def test_the_example_of_rapidocr_reads_its_own_pages() -> None:
    (program,) = (each for each in PROGRAMS if each.name == "rapidocr")
    command = [str(environment(program)), str(ROOT / "examples" / "hubs" / "rapidocr3.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count("Dynamic shapes 2026") == 2, done.stdout
