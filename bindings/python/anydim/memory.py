# SPDX-License-Identifier: Apache-2.0
"""Memory of an engine as an object: allocated by it, or the caller's imported without a copy."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from . import _capi
from .arrays import Array
from .dims import whole_number
from .errors import InvalidArgumentError
from .primitives import Engine

if sys.version_info >= (3, 12):
    from collections.abc import Buffer
elif TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    Buffer = Any  # older Pythons have no name for it


class Memory:
    """Bytes of an engine: `anydim.Memory(engine, 4096)`, full of zeros, or `anydim.Memory(engine, array)`, which are the
    array's own."""

    def __init__(self, engine: Engine, source: int | Buffer) -> None:
        self._engine = engine
        self._source: Any = None
        if hasattr(source, "__index__") and not isinstance(source, np.ndarray):
            self._handle = _capi.memory_allocate(engine._handle, whole_number(source, "source"))
            return
        # The array keeps the bytes where they are.
        self._source = np.frombuffer(memoryview(source), np.uint8)
        if not self._source.flags.writeable:
            raise InvalidArgumentError("source is read-only memory; expected memory that may be written")
        self._handle = _capi.memory_import(engine._handle, self._source.ctypes.data, self._source.nbytes)

    @property
    def nbytes(self) -> int:
        """Its size."""
        return _capi.memory_query(self._handle)["bytes"]

    def array(self, dtype: DTypeLike, shape: tuple[int, ...] = (-1,), offset: int = 0) -> Array:
        """The bytes from `offset` on as an array, which keeps the memory alive."""
        size = self.nbytes - offset
        if offset < 0 or size < 0:
            raise InvalidArgumentError(f"offset is {offset}; the memory has {self.nbytes} bytes")
        kind = np.dtype(dtype)
        count = size // kind.itemsize if -1 in shape else int(np.prod(shape))
        if count * kind.itemsize > size:
            raise InvalidArgumentError(f"shape is {shape}, of {count * kind.itemsize} bytes; there are {size}")
        address = _capi.memory_map(self._handle, offset, count * kind.itemsize)
        block: Any = (ctypes.c_char * (count * kind.itemsize)).from_address(address)
        block.memory = self  # numpy keeps the block, and the block this
        return np.frombuffer(block, kind, count).reshape(shape)

    def copy_from(self, source: Memory, nbytes: int, offset: int = 0, source_offset: int = 0) -> None:
        """Copies bytes of another memory, or of this one, into this one."""
        stream = self._engine._stream()
        _capi.memory_copy(stream, self._handle, offset, source._handle, source_offset, nbytes)
        _capi.stream_wait(stream)
