# SPDX-License-Identifier: Apache-2.0
"""The node cases of the `onnx` package: none is wrong, and no fewer pass than before. node_cases.py runs them."""

from __future__ import annotations

import os

import pytest
from node_cases import PASSED, WRONG, Outcome, collect, run_all, summary, table, write

# Raised when operators are added; a fall below it is a regression. The issue asked for 500.
FLOOR = 1000


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    names = [case.name for case in collect()]
    result = run_all(names, len(os.sched_getaffinity(0)))
    assert [outcome.case for outcome in result] == names
    write(result)
    return result


def test_no_node_case_is_wrong(outcomes: list[Outcome], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{table(outcomes)}\n{summary(outcomes)}")
    wrong = [f"{outcome.case}: {outcome.message}" for outcome in outcomes if outcome.verdict == WRONG]
    assert not wrong, "\n".join(wrong)


def test_no_fewer_node_cases_pass_than_before(outcomes: list[Outcome]) -> None:
    assert sum(outcome.verdict == PASSED for outcome in outcomes) >= FLOOR
