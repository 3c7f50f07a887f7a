# SPDX-License-Identifier: Apache-2.0
"""What a judge says of a case, and when results are the same to the last bit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cases import Array, Binding, is_float

RIGHT, UNIMPLEMENTED, REFUSED, WRONG = "right", "unimplemented", "refused", "wrong"


@dataclass
class Outcome:
    seed: int
    kind: str
    verdict: str
    what: str = ""  # the class of a failure: shrinking keeps it
    message: str = ""
    operators: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    nodes_judged: int = 0


class Wrong(Exception):
    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what


class Refused(Exception):
    """We refuse the model, and so do the others."""


def bits(array: Array) -> bytes:
    """Dtype, dims and bits; every NaN counts as the same one."""
    out = np.array(array)
    if is_float(out.dtype):
        out[np.isnan(out)] = np.nan
    return f"{out.dtype} {out.shape} ".encode() + out.tobytes()


def first_difference(a: Array, b: Array) -> str:
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
    equal = (a == b) | ((a != a) & (b != b))
    if is_float(a.dtype):
        equal &= (np.signbit(a) == np.signbit(b)) | np.isnan(a)
    where = np.argwhere(~equal)
    at = tuple(int(k) for k in where[0]) if len(where) else ()
    return f"at {list(at)} {a[at]!r} and {b[at]!r}; {len(where)} of {a.size} differ"


def same_bits(what: str, ours: list[Array], others: list[Array], names: list[str], binding: Binding) -> None:
    for name, a, b in zip(names, ours, others, strict=True):
        if bits(a) != bits(b):
            raise Wrong(what, f"{what}: output {name} at {binding}: {first_difference(a, b)}")
