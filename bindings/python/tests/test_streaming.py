# SPDX-License-Identifier: Apache-2.0
"""Models by chunks: `InferenceSession.stream`."""

from __future__ import annotations

import functools
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest
from numpy.typing import NDArray
from small_models import model, node, tensor, value

F32 = 1
FloatArray = NDArray[np.float32]
WEIGHTS = np.random.default_rng(3).standard_normal((4, 2, 5)).astype(np.float32)


@pytest.fixture
def generator() -> np.random.Generator:
    seed = int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31)))
    print(f"ANYDIM_SEED={seed}")
    return np.random.default_rng(seed)


def convolution(pads: tuple[int, int] = (2, 2), batch: int | str = 1) -> bytes:
    """y = relu(conv(x)) over [batch, 2, t], 5 taps wide."""
    return model(
        [node("Conv", ["x", "w"], ["c"], pads=pads), node("Relu", ["c"], ["y"])],
        constants=[tensor("w", WEIGHTS)],
        inputs=[value("x", F32, [batch, 2, "t"])],
        outputs=[value("y", F32, [batch, 4, "t"])],
    )


def recurrent() -> bytes:
    """y [t, 1, 1, 3] of a GRU over x [t, 1, 2], and its last state, which comes at the end; z is a term that stays."""
    numbers = np.random.default_rng(5)
    return model(
        [
            node("Add", ["x", "z"], ["s"]),
            node("GRU", ["s", "w", "r"], ["y", "last"], hidden_size=3),
        ],
        constants=[
            tensor("w", numbers.standard_normal((1, 9, 2)).astype(np.float32)),
            tensor("r", numbers.standard_normal((1, 9, 3)).astype(np.float32)),
        ],
        inputs=[value("x", F32, ["t", 1, 2]), value("z", F32, [1, 1, 2])],
        outputs=[value("y", F32, ["t", 1, 1, 3]), value("last", F32, [1, 1, 3])],
    )


def same(a: FloatArray, b: FloatArray) -> bool:
    return a.shape == b.shape and bool((a.view(np.uint32) == b.view(np.uint32)).all())


def by_chunks(stream: anydim.Streaming, x: FloatArray, lengths: list[int]) -> FloatArray:
    made, at = [], 0
    for n in lengths:
        made += stream.push({"x": x[:, :, at : at + n]})
        at += n
    return np.concatenate([*made, *stream.finish()], axis=2)


@pytest.mark.parametrize("pads", [(2, 2), (4, 0), (0, 0), (0, 4)])
def test_chunks_have_the_bits_of_the_whole(generator: np.random.Generator, pads: tuple[int, int]) -> None:
    session = anydim.InferenceSession(convolution(pads, "n"), streaming={"x": 2})
    stream = session.streaming()
    x = generator.standard_normal((2, 2, 50), np.float32)
    whole = session.run(None, {"x": x})[0]
    for lengths in ([50], [1] * 50, [0, 7, 7, 0, 7, 29], [13, 37], [0, 0, 50, 0]):
        assert same(by_chunks(stream, x, lengths), whole)
        stream.reset()


def test_a_chunk_gives_what_it_makes_computable() -> None:
    stream = anydim.InferenceSession(convolution(), streaming={"x": 2}).streaming()
    x = np.ones((1, 2, 10), np.float32)
    assert stream.push({"x": x[:, :, :2]})[0].shape == (1, 4, 0)
    assert stream.push({"x": x[:, :, :1]})[0].shape == (1, 4, 1)
    assert stream.info()["first_after"] == 3
    assert stream.push({"x": x[:, :, :4]})[0].shape == (1, 4, 4)
    assert stream.finish()[0].shape == (1, 4, 2)
    causal = anydim.InferenceSession(convolution((4, 0)), streaming={"x": 2}).streaming()
    assert causal.push({"x": x[:, :, :1]}, last=True)[0].shape == (1, 4, 1)


