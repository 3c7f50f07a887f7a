# SPDX-License-Identifier: Apache-2.0
"""Writes what a benchmark found: a summary into bench/results/, which may be committed, and every sample into build/bench/, which is not.

A summary has the command, the machine, the figures that check.py judges, and per shape the median over processes with its
quartiles. What stands in a document under `runs` (times of single calls by process) or `layers` (single searches) is samples.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from speed import split

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
SAMPLES = ROOT / "build" / "bench"
DIGITS = 4  # significant ones of a time by shape: none is known better; what check.py judges stays as it is


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def interval(values: list[float]) -> list[float]:
    """Lower quartile, median, upper quartile."""
    if len(values) < 2:
        return [values[0]] * 3
    low, _, high = quantiles(values, n=4, method="inclusive")
    return [low, median(values), high]


def over_processes(visits: list[int], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """What single calls of several processes come to, shape by shape."""
    times = [split(visits, run["call_ms"]) for run in runs]
    grew = [split(visits, run["grew"])[0] for run in runs]
    shapes = sorted(times[0][0])
    return {
        "processes": len(runs),
        "version": runs[0]["version"],
        "load_ms": interval([run["load_ms"] for run in runs]),
        "first_ms": [interval([first[shape] for first, _ in times]) for shape in shapes],
        "first_again_ms": [interval([later[shape][0] for _, later in times]) for shape in shapes],
        "second_again_ms": [interval([later[shape][1] for _, later in times]) for shape in shapes],
        "first_grew": [sum(process[shape] for process in grew) for shape in shapes],
    }


def summarise(document: dict[str, Any]) -> dict[str, Any]:
    """The document without samples; what it says of streams, by shape."""
    short = {key: value for key, value in document.items() if key != "layers"}
    if "streams" in short:
        short["comment"] = "times in ms: lower quartile, median, upper quartile over processes, by shape"
        short["streams"] = []
        for stream in document["streams"]:
            kept = {key: value for key, value in stream.items() if key not in ("runs", "visits")}
            by_shape = {who: over_processes(stream["visits"], runs) for who, runs in stream["runs"].items()}
            kept["by_shape"] = rounded(by_shape)
            short["streams"].append(kept)
    if "models" in short:
        short["models"] = [
            rounded({key: value for key, value in m.items() if key != "runs"}) for m in document["models"]
        ]
    return short


def write(document: dict[str, Any], name: str, out: Path | None = None) -> Path:
    """`name`: of the file, without its folder and suffix. `out`: another place for the summary. Returns where that is."""
    document = {"command": shlex.join(["python3", *sys.argv]), **document}
    SAMPLES.mkdir(parents=True, exist_ok=True)
    (SAMPLES / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    out = out or RESULTS / f"{name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(summarise(document), separators=(",", ":")) + "\n", encoding="utf-8")
    return out
