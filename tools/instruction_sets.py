# SPDX-License-Identifier: Apache-2.0
"""The instruction sets, from the list that CMake and C++ read, too: core/base/instruction_sets.def."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "core" / "base" / "instruction_sets.def"
ROW = re.compile(r'^ANYDIM_(SET|EXTENSION)\((\w+), (\w+), (\w+), (\w+), "([^"]*)"((?:, \w+)*)\)', re.MULTILINE)
FEATURE = re.compile(r"^ANYDIM_FEATURE\((\w+), (\w+),", re.MULTILINE)


@dataclass(frozen=True)
class InstructionSet:
    name: str
    processor: str  # any, x86 or arm
    base: str  # the set that it adds to
    suffix: str  # of its files
    flags: tuple[str, ...]  # its own
    features: tuple[str, ...]  # its own
    has_vectors: bool  # of its own, and a place in the library


def instruction_sets() -> list[InstructionSet]:
    """In the order by which ANYDIM_MAX_ISA lowers."""
    return [
        InstructionSet(
            name, processor, base, suffix, tuple(flags.split()), tuple(re.findall(r"\w+", features)), kind == "SET"
        )
        for kind, name, processor, base, suffix, flags, features in ROW.findall(LIST.read_text(encoding="utf-8"))
    ]


def features() -> list[str]:
    return [name for name, _ in FEATURE.findall(LIST.read_text(encoding="utf-8"))]


def set_of_file(name: str) -> InstructionSet | None:
    """The set that a file of this name is compiled for; the longest suffix counts."""
    found = [s for s in instruction_sets() if re.search(rf"_{s.suffix}\.cpp$", name)]
    return max(found, key=lambda s: len(s.suffix), default=None)
