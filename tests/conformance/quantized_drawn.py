# SPDX-License-Identifier: Apache-2.0
"""Nodes of quantized operators with drawn operands, held against ONNX Runtime; and what is drawn."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from quantized_models import onnx_runtime_saturates

Array = npt.NDArray[Any]
Random = np.random.Generator
ROUNDS = 12
SELDOM = 0.02  # of the numbers may be one away


SATURATES = onnx_runtime_saturates()


@dataclass
class Drawn:
    operator: str
    inputs: dict[str, Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1
    domain: str = ""
    opset: int = 21
    constants: tuple[str, ...] = ()
    exact: bool = True

    def model(self, dynamic: bool) -> bytes:
        names = ["" if x is None else name for name, x in self.inputs.items()]
        while names and not names[-1]:
            names.pop()
        values, initializers = [], []
        for name, x in self.inputs.items():
            if x is None:
                continue
            if name in self.constants:
                initializers.append(onnx.numpy_helper.from_array(x, name))
                continue
            dims = [f"{name}_{i}" if dynamic and x.ndim > 1 else d for i, d in enumerate(x.shape)]
            values.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), dims))
        outputs = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.operator, names, outputs, domain=self.domain, **self.attributes)
        graph = helper.make_graph([node], "drawn", values, [onnx.ValueInfoProto(name=n) for n in outputs], initializers)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
        return made

    def __post_init__(self) -> None:
        for name in ("w", "b"):  # weights of products
            x = self.inputs.get(name)
            if SATURATES and x is not None and x.dtype == np.int8:
                self.inputs[name] = x >> 1

    def check(self) -> None:
        feeds = {n: x for n, x in self.inputs.items() if x is not None and n not in self.constants}
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        want = ort.InferenceSession(self.model(False), options, providers=["CPUExecutionProvider"]).run(None, feeds)
        label = f"{self.operator} {[(n, None if x is None else (x.dtype, x.shape)) for n, x in self.inputs.items()]} {self.attributes}"
        for dynamic in (False, True):
            got = anydim.InferenceSession(self.model(dynamic)).run(None, feeds)
            assert len(got) == len(want)
            for g, w in zip(got, want, strict=True):
                assert (g.dtype, g.shape) == (w.dtype, w.shape), label
                if self.exact:
                    np.testing.assert_array_equal(g, w, err_msg=label)
                elif np.issubdtype(w.dtype, np.integer):
                    away = np.abs(g.astype(np.int64) - w.astype(np.int64))
                    assert away.max(initial=0) <= 1, label
                    assert np.count_nonzero(away) <= max(1, SELDOM * away.size), label
                else:
                    np.testing.assert_allclose(
                        g, w, rtol=2e-5, atol=1e-5 * max(1.0, float(np.abs(w).max(initial=0))), err_msg=label
                    )


def some(r: Random, *choices: Any) -> Any:
    return choices[int(r.integers(len(choices)))]


def numbers(r: Random, dims: tuple[int, ...], dtype: Any) -> Array:
    info = np.iinfo(dtype)
    return r.integers(info.min, info.max + 1, dims).astype(dtype)


def scale(r: Random, *dims: int, low: float = 1e-3, high: float = 0.1) -> Array:
    return np.asarray(np.exp(r.uniform(np.log(low), np.log(high), dims)), np.float32)


def zero(r: Random, dtype: Any, *dims: int) -> Array:
    info = np.iinfo(dtype)
    return (
        np.array(some(r, info.min, info.max, *r.integers(info.min, info.max, 4)), dtype)
        if not dims
        else numbers(r, dims, dtype)
    )
