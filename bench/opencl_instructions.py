# SPDX-License-Identifier: Apache-2.0
"""Instructions of the OpenCL kernels for devices like GPUs, counted by Debian's oclgrind: of each call below, per useful multiply-add (of
products and convolutions) or per number of the input. oclgrind runs what clang makes of a kernel, instruction by instruction; a vector's
counts once, so a multiply-add of four lanes counts as four useful ones.

  bench/opencl_instructions.py [--only WORD]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
# operator, input, weights (and attributes): small enough for an interpreter, large enough that what is done once does not count.
CALLS: dict[str, dict[str, Any]] = {
    "matmul 128x256x128": {"node": "MatMul", "x": [128, 256], "w": [256, 128]},
    "matmul 1x256x512": {"node": "MatMul", "x": [1, 256], "w": [256, 512]},
    "conv 3x3 64 to 64, 14x14": {"node": "Conv", "x": [1, 64, 14, 14], "w": [64, 64, 3, 3], "pads": [1, 1, 1, 1]},
    "conv 1x1 128 to 64, 14x14": {"node": "Conv", "x": [1, 128, 14, 14], "w": [64, 128, 1, 1]},
    "conv 7x7/2 3 to 64, 28x28": {
        "node": "Conv",
        "x": [1, 3, 28, 28],
        "w": [64, 3, 7, 7],
        "pads": [3] * 4,
        "strides": [2, 2],
    },
    "depthwise 3x3 64, 14x14": {"node": "Conv", "x": [1, 64, 14, 14], "w": [64, 1, 3, 3], "pads": [1] * 4, "group": 64},
    "relu 64x256": {"node": "Relu", "x": [64, 256]},
    "softmax 16x512": {"node": "Softmax", "x": [16, 512]},
    "mean 16x512": {"node": "ReduceMean", "x": [16, 512], "axes": [-1]},
}


def child(name: str) -> None:
    import anydim
    import numpy as np

    call = dict(CALLS[name])
    node, dims, weights = call.pop("node"), call.pop("x"), call.pop("w", None)
    random = np.random.default_rng(1)
    graph = anydim.ModelBuilder(opset=17)
    inputs = [graph.input("x", dims)]
    if weights:
        inputs.append(graph.constant(random.standard_normal(weights).astype(np.float32)))
    graph.output(graph.node(node, *inputs, outputs=["y"], **call))
    x = random.standard_normal(dims).astype(np.float32)
    session = anydim.InferenceSession(graph, engines=[anydim.Engine("opencl")], contexts=1)
    out = session.run(None, {"x": x})[0]
    same = out.tobytes() == anydim.InferenceSession(graph, contexts=1).run(None, {"x": x})[0].tobytes()
    per_number = math.prod(weights[:1]) if node == "MatMul" else math.prod(weights[1:]) if weights else 1
    work = out.size * per_number if weights else x.size
    print(json.dumps({"work": work, "same": same}))


def counts(text: str) -> dict[str, dict[str, int]]:
    """Of each kernel, how often each instruction ran."""
    found: dict[str, dict[str, int]] = {}
    kernel = ""
    for line in text.splitlines():
        if head := re.search(r"Instructions executed for kernel '(\w+)'", line):
            kernel = head[1]
        elif one := re.match(r"\s*([\d,]+) - (.*)", line):
            rows = found.setdefault(kernel, {})
            rows[one[2]] = rows.get(one[2], 0) + int(one[1].replace(",", ""))
    return found


def tell(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "one.icd").write_text(f"{OCLGRIND}\n")
        variables = os.environ | {
            "OCL_ICD_VENDORS": folder,
            "ANYDIM_OPENCL_DRIVERS": "all",
            "ANYDIM_CACHE_DIR": folder,
            "OCLGRIND_INST_COUNTS": "1",
        }
        done = subprocess.run(
            [sys.executable, __file__, "--child", name], env=variables, capture_output=True, text=True
        )
    if done.returncode:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    by_kernel = {k: v for k, v in counts(done.stdout + done.stderr).items() if k not in ("probe", "copy")}
    kernel = max(by_kernel, key=lambda k: sum(by_kernel[k].values()))
    rows = by_kernel[kernel]
    everything = sum(rows.values())
    fma = sum(n * (4 if "Dv4" in what else 1) for what, n in rows.items() if "fma" in what)
    calls = sum(n for what, n in rows.items() if "fma" in what)
    division = sum(n for what, n in rows.items() if re.match(r"[su](div|rem)\b", what))
    loads = {
        kind: sum(n for what, n in rows.items() if what.startswith(f"load {kind}")) for kind in ("global", "local")
    }
    work = told["work"]
    print(
        f"| {name} | {kernel} | {fma / work:.2f} | {(everything - calls) / work:.2f} | {loads['global'] / work:.3f} "
        f"| {loads['local'] / work:.3f} | {division / work:.3f} | {'yes' if told['same'] else 'NO'} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    print(
        "| call | function | multiply-adds done / useful | other instructions | loads of memory | of local memory | divisions | same bits |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in CALLS:
        if options.only in name:
            tell(name)


if __name__ == "__main__":
    main()
