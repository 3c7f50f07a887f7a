# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers in NumPy, after ONNX's text and com.microsoft's, for the forms that ONNX Runtime and onnx.reference lack: in
binary64, with the states of 16-bit floats rounded after each step. Shares nothing with Anydim."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from cases import Array
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

Function = Callable[[Array], Array]
# How many parameters a function takes, its own values of them, and what it computes.
FUNCTIONS: dict[str, tuple[int, float, float, Callable[[Array, float, float], Array]]] = {
    "relu": (0, 0, 0, lambda x, _a, _b: np.maximum(x, 0)),
    "tanh": (0, 0, 0, lambda x, _a, _b: np.tanh(x)),
    "sigmoid": (0, 0, 0, lambda x, _a, _b: 1 / (1 + np.exp(-x))),
    "softsign": (0, 0, 0, lambda x, _a, _b: x / (1 + np.abs(x))),
    "softplus": (0, 0, 0, lambda x, _a, _b: np.logaddexp(0, x)),
    "affine": (2, np.nan, np.nan, lambda x, a, b: a * x + b),
    "scaledtanh": (2, np.nan, np.nan, lambda x, a, b: a * np.tanh(b * x)),
    "hardsigmoid": (2, 0.2, 0.5, lambda x, a, b: np.clip(a * x + b, 0, 1)),
    "leakyrelu": (1, 0.01, 0, lambda x, a, _b: np.where(x < 0, a * x, x)),
    "thresholdedrelu": (1, 1.0, 0, lambda x, a, _b: np.where(x > a, x, 0)),
    "elu": (1, 1.0, 0, lambda x, a, _b: np.where(x < 0, a * np.expm1(x), x)),
}
USUAL = {"RNN": ["tanh"], "GRU": ["sigmoid", "tanh"], "LSTM": ["sigmoid", "tanh", "tanh"]}


# A state that lies between two bytes goes to either, since binary32 and binary64 differ in its last digits, and every gate follows: one
# step of 8 bits is more than roundings are allowed (seen: 4e-6 of a step from the middle, 1.1e-4 in a result).
UNDECIDED = 3e-5
undecided: list[float] = []


