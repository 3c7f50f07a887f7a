# SPDX-License-Identifier: Apache-2.0
"""A case of opset_table.py as a model of one node, in every opset in which its operator changed, and the oracles that it is
held against: ONNX Runtime and onnx.reference. Inputs are tensors, lists of tensors (sequences) and optionals."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

Array = npt.NDArray[Any]
OLDEST, NEWEST = 7, 28  # opsets that Anydim reads; those before 7 are in test_old_opsets.py
ORACLES_NEWEST = 26  # the last one that ONNX Runtime reads
LIMITS = {"": (OLDEST, ORACLES_NEWEST, NEWEST), "ai.onnx.ml": (1, 5, 5), "ai.onnx.preview.training": (1, 1, 1)}
BESIDE = 17  # of ONNX's own operators in the model of a row of another domain
UNKNOWN = object()  # an oracle that has no answer


@dataclass(frozen=True)
class Maybe:
    """An optional input: what it holds, or nothing, and a value that says its type."""

    value: Any
    like: Any


Given = Array | list[Array] | Maybe


def type_of(x: Given, name: str = "", dynamic: bool = False) -> onnx.TypeProto:
    if isinstance(x, Maybe):
        return helper.make_optional_type_proto(type_of(x.like, name, dynamic))
    if isinstance(x, list):
        element = helper.np_dtype_to_tensor_dtype(x[0].dtype)
        ranks = {e.ndim for e in x}
        unknown = [None] * ranks.pop() if len(ranks) == 1 else None
        return helper.make_sequence_type_proto(helper.make_tensor_type_proto(element, unknown))
    dims: list[Any] = [f"{name}_{d}" for d in range(x.ndim)] if dynamic and is_data(x) else list(x.shape)
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(x.dtype), dims)


@dataclass(frozen=True)
class Case:
    operator: str
    inputs: Sequence[Given]  # those of the caller
    constants: Sequence[Array | None] = ()  # initializers behind them; None is left out
    attributes: dict[str, Any] = field(default_factory=dict)  # None is left out
    outputs: int = 1
    since: int = OLDEST
    until: int = NEWEST
    tolerance: float = 2e-6  # relative to the largest value, for float32
    # Where the oracles are known to break ONNX's text, or there are none: the outputs by that text.
    expected: Sequence[Any] | None = None
    domain: str = ""
    nodes: Sequence[onnx.NodeProto] = ()  # instead of one of the operator: those that make, and read, what it needs
    results: Sequence[str] = ()  # the outputs of `nodes`
    dynamic_tolerance: float = 0.0  # 0: every dim dynamic gives the same bits
    declared: onnx.TypeProto | None = None  # of the first output, where it holds texts or maps, which must be declared

    @property
    def label(self) -> str:
        def text(value: Any) -> str:
            if isinstance(value, list):
                return f"[{', '.join(map(text, value))}]"
            if isinstance(value, Maybe):
                return f"maybe {text(value.value)}"
            if isinstance(value, np.ndarray):
                return f"{value.dtype}{list(value.shape)}" if value.size > 8 else f"{value.dtype}{value.tolist()}"
            return str(value)

        parts = [text(x) for x in self.inputs] + ["const " + text(c) for c in self.constants if c is not None]
        named = [f"{k}={v}" for k, v in self.attributes.items() if not isinstance(v, onnx.GraphProto)]
        return f"{self.operator}({', '.join(parts)}) " + " ".join([*named, *(node.op_type for node in self.nodes)])

    def model(self, opset: int, *, dynamic: bool = False, fed: bool = False) -> bytes:
        """`dynamic`: no dim of the data is declared. `fed`: constants are inputs, too, named as in feeds()."""
        names, initializers, values = [], [], []
        for at, x in enumerate(self.inputs):
            names.append(f"x{at}")
            values.append(helper.make_value_info(names[-1], type_of(x, names[-1], dynamic)))
        for at, c in enumerate(self.constants):
            names.append("" if c is None else f"c{at}")
            if c is not None and fed:
                values.append(
                    helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(c.dtype), c.shape)
                )
            elif c is not None:
                initializers.append(onnx.numpy_helper.from_array(np.asarray(c), names[-1]))
        while names and not names[-1]:
            names.pop()
        outputs = list(self.results) or [f"y{at}" for at in range(self.outputs)]
        attributes = {k: v for k, v in self.attributes.items() if v is not None}
        node = helper.make_node(self.operator, names, outputs, name="node", domain=self.domain, **attributes)
        results = [onnx.ValueInfoProto(name=name) for name in outputs]
        if self.declared is not None:
            results[0].type.CopyFrom(self.declared)
        graph = helper.make_graph(self.nodes or [node], "opset case", values, results, initializers)
        opsets = [helper.make_opsetid("", BESIDE if self.domain else opset)]
        opsets += [helper.make_opsetid(self.domain, opset)] if self.domain else []
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        serialised: bytes = model.SerializeToString()
        return serialised

    def feeds(self, *, fed: bool = False) -> dict[str, Any]:
        constants = {f"c{at}": c for at, c in enumerate(self.constants) if fed and c is not None}
        given = [x.value if isinstance(x, Maybe) else x for x in self.inputs]
        return {**{f"x{at}": x for at, x in enumerate(given)}, **constants}


def is_data(x: Array) -> bool:
    """Vectors of integers may be shapes or axes, whose number must be known."""
    return not (x.ndim <= 1 and x.dtype in (np.int32, np.int64))


def takes_type(case: Case) -> bool:
    """Does any version of the operator take the element type of the case's first operand?"""
    first = next((x for x in [*case.inputs, *case.constants] if x is not None), None)
    if not isinstance(first, np.ndarray):
        return True
    element = onnx.TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(first.dtype)).lower()
    history = [s for s in onnx.defs.get_all_schemas_with_history() if s.name == case.operator and not s.domain]
    return any(f"tensor({element})" in schema.inputs[0].types for schema in history if schema.inputs)


