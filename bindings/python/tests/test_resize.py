# SPDX-License-Identifier: Apache-2.0
"""Resize beside a computation in numpy that follows ONNX's text: dtypes, layouts, and which kernel says that it runs."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.uint8): TensorProto.UINT8,
    np.dtype(np.int8): TensorProto.INT8,
    np.dtype(np.uint16): TensorProto.UINT16,
    np.dtype(np.int16): TensorProto.INT16,
    np.dtype(np.int32): TensorProto.INT32,
    np.dtype(np.uint32): TensorProto.UINT32,
    np.dtype(np.int64): TensorProto.INT64,
}


def model(dtype: np.dtype[Any], dims: list[int], sizes: list[int], **attributes: Any) -> bytes:
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **attributes)
    x = helper.make_tensor_value_info("x", TYPES[dtype], dims)
    y = helper.make_tensor_value_info("y", TYPES[dtype], None)
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(np.array(sizes, np.int64), "sizes")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return bytes(made.SerializeToString())


def linear(x: np.ndarray[Any, Any], sizes: list[int]) -> np.ndarray[Any, Any]:
    """In float64, half_pixel, the last axis first."""
    y = x.astype(np.float64)
    for axis in reversed(range(y.ndim)):
        n, out = y.shape[axis], sizes[axis]
        if n == out:
            continue
        c = (np.arange(out) + 0.5) / (out / n) - 0.5
        low = np.floor(c)
        w = (c - low).reshape([-1 if a == axis else 1 for a in range(y.ndim)])
        first, second = (np.clip(low + i, 0, n - 1).astype(int) for i in (0, 1))
        y = np.take(y, first, axis) * (1 - w) + np.take(y, second, axis) * w
    return y


@pytest.mark.parametrize("dims, sizes", [([2, 3, 9, 11], [2, 3, 20, 7]), ([9, 11, 3], [5, 30, 3]), ([7, 20], [14, 33])])
def test_linear_resize_takes_f64_in_binary64(dims: list[int], sizes: list[int]) -> None:
    x = np.random.default_rng(1).standard_normal(dims)
    session = anydim.InferenceSession(model(x.dtype, dims, sizes, mode="linear"))
    np.testing.assert_allclose(session.run(None, {"x": x})[0], linear(x, sizes), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.int32])
def test_linear_resize_of_integers_cuts_to_whole_numbers(dtype: type) -> None:
    limits = np.iinfo(dtype)
    dims, sizes = [2, 10, 12, 3], [2, 25, 7, 3]
    x = np.random.default_rng(2).integers(limits.min, limits.max, dims, dtype, endpoint=True)
    y = anydim.InferenceSession(model(x.dtype, dims, sizes, mode="linear")).run(None, {"x": x})[0]
    want = linear(x, sizes)
    near = 1e-5 if dtype is np.int32 else 0.02  # binary32 may pass a whole number
    assert y.dtype == x.dtype
    assert np.all((y == np.trunc(want - near)) | (y == np.trunc(want + near)))


def test_a_large_integer_that_is_kept_keeps_its_value() -> None:
    x = np.full([1, 1, 3, 3], 2**31 - 1, np.int32)
    y = anydim.InferenceSession(model(x.dtype, [1, 1, 3, 3], [1, 1, 7, 5], mode="linear")).run(None, {"x": x})[0]
    assert np.all(y == 2**31 - 1)


@pytest.mark.parametrize(
    "dtype, attributes",
    [(np.uint8, {"mode": "cubic"}), (np.int8, {"mode": "linear", "antialias": 1}), (np.int64, {"mode": "linear"}),
     (np.uint32, {"mode": "linear"})],
)  # fmt: skip
def test_what_engines_read_in_two_ways_is_refused(dtype: type, attributes: dict[str, Any]) -> None:
    with pytest.raises(anydim.UnimplementedError, match="resize"):
        anydim.InferenceSession(model(np.dtype(dtype), [1, 1, 8, 8], [1, 1, 4, 4], **attributes))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("antialias", [0, 1])
@pytest.mark.parametrize(
    "dims, sizes",
    [([1, 8, 9, 32], [1, 16, 18, 32]), ([30, 40], [70, 10]), ([5, 8, 8], [5, 20, 20]), ([24, 32, 3], [11, 12, 3]),
     ([2, 3, 8, 8], [4, 3, 4, 8]), ([1, 2, 6, 6, 6], [1, 2, 9, 3, 12])],
)  # fmt: skip
def test_no_layout_or_axis_is_left_to_the_reference(
    mode: str, antialias: int, dims: list[int], sizes: list[int]
) -> None:
    session = anydim.InferenceSession(model(np.dtype(np.float32), dims, sizes, mode=mode, antialias=antialias))
    kernels = [node["kernel"] for node in session.explain({"x": tuple(dims)})["nodes"]]
    assert [k.rsplit(".", 1)[0] for k in kernels] == ["resize.lines"]
