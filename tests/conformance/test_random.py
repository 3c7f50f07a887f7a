# SPDX-License-Identifier: Apache-2.0
"""Random numbers of ONNX models: they follow from the seed alone, whatever runs them, and are spread as the operators say."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


def model(op: str, inputs: dict[str, list[Any]] | None = None, outputs: int = 1, **attributes: Any) -> bytes:
    inputs = inputs or {}
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in inputs.items()]
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, list(inputs), names, name=f"the {op}", **attributes)
    results = [onnx.ValueInfoProto(name=name) for name in names]
    graph = helper.make_graph([node], "random", values, results)
    made: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=8
    ).SerializeToString()
    return made


def run(serialised: bytes, threads: int = 1, **feeds: Any) -> Any:
    return anydim.InferenceSession(serialised, threads=threads).run(None, feeds)[0]


BIG = {"x": np.zeros((50, 4000), np.float32)}


@pytest.mark.parametrize("op", ["RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike"])
def test_a_seed_gives_the_same_numbers_on_any_number_of_threads_and_in_each_run(op: str) -> None:
    like = op.endswith("Like")
    named: dict[str, Any] = {} if like else {"shape": [50, 4000]}
    feeds: dict[str, Any] = BIG if like else {}
    inputs = {"x": ["n", "m"]} if like else {}
    serialised = model(op, inputs, seed=3.0, **named)
    first = run(serialised, **feeds)
    for threads in (1, 2):
        session = anydim.InferenceSession(serialised, threads=threads)
        for _ in range(2):
            assert np.array_equal(session.run(None, feeds)[0], first)
    assert not np.array_equal(run(model(op, inputs, seed=4.0, **named), **feeds), first)
    alone = run(model(op, inputs, **named), **feeds)
    assert np.array_equal(run(model(op, inputs, **named), **feeds), alone), "no seed: one of the process"
    assert not np.array_equal(alone, first)


def test_the_first_number_is_that_of_philox() -> None:
    # Counter and key 0: 0x6627e8d5, of which 24 bits count.
    assert run(model("RandomUniform", shape=[4], seed=0.0))[0] == np.float32(0x6627E8 / 2**24)


def test_numbers_are_spread_as_they_are_asked_for() -> None:
    u = run(model("RandomUniform", shape=[200000], seed=1.0, low=-2.0, high=6.0))
    assert u.dtype == np.float32 and u.min() >= -2 and u.max() <= 6
    assert abs(u.mean() - 2) < 0.03 and abs(u.std() - 8 / 12**0.5) < 0.03
    z = run(model("RandomNormal", shape=[200000], seed=1.0, mean=3.0, scale=2.0))
    assert abs(z.mean() - 3) < 0.03 and abs(z.std() - 2) < 0.03 and abs(((z - 3) ** 3).mean()) < 0.3
    wide = run(model("RandomUniform", shape=[1000], seed=1.0, dtype=TensorProto.DOUBLE))
    assert wide.dtype == np.float64 and len(np.unique(wide)) == 1000
    half = run(
        model("RandomNormalLike", {"x": [5, 7]}, seed=1.0, dtype=TensorProto.FLOAT16), x=np.zeros((5, 7), np.float32)
    )
    assert half.dtype == np.float16 and half.shape == (5, 7)


def test_bernoulli_and_multinomial_follow_their_probabilities() -> None:
    p = np.tile(np.array([0.0, 0.1, 0.5, 0.9, 1.0], np.float32), (20000, 1))
    b = run(model("Bernoulli", {"x": ["n", 5]}, seed=2.0), x=p)
    assert set(np.unique(b)) == {0.0, 1.0}
    assert np.allclose(b.mean(0), p[0], atol=0.02)
    assert run(model("Bernoulli", {"x": ["n", 5]}, seed=2.0, dtype=TensorProto.BOOL), x=p).dtype == np.bool_
    logs = np.log(np.array([[1, 2, 0, 5], [1, 1, 1, 1]], np.float32))
    m = run(model("Multinomial", {"x": ["n", 4]}, seed=2.0, sample_size=40000), x=logs)
    assert m.dtype == np.int32 and m.shape == (2, 40000)
    for row, want in zip(m, ([0.125, 0.25, 0, 0.625], [0.25] * 4), strict=True):
        assert np.allclose(np.bincount(row, minlength=4) / 40000, want, atol=0.015)


@pytest.mark.parametrize("training", [True, False])
def test_dropout_in_training_drops_and_scales(training: bool) -> None:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]),
        helper.make_tensor_value_info("r", TensorProto.FLOAT, []),
        helper.make_tensor_value_info("t", TensorProto.BOOL, []),
    ]
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
        helper.make_tensor_value_info("m", TensorProto.BOOL, None),
    ]
    node = helper.make_node("Dropout", ["x", "r", "t"], ["y", "m"], seed=5)
    graph = helper.make_graph([node], "dropout", inputs, outputs)
    serialised = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=8).SerializeToString()
    x = np.arange(1, 40001, dtype=np.float32)
    y, mask = anydim.InferenceSession(serialised).run(None, {"x": x, "r": np.float32(0.25), "t": np.bool_(training)})
    if not training:
        assert np.array_equal(y, x) and mask.all()
        return
    assert abs(mask.mean() - 0.75) < 0.01
    assert np.array_equal(y[~mask], np.zeros((~mask).sum(), np.float32))
    assert np.allclose(y[mask], x[mask] / 0.75, rtol=1e-6)


def test_random_numbers_in_a_loop_are_refused() -> None:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["still"]),
            helper.make_node("RandomUniform", [], ["u"], shape=[2], seed=1.0),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("u", TensorProto.FLOAT, [2]),
        ],
    )
    node = helper.make_node("Loop", ["n", ""], ["y"], body=body)
    inputs = [helper.make_tensor_value_info("n", TensorProto.INT64, [])]
    graph = helper.make_graph([node], "loop", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    serialised = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=8).SerializeToString()
    with pytest.raises(anydim.UnimplementedError, match="random numbers in a loop's body"):
        anydim.InferenceSession(serialised)


def test_draws_of_classes_are_the_same_whether_their_number_is_declared_or_not() -> None:
    """Declared, a draw is found by halving; else it is compared with all running sums."""
    generator = np.random.default_rng(44)
    for classes in (1, 2, 3, 4, 5, 16, 17, 100):
        x = np.log(generator.random((3, classes)) + 1e-9).astype(np.float32)
        x[1, 0] = 60.0  # as good as certain
        at: dict[str, Any] = {"sample_size": 700, "seed": 5.0, "dtype": TensorProto.INT64}
        declared = run(model("Multinomial", {"x": ["n", classes]}, **at), x=x)
        assert np.array_equal(declared, run(model("Multinomial", {"x": ["n", "m"]}, **at), x=x)), classes
        assert declared.dtype == np.int64 and declared.min() >= 0 and declared.max() < classes
        assert (declared[1] == 0).all()
        assert np.array_equal(np.unique(declared[2]), np.arange(classes)) or classes > 17
