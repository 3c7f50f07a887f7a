# SPDX-License-Identifier: Apache-2.0
"""Emits Python's builders: one method of an engine per operator, with types, defaults and a docstring. How operands become
descriptors, weights and a primitive is written by hand (bindings/python/anydim/primitives.py)."""

from __future__ import annotations

import keyword
import textwrap

from .c_header import WIDTH
from .core_operators import GENERATED
from .operators import QUANTIZES, Attribute, Operator, Operators, inputs_text, number, outputs_text

PYTHON_TYPES = {
    "flag": "bool",
    "integer": "int",
    "real": "float",
    "double": "float",
    "dtype": "str | int",
    "per_spatial": "Ints",
    "integers": "Sequence[int]",
    "perm": "Sequence[int]",
    "reals": "Sequence[float]",
    "dim": "int",
    "dims": "Sequence[int]",
    "dim_list": "Sequence[int]",
}
ATTRIBUTES_OF_PRIMITIVES = (
    "post_ops: Sequence[PostOp] = ()",
    "kernel: str | None = None",
    "reuse: ReuseWord | None = None",
    "math: MathWord | None = None",
)
ATTRIBUTES_OF_QUANTIZED = ("quantized: Sequence[Quantized] = ()", "result_dtype: str | None = None")


def python_name(a: Attribute) -> str:
    return f"{a.name}_" if keyword.iskeyword(a.name) else a.name


def pair_of(op: Operator, a: Attribute) -> str:
    """Two lists per spatial dim, NAME_begin and NAME_end, are one argument in Python: NAME."""
    stem, _, end = a.name.rpartition("_")
    other = {"begin": "end", "end": "begin"}.get(end)
    return stem if a.type == "per_spatial" and any(b.name == f"{stem}_{other}" for b in op.fields) else ""


def default_text(operators: Operators, a: Attribute) -> str:
    if a.required:
        return ""
    if a.type == "flag":
        return f" = {bool(a.default)}"
    if a.type == "per_spatial":
        return f" = {int(number(operators, a))}"
    if a.is_list:
        return " = ()"
    if a.type == "dtype":
        return f' = "{a.default or "f32"}"'
    if a.type in ("real", "double"):
        return f" = {float(number(operators, a))!r}"
    if a.type not in PYTHON_TYPES:
        words = operators.words_of(a.type)
        return f' = "{words.values[int(number(operators, a))].name}"'
    return f" = {int(number(operators, a))}"


def class_name(words: str) -> str:
    return "".join(part.capitalize() for part in words.split("_"))


def word_type(words: str) -> str:
    """The type of the words of an enum, as strings."""
    return f"{class_name(words)}Word"


def parameter(operators: Operators, a: Attribute, name: str) -> str:
    return f"{name}: {PYTHON_TYPES.get(a.type) or word_type(a.type)}{default_text(operators, a)}"


def parameters(operators: Operators, op: Operator) -> list[str]:
    out = ["self"]
    for x in op.operands:
        if x.variadic:
            out.append(f"{x.name}: Sequence[Operand]")
        else:
            out.append(f"{x.name}: Operand" + (" | None = None" if x.optional else ""))
    optional = any(x.optional for x in op.operands)
    shown = [a for a in op.fields if a.type != "spatial" and not (pair_of(op, a) and a.name.endswith("_end"))]
    positional = [a for a in shown if a.positional and not (optional and a.required)]
    out += [parameter(operators, a, python_name(a)) for a in sorted(positional, key=lambda a: not a.required)]
    out.append("*")
    for a in shown:
        if a not in positional:
            out.append(parameter(operators, a, pair_of(op, a) or python_name(a)))
    return [*out, *ATTRIBUTES_OF_PRIMITIVES, *(ATTRIBUTES_OF_QUANTIZED if "quantizes" in op.traits else ())]


def value(operators: Operators, op: Operator, a: Attribute) -> str:
    """An attribute as an entry of the operator's dict; none for one that belongs to the entry of another."""
    name = python_name(a)
    if a.type == "spatial":
        return f'"{a.name}": spatial'
    if pair := pair_of(op, a):
        return "" if a.name.endswith("_end") else f'**both_ends({pair}, spatial, "{pair}")'
    if a.type == "per_spatial":
        return f'"{a.name}": per_spatial({name}, spatial, "{a.name}")'
    if a.type == "flag":
        return f'"{a.name}": int({name})'
    if a.type == "dtype":
        return f'"{a.name}": dtype_number({name}, "{a.name}")'
    if a.is_list:
        return f'"{a.name}": list({name})'
    if a.type not in PYTHON_TYPES:
        return f'"{a.name}": by_name({class_name(a.type)}, {name}, "{a.name}")'
    return f'"{a.name}": {name}'


