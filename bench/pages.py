# SPDX-License-Identifier: Apache-2.0
"""What memory costs on this machine, which decides what a growing context costs: the system's policy of pages, and the time that a
page takes, small and huge. Printed by bench/growth.py and bench/zoo.py, and part of their results.

  bench/pages.py        this machine's, after some idle seconds
  bench/pages.py --no-huge-pages
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import mmap
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

NO_HUGE_PAGES = 15  # madvise's
PR_SET_THP_DISABLE, PR_GET_THP_DISABLE = 41, 42
MIB = 1 << 20
IDLE_S = 4.0  # a host that takes free memory back looks for it every two seconds


def switch_off_huge_pages() -> None:
    """For this process and those that it starts."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_THP_DISABLE) was refused")


def setting(path: str) -> str:
    with contextlib.suppress(OSError):
        return Path(path).read_text(encoding="utf-8").strip()
    return ""


def policy() -> dict[str, Any]:
    """`report_order`: the system informs its host of free blocks of 2^order pages and more, which may take them back; None: it does not."""
    enabled, defrag = (setting(f"/sys/kernel/mm/transparent_hugepage/{name}") for name in ("enabled", "defrag"))
    order = setting("/sys/module/page_reporting/parameters/page_reporting_order")
    return {
        "huge_pages": enabled[enabled.find("[") + 1 : enabled.find("]")] or "none",
        "defrag": defrag[defrag.find("[") + 1 : defrag.find("]")] or "none",
        "disabled_here": ctypes.CDLL(None).prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1,
        "report_order": int(order) if order.isdigit() and int(order) <= 20 else None,
    }


def touch(size: int, huge: bool) -> list[float]:
    """Microseconds that first writes took, one for each 2 MiB, as each page of them was written."""
    memory = mmap.mmap(-1, size + 2 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE if huge else NO_HUGE_PAGES)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start = -address % (2 * MIB)
    times = []
    for block in range(start, start + size, 2 * MIB):
        begin = time.perf_counter()
        # One write makes a huge page; the others find it.
        for page in range(block, block + 2 * MIB, 4096):
            memory[page] = 1
        times.append((time.perf_counter() - begin) * 1e6)
    return times


def cost() -> dict[str, float]:
    """Microseconds for each MiB of memory touched for the first time, less what the same writes take when it is there."""

    def rewrite(size: int) -> float:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        taken = []
        for _ in range(3):
            begin = time.perf_counter()
            for page in range(0, size, 4096):
                memory[page] = 1
            taken.append((time.perf_counter() - begin) * 1e6)
        return min(taken[1:]) / (size / 2 / MIB)

    loop = rewrite(4 * MIB)

    def per_mib(times: list[float]) -> float:
        return max(median(times) - loop, 0.0) / 2

    # Huge first, while the system is as it was found; then those that were just freed.
    found = {"huge": per_mib(touch(16 * MIB, True)), "huge_again": per_mib(touch(16 * MIB, True))}
    found["small"] = per_mib(touch(16 * MIB, False))
    return found


def measured(huge_pages: bool = True) -> dict[str, Any]:
    """In a process of its own, which nothing else was done in, after the system had time to be idle."""
    time.sleep(IDLE_S)
    command = [sys.executable, __file__, "--json", *([] if huge_pages else ["--no-huge-pages"])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def told(found: dict[str, Any]) -> str:
    mode, us = found["policy"], found["us_per_mib"]
    reported = (
        f"free blocks of order {mode['report_order']} are told to the host"
        if mode["report_order"] is not None
        else "free memory is not told to a host"
    )
    return (
        f"huge pages {mode['huge_pages']}{' (off in this process)' if mode['disabled_here'] else ''}, defrag {mode['defrag']}, {reported}; "
        f"first touch, us for a MiB: small pages {us['small']:.0f}, huge ones {us['huge']:.0f} after idle seconds, "
        f"{us['huge_again']:.0f} just freed"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-huge-pages", action="store_true", help="switched off for the process, by prctl")
    parser.add_argument("--json", action="store_true", help="at once, as data")
    options = parser.parse_args()
    if options.json:
        if options.no_huge_pages:
            switch_off_huge_pages()
        print(json.dumps({"policy": policy(), "us_per_mib": cost()}))
    else:
        print(f"pages: {told(measured(not options.no_huge_pages))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
