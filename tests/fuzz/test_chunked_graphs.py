# SPDX-License-Identifier: Apache-2.0
"""Random networks, as chunked_graphs.py draws them, have the same bits chunk by chunk as in one run."""

from __future__ import annotations

from collections import Counter

import pytest
from chunked_graphs import check

GRAPHS = 250
ONCE_WRONG = (
    1,
    28,
    36,
)  # sizes that a run found; sums of 16 bits that keep 32; a history longer at the end than between


def test_chunks_have_the_bits_of_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts: Counter[str] = Counter()
    for seed in (*ONCE_WRONG, *range(1000, 1000 + GRAPHS)):
        verdicts[check(seed).split(":")[0]] += 1
    with capsys.disabled():
        print(f"\nchunked graphs: {dict(verdicts)}")
    assert verdicts["ok"] > GRAPHS * 3 // 4, "a test that nothing runs in proves nothing"
