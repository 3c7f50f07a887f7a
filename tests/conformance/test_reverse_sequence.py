# SPDX-License-Identifier: Apache-2.0
"""ReverseSequence over every pair of axes against NumPy; a length beyond the steps is refused by the run, and never reads another row."""

from __future__ import annotations

import itertools

import anydim
import numpy as np
import pytest
from onnx import TensorProto, helper


def session(rank: int, batch: int, time: int) -> anydim.InferenceSession:
    graph = helper.make_graph(
        [helper.make_node("ReverseSequence", ["x", "n"], ["y"], batch_axis=batch, time_axis=time)],
        "reverse",
        [
            helper.make_tensor_value_info("x", TensorProto.INT64, [f"d{i}" for i in range(rank)]),
            helper.make_tensor_value_info("n", TensorProto.INT64, [f"d{batch}"]),
        ],
        [helper.make_empty_tensor_value_info("y")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return anydim.InferenceSession(made.SerializeToString())


# ONNX has axes 0 and 1 alone; the others are taken, too.
@pytest.mark.parametrize(("batch", "time"), [*itertools.permutations(range(3), 2), (0, 3), (3, 0)])
def test_the_first_steps_of_each_row_are_turned(batch: int, time: int) -> None:
    rank = 4
    s = session(rank, batch, time)
    r = np.random.default_rng(10 * batch + time)
    for dims in ((3, 4, 2, 5), (1, 6, 3, 2), (2, 1, 1, 1), (0, 3, 2, 2), (3, 0, 2, 2), (2, 2, 0, 1)):
        x = r.integers(-99, 99, dims)
        lengths = r.integers(0, dims[time] + 1, dims[batch])
        first = np.moveaxis(x, (batch, time), (0, 1))
        turned = first.copy()
        for row, length in enumerate(lengths):
            turned[row, :length] = first[row, :length][::-1]
        want = np.moveaxis(turned, (0, 1), (batch, time))
        np.testing.assert_array_equal(s.run(None, {"x": x, "n": lengths})[0], want, f"{dims} {lengths}")


@pytest.mark.parametrize(("batch", "time"), [(0, 1), (1, 0)])
def test_a_length_beyond_the_steps_is_refused(batch: int, time: int) -> None:
    s = session(2, batch, time)
    x = np.arange(6).reshape(2, 3) if time else np.arange(6).reshape(3, 2)
    assert s.run(None, {"x": x, "n": np.array([3, 3])})[0].shape == x.shape
    for lengths in ([4, 1], [1, 4], [3, 100]):
        with pytest.raises(anydim.InvalidDataError, match="out of range"):
            s.run(None, {"x": x, "n": np.array(lengths)})
