# SPDX-License-Identifier: Apache-2.0
"""Builds the library, the program and the tests for another machine or another C library, and runs the tests there.

  build TARGET      into build/cross/TARGET; --goal NAME builds only this, and may be repeated
  test TARGET       builds, and runs the unit tests and the golden hashes, under an emulator where this machine cannot

packaging/targets.toml has the targets, and the tests that are run or left out with the reason. tools/wheels.py makes wheels of some.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "packaging" / "targets.toml"


@dataclass(frozen=True)
class Target:
    name: str
    compiler: str
    left_out: list[str]
    zig: str = ""
    emulator: list[str] = field(default_factory=list)
    wheel: str = ""
    pythons: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "cross" / self.name


def targets() -> dict[str, Target]:
    with open(LISTED, "rb") as file:
        listed = tomllib.load(file)
    left_out = {
        name: [test for leave in listed["leave"] if name in leave["targets"] for test in leave["tests"]]
        for name in (entry["name"] for entry in listed["target"])
    }
    return {entry["name"]: Target(**entry, left_out=left_out[entry["name"]]) for entry in listed["target"]}


def zig() -> Path:
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        raise SystemExit(f"cross: {sys.executable} has no ziglang; it is in tools/requirements-ship.txt")
    return Path(found.origin).parent / "zig"


def configure(target: Target, *more: str) -> None:
    """Runs CMake, of which only what is new in `more` costs anything the second time. Each file reads its own headers: another C++
    library shows which one relied on what a neighbour brought."""
    command = [
        "cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(target.folder), "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/{target.compiler}.cmake", f"-DPython3_EXECUTABLE={sys.executable}",
        f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(target.emulator)}", "-DANYDIM_PRECOMPILED=OFF", "-DANYDIM_PYTHON=OFF", *more,
    ]  # fmt: skip
    if target.zig:
        command += [f"-DANYDIM_ZIG={zig()}", f"-DANYDIM_ZIG_TARGET={target.zig}"]
    target.folder.mkdir(parents=True, exist_ok=True)
    log = target.folder / "configure.log"
    with open(log, "w", encoding="utf-8") as file:
        if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode != 0:
            print(log.read_text(encoding="utf-8")[-4000:])
            raise SystemExit(f"cross: CMake failed: {shlex.join(command)}")


def build(target: Target, goals: list[str]) -> None:
    jobs = str(len(os.sched_getaffinity(0)))
    chosen = [word for goal in goals for word in ("--target", goal)]
    subprocess.run(["cmake", "--build", str(target.folder), "-j", jobs, *chosen], check=True)


def test(target: Target) -> int:
    """ctest, whose line of summary tools/run_tests.py reads. An emulator is slow: CMakeLists.txt gives more time, too."""
    command = ["ctest", "--test-dir", str(target.folder), "--output-on-failure", "--timeout", "7200"]
    command += ["-j", str(len(os.sched_getaffinity(0))), "-E", f"^({'|'.join(target.left_out)})$"]
    return subprocess.run(command).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("build", "test"))
    parser.add_argument("target", choices=targets())
    parser.add_argument("--goal", action="append", default=[], help="build only this, and may be repeated")
    arguments = parser.parse_args()
    target = targets()[arguments.target]
    configure(target)
    build(target, arguments.goal)
    print(f"cross: {target.folder.relative_to(ROOT)} is built")
    return test(target) if arguments.action == "test" else 0


if __name__ == "__main__":
    sys.exit(main())
