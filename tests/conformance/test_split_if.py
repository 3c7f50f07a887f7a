# SPDX-License-Identifier: Apache-2.0
"""If whose branches give results of different ranks, as exporters write squeeze(dim): beside ONNX Runtime, with dims that are known
when the model is loaded, when a shape is bound, and with conditions that only data determines; in all sets of passes, with bounds and
without, in one another, and where only one branch is possible."""

from __future__ import annotations

from typing import Any

import anydim
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper
from test_control_flow import BOOL, FLOAT, INT64, TRUE, Array, constant, loop_body, node, positive, value

OPSET = 17
PASSES = ("all", "exact", "none")


def squeeze(x: str, y: str, axis: int = 1) -> list[onnx.NodeProto]:
    """y = x.squeeze(axis), as PyTorch's exporter writes it."""
    then = helper.make_graph(
        [constant(f"{y}_axes", np.array([axis])), node("Squeeze", [x, f"{y}_axes"], [f"{y}_then"])],
        "then",
        [],
        [value(f"{y}_then")],
    )
    other = helper.make_graph([node("Identity", [x], [f"{y}_else"])], "else", [], [value(f"{y}_else")])
    return [
        node("Shape", [x], [f"{y}_shape"]),
        constant(f"{y}_at", np.array(axis)),
        node("Gather", [f"{y}_shape", f"{y}_at"], [f"{y}_dim"]),
        constant(f"{y}_one", np.array(1)),
        node("Equal", [f"{y}_dim", f"{y}_one"], [f"{y}_is_one"]),
        node("If", [f"{y}_is_one"], [y], then_branch=then, else_branch=other),
    ]


def squeeze_by_data(flag: str, x: str, y: str) -> list[onnx.NodeProto]:
    """y = flag ? sum of x over axis 1 : x."""
    then = helper.make_graph(
        [constant(f"{y}_axes", np.array([1])), node("ReduceSum", [x, f"{y}_axes"], [f"{y}_then"], keepdims=0)],
        "then",
        [],
        [value(f"{y}_then")],
    )
    other = helper.make_graph([node("Relu", [x], [f"{y}_else"])], "else", [], [value(f"{y}_else")])
    return [node("If", [flag], [y], then_branch=then, else_branch=other)]


def chosen(flag: str, y: str, then: list[onnx.NodeProto], other: list[onnx.NodeProto]) -> onnx.NodeProto:
    """y = flag ? what the first nodes give last : what the others give last."""
    first, second = (helper.make_graph(n, f"{y}_branch", [], [value(n[-1].output[0])]) for n in (then, other))
    return node("If", [flag], [y], then_branch=first, else_branch=second)


FLAT = [constant("minus", np.array([-1])), constant("keep", np.array([0, -1]))]
TAIL = [node("Neg", ["s"], ["t"]), node("Exp", ["t"], ["u"]), node("Reshape", ["u", "keep"], ["y"])]

