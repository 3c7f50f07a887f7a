# SPDX-License-Identifier: Apache-2.0
"""What a network's OpenCL programs cost a driver from source, from SPIR-V and from the driver's own binaries: milliseconds from text or bytes
to the end of a launch of each function that does nothing.

  bench/opencl_ir.py --models cls        one network of four; --driver pocl: another driver than Intel's

The programs are those that the engine makes (bench/opencl_sources.c writes them down), the SPIR-V is made by Debian's clang-15 and
llvm-spirv-15 without optimisation, which is the driver's. Each of the three is measured in a process of its own, after a small program. A
driver that takes no SPIR-V is left out, with what it says. Needs Debian's opencl-headers, clang-15 and llvm-spirv-15.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "opencl"))
from drivers import DRIVERS, Driver  # noqa: E402

SHAPES = {"cls": "1,3,48,192", "rec": "1,3,48,320", "det": "1,3,320,320", "yolo": "1,3,320,320"}
PACKAGES = {"clang-15": "clang-15", "llvm-spirv-15": "llvm-spirv-15", "cc": "gcc"}
KINDS = {"source": "cl", "ir": "spv", "binary": "bin"}
SMALL = "kernel void nothing(global int* y) { y[0] = 0; }"
LOCAL, PRIVATE = 0x119C, 0x119E  # CL_KERNEL_ARG_ADDRESS_...
BYTES = {"int": 4, "float": 4, "long": 8}


class Cl:
    """A context and a queue on the first device, and programs on it."""

    def __init__(self) -> None:
        self.api = ctypes.CDLL("libOpenCL.so.1")
        for name in ("CreateContext", "CreateCommandQueue", "CreateProgramWithSource", "CreateProgramWithIL"):
            getattr(self.api, f"cl{name}").restype = ctypes.c_void_p
        for name in ("CreateProgramWithBinary", "CreateKernel", "CreateBuffer"):
            getattr(self.api, f"cl{name}").restype = ctypes.c_void_p
        platform, device = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.api.clGetPlatformIDs(1, ctypes.byref(platform), None), "clGetPlatformIDs")
        self.check(
            self.api.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None),
            "clGetDeviceIDs",
        )
        self.device = device
        self.context = self.made("CreateContext", None, 1, ctypes.byref(device), None, None)
        self.queue = self.made("CreateCommandQueue", self.context, device, ctypes.c_ulong(0))
        self.memory = self.made("CreateBuffer", self.context, ctypes.c_ulong(1), ctypes.c_size_t(4096), None)

    def check(self, code: int, what: str) -> None:
        if code != 0:
            raise SystemExit(f"{what}: {code}")

    def made(self, what: str, *arguments: Any) -> ctypes.c_void_p:
        code = ctypes.c_int(0)
        found = getattr(self.api, f"cl{what}")(*arguments, ctypes.byref(code))
        self.check(code.value, f"cl{what}")
        return ctypes.c_void_p(found)

    def text(self, function: str, *arguments: Any) -> str:
        size = ctypes.c_size_t(0)
        ask = getattr(self.api, function)
        self.check(ask(*arguments, ctypes.c_size_t(0), None, ctypes.byref(size)), function)
        buffer = ctypes.create_string_buffer(size.value + 1)
        self.check(ask(*arguments, size, buffer, None), function)
        return buffer.value.decode()

    def number(self, ask: Callable[..., int], *arguments: Any, of: Any = ctypes.c_size_t) -> int:
        value = of(0)
        self.check(ask(*arguments, ctypes.c_size_t(ctypes.sizeof(value)), ctypes.byref(value), None), ask.__name__)
        return int(value.value)

    def program(self, kind: str, data: bytes) -> ctypes.c_void_p:
        length = ctypes.c_size_t(len(data))
        if kind == "ir":
            return self.made("CreateProgramWithIL", self.context, data, length)
        pointer = ctypes.c_char_p(data)
        if kind == "source":
            return self.made("CreateProgramWithSource", self.context, 1, ctypes.byref(pointer), ctypes.byref(length))
        device = ctypes.byref(self.device)
        return self.made(
            "CreateProgramWithBinary", self.context, 1, device, ctypes.byref(length), ctypes.byref(pointer), None
        )

    def build(self, program: ctypes.c_void_p, options: str) -> None:
        code = self.api.clBuildProgram(program, 1, ctypes.byref(self.device), options.encode(), None, None)
        if code != 0:
            log = self.text("clGetProgramBuildInfo", program, self.device, 0x1183)
            raise SystemExit(f"clBuildProgram: {code}: {log[:2000]}")

    def kernels(self, program: ctypes.c_void_p) -> list[ctypes.c_void_p]:
        count = ctypes.c_uint(0)
        self.check(self.api.clCreateKernelsInProgram(program, 0, None, ctypes.byref(count)), "clCreateKernelsInProgram")
        found = (ctypes.c_void_p * count.value)()
        self.check(self.api.clCreateKernelsInProgram(program, count, found, None), "clCreateKernelsInProgram")
        return [ctypes.c_void_p(kernel) for kernel in found]

    def describe(self, kernel: ctypes.c_void_p, text: str) -> dict[str, Any]:
        """Group and bytes of each argument by value (0: a global pointer, -1: a local one) of a function that was made from source."""
        arguments = []
        for index in range(self.number(self.api.clGetKernelInfo, kernel, 0x1191, of=ctypes.c_uint)):
            place = self.number(self.api.clGetKernelArgInfo, kernel, index, 0x1196, of=ctypes.c_uint)
            if place != PRIVATE:
                arguments.append(-1 if place == LOCAL else 0)
                continue
            type_name = self.text("clGetKernelArgInfo", kernel, index, 0x1198)
            block = re.search(r"typedef struct \{([^}]*)\} " + re.escape(type_name) + ";", text)
            arguments.append(8 * block[1].count(";") if block else BYTES[type_name])
        group = (ctypes.c_size_t * 3)()
        code = self.api.clGetKernelWorkGroupInfo(
            kernel, self.device, 0x11B1, ctypes.c_size_t(ctypes.sizeof(group)), group, None
        )
        self.check(code, "clGetKernelWorkGroupInfo")
        return {"group": list(group), "arguments": arguments}

    def set_arguments(self, kernel: ctypes.c_void_p, arguments: list[int]) -> None:
        for index, count in enumerate(arguments):
            zeros = bytes(count) if count > 0 else None
            value = ctypes.byref(self.memory) if count == 0 else zeros
            bytes_of = {0: 8, -1: 16}.get(count, count)
            self.check(self.api.clSetKernelArg(kernel, index, ctypes.c_size_t(bytes_of), value), "clSetKernelArg")

    def launch(self, kernel: ctypes.c_void_p, group: list[int]) -> None:
        sizes = (ctypes.c_size_t * 3)(*group)
        code = self.api.clEnqueueNDRangeKernel(self.queue, kernel, 3, None, sizes, sizes, 0, None, None)
        self.check(code, "clEnqueueNDRangeKernel")
        self.check(self.api.clFinish(self.queue), "clFinish")

    def binary(self, program: ctypes.c_void_p) -> bytes:
        size = self.number(self.api.clGetProgramInfo, program, 0x1165)
        buffer = ctypes.create_string_buffer(size)
        pointer = ctypes.c_void_p(ctypes.addressof(buffer))
        code = self.api.clGetProgramInfo(program, 0x1166, ctypes.c_size_t(8), ctypes.byref(pointer), None)
        self.check(code, "clGetProgramInfo")
        return buffer.raw


def child(kind: str, folder: Path, clock: Callable[[], float]) -> None:
    """Prints milliseconds of each program as JSON; from source, it also writes the binaries and what the functions are like."""
    cl = Cl()
    small = cl.program("source", SMALL.encode())
    cl.build(small, "-cl-std=CL1.2")
    for kernel in cl.kernels(small):
        cl.set_arguments(kernel, [0])
        cl.launch(kernel, [1, 1, 1])
    times = []
    for source in sorted(folder.glob("*.cl")):
        data, facts = source.with_suffix(f".{KINDS[kind]}").read_bytes(), source.with_suffix(".json")
        begin = clock()
        program = cl.program(kind, data)
        cl.build(program, source.with_suffix(".options").read_text())
        kernels = cl.kernels(program)
        took = clock() - begin
        names = [cl.text("clGetKernelInfo", kernel, 0x1190) for kernel in kernels]
        if kind == "source":
            told = {n: cl.describe(k, data.decode()) for n, k in zip(names, kernels, strict=True)}
            facts.write_text(json.dumps(told))
        entries = json.loads(facts.read_text())
        if sorted(entries) != sorted(names):
            raise SystemExit(f"{source.name}: functions {names} from {kind}, {sorted(entries)} from source")
        for name, kernel in zip(names, kernels, strict=True):
            cl.set_arguments(kernel, entries[name]["arguments"])
            begin = clock()
            cl.launch(kernel, entries[name]["group"])
            took += clock() - begin
        times.append(1e3 * took)
        if kind == "source":
            source.with_suffix(".bin").write_bytes(cl.binary(program))
    print(json.dumps(times))


def facts_of_device() -> None:
    cl = Cl()
    name, version = (cl.text("clGetDeviceInfo", cl.device, what) for what in (0x102B, 0x102D))
    try:
        il = cl.text("clGetDeviceInfo", cl.device, 0x105B)
    except SystemExit:
        il = ""
    print(json.dumps({"name": name, "driver": version, "il": il.strip()}))


def told_by(driver: Driver, *words: str | Path) -> Any:
    command = [sys.executable, __file__, "--child", *map(str, words)]
    done = subprocess.run(command, env=driver.environment(), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{words}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def write_down(driver: Driver, name: str, layer: Path, folder: Path) -> None:
    """The programs that the engine makes for a network."""
    folder.mkdir()
    model = ROOT / "build" / "models" / f"{name}.onnx"
    words = {"OPENCL_LAYERS": str(layer), "ANYDIM_BENCH_SOURCES": str(folder)}
    own = driver.folder / f"{name}-sources"
    driver.with_folder(own).with_cache(own / "anydim").run(model, "opencl", SHAPES[name], "--alone", **words)
    for source in folder.glob("*.cl"):
        bitcode = source.with_suffix(".bc")
        options = source.with_suffix(".options").read_text().split()
        flags = ["--target=spir64-unknown-unknown", "-x", "cl", *options, "-O2", "-c", "-emit-llvm"]
        hidden = ["-Xclang", "-finclude-default-header", "-Xclang", "-disable-llvm-passes"]
        subprocess.run(["clang-15", *flags, *hidden, source, "-o", bitcode], check=True)
        subprocess.run(["llvm-spirv-15", bitcode, "-o", source.with_suffix(".spv")], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=sorted(DRIVERS), default="intel")
    parser.add_argument("--models", default=",".join(SHAPES))
    parser.add_argument("--processor", action="store_true", help="time on processors, for a busy machine")
    parser.add_argument("--programs", type=Path, help="a folder for texts and SPIR-V, which later runs find again")
    parser.add_argument("--child", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        if options.child:
            child(options.child[0], Path(options.child[1]), getattr(time, options.child[2]))
        else:
            facts_of_device()
        return
    about = machine.describe()
    print(
        f"bench: {about['cpu']['model']}, {about['cpu']['cores']} cores, commit {about['commit']}, load {about['load']:.1f}"
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        driver = DRIVERS[options.driver](folder)
        if driver is None:
            raise SystemExit(f"{options.driver}: not on this machine")
        device = told_by(driver)
        print(f"{device['name']}, driver {device['driver']}: takes {device['il'] or 'no SPIR-V'}")
        kinds = [kind for kind in KINDS if kind != "ir" or device["il"]]
        for program, package in PACKAGES.items():
            if shutil.which(program) is None:
                raise SystemExit(f"{program} is missing; on Debian: apt-get install {package}")
        layer = folder / "layer.so"
        written = ROOT / "bench" / "opencl_sources.c"
        subprocess.run(["cc", "-O2", "-std=c11", "-shared", "-fPIC", written, "-o", layer], check=True)
        texts = options.programs or folder / "programs"
        texts.mkdir(parents=True, exist_ok=True)
        print(f"\n| | programs | {' | '.join(f'{kind}, ms' for kind in kinds)} |\n|{'---|' * (len(kinds) + 2)}")
        clock = "process_time" if options.processor else "perf_counter"
        for name in options.models.split(","):
            programs = texts / f"{options.driver}-{name}"
            if not programs.exists():
                write_down(driver, name, layer, programs)
            times = {
                kind: told_by(driver.with_folder(folder / f"{name}-{kind}"), kind, programs, clock) for kind in kinds
            }
            sums = " | ".join(f"{sum(times[kind]):,.0f}" for kind in kinds)
            print(f"| {name} | {len(times['source'])} | {sums} |", flush=True)


if __name__ == "__main__":
    main()
