# SPDX-License-Identifier: Apache-2.0
"""How the operators of the newest opsets are drawn: gates, and what hands a state from call to call. onnx.reference alone has them."""

from __future__ import annotations

from cases import T
from growing import Growing, Shape, Value, allowed
from vocabulary import attributes, draws, some

NARROW = (T.FLOAT, T.FLOAT16, T.BFLOAT16)


@draws("SwiGLU")
def swiglu(g: Growing, op: str) -> None:
    a = g.pick([d for d in allowed(op, g.opset, 0) if d in (*NARROW, T.DOUBLE)])
    b = g.operand(a.dtype, a.shape)
    g.emit(op, [a, b], [(a.dtype, a.shape)], size=a.size * b.size, **attributes(g, alpha=(0.4, 1.702)))


@draws("CausalConvWithState")
def causal_convolution(g: Growing, op: str) -> None:
    g.need(g.opset >= 27)
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in NARROW])
    batch, channels, length = g.dim(), g.fixed(g.random.choice((1, 3, 8))), g.dim()
    width = g.random.choice((1, 2, 4))
    g.need(min(batch) > 0 and min(length) > 0)
    before = (batch, channels, g.fixed(width - 1))
    x = g.operand(dtype, (batch, channels, length))
    rest = [
        g.operand(dtype, (channels, g.fixed(1), g.fixed(width)), "normal", constant=0.7),
        g.operand(dtype, (channels,), "normal") if some(g) else None,
        g.operand(dtype, before, "normal") if width > 1 and some(g) else None,
    ]
    named = attributes(g, activation=(0.6, g.random.choice(("none", "silu", "swish"))))
    outputs = [(dtype, (batch, channels, length)), (dtype, before) if width > 1 and some(g, 0.6) else None]
    g.emit(op, [x, *rest], outputs, size=40, **named)


def below_zero(g: Growing, dtype: int, shape: Shape) -> Value:
    """Logarithms of factors that are at most 1."""
    x = g.operand(dtype, shape, "normal")
    positive = g.emit("Abs", [x], [(dtype, shape)], kept=False)[0]
    return g.emit("Neg", [positive], [(dtype, shape)], kept=False)[0]


@draws("LinearAttention")
def linear_attention(g: Growing, op: str) -> None:
    g.need(g.opset >= 27)
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in NARROW])
    rule = g.random.choice(("linear", "gated", "delta", "gated_delta"))
    heads, each = g.random.choice((1, 2, 3)), g.random.choice((1, 2))
    key, value = g.random.choice((1, 3, 4)), g.random.choice((1, 2, 5))
    batch, length = g.dim(), g.dim()
    g.need(min(batch) > 0 and 0 < min(length) and max(length) <= 9)  # deltas of random keys grow from step to step
    f = g.fixed
    state = (batch, f(heads), f(key), f(value))
    past = g.operand(T.FLOAT, state, "normal") if some(g) and T.FLOAT in allowed(op, g.opset, 3) else None
    if past is None and dtype == T.FLOAT and some(g):
        past = g.operand(dtype, state, "normal")
    decay = beta = None
    if rule in ("gated", "gated_delta"):
        decay = below_zero(g, dtype, (batch, length, f(heads * g.random.choice((1, key)))))
    if rule in ("delta", "gated_delta"):
        x = g.operand(dtype, (batch, length, f(g.random.choice((1, heads)))), "normal")
        beta = g.emit("Sigmoid", [x], [(dtype, x.shape)], kept=False)[0]
    operands = [
        g.operand(dtype, (batch, length, f(heads * each * key)), "normal"),
        g.operand(dtype, (batch, length, f(heads * key)), "normal"),
        g.operand(dtype, (batch, length, f(heads * value)), "normal"),
        past,
        decay,
        beta,
    ]
    named = {"q_num_heads": heads * each, "kv_num_heads": heads, "update_rule": rule, **attributes(g, scale=(0.4, 0.5))}
    outputs = [(dtype, (batch, length, f(heads * each * value))), None]
    if past is not None and some(g, 0.6):
        outputs[1] = (past.dtype, state)
    g.emit(op, operands, outputs, size=200, **named)
