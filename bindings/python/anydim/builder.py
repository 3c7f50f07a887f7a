# SPDX-License-Identifier: Apache-2.0
"""`ModelBuilder`: a model put together from ONNX operators by a program, without ONNX.

graph = anydim.ModelBuilder(opset=17)
x = graph.input("x", ("batch", 784))
h = graph.node("Gemm", x, graph.constant(weights), graph.constant(bias), transB=1)
graph.output(graph.node("Relu", h, outputs=["y"]))
session = anydim.InferenceSession(graph)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from . import _capi
from ._enums import Dtype
from .arrays import as_array
from .dims import whole_number
from .errors import InvalidArgumentError

Dims = Sequence[int | str | None]


def _dtype(dtype: Any) -> int:
    """Anydim's dtype of what numpy makes a dtype of, or of one of Anydim's."""
    return int(dtype) if isinstance(dtype, Dtype) else _capi.dtype_of(np.empty(0, dtype))


class ModelBuilder:
    """A graph of ONNX operators. Values are their names: what a method returns goes into the next node. `InferenceSession` takes
    it as it takes a file, and it may be the body of a branch or loop, as an attribute of a node of another one.

    opset: the version of ONNX's operators, or versions by domain. A body has that of the graph around it.
    """

    def __init__(self, opset: int | Mapping[str, int] | None = None) -> None:
        self._handle = _capi.model_builder_create()
        self._kept: list[Any] = []  # constants are read where they lie
        self._names = 0
        if opset is not None:
            for domain, version in opset.items() if isinstance(opset, Mapping) else [("", opset)]:
                _capi.model_builder_set_opset(self._handle, domain, whole_number(version, "opset"))

    def _new_name(self, what: str) -> str:
        self._names += 1
        return f"{what}_{self._names}"

    def input(self, name: str, dims: Dims, dtype: Any = np.float32) -> str:
        """Adds an input. Each dim is a number, a name (dims of one name are equal in every run), or None."""
        numbers = [-1 if d is None or isinstance(d, str) else whole_number(d, f"dims of {name!r}") for d in dims]
        _capi.model_builder_add_input(self._handle, name, _dtype(dtype), numbers)
        for axis, d in enumerate(dims):
            if isinstance(d, str):
                _capi.model_builder_set_symbol(self._handle, name, axis, d)
        return name

    def constant(self, value: Any, name: str | None = None) -> str:
        """Adds a constant. A row-major array is read where it lies, when a model is made, and is kept until then: it must not
        be changed. What a model keeps of it is its own."""
        array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
        array = as_array(array, "value")
        name = self._new_name("constant") if name is None else name
        address = array.__array_interface__["data"][0]
        _capi.model_builder_add_constant(self._handle, name, _capi.dtype_of(array), array.shape, address)
        self._kept.append(array)
        return name

    @overload
    def node(
        self,
        op_type: str,
        *inputs: str | None,
        outputs: None = None,
        name: str = "",
        domain: str = "",
        **attributes: Any,
    ) -> str: ...
    @overload
    def node(
        self, op_type: str, *inputs: str | None, outputs: int, name: str = "", domain: str = "", **attributes: Any
    ) -> tuple[str, ...]: ...
    @overload
    def node(
        self,
        op_type: str,
        *inputs: str | None,
        outputs: Sequence[str | None],
        name: str = "",
        domain: str = "",
        **attributes: Any,
    ) -> Any: ...
    def node(
        self,
        op_type: str,
        *inputs: str | None,
        outputs: int | Sequence[str | None] | None = None,
        name: str = "",
        domain: str = "",
        **attributes: Any,
    ) -> Any:
        """Adds a node and returns the name of its output, or a tuple of names if `outputs` asks for several: as a number, or by
        their names. None among inputs and outputs is an absent one. An attribute is a number, a text, a list of one kind, an array,
        or a `ModelBuilder`, which is a body."""
        if outputs is None:
            names: list[str | None] = [self._new_name(name or op_type)]
        elif isinstance(outputs, int):
            names = [self._new_name(name or op_type) for _ in range(outputs)]
        else:
            names = list(outputs)
        _capi.model_builder_add_node(self._handle, op_type, domain, name)
        for value in inputs:
            _capi.model_builder_add_node_input(self._handle, "" if value is None else value)
        for value in names:
            _capi.model_builder_add_node_output(self._handle, "" if value is None else value)
        for attribute, attribute_value in attributes.items():
            self._set(attribute, attribute_value)
        return names[0] if outputs is None or (len(names) == 1 and not isinstance(outputs, int)) else tuple(names)

    def _set(self, attribute: str, value: Any) -> None:
        h = self._handle
        if isinstance(value, ModelBuilder):
            _capi.model_builder_set_node_body(h, attribute, value._handle)
            self._kept.append(value._kept)
        elif isinstance(value, np.ndarray):
            array = as_array(np.ascontiguousarray(value) if value.ndim else value, f"attribute {attribute!r}")
            address = array.__array_interface__["data"][0]
            _capi.model_builder_set_node_tensor(h, attribute, _capi.dtype_of(array), array.shape, address)
        elif isinstance(value, (str, bytes)):
            _capi.model_builder_set_node_text(h, attribute, value)
        elif isinstance(value, (int, np.integer)):
            _capi.model_builder_set_node_integer(h, attribute, int(value))
        elif isinstance(value, (float, np.floating)):
            _capi.model_builder_set_node_real(h, attribute, float(value))
        elif isinstance(value, Sequence) and all(isinstance(v, (int, np.integer)) for v in value):
            _capi.model_builder_set_node_integers(h, attribute, [int(v) for v in value])
        elif isinstance(value, Sequence) and all(isinstance(v, (int, float, np.number)) for v in value):
            _capi.model_builder_set_node_reals(h, attribute, [float(v) for v in value])
        elif isinstance(value, Sequence) and all(isinstance(v, (str, bytes)) for v in value):
            for text in value:
                _capi.model_builder_append_node_text(h, attribute, text)
        else:
            raise InvalidArgumentError(
                f"attribute {attribute!r} is {value!r}; expected a number, a text, a list of one kind, an array or a ModelBuilder"
            )

    def output(self, *values: str) -> None:
        """Makes values outputs, in this order."""
        for value in values:
            _capi.model_builder_add_output(self._handle, value)
