# SPDX-License-Identifier: Apache-2.0
"""Memory orders drawn for every input and output of a case. Outputs are the library's, within an input where they may be, or the caller's in
strides of its own; inputs come whole or in parts. No bit changes, and an order that was asked for is there."""

from __future__ import annotations

import random
from typing import Any

import anydim
import numpy as np
from cases import Array
from verdicts import Wrong, same_bits

WORDS = ("row_major", "fastest")
COMMON = ("row_major", "channels_last", "any", "follow")


def drawn_order(rank: int, drawn: random.Random) -> tuple[int, ...]:
    axes = list(range(rank))
    drawn.shuffle(axes)
    return tuple(axes)


def stored(array: Array, order: tuple[int, ...]) -> Array:
    """The same elements, with the axes in memory in this order."""
    return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order)) if order else array


def drawn_options(plain: Any, drawn: random.Random) -> dict[str, Any]:
    """What is asked of each edge, and of the outputs of which nothing is."""
    layouts: dict[str, Any] = {}
    inputs = {x.name: len(x.shape) for x in plain.get_inputs()}
    outputs = {y.name: len(y.shape) for y in plain.get_outputs()}
    for name, rank in {**outputs, **inputs}.items():
        words: list[Any] = [*WORDS, drawn_order(rank, drawn)]
        if rank > 2:
            words.append("channels_last")
        if name not in inputs:
            words += ["follow", None, None]
        word = drawn.choice(words)
        if word is not None:
            layouts[name] = word
    return {"layouts": layouts, "output_layout": drawn.choice(COMMON), "threads": drawn.choice((1, 2))}


def in_parts(array: Array, drawn: random.Random) -> Any:
    """Now and then pieces of it, some of them copied, along an axis."""
    if array.ndim == 0 or array.dtype.kind not in "biuf" or drawn.random() < 0.6:
        return array
    axis = drawn.randrange(array.ndim)
    cuts = sorted(drawn.randrange(array.shape[axis] + 1) for _ in range(drawn.randrange(3)))
    return anydim.Parts([p.copy() if drawn.random() < 0.5 else p for p in np.split(array, cuts, axis)], axis)


def run(session: Any, data: dict[str, Array], expected: list[Array], drawn: random.Random) -> list[Array]:
    """The results of a run whose inputs lie as the session asks, in another order, or as they are."""
    given = {}
    for x in session.get_inputs():
        array = data[x.name]
        orders = [x.order, drawn_order(array.ndim, drawn), tuple(range(array.ndim))]
        given[x.name] = stored(array, drawn.choice(orders)) if array.ndim == len(x.order) else array
    if drawn.random() < 0.5:
        parts = {name: in_parts(array, drawn) for name, array in given.items()}
        results: list[Array] = session.run(None, parts, aliases=drawn.random() < 0.5)
        return results
    binding = session.io_binding()
    for name, array in given.items():
        binding.bind_input(name, array)
    for y, like in zip(session.get_outputs(), expected, strict=True):
        own = stored(np.zeros_like(like), drawn_order(like.ndim, drawn)) if drawn.random() < 0.6 else None
        binding.bind_output(y.name, own)
    session.run_with_iobinding(binding)
    return list(binding.get_outputs())


def check(judge: Any, plain: Any) -> None:
    """At every shape that runs."""
    drawn = random.Random(f"layouts of {judge.outcome.seed}")
    options = drawn_options(plain, drawn)
    ready = anydim.InferenceSession(judge.model.SerializeToString(), contexts=1, **options)
    for turn, binding in enumerate(judge.bindings):
        try:
            expected = judge.run(plain, turn)
        except anydim.Error:
            continue  # judged elsewhere
        bound = all(
            isinstance(a, np.ndarray) and a.dtype.kind not in "OU" for a in [*expected, *judge.data[turn].values()]
        )
        got = run(ready, judge.data[turn], expected, drawn) if bound else judge.run(ready, turn)
        same_bits("layouts", got, expected, judge.names, binding)
        if not bound:
            continue
        for y, array in zip(ready.get_outputs(), ready.run(None, judge.data[turn]), strict=True):
            asked = isinstance(options["layouts"].get(y.name), tuple) and array.ndim == len(y.order)
            if asked and not array.transpose(options["layouts"][y.name]).flags.c_contiguous:
                raise Wrong("layouts", f"output {y.name} has strides {array.strides}; asked was {options['layouts']}")
