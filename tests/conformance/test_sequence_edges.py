# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of a model that are sequences or optionals, beside ONNX Runtime: lists of arrays in Python, and what elements of
different dims need. The tensors that other languages see are in the test vectors; sequences inside a model, in test_sequences.py."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper
from test_sequences import BOOL, FLOAT, INT64, LAST, OPSET, PAIR, YES, body, model_of, node, of, sequence, value


def optional(name: str) -> onnx.ValueInfoProto:
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, None))
    return helper.make_value_info(name, kind)


def same(got: Any, wanted: Any) -> None:
    if isinstance(wanted, list):
        assert isinstance(got, list) and len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            same(one, other)
    elif wanted is None:
        assert got is None
    else:
        assert isinstance(got, np.ndarray) and got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def peer_of(model: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])


ENDS: dict[str, tuple[list[onnx.NodeProto], list[Any]]] = {
    "a list": ([PAIR, of("Neg", "x", "y")], [sequence("pair"), "y"]),
    "elements of other dims": ([of("Transpose", "x", "t"), of("SequenceConstruct", "x t", "s")], [sequence("s")]),
    "rows, whose number a run knows": ([of("SplitToSequence", "x", "s", axis=0, keepdims=0)], [sequence("s")]),
    "a map": (
        [
            of("SplitToSequence", "x", "rows", axis=0, keepdims=1),
            node(
                "SequenceMap",
                ["rows"],
                ["s"],
                body=helper.make_graph(
                    [of("Exp", "row", "e")], "body", [value("row", FLOAT, [1, None])], [value("e", FLOAT, [1, None])]
                ),
            ),
        ],
        [sequence("s"), sequence("rows")],
    ),
    "what a loop appends": (
        [
            of("SequenceEmpty", "", "none"),
            YES,
            node(
                "Loop",
                ["n", "yes", "none"],
                ["s"],
                body=body([of("SequenceInsert", "before x", "after")], [sequence("before")], [sequence("after")]),
            ),
            of("Neg", "x", "y"),
        ],
        ["y", sequence("s")],
    ),
    "an empty list": ([of("SequenceEmpty", "", "s"), of("Neg", "x", "y")], [sequence("s"), "y"]),
    "an optional": ([of("Neg", "x", "t"), of("Optional", "t", "o")], [optional("o")]),
}


@pytest.mark.parametrize("end", ENDS)
def test_outputs_are_the_lists_that_onnx_runtime_gives(end: str) -> None:
    nodes, outputs = ENDS[end]
    peer = peer_of(model_of(nodes, outputs, ["a", "b"]))
    for dims in ([3, 4], ["a", "b"]):
        session = anydim.InferenceSession(model_of(nodes, outputs, dims), threads=1)
        assert [arg.name for arg in session.get_outputs()] == [arg.name for arg in peer.get_outputs()]
        assert [arg.type for arg in session.get_outputs()] == [arg.type for arg in peer.get_outputs()]
        for seed in range(4):
            random = np.random.default_rng(seed)
            shape = (3, 4) if dims == [3, 4] else (1 + seed, 4)
            given = {
                "x": random.standard_normal(shape).astype(np.float32),
                "z": random.standard_normal(shape).astype(np.float32),
                "n": np.array(seed, np.int64),
                "m": np.array([1, 3], np.int64),
            }
            same(session.run(None, given), peer.run(None, given))
            last = peer.get_outputs()[-1].name
            same(session.run([last], given), peer.run([last], given))


def with_inputs(nodes: list[onnx.NodeProto], inputs: list[Any], outputs: list[Any]) -> bytes:
    model = helper.make_model(
        helper.make_graph(nodes, "model", inputs, outputs), opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8
    )
    serialised: bytes = model.SerializeToString()
    return serialised


