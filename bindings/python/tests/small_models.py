# SPDX-License-Identifier: Apache-2.0
"""Writes small ONNX models as bytes, so that these tests need no package for it. Numbers are fields of onnx.proto."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_CODES = {"float32": 1, "int64": 7, "float64": 11, "int32": 6}


def varint(n: int) -> bytes:
    out = bytearray()
    n &= 2**64 - 1
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field: int, n: int) -> bytes:
    return varint(field << 3) + varint(n)


def chunk(field: int, data: bytes | str) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def node(
    op: str, inputs: Sequence[str], outputs: Sequence[str], name: str | None = None, domain: str = "", **named: Any
) -> bytes:
    edges = [*(chunk(1, i) for i in inputs), *(chunk(2, o) for o in outputs)]
    attributes = [chunk(5, attribute(key, given)) for key, given in named.items()]
    parts = [*edges, chunk(3, f"the {op}" if name is None else name), chunk(4, op), *attributes]
    return b"".join([*parts, chunk(7, domain)] if domain else parts)


def attribute(name: str, given: Any) -> bytes:
    """A whole number, a float, a text, a list of whole numbers, or a tensor."""
    if isinstance(given, float):
        body, kind = varint(2 << 3 | 5) + struct.pack("<f", given), 1
    elif isinstance(given, int):
        body, kind = number(3, given), 2
    elif isinstance(given, str):
        body, kind = chunk(4, given), 3
    elif isinstance(given, np.ndarray):
        body, kind = chunk(5, tensor("", given)), 4
    else:
        body, kind = b"".join(number(8, n) for n in given), 7
    return chunk(1, name) + body + number(20, kind)


def value(name: str, code: int, dims: Sequence[int | str]) -> bytes:
    shape = b"".join(chunk(1, chunk(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return chunk(1, name) + chunk(2, chunk(1, number(1, code) + chunk(2, shape)))


def tensor(name: str, array: np.ndarray[Any, Any]) -> bytes:
    dims = b"".join(number(1, d) for d in array.shape)
    return dims + number(2, _CODES[array.dtype.name]) + chunk(8, name) + chunk(9, array.tobytes())


def model(
    nodes: Sequence[bytes],
    *,
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    constants: Sequence[bytes] = (),
    metadata: Mapping[str, str] | None = None,
    domains: Mapping[str, int] | None = None,
) -> bytes:
    graph = b"".join(
        [
            *(chunk(1, n) for n in nodes),
            chunk(2, "g"),
            *(chunk(5, c) for c in constants),
            *(chunk(11, v) for v in inputs),
            *(chunk(12, v) for v in outputs),
        ]
    )
    entries = b"".join(chunk(14, chunk(1, k) + chunk(2, v)) for k, v in (metadata or {}).items())
    opset = b"".join(chunk(8, chunk(1, d) + number(2, v)) for d, v in {"": 17, **(domains or {})}.items())
    return number(1, 8) + chunk(2, "small_models") + number(5, 7) + chunk(7, graph) + opset + entries
