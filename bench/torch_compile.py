# SPDX-License-Identifier: Apache-2.0
"""PyTorch modules at 20 sizes: eager, Inductor (torch.compile with dynamic=None and dynamic=True), anydim.torch.compile, and
torch.compile(backend="anydim", dynamic=True). Each in a process of its own, with the same inputs and number of threads.

Printed for each way: the time before the first result (compiling included), the sum of the 20 first calls, the longest of them
but the first, how many calls took more than ten times the later call at their size (stalls), the sum of later calls, and how many
graphs were compiled.
Inductor's caches on disk are empty. `.venv/bin/python bench/torch_compile.py`; needs `tools/setup python torch`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WAYS = ("eager", "inductor", "inductor dynamic", "anydim", "backend anydim")
MODULES = ("encoder", "convolutions", "mlp")
SIZES = 20


def module_and_inputs(name: str) -> tuple[Any, Any, list[tuple[Any, ...]]]:
    """A module of usual size, what is dynamic in it, and its inputs at 20 sizes, of which one is a batch of 1 row."""
    sys.path.insert(0, str(ROOT / "tests" / "torch"))
    import torch
    import torch_modules as modules

    torch.manual_seed(7)
    case = modules.CASES[name]
    order = [(7 * i + 3) % SIZES for i in range(SIZES)]
    inputs: list[tuple[Any, ...]]
    if name == "encoder":
        module = modules.Encoder(width=256, heads=4, layers=4, words=5000)
        inputs = [
            (torch.randint(0, 5000, (2, n)), torch.ones(2, n, dtype=torch.bool)) for n in (16 + 12 * i for i in order)
        ]
    elif name == "convolutions":
        module = modules.Convolutions(width=32, blocks=3)
        inputs = [(torch.randn(1, 3, 96 + 16 * i, 320 - 8 * i),) for i in order]
    else:
        module = modules.Mlp(width=512, layers=4)
        inputs = [(torch.randn(1 + 13 * i, 512),) for i in order]
    return module.eval(), case.dynamic_shapes, inputs


def measure(name: str, way: str) -> dict[str, Any]:
    """One way in this process."""
    import torch

    module, shapes, inputs = module_and_inputs(name)
    with torch.no_grad():
        expected = [module(*each) for each in inputs]
        begun = time.perf_counter()
        if way == "eager":
            run = module
        elif way == "anydim":
            import anydim.torch

            run = anydim.torch.compile(module, inputs[0], dynamic_shapes=shapes)
        else:
            run = torch.compile(
                module, backend="anydim" if "anydim" in way else "inductor", dynamic=None if way == "inductor" else True
            )
        made = time.perf_counter() - begun
        first, worst = [], 0.0
        for each, right in zip(inputs, expected, strict=True):
            begun = time.perf_counter()
            got = run(*each)
            first.append(time.perf_counter() - begun)
            worst = max(worst, float((got - right).abs().max()))
        later = []
        for each in inputs:
            times = []
            for _ in range(5):
                begun = time.perf_counter()
                run(*each)
                times.append(time.perf_counter() - begun)
            later.append(sorted(times)[2])
    graphs = 0
    if way == "anydim":
        graphs = 1
    elif way != "eager":
        graphs = int(torch._dynamo.utils.counters["stats"]["unique_graphs"])
    first[0] += made
    return {
        "module": name,
        "way": way,
        "graphs": graphs,
        "begin_s": first[0],
        "first_s": sum(first),
        "longest_after_ms": 1e3 * max(first[1:]),
        "stalls": sum(one > 10 * usual for one, usual in zip(first[1:], later[1:], strict=True)),
        "later_ms": 1e3 * sum(later),
        "largest_error": worst,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="*", default=list(MODULES), choices=MODULES)
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=WAYS)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(*arguments.one)))
        return
    print(
        "| module | way | graphs | until the first result | 20 first calls | longest after the first | stalls | 20 later calls |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.only:
        for way in arguments.ways:
            with tempfile.TemporaryDirectory() as cache:
                environment = {
                    **os.environ,
                    "OMP_NUM_THREADS": str(arguments.threads),
                    "TORCHINDUCTOR_CACHE_DIR": cache,
                }
                command = [sys.executable, "-W", "ignore", __file__, "--one", name, way]
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"| {name} | {way} | failed: {done.stderr.strip().splitlines()[-1]} |")
                continue
            r = json.loads(done.stdout.splitlines()[-1])
            print(
                f"| {name} | {way} | {r['graphs']} | {r['begin_s']:.2f} s | {r['first_s']:.2f} s | {r['longest_after_ms']:.0f} ms | "
                f"{r['stalls']} | {r['later_ms']:.0f} ms |",
                flush=True,
            )


if __name__ == "__main__":
    main()
