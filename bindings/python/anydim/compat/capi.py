# SPDX-License-Identifier: Apache-2.0
"""The modules of onnxruntime.capi. What they have of Anydim's is listed here; every other name is the real package's, whose extension
module is loaded when one is asked for first (the quantizers take `quantize_matmul_4bits` from it)."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
import warnings
from collections.abc import Mapping
from typing import Any

from .. import errors
from . import enums
from .submodules import real_folders

_STATE = "onnxruntime_pybind11_state"


class ModelLoadCanceled(errors.CancelledError):
    """A session was to be made while `SessionOptions.set_load_cancellation_flag(True)` held."""


EXCEPTIONS: dict[str, type[Exception]] = {
    "Fail": errors.Error,
    "RuntimeException": errors.Error,
    "EPFail": errors.Error,
    "DeviceReset": errors.Error,
    "EngineError": errors.Error,
    "InvalidArgument": errors.InvalidArgumentError,
    "NoSuchFile": errors.NotFoundError,
    "NoModel": errors.InvalidModelError,
    "InvalidProtobuf": errors.InvalidModelError,
    "InvalidGraph": errors.InvalidModelError,
    "ModelLoadCanceled": ModelLoadCanceled,
    "ModelLoaded": errors.Error,
    "ModelRequiresCompilation": errors.Error,
    "NotImplemented": errors.UnimplementedError,
    "NotFound": errors.NotFoundError,
}


def _real_state() -> types.ModuleType:
    """The real package's extension module, not under the name that this one has."""
    name = f"anydim.compat.real.{_STATE}"
    if name not in sys.modules:
        folders = [os.path.join(folder, "capi") for folder in real_folders()]
        found = importlib.machinery.PathFinder.find_spec(_STATE, folders) if folders else None
        if found is None or found.origin is None:
            raise ImportError(
                "it is the package onnxruntime's, which is not installed; Anydim stands in for what runs models"
            )
        spec = importlib.util.spec_from_file_location(name, found.origin)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def _forwarding(module: types.ModuleType) -> None:
    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        try:
            return getattr(_real_state(), name)
        except ImportError as missing:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}: {missing}") from missing

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _module(name: str, members: Mapping[str, Any]) -> types.ModuleType:
    module = types.ModuleType(f"onnxruntime.capi.{name}" if name else "onnxruntime.capi", "A stand-in of Anydim.")
    module.__dict__.update(members)
    sys.modules[module.__name__] = module
    return module


def modules(names: Mapping[str, Any], version: str) -> types.ModuleType:
    """onnxruntime.capi with all that lies in it; `names`: those of onnxruntime itself."""
    state = _module(_STATE, {**names, **EXCEPTIONS, **{n: e for n, e in vars(enums).items() if not n.startswith("_")}})
    _forwarding(state)
    pybind = _module("_pybind_state", {n: v for n, v in vars(state).items() if not n.startswith("__")})
    _forwarding(pybind)
    info = {"package_name": "onnxruntime", "__version__": version}
    validation = {
        "check_distro_info": lambda: None,
        "check_training_module": lambda: (None, False),
        "get_package_name_and_version_info": lambda: ("onnxruntime", version, ""),
        "warnings": warnings,
    }
    collection = ("AdapterFormat", "IOBinding", "InferenceSession", "ModelCompiler", "OrtDevice", "OrtDeviceVendorId", "OrtValue",
                  "SparseTensor", "copy_tensors")  # fmt: skip
    parts = {
        _STATE: state,
        "_pybind_state": pybind,
        "_ld_preload": _module("_ld_preload", {}),
        "build_and_package_info": _module("build_and_package_info", info),
        "onnxruntime_validation": _module("onnxruntime_validation", validation),
        "onnxruntime_inference_collection": _module(
            "onnxruntime_inference_collection",
            {name: names[name] for name in collection} | {"Session": names["InferenceSession"]},
        ),
    }
    return _module("", {**parts, "__path__": []})
