# SPDX-License-Identifier: Apache-2.0
"""Scales and regions of Resize and Upsample, and Dropout's ratio, that come with the data: the bits of the same model with constants,
runs that are refused, and scales that change from run to run."""

from __future__ import annotations

import itertools
from typing import Any

import anydim
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

F32, BOOL = TensorProto.FLOAT, TensorProto.BOOL
Array = NDArray[Any]


def one_node(
    op: str,
    opset: int,
    inputs: dict[str, Array],
    names: list[str],
    constants: set[str],
    dynamic: bool = False,
    **attributes: Any,
) -> onnx.ModelProto:
    """A node that reads inputs by these names (or nothing, ""), of which some are constants."""
    kinds = {np.dtype(np.float32): F32, np.dtype(np.bool_): BOOL}
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], name="node", **attributes)],
        "scales",
        [
            helper.make_tensor_value_info(
                name, kinds[v.dtype], [f"{name}{a}" for a in range(v.ndim)] if dynamic and name == "x" else v.shape
            )
            for name, v in inputs.items()
            if name not in constants
        ],
        [helper.make_empty_tensor_value_info("y")],
        [onnx.numpy_helper.from_array(v, name) for name, v in inputs.items() if name in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def run(model: onnx.ModelProto, inputs: dict[str, Array], **options: Any) -> Array:
    session = anydim.InferenceSession(model.SerializeToString(), contexts=1, **options)
    fed = {value.name: inputs[value.name] for value in model.graph.input}
    result: Array = session.run(None, fed)[0]
    return result


def floats(*values: float) -> Array:
    return np.array(values, np.float32)


X = np.random.default_rng(7).standard_normal((1, 2, 5, 7)).astype(np.float32)
# 10 * 0.7f is 7 in binary32 and less than 7 exactly; 0.6f and 1/3 are no dyadic numbers.
SCALES: tuple[list[float], ...] = (
    [1, 1, 2, 2],
    [1, 1, 0.6, 1.7],
    [1, 1, 0.5, 3.25],
    [1, 2, 1 / 3, 1],
    [1, 1, 0.8, 0.2],
)
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "tf_crop_and_resize")


@pytest.mark.parametrize("mode", ("nearest", "linear", "cubic"))
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_scales_of_a_run_give_the_bits_of_constants(mode: str, coordinates: str) -> None:
    for scales, dynamic in itertools.product(SCALES, (False, True)):
        inputs = {"x": X, "roi": floats(0, 0, 0.1, -0.2, 1, 1, 0.8, 1.3), "scales": floats(*scales)}
        names = ["x", "roi" if coordinates == "tf_crop_and_resize" else "", "scales"]
        given = {n: v for n, v in inputs.items() if n in names}
        attributes: dict[str, Any] = {
            "mode": mode,
            "coordinate_transformation_mode": coordinates,
            "extrapolation_value": 2.5,
        }
        expected = run(one_node("Resize", 19, given, names, {"roi", "scales"}, **attributes), given)
        for constants in ({"roi"}, {"scales"}, set()) if "roi" in given else (set(),):
            if "scales" in constants and dynamic and any(s * 1024 % 1 for s in scales):
                continue  # constant scales of dynamic dims are refused
            for passes in ("none", "all"):
                model = one_node("Resize", 19, given, names, constants, dynamic, **attributes)
                got = run(model, given, passes=passes)
                assert got.shape == expected.shape, (scales, constants)
                assert got.tobytes() == expected.tobytes(), (scales, constants, passes)


@pytest.mark.parametrize("mode", ("nearest", "linear", "cubic"))
def test_axes_have_scales_of_a_run(mode: str) -> None:
    inputs = {"x": X, "scales": floats(1.7, 0.6)}
    attributes: dict[str, Any] = {"mode": mode, "axes": [3, 2]}
    expected = run(one_node("Resize", 18, inputs, ["x", "", "scales"], {"scales"}, **attributes), inputs)
    got = run(one_node("Resize", 18, inputs, ["x", "", "scales"], set(), True, **attributes), inputs)
    assert expected.shape == (1, 2, 3, 11) and got.tobytes() == expected.tobytes()


