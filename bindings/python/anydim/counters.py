# SPDX-License-Identifier: Apache-2.0
"""What the library did in this process, as numbers with names."""

from __future__ import annotations

from . import _capi


def counters() -> dict[str, int]:
    """Counters of this process by name, such as primitives_created and primitive_cache_hits.

    They only grow, but for levels such as primitive_cache_bytes: take the difference of two calls.
    """
    rows = (_capi.counter_get(i) for i in range(_capi.counter_get_count()))
    return {row["name"]: row["value"] for row in rows}
