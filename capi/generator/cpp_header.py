# SPDX-License-Identifier: Apache-2.0
"""Emits anydim.hpp, the C API as C++11: a class that owns each handle, with the functions about it as its methods; structs that
begin with their defaults; the other functions by their names. Failures are exceptions. What it stands on (owners, spans, views)
is written by hand: capi/include/anydim/support.hpp."""

from __future__ import annotations

import dataclasses
import re
import textwrap

from .c_header import GENERATED, WIDTH, param_type
from .description import SCALARS, Api, DescriptionError, Function, Handle, Param, Struct
from .spelling import CODE, Spelling, camel, upper

HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// {generated}
// Anydim {version} for C++11 and later: the functions of anydim.h, whose texts are the manual, as classes and methods. What fails
// throws anydim::Error. A handle's class owns it, is moved and not copied, and converts to the handle, so that both APIs mix:
//
//     anydim::Engine engine = anydim::Engine::create(ANYDIM_ENGINE_CPU, 0);
//     anydim::Model model = anydim::Model::load_file(engine, "rec.onnx");
//     anydim::Session session = anydim::Session::create(model);
//     std::vector<float> pixels(3 * 48 * 320);
//     std::vector<anydim::Result> results = anydim::run(session, model, anydim::view(pixels, {{1, 3, 48, 320}}));
//
// Without exceptions there are the owners alone: support.hpp says how they are used.
#ifndef ANYDIM_HPP
#define ANYDIM_HPP

#include <tuple>

#include "anydim/support.hpp"

