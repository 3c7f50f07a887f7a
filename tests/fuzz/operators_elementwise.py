# SPDX-License-Identifier: Apache-2.0
"""How nodes are drawn that work element by element, and softmax and reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from cases import FLOATS, NUMPY, T
from growing import Growing, Value, allowed
from vocabulary import attributes, draws, replaced, signed_axis, some, without_zero

# -- element by element ----------------------------------------------------------------------------------------------

SQUASHING = {"Sigmoid", "Tanh", "Softsign", "HardSigmoid", "Erf", "Sin", "Cos", "Atan", "Sign", "Not", "Asin", "Acos"}
GROWING = {"Exp", "Sinh", "Cosh", "Tan", "Reciprocal", "Acosh"}


@draws(
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor",
    "HardSwish", "Identity", "Log", "Mish", "Neg", "Not", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh",
    "Softplus", "Softsign", "Sqrt", "Tan", "Tanh",
)  # fmt: skip
def unary(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.size < 10 or op not in GROWING)
    size = 1.5 if op in SQUASHING else x.size * 1e4 if op in GROWING else x.size
    g.emit(op, [x], [(x.dtype, x.shape)], size=size)


@draws("Celu", "Elu", "Gelu", "HardSigmoid", "LeakyRelu", "Selu", "Shrink", "Swish", "ThresholdedRelu")
def activation(g: Growing, op: str) -> None:
    names = {
        "Gelu": {"approximate": g.random.choice(("none", "tanh"))},
        "HardSigmoid": {"alpha": g.random.choice((0.2, 1 / 6, 1.0, -0.5)), "beta": g.random.choice((0.5, 0.0, 1.5))},
        "Selu": {"alpha": 1.5, "gamma": g.random.choice((1.1, -0.5))},
        "Shrink": {"lambd": g.random.choice((0.5, 0.0, 1.5)), "bias": g.random.choice((0.0, 0.25))},
    }.get(op, {"alpha": g.random.choice((0.0, 0.01, 0.5, 1.0, 1.702, 2.0) if op not in ("Celu",) else (0.5, 1.0, 2.0))})
    x = g.pick(allowed(op, g.opset, 0))
    g.emit(op, [x], [(x.dtype, x.shape)], **{name: value for name, value in names.items() if some(g, 0.7)})


@draws(
    "Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater", "GreaterOrEqual", "Less",
    "LessOrEqual", "Mod", "Mul", "Or", "Pow", "Sub", "Xor",
)  # fmt: skip
def binary(g: Growing, op: str) -> None:
    among: Sequence[int] = allowed(op, g.opset, 0)
    if op == "Mod":
        among = [d for d in among if d not in FLOATS] if some(g) else among
    x = g.pick(among, fits=lambda v: v.size < 100 or op not in ("Mul", "Pow"))
    dtype = x.dtype
    words = ""
    named: dict[str, Any] = {}
    if op in ("Div", "Mod") and x.dtype not in FLOATS:
        words = "integers 1 5"
    elif op == "Pow":
        dtype = g.dtype(allowed(op, g.opset, 1)) if some(g, 0.2) else x.dtype
        words = "integers 0 3" if some(g) else "positive"
    elif op == "Div":
        words = "positive" if some(g, 0.7) else ""
    elif op == "BitShift":
        words, named = "integers 0 3", {"direction": g.random.choice(("LEFT", "RIGHT"))}
    if op == "Mod" and (x.dtype in FLOATS or some(g, 0.2)):
        named["fmod"] = 1
    if op == "Mod" and x.dtype in FLOATS:
        words = "positive"
    if some(g, 0.1) and op not in ("Div", "Mod", "BitShift", "Pow"):
        y = g.take(x)
    else:
        y = g.operand(dtype, g.broadcast_partner(x.shape), words)
    if dtype == x.dtype and op not in ("Div", "Mod", "BitShift", "Pow") and some(g):
        x, y = y, x
    boolean = op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    size = x.size * y.size if op == "Mul" else x.size**3 if op == "Pow" else x.size * 2
    g.emit(
        op,
        [x, y],
        [(T.BOOL if boolean else x.dtype, g.broadcast(x.shape, y.shape))],
        size=1 if boolean else size,
        **named,
    )


@draws("PRelu")
def prelu(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    slope = tuple(d if some(g) else g.fixed(1) for d in x.shape)
    if slope and some(g):
        slope = slope[g.random.randrange(len(slope)) :]
    y = g.operand(x.dtype, slope)
    g.emit(op, [x, y], [(x.dtype, x.shape)], size=x.size * 3)


@draws("Sum", "Max", "Min", "Mean")
def variadic(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    parts = [x, *(g.operand(x.dtype, g.broadcast_partner(x.shape)) for _ in range(g.random.choice((0, 1, 1, 2, 3))))]
    g.random.shuffle(parts)
    g.emit(op, parts, [(x.dtype, g.broadcast(*(p.shape for p in parts)))], size=x.size * len(parts))


@draws("IsInf", "IsNaN")
def is_special(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    named = attributes(g, detect_positive=(0.3, 0), detect_negative=(0.3, 0)) if op == "IsInf" else {}
    g.emit(op, [x], [(T.BOOL, x.shape)], size=1, **named)


@draws("Where")
def where(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 1))
    y = g.operand(x.dtype, g.broadcast_partner(x.shape))
    condition = g.operand(T.BOOL, g.broadcast_partner(g.broadcast(x.shape, y.shape)))
    g.emit(op, [condition, x, y], [(x.dtype, g.broadcast(condition.shape, x.shape, y.shape))])


@draws("Cast")
def cast(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    found = [d for d in allowed("Cast", g.opset, 0) if d in NUMPY]
    to = x.dtype if some(g, 0.1) else g.dtype(found)
    g.emit(op, [x], [(to, x.shape)], to=to)


@draws("CastLike")
def cast_like(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    like = g.pick(allowed(op, g.opset, 1))
    g.emit(op, [x, like], [(like.dtype, x.shape)], size=x.size)


@draws("Clip")
def clip(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    low, high = g.random.choice(((-1, 1), (0, 6), (0, 1), (2, -2), (0, 0)))
    if NUMPY[x.dtype].kind == "u":
        low = abs(low)
    if g.opset < 11:
        g.emit(op, [x], [(x.dtype, x.shape)], size=6, **attributes(g, min=(0.7, float(low)), max=(0.7, float(high))))
        return

    def bound(number: int) -> Value | None:
        if some(g, 0.3):
            return None
        return g.scalar(x.dtype, number) if some(g, 0.8) else g.operand(x.dtype, (), "positive")

    g.emit(op, [x, bound(low), bound(abs(high))], [(x.dtype, x.shape)])


@draws("Dropout")
def dropout(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0))
    # What the mask holds where nothing is trained is said since opset 12 only.
    second = (T.BOOL, x.shape) if g.opset >= 12 and some(g, 0.3) else None
    if g.opset < 12:
        g.emit(op, [x], [(x.dtype, x.shape), second], ratio=0.3)
        return
    ratio = g.scalar(T.FLOAT, 0.3) if some(g) else None
    training = g.constant(np.array(False)) if some(g) else None
    g.emit(op, [x, ratio, training], [(x.dtype, x.shape), second])


# -- softmax and reductions ------------------------------------------------------------------------------------------


@draws("Softmax", "LogSoftmax", "Hardmax")
def softmax(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    named = {"axis": signed_axis(g, g.random.randrange(x.rank), x.rank)} if some(g, 0.8) or x.rank < 2 else {}
    g.emit(op, [x], [(x.dtype, x.shape)], size=1 if op != "LogSoftmax" else x.size * 2, **named)


REDUCTIONS = (
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
    "ReduceSumSquare",
)  # fmt: skip


@draws(*REDUCTIONS)
def reduce(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.size < 30 or op not in ("ReduceProd", "ReduceSumSquare"))
    as_input = g.opset >= (13 if op == "ReduceSum" else 18)
    axes = sorted(g.random.sample(range(x.rank), g.random.randrange(x.rank + 1)))
    keep = some(g)
    named: dict[str, Any] = {} if keep and some(g) else {"keepdims": int(keep)}
    noop = as_input and some(g, 0.3)
    if noop:
        named["noop_with_empty_axes"] = 1
    shape = x.shape
    if axes:
        shape = tuple(g.fixed(1) if a in axes else d for a, d in enumerate(shape) if keep or a not in axes)
    elif not noop:
        shape = tuple(g.fixed(1) for _ in x.shape) if keep else ()
    written = [signed_axis(g, a, x.rank) for a in axes]
    g.random.shuffle(written)
    second = None
    if as_input and (written or some(g, 0.2)):
        second = g.numbers(*written)
    elif not as_input and written:
        named["axes"] = written
    g.emit(op, [x, second], [(x.dtype, shape)], size=x.size * 4, **named)


@draws("ArgMax", "ArgMin")
def arg_reduce(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and without_zero(v))
    axis = g.random.randrange(x.rank)
    keep = some(g)
    named = attributes(g, select_last_index=(0.4, 1)) if g.opset >= 12 else {}
    shape = replaced(x.shape, axis, g.fixed(1)) if keep else (*x.shape[:axis], *x.shape[axis + 1 :])
    g.emit(op, [x], [(T.INT64, shape)], axis=signed_axis(g, axis, x.rank), keepdims=int(keep), **named)


@draws("CumSum")
def cumsum(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axis = g.scalar(g.random.choice((T.INT64, T.INT32)), signed_axis(g, g.random.randrange(x.rank), x.rank))
    g.emit(op, [x, axis], [(x.dtype, x.shape)], size=x.size * 4, **attributes(g, exclusive=(0.4, 1), reverse=(0.4, 1)))


@draws("TopK")
def topk(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0 and without_zero(v))
    axis = g.random.randrange(x.rank)
    most = min(x.shape[axis])
    k = g.random.randint(0 if some(g, 0.05) else 1, most)
    shape = replaced(x.shape, axis, g.fixed(k))
    named: dict[str, Any] = {"axis": signed_axis(g, axis, x.rank)}
    if g.opset < 10:
        g.emit(op, [x], [(x.dtype, shape), (T.INT64, shape)], k=k, **named)
        return
    if g.opset >= 11:
        named.update(attributes(g, largest=(0.5, 0)))
    if some(g, 0.2):
        g.emit(op, [x, g.dims_as_value([x.shape[axis]])], [(x.dtype, x.shape), (T.INT64, x.shape)], **named)
        return
    g.emit(op, [x, g.numbers(k)], [(x.dtype, shape), (T.INT64, shape)], **named)
