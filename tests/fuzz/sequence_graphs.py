# SPDX-License-Identifier: Apache-2.0
"""Draws models of sequences and optionals: built, cut, joined, indexed, mapped, carried by loops and given by branches, of lengths that
the model has and that only a run determines. Numbers are whole and small, so every engine has the same ones. With `strings` some tensors
and sequences hold strings, and some positions and sizes come with the run; one that is outside, up to the ends of int64, must fail it.

What the model must give is computed beside it with numpy, one list per sequence. As a program:

  sequence_graphs.py --seed 1 --graphs 1000
  sequence_graphs.py --seed 1 --graphs 1000 --strings"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime as ort
from cases import WORDS
from onnx import TensorProto, helper, numpy_helper

OPSETS = (11, 12, 13, 15, 16, 17, 18, 19, 21, 23)
SIZES = (1, 2, 3, 4, 5, 8)
RUNS = 3
Array = Any  # of numpy
ort.set_default_logger_severity(4)


@dataclass(frozen=True)
class Value:
    """A tensor, or a sequence of tensors of one rank, as it is in each run."""

    name: str
    runs: tuple[Any, ...]  # arrays, or lists of arrays
    rank: int
    dtype: int
    sequence: bool = False
    optional: bool = False

    def lengths(self) -> list[int]:
        return [len(r) for r in self.runs]


class Stuck(Exception):
    """No such node can be drawn here."""


@dataclass
class Drawing:
    seed: int
    strings: bool = False
    values: list[Value] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    inputs: list[onnx.ValueInfoProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    feeds: list[dict[str, Array]] = field(default_factory=lambda: [{} for _ in range(RUNS)])
    used: set[str] = field(default_factory=set)
    names: int = 0
    # Inputs that are positions or sizes, and of each run the numbers that are right.
    numbers_of_runs: dict[str, list[range]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(f"{'strings in ' if self.strings else ''}sequences {self.seed}")
        self.opset = self.random.choice(OPSETS)
        self.dtypes = [TensorProto.FLOAT, TensorProto.INT64, *[TensorProto.STRING] * (3 if self.strings else 0)]
        self.numbers = np.random.default_rng(self.seed)
        self.symbols = {s: [self.random.choice(SIZES) for _ in range(RUNS)] for s in "abc"}

    # -- small things ---------------------------------------------------------------------------------------------------
    def name(self, kind: str) -> str:
        self.names += 1
        return f"{kind}{self.names}"

    def need(self, holds: bool) -> None:
        if not holds:
            raise Stuck

    def pick(self, fits: Callable[[Value], bool]) -> Value:
        fitting = [v for v in self.values if fits(v)]
        self.need(bool(fitting))
        fresh = [v for v in fitting if v.name not in self.used]
        found = self.random.choice(fresh if fresh and self.random.random() < 0.6 else fitting)
        self.used.add(found.name)
        return found

    def sequence(self, fits: Callable[[Value], bool] = lambda v: True) -> Value:
        return self.pick(lambda v: v.sequence and not v.optional and fits(v))

    def tensor(self, fits: Callable[[Value], bool] = lambda v: True) -> Value:
        if self.random.random() < 0.1:
            self.input(self.random.choice((1, 2, 3)), self.random.choice(self.dtypes))
        return self.pick(lambda v: not v.sequence and not v.optional and v.rank > 0 and fits(v))

    def input(self, rank: int, dtype: int) -> Value:
        dims = [self.random.choice(("a", "b", "c", 1, 2, 3)) for _ in range(rank)]
        kind = helper.tensor_dtype_to_np_dtype(dtype)
        runs = []
        for run in range(RUNS):
            shape = [self.symbols[d][run] if isinstance(d, str) else d for d in dims]
            if dtype == TensorProto.STRING:
                runs.append(np.array(self.random.choices(WORDS, k=int(np.prod(shape))), object).reshape(shape))
            else:
                runs.append(self.numbers.integers(-9, 10, shape).astype(kind))
        value = Value(self.name("x"), tuple(runs), rank, dtype)
        self.inputs.append(helper.make_tensor_value_info(value.name, dtype, dims))
        for run, array in enumerate(runs):
            self.feeds[run][value.name] = array
        self.values.append(value)
        return value

    def constant(self, array: Array) -> str:
        name = self.name("c")
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def emit(self, op: str, inputs: Sequence[str], runs: Sequence[Any], like: Value, **more: Any) -> Value:
        made = Value(
            self.name("v"),
            tuple(runs),
            more.pop("rank", like.rank),
            more.pop("element_type", like.dtype),
            more.pop("sequence", like.sequence),
            more.pop("optional", like.optional),
        )
        self.need(all(np.size(a) <= 4000 for r in made.runs for a in (r if isinstance(r, list) else [r])))
        self.nodes.append(helper.make_node(op, list(inputs), [made.name], name=self.name("n"), **more))
        self.values.append(made)
        return made

    def number(self, runs: Sequence[Any], right: Sequence[range]) -> str:
        """An input that is a position or sizes."""
        name = self.name("p")
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, list(np.shape(runs[0]))))
        for run, value in enumerate(runs):
            self.feeds[run][name] = np.array(value, np.int64)
        self.numbers_of_runs[name] = list(right)
        return name

    def place(self, seq: Value, beyond: int) -> tuple[str | None, list[int] | None]:
        """A position that is there in every run (at most `beyond` behind the last); None: the default."""
        shortest = min(seq.lengths())
        self.need(shortest + beyond > 0)
        if self.random.random() < 0.2:
            return None, None
        if self.strings and self.random.random() < 0.3:
            right = [range(-n, n + beyond) for n in seq.lengths()]
            drawn = [self.random.choice(r) if len(r) else 0 for r in right]
            return self.number(drawn, right), drawn
        at = self.random.randrange(-shortest, shortest + beyond) if shortest else 0
        kind = np.int64 if self.random.random() < 0.7 else np.int32
        return self.constant(np.array(at, kind)), [at] * RUNS

    def turned(self, dtype: int) -> tuple[str, list[str], Callable[[Array], Array]]:
        """An operator of one tensor of this dtype: its name, further inputs, and what it does."""
        if dtype != TensorProto.STRING:
            return "Neg", [], lambda a: -a
        if self.opset < 20:
            return "Identity", [], lambda a: a
        mark = self.random.choice(("!", "é", ""))
        return "StringConcat", [self.constant(np.array(mark, object))], lambda a: a + mark

    # -- tensors ------------------------------------------------------------------------------------------------------
    def neg(self) -> None:
        x = self.tensor()
        op, more, turn = self.turned(x.dtype)
        self.emit(op, [x.name, *more], [turn(r) for r in x.runs], x)

    def head(self) -> None:
        x = self.tensor(lambda v: min(r.shape[0] for r in v.runs) > 1)
        names = [self.constant(np.array([n])) for n in (1, 2**40)]
        self.emit("Slice", [x.name, *names], [r[1:] for r in x.runs], x)

    def join(self) -> None:
        x = self.tensor()
        y = self.tensor(
            lambda v: (
                v.rank == x.rank
                and v.dtype == x.dtype
                and all(p.shape[1:] == q.shape[1:] for p, q in zip(v.runs, x.runs, strict=True))
            )
        )
        runs = [np.concatenate(pair) for pair in zip(x.runs, y.runs, strict=True)]
        self.emit("Concat", [x.name, y.name], runs, x, axis=0)

    # -- sequences ----------------------------------------------------------------------------------------------------
    def construct(self) -> None:
        x = self.tensor()
        parts = [x]
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            parts.append(self.tensor(lambda v: v.rank == x.rank and v.dtype == x.dtype))
        runs = [[p.runs[r] for p in parts] for r in range(RUNS)]
        self.emit("SequenceConstruct", [p.name for p in parts], runs, x, sequence=True)

    def empty(self) -> None:
        x = self.tensor()
        self.emit("SequenceEmpty", [], [[] for _ in range(RUNS)], x, sequence=True, dtype=x.dtype)

    def insert(self) -> None:
        s = self.sequence()
        x = self.tensor(lambda v: v.rank == s.rank and v.dtype == s.dtype)
        name, at = self.place(s, 1)
        runs = []
        for r in range(RUNS):
            out = list(s.runs[r])
            out.insert(len(out) if at is None else at[r], x.runs[r])
            runs.append(out)
        self.emit("SequenceInsert", [s.name, x.name, *([name] if name else [])], runs, s)

    def erase(self) -> None:
        s = self.sequence()
        name, at = self.place(s, 0)
        runs = [list(r) for r in s.runs]
        for r in range(RUNS):
            del runs[r][-1 if at is None else at[r]]
        self.emit("SequenceErase", [s.name, *([name] if name else [])], runs, s)

    def at(self) -> None:
        s = self.sequence()
        name, at = self.place(s, 0)
        if name is None:
            name, at = self.constant(np.array(0)), [0] * RUNS
        assert at is not None
        self.emit("SequenceAt", [s.name, name], [s.runs[r][at[r]] for r in range(RUNS)], s, sequence=False)

    def length(self) -> None:
        s = self.sequence()
        runs = [np.array(len(r)) for r in s.runs]
        self.emit("SequenceLength", [s.name], runs, s, rank=0, element_type=TensorProto.INT64, sequence=False)

    def split(self) -> None:
        x = self.tensor()
        axis = self.random.randrange(x.rank)
        lengths = [r.shape[axis] for r in x.runs]
        self.need(min(lengths) > 0)
        way = self.random.choice(("one", "one kept", "size", "sizes"))
        if way.startswith("one"):
            keep = way == "one kept"
            runs = [[np.take(r, [i] if keep else i, axis) for i in range(r.shape[axis])] for r in x.runs]
            self.need(keep or x.rank > 1)
            rank = x.rank if keep else x.rank - 1
            self.emit("SplitToSequence", [x.name], runs, x, rank=rank, sequence=True, axis=axis, keepdims=int(keep))
            return
        if way == "size":
            step = self.random.choice((1, 2, 3))
            cuts = [list(range(step, n, step)) for n in lengths]
            given = self.constant(np.array(step))
            if self.strings and self.random.random() < 0.3:
                steps = [self.random.choice([d for d in range(1, n + 1) if n % d == 0]) for n in lengths]
                cuts = [list(range(d, n, d)) for d, n in zip(steps, lengths, strict=True)]
                given = self.number(steps, [range(1, n + 1) for n in lengths])
        elif self.strings and self.random.random() < 0.5:
            firsts = [self.random.randrange(n + 1) for n in lengths]
            cuts = [[f] for f in firsts]
            pairs = [[f, n - f] for f, n in zip(firsts, lengths, strict=True)]
            given = self.number(pairs, [range(f, f + 1) for f in firsts])
        else:
            self.need(len(set(lengths)) == 1)
            first = self.random.randrange(lengths[0] + 1)
            cuts = [[first]] * RUNS
            given = self.constant(np.array([first, lengths[0] - first]))
        runs = [np.split(r, c, axis) for r, c in zip(x.runs, cuts, strict=True)]
        self.emit("SplitToSequence", [x.name, given], runs, x, sequence=True, axis=axis)

    def concat(self) -> None:
        s = self.sequence(lambda v: min(v.lengths()) > 0 and v.rank > 0)
        new = self.random.random() < 0.4
        axis = self.random.randrange(s.rank + new)
        try:
            runs = [np.stack(r, axis) if new else np.concatenate(r, axis) for r in s.runs]
        except ValueError:
            raise Stuck from None
        signed = axis if self.random.random() < 0.7 else axis - s.rank - new
        self.emit(
            "ConcatFromSequence", [s.name], runs, s, rank=s.rank + new, sequence=False, axis=signed, new_axis=int(new)
        )

    def map(self) -> None:
        self.need(self.opset >= 17)
        s = self.sequence(lambda v: min(v.lengths()) > 0)
        element = helper.make_tensor_value_info(self.name("e"), s.dtype, [None] * s.rank)
        result = helper.make_tensor_value_info(self.name("r"), s.dtype, [None] * s.rank)
        op, more, turn = self.turned(s.dtype)
        body = helper.make_graph(
            [helper.make_node(op, [element.name, *more], [result.name])], "each", [element], [result]
        )
        self.emit("SequenceMap", [s.name], [[turn(a) for a in r] for r in s.runs], s, body=body)

    def looped(self) -> None:
        """A loop that appends what it carries: the sequence that came in gets as many more elements as there are iterations."""
        self.need(self.opset >= 13)
        s = self.sequence()
        x = self.tensor(lambda v: v.rank == s.rank and v.dtype == s.dtype)
        if self.random.random() < 0.5:
            trips = [self.random.choice((0, 1, 3))] * RUNS
            count = self.constant(np.array(trips[0]))
        else:
            counter = self.pick(
                lambda v: (
                    not v.sequence
                    and not v.optional
                    and v.rank == 0
                    and v.dtype == TensorProto.INT64
                    and max(v.runs) <= 8
                )
            )
            trips, count = [int(r) for r in counter.runs], counter.name
        op, beside, turn = self.turned(s.dtype)
        names = {n: self.name(n) for n in ("i", "go", "on", "have", "more", "y", "z")}
        kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(s.dtype, None))
        tensor = helper.make_tensor_value_info
        body = helper.make_graph(
            [
                helper.make_node("Identity", [names["go"]], [names["on"]]),
                helper.make_node(op, [names["y"], *beside], [names["z"]]),
                helper.make_node("SequenceInsert", [names["have"], names["z"]], [names["more"]]),
            ],
            "append",
            [
                tensor(names["i"], TensorProto.INT64, []),
                tensor(names["go"], TensorProto.BOOL, []),
                helper.make_value_info(names["have"], kind),
                tensor(names["y"], s.dtype, [None] * s.rank),
            ],
            [
                tensor(names["on"], TensorProto.BOOL, []),
                helper.make_value_info(names["more"], kind),
                tensor(names["z"], s.dtype, [None] * s.rank),
            ],
        )
        true = self.constant(np.array(True))
        made: list[list[Array]] = [[x.runs[r]] for r in range(RUNS)]
        for r in range(RUNS):
            for _ in range(trips[r]):
                made[r].append(turn(made[r][-1]))
        grown = Value(self.name("v"), tuple([*s.runs[r], *made[r][1:]] for r in range(RUNS)), s.rank, s.dtype, True)
        last = Value(self.name("v"), tuple(m[-1] for m in made), x.rank, x.dtype)
        node = helper.make_node(
            "Loop", [count, true, s.name, x.name], [grown.name, last.name], name=self.name("n"), body=body
        )
        self.nodes.append(node)
        self.values += [grown, last]

    def optional(self) -> None:
        self.need(self.opset >= 15)
        x = self.pick(lambda v: not v.optional and (v.sequence or v.rank > 0))
        self.emit("Optional", [x.name], x.runs, x, optional=True)

    def element(self) -> None:
        o = self.pick(lambda v: v.optional)
        self.emit("OptionalGetElement", [o.name], o.runs, o, optional=False)

    def has(self) -> None:
        o = self.pick(lambda v: v.optional)
        self.emit(
            "OptionalHasElement",
            [o.name],
            [np.array(True)] * RUNS,
            o,
            rank=0,
            element_type=TensorProto.BOOL,
            sequence=False,
            optional=False,
        )

    DRAWS = (neg, head, join, construct, construct, empty, insert, insert, erase, at, at, length, split, split, concat, concat,
             map, looped, looped, optional, element, has)  # fmt: skip

    def draw(self) -> onnx.ModelProto:
        for _ in range(2):
            self.input(self.random.choice((1, 2, 2, 3)), self.dtypes[-1] if self.strings else TensorProto.FLOAT)
        wanted = self.random.choice((3, 5, 8, 12, 16))
        for _ in range(20 * wanted):
            lists: list[list[Any]] = [self.values, self.nodes, self.inputs, self.constants]
            kept = [len(x) for x in lists]
            try:
                self.random.choice(self.DRAWS)(self)
            except Stuck:
                for x, size in zip(lists, kept, strict=True):
                    del x[size:]
                names = {i.name for i in self.inputs}
                for feed in self.feeds:
                    for name in set(feed) - names:
                        del feed[name]
            if len(self.nodes) >= wanted:
                break
        inputs = {i.name for i in self.inputs}
        read = {name for node in self.nodes for name in node.input}
        made = [v for v in self.values if v.name not in inputs and not v.optional]
        self.outputs = [v for v in made if v.name not in read] or made[-1:]
        self.outputs += [v for v in made if v.sequence and v not in self.outputs and self.random.random() < 0.2]
        infos = []
        for v in self.outputs:
            kind = helper.make_tensor_type_proto(v.dtype, [None] * v.rank)
            infos.append(helper.make_value_info(v.name, helper.make_sequence_type_proto(kind) if v.sequence else kind))
        graph = helper.make_graph(self.nodes, "sequences", self.inputs, infos, self.constants)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8 if self.opset < 18 else 10
        )


def difference(found: Any, expected: Any) -> str:
    """Of one output; empty if it is as it should be."""
    if isinstance(expected, list):
        if not isinstance(found, (list, tuple)):
            found = list(found)  # one tensor for a sequence that no program asked apart
        if len(found) != len(expected):
            return f"{len(found)} elements; expected {len(expected)}"
        return next(
            (
                f"[{i}] {text}"
                for i, pair in enumerate(zip(found, expected, strict=True))
                if (text := difference(*pair))
            ),
            "",
        )
    found = np.asarray(found)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{list(found.shape)}; expected {expected.dtype}{list(expected.shape)}"
    return "" if np.array_equal(found, expected) else f"{found.tolist()}; expected {expected.tolist()}"


RIGHT, UNIMPLEMENTED, WRONG = "right", "unimplemented", "wrong"


HOSTILE = (0, -1, 1, 5, -9, 9, 2**31, -(2**31) - 1, 2**32 + 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1)


def outside(drawing: Drawing, session: Any, name: str) -> str:
    """Runs with a position or size that no list has. They fail, or nothing that is read comes from there; what is wrong if not."""
    for run in range(RUNS):
        right = drawing.numbers_of_runs[name][run]
        for value in drawing.random.sample([h for h in HOSTILE if h not in right], 2):
            feeds = dict(drawing.feeds[run])
            feeds[name] = feeds[name].copy()
            feeds[name].reshape(-1)[0] = value
            try:
                results = session.run([v.name for v in drawing.outputs], feeds)
            except anydim.InternalError as failure:
                return f"{name}={value}: {failure}"
            except anydim.Error:
                continue
            for v, found in zip(drawing.outputs, results, strict=True):
                if difference(found, v.runs[run]):
                    return f"run {run} with {name}={feeds[name].tolist()} gives {v.name}: {np.shape(found)}"
    return ""


def judge(seed: int, strings: bool = False) -> tuple[str, str, list[str]]:
    """The verdict, what is wrong or not supported, and the operators of the model."""
    drawing = Drawing(seed, strings)
    try:
        model = drawing.draw()
    except Stuck:
        return RIGHT, "nothing was drawn", []
    operators = [node.op_type for node in model.graph.node]
    if not drawing.outputs:
        return RIGHT, "nothing was drawn", []
    data = model.SerializeToString()
    try:
        theirs: Any = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    except Exception:
        theirs = None
    told = ""
    read = {name for node in drawing.nodes for name in node.input}
    given = [name for name in drawing.numbers_of_runs if name in drawing.feeds[0] and name in read]
    for passes, threads in (("all", 1), ("exact", 2), ("none", 1)):
        try:
            ours = anydim.InferenceSession(data, passes=passes, threads=threads, contexts=1)
            for run in (*range(RUNS), 0):
                results = ours.run([v.name for v in drawing.outputs], drawing.feeds[run])
                for v, found in zip(drawing.outputs, results, strict=True):
                    if text := difference(found, v.runs[run]):
                        return WRONG, f"passes={passes}, run {run}: {v.name}: {text}", operators
            for name in given:
                if text := outside(drawing, ours, name):
                    return WRONG, f"passes={passes}: {text}", operators
        except anydim.UnimplementedError as failure:
            told = str(failure)
        except (anydim.Error, TypeError, ValueError) as failure:
            return WRONG, f"passes={passes}: {type(failure).__name__}: {failure}", operators
    for run in range(RUNS if theirs is not None else 0):
        try:
            results = theirs.run([v.name for v in drawing.outputs], drawing.feeds[run])
        except Exception:
            break
        for v, found in zip(drawing.outputs, results, strict=True):
            if text := difference(found, v.runs[run]):
                return WRONG, f"ONNX Runtime, run {run}: {v.name}: {text}", operators
    return (UNIMPLEMENTED, told, operators) if told else (RIGHT, "", operators)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--strings", action="store_true")
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.graphs):
        verdict, message, drawn = judge(seed, options.strings)
        verdicts[verdict] += 1
        if verdict == RIGHT:
            operators.update(drawn)
        if verdict == WRONG:
            print(f"seed {seed}: {message[:600]}", flush=True)
    print(f"{dict(verdicts)}; nodes of what is right: {dict(operators.most_common())}")
    return 1 if verdicts[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
