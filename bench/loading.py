# SPDX-License-Identifier: Apache-2.0
"""Does loading take time in proportion to a graph's nodes? Graphs of 2,000 and of 12,000 nodes are loaded: chains of products, slices
that are joined again, shape arithmetic. What should hold is a ratio of at most 6.6 for six times the nodes (issue 45).

  bench/loading.py [--library OTHER/libanydim.so ...] [--rounds 7] [--kinds shapes]

Times are of anydim_model_load_file through the C API, in one process per library, all libraries and sizes by turns; the median of the
rounds. With a second library (that of the commit before, say) both are measured in one run.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SIZES = (2_000, 12_000)
MOST = 6.6  # times as long for six times the nodes


def products(b: Any, nodes: int) -> str:
    """Matrix products in a row, each with weights of its own and an activation behind it."""
    x = "x"
    for _ in range(nodes // 2):
        x = b.node("Relu", b.node("MatMul", x, b.weight(8, 8)))
    return x


def slices(b: Any, nodes: int) -> str:
    """Blocks of eight slices of a tensor that are joined again."""
    x = "x"
    for _ in range(nodes // 9):
        parts = [b.node("Slice", x, *(b.constant([v], "int64") for v in (i, i + 1, 1))) for i in range(8)]
        x = b.node("Concat", *parts, axis=1)
    return x


def shapes(b: Any, nodes: int) -> str:
    """Reshapes whose target is computed from the tensor's own shape: Shape, Gather, Mul, Concat."""
    x = "x"
    for _ in range(nodes // 8):
        shape = b.node("Shape", x)
        rows, columns = (b.node("Gather", shape, b.constant([i], "int64")) for i in range(2))
        doubled = b.node("Mul", rows, b.constant([2], "int64"))
        half = b.node("Div", columns, b.constant([2], "int64"))
        x = b.node("Reshape", x, b.node("Concat", doubled, half, axis=0))
        x = b.node("Reshape", x, shape)
    return x


KINDS = {"products": products, "slices": slices, "shapes": shapes}


def make(kind: str, nodes: int, path: Path) -> None:
    import onnx
    from made_models import Builder
    from onnx import TensorProto, helper

    b = Builder()
    out = KINDS[kind](b, nodes)
    value = helper.make_tensor_value_info
    x = value("x", TensorProto.FLOAT, ["n", 8])
    graph = helper.make_graph(b.nodes, kind, [x], [value(out, TensorProto.FLOAT, None)], b.constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def serve(library: str) -> None:
    """Loads each file whose name it reads, and answers with the milliseconds that this took."""
    calls = ctypes.CDLL(library)
    calls.anydim_last_error.restype = ctypes.c_char_p
    engine, model = ctypes.c_void_p(), ctypes.c_void_p()

    def checked(status: int) -> None:
        if status != 0:
            raise SystemExit(calls.anydim_last_error().decode())

    checked(calls.anydim_engine_create(1, 0, None, ctypes.byref(engine)))
    for line in sys.stdin:
        path = line.strip().encode()
        begin = time.perf_counter()
        checked(calls.anydim_model_load_file(engine, path, None, ctypes.byref(model)))
        elapsed = time.perf_counter() - begin
        calls.anydim_model_destroy(model)
        print(elapsed * 1e3, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", help="libanydim.so; several: by turns")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve)
    libraries = options.library or [str(ROOT / "build" / "lib" / "libanydim.so")]
    with tempfile.TemporaryDirectory() as folder:
        files = {(kind, nodes): Path(folder) / f"{kind}-{nodes}.onnx" for kind in options.kinds for nodes in SIZES}
        for (kind, nodes), path in files.items():
            make(kind, nodes, path)
        workers = [
            subprocess.Popen([sys.executable, __file__, "--serve", name], stdin=-1, stdout=-1, text=True)
            for name in libraries
        ]
        times: dict[tuple[str, int, int], list[float]] = {}
        for round_ in range(options.rounds + 1):
            for (kind, nodes), path in files.items():
                for i, worker in enumerate(workers):
                    assert worker.stdin and worker.stdout
                    print(path, file=worker.stdin, flush=True)
                    taken = float(worker.stdout.readline())
                    if round_ > 0:  # the first is not counted
                        times.setdefault((kind, nodes, i), []).append(taken)
        for worker in workers:
            worker.communicate()
    for i, name in enumerate(libraries):
        print(name)
        for kind in options.kinds:
            small, large = (statistics.median(times[kind, nodes, i]) for nodes in SIZES)
            verdict = "" if large / small <= MOST else f", above {MOST}"
            print(f"  {kind:9} {small:7.1f} {large:8.1f} ms: {large / small:.1f} times{verdict}")
    return None


if __name__ == "__main__":
    main()
