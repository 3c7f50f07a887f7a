# SPDX-License-Identifier: Apache-2.0
"""What detectors end with, written out as their exporters write it, beside ONNX Runtime at sizes that change: YOLO's heads with
NonMaxSuppression in the graph and without, a combined one per class in the manner of EfficientDet, queries as of DETR, MaxRoiPool.
A small net with deformable convolutions is compared with the onnx package's reference, since ONNX Runtime has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

Array = npt.NDArray[Any]
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
CLASSES, CHANNELS = 5, 8


class Head:
    """Nodes, constants, and the names of outputs with their types, over an input x [1, CHANNELS, h, w]."""

    def __init__(self, opset: int, seed: int) -> None:
        self.opset, self.random = opset, np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.count = 0

    def put(self, array: Any, dtype: Any = np.int64) -> str:
        self.count += 1
        self.constants.append(onnx.numpy_helper.from_array(np.asarray(array, dtype), f"c{self.count}"))
        return f"c{self.count}"

    def real(self, array: Any) -> str:
        return self.put(array, np.float32)

    def weights(self, *dims: int) -> str:
        return self.real(self.random.standard_normal(dims) / np.sqrt(np.prod(dims[1:])) * 2)

    def __call__(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        self.count += 1
        names = [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def out(self, name: str, element: int = FLOAT) -> None:
        self.outputs.append(helper.make_tensor_value_info(name, element, None))

    def conv(self, x: str, channels: int, inputs: int = CHANNELS, **attributes: Any) -> str:
        name: str = self(
            "Conv",
            x,
            self.weights(channels, inputs, 1, 1),
            self.real(self.random.standard_normal(channels)),
            **attributes,
        )
        return name

    def model(self) -> bytes:
        x = helper.make_tensor_value_info("x", FLOAT, [1, CHANNELS, "h", "w"])
        graph = helper.make_graph(self.nodes, "head", [x], self.outputs, self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        serialised: bytes = made.SerializeToString()
        return serialised


def rows(h: Head, x: str, last: int) -> str:
    """[1, last, h, w] as [1, h * w, last]."""
    name: str = h("Reshape", h("Transpose", x, perm=[0, 2, 3, 1]), h.put([1, -1, last]))
    return name


def places(h: Head, x: str) -> str:
    """The middle of each cell, [1, h * w, 2], from the shape."""
    shape = h("Shape", x)
    sides = [h("Squeeze", h("Slice", shape, h.put([a]), h.put([a + 1])), h.put([0])) for a in (2, 3)]
    ranges = [h("Cast", h("Range", h.put(0), side, h.put(1)), to=FLOAT) for side in sides]
    both = h("Concat", *(h("Unsqueeze", side, h.put([0])) for side in sides), axis=0)
    y = h("Expand", h("Unsqueeze", ranges[0], h.put([1])), both)
    x = h("Expand", h("Unsqueeze", ranges[1], h.put([0])), both)
    grid = h("Concat", h("Unsqueeze", x, h.put([2])), h("Unsqueeze", y, h.put([2])), axis=2)
    name: str = h("Add", h("Reshape", grid, h.put([1, -1, 2])), h.real(0.5))
    return name


def gathered(h: Head, boxes: str, scores: str, picked: str) -> None:
    """Boxes, scores and classes of what was selected, as exporters of YOLO write it."""
    batch_box = h("Gather", picked, h.put([0, 2]), axis=1)
    h.out(h("GatherND", boxes, batch_box))
    h.out(h("GatherND", scores, picked))
    h.out(h("Squeeze", h("Gather", picked, h.put([1]), axis=1), h.put([1])), INT64)


def yolo_v5() -> Head:
    h = Head(13, 5)
    y = h("Sigmoid", rows(h, h.conv("x", 5 + CLASSES), 5 + CLASSES))
    xy, wh, has, classes = h("Split", y, h.put([2, 2, 1, CLASSES]), outputs=4, axis=2)
    centre = h("Add", h("Mul", xy, h.real(2.0)), places(h, "x"))
    size = h("Mul", h("Pow", h("Mul", wh, h.real(2.0)), h.real(2.0)), h.real([3.0, 2.0]))
    boxes = h("Concat", centre, size, axis=2)
    scores = h("Transpose", h("Mul", has, classes), perm=[0, 2, 1])
    picked = h("NonMaxSuppression", boxes, scores, h.put([20]), h.real([0.45]), h.real([0.2]), center_point_box=1)
    gathered(h, boxes, scores, picked)
    return h


def yolo_v8() -> Head:
    """Distances to the four sides as expected values of 4 bins each; corners; the best class only."""
    h = Head(17, 8)
    bins = h("Reshape", rows(h, h.conv("x", 16), 16), h.put([1, -1, 4, 4]))
    sides = h("ReduceSum", h("Mul", h("Softmax", bins, axis=3), h.real([0, 1, 2, 3])), h.put([3]), keepdims=0)
    first, last = h("Split", sides, outputs=2, axis=2)
    middle = places(h, "x")
    boxes = h("Concat", h("Sub", middle, first), h("Add", middle, last), axis=2)
    classes = h("Sigmoid", rows(h, h.conv("x", CLASSES), CLASSES))
    best = h("ReduceMax", classes, axes=[2], keepdims=1)
    only = h("Mul", classes, h("Cast", h("Equal", classes, best), to=FLOAT))
    scores = h("Transpose", only, perm=[0, 2, 1])
    picked = h("NonMaxSuppression", boxes, scores, h.put([100]), h.real([0.6]), h.real([0.3]))
    gathered(h, boxes, scores, picked)
    return h


def yolo_v10() -> Head:
    """No suppression: the best 20 by TopK, twice."""
    h = Head(13, 10)
    boxes, classes = rows(h, h.conv("x", 4), 4), h("Sigmoid", rows(h, h.conv("x", CLASSES), CLASSES))
    count = h("Squeeze", h("Slice", h("Shape", classes), h.put([1]), h.put([2])), h.put([0]))
    most = h("Min", h("Unsqueeze", count, h.put([0])), h.put([20]))
    _, index = h("TopK", h("ReduceMax", classes, axes=[2], keepdims=0), most, outputs=2, axis=1)
    index = h("Unsqueeze", index, h.put([2]))
    classes = h("GatherElements", classes, h("Tile", index, h.put([1, 1, CLASSES])), axis=1)
    boxes = h("GatherElements", boxes, h("Tile", index, h.put([1, 1, 4])), axis=1)
    scores, flat = h("TopK", h("Flatten", classes, axis=1), most, outputs=2, axis=1)
    label = h("Mod", flat, h.put(CLASSES))
    at = h("Unsqueeze", h("Div", flat, h.put(CLASSES)), h.put([2]))
    boxes = h("GatherElements", boxes, h("Tile", at, h.put([1, 1, 4])), axis=1)
    h.out(
        h(
            "Concat",
            boxes,
            h("Unsqueeze", scores, h.put([2])),
            h("Unsqueeze", h("Cast", label, to=FLOAT), h.put([2])),
            axis=2,
        )
    )
    return h


def efficient_det() -> Head:
    """TensorFlow's combined suppression written out in opset 11: per class, then the best of all, padded to 10."""
    h = Head(11, 11)
    y = rows(h, h.conv("x", 4 + CLASSES), 4 + CLASSES)
    boxes, classes = h("Split", y, outputs=2, axis=2, split=[4, CLASSES])
    scores = h("Transpose", h("Sigmoid", classes), perm=[0, 2, 1])
    picked = h("NonMaxSuppression", boxes, scores, h.put([10]), h.real([0.5]), h.real([0.3]))
    values = h("GatherND", scores, picked)
    count = h("Shape", values)
    kept = h("Min", h("Cast", count, to=FLOAT), h.real([10.0]))
    kept = h("Cast", kept, to=INT64)
    best, order = h("TopK", values, kept, outputs=2, axis=0)
    chosen = h("Gather", picked, order, axis=0)
    label = h("Cast", h("Squeeze", h("Slice", chosen, h.put([1]), h.put([2]), h.put([1])), axes=[1]), to=FLOAT)
    box = h("GatherND", boxes, h("Gather", chosen, h.put([0, 2]), axis=1))
    missing = h("Sub", h.put([10]), kept)
    nothing = h.put([0])
    h.out(h("Pad", best, h("Concat", nothing, missing, axis=0)))
    h.out(h("Pad", label, h("Concat", nothing, missing, axis=0), h.real(-1.0)))
    h.out(h("Pad", box, h("Concat", nothing, nothing, missing, nothing, axis=0)))
    h.out(kept, INT64)
    return h


