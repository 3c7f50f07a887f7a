# SPDX-License-Identifier: Apache-2.0
"""Sequences and optionals inside a model, beside ONNX Runtime: of known length and of a length that only a run knows, through
branches, loops and SequenceMap; with declared dims and without; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

Array = npt.NDArray[Any]
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
OPSET = 17
INTEGERS = {"count", "length", "longer"}  # outputs

Built = tuple[
    list[onnx.NodeProto], list[str]
]  # nodes over x [a, b], z [a, b], n (i64), m (i64 [2]); names of the outputs


def value(name: str, element: int = FLOAT, dims: Any = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element, dims)


def sequence(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_sequence_value_info(name, FLOAT, None)


def constant(name: str, array: Any) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.asarray(array)))


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, **attributes)


def of(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return node(op, [name if name != "_" else "" for name in inputs.split()], [output], **attributes)


PAIR = of("SequenceConstruct", "x z", "pair")
YES, ONE, LAST = constant("yes", np.bool_(True)), constant("one", np.int64(1)), constant("last", np.int64(-1))


def body(nodes: list[onnx.NodeProto], carried: list[Any], results: list[Any], name: str = "body") -> onnx.GraphProto:
    """Of a loop that always goes on; a name is a tensor's, or it is a ValueInfo."""

    def infos(names: list[Any]) -> list[onnx.ValueInfoProto]:
        return [value(item) if isinstance(item, str) else item for item in names]

    return helper.make_graph(
        [*nodes, of("Identity", "go", "on")],
        name,
        [value("i", INT64, []), value("go", BOOL, []), *infos(carried)],
        [value("on", BOOL, []), *infos(results)],
    )


def a_list_is_read_at_constant_places() -> Built:
    return [
        PAIR,
        ONE,
        LAST,
        of("SequenceAt", "pair one", "p"),
        of("SequenceInsert", "pair p one", "three"),
        of("SequenceErase", "three last", "two"),
        of("SequenceErase", "two", "single"),
        of("SequenceInsert", "single z", "more"),
        of("SequenceLength", "more", "count"),
        of("SequenceAt", "more last", "y"),
        of("ConcatFromSequence", "three", "w", axis=1),
        of("ConcatFromSequence", "three", "v", axis=-1, new_axis=1),
    ], ["p", "y", "count", "w", "v"]


def a_list_of_equal_tensors_is_read_anywhere() -> Built:
    return [
        PAIR,
        of("SequenceInsert", "pair x", "three"),
        of("SequenceAt", "three n", "y"),
        of("SequenceInsert", "three z n", "four"),
        of("SequenceErase", "four n", "other"),
        of("SequenceLength", "other", "count"),
        of("ConcatFromSequence", "four", "w", axis=0),
        of("SequenceErase", "four", "without"),
        of("SequenceAt", "without last", "v"),
        LAST,
    ], ["y", "w", "count", "v"]


def an_empty_sequence_is_filled() -> Built:
    return [
        of("SequenceEmpty", "", "none"),
        of("SequenceInsert", "none x", "s"),
        of("Identity", "s", "t"),
        of("SequenceInsert", "t z", "u"),
        of("ConcatFromSequence", "u", "y", axis=0),
        of("SequenceLength", "none", "count"),
        of("SequenceEmpty", "", "numbers", dtype=INT64),
        of("SequenceInsert", "numbers m", "ns"),
        of("ConcatFromSequence", "ns", "longer", axis=0),
    ], ["y", "count", "longer"]


def rows_are_split() -> Built:
    return [
        of("SplitToSequence", "x", "s", keepdims=0),
        of("SequenceLength", "s", "count"),
        constant("zero", np.int64(0)),
        of("SequenceAt", "s zero", "y"),
        of("SequenceAt", "s last", "w"),
        LAST,
        of("SplitToSequence", "x", "t", axis=1),
        of("SequenceAt", "t last", "v"),
        of("ConcatFromSequence", "t", "u", axis=1),
        of("ConcatFromSequence", "s", "r", axis=-1, new_axis=1),
    ], ["count", "y", "w", "v", "u", "r"]


def columns_are_split_by_sizes() -> Built:
    return [
        of("SplitToSequence", "x m", "s", axis=1),
        of("SequenceAt", "s one", "y"),
        ONE,
        constant("two", np.int64(2)),
        of("SplitToSequence", "z two", "t", axis=1),
        of("SequenceLength", "t", "count"),
        of("SequenceAt", "t last", "w"),
        LAST,
        of("ConcatFromSequence", "t", "v", axis=0),
    ], ["y", "count", "w", "v"]