def signature(schema: Any) -> Any:
    """What a node of a version may look like: attributes with their defaults, inputs, outputs."""
    attributes = sorted((n, a.required, a.type, str(a.default_value)) for n, a in schema.attributes.items())
    inputs = [(v.name, v.option) for v in schema.inputs]
    return attributes, inputs, len(schema.outputs), schema.deprecated


@cache
def versions(operator: str, domain: str = "") -> tuple[int, ...]:
    """Opsets at both ends of every form that an operator has had since the oldest; the last end is what oracles know."""
    history = [s for s in onnx.defs.get_all_schemas_with_history() if (s.name, s.domain) == (operator, domain)]
    history.sort(key=lambda schema: schema.since_version)
    oldest, known, newest = LIMITS[domain]
    found = set()
    for at, schema in enumerate(history):
        last = history[at + 1].since_version - 1 if at + 1 < len(history) else max(known, schema.since_version)
        same_before = at > 0 and signature(history[at - 1]) == signature(schema) and schema.since_version > oldest
        same_after = at + 1 < len(history) and signature(history[at + 1]) == signature(schema)
        if last >= oldest and not same_before:
            found.add(max(schema.since_version, oldest))
        if last >= oldest and not same_after:
            found.add(min(last, known) if schema.since_version <= known else schema.since_version)
    return tuple(sorted(v for v in found if v <= newest))


