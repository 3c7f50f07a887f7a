# SPDX-License-Identifier: Apache-2.0
"""Random quantized networks, and dynamically quantized layers: with the exact passes the bits of no passes at all; with all of them,
which fold conversions into products of integers, the results of ONNX Runtime but for numbers that lie between two steps."""

from __future__ import annotations

import anydim
import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
import pytest
from dynamic_graphs import Layer
from quantized_graphs import Network

GRAPHS = 40
PARTS = 4
LAYERS = 200


def by_onnx_runtime(model: bytes, x: np.ndarray) -> np.ndarray:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    result: np.ndarray = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    return result


@pytest.mark.parametrize("part", range(PARTS))
def test_conversions_are_folded_without_another_result(part: int) -> None:
    integers = 0
    for seed in range(part, GRAPHS, PARTS):
        model, x = Network(seed).model()
        spelled = anydim.InferenceSession(model, passes="none").run(None, {"x": x})[0]
        exact = anydim.InferenceSession(model, passes="exact").run(None, {"x": x})[0]
        assert exact.tobytes() == spelled.tobytes(), f"seed {seed}: the exact passes changed bits"
        session = anydim.InferenceSession(model)
        folded = session.run(None, {"x": x})[0]
        again = anydim.InferenceSession(model, threads=2).run(None, {"x": x})[0]
        assert again.tobytes() == folded.tobytes(), f"seed {seed}: two threads changed bits"
        theirs = by_onnx_runtime(model, x)
        steps = np.unique(np.abs(np.diff(np.unique(theirs))))
        step = steps[0] if steps.size else np.float32(1)
        for got, what in ((spelled, "no passes"), (folded, "all passes")):
            away = np.abs(got - theirs) / step
            assert np.mean(away > 1.5) <= 0.03, (
                f"seed {seed}, {what}: {np.mean(away > 1.5):.3f} of the results are two steps away"
            )
            assert np.mean(away > 0.5) <= 0.2, (
                f"seed {seed}, {what}: {np.mean(away > 0.5):.3f} of the results are a step away"
            )
        integers += "integers" in str(session.explain({"x": x.shape}))
    assert integers >= GRAPHS // PARTS // 2


def test_scales_that_come_with_the_run_move_into_products_without_another_bit() -> None:
    scaled = 0
    for seed in range(LAYERS):
        model, feeds = Layer(seed).model()
        spelled = anydim.InferenceSession(model, passes="none").run(None, feeds)
        session = anydim.InferenceSession(model, passes="exact")
        for mine, theirs in zip(session.run(None, feeds), spelled, strict=True):
            # A NaN has no sign that is promised.
            same = (mine == theirs) & (np.signbit(mine) == np.signbit(theirs)) | (np.isnan(mine) & np.isnan(theirs))
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape and same.all(), f"seed {seed}"
        nodes = session.explain({name: x.shape for name, x in feeds.items()})["nodes"]
        scaled += any(node["name"].startswith("Mul_") and "integers" in node["kernel"] for node in nodes)
    assert scaled >= LAYERS // 4
