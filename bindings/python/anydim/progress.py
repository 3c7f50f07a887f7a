# SPDX-License-Identifier: Apache-2.0
"""A bar on the standard error output while a device's programs are compiled, if that is a terminal and takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .counters import counters

_WIDTH = 24


def _bar(done: int, of: int, compiled: int, loaded: int) -> str:
    full = done * _WIDTH // of if of else _WIDTH
    there = f"{compiled} programs were compiled, {loaded} were there"
    return f"\r\x1b[Kcompiling [{'#' * full}{'.' * (_WIDTH - full)}] {done}/{of} {there}"


@contextmanager
def of_programs(may_compile: bool) -> Iterator[None]:
    """Shows it for what is done within."""
    if not may_compile or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    before = counters()

    def watch() -> None:
        shown = False
        wait = 1.0
        while not ended.wait(wait):
            wait = 0.1
            now = {name: value - before[name] for name, value in counters().items() if name in before}
            if now["programs_compiled"] == 0:
                continue
            shown = True
            numbers = [
                now[name] for name in ("kernels_prepared", "kernels_to_prepare", "programs_compiled", "programs_loaded")
            ]
            sys.stderr.write(_bar(*numbers))
            sys.stderr.flush()
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    thread = threading.Thread(target=watch, name="anydim-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
