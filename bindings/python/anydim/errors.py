# SPDX-License-Identifier: Apache-2.0
"""The exceptions of Anydim: one class per status of the C API, all of them `Error`."""

from __future__ import annotations

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


class InvalidArgumentError(Error, ValueError):
    """An argument is wrong by itself."""

    status = Status.INVALID_ARGUMENT


class InvalidHandleError(Error):
    """An object that was closed."""

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


class ClosedError(Error):
    """The object was closed while in use."""

    status = Status.CLOSED


class NotFoundError(Error):
    """A name that does not exist: a kernel, an input, a file."""

    status = Status.NOT_FOUND


class FileError(Error):
    """Reading a file failed."""

    status = Status.IO_ERROR


class InvalidModelError(Error):
    """A model that is damaged or breaks its format's rules."""

    status = Status.INVALID_MODEL


class OutOfBoundsError(Error):
    """A dim outside what its descriptor or the bounds promise."""

    status = Status.OUT_OF_BOUNDS


class InvalidDataError(Error):
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
        ClosedError,
        NotFoundError,
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
    error = _BY_STATUS.get(status, Error)(message.removeprefix(f"{function}: ") if function else message)
    error.function, error.argument, error.node = function, argument, node
    return error
