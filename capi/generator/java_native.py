# SPDX-License-Identifier: Apache-2.0
"""Emits the low-level Java classes: NativeCalls, a static method per function of the C API, and NativeStructs, its structs. jni.py
emits the other side, java_types.py has the rules. What people use is written over them by hand, but for enums (java_enums.py)
and operators (java_operators.py)."""

from __future__ import annotations

import re
import textwrap

from .c_header import GENERATED, WIDTH
from .description import Api, Field, Function, Param, Struct
from .java_types import (
    SKIPPED,
    Type,
    arrays,
    counts,
    inputs,
    offsets,
    options_fields,
    output_fields,
    outputs,
    result_type,
    type_of_field,
    type_of_input,
    words,
)
from .jni import IMAGES
from .spelling import camel, lower_camel

BANNER = f"// SPDX-License-Identifier: Apache-2.0\n// {GENERATED}\n"
PACKAGE = "package org.anydim;"


def html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")


def javadoc(text: str, indent: str = "", *tags: str) -> list[str]:
    """A documentation comment. Paragraphs are parted by empty lines; what is code is the caller's to mark."""
    lines: list[str] = []
    for i, paragraph in enumerate(text.strip().split("\n\n")):
        joined = ("<p>" if i else "") + " ".join(paragraph.split())
        lines += ([""] if i else []) + textwrap.wrap(joined, WIDTH - 4 - len(indent), break_long_words=False)
    if tags:
        lines.append("")
        for tag in tags:
            lines += textwrap.wrap(tag, WIDTH - 4 - len(indent), subsequent_indent="    ", break_long_words=False)
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def first_sentence(doc: str) -> str:
    return re.split(r"(?<=\.) ", " ".join(doc.split()))[0]


def wrapped(start: str, items: list[str], end: str, indent: str) -> list[str]:
    """A list of parameters, broken where it has to be."""
    whole = f"{indent}{start}({', '.join(items)}){end}"
    if len(whole) <= WIDTH:
        return [whole]
    kept = ", ".join(item.replace(" ", "\0") for item in items)  # a declaration stays on one line
    rest = textwrap.wrap(kept + ")" + end, WIDTH - len(indent) - 4, break_long_words=False)
    return [f"{indent}{start}(", *(f"{indent}    {line}".replace("\0", " ") for line in rest)]


def declared(p: Param) -> list[str]:
    """A parameter of the method that the package calls."""
    if p.type.startswith("struct "):
        return [f"NativeStructs.{camel(p.type.partition(' ')[2])} {lower_camel(p.name)}"]
    if p.type == "op":
        return [f"OperatorImage {lower_camel(p.name)}"]
    return [f"{type_of_input(p).java} {lower_camel(p.name)}"]


def crossing(api: Api, p: Param) -> tuple[list[str], list[str]]:
    """What a parameter is for the native method: its declarations, and what is passed."""
    n = lower_camel(p.name)
    if p.type.startswith("struct "):
        fields = options_fields(api.struct(p.type.partition(" ")[2]))
        names = [lower_camel(f.name) for f in fields]
        return (
            [f"{type_of_field(f).java} {n}{camel(f.name)}" for f in fields],
            [f"{n}.{name}" for name in names],
        )
    if p.type == "op":
        return [f"long[] {n}", f"long[] {n}List", f"int {n}ListAt"], [f"{n}.words()", f"{n}.list()", f"{n}.listAt()"]
    return [f"{type_of_input(p).java} {n}"], [n]


def method(api: Api, function: Function) -> list[str]:
    name = lower_camel(function.name)
    result: Type | None = result_type(function)
    in_params = inputs(function)
    numbers, texts = arrays(api, function)
    native = [text for p in in_params for text in crossing(api, p)[0]]
    native += ["long[] numbers"] * bool(numbers) + ["byte[][] texts"] * bool(texts)
    results = [p for p in outputs(function) if p.type.startswith("struct ")]
    returned = "void" if result is None else result.java
    doc = javadoc(html(first_sentence(function.doc)), "  ")
    simple = not results and not any(p.type == "op" or p.type.startswith("struct ") for p in in_params)
    if simple:
        return [*doc, *wrapped(f"static native {returned} {name}", native, ";", "  ")]
    # A method with structs, over the native one with their fields.
    shown = [text for p in in_params for text in declared(p)]
    passed = [text for p in in_params for text in crossing(api, p)[1]]
    lines = []
    if results:
        struct = f"NativeStructs.{camel(results[0].type.partition(' ')[2])}"
        returned = struct
        if numbers:
            lines.append(f"    long[] numbers = new long[{numbers}];")
            passed.append("numbers")
        if texts:
            lines.append(f"    byte[][] texts = new byte[{texts}][];")
            passed.append("texts")
        lines += wrapped(name, passed, ";", "    ")
        made = ", ".join(["numbers"] * bool(numbers) + ["texts"] * bool(texts))
        lines.append(f"    return new {struct}({made});")
    else:
        if numbers:
            shown.append("long[] numbers")
            passed.append("numbers")
        lines += wrapped(f"{'return ' if result else ''}{name}", passed, ";", "    ")
    inner = "void" if results or result is None else result.java
    return [
        *doc,
        *wrapped(f"static {returned} {name}", shown, " {", "  "),
        *lines,
        "  }",
        "",
        *wrapped(f"private static native {inner} {name}", native, ";", "  "),
    ]


