# SPDX-License-Identifier: Apache-2.0
"""Networks that lean on LSTM and GRU beside ONNX Runtime and OpenVINO, each size new to every engine (bench/architectures/recurrent.py).

  bench/recurrent.py                     a text recogniser at 24 widths, a voice activity detector at 200 chunk sizes, GRUs with sequence
                                         lengths, a speech encoder; 1 and 2 threads
  bench/recurrent.py crnn --threads 1    some of them
  bench/recurrent.py --memory            the resident set of a process with bounds, over the sizes
  bench/recurrent.py --chunks            the voice activity detector's results, cut into chunks anyhow, are those of the whole, bit for bit

At each size the figure is what the faster peer's later call took, over our first call; above 1 our first call is faster. `mean` is
geometric. Each engine runs in a fresh process of its own, in several rounds whose medians count. `difference` is the largest one from
ONNX Runtime's outputs, relative to the largest element. `stall` is the most that a first call took of our later one at the same size.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import replace
from math import exp, log
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from architectures.catalogue import NAMED, RECURRENT, Architecture
from stream_worker import Task, Times, measure

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that Debian's torch is for
ENGINES = ("anydim", "onnxruntime", "openvino")


def paths_of(items: list[Architecture], folder: Path) -> dict[str, Path]:
    exporter = ROOT / "bench" / "architectures" / "export.py"
    subprocess.run([DEBIAN_PYTHON, str(exporter), str(folder), *(item.name for item in items)], check=False)
    return {item.name: path for item in items if (path := folder / f"{item.name}.onnx").exists()}


def mean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def medians(rounds: list[Times]) -> Times:
    """Size by size."""
    return replace(
        rounds[0],
        first_ms=[median(size) for size in zip(*(r.first_ms for r in rounds), strict=True)],
        later_ms=[median(size) for size in zip(*(r.later_ms for r in rounds), strict=True)],
    )


def compare(item: Architecture, path: Path, threads: int, rounds: int) -> bool:
    import numpy as np
    from zoo import difference

    measured: dict[str, list[Times]] = {engine: [] for engine in ENGINES}
    found: dict[str, dict[str, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine in [e for k in range(rounds) for e in ENGINES[k % 3 :] + ENGINES[: k % 3]]:
            keep = f"{folder}/{engine}.npz"
            try:
                measured[engine].append(
                    measure(Task(engine, item.name, str(path), threads, list(item.stream), keep=keep))
                )
            except RuntimeError as failure:
                print(f"{item.name}: {engine} refuses it: {str(failure).splitlines()[-1]}")
                continue
            with np.load(keep) as outputs:
                found[engine] = dict(outputs)
    if not measured["anydim"] or not measured["onnxruntime"]:
        return False
    times = {engine: medians(those) for engine, those in measured.items() if those}
    ours, peers = times["anydim"], [times[e] for e in ENGINES[1:] if e in times]
    faster = [min(steady) for steady in zip(*(peer.later_ms for peer in peers), strict=True)]
    first = [theirs / mine for theirs, mine in zip(faster, ours.first_ms, strict=True)]
    later = [theirs / mine for theirs, mine in zip(faster, ours.later_ms, strict=True)]
    stall = max(a / b for a, b in zip(ours.first_ms, ours.later_ms, strict=True))
    gap = difference(found["anydim"], found["onnxruntime"])
    each = "  ".join(f"{e} {sum(t.first_ms):.1f} / {sum(t.later_ms):.1f}" for e, t in times.items())
    print(
        f"{item.name:16s} threads {threads}  first calls: mean {mean(first):.2f}, least {min(first):.2f}; later: mean {mean(later):.2f}; "
        f"stall {stall:.2f}; ms first / later: {each}; difference {gap:.1e}",
        flush=True,
    )
    return bool(gap < 1e-4)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def watch(item: Architecture, path: Path, threads: int) -> None:
    """In this process: with bounds, the largest size first."""
    import anydim

    largest = {name: max(sizes.get(name, 1) for sizes in item.stream) for sizes in item.stream for name in sizes}
    smallest = {name: min(sizes.get(name, 1) for sizes in item.stream) for name in largest}
    bounds: dict[str, Any] = {}
    for name, text in item.inputs.items():
        words = text.split()[1:]
        bounds[name] = tuple(int(w) if w.isdigit() else (smallest.get(w, 1), largest.get(w, 1)) for w in words)
    session = anydim.InferenceSession(str(path), threads=threads, bounds=bounds, contexts=1)
    seen = []
    given = [item.feeds(sizes) for sizes in [largest, *item.stream[1:]]]  # inputs are not what is watched
    for feeds in given:
        session.run(None, feeds)
        seen.append(resident())
    print(
        f"{item.name:16s} {session.bytes_needed / 2**20:7.1f} MiB needed; {seen[1] / 2**20:6.0f} MiB resident, at most "
        f"{100 * (max(seen[1:]) / seen[1] - 1):.1f} % more over {len(seen) - 2} sizes",
        flush=True,
    )


def chunks(path: Path, threads: int) -> bool:
    import anydim
    import numpy as np

    item = NAMED["voice_activity"]
    session = anydim.InferenceSession(str(path), threads=threads)
    whole = item.feeds({"t": 997})
    expected = session.run(None, whole)
    random, good = Random(1), True
    for longest in (1, 2, 3, 17, 60, 200):
        state, parts, begin = {name: whole[name] for name in ("before", "h", "c")}, [], 0
        while begin < 997:
            length = random.randint(1, longest)
            y, before, h, c = session.run(None, {"x": whole["x"][:, begin : begin + length], **state})
            parts.append(y)
            state, begin = {"before": before, "h": h, "c": c}, begin + length
        found = [np.concatenate(parts, 1), *state.values()]
        same = all(a.tobytes() == b.tobytes() for a, b in zip(found, expected, strict=True))
        print(f"chunks of up to {longest:3d} frames: {'the bits of the whole' if same else 'OTHER BITS'}", flush=True)
        good = good and same
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="default: all")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes of each engine (default 3)")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--chunks", action="store_true")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "zoo" / "made", help="of the models")
    options = parser.parse_args()
    items = [item for item in RECURRENT if not options.names or item.name in options.names]
    paths = paths_of(items, options.folder)
    good = len(paths) == len(items)
    for threads in options.threads:
        for item in items:
            if item.name not in paths or (options.chunks and item.name != "voice_activity"):
                continue
            if options.chunks:
                good = chunks(paths[item.name], threads) and good
            elif options.memory:
                watch(item, paths[item.name], threads)
            else:
                good = compare(item, paths[item.name], threads, options.rounds) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
