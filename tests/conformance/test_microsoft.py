# SPDX-License-Identifier: Apache-2.0
"""Operators of com.microsoft on random shapes and options, beside ONNX Runtime."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import anydim
import numpy as np
import pytest
from microsoft import Array, Drawn, by_onnx_runtime, difference

CASES = 15  # of each drawer
Random = np.random.Generator


def floats(r: Random, *dims: int) -> Array:
    return r.standard_normal(dims).astype(np.float32)


def integer(r: Random, low: int, high: int) -> int:
    return int(r.integers(low, high + 1))


def coin(r: Random) -> bool:
    return bool(r.integers(2))


def activation(r: Random) -> Drawn:
    name = str(r.choice(["BiasGelu", "FastGelu", "QuickGelu", "Gelu"]))
    c = 2 * integer(r, 1, 20)
    x, bias = floats(r, integer(r, 1, 3), integer(r, 1, 7), c), floats(r, c)
    if name in ("Gelu", "QuickGelu"):
        return Drawn(name, {"x": x}, {"alpha": 1.5} if name == "QuickGelu" and coin(r) else {})
    return Drawn(name, {"x": x, "bias": None if name == "FastGelu" and coin(r) else bias})


def fused_matmul(r: Random) -> Drawn:
    batch = [integer(r, 1, 3) for _ in range(integer(r, 0, 2))]
    m, k, n = (integer(r, 1, 9) for _ in range(3))
    flags = {name: integer(r, 0, 1) for name in ("transA", "transB")}
    batched = {name: integer(r, 0, 1) if batch else 0 for name in ("transBatchA", "transBatchB")}

    def operand(rows: int, columns: int, transposed: int, moved: int) -> Array:
        dims = [*batch, columns, rows] if transposed else [*batch, rows, columns]
        return floats(r, dims[-2], *dims[:-2], dims[-1]) if moved else floats(r, *dims)

    a = operand(m, k, flags["transA"], batched["transBatchA"])
    b = operand(k, n, flags["transB"], batched["transBatchB"])
    return Drawn("FusedMatMul", {"a": a, "b": b}, {**flags, **batched, "alpha": float(r.choice([1.0, 0.25, -1.5]))})


def skip_layer_norm(r: Random) -> Drawn:
    simplified = coin(r)
    b, s, c = integer(r, 1, 3), integer(r, 1, 6), integer(r, 1, 40)
    x = floats(r, b, s, c)
    skip = floats(r, *([b, s, c], [1, s, c], [s, c])[integer(r, 0, 2)])
    inputs: dict[str, Array | None] = {"x": x, "skip": skip, "gamma": floats(r, c)}
    if not simplified:
        inputs["beta"] = floats(r, c) if coin(r) else None
    inputs["bias"] = floats(r, c) if coin(r) else None
    name = "SkipSimplifiedLayerNormalization" if simplified else "SkipLayerNormalization"
    return Drawn(name, inputs, {"epsilon": 1e-5}, ("y", "", "", "sum") if coin(r) else ("y",))


def simplified_layer_norm(r: Random) -> Drawn:
    c = integer(r, 1, 40)
    outputs = ("y", "inverse") if coin(r) else ("y",)
    x = floats(r, integer(r, 1, 3), integer(r, 1, 6), c)
    return Drawn(
        "SimplifiedLayerNormalization", {"x": x, "scale": floats(r, c)}, {"epsilon": 1e-6, "axis": -1}, outputs, ""
    )


def embed_layer_norm(r: Random) -> Drawn:
    b, s, c = integer(r, 1, 3), integer(r, 1, 6), integer(r, 2, 30)
    ids = r.integers(0, 11, (b, s)).astype(np.int32)
    segments = coin(r)
    return Drawn(
        "EmbedLayerNormalization",
        {
            "ids": ids,
            "segments": r.integers(0, 3, (b, s)).astype(np.int32) if segments else None,
            "words": floats(r, 11, c),
            "places": floats(r, 9, c),
            "segment_table": floats(r, 3, c) if segments else None,
            "gamma": floats(r, c),
            "beta": floats(r, c),
            "mask": r.integers(0, 2, (b, s)).astype(np.int32) if coin(r) else None,
            "positions": r.integers(0, 9, (b, s)).astype(np.int32) if coin(r) else None,
        },
        {"epsilon": 1e-6},
        ("y", "mask_index", "sum") if coin(r) else ("y", "mask_index"),
    )


def tables(r: Random, positions: int, half: int) -> tuple[Array, Array]:
    angles = r.uniform(0, 6.3, (positions, half))
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def rotary(r: Random) -> Drawn:
    b, s, heads, size = integer(r, 1, 3), integer(r, 1, 6), integer(r, 1, 4), 2 * integer(r, 1, 10)
    part = coin(r) and size > 2
    half = size // 4 if part and size >= 4 else size // 2
    by_head = coin(r)
    x = floats(r, b, heads, s, size) if by_head else floats(r, b, s, heads * size)
    attributes: dict[str, Any] = {"interleaved": integer(r, 0, 1)}
    if half * 2 != size:
        attributes |= {"rotary_embedding_dim": half * 2, "num_heads": heads}
    elif coin(r):
        attributes["num_heads"] = heads
    cos, sin = tables(r, 20, half)
    ids = r.integers(0, 20, (b, s)) if coin(r) else np.array([integer(r, 0, 20 - s)])
    return Drawn("RotaryEmbedding", {"x": x, "ids": ids.astype(np.int64), "cos": cos, "sin": sin}, attributes)


def padding(r: Random, batch: int, queries: int, keys: int) -> Array:
    form = integer(r, 0, 1)
    if form == 0:
        return r.integers(1, keys + 1, batch).astype(np.int32)
    mask = r.integers(0, 2, (batch, keys))
    mask[:, 0] = 1
    return mask.astype(np.int32)


def multi_head(r: Random) -> Drawn:
    b, s, heads, size = integer(r, 1, 3), integer(r, 1, 6), integer(r, 1, 4), integer(r, 1, 12)
    width = heads * size
    form = str(r.choice(["apart", "packed", "packed keys", "cache"]))
    attributes: dict[str, Any] = {"num_heads": heads}
    past = integer(r, 1, 5) if form == "apart" and coin(r) else 0
    keys = s if form == "packed" or past else integer(r, 1, 7)
    value_size = size if form != "apart" or past else integer(r, 1, 12)
    inputs: dict[str, Array | None] = {"query": floats(r, b, s, width), "key": None, "value": None}
    if form == "apart":
        inputs |= {"key": floats(r, b, keys, width), "value": floats(r, b, keys, heads * value_size)}
    elif form == "packed":
        inputs["query"] = floats(r, b, s, heads, 3, size)
    elif form == "packed keys":
        inputs["key"] = floats(r, b, keys, heads, 2, size)
    else:
        inputs |= {"key": floats(r, b, heads, keys, size), "value": floats(r, b, heads, keys, size)}
    bias = form == "apart" and coin(r)
    inputs["bias"] = floats(r, 2 * width + heads * value_size) if bias else None
    total = keys + past
    inputs["padding"] = padding(r, b, s, total) if coin(r) else None
    inputs["attention_bias"] = floats(r, b if coin(r) else 1, heads if coin(r) else 1, s, total) if coin(r) else None
    outputs: tuple[str, ...] = ("y",)
    if past:
        inputs |= {"past_key": floats(r, b, heads, past, size), "past_value": floats(r, b, heads, past, size)}
        outputs = ("y", "present_key", "present_value")
    elif form == "apart" and keys == s and value_size == size and coin(r):
        outputs = ("y", "present_key", "present_value")
    if s <= total and form in ("apart", "packed") and keys == s and coin(r):
        attributes["unidirectional"] = 1
    if coin(r):
        attributes["scale"] = 0.3
    if coin(r):
        attributes["mask_filter_value"] = -1000.0
    drawn = Drawn("MultiHeadAttention", inputs, attributes, outputs)
    for name in ("query", "key"):
        packed = inputs[name]
        if packed is not None and packed.ndim == 5:
            parts = [packed[:, :, :, i].reshape(b, -1, width) for i in range(packed.shape[3])]
            names = ("query", "key", "value") if name == "query" else ("key", "value")
            drawn.peer = Drawn(
                "MultiHeadAttention", {**inputs, **dict(zip(names, parts, strict=True))}, attributes, outputs
            )
    return drawn


def attention(r: Random) -> Drawn:
    b, s, heads, size, width = (
        integer(r, 1, 3),
        integer(r, 1, 6),
        integer(r, 1, 4),
        integer(r, 1, 10),
        integer(r, 1, 20),
    )
    past = integer(r, 1, 5) if coin(r) else 0
    value_size = size if past or coin(r) else integer(r, 1, 10)
    columns = heads * (2 * size + value_size)
    inputs: dict[str, Array | None] = {
        "x": floats(r, b, s, width),
        "weights": floats(r, width, columns),
        "bias": floats(r, columns),
        "mask": padding(r, b, s, s + past) if coin(r) else None,
        "past": floats(r, 2, b, heads, past, size) if past else None,
        "attention_bias": floats(r, b, heads, s, s) if coin(r) and not past else None,
    }
    attributes: dict[str, Any] = {"num_heads": heads, "unidirectional": integer(r, 0, 1)}
    if value_size != size:
        attributes["qkv_hidden_sizes"] = [heads * size, heads * size, heads * value_size]
    return Drawn("Attention", inputs, attributes, ("y", "present") if past else ("y",))


def add_sinks(r: Random, inputs: dict[str, Array | None], attributes: dict[str, Any]) -> None:
    """Scores that no key has: one of each head, or 0."""
    if coin(r):
        inputs |= {"positions": None, "attention_bias": None, "head_sink": floats(r, attributes["num_heads"])}
    elif coin(r):
        attributes["smooth_softmax"] = 1


def grouped(r: Random) -> Drawn:
    b, heads, size = integer(r, 1, 3), 2 * integer(r, 1, 3), 16 * integer(r, 1, 2)
    key_heads = int(r.choice([h for h in range(1, heads + 1) if heads % h == 0]))
    first = coin(r)
    s = integer(r, 1, 6) if first or b == 1 else 1
    rotates, packed = coin(r), coin(r)
    if first:
        lengths = np.array([s] if b == 1 else r.integers(1, s + 1, b)) if coin(r) else np.full(b, s)
        lengths = np.full(b, s) if s == 1 else lengths
        total, old = s, 0
    else:
        before = r.integers(1, 9, b)
        lengths, old = before + s, int(before.max())
        total = int(lengths.max())
    room = old if first or coin(r) else total + integer(r, 0, 3)  # a cache that grows, or one with room
    q, k, v = floats(r, b, s, heads * size), floats(r, b, s, key_heads * size), floats(r, b, s, key_heads * size)
    cos, sin = tables(r, 32, size // 2)
    inputs: dict[str, Array | None] = {
        "query": np.concatenate([q, k, v], 2) if packed else q,
        "key": None if packed else k,
        "value": None if packed else v,
        "past_key": floats(r, b, key_heads, room, size) if not first or coin(r) else None,
        "past_value": None,
        "lengths": (lengths - 1).astype(np.int32),
        "total": np.array(total, np.int32),
        "cos": cos if rotates else None,
        "sin": sin if rotates else None,
    }
    if inputs["past_key"] is not None:
        inputs["past_value"] = floats(r, b, key_heads, room, size)
    attributes: dict[str, Any] = {"num_heads": heads, "kv_num_heads": key_heads, "do_rotary": int(rotates)}
    if rotates and coin(r):
        attributes["rotary_interleaved"] = 1
    if coin(r):
        attributes["local_window_size"] = integer(r, 1, 6)
    if coin(r):
        attributes["softcap"] = 3.0
    if coin(r):
        attributes["scale"] = 0.2
    add_sinks(r, inputs, attributes)
    # Behind the end of a prompt, and of a cache, lies what nobody reads.
    present = max(room, total)
    valid = np.arange(present)[None, :] < lengths[:, None]
    rows = np.arange(s)[None, :] < (lengths[:, None] if first else s)
    cache = valid[:, None, :, None]
    return Drawn(
        "GroupQueryAttention", inputs, attributes, ("y", "present_key", "present_value"),
        counts={"y": rows[:, :, None], "present_key": cache, "present_value": cache},
    )  # fmt: skip


def windowed(r: Random) -> Drawn:
    """A cache that holds the last keys alone: rows [0, L) after T keys are those before T, by the operator's description."""
    b, key_heads, size = integer(r, 1, 3), integer(r, 1, 2), 16
    heads, window = key_heads * integer(r, 1, 2), integer(r, 1, 6)
    capacity = window + (0 if coin(r) else integer(r, 1, 5))
    first = coin(r)
    s = integer(r, 1, 14) if b == 1 else integer(r, 2, 14) if first else 1
    before = np.zeros(b, np.int64) if first else r.integers(1, 30, b)
    lengths = before + s
    rotates = coin(r)
    cos, sin = tables(r, 64, size // 2)
    inputs: dict[str, Array | None] = {
        "query": floats(r, b, s, heads * size),
        "key": floats(r, b, s, key_heads * size),
        "value": floats(r, b, s, key_heads * size),
        "past_key": floats(r, b, key_heads, capacity, size),
        "past_value": floats(r, b, key_heads, capacity, size),
        "lengths": (lengths - 1).astype(np.int32),
        "total": np.array(lengths.max(), np.int32),
        "cos": cos if rotates else None,
        "sin": sin if rotates else None,
    }
    attributes: dict[str, Any] = {
        "num_heads": heads, "kv_num_heads": key_heads, "do_rotary": int(rotates),
        "local_window_size": window, "sliding_window_cache": 1,
    }  # fmt: skip
    if coin(r):
        attributes["softcap"] = 3.0
    add_sinks(r, inputs, attributes)
    group = capacity - window + 1
    stay = lengths - group * -(-np.maximum(lengths - capacity, 0) // group)
    cache = (np.arange(capacity)[None, :] < stay[:, None])[:, None, :, None]
    return Drawn(
        "GroupQueryAttention", inputs, attributes, ("y", "present_key", "present_value"),
        counts={"present_key": cache, "present_value": cache},
    )  # fmt: skip


DRAWERS: dict[str, Callable[[Random], Drawn]] = {
    f.__name__: f
    for f in (
        activation, fused_matmul, skip_layer_norm, simplified_layer_norm, embed_layer_norm, rotary, multi_head, attention, grouped,
        windowed,
    )
}  # fmt: skip


@pytest.mark.parametrize("drawer", sorted(DRAWERS))
def test_operators_of_com_microsoft_are_what_onnx_runtime_computes(drawer: str) -> None:
    random = np.random.default_rng(zlib.crc32(drawer.encode()))
    wrong = []
    for _ in range(CASES):
        drawn = DRAWERS[drawer](random)
        try:
            problem = difference(drawn)
        except Exception as failure:
            problem = f"{type(failure).__name__}: {failure}"
        if problem:
            wrong.append(f"{drawn.label}\n    {problem}")
    assert not wrong, f"{len(wrong)} of {CASES}\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("queries", "keys", "past"), [(1, 7, 0), (2, 5, 0), (3, 3, 0), (1, 4, 3), (3, 5, 2), (4, 4, 3), (5, 2, 0)]
)
@pytest.mark.parametrize("masked", [False, True])
def test_queries_that_are_fewer_than_the_keys_are_the_last_tokens(
    queries: int, keys: int, past: int, masked: bool
) -> None:
    """With `unidirectional`. ONNX Runtime does so for the last query on CPUs, and for all of them on GPUs (docs/onnx.md)."""
    r = np.random.default_rng(queries * 100 + keys * 10 + past)
    total, heads, size = keys + past, 2, 4
    inputs: dict[str, Array | None] = {
        "query": floats(r, 1, queries, 8), "key": floats(r, 1, keys, 8), "value": floats(r, 1, keys, 8), "bias": None,
        "padding": np.ones((1, total), np.int32) if masked else None, "attention_bias": None,
    }  # fmt: skip
    if past:
        inputs |= {"past_key": floats(r, 1, heads, past, size), "past_value": floats(r, 1, heads, past, size)}
    outputs = ("y", "present_key", "present_value") if past else ("y",)
    drawn = Drawn("MultiHeadAttention", inputs, {"num_heads": heads, "unidirectional": 1}, outputs)

    def all_of(name: str) -> Array:
        given, before = inputs[name], inputs.get(f"past_{name}")
        assert given is not None
        own = given.reshape(1, -1, heads, size).transpose(0, 2, 1, 3)
        return own if before is None else np.concatenate([before, own], 2)

    q, k, v = all_of("query"), all_of("key"), all_of("value")
    sees = np.arange(total)[None] <= np.arange(queries)[:, None] + past + max(0, keys - queries)
    scores = np.where(sees, q @ k.swapaxes(2, 3) / 2, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = ((weights / weights.sum(-1, keepdims=True)) @ v).transpose(0, 2, 1, 3).reshape(1, queries, 8)
    for dynamic in (False, True):
        (y,) = anydim.InferenceSession(drawn.model(dynamic=dynamic)).run(["y"], drawn.feeds())
        np.testing.assert_allclose(y, expected, rtol=0, atol=2e-6)
    if not past or keys == queries:
        np.testing.assert_allclose(by_onnx_runtime(drawn)[0][:, -1], expected[:, -1], rtol=0, atol=2e-6)


def test_bias_add_is_two_additions() -> None:
    r = np.random.default_rng(1)
    x, bias, skip = floats(r, 2, 3, 8), floats(r, 8), floats(r, 2, 3, 8)
    drawn = Drawn("BiasAdd", {"x": x, "bias": bias, "skip": skip})
    (y,) = anydim.InferenceSession(drawn.model(dynamic=True)).run(["y"], drawn.feeds())
    assert (y == (x + bias) + skip).all()


def test_bias_split_gelu_is_a_half_times_gelu_of_the_other() -> None:
    r = np.random.default_rng(1)
    x, bias = floats(r, 2, 3, 8), floats(r, 8)
    drawn = Drawn("BiasSplitGelu", {"x": x, "bias": bias})
    (y,) = anydim.InferenceSession(drawn.model(dynamic=True)).run(["y"], drawn.feeds())
    half = Drawn("BiasGelu", {"x": x[:, :, 4:].copy(), "bias": bias[4:].copy()})
    (gelu,) = anydim.InferenceSession(half.model(dynamic=True)).run(["y"], half.feeds())
    assert (y == (x + bias)[:, :, :4] * gelu).all()


def refused(drawn: Drawn) -> str:
    with pytest.raises(anydim.UnimplementedError) as failure:
        anydim.InferenceSession(drawn.model(dynamic=False))
    return str(failure.value)


def test_what_is_not_computed_is_refused_by_name() -> None:
    r = np.random.default_rng(2)
    base = grouped(r)
    assert "qk_output is 1; expected 0" in refused(
        Drawn(base.operator, base.inputs, base.attributes | {"qk_output": 1}, base.outputs)
    )
    norms = dict(base.inputs)
    for name in ("cos", "sin", "positions", "attention_bias", "head_sink", "k_scale", "v_scale"):
        norms.setdefault(name, None)
    norms |= {name: floats(r, 16) for name in ("q_norm_weight", "k_norm_weight")}
    assert "q_norm_weight" in refused(Drawn(base.operator, norms, base.attributes, base.outputs))
    window = windowed(r)
    biased = window.inputs | {"positions": None, "attention_bias": floats(r, 1, 1, 1, 40)}
    assert "attention_bias" in refused(Drawn(window.operator, biased, window.attributes, window.outputs))
    table, _ = tables(r, 20, 4)
    turned = {"x": floats(r, 1, 2, 8), "ids": np.zeros((1, 2), np.int64), "cos": table, "sin": table}
    assert "is_packed_batching" in refused(Drawn("RotaryEmbedding", turned, {"is_packed_batching": 1}))
    assert "scale is 2" in refused(Drawn("RotaryEmbedding", turned, {"scale": 2.0}))


def test_an_operator_of_com_microsoft_has_nothing_that_its_row_does_not_know() -> None:
    x = np.ones((1, 2, 4), np.float32)
    with pytest.raises(anydim.InvalidModelError, match="no attribute 'beta'"):
        anydim.InferenceSession(Drawn("QuickGelu", {"x": x}, {"beta": 1.0}).model(dynamic=False))
    with pytest.raises(anydim.InvalidModelError, match="has at most 1"):
        anydim.InferenceSession(Drawn("Gelu", {"x": x, "y2": x}).model(dynamic=False))
    with pytest.raises(anydim.UnimplementedError, match=r"com\.microsoft\.Nothing"):
        anydim.InferenceSession(Drawn("Nothing", {"x": x}).model(dynamic=False))


def test_a_length_beyond_the_cache_is_an_error_of_the_run() -> None:
    r = np.random.default_rng(3)
    q = floats(r, 1, 1, 32)
    cache = floats(r, 1, 2, 4, 16)
    inputs = {"query": q, "key": q, "value": q, "past_key": cache, "past_value": cache}
    inputs |= {"lengths": np.array([9], np.int32), "total": np.array(4, np.int32)}
    drawn = Drawn(
        "GroupQueryAttention", inputs, {"num_heads": 2, "kv_num_heads": 2}, ("y", "present_key", "present_value")
    )
    with pytest.raises(anydim.Error):
        anydim.InferenceSession(drawn.model(dynamic=True)).run(None, drawn.feeds())
