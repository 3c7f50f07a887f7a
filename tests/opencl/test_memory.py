# SPDX-License-Identifier: Apache-2.0
"""A device without memory for its part of a model: an error, or, where the caller named the processor, too, the processor runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import onnx
from drivers import Driver
from onnx import TensorProto, helper

# With bounds one element longer than the device's largest allocation. The last line says what happened.
CHILD = """
import json, sys
import anydim, numpy as np
most = anydim.Engine.devices("opencl")[0]["largest_allocation_bytes"] // 4 + 1
try:
    anydim.InferenceSession(sys.argv[1], engines="opencl", bounds={"x": ((1, most),)}, contexts=1)
    refused = ""
except anydim.OutOfMemoryError as e:
    refused = str(e)
short = anydim.InferenceSession(sys.argv[1], engines=["opencl", "cpu"], bounds={"x": ((1, 64),)}, contexts=1)
long = anydim.InferenceSession(sys.argv[1], engines=["opencl", "cpu"], bounds={"x": ((1, most),)}, contexts=1)
x = np.linspace(-2, 2, 50, dtype=np.float32)
results = [s.run(None, {"x": x})[0].tobytes().hex() for s in (short, long)]
whole = long.run(None, {"x": np.full(most, -3, np.float32)})[0]
print(json.dumps({"refused": refused, "results": results, "whole": bool((whole == 0).all())}))
"""


def test_a_device_without_memory_leaves_its_part_to_the_processor(driver: Driver, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Sigmoid", ["x"], ["s"]),
        helper.make_node("Mul", ["s", "x"], ["m"]),
        helper.make_node("Relu", ["m"], ["y"]),
    ]
    edges = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"]
    path = tmp_path / "long.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "long", edges[:1], edges[1:]), ir_version=8), path)
    environment = driver.environment(POCL_MEMORY_LIMIT="1")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, path], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert "largest allocation" in told["refused"]
    assert told["results"][0] == told["results"][1] and told["whole"]
    lines = [line for line in done.stderr.splitlines() if "runs on the processor" in line]
    assert len(lines) == 1, done.stderr
