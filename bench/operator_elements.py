# SPDX-License-Identifier: Apache-2.0
"""Operators that work element by element, as cases of bench/operators.py."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from kernel_case import Case, Drawn, constant

FLOATS = ("float32", "float64", "float16", "bfloat16")
# A quarter of a million elements in ranks 1 to 5, as people lay them out.
RANKS: tuple[tuple[int, ...], ...] = ((262144,), (512, 512), (16, 128, 128), (4, 16, 64, 64), (2, 8, 16, 32, 32))
SIZES: tuple[tuple[int, ...], ...] = ((16384,), (1, 32, 64, 64), (1024, 1024))
NAMES = {
    "float": "float32", "double": "float64", "float16": "float16", "bfloat16": "bfloat16", "int8": "int8", "uint8": "uint8",
    "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32", "int64": "int64", "uint64": "uint64", "bool": "bool",
}  # fmt: skip


def dims_text(dims: tuple[int, ...]) -> str:
    return "x".join(map(str, dims)) or "scalar"


@cache
def dtypes_of(op: str, index: int = 0) -> tuple[str, ...]:
    """What ONNX allows for an input; float32 comes first."""
    from onnx import defs

    schema = defs.get_schema(op, 21) if defs.has(op, 21) else defs.get_schema(op)
    kind = schema.inputs[index].type_str
    allowed = next((c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == kind), [kind])
    names = [NAMES[t[7:-1]] for t in allowed if t.startswith("tensor(") and t[7:-1] in NAMES]
    return tuple(sorted(set(names), key=lambda d: (d != "float32", d)))


def uniform(dtype: str, dims: tuple[int, ...], low: float, high: float) -> Any:
    return Drawn(dtype, dims, lambda r, d: r.uniform(low, high, d))


def unary(
    op: str,
    dtype: str,
    dims: tuple[int, ...],
    attributes: dict[str, Any],
    note: str = "",
    domain: str = "",
    opset: int = 0,
) -> Case:
    low, high = RANGES.get(op, (-3.0, 3.0))
    x = uniform(dtype, dims, low, high) if dtype in FLOATS else (dtype, dims)
    result = {"IsNaN": "bool", "IsInf": "bool"}.get(op, dtype)
    name = f"{domain and domain + '.'}{op} {dtype} {dims_text(dims)}{note}"
    return Case(name, op, [x], [result], attributes, domain, opset=opset)


RANGES = {
    "Acos": (-0.99, 0.99), "Asin": (-0.99, 0.99), "Atanh": (-0.9, 0.9), "Acosh": (1.1, 9.0), "Log": (0.01, 9.0), "Sqrt": (0.01, 9.0),
    "Reciprocal": (0.1, 9.0), "Tan": (-1.4, 1.4),
}  # fmt: skip
UNARY: dict[str, dict[str, Any]] = {
    op: {}
    for op in (
        "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish IsInf IsNaN "
        "LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan Tanh "
        "ThresholdedRelu Identity"
    ).split()
}


def unaries() -> Iterator[Case]:
    for op, attributes in UNARY.items():
        for i, dtype in enumerate(dtypes_of(op)):
            for dims in SIZES if i == 0 else ((512, 512),):
                yield unary(op, dtype, dims, attributes)
    for op in ("Relu", "Sigmoid", "Erf", "Exp", "HardSwish", "Neg"):
        for dims in RANKS:
            yield unary(op, "float32", dims, {})
    for dtype in FLOATS:
        for note, op, attributes in (
            (" tanh", "Gelu", {"approximate": "tanh"}),
            (" alpha", "Elu", {"alpha": 0.5}),
            (" alpha", "LeakyRelu", {"alpha": 0.3}),
            (" positive only", "IsInf", {"detect_negative": 0}),
            (" bias", "Shrink", {"bias": 0.2, "lambd": 0.4}),
        ):
            yield unary(op, dtype, (512, 512), attributes, note)
        for op in ("Gelu", "QuickGelu"):
            yield unary(op, dtype, (512, 512), {}, "", "com.microsoft")
    for dims in SIZES[1:]:
        yield unary("Affine", "float32", dims, {"alpha": 2.0, "beta": 0.5}, opset=8)
        yield unary("ImageScaler", "float32", (1, 3, *dims[-2:]), {"scale": 2.0, "bias": [0.1, 0.2, 0.3]}, opset=8)


def clips_and_casts() -> Iterator[Case]:
    from kernel_case import element_type

    for dims in RANKS:
        bounds = [constant("float32", -1), constant("float32", 1)]
        yield Case(f"Clip float32 {dims_text(dims)}", "Clip", [("float32", dims), *bounds], ["float32"])
        yield Case(f"Clip float32 {dims_text(dims)} lower", "Clip", [("float32", dims), bounds[0], None], ["float32"])
        run = [("float32", ()), ("float32", ())]
        yield Case(f"Clip float32 {dims_text(dims)} run", "Clip", [("float32", dims), *run], ["float32"])
    for dtype in dtypes_of("CastLike"):
        for to in ("float32", "int64"):
            if dtype != to:
                yield Case(f"CastLike {dtype} {to}", "CastLike", [(dtype, (512, 512)), (to, (1,))], [to])
    texts = Drawn("string", (64, 64), lambda r, d: r.integers(-1000, 1000, d).astype(str))
    for to in ("float32", "int64", "float64", "int32"):
        yield Case(f"Cast string {to}", "Cast", [texts], [to], {"to": element_type(to)})
        yield Case(f"Cast {to} string", "Cast", [(to, (64, 64))], ["string"], {"to": element_type("string")})
    for dtype, to in (("float32", "int32"), ("int64", "float64"), ("float16", "uint16"), ("uint8", "int8")):
        yield Case(f"BitCast {dtype} {to}", "BitCast", [(dtype, (512, 512))], [to], {"to": element_type(to)})
    for dtype in ("float32", "float64", "float16", "int64", "bool"):
        yield Case(f"Dropout {dtype}", "Dropout", [(dtype, (512, 512))], [dtype])
    yield Case("Dropout float32 mask", "Dropout", [("float32", (512, 512))], ["float32", "bool"])
    training = [("float32", (512, 512)), constant("float32", 0.3), constant("bool", True)]
    yield Case("Dropout float32 training", "Dropout", training, ["float32", "bool"], random=True)


BINARY = tuple(
    "Add Sub Mul Div Max Min Mean Sum Mod Pow PRelu Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor BitShift BitwiseAnd "
    "BitwiseOr BitwiseXor".split()
)
COMPARISONS = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
FORMS = {  # dims of both inputs
    "same": ((512, 512), (512, 512)),
    "last axis": ((512, 512), (512,)),
    "first axis": ((512, 512), (512, 1)),
    "scalar": ((512, 512), ()),
    "scalar first": ((), (512, 512)),
    "both ways": ((512, 1), (1, 512)),
    "channels of NCHW": ((4, 64, 32, 32), (64, 1, 1)),
    "channels of NHWC": ((4, 32, 32, 64), (64,)),
    "3 channels of NHWC": ((1, 256, 256, 3), (3,)),
    "a picture of many": ((8, 3, 96, 96), (3, 96, 96)),
    "gates of NCHW": ((4, 64, 32, 32), (4, 64, 1, 1)),
    "middle axis": ((64, 64, 64), (64, 1, 64)),
    "positions": ((4, 128, 512), (1, 128, 512)),
    "masks of heads": ((2, 8, 128, 128), (2, 1, 1, 128)),
    "rank 5": ((2, 8, 16, 32, 32), (8, 1, 32, 1)),
}


FORMS_OF_ALL = ("same", "last axis", "first axis", "scalar", "both ways", "channels of NCHW", "rank 5")
EVERY_FORM = ("Add", "Mul", "Sub", "Div", "Equal", "PRelu", "And", "BitwiseAnd")
IN_KERNELS = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", "Pow", "Equal", "Less", "GreaterOrEqual")


def binary(op: str, dtype: str, form: str, dims: tuple[tuple[int, ...], tuple[int, ...]], note: str = "") -> Case:
    attributes: dict[str, Any] = (
        {"fmod": 1} if op == "Mod" and dtype in FLOATS else {"direction": "LEFT"} if op == "BitShift" else {}
    )
    low = 0.1 if op in ("Pow", "Div", "Mod") else -3.0
    inputs = [uniform(dtype, d, low, 3.0) if dtype in FLOATS else (dtype, d) for d in dims]
    if op == "BitShift" or (op == "Pow" and "int" in dtype):
        inputs[1] = Drawn(dtype, dims[1], lambda r, d: r.integers(0, 4, d))
    return Case(f"{op} {dtype} {form}{note}", op, inputs, ["bool" if op in COMPARISONS else dtype], attributes)


def binaries() -> Iterator[Case]:
    for op in BINARY:
        dtypes = dtypes_of(op)
        for i, dtype in enumerate(dtypes):
            for form, dims in FORMS.items():
                if op == "PRelu" and form in ("scalar first", "both ways"):
                    continue
                # Other element types of most operators are in bench/kernels.py, in three forms.
                some = ("scalar",) if op in IN_KERNELS else ("same", "last axis", "first axis", "scalar")
                if form in some or (i == 0 and (op in EVERY_FORM or form in FORMS_OF_ALL)):
                    yield binary(op, dtype, form, dims)
    for op in ("Add", "Mul", "Max"):
        for both in (*RANKS, *SIZES):
            yield binary(op, "float32", dims_text(both), (both, both))
    for exponent in (0.5, 2.0, 3.0, 2.5, -1.0):
        for dtype in ("float32", "float64", "float16"):
            x = uniform(dtype, (512, 512), 0.1, 3.0)
            yield Case(f"Pow {dtype} by {exponent}", "Pow", [x, constant(dtype, exponent)], [dtype])
    for dtype, other in (
        ("float32", "int64"),
        ("float32", "int32"),
        ("float64", "float32"),
        ("int64", "float32"),
        ("int32", "int64"),
    ):
        x = Drawn(dtype, (512, 512), lambda r, d: r.integers(1, 4, d))
        yield Case(
            f"Pow {dtype} {other}", "Pow", [x, Drawn(other, (512, 512), lambda r, d: r.integers(0, 4, d))], [dtype]
        )
    for op in ("Max", "Min", "Sum", "Mean"):
        for count in (1, 3, 6):
            yield Case(f"{op} float32 of {count}", op, [("float32", (512, 512))] * count, ["float32"])
    for dtype in ("int32", "int64", "uint8", "float32"):
        attributes = {"fmod": 1} if dtype == "float32" else {}
        low = 0 if dtype == "uint8" else -100
        signed = Drawn(dtype, (512, 512), lambda r, d, low=low: r.integers(low, 100, d))
        yield Case(f"Mod {dtype} by a number", "Mod", [signed, constant(dtype, 7)], [dtype], attributes)
        yield Case(f"Div {dtype} by a number", "Div", [signed, constant(dtype, 7)], [dtype])
    for bits in ("uint8", "uint16", "uint32", "uint64"):
        yield Case(
            f"BitShift {bits} right",
            "BitShift",
            [(bits, (512, 512)), constant(bits, 3)],
            [bits],
            {"direction": "RIGHT"},
        )
    for form in ("same", "last axis", "scalar"):
        texts = [Drawn("string", d, lambda r, e: r.integers(0, 99, e).astype(str)) for d in FORMS[form]]
        yield Case(f"Equal string {form}", "Equal", texts, ["bool"])


def choices() -> Iterator[Case]:
    """Where: condition, first, second."""
    forms: dict[str, tuple[tuple[int, ...], ...]] = {
        "same": ((512, 512),) * 3,
        "condition of rows": ((512, 1), (512, 512), (512, 512)),
        "condition of columns": ((512,), (512, 512), (512, 512)),
        "numbers": ((512, 512), (), ()),
        "first a number": ((512, 512), (), (512, 512)),
        "second a number": ((512, 512), (512, 512), ()),
        "one condition": ((), (512, 512), (512, 512)),
        "all apart": ((512, 1), (1, 512), ()),
        "mask of heads": ((2, 1, 1, 128), (), (2, 8, 128, 128)),
        "causal mask": ((1, 1, 128, 128), (2, 8, 128, 128), ()),
        "channels": ((4, 64, 1, 1), (4, 64, 32, 32), (4, 64, 32, 32)),
        "rank 5": ((2, 1, 16, 1, 32), (2, 8, 16, 32, 32), (8, 1, 32, 1)),
    }
    for dtype in dtypes_of("Where", 1):
        for form, dims in forms.items():
            if dtype in ("float32", "int64", "bool") or form in ("same", "first a number", "condition of rows"):
                yield Case(
                    f"Where {dtype} {form}", "Where", [("bool", dims[0]), (dtype, dims[1]), (dtype, dims[2])], [dtype]
                )
    texts = [Drawn("string", (128, 128), lambda r, d: r.integers(0, 99, d).astype(str)) for _ in range(2)]
    yield Case("Where string", "Where", [("bool", (128, 128)), *texts], ["string"])


def fused_elements() -> Iterator[Case]:
    """com.microsoft's, and what is new in ONNX."""
    ms = "com.microsoft"
    for dtype in FLOATS:
        for dims in ((1, 128, 768), (4, 128, 3072)):
            channels = dims[-1]
            bias = (dtype, (channels,))
            text = f"{dtype} {dims_text(dims)}"
            yield Case(f"BiasGelu {text}", "BiasGelu", [(dtype, dims), bias], [dtype], {}, ms)
            yield Case(f"FastGelu {text}", "FastGelu", [(dtype, dims)], [dtype], {}, ms)
            yield Case(f"FastGelu bias {text}", "FastGelu", [(dtype, dims), bias], [dtype], {}, ms)
            yield Case(f"BiasAdd {text}", "BiasAdd", [(dtype, dims), bias, (dtype, dims)], [dtype], {}, ms)
            yield Case(f"BiasSplitGelu {text}", "BiasSplitGelu", [(dtype, dims), bias], [dtype], {}, ms)
            yield Case(f"SwiGLU {text}", "SwiGLU", [(dtype, dims), (dtype, dims)], [dtype])


FAMILIES = {
    "unary": unaries, "clip and cast": clips_and_casts, "binary": binaries, "where": choices, "fused elements": fused_elements,
}  # fmt: skip
