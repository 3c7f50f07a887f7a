# SPDX-License-Identifier: Apache-2.0
"""Writes cli/generated/opencl_programs.inc: what `anydim opencl warm` compiles without a model. Runs the models of build/models on the
first OpenCL device and keeps one call of each kind whose program may be another one: everything but dims. Run it when a
model or a pass is new.

Usage: .venv/bin/python tools/opencl_programs.py
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHAPES = {"cls": "1,3,48,192", "rec": "1,3,48,160", "det": "1,3,64,96", "yolo": "1,3,64,96"}
# What models prepare and run at no shape above, where these nodes are views.
PREPARED = [
    "reshape dims=6,1|in0=f32[2,3] out0=f32[6,1]|",
    "reshape dims=2,12,1|in0=f32[2,3,4] out0=f32[2,12,1]|",
    "slice starts=0,0,0 steps=1,1,1 lengths=2,3,2|in0=f32[2,3,4] out0=f32[2,3,2]|",
    "slice starts=0,0,0,0 steps=1,1,1,1 lengths=2,3,4,3|in0=f32[2,3,4,5] out0=f32[2,3,4,3]|",
    "transpose perm=1,0|in0=f32[2,3] out0=f32[3,2]|",
    "concat axis=1|in0=f32[2,3,4,5] in1=f32[2,3,4,5] out0=f32[2,6,4,5]|",
    "reshape dims=6,4|in0=f32[2,3,4,1] out0=f32[6,4]|",
    "reshape dims=2,3,20,6|in0=f32[2,3,4,5,6] out0=f32[2,3,20,6]|",
    "slice starts=0,0,0,0,0 steps=1,1,1,1,1 lengths=2,3,4,5,3|in0=f32[2,3,4,5,6] out0=f32[2,3,4,5,3]|",
    "transpose perm=0,2,1|in0=f32[2,3,4] out0=f32[2,4,3]|",
    "transpose perm=0,2,1,3|in0=f32[2,3,4,5] out0=f32[2,4,3,5]|",
    "transpose perm=2,0,3,1,4|in0=f32[2,3,4,5,6] out0=f32[4,2,5,3,6]|",
]
NUMBERS = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")


def calls(model: str, shape: str) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "lines"
        subprocess.run(
            [
                ROOT / "build" / "bin" / "anydim",
                "run",
                ROOT / "build" / "models" / f"{model}.onnx",
                "--engine",
                "opencl",
                "--random",
                f"{'images' if model == 'yolo' else 'x'}:{shape}",
            ],
            env=os.environ | {"ANYDIM_VERBOSE": "1", "ANYDIM_VERBOSE_FILE": str(log)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        with log.open() as lines:
            return [f for f in csv.reader(lines) if f[:4] == ["anydim", "v1", "execute", "opencl"]]


def kind(fields: list[str]) -> str:
    """What is distinguished: the kernel, the operator, dtypes and ranks, the post-ops; dims of weights, since tiles follow from them."""
    tensors = [
        word if word.startswith("w1") else re.sub(r"[0-9?.%~]+(?=[,\]])", "d", word).split("@")[0].split(":")[0]
        for word in fields[6].split()
    ]
    weights = re.search(r"w1=f32\[(\d+)([^\]]*)", fields[6])
    # The tile is chosen by the columns, windows of a depthwise convolution are unrolled, and patches depend on both.
    narrow = f"{min(int(weights[1]), 96)} {weights[2].split(',', 2)[-1]}" if weights else ""
    name = fields[5].split()[0]
    op = name if name in ("convolution", "conv_transpose", "max_pool", "average_pool") else fields[5]
    ranks = [re.sub(r"\[.*", "", word) for word in tensors] if weights else tensors
    return "|".join([fields[9], op, narrow, " ".join(ranks), NUMBERS.sub("n", fields[7])])


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    found: dict[str, str] = {}
    for model, shape in SHAPES.items():
        for fields in calls(model, shape):
            tensors = " ".join(fields[6].split())
            found.setdefault(kind(fields), f"{fields[5]}|{tensors}|{fields[7]}")
    out = ROOT / "cli" / "generated" / "opencl_programs.inc"
    head = "// SPDX-License-Identifier: Apache-2.0\n// Written by tools/opencl_programs.py: operator, tensors, post-ops of a call each.\n"
    out.write_text(head + "".join(f'R"({line})",\n' for line in sorted([*found.values(), *PREPARED])))
    print(f"{out.name}: {len(found) + len(PREPARED)} calls")


if __name__ == "__main__":
    main()
