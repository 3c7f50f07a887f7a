# SPDX-License-Identifier: Apache-2.0
"""The systematic part of structural_mutants.py: of every operator every single input absent, doubled, of another rank and of another
element type, as an input of the model and as a constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
from mutant_changes import ELEMENTS
from onnx import helper, numpy_helper

MODELS = 2  # of each operator
RANKS = (0, 1, 2, 3, 4, 5, 8, 9)
CONSTANTS = {
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.INT64,
    onnx.TensorProto.INT32,
    onnx.TensorProto.UINT8,
    onnx.TensorProto.BOOL,
}


def chosen(models: list[tuple[str, onnx.ModelProto]]) -> Iterator[tuple[str, int]]:
    """Operator and the model's number: those with the most inputs, and one with fewer."""
    of: dict[str, list[tuple[int, int]]] = {}
    for number, (_, model) in enumerate(models):
        if len(model.graph.node) == 1:
            node = model.graph.node[0]
            of.setdefault(f"{node.domain}.{node.op_type}", []).append((sum(map(bool, node.input)), number))
        else:
            for node in model.graph.node:
                of.setdefault(f"{node.domain}.{node.op_type}", [])
    several = {op for op, found in of.items() if not found}
    for number, (_, model) in enumerate(models):
        for node in model.graph.node:
            op = f"{node.domain}.{node.op_type}"
            if op in several and len(of[op]) < MODELS:
                of[op].append((len(node.input), number))
    for op, found in sorted(of.items()):
        most = sorted(found, key=lambda pair: (-pair[0], pair[1]))
        fewer = [pair for pair in most if pair[0] < most[0][0]] or most[1:]
        for _, number in [most[0], *fewer[: MODELS - 1]]:
            yield op, number


def with_input(
    model: onnx.ModelProto, node: int, at: int, element: int, dims: list[Any], constant: bool
) -> onnx.ModelProto:
    """The input comes from a fresh value of this type."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    changed.graph.node[node].input[at] = "swept"
    if constant:
        values = np.ones([d if isinstance(d, int) else 2 for d in dims]).astype(
            helper.tensor_dtype_to_np_dtype(element)
        )
        changed.graph.initializer.append(numpy_helper.from_array(values, "swept"))
    else:
        changed.graph.input.append(helper.make_tensor_value_info("swept", element, dims))
    return changed


def declared(model: onnx.ModelProto, name: str) -> tuple[int, list[Any]]:
    for t in model.graph.initializer:
        if t.name == name:
            return t.data_type, list(t.dims)
    for v in model.graph.input:
        if v.name == name and v.type.HasField("tensor_type"):
            dims = v.type.tensor_type.shape.dim
            return v.type.tensor_type.elem_type, [d.dim_value if d.HasField("dim_value") else d.dim_param for d in dims]
    return onnx.TensorProto.FLOAT, [2, 3]


def with_inputs(model: onnx.ModelProto, node: int, inputs: list[str]) -> onnx.ModelProto:
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    changed.graph.node[node].ClearField("input")
    changed.graph.node[node].input.extend(inputs)
    return changed


def of_input(model: onnx.ModelProto, node: int, at: int) -> Iterator[tuple[str, onnx.ModelProto]]:
    inputs = list(model.graph.node[node].input)
    element, dims = declared(model, inputs[at])
    yield "absent", with_inputs(model, node, [*inputs[:at], "", *inputs[at + 1 :]])
    yield "last", with_inputs(model, node, inputs[:at])
    yield "doubled", with_inputs(model, node, [*inputs[: at + 1], *inputs[at:]])
    yield "again at the end", with_inputs(model, node, [*inputs, inputs[at]])
    for rank in RANKS:
        yield f"rank {rank}", with_input(model, node, at, element, ([*dims, 2, 2, 2, 2, 2, 2, 2, 2, 2])[:rank], False)
        yield f"free dims of rank {rank}", with_input(model, node, at, element, [f"d{i}" for i in range(rank)], False)
        if element in CONSTANTS and rank <= 5:
            yield f"constant of rank {rank}", with_input(model, node, at, element, [2] * rank, True)
    yield "empty", with_input(model, node, at, element, [0] * len(dims), False)
    for other in ELEMENTS:
        yield f"element type {other}", with_input(model, node, at, other, dims, False)
        if other in CONSTANTS:
            yield f"constant of element type {other}", with_input(model, node, at, other, dims, True)


def sweep(models: list[tuple[str, onnx.ModelProto]]) -> Iterator[tuple[str, onnx.ModelProto]]:
    for op, number in chosen(models):
        model = models[number][1]
        for node, proto in enumerate(model.graph.node):
            if f"{proto.domain}.{proto.op_type}" != op:
                continue
            for at in range(len(proto.input)):
                for what, changed in of_input(model, node, at):
                    yield f"{op.lstrip('.')} input {at} {what}", changed
            # An output more than there is, and only the last one.
            more = onnx.ModelProto()
            more.CopyFrom(model)
            more.graph.node[node].output.extend(["more", "and_more"])
            more.graph.output.extend([onnx.ValueInfoProto(name="more"), onnx.ValueInfoProto(name="and_more")])
            yield f"{op.lstrip('.')} with two outputs more", more
            break
