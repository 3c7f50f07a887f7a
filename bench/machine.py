# SPDX-License-Identifier: Apache-2.0
"""What a result was measured on: CPU, cores, memory, versions, commit. Part of every result file."""

from __future__ import annotations

import contextlib
import mmap
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
POPULATE_WRITE = 23  # madvise's, of Linux 5.14; older ones say that they do not know it
# Instruction sets that decide which kernels run, here and in the peers.
TELLING_FLAGS = tuple(
    "avx avx2 fma avx_vnni avx512f avx512bw avx512_vnni avx512_bf16 amx_tile amx_int8 amx_bf16".split()
)


def cpu() -> dict[str, Any]:
    fields: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    flags = set(fields.get("flags", "").split())
    return {
        "model": fields.get("model name", platform.processor()),
        "family": f"{fields.get('cpu family', '?')}/{fields.get('model', '?')}/{fields.get('stepping', '?')}",
        "flags": [flag for flag in TELLING_FLAGS if flag in flags],
        "cores": len(os.sched_getaffinity(0)),
        "hypervisor": "hypervisor" in flags,
    }


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def processor_ticks() -> tuple[int, int]:
    """Ticks that a hypervisor gave to others while we wanted to run, and all ticks, since the start of the system."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def describe() -> dict[str, Any]:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": git("rev-parse", "--short=12", "HEAD"),
        "changed": bool(git("status", "--porcelain", "--untracked-files=no")),
        "cpu": cpu(),
        "memory_gib": round(pages / 2**30, 1),
        "load": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def core_distance_ns() -> float | None:
    """How long a cache line needs to another processor and back (bench/core_distance.c): it shows whether times of two threads at two
    moments can be compared. None where there is one processor, or no compiler."""
    cores = sorted(os.sched_getaffinity(0))
    program = ROOT / "build" / "core_distance"
    if len(cores) < 2:
        return None
    command = ["cc", "-O2", "-std=c11", str(ROOT / "bench" / "core_distance.c"), "-o", str(program), "-lpthread"]
    try:
        subprocess.run(command, check=True, capture_output=True)
        shown = subprocess.run([program, str(cores[0]), str(cores[1])], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return float(shown.stdout)


def read_bandwidth(threads: int) -> float:
    """Bytes a second that so many threads read of memory that no cache holds: the best of a few turns."""
    import threading
    import time

    import numpy as np

    parts = [np.ones(48 << 20, np.float32) for _ in range(threads)]
    best = 0.0
    for _ in range(5):
        start = threading.Barrier(threads + 1)

        def read(part: Any, start: threading.Barrier = start) -> None:
            start.wait()
            for piece in np.split(part, 48):  # small enough for the library that computes it to leave it on this thread
                piece.dot(piece)

        workers = [threading.Thread(target=read, args=(part,)) for part in parts]
        for worker in workers:
            worker.start()
        start.wait()
        begin = time.perf_counter()
        for worker in workers:
            worker.join()
        best = max(best, sum(part.nbytes for part in parts) / (time.perf_counter() - begin))
    return best


def touch_memory() -> None:
    """Takes most of the memory that is free, and gives it back. A virtual machine's memory that nobody has used yet is allocated from the
    host page by page, at up to 3 ms for each MB (0.12 later): a matter of who comes first, not of an engine."""
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    size = int(fields["MemAvailable"].split()[0]) * 1024 * 8 // 10
    with contextlib.suppress(OSError), mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        memory.madvise(POPULATE_WRITE)
