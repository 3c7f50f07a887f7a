# SPDX-License-Identifier: Apache-2.0
"""Many threads on one session, beside ONNX Runtime and OpenVINO: calls a second, and how long single calls take.

Each round runs every engine in a fresh process, in an order that rotates; a process loads the model once and is called by
one thread, by as many as there are cores, and by more, for some seconds each, every thread as fast as it is answered. The
first half second of each is left out. A call's time is what its thread waits: for its turn and for the run. Figures are medians
over rounds, so that a second in which the machine was somebody else's counts for one round only; the longest call is that of
all rounds.

  bench/fairness.py                          rec, 1, 2, 4 and 8 threads on 2 cores, 7 rounds: 10 minutes
  bench/fairness.py --rounds 1 --seconds 2   a quick look

Three figures are held against targets, for the most threads:
  p99_over_peer            p99 of our calls, over the best peer's
  rate_at_cores_over_many  our calls a second with as many threads as cores, over those with the most
  longest_over_allowed     our longest call, over 3 * (threads / cores) * the mean service time: what a call takes on average
                           with as many threads as cores, when nobody has to wait
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import machine
from engines import ENGINES, open_openvino
from worker import image

ROOT = Path(__file__).resolve().parent.parent
SETTLE = 0.5  # seconds of each crowd that are left out
ALLOWED = 3.0  # the longest call: so many times the mean wait of threads that are served one after the other

# OpenVINO twice: as many streams as cores is its setting for many callers at the same time.
CROWDED = ENGINES | {"openvino streams": lambda model, threads: open_openvino(model, threads, streams=threads)}


@dataclass
class Crowd:
    """So many threads calling one session. Times in ms."""

    threads: int
    rate: float  # calls a second
    call_ms: list[float]  # of calls that began in the time that counts


def crowd(call: Any, threads: int, seconds: float) -> Crowd:
    calls: list[list[tuple[float, float]]] = [[] for _ in range(threads)]
    begin = time.perf_counter() + SETTLE
    end = begin + seconds

    def work(mine: list[tuple[float, float]]) -> None:
        before = time.perf_counter()
        while before < end:
            call()
            after = time.perf_counter()
            mine.append((before, after))
            before = after

    workers = [threading.Thread(target=work, args=(mine,)) for mine in calls]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    times = [pair for mine in calls for pair in mine]
    done = sum(begin <= after < end for _, after in times)
    return Crowd(threads, done / seconds, [(after - before) * 1e3 for before, after in times if before >= begin])


def execute(task: dict[str, Any]) -> list[dict[str, Any]]:
    """In the fresh process: one session, called by one crowd after another."""
    session = CROWDED[task["engine"]](Path(task["model"]), task["cores"])
    x = image(tuple(task["shape"]))
    for _ in range(3):
        session.call(x)
    return [asdict(crowd(lambda: session.call(x), threads, task["seconds"])) for threads in task["crowds"]]


def measure(task: dict[str, Any]) -> list[Crowd]:
    command = [sys.executable, __file__, "--execute"]
    done = subprocess.run(command, input=json.dumps(task), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{task['engine']} failed:\n{done.stderr[-2000:]}")
    return [Crowd(**one) for one in json.loads(done.stdout.splitlines()[-1])]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(frozen=True)
class Figures:
    """One engine with so many threads: medians over rounds, and the longest call of all."""

    rate: float
    mean_ms: float
    p50_ms: float
    p99_ms: float
    longest_ms: float


def figures(rounds: list[Crowd]) -> Figures:
    return Figures(
        median(one.rate for one in rounds),
        median(mean(one.call_ms) for one in rounds),
        median(percentile(one.call_ms, 0.5) for one in rounds),
        median(percentile(one.call_ms, 0.99) for one in rounds),
        max(max(one.call_ms) for one in rounds),
    )


def held(found: dict[str, dict[int, Figures]], cores: int) -> dict[str, float]:
    """What is held against the targets."""
    ours = found["anydim"]
    most = max(ours)
    peers = [by_crowd[most].p99_ms for engine, by_crowd in found.items() if engine != "anydim"]
    allowed = ALLOWED * most / cores * ours[cores].mean_ms
    return {
        "p99_over_peer": ours[most].p99_ms / min(peers),
        "rate_at_cores_over_many": ours[cores].rate / ours[most].rate,
        "longest_over_allowed": ours[most].longest_ms / allowed,
    }


def limits() -> dict[str, float]:
    targets = json.loads((ROOT / "bench" / "targets.json").read_text(encoding="utf-8"))["targets"]
    return {target["figure"]: target["at_most"] for target in targets if target["kind"] == "fairness"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each crowd (default 4)")
    parser.add_argument("--width", type=int, default=320, help="of the line of text that is read")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "models")
    parser.add_argument("--out", type=Path, help="result file; default: a new one in bench/results/")
    parser.add_argument("--execute", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.execute:
        print(json.dumps(execute(json.load(sys.stdin))))
        return
    about = machine.describe()
    cores = about["cpu"]["cores"]
    crowds = sorted({1, cores, 2 * cores, 4 * cores})
    print(f"bench: {about['cpu']['model']}, {cores} cores, commit {about['commit']}, {options.rounds} rounds")
    if about["load"] > 0.5 * cores:
        print(f"bench: note: the machine is busy (load {about['load']:.1f}); trust ratios within a crowd, not times")
    runs: dict[str, list[list[Crowd]]] = {engine: [] for engine in CROWDED}
    order = list(CROWDED)
    for turn in range(options.rounds):
        shift = turn % len(order)
        for engine in order[shift:] + order[:shift]:
            task = {
                "engine": engine, "model": str(options.folder / "rec.onnx"), "cores": cores,
                "shape": (1, 3, 48, options.width), "seconds": options.seconds, "crowds": crowds,
            }  # fmt: skip
            runs[engine].append(measure(task))
        print(f"bench: round {turn + 1} of {options.rounds}", flush=True)
    found = {
        engine: {threads: figures([round[i] for round in rounds]) for i, threads in enumerate(crowds)}
        for engine, rounds in runs.items()
    }
    print(f"{'threads':>7}  {'engine':<16} {'calls/s':>8} {'p50, ms':>8} {'p99, ms':>8} {'longest, ms':>12}")
    for threads in crowds:
        for engine, by_crowd in found.items():
            f = by_crowd[threads]
            print(f"{threads:>7}  {engine:<16} {f.rate:>8.1f} {f.p50_ms:>8.1f} {f.p99_ms:>8.1f} {f.longest_ms:>12.1f}")
    what = f"rec, {max(crowds)} threads on {cores} cores"
    row: dict[str, Any] = {"what": what, **held(found, cores)}
    print(f"\n{what}")
    for figure, limit in limits().items():
        print(
            f"  {'met  ' if row[figure] <= limit else 'SHORT'} {figure:<24} {row[figure]:>7.3f}   at most {limit:.3f}"
        )
    out = (
        options.out or ROOT / "bench" / "results" / f"fairness-{about['when'].replace(':', '')}-{about['commit']}.json"
    )
    out.parent.mkdir(exist_ok=True)
    document = {
        "kind": "fairness", "machine": about, "seconds": options.seconds, "rounds": options.rounds, "rows": [row],
        "crowds": [
            {"engine": engine, "threads": threads, **asdict(by_crowd[threads])}
            for engine, by_crowd in found.items()
            for threads in crowds
        ],
    }  # fmt: skip
    out.write_text(json.dumps(document, indent=1), encoding="utf-8")
    print(f"bench: written to {out}")


if __name__ == "__main__":
    main()
