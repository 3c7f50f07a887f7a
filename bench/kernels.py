# SPDX-License-Identifier: Apache-2.0
"""Operators of one model each over a million elements, in every dtype and form that quantized and decoder models have: which kernel
runs, its time, the time of the same operator in float32, and ONNX Runtime's, in microseconds. Worst ratios to float32 first.

  python bench/kernels.py [PATTERN ...] [--seconds 0.05] [--threads 1] [--ours-alone]

PATTERN: only models whose names have it. A ratio of hundreds is a scalar kernel (its name ends in .reference), or an operator that costs
more in this dtype. nan: ONNX Runtime has no kernel, or numpy no such dtype. bench/operators.py
measures these models and many more beside ONNX Runtime.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

from kernel_case import Case
from kernel_elements import conversions, functions, movers, reductions
from kernel_products import convolutions, fused, products, windows

PARTS = (conversions, functions, reductions, movers, windows, fused, products, convolutions)


def cases() -> Iterator[Case]:
    for part in PARTS:
        yield from part()


def median_of(run: Callable[[], object], seconds: float) -> float:
    begin = time.perf_counter()
    run()
    if time.perf_counter() - begin > 10 * seconds:  # as slow as this, once is enough
        return 1e6 * (time.perf_counter() - begin)
    times: list[float] = []
    until = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ours-alone", action="store_true", help="without ONNX Runtime")
    options = parser.parse_args()
    import anydim
    import onnxruntime

    def ours(case: Case) -> tuple[float, str]:
        session = anydim.InferenceSession(case.model(), threads=options.threads)
        feeds = case.feeds()
        us = median_of(lambda: session.run(None, feeds), options.seconds)
        nodes = session.explain({name: array.shape for name, array in feeds.items()})["nodes"]
        kernels: dict[str, int] = {}
        for node in nodes:
            kernels[node.get("kernel") or "-"] = kernels.get(node.get("kernel") or "-", 0) + max(
                node.get("nanoseconds", 0), 0
            )
        return us, ", ".join(sorted(kernels, key=lambda k: -kernels[k])[:3])

    def theirs(case: Case) -> float:
        try:
            import numpy as np

            settings = onnxruntime.SessionOptions()
            settings.intra_op_num_threads = options.threads
            settings.log_severity_level = 4
            session = onnxruntime.InferenceSession(case.model(), settings, providers=["CPUExecutionProvider"])
            feeds = case.feeds()
            if any(not np.issubdtype(array.dtype, np.number) and array.dtype != np.bool_ for array in feeds.values()):
                return float("nan")
            return median_of(lambda: session.run(None, feeds), options.seconds)
        except Exception:
            return float("nan")

    bases: dict[str, float] = {}
    lines = []
    for case in cases():
        if options.patterns and not any(p in case.name for p in options.patterns):
            continue
        try:
            us, kernels = ours(case)
        except Exception as e:
            print(f"refused: {case.name}: {str(e)[:110]}", flush=True)
            continue
        base = float("nan")
        if case.base is not None:
            key = str(
                (
                    case.base.op,
                    [i if isinstance(i, tuple) else getattr(i, "shape", None) for i in case.base.inputs],
                    case.base.attributes,
                )
            )
            if key not in bases:
                bases[key] = ours(case.base)[0]
            base = bases[key]
        peer = float("nan") if options.ours_alone else theirs(case)
        lines.append((us / base if base == base else 0.0, case.name, us, base, peer, kernels))
    for ratio, name, us, base, peer, kernels in sorted(lines, key=lambda line: -line[0]):
        print(f"{ratio:8.2f} {name:50} {us:10.0f} {base:10.0f} {peer:10.0f}  {kernels}")


if __name__ == "__main__":
    main()
