# SPDX-License-Identifier: Apache-2.0
"""`RunOptions`: how runs end from outside, and how long they wait to begin."""

from __future__ import annotations

from numbers import Real

from . import _capi
from .errors import InvalidArgumentError


def timeout_ms(seconds: float | None) -> int:
    """Milliseconds of a timeout as the C API has them; None: without limit."""
    if seconds is None:
        return -1
    if not isinstance(seconds, Real) or not 0 <= seconds <= 2e6:
        raise InvalidArgumentError(f"timeout is {seconds!r}; expected seconds, 0 to 2e6, or None")
    return round(seconds * 1000)


class RunOptions:
    """Options of runs. `terminate = True`, set from any thread, ends the runs that were given these options before their next
    node, with `CancelledError`, and so every later one until it is False again. `timeout`: most seconds that a run waits to
    begin; then it fails with `WaitTimeoutError`. None: without limit."""

    __slots__ = ("__weakref__", "_cancellation", "_terminate", "_timeout")  # another name is an AttributeError

    def __init__(self) -> None:
        self._cancellation = _capi.cancellation_create()
        self._terminate = False
        self._timeout: float | None = None

    @property
    def timeout(self) -> float | None:
        """Most seconds that a run waits for a context, or for its batch to begin."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float | None) -> None:
        timeout_ms(seconds)  # which refuses what is none
        self._timeout = seconds

    @property
    def _timeout_ms(self) -> int:
        return timeout_ms(self._timeout)

    @property
    def terminate(self) -> bool:
        """Whether runs with these options end."""
        return self._terminate

    @terminate.setter
    def terminate(self, value: bool) -> None:
        self._terminate = bool(value)
        _capi.cancellation_set(self._cancellation, int(self._terminate))


def limits(options: RunOptions | None, timeout: float | None = None) -> tuple[_capi.Cancellation | None, int]:
    """What ends a run, and how many milliseconds it waits to begin."""
    own = None if options is None else options._cancellation
    if timeout is not None:
        return own, timeout_ms(timeout)
    return own, -1 if options is None else options._timeout_ms
