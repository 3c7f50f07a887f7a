# SPDX-License-Identifier: Apache-2.0
"""Grows a graph node by node. Every value's dims are known for each of the runs that the graph will have, so that each node
is valid in all of them; which dims are dynamic follows from the symbols that they come from.

A dim is a tuple of its sizes, one per run. Equal tuples may meet in an operator; a tuple of one repeated size may
stand in the file as a number."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import onnx
from cases import FLOATS, NUMPY, Array, T, draw, initializer, set_metadata
from onnx import helper

Dim = tuple[int, ...]
Shape = tuple[Dim, ...]
MOST_ELEMENTS = 6000  # of any value in any run
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17)
NEWEST_OPSET = 28

CODES = {f"tensor({name})": code for name, code in {
    "float": T.FLOAT, "double": T.DOUBLE, "float16": T.FLOAT16, "bfloat16": T.BFLOAT16, "int8": T.INT8, "int16": T.INT16,
    "int32": T.INT32, "int64": T.INT64, "uint8": T.UINT8, "uint16": T.UINT16, "uint32": T.UINT32, "uint64": T.UINT64,
    "bool": T.BOOL,
}.items()}  # fmt: skip
# How often each is drawn where an operator takes several.
WEIGHTS = {T.FLOAT: 24, T.DOUBLE: 3, T.FLOAT16: 3, T.BFLOAT16: 2, T.INT64: 4, T.INT32: 3, T.BOOL: 2}


class CannotGrow(Exception):
    """This operator has no valid form here; another one is drawn."""


@dataclass(frozen=True)
class Value:
    name: str
    dtype: int
    shape: Shape
    size: float = 3.0  # a rough bound of its magnitudes; what grows too large is left alone
    constant: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)


@cache
def schema(op: str, opset: int) -> Any:
    try:
        return onnx.defs.get_schema(op, opset)
    except onnx.defs.SchemaError:
        return None


@cache
def allowed(op: str, opset: int, operand: int) -> tuple[int, ...]:
    """Dtypes that an operator's input may have, of those that the library has."""
    found = schema(op, opset)
    if found is None or not found.inputs:
        return ()
    formal = found.inputs[min(operand, len(found.inputs) - 1)].type_str
    for constraint in found.type_constraints:
        if constraint.type_param_str == formal:
            return tuple(sorted(CODES[t] for t in constraint.allowed_type_strs if t in CODES))
    return (CODES[formal],) if formal in CODES else ()


def elements(shape: Shape) -> int:
    """The most elements that a shape has in any run."""
    return max(int(np.prod([d[run] for d in shape])) for run in range(len(shape[0]))) if shape else 1


