# SPDX-License-Identifier: Apache-2.0
"""How operators that draw numbers are drawn: with a seed, so that every way to run a model gives the same bits. Other engines have other
generators, so nobody is asked for the numbers (known.py); tests/conformance/test_random.py holds how they are distributed."""

from __future__ import annotations

from typing import Any

from cases import FLOATS, T
from growing import Growing, allowed
from vocabulary import attributes, draws, some


def seed(g: Growing) -> dict[str, Any]:
    return {"seed": float(g.random.randrange(1, 1 << 20))}


def spread(g: Growing, op: str) -> dict[str, Any]:
    if "Normal" in op:
        return attributes(g, mean=(0.5, 0.5), scale=(0.5, 2.0))
    return attributes(g, low=(0.5, -1.0), high=(0.5, 2.0))


@draws("RandomNormal", "RandomUniform")
def random_numbers(g: Growing, op: str) -> None:
    dtype = g.dtype([T.FLOAT, T.DOUBLE, T.FLOAT16])
    shape = tuple(g.fixed(g.random.choice((1, 2, 3, 7))) for _ in range(g.random.choice((1, 2, 3))))
    named = {"dtype": dtype, "shape": [d[0] for d in shape], **seed(g), **spread(g, op)}
    g.emit(op, [], [(dtype, shape)], size=12, **named)


@draws("RandomNormalLike", "RandomUniformLike")
def random_numbers_like(g: Growing, op: str) -> None:
    x = g.pick([d for d in allowed(op, g.opset, 0) if d != T.BOOL])
    dtype = x.dtype if x.dtype in (T.FLOAT, T.DOUBLE, T.FLOAT16) and some(g) else g.dtype([T.FLOAT, T.DOUBLE])
    named = {} if dtype == x.dtype else {"dtype": dtype}
    g.emit(op, [x], [(dtype, x.shape)], size=12, **named, **seed(g), **spread(g, op))


@draws("Bernoulli")
def bernoulli(g: Growing, op: str) -> None:
    """Of chances that are 0 or 1: a rounding of another one may change the number that it gives."""
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in FLOATS])
    x = g.input(dtype, g.shape(), "integers 0 1")
    g.emit(op, [x], [(dtype, x.shape)], size=1, **seed(g))


@draws("Multinomial")
def multinomial(g: Growing, op: str) -> None:
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in (T.FLOAT, T.DOUBLE)])
    batch, classes, count = g.dim(), g.fixed(g.random.choice((1, 3, 8))), g.random.choice((1, 2, 5))
    x = g.input(dtype, (batch, classes), "normal")
    kind = g.random.choice((T.INT32, T.INT64))
    named = {"sample_size": count, "dtype": kind, **seed(g)}
    g.emit(op, [x], [(kind, (batch, g.fixed(count)))], size=8, **named)
