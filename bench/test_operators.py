# SPDX-License-Identifier: Apache-2.0
"""Which operators bench/operators.py has cases of, and what its figures mean, on lines made up for it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import operators
from kernel_case import Case
from operator_measure import Worker, difference
from operator_page import merged, page, slow, summary


def test_every_imported_operator_has_a_case_or_a_reason_to_have_none() -> None:
    assert operators.missing() == [], "a case belongs into one of bench/operator_*.py"


def test_there_are_some_thousand_cases_and_a_model_of_each_family_can_be_made() -> None:
    families: dict[str, Case] = {}
    count = 0
    for family, case in operators.cases():
        families.setdefault(family, case)
        count += 1
    assert count > 4000
    for case in families.values():
        assert case.model()
        assert case.feeds()


def test_a_case_that_ends_its_process_is_a_line_and_the_next_one_is_measured() -> None:
    worker = Worker(limit=60, seconds=0.001)
    worker.start()
    assert worker.process is not None
    worker.process.kill()
    worker.process.wait()
    try:
        assert "us" in worker.measure("Relu float32 16384"), "a process that has ended is replaced"
        assert "broken" in worker.measure("no such case")
        assert "us" in worker.measure("Neg float32 16384")
    finally:
        worker.stop()


def test_a_case_that_hangs_is_given_up() -> None:
    worker = Worker(limit=-29.99, seconds=0.001)
    try:
        assert "hung" in worker.measure("Relu float32 16384")
    finally:
        worker.stop()


def test_values_of_both_engines_are_held_against_each_other() -> None:
    a = np.arange(6, dtype=np.float32)
    assert difference([a], [a + 1e-6]) == ""
    assert "1 of 6 differ" in difference([a], [np.where(a == 3, 9, a)])
    assert "dims" in difference([a], [a[:5]])
    assert "a number" in difference([a], [np.where(a == 3, np.nan, a)])
    assert difference([a.astype(np.int8)], [a.astype(np.int8) + 1]) == "", "rounding to the other neighbour is no error"
    assert difference([a.astype(np.int64)], [a.astype(np.int64) + 1])
    assert difference([np.array(["a"], object)], [np.array(["b"], object)]) == "texts differ"


def test_a_first_turn_replaces_and_of_later_ones_the_best_ratio_counts(tmp_path: Path) -> None:
    def line(name: str, turn: int, ratio: float, us: float = 100.0) -> str:
        fields = {
            "name": name,
            "op": name,
            "family": "f",
            "turn": turn,
            "us": us,
            "peer_us": us / ratio,
            "ratio": ratio,
        }
        return json.dumps({**fields, "kernels": ["k.reference"], "reference": True})

    file = tmp_path / "results.jsonl"
    rows = [
        line("a", 0, 1.0),
        line("a", 0, 3.0),
        line("a", 1, 2.0),
        line("a", 2, 2.5),
        line("b", 0, 0.5),
        line("c", 0, 4.0, us=9.0),
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    lines = merged(file)
    assert {name: one["ratio"] for name, one in lines.items()} == {"a": 2.0, "b": 0.5, "c": 4.0}
    assert [one["name"] for one in slow(lines)] == ["a"], "a line of 9 us says what calling costs"
    assert f"geometric mean {math.sqrt(2.0 * 0.5):.3f}" in summary(lines)
    text = page(lines, {"cpu": {"cores": 2, "flags": ["avx512f"]}, "commit": "0"})
    assert "| a | 100 | 50 | 2.0 | `k.reference` |" in text
