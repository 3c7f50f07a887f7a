# SPDX-License-Identifier: Apache-2.0
"""Emits docs/operators.md: every operator with its operands, outputs and attributes."""

from __future__ import annotations

import textwrap

from .operators import QUANTIZES, Attribute, Operators, inputs_text, outputs_text

LONG = 12  # words that get a table of their own
TYPE_TEXTS = {
    "flag": "flag",
    "integer": "whole number",
    "real": "real",
    "double": "real (64 bits)",
    "dtype": "dtype",
    "spatial": "whole number",
    "per_spatial": "whole numbers, one per spatial dim",
    "integers": "whole numbers",
    "perm": "axes",
    "reals": "reals",
    "dim": "size",
    "dims": "sizes",
    "dim_list": "sizes, any number",
}


def limits_text(a: Attribute) -> str:
    if a.min is None:
        return ""
    if a.name == "axis":
        return "-rank to rank - 1"
    return f"{a.min} to {a.max}" if a.max is not None and a.max < 2**31 else f"{a.min} or more"


def default_text(a: Attribute) -> str:
    if a.required:
        return "none"
    if a.type == "spatial":
        return "2"
    if a.is_list and a.type != "per_spatial":
        return "empty"
    if a.type == "flag":
        return str(int(bool(a.default)))
    if a.default is None:
        return "f32" if a.type == "dtype" else "0" if a.type in TYPE_TEXTS else "the first word"
    return str(a.default)


def row(operators: Operators, a: Attribute) -> str:
    kind = TYPE_TEXTS.get(a.type)
    if kind is None:
        words = operators.words_of(a.type).values
        kind = ", ".join(f"`{v.name}`" for v in words) if len(words) < LONG else f"a [{a.type}](#{a.type})"
    text = " ".join(a.doc.split()).replace("|", "\\|")
    if limit := limits_text(a):
        kind += f", {limit}"
    return f"| `{a.name}` | {kind} | {default_text(a)} | {text} |"


def emit(operators: Operators) -> str:
    count = len(operators.operators)
    out = [
        "<!-- Generated from core/ops/described by capi/generator; do not edit. -->",
        "# Operators",
        "",
        *textwrap.wrap(
            f"The {count} operators that primitives and graphs are made of. Attributes have these names in C, in Python, in "
            "texts, logs and `explain`. Python takes `pads` for `pads_begin` and `pads_end`, and finds out `spatial` by "
            "itself. Sizes may follow from other dims in a graph; they are numbers in a primitive. What is computed, to "
            "the bit, is in [numerics.md](numerics.md); which ONNX operators become which is the importer's business "
            "([onnx.md](onnx.md)).",
            120,
        ),
        "",
        "| kind | inputs | outputs |",
        "|---|---|---|",
    ]
    for op in operators.operators:
        names = ", ".join(x.name + ("..." if x.variadic else "?" if x.optional else "") for x in op.operands) or "none"
        out.append(f"| [{op.kind}](#{op.kind}) | {names} | {len(op.outputs)} |")
    for op in operators.operators:
        out += ["", f"## {op.kind}", ""]
        quantizes = [QUANTIZES] if "quantizes" in op.traits else []
        for paragraph in (op.doc, inputs_text(op), outputs_text(op), *quantizes):
            out += [*textwrap.wrap(" ".join(paragraph.split()), 120, break_long_words=False), ""]
        if op.fields:
            out += ["| attribute | what it is | default | what it says |", "|---|---|---|---|"]
            out += [row(operators, a) for a in op.fields]
        else:
            out.append("It has no attributes.")
    for words in operators.words:
        if len(words.values) >= LONG:
            out += [
                "",
                f"## {words.name}",
                "",
                *textwrap.wrap(words.doc, 120),
                "",
                "| word | what it gives |",
                "|---|---|",
            ]
            out += [f"| `{v.name}` | {v.doc.replace('|', chr(92) + '|')} |" for v in words.values]
    return "\n".join([*out, ""])
