# SPDX-License-Identifier: Apache-2.0
"""What invites post-ops, shared memory, work in place and memory orders, and what is near it."""

from __future__ import annotations

from cases import T
from disturbing import disturb, odd, pattern, start, step
from growing import Growing, Value
from near_functions import clip_value
from near_movers import reshaped, transposed
from near_scales import feeder


@pattern
def post_ops(g: Growing) -> Value:
    y = feeder(g)
    for _ in range(g.random.randint(1, 12)):
        r = g.random.random()
        if r < 0.4:
            op = g.random.choice(
                ("Relu", "Sigmoid", "Tanh", "Neg", "Abs", "LeakyRelu", "HardSigmoid", "Elu", "Exp", "Sqrt", "Floor")
            )
            if op in ("Exp", "Sqrt"):
                y = step(g, "Tanh", y)
            y = step(g, op, y)
        elif r < 0.55:
            y = clip_value(g, y, -1.0, 1.5)
        elif r < 0.65:
            y = step(g, g.random.choice(("Mul", "Add")), y, y)
        else:
            op = g.random.choice(("Add", "Mul", "Sub", "Div", "Max", "Min", "Pow"))
            words = "positive" if op in ("Div", "Pow") else ""
            other = g.operand(y.dtype, g.broadcast_partner(y.shape) if odd(g, 0.4) else y.shape, words)
            if op == "Pow":
                y = step(g, "Abs", y)
            g.need(g.opset >= 8 or op not in ("Max", "Min"))
            turn = op in ("Sub", "Div", "Add", "Mul") and g.random.random() < 0.4
            y = step(g, op, *((other, y) if turn else (y, other)), commute=False)
    return y


@pattern
def residual(g: Growing) -> Value:
    """Two branches that meet: either may take the other as a post-op, and one may be ready later."""
    x = feeder(g)
    branches = []
    for _ in range(2):
        y = x
        for _ in range(g.random.randrange(3)):
            y = step(g, g.random.choice(("Relu", "Neg", "Sigmoid", "Abs")), y)
        if y.rank >= 3 and g.is_fixed(y.shape[1]) and g.random.random() < 0.5:
            c = y.shape[1][0]
            w = g.operand(y.dtype, tuple(map(g.fixed, (c, c, *[1] * (y.rank - 2)))), constant=0.9)
            y = disturb(g, g.emit("Conv", [y, w], [(y.dtype, y.shape)], kept=False)[0])
        branches.append(y)
    y = step(g, g.random.choice(("Add", "Sub", "Mul")), *branches)
    return step(g, "Relu", y)


@pattern
def pieces(g: Growing) -> Value:
    """Slices, splits and concats that share memory with what they cut or join."""
    x = start(g, (1, 2, 3, 4), fixed_axis=g.random.choice((0, -1)))
    if odd(g, 0.5):
        x = step(g, "Relu", x)
    axes = [a for a, d in enumerate(x.shape) if g.is_fixed(d)]
    g.need(bool(axes))  # dims that repeat may have taken the place of the number
    axis = g.random.choice(axes)
    size = x.shape[axis][0]

    def cut(first: int, last: int) -> Value:
        shape = (*x.shape[:axis], g.fixed(last - first), *x.shape[axis + 1 :])
        if g.opset < 10:
            return disturb(
                g, g.emit("Slice", [x], [(x.dtype, shape)], kept=False, starts=[first], ends=[last], axes=[axis])[0]
            )
        end = 2**31 - 1 if last == size and g.random.random() < 0.5 else last
        return disturb(
            g,
            g.emit("Slice", [x, g.numbers(first), g.numbers(end), g.numbers(axis)], [(x.dtype, shape)], kept=False)[0],
        )

    places = sorted(g.random.randint(0, size) for _ in range(g.random.randint(0, 3)))
    parts = [cut(a, b) for a, b in zip([0, *places], [*places, size], strict=True)]
    if odd(g, 0.3):
        i = g.random.randrange(len(parts))
        parts[i] = step(g, g.random.choice(("Relu", "Neg")), parts[i])
    if odd(g, 0.2):
        parts.append(g.random.choice([*parts, x]))
    if odd(g, 0.2):
        g.random.shuffle(parts)
    if odd(g, 0.15):
        parts.pop(g.random.randrange(len(parts)))
    if odd(g, 0.2):
        parts.append(g.operand(x.dtype, parts[0].shape if parts else x.shape))
    g.need(len(parts) > 0)
    whole = g.fixed(sum(p.shape[axis][0] for p in parts))
    y = disturb(
        g,
        g.emit("Concat", parts, [(x.dtype, (*x.shape[:axis], whole, *x.shape[axis + 1 :]))], kept=False, axis=axis)[0],
    )
    if odd(g, 0.3):
        alike = [d for a, d in enumerate(y.shape) if a != 0]
        other = g.operand(y.dtype, (g.dim(), *alike))
        rows = g.all_runs(lambda run: y.shape[0][run] + other.shape[0][run])
        y = g.emit("Concat", [y, other], [(y.dtype, (rows, *alike))], kept=False, axis=0)[0]
    return transposed(g, y) if odd(g, 0.3) else step(g, "Neg", y) if odd(g, 0.3) else y


