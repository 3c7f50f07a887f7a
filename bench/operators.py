# SPDX-License-Identifier: Apache-2.0
"""Every operator that is imported, alone beside ONNX Runtime: element types, ranks, axes, layouts and sizes that people use, some 4,000
models of one operator, one thread, the engines' calls in turns in one process. No line should take more than 1.5 of ONNX Runtime's time
where that is 50 us and more, and none should run on a reference kernel.

  python bench/operators.py                        all of them, 15 to 25 minutes; lines that look slow are measured twice more
  python bench/operators.py --only 'Resize.*axis'  those whose names match the regular expression
  python bench/operators.py --family movers        one family; --list says which there are, and the names of the cases
  python bench/operators.py --resume               goes on with a run that was ended
  python bench/operators.py --slow                 after a change: lines that were slow, refused or on a reference kernel, those alone
  python bench/operators.py --worst 40             no measuring: the worst 40 lines of what was measured
  python bench/operators.py --page build/operators.jsonl    writes docs/operators-speed.md
  python bench/operators.py --missing              imported operators that have no case, and those that need none, with reasons

Results are lines of JSON in build/operators.jsonl; a later measurement of a case replaces the older one. Values are compared: a line that
says VALUES is an error of one of the engines. A case that ends the process or hangs is a line, too, and the run goes on. The models of
bench/kernels.py are part of it: that program compares element types with float32, this one compares with ONNX Runtime."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kernels
import operator_elements
import operator_lines
import operator_movers
import operator_others
import operator_products
import operator_windows
from kernel_case import Case
from operator_measure import SECONDS, Worker, serve
from operator_page import TARGET, merged, summary, table, worth, write_page

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "operators.jsonl"
AGAIN = 1.3  # lines above this share of ONNX Runtime's time are measured again
MODULES = (operator_elements, operator_lines, operator_movers, operator_windows, operator_products, operator_others)
FAMILIES = {name: make for module in MODULES for name, make in module.FAMILIES.items()} | {
    f"million {part.__name__}": part for part in kernels.PARTS
}
# Imported operators without a case.
EXCEPTIONS = {
    "CastMap": "its input is a map of a Python program, which numpy has not",
    "DictVectorizer": "its input is a map of a Python program, which numpy has not",
    "ZipMap": "its result is a sequence of maps, whose making in Python would be what is measured",
    "Constant": "it is computed when a model is loaded",
}
# Lines whose values are known to differ, by the names' regular expression.
EXPLAINED = {
    "^Gather string": "ONNX Runtime leaves all but the first text of a slice empty",
    "^DFT float32 10": "ONNX Runtime's lengths that are no power of two err by 0.02; numpy's FFT and ours agree within 4e-6",
    "^ReduceSumSquare float32 1x1000000": "one chain of a million additions errs by 338 in ONNX Runtime, ours by 0.004",
    "^ReduceProd int": "products that overflow wrap, as numpy's do; in ONNX Runtime they saturate",
    "level 4$": "accuracy_level 4 rounds the rows to 8 bits in ONNX Runtime",
    "^DynamicQuantizeLSTM": "ONNX Runtime rounds each step's state to 8 bits",
}


def cases() -> Iterator[tuple[str, Case]]:
    """Each with its family; of cases of one name the first."""
    seen = set()
    for family, make in FAMILIES.items():
        for case in make():
            if case.name not in seen:
                seen.add(case.name)
                yield family, case


def missing() -> list[str]:
    """Imported operators that have neither a case nor a reason."""
    sys.path.insert(0, str(ROOT / "tools"))
    from operators_page import operators

    covered = {(case.domain, case.op) for _, case in cases()} | {
        ("", node) for _, case in cases() if case.nodes for node in case.op.split("+")
    }
    return [
        f"{op.domain or 'ai.onnx'} {op.name}"
        for op in operators()
        if (op.domain, op.name) not in covered and op.name not in EXCEPTIONS
    ]


def shown(line: dict[str, Any]) -> str:
    if "us" not in line:
        kind = next((k for k in ("refused", "died", "hung", "broken") if k in line), "?")
        return f"{kind.upper() if kind != 'refused' else kind}: {line['name']}: {str(line[kind])[:120]} {line.get('said', '')}"
    peer = f"{line['peer_us']:10.1f} {line['ratio']:7.2f}" if "peer_us" in line else f"{'-':>10s} {'-':>7s}"
    wrong = f"  VALUES: {line['values']}" if line.get("values") else ""
    return f"{line['name'][:64]:64s} {line['us']:10.1f} {peer}  {' '.join(line['kernels'])}{wrong}"


def is_poor(line: dict[str, Any]) -> bool:
    """Whether it could be better than what was measured; what was not measured could, too."""
    return "us" not in line or bool(line["reference"] or (line.get("ratio", 0) > AGAIN and worth(line)))


def run(named: list[tuple[str, Case]], options: argparse.Namespace) -> None:
    worker = Worker(options.limit, options.seconds)
    begin = time.monotonic()

    def one(family: str, name: str, turn: int) -> dict[str, Any]:
        line: dict[str, Any] = {"family": family, "turn": turn} | worker.measure(name)
        why = next((why for pattern, why in EXPLAINED.items() if re.search(pattern, name)), None)
        if line.get("values") and why:
            line["values"], line["explained"] = "", why
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return line

    again = []
    for i, (family, case) in enumerate(named):
        line = one(family, case.name, 0)
        if line.get("ratio", 0) > AGAIN and worth(line):
            again.append((family, case.name))
        if options.verbose or "us" not in line or line.get("values") or line.get("ratio", 0) > TARGET:
            print(shown(line), flush=True)
        if i % 100 == 99:
            left = (time.monotonic() - begin) / (i + 1) * (len(named) - i - 1)
            print(f"-- {i + 1} of {len(named)}, {left / 60:.0f} minutes more", flush=True)
    for turn in range(1, options.again + 1):
        print(f"-- {len(again)} lines once more, turn {turn} of {options.again}", flush=True)
        for family, name in again:
            one(family, name, turn)
    worker.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default="", help="regular expression of names")
    parser.add_argument(
        "--family", nargs="+", default=[], metavar="WORD", help="families whose names hold one of these words"
    )
    parser.add_argument("--resume", action="store_true", help="leave out what the results have")
    parser.add_argument(
        "--slow", action="store_true", help="measure again what the results call slow, refused or on a reference kernel"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of calls of each engine (default {SECONDS})")
    parser.add_argument(
        "--limit", type=float, default=40, help="seconds after which a case counts as hung (default 40)"
    )
    parser.add_argument("--again", type=int, default=2, metavar="N", help="more turns for slow lines (default 2)")
    parser.add_argument("--verbose", action="store_true", help="print every line, not the slow ones alone")
    parser.add_argument("--worst", type=int, metavar="N", help="print the worst N lines of the results")
    parser.add_argument("--page", type=Path, metavar="RESULT", help="write docs/operators-speed.md")
    parser.add_argument("--list", action="store_true", help="families and names")
    parser.add_argument("--missing", action="store_true", help="operators without a case")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve({case.name: case for _, case in cases()}, options.serve)
        return 0
    if options.missing:
        print("\n".join([*missing(), *(f"none needed: {op}: {why}" for op, why in EXCEPTIONS.items())]))
        return 0
    if options.page:
        write_page(merged(options.page))
        return 0
    if options.worst:
        print(table(merged(options.results), options.worst))
        return 0
    named = [
        (family, case)
        for family, case in cases()
        if re.search(options.only, case.name) and (not options.family or any(w in family for w in options.family))
    ]
    if options.list:
        print("\n".join(f"{family}: {case.name}" for family, case in named))
        return 0
    options.results.parent.mkdir(parents=True, exist_ok=True)
    if options.resume:
        done = merged(options.results)
        named = [(family, case) for family, case in named if case.name not in done]
    if options.slow:
        before = merged(options.results)
        named = [(family, case) for family, case in named if is_poor(before.get(case.name, {}))]
    run(named, options)
    print(summary(merged(options.results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