def a_map_over_a_list() -> Built:
    inner = helper.make_graph(
        [of("Add", "e k", "f"), of("ReduceSum", "f", "g", keepdims=0)],
        "map",
        [value("e"), value("k")],
        [value("f"), value("g")],
    )
    return [
        PAIR,
        node("SequenceMap", ["pair", "x"], ["sums", "scalars"], body=inner),
        of("ConcatFromSequence", "sums", "y", axis=0),
        of("ConcatFromSequence", "scalars", "w", axis=0, new_axis=1),
    ], ["y", "w"]


def a_map_over_what_is_split() -> Built:
    inner = helper.make_graph(
        [of("Mul", "e f", "g"), of("Add", "g h", "k")], "map", [value("e"), value("f"), value("h")], [value("k")]
    )
    return [
        of("SplitToSequence", "x", "s", keepdims=0),
        of("SplitToSequence", "z", "t", keepdims=0),
        constant("half", np.float32(0.5)),
        node("SequenceMap", ["s", "t", "half"], ["made"], body=inner),
        of("ConcatFromSequence", "made", "y", axis=0, new_axis=1),
        of("SequenceLength", "made", "count"),
    ], ["y", "count"]


def a_loop_of_known_count_appends() -> Built:
    inner = body(
        [
            of("Cast", "i", "f", to=FLOAT),
            of("Mul", "h f", "e"),
            of("Add", "e x", "next"),
            of("SequenceInsert", "s next", "t"),
        ],
        ["h", sequence("s")],
        ["next", sequence("t"), "e"],
    )
    return [
        of("SequenceEmpty", "", "none"),
        constant("three", np.int64(3)),
        node("Loop", ["three", "", "x", "none"], ["y", "made", "es"], body=inner),
        of("ConcatFromSequence", "made", "w", axis=1),
        of("SequenceLength", "made", "count"),
    ], ["y", "w", "count", "es"]


def a_loop_of_known_count_appends_other_sizes() -> Built:
    inner = body(
        [of("Concat", "h x", "next", axis=0), of("SequenceInsert", "s next", "t")],
        ["h", sequence("s")],
        ["next", sequence("t")],
    )
    return [
        of("SequenceEmpty", "", "none"),
        constant("three", np.int64(3)),
        node("Loop", ["three", "", "x", "none"], ["y", "made"], body=inner),
        of("ConcatFromSequence", "made", "w", axis=0),
    ], ["y", "w"]


def a_loop_of_any_count_appends() -> Built:
    inner = body(
        [of("Add", "h z", "next"), of("SequenceInsert", "s next", "t")], ["h", sequence("s")], ["next", sequence("t")]
    )
    return [
        of("SequenceConstruct", "x", "begun"),
        YES,
        node("Loop", ["n", "yes", "x", "begun"], ["y", "made"], body=inner),
        of("ConcatFromSequence", "made", "w", axis=0),
        of("ConcatFromSequence", "made", "v", axis=0, new_axis=1),
        of("SequenceLength", "made", "count"),
        of("SequenceAt", "made n", "last_one"),
    ], ["y", "w", "v", "count", "last_one"]


def a_loop_appends_two_at_once() -> Built:
    inner = body(
        [of("Add", "h z", "next"), of("SequenceInsert", "s next", "t"), of("SequenceInsert", "t h", "u")],
        ["h", sequence("s")],
        ["next", sequence("u")],
    )
    return [
        of("SequenceConstruct", "x", "begun"),
        YES,
        node("Loop", ["n", "yes", "x", "begun"], ["y", "made"], body=inner),
        of("ConcatFromSequence", "made", "w", axis=0),
        of("SequenceLength", "made", "count"),
    ], ["w", "count"]


def a_loop_until_something_is_large_appends() -> Built:
    inner = helper.make_graph(
        [
            of("Add", "h q", "next"),
            of("SequenceInsert", "s next", "t"),
            of("ReduceMax", "next", "most", keepdims=0),
            constant("limit", np.float32(6)),
            of("Less", "most limit", "on"),
        ],
        "body",
        [value("i", INT64, []), value("go", BOOL, []), value("h"), sequence("s")],
        [value("on", BOOL, []), value("next"), sequence("t")],
    )
    return [
        of("SequenceConstruct", "x", "begun"),
        YES,
        constant("q", np.float32(1)),
        constant("many", np.int64(50)),
        node("Loop", ["many", "yes", "x", "begun"], ["y", "made"], body=inner),
        of("ConcatFromSequence", "made", "w", axis=0, new_axis=1),
        of("SequenceLength", "made", "count"),
    ], ["y", "w", "count"]


