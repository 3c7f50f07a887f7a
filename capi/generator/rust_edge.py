# SPDX-License-Identifier: Apache-2.0
"""Emits the generated half of the crate anydim's edge, the only module with unsafe code: a type for each handle, which destroys
itself and is Send and Sync as the description says; a safe function for each function of the API that takes neither
addresses nor callbacks; and how information is read. The other half is written by hand (bindings/rust/anydim/src/edge)."""

from __future__ import annotations

from .description import Api, Field, Function, Param, Struct
from .rust_sys import BANNER, RUST_SCALARS, name_of
from .rust_types import MAY_BE_NONE, info_name, infos, is_flag, shown
from .spelling import camel

# Functions of which the caller sets addresses in plain options.
ADDRESSES_IN_OPTIONS = {"context_create"}
# Structs of options that are plain numbers; others hold addresses, and their calls are written by hand.
PLAIN_OPTIONS = {"context_options", "save_options", "stream_options"}

HANDLE = """macro_rules! handle {
    ($name:ident, $target:ty, $raw:ty, $destroy:path) => {
        /// Null once it was closed. The marker takes Send and Sync away, which an atomic has by itself.
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name(AtomicPtr<$target>, PhantomData<*mut ()>);

        #[allow(dead_code)] // not each is used in every way
        impl $name {
            /// Of a handle that is the caller's.
            pub(super) fn new(raw: $raw) -> Self {
                Self(AtomicPtr::new(raw as *mut $target), PhantomData)
            }

            pub(super) fn null() -> $raw {
                std::ptr::null_mut()
            }

            pub(super) fn raw(&self) -> $raw {
                self.0.load(Ordering::Relaxed)
            }

            /// Destroys it now, from any thread; calls find that it is gone, and those that run end.
            pub(crate) fn close(&self) {
                // Null does nothing, and no other thread destroys it again.
                unsafe { $destroy(self.0.swap(std::ptr::null_mut(), Ordering::Relaxed)) }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.close();
            }
        }

        // A handle is a number that every call checks: one thread may make it and another use or destroy it.
        unsafe impl Send for $name {}
    };
}
"""


def handle_type(name: str) -> str:
    return f"{camel(name)}Handle"


def by_hand(api: Api, function: Function) -> bool:
    """Whether no rule makes it: it takes addresses, callbacks, or structs with either, or returns a text that always stays valid."""
    if (
        function.returns != "status"
        or function.name in {"last_error_query", *ADDRESSES_IN_OPTIONS}
        or function.skipped_in("rust")
    ):
        return True
    for p in function.params:
        word, _, name = p.type.partition(" ")
        if word in ("pointer", "callback") or (word == "struct" and p.dir == "in" and name not in PLAIN_OPTIONS):
            return True
        if p.dir == "out" and (word == "view" or (word == "struct" and api.struct(name).has_callbacks)):
            return True
    return False


def taken(p: Param) -> str:
    """The type of an argument."""
    word, _, name = p.type.partition(" ")
    if word == "handle":
        base = f"&[{handle_type(name)}]" if p.array else f"&{handle_type(name)}"
        return f"Option<{base}>" if p.optional else base
    if word == "view":
        if p.dir == "inout":
            return "&mut [Slot]"
        return "&mut [TensorViewMut<'_>]" if p.name == "outputs" else "&[TensorView<'_>]"
    if word == "value":
        return f"&[sys::anydim_{name}_t]"
    if word == "struct":
        return f"&sys::anydim_{name}_t"
    if word == "op":
        return "Head<'_>"
    if word == "bytes":
        return "&[u8]"
    if word == "string":
        return "&CStr"
    if p.array:
        base = f"&[{RUST_SCALARS[word]}]"
        return f"Option<{base}>" if p.optional else base
    return RUST_SCALARS.get(word, "i32")


def argument(p: Param) -> str:
    """What is handed on."""
    word, n = p.type.partition(" ")[0], name_of(p.name)
    if word == "handle" and p.array:
        return f"{n}.as_ptr().cast()"
    if word == "handle":
        return (
            f"{n}.map_or_else({camel(p.type.partition(' ')[2])}Handle::null, |h| h.raw())"
            if p.optional
            else f"{n}.raw()"
        )
    if word == "view":
        return f"{n}.as_mut_ptr().cast()" if p.dir == "inout" or p.name == "outputs" else f"{n}.as_ptr().cast()"
    if word == "op":
        return f"{n}.as_ptr()"
    if word in ("value", "string"):
        return f"{n}.as_ptr()"
    if word == "bytes":
        return f"{n}.as_ptr().cast()"
    if p.array and p.optional:
        return f"{n}.map_or(std::ptr::null(), <[_]>::as_ptr)"
    if p.array:
        return f"{n}.as_ptr()"
    return n


def got(p: Param) -> tuple[str, str, str, str]:
    """Of what comes out: its type, the variable's first value, what is handed on, and the result."""
    word, _, name = p.type.partition(" ")
    n = name_of(p.name)
    if word == "handle":
        made = f"{handle_type(name)}::new({n})"
        kind, result = ("String", f"whole_text(&{made})?") if name == "text" else (handle_type(name), made)
        return kind, f"{handle_type(name)}::null()", f"&mut {n}", result
    if word == "struct":
        return camel(name), f"sys::anydim_{name}_t::INIT", f"&mut {n}", f"read_{name}({n})?"
    if p.type == "value string":
        return "String", "sys::anydim_string_t::INIT", f"&mut {n}", f"owned({n})"
    if p.type == "value dims":
        return "sys::anydim_dims_t", "sys::anydim_dims_t::INIT", f"&mut {n}", n
    return RUST_SCALARS.get(word, "i32"), "0", f"&mut {n}", n


