# SPDX-License-Identifier: Apache-2.0
"""The node cases of the `onnx` package, under each reuse policy: none is wrong, those of passing.txt pass still, and all
have the same bits. node_cases.py runs them."""

from __future__ import annotations

import os
import warnings

import pytest
from node_cases import WRONG, Outcome, collect, lost_and_gained, passing, read_passing, run_all, summary, table, write

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


def test_every_node_case_of_the_list_passes_still() -> None:
    lost, gained = lost_and_gained(read_passing(), passing(outcomes_of(POLICIES[0])))
    assert not lost, "\n".join(lost)
    if gained:
        warnings.warn(f"they pass now; keep it so with node_cases.py --renew: {' '.join(gained)}", stacklevel=1)


def test_a_case_that_is_lost_is_named() -> None:
    found = {"one": "passed", "two": "unimplemented", "new": "passed"}
    lost, gained = lost_and_gained({"one": "passed", "two": "passed", "three": "passed"}, found)
    assert lost == ["three: does not pass any more", "two: with dynamic dims passed, now unimplemented"]
    assert gained == ["new"]


@pytest.mark.parametrize("policy", POLICIES[1:])
def test_a_policy_changes_no_verdict_and_no_bit(policy: str) -> None:
    expected = {o.case: (o.verdict, o.dynamic, o.digest) for o in outcomes_of(POLICIES[0])}
    assert sum(bool(digest) for _, _, digest in expected.values()) >= len(read_passing()), "too little was compared"
    got = {o.case: (o.verdict, o.dynamic, o.digest) for o in outcomes_of(policy)}
    different = sorted(case for case in expected if expected[case] != got[case])
    assert not different
