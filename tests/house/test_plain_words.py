# SPDX-License-Identifier: Apache-2.0
"""Pages, comments, messages and names of tests use the field's words: none that homely_words.toml
lists. Of pages it reads prose alone: no code, no names, no links, and no page of decisions, which are the record of what
was thought at the time. Generated pages are read, too: their words are fixed where they are described.

Whether a sentence is plain, no test can decide.
"""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORDS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).with_name("homely_words.toml")).read_text(encoding="utf-8")
)["word"]
AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
PACKAGES = ("bindings/rust/anydim/README.md", "bindings/rust/anydim-sys/README.md", "bench/results/README.md")
HEADERS = ROOT / "capi" / "include" / "anydim"


def pattern(word: dict[str, Any]) -> re.Pattern[str]:
    return re.compile(word["find"].replace(" ", r"\s+"), re.IGNORECASE)


def prose(text: str) -> str:
    """A page without code, links' targets, HTML and names in backticks; lines stay lines."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = re.sub(r"^\s*```.*?^\s*```\s*?$", blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", lambda found: "x" + "\n" * found[0].count("\n"), text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"<[^>\n]*>", "", text)


def comments(header: str) -> str:
    """The text of the comments of a header, without code (which is indented by four), lines as they are."""
    lines = []
    inside = False
    for line in header.splitlines():
        inside = inside or line.lstrip().startswith("/*") or "/*" in line
        text = line if inside else ""
        if "/*" in text and not text.lstrip().startswith("/*"):
            text = text[text.index("/*") :]
        if "*/" in line:
            inside = False
        said = re.sub(r"^\s*/?\*+/?", "", text)
        lines.append("" if said.startswith("     ") else re.sub(r"`[^`]*`|\b(?:anydim|ANYDIM)_\w+", "x", said))
    return "\n".join(lines)


LITERALS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL
)  # of C, C++, Java and Rust: comments and what may look like one


def comments_of_code(source: str) -> str:
    """The text of the comments of a source of C, C++, Java, Rust or OpenCL; lines as they are, without code in backticks."""
    kept = []
    end = 0
    for found in LITERALS.finditer(source):
        is_comment = found[0].startswith(("//", "/*"))
        text = re.sub(r"`[^`\n]*`", "x", found[0].lstrip("/*")) if is_comment else "\n" * found[0].count("\n")
        kept.append("\n" * source.count("\n", end, found.start()) + " " + text)
        end = found.end()
    return re.sub(r"(?m)^[ \t]*\*+/?", "", "".join(kept))


def comments_of_python(source: str) -> str:
    """The same of Python: comments and docstrings."""
    lines = [""] * (source.count("\n") + 2)
    starts = True  # a string here is a statement
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = re.sub(r"`[^`]*`", lambda found: "x" + "\n" * found[0].count("\n"), token.string)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and starts and '"""' in text):
            for i, line in enumerate(text.replace('"""', "").split("\n")):
                lines[token.start[0] - 1 + i] += " " + line.lstrip("# ")
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            starts = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return "\n".join(lines)


def messages(source: str) -> str:
    """String literals of a source that are sentences: with three words and more."""
    lines = []
    for line in source.splitlines():
        bare = re.sub(r"(?<![\"'\w])//[^\n\"]*$|^\s*(?://|\*).*$", "", line)
        said = [text for text in re.findall(r'"((?:[^"\\]|\\.)*)"', bare) if len(re.findall(r"[a-z]{2,}", text)) >= 3]
        lines.append(" | ".join(said))
    return "\n".join(lines)


TEST = re.compile(
    r"^TEST(?:_[FP])?\(\w+,\s*(?:DISABLED_)?(\w+)\)"  # C++
    r"|^\s*(?:async )?def test_(\w+)"  # Python
    r"|#\[test\]\s*(?:#\[[^\]]*\]\s*)*fn (\w+)"  # Rust
    r"|@Test\s+(?:public )?void (\w+)",  # Java
    re.MULTILINE,
)


def names_of_tests(source: str) -> str:
    """The names of a source's tests as sentences, a line each."""
    names = ["".join(name or "" for name in found) for found in TEST.findall(source)]
    apart = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name) for name in names]
    return "\n".join(name.replace("_", " ") for name in apart)


def found_in(text: str, words: list[dict[str, Any]] = WORDS) -> Iterator[str]:
    """Each homely word of a prose: its line, itself, and what to write."""
    for word in words:
        for hit in pattern(word).finditer(text):
            around = " ".join(text[max(0, hit.start() - 30) : hit.end() + 30].split())
            if "not" in word and re.search(word["not"], around, re.IGNORECASE):
                continue
            yield f"{text.count(chr(10), 0, hit.start()) + 1}: {' '.join(hit[0].split())!r} in {around!r}; write: {word['write']}"


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0 or not listed.stdout:
        pytest.skip("git lists the project's files, and this is no checkout")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def pages() -> list[Path]:
    found = [ROOT / name for name in (*AT_THE_ROOT, *PACKAGES)]
    return found + [p for p in tracked("docs/*.md") if "decisions" not in p.parts]


