# SPDX-License-Identifier: Apache-2.0
"""Models of one operator of com.microsoft, drawn at random, and what ONNX Runtime makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anydim
import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

Array = npt.NDArray[Any]


@dataclass
class Drawn:
    operator: str
    inputs: Mapping[str, Array | None]  # None is left out
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] = ("y",)  # "" is left out
    domain: str = "com.microsoft"
    constants: tuple[str, ...] = ()  # of the inputs
    # Of an output: which elements count, where others are anybody's guess.
    counts: dict[str, Array] = field(default_factory=dict)
    # The same in a form that ONNX Runtime has on CPUs.
    peer: Drawn | None = None

    @property
    def label(self) -> str:
        dims = {name: f"{x.dtype}{list(x.shape)}" for name, x in self.inputs.items() if x is not None}
        return f"{self.operator} {dims} {self.attributes} -> {self.outputs}"

    def model(self, *, dynamic: bool) -> bytes:
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
            # Widths, the last dims, are numbers in every model.
            free = dynamic and x.ndim > 1
            dims = [f"{name}_{i}" if free and i < x.ndim - 1 else d for i, d in enumerate(x.shape)]
            values.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), dims))
        node = helper.make_node(self.operator, names, list(self.outputs), domain=self.domain, **self.attributes)
        results = [onnx.ValueInfoProto(name=name) for name in self.outputs if name]
        graph = helper.make_graph([node], "drawn", values, results, initializers)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        serialised: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
        return serialised

    def feeds(self) -> dict[str, Array]:
        return {name: x for name, x in self.inputs.items() if x is not None and name not in self.constants}

    def wanted(self) -> list[str]:
        return [name for name in self.outputs if name]


def by_onnx_runtime(drawn: Drawn) -> list[Array]:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(drawn.model(dynamic=False), options, providers=["CPUExecutionProvider"])
    result: list[Array] = session.run(drawn.wanted(), drawn.feeds())
    return result


def difference(drawn: Drawn, tolerance: float = 2e-5) -> str:
    """Empty if Anydim, with numbers as dims and with dynamic ones, gives what ONNX Runtime does; else what differs."""
    expected = by_onnx_runtime(drawn.peer or drawn)
    for dynamic in (False, True):
        got = anydim.InferenceSession(drawn.model(dynamic=dynamic)).run(drawn.wanted(), drawn.feeds())
        for name, mine, theirs in zip(drawn.wanted(), got, expected, strict=True):
            if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
                return f"{name}: {mine.dtype}{list(mine.shape)}, expected {theirs.dtype}{list(theirs.shape)}"
            mask = np.broadcast_to(drawn.counts.get(name, np.ones((), bool)), mine.shape)
            a, b = mine[mask].astype(np.float64), theirs[mask].astype(np.float64)
            if not (np.isfinite(a) == np.isfinite(b)).all():
                return f"{name}: infinities or NaN at other places"
            finite = np.isfinite(b)
            error = np.abs(a - b)[finite].max(initial=0.0)
            if error > tolerance * max(np.abs(b[finite]).max(initial=0.0), 1.0):
                return f"{name}: differs by {error:.3g} (dynamic dims: {dynamic})"
    return ""
