# SPDX-License-Identifier: Apache-2.0
"""scikit-learn pipelines that skl2onnx converted, beside ONNX Runtime: the same labels, and numbers that agree to 1e-6."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnxruntime
import pytest
from pipelines import PIPELINES, ROWS, converted

onnxruntime.set_default_logger_severity(4)
# Sums of logarithms, or of numbers that are much larger than their sum, have the float noise of their binary32 operands in both.
LOOSER = {
    "gaussian_bayes": 5e-6,
    "multinomial_bayes": 1e-5,
    "bernoulli_bayes": 5e-6,
    "gaussian_mixture": 5e-6,
    "nu_svr": 5e-6,
    "one_class_svm": 5e-6,
}
# Coefficients that are thousands of times larger than the sums of their products: binary32 leaves few digits of the differences. Both are
# compared with the pipeline's own binary64 then, and Anydim may not be further from it than ONNX Runtime.
CANCELLING = {"nu_svc"}


def agree(name: str, ours: Any, theirs: Any) -> None:
    """Labels and maps' keys are equal; numbers agree."""
    if isinstance(theirs, list):
        assert [list(row) for row in ours] == [list(row) for row in theirs]
        agree(name, *(np.array([list(row.values()) for row in rows], np.float32) for rows in (ours, theirs)))
        return
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if theirs.dtype.kind != "f":
        np.testing.assert_array_equal(ours, theirs)
        return
    scale = max(1.0, float(np.nanmax(np.abs(theirs)))) if theirs.size else 1.0
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=LOOSER.get(name, 1e-6) * scale)


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline_agrees_with_onnxruntime(name: str) -> None:
    model, data, pipeline = converted(name)
    feeds = data.feeds()
    theirs = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    ours = anydim.InferenceSession(model)
    assert [o.type for o in ours.get_outputs()] == [o.type for o in theirs.get_outputs()]
    assert [i.type for i in ours.get_inputs()] == [i.type for i in theirs.get_inputs()]
    whole = ours.run(None, feeds)
    for mine, other in zip(whole, theirs.run(None, feeds), strict=True):
        if name in CANCELLING and isinstance(other, list):
            exact = pipeline.decision_function(data.x)
            errors = [np.abs(np.array([list(row.values()) for row in rows]) - exact).max() for rows in (mine, other)]
            assert errors[0] <= errors[1]
            continue
        agree(name, mine, other)
    # A row alone has the bits that it has among others.
    for row in (0, 17):
        alone = ours.run(None, {key: x[row : row + 1] for key, x in feeds.items()})
        for one, all_of_them in zip(alone, whole, strict=True):
            if isinstance(one, list):
                assert one == all_of_them[row : row + 1]
            else:
                axis = all_of_them.shape.index(ROWS)  # skl2onnx puts some labels side by side
                np.testing.assert_array_equal(one, np.take(all_of_them, [row], axis))


def test_there_are_at_least_fifty() -> None:
    assert len(PIPELINES) >= 50
