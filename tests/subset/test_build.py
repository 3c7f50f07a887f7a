# SPDX-License-Identifier: Apache-2.0
"""Subset builds (docs/subset-builds.md) run their models with the whole library's bits, and refuse others with a sentence. Each is built
once, in build/subset; that takes minutes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ROOT / "build"
MODELS = WHOLE / "models"
LARGEST = 1_920_000  # the runtime for rec without the importer, for AVX2 and AVX-512, stripped
X86 = os.uname().machine == "x86_64"
pytestmark = [pytest.mark.long, pytest.mark.skipif(not X86, reason="sets of instructions of x86-64")]


def build(name: str, *options: str) -> Path:
    """The folder of a subset's shared library."""
    folder = WHOLE / "subset" / name
    launchers = [f"-DCMAKE_{c}_COMPILER_LAUNCHER=ccache" for c in ("C", "CXX")] if shutil.which("ccache") else []
    off = [f"-DANYDIM_{part}=OFF" for part in ("TESTS", "CLI", "ONNXRUNTIME")]
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DANYDIM_PROGRAM={WHOLE / 'bin' / 'anydim'}"]
    subprocess.run([*configure, *launchers, *off, "-DANYDIM_TOGETHER=ON", *options], check=True)
    subprocess.run(["ninja", "-C", folder, "anydim_shared"], check=True)
    return folder / "lib"


@pytest.fixture(scope="module")
def runtime() -> Path:
    return build(
        "rec",
        f"-DANYDIM_OPERATORS={MODELS / 'rec.onnx'}",
        "-DANYDIM_INSTRUCTION_SETS=avx2;avx512",
        "-DANYDIM_IMPORTER=OFF",
    )


@pytest.fixture(scope="module")
def with_importer() -> Path:
    return build("cls", f"-DANYDIM_OPERATORS={MODELS / 'cls.onnx'}")


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("runner") / "run_file"
    source = ROOT / "tests" / "subset" / "run_file.c"
    include = [f"-I{ROOT}", f"-I{ROOT / 'capi' / 'include'}"]
    subprocess.run(
        ["cc", "-std=c99", "-O1", *include, source, "-o", program, f"-L{WHOLE / 'lib'}", "-lanydim"], check=True
    )
    return program


def run(
    runner: Path, library: Path, file: Path, *shape: int, limit: str = "avx512"
) -> subprocess.CompletedProcess[str]:
    words = [str(runner), str(file), *map(str, shape)]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "ANYDIM_MAX_ISA": limit, "ANYDIM_CACHE_DIR": "none"}
    return subprocess.run(words, capture_output=True, text=True, env=environment)


def saved(model: str, folder: Path, limit: str) -> Path:
    file = folder / f"{model}-{limit}.anydim"
    words = [WHOLE / "bin" / "anydim", "pack", MODELS / f"{model}.onnx", "--program", "--to", file]
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, "ANYDIM_MAX_ISA": limit})
    return file


@pytest.mark.parametrize("limit", ["avx512", "avx2"])
def test_the_runtime_for_rec_has_the_whole_library_s_bits(
    runtime: Path, runner: Path, tmp_path: Path, limit: str
) -> None:
    file = saved("rec", tmp_path, limit)
    shape = (48, 17, 329, 13)  # 25 widths
    here, whole = (run(runner, library, file, *shape, limit=limit) for library in (runtime, WHOLE / "lib"))
    assert whole.returncode == 0, whole.stderr
    assert (here.returncode, here.stdout) == (0, whole.stdout), here.stderr


def test_the_runtime_for_rec_is_small(runtime: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, runtime / "libanydim.so"], check=True)
    assert stripped.stat().st_size <= LARGEST


def test_a_program_that_it_was_not_built_for_is_refused_by_name(runtime: Path, runner: Path, tmp_path: Path) -> None:
    refused = run(runner, runtime, saved("yolo", tmp_path, "avx512"), 64, 64, 64, 1)
    assert refused.returncode == 2
    assert "this library was built for rec.onnx, and what that does not use was left out" in refused.stderr


def test_without_the_importer_models_are_refused(runtime: Path, runner: Path) -> None:
    refused = run(runner, runtime, MODELS / "rec.onnx", 48, 32, 32, 1)
    assert refused.returncode == 2
    assert "this library was built without the importer of models" in refused.stderr


@pytest.mark.parametrize("limit", ["avx512", "avx2", "portable"])
def test_with_the_importer_the_model_itself_is_loaded(with_importer: Path, runner: Path, limit: str) -> None:
    shape = (48, 192, 192, 1)
    here, whole = (
        run(runner, library, MODELS / "cls.onnx", *shape, limit=limit) for library in (with_importer, WHOLE / "lib")
    )
    assert whole.returncode == 0, whole.stderr
    assert (here.returncode, here.stdout) == (0, whole.stdout), here.stderr


def test_a_model_that_it_was_not_built_for_is_refused_by_name(with_importer: Path, runner: Path) -> None:
    refused = run(runner, with_importer, MODELS / "rec.onnx", 48, 32, 32, 1)
    assert refused.returncode == 2
    assert "this library was built for cls.onnx" in refused.stderr
