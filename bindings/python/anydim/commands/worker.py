# SPDX-License-Identifier: Apache-2.0
"""One fresh process of `anydim bench`: loads a model in one engine, calls it at the shapes, and prints the times. A task as JSON on the
standard input, times as JSON on the standard output; `measure` does both ends.

The first pass over the shapes has the first calls. The second is not counted: ONNX Runtime lays its memory out for a shape when it
meets it again. Later passes go on until the duration is over, at least two; so each call comes right after another shape. The input of
a call is copied right before it, as by a program that has just decoded it.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

from . import Failure
from .shapes import Shape, values_of


@dataclass
class Task:
    """What one process does."""

    engine: str
    model: str
    dtypes: dict[str, int]  # of the inputs
    shapes: list[Shape]
    warm_up_shape: Shape
    warm_up: int
    threads: int
    callers: int
    duration: float
    seed: int
    math: str
    reuse: str


@dataclass
class Times:
    """What it took, in milliseconds; `later` has one list for each shape."""

    version: str
    load: float
    first: list[float]
    later: list[list[float]]
    calls: int  # by all callers together
    seconds: float  # in which they were


def execute(task: Task) -> Times:
    """Runs the task in this process."""
    from .engines import load

    begin = time.perf_counter()
    loaded = load(task.engine, task.model, task.threads, task.callers, task.math, task.reuse)
    load_ms = (time.perf_counter() - begin) * 1e3
    feeds = [values_of(shape, task.dtypes, task.seed) for shape in task.shapes]
    warm = values_of(task.warm_up_shape, task.dtypes, task.seed)
    for _ in range(task.warm_up):
        loaded.call(warm)

    def timed(which: int) -> float:
        now = {name: value.copy() for name, value in feeds[which].items()}
        start = time.perf_counter()
        loaded.call(now)
        return (time.perf_counter() - start) * 1e3

    gc.disable()
    everything = range(len(feeds))
    first = [timed(i) for i in everything]
    for i in everything:
        timed(i)
    later: list[list[float]] = [[] for _ in everything]
    failed: list[BaseException] = []
    end = time.perf_counter() + task.duration

    def caller(number: int) -> None:
        try:
            passes = 0
            while passes < 2 or time.perf_counter() < end:
                for i in everything:
                    which = (i + number) % len(feeds)
                    later[which].append(timed(which))
                passes += 1
        except BaseException as error:
            failed.append(error)

    start = time.perf_counter()
    if task.callers == 1:
        caller(0)
    else:
        threads = [threading.Thread(target=caller, args=(n,)) for n in range(task.callers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    seconds = time.perf_counter() - start
    if failed:
        raise failed[0]
    return Times(loaded.version, load_ms, first, later, sum(map(len, later)), seconds)


def measure(task: Task) -> Times:
    """Runs the task in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(asdict(task)), capture_output=True, text=True, check=False
    )
    answer: dict[str, Any] = {}
    if done.returncode == 0 and done.stdout.strip():
        answer = json.loads(done.stdout.splitlines()[-1])
    if "error" in answer or not answer:
        words = answer.get("error") or f"its process ended with status {done.returncode}: {done.stderr[-2000:]}"
        raise Failure(f"{task.engine} on {task.model}: {words}")
    return Times(**answer)


if __name__ == "__main__":
    try:
        print(json.dumps(asdict(execute(Task(**json.load(sys.stdin))))))
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
