# SPDX-License-Identifier: Apache-2.0
"""Measures first calls and revisits on streams of distinct shapes, side by side with the peers.

Each (stream, threads, round) runs every engine in a fresh process of its own, one after another in an order that
rotates, so that a slow minute of the machine meets all of them. The seed of the streams is drawn now, is printed, and
is unknown to the measured processes. Where the machine was disturbed there are further rounds, until the standard error of
first/revisit is below 0.007 for every engine or there were four times as many; what the ratio is has no say in that. Results
go to bench/results/ with a description of the machine (every sample to build/bench/); bench/check.py compares them with
the targets.

  bench/run.py                               everything, 7 rounds and more: 10 to 30 minutes on 2 cores
  bench/run.py --rounds 2 --models rec       a quick look
  bench/run.py --seed 7 --engines anydim onnxruntime
"""

from __future__ import annotations

import argparse
import math
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median, stdev
from typing import Any

import machine
import summary
from engines import ENGINES
from speed import Figures, figures, split
from streams import FAMILIES, ORDERS, shapes, visits, warmup
from worker import Task, measure

ROOT = Path(__file__).resolve().parent.parent
GOOD_ERROR = 0.007  # of first/revisit: a third of the 0.02 that the target leaves
MOST = 4  # times the rounds asked for
BEFORE = "before"  # what an older Anydim is called in the tables


def good(calls: list[int], runs: dict[str, list[dict[str, Any]]]) -> bool:
    """Whether every ratio is known well enough. With fewer than three rounds that is unknown; of an engine
    that stalls, twice the time give or take a percent says it all.
    """
    known = [figures(calls, rounds) for rounds in runs.values()]
    return all(f.ratio > 1.3 or math.isnan(f.ratio_error) or f.ratio_error <= GOOD_ERROR for f in known)


def measure_stream(model: str, order: str, threads: int, options: argparse.Namespace) -> dict[str, Any]:
    stream = shapes(model, order, options.seed)
    calls = visits(len(stream))
    runs: dict[str, list[dict[str, Any]]] = {engine: [] for engine in options.engines}
    stolen, ticks = machine.processor_ticks()
    distances = [machine.core_distance_ns()]
    turn = 0
    while turn < options.rounds or (turn < MOST * options.rounds and not good(calls, runs)):
        shift = turn % len(options.engines)
        for engine in options.engines[shift:] + options.engines[:shift]:
            path = str(options.folder / f"{model}.onnx")
            python = options.before if engine == BEFORE else sys.executable
            times = measure(
                Task("anydim" if engine == BEFORE else engine, path, threads, warmup(model), stream, calls), python
            )
            runs[engine].append(asdict(times))
        distances.append(machine.core_distance_ns() if threads > 1 else None)
        turn += 1
        if sys.stderr.isatty():
            done = f"{model} {order} {threads} thread(s): round {turn}/{max(turn, options.rounds)}"
            print(f"\r  {done} ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    now_stolen, now_ticks = machine.processor_ticks()
    share = (now_stolen - stolen) / max(1, now_ticks - ticks)
    if share > 0.01:
        print(
            f"bench: note: other guests of this machine had {100 * share:.0f} % of the processors during the next stream"
        )
    known = [ns for ns in distances if ns is not None]
    if threads > 1 and known and max(known) > 1.5 * min(known):
        print(
            f"bench: note: the processors moved during the next stream: a cache line took {min(known):.0f} to {max(known):.0f} ns to "
            "the other one and back; trust ratios within a round, not times"
        )
    return {
        "model": model, "order": order, "threads": threads, "shapes": stream, "visits": calls, "runs": runs,
        "stolen": share, "core_distances_ns": distances,
    }  # fmt: skip


HEADER = (
    f"{'model':<5} {'stream':<8} {'thr':>3} {'rounds':>6}  {'engine':<12} {'first/revisit':>13} {'+-':>6} {'settled':>8} {'worst':>6} "
    f"{'first, ms':>10} {'revisit, ms':>11} {'added, ms':>10} {'growths':>8} {'growth, ms':>10} {'load, ms':>9}"
)


def row(result: dict[str, Any], engine: str, f: Figures) -> str:
    loads = sorted(run["load_ms"] for run in result["runs"][engine])
    return (
        f"{result['model']:<5} {result['order']:<8} {result['threads']:>3} {len(result['runs'][engine]):>6}  "
        f"{engine:<12} {f.ratio:>13.3f} {f.ratio_error:>6.3f} {f.settled_ratio:>8.3f} {f.worst:>6.2f} {f.first:>10.1f} {f.revisit:>11.1f} "
        f"{f.added:>10.1f} {f.growths:>8.1f} {f.growth_ms:>10.1f} {loads[len(loads) // 2]:>9.0f}"
    )


def against_before(result: dict[str, Any]) -> str:
    """Ours over an older build's: sums of later calls and load times, medians over rounds with the 95 % interval."""
    ours, before = result["runs"]["anydim"], result["runs"][BEFORE]

    def later(run: dict[str, Any]) -> float:
        return math.fsum(times[1] for times in split(result["visits"], run["call_ms"])[1].values())

    def ratio(of: Callable[[dict[str, Any]], float]) -> str:
        ratios = [of(a) / of(b) for a, b in zip(ours, before, strict=True)]
        error = 1.96 * 1.2533 * stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else math.nan
        return f"{median(ratios):.3f} +- {error:.3f}"

    what = f"{result['model']} {result['order']}, {result['threads']} thread(s)"
    return f"bench: {what}: over {BEFORE}: later {ratio(later)}, load {ratio(lambda run: run['load_ms'])}"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rounds", type=int, default=7, help="fresh processes per engine and stream, at least (default 7)"
    )
    parser.add_argument("--models", nargs="+", choices=tuple(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=list(ORDERS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--engines", nargs="+", choices=tuple(ENGINES), default=list(ENGINES))
    parser.add_argument("--before", metavar="PYTHON", help=f"a Python with an older Anydim, measured as `{BEFORE}`")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="default: drawn now")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "models", help="where the models are")
    parser.add_argument("--out", type=Path, help="result file; default: a new one in bench/results/")
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.before:
        options.engines.append(BEFORE)
    host = machine.describe()
    flags = " ".join(host["cpu"]["flags"])
    print(f"bench: {host['cpu']['model']}, {host['cpu']['cores']} cores ({flags}), commit {host['commit']}")
    print(f"bench: seed {options.seed}, {options.rounds} rounds; medians over rounds per shape, sums over a stream")
    if host["load"] > 0.5 * host["cpu"]["cores"]:
        print(f"bench: note: the machine is busy (load {host['load']:.1f}); trust ratios within a line, not times")
    begin = time.monotonic()
    results = []
    print(HEADER)
    for threads in options.threads:
        for model in options.models:
            for order in options.orders:
                result = measure_stream(model, order, threads, options)
                result["figures"] = {e: asdict(figures(result["visits"], result["runs"][e])) for e in options.engines}
                for engine in options.engines:
                    print(row(result, engine, Figures(**result["figures"][engine])), flush=True)
                results.append(result)
                if options.before:
                    print(against_before(result), flush=True)
    document = {"kind": "speed", "machine": host, "seed": options.seed, "rounds": options.rounds, "streams": results}
    out = summary.write(document, f"speed-{host['when'].replace(':', '')}-{host['commit']}", options.out)
    print(f"bench: {time.monotonic() - begin:.0f} s; written to {out}")


if __name__ == "__main__":
    main()
