# SPDX-License-Identifier: Apache-2.0
"""Graphs in the forms that operators had below opset 7, each beside its twin in a newer opset, where no other engine reads the old
one. judge.py judges the twin like any other graph, and holds the old graph against it: the same bits at every shape."""

from __future__ import annotations

import base64
import random
from typing import Any

import numpy as np
import onnx
from cases import Array, initializer, set_metadata
from onnx import helper

NEWER = 18
Dims = list[Any]  # numbers and names
NAMES = {1: "FLOAT", 6: "INT32", 7: "INT64", 9: "BOOL", 11: "DOUBLE"}
IN_PLACE = {
    "Abs",
    "Ceil",
    "Exp",
    "Floor",
    "Neg",
    "Relu",
    "Sigmoid",
    "Tanh",
}  # these have consumed_inputs before opset 6


class Pair:
    """Two graphs that grow together."""

    def __init__(self, chosen: random.Random) -> None:
        self.random = chosen
        self.opset = chosen.randint(1, 6)
        self.old: list[onnx.NodeProto] = []
        self.new: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.count = 0
        self.values: list[tuple[str, Dims]] = []  # of float32

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def add_input(self, dims: Dims, recipe: str = "normal") -> str:
        self.inputs.append(helper.make_tensor_value_info(self.name(), onnx.TensorProto.FLOAT, dims))
        self.inputs[-1].doc_string = recipe
        return self.inputs[-1].name

    def constant(self, array: Array) -> str:
        self.constants.append(initializer(self.name(), array))
        return self.constants[-1].name

    def operand(self, dims: Dims, recipe: str = "normal") -> str:
        if all(isinstance(d, int) for d in dims) and self.random.random() < 0.5:
            seed = np.random.default_rng(self.random.randrange(1 << 30))
            values = seed.uniform(0.5, 2, dims) if recipe == "positive" else seed.standard_normal(dims)
            return self.constant(np.asarray(values, np.float32))
        return self.add_input(dims, recipe)

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def emit(
        self, graph: list[onnx.NodeProto], op: str, inputs: list[str], outputs: list[str], **attributes: Any
    ) -> None:
        given = {k: v for k, v in attributes.items() if v is not None}
        graph.append(helper.make_node(op, inputs, outputs, **given))

    def both(self, op: str, inputs: list[str], dims: Dims, **attributes: Any) -> None:
        """A node that has one form, but for consumed_inputs."""
        y = self.name()
        consumed = [0] if self.opset < 6 and op in IN_PLACE and self.random.random() < 0.5 else None
        self.emit(self.old, op, inputs, [y], consumed_inputs=consumed, **attributes)
        self.emit(self.new, op, inputs, [y], **attributes)
        self.values.append((y, dims))


def unary(p: Pair, x: str, dims: Dims) -> None:
    op = p.random.choice((*sorted(IN_PLACE), "Softplus", "Softsign", "Identity"))
    p.both(op, [x], dims)


def binary(p: Pair, x: str, dims: Dims) -> None:
    op = p.random.choice(("Add", "Sub", "Mul", "Div", "Less", "Greater"))
    first = p.random.randint(0, len(dims))
    last = p.random.randint(first, len(dims))
    part = dims[first:last]
    if p.random.random() < 0.15:
        first, part = 0, [1] * p.random.randint(0, len(dims))
        last = len(part)
    equal = len(part) == len(dims) and 1 not in part and p.random.random() < 0.7
    b, y = p.operand(part, "positive"), p.name()
    suffix = last == len(dims) or (1 in part and set(part) == {1})
    axis = None if equal or (suffix and p.random.random() < 0.5) else first
    compares = op in ("Less", "Greater")
    target = f"{y}_bool" if compares else y
    p.emit(p.old, op, [x, b], [target], broadcast=None if equal else 1, axis=axis)
    behind = len(dims) - (first + len(part))
    placed = b
    if behind and axis is not None:
        placed = f"{y}_placed"
        p.emit(p.new, "Unsqueeze", [b, p.integers(*range(len(part), len(part) + behind))], [placed])
    p.emit(p.new, op, [x, placed], [target])
    if compares:
        p.emit(p.old, "Cast", [target], [y], to="FLOAT" if p.opset < 6 else 1)
        p.emit(p.new, "Cast", [target], [y], to=1)
    p.values.append((y, dims))


def prelu(p: Pair, x: str, dims: Dims) -> None:
    if len(dims) < 2:
        return
    channels = dims[1] if p.random.random() < 0.7 else 1
    slope, y = p.operand([channels]), p.name()
    p.emit(p.old, "PRelu", [x, slope], [y])
    placed = slope
    if len(dims) > 2:
        placed = f"{y}_placed"
        p.emit(p.new, "Unsqueeze", [slope, p.integers(*range(1, len(dims) - 1))], [placed])
    p.emit(p.new, "PRelu", [x, placed], [y])
    p.values.append((y, dims))


