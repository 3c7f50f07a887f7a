# SPDX-License-Identifier: Apache-2.0
"""Emits the headers, one per module, and anydim.h, which includes them: C99, also C++. They are meant to be read as the manual
of the C API."""

from __future__ import annotations

import textwrap

from .description import SCALARS, Api, Callback, DescriptionError, Enum, Field, Function, Module, Param, Struct

WIDTH = 118
CODE = "    "  # what a line of code in a text begins with
GENERATED = "Generated from capi/api and core/ops/described by capi/generator; do not edit."


def upper(name: str) -> str:
    return f"ANYDIM_{name.upper()}"


def enumerator(enum: Enum, name: str) -> str:
    return upper(enum.prefix + name)


def comment(text: str, indent: str = "") -> list[str]:
    """A block comment, its paragraphs and lists filled to the width, its code as it is."""
    lines: list[str] = []
    if "*/" in text:
        raise DescriptionError(f"a comment would end within it: {text.splitlines()[0]}")
    for paragraph in paragraphs(text):
        if paragraph.startswith(CODE):
            lines.append(paragraph)
            continue
        hang = "  " if paragraph.startswith("- ") else ""
        lines += textwrap.wrap(paragraph, WIDTH - 4 - len(indent), subsequent_indent=hang, break_long_words=False) or [
            ""
        ]
    if len(lines) == 1:
        return [f"{indent}/* {lines[0]} */"]
    return [f"{indent}/*", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def paragraphs(text: str) -> list[str]:
    """Lines joined; a new paragraph at an empty line, a list item, or a word that begins one. Indented lines are code."""
    out: list[str] = []
    for line in text.strip().splitlines():
        stripped = line.strip()
        if line.startswith(CODE):
            out.append(line.rstrip())
            continue
        starts = stripped.startswith(("- ", "Errors:", "Example:", "Thread rule:", "Output:", "Conventions"))
        if not out or not stripped or starts or out[-1] == "" or out[-1].startswith(CODE):
            out.append(stripped)
        else:
            out[-1] += " " + stripped
    return out


def field_type(f: Field) -> str:
    word, _, name = f.type.partition(" ")
    if word in SCALARS:
        return SCALARS[word][0]
    if f.array:
        return f"anydim_{name}_t const*"
    if word in ("enum", "value", "handle"):
        return f"anydim_{name}_t"
    if word == "callback":
        return f"anydim_{name}_callback_t"
    return {"pointer": "void*", "chars": "const char*", "string": "anydim_string_t", "int64s": "const int64_t*"}[word]


def param_type(p: Param) -> str:
    word, _, name = p.type.partition(" ")
    star = "*" if p.dir != "in" else ""
    if word in SCALARS:
        base = SCALARS[word][0]
    elif word in ("handle", "enum"):
        base = f"anydim_{name}_t"
    elif word == "string":
        return "const char*"
    elif word == "pointer":
        return "void*" + star
    elif word == "bytes":
        return "const void*"
    elif word == "op":
        return "const anydim_op_t*"
    elif word == "callback":
        return f"anydim_{name}_callback_t"
    elif word == "view":
        return "const anydim_view_t*" if p.dir == "in" else "anydim_view_t*"
    else:  # struct, value: by address
        base = f"anydim_{name}_t"
        if p.dir == "in" and not (word == "value" and p.array):
            return f"const {base}*"
    if p.array:
        # An array of pointers-to-const handles needs no const of its own before the star.
        return f"{base} const*" if word == "handle" else f"const {base}*"
    return base + star


def return_type(function: Function) -> str:
    word, _, name = function.returns.partition(" ")
    if word == "value":
        return f"anydim_{name}_t"
    return {"status": "anydim_status_t", "chars": "const char*", "void": "void"}[word]


def signature(function: Function) -> str:
    params = ", ".join(f"{param_type(p)} {p.name}" for p in function.params) or "void"
    return f"{return_type(function)} anydim_{function.name}({params})"


def declaration(function: Function) -> list[str]:
    must_use = "ANYDIM_MUST_USE " if function.returns == "status" else ""
    deprecated = "ANYDIM_DEPRECATED " if function.deprecated else ""
    head = f"{must_use}ANYDIM_API {deprecated}{signature(function)} ANYDIM_NOTHROW;"
    if len(head) <= WIDTH:
        return [head]
    start, _, rest = head.partition("(")
    return textwrap.wrap(start + "(" + rest, WIDTH, subsequent_indent="    ", break_long_words=False)


def function_text(function: Function) -> list[str]:
    lines = function.doc.strip().splitlines()
    for p in function.params:
        marks = [m for m, on in (("out", p.dir == "out"), ("in and out", p.dir == "inout")) if on]
        if p.transfer == "caller":
            marks.append("the caller destroys it")
        if p.optional and not function.destroys:
            marks.append("may be null")
        lines.append(f"- {p.name}{' (' + ', '.join(marks) + ')' if marks else ''}: {p.doc}")
    lifecycle = function.lifecycle[0].upper() + function.lifecycle[1:]
    lines.append("")
    fails = "; fails with " + ", ".join(function.errors) if function.errors else ""
    lines.append(f"{lifecycle}; slot {function.slot}{'; may block' if function.blocking else ''}{fails}.")
    return comment("\n".join(lines)) + declaration(function)


def initialiser(api: Api, struct: Struct) -> str:
    parts = []
    for f in struct.fields:
        word, _, name = f.type.partition(" ")
        if word == "value":
            one = "{0, 0, {0}}" if name in ("dims", "reals") else "{0}"
        elif word == "string":
            one = f"{{{upper('null')}, 0}}"
        elif f.array or word in ("pointer", "chars", "int64s", "handle", "callback"):
            one = upper("null")
        elif f.type == "float":
            one = f"{float(f.default)}f"
        elif f.type == "double":
            one = repr(float(f.default))
        else:
            one = str(int(f.default))
        parts.append(one if f.count == 1 else "{" + ", ".join([one] * f.count) + "}")
    size = f"sizeof(anydim_{struct.name}_t)"
    head = f"{{{size}, {upper('op_' + struct.name)}}}" if struct.kind == "op" else size
    return "{" + ", ".join([head, *parts]) + "}"


def documented(member: str, doc: str) -> list[str]:
    """A member with its text behind it, or above it where the line would be too long."""
    line = f"  {member} /* {doc} */"
    return [line] if len(line) <= WIDTH else [*comment(doc, "  "), f"  {member}"]


def struct_text(api: Api, struct: Struct) -> list[str]:
    lines = comment(struct.doc)
    lines.append(f"typedef struct anydim_{struct.name}_t {{")
    if struct.kind == "op":
        lines.append("  anydim_op_t op; /* Size and kind: from the _INIT value. */")
    elif struct.kind != "value":
        lines.append("  uint32_t size; /* sizeof this struct: from the _INIT value. */")
    for f in struct.fields:
        count = f"[{f.count}]" if f.count > 1 else ""
        lines += documented(f"{field_type(f)} {f.name}{count};", f.doc)
    lines.append(f"}} anydim_{struct.name}_t;")
    if struct.kind != "value":
        lines.append(f"#define {upper(struct.name)}_INIT {initialiser(api, struct)}")
    return lines


def enum_text(enum: Enum) -> list[str]:
    lines = [*comment(enum.doc), f"typedef int32_t anydim_{enum.name}_t;", "enum {"]
    for v in enum.values:
        comma = "" if v is enum.values[-1] else ","  # C89 has none behind the last
        lines += documented(f"{enumerator(enum, v.name)} = {v.value}{comma}", v.doc)
    return [*lines, "};"]


def callback_text(callback: Callback) -> list[str]:
    lines = [*callback.doc.strip().splitlines(), f"Thread rule: {callback.threads}"]
    lines += ["- user: The environment that was given with it.", *(f"- {p.name}: {p.doc}" for p in callback.params)]
    result = {"void": "void", "pointer": "void*"}.get(callback.returns) or SCALARS[callback.returns][0]
    params = ", ".join(["void* user", *(f"{param_type(p)} {p.name}" for p in callback.params)])
    return [*comment("\n".join(lines)), f"typedef {result} (*anydim_{callback.name}_callback_t)({params});"]


def emit_macros(api: Api) -> list[str]:
    v = api.version
    return [
        "#include <stdint.h>",
        "",
        f"#define ANYDIM_VERSION_MAJOR {v.major}",
        f"#define ANYDIM_VERSION_MINOR {v.minor}",
        f"#define ANYDIM_VERSION_PATCH {v.patch}",
        "/* 1 if this header is of that version or of a newer one: #if ANYDIM_VERSION_AT_LEAST(0, 2, 0). */",
        "#define ANYDIM_VERSION_AT_LEAST(x, y, z) \\",
        "  (ANYDIM_VERSION_MAJOR > (x) || (ANYDIM_VERSION_MAJOR == (x) && (ANYDIM_VERSION_MINOR > (y) || \\",
        "  (ANYDIM_VERSION_MINOR == (y) && ANYDIM_VERSION_PATCH >= (z)))))",
        "",
        "#if defined(__GNUC__)",
        '#define ANYDIM_API __attribute__((visibility("default")))',
        "#else",
        "#define ANYDIM_API",
        "#endif",
        "/* Before a function that another one replaces. A program that defines ANYDIM_NO_DEPRECATION gets no warnings. */",
        "#if defined(__GNUC__) && !defined(ANYDIM_NO_DEPRECATION)",
        "#define ANYDIM_DEPRECATED __attribute__((deprecated))",
        "#else",
        "#define ANYDIM_DEPRECATED",
        "#endif",
        "/*",
        " * Before a function whose status must be looked at: compilers warn of a call that drops it. A program that defines",
        " * ANYDIM_NO_MUST_USE gets no warnings. A cast to void says that a status is dropped on purpose; GCC takes it from "
        "C++17 and C23 on.",
        " */",
        "#if defined(ANYDIM_NO_MUST_USE)",
        "#define ANYDIM_MUST_USE",
        "#elif (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)",
        "#define ANYDIM_MUST_USE [[nodiscard]]",
        "#elif defined(__GNUC__)",
        "#define ANYDIM_MUST_USE __attribute__((warn_unused_result))",
        "#else",
        "#define ANYDIM_MUST_USE",
        "#endif",
        "/* The null pointer of the _INIT values, in C and in C++. */",
        "#if defined(__cplusplus) && __cplusplus >= 201103L",
        "#define ANYDIM_NULL nullptr",
        "#else",
        "#define ANYDIM_NULL 0",
        "#endif",
        "#if defined(__cplusplus) && __cplusplus >= 201103L",
        "#define ANYDIM_NOTHROW noexcept",
        "#elif defined(__cplusplus)",
        "#define ANYDIM_NOTHROW throw()",
        "#else",
        "#define ANYDIM_NOTHROW",
        "#endif",
        "",
    ]


def guarded(name: str, head: list[str], body: list[str]) -> str:
    guard = f"ANYDIM_{name.upper()}_H"
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* {GENERATED} */",
        *head,
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *body,
        f"#endif /* {guard} */",
        "",
    ]
    return "\n".join(out)


