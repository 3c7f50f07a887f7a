# SPDX-License-Identifier: Apache-2.0
"""How nodes are drawn whose result is as large as data says. A case knows every size before it runs, so the data is made of places
along dims: as many of them as a rule of the dim determines are kept, and no shape shows the library which."""

from __future__ import annotations

import numpy as np
from cases import T, initializer
from growing import Dim, Growing, Value, allowed
from vocabulary import attributes, draws, product, replaced, signed_axis, some


def places(g: Growing, dim: Dim) -> Value:
    """0, 1, ... along a dim."""
    g.need(g.opset >= 11)
    one = g.emit("Squeeze", [g.dim_as_value(dim)], [(T.INT64, ())], kept=False)[0]
    ends = [g.scalar(T.INT64, 0), one, g.scalar(T.INT64, 1)]
    return g.emit("Range", ends, [(T.INT64, (dim,))], kept=False)[0]


def every(g: Growing, dim: Dim) -> tuple[Value, int, int]:
    """A mask of a dim that holds at every so many places from some place on."""
    step = g.random.choice((1, 2, 3, 5))
    first = g.random.randrange(step)
    rest = g.emit("Mod", [places(g, dim), g.scalar(T.INT64, step)], [(T.INT64, (dim,))], kept=False)[0]
    mask = g.emit("Equal", [rest, g.scalar(T.INT64, first)], [(T.BOOL, (dim,))], kept=False)[0]
    return mask, first, step


def trailing_ones(g: Growing, x: Value, count: int) -> Value:
    if count == 0:
        return x
    shape = (*x.shape, *[g.fixed(1)] * count)
    axes = list(range(x.rank, len(shape)))
    if g.opset < 13:
        return g.emit("Unsqueeze", [x], [(x.dtype, shape)], kept=False, axes=axes)[0]
    return g.emit("Unsqueeze", [x, g.numbers(*axes)], [(x.dtype, shape)], kept=False)[0]


@draws("NonZero")
def non_zero(g: Growing, op: str) -> None:
    dtype = g.dtype(allowed(op, g.opset, 0))
    shape = g.shape(g.random.choice((1, 1, 2, 2, 3)))
    if dtype == T.BOOL:
        true = initializer("value", np.array([True]))
        x = g.emit("ConstantOfShape", [g.dims_as_value(shape)], [(dtype, shape)], kept=False, value=true)[0]
    else:
        x = g.operand(dtype, shape, "integers 1 9")
    found = list(shape)
    for axis in g.random.sample(range(len(shape)), g.random.choice((0, 1, 1, min(2, len(shape))))):
        mask, first, step = every(g, shape[axis])
        found[axis] = g.all_runs(lambda run, a=axis, f=first, s=step: len(range(f, shape[a][run], s)))  # type: ignore[misc]
        operands = [trailing_ones(g, mask, len(shape) - 1 - axis), x, g.scalar(dtype, 0)]
        x = g.emit("Where", operands, [(dtype, shape)], kept=False)[0]
    g.emit(op, [x], [(T.INT64, (g.fixed(len(shape)), product(g, tuple(found))))], size=20)


@draws("Compress")
def compress(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axis = g.random.randrange(x.rank) if some(g, 0.7) else None
    whole = product(g, x.shape) if axis is None else x.shape[axis]
    mask, first, step = every(g, whole if some(g, 0.6) else g.dim())
    count = g.all_runs(lambda run: len(range(first, min(whole[run], mask.shape[0][run]), step)))
    named = {} if axis is None else {"axis": signed_axis(g, axis, x.rank)}
    shape = (count,) if axis is None else replaced(x.shape, axis, count)
    g.emit(op, [x, mask], [(x.dtype, shape)], size=x.size, **named)


@draws("Unique")
def unique(g: Growing, op: str) -> None:
    """Of numbers that come again after so many, alone or as the only thing that distinguishes slices."""
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d != T.BOOL])
    dim = g.dim()
    turn, step = g.random.choice(((1, 1), (2, 1), (3, 2), (5, 3), (7, 4), (40, 3)))
    x = g.emit("Mul", [places(g, dim), g.scalar(T.INT64, step)], [(T.INT64, (dim,))], kept=False)[0]
    x = g.emit("Mod", [x, g.scalar(T.INT64, turn)], [(T.INT64, (dim,))], kept=False)[0]
    named = attributes(g, sorted=(0.6, g.random.choice((0, 1))))
    if (
        named.get("sorted") == 0
    ):  # onnx.reference leaves the order alone, so ONNX Runtime must have the dtype and the opset
        g.need(dtype in (T.FLOAT, T.DOUBLE, T.INT64, T.INT8) and g.opset <= 26)
    axis = 0
    if some(g, 0.5):
        width = g.fixed(g.random.choice((1, 2, 3)))
        factors = g.numbers(*(g.random.choice((1, 2, -3)) for _ in range(width[0])))
        x = g.emit("Mul", [trailing_ones(g, x, 1), factors], [(T.INT64, (dim, width))], kept=False)[0]
        if some(g, 0.4):
            axis = 1
            x = g.emit("Transpose", [x], [(T.INT64, (width, dim))], kept=False, perm=[1, 0])[0]
        named["axis"] = signed_axis(g, axis, 2)
    elif some(g, 0.4):
        named["axis"] = 0
    x = g.emit("Cast", [x], [(dtype, x.shape)], kept=False, to=dtype)[0]
    count = g.all_runs(lambda run: min(dim[run], turn))
    values = (dtype, replaced(x.shape, axis, count))
    others = [(T.INT64, (count,)), (T.INT64, (dim,)), (T.INT64, (count,))]
    g.emit(op, [x], [values, *(o if some(g, 0.7) else None for o in others)], size=120, **named)


