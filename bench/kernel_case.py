# SPDX-License-Identifier: Apache-2.0
"""One operator as a model, for bench/kernels.py: its inputs, attributes and float32 form."""

from __future__ import annotations

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


@dataclass
class Case:
    """One node. Inputs are (dtype, dims) or an array, which becomes a constant."""

    name: str
    op: str
    inputs: list[Any]
    outputs: list[str]  # dtypes
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    base: Case | None = None  # the float32 form

    def model(self) -> bytes:
        from onnx import helper, numpy_helper

        constants, given, names = [], [], []
        for i, one in enumerate(self.inputs):
            if one is None:
                names.append("")
                continue
            names.append(f"i{i}")
            if isinstance(one, tuple):
                dtype, dims = one
                open_dims = [f"d{i}_{a}" if a == 0 and len(dims) > 1 and i == 0 else d for a, d in enumerate(dims)]
                given.append(helper.make_tensor_value_info(f"i{i}", element_type(dtype), open_dims))
            elif hasattr(one, "SerializeToString"):  # may be two inputs' at once
                constant = type(one)()
                constant.CopyFrom(one)
                constant.name = f"i{i}"
                constants.append(constant)
            else:
                constants.append(numpy_helper.from_array(one, f"i{i}"))
        results = [f"o{i}" for i in range(len(self.outputs))]
        nodes = [helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)]
        infos = [
            helper.make_tensor_value_info(r, element_type(d), None) for r, d in zip(results, self.outputs, strict=True)
        ]
        graph = helper.make_graph(nodes, "one", given, infos, constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())

    def feeds(self) -> dict[str, np.ndarray]:
        import ml_dtypes
        import numpy as np

        random = np.random.default_rng(0)
        feeds: dict[str, Any] = {}
        for i, one in enumerate(self.inputs):
            if not isinstance(one, tuple):
                continue
            dtype, dims = one
            if dtype == "bool":
                feeds[f"i{i}"] = random.random(dims) < 0.5
            elif dtype in FLOATS:
                kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
                feeds[f"i{i}"] = np.asarray(random.standard_normal(dims)).astype(kind)
            elif dtype in SMALL:
                feeds[f"i{i}"] = random.integers(0, 7, dims).astype(getattr(ml_dtypes, dtype))
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
