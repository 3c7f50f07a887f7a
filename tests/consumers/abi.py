# SPDX-License-Identifier: Apache-2.0
"""The ABI that the headers declare, against the committed one (abi/anydim.abi, XML of libabigail). Functions, structs and
their offsets, enumerators and slots are compared. What a stable function needs must stay; changes of experimental ones are
reported, not refused; structs that begin with their size may grow at their end; a slot never gets another function.
That the library exports exactly what the header declares is library.py's to say.

  abi.py HEADERS BASELINE            compares; HEADERS is the folder with anydim.h
  abi.py HEADERS BASELINE --renew    writes the baseline: at a release, and when a function was added or an experimental one changed
  abi.py HEADERS BASELINE --prove    plants changes and expects each to be refused, reported or let pass
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# abidiff's exit status is a sum of these.
ERROR, USAGE, CHANGED, INCOMPATIBLE = 1, 2, 4, 8
FUNCTION = re.compile(
    r"^(?:ANYDIM_MUST_USE )?ANYDIM_API (?:ANYDIM_DEPRECATED )?(?P<signature>.*?\b(?P<name>anydim_\w+)\(.*?\))\s+ANYDIM_NOTHROW;",
    re.DOTALL | re.MULTILINE,
)
LIFECYCLE = re.compile(
    r"^ \* (?P<lifecycle>Experimental|Stable since [\d.]+(?:, deprecated since [\d.]+)?); slot (?P<slot>\d+)",
    re.MULTILINE,
)
# Structs that begin with their size: options, information, operators.
SIZED = re.compile(r"^typedef struct (\w+) \{\n  (?:uint32_t size|anydim_op_t op);", re.MULTILINE)
INCLUDE = re.compile(r'^#include "anydim/(?P<name>\w+\.h)"$', re.MULTILINE)
ENUMERATOR = re.compile(r"^  (ANYDIM_\w+) = -?\d+", re.MULTILINE)


class Header:
    def __init__(self, text: str) -> None:
        self.functions: dict[str, tuple[str, bool, int]] = {}  # name: signature, stable, slot
        begin = 0
        for found in FUNCTION.finditer(text):
            told = LIFECYCLE.findall(text, begin, found.start())
            assert told, f"{found['name']}: its comment tells no lifecycle and slot"
            lifecycle, slot = told[-1]
            self.functions[found["name"]] = (found["signature"], lifecycle.startswith("Stable"), int(slot))
            begin = found.end()
        self.sized = SIZED.findall(text)
        self.enumerators = ENUMERATOR.findall(text)
        assert (
            len(self.functions) == len(re.findall(r"^(?:ANYDIM_MUST_USE )?ANYDIM_API ", text, re.MULTILINE))
            and self.sized
            and self.enumerators
        ), "the header's form is new"

    def library(self, folder: Path, text: str) -> Path:
        """A library that is the header and nothing else, for its types; they are in `folder`/include. Enumerators, which C
        functions take as int32_t, and slots are put into enums of their own, so that they are seen."""
        include = folder / "include" / "anydim"
        include.mkdir(parents=True)
        (include / "anydim.h").write_text(text, encoding="utf-8")
        lines = ['#include "anydim/anydim.h"', "#include <stdlib.h>"]
        lines += [f"{signature} {{ abort(); }}" for signature, _, _ in self.functions.values()]
        for name, members in (
            ("enumerators", [f"the_{e} = {e}" for e in self.enumerators]),
            ("slots", [f"slot_{f} = {slot}" for f, (_, _, slot) in self.functions.items()]),
        ):
            (include / f"{name}.h").write_text(f"enum anydim_{name} {{ {', '.join(members)} }};\n", encoding="utf-8")
            lines += [
                f'#include "anydim/{name}.h"',
                f"enum anydim_{name} anydim_{name}_of_the_header(void) {{ abort(); }}",
            ]
        (folder / "header.c").write_text("\n".join([*lines, ""]), encoding="utf-8")
        command = [
            "cc",
            "-g",
            "-O0",
            "-shared",
            "-fPIC",
            "-Iinclude",
            "-fdebug-prefix-map=" + str(folder) + "=.",
            "-o",
            "libheader.so",
        ]
        subprocess.run([*command, "header.c"], cwd=folder, check=True)
        return folder / "libheader.so"


def in_one(folder: Path) -> str:
    """anydim.h with the headers of the modules in the places where it includes them."""
    included: set[str] = set()

    def put_in(found: re.Match[str]) -> str:
        name = found["name"]
        if name in included:
            return ""
        included.add(name)
        return INCLUDE.sub(put_in, (folder / name).read_text(encoding="utf-8"))

    text = INCLUDE.sub(put_in, (folder / "anydim.h").read_text(encoding="utf-8"))
    alone = {path.name for path in folder.glob("*.h")} - included - {"anydim.h"}
    assert not alone, f"anydim.h includes no {', '.join(sorted(alone))}"
    return text


def slots_of(xml: str) -> dict[int, str]:
    found = re.findall(r"name='slot_(\w+)' value='(\d+)'", xml)
    return {int(slot): name for name, slot in found}


def suppressions(header: Header, experimental: bool) -> str:
    """What abidiff does not report: grown structs that carry their size, more enumerators and slots; and experimental functions."""
    grown = [f"name_regexp = ^({'|'.join(header.sized)})$", "type_kind = struct", "has_data_member_inserted_at = end"]
    lines = ["[suppress_type]", *grown]
    if not experimental:
        names = [name for name, (_, stable, _) in header.functions.items() if not stable]
        if names:
            lines += ["", "[suppress_function]", f"name_regexp = ^({'|'.join(names)})$"]
    return "\n".join([*lines, ""])


def write_baseline(text: str, baseline: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = Header(text).library(folder, text)
        command = ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--drop-private-types"]
        headers = ["--headers-dir", str(folder / "include")]
        subprocess.run([*command, *headers, "--out-file", str(baseline), str(library)], check=True)


def compare(text: str, baseline: Path) -> tuple[str, str]:
    """What must not be, and what is reported of experimental functions; both empty if nothing changed."""
    header = Header(text)
    before = slots_of(baseline.read_text(encoding="utf-8"))
    assert before, f"{baseline} has no slots"
    moved = [
        f"slot {slot} was {before[slot]}'s and is {function}'s"
        for function, (_, _, slot) in header.functions.items()
        if before.get(slot, function) != function
    ]
    reports = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = header.library(folder, text)
        for experimental in (True, False):
            rules = folder / "rules.ini"
            rules.write_text(suppressions(header, experimental), encoding="utf-8")
            options = ["--suppr", str(rules), "--no-show-locs", *([] if experimental else ["--no-added-syms"])]
            done = subprocess.run(["abidiff", *options, str(baseline), str(library)], capture_output=True, text=True)
            assert not done.returncode & (ERROR | USAGE), f"abidiff: {done.stdout}{done.stderr}"
            reports[experimental] = done.stdout if done.returncode & (CHANGED | INCOMPATIBLE) else ""
    return "\n".join([*moved, reports[False]]).strip(), reports[True].strip()


def prove(text: str) -> None:
    """The check itself, on the header with changes planted into it."""
    stable = text.replace(" * Experimental; slot", " * Stable since 1.0; slot")
    with tempfile.TemporaryDirectory() as name:
        baseline = Path(name) / "stable.abi"
        write_baseline(stable, baseline)

        def judge(what: str, pattern: str, to: str, refused: bool, of: str = stable) -> None:
            changed, count = re.subn(pattern, to, of, count=1, flags=re.MULTILINE)
            assert count == 1, f"{what}: there is nothing like {pattern!r} to change"
            bad, told = compare(changed, baseline)
            assert bool(bad) == refused, f"{what}: expected {'a refusal' if refused else 'to pass'}\n{bad}\n{told}"
            print(f"{'refused' if refused else 'let pass'}: {what}")

        judge("nothing", "\\A", "", False)
        judge("a function that is gone", r"^ANYDIM_API void anydim_text_destroy\(.*$", "", True)
        judge("a field of another type", r"^  int64_t multiple_of;", "  int32_t multiple_of;", True)
        judge("a field put in the middle", r"^  anydim_math_t math;", "  int32_t extra;\n  anydim_math_t math;", True)
        judge(
            "a field at the end of plain data",
            r"^  int64_t multiple_of;",
            "  int64_t multiple_of; int64_t extra;",
            True,
        )
        judge(
            "a field at the end of options",
            r"^\} anydim_context_options_t;",
            "int64_t extra; } anydim_context_options_t;",
            False,
        )
        judge("an enumerator of another number", r"ANYDIM_UNARY_RELU = 1,", "ANYDIM_UNARY_RELU = 101,", True)
        judge(
            "a further enumerator", r"ANYDIM_UNARY_RELU = 1,", "ANYDIM_UNARY_RELU = 1,\n  ANYDIM_EXTRA = 1001,", False
        )
        judge("another function in a slot", r"; slot 1\.", "; slot 2.", True)
        further = "/*\\n * Experimental; slot 9999.\\n */\\nANYDIM_API void anydim_extra(void) ANYDIM_NOTHROW;"
        judge("a further function", r"^(ANYDIM_API void anydim_text_destroy\(.*)$", f"\\1\\n{further}", False)
        other_type = r"anydim_tensor_destroy\(anydim_tensor_t ", "anydim_tensor_destroy(int32_t "
        judge("a parameter of another type", *other_type, True)
        judge("the same of the header as it is, where the function is stable", *other_type, True, text)
        other_type = r"anydim_layers_destroy\(anydim_layers_t ", "anydim_layers_destroy(int32_t "
        judge("the same of an experimental function", *other_type, False, text)


def main() -> None:
    text, baseline = in_one(Path(sys.argv[1])), Path(sys.argv[2])
    if "--renew" in sys.argv:
        write_baseline(text, baseline)
        print(f"written: {baseline} ({baseline.stat().st_size // 1000} kB)")
        return
    if "--prove" in sys.argv:
        prove(text)
        return
    bad, told = compare(text, baseline)
    if bad:
        print(bad)
        sys.exit("the ABI of stable functions, or a slot, has changed incompatibly (CONTRIBUTING.md, The ABI)")
    if told:
        print(f"since the baseline, experimental functions changed:\n{told}")
    functions = Header(text).functions
    unknown = sorted(functions.keys() - slots_of(baseline.read_text(encoding="utf-8")).values())
    if unknown:
        sys.exit(f"nothing would notice a change of {', '.join(unknown)}: not in {baseline.name}; --renew it")
    stable = sum(stable for _, stable, _ in functions.values())
    print(f"the ABI holds: {len(functions)} functions, {stable} of them stable")


if __name__ == "__main__":
    main()
