# SPDX-License-Identifier: Apache-2.0
"""Tensors without elements, for every operator: the right result or an error, never a death (empty_sizes.py)."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from empty_sizes import run_operator
from opset_cases import Case
from test_opsets import ROWS, full_name

OPERATORS: dict[str, list[Case]] = {}
for row in ROWS:
    OPERATORS.setdefault(full_name(row), []).append(row)
PARTS = 16
BAD = ("died", "wrong", "internal", "unequal")
# A size of 0 that a number says is taken as one without features; one that a run finds is not.
UNEQUAL = ("FeatureVectorizer", "Einsum")


def run(operators: list[str], seed: int, each: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    bad = []
    for operator in operators:
        for verdict, label, message in run_operator(OPERATORS[operator], seed, each):
            counts[verdict] += 1
            if verdict in BAD and not (verdict == "unequal" and operator.split(".")[-1] in UNEQUAL):
                bad.append(f"{verdict}: {label}\n    {message[:500]}")
    assert not bad, f"{len(bad)} of {counts.total()}, seed {seed}\n" + "\n".join(bad[:20])
    return counts


@pytest.mark.parametrize("part", range(PARTS))
def test_sizes_of_0_give_the_right_result_or_an_error(part: int) -> None:
    counts = run(sorted(OPERATORS)[part::PARTS], seed=3, each=2)
    assert counts["passed"] > counts.total() // 4, counts


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_many_sizes_of_0_give_the_right_result_or_an_error(part: int) -> None:
    seed = random.SystemRandom().randrange(2**31)
    run(sorted(OPERATORS)[part::PARTS], seed=seed, each=40)
