# SPDX-License-Identifier: Apache-2.0
"""The engines that decoders.py holds against ours, each as a session with get_inputs() and run()."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def onnx_runtime(model: bytes, threads: int) -> Any:
    import onnxruntime as ort  # type: ignore[import-untyped]

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OpenVino:
    """Computes in f32, as the others do."""

    def __init__(self, model: bytes, threads: int) -> None:
        import openvino  # type: ignore[import-untyped]

        core = openvino.Core()
        read = core.read_model(model, b"")
        self.inputs = [
            SimpleNamespace(name=i.any_name, shape=[d.get_length() if d.is_static else None for d in i.partial_shape])
            for i in read.inputs
        ]
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
        self.compiled = core.compile_model(read, "CPU", settings)
        self.request = self.compiled.create_infer_request()

    def get_inputs(self) -> list[Any]:
        return self.inputs

    def run(self, _: None, feeds: dict[str, Any]) -> list[Any]:
        given = self.request.infer(feeds)
        return [given[o].copy() for o in self.compiled.outputs]


def peers(model: bytes, threads: int) -> dict[str, Any]:
    """Those that take the model; the others say why on the way."""
    made: dict[str, Any] = {}
    for name, make in (("ONNX Runtime", onnx_runtime), ("OpenVINO", OpenVino)):
        try:
            made[name] = make(model, threads)
        except Exception as error:  # whatever it is, that peer is left out
            print(f"{name} does not take the model: {str(error).strip().splitlines()[-1]}")
    return made
