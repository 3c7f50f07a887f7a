# SPDX-License-Identifier: Apache-2.0
"""Anydim as an execution provider of ONNX Runtime, for programs that stay with that:

    import anydim.ort, onnxruntime
    anydim.ort.register()
    session = onnxruntime.InferenceSession("rec.onnx", providers=["AnydimExecutionProvider", "CPUExecutionProvider"])

Nodes that Anydim lacks run in ONNX Runtime, as without it (docs/onnxruntime-plugin.md)."""

from __future__ import annotations

from typing import Any

from . import _capi
from .errors import UnimplementedError

_NAME = "AnydimExecutionProvider"
_OLDEST = (1, 23)
_registered: str | None = None


def get_ep_name() -> str:
    """The provider's name, as ONNX Runtime and its users write it."""
    return _NAME


def get_library_path() -> str:
    """The library to register: this package's extension module, which is one. In other languages it is `libanydim_ort_ep.so`,
    which lies beside `libanydim.so`."""
    return str(_capi.__file__)


def _onnxruntime() -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as missing:
        raise ImportError("anydim.ort needs the package onnxruntime, 1.23 or newer") from missing
    version = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
    if version < _OLDEST or not hasattr(onnxruntime, "register_execution_provider_library"):
        raise UnimplementedError(f"onnxruntime is {onnxruntime.__version__}; expected 1.23 or newer")
    return onnxruntime


def register(name: str = "anydim") -> list[Any]:
    """Makes the provider known to ONNX Runtime in this process, once, and returns its devices, for
    `SessionOptions.add_provider_for_devices(devices, options)`. `name` is what ONNX Runtime calls the library. Where ONNX Runtime is a
    module of Anydim's own (`anydim.compat.onnxruntime`) there is nothing to register with."""
    global _registered
    onnxruntime = _onnxruntime()
    if _registered is None:
        onnxruntime.register_execution_provider_library(name, get_library_path())
        _registered = name
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == _NAME]


def unregister() -> None:
    """Takes the provider away from ONNX Runtime; sessions that use it must be gone. Again, or before `register`, does nothing."""
    global _registered
    if _registered is not None:
        _onnxruntime().unregister_execution_provider_library(_registered)
        _registered = None
