# SPDX-License-Identifier: Apache-2.0
"""Says once per process that something of onnxruntime's has no effect here."""

from __future__ import annotations

import warnings

_warned: set[str] = set()


def warn_once(what: str, why: str) -> None:
    if what not in _warned:
        _warned.add(what)
        warnings.warn(f"{what} has no effect on Anydim: {why}", UserWarning, stacklevel=3)