namespace anydim {{
// Its own symbols: the static library has classes of the same names.
inline namespace handles {{
"""
KEYWORDS = {"delete", "export", "new", "operator", "register", "switch", "default", "import", "union"}


def plain_type(p: Param) -> str:
    """Of a value, without const or star."""
    word, _, name = p.type.partition(" ")
    return SCALARS[word][0] if word in SCALARS else f"anydim_{name or word}_t"


def handle_of(api: Api, function: Function) -> tuple[Handle | None, bool]:
    """The class that has the function, and whether it is a method (else it is a factory): whose name begins the function's."""
    if function.destroys or function.skipped_in("cpp"):
        return None, False
    named = [h for h in api.handles if function.name.startswith(h.name + "_")]
    if not named:
        return None, False
    handle = max(named, key=lambda h: len(h.name))
    first = function.params[0] if function.params else None
    if first and first.type == f"handle {handle.name}" and first.dir == "in" and not first.array:
        return handle, True
    if any(p.type == f"handle {handle.name}" and p.dir == "out" for p in function.params):
        return handle, False
    return None, False


def spelling(api: Api) -> Spelling:
    names = {}
    for function in api.functions:
        handle, _ = handle_of(api, function)
        if handle:
            names[function.name] = f"{camel(handle.name)}::{short_name(handle, function)}"
        elif function.destroys:
            names[function.name] = f"~{camel(function.destroys)}"
        else:
            names[function.name] = f"anydim::{function.name}"
    return Spelling(
        function=lambda name: names[name],
        type=lambda name: f"anydim_{name}_t" if name in {e.name for e in api.enums} else camel(name),
        value=lambda enum, prefix, value: upper(prefix + value),
        constant=upper,
    )


def short_name(handle: Handle, function: Function) -> str:
    name = function.name.removeprefix(handle.name + "_").removeprefix("get_").removeprefix("acquire_")
    return name + "_" if name in KEYWORDS else name


def brief(doc: str) -> list[str]:
    """The first sentence as a comment."""
    said = []
    for line in doc.strip().splitlines():
        if line.startswith(CODE) or line.strip() == "Example:":
            break
        said.append(line.strip())
    first = re.split(r"(?<=[^.]\.)\s+(?=[A-Z])", " ".join(said), maxsplit=1)[0]
    return textwrap.wrap(first, WIDTH, initial_indent="// ", subsequent_indent="// ")


@dataclasses.dataclass
class Call:
    """A function of the C API as C++ sees it."""

    parameters: list[str]  # with their defaults
    arguments: list[str]  # of C's function
    before: list[str]  # lines
    results: list[tuple[str, str]]  # type and expression


def call_of(api: Api, function: Function, method: bool) -> Call:
    call = Call([], ["get()"] if method else [], [], [])
    lengths: dict[str, str] = {}  # the length parameter: the array that has it
    bytes_lengths = {p.array for p in function.params if p.type == "bytes"}
    declared: list[tuple[str, str]] = []  # parameter, its default or ""
    for p in function.params[1 if method else 0 :]:
        word, _, name = p.type.partition(" ")
        if p.length and p.name not in bytes_lengths:
            call.arguments.append(f"detail::length({lengths[p.name]}.size())" if p.name in lengths else f"@{p.name}")
        elif p.array and word != "bytes":
            element = f"anydim_{name or word}_t" if word not in SCALARS else SCALARS[word][0]
            const = "" if p.dir == "inout" else "const "
            declared.append((f"Span<{const}{element}> {p.name}", f"Span<{const}{element}>()" if p.optional else ""))
            call.arguments.append(f"{p.name}.data()")
            if p.array in lengths:
                guard = f"if ({p.name}.data() != nullptr) " if p.optional else ""
                call.before.append(
                    f'{guard}detail::same_length({p.name}.size(), {lengths[p.array]}.size(), "{p.name}");'
                )
            else:
                lengths[p.array] = p.name
        elif p.dir == "out":
            out_parameter(api, call, p)
        elif p.dir == "inout":
            declared.append((f"{plain_type(p)}& {p.name}", ""))
            call.arguments.append(f"&{p.name}")
        elif word == "string":
            declared.append((f"const StringView& {p.name}", ""))
            call.arguments.append(f'detail::text({p.name}, "{p.name}")')
        elif word in ("struct", "value"):
            declared.append(
                (f"const anydim_{name}_t& {p.name}", f"{camel(name)}()" if p.optional and word == "struct" else "")
            )
            call.arguments.append(f"&{p.name}")
        elif word == "op":
            declared.append((f"const anydim_op_t& {p.name}", ""))
            call.arguments.append(f"&{p.name}")
        else:  # numbers, enums, handles, callbacks, addresses
            default = "nullptr" if p.optional else "" if p.default is None else str(p.default)
            declared.append((f"{param_type(p)} {p.name}", default))
            call.arguments.append(p.name)
    for i, argument in enumerate(call.arguments):
        if argument.startswith("@"):
            call.arguments[i] = f"detail::length({lengths[argument[1:]]}.size())"
    # A default only where all that follow have one.
    for i, (text, default) in enumerate(declared):
        complete = all(d for _, d in declared[i:])
        call.parameters.append(f"{text} = {default}" if complete else text)
    return call


def out_parameter(api: Api, call: Call, p: Param) -> None:
    word, _, name = p.type.partition(" ")
    made = f"{p.name}_"
    if word == "handle":
        call.before.append(f"{camel(name)} {made};")
        call.arguments.append(f"{made}.put()")
        call.results.append((camel(name), made))
        return
    call.arguments.append(f"&{made}")
    if word == "struct":
        call.before.append(f"{camel(name)} {made};")
        call.results.append((camel(name), made))
    elif word in ("value", "view"):
        kind = f"anydim_{name or word}_t"
        call.before.append(f"{kind} {made} = {kind}();")
        is_text = name == "string"
        call.results.append(("std::string" if is_text else kind, f"detail::text({made})" if is_text else made))
    elif word == "pointer":
        call.before.append(f"void* {made} = nullptr;")
        call.results.append(("void*", made))
    else:
        call.before.append(f"{plain_type(p)} {made} = 0;")
        call.results.append((plain_type(p), made))


def method_text(api: Api, function: Function, handle: Handle | None, method: bool) -> list[str]:
    call = call_of(api, function, method)
    invocation = f"anydim_{function.name}({', '.join(call.arguments)})"
    types = [t for t, _ in call.results]
    values = [v for _, v in call.results]
    if function.returns != "status":
        word, _, name = function.returns.partition(" ")
        result = {"value": f"anydim_{name}_t", "chars": "const char*", "void": "void"}[word]
        body = [f"{'' if result == 'void' else 'return '}{invocation};"]
    else:
        result = types[0] if len(types) == 1 else f"std::tuple<{', '.join(types)}>" if types else "void"
        body = [*call.before, f"check({invocation});"]
        if len(values) == 1:
            body.append(f"return {values[0]};")
        elif values:
            body.append(f"return {result}({', '.join(values)});")
    name = short_name(handle, function) if handle else function.name
    before = "" if method else "static " if handle else "inline "
    const = " const" if method and handle and handle.sharing == "many" else ""
    head = f"{before}{result} {name}({', '.join(call.parameters)}){const} {{"
    return [*brief(function.doc), *wrapped(head), *(f"  {line}" for text in body for line in wrapped(text)), "}"]


def wrapped(line: str) -> list[str]:
    """Broken behind commas only."""
    unbroken = line.replace(" ", "\xa0").replace(",\xa0", ", ")
    broken = textwrap.wrap(
        unbroken, WIDTH - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [part.replace("\xa0", " ") for part in broken]


def struct_text(api: Api, struct: Struct) -> list[str]:
    """A struct that begins as its _INIT value."""
    name, base = camel(struct.name), f"anydim_{struct.name}_t"
    lines = [*brief(struct.doc), f"struct {name} : {base} {{"]
    lines.append(f"  {name}() noexcept : {base} {upper(struct.name)}_INIT {{}}")
    if struct.kind == "op":
        lines.append("  operator const anydim_op_t&() const noexcept { return op; }")
    return [*lines, "};", ""]


def class_text(api: Api, handle: Handle) -> list[str]:
    name, many = camel(handle.name), handle.sharing == "many"
    base = f"Owner<anydim_{handle.name}_t, anydim_{handle.name}_destroy>"
    rule = "Many threads may use it at once." if many else "One user at a time."
    lines = textwrap.wrap(f"{handle.doc} {rule}", WIDTH, initial_indent="// ", subsequent_indent="// ")
    lines += [f"class {name} : public {base} {{", " public:", "  using Owner::Owner;", f"  {name}() = default;"]
    calls: list[str] = []
    for function in api.functions:
        owner, method = handle_of(api, function)
        if owner is handle:
            calls += ["", *(f"  {line}" for line in method_text(api, function, handle, method))]
    if calls:
        lines += ["", "#ifdef ANYDIM_HPP_CALLS", *calls[1:], "#endif"]
    return [*lines, "};", ""]


def in_order(api: Api) -> list[Handle]:
    """Classes, those that others return before them."""
    done: list[Handle] = []
    waiting = list(api.handles)

    def needs(handle: Handle) -> set[str]:
        of = [f for f in api.functions if handle_of(api, f)[0] is handle]
        return {p.type.split(" ")[1] for f in of for p in f.params if p.type.startswith("handle ") and p.dir == "out"}

    while waiting:
        ready = [h for h in waiting if not needs(h) - {h.name} - {d.name for d in done}]
        if not ready:
            raise DescriptionError(f"handles make one another in a circle: {', '.join(h.name for h in waiting)}")
        done.append(ready[0])
        waiting.remove(ready[0])
    return done


def emit(api: Api) -> str:
    lines = HEAD.format(generated=GENERATED, version=api.version).splitlines()
    lines += ["", "// -- structs, which begin as C's _INIT values say; operators go where an operator is taken", ""]
    for struct in api.structs:
        if struct.kind == "value":
            lines += [*brief(struct.doc), f"typedef anydim_{struct.name}_t {camel(struct.name)};", ""]
        else:
            lines += struct_text(api, struct)
    lines += ["// -- handles", ""]
    for handle in in_order(api):
        lines += class_text(api, handle)
    lines += ["// -- functions of no handle", "", "#ifdef ANYDIM_HPP_CALLS", ""]
    for function in api.functions:
        if not function.destroys and not function.skipped_in("cpp") and handle_of(api, function)[0] is None:
            lines += [*method_text(api, function, None, False), ""]
    lines += [
        "#endif  // ANYDIM_HPP_CALLS",
        "",
        "}  // namespace handles",
        "}  // namespace anydim",
        "",
        "#endif  // ANYDIM_HPP",
        "",
    ]
    return "\n".join(lines)
