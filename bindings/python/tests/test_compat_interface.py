# SPDX-License-Identifier: Apache-2.0
"""What a program sees of onnxruntime's interface: each of these tests runs on Anydim's stand-in and on onnxruntime itself, where
that is installed, so that the two do the same."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anydim
import anydim.compat.onnxruntime as compat
import numpy as np
import pytest
from small_models import model, node, tensor, value

X = np.array([[1, 1, 1], [-4, 5, -6]], np.float32)
Y = np.maximum(X, 0)
PROVIDERS = ["CPUExecutionProvider"]


@pytest.fixture(params=["anydim", "onnxruntime"])
def ort(request: pytest.FixtureRequest) -> Any:
    if request.param == "anydim":
        return compat
    real = pytest.importorskip("onnxruntime")
    real.set_default_logger_severity(4)
    return real


def relu(dims: tuple[Any, ...] = ("n", 3), code: int = 1) -> bytes:
    return model([node("Relu", ["x"], ["y"])], inputs=[value("x", code, dims)], outputs=[value("y", code, dims)])


def open_session(ort: Any, data: bytes | None = None, options: Any = None) -> Any:
    return ort.InferenceSession(relu() if data is None else data, options, providers=PROVIDERS)


def ours(ort: Any) -> bool:
    return ort is compat


# -- bindings to memory -------------------------------------------------------------------------------------------------


def test_an_output_is_written_to_the_pointer_that_it_is_bound_to(ort: Any) -> None:
    session = open_session(ort)
    binding = session.io_binding()
    y = np.full((2, 3), 9, np.float32)
    binding.bind_cpu_input("x", X)
    binding.bind_output("y", "cpu", 0, np.float32, [2, 3], y.ctypes.data)
    session.run_with_iobinding(binding)
    assert np.array_equal(y, Y) and np.array_equal(binding.get_outputs()[0].numpy(), Y)
    assert binding.get_outputs()[0].data_ptr() == y.ctypes.data


def test_an_input_is_read_from_the_pointer_that_it_is_bound_to_at_each_run(ort: Any) -> None:
    session = open_session(ort)
    binding = session.io_binding()
    x = X.copy()
    binding.bind_input("x", "cpu", 0, np.float32, [2, 3], x.ctypes.data)
    binding.bind_output("y")
    for _ in range(2):
        session.run_with_iobinding(binding)
        assert np.array_equal(binding.get_outputs()[0].numpy(), np.maximum(x, 0))
        x[:] = -x
    binding.bind_input("x", device_type="cpu", device_id=0, element_type=1, shape=(1, 3), buffer_ptr=x.ctypes.data)
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    assert np.array_equal(binding.copy_outputs_to_cpu()[0], np.maximum(x[:1], 0)), (
        "ONNX's number of a type, part of the memory"
    )


WRONG_OUTPUTS: dict[str, Callable[[int], tuple[Any, ...]]] = {
    "no type": lambda p: ("y", "cpu", 0, None, [2, 3], p),
    "no shape": lambda p: ("y", "cpu", 0, np.float32, None, p),
    "another type": lambda p: ("y", "cpu", 0, np.float64, [2, 3], p),
    "another shape": lambda p: ("y", "cpu", 0, np.float32, [1, 3], p),
    "a negative dim": lambda p: ("y", "cpu", 0, np.float32, [-2, 3], p),
    "null": lambda p: ("y", "cpu", 0, np.float32, [2, 3], 0),
    "no such output": lambda p: ("z", "cpu", 0, np.float32, [2, 3], p),
}


@pytest.mark.parametrize("what", WRONG_OUTPUTS)
def test_an_output_that_does_not_fit_is_refused_and_its_memory_left_alone(ort: Any, what: str) -> None:
    session = open_session(ort)
    memory = np.full((2, 6), 9, np.float64)

    def bind_and_run() -> None:
        binding = session.io_binding()
        binding.bind_cpu_input("x", X)
        binding.bind_output(*WRONG_OUTPUTS[what](memory.ctypes.data))
        session.run_with_iobinding(binding)

    with pytest.raises((RuntimeError, ValueError)):
        bind_and_run()
    assert (memory == 9).all()


WRONG_INPUTS: dict[str, Callable[[int], tuple[Any, ...]]] = {
    "another type": lambda p: ("x", "cpu", 0, np.float64, [2, 3], p),
    "another shape": lambda p: ("x", "cpu", 0, np.float32, [3, 2], p),
    "no such input": lambda p: ("z", "cpu", 0, np.float32, [2, 3], p),
}


@pytest.mark.parametrize("what", WRONG_INPUTS)
def test_an_input_that_does_not_fit_is_refused(ort: Any, what: str) -> None:
    session = open_session(ort)
    memory = np.zeros((2, 6), np.float64)

    def bind_and_run() -> None:
        binding = session.io_binding()
        binding.bind_input(*WRONG_INPUTS[what](memory.ctypes.data))
        binding.bind_output("y")
        session.run_with_iobinding(binding)

    with pytest.raises(Exception) as caught:
        bind_and_run()
    assert isinstance(caught.value, (RuntimeError, ValueError)) or not ours(ort)


def test_what_onnxruntime_does_not_look_at_is_refused_too() -> None:
    binding = compat.InferenceSession(relu()).io_binding()
    for arguments, words in {
        ("x", "cpu", 0, np.float32, (2, 3), 0): "buffer_ptr of input 'x' is 0",
        ("x", "cpu", 0, np.float32, (2, 3), X.ctypes.data + 1): "no multiple of the 4 bytes",
        ("x", "cpu", 0, np.float32, (2, 1.5), X.ctypes.data): "1.5",
        ("x", "cpu", 0, np.float32, (2, 3), None): "expected all three",
        ("x", "cpu", 0, 99, (2, 3), X.ctypes.data): "element_type is 99",
        ("x", "cuda", 0, np.float32, (2, 3), X.ctypes.data): "'cuda'",
    }.items():
        with pytest.raises(anydim.Error, match=words):
            binding.bind_input(*arguments)
    x = X.astype(">f4")
    binding.bind_cpu_input("x", x)
    binding.run()
    x[:] = 7
    binding.run()
    assert (binding.get_outputs()[0].numpy() == 7).all(), "an array that is copied to be read is copied at each run"


def test_outputs_come_as_a_vector_of_values(ort: Any) -> None:
    session = open_session(ort)
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    vector = binding.get_outputs_as_ortvaluevector()
    assert len(vector) == 1 and np.array_equal(vector[0].numpy(), Y) and list(vector[0].shape()) == [2, 3]
    assert vector.element_type_at(0) == 1 and list(vector.bool_tensor_indices()) == []
    assert [np.array_equal(v.numpy(), Y) for v in vector] == [True]


# -- values -------------------------------------------------------------------------------------------------------------


def test_a_value_goes_through_dlpack_both_ways_without_a_copy(ort: Any) -> None:
    x = X.copy()
    ort_value = ort.OrtValue.ortvalue_from_numpy(x)
    assert tuple(ort_value.__dlpack_device__()) == (1, 0)
    there = np.from_dlpack(ort_value)
    assert np.array_equal(there, X)
    x[0, 0] = 77
    assert there[0, 0] == 77
    back = ort.OrtValue.from_dlpack(x)
    assert back.data_type() == "tensor(float)" and back.data_ptr() == x.ctypes.data
    assert ort.OrtValue.from_dlpack(x.__dlpack__()).data_ptr() == x.ctypes.data
    if ours(ort):  # onnxruntime does not know numpy's bool
        assert ort.OrtValue.from_dlpack(np.array([True, False])).data_type() == "tensor(bool)"
    del x, back
    gc.collect()
    assert there[0, 0] == 77
    session = open_session(ort)
    assert np.array_equal(session.run_with_ort_values(None, {"x": ort.OrtValue.from_dlpack(X)})[0].numpy(), Y)


def test_a_value_reports_its_type_and_size(ort: Any) -> None:
    for name, number in {"float32": 1, "uint8": 2, "int64": 7, "bool": 9, "float16": 10, "float64": 11}.items():
        ort_value = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], np.dtype(name).type)
        assert ort_value.element_type() == number and list(ort_value.shape()) == [2, 3]
        assert ort_value.tensor_size_in_bytes() == 6 * np.dtype(name).itemsize
        assert ort.OrtValue.ortvalue_from_shape_and_type([2], number).element_type() == number
    assert ort_value.is_tensor() and not ort_value.is_sparse_tensor() and not ort_value.is_tensor_sequence()


def test_a_value_too_large_is_refused(ort: Any) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        ort.OrtValue.ortvalue_from_shape_and_type([2**42, 3], np.float32)
    assert isinstance(caught.value, anydim.OutOfMemoryError) or not ours(ort)


def test_a_value_is_updated_in_place_by_what_fits(ort: Any) -> None:
    ort_value = ort.OrtValue.ortvalue_from_numpy(np.zeros((2, 3), np.float32))
    ort_value.update_inplace(X)
    assert np.array_equal(ort_value.numpy(), X)
    with pytest.raises(Exception, match=r"shape|size|dims|5"):
        ort_value.update_inplace(np.zeros(5, np.float32))
    with pytest.raises(TypeError):
        ort_value.update_inplace([1, 2, 3])
    assert np.array_equal(ort_value.numpy(), X)


# -- feeds --------------------------------------------------------------------------------------------------------------


def negate(code: int) -> bytes:
    return model([node("Neg", ["x"], ["y"])], inputs=[value("x", code, ("n",))], outputs=[value("y", code, ("n",))])


def test_lists_are_feeds_of_the_inputs_dtype(ort: Any) -> None:
    session = open_session(ort)
    for feed in ([[1, -2, 3]], [[1.5, -2, 3]], X.tolist(), [np.array([1, -2, 3], np.float32)]):
        (y,) = session.run(None, {"x": feed})
        assert y.dtype == np.float32 and np.array_equal(y, np.maximum(np.array(feed, np.float32), 0))
    for feed in ([1, 2, 3], [True], []):
        (y,) = open_session(ort, negate(7)).run(None, {"x": feed})
        assert y.dtype == np.int64 and y.tolist() == [-int(v) for v in feed]


@pytest.mark.parametrize("feed", [[[1, 2, 3], [1]], ["a"]])
def test_lists_that_are_no_tensor_are_refused(ort: Any, feed: Any) -> None:
    with pytest.raises(RuntimeError):
        open_session(ort).run(None, {"x": feed})


def test_lists_are_not_changed_in_silence() -> None:
    integers = anydim.InferenceSession(negate(3))
    assert integers.run(None, {"x": [1, -128 + 1]})[0].tolist() == [-1, 127]
    for feed, words in (
        ([1.5], "float64 values; expected int8"),
        ([200], "does not hold"),
        ([2**70], "dtype|values|array"),
    ):
        with pytest.raises(anydim.InvalidArgumentError, match=words):
            integers.run(None, {"x": feed})
    scalar = anydim.InferenceSession(relu(()))
    assert scalar.run(None, {"x": 2})[0] == 2 and scalar.run(None, {"x": -2.5})[0] == 0


# -- ending runs --------------------------------------------------------------------------------------------------------


def slow(steps: int = 200) -> tuple[bytes, Any]:
    """Many products of matrices, one after the other, and one of their inputs."""
    weights = np.eye(512, dtype=np.float32)[::-1].copy()
    names = [f"t{i}" for i in range(steps)]
    nodes = [node("MatMul", [a, "w"], [b], b) for a, b in zip(["x", *names], [*names[:-1], "y"], strict=False)]
    data = model(
        nodes,
        inputs=[value("x", 1, ("n", 512))],
        outputs=[value("y", 1, ("n", 512))],
        constants=[tensor("w", weights)],
    )
    return data, np.ones((2048, 512), np.float32)


def test_a_run_that_is_terminated_beforehand_fails_and_a_later_one_does_not(ort: Any) -> None:
    session = open_session(ort)
    options = ort.RunOptions()
    assert options.terminate is False
    options.terminate = True
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("y")
    for _ in range(2):
        with pytest.raises(Exception, match=r"terminate flag|was cancelled") as caught:
            session.run(None, {"x": X}, options)
        assert isinstance(caught.value, anydim.Error) or not ours(ort)
        with pytest.raises(RuntimeError, match=r"terminate flag|was cancelled"):
            session.run_with_iobinding(binding, options)
    assert np.array_equal(session.run(None, {"x": X})[0], Y), "without the options"
    options.terminate = False
    assert np.array_equal(session.run(None, {"x": X}, options)[0], Y)
    with pytest.raises(TypeError, match="run"):
        session.run(None, {"x": X}, "no options")


def test_a_run_is_ended_by_another_thread(ort: Any) -> None:
    data, x = slow()
    session = open_session(ort, data)
    options = ort.RunOptions()
    timer = threading.Timer(0.02, lambda: setattr(options, "terminate", True))
    timer.start()
    with pytest.raises(Exception, match=r"terminate flag|was cancelled"):
        for _ in range(1000):
            session.run(None, {"x": x}, options)
    timer.join()
    one = np.ones((1, 512), np.float32)
    assert np.array_equal(session.run(None, {"x": one})[0], one), "the session runs on"


def test_a_run_in_progress_ends_at_a_node() -> None:
    data, x = slow()
    session = compat.InferenceSession(data)
    options = compat.RunOptions()
    told: list[str] = []

    def work() -> None:
        with pytest.raises(anydim.CancelledError) as caught:
            session.run(None, {"x": x}, options)
        told.append(str(caught.value))

    runner = threading.Thread(target=work)
    runner.start()
    while anydim._capi.session_query(session._session)["in_use"] == 0:
        time.sleep(0.001)
    options.terminate = True
    runner.join()
    assert "before node 't" in told[0] and anydim._capi.session_query(session._session)["in_use"] == 0


# -- run_async ----------------------------------------------------------------------------------------------------------


def test_run_async_calls_back_from_another_thread(ort: Any) -> None:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2  # onnxruntime needs a thread to run in
    session = open_session(ort, None, options)
    done = threading.Event()
    told: list[Any] = []

    def callback(results: Any, user_data: Any, error: str) -> None:
        told.append((results, user_data, error, threading.get_ident()))
        done.set()

    session.run_async(["y"], {"x": X}, callback, {"mine": 1})
    assert done.wait(60)
    results, user_data, error, thread = told.pop()
    assert np.array_equal(results[0], Y) and user_data == {"mine": 1} and error == ""
    assert thread != threading.get_ident()
    done.clear()
    session.run_async(None, {"x": X[:, :2]}, callback, None)
    assert done.wait(60)
    results, user_data, error, _ = told.pop()
    assert list(results) == [] and user_data is None and "x" in error and "2" in error
    with pytest.raises(ValueError, match="x"):
        session.run_async(None, {"z": X}, callback, None)
    assert not told


def test_run_async_runs_many_and_survives_a_callback_that_raises(capfd: pytest.CaptureFixture[str]) -> None:
    session = compat.InferenceSession(relu())
    seen: list[float] = []
    done = threading.Event()

    def callback(results: Any, user_data: Any, error: str) -> None:
        seen.append(results[0][0, 0])
        if len(seen) == 50:
            done.set()
        if user_data == 7:
            raise ValueError("of the program's")

    for i in range(50):
        session.run_async(None, {"x": np.full((1, 3), i, np.float32)}, callback, i)
    assert done.wait(60)
    assert sorted(seen) == list(range(50))
    # The thread whose callback raised may still be writing that down when another has run the last one.
    told, end = "", time.monotonic() + 60
    while "of the program's" not in told and time.monotonic() < end:
        told += capfd.readouterr().err
        time.sleep(0.01)
    assert "of the program's" in told


# -- initializers -------------------------------------------------------------------------------------------------------


def add(overridable: bool = False) -> bytes:
    inputs = [value("x", 1, ("n", 3)), *([value("c", 1, (3,))] if overridable else [])]
    return model(
        [node("Add", ["x", "c"], ["y"])],
        inputs=inputs,
        outputs=[value("y", 1, ("n", 3))],
        constants=[tensor("b", np.ones(2, np.float32)), tensor("c", np.zeros(3, np.float32))],
    )


def with_c(ort: Any, array: Any, name: str = "c") -> Any:
    options = ort.SessionOptions()

    ort_value = ort.OrtValue.ortvalue_from_numpy(array)
    options.add_initializer(name, ort_value)
    return options, ort_value


def test_an_added_initializer_takes_the_place_of_the_models(ort: Any, tmp_path: Path) -> None:
    options, _held = with_c(ort, np.array([10, 20, 30], np.float32))
    path = tmp_path / "add.onnx"
    path.write_bytes(add())
    for source in (add(), str(path)):
        (y,) = ort.InferenceSession(source, options, providers=PROVIDERS).run(None, {"x": X})
        assert np.array_equal(y, X + np.array([10, 20, 30], np.float32))


def test_an_added_initializer_that_the_model_lacks_is_left_alone(ort: Any) -> None:
    options, _held = with_c(ort, np.array([10, 20, 30], np.float32), "nowhere")
    assert np.array_equal(open_session(ort, add(), options).run(None, {"x": X})[0], X)


def test_an_added_initializer_that_does_not_fit_fails(ort: Any) -> None:
    options, held = with_c(ort, np.array([10, 20], np.float32))
    with pytest.raises(Exception, match="Add"):
        open_session(ort, add(), options).run(None, {"x": X})
    with pytest.raises(RuntimeError, match="c"):
        options.add_initializer("c", held)


def test_a_damaged_model_is_reported_when_initializers_are_added() -> None:
    options, _held = with_c(compat, np.zeros(3, np.float32))
    data = add()
    for cut in range(1, len(data)):
        try:
            open_session(compat, data[:cut], options)
        except anydim.Error:
            continue
    with pytest.raises(anydim.NotFoundError, match="nowhere"):
        compat.InferenceSession("/nowhere/x.onnx", options)


# -- what a session says of its model --------------------------------------------------------------------------------------


def test_dims_without_a_name_are_none(ort: Any, tmp_path: Path) -> None:
    path = tmp_path / "relu.onnx"
    path.write_bytes(relu(("n", "", 3)))
    session = ort.InferenceSession(str(path), providers=PROVIDERS)
    for edges in (session.get_inputs(), session.get_outputs(), session._inputs_meta, session._outputs_meta):
        assert [edge.shape for edge in edges] == [["n", None, 3]]
    assert session._model_path == str(path)
    assert open_session(ort)._model_path is None


def test_a_node_of_com_microsoft_needs_no_import_of_its_opset(ort: Any) -> None:
    """As ONNX Runtime's optimiser leaves models."""
    made = model(
        [node("QuickGelu", ["x"], ["y"], domain="com.microsoft")],
        inputs=[value("x", 1, ("n", 3))],
        outputs=[value("y", 1, ("n", 3))],
    )
    (y,) = ort.InferenceSession(made, providers=PROVIDERS).run(None, {"x": X})
    assert np.allclose(y, X / (1 + np.exp(-1.702 * X)), rtol=1e-2)  # onnxruntime's exp
