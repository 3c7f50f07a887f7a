# SPDX-License-Identifier: Apache-2.0
"""Strings that come with a run or are made by it: joined, cut, searched, normalised, counted, compared, moved, looked up, beside ONNX
Runtime; maps as inputs; what a caller without Python gives and gets; and what is wrong with views, bytes and attributes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from learned import DOMAIN, FLOAT, INT64, STRING
from onnx import TensorProto, helper

onnxruntime.set_default_logger_severity(4)
BOOL = TensorProto.BOOL
ALPHABET = ["a", "B", "b", " ", "  ", ",", "é", "É", "Ж", "ß", "1", "_", "\t", "\u00a0", "\U0001f600"]


def info(name: str, kind: int, dims: Sequence[Any] | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, dims)


def model(
    nodes: list[Any],
    inputs: dict[str, Any],
    outputs: dict[str, int],
    initializers: Sequence[Any] = (),
) -> bytes:
    """Inputs by name: arrays like those of runs, of which all dims may change, or a ValueInfoProto."""
    types = {"U": STRING, "O": STRING, "f": FLOAT, "b": BOOL}
    made = [
        x
        if isinstance(x, onnx.ValueInfoProto)
        else info(name, TensorProto.INT32 if x.dtype == np.int32 else types.get(x.dtype.kind, INT64), [None] * x.ndim)
        for name, x in inputs.items()
    ]
    graph = helper.make_graph(
        nodes, "strings", made, [info(n, k, None) for n, k in outputs.items()], initializer=list(initializers)
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 3), helper.make_opsetid("com.microsoft", 1)]
    data: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return data


def same(ours: list[Any], theirs: list[Any]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        if other.dtype.kind == "f":
            np.testing.assert_allclose(mine, other, rtol=1e-6)
        else:
            assert mine.tolist() == other.tolist()


def agree(data: bytes, feeds: dict[str, Any]) -> list[Any]:
    theirs = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, feeds)
    ours: list[Any] = anydim.InferenceSession(data).run(None, feeds)
    same(ours, theirs)
    return ours


def drawn(r: random.Random, shape: Sequence[int], longest: int = 6) -> Any:
    x = np.empty(shape, object)
    for i in range(x.size):
        x.reshape(-1)[i] = "".join(r.choices(ALPHABET, k=r.randrange(longest + 1)))
    return x


def compare_drawn(
    op: str,
    attributes: dict[str, Any],
    outputs: list[int],
    seed: int,
    *,
    rank: int = 2,
    domain: str = "",
    least: int = 1,
) -> None:
    """One session over several shapes."""
    print(f"{op} {attributes} seed {seed}")
    r = random.Random(seed)
    names = [f"y{i}" for i in range(len(outputs))]
    x = np.array([["a"]] if rank == 2 else ["a"], object)
    data = model(
        [helper.make_node(op, ["x"], names, domain=domain, **attributes)],
        {"x": x},
        dict(zip(names, outputs, strict=True)),
    )
    theirs = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    ours = anydim.InferenceSession(data)
    for _ in range(6):
        feeds = {"x": drawn(r, [r.randint(least, 4) for _ in range(rank)])}
        same(ours.run(None, feeds), theirs.run(None, feeds))


SEED = random.SystemRandom().randrange(2**31)


@pytest.mark.parametrize("splits", [None, 0, 1, 3])
@pytest.mark.parametrize("delimiter", [None, ",", "ab", "é"])
def test_split_is_pythons(delimiter: str | None, splits: int | None) -> None:
    """As ONNX's own reference has it; ONNX Runtime says of an empty string that it has no piece, whatever the delimiter."""
    print("seed", SEED)
    x = drawn(random.Random(SEED), [40])
    attributes: dict[str, Any] = {} if delimiter is None else {"delimiter": delimiter}
    if splits is not None:
        attributes["maxsplit"] = splits
    node = helper.make_node("StringSplit", ["x"], ["y", "n"], **attributes)
    pieces, counts = anydim.InferenceSession(model([node], {"x": x}, {"y": STRING, "n": INT64})).run(None, {"x": x})
    for text, row, count in zip(x, pieces, counts, strict=True):
        expected = text.split(delimiter, -1 if splits is None else splits)
        assert row.tolist() == expected + [""] * (pieces.shape[1] - len(expected))
        assert count == len(expected)


