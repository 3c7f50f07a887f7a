# SPDX-License-Identifier: Apache-2.0
"""Opsets below 7: what the forms that operators had there give, by ONNX's text, with dims declared and dynamic, and what breaks
their rules. The runtimes that other tests ask do not read these opsets; onnx's version converter is asked where it knows a form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import anydim
import numpy as np
import onnx
import onnx.version_converter
import pytest
from onnx import helper
from opset_cases import Array, Case, difference, on_onnxruntime
from opset_inputs import f, i, s
from opset_table import CASES

UNTIL = 6
COMPARISONS: dict[str, Callable[..., Any]] = {"Less": np.less, "Greater": np.greater}
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, **COMPARISONS,
}  # fmt: skip


def old(
    operator: str,
    inputs: list[Array],
    expected: Array | list[Array],
    *,
    until: int = UNTIL,
    since: int = 1,
    **attributes: Any,
) -> Case:
    outputs = expected if isinstance(expected, list) else [expected]
    return Case(
        operator,
        inputs,
        attributes=attributes,
        outputs=len(outputs),
        since=since,
        until=until,
        expected=outputs,
        tolerance=1e-5,
    )


def broadcasts() -> Iterator[Case]:
    a = np.abs(f(2, 3, 4)) + 0.5
    for name, function in ARITHMETIC.items():
        for dims, axis, placed in (
            ((4,), None, (4,)), ((3, 4), None, (3, 4)), ((2, 3, 4), None, (2, 3, 4)), ((), None, ()), ((1,), None, (1,)),
            ((1, 1), None, (1, 1)), ((2,), 0, (2, 1, 1)), ((3,), 1, (3, 1)), ((4,), 2, (4,)), ((2, 3), 0, (2, 3, 1)), ((3, 4), 1, (3, 4)),
        ):  # fmt: skip
            b = np.abs(f(*dims, seed=1)) + 0.5
            yield old(name, [a, b], function(a, b.reshape(placed)), broadcast=1, axis=axis)
        yield old(name, [a, a[::-1].copy()], function(a, a[::-1]))
    x, y = f(2, 3) > 0, f(2, seed=3) > 0
    for name, function in {
        "And": np.logical_and,
        "Or": np.logical_or,
        "Xor": np.logical_xor,
        "Equal": np.equal,
    }.items():
        yield old(name, [x, y], function(x, y[:, None]), broadcast=1, axis=0)
    for dims, placed in (((3,), (3, 1)), ((1,), (1,)), ((4,), (4, 1))):
        b = f(*dims, seed=2)
        x = f(2, dims[0] if dims != (1,) else 3, 5)
        yield old("PRelu", [x, b], np.where(x < 0, x * b.reshape(placed), x))


def parameters() -> Iterator[Case]:
    x = f(2, 3, 4)
    yield old("Reshape", [x], x.reshape(2, 12), shape=[0, -1], until=4)
    yield old("Reshape", [x], x.reshape(4, 6), shape=[4, 6], consumed_inputs=[0], until=4)
    yield old("Dropout", [x], x, is_test=1, ratio=0.3)
    yield old("Dropout", [x], x, ratio=0.0)
    yield old("Concat", [x, x], np.concatenate([x, x], 1), until=3)
    yield old(
        "Pad",
        [x],
        np.pad(x, [(0, 0), (1, 2), (0, 1)], constant_values=0.5),
        paddings=[0, 1, 0, 0, 2, 1],
        value=0.5,
        until=1,
    )
    yield old(
        "Pad", [x], np.pad(x, [(0, 0), (1, 2), (0, 1)], mode="edge"), pads=[0, 1, 0, 0, 2, 1], mode="edge", since=2
    )
    yield old("Clip", [x], x.clip(-0.5, 0.5), min=-0.5, max=0.5)
    yield old("Clip", [x], np.minimum(x, 0.5), max=0.5)
    for to, kind in (
        ("FLOAT", np.float32),
        ("INT32", np.int32),
        ("INT64", np.int64),
        ("BOOL", np.bool_),
        ("DOUBLE", np.float64),
    ):
        yield old("Cast", [x], x.astype(kind), to=to, until=5)
    yield old("Cast", [x], x.astype(np.int32), to=6, since=6)
    image = f(1, 2, 3, 4)
    yield old("Upsample", [image], image.repeat(2, 2).repeat(3, 3), height_scale=2.0, width_scale=3.0, until=6)
    yield old("Split", [x], [x[:, :1], x[:, 1:]], split=[1, 2], axis=1)
    yield Case("Split", [x], [i(1, 2)], {"axis": 1}, 2, 1, 1, expected=[x[:, :1], x[:, 1:]])
    yield Case("Tile", [x], [s(2), s(1)], since=1, until=5, expected=[np.tile(x, (1, 2, 1))])
    yield old("Selu", [x], np.where(x > 0, x, np.float32(1.6732) * np.expm1(x)) * np.float32(1.0507), until=5)
    flat = np.exp(x.reshape(2, 12) - x.reshape(2, 12).max(1, keepdims=True))
    yield old("Softmax", [x], (flat / flat.sum(1, keepdims=True)).reshape(x.shape))
    yield old("TopK", [f(5)], [np.sort(f(5))[:1:-1], np.argsort(-f(5), kind="stable")[:3]], k=3)
    yield old("GlobalLpPool", [image], np.abs(image).sum((2, 3), keepdims=True), p=1.0, until=1)
    yield old("LpPool", [image], np.abs(image).sum((2, 3), keepdims=True), p=1.0, kernel_shape=[3, 4], until=1)
    yield old("ReduceSum", [x], x.sum(1, keepdims=True), axes=[1])
    yield old("Squeeze", [x[:1]], x[0], axes=[0])
    yield old("Slice", [x], x[:, 1:3], axes=[1], starts=[1], ends=[3])


def products() -> Iterator[Case]:
    a, b = f(3, 4), f(4, 2, seed=1)
    for c, broadcast in ((f(3, 2), None), (f(3, 2), 0), (f(2), 1), (f(3, 1), 1), (f(1), 1), (s(0.5), 1), (f(1, 2), 1)):
        yield old("Gemm", [a, b, c], 0.5 * (a @ b) + 2 * c, alpha=0.5, beta=2.0, broadcast=broadcast)
        yield old("Gemm", [a.T.copy(), b.T.copy(), c], a @ b + c, transA=1, transB=1, broadcast=broadcast)
    yield old("MatMul", [a, b], a @ b)


def norms() -> Iterator[Case]:
    x = f(4, 3, 2)
    scale, shift, mean, variance = f(3, seed=1), f(3, seed=2), f(3, seed=3), np.abs(f(3, seed=4)) + 1

    def normal(x: Array, mean: Array, variance: Array, scale: Array, shift: Array) -> Array:
        y: Array = ((x - mean) / np.sqrt(variance + np.float32(1e-5)) * scale + shift).astype(np.float32)
        return y

    column = [v.reshape(3, 1) for v in (mean, variance, scale, shift)]
    given = [x, scale, shift, mean, variance]
    yield old("BatchNormalization", given, normal(x, *column), is_test=1, since=6)
    yield old("BatchNormalization", given, normal(x, *column), is_test=1, consumed_inputs=[0, 0, 0, 1, 1], until=5)
    batch = [v.reshape(3, 1) for v in (x.mean((0, 2)), x.var((0, 2)), scale, shift)]
    moved = [0.9 * mean + 0.1 * x.mean((0, 2)), 0.9 * variance + 0.1 * x.var((0, 2))]
    yield old("BatchNormalization", given, [normal(x, *batch), *(m.astype(np.float32) for m in moved)], since=6)
    full = [f(3, 2, seed=at) for at in range(3)] + [np.abs(f(3, 2, seed=4)) + 1]
    each = [x, full[0], full[1], full[2], full[3]]
    yield old("BatchNormalization", each, normal(x, full[2], full[3], full[0], full[1]), is_test=1, spatial=0, since=6)
    yield Case("BatchNormalization", each, attributes={"spatial": 0}, since=7, until=8, tolerance=1e-5,
               expected=[normal(x, full[2], full[3], full[0], full[1])])  # fmt: skip
    each_moved = [0.9 * full[2] + 0.1 * x.mean(0), 0.9 * full[3] + 0.1 * x.var(0)]
    trained = [normal(x, x.mean(0), x.var(0), full[0], full[1]), *(m.astype(np.float32) for m in each_moved)]
    yield old("BatchNormalization", each, trained, spatial=0, since=6)
    y = (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + np.float32(1e-5))
    yield old("InstanceNormalization", [x, scale, shift], (y * scale[:, None] + shift[:, None]).astype(np.float32))


def by_opset_7() -> Iterator[Case]:
    """Forms with an attribute more or less than those of 7, and their results. output_sequence says that the first output may be
    left out."""

    def row(
        operator: str,
        inputs: list[Array],
        outputs: int,
        until: int,
        since: int = 1,
        only: dict[str, Any] | None = None,
        **shared: Any,
    ) -> Case:
        expected = on_onnxruntime(Case(operator, inputs, attributes=shared, outputs=outputs), 7)
        assert isinstance(expected, list), operator
        return Case(operator, inputs, (), {**shared, **(only or {})}, outputs, since, until, 1e-5, expected)

    image = f(1, 2, 7, 6)
    for strides, pads in (([1, 1], [0, 0, 0, 0]), ([2, 3], [1, 1, 0, 1])):
        yield row("AveragePool", [image], 1, 6, kernel_shape=[3, 2], strides=strides, pads=pads)
    for pad in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield row("AveragePool", [image], 1, 6, kernel_shape=[2, 2], strides=[2, 2], auto_pad=pad)
    steps, batch, inputs, hidden = 5, 3, 4, 6
    x = f(steps, batch, inputs)
    for operator, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        for direction in ("forward", "reverse", "bidirectional"):
            d = 2 if direction == "bidirectional" else 1
            given = [
                x,
                f(d, gates * hidden, inputs),
                f(d, gates * hidden, hidden, seed=1),
                f(d, 2 * gates * hidden, seed=2),
            ]
            given += [i(2, 5, 1, dtype=np.int32), f(d, batch, hidden, seed=3)]
            given += [f(d, batch, hidden, seed=4), f(d, 3 * hidden, seed=5)] if operator == "LSTM" else []
            shared: dict[str, Any] = {"direction": direction, "hidden_size": hidden, "clip": 0.75}
            outputs = 3 if operator == "LSTM" else 2
            told: dict[str, Any]
            for told in ({}, {"output_sequence": 0}, {"output_sequence": 1}):
                yield row(operator, given, outputs, 6, only=told, **shared)
            if operator == "GRU":
                yield row(operator, given, outputs, 6, since=3, linear_before_reset=1, **shared)


ROWS = [*broadcasts(), *parameters(), *products(), *norms(), *by_opset_7()]


def opsets(case: Case) -> list[int]:
    """Those at which a form of the operator begins or ends, within the row's."""
    begins = {
        v.since_version for v in onnx.defs.get_all_schemas_with_history() if v.name == case.operator and not v.domain
    }
    ends = {b - 1 for b in begins} | {case.until, case.since}
    return sorted(v for v in begins | ends if case.since <= v <= case.until and min(begins) <= v)


