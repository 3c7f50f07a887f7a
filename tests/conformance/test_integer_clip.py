# SPDX-License-Identifier: Apache-2.0
"""Clip of integers at the ends of their types, where doubles and floats have no such number."""

from __future__ import annotations

import anydim
import numpy as np
from onnx import helper, numpy_helper


def test_clip_of_integers_keeps_bounds_that_no_float_has() -> None:
    for dtype in (np.int64, np.uint64, np.int32):
        info = np.iinfo(dtype)
        values = [
            int(v)
            for v in (info.min, info.min + 1, -1, 0, 1, 2**24, 2**24 + 1, 2**31, 2**53 + 1, info.max - 1, info.max)
            if info.min <= v <= info.max
        ]
        x = np.resize(np.array(values, dtype), 97)
        for low in values:
            for high in values:
                bounds = [
                    numpy_helper.from_array(np.array(v, dtype), name) for v, name in ((low, "low"), (high, "high"))
                ]
                kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
                ends = [helper.make_tensor_value_info(name, kind, ["n"]) for name in "xy"]
                node = helper.make_node("Clip", ["x", "low", "high"], ["y"])
                graph = helper.make_graph([node], "clip", ends[:1], ends[1:], bounds)
                model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
                (y,) = anydim.InferenceSession(model.SerializeToString()).run(None, {"x": x})
                assert np.array_equal(y, np.minimum(np.maximum(x, dtype(low)), dtype(high))), (dtype, low, high)
