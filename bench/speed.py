# SPDX-License-Identifier: Apache-2.0
"""From the times of single calls to the figures that are compared: per shape medians over rounds, the geometric mean of
first/revisit, sums. Pure functions; nothing is measured or printed here.

A first call and its revisit are five calls apart in one process, so their ratio is taken there, before the median over
processes: a slow minute of the machine is in both and goes out. (The ratio of two medians mixes minutes; on a machine with
neighbours it gave 0.91 to 1.07 for engines that stall nowhere, this one 0.98 to 1.02.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median, stdev
from typing import Any


@dataclass(frozen=True)
class Figures:
    """One engine on one stream. Times in ms; growth events (calls in which memory grew) are kept apart."""

    ratio: float  # geometric mean over shapes of first / revisit, without shapes that grew
    ratio_error: float  # its standard error, from what single processes gave; NaN for fewer than three
    first: float  # sum over shapes of the first call, growth included: what a user waits
    revisit: float  # sum over shapes of the revisit
    worst: float  # largest first / revisit of a shape
    growths: float  # growth events in a process (mean)
    growth_ms: float  # what they added to the first calls (mean)

    @property
    def added(self) -> float:
        return self.first - self.revisit


def split(visits: list[int], values: list[Any]) -> tuple[dict[int, Any], dict[int, list[Any]]]:
    """The first value of each shape, and its later ones."""
    first: dict[int, Any] = {}
    later: dict[int, list[Any]] = {}
    for index, value in zip(visits, values, strict=True):
        if index in first:
            later.setdefault(index, []).append(value)
        else:
            first[index] = value
    return first, later


def figures(visits: list[int], rounds: list[dict[str, Any]]) -> Figures:
    """`rounds` has one entry a process, with its `call_ms` and `grew` per visit."""
    firsts: dict[int, list[float]] = {}
    laters: dict[int, list[float]] = {}
    grown: dict[int, list[bool]] = {}
    for run in rounds:
        first, later = split(visits, run["call_ms"])
        grew, _ = split(visits, run["grew"])
        for index in first:
            firsts.setdefault(index, []).append(first[index])
            # One revisit a process, so that both sides carry equally many samples: the second, when every engine has settled.
            laters.setdefault(index, []).append(later[index][1])
            grown.setdefault(index, []).append(grew[index])
    first_ms = {index: median(values) for index, values in firsts.items()}
    later_ms = {index: median(values) for index, values in laters.items()}
    paired = {i: [f / later for f, later in zip(firsts[i], laters[i], strict=True)] for i in firsts}
    ratios = {index: median(values) for index, values in paired.items()}
    still = [index for index in ratios if not any(grown[index])]
    by_process = [sum(math.log(paired[i][run]) for i in still) / max(1, len(still)) for run in range(len(rounds))]
    events = [
        (values[run] - later_ms[index])
        for index, values in firsts.items()
        for run in range(len(rounds))
        if grown[index][run]
    ]
    return Figures(
        ratio=math.exp(sum(math.log(ratios[i]) for i in still) / len(still)) if still else math.nan,
        # A mean's; that of medians is no larger where single calls are disturbed.
        ratio_error=stdev(by_process) / math.sqrt(len(rounds)) if len(rounds) > 2 else math.nan,
        first=sum(first_ms.values()),
        revisit=sum(later_ms.values()),
        worst=max(ratios.values()),
        growths=len(events) / len(rounds),
        growth_ms=sum(events) / len(rounds),
    )
