# SPDX-License-Identifier: Apache-2.0
"""First calls without bounds, growth included: the four models and more than twenty small ones (made_models.py) at streams of shapes
that grow, shrink and mix, beside ONNX Runtime.

  bench/growth.py                                everything, 5 rounds: about twenty minutes on 2 cores
  bench/growth.py --models elementwise unet      some of them
  bench/growth.py --no-huge-pages                switched off in every process that is measured
  bench/growth.py --before OTHER/.venv/bin/python    the Anydim installed there, too: an older build in the same run

Every engine runs each stream in fresh processes of its own, alternately. A process calls its first shape twice, then each further
shape five times in a row: the first of these is what a new shape costs, with all the memory that it needs; the median of
the others is `later`. The input is written right before each call, as by an application. Per shape the medians over rounds
count.

  first/later   geometric mean over the shapes of a stream, and then over streams: ours must not be above ONNX Runtime's
  over          by how many ms the first call lies above what it may take that lies furthest above it: later + 0.3 ms + 0.1 ms
                (0.4 where the system gives no huge pages) for each MB that its shape needs beyond any before it. Of
                what was measured the lower end of its 95 % interval counts
  resident      megabytes of the process after the stream
"""

from __future__ import annotations

import argparse
import math
import secrets
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median, stdev
from typing import Any

from stream_worker import Task, Times, measure

ROOT = Path(__file__).resolve().parent.parent
ORDERS = ("growing", "shrinking", "mixed")
MEGABYTE = 2**20


def stream_of(model: str, order: str, seed: int) -> list[Any]:
    from made_models import MODELS
    from streams import shapes, volume

    if model in MODELS:
        elements: list[Any] = sorted(MODELS[model].sizes)
    else:
        elements = sorted(shapes(model, "growing", seed, 10), key=volume)
    if order == "shrinking":
        elements.reverse()
    elif order == "mixed":
        Random(f"{model}/{seed}").shuffle(elements)
    return elements


@dataclass
class Row:
    model: str
    order: str
    threads: int
    engine: str
    ratio: float  # geometric mean of first / later
    first_ms: float  # sums
    later_ms: float
    worst: float  # largest first / later of a shape
    over_ms: float  # of the shape furthest above its allowance, lower end of the interval; negative: within it
    over_at: Any
    resident_mib: float


def row(task: Task, order: str, name: str, rounds: list[Times], needed: list[int], per_mib: float) -> Row:
    shapes = range(len(rounds[0].first_ms))
    first = [median(times.first_ms[i] for times in rounds) for i in shapes]
    later = [median(times.later_ms[i] for times in rounds) for i in shapes]
    # A shape's ratio is taken within a process, where a slow minute is in both.
    ratios = [median(times.first_ms[i] / times.later_ms[i] for times in rounds) for i in shapes]
    over, most = [], 0
    for i in shapes:
        more = max(0, needed[i] - most)
        most = max(most, needed[i])
        added = [times.first_ms[i] - times.later_ms[i] for times in rounds]
        over.append(median(added) - half_interval(added) - 0.3 - per_mib * more / MEGABYTE)
    worst = max(shapes, key=lambda i: over[i])
    return Row(
        task.model,
        order,
        task.threads,
        name,
        geometric_mean(ratios),
        sum(first),
        sum(later),
        max(ratios),
        over[worst],
        task.stream[worst + 1],
        median(times.resident for times in rounds) / MEGABYTE,
    )


HEADER = (
    f"{'model':<18}{'stream':<10}{'thr':>3}  {'engine':<12}{'first/later':>11}{'worst':>7}{'first, ms':>11}{'later, ms':>11}"
    f"{'over, ms':>10}  {'at':<18}{'resident, MiB':>13}"
)


def line(r: Row) -> str:
    return (
        f"{r.model:<18}{r.order:<10}{r.threads:>3}  {r.engine:<12}{r.ratio:>11.3f}{r.worst:>7.2f}{r.first_ms:>11.2f}{r.later_ms:>11.2f}"
        f"{r.over_ms:>10.2f}  {r.over_at!s:<18}{r.resident_mib:>13.1f}"
    )


