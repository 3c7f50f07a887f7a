# SPDX-License-Identifier: Apache-2.0
"""The floors of tests/stages.toml: tools/run_tests.py counts what runners say and fails a stage that lost tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import run_tests  # noqa: E402


@pytest.mark.parametrize(
    "line, tests",
    [
        ("100% tests passed, 0 tests failed out of 44", 44),
        ("95% tests passed, 2 tests failed out of 44", 42),
        ("===== 86 passed, 3 skipped, 2 deselected in 12.34s =====", 89),
        ("1 failed, 85 passed in 2.1s", 85),
        ("3 passed, 0 failed", 3),
        ("exit status 1", 0),
    ],
)
def test_a_runners_own_line_reports_how_many_tests_there_were(line: str, tests: int) -> None:
    assert run_tests.tests_of(line) == tests


def test_cases_and_golden_vectors_are_counted_inside_programs(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(
        '<testsuites tests="7" failures="1" disabled="1"><testsuite><testcase><properties>'
        '<property name="golden_vectors" value="217"/></properties></testcase></testsuite></testsuites>'
    )
    (tmp_path / "two.xml").write_text('<testsuites tests="3" failures="0" disabled="0"/>')
    assert run_tests.cases_of(tmp_path) == (8, 217)


def test_a_stage_that_lost_golden_vectors_is_below_its_floor() -> None:
    floor = {"tests": 44, "cases": 700, "golden": 217}
    assert run_tests.below(floor, {"tests": 44, "cases": 700, "golden": 217}) == ""
    assert "216 golden" in run_tests.below(floor, {"tests": 50, "cases": 800, "golden": 216})


def test_every_stage_has_a_floor_and_there_are_as_many_golden_vectors_as_it_says() -> None:
    stages = run_tests.read_stages()
    assert all(stage.floor.get("tests", 0) > 0 for stage in stages)
    vectors = (ROOT / "tests" / "vectors" / "strict.txt").read_text(encoding="utf-8")
    golden = sum(line.startswith("hash ") for line in vectors.splitlines())
    (units,) = (stage for stage in stages if stage.name == "units")
    assert golden >= units.floor["golden"], "tests/vectors/strict.txt lost vectors"


def test_adjacent_stages_marked_together_run_in_one_batch_and_others_alone() -> None:
    stages = [
        run_tests.Stage(name, "", "quick", "true", {}, together)
        for name, together in (("a", True), ("b", True), ("c", False), ("d", True), ("e", False))
    ]
    assert [[s.name for s in batch] for batch in run_tests.batches(stages)] == [["a", "b"], ["c"], ["d"], ["e"]]


def test_a_stage_of_a_batch_shows_its_output_in_one_piece_and_its_failure_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_tests, "LOGS", tmp_path)
    line = "for i in 1 2 3; do echo {0}; sleep 0.05; done; echo '{1} passed, 0 failed'"
    stages = [
        run_tests.Stage(name, "", "quick", f'sh -c "{line.format(name, count)}"', {"tests": 5}, True)
        for name, count in (("first", 5), ("second", 4))
    ]
    outcomes = run_tests.run_batch(stages, jobs=2)
    assert [outcome.passed for outcome in outcomes] == [True, False]
    written = capsys.readouterr().out
    assert "first\nfirst\nfirst\n" in written and "second\nsecond\nsecond\n" in written
