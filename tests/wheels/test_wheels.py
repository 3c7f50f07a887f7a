# SPDX-License-Identifier: Apache-2.0
"""The wheels as they ship, dist/wheels (tools/wheels.py): each is installed in a fresh virtual environment of its Python and gives the bits
of the test vectors and, on whole models, those of the library that this machine's compiler made. Those for 64-bit ARM run under qemu
with Debian's Python. The golden hashes are run on the objects that the wheels are linked from."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import arm64_system
import elf
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import cross  # noqa: E402
import wheels as wheels_made  # noqa: E402

MODELS = ROOT / "build" / "models"
VECTORS = ROOT / "tests" / "vectors"
SECONDS = 0.150  # for `import anydim`
NAME = re.compile(r"anydim-[\d.]+-cp3(\d+)-cp3\d+-(manylinux[\w.]+)_(x86_64|aarch64)\.whl")
# Prints a line for each model: its name and the digest of its outputs.
DIGESTS = """
import hashlib, sys, anydim, numpy as np
for name, *dims in (("cls", 2, 3, 48, 192), ("rec", 1, 3, 48, 71), ("det", 1, 3, 64, 96), ("yolo", 1, 3, 64, 64)):
    session = anydim.InferenceSession(f"{sys.argv[1]}/{name}.onnx", threads=2)
    count = int(np.prod(dims))
    x = ((np.arange(count) * 37 % 255).astype(np.float32) / np.float32(255) - np.float32(0.5)).reshape(dims)
    found = hashlib.sha256()
    for y in session.run(None, {session.get_inputs()[0].name: x}):
        found.update(np.ascontiguousarray(y).tobytes())
    print(name, found.hexdigest())
"""


def output(command: list[str], folder: Path, **variables: str) -> str:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "PYTHONPATH"))}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=3600,
        env=kept | variables | {"HOME": str(folder)},
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def made() -> list[Path]:
    return sorted(wheels_made.WHEELS.glob("anydim-*.whl"))


def of(machine: str) -> list[Path]:
    return [wheel for wheel in made() if wheel.name.endswith(f"_{machine}.whl")]


@pytest.fixture(scope="session")
def expected() -> dict[str, str]:
    """What this machine's own build makes of the vectors and of whole models."""
    folder = ROOT / "build"
    return {
        "vectors": output([sys.executable, str(VECTORS / "runner.py"), str(VECTORS)], folder),
        "models": output([sys.executable, "-c", DIGESTS, str(MODELS)], folder),
    }


@pytest.mark.parametrize(
    "target", [target for target in cross.targets().values() if target.wheel], ids=lambda target: target.name
)
def test_there_is_a_wheel_for_each_python_of_this_machine_unless_some_are_named(target: cross.Target) -> None:
    versions = {f"3.{match[1]}" for wheel in of(target.name) if (match := NAME.fullmatch(wheel.name))}
    assert versions == set(target.pythons or wheels_made.pythons()) and versions


@pytest.mark.parametrize("wheel", made(), ids=lambda wheel: wheel.name)
def test_a_wheel_needs_nothing_newer_than_glibc_2_17_and_lists_what_it_carries(wheel: Path, tmp_path: Path) -> None:
    auditwheel = str(Path(sys.executable).parent / "auditwheel")
    machine = NAME.fullmatch(wheel.name)[3]  # type: ignore[index]
    told = " ".join(output([auditwheel, "show", str(wheel)], ROOT).split())
    assert f'platform tag: "manylinux_2_17_{machine}"' in told.replace("following ", ""), told
    assert wheel.stat().st_size < wheels_made.LARGEST
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        licences = next(name for name in names if name.endswith("licenses/THIRD_PARTY.txt"))
        listed = archive.read(licences).decode()
        (module,) = (name for name in names if re.search(r"_capi\.cpython-.*\.so$", name))
        program = next(name for name in names if name.endswith(".data/scripts/anydim"))
        native = archive.read(module), archive.read(program)
        archive.extractall(tmp_path)
    assert not elf.nobodys(tmp_path / program)
    assert all(re.match(r"_?Py", name) for name in elf.nobodys(tmp_path / module)), elf.nobodys(tmp_path / module)
    assert not any(".libs/" in name for name in names), "auditwheel had to bring a library"
    for part in ("fmt", "SQLite", "CLI11", "pybind11", "libc++"):
        assert f"- {part}" in listed, listed[:1500]
    for data in native:
        assert (
            data[:4] == b"\x7fELF" and int.from_bytes(data[18:20], "little") == {"x86_64": 62, "aarch64": 183}[machine]
        )
        assert b".symtab\0" not in data, "it is not stripped"


@pytest.mark.parametrize("wheel", of("x86_64"), ids=lambda wheel: wheel.name)
def test_an_installed_wheel_gives_the_bits_of_this_machines_build(
    wheel: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    version = f"3.{NAME.fullmatch(wheel.name)[1]}"  # type: ignore[index]
    output([str(wheels_made.pythons()[version]), "-m", "venv", "own"], tmp_path)
    programs = tmp_path / "own" / "bin"
    output([str(programs / "python"), "-m", "pip", "install", "--quiet", str(wheel)], tmp_path)
    python = [str(programs / "python")]
    assert output([*python, str(VECTORS / "runner.py"), str(VECTORS)], tmp_path) == expected["vectors"]
    for isa in ("", "avx2", "portable"):
        variables = {"ANYDIM_MAX_ISA": isa} if isa else {}
        assert output([*python, "-c", DIGESTS, str(MODELS)], tmp_path, **variables) == expected["models"], isa
    assert "rec.onnx" in output([str(programs / "anydim"), "info", str(MODELS / "rec.onnx")], tmp_path)
    # The best of many is what it takes; the others had to wait for the machine. numpy is needed and is part of it.
    clock = "import time; begin = time.perf_counter(); import anydim; print(time.perf_counter() - begin)"
    fastest = min(float(output([*python, "-c", clock], tmp_path)) for _ in range(15))
    print(f"{wheel.name}: import anydim takes {fastest * 1000:.0f} ms")
    assert fastest < SECONDS


@pytest.mark.parametrize("wheel", of("aarch64"), ids=lambda wheel: wheel.name)
def test_an_arm_wheel_gives_the_same_bits_under_an_emulator(
    wheel: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    arm64_system.system()
    site = tmp_path / "site"
    # pip checks the tags of the wheel as it would on such a machine.
    platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in (17, 27, 28)]
    output(
        [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site), "--only-binary=:all:", "--python-version=3.11",
         "--implementation=cp", *platforms, str(wheel)],
        tmp_path,
    )  # fmt: skip
    python = arm64_system.command(arm64_system.PYTHON)
    variables = {"PYTHONPATH": str(site)}
    assert output([*python, str(VECTORS / "runner.py"), str(VECTORS)], tmp_path, **variables) == expected["vectors"]
    assert output([*python, "-c", DIGESTS, str(MODELS)], tmp_path, **variables) == expected["models"]
    told = output(arm64_system.command(str(site / "bin" / "anydim"), "info", str(MODELS / "rec.onnx")), tmp_path)
    assert "rec.onnx" in told


@pytest.mark.parametrize("machine", [target.name for target in cross.targets().values() if target.wheel])
def test_the_objects_that_the_wheels_are_made_of_give_the_golden_hashes(machine: str) -> None:
    target = cross.targets()[machine]
    cross.build(target, ["vectors_test"])
    done = subprocess.run(
        [*target.emulator, str(target.folder / "tests" / "vectors_test")], stdout=subprocess.PIPE, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:]
    print(done.stdout[-400:])
