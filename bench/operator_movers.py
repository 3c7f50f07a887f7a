# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements: orders of axes, parts, borders, by index; as cases of bench/operators.py."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from kernel_case import Case, Drawn, constant, numbers
from operator_elements import RANKS, dims_text, dtypes_of

SOME = ("float32", "uint8", "float16", "int64", "bool")
LAYOUTS: tuple[tuple[int, ...], ...] = (
    (262144,),
    (512, 512),
    (256, 256, 3),
    (1, 64, 64, 64),
    (1, 224, 224, 3),
    (2, 8, 16, 32, 32),
)


def orders() -> Iterator[Case]:
    for dtype in SOME:
        for dims in ((512, 512), (64, 128, 32), (4, 64, 32, 32), (1, 224, 224, 3), (1, 3, 224, 224), (8, 128, 12, 32)):
            for perm in permutations(range(len(dims))):
                if dtype == "float32" or perm in (
                    (1, 0),
                    (0, 2, 1),
                    (2, 0, 1),
                    (0, 2, 3, 1),
                    (0, 3, 1, 2),
                    (0, 2, 1, 3),
                    (3, 2, 1, 0),
                ):
                    yield Case(
                        f"Transpose {dtype} {dims_text(dims)} {perm}",
                        "Transpose",
                        [(dtype, dims)],
                        [dtype],
                        {"perm": list(perm)},
                    )
    five = (2, 8, 16, 32, 32)
    for k, perm in enumerate(permutations(range(5))):
        if k % 11 == 5:
            yield Case(
                f"Transpose float32 {dims_text(five)} {perm}",
                "Transpose",
                [("float32", five)],
                ["float32"],
                {"perm": list(perm)},
            )
    texts = Drawn("string", (128, 128), lambda r, d: r.integers(0, 99, d).astype(str))
    yield Case("Transpose string", "Transpose", [texts], ["string"], {"perm": [1, 0]})
    for dims in RANKS:
        x = ("float32", dims)
        yield Case(f"Reshape float32 {dims_text(dims)}", "Reshape", [x, numbers(-1, 64)], ["float32"])
        yield Case(f"Flatten float32 {dims_text(dims)}", "Flatten", [x], ["float32"])
        yield Case(f"Unsqueeze float32 {dims_text(dims)}", "Unsqueeze", [x, numbers(0)], ["float32"])
        yield Case(
            f"Squeeze float32 {dims_text(dims)}", "Squeeze", [("float32", (*dims, 1)), numbers(len(dims))], ["float32"]
        )
        yield Case(f"Shape float32 {dims_text(dims)}", "Shape", [x], ["int64"])
        yield Case(f"Size float32 {dims_text(dims)}", "Size", [x], ["int64"])
    for dtype in SOME:
        for op, dims in (("DepthToSpace", (1, 64, 64, 64)), ("SpaceToDepth", (1, 16, 128, 128))):
            for size in (2, 4):
                modes = ({"mode": "DCR"}, {"mode": "CRD"}) if op == "DepthToSpace" else ({},)
                for mode in modes:
                    name = f"{op} {dtype} {size} {' '.join(mode.values())}"
                    yield Case(name, op, [(dtype, dims)], [dtype], {"blocksize": size, **mode})


