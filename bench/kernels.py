# SPDX-License-Identifier: Apache-2.0
"""Operators of one model each over a million elements, in every dtype and form that quantized and decoder models have: which kernel
runs, its time, the time of the same operator in float32, and ONNX Runtime's, in microseconds. Worst ratios to float32 first.

  python bench/kernels.py [PATTERN ...] [--seconds 0.05] [--threads 1] [--ours-alone]

PATTERN: only models whose names have it. A ratio of hundreds is a scalar kernel (its name ends in .reference), or an operator that costs
more in this dtype. nan: ONNX Runtime has no kernel, or numpy no such dtype.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np

ROWS, COLUMNS = DIMS = 1024, 1024
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64")
FLOATS = ("float32", "float16", "bfloat16", "float64")
SMALL = ("int4", "uint4")


def element_type(dtype: str) -> int:
    from onnx import TensorProto

    return int(getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())))


@dataclass
class Case:
    """One node. Inputs are (dtype, dims) or an array, which becomes a constant."""

    name: str
    op: str
    inputs: list[Any]
    outputs: list[str]  # dtypes
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    base: Case | None = None  # the float32 form

    def model(self) -> bytes:
        from onnx import helper, numpy_helper

        constants, given, names = [], [], []
        for i, one in enumerate(self.inputs):
            if one is None:
                names.append("")
                continue
            names.append(f"i{i}")
            if isinstance(one, tuple):
                dtype, dims = one
                open_dims = [f"d{i}_{a}" if a == 0 and len(dims) > 1 and i == 0 else d for a, d in enumerate(dims)]
                given.append(helper.make_tensor_value_info(f"i{i}", element_type(dtype), open_dims))
            elif hasattr(one, "SerializeToString"):  # may be two inputs' at once
                constant = type(one)()
                constant.CopyFrom(one)
                constant.name = f"i{i}"
                constants.append(constant)
            else:
                constants.append(numpy_helper.from_array(one, f"i{i}"))
        results = [f"o{i}" for i in range(len(self.outputs))]
        nodes = [helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)]
        infos = [
            helper.make_tensor_value_info(r, element_type(d), None) for r, d in zip(results, self.outputs, strict=True)
        ]
        graph = helper.make_graph(nodes, "one", given, infos, constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())

    def feeds(self) -> dict[str, np.ndarray]:
        import ml_dtypes
        import numpy as np

        random = np.random.default_rng(0)
        feeds: dict[str, Any] = {}
        for i, one in enumerate(self.inputs):
            if not isinstance(one, tuple):
                continue
            dtype, dims = one
            if dtype == "bool":
                feeds[f"i{i}"] = random.random(dims) < 0.5
            elif dtype in FLOATS:
                kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
                feeds[f"i{i}"] = np.asarray(random.standard_normal(dims)).astype(kind)
            elif dtype in SMALL:
                feeds[f"i{i}"] = random.integers(0, 7, dims).astype(getattr(ml_dtypes, dtype))
            else:
                high = min(np.iinfo(dtype).max, 100)
                feeds[f"i{i}"] = random.integers(1 if "int" in dtype else -high, high, dims).astype(dtype)
        return feeds


def moved(dtype: str, op: str, inputs: list[Any], attributes: dict[str, Any] | None = None) -> Case:
    """The operator on `dtype` where `inputs` says float32."""
    real = Case(f"{op} float32", op, inputs, ["float32"], attributes or {})
    if dtype == "float32":
        return real
    typed = [(dtype, one[1]) if isinstance(one, tuple) else one for one in inputs]
    return Case(f"{op} {dtype}", op, typed, [dtype], attributes or {}, base=real)


def constant(dtype: str, values: Any) -> Any:
    import numpy as np
    from onnx import TensorProto, helper

    array = np.asarray(values)
    if dtype == "bfloat16":
        return helper.make_tensor("c", TensorProto.BFLOAT16, array.shape, array.astype(np.float32).ravel().tolist())
    if dtype in SMALL:
        return helper.make_tensor("c", element_type(dtype), array.shape, array.astype(int).ravel().tolist())
    return array.astype(dtype)


def numbers(*values: int) -> np.ndarray:
    import numpy as np

    return np.asarray(values, np.int64)


def conversions() -> Iterator[Case]:
    import numpy as np

    f32_unary = Case("Abs float32", "Abs", [("float32", DIMS)], ["float32"])
    everything = (*FLOATS, *INTEGERS, "bool", *SMALL)
    for a in everything:
        for b in everything:
            if a != b:
                yield Case(f"Cast {a} {b}", "Cast", [(a, DIMS)], [b], {"to": element_type(b)}, base=f32_unary)
    # Conversions.
    for scale in ("float32", "float16", "bfloat16"):
        for q in ("int8", "uint8", "int16", "uint16", "int4", "uint4", "int32"):
            if q == "int32" and scale != "float32":
                continue
            for form, axis, count in (
                ("tensor", None, None),
                ("rows", 0, ROWS),
                ("columns", 1, COLUMNS),
                ("blocks", 1, None),
                ("blocks0", 0, None),
            ):
                attributes: dict[str, Any] = {} if axis is None else {"axis": axis}
                sdims: tuple[int, ...] = () if axis is None else (count or 0,)
                if form == "blocks":
                    attributes["block_size"], sdims = 32, (ROWS, COLUMNS // 32)
                elif form == "blocks0":
                    attributes["block_size"], sdims = 32, (ROWS // 32, COLUMNS)
                s = constant(scale, np.full(sdims, 0.02))
                z = None if q == "int32" else constant(q, np.full(sdims, 3))
                yield Case(
                    f"DequantizeLinear {q} {scale} {form}",
                    "DequantizeLinear",
                    [(q, DIMS), s, z],
                    [scale],
                    attributes,
                    base=f32_unary,
                )
                if q != "int32":
                    yield Case(
                        f"QuantizeLinear {q} {scale} {form}",
                        "QuantizeLinear",
                        [(scale, DIMS), s, z],
                        [q],
                        attributes,
                        base=f32_unary,
                    )
    for q in ("int8", "uint8", "int16"):
        given = [(q, DIMS), ("float32", (1,)), None]
        yield Case(f"DequantizeLinear {q} run-time scale", "DequantizeLinear", given, ["float32"], base=f32_unary)
    for q in ("int8", "uint8"):
        yield Case(
            f"DequantizeLinear {q} run-time rows",
            "DequantizeLinear",
            [(q, DIMS), ("float32", (ROWS,)), (q, (ROWS,))],
            ["float32"],
            {"axis": 0},
            base=f32_unary,
        )
        yield Case(
            f"QuantizeLinear {q} run-time rows",
            "QuantizeLinear",
            [("float32", DIMS), ("float32", (ROWS,)), (q, (ROWS,))],
            [q],
            {"axis": 0},
            base=f32_unary,
        )
    yield Case(
        "DynamicQuantizeLinear",
        "DynamicQuantizeLinear",
        [("float32", DIMS)],
        ["uint8", "float32", "uint8"],
        base=f32_unary,
    )


def functions() -> Iterator[Case]:
    import numpy as np

    f32_unary = Case("Abs float32", "Abs", [("float32", DIMS)], ["float32"])
    for op, kinds in (
        ("Abs", (*INTEGERS, *FLOATS)),
        ("Neg", ("int8", "int16", "int32", "int64", *FLOATS)),
        ("Sign", (*INTEGERS, *FLOATS)),
        ("Not", ("bool",)),
        ("BitwiseNot", INTEGERS),
        ("Relu", ("int8", "int16", "int32", "int64", *FLOATS)),
        ("Sigmoid", FLOATS),
        ("Exp", FLOATS),
        ("Erf", FLOATS),
        ("Tanh", FLOATS),
        ("Gelu", FLOATS),
        ("IsNaN", FLOATS),
        ("Round", FLOATS),
        ("Sqrt", FLOATS),
        ("Reciprocal", FLOATS),
        ("Log", FLOATS),
        ("Sin", FLOATS),
        ("Cos", FLOATS),
    ):
        base = (
            Case(f"{op} float32", op, [("float32", DIMS)], ["bool" if op == "IsNaN" else "float32"])
            if "float32" in kinds
            else f32_unary
        )
        for a in kinds:
            yield Case(f"{op} {a}", op, [(a, DIMS)], ["bool" if op == "IsNaN" else a], base=base)
    for a in (*INTEGERS, *FLOATS):
        yield Case(
            f"Clip {a}",
            "Clip",
            [(a, DIMS), constant(a, 2), constant(a, 50)],
            [a],
            base=Case("Clip float32", "Clip", [("float32", DIMS), np.float32(2), np.float32(50)], ["float32"]),
        )
        for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", "Pow", "Equal", "Less", "GreaterOrEqual"):
            if op == "Pow" and a not in ("int32", "int64", *FLOATS):
                continue
            attributes = {"fmod": 1} if op == "Mod" and a in FLOATS else {}
            out = "bool" if op in ("Equal", "Less", "GreaterOrEqual") else a
            base = Case(
                f"{op} float32",
                op,
                [("float32", DIMS)] * 2,
                ["float32" if out != "bool" else "bool"],
                {"fmod": 1} if op == "Mod" else {},
            )
            yield Case(f"{op} {a}", op, [(a, DIMS)] * 2, [out], attributes, base=base)
            yield Case(f"{op} {a} row", op, [(a, DIMS), (a, (COLUMNS,))], [out], attributes, base=base)
            yield Case(f"{op} {a} column", op, [(a, DIMS), (a, (ROWS, 1))], [out], attributes, base=base)
        yield Case(
            f"Where {a}",
            "Where",
            [("bool", DIMS), (a, DIMS), (a, DIMS)],
            [a],
            base=Case("Where float32", "Where", [("bool", DIMS), ("float32", DIMS), ("float32", DIMS)], ["float32"]),
        )
        yield Case(
            f"Where {a} scalar",
            "Where",
            [("bool", DIMS), (a, DIMS), constant(a, 1)],
            [a],
            base=Case("Where float32", "Where", [("bool", DIMS), ("float32", DIMS), ("float32", DIMS)], ["float32"]),
        )
    for op in ("And", "Or", "Xor", "Equal"):
        yield Case(
            f"{op} bool",
            op,
            [("bool", DIMS)] * 2,
            ["bool"],
            base=Case("Equal float32", "Equal", [("float32", DIMS)] * 2, ["bool"]),
        )
    for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        for a in INTEGERS:
            yield Case(
                f"{op} {a}",
                op,
                [(a, DIMS)] * 2,
                [a],
                base=Case("Add float32", "Add", [("float32", DIMS)] * 2, ["float32"]),
            )
    for a in ("uint8", "uint16", "uint32", "uint64"):
        yield Case(
            f"BitShift {a}",
            "BitShift",
            [(a, DIMS)] * 2,
            [a],
            {"direction": "LEFT"},
            base=Case("Add float32", "Add", [("float32", DIMS)] * 2, ["float32"]),
        )


def reductions() -> Iterator[Case]:
    import numpy as np

    for a in (*INTEGERS, *FLOATS):
        for op in (
            "ReduceSum",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceL2",
            "ReduceSumSquare",
            "ReduceL1",
            "ReduceLogSumExp",
        ):
            if a in INTEGERS and op in ("ReduceLogSumExp",):
                continue
            for axis in (0, 1):
                yield Case(
                    f"{op} {a} axis {axis}",
                    op,
                    [(a, DIMS), numbers(axis)],
                    [a],
                    base=Case(f"{op} float32 axis {axis}", op, [("float32", DIMS), numbers(axis)], ["float32"]),
                )
        for axis in (0, 1):
            yield Case(
                f"ArgMax {a} axis {axis}",
                "ArgMax",
                [(a, DIMS)],
                ["int64"],
                {"axis": axis},
                base=Case(f"ArgMax float32 axis {axis}", "ArgMax", [("float32", DIMS)], ["int64"], {"axis": axis}),
            )
            yield Case(
                f"CumSum {a} axis {axis}",
                "CumSum",
                [(a, DIMS), np.int64(axis)],
                [a],
                base=Case(f"CumSum float32 axis {axis}", "CumSum", [("float32", DIMS), np.int64(axis)], ["float32"]),
            )
            if a in FLOATS:
                for op in ("Softmax", "LogSoftmax"):
                    yield Case(
                        f"{op} {a} axis {axis}",
                        op,
                        [(a, DIMS)],
                        [a],
                        {"axis": axis},
                        base=Case(f"{op} float32 axis {axis}", op, [("float32", DIMS)], ["float32"], {"axis": axis}),
                    )
        yield Case(
            f"TopK {a}",
            "TopK",
            [(a, DIMS), numbers(8)],
            [a, "int64"],
            base=Case("TopK float32", "TopK", [("float32", DIMS), numbers(8)], ["float32", "int64"]),
        )
        if a in FLOATS:
            g = constant(a, np.ones(COLUMNS))
            for op in ("LayerNormalization",):
                yield Case(
                    f"{op} {a}",
                    op,
                    [(a, DIMS), g, g],
                    [a],
                    base=Case(
                        f"{op} float32",
                        op,
                        [("float32", DIMS), np.ones(COLUMNS, np.float32), np.ones(COLUMNS, np.float32)],
                        ["float32"],
                    ),
                )


def movers() -> Iterator[Case]:
    import numpy as np

    idx = np.random.default_rng(1).integers(0, 1024, 1024)
    grid = np.random.default_rng(1).integers(0, 1024, DIMS)
    pairs = np.random.default_rng(1).integers(0, 1024, (1024, 1024, 1))
    for a in ("bool", *INTEGERS, *FLOATS, *SMALL):
        f = partial(moved, a)
        x = ("float32", DIMS)
        yield f("Transpose", [x], {"perm": [1, 0]})
        yield f("Concat", [x, x], {"axis": 1})
        yield f("Gather", [x, idx], {"axis": 0})
        one = f("Gather", [x, idx], {"axis": 1})
        one.name += " axis 1"
        yield one
        yield f("Slice", [x, numbers(0, 0), numbers(1024, 1023), numbers(0, 1), numbers(1, 2)])
        yield f("Expand", [("float32", (ROWS, 1)), numbers(1, COLUMNS)])
        yield f("Tile", [x, numbers(1, 2)])
        if a in SMALL:
            continue
        yield f("GatherElements", [x, grid], {"axis": 1})
        one = f("GatherElements", [x, grid], {"axis": 0})
        one.name += " axis 0"
        yield one
        yield f("GatherND", [x, pairs[:, :1, :].reshape(1024, 1)])
        yield f("ScatterElements", [x, grid, x], {"axis": 1})
        yield f("ScatterND", [x, idx.reshape(-1, 1), x])
        one = f("ScatterElements", [x, grid, x], {"axis": 1, "reduction": "add"})
        one.name += " add"
        yield one
        yield f("Pad", [x, numbers(1, 1, 1, 1)])
        yield f("Trilu", [x])
        yield f("DepthToSpace", [("float32", (1, 64, 128, 128))], {"blocksize": 4})
        yield f("ReverseSequence", [x, np.full(1024, 900, np.int64)], {"batch_axis": 0, "time_axis": 1})


def windows() -> Iterator[Case]:
    import numpy as np

    planes = (1, 16, 256, 256)
    for a in ("uint8", "int8", *FLOATS):
        base = Case(
            "MaxPool float32",
            "MaxPool",
            [("float32", planes)],
            ["float32"],
            {"kernel_shape": [3, 3], "strides": [2, 2]},
        )
        yield Case(
            f"MaxPool {a}", "MaxPool", [(a, planes)], [a], {"kernel_shape": [3, 3], "strides": [2, 2]}, base=base
        )
        if a in FLOATS:
            for op in ("AveragePool",):
                yield Case(
                    f"{op} {a}",
                    op,
                    [(a, planes)],
                    [a],
                    {"kernel_shape": [3, 3], "strides": [2, 2]},
                    base=Case(
                        f"{op} float32",
                        op,
                        [("float32", planes)],
                        ["float32"],
                        {"kernel_shape": [3, 3], "strides": [2, 2]},
                    ),
                )
            yield Case(
                f"GlobalAveragePool {a}",
                "GlobalAveragePool",
                [(a, planes)],
                [a],
                base=Case("GlobalAveragePool float32", "GlobalAveragePool", [("float32", planes)], ["float32"]),
            )
        for mode in ("nearest", "linear", "cubic"):
            scales = np.asarray([1, 1, 2, 2], np.float32)
            yield Case(
                f"Resize {mode} {a}",
                "Resize",
                [(a, planes), None, scales],
                [a],
                {"mode": mode},
                base=Case(
                    f"Resize {mode} float32", "Resize", [("float32", planes), None, scales], ["float32"], {"mode": mode}
                ),
            )


def fused() -> Iterator[Case]:
    import numpy as np

    planes, s1 = (1, 16, 256, 256), np.float32(0.02)
    z8, zi = np.uint8(3), np.int8(3)
    ms = "com.microsoft"
    q = {"uint8": z8, "int8": zi}
    for a in ("uint8", "int8"):
        for op in ("QLinearAdd", "QLinearMul"):
            base = Case(f"{op[7:]} float32", op[7:], [("float32", DIMS)] * 2, ["float32"])
            yield Case(f"{op} {a}", op, [(a, DIMS), s1, q[a], (a, DIMS), s1, q[a], s1, q[a]], [a], {}, ms, base=base)
            yield Case(
                f"{op} {a} row", op, [(a, DIMS), s1, q[a], (a, (COLUMNS,)), s1, q[a], s1, q[a]], [a], {}, ms, base=base
            )
            yield Case(
                f"{op} {a} column",
                op,
                [(a, DIMS), s1, q[a], (a, (ROWS, 1)), s1, q[a], s1, q[a]],
                [a],
                {},
                ms,
                base=base,
            )
        for op, attributes in (("QLinearLeakyRelu", {"alpha": 0.1}), ("QLinearSigmoid", {})):
            yield Case(
                f"{op} {a}",
                op,
                [(a, DIMS), s1, q[a], s1, q[a]],
                [a],
                attributes,
                ms,
                base=Case("Sigmoid float32", "Sigmoid", [("float32", DIMS)], ["float32"]),
            )
        for axis in (0, 1):
            yield Case(
                f"QLinearSoftmax {a} axis {axis}",
                "QLinearSoftmax",
                [(a, DIMS), s1, q[a], s1, q[a]],
                [a],
                {"opset": 13, "axis": axis},
                ms,
                base=Case(f"Softmax float32 axis {axis}", "Softmax", [("float32", DIMS)], ["float32"], {"axis": axis}),
            )
            yield Case(
                f"QLinearConcat {a} axis {axis}",
                "QLinearConcat",
                [s1, q[a], (a, DIMS), s1, q[a], (a, DIMS), np.float32(0.03), q[a]],
                [a],
                {"axis": axis},
                ms,
                base=Case("Concat float32", "Concat", [("float32", DIMS)] * 2, ["float32"], {"axis": axis}),
            )
        for last in (0, 1):
            yield Case(
                f"QLinearGlobalAveragePool {a} {last}",
                "QLinearGlobalAveragePool",
                [(a, planes if not last else (1, 256, 256, 16)), s1, q[a], s1, q[a]],
                [a],
                {"channels_last": last},
                ms,
                base=Case("GlobalAveragePool float32", "GlobalAveragePool", [("float32", planes)], ["float32"]),
            )
        yield Case(
            f"QLinearAveragePool {a}",
            "QLinearAveragePool",
            [(a, planes), s1, q[a], s1, q[a]],
            [a],
            {"kernel_shape": [3, 3], "strides": [2, 2]},
            ms,
            base=Case(
                "AveragePool float32",
                "AveragePool",
                [("float32", planes)],
                ["float32"],
                {"kernel_shape": [3, 3], "strides": [2, 2]},
            ),
        )
        yield Case(
            f"QLinearWhere {a}",
            "QLinearWhere",
            [("bool", DIMS), (a, DIMS), s1, q[a], (a, DIMS), np.float32(0.03), q[a], s1, q[a]],
            [a],
            {},
            ms,
            base=Case("Where float32", "Where", [("bool", DIMS), ("float32", DIMS), ("float32", DIMS)], ["float32"]),
        )


def products() -> Iterator[Case]:
    import numpy as np

    ms, s1, z8, zi = "com.microsoft", np.float32(0.02), np.uint8(3), np.int8(3)
    q: dict[str, Any] = {"uint8": z8, "int8": zi}
    m, k, n = 128, 512, 512
    real = Case("MatMul float32", "MatMul", [("float32", (m, k)), np.ones((k, n), np.float32)], ["float32"])
    real_run = Case("MatMul float32 run", "MatMul", [("float32", (m, k)), ("float32", (k, n))], ["float32"])
    r = np.random.default_rng(2)
    w8 = r.integers(-100, 100, (k, n)).astype(np.int8)
    for a in ("uint8", "int8"):
        for form, right in (("constant", w8), ("run", ("int8", (k, n)))):
            base = real if form == "constant" else real_run
            for zeros, za, zw in (
                ("none", None, None),
                ("tensors", q[a], zi),
                ("a rows", constant(a, np.full(m, 3)), zi),
                ("b columns", q[a], np.full(n, 3, np.int8)),
                ("both", constant(a, np.full(m, 3)), np.full(n, 3, np.int8)),
            ):
                yield Case(
                    f"MatMulInteger {a} {form} zero points {zeros}",
                    "MatMulInteger",
                    [(a, (m, k)), right, za, zw],
                    ["int32"],
                    base=base,
                )
            for scales, sa, za, sw, zw, so, zo in (
                ("tensors", s1, q[a], s1, zi, np.float32(2), q[a]),
                ("b columns", s1, q[a], np.full(n, 0.02, np.float32), np.full(n, 3, np.int8), np.float32(2), q[a]),
                ("a rows", np.full(m, 0.02, np.float32), constant(a, np.full(m, 3)), s1, zi, np.float32(2), q[a]),
                (
                    "rows and columns",
                    np.full(m, 0.02, np.float32),
                    constant(a, np.full(m, 3)),
                    np.full(n, 0.02, np.float32),
                    np.full(n, 3, np.int8),
                    np.full(m, 2, np.float32),
                    constant(a, np.full(m, 3)),
                ),
            ):
                yield Case(
                    f"QLinearMatMul {a} {form} {scales}",
                    "QLinearMatMul",
                    [(a, (m, k)), sa, za, right, sw, zw, so, zo],
                    [a],
                    base=base,
                )
    batch = (12, 128, 64)
    yield Case(
        "MatMulInteger batched run",
        "MatMulInteger",
        [("uint8", batch), ("uint8", (12, 64, 128))],
        ["int32"],
        base=Case("MatMul batched float32", "MatMul", [("float32", batch), ("float32", (12, 64, 128))], ["float32"]),
    )
    for ta in (0, 1):
        for tb in (0, 1):
            yield Case(
                f"QGemm transposes {ta} {tb}",
                "QGemm",
                [("uint8", (k, m) if ta else (m, k)), s1, z8, w8, s1, zi, np.zeros(n, np.int32), np.float32(2), z8],
                ["uint8"],
                {"transA": ta, "transB": tb},
                ms,
                base=real,
            )
    yield Case(
        "DynamicQuantizeMatMul",
        "DynamicQuantizeMatMul",
        [("float32", (m, k)), w8, np.full(n, 0.02, np.float32), None, None],
        ["float32"],
        {},
        ms,
        base=real,
    )
    yield Case(
        "MatMulIntegerToFloat rows",
        "MatMulIntegerToFloat",
        [("uint8", (m, k)), w8, s1, np.full(n, 0.02, np.float32), z8, None, None],
        ["float32"],
        {},
        ms,
        base=real,
    )
    for bits in (4, 8):
        for block in (16, 32, 128):
            w = r.integers(0, 255, (n, k // block, block * bits // 8)).astype(np.uint8)
            s = np.full(n * k // block, 0.02, np.float32)
            yield Case(
                f"MatMulNBits {bits} block {block}",
                "MatMulNBits",
                [("float32", (m, k)), w, s],
                ["float32"],
                {"K": k, "N": n, "bits": bits, "block_size": block},
                ms,
                base=real,
            )
            zp = r.integers(0, 255, n * ((k // block * bits + 7) // 8)).astype(np.uint8)
            yield Case(
                f"MatMulNBits {bits} block {block} zero points",
                "MatMulNBits",
                [("float32", (m, k)), w, s, zp],
                ["float32"],
                {"K": k, "N": n, "bits": bits, "block_size": block},
                ms,
                base=real,
            )
            yield Case(
                f"MatMulNBits {bits} block {block} run",
                "MatMulNBits",
                [("float32", (m, k)), ("uint8", w.shape), ("float32", s.shape)],
                ["float32"],
                {"K": k, "N": n, "bits": bits, "block_size": block},
                ms,
                base=real_run,
            )
    for a in ("float16", "bfloat16", "float64"):
        yield Case(f"MatMul {a} run", "MatMul", [(a, (m, k)), (a, (k, n))], [a], base=real_run)
    for a in ("int32", "int64", "uint32", "uint64"):
        yield Case(f"MatMul {a} run", "MatMul", [(a, (m, k)), (a, (k, n))], [a], base=real_run)


def convolutions() -> Iterator[Case]:
    import numpy as np

    s1, r = np.float32(0.02), np.random.default_rng(2)
    q: dict[str, Any] = {"uint8": np.uint8(3), "int8": np.int8(3)}
    for what, x, w, attributes in (
        ("3x3", (1, 64, 28, 28), (64, 64, 3, 3), {"pads": [1] * 4}),
        ("1x1", (1, 64, 28, 28), (64, 64, 1, 1), {}),
        ("first", (1, 3, 56, 56), (32, 3, 3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
        ("grouped", (1, 64, 28, 28), (64, 16, 3, 3), {"pads": [1] * 4, "group": 4}),
        ("depthwise", (1, 64, 28, 28), (64, 1, 3, 3), {"pads": [1] * 4, "group": 64}),
        ("1-D", (1, 64, 512), (64, 64, 3), {"pads": [1, 1]}),
        ("1-D depthwise", (1, 64, 512), (64, 1, 3), {"pads": [1, 1], "group": 64}),
        ("3-D", (1, 16, 8, 14, 14), (32, 16, 3, 3, 3), {"pads": [1] * 6}),
        ("3-D depthwise", (1, 16, 8, 14, 14), (16, 1, 3, 3, 3), {"pads": [1] * 6, "group": 16}),
        ("multiplier 2", (1, 64, 28, 28), (128, 1, 3, 3), {"pads": [1] * 4, "group": 64}),
    ):
        weights = r.integers(-100, 100, w).astype(np.int8)
        for form, right, base in (
            (
                "constant",
                weights,
                Case("Conv float32", "Conv", [("float32", x), weights.astype(np.float32)], ["float32"], attributes),
            ),
            (
                "run",
                ("int8", w),
                Case("Conv float32 run", "Conv", [("float32", x), ("float32", w)], ["float32"], attributes),
            ),
        ):
            for a in ("uint8", "int8"):
                yield Case(
                    f"ConvInteger {what} {a} {form}",
                    "ConvInteger",
                    [(a, x), right, q[a], np.zeros((), np.int8)],
                    ["int32"],
                    attributes,
                    base=base,
                )
                yield Case(
                    f"QLinearConv {what} {a} {form}",
                    "QLinearConv",
                    [
                        (a, x),
                        s1,
                        q[a],
                        right,
                        np.full(w[0], 0.02, np.float32),
                        np.zeros(w[0], np.int8),
                        np.float32(2),
                        q[a],
                    ],
                    [a],
                    attributes,
                    base=base,
                )


def cases() -> Iterator[Case]:
    for part in (conversions, functions, reductions, movers, windows, fused, products, convolutions):
        yield from part()


def median_of(run: Callable[[], object], seconds: float) -> float:
    begin = time.perf_counter()
    run()
    if time.perf_counter() - begin > 10 * seconds:  # as slow as this, once is enough
        return 1e6 * (time.perf_counter() - begin)
    times: list[float] = []
    until = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < until:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ours-alone", action="store_true", help="without ONNX Runtime")
    options = parser.parse_args()
    import anydim
    import onnxruntime

    def ours(case: Case) -> tuple[float, str]:
        session = anydim.InferenceSession(case.model(), threads=options.threads)
        feeds = case.feeds()
        us = median_of(lambda: session.run(None, feeds), options.seconds)
        nodes = session.explain({name: array.shape for name, array in feeds.items()})["nodes"]
        kernels: dict[str, int] = {}
        for node in nodes:
            kernels[node.get("kernel") or "-"] = kernels.get(node.get("kernel") or "-", 0) + max(
                node.get("nanoseconds", 0), 0
            )
        return us, ", ".join(sorted(kernels, key=lambda k: -kernels[k])[:3])

    def theirs(case: Case) -> float:
        try:
            import numpy as np

            settings = onnxruntime.SessionOptions()
            settings.intra_op_num_threads = options.threads
            settings.log_severity_level = 4
            session = onnxruntime.InferenceSession(case.model(), settings, providers=["CPUExecutionProvider"])
            feeds = case.feeds()
            if any(not np.issubdtype(array.dtype, np.number) and array.dtype != np.bool_ for array in feeds.values()):
                return float("nan")
            return median_of(lambda: session.run(None, feeds), options.seconds)
        except Exception:
            return float("nan")

    bases: dict[str, float] = {}
    lines = []
    for case in cases():
        if options.patterns and not any(p in case.name for p in options.patterns):
            continue
        try:
            us, kernels = ours(case)
        except Exception as e:
            print(f"refused: {case.name}: {str(e)[:110]}", flush=True)
            continue
        base = float("nan")
        if case.base is not None:
            key = str(
                (
                    case.base.op,
                    [i if isinstance(i, tuple) else getattr(i, "shape", None) for i in case.base.inputs],
                    case.base.attributes,
                )
            )
            if key not in bases:
                bases[key] = ours(case.base)[0]
            base = bases[key]
        peer = float("nan") if options.ours_alone else theirs(case)
        lines.append((us / base if base == base else 0.0, case.name, us, base, peer, kernels))
    for ratio, name, us, base, peer, kernels in sorted(lines, key=lambda line: -line[0]):
        print(f"{ratio:8.2f} {name:50} {us:10.0f} {base:10.0f} {peer:10.0f}  {kernels}")


if __name__ == "__main__":
    main()