@pytest.mark.parametrize(
    "pattern", ["[a-z]+", "a|ab|b.*", "(?i)(a|b)*", "\\w*", ".*é.*", "\\pL+", "[^\\s]+", "", "(?s).*"]
)
def test_full_matches_are_onnxruntimes(pattern: str) -> None:
    compare_drawn("RegexFullMatch", {"pattern": pattern}, [BOOL], SEED)


@pytest.mark.parametrize("action", ["NONE", "LOWER", "UPPER"])
@pytest.mark.parametrize("sensitive", [0, 1])
@pytest.mark.parametrize("words", [[], ["a", "É", "b", "Ж "]])
def test_normalizer_is_onnxruntimes(action: str, sensitive: int, words: list[str]) -> None:
    attributes: dict[str, Any] = {"case_change_action": action, "is_case_sensitive": sensitive, "locale": "C.UTF-8"}
    if words:
        attributes["stopwords"] = words
    x = drawn(random.Random(SEED), [40], 2)
    for shape in ((40,), (1, 40)):
        feeds = {"x": x.reshape(shape)}
        node = helper.make_node("StringNormalizer", ["x"], ["y"], **attributes)
        data = model([node], {"x": info("x", STRING, shape)}, {"y": STRING})  # ONNX Runtime asks for the dims
        agree(data, feeds)


def test_normalizer_with_nothing_left_gives_an_empty_string() -> None:
    x = np.array(["a", "A"], object)
    node = helper.make_node("StringNormalizer", ["x"], ["y"], stopwords=["a"], is_case_sensitive=0, locale="C.UTF-8")
    session = anydim.InferenceSession(model([node], {"x": x}, {"y": STRING}))
    assert session.run(None, {"x": x})[0].tolist() == [""]
    assert session.run(None, {"x": np.array(["a", "q"], object)})[0].tolist() == ["q"]


