# SPDX-License-Identifier: Apache-2.0
"""A pass has one name: in the list of passes, as a function of namespace passes, and as the file that describes it. A variant of a pass lies
in the file of its pass and has a word before that name."""

from __future__ import annotations

import re
from pathlib import Path

PASSES = Path(__file__).resolve().parents[2] / "core" / "graph" / "passes"
ENTRY = re.compile(r'\{\s*(?:"(\w+)"|k\w+\.name),[^{}]*?passes::(\w+)', re.DOTALL)
DEFINITION = re.compile(r"^Status passes::(\w+)\(Graph& graph", re.MULTILINE)
DECLARATION = re.compile(r"^Status (\w+)\(Graph& graph", re.MULTILINE)


def definitions() -> dict[str, str]:
    """The file of each pass."""
    return {name: path.stem for path in PASSES.glob("*.cpp") for name in DEFINITION.findall(path.read_text("utf-8"))}


def test_the_function_of_a_pass_has_the_name_of_the_list() -> None:
    listed = ENTRY.findall((PASSES / "passes.cpp").read_text("utf-8"))
    assert len(listed) > 20
    assert [pair for pair in listed if pair[0] != pair[1]] == []


def test_the_file_of_a_pass_has_its_name() -> None:
    found = definitions()
    assert len(found) > 20
    bodies = {name.removesuffix("_in_body"): stem for name, stem in found.items()}
    assert {n: s for n, s in bodies.items() if n != s and not n.endswith(f"_{s}")} == {}
    assert set(found.values()) <= set(found), "a file with variants has the pass itself"


def test_what_is_declared_is_defined_and_listed() -> None:
    header = (PASSES / "passes.h").read_text("utf-8")
    declared = set(DECLARATION.findall(header.split("namespace passes {")[1]))
    listed = {function for _, function in ENTRY.findall((PASSES / "passes.cpp").read_text("utf-8"))}
    assert declared == set(definitions())
    assert {name for name in declared if not name.endswith("_in_body")} == listed
