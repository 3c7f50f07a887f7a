# SPDX-License-Identifier: Apache-2.0
"""How nodes are drawn that move elements and change shapes, pick them by indices, or make them from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from cases import NUMPY, T, initializer
from growing import Dim, Growing, Shape, Value, allowed, elements
from vocabulary import attributes, draws, product, replaced, signed_axis, some, without_zero

# -- shapes ----------------------------------------------------------------------------------------------------------


@draws("Shape")
def shape_(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    start, end = 0, x.rank
    named = {}
    if g.opset >= 15 and some(g):
        start, end = g.random.randint(-x.rank - 2, x.rank + 2), g.random.randint(-x.rank - 2, x.rank + 2)
        named = {"start": start, "end": end}
    count = len(range(*slice(start, end).indices(x.rank)))
    g.emit(op, [x], [(T.INT64, (g.fixed(count),))], **named)


@draws("Size")
def size_(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    g.emit(op, [x], [(T.INT64, ())])


@draws("Reshape")
def reshape(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    # Neighbouring dims are merged, 1s put between, and one target may be -1, others 0 (copied).
    target: list[Dim] = []
    axis = 0
    while axis < x.rank:
        width = g.random.choice((1, 1, 1, 2, 3))
        target.append(product(g, x.shape[axis : axis + width]))
        axis += width
    while len(target) < 7 and some(g, 0.3):
        target.insert(g.random.randint(0, len(target)), g.fixed(1))
    if some(g, 0.1) and all(g.is_fixed(d) for d in target):
        g.random.shuffle(target)
    written: list[Any] = list(target)  # sizes as they are written, or dims that shapes give
    empty = any(0 in d for d in x.shape)
    unknown = [i for i, d in enumerate(target) if not g.is_fixed(d)]
    holders = {d for v in g.values for d in v.shape}
    rest = [i for i in unknown if target[i] not in holders]
    g.need(len(rest) <= 1 and not (rest and empty))
    for i, d in enumerate(target):
        if i < x.rank and x.shape[i] == d and (some(g, 0.3)) and i not in rest:
            written[i] = 0
    if not empty and (rest or some(g, 0.5)) and target:
        written[rest[0] if rest else g.random.randrange(len(target))] = -1
    named = {}
    if g.opset >= 14 and not any(w == 0 for w in written if isinstance(w, int)) and some(g, 0.1):
        named = {"allowzero": 1}
        g.need(not empty or -1 not in written)
    elif any(0 in d for i, d in enumerate(target) if written[i] is d and (i >= x.rank or x.shape[i] != d)):
        g.need(g.opset >= 14 and not any(isinstance(w, int) for w in written))
        named = {"allowzero": 1}
    if all(isinstance(w, int) or g.is_fixed(w) for w in written):
        values = g.numbers(*(w if isinstance(w, int) else w[0] for w in written))
    else:
        parts = [g.numbers(w) if isinstance(w, int) else g.dim_as_value(w) for w in written]
        values = g.emit("Concat", parts, [(T.INT64, (g.fixed(len(parts)),))], kept=False, axis=0)[0]
    g.emit(op, [x, values], [(x.dtype, tuple(target))], size=x.size, **named)


@draws("Flatten")
def flatten(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    axis = g.random.randint(0, x.rank)
    named = (
        {}
        if axis == 1 and some(g)
        else {"axis": axis - x.rank if g.opset >= 11 and axis < x.rank and some(g, 0.4) else axis}
    )
    g.emit(op, [x], [(x.dtype, (product(g, x.shape[:axis]), product(g, x.shape[axis:])))], **named)


@draws("Squeeze")
def squeeze(g: Growing, op: str) -> None:
    one = g.fixed(1)
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: one in v.shape)
    ones = [a for a, d in enumerate(x.shape) if d == one]
    axes = ones if some(g, 0.3) else g.random.sample(ones, g.random.randint(1, len(ones)))
    shape = tuple(d for a, d in enumerate(x.shape) if a not in axes)
    if set(axes) == set(ones) and some(g, 0.4) and not any(1 in d for d in shape):
        g.emit(op, [x], [(x.dtype, shape)])
        return
    written = [signed_axis(g, a, x.rank) for a in axes]
    if g.opset < 13:
        g.emit(op, [x], [(x.dtype, shape)], axes=written)
    else:
        g.emit(op, [x, g.numbers(*written)], [(x.dtype, shape)], size=x.size)


@draws("Unsqueeze")
def unsqueeze(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank < 8)
    more = g.random.randint(1, min(3, 8 - x.rank))
    axes = g.random.sample(range(x.rank + more), more)
    dims = list(x.shape)
    for axis in sorted(axes):
        dims.insert(axis, g.fixed(1))
    written = [signed_axis(g, a, len(dims)) for a in axes]
    if g.opset < 13:
        g.emit(op, [x], [(x.dtype, tuple(dims))], axes=written)
    else:
        g.emit(op, [x, g.numbers(*written)], [(x.dtype, tuple(dims))], size=x.size)


@draws("Transpose")
def transpose(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    perm = list(range(x.rank))
    g.random.shuffle(perm)
    if some(g, 0.2) or not perm:
        g.emit(op, [x], [(x.dtype, x.shape[::-1])])
    else:
        g.emit(op, [x], [(x.dtype, tuple(x.shape[p] for p in perm))], perm=perm)


@draws("Expand")
def expand(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    partner = g.broadcast_partner(x.shape)
    g.need(len(partner) <= 8)
    shape = g.broadcast(x.shape, partner)
    g.emit(
        op,
        [x, g.dims_as_value(partner) if partner else g.constant(np.zeros(0, np.int64))],
        [(x.dtype, shape)],
        size=x.size,
    )


@draws("Tile")
def tile(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    repeats = [g.random.choice((1, 1, 2, 3, 0 if some(g, 0.1) else 1)) for _ in x.shape]
    shape = tuple(g.all_runs(lambda run, d=d, r=r: d[run] * r) for d, r in zip(x.shape, repeats, strict=True))  # type: ignore[misc]
    g.emit(op, [x, g.numbers(*repeats)], [(x.dtype, shape)], size=x.size)


# -- movers ----------------------------------------------------------------------------------------------------------


@draws("Concat")
def concat(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axis = g.random.randrange(x.rank)
    parts = [x]
    for _ in range(g.random.choice((0, 1, 1, 2, 3))):
        alike = [
            v
            for v in g.values
            if v.dtype == x.dtype and v.rank == x.rank and replaced(v.shape, axis, ()) == replaced(x.shape, axis, ())
        ]
        parts.append(
            g.take(g.random.choice(alike)) if some(g, 0.7) else g.operand(x.dtype, replaced(x.shape, axis, g.dim()))
        )
    g.random.shuffle(parts)
    whole = g.all_runs(lambda run: sum(p.shape[axis][run] for p in parts))
    g.emit(op, parts, [(x.dtype, replaced(x.shape, axis, whole))], axis=signed_axis(g, axis, x.rank))


@draws("Split")
def split(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axis = g.random.randrange(x.rank)
    dim = x.shape[axis]
    named: dict[str, Any] = {"axis": signed_axis(g, axis, x.rank)}
    if g.is_fixed(dim) and some(g, 0.7):
        cuts = sorted(g.random.randint(0, dim[0]) for _ in range(g.random.choice((0, 1, 1, 2))))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, dim[0]], strict=True)]
        outputs = [(x.dtype, replaced(x.shape, axis, g.fixed(s))) for s in sizes]
        if g.opset < 13:
            g.emit(op, [x], outputs, split=sizes, **named)
        else:
            g.emit(op, [x, g.numbers(*sizes)], outputs, size=x.size, **named)
        return
    count = g.random.choice((1, 2, 3))
    g.need(all(d % count == 0 for d in dim))
    if g.opset >= 18:
        named["num_outputs"] = count
    g.emit(op, [x], [(x.dtype, replaced(x.shape, axis, g.all_runs(lambda run: dim[run] // count)))] * count, **named)


@draws("Slice")
def slice_(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axes = g.random.sample(range(x.rank), g.random.randint(1, min(3, x.rank)))
    starts: list[int] = []
    ends: list[int] = []
    steps: list[int] = []
    dims = list(x.shape)
    for axis in axes:
        step = 1 if g.opset < 10 or some(g, 0.6) else g.random.choice((-1, 2, 3, -2))
        edges = (0, 1, -1, 2, -2, 3, 100, -100, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
        start, end = g.random.choice(edges[:8]), g.random.choice(edges)
        if some(g, 0.5):
            start, end = (0, g.random.choice((1, 2, 2**31 - 1))) if step > 0 else (-1, -(2**31))
        starts, ends, steps = [*starts, start], [*ends, end], [*steps, step]

        def rule(run: int, axis: int = axis, start: int = start, end: int = end, step: int = step) -> int:
            return len(
                range(*slice(start, end if step > 0 or end > -(2**31) else None, step).indices(x.shape[axis][run]))
            )

        dims[axis] = g.all_runs(rule)
    named_axes = [signed_axis(g, a, x.rank) for a in axes]
    bare = axes == list(range(len(axes))) and some(g)
    if g.opset < 10:
        named = {} if bare else {"axes": axes}
        g.emit(op, [x], [(x.dtype, tuple(dims))], starts=starts, ends=ends, **named)
        return
    dtype = T.INT64 if any(abs(e) > 2**31 - 1 for e in ends) else g.random.choice((T.INT64, T.INT32))
    plain = all(s == 1 for s in steps) and some(g)
    operands = [
        x,
        g.numbers(*starts, dtype=dtype),
        g.numbers(*ends, dtype=dtype),
        None if bare else g.numbers(*named_axes, dtype=dtype),
    ]
    g.emit(op, [*operands, None if plain else g.numbers(*steps, dtype=dtype)], [(x.dtype, tuple(dims))], size=x.size)


@draws("Pad")
def pad(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    modes = ["constant", "constant", "constant", "reflect", "edge"] + (["wrap"] if g.opset >= 19 else [])
    mode = g.random.choice(modes)
    g.need(mode == "constant" or without_zero(x))
    axes = (
        sorted(g.random.sample(range(x.rank), g.random.randint(1, x.rank)))
        if g.opset >= 18 and some(g, 0.4)
        else list(range(x.rank))
    )
    pads = [0] * (2 * len(axes))
    for i, axis in enumerate(axes):
        least = min(x.shape[axis])
        room = 3 if mode in ("constant", "edge") else least - 1 if mode == "reflect" else least
        for side in (i, i + len(axes)):
            if some(g, 0.5):
                pads[side] = g.random.randint(0, min(3, room))
        if mode == "constant" and some(g, 0.1):
            pads[i] = -g.random.randint(0, least) if pads[i + len(axes)] >= 0 else 0
    dims = list(x.shape)
    for i, axis in enumerate(axes):
        dims[axis] = g.all_runs(lambda run, i=i, axis=axis: x.shape[axis][run] + pads[i] + pads[i + len(axes)])  # type: ignore[misc]
    out = [(x.dtype, tuple(dims))]
    if g.opset < 11:
        g.emit(op, [x], out, pads=pads, mode=mode, **attributes(g, value=(0.5, 1.5)))
        return
    value = g.scalar(x.dtype, 2) if mode == "constant" and some(g) else None
    named_axes = g.numbers(*(signed_axis(g, a, x.rank) for a in axes)) if g.opset >= 18 and len(axes) < x.rank else None
    g.emit(op, [x, g.numbers(*pads), value, named_axes], out, size=x.size, mode=mode)


@draws("DepthToSpace", "SpaceToDepth")
def depth_to_space(g: Growing, op: str) -> None:
    block = g.random.choice((1, 2, 3))
    x = g.pick(allowed(op, g.opset, 0), 4)
    n, c, h, w = x.shape
    if op == "DepthToSpace":
        g.need(all(s % (block * block) == 0 for s in c))
        dims = (
            n,
            g.all_runs(lambda r: c[r] // block**2),
            g.all_runs(lambda r: h[r] * block),
            g.all_runs(lambda r: w[r] * block),
        )
        named = {"mode": g.random.choice(("DCR", "CRD"))} if g.opset >= 11 and some(g) else {}
    else:
        g.need(all(s % block == 0 for s in (*h, *w)))
        dims = (
            n,
            g.all_runs(lambda r: c[r] * block**2),
            g.all_runs(lambda r: h[r] // block),
            g.all_runs(lambda r: w[r] // block),
        )
        named = {}
    g.emit(op, [x], [(x.dtype, dims)], blocksize=block, **named)


@draws("Trilu")
def trilu(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank >= 2)
    k = g.scalar(T.INT64, g.random.choice((-5, -1, 0, 1, 2, 30))) if some(g, 0.7) else None
    g.emit(op, [x, k], [(x.dtype, x.shape)], size=x.size, **attributes(g, upper=(0.5, 0)))


# -- indices ---------------------------------------------------------------------------------------------------------


def indices(
    g: Growing, least: int, shape: Shape, among: Sequence[int] = (T.INT64, T.INT32), *, negative: bool = True
) -> Value:
    g.need(least > 0 or elements(shape) == 0)
    return g.operand(
        g.random.choice(list(among)), shape, f"integers {-least if negative else 0} {max(least - 1, 0)}", constant=0.5
    )


@draws("Gather")
def gather(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axis = g.random.randrange(x.rank)
    shape = g.shape(g.random.choice((0, 0, 1, 1, 2)))
    out = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    at = indices(g, min(x.shape[axis]), shape, negative=g.opset >= 11)
    g.emit(op, [x, at], [(x.dtype, out)], axis=signed_axis(g, axis, x.rank), size=x.size)


@draws("GatherElements")
def gather_elements(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and without_zero(v))
    axis = g.random.randrange(x.rank)
    at = indices(g, min(x.shape[axis]), replaced(x.shape, axis, g.dim()))
    g.emit(op, [x, at], [(x.dtype, at.shape)], axis=signed_axis(g, axis, x.rank), size=x.size)


@draws("GatherND")
def gather_nd(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and without_zero(v))
    batch = g.random.randrange(x.rank) if g.opset >= 12 and some(g, 0.4) else 0
    depth = g.random.randint(1, x.rank - batch)
    lead = (*x.shape[:batch], *g.shape(g.random.choice((0, 1, 2))))
    least = min(min(d) for d in x.shape[batch : batch + depth])
    at = indices(g, least, (*lead, g.fixed(depth)), (T.INT64,), negative=g.opset >= 11)
    g.emit(
        op,
        [x, at],
        [(x.dtype, (*lead, *x.shape[batch + depth :]))],
        size=x.size,
        **({"batch_dims": batch} if batch else {}),
    )


def scatter_reduction(g: Growing, op: str) -> dict[str, Any]:
    kinds = ["none", "add", "mul"] if g.opset >= 16 else []
    kinds += ["min", "max"] if g.opset >= 18 else []
    return {"reduction": g.random.choice(kinds)} if kinds and some(g, 0.6) else {}


@draws("Scatter", "ScatterElements")
def scatter_elements(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and without_zero(v))
    axis = g.random.randrange(x.rank)
    least = min(x.shape[axis])
    g.need(op != "Scatter" or g.opset < 11)  # deprecated since
    named = scatter_reduction(g, op) if op != "Scatter" else {}
    if x.dtype == T.BOOL:
        named = {}
    if named.get("reduction", "none") != "none":
        at = indices(g, least, replaced(x.shape, axis, g.dim()))
    else:
        # Without a reduction no place may be written twice: one index along the axis.
        at = indices(g, least, replaced(x.shape, axis, g.fixed(1)), negative=op != "Scatter")
    updates = g.operand(x.dtype, at.shape)
    g.emit(op, [x, at, updates], [(x.dtype, x.shape)], axis=signed_axis(g, axis, x.rank), size=x.size * 4, **named)


@draws("ScatterND")
def scatter_nd(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and without_zero(v))
    depth = g.random.randint(1, x.rank)
    named = scatter_reduction(g, op)
    if x.dtype == T.BOOL:
        named = {}
    lead = g.shape(g.random.choice((1, 2))) if named.get("reduction", "none") != "none" else (g.fixed(1),)
    at = indices(g, min(min(d) for d in x.shape[:depth]), (*lead, g.fixed(depth)), (T.INT64,), negative=g.opset >= 16)
    updates = g.operand(x.dtype, (*lead, *x.shape[depth:]))
    g.emit(op, [x, at, updates], [(x.dtype, x.shape)], size=x.size * 4, **named)


@draws("OneHot")
def one_hot(g: Growing, op: str) -> None:
    depth = g.random.randint(1, 7)
    shape = g.shape(g.random.choice((1, 2, 3)))
    at = g.operand(g.random.choice((T.INT64, T.INT32, T.FLOAT)), shape, f"integers {-depth} {depth - 1}", constant=0.3)
    dtype = g.dtype([d for d in allowed(op, g.opset, 2) if d in NUMPY])
    values = g.operand(dtype, (g.fixed(2),), constant=0.7)
    axis = g.random.randint(0, len(shape))
    out = (*shape[:axis], g.fixed(depth), *shape[axis:])
    g.emit(op, [at, g.numbers(depth) if some(g) else g.scalar(T.INT64, depth), values], [(dtype, out)],
           axis=signed_axis(g, axis, len(shape) + 1, 1), size=3)  # fmt: skip


# -- factories -------------------------------------------------------------------------------------------------------


@draws("Constant")
def constant(g: Growing, op: str) -> None:
    g.need(g.opset >= 12)
    r = g.random.randrange(4)
    if r == 0:
        g.emit(op, [], [(T.FLOAT, ())], value_float=1.5)
    elif r == 1:
        g.emit(op, [], [(T.INT64, ())], value_int=-3)
    elif r == 2:
        g.emit(op, [], [(T.FLOAT, (g.fixed(3),))], value_floats=[1.0, -0.5, 2.0])
    else:
        g.emit(op, [], [(T.INT64, (g.fixed(2),))], value_ints=[4, -5])


@draws("ConstantOfShape")
def constant_of_shape(g: Growing, op: str) -> None:
    holders = [v for v in g.values if v.rank > 0]
    shape = (
        g.random.choice(holders).shape
        if holders and some(g, 0.6)
        else tuple(g.fixed(g.random.randint(0, 4)) for _ in range(3))
    )
    found = [d for d in allowed("Cast", g.opset, 0) if d in NUMPY and d != T.BFLOAT16]
    dtype = g.dtype(found)
    target = g.dims_as_value(shape)
    named = {"value": initializer("value", np.array([2], NUMPY[dtype]))} if some(g, 0.8) else {}
    g.emit(op, [target], [(dtype if named else T.FLOAT, shape)], size=3, **named)


@draws("EyeLike")
def eye_like(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), 2)
    named: dict[str, Any] = attributes(g, k=(0.5, g.random.choice((-2, -1, 1, 40))))
    dtype = x.dtype
    if some(g, 0.4):
        dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in NUMPY])
        named["dtype"] = dtype
    g.emit(op, [x], [(dtype, x.shape)], size=1, **named)
