# SPDX-License-Identifier: Apache-2.0
"""docs/onnx-operators.md has a row for each operator of the importer's tables, with the opsets and refusals that the sources have."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("operators_page", ROOT / "tools" / "operators_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_each_operator_has_its_row() -> None:
    page = generator()
    expected = [(op.domain, *page.static_columns(op)) for op in page.operators()]
    assert len(expected) > 200, "hardly any operator was found: how the tables are written has changed"
    found, domain = [], ""
    titles = {title: name for name, title in page.TITLES.items()}
    for line in page.PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            domain = titles[line.removeprefix("## ")]
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found.append((domain, cells[0], cells[1], cells[6]))
    assert sorted(found) == sorted(expected), "run tools/operators_page.py"


def test_a_refusal_of_a_called_function_is_found() -> None:
    page = generator()
    bodies = {"whole": "part(n);", "part": 'if (x) return n.unsupported("no {} of {}", a,\\n b);'}
    assert page.refusals_of("whole", bodies) == ["no … of …"]


def test_operators_that_share_a_line_of_a_table_are_found() -> None:
    names = {op.name for op in generator().operators()}
    assert {"Concat", "Pad", "Slice", "Reshape", "Transpose", "StringSplit", "TfIdfVectorizer"} <= names