def emit_calls(api: Api) -> str:
    out = [
        BANNER + PACKAGE,
        "",
        *javadoc(
            "The C API, function by function. Handles and addresses are longs, texts are bytes that end with a zero, views and dims "
            "are images of C's structs (NativeStructs). A failure is an AnydimException. Nothing here keeps anything alive or "
            "counts users: that is for NativeObject."
        ),
        "final class NativeCalls {",
        "  static {",
        "    NativeLibrary.load();",
        "  }",
        "",
        "  private NativeCalls() {}",
    ]
    for function in api.functions:
        if not function.skipped_in(SKIPPED):
            out += ["", *method(api, function)]
    return "\n".join([*out, "}", ""])


def java_default(f: Field, t: Type) -> str:
    if t.default == "null":
        return ""
    if t.java == "float":
        return f" = {float(f.default)}f" if f.default else ""
    return f" = {int(f.default)}" if f.default else ""


def options_class(struct: Struct) -> list[str]:
    out = [*javadoc(html(first_sentence(struct.doc)), "  "), f"  static final class {camel(struct.name)} {{"]
    for f in options_fields(struct):
        t = type_of_field(f)
        out += [*javadoc(html(f.doc), "    "), f"    {t.java} {lower_camel(f.name)}{java_default(f, t)};"]
    return [*out, "  }"]


def output_type(api: Api, f: Field) -> tuple[str, str]:
    """Type of a field of a report, and how it is made at %n (numbers) and %t (texts)."""
    numbers, texts = counts(api, f.type)
    if f.type == "value dims":
        return "long[]", "dims(numbers, %n)"
    assert numbers + texts == 1, f"struct with a field {f.name} of type {f.type}"
    if texts:
        return ("String[]", "texts(texts, %t, " + f"{f.count})") if f.count > 1 else ("String", "text(texts[%t])")
    if f.type.startswith("enum ") or f.type in ("int32", "uint32"):
        return "int", "(int) numbers[%n]"
    return "long", "numbers[%n]"


def output_class(api: Api, struct: Struct) -> list[str]:
    out = [*javadoc(html(first_sentence(struct.doc)), "  "), f"  static final class {camel(struct.name)} {{"]
    made = []
    numbers = texts = 0
    for f in output_fields(struct):
        java, text = output_type(api, f)
        out += [*javadoc(html(f.doc), "    "), f"    final {java} {lower_camel(f.name)};"]
        made.append(f"      {lower_camel(f.name)} = {text.replace('%n', str(numbers)).replace('%t', str(texts))};")
        n, t = counts(api, f.type)
        numbers, texts = numbers + n * f.count, texts + t * f.count
    in_params = ", ".join(["long[] numbers"] * bool(numbers) + ["byte[][] texts"] * bool(texts))
    return [*out, "", f"    {camel(struct.name)}({in_params}) {{", *made, "    }", "  }"]


def image_class(api: Api, name: str) -> list[str]:
    """Where a plain struct's parts lie in its image, in longs. Of two that share one, the second is its upper half."""
    struct = api.struct(name)
    out = [
        *javadoc(
            f"Where the parts of {html(name)} lie in its image, in longs; of two in one the later is its upper half.",
            "  ",
        ),
        f"  static final class {camel(name)} {{",
        f"    static final int WORDS = {words(api, name)};",
    ]
    out += [
        f"    static final int {f.name.upper()} = {at // 8};" for f, at in offsets(api, struct) if f.name != "reserved"
    ]
    return [*out, "", f"    private {camel(name)}() {{}}", "  }"]


def emit_structs(api: Api) -> str:
    out = [
        BANNER + PACKAGE,
        "",
        "import java.nio.charset.StandardCharsets;",
        "import java.util.Arrays;",
        "",
        *javadoc(
            "The structs of the C API: options with their defaults, what queries report, and where the parts of plain structs lie in "
            "the images that cross to C."
        ),
        "final class NativeStructs {",
        "  private NativeStructs() {}",
    ]
    for struct in api.structs:
        if struct.kind == "in":
            out += ["", *options_class(struct)]
        elif struct.kind == "out" and struct.name != "error_info" and not struct.has_callbacks:
            out += ["", *output_class(api, struct)]
    for name in IMAGES:
        out += ["", *image_class(api, name)]
    out += [
        "",
        "  /** The numbers of a list whose image begins at a place. */",
        "  static long[] dims(long[] image, int at) {",
        "    return Arrays.copyOfRange(image, at + Dims.VALUES, at + Dims.VALUES + (int) image[at + Dims.RANK]);",
        "  }",
        "",
        "  private static String text(byte[] utf8) {",
        "    return new String(utf8, StandardCharsets.UTF_8);",
        "  }",
        "",
        "  private static String[] texts(byte[][] utf8, int at, int count) {",
        "    String[] strings = new String[count];",
        "    for (int i = 0; i < count; ++i) {",
        "      strings[i] = text(utf8[at + i]);",
        "    }",
        "    return strings;",
        "  }",
    ]
    return "\n".join([*out, "}", ""])
