# SPDX-License-Identifier: Apache-2.0
"""Networks that are run as streams have the bits of one run, however they are cut; and their first output needs a small part of it."""

from __future__ import annotations

import os
import random
from typing import Any

import anydim
import numpy as np
import pytest
from chunked_graphs import chunk_lengths, same_bits
from streaming import part
from streaming_models import Streamed, denoiser, encoder, small, vocoder

CUTS = 300


def cut_and_compare(
    session: anydim.InferenceSession, model: Streamed, most: int | None, cuts: int, longest: int
) -> None:
    generator = np.random.default_rng(int(os.environ.get("ANYDIM_SEED", random.SystemRandom().randrange(2**31))))
    stream = session.streaming()
    (axis,) = stream.axes.values()
    assert axis is not None
    x, whole = np.zeros(0), np.zeros(0)
    for i in range(cuts):
        if i % 10 == 0:  # another length
            length = int(generator.integers(1, longest // model.multiple + 1)) * model.multiple
            x = model.input(length, generator)
            whole = session.run(None, {"x": x})[0]
        length = x.shape[model.axis]
        lengths = chunk_lengths(generator, length, most)
        stream.reset()
        made: list[Any] = []
        at = 0
        for n in lengths:
            made += stream.push({"x": part(x, model.axis, at, n)})
            at += n
        made += stream.finish()
        assert same_bits(np.concatenate(made, axis=axis), whole), f"{model.name}: {length} by {lengths}"


@pytest.mark.parametrize("model", small(), ids=lambda m: m.name)
def test_300_random_cuts_have_the_bits_of_the_whole(model: Streamed) -> None:
    longest = 60 if model.name == "vocoder" else 640 if model.name == "denoiser" else 120
    session = anydim.InferenceSession(model.data, streaming={"x": model.axis})
    cut_and_compare(session, model, None, CUTS, longest)


@pytest.mark.parametrize("model", small(), ids=lambda m: m.name)
def test_within_bounds_nothing_grows(model: Streamed) -> None:
    bounds = {"x": [(0, 640) if i == model.axis else (d, d) for i, d in enumerate(model.dims)]}
    session = anydim.InferenceSession(model.data, streaming={"x": model.axis}, streaming_chunk=17, bounds=bounds)
    needed = session.streaming().bytes_needed
    cut_and_compare(session, model, 17, 20, 120)
    stream = session.streaming()
    stream.push({"x": model.input(0, np.random.default_rng(1))})
    assert 0 < stream.info()["bytes"] < needed


@pytest.mark.parametrize("model", [vocoder(), encoder(), denoiser()], ids=lambda m: m.name)
def test_the_first_output_needs_a_tenth_of_the_input_at_most(model: Streamed) -> None:
    """By elements, which is no time: 200 frames, 1,000 frames, 4 seconds at 16,000 samples."""
    length = {"vocoder": 200, "encoder of LSTM": 1000, "denoiser": 64000}[model.name]
    session = anydim.InferenceSession(model.data, streaming={"x": model.axis})
    stream = session.streaming()
    assert stream.info()["first_after"] <= length / 10
    x = model.input(stream.info()["first_after"], np.random.default_rng(2))
    assert stream.push({"x": part(x, model.axis, 0, x.shape[model.axis] - 1)})[0].size == 0
    assert stream.push({"x": part(x, model.axis, x.shape[model.axis] - 1, 1)})[0].size > 0
