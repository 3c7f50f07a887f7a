# SPDX-License-Identifier: Apache-2.0
"""Arguments of operators as Python gives them: one number for all spatial dims, words for enums, names of dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._enums import Dtype
from .dims import Desc, whole_number
from .errors import InvalidArgumentError

Ints = int | Sequence[int]
# A descriptor of what comes with each call, or a constant: an array, weights of another primitive, a pathlib.Path of a file of them.
Operand = Any


def rank_of(operand: Operand) -> int:
    """The number of dims of an operand that is described or an array."""
    return len(operand.dims) if isinstance(operand, Desc) else int(np.ndim(operand))


def per_spatial(value: Ints, spatial: int, what: str) -> list[int]:
    """One number for all spatial dims, or one for each."""
    if not isinstance(value, (Sequence, np.ndarray)):
        return [whole_number(value, what)] * spatial
    if len(value) != spatial:
        raise InvalidArgumentError(f"{what} has {len(value)} numbers; expected 1 or {spatial}")
    return [whole_number(v, f"{what}[{i}]") for i, v in enumerate(value)]


def both_ends(value: Ints, spatial: int, what: str) -> dict[str, list[int]]:
    """One number, one per dim, or all beginnings and then all ends."""
    if isinstance(value, (Sequence, np.ndarray)) and len(value) == 2 * spatial:
        all_of_them = per_spatial(value, 2 * spatial, what)
        return {f"{what}_begin": all_of_them[:spatial], f"{what}_end": all_of_them[spatial:]}
    both = per_spatial(value, spatial, what)
    return {f"{what}_begin": both, f"{what}_end": both}


def by_name(enum: Any, name: str, what: str) -> int:
    try:
        return int(enum[name.upper()])
    except KeyError:
        raise InvalidArgumentError(f"{what} is {name!r}; expected one of {[e.name.lower() for e in enum]}") from None


def dtype_number(dtype: str | int, what: str) -> int:
    """A name such as "f32", or its number; "none" is 0."""
    if dtype == "none":
        return 0
    return by_name(Dtype, dtype, what) if isinstance(dtype, str) else int(dtype)
