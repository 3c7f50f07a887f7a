# SPDX-License-Identifier: Apache-2.0
"""Emits the core's side of the operators: enums, attributes as plain structs, and tables that one interpreter reads for texts, keys,
checks and the structs of the C API (core/ops/description.h). Shape rules and kernels are written by hand."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .operators import (
    DTYPES,
    NARROW_DTYPES,
    TRAITS,
    TYPES,
    WORD_TRAITS,
    Attribute,
    Operator,
    Operators,
    Words,
    number,
    when_values,
)

GENERATED = "Generated from core/ops/described by capi/generator; do not edit."
BANNER = f"// SPDX-License-Identifier: Apache-2.0\n// {GENERATED}\n"
FIELD_TYPES = {"double": "wide"}  # C++ has taken the word
INT64_MIN, INT64_MAX = "INT64_MIN", "INT64_MAX"


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def struct_name(op: Operator) -> str:
    return f"{class_name(op)}Attributes"


def class_name(op: Operator) -> str:
    return {"cumsum": "CumSum", "topk": "TopK"}.get(op.kind, camel(op.kind))


def cpp_comment(text: str, indent: str = "") -> list[str]:
    start = f"{indent}// "
    return textwrap.wrap(
        " ".join(text.split()), 120, initial_indent=start, subsequent_indent=start, break_long_words=False
    )


def emit_enums(all_of_them: Operators) -> str:
    out = [
        BANNER
        + "// The kinds of operators and the words that their attributes can have. Nothing heavier: files of one",
        "// instruction set include it.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace anydim {",
        "",
        "// The numbers are those of the C API. Names are what people read in logs and `explain`.",
        "enum class OpKind : uint16_t {",
        *(f"  {o.kind} = {o.value}," for o in all_of_them.operators),
        f"  count_ = {len(all_of_them.operators) + 1},  // one past the last; 0 is none",
        "};",
    ]
    for w in all_of_them.words:
        out += ["", *cpp_comment(w.doc), f"enum class {w.core} : uint8_t {{"]
        out += [f"  {v.core or v.name} = {v.value},  // {v.doc}" for v in w.values]
        out += [f"  count_ = {len(w.values)},"] if w.counted else []
        out += ["};", f"constexpr uint8_t word_list({w.core}) noexcept {{ return {all_of_them.words.index(w)}; }}"]
        out += word_traits(w)
    out += ["", "// What is asked of operators without knowing them (has_trait(), core/ops/description.h)."]
    out.append("enum class Trait : uint8_t {")
    out += [f"  {name},  // {doc}" for name, doc in TRAITS.items()]
    return "\n".join([*out, "};", "", "}  // namespace anydim", ""])


def word_traits(words: Words) -> list[str]:
    """One question for each trait that a word of the list has, with its words as bits."""
    out = []
    for trait, doc in WORD_TRAITS.items():
        if bits := sum(1 << v.value for v in words.values if trait in v.traits):
            out.append(f"// {doc[0].upper()}{doc[1:]}.")
            out.append(
                f"constexpr bool {trait}({words.core} w) noexcept "
                f"{{ return (UINT64_C({bits:#x}) >> static_cast<unsigned>(w) & 1) != 0; }}"
            )
    return out


def cpp_default(all_of_them: Operators, a: Attribute) -> str:
    if a.type == "per_spatial":
        one = int(number(all_of_them, a))
        return f" = {{{one}, {one}, {one}}}" if one else " = {}"
    if a.is_list:
        return ""
    if a.type == "dtype":
        return f" = DType::{a.default or 'f32'}"
    if a.type == "flag":
        return f" = {'true' if a.default else 'false'}"
    if a.type in ("real", "double"):
        value = repr(float(number(all_of_them, a)))
        return f" = {value}f" if a.type == "real" else f" = {value}"
    if a.type not in TYPES:
        words = all_of_them.words_of(a.type)
        word = next(v for v in words.values if v.value == number(all_of_them, a))
        return f" = {words.core}::{word.core or word.name}"
    return f" = {int(number(all_of_them, a))}"


def dims_of(op: Operator) -> list[Attribute]:
    return [a for a in op.fields if a.type in ("dim", "dims", "dim_list")]


def emit_attributes(all_of_them: Operators) -> str:
    out = [
        BANNER
        + "// The attributes of each operator as a plain struct: what make() takes, kernels read, and texts and keys contain.",
        "#pragma once",
        "",
        "#include <vector>",
        "",
        '#include "core/ops/generated/enums.h"',
        '#include "core/tensor/dim.h"',
        '#include "core/tensor/dims.h"',
        '#include "core/tensor/dtype.h"',
        "",
        "namespace anydim {",
    ]
    for op in all_of_them.operators:
        out += ["", *cpp_comment(op.doc), f"struct {struct_name(op)} {{"]
        out.append(f"  static constexpr OpKind kKind = OpKind::{op.kind};")
        symbolic = dims_of(op)
        out.append(f"  static constexpr int kDimLists = {len(symbolic)};")
        for a in op.fields:
            words = "" if a.type in TYPES else all_of_them.words_of(a.type).core
            count = "[3]" if a.type == "per_spatial" else ""
            member = f"  {words or TYPES[a.type][0]} {a.name}{count}{cpp_default(all_of_them, a)};"
            if len(member) + len(a.doc) < 136:
                out.append(f"{member}  // {a.doc}")
            else:
                out += [*cpp_comment(a.doc, "  "), member]
        if len(symbolic) == 1:
            a = symbolic[0]
            one = {"dim": f"&{a.name}, 1", "dims": f"{a.name}.begin(), {a.name}.end()", "dim_list": a.name}[a.type]
            out.append(f"  std::span<const Dim> dims_in_place() const noexcept {{ return {{{one}}}; }}")
        out.append("};")
    return "\n".join([*out, "", "}  // namespace anydim", ""])


class Texts:
    """All names in one array of characters: a table of pointers to them would be relocated when the library is loaded."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.size = 0

    def place(self, text: str) -> int:
        if text not in self.places:
            self.places[text] = self.size
            self.size += len(text) + 1
        return self.places[text]

    def literal(self) -> list[str]:
        lines = textwrap.wrap(" ".join(self.places), 110)
        return [f'    "{line.replace(" ", chr(92) + "0")}\\0"' for line in lines]


