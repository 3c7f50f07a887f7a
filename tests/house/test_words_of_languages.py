# SPDX-License-Identifier: Apache-2.0
"""One word for one idea over the languages: the names in the glossary's table exist in the bindings, and no public name of a binding uses
a word that the others do not have for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINDINGS = ROOT / "bindings"
JAVA = BINDINGS / "java" / "src" / "main" / "java" / "org" / "anydim"
RUST = BINDINGS / "rust" / "anydim" / "src"
PYTHON = BINDINGS / "python" / "anydim"
# For info, bounds, cancel, recognize, counters; dynamic, streaming_chunk, save_packed_weights.
OTHER_WORDS = r"(?i)(figures|limits|abort|kill|recognis|statistic|query|^between$|max_?chunk|^save_?packed$)"


def text_of(*files: Path) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


HEADERS = text_of(*sorted((ROOT / "capi" / "include" / "anydim").glob("*.h")))
CPP = text_of(ROOT / "capi" / "include" / "anydim" / "anydim.hpp")
RUST_TEXT = text_of(*sorted(RUST.rglob("*.rs")))
PYTHON_TEXT = text_of(*sorted(PYTHON.glob("*.py")))


def an_example(name: str) -> bool:
    folders = (ROOT / "examples", BINDINGS / "rust" / "anydim" / "examples")
    return any(next(folder.rglob(name), None) for folder in folders)


def in_c(name: str) -> bool:
    return bool(re.search(rf"\b{name}\b", HEADERS))


def in_cpp(name: str) -> bool:
    return bool(re.search(rf"^(?:class|struct) {name}\b|\b{name}\(", CPP, re.MULTILINE)) or in_c(name)


def in_python(name: str) -> bool:
    return (
        bool(re.search(rf"\b(?:class|def) {name}\b|\b{name}: |\b{name} = ", PYTHON_TEXT))
        or (PYTHON / f"{name}.py").exists()
    )


def in_java(name: str) -> bool:
    kind, _, member = name.partition(".")
    file = JAVA / f"{kind}.java"
    return file.exists() and (not member or bool(re.search(rf"^  public .*\b{member}\(", text_of(file), re.MULTILINE)))


def in_rust(name: str) -> bool:
    return bool(re.search(rf"\bpub (?:struct|enum|fn) {name}\b", RUST_TEXT))


LANGUAGES: dict[str, Callable[[str], bool]] = {
    "C": in_c,
    "C++": in_cpp,
    "Python": in_python,
    "Java": in_java,
    "Rust": in_rust,
}


def rows() -> list[list[str]]:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## The same idea in each language")[2]
    table = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")
    ]
    assert table[0][1:] == list(LANGUAGES)
    return table[2:]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_of_the_table_exists(language: str) -> None:
    column = list(LANGUAGES).index(language) + 1
    names = [name for row in rows() for name in re.findall(r"`([^`]+)`", row[column])]
    assert len(names) >= 12
    missing = [name for name in names if not LANGUAGES[language](name) and not an_example(f"{name}*")]
    assert not missing, missing
    assert not LANGUAGES[language]("no_such_name") and not LANGUAGES[language]("NoSuchName")


def test_java_and_rust_use_no_other_word() -> None:
    java = {
        name
        for file in sorted(JAVA.glob("*.java"))
        if file.name != "Operators.java" and "class" in text_of(file)
        for name in re.findall(
            r"^ *public (?:static |final |abstract )*[\w<>?\[\], .@]*?\b(\w+)(?:\(| \{)", text_of(file), re.MULTILINE
        )
    }
    rust = set(re.findall(r"^ *pub (?:async )?(?:fn|struct|enum|mod) (\w+)", RUST_TEXT, re.MULTILINE))
    assert len(java) > 150 and len(rust) > 300
    wrong = sorted(name for name in java | rust if re.search(OTHER_WORDS, name))
    assert not wrong, wrong
