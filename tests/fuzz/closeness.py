# SPDX-License-Identifier: Apache-2.0
"""Whether results of all passes are near enough to those of exact ones: within what the model's own conditioning allows."""

from __future__ import annotations

from typing import Any, Protocol

import anydim
import numpy as np
import onnx
from cases import Array, is_float, metadata
from peers import differences, epsilon, squares_overflow, whole_by_onnxruntime
from shrink import copy_of, swept
from variants import in_single_precision, shaken, with_all_outputs
from verdicts import Refused, Wrong, bits


def floats_behind(model: onnx.ModelProto, names: list[str], values: dict[str, Array]) -> list[str]:
    """The floats that nodes compute, from which these values follow through integers and booleans."""
    maker = {name: node for node in model.graph.node for name in node.output if name}
    found: list[str] = []
    waiting, seen = list(names), set(names)
    while waiting:
        for name in maker[waiting.pop()].input:
            if name in seen or name not in maker:
                continue
            seen.add(name)
            (found if is_float(values[name].dtype) else waiting).append(name)
    return found


def slack_of(expected: Array) -> float:
    """A few roundings of the largest number."""
    if not is_float(expected.dtype):
        return 0.0
    finite = np.abs(expected.astype(np.float64))
    return 32 * epsilon(expected.dtype) * float(finite[np.isfinite(finite)].max(initial=0.0))


class Runs(Protocol):
    """A case that can be run (judge.py)."""

    case: onnx.ModelProto
    model: onnx.ModelProto
    names: list[str]
    data: list[dict[str, Array]]

    def load(self, passes: str, model: onnx.ModelProto | None = None, **options: Any) -> Any: ...
    def run(self, ready: Any, run: int, given: dict[str, Array] | None = None) -> list[Array]: ...


