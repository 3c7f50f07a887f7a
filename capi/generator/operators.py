# SPDX-License-Identifier: Apache-2.0
"""Reads core/ops/described/*.yaml, where every operator is described once, and refuses what is incomplete or contradictory.
The dataclasses are the schema. What comes of it: the core's enums, attributes, texts and keys (core_operators.py), C structs
(as_structs below, written by c_header.py), Python's builders (python_operators.py), docs/operators.md (operators_page.py)
and the examples that a test runs through C and Python (operator_examples.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .description import DescriptionError, Enum, EnumValue, Field, Struct, build, read_yaml, unique

# Attribute types: in the core, in the C struct.
TYPES = {
    "flag": ("bool", "int32"),
    "integer": ("int64_t", "int64"),
    "real": ("float", "float"),
    "double": ("double", "double"),
    "dtype": ("DType", "enum dtype"),
    "spatial": ("int32_t", "int32"),  # how many entries of each per_spatial list count
    "per_spatial": ("int64_t", "int64"),
    "integers": ("RankArray<int64_t>", "value dims"),
    "perm": ("Perm", "value dims"),
    "reals": ("std::vector<float>", "value reals"),
    # Those that a graph may give as expressions of its dims; numbers everywhere else.
    "dim": ("Dim", "int64"),
    "dims": ("SymDims", "value dims"),
    "dim_list": ("std::vector<Dim>", "int64s"),  # of any length: a pointer and a number in C
    "reserved": ("", "int32"),  # in C only: keeps what follows aligned without hidden padding
}
MAX_SPATIAL = 3
MAX_REALS = 16
DTYPES = ("f32", "f64", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool")
# Of 8 bits and less: only operators with the trait `stores` take them.
NARROW_DTYPES = ("f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0", "f4e2m1", "i4", "u4", "i2", "u2")
DTYPE_SETS = {"floats": "floats", "numbers": "numbers", "any": "any dtype", "indices": "i32 or i64"}
# What the core asks of operators without knowing them.
TRAITS = {
    "elementwise": "kernels read element i of the inputs before they write element i of the output, and no other",
    "keeps_order": "the output lies in memory as inputs of its rank do, unless the kernel says otherwise",
    "in_place": "the output may take the memory of its first input",
    "view": "the output can be the input's memory under other dims and strides",
    "products": "sums of products of the first two operands",
    "quantizes": "it takes scales, zero points and a dtype of the result as attributes (quantization.h)",
    "converts": "it takes scales and zero points of its operand and of its result as attributes, as the graph makes them",
    "feature_maps": "what is made of maps of convolutions and products is such a map",
    "parameters": "its constants are parameters: beside their large numbers tiny ones are nothing",
    "post_ops": "element-wise operators that follow become its post-ops",
    "stores": "its data may be of narrow dtypes, which are moved and cast and never computed with",
    "repeated_indices": "indices, its second operand, may lie with strides of 0: kernels move whole slices at each",
    "dequantizes": "operands behind the first may be numbers that stand for real ones, of narrow dtypes too",
}
# What the core asks of words, where a property of an operator hangs on an attribute.
WORD_TRAITS = {
    "is_comparison": "the result is bool, whatever the operands' dtype",
    "is_commutative": "its operands may change places",
    "is_scale_or_shift": "linear in each operand, so that a constant one is a parameter",
}
# Of operators that quantize, for people.
QUANTIZES = (
    "With scales, zero points or a dtype of the result as attributes, inputs may be i8 and u8 with a bias of i32 or f32, "
    "and the result f32, f16, bf16, i8, u8 or i32."
)


@dataclass
class Word(EnumValue):
    reads: list[str] = field(default_factory=list)  # attributes that an operator with this word reads
    traits: list[str] = field(default_factory=list)


@dataclass
class Words(Enum):
    counted: bool = False  # the core's enum ends with count_


@dataclass
class Operand:
    name: str
    dtypes: Any  # a set's name, a list, "same" (as the first operand) or another operand's name
    dims: str = ""
    note: str = ""
    optional: bool = False
    variadic: bool = False
    constant: bool = False  # usually constant: weights. Any operand may be; this is for readers


@dataclass
class Output:
    dims: str
    dtype: str = ""  # a dtype, an operand or an attribute that determines it; empty: as the first operand
    when: str = ""  # a flag: the output is there only with it
    note: str = ""


@dataclass
class Attribute:
    name: str
    type: str
    doc: str
    default: Any = None
    min: int | None = None
    max: int | None = None
    capacity: int = 0  # of reals
    required: bool = False  # has no default where an operator is written as text or made in Python
    positional: bool = False  # in Python
    when: Any = None  # {attribute: [words or numbers]} or {attribute: {reads: name}}: counts only then
    unless: str = ""  # a flag: counts only without it

    @property
    def is_list(self) -> bool:
        return self.type in ("per_spatial", "integers", "perm", "reals", "dims", "dim_list")


@dataclass
class Example:
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: list[list[Any]] = field(default_factory=list)  # [dtype, dims, other dims, [lowest, highest]]


@dataclass
class Operator:
    kind: str
    value: int
    doc: str
    operands: list[Operand]
    outputs: list[Output]
    attributes: list[Attribute]
    examples: list[Example]
    traits: list[str] = field(default_factory=list)

    @property
    def fields(self) -> list[Attribute]:
        """The attributes of the core: without what only fills up the C struct."""
        return [a for a in self.attributes if a.type != "reserved"]

    def attribute(self, name: str) -> Attribute:
        for a in self.attributes:
            if a.name == name:
                return a
        raise DescriptionError(f"operator {self.kind}: there is no attribute {name!r}")


@dataclass
class Operators:
    words: list[Words]
    operators: list[Operator]

    def words_of(self, name: str) -> Words:
        for w in self.words:
            if w.name == name:
                return w
        raise DescriptionError(f"there is no type {name!r} of attributes")


def load(folder: Path) -> Operators:
    words: list[Words] = []
    operators: list[Operator] = []
    for path in sorted(folder.glob("*.yaml")):
        raw = read_yaml(path)
        for e in raw.get("enums", []):
            enum = build(Words, e, f"enum {e.get('name')}")
            enum.values = [build(Word, v, f"enum {enum.name}.{v.get('name')}") for v in enum.values]
            words.append(enum)
        for o in raw.get("operators", []):
            operators.append(build_operator(o))
    if not operators:
        raise DescriptionError(f"{folder} describes no operator")
    operators.sort(key=lambda o: o.value)
    all_of_them = Operators(words, operators)
    check(all_of_them)
    return all_of_them


def build_operator(o: dict[str, Any]) -> Operator:
    where = f"operator {o.get('kind')}"
    op: Operator = build(Operator, o, where)
    op.operands = [build(Operand, x, f"{where}, operand {x.get('name')}") for x in o["operands"]]
    op.outputs = [build(Output, x, f"{where}, output") for x in o["outputs"]]
    op.attributes = [build(Attribute, x, f"{where}, attribute {x.get('name')}") for x in o["attributes"]]
    op.examples = [build(Example, x, f"{where}, example") for x in o["examples"]]
    return op


def check(all_of_them: Operators) -> None:
    unique((w.name for w in all_of_them.words), "enum")
    unique((o.kind for o in all_of_them.operators), "operator")
    unique((o.value for o in all_of_them.operators), "number of an operator:")
    for w in all_of_them.words:
        if [v.value for v in w.values] != list(range(len(w.values))):
            raise DescriptionError(f"enum {w.name}: the numbers are not 0, 1, 2, ...")
        if not w.core:
            raise DescriptionError(f"enum {w.name}: its name in the core is missing")
        for v in w.values:
            for trait in v.traits:
                if trait not in WORD_TRAITS:
                    raise DescriptionError(
                        f"enum {w.name}.{v.name}: {trait!r} is no trait; known are {', '.join(WORD_TRAITS)}"
                    )
    if [o.value for o in all_of_them.operators] != list(range(1, len(all_of_them.operators) + 1)):
        raise DescriptionError("the numbers of the operators are not 1, 2, 3, ...")
    for op in all_of_them.operators:
        try:
            check_operator(all_of_them, op)
        except DescriptionError as error:
            raise DescriptionError(f"operator {op.kind}: {error}") from None


def check_operator(all_of_them: Operators, op: Operator) -> None:
    unique((a.name for a in op.fields), "attribute")
    unique((x.name for x in op.operands), "operand")
    for trait in op.traits:
        if trait not in TRAITS:
            raise DescriptionError(f"{trait!r} is no trait; known are {', '.join(TRAITS)}")
    names = [x.name for x in op.operands]
    allowed = DTYPES + NARROW_DTYPES if "dequantizes" in op.traits else DTYPES
    for x in op.operands:
        known = (
            x.dtypes in ("same", *DTYPE_SETS, *names) if isinstance(x.dtypes, str) else set(x.dtypes) <= set(allowed)
        )
        if not known:
            raise DescriptionError(f"operand {x.name}: {x.dtypes!r} are no dtypes")
        first = op.operands[0]
        if x.dtypes == "same" and isinstance(first.dtypes, list) and len(first.dtypes) == 1:
            raise DescriptionError(
                f"operand {x.name} has the dtype of {first.name}, which is always {first.dtypes[0]}: name another"
            )
    for y in op.outputs:
        if y.dtype not in ("", *DTYPES, *names, *(a.name for a in op.fields if a.type == "dtype")):
            raise DescriptionError(f"an output's dtype is {y.dtype!r}")
        if y.when and op.attribute(y.when).type != "flag":
            raise DescriptionError(f"an output is there when {y.when!r}, which is no flag")
    if not op.outputs:
        raise DescriptionError("it has no output")
    before: list[str] = []
    for a in op.fields:
        if a.type not in TYPES:
            all_of_them.words_of(a.type)
        if a.type == "per_spatial" and not any(op.attribute(b).type == "spatial" for b in before):
            raise DescriptionError(
                f"attribute {a.name} is per spatial dim; the attribute that tells how many comes before it"
            )
        decider = a.unless or (next(iter(a.when)) if a.when else "")
        if decider and decider not in before:
            raise DescriptionError(
                f"attribute {a.name}: {decider!r}, which decides whether it counts, does not come before it"
            )
        before.append(a.name)
    if not op.examples:
        raise DescriptionError("there is no example: a test runs one of each operator through C and Python")
    least = sum(not x.optional for x in op.operands)
    for e in op.examples:
        for name in e.attributes:
            op.attribute(name)
        most = 99 if any(x.variadic for x in op.operands) else len(op.operands)
        if not least <= len(e.inputs) <= most:
            raise DescriptionError(f"an example has {len(e.inputs)} inputs; expected {least} to {most}")
        for i in e.inputs:
            if len(i) < 2 or i[0] not in DTYPES + NARROW_DTYPES:
                raise DescriptionError(
                    f"an example's input is {i!r}; expected [dtype, dims, other dims, [lowest, highest]]"
                )


def when_values(all_of_them: Operators, op: Operator, a: Attribute) -> tuple[str, int]:
    """The attribute that decides whether `a` counts, and a bit for each of its values with which it does."""
    if a.unless:
        return a.unless, 1
    if not a.when:
        return "", 0
    ((decider, values),) = a.when.items()
    kind = op.attribute(decider).type
    if isinstance(values, dict):
        words = all_of_them.words_of(kind)
        return decider, sum(1 << v.value for v in words.values if values["reads"] in v.reads)
    if kind == "flag":
        return decider, sum(1 << int(v) for v in values)
    numbers = {v.name: v.value for v in all_of_them.words_of(kind).values}
    return decider, sum(1 << numbers[v] for v in values)


def dtypes_text(op: Operator, x: Operand) -> str:
    if isinstance(x.dtypes, list):
        return ", ".join(x.dtypes)
    if x.dtypes == "same":
        return f"the dtype of {op.operands[0].name}"
    return DTYPE_SETS.get(x.dtypes, f"the dtype of {x.dtypes}")


def operand_text(op: Operator, x: Operand) -> str:
    """One operand in a sentence: `bias [O] (the dtype of src; may be left out)`."""
    notes = [dtypes_text(op, x) + (", narrow ones too" if "stores" in op.traits and x.dtypes == "any" else "")]
    if x.note:
        notes.append(x.note)
    if x.variadic:
        notes.append("one or more")
    if x.optional:
        notes.append("may be left out")
    if x.constant:
        notes.append("usually constant")
    dims = f" {x.dims}" if x.dims.startswith("[") else f", {x.dims}" if x.dims else ""
    return f"{x.name}{dims} ({'; '.join(notes)})"


def output_text(op: Operator, y: Output) -> str:
    notes = y.dims
    if y.dtype in DTYPES:
        notes += f", {y.dtype}"
    elif y.dtype:
        notes += f", the dtype of {y.dtype}" if y.dtype in [x.name for x in op.operands] else ", of that dtype"
    if y.note:
        notes += f" ({y.note})"
    if y.when:
        notes += f", with {y.when}"
    return notes


def inputs_text(op: Operator) -> str:
    if not op.operands:
        return "Inputs: none."
    return (
        ("Inputs: " if len(op.operands) > 1 else "Input: ") + ", ".join(operand_text(op, x) for x in op.operands) + "."
    )


def outputs_text(op: Operator) -> str:
    return (
        ("Outputs: " if len(op.outputs) > 1 else "Output: ") + "; ".join(output_text(op, y) for y in op.outputs) + "."
    )


def as_structs(all_of_them: Operators) -> tuple[list[Enum], list[Struct]]:
    """The enums and structs of the C API that follow: one struct per operator, and the list of kinds."""
    enums: list[Enum] = [
        Enum(
            "op_kind",
            "OP_",
            "Operators; each has a struct of its attributes that begins with @op.",
            [EnumValue(o.kind, o.value, f"@{o.kind}", o.kind) for o in all_of_them.operators],
            "OpKind",
        )
    ]
    enums += [
        Enum(w.name, w.prefix, w.doc, [EnumValue(v.name, v.value, v.doc, v.core or v.name) for v in w.values], w.core)
        for w in all_of_them.words
    ]
    structs = []
    for op in all_of_them.operators:
        doc = f"{op.doc.strip()}\n\n{inputs_text(op)}\n\n{outputs_text(op)}"
        structs.append(Struct(op.kind, "op", doc, [f for a in op.attributes for f in c_fields(all_of_them, a)]))
    return enums, structs


def c_fields(all_of_them: Operators, a: Attribute) -> list[Field]:
    c_type = TYPES[a.type][1] if a.type in TYPES else f"enum {a.type}"
    doc = f"1: {a.doc[0].lower()}{a.doc[1:]}" if a.type == "flag" else a.doc
    fields = [Field(a.name, c_type, doc, MAX_SPATIAL if a.type == "per_spatial" else 1, number(all_of_them, a))]
    if a.type == "dim_list":
        fields.append(Field(f"{a.name}_count", "int64", "Their number."))
    return fields


def number(all_of_them: Operators, a: Attribute) -> float:
    """The default as a number: of a word its place, of a list that of each entry."""
    if a.type == "spatial":
        return 2
    if a.type == "dtype":
        return ("none", *DTYPES).index(a.default or "f32")
    if a.default is None:
        return 0
    if a.type not in TYPES:
        return next(v.value for v in all_of_them.words_of(a.type).values if v.name == a.default)
    return a.default