def on_onnxruntime(case: Case, opset: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(case.model(opset), options, providers=["CPUExecutionProvider"])
        return session.run(None, case.feeds())
    except Exception:
        return UNKNOWN


def on_reference(case: Case, opset: int) -> Any:
    from onnx.reference import ReferenceEvaluator

    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return ReferenceEvaluator(onnx.load_from_string(case.model(opset))).run(None, case.feeds())
    except Exception:
        return UNKNOWN


def difference(expected: Sequence[Any], got: Sequence[Any], tolerance: float) -> str:
    """Empty if all outputs agree, else what is different."""
    if len(expected) != len(got):
        return f"{len(got)} outputs; expected {len(expected)}"
    for at, (e, g) in enumerate(zip(expected, got, strict=True)):
        if isinstance(e, list | tuple) or e is None:  # a sequence, or an optional without anything
            if not isinstance(g, list) or not isinstance(e, list | tuple):
                if e is g is None:
                    continue
                return f"output {at} is {g}; expected {e}"
            if e and isinstance(e[0], dict):
                e, g = ([dict(sorted(row.items())) for row in rows] for rows in (e, g))
                if [list(row) for row in e] != [list(row) for row in g]:
                    return f"output {at} has keys {[list(row) for row in g]}; expected {[list(row) for row in e]}"
                e, g = ([np.array(list(row.values()), np.float32) for row in rows] for rows in (e, g))
            if told := difference(e, g, tolerance):
                return f"output {at}: {told}"
            continue
        e, g = np.asarray(e), np.asarray(g)
        e = e.astype(object) if e.dtype.kind == "U" else e
        if e.dtype != g.dtype or e.shape != g.shape:
            return f"output {at} is {g.dtype}{list(g.shape)}; expected {e.dtype}{list(e.shape)}"
        if e.dtype.kind != "f":
            if not np.array_equal(e, g):
                return f"output {at} is {g.ravel()[:12]}; expected {e.ravel()[:12]}"
            continue
        finite = np.abs(e[np.isfinite(e)], dtype=np.float64)
        scale = max(1.0, float(finite.max())) if finite.size else 1.0
        steps = {np.dtype(np.float16): 1e-3, np.dtype(np.float64): 1e-6 * tolerance}
        with np.errstate(all="ignore"):
            if not np.allclose(
                g, e, rtol=steps.get(e.dtype, tolerance), atol=steps.get(e.dtype, tolerance) * scale, equal_nan=True
            ):
                return f"output {at} is {g.ravel()[:12]}; expected {e.ravel()[:12]}"
    return ""


def problem_of(case: Case, opset: int) -> tuple[str, str]:
    """passed, unimplemented, unknown (no oracle has an answer) or wrong, and what is wrong."""
    import anydim

    def load(**form: bool) -> anydim.InferenceSession:
        ragged: dict[str, Any] = {
            f"x{at}": [element.ndim for element in x]
            for at, x in enumerate(case.inputs)
            if isinstance(x, list) and len({element.shape for element in x}) > 1
        }
        absent = {f"x{at}": None for at, x in enumerate(case.inputs) if isinstance(x, Maybe) and x.value is None}
        options: dict[str, Any] = {"sequences": ragged | absent} if ragged or absent else {}
        return anydim.InferenceSession(case.model(opset, **form), threads=1, **options)

    failure = ""
    try:
        got = load().run(None, case.feeds())
        for form, fed in (("every dim dynamic", False), ("constants fed", True)):
            try:
                session = load(dynamic=not fed, fed=fed)
                allowed = case.tolerance if fed else case.dynamic_tolerance
                if problem := difference(got, session.run(None, case.feeds(fed=fed)), allowed):
                    return "wrong", f"with {form}: {problem}"
            except anydim.UnimplementedError:
                pass
            except anydim.Error as error:
                return "wrong", f"with {form}: {error}"
    except anydim.UnimplementedError as refusal:
        return "unimplemented", str(refusal)
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    # The second oracle is asked only where the first does not answer, or otherwise.
    problems = []
    for oracle in (on_onnxruntime, on_reference) if case.expected is None else (lambda *_: case.expected,):
        if (answer := oracle(case, opset)) is UNKNOWN:
            continue
        problems.append(failure or difference(answer, got, case.tolerance))
        if not problems[-1]:
            return "passed", ""
    return ("wrong", problems[0]) if problems else ("unknown", failure)
