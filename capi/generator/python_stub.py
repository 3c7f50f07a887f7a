# SPDX-License-Identifier: Apache-2.0
"""Emits what Python reads of the module that python_module.py emits: its stub, the structs as named tuples and dicts, the enums."""

from __future__ import annotations

import textwrap

from .c_header import GENERATED, WIDTH
from .description import Api, Enum, Function, Param
from .python_module import by_hand, camel, defaults_to_none, inputs, outputs

PY_SCALARS = {"int32": "int", "uint32": "int", "int64": "int", "uint64": "int", "float": "float"}


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
        "    cancellation: Cancellation | None = None, timeout_ms: int = -1, aliases: bool = False,",
        "    parts: Sequence[tuple[int, int, Sequence[Any]]] = (),",
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
