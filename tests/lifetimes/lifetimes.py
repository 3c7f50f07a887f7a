# SPDX-License-Identifier: Apache-2.0
"""What is made many times and never closed, dropped while others use it, and asked for by many at once: the program of lifetimes.c
in Python, with its arguments and its output. Python closes nothing: what no name leads to goes, also out of cycles, which only its
collector finds. Every second thing is in one. What is held is reported after the collector has looked and the allocator has returned
what it keeps for later; beside it the largest resident set in between: the collector looks when it will, and nothing here asks it
while rounds go on."""

from __future__ import annotations

import ctypes
import gc
import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import anydim
import numpy as np

THREADS, CLOSERS = 8, 4


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def held() -> int:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return resident()


def session_of(path: str, contexts: int) -> anydim.InferenceSession:
    return anydim.InferenceSession(path, threads=1, contexts=contexts)


def watched(rounds: int, once: Callable[[], None]) -> dict[str, int]:
    for _ in range(rounds // 10):
        once()
    before = most = held()
    for i in range(rounds):
        once()
        if i % 10 == 0:
            most = max(most, resident())
    return {"before": before, "after": held(), "most": most}


def in_a_cycle(thing: Any) -> None:
    cycle = [thing]
    cycle.append(cycle)


def closing(path: str, feeds: dict[str, Any], rounds: int) -> dict[str, int]:
    """The session's last name goes while threads run in it; they look it up for each call, as a server does that is asked to stop."""
    (expected,) = session_of(path, 1).run(None, feeds)
    runs = itertools.count()
    ended: list[str] = []
    for _ in range(rounds):
        sessions = {"now": session_of(path, 2)}
        done: list[int] = []

        def work(sessions: dict[str, Any] = sessions, done: list[int] = done) -> None:
            while True:
                try:
                    (y,) = sessions["now"].run(None, feeds)
                except KeyError:
                    ended.append("closed")
                    return
                if not np.array_equal(y, expected):
                    raise AssertionError("a run that ended while the session was dropped gave other numbers")
                done.append(next(runs))

        threads = [threading.Thread(target=work) for _ in range(CLOSERS)]
        for thread in threads:
            thread.start()
        while len(done) < 2 * CLOSERS and any(thread.is_alive() for thread in threads):
            time.sleep(0.001)
        del sessions["now"]
        for thread in threads:
            thread.join()
    return {"rounds": rounds, "threads": CLOSERS, "runs": next(runs), "closed": len(ended)}


def fair(path: str, feeds: dict[str, Any], most: int) -> dict[str, list[list[int]]]:
    session = session_of(path, 2)
    waits: list[list[int]] = [[] for _ in range(THREADS)]
    done: list[None] = []
    stop = threading.Event()
    begin = threading.Barrier(
        THREADS
    )  # a thread that has started takes turns before the last one has, which is no one's unfairness

    def work(mine: list[int]) -> None:
        begin.wait()
        while not stop.is_set():
            before = len(done)
            session.run(None, feeds)
            mine.append(len(done) - before)
            done.append(None)
            if len(mine) == most:
                stop.set()

    threads = [threading.Thread(target=work, args=(mine,)) for mine in waits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"waits": waits}


def ending(path: str, feeds: dict[str, Any], runs: int) -> dict[str, int]:
    """The program ends after so many runs, while threads run in sessions with workers and with batches, and make sessions."""
    with_workers = anydim.InferenceSession(path, threads=2)
    with_batches = anydim.InferenceSession(path, threads=1, batching=anydim.Batching(rows=4))
    done: list[None] = []

    def work(number: int) -> None:
        while True:
            if number == 3:
                session_of(path, 1)
            else:
                (with_workers if number == 0 else with_batches).run(None, feeds)
            done.append(None)

    for number in range(CLOSERS):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    while len(done) < runs:
        time.sleep(0.001)
    return {"threads": CLOSERS}


def main() -> None:
    what, path, dims_text, count_text = sys.argv[1:]
    dims, count = [int(d) for d in dims_text.split("x")], int(count_text)
    x = ((np.arange(np.prod(dims)) % 97).astype(np.float32) / np.float32(97) - np.float32(0.5)).reshape(dims)
    session = session_of(path, 1)
    feeds = {session.get_inputs()[0].name: x}
    kept: list[anydim.InferenceSession] = []

    def open_one() -> anydim.InferenceSession:
        opened = session_of(path, 1)
        opened.run(None, feeds)
        return opened

    turns = itertools.count()
    engine = anydim.Engine()

    def open_and_drop() -> None:
        opened = open_one()
        if next(turns) % 2:
            in_a_cycle(opened)

    def place_results() -> None:
        things = [session.run(None, feeds)[0], anydim.Memory(engine, 1 << 14).array(np.float32)]
        if next(turns) % 2:
            in_a_cycle(things)

    found: Any
    if what == "sessions":
        found = watched(count, open_and_drop)
    elif what == "kept":
        found = watched(count, lambda: kept.append(open_one()))
    elif what == "results":
        found = watched(count, place_results)
    elif what == "closing":
        found = closing(path, feeds, count)
    elif what == "fair":
        found = fair(path, feeds, count)
    elif what == "ending":
        found = ending(path, feeds, count)
    else:
        sys.exit("usage: lifetimes.py sessions|kept|results|closing|fair|ending MODEL DIMS COUNT")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