# Name: nodes over x [a, b, c]; its outputs.
MODELS: dict[str, tuple[list[onnx.NodeProto], list[str]]] = {
    "squeezed, then flat": ([*FLAT, *squeeze("x", "s"), *TAIL], ["y"]),
    "an output": ([*squeeze("x", "s"), node("Neg", ["s"], ["y"])], ["y"]),
    "the If is the output": (squeeze("x", "y"), ["y"]),
    "two outputs, of which one has two ranks": (
        [
            *FLAT,
            *squeeze("x", "s"),
            node("Exp", ["s"], ["y"]),
            node("Reshape", ["s", "minus"], ["z"]),
            node("Shape", ["s"], ["shape"]),
        ],
        ["y", "z"],
    ),
    "an output whose rank data tells": (
        [*positive("x", "flag", OPSET), *squeeze_by_data("flag", "x", "s"), node("Exp", ["s"], ["y"])],
        ["y"],
    ),
    "an output beside its first axis": (
        [
            *FLAT,
            *squeeze("x", "y", 0),
            node("Reshape", ["x", "minus"], ["z"]),
        ],
        ["y", "z"],
    ),
    "flat at once": ([*FLAT, *squeeze("x", "s"), node("Reshape", ["s", "keep"], ["y"])], ["y"]),
    "two values behind it": (
        [
            *FLAT,
            *squeeze("x", "s"),
            node("Relu", ["x"], ["r"]),
            node("Neg", ["s"], ["n"]),
            node("Reshape", ["n", "minus"], ["f"]),
            node("ReduceSum", ["s"], ["total"], keepdims=0),
            node("Mul", ["f", "total"], ["y"]),
            node("Add", ["r", "total"], ["z"]),
        ],
        ["y", "z"],
    ),
    "one after the other": (
        [
            *FLAT,
            *squeeze("x", "s", 1),
            node("Relu", ["s"], ["t"]),
            *squeeze("t", "q", 0),
            node("Abs", ["q"], ["p"]),
            node("Reshape", ["p", "minus"], ["y"]),
            node("Neg", ["y"], ["z"]),
        ],
        ["y", "z"],
    ),
    "by data": (
        [
            *FLAT,
            *positive("x", "flag", OPSET),
            *squeeze_by_data("flag", "x", "s"),
            *TAIL,
            node("Shape", ["y"], ["shape"]),
        ],
        ["y", "shape"],
    ),
    "by data, then by shape": (
        [
            *FLAT,
            *positive("x", "flag", OPSET),
            *squeeze_by_data("flag", "x", "s"),
            *squeeze("s", "q", 1),
            node("Neg", ["q"], ["p"]),
            node("Reshape", ["p", "minus"], ["y"]),
        ],
        ["y"],
    ),
    "in a branch of another": (
        [
            *FLAT,
            *positive("x", "flag", OPSET),
            chosen("flag", "s", [node("Exp", ["x"], ["e"]), *squeeze("e", "q")], [node("Neg", ["x"], ["n"])]),
            *TAIL,
        ],
        ["y"],
    ),
    "in both branches of another, twice": (
        [
            *FLAT,
            *positive("x", "flag", OPSET),
            chosen(
                "flag",
                "s",
                [*squeeze("x", "q"), node("Exp", ["q"], ["e"]), *squeeze("e", "p", 0)],
                [*squeeze("x", "r", 0)],
            ),
            node("Neg", ["s"], ["t"]),
            node("Relu", ["x"], ["other"]),
            node("Reshape", ["t", "minus"], ["y"]),
            node("Reshape", ["other", "minus"], ["o"]),
            node("Add", ["o", "y"], ["z"]),
        ],
        ["y", "z"],
    ),
    "in a branch that is known to be taken": (
        [
            *FLAT,
            TRUE,
            chosen("yes", "s", [node("Exp", ["x"], ["e"]), *squeeze("e", "q")], [node("Neg", ["x"], ["n"])]),
            *TAIL,
        ],
        ["y"],
    ),
    "in a branch of a branch": (
        [
            *FLAT,
            *positive("x", "flag", OPSET),
            node("Not", ["flag"], ["no"]),
            chosen(
                "no", "s", [chosen("flag", "i", squeeze("x", "q"), [node("Abs", ["x"], ["a1"])])], squeeze("x", "r")
            ),
            *TAIL,
        ],
        ["y"],
    ),
    "an output, in a branch of another": (
        [
            *positive("x", "flag", OPSET),
            chosen("flag", "s", [node("Exp", ["x"], ["e"]), *squeeze("e", "q")], [node("Neg", ["x"], ["n"])]),
            node("Abs", ["s"], ["y"]),
        ],
        ["y"],
    ),
    "an output, in both branches, twice": (
        [
            *positive("x", "flag", OPSET),
            chosen("flag", "y", [*squeeze("x", "q"), *squeeze("q", "p", 0)], [*squeeze("x", "r", 0)]),
        ],
        ["y"],
    ),
    "a result that nobody reads": (
        [
            *positive("x", "flag", OPSET),
            node(
                "If",
                ["flag"],
                ["unread", "y"],
                then_branch=helper.make_graph(
                    [
                        constant("flat", np.array([-1])),
                        node("Reshape", ["x", "flat"], ["f"]),
                        node("Neg", ["x"], ["n"]),
                    ],
                    "then",
                    [],
                    [value("f"), value("n")],
                ),
                else_branch=helper.make_graph(
                    [node("Abs", ["x"], ["a"]), node("Exp", ["x"], ["e"])], "else", [], [value("a"), value("e")]
                ),
            ),
        ],
        ["y"],
    ),
    "in a branch": (
        [
            *positive("x", "flag", OPSET),
            node(
                "If",
                ["flag"],
                ["y"],
                then_branch=helper.make_graph(
                    [*FLAT, *squeeze("x", "s"), node("Reshape", ["s", "minus"], ["f"])], "then", [], [value("f")]
                ),
                else_branch=helper.make_graph(
                    [
                        constant("flat", np.array([-1])),
                        node("Reshape", ["x", "flat"], ["g"]),
                        node("Neg", ["g"], ["h"]),
                    ],
                    "else",
                    [],
                    [value("h")],
                ),
            ),
        ],
        ["y"],
    ),
    "in a loop": (
        [
            TRUE,
            constant("three", np.array(3)),
            node(
                "Loop",
                ["three", "yes", "x"],
                ["y", "sums"],
                body=loop_body(
                    [
                        *squeeze("h", "s"),
                        node("ReduceSum", ["s"], ["total"], keepdims=0),
                        node("Sub", ["h", "total"], ["h2"]),
                    ],
                    ["h"],
                    ["h2", "total"],
                ),
            ),
        ],
        ["y", "sums"],
    ),
    "a loop behind it": (
        [
            *FLAT,
            TRUE,
            *squeeze("x", "s"),
            constant("two", np.array(2)),
            node(
                "Loop",
                ["two", "yes", "s"],
                ["l"],
                body=loop_body([node("Add", ["h", "h"], ["h2"])], ["h"], ["h2"]),
            ),
            node("Reshape", ["l", "minus"], ["y"]),
        ],
        ["y"],
    ),
}


