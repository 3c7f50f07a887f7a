# SPDX-License-Identifier: Apache-2.0
"""Outputs whose order nobody asked for: rows in, rows out; channels last in, channels last out, with nothing copied at either end. The
bits are always the same.
"""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from anydim.compat import onnxruntime as compat
from onnx import TensorProto, helper

LAST = (0, 2, 3, 1)


def stored(x: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """The same elements, with axes in memory in this order."""
    return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))


def order_of(x: np.ndarray) -> tuple[int, ...]:
    """The axes of a dense array, outermost in memory first."""
    order = tuple(int(axis) for axis in np.argsort([-abs(s) for s in x.strides], kind="stable"))
    assert x.transpose(order).flags.c_contiguous
    return order


def model(nodes: list[onnx.NodeProto], outputs: dict[str, int], **inputs: list[Any]) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def convolutions(channels: int) -> onnx.ModelProto:
    """Channels to 16, and 16 to 24, with Relu between, for any images."""
    generator = np.random.default_rng(1)

    def weight(name: str, *dims: int) -> onnx.TensorProto:
        return onnx.numpy_helper.from_array(generator.uniform(-1, 1, dims).astype(np.float32), name)

    made = model(
        [
            helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["a"], ["b"]),
            helper.make_node("Conv", ["b", "w2"], ["y"]),
        ],
        {"y": TensorProto.FLOAT},
        x=["n", channels, "h", "w"],
    )
    made.graph.initializer.extend([weight("w1", 16, channels, 3, 3), weight("w2", 24, 16, 1, 1)])
    return made


def session(made: onnx.ModelProto, **options: Any) -> anydim.InferenceSession:
    return anydim.InferenceSession(made, contexts=1, threads=1, **options)


def run(ready: anydim.InferenceSession, **feeds: np.ndarray) -> tuple[list[np.ndarray], int]:
    """Results, and the bytes that the run moved to change the order."""
    results = ready.run(None, feeds)
    return results, int(ready.explain()["layout_bytes"])


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("channels", [3, 32])
def test_an_image_in_channels_last_costs_no_copy_at_either_end(channels: int) -> None:
    ready = session(convolutions(channels))
    for shape in ((2, channels, 9, 14), (1, channels, 20, 7)):
        x = np.random.default_rng(2).uniform(-1, 1, shape).astype(np.float32)
        (rows,), moved = run(ready, x=x)
        assert rows.flags.c_contiguous and moved >= 2 * rows.nbytes
        (last,), moved = run(ready, x=stored(x, LAST))
        assert order_of(last) == LAST and moved == 0
        (again,), _ = run(ready, x=x)
        assert again.flags.c_contiguous
        assert same(rows, last) and same(rows, again)


def test_what_was_asked_for_wins() -> None:
    made = convolutions(32)
    x = np.random.default_rng(3).uniform(-1, 1, (2, 32, 9, 14)).astype(np.float32)
    (expected,) = session(made).run(None, {"x": x})
    for options, of_rows, of_last in (
        ({"output_layout": "row_major"}, (0, 1, 2, 3), (0, 1, 2, 3)),
        ({"output_layout": "channels_last"}, LAST, LAST),
        ({"output_layout": "any"}, LAST, LAST),
        ({"output_layout": "any", "layouts": {"y": (3, 0, 1, 2)}}, (3, 0, 1, 2), (3, 0, 1, 2)),
        ({"layouts": {"y": "row_major"}}, (0, 1, 2, 3), (0, 1, 2, 3)),
        ({"layouts": {"x": "channels_last"}}, LAST, LAST),
    ):
        ready = session(made, **options)
        for image, order in ((x, of_rows), (stored(x, LAST), of_last)):
            (y,) = ready.run(None, {"x": image})
            assert order_of(y) == order and same(y, expected), options
    with pytest.raises(anydim.InvalidArgumentError, match="output_layout is 'strided'; expected one of"):
        session(made, output_layout="strided")


def test_a_callers_strides_win_and_those_of_the_kernels_cost_nothing() -> None:
    made = convolutions(32)
    ready = session(made)
    x = np.random.default_rng(4).uniform(-1, 1, (2, 32, 11, 13)).astype(np.float32)
    (expected,) = ready.run(None, {"x": x})
    for image in (x, stored(x, LAST)):
        for order, extra in ((LAST, 0), ((0, 1, 2, 3), 1), ((2, 0, 3, 1), 2)):
            y = stored(np.zeros_like(expected), order)
            binding = ready.io_binding()
            binding.bind_input("x", image)
            binding.bind_output("y", y)
            ready.run_with_iobinding(binding)
            assert same(y, expected)
            moved = int(ready.explain()["layout_bytes"]) - (2 * x.nbytes if image is x else 0)
            assert moved == extra * 2 * y.nbytes, (order, image.strides)


