# SPDX-License-Identifier: Apache-2.0
"""Programs for single calls: what the library's own tests say of them on each driver, and that a process ends well while they are made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from drivers import ROOT, Driver

BUILD = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build"))
MODEL = ROOT / "tests" / "vectors" / "models" / "conv_relu.onnx"

# The worker is asked at the first run, and compiles when the process ends so many seconds later.
CHILD = """
import sys, time
import anydim, numpy as np
session = anydim.InferenceSession(sys.argv[1], engines="opencl", contexts=1, reuse="reusable_first")
x = np.zeros((1, 3, 384, 384), np.float32)
anydim.worker.drain()  # what was compiled is stored
before = anydim.counters()["worker_requests"]
session.run(None, {"x": x})
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    session.run(None, {"x": x})
print(anydim.counters()["worker_requests"] - before, flush=True)
"""


def ends_well(driver: Driver, seconds: float) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, MODEL, str(seconds)],
        env=driver.environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, (seconds, done.stdout + done.stderr)
    # One; where its program gained something, the context was bound to it and asked again, which the worker has served.
    assert int(done.stdout.split()[-1]) in (1, 2)


def test_a_process_ends_while_a_program_is_compiled(driver: Driver) -> None:
    ends_well(driver, 0.2)


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel"], indirect=True)
def test_a_process_ends_at_any_moment_of_compiling_and_measuring(driver: Driver) -> None:
    for tenths in range(0, 40, 3):
        ends_well(driver, tenths / 10)


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel"], indirect=True)
def test_they_come_at_a_call_and_keep_the_bits(driver: Driver) -> None:
    done = subprocess.run(
        [BUILD / "core_run_test", "--gtest_filter=OpenclCalls.*"],
        env=driver.environment(ANYDIM_OPENCL_KERNELS="all", ANYDIM_WORKER_SECONDS="1000"),
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0 and "[  PASSED  ] 5 tests" in done.stdout, done.stdout + done.stderr
