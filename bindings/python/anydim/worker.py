# SPDX-License-Identifier: Apache-2.0
"""The background worker, which measures plans for sessions and primitives with the policy `reusable_first`:

    session = anydim.InferenceSession("rec.onnx", reuse="reusable_first")
    ...
    anydim.worker.drain()        # wait until what was asked for so far is done

It is one thread of the lowest priority; nothing waits for it. Variables: ANYDIM_WORKER=off, ANYDIM_WORKER_SECONDS (60 of work
in a process), ANYDIM_WORKER_BYTES (256 MB for one request).
"""

from __future__ import annotations

from typing import cast

from . import _capi
from ._enums import WorkerAction
from .errors import BusyError


def pause() -> None:
    """To rest after the request it is serving."""
    _capi.worker_control(WorkerAction.PAUSE)


def resume() -> None:
    """To go on after pause()."""
    _capi.worker_control(WorkerAction.RESUME)


def turn_off() -> None:
    """For the rest of the process: what is queued is dropped, nothing more is taken."""
    _capi.worker_control(WorkerAction.TURN_OFF)


def drain(seconds: float | None = None) -> bool:
    """Waits until everything requested before is done. False: not within `seconds`, or it is paused or off."""
    try:
        _capi.worker_drain(-1 if seconds is None else int(seconds * 1000))
    except BusyError:
        return False
    return True


def info() -> dict[str, int]:
    """Requests taken, dropped, repeated, served, failed; queued now; busy_ns: nanoseconds at work; running, paused, turned_off."""
    return dict(cast("dict[str, int]", _capi.worker_query()))
