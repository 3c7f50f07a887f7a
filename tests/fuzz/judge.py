# SPDX-License-Identifier: Apache-2.0
"""Judges a case: runs it on Anydim in every way that must not matter, and holds each node against other engines.

  without passes = exact passes        bit for bit, at every shape, and again at the first one
  1 thread = 2 threads                 bit for bit; with bounds, other strides and other orders of the edges, too; in drawn math
                                       modes, of the model and of single layers, as well
  orders drawn for each edge           bit for bit, whoever owns the outputs (drawn_layouts.py)
  constants = inputs                   bit for bit: folding computes what a run would
  old opset = newer opset              bit for bit, for graphs that have both forms (old_opsets.py)
  all passes ~ exact passes            within what the model's own conditioning allows
  each node ~ ONNX Runtime or onnx.reference, on the operands that we computed; some kinds as a whole (wholes.py)
  an error of Anydim                    is `unimplemented`, or the others refuse the model as well; it has one status and comes at
                                       one moment for every set of passes

The verdicts: right, unimplemented, refused (by us and by the others), wrong."""

from __future__ import annotations

import base64
import random
from collections import Counter
from typing import Any

import anydim
import drawn_layouts
import numpy as np
import onnx
from cases import Array, bindings_of, feeds, is_float, metadata, without_names
from closeness import Closeness
from peers import differences, epsilon, judge_node, whole_by_onnxruntime
from variants import declares_twice, strided, with_all_outputs, with_constants, with_numbers
from verdicts import REFUSED, RIGHT, UNIMPLEMENTED, WRONG, Outcome, Refused, Wrong, same_bits
from wholes import WHOLES, disagreement, peers_of


def session(model: onnx.ModelProto, **options: Any) -> Any:
    return anydim.InferenceSession(model.SerializeToString(), contexts=1, **options)


class Judge:
    def __init__(self, model: onnx.ModelProto, outcome: Outcome) -> None:
        self.case = model
        self.outcome = outcome
        self.bindings = bindings_of(model)
        self.chosen = random.Random(outcome.seed)
        self.model = without_names(model) if metadata(model).get("unnamed") else model
        self.names = [o.name for o in model.graph.output]
        kind = metadata(model).get("kind", "")
        self.whole = kind if kind in WHOLES else ""  # such are held against others as a whole
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
        """Returns if others refuse the model, too. Else, or if it is a failure of Anydim, it is wrong."""
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
            inner: Any = self.load("none", with_all_outputs(self.model), threads=1) if not self.whole else None
        except anydim.UnimplementedError as failure:
            none = inner = None
            self.outcome.notes.append(f"not without passes: {failure}"[:150])
        other = self.other_session()
        first: list[Array] | None = None
        ran: list[int] = []
        for run, binding in enumerate(self.bindings):
            expected = self.one_run(run, plain, exact, none)
            if expected is None:
                continue
            ran.append(run)
            if run == 0:
                first = self.run(plain, 0)
            changed = {n: strided(a, self.chosen) for n, a in self.data[run].items()}
            same_bits("other ways", self.run(plain, run), self.run(other, run, changed), self.names, binding)
            if self.whole:
                self.judge_alike(expected, run)
            elif inner is not None:
                self.judge_nodes(self.run(inner, run), none, run)
            else:
                self.judge_whole(expected, run)
        if "old" in metadata(self.case):
            self.old_form(exact)
        if first is not None:
            same_bits("the first shape again", self.run(plain, 0), first, self.names, self.bindings[0])
            self.twins(exact)
            self.modes()
            drawn_layouts.check(self, plain)
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
        if self.whole == "quantized":
            found = disagreement(
                self.whole, every[0], every[1]
            )  # products of integers in the place of those of real numbers
        else:
            found = Closeness(self).difference(every[0], every[1], exact, run)
        if found:
            raise Wrong("all and exact passes", f"all and exact passes at {binding}: {found}")
        return every[1]

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

    def modes(self) -> None:
        """With drawn math modes: threads, strides and what was run before change no bit."""
        drawn = random.Random(f"modes of {self.outcome.seed}")
        if drawn.random() < 0.5:
            return
        words = ("strict", "fast", "reduced")
        math = drawn.choice(("fast", "reduced", *words))
        layers = {
            node.name or next(filter(None, node.output), ""): drawn.choice(words)
            for node in self.model.graph.node
            if drawn.random() < 0.3
        }
        layers.pop("", None)
        while True:
            try:
                one = session(self.model, math=math, layers=layers, threads=1)
                break
            except anydim.NotFoundError as failure:  # a node that computes nothing
                gone = next((name for name in layers if f"'{name}'" in str(failure)), None)
                if gone is None:
                    raise Wrong("modes", f"modes {math} {layers}: {failure}") from failure
                del layers[gone]
        two = session(self.model, math=math, layers=layers, threads=2)
        for run, binding in enumerate(self.bindings):
            try:
                expected = self.run(one, run)
            except anydim.Error:
                continue  # judged above
            changed = {n: strided(a, drawn) for n, a in self.data[run].items()}
            same_bits(f"modes {math} {layers}", self.run(two, run, changed), expected, self.names, binding)

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

    def judge_alike(self, ours: list[Array], run: int) -> None:
        """The whole model against those who run it; one that agrees is enough."""
        said = {}
        for name, peer in peers_of(self.whole).items():
            theirs = peer(self.model, self.data[run])
            if theirs is not None:
                self.outcome.nodes_judged += len(self.case.graph.node)
                said[name] = disagreement(self.whole, ours, theirs)
        if said and all(said.values()):
            raise Wrong("whole", f"at {self.bindings[run]}: {said}")
        if not said:
            self.outcome.notes.append("no other engine runs it")

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