def complaints(files: list[Path], read: Any, words: list[dict[str, Any]] = WORDS) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{complaint}"
        for path in files
        for complaint in found_in(read(path.read_text(encoding="utf-8")), words)
    ]


def test_pages_use_plain_words() -> None:
    found = pages()
    assert len(found) > 30, "hardly any page was found"
    wrong = complaints(found, prose)
    assert not wrong, f"{len(wrong)} homely words:\n" + "\n".join(wrong)


def test_comments_of_the_public_headers_use_plain_words() -> None:
    headers = sorted(HEADERS.glob("*.h*"))
    assert len(headers) > 15 and len(comments(headers[0].read_text(encoding="utf-8")).split()) > 50
    wrong = complaints(headers, comments)
    assert not wrong, f"{len(wrong)} homely words; they are described in capi/api:\n" + "\n".join(wrong)


IN_CODE = [word for word in WORDS if not word.get("in_code", False)]


def test_comments_of_sources_use_plain_words() -> None:
    sources = tracked(*(f"*.{end}" for end in ("cpp", "h", "hpp", "c", "cl", "java", "rs")))
    scripts = [path for path in tracked("*.py") if path != Path(__file__)]
    assert len(sources) > 1000 and len(scripts) > 250
    wrong = complaints(sources, comments_of_code, IN_CODE) + complaints(scripts, comments_of_python, IN_CODE)
    assert not wrong, f"{len(wrong)} homely words:\n" + "\n".join(wrong)


def test_messages_use_plain_words() -> None:
    """Of the library and the program: string literals of C++ sources that are not tests."""
    sources = [
        p
        for p in tracked(
            *(f"{folder}/*{end}" for folder in ("core", "capi", "onnx", "cli", "bindings") for end in (".cpp", ".h"))
        )
        if "_test" not in p.name and "testing" not in p.parts
    ]
    assert len(sources) > 400
    wrong = complaints(sources, messages)
    assert not wrong, f"{len(wrong)} homely words:\n" + "\n".join(wrong)


def test_names_of_tests_use_plain_words() -> None:
    sources = tracked("*_test.cpp", "*.py", "bindings/rust/*.rs", "*Test.java")
    names = "\n".join(names_of_tests(path.read_text(encoding="utf-8")) for path in sources)
    assert len(names.splitlines()) > 1900
    allowed = ("in turns does the tasks of all threads on the callers",)  # of the function in_turns()
    wrong = list(found_in("\n".join(name for name in names.splitlines() if name not in allowed)))
    assert not wrong, f"{len(wrong)} homely words in names of tests:\n" + "\n".join(wrong)


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word["example"])
def test_a_planted_word_is_found_and_the_plain_one_is_not(word: dict[str, Any]) -> None:
    assert list(found_in(prose(f"A page.\n\n{word['example']}.\n"))), "the control is not found"
    assert not list(found_in(prose(f"A page.\n\n{word['fine']}.\n")))
    header = f"/*\n * {word['example']}.\n *     code();\n */\nint x; /* fine */\n"
    assert list(found_in(comments(header)))
    assert list(found_in(comments_of_code(f"int x = 'a';  // {word['example']}\n")))
    assert list(found_in(comments_of_code(f'auto x = R"(")";\n/** It is\n * {word["example"]}. */\n')))
    assert list(found_in(comments_of_python(f'def f():\n    """It says\n    {word["example"]}."""\n')))
    assert list(found_in(comments_of_python(f"x = 1  # {word['example']}\n")))
    assert list(found_in(messages(f'return invalid("the argument and {word["example"]}");')))
    name = re.sub(r"\W+", "_", f"test it and {word['example']}")
    assert list(found_in(names_of_tests(f"def {name}() -> None:\n")))


def test_code_names_and_links_are_not_prose() -> None:
    page = "# T\n\n`told` and [x](told.md)\n\n```\nkin told\n```\n<!-- kin -->\n"
    assert not list(found_in(prose(page)))
    assert not list(found_in(comments("/* `told` anydim_told\n *     kin();\n */\nint told;\n")))
    assert not list(found_in(comments_of_code('int told; auto x = "// told"; // `told`\n')))
    assert not list(found_in(comments_of_python('told = "# told"  # `kin`\nprint("""told""")\n')))
    assert not list(found_in(messages('std::string told = "kin";  // told kin')))
