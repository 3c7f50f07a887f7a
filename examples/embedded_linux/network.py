# SPDX-License-Identifier: Apache-2.0
"""Writes the network of examples/voice_activity.py as a file, for `anydim export`: python network.py speech.onnx"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RATE, CHUNK = 16000, 320  # samples: a second's, and those of 20 ms
FRAME, STEP = 400, 160  # 25 ms, every 10 ms


def model() -> onnx.ModelProto:
    """samples [1, 1, n] to the share of speech [1, 1, frames], 0 to 1."""
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []

    def constant(values: object, dtype: type = np.float32) -> str:
        constants.append(numpy_helper.from_array(np.array(values, dtype), f"c{len(constants)}"))
        return constants[-1].name

    def node(op: str, *inputs: str, to: str = "", **attributes: object) -> str:
        nodes.append(helper.make_node(op, inputs, [to or f"v{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    y = node("Conv", "samples", constant([[[-0.97, 1.0]]]), pads=[1, 0])  # what hums is left out
    window = {"kernel_shape": [FRAME], "strides": [STEP], "pads": [FRAME // 2, FRAME // 2]}
    y = node("Log", node("Add", node("AveragePool", node("Mul", y, y), **window), constant(1e-9)))
    level = node("Mul", node("Add", y, constant(12.5)), constant(0.6))
    # One unit: z = sigmoid(1), n = tanh(2 * level): it follows the level in about 40 ms.
    w, r, bias = constant([[[0.0], [0.0], [2.0]]]), constant(np.zeros((1, 3, 1))), constant([[1.0, 0, 0, 0, 0, 0]])
    state = node("GRU", node("Transpose", level, perm=[2, 0, 1]), w, r, bias, hidden_size=1)
    smooth = node("Transpose", node("Squeeze", state, constant([1], np.int64)), perm=[1, 2, 0])
    y = node("Conv", smooth, constant(np.full((1, 1, 9), 1 / 9)), pads=[4, 4])
    node("Sigmoid", node("Mul", y, constant(6.0)), to="speech")
    edges = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 1, d])
        for n, d in (("samples", "n"), ("speech", "frames"))
    ]
    graph = helper.make_graph(nodes, "speech", edges[:1], edges[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


if __name__ == "__main__":
    onnx.save(model(), sys.argv[1])
