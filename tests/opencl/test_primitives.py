# SPDX-License-Identifier: Apache-2.0
"""Primitives and kernels on drivers for processors, every kernel in several forms: the processor's own bits. The unit tests compile a few."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from drivers import ROOT, Driver

BUILD = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build"))


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel"], indirect=True)
@pytest.mark.parametrize(
    ("program", "tests"),
    [("core_engines_conformance_test", "Every/*/opencl"), ("core_engines_opencl_kernels_test", "OpenclKernels.*")],
)
def test_every_kernel_gives_the_bits_of_the_processor(driver: Driver, program: str, tests: str) -> None:
    done = subprocess.run(
        [BUILD / program, f"--gtest_filter={tests}"],
        env=driver.environment(ANYDIM_OPENCL_KERNELS="all"),
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0 and "skipped" not in done.stdout.lower(), done.stdout + done.stderr
