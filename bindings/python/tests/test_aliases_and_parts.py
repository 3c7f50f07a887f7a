# SPDX-License-Identifier: Apache-2.0
"""Outputs that lie in the memory of an input where the caller asks for it, and inputs that come in parts."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Sequence
from typing import Any

import anydim
import numpy as np
import pytest
from small_models import model, node, tensor, value

F32 = 1
DIMS = ["n", "c", "h", "w"]


@pytest.fixture
def generator() -> np.random.Generator:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    return np.random.default_rng(seed)


def session(
    nodes: Sequence[bytes], rank: int, constants: Sequence[bytes] = (), **options: Any
) -> anydim.InferenceSession:
    outputs = [value("y", F32, [f"d{i}" for i in range(rank)])]
    return anydim.InferenceSession(
        model(nodes, inputs=[value("x", F32, DIMS)], outputs=outputs, constants=constants), **options
    )


def whole(name: str, *numbers: int) -> bytes:
    return tensor(name, np.array(numbers, np.int64))


TRANSPOSE = [node("Transpose", ["x"], ["y"], perm=[0, 2, 3, 1])]
RESHAPE = [node("Reshape", ["x", "to"], ["y"])]
SLICE = [node("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"])]
SLICED = [whole("starts", 1, -1), whole("ends", 9, -9999), whole("axes", 1, 3), whole("steps", 2, -1)]
VIEWS = {
    "transpose": (TRANSPOSE, 4, [], lambda x: x.transpose(0, 2, 3, 1)),
    "reshape": (RESHAPE, 2, [whole("to", 0, -1)], lambda x: x.reshape(x.shape[0], -1)),
    "slice": (SLICE, 4, SLICED, lambda x: x[:, 1:9:2, :, ::-1]),
    "identity": ([node("Identity", ["x"], ["y"])], 4, [], lambda x: x),
    "transpose, then slice": (
        [
            node("Transpose", ["x"], ["t"], perm=[0, 3, 2, 1]),
            node("Slice", ["t", "starts", "ends", "axes", "steps"], ["y"]),
        ],
        4,
        SLICED,
        lambda x: x.transpose(0, 3, 2, 1)[:, 1:9:2, :, ::-1],
    ),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("threads", [1, 2])
def test_an_output_that_is_a_view_of_an_input_lies_in_it_where_that_is_asked(
    name: str, threads: int, generator: np.random.Generator
) -> None:
    nodes, rank, constants, expected = VIEWS[name]
    ready = session(nodes, rank, constants, threads=threads)
    for dims in [(2, 3, 4, 5), (1, 9, 1, 2), (3, 2, 5, 5)]:
        x = generator.standard_normal(dims).astype(np.float32)
        for given in (x, np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2), x[..., ::-1], x[:, ::-1]):
            (plain,) = ready.run(None, {"x": given})
            (y,) = ready.run(None, {"x": given}, aliases=True)
            np.testing.assert_array_equal(y, expected(given))
            np.testing.assert_array_equal(plain, y)
            assert not np.shares_memory(plain, given)
            view = expected(given)
            if np.shares_memory(view, given):  # else numpy copies, too
                assert np.shares_memory(y, given), (name, dims, given.strides)
                assert ready.explain()["layout_bytes"] == 0
            else:
                assert not np.shares_memory(y, given)


def test_such_an_output_keeps_its_input_alive_and_may_be_written_as_that_may(generator: np.random.Generator) -> None:
    ready = session(TRANSPOSE, 4)
    x = generator.standard_normal((2, 3, 4, 5)).astype(np.float32)
    (y,) = ready.run(None, {"x": x}, aliases=True)
    expected = x.transpose(0, 2, 3, 1).copy()
    y[0, 0, 0, 0] = 7
    assert x[0, 0, 0, 0] == 7
    expected[0, 0, 0, 0] = 7
    del x, ready
    gc.collect()
    np.testing.assert_array_equal(y, expected)
    frozen = expected.copy()
    frozen.flags.writeable = False
    (y,) = session(TRANSPOSE, 4).run(None, {"x": frozen}, aliases=True)
    assert np.shares_memory(y, frozen)
    assert not y.flags.writeable


def test_what_is_computed_from_such_an_output_and_other_outputs_are_right(generator: np.random.Generator) -> None:
    nodes = [*TRANSPOSE, node("Relu", ["y"], ["z"]), node("Neg", ["x"], ["n"])]
    outputs = [value(name, F32, [f"{name}{i}" for i in range(4)]) for name in ("y", "z", "n")]
    ready = anydim.InferenceSession(model(nodes, inputs=[value("x", F32, DIMS)], outputs=outputs))
    for dims in [(2, 3, 4, 5), (1, 1, 3, 1)]:
        x = generator.standard_normal(dims).astype(np.float32)
        y, z, n = ready.run(None, {"x": x}, aliases=True)
        np.testing.assert_array_equal(y, x.transpose(0, 2, 3, 1))
        np.testing.assert_array_equal(z, np.maximum(y, 0))
        np.testing.assert_array_equal(n, -x)
        assert not np.shares_memory(z, x)
        assert not np.shares_memory(n, x)
    (z,) = ready.run(["z"], {"x": x}, aliases=True)
    np.testing.assert_array_equal(z, np.maximum(x.transpose(0, 2, 3, 1), 0))


def test_without_elements_and_beside_batches_the_results_are_the_same(generator: np.random.Generator) -> None:
    ready = session(TRANSPOSE, 4)
    (y,) = ready.run(None, {"x": np.zeros((0, 3, 4, 5), np.float32)}, aliases=True)
    assert y.shape == (0, 4, 5, 3)
    joined = session(TRANSPOSE, 4, batching=4)
    x = generator.standard_normal((1, 3, 4, 5)).astype(np.float32)
    (y,) = joined.run(None, {"x": x}, aliases=True)
    np.testing.assert_array_equal(y, x.transpose(0, 2, 3, 1))


CONV = [node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])]
WEIGHTS = [tensor("w", np.random.default_rng(3).standard_normal((4, 3, 3, 3)).astype(np.float32))]


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
def test_an_input_in_parts_is_their_concatenation(axis: int, generator: np.random.Generator) -> None:
    ready = session(CONV, 4, WEIGHTS)
    for _ in range(6):
        dims = [int(n) for n in generator.integers(1, 7, 4)]
        dims[1] = 3
        x = generator.standard_normal(dims).astype(np.float32)
        cuts = sorted(int(n) for n in generator.integers(0, x.shape[axis] + 1, 2))
        pieces = np.split(x, cuts, axis)
        (expected,) = ready.run(None, {"x": x})
        apart = [piece.copy() if generator.integers(2) else np.asfortranarray(piece.copy()) for piece in pieces]
        (y,) = ready.run(None, {"x": anydim.Parts(apart, axis)})
        np.testing.assert_array_equal(y, expected)
        backwards = [piece[::-1].copy()[::-1] for piece in pieces]
        (y,) = ready.run(None, {"x": anydim.Parts(backwards, axis)})
        np.testing.assert_array_equal(y, expected)
        (y,) = ready.run(None, {"x": anydim.Parts(pieces, axis)})
        np.testing.assert_array_equal(y, expected)
        assert ready.explain()["gathered_bytes"] == 0, "they lie as one array"


def test_parts_at_equal_distances_are_read_where_they_are_and_others_are_gathered_once(
    generator: np.random.Generator,
) -> None:
    ready = session(CONV, 4, WEIGHTS)
    room = generator.standard_normal((6, 3, 5, 5)).astype(np.float32)
    (y,) = ready.run(None, {"x": anydim.Parts([room[4:5], room[2:3], room[0:1]])})
    np.testing.assert_array_equal(y, ready.run(None, {"x": room[4::-2]})[0])
    ready.run(None, {"x": anydim.Parts([room[4:5], room[2:3], room[0:1]])})
    assert ready.explain()["gathered_bytes"] == 0
    (y,) = ready.run(None, {"x": anydim.Parts([room[0:1], room[1:2], room[5:6]])})
    assert ready.explain()["gathered_bytes"] == 2 * 3 * room[0].nbytes, "read and written"
    np.testing.assert_array_equal(y, ready.run(None, {"x": room[[0, 1, 5]]})[0])
    ready.run(None, {"x": room})
    assert ready.explain()["gathered_bytes"] == 0


def test_parts_that_do_not_fit_are_refused_by_name() -> None:
    ready = session(CONV, 4, WEIGHTS)
    x = np.zeros((1, 3, 5, 5), np.float32)
    with pytest.raises(anydim.InvalidArgumentError, match="all but axis 0 are equal"):
        ready.run(None, {"x": anydim.Parts([x, x[:, :, :4]])})
    with pytest.raises(anydim.InvalidArgumentError, match="axis"):
        ready.run(None, {"x": anydim.Parts([x, x], axis=4)})
    with pytest.raises(anydim.InvalidArgumentError, match="dtype"):
        ready.run(None, {"x": anydim.Parts([x, x.astype(np.float64)])})
    with pytest.raises(anydim.InvalidArgumentError, match="arrays is empty"):
        anydim.Parts([])
    with pytest.raises(anydim.InvalidArgumentError, match="'z'"):
        ready.run(None, {"x": x, "z": anydim.Parts([x])})


def test_an_output_lies_in_parts_only_where_these_lie_as_one(generator: np.random.Generator) -> None:
    ready = session(TRANSPOSE, 4)
    x = generator.standard_normal((4, 3, 4, 5)).astype(np.float32)
    (y,) = ready.run(None, {"x": anydim.Parts([x[:1], x[1:]])}, aliases=True)
    np.testing.assert_array_equal(y, x.transpose(0, 2, 3, 1))
    assert np.shares_memory(y, x)
    assert not y.flags.writeable
    (y,) = ready.run(None, {"x": anydim.Parts([x[:1].copy(), x[1:]])}, aliases=True)
    np.testing.assert_array_equal(y, x.transpose(0, 2, 3, 1))
    assert not np.shares_memory(y, x)