def test_an_output_without_the_axis_comes_at_the_end(generator: np.random.Generator) -> None:
    session = anydim.InferenceSession(recurrent(), streaming={"x": 0})
    stream = session.streaming()
    x, z = generator.standard_normal((9, 1, 2), np.float32), np.full((1, 1, 2), 0.5, np.float32)
    y, last = session.run(None, {"x": x, "z": z})
    assert stream.axes == {"y": 0, "last": None}
    first = stream.push({"x": x[:5], "z": z})
    assert first[1] is None
    rest = stream.push({"x": x[5:]})  # z stays
    ended = stream.finish()
    assert same(np.concatenate([first[0], rest[0], ended[0]]), y)
    assert same(ended[1], last)


def test_the_axis_has_a_name_and_a_file_is_loaded_for_it(tmp_path: Path, generator: np.random.Generator) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(convolution())
    x = generator.standard_normal((1, 2, 20), np.float32)
    with anydim.InferenceSession(path) as session:
        whole = session.run(None, {"x": x})[0]
        stream = session.streaming("t", streaming_chunk=8)
        assert same(by_chunks(stream, x, [8, 8, 4]), whole)
        other = session.streaming({"x": 2}, streaming_chunk=8)
        assert other._session is stream._session, "one model for all sequences of an axis"
        with pytest.raises(
            anydim.OutOfBoundsError, match="input 'x' has 9 new elements along axis 2; a chunk has 8 at most"
        ):
            other.push({"x": x[:, :, :9]})
        assert same(by_chunks(other, x, [8, 8, 4]), whole)
        with pytest.raises(anydim.InvalidArgumentError, match="no input has a dim 'length'"):
            session.streaming("length")
        with pytest.raises(anydim.InvalidArgumentError, match="streaming_chunk is -1"):
            session.streaming("t", streaming_chunk=-1)


def test_memory_is_known_before(generator: np.random.Generator) -> None:
    session = anydim.InferenceSession(convolution(), streaming={"x": 2}, streaming_chunk=16)
    stream = session.streaming()
    needed = stream.bytes_needed
    x = generator.standard_normal((1, 2, 300), np.float32)
    for lengths in ([16] * 18 + [12], [1] * 300, [5] * 60):
        by_chunks(stream, x, lengths)
        assert 0 < stream.info()["bytes"] < needed
        stream.reset()
    unbounded = anydim.InferenceSession(convolution(), streaming={"x": 2}).streaming()
    with pytest.raises(anydim.InvalidArgumentError, match="chunks may have any size"):
        _ = unbounded.bytes_needed
    batched = anydim.InferenceSession(convolution((2, 2), "n"), streaming={"x": 2}, streaming_chunk=16).streaming()
    with pytest.raises(anydim.InvalidArgumentError, match="expected bounds of the session"):
        _ = batched.bytes_needed
    bounds = {"x": [(1, 4), 2, (0, 400)]}
    within = anydim.InferenceSession(convolution((2, 2), "n"), streaming={"x": 2}, streaming_chunk=16, bounds=bounds)
    assert within.streaming().bytes_needed > needed


def test_a_cancelled_chunk_leaves_the_sequence_as_it_was(generator: np.random.Generator) -> None:
    session = anydim.InferenceSession(convolution(), streaming={"x": 2})
    stream = session.streaming()
    x = generator.standard_normal((1, 2, 30), np.float32)
    whole = session.run(None, {"x": x})[0]
    options = anydim.RunOptions()
    options.terminate = True
    first = stream.push({"x": x[:, :, :11]})[0]
    with pytest.raises(anydim.CancelledError):
        stream.push({"x": x[:, :, 11:20]}, options)
    assert stream.info()["received"] == 11
    rest = stream.push({"x": x[:, :, 11:]})[0]
    assert same(np.concatenate([first, rest, stream.finish()[0]], axis=2), whole)


