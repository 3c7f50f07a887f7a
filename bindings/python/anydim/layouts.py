# SPDX-License-Identifier: Apache-2.0
"""Memory orders asked for at a model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from . import _capi
from ._enums import EdgeLayout
from .dims import whole_number
from .errors import InvalidArgumentError

# A word, or the axes as they lie in memory, outermost first: (0, 2, 3, 1) is channels last.
EdgeLayoutLike = Literal["row_major", "channels_last", "fastest", "follow"] | Sequence[int]
Layouts = Mapping[str, EdgeLayoutLike]

_WORDS = {rule.name.lower(): rule for rule in EdgeLayout if rule is not EdgeLayout.ORDER}


def raw_layouts(layouts: Layouts) -> _capi.Layouts:
    made = _capi.layouts_create()
    for name, layout in layouts.items():
        if not isinstance(layout, str):
            _capi.layouts_set(
                made, name, EdgeLayout.ORDER, [whole_number(axis, f"an axis of {name!r}") for axis in layout]
            )
        elif layout in _WORDS:
            _capi.layouts_set(made, name, _WORDS[layout], [])
        else:
            known = ", ".join(_WORDS)
            raise InvalidArgumentError(f"the layout of {name!r} is {layout!r}; expected {known} or a list of axes")
    return made
