# SPDX-License-Identifier: Apache-2.0
"""Emits the C++ side of the C API: the exported shims, which check handles and pointers, catch everything and leave
outputs untouched on failure; the declarations of the bodies behind them; the asserts that the numbers of capi/api are
the core's; and the export map. What the shims call is in capi/shim_support.h."""

from __future__ import annotations

import re

from .c_header import GENERATED, enumerator, return_type, signature
from .description import Api, Enum, Function, Param

BANNER = f"// SPDX-License-Identifier: Apache-2.0\n// {GENERATED}\n"
# Where the core's enums are.
CORE_TYPES = {
    "CacheHit": "core/base/threads/single_flight_cache.h",
    "Code": "core/base/status.h",
    "DType": "core/tensor/dtype.h",
    "MathMode": "core/ops/attributes.h",
    "PassSet": "core/graph/passes/passes.h",
    "ReusePolicy": "core/dispatch/primitive/reuse_policy.h",
}


def object_type(handle: str) -> str:
    return "".join(part.capitalize() for part in handle.split("_")) + "Object"


def body_type(api: Api, p: Param) -> str:
    """The type with which a body sees a parameter."""
    word, _, name = p.type.partition(" ")
    if word == "handle":
        obj = object_type(name)
        if p.dir == "out":
            return f"std::unique_ptr<{obj}>*"
        if p.array:
            return f"std::span<{obj}* const>"
        return f"{obj}*" if p.optional else f"{obj}&"
    if word == "string":
        return "std::string_view"
    if word == "bytes":
        return "std::span<const std::byte>"
    if p.anywhere:
        return {"in": "InputViews", "inout": "OutputViews"}[p.dir]
    if word == "view":
        return {"in": "std::span<const TensorView>", "inout": "std::span<TensorView>", "out": "TensorView*"}[p.dir]
    if word == "op":
        return "const OperatorPtr&"
    if word == "callback":
        return f"anydim_{name}_callback_t"
    if word == "struct":
        return f"const anydim_{name}_t&" if p.dir == "in" else f"anydim_{name}_t*"
    if word == "pointer":
        return "void*" if p.dir == "in" else "void**"
    if word == "value" and p.dir == "in" and not p.array:
        return f"const anydim_{name}_t&"
    base = f"anydim_{name}_t" if word in ("enum", "value") else f"{word}_t" if word != "float" else "float"
    if p.array:
        return f"std::span<const {base}>"
    return base + ("*" if p.dir != "in" else "")


def body_signature(api: Api, function: Function) -> str:
    params = [f"{body_type(api, p)} {p.name}" for p in function.params if not p.length]
    if function.returns == "status":
        return f"Status {function.name}({', '.join(params)})"
    return f"{return_type(function)} {function.name}({', '.join(params)}) noexcept"