@dataclass
class Growing:
    random: random.Random
    opset: int
    runs: int
    symbols: dict[str, Dim] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    made: list[Value] = field(default_factory=list)  # what nodes give, whether later ones may pick it or not
    inputs: list[onnx.ValueInfoProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    given: dict[str, Dim] = field(default_factory=dict)  # numbers that inputs hold, one per run
    special: bool = False  # inputs hold infinities and NaNs
    constant_share: float = 0.15  # of new operands
    counted_share: float = 0.0  # of dims as values: how many no shape determines

    # -- going back ---------------------------------------------------------------------------------------------------
    def mark(self) -> list[Any]:
        """What go_back() takes to drop what was begun since."""
        lists: list[Any] = [self.values, self.nodes, self.inputs, self.constants, self.made, self.outputs]
        return [[len(x) for x in lists], set(self.used), dict(self.symbols), dict(self.given)]

    def go_back(self, kept: list[Any]) -> None:
        lists: list[list[Any]] = [self.values, self.nodes, self.inputs, self.constants, self.made, self.outputs]
        for x, size in zip(lists, kept[0], strict=True):
            del x[size:]
        self.used, self.symbols, self.given = kept[1:]

    # -- dims -----------------------------------------------------------------------------------------------------
    def fixed(self, size: int) -> Dim:
        return (size,) * self.runs

    def is_fixed(self, dim: Dim) -> bool:
        return len(set(dim)) == 1

    def symbol(self) -> Dim:
        """A symbol's dim: one that is there, or a new one, whose sizes include 1 and sometimes 0."""
        if self.symbols and (len(self.symbols) >= 3 or self.random.random() < 0.5):
            return self.random.choice(list(self.symbols.values()))
        sizes = [self.random.choice(SIZES) for _ in range(self.runs)]
        if self.runs > 1:
            sizes[self.random.randrange(self.runs)] = 1
        if self.random.random() < 0.12:
            sizes[self.random.randrange(self.runs)] = 0
        if len(set(sizes)) == 1:
            sizes[0] += 2
        self.symbols[f"s{len(self.symbols)}"] = tuple(sizes)
        return tuple(sizes)

    def symbol_of(self, sizes: Sequence[int]) -> Dim:
        """A dim of these sizes, whose symbol the input that has it gets."""
        return tuple(self.random.choice(sizes) for _ in range(self.runs))

    def dim(self) -> Dim:
        r = self.random.random()
        if r < 0.55:
            return self.symbol()
        return self.fixed(self.random.choice(SIZES) if r < 0.97 else 0)

    def shape(self, rank: int | None = None) -> Shape:
        if rank is None:
            rank = self.random.choice((0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 7, 8))
        for _ in range(30):
            shape = tuple(self.dim() if self.random.random() > 0.12 else self.fixed(1) for _ in range(rank))
            if elements(shape) <= MOST_ELEMENTS:
                return shape
        return tuple(self.fixed(1) for _ in range(rank))

    def all_runs(self, rule: Callable[[int], int]) -> Dim:
        """The dim of a rule that determines its size per run. A negative size cannot be."""
        dim = tuple(rule(run) for run in range(self.runs))
        self.need(min(dim) >= 0)
        return dim

    def need(self, holds: bool) -> None:
        if not holds:
            raise CannotGrow

    # -- values ---------------------------------------------------------------------------------------------------
    def dtype(self, among: Sequence[int]) -> int:
        self.need(len(among) > 0)
        return self.random.choices(list(among), [WEIGHTS.get(d, 1) for d in among])[0]

    def name(self, kind: str) -> str:
        return f"{kind}{len(self.values) + len(self.nodes) + len(self.constants)}"

    def input(self, dtype: int, shape: Shape, recipe: str = "") -> Value:
        """A new input of the graph. Dims that no symbol has must be fixed."""
        dims: list[int | str] = []
        for dim in shape:
            names = [name for name, sizes in self.symbols.items() if sizes == dim]
            if not names and not self.is_fixed(dim):
                names = [f"s{len(self.symbols)}"]
                self.symbols[names[0]] = dim
            dims.append(names[0] if names else dim[0])
        value = Value(self.name("x"), dtype, shape)
        info = helper.make_tensor_value_info(value.name, dtype, dims)
        info.doc_string = recipe or ("special" if self.special else "normal")
        self.inputs.append(info)
        self.values.append(value)
        return value

    def constant(self, array: Array, name: str = "c") -> Value:
        """An initializer, or a Constant node."""
        shape = tuple(self.fixed(d) for d in array.shape)
        code = next(code for code, dtype in NUMPY.items() if dtype == array.dtype)
        value = Value(self.name(name), code, shape, constant=True)
        tensor = initializer(value.name, array)
        if self.random.random() < 0.2:
            self.nodes.append(helper.make_node("Constant", [], [value.name], value=tensor))
        else:
            self.constants.append(tensor)
        return value

    def numbers(self, *values: int, dtype: int = T.INT64) -> Value:
        return self.constant(np.array(values, NUMPY[dtype]))

    def scalar(self, dtype: int, value: float, rank: int = 0) -> Value:
        return self.constant(np.full((1,) * rank, value).astype(NUMPY[dtype]))

    def operand(self, dtype: int, shape: Shape, recipe: str = "", constant: float | None = None) -> Value:
        """A value of exactly these dims: one that is there, a constant, or a new input."""
        self.need(elements(shape) <= MOST_ELEMENTS)
        if not recipe:
            fitting = [v for v in self.values if v.dtype == dtype and v.shape == shape and v.size < 100]
            if fitting and self.random.random() < 0.5:
                return self.take(self.random.choice(fitting))
        share = self.constant_share if constant is None else constant
        if all(self.is_fixed(d) for d in shape) and self.random.random() < share:
            dims = tuple(d[0] for d in shape)
            generator = np.random.default_rng(self.random.randrange(1 << 30))
            return self.constant(draw(generator, NUMPY[dtype], dims, recipe or "normal"))
        return self.input(dtype, shape, recipe)

    def take(self, value: Value) -> Value:
        self.used.add(value.name)
        return value

    def pick(
        self,
        among: Sequence[int],
        rank: int | tuple[int, ...] | None = None,
        fits: Callable[[Value], bool] = lambda _: True,
    ) -> Value:
        """A value of one of these dtypes (and ranks), mostly one that nothing reads yet."""
        ranks = (rank,) if isinstance(rank, int) else rank
        fitting = [
            v
            for v in self.values
            if v.dtype in among and (ranks is None or v.rank in ranks) and v.size < 1e4 and fits(v)
        ]
        fresh = [v for v in fitting if v.name not in self.used]
        if fresh and self.random.random() < 0.75:
            return self.take(self.random.choice(fresh))
        if fitting and self.random.random() < 0.6:
            return self.take(self.random.choice(fitting))
        for _ in range(20):
            value = Value("", self.dtype(among), self.shape(self.random.choice(ranks) if ranks else None))
            if fits(value):
                return self.take(self.input(value.dtype, value.shape))
        raise CannotGrow

    def broadcast_partner(self, shape: Shape) -> Shape:
        """Dims that broadcast with `shape`: the same, ones, fewer, or more."""
        out = [self.fixed(1) if self.random.random() < 0.3 else d for d in shape]
        for i, dim in enumerate(shape):
            if dim == self.fixed(1) and self.random.random() < 0.5:
                out[i] = self.dim()  # the result grows
        r = self.random.random()
        if r < 0.3:
            out = out[self.random.randrange(len(out) + 1) :]
        elif r < 0.4 and len(out) < 8:
            out = [self.dim(), *out]
        return tuple(out)

    def broadcast(self, *shapes: Shape) -> Shape:
        rank = max(len(s) for s in shapes)
        out: list[Dim] = []
        for axis in range(rank):
            dims = [s[len(s) - rank + axis] for s in shapes if len(s) - rank + axis >= 0]
            sizes = []
            for run in range(self.runs):
                sized = {d[run] for d in dims} - {1}
                self.need(len(sized) <= 1)
                sizes.append(sized.pop() if sized else 1)
            out.append(tuple(sizes))
        return tuple(out)

    def dims_as_value(self, dims: Sequence[Dim], dtype: int = T.INT64) -> Value:
        """A 1-d tensor of these sizes: a constant, or made from Shapes of values that have the dims."""
        if all(self.is_fixed(d) for d in dims):
            return self.numbers(*(d[0] for d in dims), dtype=dtype)
        parts = [self.dim_as_value(d) for d in dims]
        if len(parts) > 1:
            return self.emit("Concat", parts, [(T.INT64, (self.fixed(len(parts)),))], kept=False, axis=0)[0]
        return parts[0]

    def dim_as_value(self, dim: Dim) -> Value:
        holders = [(v, axis) for v in self.values for axis, d in enumerate(v.shape) if d == dim]
        if self.is_fixed(dim) and (not holders or self.random.random() < 0.8):
            return self.numbers(dim[0])
        self.need(bool(holders))
        if self.opset >= 9 and self.random.random() < self.counted_share:
            return self.counted(dim, holders[0])
        return self.told(self.random.choice(holders))

    def told(self, holder: tuple[Value, int]) -> Value:
        """A dim of a value, as its shape determines it."""
        value, axis = holder
        one = (self.fixed(1),)
        if self.opset >= 15 and self.random.random() < 0.5:
            end = {} if axis == value.rank - 1 else {"end": axis + 1}
            return self.emit("Shape", [value], [(T.INT64, one)], kept=False, start=axis, **end)[0]
        whole = self.emit("Shape", [value], [(T.INT64, (self.fixed(value.rank),))], kept=False)[0]
        return self.emit("Gather", [whole, self.numbers(axis)], [(T.INT64, one)], kept=False, axis=0)[0]

    def counted(self, dim: Dim, holder: tuple[Value, int]) -> Value:
        """The same as a number that no shape determines: a sum over elements."""
        ones = initializer("value", np.array([1], np.int64))
        every = self.emit("ConstantOfShape", [self.told(holder)], [(T.INT64, (dim,))], kept=False, value=ones)[0]
        return self.emit("ReduceSum", [every], [(T.INT64, (self.fixed(1),))], kept=False)[0]

    # -- nodes ----------------------------------------------------------------------------------------------------
    def emit(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: Sequence[tuple[int, Shape] | None],
        *,
        size: float | None = None,
        kept: bool = True,
        **attributes: Any,
    ) -> list[Value]:
        """Appends a node; returns its outputs, in place of those that are left out (None) a value that nobody may read.
        kept: the outputs may be picked by later nodes."""
        given = [v for v in inputs if v is not None]
        bound = size if size is not None else max([v.size for v in given], default=3.0)
        made: list[Value] = []
        for output in outputs:
            if output is not None:
                self.need(len(output[1]) <= 8 and elements(output[1]) <= MOST_ELEMENTS)
        names: list[str] = []
        for output in outputs:
            value = (
                Value("", 0, ())
                if output is None
                else Value(f"v{len(self.nodes)}_{len(names)}", output[0], output[1], bound)
            )
            names.append(value.name)
            made.append(value)
        operands = [v.name if v is not None else "" for v in inputs]
        while operands and not operands[-1]:
            operands.pop()
        while names and not names[-1]:
            names.pop()
        for value in given:
            self.used.add(value.name)
        self.nodes.append(helper.make_node(op, operands, names, name=f"n{len(self.nodes)}", **attributes))
        self.made += [v for v in made if v.name]
        if kept:
            self.values += [v for v in made if v.name]
        return made

    def finish(self, seed: int, kind: str) -> onnx.ModelProto:
        """The model: its outputs are what nothing reads, and now and then a value inside."""
        made = {name for node in self.nodes if node.op_type != "Constant" for name in node.output if name}
        ends = [v for v in self.values if v.name in made and v.name not in self.used]
        inner = [v for v in self.values if v.name in made and v.name in self.used]
        outputs = [*dict.fromkeys(self.outputs), *[v for v in ends if v not in self.outputs]]
        outputs += [v for v in inner if v not in outputs and self.random.random() < 0.06]
        if self.inputs and self.random.random() < 0.02:
            outputs.append(next(v for v in self.values if v.name == self.inputs[0].name))
        self.need(bool(outputs))
        infos = [helper.make_tensor_value_info(v.name, v.dtype, [None] * v.rank) for v in outputs]
        graph = helper.make_graph(self.nodes, "fuzz", self.inputs, infos, self.constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8 if self.opset < 18 else 10
        )
        model.producer_name = "fuzz"
        numbers = {**self.symbols, **self.given}
        runs = [{name: sizes[run] for name, sizes in numbers.items()} for run in range(self.runs)]
        shapes = {v.name: [v.dtype, [list(d) for d in v.shape]] for v in self.made}
        set_metadata(model, bindings=runs, seed=str(seed), kind=kind, shapes=shapes)
        return model


def floats_of(op: str, opset: int) -> tuple[int, ...]:
    return tuple(d for d in allowed(op, opset, 0) if d in FLOATS)
