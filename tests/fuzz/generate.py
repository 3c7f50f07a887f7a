# SPDX-License-Identifier: Apache-2.0
"""Makes the case of a seed: a graph of random nodes, a pattern near one that a pass rewrites, one whose types are wrong, one in
the forms of old opsets, shape arithmetic, or one that is judged as a whole (wholes.py). The same seed makes the same case
with the same packages."""

from __future__ import annotations

import random

import onnx
from cases import set_metadata
from contradictions import contradict
from growing import NEWEST_OPSET, CannotGrow, Growing, allowed
from near_misses import PATTERNS
from old_opsets import grow_pair
from operator_table import TABLE
from sizes import grow_sizes
from wholes import WHOLES, grow_whole
from wrong_types import disturb

KINDS = ("random", "near", "types", "old", "sizes", *WHOLES)
WITHOUT_INPUTS = ("Constant", "RandomNormal", "RandomUniform")
NEVER = 0.04  # so many get nodes that no run can pass


def grow(g: Growing, nodes: int, names: list[str]) -> None:
    """`nodes` more nodes of operators that can be drawn here."""
    made = 0
    for _ in range(20 * nodes):
        if made == nodes:
            return
        op = g.random.choice(names)
        kept = g.mark()
        try:
            g.need(bool(allowed(op, g.opset, 0)) or op in WITHOUT_INPUTS)
            TABLE[op](g, op)
            made += 1
        except CannotGrow:
            g.go_back(kept)


def attempt(seed: int, kind: str, turn: int) -> onnx.ModelProto:
    chosen = random.Random(f"{kind} {seed} {turn}")
    opset = chosen.choice(
        (
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            13,
            14,
            15,
            16,
            17,
            17,
            18,
            18,
            19,
            20,
            21,
            22,
            23,
            24,
            25,
            26,
            NEWEST_OPSET - 1,
            NEWEST_OPSET,
        )
    )
    g = Growing(chosen, opset, runs=chosen.choice((2, 3, 4)))
    g.special = chosen.random() < 0.06
    g.counted_share = chosen.choice((0.0, 0.0, 0.0, 0.3))
    g.constant_share = chosen.choice((0.05, 0.15, 0.15, 0.6))
    words = kind
    if kind == "near":
        name = chosen.choice(list(PATTERNS))
        words = f"near {name}"
        end = PATTERNS[name](g)
        if end.name not in {v.name for v in g.values}:
            g.values.append(end)
        if chosen.random() < 0.5:
            grow(
                g,
                chosen.choice((1, 2)),
                ["Relu", "Neg", "Add", "Mul", "Transpose", "Reshape", "Concat", "Cast", "Softmax", "ReduceSum"],
            )
        if end.name not in g.used:
            g.outputs.append(end)
    elif kind == "sizes":
        grow_sizes(g)
    else:
        # A node of each operator as often, then whatever follows.
        names = list(TABLE)
        grow(g, chosen.choice((1, 2, 3, 4, 6, 8, 12)), names)
    g.need(bool(g.nodes))
    model = g.finish(seed, words)
    if chosen.random() < 0.2:
        set_metadata(model, unnamed="yes")
    if chosen.random() < NEVER and contradict(model, chosen):
        set_metadata(model, never="yes")
    return model


def generate(seed: int, kind: str) -> onnx.ModelProto:
    if kind in WHOLES:
        return grow_whole(seed, kind)
    if kind == "old":
        return grow_pair(seed, random.Random(f"old {seed}"))
    if kind == "types":
        chosen = random.Random(f"types {seed}")
        return disturb(generate(seed, chosen.choice(("random", "random", "near"))), chosen)
    for turn in range(200):
        try:
            return attempt(seed, kind, turn)
        except CannotGrow:
            continue
    raise AssertionError(f"nothing grows from seed {seed}")
