# SPDX-License-Identifier: Apache-2.0
"""Movers that follow each other, nodes that change nothing, equal nodes, sizes that are computed, and what is near them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cases import NUMPY, T
from disturbing import disturb, near, near_scalar, odd, pattern, start, step
from growing import Dim, Growing, Shape, Value
from near_scales import channel_parameter

# -- movers, identities, constants -----------------------------------------------------------------------------------


def transposed(g: Growing, x: Value, perm: Sequence[int] | None = None) -> Value:
    g.need(x.rank > 0)  # the package writes no empty list
    if perm is None:
        order = list(range(x.rank))
        g.random.shuffle(order)
        perm = order
    return disturb(
        g, g.emit("Transpose", [x], [(x.dtype, tuple(x.shape[p] for p in perm))], kept=False, perm=list(perm))[0]
    )


def reshaped(g: Growing, x: Value) -> Value:
    """Neighbours merged, ones put in or taken out, all back to one axis, or the same again."""
    r = g.random.random()
    if r < 0.2:
        axis = g.random.randint(0, x.rank)
        dims = tuple(
            g.all_runs(lambda run, part=part: int(np.prod([d[run] for d in part], dtype=np.int64)))
            for part in (x.shape[:axis], x.shape[axis:])
        )  # type: ignore[misc]
        return disturb(g, g.emit("Flatten", [x], [(x.dtype, dims)], kept=False, axis=axis)[0])
    if r < 0.4 and x.rank < 7:
        axis = g.random.randint(0, x.rank)
        shape = (*x.shape[:axis], g.fixed(1), *x.shape[axis:])
        if g.opset < 13:
            return disturb(g, g.emit("Unsqueeze", [x], [(x.dtype, shape)], kept=False, axes=[axis])[0])
        return disturb(g, g.emit("Unsqueeze", [x, g.numbers(axis)], [(x.dtype, shape)], kept=False)[0])
    if r < 0.55 and g.fixed(1) in x.shape:
        axis = x.shape.index(g.fixed(1))
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        if g.opset < 13:
            return disturb(g, g.emit("Squeeze", [x], [(x.dtype, shape)], kept=False, axes=[axis])[0])
        return disturb(g, g.emit("Squeeze", [x, g.numbers(axis)], [(x.dtype, shape)], kept=False)[0])
    g.need(not any(0 in d for d in x.shape))
    target: list[Dim] = []
    written: list[int] = []
    axis = 0
    while axis < x.rank:
        width = g.random.choice((1, 1, 2, 3))
        part = x.shape[axis : axis + width]
        dim = g.all_runs(lambda run, part=part: int(np.prod([d[run] for d in part], dtype=np.int64)))  # type: ignore[misc]
        target.append(dim)
        written.append(
            dim[0] if g.is_fixed(dim) else 0 if len(target) - 1 < x.rank and x.shape[len(target) - 1] == dim else -1
        )
        axis += width
    g.need(written.count(-1) <= 1)
    return disturb(g, g.emit("Reshape", [x, g.numbers(*written)], [(x.dtype, tuple(target))], kept=False)[0])


@pattern
def movers(g: Growing) -> Value:
    x = start(g, (1, 2, 3, 4, 5), (T.FLOAT, T.FLOAT, T.INT64, T.FLOAT16, T.BOOL))
    for _ in range(g.random.randint(2, 6)):
        x = transposed(g, x) if g.random.random() < 0.5 else reshaped(g, x)
    return x


@pattern
def matmul_of_transposed(g: Growing) -> Value:
    rank = g.random.choice((2, 2, 3, 4))
    x = g.input(T.FLOAT, tuple(g.dim() for _ in range(rank)))
    perm = [*range(rank - 2), rank - 1, rank - 2]
    if odd(g, 0.3):
        g.random.shuffle(perm)
    y = transposed(g, x, perm)
    k = y.shape[-1]
    other = g.operand(T.FLOAT, (k, g.dim()) if g.random.random() < 0.5 else (*y.shape[:-2], k, g.dim()), constant=0.3)
    if g.random.random() < 0.4:
        back = g.operand(T.FLOAT, (*other.shape[:-2], other.shape[-1], other.shape[-2]), constant=0.3)
        other = transposed(g, back, [*range(back.rank - 2), back.rank - 1, back.rank - 2])
    shape = (*g.broadcast(y.shape[:-2], other.shape[:-2]), y.shape[-2], other.shape[-1])
    out = disturb(g, g.emit("MatMul", [y, other], [(T.FLOAT, shape)], kept=False)[0])
    if g.random.random() < 0.4:
        out = step(g, "Add", out, channel_parameter(g, out, "normal"))
    return transposed(g, out) if g.random.random() < 0.4 else out


@pattern
def expanded(g: Growing) -> Value:
    """A function of an expanded value."""
    x = start(g, (1, 2, 3))
    shape = g.broadcast(x.shape, g.broadcast_partner(x.shape))
    y = disturb(g, g.emit("Expand", [x, g.dims_as_value(shape)], [(x.dtype, shape)], kept=False)[0])
    form = g.random.randrange(4)
    if form == 0:
        return step(g, g.random.choice(("Relu", "Neg", "Sigmoid")), y)
    if form == 1:
        return step(g, g.random.choice(("Mul", "Add", "Sub", "Div")), y, near_scalar(g, y, 2.0), commute=False)
    if form == 2:
        return step(g, "Sub", near_scalar(g, y, 2.0), y, commute=False)
    return step(g, "Mul", y, g.operand(y.dtype, g.broadcast_partner(y.shape)))


@pattern
def identities(g: Growing) -> Value:
    x = start(g, (0, 1, 2, 3, 4), (T.FLOAT, T.FLOAT, T.FLOAT, T.DOUBLE, T.INT64, T.INT32, T.FLOAT16))
    for _ in range(g.random.randint(1, 4)):
        r = g.random.randrange(12)
        whole = x.dtype in (T.INT64, T.INT32)
        if r < 5:
            op, number = g.random.choice((("Mul", 1), ("Div", 1), ("Sub", 0), ("Add", 0), ("Pow", 1), ("Sub", -0.0)))
            g.need(op != "Pow" or not whole)
            if g.random.random() < 0.5:
                c = g.scalar(x.dtype, number, g.random.randint(0, min(7, x.rank + 1)))
            else:
                dims = [d[0] if g.is_fixed(d) and g.random.random() < 0.6 else 1 for d in x.shape]
                dims = [
                    g.random.choice((2, 3)) if d == 1 and x.shape[a] == g.fixed(1) and odd(g, 0.4) else d
                    for a, d in enumerate(dims)
                ]
                values = np.full(dims, number).astype(NUMPY[x.dtype])
                if odd(g, 0.1) and values.size > 1:
                    values.flat[g.random.randrange(values.size)] = 2
                c = g.constant(values)
            turn = g.random.random() < 0.3 and op != "Pow" and not (op == "Div" and whole)
            x = step(g, op, *((c, x) if turn else (x, c)), commute=False)
        elif r == 5:
            x = g.emit("Cast", [x], [(x.dtype, x.shape)], kept=False, to=x.dtype)[0]
        elif r == 6:
            x = g.emit("Identity", [x], [(x.dtype, x.shape)], kept=False)[0]
        elif r == 7 and x.rank:
            x = transposed(g, x, list(range(x.rank)))
        elif r == 8 and x.rank:
            x = g.emit("Tile", [x, g.numbers(*[1] * x.rank)], [(x.dtype, x.shape)], kept=False)[0]
        elif r == 9:
            x = g.emit("Expand", [x, g.numbers(*[1] * g.random.randint(0, x.rank))], [(x.dtype, x.shape)], kept=False)[
                0
            ]
        elif r == 10 and x.rank and g.opset >= 10:
            axis = g.random.randrange(x.rank)
            end = g.random.choice((2**31 - 1, 2**63 - 1, 3, 1))
            dim = g.all_runs(lambda run, axis=axis, end=end, x=x: min(x.shape[axis][run], end))  # type: ignore[misc]
            shape = (*x.shape[:axis], dim, *x.shape[axis + 1 :])
            x = g.emit("Slice", [x, g.numbers(0), g.numbers(end), g.numbers(axis)], [(x.dtype, shape)], kept=False)[0]
        elif x.rank:
            x = g.emit("Concat", [x], [(x.dtype, x.shape)], kept=False, axis=g.random.randrange(x.rank))[0]
        x = disturb(g, x)
    return x


@pattern
def squeezed(g: Growing) -> Value:
    """A Squeeze without axes: it has one rank in runs where its first dynamic dim is 1 and another elsewhere, and what is behind it
    follows. Near it: dims that are never 1, a dynamic dim before that one, ones that are written, and more nodes than go along."""
    many = odd(g, 0.15)  # more than go into branches: a dim that a run may have 1 is refused then
    first = g.symbol_of((2, 3, 4, 5) if many or odd(g, 0.25) else (1, 1, 2, 3, 5))
    others = [
        g.random.choice((g.fixed(1), g.fixed(3), g.symbol_of((0, 2, 3, 4) if odd(g) else (2, 3, 4))))
        for _ in range(g.random.randint(0, 2))
    ]
    before = [g.fixed(g.random.choice((1, 1, 2)))] if odd(g, 0.4) else []
    if 1 not in first and odd(g, 0.3):
        before.append(g.symbol_of((2, 3, 4)))
    wide = g.random.choice((0, 2, 3, 4))  # of an axis that is never 1; 0: there is none
    x = g.input(T.FLOAT, (*before, first, *others, *([g.fixed(wide)] if wide else [])))
    y = step(g, g.random.choice(("Relu", "Neg", "Abs")), x) if odd(g, 0.5) else x

    def follow(op: str, *more: Value, **named: int) -> None:
        nonlocal y
        y = g.emit(op, [y, *more], [(T.FLOAT, (*y.shape[:-1], *last()))], kept=False, **named)[0]

    def last() -> Shape:
        return (g.fixed(wide),) if wide else y.shape[-1:]

    follow("Squeeze")
    for _ in range(g.random.randint(66, 70) if many else g.random.randint(0, 4)):
        form = g.random.randrange(6) if wide else g.random.randrange(2)
        if many or form == 0:
            follow(g.random.choice(("Neg", "Abs")))
        elif form == 1:
            follow("Mul", g.scalar(T.FLOAT, 1.5))
        elif form == 2:
            follow("Add", g.operand(T.FLOAT, last(), "normal"))
        elif form == 3 and g.opset >= 13:
            follow("Softmax", axis=-1)
        elif form == 4:
            weight = g.operand(T.FLOAT, (g.fixed(wide), g.fixed(g.random.choice((2, 3)))), "normal")
            wide = weight.shape[1][0]
            follow("MatMul", weight)
        else:
            follow("Squeeze")  # nothing is left for it
    form = g.random.randrange(3)
    if form == 0 and not any(0 in d for d in y.shape):
        return disturb(g, g.emit("Reshape", [y, g.dims_as_value(y.shape)], [(T.FLOAT, y.shape)], kept=False)[0])
    if form == 1:
        return disturb(g, g.emit("ReduceSum", [y], [(T.FLOAT, ())], kept=False, keepdims=0)[0])
    length = g.all_runs(lambda run: int(np.prod([d[run] for d in y.shape], dtype=np.int64)))
    return disturb(g, g.emit("Reshape", [y, g.numbers(-1)], [(T.FLOAT, (length,))], kept=False)[0])


@pattern
def twins(g: Growing) -> Value:
    """Nodes that are equal, and nodes that are nearly."""
    x = start(g, (1, 2, 3, 4))
    made = []
    alpha = g.random.choice((0.1, 0.2))
    for _ in range(3):
        made.append(g.emit("LeakyRelu", [x], [(x.dtype, x.shape)], kept=False, alpha=near(g, alpha))[0])
        made.append(step(g, "Mul", x, near_scalar(g, x, 1.5)))
    axis = g.random.randrange(x.rank)
    made.append(g.emit("Softmax", [x], [(x.dtype, x.shape)], kept=False, axis=axis)[0])
    made.append(g.emit("Softmax", [x], [(x.dtype, x.shape)], kept=False, axis=g.random.choice((axis, x.rank - 1)))[0])
    y = made[0]
    for other in made[1:]:
        if other.shape == y.shape or g.random.random() < 0.5:
            y = step(g, g.random.choice(("Add", "Sub", "Mul")), y, other, commute=False)
    return y


# -- shapes as contents ----------------------------------------------------------------------------------------------


# What the steps of shape_arithmetic make of a size; a division truncates.
SIZE_RULES: dict[str, Callable[[int], int]] = {
    "Add": lambda d: d + 2,
    "Mul": lambda d: d * 2,
    "Sub": lambda d: d - 1,
    "Div": lambda d: int(d / 2),
    "Mod": lambda d: d % 3,
    "Max": lambda d: max(d, 2),
    "Min": lambda d: min(d, 4),
}


@pattern
def shape_arithmetic(g: Growing) -> Value:
    """Sizes that are computed, by whole numbers and by floats, and used as shapes, ends of slices, repeats."""
    x = start(g, (2, 3, 4), (T.FLOAT,))
    g.need(g.opset >= 11)
    axis = g.random.randrange(x.rank)
    dim = x.shape[axis]
    size = g.dim_as_value(dim)
    for _ in range(g.random.randint(1, 3)):
        op, n = g.random.choice(
            (
                ("Add", 2),
                ("Mul", 2),
                ("Sub", 1),
                ("Div", 2),
                ("Mod", 3),
                ("Max", 2),
                ("Min", 4),
                ("float", 0.5),
                ("float", 2.0),
            )
        )
        if op == "float":
            size = g.emit("Cast", [size], [(T.FLOAT, size.shape)], kept=False, to=T.FLOAT)[0]
            size = g.emit("Mul", [size, g.scalar(T.FLOAT, n)], [(T.FLOAT, size.shape)], kept=False)[0]
            round_by = g.random.choice(("Floor", "Ceil"))
            size = g.emit(round_by, [size], [(T.FLOAT, size.shape)], kept=False)[0]
            size = g.emit("Cast", [size], [(T.INT64, size.shape)], kept=False, to=T.INT64)[0]
            rounding = np.floor if round_by == "Floor" else np.ceil
            dim = tuple(int(rounding(d * n)) for d in dim)
        else:
            g.need(op not in ("Max", "Min") or g.opset >= 12)
            size = g.emit(op, [size, g.numbers(int(n))], [(T.INT64, size.shape)], kept=False)[0]
            rule = SIZE_RULES[op]
            dim = tuple(rule(d) for d in dim)
    form = g.random.randrange(5)
    if form == 0 and min(dim) >= 0:
        return g.emit("ConstantOfShape", [size], [(T.FLOAT, (dim,))], kept=False)[0]
    if form == 1 and min(dim) >= 0:
        one = g.emit("Squeeze", [size] if g.opset < 13 else [size, g.numbers(0)], [(T.INT64, ())], kept=False)[0]
        return g.emit("Range", [g.scalar(T.INT64, 0), one, g.scalar(T.INT64, 1)], [(T.INT64, (dim,))], kept=False)[0]
    if form == 2:
        length = g.all_runs(lambda run: len(range(*slice(0, dim[run]).indices(x.shape[axis][run]))))
        shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
        return g.emit("Slice", [x, g.numbers(0), size, g.numbers(axis)], [(T.FLOAT, shape)], kept=False)[0]
    if form == 3:
        start_at = g.all_runs(lambda run: len(range(*slice(dim[run], None).indices(x.shape[axis][run]))))
        shape = (*x.shape[:axis], start_at, *x.shape[axis + 1 :])
        return g.emit("Slice", [x, size, g.numbers(2**31 - 1), g.numbers(axis)], [(T.FLOAT, shape)], kept=False)[0]
    g.need(min(dim) > 0)
    wide = g.emit("Unsqueeze", [x] if g.opset < 13 else [x, g.numbers(0)], [(T.FLOAT, (g.fixed(1), *x.shape))], kept=False,
                  **({"axes": [0]} if g.opset < 13 else {}))[0]  # fmt: skip
    target = g.emit(
        "Concat", [size, g.numbers(*[1] * x.rank)], [(T.INT64, (g.fixed(x.rank + 1),))], kept=False, axis=0
    )[0]
    return g.emit("Expand", [wide, target], [(T.FLOAT, (dim, *x.shape))], kept=False)[0]
