# SPDX-License-Identifier: Apache-2.0
"""DynamicQuantizeLSTM of com.microsoft beside ONNX Runtime."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnxruntime as ort
from quantized_drawn import ROUNDS, SATURATES, Array, Drawn, Random, numbers, scale, some


def dynamic_lstm(r: Random) -> Drawn:
    directions, steps, batch, width, hidden = int(some(r, 1, 2)), *(int(d) for d in r.integers(1, 7, 4))
    t = some(r, np.uint8, np.int8)
    per_column = some(r, True, False)

    def weights(inputs: int) -> tuple[Array, Array, Array]:
        shape = (directions, 4 * hidden) if per_column else (directions,)
        # The peer has no zero points of signed numbers, and of others one alone.
        zeros = np.full(shape, 0 if t == np.int8 else r.integers(100, 156), t)
        return numbers(r, (directions, inputs, 4 * hidden), t), scale(r, *shape, low=1e-3, high=6e-3), zeros

    (w, ws, wz), (m, ms, mz) = weights(width), weights(hidden)
    if SATURATES and t == np.int8:
        w, m = w >> 1, m >> 1
    inputs: dict[str, Any] = {
        "x": r.normal(size=(steps, batch, width)).astype(np.float32), "w8": w, "r8": m,
        "bias": r.normal(size=(directions, 8 * hidden)).astype(np.float32), "lengths": None,
        "h": r.uniform(-1, 1, (directions, batch, hidden)).astype(np.float32) if some(r, True, False) else None,
        "c": r.uniform(-1, 1, (directions, batch, hidden)).astype(np.float32) if some(r, True, False) else None,
        "p": None, "ws": ws, "wz": wz, "rs": ms, "rz": mz,
    }  # fmt: skip
    attributes: dict[str, Any] = {
        "hidden_size": hidden,
        "direction": "bidirectional" if directions == 2 else some(r, "forward", "reverse"),
    }
    constants = ("w8", "r8", "bias", "ws", "wz", "rs", "rz")
    return Drawn("DynamicQuantizeLSTM", inputs, attributes, 3, domain="com.microsoft", constants=constants)


def test_a_dynamically_quantized_lstm_has_the_peers_arithmetic() -> None:
    close = alone = 0
    for i in range(2 * ROUNDS):
        drawn = dynamic_lstm(np.random.default_rng([31, i]))
        feeds = {n: x for n, x in drawn.inputs.items() if x is not None and n not in drawn.constants}
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        theirs = ort.InferenceSession(drawn.model(False), options, providers=["CPUExecutionProvider"]).run(None, feeds)
        gap = 0.0
        for dynamic in (False, True):
            got = anydim.InferenceSession(drawn.model(dynamic)).run(None, feeds)
            for g, t in zip(got, theirs, strict=True):
                # The peer has one range for the states of all rows; here each row has its own.
                np.testing.assert_allclose(g, t, atol=0.03, err_msg=f"{i} {drawn.attributes}")
                gap = max(gap, float(np.abs(g - t).max(initial=0)))
        if drawn.inputs["x"].shape[1] == 1:
            alone += 1
            close += gap < 1e-5  # a state between two numbers may become either
    assert alone > 0
    assert close >= 0.9 * alone


def test_a_row_of_a_dynamically_quantized_lstm_does_not_depend_on_the_others_states() -> None:
    r = np.random.default_rng(5)
    drawn = dynamic_lstm(r)
    while (
        drawn.inputs["x"].shape[1] < 2
        or drawn.inputs["x"].shape[0] < 2
        or drawn.inputs["h"] is None
        or drawn.inputs["c"] is None
    ):
        drawn = dynamic_lstm(r)
    x = drawn.inputs["x"]
    x[0, 0, 0], x[-1, 0, -1] = x.min(), x.max()  # the first row's range is that of all
    drawn.inputs["h"][:, 1:] *= 100
    first = Drawn(**{**vars(drawn), "inputs": dict(drawn.inputs)})
    for name in ("x", "h", "c"):
        first.inputs[name] = np.ascontiguousarray(drawn.inputs[name][:, :1])
    ys = [
        anydim.InferenceSession(d.model(True)).run(
            None, {n: v for n, v in d.inputs.items() if v is not None and n not in d.constants}
        )
        for d in (drawn, first)
    ]
    np.testing.assert_array_equal(ys[0][0][:, :, :1], ys[1][0])
    np.testing.assert_array_equal(ys[0][1][:, :1], ys[1][1])
