# SPDX-License-Identifier: Apache-2.0
"""Options, enumerations, devices and less usual ways to run of onnxruntime's interface: each test runs on Anydim's stand-in and on
onnxruntime itself, where that is installed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import anydim
import anydim.compat.onnxruntime as compat
import numpy as np
import pytest
from small_models import chunk, model, node, number, value
from test_compat_interface import X, Y, open_session, ort, ours, relu

__all__ = ["ort"]  # the fixture


def test_enumerations_are_written_with_their_class(ort: Any) -> None:
    assert str(ort.GraphOptimizationLevel.ORT_ENABLE_ALL) == "GraphOptimizationLevel.ORT_ENABLE_ALL"
    assert f"{ort.ExecutionMode.ORT_PARALLEL}" == "ExecutionMode.ORT_PARALLEL"
    assert ort.OrtMemType.CPU == ort.OrtMemType.CPU_OUTPUT
    assert int(ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR) == 1


def test_settings_are_attributes_of_the_class_and_have_types(ort: Any) -> None:
    for name in ("intra_op_num_threads", "graph_optimization_level", "enable_profiling", "logid"):
        assert hasattr(ort.SessionOptions, name)
    options = ort.SessionOptions()
    options.intra_op_num_threads = np.int64(2)
    options.logid = "me"
    assert (options.intra_op_num_threads, options.logid) == (2, "me")
    for name, wrong in (("intra_op_num_threads", "4"), ("graph_optimization_level", 99), ("logid", 3)):
        with pytest.raises(TypeError):
            setattr(options, name, wrong)


@pytest.mark.parametrize("way", ["name", "denotation"])
def test_a_dim_that_is_fixed_is_shown_and_enforced(ort: Any, way: str) -> None:
    denoted = chunk(1, chunk(2, "n") + chunk(3, "DATA_BATCH")) + chunk(1, number(1, 3))
    x = chunk(1, "x") + chunk(2, chunk(1, number(1, 1) + chunk(2, denoted)))
    made = model([node("Relu", ["x"], ["y"])], inputs=[x], outputs=[value("y", 1, ("n", 3))])
    options = ort.SessionOptions()
    if way == "name":
        options.add_free_dimension_override_by_name("n", 2)
        options.add_free_dimension_override_by_name("no such dim", 7)
    else:
        options.add_free_dimension_override_by_denotation("DATA_BATCH", 2)
    session = open_session(ort, made, options)
    assert session.get_inputs()[0].shape == [2, 3]
    assert session.get_outputs()[0].shape == [2, 3]
    assert np.array_equal(session.run(None, {"x": X})[0], Y)
    refused = anydim.InvalidArgumentError if ours(ort) else ort.capi.onnxruntime_pybind11_state.InvalidArgument
    with pytest.raises(refused, match=r"index: 0 Got: 1 Expected: 2"):
        session.run(None, {"x": X[:1]})


def test_files_of_external_data_come_from_memory(ort: Any) -> None:
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    entries = [("location", "weights.bin"), ("offset", "8"), ("length", "24")]
    external = b"".join(chunk(13, chunk(1, key) + chunk(2, text)) for key, text in entries)
    initializer = number(1, 2) + number(1, 3) + number(2, 1) + chunk(8, "w") + external + number(14, 1)
    made = model(
        [node("Add", ["x", "w"], ["y"])], inputs=[value("x", 1, (2, 3))], outputs=[value("y", 1, (2, 3))],
        constants=[initializer],
    )  # fmt: skip
    data = bytes(8) + w.tobytes()
    options = ort.SessionOptions()
    options.add_external_initializers_from_files_in_memory(["weights.bin"], [data], [len(data)])
    session = open_session(ort, made, options)
    assert np.array_equal(session.run(None, {"x": X})[0], X + w)


def test_an_option_of_a_run_is_read_back(ort: Any) -> None:
    options = ort.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    assert options.get_run_config_entry("memory.enable_memory_arena_shrinkage") == "cpu:0"
    with pytest.raises(anydim.NotFoundError if ours(ort) else RuntimeError, match="nothing"):
        options.get_run_config_entry("nothing")


def test_a_provider_that_was_added_is_known(ort: Any) -> None:
    options = ort.SessionOptions()
    assert not options.has_providers()
    options.add_provider_for_devices(ort.get_ep_devices()[:1], {})
    assert options.has_providers()
    (device,) = ort.get_ep_devices()[:1]
    assert device.ep_name == "CPUExecutionProvider"
    assert device.device.type == ort.OrtHardwareDeviceType.CPU


def test_a_session_is_not_made_while_loading_is_cancelled(ort: Any) -> None:
    options = ort.SessionOptions()
    options.set_load_cancellation_flag(True)
    with pytest.raises(Exception, match=r"(?i)cancel"):
        open_session(ort, relu(), options)
    options.set_load_cancellation_flag(False)
    open_session(ort, relu(), options)


def test_a_binding_is_made_from_a_session_by_its_class(ort: Any) -> None:
    session = open_session(ort)
    binding = ort.IOBinding(session)
    assert type(binding) is type(session.io_binding())
    binding.bind_cpu_input("x", X)
    binding.bind_output("y", "cpu")
    session.run_with_iobinding(iobinding=binding)
    assert np.array_equal(binding.copy_outputs_to_cpu()[0], Y)
    assert np.array_equal(binding._iobinding.get_outputs()[0].numpy(), Y)


def test_vectors_of_values_are_run(ort: Any) -> None:
    session = open_session(ort)
    values = ort.OrtValue.ortvalue_from_numpy(X)
    feeds, fetches = (ort.capi.onnxruntime_pybind11_state.OrtValueVector() for _ in range(2)) if not ours(ort) else (
        compat.OrtValueVector(), compat.OrtValueVector())  # fmt: skip
    feeds.push_back(values._ortvalue)
    devices = [] if ours(ort) else [ort.OrtDevice.make("cpu", 0)._get_c_device()]
    session.run_with_ortvaluevector(ort.RunOptions(), ["x"], feeds, ["y"], fetches, devices)
    assert np.array_equal(fetches[0].numpy(), Y)


def test_values_are_copied() -> None:
    """onnxruntime copies between devices only, and fails where both are the processor."""
    source, target = (compat.OrtValue.ortvalue_from_numpy(x) for x in (X, np.zeros_like(X)))
    compat.copy_tensors([source], [target])
    assert np.array_equal(target.numpy(), X)
    with pytest.raises(anydim.InvalidArgumentError, match="as many"):
        compat.copy_tensors([source], [])


def test_what_is_known_of_a_session(ort: Any) -> None:
    session = open_session(ort)
    assert [info.name.lower() for info in session.get_input_memory_infos()] == ["cpu"]
    assert [info.mem_type for info in session.get_output_memory_infos()] == [ort.OrtMemType.DEFAULT]
    assert [device.ep_name for device in session.get_input_epdevices()] == ["CPUExecutionProvider"]
    assert session.get_tuning_results() == []
    assert ort.has_collective_ops() is False
    assert session._sess.inputs_meta[0].name == "x"


FORWARDED = """
import anydim.compat.onnxruntime
anydim.compat.onnxruntime.install()
import numpy as np, onnx
from onnx import helper, numpy_helper
import onnxruntime
from onnxruntime.capi import onnxruntime_validation
import onnxruntime.capi._ld_preload
from onnxruntime.capi._pybind_state import get_all_operator_schema, quantize_matmul_2bits, quantize_matmul_8bits
from onnxruntime.quantization import matmul_bnb4_quantizer
assert len(get_all_operator_schema()) > 200
w = numpy_helper.from_array(np.random.default_rng(0).random((64, 32), np.float32), "w")
graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
    [helper.make_tensor_value_info("x", 1, ["n", 64])], [helper.make_tensor_value_info("y", 1, ["n", 32])], [w])
made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
quantizer = matmul_bnb4_quantizer.MatMulBnb4Quantizer(made, quant_type=1, block_size=64)
quantizer.process()
print([node.op_type for node in quantizer.model.model.graph.node])
"""


def test_quantizers_take_what_they_need_from_the_real_extension_module() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    done = subprocess.run([sys.executable, "-c", FORWARDED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['MatMulBnb4']\n"
