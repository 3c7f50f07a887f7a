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
import threading
import traceback
import types
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anydim
from anydim import errors
from anydim.compat import submodules
from anydim.compat.devices import OrtAllocatorType, OrtDevice, OrtDeviceMemoryType, OrtMemoryInfo, OrtMemType
from anydim.compat.initializers import as_inputs, overridable, with_initializers
from anydim.compat.options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, SessionOptions
from anydim.compat.profile import Profile
from anydim.compat.providers import chosen_providers
from anydim.compat.values import OrtValue, OrtValueVector, array_at, check_device
from anydim.io_binding import IOBinding
from anydim.node_args import ModelMetadata, NodeArg, with_unnamed_dims

# The release of onnxruntime whose interface this follows; programs compare it.
__version__ = f"1.22.0+anydim.{anydim.__version__}"

_CPU = "CPUExecutionProvider"


class RunOptions(anydim.RunOptions):
    """Options of a run: `terminate` ends it; the others are accepted, without effect."""

    def __init__(self) -> None:
        super().__init__()
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self._entries: dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        self._entries[key] = value


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
        check_device(device_type)
        if element_type is None or shape is None or buffer_ptr is None:
            raise errors.InvalidArgumentError(
                f"input {name!r} is bound with element_type {element_type!r}, shape {shape!r} and buffer_ptr {buffer_ptr!r}; "
                "expected all three"
            )
        super().bind_input(name, array_at(buffer_ptr, shape, element_type, f"input {name!r}"))

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
        check_device(device_type)
        if buffer_ptr is None:
            super().bind_output(name, None)
            return
        if element_type is None or shape is None:
            raise errors.InvalidArgumentError(
                f"output {name!r} is bound with element_type {element_type!r}, shape {shape!r} and a buffer_ptr; expected all three"
            )
        super().bind_output(name, array_at(buffer_ptr, shape, element_type, f"output {name!r}"))

    def get_outputs(self) -> list[OrtValue]:
        return [OrtValue(result) for result in super().get_outputs()]

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return OrtValueVector(self.get_outputs())

    def synchronize_inputs(self) -> None:
        """Nothing to wait for: runs are complete when they return."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for: runs are complete when they return."""


