# SPDX-License-Identifier: Apache-2.0
"""Emits Rust's builders of operators: a type for each, with the attributes as methods, and the examples of the operators'
description for the test that runs each of them. What a primitive is made of besides is written by hand."""

from __future__ import annotations

from .description import DescriptionError
from .operator_examples import limits, outputs_of, shapes, spatial_of
from .operators import QUANTIZES, Attribute, Operator, Operators, inputs_text, outputs_text
from .python_operators import pair_of
from .rust_sys import BANNER, doc, name_of
from .spelling import camel

TYPES = {
    "flag": "bool",
    "integer": "i64",
    "real": "f32",
    "double": "f64",
    "dtype": "Dtype",
    "spatial": "i32",
    "per_spatial": "impl Into<PerSpatial>",
    "integers": "&[i64]",
    "perm": "&[i64]",
    "reals": "&[f32]",
    "dim": "i64",
    "dims": "&[i64]",
    "dim_list": "impl Into<Vec<i64>>",
}
PER_SPATIAL = "One number for all spatial dims, or an array of one for each."


def type_of(a: Attribute) -> str:
    return TYPES.get(a.type, camel(a.type))


def assigned(a: Attribute) -> str:
    """The value of a field, from the parameter of its name."""
    n = name_of(a.name)
    if a.type == "flag":
        return f"i32::from({n})"
    if a.type == "per_spatial":
        return f"{n}.into().0"
    if a.type in ("integers", "perm", "dims"):
        return f"list_of({n})"
    if a.type == "reals":
        return f"reals_of({n})"
    if a.type == "dtype" or a.type not in TYPES:
        return f"{n} as i32"
    return n


def setter(op: Operator, a: Attribute) -> list[str]:
    n = name_of(a.name)
    text = f"{a.doc}\n\n{PER_SPATIAL}" if a.type == "per_spatial" else a.doc
    if a.type == "spatial":
        text += " 2 unless it is said."
    out = [*doc(text, "    "), "    #[must_use]", f"    pub fn {n}(mut self, {n}: {type_of(a)}) -> Self {{"]
    out += [f"        self.raw.{n} = {assigned(a)};", "        self", "    }", ""]
    stem = pair_of(op, a)
    if stem and a.name.endswith("_begin"):
        both = a.doc.replace(" before", " before and after")
        out += [*doc(f"{both}\n\n{PER_SPATIAL}", "    "), "    #[must_use]"]
        out += [
            f"    pub fn {stem}(mut self, {stem}: impl Into<PerSpatial>) -> Self {{",
            f"        let {stem} = {stem}.into().0;",
        ]
        out += [
            f"        self.raw.{stem}_begin = {stem};",
            f"        self.raw.{stem}_end = {stem};",
            "        self",
            "    }",
            "",
        ]
    return out


def with_numbers(op: Operator) -> list[str]:
    """An operator with a list of any length, which the C struct points to: the list is the builder's own, and the struct is made
    for a call."""
    name = camel(op.kind)
    listed = [a for a in op.fields if a.type == "dim_list"]
    others = [a for a in op.fields if a.type != "dim_list"]
    stored = {"integer": "i64", "dim": "i64", "real": "f32", "double": "f64"}
    if any(a.is_list for a in others):
        raise DescriptionError(f"operator {op.kind}: Rust knows no other list beside one of any length")
    out = [
        "#[derive(Clone, Debug)]",
        f"pub struct {name} {{",
        *(f"    {name_of(a.name)}: {stored.get(a.type, 'i32')}," for a in others),
    ]
    out += [*(f"    {name_of(a.name)}: Vec<i64>," for a in listed), "}", "", f"impl {name} {{"]
    out += ["    /// The operator with the defaults of its other attributes.", "    ///"]
    out += [line for a in listed for line in doc(f"- `{a.name}`: {a.doc}", "    ")]
    out += [f"    pub fn new({', '.join(f'{name_of(a.name)}: {type_of(a)}' for a in listed)}) -> Self {{"]
    out += [f"        let from = sys::anydim_{op.kind}_t::INIT;", "        Self {"]
    out += [f"            {name_of(a.name)}: from.{name_of(a.name)}," for a in others]
    out += [*(f"            {name_of(a.name)}: {name_of(a.name)}.into()," for a in listed), "        }", "    }", ""]
    for a in others:
        out += [line.replace("self.raw.", "self.") for line in setter(op, a)]
    out = [
        *out[:-1],
        "}",
        "",
        f"impl Sealed for {name} {{",
        "    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {",
    ]
    out += [f"        let mut raw = sys::anydim_{op.kind}_t::INIT;"]
    out += [f"        raw.{name_of(a.name)} = self.{name_of(a.name)};" for a in others]
    for a in listed:
        out += [f"        raw.{name_of(a.name)} = self.{name_of(a.name)}.as_ptr();"]
        out += [f"        raw.{a.name}_count = self.{name_of(a.name)}.len() as i64;"]
    return [*out, "        call(Head::new(&raw, &raw.op))", "    }", "}", ""]