# The converter leaves the defaults of the old forms out, which other defaults replace.
NOT_CONVERTED = {"Selu"}


def on_converter(case: Case, opset: int) -> Any:
    """The outputs of the model in a newer opset, or None where the converter knows no way."""
    if case.operator in NOT_CONVERTED:
        return None
    try:
        converted = onnx.version_converter.convert_version(onnx.load_from_string(case.model(opset)), 13)
    except Exception:
        return None
    newer = Case(case.operator, case.inputs)
    object.__setattr__(newer, "model", lambda _: converted.SerializeToString())
    answer = on_onnxruntime(newer, 13)
    return answer if isinstance(answer, list) else None


@pytest.mark.parametrize("operator", sorted({case.operator for case in ROWS}))
def test_old_forms_mean_what_onnx_says(operator: str) -> None:
    for case in ROWS:
        if case.operator != operator:
            continue
        assert opsets(case), case.label
        assert case.expected is not None
        for opset in opsets(case):
            label = f"opset {opset}: {case.label}"
            got = anydim.InferenceSession(case.model(opset), threads=1).run(None, case.feeds())
            assert not difference(case.expected, got, case.tolerance), label
            dynamic = anydim.InferenceSession(case.model(opset, dynamic=True), threads=1).run(None, case.feeds())
            assert not difference(got, dynamic, 0.0), f"{label}, every dim dynamic"
            if (converted := on_converter(case, opset)) is not None:
                assert not difference(converted, got, case.tolerance), f"{label}, by the converter"


