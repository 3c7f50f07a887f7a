# SPDX-License-Identifier: Apache-2.0
"""A case of opset_table.py as a model of one node, in every opset in which its operator changed, and the oracles that it is
held against: ONNX Runtime and onnx.reference."""

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
OLDEST, NEWEST = 7, 28  # opsets that Anydim reads
ORACLES_NEWEST = 26  # the last one that ONNX Runtime reads
UNKNOWN = object()  # an oracle that has no answer


@dataclass(frozen=True)
class Case:
    operator: str
    inputs: Sequence[Array]  # those of the caller
    constants: Sequence[Array | None] = ()  # initializers behind them; None is left out
    attributes: dict[str, Any] = field(default_factory=dict)  # None is left out
    outputs: int = 1
    since: int = OLDEST
    until: int = NEWEST
    tolerance: float = 2e-6  # relative to the largest value, for float32
    # Where the oracles are known to break ONNX's text, or there are none: the outputs by that text.
    expected: Sequence[Array] | None = None

    @property
    def label(self) -> str:
        def text(value: Any) -> str:
            if isinstance(value, np.ndarray):
                return f"{value.dtype}{list(value.shape)}" if value.size > 8 else f"{value.dtype}{value.tolist()}"
            return str(value)

        parts = [text(x) for x in self.inputs] + ["const " + text(c) for c in self.constants if c is not None]
        return f"{self.operator}({', '.join(parts)}) " + " ".join(f"{k}={v}" for k, v in self.attributes.items())

    def model(self, opset: int, *, dynamic: bool = False, fed: bool = False) -> bytes:
        """`dynamic`: no dim of the data is declared. `fed`: constants are inputs, too, named as in feeds()."""
        names, initializers, values = [], [], []
        for at, x in enumerate(self.inputs):
            names.append(f"x{at}")
            dims: list[Any] = [f"x{at}_{d}" for d in range(x.ndim)] if dynamic and is_data(x) else list(x.shape)
            values.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(x.dtype), dims))
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
        outputs = [f"y{at}" for at in range(self.outputs)]
        attributes = {k: v for k, v in self.attributes.items() if v is not None}
        node = helper.make_node(self.operator, names, outputs, name="node", **attributes)
        typeless = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph([node], "opset case", values, typeless, initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        serialised: bytes = model.SerializeToString()
        return serialised

    def feeds(self, *, fed: bool = False) -> dict[str, Array]:
        constants = {f"c{at}": c for at, c in enumerate(self.constants) if fed and c is not None}
        return {**{f"x{at}": x for at, x in enumerate(self.inputs)}, **constants}


def is_data(x: Array) -> bool:
    """Vectors of integers may be shapes or axes, whose number must be known."""
    return not (x.ndim <= 1 and x.dtype in (np.int32, np.int64))


def takes_type(case: Case) -> bool:
    """Does any version of the operator take the element type of the case's first operand?"""
    first = next((x for x in [*case.inputs, *case.constants] if x is not None), None)
    if first is None:
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
def versions(operator: str) -> tuple[int, ...]:
    """Opsets at both ends of every form that an operator has had since opset 7; the last end is what oracles know."""
    history = [s for s in onnx.defs.get_all_schemas_with_history() if s.name == operator and not s.domain]
    history.sort(key=lambda schema: schema.since_version)
    found = set()
    for at, schema in enumerate(history):
        last = history[at + 1].since_version - 1 if at + 1 < len(history) else max(ORACLES_NEWEST, schema.since_version)
        same_before = at > 0 and signature(history[at - 1]) == signature(schema) and schema.since_version > OLDEST
        same_after = at + 1 < len(history) and signature(history[at + 1]) == signature(schema)
        if last >= OLDEST and not same_before:
            found.add(max(schema.since_version, OLDEST))
        if last >= OLDEST and not same_after:
            found.add(min(last, ORACLES_NEWEST) if schema.since_version <= ORACLES_NEWEST else schema.since_version)
    return tuple(sorted(v for v in found if v <= NEWEST))


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


def difference(expected: Sequence[Array], got: Sequence[Array], tolerance: float) -> str:
    """Empty if all outputs agree, else what is different."""
    if len(expected) != len(got):
        return f"{len(got)} outputs; expected {len(expected)}"
    for at, (e, g) in enumerate(zip(expected, got, strict=True)):
        e, g = np.asarray(e), np.asarray(g)
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

    failure = ""
    try:
        got = anydim.InferenceSession(case.model(opset), threads=1).run(None, case.feeds())
        for form, fed in (("every dim dynamic", False), ("constants fed", True)):
            try:
                session = anydim.InferenceSession(case.model(opset, dynamic=not fed, fed=fed), threads=1)
                if problem := difference(got, session.run(None, case.feeds(fed=fed)), case.tolerance if fed else 0.0):
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
