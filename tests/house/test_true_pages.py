# SPDX-License-Identifier: Apache-2.0
"""What pages and comments state and can be checked: counts, files that comments name, the list of decisions."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
STATUS = re.compile(r"holds|replaced by \[\d{3}\]|measured, not done")
NAME = re.compile(
    r"(?<![\w./<>*$}{-])((?:[\w-]+/)*[\w-]+(?:\.inl)?\.(?:h|hpp|cpp|c|py|md|toml|yaml|cmake|cl))(?![\w(*])"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|\"\"\".*?\"\"\"", re.DOTALL | re.MULTILINE)
C_SUFFIXES = {".h", ".hpp", ".c", ".cpp"}
# Files of users, and files that a program makes or reads from elsewhere.
NOT_OURS = {"app.py", "anydim_sqlite.h", "NUMBER.cl", "h.md"}


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0 or not listed.stdout:
        pytest.skip("git says which files are the project's, and this is no checkout")
    return listed.stdout.splitlines()


def named_in_comments(text: str, suffix: str) -> Iterator[str]:
    for comment in COMMENT.findall(text):
        if not (suffix in C_SUFFIXES and comment.lstrip().startswith("#")):  # a directive
            yield from NAME.findall(comment)


def test_files_that_comments_name_are_there() -> None:
    files = tracked()
    ends = {"/".join(parts[i:]) for parts in (name.split("/") for name in files) for i in range(len(parts))}
    wrong = []
    for name in files:
        path = ROOT / name
        if path.suffix not in {*C_SUFFIXES, ".py", ".rs", ".java", ".cmake", ".yaml"} or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        if path == Path(__file__).resolve() or "Generated" in text[:300]:
            continue
        missing = set(named_in_comments(text, path.suffix)) - ends - NOT_OURS
        wrong += [f"{name} names {other}" for other in sorted(missing)]
    assert not wrong, "\n".join(wrong)


def test_a_comment_that_names_no_file_is_found() -> None:
    assert list(named_in_comments("// See no_such_file.h.\n", ".cpp")) == ["no_such_file.h"]
    assert not list(named_in_comments('#include "a/b.h"\n', ".cpp"))


def test_pages_state_how_many_functions_are_stable() -> None:
    described = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "capi" / "api").glob("*.yaml")))
    count = len(re.findall(r"^\s*lifecycle: stable since", described, re.MULTILINE))
    assert count > 40, "hardly any stable function was found: capi/api is written otherwise"
    for page in ("promises.md", "versions.md"):
        stated = re.findall(r"(\d+) functions are stable", (ROOT / "docs" / page).read_text(encoding="utf-8"))
        assert stated == [str(count)], f"docs/{page}: {stated}; capi/api has {count}"


def test_the_list_of_decisions_has_every_page_once_with_its_title_and_status() -> None:
    rows = re.findall(
        r"^\| \[(\d{3}) ([^\]]+)\]\(([\w.-]+)\) \| (.+) \| (\d{4}-\d\d-\d\d) \|$",
        (DECISIONS / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    pages = sorted(path.name for path in DECISIONS.glob("*.md") if path.name != "README.md")
    assert sorted(name for _, _, name, _, _ in rows) == pages
    for number, title, name, status, _ in rows:
        first = (DECISIONS / name).read_text(encoding="utf-8").splitlines()[0]
        assert first == f"# {number} {title}", f"{name} begins with {first!r}; the list says {title!r}"
        assert name.startswith(f"{number}-")
        assert STATUS.match(status), f"{name}: {status!r} is no status"
