# SPDX-License-Identifier: Apache-2.0
"""States of drawn models beside a plain numpy model of what a state is: steps, truncations, forks, writes and refusals in a drawn order.
Parts grow along any axis of any dtype and rank, in place or beside the old, with and without a limit."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import Any

import anydim
import numpy as np
import pytest
from onnx import TensorProto, helper

DTYPES = [np.float32, np.float64, np.float16, np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.bool_]
GROWING = ["appended", "shown", "in front", "found", "in a branch", "the last four"]
MODELS, CALLS = 60, 30


@dataclass
class Part:
    kind: str
    dtype: Any
    dims: list[int | str]  # each sequence draws the sizes of names
    axis: int | None
    name: str

    def step(self, old: np.ndarray[Any, Any], x: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> Any:
        """What it holds after a step."""
        a = self.axis
        if a is None:
            return np.where(wanted, x, old)
        if self.kind == "found":
            return np.concatenate([old, np.compress(wanted, x, a)], a)
        if self.kind == "in front":
            return np.concatenate([x, old], a)
        longer = np.concatenate([old, x, x] if self.kind == "in a branch" and wanted else [old, x], a)
        return longer[(slice(None),) * a + (slice(-4, None),)] if self.kind == "the last four" else longer

    def nodes(self) -> list[Any]:
        p, x, q, w = (self.name + end for end in ("_p", "_x", "_q", "_w"))
        if self.axis is None:
            return [helper.make_node("Where", [w, x, p], [q])]
        join: dict[str, Any] = {"axis": self.axis}
        if self.kind == "found":
            kept = helper.make_node("Compress", [x, w], [f"{x}_kept"], **join)
            return [kept, helper.make_node("Concat", [p, f"{x}_kept"], [q], **join)]
        if self.kind == "in a branch":

            def body(inputs: list[str], name: str) -> Any:
                made = helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype)), None)
                return helper.make_graph([helper.make_node("Concat", inputs, [name], **join)], name, [], [made])

            return [
                helper.make_node(
                    "If", [w], [q], then_branch=body([p, x, x], f"{q}_2"), else_branch=body([p, x], f"{q}_1")
                )
            ]
        if self.kind == "the last four":
            bounds = [
                helper.make_node("Constant", [], [f"{q}_{what}"], value_ints=[n])
                for what, n in (("from", -4), ("to", 2**60), ("axis", self.axis))
            ]
            cut = helper.make_node("Slice", [f"{q}_all", f"{q}_from", f"{q}_to", f"{q}_axis"], [q])
            return [*bounds, helper.make_node("Concat", [p, x], [f"{q}_all"], **join), cut]
        nodes = [helper.make_node("Concat", [x, p] if self.kind == "in front" else [p, x], [q], **join)]
        return [*nodes, helper.make_node("Identity", [q], [f"{self.name}_y"])] if self.kind == "shown" else nodes

    def model(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Nodes, inputs and outputs."""
        code = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))

        def edge(end: str, length: str) -> Any:
            dims: list[int | str] = [length if a == self.axis else d for a, d in enumerate(self.dims)]
            return helper.make_tensor_value_info(self.name + end, code, dims)

        flag: list[Any] = ["flags_" + self.name] if self.kind == "found" else [] if self.kind == "in a branch" else [1]
        has_flag = self.axis is None or self.kind in ("found", "in a branch")
        flags = [helper.make_tensor_value_info(f"{self.name}_w", TensorProto.BOOL, flag)] if has_flag else []
        outputs = [helper.make_tensor_value_info(f"{self.name}_q", code, None)]
        if self.kind == "shown":
            outputs.append(helper.make_tensor_value_info(f"{self.name}_y", code, None))
        return self.nodes(), [edge("_p", f"past_{self.name}"), edge("_x", f"new_{self.name}"), *flags], outputs


@dataclass
class Twin:
    """A state and what it should hold: None before its dims are known."""

    state: Any
    held: dict[str, Any]
    sizes: dict[str, int] = field(default_factory=dict)


def drawn_part(r: random.Random, name: str) -> Part:
    rank = r.randint(1, 4)
    axis = None if r.random() < 0.2 else r.randrange(rank)
    dims: list[int | str] = [r.choice(["b", "h", r.randint(1, 4)]) for _ in range(rank)]
    return Part(r.choice(GROWING) if axis is not None else "replaced", r.choice(DTYPES), dims, axis, name)