def emit_module(api: Api, module: Module) -> str:
    first = api.modules[0].name
    out = emit_macros(api) if module.name == first else []
    included = (
        [] if module.name == first else [n for n in (m.name for m in api.modules) if n == first or n in module.needs]
    )
    out += [f'#include "anydim/{name}.h"' for name in included]
    out += [*([""] if included else []), "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for constant in module.constants:
        out += [*comment(constant.doc), f"#define {upper(constant.name)} {constant.value}", ""]
    for handle in module.handles:
        many = handle.sharing == "many"
        rule = "Many threads may use it at once." if many else "One user at a time."
        parent = f" It keeps its {handle.parent} alive." if handle.parent else ""
        const = "const " if many else ""
        out += comment(f"{handle.doc} {rule}{parent}")
        out += [f"typedef {const}struct anydim_{handle.name}_s* anydim_{handle.name}_t;", ""]
    for enum in module.enums:
        out += [*enum_text(enum), ""]
    # Structs have callbacks, and callbacks get values: those first.
    read = {p.type for c in module.callbacks for p in c.params}
    values = [s for s in module.structs if f"value {s.name}" in read]
    for struct in values:
        out += [*struct_text(api, struct), ""]
    for callback in module.callbacks:
        out += [*callback_text(callback), ""]
    for struct in module.structs:
        if struct not in values:
            out += [*struct_text(api, struct), ""]
    for function in module.functions:
        out += [*function_text(function), ""]
    out += ["#ifdef __cplusplus", '} /* extern "C" */', "#endif", ""]
    return guarded(module.name, comment(module.doc), out)


def emit_all(api: Api) -> str:
    head = comment(f"Anydim {api.version}.\n\n{api.doc}")
    modules = [
        "The headers, each of which may be included alone:",
        *(f"- anydim/{m.name}.h: {m.doc}" for m in api.modules),
    ]
    includes = [f'#include "anydim/{m.name}.h"' for m in api.modules]
    return guarded("anydim", head, [*comment("\n".join(modules)), *includes, ""])


def files(api: Api) -> dict[str, str]:
    """The headers by name."""
    return {"anydim.h": emit_all(api)} | {f"{m.name}.h": emit_module(api, m) for m in api.modules}
