# SPDX-License-Identifier: Apache-2.0
"""Tuning of a session's plans at given shapes: what `InferenceSession.tune` does. docs/tuning.md is the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anydim  # its session imports this

from . import _capi
from .arrays import new_array, numpy_dtype, view
from .dims import whole_number
from .errors import ClosedError, InvalidArgumentError


def tune(
    session: anydim.InferenceSession,
    shapes: Sequence[Mapping[str, Sequence[int]]],
    node_ms: int,
    again: bool,
    record: bool,
    progress: Callable[[int, int], object] | None,
) -> list[dict[str, Any]]:
    """The reports of the shapes, in order."""
    if session._closed:
        raise ClosedError("the session is closed")
    if isinstance(shapes, Mapping):
        raise InvalidArgumentError("shapes is a mapping; expected a list of them, one for each shape")
    options: _capi.TuneOptions = {
        "node_ms": whole_number(node_ms, "node_ms"),
        "again": int(again),
        "record": int(record),
    }
    # Everything is checked before anything is measured.
    feeds = []
    for i, shape in enumerate(shapes):
        for name in shape:
            session._find_input(name)
        missing = [name for name in session._input_names if name not in shape]
        if missing:
            raise InvalidArgumentError(
                f"shapes[{i}] lacks the input {missing[0]!r}; the model's inputs are {session._input_names}"
            )
        feeds.append([
            new_array(shape[info["name"]], numpy_dtype(info["dtype"]), f"input {info['name']!r}") for info in session._inputs
        ])  # fmt: skip
    # A context of its own: others go on running. What is found is the model's.
    context = _capi.context_create(session._model, session._bounds, session._options)
    reports: list[dict[str, Any]] = []
    for i, arrays in enumerate(feeds):
        if progress is not None:
            progress(i, len(feeds))
        text = _capi.context_tune(context, [view(array) for array in arrays], options)
        reports.append(json.loads(_capi.text_get_data(text)))
    if progress is not None:
        progress(len(feeds), len(feeds))
    return reports
