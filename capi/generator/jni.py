# SPDX-License-Identifier: Apache-2.0
"""Emits bindings/java/generated/natives.cpp: the C side of the Java class NativeCalls, one JNI function per function of the C
API, and checks that plain structs and operators lie in memory as Java assumes. java_types.py has the rules; what the file calls
is in bindings/java/native/support.h."""

from __future__ import annotations

from .description import Api, Function, Param, Struct
from .java_types import (
    SKIPPED,
    Type,
    arrays,
    by_itself,
    inputs,
    offsets,
    options_fields,
    output_fields,
    outputs,
    result_type,
    size_of,
    type_of_field,
    type_of_input,
    words,
)
from .shims import BANNER
from .spelling import lower_camel

IMAGES = ("view", "dims", "dim")  # plain structs whose images cross the border


def parameters(api: Api, function: Function) -> list[tuple[str, str]]:
    """Types and names of the JNI function, after the environment and the class."""
    out: list[tuple[str, str]] = []
    for p in inputs(function):
        if p.type.startswith("struct "):
            struct = api.struct(p.type.partition(" ")[2])
            out += [(type_of_field(f).jni, f"{p.name}_{f.name}") for f in options_fields(struct)]
        elif p.type == "op":
            out += [("jlongArray", p.name), ("jlongArray", f"{p.name}_list"), ("jint", f"{p.name}_list_at")]
        else:
            out.append((type_of_input(p).jni, p.name))
    numbers, texts = arrays(api, function)
    if numbers:
        out.append(("jlongArray", "numbers"))
    if texts:
        out.append(("jobjectArray", "texts"))
    return out


def options(api: Api, p: Param) -> tuple[list[str], str]:
    """Statements that make a struct of options, and the argument."""
    struct = api.struct(p.type.partition(" ")[2])
    s = f"{p.name}_struct"
    before = [f"anydim_{struct.name}_t {s} = ANYDIM_{struct.name.upper()}_INIT;"]
    for f in options_fields(struct):
        given = f"{p.name}_{f.name}"
        word, _, name = f.type.partition(" ")
        if f.array:
            before.append(f"const Handles<anydim_{name}_t> {given}_array(env, {given});")
            before += [f"{s}.{f.name} = {given}_array.data();", f"{s}.{f.array} = {given}_array.size();"]
        elif word == "chars":
            before += [f"const Text {given}_text(env, {given});", f"{s}.{f.name} = {given}_text.c_str();"]
        elif word == "handle":
            before.append(f"{s}.{f.name} = as_handle<anydim_{name}_t>({given});")
        elif word == "callback":
            before.append(f"{s}.{f.name} = as_function<anydim_{name}_callback_t>({given});")
        elif word == "pointer":
            before.append(f"{s}.{f.name} = as_pointer({given});")
        else:
            before.append(f"{s}.{f.name} = {given};")
    return before, f"&{s}"


def argument(api: Api, p: Param) -> tuple[list[str], str]:
    """Statements before the call, and the argument, of a parameter that Java gives."""
    word, _, name = p.type.partition(" ")
    n = p.name
    if word == "struct":
        return options(api, p)
    if word == "op":
        return [f"const Operator {n}_struct(env, {n}, {n}_list, {n}_list_at);"], f"{n}_struct.op()"
    if word == "view":
        kind = "ViewsOut" if p.dir == "inout" else "Views"
        return [f"{'' if p.dir == 'inout' else 'const '}{kind} {n}_views(env, {n});"], f"{n}_views.data()"
    if word == "handle" and p.array:
        return [f"const Handles<anydim_{name}_t> {n}_array(env, {n});"], f"{n}_array.data()"
    if word == "value":
        return [f"const Images<anydim_{name}_t> {n}_array(env, {n});"], f"{n}_array.data()"
    if p.array and word != "bytes":
        element = {"int32": "jintArray", "int64": "jlongArray", "float": "jfloatArray"}[word]
        return [f"const Numbers<{element}> {n}_array(env, {n});"], f"{n}_array.data()"
    if word == "string":
        return [f"const Text {n}_text(env, {n});"], f"{n}_text.c_str()"
    if word == "handle":
        return [], f"as_handle<anydim_{name}_t>({n})"
    if word == "callback":
        return [], f"as_function<anydim_{name}_callback_t>({n})"
    if word in ("pointer", "bytes"):
        return [], f"as_pointer({n})"
    return [], n


def length(function: Function, p: Param) -> str:
    """The argument of a length, which follows from its array."""
    array = next(q for q in function.params if q.array == p.name and q.type != "bytes")
    suffix = "views" if array.type == "view" else "array"
    return f"{array.name}_{suffix}.size()"


