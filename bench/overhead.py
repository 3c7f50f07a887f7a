# SPDX-License-Identifier: Apache-2.0
"""The overhead of a call through Python: the median of a run of an empty model into the caller's arrays beside C's, alternately.

  bench/overhead.py               11 rounds of 20,000 calls each
  bench/overhead.py --rounds 3

The target of the design: at most 3 us over C's. Needs the wheel (make wheel) and the library of `make build`. Java's is
bindings/java/bench/overhead.py, Rust's `cargo bench` in bindings/rust.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # they come with .venv; --help does without
    from anydim import InferenceSession

ROOT = Path(__file__).resolve().parent.parent
CALLS = 20_000
TARGET = 3000  # nanoseconds


def save_empty_model(path: Path) -> None:
    from onnx import TensorProto, helper, save

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "m"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "empty", [x], [y])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))


def build_program(folder: Path) -> Path:
    program, library = folder / "overhead", ROOT / "build" / "lib"
    subprocess.run(
        ["cc", "-O2", "-std=c11", f"-I{ROOT}/capi/include", str(ROOT / "bench" / "overhead.c"), "-o", str(program),
         f"-L{library}", "-lanydim", f"-Wl,-rpath,{library}"], check=True,
    )  # fmt: skip
    return program


def median_of_python(session: InferenceSession) -> float:
    import numpy as np

    x, y = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
    binding = session.io_binding()
    binding.bind_input("x", x)
    binding.bind_output("y", y)
    took = []
    for _ in range(CALLS):
        begin = time.perf_counter_ns()
        binding.run()
        took.append(time.perf_counter_ns() - begin)
    return statistics.median(took)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()

    import anydim

    c, python = [], []
    with tempfile.TemporaryDirectory() as folder:
        model, program = Path(folder) / "empty.onnx", build_program(Path(folder))
        save_empty_model(model)
        session = anydim.InferenceSession(str(model), threads=1)
        for _ in range(options.rounds):
            command = [str(program), str(model), str(CALLS)]
            c.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
            python.append(median_of_python(session))
    over = [p - q for p, q in zip(python, c, strict=True)]
    for name, values in (("C", c), ("Python", python), ("over C's", over)):
        print(f"{name:<10} {statistics.median(values):7.0f} ns  ({min(values):.0f} to {max(values):.0f})")
    print(f"a run into the caller's arrays costs {statistics.median(over):.0f} ns over C's; the target is {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
