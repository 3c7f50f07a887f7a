# SPDX-License-Identifier: Apache-2.0
"""How nodes of detectors, signals, losses and images are drawn. Where engines differ about what lies beyond numbers, inputs are normal
numbers; where a size follows from data, the data is such that a rule of the dims determines it."""

from __future__ import annotations

import numpy as np
from cases import T
from growing import Dim, Growing, allowed, floats_of
from vocabulary import attributes, draws, replaced, signed_axis, some

WIDE = (T.FLOAT, T.DOUBLE)


def wide_floats(op: str, opset: int) -> list[int]:
    return [d for d in floats_of(op, opset) if d in WIDE]


def places(g: Growing, dim: Dim, window: int, stride: int, dilation: int, pads: int) -> Dim:
    reach = (window - 1) * dilation + 1
    g.need(min(dim) + pads >= reach)
    return g.all_runs(lambda run: (dim[run] + pads - reach) // stride + 1)


# -- detection ------------------------------------------------------------------------------------------------------------


@draws("NonMaxSuppression")
def non_max_suppression(g: Growing, op: str) -> None:
    """No box overlaps another by more than all of it, so that as many are selected as there may be."""
    batches, classes, count = g.fixed(g.random.choice((1, 2))), g.fixed(g.random.choice((1, 3))), g.dim()
    boxes = g.input(T.FLOAT, (batches, count, g.fixed(4)), "normal")
    scores = g.input(T.FLOAT, (batches, classes, count), "normal")
    most = g.random.choice((0, 1, 3, 50))
    bounds = [g.numbers(most), g.constant(np.array([1.0], np.float32))]
    each = g.all_runs(lambda run: batches[0] * classes[0] * min(most, count[run]))
    named = attributes(g, center_point_box=(0.5, g.random.choice((0, 1))))
    g.emit(op, [boxes, scores, *bounds], [(T.INT64, (each, g.fixed(3)))], size=60, **named)


@draws("RoiAlign")
def roi_align(g: Growing, op: str) -> None:
    dtype = g.dtype([T.FLOAT])
    n, channels, regions = g.fixed(g.random.choice((1, 2))), g.dim(), g.dim()
    x = g.input(dtype, (n, channels, g.fixed(6), g.fixed(7)), "normal")
    rois = g.input(dtype, (regions, g.fixed(4)), "normal")
    batch = g.input(T.INT64, (regions,), f"integers 0 {n[0] - 1}")
    size = [g.random.choice((1, 2, 3)) for _ in range(2)]
    named = attributes(
        g,
        sampling_ratio=(0.5, g.random.choice((0, 1, 2))),
        spatial_scale=(0.4, 0.5),
        mode=(0.5, g.random.choice(("avg", "max"))),
    )
    if g.opset >= 16:
        modes = ("half_pixel", "output_half_pixel")
        named |= attributes(g, coordinate_transformation_mode=(0.7, g.random.choice(modes)))
    shape = (regions, channels, *map(g.fixed, size))
    g.emit(op, [x, rois, batch], [(dtype, shape)], output_height=size[0], output_width=size[1], **named)


@draws("MaxRoiPool")
def max_roi_pool(g: Growing, op: str) -> None:
    channels, regions = g.dim(), g.dim()
    x = g.input(T.FLOAT, (g.fixed(1), channels, g.fixed(6), g.fixed(7)), "normal")
    rest = g.input(T.FLOAT, (regions, g.fixed(4)), "integers 0 6")
    zero = g.constant(np.zeros((1, 1), np.float32))
    column = (T.FLOAT, (regions, g.fixed(1)))
    any_column = g.emit("Slice", [rest, g.numbers(0), g.numbers(1), g.numbers(1)], [column], kept=False)[0]
    first = g.emit("Mul", [any_column, zero], [column], kept=False)[0]
    rois = g.emit("Concat", [first, rest], [(T.FLOAT, (regions, g.fixed(5)))], kept=False, axis=1)[0]
    g.emit(op, [x, rois], [(T.FLOAT, (regions, channels, g.fixed(2), g.fixed(3)))], pooled_shape=[2, 3])


@draws("DeformConv")
def deform_conv(g: Growing, op: str) -> None:
    dtype = g.dtype(wide_floats(op, g.opset))
    group = g.random.choice((1, 1, 2))
    offsets = g.random.choice((1, 2))
    window, stride, pads = (
        [g.random.choice((1, 2, 3)) for _ in range(2)],
        g.random.choice((1, 2)),
        g.random.choice((0, 1)),
    )
    n, image = g.dim(), [g.dim(), g.dim()]
    out = [places(g, image[k], window[k], stride, 1, 2 * pads) for k in range(2)]
    taps = window[0] * window[1] * offsets
    x = g.input(dtype, (n, g.fixed(4), *image), "normal")
    weights = g.operand(dtype, (g.fixed(2 * group), g.fixed(4 // group), *map(g.fixed, window)), "normal", constant=0.7)
    offset = g.input(dtype, (n, g.fixed(2 * taps), *out), "normal")
    rest = [g.operand(dtype, (g.fixed(2 * group),), "normal") if some(g) else None]
    rest.append(g.input(dtype, (n, g.fixed(taps), *out), "normal") if some(g) else None)
    named = {"group": group, "offset_group": offsets, "strides": [stride] * 2, "pads": [pads] * 4}
    g.emit(op, [x, weights, offset, *rest], [(dtype, (n, g.fixed(2 * group), *out))], size=100, **named)


# -- losses ---------------------------------------------------------------------------------------------------------------


@draws("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(g: Growing, op: str) -> None:
    dtype = g.dtype(wide_floats(op, g.opset))
    classes = g.random.choice((1, 3, 5))
    shape = (g.dim(), *[g.dim() for _ in range(g.random.choice((0, 1, 2)))])
    g.need(all(min(d) > 0 for d in shape))
    x = g.input(dtype, (shape[0], g.fixed(classes), *shape[1:]), "normal")
    target = g.input(T.INT64, shape, f"integers 0 {classes - 1}")
    weights = (
        [g.constant(np.linspace(0.5, 1.5, classes).astype(np.float32 if dtype == T.FLOAT else np.float64))]
        if some(g)
        else []
    )
    named = attributes(g, reduction=(0.8, g.random.choice(("none", "sum"))))
    if named and some(g, 0.4):
        named["ignore_index"] = g.random.randrange(classes)
    outputs = [(dtype, shape if named.get("reduction") == "none" else ())]
    if op == "SoftmaxCrossEntropyLoss" and some(g):
        outputs.append((dtype, x.shape))
    g.emit(op, [x, target, *weights], outputs, size=100, **named)


# -- signals --------------------------------------------------------------------------------------------------------------


@draws("Det")
def det(g: Growing, op: str) -> None:
    dtype = g.dtype(wide_floats(op, g.opset))
    n = g.fixed(g.random.choice((1, 2, 3)))
    batch = g.shape(g.random.choice((0, 1, 2)))
    g.emit(op, [g.input(dtype, (*batch, n, n), "normal")], [(dtype, batch)], size=60)


@draws("DFT")
def dft(g: Growing, op: str) -> None:
    g.need(g.opset >= 20)
    dtype = g.dtype(wide_floats(op, g.opset))
    real, inverse = some(g, 0.4), some(g)
    shape = (g.dim(), g.dim(), g.fixed(1 if real and not inverse else 2))
    axis = g.random.choice((0, 1))
    g.need(min(shape[axis]) > 0)
    x = g.input(dtype, shape, "normal")
    onesided = shape[2][0] == 1 and some(g)
    length = g.fixed(g.random.choice((1, 4, 7, 12))) if some(g) else shape[axis]
    given = [g.constant(np.array(length[0], np.int64)) if length is not shape[axis] else None]
    given.append(g.constant(np.array(signed_axis(g, axis, 3), np.int64)))
    made = g.all_runs(lambda run: length[run] // 2 + 1) if onesided else length
    named = {"inverse": int(inverse), "onesided": int(onesided)}
    g.emit(op, [x, *given], [(dtype, (*replaced(shape, axis, made)[:2], g.fixed(2)))], size=100, **named)


@draws("STFT")
def stft(g: Growing, op: str) -> None:
    n, length, frame, step = g.dim(), g.dim(), g.random.choice((1, 3, 4)), g.random.choice((1, 2, 5))
    frames = places(g, length, frame, step, 1, 0)
    x = g.input(T.FLOAT, (n, length, g.fixed(1)), "normal")
    window = g.operand(T.FLOAT, (g.fixed(frame),), "normal") if some(g) else None
    last = g.constant(np.array(frame, np.int64))
    onesided = g.random.choice((0, 1))
    made = g.fixed(frame // 2 + 1 if onesided else frame)
    g.emit(
        op,
        [x, g.constant(np.array(step, np.int64)), window, last],
        [(T.FLOAT, (n, frames, made, g.fixed(2)))],
        size=100,
        onesided=onesided,
    )


@draws("BlackmanWindow", "HammingWindow", "HannWindow")
def window(g: Growing, op: str) -> None:
    dim = g.dim()
    g.need(min(dim) > 2)  # two numbers of a window are zeros, and what differs is their rounding
    size = g.emit("Squeeze", [g.dim_as_value(dim)], [(T.INT64, ())], kept=False)[0] if g.opset >= 13 else None
    g.need(size is not None)
    named = attributes(g, periodic=(0.6, g.random.choice((0, 1))))
    g.emit(op, [size], [(T.FLOAT, (dim,))], size=2, **named)


@draws("MelWeightMatrix")
def mel_weight_matrix(g: Growing, op: str) -> None:
    bins, length = g.random.choice((4, 8)), g.random.choice((32, 64))
    given = [g.constant(np.array(v, np.int64)) for v in (bins, length, 8000)]
    given += [g.constant(np.array(v, np.float32)) for v in (50, 3900)]
    g.emit(op, given, [(T.FLOAT, (g.fixed(length // 2 + 1), g.fixed(bins)))], size=2)


@draws("CumProd")
def cumprod(g: Growing, op: str) -> None:
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in (*WIDE, T.INT32, T.INT64)])
    shape = g.shape(g.random.choice((1, 2, 3)))
    axis = g.random.randrange(len(shape))
    g.need(max(shape[axis]) <= 8)
    x = g.input(dtype, shape, "integers 1 3")
    named = attributes(g, exclusive=(0.5, g.random.choice((0, 1))), reverse=(0.5, g.random.choice((0, 1))))
    g.emit(
        op, [x, g.constant(np.array(signed_axis(g, axis, len(shape)), np.int64))], [(dtype, shape)], size=7000, **named
    )


# -- images and movers ----------------------------------------------------------------------------------------------------


@draws("CenterCropPad")
def center_crop_pad(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank > 0)
    axes = sorted(g.random.sample(range(x.rank), g.random.randint(1, x.rank)))
    shape = x.shape
    for axis in axes:
        shape = replaced(shape, axis, g.dim())
    named = {} if len(axes) == x.rank and some(g) else {"axes": [signed_axis(g, a, x.rank) for a in axes]}
    g.emit(op, [x, g.dims_as_value([shape[a] for a in axes])], [(x.dtype, shape)], **named)


@draws("Col2Im")
def col2im(g: Growing, op: str) -> None:
    dtype = g.dtype([d for d in allowed(op, g.opset, 0) if d in WIDE])
    image, block = [g.dim(), g.dim()], [g.random.choice((1, 2, 3)) for _ in range(2)]
    stride, pads = g.random.choice((1, 2)), g.random.choice((0, 1))
    out = [places(g, image[k], block[k], stride, 1, 2 * pads) for k in range(2)]
    columns = g.all_runs(lambda run: out[0][run] * out[1][run])
    n, channels = g.dim(), g.random.choice((1, 2, 3))
    x = g.input(dtype, (n, g.fixed(channels * block[0] * block[1]), columns), "normal")
    named = {"strides": [stride] * 2, "pads": [pads] * 4}
    g.emit(
        op, [x, g.dims_as_value(image), g.numbers(*block)], [(dtype, (n, g.fixed(channels), *image))], size=30, **named
    )


@draws("AffineGrid")
def affine_grid(g: Growing, op: str) -> None:
    spatial = g.random.choice((2, 3))
    n, image = g.dim(), [g.dim() for _ in range(spatial)]
    g.need(all(min(d) > 1 for d in image))
    theta = g.input(T.FLOAT, (n, g.fixed(spatial), g.fixed(spatial + 1)), "normal")
    size = g.dims_as_value([n, g.fixed(3), *image])
    named = attributes(g, align_corners=(0.6, g.random.choice((0, 1))))
    g.emit(op, [theta, size], [(T.FLOAT, (n, *image, g.fixed(spatial)))], size=15, **named)


@draws("MaxUnpool")
def max_unpool(g: Growing, op: str) -> None:
    """Of what a MaxPool found."""
    n, channels, image = g.dim(), g.dim(), [g.dim(), g.dim()]
    pooled = [places(g, d, 2, 2, 1, 0) for d in image]
    x = g.input(T.FLOAT, (n, channels, *image), "normal")
    # Engines count the places of what is unpooled, which is as large as what was pooled where that is even.
    g.need(all(size % 2 == 0 for d in image for size in d))
    shape = (n, channels, *pooled)
    y, at = g.emit(
        "MaxPool", [x], [(T.FLOAT, shape), (T.INT64, shape)], kept=False, kernel_shape=[2, 2], strides=[2, 2]
    )
    g.emit(op, [y, at], [(T.FLOAT, x.shape)], kernel_shape=[2, 2], strides=[2, 2])


@draws("ReverseSequence")
def reverse_sequence(g: Growing, op: str) -> None:
    x = g.pick(allowed(op, g.opset, 0), fits=lambda v: v.rank >= 2 and all(min(d) > 0 for d in v.shape[:2]))
    batch = g.random.choice((0, 1))
    steps = min(x.shape[1 - batch])
    lengths = g.input(T.INT64, (x.shape[batch],), f"integers 1 {steps}")
    g.emit(op, [x, lengths], [(x.dtype, x.shape)], batch_axis=batch, time_axis=1 - batch)


@draws("BitCast")
def bit_cast(g: Growing, op: str) -> None:
    pairs = {T.FLOAT: T.INT32, T.INT64: T.UINT64, T.INT32: T.UINT32, T.UINT8: T.INT8}
    x = g.pick([d for d in allowed(op, g.opset, 0) if d in pairs])
    g.emit(op, [x], [(pairs[x.dtype], x.shape)], kept=False, to=pairs[x.dtype])