def a_loop_reads_a_list_and_exchanges_it() -> Built:
    inner = body(
        [
            constant("first", np.int64(0)),
            of("SequenceAt", "s first", "a"),
            of("SequenceAt", "s one", "b"),
            of("Mul", "a k", "c"),
            of("SequenceConstruct", "b c", "t"),
            of("SequenceAt", "kept one", "d"),
            of("Add", "d b", "e"),
        ],
        [sequence("s"), sequence("kept")],
        [sequence("t"), sequence("kept"), "e"],
    )
    return [
        PAIR,
        ONE,
        YES,
        constant("k", np.float32(0.5)),
        node("Loop", ["n", "yes", "pair", "pair"], ["made", "same", "es"], body=inner),
        constant("zero", np.int64(0)),
        of("SequenceAt", "made zero", "y"),
        of("SequenceAt", "made one", "w"),
        of("SequenceAt", "same one", "v"),
    ], ["y", "w", "v", "es"]


def a_loop_walks_over_a_list() -> Built:
    inner = body([of("SequenceAt", "pair i", "e"), of("Add", "h e", "next")], ["h"], ["next"])
    return [PAIR, of("SequenceLength", "pair", "count"), YES, node("Loop", ["count", "yes", "x"], ["y"], body=inner)], [
        "y",
        "count",
    ]


def branches_give_lists() -> Built:
    then = helper.make_graph([of("SequenceConstruct", "x z", "s")], "then", [], [sequence("s")])
    other = helper.make_graph([of("Neg", "z", "q"), of("SequenceConstruct", "q x", "s")], "else", [], [sequence("s")])
    return [
        constant("zero", np.int64(0)),
        of("Greater", "n zero", "c"),
        node("If", ["c"], ["s"], then_branch=then, else_branch=other),
        ONE,
        of("SequenceAt", "s zero", "y"),
        of("SequenceAt", "s one", "w"),
        of("SequenceLength", "s", "count"),
    ], ["y", "w", "count"]


def optionals_of_known_kind() -> Built:
    nothing = of("Optional", "", "nothing", type=helper.make_tensor_type_proto(FLOAT, None))
    then = helper.make_graph([of("OptionalGetElement", "some", "e")], "then", [], [value("e")])
    other = helper.make_graph([of("Neg", "x", "e")], "else", [], [value("e")])
    return [
        of("Optional", "x", "some"),
        nothing,
        of("OptionalHasElement", "some", "has"),
        of("OptionalHasElement", "nothing", "lacks"),
        node("If", ["has"], ["y"], then_branch=then, else_branch=other),
        of("Not", "lacks", "c"),
        of("Cast", "c", "w", to=FLOAT),
        PAIR,
        of("Optional", "pair", "both"),
        of("OptionalGetElement", "both", "again"),
        of("SequenceAt", "again one", "v"),
        ONE,
    ], ["y", "w", "v"]


FORMS: list[Callable[[], Built]] = [
    a_list_is_read_at_constant_places,
    a_list_of_equal_tensors_is_read_anywhere,
    an_empty_sequence_is_filled,
    rows_are_split,
    columns_are_split_by_sizes,
    a_map_over_a_list,
    a_map_over_what_is_split,
    a_loop_of_known_count_appends,
    a_loop_of_known_count_appends_other_sizes,
    a_loop_of_any_count_appends,
    a_loop_appends_two_at_once,
    a_loop_until_something_is_large_appends,
    a_loop_reads_a_list_and_exchanges_it,
    a_loop_walks_over_a_list,
    branches_give_lists,
    optionals_of_known_kind,
]


