# SPDX-License-Identifier: Apache-2.0
"""The interface of the package onnxruntime, as far as programs that run models use it, on Anydim.

A program that imports onnxruntime runs on Anydim, unchanged, by one of

    python -m anydim.compat.onnxruntime app.py --its --own --flags
    ANYDIM_AS_ONNXRUNTIME=1 python app.py --its --own --flags
    import anydim.compat.onnxruntime; anydim.compat.onnxruntime.install()      # before it imports onnxruntime

The environment variable is honoured by one line in a .pth file beside the installed package (site-packages), which does
nothing unless it is set. Settings that only make sense for onnxruntime (optimisation level, arenas, execution mode) are
accepted and have no effect; what would change results (custom operators, other devices alone) is refused.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

import anydim
from anydim import errors
from anydim.arrays import TENSOR_TYPES, as_array, numpy_dtype
from anydim.session import IOBinding, ModelMetadata, NodeArg

# The release of onnxruntime whose interface this follows; programs compare it.
__version__ = f"1.22.0+anydim.{anydim.__version__}"

_CPU = "CPUExecutionProvider"


class GraphOptimizationLevel(IntEnum):
    """Accepted, without effect: Anydim always optimises."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Accepted, without effect: one node runs at a time, on all threads."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(IntEnum):
    """Accepted, without effect."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class SessionOptions:
    """Options of a session. `intra_op_num_threads` is the number of threads; the others have no effect."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.enable_profiling = False
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.profile_file_prefix = ""
        self.use_deterministic_compute = True
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise errors.NotFoundError(f"the session has no configuration entry {key!r}")
        return self._entries[key]

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        """Accepted, without effect: dims stay dynamic and cost nothing."""

    def add_free_dimension_override_by_denotation(self, denotation: str, value: int) -> None:
        """Accepted, without effect: dims stay dynamic and cost nothing."""

    def register_custom_ops_library(self, path: str) -> None:
        raise errors.UnimplementedError(f"path is {path!r}; libraries of custom operators are not supported")


class RunOptions:
    """Options of a run: accepted, without effect."""

    def __init__(self) -> None:
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.terminate = False
        self.only_execute_path_to_fetches = False
        self._entries: dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        self._entries[key] = value


class OrtValue:
    """A numpy array in onnxruntime's clothes."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(array: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        _check_device(device_type)
        return OrtValue(as_array(array, "the array"))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0
    ) -> OrtValue:
        _check_device(device_type)
        return OrtValue(np.empty(tuple(shape), element_type))

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._array

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def data_type(self) -> str:
        return next(
            (
                name
                for dtype, name in TENSOR_TYPES.items()
                if name != "tensor(bfloat16)" and numpy_dtype(dtype) == self._array.dtype
            ),
            "tensor(unknown)",
        )

    def element_type(self) -> Any:
        return self._array.dtype

    def device_name(self) -> str:
        return "cpu"

    def data_ptr(self) -> int:
        address: int = self._array.__array_interface__["data"][0]
        return address

    def is_tensor(self) -> bool:
        return True

    def has_value(self) -> bool:
        return True

    def update_inplace(self, array: Any) -> None:
        self._array[...] = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._array if dtype is None else self._array.astype(dtype)


def _check_device(device_type: str) -> None:
    if device_type != "cpu":
        raise errors.UnimplementedError(f"device is {device_type!r}; expected 'cpu'")


class _Binding(IOBinding):
    """An I/O binding with onnxruntime's method signatures."""

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        self.bind_input(name, arr_on_cpu)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self.bind_input(name, ortvalue.numpy())

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        super().bind_output(name, ortvalue.numpy())

    def bind_output(  # type: ignore[override]
        self, name: str, device_type: Any = "cpu", device_id: int = 0, *_: Any, **__: Any
    ) -> None:
        if isinstance(device_type, str):
            _check_device(device_type)
            super().bind_output(name, None)
        else:
            super().bind_output(name, device_type)

    def get_outputs(self) -> list[OrtValue]:
        return [OrtValue(result) for result in super().get_outputs()]

    def synchronize_inputs(self) -> None:
        """Nothing to wait for: runs are complete when they return."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for: runs are complete when they return."""


