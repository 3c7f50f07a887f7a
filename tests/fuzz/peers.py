# SPDX-License-Identifier: Apache-2.0
"""What other engines say about a single node on given operands: ONNX Runtime, the same in a wider type, and onnx.reference.

A node is judged on the operands that we computed ourselves, so that its tolerance is that of one operator, whatever
came before. We are wrong where we differ from every engine that runs the node."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from cases import NUMPY, Array, T, initializer, is_float
from known import (
    KNOWN,
    Operands,
    all_finite,
    attribute,
    epsilon,
    finfo,
    ints,
    squares_overflow,
    text,
)  # fmt: skip
from onnx import helper

ort.set_default_logger_severity(4)
NEWEST_OF_ORT = 26
CODE = {dtype: code for code, dtype in NUMPY.items()}


# Sums of integers that numpy gives in 64 bits; both wrap, so that the low bits are the sum.
WIDENED = frozenset({"ReduceSumSquare"})
# Their error is bounded by the operand's magnitude, not the result's (section 4).
TAILS = frozenset({"Gelu", "Mish", "Swish"})
# Computed in float32, or with constants of float32, whatever the operands' type.
FLOAT32_INSIDE = frozenset({"Attention", "Gelu", "GroupNormalization", "HardSwish", "LRN"})
# Intermediate sums of squares overflow at other places in other engines.
OVERFLOWING = frozenset({
    "BatchNormalization", "GroupNormalization", "InstanceNormalization", "LRN", "LayerNormalization", "LpNormalization", "LpPool",
    "MeanVarianceNormalization", "RMSNormalization", "ReduceL2", "GlobalLpPool", "Softplus",
})  # fmt: skip


# Integers made by cutting a logarithm: that of exp(8) is 8, or less by a rounding.
CUT = frozenset({"ReduceLogSum", "ReduceLogSumExp"})

# Ours know where NaN stands in the order of numbers (sections 2, 4, 5); others differ, also from each other.
ORDERED = frozenset({"GlobalMaxPool", "MaxPool", "Resize", "ScatterElements", "ScatterND", "Upsample"})


def of_equal_elements(node: onnx.NodeProto, x: Array) -> Array:
    """Where a MeanVarianceNormalization divides rounding errors by rounding errors."""
    axes = tuple(ints(node, "axes") or (0, 2, 3))
    wide = x.astype(np.float64)
    if not wide.size:
        return np.zeros(x.shape, np.bool_)
    spread = wide.max(axes, keepdims=True) - wide.min(axes, keepdims=True)
    largest = np.abs(wide).max(axes, keepdims=True)
    return np.broadcast_to(spread <= 64 * epsilon(x.dtype) * largest, x.shape)


def of_sums_next_to_nothing(node: onnx.NodeProto, operands: Operands, result: Array) -> Array:
    """Where a ReduceLogSum takes the logarithm of rounding errors."""
    x = operands[0]
    assert x is not None
    axes = operands[1] if len(operands) > 1 else np.array(ints(node, "axes"), np.int64)
    over = tuple(int(a) for a in axes) if axes is not None and axes.size else None
    if over is None and attribute(node, "noop_with_empty_axes"):
        return np.zeros(result.shape, np.bool_)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        few = np.abs(wide.sum(over)) <= 64 * epsilon(x.dtype) * np.abs(wide).sum(over)
    return np.asarray(few).reshape(result.shape)


# Functions whose limit at an infinity is finite: ours give the limit (docs/numerics.md, section 4), others NaN.
LIMITS = frozenset({"Gelu", "HardSwish", "Mish", "Softsign", "Swish", "SwiGLU"})


def outside_range(array: Array, dtype: np.dtype[Any]) -> Array:
    """Where numbers have no value of this dtype of integers."""
    wide = np.trunc(array)
    info = np.iinfo(dtype)
    return np.asarray(~((wide >= float(info.min)) & (wide < float(info.max) + (1 if info.bits < 64 else 0))))


def free_places(node: onnx.NodeProto, operands: Operands, result: Array) -> Array | None:
    """Where ONNX leaves the result open, or docs/numerics.md says another than the formula's; None: nowhere."""
    x = operands[0] if operands else None
    if x is None:
        return None
    nothing = np.ones(result.shape, np.bool_)
    if node.op_type in ("Hardmax", "ArgMax", "ArgMin", "TopK") and is_float(x.dtype) and np.isnan(x).any():
        return nothing  # which element is the largest among NaNs
    if node.op_type in OVERFLOWING and any(a is not None and squares_overflow(a) for a in operands):
        return nothing
    if node.op_type in ORDERED and any(a is not None and not all_finite(a) for a in operands):
        return nothing
    if node.op_type == "Attention" and any(a is not None and squares_overflow(a) for a in operands[:3]):
        return nothing  # which of the scores are infinite
    if node.op_type == "MaxPool" and is_float(x.dtype):
        return np.asarray(np.isneginf(result))  # windows of nothing but padding; ORT says the lowest number
    if node.op_type == "MeanVarianceNormalization":
        return of_equal_elements(node, x)
    if node.op_type == "ReduceLogSum" and is_float(x.dtype):
        return of_sums_next_to_nothing(node, operands, result)
    if node.op_type in LIMITS:
        return np.asarray(~np.isfinite(x.astype(np.float64)))
    if node.op_type in ("Cast", "CastLike") and is_float(x.dtype) and result.dtype.kind in "iu":
        return outside_range(x.astype(np.float64), result.dtype)
    if node.op_type == "Pow" and result.dtype.kind in "iu" and operands[1] is not None and is_float(operands[1].dtype):
        # The power is a float, and its conversion is that of Cast.
        with np.errstate(all="ignore"):
            return outside_range(np.power(x.astype(np.float64), operands[1].astype(np.float64)), result.dtype)
    if node.op_type in ("Conv", "ConvTranspose", "AveragePool", "LpPool", "CausalConvWithState"):
        # Padding is skipped, not multiplied by zero (section 1); SiLU has its limit at an infinity.
        if any(a is not None and not all_finite(a) for a in operands):
            return nothing
    if node.op_type == "CausalConvWithState" and any(a is not None and squares_overflow(a) for a in operands):
        return nothing  # which sums are infinite, and so have a limit
    return None


