# SPDX-License-Identifier: Apache-2.0
"""Axes and steps that come with the data: every result has the bits that the same axes give as constants, in one session that sees
all of them, with dims declared and dynamic. What is out of range, or given twice, is refused by the run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper

Array = npt.NDArray[Any]
KINDS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
OPSET = 18


def data(*dims: int) -> Array:
    return np.random.default_rng(len(dims)).uniform(0.5, 1.5, dims).astype(np.float32)


def model(
    operator: str,
    x: Sequence[Any],
    parameters: dict[str, Array],
    fed: Sequence[str],
    attributes: dict[str, Any],
    computed: bool = False,
) -> bytes:
    """One node on x and parameters, in their order; those of `fed` are inputs, and with `computed` what a node makes of them."""
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)]
    nodes, names, initializers = [], ["x"], []
    for name, value in parameters.items():
        names.append(name)
        if name not in fed:
            initializers.append(onnx.numpy_helper.from_array(value, name))
            continue
        element = TensorProto.FLOAT if computed else TensorProto.INT64
        values.append(helper.make_tensor_value_info(f"{name}_in" if computed else name, element, value.shape))
        if computed:
            nodes.append(helper.make_node("Cast", [f"{name}_in"], [name], to=TensorProto.INT64))
    nodes.append(helper.make_node(operator, names, ["y"], **attributes))
    graph = helper.make_graph(nodes, "axes", values, [onnx.ValueInfoProto(name="y")], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    serialised: bytes = made.SerializeToString()
    return serialised


def feeds(x: Array, parameters: dict[str, Array], fed: Sequence[str], computed: bool = False) -> dict[str, Array]:
    return {"x": x} | {
        f"{n}_in" if computed else n: parameters[n].astype(np.float32) if computed else parameters[n] for n in fed
    }


def check(
    operator: str, x: Array, choices: Sequence[dict[str, Array]], fed: Sequence[str], attributes: dict[str, Any]
) -> None:
    """Every choice of parameters, all of the same lengths, in one session of each form."""
    dynamic = [f"d{at}" for at in range(x.ndim)]
    forms = [
        (anydim.InferenceSession(model(operator, dims, choices[0], fed, attributes, computed), threads=1), computed)
        for dims, computed in ((x.shape, False), (dynamic, False), (x.shape, True), (dynamic, True))
    ]
    for parameters in choices:
        constant = anydim.InferenceSession(model(operator, x.shape, parameters, (), attributes), threads=1)
        expected = constant.run(None, {"x": x})[0]
        for session, computed in forms:
            got = session.run(None, feeds(x, parameters, fed, computed))[0]
            assert got.shape == expected.shape, parameters
            np.testing.assert_array_equal(got, expected, err_msg=str(parameters))


def axis_sets(rank: int, count: int) -> Iterator[Array]:
    """All orders of few axes, one order of many, and each of them negative one after the other."""
    sets = itertools.permutations(range(rank), count) if rank < 4 else itertools.combinations(range(rank), count)
    for at, axes in enumerate(sets):
        yield np.array([a - rank if (at >> i) & 1 else a for i, a in enumerate(axes)], np.int64)


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_reductions(kind: str, keepdims: int) -> None:
    for rank in (1, 2, 3, 4):
        for count in range(1, rank + 1):
            choices = [{"axes": axes} for axes in axis_sets(rank, count)]
            check(f"Reduce{kind}", data(*(3, 5, 2, 4)[:rank]), choices, ["axes"], {"keepdims": keepdims})


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize(
    ("rank", "count"), [(5, 1), (5, 2), (5, 4), (5, 5), (6, 3), (6, 4), (7, 4), (8, 1), (8, 3), (8, 5), (8, 8)]
)
def test_reductions_of_many_axes(rank: int, count: int, keepdims: int) -> None:
    choices = [{"axes": axes} for axes in list(axis_sets(rank, count))[::3]]
    check("ReduceSum", data(*(2, 3, 1, 2, 3, 2, 2, 3)[:rank]), choices, ["axes"], {"keepdims": keepdims})


def test_the_one_number_of_axes_that_is_missing() -> None:
    with pytest.raises(anydim.UnimplementedError, match="4 axes of an input of rank 8 are only known at run time"):
        anydim.InferenceSession(model("ReduceSum", [2] * 8, {"axes": np.arange(4)}, ["axes"], {}))


def test_a_reduction_without_elements() -> None:
    for axes in ([0], [1], [2], [-1]):
        check("ReduceSum", data(2, 0, 3), [{"axes": np.array(axes)}], ["axes"], {"keepdims": 1})
    check("ReduceMax", data(2, 3), [{"axes": np.array([], np.int64)}], ["axes"], {"noop_with_empty_axes": 1})
    check("ReduceMax", data(2, 3), [{"axes": np.array([], np.int64)}], ["axes"], {})


def test_squeeze() -> None:
    check("Squeeze", data(1, 3, 1, 1), [{"axes": np.array([a])} for a in (0, 2, 3, -1, -4)], ["axes"], {})
    check("Squeeze", data(1, 3, 1, 1), [{"axes": np.array(a)} for a in ([0, 2], [3, 0], [-1, -2])], ["axes"], {})
    check("Squeeze", data(1, 1), [{"axes": np.array([0, 1])}, {"axes": np.array([-1, 0])}], ["axes"], {})
    session = anydim.InferenceSession(model("Squeeze", ["a", "b", "c"], {"axes": np.array([0])}, ["axes"], {}))
    with pytest.raises(anydim.InvalidArgumentError, match="is 1 if axis 1 is squeezed"):
        session.run(None, {"x": data(1, 3, 1), "axes": np.array([1])})


def test_unsqueeze() -> None:
    for count in (1, 2, 3):
        choices = [{"axes": axes} for axes in axis_sets(2 + count, count)]
        check("Unsqueeze", data(3, 5), choices, ["axes"], {})


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_pad(mode: str) -> None:
    value = {"value": np.array(7, np.float32)}
    for pads in ([1, 2], [-1, 1], [2, 0]):
        choices = [{"pads": np.array(pads), **value, "axes": np.array([a])} for a in (0, 1, 2, -1, -3)]
        check("Pad", data(3, 4, 5), choices, ["axes"], {"mode": mode})
        check("Pad", data(3, 4, 5), choices, ["pads", "axes"], {"mode": mode})
    choices = [{"pads": np.array([1, 2, 0, 1]), **value, "axes": np.array(a)} for a in ([0, 2], [2, 0], [-1, 1])]
    check("Pad", data(3, 4, 5), choices, ["axes"], {"mode": mode})


def slices(starts: Any, ends: Any, axes: Any, steps: Any) -> dict[str, Array]:
    return {n: np.array(v, np.int64) for n, v in (("starts", starts), ("ends", ends), ("axes", axes), ("steps", steps))}


def test_slice() -> None:
    x = data(4, 5, 6)
    one = [slices([s], [e], [a], [1]) for s, e, a in ((1, 3, 0), (0, 9, 1), (-2, 100, 2), (3, 2, -1), (-100, -1, -3))]
    for chosen in one:
        check("Slice", x, [chosen], ["axes"], {})
    check("Slice", x, one, ["starts", "ends", "axes", "steps"], {})
    steps = [slices([s], [e], [a], [t]) for s, e, a, t in
             ((0, 5, 0, 2), (-1, -9, 1, -1), (5, 0, 2, -2), (0, 6, -1, 100), (3, -100, 0, -3), (-1, -100, 2, -100))]  # fmt: skip
    check("Slice", x, steps, ["starts", "ends", "axes", "steps"], {})
    two = [slices([0, 1], [4, 5], a, t) for a, t in (([0, 1], [2, 1]), ([2, 0], [3, -1]), ([-1, 1], [1, 2]))]
    check("Slice", x, two, ["starts", "ends", "axes", "steps"], {})
    for chosen in steps:
        check("Slice", x, [chosen], ["steps"], {})
        check("Slice", x, [chosen], ["axes", "steps"], {})


@pytest.mark.parametrize("computed", [False, True], ids=["fed", "computed"])
@pytest.mark.parametrize(
    ("operator", "parameters", "wrong"),
    [
        ("ReduceSum", {"axes": [0]}, {"axes": [3]}),
        ("ReduceSum", {"axes": [0]}, {"axes": [-4]}),
        ("ReduceSum", {"axes": [0, 1]}, {"axes": [1, 1]}),
        ("ReduceSum", {"axes": [0, 1]}, {"axes": [1, -2]}),
        ("Squeeze", {"axes": [0]}, {"axes": [3]}),
        ("Unsqueeze", {"axes": [0]}, {"axes": [4]}),
        ("Unsqueeze", {"axes": [0, 1]}, {"axes": [2, 2]}),
        ("Slice", {"starts": [0], "ends": [1], "axes": [0]}, {"axes": [3]}),
        ("Slice", {"starts": [0], "ends": [1], "axes": [0], "steps": [1]}, {"steps": [0]}),
        ("Slice", {"starts": [0, 0], "ends": [1, 1], "axes": [0, 1]}, {"axes": [-1, 2]}),
    ],
)
def test_axes_that_are_none_are_refused_by_the_run(
    operator: str, parameters: dict[str, list[int]], wrong: dict[str, list[int]], computed: bool
) -> None:
    right = {n: np.array(v, np.int64) for n, v in parameters.items()}
    other = right | {n: np.array(v, np.int64) for n, v in wrong.items()}
    fed = list(wrong)
    x = data(1, 2, 3)
    session = anydim.InferenceSession(model(operator, x.shape, right, fed, {}, computed))
    session.run(None, feeds(x, right, fed, computed))
    with pytest.raises(anydim.Error) as failure:
        session.run(None, feeds(x, other, fed, computed))
    assert not isinstance(failure.value, (anydim.InternalError, anydim.UnimplementedError)), failure.value
    session.run(None, feeds(x, right, fed, computed))
