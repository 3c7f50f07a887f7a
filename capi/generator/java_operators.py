# SPDX-License-Identifier: Apache-2.0
"""Emits Java's builders: the class Operators, which engines extend, with a method per operator that takes its operands and what has no
default, and a nested builder with a setter for each other attribute; and the examples of the description for a test. How operands
become descriptors, weights and a primitive is written by hand (OperatorBuilder)."""

from __future__ import annotations

import re
from typing import Any

from .description import Api
from .java_native import BANNER, PACKAGE, html, javadoc, wrapped
from .java_types import offsets, size_of
from .operator_examples import limits, shapes
from .operators import QUANTIZES, TYPES, Attribute, Example, Operator, Operators, inputs_text, number, outputs_text
from .python_operators import pair_of
from .spelling import JAVA, camel, lower_camel

# Attribute types: how a setter declares its parameter, and the method of OperatorImage that writes it.
SETTERS = {
    "flag": ("boolean {}", "putFlag"),
    "integer": ("long {}", "putLong"),
    "dim": ("long {}", "putLong"),
    "real": ("float {}", "putFloat"),
    "double": ("double {}", "putDouble"),
    "dtype": ("DType {}", "putInt"),
    "per_spatial": ("long... {}", "putPerSpatial"),
    "integers": ("long... {}", "putDims"),
    "perm": ("long... {}", "putDims"),
    "dims": ("long... {}", "putDims"),
    "reals": ("float... {}", "putReals"),
    "dim_list": ("long... {}", "putList"),
}
KEYWORDS = {
    "abstract",
    "assert",
    "case",
    "class",
    "const",
    "default",
    "do",
    "else",
    "final",
    "for",
    "if",
    "int",
    "new",
    "switch",
}


def java_name(name: str) -> str:
    plain = lower_camel(name)
    return f"{plain}Of" if plain in KEYWORDS else plain


def said(op: Operator, text: str) -> str:
    """A text of the description with attributes as Java calls them."""
    for a in op.fields:
        text = re.sub(rf"\b{a.name}\b", lower_camel(a.name), text)
    return html(text)


def setter_type(a: Attribute, name: str) -> str:
    return SETTERS[a.type][0].format(name) if a.type in SETTERS else f"{JAVA.type(a.type)} {name}"


def variadic(op: Operator) -> bool:
    return any(x.variadic for x in op.operands)


def required(op: Operator) -> list[Attribute]:
    return [a for a in op.fields if a.required]


def put(a: Attribute, at: int, name: str) -> str:
    """A statement that writes an attribute into the image."""
    if a.type == "per_spatial":
        return f'this.image.putPerSpatial("{lower_camel(a.name)}", {at}, {name});'
    if a.type in ("integers", "perm", "dims", "reals"):
        return f'this.image.{SETTERS[a.type][1]}("{lower_camel(a.name)}", {at}, {name});'
    if a.type in SETTERS and a.type != "dtype":
        return f"this.image.{SETTERS[a.type][1]}({at}, {name});"
    return f"this.image.putInt({at}, {name}.number());"


def initial(operators: Operators, a: Attribute, at: int) -> list[str]:
    """What the image begins with where that is not zero."""
    value = number(operators, a)
    if a.type == "spatial" or not value or a.type in ("integers", "perm", "dims", "reals", "dim_list"):
        return []
    if a.type == "per_spatial":
        return [f'this.image.putPerSpatial("{lower_camel(a.name)}", {at}, {int(value)});']
    if a.type == "real":
        return [f"this.image.putFloat({at}, {float(value)}f);"]
    if a.type == "double":
        return [f"this.image.putDouble({at}, {float(value)});"]
    if a.type in ("integer", "dim"):
        return [f"this.image.putLong({at}, {int(value)});"]
    return [f"this.image.putInt({at}, {int(value)});"]


def taken(op: Operator) -> list[tuple[str, str, str]]:
    """Parameters of an engine's method: declaration, name, documentation."""
    out = []
    for x in op.operands:
        if not x.optional and not x.variadic:
            out.append(
                (f"Operand {java_name(x.name)}", java_name(x.name), f"{x.dims} {x.note}".strip() or "the operand")
            )
    for a in required(op):
        name = java_name(a.name)
        out.append(
            (setter_type(a, name).replace("...", "[]" if variadic(op) or a != required(op)[-1] else "..."), name, a.doc)
        )
    for x in op.operands:
        if x.variadic:
            out.append((f"Operand... {java_name(x.name)}", java_name(x.name), "the operands, one or more"))
    return out


