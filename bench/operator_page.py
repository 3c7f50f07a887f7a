# SPDX-License-Identifier: Apache-2.0
"""What the results of bench/operators.py say: figures, the worst lines, and the page docs/operators-speed.md."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import machine

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "operators-speed.md"
TARGET, LEAST_US = 1.5, 50.0
# Lines whose values are known to differ, by the names' regular expression.
EXPLAINED = {
    "^Gather string": "ONNX Runtime leaves all but the first text of a slice empty",
    "^DFT float32 10": "ONNX Runtime's transforms of lengths that are no power of two err by 0.02; numpy's and ours agree within 4e-6",
    "^ReduceSumSquare float32 1x1000000": "one chain of a million additions errs by 338 in ONNX Runtime, ours by 0.004",
    "^(ReduceProd|Pow) int": "numbers that overflow wrap, as numpy's do; in ONNX Runtime they saturate or are what doubles give",
    "^Cast float.* uint": "numbers below 0 become 0; in ONNX Runtime they wrap",
    "^Resize .* nearest": "scales that binary32 has not exactly (0.7): coordinates in binary64 lie beside a tie, in binary32 on it",
    "^Resize float32 .* thumbnail": "coordinates in binary64; in binary32 they are 1e-4 of an element beside it at a picture's far side",
    "^DynamicQuantizeLSTM": "ONNX Runtime rounds each step's state to 8 bits",
}
# Why lines stay above the target, by the names' regular expression.
SLOW = {
    "^MelWeightMatrix": "constants in models, where it is made at loading; here it is eight small steps on what comes with the run",
    "^QLinearGlobalAveragePool": "a mean of real numbers in the written order of sums; ONNX Runtime adds the bytes, whose sums are others",
    "RotaryEmbedding": "written out by eight kernels, some of which cost their call; a kernel of its own would be one",
    "^SVM(Regressor|Classifier)": "products with support vectors are binary64 (coefficients of thousands), ONNX Runtime's binary32",
    "^BatchNormalization float64 training": "five steps, since chains of f64 are not fused",
    "^(BatchNormalization|AffineGrid) float64": "a product and a sum, which are two steps: chains of f64 are not fused",
    "^BatchNormalization .* training": "mean and variance are reductions by themselves, so x is read four times",
    "^MatMul float(32|16)": "a product of four columns of k: less work than the tiles' own beginning",
    "^Pow float32 by 3": "in binary64 and rounded once; ONNX Runtime multiplies in binary32",
    "^RMSNormalization": "written out: the mean of squares, its root and the products pass over x one after the other",
    "^TopK int64": "one element after the other; the best of 32 bits are found by vectors",
    "^(Tile|Conv|FusedConv) ": "just above: single measurements lay on both sides",
    "^Cum(Sum|Prod)": "one chain for each line, and the memory of both sides",
    "^MaxPool .* indices": "sixteen windows at a time, whose places are 64 bits each",
    "^(MaxPool|AveragePool)": "kernels have channels side by side; the copies there and back are half of the time",
    "^StringSplit": "pieces are counted first and cut then, since the number of columns follows from the data",
    "^Cast (int32|int64) string": "half of it is Python's strings",
    "^TfIdfVectorizer": "a row's grams are looked up one by one; whether there is one is a guess each time",
    "^(Quantize|Dequantize)Linear .* blocks": "scales in blocks are steps of their own: conversion, zero points, scales",
    "^TreeEnsemble": "leaves have a weight of one class: which classes were met is counted, too (decision 134)",
    "^LpNormalization": "lines of norm 0 are chosen in a pass of their own",
    "^(Greater|Less|Equal|Mul)": "a number for each row is laid out for the row first",
}
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


def why_other(line: dict[str, Any]) -> str:
    """Why its values may differ; empty: they should not."""
    return next((why for pattern, why in EXPLAINED.items() if re.search(pattern, line["name"])), "")


def why_slow(line: dict[str, Any]) -> str:
    """Why it stays above the target; empty: nobody has said."""
    return next((why for pattern, why in SLOW.items() if re.search(pattern, line["name"])), "")


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
    unknown = sum(bool(line.get("values")) and not why_other(line) for line in timed)
    plain = sum(line["reference"] for line in timed)
    return (
        f"{len(every)} lines, {len(paired)} beside ONNX Runtime, {len(timed) - len(paired)} that it has not; refused {counts['refused']}, "
        f"died {counts['died']}, hung {counts['hung']}, broken {counts['broken']}; of {len(counted)} of {LEAST_US:.0f} us and more: "
        f"geometric mean {mean(counted):.3f}, {len(slow(lines))} above {TARGET}; other values without a known reason {unknown}; on "
        f"reference kernels {plain}"
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


def without_set(kernel: str) -> str:
    """A kernel's name without its instruction set, which is the machine's."""
    return re.sub(r"\.(avx512|avx2|portable)$", "", kernel)


def page(lines: Lines, measured: dict[str, Any]) -> str:
    timed = [line for line in lines.values() if "us" in line]
    counted = [line for line in timed if "ratio" in line and worth(line)]
    families = sorted({line["family"] for line in timed})
    flags = [flag for flag in measured["cpu"]["flags"] if "512" in flag or "amx" in flag]
    what = (
        "`bench/operators.py` runs every operator that is imported as a model of one node, in the element types, ranks, axes, layouts "
        "and sizes that people use, beside ONNX Runtime: one thread each, calls that alternate in one process, the processor time of the "
        "fastest call of each counts. A line that took more than 1.3 of ONNX Runtime's time was measured again, and its best ratio "
        f"counts. Times contain what a call from Python costs, so lines below {LEAST_US:.0f} us are no part of the figures. "
        "Lines that were not measured again since an earlier commit keep its figures."
    )
    found = (
        f"On a virtual machine with {measured['cpu']['cores']} cores ({' '.join(flags) or 'AVX2'}) that other programs shared, commit "
        f"{measured['commit']}: {summary(lines)}."
    )
    text = ["# Speed of operators", "", "<!-- Written by bench/operators.py --page. -->", ""]
    text += [*textwrap.wrap(what, 118), "", *textwrap.wrap(found, 118), ""]
    text += ["| family | lines | beside ONNX Runtime | geometric mean | above 1.5 |", "|---|---|---|---|---|"]
    for family in families:
        own = {line["name"]: line for line in timed if line["family"] == family}
        pairs = [line for line in own.values() if line in counted]
        average = f"{mean(pairs):.2f}" if pairs else "-"
        text.append(f"| {family} | {len(own)} | {len(pairs)} | {average} | {len(slow(own))} |")
    text += [
        "",
        f"## Lines above {TARGET} of ONNX Runtime's time",
        "",
        "| line | us | ONNX Runtime us | ratio | kernels | why |",
        "|---|---|---|---|---|---|",
    ]
    for line in slow(lines):
        named = ", ".join(sorted({without_set(k) for k in line["kernels"]}))
        text.append(
            f"| {cell(line['name'])} | {line['us']:.0f} | {line['peer_us']:.0f} | {line['ratio']:.1f} | {named} | "
            f"{cell(why_slow(line))} |"
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
        text.append(f"| {op} | {kernel} | {len(own_lines)} | {max(line['us'] for line in own_lines):.0f} |")
    text += ["", "## Values that differ from ONNX Runtime's", "", "| lines | why |", "|---|---|"]
    other = Counter(
        why_other(line) or f"unknown: {line['name']}: {line['values']}" for line in timed if line.get("values")
    )
    text += [f"| {count} | {cell(why)} |" for why, count in sorted(other.items())]
    return "\n".join(text) + "\n"


def write_page(lines: Lines) -> None:
    PAGE.write_text(page(lines, machine.describe()), encoding="utf-8")
