# SPDX-License-Identifier: Apache-2.0
"""Builds tests for 64-bit ARM with Debian's cross compiler, and runs them under qemu: the golden hashes and what stands under them.

Everything goes to build/cross/aarch64. A program that is named is built and run instead of those of PROGRAMS.

  tools/cross.py
  tools/cross.py core_kernels_gemm_test
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "cross" / "aarch64"
EMULATOR = ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu")
# What stands under a kernel, kernels against their references, and the golden hashes. Left out are those of core/base, which ask which
# pages are in memory and which core runs a thread: qemu tells neither. The others have not been run there yet.
PROGRAMS = (
    "core_tensor_test",
    "core_ops_test",
    "core_kernels_conv_test",
    "core_kernels_depthwise_test",
    "core_kernels_gemm_test",
    "vectors_test",
)


def configure() -> None:
    """Each file reads its own headers here: a file shows that relied on what a precompiled header brings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = [
        "cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(FOLDER), "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/aarch64-linux-gnu.cmake", f"-DPython3_EXECUTABLE={sys.executable}",
        "-DANYDIM_PRECOMPILED=OFF",
    ]  # fmt: skip
    log = FOLDER / "configure.log"
    with open(log, "w", encoding="utf-8") as file:
        if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode != 0:
            print(log.read_text(encoding="utf-8")[-4000:])
            raise SystemExit(f"cross: CMake failed: {shlex.join(command)}")


def build(programs: list[str]) -> None:
    jobs = str(len(os.sched_getaffinity(0)))
    targets = [word for program in programs for word in ("--target", program)]
    subprocess.run(["cmake", "--build", str(FOLDER), "-j", jobs, *targets], check=True)


def run(program: str) -> bool:
    (path,) = (p for p in (FOLDER / program, FOLDER / "tests" / program) if p.exists())
    print(f"cross: {program} under {EMULATOR[0]}", flush=True)
    environment = os.environ | {"ANYDIM_CACHE_DIR": str(FOLDER / "test-cache")}
    return subprocess.run([*EMULATOR, str(path), "--gtest_brief=1"], cwd=FOLDER, env=environment).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help=f"of the unit tests; default: {', '.join(PROGRAMS)}")
    programs = list(parser.parse_args().programs or PROGRAMS)
    configure()
    build(programs)
    failed = [program for program in programs if not run(program)]
    if failed:
        print(f"cross: failed on 64-bit ARM: {', '.join(failed)}")
    print(f"{len(programs) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
