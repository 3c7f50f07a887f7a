# SPDX-License-Identifier: Apache-2.0
"""docs/onnx.md lists the operators that the importer's tables have, no more and no fewer, and its range of opsets is the importer's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8")
ENTRY = re.compile(r'\{"([A-Z]\w*)", \d+, [^,{}]+\}')
OPERATORS = ROOT / "onnx" / "operators"
FOLDERS = {"": OPERATORS, "com.microsoft": OPERATORS / "microsoft", "ai.onnx.ml": OPERATORS / "learned"}
# Of the domain for training, and withdrawn by ONNX: named in a sentence.
IN_A_SENTENCE = {"Adagrad", "Adam", "Momentum", "Affine", "Crop", "ImageScaler"}
BESIDE_THE_TABLES = {"If", "Loop", "Scan", "SequenceMap"}  # control_flow.cpp, and described below the table


def imported(domain: str = "") -> set[str]:
    files = [path for path in sorted(FOLDERS[domain].glob("*.cpp")) if path.name != "schemas.cpp"]
    tables = [path.read_text(encoding="utf-8") for path in files]
    return {name for text in tables for name in ENTRY.findall(text)} - BESIDE_THE_TABLES - IN_A_SENTENCE


def listed(domain: str = "") -> list[str]:
    section = PAGE.split(f"## Operators of {domain}\n")[1] if domain else PAGE
    rows = re.findall(r"^\| ([a-z ]+) \| ([A-Z][\w, ]*) \|$", section.split("\n## ")[0], re.MULTILINE)
    return [name.strip() for _, names in rows for name in names.split(",")]


def test_the_page_lists_what_is_imported() -> None:
    names = listed()
    assert len(imported()) > 100, "hardly any operator was found: how the tables are written has changed"
    assert len(set(names)) == len(names), "an operator is listed twice"
    assert set(names) == imported(), f"on one side only: {set(names) ^ imported()}"
    assert all(f"`{name}`" in PAGE for name in BESIDE_THE_TABLES)
    assert all(re.search(rf"\b{name}\b", PAGE) for name in IN_A_SENTENCE)


@pytest.mark.parametrize("domain", ("com.microsoft", "ai.onnx.ml"))
def test_the_page_lists_what_is_imported_of_other_domains(domain: str) -> None:
    names = listed(domain)
    assert len(names) >= 14
    assert len(set(names)) == len(names), "an operator is listed twice"
    assert set(names) == imported(domain), f"on one side only: {set(names) ^ imported(domain)}"


def test_the_page_says_how_many_there_are_and_which_opsets() -> None:
    count = len(listed()) + len(BESIDE_THE_TABLES)
    assert f"{count} operators in all" in PAGE, f"there are {count}"
    header = (ROOT / "onnx" / "walk" / "import.h").read_text(encoding="utf-8")
    oldest, newest = (re.search(rf"{word} = (\d+);", header)[1] for word in ("kOldestOpset", "kNewestOpset"))  # type: ignore[index]
    assert f"opset {oldest} to {newest}" in PAGE
