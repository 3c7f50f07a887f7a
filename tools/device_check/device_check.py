# SPDX-License-Identifier: Apache-2.0
"""Everything that a machine with a GPU is to answer, in one run of at most nine minutes, the most important first. README.md beside this
says how it gets there and what the results are for.

  python3 tools/device_check/device_check.py --bring build/device_check --out $OUT
  --driver FILE      the driver's library in place of those that are found (libnvidia-opencl.so.1, the machine's .icd files)
  --steps a,b        some only; --seconds N: a limit for the whole, in place of 540
  --flushed          a device that takes denormals for zeros is accepted

Each step is a process of its own with its own time limit; what ends it badly is in its result, and the next one follows. DIR/results.json is
written again after each step.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# name, seconds at most, what it answers
STEPS = (
    ("machine", 20, "the machine: processor, GPU, versions of what is there"),
    ("driver", 40, "platforms, devices, extensions, limits; is an engine made, or why not"),
    ("kernels", 130, "tests of single kernels and of the engine at small shapes: bits equal to the processor's"),
    ("sweep", 110, "all tile variants over the shapes of shapes.json: the records that the cost model reads"),
    (
        "networks",
        110,
        "whole networks: bits, launches, copies, times, cold and warm start, beside the CPU engine and ONNX Runtime",
    ),
    ("launches", 30, "what a launch and a copy cost"),
    ("scaling", 100, "the CPU engine at 1 to 16 threads, and with many callers, beside ONNX Runtime"),
)


def drivers(chosen: str | None) -> list[str]:
    """Libraries of drivers: the one that was asked for, or NVIDIA's and those that the machine's own files name."""
    if chosen:
        return [chosen]
    found = []
    for folder in ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/cuda/lib64"):
        if (Path(folder) / "libnvidia-opencl.so.1").exists():
            found.append(str(Path(folder) / "libnvidia-opencl.so.1"))
            break
    for icd in sorted(Path("/etc/OpenCL/vendors").glob("*.icd")):
        if "nvidia" not in icd.name or not found:
            found.append(icd.read_text().strip())
    return found


def environment(bring: Path, out: Path, options: argparse.Namespace) -> dict[str, str]:
    vendors = out / "vendors"
    vendors.mkdir(parents=True, exist_ok=True)
    for old in vendors.glob("*.icd"):
        old.unlink()
    for number, library in enumerate(drivers(options.driver)):
        (vendors / f"{number}.icd").write_text(library + "\n")
    own = {
        "OCL_ICD_VENDORS": str(vendors),
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(bring / "lib"), os.environ.get("LD_LIBRARY_PATH")])),
        "PYTHONPATH": str(bring / "python"),
        "ANYDIM_OPENCL_DRIVERS": "all",
        "ANYDIM_CACHE_DIR": str(out / "cache"),
        "ANYDIM_CACHE_SYSTEM_DIR": "",
        "POCL_CACHE_DIR": str(out / "pocl"),
        "DEVICE_CHECK_BRING": str(bring),
        "DEVICE_CHECK_FLUSHED": "1" if options.flushed else "",
    }
    (out / "pocl").mkdir(exist_ok=True)
    if options.flushed:
        own["ANYDIM_OPENCL_FLUSHED"] = "1"
    return os.environ | own


def unpack_tests(bring: Path, out: Path) -> Path:
    """They travel compressed."""
    folder = out / "tests"
    folder.mkdir(exist_ok=True)
    for packed in sorted((bring / "tests").glob("*.gz")):
        test = folder / packed.stem
        test.write_bytes(gzip.decompress(packed.read_bytes()))
        test.chmod(0o755)
    return folder


def take(name: str, limit: float, out: Path, variables: dict[str, str]) -> dict[str, Any]:
    """What the step says, or how it ended. What it had written before its end is kept."""
    file = out / f"{name}.json"
    file.unlink(missing_ok=True)
    begun = time.monotonic()
    command = [sys.executable, str(HERE / "steps.py"), name, str(file), f"{limit:.0f}"]
    result: dict[str, Any] = {}
    with (out / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(command, env=variables, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(timeout=limit)
            ended = "ok" if status == 0 else f"exit status {status}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            ended = f"stopped after {limit:.0f} s"
    if file.exists():
        result = json.loads(file.read_text())
        file.unlink()
    result |= {"ended": ended, "seconds": round(time.monotonic() - begun, 1)}
    if ended != "ok":
        result["said"] = (out / f"{name}.log").read_text(errors="replace")[-2000:]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bring", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--driver")
    parser.add_argument("--steps", default=",".join(name for name, _, _ in STEPS))
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--flushed", action="store_true")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    variables = environment(options.bring.resolve(), out, options)
    variables["DEVICE_CHECK_TESTS"] = str(unpack_tests(options.bring.resolve(), out))
    begun = time.monotonic()
    results: dict[str, Any] = {"python": platform.python_version(), "steps": {}}
    for name, limit, what in STEPS:
        if name not in options.steps.split(","):
            continue
        left = options.seconds - (time.monotonic() - begun)
        results["steps"][name] = {"what": what, "ended": "no time was left"}
        if left > 5:
            print(f"device_check: {name}: {what}", flush=True)
            results["steps"][name] = {"what": what} | take(name, min(limit, left), out, variables)
            print(
                f"device_check: {name}: {results['steps'][name]['ended']}, {results['steps'][name]['seconds']} s",
                flush=True,
            )
        results["seconds"] = round(time.monotonic() - begun, 1)
        (out / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
