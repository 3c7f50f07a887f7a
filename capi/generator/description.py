# SPDX-License-Identifier: Apache-2.0
"""Reads capi/api/*.yaml and refuses what is incomplete or contradictory: every field that the emitters use is checked
here, so that they need not. The dataclasses are the schema: an unknown or missing key is an error."""

from __future__ import annotations

import dataclasses
import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

LIFECYCLE = re.compile(r"experimental|stable since (?P<stable>\d+\.\d+)(?:, deprecated since \d+\.\d+)?")

SCALARS = {
    "int32": ("int32_t", 4),
    "uint32": ("uint32_t", 4),
    "int64": ("int64_t", 8),
    "uint64": ("uint64_t", 8),
    "float": ("float", 4),
    "double": ("double", 8),
}
ALWAYS_POSSIBLE = {"out_of_memory", "internal", "invalid_handle", "forked", "device_lost"}


class DescriptionError(Exception):
    """The description says something that cannot be."""


@dataclass
class Version:
    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


@dataclass
class Constant:
    name: str
    value: int
    doc: str
    core: str = ""


@dataclass
class Handle:
    name: str
    sharing: str  # many: any number of threads at once; one: a second user gets `busy`
    doc: str
    parent: str = ""  # the handle that it keeps alive


@dataclass
class EnumValue:
    name: str
    value: int
    doc: str
    core: str = ""  # its name in the core's enum


@dataclass
class Enum:
    name: str
    prefix: str
    doc: str
    values: list[EnumValue] = field(default_factory=list)
    core: str = ""  # the core's enum class, whose numbers must agree


@dataclass
class Field:
    name: str
    type: str
    doc: str
    count: int = 1
    default: float = 0
    array: str = ""  # of handles in options: the field with its length


@dataclass
class Struct:
    name: str
    kind: str  # value | in | out | op
    doc: str
    fields: list[Field]

    @property
    def has_callbacks(self) -> bool:
        return any(f.type.startswith("callback ") for f in self.fields)


@dataclass
class Param:
    name: str
    type: str
    doc: str
    dir: str = "in"
    transfer: str = "none"
    array: str = ""  # the parameter with its length
    length: bool = False  # is the length of an array
    optional: bool = False  # null is accepted
    nullable: bool = False  # an array whose entries may be null
    anywhere: bool = False  # views of memory of any engine; else of the host's
    default: int | None = None  # of a number: what languages with default arguments take


@dataclass
class Callback:
    name: str
    doc: str
    threads: str  # which may call it, and what it must not do
    params: list[Param]  # after the environment, a pointer that comes with it
    returns: str = "void"


@dataclass
class Function:
    name: str
    slot: int
    lifecycle: str  # experimental | stable since X.Y | stable since X.Y, deprecated since X.Y
    doc: str
    params: list[Param] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    returns: str = "status"
    blocking: bool = False  # may take long: bindings release their locks
    destroys: str = ""  # the handle that it destroys; such functions have no body of their own
    bindings: dict[str, str] = field(default_factory=dict)  # binding without it -> skip, or what it has instead

    def skipped_in(self, binding: str) -> bool:
        return binding in self.bindings

    @property
    def stable_since(self) -> str:
        """The version, or empty for an experimental function."""
        found = LIFECYCLE.fullmatch(self.lifecycle)
        return (found and found["stable"]) or ""

    @property
    def deprecated(self) -> bool:
        return "deprecated" in self.lifecycle


@dataclass
class Module:
    """A concept, which has a header of its own."""

    doc: str
    name: str = ""
    constants: list[Constant] = field(default_factory=list)
    handles: list[Handle] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    callbacks: list[Callback] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)  # modules whose types it names


