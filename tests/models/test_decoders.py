# SPDX-License-Identifier: Apache-2.0
"""Decoders with a cache: the logits of a sequence are the same bits whether its tokens came in one call, in pieces or one by one,
alone or in a batch, on one thread or two, with any instruction set; and they are ONNX Runtime's up to roundings."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from decoder_models import SMALL, WEIGHTS, Decoding, Shape, gpt2, llama  # noqa: E402

MODELS = {"llama": llama, "gpt2": gpt2}
LENGTH = 45
# Weights of few bits stay so where as f32 they take more than 16 MB.
WIDE = Shape(layers=1, width=256, heads=4, key_heads=2, hidden=512, words=16001, positions=64)


def tokens(batch: int) -> Any:
    return np.random.default_rng(5).integers(0, SMALL.words, (batch, LENGTH))


def in_pieces(session: Any, ids: Any, pieces: list[int]) -> Any:
    decoding, parts, at = Decoding(session, ids.shape[0]), [], 0
    for count in pieces:
        parts.append(decoding.step(ids[:, at : at + count]))
        at += count
    assert at == LENGTH
    return np.concatenate(parts, 1)


def model_of(kind: str, weights: str) -> bytes:
    return MODELS[kind](SMALL if weights == "f32" else WIDE, weights=weights)


def digests() -> list[str]:
    """Of the logits of each model with each form of weights."""
    found = []
    for kind in MODELS:
        for weights in WEIGHTS:
            session = anydim.InferenceSession(model_of(kind, weights), threads=1)
            logits = in_pieces(session, tokens(2), [20, *[1] * 5, LENGTH - 25])
            found.append(hashlib.sha256(logits.tobytes()).hexdigest())
    return found


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", MODELS)
def test_pieces_batches_and_threads_change_no_bit_of_the_logits(kind: str, weights: str) -> None:
    ids = tokens(3)
    session = anydim.InferenceSession(model_of(kind, weights), threads=1)
    whole = in_pieces(session, ids, [LENGTH])
    kernels = [node["kernel"] for node in session.explain()["nodes"]]
    assert any(name.startswith("gemm.numbers") for name in kernels) == (weights != "f32")
    assert np.isfinite(whole).all()
    threads = anydim.InferenceSession(model_of(kind, weights), threads=2)
    for by in (session, threads):
        for pieces in ([LENGTH], [17, 1, 1, 20, 6], [1] * LENGTH):
            assert (in_pieces(by, ids, pieces) == whole).all(), pieces
            assert (in_pieces(by, ids[1:2], pieces) == whole[1:2]).all(), pieces


@pytest.fixture(scope="module")
def own_digests() -> list[str]:
    return digests()


@pytest.mark.parametrize("isa", ["avx2", "portable"])
def test_instruction_sets_change_no_bit_of_the_logits(isa: str, own_digests: list[str]) -> None:
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_decoders as t; print(*t.digests())"
    environment = {**os.environ, "ANYDIM_MAX_ISA": isa}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == own_digests


@pytest.mark.parametrize("kind", MODELS)
def test_logits_are_those_of_onnx_runtime(kind: str) -> None:
    import onnxruntime as ort

    model, ids = MODELS[kind](SMALL), tokens(2)
    mine = in_pieces(anydim.InferenceSession(model), ids, [30, 1, 14])
    theirs = in_pieces(ort.InferenceSession(model, providers=["CPUExecutionProvider"]), ids, [30, *[1] * 15])
    assert np.abs(mine - theirs).max() <= 2e-5 * np.abs(theirs).max()


@pytest.mark.parametrize("kind", MODELS)
def test_bounds_hold_at_every_length_and_nothing_grows(kind: str) -> None:
    model, most = MODELS[kind](SMALL), 64
    bounds: dict[str, Any] = {}
    for i in anydim.InferenceSession(model).get_inputs():
        if i.name.startswith("past."):
            bounds[i.name] = (1, i.shape[1], (0, most), i.shape[3])
        elif len(i.shape) > 0:
            bounds[i.name] = (1, (1, most))[: len(i.shape)]
    session = anydim.InferenceSession(model, bounds=bounds, contexts=1)
    held = session.arena_bytes
    in_pieces(session, tokens(1), [20, *[1] * (LENGTH - 20)])
    assert session.growths == 0
    assert session.arena_bytes == held <= session.bytes_needed + 4096  # whole pages


def test_the_example_writes_the_text_that_one_call_after_the_other_gives() -> None:
    command = [sys.executable, str(ROOT / "examples" / "generate" / "generate.py"), "--random", "--tokens", "12"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0] == "The weights are random; so is the text."
    assert len(ast.literal_eval(lines[1])) == 12
    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert again[1] == lines[1]


@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_of_unknown_numbers_of_heads_has_the_bits_of_known_ones(groups: int, causal: int) -> None:
    from onnx import TensorProto, helper

    def model(heads: int | str, key_heads: int | str) -> bytes:
        dims = {
            "q": ["b", heads, "s", 16],
            "k": ["b", key_heads, "t", 16],
            "v": ["b", key_heads, "t", 16],
            "m": ["s", "t"],
        }
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in dims.items()]
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", heads, "s", 16])
        node = helper.make_node("Attention", ["q", "k", "v", "m"], ["y"], is_causal=causal)
        graph = helper.make_graph([node], "attention", inputs, [output])
        made: bytes = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10
        ).SerializeToString()
        return made

    seed = int(np.random.default_rng().integers(1 << 30))
    print("seed", seed)
    random = np.random.default_rng(seed)
    known, unknown = anydim.InferenceSession(model(6, 6 // groups)), anydim.InferenceSession(model("h", "g"))
    for batch, queries, keys in ((1, 1, 40), (2, 7, 7), (3, 20, 33)):
        x = {
            "q": random.standard_normal((batch, 6, queries, 16), np.float32),
            "k": random.standard_normal((batch, 6 // groups, keys, 16), np.float32),
            "v": random.standard_normal((batch, 6 // groups, keys, 16), np.float32),
            "m": random.standard_normal((queries, keys), np.float32),
        }
        assert (known.run(None, x)[0] == unknown.run(None, x)[0]).all()
