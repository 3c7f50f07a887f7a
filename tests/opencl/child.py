# SPDX-License-Identifier: Apache-2.0
"""Run by the tests in a process of its own, whose variables choose the OpenCL driver: runs a model on the device and on the processor at
given shapes, and prints as JSON which results differ, the counters of programs, and times.

Usage: child.py MODEL ENGINE SHAPE... (a shape: 1,3,48,320); with --flushed the device may flush denormals, with --alone the processor
does not run beside it.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
from pathlib import Path

import anydim
import numpy as np


def files_of_the_driver() -> set[str]:
    """What PoCL keeps on disk of what it compiled."""
    folder = os.environ.get("POCL_CACHE_DIR")
    return {str(path) for path in Path(folder).rglob("*") if path.is_file()} if folder else set()


def ratio(first: list[float], later: list[float]) -> float:
    """Geometric mean over the shapes; the first shape of all does not count."""
    logs = [math.log(a / b) for a, b in zip(first[1:], later[1:], strict=True)]
    return math.exp(statistics.mean(logs)) if logs else 0.0


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    flushed, alone = "--flushed" in sys.argv, "--alone" in sys.argv
    model, kind, *shapes = words
    begun = time.monotonic()
    engine = anydim.Engine(kind, flushed_denormals=flushed)
    made = time.monotonic()
    device = anydim.InferenceSession(model, engines=[engine], contexts=1)
    loaded = time.monotonic()
    here = None if alone else anydim.InferenceSession(model, contexts=1)
    name = device.get_inputs()[0].name
    wrong, first, later, processors, processors_first = [], [], [], [], []
    files: set[str] = set()
    for number, shape in enumerate(shapes):
        dims = [int(n) for n in shape.split(",")]
        x = np.random.default_rng(number).uniform(-1.0, 1.0, dims).astype(np.float32)
        times = []
        for _ in range(2):
            start = time.monotonic()
            ours = device.run(None, {name: x})
            times.append(time.monotonic() - start)
        if number == 0:
            files = files_of_the_driver()
        first.append(times[0])
        later.append(times[1])
        if here is not None:
            start = time.monotonic()
            theirs = here.run(None, {name: x})
            middle = time.monotonic()
            here.run(None, {name: x})
            processors.append(time.monotonic() - middle)
            processors_first.append(middle - start)
            wrong += [shape for a, b in zip(ours, theirs, strict=True) if a.tobytes() != b.tobytes()]
    nodes = device.explain()["nodes"]
    counters = anydim.counters()
    anydim.worker.drain()
    print(
        json.dumps(
            {
                "wrong": wrong,
                "on_device": sum(node["engine"] == "opencl" for node in nodes),
                "kernels": sorted({node["kernel"] for node in nodes if node["engine"] == "opencl"}),
                "nodes": len(nodes),
                "programs": {k: v for k, v in counters.items() if k.startswith("programs_")},
                "new_files": sorted(files_of_the_driver() - files),
                "engine_ms": 1e3 * (made - begun),
                "load_ms": 1e3 * (loaded - made),
                "first_ms": [1e3 * t for t in first],
                "later_ms": [1e3 * t for t in later],
                "processor_ms": [1e3 * t for t in processors],
                "first_over_later": ratio(first, later),
                "processor_first_over_later": ratio(processors_first, processors),
            }
        )
    )


main()
