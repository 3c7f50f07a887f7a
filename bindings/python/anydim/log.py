# SPDX-License-Identifier: Apache-2.0
"""Log lines of the library: to Python's `logging`, or to the standard error output.

    anydim.log.to_logging("info")            # lines become records of the logger "anydim"
    anydim.log.to_stderr("warning")          # what a program has without a call, at the level of ANYDIM_LOG

The library's threads never wait for Python: lines go into a queue, and a thread fetches them. `flush` waits for it.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading

from . import _capi
from ._enums import LogLevel
from .errors import InvalidArgumentError

_LEVELS = {
    LogLevel.ERROR: logging.ERROR,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.INFO: logging.INFO,
    LogLevel.DEBUG: logging.DEBUG,
}
_lock = threading.Lock()  # one thread at a time fetches lines and passes them on, so that they keep their order
_logger = logging.getLogger("anydim")
_thread: threading.Thread | None = None
_running = False


def _level(name: str) -> LogLevel:
    try:
        return LogLevel[name.upper()]
    except (KeyError, AttributeError):
        raise InvalidArgumentError(f"level is {name!r}; expected one of {[e.name.lower() for e in LogLevel]}") from None


def _fetch() -> None:
    with _lock:
        found, dropped = _capi.log_take()
        for level, text in found:
            _logger.log(_LEVELS.get(LogLevel(level), logging.INFO), "%s", text)
        if dropped:
            _logger.warning("%d log lines were dropped: more than 10,000 waited", dropped)


def _serve() -> None:
    while _running:
        if _capi.log_wait(0.5):
            _fetch()


def to_logging(level: str = "info", logger: logging.Logger | None = None) -> None:
    """Lines of this level and more serious ones become records of the logger, "anydim" if none is named. What the logger and its handlers
    then do with a record is Python's own; `level` decides which lines the library makes at all."""
    global _logger, _running
    number = _level(level)
    _logger = logger or logging.getLogger("anydim")
    _capi.log_start(number)
    _running = True
    _start_thread()


def _start_thread() -> None:
    global _thread
    if _thread is None or not _thread.is_alive():
        _thread = threading.Thread(target=_serve, name="anydim-log", daemon=True)
        _thread.start()


def _stop_thread() -> None:
    """Ends the thread and waits for it, so that no line is lost at the end of the program."""
    global _thread, _running
    _running = False
    thread, _thread = _thread, None
    if thread is not None and thread.is_alive() and thread is not threading.current_thread():
        _capi.log_wake()
        thread.join()


def to_stderr(level: str = "warning") -> None:
    """Lines of this level and more serious ones go to the standard error output; those that wait are passed on first."""
    _capi.log_stop(_level(level))
    flush()
    _stop_thread()


def flush() -> None:
    """Returns when all lines logged before have become records."""
    _fetch()


def _after_fork() -> None:
    global _lock, _thread
    _lock, _thread = threading.Lock(), None
    if _running:
        _start_thread()


def _at_exit() -> None:
    if _thread is not None:
        _capi.log_stop(LogLevel.WARNING)
        flush()
        _stop_thread()


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork)
