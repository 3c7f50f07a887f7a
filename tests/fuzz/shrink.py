# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case small: fewer runs, outputs and nodes, smaller dims, as long as it fails in the same way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import onnx
from cases import FLOATS, bindings_of, drop_metadata, metadata, number_of, set_metadata
from onnx import helper

Fails = Callable[[onnx.ModelProto], bool]


def copy_of(model: onnx.ModelProto) -> onnx.ModelProto:
    out = onnx.ModelProto()
    out.CopyFrom(model)
    return out


def names_read(node: onnx.NodeProto) -> set[str]:
    """Its inputs, and what its bodies read."""
    names = set(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names |= names_read(inner)
        names |= {o.name for o in attribute.g.output}
    return names


def swept(model: onnx.ModelProto) -> onnx.ModelProto:
    """Without nodes, inputs and constants that no output needs, and without symbols that no input has."""
    needed = {o.name for o in model.graph.output}
    nodes = []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            nodes.append(node)
            needed |= names_read(node)
    out = copy_of(model)
    del out.graph.node[:], out.graph.input[:], out.graph.initializer[:]
    out.graph.node.extend(reversed(nodes))
    out.graph.input.extend(i for i in model.graph.input if i.name in needed)
    out.graph.initializer.extend(i for i in model.graph.initializer if i.name in needed)
    names = {d.dim_param for i in out.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param}
    names |= {number_of(i) for i in out.graph.input}
    set_metadata(out, bindings=[{n: b[n] for n in b if n in names} for b in bindings_of(model)])
    return out


def with_input(model: onnx.ModelProto, name: str) -> onnx.ModelProto | None:
    """The value becomes an input of the graph; None if its dims are not known."""
    shapes = json.loads(metadata(model).get("shapes", "{}"))
    if name not in shapes:
        return None
    dtype, dims = shapes[name]
    out = copy_of(model)
    bindings = bindings_of(model)
    runs = json.loads(metadata(model).get("runs", "null")) or list(range(len(dims[0]) if dims else len(bindings)))
    declared: list[int | str] = []
    for dim in dims:
        sizes = [dim[run] for run in runs]
        if len(set(dim)) == 1:
            declared.append(dim[0])
            continue
        known = [s for s in bindings[0] if [b[s] for b in bindings] == sizes]
        if not known:
            known = [f"t{len(bindings[0])}"]
            for b, size in zip(bindings, sizes, strict=True):
                b[known[0]] = size
        declared.append(known[0])
    info = helper.make_tensor_value_info(name, dtype, declared)
    info.doc_string = "normal" if dtype in FLOATS else "integers 0 2"
    out.graph.input.append(info)
    for node in out.graph.node:
        for i, given in enumerate(node.output):
            if given == name:
                node.output[i] = f"{name}_unused"
    set_metadata(out, bindings=bindings)
    return out


def fewer_runs(model: onnx.ModelProto) -> Iterator[onnx.ModelProto]:
    bindings = bindings_of(model)
    runs = json.loads(metadata(model).get("runs", "null")) or list(range(len(bindings)))
    for some in [[i] for i in range(len(bindings))] + [[0, i] for i in range(1, len(bindings))]:
        if len(some) < len(bindings):
            out = copy_of(model)
            set_metadata(out, bindings=[bindings[i] for i in some], runs=[runs[i] for i in some])
            yield out


def fewer_outputs(model: onnx.ModelProto) -> Iterator[onnx.ModelProto]:
    if len(model.graph.output) > 1:
        for output in model.graph.output:
            out = copy_of(model)
            del out.graph.output[:]
            out.graph.output.append(output)
            yield swept(out)
        for i in range(len(model.graph.output)):
            out = copy_of(model)
            del out.graph.output[i]
            yield swept(out)


def fewer_nodes(model: onnx.ModelProto) -> Iterator[onnx.ModelProto]:
    shapes = json.loads(metadata(model).get("shapes", "{}"))
    outputs = {o.name for o in model.graph.output}
    # An inner value as the only output.
    for node in model.graph.node:
        for name in node.output:
            if name and name not in outputs and name in shapes:
                out = copy_of(model)
                del out.graph.output[:]
                out.graph.output.append(
                    helper.make_tensor_value_info(name, shapes[name][0], [None] * len(shapes[name][1]))
                )
                yield swept(out)
    # A value as an input, so that what makes it goes.
    for node in reversed(model.graph.node):
        for name in node.output:
            if name and name not in outputs and (out_or_none := with_input(model, name)) is not None:
                yield swept(out_or_none)


def plainer(model: onnx.ModelProto) -> Iterator[onnx.ModelProto]:
    for node_index, node in enumerate(model.graph.node):
        for i in range(len(node.attribute)):
            out = copy_of(model)
            del out.graph.node[node_index].attribute[i]
            yield out
    for index, value in enumerate(model.graph.input):
        if value.doc_string not in ("normal", "") and value.doc_string.split()[0] not in ("integers", "number"):
            out = copy_of(model)
            out.graph.input[index].doc_string = "normal"
            yield out
    if metadata(model).get("unnamed"):
        out = copy_of(model)
        drop_metadata(out, "unnamed")
        yield out


def smaller_dims(model: onnx.ModelProto) -> Iterator[onnx.ModelProto]:
    bindings = bindings_of(model)
    for run, binding in enumerate(bindings):
        for name, size in binding.items():
            for less in (1, 2, 3, size // 2):
                if less < size:
                    out = copy_of(model)
                    set_metadata(out, bindings=[{**b, name: less} if i == run else b for i, b in enumerate(bindings)])
                    yield out
    for index, value in enumerate(model.graph.input):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if not dim.dim_param and dim.dim_value > 1:
                out = copy_of(model)
                out.graph.input[index].type.tensor_type.shape.dim[axis].dim_value = 1
                yield out


STEPS = (fewer_runs, fewer_outputs, fewer_nodes, plainer, smaller_dims)


def shrink(model: onnx.ModelProto, fails: Fails, most_tries: int = 400) -> onnx.ModelProto:
    """The smallest case found that `fails` still holds of."""
    tries = 0
    again = True
    while again:
        again = False
        for step in STEPS:
            found = True
            while found:
                found = False
                for smaller in step(model):
                    tries += 1
                    if tries > most_tries:
                        return model
                    if fails(smaller):
                        model, found, again = smaller, True, True
                        break
    return model
