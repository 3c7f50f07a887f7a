# SPDX-License-Identifier: Apache-2.0
"""`State`: what one sequence of a session's runs remembers - caches of keys and values, recurrent states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anydim  # its session imports this

from . import _capi
from .arrays import Array, as_array
from .dims import whole_number
from .errors import InvalidArgumentError
from .run_options import limits


class State:
    """Made by `InferenceSession.state`. Each step runs the model on the state and on the inputs that it is given, and keeps what
    the next step reads. One step at a time; the states of a session run beside each other on its contexts.

    state = session.state({"past.key": ("present.key", 2), "past.value": ("present.value", 2)}, limit=2048)
    logits, = state.step({"input_ids": prompt})
    while ...:
        logits, = state.step({"input_ids": [[token]]})
    """

    def __init__(
        self,
        session: anydim.InferenceSession,
        parts: Mapping[str, str | tuple[str, int | None]],
        limit: int | None,
        handle: Any = None,
        page: int | None = None,
        pool_limit: int | None = None,
    ) -> None:
        self._session, self._parts = session, dict(parts)
        self._limit = 0 if limit is None else whole_number(limit, "limit")
        pairs: dict[str, tuple[str, int]] = {}
        for name, what in parts.items():
            output, axis = (what, None) if isinstance(what, str) else what
            pairs[name] = (output, -1 if axis is None else whole_number(axis, f"the axis of {name!r}"))
        if handle is None:
            handle = _capi.state_create(session._session, self._limit)
            for name, (output, axis) in pairs.items():
                _capi.state_add(handle, name, output, axis)
            if page is not None:
                most = 0 if pool_limit is None else whole_number(pool_limit, "pool_limit")
                _capi.state_use_pages(handle, whole_number(page, "page"), most)
            elif pool_limit is not None:
                raise InvalidArgumentError("pool_limit is given without page, the tokens of a page")
        self._handle = handle
        kept = {output for output, _ in pairs.values()}
        self._names = list(parts)
        self._inputs = [info for info in session._inputs if info["name"] not in parts]
        self._outputs = [info for info in session._outputs if info["name"] not in kept]
        self._output_names = [info["name"] for info in self._outputs]
        self._want_all = [(info["dtype"], True) for info in self._outputs]

    def step(
        self,
        input_feed: Mapping[str, Any],
        output_names: Sequence[str] | None = None,
        run_options: anydim.RunOptions | None = None,
    ) -> list[Any]:
        """Runs the model on the state and on `input_feed`, which has the other inputs by their names. Returns the outputs that the
        state does not keep: all of them in the model's order, or those that are named. A step that fails leaves the state as it
        was."""
        names = [info["name"] for info in self._inputs]
        for name in input_feed:
            if name not in names:
                raise InvalidArgumentError(f"feeds has {name!r}, which is no input of a step; expected {names}")
        missing = [name for name in names if name not in input_feed]
        if missing:
            raise InvalidArgumentError(f"feeds lacks the input {missing[0]!r}; expected {names}")
        arrays = [as_array(input_feed[i["name"]], f"input {i['name']!r}", i["dtype"]) for i in self._inputs]
        if output_names is None:
            return _capi.step_state(self._handle, arrays, self._want_all, (), *limits(run_options))
        for name in output_names:
            if name not in self._output_names:
                raise InvalidArgumentError(f"{name!r} is no output of a step; expected {self._output_names}")
        wanted = [
            (dtype, name in output_names) for (dtype, _), name in zip(self._want_all, self._output_names, strict=True)
        ]
        results = _capi.step_state(self._handle, arrays, wanted, (), *limits(run_options))
        return [results[self._output_names.index(name)] for name in output_names]

    def reset(self) -> None:
        """Begins a new sequence in the memory that there is: parts that grow are empty, the others zero."""
        _capi.state_reset(self._handle)

    def truncate(self, length: int) -> None:
        """Goes on from an earlier token: parts that grow keep their first `length` slices."""
        _capi.state_truncate(self._handle, whole_number(length, "length"))

    def fork(self) -> State:
        """Another state of the same session that holds the same: a copy, or with pages the same pages."""
        return State(self._session, self._parts, self._limit, _capi.state_fork(self._handle))

    def read(self) -> dict[str, Array]:
        """What the next step reads, as copies by the names of inputs."""
        return {name: _capi.read_state(self._handle, i) for i, name in enumerate(self._names)}

    def write(self, values: Mapping[str, Any]) -> None:
        """Replaces what all parts hold, by the names of inputs: a prefix that was computed before."""
        if set(values) != set(self._names):
            raise InvalidArgumentError(
                f"values has {sorted(values)}; expected the state's parts, {sorted(self._names)}"
            )
        dtypes = {info["name"]: info["dtype"] for info in self._session._inputs}
        _capi.write_state(self._handle, [as_array(values[n], f"part {n!r}", dtypes[n]) for n in self._names])

    @property
    def length(self) -> int:
        """Slices that the first part that grows holds."""
        return _capi.state_query(self._handle)["length"]

    def info(self) -> dict[str, int]:
        """Sizes and counters: parts, in_place, length, limit, steps, bytes, appended_bytes, copied_bytes, growths,
        page, pages, shared_pages, pool_bytes, pool_limit."""
        fields: dict[str, Any] = dict(_capi.state_query(self._handle))
        return {name: value for name, value in fields.items() if name not in ("reserved", "size")}