def sentence(text: str) -> str:
    return text[0].lower() + text[1:].rstrip(".")


def doc(op: Operator) -> str:
    paragraphs = [op.doc.strip(), inputs_text(op), outputs_text(op)]
    if "quantizes" in op.traits:
        paragraphs[2] += f" {QUANTIZES}"
    return said(op, "\n\n".join(paragraphs))


def method(op: Operator) -> list[str]:
    params = taken(op)
    name, builder = java_name(op.kind), camel(op.kind)
    tags = [f"@param {n} {said(op, sentence(d))}" for _, n, d in params] + ["@return a builder of the primitive"]
    call = ", ".join(["engine()", *(n for _, n, _ in params)])
    return [
        *javadoc(doc(op), "  ", *tags),
        *wrapped(f"public {builder} {name}", [d for d, _, _ in params], " {", "  "),
        f"    return new {builder}({call});",
        "  }",
    ]


def setters(op: Operator, at: dict[str, int]) -> list[str]:
    builder = camel(op.kind)
    out: list[str] = []

    def setter(text: str, name: str, declaration: str, documentation: str, *statements: str) -> None:
        out.extend(
            ["", *javadoc(said(op, text), "    ", f"@param {name} {said(op, documentation)}", "@return this builder")]
        )
        out.extend(wrapped(f"public {builder} {name}", [declaration], " {", "    "))
        out.extend([*(f"      {s}" for s in statements), "      return this;", "    }"])

    for i, x in enumerate(op.operands):
        if x.optional:
            name = java_name(x.name)
            setter(f"Gives the operand {name} {x.dims}, which may be left out.", name, f"Operand {name}", "the operand",
                   f"operand({i}, {name});")  # fmt: skip
    for a in op.fields:
        if a.type == "spatial" or a.required:
            continue
        name = java_name(a.name)
        pair = pair_of(op, a)
        if pair and a.name.endswith("_begin"):
            both = a.doc.replace(" before", " before and after").rstrip(".")
            setter(f"{both}.", java_name(pair), f"long... {java_name(pair)}", "one number, one per dim, or beginnings and then ends",
                   f'this.image.putBothEnds("{java_name(pair)}", {at[a.name]}, {at[f"{pair}_end"]}, {java_name(pair)});')  # fmt: skip
        documentation = (
            "one number, or one per spatial dim"
            if a.type == "per_spatial"
            else "the numbers"
            if a.is_list
            else "the value"
        )
        setter(a.doc, name, setter_type(a, name), documentation, put(a, at[a.name], name))
    return out


def builder(operators: Operators, op: Operator, at: dict[str, int], size: int) -> list[str]:
    name = camel(op.kind)
    base = "QuantizingBuilder" if "quantizes" in op.traits else "OperatorBuilder"
    operands = [java_name(x.name) if not x.optional else "null" for x in op.operands]
    given = f"{java_name(op.operands[0].name)}" if variadic(op) else "".join(o + ", " for o in operands)[:-2]
    out = [
        *javadoc(f"Builds a primitive of {op.kind}.", "  "),
        f"  public static final class {name} extends {base}<{name}> {{",
        *wrapped(f"{name}", ["Engine engine", *(d for d, _, _ in taken(op))], " {", "    "),
        f'      super(engine, "{op.kind}", new OperatorImage({op.value}, {size}), {"given" if not given else given});',
    ]
    if not given:
        out[-1] = out[-1].replace(", given)", ")")
    elif not variadic(op) and len(operands) == 1 and operands[0] == "null":
        out[-1] = out[-1].replace(", null)", ", (Operand) null)")
    spatial = next((a for a in op.fields if a.type == "spatial"), None)
    if spatial is not None:
        out.append(f"      this.image.putSpatial({at[spatial.name]}, {java_name(op.operands[0].name)});")
    for a in op.fields:
        out += [f"      {line}" for line in initial(operators, a, at[a.name])]
    out += [f"      {put(a, at[a.name], java_name(a.name))}" for a in required(op)]
    out += ["    }", *setters(op, at), ""]
    always = sum(not y.when for y in op.outputs)
    flag = next((y.when for y in op.outputs if y.when), "")
    output_count = f"this.image.flag({at[flag]}) ? {len(op.outputs)} : {always}" if flag else str(always)
    return [*out, "    @Override", "    int outputs() {", f"      return {output_count};", "    }", "  }"]


