# SPDX-License-Identifier: Apache-2.0
"""How matrix products and normalisations are drawn."""

from __future__ import annotations

from typing import Any

from cases import FLOATS, T
from growing import Dim, Growing, Shape, Value, allowed, floats_of
from onnx import helper
from vocabulary import attributes, draws, replaced, signed_axis, some, without_zero

# -- products --------------------------------------------------------------------------------------------------------


@draws("MatMul")
def matmul(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and v.size < 300)
    n = g.dim()
    k = x.shape[-1]
    r = g.random.random()
    if r < 0.15:
        other: Shape = (k,)
    elif r < 0.6 or x.rank < 3:
        other = (k, n)
    else:
        batch = g.broadcast_partner(x.shape[:-2])
        other = (*batch, k, n)
    y = g.operand(x.dtype, other, constant=0.4)
    rows: Shape = (x.shape[-2],) if x.rank > 1 else ()
    columns: Shape = (other[-1],) if len(other) > 1 else ()
    shape = (*g.broadcast(x.shape[:-2], other[:-2]), *rows, *columns)
    g.emit(op, [x, y], [(x.dtype, shape)], size=x.size * 3 * max(1, max(k)) ** 0.5)


@draws("Gemm")
def gemm(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), 2, lambda v: v.size < 300)
    a, b = some(g, 0.4), some(g, 0.4)
    m, k = x.shape if not a else x.shape[::-1]
    n = g.dim()
    y = g.operand(x.dtype, (n, k) if b else (k, n), constant=0.5)
    c = None
    if g.opset < 11 or some(g, 0.6):
        form: Shape = g.random.choice(
            ((n,), (m, n), (g.fixed(1), n), (m, g.fixed(1)), (), (g.fixed(1),), (g.fixed(1), g.fixed(1)))
        )
        c = g.operand(x.dtype, form, constant=0.5)
    named = attributes(g, alpha=(0.4, g.random.choice((0.5, 2.0, -1.0))), beta=(0.4, g.random.choice((0.0, 0.5, 2.0))))
    if x.dtype not in FLOATS:
        named = {}
    named.update({"transA": int(a)} if a or some(g, 0.2) else {})
    named.update({"transB": int(b)} if b or some(g, 0.2) else {})
    g.emit(op, [x, y, c], [(x.dtype, (m, n))], size=x.size * 8, **named)


@draws("Einsum")
def einsum(g: Growing, op: str) -> None:
    among = allowed(op, g.opset, 0)
    equation = g.random.choice((
        "ij,jk->ik", "ij->ji", "bij,bjk->bik", "i,j->ij", "ij->", "ij,ij->i", "bhid,bhjd->bhij", "bij,jk->bik", "ij->j", "i,i->",
        "...ij,...jk->...ik", "bij->bji", "ij,kj->ik", "ij,k->ijk", " i j , j k ", "ii->i", "bji,bjk->bik", "ijk,kl->ijl",
    ))  # fmt: skip
    left, _, right = equation.replace(" ", "").partition("->")
    dims: dict[str, Dim] = {}
    lead = tuple(g.dim() for _ in range(g.random.randrange(3)))
    terms = left.split(",")
    operands: list[Value] = []
    first = [
        v for v in g.values if v.dtype in among and v.size < 100 and "..." not in terms[0] and v.rank == len(terms[0])
    ]
    dtype = g.dtype(among)
    if first and some(g, 0.6):
        x = g.random.choice(first)
        if all(dims.setdefault(letter, d) == d for letter, d in zip(terms[0], x.shape, strict=True)):
            dtype = x.dtype
            operands.append(g.take(x))
        else:
            dims.clear()

    def shape_of(term: str) -> Shape:
        out: list[Dim] = []
        letters = term
        if "..." in term:
            out += lead
            letters = term.replace("...", "")
        for letter in letters:
            out.append(dims.setdefault(letter, g.dim()))
        return tuple(out)

    for term in terms[len(operands) :]:
        operands.append(g.operand(dtype, shape_of(term), constant=0.3))
    if "->" not in equation:
        right = "".join(sorted(letter for letter in set(left) - {","} if left.count(letter) == 1))
    g.emit(op, operands, [(dtype, shape_of(right))], size=30, equation=equation)


