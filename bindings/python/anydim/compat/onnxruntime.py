# SPDX-License-Identifier: Apache-2.0
"""The interface of the package onnxruntime, as far as programs that run models use it, on Anydim.

A program that imports onnxruntime runs on Anydim, unchanged, by one of

    python -m anydim.compat.onnxruntime app.py --its --own --flags
    ANYDIM_AS_ONNXRUNTIME=1 python app.py --its --own --flags
    import anydim.compat.onnxruntime; anydim.compat.onnxruntime.install()      # before it imports onnxruntime

The environment variable is honoured by one line in a .pth file beside the installed package (site-packages), which does
nothing unless it is set; the launcher sets it, so that Python processes which the program starts are on Anydim, too. Settings that
only make sense for onnxruntime (optimisation level, arenas, execution mode) have no effect and warn once; what would change results
(custom operators) is refused. Other parts of onnxruntime (quantization, tools) are the real package's, where that is installed.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import anydim
from anydim.compat import capi as capi_modules
from anydim.compat import refused, submodules
from anydim.compat.binding import IOBinding
from anydim.compat.devices import (
    CPU,
    OrtArenaCfg,
    OrtDevice,
    OrtEpDevice,
    OrtHardwareDevice,
    OrtMemoryInfo,
    copy_tensors,
    create_and_register_allocator,
    create_and_register_allocator_v2,
    get_ep_devices,
    get_hardware_devices,
)
from anydim.compat.enums import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    OrtAllocatorType,
    OrtCompileApiFlags,
    OrtDeviceMemoryType,
    OrtDeviceVendorId,
    OrtExecutionProviderDevicePolicy,
    OrtHardwareDeviceType,
    OrtMemoryInfoDeviceType,
    OrtMemType,
    OrtSparseFormat,
)
from anydim.compat.options import RunOptions, SessionOptions, get_default_session_options
from anydim.compat.session import InferenceSession
from anydim.compat.values import OrtValue, OrtValueVector
from anydim.compat.warnings_once import warn_once
from anydim.node_args import ModelMetadata, NodeArg

AdapterFormat = refused.NAMES["AdapterFormat"]
LoraAdapter = refused.NAMES["LoraAdapter"]
ModelCompiler = refused.NAMES["ModelCompiler"]
OrtEpAssignedNode = refused.NAMES["OrtEpAssignedNode"]
OrtEpAssignedSubgraph = refused.NAMES["OrtEpAssignedSubgraph"]
OrtEpContextData = refused.NAMES["OrtEpContextData"]
OrtEpContextDataBuffer = refused.NAMES["OrtEpContextDataBuffer"]
OrtExternalInitializerInfo = refused.NAMES["OrtExternalInitializerInfo"]
OrtSyncStream = refused.NAMES["OrtSyncStream"]
SparseTensor = refused.NAMES["SparseTensor"]
register_execution_provider_library = refused.NAMES["register_execution_provider_library"]
unregister_execution_provider_library = refused.NAMES["unregister_execution_provider_library"]
SessionIOBinding = IOBinding  # onnxruntime's own has a class in C++ behind its binding

# The release of onnxruntime whose interface this follows; programs compare it.
__version__ = f"1.31.1+anydim.{anydim.__version__}"
version, package_name, cuda_version, import_capi_exception = __version__, "onnxruntime", "", None


def get_available_providers() -> list[str]:
    return [CPU]


def get_all_providers() -> list[str]:
    return [CPU]


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


def preload_dlls(cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: Any = None) -> None:
    """Accepted, without effect: there is nothing to load."""


def print_debug_info() -> None:
    """Prints which Anydim stands in, and where."""
    print(
        f"{package_name} version: {__version__}\n{get_build_info()}\npath: {os.path.dirname(__file__)}\ndevice: {get_device()}"
    )


def has_collective_ops() -> bool:
    return False


def set_global_thread_pool_sizes(intra_op_num_threads: int = 0, inter_op_num_threads: int = 0) -> None:
    """Accepted, without effect: sessions have `SessionOptions.intra_op_num_threads`."""
    warn_once("set_global_thread_pool_sizes", "SessionOptions.intra_op_num_threads counts")


def install() -> None:
    """From now on `import onnxruntime` in this process gives this module. A real onnxruntime that was imported before
    stays with those who hold it."""
    this = sys.modules[__name__ if __name__ != "__main__" else "anydim.compat.onnxruntime"]
    names = {name: vars(this)[name] for name in __all__ if name != "install"}
    capi = capi_modules.modules({**refused.NAMES, **names}, __version__)
    this.capi = capi  # type: ignore[attr-defined]
    this.onnxruntime_validation = capi.onnxruntime_validation  # type: ignore[attr-defined]
    sys.modules["onnxruntime"] = this
    submodules.forward(this)


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
    # Processes that the program starts (multiprocessing's spawn) are Pythons that know nothing of this one.
    os.environ["ANYDIM_AS_ONNXRUNTIME"] = "1"
    if arguments[0] == "-m":
        if len(arguments) < 2:
            sys.exit("python -m anydim.compat.onnxruntime: -m needs the name of a module")
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")


# What programs import from onnxruntime's top level, or from its extension module.
__all__ = [
    "AdapterFormat",
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "LoraAdapter",
    "ModelCompiler",
    "ModelMetadata",
    "NodeArg",
    "OrtAllocatorType",
    "OrtArenaCfg",
    "OrtCompileApiFlags",
    "OrtDevice",
    "OrtDeviceMemoryType",
    "OrtDeviceVendorId",
    "OrtEpAssignedNode",
    "OrtEpAssignedSubgraph",
    "OrtEpContextData",
    "OrtEpContextDataBuffer",
    "OrtEpDevice",
    "OrtExecutionProviderDevicePolicy",
    "OrtExternalInitializerInfo",
    "OrtHardwareDevice",
    "OrtHardwareDeviceType",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtMemoryInfoDeviceType",
    "OrtSparseFormat",
    "OrtSyncStream",
    "OrtValue",
    "OrtValueVector",
    "RunOptions",
    "SessionIOBinding",
    "SessionOptions",
    "SparseTensor",
    "copy_tensors",
    "create_and_register_allocator",
    "create_and_register_allocator_v2",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_default_session_options",
    "get_device",
    "get_ep_devices",
    "get_hardware_devices",
    "get_version_string",
    "has_collective_ops",
    "install",
    "preload_dlls",
    "print_debug_info",
    "register_execution_provider_library",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_global_thread_pool_sizes",
    "set_seed",
    "unregister_execution_provider_library",
]

if __name__ == "__main__":
    main()
