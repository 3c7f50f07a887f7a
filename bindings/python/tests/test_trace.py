# SPDX-License-Identifier: Apache-2.0
"""What a trace says of the nodes of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from small_models import model, node, tensor, value

RUN = """
import sys, anydim, numpy as np
anydim.InferenceSession(sys.argv[1]).run(None, {"x": np.full((4, 3), 1e-20, np.float32)})
"""


def test_a_trace_counts_the_denormals_of_each_result(tmp_path: Path) -> None:
    scale = np.array([1, 1e-10, 1e-20], np.float32)  # results of 1e-20, 1e-30 and 1e-40
    made = model(
        [node("Mul", ["x", "c"], ["m"]), node("Exp", ["m"], ["y"])],
        inputs=[value("x", 1, ("n", 3))],
        outputs=[value("y", 1, ("n", 3)), value("m", 1, ("n", 3))],
        constants=[tensor("c", scale)],
    )
    (tmp_path / "m.onnx").write_bytes(made)
    trace = tmp_path / "trace.json"
    subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path / "m.onnx")], env=os.environ | {"ANYDIM_TRACE": str(trace)}, check=True
    )
    nodes = [event for event in json.loads(trace.read_text()) if event.get("cat") == "node"]
    assert [event["args"].get("denormals") for event in nodes] == [4, None]
