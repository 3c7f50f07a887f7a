# SPDX-License-Identifier: Apache-2.0
"""Emits the low-level Python module anydim._capi (pybind11), its stub, and the enums as Python. One Python function per
C function: outputs are returned, lengths follow from sequences, option structs are dicts, statuses are exceptions,
handles are objects that destroy themselves. The idiomatic layer over it is written by hand. What the module calls is
in bindings/python/module_support.h."""

from __future__ import annotations

import re
import textwrap

from .c_header import GENERATED, WIDTH, param_type
from .description import SCALARS, Api, Enum, Field, Function, Param, Struct
from .shims import BANNER

PY_SCALARS = {"int32": "int", "uint32": "int", "int64": "int", "uint64": "int", "float": "float"}


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
            out.append(f"[[maybe_unused]] void fill(const py::dict& dict, anydim_{s.name}_t* s, [[maybe_unused]] KeptArrays* kept) {{")
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


def python_type(p: Param) -> str:
    """The type of an input in the stub."""
    word, _, name = p.type.partition(" ")
    if word == "handle":
        base = camel(name)
        if p.array:
            return f"Sequence[{base} | None]" if p.nullable else f"Sequence[{base}]"
    elif word == "value":
        return "Sequence[tuple[int, int, int, int, int]]"
    elif word == "view":
        return "Sequence[View]"
    elif word == "struct":
        base = camel(name)
    elif word == "op":
        return "dict[str, Any]"
    elif word == "bytes":
        return "Buffer"
    elif word == "string":
        return "str | bytes"
    elif word in PY_SCALARS:
        base = f"Sequence[{PY_SCALARS[word]}]" if p.array else PY_SCALARS[word]
    else:
        return "int"
    return f"{base} | None" if p.optional else base


def result_type(type_name: str) -> str:
    word, _, name = type_name.partition(" ")
    if type_name in ("value string", "chars", "string"):
        return "str"
    if type_name == "value dims":
        return "list[int]"
    if type_name == "value dim":
        return "tuple[int, int, int, int, int]"
    if type_name == "view":
        return "View"
    if word in ("handle", "struct"):
        return camel(name)
    return PY_SCALARS.get(word, "int")


def stub_function(function: Function) -> list[str]:
    taken = inputs(function)
    params = ", ".join(
        f"{p.name}: {python_type(p)}" + (" = None" if p.name in defaults_to_none(taken) else "") for p in taken
    )
    results = ["list[View]" if p.array else result_type(p.type) for p in outputs(function)]
    if function.returns not in ("status", "void"):
        result = result_type(function.returns)
    elif len(results) > 1:
        result = f"tuple[{', '.join(results)}]"
    else:
        result = results[0] if results else "None"
    return [f"def {function.name}({params}) -> {result}: ..."]


def structs(api: Api) -> list[tuple[str, list[str]]]:
    """The structs of the API that Python sees, each with its lines as a class: dicts to the library, and for type checkers more."""
    out = []
    for s in api.structs:
        if (s.kind == "in" and not all(by_hand(f) for f in s.fields)) or (s.kind == "out" and not s.has_callbacks):
            total = ", total=False" if s.kind == "in" else ""
            lines = [f"class {camel(s.name)}(TypedDict{total}):"]
            for f in s.fields:
                if f.array:
                    lines.append(f"    {f.name}: Sequence[{result_type(f.type)}]")
                elif (
                    f.name != "reserved"
                    and not (s.kind == "in" and f.type.startswith(("callback ", "pointer")))
                    and not any(other.array == f.name for other in s.fields)
                ):
                    one = "str | bytes" if s.kind == "in" and f.type == "chars" else result_type(f.type)
                    lines.append(f"    {f.name}: {f'list[{one}]' if f.count > 1 else one}")
            out.append((camel(s.name), lines))
    return out


def emit_structs(api: Api) -> str:
    """A module that holds them, so that typing.get_type_hints finds them in a running program."""
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {GENERATED}",
        "# ruff: noqa",
        '"""The structs of the C API as dicts, for type checkers."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Sequence",
        "from typing import Any, TypedDict",
        "",
    ]
    made = structs(api)
    words = {
        word for _, lines in made for line in lines[1:] for word in line.replace("[", " ").replace("]", " ").split()
    }
    out.append(f"from ._capi import {', '.join(sorted(words & {camel(h.name) for h in api.handles}))}")
    for _, lines in made:
        out += ["", "", *lines]
    return "\n".join([*out, ""])