def occupied(others: list[Callable[[], object]], call: Callable[[], object]) -> None:
    """`call`, many times while others want the only context, ends with a timeout."""
    stop = threading.Event()

    def run(other: Callable[[], object]) -> None:
        while not stop.is_set():
            other()

    threads = [threading.Thread(target=run, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    try:
        with pytest.raises(TimeoutError):
            for _ in range(1000):
                call()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_chunks_and_steps_that_wait_too_long_are_timeouts(generator: np.random.Generator) -> None:
    options = anydim.RunOptions()
    options.timeout = 0.0
    long = generator.standard_normal((1, 2, 200_000), np.float32)
    session = anydim.InferenceSession(convolution(), streaming={"x": 2}, streaming_chunk=200_000, contexts=1, threads=1)
    stream, *streams = [session.streaming() for _ in range(4)]
    occupied(
        [functools.partial(other.push, {"x": long}) for other in streams],
        lambda: stream.push({"x": long[:, :, :8]}, options),
    )

    sums = model(
        [node("Add", ["h", "x"], ["next"])],
        inputs=[value("h", F32, [1, "n"]), value("x", F32, [1, "n"])],
        outputs=[value("next", F32, [1, "n"])],
    )
    session = anydim.InferenceSession(sums, contexts=1, threads=1)
    state = session.state({"h": "next"})
    x = np.ones((1, 2_000_000), np.float32)
    state.step({"x": x[:, :4]})
    run = functools.partial(session.run, None, {"h": x, "x": x})
    occupied([run] * 3, lambda: state.step({"x": x[:, :4]}, run_options=options))


def test_sequences_run_beside_each_other(generator: np.random.Generator) -> None:
    session = anydim.InferenceSession(convolution(), streaming={"x": 2}, contexts=2, threads=1)
    x = [generator.standard_normal((1, 2, 40 + i), np.float32) for i in range(4)]
    whole = [session.run(None, {"x": a})[0] for a in x]
    results: list[Any] = [None] * len(x)

    def run(i: int) -> None:
        stream = session.streaming()
        for _ in range(5):
            results[i] = by_chunks(stream, x[i], [3] * 13 + [1 + i])
            stream.reset()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(x))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(same(a, b) for a, b in zip(results, whole, strict=True))


def test_what_needs_the_whole_axis_is_named() -> None:
    nodes = [
        node("GlobalAveragePool", ["x"], ["m"], name="squeeze"),
        node("Softmax", ["x"], ["s"], name="scores", axis=2),
        node("LSTM", ["t", "w", "r"], ["", "h"], name="both", hidden_size=1, direction="reverse"),
        node("Transpose", ["x"], ["t"], name="turn", perm=[2, 0, 1]),
    ]
    nodes = [nodes[0], nodes[1], nodes[3], nodes[2]]
    constants = [tensor("w", np.ones((1, 4, 2), np.float32)), tensor("r", np.ones((1, 4, 1), np.float32))]
    inputs = [value("x", F32, [1, 2, "t"])]
    outputs = [value("m", F32, [1, 2, 1]), value("s", F32, [1, 2, "t"]), value("h", F32, [1, 1, 1])]
    with pytest.raises(anydim.UnimplementedError) as refused:
        data = model(nodes, constants=constants, inputs=inputs, outputs=outputs)
        anydim.InferenceSession(data, streaming={"x": 2})
    for text in (
        "the model cannot be computed by chunks",
        "'squeeze (GlobalAveragePool)' pools over the whole axis",
        "'scores (Softmax)' is a softmax over the whole axis",
        "'both (LSTM)' takes its steps from the end of the axis",
    ):
        assert text in str(refused.value)


def test_misuse_is_said() -> None:
    session = anydim.InferenceSession(convolution(), streaming={"x": 2})
    stream = session.streaming()
    x = np.ones((1, 2, 4), np.float32)
    with pytest.raises(anydim.InvalidArgumentError, match="no chunk was pushed"):
        stream.finish()
    with pytest.raises(anydim.InvalidArgumentError, match="feeds has 'q', which is no input"):
        stream.push({"q": x})
    with pytest.raises(anydim.InvalidArgumentError, match="feeds lacks the input 'x'"):
        stream.push({})
    stream.push({"x": x}, last=True)
    with pytest.raises(anydim.InvalidArgumentError, match="the stream has ended; reset begins another"):
        stream.push({"x": x})
    plain = anydim.InferenceSession(convolution())
    with pytest.raises(anydim.InvalidArgumentError, match="the session was made without streaming="):
        plain.streaming()
    with pytest.raises(anydim.InvalidArgumentError, match="make the session with streaming="):
        plain.streaming("t")
    for axes, text in (({"x": 1}, "dim 1 of input 'x' is 2 in the model"), ({"q": 2}, "the model has no input 'q'")):
        with pytest.raises(anydim.Error, match=text):
            anydim.InferenceSession(convolution(), streaming=axes)
