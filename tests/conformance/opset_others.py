# SPDX-License-Identifier: Apache-2.0
"""Rows of opset_table.py's kind: numbers of few bits, attention and its caches, angles and bits, and steps of training."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from opset_cases import Array, Case
from opset_inputs import f, grid, i, s

BYTES: tuple[Any, ...] = (np.uint8, np.int8)


def rows() -> Iterator[Case]:
    yield from angles_and_bits()
    yield from conversions()
    yield from products()
    yield from attention()
    yield from caches()
    yield from training()


def angles_and_bits() -> Iterator[Case]:
    inside = i(-1, -0.75, -0.25, -0.0, 0, 0.5, 1, np.nan, 1.5, dtype=np.float32)
    beyond = i(1, 1.25, 3, 100, np.inf, 0.5, np.nan, dtype=np.float32)
    wide = i(-np.inf, -100, -3, -0.5, 0, 0.25, 1, 30, 80, np.nan, dtype=np.float32)
    kind: Any
    for kind in (np.float32, np.float64, np.float16):
        since = 7 if kind == np.float32 else 22
        for name in ("Acos", "Asin", "Atanh"):
            yield Case(name, [inside.astype(kind)], since=since)
        yield Case("Acosh", [beyond.astype(kind)], since=since)
        for name in ("Atan", "Asinh", "Cos", "Sin", "Tan", "Cosh", "Sinh"):
            yield Case(name, [wide[1:-2].astype(kind)] if kind == np.float16 else [wide.astype(kind)], since=since)
    # The oracles compute the error function of doubles in single precision.
    doubles = wide[:-1].astype(np.float64)
    erf = np.array([math.erf(x) for x in doubles])
    yield Case("Erf", [doubles], expected=[erf], since=9, tolerance=1e-9)  # 1e-15 of doubles
    gelu = np.array([x / 2 * math.erfc(-x / 2**0.5) for x in doubles[1:]])
    yield Case("Gelu", [doubles[1:]], expected=[gelu], since=20, tolerance=1e-9)
    yield Case("Not", [f(3, 4) > 0], since=1)
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        a, b = i([1, 100, 7], [0, 55, 127]).astype(kind), i(3, 64, 5).astype(kind)
        yield Case("BitwiseNot", [a], since=18)
        for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            yield Case(name, [a, b], since=18)


def small(kind: Any, *dims: int, seed: int = 0) -> Array:
    limits = np.iinfo(kind)
    return np.random.default_rng(seed).integers(max(limits.min, -120), min(limits.max, 240) + 1, dims).astype(kind)


def conversions() -> Iterator[Case]:
    x = f(3, 8) * 9
    for kind in BYTES:
        zero = np.array(7, kind)
        per_row, zeros = np.array([0.5, 0.25, 2.0], np.float32), np.array([3, 0, 9], kind)
        for given in ([s(0.5)], [s(0.5), zero]):
            if len(given) == 2 or kind == np.uint8:
                yield Case("QuantizeLinear", [x], given)
            yield Case("DequantizeLinear", [small(kind, 3, 8)], given)
        for axis in (0, -2):
            yield Case("QuantizeLinear", [x], [per_row, zeros], attributes={"axis": axis}, since=13)
            yield Case("DequantizeLinear", [small(kind, 3, 8)], [per_row, zeros], attributes={"axis": axis}, since=13)
        columns: list[Array] = [np.linspace(0.25, 2, 8).astype(np.float32), small(kind, 8, seed=1)]
        yield Case("QuantizeLinear", [x], columns, since=13)
        yield Case("DequantizeLinear", [small(kind, 3, 8)], columns, since=13)
        blocks = np.abs(f(3, 2, seed=2)) + 0.25, small(kind, 3, 2, seed=3)
        named = {"axis": 1, "block_size": 4}
        yield Case("QuantizeLinear", [x], blocks, attributes=named, since=21)
        yield Case("DequantizeLinear", [small(kind, 3, 8)], blocks, attributes=named, since=21)
    for kind in (np.int16, np.uint16):
        zero = np.array(7, kind)
        yield Case("QuantizeLinear", [x], [s(0.125), zero], since=21)
        yield Case("DequantizeLinear", [small(kind, 3, 8)], [s(0.125), zero], since=21)
    for to in (2, 3, 4, 5):
        yield Case("QuantizeLinear", [x], [s(0.5)], attributes={"output_dtype": to}, since=21)
    yield Case("DequantizeLinear", [i([1, -7], [300, 2**20], dtype=np.int32)], [s(0.5)])
    half = np.array(0.5, np.float16)
    yield Case("QuantizeLinear", [x.astype(np.float16)], [half, np.array(3, np.uint8)], since=19)
    yield Case("DequantizeLinear", [small(np.uint8, 3, 8)], [half, np.array(3, np.uint8)], since=19)
    ties = i(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 200, 300, -300, dtype=np.float32)
    yield Case("QuantizeLinear", [ties], [s(1.0), np.array(0, np.int8)])
    for y in (x, -np.abs(x) - 1, np.abs(x) + 1, np.zeros((2, 3), np.float32), ties):
        yield Case("DynamicQuantizeLinear", [y], since=11)


def products() -> Iterator[Case]:
    for left, right in itertools.product(BYTES, repeat=2):
        a, b = small(left, 3, 5), small(right, 5, 4, seed=1)
        zeros = np.array(7, left), np.array(3, right)
        if (left, right) != (np.int8, np.uint8):
            yield Case("MatMulInteger", [a, b], since=10)
            yield Case("MatMulInteger", [a, b], zeros, since=10)
            yield Case("MatMulInteger", [small(left, 2, 3, 5), b], zeros, since=10)
        if left == right or left == np.uint8:
            scales = s(0.5), s(0.25), s(3.0)
            for out in (left,):
                given = [
                    scales[0],
                    zeros[0],
                    b,
                    scales[1],
                    zeros[1],
                    scales[2],
                    np.array(100 if out == np.uint8 else 1, out),
                ]
                yield Case("QLinearMatMul", [a], given, since=10)
    images = small(np.uint8, 1, 2, 5, 6)
    for kind in BYTES:
        w = small(kind, 4, 2, 3, 3, seed=2)
        for named in grid(pads=(None, [1, 0, 1, 2]), strides=(None, [2, 1]), dilations=(None, [1, 2])):
            if kind == np.uint8:
                yield Case("ConvInteger", [images], [w], attributes=named, since=10)
                yield Case(
                    "ConvInteger", [images], [w, np.array(7, np.uint8), np.array(3, kind)], attributes=named, since=10
                )
            given = [s(0.5), np.array(7, np.uint8), w, s(0.25), np.array(3, kind), s(40.0), np.array(120, np.uint8)]
            yield Case("QLinearConv", [images], given, attributes=named, since=10)
            yield Case("QLinearConv", [images], [*given, i(5, -9, 1000, 0, dtype=np.int32)], attributes=named, since=10)
        each = [
            s(0.5),
            np.array(7, np.uint8),
            w,
            np.array([0.25, 0.5, 0.125, 1.0], np.float32),
            np.zeros(4, kind),
            s(40.0),
            np.array(120, np.uint8),
        ]
        yield Case("QLinearConv", [images], each, since=10)
        grouped = [
            s(0.5),
            np.array(7, np.uint8),
            w[:, :1].copy(),
            s(0.25),
            np.array(3, kind),
            s(40.0),
            np.array(120, np.uint8),
        ]
        yield Case("QLinearConv", [images], grouped, attributes={"group": 2}, since=10)
    for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield Case(
            "ConvInteger",
            [images],
            [small(np.uint8, 4, 2, 3, 3)],
            attributes={"auto_pad": pad, "strides": [2, 2]},
            since=10,
        )


def attention() -> Iterator[Case]:
    q, k, v = (f(2, 4, 3, 8, seed=1) / 3, f(2, 4, 5, 8, seed=2) / 3, f(2, 4, 5, 6, seed=3))
    few = [q, k[:, :2].copy(), v[:, :2].copy()]
    flat = [x.transpose(0, 2, 1, 3).reshape(2, x.shape[2], -1).copy() for x in (q, k, v)]
    heads = {"q_num_heads": 4, "kv_num_heads": 4}
    masks = [np.arange(15).reshape(3, 5) % 4 != 1, f(3, 5, seed=4), f(2, 4, 3, 5, seed=4), f(1, 1, 3, 5, seed=4)]
    for named in grid(scale=(None, 0.5), softcap=(None, 2.0), is_causal=(None, 0, 1)):
        for given, more in (([q, k, v], {}), (few, {}), (flat, heads)):
            # A head size that only a run knows scales the queries before the product (docs/decisions, 149).
            loose = 1e-5 if named.get("scale") is None else 0.0
            yield Case(
                "Attention", given, attributes={**named, **more}, since=23, tolerance=1e-5, dynamic_tolerance=loose
            )
    for mask in masks:
        for given, more in (([q, k, v], {}), (flat, heads)):
            yield Case("Attention", [*given, mask], attributes=more, since=23, tolerance=1e-5, dynamic_tolerance=1e-5)
    past = f(2, 4, 2, 8, seed=5), f(2, 4, 2, 6, seed=6)
    late = replace(
        Case("Attention", [q, k, v, f(3, 7, seed=4), *past], since=23, tolerance=1e-5, dynamic_tolerance=1e-5),
        outputs=3,
    )
    yield late
    for mode in (0, 1, 2, 3):
        for causal in (0, 1):
            named = {"qk_matmul_output_mode": mode, "is_causal": causal}
            yield replace(late, outputs=4, attributes=named)
    for window in grid(left_window_size=(None, 0, 2), right_window_size=(None, 0, 1)):
        yield Case("Attention", [q, k, v], attributes=window, since=25, tolerance=1e-5, dynamic_tolerance=1e-5)
    x, cos, sin = f(2, 4, 3, 8), f(10, 4, seed=1), f(10, 4, seed=2)
    places = i([0, 3, 9], [1, 2, 8])
    for interleaved in (None, 0, 1):
        named = {"interleaved": interleaved}
        yield Case("RotaryEmbedding", [x, cos, sin, places], attributes=named, since=23)
        yield Case("RotaryEmbedding", [x, f(2, 3, 4, seed=1), f(2, 3, 4, seed=2)], attributes=named, since=23)
        yield Case(
            "RotaryEmbedding",
            [x, cos[:, :2].copy(), sin[:, :2].copy(), places],
            attributes={**named, "rotary_embedding_dim": 4},
            since=23,
        )
        three = x.transpose(0, 2, 1, 3).reshape(2, 3, 32).copy()
        yield Case("RotaryEmbedding", [three, cos, sin, places], attributes={**named, "num_heads": 4}, since=23)
    for alpha in (None, 1.0, 1.7):
        yield Case("SwiGLU", [f(3, 8), f(3, 8, seed=1)], attributes={"alpha": alpha}, since=28, tolerance=1e-5)
    rules = ("linear", "gated", "delta", "gated_delta")
    for rule in rules:
        named = {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": rule}
        given = [f(2, 5, 8, seed=k) / 4 for k in range(3)]
        state, decay, beta = f(2, 2, 4, 4, seed=4), -np.abs(f(2, 5, 2, seed=5)), np.abs(f(2, 5, 2, seed=6)) / 3
        constants = [state, decay if "gated" in rule else None, beta if "delta" in rule else None]
        yield Case("LinearAttention", given, constants, attributes=named, outputs=2, since=27, tolerance=1e-4)
    for activation in (None, "none", "silu", "swish"):
        named = {"activation": activation}
        x, w = f(2, 3, 6), f(3, 1, 4, seed=1)
        yield Case("CausalConvWithState", [x], [w], attributes=named, outputs=2, since=27, tolerance=1e-5)
        yield Case(
            "CausalConvWithState",
            [x],
            [w, f(3), f(2, 3, 3, seed=2)],
            attributes=named,
            outputs=2,
            since=27,
            tolerance=1e-5,
        )


def caches() -> Iterator[Case]:
    cache, fresh = f(2, 3, 6, 4), f(2, 3, 2, 4, seed=1)
    for mode in (None, "linear", "circular"):
        for places in (None, i(1, 3)) if mode != "circular" else (i(1, 5),):
            yield Case("TensorScatter", [cache, fresh], [places], attributes={"mode": mode, "axis": 2}, since=24)
            yield Case("TensorScatter", [cache, fresh], [places], attributes={"mode": mode}, since=24)


def training() -> Iterator[Case]:
    domain = "ai.onnx.preview.training"
    x, g, a, b = f(3, 4), f(3, 4, seed=1), np.abs(f(3, 4, seed=2)), np.abs(f(3, 4, seed=3))
    rate, step = s(0.1), np.array(3, np.int64)
    for named in grid(norm_coefficient=(None, 0.1), epsilon=(None, 1e-3)):
        for decay in (None, 0.2):
            yield Case(
                "Adagrad",
                [rate, step, x, g, a],
                attributes={**named, "decay_factor": decay},
                outputs=2,
                since=1,
                domain=domain,
            )
        for post in (None, 0.2):
            more = {**named, "norm_coefficient_post": post, "alpha": 0.8, "beta": 0.95}
            yield Case("Adam", [rate, step, x, g, a, b], attributes=more, outputs=3, since=1, domain=domain, tolerance=1e-5,
                       expected=adam(x, g, a, b, named["norm_coefficient"] or 0.0, named["epsilon"] or 1e-6, post or 0.0))  # fmt: skip
    for mode, count in itertools.product(("standard", "nesterov"), (0, 3)):
        named = {"norm_coefficient": 0.1, "alpha": 0.9, "beta": 0.5, "mode": mode}
        yield Case(
            "Momentum", [rate, np.array(count, np.int64), x, g, a], attributes=named, outputs=2, since=1, domain=domain
        )


def adam(x: Array, g: Array, v: Array, h: Array, norm: float, epsilon: float, post: float) -> list[Array]:
    """By ONNX's text, for training() alone; the reference's results are float64."""
    g = norm * x + g
    v, h = 0.8 * v + 0.2 * g, 0.95 * h + 0.05 * g * g
    rate = 0.1 * np.sqrt(1 - 0.95**3) / (1 - 0.8**3)
    new = (1 - post) * (x - rate * v / (np.sqrt(h) + epsilon))
    return [np.asarray(y, np.float32) for y in (new, v, h)]


OTHERS: tuple[Case, ...] = tuple(rows())
