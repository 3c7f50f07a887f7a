# SPDX-License-Identifier: Apache-2.0
"""The engines that `anydim bench` measures, each as its users would configure it at equal work: float32 arithmetic, the same number of
threads, denormals flushed where the engine can. Those of others are imported only when they are asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import Failure

TITLES = {"anydim": "Anydim", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}


@dataclass
class Loaded:
    """A loaded model: `call` runs it on arrays by input name, in any number of threads."""

    call: Callable[[dict[str, Any]], list[Any]]
    version: str


def _missing(engine: str, error: ImportError) -> Failure:
    return Failure(f"--against {engine}: its Python package cannot be imported ({error}); pip install {engine}")


def load_anydim(model: str, threads: int, callers: int, math: str, reuse: str) -> Loaded:
    """Anydim, with a context for each caller."""
    import anydim

    words: dict[str, Any] = {"math": math or None, "reuse": reuse or None}  # the session checks them
    session = anydim.InferenceSession(model, threads=threads or None, contexts=callers, **words)
    return Loaded(lambda feeds: session.run(None, feeds), anydim.__version__)


def load_onnxruntime(model: str, threads: int) -> Loaded:
    """ONNX Runtime on the CPU."""
    try:
        import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise _missing("onnxruntime", error) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Without it a run of denormals (an all-black image) takes twice as long.
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return Loaded(lambda feeds: list(session.run(None, feeds)), str(onnxruntime.__version__))


def load_openvino(model: str, threads: int, callers: int) -> Loaded:
    """OpenVINO on the CPU, in float32, with a request for each caller."""
    try:
        import openvino  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise _missing("openvino", error) from None
    properties: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY" if callers == 1 else "THROUGHPUT",
        "NUM_STREAMS": str(callers),
    }
    if threads:
        properties["INFERENCE_NUM_THREADS"] = threads
    core = openvino.Core()
    # Else the left side of a product with 8-bit weights becomes 8 bits, too: results are off by hundredths.
    if (name := "DYNAMIC_QUANTIZATION_GROUP_SIZE") in core.get_property("CPU", "SUPPORTED_PROPERTIES"):
        properties[name] = 0
    compiled = core.compile_model(model, "CPU", properties)
    mine = threading.local()  # a request has one user at a time

    def call(feeds: dict[str, Any]) -> list[Any]:
        if not hasattr(mine, "request"):
            mine.request = compiled.create_infer_request()
        return list(mine.request.infer(feeds, share_inputs=True).values())

    return Loaded(call, str(openvino.__version__).split("-")[0])


def load(engine: str, model: str, threads: int, callers: int, math: str, reuse: str) -> Loaded:
    """A model in one of the engines."""
    if engine == "anydim":
        return load_anydim(model, threads, callers, math, reuse)
    return load_onnxruntime(model, threads) if engine == "onnxruntime" else load_openvino(model, threads, callers)
