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

import ctypes
import math
import os
import sys
import threading
import traceback
import types
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from typing import Any

import numpy as np

import anydim
from anydim import Dtype, errors
from anydim._capi import dtype_of
from anydim.arrays import TENSOR_TYPES, as_array, numpy_dtype
from anydim.compat.initializers import with_initializers
from anydim.dims import whole_number
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
        self._initializers: dict[str, OrtValue] = {}

    def add_initializer(self, name: str, ort_value: OrtValue) -> None:
        """Sessions made with these options have this value in place of the model's initializer of that name; a model that
        has none takes no notice."""
        if name in self._initializers:
            raise errors.InvalidArgumentError(f"an initializer {name!r} has been added already")
        self._initializers[name] = ort_value

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


# ONNX's numbers of element types (TensorProto.DataType).
_ONNX_TYPES = {
    1: Dtype.F32,
    2: Dtype.U8,
    3: Dtype.I8,
    4: Dtype.U16,
    5: Dtype.I16,
    6: Dtype.I32,
    7: Dtype.I64,
    9: Dtype.BOOL,
    10: Dtype.F16,
    11: Dtype.F64,
    12: Dtype.U32,
    13: Dtype.U64,
    16: Dtype.BF16,
}


def _numpy_type(element_type: Any) -> np.dtype[Any]:
    """An element type as onnxruntime takes it: a numpy type, or ONNX's number of one."""
    if isinstance(element_type, int):
        if element_type not in _ONNX_TYPES:
            raise errors.UnimplementedError(f"element_type is {element_type}; expected one of {sorted(_ONNX_TYPES)}")
        return numpy_dtype(_ONNX_TYPES[element_type])
    try:
        dtype: np.dtype[Any] = np.dtype(element_type)
    except TypeError:
        raise errors.InvalidArgumentError(f"element_type is {element_type!r}; expected a numpy type") from None
    if dtype_of(np.empty(0, dtype)) == 0:
        raise errors.UnimplementedError(f"element_type is {element_type!r}; expected numbers or bool")
    return dtype


def _at(pointer: Any, shape: Any, element_type: Any, what: str) -> np.ndarray[Any, Any]:
    """The caller's memory as an array, which is as valid as the pointer."""
    dtype = _numpy_type(element_type)
    dims = tuple(whole_number(d, f"shape[{i}] of {what}") for i, d in enumerate(shape))
    address = whole_number(pointer, f"buffer_ptr of {what}")
    if any(d < 0 for d in dims):
        raise errors.InvalidArgumentError(f"shape of {what} is {dims}; expected no negative dim")
    if address == 0:
        raise errors.InvalidArgumentError(f"buffer_ptr of {what} is 0; expected an address")
    if address % dtype.alignment != 0:
        raise errors.InvalidArgumentError(
            f"buffer_ptr of {what} is no multiple of the {dtype.alignment} bytes of {dtype}"
        )
    size = math.prod(dims) * dtype.itemsize
    if size == 0:
        return np.empty(dims, dtype)
    memory = memoryview((ctypes.c_byte * size).from_address(address))
    return np.frombuffer(memory, dtype).reshape(dims)


class OrtValue:
    """A numpy array in onnxruntime's clothes."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    @staticmethod
    def ortvalue_from_numpy(array: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        _check_device(device_type)
        return OrtValue(as_array(array, "the array"))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: Any, onnx_element_type: int) -> OrtValue:
        """The bytes of an array as elements of another type of the same size: uint16 as bfloat16."""
        wanted, array = _numpy_type(onnx_element_type), as_array(data, "the array")
        if array.dtype.itemsize != wanted.itemsize:
            raise errors.InvalidArgumentError(f"the array is of {array.dtype}; expected elements as large as {wanted}")
        return OrtValue(array.view(wanted))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any = np.float32, device_type: str = "cpu", device_id: int = 0
    ) -> OrtValue:
        _check_device(device_type)
        return OrtValue(np.empty(tuple(shape), _numpy_type(element_type)))

    @classmethod
    def from_dlpack(cls, data: Any) -> OrtValue:
        """A value over the memory of anything that speaks DLPack, or of a capsule of it."""
        return cls(np.from_dlpack(data if hasattr(data, "__dlpack__") else _Capsule(data)))

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        return self._array.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._array.__dlpack_device__()
        return int(kind), number

    def numpy(self) -> np.ndarray[Any, Any]:
        return self._array

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def data_type(self) -> str:
        return TENSOR_TYPES[Dtype(dtype_of(self._array))]

    def element_type(self) -> int:
        """ONNX's number of the type."""
        mine = dtype_of(self._array)
        return next(number for number, dtype in _ONNX_TYPES.items() if dtype == mine)

    def tensor_size_in_bytes(self) -> int:
        return self._array.nbytes

    def device_name(self) -> str:
        return "cpu"

    def data_ptr(self) -> int:
        address: int = self._array.__array_interface__["data"][0]
        return address

    def is_tensor(self) -> bool:
        return True

    def is_sparse_tensor(self) -> bool:
        return False

    def is_tensor_sequence(self) -> bool:
        return False

    def has_value(self) -> bool:
        return True

    def update_inplace(self, data: Any) -> None:
        array = data.numpy() if isinstance(data, OrtValue) else data
        if not isinstance(array, np.ndarray):
            raise TypeError(f"data is of type {type(data).__name__}; expected a numpy array or an OrtValue")
        if (array.dtype, array.shape) != (self._array.dtype, self._array.shape):
            raise errors.InvalidArgumentError(
                f"data is {array.dtype} of shape {array.shape}; expected {self._array.dtype} of {self._array.shape}"
            )
        self._array[...] = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is None:
            return np.asarray(self._array, dtype=dtype)
        return np.array(self._array, dtype=dtype, copy=copy)