def model_of(name: str, dims: list[Any]) -> bytes:
    nodes, outputs = MODELS[name]
    shapes = {"shape": INT64}
    made = helper.make_model(
        helper.make_graph(nodes, "model", [value("x", FLOAT, dims)], [value(o, shapes.get(o, FLOAT)) for o in outputs]),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=8,
    )
    data: bytes = made.SerializeToString()
    return data


def peer_of(data: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"])


SHAPES = [(2, 1, 3), (2, 4, 3), (1, 1, 3), (1, 4, 1), (3, 1, 1)]


def drawn(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32) + np.float32((seed % 3 - 1) * 0.4)


@pytest.mark.parametrize("name", MODELS)
def test_branches_of_different_ranks_mean_what_onnx_runtime_says(name: str) -> None:
    dynamic = model_of(name, ["a", "b", "c"])
    peer = peer_of(dynamic)
    bounds = {"x": ((0, 4), (0, 5), (0, 4))}
    sessions = {p: anydim.InferenceSession(dynamic, passes=p, threads=1) for p in PASSES}
    sessions["bounded"] = anydim.InferenceSession(dynamic, bounds=bounds, threads=1)
    for seed in range(3):
        for shape in SHAPES:
            x = {"x": drawn(shape, seed)}
            expected = peer.run(None, x)
            fixed = anydim.InferenceSession(model_of(name, list(shape)), threads=1)
            for how, session in {**sessions, "fixed": fixed}.items():
                for got, want in zip(session.run(None, x), expected, strict=True):
                    assert got.shape == want.shape and got.dtype == want.dtype, (how, shape)
                    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5, err_msg=f"{how} {shape}")


@pytest.mark.parametrize("passes", PASSES)
def test_where_one_branch_is_possible_it_is_the_model_and_the_run_checks_it(passes: str) -> None:
    # What is behind it takes a matrix.
    nodes = [*squeeze("x", "s"), node("Transpose", ["s"], ["t"], perm=[1, 0]), node("Gemm", ["t", "s"], ["y"])]
    MODELS["gemm"] = (nodes, ["y"])
    data = model_of("gemm", ["a", "b", "c"])
    del MODELS["gemm"]
    session = anydim.InferenceSession(data, passes=passes, threads=1)
    x = drawn((2, 1, 3), 0)
    np.testing.assert_allclose(session.run(None, {"x": x})[0], x[:, 0].T @ x[:, 0], rtol=1e-5, atol=1e-5)
    with pytest.raises(anydim.Error, match="its condition is false, and with the else_branch the model fails"):
        session.run(None, {"x": drawn((2, 2, 3), 0)})


