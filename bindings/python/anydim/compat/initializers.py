# SPDX-License-Identifier: Apache-2.0
"""A model with other values for some of its initializers, as `SessionOptions.add_initializer` and its like ask for it.

A model file is protobuf. Only the fields on the way to the initializers are looked at (ModelProto.graph, GraphProto.initializer,
TensorProto.name); the others stay byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Set
from typing import Any

import numpy as np

from .. import _capi
from .._enums import Dtype
from ..errors import InvalidArgumentError, NotFoundError
from ..wire import as_field, fields, varint

_GRAPH, _INITIALIZER, _NAME = 7, 5, 8  # of ModelProto, GraphProto, TensorProto
_INPUT = 11  # of GraphProto
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


def _tensor(name: str, array: np.ndarray[Any, Any]) -> bytes:
    """A TensorProto: dims (1), data_type (2), name (8), raw_data (9)."""
    dims = b"".join(varint(1 << 3) + varint(d) for d in array.shape)
    code = varint(2 << 3) + varint(_CODES[Dtype(_capi.dtype_of(array))])
    return dims + code + as_field(_NAME, name.encode()) + as_field(9, np.ascontiguousarray(array).tobytes())


def _graph(data: memoryview, arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    out = []
    for number, field, chunk in fields(data):
        name = ""
        if number == _INITIALIZER and chunk is not None:
            names = [bytes(text) for inner, _, text in fields(chunk) if inner == _NAME and text is not None]
            name = names[-1].decode(errors="replace") if names else ""
        out.append(as_field(_INITIALIZER, _tensor(name, arrays[name])) if name in arrays else bytes(field))
    return b"".join(out)


def bytes_of(source: Any) -> bytes:
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
        as_field(_GRAPH, rewrite(chunk)) if number == _GRAPH and chunk is not None else bytes(field)
        for number, field, chunk in fields(memoryview(bytes_of(source)))
    ]
    return b"".join(parts)


def with_initializers(source: Any, arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """The model's bytes with these values. `source`: a path or bytes."""
    return _rewritten(source, lambda graph: _graph(graph, arrays))


def _name_in(chunk: memoryview, number: int) -> str:
    names = [bytes(text) for inner, _, text in fields(chunk) if inner == number and text is not None]
    return names[-1].decode(errors="replace") if names else ""


def overridable(source: Any) -> list[str]:
    """Names of the initializers that are inputs, too."""
    inputs: list[str] = []
    initializers: set[str] = set()
    for number, _, graph in fields(memoryview(bytes_of(source))):
        if number != _GRAPH or graph is None:
            continue
        for inner, _, chunk in fields(graph):
            if inner == _INPUT and chunk is not None:
                inputs.append(_name_in(chunk, 1))
            elif inner == _INITIALIZER and chunk is not None:
                initializers.add(_name_in(chunk, _NAME))
    return [name for name in inputs if name in initializers]


_DATA_LOCATION, _EXTERNAL_DATA, _RAW_DATA = 14, 13, 9  # of TensorProto


def _from_file(tensor: memoryview, files: Mapping[str, bytes]) -> bytes | None:
    """The tensor with its elements, if one of these files has them."""
    entries: dict[str, str] = {}
    for number, _, entry in fields(tensor):
        if number == _EXTERNAL_DATA and entry is not None:
            entries[_name_in(entry, 1)] = _name_in(entry, 2)
    if (data := files.get(entries.get("location", ""))) is None:
        return None
    begin = int(entries.get("offset", "0"))
    length = int(entries.get("length", str(len(data) - begin)))
    if begin < 0 or length < 0 or begin + length > len(data):
        raise InvalidArgumentError(
            f"initializer {_name_in(tensor, _NAME)!r} takes bytes {begin} to {begin + length} of {entries['location']!r}, "
            f"which has {len(data)}"
        )
    kept = b"".join(
        bytes(field) for number, field, _ in fields(tensor) if number not in (_DATA_LOCATION, _EXTERNAL_DATA)
    )
    return kept + as_field(_RAW_DATA, data[begin : begin + length])


def with_files(source: Any, files: Mapping[str, bytes]) -> bytes:
    """The model's bytes with the elements that files of external data have, by the names that the model calls them."""

    def filled(graph: memoryview) -> bytes:
        out = []
        for number, field, chunk in fields(graph):
            tensor = _from_file(chunk, files) if number == _INITIALIZER and chunk is not None else None
            out.append(bytes(field) if tensor is None else as_field(_INITIALIZER, tensor))
        return b"".join(out)

    return _rewritten(source, filled)


def as_inputs(source: Any, names: Set[str]) -> bytes:
    """The model's bytes without these initializers, so that they are inputs and nothing else."""

    def without(graph: memoryview) -> bytes:
        return b"".join(
            bytes(field)
            for number, field, chunk in fields(graph)
            if number != _INITIALIZER or chunk is None or _name_in(chunk, _NAME) not in names
        )

    return _rewritten(source, without)
