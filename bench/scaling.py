# SPDX-License-Identifier: Apache-2.0
"""How a model's time falls with threads: measured as far as this machine has cores, beyond that reckoned node by node.

  bench/scaling.py build/models/yolo.onnx --shape images:1,3,640,640
  bench/scaling.py rec.onnx --shape x:1,3,48,320 --most 16 --rounds 5 --json scaling.json

A node's time with one thread and with all cores gives the part of it that threads share (Amdahl's law): t(n) = alone + shared / n. Nodes
follow one another, so that their times add up. What is reckoned so says where a model stops to gain, and which nodes stop it; it knows
nothing of caches, memory and clocks that cores share, and is no measurement: the table marks it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Node:
    """What a node takes, in microseconds: what one thread does alone, and what threads share."""

    name: str
    alone: float
    shared: float

    def time(self, threads: int) -> float:
        return self.alone + self.shared / threads


def split(name: str, one: float, many: float, cores: int) -> Node:
    """From its time with one thread and with `cores`; one that gains nothing is done by one thread alone."""
    if cores < 2 or many >= one:
        return Node(name, one, 0.0)
    shared = min((one - many) * cores / (cores - 1), one)
    return Node(name, one - shared, shared)


def reckoned(nodes: list[Node], threads: int) -> float:
    return sum(node.time(threads) for node in nodes)


def counts(most: int) -> list[int]:
    """1, 2, 4 ... and the last one."""
    found = [1]
    while found[-1] * 2 <= most:
        found.append(found[-1] * 2)
    return found if found[-1] == most else [*found, most]


def profile(model: Path, shapes: list[str], math: str, threads: int, rounds: int) -> list[tuple[str, float]]:
    """Names and least times of the nodes of a run, in microseconds."""
    program = Path(sys.executable).with_name("anydim")
    command = [str(program), "explain", str(model), "--shape", *shapes]
    command += ["--math", math, "--threads", str(threads), "--json"]
    best: list[tuple[str, float]] = []
    for _ in range(rounds):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        report: dict[str, Any] = json.loads(done.stdout)
        nodes = [(n["name"], n["nanoseconds"] / 1e3) for n in report["nodes"] if not n.get("depth")]
        best = [(a[0], min(a[1], b[1])) for a, b in zip(best, nodes, strict=True)] if best else nodes
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--shape", nargs="+", required=True, help="dims of an input, such as x:1,3,48,320")
    parser.add_argument("--math", default="strict", choices=("strict", "fast", "reduced"))
    parser.add_argument("--most", type=int, default=64, help="threads")
    parser.add_argument("--rounds", type=int, default=5, help="processes of each number of threads")
    parser.add_argument("--json", type=Path, help="a file for the numbers")
    options = parser.parse_args()

    cores = len(os.sched_getaffinity(0))
    measured = {
        n: profile(options.model, options.shape, options.math, n, options.rounds)
        for n in counts(min(cores, options.most))
    }
    one, many = measured[1], measured[max(measured)]
    nodes = [split(a[0], a[1], b[1], max(measured)) for a, b in zip(one, many, strict=True)]
    whole = sum(time for _, time in one)
    rows = []
    print(f"{'threads':>8}{'ms':>10}{'speed-up':>10}")
    for threads in counts(options.most):
        known = threads in measured
        time = sum(t for _, t in measured[threads]) if known else reckoned(nodes, threads)
        rows.append({"threads": threads, "ms": time / 1e3, "measured": known})
        print(f"{threads:8}{time / 1e3:10.3f}{whole / time:10.2f}  {'measured' if known else 'reckoned'}")
    stops = sorted(nodes, key=lambda n: -n.alone)[:5]
    print(f"what threads do not share, {sum(n.alone for n in nodes) / 1e3:.3f} ms of {whole / 1e3:.3f}:")
    for node in stops:
        print(f"{node.alone:10.1f} us  {node.name}")
    if options.json is not None:
        options.json.write_text(
            json.dumps({"model": options.model.name, "cores": cores, "rows": rows}, indent=1) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
