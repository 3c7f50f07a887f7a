# SPDX-License-Identifier: Apache-2.0
"""What the results of bench/operators.py say: figures, the worst lines, and the page docs/operators-speed.md."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "operators-speed.md"
TARGET, LEAST_US = 1.5, 50.0
Lines = dict[str, dict[str, Any]]


def merged(path: Path) -> Lines:
    """By name. A first turn replaces what there was; of the turns after it the one with the best ratio counts."""
    lines: Lines = {}
    if not path.exists():
        return lines
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        old = lines.get(line["name"])
        if old is None or line.get("turn", 0) == 0 or line.get("ratio", math.inf) < old.get("ratio", 0):
            lines[line["name"]] = line
    return lines


def worth(line: dict[str, Any]) -> bool:
    """Whether its time says more than what calling from Python costs."""
    return bool(max(line.get("us", 0), line.get("peer_us", 0)) >= LEAST_US)


def slow(lines: Lines) -> list[dict[str, Any]]:
    """Above the target, the worst first."""
    found = [line for line in lines.values() if line.get("ratio", 0) > TARGET and worth(line)]
    return sorted(found, key=lambda line: -line["ratio"])


def mean(lines: list[dict[str, Any]]) -> float:
    ratios = [line["ratio"] for line in lines if line.get("ratio")]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def summary(lines: Lines) -> str:
    every = list(lines.values())
    timed = [line for line in every if "us" in line]
    paired = [line for line in timed if "ratio" in line]
    counted = [line for line in paired if worth(line)]
    counts = Counter(kind for line in every for kind in ("refused", "died", "hung", "broken") if kind in line)
    return (
        f"{len(every)} lines, {len(paired)} beside ONNX Runtime, {len(timed) - len(paired)} that it has not; refused {counts['refused']}, "
        f"died {counts['died']}, hung {counts['hung']}, broken {counts['broken']}; of {len(counted)} of {LEAST_US:.0f} us and more: "
        f"geometric mean {mean(counted):.3f}, {len(slow(lines))} above {TARGET}; other values "
        f"{sum(bool(line.get('values')) for line in timed)}; on reference kernels {sum(line['reference'] for line in timed)}"
    )


def table(lines: Lines, count: int) -> str:
    rows = [
        f"{line['ratio']:7.2f} {line['name'][:70]:70s} {line['us']:10.1f} {line['peer_us']:10.1f}  {' '.join(line['kernels'])}"
        + (f"  VALUES: {line['values']}" if line.get("values") else "")
        for line in slow(lines)[:count]
    ]
    return "\n".join([f"{'ratio':>7s} {'line':70s} {'us':>10s} {'ORT us':>10s}  kernels", *rows, summary(lines)])


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def page(lines: Lines, measured: dict[str, Any]) -> str:
    timed = [line for line in lines.values() if "us" in line]
    counted = [line for line in timed if "ratio" in line and worth(line)]
    families = sorted({line["family"] for line in timed})
    flags = [flag for flag in measured["cpu"]["flags"] if "512" in flag or "amx" in flag]
    text = [
        "# Speed of operators",
        "",
        "<!-- Written by bench/operators.py --page. -->",
        "",
        "`bench/operators.py` runs every operator that is imported as a model of one node, in the element types, ranks, axes, layouts and",
        "sizes that people use, beside ONNX Runtime: one thread each, calls in turns in one process, the fastest call of each counts. A",
        "line that took more than 1.3 of ONNX Runtime's time was measured twice more, and its best ratio counts. Times contain what a call",
        f"from Python costs, so lines below {LEAST_US:.0f} us are no part of the figures.",
        "",
        f"On a virtual machine with {measured['cpu']['cores']} cores ({' '.join(flags) or 'AVX2'}) that other programs shared, commit",
        f"{measured['commit']}: {summary(lines)}.",
        "",
        "| family | lines | beside ONNX Runtime | geometric mean | above 1.5 |",
        "|---|---|---|---|---|",
    ]
    for family in families:
        own = {line["name"]: line for line in timed if line["family"] == family}
        pairs = [line for line in own.values() if line in counted]
        average = f"{mean(pairs):.2f}" if pairs else "-"
        text.append(f"| {family} | {len(own)} | {len(pairs)} | {average} | {len(slow(own))} |")
    text += [
        "",
        f"## Lines above {TARGET} of ONNX Runtime's time",
        "",
        "| line | us | ONNX Runtime us | ratio | kernels |",
        "|---|---|---|---|---|",
    ]
    for line in slow(lines):
        named = " ".join(f"`{k}`" for k in line["kernels"])
        text.append(
            f"| {cell(line['name'])} | {line['us']:.0f} | {line['peer_us']:.0f} | {line['ratio']:.1f} | {named} |"
        )
    plain = sorted(
        {(line["op"], k) for line in timed if line["reference"] for k in line["kernels"] if "reference" in k}
    )
    text += [
        "",
        "## Operators with lines on a reference kernel",
        "",
        "A reference kernel is a plain loop.",
        "",
        "| operator | kernel | lines | the slowest, us |",
        "|---|---|---|---|",
    ]
    for op, kernel in plain:
        own_lines = [line for line in timed if line["op"] == op and kernel in line["kernels"]]
        text.append(f"| {op} | `{kernel}` | {len(own_lines)} | {max(line['us'] for line in own_lines):.0f} |")
    return "\n".join(text) + "\n"


def write_page(lines: Lines) -> None:
    PAGE.write_text(page(lines, machine.describe()), encoding="utf-8")