@pytest.mark.parametrize(
    "attributes",
    [
        {"separators": [" "]},
        {"separators": [",", "b"], "mincharnum": 2},
        {"separators": ["b", "ab"]},
        {"separators": ["ab", "b", " "]},
        {"separators": ["[a-b]+", "1"]},
        {"separators": [""]},
        {"tokenexp": "[a-zA-Z0-9_]+"},
        {"tokenexp": "a|ab", "mincharnum": 1},
        {"tokenexp": "\\b\\w\\w+\\b"},
        {"tokenexp": "a*"},
        {"tokenexp": ".", "mincharnum": 1},
    ],
)
@pytest.mark.parametrize("mark", [0, 1])
def test_tokenizer_is_onnxruntimes(attributes: dict[str, Any], mark: int) -> None:
    for rank in (1, 2):
        at = {"mark": mark, "pad_value": "#", "mincharnum": 1} | attributes
        compare_drawn("Tokenizer", at, [STRING], SEED + rank, rank=rank, domain="com.microsoft")


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("lengths", [(1, 1), (1, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("skip", [0, 2])
@pytest.mark.parametrize("kind", ["strings", "int64", "int32"])
def test_tfidf_is_onnxruntimes(mode: str, lengths: tuple[int, int], skip: int, kind: str) -> None:
    print("seed", SEED)
    r = random.Random(SEED)
    items = ["a", "b", "é", ""] if kind == "strings" else [1, 2, -3, 7]
    grams: list[list[Any]] = []
    starts = []
    for size in (1, 2, 3):
        starts.append(sum(map(len, grams)))
        some = {tuple(r.choices(items[:3], k=size)) for _ in range(4)}
        grams += [list(gram) for gram in sorted(some)]
    columns = list(range(len(grams)))
    r.shuffle(columns)
    pool = [item for gram in grams for item in gram]
    attributes: dict[str, Any] = {"pool_strings" if kind == "strings" else "pool_int64s": pool}
    if r.random() < 0.7:
        attributes["weights"] = [r.random() for _ in grams]
    node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], mode=mode, min_gram_length=lengths[0], max_gram_length=lengths[1],
                            max_skip_count=skip, ngram_counts=starts, ngram_indexes=columns, **attributes)  # fmt: skip
    for shape in ((9,), (4, 7), (2, 1)):
        x = np.array(r.choices(items, k=int(np.prod(shape))), object if kind == "strings" else kind).reshape(shape)
        agree(model([node], {"x": x}, {"y": FLOAT}), {"x": x})


def test_concat_and_equal_broadcast_as_onnxruntimes_do() -> None:
    print("seed", SEED)
    r = random.Random(SEED)
    for left, right in (((3, 1), (4,)), ((2, 3), (2, 3)), ((), (5,)), ((0, 2), (2,))):
        feeds = {"a": drawn(r, left, 2), "b": drawn(r, right, 2)}
        nodes = [helper.make_node("StringConcat", ["a", "b"], ["y"]), helper.make_node("Equal", ["a", "b"], ["e"])]
        agree(model(nodes, feeds, {"y": STRING, "e": BOOL}), feeds)


def test_strings_of_several_heaps_are_moved_together() -> None:
    """Inputs, constants, labels and strings that were made meet in Concat and Where; one input feeds numbers' operators, too."""
    a, b = np.array(["x", "élm", ""], object), np.array(["Q", "x", "ß"], object)
    known = helper.make_tensor("known", STRING, [2], [b"pine", "Ω".encode()])
    nodes = [
        helper.make_node("StringConcat", ["a", "b"], ["ab"]),
        helper.make_node("LabelEncoder", ["a"], ["label"], domain=DOMAIN, keys_strings=["x", "élm"], values_strings=["one", "two"],
                         default_string="?"),
        helper.make_node("LabelEncoder", ["b"], ["number"], domain=DOMAIN, keys_strings=["ß", "x"], values_int64s=[5, 6], default_int64=-7),
        helper.make_node("OneHotEncoder", ["a"], ["hot"], domain=DOMAIN, cats_strings=["élm", "x"], zeros=1),
        helper.make_node("Concat", ["a", "known", "ab", "label", "b"], ["all"], axis=0),
        helper.make_node("Equal", ["a", "b"], ["same"]),
        helper.make_node("Where", ["same", "label", "ab"], ["chosen"]),
        helper.make_node("Gather", ["all", "places"], ["picked"]),
        helper.make_node("StringSplit", ["picked"], ["pieces", "counts"], delimiter="l"),
    ]  # fmt: skip
    places = helper.make_tensor("places", INT64, [4], [7, 3, 1, 12])
    outputs = {
        "all": STRING,
        "chosen": STRING,
        "label": STRING,
        "number": INT64,
        "hot": FLOAT,
        "pieces": STRING,
        "counts": INT64,
        "picked": STRING,
    }
    feeds = {"a": a, "b": b}
    got = agree(model(nodes, feeds, outputs, [known, places]), feeds)
    assert got[0].tolist()[3:5] == ["pine", "Ω"]


def test_what_is_no_output_of_a_known_text_can_be_one() -> None:
    x = np.array([["b", "a"], ["", "é"]], object)
    data = model([helper.make_node("Transpose", ["x"], ["y"])], {"x": x}, {"y": STRING})
    session = anydim.InferenceSession(data)
    assert [(i.name, i.type) for i in session.get_inputs()] == [("x", "tensor(string)")]
    assert [(o.name, o.type) for o in session.get_outputs()] == [("y", "tensor(string)")]
    assert session.run(["y"], {"x": x})[0].tolist() == x.T.tolist()
    assert session.run(None, {"x": x.astype("U3")})[0].tolist() == x.T.tolist()
    assert session.run(None, {"x": np.empty((0, 3), object)})[0].shape == (3, 0)


def test_a_caller_without_python_sees_views_and_their_bytes() -> None:
    """docs/onnx.md: the offset of a string's first byte times 2^27, plus its length."""
    x = np.array(["ab", "c"], object)
    session = anydim.InferenceSession(
        model([helper.make_node("StringConcat", ["x", "x"], ["y"])], {"x": x}, {"y": STRING})
    )
    border = json.loads(dict(session._metadata())["anydim.border"])
    assert border["view_inputs"] == {"x": "x.bytes"}
    assert border["view_outputs"] == {"y": "y.bytes"}
    views, heap = session._run(
        [np.array([1 << 27 | 2, 0 << 27 | 1]), np.frombuffer(b"xyz", np.uint8)], session._want_all, (), None
    )
    offset, length = int(views[0]) >> 27, int(views[0]) & (1 << 27) - 1
    assert heap[offset : offset + length].tobytes() == b"yzyz"


@pytest.mark.parametrize("views", [[-1], [1 << 27 | 3], [4 << 27], [2**62], [(1 << 27) - 1]])
@pytest.mark.parametrize("op", ["StringConcat", "StringSplit", "StringNormalizer", "RegexFullMatch"])
def test_views_outside_their_heap_fail_the_run(views: list[int], op: str) -> None:
    session = _single(op)
    with pytest.raises(anydim.Error, match=r"heap|size|most"):
        session._run([np.array(views), np.frombuffer(b"abc", np.uint8)], session._want_all, (), None)


@pytest.mark.parametrize("heap", [b"a\xffb", b"ab\xc3", b"\xed\xa0\x80"])
@pytest.mark.parametrize("op", ["StringSplit", "StringNormalizer", "RegexFullMatch"])
def test_bytes_that_are_no_utf8_fail_the_run(heap: bytes, op: str) -> None:
    session = _single(op)
    with pytest.raises(anydim.Error, match="UTF-8"):
        session._run([np.array([3]), np.frombuffer(heap, np.uint8)], session._want_all, (), None)


def _single(op: str) -> Any:
    attributes = {"StringNormalizer": {"case_change_action": "UPPER"}, "RegexFullMatch": {"pattern": "a"}}.get(op, {})
    outputs = {"y": BOOL if op == "RegexFullMatch" else STRING}
    node = helper.make_node(op, ["x", "x"] if op == "StringConcat" else ["x"], ["y"], **attributes)
    return anydim.InferenceSession(model([node], {"x": np.array(["a"], object)}, outputs))


class _Text(str):
    """A subclass, as numpy's own texts are one."""


@pytest.mark.parametrize(
    "x",
    [
        np.array(["a", "ü", "漢字", "🙂", ""] * 3, object)[::2],
        np.array([["x" * 300, "é"], ["", "b"]], object).T,
        np.array(["ab", "ü"], np.str_),
        np.array([_Text("a"), np.str_("b")], object),
        np.array("one", object),
        np.zeros([0, 3], object),
    ],
)
def test_texts_of_any_form_come_back_as_they_are(x: Any) -> None:
    session = anydim.InferenceSession(
        model([helper.make_node("StringConcat", ["x", "e"], ["y"])], {"x": x, "e": np.array("", object)}, {"y": STRING})
    )
    (y,) = session.run(None, {"x": x, "e": np.array("", object)})
    assert y.dtype == object
    assert y.shape == x.shape
    assert y.tolist() == x.tolist()


def test_surrogates_and_other_elements_are_refused_by_name() -> None:
    session = _single("StringSplit")
    with pytest.raises(anydim.InvalidArgumentError, match="surrogate"):
        session.run(None, {"x": np.array(["\ud800"], object)})
    with pytest.raises(anydim.InvalidArgumentError, match="int"):
        session.run(None, {"x": np.array(["a", 3], object)})
    with pytest.raises(anydim.InvalidArgumentError, match="expected strings"):
        session.run(None, {"x": np.array([1.5])})


TFIDF = {"mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0], "ngram_indexes": [0, 1],
         "pool_strings": ["a", "b"]}  # fmt: skip
TOKENS = {"mark": 0, "mincharnum": 1, "pad_value": "#"}
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("RegexFullMatch", {}, "pattern"),
    ("RegexFullMatch", {"pattern": "a("}, "without a"),
    ("RegexFullMatch", {"pattern": "(?=a)"}, "RE2"),
    ("RegexFullMatch", {"pattern": "\\p{Greek}"}, "scripts"),
    ("RegexFullMatch", {"pattern": "(a|b)*a(a|b){20}"}, "too many states"),
    ("StringSplit", {"maxsplit": -1}, "maxsplit"),
    ("StringNormalizer", {"case_change_action": "TITLE"}, "TITLE"),
    ("StringNormalizer", {"case_change_action": "LOWER", "locale": "tr_TR"}, "tr_TR"),
    ("Tokenizer", TOKENS, "separators"),
    ("Tokenizer", TOKENS | {"separators": ["a", ""]}, "empty separator"),
    ("Tokenizer", TOKENS | {"separators": [" "], "mincharnum": 0}, "mincharnum"),
    ("Tokenizer", TOKENS | {"separators": [" "], "tokenexp": "a"}, "tokenexp"),
    ("Tokenizer", TOKENS | {"tokenexp": "["}, "RE2"),
    ("TfIdfVectorizer", TFIDF | {"mode": "IDF2"}, "mode"),
    ("TfIdfVectorizer", TFIDF | {"max_gram_length": 2}, "lengths"),
    ("TfIdfVectorizer", TFIDF | {"ngram_counts": [5]}, "n-grams"),
    ("TfIdfVectorizer", TFIDF | {"pool_strings": ["a", "a"]}, "twice"),
    ("TfIdfVectorizer", TFIDF | {"ngram_indexes": [0]}, "more n-grams"),
    ("TfIdfVectorizer", TFIDF | {"ngram_indexes": [0, -1]}, "ngram_indexes"),
    ("TfIdfVectorizer", TFIDF | {"weights": [1.0]}, "weights"),
    ("TfIdfVectorizer", TFIDF | {"mode": "IDF", "weights": [1.0, 2.0], "ngram_indexes": [1, 1]}, "expected one weight"),
    ("TfIdfVectorizer", TFIDF | {"max_skip_count": -1}, "max_skip_count"),
]


