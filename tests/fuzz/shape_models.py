# SPDX-License-Identifier: Apache-2.0
"""200 small models of one kind, for test_shape_models.py: a size is divided by reshapes, strides and arithmetic, and what comes out is
divided again. Such sizes are equal in some ways and not in others (T // 4 // 2 and T // 8), and each equality that a reshape asks
for is used for the sizes after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm

import numpy as np
import onnx
from onnx import TensorProto, helper

Sizes = Sequence[int]


def model(
    dims: Sequence[int | str], nodes: Sequence[onnx.NodeProto], outputs: Sequence[str], **constants: Sequence[int]
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "sizes",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [onnx.numpy_helper.from_array(np.array(value, np.int64), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reshaped_twice(dims: Sequence[int | str], first: int, second: int, reduction: str) -> onnx.ModelProto:
    """To [1, -1, first], an operator between, to [1, -1, second]."""
    if reduction:
        between = helper.make_node(reduction, ["a"], ["b"], axes=[2])
    else:
        between = helper.make_node("Relu", ["a"], ["b"])
    nodes = [
        helper.make_node("Reshape", ["x", "first"], ["a"]),
        between,
        helper.make_node("Reshape", ["b", "second"], ["y"]),
    ]
    return model(dims, nodes, ["y"], first=(1, -1, first), second=(1, -1, second))


def framed_beside_a_pool(frame: int, stride: int, frames_first: bool) -> onnx.ModelProto:
    """A waveform [1, T] cut into frames, and halved again, beside a pool over it."""
    frames = [
        helper.make_node("Reshape", ["x", "frame"], ["a"]),
        helper.make_node("ReduceMax", ["a"], ["b"], axes=[2], keepdims=0),
        helper.make_node("Reshape", ["b", "pair"], ["c"]),
        helper.make_node("ReduceMax", ["c"], ["y"], axes=[2], keepdims=0),
    ]
    pooled = [
        helper.make_node("Reshape", ["x", "channel"], ["d"]),
        helper.make_node("MaxPool", ["d"], ["e"], kernel_shape=[stride], strides=[stride]),
        helper.make_node("Squeeze", ["e", "one"], ["z"]),
    ]
    nodes = [*frames, *pooled] if frames_first else [*pooled, *frames]
    outputs = ["y", "z"]
    if stride == 2 * frame:
        nodes.append(helper.make_node("Add", ["y", "z"], ["s"]))
        outputs = ["y", "z", "s"]
    return model(
        (1, "T"), nodes, outputs, frame=(1, -1, frame), pair=(1, -1, 2), channel=(1, 1, -1), one=(1,)
    )  # fmt: skip


def sliced_to_a_quotient(rows: int, divisor: int, minus_one_first: bool) -> onnx.ModelProto:
    """[T] as so many rows, of which the first T / divisor columns are taken (or all of them)."""
    target = (-1, rows) if minus_one_first else (rows, -1)
    nodes = [
        helper.make_node("Reshape", ["x", "target"], ["a"]),
        helper.make_node("Shape", ["x"], ["t"]),
        helper.make_node("Div", ["t", "divisor"], ["end"]),
        helper.make_node("Slice", ["a", "zero", "end", "axis"], ["y"]),
    ]
    return model(
        ("T",), nodes, ["y"], target=target, divisor=(divisor,), zero=(0,), axis=(0 if minus_one_first else 1,)
    )  # fmt: skip


def systematic() -> Iterator[tuple[str, onnx.ModelProto, Sizes]]:
    """Name, model, and the values of T to run it with."""
    for dims in (("T",), (1, "T")):
        for first in (2, 3, 4, 8, 16):
            for second in (2, 3, 4, 6, 8):
                for reduction in ("ReduceMean", ""):
                    # [1, T, first] of a reduction is [1, T]
                    step = first * second if reduction else lcm(first, second)
                    name = f"[{', '.join(map(str, dims))}] by {first}, {reduction or 'Relu'}, by {second}"
                    yield name, reshaped_twice(dims, first, second, reduction), (step, 5 * step, 32 * step)
    for frame in (2, 4, 10, 16, 20):
        for stride in (3, 4, 8, 32, 40):
            for frames_first in (True, False):
                step = 2 * frame
                sizes = [n * step for n in (1, 2, 3, 8, 13, 40) if n * step >= stride]
                name = f"frames of {frame} {'before' if frames_first else 'after'} a pool of {stride}"
                yield name, framed_beside_a_pool(frame, stride, frames_first), sizes
    for rows in (2, 3, 4, 6, 8):
        for divisor in (2, 4, 8, 12, 16):
            for minus_one_first in (True, False):
                name = f"{rows} {'columns' if minus_one_first else 'rows'} to T / {divisor}"
                yield name, sliced_to_a_quotient(rows, divisor, minus_one_first), [rows * n for n in (1, 4, 7, 100)]
