# SPDX-License-Identifier: Apache-2.0
"""Sequences and optionals of strings: built, cut, joined, mapped, carried by loops and given by branches, as inputs and outputs, beside ONNX
Runtime; branches whose strings have different ranks; maps whose values are strings."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from learned import DOMAIN, INT64, STRING
from onnx import TensorProto, helper
from test_string_bodies import body, text
from test_strings import BOOL, SEED, drawn, info

FLOAT = TensorProto.FLOAT


def sequence(name: str, dims: Sequence[Any] | None = None, kind: int = STRING) -> onnx.ValueInfoProto:
    return helper.make_value_info(name, helper.make_sequence_type_proto(helper.make_tensor_type_proto(kind, dims)))


def optional(name: str, dims: Sequence[Any] | None = None) -> onnx.ValueInfoProto:
    return helper.make_value_info(name, helper.make_optional_type_proto(helper.make_tensor_type_proto(STRING, dims)))


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    names = ["" if n == "-" else n for n in inputs.split()]
    return helper.make_node(op, names, outputs.split(), **attributes)


def whole(name: str, *values: int) -> onnx.TensorProto:
    return helper.make_tensor(name, INT64, [] if len(values) == 1 else [len(values)], values)


def model_of(
    nodes: Sequence[onnx.NodeProto], inputs: Sequence[Any], outputs: Sequence[Any], constants: Sequence[Any] = ()
) -> bytes:
    graph = helper.make_graph(list(nodes), "strings", list(inputs), list(outputs), list(constants))
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 3)]
    data: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return data


def plain(value: Any) -> Any:
    """Nested lists of what an output is, and the dims that they do not contain."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    array = np.asarray(value)
    return (array.shape, array.tolist())


def agree(data: bytes, *feeds: dict[str, Any], lists: bool = False) -> list[Any]:
    """`lists`: elements have dims of their own. The last run's results."""
    theirs = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    results: list[Any] = []
    for passes in ("all", "exact", "none"):
        ours = None if lists else anydim.InferenceSession(data, passes=passes)
        for feed in feeds:
            ranks = {n: [np.ndim(e) for e in v] for n, v in feed.items() if isinstance(v, list)}
            session = ours or anydim.InferenceSession(data, passes=passes, sequences=ranks)
            results = session.run(None, feed)
            expected = theirs.run(None, feed)
            assert plain(results) == plain(expected)
    return results


X = info("x", STRING, [None])
GRID = info("g", STRING, [None, None])
WORDS = np.array(["ash", "é", "", "oak"], object)
TABLE = np.array([["ash", "é", ""], ["oak", "elm!", "ash"]], object)


def joined(a: str, b: str, to: str) -> onnx.NodeProto:
    return node("StringConcat", f"{a} {b}", to)


def tree_number(of: str, to: str) -> onnx.NodeProto:
    """7 for oak, 8 for ash, else -1."""
    table = {"keys_strings": ["oak", "ash"], "values_int64s": [7, 8], "default_int64": -1}
    return node("LabelEncoder", of, to, domain=DOMAIN, **table)