@draws("Attention")
def attention(g: Growing, op: str) -> None:
    g.need(g.opset >= 23)
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in FLOATS])
    batch, heads, length, past = g.dim(), g.random.choice((1, 2, 4)), g.dim(), g.dim()
    group = g.random.choice([h for h in (1, 2, 4) if heads % h == 0])
    width, value_width = g.random.choice((1, 4, 8)), g.random.choice((1, 4, 8))
    named: dict[str, Any] = attributes(g, is_causal=(0.4, 1), scale=(0.3, 0.7), softcap=(0.2, 2.0))
    f = g.fixed
    if some(g):
        q: Shape
        k: Shape
        v: Shape
        q, k, v = (
            (batch, f(heads), length, f(width)),
            (batch, f(group), past, f(width)),
            (batch, f(group), past, f(value_width)),
        )
        out: Shape = (batch, f(heads), length, f(value_width))
    else:
        named.update(q_num_heads=heads, kv_num_heads=group)
        q, k, v = (
            (batch, length, f(heads * width)),
            (batch, past, f(group * width)),
            (batch, past, f(group * value_width)),
        )
        out = (batch, length, f(heads * value_width))
    mask = None
    if some(g, 0.4):
        kind = T.BOOL if some(g) else dtype
        mask = g.operand(
            kind,
            g.random.choice(
                ((length, past), (f(1), past), (batch, f(1), length, past), (f(1), f(heads), length, past))
            ),
        )
    g.need(all(min(d) > 0 for d in (*q, *k)))
    g.emit(op, [g.operand(dtype, q), g.operand(dtype, k), g.operand(dtype, v), mask], [(dtype, out)], **named)


@draws("RotaryEmbedding")
def rotary_embedding(g: Growing, op: str) -> None:
    g.need(g.opset >= 23)
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in FLOATS])
    batch, length, heads, half = g.dim(), g.dim(), g.random.choice((1, 2, 3)), g.random.choice((1, 2, 5))
    f = g.fixed
    width = 2 * half + g.random.choice((0, 0, 4))
    named: dict[str, Any] = attributes(g, interleaved=(0.4, 1))
    if width != 2 * half:
        named["rotary_embedding_dim"] = 2 * half
    x: Shape = (batch, f(heads), length, f(width))
    if some(g):
        named["num_heads"] = heads
        x = (batch, length, f(heads * width))
    table = (batch, length, f(half))
    g.need(all(min(d) > 0 for d in x))
    g.emit(op, [g.operand(dtype, x), g.operand(dtype, table), g.operand(dtype, table)], [(dtype, x)], **named)


@draws("TensorScatter")
def tensor_scatter(g: Growing, op: str) -> None:
    g.need(g.opset >= 24)
    dtype = g.dtype(allowed(op, g.opset, 0))
    batch, heads, room, width = g.dim(), g.fixed(2), g.dim(), g.fixed(3)
    cache: Shape = (batch, heads, room, width)
    g.need(all(min(d) > 0 for d in cache))
    update = replaced(cache, 2, g.random.choice((room, g.fixed(1))))
    named = attributes(g, axis=(0.3, 2), mode=(0.4, "circular"))
    g.emit(op, [g.operand(dtype, cache), g.operand(dtype, update)], [(dtype, cache)], **named)


# -- normalisations --------------------------------------------------------------------------------------------------


@draws("BatchNormalization")
def batch_normalization(g: Growing, op: str) -> None:
    among = floats_of(op, g.opset)
    x = g.pick(among, (2, 3, 4, 5), lambda v: min(v.shape[1]) > 0)
    c = (x.shape[1],)
    t = x.dtype
    # Since opset 14 the statistics may have another type, since 15 scale and bias as well.
    stats = g.dtype(allowed(op, g.opset, 3)) if g.opset >= 14 and some(g, 0.15) else t
    affine = g.dtype(allowed(op, g.opset, 1)) if g.opset >= 15 and some(g, 0.15) else t
    training = g.opset >= 14 and some(g, 0.1) and stats == t and affine == t and without_zero(x)
    named = attributes(g, epsilon=(0.4, 1e-3), momentum=(0.2, 0.7))
    outputs: list[tuple[int, Shape] | None] = [(t, x.shape)]
    if training:
        named["training_mode"] = 1
        outputs += [(stats, c), (stats, c)]
    scale, bias = g.operand(affine, c, constant=0.7), g.operand(affine, c, constant=0.7)
    mean, variance = g.operand(stats, c, constant=0.7), g.operand(stats, c, "positive", constant=0.7)
    g.emit(op, [x, scale, bias, mean, variance], outputs, size=x.size * 3, **named)