def with_struct(op: Operator) -> list[str]:
    name = camel(op.kind)
    required = [a for a in op.fields if a.required]
    out = [
        "#[derive(Clone, Copy, Debug)]",
        f"pub struct {name} {{",
        f"    raw: sys::anydim_{op.kind}_t,",
        "}",
        "",
        f"impl {name} {{",
    ]
    out.append("    /// The operator with the defaults of its attributes.")
    for a in required:
        out += ["    ///" if a is required[0] else "", *doc(f"- `{a.name}`: {a.doc}", "    ")]
    out = [line for line in out if line]
    params = ", ".join(f"{name_of(a.name)}: {type_of(a)}" for a in required)
    if required:
        out += [f"    pub fn new({params}) -> Self {{", f"        let mut raw = sys::anydim_{op.kind}_t::INIT;"]
        out += [f"        raw.{name_of(a.name)} = {assigned(a)};" for a in required]
        out += ["        Self { raw }", "    }", ""]
    else:
        out += ["    pub fn new() -> Self {", f"        Self {{ raw: sys::anydim_{op.kind}_t::INIT }}", "    }", ""]
    for a in op.fields:
        if not a.required:
            out += setter(op, a)
    while not out[-1]:
        out.pop()
    out += ["}", ""]
    if not required:
        out += [f"impl Default for {name} {{", "    fn default() -> Self {", "        Self::new()", "    }", "}", ""]
    out += [f"impl Sealed for {name} {{", "    fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R {"]
    return [*out, "        call(Head::new(&self.raw, &self.raw.op))", "    }", "}", ""]


def operator(op: Operator) -> list[str]:
    name = camel(op.kind)
    quantizes = f" {QUANTIZES}" if "quantizes" in op.traits else ""
    text = f"{' '.join(op.doc.split())}\n\n{inputs_text(op)}\n\n{outputs_text(op)}{quantizes}"
    pointing = any(a.type == "dim_list" for a in op.fields)
    out = [*doc(text), *(with_numbers(op) if pointing else with_struct(op))]
    always = sum(not y.when for y in op.outputs)
    flags = [f"usize::from(self.raw.{y.when} != 0)" for y in op.outputs if y.when]
    out += [f"impl Operator for {name} {{", f'    const KIND: &\'static str = "{op.kind}";', ""]
    return [*out, "    fn outputs(&self) -> usize {", f"        {' + '.join([str(always), *flags])}", "    }", "}", ""]


def emit(operators: Operators) -> str:
    out = [
        *BANNER,
        "//! The operators, each with its attributes. A primitive is made of one by",
        "//! [`Primitive::builder`](crate::Primitive::builder).",
        "",
    ]
    out += [
        "use anydim_sys as sys;",
        "",
        "use crate::edge::Head;",
        "use crate::operator::{list_of, reals_of, Operator, PerSpatial, Sealed};",
    ]
    out += ["use crate::generated::enums::*;", ""]
    for op in operators.operators:
        out += operator(op)
    return "\n".join(out)


def literal(operators: Operators, a: Attribute, value: object) -> str:
    if a.type == "flag":
        return str(bool(value)).lower()
    if a.type == "dtype":
        return f"Dtype::{camel(str(value))}"
    if a.type == "per_spatial":
        return f"{value}"
    if a.type == "dim_list":
        return f"{value}"
    if a.type == "reals":
        assert isinstance(value, list)
        return f"&{[float(v) for v in value]}"
    if a.is_list:
        return f"&{value}"
    if a.type in ("real", "double"):
        return str(float(str(value)))
    return str(value) if a.type in TYPES else f"{camel(a.type)}::{camel(str(value))}"


def emit_examples(operators: Operators) -> str:
    out = [*BANNER, "//! One call or more of every operator, each at two shapes, for tests/operators.rs.", ""]
    out += ["use anydim::operators::*;", "use anydim::*;", ""]
    out += [
        "/// An input: its dims in two calls, and the smallest and largest number that make sense in it where it is of integers."
    ]
    out += [
        "pub struct Input {",
        "    pub dtype: Dtype,",
        "    pub dims: [&'static [i64]; 2],",
        "    pub limits: (i64, i64),",
        "}",
        "",
    ]
    out += ["/// What is done with each example.", "pub trait Visitor {"]
    out += [
        "    /// Gets an operator, its inputs, and how many outputs the description says it has.",
        "    fn visit<O: Operator + Clone>(&mut self, operator: O, inputs: &[Input], outputs: usize);",
        "}",
        "",
    ]
    out += ["/// How many operators are described.", f"pub const DESCRIBED: usize = {len(operators.operators)};", ""]
    out += ["/// Shows every example.", "pub fn visit_all(visitor: &mut impl Visitor) {"]
    for op in operators.operators:
        for e in op.examples:
            spatial = spatial_of(op, e)
            required = [a for a in op.fields if a.required or a.type == "dim_list"]
            text = f"{camel(op.kind)}::new({', '.join(literal(operators, a, spatial[a.name]) for a in required)})"
            for name, value in spatial.items():
                a = op.attribute(name)
                if a not in required:
                    value = (value + [0] * 3)[:3] if a.type == "per_spatial" and isinstance(value, list) else value
                    text += f".{name_of(name)}({literal(operators, a, value)})"
            out += ["    visitor.visit(", f"        {text},", "        &["]
            for i in e.inputs:
                first, second = shapes(i)
                low, high = limits(i)
                out.append(
                    f"            Input {{ dtype: Dtype::{camel(i[0])}, dims: [&{first}, &{second}], limits: ({low}, {high}) }},"
                )
            out += ["        ],", f"        {outputs_of(op, e)},", "    );"]
    return "\n".join([*out, "}", ""])
