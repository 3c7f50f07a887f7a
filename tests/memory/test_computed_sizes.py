# SPDX-License-Identifier: Apache-2.0
"""Sizes that nodes compute in floats from the dims of inputs, as detectors resize their images, are bounded where the dims are: no size
within the bounds is above what was found for them, and what was found is not far from the largest."""

from __future__ import annotations

import os
import random
from typing import Any

import anydim
import numpy as np
from onnx import TensorProto, helper, numpy_helper

SIDES = (160, 420)


class Arithmetic:
    """A graph over the sides of an image, and what numpy makes of the same operators in binary32."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.steps: list[tuple[str, str, list[str]]] = []
        self.values: dict[str, np.float32] = {}
        shape = self.node("Shape", ["x"])
        for name, axis in (("h", 1), ("w", 2)):
            at = f"{name}_axis"
            self.constants.append(numpy_helper.from_array(np.array([axis]), at))
            side = self.node("Gather", [shape, at])
            self.nodes.append(helper.make_node("Cast", [side], [name], to=TensorProto.FLOAT))

    def node(self, op: str, inputs: list[str]) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name]))
        return name

    def constant(self, value: float) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array([value], np.float32), name))
        self.values[name] = np.float32(value)
        return name

    def apply(self, op: str, *inputs: str) -> str:
        name = self.node(op, list(inputs))
        self.steps.append((op, name, list(inputs)))
        return name

    def whole(self, value: str) -> str:
        """The number without what is behind the point, by casts to an integer and back."""
        cut = self.node("Cast", [value])
        self.nodes[-1].attribute.append(helper.make_attribute("to", TensorProto.INT64))
        back = self.node("Cast", [cut])
        self.nodes[-1].attribute.append(helper.make_attribute("to", TensorProto.FLOAT))
        self.steps.append(("Trunc", back, [value]))
        return back

    def whole_quotient(self, over: str, under: str) -> str:
        """A division of integers, between casts."""
        cut = []
        for value in (over, under):
            cut.append(self.node("Cast", [value]))
            self.nodes[-1].attribute.append(helper.make_attribute("to", TensorProto.INT64))
        quotient = self.node("Div", cut)
        back = self.node("Cast", [quotient])
        self.nodes[-1].attribute.append(helper.make_attribute("to", TensorProto.FLOAT))
        self.steps.append(("WholeDiv", back, [over, under]))
        return back

    def model(self, size: str) -> bytes:
        self.nodes += [
            helper.make_node("Cast", [size], ["size"], to=TensorProto.INT64),
            helper.make_node("Expand", ["one", "size"], ["y"]),
        ]
        graph = helper.make_graph(
            self.nodes,
            "sizes",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "h", "w"])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])],
            [*self.constants, numpy_helper.from_array(np.ones(1, np.float32), "one")],
        )
        made: bytes = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
        ).SerializeToString()
        return made

    def value(self, size: str, h: int, w: int) -> float:
        functions: dict[str, Any] = {
            "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Min": np.minimum, "Max": np.maximum, "Floor": np.floor,
            "Ceil": np.ceil, "Round": np.round, "Reciprocal": lambda x: np.float32(1) / x, "Trunc": np.trunc,
            "WholeDiv": lambda x, y: np.trunc(np.trunc(x) / np.trunc(y)),
        }  # fmt: skip
        values = {**self.values, "h": np.float32(h), "w": np.float32(w)}
        with np.errstate(all="ignore"):
            for op, name, inputs in self.steps:
                values[name] = functions[op](*(values[i] for i in inputs))
        return float(values[size])


def torchvisions() -> tuple[Arithmetic, str]:
    """A side of an image whose smaller one becomes 256, if the larger one is at most 400 then."""
    a = Arithmetic()
    by_smaller = a.apply("Mul", a.apply("Reciprocal", a.apply("Min", "h", "w")), a.constant(256))
    by_larger = a.apply("Mul", a.apply("Reciprocal", a.apply("Max", "h", "w")), a.constant(400))
    return a, a.apply("Floor", a.apply("Mul", "h", a.apply("Min", by_smaller, by_larger)))


def test_a_detectors_resized_sides_have_the_bound_that_they_reach() -> None:
    a, size = torchvisions()
    session = anydim.InferenceSession(a.model(size), bounds={"x": (1, SIDES, SIDES)})
    lengths = []
    for h in range(SIDES[0], SIDES[1] + 1, 13):
        for w in range(SIDES[0], SIDES[1] + 1, 13):
            (y,) = session.run(None, {"x": np.zeros((1, h, w), np.float32)})
            assert len(y) == int(a.value(size, h, w))
            lengths.append(len(y))
    assert max(lengths) in (399, 400)
    reads = [read for stage in session.explain()["stages"] for read in stage["reads"]]
    assert len(reads) == 1
    assert session.bytes_needed <= 4 * 401 + 4096
    assert session.explain()["growth_events"] == 0


def test_what_a_cast_or_a_whole_division_cuts_off_is_in_the_bound() -> None:
    """As divisors they are smaller than the numbers that they are made from: 400 / 1 and not 400 / 1.6."""
    for with_division in (False, True):
        a = Arithmetic()
        if with_division:
            under = a.whole_quotient(a.apply("Mul", "h", a.constant(0.1)), a.constant(10))
        else:
            under = a.whole(a.apply("Mul", "h", a.constant(0.01)))
        size = a.apply("Floor", a.apply("Div", a.constant(400), under))
        session = anydim.InferenceSession(a.model(size), bounds={"x": (1, SIDES, SIDES)})
        lengths = []
        for h in (160, 199, 200, 299, 300, 420):
            (y,) = session.run(None, {"x": np.zeros((1, h, 200), np.float32)})
            assert len(y) == int(a.value(size, h, 200))
            lengths.append(len(y))
        assert max(lengths) == 400


def drawn(r: random.Random) -> tuple[Arithmetic, str]:
    a = Arithmetic()
    values = ["h", "w"]
    for _ in range(r.randint(2, 9)):
        op = r.choice(["Add", "Sub", "Mul", "Div", "Min", "Max", "Floor", "Ceil", "Round", "Reciprocal", "Trunc"])
        pick = r.choice(values[-3:])
        if op == "Trunc":
            values.append(a.whole(pick))
        elif op in ("Floor", "Ceil", "Round", "Reciprocal"):
            values.append(a.apply(op, pick))
        else:
            other = (
                r.choice(values) if r.random() < 0.5 else a.constant(r.choice([0.1, 0.75, 1.3, 2, 3.7, 16, 37.25, 400]))
            )
            values.append(a.apply(op, *r.sample([pick, other], 2)))
    return a, a.apply("Floor", values[-1])


def test_no_size_is_above_its_bound() -> None:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    r = random.Random(seed)
    bounded = runs = 0
    for _ in range(200):
        a, size = drawn(r)
        model = a.model(size)
        corners = [(h, w) for h in SIDES for w in SIDES] + [(r.randint(*SIDES), r.randint(*SIDES)) for _ in range(5)]
        sizes = {(h, w): a.value(size, h, w) for h, w in corners}
        if not all(0 <= n < 1e5 for n in sizes.values()):
            continue
        try:
            session = anydim.InferenceSession(model, bounds={"x": (1, SIDES, SIDES)})
        except (anydim.errors.OutOfBoundsError, anydim.errors.OutOfMemoryError):
            session = anydim.InferenceSession(model)
        else:
            bounded += 1
        for (h, w), n in sizes.items():
            (y,) = session.run(None, {"x": np.zeros((1, h, w), np.float32)})
            assert len(y) == int(n), f"{h} x {w}: {len(y)} elements, not {n}"
            runs += 1
    assert runs > 200
    assert bounded > 20
