# SPDX-License-Identifier: Apache-2.0
"""`Streaming`: a model that is computed chunk by chunk along one axis, with the bits of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anydim  # its session imports this

from . import _capi
from .arrays import as_array, new_array, numpy_dtype
from .dims import whole_number
from .errors import InvalidArgumentError
from .run_options import limits


class Streaming:
    """Made by `InferenceSession.stream`. `push` computes what a chunk makes computable, `finish` the rest. One call at a time; the
    sequences of a session run beside each other on its contexts.

    stream = session.streaming(axis={"audio": 2}, streaming_chunk=1600)
    for chunk in chunks:
        voice, = stream.push({"audio": chunk})
    rest, = stream.finish()
    """

    def __init__(self, session: anydim.InferenceSession, axes: Mapping[str, int]) -> None:
        self._session, self._axes = session, dict(axes)
        self._handle = _capi.streaming_create(session._session)
        self._output_axes = [_capi.streaming_get_axis(self._handle, i) for i in range(len(session._outputs))]
        self._fixed: dict[str, Any] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}

    @property
    def axes(self) -> dict[str, int | None]:
        """The axis along which each output comes; None: it comes at the end."""
        names = self._session._output_names
        return {n: None if a < 0 else a for n, a in zip(names, self._output_axes, strict=True)}

    def push(
        self, input_feed: Mapping[str, Any], run_options: anydim.RunOptions | None = None, *, last: bool = False
    ) -> list[Any]:
        """Computes what these chunks make computable, and returns the new elements of each output in the model's order, maybe none; None
        for an output that comes at the end. `input_feed`: the next elements of the inputs that are streamed, as many of each, and with the
        first chunk the others, which stay. `last`: no more will come, as with `finish`. A call that fails leaves the sequence as it was."""
        for name in input_feed:
            if name not in self._session._input_names:
                raise InvalidArgumentError(
                    f"feeds has {name!r}, which is no input; the model's inputs are {self._session._input_names}"
                )
        feeds = {**self._fixed, **input_feed}
        arrays = []
        for info in self._session._inputs:
            name = info["name"]
            if name not in feeds:
                raise InvalidArgumentError(f"feeds lacks the input {name!r}; expected it with the first chunk at least")
            arrays.append(as_array(feeds[name], f"input {name!r}", info["dtype"]))
        wanted = [
            (dtype, last or axis >= 0)
            for (dtype, _), axis in zip(self._session._want_all, self._output_axes, strict=True)
        ]
        results = _capi.push_chunk(self._handle, arrays, last, wanted, *limits(run_options))
        for info, array in zip(self._session._inputs, arrays, strict=True):
            name = info["name"]
            if name in self._axes:
                self._shapes[name] = tuple(array.shape)
            else:
                self._fixed[name] = array
        return results

    def finish(self, run_options: anydim.RunOptions | None = None) -> list[Any]:
        """Computes what only the end of the sequence determines, and returns the last elements of each output, and those that come at the
        end. After it the sequence takes no chunk until `reset`."""
        if not self._shapes:
            raise InvalidArgumentError("no chunk was pushed; an empty one says the other dims")
        empty = {}
        for info in self._session._inputs:
            name = info["name"]
            if name in self._axes:
                shape = list(self._shapes[name])
                shape[self._axes[name]] = 0
                empty[name] = new_array(shape, numpy_dtype(info["dtype"]), f"input {name!r}")
        return self.push(empty, run_options, last=True)

    def reset(self) -> None:
        """Begins a new sequence in the memory that there is."""
        _capi.streaming_reset(self._handle)
        self._fixed.clear()
        self._shapes.clear()

    @property
    def bytes_needed(self) -> int:
        """Most bytes that this sequence and the contexts that compute one chunk ever need. Needs `streaming_chunk`, and bounds of
        all dims that are not fixed."""
        return _capi.streaming_get_bytes_needed(self._handle)

    def info(self) -> dict[str, int]:
        """Counters and sizes: received, chunks, bytes, most_chunk, first_after."""
        fields: dict[str, Any] = dict(_capi.streaming_query(self._handle))
        return {name: value for name, value in fields.items() if name not in ("reserved", "size")}


def streaming_axes(axis: str | Mapping[str, int], inputs: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Inputs and axes: as they are given, or all dims of one name."""
    if not isinstance(axis, str):
        return {name: whole_number(a, f"the axis of {name!r}") for name, a in axis.items()}
    found: dict[str, int] = {}
    for info in inputs:
        for a, text in enumerate(info["symbols"][: len(info["dims"])]):
            if text != axis:
                continue
            if info["name"] in found:
                raise InvalidArgumentError(f"input {info['name']!r} has two dims {axis!r}; name its axis by a number")
            found[info["name"]] = a
    if not found:
        dims = {i["name"]: list(i["symbols"][: len(i["dims"])]) for i in inputs}
        raise InvalidArgumentError(f"no input has a dim {axis!r}; the dims are {dims}")
    return found


def streaming_text(axes: Mapping[str, int]) -> str:
    """Inputs and axes as the C API reads them."""
    return ";".join(f"{name}={axis}" for name, axis in axes.items())
