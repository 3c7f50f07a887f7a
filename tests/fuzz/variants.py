# SPDX-License-Identifier: Apache-2.0
"""The same model, or the same data, in a form that must not matter, or that matters by a known amount."""

from __future__ import annotations

import random

import numpy as np
import onnx
from cases import Array, Binding, initializer, is_float
from known import epsilon
from shrink import copy_of

HALVES = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)


def with_all_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    out = onnx.ModelProto()
    out.CopyFrom(model)
    del out.graph.output[:]
    for node in out.graph.node:
        for name in node.output:
            if name:
                out.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    return out


def with_constants(model: onnx.ModelProto, given: dict[str, Array], names: set[str]) -> onnx.ModelProto:
    """Some inputs become initializers."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for value in list(out.graph.input):
        if value.name in names:
            out.graph.input.remove(value)
            out.graph.initializer.append(initializer(value.name, given[value.name]))
    return out


def with_numbers(model: onnx.ModelProto, binding: Binding) -> onnx.ModelProto:
    """Every dim declared as the number that it has in this run."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for value in out.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.dim_value = binding[dim.dim_param]
    return out


def strided(array: Array, chosen: random.Random) -> Array:
    """The same elements in other strides."""
    if array.ndim == 0 or array.size == 0:
        return array
    r = chosen.randrange(3)
    if r == 0:
        perm = list(range(array.ndim))
        chosen.shuffle(perm)
        return np.ascontiguousarray(array.transpose(perm)).transpose(np.argsort(perm))
    if r == 1:
        wide = np.zeros([2 * d + 1 for d in array.shape], array.dtype)
        part = wide[tuple(slice(1, None, 2) for _ in array.shape)]
        part[...] = array
        return part
    return np.ascontiguousarray(array[..., ::-1])[..., ::-1]


def shaken(given: dict[str, Array], turn: int) -> dict[str, Array]:
    generator = np.random.default_rng(turn)
    out = {}
    for name, a in given.items():
        if is_float(a.dtype):
            with np.errstate(all="ignore"):
                out[name] = (
                    a.astype(np.float64) * (1 + 2 * epsilon(a.dtype) * generator.uniform(-1, 1, a.shape))
                ).astype(a.dtype)
        else:
            out[name] = a
    return out


def declares_twice(model: onnx.ModelProto) -> bool:
    """Whether an output that is an input, too, is declared there with another element type."""
    types = {v.name: v.type.tensor_type.elem_type for v in model.graph.input}
    declared = [(v.name, v.type.tensor_type.elem_type) for v in model.graph.output]
    return any(types.get(name, 0) not in (0, element) for name, element in declared if element)


def in_single_precision(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """The model with float32 in the place of each 16-bit float; None if it has none, or attributes that name one."""
    wide = copy_of(model)
    found = False
    for value in (*wide.graph.input, *wide.graph.output):
        if value.type.tensor_type.elem_type in HALVES:
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
            found = True
    for at, tensor in enumerate(wide.graph.initializer):
        if tensor.data_type in HALVES:
            array = onnx.numpy_helper.to_array(tensor).astype(np.float32)
            wide.graph.initializer[at].CopyFrom(initializer(tensor.name, array))
            found = True
    for node in wide.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g") or (attribute.HasField("t") and attribute.t.data_type in HALVES):
                return None
            if attribute.name in ("to", "dtype", "stash_type", "output_dtype") and attribute.i in HALVES:
                return None
    return wide if found else None
