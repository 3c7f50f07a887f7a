# SPDX-License-Identifier: Apache-2.0
"""The models with the tensors before their last sigmoid and softmax as further outputs: a saturated sigmoid hides
errors that its input shows.
"""

from __future__ import annotations

from pathlib import Path

import onnx


def with_logits(path: Path) -> tuple[bytes, list[str]]:
    """The model with every such tensor as an output, and the names of all outputs, logits last.

    A sigmoid counts when only data movement and arithmetic, no convolution or matmul, lies between it and an output;
    YOLO has two ends: a softmax (box distances) and a sigmoid (scores).
    """
    model = onnx.load(str(path))
    producer = {name: node for node in model.graph.node for name in node.output}
    found: list[str] = []
    seen: set[str] = set()
    pending = [output.name for output in model.graph.output]
    while pending:
        name = pending.pop()
        if name in seen or name not in producer:
            continue
        seen.add(name)
        node = producer[name]
        if node.op_type in ("Sigmoid", "Softmax"):
            if node.input[0] not in found:
                found.append(node.input[0])
        elif node.op_type not in ("MatMul", "ConvTranspose", "Gemm") and not spatial_conv(node, model):
            pending.extend(node.input)
    # The dtype alone is declared; dims are found when the model runs.
    names = [output.name for output in model.graph.output]
    for name in found:
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    return model.SerializeToString(), names + found


def spatial_conv(node: onnx.NodeProto, model: onnx.ModelProto) -> bool:
    """True for convolutions but YOLO's fixed 16 -> 1 weighting of the distances, which follows its softmax."""
    if node.op_type != "Conv":
        return False
    weights = {tensor.name: list(tensor.dims) for tensor in model.graph.initializer}
    return weights.get(node.input[1]) != [1, 16, 1, 1]
