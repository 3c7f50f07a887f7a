# SPDX-License-Identifier: Apache-2.0
"""Operators whose result's size only data determines, and sizes that nodes compute: the results are ONNX Runtime's, what is no size is
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


def check(model: bytes, feeds: Sequence[Feeds], **options: Any) -> anydim.InferenceSession:
    """Anydim's results are ONNX Runtime's."""
    mine = anydim.InferenceSession(model, **options)
    peer = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    for feed in feeds:
        for got, wanted in zip(mine.run(None, feed), peer.run(None, feed), strict=True):
            assert got.dtype == wanted.dtype and got.shape == wanted.shape, (got.shape, wanted.shape)
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


def test_non_zero_of_what_shapes_and_constants_determine_needs_no_stage() -> None:
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
    session = check(model, [{"x": sparse(*shape)} for shape in SHAPES], bounds={"x": [(0, 200), (0, 90)]})
    assert len(session.explain({"x": (2, 3)})["stages"]) == 1


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


def test_explain_reports_which_sizes_are_read_and_from_what() -> None:
    session = anydim.InferenceSession(mask_and_gather())
    session.run(None, {"x": np.array([[1, 2, 3], [-1, 0, 0], [4, 5, 6]], np.float32)})
    told = session.explain()
    first, second = told["stages"]
    assert first["reads"] == [] and first["first"] == 0 and first["last"] == second["first"]
    assert second["last"] == len(told["nodes"])
    (read,) = second["reads"]
    assert read["element"] == 0 and read["value"] == 2 and read["most"] == 3
    before = told["nodes"][: first["last"]]
    assert before[-1]["operator"] == "count_non_zero" and before[-1]["outputs"][0]["name"] == read["tensor"]
    assert all(n["engine"] == "cpu" for n in told["nodes"])


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


@pytest.mark.parametrize("passes", ["all", "exact", "none"])
@pytest.mark.parametrize("dtype", [np.int16, np.float16, np.float32], ids=lambda t: t.__name__)
def test_a_size_is_read_from_what_passes_have_made_a_constant(dtype: type, passes: str) -> None:
    nodes = [
        helper.make_node("Cast", ["numbers"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Gather", ["whole", "first"], ["size"]),
        helper.make_node("ConstantOfShape", ["size"], ["y"]),
    ]
    constants = {"numbers": np.array([3, 4, 5], dtype), "first": np.array([0])}
    check(model_of(nodes, {}, ["y"], constants), [{}, {}], passes=passes)


# -- Range -----------------------------------------------------------------------------------------------------------


def computed_range(dtype: type, constants: dict[str, float]) -> bytes:
    """Range whose start, limit and delta are sums of an input's elements, or constants."""
    nodes, names = [], []
    for name in ("start", "limit", "delta"):
        if name in constants:
            names.append(f"{name}_constant")
        else:
            nodes.append(helper.make_node("ReduceSum", [name, "axes"], [f"{name}_sum"], keepdims=0))
            names.append(f"{name}_sum")
    nodes.append(helper.make_node("Range", names, ["y"]))
    inputs = {n: (dtype, ["k"]) for n in ("start", "limit", "delta") if n not in constants}
    kept = {f"{n}_constant": np.array(v, dtype) for n, v in constants.items()}
    return model_of(nodes, inputs, ["y"], {"axes": np.array([0]), **kept})


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.float64])
@pytest.mark.parametrize(
    "constants",
    [
        {},
        {"start": 0, "delta": 1},
        {"start": -1.25, "delta": 0.3},
        {"delta": -0.7},
        {"limit": 5},
        {"start": 2, "limit": -9.5},
    ],
    ids=lambda c: "_".join(c) or "none",
)
def test_range_between_numbers_that_nodes_compute(dtype: type, constants: dict[str, float]) -> None:
    integers = not np.issubdtype(dtype, np.floating)
    if integers and any(v != int(v) for v in constants.values()):
        constants = {n: int(np.sign(v) * np.ceil(abs(v))) for n, v in constants.items()}
    model = computed_range(dtype, constants)
    feeds = []
    for _ in range(30):
        draw = {n: RANDOM.integers(-40, 40) if integers else RANDOM.normal() * 9 for n in ("start", "limit")}
        draw["delta"] = RANDOM.choice([-3, -2, -1, 1, 2, 7]) if integers else RANDOM.normal() + RANDOM.choice([-2, 2])
        feeds.append({n: np.array([v], dtype) for n, v in draw.items() if n not in constants})
    if integers:
        check(model, feeds)
        return
    # The peer adds the delta again and again: it defines how many elements there are, docs/numerics.md (section 7) which,
    # where no scale and shift become one operation (section 8).
    mine = anydim.InferenceSession(model, passes="exact")
    peer = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    for feed in feeds:
        (got,), (wanted,) = mine.run(None, feed), peer.run(None, feed)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        start, delta = (feed[n][0] if n in feed else dtype(constants[n]) for n in ("start", "delta"))
        np.testing.assert_array_equal(got, start + np.arange(len(got)).astype(dtype) * delta)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_a_range_by_zero_or_to_nowhere_is_refused_and_the_next_run_is_right(dtype: type) -> None:
    session = anydim.InferenceSession(computed_range(dtype, {}))
    bad = [(0, 5, 0), (0, 0, 0)] + ([] if dtype is np.int64 else [(0, np.nan, 1), (0, np.inf, 1), (np.nan, 1, 1)])
    for start, limit, delta in bad:
        feed = {"start": np.array([start], dtype), "limit": np.array([limit], dtype), "delta": np.array([delta], dtype)}
        with pytest.raises(anydim.Error):
            session.run(None, feed)
        feed = {"start": np.array([1], dtype), "limit": np.array([4], dtype), "delta": np.array([2], dtype)}
        assert session.run(None, feed)[0].tolist() == [1, 3]


