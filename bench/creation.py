# SPDX-License-Identifier: Apache-2.0
"""Time to make a convolution primitive, by how the primitive cache answers, beside oneDNN in the same run.

Runs build/bin/creation and, where oneDNN and its headers are installed in this Python's environment (tools/setup python
bench), a program against it that is compiled here; rounds alternate and each figure is the best round's, since a busy
machine only adds. Results go to bench/results/; bench/check.py compares ours with the targets.

  bench/creation.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import machine
import summary

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "bin" / "creation"
TIMES = ("p50_us", "hit_p50_us", "p90_us", "p99_us", "max_us")


def peer(folder: Path) -> Path | None:
    """The oneDNN program, compiled into `folder`; None where oneDNN is not installed."""
    prefix = Path(sys.prefix)
    if not (prefix / "include" / "oneapi" / "dnnl" / "dnnl.h").exists() or not (prefix / "lib" / "libdnnl.so").exists():
        return None
    program = folder / "creation_onednn"
    library = prefix / "lib"
    command = ["cc", "-O2", "-I", prefix / "include", ROOT / "bench" / "creation_onednn.c", "-o", program]
    command += ["-L", library, "-ldnnl", f"-Wl,-rpath,{library}"]
    subprocess.run([str(word) for word in command], check=True)
    return program


def measure(program: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [program], capture_output=True, text=True, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    return [json.loads(text) for text in done.stdout.splitlines()]


def best(rounds: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    rows = []
    for row in zip(*rounds, strict=True):
        rows.append(row[0] | {key: min(r[key] for r in row) for key in TIMES if key in row[0]})
    return rows


def write(host: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    document = {"kind": "creation", "machine": host, "rows": rows}
    summary.write(document, f"creation-{host['when'].replace(':', '')}-{host['commit']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="processes of each program (default 3)")
    options = parser.parse_args()
    host = machine.describe()
    with tempfile.TemporaryDirectory() as folder:
        onednn = peer(Path(folder))
        if onednn is None:
            print("creation: oneDNN is not installed (tools/setup python bench): no peer beside us")
        programs = [PROGRAM] + ([onednn] if onednn else [])
        rounds = [[measure(program) for program in programs] for _ in range(options.rounds)]
    rows = [row for measured in zip(*rounds, strict=True) for row in best(list(measured))]
    print("creation of a convolution 3x3 64->128 with bias and relu, weights and descriptors at hand, us")
    print(f"{'engine':<16}{'what':<20}{'p50':>10}{'p90':>10}{'p99':>10}")
    for row in rows:
        p50 = row.get("p50_us", row.get("hit_p50_us"))
        print(f"{row['engine']:<16}{row['what']:<20}{p50:>10.2f}{row['p90_us']:>10.2f}{row['p99_us']:>10.2f}")
    write(host, rows)


if __name__ == "__main__":
    main()