class Closeness:
    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def difference(self, ours: list[Array], expected: list[Array], exact: Any, run: int) -> str:
        """All passes against exact ones, within what the roundings of the inputs do to the model; empty if they agree."""
        if all(bits(a) == bits(b) for a, b in zip(ours, expected, strict=True)):
            return ""
        if any(squares_overflow(a) for a in self.runs.data[run].values()):
            # A function that was written out has its limit at an infinity, where its steps give NaN (docs/numerics.md, section 4),
            # and its value where a step overflows.
            ours = [
                np.where(np.isfinite(e.astype(np.float64)), a, e) if is_float(e.dtype) and a.shape == e.shape else a
                for a, e in zip(ours, expected, strict=True)
            ]
        # Steps of GELU lose digits where the function goes to 0 (docs/numerics.md, section 4).
        tails = 16 if metadata(self.runs.case).get("kind") == "near gelu" else 0
        slack: list[Any] = [slack_of(e) + (tails * epsilon(e.dtype) if is_float(e.dtype) else 0) for e in expected]
        if not differences(ours, expected, slack):
            return ""
        moved: list[Any] = [np.zeros(e.shape) for e in expected]
        for turn in range(6):
            there = self.runs.run(exact, run, shaken(self.runs.data[run], turn))
            for m, t, e in zip(moved, there, expected, strict=True):
                with np.errstate(all="ignore"):
                    d = np.abs(t.astype(np.float64) - e.astype(np.float64))
                np.maximum(m, np.where(np.isfinite(d), d, np.inf), out=m)
        # Where a rounding of the inputs moves an integer, any answer is as good.
        slack = [
            s + 64 * float(m.max(initial=0.0)) if is_float(e.dtype) else s
            for s, m, e in zip(slack, moved, expected, strict=True)
        ]
        loose = [a if is_float(e.dtype) or not m.any() else e for a, e, m in zip(ours, expected, moved, strict=True)]
        found = differences(loose, expected, slack)
        if found and (
            self.differ_by_what_is_behind(ours, expected, run, slack)
            or self.one_rounding_is_right(ours, expected, run, slack)
            or self.nearer_to_single_precision(ours, expected, run, slack)
        ):
            return ""
        return found

    def differ_by_what_is_behind(self, ours: list[Array], expected: list[Array], run: int, slack: list[Any]) -> bool:
        """Whether only integers and booleans differ, and the floats that they were made of, by a cast or a comparison,
        agree: GELU of -6 is a small number, where its steps give 0."""
        differ = [
            n
            for n, a, e in zip(self.runs.names, ours, expected, strict=True)
            if bits(a) != bits(e) and not is_float(e.dtype)
        ]
        floats = [i for i, e in enumerate(expected) if is_float(e.dtype)]
        if not differ or differences(
            [ours[i] for i in floats], [expected[i] for i in floats], [slack[i] for i in floats]
        ):
            return False
        inner = with_all_outputs(self.runs.model)
        try:
            values = dict(
                zip(
                    [o.name for o in inner.graph.output], self.runs.run(self.runs.load("none", inner), run), strict=True
                )
            )
            behind = floats_behind(self.runs.model, differ, values)
            wider = onnx.ModelProto()
            wider.CopyFrom(self.runs.model)
            wider.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in behind)
            all_passes = self.runs.run(self.runs.load("all", wider, threads=1), run)
        except (anydim.Error, Refused):
            return False  # nothing is proved, and the difference stays
        if [bits(a) for a in all_passes[: len(ours)]] != [bits(a) for a in ours]:
            return False  # a pass left it alone, as it is an output now: nothing is proved
        there = [values[name] for name in behind]
        return bool(behind) and not differences(all_passes[len(ours) :], there, [slack_of(e) for e in there])

    def one_rounding_is_right(self, ours: list[Array], expected: list[Array], run: int, slack: list[Any]) -> bool:
        """Whether ONNX Runtime has our results of 16-bit floats, too: a chain rounds once where its steps round each
        (docs/numerics.md, section 8), and tan of pi/2 is anything. Outputs that do not differ are left out of its model: it
        may lack what they need."""
        if not any(is_float(e.dtype) and e.dtype.itemsize == 2 for e in expected):
            return False
        differ = [
            i for i, (a, e) in enumerate(zip(ours, expected, strict=True)) if differences([a], [e], slack[i : i + 1])
        ]
        part = copy_of(self.runs.model)
        del part.graph.output[:]
        part.graph.output.extend(self.runs.model.graph.output[i] for i in differ)
        part = swept(part)
        fed = {v.name: self.runs.data[run][v.name] for v in part.graph.input}
        theirs = whole_by_onnxruntime(part, fed)
        return theirs is not None and not differences([ours[i] for i in differ], theirs, [slack[i] for i in differ])

    def nearer_to_single_precision(self, ours: list[Array], expected: list[Array], run: int, slack: list[Any]) -> bool:
        """Whether results of 16-bit floats are at least as near to those of the same model in float32 as the ones that
        each step rounds: a chain that rounds once may subtract what the steps have made equal (decision 014)."""
        wide = in_single_precision(self.runs.model)
        if wide is None:
            return False
        fed = {
            name: a.astype(np.float32) if is_float(a.dtype) and a.dtype.itemsize == 2 else a
            for name, a in self.runs.data[run].items()
        }
        try:
            exact = self.runs.run(self.runs.load("exact", wide, threads=1), run, fed)
        except (anydim.Error, Refused, Wrong):
            return False
        for a, e, true, more in zip(ours, expected, exact, slack, strict=True):
            if not differences([a], [e], [more]):
                continue
            if not is_float(a.dtype) or a.shape != true.shape:
                return False
            with np.errstate(all="ignore"):
                mine, steps = (np.abs(v.astype(np.float64) - true.astype(np.float64)) for v in (a, e))
            bound = steps + more + epsilon(a.dtype) * np.abs(true.astype(np.float64))
            if not np.all(
                (mine <= bound) | (a.astype(np.float64) == e.astype(np.float64)) | (np.isnan(a) & np.isnan(e))
            ):
                return False
        return True
