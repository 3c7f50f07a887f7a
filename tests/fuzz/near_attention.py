# SPDX-License-Identifier: Apache-2.0
"""Attention as exporters write it, softmax(q k^T * c + bias) v, and what is near it: other ranks, heads that are shared, an axis that is
not the last one, a bias that makes the scores larger, a scale that is no number, inner values that others read."""

from __future__ import annotations

from cases import T
from disturbing import disturb, near_scalar, odd, pattern, step
from growing import Growing, Shape, Value
from near_movers import transposed


def product(g: Growing, a: Value, b: Value) -> Value:
    g.need(a.rank >= 2 and b.rank >= 2 and a.shape[-1] == b.shape[-2])
    shape = (*g.broadcast(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
    size = min(200.0, 3 * a.size * b.size)
    return disturb(g, g.emit("MatMul", [a, b], [(a.dtype, shape)], kept=False, size=size)[0])


def heads(g: Growing, batch: Shape, rows: tuple[int, ...], size: tuple[int, ...], dtype: int) -> Value:
    """[.., rows, size]; as it lies, or turned from rows before heads. Now and then shared by heads or examples."""
    dims = [g.fixed(1) if odd(g, 0.06) else d for d in batch]
    if len(dims) == 2 and g.random.random() < 0.4:
        return transposed(g, g.input(dtype, (dims[0], rows, dims[1], size)), (0, 2, 1, 3))
    return g.input(dtype, (*dims, rows, size))


def keys(g: Growing, batch: Shape, rows: tuple[int, ...], size: tuple[int, ...], dtype: int) -> Value:
    """[.., size, rows]: turned by one transposition, by two, or lying so."""
    r = g.random.random()
    if r < 0.25 and len(batch) == 2:
        return transposed(g, g.input(dtype, (batch[0], rows, batch[1], size)), (0, 2, 3, 1))
    if r < 0.85:
        x = heads(g, batch, rows, size, dtype)
        return transposed(g, x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])
    return g.input(dtype, (*(g.fixed(1) if odd(g, 0.06) else d for d in batch), size, rows))


def biased(g: Growing, x: Value) -> Value:
    """Plus a mask: over keys, over both, over all of the scores; rarely one that makes them larger."""
    ones = [g.fixed(1)] * x.rank
    r = g.random.random()
    if r < 0.25:
        shape: Shape = (x.shape[0], *ones[2:], x.shape[-1])
    elif r < 0.5:
        shape = (*ones[2:], *x.shape[-2:])
    elif r < 0.65:
        shape = x.shape
    elif r < 0.75:
        shape = x.shape[g.random.randrange(x.rank) :]
    elif r < 0.9:
        shape = tuple(d if g.random.random() < 0.5 else g.fixed(1) for d in x.shape)
    else:
        shape = g.broadcast_partner(x.shape)
    return step(g, "Add", x, g.operand(x.dtype, shape, constant=0.2))


@pattern
def attention(g: Growing) -> Value:
    dtype = g.random.choice((T.FLOAT,) * 10 + (T.DOUBLE, T.FLOAT16))
    batch = tuple(g.dim() for _ in range(g.random.choice((2, 2, 2, 2, 2, 1, 3, 0))))
    size, queries = g.fixed(g.random.choice((1, 2, 3, 4, 5, 8, 9))), g.dim()
    rows = queries if g.random.random() < 0.4 else g.dim()
    q, k = heads(g, batch, queries, size, dtype), keys(g, batch, rows, size, dtype)
    if odd(g, 0.15):
        q = step(g, "Mul", q, near_scalar(g, q, 0.5))
    x = product(g, q, k)
    r = g.random.random()
    if r < 0.45:
        x = step(g, "Mul", x, near_scalar(g, x, g.random.choice((0.5, 0.35))))
    elif r < 0.7:
        x = step(g, "Div", x, near_scalar(g, x, g.random.choice((2.0, 2.828))), commute=False)
    if g.random.random() < 0.6:
        x = biased(g, x)
    if odd(g, 0.08):
        x = biased(g, x)
    axis = x.rank - 1 if not odd(g, 0.08) else g.random.randrange(x.rank)
    g.need(all(min(d) > 0 for d in x.shape) or axis == x.rank - 1)
    written = axis - x.rank if g.random.random() < 0.5 and g.opset >= 11 else axis
    op = "Softmax" if not odd(g, 0.04) else "LogSoftmax"
    weights = disturb(g, g.emit(op, [x], [(dtype, x.shape)], kept=False, size=1.0, axis=written)[0])
    values = heads(g, batch, rows, size if g.random.random() < 0.5 else g.dim(), dtype)
    y = product(g, *((weights, values) if not odd(g, 0.04) else (values, weights)))
    if y.rank == 4 and g.random.random() < 0.5:
        y = transposed(g, y, (0, 2, 1, 3))
    return step(g, "Relu", y) if g.random.random() < 0.3 else y
