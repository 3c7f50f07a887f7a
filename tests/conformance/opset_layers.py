# SPDX-License-Identifier: Apache-2.0
"""Rows of opset_table.py for layers over space and time: windows, norms, resizes, grid samples, recurrent cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from opset_cases import Array, Case
from opset_inputs import f, grid, i


def windows() -> Iterator[Case]:
    x = f(1, 2, 7, 6)
    for at in grid(kernel_shape=([2, 2], [3, 2]), strides=(None, [2, 3]), pads=(None, [0, 1, 1, 0], [1, 1, 1, 1])):
        yield Case("MaxPool", [x], attributes=at)
        yield Case("MaxPool", [x], attributes=at, outputs=2, since=8)
        yield Case("MaxPool", [x], attributes={**at, "storage_order": 1}, outputs=2, since=8)
        yield Case("MaxPool", [x], attributes={**at, "ceil_mode": 1}, since=10)
        yield Case("MaxPool", [x], attributes={**at, "dilations": [2, 1]}, since=10)
        for included in (None, 0, 1):
            average = {**at, "count_include_pad": included}
            yield Case("AveragePool", [x], attributes=average)
            # ONNX Runtime and the reference took long to agree about the last window of ceil_mode: from 19 on.
            yield Case("AveragePool", [x], attributes={**average, "ceil_mode": 1}, since=19)
            yield Case("AveragePool", [x], attributes={**average, "dilations": [2, 1]}, since=19)
        for p in (None, 1, 3):
            yield Case("LpPool", [x], attributes={**at, "p": p}, tolerance=1e-5)
    for at in grid(
        kernel_shape=([2, 2], [3, 2]), strides=(None, [2, 2]), auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    ):
        yield Case("MaxPool", [x], attributes=at)
        for included in (None, 1):
            yield Case("AveragePool", [x], attributes={**at, "count_include_pad": included})
    for dims in ((2, 3, 5), (2, 3, 4, 5), (1, 2, 2, 3, 2), (1, 2, 2, 1, 2, 3)):
        y = f(*dims)
        over = tuple(range(2, y.ndim))
        yield Case("GlobalAveragePool", [y], tolerance=1e-5)
        yield Case(
            "GlobalMaxPool", [y], expected=[y.max(axis=over, keepdims=True)]
        )  # the reference keeps too many axes
    for at in grid(auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID"), strides=(None, [2, 2])):
        yield Case("LpPool", [x], attributes={**at, "kernel_shape": [3, 2]}, tolerance=1e-5)
    yield Case("LpPool", [x], attributes={"kernel_shape": [3, 2], "dilations": [2, 1]}, since=18, tolerance=1e-5)
    for p in (None, 1, 2):
        yield Case("GlobalLpPool", [x], attributes={"p": p}, tolerance=1e-5)
    w = f(4, 2, 3, 2, seed=1)
    for at in grid(strides=(None, [2, 1], [3, 2]), dilations=(None, [1, 2]), pads=(None, [1, 0, 2, 1])):
        yield Case("Conv", [x], [w, f(4)], attributes=at, tolerance=1e-5)
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1)], attributes=at, tolerance=1e-5)
    for at in grid(auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID"), strides=(None, [2, 1], [3, 2]), dilations=(None,)):
        yield Case("Conv", [x], [w], attributes=at, tolerance=1e-5)
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1)], attributes=at, tolerance=1e-5)
    yield Case("Conv", [x], [f(4, 1, 3, 2, seed=1)], attributes={"group": 2, "kernel_shape": [3, 2]}, tolerance=1e-5)
    for at in grid(output_padding=(None, [1, 0]), strides=([2, 2],), group=(1, 2), kernel_shape=(None, [3, 2])):
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1), f(3 * at["group"])], attributes=at, tolerance=1e-5)
    for at in grid(output_shape=([15, 13], [16, 12]), strides=([2, 2],), auto_pad=(None, "SAME_UPPER", "SAME_LOWER")):
        yield Case("ConvTranspose", [x], [f(2, 3, 3, 2, seed=1)], attributes=at, tolerance=1e-5)


def lrn(x: Array, size: Any, alpha: Any, beta: Any, bias: Any) -> Array:
    """By ONNX's text; ONNX Runtime refuses even sizes, and the reference takes batches for channels."""
    alpha, beta, bias = 1e-4 if alpha is None else alpha, 0.75 if beta is None else beta, 1.0 if bias is None else bias
    square = np.square(x, dtype=np.float64)
    sums = np.zeros_like(square)
    for channel in range(x.shape[1]):
        first, last = channel - (size - 1) // 2, channel + size // 2
        sums[:, channel] = square[:, max(first, 0) : last + 1].sum(axis=1)
    return np.asarray(x / (bias + alpha / size * sums) ** beta, dtype=x.dtype)


