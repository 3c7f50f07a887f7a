# SPDX-License-Identifier: Apache-2.0
"""The words that options take, for type checkers and editors; the enums of the C API have the same ones."""

from __future__ import annotations

from typing import Literal

ReuseWord = Literal["auto", "reusable", "specialised", "reusable_first"]
MathWord = Literal["strict", "fast", "reduced"]
PassesWord = Literal["all", "exact", "none"]
LayoutWord = Literal["row_major", "channels_last", "any", "follow"]
