# SPDX-License-Identifier: Apache-2.0
"""The persistent cache: tuned plans and device programs, kept in a file between processes.

Losing it costs time and nothing else; deleting it is always safe.

    anydim.cache.export_to("tuned.sqlite")        # on the machine that tuned
    anydim.cache.import_from("tuned.sqlite")      # on another of its kind

ANYDIM_CACHE=off turns it off; ANYDIM_CACHE_DIR, ANYDIM_CACHE_SYSTEM_DIR and ANYDIM_CACHE_BYTES say where and how large.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from . import _capi
from ._enums import RecordKind
from .errors import InvalidArgumentError

__all__ = [
    "Record",
    "Verification",
    "clear",
    "describe",
    "export_to",
    "import_from",
    "info",
    "path",
    "records",
    "verify",
]


@dataclass(frozen=True)
class Record:
    """One record of the user's or the system's file."""

    kind: Literal["plan", "binary"]
    key: str
    bytes: int
    origin: str  # who made it, such as "anydim 0.1.0"
    created: int  # seconds since 1970
    used: int  # the same, in steps of an hour
    system: bool  # in the read-only file of the system
    good: bool  # its checksum is right


@dataclass(frozen=True)
class Verification:
    """What `verify` found; it is true where all is sound."""

    ok: bool
    records: int
    damaged: int
    structure: str = field(default="no file")  # of the user's file
    system_structure: str = field(default="no file")

    def __bool__(self) -> bool:
        return self.ok


def _text(text: _capi.Text) -> str:
    return _capi.text_get_data(text)


def path() -> Path:
    """The user's file, which need not exist. Raises UnimplementedError where the cache is off."""
    return Path(os.fsdecode(_capi.text_bytes(_capi.persistent_cache_get_path())))


def describe() -> dict[str, Any]:
    """Everything about the cache: whether and where it is, its counters, its records."""
    result: dict[str, Any] = json.loads(_text(_capi.persistent_cache_describe()))
    return result


def records(kind: Literal["plan", "binary"] | None = None) -> list[Record]:
    """The records of the user's and the system's file, or those of one kind."""
    return [Record(**entry) for entry in describe()["records"] if kind is None or entry["kind"] == kind]


def info() -> dict[str, int]:
    """The counters of this process: hits, misses, stores, store_failures, evicted, damaged_records, ... Touches no file."""
    return {name: value for name, value in _capi.persistent_cache_query().items() if isinstance(value, int)}


def verify() -> Verification:
    """Compares every checksum and checks the structure of both files; changes nothing."""
    return Verification(**json.loads(_text(_capi.persistent_cache_verify())))


def export_to(file: str | os.PathLike[str]) -> int:
    """Writes the sound records into a file for other machines, replacing it; returns their number."""
    return _capi.persistent_cache_export(os.fspath(file))


def import_from(file: str | os.PathLike[str]) -> tuple[int, int]:
    """Takes the records of an exported file; returns how many came and how many damaged ones were left out."""
    return _capi.persistent_cache_import(os.fspath(file))


def clear(kind: Literal["plan", "binary"] | None = None) -> int:
    """Removes the records of the user's file, or those of one kind; returns how many it had."""
    if kind not in (None, "plan", "binary"):
        raise InvalidArgumentError(f"kind is {kind!r}; expected 'plan', 'binary' or None for all")
    which = RecordKind.ALL if kind is None else RecordKind[kind.upper()]
    return _capi.persistent_cache_clear(which)
