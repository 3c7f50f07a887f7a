# SPDX-License-Identifier: Apache-2.0
"""The exceptions of Anydim: one class per status of the C API, all of them `Error`."""

from __future__ import annotations

import errno

from ._enums import Status


class Error(RuntimeError):
    """A call of the library failed; the message names the argument, what was found and what was expected.

    Where they are known, `function` is the function of the C API, `argument` is what it calls the argument
    ("options.threads", "inputs[1]"), and `node` is the model's node at which it happened; else they are empty.
    """

    status: Status = Status.INTERNAL
    function: str = ""
    argument: str = ""
    node: str = ""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""  # OSError has words of its own


class InvalidArgumentError(Error, ValueError):
    """An argument is wrong by itself."""

    status = Status.INVALID_ARGUMENT


class InvalidHandleError(Error):
    """A handle that is none of this library's."""

    status = Status.INVALID_HANDLE


class UnimplementedError(Error, NotImplementedError):
    """Meaningful, but not supported by this build."""

    status = Status.UNIMPLEMENTED


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be allocated."""

    status = Status.OUT_OF_MEMORY


class BusyError(Error):
    """Another thread is using an object that has one user at a time."""

    status = Status.BUSY


class WaitTimeoutError(BusyError, TimeoutError):
    """A run did not begin within its timeout."""

    status = Status.TIMED_OUT


class QueueFullError(BusyError):
    """As many requests wait for a batch as may wait."""

    status = Status.QUEUE_FULL


class ClosedError(Error):
    """The object was closed, before the call or during it."""

    status = Status.CLOSED


class NotFoundError(Error):
    """A name that does not exist: a kernel, an input, an output."""

    status = Status.NOT_FOUND


class MissingFileError(NotFoundError, FileNotFoundError):
    """A file that does not exist."""

    status = Status.FILE_NOT_FOUND


class FileError(Error, OSError):
    """Reading or writing a file failed."""

    status = Status.IO_ERROR


class InvalidModelError(Error, ValueError):
    """A model that is damaged or breaks its format's rules."""

    status = Status.INVALID_MODEL


class OutOfBoundsError(Error, ValueError):
    """A dim outside what its descriptor or the bounds promise."""

    status = Status.OUT_OF_BOUNDS


class InvalidDataError(Error, ValueError):
    """Values found wrong while running."""

    status = Status.INVALID_DATA


class InternalError(Error):
    """A defect of the library."""

    status = Status.INTERNAL


class ForkedError(Error):
    """In a forked child: another thread of the parent was using the object when it forked, or the object is of a device."""

    status = Status.FORKED


class CancelledError(Error):
    """The run was ended from outside (`RunOptions.terminate`)."""

    status = Status.CANCELLED


class DeviceLostError(Error):
    """The engine's device is gone, with all that lay in its memory."""

    status = Status.DEVICE_LOST


_BY_STATUS: dict[int, type[Error]] = {
    int(cls.status): cls
    for cls in (
        InvalidArgumentError,
        InvalidHandleError,
        UnimplementedError,
        OutOfMemoryError,
        BusyError,
        WaitTimeoutError,
        QueueFullError,
        ClosedError,
        NotFoundError,
        MissingFileError,
        FileError,
        InvalidModelError,
        OutOfBoundsError,
        InvalidDataError,
        InternalError,
        ForkedError,
        CancelledError,
        DeviceLostError,
    )
}


def from_status(status: int, message: str, function: str = "", argument: str = "", node: str = "") -> Error:
    """The exception for a status; the extension module raises it."""
    # People who use the package know its functions, not those of the C API under it.
    text = message.removeprefix(f"{function}: ") if function else message
    kind = _BY_STATUS.get(status, Error)
    if kind is InvalidHandleError:  # handles of this package are of the right kind and its own
        kind, text = ClosedError, f"the {argument or 'object'} is closed"
    error = kind(text)
    error.function, error.argument, error.node = function, argument, node
    if isinstance(error, MissingFileError):
        error.errno = errno.ENOENT
    return error
