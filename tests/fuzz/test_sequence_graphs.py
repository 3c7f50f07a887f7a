# SPDX-License-Identifier: Apache-2.0
"""Random models of sequences and optionals, as sequence_graphs.py draws them, give what numpy's lists give."""

from __future__ import annotations

from collections import Counter

import pytest
from sequence_graphs import RIGHT, UNIMPLEMENTED, WRONG, judge

GRAPHS = 80
ONCE_WRONG = (82, 210, 223, 1493, 1563, 1578)  # valid models that were refused as wrong ones


@pytest.mark.parametrize("strings", [False, True])
def test_sequences_hold_what_lists_hold(strings: bool, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    wrong = []
    for seed in range(1, GRAPHS // 2 + 1) if strings else (*range(1, GRAPHS + 1), *ONCE_WRONG):
        verdict, message, drawn = judge(seed, strings)
        verdicts[verdict] += 1
        if verdict == WRONG:
            wrong.append(f"seed {seed}: {message}")
        if verdict == RIGHT:
            operators.update(drawn)
    with capsys.disabled():
        print(f"\nsequences: {dict(verdicts)}, {dict(operators)}")
    assert not wrong
    assert verdicts[UNIMPLEMENTED] < GRAPHS // 4, "a test that nothing runs in proves nothing"
    assert min(operators[op] for op in ("SequenceInsert", "SequenceErase", "SplitToSequence", "Loop")) > (
        2 if strings else 5
    )