def test_int16_ranges_are_computed_too() -> None:
    check(cast_range(), [{"n": np.array([n])} for n in (0, 3, -2, 30)])


def cast_range() -> bytes:
    nodes = [
        helper.make_node("ReduceMax", ["n"], ["m"], keepdims=0),
        helper.make_node("Cast", ["m"], ["limit"], to=TensorProto.INT16),
        helper.make_node("Range", ["zero", "limit", "two"], ["y"]),
    ]
    return model_of(
        nodes, {"n": (np.int64, ["k"])}, ["y"], {"zero": np.array(0, np.int16), "two": np.array(2, np.int16)}
    )


# -- attributes that nodes compute ---------------------------------------------------------------------------------------
# `n` [k] has too many dims to be followed: its elements are numbers that only a run knows.


def from_numbers(
    nodes: list[onnx.NodeProto], outputs: list[str], more: dict[str, Any] | None = None, x: Any = ("a", "b")
) -> bytes:
    """`p` is the sum of the columns of n [k, 2]: two numbers that a node computes; `q` is the first as a scalar."""
    first = [
        helper.make_node("ReduceSum", ["n", "axes"], ["p"], keepdims=0),
        helper.make_node("Gather", ["p", "at"], ["q"]),
    ]
    return model_of(
        [*first, *nodes],
        {"x": (np.float32, x), "n": (np.int64, ["k", 2])},
        outputs,
        {"axes": np.array([0]), "at": np.array(0), **(more or {})},
    )


def given(*rows: tuple[int, int]) -> Array:
    return np.array(rows, np.int64)


