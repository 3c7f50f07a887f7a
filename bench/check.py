# SPDX-License-Identifier: Apache-2.0
"""Holds the latest results in bench/results/ against the targets in bench/targets.json and says what falls short.

Exit status 0 when every target has a result and is met, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    """One figure of Anydim's and the most that it may be."""

    label: str
    value: float
    limit: float

    @property
    def met(self) -> bool:
        return self.value <= self.limit  # a NaN is not


def latest(folder: Path, kind: str) -> dict[str, Any] | None:
    files = sorted(folder.glob(f"{kind}-*.json"))
    return json.loads(files[-1].read_text(encoding="utf-8")) if files else None


def cases(target: dict[str, Any], document: dict[str, Any]) -> Iterator[Case]:
    if target["kind"] == "speed":
        for stream in document["streams"]:
            figures = stream["figures"]
            if "anydim" not in figures or target["peer"] not in figures:
                continue
            limit = target["factor"] * figures[target["peer"]][target["peer_figure"]] + target["plus"]
            label = f"{stream['model']} {stream['order']}, {stream['threads']} thread(s)"
            yield Case(label, figures["anydim"][target["figure"]], limit)
        return
    for row in document["rows"]:
        # Peers stand in the same table for comparison; the targets are ours.
        if row.get("engine", "anydim in C") == "anydim in C" and row.get(target["figure"]) is not None:
            yield Case(row.get("order", row.get("what", "")), row[target["figure"]], target["at_most"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--targets", type=Path, default=HERE / "targets.json")
    options = parser.parse_args()
    short = missing = 0
    for target in json.loads(options.targets.read_text(encoding="utf-8"))["targets"]:
        document = latest(options.results, target["kind"])
        found = list(cases(target, document)) if document else []
        print(f"\n{target['name']}  ({target['from']})")
        if not found:
            print("  no result: make bench")
            missing += 1
            continue
        assert document
        print(f"  measured {document['machine']['when']} at {document['machine']['commit']}")
        for case in found:
            short += not case.met
            word = "met  " if case.met else "SHORT"
            print(f"  {word} {case.label:<32} {case.value:>10.3f}   at most {case.limit:.3f}")
    print()
    if short or missing:
        print(f"verdict: {short} figures fall short, {missing} targets have no result")
        return 1
    print("verdict: every target is met")
    return 0


if __name__ == "__main__":
    sys.exit(main())
