# SPDX-License-Identifier: Apache-2.0
"""Documentation in each language's spelling. Texts of capi/api name a thing as `@context_run` (a function), `@model_options` or
`@value_info.order` (a type, and a field of one), `@status.busy` (a value of an enum) or `@max_rank` (a constant). Code in them is
C's, and only its headers show it."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Callable
from typing import Any

from .description import Api, DescriptionError

NAME = re.compile(r"@(?P<name>[a-z]\w*)(?:\.(?P<part>[a-z]\w*))?")
TEXTS = ("doc", "threads")
CODE = "    "  # what a line of code in a text begins with


@dataclasses.dataclass
class Spelling:
    function: Callable[[str], str]
    type: Callable[[str], str]
    value: Callable[[str, str, str], str]  # of an enum: its name, its prefix, the value's name
    constant: Callable[[str], str]


def upper(name: str) -> str:
    return f"ANYDIM_{name.upper()}"


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


C = Spelling(
    function=lambda name: f"anydim_{name}",
    type=lambda name: f"anydim_{name}_t",
    value=lambda enum, prefix, value: upper(prefix + value),
    constant=upper,
)
PYTHON = Spelling(
    function=lambda name: name,
    type=camel,
    value=lambda enum, prefix, value: f"{camel(enum)}.{value.upper()}",
    constant=str.upper,
)
# Java's own words for types whose name is taken, or says too little beside others.
JAVA_TYPES = {"dtype": "DType", "math": "MathMode", "operand": "QuantizedOperand", "desc": "TensorDesc"}


def lower_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + camel("_".join(rest))


JAVA = Spelling(
    function=lower_camel,
    type=lambda name: JAVA_TYPES.get(name, camel(name)),
    value=lambda enum, prefix, value: f"{JAVA_TYPES.get(enum, camel(enum))}.{value.upper()}",
    constant=str.upper,
)

# Rust's names are in backticks and brackets: links of its documentation. The crate anydim-sys keeps C's names; the enums of
# the crate anydim have names of Rust's.
RUST_SYS = Spelling(
    function=lambda name: f"[`{C.function(name)}`]",
    type=lambda name: f"[`{C.type(name)}`]",
    value=lambda enum, prefix, value: f"[`{C.value(enum, prefix, value)}`]",
    constant=lambda name: f"[`{C.constant(name)}`]",
)
RUST = Spelling(
    function=lambda name: f"[`anydim_sys::{C.function(name)}`]",
    type=lambda name: f"[`{camel(name)}`]",
    value=lambda enum, prefix, value: f"[`{camel(enum)}::{camel(value)}`]",
    constant=lambda name: f"[`anydim_sys::{C.constant(name)}`]",
)


def spelled(api: Api, spelling: Spelling) -> Api:
    """The same description with texts for one language. Refuses a text that names what does not exist."""
    functions = {f.name for f in api.functions}
    fields = {s.name: {f.name for f in s.fields} for s in api.structs}
    types = {*fields, *(h.name for h in api.handles), *(c.name for c in api.callbacks)}
    enums = {e.name: e for e in api.enums}
    constants = {c.name for c in api.constants}

    def spell(found: re.Match[str]) -> str:
        name, part = found["name"], found["part"]
        if part is None and name in functions:
            return spelling.function(name)
        if part is None and name in constants:
            return spelling.constant(name)
        if part is None and (name in types or name in enums):
            return spelling.type(name)
        if part is not None and name in enums and any(v.name == part for v in enums[name].values):
            return spelling.value(name, enums[name].prefix, part)
        if part is not None and part in fields.get(name, ()):
            return f"{spelling.type(name)}.{part}"
        raise DescriptionError(f"a text names {found[0]}, which does not exist")

    def spell_all(text: str) -> str:
        for line in text.splitlines():
            if not line.startswith(CODE) and (found := re.search(r"\banydim_\w+", line)):
                raise DescriptionError(f"a text names {found[0]} as C does; expected @ and the name that it has here")
        return NAME.sub(spell, text)

    def walk(value: Any) -> None:
        if isinstance(value, list):
            for entry in value:
                walk(entry)
        elif dataclasses.is_dataclass(value):
            for f in dataclasses.fields(value):
                member = getattr(value, f.name)
                if f.name in TEXTS and isinstance(member, str):
                    setattr(value, f.name, spell_all(member))
                else:
                    walk(member)

    own = copy.deepcopy(api)
    walk(own)
    return own
