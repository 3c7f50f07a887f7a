# SPDX-License-Identifier: Apache-2.0
"""Anydim: deep-learning primitives and models that take their dims when they run.

    session = anydim.InferenceSession("rec.onnx")
    for width in (71, 320, 513):                    # three shapes, no stall
        scores, = session.run(None, {"x": np.zeros((1, 3, 48, width), np.float32)})

An existing program that imports onnxruntime, unchanged: python -m anydim.compat.onnxruntime app.py --its --own --flags
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _capi
from ._enums import Dtype, Layout, Status
from .counters import counters
from .dims import Desc, Dim, bf16, dim, f16, f32, f64, i8, i32, i64, u8
from .errors import (
    BusyError,
    CancelledError,
    ClosedError,
    DeviceLostError,
    Error,
    FileError,
    ForkedError,
    InternalError,
    InvalidArgumentError,
    InvalidDataError,
    InvalidHandleError,
    InvalidModelError,
    MissingFileError,
    NotFoundError,
    OutOfBoundsError,
    OutOfMemoryError,
    QueueFullError,
    UnimplementedError,
    WaitTimeoutError,
)
from .io_binding import IOBinding
from .node_args import ModelMetadata, NodeArg
from .parts import Parts
from .run_options import RunOptions
from .session import InferenceSession

if TYPE_CHECKING:
    from . import cache, log, onnx_backend, ort, packed, ray, rows, spark, torch, worker
    from .batching import Batching, BatchingInfo
    from .builder import ModelBuilder
    from .custom import CustomOperator, Operand
    from .memory import Memory
    from .post_ops import PostOp, binary, clip, eltwise, hard_sigmoid, hard_swish, leaky_relu, relu, sigmoid, silu, tanh
    from .primitives import Engine, Primitive, Weights
    from .quantization import Quantized, quantized
    from .state import State
    from .streaming import Streaming

__version__ = _capi.version()

# What a program that only runs models does without is imported when it is first asked for: name -> module. It would be a quarter of
# the time and half a megabyte of `import anydim`.
_LATER = {
    **dict.fromkeys(("cache", "log", "onnx_backend", "ort", "packed", "ray", "rows", "spark", "torch", "worker"), ""),
    **dict.fromkeys(("Batching", "BatchingInfo"), "batching"),
    **dict.fromkeys(("CustomOperator", "Operand"), "custom"),
    "Memory": "memory",
    "ModelBuilder": "builder",
    **dict.fromkeys(("Engine", "Primitive", "Weights"), "primitives"),
    **dict.fromkeys(
        (
            "Parts",
    "PostOp",
            "binary",
            "clip",
            "eltwise",
            "hard_sigmoid",
            "hard_swish",
            "leaky_relu",
            "relu",
            "sigmoid",
            "silu",
            "tanh",
        ),
        "post_ops",
    ),
    **dict.fromkeys(("Quantized", "quantized"), "quantization"),
    "State": "state",
    "Streaming": "streaming",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        module = _LATER.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = import_module(f"{__name__}.{module or name}")
        if module:
            value = getattr(value, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "Batching",
    "BatchingInfo",
    "BusyError",
    "CancelledError",
    "ClosedError",
    "CustomOperator",
    "Desc",
    "DeviceLostError",
    "Dim",
    "Dtype",
    "Engine",
    "Error",
    "FileError",
    "ForkedError",
    "IOBinding",
    "InferenceSession",
    "InternalError",
    "InvalidArgumentError",
    "InvalidDataError",
    "InvalidHandleError",
    "InvalidModelError",
    "Layout",
    "Memory",
    "MissingFileError",
    "ModelBuilder",
    "ModelMetadata",
    "NodeArg",
    "NotFoundError",
    "Operand",
    "OutOfBoundsError",
    "OutOfMemoryError",
    "Parts",
    "PostOp",
    "Primitive",
    "Quantized",
    "QueueFullError",
    "RunOptions",
    "State",
    "Status",
    "Streaming",
    "UnimplementedError",
    "WaitTimeoutError",
    "Weights",
    "__version__",
    "bf16",
    "binary",
    "cache",
    "clip",
    "counters",
    "dim",
    "eltwise",
    "f16",
    "f32",
    "f64",
    "hard_sigmoid",
    "hard_swish",
    "i8",
    "i32",
    "i64",
    "leaky_relu",
    "log",
    "onnx_backend",
    "ort",
    "packed",
    "quantized",
    "ray",
    "relu",
    "rows",
    "sigmoid",
    "silu",
    "spark",
    "tanh",
    "torch",
    "u8",
    "worker",
]