def test_lists_of_strings_of_several_heaps() -> None:
    nodes = [
        joined("x", "mark", "twice"),
        node("SequenceConstruct", "x twice known", "s"),
        node("SequenceInsert", "s twice one", "t"),
        node("SequenceErase", "t", "u"),
        node("SequenceAt", "u two", "y"),
        node("SequenceLength", "u", "n"),
        node("ConcatFromSequence", "t", "all", axis=0),
        joined("all", "mark", "z"),
    ]
    outputs = [
        sequence("u"),
        sequence("s"),
        *(info(n, STRING, None) for n in ("y", "all", "z")),
        info("n", INT64, None),
    ]
    constants = [text("mark", "!"), text("known", "one", "two"), whole("one", 1), whole("two", -1)]
    agree(model_of(nodes, [X], outputs, constants), {"x": WORDS}, {"x": WORDS[:1]}, {"x": WORDS})


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("keep", [0, 1])
def test_strings_are_cut_and_joined_again(axis: int, keep: int) -> None:
    """Of a length that a run knows; positions, too."""
    nodes = [
        joined("g", "mark", "h"),
        node("SplitToSequence", "h", "s", axis=axis, keepdims=keep),
        node("SequenceAt", "s at", "y"),
        node("SequenceErase", "s at", "t"),
        node("SequenceInsert", "t y", "u"),
        node("SequenceLength", "u", "n"),
        node("ConcatFromSequence", "u", "z", axis=0, new_axis=1),
        node("ConcatFromSequence", "u", "w", axis=-1),
    ]
    rank = 2 if keep else 1
    outputs = [
        sequence("u"),
        info("n", INT64, []),
        info("z", STRING, [None] * (rank + 1)),
        info("w", STRING, [None] * rank),
    ]
    data = model_of(
        nodes, [GRID, info("at", INT64, [])], [*outputs, info("y", STRING, [None] * rank)], [text("mark", "é")]
    )
    print("seed", SEED)
    r = random.Random(SEED)
    feeds = []
    for _ in range(4):
        shape = [r.randint(1, 4), r.randint(1, 4)]
        at = np.array(r.randrange(-shape[axis], shape[axis]), np.int64)
        feeds.append({"g": drawn(r, shape), "at": at})
    agree(data, *feeds)


def test_known_strings_of_sequences_need_no_bytes() -> None:
    nodes = [
        node("SplitToSequence", "x", "s", axis=0),
        node("SequenceInsert", "s known", "t"),
        node("SequenceAt", "t at", "y"),
        tree_number("y", "n"),
    ]
    inputs = [X, info("at", INT64, [])]
    data = model_of(nodes, inputs, [info("n", INT64, None)], [text("known", "oak")])
    assert [n.name for n in anydim.InferenceSession(data).get_inputs()] == ["x", "at"]
    for at in range(-5, 5):
        agree(data, {"x": WORDS, "at": np.array(at)})


def test_elements_that_one_position_of_a_run_chooses_among_have_one_size() -> None:
    nodes = [node("SequenceConstruct", "x z", "s"), node("SequenceAt", "s at", "y")]
    inputs = [X, info("z", STRING, [None]), info("at", INT64, [])]
    data = model_of(nodes, inputs, [info("y", STRING, [None])])
    agree(data, *({"x": WORDS, "z": WORDS[::-1].copy(), "at": np.array(at)} for at in (-2, -1, 0, 1)))
    session = anydim.InferenceSession(data)
    for at in (0, 1):
        with pytest.raises(anydim.UnimplementedError, match="one dims"):
            session.run(None, {"x": WORDS, "z": WORDS[:2], "at": np.array(at)})
    assert session.run(None, {"x": WORDS[:1], "z": WORDS[1:2], "at": np.array(1)})[0].tolist() == ["é"]


# --- loops -----------------------------------------------------------------------------------------------------------


def loop_body(
    nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], constants: Sequence[Any] = ()
) -> onnx.GraphProto:
    first = [info("i", INT64, []), info("on", BOOL, [])]
    return body([node("Identity", "on", "go"), *nodes], [*first, *inputs], [info("go", BOOL, []), *outputs], constants)


@pytest.mark.parametrize("known", [None, 0, 1, 3])
@pytest.mark.parametrize("begins", ["empty", "known", "views"])
def test_loops_carry_strings_beside_sequences(begins: str, known: int | None) -> None:
    """A tensor that grows longer, a sequence that is appended to, one that is read, and a stack."""
    inside = [
        joined("h", "x", "next"),
        node("SequenceInsert", "have next", "more"),
        node("SequenceAt", "kept zero", "first"),
        joined("first", "mark", "row"),
    ]
    carried = [info("h", STRING, [None]), sequence("have"), sequence("kept")]
    results = [info("next", STRING, [None]), sequence("more"), sequence("kept_on"), info("row", STRING, [None])]
    loop = loop_body(
        [*inside, node("Identity", "kept", "kept_on")], carried, results, [text("mark", "-"), whole("zero", 0)]
    )
    first = {
        "empty": node("SequenceEmpty", "", "none", dtype=STRING),
        "known": node("SequenceConstruct", "two", "none"),
        "views": node("SequenceConstruct", "x", "none"),
    }[begins]
    nodes = [
        first,
        node("SequenceConstruct", "x two", "pair"),
        node("Loop", "n yes x none pair", "last all pair_on rows", body=loop),
        node("SequenceLength", "all", "count"),
    ]
    outputs = [info("last", STRING, [None]), sequence("all"), info("count", INT64, [])]
    rows = info("rows", STRING, [None, None])
    constants = [text("two", "uno", "dos", "tré", ""), helper.make_tensor("yes", BOOL, [], [True])]
    if known is None:
        inputs = [X, info("n", INT64, [])]
        runs = [{"x": WORDS, "n": np.array(n)} for n in (3, 0, 1, 3)]
        agree(model_of(nodes, inputs, outputs, constants), *(r for r in runs if begins != "empty" or r["n"] > 0))
        agree(model_of(nodes, inputs, [*outputs, rows], constants), *(r for r in runs if r["n"] > 0))
    else:
        agree(model_of(nodes, [X], [*outputs, rows], [*constants, whole("n", known)]), {"x": WORDS})


