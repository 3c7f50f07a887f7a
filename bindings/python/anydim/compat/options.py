# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's options of sessions and of runs. What has no effect here and is set to something else than its default warns, once per
setting and process; settings of logging do not, since ANYDIM_LOG is their place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anydim

from .. import errors
from .devices import OrtEpDevice
from .enums import ExecutionMode, ExecutionOrder, GraphOptimizationLevel
from .values import OrtValue
from .warnings_once import warn_once

# setting -> its default and, if it is ignored, why.
_SETTINGS: dict[str, tuple[Any, str]] = {
    "intra_op_num_threads": (0, ""),
    "inter_op_num_threads": (0, "one node runs at a time, on all threads"),
    "graph_optimization_level": (
        GraphOptimizationLevel.ORT_ENABLE_ALL,
        "models are always optimised (anydim.InferenceSession has `passes`)",
    ),
    "execution_mode": (ExecutionMode.ORT_SEQUENTIAL, "one node runs at a time, on all threads"),
    "execution_order": (ExecutionOrder.DEFAULT, "nodes run in an order that is made when the model is loaded"),
    "enable_cpu_mem_arena": (True, "a context has one block of memory"),
    "enable_mem_pattern": (True, "a context has one block of memory"),
    "enable_mem_reuse": (True, "a context has one block of memory"),
    "use_deterministic_compute": (False, ""),  # it always is
    "use_per_session_threads": (True, "the threads are the process's"),
    "enable_profiling": (False, ""),
    "profile_file_prefix": ("onnxruntime_profile_", ""),
    "optimized_model_filepath": ("", "no file is written, since what Anydim makes of a model is no ONNX file"),
    "log_severity_level": (2, ""),
    "log_verbosity_level": (0, ""),
    "logid": ("", ""),
}


def _checked(owner: str, name: str, value: Any, default: Any) -> Any:
    """Refuses a value of another type, as onnxruntime does."""
    fits: Any = type(default)
    if fits is int and not isinstance(value, bool) and hasattr(value, "__index__"):
        return int(value)
    if fits is str and isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if fits is bool and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    if fits not in (int, str, bool) and isinstance(value, fits):
        return value
    raise TypeError(f"{owner}.{name} is {value!r}; expected a value of type {fits.__name__}")


def _setting(name: str, default: Any, ignored: str) -> property:
    def read(self: SessionOptions) -> Any:
        return self._values[name]

    def write(self: SessionOptions, value: Any) -> None:
        value = _checked("SessionOptions", name, value, default)
        if ignored and value != default:
            warn_once(f"SessionOptions.{name}", ignored)
        self._values[name] = value

    return property(read, write, doc=f"Accepted, without effect: {ignored}." if ignored else None)


