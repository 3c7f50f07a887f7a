# SPDX-License-Identifier: Apache-2.0
"""Instruction sets are said in one list, and what is compiled for them is exposed in one way (core/kernels/sets.h): as static members,
named after their sets, of a struct in the family's header."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from instruction_sets import features, instruction_sets, set_of_file  # noqa: E402

KERNELS = ROOT / "core" / "kernels"
NAMES = [s.name for s in instruction_sets()]
SUFFIXES = {s.suffix for s in instruction_sets()}
FILES = sorted(p for p in KERNELS.rglob("*.cpp") if set_of_file(p.name) and "testing" not in p.parts)
HEADERS = sorted(p for p in KERNELS.rglob("*.h"))


def test_the_list_is_read() -> None:
    assert {"portable", "avx2", "avx512", "amx", "neon"} <= set(NAMES) and len(features()) > 10
    assert len(FILES) > 60
    for s in instruction_sets():
        assert s.base in [*NAMES, "none"] and set(s.features) <= set(features())
        assert s.has_vectors == (s.suffix == s.name)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(KERNELS)))
def test_a_file_of_a_set_defines_members_that_are_named_after_it(path: Path) -> None:
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    found = set_of_file(path.name)
    assert found is not None
    # Everything else lies in an unnamed namespace, within that of the vectors.
    outside = re.sub(r"namespace \{\n.*?\n\}  ?\n", "", text, flags=re.DOTALL)
    members = re.findall(
        r"\b(\w+)::(\w+)(?=\(| = )", "\n".join(re.findall(r"^(?:constinit|[\w:*& ]+ )[^\n]*", outside, re.MULTILINE))
    )
    exposed = {member for part, member in members if part[0].isupper() and member in NAMES}
    wanted = {s.name for s in instruction_sets() if s.suffix == found.suffix} | (
        {"amx"} if found.name == "avx512_vnni" else set()
    )
    assert exposed and exposed <= wanted, f"{path.name} defines {sorted(exposed)}; its set is {found.name}"
    assert not re.search(r"\bextern\b", text)


def test_headers_expose_members_and_nothing_else() -> None:
    """No `extern` constant, no accessor and no function with the name of a set in its own."""
    wrong = []
    for path in HEADERS:
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for s in NAMES:
            if re.search(rf"^[^#\n]*\b\w+_{s}\(", text, re.MULTILINE) or re.search(
                rf"extern const [^;]*\b\w*{s}\b", text, re.IGNORECASE
            ):
                wrong.append(f"{path.relative_to(ROOT)}: {s}")
    allowed = {"core/kernels/simd"}
    assert not [w for w in wrong if not any(w.startswith(a) for a in allowed)], wrong


def test_bodies_are_headers_of_their_own() -> None:
    """They lie in their set's namespace, and are included outside of any."""
    for path in sorted(KERNELS.rglob("*.inl.h")):
        text = path.read_text(encoding="utf-8")
        assert "#pragma once" in text, path
        assert "namespace anydim" in text, path
    wrong = []
    for path in sorted([*KERNELS.rglob("*.cpp"), *KERNELS.rglob("*.h")]):
        depth = 0
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"namespace [\w:]* ?\{|namespace \{", line):
                depth += 1
            elif line.startswith("}  // namespace"):
                depth -= 1
            elif depth > 0 and line.startswith('#include "core/') and not line.endswith('instruction_sets.def"'):
                wrong.append(f"{path.relative_to(ROOT)}:{number}")
    assert not wrong, wrong


def test_the_page_of_the_environment_names_all_of_them() -> None:
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `ANYDIM_MAX_ISA`"))
    missing = [name for name in [*NAMES, *features()] if f"`{name}`" not in row]
    assert not missing, missing
