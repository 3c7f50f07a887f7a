# SPDX-License-Identifier: Apache-2.0
"""P2 on whole models: one hash of the outputs whatever the instruction set, thread count, memory layout of the input, the
caller's floating-point state, and on an emulated CPU that has no AVX-512 or no AVX at all."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
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


def bits(
    model: str,
    threads: int = 1,
    layout: str = "row_major",
    state: str = "plain",
    isa: str = "",
    emulator: tuple[str, ...] = (),
) -> str:
    command = [*emulator, str(PROGRAM), str(MODELS / f"{model}.onnx"), shape_of(model), str(threads), layout, state]
    environment = {**os.environ, **({"ANYDIM_MAX_ISA": isa} if isa else {})}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, env=environment)
    assert done.returncode == 0, f"{shape_of(model)}: {done.stderr}"
    return done.stdout.strip()


@cache
def expected(model: str) -> str:
    return bits(model)


@pytest.mark.parametrize("model", ["rec", "cls", "det", "yolo"])
@pytest.mark.parametrize("isa", ["portable", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_bits(model: str, isa: str) -> None:
    assert bits(model, isa=isa) == expected(model)


@pytest.mark.parametrize("model", ["rec", "cls", "det", "yolo"])
@pytest.mark.parametrize("layout", ["row_major", "channels_last"])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_and_input_layout_change_no_bit(model: str, threads: int, layout: str) -> None:
    assert bits(model, threads=threads, layout=layout) == expected(model)


@pytest.mark.parametrize("model", ["rec", "cls", "det", "yolo"])
def test_the_callers_flush_to_zero_changes_no_bit_and_is_restored(model: str) -> None:
    assert bits(model, state="flush_to_zero", threads=2) == expected(model)


@pytest.mark.parametrize("processor", ["Haswell", "Nehalem"])
def test_an_emulated_cpu_without_avx512_gives_the_same_bits(processor: str) -> None:
    emulator = shutil.which("qemu-x86_64")
    assert emulator, "qemu-x86_64 (Debian: qemu-user) is not installed"
    assert bits("cls", emulator=(emulator, "-cpu", processor)) == expected("cls")
