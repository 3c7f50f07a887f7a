# SPDX-License-Identifier: Apache-2.0
"""Inputs and choices of attributes that rows of the opset tables are made of."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from opset_cases import Array


def f(*dims: int, seed: int = 0, dtype: Any = np.float32) -> Array:
    """Numbers around 0 with ties, so that the first and the last of equal ones are distinguished."""
    values = np.random.default_rng(seed + 17 * len(dims)).integers(-12, 13, dims) / 4
    return np.asarray(values, dtype=dtype)


def i(*values: Any, dtype: Any = np.int64) -> Array:
    return np.array(values, dtype=dtype)


def s(value: Any, dtype: Any = np.float32) -> Array:
    return np.array(value, dtype=dtype)


def grid(**choices: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values, strict=True))
