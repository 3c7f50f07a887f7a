# SPDX-License-Identifier: Apache-2.0
"""Anydim as a provider of ONNX Runtime, in processes of their own: what outlives the registration, programs that name another provider,
threads, memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import helper
from provider_models import NAME, VERSION, model, value, weights

ROOT = Path(__file__).resolve().parents[2]
REC = str(ROOT / "build" / "models" / "rec.onnx")


OUTLIVES = """
import sys
import numpy as np, onnxruntime, anydim.ort
options = onnxruntime.SessionOptions()
options.add_provider_for_devices(anydim.ort.register(), {})
session = onnxruntime.InferenceSession(sys.argv[1], options)
x = {"x": np.random.default_rng(0).random((1, 3, 48, 64), np.float32)}
before = session.run(None, x)[0]
anydim.ort.unregister()
print(np.array_equal(session.run(None, x)[0], before))
wider = session.run(None, {"x": np.zeros((1, 3, 48, 321), np.float32)})
devices = anydim.ort.register()
again = onnxruntime.SessionOptions()
again.add_provider_for_devices(devices, {})
other = onnxruntime.InferenceSession(sys.argv[1], again)
print(np.array_equal(other.run(None, x)[0], session.run(None, x)[0]))
anydim.ort.unregister()
del session
print(np.array_equal(other.run(None, x)[0], before))
if sys.argv[2] == "release":
    del other
print("end")
"""


@pytest.mark.parametrize("end", ["release", "leave"])
def test_a_session_that_outlives_the_registration_runs_on_and_is_released(end: str) -> None:
    done = subprocess.run([sys.executable, "-c", OUTLIVES, REC, end], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "True\nTrue\nTrue\nend\n"), done.stderr[-2000:]


INSTALLED = """
import sys
import numpy as np
import onnxruntime as ort
from onnxruntime import InferenceSession

options = ort.SessionOptions()
sessions = [
    InferenceSession(sys.argv[1]),
    InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"]),
    InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"], provider_options=[{}]),
    InferenceSession(sys.argv[1], options, [("CPUExecutionProvider", {})]),
]
x = np.zeros((1, 3, 48, 64), np.float32)
for session in sessions:
    session.run(None, {"x": x})
    print(session.get_providers())
print(sys.argv[2:])
"""


@pytest.mark.skipif(VERSION < (1, 31), reason="1.24 knows registered providers by their devices only")
def test_a_program_that_names_the_processor_gets_the_provider_unchanged(tmp_path: Path) -> None:
    app = tmp_path / "app.py"
    app.write_text(INSTALLED, encoding="utf-8")
    command = [sys.executable, "-m", "anydim.ort", str(app), REC, "--flag"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [str([NAME, "CPUExecutionProvider"])] * 4 + ["['--flag']"]


THREADS = """
import os, sys
import numpy as np, onnxruntime, anydim.ort
anydim.ort.register()
def threads():
    return len(os.listdir("/proc/self/task"))
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[1])
options.add_provider_for_devices(anydim.ort.register(), {})
before = threads()
session = onnxruntime.InferenceSession(sys.argv[2], options)
for width in (320, 640):
    session.run(None, {"x": np.zeros((1, 3, 48, width), np.float32)})
print(threads() - before)
"""


def test_its_loops_run_on_the_session_s_threads_and_start_none() -> None:
    environment = os.environ | {"ANYDIM_REUSE": "reusable"}  # without the worker that tunes in the background
    for threads in (1, 2, 3):
        command = [sys.executable, "-c", THREADS, str(threads), REC]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert int(done.stdout) == threads - 1, done.stderr


MEMORY = """
import gc, sys
import numpy as np, onnxruntime
kind, path = sys.argv[1:]
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
if kind == "direct":
    import anydim
    make = lambda: anydim.InferenceSession(path, threads=1)
elif kind == "provider":
    import anydim.ort
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_provider_for_devices(anydim.ort.register(), {})
    make = lambda: onnxruntime.InferenceSession(path, options)
before = resident()
session = make()
session.run(None, {"x": np.zeros((4, 4096), np.float32)})
gc.collect()
print(resident() - before)
"""


@pytest.mark.long
def test_weights_are_in_memory_once(tmp_path: Path) -> None:
    constants = [weights(f"w{i}", 4096, 4096) for i in range(3)]  # 64 MiB each
    nodes = [helper.make_node("MatMul", [f"h{i}" if i else "x", f"w{i}"], [f"h{i + 1}"]) for i in range(3)]
    made = model(nodes, [value("x", ["n", 4096])], [value("h3", ["n", 4096])], constants)
    path = tmp_path / "wide.onnx"
    path.write_bytes(made.SerializeToString())
    resident = {
        kind: int(
            subprocess.run(
                [sys.executable, "-c", MEMORY, kind, str(path)], capture_output=True, text=True, check=True
            ).stdout
        )
        for kind in ("direct", "provider")
    }
    print(resident)
    assert resident["provider"] < 1.25 * 3 * 64 * 2**20, resident
