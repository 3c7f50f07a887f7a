# SPDX-License-Identifier: Apache-2.0
"""Cases that are held against other engines as a whole and not node by node: branches and loops, quantised networks, strings, attention
with a cache, recurrent layers. What runs them in every way that must not matter is judge.py."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import onnx
from bodies import draw_model, without_condition
from cases import Array, is_float, set_metadata
from grouped_graphs import grow_grouped
from known import epsilon
from peers import whole_by_onnxruntime
from quantized_graphs import Network
from recurrent_graphs import grow_recurrent
from recurrent_reference import undecided, whole_by_numpy
from string_graphs import grow_strings

WHOLES = ("bodies", "quantized", "strings", "grouped", "recurrent")


# -- the cases ---------------------------------------------------------------------------------------------------------


def grow_bodies(seed: int) -> onnx.ModelProto:
    model, _ = draw_model(seed)
    for value in model.graph.input:
        value.doc_string = "number count" if value.name == "count" else "integers -3 3"
    r = random.Random(f"runs {seed}")
    runs = [{"n": 3, "m": 2, "count": 2}]
    runs += [{name: r.randrange(6) for name in ("n", "m", "count")} for _ in range(3)]
    set_metadata(model, bindings=runs, seed=str(seed), kind="bodies")
    return model


def grow_quantized(seed: int) -> onnx.ModelProto:
    data, x = Network(seed).model()
    model = onnx.load_from_string(data)
    dims = model.graph.input[0].type.tensor_type.shape.dim
    r = random.Random(f"runs {seed}")
    runs = []
    for run in range(3):
        sizes = x.shape if run == 0 else (r.randrange(1, 4), x.shape[1], r.randrange(5, 14), r.randrange(5, 14))
        runs.append({d.dim_param: size for d, size in zip(dims, sizes, strict=True) if d.dim_param})
    set_metadata(model, bindings=runs if runs[0] else runs[:1], seed=str(seed), kind="quantized")
    return model


def grow_whole(seed: int, kind: str) -> onnx.ModelProto:
    growers = {
        "bodies": grow_bodies,
        "quantized": grow_quantized,
        "strings": grow_strings,
        "grouped": grow_grouped,
        "recurrent": grow_recurrent,
    }
    return growers[kind](seed)


# -- other engines -----------------------------------------------------------------------------------------------------


def whole_by_reference(model: onnx.ModelProto, feeds: dict[str, Array]) -> list[Array] | None:
    from onnx.reference import ReferenceEvaluator

    if without_condition(model.graph):
        return None  # it never runs such a loop: its condition is None, which is false
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results: Any = ReferenceEvaluator(model).run(None, feeds)
    except Exception:  # whatever it raises, it does not run the model
        return None
    return [np.asarray(r) for r in results]


def peers_of(kind: str) -> dict[str, Any]:
    """onnx.reference has strings of numpy, which cut zeros and write numbers in other forms, and convolutions that take minutes."""
    peers: dict[str, Any] = {"onnxruntime": whole_by_onnxruntime}
    if kind == "recurrent":
        peers = {"numpy": whole_by_numpy, **peers}  # first: it says which states are undecided
    return {**peers, "onnx.reference": whole_by_reference} if kind == "bodies" else peers


# -- what agrees -------------------------------------------------------------------------------------------------------


def equal(ours: Array, theirs: Array) -> str:
    """Whole numbers, small enough to be exact, and strings."""
    if ours.shape != theirs.shape and (ours.size or theirs.size):
        return f"dims {list(ours.shape)} and {list(theirs.shape)}"
    if not ours.size or np.array_equal(ours, theirs, equal_nan=is_float(ours.dtype)):
        return ""
    at = tuple(int(k) for k in np.argwhere(ours != theirs)[0])
    return f"{list(at)} is {ours[at]!r}, expected {theirs[at]!r}"


def within_steps(ours: Array, theirs: Array) -> str:
    """Of a quantised network: a number between two steps goes to either, and the layers behind follow."""
    if ours.shape != theirs.shape:
        return f"dims {list(ours.shape)} and {list(theirs.shape)}"
    steps = np.unique(np.abs(np.diff(np.unique(theirs))))
    step = float(steps[0]) if steps.size else 1.0
    away = np.abs(ours - theirs) / step
    # A few places of a small tensor may be all that one number moves.
    few = max(2.0, 0.03 * away.size)
    if not np.isfinite(ours).all() or (away > 1.5).sum() > few or (away > 0.5).sum() > max(4.0, 0.2 * away.size):
        return f"{(away > 0.5).sum()} of {away.size} are a step of {step:g} away, {(away > 1.5).sum()} two"
    return ""


def within_roundings(ours: Array, theirs: Array) -> str:
    """Of sums of weights and values in another order: seen are 8 units of f32 in 1,400 results, and half a unit of f16, rounded once."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)} and {theirs.dtype}{list(theirs.shape)}"
    away = np.abs(ours.astype(np.float64) - theirs)
    units = 4 if theirs.dtype == np.float16 else 32
    most = units * epsilon(theirs.dtype) * max(1.0, float(np.abs(theirs).max(initial=0.0)))
    wrong = int((~(away <= most)).sum())
    return f"{wrong} of {away.size} are up to {away.max():g} away, {most:g} allowed" if wrong else ""


def within_states(ours: Array, theirs: Array) -> str:
    """Of recurrent layers: roundings grow from step to step and from layer to layer. A state between two bytes goes to either, and so
    does every engine's result; then no more than a few steps of 8 bits are asked."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)} and {theirs.dtype}{list(theirs.shape)}"
    away = np.abs(ours.astype(np.float64) - theirs)
    units = 24 if theirs.dtype == np.float16 else 512
    allowed = 4 / 256 if undecided else units * epsilon(theirs.dtype)
    most = allowed * max(1.0, float(np.abs(theirs).max(initial=0.0)))
    wrong = int((~(away <= most)).sum())
    return f"{wrong} of {away.size} are up to {away.max():g} away, {most:g} allowed" if wrong else ""


RULES = {"quantized": within_steps, "grouped": within_roundings, "recurrent": within_states}


def disagreement(kind: str, ours: list[Array], theirs: list[Array]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs, expected {len(theirs)}"
    rule = RULES.get(kind, equal)
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if found := rule(a, b):
            return f"output {i}: {found}"
    return ""
