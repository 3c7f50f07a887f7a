# SPDX-License-Identifier: Apache-2.0
"""As much of an ONNX file as `anydim compare` needs: its nodes in order, more outputs added to it, and one node as a model of its own.
It needs no other package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..arrays import TENSOR_TYPES, Array
from ..wire import as_field, fields, varint

# Numbers of fields in onnx.proto.
_MODEL_GRAPH, _MODEL_KEPT = 7, (1, 8, 25)  # ir_version, opset_import, functions
_NODE, _INITIALIZER, _INPUT, _OUTPUT, _VALUE_INFO, _SPARSE = 1, 5, 11, 12, 13, 15
_ELEMENT_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
    "uint32": 12, "uint64": 13, "bfloat16": 16,
}  # fmt: skip
assert len(_ELEMENT_TYPES) <= len(TENSOR_TYPES)


@dataclass
class Node:
    """A node of the main graph; `name` is what the library calls it, also where the file gives it none."""

    name: str
    op_type: str
    inputs: list[str]
    outputs: list[str]
    data: bytes = field(repr=False)


def _text(content: memoryview) -> str:
    return bytes(content).decode("utf-8", "surrogateescape")


def _first_text(data: memoryview, number: int) -> str:
    return next((_text(chunk) for found, _, chunk in fields(data) if found == number and chunk is not None), "")


class ModelFile:
    """The file's bytes and what of them is asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.nodes: list[Node] = []
        self.outputs: list[str] = []
        self.types: dict[str, bytes] = {}  # of tensors inside: their ValueInfoProto, where the file has one
        self.constants: dict[str, bytes] = {}  # initializers, with their tag
        self._kept = b""
        counts: dict[str, int] = {}
        for number, whole, graph in fields(memoryview(data)):
            if number in _MODEL_KEPT:
                self._kept += bytes(whole)
            if number != _MODEL_GRAPH or graph is None:
                continue
            for inner, tagged, value in fields(graph):
                if value is None:
                    continue
                if inner == _NODE:
                    self._add(value, counts)
                elif inner == _INITIALIZER:
                    self.constants[_first_text(value, 8)] = bytes(tagged)
                elif inner == _OUTPUT:
                    self.outputs.append(_first_text(value, 1))
                elif inner == _VALUE_INFO:
                    self.types[_first_text(value, 1)] = bytes(value)

    def _add(self, data: memoryview, counts: dict[str, int]) -> None:
        node = Node("", "", [], [], bytes(data))
        for number, _, content in fields(data):
            if content is None:
                continue
            if number == 1:
                node.inputs.append(_text(content))
            elif number == 2:
                node.outputs.append(_text(content))
            elif number == 3:
                node.name = _text(content)
            elif number == 4:
                node.op_type = _text(content)
        index = counts[node.op_type] = counts.get(node.op_type, -1) + 1
        node.name = node.name or f"{node.op_type}@{index}"
        self.nodes.append(node)

    def with_outputs(self, names: Sequence[str]) -> bytes:
        """The model with further tensors as outputs. Repeated fields of a message that comes twice are joined, so they are appended."""
        more = b""
        for name in names:
            if name not in self.outputs:
                more += as_field(_OUTPUT, self.types.get(name) or as_field(1, name.encode("utf-8", "surrogateescape")))
        return self.data + as_field(_MODEL_GRAPH, more)

    def alone(self, node: Node, values: dict[str, Array]) -> bytes | None:
        """A model of this node alone, whose inputs are the tensors of `values`; None where a dtype has no number here."""
        graph = as_field(_NODE, node.data) + as_field(2, b"node")
        for name in dict.fromkeys(node.inputs):
            if not name:
                continue
            if name in self.constants:
                graph += self.constants[name]
                continue
            array = values[name]
            element = _ELEMENT_TYPES.get(array.dtype.name)
            if element is None:
                return None
            dims = b"".join(as_field(1, b"\x08" + varint(d)) for d in array.shape)
            tensor = b"\x08" + varint(element) + as_field(2, dims)
            graph += as_field(
                _INPUT, as_field(1, name.encode("utf-8", "surrogateescape")) + as_field(2, as_field(1, tensor))
            )
        for name in node.outputs:
            if name:
                graph += as_field(_OUTPUT, self.types.get(name) or as_field(1, name.encode("utf-8", "surrogateescape")))
        return self._kept + as_field(_MODEL_GRAPH, graph)