def test_the_converter_knows_some_of_them() -> None:
    known = sum(on_converter(case, opsets(case)[-1]) is not None for case in ROWS)
    assert known > 60


REFUSED: list[tuple[str, int, list[Array], dict[str, Any], str]] = [
    ("Add", 6, [f(2, 3), f(3)], {}, "for broadcast is 0"),
    ("Add", 6, [f(2, 3), f(1, 3)], {}, "dim 0 of input 1 is 1; expected 2"),
    ("Mul", 6, [f(2, 3), f(2)], {"broadcast": 1}, "expected dims that broadcast to"),
    ("Mul", 6, [f(1, 3), f(2, 3)], {"broadcast": 1}, "expected dims that broadcast to"),
    ("Sub", 6, [f(3), f(2, 3)], {"broadcast": 1}, "axis is -1; expected 0 to -1"),
    ("Sub", 6, [f(2, 3), f(3)], {"broadcast": 1, "axis": 2}, "axis is 2; expected 0 to 1"),
    ("Sub", 6, [f(2, 3), f(2)], {"broadcast": 1, "axis": -1}, "axis is -1; expected 0 to 1"),
    ("Add", 7, [f(2, 3), f(3)], {"broadcast": 1}, "it has no attribute 'broadcast' in opset 7"),
    ("Gemm", 6, [f(2, 3), f(3, 2), f(2)], {}, "for broadcast is 0"),
    ("Gemm", 6, [f(2, 3), f(3, 2), f(1, 2)], {}, "dim 0 of input 2 is 1; expected 2"),
    ("PRelu", 6, [f(2, 3, 4), f(4)], {}, "slope has dims"),
    ("Cast", 5, [f(2)], {"to": "float"}, "attribute to is 'float'; expected the name of an element type"),
    ("Concat", 4, [f(2, 3), f(2, 3)], {}, "attribute axis is absent"),
    ("Clip", 6, [i(1, 2)], {}, "dtype i64"),
    ("BatchNormalization", 5, [f(2, 3), f(3), f(3), f(3), f(3)], {"is_test": 1}, "attribute consumed_inputs is absent"),
    ("BatchNormalization", 8, [f(2, 3, 4), f(3), f(3), f(3), f(3)], {"spatial": 0}, "for spatial is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "opset", "inputs", "attributes", "message"), REFUSED)
def test_what_breaks_their_rules_is_refused(
    operator: str, opset: int, inputs: list[Array], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(anydim.InvalidModelError, match=message):
        anydim.InferenceSession(Case(operator, inputs, attributes=attributes).model(opset))


def test_what_is_drawn_in_training_is_unimplemented() -> None:
    with pytest.raises(anydim.UnimplementedError, match="is_test is 0"):
        anydim.InferenceSession(Case("Dropout", [f(2, 3)]).model(6))


@pytest.mark.parametrize(("is_test", "outputs"), [(None, 1), (0, 1), (1, 3)])
def test_a_mode_that_is_read_in_two_ways_is_unimplemented(is_test: int | None, outputs: int) -> None:
    given = [f(2, 3), *(f(3, seed=at) for at in range(4))]
    with pytest.raises(anydim.UnimplementedError, match="engines read in two ways"):
        anydim.InferenceSession(
            Case("BatchNormalization", given, attributes={"is_test": is_test}, outputs=outputs).model(6)
        )


def test_dims_that_must_be_equal_are_checked_by_each_run() -> None:
    for inputs, attributes in (
        ([f(2, 3), f(1, 3)], {}),
        ([f(1, 3), f(2, 3)], {"broadcast": 1}),
        ([f(2, 3), f(2)], {"broadcast": 1}),
    ):
        case = Case("Add", inputs, attributes=attributes)
        session = anydim.InferenceSession(case.model(6, dynamic=True))
        with pytest.raises(anydim.InvalidArgumentError, match="node"):
            session.run(None, case.feeds())


# -- rows of opset_table.py whose form is that of opset 7 ---------------------------------------------------------------------


def form(schema: Any) -> Any:
    left_out = {"consumed_inputs"}
    return (
        sorted(
            (n, a.type.name, a.required, str(a.default_value))
            for n, a in schema.attributes.items()
            if n not in left_out
        ),
        [(v.name, v.option) for v in schema.inputs],
    )


def same_form_at(operator: str, opset: int) -> bool:
    try:
        return bool(form(onnx.defs.get_schema(operator, opset)) == form(onnx.defs.get_schema(operator, 7)))
    except onnx.defs.SchemaError:
        return False


@pytest.mark.parametrize("opset", range(1, 7))
def test_rows_of_the_same_form_give_the_same_bits(opset: int) -> None:
    ran = 0
    for case in CASES:
        if case.since != 7 or not same_form_at(case.operator, opset):
            continue
        try:
            expected = anydim.InferenceSession(case.model(7), threads=1).run(None, case.feeds())
        except anydim.Error:
            continue
        got = anydim.InferenceSession(case.model(opset), threads=1).run(None, case.feeds())
        assert not difference(expected, got, 0.0), f"opset {opset}: {case.label}"
        ran += 1
    assert ran > 300, ran


def test_layer_normalization_of_onnx_runtimes_tools() -> None:
    x = f(2, 3, 8)
    scale, bias = f(8, seed=1), f(8, seed=2)
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(1e-5)) * scale + bias
    case = Case("LayerNormalization", [x], [scale, bias], {"axis": -1, "epsilon": 1e-5}, expected=[y])
    for opset in (7, 11, 14, 16):
        got = anydim.InferenceSession(case.model(opset)).run(None, case.feeds())
        assert not difference([y], got, 1e-5)
        if isinstance(answer := on_onnxruntime(case, opset), list):
            assert not difference(answer, got, 1e-5)


# -- sparse constants -----------------------------------------------------------------------------------------------------------


def sparse(values: Array, indices: Array, dims: list[int]) -> onnx.SparseTensorProto:
    return helper.make_sparse_tensor(
        onnx.numpy_helper.from_array(values, "v"), onnx.numpy_helper.from_array(indices, "i"), dims
    )


def sparse_model(tensor: onnx.SparseTensorProto, initializer: bool) -> bytes:
    nodes = [] if initializer else [helper.make_node("Constant", [], ["v"], sparse_value=tensor)]
    graph = helper.make_graph(
        [*nodes, helper.make_node("Add", ["x", "v"], ["y"])], "sparse", [helper.make_tensor_value_info("x", 1, [3, 4])],
        [helper.make_tensor_value_info("y", 1, None)], sparse_initializer=[tensor] if initializer else [],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    serialised: bytes = model.SerializeToString()
    return serialised


@pytest.mark.parametrize("initializer", [False, True], ids=["Constant", "initializer"])
def test_sparse_constants(initializer: bool) -> None:
    values, x = f(3), f(3, 4, seed=1)
    for indices in (np.array([1, 6, 11]), np.array([[0, 1], [1, 2], [2, 3]])):
        dense = np.zeros((3, 4), np.float32)
        dense.ravel()[[1, 6, 11]] = values
        session = anydim.InferenceSession(sparse_model(sparse(values, indices, [3, 4]), initializer))
        np.testing.assert_array_equal(session.run(None, {"x": x})[0], x + dense)
    for indices, dims, message in (
        (np.array([1, 6, 12]), [3, 4], "index 2 of a sparse tensor is out of its dims"),
        (np.array([-1, 6, 11]), [3, 4], "index 0 of a sparse tensor is out of its dims"),
        (np.array([[0, 1], [1, 2], [2, 4]]), [3, 4], "index 2 of a sparse tensor is out of its dims"),
        (np.array([[0, 1], [1, 2]]), [3, 4], "the indices of a sparse tensor have 4 elements"),
        (np.array([1, 6]), [3, 4], "the indices of a sparse tensor have 2 elements"),
        (np.array([1, 6, 11]), [-3, 4], "a dim of a sparse tensor is -3"),
        (np.array([1, 6, 11], np.int32), [3, 4], "the indices of a sparse tensor are i32"),
    ):
        with pytest.raises(anydim.InvalidModelError, match=message):
            anydim.InferenceSession(sparse_model(sparse(values, indices, dims), initializer))
    with pytest.raises(anydim.UnimplementedError, match="a sparse tensor of more than 256 MiB"):
        anydim.InferenceSession(sparse_model(sparse(values, np.array([1, 6, 11]), [1 << 40, 1 << 40]), initializer))
