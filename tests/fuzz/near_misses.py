# SPDX-License-Identifier: Apache-2.0
"""Patterns that passes rewrite, and patterns near them that they must not rewrite as if they were: another axis, a scale per
row, broadcasting that grows the result, a constant that is nearly right, a second user of an inner value, an output inside,
another dtype, another order. A pattern is a function that appends its nodes to a value; most of its choices are right."""

from __future__ import annotations

import near_attention  # noqa: F401
import near_functions  # noqa: F401
import near_memory  # noqa: F401
import near_movers  # noqa: F401
import near_scales  # noqa: F401
from disturbing import PATTERNS

__all__ = ["PATTERNS"]