# Sums of products and of elements: rounding errors are measured by the sum of the magnitudes.
LINEAR = frozenset({
    "MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum", "ReduceSum", "ReduceMean", "GlobalAveragePool", "AveragePool", "CumSum",
    "Sum", "Mean", "Resize", "Upsample",
})  # fmt: skip


def session_options() -> Any:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


def opset_for(op: str, opset: int) -> int:
    """The opset to show to ONNX Runtime: the newest that it has where the operator has not changed since."""
    if opset <= NEWEST_OF_ORT:
        return opset
    since = onnx.defs.get_schema(op, opset).since_version
    return NEWEST_OF_ORT if since <= NEWEST_OF_ORT else opset


def single(node: onnx.NodeProto, opset: int, operands: Operands, wider: bool = False) -> bytes | None:
    """A model of this node; operands that are None are absent. wider: 16-bit floats become float32."""

    def code_of(array: Array) -> int:
        code = CODE[array.dtype]
        return T.FLOAT if wider and code in (T.FLOAT16, T.BFLOAT16) else code

    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    inputs, constants = [], []
    known: set[str] = set()
    for i, array in enumerate(operands):
        if array is None:
            continue
        name = f"x{i}"
        copy.input[i] = name
        known.add(name)
        # What says a shape, axes or counts is a constant, as it mostly is.
        if (
            array.dtype == np.int64
            and array.ndim <= 1
            and i > 0
            and node.op_type not in ("Gather", "Mul", "Add", "Sub", "Div", "Max", "Min")
        ):
            constants.append(initializer(name, array))
        else:
            inputs.append(helper.make_tensor_value_info(name, code_of(array), [None] * array.ndim))
    outputs = [helper.make_empty_tensor_value_info(name) for name in copy.output if name]
    graph = helper.make_graph([copy], "node", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8 if opset < 18 else 10)
    data: bytes = model.SerializeToString()
    return data


def fed(operands: Operands, names: Sequence[str], wider: bool) -> dict[str, Array]:
    out = {}
    for i, array in enumerate(operands):
        if array is not None and f"x{i}" in names:
            narrow = array.dtype in (np.float16, ml_dtypes.bfloat16)
            out[f"x{i}"] = np.ascontiguousarray(array.astype(np.float32) if wider and narrow else array).reshape(
                array.shape
            )
    return out


