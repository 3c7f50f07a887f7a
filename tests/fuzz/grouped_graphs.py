# SPDX-License-Identifier: Apache-2.0
"""Two calls of com.microsoft's GroupQueryAttention, the second with the cache of the first: windows, windowed caches, sinks, caps,
rotation. The second call shows what the first left in the cache; what lies behind its keys, which ONNX Runtime leaves open,
shows nowhere."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnx
from cases import initializer, set_metadata
from onnx import TensorProto, helper

FLOAT, HALF, INT32 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32
POSITIONS = 64  # rows of the tables of angles


class Calls:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"grouped {seed}")
        r = self.random
        self.dtype = HALF if r.random() < 0.2 else FLOAT
        self.key_heads, self.group = r.choice((1, 2, 3)), r.choice((1, 1, 2, 4))
        self.size = r.choice((16, 16, 32))  # what ONNX Runtime has is a multiple of 16
        self.window = r.randrange(1, 9) if r.random() < 0.7 else 0
        self.windowed = bool(self.window) and r.random() < 0.6
        self.kind = r.choice(("first", "later", "several"))  # a prompt, a token of each example, several of one example
        self.packed, self.rotates = r.random() < 0.4, r.random() < 0.5

    def attributes(self) -> dict[str, Any]:
        r = self.random
        named: dict[str, Any] = {"num_heads": self.key_heads * self.group, "kv_num_heads": self.key_heads}
        if self.window:
            named["local_window_size"] = self.window
        if self.windowed:
            named["sliding_window_cache"] = 1
        if self.rotates:
            named["do_rotary"] = 1
            if r.random() < 0.5:
                named["rotary_interleaved"] = 1
        if r.random() < 0.3:
            named["softcap"] = 3.0
        if r.random() < 0.3:
            named["scale"] = 0.2
        self.sink = r.choice(("none", "smooth", "given"))
        if self.sink == "smooth":
            named["smooth_softmax"] = 1
        return named

    def input(self, name: str, dtype: int, dims: list[Any], words: str = "normal") -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims, words))
        return name

    def call(self, at: int, named: dict[str, Any], cache: list[str], last: str, total: str, queries: str) -> list[str]:
        heads = self.key_heads * self.group
        if self.packed:
            operands = [
                self.input(f"q{at}", self.dtype, ["b", queries, (heads + 2 * self.key_heads) * self.size]),
                "",
                "",
            ]
        else:
            operands = [
                self.input(f"{x}{at}", self.dtype, ["b", queries, n * self.size])
                for x, n in (("q", heads), ("k", self.key_heads), ("v", self.key_heads))
            ]
        tables = ["cos", "sin"] if self.rotates else ["", ""]
        sinks = ["", "", "sinks"] if self.sink == "given" else []
        outputs = [f"y{at}", f"keys{at}", f"values{at}"]
        self.nodes.append(
            helper.make_node(
                "GroupQueryAttention",
                [*operands, *cache, last, total, *tables, *sinks],
                outputs,
                domain="com.microsoft",
                **named,
            )
        )
        return outputs

    def bindings(self) -> list[dict[str, int]]:
        """`old` and `room`: keys that an example has at most before the first call, and the length of the cache."""
        r = self.random
        self.most = r.randrange(1, 25)  # the same in all runs, as it bounds the lengths of examples
        runs = []
        for _ in range(3):
            batch = 1 if self.kind == "several" else r.randrange(1, 4)
            queries = 1 if self.kind == "later" else r.randrange(2, 15)
            old = 0 if self.kind == "first" else self.most
            if self.windowed:
                room = self.window + r.choice((0, 0, 1, 2, 5))
            else:  # one that grows, or one with room
                room = old if self.grows else old + queries + 1 + r.randrange(3)
            runs.append(
                {"b": batch, "s": queries, "one": 1, "c": room, "total": old + queries, "last": old + queries - 1}
            )
        return runs

    def model(self, seed: int) -> onnx.ModelProto:
        r = self.random
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        named = self.attributes()
        self.grows = r.random() < 0.5
        runs = self.bindings()
        # Examples have different lengths where each has a token of its own.
        ragged = self.kind == "later"
        dims = ["b", self.key_heads, "c", self.size]
        cache = [self.input(x, self.dtype, dims) for x in ("past_key", "past_value")]
        lengths = f"integers 1 {self.most}" if ragged else "number last"
        last = self.input("last", INT32, ["b"], lengths)
        total = self.input("total", INT32, [], "number total")
        constants = [initializer("one", np.array(1, np.int32))]
        wide = np.float16 if self.dtype == HALF else np.float32
        numbers = np.random.default_rng(seed)
        if self.rotates:
            angles = np.outer(np.arange(POSITIONS), 10000.0 ** -np.linspace(0, 1, self.size // 2))
            constants += [
                initializer("cos", np.cos(angles).astype(wide)),
                initializer("sin", np.sin(angles).astype(wide)),
            ]
        if self.sink == "given":
            constants.append(initializer("sinks", numbers.standard_normal(self.key_heads * self.group).astype(wide)))
        queries = "one" if ragged else "s"
        first = self.call(0, named, cache, last, total, queries)
        self.nodes.append(helper.make_node("Add", [last, "one"], ["last_after"]))
        self.nodes.append(helper.make_node("Add", [total, "one"], ["total_after"]))
        second = self.call(1, named, first[1:], "last_after", "total_after", "one")
        outputs = [helper.make_tensor_value_info(name, self.dtype, [None] * 3) for name in (first[0], second[0])]
        graph = helper.make_graph(self.nodes, "drawn", self.inputs, outputs, constants)
        for value in graph.input:
            for dim in value.type.tensor_type.shape.dim:
                if dim.dim_param == "one" and r.random() < 0.5:  # as a number, or one that comes with the run
                    dim.dim_value = 1
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        set_metadata(model, bindings=runs, seed=str(seed), kind="grouped")
        return model


def grow_grouped(seed: int) -> onnx.ModelProto:
    return Calls(seed).model(seed)
