# SPDX-License-Identifier: Apache-2.0
"""Prints the C++ functions that are longer than a page, the longest first: each is a question, where does its subject change?
(docs/decisions/218-functions-above-a-page.md has the answers so far.) Not a test: length alone is no reason to cut.

  python tests/house/long_functions.py [60]"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_FUNCTION = r"namespace|class|struct|enum|union|extern|if|for|while|switch|else|do\b|case|return|#|//|\}|try|const auto \w+ = \["
OPENING = re.compile(rf"^( {{0,4}})(?!{NO_FUNCTION})(\S.*)?\{{$")
ENDS_BEFORE = (";", "}", "{", ":")


def long_functions(text: str, most: int) -> list[tuple[int, int, str]]:
    """Lines, the first line's number and its text. The source is formatted: a function ends at a brace under its beginning."""
    lines, found = text.splitlines(), []
    for i, line in enumerate(lines):
        opens = OPENING.match(line) and ("(" in line or (i > 0 and "(" in lines[i - 1])) and not line.endswith("= {")
        if not opens:
            continue
        first = i
        while first > 0 and lines[first - 1].strip() and not lines[first - 1].rstrip().endswith(ENDS_BEFORE):
            if lines[first - 1].lstrip().startswith(("//", "#")):
                break
            first -= 1
        end = " " * (len(lines[first]) - len(lines[first].lstrip())) + "}"
        last = next((j for j in range(i + 1, len(lines)) if lines[j].startswith(end)), i)
        if last - first + 1 > most and not lines[first].lstrip().startswith(("template <class Value", "for (")):
            found.append((last - first + 1, first + 1, lines[first].strip()))
    return found


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    listed = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True)
    rows = []
    for name in listed.stdout.split():
        if "/generated/" not in name:
            text = (ROOT / name).read_text(encoding="utf-8")
            rows += [(lines, f"{name}:{at}", first) for lines, at, first in long_functions(text, most)]
    for lines, place, first in sorted(rows, reverse=True):
        print(f"{lines:4} {place} {first[:90]}")


if __name__ == "__main__":
    main()
