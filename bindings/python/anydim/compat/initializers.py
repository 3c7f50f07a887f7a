# SPDX-License-Identifier: Apache-2.0
"""A model with other values for some of its initializers, as `SessionOptions.add_initializer` asks for it.

A model file is protobuf: fields one behind the other, each a number, a wire type and a value. Only the fields on the way to
the initializers are looked at (ModelProto.graph, GraphProto.initializer, TensorProto.name); the others stay byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from .. import _capi
from .._enums import Dtype
from ..errors import InvalidArgumentError, InvalidModelError, NotFoundError

_GRAPH, _INITIALIZER, _NAME = 7, 5, 8  # of ModelProto, GraphProto, TensorProto
_INPUT = 11  # of GraphProto
_VARINT, _CHUNK = 0, 2  # wire types
_WIDTHS = {1: 8, 5: 4}  # bytes of the wire types of fixed size
_CODES = {
    Dtype.F32: 1,
    Dtype.U8: 2,
    Dtype.I8: 3,
    Dtype.U16: 4,
    Dtype.I16: 5,
    Dtype.I32: 6,
    Dtype.I64: 7,
    Dtype.BOOL: 9,
    Dtype.F16: 10,
    Dtype.F64: 11,
    Dtype.U32: 12,
    Dtype.U64: 13,
    Dtype.BF16: 16,
    Dtype.F8E4M3FN: 17,
    Dtype.F8E4M3FNUZ: 18,
    Dtype.F8E5M2: 19,
    Dtype.F8E5M2FNUZ: 20,
    Dtype.F8E8M0: 24,
}


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise InvalidModelError("the model is damaged: a number in it does not end")


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview, memoryview | None]]:
    """Number, all bytes, and for a chunk the bytes within, of each field."""
    at = 0
    while at < len(data):
        begin = at
        key, at = _read_varint(data, at)
        wire, chunk = key & 7, None
        if wire == _VARINT:
            _, at = _read_varint(data, at)
        elif wire == _CHUNK:
            size, at = _read_varint(data, at)
            chunk = data[at : at + size]
            at += size
        elif wire in _WIDTHS:
            at += _WIDTHS[wire]
        else:
            raise InvalidModelError(f"the model is damaged: wire type {wire} at byte {begin}")
        if at > len(data):
            raise InvalidModelError("the model is cut")
        yield key >> 3, data[begin:at], chunk


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _as_field(number: int, chunk: bytes) -> bytes:
    return _varint(number << 3 | _CHUNK) + _varint(len(chunk)) + chunk


def _tensor(name: str, array: np.ndarray[Any, Any]) -> bytes:
    """A TensorProto: dims (1), data_type (2), name (8), raw_data (9)."""
    dims = b"".join(_varint(1 << 3) + _varint(d) for d in array.shape)
    code = _varint(2 << 3) + _varint(_CODES[Dtype(_capi.dtype_of(array))])
    return dims + code + _as_field(_NAME, name.encode()) + _as_field(9, np.ascontiguousarray(array).tobytes())


def _graph(data: memoryview, arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    out = []
    for number, field, chunk in _fields(data):
        name = ""
        if number == _INITIALIZER and chunk is not None:
            names = [bytes(text) for inner, _, text in _fields(chunk) if inner == _NAME and text is not None]
            name = names[-1].decode(errors="replace") if names else ""
        out.append(_as_field(_INITIALIZER, _tensor(name, arrays[name])) if name in arrays else bytes(field))
    return b"".join(out)


def _bytes_of(source: Any) -> bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    else:
        try:
            with open(source, "rb") as file:
                return file.read()
        except FileNotFoundError:
            raise NotFoundError(f"cannot open '{os.fspath(source)}': there is no such file") from None
        except ValueError as error:
            raise InvalidArgumentError(f"{source!r}: {error}") from None


def _rewritten(source: Any, rewrite: Callable[[memoryview], bytes]) -> bytes:
    """The model's bytes with another graph."""
    parts = [
        _as_field(_GRAPH, rewrite(chunk)) if number == _GRAPH and chunk is not None else bytes(field)
        for number, field, chunk in _fields(memoryview(_bytes_of(source)))
    ]
    return b"".join(parts)


def with_initializers(source: Any, arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """The model's bytes with these values. `source`: a path or bytes."""
    return _rewritten(source, lambda graph: _graph(graph, arrays))


def _name_in(chunk: memoryview, number: int) -> str:
    names = [bytes(text) for inner, _, text in _fields(chunk) if inner == number and text is not None]
    return names[-1].decode(errors="replace") if names else ""


def overridable(source: Any) -> list[str]:
    """Names of the initializers that are inputs, too."""
    inputs: list[str] = []
    initializers: set[str] = set()
    for number, _, graph in _fields(memoryview(_bytes_of(source))):
        if number != _GRAPH or graph is None:
            continue
        for inner, _, chunk in _fields(graph):
            if inner == _INPUT and chunk is not None:
                inputs.append(_name_in(chunk, 1))
            elif inner == _INITIALIZER and chunk is not None:
                initializers.add(_name_in(chunk, _NAME))
    return [name for name in inputs if name in initializers]


def as_inputs(source: Any, names: Set[str]) -> bytes:
    """The model's bytes without these initializers, so that they are inputs and nothing else."""

    def without(graph: memoryview) -> bytes:
        return b"".join(
            bytes(field)
            for number, field, chunk in _fields(graph)
            if number != _INITIALIZER or chunk is None or _name_in(chunk, _NAME) not in names
        )

    return _rewritten(source, without)