def doc_lines(op: Operator) -> list[str]:
    paragraphs = [" ".join(op.doc.split()), inputs_text(op), outputs_text(op)]
    if "quantizes" in op.traits:
        paragraphs[2] += f" {QUANTIZES}"
    for a in op.fields:
        if a.type == "spatial" or (pair_of(op, a) and a.name.endswith("_end")):
            continue
        if pair := pair_of(op, a):
            both = a.doc.replace(" before", " before and after").rstrip(".")
            paragraphs.append(f"{pair}: {both}; one number, one per dim, or beginnings and then ends.")
        else:
            paragraphs.append(f"{python_name(a)}: {a.doc}")
    lines: list[str] = []
    for i, p in enumerate(paragraphs):
        lines += textwrap.wrap(p, WIDTH - 8, subsequent_indent="    " if i > 2 else "", break_long_words=False)
        if i < 3 and len(paragraphs) > 3 - (i < 2):
            lines.append("")
    while lines and not lines[-1]:
        lines.pop()
    return ['"""' + lines[0], *lines[1:], '"""']


def operand_list(op: Operator) -> str:
    if any(x.variadic for x in op.operands):
        return f"[*{op.operands[0].name}]"
    return "[" + ", ".join(x.name for x in op.operands) + "]"


def method(operators: Operators, op: Operator) -> list[str]:
    out = [f"    def {op.kind}(", *(f"        {p}," for p in parameters(operators, op)), "    ) -> anydim.Primitive:"]
    out += [f"        {line}".rstrip() for line in doc_lines(op)]
    if any(a.type == "spatial" for a in op.fields):
        out.append(f"        spatial = rank_of({op.operands[0].name}) - 2")
    entries = [f'"op": "{op.kind}"', *(v for a in op.fields if (v := value(operators, op, a)))]
    if any(y.when for y in op.outputs):
        flag = next(y.when for y in op.outputs if y.when)
        outputs = f"{len(op.outputs)} if {flag} else {sum(not y.when for y in op.outputs)}"
    else:
        outputs = str(len(op.outputs))
    out.append("        op = {")
    out += [f"            {e}," for e in entries]
    arguments = f"op, {operand_list(op)}, {outputs}, post_ops, kernel, reuse, math"
    if "quantizes" in op.traits:
        arguments += ", quantized, result_dtype"
    return [*out, "        }", f"        return self._operate({arguments})"]


def word_lines(operators: Operators, words: str) -> list[str]:
    names = ", ".join(f'"{v.name}"' for v in operators.words_of(words).values)
    lines = textwrap.wrap(names, WIDTH - 4, break_long_words=False)
    return [f"{word_type(words)} = Literal[", *(f"    {line}" for line in lines), "]"]


def emit(operators: Operators) -> str:
    words = {a.type for o in operators.operators for a in o.fields} - {*PYTHON_TYPES, "spatial"}
    enums = sorted(class_name(name) for name in words)
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {GENERATED}",
        "# ruff: noqa",
        '"""The operators, as methods that make primitives of them."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Sequence",
        "from typing import Any, Literal",
        "",
        "import anydim",
        "",
        "from ._operator_enums import (",
        *(f"    {e}," for e in enums),
        ")",
        "from .operator_arguments import Ints, Operand, both_ends, by_name, dtype_number, per_spatial, rank_of",
        "from .option_words import MathWord, ReuseWord",
        "from .post_ops import PostOp",
        "from .quantization import Quantized",
        "",
        *(line for name in sorted(words) for line in word_lines(operators, name)),
        "",
        "class Operators:",
        '    """One method per operator; an engine has them. An operand is a descriptor of what comes with each call, or a',
        '    constant: an array, packed once, the weights of another primitive, or a pathlib.Path of a file of them."""',
        "",
        "    def _operate(",
        "        self,",
        "        op: dict[str, Any],",
        "        operands: Sequence[Any],",
        "        outputs: int,",
        "        post_ops: Sequence[PostOp],",
        "        kernel: str | None,",
        "        reuse: ReuseWord | None,",
        "        math: MathWord | None,",
        "        quantized: Sequence[Quantized] = (),",
        "        result_dtype: str | None = None,",
        "    ) -> anydim.Primitive:",
        "        raise NotImplementedError",
    ]
    for op in operators.operators:
        out += ["", *method(operators, op)]
    return "\n".join([*out, ""])
