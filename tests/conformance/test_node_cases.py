# SPDX-License-Identifier: Apache-2.0
"""The node cases of the `onnx` package, under each reuse policy: none is wrong, no fewer pass than before, and all have the
same bits. node_cases.py runs them."""

from __future__ import annotations

import os

import pytest
from node_cases import PASSED, WRONG, Outcome, collect, run_all, summary, table, write

# Raised when operators are added; a fall below it is a regression. The issue asked for 500.
FLOOR = 1000


POLICIES = ("reusable", "auto", "reusable_first", "specialised")
_by_policy: dict[str, list[Outcome]] = {}


def outcomes_of(policy: str) -> list[Outcome]:
    if policy not in _by_policy:
        names = [case.name for case in collect()]
        # Read once per process: the workers inherit it.
        os.environ["ANYDIM_REUSE"] = policy
        try:
            result = run_all(names, len(os.sched_getaffinity(0)))
        finally:
            del os.environ["ANYDIM_REUSE"]
        assert [outcome.case for outcome in result] == names
        _by_policy[policy] = result
    return _by_policy[policy]


@pytest.mark.parametrize("policy", POLICIES)
def test_no_node_case_is_wrong(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = outcomes_of(policy)
    if policy == POLICIES[0]:
        write(outcomes)
    with capsys.disabled():
        if policy == POLICIES[0]:
            print(f"\n{table(outcomes)}")
        print(f"\npolicy {policy}: {summary(outcomes)}")
    wrong = [f"{outcome.case}: {outcome.message}" for outcome in outcomes if outcome.verdict == WRONG]
    assert not wrong, "\n".join(wrong)


def test_no_fewer_node_cases_pass_than_before() -> None:
    assert sum(outcome.verdict == PASSED for outcome in outcomes_of(POLICIES[0])) >= FLOOR


@pytest.mark.parametrize("policy", POLICIES[1:])
def test_a_policy_changes_no_verdict_and_no_bit(policy: str) -> None:
    expected = {o.case: (o.verdict, o.dynamic, o.digest) for o in outcomes_of(POLICIES[0])}
    assert sum(bool(digest) for _, _, digest in expected.values()) >= FLOOR, "nothing was compared"
    got = {o.case: (o.verdict, o.dynamic, o.digest) for o in outcomes_of(policy)}
    different = sorted(case for case in expected if expected[case] != got[case])
    assert not different
