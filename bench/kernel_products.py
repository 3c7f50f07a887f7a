# SPDX-License-Identifier: Apache-2.0
"""Windows, fused operators of numbers, products and convolutions, as models of bench/kernels.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernel_case import COLUMNS, DIMS, FLOATS, ROWS, Case, constant


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