@pytest.mark.parametrize(("op", "attributes", "said"), BAD)
def test_bad_attributes_are_refused_when_the_model_is_loaded(op: str, attributes: dict[str, Any], said: str) -> None:
    node = helper.make_node(op, ["x"], ["y"], domain="com.microsoft" if op == "Tokenizer" else "", **attributes)
    kind = {"RegexFullMatch": BOOL, "TfIdfVectorizer": FLOAT}.get(op, STRING)
    with pytest.raises(anydim.Error, match=said):
        anydim.InferenceSession(model([node], {"x": np.array(["a"], object)}, {"y": kind}))


@pytest.mark.parametrize("key", [STRING, INT64])
@pytest.mark.parametrize("value", [FLOAT, INT64, TensorProto.DOUBLE])
def test_maps_are_rows_of_their_keys(key: int, value: int) -> None:
    x = onnx.ValueInfoProto(name="x")
    x.type.map_type.key_type = key
    x.type.map_type.value_type.tensor_type.elem_type = value
    keys: list[Any] = ["b", "a", "ü"] if key == STRING else [7, -1, 3]
    vocabulary: dict[str, Any] = {"string_vocabulary" if key == STRING else "int64_vocabulary": keys}
    data = model(
        [helper.make_node("DictVectorizer", ["x"], ["y"], domain=DOMAIN, **vocabulary)], {"x": x}, {"y": value}
    )
    session = anydim.InferenceSession(data)
    one = 2 if value == INT64 else 2.5
    for feed in ({keys[1]: one}, {keys[0]: one, keys[2]: 2 * one}, {}):
        got = session.run(None, {"x": feed})[0]
        assert got.tolist() == [[feed.get(k, 0) for k in keys]]
        if feed and value == FLOAT:  # of others it refuses its own types
            theirs = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
            other = theirs.run(None, {"x": feed})[0]
            assert (got.dtype, got.tolist()) == (other.dtype, other.tolist())


