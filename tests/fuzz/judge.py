# SPDX-License-Identifier: Apache-2.0
"""Judges a case: runs it on Anydim in every way that must not matter, and holds each node against other engines.

  without passes = exact passes        bit for bit, at every shape, and again at the first one
  1 thread = 2 threads                 bit for bit; with bounds, other strides and other orders of the edges, too
  constants = inputs                   bit for bit: folding computes what a run would
  old opset = newer opset              bit for bit, for graphs that have both forms (old_opsets.py)
  all passes ~ exact passes            within what the model's own conditioning allows
  each node ~ ONNX Runtime or onnx.reference, on the operands that we computed
  an error of ours                     is `unimplemented`, or the others refuse the model as well; it has one status and comes at
                                       one moment for every set of passes

The verdicts: right, unimplemented, refused (by us and by the others), wrong."""

from __future__ import annotations

import base64
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import anydim
import numpy as np
import onnx
from cases import Array, Binding, bindings_of, feeds, initializer, is_float, metadata, without_names
from peers import differences, epsilon, judge_node, squares_overflow, whole_by_onnxruntime
from shrink import copy_of, swept

RIGHT, UNIMPLEMENTED, REFUSED, WRONG = "right", "unimplemented", "refused", "wrong"


@dataclass
class Outcome:
    seed: int
    kind: str
    verdict: str
    what: str = ""  # the class of a failure: shrinking keeps it
    message: str = ""
    operators: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    nodes_judged: int = 0


class Wrong(Exception):
    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what


class Refused(Exception):
    """We refuse the model, and so do the others."""


def bits(array: Array) -> bytes:
    """Dtype, dims and bits; every NaN counts as the same one."""
    out = np.array(array)
    if is_float(out.dtype):
        out[np.isnan(out)] = np.nan
    return f"{out.dtype} {out.shape} ".encode() + out.tobytes()


def first_difference(a: Array, b: Array) -> str:
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
    equal = (a == b) | ((a != a) & (b != b))
    if is_float(a.dtype):
        equal &= (np.signbit(a) == np.signbit(b)) | np.isnan(a)
    where = np.argwhere(~equal)
    at = tuple(int(k) for k in where[0]) if len(where) else ()
    return f"at {list(at)} {a[at]!r} and {b[at]!r}; {len(where)} of {a.size} differ"


def same_bits(what: str, ours: list[Array], others: list[Array], names: list[str], binding: Binding) -> None:
    for name, a, b in zip(names, ours, others, strict=True):
        if bits(a) != bits(b):
            raise Wrong(what, f"{what}: output {name} at {binding}: {first_difference(a, b)}")


def session(model: onnx.ModelProto, **options: Any) -> Any:
    return anydim.InferenceSession(model.SerializeToString(), contexts=1, **options)


def with_all_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    out = onnx.ModelProto()
    out.CopyFrom(model)
    del out.graph.output[:]
    for node in out.graph.node:
        for name in node.output:
            if name:
                out.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    return out


def with_constants(model: onnx.ModelProto, given: dict[str, Array], names: set[str]) -> onnx.ModelProto:
    """Some inputs become initializers."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for value in list(out.graph.input):
        if value.name in names:
            out.graph.input.remove(value)
            out.graph.initializer.append(initializer(value.name, given[value.name]))
    return out


def with_numbers(model: onnx.ModelProto, binding: Binding) -> onnx.ModelProto:
    """Every dim declared as the number that it has in this run."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for value in out.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.dim_value = binding[dim.dim_param]
    return out


def strided(array: Array, chosen: random.Random) -> Array:
    """The same elements in other strides."""
    if array.ndim == 0 or array.size == 0:
        return array
    r = chosen.randrange(3)
    if r == 0:
        perm = list(range(array.ndim))
        chosen.shuffle(perm)
        return np.ascontiguousarray(array.transpose(perm)).transpose(np.argsort(perm))
    if r == 1:
        wide = np.zeros([2 * d + 1 for d in array.shape], array.dtype)
        part = wide[tuple(slice(1, None, 2) for _ in array.shape)]
        part[...] = array
        return part
    return np.ascontiguousarray(array[..., ::-1])[..., ::-1]


