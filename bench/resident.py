# SPDX-License-Identifier: Apache-2.0
"""Memory: the resident set over 300 distinct widths of rec, growing and mixed, beside a control at one fixed width.

The C program build/bin/memory is Anydim with bounds; for each engine there is a Python process without. Results go to
bench/results/; bench/check.py compares them with the targets.
"""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import machine
import summary
from engines import ENGINES

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "bin"
LOW, HIGH = 48, 960
MIB = 2**20


@dataclass(frozen=True)
class Row:
    engine: str
    order: str
    growth_percent: float  # of the whole resident set, from the tenth call to the highest point
    most_mib: float
    beyond_mib: float | None = None  # above bytes_needed + packed weights; only where there are bounds


def widths(order: str, count: int, seed: int) -> list[int]:
    if order == "fixed":
        return [(LOW + HIGH) // 2] * count
    even = [LOW + i * (HIGH - LOW) // (count - 1) for i in range(count)]
    if order == "mixed":
        import numpy as np

        np.random.default_rng(seed).shuffle(even)
    return even


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / MIB


def watch(engine: str, model: Path, order: str, count: int, seed: int) -> None:
    """In a process of its own: the resident set after each call, as a JSON list."""
    import numpy as np

    session = ENGINES[engine](model, 1)
    seen = []
    for width in widths(order, count, seed):
        session.call(np.full((1, 3, 48, width), 0.5, np.float32))
        seen.append(resident_mib())
    print(json.dumps(seen))


def measure_engine(engine: str, model: Path, order: str, count: int, seed: int) -> Row:
    command = [sys.executable, __file__, "--watch", engine, order, "--widths", str(count), "--seed", str(seed)]
    done = subprocess.run([*command, "--model", str(model)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{engine} failed:\n{done.stderr[-2000:]}")
    seen = json.loads(done.stdout.splitlines()[-1])
    return Row(engine, order, 100 * (max(seen) / seen[9] - 1), max(seen))


def measure_bounded(model: Path, order: str, count: int, seed: int) -> Row:
    command = [PROGRAMS / "memory", model, "x", "1", "3", "48", LOW, HIGH, count, order, seed]
    output = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
    got = json.loads(output)
    beyond = got["most"] - got["before"] - got["bytes_needed"] - got["weight_bytes"]
    return Row("anydim in C", order, 100 * (got["most"] / got["first"] - 1), got["most"] / MIB, beyond / MIB)


def write(kind: str, host: dict[str, Any], rows: list[dict[str, Any]]) -> Path:
    document = {"kind": kind, "machine": host, "rows": rows}
    out: Path = summary.write(document, f"{kind}-{host['when'].replace(':', '')}-{host['commit']}")
    return out


def line(row: Row) -> str:
    beyond = "-" if row.beyond_mib is None else f"{row.beyond_mib:.1f}"
    return f"{row.engine:<13}{row.order:<9}{row.growth_percent:>10.1f}{row.most_mib:>11.1f}{beyond:>36}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", type=int, default=300)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="default: drawn now")
    parser.add_argument("--engines", nargs="+", choices=tuple(ENGINES), default=list(ENGINES))
    parser.add_argument("--model", type=Path, default=ROOT / "build" / "models" / "rec.onnx")
    parser.add_argument("--watch", nargs=2, metavar=("ENGINE", "ORDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch:
        watch(options.watch[0], options.model, options.watch[1], options.widths, options.seed)
        return

    host = machine.describe()
    print(f"memory: {options.widths} widths of rec between {LOW} and {HIGH}, 1 thread, seed {options.seed}")
    print(f"{'engine':<13}{'widths':<9}{'growth, %':>10}{'most, MiB':>11}{'beyond bytes_needed + weights, MiB':>36}")
    rows: list[Row] = []
    for order in ("fixed", "growing", "mixed"):
        what = (options.model, order, options.widths, options.seed)
        jobs = [partial(measure_engine, engine, *what) for engine in options.engines]
        if order != "fixed":
            jobs.insert(0, partial(measure_bounded, *what))
        for job in jobs:
            row = job()
            rows.append(row)
            print(line(row), flush=True)
    write("memory", host, [asdict(row) for row in rows])


if __name__ == "__main__":
    main()
