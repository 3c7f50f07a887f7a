# SPDX-License-Identifier: Apache-2.0
"""Draws graphs of strings: moved, joined, cut, compared, looked up, counted, made of numbers and read as such, in sequences, and in the
bodies of branches and loops, whose branches may give strings of different ranks. What numbers there are is exact, so that all engines
must agree to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from cases import WORDS, set_metadata
from onnx import TensorProto, helper, numpy_helper

STRING, FLOAT, INT64, BOOL = TensorProto.STRING, TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
LEARNED = "ai.onnx.ml"
PATTERNS = ("[a-z]+", "a.*", "(a|b)*", "\\w*", "[^ ]*", ".*[0-9]", "")
Dims = tuple[str | int, ...]


@dataclass(frozen=True)
class Value:
    name: str
    kind: int  # an element type
    dims: Dims  # numbers, names of inputs' dims, or names that nothing else has


class Graph:
    """A graph in the making; `outer` is that of the names around a body."""

    def __init__(self, drawing: Drawing, outer: Graph | None = None) -> None:
        self.drawing, self.outer = drawing, outer
        self.values: list[Value] = []
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    @property
    def depth(self) -> int:
        return 0 if self.outer is None else self.outer.depth + 1

    def visible(self) -> list[Value]:
        return self.values + (self.outer.visible() if self.outer else [])


class Drawing:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"strings {seed}")
        self.opset = self.random.choice((20, 21, 22, 23, 24, 25))
        self.count = 0

    # --- small things -------------------------------------------------------------------------------------------------

    def name(self, kind: str = "v") -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def some(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def constant(self, g: Graph, array: Any) -> str:
        array = np.asarray(array)
        name = self.name("c")
        g.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, g: Graph, op: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> list[str]:
        names = [self.name() for _ in range(outputs)]
        g.nodes.append(helper.make_node(op, inputs, names, name=self.name("n"), **attributes))
        return names

    def add(self, g: Graph, name: str, kind: int, dims: Dims) -> Value:
        value = Value(name, kind, dims)
        g.values.append(value)
        return value

    def any(self, g: Graph, kind: int = STRING, least: int = 0) -> Value | None:
        found = [v for v in g.visible() if v.kind == kind and len(v.dims) >= least]
        return self.random.choice(found) if found else None

    def text(self, g: Graph, least: int = 0) -> Value:
        found = self.any(g, STRING, least)
        assert found is not None
        return found

    def words(self, count: int) -> Any:
        return np.array(self.random.choices(WORDS, k=count), object)

    def operand(self, g: Graph, like: Value) -> str:
        """Strings that broadcast to the dims of others."""
        fitting = [v.name for v in g.visible() if v.kind == STRING and v.dims == like.dims]
        if self.some(0.5):
            return self.constant(g, self.words(1).reshape(self.random.choice(((), (1,)))))
        return self.random.choice(fitting)

    # --- operators ----------------------------------------------------------------------------------------------------

    def concat_strings(self, g: Graph) -> None:
        x = self.text(g)
        pair = [x.name, self.operand(g, x)]
        self.random.shuffle(pair)
        dims = x.dims or (self.name("d"),)  # a scalar may meet [1]
        self.add(g, self.node(g, "StringConcat", pair)[0], STRING, dims if x.dims else (1,) if self.some(0) else dims)

    def split(self, g: Graph) -> None:
        x = self.text(g, 1)
        if len(x.dims) > 2:
            return
        # ONNX Runtime says of an empty string that it has no piece, whatever the delimiter.
        more = self.operand_free(g, x)
        attributes: dict[str, Any] = {"delimiter": self.random.choice((",", "a", "é"))} if self.some() else {}
        if self.some(0.3):
            attributes["maxsplit"] = self.random.choice((0, 1, 2))
        pieces, counts = self.node(g, "StringSplit", [more], 2, **attributes)
        self.add(g, pieces, STRING, (*x.dims, self.name("d")))
        self.add(g, counts, INT64, x.dims)

    def operand_free(self, g: Graph, x: Value) -> str:
        """The strings with a character behind each, so that none is empty."""
        return self.node(g, "StringConcat", [x.name, self.constant(g, np.array("z", object))])[0]

    def match(self, g: Graph) -> None:
        x = self.text(g)
        self.add(g, self.node(g, "RegexFullMatch", [x.name], pattern=self.random.choice(PATTERNS))[0], BOOL, x.dims)

    def equal(self, g: Graph) -> None:
        x = self.text(g)
        if x.dims:
            self.add(g, self.node(g, "Equal", [x.name, self.operand(g, x)])[0], BOOL, x.dims)

    def where(self, g: Graph) -> None:
        x = self.text(g, 1)
        flags = [v for v in g.visible() if v.kind == BOOL and v.dims == x.dims]
        if flags:
            names = [self.random.choice(flags).name, x.name, self.operand(g, x)]
            self.add(g, self.node(g, "Where", names)[0], STRING, x.dims)

    def look_up(self, g: Graph) -> None:
        x = self.text(g)
        keys = self.random.sample(WORDS, self.random.randrange(1, 6))
        if self.some():
            made = self.node(
                g,
                "LabelEncoder",
                [x.name],
                domain=LEARNED,
                keys_strings=keys,
                values_int64s=list(range(len(keys))),
                default_int64=-1,
            )
            self.add(g, made[0], INT64, x.dims)
        else:
            made = self.node(
                g, "LabelEncoder", [x.name], domain=LEARNED, keys_strings=keys, values_strings=list(self.words(len(keys))),
                default_string="none",
            )  # fmt: skip
            self.add(g, made[0], STRING, x.dims)

    def move(self, g: Graph) -> None:
        x = self.text(g, 1)
        rank = len(x.dims)
        op = self.random.choice(
            ("Transpose", "Unsqueeze", "Slice", "Gather", "Concat", "Flatten", "Identity", "Tile", "Reshape", "Expand")
        )

        def ints(*n: int) -> str:
            return self.constant(g, np.array(n, np.int64))

        if op == "Transpose":
            perm = list(range(rank))
            self.random.shuffle(perm)
            self.add(g, self.node(g, op, [x.name], perm=perm)[0], STRING, tuple(x.dims[p] for p in perm))
        elif op == "Unsqueeze" and rank < 4:
            self.add(g, self.node(g, op, [x.name, ints(0)])[0], STRING, (1, *x.dims))
        elif op == "Slice":
            start, end = self.random.choice(((0, 1), (1, 3), (-2, 100), (0, 2)))
            made = self.node(g, op, [x.name, ints(start), ints(end), ints(0)])[0]
            self.add(g, made, STRING, (self.name("d"), *x.dims[1:]))
        elif op == "Gather":
            # ONNX Runtime copies the first string of each row only, so it is the last axis. An index that no run lacks.
            tail = self.node(g, "Concat", [x.name, x.name], axis=rank - 1)[0]
            shape = self.node(g, "Shape", [tail])[0]
            first = self.node(g, "Gather", [shape, self.constant(g, np.int64(rank - 1))])[0]
            index = self.node(g, "Range", [self.constant(g, np.int64(0)), first, self.constant(g, np.int64(2))])[0]
            self.add(g, self.node(g, op, [tail, index], axis=rank - 1)[0], STRING, (*x.dims[:-1], self.name("d")))
        elif op == "Concat":
            fitting = [v for v in g.visible() if v.kind == STRING and v.dims[1:] == x.dims[1:] and len(v.dims) == rank]
            pair = [x.name, self.random.choice(fitting).name]
            if rank == 1 and self.some():
                pair.insert(self.random.randrange(3), self.constant(g, self.words(2)))
            self.add(g, self.node(g, op, pair, axis=0)[0], STRING, (self.name("d"), *x.dims[1:]))
        elif op == "Flatten":
            self.add(g, self.node(g, op, [x.name], axis=1)[0], STRING, (x.dims[0], self.name("d")))
        elif op == "Tile":
            self.add(
                g, self.node(g, op, [x.name, ints(2, *[1] * (rank - 1))])[0], STRING, (self.name("d"), *x.dims[1:])
            )
        elif op == "Reshape":
            self.add(g, self.node(g, op, [x.name, ints(-1)])[0], STRING, (self.name("d"),))
        elif op == "Expand" and rank < 4:
            self.add(g, self.node(g, op, [x.name, ints(2, *[1] * rank)])[0], STRING, (2, *x.dims))
        else:
            self.add(g, self.node(g, "Identity", [x.name])[0], STRING, x.dims)

    def normalize(self, g: Graph) -> None:
        """ONNX Runtime wants to know the rank: it asks for [n] or [1, n]."""
        x = self.text(g)
        if len(x.dims) != 1:
            return
        attributes: dict[str, Any] = {
            "case_change_action": self.random.choice(("NONE", "LOWER", "UPPER")),
            "is_case_sensitive": self.random.randrange(2),
            "locale": "C.UTF-8",
        }
        if self.some():
            attributes["stopwords"] = self.random.sample([w for w in WORDS if w], 3)
        self.add(g, self.node(g, "StringNormalizer", [x.name], **attributes)[0], STRING, (self.name("d"),))

    def count_grams(self, g: Graph) -> None:
        x = self.text(g)
        if len(x.dims) != 1:
            return
        pool = self.random.sample(WORDS, 4)
        made = self.node(
            g, "TfIdfVectorizer", [x.name], mode=self.random.choice(("TF", "IDF")), min_gram_length=1, max_gram_length=2,
            max_skip_count=self.random.randrange(2), ngram_counts=[0, 2], ngram_indexes=[0, 1, 2], pool_strings=pool,
        )  # fmt: skip
        self.add(g, made[0], FLOAT, (3,))

    def write_numbers(self, g: Graph) -> None:
        x = self.any(g, self.random.choice((FLOAT, INT64, BOOL)))
        if x is not None:
            self.add(g, self.node(g, "Cast", [x.name], to=STRING)[0], STRING, x.dims)

    def read_numbers(self, g: Graph) -> None:
        """Of strings that are numbers: those that were made of some."""
        x = self.any(g, self.random.choice((FLOAT, INT64)))
        if x is None:
            return
        texts = self.node(g, "Cast", [x.name], to=STRING)[0]
        if self.some():
            texts = self.node(g, "StringConcat", [texts, self.constant(g, np.array(" ", object))])[0]
        to = self.random.choice((FLOAT, INT64)) if x.kind == INT64 else FLOAT
        self.add(g, self.node(g, "Cast", [texts], to=to)[0], to, x.dims)

    # --- sequences ----------------------------------------------------------------------------------------------------

    def sequence(self, g: Graph) -> None:
        """Of a known length: built, changed, mapped, read and joined again."""
        x = self.text(g, 1)
        same = [v for v in g.visible() if v.kind == STRING and v.dims[1:] == x.dims[1:] and len(v.dims) == len(x.dims)]
        parts = [x.name, *(self.random.choice(same).name for _ in range(self.random.randrange(3)))]
        made = self.node(g, "SequenceConstruct", parts)[0]
        count = len(parts)
        for _ in range(self.random.randrange(3)):
            at = self.constant(g, np.int64(self.random.randrange(-count, count)))
            if self.some() or count == 1:
                place = [at] if self.some() else []
                made = self.node(g, "SequenceInsert", [made, self.random.choice(same).name, *place])[0]
                count += 1
            else:
                made = self.node(g, "SequenceErase", [made, *([at] if self.some() else [])])[0]
                count -= 1
        self.add(g, self.node(g, "SequenceLength", [made])[0], INT64, ())
        if self.some():
            made = self.mapped(g, made, len(x.dims))
        if self.some():
            at = self.constant(g, np.int64(self.random.randrange(-count, count)))
            made = self.node(g, "SequenceAt", [made, at])[0]
        else:
            made = self.node(g, "ConcatFromSequence", [made], axis=0)[0]
        self.add(g, made, STRING, (self.name("d"), *x.dims[1:]))

    def rows(self, g: Graph) -> None:
        """Of a length that a run knows: cut, mapped and joined again."""
        x = self.text(g, 2)
        keep = self.random.randrange(2)
        made = self.node(g, "SplitToSequence", [x.name], axis=0, keepdims=keep)[0]
        made = self.mapped(g, made, len(x.dims) - 1 + keep)
        self.add(g, self.node(g, "SequenceLength", [made])[0], INT64, ())
        axis = self.random.randrange(len(x.dims)) if not keep else 0
        joined = self.node(g, "ConcatFromSequence", [made], axis=axis, new_axis=1 - keep)[0]
        dims = (x.dims[0], *x.dims[1:]) if keep else (*x.dims[1 : axis + 1], x.dims[0], *x.dims[axis + 1 :])
        self.add(g, joined, STRING, dims)

    def mapped(self, g: Graph, sequence: str, rank: int) -> str:
        inner = Graph(self, g)
        element = self.add(inner, self.name("e"), STRING, tuple(self.name("d") for _ in range(rank)))
        info = helper.make_tensor_value_info(element.name, STRING, [None] * rank)
        end = self.node(inner, "StringConcat", [element.name, self.constant(inner, self.words(1))])[0]
        if self.some():
            end = self.node(inner, "StringConcat", [self.constant(inner, self.words(1)), end])[0]
        if rank == 0:
            return self.node(g, "Identity", [sequence])[0]
        body = self.body(inner, [info], [(end, Value(end, STRING, element.dims))])
        return self.node(g, "SequenceMap", [sequence], body=body)[0]

    def appended(self, g: Graph) -> None:
        """A loop with strings beside a sequence that it appends to; the first element is always there."""
        carried = self.text(g, 1)
        rank = len(carried.dims)
        inner = Graph(self, g)
        number, going, held, have = (self.name() for _ in range(4))
        kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(STRING, [None] * rank))
        inputs = [
            helper.make_tensor_value_info(number, INT64, []),
            helper.make_tensor_value_info(going, BOOL, []),
            helper.make_tensor_value_info(held, STRING, [None] * rank),
            helper.make_value_info(have, kind),
        ]
        row = (
            self.node(inner, "Cast", [number], to=STRING)[0]
            if self.some()
            else self.constant(inner, self.words(1).reshape(()))
        )
        following = self.node(inner, "StringConcat", [held, row])[0]
        more = self.node(inner, "SequenceInsert", [have, following if self.some() else held])[0]
        on = self.own(inner, Value(going, BOOL, ()))
        body = self.body(inner, inputs, [(on, Value("", BOOL, ())), (following, Value("", STRING, ("?",) * rank))])
        body.output.append(helper.make_value_info(more, kind))
        first = self.node(g, "SequenceConstruct", [carried.name])[0]
        made = self.node(g, "Loop", ["count", "", carried.name, first], 2, body=body)
        self.add(g, made[0], STRING, tuple(self.name("d") for _ in range(rank)))
        joined = self.node(g, "ConcatFromSequence", [made[1]], axis=0)[0]
        self.add(g, joined, STRING, (self.name("d"), *(self.name("d") for _ in range(rank - 1))))

    def squeezed(self, g: Graph) -> None:
        """Branches of different ranks, and what brings them to one again."""
        x = self.text(g, 1)
        ways = []
        for rank in (len(x.dims), len(x.dims) + 1):
            inner = Graph(self, g)
            end = x.name
            if rank > len(x.dims):
                end = self.node(inner, "Unsqueeze", [x.name, self.constant(inner, np.array([0], np.int64))])[0]
            if self.some():
                end = self.node(inner, "StringConcat", [end, self.constant(inner, self.words(1).reshape(()))])[0]
            ways.append(self.body(inner, [], [(self.own(inner, Value(end, STRING, ())), Value("", STRING, ()))]))
            ways[-1].output[0].type.tensor_type.ClearField("shape")
        self.random.shuffle(ways)
        made = self.node(g, "If", ["flag"], then_branch=ways[0], else_branch=ways[1])[0]
        flat = self.node(g, "Reshape", [made, self.constant(g, np.array([-1], np.int64))])[0]
        self.add(g, flat, STRING, (self.name("d"),))

    # --- bodies -------------------------------------------------------------------------------------------------------

    def own(self, g: Graph, v: Value) -> str:
        """An output of a body is made in it."""
        return self.node(g, "Identity", [v.name])[0]

    def body(self, g: Graph, inputs: list[Any], outputs: list[tuple[str, Value]]) -> onnx.GraphProto:
        made = [
            helper.make_tensor_value_info(n, v.kind, [d if isinstance(d, int) else None for d in v.dims])
            for n, v in outputs
        ]
        return helper.make_graph(g.nodes, self.name("g"), inputs, made, g.constants)

    def branch(self, g: Graph) -> None:
        flag = self.any(g, BOOL)
        bodies, rank = [], self.random.choice((1, 1, 2))
        for _ in range(2):
            inner = Graph(self, g)
            self.grow(inner, self.random.choice((0, 1, 3)))
            fitting = [v for v in inner.visible() if v.kind == STRING and len(v.dims) == rank]
            if fitting and self.some(0.8):
                result = self.random.choice(fitting)
            else:
                result = Value(
                    self.constant(inner, self.words(2).reshape((2, 1)[:rank] if rank == 1 else (2, 1))),
                    STRING,
                    ("?",) * rank,
                )
            bodies.append(self.body(inner, [], [(self.own(inner, result), result)]))
        condition = "flag"
        if flag is not None and self.some():
            condition = self.node(g, "ReduceMax", [self.node(g, "Cast", [flag.name], to=FLOAT)[0]], keepdims=0)[0]
            condition = self.node(g, "Cast", [condition], to=BOOL)[0]
        made = self.node(g, "If", [condition], then_branch=bodies[0], else_branch=bodies[1])[0]
        self.add(g, made, STRING, tuple(self.name("d") for _ in range(rank)))

    def loop(self, g: Graph) -> None:
        carried = self.text(g, 1)
        inner = Graph(self, g)
        number, going, held = self.name("i"), self.name("b"), self.name("h")
        inputs = [
            helper.make_tensor_value_info(number, INT64, []),
            helper.make_tensor_value_info(going, BOOL, []),
            helper.make_tensor_value_info(held, STRING, [None] * len(carried.dims)),
        ]
        state = self.add(inner, held, STRING, tuple(self.name("d") for _ in carried.dims))
        self.add(inner, number, INT64, ())
        self.grow(inner, self.random.choice((1, 2, 3)))
        fitting = [v for v in inner.visible() if v.kind == STRING and len(v.dims) == len(carried.dims)]
        following = self.random.choice(fitting or [state])
        outputs = [
            (self.own(inner, Value(going, BOOL, ())), Value("", BOOL, ())),
            (self.own(inner, following), following),
        ]
        if self.some(0.6):
            # What is stacked has the same dims each time.
            flat = self.node(inner, "Reshape", [self.text(inner).name, self.constant(inner, np.array([-1], np.int64))])[
                0
            ]
            more = self.node(inner, "Concat", [flat, self.constant(inner, self.words(2))], axis=0)[0]
            ends = [self.constant(inner, np.array([n], np.int64)) for n in (-2, 1 << 60)]
            row = self.node(inner, "Slice", [more, *ends])[0]
            if self.some():
                row = self.node(inner, "StringConcat", [row, self.node(inner, "Cast", [number], to=STRING)[0]])[0]
            outputs.append((row, Value(row, STRING, (2,))))
        made = self.node(
            g, "Loop", ["count", "", carried.name], len(outputs) - 1, body=self.body(inner, inputs, outputs)
        )
        self.add(g, made[0], STRING, tuple(self.name("d") for _ in carried.dims))
        for name in made[1:]:
            self.add(g, name, STRING, (self.name("d"), 2))

    def grow(self, g: Graph, nodes: int) -> None:
        steps: list[Callable[[Graph], None]] = [
            self.concat_strings, self.concat_strings, self.split, self.match, self.equal, self.where, self.look_up, self.move,
            self.move, self.move, self.normalize, self.count_grams, self.write_numbers, self.read_numbers,
        ]  # fmt: skip
        for _ in range(nodes):
            if g.depth < 2 and self.some(0.3):
                steps_with_bodies = (self.branch, self.loop, self.sequence, self.rows, self.appended)
                self.random.choice((*steps_with_bodies, self.squeezed) if g.depth == 0 else steps_with_bodies)(g)
            else:
                self.random.choice(steps)(g)

    # --- the model ----------------------------------------------------------------------------------------------------

    def model(self) -> onnx.ModelProto:
        g = Graph(self)
        inputs = []
        for name, kind, dims, words in (
            ("x", STRING, ("n",), "words"),
            ("z", STRING, ("n", "m"), "words"),
            ("f", FLOAT, ("n",), "integers -9 9"),
            ("k", INT64, ("m",), "integers -99 99"),
        ):
            inputs.append(helper.make_tensor_value_info(name, kind, dims, words))
            self.add(g, name, kind, dims)
        inputs.append(helper.make_tensor_value_info("flag", BOOL, []))
        inputs.append(helper.make_tensor_value_info("count", INT64, [], "number count"))
        self.add(g, self.constant(g, self.words(3)), STRING, (3,))
        self.grow(g, self.random.choice((2, 4, 6, 8)))
        read = {i for node in g.nodes for i in node.input}
        made = {o for node in g.nodes for o in node.output}
        ends = [v for v in g.values if v.name in made and (v.name not in read or self.some(0.2))]
        ends = ends or [self.add(g, self.node(g, "Identity", ["x"])[0], STRING, ("n",))]
        outputs = [helper.make_tensor_value_info(v.name, v.kind, [None] * len(v.dims)) for v in ends]
        graph = helper.make_graph(g.nodes, "drawn", inputs, outputs, g.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(LEARNED, 4)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def grow_strings(seed: int) -> onnx.ModelProto:
    drawing = Drawing(seed)
    model = drawing.model()
    r = drawing.random
    runs = [{"n": r.randrange(1, 6), "m": r.randrange(1, 4), "count": r.randrange(4)} for _ in range(3)]
    if r.random() < 0.3:
        runs.append({"n": 0, "m": 2, "count": 1})
    set_metadata(model, bindings=runs, seed=str(seed), kind="strings")
    return model