def norms() -> Iterator[Case]:
    x, one, two = f(2, 4, 3, 5), f(4) + 4, f(4, seed=2)
    for epsilon in (None, 0.1):
        yield Case("BatchNormalization", [x], [one, two, f(4, seed=3), one], attributes={"epsilon": epsilon})
        yield Case("BatchNormalization", [f(3, 4)], [one, two, f(4, seed=3), one], attributes={"epsilon": epsilon})
        for momentum in (None, 0.4):
            yield Case("BatchNormalization", [x], [one, two, f(4, seed=3), one], outputs=3, since=14, tolerance=1e-5,
                       attributes={"epsilon": epsilon, "momentum": momentum, "training_mode": 1})  # fmt: skip
            for outputs in (2, 3, 4):  # before opset 14 they say that it trains
                yield Case(
                    "BatchNormalization",
                    [x],
                    [one, two, f(4, seed=3), one],
                    outputs=outputs,
                    until=13,
                    tolerance=1e-5,
                    attributes={"epsilon": epsilon, "momentum": momentum},
                )
        yield Case("InstanceNormalization", [x], [one, two], attributes={"epsilon": epsilon}, tolerance=1e-5)
        for axis in (None, 1, 2, -1, -2):
            at = {"axis": axis, "epsilon": epsilon}
            full = x.shape[(axis if axis is not None else -1) :]
            yield Case("LayerNormalization", [x], [f(*full), f(*full, seed=1)], attributes=at, tolerance=1e-5)
            yield Case("LayerNormalization", [x], [f(*full)], attributes=at, outputs=3, tolerance=1e-5)
            yield Case("RMSNormalization", [x], [f(*full)], attributes=at, tolerance=1e-5)
        for groups in (1, 2, 4):
            at = {"num_groups": groups, "epsilon": epsilon}
            yield Case("GroupNormalization", [x], [one, two], attributes=at, since=21, tolerance=1e-5)
            yield Case("GroupNormalization", [x], [one[:groups], two[:groups]], attributes=at, until=20, tolerance=1e-5)
    for at in grid(size=(1, 2, 3, 4, 5), alpha=(None, 0.5), beta=(None, 0.5), bias=(None, 2.0)):
        yield Case("LRN", [x], attributes=at, tolerance=1e-5, expected=[lrn(x, **at)])
    for at in grid(axis=(None, 0, 1, -2), p=(None, 1, 2)):
        yield Case("LpNormalization", [f(3, 4)], attributes=at, tolerance=1e-5)
    yield Case("LpNormalization", [np.zeros((2, 3), np.float32)], since=22)
    for given in (None, [0, 2, 3], [1], [0, 1, 2, 3]):
        yield Case("MeanVarianceNormalization", [x], attributes={"axes": given}, tolerance=1e-5)


def resizes() -> Iterator[Case]:
    x = f(1, 2, 4, 6)
    large: list[list[float]] = [[1, 1, 2, 2], [1, 1, 1.5, 3], [1, 1, 1, 2.5]]
    small: list[list[float]] = [[1, 1, 0.5, 0.5], [1, 1, 0.6, 0.6], [1, 1, 2, 0.5], [1, 1, 0.75, 1.5], [1, 1, 0.3, 1]]
    at: dict[str, Any]
    for scales, mode in itertools.product(large, (None, "nearest", "linear")):
        yield Case("Upsample", [x], attributes={"scales": [float(v) for v in scales], "mode": mode}, until=8)
        yield Case("Upsample", [x], [i(*scales, dtype=np.float32)], attributes={"mode": mode}, since=9, until=9)
    for scales, mode in itertools.product(small + large, (None, "nearest", "linear")):
        yield Case("Resize", [x], [i(*scales, dtype=np.float32)], attributes={"mode": mode}, until=10)
    modes = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
    nearest = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    none = np.zeros(0, np.float32)
    for coordinates, how, sizes in itertools.product(
        (None, *modes), (None, *nearest), ([1, 2, 8, 12], [1, 2, 3, 9], [1, 2, 2, 3])
    ):
        at = {"coordinate_transformation_mode": coordinates, "nearest_mode": how}
        yield Case("Resize", [x], [none, none, i(*sizes)], attributes=at, since=11)
    for coordinates, mode, sizes in itertools.product(
        (None, *modes), ("linear", "cubic"), ([1, 2, 8, 12], [1, 2, 3, 9], [1, 2, 2, 3])
    ):
        at = {"coordinate_transformation_mode": coordinates, "mode": mode}
        yield Case("Resize", [x], [none, none, i(*sizes)], attributes=at, since=11, tolerance=1e-5)
        if mode == "cubic":
            more = {**at, "exclude_outside": 1, "cubic_coeff_a": -0.5}
            yield Case("Resize", [x], [none, none, i(*sizes)], attributes=more, since=11, tolerance=1e-5)
    for few in ([1, 1, 2, 2], [1, 1, 0.5, 1.5]):
        for mode in ("nearest", "linear"):
            yield Case(
                "Resize", [x], [none, i(*few, dtype=np.float32)], attributes={"mode": mode}, since=11, tolerance=1e-5
            )
    yield Case("Resize", [x], [i(0, 0, 0.25, 0.1, 1, 1, 0.75, 1.2, dtype=np.float32), none, i(1, 2, 3, 5)], since=11, tolerance=1e-5,
               attributes={"coordinate_transformation_mode": "tf_crop_and_resize", "mode": "linear", "extrapolation_value": 9.5})  # fmt: skip
    # One element, of many or of one. For pytorch_half_pixel ONNX's text and ONNX Runtime take the first element, the reference
    # looks half an element before it.
    for coordinates, mode, out, inside in itertools.product(
        (*modes, "half_pixel_symmetric"),
        ("nearest", "linear", "cubic"),
        ([1, 1], [1, 3], [3, 1]),
        ((1, 1), (1, 5), (4, 3)),
    ):
        little = f(1, 2, *inside)
        first = coordinates == "pytorch_half_pixel" and out == [1, 1]
        for outside in (0, 1) if mode == "cubic" else (0,):
            at = {"coordinate_transformation_mode": coordinates, "mode": mode, "exclude_outside": outside}
            since = 19 if coordinates == "half_pixel_symmetric" else 11
            expected = [little[:, :, :1, :1]] if first else None
            yield Case(
                "Resize",
                [little],
                [none, none, i(1, 2, *out)],
                attributes=at,
                since=since,
                tolerance=1e-5,
                expected=expected,
            )
    for policy in ("stretch", "not_larger", "not_smaller"):
        at = {"keep_aspect_ratio_policy": policy, "axes": [2, 3]}
        yield Case("Resize", [x], [None, None, i(7, 8)], attributes=at, since=18)


