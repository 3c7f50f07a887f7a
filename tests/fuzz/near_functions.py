# SPDX-License-Identifier: Apache-2.0
"""Layer normalisation and activation functions written out, and what is near them."""

from __future__ import annotations

import numpy as np
from cases import T
from disturbing import disturb, near, near_scalar, odd, parameter, pattern, reduce_mean, start, step
from growing import Growing, Value


@pattern
def layer_norm(g: Growing) -> Value:
    x = start(g, (1, 2, 2, 3, 3, 4), fixed_axis=-1)
    width = g.random.choice((1, 1, 1, 2)) if x.rank > 1 else 1
    axes = list(range(x.rank - width, x.rank))
    if odd(g):
        axes = [g.random.randrange(x.rank)]
    if len(axes) > 1 and g.random.random() < 0.7:
        x = g.input(
            x.dtype, tuple(d if a not in axes else g.fixed(g.random.choice((2, 3, 4))) for a, d in enumerate(x.shape))
        )
    mean = reduce_mean(g, x, axes, not odd(g, 0.06))
    if odd(g, 0.05):
        mean = reduce_mean(g, step(g, "Neg", x), axes, True)
    d = step(g, "Sub", *((x, mean) if not odd(g, 0.06) else (mean, x)), commute=False)
    again = step(g, "Sub", x, mean, commute=False) if odd(g, 0.2) else d
    g.need(again.rank == d.rank)
    r = g.random.random()
    square = (
        step(g, "Pow", again, near_scalar(g, again, 2.0), commute=False)
        if r < 0.5
        else step(g, "Mul", again, again if not odd(g, 0.05) else d)
    )
    over = axes if not odd(g, 0.07) else [g.random.randrange(square.rank)]
    g.need(max(over) < square.rank)
    variance = reduce_mean(g, square, over, not odd(g, 0.04))
    eps = g.scalar(x.dtype, g.random.choice((1e-5, 1e-3, 0.1)), g.random.choice((0, 0, 1, x.rank)))
    if odd(g):
        eps = parameter(g, variance, [0], "positive") if variance.rank else eps
    under = step(g, "Add", variance, eps)
    root = (
        step(g, "Sqrt", under)
        if g.random.random() < 0.7
        else step(g, "Pow", under, near_scalar(g, under, 0.5), commute=False)
    )
    if g.random.random() < 0.75:
        y = step(g, "Div", d, root, commute=False)
    else:
        y = step(g, "Mul", d, step(g, "Reciprocal", root))
    if y.rank == x.rank and g.random.random() < 0.85:
        y = step(g, "Mul", y, parameter(g, y, axes))
        if g.random.random() < 0.85:
            y = step(g, "Add", y, parameter(g, y, [a for a in axes if a < y.rank] or [0]))
        elif y.rank >= 2 and g.random.random() < 0.5:
            y = batch_norm_after(g, y)
    return y


def batch_norm_after(g: Growing, x: Value) -> Value:
    g.need(x.rank >= 2 and g.is_fixed(x.shape[1]) and x.shape[1][0] > 0 and x.dtype in (T.FLOAT, T.DOUBLE, T.FLOAT16))
    c = (x.shape[1],)
    parts = [g.operand(x.dtype, c, recipe, constant=0.9) for recipe in ("normal", "normal", "normal", "positive")]
    return disturb(g, g.emit("BatchNormalization", [x, *parts], [(x.dtype, x.shape)], kept=False)[0])


@pattern
def layer_norm_then_batch_norm(g: Growing) -> Value:
    side = g.fixed(g.random.choice((2, 3, 4)))
    x = g.input(
        T.FLOAT, g.random.choice(((side, side), (g.symbol(), side, side), (g.symbol(), side, g.symbol(), side)))
    )
    mean = reduce_mean(g, x, [x.rank - 1], True)
    d = step(g, "Sub", x, mean, commute=False)
    variance = reduce_mean(g, step(g, "Mul", d, d), [x.rank - 1], True)
    y = step(g, "Div", d, step(g, "Sqrt", step(g, "Add", variance, g.scalar(T.FLOAT, 1e-3))), commute=False)
    return batch_norm_after(g, y)


