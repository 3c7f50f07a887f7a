# SPDX-License-Identifier: Apache-2.0
"""Sessions over small models that are written byte by byte: what goes in and comes out, from which memory, in how many
threads, and which exceptions say what is wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import pytest
from small_models import model, node, tensor, value


def add_relu(dims: tuple[Any, ...] = ("n", "width")) -> bytes:
    """y = relu(x + c) with c of dims [3]."""
    return model(
        [node("Add", ["x", "c"], ["s"]), node("Relu", ["s"], ["y"])],
        inputs=[value("x", 1, dims)],
        outputs=[value("y", 1, dims)],
        constants=[tensor("c", np.array([1, -2, 3], np.float32))],
        metadata={"character": "a\nb", "language": "ä"},
    )


def test_layouts_of_inputs_and_outputs_are_asked_for_by_name() -> None:
    images = add_relu(("n", "h", "w", 3))
    x = np.arange(2 * 4 * 5 * 3, dtype=np.float32).reshape(2, 4, 5, 3) - 60
    (plain,) = anydim.InferenceSession(images).run(None, {"x": x})
    for layouts, x_order, y_order in (
        ({}, (0, 1, 2, 3), (0, 1, 2, 3)),
        ({"x": (3, 0, 1, 2), "y": "follow"}, (3, 0, 1, 2), (3, 0, 1, 2)),
        ({"y": "channels_last"}, (0, 1, 2, 3), (0, 2, 3, 1)),
        ({"x": "channels_last", "y": "fastest"}, (0, 2, 3, 1), (0, 2, 3, 1)),
        ({"x": "row_major", "y": [1, 0, 2, 3]}, (0, 1, 2, 3), (1, 0, 2, 3)),
    ):
        session = anydim.InferenceSession(images, layouts=layouts)
        assert session.get_inputs()[0].order == x_order and session.get_outputs()[0].order == y_order
        (y,) = session.run(None, {"x": x})
        assert (
            np.array_equal(y, plain) and y.transpose(y_order).flags.c_contiguous and not isinstance(y.base, np.ndarray)
        )
        binding = session.io_binding()
        given = np.empty_like(plain)
        binding.bind_input("x", x)
        binding.bind_output("y", given)
        binding.run()
        assert np.array_equal(given, plain), "an array of the caller's may have any strides"


@pytest.mark.parametrize(
    ("layouts", "words"),
    [
        ({"z": "fastest"}, ["'z'", "neither"]),
        ({"x": "follow"}, ["'x'", "follow"]),
        ({"x": "sideways"}, ["'x'", "sideways", "channels_last"]),
        ({"x": (0, 1, 2)}, ["'x'", "3 axes", "2"]),
        ({"x": (0, 0)}, ["axes[1] is 0"]),
        ({"x": "channels_last"}, ["'x'", "rank is 2"]),
    ],
)
def test_layouts_that_do_not_fit_are_named(layouts: Any, words: list[str]) -> None:
    with pytest.raises((anydim.InvalidArgumentError, anydim.NotFoundError)) as caught:
        anydim.InferenceSession(add_relu(), layouts=layouts)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.fixture(scope="module")
def session() -> anydim.InferenceSession:
    return anydim.InferenceSession(add_relu(("n", 3)))


X = np.array([[1, 1, 1], [-4, 5, -6]], np.float32)
Y = np.maximum(X + np.array([1, -2, 3], np.float32), 0)


def test_a_run_gives_fresh_arrays(session: anydim.InferenceSession) -> None:
    (first,) = session.run(None, {"x": X})
    (second,) = session.run(["y"], {"x": X})
    assert first.dtype == np.float32 and not isinstance(first.base, np.ndarray) and first.flags.writeable
    assert np.array_equal(first, Y) and np.array_equal(second, Y)
    first[:] = 0
    assert np.array_equal(second, Y)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
        lambda x: x.astype(">f4"),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape),
    ],
    ids=["fortran", "strided", "backwards", "big-endian", "unaligned"],
)
def test_any_memory_can_be_an_input(view: Callable[[Any], Any], session: anydim.InferenceSession) -> None:
    assert np.array_equal(session.run(None, {"x": view(X)})[0], Y)


def test_a_broadcast_input_is_read_as_it_is(session: anydim.InferenceSession) -> None:
    x = np.broadcast_to(np.float32(2), (4, 3))
    assert np.array_equal(session.run(None, {"x": x})[0], np.maximum(x + np.array([1, -2, 3], np.float32), 0))


def test_read_only_arrays_are_inputs(session: anydim.InferenceSession) -> None:
    x = X.copy()
    x.flags.writeable = False
    assert np.array_equal(session.run(None, {"x": x})[0], Y)


def test_dlpack_goes_in_and_comes_out(session: anydim.InferenceSession) -> None:
    class Other:
        """Somebody else's array."""

        def __dlpack__(self, **options: Any) -> Any:
            return X.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return X.__dlpack_device__()

    (y,) = session.run(None, {"x": Other()})
    assert np.array_equal(np.from_dlpack(y), Y)