def of_rank_2(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_sequence_value_info(name, FLOAT, [None, None])


BEGINS: list[tuple[list[onnx.NodeProto], list[Any]]] = [
    ([of("SequenceInsert", "s z", "t"), of("SequenceLength", "t", "count")], [sequence("t"), value("count", INT64, [])]),
    ([of("ConcatFromSequence", "s", "y", axis=0)], [value("y", FLOAT, [None, None])]),
    ([LAST, of("SequenceAt", "s last", "y")], [value("y", FLOAT, [None, None])]),
    ([of("SequenceErase", "s", "t"), of("Identity", "s", "u")], [sequence("t"), sequence("u")]),
    (
        [
            of("SequenceLength", "s", "n"),
            YES,
            node("Loop", ["n", "yes", "z"], ["y"], body=body(
                [of("SequenceAt", "s i", "e"), of("Add", "before e", "after")], [value("before")], [value("after")]
            )),
        ],
        [value("y", FLOAT, [None, None])],
    ),
]  # fmt: skip


@pytest.mark.parametrize("begin", BEGINS, ids=[item[0][-1].op_type + item[0][0].op_type for item in BEGINS])
def test_inputs_are_lists_of_any_length(begin: tuple[list[onnx.NodeProto], list[Any]]) -> None:
    nodes, outputs = begin
    model = with_inputs(nodes, [of_rank_2("s"), value("z", FLOAT, ["a", "b"])], outputs)
    session, peer = anydim.InferenceSession(model, threads=1), peer_of(model)
    assert [(arg.name, arg.type, arg.shape) for arg in session.get_inputs()] == [
        ("s", "seq(tensor(float))", []), ("z", "tensor(float)", ["a", "b"])
    ]  # fmt: skip
    reads_anywhere = any(item.op_type == "Loop" for item in nodes)  # which elements of dims of their own cannot have
    known = None if reads_anywhere else anydim.InferenceSession(model, threads=1, sequences={"s": [2, 2, 2]})
    for count in (1, 2, 3, 5):
        random = np.random.default_rng(count)
        dims = (count, 3)
        feeds = {
            "s": [random.standard_normal(dims).astype(np.float32) for _ in range(count)],
            "z": random.standard_normal(dims).astype(np.float32),
        }
        wanted = peer.run(None, feeds)
        same(session.run(None, feeds), wanted)
        if known is not None and count == 3:
            same(known.run(None, feeds), wanted)


def test_inputs_whose_elements_have_other_dims_are_named_when_the_model_is_loaded() -> None:
    model = with_inputs([of("SequenceInsert", "s z", "t")], [sequence("s"), value("z", FLOAT, ["a"])], [sequence("t")])
    with pytest.raises(anydim.UnimplementedError, match="input 's': it declares no rank"):
        anydim.InferenceSession(model)
    session, peer = anydim.InferenceSession(model, sequences={"s": [1, 3]}), peer_of(model)
    feeds = {"s": [np.ones(4, np.float32), np.zeros((2, 1, 3), np.float32)], "z": np.ones(2, np.float32)}
    same(session.run(None, feeds), peer.run(None, feeds))
    none = anydim.InferenceSession(model, sequences={"s": []})
    same(none.run(None, {**feeds, "s": []}), [[feeds["z"]]])
    for wrong, message in (
        ([feeds["z"]], "has 1 elements; the session was made for 2"),
        (feeds["z"], "expected a list of arrays"),
    ):
        with pytest.raises(anydim.InvalidArgumentError, match=message):
            session.run(None, {**feeds, "s": wrong})
    ranked = with_inputs(
        [of("SequenceInsert", "s z", "t")], [of_rank_2("s"), value("z", FLOAT, ["a", "b"])], [sequence("t")]
    )
    uneven = [np.ones((1, 2), np.float32), np.ones((1, 3), np.float32)]
    with pytest.raises(anydim.InvalidArgumentError, match=r"sequences=\{'s': \[2, 2\]\}, the ranks of its elements"):
        anydim.InferenceSession(ranked).run(None, {"s": uneven, "z": uneven[0]})
    made = anydim.InferenceSession(ranked).run(None, {"s": [], "z": uneven[0][:0, :0]})
    assert len(made[0]) == 1 and made[0][0].shape == (0, 0)


def test_an_optional_input_is_there_or_not() -> None:
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, ["a"]))
    then = helper.make_graph([of("OptionalGetElement", "o", "e")], "then", [], [value("e")])
    other = helper.make_graph([of("Neg", "x", "e")], "else", [], [value("e")])
    nodes = [of("OptionalHasElement", "o", "has"), node("If", ["has"], ["y"], then_branch=then, else_branch=other)]
    infos = [helper.make_value_info("o", kind), value("x", FLOAT, ["a"])]
    model = with_inputs(nodes, infos, [value("y", FLOAT, ["a"])])
    x = np.arange(3, dtype=np.float32)
    there, absent = anydim.InferenceSession(model), anydim.InferenceSession(model, sequences={"o": None})
    assert np.array_equal(there.run(None, {"o": x + 5, "x": x})[0], x + 5)
    assert np.array_equal(absent.run(None, {"o": None, "x": x})[0], -x)
    assert np.array_equal(absent.run(None, {"x": x})[0], -x)
    assert [arg.type for arg in there.get_inputs()] == ["optional(tensor(float))", "tensor(float)"]
    with pytest.raises(anydim.InvalidArgumentError, match="a session with sequences="):
        there.run(None, {"o": None, "x": x})
    with pytest.raises(anydim.InvalidArgumentError, match="'o' is given"):
        absent.run(None, {"o": x, "x": x})


def test_programs_of_onnxruntime_give_and_get_lists() -> None:
    from anydim.compat import onnxruntime as compat

    model = with_inputs(
        [of("SequenceInsert", "s z", "t")], [of_rank_2("s"), value("z", FLOAT, ["a", "b"])], [sequence("t")]
    )
    session, peer = compat.InferenceSession(model), peer_of(model)
    for shapes in ([(2, 3), (2, 3)], [(1, 2), (3, 1), (2, 2)], [(4, 1)]):
        feeds = {"s": [np.ones(shape, np.float32) for shape in shapes], "z": np.zeros((1, 2), np.float32)}
        same(session.run(None, feeds), peer.run(None, feeds))
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, ["a"]))
    model = with_inputs(
        [of("OptionalHasElement", "o", "has")], [helper.make_value_info("o", kind)], [value("has", BOOL, [])]
    )
    for given in (np.ones(3, np.float32), None):
        assert compat.InferenceSession(model).run(None, {"o": given})[0] == (given is not None)