def map_to(kind: int, key: int = INT64) -> onnx.ValueInfoProto:
    x = onnx.ValueInfoProto(name="x")
    x.type.map_type.key_type = key
    x.type.map_type.value_type.tensor_type.elem_type = kind
    return x


def test_a_map_that_no_operator_reads_is_refused() -> None:
    with pytest.raises(anydim.UnimplementedError, match="map"):
        anydim.InferenceSession(model([helper.make_node("Identity", ["x"], ["y"])], {"x": map_to(FLOAT)}, {"y": FLOAT}))
    with pytest.raises(anydim.UnimplementedError, match="DictVectorizer"):
        node = helper.make_node("DictVectorizer", ["z"], ["y"], domain=DOMAIN, string_vocabulary=["a"])
        anydim.InferenceSession(model([node], {"z": np.array(["a"], object)}, {"y": FLOAT}))


@pytest.mark.parametrize("form", ["DENSE", "SPARSE"])
@pytest.mark.parametrize(("to", "kind"), [("TO_FLOAT", FLOAT), ("TO_INT64", INT64)])
def test_maps_are_cast_as_onnxruntime_casts_them(form: str, to: str, kind: int) -> None:
    node = helper.make_node("CastMap", ["x"], ["y"], domain=DOMAIN, cast_to=to, map_form=form, max_map=5)
    data = model([node], {"x": map_to(FLOAT)}, {"y": kind})
    theirs = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    ours = anydim.InferenceSession(data)
    for fed in ({3: 2.75, 1: -1.5, 10: 7.0}, {0: 1e30}, {4: -0.5, 2: 3.0}, {7: 1.0}):
        same(
            ours.run(None, {"x": fed}), theirs.run(None, {"x": fed})
        ) if to != "TO_INT64" or 1e30 not in fed.values() else None
    assert ours.get_inputs()[0].type == "map(int64,tensor(float))"


