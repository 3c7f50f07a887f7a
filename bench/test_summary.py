# SPDX-License-Identifier: Apache-2.0
"""A summary has the figures, the command and the machine, and no samples; those are kept beside the build."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import summary

ROOT = Path(__file__).resolve().parent.parent
VISITS = [0, 1, 0, 1, 0, 1]


def document() -> dict[str, Any]:
    runs = [
        {
            "load_ms": 5.0 + i,
            "version": "1",
            "call_ms": [10.0 * (i + 1), 3.0, 2.0, 1.0, 4.0, 5.0],
            "grew": [i == 0] + [False] * 5,
        }
        for i in range(3)
    ]
    figures = {"anydim": {"ratio": 1.0123456789}}
    stream = {
        "model": "rec",
        "threads": 2,
        "shapes": [[1, 2], [3, 4]],
        "visits": VISITS,
        "runs": {"anydim": runs},
        "figures": figures,
    }
    return {"kind": "speed", "machine": {"commit": "none"}, "streams": [stream], "layers": [{"name": "a search"}]}


def test_a_summary_has_intervals_over_processes_and_no_samples() -> None:
    short = summary.summarise(document())
    (stream,) = short["streams"]
    assert not {"runs", "visits"} & set(stream) and "layers" not in short
    found = stream["by_shape"]["anydim"]
    assert found["processes"] == 3
    assert found["first_ms"] == [[15.0, 20.0, 25.0], [3.0, 3.0, 3.0]]
    assert found["first_again_ms"][0] == [2.0] * 3 and found["second_again_ms"][0] == [4.0] * 3
    assert found["first_grew"] == [1, 0] and found["load_ms"] == [5.5, 6.0, 6.5]
    assert stream["figures"] == document()["streams"][0]["figures"], "what is judged stays as it was measured"


def test_samples_are_kept_beside_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "SAMPLES", tmp_path / "samples")
    monkeypatch.setattr(summary, "RESULTS", tmp_path / "results")
    out = summary.write(document(), "speed-now")
    assert out == tmp_path / "results" / "speed-now.json" and "runs" not in out.read_text()
    samples = json.loads((tmp_path / "samples" / "speed-now.json").read_text())
    assert samples["streams"] == document()["streams"] and samples["layers"]
    assert json.loads(out.read_text())["command"] == samples["command"] != ""


def test_the_results_in_the_repository_are_summaries() -> None:
    listed = subprocess.run(["git", "ls-files", "bench/results/*.json"], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.split():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert len(text) < 100_000 and '"runs"' not in text and '"layers":[{' not in text, name
        kept = json.loads(text)
        assert kept["command"] and kept["machine"]["commit"] and kept["machine"]["cpu"], name
