# SPDX-License-Identifier: Apache-2.0
"""Does a row of a batch have the bits of that row alone, and a result with two threads those with one? For Anydim, ONNX Runtime and
OpenVINO (f32 hint), over models of build/models, with random data: how many of the rows that were compared differ. Nothing is timed.

  bench/same_bits.py [--rows 8] [--seed 1]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MODELS = {"cls": (3, 48, 192), "rec": (3, 48, 200)}
Run = Callable[[Any], Any]


def anydim_run(path: str, threads: int) -> Run:
    import anydim

    session = anydim.InferenceSession(path, threads=threads)
    return lambda x: session.run(None, {"x": x})[0]


def onnxruntime_run(path: str, threads: int) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda x: session.run(None, {"x": x})[0]


def openvino_run(path: str, threads: int) -> Run:
    import openvino

    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads}
    compiled = openvino.Core().compile_model(path, "CPU", settings)
    return lambda x: compiled([x])[0].copy()


ENGINES = {"anydim": anydim_run, "onnxruntime": onnxruntime_run, "openvino": openvino_run}


def differing(one: Any, other: Any) -> int:
    return sum(a.tobytes() != b.tobytes() for a, b in zip(one, other, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=8, help="rows of a batch")
    parser.add_argument("--seed", type=int, default=1, help="of the random data")
    options = parser.parse_args()
    import numpy as np

    rng = np.random.default_rng(options.seed)
    for model, dims in MODELS.items():
        x = rng.standard_normal((options.rows, *dims), np.float32)
        for engine, make in ENGINES.items():
            one, two = (make(str(ROOT / "build" / "models" / f"{model}.onnx"), threads) for threads in (1, 2))
            batch = one(x)
            alone = np.concatenate([one(x[i : i + 1]) for i in range(options.rows)])
            rows = differing(batch, alone)
            threads = differing(batch, two(x))
            print(
                f"{model}, {engine}: alone or in a batch {rows} of {options.rows} rows differ; 1 or 2 threads {threads}"
            )


if __name__ == "__main__":
    main()
