# SPDX-License-Identifier: Apache-2.0
"""docs/environment.md lists every ANYDIM_ variable that is read, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "environment.md"
PRODUCT = ("core", "onnx", "capi", "cli", "bindings")
SUFFIXES = {".h", ".cpp", ".c", ".py", ".rs", ".pth"}
# A variable is read by its name in quotation marks, in whatever function: a name of the C API never stands in them alone.
READ = re.compile(r"""["'](ANYDIM_[A-Z][A-Z_]*)["']""")
LISTED = re.compile(r"^\| `(ANYDIM_[A-Z_]+)` \|", re.MULTILINE)
OWN = "## Variables of the tests"


def read_in(folders: tuple[str, ...], *, tests: bool) -> dict[str, str]:
    """Each name with a file that reads it; `tests`: in files of tests, else in all others."""
    found = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            of_tests = folder == "tests" or "_test." in name or "/testing/" in name or "/tests/" in name
            if path.suffix in SUFFIXES and of_tests == tests:
                found.update({variable: name for variable in READ.findall(path.read_text(encoding="utf-8"))})
    return found


def test_every_variable_that_is_read_is_on_the_page_and_every_one_on_the_page_is_read() -> None:
    page, _, own = PAGE.read_text(encoding="utf-8").partition(OWN)
    listed = LISTED.findall(page)
    read = read_in(PRODUCT, tests=False)
    assert len(read) > 10, "hardly any variable was found: how they are read has changed"
    assert len(set(listed)) == len(listed), "a variable is on the page twice"
    missing = {name: where for name, where in read.items() if name not in listed}
    assert not missing, f"not on {PAGE.name}: {missing}"
    unread = set(listed) - set(read)
    assert not unread, f"on {PAGE.name}, but read nowhere: {unread}"

    tests = read_in((*PRODUCT, "tests"), tests=True)
    of_tests = set(LISTED.findall(own))
    assert of_tests <= set(tests), f"under {OWN!r}, but read by no test: {of_tests - set(tests)}"
    assert not of_tests & set(read), "the library reads a variable that is said to be the tests' own"
    # What else tests name is the library's, which they set, or a name made up to be one that nobody reads.
    unknown = {name: where for name, where in tests.items() if name not in (*listed, *of_tests, "ANYDIM_OF_A_TEST")}
    assert not unknown, f"not on {PAGE.name}: {unknown}"