def shim_steps(api: Api, function: Function) -> tuple[list[str], list[str], list[str]]:
    """What happens before the body, its arguments, and what happens after it."""
    before: list[str] = []
    arguments: list[str] = []
    after: list[str] = []
    publish: list[str] = []
    last: list[str] = []
    for p in function.params:
        word, _, name = p.type.partition(" ")
        n, quoted = p.name, f'"{p.name}"'
        if p.length:
            continue
        if p.dir == "out":
            before.append(f"ANYDIM_TRY(require({n}, {quoted}));")
            if word == "handle":
                before.append(f"std::unique_ptr<{object_type(name)}> {n}_out;")
                publish.append(f"ANYDIM_TRY(publish(std::move({n}_out), {n}));")
            elif word == "struct":
                before.append(f"anydim_{name}_t {n}_out;")
                before.append(f"ANYDIM_TRY(begin_out({n}, {quoted}, &{n}_out));")
                after.append(f"finish_out({n}_out, {n});")
            elif word == "view":
                before.append(f"TensorView {n}_out;")
                after.append(f"write_view({n}_out, {n});")
            else:
                before.append(f"{body_type(api, p)[:-1]} {n}_out{{}};")
                after.append(f"*{n} = {n}_out;")
            arguments.append(f"&{n}_out")
        elif word == "view":
            before.append(f"ViewArray {n}_views;")
            read = "read" if p.dir == "in" else "read_outputs"
            anywhere = ", true" if p.anywhere else ""
            before.append(f"ANYDIM_TRY({n}_views.{read}({n}, {p.array}, {quoted}{anywhere}));")
            arguments.append(f"{n}_views.{('inputs' if p.dir == 'in' else 'outputs') if p.anywhere else 'span'}()")
            if p.dir == "inout":
                after.append(f"{n}_views.write({n});")
        elif word == "handle" and p.array:
            nullable = "true" if p.nullable else "false"
            before.append(f"PinArray<{object_type(name)}> {n}_pins;")
            before.append(f"ANYDIM_TRY({n}_pins.acquire({n}, {p.array}, {quoted}, {nullable}));")
            arguments.append(f"{n}_pins.span()")
        elif word == "handle":
            optional = "true" if p.optional else "false"
            before.append(f"Pin<{object_type(name)}> {n}_pin;")
            before.append(f"ANYDIM_TRY({n}_pin.acquire({n}, {quoted}, {optional}));")
            arguments.append(f"{n}_pin.get()" if p.optional else f"*{n}_pin.get()")
        elif word == "struct":
            optional = "true" if p.optional else "false"
            before.append(f"anydim_{name}_t {n}_in = ANYDIM_{name.upper()}_INIT;")
            before.append(f"ANYDIM_TRY(read_struct({n}, {quoted}, {optional}, &{n}_in));")
            arguments.append(f"{n}_in")
        elif word == "string":
            before.append(f"std::string_view {n}_in;")
            before.append(f"ANYDIM_TRY(read_string({n}, {quoted}, &{n}_in));")
            arguments.append(f"{n}_in")
        elif word == "op":
            # Behind the tensors: a negative axis counts from the end of the first.
            arrays = {q.name: q for q in function.params if q.array}
            rank = "inputs_pins.span()" + (", constants_views.span(), operands_in" if "constants" in arrays else "")
            last.append(f"OperatorPtr {n}_in;")
            last.append(f"ANYDIM_TRY(read_operator({n}, rank_of_first({rank}), &{n}_in));")
            arguments.append(f"{n}_in")
        elif p.array:
            optional = "true" if p.optional else "false"
            before.append(f"{body_type(api, p)} {n}_in;")
            before.append(f"ANYDIM_TRY(read_array({n}, {p.array}, {quoted}, {optional}, &{n}_in));")
            arguments.append(f"{n}_in")
        elif word == "value" and p.dir == "in":
            before.append(f"ANYDIM_TRY(require({n}, {quoted}));")
            arguments.append(f"*{n}")
        else:
            if word == "pointer" and not p.optional:
                before.append(f"ANYDIM_TRY(require({n}, {quoted}));")
            arguments.append(n)
    return before + last, arguments, publish + after


def shim(api: Api, function: Function) -> list[str]:
    head = f"{signature(function)} noexcept {{"
    name = f"anydim_{function.name}"
    if function.destroys:
        return [head, f'  destroy({function.destroys}, "{name}");', "}"]
    if function.returns != "status":
        call = ", ".join(f"text_or_empty({p.name})" if p.type == "string" else p.name for p in function.params)
        return [head, f"  return body::{function.name}({call});", "}"]
    before, arguments, after = shim_steps(api, function)
    lines = [head, f'  return guarded("{name}", [&]() -> Status {{', *("    " + line for line in before)]
    lines.append(f"    ANYDIM_TRY(body::{function.name}({', '.join(arguments)}));")
    lines += ["    " + line for line in after]
    return [*lines, "    return {};", "  });", "}"]


# What a program calls while it computes; the others are called while it is set up, looked at or ended, and are compiled to be small.
COMPUTING = re.compile(
    r"(primitive|desc|attr|tensor|stream|memory|weights|dim|dtype|result|cancellation)_|version$|\w+_(run|submit|step|push)$"
)
LOOKING = re.compile(
    r"\w+_(explain|describe|format_line|compare_kernels|query\w*|get_candidate\w*|save|load)$|primitive_cache_"
)


def emit_shims(api: Api, computing: bool = True) -> str:
    out = [
        BANNER
        + f"// The exported functions that are called {'while computing' if computing else 'rarely'}. Each checks what can be",
        "// checked without knowing the subject, calls its body, and turns a failure or an exception into a status and the",
        "// thread's message.",
        '#include "anydim/anydim.h"',
        '#include "capi/generated/bodies.h"',
        '#include "capi/shim_support.h"',
        "",
        "using namespace anydim;",
        "using namespace anydim::capi;",
        "",
        'extern "C" {',
        "",
    ]
    for function in api.functions:
        if computing == bool(COMPUTING.match(function.name) and not LOOKING.match(function.name)):
            out += [*shim(api, function), ""]
    return "\n".join([*out, '}  // extern "C"', ""])