@pytest.mark.parametrize("passes", PASSES)
def test_where_data_chooses_and_one_branch_is_possible_the_run_checks_the_data(passes: str) -> None:
    nodes = [
        *positive("x", "flag", OPSET),
        *squeeze_by_data("flag", "x", "s"),
        node("Transpose", ["s"], ["y"], perm=[1, 0]),
    ]
    MODELS["matrix"] = (nodes, ["y"])
    data = model_of("matrix", ["a", "b", "c"])
    del MODELS["matrix"]
    session = anydim.InferenceSession(data, passes=passes, threads=1)
    x = np.abs(drawn((2, 4, 3), 0))
    np.testing.assert_allclose(session.run(None, {"x": x})[0], x.sum(axis=1).T, rtol=1e-5)
    with pytest.raises(anydim.Error, match="its condition is false, and with the else_branch the model fails"):
        session.run(None, {"x": -x})
    np.testing.assert_allclose(session.run(None, {"x": x})[0], x.sum(axis=1).T, rtol=1e-5)


def test_an_output_of_two_ranks_says_which_axes_a_run_may_leave_out() -> None:
    session = anydim.InferenceSession(model_of("an output", ["a", "b", "c"]), threads=1)
    assert session.get_outputs()[0].shape == ["select(b == 1, 1, a) or none", "select(b == 1, a, b)", "c"]
    fixed = anydim.InferenceSession(model_of("an output", [2, 1, 3]), threads=1)
    assert fixed.get_outputs()[0].shape == [2, 3]
    with pytest.raises(anydim.UnimplementedError, match="or none"):
        anydim.rows.Rows(session)


def test_results_of_bodies_have_one_rank() -> None:
    """But for branches whose results are outputs, where the rank follows from dims: the run must know it outside."""
    inner = helper.make_graph(
        [*positive("x", "inside", OPSET), *squeeze_by_data("inside", "x", "s")], "inner", [], [value("s")]
    )
    other = helper.make_graph([node("Neg", ["x"], ["n"])], "other", [], [value("n")])
    nodes = [*positive("x", "flag", OPSET), node("If", ["flag"], ["y"], then_branch=inner, else_branch=other)]
    MODELS["body"] = (nodes, ["y"])
    data = model_of("body", ["a", "b", "c"])
    del MODELS["body"]
    with pytest.raises(anydim.UnimplementedError, match="rank"):
        anydim.InferenceSession(data, threads=1)