def detr() -> Head:
    """Queries that look at all places; softmax over classes, boxes as corners, those above a threshold by NonZero."""
    h = Head(13, 3)
    memory = h("Add", rows(h, "x", CHANNELS), h("MatMul", places(h, "x"), h.weights(2, CHANNELS)))
    query = h.weights(1, 12, CHANNELS)
    weights = h("Softmax", h("MatMul", query, h("Transpose", memory, perm=[0, 2, 1])), axis=2)
    state = h("MatMul", weights, memory)
    probability = h("Softmax", h("MatMul", state, h.weights(CHANNELS, CLASSES + 1)), axis=2)
    classes = h("Slice", probability, h.put([0]), h.put([-1]), h.put([2]))
    scores, labels = h("ReduceMax", classes, axes=[2], keepdims=0), h("ArgMax", classes, axis=2, keepdims=0)
    cx, cy, w, hh = h("Split", h("Sigmoid", h("MatMul", state, h.weights(CHANNELS, 4))), outputs=4, axis=2)
    half = h.real(0.5)
    low = [h("Sub", c, h("Mul", s, half)) for c, s in ((cx, w), (cy, hh))]
    high = [h("Add", c, h("Mul", s, half)) for c, s in ((cx, w), (cy, hh))]
    sides = h("Cast", h("Slice", h("Shape", "x"), h.put([2]), h.put([4])), to=FLOAT)
    turned = h("Slice", sides, h.put([1]), h.put([-(2**31)]), h.put([0]), h.put([-1]))
    boxes = h("Mul", h("Concat", *low, *high, axis=2), h("Concat", turned, turned, axis=0))
    at = h("Transpose", h("NonZero", h("Greater", scores, h.real(0.25))), perm=[1, 0])
    h.out(h("GatherND", boxes, at))
    h.out(h("GatherND", scores, at))
    h.out(h("GatherND", labels, at), INT64)
    return h


