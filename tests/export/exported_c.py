# SPDX-License-Identifier: Apache-2.0
"""Exports a model with the program, compiles the C that comes out, and runs it on arrays."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "anydim"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-DANYDIM_SLOW_FMA_IS_ACCEPTED")
DTYPES = {"float": np.float32, "int64_t": np.int64, "int32_t": np.int32, "int8_t": np.int8, "uint8_t": np.uint8}
CANARY = 0xA5
MARGIN = 4096


class Refused(Exception):
    """The program says what cannot be exported."""


def export(
    model: Path,
    folder: Path,
    bounds: tuple[str, ...] = (),
    name: str = "net",
    weights: str = "auto",
    kernels: str = "c",
) -> str:
    """What the program prints."""
    words = [PROGRAM, "export", model, "--to", folder, "--name", name, "--weights", weights, "--kernels", kernels]
    for b in bounds:
        words += ["--bounds", b]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode == 1:
        raise Refused(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sources(folder: Path, name: str = "net") -> list[Path]:
    weights = [p for p in (folder / f"{name}_weights.c", folder / f"{name}_weights.S") if p.exists()]
    return [folder / f"{name}.c", folder / f"{name}_kernels.c", *weights]


def rank_of(dims: str) -> int:
    """Of a list of dims, in which a function may have commas of its own."""
    while (inner := re.sub(r"\([^()]*\)", "", dims)) != dims:
        dims = inner
    return len(dims.split(",")) if dims else 0


class Interface:
    """What the header of an exported model says."""

    def __init__(self, folder: Path, name: str = "net") -> None:
        self.folder, self.name = folder, name
        self.header = (folder / f"{name}.h").read_text(encoding="utf-8")
        self.fields = re.findall(
            r"int64_t (\w+); /\* (-?\d+) to (\d+)(?:, a multiple of (\d+))?: dim (\d+) of (.*) \*/", self.header
        )
        found = re.search(r"_ARENA_BYTES (\d+)u", self.header)
        assert found
        self.arena_bytes = int(found[1])
        prototype = re.search(rf"int {name}_run\(const {name}_dims_t \*dims, void \*arena(.*)\);", self.header)
        assert prototype
        parameters = re.findall(r", (const )?(\w+) \*(\w+)", prototype[1])
        self.inputs = [(n, t) for constant, t, n in parameters if constant]
        self.outputs = [(n, DTYPES[t]) for constant, t, n in parameters if not constant]
        self.ranks = [rank_of(t) for t in re.findall(r"^     \d+  \w+ \[(.*)\]$", self.header, re.MULTILINE)]

    def dims(self, feeds: dict[str, np.ndarray]) -> list[int]:
        return [feeds[tensor].shape[int(axis)] for _, _, _, _, axis, tensor in self.fields]


class Compiled(Interface):
    """An exported model as a shared object, with the interface of its header."""

    def __init__(
        self,
        folder: Path,
        flags: tuple[str, ...] = ("-O2", "-mavx2", "-mfma"),
        compiler: str = "gcc",
        name: str = "net",
    ) -> None:
        super().__init__(folder, name)
        library = folder / f"lib{len(list(folder.glob('lib*.so')))}.so"
        command = [
            compiler,
            "-std=c99",
            "-shared",
            "-fPIC",
            *flags,
            *map(str, sources(folder, name)),
            *map(str, folder.glob("libanydim_kernels_*.a")),
            "-o",
            str(library),
            "-lm",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
        loaded = ctypes.CDLL(str(library))
        members: list[Any] = [(f[0], ctypes.c_int64) for f in self.fields] or [("none", ctypes.c_int32)]
        self.dims_type = type("Dims", (ctypes.Structure,), {"_fields_": members})
        self.run_function = getattr(loaded, f"{name}_run")
        self.bytes_function = getattr(loaded, f"{name}_bytes")
        self.bytes_function.restype = ctypes.c_size_t
        self.output_dims = getattr(loaded, f"{name}_output_dims")
        self.status_text = getattr(loaded, f"{name}_status_text")
        self.status_text.restype = ctypes.c_char_p
        self.memory = np.empty(self.arena_bytes + 2 * MARGIN + 64, np.uint8)

    def run(self, feeds: dict[str, np.ndarray]) -> tuple[int, list[np.ndarray]]:
        """The status and the outputs; bytes around the arena have to stay as they are."""
        dims = self.dims_type(*self.dims(feeds))
        outputs = []
        for i, (_, dtype) in enumerate(self.outputs):
            to = (ctypes.c_int64 * 8)()
            if status := self.output_dims(ctypes.byref(dims), i, to):
                return status, []
            outputs.append(np.zeros([to[k] for k in range(self.ranks[i])], dtype))
        needed = self.bytes_function(ctypes.byref(dims))
        assert needed <= self.arena_bytes
        self.memory[:] = CANARY
        begin = MARGIN + (-(self.memory.ctypes.data + MARGIN)) % 64
        held = [np.ascontiguousarray(x) for x in feeds.values()]
        places = [ctypes.c_void_p(a.ctypes.data) for a in (*held, *outputs)]
        status = self.run_function(ctypes.byref(dims), ctypes.c_void_p(self.memory.ctypes.data + begin), *places)
        assert (self.memory[:begin] == CANARY).all(), "written below the arena"
        assert (self.memory[begin + needed :] == CANARY).all(), "written behind what the dims need"
        return status, outputs


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape:
        return False
    b = np.ascontiguousarray(b)
    if b.dtype == np.bool_:
        b = b.view(np.uint8)
    if a.dtype != b.dtype:
        return False
    if a.dtype == np.float32:
        return bool(((a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))).all())
    return bool((a == b).all())
