# SPDX-License-Identifier: Apache-2.0
"""Dims of descriptors and bounds: numbers, or dynamic with promises and a hint."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._enums import Dtype, Layout
from .errors import InvalidArgumentError

UNBOUNDED = 2**63 - 1
# (value, min, max, hint, multiple_of) as the C API takes them
RawDim = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Dim:
    """A dynamic dim. `min`, `max` and `multiple_of` are promises, checked when a tensor comes; `hint` is a likely value
    that orders choices and changes neither results nor bounds."""

    min: int = 0
    max: int | None = None
    hint: int | None = None
    multiple_of: int = 1

    def raw(self, what: str = "a dim") -> RawDim:
        """As `anydim._capi` takes it."""
        return (
            -1,
            whole_number(self.min, f"min of {what}"),
            UNBOUNDED if self.max is None else whole_number(self.max, f"max of {what}"),
            -1 if self.hint is None else whole_number(self.hint, f"hint of {what}"),
            whole_number(self.multiple_of, f"multiple_of of {what}"),
        )


def dim(min: int = 0, max: int | None = None, hint: int | None = None, multiple_of: int = 1) -> Dim:
    """A dynamic dim: `anydim.dim(max=2048, hint=640)`."""
    return Dim(min, max, hint, multiple_of)


# A number, a dynamic dim, (min, max), or None for any.
DimLike = int | Dim | tuple[int, int] | None


def whole_number(value: Any, what: str) -> int:
    """An int of 64 bits out of what counts: int, numpy's integers. Not 1.5, nor 1.0, nor "1"."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{what} is {value!r}; expected a whole number") from None
    if not -(2**63) <= number < 2**63:
        raise InvalidArgumentError(f"{what} is {number}; expected a number of 64 bits")
    return int(number)


def raw_dim(value: DimLike, what: str) -> RawDim:
    if value is None:
        return Dim().raw(what)
    if isinstance(value, Dim):
        return value.raw(what)
    if isinstance(value, tuple):
        if len(value) != 2:
            raise InvalidArgumentError(f"{what} is {value!r}; expected a number, (min, max), anydim.dim(...) or None")
        return Dim(value[0], value[1]).raw(what)
    if not hasattr(value, "__index__"):
        raise InvalidArgumentError(f"{what} is {value!r}; expected a number, (min, max), anydim.dim(...) or None")
    number = whole_number(value, what)
    if number < 0:
        raise InvalidArgumentError(f"{what} is {number}; expected 0 or more")
    return (number, number, number, -1, 1)


def raw_dims(values: Sequence[DimLike], what: str) -> list[RawDim]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidArgumentError(f"{what} are {values!r}; expected a sequence of dims")
    return [raw_dim(value, f"dim {i} of {what}") for i, value in enumerate(values)]


Bounds = Mapping[str, Sequence[DimLike]]


@dataclass(frozen=True)
class Desc:
    """A tensor descriptor: dtype, dims (numbers or dynamic) and the layout that tensors will have."""

    dtype: Dtype
    dims: tuple[DimLike, ...]
    layout: Layout = Layout.STRIDED


def _describer(dtype: Dtype):  # type: ignore[no-untyped-def]
    def describe(*dims: DimLike, layout: Layout = Layout.STRIDED) -> Desc:
        return Desc(dtype, dims, layout)

    describe.__name__ = describe.__qualname__ = dtype.name.lower()
    describe.__doc__ = (
        f"A descriptor of {dtype.name.lower()} tensors: `anydim.{dtype.name.lower()}(1, 64, anydim.dim(max=512))`."
    )
    return describe


f32 = _describer(Dtype.F32)
f64 = _describer(Dtype.F64)
f16 = _describer(Dtype.F16)
bf16 = _describer(Dtype.BF16)
i8 = _describer(Dtype.I8)
u8 = _describer(Dtype.U8)
i32 = _describer(Dtype.I32)
i64 = _describer(Dtype.I64)