def emit(api: Api, operators: Operators) -> str:
    out = [
        BANNER + PACKAGE,
        "",
        *javadoc(
            "The operators, one method for each, which an {@link Engine} has. An operand is a {@link TensorDesc} of what comes with each "
            "call, or constant: a {@link Tensor}, which is packed once, or {@link Weights} of another primitive. What has a default "
            "is set on the builder; {@link OperatorBuilder#create()} makes the primitive."
        ),
        "public abstract class Operators {",
        "  Operators() {}",
        "",
        "  abstract Engine engine();",
    ]
    for op in operators.operators:
        out += ["", *method(op)]
    for op in operators.operators:
        struct = api.struct(op.kind)
        at = {f.name: place for f, place in offsets(api, struct)}
        out += ["", *builder(operators, op, at, size_of(api, struct))]
    return "\n".join([*out, "}", ""])


def literal(operators: Operators, a: Attribute, value: Any) -> str:
    if a.is_list:
        numbers = [f"{float(v)}f" if a.type == "reals" else str(int(v)) for v in value]
        return ", ".join(numbers)
    if a.type == "flag":
        return str(bool(value)).lower()
    if a.type == "dtype":
        return f"DType.{str(value).upper()}"
    if a.type == "real":
        return f"{float(value)}f"
    if a.type == "double":
        return repr(float(value))
    if a.type not in TYPES:
        return f"{JAVA.type(a.type)}.{str(value).upper()}"
    return str(int(value))


def example(operators: Operators, op: Operator, e: Example) -> list[str]:
    operands = [f"x[{i}]" for i in range(len(e.inputs))]
    given = []
    for a in required(op):
        text = literal(operators, a, e.attributes[a.name])
        given.append(f"new {'float' if a.type == 'reals' else 'long'}[] {{{text}}}" if a.is_list else text)
    if variadic(op):
        call = [*given, "x"]
        optional = []
    else:
        call = [o for o, x in zip(operands, op.operands, strict=False) if not x.optional] + given
        optional = [(x.name, o) for o, x in zip(operands, op.operands, strict=False) if x.optional]
    chain = f"cpu.{java_name(op.kind)}({', '.join(call)})"
    chain += "".join(f".{java_name(name)}({o})" for name, o in optional)
    for name, value in e.attributes.items():
        a = op.attribute(name)
        if a.type != "spatial" and not a.required:
            chain += f".{java_name(name)}({literal(operators, a, value)})"
    lines = [f'      new OperatorExample("{op.kind}", (cpu, x) -> {chain},']
    for n, i in enumerate(e.inputs):
        first, second = shapes(i)
        low, high = limits(i)
        operand = op.operands[min(n, len(op.operands) - 1)]
        dims = [f"new long[] {{{', '.join(map(str, d))}}}" for d in (first, second)]
        end = ")," if n == len(e.inputs) - 1 else ","
        constant = str(operand.constant).lower()
        lines.append(
            f"          new OperatorExample.Input(DType.{i[0].upper()}, {', '.join(dims)}, {low}, {high}, {constant}){end}"
        )
    if not e.inputs:
        lines[-1] = lines[-1].rstrip(",") + "),"
    return lines


def emit_examples(operators: Operators) -> str:
    out = [
        BANNER + PACKAGE,
        "",
        "import java.util.List;",
        "",
        "/** One call or more of every operator, each at two shapes. */",
        "final class OperatorExamples {",
        f"  static final int DESCRIBED = {len(operators.operators)};",
        "",
        "  static final List<OperatorExample> ALL = List.of(",
    ]
    for op in operators.operators:
        for e in op.examples:
            out += example(operators, op, e)
    out[-1] = out[-1].removesuffix(",")
    return "\n".join([*out, "  );", "", "  private OperatorExamples() {}", "}", ""])
