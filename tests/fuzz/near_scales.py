# SPDX-License-Identifier: Apache-2.0
"""Scales and shifts behind convolutions and products, and what is near those that fold into their weights."""

from __future__ import annotations

import numpy as np
from cases import NUMPY, T
from disturbing import disturb, near, odd, pattern, start, step
from growing import Growing, Shape, Value
from near_functions import batch_norm_after


def feeder(g: Growing) -> Value:
    """A convolution, transposed convolution, matmul or gemm, mostly with constant weights."""
    form = g.random.randrange(5)
    share = 0.9
    bias_there = g.random.random() < 0.6
    dtype = g.random.choice((T.FLOAT,) * 8 + (T.DOUBLE, T.FLOAT16))
    if form <= 1:
        c, o = g.random.choice((1, 2, 3, 4, 8)), g.random.choice((1, 2, 3, 4, 8, 16))
        spatial = g.random.choice((1, 2, 2, 2, 3))
        shape = (g.dim(), g.fixed(c), *(g.dim() for _ in range(spatial)))
        g.need(all(min(d) > 0 for d in shape[1:]))
        x = g.input(dtype, shape)
        if form == 0:
            group = g.random.choice([d for d in (1, 1, 2, c) if c % d == 0 and o % d == 0])
            w = g.operand(dtype, tuple(map(g.fixed, (o, c // group, *[1] * spatial))), constant=share)
            b = g.operand(dtype, (g.fixed(o),), constant=share) if bias_there else None
            return disturb(
                g, g.emit("Conv", [x, w, b], [(dtype, (shape[0], g.fixed(o), *shape[2:]))], kept=False, group=group)[0]
            )
        group = g.random.choice([d for d in (1, 1, 2, c) if c % d == 0])
        w = g.operand(dtype, tuple(map(g.fixed, (c, o, *[1] * spatial))), constant=share)
        b = g.operand(dtype, (g.fixed(o * group),), constant=share) if bias_there else None
        return disturb(
            g,
            g.emit(
                "ConvTranspose",
                [x, w, b],
                [(dtype, (shape[0], g.fixed(o * group), *shape[2:]))],
                kept=False,
                group=group,
            )[0],
        )
    k, n = g.random.choice((1, 2, 3, 4, 8)), g.random.choice((1, 2, 3, 4, 8, 16))
    if form == 2:
        x = g.input(dtype, (g.dim(), g.fixed(k)))
        trans = int(g.random.random() < 0.5)
        w = g.operand(dtype, (g.fixed(n), g.fixed(k)) if trans else (g.fixed(k), g.fixed(n)), constant=share)
        forms: list[Shape] = [
            (g.fixed(n),),
            (),
            (g.fixed(1), g.fixed(n)),
            (x.shape[0], g.fixed(n)),
            (x.shape[0], g.fixed(1)),
        ]
        b = g.operand(dtype, g.random.choice(forms), constant=share) if bias_there or g.opset < 11 else None
        named = {"alpha": near(g, 1.0), "beta": near(g, 1.0)}
        return disturb(
            g, g.emit("Gemm", [x, w, b], [(dtype, (x.shape[0], g.fixed(n)))], kept=False, transB=trans, **named)[0]
        )
    rank = g.random.choice((1, 2, 3, 4))
    lead = tuple(g.dim() for _ in range(rank - 1))
    x = g.input(dtype, (*lead, g.fixed(k)))
    if form == 3 or rank == 1:
        w = g.operand(dtype, (g.fixed(k), g.fixed(n)), constant=share)
        return disturb(g, g.emit("MatMul", [x, w], [(dtype, (*lead, g.fixed(n)))], kept=False)[0])
    # Weights with a batch of their own, a vector, or on the left.
    r = g.random.randrange(3)
    if r == 0 and rank >= 3:
        w = g.operand(dtype, (g.fixed(1), g.fixed(k), g.fixed(n)), constant=share)
        return disturb(g, g.emit("MatMul", [x, w], [(dtype, (*lead, g.fixed(n)))], kept=False)[0])
    if r == 1:
        w = g.operand(dtype, (g.fixed(k),), constant=share)
        return disturb(g, g.emit("MatMul", [x, w], [(dtype, lead)], kept=False)[0])
    rows = g.operand(dtype, (g.fixed(n), lead[-1]), constant=share)
    return disturb(g, g.emit("MatMul", [rows, x], [(dtype, (*lead[:-1], g.fixed(n), g.fixed(k)))], kept=False)[0])


def channel_parameter(g: Growing, y: Value, recipe: str) -> Value:
    """A constant factor: a scalar, per channel in its several forms, along another axis, or one that grows the result."""
    r = g.random.random()
    channel = 1 if y.rank > 2 and g.random.random() < 0.7 else y.rank - 1
    one = g.fixed(1)
    shape: Shape
    if r < 0.3 or y.rank == 0:
        shape = tuple(one for _ in range(g.random.choice((0, 0, 1, y.rank))))
    elif r < 0.75:
        shape = (y.shape[channel], *(one for _ in range(y.rank - channel - 1)))
        if g.random.random() < 0.3:
            shape = (*(one for _ in range(y.rank - len(shape))), *shape)
    elif r < 0.88:
        axis = g.random.randrange(y.rank)
        shape = (y.shape[axis], *(one for _ in range(y.rank - axis - 1)))
    elif r < 0.94 and y.rank < 7:
        shape = tuple(one for _ in range(y.rank + 1))
    else:
        shape = tuple(d if g.random.random() < 0.5 else g.dim() if d == one else one for d in y.shape)
    value = g.operand(y.dtype, shape, recipe, constant=0.95)
    if odd(g, 0.04) and all(g.is_fixed(d) for d in shape):
        number = g.random.choice((0.0, -0.0, np.inf, np.nan, 1e30, 1e-30, 1.0))
        return g.constant(np.full([d[0] for d in shape], number, NUMPY[y.dtype]))
    return value


@pattern
def scales(g: Growing) -> Value:
    y = feeder(g) if g.random.random() < 0.75 else start(g)
    for _ in range(g.random.randint(1, 5)):
        op = g.random.choice(("Mul", "Add", "Sub", "Div", "Mul", "Add"))
        if y.rank >= 2 and odd(g, 0.12) and g.is_fixed(y.shape[1]):
            y = batch_norm_after(g, y)
            continue
        c = channel_parameter(g, y, "positive" if op == "Div" else "normal")
        turn = op in ("Sub", "Div") and g.random.random() < 0.2
        y = step(g, op, *((c, y) if turn else (y, c)), commute=op in ("Mul", "Add"))
        if odd(g, 0.1):
            y = step(g, g.random.choice(("Relu", "Sigmoid", "Neg")), y)
    return y


@pattern
def shared_feeder(g: Growing) -> Value:
    """One convolution or matmul with several chains behind it, or the same weights under two."""
    y = feeder(g)
    ends = []
    for _ in range(g.random.randint(2, 3)):
        end = step(g, "Mul", y, channel_parameter(g, y, "normal"))
        ends.append(step(g, "Add", end, channel_parameter(g, end, "normal")))
    if ends[0].shape == ends[1].shape:
        return step(g, "Add", ends[0], ends[1])
    g.values += ends[1:]
    return ends[0]
