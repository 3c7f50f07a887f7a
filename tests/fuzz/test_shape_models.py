# SPDX-License-Identifier: Apache-2.0
"""Sizes that are divided again and again (shape_models.py): each model loads under every set of passes, and its results are ONNX
Runtime's. Of the first form of the symbols' rewriting most of these models died while they were loaded."""

from __future__ import annotations

import anydim
import numpy as np
import onnxruntime as ort
import pytest
from shape_models import systematic

MODELS = list(systematic())


def test_there_are_two_hundred_models() -> None:
    assert len({name for name, _, _ in MODELS}) == len(MODELS) == 200


@pytest.mark.parametrize("passes", ["none", "exact", "all"])
def test_sizes_divided_again_load_and_have_the_results_of_onnxruntime(passes: str) -> None:
    ran = 0
    for name, model, sizes in MODELS:
        data = model.SerializeToString()
        ours = anydim.InferenceSession(data, passes=passes, threads=1)
        theirs = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
        (given,) = model.graph.input
        for size in sizes:
            dims = [d.dim_value or size for d in given.type.tensor_type.shape.dim]
            # Small integers: every sum is exact.
            x = np.random.default_rng(size).integers(-8, 9, dims).astype(np.float32)
            for a, b in zip(ours.run(None, {"x": x}), theirs.run(None, {"x": x}), strict=True):
                assert a.shape == b.shape, f"{name} at {size}"
                np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=f"{name} at {size}")
            ran += 1
    assert ran > 700
