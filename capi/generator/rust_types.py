# SPDX-License-Identifier: Apache-2.0
"""Emits the types of the crate anydim that repeat the API: enums, information (the structs that calls fill in) and the error,
which has a variant for each status. All of it is safe Rust; how the structs are read is in rust_edge.py."""

from __future__ import annotations

from .description import Api, Enum, Field, Struct
from .rust_sys import BANNER, RUST_SCALARS, doc, name_of
from .spelling import camel

# Those that the crate has types of its own for, or no use.
ENUMS_LEFT_OUT = {"op_kind"}
INFOS_LEFT_OUT = {"error_info"}
# Fields of enums that are 0 where they mean any, or none.
MAY_BE_NONE = {("kernel_info", "src"), ("kernel_info", "dst")}


def enums(api: Api) -> list[Enum]:
    return [e for e in api.enums if e.name not in ENUMS_LEFT_OUT]


def infos(api: Api) -> list[Struct]:
    return [s for s in api.structs if s.kind == "out" and not s.has_callbacks and s.name not in INFOS_LEFT_OUT]


def info_name(s: Struct) -> str:
    return camel(s.name)


def shown(s: Struct) -> list[Field]:
    """The fields that a program sees: not what only fills up the struct, and no addresses."""
    return [f for f in s.fields if f.name != "reserved" and f.type != "pointer"]


def is_flag(f: Field) -> bool:
    return f.type == "int32" and f.doc.startswith(("1 if ", "1 for ", "1, or 0"))


def info_type(s: Struct, f: Field) -> str:
    word, _, name = f.type.partition(" ")
    if is_flag(f):
        base = "bool"
    elif word == "enum":
        base = f"Option<{camel(name)}>" if (s.name, f.name) in MAY_BE_NONE else camel(name)
    elif f.type == "string":
        base = "String"
    elif f.type == "value dims":
        base = "Vec<i64>"
    else:
        base = RUST_SCALARS[word]
    return base if f.count == 1 else f"Vec<{base}>"


def enum_lines(e: Enum) -> list[str]:
    name = camel(e.name)
    default = next((v for v in e.values if v.value == 0 and "default" in v.doc), None)
    traits = "Clone, Copy, Debug, PartialEq, Eq, Hash" + (", Default" if default else "")
    out = [*doc(e.doc), f"#[derive({traits})]", "#[non_exhaustive]", "#[repr(i32)]", f"pub enum {name} {{"]
    for v in e.values:
        out += doc(v.doc, "    ")
        if v is default:
            out.append("    #[default]")
        out.append(f"    {camel(v.name)} = {v.value},")
    out += ["}", "", f"impl {name} {{", "    #[allow(dead_code)] // not each enum comes out of a call"]
    out += ["    pub(crate) fn from_number(number: i32) -> Option<Self> {", "        match number {"]
    out += [f"            {v.value} => Some(Self::{camel(v.name)})," for v in e.values]
    out += ["            _ => None,", "        }", "    }", "", "    /// Its name in texts, logs and explanations."]
    out += ["    pub fn name(self) -> &'static str {", "        match self {"]
    out += [f'            Self::{camel(v.name)} => "{v.name}",' for v in e.values]
    return [*out, "        }", "    }", "}", "", f"display!({name});", ""]


def emit_enums(api: Api) -> str:
    out = [
        *BANNER,
        "//! The enums of the API.",
        "",
        "#[allow(unused_imports)] // for documentation",
        "use crate::*;",
        "",
    ]
    out += ["macro_rules! display {", "    ($name:ident) => {", "        impl std::fmt::Display for $name {"]
    out += [
        "            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {",
        "                f.pad(self.name())",
    ]
    out += ["            }", "        }", "    };", "}", ""]
    for e in enums(api):
        out += enum_lines(e)
    return "\n".join(out)


def emit_infos(api: Api) -> str:
    out = [
        *BANNER,
        "//! What objects and the library report about themselves.",
        "",
        "#[allow(unused_imports)] // for documentation",
    ]
    out += ["use crate::*;", ""]
    for s in infos(api):
        out += [*doc(s.doc), "#[derive(Clone, Debug, PartialEq)]", "#[non_exhaustive]", f"pub struct {info_name(s)} {{"]
        for f in shown(s):
            text = f.doc
            if is_flag(f):
                text = "Whether " + f.doc.removeprefix("1 if ").removeprefix("1 for ").removeprefix("1, or 0 where ")
                if f.doc.startswith("1, or 0 where "):
                    text = "False where " + f.doc.removeprefix("1, or 0 where ")
                if f.doc.startswith("1 for "):
                    text = "True for " + f.doc.removeprefix("1 for ")
            if (s.name, f.name) in MAY_BE_NONE:
                text = f"{text.rstrip('.')}; none: any."
            out += [*doc(text, "    "), f"    pub {name_of(f.name)}: {info_type(s, f)},"]
        out += ["}", ""]
    return "\n".join(out)


def emit_errors(api: Api) -> str:
    status = api.enum("status")
    failures = [v for v in status.values if v.value != 0]
    out = [
        *BANNER,
        "//! The error of the crate: a variant for each status.",
        "",
        "#[allow(unused_imports)] // for documentation",
    ]
    out += ["use crate::*;", ""]
    out += ["/// What a call failed with: the status, and what it says about it.", "#[derive(Clone, Debug, PartialEq)]"]
    out += ["#[non_exhaustive]", "pub enum Error {"]
    for v in failures:
        out += [*doc(v.doc, "    "), f"    {camel(v.name)}(Failure),"]
    out += [
        "}",
        "",
        "impl Error {",
        "    pub(crate) fn new(status: i32, failure: Failure) -> Self {",
        "        match status {",
    ]
    out += [f"            {v.value} => Self::{camel(v.name)}(failure)," for v in failures if v.name != "internal"]
    out += ["            _ => Self::Internal(failure),", "        }", "    }", ""]
    out += ["    /// The status.", "    pub fn status(&self) -> Status {", "        match self {"]
    out += [f"            Self::{camel(v.name)}(_) => Status::{camel(v.name)}," for v in failures]
    out += [
        "        }",
        "    }",
        "",
        "    /// What it says: message, argument, node.",
        "    pub fn failure(&self) -> &Failure {",
    ]
    out += ["        match self {"]
    bar = "\n            | ".join(f"Self::{camel(v.name)}(failure)" for v in failures)
    out += [f"            {bar} => failure,", "        }", "    }", "}", ""]
    return "\n".join(out)
