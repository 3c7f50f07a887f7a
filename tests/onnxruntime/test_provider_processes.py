# SPDX-License-Identifier: Apache-2.0
"""Anydim as a provider of ONNX Runtime, in processes of their own: what outlives the registration, programs that name another provider,
threads, memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from onnx import helper
from provider_models import NAME, VERSION, layers, model, sample, value, weights

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


SPAWNS = """
import multiprocessing
import os
import subprocess
import sys


def providers(path):
    import onnxruntime

    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).get_providers()


if __name__ == "__main__":
    path = sys.argv[1]
    print(providers(path))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(providers, (path,)))
    program = "import sys, onnxruntime; print(onnxruntime.InferenceSession(sys.argv[1]).get_providers())"
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", program, path], check=True)
"""


@pytest.mark.skipif(VERSION < (1, 31), reason="1.24 knows registered providers by their devices only")
@pytest.mark.parametrize("way", ["program", "module"])
def test_processes_that_a_program_starts_have_the_provider_too(way: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(SPAWNS, encoding="utf-8")
    program = ["app.py"] if way == "program" else ["-m", "app"]
    command = [sys.executable, "-m", "anydim.ort", *program, REC]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [str([NAME, "CPUExecutionProvider"])] * 3, done.stderr[-2000:]


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


ADDRESS_SPACE = """
import sys
import numpy as np
kind, path, *dims = sys.argv[1:]
shape = [int(d) for d in dims]
def make():
    if kind == "native":
        import anydim
        return anydim.InferenceSession(path, threads=2)
    if kind == "compat":
        import anydim.compat.onnxruntime as onnxruntime
        return onnxruntime.InferenceSession(path)
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    if kind == "provider":
        import anydim.ort
        options.add_provider_for_devices(anydim.ort.register(), {"smallest_part": "1"})
    return onnxruntime.InferenceSession(path, options)
session = make()
for scale in (1, 2):
    scaled = shape[:-1] + [scale * shape[-1]] if len(shape) == 4 else [scale * shape[0], *shape[1:]]
    session.run(None, {session.get_inputs()[0].name: np.zeros(scaled, np.float32)})
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmPeak")))
"""


def address_space(kind: str, path: str, shape: Sequence[int], limit: int | None = None) -> int:
    """Bytes at the highest point of a process that makes a session and runs it at two sizes."""
    command = [sys.executable, "-c", ADDRESS_SPACE, kind, path, *map(str, shape)]
    limited = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout) * 1024


@pytest.mark.parametrize("kind", ["native", "compat", "provider"])
@pytest.mark.parametrize(
    ("name", "shape"),
    [("rec", (1, 3, 48, 320)), ("cls", (1, 3, 48, 192)), ("det", (1, 3, 320, 320)), ("yolo", (1, 3, 320, 320))],
)
def test_the_models_run_where_address_space_is_limited(kind: str, name: str, shape: Sequence[int]) -> None:
    if name == "cls":
        shape = (shape[0], 3, 48, 96)  # twice as wide is what it was made for
    address_space(kind, str(ROOT / "build" / "models" / f"{name}.onnx"), shape, 4_000_000 * 1024)


def test_address_space_of_a_session_does_not_grow_with_its_parts(tmp_path: Path) -> None:
    nodes, constants, last = [], [], "x"
    for i in range(300):
        made, more = layers(last, f"y{i}", i)
        nodes += [*made, sample(f"y{i}", f"z{i}")]
        constants += more
        last = f"z{i}"
    path = tmp_path / "parts.onnx"
    many = model(nodes, [value("x", ["n", 8])], [value(last, ["n", 8])], constants)
    path.write_bytes(many.SerializeToString())
    plain, provider = (address_space(kind, str(path), (40, 8)) for kind in ("onnxruntime", "provider"))
    print(plain, provider)
    assert provider < plain + 2**30, (plain, provider)
