# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format, as far as model files are rewritten here: fields one behind the other, each a number, a wire type and a value.
For `anydim compare` and for initializers with other values. Not a reader of models: that is the library."""

from __future__ import annotations

from collections.abc import Iterator

from .errors import InvalidModelError

VARINT, CHUNK = 0, 2  # wire types
_WIDTHS = {1: 8, 5: 4}  # bytes of the wire types of fixed size


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


def fields(data: memoryview) -> Iterator[tuple[int, memoryview, memoryview | None]]:
    """Number, all bytes, and for a chunk the bytes within, of each field."""
    at = 0
    while at < len(data):
        begin = at
        key, at = _read_varint(data, at)
        wire, chunk = key & 7, None
        if wire == VARINT:
            _, at = _read_varint(data, at)
        elif wire == CHUNK:
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


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def as_field(number: int, chunk: bytes) -> bytes:
    """A field that has a length."""
    return varint(number << 3 | CHUNK) + varint(len(chunk)) + chunk
