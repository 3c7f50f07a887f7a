# SPDX-License-Identifier: Apache-2.0
"""Post-ops of primitives: functions of each output element, and of it and a further tensor."""

from __future__ import annotations

from dataclasses import dataclass

from ._operator_enums import BinaryFunction, UnaryFunction
from .errors import InvalidArgumentError


@dataclass(frozen=True)
class PostOp:
    """One step of a chain: a function of an element (`tensor` false) or of it and an element of a further input."""

    function: int
    tensor: bool = False
    alpha: float = 0.0
    beta: float = 0.0
    reversed: bool = False


def eltwise(function: str, alpha: float = 0.0, beta: float = 0.0) -> PostOp:
    """A function of each element by its name in the C API: `eltwise("gelu_erf")`."""
    try:
        return PostOp(UnaryFunction[function.upper()], False, alpha, beta)
    except KeyError:
        raise InvalidArgumentError(
            f"function is {function!r}; expected one of {[f.name.lower() for f in UnaryFunction]}"
        ) from None


def binary(function: str, reversed: bool = False) -> PostOp:
    """y = function(y, t), or function(t, y) if reversed; t is given at each call after the operator's inputs."""
    try:
        return PostOp(BinaryFunction[function.upper()], True, reversed=reversed)
    except KeyError:
        raise InvalidArgumentError(
            f"function is {function!r}; expected one of {[f.name.lower() for f in BinaryFunction]}"
        ) from None


def relu() -> PostOp:
    """x < 0 ? 0 : x"""
    return eltwise("relu")


def leaky_relu(slope: float = 0.01) -> PostOp:
    """x < 0 ? slope * x : x"""
    return eltwise("leaky_relu", slope)


def clip(low: float, high: float) -> PostOp:
    """min(max(x, low), high)"""
    return eltwise("clip", low, high)


def sigmoid() -> PostOp:
    """1 / (1 + exp(-x))"""
    return eltwise("sigmoid")


def silu() -> PostOp:
    """x * sigmoid(x)"""
    return eltwise("silu")


def tanh() -> PostOp:
    """tanh(x)"""
    return eltwise("tanh")


def hard_swish() -> PostOp:
    """x * clip(x / 6 + 1/2, 0, 1)"""
    return eltwise("hard_swish")


def hard_sigmoid(slope: float = 0.2, offset: float = 0.5) -> PostOp:
    """clip(slope * x + offset, 0, 1)"""
    return eltwise("hard_sigmoid", slope, offset)
