# SPDX-License-Identifier: Apache-2.0
"""Emits the low-level Python module anydim._capi (pybind11). One Python function per C function: outputs are returned,
lengths follow from sequences, option structs are dicts, statuses are exceptions, handles are objects that destroy
themselves. The idiomatic layer over it is written by hand. What the module calls is in
bindings/python/module_support.h; python_stub.py has what Python reads of it."""

from __future__ import annotations

import re

from .c_header import param_type
from .description import SCALARS, Api, Field, Function, Param, Struct
from .shims import BANNER


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def by_hand(f: Field) -> bool:
    """A field of options that Python's dicts do not have."""
    return f.name == "reserved" or f.type.startswith("callback ") or f.type == "pointer"


def of_callback(p: Param) -> bool:
    """A callback or its environment: for what is written by hand."""
    return p.type.startswith("callback ") or (p.type == "pointer" and p.name == "user")


def inputs(function: Function) -> list[Param]:
    return [
        p
        for p in function.params
        if (p.dir == "in" or (p.type == "view" and p.dir == "inout")) and not p.length and not of_callback(p)
    ]


def defaults_to_none(params: list[Param]) -> set[str]:
    """Optional structs that nothing without a default follows."""
    names: set[str] = set()
    for p in reversed(params):
        if not (p.optional and p.type.startswith("struct")):
            break
        names.add(p.name)
    return names


def outputs(function: Function) -> list[Param]:
    return [p for p in function.params if p.dir == "out" or (p.type == "view" and p.dir == "inout")]


def cpp_input(p: Param) -> str:
    """How the lambda takes a parameter."""
    word, _, name = p.type.partition(" ")
    if word == "handle" and p.array:
        return f"const std::vector<const {camel(name)}*>& {p.name}"
    if word == "handle":
        return f"const {camel(name)}{'*' if p.optional else '&'} {p.name}"
    if word == "view":
        return f"{'const ' if p.dir == 'in' else ''}std::vector<anydim_view_t>{'&' if p.dir == 'in' else ''} {p.name}"
    if word == "value":  # arrays of structs of int64: anydim_dim_t
        return f"const std::vector<anydim_{name}_t>& {p.name}"
    if p.array and word in SCALARS:
        array = f"std::vector<{SCALARS[word][0]}>"
        return f"const std::optional<{array}>& {p.name}" if p.optional else f"const {array}& {p.name}"
    if word == "struct":
        return f"const py::object& {p.name}"
    if word == "op":
        return f"const py::dict& {p.name}"
    if word == "string":
        return f"const TextArgument& {p.name}"
    if word == "bytes":
        return f"const py::buffer& {p.name}"
    if word == "pointer":
        return f"uintptr_t {p.name}"
    return f"{SCALARS[word][0] if word in SCALARS else 'int32_t'} {p.name}"


def lambda_lines(api: Api, function: Function) -> list[str]:
    before: list[str] = []
    call: list[str] = []
    results: list[str] = []
    arrays: dict[str, Param] = {}
    for p in function.params:
        if p.array and p.array not in arrays:
            arrays[p.array] = p
    for p in function.params:
        word, _, name = p.type.partition(" ")
        n = p.name
        if p.length:
            array = arrays[n]
            size = f"{array.name}_bytes.size()" if array.type == "bytes" else f"{array.name}.size()"
            call.append(f"static_cast<{SCALARS[p.type][0]}>({size})")
            for other in function.params:
                if other.array == n and other is not array:
                    before.append(f'same_length({array.name}, {other.name}, "{array.name}", "{other.name}");')
        elif p.dir == "out":
            if word == "handle":
                before.append(f"auto {n} = std::make_unique<{camel(name)}>();")
                call.append(f"&{n}->handle")
                results.append(f"std::move({n})")
            elif word == "struct":
                before.append(f"anydim_{name}_t {n} = ANYDIM_{name.upper()}_INIT;")
                call.append(f"&{n}")
                results.append(f"to_dict({n})")
            else:
                before.append(f"{param_type(p)[:-1]} {n}{{}};")
                call.append(f"&{n}")
                results.append(f"to_python({n})")
        elif word == "view":
            call.append(f"{n}.data()")
            if p.dir == "inout":
                results.append(f"to_python({n})")
        elif word == "handle" and p.array:
            before.append(f"const auto {n}_handles = handles<anydim_{name}_t>({n});")
            call.append(f"{n}_handles.data()")
        elif word == "handle":
            call.append(f"handle_of({n})" if p.optional else f"{n}.handle")
        elif word == "struct":
            before.append(f"anydim_{name}_t {n}_struct = ANYDIM_{name.upper()}_INIT;")
            before.append(f"KeptArrays {n}_kept;")
            before.append(f"const bool {n}_given = from_dict({n}, &{n}_struct, &{n}_kept);")
            call.append(f"{n}_given ? &{n}_struct : nullptr")
        elif word == "op":
            before.append(f"const OperatorStruct {n}_struct({n});")
            call.append(f"{n}_struct.op()")
        elif word == "bytes":
            before.append(f'const BytesArgument {n}_bytes({n}, "{n}");')
            call.append(f"{n}_bytes.data()")
        elif word == "string":
            call.append(f"{n}.c_str()")
        elif of_callback(p):
            call.append("nullptr")
        elif word == "pointer":
            call.append(f"reinterpret_cast<void*>({n})")
        elif p.array and p.optional:
            call.append(f"{n} ? {n}->data() : nullptr")
        elif p.array:
            call.append(f"{n}.data()")
        else:
            call.append(n)
    c_call = f"anydim_{function.name}({', '.join(call)})"
    lines = before
    if function.returns == "status":
        if function.blocking:
            lines = [*lines, f"check(without_gil([&] {{ return {c_call}; }}));"]
        else:
            lines = [*lines, f"check({c_call});"]
        if len(results) == 1:
            lines.append(
                f"return {results[0].removeprefix('std::move(').removesuffix(')')};"
                if results[0].startswith("std::move(")
                else f"return {results[0]};"
            )
        elif results:
            lines.append(f"return py::make_tuple({', '.join(results)});")
    elif function.returns == "void":
        lines = [*lines, f"{c_call};"]
    else:
        lines = [*lines, f"return to_python({c_call});"]
    return lines


