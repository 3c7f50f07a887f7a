# SPDX-License-Identifier: Apache-2.0
"""How the types of the description cross the border between Java and C: one rule for each, which jni.py (the C side) and
java_native.py (the Java side) share.

Handles, addresses and callbacks are longs. Texts are bytes that end with a zero. Structs of options come field by field. Views and other
plain structs are their own images in an array of longs, which the C side checks against the header. What a call returns besides its
status is the result of the Java call if it is one number, handle or text; else numbers and texts are put into two arrays, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .description import Api, Field, Function, Param, Struct, size_and_alignment

WORD = 8  # bytes of an element of an image
SKIPPED = "java"


@dataclass(frozen=True)
class Type:
    java: str
    jni: str
    default: str = "0"


INT, LONG, FLOAT, DOUBLE = (
    Type("int", "jint"),
    Type("long", "jlong"),
    Type("float", "jfloat"),
    Type("double", "jdouble"),
)
BYTES, LONGS = Type("byte[]", "jbyteArray", "null"), Type("long[]", "jlongArray", "null")
INTS, FLOATS = Type("int[]", "jintArray", "null"), Type("float[]", "jfloatArray", "null")
TEXTS = Type("byte[][]", "jobjectArray", "null")

SCALARS = {"int32": INT, "uint32": INT, "int64": LONG, "uint64": LONG, "float": FLOAT, "double": DOUBLE}


def type_of_field(f: Field) -> Type:
    """Of a field of options."""
    word = f.type.split(" ")[0]
    if word in SCALARS:
        return SCALARS[word]
    if word == "enum":
        return INT
    if word == "chars":
        return BYTES
    return LONGS if f.array else LONG


def type_of_input(p: Param) -> Type:
    word = p.type.split(" ")[0]
    if word in ("view", "value") or (word == "handle" and p.array):
        return LONGS
    if word in SCALARS and p.array:
        return {"int32": INTS, "int64": LONGS, "float": FLOATS}[word]
    if word in SCALARS:
        return SCALARS[word]
    if word == "enum":
        return INT
    if word == "string":
        return BYTES
    return LONG  # handle, pointer, callback


def options_fields(struct: Struct) -> list[Field]:
    """Those that Java gives: not what fills up, and not lengths, which follow from arrays."""
    lengths = {f.array for f in struct.fields}
    return [f for f in struct.fields if f.name != "reserved" and f.name not in lengths]


def inputs(function: Function) -> list[Param]:
    """The parameters that Java gives. The length of bytes is one of them: these are an address."""
    of_bytes = {p.array for p in function.params if p.type == "bytes"}
    return [p for p in function.params if (p.dir != "out") and not (p.length and p.name not in of_bytes)]


def outputs(function: Function) -> list[Param]:
    return [p for p in function.params if p.dir == "out"]


def counts(api: Api, type_name: str) -> tuple[int, int]:
    """How many numbers and texts a thing that comes back takes."""
    word, _, name = type_name.partition(" ")
    if type_name in ("value string", "string", "chars"):
        return 0, 1
    if word == "struct":
        each = [(counts(api, f.type), f.count) for f in output_fields(api.struct(name))]
        return sum(n * c for (n, _), c in each), sum(t * c for (_, t), c in each)
    if word in ("value", "view"):
        return words(api, name if word == "value" else "view"), 0
    return 1, 0


def output_fields(struct: Struct) -> list[Field]:
    return [f for f in struct.fields if f.name != "reserved"]


def words(api: Api, name: str) -> int:
    """Elements of the image of a plain struct."""
    size, _ = size_and_alignment(api, f"value {name}")
    assert size % WORD == 0, f"struct {name} is no number of words"
    return size // WORD


def offsets(api: Api, struct: Struct) -> Iterator[tuple[Field, int]]:
    """Where each field of a plain struct or of an operator's lies, in bytes; there is no hidden padding."""
    at = 8 if struct.kind == "op" else 0
    for f in struct.fields:
        yield f, at
        size, _ = size_and_alignment(api, f.type)
        at += size * f.count


def size_of(api: Api, struct: Struct) -> int:
    return (
        max(at + size_and_alignment(api, f.type)[0] * f.count for f, at in offsets(api, struct)) if struct.fields else 8
    )


def by_itself(function: Function) -> Param | None:
    """The result of a function's Java form: its only output, if that is a number, a handle or a text."""
    results = outputs(function)
    if (
        len(results) == 1
        and results[0].type.split(" ")[0] not in ("struct", "view")
        and results[0].type != "value dims"
    ):
        return results[0]
    return None


def result_type(function: Function) -> Type | None:
    """None for a function that returns nothing."""
    if function.returns == "chars":
        return BYTES
    results = by_itself(function)
    if results is None:
        return None
    if results.type == "value string":
        return BYTES
    return SCALARS.get(results.type.split(" ")[0], INT if results.type.startswith("enum ") else LONG)


def arrays(api: Api, function: Function) -> tuple[int, int]:
    """How many numbers and texts a function puts into arrays."""
    if by_itself(function) is not None:
        return 0, 0
    each = [counts(api, p.type) for p in outputs(function)]
    return sum(n for n, _ in each), sum(t for _, t in each)
