# SPDX-License-Identifier: Apache-2.0
"""From the times of single calls to the figures that are compared: per shape medians over rounds, the geometric mean of
first/revisit, sums. Pure functions; nothing is measured or printed here.

A first call and its revisit are five calls apart in one process, so their ratio is taken there, before the median over
processes: a slow minute of the machine is in both and goes out. (The ratio of two medians mixes minutes; on a machine with
neighbours it gave 0.91 to 1.07 for engines that stall nowhere, this one 0.98 to 1.02.)

A call in which memory grew says how long growing takes, so such calls are kept apart, a first one and a later one alike, by
one rule for all engines (worker.py): `ratio` takes the first time again in which memory did not grow, and leaves shapes out
whose first call grew in most processes. (ONNX Runtime lays memory out for a shape when it meets it again, and then maps it:
on cls with growing batches ten of its twelve first times again.) `settled_ratio` takes the second time again whatever
happened before. Both are held against the targets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median, stdev
from typing import Any


@dataclass(frozen=True)
class Figures:
    """One engine on one stream. Times in ms; growth events (calls in which memory grew) are kept apart."""

    ratio: float  # geometric mean over shapes of first / first time again that did not grow, without shapes that grew
    ratio_error: float  # its standard error, from what single processes gave; NaN for fewer than three
    settled_ratio: float  # the same with the second time again; still without shapes whose first call grew
    first: float  # sum over shapes of the first call, growth included: what a user waits
    revisit: float  # sum over shapes of the second time again
    worst: float  # largest first / first time again of a shape, growth included
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
    return math.exp(sum(math.log(median(paired[i])) for i in still) / len(still))


def error_over_shapes(paired: dict[int, list[float]], still: list[int]) -> float:
    """Standard error of over_shapes(), from what single processes gave; NaN for fewer than three. It is a mean's; that of
    medians is no larger where single calls are disturbed.
    """
    by_process = [sum(map(math.log, ratios)) / len(still) for ratios in zip(*(paired[i] for i in still), strict=True)]
    return stdev(by_process) / math.sqrt(len(by_process)) if len(by_process) > 2 else math.nan


def grown_shapes(visits: list[int], rounds: list[dict[str, Any]]) -> set[int]:
    """Shapes in whose first call memory grew in most processes. All shapes of an engine whose memory grows with every one
    (OpenVINO) would be left out: then none is, since its stall cannot be distinguished from its growth.
    """
    count = dict.fromkeys(visits, 0)
    for run in rounds:
        for index, grew in split(visits, run["grew"])[0].items():
            count[index] += grew
    grown = {index for index, times in count.items() if 2 * times > len(rounds)}
    return grown if len(grown) < len(count) else set()


def figures(visits: list[int], rounds: list[dict[str, Any]]) -> Figures:
    """`rounds` has one entry a process, with its `call_ms` and `grew` per visit."""
    firsts: dict[int, list[float]] = {}
    again: dict[int, list[float]] = {}  # first / first time again that did not grow, of one process
    settled: dict[int, list[float]] = {}  # first / second time again
    laters: dict[int, list[float]] = {}
    events: list[tuple[int, float]] = []  # shape and time of a first call that grew
    for run in rounds:
        first, later = split(visits, run["call_ms"])
        grew_first, grew_later = split(visits, run["grew"])
        for index, value in first.items():
            steady = [ms for ms, grew in zip(later[index], grew_later[index], strict=True) if not grew]
            firsts.setdefault(index, []).append(value)
            again.setdefault(index, []).append(value / (steady or later[index])[0])
            settled.setdefault(index, []).append(value / later[index][1])
            laters.setdefault(index, []).append(later[index][1])
            if grew_first[index]:
                events.append((index, value))
    later_ms = {index: median(values) for index, values in laters.items()}
    grown = grown_shapes(visits, rounds)
    still = [index for index in again if index not in grown]
    return Figures(
        ratio=over_shapes(again, still),
        ratio_error=error_over_shapes(again, still),
        settled_ratio=over_shapes(settled, still),
        first=sum(median(values) for values in firsts.values()),
        revisit=sum(later_ms.values()),
        worst=max(median(values) for values in again.values()),
        growths=len(events) / len(rounds),
        growth_ms=sum(ms - later_ms[index] for index, ms in events) / len(rounds),
    )