@pattern
def joined_again(g: Growing) -> Value:
    """Concats of runs of the same values, as in networks whose layers read all those before them; some read in between."""
    x = start(g, (1, 2, 3, 4), fixed_axis=g.random.choice((0, -1)))
    axes = [a for a, d in enumerate(x.shape) if g.is_fixed(d)]
    g.need(bool(axes))
    axis = g.random.choice(axes)
    made = [step(g, g.random.choice(("Relu", "Neg", "Abs")), x) for _ in range(g.random.randint(2, 4))]

    def join(parts: list[Value]) -> Value:
        whole = g.fixed(sum(p.shape[axis][0] for p in parts))
        shape = (*x.shape[:axis], whole, *x.shape[axis + 1 :])
        return g.emit("Concat", parts, [(x.dtype, shape)], kept=False, axis=axis)[0]

    y = x
    for _ in range(g.random.randint(2, 4)):
        first = 0 if odd(g, 0.6) else g.random.randrange(len(made))
        run = made[first : g.random.randint(first, len(made))] if odd(g, 0.4) else made[first:]
        if odd(g, 0.15):
            run = run[::-1]
        if odd(g, 0.15):
            run = [*run, g.random.choice(made)]
        y = disturb(g, join(run or made))
        if odd(g, 0.4):
            y = step(g, "Neg", y)
        made.append(step(g, "Abs", y) if odd(g, 0.3) else y if odd(g, 0.3) else step(g, "Relu", g.random.choice(made)))
    return y


@pattern
def sliced_against_itself(g: Growing) -> Value:
    """A slice of length 1 of a dynamic axis meets that axis."""
    x = start(g, (2, 3, 4), (T.FLOAT,))
    axis = g.random.randrange(x.rank)
    last = g.random.random() < 0.5
    first, end = (-1, 2**31 - 1) if last else (0, 1)
    length = g.all_runs(lambda run: min(1, x.shape[axis][run]))
    g.need(min(x.shape[axis]) > 0)
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    if g.opset < 10:
        part = g.emit("Slice", [x], [(x.dtype, shape)], kept=False, starts=[first], ends=[end], axes=[axis])[0]
    else:
        part = g.emit("Slice", [x, g.numbers(first), g.numbers(end), g.numbers(axis)], [(x.dtype, shape)], kept=False)[
            0
        ]
    form = g.random.randrange(4)
    if form == 0:
        return step(g, g.random.choice(("Sub", "Add", "Mul")), x, part)
    if form == 1:
        g.need(g.opset >= 9)
        condition = g.operand(T.BOOL, g.broadcast_partner(x.shape))
        return g.emit("Where", [condition, x, part], [(x.dtype, g.broadcast(condition.shape, x.shape))], kept=False)[0]
    if form == 2:
        g.need(g.opset >= 8)
        return g.emit("Expand", [part, g.dims_as_value(x.shape)], [(x.dtype, x.shape)], kept=False)[0]
    g.need(axis < x.rank - 2)
    other = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    back = transposed(g, part, other)
    return g.emit("MatMul", [x, back], [(x.dtype, (*x.shape[:-1], x.shape[-2]))], kept=False)[0]


