# SPDX-License-Identifier: Apache-2.0
"""What a header of onnx/ exports returns Result<T> where it makes a value (CONTRIBUTING.md): no Status with an out-parameter."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPORTED = re.compile(r"^Status (\w+)\(([^;{]*)\);", re.MULTILINE)
OUT = re.compile(r"\*\s*\w+\s*$")


def with_out_parameter(text: str) -> list[str]:
    return [name for name, parameters in EXPORTED.findall(text) if OUT.search(parameters)]


def test_headers_of_the_importer_export_results() -> None:
    headers = [path for path in (ROOT / "onnx").rglob("*.h") if "testing" not in path.parts]
    assert len(headers) > 15
    found = {str(path.relative_to(ROOT)): with_out_parameter(path.read_text("utf-8")) for path in headers}
    assert {path: names for path, names in found.items() if names} == {}


def test_an_out_parameter_is_found() -> None:
    assert with_out_parameter("Status read(std::string_view from, int* to);\nStatus check(const Graph& g);\n") == [
        "read"
    ]