def test_loops_carry_sequences_of_strings_that_keep_their_length() -> None:
    inside = [
        node("SequenceAt", "have zero", "a"),
        node("SequenceAt", "have one", "b"),
        joined("a", "b", "c"),
        node("SequenceConstruct", "b c", "more"),
    ]
    loop = loop_body(inside, [sequence("have")], [sequence("more")], [whole("zero", 0), whole("one", 1)])
    nodes = [node("SequenceConstruct", "x known", "pair"), node("Loop", "n yes pair", "last", body=loop)]
    constants = [text("known", "+"), helper.make_tensor("yes", BOOL, [], [True])]
    data = model_of(nodes, [info("x", STRING, [1]), info("n", INT64, [])], [sequence("last")], constants)
    agree(data, *({"x": np.array(["é"], object), "n": np.array(n)} for n in (0, 1, 4)))


def test_sequences_of_strings_are_mapped() -> None:
    """Of known and of unknown length, with a tensor and a second sequence beside them, and from around the body."""
    names = [info("e", STRING, [None]), info("f", STRING, [None]), info("t", STRING, [None])]
    inside = [joined("e", "f", "p"), joined("p", "t", "q"), joined("q", "x", "r"), node("Size", "r", "m")]
    each = body(inside, names, [info("r", STRING, [None]), info("m", INT64, [])])
    for make in (
        [node("SequenceConstruct", "x y", "s"), node("SequenceConstruct", "y y", "u")],
        [node("SplitToSequence", "g", "s", axis=0, keepdims=0), node("SplitToSequence", "g", "u", axis=0, keepdims=0)],
    ):
        nodes = [joined("x", "mark", "y"), *make, node("SequenceMap", "s u mark", "z sizes", body=each)]
        outputs = [sequence("z"), sequence("sizes", kind=INT64)]
        data = model_of(nodes, [X, GRID], outputs, [text("mark", "!")])
        agree(data, {"x": WORDS[:3], "g": TABLE}, {"x": WORDS[1:2], "g": TABLE[:, :1]})


# --- branches --------------------------------------------------------------------------------------------------------

B = info("b", BOOL, [])
Way = tuple[Sequence[onnx.NodeProto], onnx.ValueInfoProto]  # nodes and the output


def chosen(then: Way, otherwise: Way) -> onnx.NodeProto:
    """s: what one of two bodies gives, by b."""
    ways = [body(nodes, [], [output]) for nodes, output in (then, otherwise)]
    return node("If", "b", "s", then_branch=ways[0], else_branch=ways[1])


def agree_either_way(data: bytes, feed: dict[str, Any]) -> None:
    agree(data, *(feed | {"b": np.array(b)} for b in (True, False, True)))


def test_branches_give_sequences_of_strings() -> None:
    then = [joined("x", "mark", "a"), node("SequenceConstruct", "a x", "r")]
    otherwise = [node("SequenceConstruct", "known x", "q")]
    nodes = [
        chosen((then, sequence("r")), (otherwise, sequence("q"))),
        node("ConcatFromSequence", "s", "y", axis=0),
    ]
    outputs = [sequence("s"), info("y", STRING, [None])]
    agree_either_way(model_of(nodes, [X, B], outputs, [text("known", "é"), text("mark", "!")]), {"x": WORDS})