def half_interval(values: list[float]) -> float:
    """Half the 95 % interval of a median, from its asymptotic standard error; 0 for a single value."""
    return 1.96 * 1.2533 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def huge_pages() -> bool:
    try:
        return "[never]" not in Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes per engine and stream (default 5)")
    parser.add_argument("--models", nargs="+", help="default: the four models and all made ones")
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=list(ORDERS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--engines", nargs="+", default=["anydim", "onnxruntime"])
    parser.add_argument("--before", metavar="PYTHON", help="a Python with an older Anydim, measured as `before`")
    parser.add_argument("--no-huge-pages", action="store_true", help="switched off in the processes that are measured")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="default: drawn now")
    parser.add_argument("--out", type=Path, help="result file; default: a new one in bench/results/")
    return parser.parse_args()


def main() -> int:
    options = parse()
    import machine
    import pages
    from made_models import make_all
    from streams import FAMILIES
    from summary import write

    paths = make_all(ROOT / "build" / "made-models")
    paths |= {name: ROOT / "build" / "models" / f"{name}.onnx" for name in FAMILIES}
    models = options.models or [*FAMILIES, *(name for name in paths if name not in FAMILIES)]
    per_mib = 0.1 if huge_pages() and not options.no_huge_pages else 0.4
    runners = {engine: (engine, sys.executable) for engine in options.engines}
    if options.before:
        runners["before"] = ("anydim", options.before)
    host = machine.describe()
    print(f"growth: {host['cpu']['model']}, {host['cpu']['cores']} cores, commit {host['commit']}, seed {options.seed}")
    machine.touch_memory()
    memory = pages.measured(not options.no_huge_pages)
    print(f"growth: {pages.told(memory)}")
    print(HEADER)
    rows: list[Row] = []
    for threads in options.threads:
        for model in models:
            for order in options.orders:
                stream = stream_of(model, order, options.seed)
                seen: dict[str, list[Times]] = {name: [] for name in runners}
                for turn in range(options.rounds):
                    names = list(runners)
                    for name in names[turn % len(names) :] + names[: turn % len(names)]:
                        engine, python = runners[name]
                        task = Task(
                            engine, model, str(paths[model]), threads, stream, huge_pages=not options.no_huge_pages
                        )
                        seen[name].append(measure(task, python))
                needed = (seen.get("anydim") or next(iter(seen.values())))[0].needed
                for name, rounds in seen.items():
                    found = row(task, order, name, rounds, needed, per_mib)
                    rows.append(found)
                    print(line(found), flush=True)
    document: dict[str, Any] = {
        "kind": "growth",
        "machine": host,
        "memory": memory,
        "seed": options.seed,
        "rounds": options.rounds,
        "rows": [],
        "measured": [],
    }
    document["measured"] = [asdict(r) for r in rows]
    for threads in options.threads:
        ratios = {name: [r.ratio for r in rows if (r.engine, r.threads) == (name, threads)] for name in runners}
        for name, values in ratios.items():
            beyond = [r for r in rows if (r.engine, r.threads) == (name, threads) and r.over_ms > 0]
            print(f"growth: {name}, {threads} thread(s): first/later {geometric_mean(values):.3f} over {len(values)} streams; "
                  f"{len(beyond)} with a first call above its allowance")  # fmt: skip
            if name == "anydim":
                for r in beyond:
                    print(f"growth:   {r.model} {r.order} at {r.over_at}: {r.over_ms:.2f} ms above")
        if {"anydim", "onnxruntime"} <= set(runners):
            ours, theirs = geometric_mean(ratios["anydim"]), geometric_mean(ratios["onnxruntime"])
            document["rows"].append(
                {"what": f"all streams, {threads} thread(s)", "first_later_over_peer": ours / theirs}
            )
    for r in rows:
        if r.engine == "anydim":
            what = f"{r.model} {r.order}, {r.threads} thread(s)"
            document["rows"].append({"what": what, "over_ms": r.over_ms})
    out = write(document, f"growth-{host['when'].replace(':', '')}-{host['commit']}", options.out)
    print(f"growth: written to {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
