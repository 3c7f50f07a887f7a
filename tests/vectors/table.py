# SPDX-License-Identifier: Apache-2.0
"""Runs the test vectors (README.md) in every language, prints one table of the results, and fails where a language is wrong or
two do not agree on bits. A language has a program that prints a line for each case; this file knows how each is started.

  table.py [--only LANGUAGE]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PROGRAMS = ROOT / "build" / "bin"
JAVA = ROOT / "build" / "java" / "target"  # make java
# The bindings' own folders may hold more: a line is added here when a binding has its runner.
LANGUAGES: dict[str, list[str]] = {
    "C": [str(PROGRAMS / "vectors_c"), str(FOLDER)],
    "C++": [str(PROGRAMS / "vectors_cpp"), str(FOLDER)],
    "Java": ["java", "-cp", f"{JAVA / 'classes'}:{JAVA / 'test-classes'}", "org.anydim.VectorRunner", str(FOLDER)],
    "Python": [sys.executable, str(FOLDER / "runner.py"), str(FOLDER)],
    "Rust": [sys.executable, str(ROOT / "tests" / "rust" / "run.py"), "--vectors", str(FOLDER)],
}
DIGEST = re.compile(r"[0-9a-f]{16}")


def results(command: list[str]) -> dict[str, str]:
    """What a language makes of each case, by its name."""
    # What cannot be destroyed twice, say, is reported by the library in the log, which is not looked at here.
    environment = os.environ | {"ANYDIM_LOG": "error"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=600)
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    expected_status = 1 if any(result.startswith("WRONG") for result in found.values()) else 0
    if done.returncode != expected_status:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode} after {len(found)} cases\n{done.stderr[-3000:]}")
    return found


def judged(result: str | None) -> tuple[str, str]:
    """A cell of the table, and what is wrong."""
    if result is None:
        return "NONE", "it has no result"
    word, _, why = result.partition(" ")
    return ("-", "") if word == "cannot" else (word, why if word == "WRONG" else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=LANGUAGES, help="this language alone")
    only = parser.parse_args().only
    cases = re.findall(r"^case (\S+)$", (FOLDER / "cases.txt").read_text(encoding="utf-8"), re.MULTILINE)
    by_language = {name: results(command) for name, command in LANGUAGES.items() if only in (None, name)}
    width = max(map(len, cases))
    print("case".ljust(width), *(name.ljust(16) for name in by_language))
    passed = failed = 0
    complaints, unwritten = [], set()
    for case in cases:
        cells = {name: judged(found.get(case)) for name, found in by_language.items()}
        print(case.ljust(width), *(cell.ljust(16) for cell, _ in cells.values()))
        bits = {cell for cell, _ in cells.values() if DIGEST.fullmatch(cell)}
        for name, (cell, wrong) in cells.items():
            if not wrong and cell in bits and len(bits) > 1:
                wrong = "the languages do not agree"
            if cell == "-":
                unwritten.add(f"{name}: {by_language[name][case].removeprefix('cannot ')}")
            elif wrong:
                complaints.append(f"{case}, {name}: {wrong}")
                failed += 1
            else:
                passed += 1
    print(
        f"\n{len(cases)} cases. A number is the digest of the outputs' bits; a word is the status with which a case failed"
    )
    print("as it should. What a language has no words for has a dash:", *sorted(unwritten), sep="\n  ")
    print(*complaints, sep="\n")
    made = subprocess.run(
        [sys.executable, "-W", "ignore", str(FOLDER / "make.py"), "--check"], capture_output=True, text=True
    )
    print(made.stdout + made.stderr[-3000:])
    passed, failed = (passed + 1, failed) if made.returncode == 0 else (passed, failed + 1)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
