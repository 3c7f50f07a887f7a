# SPDX-License-Identifier: Apache-2.0
"""Dynamic batching of a session: its options, what it did, and requests that an event loop waits for. docs/serving.md is the page."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import anydim  # its session imports this

from . import _capi, _structs
from .arrays import Array
from .dims import whole_number
from .errors import InvalidArgumentError
from .run_options import RunOptions


@dataclass(frozen=True)
class Batching:
    """How runs of many callers are joined along the batch axis.

    rows: most rows of a batch; a request with more runs by itself.
    wait: longest wait, in seconds, for requests that may be expected. A caller who is alone never waits.
    waiting: most requests that wait; further ones get `BusyError` at once.
    """

    rows: int = 8
    wait: float = 0.001
    waiting: int = 1024

    def _raw(self) -> _structs.BatchingOptions:
        if not 0 <= self.wait <= 3600:
            raise InvalidArgumentError(f"wait is {self.wait!r} seconds; expected 0 to 3600")
        return {
            "rows": whole_number(self.rows, "rows"),
            "wait_us": round(self.wait * 1e6),
            "waiting": whole_number(self.waiting, "waiting"),
        }


@dataclass(frozen=True)
class BatchingInfo:
    """What the batching of a session did since it was started first, and does now. Times are of the last 4,096 requests, in
    nanoseconds from a request's call to its end."""

    started: bool
    waiting: int
    running: int
    requests: int
    rows: int
    batches: int
    largest_batch: int
    failed: int
    cancelled: int
    late: int
    refused: int
    p50_ns: int
    p99_ns: int
    rows_per_second: int

    @property
    def rows_per_batch(self) -> float:
        """Rows of a batch in the mean; a request that ran by itself is one."""
        return self.rows / self.batches if self.batches else 0.0


def figures_of(session: _capi.Session) -> BatchingInfo:
    """The figures of a session of the C API."""
    info = _capi.session_query_batching(session)
    values = {f.name: info[f.name] for f in fields(BatchingInfo)}  # type: ignore[literal-required]
    return BatchingInfo(**{**values, "started": bool(info["started"])})


class _Arrivals:
    """Requests of one event loop that have not ended. The session's threads write to a descriptor, which wakes the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._finished = _capi.Finished()
        self._futures: dict[int, asyncio.Future[list[Any]]] = {}
        self._next = 0
        loop.add_reader(self._finished.fileno(), self._take)

    def _take(self) -> None:
        for number, outcome in self._finished.take():
            future = self._futures.pop(number)
            if future.done():  # cancelled meanwhile
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

    async def run(
        self,
        session: _capi.Session,
        arrays: list[Array],
        wanted: Sequence[tuple[int, bool]],
        cancellation: _capi.Cancellation | None,
        timeout_ms: int,
    ) -> list[Any]:
        own = _capi.cancellation_create() if cancellation is None else None
        self._next = number = self._next + 1
        future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._futures[number] = future
        try:
            _capi.submit_model(session, arrays, wanted, cancellation or own, timeout_ms, self._finished, number)
        except BaseException:
            del self._futures[number]
            raise
        try:
            return await future
        except asyncio.CancelledError:
            if own is not None:
                _capi.cancellation_set(own, 1)  # it does not run if its batch has not begun
            raise


_arrivals: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Arrivals] = weakref.WeakKeyDictionary()


async def run_async(
    session: _capi.Session,
    arrays: list[Array],
    wanted: Sequence[tuple[int, bool]],
    cancellation: _capi.Cancellation | None,
    timeout_ms: int,
) -> list[Any]:
    """Submits a request and waits for it without holding up the loop."""
    loop = asyncio.get_running_loop()
    arrivals = _arrivals.get(loop)
    if arrivals is None:
        arrivals = _arrivals[loop] = _Arrivals(loop)
    return await arrivals.run(session, arrays, wanted, cancellation, timeout_ms)


async def run_in_thread(
    session: anydim.InferenceSession,
    output_names: Sequence[str] | None,
    input_feed: Mapping[str, Any],
    options: RunOptions | None,
    timeout: float | None,
) -> list[Any]:
    """A run in a thread of the loop's executor. A task that is cancelled ends it before its next node, where it has options of its own."""
    own = options or RunOptions()
    limit = own.timeout if timeout is None else timeout
    work = asyncio.get_running_loop().run_in_executor(
        None, lambda: session.run(output_names, input_feed, own, timeout=limit)
    )
    try:
        return await work
    except asyncio.CancelledError:
        if options is None:
            own.terminate = True
        raise