def parts() -> Iterator[Case]:
    for dtype in SOME[:2] + SOME[3:4]:
        for dims in LAYOUTS if dtype == "float32" else LAYOUTS[1:5]:
            for axis, n in enumerate(dims):
                text = f"{dtype} {dims_text(dims)} axis {axis}"
                x = (dtype, dims)
                yield Case(f"Concat {text}", "Concat", [x, x], [dtype], {"axis": axis})
                if n < 2:
                    continue
                if dtype == "float32":
                    yield Case(f"Concat {text} of five", "Concat", [x] * 5, [dtype], {"axis": axis})
                yield Case(f"Slice {text}", "Slice", [x, numbers(1), numbers(n), numbers(axis)], [dtype])
                yield Case(
                    f"Slice {text} second", "Slice", [x, numbers(0), numbers(n), numbers(axis), numbers(2)], [dtype]
                )
                yield Case(
                    f"Slice {text} back",
                    "Slice",
                    [x, numbers(-1), numbers(-n - 1), numbers(axis), numbers(-1)],
                    [dtype],
                )
                run = [Drawn("int64", (1,), lambda r, d: [1]), Drawn("int64", (1,), lambda r, d, n=n: [n - 1])]
                yield Case(f"Slice {text} run", "Slice", [x, *run, numbers(axis)], [dtype])
                if n % 2 == 0:
                    yield Case(f"Split {text}", "Split", [x], [dtype] * 2, {"axis": axis, "num_outputs": 2})
                if n % 4 == 0 and dtype == "float32":
                    yield Case(
                        f"Split {text} of four", "Split", [x, numbers(*[n // 4] * 4)], [dtype] * 4, {"axis": axis}
                    )
                if n > 2:
                    crop = [numbers(n - 2)]
                    yield Case(f"CenterCropPad {text} less", "CenterCropPad", [x, *crop], [dtype], {"axes": [axis]})
                    yield Case(
                        f"CenterCropPad {text} more", "CenterCropPad", [x, numbers(n + 2)], [dtype], {"axes": [axis]}
                    )
    for dims in ((1, 3, 256, 256),):
        yield Case(
            f"Crop float32 {dims_text(dims)}",
            "Crop",
            [("float32", dims)],
            ["float32"],
            {"border": [8, 8, 8, 8]},
            opset=8,
        )


def repeats() -> Iterator[Case]:
    for dtype in SOME:
        for dims in ((65536,), (256, 256), (128, 128, 3), (1, 64, 32, 32), (1, 112, 112, 3), (2, 4, 8, 32, 32)):
            if dtype != "float32" and len(dims) not in (2, 4):
                continue
            for axis in range(len(dims)):
                twice = [2 if a == axis else 1 for a in range(len(dims))]
                yield Case(
                    f"Tile {dtype} {dims_text(dims)} axis {axis}", "Tile", [(dtype, dims), numbers(*twice)], [dtype]
                )
                one = tuple(1 if a == axis else d for a, d in enumerate(dims))
                name = f"Expand {dtype} {dims_text(dims)} axis {axis}"
                yield Case(name, "Expand", [(dtype, one), numbers(*dims)], [dtype], fixed=True)
        yield Case(f"Expand {dtype} number", "Expand", [(dtype, (1,)), numbers(512, 512)], [dtype])
        yield Case(f"Tile {dtype} number", "Tile", [(dtype, (1, 1)), numbers(512, 512)], [dtype])
        yield Case(f"Tile {dtype} both", "Tile", [(dtype, (64, 64)), numbers(8, 8)], [dtype])
        run = Drawn("int64", (2,), lambda r, d: [512, 512])
        yield Case(f"Expand {dtype} run", "Expand", [(dtype, (512, 1)), run], [dtype])
        yield Case(f"ConstantOfShape {dtype}", "ConstantOfShape", [run], [dtype], {"value": constant_of(dtype)})
        yield Case(f"EyeLike {dtype}", "EyeLike", [(dtype, (512, 512))], [dtype])
        for upper in (0, 1):
            for dims in ((512, 512), (8, 128, 256)):
                yield Case(
                    f"Trilu {dtype} {dims_text(dims)} {upper}", "Trilu", [(dtype, dims)], [dtype], {"upper": upper}
                )
    for dtype in ("float32", "float64", "int32", "int64", "int16"):
        bounds = [Drawn(dtype, (), lambda r, d, v=v: v) for v in (0, 30000, 1)]
        yield Case(f"Range {dtype}", "Range", bounds, [dtype])


def constant_of(dtype: str) -> Any:
    from kernel_case import element_type
    from onnx import helper

    return helper.make_tensor("value", element_type(dtype), [1], [1])


def borders() -> Iterator[Case]:
    for dtype in ("float32", "uint8", "int64", "float64", "float16", "int32"):
        for mode in ("constant", "reflect", "edge", "wrap"):
            for dims in LAYOUTS if dtype == "float32" else LAYOUTS[3:5]:
                rank = len(dims)
                for axes in ((rank - 1,), (rank - 2,), (rank - 2, rank - 1), (rank - 3, rank - 2), (0,)):
                    if min(axes) < 0 or any(dims[a] < 3 for a in axes) or (axes == (0,) and rank > 1):
                        continue
                    pads = [2 if a in axes else 0 for a in range(rank)] * 2
                    text = f"{dtype} {dims_text(dims)} {mode} axes {','.join(map(str, axes))}"
                    yield Case(f"Pad {text}", "Pad", [(dtype, dims), numbers(*pads)], [dtype], {"mode": mode})
        cut = [numbers(0, 0, -3, -3, 0, 0, 2, 2)]
        yield Case(f"Pad {dtype} cut and pad", "Pad", [(dtype, (1, 64, 64, 64)), *cut], [dtype])
        value = [numbers(0, 0, 1, 1, 0, 0, 1, 1), constant(dtype, 3)]
        yield Case(f"Pad {dtype} of a value", "Pad", [(dtype, (1, 64, 64, 64)), *value], [dtype])


def indices(high: int, dims: tuple[int, ...], dtype: str = "int64", fixed: bool = False) -> Drawn:
    return Drawn(dtype, dims, lambda r, d: r.integers(0, high, d), fixed)


def gathers() -> Iterator[Case]:
    for dtype in dtypes_of("Gather"):
        for dims in LAYOUTS if dtype == "float32" else LAYOUTS[1:4:2]:
            for axis, n in enumerate(dims):
                text = f"{dtype} {dims_text(dims)} axis {axis}"
                x = (dtype, dims)
                count = min(n, 4096)
                yield Case(f"Gather {text}", "Gather", [x, indices(n, (count,))], [dtype], {"axis": axis})
                if dtype == "float32":
                    yield Case(
                        f"Gather {text} constant",
                        "Gather",
                        [x, indices(n, (count,), fixed=True)],
                        [dtype],
                        {"axis": axis},
                    )
                    yield Case(f"Gather {text} one", "Gather", [x, indices(n, ())], [dtype], {"axis": axis})
                    if len(dims) > 1:
                        yield Case(
                            f"Gather {text} 32-bit table",
                            "Gather",
                            [x, indices(n, (4, 8), "int32")],
                            [dtype],
                            {"axis": axis},
                        )
                if n > 1:
                    yield Case(
                        f"GatherElements {text}", "GatherElements", [x, indices(n, dims)], [dtype], {"axis": axis}
                    )
                    part = tuple(max(1, d // 2) for d in dims)
                    yield Case(
                        f"GatherElements {text} part", "GatherElements", [x, indices(n, part)], [dtype], {"axis": axis}
                    )
        x = (dtype, (64, 64, 64))
        for width in (1, 2, 3):
            yield Case(
                f"GatherND {dtype} by {width}",
                "GatherND",
                [x, indices(64, (4096 if width > 1 else 64, width))],
                [dtype],
            )
        for batch in (1, 2):
            dims = (64, 64, 1) if batch == 2 else (64, 32, 2)
            yield Case(
                f"GatherND {dtype} batch {batch}", "GatherND", [x, indices(64, dims)], [dtype], {"batch_dims": batch}
            )
    embedding = Drawn("float32", (30000, 384), lambda r, d: r.standard_normal(d), True)
    yield Case("Gather float32 embedding", "Gather", [embedding, indices(30000, (4, 128))], ["float32"])
    texts = Drawn("string", (128, 128), lambda r, d: r.integers(0, 99, d).astype(str))
    yield Case("Gather string", "Gather", [texts, indices(128, (128,))], ["string"])


def distinct(dims: tuple[int, ...], axis: int) -> Drawn:
    """Indices that fall on other elements each: what is written does not depend on an order."""

    def draw(r: Any, d: tuple[int, ...]) -> Any:
        import numpy as np

        return np.argsort(r.random(d), axis=axis)

    return Drawn("int64", dims, draw)


def scatters() -> Iterator[Case]:
    import numpy as np

    for dtype in dtypes_of("ScatterElements"):
        for dims in LAYOUTS if dtype == "float32" else LAYOUTS[1:4:2]:
            x = (dtype, dims)
            for axis, n in enumerate(dims):
                if n < 2:
                    continue
                text = f"{dtype} {dims_text(dims)} axis {axis}"
                given = [x, distinct(dims, axis), x]
                yield Case(f"ScatterElements {text}", "ScatterElements", given, [dtype], {"axis": axis})
                if dtype in ("float32", "int64") and len(dims) in (2, 4):
                    for how in ("add", "mul", "max", "min"):
                        own = {"axis": axis, "reduction": how}
                        yield Case(f"ScatterElements {text} {how}", "ScatterElements", given, [dtype], own)
        yield Case(
            f"Scatter {dtype}",
            "Scatter",
            [(dtype, (512, 512)), distinct((512, 512), 1), (dtype, (512, 512))],
            [dtype],
            {"axis": 1},
            opset=10,
        )
        for width in (1, 2, 3):
            points = Drawn(
                "int64",
                (4096 if width > 1 else 48, width),
                lambda r, d: np.stack(np.unravel_index(r.permutation(64 ** d[1])[: d[0]], [64] * d[1]), 1),
            )
            updates = (dtype, (points.dims[0], *[64] * (3 - width)))
            given = [(dtype, (64, 64, 64)), points, updates]
            yield Case(f"ScatterND {dtype} by {width}", "ScatterND", given, [dtype])
            if dtype in ("float32", "int32"):
                for how in ("add", "mul", "max", "min"):
                    yield Case(f"ScatterND {dtype} by {width} {how}", "ScatterND", given, [dtype], {"reduction": how})
        if dtype in ("float32", "float16", "int64", "uint8"):
            for axis, mode in ((2, "linear"), (2, "circular"), (-2, "linear")):
                cache = (dtype, (2, 8, 256, 64))
                given = [cache, (dtype, (2, 8, 16, 64)), Drawn("int64", (2,), lambda r, d: [3, 100])]
                yield Case(
                    f"TensorScatter {dtype} axis {axis} {mode}",
                    "TensorScatter",
                    given,
                    [dtype],
                    {"axis": axis, "mode": mode},
                )


def choosers() -> Iterator[Case]:
    for dtype in ("float32", "uint8", "int64", "float16", "bool"):
        for dims in LAYOUTS[1:5]:
            for axis, n in enumerate(dims):
                if n > 1:
                    keep = Drawn("bool", (n,), lambda r, d: r.random(d) < 0.5)
                    text = f"{dtype} {dims_text(dims)} axis {axis}"
                    yield Case(f"Compress {text}", "Compress", [(dtype, dims), keep], [dtype], {"axis": axis})
        for share in (0.01, 0.5):
            x = Drawn(dtype, (512, 512), lambda r, d, s=share: r.random(d) < s)
            yield Case(f"NonZero {dtype} {share}", "NonZero", [x], ["int64"])
            flat = Drawn("bool", (262144,), lambda r, d, s=share: r.random(d) < s)
            yield Case(f"Compress {dtype} flat {share}", "Compress", [(dtype, (512, 512)), flat], [dtype])
        x = (dtype, (128, 16, 64))
        for time, batch in ((0, 1), (1, 0)):
            lengths = Drawn(
                "int64", (16 if time == 0 else 128,), lambda r, d, t=time: r.integers(1, 128 if t == 0 else 16, d)
            )
            own = {"time_axis": time, "batch_axis": batch}
            yield Case(f"ReverseSequence {dtype} time {time}", "ReverseSequence", [x, lengths], [dtype], own)
    for dtype in ("float32", "int64", "uint8", "int32"):
        for axis in (-1, 0, 1):
            values = Drawn(dtype, (2,), lambda r, d: [0, 1])
            given = [indices(64, (64, 64)), constant("int64", 64), values]
            yield Case(f"OneHot {dtype} axis {axis}", "OneHot", given, [dtype], {"axis": axis})
    yield Case(
        "OneHot 1024 512",
        "OneHot",
        [indices(512, (1024,)), constant("int64", 512), constant("float32", [0, 1])],
        ["float32"],
    )


FAMILIES = {
    "orders": orders, "parts": parts, "repeats": repeats, "borders": borders, "gathers": gathers, "scatters": scatters,
    "choosers": choosers,
}  # fmt: skip