def by_onnxruntime(node: onnx.NodeProto, opset: int, operands: Operands, wider: bool = False) -> list[Array]:
    model = single(node, opset_for(node.op_type, opset), operands, wider)
    session = ort.InferenceSession(model, session_options(), providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    results: list[Array] = session.run(None, fed(operands, names, wider))
    return results


def by_groups(node: onnx.NodeProto, opset: int, operands: Operands, wider: bool) -> list[Array]:
    """A ConvTranspose by onnx.reference, which takes wrong weights and biases for the groups after the first, group by group."""
    one = onnx.NodeProto()
    one.CopyFrom(node)
    groups = attribute(node, "group")
    next(a for a in one.attribute if a.name == "group").i = 1
    x, *others = operands
    assert x is not None
    parts = zip(
        np.split(x, groups, 1),
        *(np.split(a, groups) if a is not None else [None] * groups for a in others),
        strict=True,
    )
    return [np.concatenate([by_reference(one, opset, list(part), wider)[0] for part in parts], 1)]


def interpolates_integers(node: onnx.NodeProto, operands: Operands) -> bool:
    linear = node.op_type in ("Resize", "Upsample") and text(node, "mode") == "linear"
    return linear and operands[0] is not None and operands[0].dtype.kind in "iu"


def real(operands: Operands, dtype: Any = np.float64) -> Operands:
    """The same with its first one's integers as real numbers."""
    x = operands[0]
    assert x is not None
    return [x.astype(dtype), *operands[1:]]


def by_reference(node: onnx.NodeProto, opset: int, operands: Operands, wider: bool = False) -> list[Array]:
    from onnx.reference import ReferenceEvaluator

    if node.op_type == "ConvTranspose" and attribute(node, "group") > 1:
        return by_groups(node, opset, operands, wider)
    if interpolates_integers(node, operands):
        x = operands[0]
        assert x is not None
        # It rounds them to the nearest; they are cut (docs/numerics.md, section 6).
        return [r.astype(x.dtype) for r in by_reference(node, opset, real(operands))]
    model = onnx.load_model_from_string(single(node, opset, operands, wider) or b"")
    session = ReferenceEvaluator(model)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        results = [np.asarray(r) for r in session.run(None, fed(operands, session.input_names, wider))]
    if node.op_type in WIDENED and operands[0] is not None and operands[0].dtype.kind in "iu":
        results = [r.astype(operands[0].dtype) for r in results]
    return results


Peer = Callable[..., list[Array]]
PEERS: dict[str, Peer] = {"onnxruntime": by_onnxruntime, "onnx.reference": by_reference}


def asked(node: onnx.NodeProto, opset: int, operands: Operands) -> dict[str, Peer]:
    """The peers that are not known to be wrong here."""
    known = KNOWN.get(node.op_type, [])
    return {
        name: peer
        for name, peer in PEERS.items()
        if not any(who == name and when(node, opset, operands) for who, when, _ in known)
    }


def narrowed(results: list[Array], like: Sequence[Array]) -> list[Array]:
    """Results of a wider run in the types that ours have."""
    with np.errstate(all="ignore"):
        return [
            r.astype(o.dtype) if is_float(o.dtype) and is_float(r.dtype) else r
            for r, o in zip(results, like, strict=True)
        ]


def magnitudes(node: onnx.NodeProto, opset: int, operands: Operands) -> list[Array] | None:
    """What the node gives for the magnitudes of its operands."""
    absolute = [np.abs(a.astype(np.float32)) if a is not None and is_float(a.dtype) else a for a in operands]
    absolute = [
        np.nan_to_num(a, nan=0, posinf=0, neginf=0) if a is not None and is_float(a.dtype) else a for a in absolute
    ]
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    for factor in copy.attribute:
        if factor.name in ("alpha", "beta"):
            factor.f = abs(factor.f)
        if factor.name == "cubic_coeff_a":
            factor.f = 1.0
    for peer in asked(node, opset, operands).values():
        try:
            return [np.abs(r.astype(np.float64)) for r in peer(copy, opset, absolute)]
        except Exception:
            continue
    return None


def differences(ours: Sequence[Array], theirs: Sequence[Array], slack: Sequence[Any]) -> str:
    """Empty where they agree; floats may differ by `slack` on top of a few roundings, integers by `slack`. Infinite slack
    takes all; a slack that is NaN takes equal numbers."""
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs, expected {len(theirs)}"
    for i, (a, b, more) in enumerate(zip(ours, theirs, slack, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"output {i} is {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        if not is_float(a.dtype):
            wrong = a != b
            if more:  # neighbours agree, also where unsigned ones are compared
                wrong &= np.where(a > b, a - b, b - a) > more
            if wrong.any():
                at = tuple(int(k) for k in np.argwhere(wrong)[0])
                return f"output {i}{list(at)} is {a[at]}, expected {b[at]}; {int(wrong.sum())} of {a.size} differ"
            continue
        x, y = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            close = np.abs(x - y) <= 64 * epsilon(a.dtype) * np.abs(y) + more + float(finfo(a.dtype).smallest_normal)
        good = np.where(
            np.isfinite(x) & np.isfinite(y),
            close | (x == y),
            (x == y) | (np.isnan(x) & np.isnan(y)) | np.isposinf(more),
        )
        if not good.all():
            at = tuple(int(k) for k in np.argwhere(~good)[0])
            return f"output {i}{list(at)} is {x[at]!r}, expected {y[at]!r}; {int((~good).sum())} of {a.size} differ"
    return ""


def around(x: Array, reach: int = 1) -> Array:
    """Each element's largest neighbour, itself included."""
    for axis in range(x.ndim):
        padded = np.pad(x, [(reach, reach) if a == axis else (0, 0) for a in range(x.ndim)])
        x = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis).max(-1)
    return x


def off_by_a_rounding(node: onnx.NodeProto, opset: int, operands: Operands) -> list[Array] | None:
    """What a linear interpolation may be off by as its coordinates are rounded. A coordinate of an axis of `n` is wrong by a few
    roundings of n, which is the weight that moves from one neighbour to the next, or to the one behind it: where neighbours
    cancel, or where one of them has a weight of exactly zero, that is all there is."""
    x = operands[0]
    assert x is not None
    if 0 in x.shape:
        return None
    near = around(np.nan_to_num(np.abs(x.astype(np.float32)), nan=0, posinf=0, neginf=0))
    sums = magnitudes(node, opset, [near, *operands[1:]])
    step = 8 * float(np.finfo(np.float32).eps) * sum(x.shape)
    return sums and [step * s for s in sums]


def allowance(node: onnx.NodeProto, opset: int, operands: Operands, theirs: Sequence[Array]) -> list[Any]:
    sums = magnitudes(node, opset, operands) if node.op_type in LINEAR else None
    linear = node.op_type in ("Resize", "Upsample") and text(node, "mode") == "linear"
    moved = off_by_a_rounding(node, opset, operands) if linear else None
    least = float(np.finfo(np.float32).eps) if node.op_type in FLOAT32_INSIDE else 0.0
    out: list[Any] = []
    for i, result in enumerate(theirs):
        if not is_float(result.dtype):
            out.append(1 if node.op_type in CUT else 0)  # where a whole number is missed by a rounding
        elif node.op_type in ("Resize", "Upsample") and text(node, "mode") == "cubic" and operands[0] is not None:
            # Weights of both signs, and coordinates that are off by a rounding, move the result by parts of its neighbours.
            finite = np.abs(operands[0].astype(np.float64))
            out.append(128 * epsilon(result.dtype) * float(finite[np.isfinite(finite)].max(initial=0.0)))
        elif sums is not None and sums[i].shape == result.shape:
            # Where a sum of magnitudes overflows, the order of the sum decides which infinity or NaN it gives.
            most = (
                float(finfo(result.dtype).max)
                / 4
                / max(1.0, (operands[0].size if operands[0] is not None else 1) / max(1, result.size))
            )
            weights = moved[i] if moved is not None and moved[i].shape == result.shape else 0.0
            out.append(np.where(sums[i] >= most, np.inf, 32 * epsilon(result.dtype) * sums[i] + weights))
        else:
            finite = np.abs(result.astype(np.float64))
            finite = finite[np.isfinite(finite)]
            largest = 4.0 if node.op_type in TAILS else min(float(finite.max(initial=0.0)), 4.0)
            out.append(16 * max(epsilon(result.dtype), 4 * least) * largest)
    return out


def sensitivity(
    peer: Callable[..., list[Array]], node: onnx.NodeProto, opset: int, operands: Operands, base: Sequence[Array]
) -> list[Any]:
    """How far the results move when the operands move by a rounding or two of what the node computes in."""
    inside = float(np.finfo(np.float32).eps) if node.op_type in FLOAT32_INSIDE else 0.0
    random = np.random.default_rng(1)
    moved = [np.zeros(r.shape) for r in base]
    for _ in range(4):
        shaken: Operands = []
        for a in operands:
            if a is None or not is_float(a.dtype):
                shaken.append(a)
                continue
            with np.errstate(all="ignore"):
                shaken.append(
                    (
                        a.astype(np.float64) * (1 + 2 * max(epsilon(a.dtype), inside) * random.uniform(-1, 1, a.shape))
                    ).astype(a.dtype)
                )
        for m, r, b in zip(moved, peer(node, opset, shaken), base, strict=True):
            if is_float(r.dtype):
                with np.errstate(all="ignore"):
                    d = np.abs(r.astype(np.float64) - b.astype(np.float64))
                np.maximum(m, np.where(np.isfinite(d), d, 0), out=m)
    if node.op_type in OVERFLOWING:  # a rounding of the mean moves all
        return [16 * float(m.max(initial=0.0)) for m in moved]
    return [16 * m for m in moved]


def with_masked_rows(operands: Operands, ours: Sequence[Array], theirs: Sequence[Array]) -> list[Array]:
    """Their results with our zeros for rows of NaN: a row that is masked entirely is zero, which not every engine knows."""
    if len(operands) < 4 or operands[3] is None or operands[3].dtype != np.bool_:
        return list(theirs)
    return [
        np.where((np.isnan(t) & (o == 0)).all(-1, keepdims=True), o, t)
        if is_float(t.dtype) and t.shape == o.shape
        else t
        for o, t in zip(ours, theirs, strict=True)
    ]


def with_cut_numbers(
    node: onnx.NodeProto, opset: int, operands: Operands, ours: Sequence[Array], theirs: Sequence[Array]
) -> list[Array]:
    """Their linear interpolation of integers with our numbers where both are what its real number is cut to, give or take a
    rounding: a whole number, or the one before."""
    moved = off_by_a_rounding(node, opset, operands)
    if moved is None or not ours[0].shape == theirs[0].shape == moved[0].shape:
        return list(theirs)
    for dtype in (np.float64, np.float32):  # ONNX Runtime has none in binary64
        for peer in asked(node, opset, operands).values():
            try:
                exact = peer(node, opset, real(operands, dtype))[0].astype(np.float64)
            except Exception:
                continue
            low, high = np.trunc(exact - moved[0]), np.trunc(exact + moved[0])
            good = [(low <= r[0]) & (r[0] <= high) for r in (ours, theirs)]
            return [np.where(good[0] & good[1], ours[0], theirs[0])]
    return list(theirs)


def with_leading_ones(ours: Sequence[Array], theirs: Sequence[Array]) -> list[Array]:
    """Their results of a Squeeze without axes in our form: an output of two ranks has ones before the dims of the smaller one."""
    return [
        t.reshape(o.shape) if o.shape == (1,) * (o.ndim - t.ndim) + t.shape else t
        for o, t in zip(ours, theirs, strict=True)
    ]


def outside(results: Sequence[Array], places: Sequence[Array | None]) -> list[Array]:
    """The results with zeros where nothing is compared."""
    return [r if p is None else np.where(p, np.zeros((), r.dtype), r) for r, p in zip(results, places, strict=True)]


def judge_node(node: onnx.NodeProto, opset: int, operands: Operands, ours: Sequence[Array]) -> str:
    """Empty if an engine agrees, or if none runs the node; otherwise what each of them says."""
    narrow = any(a is not None and a.dtype in (np.float16, ml_dtypes.bfloat16) for a in operands) and node.op_type not in (
        "Cast", "CastLike", "BitCast",
    )  # fmt: skip
    said = []
    places = [free_places(node, operands, o) for o in ours]
    ours = outside(ours, places)
    for wider in (True, False) if narrow else (False,):
        for name, peer in asked(node, opset, operands).items():
            try:
                theirs = peer(node, opset, operands, wider)
                theirs = narrowed(theirs, ours) if wider else theirs
                if len(theirs) != len(ours):
                    continue
                if node.op_type == "Attention":
                    theirs = with_masked_rows(operands, ours, theirs)
                if node.op_type == "Squeeze" and len(operands) == 1 and not node.attribute:
                    theirs = with_leading_ones(ours, theirs)
                if interpolates_integers(node, operands):
                    theirs = with_cut_numbers(node, opset, operands, ours, theirs)
                if all(p is None or p.shape == t.shape for p, t in zip(places, theirs, strict=True)):
                    theirs = outside(theirs, places)
            except Exception:
                continue
            slack = allowance(node, opset, operands, theirs)
            found = differences(ours, theirs, slack)
            if found and all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(ours, theirs, strict=True)):
                try:
                    more = sensitivity(peer, node, opset, operands, peer(node, opset, operands))
                    found = differences(ours, theirs, [s + m for s, m in zip(slack, more, strict=True)])
                except Exception:
                    pass
            if not found:
                return ""
            said.append(f"{name}{' in float32' if wider else ''}: {found}")
    return "; ".join(said)


def whole_by_onnxruntime(model: onnx.ModelProto, feeds: dict[str, Array]) -> list[Array] | None:
    """The outputs of the whole model, unoptimised; None if ONNX Runtime does not run it."""
    try:
        session = ort.InferenceSession(model.SerializeToString(), session_options(), providers=["CPUExecutionProvider"])
        results: list[Array] = session.run(None, feeds)
    except Exception:
        return None
    return results