class _Capsule:
    """A DLPack capsule of the processor's memory as an object that gives it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class OrtValueVector(list[OrtValue]):
    """Values in a row, with the methods of onnxruntime's vector."""

    push_back = list.append

    def push_back_batch(
        self,
        tensors: Sequence[Any],
        data_ptrs: Sequence[int],
        element_types: Sequence[Any],
        shapes: Sequence[Sequence[int]],
        devices: Sequence[Any] = (),
    ) -> None:
        """Values over the memory of tensors; `tensors` are held for it, `devices` are the processor."""
        for tensor, pointer, element_type, shape in zip(tensors, data_ptrs, element_types, shapes, strict=True):
            value = OrtValue(_at(pointer, shape, element_type, "a tensor"))
            value._owner = tensor  # type: ignore[attr-defined]
            self.append(value)

    def reserve(self, size: int) -> None:
        """Nothing to do."""

    def shrink_to_fit(self) -> None:
        """Nothing to do."""

    def element_type_at(self, index: int) -> int:
        return self[index].element_type()

    def bool_tensor_indices(self) -> list[int]:
        return [i for i, value in enumerate(self) if value.data_type() == "tensor(bool)"]

    def dlpack_at(self, index: int) -> Any:
        return self[index].__dlpack__()

    def to_dlpacks(self, to_tensor: Any = None) -> list[Any]:
        capsules = (value.__dlpack__() for value in self)
        return [capsule if to_tensor is None else to_tensor(capsule) for capsule in capsules]


def _check_device(device_type: str) -> None:
    if device_type != "cpu":
        raise errors.UnimplementedError(f"device is {device_type!r}; expected 'cpu'")


class _Binding(IOBinding):
    """An I/O binding with onnxruntime's method signatures."""

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        super().bind_input(name, arr_on_cpu)

    def bind_input(
        self,
        name: str,
        device_type: Any,
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Reads the input from `buffer_ptr` at each run; or, as Anydim's own, from an array in place of the device."""
        if not isinstance(device_type, str):
            super().bind_input(name, device_type)
            return
        _check_device(device_type)
        if element_type is None or shape is None or buffer_ptr is None:
            raise errors.InvalidArgumentError(
                f"input {name!r} is bound with element_type {element_type!r}, shape {shape!r} and buffer_ptr {buffer_ptr!r}; "
                "expected all three"
            )
        super().bind_input(name, _at(buffer_ptr, shape, element_type, f"input {name!r}"))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        super().bind_input(name, ortvalue.numpy())

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        super().bind_output(name, ortvalue.numpy())

    def bind_output(
        self,
        name: str,
        device_type: Any = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Writes the output to `buffer_ptr` at each run, or to an array in place of the device. Without either each run makes
        an array."""
        if not isinstance(device_type, str):
            super().bind_output(name, device_type)
            return
        _check_device(device_type)
        if buffer_ptr is None:
            super().bind_output(name, None)
            return
        if element_type is None or shape is None:
            raise errors.InvalidArgumentError(
                f"output {name!r} is bound with element_type {element_type!r}, shape {shape!r} and a buffer_ptr; expected all three"
            )
        super().bind_output(name, _at(buffer_ptr, shape, element_type, f"output {name!r}"))

    def get_outputs(self) -> list[OrtValue]:
        return [OrtValue(result) for result in super().get_outputs()]

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return OrtValueVector(self.get_outputs())

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
        if options._initializers:
            arrays = {name: value.numpy() for name, value in options._initializers.items()}
            path_or_bytes = with_initializers(path_or_bytes, arrays)
        super().__init__(path_or_bytes, threads=options.intra_op_num_threads or None)
        self._session_options = options
        self._async_runs: ThreadPoolExecutor | None = None
        self._async_lock = threading.Lock()
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
        """Runs in another thread, which calls `callback(results, user_data, error)` afterwards: with an empty list and the
        message if the run failed, else with an empty message. Runs begin in the order of the calls."""
        feeds = {name: value.numpy() if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        self._arrays(feeds)  # what is wrong with them is told here

        def work() -> None:
            results: list[Any] = []
            error = ""
            try:
                results = self.run(output_names, feeds, run_options)
            except Exception as failure:  # every failure of a run is the callback's to handle
                error = str(failure) or type(failure).__name__
            try:
                callback(results, user_data, error)
            except Exception:  # nobody else is there to see it
                traceback.print_exc()

        with self._async_lock:
            if self._async_runs is None:
                self._async_runs = ThreadPoolExecutor(self._limit, "anydim run_async")
            self._async_runs.submit(work)

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
    for name in (
        "InferenceSession",
        "SessionOptions",
        "RunOptions",
        "OrtValue",
        "OrtValueVector",
        "GraphOptimizationLevel",
    ):
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
