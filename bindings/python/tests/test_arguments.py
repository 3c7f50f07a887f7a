# SPDX-License-Identifier: Apache-2.0
"""What the package is handed at its edges: memory of models, names of files, numbers, results too large. Each is taken as meant or
refused with a message; none is cut, rounded or read past its end."""

from __future__ import annotations

import array
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest
from anydim import _capi
from small_models import model, node, tensor, value

X = np.array([[1, 1, 1], [-4, 5, -6]], np.float32)


def relu() -> bytes:
    return model([node("Relu", ["x"], ["y"])], inputs=[value("x", 1, ("n", 3))], outputs=[value("y", 1, ("n", 3))])


def works(session: anydim.InferenceSession) -> bool:
    return np.array_equal(session.run(None, {"x": X})[0], np.maximum(X, 0))


# -- memory -------------------------------------------------------------------------------------------------------------


def test_a_model_is_read_from_memory_however_it_lies() -> None:
    data = relu()
    spread = bytes(byte for pair in zip(data, b"\xff" * len(data), strict=True) for byte in pair)
    assert works(anydim.InferenceSession(memoryview(spread)[::2]))
    assert works(anydim.InferenceSession(memoryview(data[::-1])[::-1]))
    assert works(anydim.InferenceSession(memoryview(array.array("B", data))))
    assert works(anydim.InferenceSession(memoryview(np.frombuffer(data, np.int8)).toreadonly()))


def test_memory_that_is_not_in_one_piece_is_never_read_as_if_it_were() -> None:
    engine = anydim.session.process_engine()
    data = relu()
    with pytest.raises(anydim.InvalidArgumentError, match=r"data is <memory.*one behind the other"):
        _capi.model_load_memory(engine, memoryview(data * 2)[::2])
    fortran = np.asfortranarray(np.zeros((64, 64), np.uint8))
    with pytest.raises(anydim.InvalidArgumentError, match="one behind the other"):
        _capi.model_load_memory(engine, fortran)
    with pytest.raises(TypeError):
        _capi.model_load_memory(engine, "no bytes")  # type: ignore[arg-type]


def test_two_bytes_of_no_number_are_no_bfloat16() -> None:
    copy = model([node("Identity", ["x"], ["y"])], inputs=[value("x", 16, ("n",))], outputs=[value("y", 16, ("n",))])
    session = anydim.InferenceSession(copy)
    for other in (np.zeros(3, "V2"), np.zeros(3, [("a", "i1"), ("b", "u1")])):
        with pytest.raises(anydim.InvalidArgumentError, match="expected numbers or bool"):
            session.run(None, {"x": other})


# -- names of files -----------------------------------------------------------------------------------------------------


def test_a_name_need_not_be_utf8(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/\xff\xfe\xe4.onnx"
    with open(raw, "wb") as file:
        file.write(relu())

    class Named:
        def __fspath__(self) -> bytes:
            return raw

    for name in (os.fsdecode(raw), Path(os.fsdecode(raw)), Named()):
        assert works(anydim.InferenceSession(name))  # type: ignore[arg-type]
    weights = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.packed")
    session = anydim.InferenceSession(matmul())
    session.save_packed_weights(weights)
    assert anydim.InferenceSession(matmul(), packed_weights=weights).describe()["packed_weights"]["mapped"] == 1
    with pytest.raises(anydim.NotFoundError, match=r"\\xff\\xfe"):
        anydim.InferenceSession(os.fsdecode(raw[:-5]))


def test_the_caches_file_need_not_have_a_name_in_utf8(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    code = "import anydim, os; os.write(1, os.fsencode(anydim.cache.path().parent))"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=os.environ | {"ANYDIM_CACHE_DIR": folder}
    )
    assert told.stdout == os.fsencode(folder), told.stderr


def matmul() -> bytes:
    return model(
        [node("MatMul", ["x", "w"], ["y"])],
        inputs=[value("x", 1, ("n", 40))],
        outputs=[value("y", 1, ("n", 70))],
        constants=[tensor("w", np.ones((40, 70), np.float32))],
    )


def test_a_name_with_a_zero_within_is_refused_and_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "relu.onnx"
    path.write_bytes(relu())
    session = anydim.InferenceSession(path)
    for use in (
        lambda: anydim.InferenceSession(f"{path}\0.other"),
        lambda: anydim.InferenceSession(path, packed_weights=f"{path}\0"),
        lambda: session.save_packed_weights(f"{tmp_path}/w\0w"),
        lambda: anydim.InferenceSession(path, bounds={"x\0": (1, 3)}),
        lambda: anydim.InferenceSession(path, layouts={"x\0": "fastest"}),
        lambda: anydim.cache.export_to(f"{tmp_path}/c\0c"),
    ):
        with pytest.raises(anydim.InvalidArgumentError, match="zero character"):
            use()
    assert os.listdir(tmp_path) == ["relu.onnx"]


# -- numbers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dims", "words"),
    [
        (((1.5, 2), 3), "min of dim 0 .*1.5"),
        (((1, 2.0), 3), "max of dim 0 .*2.0"),
        ((1.0, 3), "dim 0 .*1.0"),
        ((("1", 2), 3), "'1'"),
        (("1", 3), "'1'"),
        (([1, 2], 3), r"\[1, 2\]; expected a number, \(min, max\)"),
        ((range(1, 5), 3), r"range\(1, 5\); expected a number, \(min, max\)"),
        (((1, 2, 3), 3), r"\(1, 2, 3\)"),
        ((np.float32(2.5), 3), "2.5"),
        ((anydim.dim(0.5), 3), "min of dim 0"),
        ((anydim.dim(1, 2.5), 3), "max of dim 0"),
        ((anydim.dim(1, 4, 2.5), 3), "hint of dim 0"),
        ((anydim.dim(1, 4, 2, 1.5), 3), "multiple_of of dim 0"),
        ((2**63, 3), "64 bits"),
        ("ab", "sequence of dims"),
        (5, "sequence of dims"),
    ],
)
def test_bounds_are_whole_numbers(dims: Any, words: str) -> None:
    with pytest.raises(anydim.InvalidArgumentError, match=words):
        anydim.InferenceSession(relu(), bounds={"x": dims})


