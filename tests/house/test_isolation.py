# SPDX-License-Identifier: Apache-2.0
"""Files built for one instruction set share no inline or template symbol with the rest of the library.

The linker keeps one copy of each weak symbol, whichever it meets first. If a file compiled with -mavx512f emitted a weak
copy of, say, std::min, baseline code might call it and die on a CPU without AVX-512.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from instruction_sets import set_of_file  # noqa: E402

OBJECTS = sorted(
    path
    for path in (ROOT / "build" / "CMakeFiles" / "anydim_core.dir").rglob("*.cpp.o")
    if (found := set_of_file(path.name.removesuffix(".o"))) and found.name != "portable"
)
# Data, not instructions, and the same from every file: type names, and the hidden pointer to the C++ runtime's personality
# routine that unwinding tables refer to.
DATA = ("typeinfo", "vtable for anydim::Kernel", "DW.ref.")
WEAK_CODE = set("WVwu")


def weak_symbols(path: Path) -> list[str]:
    table = subprocess.run(["nm", "-C", "--defined-only", str(path)], check=True, capture_output=True, text=True).stdout
    rows = [line.split(maxsplit=2) for line in table.splitlines()]
    return [row[2] for row in rows if len(row) == 3 and row[1] in WEAK_CODE]


def test_the_build_has_files_for_single_instruction_sets() -> None:
    assert OBJECTS, "no objects of sets under build/: build first, or the CMake target was renamed"


@pytest.mark.parametrize("path", OBJECTS, ids=lambda p: p.name)
def test_no_weak_code_in_files_for_one_instruction_set(path: Path) -> None:
    code = [name for name in weak_symbols(path) if not name.startswith(DATA)]
    assert not code, f"{path.name} defines weak symbols that the linker may keep for everybody: {code[:8]}"
