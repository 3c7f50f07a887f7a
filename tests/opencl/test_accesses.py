# SPDX-License-Identifier: Apache-2.0
"""Every access of the OpenCL kernels, checked by Debian's oclgrind at small odd shapes: inside their buffers, and no element written by two
work-items. Kernels for devices like CPUs and for those like GPUs, and planted errors that have to be found."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from drivers import ROOT, vendors

BUILD = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build"))
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")


def told(folder: Path, tests: str, **variables: str) -> tuple[int, str, str]:
    """The tests' status, what they say, and what the checker says."""
    if not OCLGRIND.exists():
        pytest.skip("no oclgrind: tools/setup opencl")
    log = folder / "oclgrind.log"
    checks = {
        "ANYDIM_OPENCL_DRIVERS": "all",
        "OCLGRIND_CHECK_API": "1",
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_LOG": str(log),
    }
    rest = {k: v for k, v in os.environ.items() if not k.startswith("OCL_")}
    done = subprocess.run(
        [BUILD / "core_engines_opencl_kernels_test", f"--gtest_filter=OpenclKernels.{tests}"],
        env=rest | vendors(folder, OCLGRIND) | checks | {"ANYDIM_OPENCL_KERNELS": "small"} | variables,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert "skipped" not in done.stdout, done.stdout
    return done.returncode, done.stdout + done.stderr, log.read_text() if log.exists() else ""


# The checker has no vectors of its own, so it is like a GPU unless the tests let it say how many floats it adds at once.
@pytest.mark.long
@pytest.mark.parametrize("vector", ["1", "8", "16"])
def test_kernels_stay_inside_their_memory_and_do_not_race(tmp_path: Path, vector: str) -> None:
    status, words, checker = told(tmp_path, "*", ANYDIM_OPENCL_VECTOR=vector)
    assert "Invalid" not in checker and "race" not in checker, checker[:3000]
    assert "BUILD_PROGRAM_FAILURE" not in checker + words, words[-3000:]  # another kernel would have been taken
    assert status == 0, words[-3000:]


@pytest.mark.long
@pytest.mark.parametrize(
    ("plant", "tests", "vector", "finding"),
    [
        ("beyond", "ElementwiseShapes", "1", "Invalid write"),
        ("race", "ElementwiseShapes", "1", "data race"),
        ("columns", "BlocksOfColumns", "16", "data race"),
    ],
)
def test_planted_errors_are_found(tmp_path: Path, plant: str, tests: str, vector: str, finding: str) -> None:
    _, _, checker = told(tmp_path, tests, ANYDIM_OPENCL_PLANT=plant, ANYDIM_OPENCL_VECTOR=vector)
    assert finding in checker, checker[:3000]
