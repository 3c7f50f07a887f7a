# SPDX-License-Identifier: Apache-2.0
"""Every source file begins by saying what it is for, and none is longer than a reader keeps in mind."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES = 550  # meant are 500; a file that is about to have two purposes is cut before it has them
GENERATED = re.compile(r"^(?:/\*|//|#) Generated from", re.MULTILINE)
LONGER: dict[str, str] = {}  # file: why
C_COMMENT, COMMENT = re.compile(r"^\s*(?://!?|/\*|\*)+ ?"), re.compile(r"^#+ ?")


def sources() -> list[Path]:
    """C, C++, Python, Rust, Java, CMake and shell files and the API's description, without what is generated."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0 or not listed.stdout:
        pytest.skip("which files are the project's is told by git, and this is no checkout")
    found = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and (
            path.suffix in {".h", ".hpp", ".c", ".cpp", ".py", ".rs", ".java", ".cmake", ".sh", ".yaml"}
            or path.name == "CMakeLists.txt"
        ):
            if not GENERATED.search(path.read_text(encoding="utf-8")[:500]):
                found.append(path)
    assert len(found) > 400, "hardly any source was found"
    return found


def purpose(path: Path, text: str) -> str:
    """What stands in the comment or docstring at the top, without the licence."""
    if path.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    comment = C_COMMENT if path.suffix in {".h", ".hpp", ".c", ".cpp", ".rs", ".java"} else COMMENT
    said = []
    for line in text.splitlines():
        if not comment.match(line):
            break
        said.append(comment.sub("", line))
    told = " ".join(line for line in said if "SPDX" not in line).strip()
    # The file of bodies may leave it to the header beside it, which has to say it.
    header = re.fullmatch(r"See (\w+\.h)\.", told)
    beside = path.with_name(header.group(1)) if header else path
    return purpose(beside, beside.read_text(encoding="utf-8")) if beside != path and beside.is_file() else told


def test_every_file_begins_with_the_licence_and_what_it_is_for() -> None:
    wrong = []
    for path in sources():
        text = path.read_text(encoding="utf-8")
        if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:2]):
            wrong.append(f"{path.relative_to(ROOT)}: no licence")
        elif len(purpose(path, text).split()) < 3:
            wrong.append(f"{path.relative_to(ROOT)}: no purpose ({purpose(path, text)!r})")
    assert not wrong, "\n".join(wrong)


def test_no_file_is_longer_than_a_reader_keeps_in_mind() -> None:
    count = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}
    long = {name: lines for name, lines in count.items() if lines > LINES and name not in LONGER}
    assert not long, f"more than {LINES} lines: {long}"
    needless = [name for name in LONGER if count.get(name, 0) <= LINES]
    assert not needless, f"exceptions that are none: {needless}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.cpp",
            "// SPDX-License-Identifier: Apache-2.0\n#include <vector>\n// A comment that comes too late to count.\n",
        ),
        ("a.py", "# SPDX-License-Identifier: Apache-2.0\nimport sys\n"),
    ],
)
def test_a_file_that_says_nothing_is_found(name: str, text: str) -> None:
    assert len(purpose(Path(name), text).split()) < 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.cpp", "// SPDX-License-Identifier: Apache-2.0\n// What this is for, in a line.\n#include <vector>\n"),
        ("a.c", "/* SPDX-License-Identifier: Apache-2.0\n * What this is for, in a line. */\nint x;\n"),
        ("a.py", '# SPDX-License-Identifier: Apache-2.0\n"""What this is for, in a line."""\n'),
    ],
)
def test_a_file_that_says_what_it_is_for_is_let_be(name: str, text: str) -> None:
    assert purpose(Path(name), text).startswith("What this is for, in a line.")
