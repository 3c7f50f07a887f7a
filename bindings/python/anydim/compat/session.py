# SPDX-License-Identifier: Apache-2.0
"""onnxruntime's session on Anydim."""

from __future__ import annotations

import os
import threading
import traceback
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anydim

from .. import errors
from ..node_args import NodeArg, with_unnamed_dims
from .binding import IOBinding
from .capi import ModelLoadCanceled
from .devices import CPU, DEVICE, OrtEpDevice, OrtMemoryInfo, cpu_memory
from .initializers import as_inputs, overridable, with_files, with_initializers
from .options import SessionOptions
from .overrides import Overrides
from .profile import Profile
from .providers import chosen_providers
from .values import OrtValue


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
        if options._cancelled:
            raise ModelLoadCanceled("the load cancellation flag of the session's options is set")
        self._source = with_files(path_or_bytes, options._files) if options._files else path_or_bytes
        if options._initializers:
            arrays = {name: value.numpy() for name, value in options._initializers.items()}
            self._source = with_initializers(self._source, arrays)
        profiled = bool(options.enable_profiling)
        super().__init__(
            self._source,
            threads=options.intra_op_num_threads or None,
            profile=profiled,
            output_layout="row_major",  # as onnxruntime's
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
        self._fixed = None
        if options._overrides:
            self._fixed = Overrides(options._overrides, self.get_inputs(), self._source)
        # Names of onnxruntime's own that programs read.
        self._sess, self._sess_options = self, options
        self._model_path = os.fspath(self._path) if self._path else None
        self._model_bytes = None if self._path else path_or_bytes
        self._inputs_meta, self._outputs_meta = self.get_inputs(), self.get_outputs()
        self._model_meta, self._providers = self.get_modelmeta(), self.get_providers()

    def get_inputs(self) -> list[NodeArg]:
        """As the model's file names dims: None for one without a name."""
        return self._shown(with_unnamed_dims(super().get_inputs(), self._inputs))

    def get_outputs(self) -> list[NodeArg]:
        """As `get_inputs`. A dim that follows from others and has no name of its own is None, too."""
        return self._shown(with_unnamed_dims(super().get_outputs(), self._inputs))

    def _shown(self, args: list[NodeArg]) -> list[NodeArg]:
        return args if self._fixed is None else self._fixed.shown(args)

    def _with_inputs(self, names: frozenset[str]) -> anydim.InferenceSession | None:
        """The model with these initializers as inputs, which they are in its file; None if one of them is not."""
        if self._overridable is None:
            self._overridable = overridable(self._source)
        if not names or not names <= set(self._overridable):
            return None
        if names not in self._overridden:
            threads = self._session_options.intra_op_num_threads or None
            self._overridden[names] = anydim.InferenceSession(
                as_inputs(self._source, names), threads=threads, output_layout="row_major"
            )
        return self._overridden[names]

    def _with_lists(self, feeds: Mapping[str, Any]) -> anydim.InferenceSession | None:
        """The model for lists of as many elements of these ranks, whatever their dims; None where no input is a list or optional."""
        ranks = {} if self._border is None else self._border.made_of(feeds)
        if not ranks:
            return None
        if (key := repr(ranks)) not in self._of_lists:
            threads = self._session_options.intra_op_num_threads or None
            self._of_lists[key] = anydim.InferenceSession(
                self._source, threads=threads, sequences=ranks, output_layout="row_major"
            )
        return self._of_lists[key]

    def run(  # type: ignore[override]  # onnxruntime's signature, which knows no timeout
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: anydim.RunOptions | None = None,
    ) -> list[Any]:
        feeds = {name: value.numpy() if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        if self._fixed is not None:
            self._fixed.check(feeds)
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

    # As onnxruntime's class in C++ has them, which programs reach by `session._sess`.
    inputs_meta = property(get_inputs)
    outputs_meta = property(get_outputs)
    overridable_initializers = property(lambda self: self.get_overridable_initializers())
    model_meta = property(lambda self: self.get_modelmeta())
    session_options = property(lambda self: self._session_options)
    input_meminfos = property(lambda self: self.get_input_memory_infos())
    output_meminfos = property(lambda self: self.get_output_memory_infos())
    input_epdevices = property(lambda self: self.get_input_epdevices())

    def run_with_iobinding(self, iobinding: Any, run_options: anydim.RunOptions | None = None) -> None:
        """Runs the model once, from and into what is bound."""
        iobinding.run(run_options)

    def run_with_ortvaluevector(
        self,
        run_options: anydim.RunOptions,
        feed_names: Sequence[str],
        feeds: Sequence[OrtValue],
        fetch_names: Sequence[str],
        fetches: Any,
        fetch_devices: Sequence[Any],
    ) -> None:
        """Runs the model from a vector of values and appends the results to `fetches`."""
        for value in self.run_with_ort_values(fetch_names, dict(zip(feed_names, feeds, strict=True)), run_options):
            fetches.push_back(value)

    def create_ortvalue_from_shape_and_type(
        self, shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device_type, device_id)

    def get_input_memory_infos(self) -> list[OrtMemoryInfo]:
        return [cpu_memory() for _ in self.get_inputs()]

    def get_output_memory_infos(self) -> list[OrtMemoryInfo]:
        return [cpu_memory() for _ in self.get_outputs()]

    def get_input_epdevices(self) -> list[OrtEpDevice]:
        return [DEVICE for _ in self.get_inputs()]

    def get_provider_graph_assignment_info(self) -> list[Any]:
        raise errors.UnimplementedError(
            "get_provider_graph_assignment_info: the one provider has all nodes; describe() lists them"
        )

    def set_ep_dynamic_options(self, options: Mapping[str, str]) -> None:
        if options:
            raise errors.InvalidArgumentError(f"options are {dict(options)!r}; the processor's provider has none")

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        """Nothing to do: nothing is captured."""

    def get_tuning_results(self) -> list[Any]:
        """None: what `anydim tune` finds is in the persistent cache."""
        return []

    def set_tuning_results(self, results: Sequence[Any], *, error_on_invalid: bool = False) -> None:
        """Accepted, without effect: what `anydim tune` finds is in the persistent cache."""

    def get_session_options(self) -> SessionOptions:
        return self._session_options

    def get_providers(self) -> list[str]:
        return [CPU]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {CPU: {}}

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

    def io_binding(self) -> IOBinding:
        return IOBinding(self)


# Sessions whose threads do not come along when the process forks.
_with_threads: weakref.WeakSet[InferenceSession] = weakref.WeakSet()


def _forget_threads() -> None:
    for session in list(_with_threads):
        session._async_runs, session._async_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_threads)