def test_empty_inputs_give_empty_outputs(session: anydim.InferenceSession) -> None:
    assert session.run(None, {"x": np.zeros((0, 3), np.float32)})[0].shape == (0, 3)


def test_inputs_and_outputs_are_described(session: anydim.InferenceSession) -> None:
    (x,) = session.get_inputs()
    (y,) = session.get_outputs()
    assert (x.name, x.shape, x.type) == ("x", ["n", 3], "tensor(float)")
    assert (y.name, y.shape, y.type) == ("y", ["n", 3], "tensor(float)")


def test_metadata_is_reported(session: anydim.InferenceSession) -> None:
    meta = session.get_modelmeta()
    assert meta.custom_metadata_map == {"character": "a\nb", "language": "ä"}
    assert meta.producer_name == "small_models" and meta.graph_name == "g" and meta.version == 7


def test_several_threads_may_run_one_session() -> None:
    session = anydim.InferenceSession(add_relu(("n", 3)), threads=1, contexts=3)
    wrong: list[str] = []

    def work(k: int) -> None:
        for i in range(50):
            x = np.full((1 + (i + k) % 7, 3), k, np.float32)
            (y,) = session.run(None, {"x": x})
            if not np.array_equal(y, np.maximum(x + np.array([1, -2, 3], np.float32), 0)):
                wrong.append(f"thread {k}, run {i}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    info = anydim._capi.session_query(session._session)
    assert 1 <= info["contexts"] <= 3 and info["in_use"] == 0


def test_a_failing_run_gives_its_context_back() -> None:
    session = anydim.InferenceSession(add_relu(("n", 3)), contexts=1)
    for _ in range(5):
        with pytest.raises(anydim.Error):
            session.run(None, {"x": np.zeros((1, 4), np.float32)})
    assert np.array_equal(session.run(None, {"x": X})[0], Y)


def test_bounds_bound_memory_and_shapes() -> None:
    session = anydim.InferenceSession(add_relu(("n", 3)), bounds={"x": ((1, 16), 3)})
    assert session.bytes_needed > 0
    for n in (16, 1, 7):
        session.run(None, {"x": np.zeros((n, 3), np.float32)})
    assert session.growths == 0
    with pytest.raises(anydim.OutOfBoundsError, match="17"):
        session.run(None, {"x": np.zeros((17, 3), np.float32)})
    with pytest.raises(anydim.InvalidArgumentError):
        _ = anydim.InferenceSession(add_relu(("n", 3))).bytes_needed


def test_io_binding_reads_and_writes_in_place(session: anydim.InferenceSession) -> None:
    binding = session.io_binding()
    x, y = X.copy(), np.full((2, 3), 9, np.float32)
    binding.bind_input("x", x)
    binding.bind_output("y", y)
    session.run_with_iobinding(binding)
    assert np.array_equal(y, Y) and binding.get_outputs()[0] is y
    x[:] = -100
    session.run_with_iobinding(binding)
    assert not y.any()
    wide = np.full((2, 6), 9, np.float32)
    binding.bind_output("y", wide[:, ::2])
    binding.bind_input("x", X)
    binding.run()
    assert np.array_equal(wide[:, ::2], Y) and (wide[:, 1::2] == 9).all()
    y.flags.writeable = False
    binding.bind_output("y", y)
    with pytest.raises(anydim.InvalidArgumentError, match="read-only"):
        binding.run()


def test_io_binding_sees_arrays_as_they_are_at_each_run(session: anydim.InferenceSession) -> None:
    binding = session.io_binding()
    x, y = X.copy(), np.full((2, 3), 9, np.float32)
    binding.bind_input("x", x)
    binding.bind_output("y", y)
    binding.run()
    x.dtype, y.dtype = np.dtype(">f4"), np.dtype(">f4")  # in place, which numpy allows
    with pytest.raises(anydim.InvalidArgumentError, match="byte order"):
        binding.run()
    x.dtype, y.dtype = np.dtype("f4"), np.dtype("f4")
    swapped = X.astype(">f4")  # copied to be read, again at each run
    binding.bind_input("x", swapped)
    binding.run()
    assert np.array_equal(y, Y)
    swapped[:] = -100
    binding.run()
    assert not y.any()
    for dtype in ("V0", "complex64"):
        with pytest.raises(anydim.InvalidArgumentError, match="'y' has dtype"):
            binding.bind_output("y", np.empty((2, 3), dtype))
    binding.clear_binding_inputs()
    with pytest.raises(anydim.InvalidArgumentError, match="lacks the input 'x'"):
        binding.run()
    binding.bind_input("x", X)
    binding.clear_binding_outputs()
    binding.run()
    assert np.array_equal(binding.get_outputs()[0], Y) and binding.get_outputs()[0] is not y


def test_a_model_is_loaded_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    path.write_bytes(add_relu(("n", 3)))
    for source in (path, str(path), path.read_bytes(), bytearray(path.read_bytes()), memoryview(path.read_bytes())):
        assert np.array_equal(anydim.InferenceSession(source).run(None, {"x": X})[0], Y)


def matmul(weights: np.ndarray[Any, Any]) -> bytes:
    """y = x @ weights."""
    return model(
        [node("MatMul", ["x", "w"], ["y"])],
        inputs=[value("x", 1, ("n", weights.shape[0]))],
        outputs=[value("y", 1, ("n", weights.shape[1]))],
        constants=[tensor("w", weights)],
    )


def test_engines_of_a_model_change_no_result() -> None:
    gated = model(
        [node("Sigmoid", ["x"], ["s"]), node("Mul", ["x", "s"], ["y"])],
        inputs=[value("x", 1, ("n",))],
        outputs=[value("y", 1, ("n",))],
    )
    x = np.linspace(-5, 5, 101, dtype=np.float32)
    alone = anydim.InferenceSession(gated).run(None, {"x": x})[0]
    cpu = anydim.Engine("cpu", threads=1)
    for engines in ([], "cpu", [cpu], [cpu, "cpu"], [cpu, anydim.Engine("cpu")]):
        assert anydim.InferenceSession(gated, engines=engines).run(None, {"x": x})[0].tobytes() == alone.tobytes()
    with pytest.raises(anydim.InvalidArgumentError, match=r"engines\[1\] is 7; expected an anydim.Engine or its text"):
        anydim.InferenceSession(gated, engines=[cpu, 7])  # type: ignore[list-item]


def test_passes_can_be_left_out() -> None:
    gated = model(
        [node("Sigmoid", ["x"], ["s"]), node("Mul", ["x", "s"], ["y"])],
        inputs=[value("x", 1, ("n",))],
        outputs=[value("y", 1, ("n",))],
    )
    x = np.linspace(-5, 5, 101, dtype=np.float32)
    results = {}
    for passes in ("all", "exact", "none"):
        session = anydim.InferenceSession(gated, passes=passes)
        results[passes] = session.run(None, {"x": x})[0]
        assert ("silu" in str(session.describe()["nodes"])) == (passes == "all")
    assert results["exact"].tobytes() == results["none"].tobytes()
    assert np.allclose(results["all"], results["none"], rtol=1e-5)
    with pytest.raises(anydim.InvalidArgumentError, match=r"passes is 'some'.*all.*exact.*none"):
        anydim.InferenceSession(gated, passes="some")
    with pytest.raises(anydim.InvalidArgumentError, match=r"options.passes is 7"):
        anydim._capi.model_load_memory(session._engine, gated, {"passes": 7})


def test_packed_weights_are_saved_and_mapped(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    weights = random.standard_normal((40, 70)).astype(np.float32)
    x = random.standard_normal((5, 40)).astype(np.float32)
    path = tmp_path / "model.packed"
    session = anydim.InferenceSession(matmul(weights))
    session.save_packed_weights(path)
    (y,) = session.run(None, {"x": x})
    assert session.describe()["packed_weights"] == {"count": 1, "mapped": 0, "mapped_bytes": 0}
    for given in (path, str(path)):
        mapped = anydim.InferenceSession(matmul(weights), packed_weights=given)
        assert mapped.describe()["packed_weights"]["mapped"] == 1
        assert mapped.run(None, {"x": x})[0].tobytes() == y.tobytes()
    weights[3, 5] += 1
    changed = anydim.InferenceSession(matmul(weights), packed_weights=path)
    assert changed.describe()["packed_weights"]["mapped"] == 0, "packed from other values"
    (right,) = anydim.InferenceSession(matmul(weights)).run(None, {"x": x})
    assert changed.run(None, {"x": x})[0].tobytes() == right.tobytes()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(anydim.FileError, match="it is damaged"):
        anydim.InferenceSession(matmul(weights), packed_weights=path)
    with pytest.raises(anydim.NotFoundError, match="cannot open"):
        anydim.InferenceSession(matmul(weights), packed_weights=tmp_path / "nothing")
    with pytest.raises(anydim.InvalidArgumentError, match="packed_weights is 7"):
        anydim._capi.model_load_memory(session._engine, matmul(weights), {"packed_weights": 7})  # type: ignore[typeddict-item]
    with pytest.raises(anydim.InvalidArgumentError, match="zero character"):
        anydim.InferenceSession(matmul(weights), packed_weights="a\0b")
    with pytest.raises(anydim.FileError, match="cannot write"):
        session.save_packed_weights(tmp_path / "no" / "such")


def test_explanations_are_data(session: anydim.InferenceSession) -> None:
    explained = session.explain({"x": (5, 3)})
    assert explained["nodes"] and explained["nodes"][0]["kernel"]
    assert any("because" in c for c in explained["nodes"][0]["candidates"])
    assert session.describe()["file_operators"] == {"Add": 1, "Relu": 1}


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], list[str]]] = {
    "unknown operator": (
        lambda: anydim.InferenceSession(
            model([node("Quux", ["x"], ["y"])], inputs=[value("x", 1, (1,))], outputs=[value("y", 1, (1,))])
        ),
        anydim.UnimplementedError,
        ["Quux"],
    ),
    "no model": (lambda: anydim.InferenceSession(b"no model"), anydim.InvalidModelError, []),
    "no file": (lambda: anydim.InferenceSession("/nowhere/x.onnx"), anydim.NotFoundError, ["/nowhere/x.onnx"]),
    "threads": (
        lambda: anydim.InferenceSession(add_relu(), threads=-1),
        anydim.InvalidArgumentError,
        ["threads", "-1"],
    ),
    "bounds of no input": (
        lambda: anydim.InferenceSession(add_relu(("n", 3)), bounds={"z": (1, 3)}),
        anydim.NotFoundError,
        ["'z'"],
    ),
    "bounds upside down": (
        lambda: anydim.InferenceSession(add_relu(("n", 3)), bounds={"x": ((5, 1), 3)}),
        anydim.InvalidArgumentError,
        ["5..1"],
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(what: str) -> None:
    call, error, words = WRONG[what]
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, anydim.Error)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert not str(caught.value).startswith("anydim_")


@pytest.mark.parametrize(
    ("feeds", "words"),
    [
        ({}, ["x"]),
        ({"x": X, "z": X}, ["'z'"]),
        ({"x": None}, ["x", "None"]),
        ({"x": X.astype(np.float64)}, ["x", "f64", "f32"]),
        ({"x": X[0]}, ["x", "rank"]),
        ({"x": np.array(["a"])}, ["x"]),
        ({"x": np.zeros((1, 3), np.complex64)}, ["x", "complex64"]),
    ],
)
def test_wrong_feeds_are_named(feeds: dict[str, Any], words: list[str], session: anydim.InferenceSession) -> None:
    with pytest.raises(anydim.InvalidArgumentError) as caught:
        session.run(None, feeds)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_errors_are_the_exceptions_that_python_programs_expect() -> None:
    assert issubclass(anydim.Error, RuntimeError)
    assert issubclass(anydim.InvalidArgumentError, ValueError)
    assert issubclass(anydim.UnimplementedError, NotImplementedError)
    assert anydim.InvalidModelError.status == anydim.Status.INVALID_MODEL


@pytest.mark.parametrize("code", [1, 11, 10, 6, 7, 3, 2, 9])
def test_element_types_pass_through(code: int) -> None:
    dtypes = {1: "f4", 11: "f8", 10: "f2", 6: "i4", 7: "i8", 3: "i1", 2: "u1", 9: "?"}
    copy = model(
        [node("Identity", ["x"], ["y"])], inputs=[value("x", code, ("n",))], outputs=[value("y", code, ("n",))]
    )
    x = np.arange(5).astype(dtypes[code])
    (y,) = anydim.InferenceSession(copy).run(None, {"x": x})
    assert y.dtype == x.dtype and np.array_equal(x, y)


def test_a_reuse_policy_changes_no_result_and_is_reported_by_explain() -> None:
    expected = anydim.InferenceSession(add_relu(("n", 3))).run(None, {"x": X})[0]
    for policy in ("auto", "reusable", "specialised", "reusable_first"):
        session = anydim.InferenceSession(add_relu(("n", 3)), reuse=policy)
        assert np.array_equal(session.run(None, {"x": X})[0], expected)
        told = session.explain()
        assert told["reuse"] == policy and told["reuse_set_by"] == "context"
    with pytest.raises(anydim.InvalidArgumentError, match="fastest"):
        anydim.InferenceSession(add_relu(("n", 3)), reuse="fastest")


def test_explain_times_the_run_that_it_makes() -> None:
    session = anydim.InferenceSession(add_relu(("n", 3)))
    session.run(None, {"x": X})
    assert all(node["nanoseconds"] == -1 for node in session.explain()["nodes"])  # the run was not profiled
    explained = session.explain({"x": (5, 3)})
    assert explained["nodes"] and all(node["nanoseconds"] >= 0 for node in explained["nodes"])
    profiled = anydim.InferenceSession(add_relu(("n", 3)), profile=True)
    profiled.run(None, {"x": X})
    assert all(node["nanoseconds"] >= 0 for node in profiled.explain()["nodes"])


def test_the_worker_can_be_queried_controlled_and_waited_for() -> None:
    anydim.worker.pause()
    assert anydim.worker.info()["paused"] == 1
    anydim.worker.resume()
    assert anydim.worker.drain(30)
    assert anydim.worker.info()["queued"] == 0


def test_a_model_in_memory_has_its_external_data_in_a_folder(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    weights = np.arange(1000, dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1000])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1000])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="m.bin", size_threshold=0)
    data = (tmp_path / "m.onnx").read_bytes()
    with pytest.raises(anydim.InvalidModelError, match="folder"):
        anydim.InferenceSession(data)
    session = anydim.InferenceSession(data, external_data_folder=tmp_path)
    np.testing.assert_array_equal(session.run(None, {"x": weights})[0], weights + weights)
    with pytest.raises(anydim.InvalidArgumentError, match="external_data_folder"):
        anydim.InferenceSession(tmp_path / "m.onnx", external_data_folder=tmp_path)
    with pytest.raises((anydim.NotFoundError, anydim.InvalidModelError, OSError)):
        anydim.InferenceSession(data, external_data_folder=tmp_path / "other")
