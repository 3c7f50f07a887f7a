# SPDX-License-Identifier: Apache-2.0
"""Models of which one node can never run, since what it asks of a dim contradicts what another node asks: refused when they are
loaded, with one status and message for every set of passes (docs/decisions/048-models-that-no-dims-satisfy.md). A body that can never
run fails in the run that comes to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

PASSES = ("none", "exact", "all")
Node = tuple[str, str, str, dict[str, Any]]


def ones(*dims: int) -> NDArray[Any]:
    return np.ones(dims, np.float32)


def numbers(*values: int) -> NDArray[Any]:
    return np.array(values, np.int64)


# Nodes that ask x [2, n] to have n = 4 (or 1), written "operator", "inputs", "outputs", attributes; and their constants.
FOUR: dict[str, tuple[list[Node], dict[str, NDArray[Any]]]] = {
    "MatMul": ([("MatMul", "x b", "z", {})], {"b": ones(4, 5)}),
    "MatMul behind Relu": ([("Relu", "x", "r", {}), ("MatMul", "r b", "z", {})], {"b": ones(4, 5)}),
    "MatMul before Add": ([("MatMul", "x b", "m", {}), ("Add", "m c", "z", {})], {"b": ones(4, 5), "c": ones(5)}),
    "MatMul before Mul": ([("MatMul", "x b", "m", {}), ("Mul", "m c", "z", {})], {"b": ones(4, 5), "c": 2 * ones(5)}),
    "Gemm of a Transpose": (
        [("Transpose", "x", "t", {"perm": [1, 0]}), ("Gemm", "t b", "z", {"transA": 1})],
        {"b": ones(4, 5)},
    ),
    "Add": ([("Add", "x c", "z", {})], {"c": ones(4)}),
    "Mul behind Exp": ([("Exp", "x", "e", {}), ("Mul", "e c", "z", {})], {"c": 2 * ones(4)}),
    "Concat": ([("Concat", "x c", "z", {"axis": 0})], {"c": ones(1, 4)}),
    "Reshape": ([("Reshape", "x s", "z", {})], {"s": numbers(2, 4)}),
    "Expand": ([("Expand", "x s", "z", {})], {"s": numbers(2, 4)}),
    "Where": ([("Where", "q x c", "z", {})], {"q": np.array([True]), "c": ones(4)}),
    "PRelu": ([("PRelu", "x c", "z", {})], {"c": ones(4)}),
    "Split": ([("Split", "x s", "z u", {"axis": 1})], {"s": numbers(1, 3)}),
    "Einsum": ([("Einsum", "x b", "z", {"equation": "ij,jk->ik"})], {"b": ones(4, 5)}),
    "BatchNormalization": ([("BatchNormalization", "x c c c c", "z", {})], {"c": ones(4)}),
    "LayerNormalization": ([("LayerNormalization", "x c", "z", {})], {"c": ones(4)}),
    "layer normalisation in steps": (
        [
            ("ReduceMean", "x axes", "m", {}),
            ("Sub", "x m", "d", {}),
            ("Mul", "d d", "s", {}),
            ("ReduceMean", "s axes", "v", {}),
            ("Add", "v e", "ve", {}),
            ("Sqrt", "ve", "sd", {}),
            ("Div", "d sd", "q", {}),
            ("Mul", "q c", "qc", {}),
            ("Add", "qc c", "z", {}),
        ],
        {"axes": numbers(-1), "e": np.array(1e-5, np.float32), "c": 2 * ones(4)},
    ),
    "GELU in steps": (
        [
            ("Add", "x c", "xc", {}),
            ("Div", "xc root", "d", {}),
            ("Erf", "d", "e", {}),
            ("Add", "e one", "f", {}),
            ("Mul", "xc f", "g", {}),
            ("Mul", "g half", "z", {}),
        ],
        {
            "c": ones(4),
            "root": np.array(2**0.5, np.float32),
            "one": np.array(1, np.float32),
            "half": np.array(0.5, np.float32),
        },
    ),
    "Conv": (
        [("Unsqueeze", "x axes", "u", {}), ("Transpose", "u", "t", {"perm": [0, 2, 1]}), ("Conv", "t w", "z", {})],
        {"axes": numbers(0), "w": ones(2, 4, 1)},
    ),
    "Conv before a scale": (
        [
            ("Unsqueeze", "x axes", "u", {}),
            ("Transpose", "u", "t", {"perm": [0, 2, 1]}),
            ("Conv", "t w", "k", {}),
            ("Mul", "k h", "z", {}),
        ],
        {"axes": numbers(0), "w": ones(2, 4, 1), "h": 3 * ones(2, 1)},
    ),
    "GatherElements of a product": (
        [("MatMul", "x b", "m", {}), ("GatherElements", "m i", "z", {"axis": 0})],
        {"b": ones(4, 5), "i": np.zeros((1, 5), np.int64)},
    ),
    "a product of a slice": (
        [("Slice", "x from to axes", "s", {}), ("MatMul", "s b", "z", {})],
        {"from": numbers(0), "to": numbers(5), "axes": numbers(1), "b": ones(4, 5)},
    ),
    "a condition": ([("Equal", "x c", "q", {}), ("Where", "q x x", "z", {})], {"c": ones(4)}),
}
THREE: list[Node] = [("MatMul", "x a", "y", {})]


def model(nodes: Sequence[Node], outputs: Sequence[str], constants: dict[str, NDArray[Any]]) -> onnx.ModelProto:
    graph = helper.make_graph(
        [helper.make_node(op, i.split(), o.split(), name=f"node{k}", **at) for k, (op, i, o, at) in enumerate(nodes)],
        "never",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, "n"])],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def refusals(made: onnx.ModelProto) -> list[tuple[type[anydim.Error], str]]:
    """What each set of passes says when it loads the model."""
    found = []
    for passes in PASSES:
        with pytest.raises(anydim.Error) as caught:
            anydim.InferenceSession(made.SerializeToString(), passes=passes, contexts=1)
        found.append((caught.type, str(caught.value)))
    return found


@pytest.mark.parametrize("after", (False, True), ids=("before", "after"))
@pytest.mark.parametrize("name", FOUR)
def test_two_sizes_for_one_dim_are_refused_at_load_by_every_set_of_passes(name: str, after: bool) -> None:
    nodes, constants = FOUR[name]
    order = [*THREE, *nodes] if after else [*nodes, *THREE]
    found = refusals(model(order, ["y", "z"], {"a": ones(3, 5), **constants}))
    assert len(set(found)) == 1, found
    assert found[0][0] is anydim.InvalidModelError, found


@pytest.mark.parametrize("name", FOUR)
def test_each_half_of_the_contradiction_runs_alone(name: str) -> None:
    """So the refusals above are for what the two ask together."""
    nodes, constants = FOUR[name]
    made = model(nodes, ["z"], constants)
    results = [
        anydim.InferenceSession(made.SerializeToString(), passes=passes, contexts=1).run(None, {"x": ones(2, 4)})
        for passes in PASSES[:2]
    ]
    assert np.array_equal(results[0][0], results[1][0])


BODY = """<ir_version: 8, opset_import: ["" : 18]>
g (float[2, n] x, int64 k, bool c) => (float[2, 5] y) <float[3, 5] a = {%s}, float[4, 5] b = {%s}, float[2, 5] s = {%s}> {
  %s
}"""
BRANCH = """y = If (c) <
    then_branch = t () => (float[2, 5] y1) { y1 = MatMul(x, a) },
    else_branch = e () => (float[2, 5] y2) { r = Relu(x)  q = MatMul(r, a)  w = MatMul(r, b)  v = Relu(w)  y2 = Add(v, q) }>"""
LOOP = """y = Loop (k, c, s) <
    body = l (int64 i, bool go, float[2, 5] before) => (bool again, float[2, 5] after)
      { again = Identity(go)  r = Relu(x)  q = MatMul(r, a)  w = MatMul(r, b)  v = Relu(w)  after = Sum(v, q, before) }>"""


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(
    ("text", "runs", "fails"),
    ((BRANCH, {"k": 1, "c": True}, {"k": 1, "c": False}), (LOOP, {"k": 0, "c": True}, {"k": 2, "c": True})),
    ids=("If", "Loop"),
)
def test_a_body_that_can_never_run_fails_in_the_run_that_comes_to_it(
    passes: str, text: str, runs: dict[str, Any], fails: dict[str, Any]
) -> None:
    made = onnx.parser.parse_model(BODY % (*(",".join(["1"] * count) for count in (15, 20, 10)), text))
    session = anydim.InferenceSession(made.SerializeToString(), passes=passes, contexts=1)

    def run(k: int, c: bool) -> NDArray[Any]:
        out: NDArray[Any] = session.run(None, {"x": ones(2, 3), "k": np.int64(k), "c": np.array(c)})[0]
        return out

    for _ in range(2):
        assert np.array_equal(run(**runs), np.full((2, 5), 3 if runs["k"] else 1))
        with pytest.raises(anydim.InvalidArgumentError, match=r"w \(MatMul\)' cannot run at these dims"):
            run(**fails)


def reshaped(name: str, dims: Sequence[int]) -> onnx.GraphProto:
    nodes = [helper.make_node("Reshape", ["x", f"{name}_s"], [f"{name}_y"])]
    outputs = [helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, None)]
    return helper.make_graph(nodes, name, [], outputs, [onnx.numpy_helper.from_array(numbers(*dims), f"{name}_s")])


def with_branches(then: onnx.GraphProto, other: onnx.GraphProto, flags: str, x: Sequence[int | str]) -> bytes:
    node = helper.make_node("If", [flags[0]], ["y"], then_branch=then, else_branch=other)
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)]
    inputs += [helper.make_tensor_value_info(flag, TensorProto.BOOL, []) for flag in flags]
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    made: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    return made


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("taken", (True, False))
@pytest.mark.parametrize("dims", ([5], ["n"]), ids=("numbers", "dynamic"))
def test_a_branch_that_sizes_rule_out_fails_only_when_it_is_chosen(
    dims: list[int | str], taken: bool, passes: str
) -> None:
    fits, fails = [5, 1], [2, 3]
    made = with_branches(reshaped("t", fits if taken else fails), reshaped("e", fails if taken else fits), "c", dims)
    session = anydim.InferenceSession(made, passes=passes)
    x = np.arange(5, dtype=np.float32)
    assert np.array_equal(session.run(None, {"c": np.array(taken), "x": x})[0], x.reshape(5, 1))
    with pytest.raises(anydim.InvalidArgumentError, match="element"):
        session.run(None, {"c": np.array(not taken), "x": x})


def test_a_model_of_which_no_branch_can_run_is_refused() -> None:
    with pytest.raises(anydim.InvalidModelError, match="input 0 has 5 elements"):
        anydim.InferenceSession(with_branches(reshaped("t", [2, 3]), reshaped("e", [3, 2]), "c", [5]))


def test_a_branch_in_a_branch_fails_only_when_it_is_chosen() -> None:
    inner = helper.make_node("If", ["d"], ["iy"], then_branch=reshaped("t", [2, 3]), else_branch=reshaped("e", [5, 1]))
    then = helper.make_graph([inner], "then", [], [helper.make_tensor_value_info("iy", TensorProto.FLOAT, None)])
    session = anydim.InferenceSession(with_branches(then, reshaped("z", [1, 5]), "cd", [5]))
    x = np.arange(5, dtype=np.float32)

    def run(c: bool, d: bool) -> tuple[int, ...]:
        out: tuple[int, ...] = session.run(None, {"c": np.array(c), "d": np.array(d), "x": x})[0].shape
        return out

    assert [run(True, False), run(False, True), run(False, False)] == [(5, 1), (1, 5), (1, 5)]
    with pytest.raises(anydim.InvalidArgumentError, match="condition is true, and with the then_branch"):
        run(True, True)


@pytest.mark.parametrize("fed", (True, False), ids=("count of a run", "known count"))
def test_a_loop_without_an_iteration_does_not_need_its_body_to_run(fed: bool) -> None:
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Reshape", ["x", "s"], ["r"]),
            helper.make_node("Identity", ["go"], ["again"]),
            helper.make_node("ReduceSum", ["r"], ["q"], keepdims=0),
            helper.make_node("Add", ["q", "v"], ["w"]),
        ],
        "body",
        [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("v", TensorProto.FLOAT, [])],
        [
            value("again", TensorProto.BOOL, []),
            value("w", TensorProto.FLOAT, []),
            value("r", TensorProto.FLOAT, [2, 3]),
        ],
        [onnx.numpy_helper.from_array(numbers(2, 3), "s")],
    )

    def session(count: int) -> anydim.InferenceSession:
        constants = [onnx.numpy_helper.from_array(np.float32(3), "v0")]
        inputs = [value("x", TensorProto.FLOAT, [5])]
        if fed:
            inputs.append(value("n", TensorProto.INT64, []))
        else:
            constants.append(onnx.numpy_helper.from_array(np.array(count), "n"))
        outputs = [value(name, TensorProto.FLOAT, None) for name in ("y", "stack")]
        graph = helper.make_graph(
            [helper.make_node("Loop", ["n", "", "v0"], ["y", "stack"], body=body)], "g", inputs, outputs, constants
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return anydim.InferenceSession(made.SerializeToString())

    def run(count: int) -> list[NDArray[Any]]:
        x = np.ones(5, np.float32)
        out: list[NDArray[Any]] = session(count).run(None, {"x": x, "n": np.array(count)} if fed else {"x": x})
        return out

    y, stack = run(0)
    assert y == 3 and stack.shape == (0, 2, 3)
    with pytest.raises(anydim.InvalidArgumentError if fed else anydim.InvalidModelError, match="5 elements"):
        run(2)


def value(name: str, dims: Sequence[int | str] | None, kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, dims)


SEQUENCE = helper.make_tensor_sequence_value_info("q", TensorProto.FLOAT, None)
SIZES = onnx.numpy_helper.from_array(numbers(2, 3), "s")


def session_of(
    nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], outputs: Sequence[str], opset: int = 17
) -> anydim.InferenceSession:
    one = onnx.numpy_helper.from_array(np.array(1), "one")
    w = value("w", [5])  # never [2, 3]
    graph = helper.make_graph(
        nodes, "g", [*inputs, w], [helper.make_empty_tensor_value_info(o) for o in outputs], [one]
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return anydim.InferenceSession(made.SerializeToString())


def scan(opset: int, axis: int) -> anydim.InferenceSession:
    nodes = [
        helper.make_node("Reshape", ["w", "s"], ["r"]),
        helper.make_node("ReduceSum", ["r"], ["q"], keepdims=0),
        helper.make_node("Add", ["v", "q"], ["after"]),
        helper.make_node("Identity", ["xi"], ["z"]),
    ]
    body = helper.make_graph(
        nodes, "body", [value("v", []), value("xi", [2])], [value("after", []), value("z", [2])], [SIZES]
    )
    old = opset < 9
    node = helper.make_node("Scan", [*([""] if old else []), "v0", "x"], ["y", "stack"], body=body, num_scan_inputs=1)
    if not old:
        node.attribute.append(helper.make_attribute("scan_output_axes", [axis]))
    dims: list[int | str] = ["b", "n", 2] if old else ["n", 2]
    return session_of([node], [value("v0", dims[:-2]), value("x", dims)], ["y", "stack"], opset)


@pytest.mark.parametrize("axis", (0, 1, -1))
def test_a_scan_of_no_elements_does_not_need_its_body_to_run(axis: int) -> None:
    session = scan(17, axis)
    w = np.ones(5, np.float32)
    y, stack = session.run(None, {"v0": np.array(3, np.float32), "x": ones(0, 2), "w": w})
    assert y == 3 and stack.shape == ((0, 2) if axis == 0 else (2, 0))
    with pytest.raises(anydim.InvalidArgumentError, match=r"no iteration.*5 elements"):
        session.run(None, {"v0": np.array(3, np.float32), "x": ones(2, 2), "w": w})


@pytest.mark.parametrize(("b", "n"), ((2, 0), (0, 2), (0, 0)))
def test_a_batch_of_scans_does_not_either(b: int, n: int) -> None:
    session = scan(8, 0)
    y, stack = session.run(None, {"v0": ones(b), "x": ones(b, n, 2), "w": ones(5)})
    assert np.array_equal(y, ones(b)) and stack.shape == (b, n, 2)
    with pytest.raises(anydim.InvalidArgumentError, match=r"no iteration.*5 elements"):
        session.run(None, {"v0": ones(2), "x": ones(2, 1, 2), "w": ones(5)})


def test_a_loop_over_sequences_does_not_either() -> None:
    nodes = [
        helper.make_node("Reshape", ["w", "s"], ["r"]),
        helper.make_node("SequenceInsert", ["q", "r"], ["q1"]),
        helper.make_node("Identity", ["c"], ["c1"]),
    ]
    grown = helper.make_tensor_sequence_value_info("q1", TensorProto.FLOAT, None)
    inputs = [value("i", [], TensorProto.INT64), value("c", [], TensorProto.BOOL), SEQUENCE]
    body = helper.make_graph(nodes, "body", inputs, [value("c1", [], TensorProto.BOOL), grown], [SIZES])
    session = session_of(
        [
            helper.make_node("SequenceConstruct", ["w"], ["q0"]),
            helper.make_node("Loop", ["n", "", "q0"], ["qq"], body=body),
            helper.make_node("ConcatFromSequence", ["qq"], ["y"], axis=0),
        ],
        [value("n", [], TensorProto.INT64)],
        ["y"],
    )
    assert np.array_equal(session.run(None, {"n": np.array(0), "w": ones(5)})[0], ones(5))
    with pytest.raises(anydim.InvalidArgumentError, match=r"no iteration.*5 elements"):
        session.run(None, {"n": np.array(2), "w": ones(5)})


def test_a_map_over_no_elements_does_not_either() -> None:
    nodes = [
        helper.make_node("Reshape", ["w", "s"], ["r"]),
        helper.make_node("ReduceSum", ["r"], ["p"], keepdims=0),
        helper.make_node("Add", ["e", "p"], ["o"]),
    ]
    body = helper.make_graph(nodes, "body", [value("e", [1, 2])], [value("o", [1, 2])], [SIZES])
    session = session_of(
        [
            helper.make_node("SplitToSequence", ["x", "one"], ["q0"], axis=0),
            helper.make_node("SequenceMap", ["q0"], ["qq"], body=body),
            helper.make_node("SequenceLength", ["qq"], ["y"]),
        ],
        [value("x", ["n", 2])],
        ["y"],
    )
    assert session.run(None, {"x": ones(0, 2), "w": ones(5)})[0] == 0
    with pytest.raises(anydim.InvalidArgumentError, match=r"no iteration.*5 elements"):
        session.run(None, {"x": ones(2, 2), "w": ones(5)})
