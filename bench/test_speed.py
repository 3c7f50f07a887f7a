# SPDX-License-Identifier: Apache-2.0
"""What the figures of a stream mean, on calls made up for it; and that a target which is missed is called so."""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path
from typing import Any

import check
import pytest
from speed import error_over_shapes, figures, grown_shapes
from streams import ORDERS, shapes, visits

VISITS = [0, 1, 0, 2, 1, 0, 2, 1, 2]  # three shapes, each three times


def process(first: list[float], again: list[float], settled: list[float], grew: tuple[int, ...] = ()) -> dict[str, Any]:
    """One process: per shape its first call and its two later ones, in ms; `grew`: visits in which memory grew."""
    left = {shape: iter(times) for shape, times in enumerate(zip(first, again, settled, strict=True))}
    calls = [next(left[shape]) for shape in VISITS]
    return {"call_ms": calls, "grew": [visit in grew for visit in range(len(VISITS))]}


def test_the_ratio_is_the_geometric_mean_over_shapes_of_medians_over_processes() -> None:
    rounds = [process([f, 8, 2], [2, 4, 4], [2, 8, 4]) for f in (1.0, 2.0, 50.0)]
    found = figures(VISITS, rounds)
    assert found.ratio == pytest.approx((1.0 * 2.0 * 0.5) ** (1 / 3))
    assert found.settled_ratio == pytest.approx((1.0 * 1.0 * 0.5) ** (1 / 3))
    assert (found.first, found.revisit, found.worst) == (2 + 8 + 2, 2 + 8 + 4, 2.0)


def test_a_first_call_that_grew_is_kept_apart_and_said() -> None:
    found = figures(VISITS, [process([90, 4, 4], [2, 4, 4], [2, 4, 4], grew=(0,))] * 3)
    assert found.ratio == found.settled_ratio == 1.0
    assert (found.growths, found.growth_ms, found.worst) == (1.0, 88.0, 45.0)
    assert found.first == 98, "what a user waits has all of it"


def test_a_later_call_that_grew_is_no_revisit() -> None:
    # The second visit of shape 1 is the fifth call.
    found = figures(VISITS, [process([4, 4, 4], [4, 8, 4], [4, 2, 4], grew=(4,))] * 3)
    assert found.ratio == pytest.approx(2 ** (1 / 3)), "not half of it"


def test_the_error_is_that_of_a_mean_over_processes() -> None:
    paired = {0: [1.0, 2.0, 4.0], 1: [1.0, 2.0, 4.0], 2: [9.0, 9.0, 9.0]}
    assert error_over_shapes(paired, [0, 1]) == pytest.approx(math.log(2) / math.sqrt(3))
    assert error_over_shapes(paired, [2]) == 0
    assert math.isnan(error_over_shapes({0: [1.0, 2.0]}, [0]))


def test_growth_in_few_processes_leaves_a_shape_in() -> None:
    rounds = [process([4, 4, 4], [2, 4, 4], [4, 4, 4], grew=(0,) if i == 0 else ()) for i in range(3)]
    assert grown_shapes(VISITS, rounds) == set()
    assert figures(VISITS, rounds).ratio == pytest.approx(2 ** (1 / 3))


def test_an_engine_that_grows_with_every_shape_does_not_hide_its_stall() -> None:
    rounds = [process([9, 9, 9], [3, 3, 3], [3, 3, 3], grew=(0, 1, 3))] * 3
    assert grown_shapes(VISITS, rounds) == set()
    assert figures(VISITS, rounds).ratio == pytest.approx(3.0)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_every_shape_is_met_three_times_and_never_twice_in_a_row(count: int) -> None:
    order = visits(count)
    assert all(order.count(shape) >= 3 for shape in range(count))
    assert all(a != b for a, b in itertools.pairwise(order))


def test_both_orders_of_a_stream_have_the_same_distinct_shapes() -> None:
    for model in ("det", "rec", "cls", "yolo"):
        growing, mixed = (shapes(model, order, seed=3) for order in ORDERS)
        assert sorted(growing) == sorted(mixed) and len(set(mixed)) == len(mixed)
        assert growing != mixed


def test_a_missed_target_and_a_missing_result_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    targets = {"targets": [{"name": "memory", "from": "a test", "kind": "memory", "figure": "most", "at_most": 2.0}]}
    (tmp_path / "targets.json").write_text(json.dumps(targets))
    command = ["check.py", "--results", str(tmp_path), "--targets", str(tmp_path / "targets.json")]

    def verdict(value: float | None) -> tuple[int, str]:
        if value is not None:
            rows = [{"engine": "anydim in C", "order": "growing", "most": value}]
            document = {"rows": rows, "machine": {"when": "now", "commit": "none"}}
            (tmp_path / "memory-1.json").write_text(json.dumps(document))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", command)
            return check.main(), capsys.readouterr().out

    code, text = verdict(None)
    assert code == 1 and "no result" in text
    code, text = verdict(2.5)
    assert code == 1 and "SHORT" in text
    code, text = verdict(float("nan"))
    assert code == 1 and "SHORT" in text
    code, text = verdict(2.0)
    assert code == 0 and "every target is met" in text
