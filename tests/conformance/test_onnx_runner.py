# SPDX-License-Identifier: Apache-2.0
"""anydim.onnx_backend, what it takes and refuses, and ONNX's own test runner on it."""

from __future__ import annotations

import anydim
import anydim.onnx_backend as backend
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_runner import read_excluded, run


def relu() -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n"])
    y = helper.make_tensor_value_info("1", onnx.TensorProto.FLOAT, ["n"])
    return helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["1"])], "g", [x], [y]), ir_version=9)


def test_models_are_prepared_once_and_run_at_any_shape() -> None:
    prepared = backend.prepare(relu(), "CPU", threads=1)
    for n in (1, 5):
        x = np.arange(n, dtype=np.float32) - 2
        for inputs in ([x], (x,), x, {"x": x}):
            outputs = prepared.run(inputs)
            assert outputs["1"].tolist() == outputs[0].tolist() == np.maximum(x, 0).tolist()
    assert backend.run_model(relu(), [x])[0].tolist() == np.maximum(x, 0).tolist()
    with pytest.raises(anydim.InvalidArgumentError, match="2 arrays"):
        prepared.run([x, x])


def test_nodes_run_alone() -> None:
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    assert backend.run_node(helper.make_node("MatMul", ["a", "b"], ["c"]), [a, b])[0].tolist() == [[3] * 4] * 2
    node = helper.make_node("Clip", ["x", "", "most"], ["y"])
    assert backend.run_node(node, [a, np.float32(0.5)], opset_version=13)["y"].max() == 0.5
    with pytest.raises(onnx.checker.ValidationError):
        backend.run_node(helper.make_node("Nothing", ["a"], ["c"]), [a])


def test_devices_and_what_is_lacking() -> None:
    assert backend.supports_device("CPU") and backend.supports_device("CPU:0")
    assert not any(backend.supports_device(device) for device in ("CUDA", "CPU:1", "TPU", "CPU:x", ""))
    with pytest.raises(anydim.InvalidArgumentError, match="'CUDA'"):
        backend.prepare(relu(), "CUDA")
    assert backend.is_compatible(relu())
    lacking = relu()
    lacking.graph.node[0].op_type, lacking.graph.node[0].domain = "Nothing", "elsewhere"
    lacking.opset_import.append(helper.make_opsetid("elsewhere", 1))
    assert not backend.is_compatible(lacking)


@pytest.mark.long
def test_onnx_s_own_runner() -> None:
    found = run()
    wrong = [f"{case}: {message}" for case, (why, message) in found["not_passed"].items() if not why]
    assert not wrong, "\n".join(wrong)
    excluded = read_excluded()
    new = sorted(found["not_passed"].keys() - excluded.keys())
    assert not new, f"these passed: {new}"
    assert found["passed"] >= 1300
