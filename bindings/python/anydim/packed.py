# SPDX-License-Identifier: Apache-2.0
"""One packed copy of a model's weights for all processes of a machine: the file is made by whoever comes first, the others map it.

    session = anydim.packed.shared_session("rec.onnx", threads=1)                       # a file in the persistent cache's folder
    session = anydim.packed.shared_session("rec.onnx", packed="rec.packed", threads=1)  # a file that `anydim pack` wrote, say

`anydim.spark` and `anydim.ray` open their sessions with it. It is for worker processes of any kind: of gunicorn, of
multiprocessing, of a queue of jobs.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from . import _capi, cache
from .dims import Bounds
from .errors import FileError, InvalidArgumentError, UnimplementedError
from .option_words import MathWord, PassesWord, ReuseWord
from .session import InferenceSession, process_engine

if sys.version_info >= (3, 11):  # noqa: UP036  # pyproject.toml's requires-python says 3.10
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    Unpack = dict  # older Pythons have no name for it

__all__ = ["Options", "default_file", "make_file", "shared_session"]

_log = logging.getLogger(__name__)
# How long a process waits while another one packs, before it packs for itself.
_TIMEOUT_SECONDS = 120.0
_POLL_SECONDS = 0.02

_PIECE_BYTES = 1 << 20

ModelPath = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """What a session of a worker process may be given; `InferenceSession` says what each means. All can be pickled."""

    threads: int | None
    contexts: int | None
    bounds: Bounds | None
    reuse: ReuseWord | None
    passes: PassesWord
    math: MathWord | None
    layers: Mapping[str, MathWord] | None


def default_file(model: ModelPath, **options: Unpack[Options]) -> Path:
    """Where the packed weights of this model lie if nobody says: in the folder of the persistent cache (`ANYDIM_CACHE_DIR`), under
    a name made from all that they depend on: the bytes of the model's file, the library's version, the processor's features, and
    the options that change what is packed. So copies of a model share one file, and nothing has to be deleted for another one.

    Raises `FileError` if the model cannot be read, `UnimplementedError` where the persistent cache is off."""
    folder = cache.path().parent / "packed"
    digest = hashlib.blake2b(digest_size=16)
    try:
        with open(model, "rb") as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
    except OSError as error:
        raise FileError(f"model is {os.fspath(model)!r}, which cannot be read: {error.strerror}") from error
    form = (_capi.version(), _capi.engine_query(process_engine())["isa"], *sorted(_packing(options).items()))
    digest.update(repr(form).encode())
    return folder / f"{Path(model).stem}-{digest.hexdigest()}.packed"


def make_file(model: ModelPath, path: ModelPath, **options: Unpack[Options]) -> None:
    """Writes the model's packed weights to `path`, as `anydim pack` does, unless the file is there. Of several processes that call it
    at once one packs, and the others wait for it. The file is written under another name and renamed, so that whoever finds it
    finds all of it.

    Raises what `InferenceSession` raises for the model and the options, and `FileError` or `OSError` if the file cannot be written."""
    with _turn(Path(path).absolute().parent):
        if os.path.exists(path):
            return
        begin = time.monotonic()
        alone: Options = {"contexts": 1, **_packing(options)}
        InferenceSession(model, **alone).save_packed_weights(path)
        _log.info("%s: packed in %.0f ms", path, (time.monotonic() - begin) * 1e3)


def shared_session(model: ModelPath, packed: ModelPath | None = None, **options: Unpack[Options]) -> InferenceSession:
    """The session of this process for this model and these options, with packed weights out of a file that all processes map.

    packed: that file; None: `default_file(...)`. If it is not there, `make_file` makes it first. A file that was named and cannot
        be made, read or used is an error. One that nobody named is only there to save memory: where it cannot be made the
        weights are packed in this process, and a damaged one is made again; both are logged (logger `anydim.packed`).
    options: those of `InferenceSession`.

    While a session for the same file of a model and the same options is in use in this process, that one is returned: any number
    of threads may use it, and so may those of a forked child.
    """
    if isinstance(model, (bytes, bytearray, memoryview)):
        raise InvalidArgumentError("model is bytes; expected a path, which every process can open")
    key = (_identity(model), packed and os.fspath(packed), repr(sorted(options.items())))
    with _lock:
        session = _sessions.get(key)
        if session is None:
            session = _open(model, packed, options)
            _sessions[key] = session
    return session


_lock = threading.Lock()
_sessions: weakref.WeakValueDictionary[object, InferenceSession] = weakref.WeakValueDictionary()
os.register_at_fork(after_in_child=lambda: globals().__setitem__("_lock", threading.Lock()))


def _open(model: ModelPath, packed: ModelPath | None, options: Options) -> InferenceSession:
    path = Path(packed) if packed is not None else _made_default(model, options)
    if packed is not None and not os.path.exists(packed):
        make_file(model, packed, **options)
    try:
        session = InferenceSession(model, packed_weights=path, **options)
    except FileError as error:
        if packed is not None or path is None:
            raise
        _log.warning("%s; it is made anew", error)
        path.unlink(missing_ok=True)
        path = _made_default(model, options)
        session = InferenceSession(model, packed_weights=path, **options)
    counts = _capi.model_query(session._model)
    if path is not None and counts["mapped_weights"] < counts["packed_weights"]:
        _log.warning(
            "%s has %d of the %d packed weights that %s needs on this processor; this process has a copy of the others. "
            "A file of its own (packed=...) would share them",
            path,
            counts["mapped_weights"],
            counts["packed_weights"],
            os.fspath(model),
        )
    return session


def _made_default(model: ModelPath, options: Options) -> Path | None:
    """The default file, made if need be; None where there can be none."""
    try:
        path = default_file(model, **options)
        if path.exists():
            return path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(f"{path.parent} cannot be written")
        make_file(model, path, **options)
    except (OSError, FileError, UnimplementedError) as error:
        _log.warning("%s; so this process has a copy of the packed weights of its own", error)
        return None
    return path


def _packing(options: Options) -> Options:
    """The options that packed weights depend on."""
    kept: Options = {}
    if "passes" in options:
        kept["passes"] = options["passes"]
    if options.get("math") is not None:
        kept["math"] = options["math"]
    if options.get("layers"):
        kept["layers"] = options["layers"]
    return kept


def _identity(model: ModelPath) -> tuple[str, int, int, int]:
    """Of a path with what lies there now: another file under the same name is another model."""
    try:
        found = os.stat(model)
    except OSError as error:
        raise FileError(f"model is {os.fspath(model)!r}, which cannot be read: {error.strerror}") from error
    return os.path.realpath(model), found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """Lets one process in at a time, by a lock on the folder, which leaves no file behind and ends with its process. Where the file
    system has no such locks, or the other takes too long, several get in: they pack more often and write the same bytes."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        end = time.monotonic() + _TIMEOUT_SECONDS
        while time.monotonic() < end:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_POLL_SECONDS)
            except OSError:
                break
        yield
    finally:
        os.close(descriptor)
