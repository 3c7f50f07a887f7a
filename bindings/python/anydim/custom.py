# SPDX-License-Identifier: Apache-2.0
"""Operators that a Python program brings for the nodes of its models: `CustomOperator`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _capi
from ._enums import Dtype
from .arrays import Array, numpy_dtype
from .errors import InvalidArgumentError

# The dtype of an output and its dims. A dim is a number, a negative one that an input has, or None: a run determines it.
OutputType = tuple[Any, Sequence[int | None]]


@dataclass(frozen=True)
class Operand:
    """What a rule of shapes sees of an input."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]  # a dim that is not known yet is a negative number, the same number for the same dim
    value: Array | None  # its elements, where they are known: in a run, and those of constants

    @property
    def ndim(self) -> int:
        """How many dims it has."""
        return len(self.shape)


@dataclass(frozen=True)
class CustomOperator:
    """An operator of the program's own, for `InferenceSession(..., operators={("my.domain", "Twice"): CustomOperator(...)})`.

    compute: the kernel. It gets an array per input (None for an absent one) and the node's attributes by name, and returns an
        array, or one per output. The arrays are the library's memory, for the length of the call: they are read only, and a copy
        of what is to stay has to be made. It is called in the thread that runs, several at a time where several run.
    shapes: the rule of shapes. It gets an `Operand` per input (None for an absent one) and the attributes, and returns
        (dtype, dims), or a list of one per output. It is called when the model is loaded, with negative numbers for dims that are
        not known then. A dim of an output is a number, the negative number of an input's dim, or None where only a run determines it:
        then the rule is called in each run, too, with all values, and where it still says None, the dims are those of what
        `compute` returns. With bounds it is called with the largest inputs, and its answer bounds the outputs.
    """

    compute: Callable[..., Any]
    shapes: Callable[..., OutputType | Sequence[OutputType]]


def _as_list(results: Any, count: int, what: str) -> list[Any]:
    listed = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(listed) != count:
        raise InvalidArgumentError(f"{what} gave {len(listed)} results; the node has {count} outputs")
    return listed


def _dtype_code(dtype: Any) -> int:
    wanted = np.dtype(dtype)
    for code in Dtype:
        if code.value and numpy_dtype(code) == wanted:
            return int(code)
    raise InvalidArgumentError(f"dtype is {dtype!r}, which no tensor has")


class _Called:
    """The two functions that the library calls for an operator."""

    def __init__(self, operator: CustomOperator) -> None:
        self._operator = operator
        self._found = (
            threading.local()
        )  # what the kernel gave while its dims were asked for, until it is asked for them

    def shapes(self, node: int, named: dict[str, Any], inputs: list[Any], outputs: int) -> list[tuple[int, list[int]]]:
        operands = [
            None if given is None else Operand(numpy_dtype(given[0]), tuple(given[1]), given[2]) for given in inputs
        ]
        told = self._operator.shapes(*operands, **named)
        one = isinstance(told, tuple) and len(told) == 2 and not isinstance(told[0], (tuple, list))
        listed = _as_list([told] if one else told, outputs, "the rule of shapes")
        types = [(_dtype_code(dtype), [-1 if d is None else int(d) for d in dims]) for dtype, dims in listed]
        known = all(operand is None or operand.value is not None for operand in operands)
        if not known or all(d >= 0 for _, dims in types for d in dims):
            return types
        arrays = [None if operand is None else operand.value for operand in operands]
        results = [np.asarray(r) for r in _as_list(self._operator.compute(*arrays, **named), outputs, "the kernel")]
        self._found.key, self._found.results = self._key(node, arrays), results
        for i, (result, (_, dims)) in enumerate(zip(results, types, strict=True)):
            if result.ndim != len(dims) or any(
                d >= 0 and d != found for d, found in zip(dims, result.shape, strict=True)
            ):
                raise InvalidArgumentError(
                    f"the kernel gave output {i} with shape {result.shape}; the rule of shapes said {dims}"
                )
        return [(code, list(result.shape)) for (code, _), result in zip(types, results, strict=True)]

    def compute(self, node: int, named: dict[str, Any], inputs: list[Array | None], outputs: list[Array]) -> None:
        results = None
        if getattr(self._found, "key", None) is not None:
            results = self._found.results if self._found.key == self._key(node, inputs) else None
            self._found.key = self._found.results = None
        if results is None:
            results = _as_list(self._operator.compute(*inputs, **named), len(outputs), "the kernel")
        for i, (result, out) in enumerate(zip(results, outputs, strict=True)):
            array = np.asarray(result)
            if array.dtype != out.dtype or array.shape != out.shape:
                raise InvalidArgumentError(
                    f"the kernel gave output {i} as {array.dtype}{list(array.shape)}; the rule of shapes said {out.dtype}{list(out.shape)}"
                )
            np.copyto(out, array)

    @staticmethod
    def _key(node: int, arrays: Sequence[Array | None]) -> tuple[int, ...]:
        return (node, *(0 if a is None else a.ctypes.data for a in arrays if a is None or a.size > 0))


def raw_operators(operators: Mapping[tuple[str, str], CustomOperator]) -> _capi.CustomOperators:
    """The set of the C API's."""
    made = _capi.custom_operators_create()
    for key, operator in operators.items():
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, str) for part in key)):
            raise InvalidArgumentError(
                f"operators has the key {key!r}; expected the domain and the name of an operator"
            )
        if not isinstance(operator, CustomOperator):
            raise InvalidArgumentError(f"operators[{key!r}] is {operator!r}; expected an anydim.CustomOperator")
        called = _Called(operator)
        _capi.custom_operators_add(made, *key, called.shapes, called.compute)
    return made
