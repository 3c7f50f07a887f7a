# SPDX-License-Identifier: Apache-2.0
"""What each version of an operator knows: the committed table is the onnx package's, nodes that have anything else are refused,
as are element types that no version takes, and no attribute of a supported operator is passed over by the rows of
opset_table.py."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from onnx import helper
from opset_cases import Case
from opset_more import MORE
from opset_table import CASES as TABLE

CASES = TABLE + MORE

ROOT = Path(__file__).resolve().parents[2]
OLDEST, NEWEST = 7, 28

# "float", "bfloat16", "float8e4m3fn", "string", ...
ELEMENTS = {name.lower(): number for name, number in onnx.TensorProto.DataType.items()}

# Attributes that no row has, and why none needs to.
NEEDLESS = {
    ("Attention", None): "the onnx package's own cases hold each of them",
    ("BatchNormalization", "spatial"): "refused unless it has its default",
    ("Bernoulli", None): "numbers are drawn: test_random.py",
    ("Cast", "round_mode"): "8-bit floats only: the onnx package's own cases hold it",
    ("Cast", "saturate"): "8-bit floats only: the onnx package's own cases hold it",
    ("CastLike", "round_mode"): "8-bit floats only: the onnx package's own cases hold it",
    ("CastLike", "saturate"): "8-bit floats only: the onnx package's own cases hold it",
    ("CausalConvWithState", None): "the onnx package's own cases and test_gated.py hold them",
    ("ConcatFromSequence", None): "test_sequences.py holds them",
    ("ConvInteger", None): "test_quantized.py holds them",
    ("Constant", None): "each is a constant; tests of the importer hold them",
    ("DequantizeLinear", None): "test_quantized.py holds them",
    ("Dropout", "seed"): "numbers are drawn: test_random.py",
    ("GroupNormalization", "stash_type"): "computed in float32 or wider, whatever it is",
    ("LayerNormalization", "stash_type"): "test_opsets.py has its own test",
    ("LinearAttention", None): "the onnx package's own cases and test_gated.py hold them",
    ("LpPool", "ceil_mode"): "test_lp_pool.py holds it",
    ("Multinomial", None): "numbers are drawn: test_random.py",
    ("Optional", None): "test_sequences.py holds them",
    ("QLinearConv", None): "test_quantized.py holds them",
    ("QuantizeLinear", None): "test_quantized.py holds them",
    ("RMSNormalization", "stash_type"): "test_opsets.py has its own test",
    ("RandomNormal", None): "numbers are drawn: test_random.py",
    ("RandomNormalLike", None): "numbers are drawn: test_random.py",
    ("RandomUniform", None): "numbers are drawn: test_random.py",
    ("RegexFullMatch", None): "test_strings.py holds them",
    ("StringNormalizer", None): "test_strings.py holds them",
    ("StringSplit", None): "test_strings.py holds them",
    ("TfIdfVectorizer", None): "test_strings.py holds them",
    ("RandomUniformLike", None): "numbers are drawn: test_random.py",
    ("Range", "stash_type"): "test_opsets.py has its own test",
    ("RotaryEmbedding", None): "the onnx package's own cases hold each of them",
    ("SequenceEmpty", None): "test_sequences.py holds them",
    ("SplitToSequence", None): "test_sequences.py holds them",
    ("SwiGLU", None): "the onnx package's own cases and test_gated.py hold them",
    ("TensorScatter", None): "the onnx package's own cases hold each of them",
}


@cache
def supported() -> tuple[str, ...]:
    """The operators of docs/onnx.md's table that are ONNX's."""
    page = (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8").split("## Operators of com.microsoft\n")[0]
    rows = re.findall(r"^\| [a-z ]+ \| ([A-Z][\w, ]+) \|$", page, re.MULTILINE)
    names = tuple(name for row in rows for name in row.split(", ") if name != "SimplifiedLayerNormalization")
    assert len(names) > 130
    return names


@cache
def history() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.domain and schema.since_version <= NEWEST:
            found.setdefault(schema.name, []).append(schema)
    for schemas in found.values():
        schemas.sort(key=lambda schema: schema.since_version)
    return found


def since_oldest(operator: str) -> list[Any]:
    schemas = history()[operator]
    later = [at for at, s in enumerate(schemas) if s.since_version <= OLDEST]
    return schemas[later[-1] if later else 0 :]


def some_value(kind: Any) -> Any:
    values = {"INT": 1, "FLOAT": 1.0, "STRING": "x", "INTS": [1], "FLOATS": [1.0], "STRINGS": ["x"]}
    if kind.name == "TENSOR":
        return helper.make_tensor("t", 1, [1], [1.0])
    return values.get(kind.name)


def message_of(operator: str, opset: int, inputs: int, attributes: dict[str, Any]) -> str:
    names = [f"x{at}" for at in range(inputs)]
    values = [helper.make_tensor_value_info(name, 1, [1]) for name in names]
    nodes = [helper.make_node(operator, names, ["y"], **attributes)]
    graph = helper.make_graph(nodes, "schema", values, [helper.make_tensor_value_info("y", 1, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    try:
        anydim.InferenceSession(model.SerializeToString())
    except anydim.Error as failure:
        return str(failure)
    return ""


def test_the_committed_table_is_what_the_onnx_package_says() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "onnx_schemas.py"), "--check"], check=False)
    assert done.returncode == 0, "onnx/format/generated/schemas.cpp: run tools/onnx_schemas.py"


@pytest.mark.parametrize("operator", supported())
def test_a_version_takes_its_own_attributes_and_no_others(operator: str) -> None:
    schemas = since_oldest(operator)
    kinds = {name: a.type for schema in schemas for name, a in schema.attributes.items()}
    for schema in schemas:
        opset = max(schema.since_version, OLDEST)
        if schema.deprecated and schema is schemas[-1]:
            assert "the operator does not exist in opset" in message_of(operator, opset, schema.max_input, {})
            continue
        for name, kind in [*kinds.items(), ("no_such", None)]:
            value = 1 if kind is None else some_value(kind)
            if value is None:
                continue
            refused = f"has no attribute '{name}'" in message_of(operator, opset, schema.min_input, {name: value})
            assert refused == (name not in schema.attributes), f"opset {opset}: {name}"


@pytest.mark.parametrize("operator", supported())
def test_a_version_takes_no_more_inputs_than_it_has(operator: str) -> None:
    schemas = since_oldest(operator)
    for schema in schemas:
        if schema.max_input > 100 or (schema.deprecated and schema is schemas[-1]):
            continue
        opset = max(schema.since_version, OLDEST)
        for inputs in (schema.max_input, schema.max_input + 1):
            refused = f"in opset {opset} it has at most" in message_of(operator, opset, inputs, {})
            assert refused == (inputs > schema.max_input), f"opset {opset}: {inputs} inputs"


def with_element_type(case: Case, schema: Any, opset: int, variable: str, element: int) -> bytes | None:
    """The case with all its operands of one type variable given another element type, as inputs; None if it has none."""
    names, values, initializers, changed = [], [], [], False
    for at, x in enumerate([*case.inputs, *case.constants]):
        names.append("" if x is None else f"x{at}")
        if x is None:
            continue
        formal = schema.inputs[min(at, len(schema.inputs) - 1)].type_str
        changed = changed or formal == variable
        kind = element if formal == variable else helper.np_dtype_to_tensor_dtype(x.dtype)
        if formal == variable or at < len(case.inputs):
            values.append(helper.make_tensor_value_info(names[-1], kind, x.shape))
        else:
            initializers.append(onnx.numpy_helper.from_array(x, names[-1]))
    if not changed:
        return None
    outputs = [f"y{at}" for at in range(case.outputs)]
    attributes = {k: v for k, v in case.attributes.items() if v is not None}
    node = helper.make_node(case.operator, names, outputs, **attributes)
    graph = helper.make_graph(
        [node], "types", values, [onnx.ValueInfoProto(name=name) for name in outputs], initializers
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    serialised: bytes = model.SerializeToString()
    return serialised


@pytest.mark.parametrize("operator", sorted({case.operator for case in CASES}))
def test_no_element_type_that_a_version_takes_is_called_invalid(operator: str) -> None:
    """Each is computed, or it is unimplemented."""
    wrong = set()
    for schema in since_oldest(operator):
        opset = max(schema.since_version, OLDEST)
        if schema.deprecated and schema is since_oldest(operator)[-1]:
            continue
        cases = [case for case in CASES if case.operator == operator and case.since <= opset <= case.until]
        cases = [case for case in cases if operator != "Mod" or case.attributes["fmod"] == 1]  # floats need it
        cases = [case for case in cases if operator != "BitCast"]  # types of another size are invalid
        for constraint in schema.type_constraints:
            for name in constraint.allowed_type_strs:
                found = re.fullmatch(r"tensor\((\w+)\)", name)
                if found is None:
                    continue
                element = ELEMENTS[found[1]]
                for case in cases[:: max(1, len(cases) // 4)]:
                    model = with_element_type(case, schema, opset, constraint.type_param_str, element)
                    if model is None:
                        continue
                    try:
                        anydim.InferenceSession(model, threads=1)
                    except anydim.UnimplementedError:
                        pass
                    except anydim.Error as failure:
                        wrong.add(f"opset {opset}, {constraint.type_param_str} = {name}: {case.label}: {failure}")
    assert not wrong, "\n".join(sorted(wrong)[:10])


# The element types that Anydim has, without the narrow ones.
OURS = (
    "float", "double", "float16", "bfloat16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool",
)  # fmt: skip


def taken_by_any_version(operator: str, at: int) -> set[str]:
    inputs = [schema.inputs for schema in history()[operator]]
    return {name for formals in inputs if at < len(formals) for name in formals[at].types}


@pytest.mark.parametrize("operator", sorted({case.operator for case in CASES}))
def test_an_element_type_that_no_version_takes_is_refused(operator: str) -> None:
    """With the operator's name, the input and the type."""
    missed = set()
    schema = since_oldest(operator)[-1] if not since_oldest(operator)[-1].deprecated else since_oldest(operator)[-2]
    cases = [case for case in CASES if case.operator == operator and case.since <= schema.since_version <= case.until]
    for constraint in schema.type_constraints:
        inputs = [at for at, formal in enumerate(schema.inputs) if formal.type_str == constraint.type_param_str]
        for name in OURS:
            if not inputs or any(f"tensor({name})" in taken_by_any_version(operator, at) for at in inputs):
                continue
            for case in cases[:: max(1, len(cases) // 4)]:
                model = with_element_type(
                    case, schema, max(schema.since_version, OLDEST), constraint.type_param_str, ELEMENTS[name]
                )
                if model is None:
                    continue
                try:
                    anydim.InferenceSession(model, threads=1)
                except anydim.InvalidModelError as failure:
                    if not re.search(
                        rf"\({operator}\): input \d has dtype \w+; expected one of those that the operator takes",
                        f"{failure}",
                    ):
                        missed.add(f"{case.label}, {name}: {failure}")
                else:
                    missed.add(f"{case.label}: {constraint.type_param_str} = {name} loads")
    assert not missed, "\n".join(sorted(missed)[:10])


NO_MODELS = [
    ("BitShift", 11, {"direction": "LEFT"}, ["float", "float"], r"input 0 has dtype f32; .* takes: i8, u8, i16, .*, u64$"),
    ("ReduceMean", 18, {}, ["bool"], r"input 0 has dtype bool; "),
    ("Sum", 13, {}, ["int64", "int64"], r"input 0 has dtype i64; .* takes: f32, f64, f16, bf16$"),
    ("Sum", 13, {}, ["float", "float16"], r"input 1 has dtype f16; input 0 has f32, and both are of one type$"),
    ("Max", 13, {}, ["float", "float", "double"], r"input 2 has dtype f64; input 0 has f32"),
    ("Max", 13, {}, ["float", "float", "bool"], r"input 2 has dtype bool; "),
    ("MatMul", 13, {}, ["int8", "int8"], r"input 0 has dtype i8; .* takes: f32, f64, f16, bf16, i32, u32, i64, u64$"),
    ("Where", 16, {}, ["float", "float", "float"], r"input 0 has dtype f32; .* takes: bool$"),
    ("Clip", 13, {}, ["float", "int64", "int64"], r"input 1 has dtype i64; input 0 has f32"),
    ("Attention", 23, {"q_num_heads": 1, "kv_num_heads": 1}, ["float16", "float", "float"], r"input 1 has dtype f32; input 0 has f16"),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "opset", "attributes", "kinds", "message"), NO_MODELS)
def test_a_model_of_wrong_types_is_refused(
    operator: str, opset: int, attributes: dict[str, Any], kinds: list[str], message: str
) -> None:
    names = [f"x{at}" for at in range(len(kinds))]
    dims = [1] if operator == "Clip" else [1, 1, 1]
    values = [helper.make_tensor_value_info(n, ELEMENTS[k], dims) for n, k in zip(names, kinds, strict=True)]
    node = helper.make_node(operator, names, ["y"], **attributes)
    graph = helper.make_graph([node], "types", values, [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    with pytest.raises(anydim.InvalidModelError, match=rf"\({operator}\): {message}"):
        anydim.InferenceSession(model.SerializeToString())


def declared_model(kind: int, inside: bool = False, initializer: int | None = None) -> bytes:
    """A sum of floats whose result is declared with an element type; `inside`: in a branch."""
    x = helper.make_tensor_value_info("x", ELEMENTS["float"], [2])
    w = onnx.numpy_helper.from_array(np.ones(2, np.float32), "w")
    y = helper.make_tensor_value_info("y", kind, [2])
    nodes, inputs = [helper.make_node("Add", ["x", "w"], ["y"], name="add")], [x]
    if inside:
        branch = helper.make_graph(
            [helper.make_node("Add", ["x", "w"], ["b"])], "branch", [], [helper.make_tensor_value_info("b", kind, [2])]
        )
        nodes = [helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)]
        inputs.append(helper.make_tensor_value_info("c", ELEMENTS["bool"], []))
        y = onnx.ValueInfoProto(name="y")
    if initializer is not None:
        inputs.append(helper.make_tensor_value_info("w", initializer, [2]))
    model = helper.make_model(
        helper.make_graph(nodes, "declared", inputs, [y], [w]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    serialised: bytes = model.SerializeToString()
    return serialised


@pytest.mark.parametrize("inside", [False, True], ids=["graph", "branch"])
@pytest.mark.parametrize("kind", ["float", "int64", "float16", "string"])
def test_an_output_has_the_element_type_that_is_declared(kind: str, inside: bool) -> None:
    model = declared_model(ELEMENTS[kind], inside)
    if kind == "float":
        anydim.InferenceSession(model)
        return
    with pytest.raises(
        anydim.InvalidModelError, match=r"output '[yb]' is declared with element type .*; its dtype is f32"
    ):
        anydim.InferenceSession(model)


def test_an_initializer_has_the_element_type_that_is_declared() -> None:
    anydim.InferenceSession(declared_model(ELEMENTS["float"], initializer=ELEMENTS["float"]))
    with pytest.raises(
        anydim.InvalidModelError, match=r"input 'w' is declared with element type .*; its initializer has"
    ):
        anydim.InferenceSession(declared_model(ELEMENTS["float"], initializer=ELEMENTS["double"]))


def test_every_attribute_of_every_version_is_in_a_row() -> None:
    tested = {(case.operator, name) for case in CASES for name, value in case.attributes.items() if value is not None}
    known = {(op, name) for op in supported() for schema in since_oldest(op) for name in schema.attributes}
    missing = {pair for pair in known - tested if pair not in NEEDLESS and (pair[0], None) not in NEEDLESS}
    assert not missing, sorted(missing)
    needless = [pair for pair in NEEDLESS if pair[1] is not None and (pair not in known or pair in tested)]
    assert not needless, f"exceptions that are none: {needless}"
