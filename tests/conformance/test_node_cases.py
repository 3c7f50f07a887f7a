# SPDX-License-Identifier: Apache-2.0
"""The node cases of the `onnx` package, under each reuse policy: none is wrong, those of passing.txt pass still, and all
have the same bits. A quick run has the first two policies. node_cases.py runs them."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import pytest
from node_cases import WRONG, Outcome, lost_and_gained, passing, read_passing, run_all, summary, table, write

POLICIES = ("reusable", "reusable_first", "auto", "specialised")
TESTED = [*POLICIES[:2], *(pytest.param(policy, marks=pytest.mark.long) for policy in POLICIES[2:])]


@cache
def outcomes_of_pair(first: int) -> list[list[Outcome]]:
    environments = [{"ANYDIM_REUSE": policy} for policy in POLICIES[first : first + 2]]
    return list(run_all("", len(os.sched_getaffinity(0)), environments))


def outcomes_of(policy: str) -> list[Outcome]:
    at = POLICIES.index(policy)
    return outcomes_of_pair(at // 2 * 2)[at % 2]


@pytest.mark.parametrize("policy", TESTED)
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
    assert len(outcomes) > 1800, "the onnx package has fewer cases than it had"


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


DYING = """
import os, time
from types import SimpleNamespace
import node_cases

def run_case(case):
    if case.name == "dies":
        os._exit(7)
    if case.name == "hangs":
        time.sleep(100)
    return node_cases.Outcome(case.name, "Relu", "passed")

node_cases.HANG_SECONDS = 1
node_cases.run_case = run_case
model = SimpleNamespace(graph=SimpleNamespace(node=[SimpleNamespace(op_type="Relu")]))
for outcome in node_cases.supervise([SimpleNamespace(name=n, model=model) for n in ("a", "dies", "b", "hangs", "c")]):
    print(outcome.case, outcome.verdict, outcome.message)
"""


def test_a_worker_that_dies_or_hangs_is_blamed_on_its_case_and_replaced() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DYING], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "a passed ",
        "dies wrong crash, status 7",
        "b passed ",
        "hangs wrong hangs: no answer in 1 s",
        "c passed ",
    ]


@pytest.mark.parametrize("policy", TESTED[1:])
def test_a_policy_changes_no_verdict_and_no_bit(policy: str) -> None:
    expected = {o.case: (o.verdict, o.dynamic, o.digest) for o in outcomes_of(POLICIES[0])}
    assert sum(bool(digest) for _, _, digest in expected.values()) >= len(read_passing()), "too little was compared"
    got = {o.case: (o.verdict, o.dynamic, o.digest) for o in outcomes_of(policy)}
    different = sorted(case for case in expected if expected[case] != got[case])
    assert not different