def reshape(p: Pair, x: str, dims: Dims) -> None:
    if len(dims) < 2 or not all(isinstance(d, int) for d in dims[1:]):
        return
    target, y = p.random.choice(([0, -1], [-1, dims[-1]])), p.name()
    result: Dims = [dims[0], int(np.prod(dims[1:]))] if target[0] == 0 else []
    if not result and len(dims) > 2:
        return
    if p.opset < 5:
        p.emit(p.old, "Reshape", [x], [y], shape=target)
    else:
        p.emit(p.old, "Reshape", [x, p.integers(*target)], [y])
    p.emit(p.new, "Reshape", [x, p.integers(*target)], [y])
    p.values.append((y, result or dims))


def dropout(p: Pair, x: str, dims: Dims) -> None:
    y = p.name()
    p.emit(p.old, "Dropout", [x], [y], is_test=1, ratio=p.random.choice((None, 0.3)))
    p.emit(p.new, "Identity", [x], [y])
    p.values.append((y, dims))


def normalise(p: Pair, x: str, dims: Dims) -> None:
    if len(dims) < 2:
        return
    given, y = [p.operand([dims[1]], "positive") for _ in range(4)], p.name()
    consumed = [0, 0, 0, 1, 1] if p.opset < 6 else None
    epsilon = p.random.choice((None, 1e-3))
    p.emit(p.old, "BatchNormalization", [x, *given], [y], is_test=1, consumed_inputs=consumed, epsilon=epsilon)
    p.emit(p.new, "BatchNormalization", [x, *given], [y], epsilon=epsilon)
    p.values.append((y, dims))


def gemm(p: Pair, x: str, dims: Dims) -> None:
    if len(dims) != 2:
        return
    columns = p.random.choice((1, 3, 8))
    b, y = p.operand([dims[1], columns]), p.name()
    c_dims = p.random.choice(([columns], [1], [dims[0], 1], [dims[0], columns], []))
    c = p.operand(c_dims)
    exact = len(c_dims) == 2 and c_dims[1] == columns and p.random.random() < 0.5
    beta = p.random.choice((None, 0.5))
    p.emit(p.old, "Gemm", [x, b, c], [y], broadcast=None if exact else 1, beta=beta)
    p.emit(p.new, "Gemm", [x, b, c], [y], beta=beta)
    p.values.append((y, [dims[0], columns]))


def concat(p: Pair, x: str, dims: Dims) -> None:
    if len(dims) < 2 or not isinstance(dims[1], int):
        return
    y = p.name()
    p.emit(p.old, "Concat", [x, x], [y], axis=None if p.opset < 4 else 1)
    p.emit(p.new, "Concat", [x, x], [y], axis=1)
    p.values.append((y, [dims[0], 2 * dims[1], *dims[2:]]))


def pad(p: Pair, x: str, dims: Dims) -> None:
    mode = p.random.choice(("constant", "edge"))
    pads = [p.random.choice((0, 0, 1, 2)) if isinstance(d, int) else 0 for d in [*dims, *dims]]
    y, value = p.name(), p.random.choice((0.0, 0.5))
    if not dims:
        return
    p.emit(p.old, "Pad", [x], [y], mode=mode, value=value, **{"paddings" if p.opset < 2 else "pads": pads})
    p.emit(p.new, "Pad", [x, p.integers(*pads), p.constant(np.array(value, np.float32))], [y], mode=mode)
    grown = [d + pads[i] + pads[i + len(dims)] if isinstance(d, int) else d for i, d in enumerate(dims)]
    p.values.append((y, grown))


def clip(p: Pair, x: str, dims: Dims) -> None:
    y = p.name()
    p.emit(p.old, "Clip", [x], [y], min=-0.5, max=0.75)
    p.emit(p.new, "Clip", [x, *(p.constant(np.array(v, np.float32)) for v in (-0.5, 0.75))], [y])
    p.values.append((y, dims))


def cast(p: Pair, x: str, dims: Dims) -> None:
    kind, y = p.random.choice(list(NAMES)), p.name()
    for graph, newer in ((p.old, False), (p.new, True)):
        for source, target, to in ((x, f"{y}_cast", kind), (f"{y}_cast", y, 1)):
            p.emit(graph, "Cast", [source], [target], to=to if newer or p.opset >= 6 else NAMES[to])
    p.values.append((y, dims))


def tile(p: Pair, x: str, dims: Dims) -> None:
    fixed = [i for i, d in enumerate(dims) if isinstance(d, int)]
    if not fixed:
        return
    axis, times, y = p.random.choice(fixed), p.random.choice((1, 2, 3)), p.name()
    repeats = p.integers(*(times if i == axis else 1 for i in range(len(dims))))
    if p.opset < 6:
        p.emit(p.old, "Tile", [x, *(p.constant(np.array(v, np.float32)) for v in (times, axis))], [y])
    else:
        p.emit(p.old, "Tile", [x, repeats], [y])
    p.emit(p.new, "Tile", [x, repeats], [y])
    p.values.append((y, [d * times if i == axis else d for i, d in enumerate(dims)]))