class SessionOptions:
    """Options of a session: the number of threads (`intra_op_num_threads`), profiling, initializers, fixed dims. Others are ignored."""

    enable_profiling: bool
    intra_op_num_threads: int
    profile_file_prefix: str
    # and the other names of _SETTINGS, which are made properties below

    __slots__ = (
        "__weakref__",
        "_cancelled",
        "_devices",
        "_entries",
        "_files",
        "_initializers",
        "_overrides",
        "_values",
    )

    def __init__(self) -> None:
        self._values: dict[str, Any] = {name: default for name, (default, _) in _SETTINGS.items()}
        self._entries: dict[str, str] = {}
        self._initializers: dict[str, OrtValue] = {}
        self._files: dict[str, bytes] = {}  # what files of external data hold
        self._overrides: dict[tuple[str, str], int] = {}  # ("name" or "denotation", which) -> dim
        self._devices = False
        self._cancelled = False

    def add_initializer(self, name: str, ort_value: OrtValue) -> None:
        """Sessions made with these options have this value in place of the model's initializer of that name; a model that
        has none takes no notice."""
        if name in self._initializers:
            raise errors.InvalidArgumentError(f"an initializer {name!r} has been added already")
        self._initializers[name] = ort_value

    def add_external_initializers(self, names: Sequence[str], ort_values: Sequence[OrtValue]) -> None:
        """As `add_initializer`, for several: those that the model keeps in other files among them."""
        if len(names) != len(ort_values):
            raise errors.InvalidArgumentError(
                f"{len(ort_values)} values were given; expected {len(names)}, as many as names"
            )
        for name, value in zip(names, ort_values, strict=True):
            self.add_initializer(name, value)

    def add_external_initializers_from_files_in_memory(
        self, names: Sequence[str], buffers: Sequence[Any], lengths: Sequence[int]
    ) -> None:
        """What the model's files of external data hold, by their names, for a model that is given as bytes."""
        if not len(names) == len(buffers) == len(lengths):
            raise errors.InvalidArgumentError(
                f"{len(names)} names, {len(buffers)} buffers and {len(lengths)} lengths were given; expected as many of each"
            )
        for name, buffer, length in zip(names, buffers, lengths, strict=True):
            self._files[name] = bytes(memoryview(buffer).cast("B")[:length])

    def add_session_config_entry(self, key: str, value: str) -> None:
        warn_once(f"the session configuration entry {key!r}", "it is kept, and nothing reads it")
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise errors.NotFoundError(f"SessionOptions does not have configuration with key: {key}")
        return self._entries[key]

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        """Inputs' dims of this name have this size: the session shows it and refuses others."""
        self._overrides["name", name] = int(value)

    def add_free_dimension_override_by_denotation(self, denotation: str, value: int) -> None:
        """As `add_free_dimension_override_by_name`, for dims that the file denotes so ("DATA_BATCH")."""
        self._overrides["denotation", denotation] = int(value)

    def add_provider(self, name: str, options: Any = None) -> None:
        if name != "CPUExecutionProvider":
            raise errors.UnimplementedError(f"the provider is {name!r}; expected 'CPUExecutionProvider'")
        self._devices = True

    def add_provider_for_devices(
        self, devices: Sequence[OrtEpDevice], options: Mapping[str, str] | None = None
    ) -> None:
        for device in devices:
            self.add_provider(device.ep_name)

    def has_providers(self) -> bool:
        """Whether a provider was added."""
        return self._devices

    def set_provider_selection_policy(self, policy: Any) -> None:
        """Accepted, without effect: there is one provider."""

    def set_provider_selection_policy_delegate(self, delegate: Callable[..., Any]) -> None:
        """Accepted, without effect: there is one provider, and nothing to choose."""

    def set_load_cancellation_flag(self, cancel: bool) -> None:
        """Sessions made while it is set are refused, with `ModelLoadCanceled`."""
        self._cancelled = bool(cancel)

    def set_ep_context_data_read_func(self, read_func: Callable[..., Any]) -> None:
        raise errors.UnimplementedError("read_func was given; Anydim has no compiled models, whose data it would read")

    def clear_ep_context_data_read_func(self) -> None:
        """Nothing to do."""

    def register_custom_ops_library(self, path: str) -> None:
        raise errors.UnimplementedError(
            f"path is {path!r}; libraries of custom operators are not supported; anydim.InferenceSession takes operators in Python"
        )


for _name, (_default, _ignored) in _SETTINGS.items():
    setattr(SessionOptions, _name, _setting(_name, _default, _ignored))


def get_default_session_options() -> SessionOptions:
    return SessionOptions()


class RunOptions(anydim.RunOptions):
    """Options of a run: `terminate` ends it; the others are accepted, without effect."""

    log_severity_level = 2
    log_verbosity_level = 0
    logid = ""
    only_execute_path_to_fetches = False

    def __init__(self) -> None:
        super().__init__()
        self._entries: dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise errors.NotFoundError(f"RunOptions does not have configuration with key: {key}")
        return self._entries[key]

    def add_active_adapter(self, adapter: Any) -> None:
        raise errors.UnimplementedError(
            "adapter was given; Anydim loads no adapters of LoRA: add them to the model's weights, or make them inputs"
        )
