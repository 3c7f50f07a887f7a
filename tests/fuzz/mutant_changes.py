# SPDX-License-Identifier: Apache-2.0
"""The structural changes of structural_mutants.py: each takes a model and changes one attribute, input, dim, output, initializer,
opset or node of it. What comes out is a file that protobuf reads and that may mean nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

INTEGERS = (0, 1, -1, 2, -2, 3, 7, 8, 9, 255, 2**31 - 1, -(2**31), 2**31, 2**32 + 1, 2**62, 2**63 - 1, -(2**63))
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e30, -1e30, 1e-40, math.inf, -math.inf, math.nan)
TEXTS = (
    "",
    "x",
    "NONE",
    "SAME_UPPER",
    "VALID",
    "linear",
    "reverse",
    "ii,jj",
    "ij->ji",
    "...",
    "(a",
    "[",
    "a{2,",
    "\\",
    "\xff",
    "a" * 300,
)
DIMS: tuple[Any, ...] = (0, 1, -1, 2, 3, 7, "n", "m", 2**20, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63), None)
ELEMENTS = (
    TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT8, TensorProto.UINT8,
    TensorProto.INT16, TensorProto.UINT16, TensorProto.INT32, TensorProto.INT64, TensorProto.UINT32, TensorProto.UINT64, TensorProto.BOOL,
    TensorProto.STRING,
)  # fmt: skip
ODD_ELEMENTS = (0, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 99, -1)
KINDS = tuple(AttributeProto.AttributeType.values())


def graphs_of(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for a in node.attribute:
            for body in ([a.g] if a.type == AttributeProto.GRAPH else []) + list(a.graphs):
                yield from graphs_of(body)


def some_node(r: Random, model: onnx.ModelProto) -> onnx.NodeProto | None:
    nodes = [node for graph in graphs_of(model.graph) for node in graph.node]
    nodes += [node for function in model.functions for node in function.node]
    return r.choice(nodes) if nodes else None


def some_graph(r: Random, model: onnx.ModelProto) -> onnx.GraphProto:
    graphs = list(graphs_of(model.graph))
    return graphs[0] if r.random() < 0.6 else r.choice(graphs)


def some_attribute(r: Random, model: onnx.ModelProto) -> tuple[onnx.NodeProto, onnx.AttributeProto] | None:
    node = some_node(r, model)
    return (node, r.choice(list(node.attribute))) if node is not None and node.attribute else None


def names_of(graph: onnx.GraphProto) -> list[str]:
    names = [v.name for v in graph.input] + [t.name for t in graph.initializer]
    return names + [name for node in graph.node for name in node.output if name]


# --- attributes ----------------------------------------------------------------------------------------------------------


def attribute_away(r: Random, model: onnx.ModelProto) -> None:
    if found := some_attribute(r, model):
        found[0].attribute.remove(found[1])


def change_list(r: Random, values: Any, more: tuple[Any, ...]) -> None:
    """An element away, another at its place, one more, or none at all."""
    how = r.randrange(4)
    if how == 0 and len(values):
        del values[r.randrange(len(values))]
    elif how == 1 and len(values):
        values[r.randrange(len(values))] = r.choice(more)
    elif how == 2:
        values.extend([r.choice(more)] * r.choice((1, 1, 2, 9)))
    else:
        del values[:]


def attribute_value(r: Random, model: onnx.ModelProto) -> None:
    if not (found := some_attribute(r, model)):
        return
    a = found[1]
    if a.type == AttributeProto.INT:
        a.i = r.choice(INTEGERS)
    elif a.type == AttributeProto.FLOAT:
        a.f = r.choice(REALS)
    elif a.type == AttributeProto.STRING:
        a.s = r.choice(TEXTS).encode("latin-1")
    elif a.type == AttributeProto.TENSOR:
        change_tensor(r, a.t)
    elif a.type == AttributeProto.INTS:
        change_list(r, a.ints, INTEGERS)
    elif a.type == AttributeProto.FLOATS:
        change_list(r, a.floats, REALS)
    elif a.type == AttributeProto.STRINGS:
        change_list(r, a.strings, tuple(text.encode("latin-1") for text in TEXTS))


def attribute_type(r: Random, model: onnx.ModelProto) -> None:
    if not (found := some_attribute(r, model)):
        return
    a = found[1]
    if r.random() < 0.5:
        a.type = r.choice(KINDS)
        return
    name = a.name
    a.Clear()
    value: Any = r.choice(
        (1, -1, 1.5, "x", [1], [0, -1], [1.5], ["x"], numpy_helper.from_array(np.ones(2, np.float32)))
    )
    a.CopyFrom(helper.make_attribute(name, value))


def attribute_more(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    if node is None:
        return
    if node.attribute and r.random() < 0.3:
        node.attribute.add().CopyFrom(r.choice(list(node.attribute)))
        return
    try:
        known = list(onnx.defs.get_schema(node.op_type, node.domain).attributes)
    except onnx.defs.SchemaError:
        known = []
    name = r.choice(known) if known else "axis"
    value: Any = r.choice((r.choice(INTEGERS), 1.5, r.choice(TEXTS), [r.choice(INTEGERS)] * 2, [1.5], ["x"]))
    node.attribute.add().CopyFrom(helper.make_attribute(name, value))


def attribute_reference(r: Random, model: onnx.ModelProto) -> None:
    if found := some_attribute(r, model):
        found[1].ref_attr_name = r.choice(("a", "alpha", found[1].name))


# --- inputs and outputs of nodes ----------------------------------------------------------------------------------------


def input_absent(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    if node is not None and node.input:
        node.input[r.randrange(len(node.input))] = ""


def input_away(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    if node is not None and node.input:
        del node.input[r.randrange(len(node.input))]


def input_more(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    if node is None:
        return
    names = [*node.input, *names_of(model.graph), ""]
    node.input.insert(r.randrange(len(node.input) + 1), r.choice(names))


def inputs_swapped(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    if node is not None and len(node.input) > 1:
        i, j = r.sample(range(len(node.input)), 2)
        node.input[i], node.input[j] = node.input[j], node.input[i]


def input_another(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    names = names_of(model.graph)
    if node is not None and node.input and names:
        node.input[r.randrange(len(node.input))] = r.choice(names)


def output_changed(r: Random, model: onnx.ModelProto) -> None:
    node = some_node(r, model)
    if node is None or not node.output:
        return
    at = r.randrange(len(node.output))
    how = r.randrange(5)
    if how == 0:
        node.output[at] = ""
    elif how == 1:
        del node.output[at]
    elif how == 2:
        node.output[at] = r.choice(("fresh", *names_of(model.graph)))
    else:
        name = f"more{len(node.output)}"
        node.output.extend([name] * r.choice((1, 1, 2)))
        if how == 3:
            model.graph.output.append(onnx.ValueInfoProto(name=name))


# --- edges of graphs ----------------------------------------------------------------------------------------------------


def some_shape(r: Random, model: onnx.ModelProto) -> onnx.TypeProto.Tensor | None:
    values = [v for graph in graphs_of(model.graph) for v in (*graph.input, *graph.output)]
    tensors = [v.type.tensor_type for v in values if v.type.HasField("tensor_type")]
    return r.choice(tensors) if tensors else None


def set_dim(dim: onnx.TensorShapeProto.Dimension, value: Any) -> None:
    dim.Clear()
    if isinstance(value, str):
        dim.dim_param = value
    elif value is not None:
        dim.dim_value = value


def dim_changed(r: Random, model: onnx.ModelProto) -> None:
    tensor = some_shape(r, model)
    if tensor is not None and tensor.shape.dim:
        set_dim(r.choice(list(tensor.shape.dim)), r.choice(DIMS))


def all_dims_free(r: Random, model: onnx.ModelProto) -> None:
    name = r.choice((None, None, "n"))
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim if value.type.HasField("tensor_type") else ():
            set_dim(dim, name)


def rank_changed(r: Random, model: onnx.ModelProto) -> None:
    tensor = some_shape(r, model)
    if tensor is None:
        return
    how = r.randrange(4)
    if how == 0:
        tensor.ClearField("shape")
    elif how == 1 and tensor.shape.dim:
        del tensor.shape.dim[r.randrange(len(tensor.shape.dim))]
    elif how == 2:
        for _ in range(r.choice((1, 1, 2, 4, 7))):
            set_dim(tensor.shape.dim.add(), r.choice(DIMS[:8]))
    else:
        del tensor.shape.dim[:]
        tensor.shape.SetInParent()


def element_changed(r: Random, model: onnx.ModelProto) -> None:
    tensor = some_shape(r, model)
    if tensor is not None:
        tensor.elem_type = r.choice(ELEMENTS if r.random() < 0.8 else ODD_ELEMENTS)


def type_changed(r: Random, model: onnx.ModelProto) -> None:
    """A sequence, optional or map in the place of a tensor, or no type."""
    values = [v for graph in graphs_of(model.graph) for v in (*graph.input, *graph.output)]
    if not values:
        return
    value = r.choice(values)
    kept = onnx.TypeProto()
    kept.CopyFrom(value.type)
    how = r.randrange(5)
    if how == 0:
        value.type.Clear()
    elif how == 1:
        value.type.CopyFrom(helper.make_sequence_type_proto(kept))
    elif how == 2:
        value.type.CopyFrom(helper.make_optional_type_proto(kept))
    elif how == 3:
        value.type.CopyFrom(helper.make_optional_type_proto(helper.make_sequence_type_proto(kept)))
    else:
        value.type.CopyFrom(helper.make_map_type_proto(r.choice((TensorProto.INT64, TensorProto.STRING)), kept))


def result_changed(r: Random, model: onnx.ModelProto) -> None:
    graph = some_graph(r, model)
    how = r.randrange(5)
    if how == 0 and graph.output:
        del graph.output[r.randrange(len(graph.output))]
    elif how == 1 and graph.output:
        graph.output[r.randrange(len(graph.output))].name = r.choice(("fresh", "", *names_of(graph)))
    elif how == 2 and graph.output:
        graph.output.append(graph.output[0])
    elif names := names_of(graph):
        graph.output.append(onnx.ValueInfoProto(name=r.choice(names)))


def argument_changed(r: Random, model: onnx.ModelProto) -> None:
    graph = some_graph(r, model)
    how = r.randrange(4)
    if how == 0 and graph.input:
        del graph.input[r.randrange(len(graph.input))]
    elif how == 1 and graph.input:
        graph.input[r.randrange(len(graph.input))].name = r.choice(("fresh", "", *names_of(graph)))
    elif how == 2 and graph.input:
        graph.input.append(graph.input[0])
    else:
        graph.input.append(helper.make_tensor_value_info("fresh", r.choice(ELEMENTS), [2] * r.randrange(4)))


# --- constants ------------------------------------------------------------------------------------------------------------


def change_tensor(r: Random, t: onnx.TensorProto) -> None:
    how = r.randrange(6)
    if how == 0 and t.dims:
        t.dims[r.randrange(len(t.dims))] = r.choice((0, 1, -1, 2, 2**31, 2**40, 2**62))
    elif how == 1:
        t.data_type = r.choice(ELEMENTS if r.random() < 0.8 else ODD_ELEMENTS)
    elif how == 2:
        for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "string_data"):
            t.ClearField(field)
    else:  # a right one of other dims or elements
        name = t.name
        dims = tuple(r.choice((0, 1, 1, 2, 3, 5)) for _ in range(r.choice((0, 1, 1, 2, 3, 5))))
        numbers = np.array(
            [r.choice(INTEGERS) if r.random() < 0.3 else r.randrange(-3, 4) for _ in range(math.prod(dims))], np.int64
        )
        kind = r.choice((np.float32, np.float64, np.float16, np.int64, np.int64, np.int32, np.uint8, np.int8, np.bool_))
        with np.errstate(over="ignore"):
            t.CopyFrom(numpy_helper.from_array(numbers.reshape(dims).astype(kind), name))


def constant_changed(r: Random, model: onnx.ModelProto) -> None:
    if model.graph.initializer:
        change_tensor(r, r.choice(list(model.graph.initializer)))


def constant_to_input(r: Random, model: onnx.ModelProto) -> None:
    if not model.graph.initializer:
        return
    at = r.randrange(len(model.graph.initializer))
    t = model.graph.initializer[at]
    dims: list[Any] = list(t.dims) if r.random() < 0.5 else [f"{t.name}_{i}" for i in range(len(t.dims))]
    if t.name not in {v.name for v in model.graph.input}:
        model.graph.input.append(helper.make_tensor_value_info(t.name, t.data_type, dims))
    if r.random() < 0.8:
        del model.graph.initializer[at]


def input_to_constant(r: Random, model: onnx.ModelProto) -> None:
    tensors = [v for v in model.graph.input if v.type.HasField("tensor_type")]
    if not tensors:
        return
    value = r.choice(tensors)
    dims = [d.dim_value if 0 < d.dim_value <= 16 else 2 for d in value.type.tensor_type.shape.dim]
    try:
        dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        numbers = np.asarray([r.randrange(0, 4) for _ in range(min(math.prod(dims), 4096))])
        t = numpy_helper.from_array(np.resize(numbers, dims).astype(dtype), value.name)
    except (KeyError, ValueError, TypeError, NotImplementedError):
        return
    model.graph.initializer.append(t)
    if r.random() < 0.7:
        model.graph.input.remove(value)


# --- the rest -------------------------------------------------------------------------------------------------------------


def opset_changed(r: Random, model: onnx.ModelProto) -> None:
    if not model.opset_import:
        return
    if r.random() < 0.1:
        del model.opset_import[r.randrange(len(model.opset_import)) :]
    else:
        r.choice(list(model.opset_import)).version = r.choice((*range(1, 30), 0, -1, 99, 2**62))


def operator_changed(r: Random, model: onnx.ModelProto) -> None:
    """Another operator of the same domain, with the attributes of this one."""
    node = some_node(r, model)
    if node is None:
        return
    domain = node.domain if node.domain in ("", "ai.onnx.ml") else ""
    node.op_type = r.choice(sorted({s.name for s in onnx.defs.get_all_schemas() if s.domain == domain}))


def node_changed(r: Random, model: onnx.ModelProto) -> None:
    graph = some_graph(r, model)
    if not graph.node:
        return
    at = r.randrange(len(graph.node))
    how = r.randrange(4)
    if how == 0:
        del graph.node[at]
    elif how == 1:
        graph.node.append(graph.node[at])
    elif how == 2:
        graph.node[at].domain = r.choice(("", "ai.onnx", "ai.onnx.ml", "com.microsoft", "own"))
    else:
        graph.node[at].ClearField("name")


Change = Callable[[Random, onnx.ModelProto], None]
CHANGES: tuple[Change, ...] = (
    attribute_away, attribute_value, attribute_value, attribute_value, attribute_type, attribute_more, attribute_reference, input_absent,
    input_absent, input_away, input_more, inputs_swapped, input_another, output_changed, output_changed, dim_changed, dim_changed,
    dim_changed, all_dims_free, rank_changed, rank_changed, element_changed, type_changed, result_changed, argument_changed,
    constant_changed, constant_changed, constant_to_input, constant_to_input, input_to_constant, opset_changed, operator_changed,
    node_changed,
)  # fmt: skip