def limits(all_of_them: Operators, op: Operator, a: Attribute) -> tuple[str, str]:
    if a.type == "spatial":
        return "1", "3"
    if a.type == "dtype":
        known = DTYPES + NARROW_DTYPES if "stores" in op.traits else DTYPES
        return ("0" if a.default == "none" else "1"), str(len(known))
    if a.type not in TYPES:
        return "0", str(len(all_of_them.words_of(a.type).values) - 1)
    return (INT64_MIN if a.min is None else str(a.min)), (INT64_MAX if a.max is None else str(a.max))


def rows(items: Iterable[str], indent: str = "    ") -> list[str]:
    return textwrap.wrap(", ".join(items), 120, initial_indent=indent, subsequent_indent=indent)


def emit_tables(all_of_them: Operators) -> str:
    texts = Texts()
    word_lists = [(w, [texts.place(v.name) for v in w.values]) for w in all_of_them.words]
    index = {w.name: i for i, w in enumerate(all_of_them.words)}
    fields: list[str] = []
    operators: list[str] = []
    for op in all_of_them.operators:
        first = len(fields)
        names = [a.name for a in op.fields]
        for a in op.fields:
            decider, values = when_values(all_of_them, op, a)
            when = f"{names.index(decider) + 1}, {values:#x}" if decider else "0, 0"
            kind = "word" if a.type not in TYPES else FIELD_TYPES.get(a.type, a.type)
            more = index.get(a.type, 0)
            if a.type == "per_spatial":
                more = next(i for i, b in enumerate(op.fields) if b.type == "spatial")
            if a.type == "reals":
                more = a.capacity
            required = "true" if a.required else "false"
            low, high = limits(all_of_them, op, a)
            where = f"{texts.place(a.name)}, offsetof({struct_name(op)}, {a.name})"
            what = f"AttributeType::{kind}, {more}, {required}, {when}, {low}, {high}"
            fields.append(f"    {{{where}, {what}}},  // {op.kind} {a.name}")
        traits = " | ".join(f"bit(Trait::{t})" for t in op.traits) or "0"
        optional = sum(1 << n for n, x in enumerate(op.operands) if x.optional)
        operators.append(
            f"    {{{texts.place(op.kind)}, {first}, {len(op.fields)}, {traits}, {optional:#x}, maker<{class_name(op)}>()}},"
        )
    out = [
        BANNER + "// What is known of each operator, as tables; core/ops/description.cpp reads them.",
        '#include "core/ops/description_tables.h"',
        "",
        "#include <cstddef>",
        "",
        *sorted(f'#include "core/ops/operators/{op.kind}.h"' for op in all_of_them.operators),
        '#include "core/ops/subset.h"',
        "",
        "namespace anydim::described {",
        "",
        "namespace {",
        "",
        "constexpr uint32_t bit(Trait t) { return 1u << static_cast<unsigned>(t); }",
        "",
        "template <class T> Result<OperatorPtr> make_as(FillAttributes fill, void* context) {",
        "  typename T::Attributes attributes;",
        "  ANYDIM_TRY(fill(context, &attributes));",
        "  return T::make(std::move(attributes));",
        "}",
        "",
        "// Null where a subset build leaves the operator out.",
        "template <class T> constexpr auto maker() {",
        "  if constexpr (subset::keeps(T::kKind)) return make_as<T>;",
        "  else return nullptr;",
        "}",
        "",
        "}  // namespace",
        "",
        "const char kTexts[] =",
        *texts.literal(),
        "    ;",
        "",
        "const uint16_t kWords[] = {",
    ]
    starts = []
    place = 0
    for w, places in word_lists:
        starts.append((place, len(places)))
        place += len(places)
        out += [f"    // {w.name}", *(line.rstrip(",") + "," for line in rows(str(p) for p in places))]
    out += ["};", "", "const WordList kWordLists[] = {", *rows(f"{{{b}, {n}}}" for b, n in starts), "};", ""]
    out += ["const AttributeField kFields[] = {", *fields, "};", ""]
    out += ["const OperatorEntry kOperators[] = {", *operators, "};", ""]
    parameters = next(w for w in all_of_them.words if w.core == "UnaryFunction")
    out += [
        "// How many of alpha and beta a function reads.",
        "const uint8_t kParameters[] = {",
        *rows(str(len(v.reads)) for v in parameters.values),
        "};",
    ]
    return "\n".join([*out, "", "}  // namespace anydim::described", ""])