def computed_range(g: Growing, op: str, dtype: int) -> None:
    """Numbers of it that nodes compute, all of which binary32 has."""
    holders = [(v, axis) for v in g.values for axis in range(v.rank)]
    g.need(bool(holders))
    holder = g.random.choice(holders)
    dim = holder[0].shape[holder[1]]
    number = g.emit("Squeeze", [g.counted(dim, holder)], [(T.INT64, ())], kept=False)[0]
    found = g.emit("Cast", [number], [(dtype, ())], kept=False, to=dtype)[0]
    fractions = (0.5, -0.25, 1.5) if dtype in (T.FLOAT, T.DOUBLE) else ()
    start, delta = g.random.choice((0, 3, -2)), g.random.choice((1, 2, -1, *fractions))
    if some(g):
        parts = [g.scalar(dtype, start), found, g.scalar(dtype, delta)]
        count = g.all_runs(lambda run: max(-int((start - dim[run]) / delta // 1), 0))
    else:
        limit = g.random.choice((-4, 0, 9))
        parts = [found, g.scalar(dtype, limit), g.scalar(dtype, delta)]
        count = g.all_runs(lambda run: max(-int((dim[run] - limit) / delta // 1), 0))
    g.emit(op, parts, [(dtype, (count,))], size=60)


@draws("Range")
def range_(g: Growing, op: str) -> None:
    dtype = g.dtype(allowed(op, g.opset, 0))
    if some(g, 0.3):
        return computed_range(g, op, dtype)
    start, delta, count = g.random.randint(-5, 5), g.random.choice((1, 2, -1, 3)), g.random.randint(0, 9)
    limit = start + delta * count
    if dtype == T.INT64 and some(g, 0.4):
        holders = [v for v in g.values if v.rank > 0]
        g.need(bool(holders))
        dim = g.random.choice(g.random.choice(holders).shape)
        one = g.emit("Squeeze", [g.dim_as_value(dim)], [(T.INT64, ())], kept=False)[0]
        g.emit(op, [g.scalar(dtype, 0), one, g.scalar(dtype, 1)], [(dtype, (dim,))], size=9)
        return
    parts = [g.scalar(dtype, v) for v in (start, limit, delta)]
    g.emit(op, parts, [(dtype, (g.fixed(count),))], size=30)


@draws("TfIdfVectorizer")
def tfidf_vectorizer(g: Growing, op: str) -> None:
    """Of few different numbers, so that n-grams occur."""
    x = g.operand(g.random.choice((T.INT32, T.INT64)), g.shape(g.random.choice((1, 2, 2))), "integers 0 3")
    longest = g.random.choice((1, 2, 3))
    pool: list[int] = []
    starts, grams = [], 0
    for size in range(1, longest + 1):
        starts.append(len(pool))
        some_grams = {tuple(g.random.choices(range(4), k=size)) for _ in range(g.random.choice((0, 1, 4)))}
        grams += len(some_grams)
        pool += [item for gram in sorted(some_grams) for item in gram]
    g.need(grams > 0)
    columns = g.random.sample(range(grams), grams)
    named = {"weights": [g.random.choice((0.5, 1.0, -2.0)) for _ in range(grams)]} if some(g, 0.5) else {}
    g.emit(op, [x], [(T.FLOAT, (*x.shape[:-1], g.fixed(grams)))], size=60, mode=g.random.choice(("TF", "IDF", "TFIDF")),
           min_gram_length=g.random.randint(1, longest), max_gram_length=longest, max_skip_count=g.random.choice((0, 0, 1, 5)),
           ngram_counts=starts, ngram_indexes=columns, pool_int64s=pool, **named)  # fmt: skip