def test_outputs_in_one_piece_of_memory_with_the_input_have_the_same_bits() -> None:
    ready = session(convolutions(24))
    x = np.random.default_rng(5).uniform(-1, 1, (1, 24, 8, 8)).astype(np.float32)
    (expected,) = ready.run(None, {"x": x})
    shared = stored(x, LAST)
    binding = ready.io_binding()
    binding.bind_input("x", shared)
    binding.bind_output("y", shared)
    ready.run_with_iobinding(binding)
    assert same(shared, expected)


def test_two_outputs_of_one_fusion_have_the_order_of_their_reference() -> None:
    # nvFuser's issue 1567: a channel's scale and bias, Relu, a cast, and the mask of what is positive.
    made = model(
        [
            helper.make_node("Mul", ["x", "s"], ["t0"]),
            helper.make_node("Add", ["t0", "b"], ["t1"]),
            helper.make_node("Relu", ["t1"], ["t2"]),
            helper.make_node("Cast", ["t2"], ["t3"], to=TensorProto.FLOAT16),
            helper.make_node("Constant", [], ["zero"], value_float=0.0),
            helper.make_node("Greater", ["t1", "zero"], ["t4"]),
        ],
        {"t3": TensorProto.FLOAT16, "t4": TensorProto.BOOL},
        x=["n", "c", "h", "w"],
        s=[1, "c", 1, 1],
        b=[1, "c", 1, 1],
    )
    generator = np.random.default_rng(6)
    x = generator.normal(size=(2, 64, 5, 7)).astype(np.float32)
    s, b = (generator.normal(size=(1, 64, 1, 1)).astype(np.float32) for _ in range(2))
    expected, _ = run(session(made), x=x, s=s, b=b)
    for ready in (session(made), session(made, layouts={"x": "channels_last"})):
        results, moved = run(ready, x=stored(x, LAST), s=s, b=b)
        assert [order_of(y) for y in results] == [LAST, LAST] and moved == 0
        assert all(same(y, e) for y, e in zip(results, expected, strict=True))
    assert [y.order for y in ready.get_outputs()] == [LAST, LAST]


@pytest.mark.parametrize("turn", range(12))
def test_element_wise_chains_have_the_order_of_their_input_in_each_run(turn: int) -> None:
    made = model(
        [
            helper.make_node("Mul", ["x", "s"], ["t0"]),
            helper.make_node("Sigmoid", ["t0"], ["t1"]),
            helper.make_node("Add", ["t1", "z"], ["y"]),
            helper.make_node("Cast", ["y"], ["half"], to=TensorProto.FLOAT16),
            helper.make_node("ReduceMean", ["x"], ["mean"], axes=[1], keepdims=0),
        ],
        {"y": TensorProto.FLOAT, "half": TensorProto.FLOAT16, "mean": TensorProto.FLOAT},
        x=["n", "c", "h", "w"],
        z=["n", "c", "h", "w"],
        s=["c", 1, 1],
    )
    ready = session(made)
    generator = np.random.default_rng(turn)
    for _ in range(4):
        shape = tuple(int(d) for d in generator.integers(1, 9, 4))
        x, z = (generator.normal(size=shape).astype(np.float32) for _ in range(2))
        s = generator.normal(size=(shape[1], 1, 1)).astype(np.float32)
        expected = ready.run(None, {"x": x, "z": z, "s": s})
        assert all(y.flags.c_contiguous for y in expected)
        order = tuple(int(axis) for axis in generator.permutation(4))
        results = ready.run(None, {"x": stored(x, order), "z": stored(z, LAST), "s": s})
        assert all(same(y, e) for y, e in zip(results, expected, strict=True)), (shape, order)
        assert all(y.transpose(order).flags.c_contiguous for y in results[:2]), (shape, order)
        backwards = ready.run(None, {"x": x[:, ::-1].copy()[:, ::-1], "z": z, "s": s})
        assert all(same(y, e) and y.flags.c_contiguous for y, e in zip(backwards, expected, strict=True))


def test_what_is_transposed_changed_and_transposed_back_is_not_copied() -> None:
    made = model(
        [
            helper.make_node("Transpose", ["x"], ["a"], perm=[0, 2, 3, 1]),
            helper.make_node("Sigmoid", ["a"], ["b"]),
            helper.make_node("Transpose", ["b"], ["y"], perm=[0, 3, 1, 2]),
        ],
        {"y": TensorProto.FLOAT},
        x=["n", "c", "h", "w"],
    )
    x = np.random.default_rng(7).normal(size=(2, 5, 6, 7)).astype(np.float32)
    for image in (x, stored(x, LAST)):
        (y,), moved = run(session(made), x=image)
        assert moved == 0 and y.shape == x.shape
    (y,), moved = run(session(made, layouts={"x": "channels_last"}), x=stored(x, LAST))
    assert order_of(y) == LAST and moved == 0


def test_onnxruntimes_users_get_rows() -> None:
    made = convolutions(8)
    x = np.random.default_rng(8).uniform(-1, 1, (1, 8, 6, 5)).astype(np.float32)
    (y,) = compat.InferenceSession(made.SerializeToString()).run(None, {"x": stored(x, LAST)})
    assert y.flags.c_contiguous
