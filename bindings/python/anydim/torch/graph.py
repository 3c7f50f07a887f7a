# SPDX-License-Identifier: Apache-2.0
"""A graph of the package onnx_ir, which torch's exporter makes, as a `ModelBuilder`: node by node, constants where they lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir
import torch

from ..builder import ModelBuilder
from ..errors import UnimplementedError
from .tensors import as_array

# The values of these names are constants: torch's parameters, or whatever else the caller holds.
Constants = Mapping[str, torch.Tensor]

# What `ModelBuilder.node` takes for each type of attribute.
_ATTRIBUTES: dict[ir.AttributeType, Callable[[Any], Any]] = {
    ir.AttributeType.INT: int,
    ir.AttributeType.FLOAT: float,
    ir.AttributeType.STRING: str,
    ir.AttributeType.INTS: list,
    ir.AttributeType.FLOATS: lambda values: [float(value) for value in values],
    ir.AttributeType.STRINGS: list,
    ir.AttributeType.TENSOR: lambda tensor: np.asarray(tensor.numpy()),
}


def build(model: ir.Model, constants: Constants) -> tuple[ModelBuilder, list[str]]:
    """The model as a builder, and the names of its outputs in order, some of which may be one. Inputs and initializers with a name in
    `constants` are read from these tensors' memory, and initializers without one from the tensors of the model."""
    graph = ModelBuilder(opset=dict(model.opset_imports))
    for value in model.graph.inputs:
        if value.name not in constants:
            graph.input(_name(value), _dims(value), _dtype(value))
        else:
            graph.constant(as_array(constants[value.name], f"the constant {value.name!r}"), value.name)
    outputs = _fill(graph, model.graph, constants)
    return graph, outputs


def _fill(graph: ModelBuilder, source: ir.Graph, constants: Constants) -> list[str]:
    for name, value in source.initializers.items():
        array = as_array(constants[name], f"the constant {name!r}") if name in constants else _array(value.const_value)
        graph.constant(array, name)
    for node in source:
        graph.node(
            node.op_type,
            *(None if value is None else _name(value) for value in node.inputs),
            outputs=[value.name or None for value in node.outputs],
            name=node.name or "",
            domain=node.domain,
            **{name: _attribute(attribute, constants) for name, attribute in node.attributes.items()},
        )
    outputs = [_name(value) for value in source.outputs]
    graph.output(*dict.fromkeys(outputs))
    return outputs


def _name(value: ir.Value) -> str:
    assert value.name, "torch's exporter names all values"
    return str(value.name)


def _dims(value: ir.Value) -> list[int | str | None]:
    assert value.shape is not None, f"torch's exporter tells the dims of {value.name!r}"
    return [dim if isinstance(dim, int) else dim.value for dim in value.shape]


def _dtype(value: ir.Value) -> np.dtype[Any]:
    assert value.dtype is not None, f"torch's exporter tells the dtype of {value.name!r}"
    dtype: np.dtype[Any] = np.dtype(value.dtype.numpy())
    return dtype


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    # torch's own class of tensors has the torch.Tensor in `raw`.
    raw = getattr(tensor, "raw", None)
    return (
        as_array(raw, f"the constant {tensor.name!r}") if isinstance(raw, torch.Tensor) else np.asarray(tensor.numpy())
    )


def _attribute(attribute: ir.Attr, constants: Constants) -> Any:
    kind, value = attribute.type, attribute.value
    if kind is ir.AttributeType.GRAPH:
        body = ModelBuilder()
        for input_ in value.inputs:
            body.input(_name(input_), _dims(input_), _dtype(input_))
        _fill(body, value, constants)
        return body
    convert = _ATTRIBUTES.get(kind)
    if convert is None:
        raise UnimplementedError(
            f"the attribute {attribute.name!r} is of type {kind.name}, which a model built by calls cannot have"
        )
    return convert(value)
