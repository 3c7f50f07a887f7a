# SPDX-License-Identifier: Apache-2.0
"""Strings that are made of numbers and read as such, and strings in the bodies of branches and loops, beside ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from learned import DOMAIN, FLOAT, INT64, STRING
from onnx import TensorProto, helper
from test_strings import BOOL, SEED, agree, info, model

# --- Cast ------------------------------------------------------------------------------------------------------------

FLOAT16, DOUBLE, BF16 = TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16
INTEGERS = [getattr(TensorProto, f"{u}INT{bits}") for u in ("", "U") for bits in (8, 16, 32, 64)]


def text(name: str, *values: str) -> onnx.TensorProto:
    made: list[Any] = [v.encode() for v in values]
    return helper.make_tensor(name, STRING, [len(made)], made)


def cast_model(source: int, to: int, opset: int = 21) -> bytes:
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=to)], "cast", [info("x", source, [None])], [info("y", to, [None])]
    )
    data: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10
    ).SerializeToString()
    return data


@pytest.mark.parametrize("opset", [9, 13, 19, 21, 23, 25])
@pytest.mark.parametrize("source", [FLOAT, DOUBLE, FLOAT16, BOOL, *INTEGERS])
def test_strings_of_numbers_are_onnxruntimes(source: int, opset: int) -> None:
    print("seed", SEED)
    r = np.random.default_rng([SEED, source, opset])
    dtype = helper.tensor_dtype_to_np_dtype(source)
    x = r.integers(0, 256, 400 * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind == "b":
        x = r.integers(0, 2, 400) > 0
    elif dtype.kind == "f":
        special = np.array([0, -0.0, 1, 1.5, 0.1, 1 / 3, 1e-5, np.nan, np.inf, -np.inf, 99999999.5], dtype)
        x = np.concatenate([x, special, r.normal(size=200).astype(dtype)])
    agree(cast_model(source, STRING, opset), {"x": x})


NUMBERS = ["1", "+1", " 1", "1 ", "1.5", "-2.7", "1e3", "1E-5", "INF", "+INF", "-inf", "NaN", "nan", "-nan", "infinity", ".5", "5.",
           "0.97684866", "1e-45", "\t7\n", "00012", "-0", "3.4028236e38", "100000000000000000000000"]  # fmt: skip
NO_NUMBERS = ["", " ", "abc", "1abc", "1e", "0x10", "1_000", "1,5", "--1", "1 2", "é", "1\0", "1" * 500 + "x"]


@pytest.mark.parametrize("to", [FLOAT, DOUBLE, FLOAT16])
def test_floats_of_strings_are_onnxruntimes(to: int) -> None:
    r = np.random.default_rng([SEED, to])
    drawn_ones = [
        f"{v:.{r.integers(0, 18)}{r.choice(['e', 'f', 'g'])}}"
        for v in r.normal(size=300) * 10.0 ** r.integers(-20, 20, 300)
    ]
    print("seed", SEED)
    agree(cast_model(STRING, to), {"x": np.array(NUMBERS + drawn_ones, object)})


@pytest.mark.parametrize("to", [BOOL, *INTEGERS])
def test_integers_of_strings_are_onnxruntimes(to: int) -> None:
    r = np.random.default_rng([SEED, to])
    dtype = helper.tensor_dtype_to_np_dtype(to)
    ends: Any = [0, 1] if to == BOOL else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    texts = ["1", " +1", "0", "-0", "1.9", "5.", "007\n", *map(str, ends)]
    texts += [str(v) for v in r.integers(ends[0], ends[1], 50, dtype if to != BOOL else np.int64, endpoint=True)]
    agree(cast_model(STRING, to), {"x": np.array(texts, object)})


def test_floats_beyond_the_range_are_numpys() -> None:
    x = ["1e400", "-1e400", "1e-400", "1e39", "4.9e-324"]
    for to, dtype in ((FLOAT, np.float32), (DOUBLE, np.float64)):
        got = anydim.InferenceSession(cast_model(STRING, to)).run(None, {"x": np.array(x, object)})[0]
        with np.errstate(over="ignore"):
            assert got.tolist() == np.array([float(t) for t in x]).astype(dtype).tolist()


@pytest.mark.parametrize("to", [FLOAT, DOUBLE, FLOAT16, BF16, BOOL, *INTEGERS])
def test_a_string_that_is_no_number_is_named(to: int) -> None:
    session = anydim.InferenceSession(cast_model(STRING, to))
    bad = [*NO_NUMBERS, *(["1e3", "inf", "99999999999999999999"] if to not in (FLOAT, DOUBLE, FLOAT16, BF16) else [])]
    for text in bad:
        with pytest.raises(anydim.InvalidDataError) as refused:
            session.run(None, {"x": np.array(["1", "0", text, "zz"], object)})
        shown = text[:20].rstrip("\0")
        assert f"'{shown}" in str(refused.value), str(refused.value)
    assert session.run(None, {"x": np.array(["1", "0"], object)})[0].astype(float).tolist() == [1, 0]


def test_integers_beyond_a_dtype_are_refused() -> None:
    for to, text in (
        (TensorProto.INT8, "128"),
        (TensorProto.UINT8, "-1"),
        (TensorProto.UINT16, "65536"),
        (TensorProto.INT32, "3000000000"),
    ):
        with pytest.raises(anydim.InvalidDataError, match="beyond the range"):
            anydim.InferenceSession(cast_model(STRING, to)).run(None, {"x": np.array([text], object)})


def test_casts_join_and_cut_like_other_strings() -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["s"], to=STRING),
        helper.make_node("StringConcat", ["s", "dot"], ["t"]),
        helper.make_node("StringConcat", ["t", "s"], ["u"]),
        helper.make_node("Cast", ["u"], ["y"], to=FLOAT),
        helper.make_node("CastLike", ["y", "dot"], ["z"]),
        helper.make_node("CastLike", ["z", "x"], ["w"]),
        helper.make_node("Cast", ["z"], ["v"], to=STRING),
    ]
    x = np.array([[3, 14], [0, 7]], np.int64)
    dot = text("dot", ".")
    outputs = {"u": STRING, "y": FLOAT, "z": STRING, "w": INT64, "v": STRING}
    got = anydim.InferenceSession(model(nodes, {"x": x}, outputs, [dot])).run(None, {"x": x})
    assert got[0].tolist() == [["3.3", "14.14"], ["0.0", "7.7"]]
    assert np.allclose(got[1], [[3.3, 14.14], [0, 7.7]])
    assert got[2].tolist() == got[4].tolist() == [["3.3", "14.14"], ["0", "7.6999998"]]  # eight digits of the float32
    assert got[3].tolist() == x.tolist()


def test_strings_have_a_shape_and_a_size() -> None:
    nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Size", ["x"], ["n"])]
    for shape in ((2, 3), (0, 4)):
        feeds = {"x": np.full(shape, "ash", object)}
        agree(model(nodes, feeds, {"s": INT64, "n": INT64}), feeds)


def test_known_strings_are_cast_when_the_model_is_loaded() -> None:
    nodes = [
        helper.make_node("Cast", ["c"], ["n"], to=FLOAT),
        helper.make_node("Mul", ["x", "n"], ["y"]),
    ]
    x = np.array([2.0, 3.0], np.float32)
    data = model(nodes, {"x": x}, {"y": FLOAT}, [text("c", "1.5", "-2")])
    assert anydim.InferenceSession(data).run(None, {"x": x})[0].tolist() == [3, -6]
    bad = model(nodes, {"x": x}, {"y": FLOAT}, [text("c", "1.5", "ash")])
    with pytest.raises(anydim.Error, match="'ash'"):
        anydim.InferenceSession(bad).run(None, {"x": x})


# --- bodies ----------------------------------------------------------------------------------------------------------


def body(
    nodes: list[Any], inputs: Sequence[Any], outputs: Sequence[Any], initializers: Sequence[Any] = ()
) -> onnx.GraphProto:
    return helper.make_graph(nodes, "body", list(inputs), list(outputs), list(initializers))


def test_branches_read_and_give_strings() -> None:
    joined = body(
        [helper.make_node("StringConcat", ["x", "s"], ["r"])], [], [info("r", STRING, None)], [text("s", "!")]
    )
    fixed = body([helper.make_node("Identity", ["k"], ["q"])], [], [info("q", STRING, None)])
    nodes = [
        helper.make_node("If", ["b"], ["y"], then_branch=joined, else_branch=fixed),
        helper.make_node("StringConcat", ["y", "y"], ["z"]),
    ]
    x = np.array(["ash", "é", ""], object)
    feeds = {"x": x, "b": np.array(True)}
    data = model(nodes, feeds, {"y": STRING, "z": STRING}, [text("k", "one", "two")])
    assert agree(data, feeds)[1].tolist() == ["ash!ash!", "é!é!", "!!"]
    agree(data, {**feeds, "b": np.array(False)})


def test_branches_choose_among_known_strings() -> None:
    """No bytes are needed: numbers of texts go through."""
    branches = [
        body([], [], [info(n, STRING, None)], [text(n, *v)]) for n, v in (("p", ("ash", "elm")), ("q", ("oak",)))
    ]
    nodes = [
        helper.make_node("If", ["b"], ["y"], then_branch=branches[0], else_branch=branches[1]),
        helper.make_node(
            "LabelEncoder",
            ["y"],
            ["n"],
            domain=DOMAIN,
            keys_strings=["oak", "ash", "elm"],
            values_int64s=[7, 8, 9],
            default_int64=-1,
        ),
    ]
    for flag in (True, False):
        agree(model(nodes, {"b": np.array(flag)}, {"y": STRING, "n": INT64}), {"b": np.array(flag)})


def loop_body(
    nodes: list[Any], carried: Sequence[str], outputs: Sequence[tuple[str, int]], initializers: Sequence[Any] = ()
) -> onnx.GraphProto:
    inputs = [info("i", INT64, []), info("on", BOOL, []), *(info(c, STRING, None) for c in carried)]
    made = [helper.make_node("Identity", ["on"], ["go"]), *nodes]
    return body(made, inputs, [info("go", BOOL, []), *(info(n, k, None) for n, k in outputs)], initializers)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_loops_carry_and_stack_strings(count: int) -> None:
    nodes = [
        helper.make_node("StringConcat", ["h", "x"], ["next"]),
        helper.make_node("Gather", ["x", "i"], ["picked"]),
        helper.make_node("StringConcat", ["picked", "dash"], ["made"]),
        helper.make_node("Identity", ["dash"], ["known"]),
    ]
    outputs = [("next", STRING), ("picked", STRING), ("made", STRING), ("known", STRING)]
    loop = loop_body(nodes, ["h"], outputs, [text("dash", "-")])
    top = [
        helper.make_node("Loop", ["n", "", "x"], ["a", "b", "c", "d"], body=loop),
        helper.make_node("StringConcat", ["a", "a"], ["e"]),
    ]
    feeds = {"x": np.array(["ash", "é", "", "oak"], object), "n": np.array(count, np.int64)}
    names = {n: STRING for n in "abcde"}
    ours = anydim.InferenceSession(model(top, feeds, names)).run(None, feeds)
    theirs = onnxruntime.InferenceSession(model(top, feeds, names), providers=["CPUExecutionProvider"]).run(None, feeds)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.tolist() == other.tolist()
    assert ours[0].tolist() == [t * (count + 1) for t in feeds["x"]]


def test_loops_carry_known_strings_as_numbers() -> None:
    loop = loop_body(
        [helper.make_node("Where", ["on", "k", "h"], ["next"])], ["h"], [("next", STRING)], [text("k", "elm")]
    )
    top = [
        helper.make_node("Loop", ["n", "", "x"], ["a"], body=loop),
        helper.make_node("Equal", ["a", "elm"], ["y"]),
    ]
    for count in (0, 2):
        feeds = {"x": np.array(["ash", "elm"], object), "n": np.array(count, np.int64)}
        agree(model(top, feeds, {"y": BOOL}, [text("elm", "elm")]), feeds)


def test_scans_read_carry_and_stack_strings() -> None:
    nodes = [
        helper.make_node("StringConcat", ["h", "e"], ["next"]),
        helper.make_node("StringConcat", ["e", "outer"], ["row"]),
    ]
    inner = body(
        nodes, [info("h", STRING, [1]), info("e", STRING, [1])], [info("next", STRING, [1]), info("row", STRING, [1])]
    )
    top = [helper.make_node("Scan", ["s", "x"], ["a", "b"], body=inner, num_scan_inputs=1, scan_input_directions=[1])]
    feeds = {
        "s": np.array(["<"], object),
        "x": np.array([["a"], ["bé"], [""]], object),
        "outer": np.array(["!"], object),
    }
    # ONNX Runtime refuses strings in a Scan.
    got = anydim.InferenceSession(model(top, feeds, {"a": STRING, "b": STRING})).run(None, feeds)
    assert got[0].tolist() == ["<béa"]
    assert got[1].tolist() == [["!"], ["bé!"], ["a!"]]


def test_bodies_in_bodies_reach_strings_outside() -> None:
    inner = body([helper.make_node("StringConcat", ["x", "h"], ["r"])], [], [info("r", STRING, None)])
    other = body([helper.make_node("Identity", ["x"], ["q"])], [], [info("q", STRING, None)])
    nodes = [
        helper.make_node("Mod", ["i", "two"], ["odd"]),
        helper.make_node("Cast", ["odd"], ["flag"], to=BOOL),
        helper.make_node("If", ["flag"], ["next"], then_branch=inner, else_branch=other),
    ]
    two = helper.make_tensor("two", INT64, [], [2])
    loop = loop_body(nodes, ["h"], [("next", STRING)], [two])
    top = [helper.make_node("Loop", ["n", "", "x"], ["y"], body=loop)]
    for count in range(4):
        feeds = {"x": np.array(["ash", "é"], object), "n": np.array(count, np.int64)}
        agree(model(top, feeds, {"y": STRING}), feeds)


def test_strings_that_a_body_may_not_have_are_refused() -> None:
    numbers = body([helper.make_node("Identity", ["k"], ["q"])], [], [info("q", INT64, None)])
    texts = body([helper.make_node("Identity", ["x"], ["r"])], [], [info("r", STRING, None)])
    feeds = {"x": np.array(["a"], object), "k": np.array([1]), "b": np.array(True)}
    with pytest.raises(anydim.Error, match="strings"):
        nodes = [helper.make_node("If", ["b"], ["y"], then_branch=texts, else_branch=numbers)]
        anydim.InferenceSession(model(nodes, feeds, {"y": STRING}))
    with pytest.raises(anydim.Error, match="strings"):
        loop = loop_body([helper.make_node("Identity", ["h"], ["next"])], ["h"], [("next", STRING)])
        anydim.InferenceSession(
            model([helper.make_node("Loop", ["x", "", "x"], ["y"], body=loop)], feeds, {"y": STRING})
        )
