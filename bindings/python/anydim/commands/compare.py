# SPDX-License-Identifier: Apache-2.0
"""`anydim compare`: a model's outputs beside ONNX Runtime's or saved ones; where they part, the first node that does.

All tensors inside the model are then made outputs on both sides, and the first node is looked for whose inputs agree and whose output
does not. That keeps nodes from being fused; if nothing parts then, the tensors are made outputs one at a time, by halving, so that the
rest is fused as it was. The node that was found is also run alone, on the reference's inputs. ONNX Runtime runs without its rewritings of
the graph.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import Error
from ..session import InferenceSession
from . import Failure, shapes
from .model_file import ModelFile, Node
from .report import table

# Their outputs are no tensors.
_NO_TENSORS = ("Sequence", "Optional", "SplitToSequence")


@dataclass
class Difference:
    """How two tensors differ; `relative` is of the largest magnitude in the reference, infinite where they cannot be compared."""

    relative: float
    absolute: float
    words: str = ""  # the first element that differs by more than is allowed, or why they cannot be compared


def difference(ours: Any, theirs: Any, allowed: float) -> Difference:
    """Between a result and the reference's. Not-a-number agrees with itself, and an infinity with the same one."""
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape:
        return Difference(np.inf, np.inf, f"dims {list(a.shape)} here, {list(b.shape)} there")
    if a.dtype.kind in "OUS" or b.dtype.kind in "OUS":
        different = np.argwhere(a.astype(str) != b.astype(str))
    else:
        x, y = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            gap = np.abs(x - y)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        gap = np.where(same, 0.0, np.where(np.isfinite(gap), gap, np.inf))
        finite = np.abs(y[np.isfinite(y)])
        largest = float(finite.max()) if finite.size else 0.0
        worst = float(gap.max()) if gap.size else 0.0
        relative = worst if worst in (0.0, np.inf) else worst / largest if largest > 0 else np.inf
        different = np.argwhere(gap > allowed * largest)
        if relative <= allowed or len(different) == 0:
            return Difference(relative, worst)
        at = tuple(int(i) for i in different[0])
        words = f"first at {list(at)}: {a[at]} here, {b[at]} there; {len(different)} of {a.size} elements"
        return Difference(relative, worst, words)
    if len(different) == 0:
        return Difference(0.0, 0.0)
    at = tuple(int(i) for i in different[0])
    return Difference(
        np.inf, np.inf, f"first at {list(at)}: {a[at]!r} here, {b[at]!r} there; {len(different)} of {a.size} elements"
    )


class Reference:
    """What results are compared with: ONNX Runtime on a model, or a folder of saved tensors."""

    def __init__(self, model: str, saved: str, threads: int) -> None:
        self.model, self.saved, self.threads = model, Path(saved) if saved else None, threads
        if self.saved is not None:
            self.title = f"the tensors in {saved}"
            return
        try:
            import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError as error:
            raise Failure(
                f"compare needs the package onnxruntime ({error}), or --saved FOLDER with expected outputs"
            ) from None
        self.onnxruntime = onnxruntime
        self.title = f"ONNX Runtime {onnxruntime.__version__}" + (f" on {model}" if model else "")

    def run(self, data: bytes | str, feeds: Mapping[str, Array], names: list[str]) -> dict[str, Any]:
        """These tensors, or as many of them as were saved."""
        if self.saved is not None:
            paths = {name: self.saved / (name.replace("/", "_") + ".npy") for name in names}
            return {name: np.load(path) for name, path in paths.items() if path.is_file()}
        options = self.onnxruntime.SessionOptions()
        options.graph_optimization_level = self.onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads, options.log_severity_level = self.threads, 4
        try:
            session = self.onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            known = {o.name for o in session.get_outputs()}
            wanted = [name for name in names if name in known]
            return dict(zip(wanted, session.run(wanted, dict(feeds)), strict=True))
        except Exception as error:  # of classes of its own
            raise Failure(f"ONNX Runtime: {error}") from None


