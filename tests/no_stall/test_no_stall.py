# SPDX-License-Identifier: Apache-2.0
"""P1 without a clock: the first call at a new shape allocates nothing, takes no lock, faults no page, and executes as many
instructions (within 1 %) as a later call at that shape: the third in the quick stage, the tenth in the long one.

Making a primitive, packing weights or compiling would all allocate, so the count of allocations covers them. Instructions
are counted by callgrind on the AVX2 kernels (valgrind does not know AVX-512).
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bin" / "no_stall"
MODELS = ROOT / "build" / "models"

# input, smallest, largest, and how to draw a shape in between
CASES: dict[str, tuple[str, str, str, Callable[[random.Random], tuple[int, ...]]]] = {
    "rec": ("x", "1,3,48,32", "2,3,48,640", lambda r: (r.randint(1, 2), 3, 48, r.randint(32, 640))),
    "det": ("x", "1,3,32,32", "1,3,256,256", lambda r: (1, 3, 32 * r.randint(1, 8), 32 * r.randint(1, 8))),
    "cls": ("x", "1,3,48,192", "6,3,48,192", lambda r: (r.randint(1, 6), 3, 48, 192)),
    "yolo": ("images", "1,3,64,64", "1,3,256,256", lambda r: (1, 3, 32 * r.randint(2, 8), 32 * r.randint(2, 8))),
    "recurrent": ("x", "1,1,24", "60,4,24", lambda r: (r.randint(1, 60), r.randint(1, 4), 24)),
}
# Small shapes for the instruction counts: callgrind is about a hundred times slower than the machine, and what binding a new
# shape costs shows most where a run is short. 32x32 is the smallest image that det takes, 64x64 the smallest that yolo does; the
# smallest shape does not come first, since the context ran it when it was made.
COUNTED = {
    "rec": ["1,3,48,37", "1,3,48,64", "1,3,48,32"],
    "det": ["1,3,64,64", "1,3,32,32", "1,3,64,32", "1,3,96,128"],
    "cls": ["2,3,48,192", "1,3,48,192"],
    "yolo": ["1,3,64,96", "1,3,64,64"],
    "recurrent": ["9,1,24", "6,1,24"],
}
COUNTED_QUICKLY = ("rec", "cls", "recurrent")  # the long test counts all of them


def recurrent_network() -> bytes:
    """An LSTM in both directions, then a GRU, over sequences and batches of any size."""
    random = np.random.default_rng(1)
    constants: list[TensorProto] = []

    def weights(name: str, directions: int, gates: int, inputs: int, hidden: int) -> list[str]:
        shapes = {"w": (gates * hidden, inputs), "r": (gates * hidden, hidden), "b": (2 * gates * hidden,)}
        for kind, shape in shapes.items():
            numbers = (random.standard_normal((directions, *shape)) / 8).astype(np.float32)
            constants.append(numpy_helper.from_array(numbers, name + kind))
        return [name + kind for kind in shapes]

    constants.append(numpy_helper.from_array(np.array([0, 0, -1], np.int64), "rows"))
    nodes = [
        helper.make_node(
            "LSTM", ["x", *weights("lstm_", 2, 4, 24, 256)], ["both"], hidden_size=256, direction="bidirectional"
        ),
        helper.make_node("Transpose", ["both"], ["turned"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["turned", "rows"], ["features"]),
        helper.make_node("GRU", ["features", *weights("gru_", 1, 3, 512, 33)], ["steps"], hidden_size=33),
        helper.make_node("Squeeze", ["steps", "one"], ["y"]),
    ]
    constants.append(numpy_helper.from_array(np.array([1], np.int64), "one"))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["steps", "batch", 24])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["steps", "batch", 33])
    graph = helper.make_graph(nodes, "recurrent", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def path_of(model: str, folder: Path) -> Path:
    if model != "recurrent":
        return MODELS / f"{model}.onnx"
    path = folder / "recurrent.onnx"
    path.write_bytes(recurrent_network())
    return path


def drawn_shapes(model: str, count: int) -> list[str]:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**32)))
    print(f"ANYDIM_SEED={seed}")
    draw = random.Random(seed)
    shapes: dict[str, None] = {}
    for _ in range(count * 3):
        shapes[",".join(map(str, CASES[model][3](draw)))] = None
    return list(shapes)[:count]


@pytest.mark.parametrize("policy", ["auto", "reusable_first"])
@pytest.mark.parametrize("model", CASES)
@pytest.mark.parametrize("context", ["bounded", "free"])
def test_the_first_call_at_a_new_shape_neither_allocates_nor_locks_nor_faults(
    model: str, context: str, policy: str, tmp_path: Path
) -> None:
    name, low, high, _ = CASES[model]
    command = [str(PROGRAM), context, str(path_of(model, tmp_path)), name, low, high, *drawn_shapes(model, 12)]
    environment = os.environ | {"ANYDIM_REUSE": policy, "ANYDIM_CACHE": "off"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


def instructions_per_call(
    model: str, context: str, shapes: list[str], calls: int, folder: Path, policy: str = "auto"
) -> list[list[int]]:
    """Instructions of each call of anydim_context_run: a list per shape, in order."""
    name, low, high, _ = CASES[model]
    command = [
        "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/calls", "--collect-atstart=no",
        "--toggle-collect=anydim_context_run", "--dump-after=anydim_context_run",
        str(PROGRAM), f"--calls={calls}", context, str(path_of(model, folder)), name, low, low if context == "free" else high, *shapes,
    ]  # fmt: skip
    environment = os.environ | {"ANYDIM_MAX_ISA": "avx2", "ANYDIM_REUSE": policy, "ANYDIM_CACHE": "off"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, env=environment)
    dumps = sorted(folder.glob("calls.*"), key=lambda p: int(p.suffix[1:]))
    assert dumps, done.stdout + done.stderr
    counts = []
    for dump in dumps:
        totals = re.search(
            r"^(?:summary|totals): (\d+)", dump.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
        )
        counts.append(int(totals[1]) if totals else 0)
    counts = [c for c in counts if c > 0]
    assert len(counts) >= calls * len(shapes) + 1, f"{len(counts)} calls were counted"  # and one that warms up
    counts = counts[-calls * len(shapes) :]
    return [counts[calls * i : calls * (i + 1)] for i in range(len(shapes))]


def first_as_later(model: str, shapes: list[str], calls: int, folder: Path) -> None:
    for shape, counts in zip(shapes, instructions_per_call(model, "bounded", shapes, calls, folder), strict=True):
        first, later = counts[0], counts[-1]
        print(f"{model} {shape}: first {first:,}, call {calls} {later:,}, ratio {first / later:.4f}")
        assert first <= later * 1.01, f"{shape}: {first} instructions at the first call, {later} at call {calls}"


@pytest.mark.parametrize("model", COUNTED_QUICKLY)
def test_the_first_call_executes_as_many_instructions_as_the_second(model: str, tmp_path: Path) -> None:
    first_as_later(model, [COUNTED[model][0], COUNTED[model][-1]], 2, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("model", COUNTED)
def test_the_first_call_executes_as_many_instructions_as_the_tenth(model: str, tmp_path: Path) -> None:
    first_as_later(model, COUNTED[model], 10, tmp_path)


def test_asking_a_worker_that_never_answers_costs_no_instructions(tmp_path: Path) -> None:
    """P1 under reusable_first: first calls take as many instructions (1 %) as under reusable."""
    first = {}
    for policy in ("reusable", "reusable_first"):
        (tmp_path / policy).mkdir()
        counts = instructions_per_call("cls", "bounded", COUNTED["cls"], 1, tmp_path / policy, policy)
        first[policy] = [calls[0] for calls in counts]
    print(first)
    for with_worker, without in zip(first["reusable_first"], first["reusable"], strict=True):
        assert with_worker <= without * 1.01
