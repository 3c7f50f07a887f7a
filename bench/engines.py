# SPDX-License-Identifier: Apache-2.0
"""The engines that are compared, each in the configuration that serves it best at equal work: fp32 arithmetic, the
same number of threads, denormals flushed where the engine can.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy comes with .venv; --help does without
    import numpy as np

Model = Path | bytes  # a file, or what one has
Call = Callable[[Any], "list[np.ndarray]"]


@dataclass
class Session:
    """A loaded model: `call` runs it on the array of its one input, or on arrays by input name, in any number of threads;
    `growths` is the engine's own count of how often its memory had to grow, 0 for one that does not count; `used_bytes`
    what the last shape needs of it."""

    call: Call
    growths: Callable[[], int]
    version: str
    used_bytes: Callable[[], int] = lambda: 0


def source_of(model: Model) -> str | bytes:
    return model if isinstance(model, bytes) else str(model)


def open_anydim(model: Model, threads: int) -> Session:
    import anydim

    session = anydim.InferenceSession(source_of(model), threads=threads)
    name = session.get_inputs()[0].name
    return Session(
        lambda x: session.run(None, x if isinstance(x, dict) else {name: x}),
        lambda: session.growths,
        anydim.__version__,
        lambda: int(session.explain()["used_bytes"]),
    )


def open_onnxruntime(model: Model, threads: int) -> Session:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Without it a run of denormals (an all-black image) takes twice as long.
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    session = onnxruntime.InferenceSession(source_of(model), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return Session(
        lambda x: session.run(None, x if isinstance(x, dict) else {name: x}), lambda: 0, onnxruntime.__version__
    )


def open_openvino(model: Path, threads: int, streams: int = 1) -> Session:
    import openvino

    core = openvino.Core()
    # On CPUs with bf16 OpenVINO would use it, and beside 8-bit weights it would make activations 8 bits; the others compute in fp32.
    properties: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": str(streams),
        "PERFORMANCE_HINT": "LATENCY" if streams == 1 else "THROUGHPUT",
    }
    compiled = core.compile_model(str(model), "CPU", properties)
    mine = threading.local()  # a request has one user at a time

    def call(x: Any) -> list[np.ndarray]:
        if not hasattr(mine, "request"):
            mine.request = compiled.create_infer_request()
        return list(mine.request.infer(x if isinstance(x, dict) else [x], share_inputs=True).values())

    return Session(call, lambda: 0, openvino.__version__.split("-")[0])


ENGINES: dict[str, Callable[[Path, int], Session]] = {
    "anydim": open_anydim,
    "onnxruntime": open_onnxruntime,
    "openvino": open_openvino,
}