@pytest.mark.parametrize("feeds", [np.ones((1, 3), np.float32), [np.ones((1, 3), np.float32)], None])
def test_feeds_without_names_are_refused_by_name(feeds: Any) -> None:
    session = anydim.InferenceSession(relu())
    with pytest.raises(anydim.InvalidArgumentError, match=rf"feeds are of type {type(feeds).__name__}.*\['x'\]"):
        session.run(None, feeds)


def test_a_name_of_an_output_is_no_list_of_names() -> None:
    session = anydim.InferenceSession(relu())
    with pytest.raises(anydim.InvalidArgumentError, match=r"output_names is 'y'; expected a list: \['y'\]"):
        session.run("y", {"x": np.ones((1, 3), np.float32)})


def test_options_of_a_run_have_no_other_names() -> None:
    options = anydim.RunOptions()
    with pytest.raises(AttributeError, match="timout"):
        options.timout = 1.0  # type: ignore[attr-defined]
    with pytest.raises(anydim.InvalidArgumentError, match="timeout is '1'; expected seconds"):
        options.timeout = "1"  # type: ignore[assignment]


def test_whole_numbers_of_numpy_are_bounds() -> None:
    session = anydim.InferenceSession(relu(), bounds={"x": ((np.int64(1), np.uint8(4)), np.int32(3))})
    assert works(session)
    with pytest.raises(anydim.OutOfBoundsError):
        session.run(None, {"x": np.zeros((5, 3), np.float32)})


def test_other_counts_are_whole_numbers_too() -> None:
    engine = anydim.Engine()
    for use, words in (
        (lambda: anydim.InferenceSession(relu(), threads=1.5), "threads is 1.5"),  # type: ignore[arg-type]
        (lambda: anydim.InferenceSession(relu(), contexts=1.5), "contexts is 1.5"),  # type: ignore[arg-type]
        (lambda: anydim.InferenceSession(relu(), contexts=0), "contexts is 0"),
        (lambda: anydim.InferenceSession(relu(), contexts=2**40), "contexts"),
        (lambda: anydim.InferenceSession(relu(), layouts={"x": (1.5, 0)}), "1.5"),  # type: ignore[dict-item]
        (lambda: anydim.Engine(threads=0.5), "threads is 0.5"),  # type: ignore[arg-type]
        (lambda: engine.softmax(anydim.f32(1, 2.5)), "2.5"),  # type: ignore[arg-type]
        (
            lambda: _capi.context_create(anydim.InferenceSession(relu())._model, None, {"threads": np.float32(1.5)}),
            "1.5",
        ),  # type: ignore[typeddict-item]
    ):
        with pytest.raises(anydim.InvalidArgumentError, match=words):
            use()


# -- results too large --------------------------------------------------------------------------------------------------


def expand() -> bytes:
    """y = x, broadcast to `shape`."""
    return model(
        [node("Expand", ["x", "shape"], ["y"])],
        inputs=[value("x", 1, ("n",)), value("shape", 7, (2,))],
        outputs=[value("y", 1, ("rows", "columns"))],
    )


@pytest.mark.parametrize(
    ("dims", "words"), [((2**40, 4), f"{2**44} bytes"), ((2**40, 2**40), "address space|too large")]
)
def test_a_result_too_large_is_an_out_of_memory_error_and_a_memory_error(dims: tuple[int, int], words: str) -> None:
    session = anydim.InferenceSession(expand())
    with pytest.raises(anydim.OutOfMemoryError, match=words) as caught:
        session.run(None, {"x": np.ones(1, np.float32), "shape": np.array(dims)})
    assert isinstance(caught.value, MemoryError) and isinstance(caught.value, anydim.Error)
    (y,) = session.run(None, {"x": np.ones(1, np.float32), "shape": np.array([2, 3])})
    assert y.shape == (2, 3)


def test_shapes_to_explain_are_whole_numbers_that_fit_in_memory() -> None:
    session = anydim.InferenceSession(relu())
    for dims, error, words in (
        ((1.5, 3), anydim.InvalidArgumentError, "1.5"),
        ((-1, 3), anydim.InvalidArgumentError, "-1"),
        ((2**42, 3), anydim.OutOfMemoryError, f"{3 * 2**44} bytes"),
        ((2**62, 3), anydim.OutOfMemoryError, f"{3 * 2**64} bytes"),
    ):
        with pytest.raises(error, match=words):
            session.explain({"x": dims})  # type: ignore[dict-item]
    assert session.explain({"x": (np.int64(2), 3)})["nodes"]


def test_what_dlpack_refuses_is_reported_with_the_inputs_name() -> None:
    class Elsewhere:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("on a device")

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    with pytest.raises(anydim.InvalidArgumentError, match="input 'x' cannot be read through DLPack"):
        anydim.InferenceSession(relu()).run(None, {"x": Elsewhere()})
