#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of Unicode. core/base/text/generated/letter_case_tables.inl.h: which characters are one character in the
other case, as glibc's C.UTF-8 has it (simple mappings of Unicode 14, independent of language).
onnx/strings/generated/unicode_categories.inl.h: the general category of each character, as this Python knows it. They change
when Unicode does: run it then, on Debian 12, and commit what it writes."""

from __future__ import annotations

import argparse
import ctypes
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LC_CTYPE_MASK = 1
HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Written by tools/unicode_tables.py; do not edit.\n"
CATEGORIES = "Cc Cf Cn Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()


def pairs(name: str) -> list[tuple[int, int]]:
    """Characters and what they become by towlower or towupper."""
    libc = ctypes.CDLL("libc.so.6")
    libc.newlocale.restype = ctypes.c_void_p
    libc.newlocale.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]
    function = getattr(libc, name)
    function.restype, function.argtypes = ctypes.c_uint32, [ctypes.c_uint32, ctypes.c_void_p]
    locale = libc.newlocale(LC_CTYPE_MASK, b"C.UTF-8", None)
    assert locale, "there is no locale C.UTF-8"
    found = []
    for c in range(0x110000):
        if 0xD800 <= c < 0xE000:
            continue
        to = function(c, locale)
        if to != c:
            assert len(chr(to).encode()) * 2 <= len(chr(c).encode()) * 3, f"U+{c:04X} grows more than by half"
            found.append((c, to))
    return found


def runs(changes: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """First character, last one, step between them, and what is added."""
    out: list[list[int]] = []
    for c, to in changes:
        last = out[-1] if out else None
        if last and last[3] == to - c:
            step = c - last[1]
            if step <= 2 and (last[0] == last[1] or step == last[2]):
                last[1], last[2] = c, step
                continue
        out.append([c, c, 1, to - c])
    return [(a, b, s, d) for a, b, s, d in out]


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    text = HEAD
    for name, function in (("kToLower", "towlower"), ("kToUpper", "towupper")):
        rows = [f"{{{a:#x}, {b:#x}, {s}, {d}}}" for a, b, s, d in runs(pairs(function))]
        text += f"constexpr CaseRun {name}[] = {{\n"
        text += "".join("    " + ", ".join(rows[i : i + 4]) + ",\n" for i in range(0, len(rows), 4)) + "};\n"
    (ROOT / "core/base/text/generated/letter_case_tables.inl.h").write_text(text)

    starts: list[int] = []
    before = ""
    for c in range(0x110000):
        category = unicodedata.category(chr(c))
        if category != before:
            starts.append(c << 5 | CATEGORIES.index(category))
            before = category
    text = HEAD + "// Where a category begins: the character times 32, plus the category's index among the names.\n"
    text += "constexpr const char kCategoryNames[][3] = {" + ", ".join(f'"{c}"' for c in CATEGORIES) + "};\n"
    text += "constexpr uint32_t kCategoryStarts[] = {\n"
    text += (
        "".join("    " + ", ".join(f"{s:#x}" for s in starts[i : i + 12]) + ",\n" for i in range(0, len(starts), 12))
        + "};\n"
    )
    (ROOT / "onnx/strings/generated/unicode_categories.inl.h").write_text(text)


if __name__ == "__main__":
    main()
