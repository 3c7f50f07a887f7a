# SPDX-License-Identifier: Apache-2.0
"""Draws graphs of shape arithmetic: numbers out of dims, of constants, of inputs and of sums over data, combined as exporters write it
(quotients, ceilings, remainders, minima, choices), and the operators whose sizes, counts and places they are. Numbers that come
with a run are often special: 0, -1, 1, the ends of 64-bit integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from cases import T
from growing import CannotGrow, Dim, Growing, Shape, Value
from vocabulary import replaced, some

LEAST, MOST = -(2**63), 2**63 - 1
SPECIAL = (LEAST, LEAST + 1, -2, -1, -1, 0, 0, 1, 1, 2, 3, 4, MOST - 1, MOST)
HUGE = 2**61  # sums and products of what is below stay integers of 64 bits
Sizes = tuple[int, ...]  # one per run, also below zero


@dataclass(frozen=True)
class Number:
    """An int64 tensor of dims [1], and what it is in each run."""

    value: Value
    is_: Sizes


def made(g: Growing, op: str, inputs: list[Number], result: Sizes) -> Number:
    g.need(all(abs(v) < HUGE for v in result))
    named = {"fmod": 0} if op == "Mod" and some(g) else {}
    y = g.emit(op, [n.value for n in inputs], [(T.INT64, (g.fixed(1),))], kept=False, **named)[0]
    return Number(y, result)


def constant(g: Growing, v: int) -> Number:
    return Number(g.numbers(v), (v,) * g.runs)


def given(g: Growing, values: Sizes) -> Number:
    """An input of the graph that has these values."""
    name = f"q{len(g.given)}"
    g.given[name] = values
    return Number(g.input(T.INT64, (g.fixed(1),), f"number {name}"), values)


def leaf(g: Growing, special: bool = True) -> Number:
    r = g.random.random()
    if r < 0.55:
        holders = [(v, a) for v in g.values for a, d in enumerate(v.shape)]
        if holders:
            value, axis = g.random.choice(holders)
            told = (
                g.counted(value.shape[axis], (value, axis)) if g.opset >= 9 and some(g, 0.08) else g.told((value, axis))
            )
            return Number(told, value.shape[axis])
    if r < 0.85 or not special:
        return constant(g, g.random.choice((-1, 0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 8, 16, 32)))
    return given(g, tuple(g.random.choice((-1, 0, 1, 2, 3, 4)) for _ in range(g.runs)))


def number(g: Growing, depth: int, special: bool = True) -> Number:
    """An expression over dims and numbers."""
    if depth == 0 or some(g, 0.15):
        return leaf(g, special)
    a = number(g, depth - 1, special)
    op = g.random.choice(
        (
            "Add",
            "Sub",
            "Mul",
            "Mul",
            "Div",
            "Div",
            "Div",
            "Mod",
            "Min",
            "Max",
            "ceil",
            "halves",
            "Neg",
            "Abs",
            "Where",
            "int32",
        )
    )
    if op in ("Min", "Max", "Mod") and g.opset < {"Mod": 10}.get(op, 12):
        op = "Add"
    if op in ("Div", "Mod", "ceil"):
        k = constant(g, g.random.choice((2, 2, 3, 4, 4, 5, 8, 16))) if some(g, 0.75) else leaf(g, special)
        g.need(min(k.is_) > 0)
        pairs = list(zip(a.is_, k.is_, strict=True))
        if op == "ceil":
            less = constant(g, k.is_[0] - 1)
            g.need(g.is_fixed(k.is_))
            a = made(g, "Add", [a, less], tuple(x + k.is_[0] - 1 for x in a.is_))
            pairs = list(zip(a.is_, k.is_, strict=True))
            op = "Div"
        if op == "Mod":
            return made(g, op, [a, k], tuple(x % y for x, y in pairs))
        return made(g, op, [a, k], tuple(abs(x) // y * (1 if x >= 0 else -1) for x, y in pairs))
    if op == "halves":  # divided twice
        two = constant(g, g.random.choice((2, 3, 4)))
        by = two.is_[0]
        once = made(g, "Div", [a, two], tuple(abs(x) // by * (1 if x >= 0 else -1) for x in a.is_))
        return made(g, "Div", [once, two], tuple(abs(x) // by * (1 if x >= 0 else -1) for x in once.is_))
    if op in ("Neg", "Abs"):
        return made(g, op, [a], tuple(-x if op == "Neg" else abs(x) for x in a.is_))
    if op == "int32":
        g.need(all(abs(x) < 2**30 for x in a.is_))
        narrow = g.emit("Cast", [a.value], [(T.INT32, (g.fixed(1),))], kept=False, to=T.INT32)[0]
        return Number(g.emit("Cast", [narrow], [(T.INT64, (g.fixed(1),))], kept=False, to=T.INT64)[0], a.is_)
    b = leaf(g, special) if some(g, 0.7) else number(g, depth - 1, special)
    pairs = list(zip(a.is_, b.is_, strict=True))
    if op == "Where":
        g.need(g.opset >= 11)
        k = leaf(g, special)
        same = g.emit("Equal", [a.value, k.value], [(T.BOOL, (g.fixed(1),))], kept=False)[0]
        chosen = tuple(y if x == z else x for (x, y), z in zip(pairs, k.is_, strict=True))
        return Number(g.emit("Where", [same, b.value, a.value], [(T.INT64, (g.fixed(1),))], kept=False)[0], chosen)
    rules: dict[str, Callable[[int, int], int]] = {
        "Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mul": lambda x, y: x * y, "Min": min, "Max": max,
    }  # fmt: skip
    return made(g, op, [a, b], tuple(rules[op](x, y) for x, y in pairs))


def end(g: Growing) -> Number:
    """A place in an axis: an expression, or a special number."""
    if some(g, 0.3):
        values = tuple(g.random.choice(SPECIAL) for _ in range(g.runs))
        return given(g, values) if some(g, 0.6) else constant(g, values[0])
    return number(g, 2)


def bounded(g: Growing, low: int, high: Dim | None = None, depth: int = 2) -> Number:
    """One from `low` to `high` (per run; 4 if it is not given): by itself, or held there by Max and Min."""
    n = number(g, depth)
    most = high or g.fixed(4)
    if all(low <= v <= m for v, m in zip(n.is_, most, strict=True)):
        return n
    g.need(g.opset >= 12)
    n = made(g, "Max", [n, constant(g, low)], tuple(max(v, low) for v in n.is_))
    if any(v > m for v, m in zip(n.is_, most, strict=True)):
        limit = constant(g, most[0]) if g.is_fixed(most) else Number(g.dim_as_value(most), most)
        n = made(g, "Min", [n, limit], tuple(min(v, m) for v, m in zip(n.is_, most, strict=True)))
    g.need(all(v >= low for v in n.is_))
    return n


def joined(g: Growing, parts: list[Number]) -> Value:
    if len(parts) == 1:
        return parts[0].value
    return g.emit("Concat", [p.value for p in parts], [(T.INT64, (g.fixed(len(parts)),))], kept=False, axis=0)[0]


def floats(g: Growing, least_rank: int = 0) -> Value:
    return g.pick((T.FLOAT, T.FLOAT, T.INT64, T.DOUBLE), rank=tuple(range(least_rank, 5)))


# -- what reads them ------------------------------------------------------------------------------------------------------------------


def reshape(g: Growing) -> None:
    """To [..., -1, k]: what ONNX makes of the written numbers, run by run."""
    x = floats(g)
    parts: list[Number] = []
    for _ in range(g.random.choice((1, 2, 2, 3, 3, 4))):
        r = g.random.random()
        if r < 0.3:
            parts.append(constant(g, g.random.choice((-1, -1, 0, 1, 2, 3, 4, 8))))
        elif r < 0.55 and x.rank:
            axis = g.random.randrange(x.rank)
            parts.append(Number(g.told((x, axis)), x.shape[axis]))
        elif r < 0.7:
            parts.append(given(g, tuple(g.random.choice((-1, -1, 0, 0, 1, 2, 3)) for _ in range(g.runs))))
        else:
            parts.append(number(g, 2))
    allow_zero = g.opset >= 14 and some(g, 0.1)
    shape: list[Sizes] = []
    for run in range(g.runs):
        shape.append(resolved([d[run] for d in x.shape], [p.is_[run] for p in parts], allow_zero) or ())
    if not all(shape):
        # What the numbers leave open is what is left: rarely do all runs fit by chance.
        g.need(len(parts) < 8)
        at = g.random.randrange(len(parts) + 1)
        parts.insert(at, constant(g, -1))
        for run in range(g.runs):
            shape[run] = resolved([d[run] for d in x.shape], [p.is_[run] for p in parts], allow_zero) or ()
    # One run that fits is a case; the others are refused by everybody.
    good = [s for s in shape if s]
    g.need(bool(good) and (len(good) == g.runs or some(g, 0.1)))
    dims: Shape = tuple(tuple((s or good[0])[axis] for s in shape) for axis in range(len(parts)))
    named = {"allowzero": 1} if allow_zero else {}
    g.emit("Reshape", [x, joined(g, parts)], [(x.dtype, dims)], size=x.size, kept=len(good) == g.runs, **named)
    if len(good) < g.runs:
        g.outputs.append(g.made[-1])


def resolved(dims: list[int], target: list[int], allow_zero: bool) -> Sizes | None:
    out = list(target)
    for i, v in enumerate(target):
        if v == 0 and not allow_zero:
            if i >= len(dims):
                return None
            out[i] = dims[i]
    total, known = int(np.prod(dims)), int(np.prod([v for v in out if v != -1], dtype=object))
    if (
        min(out, default=0) < -1
        or out.count(-1) > 1
        or any(v > 6000 for v in out)
        or (allow_zero and -1 in target and 0 in target)
    ):
        return None
    if -1 in out:
        if known == 0 or total % known:
            return None
        out[out.index(-1)] = total // known
    return tuple(out) if int(np.prod(out, dtype=object)) == total else None


def divided(g: Growing) -> None:
    """Reshaped to [..., -1, k] and reduced over k, and again: sizes divided step by step."""
    x = floats(g, 1)
    for _ in range(g.random.choice((1, 2, 2, 3))):
        k = g.random.choice([k for k in (2, 3, 4, 5, 8, 16) if all(d % k == 0 for d in x.shape[-1])] or [1])
        lead = [constant(g, 0) if d is x.shape[i] else constant(g, 1) for i, d in enumerate(x.shape[:-1])]
        target = joined(g, [*lead, constant(g, -1), constant(g, k)])
        quotient = tuple(d // k for d in x.shape[-1])
        g.need(x.rank < 8 and all(min(d) > 0 for d in x.shape))
        y = g.emit("Reshape", [x, target], [(x.dtype, (*x.shape[:-1], quotient, g.fixed(k)))], size=x.size)[0]
        g.need(g.opset >= 13)
        x = g.emit(
            "ReduceSum", [y, g.numbers(-1)], [(x.dtype, (*x.shape[:-1], quotient))], size=16 * x.size, keepdims=0
        )[0]


def slice_(g: Growing) -> None:
    x = floats(g, 1)
    g.need(g.opset >= 10)
    axis = g.random.randrange(x.rank)
    first, last = end(g), end(g)
    step = g.random.choice((1, 1, 1, 2, 3, -1, -2, MOST, LEAST))
    dim = g.all_runs(lambda run: len(range(*sliced(x.shape[axis][run], first.is_[run], last.is_[run], step))))
    g.emit(
        "Slice",
        [x, first.value, last.value, g.numbers(axis), g.numbers(step)],
        [(x.dtype, replaced(x.shape, axis, dim))],
        size=x.size,
    )


def sliced(dim: int, first: int, last: int, step: int) -> tuple[int, int, int]:
    """As ONNX reads them: clamped, and a start before the axis is its first element whatever the direction."""
    first, last = (v + dim if v < 0 else v for v in (first, last))
    if step > 0:
        return min(max(first, 0), dim), min(max(last, 0), dim), step
    return min(max(first, 0), dim - 1), min(max(last, -1), dim - 1), step


def expand(g: Growing) -> None:
    x = floats(g)
    parts, dims = [], []
    for d in x.shape:
        if d == g.fixed(1) and some(g):
            n = bounded(g, 0)
            parts.append(n)
            dims.append(n.is_)
        else:
            parts.append(constant(g, 1) if some(g) else Number(g.dim_as_value(d), d))
            dims.append(d)
    if len(parts) < 4 and some(g):
        n = bounded(g, 0)
        parts.insert(0, n)
        dims.insert(0, n.is_)
    g.need(bool(parts))
    g.emit("Expand", [x, joined(g, parts)], [(x.dtype, tuple(dims))], size=x.size)


def tile(g: Growing) -> None:
    x = floats(g, 1)
    parts = [bounded(g, 0, g.fixed(3), 1) if some(g) else constant(g, 1) for _ in x.shape]
    dims = tuple(tuple(a * b for a, b in zip(d, p.is_, strict=True)) for d, p in zip(x.shape, parts, strict=True))
    g.emit("Tile", [x, joined(g, parts)], [(x.dtype, dims)], size=x.size)


def zeros(g: Growing) -> None:
    parts = [bounded(g, 0, g.fixed(8)) for _ in range(g.random.choice((1, 2)))]
    g.emit("ConstantOfShape", [joined(g, parts)], [(T.FLOAT, tuple(p.is_ for p in parts))], size=1.0)


def range_(g: Growing) -> None:
    g.need(g.opset >= 13)
    parts = [number(g, 1), number(g, 2), constant(g, g.random.choice((1, 1, 2, -1, 3))) if some(g, 0.7) else leaf(g)]
    g.need(all(v != 0 for v in parts[2].is_) and all(abs(v) < 10000 for p in parts for v in p.is_))
    count = g.all_runs(lambda run: len(range(parts[0].is_[run], parts[1].is_[run], parts[2].is_[run])))
    scalars = [g.emit("Squeeze", [p.value], [(T.INT64, ())], kept=False)[0] for p in parts]
    g.emit("Range", scalars, [(T.INT64, (count,))], size=20000.0)


def split(g: Growing) -> None:
    g.need(g.opset >= 13)
    x = floats(g, 1)
    axis = g.random.randrange(x.rank)
    one = bounded(g, 0, x.shape[axis])
    whole = Number(g.told((x, axis)), x.shape[axis])
    two = made(g, "Sub", [whole, one], tuple(a - b for a, b in zip(whole.is_, one.is_, strict=True)))
    parts = [(x.dtype, replaced(x.shape, axis, n.is_)) for n in (one, two)]
    g.emit("Split", [x, joined(g, [one, two])], [*parts], size=x.size, axis=axis)


def top(g: Growing) -> None:
    g.need(g.opset >= 11)
    x = g.pick((T.FLOAT,), rank=(1, 2, 3))
    axis = g.random.randrange(x.rank)
    k = bounded(g, 0, x.shape[axis])
    shape = replaced(x.shape, axis, k.is_)
    g.emit("TopK", [x, k.value], [(x.dtype, shape), (T.INT64, shape)], size=max(x.size, 20.0), axis=axis)


def pad(g: Growing) -> None:
    g.need(g.opset >= 13)
    x = floats(g, 1)
    parts = [bounded(g, -1, g.fixed(3), 1) if some(g, 0.4) else constant(g, 0) for _ in range(2 * x.rank)]
    dims = tuple(
        g.all_runs(lambda run, a=a: x.shape[a][run] + parts[a].is_[run] + parts[a + x.rank].is_[run])
        for a in range(x.rank)
    )  # type: ignore[misc]
    g.emit("Pad", [x, joined(g, parts)], [(x.dtype, dims)], size=x.size)


def resize(g: Growing) -> None:
    g.need(g.opset >= 13)
    x = g.pick((T.FLOAT,), rank=(1, 2, 3, 4), fits=lambda v: all(min(d) > 0 for d in v.shape))
    parts = [bounded(g, 1, g.fixed(9)) if some(g) else Number(g.dim_as_value(d), d) for d in x.shape]
    named = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    g.emit("Resize", [x, None, None, joined(g, parts)], [(x.dtype, tuple(p.is_ for p in parts))], size=x.size, **named)


def scalar_of(g: Growing, n: Number) -> Value:
    g.need(g.opset >= 13)
    return g.emit("Squeeze", [n.value], [(T.INT64, ())], kept=False)[0]


def place(g: Growing, dim: Dim) -> Number:
    """An index of an axis, from either end; now and then one that is none."""
    g.need(min(dim) > 0)
    if some(g, 0.1):
        return end(g)
    if some(g, 0.4):
        return given(g, tuple(g.random.choice((0, -1, d - 1, -d)) for d in dim))
    return bounded(g, 0, tuple(d - 1 for d in dim))


def gather(g: Growing) -> None:
    x = floats(g, 1)
    axis = g.random.randrange(x.rank)
    parts = [place(g, x.shape[axis]) for _ in range(g.random.choice((1, 1, 2)))]
    dims = replaced(x.shape, axis, g.fixed(len(parts)))
    g.emit("Gather", [x, joined(g, parts)], [(x.dtype, dims)], size=x.size, axis=axis)


def scatter(g: Growing) -> None:
    g.need(g.opset >= 13)
    x = floats(g, 1)
    where = place(g, x.shape[0])
    index = g.emit("Reshape", [where.value, g.numbers(1, 1)], [(T.INT64, (g.fixed(1), g.fixed(1)))], kept=False)[0]
    row = g.emit(
        "Slice",
        [x, g.numbers(0), g.numbers(1), g.numbers(0)],
        [(x.dtype, replaced(x.shape, 0, g.fixed(1)))],
        size=x.size,
    )[0]
    g.emit("ScatterND", [x, index, row], [(x.dtype, x.shape)], size=x.size)


def triangle(g: Growing) -> None:
    g.need(g.opset >= 14)
    x = floats(g, 2)
    g.emit("Trilu", [x, scalar_of(g, end(g))], [(x.dtype, x.shape)], size=x.size, upper=g.random.randrange(2))


def hot(g: Growing) -> None:
    g.need(g.opset >= 11)
    at = g.pick((T.INT64,), rank=(0, 1, 2))
    depth = bounded(g, 1, g.fixed(6))
    values = g.constant(np.array([0, 1], np.float32))
    g.emit("OneHot", [at, depth.value, values], [(T.FLOAT, (*at.shape, depth.is_))], size=1.0)


def sums(g: Growing) -> None:
    g.need(g.opset >= 11)
    x = g.pick((T.FLOAT, T.INT64), rank=(1, 2, 3))
    axis = given(g, tuple(g.random.choice((0, -1, x.rank - 1, -x.rank)) for _ in range(g.runs)))
    g.emit("CumSum", [x, axis.value], [(x.dtype, x.shape)], size=x.size * 64, exclusive=g.random.randrange(2))


def crop(g: Growing) -> None:
    g.need(g.opset >= 18)
    x = floats(g, 1)
    axis = g.random.randrange(x.rank)
    n = bounded(g, 0, g.fixed(9))
    g.emit("CenterCropPad", [x, n.value], [(x.dtype, replaced(x.shape, axis, n.is_))], size=x.size, axes=[axis])


def reverse(g: Growing) -> None:
    g.need(g.opset >= 10)
    x = floats(g, 2)
    batch = [n for n in range(1, 4) if x.shape[1] == g.fixed(n)]
    g.need(bool(batch) and min(x.shape[0]) > 0)
    lengths = [bounded(g, 1, x.shape[0]) for _ in range(batch[0])]
    g.emit("ReverseSequence", [x, joined(g, lengths)], [(x.dtype, x.shape)], size=x.size, time_axis=0, batch_axis=1)


def meet(g: Growing) -> None:
    """A sum of what strided pools and frames make of one axis, where their sizes are equal."""
    x = g.pick((T.FLOAT,), rank=3, fits=lambda v: min(v.shape[2]) >= 4)
    k = g.random.choice((2, 3, 4))
    pooled = tuple((d - k) // k + 1 for d in x.shape[2])
    y = g.emit("MaxPool", [x], [(x.dtype, (*x.shape[:2], pooled))], kernel_shape=[k], strides=[k])[0]
    if all(d % k == 0 for d in x.shape[2]) and all(min(d) > 0 for d in x.shape):
        target = joined(g, [constant(g, 0), constant(g, 0), constant(g, -1), constant(g, k)])
        z = g.emit("Reshape", [x, target], [(x.dtype, (*x.shape[:2], pooled, g.fixed(k)))])[0]
        g.need(g.opset >= 18 or g.opset < 13)
        if g.opset >= 18:
            w = g.emit("ReduceMax", [z, g.numbers(3)], [(x.dtype, (*x.shape[:2], pooled))], keepdims=0)[0]
        else:
            w = g.emit("ReduceMax", [z], [(x.dtype, (*x.shape[:2], pooled))], keepdims=0, axes=[3])[0]
        g.emit("Sub", [y, w], [(x.dtype, (*x.shape[:2], pooled))])


READERS = (
    reshape,
    reshape,
    reshape,
    reshape,
    divided,
    divided,
    slice_,
    slice_,
    expand,
    tile,
    zeros,
    range_,
    split,
    top,
    pad,
    resize,
    meet,
    gather,
    gather,
    scatter,
    triangle,
    hot,
    sums,
    crop,
    reverse,
)


def start(g: Growing) -> None:
    """A tensor or two, of dims that divide: what shapes say is made of these."""
    for _ in range(g.random.choice((1, 1, 2))):
        shape = []
        for _ in range(g.random.choice((1, 1, 2, 2, 3))):
            if some(g, 0.45):
                step = g.random.choice((4, 6, 8, 12, 16, 32))
                sizes = tuple(step * g.random.choice((1, 2, 3, 5)) for _ in range(g.runs))
                g.symbols.setdefault(f"s{len(g.symbols)}", sizes)
                shape.append(sizes)
            else:
                shape.append(g.dim())
        g.need(int(np.prod([max(d) for d in shape])) <= 4000)
        g.input(g.random.choice((T.FLOAT, T.FLOAT, T.FLOAT, T.INT64)), tuple(shape))


def grow_sizes(g: Growing) -> None:
    start(g)
    wanted, done = g.random.choice((1, 1, 2, 3, 4)), 0
    for _ in range(40 * wanted):
        kept = g.mark()
        try:
            g.random.choice(READERS)(g)
            done += 1
        except CannotGrow:
            g.go_back(kept)
        if done == wanted:
            return
    g.need(done > 0)


__all__ = ["grow_sizes"]