def emit_stub(api: Api) -> str:
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {GENERATED}",
        "# ruff: noqa",
        "from collections.abc import Callable, Sequence",
        "from typing import Any",
        "",
        "from typing_extensions import Buffer",
        "",
        "from ._structs import (",
        *(f"    {name} as {name}," for name, _ in structs(api)),
        ")",
        "",
        "# dtype, dims, strides in elements (None: row-major), address; (0, [], None, 0) asks for nothing.",
        "View = tuple[int, Sequence[int], Sequence[int] | None, int]",
        "",
    ]
    for h in api.handles:
        out += [
            f"class {camel(h.name)}:",
            "    def close(self) -> None: ...",
            "    @property",
            "    def value(self) -> int: ...",
            "",
        ]
    for function in api.functions:
        if not function.destroys and not function.skipped_in("python"):
            out += stub_function(function)
    out += [
        "",
        "# By hand: module_support.cpp, arrays.cpp, submitted.cpp, log_lines.cpp and texts.cpp in bindings/python.",
        "def text_bytes(text: Text) -> bytes: ...",
        "def dtype_of(array: Any) -> int: ...",
        "def is_viewable(array: Any) -> bool: ...",
        "def rows_as_maps(rows: Any, keys: list[Any]) -> list[dict[Any, float]]: ...",
        "def views_of_texts(name: str, array: Any, bits: int) -> tuple[Any, Any]: ...",
        "def texts_of_views(views: Any, heap: Any, bits: int) -> Any: ...",
        "def numbers_of_texts(name: str, array: Any, known: dict[str, int]) -> Any: ...",
        "def run_model(",
        "    session: Session, inputs: Sequence[Any], wanted: Sequence[tuple[int, bool]], given: Sequence[Any],",
        "    cancellation: Cancellation | None = None, timeout_ms: int = -1,",
        ") -> list[Any]: ...",
        "def step_state(",
        "    state: State, inputs: Sequence[Any], wanted: Sequence[tuple[int, bool]], given: Sequence[Any],",
        "    cancellation: Cancellation | None = None, timeout_ms: int = -1,",
        ") -> list[Any]: ...",
        "def push_chunk(",
        "    streaming: Streaming, inputs: Sequence[Any], last: bool, wanted: Sequence[tuple[int, bool]],",
        "    cancellation: Cancellation | None = None, timeout_ms: int = -1,",
        ") -> list[Any]: ...",
        "def read_state(state: State, part: int) -> Any: ...",
        "def write_state(state: State, values: Sequence[Any]) -> None: ...",
        "class Finished:",
        "    def fileno(self) -> int: ...",
        "    def take(self) -> list[tuple[int, Any]]: ...",
        "def submit_model(",
        "    session: Session, inputs: Sequence[Any], wanted: Sequence[tuple[int, bool]], cancellation: Cancellation | None,",
        "    timeout_ms: int, finished: Finished, number: int",
        ") -> None: ...",
        "def custom_operators_add(",
        "    operators: CustomOperators, domain: str, op_type: str, shapes: Callable[..., Any], compute: Callable[..., Any]",
        ") -> None: ...",
        "def log_start(level: int) -> None: ...",
        "def log_stop(level: int) -> None: ...",
        "def log_wait(seconds: float) -> bool: ...",
        "def log_wake() -> None: ...",
        "def log_take() -> tuple[list[tuple[int, str]], int]: ...",
        "def execute_primitive(",
        "    primitive: Primitive, stream: Stream, inputs: Sequence[Any], dtypes: Sequence[int], given: Sequence[Any]",
        ") -> list[Any]: ...",
        "def explain_run(session: Session, inputs: Sequence[Any]) -> str: ...",
        "def explain_primitive(primitive: Primitive, inputs: Sequence[Any]) -> str: ...",
    ]
    return "\n".join([*out, ""])


def docstring(doc: str) -> list[str]:
    """Lines of the docstring of a class."""
    text = " ".join(doc.split())
    lines = textwrap.wrap(
        f'"""{text if text.endswith(".") else text + "."}"""', WIDTH, initial_indent="    ", subsequent_indent="    "
    )
    return lines if len(lines) == 1 else [*lines[:-1], lines[-1].removesuffix('"""'), '    """']


def emit_enums(api: Api) -> str:
    """Those of the operators have a file of their own: a program that runs models does not load them."""
    return enums_file(
        "The enums of the C API; their numbers are its numbers.", [e for e in api.enums if not of_operators(api, e)]
    )


def emit_operator_enums(api: Api) -> str:
    doc = "The enums of the operators' attributes and post-ops; their numbers are the C API's."
    return enums_file(doc, [e for e in api.enums if of_operators(api, e)])


def of_operators(api: Api, enum: Enum) -> bool:
    return any(enum in m.enums for m in api.modules if m.name == "operators")


def enums_file(doc: str, enums: list[Enum]) -> str:
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {GENERATED}",
        "# ruff: noqa",
        f'"""{doc}"""',
        "",
        "from enum import IntEnum",
        "",
    ]
    for enum in enums:
        out += ["", f"class {camel(enum.name)}(IntEnum):", *docstring(enum.doc), ""]
        for v in enum.values:
            out += textwrap.wrap(" ".join(v.doc.split()), WIDTH, initial_indent="    #: ", subsequent_indent="    #: ")
            out.append(f"    {v.name.upper()} = {v.value}")
        out.append("")
    return "\n".join(out)
