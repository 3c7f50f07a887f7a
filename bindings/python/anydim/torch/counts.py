# SPDX-License-Identifier: Apache-2.0
"""What this package did in the process, as numbers with names, and the names in torch's sentences."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

_NAMES = ("exports", "graphs", "reused", "models", "fallbacks")
_lock = threading.Lock()
_numbers = dict.fromkeys(_NAMES, 0)


def add(name: str) -> None:
    """One more of it."""
    with _lock:
        _numbers[name] += 1


def numbers() -> dict[str, int]:
    """A copy of all numbers."""
    with _lock:
        return dict(_numbers)


def with_names(text: str, names: Sequence[str]) -> str:
    """A sentence of torch's about flat tensors with the names of the arguments."""
    text = re.sub(
        r"L\['tensors'\]\[(\d+)\]|\btensors(?:_|\[)(\d+)\]?", lambda found: names[int(found[1] or found[2])], text
    )
    return text
