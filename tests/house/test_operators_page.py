# SPDX-License-Identifier: Apache-2.0
"""docs/onnx.md lists the operators that the importer's tables have, no more and no fewer, and its range of opsets is the importer's."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8")
ENTRY = re.compile(r'\{"([A-Z]\w*)", \d+, [^,{}]+\}')  # those of other domains and of ONNX's past end with false
MICROSOFT = "import_microsoft"  # begins the names of the files of com.microsoft
BESIDE_THE_TABLES = {"If", "Loop", "Scan", "SequenceMap"}  # import_control_flow.cpp, and told below the table


def imported(*, microsoft: bool = False) -> set[str]:
    files = [path for path in sorted((ROOT / "onnx").glob("import_*.cpp")) if "schemas" not in path.name]
    tables = [path.read_text(encoding="utf-8") for path in files if path.name.startswith(MICROSOFT) == microsoft]
    return {name for text in tables for name in ENTRY.findall(text)} - BESIDE_THE_TABLES


def listed(*, microsoft: bool = False) -> list[str]:
    section = PAGE.split("## Operators of com.microsoft\n")[1 if microsoft else 0].split("\n## ")[0]
    rows = re.findall(r"^\| ([a-z ]+) \| ([A-Z][\w, ]*) \|$", section, re.MULTILINE)
    return [name.strip() for _, names in rows for name in names.split(",")]


def test_the_page_lists_what_is_imported() -> None:
    names = listed()
    assert len(imported()) > 100, "hardly any operator was found: how the tables are written has changed"
    assert len(set(names)) == len(names), "an operator is listed twice"
    assert set(names) == imported(), f"on one side only: {set(names) ^ imported()}"
    assert all(f"`{name}`" in PAGE for name in BESIDE_THE_TABLES)


def test_the_page_lists_what_is_imported_of_com_microsoft() -> None:
    names = listed(microsoft=True)
    assert len(names) >= 14
    assert len(set(names)) == len(names), "an operator is listed twice"
    assert set(names) == imported(microsoft=True), f"on one side only: {set(names) ^ imported(microsoft=True)}"


def test_the_page_tells_how_many_there_are_and_which_opsets() -> None:
    count = len(listed()) + len(BESIDE_THE_TABLES)
    assert f"{count} operators in all" in PAGE, f"there are {count}"
    header = (ROOT / "onnx" / "import.h").read_text(encoding="utf-8")
    oldest, newest = (re.search(rf"{word} = (\d+);", header)[1] for word in ("kOldestOpset", "kNewestOpset"))  # type: ignore[index]
    assert f"opset {oldest} to {newest}" in PAGE
