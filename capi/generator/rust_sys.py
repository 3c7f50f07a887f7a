# SPDX-License-Identifier: Apache-2.0
"""Emits the crate anydim-sys: the C API as Rust declares it, one file per module, under C's names. Types, constants, structs
with their _INIT values as Default, and the extern block. What is safe over it is written elsewhere (rust_types.py,
rust_operators.py, and the hand-written part in bindings/rust/anydim). A C program and a Rust test with the same list of sizes and
offsets are emitted too, for a test that compares what the two compilers made of the structs."""

from __future__ import annotations

import re
import textwrap

from .c_header import GENERATED, WIDTH, enumerator, paragraphs, upper
from .description import Api, Callback, Enum, Field, Function, Handle, Module, Param, Struct

BANNER = ["// SPDX-License-Identifier: Apache-2.0", f"// {GENERATED}"]
CODE = "    "  # what a line of code in a text begins with; it is C's and left out here
RUST_SCALARS = {"int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "float": "f32", "double": "f64"}
KEYWORDS = set(
    "abstract as async await become box break const continue crate do dyn else enum extern false final fn for if impl in let loop "
    "macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use "
    "virtual where while yield".split()
)
STRINGS = {"chars": "*const c_char", "string": "anydim_string_t", "int64s": "*const i64", "pointer": "*mut c_void"}

NO_LIST = re.compile(r"^(\s*\d*)([-+.)] )")  # what would begin a list at the start of a line that a sentence goes on in


def name_of(name: str) -> str:
    return f"r#{name}" if name in KEYWORDS else name


def without_code(text: str) -> list[str]:
    """Paragraphs of a text, without C's examples and the words that announce them."""
    found = paragraphs(text)
    kept: list[str] = []
    for i, p in enumerate(found):
        if p.startswith(CODE) or p in ("Example:", "Conventions"):
            continue
        if p.endswith(":") and i + 1 < len(found) and found[i + 1].startswith(CODE):
            continue
        kept.append(p)
    return kept


def escaped(text: str) -> str:
    """What Markdown would take for links, HTML or emphasis, as it is; links of the spelling stay."""
    out, i = "", 0
    while i < len(text):
        if text.startswith("[`", i) or text.startswith("`", i):
            end = text.index("`]" if text[i] == "[" else "`", i + 2) + (2 if text[i] == "[" else 1)
            out, i = out + text[i:end], end
        else:
            out, i = out + (f"\\{text[i]}" if text[i] in "[]<>*" else text[i]), i + 1
    return out


def doc(text: str, indent: str = "", mark: str = "///") -> list[str]:
    """Documentation comments, filled to the width; a list stays one."""
    lines: list[str] = []
    before = ""
    for p in without_code(text):
        item = p.startswith("- ")
        if not p or (before and not (item and before.startswith("- "))):
            lines.append("")
        if p:
            body = f"- {escaped(p[2:])}" if item else escaped(p)
            hang = "  " if item else ""
            filled = textwrap.wrap(
                body, WIDTH - 5 - len(indent), subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
            )
            lines += [filled[0], *(NO_LIST.sub(r"\1\\\2", line) for line in filled[1:])]
        before = p
    tidy = [line for i, line in enumerate(lines) if line or (i > 0 and lines[i - 1])]
    while tidy and not tidy[-1]:
        tidy.pop()
    return [f"{indent}{mark} {line}".rstrip() for line in tidy]


def field_type(f: Field) -> str:
    word, _, name = f.type.partition(" ")
    if word in RUST_SCALARS:
        base = RUST_SCALARS[word]
    elif f.array:
        base = f"*const anydim_{name}_t"
    elif word == "callback":
        base = f"anydim_{name}_callback_t"
    elif word in ("enum", "value", "handle"):
        base = f"anydim_{name}_t"
    else:
        base = STRINGS[word]
    return base if f.count == 1 else f"[{base}; {f.count}]"


def param_type(p: Param) -> str:
    word, _, name = p.type.partition(" ")
    if word in RUST_SCALARS:
        base = RUST_SCALARS[word]
    elif word == "string":
        return "*const c_char"
    elif word == "bytes":
        return "*const c_void"
    elif word == "op":
        return "*const anydim_op_t"
    elif word == "pointer":
        return "*mut c_void" if p.dir == "in" else "*mut *mut c_void"
    elif word == "callback":
        return f"anydim_{name}_callback_t"
    else:
        base = f"anydim_{name or word}_t"
    by_address = word in ("struct", "view") or (word == "value" and not p.array)
    if p.dir != "in":
        return f"*mut {base}"
    return f"*const {base}" if p.array or by_address else base


def result(function: Function) -> str:
    word, _, name = function.returns.partition(" ")
    if word == "value":
        return f" -> anydim_{name}_t"
    return {"status": " -> anydim_status_t", "chars": " -> *const c_char", "void": ""}[word]


def function_lines(function: Function) -> list[str]:
    text = function.doc.strip().splitlines()
    text.append("")
    for p in function.params:
        marks = [m for m, on in (("out", p.dir == "out"), ("in and out", p.dir == "inout")) if on]
        if p.transfer == "caller":
            marks.append("the caller destroys it")
        if p.optional and not function.destroys:
            marks.append("may be null")
        text.append(f"- `{p.name}`{' (' + ', '.join(marks) + ')' if marks else ''}: {p.doc}")
    fails = "; fails with " + ", ".join(f"`{e}`" for e in function.errors) if function.errors else ""
    lifecycle = function.lifecycle[0].upper() + function.lifecycle[1:]
    text += ["", f"{lifecycle}; slot {function.slot}{'; may block' if function.blocking else ''}{fails}."]
    head = f"    pub fn anydim_{function.name}("
    params = [f"{name_of(p.name)}: {param_type(p)}" for p in function.params]
    one = f"{head}{', '.join(params)}){result(function)};"
    if len(one) <= 100:
        return [*doc("\n".join(text), "    "), one]
    return [*doc("\n".join(text), "    "), head, *(f"        {p}," for p in params), f"    ){result(function)};"]


def initial(f: Field) -> str:
    word = f.type.partition(" ")[0]
    if word in ("value", "string"):
        name = "string" if word == "string" else f.type.partition(" ")[2]
        one = f"anydim_{name}_t::INIT"
    elif word == "callback":
        one = "None"
    elif f.array or word in ("chars", "int64s"):
        one = "std::ptr::null()"
    elif word == "pointer":
        one = "std::ptr::null_mut()"
    elif word == "handle":
        one = "NULL"
    elif word in ("float", "double"):
        one = repr(float(f.default))
    else:
        one = str(int(f.default))
    return one if f.count == 1 else f"[{one}; {f.count}]"


def initial_of(api: Api, f: Field) -> str:
    text = initial(f)
    if "NULL" in text:
        handle = api.handle(f.type.partition(" ")[2])
        text = text.replace("NULL", "std::ptr::null()" if handle.sharing == "many" else "std::ptr::null_mut()")
    return text


def struct_lines(api: Api, s: Struct) -> list[str]:
    out = [*doc(s.doc), "#[repr(C)]", "#[derive(Clone, Copy, Debug)]", f"pub struct anydim_{s.name}_t {{"]
    init = []
    if s.kind == "op":
        out += ["    /// Size and kind: from `INIT`.", "    pub op: anydim_op_t,"]
        init.append(
            ("op", f"anydim_op_t {{ size: std::mem::size_of::<Self>() as u32, kind: {upper('op_' + s.name)} }}")
        )
    elif s.kind != "value":
        out += ["    /// Size of this struct: from `INIT`.", "    pub size: u32,"]
        init.append(("size", "std::mem::size_of::<Self>() as u32"))
    for f in s.fields:
        out += [*doc(f.doc, "    "), f"    pub {name_of(f.name)}: {field_type(f)},"]
        init.append((name_of(f.name), initial_of(api, f)))
    out += ["}", "", f"impl anydim_{s.name}_t {{"]
    what = "All zero." if s.kind == "value" else "Its size and the defaults of its fields: what to start from."
    out += [f"    /// {what}", "    pub const INIT: Self = Self {"]
    out += [f"        {name}: {value}," for name, value in init]
    out += ["    };", "}", "", f"impl Default for anydim_{s.name}_t {{"]
    return [*out, "    fn default() -> Self {", "        Self::INIT", "    }", "}", ""]


def enum_lines(enum: Enum) -> list[str]:
    out = [*doc(enum.doc), f"pub type anydim_{enum.name}_t = i32;"]
    for v in enum.values:
        out += [*doc(v.doc), f"pub const {enumerator(enum, v.name)}: anydim_{enum.name}_t = {v.value};"]
    return [*out, ""]


def handle_lines(handle: Handle) -> list[str]:
    many = handle.sharing == "many"
    rule = "Many threads may use it at once." if many else "One user at a time."
    parent = f" It keeps its {handle.parent} alive." if handle.parent else ""
    return [
        f"/// What [`anydim_{handle.name}_t`] names; it is never looked into.",
        "#[repr(C)]",
        "#[derive(Debug)]",
        f"pub struct anydim_{handle.name}_s {{",
        "    _private: [u8; 0],",
        "}",
        *doc(f"{handle.doc} {rule}{parent}"),
        f"pub type anydim_{handle.name}_t = *{'const' if many else 'mut'} anydim_{handle.name}_s;",
        "",
    ]


def callback_lines(callback: Callback) -> list[str]:
    text = [*callback.doc.strip().splitlines(), "", f"Thread rule: {callback.threads}", ""]
    text += ["- `user`: The environment that was given with it.", *(f"- `{p.name}`: {p.doc}" for p in callback.params)]
    back = {"void": "", "pointer": " -> *mut c_void"}.get(callback.returns)
    back = f" -> {RUST_SCALARS[callback.returns]}" if back is None else back
    params = ", ".join(["user: *mut c_void", *(f"{name_of(p.name)}: {param_type(p)}" for p in callback.params)])
    return [
        *doc("\n".join(text)),
        f'pub type anydim_{callback.name}_callback_t = Option<unsafe extern "C" fn({params}){back}>;',
        "",
    ]


def emit_module(api: Api, module: Module) -> str:
    out: list[str] = []
    for c in module.constants:
        out += [*doc(c.doc), f"pub const {upper(c.name)}: usize = {c.value};", ""]
    for h in module.handles:
        out += handle_lines(h)
    for e in module.enums:
        out += enum_lines(e)
    for callback in module.callbacks:
        out += callback_lines(callback)
    for s in module.structs:
        out += struct_lines(api, s)
    if module.functions:
        out += ['extern "C" {', *(line for f in module.functions for line in function_lines(f)), "}", ""]
    text = "\n".join(out)
    pointers = [name for name in ("c_char", "c_void") if name in text]
    uses = (
        [f"use std::os::raw::{{{', '.join(pointers)}}};"]
        if len(pointers) > 1
        else [f"use std::os::raw::{p};" for p in pointers]
    )
    if uses:
        uses.append("")
    needs = ["#[allow(unused_imports)] // documentation names types of other modules", "use super::*;", ""]
    return "\n".join([*BANNER, *doc(module.doc, mark="//!"), "", *uses, *needs, text.rstrip(), ""])


def emit_root(api: Api) -> str:
    out = [*BANNER, "//! The modules of the C API, under their names there.", ""]
    out += [f"mod {m.name};" for m in sorted(api.modules, key=lambda m: m.name)]
    out += ["", *(f"pub use {m.name}::*;" for m in sorted(api.modules, key=lambda m: m.name))]
    v = api.version
    out += ["", "/// Version of the C API that these declarations are of: major, minor, patch."]
    return "\n".join([*out, f"pub const ANYDIM_VERSION: [u32; 3] = [{v.major}, {v.minor}, {v.patch}];", ""])


def fields_of(s: Struct) -> list[str]:
    first = {"op": ["op"], "in": ["size"], "out": ["size"]}.get(s.kind, [])
    return [*first, *(f.name for f in s.fields)]


def emit_layout_c(api: Api) -> str:
    out = [
        *(f"/* {line[3:]} */" for line in BANNER),
        "/* Prints size, alignment and the offset of each field of each struct, for tests/layout.rs. */",
        "#include <anydim/anydim.h>",
        "#include <stddef.h>",
        "#include <stdio.h>",
        "",
        "int main(void) {",
    ]
    for s in api.structs:
        t = f"anydim_{s.name}_t"
        out.append(f"  {{ struct aligned {{ char c; {t} s; }};")
        out.append(f'    printf("{t} %zu %zu\\n", sizeof({t}), offsetof(struct aligned, s)); }}')
        out += [f'  printf("{t}.{f} %zu\\n", offsetof({t}, {f}));' for f in fields_of(s)]
    return "\n".join([*out, "  return 0;", "}", ""])


def emit_layout_rust(api: Api) -> str:
    out = [
        *BANNER,
        "//! Size, alignment and offsets of each struct as Rust lays it out, in the words of layout.c.",
        "",
        "use anydim_sys::*;",
        "",
        "/// Offset of a field, without a reference to what is not there.",
        "macro_rules! offset {",
        "    ($struct:ty, $field:ident) => {{",
        "        let room = std::mem::MaybeUninit::<$struct>::uninit();",
        "        let whole = room.as_ptr();",
        "        // The address of a field of memory that is ours; nothing is read.",
        "        let part = unsafe { std::ptr::addr_of!((*whole).$field) };",
        "        part as usize - whole as usize",
        "    }};",
        "}",
        "",
        "/// One line for each struct, and one for each of its fields.",
        "pub fn lines() -> Vec<String> {",
        "    let mut out = Vec::new();",
        "    let mut add = |name: &str, numbers: &[usize]| {",
        "        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();",
        '        out.push(format!("{name} {}", numbers.join(" ")));',
        "    };",
    ]
    for s in api.structs:
        t = f"anydim_{s.name}_t"
        out.append(f'    add("{t}", &[std::mem::size_of::<{t}>(), std::mem::align_of::<{t}>()]);')
        out += [f'    add("{t}.{f}", &[offset!({t}, {name_of(f)})]);' for f in fields_of(s)]
    return "\n".join([*out, "    out", "}", ""])


def files(api: Api) -> dict[str, str]:
    """The generated files of the crate by their paths in it."""
    out = {"src/generated/mod.rs": emit_root(api)}
    out |= {f"src/generated/{m.name}.rs": emit_module(api, m) for m in api.modules}
    return out | {"tests/generated/layout.c": emit_layout_c(api), "tests/generated/mod.rs": emit_layout_rust(api)}
