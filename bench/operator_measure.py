# SPDX-License-Identifier: Apache-2.0
"""One operator in Anydim and in ONNX Runtime: times in turns, results side by side, the kernels that ran (bench/operators.py).

A process of its own measures, so that a case that ends it or hangs costs that case only: `serve` is that process, `Worker` the other
end."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engines import open_anydim, open_onnxruntime
from kernel_case import Case

PROGRAM = Path(__file__).with_name("operators.py")
SECONDS = 0.03  # of each engine's calls
SLOW = 0.3  # seconds; a call that takes this long is made once more only
SHARE = 0.1  # of a run's time: the least for which a kernel is named
# Per dtype of a result: the largest difference, in parts of the largest element, that is no error of either engine.
TOLERANCES = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 2e-4, "float64": 1e-6}


def difference(ours: Any, theirs: Any) -> str:
    """What is wrong between two results; empty: nothing."""
    import numpy as np

    if isinstance(ours, list) or isinstance(theirs, list):
        if len(ours) != len(theirs):
            return f"{len(ours)} elements, ONNX Runtime {len(theirs)}"
        return next(filter(None, (difference(a, b) for a, b in zip(ours, theirs, strict=True))), "")
    if isinstance(ours, dict) or not hasattr(ours, "dtype"):
        return "" if ours == theirs or isinstance(ours, dict) else f"{ours!r}, ONNX Runtime {theirs!r}"
    theirs = np.asarray(theirs)
    if ours.shape != theirs.shape:
        return f"dims {ours.shape}, ONNX Runtime {theirs.shape}"
    if ours.size == 0 or np.array_equal(ours, theirs):
        return ""
    if ours.dtype.kind in "OUS":
        return "texts differ"
    if ours.dtype.kind in "iub":
        apart = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
        # Values that are rounded to 8 or 16 bits may round to either neighbour.
        step = 1 if ours.dtype.itemsize <= 2 and ours.dtype.kind != "b" else 0
        return "" if apart.max() <= step else f"{(apart > step).sum()} of {ours.size} differ, most by {apart.max():g}"
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if not (np.isfinite(a) == np.isfinite(b))[~same].all():
        return f"{(~same).sum()} of {ours.size} differ in what is a number"
    apart = np.abs(a - b)[~same & np.isfinite(a) & np.isfinite(b)]
    bound = TOLERANCES.get(str(ours.dtype), 0) * max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0)))
    worst = float(apart.max(initial=0))
    return "" if worst <= bound else f"{(apart > bound).sum()} of {ours.size} differ, most by {worst:g}"


def best_in_turns(calls: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Seconds of the fastest call of each, by turns of some calls: of this process, which has one thread, so that what else the machine
    does does not count."""
    best: dict[str, float] = {}
    for name, call in calls.items():
        begin = time.process_time()
        call()
        best[name] = time.process_time() - begin
    several = {name: max(1, int(0.002 / (took + 1e-9))) for name, took in best.items()}
    begin, turns = time.perf_counter(), 0
    while (
        turns < 1 or (time.perf_counter() - begin < seconds * len(calls)) or (turns < 3 and max(best.values()) < SLOW)
    ):
        for name, call in calls.items():
            for _ in range(min(several[name], 200)):
                start = time.process_time()
                call()
                best[name] = min(best[name], time.process_time() - start)
        turns += 1
    return best


def kernels_of(model: bytes, feeds: dict[str, Any]) -> tuple[list[str], bool]:
    """Those with a share of the run's time, the largest first, and whether one of them is a plain loop."""
    import anydim

    session = anydim.InferenceSession(model, threads=1, profile=True)
    for _ in range(2):
        session.run(None, feeds)
    times: dict[str, int] = {}
    for node in session.explain()["nodes"]:
        kernel = node.get("kernel") or node.get("primitive") or "-"
        times[kernel] = times.get(kernel, 0) + max(node.get("nanoseconds", 0), 0)
    whole = sum(times.values())
    named = [k for k in sorted(times, key=lambda k: -times[k]) if times[k] >= SHARE * whole]
    return named[:4], any("reference" in k for k in named)


def measure(case: Case, seconds: float = SECONDS) -> dict[str, Any]:
    import numpy as np

    model, feeds = case.model(), case.feeds()
    line: dict[str, Any] = {"name": case.name, "op": (case.domain + "." if case.domain else "") + case.op}
    try:
        ours = open_anydim(model, 1)
        found = ours.call(feeds)
    except Exception as failure:
        return line | {"refused": str(failure)[:300]}
    calls: dict[str, Callable[[], object]] = {"us": lambda: ours.call(feeds)}
    try:
        if any(
            array.dtype.kind == "V" or "bfloat" in str(array.dtype) or "int4" in str(array.dtype)
            for array in feeds.values()
        ):
            raise TypeError("numpy has no such dtype")
        theirs = open_onnxruntime(model, 1)
        expected = theirs.call(feeds)
        calls["peer_us"] = lambda: theirs.call(feeds)
        if not case.random:
            line["values"] = difference(list(found), list(expected))
    except Exception as failure:
        line["no_peer"] = str(failure)[:200]
    with np.errstate(all="ignore"):
        line |= {name: round(1e6 * took, 2) for name, took in best_in_turns(calls, seconds).items()}
    if "peer_us" in line:
        line["ratio"] = round(line["us"] / line["peer_us"], 3)
    line["kernels"], line["reference"] = kernels_of(model, feeds)
    return line


class Worker:
    """A process that measures; it is replaced when it ends or hangs, and after some hundred cases, so that memory stays small."""

    def __init__(self, limit: float, seconds: float) -> None:
        self.limit, self.seconds, self.served = limit, seconds, 0
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), "--serve", str(self.seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines: queue.Queue[str] = queue.Queue()
        self.errors: list[str] = []
        threading.Thread(target=self.read, args=(self.process, self.lines), daemon=True).start()
        threading.Thread(target=self.keep, args=(self.process, self.errors), daemon=True).start()
        self.served = 0

    @staticmethod
    def read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
        for line in process.stdout or ():
            lines.put(line)
        lines.put("")

    @staticmethod
    def keep(process: subprocess.Popen[str], errors: list[str]) -> None:
        for line in process.stderr or ():
            errors.append(line)
            del errors[:-20]

    def measure(self, name: str) -> dict[str, Any]:
        if self.process is None or self.process.poll() is not None or self.served >= 400:
            self.stop()
            self.start()
        assert self.process is not None
        assert self.process.stdin is not None
        self.served += 1
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        try:
            text = self.lines.get(timeout=self.limit + (30 if self.served == 1 else 0))
        except queue.Empty:
            self.stop()
            return {"name": name, "hung": self.limit}
        if not text:
            code = self.process.wait()
            self.stop()
            return {"name": name, "died": code, "said": "".join(self.errors)[-400:]}
        line: dict[str, Any] = json.loads(text)
        return line

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


def serve(named: dict[str, Case], seconds: float) -> None:
    """Reads names of cases, one a line, and writes a line of JSON for each. What engines print goes to the standard error."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        name = line.rstrip("\n")
        try:
            result = measure(named[name], seconds)
        except Exception as failure:  # a case that is written wrongly ends no run
            result = {"name": name, "broken": f"{type(failure).__name__}: {str(failure)[:300]}"}
        out.write(json.dumps(result) + "\n")
        out.flush()
