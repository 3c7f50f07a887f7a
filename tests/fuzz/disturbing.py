# SPDX-License-Identifier: Apache-2.0
"""What turns a pattern that a pass rewrites into one that is near it, and the table of the patterns. Files near_*.py fill it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cases import NUMPY, T
from growing import Growing, Shape, Value

Pattern = Callable[[Growing], Value]
PATTERNS: dict[str, Pattern] = {}


def pattern(build: Pattern) -> Pattern:
    PATTERNS[build.__name__] = build
    return build


def odd(g: Growing, chance: float = 0.12) -> bool:
    return g.random.random() < chance


def start(
    g: Growing, ranks: Sequence[int] = (1, 2, 3, 4), dtypes: Sequence[int] | None = None, fixed_axis: int | None = None
) -> Value:
    """What a pattern begins with. fixed_axis: its dim is a number. Dims repeat now and then, so that a size identifies no axis."""
    dtype = g.random.choice(dtypes or (T.FLOAT,) * 9 + (T.DOUBLE, T.FLOAT16))
    shape = list(g.shape(g.random.choice(tuple(ranks))))
    if fixed_axis is not None and shape:
        shape[fixed_axis] = g.fixed(g.random.choice((1, 2, 3, 4, 5, 8, 16, 17)))
    if len(shape) > 1 and g.random.random() < 0.25:
        shape[g.random.randrange(len(shape))] = shape[g.random.randrange(len(shape))]
    return g.input(dtype, tuple(shape))


def near(g: Growing, value: float) -> float:
    """The constant, mostly; or one that is not."""
    r = g.random.random()
    if r < 0.82:
        return value
    return g.random.choice((value * 1.001, value * 0.999, -value, value * 2, 0.0, 1.0, value + 1))


def near_scalar(g: Growing, like: Value, value: float) -> Value:
    """A constant of one element, of a rank that may exceed that of its partner; or a tensor that is not one element."""
    number = near(g, value)
    r = g.random.random()
    if r < 0.7:
        return g.scalar(like.dtype, number)
    if r < 0.9:
        return g.scalar(like.dtype, number, g.random.randint(1, max(1, like.rank)))
    if r < 0.95 and like.rank < 7:
        return g.scalar(like.dtype, number, like.rank + 1)
    dims = [d[0] if g.is_fixed(d) and g.random.random() < 0.7 else 1 for d in like.shape]
    return g.constant(np.full(dims, number).astype(NUMPY[like.dtype]))


def step(g: Growing, op: str, a: Value, b: Value | None = None, *, commute: bool = True, **attributes: Any) -> Value:
    """One element-wise node. Now and then its value is an output, or gets another user."""
    inputs = [a] if b is None else [a, b]
    if b is not None and commute and op in ("Add", "Mul") and g.random.random() < 0.4:
        inputs.reverse()
    shape = g.broadcast(*(v.shape for v in inputs))
    y = g.emit(op, inputs, [(a.dtype, shape)], kept=False, size=min(50.0, max(v.size for v in inputs)), **attributes)[0]
    return disturb(g, y)


def disturb(g: Growing, y: Value) -> Value:
    if odd(g, 0.03):
        g.outputs.append(y)
        g.values.append(y)
    if odd(g, 0.03):
        g.outputs.append(g.emit("Neg", [y], [(y.dtype, y.shape)])[0])
    return y


def reduce_mean(g: Growing, x: Value, axes: Sequence[int], keep: bool) -> Value:
    g.need(all(min(x.shape[a]) > 0 for a in axes))
    shape = tuple(g.fixed(1) if a in axes else d for a, d in enumerate(x.shape) if keep or a not in axes)
    written = [a - x.rank if g.opset >= 11 and g.random.random() < 0.5 else a for a in axes]
    if g.opset >= 18:
        y = g.emit("ReduceMean", [x, g.numbers(*written)], [(x.dtype, shape)], kept=False, keepdims=int(keep))[0]
    else:
        y = g.emit("ReduceMean", [x], [(x.dtype, shape)], kept=False, axes=written, keepdims=int(keep))[0]
    return disturb(g, y)


def parameter(g: Growing, x: Value, axes: Sequence[int], recipe: str = "normal") -> Value:
    """A factor or summand: over these axes, as a pass expects it; or over others, or of more dims than x."""
    r = g.random.random()
    shape: Shape
    first = min(axes) if axes else 0
    if r < 0.5:
        shape = x.shape[first:]
    elif r < 0.6:
        shape = tuple(d if a in axes else g.fixed(1) for a, d in enumerate(x.shape))
    elif r < 0.75:
        other = g.random.randrange(x.rank)  # per row, or per channel
        shape = (x.shape[other], *(g.fixed(1) for _ in range(x.rank - other - 1)))
    elif r < 0.85:
        shape = tuple(d if g.random.random() < 0.5 else g.fixed(1) for d in x.shape)
    elif r < 0.92:
        shape = tuple(g.fixed(1) for _ in range(g.random.randrange(x.rank + 1)))
    elif x.rank < 6:
        shape = (g.dim(), *x.shape)
    else:
        shape = ()
    return g.operand(x.dtype, shape, recipe, constant=0.85)