def as_bytes(x: Array) -> Array:
    """What DynamicQuantizeLinear makes of x, as the real numbers that its bytes stand for."""
    x = x.astype(np.float32)
    low, high = min(np.float32(0), x.min(initial=0)), max(np.float32(0), x.max(initial=0))
    scale = np.float32((high - low) / np.float32(255)) or np.float32(1)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    places = np.append(x, -low).astype(np.float64) / np.float64(scale)
    middle = float(np.abs(places - np.floor(places) - 0.5).min())
    if middle < UNDECIDED:
        undecided.append(middle)
    return np.asarray((np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * np.float64(scale))


class Layer:
    def __init__(self, cell: str, node: onnx.NodeProto, operands: list[Any], quantizes: bool) -> None:
        self.cell, self.quantizes = cell, quantizes
        self.named: dict[str, Any] = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        self.dtype = operands[0].dtype
        operands = operands + [None] * (8 - len(operands))
        self.x, self.w, self.r, self.b, self.lengths, self.h, self.c, self.p = operands[:8]
        self.batch_first = bool(self.named.get("layout", 0))
        if self.batch_first:
            self.x = self.x.swapaxes(0, 1)
            self.h, self.c = (None if s is None else s.swapaxes(0, 1) for s in (self.h, self.c))

    def functions(self, directions: int) -> list[Function]:
        names = [n.decode().lower() for n in self.named.get("activations", [])] or USUAL[self.cell] * directions
        alphas, betas = list(self.named.get("activation_alpha", [])), list(self.named.get("activation_beta", []))
        made: list[Function] = []
        for name in names:
            count, a, b, f = FUNCTIONS[name]
            a, b = float(np.float32(a)), float(np.float32(b))  # as attributes are
            if count > 0 and alphas:
                a = alphas.pop(0)
            if count > 1 and betas:
                b = betas.pop(0)
            made.append(lambda x, f=f, a=a, b=b: f(x, a, b))  # type: ignore[misc]
        return made

    def clipped(self, x: Array) -> Array:
        most = self.named.get("clip", 0.0)
        return np.clip(x, -most, most) if most else x

    def stored(self, state: Array) -> Array:
        return state.astype(self.dtype).astype(np.float64)

    def step(self, x: Array, h: Array, c: Array, d: int, f: list[Function]) -> tuple[Array, Array]:
        """One step of one row."""
        hidden = h.size
        wide = np.float64
        w, r = self.w[d].astype(wide), self.r[d].astype(wide)
        gates = w.shape[0] // hidden
        b = np.zeros(2 * gates * hidden) if self.b is None else self.b[d].astype(wide)
        wb, rb = b[: gates * hidden], b[gates * hidden :]
        of_h = r @ (as_bytes(h) if self.quantizes else h)
        a = w @ x + wb
        if self.cell == "RNN":
            return f[0](self.clipped(a + of_h + rb)), c
        if self.cell == "GRU":
            s = a + of_h + rb
            z = f[0](self.clipped(s[:hidden]))
            reset = f[0](self.clipped(s[hidden : 2 * hidden]))
            last = slice(2 * hidden, None)
            if self.named.get("linear_before_reset", 0):
                n = f[1](self.clipped(a[last] + reset * (of_h + rb)[last]))
            else:
                n = f[1](self.clipped(a[last] + r[last] @ (reset * h) + rb[last]))
            return (1 - z) * n + z * h, c
        s = a + of_h + rb
        i, o, e, n = (s[k * hidden : (k + 1) * hidden] for k in range(4))
        p = np.zeros(3 * hidden) if self.p is None else self.p[d].astype(wide)
        pi, po, pf = p[:hidden], p[hidden : 2 * hidden], p[2 * hidden :]
        i = f[0](self.clipped(i + pi * c))
        e = 1 - i if self.named.get("input_forget", 0) else f[0](self.clipped(e + pf * c))
        c = e * c + i * f[1](self.clipped(n))
        o = f[0](self.clipped(o + po * c))
        return o * f[2](c), c

    def run(self) -> tuple[Array, ...]:
        steps, batch, _ = self.x.shape
        directions, hidden = self.w.shape[0], self.r.shape[2]
        x = as_bytes(self.x) if self.quantizes else self.x.astype(np.float64)
        functions = self.functions(directions)
        each = len(functions) // directions
        y = np.zeros((steps, directions, batch, hidden))
        last_h, last_c = np.zeros((directions, batch, hidden)), np.zeros((directions, batch, hidden))
        direction = self.named.get("direction", b"forward")
        for d in range(directions):
            f = functions[d * each : (d + 1) * each]
            for row in range(batch):
                h = np.zeros(hidden) if self.h is None else self.h[d, row].astype(np.float64)
                c = np.zeros(hidden) if self.c is None else self.c[d, row].astype(np.float64)
                length = steps if self.lengths is None else int(self.lengths[row])
                order = range(length)
                for t in reversed(order) if d == 1 or direction == b"reverse" else order:
                    h, c = self.step(x[t, row], h, c, d, f)
                    h, c = self.stored(h), self.stored(c)
                    y[t, d, row] = h
                last_h[d, row], last_c[d, row] = h, c
        if self.batch_first:
            y, last_h, last_c = y.transpose(2, 0, 1, 3), last_h.swapaxes(0, 1), last_c.swapaxes(0, 1)
        return tuple(v.astype(self.dtype) for v in (y, last_h, last_c))


class OfNode(OpRun):
    quantizes = False

    def run(self, *operands: Any, **_: Any) -> tuple[Array, ...]:
        given = list(operands)
        names = self.onnx_node.input
        if self.quantizes:
            given += [None] * (12 - len(given))
            for i, at in ((1, 8), (2, 10)):
                w, scale, zero = given[i].astype(np.float64), given[at].astype(np.float64), given[at + 1]
                zero = np.zeros_like(scale) if zero is None else zero.astype(np.float64)
                scale, zero = (v[:, None, :] if v.ndim == 2 else v[:, None, None] for v in (scale, zero))
                given[i] = ((w - zero) * scale).swapaxes(1, 2)
        given = [None if i < len(names) and names[i] == "" else v for i, v in enumerate(given)]
        cell = "LSTM" if self.quantizes else self.onnx_node.op_type
        results = Layer(cell, self.onnx_node, given, self.quantizes).run()
        return results[: len(self.onnx_node.output)]

    def _run(self, *_: Any, **__: Any) -> tuple[Array, ...]:
        raise AssertionError("run() is called")


class RNN(OfNode):
    op_domain = ""


class GRU(OfNode):
    op_domain = ""


class LSTM(OfNode):
    op_domain = ""


class DynamicQuantizeLSTM(OfNode):
    op_domain = "com.microsoft"
    quantizes = True


def whole_by_numpy(model: onnx.ModelProto, feeds: dict[str, Array]) -> list[Array]:
    """The outputs of the model, all but its recurrent layers by onnx.reference. `undecided` has the states that lie between two bytes."""
    undecided.clear()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        evaluator = ReferenceEvaluator(model, new_ops=[RNN, GRU, LSTM, DynamicQuantizeLSTM])
        results: Any = evaluator.run(None, feeds)
    made = [np.asarray(r) for r in results]
    if any(n.op_type == "Loop" for n in model.graph.node):
        # onnx.reference joins what a Loop's iterations give along the first axis, where ONNX has an axis for them.
        parts = next(a.shape[0] for a in feeds.values() if a.ndim == 4)
        ranks = [len(o.type.tensor_type.shape.dim) for o in model.graph.output]
        made = [
            m if m.ndim == rank else m.reshape(parts, m.shape[0] // parts, *m.shape[1:])
            for m, rank in zip(made, ranks, strict=True)
        ]
    return made
