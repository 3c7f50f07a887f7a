# SPDX-License-Identifier: Apache-2.0
"""Anydim: deep-learning primitives and models that take their dims when they run.

    session = anydim.InferenceSession("rec.onnx")
    for width in (71, 320, 513):                    # three shapes, no stall
        scores, = session.run(None, {"x": np.zeros((1, 3, 48, width), np.float32)})

An existing program that imports onnxruntime, unchanged: python -m anydim.compat.onnxruntime app.py --its --own --flags
"""

from __future__ import annotations

from . import _capi, cache, worker
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
    NotFoundError,
    OutOfBoundsError,
    OutOfMemoryError,
    UnimplementedError,
)
from .memory import Memory
from .post_ops import PostOp, binary, clip, eltwise, hard_sigmoid, hard_swish, leaky_relu, relu, sigmoid, silu, tanh
from .primitives import Engine, Primitive, Weights
from .session import InferenceSession, IOBinding, ModelMetadata, NodeArg, RunOptions

__version__ = _capi.version()

__all__ = [
    "BusyError",
    "CancelledError",
    "ClosedError",
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
    "ModelMetadata",
    "NodeArg",
    "NotFoundError",
    "OutOfBoundsError",
    "OutOfMemoryError",
    "PostOp",
    "Primitive",
    "RunOptions",
    "Status",
    "UnimplementedError",
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
    "relu",
    "sigmoid",
    "silu",
    "tanh",
    "u8",
    "worker",
]
