# SPDX-License-Identifier: Apache-2.0
"""Exported models on processors that this machine has not: a program that reads cases out of a file and writes results into another,
compiled for 64-bit ARM or for a Cortex-M7, and run by QEMU."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
from exported_c import ROOT, WARNINGS, Interface, sources

BOARD = ROOT / "examples" / "cortex_m"

PROGRAM = """\
/* Runs @model@ on the cases of a file: dims, then each input with its number of elements. Results: the status, and where it is 0 each
   output with its dims. Exit status 1: bytes around the arena were written. */
#include <stdio.h>
#include <string.h>

#include "@name@.h"

enum { MARGIN = 1024 };
static unsigned char memory[@NAME@_ARENA_BYTES + 2 * MARGIN + @NAME@_ALIGNMENT];
@arrays@

static int is_kept(const unsigned char *begin, const unsigned char *end) {
  for (; begin < end; ++begin)
    if (*begin != 0xA5) return 0;
  return 1;
}

int main(void) {
  FILE *const in = fopen("cases.bin", "rb"), *const out = fopen("results.bin", "wb");
  unsigned char *const from = memory + MARGIN, *const end = memory + sizeof memory;
  unsigned char *const arena = from + (@NAME@_ALIGNMENT - (uintptr_t)from % @NAME@_ALIGNMENT) % @NAME@_ALIGNMENT;
  @name@_dims_t d;
  int64_t n, to[8];
  int32_t status, cases;
  int k;
  if (in == NULL || out == NULL || fread(&cases, sizeof cases, 1, in) != 1) return 2;
  (void)n;
  (void)k;
  for (; cases > 0; --cases) {
    memset(&d, 0, sizeof d);
@read@
    memset(memory, 0xA5, sizeof memory);
    status = @name@_run(&d, arena, @arguments@);
    if (!is_kept(memory, arena) || !is_kept(arena + @name@_bytes(&d), end)) return 1;
    fwrite(&status, sizeof status, 1, out);
    if (status != 0) continue;
@write@
  }
  return fclose(out) != 0;
}
"""


class Machine(NamedTuple):
    """A processor: how to compile for it, and how to run what comes out."""

    name: str
    compiler: tuple[str, ...]
    emulator: tuple[str, ...]

    def missing(self) -> str:
        """What has to be installed, in a sentence; nothing if all is there."""
        gone = [p for p in (self.compiler[0], self.emulator[0]) if shutil.which(p) is None]
        return f"{self.name}: {' and '.join(gone)} not installed" if gone else ""


ARM64 = Machine(
    "64-bit ARM", ("aarch64-linux-gnu-gcc", "-std=c99", "-ffp-contract=off", "-O2", "-static"), ("qemu-aarch64",)
)
CORTEX_M7 = Machine(
    "Cortex-M7",
    (
        "arm-none-eabi-gcc",
        *("-std=c99", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections"),
        *("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-Os"),
        *("-nostartfiles", "-T", str(BOARD / "mps2.ld"), "-Wl,--gc-sections", "-Wl,-u,exit", str(BOARD / "start.c")),
        *("-Wl,--start-group", "-lc", "-lrdimon", "-Wl,--end-group"),
    ),
    (
        *("qemu-system-arm", "-M", "mps2-an500", "-display", "none", "-monitor", "none", "-serial", "none"),
        *("-semihosting-config", "enable=on,target=native", "-kernel"),
    ),
)


class Emulated(Interface):
    """An exported model as a program of another machine."""

    def __init__(self, folder: Path, machine: Machine, name: str = "net") -> None:
        super().__init__(folder, name)
        self.machine = machine
        self.place = folder / machine.name.replace(" ", "_")
        self.place.mkdir(exist_ok=True)
        source, self.program = self.place / "cases.c", self.place / "cases"
        source.write_text(self.source(), encoding="utf-8")
        command = [
            *(machine.compiler[0], *WARNINGS, f"-I{folder}", str(source), *map(str, sources(folder, name))),
            *(*machine.compiler[1:], "-lm", "-o", str(self.program)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"

    def source(self) -> str:
        big = self.name.upper()
        arrays, read, write = [], [], []
        for field, *_ in self.fields:
            read.append(f"if (fread(&d.{field}, sizeof d.{field}, 1, in) != 1) return 2;")
        for n, kind in self.inputs:
            arrays.append(f"static {kind} {n}_values[{big}_{n.upper()}_ELEMENTS];")
            read.append(f"if (fread(&n, sizeof n, 1, in) != 1 || n > {big}_{n.upper()}_ELEMENTS) return 2;")
            read.append(f"if (fread({n}_values, sizeof {n}_values[0], (size_t)n, in) != (size_t)n) return 2;")
        for i, (n, dtype) in enumerate(self.outputs):
            kind = {np.float32: "float"}.get(dtype, f"{np.dtype(dtype).name}_t")
            arrays.append(f"static {kind} {n}_values[{big}_{n.upper()}_ELEMENTS];")
            write.append(f"if ({self.name}_output_dims(&d, {i}, to) != 0) return 2;")
            write.append(f"for (n = 1, k = 0; k < {self.ranks[i]}; ++k) n *= to[k];")
            write.append("fwrite(to, sizeof to, 1, out);")
            write.append(f"fwrite({n}_values, sizeof {n}_values[0], (size_t)n, out);")
        names = [n for n, _ in (*self.inputs, *self.outputs)]
        text = PROGRAM
        for word, value in {
            "model": self.name,
            "name": self.name,
            "NAME": big,
            "arrays": "\n".join(arrays),
            "read": "\n".join(f"    {line}" for line in read),
            "write": "\n".join(f"    {line}" for line in write),
            "arguments": ", ".join(f"{n}_values" for n in names),
        }.items():
            text = text.replace(f"@{word}@", value)
        return text

    def run(self, cases: list[dict[str, np.ndarray]], timeout: float = 3000) -> list[tuple[int, list[np.ndarray]]]:
        """The status and the outputs of each case."""
        data = [struct.pack("<i", len(cases))]
        for feeds in cases:
            data += [struct.pack("<q", d) for d in self.dims(feeds)]
            for x in feeds.values():
                data += [struct.pack("<q", x.size), np.ascontiguousarray(x).tobytes()]
        (self.place / "cases.bin").write_bytes(b"".join(data))
        done = subprocess.run(
            [*self.machine.emulator, str(self.program)],
            cwd=self.place,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, f"{self.machine.name}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
        written = memoryview((self.place / "results.bin").read_bytes())
        results: list[tuple[int, list[np.ndarray]]] = []
        for _ in cases:
            status = struct.unpack("<i", written[:4])[0]
            written = written[4:]
            outputs = []
            for (_, dtype), rank in zip(self.outputs if status == 0 else [], self.ranks, strict=False):
                dims = struct.unpack("<8q", written[:64])[:rank]
                count = int(np.prod(dims)) * np.dtype(dtype).itemsize
                outputs.append(np.frombuffer(written[64 : 64 + count], dtype).reshape(dims))
                written = written[64 + count :]
            results.append((status, outputs))
        assert not written, "more results than cases"
        return results