@dataclass
class Api:
    version: Version
    doc: str
    modules: list[Module]

    @property
    def constants(self) -> list[Constant]:
        return [x for m in self.modules for x in m.constants]

    @property
    def handles(self) -> list[Handle]:
        return [x for m in self.modules for x in m.handles]

    @property
    def enums(self) -> list[Enum]:
        return [x for m in self.modules for x in m.enums]

    @property
    def callbacks(self) -> list[Callback]:
        return [x for m in self.modules for x in m.callbacks]

    @property
    def structs(self) -> list[Struct]:
        return [x for m in self.modules for x in m.structs]

    @property
    def functions(self) -> list[Function]:
        return [x for m in self.modules for x in m.functions]

    def handle(self, name: str) -> Handle:
        return named(self.handles, name, "handle")

    def enum(self, name: str) -> Enum:
        return named(self.enums, name, "enum")

    def callback(self, name: str) -> Callback:
        return named(self.callbacks, name, "callback")

    def struct(self, name: str) -> Struct:
        return named(self.structs, name, "struct")


def named(items: Iterable[Any], name: str, what: str) -> Any:
    for item in items:
        if item.name == name:
            return item
    raise DescriptionError(f"there is no {what} {name!r}")


def build(cls: Any, data: dict[str, Any], where: str) -> Any:
    """A dataclass from a mapping whose keys must be its fields."""
    known = {f.name: f for f in dataclasses.fields(cls)}
    for key in data:
        if key not in known:
            raise DescriptionError(f"{where}: unknown key {key!r}; known are {', '.join(known)}")
    for name, f in known.items():
        if name not in data and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise DescriptionError(f"{where}: {name!r} is missing")
    value = cls(**data)
    if "doc" in known and not str(value.doc).strip():
        raise DescriptionError(f"{where}: its documentation is empty")
    return value