@contextmanager
def _as_file(data: bytes, model: str) -> Iterator[str]:
    """A changed model beside the original one, where its external data is."""
    handle, path = tempfile.mkstemp(suffix=".onnx", prefix=".compare-", dir=Path(model).resolve().parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        yield path
    finally:
        os.unlink(path)


class Comparison:
    """One model on one input."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.allowed: float = options["relative"]
        self.file = ModelFile(self._read(options["model"]))
        self.reference_file = ModelFile(self._read(options["reference"])) if options["reference"] else self.file
        self.session = self._open(options["model"])
        self.seed: int = options["seed"] if options["seed"] >= 0 else secrets.randbelow(10**9)
        self.feeds = self._feeds()
        self.reference = Reference(options["reference"], options["saved"], options["threads"])

    @staticmethod
    def _read(path: str) -> bytes:
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise Failure(f"{path}: {error.strerror or error}") from None

    def _open(self, model: str | bytes) -> InferenceSession:
        options = self.options
        session = InferenceSession(model, threads=options["threads"] or None, contexts=1, math=options["math"] or None)
        if session._border is not None and session._border.output_names is not None:
            raise Failure(
                "the model has inputs or outputs that are sequences, optionals or strings; tensors are compared"
            )
        return session

    def _feeds(self) -> dict[str, Array]:
        feeds: dict[str, Array] = {}
        infos = {info["name"]: info for info in self.session._inputs}
        dtypes = {name: info["dtype"] for name, info in infos.items()}
        for text in self.options["inputs"]:
            name, found, path = text.partition("=")
            if not found:
                raise Failure(f"--input {text}: expected NAME=FILE.npy, such as x=image.npy")
            try:
                feeds[name] = np.load(path)
            except (OSError, ValueError) as error:
                raise Failure(f"--input {text}: {error}") from None
        drawn: shapes.Shape = {}
        for text in self.options["random"]:
            drawn.update(shapes.parse(text, 1, "--random").draw(Random(self.seed)))
        if not feeds and not drawn:
            rule, _ = shapes.drawn_rule(self.session, 1, self.seed)
            drawn = rule.draw(Random(self.seed))
        unknown = [name for name in (*feeds, *drawn) if name not in infos]
        if unknown:
            raise Failure(f"the model has no input '{unknown[0]}'; its inputs are {', '.join(infos)}")
        feeds.update(shapes.values_of(drawn, dtypes, self.seed))
        missing = [name for name in infos if name not in feeds]
        if missing:
            raise Failure(
                f"input '{missing[0]}' is missing; give --random {missing[0]}:DIMS or --input {missing[0]}=FILE.npy"
            )
        return feeds

    def _exposed(self, names: list[str]) -> tuple[InferenceSession, dict[str, Any], dict[str, Any]]:
        """Ours and the reference's tensors of these names, computed as outputs."""
        with _as_file(self.file.with_outputs(names), self.options["model"]) as path:
            session = self._open(path)
        ours = dict(zip(session._output_names, session.run(None, self.feeds), strict=True))
        if self.reference.saved is not None:
            return session, ours, self.reference.run("", self.feeds, names)
        other = self.options["reference"] or self.options["model"]
        have = {name for node in self.reference_file.nodes for name in node.outputs}
        with _as_file(self.reference_file.with_outputs([n for n in names if n in have]), other) as path:
            return session, ours, self.reference.run(path, self.feeds, names)

    def outputs(self) -> dict[str, Difference]:
        """The model's outputs as it runs by itself."""
        names = self.session._output_names
        ours = dict(zip(names, self.session.run(None, self.feeds), strict=True))
        theirs = self.reference.run(self.options["reference"] or self.options["model"], self.feeds, names)
        missing = [name for name in names if name not in theirs]
        if missing and (self.reference.saved is None or len(missing) == len(names)):
            raise Failure(f"{self.reference.title} has no output '{missing[0]}'")
        return {name: difference(ours[name], theirs[name], self.allowed) for name in names if name in theirs}

    def nodes(self) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Every node whose outputs both sides have, in order; and the reference's tensors."""
        plain = [node for node in self.file.nodes if not node.op_type.startswith((*_NO_TENSORS, "Constant"))]
        names = list(dict.fromkeys(name for node in plain for name in node.outputs if name))
        session, ours, theirs = self._exposed(names)
        kernels = _kernels(session)
        found: dict[str, float] = {}
        rows = []
        for node in plain:
            results = {
                name: difference(ours[name], theirs[name], self.allowed)
                for name in node.outputs
                if name in ours and name in theirs
            }
            if not results:
                continue
            found.update({name: result.relative for name, result in results.items()})
            worst = max(results.values(), key=lambda d: d.relative)
            rows.append({
                "name": node.name,
                "operator": node.op_type,
                "output": next(iter(results)),
                "kernel": next((kernels[name] for name in (node.name, *node.outputs) if name in kernels), ""),
                "inputs": max((found.get(name, 0.0) for name in node.inputs), default=0.0),
                "relative": worst.relative,
                "absolute": worst.absolute,
                "words": worst.words,
            })  # fmt: skip
        return rows, theirs

    def alone(self, name: str, theirs: Mapping[str, Any]) -> Difference | None:
        """The node by itself on the reference's inputs; None where that cannot be done."""
        node = next(n for n in self.file.nodes if n.name == name)
        values = {**self.feeds, **theirs}
        dynamic = [n for n in node.inputs if n and n not in self.file.constants]
        if self.reference.saved is not None or any(n not in values for n in dynamic):
            return None
        data = self.file.alone(node, values)
        twin = next((n for n in self.reference_file.nodes if n.outputs == node.outputs), None)
        other = None if twin is None else self.reference_file.alone(twin, values)
        if data is None or other is None:
            return None
        feeds = {n: values[n] for n in dict.fromkeys(dynamic)}
        try:
            session = self._open(data)
            ours = dict(zip(session._output_names, session.run(None, feeds), strict=True))
            reference = self.reference.run(other, feeds, list(ours))
        except (Error, Failure):
            return None
        results = [difference(ours[n], reference[n], self.allowed) for n in ours if n in reference]
        return max(results, key=lambda d: d.relative, default=None)

    def by_halves(self, output: str) -> dict[str, Any] | None:
        """The first tensor that parts when it alone is made an output, on the way to `output`."""
        makers = {name: i for i, node in enumerate(self.file.nodes) for name in node.outputs if name}
        needed, todo = set(), [output]
        while todo:
            place = makers.get(todo.pop())
            if place is not None and place not in needed:
                needed.add(place)
                todo.extend(self.file.nodes[place].inputs)
        way = [self.file.nodes[i] for i in sorted(needed)]

        def at(node: Node) -> tuple[Difference, str] | None:
            name = next(n for n in node.outputs if n)
            try:
                session, ours, theirs = self._exposed([name])
            except (Error, Failure):
                return None
            if name not in ours or name not in theirs:
                return None
            kernels = _kernels(session)
            kernel = kernels.get(name) or kernels.get(node.name, "")
            return difference(ours[name], theirs[name], self.allowed), kernel

        low, high = 0, len(way) - 1
        best: tuple[Node, Difference, str] | None = None
        while low <= high:
            middle = (low + high) // 2
            result = at(way[middle])
            if result is not None and result[0].relative > self.allowed:
                best, high = (way[middle], *result), middle - 1
            else:
                low = middle + 1
        if best is None:
            return None
        node, found, kernel = best
        return {
            "name": node.name, "operator": node.op_type, "output": next(n for n in node.outputs if n), "kernel": kernel, "inputs": 0.0,
            "relative": found.relative, "absolute": found.absolute, "words": found.words,
        }  # fmt: skip


def _kernels(session: InferenceSession) -> dict[str, str]:
    """The kernel of each node by the node's name, and of each tensor, with what is fused into it, of the last run."""
    kernels: dict[str, str] = {}
    copies: dict[str, str] = {}
    for node in session.explain()["nodes"]:
        text = node["kernel"] + (f" + {node['post_ops']}" if node["post_ops"] else "")
        made = [output["name"] for output in node["outputs"]]
        for output in node["outputs"]:
            place = output.get("place", "")
            if place.startswith("output "):
                made.append(session._output_names[int(place.split()[1])])
        # A copy into the order in which an output is returned has the names of what it copies.
        into = copies if node["kernel"].startswith("copy.") else kernels
        for name in (node["name"], *made):
            into.setdefault(name, text)
    return {**copies, **kernels}


def _finite(value: Any) -> Any:
    """JSON has no infinities: tensors that cannot be compared have null."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(_finite, value))
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _rows(rows: list[dict[str, Any]], allowed: float) -> str:
    head = ["node", "operator", "kernel", "inputs differ", "output differs", ""]
    body = [
        [
            r["name"],
            r["operator"],
            r["kernel"] or "-",
            f"{r['inputs']:.1e}",
            f"{r['relative']:.1e}",
            "parts" if r["relative"] > allowed else "",
        ]
        for r in rows
    ]
    return table([head, *body])


def main(options: dict[str, Any]) -> int:
    """The command, from its options; 1 where outputs part."""
    comparison = Comparison(options)
    allowed = comparison.allowed
    outputs = comparison.outputs()
    parted = [name for name, result in outputs.items() if result.relative > allowed]
    shape = {name: list(array.shape) for name, array in comparison.feeds.items()}
    whole: dict[str, Any] = {
        "model": options["model"], "reference": comparison.reference.title, "shape": shapes.text_of(shape), "seed": comparison.seed,
        "relative": allowed, "agree": not parted,
        "outputs": [{"name": n, "relative": d.relative, "absolute": d.absolute, "words": d.words} for n, d in outputs.items()],
    }  # fmt: skip
    first, method = None, ""
    rows: list[dict[str, Any]] = []
    if parted or options["nodes"]:
        rows, theirs = comparison.nodes()
        first = next((r for r in rows if r["relative"] > allowed and r["inputs"] <= allowed), None)
        method = "all tensors as outputs"
        if parted and first is None:
            first = comparison.by_halves(parted[0])
            method = "this tensor alone as a further output, so that nodes before it are fused as usual"
        if first is not None:
            whole["first"] = dict(first)
            apart = comparison.alone(first["name"], theirs)
            if apart is not None:
                whole["first"]["alone"] = apart.relative
        whole["nodes"] = rows
    if options["json"]:
        print(json.dumps(_finite(whole), indent=2))
        return 1 if parted else 0
    print(f"{options['model']} at {whole['shape']}, seed {comparison.seed}, beside {comparison.reference.title}\n")
    listed = [["output", "largest difference", "of the largest magnitude", ""]]
    listed += [
        [n, f"{d.absolute:.2e}", f"{d.relative:.2e}", "parts" if n in parted else "agrees"] for n, d in outputs.items()
    ]
    print(table(listed))
    for name in parted:
        print(f"  {name}: {outputs[name].words}")
    if rows and options["nodes"]:
        print(f"\n{_rows(rows, allowed)}")
    elif first is not None and first in rows:
        place = rows.index(first)
        print(f"\nnodes around the first that parts\n{_rows(rows[max(0, place - 3) : place + 4], allowed)}")
    if first is not None:
        print(
            f"\nfirst node that parts: {first['name']} ({first['operator']}), tensor {first['output']}, "
            f"kernel {first['kernel'] or 'unknown'}\n"
            f"  differs by {first['relative']:.2e} of the largest magnitude; its inputs by {first['inputs']:.2e} ({method})\n"
            f"  {first['words']}"
        )
        if "alone" in whole["first"]:
            apart_by = whole["first"]["alone"]
            print(
                f"  alone, on the reference's inputs, it {'differs by' if apart_by > allowed else 'agrees: it differs by'} {apart_by:.2e}"
                + (
                    ""
                    if apart_by > allowed
                    else ", so a rewriting of the graph or a growing error is the cause (try --relative, or passes)"
                )
            )
    elif parted:
        print("\nno node was found that parts by itself: differences grow over many nodes (--nodes shows them)")
    print(f"\n{'all outputs agree' if not parted else 'the outputs part'} (--relative {allowed:g})")
    return 1 if parted else 0
