# SPDX-License-Identifier: Apache-2.0
"""`InferenceSession`: a model with a small pool of contexts, used as onnxruntime's users know it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import anydim  # types of modules that most programs never import

from . import _capi, progress
from ._enums import EngineKind
from .arrays import Array, as_array, new_array, numpy_dtype
from .border import METADATA_KEY, Border
from .dims import Bounds, RawDim, raw_dims, whole_number
from .errors import ClosedError, InvalidArgumentError
from .io_binding import IOBinding
from .layouts import Layouts
from .model_options import ModelSource, load_model, model_options, refuse_option, reuse_policy
from .node_args import ModelMetadata, NodeArg, node_args
from .option_words import LayoutWord, MathWord, PassesWord, ReuseWord
from .parts import RawParts, first_parts
from .run_options import RunOptions, limits

_engine_lock = threading.Lock()
_engine: _capi.Engine | None = None
# Another thread's lock would stay taken in the child of a fork.
os.register_at_fork(after_in_child=lambda: globals().__setitem__("_engine_lock", threading.Lock()))


def process_engine() -> _capi.Engine:
    """The CPU engine of this process and its forked children."""
    global _engine
    if _engine is None:
        with _engine_lock:
            if _engine is None:
                _engine = _capi.engine_create(EngineKind.CPU, 0)
    return _engine


class InferenceSession:
    """A model that runs at any shape: `InferenceSession("rec.onnx").run(None, {"x": image})`. It comes from a file, from the
    bytes of one, from an `onnx.ModelProto`, or from a `ModelBuilder`. `close()`, or the end of a `with` block, frees its memory.
    A session of a file can be pickled: the copy opens the file again, with the same options.

    threads: most threads that a run uses; None for all cores of this process.
    bounds: promises about the dims of inputs, by input name: `{"x": (1, 3, 48, (32, 1200))}`; each dim is a number,
        (min, max), `anydim.dim(...)` or None. A session with bounds touches all its memory when a context is made; a
        run at any shape inside neither allocates nor faults. Without bounds memory grows when a larger shape comes, and
        that run waits for it (`growths` counts them).
    reuse: "auto", "reusable", "specialised" or "reusable_first" (docs/reuse.md): a preference that changes time, never results.
    contexts: most runs at the same time from several threads; further ones wait and are served in the order in which they
        came. Each has memory of its own. None: as many as this process has cores, at most 8.
    layouts: memory orders of inputs and outputs by name: `{"x": "channels_last", "y": "follow"}`; each is `row_major` (what
        the others have), `channels_last`, axes such as (0, 2, 3, 1), `fastest` (what needs no copy), or for an output `follow`
        (see output_layout). They change time, never results: an input in other strides is read all the same. Outputs come with their
        logical dims, as arrays of these strides.
    output_layout: the memory order of outputs that `layouts` does not name. "follow": row-major where the input that they follow is
        (the largest one that they are computed from), else in the order in which they are computed, so that images H, W, C come back
        as such. "any": always as they are computed, "row_major", or "channels_last" (docs/layouts.md).
    engines: other engines that the model may run on, the preferred first: each node runs on the first that has a kernel for it,
        or on the CPU (docs/onnx.md). `Engine("cpu")` among them has the CPU's place. A text stands for an engine: `["opencl"]`, or
        just "opencl". They change time, never results.
    packed_weights: a file that `save_packed_weights` wrote. Weights that it has, of the same values for the same operator and
        kind of processor, are mapped instead of packed, and processes that map one file share its memory; the rest is
        packed as without it (`describe()["packed_weights"]` counts both). A damaged file is an error.
    external_data_folder: the folder in which a model that comes as bytes or as a `ModelProto` has its external data.
    passes: "all", "exact" or "none": the rewritings that the model gets, to find out what one of them did. "exact" leaves out
        those that may change a rounding (docs/numerics.md, section 8), "none" leaves out all; the two have the same bits.
    math: the math mode, "strict", "fast" or "reduced": which kernels with a larger error layers may have, where they have any.
        None is strict.
    layers: math modes of single layers, by the names of the model's nodes: `{"conv_3": "fast"}`; the others have the model's.
    sequences: what inputs that are sequences or optionals are made of: `{"boxes": [2, 2, 3]}` says the ranks of the elements, None that
        an optional is absent. Without it a sequence has any number of elements of equal dims, and an optional is there.
    operators: operators of the program's own by (domain, name): `{("my.domain", "Twice"): anydim.CustomOperator(...)}`. Nodes of the
        model that have one of these are computed by it (docs/custom-operators.md).
    streaming: inputs that may come in chunks, with their axes, `{"audio": 2}`: see the method `streaming`. Runs and chunks share the weights.
    streaming_chunk: most elements of such a chunk. None: any number, and memory without a bound.
    batching: an `anydim.Batching`, or most rows of a batch: runs of several callers are joined along the batch axis, with the bits
        that each has alone (docs/serving.md). `run_async` joins requests with it. None: each run is by itself.
    """

    def __init__(
        self,
        path_or_bytes: ModelSource | anydim.ModelBuilder,
        *,
        threads: int | None = None,
        bounds: Bounds | None = None,
        contexts: int | None = None,
        profile: bool = False,
        reuse: ReuseWord | None = None,
        layouts: Layouts | None = None,
        output_layout: LayoutWord = "follow",
        engines: str | Sequence[anydim.Engine | str] = (),
        packed_weights: str | os.PathLike[str] | None = None,
        external_data_folder: str | os.PathLike[str] | None = None,
        passes: PassesWord = "all",
        math: MathWord | None = None,
        layers: Mapping[str, MathWord] | None = None,
        batching: anydim.Batching | int | None = None,
        sequences: Mapping[str, Sequence[int] | None] | None = None,
        operators: Mapping[tuple[str, str], anydim.CustomOperator] | None = None,
        streaming: Mapping[str, int] | None = None,
        streaming_chunk: int | None = None,
        **unknown: NoReturn,
    ) -> None:
        if unknown:
            refuse_option(next(iter(unknown)))
        # What a copy is made of; of models in memory there is none, which would hold their bytes.
        self._made: tuple[str, dict[str, Any]] | None = None
        if isinstance(path_or_bytes, (str, os.PathLike)):
            self._made = os.path.abspath(path_or_bytes), {
                "threads": threads, "bounds": bounds, "contexts": contexts, "profile": profile, "reuse": reuse, "layouts": layouts,
                "output_layout": output_layout, "engines": engines, "packed_weights": packed_weights, "passes": passes, "math": math,
                "layers": layers, "batching": batching, "external_data_folder": external_data_folder, "sequences": sequences,
                "operators": operators, "streaming": streaming, "streaming_chunk": streaming_chunk,
            }  # fmt: skip
        self._closed = False
        self._threads = 0 if threads is None else whole_number(threads, "threads")
        if self._threads < 0:
            raise InvalidArgumentError(
                f"threads is {threads}; expected 1 or more, or None (leave it out) for all cores of this process"
            )
        self._engine = process_engine()
        cores = _capi.engine_query(self._engine)["threads"]
        limit = min(8, cores) if contexts is None else whole_number(contexts, "contexts")
        if not 1 <= limit < 2**31:
            raise InvalidArgumentError(f"contexts is {contexts}; expected 1 or more")
        options = model_options(
            passes,
            layouts,
            output_layout,
            engines,
            math,
            layers,
            sequences,
            operators,
            packed_weights,
            external_data_folder,
        )
        self._streaming: tuple[dict[str, int], int] | None = None
        self._streamed: dict[Any, InferenceSession] = {}  # of the same file, by axes
        if streaming:
            from .streaming import streaming_axes, streaming_text  # most programs need none

            chunk = 0 if streaming_chunk is None else whole_number(streaming_chunk, "streaming_chunk")
            self._streaming = streaming_axes(streaming, ()), chunk
            options["streaming"] = streaming_text(self._streaming[0]).encode()
            options["streaming_chunk"] = chunk
        with progress.of_programs(bool(engines)):
            self._model = load_model(self._engine, path_or_bytes, options)
        self._options: _capi.ContextOptions = {
            "threads": self._threads,
            "profile": int(profile),
            "reuse": reuse_policy(reuse),
        }
        self._bounds: _capi.Bounds | None = None
        self._bound_dims: dict[str, list[RawDim]] = {}
        if bounds is not None:
            self._bounds = _capi.bounds_create()
            for name, dims in bounds.items():
                self._bound_dims[name] = raw_dims(dims, f"the bounds of {name!r}")
                _capi.bounds_set(self._bounds, name, self._bound_dims[name])
        inputs, outputs = _capi.model_get_counts(self._model)
        self._inputs = [_capi.model_get_input(self._model, i) for i in range(inputs)]
        self._outputs = [_capi.model_get_output(self._model, i) for i in range(outputs)]
        self._input_names = [info["name"] for info in self._inputs]
        self._output_names = [info["name"] for info in self._outputs]
        self._output_index = {name: i for i, name in enumerate(self._output_names)}
        self._border = Border.of(self._metadata())
        self._want_all = [(info["dtype"], True) for info in self._outputs]
        self._limit = limit
        self._batches = False
        # The first context is made here, so that what is wrong with bounds shows now.
        self._session = _capi.session_create(self._model, self._bounds, self._options, limit)
        if batching is not None:
            self.start_batching(batching)

    def _metadata(self) -> dict[str, str]:
        entries = _capi.model_query(self._model)["metadata"]
        return dict(_capi.model_get_metadata(self._model, i) for i in range(entries))

    def _arrays(self, feeds: Mapping[str, Any], texts: bool = True) -> list[Array]:
        names = self._input_names
        if not isinstance(feeds, Mapping):
            raise InvalidArgumentError(f"feeds are of type {type(feeds).__name__}; expected a dict of arrays: {names}")
        if self._border is not None:
            feeds = self._border.spread(feeds, self._inputs)
        for name in feeds:
            if name not in names:
                raise InvalidArgumentError(f"feeds has {name!r}, which is no input; the model's inputs are {names}")
        missing = [name for name in names if name not in feeds]
        if missing:
            raise InvalidArgumentError(f"feeds lacks the input {missing[0]!r}; the model's inputs are {names}")
        if texts and self._border is not None and self._border.inputs:
            feeds = self._border.feeds(feeds)
        return [
            as_array(feeds[name], f"input {name!r}", info["dtype"])
            for name, info in zip(names, self._inputs, strict=True)
        ]

    def _run(
        self,
        arrays: list[Array],
        wanted: Sequence[tuple[int, bool]],
        given: Sequence[Array | None],
        options: RunOptions | None,
        timeout: float | None = None,
        aliases: bool = False,
        parts: RawParts | None = None,
    ) -> list[Any]:
        if options is not None and not isinstance(options, RunOptions):
            raise TypeError(f"run_options is of type {type(options).__name__}; expected RunOptions or None")
        if self._closed:
            raise ClosedError("the session is closed")
        if aliases or parts:
            return _capi.run_model(
                self._session, arrays, wanted, given, *limits(options, timeout), aliases=aliases, parts=parts or []
            )
        if options is None and timeout is None:
            return _capi.run_model(self._session, arrays, wanted, given)
        return _capi.run_model(self._session, arrays, wanted, given, *limits(options, timeout))

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
        *,
        timeout: float | None = None,
        aliases: bool = False,
    ) -> list[Array]:
        """Runs the model. `output_names`: which outputs, None for all; `input_feed`: arrays by input name, of any
        strides, read where they lie; numbers and lists get the input's dtype. Returns new numpy arrays. Any number of
        threads may call it. Strings come and go as arrays of str, sequences as lists of arrays, maps as lists of dicts, and an optional
        that holds nothing is None; for type checkers every result is an array. `timeout`: most seconds that it waits to
        begin, instead of the options'; then it fails with `WaitTimeoutError`. An input may come as `anydim.Parts`. `aliases`: outputs
        that are only views of an input (a reshape, transpose or slice of it) may be views of the caller's array, whose `base` it is."""
        feeds, parts = first_parts(input_feed, self._input_names, [info["dtype"] for info in self._inputs])
        arrays = self._arrays(feeds)
        if not output_names:
            results = self._run(arrays, self._want_all, (), run_options, timeout, aliases, parts)
            if self._border is None:
                return results
            return self._border.results(self._border.output_names or self._output_names, results)
        if isinstance(output_names, str):
            raise InvalidArgumentError(f"output_names is {output_names!r}; expected a list: [{output_names!r}]")
        tensors = output_names if self._border is None else self._border.tensors(output_names)
        indices = [self._find_output(name) for name in tensors]
        wanted = [(info["dtype"], i in indices) for i, info in enumerate(self._outputs)]
        results = self._run(arrays, wanted, (), run_options, timeout, aliases, parts)
        named = [results[i] for i in indices]
        return named if self._border is None else self._border.results(output_names, named)

    async def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
        *,
        timeout: float | None = None,
    ) -> list[Array]:
        """As `run`, for an event loop: `await session.run_async(None, {"x": image})`. With `batching` the session's threads run it, and
        inputs are copied before it first waits; without, a thread of the loop's executor does, and inputs must not change until it is
        done. The request of a task that is cancelled does not run if it has not begun."""
        from .batching import run_async, run_in_thread  # asyncio is half a megabyte

        if run_options is not None and not isinstance(run_options, RunOptions):
            raise TypeError(f"run_options is of type {type(run_options).__name__}; expected RunOptions or None")
        if self._closed:
            raise ClosedError("the session is closed")
        if not self._batches or self._border is not None:
            return await run_in_thread(self, output_names, input_feed, run_options, timeout)
        arrays = self._arrays(input_feed)
        indices = [self._find_output(name) for name in output_names] if output_names else range(len(self._outputs))
        wanted = [(info["dtype"], i in indices) for i, info in enumerate(self._outputs)]
        results = await run_async(self._session, arrays, wanted, *limits(run_options, timeout))
        return [results[i] for i in indices]

    def close(self) -> None:
        """Frees the model and its memory. Runs in other threads end with `ClosedError`, as later calls do. Again: nothing."""
        self._closed = True
        self._session.close()
        self._model.close()
        for made in self._streamed.values():
            made.close()

    def __enter__(self) -> InferenceSession:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    def __repr__(self) -> str:
        def text(infos: list[NodeArg]) -> str:
            return ", ".join(f"{info.name}: {info.type}{info.shape}" for info in infos)

        where = f"{self._made[0]!r}, " if self._made else ""
        if self._closed:
            return f"<anydim.InferenceSession {where}closed>"
        return f"<anydim.InferenceSession {where}{text(self.get_inputs())} -> {text(self.get_outputs())}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._made is None:
            raise TypeError(
                "a session of a model in memory cannot be pickled; make it from a file, or pickle the model's bytes"
            )
        return _reopened, self._made

    def tune(
        self,
        shapes: Sequence[Mapping[str, Sequence[int]]],
        *,
        node_ms: int = 0,
        again: bool = False,
        record: bool = True,
        progress: Callable[[int, int], object] | None = None,
    ) -> list[dict[str, Any]]:
        """Measures the plans of every node at these shapes, `[{"x": (1, 3, 48, 320)}, ...]`, and uses the faster ones from now on, in all
        runs of this session at them; with `record` in later processes, too. Results never change. Takes seconds per shape.
        `node_ms`: most milliseconds for one node, 0 for 200; `again`: also measures what has been measured. `progress` is called before
        each shape and at the end with the number of shapes done and of all; an exception that it raises ends the tuning, and what was found
        stays. Returns the report of each shape. `anydim tune` does the same from the command line."""
        from .tuning import tune

        return tune(self, shapes, node_ms, again, record, progress)

    def start_batching(self, batching: anydim.Batching | int) -> None:
        """From now on runs of several callers are joined along the batch axis: see `batching` above."""
        from .batching import Batching

        if not isinstance(batching, Batching):
            batching = Batching(whole_number(batching, "batching"))
        _capi.session_start_batching(self._session, batching._raw())
        self._batches = True

    def stop_batching(self, *, cancel: bool = False) -> None:
        """From now on each run is by itself. Requests that wait are run before this returns, or end with `CancelledError`."""
        _capi.session_stop_batching(self._session, int(cancel))
        self._batches = False

    @property
    def batching(self) -> anydim.BatchingInfo:
        """What batching did: requests, rows, batches, times (`anydim.batching.BatchingInfo`)."""
        from .batching import figures_of

        return figures_of(self._session)

    def _find_input(self, name: str) -> int:
        try:
            return self._input_names.index(name)
        except ValueError:
            raise InvalidArgumentError(f"{name!r} is no input; the model's inputs are {self._input_names}") from None

    def _find_output(self, name: str) -> int:
        try:
            return self._output_index[name]
        except KeyError:
            raise InvalidArgumentError(f"{name!r} is no output; the model's outputs are {self._output_names}") from None

    def _refuse_binding(self, name: str) -> None:
        if self._border is not None:
            self._border.refuse_binding(name)

    def get_inputs(self) -> list[NodeArg]:
        """What the model takes, in its file's order: names, shapes with the names of dynamic dims, types."""
        if self._border is None:
            return node_args(self._inputs, None, None)
        return node_args(self._inputs, self._border.input_names, self._border.input_type)

    def get_outputs(self) -> list[NodeArg]:
        """What the model gives, in its file's order."""
        if self._border is None:
            return node_args(self._outputs, None, None)
        return node_args(self._outputs, self._border.output_names, self._border.output_type)

    def get_modelmeta(self) -> ModelMetadata:
        """What the model's file says of itself: producer, versions, and the author's own entries."""
        info = _capi.model_query(self._model)
        entries = {key: value for key, value in self._metadata().items() if key != METADATA_KEY}
        return ModelMetadata(
            entries,
            info["producer_name"],
            info["graph_name"],
            info["domain"],
            info["description"],
            "",
            info["version"],
        )

    @property
    def bytes_needed(self) -> int:
        """Bytes of memory that one context needs for any shape within the bounds."""
        if self._bounds is None:
            raise InvalidArgumentError("the session has no bounds; give it some to know what it needs")
        return _capi.model_get_bytes_needed(self._model, self._bounds, self._options, engine=0)

    @property
    def growths(self) -> int:
        """How often the memory of its contexts grew; always 0 with bounds."""
        return _capi.session_query(self._session)["growths"]

    @property
    def arena_bytes(self) -> int:
        """Bytes of memory that its contexts hold now."""
        return _capi.session_query(self._session)["arena_bytes"]

    def explain(self, shapes: Mapping[str, Sequence[int]] | None = None) -> dict[str, Any]:
        """How the model runs at these shapes (None: those of a context's last run): per node kernel, layout, fused
        post-ops, bytes, `nanoseconds`, and why other kernels were refused. Runs the model once on zeros when shapes are given.
        Without shapes `nanoseconds` are of the context's last run that was profiled: by this method, or because the session was
        made with `profile=True`; -1 if there was none."""
        arrays: list[Array] = []
        if shapes is not None:
            zeros = {
                info["name"]: new_array(shapes[info["name"]], numpy_dtype(info["dtype"]), f"input {info['name']!r}")
                for info in self._inputs
                if info["name"] in shapes
            }
            unknown = {name: None for name in shapes if name not in self._input_names}
            arrays = self._arrays({**zeros, **unknown}, texts=False)
        explained: dict[str, Any] = json.loads(_capi.explain_run(self._session, arrays))
        return explained

    def describe(self) -> dict[str, Any]:
        """The model: inputs, outputs, metadata, operators, and its nodes after all passes."""
        described: dict[str, Any] = json.loads(_capi.text_get_data(_capi.model_describe(self._model)))
        return described

    def save_packed_weights(self, path: str | os.PathLike[str]) -> None:
        """Writes the packed weights to a file for `packed_weights=` of later sessions; what has the path's old file mapped
        keeps it."""
        _capi.model_save_packed(self._model, os.fspath(path))

    def save_program(self, path: str | os.PathLike[str]) -> None:
        """Writes the session's model as a program file: its steps, as compiled for this kind of processor, with its packed weights.
        `InferenceSession(path)` takes it in the model's place and is then done in a millisecond or two; processes that load one file
        share its memory. Results have the same bits. `UnimplementedError` names all that cannot be saved (docs/programs.md)."""
        _capi.model_save_program(self._model, os.fspath(path))

    def state(
        self,
        parts: Mapping[str, str | tuple[str, int | None]],
        limit: int | None = None,
        page: int | None = None,
        pool_limit: int | None = None,
    ) -> anydim.State:
        """What one sequence of runs remembers: `parts` says by the name of an input which output it gets its next value from, and
        along which axis it grows, `{"past.key": ("present.key", 2), "h": "next_h"}`. `limit`: most slices along growing axes, for which
        memory is taken at the first step; None: what the session's bounds say, or memory that doubles. `page`: slices of a page; growing
        parts lie in pages then, which forks share. `pool_limit`: most bytes of the pages of the state and all its forks. See `State`."""
        from .state import State  # most programs need none

        return State(self, parts, limit, page=page, pool_limit=pool_limit)

    def streaming(
        self, axis: str | Mapping[str, int] | None = None, streaming_chunk: int | None = None
    ) -> anydim.Streaming:
        """Begins a sequence that is computed chunk by chunk: `axis` says along which axis, by the name of a dim or by inputs,
        `{"audio": 2}`; `streaming_chunk` the most elements of a chunk, for which memory is taken at once. None: what the session was
        made with (`streaming=`, `streaming_chunk=`), which has the weights once; else the model's file is loaded again. See `Streaming`."""
        from .streaming import Streaming, streaming_axes  # most programs need none

        if self._closed:
            raise ClosedError("the session is closed")
        if axis is None:
            if self._streaming is None:
                raise InvalidArgumentError("axis is None; the session was made without streaming=, so it has no axis")
            axes = self._streaming[0]
        else:
            axes = streaming_axes(axis, self._inputs)
        most = 0 if streaming_chunk is None else whole_number(streaming_chunk, "streaming_chunk")
        if most < 0:
            raise InvalidArgumentError(f"streaming_chunk is {streaming_chunk}; expected 0 (any number) or more")
        if self._streaming is not None and axes == self._streaming[0] and most in (0, self._streaming[1]):
            return Streaming(self, axes)
        if self._made is None:
            raise InvalidArgumentError(
                f"the session's model came from memory; make the session with streaming={axes!r} to stream it"
            )
        key = tuple(sorted(axes.items())), most
        made = self._streamed.get(key)
        if made is None:
            path, options = self._made
            again = {**options, "streaming": axes, "streaming_chunk": most, "batching": None}
            made = self._streamed.setdefault(key, InferenceSession(path, **again))
        return Streaming(made, axes)

    def io_binding(self) -> IOBinding:
        """Inputs and outputs bound to arrays once and run many times."""
        return IOBinding(self)

    def run_with_iobinding(self, io_binding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Runs on the arrays that were bound; `io_binding.get_outputs()` has the results."""
        if io_binding._session is not self:
            raise InvalidArgumentError("the binding is of another session")
        io_binding.run(run_options)


def _reopened(path: str, options: dict[str, Any]) -> InferenceSession:
    """A copy of a session that was pickled."""
    return InferenceSession(path, **options)
