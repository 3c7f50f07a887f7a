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
    stream: tuple[str, ...] = (),
    chunk: int = 0,
    threads: int = 1,
) -> str:
    """What the program prints. stream: inputs with their axes, "x:2"; chunk: elements of one at most."""
    words = [PROGRAM, "export", model, "--to", folder, "--name", name, "--weights", weights, "--kernels", kernels]
    for b in bounds:
        words += ["--bounds", b]
    if threads > 1:
        words += ["--threads", threads]
    for axis in stream:
        words += ["--stream", axis]
    if chunk:
        words += ["--chunk", chunk]
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


def shared_object(folder: Path, flags: tuple[str, ...], compiler: str, name: str) -> Any:
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
    return ctypes.CDLL(str(library))


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
        loaded = shared_object(folder, flags, compiler, name)
        members: list[Any] = [(f[0], ctypes.c_int64) for f in self.fields] or [("none", ctypes.c_int32)]
        self.dims_type = type("Dims", (ctypes.Structure,), {"_fields_": members})
        self.run_function = getattr(loaded, f"{name}_run")
        self.run_with = getattr(loaded, f"{name}_run_with", None)
        self.bytes_function = getattr(loaded, f"{name}_bytes")
        self.bytes_function.restype = ctypes.c_size_t
        self.output_dims = getattr(loaded, f"{name}_output_dims")
        self.status_text = getattr(loaded, f"{name}_status_text")
        self.status_text.restype = ctypes.c_char_p
        self.memory = np.empty(self.arena_bytes + 2 * MARGIN + 64, np.uint8)

    def run(self, feeds: dict[str, np.ndarray], parallel_for: Any = None) -> tuple[int, list[np.ndarray]]:
        """The status and the outputs; bytes around the arena have to stay as they are. parallel_for: of ctypes, for run_with."""
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
        arena = ctypes.c_void_p(self.memory.ctypes.data + begin)
        if parallel_for is None:
            status = self.run_function(ctypes.byref(dims), arena, *places)
        else:
            status = self.run_with(ctypes.byref(dims), arena, *places, parallel_for, None)
        assert (self.memory[:begin] == CANARY).all(), "written below the arena"
        assert (self.memory[begin + needed :] == CANARY).all(), "written behind what the dims need"
        return status, outputs


class CompiledStream:
    """An exported stream as a shared object."""

    def __init__(self, folder: Path, flags: tuple[str, ...] = ("-O2", "-mavx2", "-mfma"), name: str = "net") -> None:
        self.header = (folder / f"{name}.h").read_text(encoding="utf-8")
        fields = re.findall(
            r"int64_t (\w+); /\* (-?\d+) to (\d+)(?:, a multiple of (\d+))?: dim (\d+) of (.*) \*/", self.header
        )
        self.fields = [(tensor, int(axis)) for _, _, _, _, axis, tensor in fields]
        found = re.search(r"_STREAM_BYTES (\d+)u", self.header)
        prototype = re.search(
            rf"int {name}_stream_step\(void \*stream, int64_t count(.*), int64_t \*made\);", self.header
        )
        assert found
        assert prototype
        self.most_bytes = int(found[1])
        parameters = re.findall(r", (const )?(\w+) \*(\w+)", prototype[1])
        self.outputs = [(n, DTYPES[t]) for constant, t, n in parameters if not constant]
        self.room = [self.number(f"{n.upper()}_ELEMENTS") for n, _ in self.outputs]
        axes = re.findall(r"^     \d+  \w+ \[(.*)\]", self.header, re.MULTILINE)
        self.axes = [next((i for i, d in enumerate(t.split(", ")) if d == "made"), None) for t in axes]
        loaded = shared_object(folder, flags, "gcc", name)
        members: list[Any] = [(f[0], ctypes.c_int64) for f in fields] or [("none", ctypes.c_int32)]
        self.dims_type = type("Dims", (ctypes.Structure,), {"_fields_": members})
        self.bytes_function = getattr(loaded, f"{name}_stream_bytes")
        self.bytes_function.restype = ctypes.c_size_t
        self.open, self.step = getattr(loaded, f"{name}_stream_open"), getattr(loaded, f"{name}_stream_step")
        self.flush, self.reset = getattr(loaded, f"{name}_stream_flush"), getattr(loaded, f"{name}_stream_reset")
        self.status_text = getattr(loaded, f"{name}_status_text")
        self.status_text.restype = ctypes.c_char_p

    def number(self, word: str) -> int:
        found = re.search(rf"_{word} (\d+)u?", self.header)
        assert found, word
        return int(found[1])

    def begin(self, feeds: dict[str, np.ndarray]) -> tuple[int, np.ndarray, int]:
        """The status; memory, and where in it the stream is, of which nothing may be touched but what the dims need."""
        dims = self.dims_type(*(feeds[tensor].shape[axis] for tensor, axis in self.fields))
        needed = self.bytes_function(ctypes.byref(dims))
        assert needed <= self.most_bytes
        memory = np.full(self.most_bytes + 2 * MARGIN + 64, CANARY, np.uint8)
        at = MARGIN + (-(memory.ctypes.data + MARGIN)) % 64
        status = self.open(ctypes.byref(dims), ctypes.c_void_p(memory.ctypes.data + at))
        self.end = at + needed
        return status, memory, at

    def run(
        self, feeds: dict[str, np.ndarray], axes: dict[str, int], counts: list[int], shapes: list[tuple[int, ...]]
    ) -> tuple[int, list[np.ndarray]]:
        """The status and what all chunks give together; `shapes` are those of the whole's results."""
        status, memory, at = self.begin(feeds)
        stream, begin, parts = ctypes.c_void_p(memory.ctypes.data + at), 0, [[] for _ in self.outputs]  # type: ignore[var-annotated]
        made = (ctypes.c_int64 * len(self.outputs))()
        for count in [*counts, None]:
            if status:
                break
            out = [np.zeros(max(n, 1), t) for n, (_, t) in zip(self.room, self.outputs, strict=True)]
            held = []
            for name, x in feeds.items():
                if name in axes and count is None:
                    continue
                part = np.take(x, range(begin, begin + (count or 0)), axis=axes[name]) if name in axes else x
                held.append(np.ascontiguousarray(part))
            places = [ctypes.c_void_p(a.ctypes.data) for a in (*held, *out)]
            if count is None:
                status = self.flush(stream, *places, made)
            else:
                status = self.step(stream, ctypes.c_int64(count), *places, made)
                begin += count
            for k, (a, axis) in enumerate(zip(out, self.axes, strict=True)):
                shape = [made[k] if i == axis else d for i, d in enumerate(shapes[k])]
                if axis is not None or count is None:
                    parts[k].append(a[: int(np.prod(shape))].reshape(shape))
        assert (memory[:at] == CANARY).all(), "written below the stream"
        assert (memory[self.end :] == CANARY).all(), "written behind what the dims need"
        whole = [
            (np.concatenate(p, axis=axis) if axis is not None else p[-1]) if p else np.zeros(0)
            for p, axis in zip(parts, self.axes, strict=True)
        ]
        return status, whole


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
