# SPDX-License-Identifier: Apache-2.0
"""Tensors without elements: the cases of the tables (opset_table.py and others) with sizes of 0, declared, found at run time, and made
by a Slice before the operator. Whoever runs one is held against ONNX Runtime and onnx.reference. Each operator has a process of its own,
so that one that dies is a verdict."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import signal
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper
from opset_cases import BESIDE, UNKNOWN, Array, Case, Maybe, difference, is_data, on_onnxruntime, on_reference, versions

# Of the floats of a case; most rows have f32. Integers are refused by most operators.
OTHER_TYPES = (None, None, None, np.float64, np.float16, np.int8, np.uint8, np.int32)
SECONDS = 10  # an oracle that takes longer has no answer; Anydim that does is dead
# What onnx.reference makes of no elements: an axis too many, 0 for a maximum of nothing, the optional that holds it as one that is empty.
REFERENCE_ERRS = ("GlobalMaxPool", "MaxPool", "Optional", "Compress")
SLICE_READS = 10  # the opset since which Slice reads its ends
# How the sizes come: as numbers; the 0 as a number beside sizes of a run; all of them in a run; by a Slice of a tensor that has elements,
# to an end that is constant, and to one that a run feeds.
FORMS = ("numbers", "declared 0", "run time", "sliced", "sliced at run time")


@dataclasses.dataclass(frozen=True)
class Empty:
    """A case with sizes of 0: axes[i] are those of input i that became 0."""

    case: Case
    whole: Case
    axes: tuple[tuple[int, ...], ...]

    @property
    def label(self) -> str:
        return f"{self.case.label} 0 in axes {[list(a) for a in self.axes]}"

    def model(self, opset: int, form: str) -> bytes:
        model = onnx.load_from_string((self.whole if form.startswith("sliced") else self.case).model(opset))
        for at, (x, axes) in enumerate(zip(self.case.inputs, self.axes, strict=True)):
            if not isinstance(x, np.ndarray):
                continue
            shape = model.graph.input[at].type.tensor_type.shape
            for axis, dim in enumerate(shape.dim):
                if form == "run time" or (form == "declared 0" and axis not in axes):
                    if is_data(x) or axes:
                        dim.dim_param = f"x{at}_{axis}"
            if form.startswith("sliced") and axes:
                slice_first(model, f"x{at}", axes, fed=form != "sliced", opset=self.opset(opset))
        serialised: bytes = model.SerializeToString()
        return serialised

    def opset(self, opset: int) -> int:
        """That of ONNX's own operators."""
        return BESIDE if self.case.domain else opset

    def feeds(self, opset: int, form: str) -> dict[str, Any]:
        feeds = (self.whole if form.startswith("sliced") else self.case).feeds()
        if form == "sliced at run time" and self.opset(opset) >= SLICE_READS:
            feeds |= {f"x{at}_ends": np.zeros(len(axes), np.int64) for at, axes in enumerate(self.axes) if axes}
        return feeds


def slice_first(model: onnx.ModelProto, name: str, axes: Sequence[int], *, fed: bool, opset: int) -> None:
    """Whoever reads the input reads its slices without elements."""
    for node in model.graph.node:
        for i, read in enumerate(node.input):
            if read == name:
                node.input[i] = f"{name}_empty"
    if opset < SLICE_READS:
        node = helper.make_node(
            "Slice", [name], [f"{name}_empty"], axes=axes, starts=[0] * len(axes), ends=[0] * len(axes)
        )
        model.graph.node.insert(0, node)
        return
    for part, values in (("starts", [0] * len(axes)), ("ends", [0] * len(axes)), ("axes", axes)):
        if part == "ends" and fed:
            model.graph.input.append(helper.make_tensor_value_info(f"{name}_ends", onnx.TensorProto.INT64, [len(axes)]))
        else:
            model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(values, np.int64), f"{name}_{part}"))
    inputs = [name, *(f"{name}_{part}" for part in ("starts", "ends", "axes"))]
    model.graph.node.insert(0, helper.make_node("Slice", inputs, [f"{name}_empty"]))


def emptied(case: Case, chosen: random.Random) -> Empty | None:
    """The case with 0 for one axis of one input, for all sizes that are equal to one of them, or for every axis of one input."""
    places = [
        (at, axis)
        for at, x in enumerate(case.inputs)
        if isinstance(x, np.ndarray)
        for axis in range(x.ndim)
        if x.shape[axis]
    ]
    if not places:
        return None
    at, axis = chosen.choice(places)
    size = case.inputs[at].shape[axis]  # type: ignore[union-attr]
    kind = chosen.choice(("one", "one", "equal", "equal", "all"))
    axes: list[tuple[int, ...]] = [()] * len(case.inputs)
    constants = list(case.constants)
    for i, x in enumerate(case.inputs):
        if not isinstance(x, np.ndarray):
            continue
        if kind == "equal":
            axes[i] = tuple(a for a in range(x.ndim) if x.shape[a] == size)
        elif i == at:
            axes[i] = (axis,) if kind == "one" else tuple(a for a in range(x.ndim) if x.shape[a])
    if kind == "equal":
        constants = [
            c if c is None else without(c, [a for a in range(c.ndim) if c.shape[a] == size and c.ndim > 1])
            for c in constants
        ]
    inputs = [without(x, axes[i]) if isinstance(x, np.ndarray) else x for i, x in enumerate(case.inputs)]
    if (dtype := chosen.choice(OTHER_TYPES)) is not None:
        inputs = [retyped(x, dtype) for x in inputs]
        constants = [retyped(c, dtype) for c in constants]
        case = dataclasses.replace(case, inputs=[retyped(x, dtype) for x in case.inputs])
    empty = dataclasses.replace(case, inputs=inputs, constants=constants, expected=None)
    return Empty(empty, dataclasses.replace(case, constants=constants, expected=None), tuple(axes))


