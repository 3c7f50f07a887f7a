# SPDX-License-Identifier: Apache-2.0
"""What a first start shows while programs are compiled: a bar on a terminal from the first second on, nothing elsewhere."""

from __future__ import annotations

import io
import time

import pytest
from anydim import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, error: io.StringIO, *, compiles: bool, seconds: float) -> str:
    """What is written while something takes so long, of which a device's programs are compiled or not."""
    calls = 0

    def counters() -> dict[str, int]:
        nonlocal calls
        calls += 1
        done = calls - 1 if compiles else 0
        return dict.fromkeys(("kernels_prepared", "programs_compiled", "programs_loaded"), done) | {
            "kernels_to_prepare": 20 if calls > 1 else 0
        }

    monkeypatch.setattr(progress, "counters", counters)
    monkeypatch.setattr("sys.stderr", error)
    with progress.of_programs(True):
        time.sleep(seconds)
    return error.getvalue()


def test_a_terminal_gets_a_bar_after_a_second_which_goes_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, Terminal(), compiles=True, seconds=1.6)
    assert "/20 1 programs were compiled" in text and text.endswith("\r\x1b[K"), text


@pytest.mark.parametrize(
    ("terminal", "compiles", "seconds"), [(True, True, 0.1), (True, False, 1.4), (False, True, 1.4)]
)
def test_nothing_is_shown_elsewhere(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, compiles: bool, seconds: float
) -> None:
    error = Terminal() if terminal else io.StringIO()
    assert shown(monkeypatch, error, compiles=compiles, seconds=seconds) == ""
