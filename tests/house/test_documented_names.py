# SPDX-License-Identifier: Apache-2.0
"""What the pages name exists: files, make targets, commands and their options, kernels, functions of the C API, members of classes,
Python attributes, and every other identifier in backticks. A page is wrong from the day on which a name moves; this finds it then.

It reads Markdown, and for names of kernels also the comments of sources. Whether what is said about a name is true, no test can decide.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import onnx.defs
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from instruction_sets import instruction_sets  # noqa: E402

PROGRAM = ROOT / "build" / "bin" / "anydim"
HEADERS = ROOT / "capi" / "include" / "anydim"
SOURCES = {
    ".h",
    ".c",
    ".cpp",
    ".rs",
    ".java",
    ".py",
    ".pyi",
    ".yaml",
    ".toml",
    ".txt",
    ".cmake",
    ".in",
    ".json",
    ".map",
    ".cl",
}
FOLDERS = ("bench", "bindings", "capi", "cli", "cmake", "core", "demo", "docs", "examples", "onnx", "tests", "tools")

FENCE = re.compile(r"^\s*```(\w*)\s*$")
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
KERNEL = re.compile(r"(?<![\w./])[a-z_0-9]+(?:\.[a-z_0-9]+)?\.(?:avx512\w*|avx2\w*|amx|portable|reference)(?![\w./(])")
C_NAME = re.compile(r"\b(?:anydim|ANYDIM)_\w+(?:\.\w+)?")
PLACEHOLDER = re.compile(r"<\w+>|\.\.\.|\bnoun\b")


class Text(NamedTuple):
    """A code span, or a line of a code block, and where it is."""

    where: str
    text: str
    language: str | None  # of a code block; None: a span


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0 or not listed.stdout:
        pytest.skip("which files are the project's is told by git, and this is no checkout")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@functools.cache
def pages() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in tracked("*.md")}


@functools.cache
def sources() -> dict[str, str]:
    """Text of all that is no page; not this file, which names what does not exist."""
    found = {}
    for path in tracked():
        if (path.suffix in SOURCES or path.name in {"Makefile", "setup"}) and path != Path(__file__):
            found[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8", errors="replace")
    return found


@functools.cache
def words() -> frozenset[str]:
    return frozenset(word for text in sources().values() for word in re.findall(r"[A-Za-z_]\w*", text))


def code(text: str, name: str) -> Iterator[Text]:
    language: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence:
            language = fence.group(1) if language is None else None
        elif language is not None:
            yield Text(f"{name}:{number}", line, language)
        else:
            for span in SPAN.findall(line):
                yield Text(f"{name}:{number}", span, None)


def all_code() -> list[Text]:
    return [item for name, text in pages().items() for item in code(text, name)]


# -- the rules: each says whether what a piece of code names exists ----------------------------------------------------


def missing_path(text: str, page: str) -> str | None:
    """Of a span that looks like a path of this repository. `*` stands for anything, `<name>` too."""
    path = re.sub(r"<\w+>", "*", text.split()[0])
    if not re.fullmatch(r"[\w.*/-]+", path):
        return None
    if path.split("/")[0] in FOLDERS and "/" in path:
        return None if exists(path) else path
    if re.fullmatch(r"[\w.]+\.(?:h|cpp|c|py|yaml|toml|cmake)", path):  # a file by its name alone
        near = (ROOT / page).parent
        known = any(
            Path(name).name.endswith(path) if path.startswith("_") else Path(name).name == path for name in sources()
        )
        # A file that is fetched or made is named by the script that does it.
        named = any(path in text for name, text in sources().items() if name.startswith("tools/"))
        return None if known or named or (near / path).exists() else path
    return None


def exists(path: str) -> bool:
    if (ROOT / path).exists() or ("*" in path and any(ROOT.glob(path.rstrip("/")))):
        return True
    return "." not in path and any((ROOT / path).parent.glob(Path(path).name + ".*"))  # a test program by its name


@functools.cache
def make_targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@functools.cache
def help_of(command: str) -> str:
    assert PROGRAM.exists(), f"{PROGRAM} is not there: run `make build`"
    shown = subprocess.run([str(PROGRAM), *command.split(), "--help"], capture_output=True, text=True)
    return shown.stdout if shown.returncode == 0 else ""


@functools.cache
def commands() -> frozenset[str]:
    """`run`, `cache ls`, ...: the subcommands that the program's own help lists."""
    found = set()
    for outer in re.findall(r"^  ([a-z-]+)  ", help_of("").partition("ubcommands:")[2], re.MULTILINE):
        found.add(outer)
        inner = help_of(outer).partition("ubcommands:")[2]
        found.update(f"{outer} {name}" for name in re.findall(r"^  ([a-z]+)  ", inner, re.MULTILINE))
    return frozenset(found)


