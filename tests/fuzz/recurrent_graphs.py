# SPDX-License-Identifier: Apache-2.0
"""Networks of recurrent layers: RNN, GRU, LSTM and com.microsoft's DynamicQuantizeLSTM in all their forms, one behind the other,
with what passes rewrite between them, or in the body of a Scan or Loop that hands their states on."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from cases import NUMPY, Array, T, initializer, set_metadata
from onnx import helper

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
BOUNDED = ("Tanh", "Sigmoid", "HardSigmoid", "Softsign", "ScaledTanh")
FUNCTIONS = (*BOUNDED, "Relu", "Softplus", "LeakyRelu", "Elu", "Affine")
STEPS = ("ThresholdedRelu",)  # jumps: only where roundings are small
PARAMETERS = {"HardSigmoid": 2, "LeakyRelu": 1, "Elu": 1, "ScaledTanh": 2, "Affine": 2, "ThresholdedRelu": 1}
MUST = ("ScaledTanh", "Affine")  # ONNX names no numbers for them
OPSETS = (7, 9, 11, 13, 14, 17, 21, 22)


@dataclass
class Flow:
    """What goes from layer to layer: [steps, batch, width], or [batch, steps, width]."""

    name: str
    width: int
    batch_first: bool


class Layers:
    def __init__(self, seed: int) -> None:
        self.random = r = random.Random(f"recurrent {seed}")
        self.numbers = np.random.default_rng(seed)
        self.opset = r.choice(OPSETS)
        self.of_numbers = r.random() < 0.1  # DynamicQuantizeLSTM
        self.dtype = T.FLOAT if self.of_numbers else r.choice((T.FLOAT,) * 6 + (T.FLOAT16, T.DOUBLE, T.DOUBLE))
        if self.of_numbers:
            self.opset = max(self.opset, 11)
        self.runs = [
            {"s": r.choice((1, 2, 3, 5, 8)), "b": r.choice((1, 1, 2, 3, 5, 9)), "c": r.choice((1, 2, 3))}
            for _ in range(3)
        ]
        self.shortest = min(run["s"] for run in self.runs)
        self.inputs: list[onnx.ValueInfoProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.nodes: list[onnx.NodeProto] = []
        self.outputs: list[tuple[str, int]] = []
        self.names = 0

    # -- small things --------------------------------------------------------------------------------------------------
    def name(self, kind: str = "v") -> str:
        self.names += 1
        return f"{kind}{self.names}"

    def node(
        self, op: str, inputs: list[str], outputs: int | list[str] = 1, domain: str = "", **named: Any
    ) -> list[str]:
        names = [self.name() for _ in range(outputs)] if isinstance(outputs, int) else outputs
        self.nodes.append(helper.make_node(op, inputs, names, name=self.name("n"), domain=domain, **named))
        return names

    def constant(self, array: Array) -> str:
        name = self.name("c")
        self.constants.append(initializer(name, array))
        return name

    def input(self, dtype: int, dims: list[Any], words: str) -> str:
        name = self.name("x")
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims, words))
        return name

    def weights(self, *dims: int, scale: float = 1.0) -> str:
        """Mostly constant; small enough that no cell is chaotic."""
        if self.random.random() < 0.85:
            array = np.asarray(self.numbers.uniform(-1, 1, dims) * scale)
            return self.constant(array.astype(NUMPY[self.dtype]))
        made = self.input(self.dtype, list(dims), "unit")
        factor = self.constant(np.array(scale, NUMPY[self.dtype]))
        return self.node("Mul", [made, factor])[0]

    def eight_bits(self, d: int, inputs: int, columns: int) -> tuple[str, str, str]:
        """Weights as DynamicQuantizeLSTM has them, their scales and zero points."""
        r = self.random
        signed, each = r.random() < 0.5, r.random() < 0.5
        kind: Any = np.int8 if signed else np.uint8
        low, high = (-127, 127) if signed else (0, 255)
        w = self.numbers.integers(low, high + 1, (d, inputs, columns)).astype(kind)
        factors = (d, columns) if each else (d,)
        scales = self.numbers.uniform(0.4, 1.0, factors) / (127 * max(1.0, inputs**0.5))
        zeros = self.numbers.integers(-4, 5, factors) + (0 if signed else 128)
        return self.constant(w), self.constant(scales.astype(np.float32)), self.constant(zeros.astype(kind))

    # -- a layer -------------------------------------------------------------------------------------------------------
    def activations(self, op: str, directions: int) -> dict[str, Any]:
        r = self.random
        if r.random() < 0.55:
            return {}
        usual = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}[op]
        pool = FUNCTIONS + (STEPS if self.dtype != T.FLOAT16 and not self.of_numbers else ())
        names = []
        for i in range(len(usual) * directions):
            name = usual[i % len(usual)]
            if r.random() < 0.5:
                # Gates without a bound make states grow from step to step, and roundings with them.
                gate = name == "Sigmoid" and max(run["s"] for run in self.runs) > 2
                name = r.choice(BOUNDED if gate else pool)
            names.append(name)
        if r.random() < 0.1:
            names = [n.lower() if r.random() < 0.5 else n for n in names]
        # Parameters are used up in order, so whoever leaves some out leaves out all behind.
        alphas: list[float] = []
        betas: list[float] = []
        if any(n in MUST for n in names) or r.random() < 0.7:
            titled = {n.lower(): n for n in FUNCTIONS + STEPS}
            for n in (titled[n.lower()] for n in names):
                if PARAMETERS.get(n, 0) > 0:
                    alphas.append(round(r.uniform(0.1, 1.0), 2))
                if PARAMETERS.get(n, 0) > 1:
                    betas.append(round(r.uniform(0.1, 0.9), 2))
        elif any(n.lower() in (m.lower() for m in MUST) for n in names):
            return {}
        named: dict[str, Any] = {"activations": names}
        if alphas:
            named["activation_alpha"] = alphas
        if betas:
            named["activation_beta"] = betas
        return named

    def state(self, directions: int, hidden: int, batch_first: bool) -> str:
        r = self.random.random()
        if r < 0.45:
            return ""
        dims = ["b", directions, hidden] if batch_first else [directions, "b", hidden]
        return self.input(self.dtype, dims, "unit")

    def layer(self, x: Flow, states: list[str] | None = None) -> tuple[list[str], int, int]:
        """Y, the last states, how many columns Y has, and the hidden size. `states`: names to begin with, of one direction."""
        r = self.random
        op = "LSTM" if self.of_numbers or (states is not None and len(states) == 2) else r.choice(list(GATES))
        if states is not None and len(states) == 1 and op == "LSTM":
            op = r.choice(("RNN", "GRU"))
        direction = r.choice(("forward", "reverse", "bidirectional"))
        if states is not None:
            direction = r.choice(("forward", "reverse"))
        d = 2 if direction == "bidirectional" else 1
        hidden = 4 if states is not None else r.choice((1, 3, 4, 8, 17, 65))
        columns = GATES[op] * hidden
        small = 0.9 / max(1.0, hidden**0.5)
        factors: list[str] = []
        if self.of_numbers:
            w, ws, wz = self.eight_bits(d, x.width, columns)
            u, us, uz = self.eight_bits(d, hidden, columns)
            factors = [ws, wz, us, uz]
        else:
            w = self.weights(d, columns, x.width, scale=1.0 / max(1.0, x.width**0.5))
            u = self.weights(d, columns, hidden, scale=small)
        operands = [x.name, w, u]
        operands.append(self.weights(d, 2 * columns, scale=0.5) if r.random() < 0.6 else "")
        lengths = self.lengths if r.random() < 0.35 else ""
        operands.append(lengths)
        begin = (
            states
            if states is not None
            else [self.state(d, hidden, x.batch_first), self.state(d, hidden, x.batch_first)]
        )
        operands.append(begin[0])
        if op == "LSTM":
            operands.append(begin[1])
            operands.append(self.weights(d, 3 * hidden, scale=0.3) if r.random() < 0.3 else "")
        if factors:
            operands += factors
        while operands[-1] == "":
            operands.pop()
        named: dict[str, Any] = {"direction": direction, **self.activations(op, d)}
        if direction == "forward" and r.random() < 0.5:
            del named["direction"]
        if r.random() < 0.9 or factors:
            named["hidden_size"] = hidden
        if r.random() < 0.2:
            named["clip"] = r.choice((0.3, 0.75, 3.0))
        if op == "GRU" and r.random() < 0.5:
            named["linear_before_reset"] = 1
        if op == "LSTM" and r.random() < 0.15:
            named["input_forget"] = 1
        if x.batch_first:
            named["layout"] = 1
        outputs = [self.name() for _ in range(3 if op == "LSTM" else 2)]
        domain = "com.microsoft" if factors else ""
        self.node("DynamicQuantizeLSTM" if factors else op, operands, outputs, domain=domain, **named)
        return outputs, d * hidden, hidden

    # -- between layers ------------------------------------------------------------------------------------------------
    def joined(self, y: str, width: int, directions: int, batch_first: bool) -> Flow:
        """The directions of Y side by side."""
        r = self.random
        if directions == 1 and r.random() < 0.6:
            axis = 2 if batch_first else 1
            if self.opset < 13:
                return Flow(self.node("Squeeze", [y], axes=[axis])[0], width, batch_first)
            return Flow(self.node("Squeeze", [y, self.constant(np.array([axis]))])[0], width, batch_first)
        if not batch_first:
            y = self.node("Transpose", [y], perm=[0, 2, 1, 3])[0]
        return Flow(self.node("Reshape", [y, self.constant(np.array([0, 0, width]))])[0], width, batch_first)

    def between(self, x: Flow) -> Flow:
        r = self.random
        what = r.choice(("nothing", "nothing", "function", "scale", "turn", "product", "residual"))
        if what == "function":
            return Flow(self.node(r.choice(("Relu", "Tanh", "Sigmoid", "Neg")), [x.name])[0], x.width, x.batch_first)
        if what == "scale":
            y = self.node("Mul", [x.name, self.weights(x.width)])[0]
            return Flow(self.node("Add", [y, self.weights(x.width)])[0], x.width, x.batch_first)
        if what == "turn":
            y = self.node("Transpose", [x.name], perm=[1, 0, 2])[0]
            if r.random() < 0.5 and self.opset >= 14 and not self.of_numbers:
                return Flow(y, x.width, not x.batch_first)
            return Flow(self.node("Transpose", [y], perm=[1, 0, 2])[0], x.width, x.batch_first)
        if what == "product":
            to = r.choice((1, 4, 7))
            y = self.node("MatMul", [x.name, self.weights(x.width, to, scale=0.5)])[0]
            return Flow(self.node("Add", [y, self.weights(to)])[0], to, x.batch_first)
        if what == "residual":
            y = self.node("Tanh", [x.name])[0]
            return Flow(self.node("Add", [y, x.name])[0], x.width, x.batch_first)
        return x

    # -- a body that hands states on -----------------------------------------------------------------------------------
    def in_body(self, width: int) -> None:
        """Parts of a sequence, [parts, steps, batch, width]: each is a layer's that begins where the one before ended."""
        r = self.random
        self.opset = max(self.opset, 11)
        lstm = self.of_numbers or r.random() < 0.5
        parts = self.input(self.dtype, ["c", "s", "b", width], "normal")
        begins = [self.input(self.dtype, [1, "b", 4], "unit") for _ in range(2 if lstm else 1)]
        loop = r.random() < 0.4
        outer, self.nodes = self.nodes, []
        before = [self.name("h") for _ in begins]
        part = self.name("part")
        if loop:
            counter, condition = self.name("i"), self.name("go")
            self.node("Gather", [parts, counter], [part], axis=0)
        inside_inputs = len(self.inputs)
        outputs, _, _ = self.layer(Flow(part, width, False), states=before)
        assert len(self.inputs) >= inside_inputs
        made, after = outputs[0], outputs[1 : 1 + len(before)]
        kept = self.node("Identity", [made])[0] if r.random() < 0.5 else made

        def info(name: str, dims: list[Any]) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, self.dtype, dims)

        carried_in = [info(n, [1, "b", 4]) for n in before]
        carried_out = [info(n, [1, "b", 4]) for n in after]
        y = info(kept, ["s", 1, "b", 4])
        results = [self.name() for _ in range(len(before) + 1)]
        if loop:
            go = self.node("Identity", [condition])[0]
            body = helper.make_graph(
                self.nodes,
                "body",
                [
                    helper.make_tensor_value_info(counter, T.INT64, []),
                    helper.make_tensor_value_info(condition, T.BOOL, []),
                    *carried_in,
                ],
                [helper.make_tensor_value_info(go, T.BOOL, []), *carried_out, y],
            )
            self.nodes = outer
            shape = self.node("Shape", [parts])[0]
            count = self.node("Gather", [shape, self.constant(np.array(0))])[0]
            self.node("Loop", [count, self.constant(np.array(True)), *begins], results, body=body)
        else:
            body = helper.make_graph(
                self.nodes, "body", [*carried_in, info(part, ["s", "b", width])], [*carried_out, y]
            )
            self.nodes = outer
            self.node("Scan", [*begins, parts], results, body=body, num_scan_inputs=1)
        self.outputs += [(results[-1], 5), *((n, 3) for n in results[:-1])]

    def model(self, seed: int) -> onnx.ModelProto:
        r = self.random
        width = r.choice((1, 3, 5, 16))
        least = r.choice((0, 1, 1))
        self.lengths = self.input(T.INT32, ["b"], f"integers {least} {self.shortest}")
        if r.random() < 0.2:
            self.in_body(width)
        else:
            first = self.opset >= 14 and not self.of_numbers and r.random() < 0.25
            dims = ["b", "s", width] if first else ["s", "b", width]
            x = Flow(self.input(self.dtype, dims, "normal"), width, first)
            for _ in range(r.choice((1, 1, 2, 3))):
                outputs, columns, hidden = self.layer(x)
                self.outputs += [(n, 3) for n in outputs[1:] if r.random() < 0.6]
                y = self.joined(outputs[0], columns, columns // hidden, x.batch_first)
                x = self.between(y)
            self.outputs.append((x.name, 3))
        used = {n for node in self.nodes for n in node.input} | {n for n, _ in self.outputs}
        for node in self.nodes:  # outputs that nobody reads are left out, or stay
            if node.op_type in (*GATES, "DynamicQuantizeLSTM") and r.random() < 0.7:
                for i, n in enumerate(node.output):
                    if n not in used:
                        node.output[i] = ""
                while node.output and node.output[-1] == "":
                    node.output.pop()
        bodies = [a.g for node in self.nodes for a in node.attribute if a.HasField("g")]
        used |= {n for body in bodies for node in body.node for n in node.input}
        inputs = [v for v in self.inputs if v.name in used]
        results = [helper.make_tensor_value_info(n, self.dtype, [None] * rank) for n, rank in self.outputs]
        graph = helper.make_graph(self.nodes, "drawn", inputs, results, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        words = "recurrent numbers" if self.of_numbers else "recurrent"
        set_metadata(model, bindings=self.runs, seed=str(seed), kind="recurrent", words=words)
        return model


def grow_recurrent(seed: int) -> onnx.ModelProto:
    return Layers(seed).model(seed)
