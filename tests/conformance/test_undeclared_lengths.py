# SPDX-License-Identifier: Apache-2.0
"""Vectors whose length no model declares, though the node fixes it: read as if they had it, and checked in each run."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnx.reference
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

Array = NDArray[Any]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def numbers(*values: Any) -> Array:
    return np.array(values, np.int64)


# operator, its inputs behind x ("" for an absent one), their declared dims, attributes, the right length and one more, result.
ROWS: dict[str, tuple[list[str], dict[str, list[str]], dict[str, Any], dict[str, Array], dict[str, Array], Array]] = {
    "Tile": (["r"], {"r": ["k"]}, {}, {"r": numbers(2, 1)}, {"r": numbers(2, 1, 1)}, np.tile(X, (2, 1))),
    "Pad": (["p"], {"p": ["k"]}, {}, {"p": numbers(1, 0, 0, 2)}, {"p": numbers(1, 0)}, np.pad(X, ((1, 0), (0, 2)))),
    "CenterCropPad": (["s"], {"s": ["k"]}, {}, {"s": numbers(2, 1)}, {"s": numbers(2)}, X[:, 1:2]),
    "Resize": (
        ["", "", "s"],
        {"s": ["k"]},
        {"mode": "nearest"},
        {"s": numbers(4, 3)},
        {"s": numbers(4)},
        np.repeat(X, 2, axis=0),
    ),
    "ScatterND": (
        ["i", "u"],
        {"i": ["n", "k"], "u": ["n", "m"]},
        {},
        {"i": numbers([1]), "u": np.ones((1, 3), np.float32)},
        {"i": numbers([1, 1]), "u": np.ones((1, 3), np.float32)},
        np.array([X[0], [1, 1, 1]], np.float32),
    ),
    "GatherND": (
        ["i"],
        {"i": ["n", "m", "k"]},
        {"batch_dims": 1},
        {"i": numbers([[1]], [[2]])},
        {"i": numbers([[1, 1]], [[2, 2]])},
        np.array([[1], [5]], np.float32),
    ),
    "SplitToSequence": (["s"], {"s": ["k"]}, {"axis": 1}, {"s": numbers(1, 1, 1)}, {"s": numbers(1, 1)}, X[:, 1:2]),
}


@pytest.mark.parametrize("dims", ([2, 3], ["a", "b"]), ids=("numbers", "dynamic"))
@pytest.mark.parametrize("operator", ROWS)
def test_an_undeclared_length_is_the_one_that_the_node_needs(operator: str, dims: list[int | str]) -> None:
    names, declared, attributes, feeds, wrong, expected = ROWS[operator]
    split = operator == "SplitToSequence"
    nodes = [helper.make_node(operator, ["x", *names], ["q" if split else "y"], **attributes)]
    if split:
        nodes.append(helper.make_node("SequenceAt", ["q", "one"], ["y"]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)]
    for name, shape in declared.items():
        kind = helper.np_dtype_to_tensor_dtype(feeds[name].dtype)
        inputs.append(helper.make_tensor_value_info(name, kind, shape))
    graph = helper.make_graph(
        nodes,
        "undeclared",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(np.array(1), "one")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = anydim.InferenceSession(made.SerializeToString())
    assert np.array_equal(session.run(None, {"x": X, **feeds})[0], expected)
    with pytest.raises(anydim.InvalidArgumentError, match="cannot run at these dims"):
        session.run(None, {"x": X, **wrong})


def drawn(*dims: int, dtype: str = "float32") -> Array:
    return np.random.default_rng(sum(dims)).standard_normal(dims).astype(dtype)


def floats(*values: float) -> Array:
    return np.array(values, np.float32)


HEADS = {"q_num_heads": 2, "kv_num_heads": 2}
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
CORNERS = np.array([[[[5, 7], [13, 15]]]])
PADDED = {"kernel_shape": [2, 2], "strides": [2, 2]}
# operator, opset, inputs (None: absent), attributes, outputs; "!" before an input's name: its dims are declared. Each is loaded with all
# dims declared as numbers and with none; what it gives is the same.
FREE: dict[str, tuple[str, int, dict[str, Array | None], dict[str, Any], list[str]]] = {
    "Trilu": ("Trilu", 18, {"x": X, "k": numbers(1)}, {}, ["y"]),
    "OneHot": ("OneHot", 18, {"x": numbers(1, 0, 2), "depth": numbers(4), "v": floats(0, 1)}, {}, ["y"]),
    "Range": ("Range", 18, {"a": numbers(1), "b": numbers(9), "c": numbers(2)}, {}, ["y"]),
    "Split": ("Split", 18, {"x": X, "s": numbers(1, 2)}, {"axis": 1}, ["y", "z"]),
    "Slice by axes": ("Slice", 18, {"x": X, "s": numbers(1), "e": numbers(3), "!a": numbers(1)}, {}, ["y"]),
    "Slice by starts": (
        "Slice",
        18,
        {"x": X, "!s": numbers(0), "!e": numbers(3), "a": numbers(1), "t": numbers(2)},
        {},
        ["y"],
    ),
    "Pad along axes": ("Pad", 18, {"x": X, "p": numbers(1, 2), "v": None, "!a": numbers(1)}, {}, ["y"]),
    "Pad by pads": ("Pad", 18, {"x": X, "!p": numbers(1, 2), "v": None, "a": numbers(1)}, {}, ["y"]),
    "Resize by scales": ("Resize", 18, {"x": X, "roi": None, "s": floats(1, 2)}, {"mode": "linear"}, ["y"]),
    "Resize of a region": (
        "Resize",
        18,
        {"x": X, "roi": floats(0, 0, 1, 0.75), "s": floats(2, 1)},
        {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"},
        ["y"],
    ),
    "AffineGrid": ("AffineGrid", 20, {"!t": drawn(1, 2, 3), "s": numbers(1, 1, 3, 4)}, {}, ["y"]),
    "Col2Im": ("Col2Im", 18, {"!x": drawn(1, 4, 9), "i": numbers(4, 4), "!b": numbers(2, 2)}, {}, ["y"]),
    "MaxUnpool": ("MaxUnpool", 18, {"!x": drawn(1, 1, 2, 2), "!i": CORNERS, "s": numbers(1, 1, 5, 5)}, PADDED, ["y"]),
    "DFT of real numbers": ("DFT", 20, {"x": drawn(2, 5, 1)}, {}, ["y"]),
    "DFT of complex numbers": ("DFT", 20, {"x": drawn(2, 5, 2)}, {}, ["y"]),
    "DFT, half of it": ("DFT", 20, {"x": drawn(2, 5, 1)}, {"onesided": 1}, ["y"]),
    "DFT back": ("DFT", 20, {"x": drawn(2, 5, 2), "n": numbers(8)}, {"onesided": 1, "inverse": 1}, ["y"]),
    "DFT along an axis": ("DFT", 20, {"x": drawn(2, 5, 2), "n": numbers(7), "a": numbers(0)}, {}, ["y"]),
    "DFT of old opsets": ("DFT", 17, {"x": drawn(2, 5, 1), "n": numbers(4)}, {"axis": 1}, ["y"]),
    "STFT": ("STFT", 17, {"x": drawn(2, 9, 1), "s": numbers(2), "w": drawn(4)}, {}, ["y"]),
    "STFT of complex numbers": (
        "STFT",
        17,
        {"x": drawn(2, 9, 2), "s": numbers(2), "w": None, "n": numbers(4)},
        {"onesided": 0},
        ["y"],
    ),
    "Attention": ("Attention", 23, {"q": drawn(1, 2, 3, 4), "k": drawn(1, 2, 5, 4), "v": drawn(1, 2, 5, 6)}, {}, ["y"]),
    "Attention of packed heads": (
        "Attention",
        23,
        {"q": drawn(1, 3, 8), "k": drawn(1, 5, 8), "v": drawn(1, 5, 8)},
        {**HEADS, "is_causal": 1},
        ["y"],
    ),
    "Attention with scores": (
        "Attention",
        23,
        {"q": drawn(1, 3, 8), "k": drawn(1, 5, 8), "v": drawn(1, 5, 8)},
        {**HEADS, "qk_matmul_output_mode": 2},
        ["y", "", "", "scores"],
    ),
    "LinearAttention": (
        "LinearAttention",
        27,
        {"q": drawn(1, 3, 8), "k": drawn(2, 3, 4)[:1].repeat(2, 2), "v": drawn(1, 3, 8)},
        {**HEADS, "update_rule": "linear"},
        ["y"],
    ),
}


def loaded(name: str, free: bool) -> anydim.InferenceSession:
    operator, opset, inputs, attributes, outputs = FREE[name]
    node = helper.make_node(operator, [k.lstrip("!") if v is not None else "" for k, v in inputs.items()], outputs)
    node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
    declared = [
        helper.make_tensor_value_info(
            k.lstrip("!"),
            helper.np_dtype_to_tensor_dtype(v.dtype),
            [f"{k}{i}" for i in range(v.ndim)] if free and k[0] != "!" else v.shape,
        )
        for k, v in inputs.items()
        if v is not None
    ]
    graph = helper.make_graph([node], "free", declared, [helper.make_empty_tensor_value_info(o) for o in outputs if o])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return anydim.InferenceSession(made.SerializeToString())


@pytest.mark.parametrize("name", FREE)
def test_dims_that_no_model_declares_change_no_result(name: str) -> None:
    feeds = {k.lstrip("!"): v for k, v in FREE[name][2].items() if v is not None}
    want, got = (loaded(name, free).run(None, feeds) for free in (False, True))
    # A head size that a run knows scales the queries, and one of the model their products.
    close = np.allclose if "Attention" in name else np.array_equal
    assert all(a.shape == b.shape and close(a, b) for a, b in zip(want, got, strict=True))


TAILS: dict[str, list[onnx.NodeProto]] = {
    "output": [helper.make_node("Identity", ["g"], ["y"])],
    "sum": [helper.make_node("ReduceSum", ["g"], ["y"], keepdims=0)],
    "square": [helper.make_node("Relu", ["g"], ["r"]), helper.make_node("Mul", ["r", "r"], ["y"])],
}


@pytest.mark.parametrize("batch", (0, 1))
@pytest.mark.parametrize("tail", TAILS)
def test_gather_nd_gives_the_rank_that_a_run_finds(tail: str, batch: int) -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 3
    graph = helper.make_graph(
        [helper.make_node("GatherND", ["x", "i"], ["g"], batch_dims=batch), *TAILS[tail]],
        "gather",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b", "c"]),
            helper.make_tensor_value_info("i", TensorProto.INT64, ["n", "k"]),
        ],
        [helper.make_empty_tensor_value_info("y")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = anydim.InferenceSession(made.SerializeToString())
    for width in (*range(1, 4 - batch), 1):
        for n in (2, 2 if batch else 5):
            i = np.random.default_rng(width).integers(0, 2, (n, width))
            got = session.run(None, {"x": x, "i": i})[0]
            want = onnx.reference.ReferenceEvaluator(made).run(None, {"x": x, "i": i})[0]
            assert got.shape == want.shape and np.allclose(got, want)
    for width in (0, 4 - batch):
        with pytest.raises(anydim.InvalidArgumentError, match="cannot run at these dims"):
            session.run(None, {"x": x, "i": np.zeros((2, width), np.int64)})


@pytest.mark.parametrize("parts", (0, 3))
def test_a_signal_has_one_or_two_parts(parts: int) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="the last dim of the signal, x2, is 1 or 2"):
        loaded("DFT of real numbers", True).run(None, {"x": drawn(2, 5, parts)})


def test_one_number_in_a_vector_of_two_is_refused() -> None:
    with pytest.raises(anydim.InvalidArgumentError, match="cannot run at these dims"):
        loaded("Trilu", True).run(None, {"x": X, "k": numbers(1, 2)})


def split_by(sizes: list[onnx.NodeProto], inputs: dict[str, int]) -> anydim.InferenceSession:
    graph = helper.make_graph(
        [
            *sizes,
            helper.make_node("SplitToSequence", ["x", "s"], ["q"], axis=0),
            helper.make_node("ConcatFromSequence", ["q"], ["y"], axis=1),
        ],
        "split",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])]
        + [helper.make_tensor_value_info(name, kind, ["k"]) for name, kind in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return anydim.InferenceSession(made.SerializeToString())


def test_a_sequence_is_split_by_one_number_that_is_repeated_as_often_as_a_run_says() -> None:
    """As torch exports repeat_interleave."""
    one = onnx.numpy_helper.from_array(np.array([1]))
    sizes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("ConstantOfShape", ["n"], ["s"], value=one),
    ]
    session = split_by(sizes, {})
    for n in (1, 2, 5):
        x = np.arange(3 * n, dtype=np.float32).reshape(n, 3)
        assert np.array_equal(session.run(None, {"x": x})[0], x.reshape(1, -1))


def test_sizes_of_unknown_number_are_equal_or_the_run_says_so() -> None:
    session = split_by([], {"s": TensorProto.INT64})
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert np.array_equal(session.run(None, {"x": x, "s": numbers(2, 2)})[0], np.concatenate([x[:2], x[2:]], axis=1))
    with pytest.raises(anydim.UnimplementedError, match="of which only a run knows the number, are equal"):
        session.run(None, {"x": x, "s": numbers(1, 3)})


def test_messages_name_what_the_model_has_and_not_the_steps_of_a_node() -> None:
    """NonZero is counted by a step of its own; a slice's size is an expression over all that it follows from."""

    def refusal(nodes: list[onnx.NodeProto], feeds: dict[str, Array]) -> str:
        inputs = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(v.dtype), ["a", 3] if v.ndim == 2 else [1]
            )
            for name, v in feeds.items()
        ]
        target = onnx.numpy_helper.from_array(numbers(2, 4), "target")
        graph = helper.make_graph(
            [*nodes, helper.make_node("Reshape", ["q", "target"], ["y"])],
            "named",
            inputs,
            [helper.make_empty_tensor_value_info("y")],
            [target],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        with pytest.raises(anydim.InvalidArgumentError) as caught:
            anydim.InferenceSession(made.SerializeToString()).run(None, feeds)
        return str(caught.value)

    assert "2*the count of q is equal to 8" in refusal([helper.make_node("NonZero", ["x"], ["q"])], {"x": X})
    told = refusal([helper.make_node("Slice", ["x", "s", "e"], ["q"])], {"x": X, "s": numbers(0), "e": numbers(1)})
    assert "a size that follows from a, s[0], e[0] is equal to 8" in told and "select" not in told
