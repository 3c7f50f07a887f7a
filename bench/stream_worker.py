# SPDX-License-Identifier: Apache-2.0
"""One fresh process of bench/growth.py or bench/zoo.py: loads a model in one engine, calls its first shape twice and each further one
several times in a row, and prints how long that took. The first call of a shape is what a new shape costs, with all the memory
that it needs; the median of the others is `later`. Reads one JSON object from standard input, writes one to standard output;
`measure` does both ends. The input is written right before each call, as by an application.
"""

from __future__ import annotations

import gc
import json
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pages

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

REPEATS = 5


@dataclass
class Task:
    """What one process does. An element of the stream is a size of a made model, sizes by name of an architecture of the zoo,
    or the shape of a model's one input."""

    engine: str
    model: str
    path: str
    threads: int
    stream: list[Any]
    least_ms: float = 0.0  # a shape is called REPEATS times, and more often until this has passed
    keep: str = ""  # where the outputs go, if anywhere
    huge_pages: bool = True  # False: switched off for the process


@dataclass
class Times:
    first_ms: list[float]  # per shape of the stream but its first
    later_ms: list[float]
    needed: list[int]  # bytes that the shape needs: arena (Anydim) and outputs
    resident: int  # bytes of the process after the stream
    peak: int  # bytes of it at most
    load_ms: float
    version: str


def feeds_of(model: str, element: Any) -> dict[str, np.ndarray]:
    """By name; without one if the model has one input."""
    if isinstance(element, dict):
        from architectures.catalogue import NAMED

        architecture: dict[str, np.ndarray] = NAMED[model].feeds(element)
        return architecture
    if isinstance(element, int):
        from made_models import MODELS

        feeds: dict[str, np.ndarray] = MODELS[model].feeds(element)
        return feeds
    import public_models

    made: dict[str, np.ndarray] = public_models.feeds(model, tuple(element))
    return made


def peak() -> int:
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def execute(task: Task) -> Times:
    if not task.huge_pages:
        pages.switch_off_huge_pages()
    from engines import ENGINES

    begin = time.perf_counter()
    session = ENGINES[task.engine](Path(task.path), task.threads)
    load_ms = (time.perf_counter() - begin) * 1e3
    stream = [feeds_of(task.model, element) for element in task.stream]

    def call(feeds: dict[str, np.ndarray]) -> tuple[float, list[np.ndarray]]:
        mine = {name: array.copy() for name, array in feeds.items()}
        given: Any = mine[""] if "" in mine else mine
        begin = time.perf_counter()
        outputs = session.call(given)
        return (time.perf_counter() - begin) * 1e3, outputs

    for _ in range(2):
        call(stream[0])
    first, later, needed = [], [], []
    gc.disable()
    for feeds in stream[1:]:
        times = [call(feeds)[0] for _ in range(REPEATS)]
        while sum(times[1:]) < task.least_ms:
            times.append(call(feeds)[0])
        first.append(times[0])
        later.append(median(times[1:]))
    resident = int(Path("/proc/self/statm").read_text().split()[1])
    most = peak()
    kept: dict[str, Any] = {}
    for shape, feeds in enumerate(stream[1:]):  # apart, since asking disturbs the processor's caches
        _, outputs = call(feeds)
        needed.append(session.used_bytes() + sum(output.nbytes for output in outputs))
        if task.keep:
            kept.update({f"{shape}.{index}": output.copy() for index, output in enumerate(outputs)})
    if task.keep:
        import numpy as np

        np.savez(task.keep, **kept)
    return Times(first, later, needed, resident * resource.getpagesize(), most, load_ms, session.version)


def measure(task: Task, python: str = sys.executable) -> Times:
    """Runs `task` in a fresh process of this Python or another, whose Anydim is then the one that runs."""
    done = subprocess.run(
        [python, __file__], input=json.dumps(asdict(task)), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{task.engine} on {task.model} failed:\n{done.stderr[-2000:]}")
    return Times(**json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    print(json.dumps(asdict(execute(Task(**json.load(sys.stdin))))))
