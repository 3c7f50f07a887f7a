# SPDX-License-Identifier: Apache-2.0
"""Writes onnx/schemas.cpp, what a node of each operator may look like version by version, out of the onnx package. Versions
that differ in nothing that the table holds are one row."""

from __future__ import annotations

import argparse
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "onnx" / "schemas.cpp"
UNBOUNDED = 2**31 - 1

HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Generated from the onnx package by tools/onnx_schemas.py; do not edit.
#include "onnx/schemas.h"

namespace anydim::onnx {
namespace {

constexpr Schema kSchemas[] = {
"""
TAIL = """\
};

}  // namespace

std::span<const Schema> all_schemas() noexcept { return kSchemas; }

}  // namespace anydim::onnx
"""


def row(schema: Any, last: bool) -> tuple[Any, ...]:
    attributes = " ".join(f"{name}{'!' if a.required else ''}" for name, a in sorted(schema.attributes.items()))

    def most(count: int) -> int:
        return -1 if count == UNBOUNDED else count

    # A version that is called deprecated although a newer one exists (GroupNormalization 18) is still what its opset means.
    return most(schema.max_input), most(schema.max_output), bool(schema.deprecated and last), attributes


def text() -> str:
    import onnx.defs

    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if not s.domain]
    schemas.sort(key=lambda schema: (schema.name, schema.since_version))
    lines = [HEAD]
    for name, history in groupby(schemas, key=lambda schema: schema.name):
        before = None
        versions = list(history)
        for schema in versions:
            this = row(schema, schema is versions[-1])
            if this != before:
                inputs, outputs, gone, attributes = this
                lines.append(
                    f'    {{"{name}", {schema.since_version}, {inputs}, {outputs}, {str(gone).lower()}, "{attributes}"}},\n'
                )
            before = this
    return "".join([*lines, TAIL])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file would change")
    if parser.parse_args().check:
        return int(TARGET.read_text(encoding="utf-8") != text())
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
