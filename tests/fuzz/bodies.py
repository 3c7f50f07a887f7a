# SPDX-License-Identifier: Apache-2.0
"""Draws models of branches and loops in one another: If, Loop and Scan, with values of the scopes around them, any number of
iterations, none included, and sizes that change from one to the next.

Every number is a whole one and small enough for float32 to add exactly in any order. So all engines must agree to the last
bit, and a condition that follows from a sum is the same everywhere."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 4
MOST = 256.0  # of any element, after whatever makes it larger
OPSETS = (11, 12, 13, 14, 16, 17, 18, 19, 21)


@dataclass(frozen=True)
class Rows:
    """A float32 matrix [rows, WIDTH]. Matrices with one token have equally many rows; with token 1 they have one."""

    name: str
    token: int


@dataclass
class Scope:
    """A graph: the main one, or a body."""

    outer: Scope | None
    values: list[Rows] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    iteration: str = ""  # how many iterations came before, as a float

    @property
    def depth(self) -> int:
        return 0 if self.outer is None else self.outer.depth + 1

    def visible(self) -> list[Rows]:
        return self.values + (self.outer.visible() if self.outer else [])


class Drawing:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"bodies {seed}")
        self.opset = self.random.choice(OPSETS)
        self.names = 0
        self.tokens = 1
        self.concats = 0
        self.drawn: Counter[str] = Counter()

    # -- small things -------------------------------------------------------------------------------------------------
    def name(self, kind: str = "v") -> str:
        self.names += 1
        return f"{kind}{self.names}"

    def token(self) -> int:
        self.tokens += 1
        return self.tokens

    def node(self, s: Scope, op: str, inputs: Sequence[str], outputs: int = 1, **attributes: Any) -> list[str]:
        names = [self.name() for _ in range(outputs)]
        s.nodes.append(helper.make_node(op, list(inputs), names, name=self.name("n"), **attributes))
        return names

    def constant(self, s: Scope, array: np.ndarray | np.generic) -> str:  # type: ignore[type-arg]
        """In this graph, in one around it, or as a node."""
        array = np.asarray(array)
        name = self.name("c")
        while s.outer is not None and self.random.random() < 0.5:
            s = s.outer
        if self.random.random() < 0.3 and s.outer is None:
            s.nodes.insert(0, helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array)))
        else:
            s.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, s: Scope, name: str, token: int) -> Rows:
        value = Rows(name, token)
        s.values.append(value)
        return value

    def any(self, s: Scope) -> Rows:
        """Of this graph or of one around it."""
        if s.values and self.random.random() < 0.6:
            return self.random.choice(s.values)
        return self.random.choice(s.visible())

    def small(self, s: Scope, name: str) -> str:
        low, high = (self.constant(s, np.float32(v)) for v in (-MOST, MOST))
        return self.node(s, "Clip", [name, low, high])[0]

    def summed(self, s: Scope, name: str, *, rows_only: bool) -> str:
        """Over rows, which stay one, or over everything, which leaves a scalar."""
        axes, kept = ([0], 1) if rows_only else ([0, 1], 0)
        if self.opset >= 13:
            return self.node(s, "ReduceSum", [name, self.constant(s, np.array(axes, np.int64))], keepdims=kept)[0]
        return self.node(s, "ReduceSum", [name], axes=axes, keepdims=kept)[0]

    def reshaped(self, s: Scope, name: str, shape: Sequence[int]) -> str:
        return self.node(s, "Reshape", [name, self.constant(s, np.array(shape, np.int64))])[0]

    def condition(self, s: Scope) -> str:
        """A bool that data determines."""
        if self.random.random() < 0.15:
            return "flag"
        total = self.summed(s, self.any(s).name, rows_only=False)
        greater = self.node(s, "Greater", [total, self.constant(s, np.float32(self.random.choice((-3, 0, 0, 2))))])[0]
        return self.node(s, "Not", [greater])[0] if self.random.random() < 0.3 else greater

    # -- operators ----------------------------------------------------------------------------------------------------
    def grow(self, s: Scope, nodes: int) -> None:
        steps = [self.unary, self.unary, self.binary, self.binary, self.product, self.reduce, self.concat, self.cut]
        for _ in range(nodes):
            if s.depth < 3 and self.random.random() < (0.45 if s.depth == 0 else 0.25):
                self.random.choice([self.branch, self.loop, self.scan])(s)
            else:
                self.random.choice(steps)(s)

    def unary(self, s: Scope) -> None:
        v = self.any(s)
        self.add(s, self.node(s, self.random.choice(("Relu", "Neg", "Abs", "Identity")), [v.name])[0], v.token)

    def binary(self, s: Scope) -> None:
        v = self.any(s)
        fitting = [w for w in s.visible() if w.token in (v.token, 1)]
        other = self.random.choice(fitting).name if fitting else v.name
        if s.iteration and self.random.random() < 0.3:
            other = s.iteration
        operands = [v.name, other] if self.random.random() < 0.5 else [other, v.name]
        made = self.node(s, self.random.choice(("Add", "Sub", "Max", "Min")), operands)[0]
        self.add(s, self.small(s, made), v.token)

    def product(self, s: Scope) -> None:
        v = self.any(s)
        generator = np.random.default_rng(self.random.randrange(1 << 30))
        if self.random.random() < 0.5:
            matrix = self.constant(s, generator.integers(-1, 2, (WIDTH, WIDTH)).astype(np.float32))
            made = self.node(s, "MatMul", [v.name, matrix])[0]
        else:
            made = self.node(
                s, "Mul", [v.name, self.constant(s, generator.integers(-2, 3, (WIDTH,)).astype(np.float32))]
            )[0]
        self.add(s, self.small(s, made), v.token)

    def reduce(self, s: Scope) -> None:
        self.add(s, self.small(s, self.summed(s, self.any(s).name, rows_only=True)), 1)

    def concat(self, s: Scope) -> None:
        if self.concats >= 4:
            return self.binary(s)
        self.concats += 1
        made = self.node(s, "Concat", [self.any(s).name, self.any(s).name], axis=0)[0]
        self.add(s, made, self.token())
        return None

    def cut(self, s: Scope) -> None:
        start, end = self.random.choice(((0, 1), (0, 3), (1, 4), (-2, 100)))
        operands = [self.constant(s, np.array([n], np.int64)) for n in (start, end, 0)]
        self.add(s, self.node(s, "Slice", [self.any(s).name, *operands])[0], self.token())

    # -- bodies -------------------------------------------------------------------------------------------------------
    def graph(self, s: Scope, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]) -> onnx.GraphProto:
        return helper.make_graph(s.nodes, self.name("g"), inputs, outputs, s.constants)

    def result(
        self, s: Scope, name: str, elem: int = TensorProto.FLOAT, dims: Sequence[str | int | None] = (None, WIDTH)
    ) -> onnx.ValueInfoProto:
        """An output of a body: a value made in it, since a value of a scope around it must not be one itself."""
        own = {o for n in s.nodes for o in n.output}
        if name not in own:
            name = self.node(s, "Identity", [name])[0]
        return helper.make_tensor_value_info(name, elem, list(dims))

    def branch(self, s: Scope) -> None:
        self.drawn["If"] += 1
        count = self.random.choice((1, 1, 2))
        # One branch gives its first result flat: nodes behind the If read it in either rank.
        flat = self.random.choice((0, 1)) if self.random.random() < 0.25 else -1
        bodies, tokens = [], []
        for which in range(2):
            inner = Scope(s)
            self.grow(inner, self.random.choice((0, 1, 2, 4)))
            results = [self.any(inner) for _ in range(count)]
            outputs = [self.result(inner, r.name) for r in results]
            if which == flat:
                outputs[0] = self.result(inner, self.reshaped(inner, outputs[0].name, (-1,)), dims=(None,))
            for i, o in enumerate(outputs):  # each output needs its own name
                if o.name in {p.name for p in outputs[:i]}:
                    outputs[i] = helper.make_tensor_value_info(
                        self.node(inner, "Identity", [o.name])[0], TensorProto.FLOAT, [None, WIDTH]
                    )
            bodies.append(self.graph(inner, [], outputs))
            tokens.append([r.token for r in results])
        made = self.node(s, "If", [self.condition(s)], count, then_branch=bodies[0], else_branch=bodies[1])
        if flat >= 0:
            self.drawn["flat"] += 1
            for _ in range(self.random.randrange(3)):
                made[0] = self.node(s, self.random.choice(("Relu", "Neg", "Abs", "Identity")), [made[0]])[0]
            made[0] = self.reshaped(s, made[0], (-1, WIDTH))
            tokens[0][0] = self.token()
        for i, name in enumerate(made):
            self.add(s, name, tokens[0][i] if tokens[0][i] == tokens[1][i] else self.token())

    def unstacked(self, s: Scope, name: str) -> None:
        """[iterations, 1, WIDTH] as a matrix."""
        self.add(s, self.reshaped(s, name, (-1, WIDTH)), self.token())

    def distinct(self, s: Scope, names: list[str]) -> list[str]:
        out: list[str] = []
        for n in names:
            out.append(self.node(s, "Identity", [n])[0] if n in out else n)
        return out

    def loop(self, s: Scope) -> None:
        self.drawn["Loop"] += 1
        count = self.random.choice(("count", "count", "three", "none"))
        trips = "count" if count == "count" else self.constant(s, np.int64(3 if count == "three" else 0))
        asks = self.random.random() < 0.5
        if asks or self.random.random() < 0.3:
            first = self.condition(s)
        else:
            first = self.constant(s, np.bool_(True)) if self.random.random() < 0.6 else ""
        carried = [self.any(s) for _ in range(self.random.choice((1, 1, 2, 3)))]
        inner = Scope(s)
        number, going = self.name("i"), self.name("b")
        ins = [
            helper.make_tensor_value_info(number, TensorProto.INT64, []),
            helper.make_tensor_value_info(going, TensorProto.BOOL, []),
        ]
        for _ in carried:
            ins.append(helper.make_tensor_value_info(self.name("h"), TensorProto.FLOAT, [None, WIDTH]))
            self.add(inner, ins[-1].name, self.token())
        inner.iteration = self.node(inner, "Cast", [number], to=TensorProto.FLOAT)[0]
        self.grow(inner, self.random.choice((1, 2, 4)))
        on = self.condition(inner) if asks and first else going
        stacks = self.random.choice((0, 1, 1))
        names = [self.any(inner).name for _ in carried]
        names += [self.small(inner, self.summed(inner, self.any(inner).name, rows_only=True)) for _ in range(stacks)]
        outs = [self.result(inner, on, TensorProto.BOOL, [])]
        outs += [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None, WIDTH]) for n in
                 self.distinct(inner, [self.result(inner, n).name for n in names])]  # fmt: skip
        made = self.node(
            s, "Loop", [trips, first, *[v.name for v in carried]], len(names), body=self.graph(inner, ins, outs)
        )
        for name in made[: len(carried)]:
            self.add(s, name, self.token())
        for name in made[len(carried) :]:
            self.unstacked(s, name)

    def scan(self, s: Scope) -> None:
        self.drawn["Scan"] += 1
        states = [self.any(s) for _ in range(self.random.choice((0, 1, 2)))]
        scanned = [self.any(s)]
        twins = [v for v in s.visible() if v.token == scanned[0].token]
        if self.random.random() < 0.4:
            scanned.append(self.random.choice(twins))
        inner = Scope(s)
        ins = []
        for v in states:
            ins.append(helper.make_tensor_value_info(self.name("h"), TensorProto.FLOAT, [None, WIDTH]))
            self.add(inner, ins[-1].name, v.token)
        kept = [i.name for i in ins]
        for _ in scanned:
            ins.append(helper.make_tensor_value_info(self.name("e"), TensorProto.FLOAT, [WIDTH]))
            self.add(inner, self.reshaped(inner, ins[-1].name, (1, WIDTH)), 1)
        self.grow(inner, self.random.choice((1, 2, 3)))
        names = []
        for v, name in zip(states, kept, strict=True):  # a state keeps its dims
            same = [w.name for w in inner.values if w.token == v.token]
            names.append(self.random.choice(same or [name]))
        stacks = self.random.choice((1, 1, 2)) if not states else self.random.choice((0, 1))
        names += [self.small(inner, self.summed(inner, self.any(inner).name, rows_only=True)) for _ in range(stacks)]
        outs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None, WIDTH]) for n in
                self.distinct(inner, [self.result(inner, n).name for n in names])]  # fmt: skip
        attributes: dict[str, Any] = {}
        if self.random.random() < 0.4:
            attributes["scan_input_directions"] = [self.random.randrange(2) for _ in scanned]
        if stacks and self.random.random() < 0.4:
            attributes["scan_output_directions"] = [self.random.randrange(2) for _ in range(stacks)]
        made = self.node(s, "Scan", [v.name for v in states + scanned], len(names), body=self.graph(inner, ins, outs),
                         num_scan_inputs=len(scanned), **attributes)  # fmt: skip
        for v, name in zip(states, made, strict=False):
            self.add(s, name, v.token)
        for name in made[len(states) :]:
            self.unstacked(s, name)

    # -- the model ----------------------------------------------------------------------------------------------------
    def model(self) -> onnx.ModelProto:
        main = Scope(None)
        inputs = [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", WIDTH]),
            helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", WIDTH]),
            helper.make_tensor_value_info("u", TensorProto.FLOAT, ["m", WIDTH]),
            helper.make_tensor_value_info("count", TensorProto.INT64, []),
            helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
        ]
        n, m = self.token(), self.token()
        main.values = [Rows("x", n), Rows("z", n), Rows("u", m)]
        self.grow(main, self.random.choice((3, 4, 6)))
        if not self.drawn:
            self.random.choice([self.branch, self.loop, self.scan])(main)
        read = {i for node in main.nodes for i in node.input}
        ends = [v for v in main.values[3:] if v.name not in read] or main.values[-1:]
        outputs = [helper.make_tensor_value_info(v.name, TensorProto.FLOAT, [None, WIDTH]) for v in ends]
        graph = self.graph(main, inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        return model


def draw_model(seed: int) -> tuple[onnx.ModelProto, Counter[str]]:
    drawing = Drawing(seed)
    return drawing.model(), drawing.drawn


def draw_feeds(seed: int, run: int) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    generator = np.random.default_rng([seed, run])
    n, m = (int(v) for v in generator.integers(0, 6, 2))
    if run == 0:
        n, m = 3, 2
    floats = {
        name: generator.integers(-3, 4, (rows, WIDTH)).astype(np.float32)
        for name, rows in (("x", n), ("z", n), ("u", m))
    }
    return {**floats, "count": np.int64(generator.integers(0, 5)), "flag": np.bool_(generator.random() < 0.5)}  # type: ignore[dict-item]


def nested(graph: onnx.GraphProto) -> int:
    """How deep bodies are in one another."""
    inside = [nested(a.g) for node in graph.node for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
    return 1 + max(inside) if inside else 0


def without_condition(graph: onnx.GraphProto) -> bool:
    """Has it a Loop that only counts?"""
    return any(
        (node.op_type == "Loop" and not node.input[1])
        or any(a.type == onnx.AttributeProto.GRAPH and without_condition(a.g) for a in node.attribute)
        for node in graph.node
    )
