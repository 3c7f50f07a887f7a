# SPDX-License-Identifier: Apache-2.0
"""The fuzz's vocabulary: how to draw a valid node of each operator that the importer has, with odd attributes, in the
form that the graph's opset gives it. test_fuzz.py holds the table against onnx/operators."""

from __future__ import annotations

import operators_elementwise  # noqa: F401
import operators_found  # noqa: F401
import operators_gated  # noqa: F401
import operators_movers  # noqa: F401
import operators_products  # noqa: F401
import operators_random  # noqa: F401
import operators_recurrent  # noqa: F401
import operators_signals  # noqa: F401
import operators_windows  # noqa: F401
from vocabulary import TABLE

__all__ = ["TABLE"]
