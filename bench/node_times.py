# SPDX-License-Identifier: Apache-2.0
"""Where a model's time goes, node by node, in Anydim and in ONNX Runtime: runs both with their own profiles (ANYDIM_TRACE,
enable_profiling) in fresh processes, and lays them side by side.

The two fuse and reorder in different ways, so single nodes do not compare. What both name of the model's own nodes are marks
that part it into stretches: a stretch begins with a node that both name and goes up to the next one, in the order of the file. What an
engine adds (transposes, reorderings) belongs to the node before it. So all time is in some stretch, and stretches compare.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

ENGINES = ("anydim", "onnxruntime")
RUNS = 7


@dataclass(frozen=True)
class Event:
    """One execution of a node in a profile."""

    name: str
    what: str  # the kernel or operator that ran
    us: float


@dataclass(frozen=True)
class Stretch:
    """A part of the model that both engines name the beginning of; times in microseconds, of a run."""

    node: str  # that it begins with
    anydim_us: float
    onnxruntime_us: float
    anydim: str  # what ran there, with counts
    onnxruntime: str

    @property
    def more_us(self) -> float:
        return self.anydim_us - self.onnxruntime_us


def runs_of_anydim(trace: list[dict[str, Any]]) -> list[list[Event]]:
    """A trace has a slice per node, and then one of the run that they belong to."""
    runs: list[list[Event]] = [[]]
    for event in trace:
        if event.get("cat") == "node":
            name = re.sub(r" \([A-Za-z]+\)$", "", event["name"])
            runs[-1].append(Event(name, event["args"].get("kernel") or event["args"].get("operator", ""), event["dur"]))
        elif event.get("cat") == "run":
            runs.append([])
    return [run for run in runs if run]


def runs_of_onnxruntime(profile: list[dict[str, Any]]) -> list[list[Event]]:
    runs: list[list[Event]] = [[]]
    for event in profile:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            name = event["name"].removesuffix("_kernel_time").removesuffix("_nchwc")
            runs[-1].append(Event(name, event["args"].get("op_name", ""), event["dur"]))
        elif event.get("cat") == "Session" and event["name"] == "model_run":
            runs.append([])
    return [run for run in runs if run]


def typical(runs: list[list[Event]]) -> list[Event]:
    """One run, each of its events with the median time over the later half of the runs, which are alike."""
    alike = [run for run in runs[len(runs) // 2 :] if len(run) == len(runs[-1])]
    return [Event(e.name, e.what, median(run[i].us for run in alike)) for i, e in enumerate(runs[-1])]


def positions(model: Path) -> dict[str, int]:
    """Where a node is in the file, by its name and by those of its outputs."""
    import onnx

    found: dict[str, int] = {}
    for index, node in enumerate(onnx.load(str(model), load_external_data=False).graph.node):
        for name in (*node.output, node.name):
            if name:
                found.setdefault(name, index)
    return found


def stretches(ours: list[Event], theirs: list[Event], where: dict[str, int]) -> list[Stretch]:
    """The model in parts, those that cost us most more than them first."""
    marks = sorted(
        {where[e.name] for e in ours if e.name in where} & {where[e.name] for e in theirs if e.name in where}
    )
    names: dict[int, str] = {}
    times: dict[str, dict[int, float]] = {engine: defaultdict(float) for engine in ENGINES}
    kinds: dict[str, dict[int, dict[str, int]]] = {e: defaultdict(lambda: defaultdict(int)) for e in ENGINES}
    for engine, events in zip(ENGINES, (ours, theirs), strict=True):
        at = -1
        for event in events:
            at = where.get(event.name, at)
            mark = max((m for m in marks if m <= at), default=-1)
            if at == mark and event.name in where:
                names.setdefault(mark, event.name)
            times[engine][mark] += event.us
            kinds[engine][mark][event.what] += 1

    def told(engine: str, mark: int) -> str:
        return ", ".join(f"{n} {what}" if n > 1 else what for what, n in kinds[engine][mark].items())

    found = [
        Stretch(names.get(mark, "(the beginning)"), times["anydim"][mark], times["onnxruntime"][mark],
                told("anydim", mark), told("onnxruntime", mark))
        for mark in sorted({*times["anydim"], *times["onnxruntime"]})
    ]  # fmt: skip
    return sorted(found, key=lambda s: -s.more_us)


@dataclass
class Task:
    """What a profiled process does."""

    engine: str
    model: str  # name, which its inputs follow from
    path: str
    threads: int
    element: Any  # of the model's stream


def execute(task: Task) -> str:
    """Runs the model; returns the path of what the engine wrote, or nothing if it was asked to write there."""
    from stream_worker import feeds_of

    feeds = feeds_of(task.model, task.element)
    if task.engine == "anydim":
        import anydim

        session: Any = anydim.InferenceSession(task.path, threads=task.threads)
    else:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = task.threads
        options.log_severity_level = 4
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(tempfile.gettempdir()) / "zoo-profile")
        options.add_session_config_entry("session.set_denormal_as_zero", "1")
        session = onnxruntime.InferenceSession(task.path, options, providers=["CPUExecutionProvider"])
    if "" in feeds:
        feeds = {session.get_inputs()[0].name: feeds[""]}
    for _ in range(RUNS):
        session.run(None, feeds)
    return "" if task.engine == "anydim" else str(session.end_profiling())


def profile(task: Task) -> list[Event]:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        environment = dict(os.environ, ANYDIM_TRACE=str(trace))
        done = subprocess.run(
            [sys.executable, __file__], input=json.dumps(asdict(task)), capture_output=True, text=True, env=environment
        )
        if done.returncode != 0:
            raise RuntimeError(f"{task.engine} on {task.model} failed:\n{done.stderr[-2000:]}")
        if task.engine == "anydim":
            return typical(runs_of_anydim(json.loads(trace.read_text(encoding="utf-8"))))
        written = Path(done.stdout.splitlines()[-1])
        found = typical(runs_of_onnxruntime(json.loads(written.read_text(encoding="utf-8"))))
        written.unlink()
        return found


def compare(model: str, path: Path, threads: int, element: Any) -> list[Stretch]:
    ours, theirs = (profile(Task(engine, model, str(path), threads, element)) for engine in ENGINES)
    return stretches(ours, theirs, positions(path))


if __name__ == "__main__":
    print(execute(Task(**json.load(sys.stdin))))