COMPUTED: dict[str, tuple[bytes, list[Feeds]]] = {
    "Reshape": (
        from_numbers([helper.make_node("Reshape", ["x", "p"], ["y"])], ["y"]),
        [{"x": sparse(4, 6), "n": given(p)} for p in ((8, 3), (24, 1), (-1, 12), (0, 6), (4, -1))],
    ),
    "Reshape to twice a number": (
        from_numbers(
            [helper.make_node("Mul", ["p", "two"], ["t"]), helper.make_node("Reshape", ["x", "t"], ["y"])],
            ["y"],
            {"two": np.array([2, 1])},
        ),
        [{"x": sparse(4, 6), "n": given(p)} for p in ((4, 3), (12, 1), (2, -1), (3, 4))],
    ),
    "Expand": (
        from_numbers([helper.make_node("Expand", ["x", "p"], ["y"])], ["y"], x=(1, "b")),
        [{"x": sparse(1, 6), "n": given(p)} for p in ((8, 6), (1, 1), (3, 1), (0, 6))],
    ),
    "Tile": (
        from_numbers([helper.make_node("Tile", ["x", "p"], ["y"])], ["y"]),
        [{"x": sparse(2, 3), "n": given(p, (0, 1))} for p in ((1, 0), (2, 2), (0, 1), (3, 0))],
    ),
    "Pad": (
        from_numbers(
            [helper.make_node("Concat", ["p", "p"], ["pads"], axis=0), helper.make_node("Pad", ["x", "pads"], ["y"])],
            ["y"],
        ),
        [{"x": sparse(5, 6), "n": given(p)} for p in ((0, 0), (2, 1), (-1, 3), (-2, -2))],
    ),
    "Pad by reflection": (
        from_numbers(
            [
                helper.make_node("Concat", ["p", "p"], ["pads"], axis=0),
                helper.make_node("Pad", ["x", "pads"], ["y"], mode="reflect"),
            ],
            ["y"],
        ),
        [{"x": sparse(5, 6), "n": given(p)} for p in ((0, 0), (2, 1), (4, 3))],
    ),
    "TopK": (
        from_numbers(
            [
                helper.make_node("Reshape", ["q", "one"], ["k1"]),
                helper.make_node("TopK", ["x", "k1"], ["y", "i"], axis=1),
            ],
            ["y", "i"],
            {"one": np.array([1])},
        ),
        [{"x": RANDOM.normal(size=(4, 9)).astype(np.float32), "n": given((k, 7))} for k in (0, 1, 5, 9)],
    ),
    "Slice": (
        from_numbers(
            [helper.make_node("Reshape", ["q", "one"], ["s"]), helper.make_node("Slice", ["x", "s", "end"], ["y"])],
            ["y"],
            {"one": np.array([1]), "end": np.array([100])},
        ),
        [{"x": sparse(7, 3), "n": given((s, 0))} for s in (0, 2, -2, 9, -30)],
    ),
    "Split": (
        from_numbers([helper.make_node("Split", ["x", "p"], ["y", "z"], axis=0)], ["y", "z"]),
        [{"x": sparse(7, 3), "n": given(p)} for p in ((3, 4), (0, 7), (7, 0))],
    ),
    "ConstantOfShape": (
        from_numbers([helper.make_node("ConstantOfShape", ["p"], ["y"])], ["y"]),
        [{"x": sparse(1, 1), "n": given(p)} for p in ((3, 4), (0, 7), (1, 1))],
    ),
    "Trilu": (
        from_numbers([helper.make_node("Trilu", ["x", "q"], ["y"])], ["y"]),
        [{"x": sparse(5, 6) + 1, "n": given((k, 0))} for k in (0, 2, -3, 20, -20)],
    ),
    "OneHot": (
        from_numbers(
            [helper.make_node("OneHot", ["i", "q", "values"], ["y"])],
            ["y"],
            {"i": np.array([0, 2, -1]), "values": np.array([0.5, 2], np.float32)},
        ),
        [{"x": sparse(1, 1), "n": given((d, 0))} for d in (3, 1, 9)],
    ),
    "OneHot of a real depth": (
        from_numbers(
            [
                helper.make_node("Cast", ["q"], ["d"], to=TensorProto.FLOAT),
                helper.make_node("OneHot", ["i", "d", "values"], ["y"]),
            ],
            ["y"],
            {"i": np.array([0, 2, -1]), "values": np.array([0.5, 2], np.float32)},
        ),
        [{"x": sparse(1, 1), "n": given((d, 0))} for d in (3, 1, 9)],
    ),
    "Resize": (
        from_numbers(
            [
                helper.make_node("Concat", ["ones", "p"], ["sizes"], axis=0),
                helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="nearest"),
            ],
            ["y"],
            {"ones": np.array([1, 1])},
            x=(1, 1, "a", "b"),
        ),
        [{"x": sparse(1, 1, 4, 6), "n": given(p)} for p in ((8, 3), (4, 6), (1, 1), (5, 13))],
    ),
    "CumSum": (
        from_numbers([helper.make_node("CumSum", ["x", "q"], ["y"])], ["y"]),
        [{"x": sparse(4, 5), "n": given((a, 0))} for a in (0, 1, -1)],
    ),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_attributes_that_nodes_compute(name: str) -> None:
    model, feeds = COMPUTED[name]
    check(model, feeds)


REFUSED: dict[str, tuple[str, Array]] = {
    "more than the axis has": ("TopK", given((10, 0))),
    "fewer than none": ("TopK", given((-1, 0))),
    "a size below 0": ("ConstantOfShape", given((-3, 4))),
    "a depth below 0": ("OneHot", given((-1, 0))),
    "other elements": ("Reshape", given((5, 5))),
    "parts that are not the whole": ("Split", given((3, 3))),
    "repeats below 0": ("Tile", given((-1, 1))),
}


@pytest.mark.parametrize("why", REFUSED)
def test_numbers_that_no_size_can_be_are_refused_and_the_next_run_is_right(why: str) -> None:
    name, n = REFUSED[why]
    model, feeds = COMPUTED[name]
    session = anydim.InferenceSession(model)
    wanted = session.run(None, feeds[1])
    with pytest.raises(anydim.Error):
        session.run(None, {**feeds[1], "n": n})
    for got, same in zip(session.run(None, feeds[1]), wanted, strict=True):
        assert np.array_equal(got, same)


def test_a_computed_k_is_bounded_by_the_axis() -> None:
    model, feeds = COMPUTED["TopK"]
    session = check(model, feeds, bounds={"x": [(1, 4), (1, 9)], "n": [(0, 3), 2]})
    assert session.bytes_needed > 0


def test_a_tensor_of_undeclared_length_may_be_data_and_sizes_of_one_node() -> None:
    node = onnx.helper.make_node("Resize", ["s", "", "", "s"], ["y"], mode="nearest")
    value = [onnx.helper.make_tensor_value_info("s", onnx.TensorProto.INT64, [None])]
    result = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT64, None)]
    graph = onnx.helper.make_graph([node], "itself", value, result)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8)
    session = anydim.InferenceSession(model.SerializeToString())
    for size in (3, 1, 5):
        (y,) = session.run(None, {"s": np.array([size])})
        assert y.tolist() == [size] * size