def wrong_command(text: str) -> str | None:
    """Of `anydim COMMAND ...`, with variables before it or not."""
    line = re.sub(r"^(?:\w+=\S+ )+", "", text.strip().split(" #")[0])
    found = re.match(r"anydim(?: ([a-z][a-z-]*))?(?: ([a-z]+))?", line)
    if not found or not line.startswith("anydim "):
        return None
    one, two = found.groups()
    if one is None:
        return None if line.startswith("anydim --") else f"{line!r} is no command"
    command = f"{one} {two}" if f"{one} {two}" in commands() else one
    if command not in commands():
        return f"the program has no command {one!r}"
    options = re.findall(r"(?<![\w-])(--[a-z][\w-]*)", line)
    lacking = [option for option in options if not re.search(rf"{re.escape(option)}\b(?!-)", help_of(command))]
    return f"`anydim {command}` has no {', '.join(lacking)}" if lacking else None


def wrong_option(text: str) -> str | None:
    """Of a span that is an option alone: some command has it."""
    option = re.match(r"--[a-z][\w-]*", text)
    if option is None or any(re.search(rf"{option.group()}\b(?!-)", help_of(command)) for command in commands()):
        return None
    return f"no command has {option.group()}"


def wrong_script(text: str) -> str | None:
    """Of `bench/reuse.py --rounds 6` and the like: the script has the option."""
    try:
        parts = shlex.split(text)
    except ValueError:
        return None
    for i, part in enumerate(parts):
        if part.endswith(".py") and (ROOT / part).is_file():
            script = (ROOT / part).read_text(encoding="utf-8")
            lacking = [p for p in parts[i + 1 :] if p.startswith("--") and f'"{p.split("=")[0]}"' not in script]
            if lacking:
                return f"{part} has no {', '.join(lacking)}"
    return None


def body_of(class_name: str) -> str | None:
    """What stands between the braces of the definition of a class, without comments."""
    for name, text in sources().items():
        if not name.endswith((".h", ".cpp")):
            continue
        bare = re.sub(r"//[^\n]*", "", text)
        for found in re.finditer(rf"\b(?:class|struct|enum class)\s+{class_name}\b[^;{{]*{{", bare):
            depth, at = 1, found.end()
            while at < len(bare) and depth > 0:
                depth += (bare[at] == "{") - (bare[at] == "}")
                at += 1
            return bare[found.end() : at]
    return None


def wrong_member(text: str) -> str | None:
    """Of `Class::member`; namespaces are looked up as words."""
    parts = re.fullmatch(r"([A-Za-z_]\w*(?:::[A-Za-z_]\w*)+)(?:\(.*\))?", text)
    if not parts:
        return None
    outer, member = parts.group(1).split("::")[-2:]
    body = body_of(outer)
    if outer == "Isa":  # its sets are the rows of a list
        body = f"{body} {' '.join(s.name for s in instruction_sets())}"
    if body is None:
        unknown = [word for word in parts.group(1).split("::") if word not in words()]
        return f"{', '.join(unknown)} is nowhere" if unknown else None
    return None if re.search(rf"\b{member}\b", body) else f"{outer} has no {member}"


def wrong_python(text: str) -> str | None:
    """Of `anydim.name.name`, whatever follows it."""
    found = re.match(r"anydim((?:\.[A-Za-z_]\w*)+)", text)
    if not found:
        return None
    at: object = importlib.import_module("anydim")
    dotted = "anydim"
    for name in found.group(1)[1:].split("."):
        dotted = f"{dotted}.{name}"
        if not hasattr(at, name):
            try:
                importlib.import_module(dotted)
            except ImportError:
                return f"Python has no {dotted}"
        at = getattr(at, name)
    return None


@functools.cache
def struct_fields() -> dict[str, frozenset[str]]:
    header = re.sub(
        r"/\*.*?\*/", "", "\n".join(h.read_text(encoding="utf-8") for h in sorted(HEADERS.glob("*.h"))), flags=re.DOTALL
    )
    structs = re.findall(r"typedef struct \w+ {([^}]*)} (\w+);", header)
    return {name: frozenset(re.findall(r"(\w+)(?:\[\w+\])?;", body)) for body, name in structs}


def wrong_c_name(text: str) -> list[str]:
    """Of all names of the C API, the build and the environment in a text, prose included."""
    wrong = []
    for name in C_NAME.findall(text):
        word, _, field = name.partition(".")
        if word in struct_fields() and field and field not in struct_fields()[word]:
            wrong.append(f"{word} has no {field}")
        elif word.endswith("_"):
            if not any(known.startswith(word) for known in words()):
                wrong.append(f"nothing begins with {word}")
        elif word not in words():
            wrong.append(f"{word} is nowhere")
    return wrong