class Walk:
    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.draw = np.random.default_rng(r.getrandbits(32))
        self.parts = [drawn_part(r, f"part{i}") for i in range(r.randint(1, 3))]
        made = [part.model() for part in self.parts]
        nodes, inputs, outputs = ([edge for part in made for edge in part[k]] for k in range(3))
        graph = helper.make_graph(nodes, "states", inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        self.limit = r.choice([None, r.randint(1, 20)])
        session = anydim.InferenceSession(
            model.SerializeToString(), threads=1, passes=r.choice(["all", "exact", "none"])
        )
        state = session.state({f"{p.name}_p": (f"{p.name}_q", p.axis) for p in self.parts}, self.limit)
        self.twins = [Twin(state, {p.name: None for p in self.parts})]
        self.refused = 0

    def values(self, part: Part, sizes: dict[str, int], length: int) -> Any:
        dims = [length if a == part.axis else sizes[d] if isinstance(d, str) else d for a, d in enumerate(part.dims)]
        return (self.draw.integers(0, 100, dims) % (2 if part.dtype == np.bool_ else 100)).astype(part.dtype)

    def over(self, values: dict[str, Any]) -> bool:
        return self.limit is not None and any(
            p.axis is not None and values[p.name].shape[p.axis] > self.limit for p in self.parts
        )

    def step(self, twin: Twin) -> None:
        sizes = twin.sizes or {"b": self.r.randint(1, 3), "h": self.r.randint(0, 3)}
        wrong = bool(twin.sizes) and self.r.random() < 0.15
        feeds, after = {}, {}
        for part in self.parts:
            x = self.values(part, {k: n + 1 for k, n in sizes.items()} if wrong else sizes, self.r.randint(0, 4))
            length = x.shape[part.axis] if part.axis is not None else 1
            flags = (
                self.draw.integers(0, 2, [] if part.kind == "in a branch" else [length if part.kind == "found" else 1])
                > 0
            )
            feeds[f"{part.name}_x"] = x
            if part.axis is None or part.kind in ("found", "in a branch"):
                feeds[f"{part.name}_w"] = flags
            if not wrong:
                held = twin.held[part.name]
                after[part.name] = part.step(
                    np.zeros_like(self.values(part, sizes, 0)) if held is None else held, x, flags
                )
        changes = any(isinstance(d, str) for p in self.parts for a, d in enumerate(p.dims) if a != p.axis)
        if wrong and changes:
            self.refuse(lambda: twin.state.step(feeds), anydim.InvalidArgumentError)
        elif not wrong and self.over(after):
            self.refuse(lambda: twin.state.step(feeds), anydim.OutOfBoundsError)
        elif not wrong:
            results = twin.state.step(feeds)
            shown = [after[p.name] for p in self.parts if p.kind == "shown"]
            assert len(results) == len(shown)
            for got, want in zip(results, shown, strict=True):
                self.same(got, want)
            twin.held, twin.sizes = after, sizes

    def refuse(self, call: Any, kind: type[Exception]) -> None:
        with pytest.raises(kind):
            call()
        self.refused += 1

    def truncate(self, twin: Twin) -> None:
        length = self.r.randint(-1, 8)
        stored = min(
            [0 if (v := twin.held[p.name]) is None else v.shape[p.axis] for p in self.parts if p.axis is not None]
            or [99]
        )
        if length < 0 or (length > stored and all(p.axis is not None for p in self.parts)):
            self.refuse(lambda: twin.state.truncate(length), anydim.InvalidArgumentError)
        elif any(p.axis is None for p in self.parts):
            with pytest.raises((anydim.UnimplementedError, anydim.InvalidArgumentError)):
                twin.state.truncate(length)
        else:
            twin.state.truncate(length)
            twin.held = {
                p.name: None
                if (v := twin.held[p.name]) is None
                else v[(slice(None),) * (p.axis or 0) + (slice(length),)]
                for p in self.parts
            }

    def reset(self, twin: Twin) -> None:
        twin.state.reset()
        twin.sizes = {}
        twin.held = {p.name: None for p in self.parts}

    def fork(self, twin: Twin) -> None:
        self.twins.append(Twin(twin.state.fork(), dict(twin.held), dict(twin.sizes)))
        if len(self.twins) > 3:
            self.twins.pop(self.r.randrange(3))

    def write(self, twin: Twin) -> None:
        sizes = {"b": self.r.randint(1, 3), "h": self.r.randint(0, 3)}
        values = {p.name: self.values(p, sizes, self.r.randint(0, 9)) for p in self.parts}
        if self.r.random() < 0.3:
            values = {name: np.asfortranarray(v) for name, v in values.items()}
        given = {f"{name}_p": v for name, v in values.items()}
        if self.over(values):
            self.refuse(lambda: twin.state.write(given), anydim.OutOfBoundsError)
            return
        twin.state.write(given)
        twin.held, twin.sizes = values, sizes

    @staticmethod
    def same(got: Any, want: Any) -> None:
        assert got.shape == want.shape and got.dtype == want.dtype
        assert np.array_equal(got, want), (got, want)

    def look(self, twin: Twin) -> None:
        if any(v is None for v in twin.held.values()):
            return
        read = twin.state.read()
        for part in self.parts:
            self.same(read[f"{part.name}_p"], twin.held[part.name])
        growing = [p for p in self.parts if p.axis is not None]
        if growing:
            assert twin.state.length == twin.held[growing[0].name].shape[growing[0].axis]

    def call(self) -> None:
        twin = self.r.choice(self.twins)
        calls = [self.step] * 6 + [self.truncate] * 3 + [self.fork, self.write, self.reset]
        self.r.choice(calls)(twin)
        for each in self.twins:
            self.look(each)


def test_drawn_states_are_what_numpy_says() -> None:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    in_place = beside = refused = 0
    for number in range(MODELS):
        walk = Walk(random.Random(f"{seed} {number}"))
        for call in range(CALLS):
            try:
                walk.call()
            except Exception as e:
                raise AssertionError(
                    f"ANYDIM_SEED={seed}, model {number}, call {call}: {walk.parts}, limit {walk.limit}"
                ) from e
        info = walk.twins[0].state.info()
        in_place += info["in_place"]
        beside += info["parts"] - info["in_place"]
        refused += walk.refused
    assert in_place > 5 and beside > 20 and refused > 20
