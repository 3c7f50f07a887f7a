# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's options of a session. What has no effect here and is set to something else than its default warns, once per setting
and process; settings of logging do not, since ANYDIM_LOG is their place."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from .. import errors
from .values import OrtValue

_warned: set[str] = set()


def warn_once(what: str, why: str) -> None:
    """Says once per process that a setting has no effect."""
    if what not in _warned:
        _warned.add(what)
        warnings.warn(f"{what} has no effect on Anydim: {why}", UserWarning, stacklevel=3)


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
    "optimized_model_filepath": ("", ""),
    "log_severity_level": (2, ""),
    "log_verbosity_level": (0, ""),
    "logid": ("", ""),
}


class SessionOptions:
    """Options of a session: the number of threads (`intra_op_num_threads`), profiling, initializers. Others are ignored."""

    def __init__(self) -> None:
        for name, (default, _) in _SETTINGS.items():
            object.__setattr__(self, name, default)
        object.__setattr__(self, "_entries", {})
        object.__setattr__(self, "_initializers", {})

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'SessionOptions' object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _SETTINGS:
            raise AttributeError(f"'SessionOptions' object has no attribute {name!r}")
        default, ignored = _SETTINGS[name]
        if name == "optimized_model_filepath" and value:
            raise errors.UnimplementedError(
                f"optimized_model_filepath is {str(value)!r}; Anydim writes no optimised models as ONNX files"
            )
        if ignored and value != default:
            warn_once(f"SessionOptions.{name}", ignored)
        object.__setattr__(self, name, value)

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

    def add_session_config_entry(self, key: str, value: str) -> None:
        warn_once(f"the session configuration entry {key!r}", "it is kept, and nothing reads it")
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise errors.NotFoundError(f"SessionOptions does not have configuration with key: {key}")
        entry: str = self._entries[key]
        return entry

    def add_free_dimension_override_by_name(self, name: str, value: int) -> None:
        warn_once("add_free_dimension_override_by_name", "dims stay dynamic and cost nothing")

    def add_free_dimension_override_by_denotation(self, denotation: str, value: int) -> None:
        warn_once("add_free_dimension_override_by_denotation", "dims stay dynamic and cost nothing")

    def add_provider(self, name: str, options: Any = None) -> None:
        if name != "CPUExecutionProvider":
            raise errors.UnimplementedError(f"the provider is {name!r}; expected 'CPUExecutionProvider'")

    def register_custom_ops_library(self, path: str) -> None:
        raise errors.UnimplementedError(
            f"path is {path!r}; libraries of custom operators are not supported; anydim.InferenceSession takes operators in Python"
        )