@draws("InstanceNormalization", "GroupNormalization")
def instance_normalization(g: Growing, op: str) -> None:
    g.need(op != "GroupNormalization" or g.opset >= 21)  # deprecated before
    x = g.pick(floats_of(op, g.opset), (3, 4, 5), lambda v: without_zero(v))
    named = attributes(g, epsilon=(0.4, 1e-3))
    if op == "GroupNormalization":
        named["num_groups"] = g.random.choice([d for d in (1, 2, 3, 4) if all(c % d == 0 for c in x.shape[1])])
    count = g.fixed(named["num_groups"]) if op == "GroupNormalization" and g.opset < 21 else x.shape[1]
    scale, bias = g.operand(x.dtype, (count,), constant=0.7), g.operand(x.dtype, (count,), constant=0.7)
    g.emit(op, [x, scale, bias], [(x.dtype, x.shape)], size=6, **named)


@draws("LayerNormalization", "RMSNormalization")
def layer_normalization(g: Growing, op: str) -> None:
    x = g.pick(floats_of(op, g.opset), fits=lambda v: v.rank > 0 and without_zero(v))
    axis = g.random.randrange(x.rank)
    normal = x.shape[axis:]
    partner: Shape = normal if some(g, 0.7) else tuple(d if some(g) else g.fixed(1) for d in normal)
    if partner and some(g, 0.1):
        partner = partner[1:]
    scale = g.operand(x.dtype, partner, constant=0.6)
    named = {"axis": signed_axis(g, axis, x.rank, 1), **attributes(g, epsilon=(0.4, 1e-3))}
    if op == "RMSNormalization":
        g.emit(op, [x, scale], [(x.dtype, x.shape)], size=6, **named)
        return
    bias = g.operand(x.dtype, partner, constant=0.6) if some(g, 0.6) else None
    stats = (T.FLOAT, (*x.shape[:axis], *(g.fixed(1) for _ in normal)))
    extra = [stats if some(g) else None, stats if some(g) else None] if some(g, 0.2) else []
    g.emit(op, [x, scale, bias], [(x.dtype, x.shape), *extra], size=6, **named)


@draws("LpNormalization")
def lp_normalization(g: Growing, op: str) -> None:
    x = g.pick(floats_of(op, g.opset), fits=lambda v: v.rank > 0)
    axis = signed_axis(g, g.random.randrange(x.rank), x.rank, 1)
    g.emit(op, [x], [(x.dtype, x.shape)], size=1, **attributes(g, axis=(1.0, axis), p=(0.5, g.random.choice((1, 2)))))


@draws("MeanVarianceNormalization")
def mean_variance_normalization(g: Growing, op: str) -> None:
    x = g.pick(floats_of(op, g.opset), 4, without_zero)
    named = {"axes": sorted(g.random.sample(range(4), g.random.randint(1, 4)))} if some(g) else {}
    g.emit(op, [x], [(x.dtype, x.shape)], size=6, **named)


@draws("LRN")
def lrn(g: Growing, op: str) -> None:
    x = g.pick(floats_of(op, g.opset), (3, 4, 5), without_zero)
    named = attributes(g, alpha=(0.5, 0.3), beta=(0.5, 0.5), bias=(0.5, 2.0))
    # `size` is the name of an attribute here.
    g.emit(op, [x], [(x.dtype, x.shape)], **named)
    g.nodes[-1].attribute.append(helper.make_attribute("size", g.random.choice((1, 2, 3, 5, 7))))
