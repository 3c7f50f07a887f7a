# SPDX-License-Identifier: Apache-2.0
"""Parameters whose length follows from a dim of the input: another length is refused when the model is loaded where both are known,
and by a run where one is dynamic. None stretches the result by broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


@dataclass(frozen=True)
class Row:
    """An operator whose input `at` has `right` dims in a valid model, and `wrong` ones in a model that is none."""

    operator: str
    inputs: Sequence[tuple[int, ...]]
    at: int
    wrong: tuple[int, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 17

    @property
    def label(self) -> str:
        return f"{self.operator}-{self.opset}-{self.at}-{self.wrong}"


NORM = [(2, 1, 2, 2), (1,), (1,), (1,), (1,)]
WIDE = [(2, 3, 2, 2), (3,), (3,), (3,), (3,)]
HEADS = [(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4)]
ROWS = [
    *(Row("BatchNormalization", NORM, at, (5,), opset=opset) for at in range(1, 5) for opset in (8, 15)),
    *(Row("BatchNormalization", WIDE, at, (1,)) for at in range(1, 5)),
    Row("BatchNormalization", [(2,), (1,), (1,), (1,), (1,)], 1, (2,)),
    *(Row("InstanceNormalization", NORM[:3], at, (5,)) for at in (1, 2)),
    *(Row("InstanceNormalization", WIDE[:3], at, (1,)) for at in (1, 2)),
    *(Row("GroupNormalization", [(2, 4, 2), (2,), (2,)], at, (1,), {"num_groups": 2}, 18) for at in (1, 2)),
    *(Row("GroupNormalization", [(2, 1, 2), (1,), (1,)], at, (5,), {"num_groups": 1}, 21) for at in (1, 2)),
    *(Row("LayerNormalization", [(2, 1), (1,), (1,)], at, (5,)) for at in (1, 2)),
    *(Row("LayerNormalization", [(2, 3), (3,), (3,)], at, (4,)) for at in (1, 2)),
    Row("RMSNormalization", [(2, 1), (1,)], 1, (5,), opset=23),
    Row("RMSNormalization", [(2, 3), (3,)], 1, (2, 2, 3), opset=23),
    Row("PRelu", [(2, 1), (1,)], 1, (5,)),
    Row("PRelu", [(2, 3), (3,)], 1, (4, 2, 3)),
    Row("Conv", [(1, 2, 4), (3, 2, 2), (3,)], 2, (1,)),
    Row("ConvTranspose", [(1, 2, 4), (2, 3, 2), (3,)], 2, (1,)),
    Row("Gemm", [(1, 2), (2, 3), (3,)], 2, (2, 3)),
    Row("Gemm", [(2, 2), (2, 1), (1,)], 2, (4,)),
    Row("Clip", [(2, 1), (), ()], 1, (5,)),
    Row("Clip", [(2, 1), (), ()], 2, (5,)),
    Row("Attention", [*HEADS, (3, 5)], 3, (4, 2, 3, 5), opset=23),
    Row("Attention", [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4)], 1, (2, 2, 5, 4), opset=23),
    Row("Attention", [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4)], 2, (2, 2, 5, 4), opset=23),
]


def model(row: Row, dims: Sequence[Sequence[Any]]) -> bytes:
    names = [f"x{at}" for at in range(len(dims))]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in zip(names, dims, strict=True)]
    nodes = [helper.make_node(row.operator, names, ["y"], **row.attributes)]
    graph = helper.make_graph(nodes, "sizes", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", row.opset)], ir_version=8)
    serialised: bytes = made.SerializeToString()
    return serialised


def feeds(dims: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    return {f"x{at}": np.full(d, 0.5, np.float32) for at, d in enumerate(dims)}


def with_wrong(row: Row) -> list[tuple[int, ...]]:
    return [row.wrong if at == row.at else d for at, d in enumerate(row.inputs)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_another_length_is_refused_at_load(row: Row) -> None:
    anydim.InferenceSession(model(row, row.inputs))
    with pytest.raises(anydim.InvalidModelError, match=row.operator):
        anydim.InferenceSession(model(row, with_wrong(row)))


@pytest.mark.parametrize("moving", ["input", "parameter", "both"])
@pytest.mark.parametrize("row", [r for r in ROWS if len(r.wrong) == len(r.inputs[r.at])], ids=lambda row: row.label)
def test_a_dynamic_length_is_checked_by_each_run(row: Row, moving: str) -> None:
    def named(at: int, d: tuple[int, ...]) -> list[Any]:
        parameter = at == row.at
        dynamic = moving == "both" or parameter == (moving == "parameter")
        return [f"d{at}_{i}" for i in range(len(d))] if dynamic else list(d)

    def declared(dims: Sequence[tuple[int, ...]]) -> list[list[Any]]:
        return [named(at, d) for at, d in enumerate(dims)]

    try:
        session = anydim.InferenceSession(model(row, declared(row.inputs)))
    except anydim.UnimplementedError:
        pytest.skip("this dim may not be dynamic")
    expected = anydim.InferenceSession(model(row, row.inputs)).run(None, feeds(row.inputs))[0]
    np.testing.assert_array_equal(session.run(None, feeds(row.inputs))[0], expected)
    try:
        other = anydim.InferenceSession(model(row, declared(with_wrong(row))))
    except anydim.InvalidModelError:
        return  # it can never be right
    with pytest.raises(anydim.Error) as failure:
        other.run(None, feeds(with_wrong(row)))
    assert not isinstance(failure.value, anydim.UnimplementedError), failure.value


def test_k_of_topk_may_have_an_undeclared_length() -> None:
    """One that is 1 in the run; any other is refused by it."""
    values = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 8]),
        helper.make_tensor_value_info("k", TensorProto.INT64, ["n"]),
    ]
    results = [onnx.ValueInfoProto(name=name) for name in ("y", "at")]
    graph = helper.make_graph([helper.make_node("TopK", ["x", "k"], ["y", "at"])], "topk", values, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
    session = anydim.InferenceSession(model)
    x = np.random.default_rng(1).permutation(16).reshape(2, 8).astype(np.float32)
    for k in (3, 1, 8):
        y = session.run(["y"], {"x": x, "k": np.array([k])})[0]
        assert np.array_equal(y, -np.sort(-x, axis=1)[:, :k])
    with pytest.raises(anydim.InvalidArgumentError, match="a dim of k"):
        session.run(["y"], {"x": x, "k": np.array([1, 2])})
