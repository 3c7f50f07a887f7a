# SPDX-License-Identifier: Apache-2.0
"""Operators that work element by element, line by line or by index, as models of bench/kernels.py."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from kernel_case import COLUMNS, DIMS, FLOATS, INTEGERS, ROWS, SMALL, Case, constant, element_type, moved, numbers


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