def emit_small_shims(api: Api) -> str:
    return emit_shims(api, computing=False)


def emit_bodies(api: Api) -> str:
    out = [
        BANNER + "// Declarations of the hand-written bodies behind the shims, and the numbers of the handle types.",
        "#pragma once",
        "",
        "#include <cstddef>",
        "#include <cstdint>",
        "#include <memory>",
        "#include <span>",
        "#include <string_view>",
        "",
        '#include "anydim/anydim.h"',
        '#include "core/base/status.h"',
        '#include "core/ops/op.h"',
        '#include "core/tensor/dims.h"',
        "",
        "namespace anydim::capi {",
        "",
        "struct InputViews;",
        "struct OutputViews;",
        "",
        "// Written into every handle. In the order of the modules; 0 is no type.",
        "enum class HandleType : uint8_t {",
        "  none = 0,",
        *(f"  {h.name} = {i}," for i, h in enumerate(api.handles, 1)),
        "};",
        "",
        "inline constexpr const char* kHandleTypeNames[] = {"
        + ", ".join(f'"{n}"' for n in ["no type", *(h.name for h in api.handles)])
        + "};",
        "",
        "// The object behind a handle and whether it has one user at a time.",
        "template <class T>",
        "struct HandleTraits;",
        "template <class H>",
        "struct ObjectOfHandle;",
        "",
    ]
    for h in api.handles:
        one = "true" if h.sharing == "one" else "false"
        out += [
            f"struct {object_type(h.name)};",
            "template <>",
            f"struct HandleTraits<{object_type(h.name)}> {{",
            f"  using Handle = anydim_{h.name}_t;",
            f"  static constexpr HandleType type = HandleType::{h.name};",
            f"  static constexpr bool one_user = {one};",
            f'  static constexpr const char* name = "{h.name}";',
            "};",
            "template <>",
            f"struct ObjectOfHandle<anydim_{h.name}_t> {{",
            f"  using type = {object_type(h.name)};",
            "};",
            "",
        ]
    out += ["namespace body {", ""]
    out += [f"{body_signature(api, f)};" for f in api.functions if not f.destroys]
    return "\n".join([*out, "", "}  // namespace body", "}  // namespace anydim::capi", ""])


def agreement(enum: Enum) -> list[str]:
    lines = []
    for v in enum.values:
        if v.core:
            lines.append(f"static_assert(static_cast<int64_t>({enum.core}::{v.core}) == {enumerator(enum, v.name)});")
    return lines


def emit_agreement(api: Api) -> str:
    enums = [e for e in api.enums if e.core in CORE_TYPES]  # those of the operators have one source with the core's
    out = [
        BANNER + "// The numbers of capi/api are the core's: compiled, never run.",
        '#include "anydim/anydim.h"',
        *sorted({f'#include "{CORE_TYPES[e.core]}"' for e in enums}),
        '#include "core/tensor/dims.h"',
        "",
        "namespace anydim {",
    ]
    out += [f"static_assert({c.core} == ANYDIM_{c.name.upper()});" for c in api.constants if c.core]
    for enum in enums:
        out += agreement(enum)
    return "\n".join([*out, "}  // namespace anydim", ""])


def emit_exports(api: Api) -> str:
    """The exported symbols: a node of versions for each release with the functions that are stable since then, one for experimental ones."""
    nodes: dict[str, list[str]] = {}
    for f in sorted(api.functions, key=lambda f: f.slot):
        nodes.setdefault(f.stable_since or "EXPERIMENTAL", []).append(f"    anydim_{f.name};\n")
    out = f"# SPDX-License-Identifier: Apache-2.0\n# {GENERATED}\n"
    local, parent = "  local:\n    *;\n", ""
    for node in sorted(nodes, key=lambda name: [int(part) if part.isdigit() else 1 << 30 for part in name.split(".")]):
        out += f"ANYDIM_{node} {{\n  global:\n{''.join(nodes[node])}{local}}}{parent};\n"
        local, parent = "", f" ANYDIM_{node}"
    return out
