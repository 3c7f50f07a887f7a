# SPDX-License-Identifier: Apache-2.0
"""What a result was measured on: CPU, cores, memory, versions, commit. Part of every result file."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Instruction sets that decide which kernels run, here and in the peers.
TELLING_FLAGS = ("avx", "avx2", "fma", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16")


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
