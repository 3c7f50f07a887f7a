# SPDX-License-Identifier: Apache-2.0
"""Builds the library and its tests under sanitizers and runs them; first of all the planted bugs, which must be reported.

  run.py address          AddressSanitizer and UndefinedBehaviorSanitizer together
  run.py thread           ThreadSanitizer
  run.py address --quick  a subset for `make test`: planted bugs, the layers under the kernels, the ONNX reader and importer, the
                          C API's handle table
  run.py thread --quick   another: the planted race, the cache behind primitives and the handle table under eight threads

Each kind has a build folder of its own under build/, so a second run compiles what changed. Exits with 1 if a sanitizer
reports anything in the tests, or is silent about a planted bug.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "build" / "models"

FLAGS = {"address": "address,undefined", "thread": "thread"}
# planted bug -> words that its report must contain
PLANTED = {
    "address": {"address": "AddressSanitizer", "undefined": "runtime error: signed integer overflow"},
    "thread": {"thread": "ThreadSanitizer: data race"},
}
# Test programs by CMake target. The kernels' own tests are long under sanitizers: not in the quick runs.
QUICK = {
    "address": ["without_kernels", "handle_table_test"],
    "thread": ["single_flight_cache_alone", "handle_table_test"],
}
# Checks that quick builds leave to the full ones: what AddressSanitizer finds, too, or x86 allows. A sixth of the compiler's time.
WITHOUT = {"address": "null,alignment,object-size,vptr", "thread": ""}
# Left to the full runs: half a minute of one function after the other.
SLOW = "-Import.FunctionsThatDoubleAtEachLevelAreStopped"
# A program for each folder of kernels that has tests, as CMakeLists.txt makes them.
FOLDERS = {
    path.relative_to(ROOT / "core" / "kernels").parts[0] for path in (ROOT / "core" / "kernels").rglob("*_test.cpp")
}
KERNELS = [f"core_kernels_{folder}_test" for folder in sorted(FOLDERS)]
FULL = {
    "address": [
        "core_base_test", "core_tensor_test", "core_ops_test", "core_dispatch_test", "core_engines_testing_test",
        "core_engines_conformance_test", "core_graph_test", "core_graph_streaming_test",
        "core_program_test", "core_run_test", "core_graph_passes_test", "core_engines_opencl_test",
        "core_engines_opencl_kernels_test", "onnx_test", *KERNELS,
        "handle_table_test", "capi_test", "cli_replay_test", "engines_models_test",
    ],
    "thread": [
        "core_base_test", "core_tensor_test", "core_run_test", "core_dispatch_test", "core_kernels_quantized_test",
        "core_kernels_matmul_test", "core_kernels_conv_test", "core_kernels_tiles_test", "core_kernels_eltwise_test",
        "core_kernels_reduce_test", "core_engines_testing_test", "core_engines_conformance_test",
        "core_engines_opencl_test", "core_engines_opencl_kernels_test", "core_kernels_append_test", "onnx_test",
        "handle_table_test", "capi_test", "core_graph_streaming_test",
    ],
}  # fmt: skip
# The test vectors, bad inputs among them, through C and C++.
VECTORS = ["vectors_c", "vectors_cpp"]

ENVIRONMENT = os.environ | {
    "ANYDIM_CACHE_DIR": str(ROOT / "build" / "test-cache"),  # what tests record is not for the user's own programs
    # Drivers of OpenCL are not instrumented, and leak: there is none, and tests of devices say so.
    "OCL_ICD_VENDORS": str(ROOT / "build" / "no-drivers"),
    "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:die_after_fork=0",
}


def say(text: str) -> None:
    print(f"sanitizers: {text}", flush=True)


def build(kind: str, targets: list[str], quick: bool = False) -> Path:
    folder = ROOT / "build" / f"sanitize-{kind}{'-quick' if quick else ''}"
    without = WITHOUT[kind] if quick else ""
    configure = [
        "cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(folder), f"-DANYDIM_SANITIZE={FLAGS[kind]}", "-DCMAKE_BUILD_TYPE=None",
        f"-DANYDIM_SANITIZE_WITHOUT={without}",
        "-DCMAKE_CXX_FLAGS=-O0 -g1", "-DCMAKE_C_FLAGS=-O1 -g1", "-DANYDIM_CLI=OFF", "-DANYDIM_PYTHON=OFF", "-DANYDIM_BENCH=OFF",
        "-DANYDIM_TOGETHER=ON",
    ]  # fmt: skip
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    say(f"building {', '.join(targets)} with {FLAGS[kind]} in {folder.relative_to(ROOT)}")
    begin = time.monotonic()
    build = subprocess.run(
        ["cmake", "--build", str(folder), "--target", *targets],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if build.returncode != 0:
        raise SystemExit(f"{build.stdout[-8000:]}sanitizers: the build failed")
    say(f"built in {time.monotonic() - begin:.0f} s")
    return folder


def program(folder: Path, name: str) -> Path:
    for place in (folder / name, folder / "bin" / name, folder / "tests" / name):
        if place.exists():
            return place
    raise SystemExit(f"sanitizers: {name} was built but is nowhere under {folder}")


def run(command: list[str], timeout: int) -> tuple[int, str]:
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, errors="replace", timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=FLAGS)
    parser.add_argument("--quick", action="store_true", help="the subset of `make test`")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31), help="of the flipped bits")
    options = parser.parse_args()
    tests = (QUICK if options.quick else FULL)[options.kind]
    mutate = options.kind == "address" and not options.quick
    folder = build(options.kind, ["planted", *tests, *(["mutate", *VECTORS] if mutate else [])], options.quick)

    passed, failed = 0, 0

    def judge(name: str, good: bool, output: str) -> None:
        nonlocal passed, failed
        passed += good
        failed += not good
        say(f"{'passed' if good else 'FAILED'}  {name}")
        if not good:
            print(output[-8000:], flush=True)

    for bug, words in PLANTED[options.kind].items():
        status, output = run([str(program(folder, "planted")), bug], 120)
        judge(f"the planted bug '{bug}' is reported", status != 0 and words in output, output)
    for name in tests:
        status, output = run(
            [str(program(folder, name)), "--gtest_brief=1", *([f"--gtest_filter={SLOW}"] if options.quick else [])],
            1800,
        )
        judge(name, status == 0, output)
    if mutate:
        for name in VECTORS:
            status, output = run([str(program(folder, name)), str(ROOT / "tests" / "vectors")], 600)
            judge(name, status == 0 and len(output.splitlines()) > 80, output)
        say(f"damaged models, seed {options.seed}")
        cls = str(MODELS / "cls.onnx")
        flips, step = "2000", "1000"
        for words_ in (["prefixes", step], ["flips", flips, str(options.seed)]):
            status, output = run([str(program(folder, "mutate")), cls, *words_], 3000)
            judge(
                f"mutate cls {' '.join(words_)}: {output.strip().splitlines()[-1] if output.strip() else ''}",
                status == 0,
                output,
            )
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