def read_yaml(path: Path) -> dict[str, Any]:
    """By libyaml where PyYAML has it: the same values in a fifth of the time."""
    return dict(yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def read(path: Path) -> dict[str, Any]:
    try:
        return read_yaml(path)
    except FileNotFoundError:
        raise DescriptionError(f"{path} is not there") from None


def load_module(path: Path) -> Module:
    module: Module = build(Module, read(path), path.name)
    module.name = path.stem
    module.constants = [build(Constant, c, f"constant {c.get('name')}") for c in module.constants]  # type: ignore[attr-defined]
    module.handles = [build(Handle, h, f"handle {h.get('name')}") for h in module.handles]  # type: ignore[attr-defined]
    module.enums = [build(Enum, e, f"enum {e.get('name')}") for e in module.enums]  # type: ignore[attr-defined]
    for enum in module.enums:
        enum.values = [build(EnumValue, v, f"enum {enum.name}.{v.get('name')}") for v in enum.values]  # type: ignore[attr-defined]
    module.callbacks = [build(Callback, c, f"callback {c.get('name')}") for c in module.callbacks]  # type: ignore[attr-defined]
    for callback in module.callbacks:
        callback.params = [build(Param, p, f"callback {callback.name}({p.get('name')})") for p in callback.params]  # type: ignore[attr-defined]
    module.structs = [build(Struct, s, f"struct {s.get('name')}") for s in module.structs]  # type: ignore[attr-defined]
    for struct in module.structs:
        struct.fields = [build(Field, f, f"struct {struct.name}.{f.get('name')}") for f in struct.fields]  # type: ignore[attr-defined]
    module.functions = [build(Function, f, f"function {f.get('name')}") for f in module.functions]  # type: ignore[attr-defined]
    for function in module.functions:
        where = f"function {function.name}"
        function.params = [build(Param, p, f"{where}({p.get('name')})") for p in function.params]  # type: ignore[attr-defined]
        if function.destroys:
            if function.params:
                raise DescriptionError(f"{where}: a destroyer takes the handle only, which is not written down")
            function.returns = "void"
            function.params = [
                Param(function.destroys, f"handle {function.destroys}", "The handle, or null.", optional=True)
            ]
    return module


def load(
    folder: Path, enums: Iterable[Enum] = (), structs: Iterable[Struct] = (), kinds: Iterable[EnumValue] = ()
) -> Api:
    """The description. Module operators gets the enums and structs that follow from the operators' own description, enum
    engine_kind the kinds of engines."""
    api: Api = build(Api, read(folder / "index.yaml"), "index.yaml")
    api.version = build(Version, api.version, "version")  # type: ignore[arg-type]
    api.modules = [load_module(folder / f"{name}.yaml") for name in api.modules]
    for path in folder.glob("*.yaml"):
        if path.stem != "index" and not any(m.name == path.stem for m in api.modules):
            raise DescriptionError(f"{path.name} is not among the modules of index.yaml")
    operators = named(api.modules, "operators", "module")
    operators.enums += enums
    operators.structs += structs
    named(api.enums, "engine_kind", "enum").values += kinds
    check(api)
    find_needs(api)
    return api


def types_of(module: Module) -> Iterable[str]:
    """The types that a module names, as "enum dtype"."""
    for struct in module.structs:
        yield from (f.type for f in struct.fields)
    for callback in module.callbacks:
        yield from (p.type for p in callback.params)
    for function in module.functions:
        yield from (p.type for p in function.params)
        yield function.returns


def find_needs(api: Api) -> None:
    declared_in: dict[str, int] = {}  # where a type is declared
    for i, m in enumerate(api.modules):
        declared_in |= {f"handle {h.name}": i for h in m.handles}
        declared_in |= {f"enum {e.name}": i for e in m.enums}
        declared_in |= {f"callback {c.name}": i for c in m.callbacks}
        declared_in |= {f"{word} {s.name}": i for s in m.structs for word in ("struct", "value")}
    declared_in |= {
        "string": declared_in["value string"],
        "view": declared_in["value view"],
        "op": declared_in["value op"],
    }
    for i, m in enumerate(api.modules):
        needed = {declared_in[t] for t in types_of(m) if t in declared_in} - {i}
        if later := [api.modules[n].name for n in needed if n > i]:
            raise DescriptionError(f"module {m.name} names types of {later[0]}, which comes after it")
        m.needs = [api.modules[n].name for n in sorted(needed)]


def unique(names: Iterable[Any], what: str) -> None:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise DescriptionError(f"{what} {name} occurs twice")
        seen.add(name)


def check(api: Api) -> None:
    unique((x.name for x in [*api.handles, *api.enums, *api.structs]), "type name")
    unique((f.name for f in api.functions), "function")
    unique((f.slot for f in api.functions), "slot")
    unique((f"{e.prefix}{v.name}" for e in api.enums for v in e.values), "enumerator")
    for handle in api.handles:
        if handle.sharing not in ("many", "one"):
            raise DescriptionError(f"handle {handle.name}: sharing is {handle.sharing!r}; expected many or one")
        if not any(f.destroys == handle.name for f in api.functions):
            raise DescriptionError(f"handle {handle.name}: no function destroys it")
    for enum in api.enums:
        unique((v.value for v in enum.values), f"value in enum {enum.name}:")
    for struct in api.structs:
        check_struct(api, struct)
    statuses = {v.name for v in api.enum("status").values}
    for function in api.functions:
        try:
            check_function(api, function, statuses)
        except DescriptionError as error:
            raise DescriptionError(f"function {function.name}: {error}") from None


def size_and_alignment(api: Api, type_name: str) -> tuple[int, int]:
    """Bytes and alignment of a field's type on the 64-bit machines we build for."""
    word, _, name = type_name.partition(" ")
    if word in SCALARS:
        size = SCALARS[word][1]
        return size, size
    if word == "enum" and any(e.name == name for e in api.enums):
        return 4, 4
    if word in ("pointer", "chars", "int64s"):
        return 8, 8
    if word == "handle" and any(h.name == name for h in api.handles):
        return 8, 8
    if word == "callback" and api.callback(name):
        return 8, 8
    if type_name == "string":
        return 16, 8
    if word == "value" and api.struct(name).kind == "value":
        parts = [(size_and_alignment(api, f.type), f.count) for f in api.struct(name).fields]
        return sum(s * n for (s, _), n in parts), max(a for (_, a), _ in parts)
    raise DescriptionError(f"{type_name!r} is no type of a field")


def check_struct(api: Api, struct: Struct) -> None:
    """Also refuses hidden padding: a field added later must not fall into it, and other languages lay out the same."""
    if struct.kind not in ("value", "in", "out", "op"):
        raise DescriptionError(f"struct {struct.name}: kind is {struct.kind!r}; expected value, in, out or op")
    unique((f.name for f in struct.fields), f"field of {struct.name}:")
    if struct.kind != "in" and struct.name != "view":
        allowed = "handle " if struct.kind == "out" else ("handle ", "callback ")
        if any(f.type.startswith(allowed) for f in struct.fields):
            raise DescriptionError(
                f"struct {struct.name}: handles are fields of options and views only, callbacks of information, too"
            )
    offset = {"value": 0, "in": 4, "out": 4, "op": 8}[struct.kind]
    widest = 4 if struct.kind != "value" else 1
    for f in struct.fields:
        if f.array and not (struct.kind == "in" and f.type.startswith("handle ")):
            raise DescriptionError(f"struct {struct.name}: {f.name} is an array; those are of handles, in options")
        if f.array and not any(n.name == f.array and n.type == "int32" for n in struct.fields):
            raise DescriptionError(
                f"struct {struct.name}: there is no field {f.array} of int32, the length of {f.name}"
            )
        size, alignment = size_and_alignment(api, f.type)
        if offset % alignment:
            raise DescriptionError(f"struct {struct.name}: hidden padding of {-offset % alignment} before {f.name}")
        offset += size * f.count
        widest = max(widest, alignment)
    if offset % widest:
        raise DescriptionError(f"struct {struct.name}: hidden padding of {-offset % widest} at its end")
    if struct.kind == "op" and not any(v.name == struct.name for v in api.enum("op_kind").values):
        raise DescriptionError(f"struct {struct.name}: enum op_kind does not list it")


def check_function(api: Api, function: Function, statuses: set[str]) -> None:
    if not LIFECYCLE.fullmatch(function.lifecycle):
        raise DescriptionError(
            f"lifecycle is {function.lifecycle!r}; expected experimental, stable since X.Y, or stable since X.Y, deprecated since X.Y"
        )
    unique((p.name for p in function.params), "parameter")
    by_name = {p.name: p for p in function.params}
    if words := [p.name for p in function.params if keyword.iskeyword(p.name)]:
        raise DescriptionError(f"parameter {words[0]}: Python has taken the word")
    for error in function.errors:
        if error not in statuses:
            raise DescriptionError(f"status {error} is not in enum status")
        if error in ALWAYS_POSSIBLE:
            raise DescriptionError(f"status {error} is always possible; do not list it")
    for p in function.params:
        at = f"parameter {p.name}"
        word, _, name = p.type.partition(" ")
        if word == "handle":
            api.handle(name)
        elif word == "enum":
            api.enum(name)
        elif word == "callback":
            api.callback(name)
        elif word == "struct" and api.struct(name).kind not in ("in", "out"):
            raise DescriptionError(f"{at}: struct {name} is of kind {api.struct(name).kind}; expected in or out")
        elif word == "value" and api.struct(name).kind != "value":
            raise DescriptionError(f"{at}: struct {name} is of kind {api.struct(name).kind}; expected value")
        elif word not in (
            *SCALARS,
            "handle",
            "enum",
            "struct",
            "value",
            "string",
            "pointer",
            "op",
            "bytes",
            "view",
            "callback",
        ):
            raise DescriptionError(f"{at}: type {p.type!r} is unknown")
        if p.anywhere and not (word == "view" and p.array):
            raise DescriptionError(f"{at}: only arrays of views may lie anywhere")
        if p.default is not None and (word not in SCALARS or p.dir != "in" or p.length):
            raise DescriptionError(
                f"{at}: default is for numbers that come in; a struct has its own, and a length none"
            )
        if word == "view" and bool(p.array) == (p.dir == "out"):
            raise DescriptionError(f"{at}: views come in arrays, or one comes out")
        if p.dir not in ("in", "out", "inout") or p.transfer not in ("none", "caller", "owner"):
            raise DescriptionError(f"{at}: dir is {p.dir!r} and transfer {p.transfer!r}")
        if word == "handle" and p.dir == "out" and p.transfer != "caller":
            raise DescriptionError(f"{at}: a handle that comes out is the caller's; transfer must say so")
        if p.array and not (p.array in by_name and by_name[p.array].length):
            raise DescriptionError(f"{at}: its length {p.array!r} is no parameter with length: true")
    for p in function.params:
        if p.length and not any(q.array == p.name for q in function.params):
            raise DescriptionError(f"parameter {p.name}: it is the length of no array")
