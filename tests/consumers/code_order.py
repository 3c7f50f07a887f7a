# SPDX-License-Identifier: Apache-2.0
"""The order of the code in what ships, the shared library and the Python module: kernels of each instruction set lie together
between their marks (core/base/memory/code_marks/marks.h), and what only loads models lies behind them. Where a linker loses that order nothing
goes wrong, but each process keeps 2 MB of code in memory that it never runs.

  code_order.py LIBANYDIM.SO _CAPI.SO      objects with their symbols, not stripped
  code_order.py --prove                    the check itself: it must refuse lists of symbols out of order
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from instruction_sets import instruction_sets  # noqa: E402

SETS = [s.name for s in instruction_sets() if s.has_vectors and s.processor in ("any", "x86")]
MARKS = (*SETS, "loading", "end")
# Functions that lie between a mark and the next: what lies in the namespace of an instruction set with instructions of its own, and the
# reader of ONNX files.
MEMBERS = {
    name: re.compile(rf"^(?:\w[\w:*& ]* )?anydim::{name}::\(anonymous namespace\)::")
    for name in SETS
    if name != "portable"
}
COLD = re.compile(r"::pack_column\(")  # with an attribute that says so: they lie with what rarely runs
MEMBERS["loading"] = re.compile(r"^anydim::onnx::\(anonymous namespace\)::\w+\(")
FEWEST = 8
SMALLEST = 100_000  # bytes between two marks; less would mean that the linker gathered the marks themselves


class Symbol(NamedTuple):
    address: int
    name: str


def symbols_of(library: Path) -> list[Symbol]:
    listing = subprocess.run(
        ["nm", "--demangle", "--defined-only", str(library)], check=True, capture_output=True, text=True
    ).stdout
    fields = (line.split(maxsplit=2) for line in listing.splitlines())
    # Parts of functions that a compiler cut off because they rarely run, [clone .cold], lie in a section of their own.
    return [Symbol(int(address, 16), name) for address, kind, name in fields if kind in "tT" and "[clone" not in name]


def complaint(symbols: list[Symbol]) -> str | None:
    """What is wrong with the order, or None."""
    found = {m[1]: s.address for s in symbols if (m := re.search(r"\bcode_mark_(\w+)\(\)$", s.name))}
    if missing := set(MARKS) - set(found):
        return f"no mark {', '.join(sorted(missing))}: has the object been stripped?"
    marks = [found[name] for name in MARKS]
    for name, begin, end in zip(MARKS[:-1], marks[:-1], marks[1:], strict=True):
        if end - begin < SMALLEST:
            return f"only {end - begin} bytes between the mark {name} and the next, not {SMALLEST} and more"
    for name, pattern in MEMBERS.items():
        begin, end = marks[MARKS.index(name)], marks[MARKS.index(name) + 1]
        members = [s for s in symbols if pattern.search(s.name) and not COLD.search(s.name)]
        if len(members) < FEWEST:
            return f"only {len(members)} functions are known as {name}"
        if strangers := [s.name for s in members if not begin <= s.address < end]:
            return f"{len(strangers)} of {len(members)} functions of {name} lie elsewhere, such as {strangers[0]}"
    return None


def prove() -> None:
    """An object in order passes; one whose files the linker took in its own order does not, nor one without symbols."""
    good = [Symbol(i * SMALLEST, f"anydim::code_mark_{name}()") for i, name in enumerate(MARKS)]
    good += [
        Symbol(SMALLEST + i, f"anydim::avx2::(anonymous namespace)::f{i}(anydim::Job const&)") for i in range(FEWEST)
    ]
    good += [
        Symbol(2 * SMALLEST + i, f"anydim::avx512::(anonymous namespace)::f{i}(anydim::Job const&)")
        for i in range(FEWEST)
    ]
    good += [Symbol(3 * SMALLEST + i, f"anydim::onnx::(anonymous namespace)::{i}()") for i in range(FEWEST)]
    assert complaint(good) is None, complaint(good)
    for wrong in (
        [],
        good[1:],  # no mark
        good[:-1],  # too few functions to say anything
        [s if "mark_avx512" not in s.name else s._replace(address=SMALLEST + FEWEST) for s in good],
        [s if "avx512::(anonymous namespace)::f3(" not in s.name else s._replace(address=0) for s in good],
        [s if "::3()" not in s.name else s._replace(address=5 * SMALLEST) for s in good],
    ):
        assert complaint(wrong) is not None, wrong
    print("the check refuses six lists of symbols that are out of order or say too little")


def main() -> int:
    if sys.argv[1:] == ["--prove"]:
        prove()
        return 0
    wrong = False
    for library in map(Path, sys.argv[1:]):
        found = complaint(symbols_of(library))
        print(f"{library.name}: {found or 'in order'}")
        wrong = wrong or found is not None
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
