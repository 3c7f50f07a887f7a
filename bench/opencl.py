# SPDX-License-Identifier: Apache-2.0
"""Whole models on the OpenCL drivers of this machine beside the CPU engine, both in one process and alternately, each driver and number of
cores in a process of its own: milliseconds of later calls (medians) and of first calls, and CPU engine's time / device's time.

  bench/opencl.py                        PoCL and Intel's, 2 cores and 1, all models
  bench/opencl.py --driver pocl --cores 1 --models cls,rec
  bench/opencl.py --nodes                one call's nodes by kernel as well: how many launches, their time, and the CPU engine's for the
                                         same nodes (each is waited for, so a launch's own cost is in it)

Drivers are found as tests/opencl does; Intel's is set up by tools/setup opencl. Results are compared bit by bit.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "opencl"))
from drivers import DRIVERS, Driver  # noqa: E402

SHAPES = {
    "cls": ["1,3,48,192", "6,3,48,192"],
    "rec": ["1,3,48,160", "1,3,48,320", "4,3,48,320", "1,3,48,960"],
    "det": ["1,3,320,320", "1,3,480,640", "1,3,736,1280"],
    "yolo": ["1,3,320,320", "1,3,480,640", "1,3,640,640"],
}
TURNS = 5
SECONDS_OF_TURN = 0.25


def calls(session: Any, feed: dict[str, Any]) -> list[float]:
    """Milliseconds of each call of a turn."""
    times = []
    end = time.perf_counter() + SECONDS_OF_TURN
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        session.run(None, feed)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def by_kernel(session: Any, shape: dict[str, list[int]]) -> dict[str, tuple[int, float]]:
    """Launches and microseconds of one call by kernel, each node waited for: the least of a few calls."""
    found: dict[str, tuple[int, float]] = {}
    for _ in range(TURNS):
        kernels: dict[str, list[float]] = defaultdict(list)
        for node in session.explain(shape)["nodes"]:
            kernels[node["kernel"] or "copies"].append(node["nanoseconds"] / 1e3)
        for name, times in kernels.items():
            found[name] = (len(times), min(found.get(name, (0, math.inf))[1], sum(times)))
    return found


def child(model: str, shapes: list[str], nodes: bool) -> None:
    """Prints what one process measured, as JSON."""
    import anydim
    import numpy as np

    sessions = {
        "device": anydim.InferenceSession(model, engines=[anydim.Engine("opencl")], contexts=1),
        "host": anydim.InferenceSession(model, contexts=1),
    }
    name_of_input = sessions["host"].get_inputs()[0].name
    rows = []
    for number, shape in enumerate(shapes):
        dims = [int(n) for n in shape.split(",")]
        feed = {name_of_input: np.random.default_rng(number).uniform(-1, 1, dims).astype(np.float32)}
        row: dict[str, Any] = {"shape": shape}
        outputs = {}
        for name, session in sessions.items():
            start = time.perf_counter()
            outputs[name] = session.run(None, feed)
            row[f"{name}_first"] = 1e3 * (time.perf_counter() - start)
        row["same"] = all(a.tobytes() == b.tobytes() for a, b in zip(outputs["device"], outputs["host"], strict=True))
        times: dict[str, list[float]] = {"device": [], "host": []}
        for _ in range(TURNS):
            for name, session in sessions.items():
                times[name] += calls(session, feed)
        for name, session in sessions.items():
            row[name], row[f"{name}_best"] = statistics.median(times[name]), min(times[name])
            if nodes:
                row[f"{name}_kernels"] = by_kernel(session, {name_of_input: dims})
        rows.append(row)
    explained = sessions["device"].explain()["nodes"]
    nodes_there = sum(node["engine"] == "opencl" for node in explained)
    print(json.dumps({"rows": rows, "nodes": len(explained), "nodes_there": nodes_there}))


def mean(values: list[float]) -> float:
    return math.exp(statistics.mean(map(math.log, values)))


def tell(driver: Driver, cores: int, models: list[str], nodes: bool) -> None:
    print(f"\n{driver.name}, {cores} core{'s' if cores > 1 else ''}\n")
    print(
        "| | ms | CPU engine, ms | its time / ours | of best calls | first / later | CPU engine's | nodes on the device |"
    )
    print("|---|---|---|---|---|---|---|---|")
    ratios, bests = [], []
    for model in models:
        command = [
            sys.executable,
            __file__,
            "--child",
            str(ROOT / "build" / "models" / f"{model}.onnx"),
            *SHAPES[model],
        ]
        done = subprocess.run(
            [
                "taskset",
                "-c",
                ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores])),
                *command,
                *(["--nodes"] if nodes else []),
            ],
            env=driver.environment(POCL_MAX_PTHREAD_COUNT=str(cores)),  # it counts cores that the process may not use
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise SystemExit(f"{model}: {done.stdout}{done.stderr}")
        told = json.loads(done.stdout.splitlines()[-1])
        for row in told["rows"]:
            ratios.append(row["host"] / row["device"])
            bests.append(row["host_best"] / row["device_best"])
            print(
                f"| {model} {row['shape'].replace(',', 'x')} | {row['device']:.2f} | {row['host']:.2f} | {ratios[-1]:.2f} | {bests[-1]:.2f} "
                f"| {row['device_first'] / row['device']:.2f} | {row['host_first'] / row['host']:.2f} "
                f"| {told['nodes_there']} of {told['nodes']} |{'' if row['same'] else ' OTHER BITS'}",
                flush=True,
            )
        if nodes:
            for side in ("device", "host"):
                row = told["rows"][-1]
                kernels = sorted(row[f"{side}_kernels"].items(), key=lambda item: -item[1][1])
                print(
                    f"\n  {side}, {row['shape']}: "
                    + "; ".join(f"{n} {name} {us:.0f} us" for name, (n, us) in kernels)
                    + "\n"
                )
    print(f"geometric mean: {mean(ratios):.3f}, of best calls {mean(bests):.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=("pocl", "intel"), action="append")
    parser.add_argument("--cores", type=int, action="append")
    parser.add_argument("--models", default=",".join(SHAPES))
    parser.add_argument("--nodes", action="store_true")
    parser.add_argument("--cache", type=Path, help="a folder for compiled programs that later runs find again")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], options.child[1:], options.nodes)
        return
    about = machine.describe()
    print(
        f"bench: {about['cpu']['model']}, {about['cpu']['cores']} cores, commit {about['commit']}, load {about['load']:.1f}"
    )
    for name in options.driver or ("pocl", "intel"):
        with tempfile.TemporaryDirectory() as folder:
            driver = DRIVERS[name](Path(folder))
            if driver is None:
                print(f"{name}: not on this machine")
                continue
            if options.cache:
                driver = driver.with_cache(options.cache / name)
            for cores in options.cores or (2, 1):
                tell(driver, cores, options.models.split(","), options.nodes)


if __name__ == "__main__":
    main()