def test_a_region_of_a_run_goes_with_sizes() -> None:
    sizes = onnx.numpy_helper.from_array(np.array([1, 2, 3, 4], np.int64), "sizes")
    inputs = {"x": X, "roi": floats(0, 0, 0.1, 0.2, 1, 1, 0.8, 1)}
    results = []
    for constants in ({"roi"}, set()):
        model = one_node("Resize", 13, inputs, ["x", "roi", "", "sizes"], constants, mode="linear",
                         coordinate_transformation_mode="tf_crop_and_resize")  # fmt: skip
        model.graph.initializer.append(sizes)
        results.append(run(model, inputs).tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize(("op", "opset"), (("Resize", 10), ("Upsample", 9)))
@pytest.mark.parametrize("mode", ("nearest", "linear"))
def test_older_forms_read_scales_of_a_run(op: str, opset: int, mode: str) -> None:
    for scales in ([1, 1, 2, 2], [1, 1, 1, 1.7], [2, 1, 3.25, 1]):
        inputs = {"x": X, "scales": floats(*scales)}
        expected = run(one_node(op, opset, inputs, ["x", "scales"], {"scales"}, mode=mode), inputs)
        got = run(one_node(op, opset, inputs, ["x", "scales"], set(), True, mode=mode), inputs)
        assert got.shape == expected.shape and got.tobytes() == expected.tobytes(), scales


def test_one_session_takes_other_scales_at_each_run() -> None:
    inputs = {"x": X, "scales": floats(1, 1, 1, 1)}
    session = anydim.InferenceSession(
        one_node("Resize", 19, inputs, ["x", "", "scales"], set(), mode="cubic").SerializeToString(), contexts=1
    )
    for scales in (*SCALES, *SCALES[::-1]):
        fed = {"x": X, "scales": floats(*scales)}
        expected = run(one_node("Resize", 19, fed, ["x", "", "scales"], {"scales"}, mode="cubic"), fed)
        assert session.run(None, fed)[0].tobytes() == expected.tobytes(), scales


def test_scales_that_are_none_are_refused_by_the_run() -> None:
    inputs = {"x": X, "scales": floats(1, 1, 1, 1)}
    model = one_node("Resize", 19, inputs, ["x", "", "scales"], set(), mode="linear")
    for scale in (0.0, -1.0, float("nan"), float("inf"), -float("inf")):
        with pytest.raises((anydim.InvalidArgumentError, anydim.InvalidDataError, anydim.UnimplementedError)):
            run(model, {"x": X, "scales": floats(1, 1, scale, 1)})
    with pytest.raises(anydim.InvalidArgumentError, match="1 or more"):
        upsampled = one_node("Upsample", 9, inputs, ["x", "scales"], set(), mode="nearest")
        run(upsampled, {"x": X, "scales": floats(1, 1, 0.5, 1)})
    whole = one_node("Resize", 19, inputs, ["x", "", "scales"], set(), mode="linear",
                     coordinate_transformation_mode="align_corners")  # fmt: skip
    assert run(whole, {"x": X, "scales": floats(1, 1, 0.6, 2)}).shape == (1, 2, 3, 14)
    with pytest.raises(anydim.UnimplementedError, match="whole number"):
        run(whole, {"x": X, "scales": floats(1, 1, 0.5, 2)})


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (1e30, r"the dim 7 times scales\[3\] is below 9e15"),
        (np.inf, r"the dim 7 times scales\[3\] is below 9e15"),
        (-1.0, r"scales\[3\] is a number above 0"),
        (0.0, r"scales\[3\] is a number above 0"),
        (np.nan, r"scales\[3\] is a number above 0"),
    ],
)
def test_a_run_says_which_scale_is_wrong_and_why(scale: float, message: str) -> None:
    inputs = {"x": X, "s": floats(1, 1, 2, scale)}
    with pytest.raises(anydim.InvalidArgumentError, match=message):
        run(one_node("Resize", 13, inputs, ["x", "", "s"], set(), mode="nearest"), inputs)


@pytest.mark.parametrize("known", ("nothing", "ratio", "training", "ratio and training"))
def test_dropout_is_what_its_input_is_where_nothing_is_dropped(known: str) -> None:
    constants = set(known.split()) & {"ratio", "training"}
    for ratio, training in ((0.0, True), (0.0, False), (0.7, False)):
        inputs = {"x": X, "ratio": np.float32(ratio) * np.ones((), np.float32), "training": np.array(training)}
        got = run(one_node("Dropout", 13, inputs, ["x", "ratio", "training"], constants), inputs)
        assert got.tobytes() == X.tobytes()