def telling(api: Api, p: Param) -> list[str]:
    """Statements that put what came out into the arrays."""
    word, _, name = p.type.partition(" ")
    if word == "struct":
        return [
            f"results.put({p.name}.{f.name}{f'[{i}]' if f.count > 1 else ''});"
            for f in output_fields(api.struct(name))
            for i in range(f.count)
        ]
    return [f"results.put({p.name});"]


def out_type(p: Param) -> str:
    word, _, name = p.type.partition(" ")
    if word == "pointer":
        return "void*"
    if word == "view":
        return "anydim_view_t"
    return f"{word}_t" if word in ("int32", "int64", "uint64") else f"anydim_{name}_t"


def body(api: Api, function: Function) -> list[str]:
    before: list[str] = []
    call: list[str] = []
    after: list[str] = []
    lengths = {q.array for q in function.params if q.array and q.type != "bytes"}
    for p in function.params:
        if p.dir == "out":
            initial = f"ANYDIM_{p.type.partition(' ')[2].upper()}_INIT" if p.type.startswith("struct ") else "{}"
            before.append(f"{out_type(p)} {p.name} = {initial};" if initial != "{}" else f"{out_type(p)} {p.name}{{}};")
            call.append(f"&{p.name}")
        elif p.length and p.name in lengths:
            call.append(length(function, p))
        else:
            lines, text = argument(api, p)
            before += lines
            call.append(text)
            if p.dir == "inout":
                after.append(f"{p.name}_views.write_back();")
    # Arrays that have one length between them.
    for p in function.params:
        if p.length and p.name in lengths:
            first, *others = [q for q in function.params if q.array == p.name]
            suffix = "views" if first.type == "view" else "array"
            before += [f"same_length(env, {first.name}_{suffix}.size(), {q.name}_array);" for q in others]
    called = f"anydim_{function.name}({', '.join(call)})"
    if function.returns == "chars":
        return [*before, f"return bytes_of(env, {called});"]
    if function.returns == "void":
        return [*before, f"{called};"]
    before.append(f"check(env, {called});")
    returned = by_itself(function)
    if returned is not None:
        if returned.type == "value string":
            return [*before, f"return bytes_of(env, {returned.name});"]
        number = returned.type.startswith("handle ") or returned.type == "pointer"
        return [*before, f"return as_number({returned.name});" if number else f"return {returned.name};"]
    if outputs(function):
        _, texts = arrays(api, function)
        numbers = arrays(api, function)[0]
        after.append(
            f"StructWriter results(env, {'numbers' if numbers else 'nullptr'}, {'texts' if texts else 'nullptr'});"
        )
        after += [line for p in outputs(function) for line in telling(api, p)]
        after.append("results.done();")
    return [*before, *after]


def definition(api: Api, function: Function) -> list[str]:
    result: Type | None = result_type(function)
    returned = "void" if result is None else result.jni
    params = ", ".join(["JNIEnv* env", "jclass", *(f"{t} {n}" for t, n in parameters(api, function))])
    lines = [f"JNIEXPORT {returned} JNICALL Java_org_anydim_NativeCalls_{lower_camel(function.name)}({params}) {{"]
    lines.append(f"  return guarded(env, [&]{f'() -> {returned}' if result else ''} {{")
    lines += [f"    {line}" for line in body(api, function)]
    return [*lines, "  });", "}"]


def agreements(api: Api) -> list[str]:
    """That Java's images are what the header says."""
    out = []
    for name in IMAGES:
        struct: Struct = api.struct(name)
        out.append(f"static_assert(sizeof(anydim_{name}_t) == {words(api, name) * 8});")
        out += [f"static_assert(offsetof(anydim_{name}_t, {f.name}) == {at});" for f, at in offsets(api, struct)]
    for struct in api.structs:
        if struct.kind == "op":
            out.append(f"static_assert(sizeof(anydim_{struct.name}_t) == {size_of(api, struct)});")
            out += [
                f"static_assert(offsetof(anydim_{struct.name}_t, {f.name}) == {at});" for f, at in offsets(api, struct)
            ]
    return out


def emit(api: Api) -> str:
    out = [
        BANNER
        + "// The C side of the Java class NativeCalls: one function per function of the C API, over the C API only.",
        '#include "bindings/java/native/support.h"',
        "",
        "using namespace anydim_java;",
        "",
        'extern "C" {',
        "",
    ]
    for function in api.functions:
        if not function.skipped_in(SKIPPED):
            out += definition(api, function)
    out += ["", '}  // extern "C"', "", "// Java writes images of these structs.", *agreements(api)]
    return "\n".join([*out, ""])
