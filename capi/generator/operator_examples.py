# SPDX-License-Identifier: Apache-2.0
"""Emits the examples of the operators' description as data for two tests, which run each of them at two shapes: through C
(tests/capi/operators_test.cpp) and through Python (bindings/python/tests/test_operators.py)."""

from __future__ import annotations

from typing import Any

from .core_operators import BANNER, GENERATED
from .operators import TYPES, Attribute, Example, Operator, Operators
from .python_operators import pair_of, python_name


def outputs_of(op: Operator, e: Example) -> int:
    return sum(not y.when or bool(e.attributes.get(y.when)) for y in op.outputs)


def shapes(i: list[Any]) -> tuple[list[int], list[int]]:
    return i[1], i[2] if len(i) > 2 else i[1]


def limits(i: list[Any]) -> tuple[int, int]:
    low, high = i[3] if len(i) > 3 else (0, 7)
    return low, high


def spatial_of(op: Operator, e: Example) -> dict[str, Any]:
    """The attributes with the number of spatial dims, which C has to pass and Python finds out."""
    if any(a.type == "spatial" for a in op.fields) and "spatial" not in e.attributes:
        return {"spatial": len(e.inputs[0][1]) - 2} | e.attributes
    return e.attributes


def assignments(operators: Operators, op: Operator, a: Attribute, value: Any) -> list[str]:
    """Statements of C that give a field of `s` its value."""
    if a.type == "per_spatial":
        return [f"s.{a.name}[{i}] = {v};" for i, v in enumerate(value)]
    if a.type == "dim_list":
        numbers = ", ".join(map(str, value))
        array = f"static const int64_t {a.name}[] = {{{numbers}}};"
        return [array, f"s.{a.name} = {a.name};", f"s.{a.name}_count = {len(value)};"]
    if a.is_list:
        count = "count" if a.type == "reals" else "rank"
        numbers = [f"{float(v)}f" if a.type == "reals" else str(v) for v in value]
        entries = [f"s.{a.name}.values[{i}] = {v};" for i, v in enumerate(numbers)]
        return [f"s.{a.name}.{count} = {len(value)};", *entries]
    if a.type == "flag":
        return [f"s.{a.name} = {int(value)};"]
    if a.type == "dtype":
        return [f"s.{a.name} = ANYDIM_{value.upper()};"]
    if a.type == "real":
        return [f"s.{a.name} = {float(value)}f;"]
    if a.type not in TYPES:
        words = operators.words_of(a.type)
        return [f"s.{a.name} = ANYDIM_{words.prefix}{value.upper()};"]
    return [f"s.{a.name} = {value};"]


def braces(values: list[int]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def emit_c(operators: Operators) -> str:
    out = [
        BANNER + "// One call or more of every operator, each at two shapes.",
        "#pragma once",
        "",
        '#include "tests/capi/operator_example.h"',
        "",
        f"constexpr int kDescribedOperators = {len(operators.operators)};",
        "",
        "inline const std::vector<OperatorExample>& operator_examples() {",
        "  static const std::vector<OperatorExample> examples = {",
    ]
    for op in operators.operators:
        for e in op.examples:
            out.append(f'      {{"{op.kind}",')
            out.append("       [](void* room) {")
            out.append(f"         anydim_{op.kind}_t s = ANYDIM_{op.kind.upper()}_INIT;")
            for name, value in spatial_of(op, e).items():
                out += [f"         {line}" for line in assignments(operators, op, op.attribute(name), value)]
            out += ["         std::memcpy(room, &s, sizeof(s));", "       },", "       {"]
            for i in e.inputs:
                first, second = shapes(i)
                low, high = limits(i)
                out.append(
                    f"           {{ANYDIM_{i[0].upper()}, {{{braces(first)}, {braces(second)}}}, {low}, {high}}},"
                )
            out += ["       },", f"       {outputs_of(op, e)}}},"]
    return "\n".join([*out, "  };", "  return examples;", "}", ""])


def python_arguments(op: Operator, e: Example) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for a in op.fields:
        if a.type == "spatial" or (a.name not in e.attributes and not pair_of(op, a)):
            continue
        if pair := pair_of(op, a):
            spatial = len(e.inputs[0][1]) - 2
            ends = [e.attributes.get(f"{pair}_{end}", [0] * spatial) for end in ("begin", "end")]
            arguments[pair] = ends[0] + ends[1]
        else:
            arguments[python_name(a)] = e.attributes[a.name]
    return arguments


def emit_python(operators: Operators) -> str:
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {GENERATED}",
        "# ruff: noqa",
        '"""One call or more of every operator, each at two shapes."""',
        "",
        "from typing import Any",
        "",
        "# kind, arguments, inputs: dtype, dims, other dims, lowest and highest integer, whether it is usually constant",
        "EXAMPLES: list[tuple[str, dict[str, Any], list[tuple[str, tuple[int, ...], tuple[int, ...], int, int, bool]]]] = [",
    ]
    for op in operators.operators:
        for e in op.examples:
            inputs = []
            for n, i in enumerate(e.inputs):
                first, second = shapes(i)
                operand = op.operands[min(n, len(op.operands) - 1)]
                inputs.append((i[0], tuple(first), tuple(second), *limits(i), operand.constant))
            out.append(f"    ({op.kind!r}, {python_arguments(op, e)!r}, [")
            out += [f"        {i!r}," for i in inputs]
            out.append("    ]),")
    variadic = [op.kind for op in operators.operators if any(x.variadic for x in op.operands)]
    out += ["]", "", f"KINDS = {[op.kind for op in operators.operators]!r}", f"VARIADIC = {variadic!r}"]
    return "\n".join([*out, ""])
