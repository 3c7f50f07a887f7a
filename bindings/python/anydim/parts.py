# SPDX-License-Identifier: Apache-2.0
"""Inputs that a program has in parts: arrays that lie side by side along one axis, given to a run without joining them first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .arrays import Array, as_array
from .dims import whole_number
from .errors import InvalidArgumentError


class Parts:
    """One input as arrays that follow each other along `axis`: `session.run(None, {"x": anydim.Parts([a, b, c])})` computes what
    `numpy.concatenate([a, b, c])` would give. Arrays that lie in memory as one array would (slices of one, in order) are read where
    they are; others are copied into one once, which `session.explain()` states as `gathered_bytes`."""

    def __init__(self, arrays: Sequence[Any], axis: int = 0) -> None:
        self.arrays = list(arrays)
        self.axis = whole_number(axis, "axis")
        if not self.arrays:
            raise InvalidArgumentError("arrays is empty; expected one array or more")

    def __repr__(self) -> str:
        return f"anydim.Parts({len(self.arrays)} arrays, axis={self.axis})"


# Number of an input, axis, and the arrays behind the first one.
RawParts = list[tuple[int, int, list[Array]]]


def first_parts(
    feeds: Mapping[str, Any], names: Sequence[str], dtypes: Sequence[int]
) -> tuple[Mapping[str, Any], RawParts]:
    """Feeds with the first array of each input that comes in parts, and the others."""
    parts: RawParts = []
    if not isinstance(feeds, Mapping):
        return feeds, parts  # whoever reads them says what is wrong
    if not any(isinstance(value, Parts) for value in feeds.values()):
        return feeds, parts
    first = dict(feeds)
    for name, value in feeds.items():
        if not isinstance(value, Parts) or name not in names:
            continue
        index = names.index(name)
        arrays = [as_array(part, f"part {i} of input {name!r}", dtypes[index]) for i, part in enumerate(value.arrays)]
        axis = value.axis + arrays[0].ndim if value.axis < 0 else value.axis
        if not 0 <= axis < arrays[0].ndim:
            raise InvalidArgumentError(
                f"axis of the parts of {name!r} is {value.axis}; they have {arrays[0].ndim} axes"
            )
        first[name] = arrays[0]
        parts.append((index, axis, arrays[1:]))
    return first, parts