def split(p: Pair, x: str, dims: Dims) -> None:
    fixed = [i for i, d in enumerate(dims) if isinstance(d, int) and d > 1]
    if not fixed:
        return
    axis, names = p.random.choice(fixed), [p.name(), p.name()]
    first = p.random.randint(1, dims[axis] - 1)
    sizes = [first, dims[axis] - first]
    if p.opset < 2 and p.random.random() < 0.5:
        p.emit(p.old, "Split", [x, p.constant(np.array(sizes, np.float32))], names, axis=axis)
    else:
        p.emit(p.old, "Split", [x], names, axis=axis, split=sizes)
    p.emit(p.new, "Split", [x, p.integers(*sizes)], names, axis=axis)
    p.values += [(n, [*dims[:axis], s, *dims[axis + 1 :]]) for n, s in zip(names, sizes, strict=True)]


def axes(p: Pair, x: str, dims: Dims) -> None:
    """Axes as an attribute, and as an input since."""
    y = p.name()
    op = p.random.choice(("Unsqueeze", "ReduceSum", "ReduceMax", "ReduceMean", "Slice", "Softmax"))
    if op == "Unsqueeze" and len(dims) < 4:
        at = p.random.randint(0, len(dims))
        p.emit(p.old, op, [x], [y], axes=[at])
        p.emit(p.new, op, [x, p.integers(at)], [y])
        p.values.append((y, [*dims[:at], 1, *dims[at:]]))
    elif op.startswith("Reduce") and dims:
        at, keepdims = p.random.randrange(len(dims)), p.random.choice((0, 1))
        p.emit(p.old, op, [x], [y], axes=[at], keepdims=keepdims)
        p.emit(p.new, op, [x, p.integers(at)], [y], keepdims=keepdims)
        p.values.append((y, [*dims[:at], *([1] if keepdims else []), *dims[at + 1 :]]))
    elif op == "Slice" and dims:
        at = p.random.randrange(len(dims))
        if isinstance(dims[at], int) and dims[at] > 1:
            p.emit(p.old, op, [x], [y], axes=[at], starts=[1], ends=[1000])
            p.emit(p.new, op, [x, p.integers(1), p.integers(1000), p.integers(at)], [y])
            p.values.append((y, [*dims[:at], dims[at] - 1, *dims[at + 1 :]]))
    elif op == "Softmax" and len(dims) > 1:
        p.emit(p.old, op, [x], [y], axis=p.random.choice((1, None)))
        p.emit(p.new, "Flatten", [x], [f"{y}_flat"])
        p.emit(p.new, op, [f"{y}_flat"], [f"{y}_soft"], axis=-1)
        p.emit(p.new, "Shape", [x], [f"{y}_shape"])
        p.emit(p.new, "Reshape", [f"{y}_soft", f"{y}_shape"], [y])
        p.values.append((y, dims))


def selu(p: Pair, x: str, dims: Dims) -> None:
    y = p.name()
    p.emit(p.old, "Selu", [x], [y])
    p.emit(p.new, "Selu", [x], [y], **({"alpha": 1.6732, "gamma": 1.0507} if p.opset < 6 else {}))
    p.values.append((y, dims))


DRAWS = (
    unary,
    binary,
    binary,
    binary,
    prelu,
    reshape,
    dropout,
    normalise,
    gemm,
    concat,
    pad,
    clip,
    cast,
    tile,
    split,
    axes,
    axes,
    selu,
)


def grow_pair(seed: int, chosen: random.Random) -> onnx.ModelProto:
    """The newer graph; the old one is in its metadata."""
    p = Pair(chosen)
    names = ["a", "b", "c", "d"]
    dims: Dims = [chosen.choice((n, n, chosen.choice((1, 2, 3, 5)))) for n in names[: chosen.randint(1, 4)]]
    p.values.append((p.add_input(dims), dims))
    for _ in range(chosen.choice((1, 2, 3, 5, 8))):
        x, dims = chosen.choice(p.values[-3:])
        chosen.choice(DRAWS)(p, x, dims)
    if not p.old:
        p.both("Relu", [p.values[0][0]], p.values[0][1])
    read = {name for node in p.new for name in node.input}
    made = [name for node in p.old for name in node.output]
    ends = [name for name in made if name not in read]
    models = []
    for nodes, opset in ((p.old, p.opset), (p.new, NEWER)):
        outputs = [onnx.ValueInfoProto(name=name) for name in ends]
        used = {name for node in nodes for name in node.input}
        graph = helper.make_graph(nodes, "fuzz", p.inputs, outputs, [c for c in p.constants if c.name in used])
        models.append(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8))
    old, new = models
    symbols = sorted({d.dim_param for v in p.inputs for d in v.type.tensor_type.shape.dim if d.dim_param})
    runs = [{name: chosen.choice((1, 2, 3, 4, 7)) for name in symbols} for _ in range(3)]
    encoded = base64.b64encode(old.SerializeToString()).decode()
    set_metadata(new, bindings=runs, seed=str(seed), kind="old", old=encoded)
    return new
