# SPDX-License-Identifier: Apache-2.0
"""A program ends while other threads are in calls of the library, or the library in a program's functions: with its own exit code.
CPython up to 3.13 ends such threads when they take the interpreter's lock; what stands in their way then is not seen every time."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

REPEATS = 10

BEGIN = """
import asyncio, sys, threading, time
import anydim
import numpy as np
from small_models import model, node, value

DOMAIN = {"d": 1}
many, few = ("n", "m"), ("n", 3)
relu = model([node("Relu", ["x"], ["a"]), node("Exp", ["a"], ["y"])], inputs=[value("x", 1, many)], outputs=[value("y", 1, many)])
large, small = np.ones((400, 1000), np.float32), np.ones((2, 3), np.float32)

def ours(compute, **more):
    made = model([node("Ours", ["x"], ["y"], domain="d")], inputs=[value("x", 1, few)], outputs=[value("y", 1, few)], domains=DOMAIN)
    operators = {("d", "Ours"): anydim.CustomOperator(compute, lambda x: (x.dtype, x.shape))}
    return anydim.InferenceSession(made, operators=operators, threads=1, **more)

def in_threads(call, count=2):
    def loop():
        while True:
            call()
    for _ in range(count):
        threading.Thread(target=loop, daemon=True).start()
    time.sleep(0.03)
"""

PROGRAMS = {
    "runs": "s = anydim.InferenceSession(relu, threads=1)\nin_threads(lambda: s.run(None, {'x': large}))",
    "runs of several threads": "s = anydim.InferenceSession(relu, threads=2)\nin_threads(lambda: s.run(None, {'x': large}), 3)",
    "short runs": "s = anydim.InferenceSession(relu, threads=1)\nin_threads(lambda: s.run(None, {'x': small}), 4)",
    "runs that fail": """
s = anydim.InferenceSession(relu, threads=1)
def fails():
    try:
        s.run(None, {'x': np.ones(3, np.float32)})
    except anydim.Error:
        pass
in_threads(fails, 3)""",
    "sessions are made": "in_threads(lambda: anydim.InferenceSession(relu, threads=1))",
    "batched runs": """
s = anydim.InferenceSession(relu, threads=1, batching=anydim.Batching(rows=400, wait=0.001))
in_threads(lambda: s.run(None, {'x': large[:50]}), 4)""",
    "steps of a state": """
h, x, n = (value(name, 1, (400, 1000)) for name in 'hxn')
made = model([node('Add', ['h', 'x'], ['n'])], inputs=[h, x], outputs=[n])
t = anydim.InferenceSession(made, threads=1).state({'h': 'n'})
in_threads(lambda: t.step({'x': large}), 1)""",
    "an operator of the program's": "s = ours(lambda x: sum(range(2000)) * 0 + x)\nin_threads(lambda: s.run(None, {'x': small}), 3)",
    "an operator that sleeps": "s = ours(lambda x: (time.sleep(0.001), x)[1])\nin_threads(lambda: s.run(None, {'x': small}), 3)",
    "an operator that never ends": "s = ours(lambda x: time.sleep(1e6))\nin_threads(lambda: s.run(None, {'x': small}), 1)",
    "an operator on the library's threads": """
s = ours(lambda x: (time.sleep(0.002), x)[1], batching=anydim.Batching(rows=2))
def ask():
    async def all():
        await asyncio.gather(*(s.run_async(None, {'x': small}) for _ in range(20)))
    while True:
        asyncio.run(all())
in_threads(ask, 2)""",
    "an operator on a thread of the library's that never ends": """
s = ours(lambda x: time.sleep(1e6), batching=anydim.Batching(rows=2))
async def begin():
    asyncio.ensure_future(s.run_async(None, {'x': small}))
    await asyncio.sleep(0.03)
loop = asyncio.new_event_loop()
loop.run_until_complete(begin())""",
    "log lines": """
import logging
logging.getLogger('anydim').addHandler(logging.NullHandler())
anydim.log.to_logging('debug')
in_threads(lambda: anydim.InferenceSession(relu, threads=1).run(None, {'x': small}), 2)""",
}


def ends(program: str) -> tuple[int, str]:
    try:
        done = subprocess.run(
            [sys.executable, "-c", BEGIN + program + "\nsys.exit(3)"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=120,
        )
    except subprocess.TimeoutExpired:
        return -1, "it did not end in 120 s"
    return done.returncode, done.stderr


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_program_ends_with_its_own_exit_code_during(what: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        for code, text in pool.map(ends, [PROGRAMS[what]] * REPEATS):
            assert code == 3, text
            assert "terminate" not in text and "Fatal" not in text, text


def test_a_session_is_closed_while_an_operator_of_the_programs_waits_for_the_interpreter() -> None:
    """Its end waits for the batch, and the batch for Python."""
    code, text = ends("""
entered = threading.Event()
s = ours(lambda x: (entered.set(), time.sleep(0.2), x)[2], batching=anydim.Batching(rows=2))
async def begin():
    asyncio.ensure_future(s.run_async(None, {'x': small}))
    await asyncio.to_thread(entered.wait)
asyncio.new_event_loop().run_until_complete(begin())
del s
""")
    assert code == 3, text