def model_of(nodes: list[onnx.NodeProto], outputs: list[Any], dims: list[Any], opset: int = OPSET) -> bytes:
    inputs = [value("x", FLOAT, dims), value("z", FLOAT, dims), value("n", INT64, []), value("m", INT64, [2])]
    infos = [value(name, INT64 if name in INTEGERS else FLOAT) if isinstance(name, str) else name for name in outputs]
    graph = helper.make_graph(nodes, "model", inputs, infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    serialised: bytes = model.SerializeToString()
    return serialised


@pytest.mark.parametrize("form", FORMS, ids=[form.__name__ for form in FORMS])
def test_sequences_mean_what_onnx_runtime_says(form: Callable[[], Built]) -> None:
    nodes, outputs = form()
    fixed, dynamic = (
        anydim.InferenceSession(model_of(nodes, outputs, dims), threads=1) for dims in ([3, 4], ["a", "b"])
    )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    peer = onnxruntime.InferenceSession(model_of(nodes, outputs, ["a", "b"]), options, ["CPUExecutionProvider"])
    for seed in range(6):
        random = np.random.default_rng(seed)
        dims = (3, 4) if seed % 2 else (2 + seed, 4)
        given = {
            "x": random.standard_normal(dims).astype(np.float32),
            "z": random.standard_normal(dims).astype(np.float32),
            "n": np.array(seed % 3, np.int64),
            "m": np.array([1, 3], np.int64),
        }
        given = {item.name: given[item.name] for item in peer.get_inputs()}
        expected = peer.run(None, given)
        for session in (dynamic, fixed) if dims == (3, 4) else (dynamic,):
            for got, wanted in zip(session.run(None, given), expected, strict=True):
                assert got.dtype == wanted.dtype and (got.shape == wanted.shape or got.size == wanted.size == 0)
                np.testing.assert_allclose(got, wanted.reshape(got.shape), rtol=1e-5, atol=1e-6)


def test_a_loop_that_appends_has_bounded_memory() -> None:
    nodes, outputs = a_loop_of_any_count_appends()
    limit = [constant("most", np.int64(4)), of("Min", "n most", "k")]
    for item in nodes:
        if item.op_type == "Loop":
            item.input[0] = "k"
    bounds = {"x": ((0, 4), (0, 4)), "z": ((0, 4), (0, 4))}
    session = anydim.InferenceSession(model_of([*limit, *nodes], outputs[:4], ["a", "b"]), threads=1, bounds=bounds)
    x = np.ones((2, 3), np.float32)
    for n in (0, 3, 9, 1):
        got = session.run(None, {"x": x, "z": x, "n": np.array(n), "m": np.array([1, 2])})
        assert got[3] == 1 + min(n, 4) and got[1].shape == (2 * (1 + min(n, 4)), 3)


REFUSED: list[tuple[str, list[onnx.NodeProto], list[Any], str]] = [
    (
        "an output that is declared a tensor",
        [PAIR],
        ["pair"],
        "'pair' is declared to be something else than a sequence",
    ),
    (
        "an output of other elements",
        [PAIR],
        [helper.make_tensor_sequence_value_info("pair", INT64, None)],
        "'pair' is declared with element type int64; its tensors have dtype f32",
    ),
    (
        "nothing but an empty sequence",
        [of("SequenceEmpty", "", "s")],
        [sequence("s")],
        "empty sequences and optionals only",
    ),
    ("a sequence for a tensor", [PAIR, of("Relu", "pair", "y")], ["y"], "'pair', is a sequence; expected a tensor"),
    ("a tensor for a sequence", [of("SequenceAt", "x n", "y")], ["y"], "input 0 is no sequence"),
    (
        "a position behind the end",
        [PAIR, constant("five", np.int64(5)), of("SequenceAt", "pair five", "y")],
        ["y"],
        "position 5 in a sequence of 2 elements",
    ),
    (
        "nothing to concatenate",
        [of("SequenceEmpty", "", "s"), of("ConcatFromSequence", "s", "y", axis=0)],
        ["y"],
        "its sequence has no element",
    ),
    (
        "two types in one",
        [of("SequenceConstruct", "x n", "s"), of("SequenceAt", "s n", "y")],
        ["y"],
        "input 0 has f32, and both are of one type",
    ),
    (
        "an element of another type",
        [PAIR, of("SequenceInsert", "pair n", "s"), of("SequenceAt", "s n", "y")],
        ["y"],
        "a tensor of i64 in a sequence of f32",
    ),
    (
        "a position that a run knows, of different tensors",
        [
            of("Neg", "x", "f"),
            of("ReduceSum", "f", "d", keepdims=0),
            of("SequenceConstruct", "x d", "s"),
            of("SequenceAt", "s n", "y"),
        ],
        ["y"],
        "a length or position that only a run knows, in a sequence with elements of dims",
    ),
    (
        "what an optional lacks",
        [of("Optional", "", "o", type=helper.make_tensor_type_proto(FLOAT, None)), of("OptionalGetElement", "o", "y")],
        ["y"],
        "its optional holds nothing",
    ),
    (
        "reading what a loop builds",
        [
            of("SequenceConstruct", "x", "begun"),
            YES,
            node(
                "Loop",
                ["n", "yes", "begun"],
                ["made", "es"],
                body=body(
                    [of("SequenceAt", "s i", "e"), of("SequenceInsert", "s e", "t")],
                    [sequence("s")],
                    [sequence("t"), "e"],
                ),
            ),
            of("ConcatFromSequence", "made", "y", axis=0),
        ],
        ["y"],
        "a sequence to which its loop appends",
    ),
]


@pytest.mark.parametrize("what, nodes, outputs, message", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_refused_is_named(what: str, nodes: list[onnx.NodeProto], outputs: list[Any], message: str) -> None:
    with pytest.raises(Exception, match=message.replace("[", "\\[")):
        anydim.InferenceSession(model_of(nodes, outputs, ["a", "b"]), threads=1)


def test_a_position_of_a_run_is_checked() -> None:
    nodes, outputs = a_list_of_equal_tensors_is_read_anywhere()
    session = anydim.InferenceSession(model_of(nodes, outputs, ["a", "b"]), threads=1)
    x = np.ones((2, 3), np.float32)
    for n in (5, -6, 100):
        with pytest.raises(Exception, match=r"position|ind"):
            session.run(None, {"x": x, "z": x, "n": np.array(n), "m": np.array([1, 2])})
