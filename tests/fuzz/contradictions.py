# SPDX-License-Identifier: Apache-2.0
"""A dim that two nodes ask to be two sizes: models that load by their declared dims and that no run can pass. They must be refused at
one moment, with one status, whatever the passes (judge.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnx
from cases import FLOATS, NUMPY, T, initializer

STRICT = ("MatMul",)  # asks for one size; the others allow 1, too
ASKING = ("MatMul", "Add", "Mul", "Min", "PRelu", "Expand")


def contradict(model: onnx.ModelProto, chosen: random.Random) -> bool:
    """Two more nodes, whose results are outputs. False if no input has a dynamic dim that they could ask."""
    opset = next(o.version for o in model.opset_import if not o.domain)
    graph = model.graph
    found = [
        (value, axis)
        for value in graph.input
        if value.type.tensor_type.elem_type in FLOATS - {T.BFLOAT16}
        for axis, dim in enumerate(value.type.tensor_type.shape.dim)
        if dim.dim_param
    ]
    if not found or opset < 8:
        return False
    value, axis = chosen.choice(found)
    dtype = NUMPY[value.type.tensor_type.elem_type]
    made = 0

    def node(op: str, *inputs: str, **attributes: Any) -> str:
        nonlocal made
        made += 1
        graph.node.append(onnx.helper.make_node(op, inputs, [f"never{made}"], name=f"never_node{made}", **attributes))
        return f"never{made}"

    def constant(array: Any) -> str:
        nonlocal made
        made += 1
        graph.initializer.append(initializer(f"never{made}", np.asarray(array)))
        return f"never{made}"

    rank = len(value.type.tensor_type.shape.dim)
    asked = [chosen.choice(STRICT), chosen.choice(ASKING)]
    chosen.shuffle(asked)
    for op, size in zip(asked, chosen.sample((2, 3, 4, 7), 2), strict=True):
        x = value.name
        for _ in range(chosen.choice((0, 0, 1, 2))):
            x = node(chosen.choice(("Neg", "Abs")), x)
        if axis != rank - 1:
            x = node("Transpose", x, perm=[a for a in range(rank) if a != axis] + [axis])
        if op == "MatMul":
            x = node(op, x, constant(np.ones((size, 2), dtype)))
        elif op == "Expand":
            x = node(op, x, constant(np.array([size], np.int64)))
        else:
            x = node(op, x, constant(np.full(size, 2, dtype)))
        for _ in range(chosen.choice((0, 1))):
            x = node(chosen.choice(("Relu", "Sigmoid")), x)
        graph.output.append(onnx.helper.make_empty_tensor_value_info(x))
    return True