class InferenceSession(anydim.InferenceSession):
    """onnxruntime's session on Anydim."""

    def __init__(
        self,
        path_or_bytes: Any,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **_: Any,
    ) -> None:
        options = sess_options if sess_options is not None else SessionOptions()
        super().__init__(path_or_bytes, threads=options.intra_op_num_threads or None)
        self._session_options = options
        self._path = path_or_bytes if isinstance(path_or_bytes, (str, os.PathLike)) else ""

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: object = None
    ) -> list[Any]:
        feeds = {name: value.numpy() if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        return super().run(output_names, feeds)

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: object = None,
    ) -> list[OrtValue]:
        return [OrtValue(result) for result in self.run(output_names, input_dict_ort_values)]

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Any,
        user_data: Any,
        run_options: object = None,
    ) -> None:
        raise errors.UnimplementedError("run_async is not supported; call run from a thread of your own")

    def get_session_options(self) -> SessionOptions:
        return self._session_options

    def get_providers(self) -> list[str]:
        return [_CPU]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {_CPU: {}}

    def set_providers(
        self, providers: Sequence[Any] | None = None, provider_options: Sequence[Any] | None = None
    ) -> None:
        """Accepted, without effect: there is one provider."""

    def disable_fallback(self) -> None:
        """Accepted, without effect: there is one provider."""

    def enable_fallback(self) -> None:
        """Accepted, without effect: there is one provider."""

    def get_overridable_initializers(self) -> list[NodeArg]:
        return []

    def get_profiling_start_time_ns(self) -> int:
        return 0

    def end_profiling(self) -> str:
        return ""

    def io_binding(self) -> _Binding:
        return _Binding(self)


def get_available_providers() -> list[str]:
    return [_CPU]


def get_all_providers() -> list[str]:
    return [_CPU]


def get_device() -> str:
    return "CPU"


def get_version_string() -> str:
    return __version__


def get_build_info() -> str:
    return f"Anydim {anydim.__version__}"


def set_default_logger_severity(severity: int) -> None:
    """Accepted, without effect: the variable ANYDIM_LOG sets Anydim's log level."""


def set_default_logger_verbosity(verbosity: int) -> None:
    """Accepted, without effect: the variable ANYDIM_LOG sets Anydim's log level."""


def set_seed(seed: int) -> None:
    """Accepted, without effect: nothing here is random."""


def disable_telemetry_events() -> None:
    """Accepted, without effect: there is no telemetry."""


def enable_telemetry_events() -> None:
    """Accepted, without effect: there is no telemetry."""


def preload_dlls(**_: Any) -> None:
    """Accepted, without effect: there is nothing to load."""


def _exceptions() -> types.ModuleType:
    """onnxruntime.capi.onnxruntime_pybind11_state: where its exceptions live."""
    state = types.ModuleType("onnxruntime.capi.onnxruntime_pybind11_state", "Exceptions of onnxruntime as Anydim's.")
    for name, error in {
        "Fail": errors.Error,
        "RuntimeException": errors.Error,
        "EPFail": errors.Error,
        "InvalidArgument": errors.InvalidArgumentError,
        "NoSuchFile": errors.NotFoundError,
        "NoModel": errors.InvalidModelError,
        "InvalidProtobuf": errors.InvalidModelError,
        "InvalidGraph": errors.InvalidModelError,
        "ModelLoaded": errors.Error,
        "NotImplemented": errors.UnimplementedError,
    }.items():
        setattr(state, name, error)
    for name in ("InferenceSession", "SessionOptions", "RunOptions", "OrtValue", "GraphOptimizationLevel"):
        setattr(state, name, globals()[name])
    state.get_available_providers = get_available_providers  # type: ignore[attr-defined]
    return state


def install() -> None:
    """From now on `import onnxruntime` in this process gives this module. A real onnxruntime that was imported before
    stays with those who hold it."""
    this = sys.modules[__name__ if __name__ != "__main__" else "anydim.compat.onnxruntime"]
    capi = types.ModuleType("onnxruntime.capi", "A stand-in of Anydim.")
    state = _exceptions()
    collection = types.ModuleType("onnxruntime.capi.onnxruntime_inference_collection", "A stand-in of Anydim.")
    for name in ("InferenceSession", "OrtValue"):
        setattr(collection, name, getattr(this, name))
    collection.IOBinding = _Binding  # type: ignore[attr-defined]
    capi.__path__ = []
    capi.onnxruntime_pybind11_state = state  # type: ignore[attr-defined]
    capi.onnxruntime_inference_collection = collection  # type: ignore[attr-defined]
    this.capi = capi  # type: ignore[attr-defined]
    sys.modules["onnxruntime"] = this
    sys.modules["onnxruntime.capi"] = capi
    sys.modules[state.__name__] = state
    sys.modules[collection.__name__] = collection


def main() -> None:
    """Runs a program with Anydim as its onnxruntime."""
    import runpy

    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(
            "usage: python -m anydim.compat.onnxruntime [-m MODULE | PROGRAM.py] ARGUMENTS...\n\n"
            "Runs a program that imports onnxruntime on Anydim, unchanged."
        )
        sys.exit(0 if arguments else 2)
    import anydim.compat.onnxruntime as module  # the importable one: this one is __main__

    module.install()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            sys.exit("python -m anydim.compat.onnxruntime: -m needs the name of a module")
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")


# Public names that programs import from onnxruntime's top level.
__all__ = [
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "OrtValue",
    "RunOptions",
    "SessionOptions",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "install",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
]

if __name__ == "__main__":
    main()
