# SPDX-License-Identifier: Apache-2.0
"""How recurrent layers are drawn."""

from __future__ import annotations

from cases import T
from growing import Growing
from vocabulary import attributes, draws, some

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@draws(*GATES)
def recurrent(g: Growing, op: str) -> None:
    dtype = (
        T.FLOAT
    )  # in double precision onnx.reference alone has an answer, and it leaves out clip, lengths and functions
    gates, lstm = GATES[op], op == "LSTM"
    direction = g.random.choice(("forward", "reverse", "bidirectional"))
    d, hidden, inputs = g.fixed(2 if direction == "bidirectional" else 1), g.random.choice((1, 3, 8, 17)), g.fixed(5)
    steps, batch = g.dim(), g.dim()
    g.need(min(steps) > 0 and min(batch) > 0)  # ONNX Runtime refuses empty ones
    g.need(max(steps) <= 12)  # random weights make a chaotic system: roundings grow from step to step, in every engine
    x = g.input(dtype, (steps, batch, inputs), "normal")
    columns, state = g.fixed(gates * hidden), (d, batch, g.fixed(hidden))
    values = [
        x,
        g.operand(dtype, (d, columns, inputs), "normal"),
        g.operand(dtype, (d, columns, g.fixed(hidden)), "normal"),
        g.operand(dtype, (d, g.fixed(2 * gates * hidden)), "normal") if some(g) else None,
        None,
        g.operand(dtype, state, "normal") if some(g) else None,
    ]
    if lstm:
        values.append(g.operand(dtype, state, "normal") if some(g) else None)
        values.append(g.operand(dtype, (d, g.fixed(3 * hidden)), "normal") if some(g) else None)
    while values[-1] is None:
        values.pop()
    named = attributes(
        g,
        direction=(1.0, direction),
        hidden_size=(1.0, hidden),
        clip=(0.2, 0.75),
        **({"linear_before_reset": (0.5, 1)} if op == "GRU" else {}),
    )
    results = [(dtype, (steps, d, batch, g.fixed(hidden))), (dtype, state)]
    if lstm:
        results.append((dtype, state))
    g.emit(op, values, results, **named)
