# SPDX-License-Identifier: Apache-2.0
"""Writes onnx/format/generated/schemas.cpp, what a node of each operator may look like version by version, out of the onnx package. Versions
that differ in nothing that the table holds are one row. The element types of inputs are one row for an operator: what any of its
versions takes. Texts are places in one pool: a pointer to each would have 24 bytes of relocations in the library."""

from __future__ import annotations

import argparse
import string
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "onnx" / "format" / "generated" / "schemas.cpp"
UNBOUNDED = 2**31 - 1
DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview.training")
LETTERS = string.ascii_uppercase + string.ascii_lowercase

HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Generated from the onnx package by tools/onnx_schemas.py; do not edit.
#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

constexpr SchemaRow kSchemas[] = {
"""
SETS_HEAD = """\
};

// Sets of element types, bit i for the DType of number i.
constexpr uint32_t kSets[] = {
"""
TYPES_HEAD = """\
};

// For each input a letter that says which set, and a digit: inputs of one digit have one type.
constexpr InputTypesRow kInputTypes[] = {
"""
POOL_HEAD = """\
};

constexpr char kPool[] =
"""
TAIL = """\

}  // namespace

std::string_view text_of(PoolText t) noexcept { return {kPool + t.at, t.size}; }
std::span<const SchemaRow> all_schemas() noexcept { return kSchemas; }
std::span<const InputTypesRow> all_input_types() noexcept { return kInputTypes; }
std::span<const uint32_t> type_sets() noexcept { return kSets; }

}  // namespace anydim::onnx
"""

# The numbers of core/tensor/dtype.h.
DTYPES = {
    "float": 1, "double": 2, "float16": 3, "bfloat16": 4, "int8": 5, "uint8": 6, "int16": 7, "uint16": 8, "int32": 9, "uint32": 10,
    "int64": 11, "uint64": 12, "bool": 13, "float8e4m3fn": 14, "float8e4m3fnuz": 15, "float8e5m2": 16, "float8e5m2fnuz": 17, "float8e8m0": 18,
    "float4e2m1": 19, "int4": 20, "uint4": 21, "int2": 22, "uint2": 23,
}  # fmt: skip


class Pool:
    """Texts in one string; what is part of another text needs no place of its own."""

    def __init__(self, texts: list[str]) -> None:
        self.text = ""
        for word in sorted(set(texts), key=lambda w: (-len(w), w)):
            if word not in self.text:
                self.text += word

    def place(self, word: str) -> str:
        return f"{{{self.text.index(word)}, {len(word)}}}"

    def lines(self) -> list[str]:
        pieces = [self.text[i : i + 120] for i in range(0, len(self.text), 120)]
        return [POOL_HEAD, "\n".join(f'    "{piece}"' for piece in pieces), ";\n"]


def required_inputs(versions: list[Any]) -> int:
    """A bit for each input that no version which has it lets be absent: writers were as free with older versions as newer ones allow."""
    bits = 0
    for at in range(max(len(version.inputs) for version in versions)):
        options = {version.inputs[at].option.name for version in versions if len(version.inputs) > at}
        if options == {"Variadic"} and at < 31:
            bits |= (1 << 32) - (1 << at)
        elif options == {"Single"}:
            bits |= 1 << at
    return bits


def row(schema: Any, versions: list[Any]) -> tuple[Any, ...]:
    attributes = " ".join(f"{name}{'!' if a.required else ''}" for name, a in sorted(schema.attributes.items()))

    def most(count: int) -> int:
        return -1 if count == UNBOUNDED else count

    # A version that is called deprecated although a newer one exists (GroupNormalization 18) is still what its opset means, and so are
    # the trees of ai.onnx.ml before version 5.
    gone = schema.deprecated and schema is versions[-1] and not schema.domain
    having = required_inputs(versions) & (2**32 - 1 if schema.max_input == UNBOUNDED else 2**schema.max_input - 1)
    return most(schema.max_input), having, most(schema.max_output), bool(gone), attributes


def set_of(formal: Any) -> int:
    """The types that a version allows for an input, as bits."""
    names = [name.removeprefix("tensor(").removesuffix(")") for name in formal.types if name.startswith("tensor(")]
    return sum(1 << DTYPES[name] for name in names if name in DTYPES)


def input_types(versions: list[Any]) -> list[tuple[int, int]]:
    """Of each input the union of the sets of all versions, and a number that it shares with the inputs whose type is its own in every
    version that has both."""
    types: list[tuple[int, int]] = []
    for at in range(max(len(version.inputs) for version in versions)):
        having = [version.inputs for version in versions if len(version.inputs) > at]
        allowed = 0
        for inputs in having:
            allowed |= set_of(inputs[at])
        alike = (b for b in range(at) if all(inputs[b].type_str == inputs[at].type_str for inputs in having))
        first = next(alike, None)
        types.append((allowed, len({number for _, number in types}) if first is None else types[first][1]))
    return types


def heterogeneous(versions: list[Any]) -> bool:
    return any(formal.option.name == "Variadic" and not formal.is_homogeneous for v in versions for formal in v.inputs)


def rows_of_types(histories: dict[str, list[Any]], sets: dict[int, int]) -> dict[str, str]:
    """By operator the letters and digits of its inputs; new sets are added to `sets`, which numbers them."""
    rows = {}
    for name, versions in histories.items():
        types = [] if heterogeneous(versions) else input_types(versions)
        if any(allowed for allowed, _ in types):
            rows[name] = "".join(f"{LETTERS[sets.setdefault(allowed, len(sets))]}{number}" for allowed, number in types)
    return rows


def rows_of_versions(histories: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    rows = []
    for name, versions in histories.items():
        before = None
        for schema in versions:
            this = row(schema, versions)
            if this != before:
                rows.append((name, schema.since_version, *this))
            before = this
    return rows


def text() -> str:
    import onnx.defs

    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain in DOMAINS]
    if len({(s.domain, s.name) for s in schemas}) != len({s.name for s in schemas}):
        raise ValueError("an operator's name is in several domains")
    schemas.sort(key=lambda schema: (schema.name, schema.since_version))
    histories = {name: list(history) for name, history in groupby(schemas, key=lambda schema: schema.name)}
    sets: dict[int, int] = {}
    versions = rows_of_versions(histories)
    types = rows_of_types(histories, sets)
    pool = Pool([*histories, *(attributes for *_, attributes in versions), *types.values()])
    lines = [HEAD]
    for name, since, inputs, required, outputs, gone, attributes in versions:
        places = f"{pool.place(name)}, {pool.place(attributes)}"
        counts = f"0x{required:x}, {since}, {inputs}, {outputs}, {str(gone).lower()}"
        lines.append(f"    {{{places}, {counts}}},  // {name} {attributes}".rstrip() + "\n")
    lines += [SETS_HEAD, "    ", ", ".join(f"0x{bits:06x}" for bits in sets), ",\n", TYPES_HEAD]
    lines += [
        f"    {{{pool.place(name)}, {pool.place(letters)}}},  // {name} {letters}\n" for name, letters in types.items()
    ]
    return "".join([*lines, *pool.lines(), TAIL])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file would change")
    if parser.parse_args().check:
        return int(TARGET.read_text(encoding="utf-8") != text())
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
