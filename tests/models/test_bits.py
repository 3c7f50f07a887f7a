# SPDX-License-Identifier: Apache-2.0
"""P2 on whole models: an image's output has the same bits alone and as a row of a batch, on one thread and two, from
channels-first and channels-last memory, and on every instruction set.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Small planes: the portable kernels compute an fma in about 3 ns.
PLANES = {"rec": (48, 32, 60), "cls": (48, 64, 120), "det": (32, 32, 96), "yolo": (32, 32, 96)}


@pytest.mark.parametrize("model", PLANES)
def test_no_way_of_running_changes_the_bits(model: str, seed: int, folder: Path) -> None:
    draws = random.Random(f"{seed}/{model}")
    height, low, high = PLANES[model]
    step = 32 if model in ("det", "yolo") else 1
    width = draws.randrange(low, high + 1, step)
    found: dict[str, list[str]] = {}
    for isa in ("", "avx512", "avx2", "portable"):
        command = [sys.executable, str(HERE / "output_digests.py"), str(folder / f"{model}.onnx")]
        environment = os.environ | ({"ANYDIM_MAX_ISA": isa} if isa else {})
        done = subprocess.run(
            [*command, str(height), str(width), str(seed)], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr[-3000:]
        for way, rows in json.loads(done.stdout.splitlines()[-1]).items():
            found[f"{isa or 'this machine'}, {way}"] = rows
    expected = next(iter(found.values()))
    assert len(set(expected)) == len(expected), "the images of the batch are different, their outputs are not"
    different = [way for way, rows in found.items() if rows != expected]
    assert not different, f"other bits at {height}x{width} than '{next(iter(found))}': {different}"