def clip_value(g: Growing, x: Value, low: float, high: float) -> Value:
    low, high = near(g, low), near(g, high)
    if g.opset < 11:
        named = {"min": low, "max": high}
        if odd(g, 0.05):
            named.pop(g.random.choice(("min", "max")))
        return disturb(g, g.emit("Clip", [x], [(x.dtype, x.shape)], kept=False, **named)[0])
    limits: list[Value | None] = [g.scalar(x.dtype, low), g.scalar(x.dtype, high)]
    if odd(g, 0.05):
        limits[g.random.randrange(2)] = None
    if odd(g, 0.05):
        limits[1] = g.input(x.dtype, (), "positive")
    g.need(g.opset >= 12 or x.dtype in (T.FLOAT, T.DOUBLE, T.FLOAT16))
    return disturb(g, g.emit("Clip", [x, *limits], [(x.dtype, x.shape)], kept=False)[0])


def other_value(g: Growing, x: Value) -> Value:
    """x; or another of its dims, or one that grows it."""
    if not odd(g, 0.08):
        return x
    return g.operand(x.dtype, x.shape if odd(g, 0.5) else g.broadcast_partner(x.shape))


@pattern
def hard_swish(g: Growing) -> Value:
    x = start(g)
    scale, shift = g.random.choice(((6.0, 3.0), (6.0, 3.0), (1.0, 0.5), (4.0, 2.0)))
    clipped = clip_value(g, step(g, "Add", x, near_scalar(g, x, shift)), 0.0, scale)
    form = g.random.randrange(4)
    if form == 0:  # hard_sigmoid
        return step(g, "Div", clipped, near_scalar(g, clipped, scale), commute=False)
    if form == 1:
        return step(g, "Div", step(g, "Mul", other_value(g, x), clipped), near_scalar(g, x, scale), commute=False)
    if form == 2:
        return step(g, "Mul", other_value(g, x), step(g, "Mul", clipped, near_scalar(g, x, 1 / scale)))
    return step(g, "Mul", step(g, "Mul", other_value(g, x), near_scalar(g, x, 1 / scale)), clipped)


@pattern
def hard_swish_by_operator(g: Growing) -> Value:
    x = start(g)
    gate = g.emit("HardSigmoid", [x], [(x.dtype, x.shape)], kept=False, alpha=near(g, 1 / 6), beta=near(g, 0.5))[0]
    return step(g, "Mul", other_value(g, x), disturb(g, gate))


@pattern
def silu_and_kin(g: Growing) -> Value:
    x = start(g)
    form = g.random.randrange(5)
    if form == 0:
        return step(g, "Mul", other_value(g, x), step(g, "Sigmoid", x))
    if form == 1:
        return step(g, "Mul", other_value(g, x), step(g, "Sigmoid", step(g, "Mul", x, near_scalar(g, x, 1.702))))
    if form == 2:
        return step(g, "Mul", other_value(g, x), step(g, "Tanh", step(g, "Softplus", x)))
    if form == 3:
        return step(g, "Mul", x, other_value(g, x))
    g.need(g.opset >= 12 or x.dtype != T.INT32)
    return step(g, "Pow", x, near_scalar(g, x, 2.0), commute=False)


@pattern
def gelu(g: Growing) -> Value:
    x = start(g)
    g.need(g.opset >= 9)
    if g.random.random() < 0.6:
        if g.random.random() < 0.6:
            inner = step(g, "Div", x, near_scalar(g, x, 2**0.5), commute=False)
        else:
            inner = step(g, "Mul", x, near_scalar(g, x, 0.5**0.5))
        gate = step(g, "Erf", inner)
    else:
        cube = (
            step(g, "Pow", x, near_scalar(g, x, 3.0), commute=False)
            if g.random.random() < 0.5
            else step(g, "Mul", x, step(g, "Mul", x, x))
        )
        inner = step(g, "Add", other_value(g, x), step(g, "Mul", cube, near_scalar(g, x, 0.044715)))
        gate = step(g, "Tanh", step(g, "Mul", inner, near_scalar(g, x, (2 / np.pi) ** 0.5)))
    one = step(g, "Add", gate, near_scalar(g, x, 1.0))
    form = g.random.randrange(3)
    if form == 0:
        return step(g, "Mul", step(g, "Mul", other_value(g, x), one), near_scalar(g, x, 0.5))
    if form == 1:
        return step(g, "Mul", step(g, "Mul", other_value(g, x), near_scalar(g, x, 0.5)), one)
    return step(g, "Mul", other_value(g, x), step(g, "Mul", one, near_scalar(g, x, 0.5)))
