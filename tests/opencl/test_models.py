# SPDX-License-Identifier: Apache-2.0
"""Whole models on an OpenCL device beside the processor: the same bits. A warm cache: nothing is compiled, whatever the shapes."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from drivers import ROOT, Driver

BUILD = Path(os.environ.get("ANYDIM_BUILD", ROOT / "build"))

SHAPES = {
    "cls": ["1,3,48,192", "2,3,48,77"],
    "rec": ["1,3,48,160", "2,3,48,53"],
    "det": ["1,3,64,96", "1,3,160,64"],
    "yolo": ["1,3,64,96", "1,3,128,64"],
}


def same_bits(driver: Driver, models: Path, model: str) -> None:
    told = driver.run(models / f"{model}.onnx", "opencl", *SHAPES[model])
    assert told["wrong"] == []
    # The model ran there: the comparison compared something.
    assert told["on_device"] > told["nodes"] // 2, told
    assert told["programs"]["programs_refused"] == 0, told


def nothing_is_compiled_again(driver: Driver, models: Path, count: int) -> None:
    """In a new process, with a folder of the driver that is empty: all programs come from binaries, and stay enough for every shape."""
    draws = random.Random(5)
    shapes = [f"{draws.randint(1, 2)},3,{draws.randint(33, 64)},{draws.randint(16, 200)}" for _ in range(count)]
    told = driver.with_folder(driver.folder / "again").run(models / "cls.onnx", "opencl", *shapes, "--alone")
    assert told["programs"]["programs_compiled"] == 0, told["programs"]
    assert told["programs"]["programs_loaded"] > 5
    assert told["new_files"] == [], "the driver compiled something at a later shape"


# Compiling is what takes long, so the cache stays between runs; what the long tests do begins with nothing.
def test_a_model_has_the_processors_bits_and_a_warm_cache_compiles_nothing(driver: Driver, models: Path) -> None:
    kept = driver.with_cache(ROOT / "build" / "opencl" / f"cache-{driver.name}")
    same_bits(kept, models, "cls")
    nothing_is_compiled_again(kept, models, 8)


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel", "llvmpipe"], indirect=True)
@pytest.mark.parametrize("model", SHAPES)
def test_every_model_has_the_processors_bits(driver: Driver, models: Path, model: str) -> None:
    same_bits(driver, models, model)


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel"], indirect=True)
def test_programs_are_as_many_as_kernels_and_serve_100_shapes(driver: Driver, models: Path) -> None:
    first = driver.run(models / "cls.onnx", "opencl", *SHAPES["cls"], "--alone")
    assert first["programs"]["programs_loaded"] == 0
    more = driver.run(models / "cls.onnx", "opencl", "1,3,40,100", "1,3,64,31", "3,3,48,50", "--alone")
    assert more["programs"]["programs_compiled"] == 0, more["programs"]
    nothing_is_compiled_again(driver, models, 100)


@pytest.mark.long
@pytest.mark.parametrize("driver", ["pocl", "intel", "llvmpipe"], indirect=True)
def test_drawn_partitions_of_drawn_graphs_have_the_processors_bits(driver: Driver) -> None:
    more = {"ANYDIM_OPENCL_FLUSHED": "1"} if driver.gpu_like else {}
    done = subprocess.run(
        [BUILD / "core_engines_conformance_test", "--gtest_filter=Every/EngineContexts.RunAnyPartition*/opencl"],
        env=driver.environment(ANYDIM_CONFORMANCE_GRAPHS="20" if driver.gpu_like else "200", **more),
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0 and "[  PASSED  ] 1 test" in done.stdout, done.stdout + done.stderr
