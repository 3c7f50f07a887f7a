# SPDX-License-Identifier: Apache-2.0
"""States of sessions: caches in every form in which models have them grow where they lie, with the bits of runs that are handed the
cache from outside; recurrent states; what goes wrong."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from anydim.errors import (
    BusyError,
    CancelledError,
    InvalidArgumentError,
    NotFoundError,
    OutOfBoundsError,
    UnimplementedError,
)
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from decoder_models import SMALL, gpt2, llama  # noqa: E402

HEADS, SIZE, LENGTH, ROOM = 2, 4, 23, 32
FLOAT = TensorProto.FLOAT
Values = dict[str, Any]


def model(nodes: list[Any], inputs: Values, outputs: Values, constants: Values | None = None, opset: int = 24) -> bytes:
    """`inputs`, `outputs`: dims by name, or (dtype, dims)."""

    def infos(edges: Values) -> list[Any]:
        return [
            helper.make_tensor_value_info(n, *(d if isinstance(d, tuple) else (FLOAT, d))) for n, d in edges.items()
        ]

    weights = [onnx.numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs), weights)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())


CACHE = ["b", HEADS, "p", SIZE]
TOTAL = ["b", HEADS, "t", SIZE]
ROWS = ["b", "n", HEADS * SIZE]
PAIRS = {"past_key": ("key", 2), "past_value": ("value", 2)}


def onnx_attention() -> tuple[bytes, Values]:
    node = helper.make_node(
        "Attention", ["x", "x", "x", "", "past_key", "past_value"], ["y", "key", "value"],
        q_num_heads=HEADS, kv_num_heads=HEADS, is_causal=1,
    )  # fmt: skip
    return model(
        [node], {"x": ROWS, "past_key": CACHE, "past_value": CACHE}, {"y": ROWS, "key": TOTAL, "value": TOTAL}
    ), PAIRS


def multi_head() -> tuple[bytes, Values]:
    node = helper.make_node(
        "MultiHeadAttention", ["x", "x", "x", "", "", "", "past_key", "past_value"], ["y", "key", "value"],
        domain="com.microsoft", num_heads=HEADS, unidirectional=1,
    )  # fmt: skip
    return model(
        [node], {"x": ROWS, "past_key": CACHE, "past_value": CACHE}, {"y": ROWS, "key": TOTAL, "value": TOTAL}
    ), PAIRS


def microsoft_attention() -> tuple[bytes, Values]:
    weights = np.random.default_rng(3).standard_normal((HEADS * SIZE, 3 * HEADS * SIZE)).astype(np.float32)
    node = helper.make_node(
        "Attention", ["x", "w", "", "", "past"], ["y", "present"],
        domain="com.microsoft", num_heads=HEADS, unidirectional=1,
    )  # fmt: skip
    edges = {"x": ROWS, "past": [2, *CACHE]}
    return model([node], edges, {"y": ROWS, "present": [2, *TOTAL]}, {"w": weights}), {"past": ("present", 3)}


def grouped(fixed: bool = False, window: int = 0, room: int = ROOM) -> tuple[bytes, Values]:
    """With a window and room: a cache that holds the last keys alone."""
    windowed = {"local_window_size": window, "sliding_window_cache": int(fixed)} if window else {}
    node = helper.make_node(
        "GroupQueryAttention", ["x", "x", "x", "past_key", "past_value", "last", "total"], ["y", "key", "value"],
        domain="com.microsoft", num_heads=HEADS, kv_num_heads=HEADS, **windowed,
    )  # fmt: skip
    cache, present = (["b", HEADS, room, SIZE],) * 2 if fixed else (CACHE, TOTAL)
    inputs = {
        "x": ROWS,
        "past_key": cache,
        "past_value": cache,
        "last": (TensorProto.INT32, ["b"]),
        "total": (TensorProto.INT32, []),
    }
    pairs = {"past_key": "key", "past_value": "value"} if fixed else PAIRS
    return model([node], inputs, {"y": ROWS, "key": present, "value": present}), pairs


def written_out() -> tuple[bytes, Values]:
    """As exporters write it: Concat, whose result feeds products and is an output; no mask, so it is cut token by token only."""
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["split"]),
        helper.make_node("Transpose", ["split"], ["q"], perm=[0, 2, 1, 3]),
        helper.make_node("Concat", ["past_key", "q"], ["key"], axis=2),
        helper.make_node("Concat", ["past_value", "q"], ["value"], axis=-2),
        helper.make_node("Transpose", ["key"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "turned"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", "value"], ["heads"]),
        helper.make_node("Transpose", ["heads"], ["back"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["back", "rows"], ["y"]),
    ]
    constants = {"shape": np.array([0, -1, HEADS, SIZE]), "rows": np.array([0, -1, HEADS * SIZE])}
    edges = {"x": ROWS, "past_key": CACHE, "past_value": CACHE}
    return model(nodes, edges, {"y": ROWS, "key": TOTAL, "value": TOTAL}, constants, opset=17), PAIRS


def scattered() -> tuple[bytes, Values]:
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["split"]),
        helper.make_node("Transpose", ["split"], ["q"], perm=[0, 2, 1, 3]),
        helper.make_node("TensorScatter", ["past_key", "q", "first"], ["key"], axis=-2),
        helper.make_node("TensorScatter", ["past_value", "q", "first"], ["value"], axis=-2),
        helper.make_node("Attention", ["q", "key", "value", "", "", "", "length"], ["heads"], is_causal=1),
        helper.make_node("Transpose", ["heads"], ["back"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["back", "rows"], ["y"]),
    ]
    constants = {"shape": np.array([0, -1, HEADS, SIZE]), "rows": np.array([0, -1, HEADS * SIZE])}
    cache = ["b", HEADS, ROOM, SIZE]
    i64 = TensorProto.INT64
    inputs = {"x": ROWS, "past_key": cache, "past_value": cache, "first": (i64, ["b"]), "length": (i64, ["b"])}
    pairs = {"past_key": "key", "past_value": "value"}
    return model(nodes, inputs, {"y": ROWS, "key": cache, "value": cache}, constants), pairs


FORMS: dict[str, Any] = {
    "Attention": onnx_attention,
    "MultiHeadAttention": multi_head,
    "com.microsoft.Attention": microsoft_attention,
    "GroupQueryAttention": grouped,
    "GroupQueryAttention, fixed": lambda: grouped(fixed=True),
    "GroupQueryAttention, a window": lambda: grouped(fixed=True, window=5, room=5),
    "GroupQueryAttention, more than a window": lambda: grouped(fixed=True, window=5, room=9),
    "written out": written_out,
    "TensorScatter": scattered,
}


def others(session: Any, batch: int, before: int, count: int) -> Values:
    """Inputs that hold the lengths, where a model has them."""
    total = before + count
    all_of_them = {
        "last": np.full(batch, total - 1, np.int32),
        "total": np.array(total, np.int32),
        "first": np.full(batch, before, np.int64),
        "length": np.full(batch, total, np.int64),
    }
    names = {i.name for i in session.get_inputs()}
    return {n: v for n, v in all_of_them.items() if n in names}


def handed_over(session: Any, pairs: Values, x: Any, pieces: list[int]) -> Any:
    """The same steps, with the cache from outside."""
    outputs = [o.name for o in session.get_outputs()]
    caches = {}
    for i in session.get_inputs():
        if i.name in pairs:
            caches[i.name] = np.zeros(
                [d if isinstance(d, int) else {"b": x.shape[0]}.get(d, 0) for d in i.shape], np.float32
            )
    parts, at = [], 0
    for count in pieces:
        feeds = {"x": x[:, at : at + count], **caches, **others(session, x.shape[0], at, count)}
        given = dict(zip(outputs, session.run(None, feeds), strict=True))
        caches = {p: given[q if isinstance(q, str) else q[0]] for p, q in pairs.items()}
        parts.append(given["y"])
        at += count
    return np.concatenate(parts, 1)


def in_state(session: Any, state: Any, x: Any, pieces: list[int]) -> Any:
    parts, at = [], 0
    for count in pieces:
        parts += state.step({"x": x[:, at : at + count], **others(session, x.shape[0], at, count)})
        at += count
    return np.concatenate(parts, 1)


def rows(batch: int, seed: int, length: int = LENGTH) -> Any:
    return np.random.default_rng(seed).standard_normal((batch, length, HEADS * SIZE)).astype(np.float32)


@pytest.mark.parametrize("form", FORMS)
def test_a_state_gives_the_bits_of_a_cache_from_outside_and_copies_nothing(form: str) -> None:
    file, pairs = FORMS[form]()
    session = anydim.InferenceSession(file)
    grows = any(not isinstance(q, str) for q in pairs.values())
    for seed in range(4):
        random = np.random.default_rng(seed)
        batch, pieces = int(random.integers(1, 4)), list[int]()
        while sum(pieces) < LENGTH:
            pieces.append(1 if form == "written out" else min(int(random.integers(1, 9)), LENGTH - sum(pieces)))
        x = rows(batch, seed)
        expected = handed_over(session, pairs, x, pieces)
        for limit in (ROOM, None):
            state = session.state(pairs, limit)
            assert (in_state(session, state, x, pieces) == expected).all(), f"seed {seed}"
            info = state.info()
            assert info["in_place"] == info["parts"] == len(pairs)
            assert info["steps"] == len(pieces)
            assert info["appended_bytes"] == 2 * batch * HEADS * SIZE * 4 * LENGTH
            if grows:
                assert state.length == LENGTH
            if limit:
                assert info["copied_bytes"] == info["growths"] == 0
        # Alone as in the batch, and one by one as in pieces.
        alone = in_state(session, session.state(pairs, ROOM), x[:1], [1] * LENGTH)
        assert (alone == expected[:1]).all(), f"seed {seed}"


@pytest.mark.parametrize("form", FORMS)
def test_states_in_pages_have_the_same_bits_and_forks_share_the_pages(form: str) -> None:
    file, pairs = FORMS[form]()
    session = anydim.InferenceSession(file)
    x = rows(2, 5)
    plain = session.state(pairs, ROOM)
    in_state(session, plain, x, [7])

    def goes_on(state: Any) -> Any:
        return np.concatenate(
            [state.step({"x": x[:, t : t + 1], **others(session, 2, t, 1)})[0] for t in range(7, LENGTH)], 1
        )

    expected = goes_on(plain)
    state = session.state(pairs, page=16, pool_limit=1 << 26)
    in_state(session, state, x, [7])
    forks = [state.fork() for _ in range(3)]
    paged = state.info()["pages"]
    assert state.info()["shared_pages"] == paged
    assert state.info()["pool_limit"] == 1 << 26
    before = state.info()["pool_bytes"]
    for fork in forks:
        assert (goes_on(fork) == expected).all()
    assert state.info()["growths"] == 0
    if paged:
        assert state.info()["page"] >= 16
        assert state.info()["pool_bytes"] == 4 * before, "each wrote to its only page"
    with pytest.raises(anydim.InvalidArgumentError, match="pool_limit is given without page"):
        session.state(pairs, pool_limit=5)


@pytest.mark.parametrize("room", [5, 6, 9, 40])
def test_a_window_has_the_bits_of_a_cache_of_all_keys(room: int) -> None:
    file, pairs = grouped(window=5)
    session = anydim.InferenceSession(file)
    file, fixed = grouped(fixed=True, window=5, room=room)
    windowed = anydim.InferenceSession(file)
    for seed in range(6):
        random = np.random.default_rng(seed)
        pieces = list[int]()
        while sum(pieces) < LENGTH:
            pieces.append(min(int(random.choice([1, 1, 2, 7, 12])), LENGTH - sum(pieces)))
        x = rows(2, seed)
        expected = in_state(session, session.state(pairs, LENGTH), x, [LENGTH])
        state = windowed.state(fixed)
        assert (in_state(windowed, state, x, pieces) == expected).all(), f"seed {seed}"
        held, copy = state.read(), state.fork()
        state.reset()
        assert (in_state(windowed, state, x, [1] * LENGTH) == expected).all(), f"seed {seed}"
        # What a cache holds follows from how many tokens there were.
        stay = min(LENGTH, LENGTH - (room - 4) * -(-max(LENGTH - room, 0) // (room - 4)))
        for name, value in state.read().items():
            assert (value[:, :, :stay] == held[name][:, :, :stay]).all(), name
            assert (copy.read()[name][:, :, :stay] == held[name][:, :, :stay]).all(), name


@pytest.mark.parametrize("form", FORMS)
def test_what_a_step_writes_does_not_grow_with_the_length(form: str) -> None:
    file, pairs = FORMS[form]()
    session = anydim.InferenceSession(file)
    state, x, before = session.state(pairs, ROOM), rows(2, 1), (0, 0)
    for t in range(LENGTH):
        state.step({"x": x[:, t : t + 1], **others(session, 2, t, 1)})
        info = state.info()
        now = (info["appended_bytes"], info["copied_bytes"])
        assert (now[0] - before[0], now[1] - before[1]) == (2 * 2 * HEADS * SIZE * 4, 0), f"token {t}"
        before = now


@pytest.mark.parametrize("make", [llama, gpt2])
def test_a_decoder_gives_its_logits_however_a_conversation_is_cut(make: Any) -> None:
    session = anydim.InferenceSession(make(SMALL), contexts=2)
    names = {i.name for i in session.get_inputs()}
    pairs = {n: (n.replace("past", "present"), 2) for n in names if n.startswith("past.")}
    ids = np.random.default_rng(5).integers(0, SMALL.words, (8, 30))

    def logits(state: Any, ids: Any, pieces: list[int]) -> Any:
        parts, at = [], 0
        for count in pieces:
            feeds: Values = {"input_ids": ids[:, at : at + count]}
            total = at + count
            if "position_ids" in names:
                feeds["position_ids"] = np.broadcast_to(np.arange(at, total), (len(ids), count))
            else:
                feeds |= {"seqlens_k": np.full(len(ids), total - 1, np.int32), "total_sequence_length": np.int32(total)}
            parts += state.step(feeds)
            at = total
        return np.concatenate(parts, 1)

    empty = session.state(pairs, 40)
    whole = logits(empty.fork(), ids, [30])
    results: list[Any] = [None] * 8

    def conversation(i: int) -> None:
        random = np.random.default_rng(i)
        cuts = sorted({0, 30, *random.integers(1, 30, 4)})
        results[i] = logits(states[i], ids[i : i + 1], [b - a for a, b in itertools.pairwise(cuts)])

    states = [empty.fork() for _ in range(8)]
    threads = [Thread(target=conversation, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in enumerate(results):
        assert result is not None, i
        assert (result == whole[i : i + 1]).all(), i


def test_a_recurrent_state_is_handed_on() -> None:
    random = np.random.default_rng(1)
    w, r = (random.standard_normal(d).astype(np.float32) for d in ((1, 16, 3), (1, 16, 4)))
    node = helper.make_node("LSTM", ["x", "w", "r", "", "", "h", "c"], ["y", "next_h", "next_c"], hidden_size=4)
    dims: Any = [1, "b", 4]
    file = model(
        [node],
        {"x": ["s", "b", 3], "h": dims, "c": dims},
        {"y": ["s", 1, "b", 4], "next_h": dims, "next_c": dims},
        {"w": w, "r": r},
        17,
    )
    session = anydim.InferenceSession(file)
    x = random.standard_normal((12, 2, 3)).astype(np.float32)
    zero = np.zeros((1, 2, 4), np.float32)
    whole, h, c = session.run(None, {"x": x, "h": zero, "c": zero})
    state = session.state({"h": "next_h", "c": "next_c"})
    parts = [state.step({"x": x[a:b]})[0] for a, b in ((0, 5), (5, 6), (6, 12))]
    assert (np.concatenate(parts) == whole).all()
    held = state.read()
    assert (held["h"] == h).all()
    assert (held["c"] == c).all()
    state.reset()
    assert (state.step({"x": x})[0] == whole).all()
    state.write({"h": h, "c": c})
    assert (state.step({"x": x})[0] == session.run(["y"], {"x": x, "h": h, "c": c})[0]).all()
    with pytest.raises(UnimplementedError, match="does not grow"):
        state.truncate(0)


def test_a_fork_and_a_truncated_state_go_on_by_themselves() -> None:
    file, pairs = onnx_attention()
    session = anydim.InferenceSession(file)
    state, x = session.state(pairs), rows(1, 2)
    state.step({"x": x[:, :10]})
    copy = state.fork()
    first = state.step({"x": x[:, 10:14]})[0]
    copy.step({"x": -x[:, :3]})
    copy.truncate(10)
    assert (copy.step({"x": x[:, 10:14]})[0] == first).all()
    other = session.state(pairs)
    other.write(state.read())
    assert (other.step({"x": x[:, 14:]})[0] == state.step({"x": x[:, 14:]})[0]).all()
    with pytest.raises(InvalidArgumentError, match="holds 23"):
        state.truncate(24)


def test_errors_name_what_is_wrong_and_leave_the_state_as_it_was() -> None:
    file, pairs = onnx_attention()
    session = anydim.InferenceSession(file)
    with pytest.raises(NotFoundError, match="no input 'nowhere'"):
        session.state({"nowhere": ("key", 2)})
    with pytest.raises(NotFoundError, match="no output 'nowhere'"):
        session.state({"past_key": ("nowhere", 2)})
    with pytest.raises(InvalidArgumentError, match="cannot grow"):
        session.state({"past_key": ("key", 1)})
    with pytest.raises(InvalidArgumentError, match="rank"):
        session.state({"past_key": ("y", 2)})
    with pytest.raises(InvalidArgumentError, match="limit is -1"):
        session.state(pairs, -1)
    state, x = session.state(pairs, 12), rows(1, 4)
    state.step({"x": x[:, :10]})
    twin = state.fork()
    with pytest.raises(OutOfBoundsError, match="limit is 12"):
        state.step({"x": x[:, 10:13]})
    with pytest.raises(InvalidArgumentError, match="lacks the input 'x'"):
        state.step({})
    with pytest.raises(InvalidArgumentError, match="past_key"):
        state.step({"x": x[:, 10:11], "past_key": x})
    with pytest.raises(InvalidArgumentError, match="dtype"):
        state.step({"x": x[:, 10:11].astype(np.float64)})
    with pytest.raises(InvalidArgumentError):
        state.step({"x": np.concatenate([x, x])[:, 10:11]})
    options = anydim.RunOptions()
    options.terminate = True
    with pytest.raises(CancelledError):
        state.step({"x": x[:, 10:11]}, run_options=options)
    assert state.length == 10
    assert (state.step({"x": x[:, 10:12]})[0] == twin.step({"x": x[:, 10:12]})[0]).all()
    with pytest.raises(BusyError, match="has made a step"):
        anydim._capi.state_add(state._handle, "x", "y", -1)


def test_a_part_whose_dims_follow_from_nothing_is_written_first() -> None:
    node = helper.make_node("Add", ["h", "h"], ["next"])
    session = anydim.InferenceSession(model([node], {"h": ["k"]}, {"next": ["k"]}, opset=17))
    state = session.state({"h": "next"})
    with pytest.raises(InvalidArgumentError, match="write the part first"):
        state.step({})
    state.write({"h": np.ones(3, np.float32)})
    for _ in range(3):
        assert state.step({}) == []
    assert state.read()["h"].tolist() == [8, 8, 8]