def retyped(x: Any, dtype: type) -> Any:
    with np.errstate(all="ignore"):
        return x.astype(dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def without(x: Array, axes: Sequence[int]) -> Array:
    return np.asarray(x[tuple(slice(0, 0) if a in axes else slice(None) for a in range(x.ndim))])


def drawn(cases: Sequence[Case], seed: int, each: int) -> Iterator[tuple[Empty, int]]:
    chosen = random.Random(seed)
    # A body may read the input itself, and loop without end if its condition is nothing.
    bodies = (onnx.GraphProto,)
    usable = [
        c
        for c in cases
        if any(isinstance(x, np.ndarray) and x.ndim for x in c.inputs)
        and not any(isinstance(a, bodies) for a in c.attributes.values())
        and not any(a.HasField("g") for node in c.nodes for a in node.attribute)
    ]
    for _ in range(each if usable else 0):
        case = chosen.choice(usable)
        opsets = [v for v in versions(case.operator, case.domain) if case.since <= v <= case.until]
        empty = emptied(case, chosen)
        if opsets and empty is not None:
            yield empty, chosen.choice(opsets)


def ours(empty: Empty, opset: int, form: str) -> tuple[str, Any]:
    import anydim

    ragged: dict[str, Any] = {
        f"x{at}": [element.ndim for element in x]
        for at, x in enumerate(empty.case.inputs)
        if isinstance(x, list) and len({element.shape for element in x}) > 1
    }
    absent = {f"x{at}": None for at, x in enumerate(empty.case.inputs) if isinstance(x, Maybe) and x.value is None}
    options: dict[str, Any] = {"sequences": ragged | absent} if ragged or absent else {}
    try:
        session = anydim.InferenceSession(empty.model(opset, form), threads=1, **options)
        return "", session.run(None, empty.feeds(opset, form))
    except anydim.UnimplementedError as error:
        return "unimplemented", str(error)
    except anydim.InternalError as error:
        return "internal", str(error)
    except anydim.Error as error:
        return "refused", f"{type(error).__name__}: {error}"


def judged(empty: Empty, opset: int) -> tuple[str, str]:
    """passed, wrong, internal, unequal (one form runs and another does not), alone (ours is the only answer), refused (an oracle has an
    answer), both (nobody has), unimplemented; with what there is to say."""
    results = {form: ours(empty, opset, form) for form in FORMS}
    for form, (status, told) in results.items():
        if status == "internal":
            return "internal", f"{form}: {told}"
    ran = {form: told for form, (status, told) in results.items() if not status}
    refused = {form: told for form, (status, told) in results.items() if status == "refused"}
    answers: dict[str, Any] = {}
    problems: dict[str, dict[str, str]] = {form: {} for form in ran}
    for oracle in (on_onnxruntime, on_reference):
        if answers and all(len(found) < len(answers) for found in problems.values()):
            break
        if (answer := oracle(empty.case, opset)) is UNKNOWN:
            continue
        answers[oracle.__name__] = answer
        for form, got in ran.items():
            if told := difference(answer, got, empty.case.tolerance):
                problems[form][oracle.__name__] = told
    for form, found in problems.items():
        if found and len(found) == len(answers):
            # onnx.reference alone is not asked where it is known to err; a type that is not the rule's is its own.
            doubted = "on_onnxruntime" not in answers and (
                empty.whole.operator in REFERENCE_ERRS or other_type(found["on_reference"])
            )
            return ("doubted" if doubted else "wrong"), f"{form}: {found}"
    if ran and refused:
        return "unequal", f"{sorted(ran)} run; {refused}; answers: {sorted(answers)}"
    if refused:
        return (
            "refused" if answers else "both"
        ), f"{refused}; answers: { ({k: [getattr(y, 'shape', '') for y in v] for k, v in answers.items()}) }"
    if not ran:
        return "unimplemented", str(next(iter(results.values()))[1])
    return ("passed" if answers else "alone"), str(next(iter(ran.values())))


def other_type(told: str) -> bool:
    """Two element types of the same dims: the reference computes in whatever numpy makes of the operands."""
    found = re.search(r" is (\w+)(\[.*\]); expected (\w+)(\[.*\])$", told)
    return found is not None and found[1] != found[3] and found[2] == found[4]


def run_operator(cases: Sequence[Case], seed: int, each: int) -> list[tuple[str, str, str]]:
    """Verdict, label and message of each drawn case, in processes of their own."""
    items = list(drawn(cases, seed, each))
    verdicts: list[tuple[str, str, str]] = []
    while len(verdicts) < len(items):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as out:
                for empty, opset in items[len(verdicts) :]:
                    signal.alarm(SECONDS)
                    print(json.dumps(judged(empty, opset)), file=out, flush=True)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as lines:
            for line in lines:
                empty, opset = items[len(verdicts)]
                verdict, message = json.loads(line)
                verdicts.append((verdict, f"opset {opset}: {empty.label}", message))
        status = os.waitpid(child, 0)[1]
        if status != 0 and len(verdicts) < len(items):
            empty, opset = items[len(verdicts)]
            verdicts.append((who_died(empty, opset), f"opset {opset}: {empty.label}", f"status {status}"))
    return verdicts


def who_died(empty: Empty, opset: int) -> str:
    """died, if it is Anydim that ends its process with the case; an oracle that does has no answer."""
    for form in FORMS:
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            ours(empty, opset, form)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            return "died"
    return "oracle died"
