# SPDX-License-Identifier: Apache-2.0
"""Scales and zero points of a primitive's operands: which real numbers their i8 or u8 elements stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._enums import Operand
from .dims import whole_number
from .errors import InvalidArgumentError

GIVEN = "given"


@dataclass(frozen=True)
class Quantized:
    """One operand: scale and zero point are none, numbers, or come with each call (an empty tuple)."""

    operand: int
    scale: tuple[float, ...] | None
    zero_point: tuple[int, ...] | None
    axis: int


def _numbers(value: Any, what: str) -> tuple[Any, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        if value != GIVEN:
            raise InvalidArgumentError(
                f"{what} is {value!r}; expected numbers, or {GIVEN!r} for a tensor with each call"
            )
        return ()
    numbers = tuple(value) if isinstance(value, Sequence) or getattr(value, "ndim", 0) > 0 else (value,)
    if not numbers:
        raise InvalidArgumentError(f"{what} is empty; expected one number or more")
    return numbers


def quantized(operand: int | str, scale: Any = None, zero_point: Any = None, *, axis: int | None = None) -> Quantized:
    """Says of operand 0, 1 or "result" of a matmul or convolution that its elements stand for scale * (element - zero_point).
    Each is one number, one for each index of `axis`, or "given": a tensor that comes with each call, behind those of post-ops (the
    scale, of float32, before the zero point, of the operand's dtype; of operand 0, 1, the result)."""
    operands = {0: Operand.INPUT_0, 1: Operand.INPUT_1, "result": Operand.RESULT}
    if operand not in operands:
        raise InvalidArgumentError(f"operand is {operand!r}; expected 0, 1 or 'result'")
    scales, zeros = _numbers(scale, "scale"), _numbers(zero_point, "zero_point")
    return Quantized(
        int(operands[operand]),
        None if scales is None else tuple(float(v) for v in scales),
        None if zeros is None else tuple(whole_number(v, "zero_point") for v in zeros),
        -1 if axis is None else whole_number(axis, "axis"),
    )
