# SPDX-License-Identifier: Apache-2.0
"""One fresh process of a benchmark: loads a model in one engine, calls it at the shapes it is given, and prints how
long each call took. Reads one JSON object from standard input, writes one to standard output; `measure` does both ends.

The input of each call is written right before it, as by an application that has just decoded an image: otherwise a first
call alone would fetch its input from memory, and the faster an engine is the more of a stall that would seem.

A call in which memory grew is found by the resident set, in the same way for every engine: it rose by more than the outputs
that the call returned. Where outputs took memory that had been used before, as much growth stays unseen; an engine that
counts its growths is asked, too.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines import ENGINES
from streams import Shape

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np


@dataclass
class Task:
    engine: str
    model: str  # path
    threads: int
    warmup: Shape
    shapes: list[Shape]
    visits: list[int]  # indices into shapes, in call order


@dataclass
class Times:
    load_ms: float
    call_ms: list[float]  # per visit
    grew: list[bool]  # per visit: memory grew in this call
    version: str


GROWTH = 128 * 1024  # bytes; less is what counting pages by the processor leaves


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def image(shape: Shape) -> np.ndarray:
    """Values like a normalised photograph's: no zeros or denormals, whose speed is a subject of its own."""
    import numpy as np

    values: np.ndarray = np.random.default_rng(1).uniform(-1.0, 1.0, shape)
    return values.astype(np.float32)


def execute(task: Task) -> Times:
    begin = time.perf_counter()
    session = ENGINES[task.engine](Path(task.model), task.threads)
    load_ms = (time.perf_counter() - begin) * 1e3
    inputs = [image(shape) for shape in task.shapes]
    for _ in range(2):
        session.call(image(task.warmup))
    calls, grew = [], []
    gc.disable()
    for index in task.visits:
        growths = session.growths()
        now = inputs[index].copy()
        before = resident()
        begin = time.perf_counter()
        outputs = session.call(now)
        calls.append((time.perf_counter() - begin) * 1e3)
        rise = resident() - before - sum(output.nbytes for output in outputs)
        del outputs, now
        grew.append(session.growths() > growths or rise > GROWTH)
    return Times(load_ms, calls, grew, session.version)


def measure(task: Task, python: str = sys.executable) -> Times:
    """Runs `task` in a fresh process of this Python or another, whose Anydim is then the one that runs."""
    done = subprocess.run(
        [python, __file__], input=json.dumps(asdict(task)), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{task.engine} on {Path(task.model).name} failed:\n{done.stderr[-2000:]}")
    return Times(**json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    description = json.load(sys.stdin)
    description["shapes"] = [tuple(shape) for shape in description["shapes"]]
    description["warmup"] = tuple(description["warmup"])
    print(json.dumps(asdict(execute(Task(**description)))))