class InvalidData(errors.InvalidDataError, errors.InvalidArgumentError):
    """Wrong values in a feed (an index, say): InvalidArgument for programs that know onnxruntime."""

    @classmethod
    def of(cls, error: errors.InvalidDataError) -> InvalidData:
        made = cls(*error.args)
        made.__dict__.update(error.__dict__)
        return made


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
        chosen_providers(providers, provider_options, fall_back=True)
        self._source = path_or_bytes
        if options._initializers:
            arrays = {name: value.numpy() for name, value in options._initializers.items()}
            self._source = with_initializers(path_or_bytes, arrays)
        profiled = bool(options.enable_profiling)
        super().__init__(
            self._source,
            threads=options.intra_op_num_threads or None,
            profile=profiled,
            contexts=1 if profiled else None,  # so that what is asked after a run is that run's
        )
        self._profile = Profile(options.profile_file_prefix) if profiled else None
        self._session_options = options
        self._overridden: dict[frozenset[str], anydim.InferenceSession] = {}
        self._of_lists: dict[str, anydim.InferenceSession] = {}  # by what the inputs are made of that are sequences
        self._overridable: list[str] | None = None
        self._async_runs: ThreadPoolExecutor | None = None
        self._async_lock = threading.Lock()
        self._path = path_or_bytes if isinstance(path_or_bytes, (str, os.PathLike)) else ""
        # Names of onnxruntime's own that programs read.
        self._model_path = os.fspath(self._path) if self._path else None
        self._inputs_meta, self._outputs_meta = self.get_inputs(), self.get_outputs()

    def get_inputs(self) -> list[NodeArg]:
        """As the model's file names dims: None for one without a name."""
        return with_unnamed_dims(super().get_inputs(), self._inputs)

    def get_outputs(self) -> list[NodeArg]:
        """As `get_inputs`. A dim that follows from others and has no name of its own is None, too."""
        return with_unnamed_dims(super().get_outputs(), self._inputs)

    def _with_inputs(self, names: frozenset[str]) -> anydim.InferenceSession | None:
        """The model with these initializers as inputs, which they are in its file; None if one of them is not."""
        if self._overridable is None:
            self._overridable = overridable(self._source)
        if not names or not names <= set(self._overridable):
            return None
        if names not in self._overridden:
            threads = self._session_options.intra_op_num_threads or None
            self._overridden[names] = anydim.InferenceSession(as_inputs(self._source, names), threads=threads)
        return self._overridden[names]

    def _with_lists(self, feeds: Mapping[str, Any]) -> anydim.InferenceSession | None:
        """The model for lists of as many elements of these ranks, whatever their dims; None where no input is a list or optional."""
        ranks = {} if self._border is None else self._border.made_of(feeds)
        if not ranks:
            return None
        if (key := repr(ranks)) not in self._of_lists:
            threads = self._session_options.intra_op_num_threads or None
            self._of_lists[key] = anydim.InferenceSession(self._source, threads=threads, sequences=ranks)
        return self._of_lists[key]

    def run(  # type: ignore[override]  # onnxruntime's signature, which knows no timeout
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: anydim.RunOptions | None = None,
    ) -> list[Any]:
        feeds = {name: value.numpy() if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        others = frozenset(feeds) - frozenset(self._input_names)
        session = self._with_inputs(others) if others else None
        try:
            if session is not None:
                return session.run(output_names, feeds, run_options)
            if self._profile is not None:
                return self._profile.run(
                    lambda: super(InferenceSession, self).run(output_names, feeds, run_options), self
                )
            return super().run(output_names, feeds, run_options)
        except (errors.InvalidArgumentError, errors.UnimplementedError):
            # Lists whose elements have different dims, and optionals that are absent, are another model.
            if session is not None or (listed := self._with_lists(feeds)) is None:
                raise
            return listed.run(output_names, feeds, run_options)
        except errors.InvalidDataError as error:
            raise InvalidData.of(error) from error

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: anydim.RunOptions | None = None,
    ) -> list[OrtValue]:
        return [OrtValue(result) for result in self.run(output_names, input_dict_ort_values, run_options)]

    def run_async(  # type: ignore[override]  # onnxruntime's calls back, ours is awaited
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Any,
        user_data: Any,
        run_options: anydim.RunOptions | None = None,
    ) -> None:
        """Runs in another thread, which calls `callback(results, user_data, error)` afterwards: with an empty list and the
        message if the run failed, else with an empty message. Runs begin in the order of the calls."""
        feeds = {name: value.numpy() if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        self._arrays(feeds)  # what is wrong with them is reported here

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
                _with_threads.add(self)
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
        """Refuses what is no provider; there is one."""
        chosen_providers(providers, provider_options, fall_back=False)

    def disable_fallback(self) -> None:
        """Accepted, without effect: there is one provider."""

    def enable_fallback(self) -> None:
        """Accepted, without effect: there is one provider."""

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs of the file that it has values for: a run may have others."""
        if self._overridable is None:
            self._overridable = overridable(self._source)
        names = frozenset(self._overridable)
        session = self._with_inputs(names)
        return [] if session is None else [arg for arg in session.get_inputs() if arg.name in names]

    def get_profiling_start_time_ns(self) -> int:
        return self._profile.start_ns if self._profile is not None else 0

    def end_profiling(self) -> str:
        """Writes the profile and gives its path; an empty one without profiling."""
        profile, self._profile = self._profile, None
        return profile.write() if profile is not None else ""

    def io_binding(self) -> _Binding:
        return _Binding(self)


# Sessions whose threads do not come along when the process forks.
_with_threads: weakref.WeakSet[InferenceSession] = weakref.WeakSet()


def _forget_threads() -> None:
    for session in list(_with_threads):
        session._async_runs, session._async_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_threads)


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


_OF_STATE = (
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "OrtAllocatorType",
    "OrtDevice",
    "OrtDeviceMemoryType",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtValue",
    "OrtValueVector",
    "RunOptions",
    "SessionOptions",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
)


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
        "NotFound": errors.NotFoundError,
    }.items():
        setattr(state, name, error)
    for name in _OF_STATE:
        setattr(state, name, globals()[name])
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
    pybind = types.ModuleType("onnxruntime.capi._pybind_state", "A stand-in of Anydim.")
    pybind.__dict__.update({name: value for name, value in vars(state).items() if not name.startswith("__")})
    capi._pybind_state = pybind  # type: ignore[attr-defined]
    capi.onnxruntime_inference_collection = collection  # type: ignore[attr-defined]
    this.capi = capi  # type: ignore[attr-defined]
    sys.modules["onnxruntime"] = this
    sys.modules["onnxruntime.capi"] = capi
    sys.modules[state.__name__] = state
    sys.modules[collection.__name__] = collection
    sys.modules[pybind.__name__] = pybind
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


# Public names that programs import from onnxruntime's top level.
__all__ = [
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "OrtAllocatorType",
    "OrtDevice",
    "OrtDeviceMemoryType",
    "OrtMemType",
    "OrtMemoryInfo",
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