def grid_samples() -> Iterator[Case]:
    x, grid, volume, places = f(2, 3, 4, 6), f(2, 5, 3, 2, seed=1), f(1, 2, 3, 4, 5), f(1, 2, 3, 2, 3, seed=2)
    paddings = (None, "zeros", "border", "reflection")
    for padding, corners in itertools.product(paddings, (None, 0, 1)):
        at = {"padding_mode": padding, "align_corners": corners}
        cubic = padding != "border"  # with which the oracles differ: refused
        for mode in (None, "bilinear", "nearest", *["bicubic"] * cubic):
            yield Case("GridSample", [x, grid], attributes={**at, "mode": mode}, since=16, until=19, tolerance=1e-5)
        for mode in (None, "linear", "nearest", *["cubic"] * cubic):
            yield Case("GridSample", [x, grid], attributes={**at, "mode": mode}, since=20, tolerance=1e-5)
        for mode in ("linear", "nearest"):
            yield Case("GridSample", [volume, places], attributes={**at, "mode": mode}, since=20, tolerance=1e-5)


def recurrent() -> Iterator[Case]:
    steps, batch, inputs, hidden = 5, 3, 4, 6
    x = f(steps, batch, inputs)
    lengths = i(
        2, 5, 1, dtype=np.int32
    )  # not 0: the last state is then the initial one, which ONNX Runtime does not give
    others = {
        1: (["HardSigmoid", "Relu", "Softsign"], ["Affine"], [0.4, 0.5], [0.1, 0.25]),
        2: (["Sigmoid", "ScaledTanh", "Tanh"] * 2, ["LeakyRelu", "Elu"], [0.5, 0.75], [1.5, 0.5]),
    }
    for operator, gates, functions in (("RNN", 1, 1), ("GRU", 3, 2), ("LSTM", 4, 3)):
        lstm = operator == "LSTM"
        weights = [f(1, gates * hidden, inputs), f(1, gates * hidden, hidden, seed=1)]
        # onnx.reference alone takes batches first.
        batches = f(batch, steps, inputs)
        yield Case(operator, [batches], weights, attributes={"hidden_size": hidden, "layout": 1}, outputs=2, since=14)
        for direction, own in (("forward", 0), ("reverse", 1), ("bidirectional", 0), ("bidirectional", 1)):
            d = 2 if direction == "bidirectional" else 1
            w, r, b = (
                f(d, gates * hidden, inputs),
                f(d, gates * hidden, hidden, seed=1),
                f(d, 2 * gates * hidden, seed=2),
            )
            state, cell, peepholes = f(d, batch, hidden, seed=3), f(d, batch, hidden, seed=4), f(d, 3 * hidden, seed=5)
            at: dict[str, Any] = {"direction": direction, "hidden_size": hidden}
            if own:
                several, single, alphas, betas = others[d]
                names = several if functions == 3 else several[: functions * d] if functions == 2 else single[:1] * d
                at |= {"activations": names, "activation_alpha": alphas, "activation_beta": betas}
            everything: list[Array | None] = [w, r, b, lengths, state]
            if lstm:
                everything += [cell, peepholes]
            for constants in ([w, r], everything):
                outputs = 3 if lstm else 2
                yield Case(operator, [x], constants, attributes=at, outputs=outputs, tolerance=1e-5)
            yield Case(operator, [x], everything, attributes={**at, "clip": 0.75}, outputs=outputs, tolerance=1e-5)
            if operator == "GRU":
                at = {**at, "linear_before_reset": 1}
                yield Case(operator, [x], everything, attributes=at, outputs=2, tolerance=1e-5)
            if lstm:
                at = {**at, "input_forget": 1}
                yield Case(operator, [x], everything, attributes=at, outputs=3, tolerance=1e-5)
