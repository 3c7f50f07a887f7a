# SPDX-License-Identifier: Apache-2.0
"""Emits where the attributes of operators lie in their C structs, as tables: for the C API, which reads the structs into the core's
attributes (capi/operators.cpp), and for Python, which fills them in from dicts (bindings/python/operator_structs.h)."""

from __future__ import annotations

from .core_operators import GENERATED
from .operators import MAX_SPATIAL, TYPES, Attribute, Operators

BANNER = f"// SPDX-License-Identifier: Apache-2.0\n// {GENERATED}\n"
PYTHON_TYPES = {
    "int32": "int32",
    "int64": "int64",
    "float": "real",
    "double": "wide",
    "value dims": "dims",
    "value reals": "reals",
    "int64s": "numbers",
}


def emit_core(operators: Operators) -> str:
    out = [
        BANNER
        + "// Where the attributes of operators lie in the structs of the C API, in the order of attributes_of().",
        '#include "capi/operator_structs.h"',
        "",
        "#include <cstddef>",
        "",
        '#include "anydim/anydim.h"',
        "",
        "namespace anydim::capi {",
        "",
        "const uint16_t kStructOffsets[] = {",
    ]
    structs = []
    count = 0
    for op in operators.operators:
        struct = f"anydim_{op.kind}_t"
        structs.append(f"    {{sizeof({struct}), {count}}},")
        count += len(op.fields)
        out += [f"    offsetof({struct}, {a.name})," for a in op.fields]
    out += ["};", "", "const OperatorStruct kOperatorStructs[] = {", *structs, "};"]
    return "\n".join([*out, "", "}  // namespace anydim::capi", ""])


def python_type(a: Attribute) -> tuple[str, int]:
    c_type = TYPES[a.type][1] if a.type in TYPES else "int32"
    return PYTHON_TYPES.get(c_type, "int32"), MAX_SPATIAL if a.type == "per_spatial" else 1


def emit_python(operators: Operators) -> str:
    out = [
        BANNER + "// The structs of operators: their _INIT values and where attributes lie in them.",
        '#include "bindings/python/operator_structs.h"',
        "",
        "#include <cstddef>",
        "",
        "namespace anydim_python {",
        "",
        "namespace {",
        "",
    ]
    for op in operators.operators:
        out.append(f"const anydim_{op.kind}_t k_{op.kind} = ANYDIM_{op.kind.upper()}_INIT;")
    out += ["", "const StructField kFields[] = {"]
    table = []
    count = 0
    for op in operators.operators:
        table.append(f'    {{"{op.kind}", &k_{op.kind}.op, kFields + {count}, {len(op.fields)}}},')
        count += len(op.fields)
        for a in op.fields:
            kind, n = python_type(a)
            out.append(f'    {{"{a.name}", offsetof(anydim_{op.kind}_t, {a.name}), StructField::{kind}, {n}}},')
    out += ["};", "", "}  // namespace", "", f"const size_t kStructCount = {len(table)};"]
    out += ["const StructLayout kStructs[] = {", *table, "};"]
    return "\n".join([*out, "", "}  // namespace anydim_python", ""])
