# SPDX-License-Identifier: Apache-2.0
"""Emits docs/reference/: the manual of the C API as pages, one for each module, and an index of all functions. The headers say the
same; here it is to be read and linked to."""

from __future__ import annotations

import textwrap

from .c_header import CODE, GENERATED, callback_text, enumerator, field_type, paragraphs, param_type, signature
from .cpp_header import handle_of, short_name
from .description import Api, Callback, Enum, Function, Handle, Module, Param, Struct
from .spelling import camel, upper

WIDTH = 120


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def table(head: str, rows: list[tuple[str, ...]]) -> list[str]:
    lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    return [*lines, *("| " + " | ".join(cell(part) for part in row) + " |" for row in rows), ""]


def prose(text: str) -> list[str]:
    """Paragraphs, lists and code, wrapped."""
    lines: list[str] = []
    code: list[str] = []
    for paragraph in [*paragraphs(text), ""]:
        if paragraph.startswith(CODE):
            code.append(paragraph.removeprefix(CODE))
            continue
        if code:
            lines += ["```c", *code, "```", ""]
            code = []
        if paragraph == "Example:" or not paragraph:
            continue
        hang = "  " if paragraph.startswith("- ") else ""
        lines += textwrap.wrap(paragraph, WIDTH, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
        if not hang:
            lines.append("")
    if lines and lines[-1]:
        lines.append("")
    return lines


def in_cpp(api: Api, function: Function) -> str:
    """What the function is called in anydim.hpp."""
    if function.destroys:
        return f"the destructor of {camel(function.destroys)}"
    handle, method = handle_of(api, function)
    if handle is None:
        return f"anydim::{function.name}"
    where = f"a method of {camel(handle.name)}" if method else f"a factory of {camel(handle.name)}"
    return f"{short_name(handle, function)}, {where}"


def role(p: Param) -> str:
    words = {"in": "in", "out": "out", "inout": "in and out"}[p.dir]
    if p.transfer == "caller":
        words += ", the caller's to destroy"
    return words + (", or null" if p.optional else "")


def function_text(api: Api, function: Function) -> list[str]:
    lines = [f"### anydim_{function.name}", "", "```"]
    head, _, rest = (signature(function) + ";").partition("(")
    lines += textwrap.wrap(f"{head}({rest}", WIDTH, subsequent_indent="    ", break_long_words=False)
    lines += ["```", "", *prose(function.doc)]
    if function.params:
        rows = [(p.name, param_type(p), role(p), p.doc) for p in function.params]
        lines += table("parameter | type | direction | what it is", rows)
    notes = [f"{function.lifecycle[0].upper()}{function.lifecycle[1:]}, slot {function.slot}"]
    if function.blocking:
        notes.append("may block")
    if function.errors:
        notes.append(f"fails with {', '.join(function.errors)}")
    notes.append(f"in C++ {in_cpp(api, function)}")
    return [*lines, *prose("; ".join(notes) + "."), ""][:-1]


def handle_text(handle: Handle) -> list[str]:
    rule = "Any number of threads may use it at once." if handle.sharing == "many" else "It has one user at a time."
    parent = f" It keeps its {handle.parent} alive." if handle.parent else ""
    return [f"### anydim_{handle.name}_t", "", *prose(f"{handle.doc} {rule}{parent}")]


def enum_text(enum: Enum) -> list[str]:
    rows = [(enumerator(enum, v.name), str(v.value), v.doc) for v in enum.values]
    return [f"### anydim_{enum.name}_t", "", *prose(enum.doc), *table("name | number | meaning", rows)]


def struct_text(struct: Struct) -> list[str]:
    kinds = {
        "value": "Plain data.",
        "in": f"Options: begin from {upper(struct.name)}_INIT.",
        "out": f"Information: begin from {upper(struct.name)}_INIT.",
        "op": f"Attributes of an operator: begin from {upper(struct.name)}_INIT.",
    }
    rows = [(f.name + (f"[{f.count}]" if f.count > 1 else ""), field_type(f), f.doc) for f in struct.fields]
    lines = [f"### anydim_{struct.name}_t", "", *prose(f"{struct.doc.rstrip()}\n\n{kinds[struct.kind]}")]
    return lines + (table("field | type | meaning", rows) if rows else [])


def callback_page(callback: Callback) -> list[str]:
    declared = callback_text(callback)[-1]
    lines = [f"### anydim_{callback.name}_callback_t", "", "```", declared, "```", "", *prose(callback.doc)]
    return [*lines, *prose(f"Thread rule: {callback.threads}"), *table_of_callback(callback)]


def table_of_callback(callback: Callback) -> list[str]:
    rows = [("user", "void*", "The environment that was given with it.")]
    return table("parameter | type | what it is", [*rows, *((p.name, param_type(p), p.doc) for p in callback.params)])


def module_page(api: Api, module: Module) -> str:
    lines = [f"<!-- {GENERATED} -->", f"# {module.name}", "", *prose(module.doc)]
    lines += [f"Header: `anydim/{module.name}.h`. [All modules](README.md).", ""]
    for title, parts in (
        ("Handles", [line for h in module.handles for line in handle_text(h)]),
        ("Functions", [line for f in module.functions for line in function_text(api, f)]),
        ("Structs", [line for s in module.structs if s.kind != "op" for line in struct_text(s)]),
        ("Enums", [line for e in module.enums for line in enum_text(e)]),
        ("Callbacks", [line for c in module.callbacks for line in callback_page(c)]),
    ):
        if parts:
            lines += [f"## {title}", "", *parts]
    if any(s.kind == "op" for s in module.structs):
        lines += ["The structs of operators have the attributes that [operators.md](../operators.md) lists.", ""]
    if module.constants:
        rows = [(upper(c.name), str(c.value), c.doc) for c in module.constants]
        lines += ["## Constants", "", *table("name | value | meaning", rows)]
    return "\n".join(lines)


def index_page(api: Api) -> str:
    lines = [f"<!-- {GENERATED} -->", "# Reference manual of the C API", "", *prose(api.doc)]
    for module in api.modules:
        lines += [f"## [{module.name}]({module.name}.md)", "", *prose(module.doc)]
        names = [f"[anydim_{f.name}]({module.name}.md#anydim_{f.name})" for f in module.functions]
        lines += [*textwrap.wrap(", ".join(names), WIDTH, break_long_words=False, break_on_hyphens=False), ""]
    return "\n".join(lines)


def pages(api: Api) -> dict[str, str]:
    """The pages by name."""
    return {"README.md": index_page(api)} | {f"{m.name}.md": module_page(api, m) for m in api.modules}