def pooled_regions() -> Head:
    """The two best places of a map, regions around them, MaxRoiPool and RoiAlign of both."""
    h = Head(16, 6)
    score = h("Reshape", h.conv("x", 1), h.put([-1]))
    _, best = h("TopK", score, h.put([2]), outputs=2, axis=0)
    middle = h("Gather", h("Squeeze", places(h, "x"), h.put([0])), best, axis=0)
    box = h("Concat", h("Sub", middle, h.real(2.3)), h("Add", middle, h.real(1.9)), axis=1)
    batch = h("Mul", h("Slice", box, h.put([0]), h.put([1]), h.put([1])), h.real(0.0))
    h.out(h("MaxRoiPool", "x", h("Concat", batch, box, axis=1), pooled_shape=[2, 3], spatial_scale=1.0))
    which = h("Cast", h("Squeeze", batch, h.put([1])), to=INT64)
    h.out(h("RoiAlign", "x", box, which, output_height=3, output_width=2, sampling_ratio=2, mode="avg"))
    return h


HEADS: list[Callable[[], Head]] = [yolo_v5, yolo_v8, yolo_v10, efficient_det, detr, pooled_regions]
SIZES = [(6, 7), (12, 5), (9, 9), (3, 17), (20, 16)]


def image(size: tuple[int, int]) -> Array:
    made: Array = np.random.default_rng(sum(size)).standard_normal((1, CHANNELS, *size)).astype(np.float32)
    return made


@pytest.mark.parametrize("make", HEADS, ids=[make.__name__ for make in HEADS])
def test_heads_select_what_onnx_runtime_selects(make: Callable[[], Head]) -> None:
    model = make().model()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    peer = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    free = anydim.InferenceSession(model, threads=1)
    bounded = anydim.InferenceSession(model, threads=2, bounds={"x": (1, CHANNELS, (1, 20), (1, 20))})
    found = 0
    for size in SIZES:
        x = image(size)
        expected = peer.run(None, {"x": x})
        got, again = free.run(None, {"x": x}), bounded.run(None, {"x": x})
        found += int(np.count_nonzero(expected[0]))
        for a, b, wanted in zip(got, again, expected, strict=True):
            assert a.tobytes() == b.tobytes(), "bounds and threads change no bit"
            assert a.dtype == wanted.dtype and a.shape == wanted.shape
            np.testing.assert_allclose(a, wanted, rtol=1e-4, atol=1e-4)
    assert found > 40, "hardly anything was selected"


def test_a_net_of_deformable_convolutions_is_the_reference_s() -> None:
    h = Head(19, 19)
    y = h("Slice", "x", h.put([0]), h.put([2]), h.put([1]))  # the reference is slow
    for inputs, outputs, groups in ((2, 4, 1), (4, 2, 2)):
        offset = h("Conv", y, h.weights(18 * groups, inputs, 3, 3), pads=[1, 1, 1, 1])
        mask = h("Sigmoid", h("Conv", y, h.weights(9 * groups, inputs, 3, 3), pads=[1, 1, 1, 1]))
        bias = h.real(h.random.standard_normal(outputs))
        y = h("Relu", h("DeformConv", y, h.weights(outputs, inputs, 3, 3), offset, bias, mask, kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                        offset_group=groups))  # fmt: skip
    h.out(y)
    model = h.model()
    session, reference = anydim.InferenceSession(model, threads=1), ReferenceEvaluator(onnx.load_from_string(model))
    for size in ((3, 4), (4, 2)):
        (got,), (wanted, *_) = session.run(None, {"x": image(size)}), list(reference.run(None, {"x": image(size)}))
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4)
