# SPDX-License-Identifier: Apache-2.0
"""Tensors without elements, for every operator: the right result or an error, never a death (empty_sizes.py)."""

from __future__ import annotations

from opset_cases import Case
from test_opsets import ROWS, full_name

OPERATORS: dict[str, list[Case]] = {}
for row in ROWS:
    OPERATORS.setdefault(full_name(row), []).append(row)