def binding(api: Api, function: Function) -> list[str]:
    params = inputs(function)
    signature = ", ".join(cpp_input(p) for p in params)
    names = "".join(
        f', py::arg("{p.name}")'
        + (".none(true)" if p.optional and p.type.startswith("handle") else "")
        + (" = py::none()" if p.name in defaults_to_none(params) else "")
        for p in params
    )
    first_sentence = re.split(r"(?<=\.) ", " ".join(function.doc.split()))[0]
    doc = first_sentence.replace("\\", "\\\\").replace('"', '\\"')
    lines = [f'  m.def("{function.name}", []({signature}) {{']
    lines += ["    " + line for line in lambda_lines(api, function)]
    return [*lines, f'  }}{names}, "{doc}");']


def convert_field(struct: Struct, index: int, reading: bool) -> list[str]:
    f = struct.fields[index]
    if f.name == "reserved" or (reading and by_hand(f)):
        return []  # callbacks are for what is written by hand, and so is their environment
    if reading and any(other.array == f.name for other in struct.fields):
        return []  # follows from the array
    if reading and f.array:
        handle_class = camel(f.type.partition(" ")[2])
        return [f'  take_handles<{handle_class}>(dict, "{f.name}", &s->{f.name}, &s->{f.array}, &used, kept);']
    if reading and f.type.startswith("handle "):
        handle_class = camel(f.type.partition(" ")[2])
        return [f'  take_handle<{handle_class}>(dict, "{f.name}", &s->{f.name}, &used);']
    if reading:
        return [f'  take(dict, "{f.name}", &s->{f.name}, &used);']
    return [f'  d["{f.name}"] = to_python(s.{f.name});']


def struct_converters(api: Api) -> list[str]:
    out: list[str] = []
    for s in api.structs:
        if s.kind == "out" and not s.has_callbacks:
            out.append(f"[[maybe_unused]] py::dict to_dict(const anydim_{s.name}_t& s) {{")
            out.append("  py::dict d;")
            for i in range(len(s.fields)):
                out += convert_field(s, i, reading=False)
            out += ["  return d;", "}", ""]
        elif s.kind == "in" and not all(by_hand(f) for f in s.fields):
            out.append(
                f"[[maybe_unused]] void fill(const py::dict& dict, anydim_{s.name}_t* s, [[maybe_unused]] KeptArrays* kept) {{"
            )
            out.append("  size_t used = 0;")
            for i in range(len(s.fields)):
                out += convert_field(s, i, reading=True)
            out += [f'  all_used(dict, used, "{s.name}");', "}", ""]
    out += [
        "// False for None: the call gets a null pointer.",
        "template <class T>",
        "bool from_dict(const py::object& from, T* s, KeptArrays* kept) {",
        "  if (from.is_none()) return false;",
        "  fill(from.cast<py::dict>(), s, kept);",
        "  return true;",
        "}",
        "",
    ]
    return out


# Neither waits for a run nor calls back: made and destroyed by the thousand.
DESTROYED_AT_ONCE = {"text", "desc", "attr", "bounds", "cancellation"}


def destruction(handle: str) -> str:
    taken = "std::exchange(handle, nullptr)"
    at_once = handle in DESTROYED_AT_ONCE
    return f"anydim_{handle}_destroy({taken})" if at_once else f"destroy_without_gil(anydim_{handle}_destroy, {taken})"


def emit_module(api: Api) -> str:
    out = [
        BANNER + "// The low-level Python module anydim._capi: one function per C function, over the C API only.",
        '#include "bindings/python/module_support.h"',
        '#include "bindings/python/operator_structs.h"',
        "",
        "using namespace anydim_python;",
        "",
        "namespace {",
        "",
    ]
    for h in api.handles:
        out += [
            f"struct {camel(h.name)} {{",
            f"  {camel(h.name)}() = default;",
            f"  {camel(h.name)}(const {camel(h.name)}&) = delete;",
            f"  ~{camel(h.name)}() {{ close(); }}",
            f"  void close() {{ {destruction(h.name)}; }}",
            f"  anydim_{h.name}_t handle = nullptr;",
            "};",
        ]
    out += [
        "",
        *struct_converters(api),
        "}  // namespace",
        "",
        "PYBIND11_MODULE(_capi_of_main, m, py::mod_gil_not_used()) {  // PyInit__capi: module_support.cpp",
    ]
    out.append(f'  m.doc() = "The C API of Anydim {api.version}, function by function.";')
    for h in api.handles:
        doc = h.doc.replace('"', '\\"')
        out += [
            f'  py::class_<{camel(h.name)}>(m, "{camel(h.name)}", "{doc}")',
            f'      .def("close", &{camel(h.name)}::close, "Destroys it now instead of when Python forgets it.")',
            f'      .def_property_readonly("value", [](const {camel(h.name)}& h) '
            "{ return reinterpret_cast<uintptr_t>(h.handle); });",
        ]
    for function in api.functions:
        if not function.destroys and not function.skipped_in("python"):
            out += binding(api, function)
    out += ["  define_text(m);", "  define_arrays(m);"]
    return "\n".join([*out, "}", ""])
