# SPDX-License-Identifier: Apache-2.0
"""One operator as a model, for bench/kernels.py and bench/operators.py: its inputs, attributes and float32 form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy and onnx come with .venv; --help does without
    import numpy as np

ROWS, COLUMNS = DIMS = 1024, 1024
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64")
FLOATS = ("float32", "float16", "bfloat16", "float64")
SMALL = ("int4", "uint4")


def element_type(dtype: str) -> int:
    from onnx import TensorProto

    return int(getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())))


def array_type(dtype: str) -> Any:
    import ml_dtypes
    import numpy as np

    if dtype == "string":
        return object
    return getattr(ml_dtypes, dtype) if dtype == "bfloat16" or dtype in SMALL else np.dtype(dtype)


@dataclass(frozen=True)
class Drawn:
    """An input whose values matter; with `constant` a part of the model. They are the same ones each time."""

    dtype: str
    dims: tuple[int, ...]
    draw: Callable[[np.random.Generator, tuple[int, ...]], Any]
    constant: bool = False

    def array(self) -> np.ndarray:
        import numpy as np

        values = np.asarray(self.draw(np.random.default_rng(3), self.dims)).astype(array_type(self.dtype))
        return np.ascontiguousarray(np.broadcast_to(values, self.dims)).reshape(self.dims)


@dataclass
class Case:
    """One node, or those that `nodes` makes of the names of inputs and outputs. Inputs are (dtype, dims), Drawn, or an array, which
    becomes a constant; outputs dtypes, types that are no tensor's, or "" for one that the node leaves out."""

    name: str
    op: str
    inputs: list[Any]
    outputs: list[Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    base: Case | None = None  # the float32 form
    opset: int = 0  # 0: 21, or that with which the operator came
    nodes: Callable[[list[str], list[str]], list[Any]] | None = None
    random: bool = False  # its values are not those of another engine
    fixed: bool = False  # no dim of an input is open

    def model(self) -> bytes:
        from onnx import helper, numpy_helper

        constants, given, names = [], [], []
        for i, one in enumerate(self.inputs):
            if one is None:
                names.append("")
                continue
            names.append(f"i{i}")
            if isinstance(one, tuple) or (isinstance(one, Drawn) and not one.constant):
                dtype, dims = one if isinstance(one, tuple) else (one.dtype, one.dims)
                is_open = i == 0 and len(dims) > 1 and not self.fixed
                open_dims = [f"d{i}_{a}" if a == 0 and is_open else d for a, d in enumerate(dims)]
                given.append(helper.make_tensor_value_info(f"i{i}", element_type(dtype), open_dims))
            elif hasattr(one, "SerializeToString"):  # may be two inputs' at once
                constant = type(one)()
                constant.CopyFrom(one)
                constant.name = f"i{i}"
                constants.append(constant)
            else:
                array = one.array() if isinstance(one, Drawn) else one
                constants.append(numpy_helper.from_array(array, f"i{i}"))
        results = [f"o{i}" if d else "" for i, d in enumerate(self.outputs)]
        if self.nodes:
            nodes = self.nodes(names, results)
        else:
            nodes = [helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)]
        infos = [
            helper.make_tensor_value_info(r, element_type(d), None)
            if isinstance(d, str)
            else helper.make_value_info(r, d)
            for r, d in zip(results, self.outputs, strict=True)
            if d
        ]
        graph = helper.make_graph(nodes, "one", given, infos, constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in self.opsets().items()]
        ir = max(
            8 if self.opset and self.opset < 21 else 10, helper.find_min_ir_version_for(opsets, ignore_unknown=True)
        )
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=ir).SerializeToString())

    def opsets(self) -> dict[str, int]:
        from onnx import defs

        own = 0
        if self.domain == "" and not self.nodes and not self.opset:
            own = defs.get_schema(self.op).since_version if not defs.has(self.op, 21) else 0
        ml = self.opset if self.domain == "ai.onnx.ml" and self.opset else 3
        main = self.opset if self.domain == "" and self.opset else max(21, own)
        return {"": main, "com.microsoft": 1, "ai.onnx.ml": ml} | (
            {self.domain: 1} if self.domain not in ("", "ai.onnx.ml") else {}
        )

    def feeds(self) -> dict[str, np.ndarray]:
        import numpy as np

        random = np.random.default_rng(0)
        feeds: dict[str, Any] = {}
        for i, one in enumerate(self.inputs):
            if isinstance(one, Drawn) and not one.constant:
                feeds[f"i{i}"] = one.array()
            if not isinstance(one, tuple):
                continue
            dtype, dims = one
            if dtype == "bool":
                feeds[f"i{i}"] = random.random(dims) < 0.5
            elif dtype in FLOATS:
                feeds[f"i{i}"] = np.asarray(random.standard_normal(dims)).astype(array_type(dtype))
            elif dtype in SMALL:
                feeds[f"i{i}"] = random.integers(0, 7, dims).astype(array_type(dtype))
            else:
                high = min(np.iinfo(dtype).max, 100)
                feeds[f"i{i}"] = random.integers(1 if "int" in dtype else -high, high, dims).astype(dtype)
        return feeds


def constant(dtype: str, values: Any) -> Any:
    import numpy as np
    from onnx import TensorProto, helper

    array = np.asarray(values)
    if dtype == "bfloat16":
        return helper.make_tensor("c", TensorProto.BFLOAT16, array.shape, array.astype(np.float32).ravel().tolist())
    if dtype in SMALL:
        return helper.make_tensor("c", element_type(dtype), array.shape, array.astype(int).ravel().tolist())
    return array.astype(dtype)


def numbers(*values: int) -> np.ndarray:
    import numpy as np

    return np.asarray(values, np.int64)


def moved(dtype: str, op: str, inputs: list[Any], attributes: dict[str, Any] | None = None) -> Case:
    """The operator on `dtype` where `inputs` says float32."""
    real = Case(f"{op} float32", op, inputs, ["float32"], attributes or {})
    if dtype == "float32":
        return real
    typed = [(dtype, one[1]) if isinstance(one, tuple) else one for one in inputs]
    return Case(f"{op} {dtype}", op, typed, [dtype], attributes or {}, base=real)
