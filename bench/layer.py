# SPDX-License-Identifier: Apache-2.0
"""A layer that is measured alone: what it appends to a model, and the model around it (layers.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np
    from made_models import Builder

Other = Callable[["np.random.Generator"], "np.ndarray"]  # an input beside x, drawn


@dataclass(frozen=True)
class Layer:
    """`make` appends the layer to a builder, reading the value that it is given; images come with their channels in `dims`."""

    make: Callable[[Builder, str], str]
    dims: tuple[int, ...]
    between: bool = True  # a convolution before and a pool behind it
    others: Mapping[str, Other] = field(default_factory=dict)  # inputs that the layer reads by their names
    # Of x, the constants and the result. Of doubles OpenVINO has no time: it computes in float32.
    dtype: str = "float32"
    fixed: int = 1  # the axis of x whose dim is a number in the model

    def save(self, path: Path) -> None:
        import numpy as np
        from made_models import Builder
        from onnx import helper, numpy_helper

        builder = Builder()
        source, dims = "x", list(self.dims)
        if self.between:
            dims[1] = 4
            weights = builder.weight(self.dims[1], 4, *[1] * (len(dims) - 2))
            builder.nodes.append(helper.make_node("Conv", ["x", weights], ["before"], name="before"))
            source = "before"
        result = self.make(builder, source)
        if self.between:
            builder.nodes.append(helper.make_node("GlobalAveragePool", [result], ["behind"], name="behind"))
            result = "behind"
        given = []
        for name, array in self.feeds().items():
            fixed = (
                {self.fixed} if name == "x" else {1, array.ndim - 1} if name.startswith("past") else {array.ndim - 1}
            )
            open_dims: list[Any] = [d if i in fixed else f"{name}{i}" for i, d in enumerate(array.shape)]
            given.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), open_dims))
        dtype = np.dtype("int64" if builder.nodes[-1].op_type == "ArgMax" else self.dtype)
        taken = helper.make_tensor_value_info(result, helper.np_dtype_to_tensor_dtype(dtype), None)
        constants = []
        for constant in builder.constants:
            array = numpy_helper.to_array(constant)
            as_given = array.astype(self.dtype) if array.dtype == np.float32 else array
            constants.append(numpy_helper.from_array(as_given, constant.name))
        graph = helper.make_graph(builder.nodes, "layer", given, [taken], constants)
        domains = {"": 18} | {node.domain: 1 for node in builder.nodes if node.domain}
        opsets = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        path.write_bytes(model.SerializeToString())

    def feeds(self) -> dict[str, np.ndarray]:
        import numpy as np

        random = np.random.default_rng(0)
        dims = (self.dims[0], 4, *self.dims[2:]) if self.between else self.dims
        x = random.standard_normal(dims).astype(self.dtype)
        return {"x": x} | {name: other(random) for name, other in self.others.items()}
