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
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Small planes: the portable kernels compute an fma in about 3 ns.
PLANES = {"rec": (48, 32, 60), "cls": (48, 64, 120), "det": (32, 32, 96), "yolo": (32, 32, 96)}


@dataclass(frozen=True)
class Ran:
    allowed: str  # the best instruction set that the library might use
    kernels: str  # the best among the kernels that ran
    images: dict[str, list[str]]  # way of running -> a digest per image


@cache
def ran(model: str, seed: int, folder: Path, isa: str = "") -> Ran:
    draws = random.Random(f"{seed}/{model}")
    height, low, high = PLANES[model]
    width = draws.randrange(low, high + 1, 32 if model in ("det", "yolo") else 1)
    command = [sys.executable, str(HERE / "output_digests.py"), str(folder / f"{model}.onnx")]
    environment = os.environ | ({"ANYDIM_MAX_ISA": isa} if isa else {})
    done = subprocess.run(
        [*command, str(height), str(width), str(seed)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    return Ran(told["allowed"], told["ran"], told["images"])


@pytest.mark.parametrize("model", PLANES)
def test_no_way_of_running_changes_the_bits(model: str, seed: int, folder: Path) -> None:
    found = ran(model, seed, folder).images
    expected = next(iter(found.values()))
    assert len(set(expected)) == len(expected), "the images of the batch are different, their outputs are not"
    different = [way for way, rows in found.items() if rows != expected]
    assert not different, f"other bits than '{next(iter(found))}': {different}"


@pytest.mark.parametrize("model", PLANES)
@pytest.mark.parametrize("one, other", [("portable", "avx2"), ("avx2", "avx512"), ("portable", "avx512")])
def test_two_instruction_sets_give_the_same_bits(model: str, one: str, other: str, seed: int, folder: Path) -> None:
    runs = {isa: ran(model, seed, folder, isa) for isa in (one, other)}
    for isa, run in runs.items():
        if run.allowed != isa:
            pytest.skip(f"asked for {isa}, this CPU has {run.allowed} at best: there are no two sets to compare")
        assert run.kernels == isa, f"the best kernels that ran are {run.kernels}: this compares a set with itself"
    expected = next(iter(runs[one].images.values()))
    different = [f"{isa}, {way}" for isa, run in runs.items() for way, rows in run.images.items() if rows != expected]
    assert not different, f"other bits than on {one}: {different}"
