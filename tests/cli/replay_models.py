# SPDX-License-Identifier: Apache-2.0
"""Verbose lines, traces and replay from outside, on real models: every distinct line of a run of rec, cls and det is replayed with
bits equal to the reference; Python reads the lines with a CSV reader and the trace with its JSON.

  replay_models.py PROGRAM MODELS
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM, MODELS = sys.argv[1], Path(sys.argv[2])
SHAPES = {"rec": ["x:1,3,48,40", "x:2,3,48,33"], "cls": ["x:3,3,48,192"], "det": ["x:1,3,64,96"]}
FIELDS = 13


def run(
    *words: str | Path, variables: dict[str, str] | None = None, status: int = 0
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ANYDIM_") or k == "ANYDIM_MAX_ISA"}
    done = subprocess.run(
        [PROGRAM, *map(str, words)], capture_output=True, text=True, env=environment | (variables or {})
    )
    assert done.returncode == status, (
        f"anydim {' '.join(map(str, words))}: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    )
    return done


def check_lines(folder: Path) -> None:
    log = folder / "log.txt"
    nodes = 0
    for model, shapes in SHAPES.items():
        for shape in shapes:
            described = json.loads(run("explain", MODELS / f"{model}.onnx", "--shape", shape, "--json").stdout)
            nodes += len(described["nodes"])
            run(
                "run",
                MODELS / f"{model}.onnx",
                "--random",
                shape,
                variables={"ANYDIM_VERBOSE": "1", "ANYDIM_VERBOSE_FILE": str(log)},
            )
    rows = list(csv.reader(log.open(newline="")))
    assert len(rows) == nodes, f"{len(rows)} lines; the runs have {nodes} nodes"
    for row in rows:
        assert len(row) == FIELDS and row[:4] == ["anydim", "v1", "execute", "cpu"], row
        assert row[4] and row[5] and "out0=" in row[6] and row[9] and row[10] in ("reusable", "specialised"), row
        assert float(row[11]) > 0 and row[12].startswith("scratch="), row
    result = json.loads(run("replay", log, "--json", "--repeat", "1").stdout)
    assert result["failed"] == 0 and result["differing"] == 0, result
    assert result["equal"] == len(result["results"]) and result["equal"] + result["repeated_lines"] == len(rows)
    assert all(r["checked"] and r["equal"] for r in result["results"])
    kernels = {r["kernel"] for r in result["results"]}
    assert len(kernels) > 8 and not all("reference" in k for k in kernels), kernels
    flops = [r for r in result["results"] if r["operator"].startswith("convolution")]
    assert flops and all(r["gflops"] > 0 for r in flops)
    print(f"{len(rows)} lines, {result['equal']} distinct problems on {len(kernels)} kernels: all bits equal")

    # One line alone, as an argument and through a pipe; another kernel; a damaged line among good ones.
    text = log.read_text().splitlines()
    line = next(t for t in text if ",convolution" in t or ',"convolution' in t)
    shown = run("replay", line, "--seed", "7", "--threads", "1").stdout
    assert "seed 7" in shown and "equal" in shown and "1 lines: 1 equal" in shown, shown
    other = json.loads(
        run("replay", line, "--kernel", "conv.reference", "--json", "--no-check", "--repeat", "1").stdout
    )
    assert other["results"][0]["kernel"] == "conv.reference" and not other["results"][0]["checked"]
    damaged = folder / "damaged.txt"
    damaged.write_text("somebody else's line\n" + line + "\n" + line.replace("f32[", "f33[", 1) + "\n")
    done = run("replay", damaged, "--json", "--repeat", "1", status=1)
    assert json.loads(done.stdout)["failed"] == 1 and json.loads(done.stdout)["equal"] == 1
    assert "damaged.txt:3: field tensors at byte" in done.stderr and "f33" in done.stderr, done.stderr
    assert "no kernel named 'conv.magic'" in run("replay", line, "--kernel", "conv.magic", status=1).stderr
    assert "neither a file" in run("replay", "/nowhere/log", status=1).stderr
    assert "no execute line" in run("replay", __file__, status=1).stderr


def check_levels(folder: Path) -> None:
    cls = MODELS / "cls.onnx"
    quiet = run("run", cls, "--random", "x:1,3,48,192")
    assert "anydim,v1" not in quiet.stderr
    loud = run("run", cls, "--random", "x:1,3,48,192", variables={"ANYDIM_VERBOSE": "2"}).stderr.splitlines()
    events = [row[2] for row in csv.reader(loud)]
    assert events.count("create") > 10 and events.count("execute") > 10, (
        events.count("create"),
        events.count("execute"),
    )
    created = next(row for row in csv.reader(loud) if row[2] == "create")
    assert len(created) == FIELDS and "source=" in created[12], created
    wrong = run(
        "run",
        cls,
        "--random",
        "x:1,3,48,192",
        variables={"ANYDIM_VERBOSE": "loud", "ANYDIM_VERBOSE_FILE": "/nowhere/log"},
    ).stderr
    assert "ANYDIM_VERBOSE is 'loud'" in wrong and "ANYDIM_VERBOSE_FILE is '/nowhere/log'" in wrong, wrong


def check_trace(folder: Path) -> None:
    cls = MODELS / "cls.onnx"
    trace = folder / "trace.json"
    run("run", cls, "--random", "x:8,3,48,192", "--repeat", "3", variables={"ANYDIM_TRACE": str(trace)})
    events = json.loads(trace.read_text())
    slices = [e for e in events if e.get("ph") == "X"]
    runs = [e for e in slices if e["cat"] == "run"]
    nodes = [e for e in slices if e["cat"] == "node"]
    assert len(runs) == 3 and len(nodes) % 3 == 0 and len(nodes) > 30
    assert any(e["cat"] == "creation" for e in slices)
    assert any(e.get("cat") == "growth" for e in events), "a batch of 8 needs more than a context starts with"
    for e in nodes:
        assert {"kernel", "tier", "operator", "tensors", "threads"} <= e["args"].keys(), e
        assert any(r["ts"] - 0.002 <= e["ts"] and e["ts"] + e["dur"] <= r["ts"] + r["dur"] + 0.002 for r in runs), e
    assert {e["name"] for e in events if e["ph"] == "M"} == {"process_name", "thread_name"}

    # Killed half-way: all but the end is there.
    cut = folder / "cut.json"
    environment = dict(os.environ, ANYDIM_TRACE=str(cut))
    endless = [PROGRAM, "run", str(cls), "--random", "x:1,3,48,192", "--repeat", "1000000"]
    process = subprocess.Popen(endless, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while (not cut.exists() or cut.stat().st_size < 100_000) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(json.loads(cut.read_text() + "]")) > 100
    print(f"a trace of {len(events)} events; another cut short")


def main() -> None:
    assert (MODELS / "rec.onnx").exists(), f"{MODELS} has no models: make models"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_levels(folder)
        check_trace(folder)
        check_lines(folder)


if __name__ == "__main__":
    main()
