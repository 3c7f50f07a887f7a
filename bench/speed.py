# SPDX-License-Identifier: Apache-2.0
"""From the times of single calls to the figures that are compared: per shape medians over rounds, the geometric mean of
first/revisit, sums. Pure functions; nothing is measured or printed here.

A first call and its revisit are five calls apart in one process, so their ratio is taken there, before the median over
processes: a slow minute of the machine is in both and goes out. (The ratio of two medians mixes minutes; on a machine with
neighbours it gave 0.91 to 1.07 for engines that stall nowhere, this one 0.98 to 1.02.)

Each shape is met twice again. `ratio` takes the first time again, which is not yet the steady state of every engine: ONNX
Runtime lays memory out for a shape when it meets it again. `settled_ratio` takes the second, when all have settled. Both are
held against the targets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median, stdev
from typing import Any


@dataclass(frozen=True)
class Figures:
    """One engine on one stream. Times in ms; growth events (calls in which memory grew) are kept apart."""

    ratio: float  # geometric mean over shapes of first / first time again, without shapes that grew
    ratio_error: float  # its standard error, from what single processes gave; NaN for fewer than three
    settled_ratio: float  # the same with the second time again
    first: float  # sum over shapes of the first call, growth included: what a user waits
    revisit: float  # sum over shapes of the second time again
    worst: float  # largest first / first time again of a shape
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


def over_shapes(paired: dict[int, list[float]], still: list[int]) -> float:
    """Geometric mean over shapes of the median over processes."""
    return math.exp(sum(math.log(median(paired[i])) for i in still) / len(still)) if still else math.nan


def figures(visits: list[int], rounds: list[dict[str, Any]]) -> Figures:
    """`rounds` has one entry a process, with its `call_ms` and `grew` per visit."""
    firsts: dict[int, list[float]] = {}
    again: dict[int, list[float]] = {}  # first / first time again, of one process
    settled: dict[int, list[float]] = {}  # first / second time again
    laters: dict[int, list[float]] = {}
    grown: dict[int, list[bool]] = {}
    for run in rounds:
        first, later = split(visits, run["call_ms"])
        grew, _ = split(visits, run["grew"])
        for index, value in first.items():
            firsts.setdefault(index, []).append(value)
            again.setdefault(index, []).append(value / later[index][0])
            settled.setdefault(index, []).append(value / later[index][1])
            laters.setdefault(index, []).append(later[index][1])
            grown.setdefault(index, []).append(grew[index])
    later_ms = {index: median(values) for index, values in laters.items()}
    still = [index for index in again if not any(grown[index])]
    by_process = [sum(math.log(again[i][run]) for i in still) / max(1, len(still)) for run in range(len(rounds))]
    events = [
        (values[run] - later_ms[index])
        for index, values in firsts.items()
        for run in range(len(rounds))
        if grown[index][run]
    ]
    return Figures(
        ratio=over_shapes(again, still),
        # A mean's; that of medians is no larger where single calls are disturbed.
        ratio_error=stdev(by_process) / math.sqrt(len(rounds)) if len(rounds) > 2 else math.nan,
        settled_ratio=over_shapes(settled, still),
        first=sum(median(values) for values in firsts.values()),
        revisit=sum(later_ms.values()),
        worst=max(median(values) for values in again.values()),
        growths=len(events) / len(rounds),
        growth_ms=sum(events) / len(rounds),
    )
