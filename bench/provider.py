# SPDX-License-Identifier: Apache-2.0
"""The provider inside ONNX Runtime beside a direct session and beside ONNX Runtime alone: rec at 24 widths, each way in fresh processes that
follow one another, all with both libraries imported. Shown are the medians of the rounds.

  bench/provider.py                              5 rounds at 2 threads and at 1: 2 minutes
  bench/provider.py --rounds 1 --threads 1

Figures: `first`, the sum of the first calls at the widths (after one call at another width), `later`, the sum of the medians of five more
calls at each; how much the resident set grew from before the session was made to after the last call,
and how much of that is private; the arena of the direct session.
`over direct` is of the same round: the median and the range.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "build" / "models" / "rec.onnx"
WIDTHS = tuple(48 + 40 * ((7 * i) % 24) for i in range(24))  # 48 to 968, mixed
WAYS = ("direct", "provider", "onnxruntime")
MIB = 2**20


def memory() -> dict[str, float]:
    """MiB of the resident set, and of that what no file is behind: code of libraries is shared by all processes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = {
        name: float(rest.split()[0]) / 1024
        for name, _, rest in (line.partition(":") for line in lines)
        if "Rss" in name
    }
    return {"resident_mib": fields["RssAnon"] + fields["RssFile"], "private_mib": fields["RssAnon"]}


def measure(way: str, threads: int) -> dict[str, float]:
    """In a process of its own."""
    import anydim
    import anydim.ort
    import numpy as np
    import onnxruntime

    devices = anydim.ort.register()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    if way == "provider":
        options.add_provider_for_devices(devices, {})
    images = {width: np.random.default_rng(width).random((1, 3, 48, width), np.float32) for width in (*WIDTHS, 52)}
    before = memory()
    session: Any
    if way == "direct":
        session = anydim.InferenceSession(str(MODEL), threads=threads)
    else:
        session = onnxruntime.InferenceSession(str(MODEL), options)
    session.run(None, {"x": images[52]})

    def call(width: int) -> float:
        begin = time.perf_counter()
        session.run(None, {"x": images[width]})
        return time.perf_counter() - begin

    first = [call(width) for width in WIDTHS]
    later = [median(call(width) for _ in range(5)) for width in WIDTHS]
    arena = session.arena_bytes if way == "direct" else 0
    grown = {key: now - before[key] for key, now in memory().items()}
    return {"first_ms": 1e3 * sum(first), "later_ms": 1e3 * sum(later), **grown, "arena_mib": arena / MIB}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--threads", type=int, nargs="+", default=sorted({len(os.sched_getaffinity(0)), 1}, reverse=True)
    )
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], int(arguments.one[1]))))
        return
    about = machine.describe()
    print(
        f"bench: {about['cpu']['model']}, {about['cpu']['cores']} cores, commit {about['commit']}, load {about['load']:.1f}"
    )
    for threads in arguments.threads:
        found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
        for turn in range(arguments.rounds):
            for way in WAYS[turn % 3 :] + WAYS[: turn % 3]:
                command = [sys.executable, __file__, "--one", way, str(threads)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found[way].append(json.loads(done.stdout.splitlines()[-1]))
        print(
            f"\n| threads {threads} | first, ms | later, ms | resident, MiB | private, MiB | arena, MiB | first over direct | "
            "later over direct |"
        )
        print("|---|---|---|---|---|---|---|---|")
        for way in WAYS:
            row = {key: median(each[key] for each in found[way]) for key in found[way][0]}
            over = []
            for key in ("first_ms", "later_ms"):
                ratios = [each[key] / beside[key] for each, beside in zip(found[way], found["direct"], strict=True)]
                over.append(f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
            arena = f"{row['arena_mib']:.1f}" if way == "direct" else "-"
            print(
                f"| {way} | {row['first_ms']:.1f} | {row['later_ms']:.1f} | {row['resident_mib']:.1f} | {row['private_mib']:.1f} | "
                f"{arena} | {over[0]} | "
                f"{over[1]} |"
            )


if __name__ == "__main__":
    main()
