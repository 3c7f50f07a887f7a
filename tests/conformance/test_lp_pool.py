# SPDX-License-Identifier: Apache-2.0
"""LpPool with ceil_mode, by ONNX's text: the reference multiplies what a window has beyond the padding, and ONNX Runtime has no float64."""

from __future__ import annotations

import itertools
from typing import Any

import anydim
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import helper

Array = NDArray[Any]


def pooled(x: Array, kernel: list[int], strides: list[int], pads: list[int], p: int) -> Array:
    """A last window that begins in the input or the padding before it counts, with the elements that it has."""
    counts = []
    for d, k, s, begin, end in zip(x.shape[2:], kernel, strides, pads[:2], pads[2:], strict=True):
        count = -((k - d - begin - end) // s) + 1
        counts.append(count - ((count - 1) * s >= d + begin))
    whole = np.pad(np.abs(x.astype(np.float64)), ((0, 0), (0, 0), (pads[0], 99), (pads[1], 99)))
    y = np.empty((*x.shape[:2], *counts))
    for row, column in np.ndindex(*counts):
        top, left = row * strides[0], column * strides[1]
        window = whole[:, :, top : top + kernel[0], left : left + kernel[1]]
        y[:, :, row, column] = (window**p).sum((2, 3)) ** (1 / p)
    return y


@pytest.mark.parametrize("dims", ([1, 2, 7, 6], ["n", 2, "h", "w"]), ids=("numbers", "dynamic"))
def test_windows_that_reach_beyond_the_padding_have_fewer_elements(dims: list[int | str]) -> None:
    x = np.random.default_rng(0).standard_normal((1, 2, 7, 6))
    for kernel, strides, pads, p, kind in itertools.product(
        ([2, 2], [3, 2]),
        ([1, 1], [2, 3], [3, 4]),
        ([0] * 4, [0, 1, 1, 0], [1] * 4),
        (1, 2, 3),
        (np.float32, np.float64),
    ):
        node = helper.make_node(
            "LpPool", ["x"], ["y"], kernel_shape=kernel, strides=strides, pads=pads, p=p, ceil_mode=1
        )
        element = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
        graph = helper.make_graph(
            [node],
            "g",
            [helper.make_tensor_value_info("x", element, dims)],
            [helper.make_tensor_value_info("y", element, None)],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        got = anydim.InferenceSession(made.SerializeToString(), threads=1).run(None, {"x": x.astype(kind)})[0]
        expected = pooled(x, kernel, strides, pads, p)
        assert got.shape == expected.shape and got.dtype == kind
        assert np.allclose(got, expected, rtol=1e-5, atol=1e-6), (kernel, strides, pads, p, kind)
