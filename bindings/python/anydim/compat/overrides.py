# SPDX-License-Identifier: Apache-2.0
"""Dims that `SessionOptions.add_free_dimension_override_by_name` (or `_by_denotation`) fixed: shown by the session, and enforced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import errors
from ..node_args import NodeArg
from ..wire import fields
from .initializers import bytes_of

# Fields on the way from ModelProto to the denotation of a dim: graph, input; then ValueInfoProto.name or .type.tensor_type.shape.dim.
_GRAPH, _INPUT, _NAME, _TYPE, _TENSOR, _SHAPE, _DIM, _DENOTATION = 7, 11, 1, 2, 1, 2, 1, 3


def _within(data: memoryview, number: int) -> list[memoryview]:
    return [chunk for inner, _, chunk in fields(data) if inner == number and chunk is not None]


def _denotations(source: Any) -> dict[tuple[str, int], str]:
    """By input and axis, as the file says them."""
    found = {}
    for graph in _within(memoryview(bytes_of(source)), _GRAPH):
        for value in _within(graph, _INPUT):
            name = b"".join(map(bytes, _within(value, _NAME))).decode(errors="replace")
            levels = [value]
            for number in (_TYPE, _TENSOR, _SHAPE, _DIM):
                levels = [inner for level in levels for inner in _within(level, number)]
            for axis, dim in enumerate(levels):
                for text in _within(dim, _DENOTATION):
                    found[name, axis] = bytes(text).decode(errors="replace")
    return found


class Overrides:
    """What is fixed of a model's inputs: by name of a dim, and by input and axis."""

    def __init__(self, wanted: Mapping[tuple[str, str], int], inputs: Sequence[NodeArg], source: Any) -> None:
        self._named = {which: size for (kind, which), size in wanted.items() if kind == "name"}
        self._fixed: dict[str, dict[int, int]] = {}
        denoted = {which: size for (kind, which), size in wanted.items() if kind == "denotation"}
        denotations = _denotations(source) if denoted else {}
        for arg in inputs:
            for axis, dim in enumerate(arg.shape):
                size = denoted.get(denotations.get((arg.name, axis), ""))
                if isinstance(dim, str) and dim in self._named:
                    size = self._named[dim]
                if size is not None and not isinstance(dim, int):
                    self._fixed.setdefault(arg.name, {})[axis] = size
                    if isinstance(dim, str):
                        self._named[dim] = size

    def shown(self, args: list[NodeArg]) -> list[NodeArg]:
        return [
            replace(
                arg,
                shape=[
                    self._fixed.get(arg.name, {}).get(axis, self._named.get(dim, dim) if isinstance(dim, str) else dim)
                    for axis, dim in enumerate(arg.shape)
                ],
            )
            for arg in args
        ]

    def check(self, feeds: Mapping[str, Any]) -> None:
        for name, axes in self._fixed.items():
            shape = np.shape(feeds[name]) if name in feeds else ()
            wrong = [(axis, size) for axis, size in axes.items() if axis < len(shape) and shape[axis] != size]
            if wrong:
                lines = "".join(f"\n index: {axis} Got: {shape[axis]} Expected: {size}" for axis, size in wrong)
                raise errors.InvalidArgumentError(
                    f"Got invalid dimensions for input: {name} for the following indices{lines}\n"
                    " Please fix either the inputs/outputs or the model."
                )
