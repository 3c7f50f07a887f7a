# SPDX-License-Identifier: Apache-2.0
"""If, Loop and Scan in every opset in which they changed, beside ONNX Runtime: with declared dims and without, with conditions
and trip counts that data determines, without iterations, in one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from opset_cases import NEWEST, ORACLES_NEWEST

Array = npt.NDArray[Any]
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name: str, element: int = FLOAT, dims: Any = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element, dims)


def constant(name: str, array: Array | np.generic) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.asarray(array)))


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, **attributes)


def positive(x: str, y: str, opset: int) -> list[onnx.NodeProto]:
    """y: the sum of x is above 0, a scalar."""
    return [node("ReduceSum", [x], [y + "_sum"], keepdims=0), constant(y + "_0", np.float32(0).reshape(())),
            node("Greater", [y + "_sum", y + "_0"], [y])]  # fmt: skip


Built = tuple[list[onnx.NodeProto], list[str]]  # nodes over x [3, 4], z [3, 4], n (i64); names of the outputs


def if_of_one_size(opset: int) -> Built:
    then = helper.make_graph([node("Add", ["x", "z"], ["a"]), node("Relu", ["a"], ["b"])], "then", [], [value("b")])
    other = helper.make_graph([node("Mul", ["x", "x"], ["b"])], "else", [], [value("b")])
    return [*positive("x", "c", opset), node("If", ["c"], ["y"], then_branch=then, else_branch=other),
            node("Neg", ["y"], ["w"])], ["y", "w"]  # fmt: skip


def if_of_two_sizes(opset: int) -> Built:
    then = helper.make_graph(
        [node("Concat", ["x", "z", "x"], ["b"], axis=0), node("Exp", ["b"], ["e"])],
        "then",
        [],
        [value("b"), value("e")],
    )
    other = helper.make_graph(
        [node("Identity", ["z"], ["b"]), node("Neg", ["x"], ["e"])], "else", [], [value("b"), value("e")]
    )
    return [*positive("x", "c", opset), node("If", ["c"], ["y", "e"], then_branch=then, else_branch=other),
            node("Relu", ["y"], ["w"]), node("Shape", ["y"], ["s"])], ["y", "e", "w", "s"]  # fmt: skip


def if_of_values_around_it(opset: int) -> Built:
    then = helper.make_graph([node("Identity", ["x"], ["k"])], "then", [], [value("k")])
    other = helper.make_graph([constant("k", np.ones((3, 4), np.float32))], "else", [], [value("k")])
    return [*positive("x", "c", opset), node("If", ["c"], ["y"], then_branch=then, else_branch=other)], ["y"]


def loop_body(
    nodes: list[onnx.NodeProto], carried: list[str], results: list[str], asks: str = "", depth: str = ""
) -> onnx.GraphProto:
    """Its inputs are i, go and `carried`; without `asks` it always goes on."""
    i, go, on = "i" + depth, "go" + depth, asks or "on" + depth
    if not asks:
        nodes = [*nodes, node("Identity", [go], [on])]
    return helper.make_graph(nodes, "body", [value(i, INT64, []), value(go, BOOL, []), *map(value, carried)],
                             [value(on, BOOL, []), *map(value, results)])  # fmt: skip


STEP = [node("Add", ["h", "z"], ["a"]), node("Relu", ["a"], ["b"]), node("Mul", ["b", "x"], ["next"])]
TRUE = constant("yes", np.array(True))


def loop_counted(opset: int) -> Built:
    body = loop_body([*STEP, node("ReduceSum", ["next"], ["s"], keepdims=0)], ["h"], ["next", "s", "next"])
    return [TRUE, node("Loop", ["n", "yes", "x"], ["y", "sums", "all"], body=body)], ["y", "sums", "all"]


def loop_counted_without_condition(opset: int) -> Built:
    return [node("Loop", ["n", "", "x"], ["y"], body=loop_body(STEP, ["h"], ["next"]))], ["y"]


def loop_that_asks(opset: int) -> Built:
    nodes = [constant("q", np.float32(0.5)), node("Mul", ["h", "q"], ["half"]), node("Abs", ["z"], ["az"]),
             node("Mul", ["az", "q"], ["zq"]), node("Sub", ["half", "zq"], ["next"]), *positive("next", "again", opset)]  # fmt: skip
    body = loop_body(nodes, ["h"], ["next", "next"], asks="again")
    return [
        *positive("x", "c", opset),
        node("Loop", ["", "c", "x"], ["y", "all"], body=body),
        node("Neg", ["all"], ["w"]),
    ], ["y", "all", "w"]


def loop_that_grows(opset: int) -> Built:
    body = loop_body(
        [node("Concat", ["h", "z"], ["next"], axis=0), node("ReduceMax", ["next"], ["m"], keepdims=0)],
        ["h"],
        ["next", "m"],
    )
    return [TRUE, node("Loop", ["n", "yes", "x"], ["y", "max"], body=body), node("Relu", ["y"], ["w"])], [
        "y",
        "max",
        "w",
    ]


def loop_that_exchanges(opset: int) -> Built:
    body = loop_body(
        [node("Identity", ["b"], ["a2"]), node("Identity", ["a"], ["b2"]), node("Identity", ["x"], ["c"])],
        ["a", "b"],
        ["a2", "b2", "c"],
    )
    return [TRUE, node("Loop", ["n", "yes", "x", "z"], ["y", "w", "xs"], body=body)], ["y", "w", "xs"]


def loop_that_carries_weights(opset: int) -> Built:
    nodes = [node("MatMul", ["h", "v"], ["m"]), node("Add", ["m", "k"], ["a"]), node("Relu", ["a"], ["next"])]
    body = loop_body(nodes, ["h", "v", "k"], ["next", "v", "k", "a"])
    weights = constant("weights", np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4))
    loop = node("Loop", ["n", "yes", "x", "weights", "z"], ["y", "v_last", "k_last_z", "all"], body=body)
    return [TRUE, weights, loop, node("Neg", ["k_last_z"], ["w"])], ["y", "v_last", "w", "all"]


def loop_that_changes_nothing(opset: int) -> Built:
    body = loop_body([], ["a", "b"], ["a", "b"])
    return [TRUE, node("Loop", ["n", "yes", "x", "z"], ["y", "w"], body=body), node("Add", ["y", "w"], ["s_xz"])], [
        "y",
        "s_xz",
    ]


def loop_over_its_count(opset: int) -> Built:
    nodes = [node("Cast", ["i"], ["f"], to=FLOAT), node("Mul", ["h", "f"], ["p"]), node("Add", ["p", "x"], ["next"]),
             node("Add", ["k", "i"], ["k2"])]  # fmt: skip
    body = helper.make_graph([*nodes, node("Identity", ["go"], ["on"])], "body",
                             [value("i", INT64, []), value("go", BOOL, []), value("h"), value("k", INT64)],
                             [value("on", BOOL, []), value("next"), value("k2", INT64), value("k2", INT64)])  # fmt: skip
    return [TRUE, constant("zero", np.int64(0).reshape(())), node("Loop", ["n", "yes", "x", "zero"], ["y", "k_last", "ks"], body=body)], \
        ["y", "k_last", "ks"]  # fmt: skip


def loop_in_a_branch_in_a_loop(opset: int) -> Built:
    inner = loop_body([node("Add", ["g", "z"], ["g2"])], ["g"], ["g2"], depth="2")
    then = helper.make_graph([node("Loop", ["i", "go", "h"], ["t"], body=inner)], "then", [], [value("t")])
    other = helper.make_graph([node("Sub", ["h", "x"], ["t"])], "else", [], [value("t")])
    nodes = [*positive("h", "c", opset), node("If", ["c"], ["b"], then_branch=then, else_branch=other), constant("q", np.float32(-0.5)),
             node("Mul", ["b", "q"], ["next"])]  # fmt: skip
    return [TRUE, node("Loop", ["n", "yes", "x"], ["y", "all"], body=loop_body(nodes, ["h"], ["next", "b"]))], [
        "y",
        "all",
    ]


SUM = helper.make_graph([node("Add", ["h", "e"], ["next"]), node("Mul", ["next", "e"], ["p"])], "body", [value("h"), value("e")],
                        [value("next"), value("p")])  # fmt: skip


def scan_of_rows(opset: int) -> Built:
    return [
        constant("h0", np.zeros(4, np.float32)),
        node("Scan", ["h0", "x"], ["y", "ps"], body=SUM, num_scan_inputs=1),
    ], ["y", "ps"]


def scan_of_columns_backwards(opset: int) -> Built:
    scan = node("Scan", ["h0", "x"], ["y", "ps"], body=SUM, num_scan_inputs=1, scan_input_axes=[-1], scan_input_directions=[1],
                scan_output_axes=[1], scan_output_directions=[1])  # fmt: skip
    return [constant("h0", np.zeros(3, np.float32)), scan], ["y", "ps"]


def scan_of_two_without_states(opset: int) -> Built:
    body = helper.make_graph([node("Sub", ["a", "b"], ["d"])], "body", [value("a"), value("b")], [value("d")])
    return [
        node(
            "Scan", ["x", "z"], ["y"], body=body, num_scan_inputs=2, scan_input_directions=[0, 1], scan_output_axes=[-1]
        )
    ], ["y"]


def scan_of_a_batch(opset: int) -> Built:
    scan = node("Scan", ["", "h0", "x3"], ["y", "ps"], body=SUM, num_scan_inputs=1)
    return [constant("h0", np.zeros((2, 4), np.float32)), node("Concat", ["x", "z"], ["xz"], axis=0), constant("d", np.array([2, 3, 4])),
            node("Reshape", ["xz", "d"], ["x3"]), scan], ["y", "ps"]  # fmt: skip


FORMS: dict[str, list[Callable[[int], Built]]] = {
    "If": [if_of_one_size, if_of_two_sizes, if_of_values_around_it],
    "Loop": [loop_counted, loop_counted_without_condition, loop_that_asks, loop_that_grows, loop_that_exchanges, loop_that_carries_weights,
             loop_that_changes_nothing, loop_over_its_count,
             loop_in_a_branch_in_a_loop],
    "Scan": [scan_of_rows, scan_of_columns_backwards, scan_of_two_without_states],
}  # fmt: skip
OPSETS = {"If": [7, 11, 13, 16, 19, 21, 23, 24, 25, 26], "Loop": [7, 11, 13, 16, 19, 21, 23, 24, 25, 26],
          "Scan": [9, 11, 16, 19, 21, 23, 24, 25, 26]}  # fmt: skip
ROWS = [(form, opset) for operator, forms in FORMS.items() for form in forms for opset in OPSETS[operator]] + [
    (scan_of_a_batch, 8)
]


def model_of(form: Callable[[int], Built], opset: int, dynamic: bool) -> bytes:
    nodes, outputs = form(opset)
    dims = (["a", "b"], ["c", "d"]) if dynamic else ([3, 4], [3, 4])
    inputs = [value("x", FLOAT, dims[0]), value("z", FLOAT, dims[1]), value("n", INT64, [])]
    elements = {"s": INT64, "ks": INT64, "k_last": INT64}
    unknown = [value(name, elements.get(name, FLOAT)) for name in outputs]
    model = helper.make_model(
        helper.make_graph(nodes, "model", inputs, unknown), opset_imports=[helper.make_opsetid("", opset)], ir_version=8
    )
    serialised: bytes = model.SerializeToString()
    return serialised


def feeds(seed: int, n: int) -> dict[str, Array]:
    random = np.random.default_rng(seed)
    return {"x": random.standard_normal((3, 4)).astype(np.float32) + np.float32(seed % 3 - 1),
            "z": random.standard_normal((3, 4)).astype(np.float32) / 4, "n": np.array(n, np.int64)}  # fmt: skip


@pytest.mark.parametrize("form, opset", ROWS, ids=[f"{form.__name__}-{opset}" for form, opset in ROWS])
def test_bodies_mean_what_onnx_runtime_says(form: Callable[[int], Built], opset: int) -> None:
    fixed, dynamic = (anydim.InferenceSession(model_of(form, opset, any_dims), threads=1) for any_dims in (False, True))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    peer = None
    if opset <= ORACLES_NEWEST:
        peer = onnxruntime.InferenceSession(model_of(form, opset, True), options, ["CPUExecutionProvider"])
    compared = 0
    for seed in range(6):
        given = feeds(seed, seed % 5)
        names = [i.name for i in fixed.get_inputs()]
        given = {name: array for name, array in given.items() if name in names}
        got, other = fixed.run(None, given), dynamic.run(None, given)
        for a, b in zip(got, other, strict=True):
            assert (a.shape == b.shape or a.size == b.size == 0) and a.tobytes() == b.tobytes(), (
                "dynamic dims change the result"
            )
        if peer is None:
            continue
        expected = peer.run(None, given)
        for g, e in zip(got, expected, strict=True):
            assert g.dtype == e.dtype
            # Where nothing runs, the sizes of what would have been stacked are what a runtime knows of them, if anything.
            assert g.shape == e.shape or g.size == e.size == 0, (g.shape, e.shape)
            np.testing.assert_allclose(g, e.reshape(g.shape), rtol=1e-5, atol=1e-6)
        compared += 1
    assert compared == 6 or peer is None


def test_each_operator_is_walked_in_each_of_its_opsets() -> None:
    assert len(ROWS) >= 100
    assert max(opset for _, opset in ROWS) <= NEWEST


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "declared, empty", [([2, 5], (0, 2, 5)), ([2, None], (0, 2, 0)), (None, (0, 2, 0)), ([7], (0, 2, 0))]
)
def test_what_a_body_declares_is_said_where_nothing_runs(passes: str, declared: Any, empty: tuple[int, ...]) -> None:
    body = loop_body([node("NonZero", ["x"], ["at"]), node("Cast", ["at"], ["found"], to=FLOAT)], [], ["found"])
    body.output[1].CopyFrom(value("found", FLOAT, declared))
    nodes = [TRUE, node("Loop", ["n", "yes"], ["y"], body=body)]
    graph = helper.make_graph(nodes, "g", [value("x", FLOAT, ["a", "b"]), value("n", INT64, [])], [value("y")])
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    session = anydim.InferenceSession(data, passes=passes, threads=1)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for n in (0, 2, 0):
        got = session.run(None, {"x": x, "n": np.array(n)})[0]
        assert got.shape == (empty if n == 0 else (2, 2, 5))
    if declared != [7]:  # another rank than the values have
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        peer = onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"])
        assert peer.run(None, {"x": x, "n": np.array(0)})[0].shape == empty
