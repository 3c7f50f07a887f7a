# SPDX-License-Identifier: Apache-2.0
"""Markdown is wrapped at 120 columns, so that a change of a sentence is a change of few lines and every editor shows it.

Tables, code, HTML and what has no space to break at (a long link or code span) may be wider.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 120
FENCE = re.compile(r"^\s*(```|~~~)")
MARKER = re.compile(r"^\s*(?:(?:[-*+>]|\d+\.)\s+)*")
CODE_SPAN = re.compile(r"`[^`]*`")
MADE_OR_FETCHED = {"build", "dist", ".venv", ".git", "node_modules"}


def pages() -> list[Path]:
    """Those in git; where there is none (a source archive), all that are not made or fetched."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.split()]
    return [path for path in ROOT.rglob("*.md") if not MADE_OR_FETCHED & set(path.relative_to(ROOT).parts)]


def too_wide(text: str) -> list[int]:
    """Numbers of the lines of prose that are wider than they may be."""
    wide = []
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and len(line) > WIDTH and not line.lstrip().startswith(("|", "<")):
            words = CODE_SPAN.sub("code", MARKER.sub("", line)).split()
            if len(words) > 1:
                wide.append(number)
    return wide


def test_prose_is_wrapped() -> None:
    found = pages()
    assert len(found) > 15, "hardly any page was found"
    wrong = [f"{page.relative_to(ROOT)}:{n}" for page in found for n in too_wide(page.read_text(encoding="utf-8"))]
    assert not wrong, f"wider than {WIDTH} columns: {', '.join(wrong)}"


def test_readme_is_short() -> None:
    words = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert words <= 900, f"README.md has {words} words: what is not for every new user has a page in docs/"


def test_tables_code_and_what_cannot_be_broken_may_be_wider() -> None:
    long = "word " * 30
    assert too_wide(f"short\n{long}\n- {long}") == [2, 3]
    assert not too_wide(f"| {long} |\n```\n{long}\n```\n<p>{long}</p>\n- `{long}`\n{'x' * 130}")
    assert too_wide(f"```\n{long}\n```\n{long}") == [4]
