# SPDX-License-Identifier: Apache-2.0
"""How convolutions, poolings and resizings are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from cases import T
from growing import Dim, Growing, Shape, Value, allowed, elements, floats_of
from vocabulary import attributes, draws, some, without_zero

# -- convolutions and poolings ---------------------------------------------------------------------------------------


def image(g: Growing, among: Sequence[int], *, convolved: bool = True, most_rank: int = 5) -> Value:
    """[N, C, spatial...] with a fixed C where weights follow it, and nothing empty but N."""

    def fits(v: Value) -> bool:
        return (not convolved or g.is_fixed(v.shape[1])) and all(min(d) > 0 for d in v.shape[1:]) and v.size < 300

    ranks = (3, 4, 4, 4, 5)
    fitting = [v for v in g.values if v.dtype in among and v.rank in ranks and fits(v)]
    if fitting and some(g, 0.7):
        return g.take(g.random.choice(fitting))
    rank = min(g.random.choice(ranks), most_rank)
    for _ in range(20):
        channels = g.fixed(g.random.choice((1, 2, 3, 4, 6, 8, 16, 17)))
        shape = (g.dim(), channels, *(g.dim() for _ in range(rank - 2)))
        if all(min(d) > 0 for d in shape[1:]) and elements(shape) <= 3000:
            return g.take(g.input(g.dtype(among), shape))
    g.need(False)
    raise AssertionError


def padded_window(g: Growing, spatial: int, kernel: Sequence[int], pooling: bool) -> dict[str, Any]:
    named: dict[str, Any] = {}
    if some(g, 0.5):
        named["strides"] = [g.random.choice((1, 1, 2, 3)) for _ in range(spatial)]
    dilated = not pooling or g.opset >= 10
    if dilated and some(g, 0.25):
        named["dilations"] = [g.random.choice((1, 2, 3)) for _ in range(spatial)]
    r = g.random.random()
    if r < 0.5:
        most = [k - 1 if pooling else k + 1 for k in kernel]
        named["pads"] = [g.random.randint(0, max(0, min(m, 2))) for m in (*most, *most)]
    elif r < 0.7:
        # With dilations, engines do not agree what a pooling's SAME is.
        same = () if pooling and "dilations" in named else ("SAME_UPPER", "SAME_LOWER")
        named["auto_pad"] = g.random.choice((*same, "VALID", "NOTSET"))
    return named


def windows(g: Growing, dims: Shape, kernel: Sequence[int], named: dict[str, Any]) -> Shape:
    """Spatial dims after a window has passed."""
    out = []
    spatial = len(dims)
    strides, dilations = named.get("strides", [1] * spatial), named.get("dilations", [1] * spatial)
    pads = named.get("pads", [0] * 2 * spatial)
    ceil = named.get("ceil_mode", 0)
    for i, dim in enumerate(dims):
        reach = dilations[i] * (kernel[i] - 1) + 1

        def rule(run: int, i: int = i, dim: Dim = dim, reach: int = reach) -> int:
            size = dim[run]
            if named.get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
                return -(-size // strides[i])
            begin, end = (0, 0) if named.get("auto_pad") == "VALID" else (pads[i], pads[i + spatial])
            room = size + begin + end - reach
            g.need(room >= 0)
            steps = room // strides[i]
            if ceil and room % strides[i]:
                steps += 1
                if (
                    steps * strides[i] >= size + begin
                ):  # a window that would start in the padding at the end is left out
                    steps -= 1
            return steps + 1

        out.append(g.all_runs(rule))
    return tuple(out)


def wide_conv(g: Growing, op: str) -> None:
    """One that math modes fast and reduced have kernels for, on planes of a few tiles."""
    channels, out = g.fixed(g.random.choice((16, 17))), g.fixed(g.random.choice((16, 17, 32)))
    x = g.take(g.input(T.FLOAT, (g.dim(), channels, *(g.fixed(g.random.randint(9, 14)) for _ in range(2)))))
    w = g.operand(T.FLOAT, (out, channels, g.fixed(3), g.fixed(3)), constant=0.95)
    bias = g.operand(T.FLOAT, (out,), constant=0.8) if some(g) else None
    g.emit(op, [x, w, bias], [(T.FLOAT, (x.shape[0], out, *x.shape[2:]))], size=x.size * 12, pads=[1] * 4)


@draws("Conv")
def conv(g: Growing, op: str) -> None:
    if some(g, 0.1):
        return wide_conv(g, op)
    x = image(g, floats_of(op, g.opset))
    channels, spatial = x.shape[1][0], x.rank - 2
    group = g.random.choice([d for d in (1, 1, 1, 2, 3, channels) if channels % d == 0])
    out = group * g.random.choice((1, 1, 2, 3, 5, 8))
    kernel = [g.random.choice((1, 1, 2, 3, 3, 4, 5)) for _ in range(spatial)]
    named = padded_window(g, spatial, kernel, False)
    dims = windows(g, x.shape[2:], kernel, named)
    if group > 1 or some(g, 0.2):
        named["group"] = group
    if some(g):
        named["kernel_shape"] = kernel
    w = g.operand(x.dtype, tuple(map(g.fixed, (out, channels // group, *kernel))), constant=0.8)
    bias = g.operand(x.dtype, (g.fixed(out),), constant=0.8) if some(g) else None
    taps = (channels // group) * int(np.prod(kernel))
    g.emit(op, [x, w, bias], [(x.dtype, (x.shape[0], g.fixed(out), *dims))], size=x.size * max(3, taps**0.5), **named)


@draws("ConvTranspose")
def conv_transpose(g: Growing, op: str) -> None:
    x = image(g, floats_of(op, g.opset))
    channels, spatial = x.shape[1][0], x.rank - 2
    group = g.random.choice([d for d in (1, 1, 2, 3, channels) if channels % d == 0])
    each = g.random.choice((1, 2, 3))
    kernel = [g.random.choice((1, 2, 3, 4)) for _ in range(spatial)]
    strides = [g.random.choice((1, 2, 3)) for _ in range(spatial)]
    dilations = [g.random.choice((1, 1, 2)) for _ in range(spatial)]
    pads = [g.random.choice((0, 0, 1)) for _ in range(2 * spatial)]
    extra = [g.random.choice((0, 0, 1)) if some(g, 0.3) else 0 for _ in range(spatial)]
    extra = [min(e, max(s, d) - 1) for e, s, d in zip(extra, strides, dilations, strict=True)]
    dims = []
    for i, dim in enumerate(x.shape[2:]):
        dims.append(
            g.all_runs(
                lambda run, i=i, dim=dim: (
                    strides[i] * (dim[run] - 1)
                    + extra[i]
                    + (kernel[i] - 1) * dilations[i]
                    + 1
                    - pads[i]
                    - pads[i + spatial]
                )  # type: ignore[misc]
            )
        )
    g.need(all(min(d) > 0 for d in dims))
    named: dict[str, Any] = {"strides": strides, "pads": pads, "group": group}
    if any(d > 1 for d in dilations):
        named["dilations"] = dilations
    if any(extra):
        named["output_padding"] = extra
    w = g.operand(x.dtype, tuple(map(g.fixed, (channels, each, *kernel))), constant=0.8)
    bias = g.operand(x.dtype, (g.fixed(each * group),), constant=0.8) if some(g) else None
    g.emit(op, [x, w, bias], [(x.dtype, (x.shape[0], g.fixed(each * group), *dims))], size=x.size * 5, **named)


@draws("AveragePool", "MaxPool", "LpPool")
def pool(g: Growing, op: str) -> None:
    x = image(g, allowed(op, g.opset, 0), convolved=False)
    spatial = x.rank - 2
    kernel = [g.random.choice((1, 2, 2, 3, 3, 4)) for _ in range(spatial)]
    named = padded_window(g, spatial, kernel, True)
    since = {"AveragePool": 19, "LpPool": 18, "MaxPool": 10}[op]
    if g.opset < since:
        named.pop("dilations", None)
    if g.opset >= (since if op == "LpPool" else 10) and some(g, 0.25) and "auto_pad" not in named:
        named["ceil_mode"] = 1
    dims = windows(g, x.shape[2:], kernel, named)
    if op == "AveragePool":
        named.update(attributes(g, count_include_pad=(0.4, 1)))
    if op == "LpPool":
        named.update(attributes(g, p=(0.6, g.random.choice((1, 2, 3)))))
    shape = (*x.shape[:2], *dims)
    second = (T.INT64, shape) if op == "MaxPool" and g.opset >= 8 and some(g, 0.2) else None
    if second and some(g, 0.3):
        named["storage_order"] = 1
    g.emit(
        op, [x], [(x.dtype, shape), second], kernel_shape=kernel, size=x.size * (4 if op == "LpPool" else 1), **named
    )


@draws("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(g: Growing, op: str) -> None:
    x = image(g, allowed(op, g.opset, 0), convolved=False)
    named = attributes(g, p=(0.5, g.random.choice((1, 2)))) if op == "GlobalLpPool" else {}
    g.emit(op, [x], [(x.dtype, (*x.shape[:2], *(g.fixed(1) for _ in x.shape[2:])))], **named)


# -- resizing --------------------------------------------------------------------------------------------------------


@draws("Upsample")
def upsample(g: Growing, op: str) -> None:
    g.need(7 <= g.opset < 10)
    x = g.pick(allowed(op, g.opset, 0), 4, without_zero)
    scales = [1.0, 1.0, g.random.choice((1.0, 2.0, 3.0, 1.5)), g.random.choice((1.0, 2.0, 2.5))]
    dims = tuple(g.all_runs(lambda run, d=d, s=s: int(d[run] * s)) for d, s in zip(x.shape, scales, strict=True))  # type: ignore[misc]
    named: dict[str, Any] = attributes(g, mode=(0.7, g.random.choice(("nearest", "linear"))))
    if g.opset < 9:
        g.emit(op, [x], [(x.dtype, dims)], scales=scales, **named)
    else:
        g.emit(op, [x, g.constant(np.array(scales, np.float32))], [(x.dtype, dims)], **named)


@draws("Resize")
def resize(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), (3, 4, 4, 4, 5, 2, 1), without_zero)
    spatial = min(x.rank, g.random.choice((1, 2, 2, 3)))
    mode = g.random.choice(("nearest", "nearest", "linear", "linear", "cubic"))
    if mode == "cubic":
        spatial = min(x.rank, 2)
        g.need(x.rank == 4)
    scales = [1.0] * (x.rank - spatial) + [
        g.random.choice((0.5, 2.0, 3.0, 1.5, 0.25, 1.0, 0.7, 0.6)) for _ in range(spatial)
    ]
    dims = tuple(
        g.all_runs(lambda run, d=d, s=s: int(np.floor(np.float32(d[run]) * np.float32(s))))  # type: ignore[misc]
        for d, s in zip(x.shape, scales, strict=True)
    )
    g.need(all(min(d) > 0 for d in dims))
    values = g.constant(np.array(scales, np.float32))
    if g.opset < 11:
        g.emit(op, [x, values], [(x.dtype, dims)], mode="nearest" if mode == "cubic" else mode)
        return
    modes = ["half_pixel", "asymmetric", "pytorch_half_pixel", "align_corners"] + (
        ["half_pixel_symmetric"] if g.opset >= 19 else []
    )
    named: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": g.random.choice(modes)}
    if mode == "nearest":
        named.update(
            attributes(
                g, nearest_mode=(0.7, g.random.choice(("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")))
            )
        )
    if mode == "cubic":
        named.update(attributes(g, cubic_coeff_a=(0.3, -0.5), exclude_outside=(0.3, 1)))
    roi = g.constant(np.zeros(0, np.float32)) if g.opset < 13 else None
    if some(g, 0.35):
        sizes = [g.random.randint(1, 9) if i >= x.rank - spatial else d for i, d in enumerate(x.shape)]
        dims = tuple(g.fixed(s) if isinstance(s, int) else s for s in sizes)
        empty = g.constant(np.zeros(0, np.float32)) if g.opset < 13 else None
        if g.opset >= 18 and some(g):
            named["axes"] = list(range(x.rank - spatial, x.rank))
            target = g.dims_as_value(dims[x.rank - spatial :])
        else:
            target = g.dims_as_value(dims)
        g.emit(op, [x, roi, empty, target], [(x.dtype, dims)], **named)
        return
    g.emit(op, [x, roi, values], [(x.dtype, dims)], **named)


@draws("GridSample")
def grid_sample(g: Growing, op: str) -> None:
    # Where places are infinite, or what lies there, engines differ: normal numbers.
    dtype = g.dtype(floats_of(op, g.opset))
    spatial = g.random.choice((2, 2, 3)) if g.opset >= 20 else 2
    n, image, out = g.dim(), [g.dim() for _ in range(spatial)], [g.dim() for _ in range(spatial)]
    g.need(all(min(d) > 0 for d in image))
    x = g.input(dtype, (n, g.dim(), *image), "normal")
    grid = g.input(dtype, (n, *out, g.fixed(spatial)), "normal")
    modes = ("bilinear", "nearest", "bicubic") if g.opset < 20 else ("linear", "nearest", "cubic")
    named = attributes(
        g,
        mode=(0.7, g.random.choice(modes if spatial == 2 else modes[:2])),
        padding_mode=(0.6, g.random.choice(("zeros", "border", "reflection"))),
        align_corners=(0.5, g.random.choice((0, 1))),
    )
    g.emit(op, [x, grid], [(dtype, (n, x.shape[1], *out))], **named)
