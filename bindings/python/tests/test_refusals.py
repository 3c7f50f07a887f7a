# SPDX-License-Identifier: Apache-2.0
"""Refusals say what to do: which sizes a model takes, what a file is, what to write in place of onnxruntime's arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest


def one_quotient() -> anydim.InferenceSession:
    """x [n, h], of which 48 rows are a block: the reshape takes one block."""
    model = anydim.ModelBuilder(opset=21)

    def numbers(*values: int) -> str:
        return model.constant(np.array(values, np.int64))

    h = model.node("Gather", model.node("Shape", model.input("x", ["n", "h"])), numbers(1), axis=0)
    blocks = model.node("Div", model.node("Add", h, numbers(15)), numbers(48))
    zeros = model.node(
        "Expand", model.constant(np.zeros((1, 1), np.float32)), model.node("Concat", blocks, numbers(2), axis=0)
    )
    model.output(model.node("Reshape", zeros, numbers(2)))
    return anydim.InferenceSession(model)


def test_a_refused_shape_is_answered_with_the_sizes_that_the_model_takes() -> None:
    session = one_quotient()
    for h in (33, 80):
        session.run(None, {"x": np.zeros((1, h), np.float32)})
    for h in (32, 81):
        with pytest.raises(
            anydim.InvalidArgumentError, match=f"^input 'x' dim 1 is {h}; this model takes 33 to 80; node '"
        ):
            session.run(None, {"x": np.zeros((1, h), np.float32)})


def test_what_is_no_onnx_file_is_named_with_its_path(tmp_path: Path) -> None:
    text = tmp_path / "notes.onnx"
    text.write_text("to do: export the model\n", encoding="utf-8")
    noise = tmp_path / "noise.onnx"
    noise.write_bytes(bytes([255, 1, 2, 3]) + os.urandom(500))
    for path in (text, noise):
        with pytest.raises(anydim.InvalidModelError, match="not an ONNX file") as caught:
            anydim.InferenceSession(path)
        assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("argument", "error", "advice"),
    [
        ({"threads": -1}, anydim.InvalidArgumentError, "leave it out"),
        ({"engines": "cuda"}, anydim.InvalidArgumentError, "Leave engines out for the CPU"),
        ({"engines": ["cpu", "cuda:1"]}, anydim.InvalidArgumentError, r"engines\[1\] is 'cuda:1'"),
        ({"providers": ["CPUExecutionProvider"]}, TypeError, "leave it out: models run on the CPU"),
        ({"sess_options": None}, TypeError, "threads="),
        ({"thread": 1}, TypeError, "no argument 'thread'"),
    ],
)
def test_arguments_that_there_are_not_say_what_to_do(argument: Any, error: type[Exception], advice: str) -> None:
    with pytest.raises(error, match=advice):
        anydim.InferenceSession(b"", **argument)


def test_run_async_needs_no_batching() -> None:
    code = """
import asyncio, anydim, numpy as np
model = anydim.ModelBuilder(opset=21)
model.output(model.node("Relu", model.input("x", ["n"])))
session = anydim.InferenceSession(model)
print(asyncio.run(session.run_async(None, {"x": np.array([-1, 2], np.float32)})))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "array([0., 2.]" in done.stdout
