# SPDX-License-Identifier: Apache-2.0
"""Memories in Python: arrays over them, imports without a copy, copies, and what is refused."""

from __future__ import annotations

import gc

import anydim
import numpy as np
import pytest


def test_a_memory_is_zeros_and_arrays_over_it_share_its_bytes() -> None:
    memory = anydim.Memory(anydim.Engine(), 64)
    first = memory.array(np.float32)
    assert memory.nbytes == 64 and first.shape == (16,) and not first.any()
    second = memory.array(np.float32, (2, 3), offset=8)
    first[2:8] = np.arange(6)
    assert np.array_equal(second, np.arange(6).reshape(2, 3))
    del memory
    gc.collect()
    second[0, 0] = 7
    assert first[2] == 7


def test_an_array_is_imported_where_it_lies() -> None:
    engine = anydim.Engine()
    values = np.arange(12, dtype=np.float32)
    memory = anydim.Memory(engine, values)
    memory.array(np.float32)[3] = -1
    assert values[3] == -1
    with pytest.raises(anydim.InvalidArgumentError, match="read-only"):
        anydim.Memory(engine, b"bytes")


def test_memories_are_copied_and_calls_work_in_them() -> None:
    engine = anydim.Engine()
    source, target = anydim.Memory(engine, 32), anydim.Memory(engine, 32)
    x = source.array(np.float32, (2, 4))
    x[...] = [[-1, 2, -3, 4], [5, -6, 7, -8]]
    target.copy_from(source, 16, offset=16, source_offset=16)
    assert np.array_equal(target.array(np.float32), [0, 0, 0, 0, 5, -6, 7, -8])
    with pytest.raises(anydim.InvalidArgumentError, match="has 32") as caught:
        target.copy_from(source, 20, offset=16)
    assert caught.value.argument == "bytes" and caught.value.function == "anydim_memory_copy"
    with pytest.raises(anydim.InvalidArgumentError, match="bytes"):
        source.array(np.float32, (9,))


def test_failures_name_their_argument() -> None:
    engine = anydim.Engine()
    relu = engine.unary(anydim.f32(2, 3), "relu")
    with pytest.raises(anydim.Error) as caught:
        relu(np.zeros((2, 4), np.float32))
    assert caught.value.argument == "inputs[0]"
    assert caught.value.node == "" and caught.value.function.startswith("anydim_primitive_")
    assert not str(caught.value).startswith("anydim_")
