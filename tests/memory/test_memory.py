# SPDX-License-Identifier: Apache-2.0
"""P3: over 300 distinct widths of rec, growing and mixed, the resident set of a C program with bounds stays flat (2 %)
and within bytes_needed + packed weights + 16 MB."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "memory"
MEGABYTE = 1 << 20


@pytest.mark.parametrize("order", ["growing", "mixed"])
def test_resident_set_stays_flat_and_within_what_was_promised(order: str) -> None:
    seed = os.environ.get("ANYDIM_SEED", str(random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    command = [str(PROGRAM), str(ROOT / "build/models/rec.onnx"), "x", "1", "3", "48", "32", "640", "300", order, seed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    print(seen)
    assert seen["most"] <= seen["first"] * 1.02, "the resident set grew with the number of shapes seen"
    promised = seen["bytes_needed"] + seen["weight_bytes"] + 16 * MEGABYTE
    assert seen["most"] - seen["before"] <= promised, "more resident memory than bytes_needed + weights + 16 MB"
