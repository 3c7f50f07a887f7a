# SPDX-License-Identifier: Apache-2.0
"""First calls at unseen shapes under each reuse policy, side by side: what a policy costs while its worker measures.

Each round runs every policy in a fresh process, in an order that rotates, on a stream of shapes that the processes do not
know. The figure is the geometric mean over shapes of the policy's first call divided by `reusable`'s at the same shape in the
same round (medians over rounds; shapes at which memory grew are left out). Where the machine was disturbed there are further
rounds, until the standard error of that is below 0.015 or there were four times as many; what the figure is has no say in it.

  bench/reuse.py                              rec and det, 1 and 2 threads, 7 rounds and more
  bench/reuse.py --rounds 3 --models rec --plot docs/images/reuse.png
  bench/reuse.py --cores 1 --threads 1        all on one core: the worker has none of its own to measure on
"""

from __future__ import annotations

import argparse
import math
import os
import secrets
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import machine
import summary
from speed import error_over_shapes, grown_shapes, over_shapes, split
from streams import FAMILIES, shapes, visits, warmup
from worker import Task, measure

ROOT = Path(__file__).resolve().parent.parent
POLICIES = ("reusable", "auto", "reusable_first")
GOOD_ERROR = 0.015  # of a policy's first calls over reusable's: a third of the 0.05 that the target leaves
MOST = 4  # times the rounds asked for


def run_stream(model: str, threads: int, options: argparse.Namespace) -> dict[str, Any]:
    stream = shapes(model, "mixed", options.seed)
    calls = visits(len(stream))
    runs: dict[str, list[dict[str, Any]]] = {policy: [] for policy in POLICIES}
    result = {"model": model, "threads": threads, "shapes": stream, "visits": calls, "runs": runs}
    turn = 0
    while turn < options.rounds or (turn < MOST * options.rounds and not good(result)):
        shift = turn % len(POLICIES)
        for policy in POLICIES[shift:] + POLICIES[:shift]:
            with tempfile.TemporaryDirectory() as cache:  # nobody begins with another's records
                os.environ.update(ANYDIM_REUSE=policy, ANYDIM_CACHE_DIR=cache)
                times = measure(
                    Task("anydim", str(options.folder / f"{model}.onnx"), threads, warmup(model), stream, calls)
                )
            runs[policy].append(asdict(times))
        turn += 1
    return result


def first_calls(result: dict[str, Any], policy: str) -> dict[int, float]:
    """Per shape the median first call, without shapes at which memory grew in most rounds."""
    firsts: dict[int, list[float]] = {}
    grown = grown_shapes(result["visits"], result["runs"][policy])
    for run in result["runs"][policy]:
        first, _ = split(result["visits"], run["call_ms"])
        for index, value in first.items():
            firsts.setdefault(index, []).append(value)
    return {index: median(values) for index, values in firsts.items() if index not in grown}


def by_round(result: dict[str, Any], policy: str) -> dict[int, list[float]]:
    """Per shape, round by round, the policy's first call over `reusable`'s; without shapes at which memory grew in either."""
    runs, visited = result["runs"], result["visits"]
    grown = grown_shapes(visited, runs[policy]) | grown_shapes(visited, runs["reusable"])
    ratios: dict[int, list[float]] = {}
    for ours, base in zip(runs[policy], runs["reusable"], strict=True):
        first, first_base = split(visited, ours["call_ms"])[0], split(visited, base["call_ms"])[0]
        for index in first.keys() - grown:
            ratios.setdefault(index, []).append(first[index] / first_base[index])
    return ratios


def ratio(result: dict[str, Any], policy: str) -> float:
    ratios = by_round(result, policy)
    return over_shapes(ratios, list(ratios)) if ratios else math.nan


def ratio_error(result: dict[str, Any], policy: str) -> float:
    ratios = by_round(result, policy)
    error: float = error_over_shapes(ratios, list(ratios))
    return error


def good(result: dict[str, Any]) -> bool:
    """Whether every figure is known well enough. With fewer than three rounds that is unknown."""
    return not any(ratio_error(result, policy) > GOOD_ERROR for policy in POLICIES[1:])


def draw(results: list[dict[str, Any]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(results), figsize=(4.2 * len(results), 3.6), layout="constrained", squeeze=False
    )
    colours = {"reusable": "#33658a", "auto": "#6a994e", "reusable_first": "#c8602b"}
    for axis, result in zip(axes[0], results, strict=True):
        base = first_calls(result, "reusable")
        order = sorted(base, key=lambda i: base[i])
        for policy in POLICIES:
            ours = first_calls(result, policy)
            axis.plot(
                [ours.get(i, math.nan) for i in order],
                "o-",
                markersize=3,
                linewidth=1,
                color=colours[policy],
                label=policy,
            )
        axis.set_title(f"{result['model']}, {result['threads']} thread{'s' if result['threads'] > 1 else ''}")
        axis.set_xlabel("shapes never seen before, by time")
        axis.set_ylabel("first call, ms")
        axis.set_ylim(bottom=0)
    axes[0][0].legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--models", nargs="+", choices=tuple(FAMILIES), default=["rec", "det"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="default: drawn now")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "models")
    parser.add_argument("--plot", type=Path, help="a picture of the first calls")
    parser.add_argument("--out", type=Path, help="result file; default: a new one in bench/results/")
    parser.add_argument("--cores", type=int, default=0, help="use so many of the cores only (default: all)")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    about = machine.describe()
    # With one core the figure is printed, not held against a target: a worker has to take its time from somebody.
    kind = "reuse" if about["cpu"]["cores"] > 1 else "one-core-reuse"
    cpu = about["cpu"]
    print(
        f"bench: {cpu['model']}, {cpu['cores']} cores, seed {options.seed}, {options.rounds} rounds, load {about['load']:.1f}"
    )
    print(
        f"{'model':<5} {'thr':>3}  "
        + "".join(f"{p + ', ms':>20}" for p in POLICIES)
        + "".join(f"{p + ' / reusable':>27}" for p in POLICIES[1:])
        + f"{'rounds':>8}"
    )
    results, rows = [], []
    for model in options.models:
        for threads in options.threads:
            result = run_stream(model, threads, options)
            results.append(result)
            sums = {policy: sum(first_calls(result, policy).values()) for policy in POLICIES}
            ratios = {policy: ratio(result, policy) for policy in POLICIES[1:]}
            print(
                f"{model:<5} {threads:>3}  " + "".join(f"{sums[p]:>20.1f}" for p in POLICIES)
                + "".join(f"{ratios[p]:>18.3f} +- {ratio_error(result, p):.3f}" for p in POLICIES[1:])
                + f"{len(result['runs']['auto']):>8}", flush=True,
            )  # fmt: skip
            for policy, value in ratios.items():
                rows.append({"what": f"{policy}, {model}, {threads} thread(s)", "first_over_reusable": value})
    document = {"kind": kind, "machine": about, "seed": options.seed, "rows": rows, "streams": results}
    out = summary.write(document, f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}", options.out)
    print(f"bench: written to {out}")
    if options.plot:
        draw(results, options.plot)
        print(f"bench: drawn: {options.plot}")


if __name__ == "__main__":
    main()
