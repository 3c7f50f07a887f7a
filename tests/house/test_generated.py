# SPDX-License-Identifier: Apache-2.0
"""What programs write is marked for tools (.gitattributes), and nothing else is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"^(?:<!-- |/\*|//!?|#|\s*\*) ?(?:Generated (?:from|by)|Written by tools/)", re.MULTILINE)


def git(*arguments: str, text: str | None = None) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, input=text)
    if done.returncode != 0:
        pytest.skip("git says which files are the project's, and this is no checkout")
    return done.stdout


def test_generated_files_are_marked_and_no_others() -> None:
    files = [name for name in git("ls-files").splitlines() if (ROOT / name).is_file()]
    told = git("check-attr", "--stdin", "linguist-generated", text="\n".join(files))
    marked = {line.split(": ")[0] for line in told.splitlines() if line.endswith(": set")}
    generated = {
        name for name in files if MARK.search((ROOT / name).read_bytes()[:600].decode("utf-8", errors="replace"))
    }
    assert len(generated) > 100, "hardly any generated file was found: how they begin has changed"
    assert generated - marked == set(), "add these to .gitattributes"
    assert {name for name in marked - generated if "/generated/" not in name} == set(), ".gitattributes names them"
