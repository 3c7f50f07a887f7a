# SPDX-License-Identifier: Apache-2.0
"""What the figures of many threads on one session mean, on calls made up for it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import check
import pytest
from fairness import Crowd, crowd, figures, held, limits


def test_a_figure_is_the_median_of_its_rounds_and_the_longest_call_that_of_all() -> None:
    found = figures([Crowd(2, 10.0, [1.0] * 98 + [7.0]), Crowd(2, 30.0, [2.0]), Crowd(2, 20.0, [50.0])])
    assert (found.rate, found.p50_ms, found.p99_ms, found.longest_ms) == (20.0, 2.0, 7.0, 50.0)
    assert found.mean_ms == pytest.approx(2.0)


def test_ours_is_held_against_the_best_peer_and_its_own_calls_without_a_crowd() -> None:
    def engine(rate_at_cores: float, rate: float, p99: float, longest: float) -> Any:
        few = figures([Crowd(2, rate_at_cores, [20.0])])
        return {2: few, 8: figures([Crowd(8, rate, [1.0] * 98 + [p99, longest])])}

    found = {"anydim": engine(100, 80, 90, 90), "a": engine(1, 1, 100, 100), "b": engine(1, 1, 60, 60)}
    figure = held(found, cores=2)
    assert figure["p99_over_peer"] == pytest.approx(1.5)
    assert figure["rate_at_cores_over_many"] == pytest.approx(1.25)
    assert figure["longest_over_allowed"] == pytest.approx(90 / (3 * 4 * 20))


def test_every_thread_is_counted() -> None:
    threads: set[int] = set()
    found = crowd(lambda: threads.add(threading.get_ident()), 3, 0.05)
    assert len(threads) == 3 and found.rate > 0 and found.call_ms


def test_a_figure_that_is_missed_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(limits()) == {"p99_over_peer", "rate_at_cores_over_many", "longest_over_allowed"}
    row = {"what": "rec", **dict.fromkeys(limits(), 0.5), "p99_over_peer": 1.2}
    document = {"machine": {"when": "now", "commit": "0"}, "rows": [row]}
    (tmp_path / "fairness-1.json").write_text(json.dumps(document))
    wanted = {
        "targets": [
            t for t in json.loads(Path(check.HERE / "targets.json").read_text())["targets"] if t["kind"] == "fairness"
        ]
    }
    (tmp_path / "targets.json").write_text(json.dumps(wanted))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["check", "--results", str(tmp_path), "--targets", str(tmp_path / "targets.json")])
        assert check.main() == 1
    assert "1 figures fall short" in capsys.readouterr().out