def test_what_is_wrong_with_a_cast_map_is_said() -> None:
    def loaded(kind: Any = FLOAT, **attributes: Any) -> anydim.InferenceSession:
        node = helper.make_node("CastMap", ["x"], ["y"], domain=DOMAIN, **attributes)
        return anydim.InferenceSession(model([node], {"x": map_to(kind)}, {"y": FLOAT}))

    bad: list[tuple[dict[str, Any], str]] = [
        ({"cast_to": "TO_STRING"}, "TO_STRING"),
        ({"map_form": "SPARSE", "max_map": 0}, "max_map is 0"),
        ({"map_form": "SPARSE", "max_map": 1 << 40}, "max_map"),
        ({"map_form": "OTHER"}, "map_form"),
        ({"kind": BOOL}, "map to bool"),
    ]
    for attributes, said in bad:
        with pytest.raises(anydim.Error, match=said):
            loaded(**attributes)
    with pytest.raises(anydim.InvalidArgumentError, match="key -3"):
        loaded(map_form="SPARSE", max_map=5).run(None, {"x": {-3: 1.0}})


def test_results_do_not_depend_on_threads() -> None:
    x = drawn(random.Random(7), [300, 3])
    nodes = [
        helper.make_node("Tokenizer", ["flat"], ["t"], domain="com.microsoft", mark=0, mincharnum=1, pad_value="#", tokenexp="\\w+"),
        helper.make_node("Reshape", ["x", "shape"], ["flat"]),
        helper.make_node("TfIdfVectorizer", ["t"], ["y"], **TFIDF),
    ]  # fmt: skip
    data = model(nodes, {"x": x}, {"y": FLOAT, "t": STRING}, [helper.make_tensor("shape", INT64, [1], [-1])])
    one, several = (anydim.InferenceSession(data, threads=n).run(None, {"x": x}) for n in (1, 4))
    assert one[0].tobytes() == several[0].tobytes()
    assert one[1].tolist() == several[1].tolist()
