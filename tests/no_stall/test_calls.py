# SPDX-License-Identifier: Apache-2.0
"""A run into the caller's buffers allocates nothing, through C and through the C++ header (bench/calls.cpp counts)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_run_into_the_callers_buffers_allocates_nothing() -> None:
    model = ROOT / "tests" / "vectors" / "models" / "identity.onnx"
    command = [str(ROOT / "build" / "bin" / "calls"), str(model), "200"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counts = dict(re.findall(r"^(\w+, [C+]+) .* ([\d.]+) allocations$", done.stdout, re.MULTILINE))
    assert set(counts) == {"context, C", "session, C", "context, C++", "session, C++"}, done.stdout
    assert all(float(count) == 0 for count in counts.values()), done.stdout