def shaken(given: dict[str, Array], turn: int) -> dict[str, Array]:
    generator = np.random.default_rng(turn)
    out = {}
    for name, a in given.items():
        if is_float(a.dtype):
            with np.errstate(all="ignore"):
                out[name] = (
                    a.astype(np.float64) * (1 + 2 * epsilon(a.dtype) * generator.uniform(-1, 1, a.shape))
                ).astype(a.dtype)
        else:
            out[name] = a
    return out


def slack_of(expected: Array) -> float:
    """A few roundings of the largest number."""
    if not is_float(expected.dtype):
        return 0.0
    finite = np.abs(expected.astype(np.float64))
    return 32 * epsilon(expected.dtype) * float(finite[np.isfinite(finite)].max(initial=0.0))


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


def declares_twice(model: onnx.ModelProto) -> bool:
    """Whether an output that is an input, too, is declared there with another element type."""
    types = {v.name: v.type.tensor_type.elem_type for v in model.graph.input}
    declared = [(v.name, v.type.tensor_type.elem_type) for v in model.graph.output]
    return any(types.get(name, 0) not in (0, element) for name, element in declared if element)


HALVES = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)


def in_single_precision(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """The model with float32 in the place of each 16-bit float; None if it has none, or attributes that name one."""
    wide = copy_of(model)
    found = False
    for value in (*wide.graph.input, *wide.graph.output):
        if value.type.tensor_type.elem_type in HALVES:
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
            found = True
    for at, tensor in enumerate(wide.graph.initializer):
        if tensor.data_type in HALVES:
            array = onnx.numpy_helper.to_array(tensor).astype(np.float32)
            wide.graph.initializer[at].CopyFrom(initializer(tensor.name, array))
            found = True
    for node in wide.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g") or (attribute.HasField("t") and attribute.t.data_type in HALVES):
                return None
            if attribute.name in ("to", "dtype", "stash_type", "output_dtype") and attribute.i in HALVES:
                return None
    return wide if found else None


class Judge:
    def __init__(self, model: onnx.ModelProto, outcome: Outcome) -> None:
        self.case = model
        self.outcome = outcome
        self.bindings = bindings_of(model)
        self.chosen = random.Random(outcome.seed)
        self.model = without_names(model) if metadata(model).get("unnamed") else model
        self.names = [o.name for o in model.graph.output]
        self.none_ran: Exception = Refused("no run")  # why the last run that did not come through did not
        self.data = [feeds(model, b) for b in self.bindings]

    def load(self, passes: str, model: onnx.ModelProto | None = None, **options: Any) -> Any:
        """A session; an error is looked at, and raised as a verdict."""
        try:
            return session(model or self.model, passes=passes, **options)
        except anydim.UnimplementedError:
            raise
        except anydim.Error as failure:
            text = f"load with passes={passes}"
            self.refused_alike(failure, passes, model or self.model, options)
            self.refuse(failure, 0, text)
            raise Refused(f"{text}: {type(failure).__name__}: {failure}") from failure

    def refused_alike(
        self, failure: anydim.Error, passes: str, model: onnx.ModelProto, options: dict[str, Any]
    ) -> None:
        """Every set of passes refuses the model when it is loaded, with one status."""
        for other in ("none", "exact", "all"):
            if other == passes:
                continue
            status = "loads"
            try:
                session(model, passes=other, **options)
            except anydim.Error as second:
                status = type(second).__name__
            if status != type(failure).__name__:
                raise Wrong(
                    "statuses", f"load: passes={passes} {type(failure).__name__}, passes={other} {status}: {failure}"
                )

    def refuse(self, failure: anydim.Error, run: int, when: str) -> None:
        """Returns if others refuse the model, too. Else, or if it is a failure of ours, it is wrong."""
        text = f"{when}: {type(failure).__name__}: {failure}"
        if isinstance(failure, anydim.InternalError):
            raise Wrong("internal", text) from failure
        if declares_twice(self.model):
            return  # ONNX Runtime takes the first declaration
        if whole_by_onnxruntime(self.model, self.data[run]) is not None:
            raise Wrong(
                f"refused: {type(failure).__name__}", f"{text} (at {self.bindings[run]}; ONNX Runtime runs it)"
            ) from failure

    def run(self, ready: Any, run: int, given: dict[str, Array] | None = None) -> list[Array]:
        results: list[Array] = ready.run(None, given if given is not None else self.data[run])
        return results

    def judge(self) -> None:
        plain = self.load("all", threads=1)
        exact = self.load("exact", threads=1)
        try:
            none: Any = self.load("none", threads=1)
            inner: Any = self.load("none", with_all_outputs(self.model), threads=1)
        except anydim.UnimplementedError as failure:
            none = inner = None
            self.outcome.notes.append(f"not without passes: {failure}"[:150])
        other = self.other_session()
        first: list[Array] | None = None
        ran = 0
        for run, binding in enumerate(self.bindings):
            expected = self.one_run(run, plain, exact, none)
            if expected is None:
                continue
            ran += 1
            if run == 0:
                first = self.run(plain, 0)
            changed = {n: strided(a, self.chosen) for n, a in self.data[run].items()}
            same_bits("other ways", self.run(plain, run), self.run(other, run, changed), self.names, binding)
            if inner is not None:
                self.judge_nodes(self.run(inner, run), none, run)
            else:
                self.judge_whole(expected, run)
        if "old" in metadata(self.case):
            self.old_form(exact)
        if first is not None:
            same_bits("the first shape again", self.run(plain, 0), first, self.names, self.bindings[0])
            self.twins(exact)
        if not ran:
            raise self.none_ran

    def old_form(self, exact: Any) -> None:
        """The same graph in an opset that only we read."""
        old = onnx.load_from_string(base64.b64decode(metadata(self.case)["old"]))
        old = without_names(old) if metadata(self.model).get("unnamed") else old
        try:
            ready = session(old, passes="exact", threads=1)
            for run, binding in enumerate(self.bindings):
                same_bits("the old opset", self.run(ready, run), self.run(exact, run), self.names, binding)
        except anydim.Error as failure:
            raise Wrong("the old opset", f"the old opset: {type(failure).__name__}: {failure}") from failure

    def one_run(self, run: int, plain: Any, exact: Any, none: Any) -> list[Array] | None:
        """The outputs of the exact passes; None if nobody runs the model at this shape."""
        results: list[list[Array] | None] = []
        errors = []
        for name, ready in (("all", plain), ("exact", exact), ("none", none)):
            if ready is None:
                continue
            try:
                results.append(self.run(ready, run))
            except anydim.UnimplementedError as failure:
                self.outcome.notes.append(f"unimplemented at run: {failure}"[:150])
                self.none_ran = failure
                return None
            except anydim.Error as failure:
                results.append(None)
                errors.append((name, failure))
        if len({type(failure) for _, failure in errors}) > 1 or (
            errors and len(errors) < len(results) and not isinstance(errors[0][1], anydim.InvalidDataError)
        ):
            text = ", ".join(f"passes={name} {type(failure).__name__}: {failure}" for name, failure in errors)
            raise Wrong("statuses", f"run at {self.bindings[run]}: {text}; {len(results)} sets of passes ran")
        if errors and len(errors) == len(results):
            self.refuse(errors[0][1], run, "run")
            self.outcome.notes.append(f"all refuse: {errors[0][1]}"[:200])
            self.none_ran = Refused(str(errors[0][1]))
            return None
        if errors:
            # A pass may drop a node of which only the dims are read, and with it an index that is out of range.
            self.refuse(errors[0][1], run, f"run with passes={errors[0][0]} only")
            self.outcome.notes.append(f"passes={errors[0][0]} alone refuses: {errors[0][1]}"[:200])
            self.none_ran = Refused(str(errors[0][1]))
            return None
        binding = self.bindings[run]
        every = [r for r in results if r is not None]
        if none is not None:
            same_bits("exact and no passes", every[1], every[2], self.names, binding)
        self.close(every[0], every[1], exact, run)
        return every[1]

    def close(self, ours: list[Array], expected: list[Array], exact: Any, run: int) -> None:
        """All passes against exact ones, within what the roundings of the inputs do to the model."""
        if all(bits(a) == bits(b) for a, b in zip(ours, expected, strict=True)):
            return
        if any(squares_overflow(a) for a in self.data[run].values()):
            # A function that was written out has its limit at an infinity, where its steps give NaN (docs/numerics.md, section 4),
            # and its value where a step overflows.
            ours = [
                np.where(np.isfinite(e.astype(np.float64)), a, e) if is_float(e.dtype) and a.shape == e.shape else a
                for a, e in zip(ours, expected, strict=True)
            ]
        # Steps of GELU lose digits where the function goes to 0 (docs/numerics.md, section 4).
        tails = 16 if metadata(self.case).get("kind") == "near gelu" else 0
        slack: list[Any] = [slack_of(e) + (tails * epsilon(e.dtype) if is_float(e.dtype) else 0) for e in expected]
        if not differences(ours, expected, slack):
            return
        moved: list[Any] = [np.zeros(e.shape) for e in expected]
        for turn in range(6):
            there = self.run(exact, run, shaken(self.data[run], turn))
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
        if found := differences(loose, expected, slack):
            if (
                self.differ_by_what_is_behind(ours, expected, run, slack)
                or self.one_rounding_is_right(ours, expected, run, slack)
                or self.nearer_to_single_precision(ours, expected, run, slack)
            ):
                return
            raise Wrong("all and exact passes", f"all and exact passes at {self.bindings[run]}: {found}")

    def differ_by_what_is_behind(self, ours: list[Array], expected: list[Array], run: int, slack: list[Any]) -> bool:
        """Whether only integers and booleans differ, and the floats that they were made of, by a cast or a comparison,
        agree: GELU of -6 is a small number, where its steps give 0."""
        differ = [
            n
            for n, a, e in zip(self.names, ours, expected, strict=True)
            if bits(a) != bits(e) and not is_float(e.dtype)
        ]
        floats = [i for i, e in enumerate(expected) if is_float(e.dtype)]
        if not differ or differences(
            [ours[i] for i in floats], [expected[i] for i in floats], [slack[i] for i in floats]
        ):
            return False
        inner = with_all_outputs(self.model)
        try:
            values = dict(
                zip([o.name for o in inner.graph.output], self.run(self.load("none", inner), run), strict=True)
            )
            behind = floats_behind(self.model, differ, values)
            wider = onnx.ModelProto()
            wider.CopyFrom(self.model)
            wider.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in behind)
            all_passes = self.run(self.load("all", wider, threads=1), run)
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
        part = copy_of(self.model)
        del part.graph.output[:]
        part.graph.output.extend(self.model.graph.output[i] for i in differ)
        part = swept(part)
        fed = {v.name: self.data[run][v.name] for v in part.graph.input}
        theirs = whole_by_onnxruntime(part, fed)
        return theirs is not None and not differences([ours[i] for i in differ], theirs, [slack[i] for i in differ])

    def nearer_to_single_precision(self, ours: list[Array], expected: list[Array], run: int, slack: list[Any]) -> bool:
        """Whether results of 16-bit floats are at least as near to those of the same model in float32 as the ones that
        each step rounds: a chain that rounds once may subtract what the steps have made equal (decision 014)."""
        wide = in_single_precision(self.model)
        if wide is None:
            return False
        fed = {
            name: a.astype(np.float32) if is_float(a.dtype) and a.dtype.itemsize == 2 else a
            for name, a in self.data[run].items()
        }
        try:
            exact = self.run(self.load("exact", wide, threads=1), run, fed)
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

    def other_session(self) -> Any:
        options: dict[str, Any] = {"threads": 2}
        if self.chosen.random() < 0.4:
            bounds = {}
            for value in self.model.graph.input:
                seen = np.array([self.data[run][value.name].shape for run in range(len(self.bindings))]).reshape(
                    len(self.bindings), -1
                )
                bounds[value.name] = tuple(
                    (int(low), int(high)) for low, high in zip(seen.min(0), seen.max(0), strict=True)
                )
            options["bounds"] = bounds
        if self.chosen.random() < 0.4:
            edges = [v.name for v in self.model.graph.input] + self.names
            options["layouts"] = {name: "fastest" for name in edges if self.chosen.random() < 0.6}
        try:
            return session(self.model, **options)
        except anydim.OutOfBoundsError:
            options.pop("bounds", None)  # some size has no bound in the bounds of the inputs
            return session(self.model, **options)

    def twins(self, exact: Any) -> None:
        """Models that differ in what is known when they are loaded."""
        expected = self.run(exact, 0)
        if self.chosen.random() < 0.5:
            same_bits("dims as numbers", self.run(session(with_numbers(self.case, self.bindings[0]), passes="exact", threads=1), 0), expected,
                      self.names, self.bindings[0])  # fmt: skip
        every = [v.name for v in self.model.graph.input]
        names = set(every) if self.chosen.random() < 0.5 else {n for n in every if self.chosen.random() < 0.5}
        if not names:
            return
        try:
            twin = session(with_constants(self.model, self.data[0], names), passes="exact", threads=1)
        except anydim.UnimplementedError:
            return
        given = {n: a for n, a in self.data[0].items() if n not in names}
        same_bits("constants and inputs", self.run(twin, 0, given), expected, self.names, self.bindings[0])

    def judge_nodes(self, values: list[Array], none: Any, run: int) -> None:
        named = dict(self.data[run])
        for tensor in self.case.graph.initializer:
            named[tensor.name] = onnx.numpy_helper.to_array(tensor)
        produced = [name for node in self.case.graph.node for name in node.output if name]
        named.update(zip(produced, values, strict=True))
        same_bits(
            "inner values as outputs",
            [named[n] for n in self.names],
            self.run(none, run),
            self.names,
            self.bindings[run],
        )
        opset = next(o.version for o in self.case.opset_import if o.domain in ("", "ai.onnx"))
        for node in self.case.graph.node:
            if node.op_type == "Constant":
                continue
            operands = [named[name] if name else None for name in node.input]
            ours = [named[name] for name in node.output if name]
            self.outcome.nodes_judged += 1
            if found := judge_node(node, opset, operands, ours):
                dims = ", ".join(f"{a.dtype}{list(a.shape)}" if a is not None else "-" for a in operands)
                raise Wrong(
                    f"node: {node.op_type}", f"{node.op_type}({dims}) opset {opset} at {self.bindings[run]}: {found}"
                )

    def judge_whole(self, ours: list[Array], run: int) -> None:
        theirs = whole_by_onnxruntime(self.model, self.data[run])
        if theirs is None:
            return
        slack: list[Any] = []
        for e in theirs:
            finite = np.abs(e.astype(np.float64))
            finite = finite[np.isfinite(finite)]
            slack.append(1e3 * epsilon(e.dtype) * float(finite.max(initial=1.0)) if is_float(e.dtype) else 0)
        if found := differences(ours, theirs, slack):
            self.outcome.notes.append(f"differs from ONNX Runtime as a whole: {found}"[:200])


def judge(model: onnx.ModelProto, seed: int = 0) -> Outcome:
    count = Counter(node.op_type for node in model.graph.node)
    outcome = Outcome(seed, metadata(model).get("kind", ""), RIGHT, operators=dict(count))
    try:
        Judge(model, outcome).judge()
    except anydim.UnimplementedError as failure:
        outcome.verdict, outcome.message = UNIMPLEMENTED, str(failure)[:300]
    except Refused as failure:
        outcome.verdict, outcome.message = REFUSED, str(failure)[:300]
    except anydim.Error as failure:
        # It ran in another way, and not in this one.
        outcome.verdict, outcome.what = WRONG, f"only in one way: {type(failure).__name__}"
        outcome.message = f"{type(failure).__name__}: {failure}"[:600]
    except Wrong as failure:
        outcome.verdict, outcome.what, outcome.message = WRONG, failure.what, str(failure)[:600]
    return outcome


__all__ = ["REFUSED", "RIGHT", "UNIMPLEMENTED", "WRONG", "Outcome", "judge"]
