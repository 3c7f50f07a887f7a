# SPDX-License-Identifier: Apache-2.0
"""Program files: loaded in a model's place by path and as bytes, with the model's bits; refused with a sentence where they are damaged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest
from small_models import model, node, tensor, value


def matmul(weights: np.ndarray[Any, Any]) -> bytes:
    return model(
        [node("MatMul", ["x", "w"], ["p"]), node("Relu", ["p"], ["y"])],
        constants=[tensor("w", weights)],
        inputs=[value("x", 1, ("n", weights.shape[0]))],
        outputs=[value("y", 1, ("n", weights.shape[1]))],
    )


@pytest.fixture
def saved(tmp_path: Path) -> tuple[anydim.InferenceSession, Path]:
    weights = np.random.default_rng(48).standard_normal((40, 70)).astype(np.float32)
    session = anydim.InferenceSession(matmul(weights))
    session.save_program(tmp_path / "model.anydim")
    return session, tmp_path / "model.anydim"


def test_a_program_file_has_the_bits_and_the_names_of_its_model(saved: tuple[anydim.InferenceSession, Path]) -> None:
    session, path = saved
    x = np.random.default_rng(49).standard_normal((5, 40)).astype(np.float32)
    (y,) = session.run(None, {"x": x})
    for given in (path, str(path), path.read_bytes()):
        loaded = anydim.InferenceSession(given)
        assert [i.name for i in loaded.get_inputs()] == ["x"]
        assert loaded.get_inputs()[0].shape == session.get_inputs()[0].shape
        for rows in (5, 1, 3):
            assert loaded.run(None, {"x": x[:rows]})[0].tobytes() == session.run(None, {"x": x[:rows]})[0].tobytes()
        assert loaded.run(None, {"x": x})[0].tobytes() == y.tobytes()
    assert loaded.describe()["file_operators"] == session.describe()["file_operators"]


def test_damage_and_options_that_come_too_late_are_refused(saved: tuple[anydim.InferenceSession, Path]) -> None:
    session, path = saved
    bytes_of_file = path.read_bytes()
    with pytest.raises(anydim.InvalidModelError, match="it is damaged"):
        anydim.InferenceSession(bytes_of_file[:-1])
    with pytest.raises(anydim.InvalidModelError, match="it is damaged"):
        anydim.InferenceSession(bytes_of_file[:90] + bytes([bytes_of_file[90] ^ 1]) + bytes_of_file[91:])
    with pytest.raises(anydim.InvalidArgumentError, match=r"options\.math cannot be asked of a program file"):
        anydim.InferenceSession(path, math="fast")
    with pytest.raises(anydim.FileError, match="cannot write"):
        session.save_program(path / "no" / "such")


def test_all_that_cannot_be_saved_is_named_at_once(tmp_path: Path) -> None:
    def same(x: anydim.Operand, **_: Any) -> tuple[Any, Any]:
        return x.dtype, x.shape

    operators = {("my.domain", name): anydim.CustomOperator(lambda x: x, same) for name in ("Once", "Twice")}
    nodes = [
        node("Once", ["x"], ["a"], domain="my.domain"),
        node("Relu", ["a"], ["b"]),
        node("Twice", ["b"], ["y"], domain="my.domain"),
    ]
    made = model(nodes, inputs=[value("x", 1, ("n", 3))], outputs=[value("y", 1, ("n", 3))], domains={"my.domain": 2})
    session = anydim.InferenceSession(made, operators=operators)
    with pytest.raises(anydim.UnimplementedError, match=r"the Once.*an operator of the program's own; the Twice"):
        session.save_program(tmp_path / "model.anydim")
    assert not list(tmp_path.iterdir())


def test_another_process_loads_the_file(saved: tuple[anydim.InferenceSession, Path]) -> None:
    _, path = saved
    script = "import sys, anydim; print(anydim.InferenceSession(sys.argv[1]).get_outputs()[0].name)"
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=True, capture_output=True, text=True)
    assert done.stdout == "y\n"


def test_a_program_file_keeps_how_outputs_lie_and_reads_inputs_of_any_order(tmp_path: Path) -> None:
    chain = model(
        [node("Mul", ["x", "s"], ["m"]), node("Relu", ["m"], ["y"])],
        constants=[tensor("s", np.linspace(0.5, 2, 6, dtype=np.float32).reshape(6, 1, 1))],
        inputs=[value("x", 1, ("n", 6, "h", "w"))],
        outputs=[value("y", 1, ("n", 6, "h", "w"))],
    )
    filters = np.random.default_rng(50).standard_normal((8, 6, 3, 3)).astype(np.float32)
    convolution = model(
        [node("Conv", ["x", "w"], ["y"])],
        constants=[tensor("w", filters)],
        inputs=[value("x", 1, ("n", 6, "h", "w"))],
        outputs=[value("y", 1, ("n", 8, "a", "b"))],
    )
    for number, source in enumerate((chain, convolution)):
        session = anydim.InferenceSession(source)
        session.save_program(tmp_path / f"{number}.anydim")
        loaded = anydim.InferenceSession(tmp_path / f"{number}.anydim")
        for dims in ((2, 6, 5, 7), (1, 6, 9, 4)):
            x = np.random.default_rng(51).standard_normal(dims).astype(np.float32)
            for axes in ((0, 1, 2, 3), (0, 2, 3, 1), (1, 0, 3, 2), (3, 2, 1, 0)):
                ordered = np.ascontiguousarray(x.transpose(axes)).transpose(np.argsort(axes))
                for given in (ordered, ordered[:, :, ::-1]):
                    (want,), (got,) = session.run(None, {"x": given}), loaded.run(None, {"x": given})
                    assert got.tobytes() == want.tobytes() and got.strides == want.strides, (number, dims, axes)
