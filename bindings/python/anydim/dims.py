# SPDX-License-Identifier: Apache-2.0
"""Dims of descriptors and bounds: numbers, or dynamic with promises and a hint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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

    def raw(self) -> RawDim:
        """As `anydim._capi` takes it."""
        top = UNBOUNDED if self.max is None else self.max
        return (-1, self.min, top, -1 if self.hint is None else self.hint, self.multiple_of)


def dim(min: int = 0, max: int | None = None, hint: int | None = None, multiple_of: int = 1) -> Dim:
    """A dynamic dim: `anydim.dim(max=2048, hint=640)`."""
    return Dim(min, max, hint, multiple_of)


# A number, a dynamic dim, (min, max), or None for any.
DimLike = int | Dim | tuple[int, int] | None


def raw_dim(value: DimLike, what: str) -> RawDim:
    if value is None:
        return Dim().raw()
    if isinstance(value, Dim):
        return value.raw()
    if isinstance(value, tuple):
        if len(value) != 2:
            raise InvalidArgumentError(f"{what} is {value!r}; expected a number, (min, max), anydim.dim(...) or None")
        return (-1, int(value[0]), int(value[1]), -1, 1)
    number = int(value)
    if number < 0:
        raise InvalidArgumentError(f"{what} is {number}; expected 0 or more")
    return (number, number, number, -1, 1)


def raw_dims(values: Sequence[DimLike], what: str) -> list[RawDim]:
    return [raw_dim(value, f"dim {i} of {what}") for i, value in enumerate(values)]


Bounds = Mapping[str, Sequence[DimLike]]


@dataclass(frozen=True)
class Desc:
    """A tensor descriptor: dtype, dims (numbers or dynamic) and the layout that tensors will have."""

    dtype: Dtype
    dims: tuple[DimLike, ...]
    layout: Layout = Layout.ANY


def _describer(dtype: Dtype):  # type: ignore[no-untyped-def]
    def describe(*dims: DimLike, layout: Layout = Layout.ANY) -> Desc:
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
