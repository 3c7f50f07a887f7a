# SPDX-License-Identifier: Apache-2.0
"""The jar that others get (make full-jar): its native libraries need nothing newer than glibc 2.17, and give the bits of this machine's
build here with Java, and under qemu with Debian's Java for 64-bit ARM."""

from __future__ import annotations

import hashlib
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

MACHINES = [target.name for target in cross.targets().values() if target.wheel]
MADE = ROOT / "build" / "java" / "everywhere" / "target"
REC = ROOT / "build" / "models" / "rec.onnx"
BITS = ROOT / "tests" / "java" / "Bits.java"
LARGEST = 8 * 2**20  # bytes
WIDTHS = ("71", "320")
NEEDED = {
    "x86_64": {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"},
    "aarch64": {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-aarch64.so.1"},
}
# What Bits.java prints.
PROGRAM = """
import hashlib, sys, anydim, numpy as np
session = anydim.InferenceSession(sys.argv[1])
for width in map(int, sys.argv[2:]):
    x = ((np.arange(3 * 48 * width) * 37 % 255).astype(np.float32) / np.float32(255) - np.float32(0.5)).reshape(1, 3, 48, width)
    (y,) = session.run(None, {"x": x})
    print(hashlib.sha256(np.ascontiguousarray(y).tobytes()).hexdigest())
"""


def output(command: list[str], home: Path, **variables: str) -> str:
    """Of a user with an empty home."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANYDIM_", "XDG_", "JAVA_TOOL_OPTIONS"))}
    done = subprocess.run(command, capture_output=True, text=True, cwd=home, env=kept | variables | {"HOME": str(home)})
    assert done.returncode == 0, f"{command}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def jar() -> Path:
    made = [
        sys.executable,
        str(ROOT / "tools" / "java.py"),
        "--everywhere",
        "package",
        "--",
        "-Dmaven.javadoc.skip=true",
    ]
    subprocess.run(made, check=True)
    (found,) = (path for path in MADE.glob("anydim-*.jar") if not re.search(r"-(sources|javadoc)", path.name))
    return found


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return output([sys.executable, "-c", PROGRAM, str(REC), *WIDTHS], tmp_path_factory.mktemp("home")).split()


def test_the_jar_is_small_and_has_a_library_for_each_machine_and_what_it_carries(jar: Path) -> None:
    assert jar.stat().st_size < LARGEST
    with zipfile.ZipFile(jar) as archive:
        natives = {name.split("/")[-2] for name in archive.namelist() if name.endswith("/libanydim_jni.so")}
        listed = archive.read("META-INF/THIRD-PARTY.txt").decode()
        for machine in natives:
            library = archive.read(f"org/anydim/natives/{machine}/libanydim_jni.so")
            told = archive.read(f"org/anydim/natives/{machine}/libanydim_jni.so.sha256").decode().strip()
            assert hashlib.sha256(library).hexdigest() == told
    assert natives == {f"linux-{machine}" for machine in MACHINES}
    for part in ("fmt", "SQLite", "libc++"):
        assert f"- {part}" in listed, listed[:1500]
    assert "libstdc++" not in listed


@pytest.mark.parametrize("machine", MACHINES)
def test_a_native_library_needs_nothing_newer_than_glibc_2_17_and_exports_its_natives_alone(
    jar: Path, machine: str, tmp_path: Path
) -> None:
    with zipfile.ZipFile(jar) as archive:
        library = archive.extract(f"org/anydim/natives/linux-{machine}/libanydim_jni.so", tmp_path)
    told = output(["readelf", "--wide", "-d", "-V", "--dyn-syms", "-S", library], tmp_path)
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", told)}
    assert versions and max(versions) <= (2, 17), sorted(versions)
    assert set(re.findall(r"NEEDED.*\[(.+)\]", told)) <= NEEDED[machine]
    exported = set(re.findall(r" (?:GLOBAL|WEAK) +DEFAULT +\d+ (\S+)", told))
    assert not elf.nobodys(Path(library))
    natives = {name.split("@")[0] for name in exported}
    assert natives and all(name.startswith("Java_org_anydim_") or name == "JNI_OnLoad" for name in natives)
    assert ".symtab" not in told, "it is stripped"


def test_it_gives_the_bits_of_this_machines_build(jar: Path, expected: list[str], tmp_path: Path) -> None:
    home = f"-Duser.home={tmp_path}"
    assert output(["java", home, "-cp", str(jar), str(BITS), str(REC), *WIDTHS], tmp_path).split() == expected
    assert list((tmp_path / ".cache" / "anydim").glob("java-*/libanydim_jni.so"))


@pytest.mark.skipif(
    "aarch64" not in MACHINES, reason="packaging/targets.toml has no wheel and no jar for 64-bit ARM yet"
)
def test_it_gives_the_same_bits_with_java_for_arm_under_an_emulator(
    jar: Path, expected: list[str], tmp_path: Path
) -> None:
    arm64_system.system()
    # This machine's compiler: the other system has a Java that runs programs, no more.
    output(["javac", "--release", "17", "-cp", str(jar), "-d", str(tmp_path), str(BITS)], tmp_path)
    java = arm64_system.command(
        arm64_system.JAVA, f"-Duser.home={tmp_path}", "-cp", f"{jar}:{tmp_path}", "Bits", str(REC)
    )
    assert output([*java, *WIDTHS], tmp_path).split() == expected