def test_branches_give_sequences_of_other_lengths() -> None:
    """What reads them goes into the branches."""
    three, one = node("SequenceConstruct", "x known x", "r"), node("SequenceConstruct", "known", "q")
    nodes = [
        chosen(([three], sequence("r")), ([one], sequence("q"))),
        node("SequenceLength", "s", "n"),
        node("ConcatFromSequence", "s", "y", axis=0),
        joined("y", "known", "z"),
    ]
    outputs = [info("y", STRING, [None]), info("n", INT64, []), info("z", STRING, [None])]
    agree_either_way(model_of(nodes, [X, B], outputs, [text("known", "é")]), {"x": WORDS})


@pytest.mark.parametrize("behind", [True, False])
def test_strings_of_branches_have_different_ranks(behind: bool) -> None:
    """As exporters write squeeze: what reads them goes into the branches, or an output has the rank of the one that was taken."""
    squeezed, marked = node("Squeeze", "g axis", "r"), joined("g", "mark", "q")
    nodes = [chosen(([squeezed], info("r", STRING, None)), ([marked], info("q", STRING, None)))]
    outputs = [info("s", STRING, None)]
    if behind:
        nodes += [node("Reshape", "s flat", "y"), joined("y", "known", "z")]
        outputs = [info("y", STRING, [None]), info("z", STRING, [None])]
    constants = [text("mark", "!"), text("known", "é"), helper.make_tensor("axis", INT64, [1], [0]),
                 helper.make_tensor("flat", INT64, [1], [-1])]  # fmt: skip
    agree_either_way(model_of(nodes, [info("g", STRING, [1, None]), B], outputs, constants), {"g": TABLE[:1]})


def test_known_strings_of_branches_have_different_ranks() -> None:
    """No bytes are needed."""
    ways = [
        body([], [], [info("r", STRING, [2])], [text("r", "ash", "oak")]),
        body([], [], [info("q", STRING, [])], [helper.make_tensor("q", STRING, [], [b"elm"])]),
    ]
    nodes = [
        node("If", "b", "s", then_branch=ways[0], else_branch=ways[1]),
        tree_number("s", "n"),
        node("Reshape", "n flat", "y"),
    ]
    flat = helper.make_tensor("flat", INT64, [1], [-1])
    agree_either_way(model_of(nodes, [B], [info("y", INT64, [None])], [flat]), {})


# --- inputs and outputs ----------------------------------------------------------------------------------------------


def test_sequences_of_strings_come_and_go() -> None:
    nodes = [
        node("SequenceInsert", "s x", "t"),
        node("ConcatFromSequence", "s", "y", axis=0),
        node("SequenceAt", "t zero", "z"),
    ]
    outputs = [sequence("t"), info("y", STRING, [None]), info("z", STRING, [None])]
    data = model_of(nodes, [sequence("s", [None]), X], outputs, [whole("zero", 0)])
    assert anydim.InferenceSession(data).get_inputs()[0].type == "seq(tensor(string))"
    alike = [WORDS[:2], WORDS[2:]]
    results = agree(data, {"s": alike, "x": WORDS[1:3]}, {"s": alike[:1], "x": WORDS[:2]})
    assert [r.tolist() for r in results[0]] == [["ash", "é"], ["ash", "é"]]
    agree(data, {"s": [WORDS[:1], WORDS, WORDS[1:1]], "x": WORDS}, lists=True)


def test_optional_strings_come_and_go() -> None:
    nodes = [node("OptionalGetElement", "o", "y"), joined("y", "mark", "z"), node("Optional", "z", "p")]
    data = model_of(nodes, [optional("o", [None])], [optional("p"), info("z", STRING, [None])], [text("mark", "!")])
    session = anydim.InferenceSession(data)
    assert session.get_inputs()[0].type == "optional(tensor(string))"
    got = session.run(None, {"o": WORDS})
    assert got[0].tolist() == got[1].tolist() == ["ash!", "é!", "!", "oak!"]


