# SPDX-License-Identifier: Apache-2.0
"""A model in double precision on the onnx package's own evaluator: slow, independent of every engine here, and exact
enough to decide which of two fp32 engines is the one that is off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE)
# Operators of the four models that compute float values only; the others move values or compute shapes.
ROUNDED = {
    "Conv", "ConvTranspose", "MatMul", "BatchNormalization", "GlobalAveragePool", "AveragePool", "ReduceMean", "Softmax",
    "Sigmoid", "HardSigmoid", "Sqrt", "Pow",
}  # fmt: skip


class BatchNormalization(OpRun):
    """The inference form. The package's own, below opset 14, takes a given momentum for a request to train."""

    op_domain = ""

    def _run(self, x, scale, shift, mean, variance, epsilon=None, **_):  # type: ignore[no-untyped-def]
        dims = (1, -1) + (1,) * (x.ndim - 2)
        factor = scale / np.sqrt(variance + epsilon)
        return (x * factor.reshape(dims) + (shift - mean * factor).reshape(dims),)


def widened(tensor: onnx.TensorProto) -> onnx.TensorProto:
    values = numpy_helper.to_array(tensor)
    return numpy_helper.from_array(values.astype(np.float64), tensor.name) if values.dtype == np.float32 else tensor


def in_double(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every float32 constant, cast and declared type of the model as float64."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    for tensor in wide.graph.initializer:
        tensor.CopyFrom(widened(tensor))
    for node in wide.graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                attribute.t.CopyFrom(widened(attribute.t))
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
        if node.op_type == "Resize":
            # Its scales stay float32 by definition; they are constants of few elements, exact in both.
            narrow_scales(node, wide)
    for value in [*wide.graph.input, *wide.graph.output]:
        if value.type.tensor_type.elem_type in FLOATS:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    del wide.graph.value_info[:]
    return wide


def narrow_scales(resize: onnx.NodeProto, model: onnx.ModelProto) -> None:
    for name in resize.input[1:3]:
        for tensor in model.graph.initializer:
            if tensor.name == name:
                tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float32), name))
        for node in model.graph.node:
            if node.op_type == "Constant" and node.output[0] == name:
                values = numpy_helper.to_array(node.attribute[0].t).astype(np.float32)
                node.attribute[0].t.CopyFrom(numpy_helper.from_array(values))


def shake(tensor: onnx.TensorProto, draws: np.random.Generator) -> onnx.TensorProto:
    """Weights moved by half a unit in the last place of fp32, up or down at random."""
    values = numpy_helper.to_array(tensor)
    if values.dtype != np.float64 or values.size == 1:
        return tensor
    return numpy_helper.from_array(values * (1 + 2.0**-24 * draws.choice([-1.0, 1.0], values.shape)), tensor.name)


def round_every_value(model: onnx.ModelProto) -> None:
    """Each node's float result is rounded to fp32 once, as an engine does that is perfect but for storing fp32."""
    nodes = list(model.graph.node)
    del model.graph.node[:]
    for node in nodes:
        model.graph.node.append(node)
        if node.op_type not in ROUNDED:
            continue
        exact, narrow, name = node.output[0] + "__exact", node.output[0] + "__fp32", node.output[0]
        model.graph.node[-1].output[0] = exact
        model.graph.node.append(onnx.helper.make_node("Cast", [exact], [narrow], to=TensorProto.FLOAT))
        model.graph.node.append(onnx.helper.make_node("Cast", [narrow], [name], to=TensorProto.DOUBLE))


def evaluate(model: bytes, names: list[str], x: np.ndarray, shaken: int | None = None) -> list[np.ndarray]:
    """The named outputs in float64; with a seed in `shaken`, of a model whose weights are fp32's rounding error away and
    whose intermediate values are rounded to fp32: what a perfect fp32 engine could not avoid."""
    wide = in_double(onnx.load_from_string(model))
    if shaken is not None:
        draws = np.random.default_rng(shaken)
        for tensor in wide.graph.initializer:
            tensor.CopyFrom(shake(tensor, draws))
        for node in wide.graph.node:
            if node.op_type == "Constant":
                node.attribute[0].t.CopyFrom(shake(node.attribute[0].t, draws))
        round_every_value(wide)
    evaluator = ReferenceEvaluator(wide, new_ops=[BatchNormalization])
    got: Any = evaluator.run(names, {wide.graph.input[0].name: x.astype(np.float64)})
    outputs: list[np.ndarray] = got
    return outputs