def call(function: Function) -> list[str]:
    arrays: dict[str, Param] = {}
    for p in function.params:
        if p.array:
            arrays.setdefault(p.array, p)
    params, before, arguments, types, results = [], [], [], [], []
    for p in function.params:
        if p.length:
            first = arrays[p.name]
            array = name_of(first.name)
            number = RUST_SCALARS[p.type]
            arguments.append(f"{array}.len().try_into().unwrap_or(-1{'' if number == 'i32' else '_i64'})")
            for other in function.params:
                if other.array == p.name and other is not first:
                    whole = f"{name_of(other.name)}.map_or(true, |o| o.len() == {array}.len())"
                    same = whole if other.optional else f"{name_of(other.name)}.len() == {array}.len()"
                    before.append(f'    if !({same}) {{ return Err(lengths("{first.name}", "{other.name}")); }}')
        elif p.dir == "out":
            kind, start, handed, out = got(p)
            before.append(f"    let mut {name_of(p.name)} = {start};")
            arguments.append(handed)
            types.append(kind)
            results.append(out)
        else:
            params.append(f"{name_of(p.name)}: {taken(p)}")
            arguments.append(argument(p))
    back = "()" if not types else types[0] if len(types) == 1 else f"({', '.join(types)})"
    out = [f"pub(crate) fn {function.name}({', '.join(params)}) -> Result<{back}> {{", *before]
    out.append(f"    check(unsafe {{ sys::anydim_{function.name}({', '.join(arguments)}) }})?;")
    value = "()" if not results else results[0] if len(results) == 1 else f"({', '.join(results)})"
    if len(results) == 1 and results[0].startswith("whole_text("):
        return [*out, f"    {results[0].removesuffix('?')}", "}", ""]
    if len(types) == 1 and types[0] in [
        camel(p.type.partition(" ")[2]) for p in function.params if p.type.startswith("struct ")
    ]:
        return [*out, f"    {value.removesuffix('?')}", "}", ""]
    return [*out, f"    Ok({value})", "}", ""]


def read_field(s: Struct, f: Field) -> str:
    n = f"from.{name_of(f.name)}"
    if is_flag(f):
        return f"{n} != 0"
    if (s.name, f.name) in MAY_BE_NONE:
        return f"{camel(f.type.partition(' ')[2])}::from_number({n})"
    if f.type.startswith("enum "):
        return f'known("{f.name}", {n}, {camel(f.type.partition(" ")[2])}::from_number)?'
    if f.type == "string":
        if f.count == 1:
            return f"owned({n})"
        known = (
            ".take(dims_of(&from.dims).len())" if any(other.name == "dims" for other in s.fields) else ""
        )  # one for each dim
        return f"{n}.iter(){known}.map(|&s| owned(s)).collect()"
    if f.type == "value dims":
        return f"dims_of(&{n}).to_vec()"
    return n if f.count == 1 else f"{n}.to_vec()"


def reader(s: Struct) -> list[str]:
    """Reads a struct that a call filled in; its strings are copied while their owner is known to live."""
    out = [f"fn read_{s.name}(from: sys::anydim_{s.name}_t) -> Result<{info_name(s)}> {{", f"    Ok({info_name(s)} {{"]
    out += [f"        {name_of(f.name)}: {read_field(s, f)}," for f in shown(s)]
    return [*out, "    })", "}", ""]


def emit_handles(api: Api) -> str:
    out = [*BANNER, "//! Handles that destroy themselves. Send and Sync are what the API promises of each.", ""]
    out += [
        "use std::marker::PhantomData;",
        "use std::sync::atomic::{AtomicPtr, Ordering};",
        "",
        "use anydim_sys as sys;",
        "",
        HANDLE,
    ]
    left_out = {f.destroys for f in api.functions if f.destroys and f.skipped_in("rust")}
    for h in api.handles:
        if h.name in left_out:
            continue
        t, constant = handle_type(h.name), "true" if h.sharing == "many" else "false"
        out.append(f"handle!({t}, sys::anydim_{h.name}_s, sys::anydim_{h.name}_t, sys::anydim_{h.name}_destroy);")
        if constant == "true":
            out += ["// Many threads may use it at once.", f"unsafe impl Sync for {t} {{}}"]
    return "\n".join([*out, ""])


def emit_calls(api: Api) -> str:
    out = [
        *BANNER,
        "//! One safe function for each function of the API that takes neither addresses nor callbacks. Arrays are slices,",
    ]
    out += ["//! what comes out is returned, and a status that is not ok is an error.", ""]
    out += [
        "#![allow(clippy::too_many_arguments)] // the API's own",
        "",
    ]
    out += ["use std::ffi::CStr;", "", "use anydim_sys as sys;", "", "use super::handles::*;"]
    out += [
        "use super::views::{Slot, TensorView, TensorViewMut};",
        "use super::{check, dims_of, known, lengths, owned, whole_text, Head};",
    ]
    out += ["use crate::generated::{enums::*, infos::*};", "use crate::Result;", ""]
    for function in api.functions:
        if not function.destroys and not by_hand(api, function):
            out += call(function)
    for s in infos(api):
        out += reader(s)
    return "\n".join(out)
