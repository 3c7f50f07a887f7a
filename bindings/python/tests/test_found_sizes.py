# SPDX-License-Identifier: Apache-2.0
"""Operators whose result's size only data tells, and sizes that nodes compute: the results are ONNX Runtime's, what is no size is
refused, and the next run is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]
Feeds = dict[str, Array]
RANDOM = np.random.default_rng(11)


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, tuple[type, Sequence[Any]]],
    outputs: Sequence[str],
    constants: dict[str, Any] | None = None,
    opset: int = 17,
) -> bytes:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(np.dtype(t)), d)
            for n, (t, d) in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return bytes(onnx.shape_inference.infer_shapes(made).SerializeToString())


def check(model: bytes, feeds: Sequence[Feeds], tolerance: float = 0, **options: Any) -> anydim.InferenceSession:
    """Anydim's results are ONNX Runtime's."""
    mine = anydim.InferenceSession(model, **options)
    peer = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    for feed in feeds:
        for got, wanted in zip(mine.run(None, feed), peer.run(None, feed), strict=True):
            assert got.dtype == wanted.dtype and got.shape == wanted.shape, (got.shape, wanted.shape)
            if tolerance:
                np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
            else:
                np.testing.assert_array_equal(got, wanted)
    return mine


def sparse(*shape: int, dtype: type = np.float32) -> Array:
    return (RANDOM.integers(-2, 3, shape) * (RANDOM.random(shape) < RANDOM.random())).astype(dtype)


SHAPES = [(3, 4), (1, 1), (0, 4), (7, 0), (5, 90), (5, 90), (200, 3)]


# -- NonZero ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8, np.bool_])
@pytest.mark.parametrize("opset", [9, 13])
def test_non_zero(dtype: type, opset: int) -> None:
    model = model_of([helper.make_node("NonZero", ["x"], ["y"])], {"x": (dtype, ["a", "b"])}, ["y"], opset=opset)
    check(model, [{"x": sparse(*shape).astype(dtype)} for shape in SHAPES])


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.int16, np.uint16, np.uint32, np.uint64])
def test_non_zero_of_dtypes_that_the_peer_has_not(dtype: type) -> None:
    session = anydim.InferenceSession(
        model_of([helper.make_node("NonZero", ["x"], ["y"])], {"x": (dtype, ["a", "b"])}, ["y"])
    )
    for shape in SHAPES:
        x = np.abs(sparse(*shape)).astype(dtype)
        assert np.array_equal(session.run(None, {"x": x})[0], np.array(np.nonzero(x)))


def test_non_zero_of_a_scalar_has_no_rows_as_onnx_says() -> None:
    session = anydim.InferenceSession(
        model_of([helper.make_node("NonZero", ["x"], ["y"])], {"x": (np.float32, [])}, ["y"])
    )
    assert session.run(None, {"x": np.array(3, np.float32)})[0].shape == (0, 1)
    assert session.run(None, {"x": np.array(0, np.float32)})[0].shape == (0, 0)


def test_nan_is_not_zero_and_minus_zero_is() -> None:
    model = model_of([helper.make_node("NonZero", ["x"], ["y"])], {"x": (np.float32, ["n"])}, ["y"])
    check(model, [{"x": np.array([0, -0.0, np.nan, 1e-45, np.inf], np.float32)}])


def test_non_zero_of_what_shapes_and_constants_tell_needs_no_stage() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node(
            "ConstantOfShape", ["shape"], ["ones"], value=helper.make_tensor("v", TensorProto.FLOAT, [1], [1.0])
        ),
        helper.make_node("NonZero", ["ones"], ["all"]),
        helper.make_node("NonZero", ["shape"], ["sides"]),
        helper.make_node("NonZero", ["mask"], ["some"]),
    ]
    model = model_of(nodes, {"x": (np.float32, ["a", "b"])}, ["all", "sides", "some"], {"mask": sparse(9, 40)})
    check(model, [{"x": sparse(*shape)} for shape in SHAPES], bounds={"x": [(0, 200), (0, 90)]})


def mask_and_gather() -> bytes:
    """x [n, 3]: the rows whose first element is above 0."""
    nodes = [
        helper.make_node("Gather", ["x", "zero"], ["first"], axis=1),
        helper.make_node("Greater", ["first", "limit"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["found"]),
        helper.make_node("Squeeze", ["found", "front"], ["rows"]),
        helper.make_node("Gather", ["x", "rows"], ["kept"], axis=0),
        helper.make_node("Add", ["kept", "one"], ["y"]),
    ]
    constants = {
        "zero": np.array(0),
        "limit": np.array(0, np.float32),
        "front": np.array([0]),
        "one": np.array(1, np.float32),
    }
    return model_of(nodes, {"x": (np.float32, ["n", 3])}, ["y", "rows"], constants)


@pytest.mark.parametrize("bounded", [False, True])
def test_rows_are_kept_by_a_mask(bounded: bool) -> None:
    feeds = [{"x": sparse(n, 3)} for n in (5, 5, 1, 700, 0, 32, 700, 3)]
    check(mask_and_gather(), feeds, **({"bounds": {"x": [(0, 700), 3]}} if bounded else {}))


# -- Compress --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("opset", [9, 11])
def test_compress_with_conditions_shorter_and_longer_than_the_axis(axis: int | None, opset: int) -> None:
    if axis == -1 and opset == 9:
        pytest.skip("negative axes exist since opset 11")
    named = {} if axis is None else {"axis": axis}
    model = model_of(
        [helper.make_node("Compress", ["x", "c"], ["y"], **named)],
        {"x": (np.float32, ["a", "b"]), "c": (np.bool_, ["k"])},
        ["y"],
        opset=opset,
    )
    check(model, [{"x": sparse(4, 6), "c": RANDOM.random(k) < 0.5} for k in (0, 1, 3, 4, 6, 9, 24, 40)])


# -- Unique ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int8])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("in_order", [0, 1])
def test_unique(dtype: type, axis: int | None, in_order: int) -> None:
    named = {"sorted": in_order} | ({} if axis is None else {"axis": axis})
    names = ["values", "first", "inverse", "counts"]
    model = model_of([helper.make_node("Unique", ["x"], names, **named)], {"x": (dtype, ["a", "b"])}, names, opset=11)
    shapes = [(3, 2), (1, 1), (12, 2), (2, 12), (40, 1), (9, 9), (30, 4)] + ([(0, 3)] if axis in (None, 0) else [])
    check(model, [{"x": sparse(*shape).astype(dtype)} for shape in shapes], bounds={"x": [(0, 64), (0, 64)]})


@pytest.mark.parametrize(
    "wanted", [["values"], ["", "first"], ["", "", "inverse"], ["", "", "", "counts"], ["values", "", "", "counts"]]
)
def test_unique_gives_the_outputs_that_are_asked_for(wanted: list[str]) -> None:
    if not wanted[0]:
        wanted = ["values", *wanted[1:]]  # the first is not optional
    model = model_of(
        [helper.make_node("Unique", ["x"], wanted)], {"x": (np.int64, ["n"])}, [w for w in wanted if w], opset=11
    )
    check(model, [{"x": sparse(n).astype(np.int64)} for n in (4, 30, 0, 30)])


def test_unique_takes_nan_for_one_value_above_all_numbers_as_numpy_does() -> None:
    names = ["values", "first", "inverse", "counts"]
    session = anydim.InferenceSession(
        model_of([helper.make_node("Unique", ["x"], names)], {"x": (np.float32, ["n"])}, names, opset=11)
    )
    for _ in range(20):
        x = RANDOM.choice(np.array([np.nan, 1, -0.0, 0.0, np.inf, -np.inf], np.float32), 30)
        for got, wanted in zip(session.run(None, {"x": x}), np.unique(x, True, True, True), strict=True):
            assert np.array_equal(got, wanted, equal_nan=got.dtype == np.float32)


def test_the_values_of_unique_are_used_by_what_follows() -> None:
    nodes = [
        helper.make_node("Unique", ["x"], ["values", "", "inverse"], sorted=0),
        helper.make_node("Gather", ["values", "inverse"], ["again"]),
        helper.make_node("Shape", ["values"], ["size"]),
        helper.make_node("ConstantOfShape", ["size"], ["ones"]),
    ]
    model = model_of(nodes, {"x": (np.int64, ["n"])}, ["again", "ones"])
    check(model, [{"x": RANDOM.integers(0, 9, n)} for n in (5, 1, 60, 60, 0)])