@pattern
def in_place(g: Growing) -> Value:
    """Chains whose inner values are read again later, through views too."""
    x = start(g, (1, 2, 3, 4))
    values = [x]
    for _ in range(g.random.randint(3, 9)):
        v = g.random.choice(values[-3:])
        r = g.random.random()
        if r < 0.35:
            y = step(g, g.random.choice(("Relu", "Neg", "Abs", "Sigmoid", "Tanh")), v)
        elif r < 0.55:
            alike = [w for w in values if w.shape == v.shape]
            y = step(g, g.random.choice(("Add", "Sub", "Mul")), v, g.random.choice(alike), commute=False)
        elif r < 0.7:
            y = step(g, "Add", v, g.operand(v.dtype, g.broadcast_partner(v.shape)))
        elif r < 0.85:
            y = transposed(g, v)
        else:
            y = reshaped(g, v)
        g.need(y.rank <= 7)
        values.append(y)
    for v in values[1:]:
        if v.name not in g.used or odd(g, 0.2):
            g.outputs.append(v)
    return values[-1]


@pattern
def layouts(g: Growing) -> Value:
    """Convolutions with movers, concats, sums and reductions between them."""
    c = g.random.choice((1, 2, 3, 4, 8, 16, 20))
    x = g.input(T.FLOAT, (g.dim(), g.fixed(c), g.dim(), g.dim()))
    g.need(all(min(d) > 0 for d in x.shape[1:]))
    values = [x]
    for _ in range(g.random.randint(2, 7)):
        v = g.random.choice(values[-2:])
        r = g.random.randrange(9)
        if r <= 2 and v.rank == 4 and g.is_fixed(v.shape[1]):
            o, k = g.random.choice((2, 4, 8, 17)), g.random.choice((1, 3))
            w = g.operand(T.FLOAT, tuple(map(g.fixed, (o, v.shape[1][0], k, k))), constant=0.9)
            y = g.emit(
                "Conv", [v, w], [(T.FLOAT, (v.shape[0], g.fixed(o), *v.shape[2:]))], kept=False, pads=[k // 2] * 4
            )[0]
        elif r == 3 and v.rank == 4:
            y = transposed(g, v, g.random.choice(((0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3), (1, 0, 2, 3))))
            g.need(all(min(d) > 0 for d in y.shape[1:]))
        elif r == 4:
            alike = [w for w in values if w.rank == v.rank and w.shape[:1] + w.shape[2:] == v.shape[:1] + v.shape[2:]]
            parts = [v, g.random.choice(alike)] if alike else [v]
            dim = g.all_runs(lambda run, parts=parts: sum(p.shape[1][run] for p in parts))  # type: ignore[misc]
            y = g.emit("Concat", parts, [(T.FLOAT, (v.shape[0], dim, *v.shape[2:]))], kept=False, axis=1)[0]
        elif r == 5:
            alike = [w for w in values if w.shape == v.shape]
            y = step(g, "Add", v, g.random.choice(alike))
        elif r == 6 and v.rank == 4:
            y = g.emit("GlobalAveragePool", [v], [(T.FLOAT, (*v.shape[:2], g.fixed(1), g.fixed(1)))], kept=False)[0]
            y = step(g, "Mul", v, y)
        elif r == 7:
            y = g.emit("Softmax", [v], [(T.FLOAT, v.shape)], kept=False, axis=g.random.choice((1, v.rank - 1)))[0]
        else:
            y = step(g, "Relu", v)
        values.append(disturb(g, y))
    for v in values[1:]:
        if v.name not in g.used:
            g.outputs.append(v)
    return values[-1]