def test_labels_in_sequences_stay_numbers() -> None:
    """For callers without Python: what the model knows has numbers, whatever it is part of."""
    nodes = [node("LabelEncoder", "k", "l", domain=DOMAIN, keys_int64s=[1, 2], values_strings=["one", "two"]),
             node("SequenceConstruct", "l l", "s")]  # fmt: skip
    data = model_of(nodes, [info("k", INT64, [None])], [sequence("s")])
    session = anydim.InferenceSession(data)
    assert session._output_names == ["s[0]", "s[1]"]
    assert [r.tolist() for r in session.run(None, {"k": np.array([2, 1, 9])})[0]] == [["two", "one", "_Unused"]] * 2


# --- maps ------------------------------------------------------------------------------------------------------------


def map_input(name: str) -> onnx.ValueInfoProto:
    v = onnx.ValueInfoProto()
    v.name = name
    v.type.map_type.key_type = INT64
    v.type.map_type.value_type.tensor_type.elem_type = STRING
    return v


MAP: dict[int, str] = {3: "ash", 1: "é", 7: "", 0: "12.75"}


# ONNX Runtime's Python package cannot feed such maps: what is expected follows from ONNX's text.
def test_maps_to_strings_become_rows() -> None:
    nodes = [node("DictVectorizer", "m", "y", domain=DOMAIN, int64_vocabulary=[1, 5, 3, 7])]
    session = anydim.InferenceSession(model_of(nodes, [map_input("m")], [info("y", STRING, None)]))
    assert session.get_inputs()[0].type == "map(int64,tensor(string))"
    assert session.run(None, {"m": MAP})[0].tolist() == [["é", "", "ash", ""]]
    assert session.run(None, {"m": {3: "oak"}})[0].tolist() == [["", "", "oak", ""]]
    nodes.append(node("LabelEncoder", "y", "n", domain=DOMAIN, keys_strings=["ash", ""], values_int64s=[7, 8]))
    looked_up = anydim.InferenceSession(model_of(nodes, [map_input("m")], [info("n", INT64, None)]))
    assert looked_up.run(None, {"m": MAP})[0].tolist() == [[-1, 8, 7, 8]]


@pytest.mark.parametrize(
    ("to", "kind", "fill"), [("TO_STRING", STRING, "0.f"), ("TO_FLOAT", FLOAT, 0), ("TO_INT64", INT64, 0)]
)
def test_maps_to_strings_are_cast(to: str, kind: int, fill: Any) -> None:
    values: dict[int, Any] = {1: "é", 3: "ash", 7: ""} if kind == STRING else {1: -77, 3: 5, 7: 12}
    feed = {"m": {key: str(value) for key, value in reversed(values.items())}}
    for form, expected in (("DENSE", list(values.values())), ("SPARSE", [values.get(k, fill) for k in range(9)])):
        cast = node("CastMap", "m", "y", domain=DOMAIN, cast_to=to, map_form=form, max_map=9)
        got = anydim.InferenceSession(model_of([cast], [map_input("m")], [info("y", kind, None)])).run(None, feed)[0]
        assert got.tolist() == [expected]


# --- what is wrong ---------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[list[onnx.NodeProto], str]] = {
    "strings and numbers in a sequence": ([node("SequenceConstruct", "x k", "s")], "not both strings"),
    "strings in a sequence of numbers": (
        [node("SequenceConstruct", "k", "t"), node("SequenceInsert", "t x", "s")],
        "strings in a sequence of i64",
    ),
    "numbers in a sequence of strings": (
        [node("SequenceEmpty", "", "t", dtype=STRING), node("SequenceInsert", "t k", "s")],
        "i64 in a sequence of strings",
    ),
    "strings as a position": ([node("SequenceConstruct", "k", "t"), node("SequenceAt", "t x", "s")], "holds strings"),
    "strings as sizes": ([node("SplitToSequence", "k x", "s")], "holds strings"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_strings_among_numbers_are_refused(what: str) -> None:
    nodes, message = REFUSED[what]
    end = helper.make_value_info("s", onnx.TypeProto())
    with pytest.raises(anydim.Error, match=message):
        anydim.InferenceSession(model_of(nodes, [X, info("k", INT64, [None])], [end]))
