# SPDX-License-Identifier: Apache-2.0
"""P2 on whole models: one hash of the outputs whatever the instruction set, thread count, memory layout of the input, the
caller's floating-point state, and on an emulated CPU that has no AVX-512 or no AVX at all."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "bits"
MODELS = ROOT / "build" / "models"
SEED = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))


@cache
def shape_of(model: str) -> str:
    draw = random.Random(f"{model}/{SEED}")
    print(f"ANYDIM_SEED={SEED}")
    if model == "rec":
        return f"{draw.randint(1, 2)},3,48,{draw.randint(33, 120)}"
    if model == "cls":
        return f"{draw.randint(1, 3)},3,48,192"
    return f"1,3,{32 * draw.randint(2, 4)},{32 * draw.randint(2, 4)}"


@dataclass(frozen=True)
class Ran:
    digest: str  # of the outputs
    kernels: str  # the best instruction set among the kernels that made them
    allowed: str  # the best that the library might use


@cache
def ran(
    model: str,
    threads: int = 1,
    layout: str = "row_major",
    state: str = "plain",
    isa: str = "",
    emulator: tuple[str, ...] = (),
) -> Ran:
    command = [*emulator, str(PROGRAM), str(MODELS / f"{model}.onnx"), shape_of(model), str(threads), layout, state]
    environment = {**os.environ, **({"ANYDIM_MAX_ISA": isa} if isa else {})}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, env=environment)
    assert done.returncode == 0, f"{shape_of(model)}: {done.stderr}"
    return Ran(*done.stdout.split())


def bits(model: str, threads: int = 1, layout: str = "row_major", state: str = "plain") -> str:
    return ran(model, threads, layout, state).digest


def expected(model: str) -> str:
    return bits(model)


@pytest.mark.parametrize("model", ["rec", "cls", "det", "yolo"])
@pytest.mark.parametrize("one, other", [("portable", "avx2"), ("avx2", "avx512"), ("portable", "avx512")])
def test_two_instruction_sets_give_the_same_bits(model: str, one: str, other: str) -> None:
    runs = {isa: ran(model, isa=isa) for isa in (one, other)}
    for isa, run in runs.items():
        if run.allowed != isa:
            pytest.skip(f"asked for {isa}, this CPU has {run.allowed} at best: there are no two sets to compare")
        assert run.kernels == isa, f"the best kernels that ran are {run.kernels}: this compares a set with itself"
    assert runs[one].digest == runs[other].digest


@pytest.mark.parametrize("model", ["rec", "cls", "det", "yolo"])
@pytest.mark.parametrize("layout", ["row_major", "channels_last"])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_and_input_layout_change_no_bit(model: str, threads: int, layout: str) -> None:
    assert bits(model, threads=threads, layout=layout) == expected(model)


@pytest.mark.parametrize("model", ["rec", "cls", "det", "yolo"])
def test_the_callers_flush_to_zero_changes_no_bit_and_is_restored(model: str) -> None:
    assert bits(model, state="flush_to_zero", threads=2) == expected(model)


@pytest.mark.parametrize("processor, best", [("Haswell", "avx2"), ("Nehalem", "portable")])
def test_an_emulated_cpu_without_avx512_gives_the_same_bits(processor: str, best: str) -> None:
    emulator = shutil.which("qemu-x86_64")
    assert emulator, "qemu-x86_64 (Debian: qemu-user) is not installed"
    emulated = ran("cls", emulator=(emulator, "-cpu", processor))
    assert emulated.kernels == best, "the emulated CPU does not run the kernels that this test is about"
    if ran("cls").kernels == best:
        pytest.skip(f"this CPU's kernels are {best}, too: there are no two to compare")
    assert emulated.digest == expected("cls")
