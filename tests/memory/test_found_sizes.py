# SPDX-License-Identifier: Apache-2.0
"""P3 where sizes follow from data: over a thousand shapes, and as many numbers of elements that NonZero and Unique find in them, the
resident set of a process with bounds stays flat (2 %), and what a context uses stays within bytes_needed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

RUN = """
import json, sys
from pathlib import Path
import numpy as np
from onnx import helper, numpy_helper, TensorProto
import anydim

MOST = 40000
nodes = [
    helper.make_node("Greater", ["x", "limit"], ["mask"]),
    helper.make_node("NonZero", ["mask"], ["found"]),
    helper.make_node("Gather", ["found", "first"], ["rows"], axis=0),
    helper.make_node("Gather", ["x", "rows"], ["kept"], axis=0),
    helper.make_node("Mul", ["kept", "kept"], ["y"]),
    helper.make_node("Cast", ["kept"], ["whole"], to=TensorProto.INT32),
    helper.make_node("Unique", ["whole"], ["distinct"]),
]
graph = helper.make_graph(
    nodes,
    "found",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
    [helper.make_empty_tensor_value_info("y"), helper.make_empty_tensor_value_info("distinct")],
    [numpy_helper.from_array(np.float32(0), "limit"), numpy_helper.from_array(np.array(0), "first")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
session = anydim.InferenceSession(model, bounds={"x": [(0, MOST)]}, threads=2)
random = np.random.default_rng(int(sys.argv[1]))

def resident():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) * 1024

def one(n):
    x = (random.normal(size=n) + random.uniform(-2, 2)).astype(np.float32) * 9
    y, distinct = session.run(None, {"x": x})
    kept = x[x > 0]
    assert np.array_equal(y, kept * kept) and np.array_equal(distinct, np.unique(kept.astype(np.int32)))

one(MOST)
one(MOST)
first = most = None
for i in range(1000):
    one(int(random.integers(0, MOST + 1)))
    if i >= 20:
        first = first or resident()
        most = max(most or 0, resident())
told = session.explain()
print(json.dumps({"first": first, "most": most, "bytes_needed": session.bytes_needed, "arena": told["arena_bytes"],
                  "used": told["used_bytes"], "growth": told["growth_events"]}))
"""


def test_resident_set_stays_flat_over_a_thousand_numbers_of_found_elements() -> None:
    seed = os.environ.get("ANYDIM_SEED", str(random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    done = subprocess.run([sys.executable, "-c", RUN, seed], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    seen: dict[str, int] = json.loads(done.stdout)
    print(seen)
    assert seen["most"] <= seen["first"] * 1.02, "the resident set grew with the sizes that were found"
    assert seen["growth"] == 0 and seen["used"] <= seen["bytes_needed"]