@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("tail", ["output", "flat", "product"])
def test_a_squeeze_without_axes_gives_the_rank_that_its_dims_say(tail: str, opset: int) -> None:
    tails = {
        "output": [node("Sigmoid", ["s"], ["y"])],
        "flat": [node("Neg", ["s"], ["t"]), node("Reshape", ["t", "minus"], ["y"])],
        "product": [node("MatMul", ["s", "w"], ["y"])],
    }
    weights = [constant("w", np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)), FLAT[0]]
    nodes = [*weights, node("Abs", ["x"], ["a"]), node("Squeeze", ["a"], ["s"]), *tails[tail]]
    graph = helper.make_graph(nodes, "model", [value("x", FLOAT, ["n", 1, 3])], [value("y", FLOAT)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    data = made.SerializeToString()
    peer = peer_of(data)
    sessions = [anydim.InferenceSession(data, passes=p, threads=1) for p in PASSES]
    sessions.append(anydim.InferenceSession(data, bounds={"x": ((0, 4), 1, 3)}, threads=1))
    for n in (1, 3, 2, 1, 4):
        x = {"x": drawn((n, 1, 3), n)}
        expected = peer.run(None, x)[0]
        for session in sessions:
            got = session.run(None, x)[0]
            assert got.shape == expected.shape, (n, tail)
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_names_of_a_branch_stay_its_own() -> None:
    # What is behind the If has a name that its branch has for something else.
    made = chosen("flag", "s", [node("Exp", ["x"], ["t"]), *squeeze("t", "q")], [node("Neg", ["x"], ["n"])])
    MODELS["names"] = ([*FLAT, *positive("x", "flag", OPSET), made, *TAIL], ["y"])
    data = model_of("names", ["a", "b", "c"])
    del MODELS["names"]
    with pytest.raises(anydim.UnimplementedError, match="rank"):
        anydim.InferenceSession(data, threads=1)


def test_a_voice_activity_model_in_small() -> None:
    """A rate chooses one of two networks; in each a channel of one is squeezed and the state is put back."""

    def network(name: str, width: int) -> onnx.GraphProto:
        weights = np.linspace(-1, 1, 2 * width, dtype=np.float32).reshape(2, 1, width)
        nodes = [
            constant(f"{name}_w", weights),
            constant(f"{name}_axis", np.array([1])),
            node("Unsqueeze", ["x", f"{name}_axis"], [f"{name}_x"]),
            node("Conv", [f"{name}_x", f"{name}_w"], [f"{name}_c"], strides=[width]),
            node("Relu", [f"{name}_c"], [f"{name}_r"]),
            constant(f"{name}_last", np.array([-1])),
            node("ReduceMean", [f"{name}_r"], [f"{name}_m"], axes=[1], keepdims=1),
            *squeeze(f"{name}_m", f"{name}_s", 1),
            node("Sigmoid", [f"{name}_s"], [f"{name}_g"]),
            constant(f"{name}_flat", np.array([0, -1])),
            node("Reshape", [f"{name}_g", f"{name}_flat"], [f"{name}_y"]),
        ]
        return helper.make_graph(nodes, name, [], [value(f"{name}_y")])

    nodes = [
        constant("high", np.array(16000)),
        node("Equal", ["sr", "high"], ["is_high"]),
        node("If", ["is_high"], ["y"], then_branch=network("wide", 8), else_branch=network("narrow", 4)),
    ]
    graph = helper.make_graph(
        nodes, "vad", [value("x", FLOAT, ["batch", "samples"]), value("sr", INT64, [])], [value("y")]
    )
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8).SerializeToString()
    peer = peer_of(data)
    for passes in PASSES:
        session = anydim.InferenceSession(data, passes=passes, threads=1)
        for seed, (batch, samples, rate) in enumerate([(1, 64, 16000), (3, 40, 8000), (2, 33, 16000), (1, 8, 8000)]):
            feeds = {"x": drawn((batch, samples), seed), "sr": np.array(rate)}
            for got, want in zip(session.run(None, feeds), peer.run(None, feeds), strict=True):
                assert got.shape == want.shape
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_a_long_row_of_branches_without_an_end_is_refused_in_time() -> None:
    nodes, x = [*FLAT, *positive("x", "flag", OPSET)], "x"
    for at in range(16):
        then = helper.make_graph([node("Reshape", [x, "minus"], [f"f{at}"])], "then", [], [value(f"f{at}")])
        other = helper.make_graph([node("Relu", [x], [f"g{at}"])], "else", [], [value(f"g{at}")])
        x = f"r{at}"
        nodes.append(node("If", ["flag"], [x], then_branch=then, else_branch=other))
    MODELS["row"] = ([*nodes, node("Reshape", [x, "minus"], ["y"])], ["y"])
    try:
        with pytest.raises(anydim.UnimplementedError, match="more than 2000 attempts to join them are not made"):
            anydim.InferenceSession(model_of("row", ["a", "b", "c"]), threads=1)
    finally:
        del MODELS["row"]


def test_a_condition_of_several_elements_stays_refused() -> None:
    then = helper.make_graph([node("Neg", ["x"], ["a"])], "then", [], [value("a")])
    other = helper.make_graph([node("Abs", ["x"], ["b"])], "else", [], [value("b")])
    graph = helper.make_graph(
        [node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
        "g",
        [value("x", FLOAT, [2]), value("c", BOOL, [2])],
        [value("y")],
    )
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8).SerializeToString()
    with pytest.raises(anydim.Error, match="expected one element"):
        anydim.InferenceSession(data, threads=1)
