# SPDX-License-Identifier: Apache-2.0
"""`ModelBuilder`: models without ONNX, of any shape; constants where they lie; bodies; what is wrong about attributes and nodes."""

from __future__ import annotations

import gc
import weakref

import anydim
import numpy as np
import pytest


def test_a_network_of_any_number_of_rows() -> None:
    random = np.random.default_rng(3)
    weights, bias = random.random((5, 784), np.float32), random.random(5, np.float32)
    graph = anydim.ModelBuilder(opset=17)
    x = graph.input("x", ("batch", 784))
    h = graph.node("Gemm", x, graph.constant(weights), graph.constant(bias), transB=1, name="layer")
    graph.output(graph.node("Relu", h, outputs=["y"]))
    session = anydim.InferenceSession(graph, threads=1)
    assert [(i.name, i.shape) for i in session.get_inputs()] == [("x", ["batch", 784])]
    assert [o.name for o in session.get_outputs()] == ["y"]
    del graph
    for rows in (1, 2, 7):
        images = random.random((rows, 784), np.float32) - 0.5
        (y,) = session.run(None, {"x": images})
        np.testing.assert_allclose(y, np.maximum(images @ weights.T + bias, 0), rtol=1e-5, atol=1e-5)


def test_the_graph_keeps_its_constants_and_the_model_does_not() -> None:
    graph = anydim.ModelBuilder(opset=17)
    weights = np.ones((64, 64), np.float32)
    graph.output(graph.node("MatMul", graph.input("x", (None, 64)), graph.constant(weights), outputs=["y"]))
    there = weakref.ref(weights)
    del weights
    gc.collect()
    assert there() is not None
    session = anydim.InferenceSession(graph, threads=1)
    del graph
    gc.collect()
    assert there() is None
    (y,) = session.run(None, {"x": np.ones((2, 64), np.float32)})
    assert (y == 64).all()


def test_a_loop_and_a_branch() -> None:
    body = anydim.ModelBuilder()
    body.input("i", (), np.int64)
    go = body.input("go", (), bool)
    total = body.input("total", (None,))
    body.output(body.node("Identity", go), body.node("Add", total, "step"))
    double, same = anydim.ModelBuilder(), anydim.ModelBuilder()
    double.output(double.node("Add", "looped", "looped"))
    same.output(same.node("Identity", "looped"))
    graph = anydim.ModelBuilder({"": 17})
    times, step, twice = graph.input("times", (), np.int64), graph.input("step", ("n",)), graph.input("twice", (), bool)
    graph.node("Loop", times, None, step, outputs=["looped"], body=body)
    graph.output(graph.node("If", twice, then_branch=double, else_branch=same))
    session = anydim.InferenceSession(graph, threads=1)
    for n in (1, 3):
        x = np.arange(n, dtype=np.float32)
        for asked, factor in ((True, 8), (False, 4)):
            (y,) = session.run(None, {"times": np.int64(3), "step": x, "twice": np.array(asked)})
            assert y.tolist() == (x * factor).tolist()


def test_attributes_of_all_kinds_and_several_outputs() -> None:
    graph = anydim.ModelBuilder(opset=18)
    x = graph.input("x", (1, 1, "h", "w"))
    pooled = graph.node("MaxPool", x, kernel_shape=[2, 2], strides=(2, 2), auto_pad="VALID")
    raised = graph.node("Add", pooled, graph.node("Constant", value=np.array([0.5], np.float32)))
    leaky = graph.node("LeakyRelu", raised, alpha=0.25)
    a, b = graph.node("Split", leaky, outputs=2, axis=3, num_outputs=2)
    graph.output(a, b)
    session = anydim.InferenceSession(graph, threads=1)
    first, second = session.run(None, {"x": np.array([[[[1, 2, -3, -4], [3, 4, -9, -9.0]]]], np.float32)})
    assert first.tolist() == [[[[4.5]]]]
    assert second.tolist() == [[[[-0.625]]]]


def test_says_what_is_wrong() -> None:
    graph = anydim.ModelBuilder(opset=17)
    x = graph.input("x", (2, 3))
    with pytest.raises(anydim.InvalidArgumentError, match="attribute 'axis' is None"):
        graph.node("Softmax", x, axis=None)
    with pytest.raises(anydim.InvalidArgumentError, match="'x'"):
        graph.input("x", (2,))
    with pytest.raises(TypeError, match=r"the bytes of a file, an onnx\.ModelProto, or an anydim\.ModelBuilder"):
        anydim.InferenceSession(3.5)  # type: ignore[arg-type]
    graph = anydim.ModelBuilder(opset=17)
    graph.output(graph.node("Softmax", graph.input("x", (2, 3)), axis=5, name="last"))
    with pytest.raises(anydim.InvalidModelError, match=r"last \(Softmax\).*axis is 5") as failure:
        anydim.InferenceSession(graph)
    assert failure.value.node == "last"
    graph = anydim.ModelBuilder(opset=17)
    graph.output(graph.node("Nothing", graph.input("x", (2, 3))))
    with pytest.raises(anydim.UnimplementedError, match="Nothing"):
        anydim.InferenceSession(graph)