@functools.cache
def kernel_names() -> frozenset[str]:
    """Those that docs/kernels.md lists (a test holds it against the library), and whole strings in the code of kernels."""
    literals = set(
        re.findall(r"^\| `([a-z_0-9.]+)` \|", (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for name, text in sources().items():
        if name.startswith("core/kernels/") and name.endswith((".cpp", ".h")) and "_test." not in name:
            literals.update(re.findall(r'"([a-z_0-9.]+)"', re.sub(r"//[^\n]*", "", text)))
    return frozenset(literals)


def unknown_words(text: str) -> list[str]:
    """Of a span that is one identifier, a call, or a chain of members."""
    if not re.fullmatch(r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*(?:\([^()]*\))?", text):
        return []
    chain = re.split(r"\.|->", text.split("(")[0])
    # Operators that are not imported are named, too.
    return [word for word in chain if len(word) > 2 and word not in words() and not onnx.defs.has(word)]


# Names of the tests' examples that no source needs to have.
MADE_UP = {"family.variant.isa", "rec.packed", "rec.onnx"}


def complaints(item: Text) -> Iterator[str]:
    text = item.text.strip()
    if item.language is None and text not in MADE_UP and not PLACEHOLDER.search(text):
        path = missing_path(text, item.where.rsplit(":", 1)[0])
        if path:
            yield f"there is no {path}"
        kernel = KERNEL.fullmatch(text)
        member = wrong_member(text)
        if member:
            yield member
        looks_like_file = re.fullmatch(r"[\w.-]+\.[a-z0-9]{1,6}(?:\.\w+)?", text) or "/" in text
        if not kernel and not looks_like_file and not text.startswith("anydim."):
            yield from (f"{word} is nowhere in the sources" for word in unknown_words(text))
    if item.language != "c":
        for target in re.findall(r"^(?:\$ )?make ([a-z-]+)", text):
            if target not in make_targets():
                yield f"make has no {target}"
    for rule in (wrong_command, wrong_script, wrong_python) if item.language in {None, ""} else (wrong_python,):
        wrong = rule(text) if item.language is None or rule is not wrong_python else None
        if wrong:
            yield wrong
    if item.language is None:
        wrong = wrong_option(text)
        if wrong:
            yield wrong
    yield from (f"there is no kernel {name}" for name in KERNEL.findall(text) if name not in kernel_names())


def test_names_in_backticks_and_code_exist() -> None:
    items = all_code()
    assert len(items) > 400, "hardly any code was found in the pages: how it is marked has changed"
    wrong = [
        f"{item.where}: {complaint} (`{item.text.strip()[:80]}`)" for item in items for complaint in complaints(item)
    ]
    assert not wrong, "\n".join(wrong)


def test_names_of_the_c_api_and_variables_exist() -> None:
    wrong = []
    for page, text in pages().items():
        for number, line in enumerate(text.splitlines(), 1):
            wrong += [f"{page}:{number}: {complaint}" for complaint in wrong_c_name(line)]
    assert not wrong, "\n".join(wrong)


def heading_anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_links_lead_somewhere() -> None:
    wrong = []
    for page, text in pages().items():
        for target in LINK.findall(re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.DOTALL | re.MULTILINE)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (ROOT / page).parent / name if name else ROOT / page
            if not path.exists():
                wrong.append(f"{page}: {target}")
            elif anchor:
                headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
                if anchor not in map(heading_anchor, headings):
                    wrong.append(f"{page}: {target} (no such heading)")
    assert not wrong, "links to nothing: " + ", ".join(wrong)


def test_kernels_that_comments_name_exist() -> None:
    wrong = []
    for name, text in sources().items():
        if name.startswith(("core/", "capi/", "onnx/", "cli/", "bindings/python/anydim/")) and "_test." not in name:
            for kernel in re.findall(r'"([a-z_0-9]+\.[a-z_0-9]+\.(?:avx512|avx2|portable|reference))"', text):
                if kernel not in kernel_names():
                    wrong.append(f"{name}: {kernel}")
    assert not wrong, "there are no such kernels: " + ", ".join(wrong)


def test_every_field_of_an_explanation_is_documented() -> None:
    page, source = pages()["docs/api-conventions.md"], sources()["capi/explain.cpp"]
    told = set(re.findall(r"\w+", page.partition("## Explanations (JSON)")[2].partition("\n## ")[0]))
    fields = set(re.findall(r'\{"(\w+)", |\w+\["(\w+)"\]', source))
    missing = {name for pair in fields for name in pair if name} - told
    assert len(fields) > 30 and not missing, f"not under Explanations: {sorted(missing)}"


@pytest.mark.parametrize(
    "text",
    [
        "conv.direct.avx512",
        "Plan::nowhere",
        "NoSuchClassAtAll",
        "core/base/no_such_file.h",
        "core/base/no_such_*.h",
        "make no-such-target",
        "anydim frobnicate rec.onnx",
        "anydim run rec.onnx --no-such-option",
        "--no-such-option",
        "bench/reuse.py --no-such-option",
        "anydim.no_such_module",
    ],
)
def test_a_name_that_does_not_exist_is_found(text: str) -> None:
    assert list(complaints(Text("README.md:1", text, None))), text


def test_a_function_or_field_that_does_not_exist_is_found() -> None:
    for text in ("anydim_no_such_function", "ANYDIM_" + "NO_SUCH_VARIABLE", "anydim_model_options_t.no_such_field"):
        assert wrong_c_name(text), text
